/* base/kinks.h - where an expression of time jumps or bends, and what it hides between two times
 *
 * Conditions, min, max, abs, floor, mod, straight tables and what is made of them (step, clamp, heaviside, pos) change from one
 * smooth branch to another. Those of them that depend on time alone do it at times that can be known before anybody steps there.
 *
 * Method: interval arithmetic over the graph of the expression. An interval of time in which no such node can change its branch has no
 * kink; any other is halved, the earlier half first, until the two neighbouring numbers are found between which a branch
 * changes. Where enclosures do not decide within a bounded work (roots of second order, splines), the rest is looked at point by point.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_KINKS_H
#define TNI_KINKS_H

#include "base/expr.h"

typedef struct tni_kinks tni_kinks;

/* Of variable `time` in e, borrowed. place: values of the other variables, by their numbers, borrowed; NULL: they change in ways that nobody
 * knows. NULL in *out: e does not depend on time. Evaluations below allocate nothing; one thread at a time. */
tn_status tni_kinks_create(tni_arena *arena, const tni_expr *e, int time, const double *place, tni_kinks **out);
/* other values of the other variables, if there were some when k was made */
void tni_kinks_place(tni_kinks *k, const double *place);

/* The first kink with from < *after <= to: *before is a time shortly before it, *after one shortly behind it, a few units in the last
 * place apart. False: there is none. */
bool tni_kinks_next(tni_kinks *k, double from, double to, double *before, double *after);

/* Before the next one: the times that will be asked about; at every place in turn. */
void tni_kinks_span(tni_kinks *k, double from, double to);
/* do all its parts that depend on the variable alone have bounds between those? */
bool tni_kinks_bounded(const tni_kinks *k);
/* Is there a pulse between a and b that a step would see little of? A part of the expression that depends on time alone leaves
 * what its values at nine equal distances span by more than that again, or one to three of these values stand out from the
 * others; less than a ten-thousandth of its largest value is none. seen: places that the step sees, 2 its ends, 3 the middle as well,
 * 0 many. *at: where. */
bool tni_kinks_hides(tni_kinks *k, double a, double b, int seen, double *at);

/* A variable along a step: a polynomial of s from 0 to 1, or the length of a vector of such, and `offset`. */
enum { TNI_PATH_STATES = 5 };
typedef struct tni_path {
  int n; /* 1, or parts of a vector: 3 */
  double offset, c[3][TNI_PATH_STATES];
} tni_path;
/* part i through values at equal distances, both ends among them */
void tni_path_through(tni_path *p, int i, const double y[TNI_PATH_STATES]);
double tni_path_at(const tni_path *p, double s);

/* The same of s, where all variables of e move along paths [1 + the largest variable], borrowed. NULL in *out: nothing in e jumps, bends,
 * or is ever large at one place alone. */
tn_status tni_kinks_create_along(tni_arena *arena, const tni_expr *e, const tni_path *path, tni_kinks **out);
double tni_kinks_value(tni_kinks *k, double s);

/* Conditions and bends that depend on anything but time alone: which branches the expression is on at two states. NULL in *out:
 * there are none. */
typedef struct tni_branches tni_branches;
tn_status tni_branches_create(tni_arena *arena, const tni_expr *e, int time, tni_branches **out);
/* state 0 or 1 */
void tni_branches_look(tni_branches *b, const double *vars, int state);
/* do branches differ at the two? */
bool tni_branches_differ(const tni_branches *b);

#endif
