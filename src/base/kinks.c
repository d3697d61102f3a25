/* base/kinks.c - see kinks.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/kinks.h"

#include <float.h>
#include <math.h>

#include "base/expr_graph.h"

enum { MOST_TRIES = 4000, POINTS = 256, DEPTH = 128, HIDDEN_TRIES = 200, SEEN = 9, MOST = 6 };

/* intervals that are shorter, in parts of the time, and have the same branch at both ends are taken for free of kinks */
static const double SHORT = 1e-10;
/* of the largest value of a part: less is not worth a step */
static const double SMALL = 1e-4;
/* the same for what a line or a parabola misses: some steps for every wave are few, but no pulse */
static const double BOW = 0.05;
/* units in the last place between a kink and the times that stand for before and behind it */
static const double MARGIN = 4;

typedef struct {
  double lo, hi;
} range;

struct tni_kinks {
  int n, time;
  const tni_node *node; /* [n] of the expression                                       */
  bool *timed;          /* [n] depends on time, and on nothing else that changes        */
  bool *bends;          /* [n] a timed node with branches                               */
  bool *whole;          /* [n] timed, and not an operand of other timed nodes alone     */
  bool any;             /* bends                                                        */
  range *r;             /* [n]                                                          */
  double *x;            /* [n]                                                          */
  int *branch[2];       /* [n]                                                          */
  double *scale;        /* [n] largest value between the times of tni_kinks_span; 0: not known */
  const double *place;  /* values of the other variables, NULL: nothing is known of them */
  const tni_path *path; /* NULL, or of every variable: all move with s, which stands for time */
};

/* ---- what depends on time ------------------------------------------------------------------- */

static bool is_straight(const tni_node *a) {
  const tni_table *t = a->table;
  if (a->order > 0) return true; /* of whatever degree: its kinks are those that matter */
  for (int k = 0; k < t->n - 1; k++)
    if (t->c[4*k+2] != 0 || t->c[4*k+3] != 0) return false;
  return true;
}

static bool has_branches(const tni_node *a) {
  switch (a->op) {
    case OP_ABS: case OP_SIGN: case OP_FLOOR: case OP_CEIL: case OP_MOD: case OP_MIN: case OP_MAX: case OP_LT: case OP_LE:
    case OP_SELECT: return true;
    case OP_TABLE: return is_straight(a);
    default: return false;
  }
}

static tn_status make(tni_arena *arena, const tni_expr *e, tni_kinks **out) {
  tni_kinks *k;
  TNI_ARENA_NEW(arena, k, 1);
  k->node = tni_expr_nodes(e, &k->n);
  TNI_ARENA_NEW(arena, k->timed, k->n);
  TNI_ARENA_NEW(arena, k->bends, k->n);
  TNI_ARENA_NEW(arena, k->whole, k->n);
  TNI_ARENA_NEW(arena, k->r, k->n);
  TNI_ARENA_NEW(arena, k->x, k->n);
  TNI_ARENA_NEW(arena, k->scale, k->n);
  for (int i = 0; i < 2; i++) TNI_ARENA_NEW(arena, k->branch[i], k->n);
  *out = k;
  return TN_OK;
}

tn_status tni_kinks_create(tni_arena *arena, const tni_expr *e, int time, const double *place, tni_kinks **out) {
  tni_kinks *k;
  bool *moves;
  *out = NULL;
  if (!tni_expr_uses(e, time)) return TN_OK;
  TN_TRY(make(arena, e, &k));
  k->time = time;
  k->place = place;
  TNI_ARENA_NEW(arena, moves, k->n);
  for (int i = 0; i < k->n; i++) {
    const tni_node *a = &k->node[i];
    k->timed[i] = a->op == OP_VAR && a->variable == time;
    moves[i] = !place && a->op == OP_VAR && a->variable != time;
    for (int j = 0; j < tni_op_arity(a->op); j++) {
      k->timed[i] = k->timed[i] || k->timed[a->arg[j]];
      moves[i] = moves[i] || moves[a->arg[j]];
    }
    if (moves[i]) k->timed[i] = false;
    k->bends[i] = k->timed[i] && has_branches(a);
    k->any = k->any || k->bends[i];
  }
  for (int i = 0; i < k->n; i++)
    for (int j = 0; j < tni_op_arity(k->node[i].op); j++) {
      int a = k->node[i].arg[j];
      if (moves[i]) k->whole[a] = k->timed[a];
    }
  k->whole[k->n-1] = k->timed[k->n-1];
  *out = k;
  return TN_OK;
}

void tni_kinks_place(tni_kinks *k, const double *place) { k->place = place; }

/* ---- along a path ---------------------------------------------------------------------------- */

void tni_path_through(tni_path *p, int i, const double y[TNI_PATH_STATES]) {
  double d1 = y[1] - y[0], d2 = y[2] - 2*y[1] + y[0], d3 = y[3] - 3*y[2] + 3*y[1] - y[0], d4 = y[4] - 4*y[3] + 6*y[2] - 4*y[1] + y[0];
  double *c = p->c[i]; /* Newton's forward differences in 4 s, as powers of s */
  c[0] = y[0];
  c[1] = 4*(d1 - d2/2 + d3/3 - d4/4);
  c[2] = 16*(d2/2 - d3/2 + 11*d4/24);
  c[3] = 64*(d3/6 - d4/4);
  c[4] = 256*d4/24;
}

static double polynomial(const double c[TNI_PATH_STATES], double s) {
  return c[0] + s*(c[1] + s*(c[2] + s*(c[3] + s*c[4])));
}

double tni_path_at(const tni_path *p, double s) {
  double x = polynomial(p->c[0], s);
  if (p->n > 1) x = hypot(hypot(x, polynomial(p->c[1], s)), polynomial(p->c[2], s));
  return x + p->offset;
}

/* by Taylor's expansion in the middle */
static range polynomial_between(const double c[TNI_PATH_STATES], double a, double b) {
  double m = a + 0.5*(b - a), r = 0.5*(b - a), d[TNI_PATH_STATES], lo, hi, power = r;
  memcpy(d, c, sizeof(d));
  for (int i = 0; i < TNI_PATH_STATES; i++)
    for (int j = TNI_PATH_STATES - 2; j >= i; j--) d[j] += m*d[j+1];
  lo = hi = d[0];
  for (int i = 1; i < TNI_PATH_STATES; i++, power *= r) {
    double x = fabs(d[i])*power;
    lo -= i % 2 == 0 && d[i] > 0 ? 0 : x;
    hi += i % 2 == 0 && d[i] < 0 ? 0 : x;
  }
  return (range){lo, hi};
}

static range path_between(const tni_path *p, double a, double b) {
  range r = polynomial_between(p->c[0], a, b);
  if (p->n > 1) {
    double lo = 0, hi = 0;
    for (int i = 0; i < p->n; i++) {
      range x = i ? polynomial_between(p->c[i], a, b) : r;
      double near = x.lo <= 0 && x.hi >= 0 ? 0 : fmin(fabs(x.lo), fabs(x.hi)), far = fmax(fabs(x.lo), fabs(x.hi));
      lo = hypot(lo, near), hi = hypot(hi, far);
    }
    r = (range){lo, hi};
  }
  double round = 4*DBL_EPSILON*fmax(fabs(r.lo), fabs(r.hi));
  return (range){r.lo - round + p->offset, r.hi + round + p->offset};
}

/* ---- at a time ------------------------------------------------------------------------------ */

static int piece_of(const tni_table *t, double x) {
  int lo = 0, hi = t->n; /* points at or before x */
  while (lo < hi) {
    int m = (lo + hi)/2;
    if (t->x[m] <= x) lo = m + 1;
    else hi = m;
  }
  return lo;
}

static int branch_of(const tni_node *a, double y, const double *x) {
  double p = x[a->arg[0]], q = x[a->arg[1]];
  switch (a->op) {
    case OP_ABS: return p < 0;
    case OP_MIN: case OP_MAX: return p < q;
    case OP_SELECT: return p != 0;
    case OP_TABLE: return piece_of(a->table, p);
    case OP_MOD: y = floor(p/q); break;
    default: break; /* the value is the branch */
  }
  return y > INT32_MIN && y < INT32_MAX ? (int)y : 0;
}

static void evaluate(tni_kinks *k, double t, int *branch) {
  for (int i = 0; i < k->n; i++) {
    const tni_node *a = &k->node[i];
    double *x = k->x;
    if (a->op == OP_CONST) x[i] = a->value;
    else if (a->op == OP_VAR && k->path) x[i] = tni_path_at(&k->path[a->variable], t);
    else if (a->op == OP_VAR) x[i] = a->variable == k->time ? t : k->place ? k->place[a->variable] : 0;
    else x[i] = tni_node_value(a, x);
    if (branch) branch[i] = k->bends[i] ? branch_of(a, x[i], x) : 0;
  }
}

/* ---- on any state ---------------------------------------------------------------------------- */

struct tni_branches {
  int n;
  const tni_node *node; /* [n]                                    */
  bool *bends;          /* [n] and depends on more than time       */
  double *x;            /* [n]                                    */
  int *branch[2];       /* [n]                                    */
};

/* the condition of such a choice is a node with branches itself */
static bool chooses_by_truth(const tni_node *node, const tni_node *a) {
  int op = node[a->arg[0]].op;
  return a->op == OP_SELECT && (op == OP_LT || op == OP_LE || op == OP_AND || op == OP_OR || op == OP_NOT || op == OP_EQ);
}

tn_status tni_branches_create(tni_arena *arena, const tni_expr *e, int time, tni_branches **out) {
  tni_branches *b;
  bool *moves, any = false;
  *out = NULL;
  TNI_ARENA_NEW(arena, b, 1);
  b->node = tni_expr_nodes(e, &b->n);
  TNI_ARENA_NEW(arena, moves, b->n);
  TNI_ARENA_NEW(arena, b->bends, b->n);
  TNI_ARENA_NEW(arena, b->x, b->n);
  for (int i = 0; i < 2; i++) TNI_ARENA_NEW(arena, b->branch[i], b->n);
  for (int i = 0; i < b->n; i++) {
    const tni_node *a = &b->node[i];
    moves[i] = a->op == OP_VAR && a->variable != time;
    for (int j = 0; j < tni_op_arity(a->op); j++) moves[i] = moves[i] || moves[a->arg[j]];
    b->bends[i] = moves[i] && has_branches(a) && !chooses_by_truth(b->node, a);
    any = any || b->bends[i];
  }
  if (any) *out = b;
  return TN_OK;
}

void tni_branches_look(tni_branches *b, const double *vars, int state) {
  for (int i = 0; i < b->n; i++) {
    const tni_node *a = &b->node[i];
    b->x[i] = a->op == OP_CONST ? a->value : a->op == OP_VAR ? vars[a->variable] : tni_node_value(a, b->x);
    b->branch[state][i] = b->bends[i] ? branch_of(a, b->x[i], b->x) : 0;
  }
}

bool tni_branches_differ(const tni_branches *b) { return memcmp(b->branch[0], b->branch[1], (size_t)b->n*sizeof(int)) != 0; }

double tni_kinks_value(tni_kinks *k, double s) {
  evaluate(k, s, NULL);
  return k->x[k->n-1];
}

static bool changes(tni_kinks *k, double a, double b) {
  evaluate(k, a, k->branch[0]);
  evaluate(k, b, k->branch[1]);
  return memcmp(k->branch[0], k->branch[1], (size_t)k->n*sizeof(int)) != 0;
}

/* ---- in an interval ------------------------------------------------------------------------- */

static const range ALL = {-INFINITY, INFINITY};

static range hull(range a, range b) { return (range){fmin(a.lo, b.lo), fmax(a.hi, b.hi)}; }

/* nan comes of limits that meet (inf - inf, 0 inf): nothing is known then */
static range known(double lo, double hi) { return lo <= hi ? (range){lo, hi} : ALL; }

static range product(range a, range b) {
  double p[4] = {a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi}, lo = p[0], hi = p[0];
  for (int i = 0; i < 4; i++) {
    if (p[i] != p[i]) return ALL;
    lo = fmin(lo, p[i]), hi = fmax(hi, p[i]);
  }
  return (range){lo, hi};
}

/* cos over [lo, hi] */
static range cosine(range a) {
  static const double TURN = 6.283185307179586;
  if (!(a.hi - a.lo < TURN)) return (range){-1, 1};
  double c0 = cos(a.lo), c1 = cos(a.hi), k = floor(a.lo/TURN);
  range r = {fmin(c0, c1), fmax(c0, c1)};
  for (int i = 0; i < 3; i++) {
    if ((k + i)*TURN >= a.lo && (k + i)*TURN <= a.hi) r.hi = 1;
    if ((k + i + 0.5)*TURN >= a.lo && (k + i + 0.5)*TURN <= a.hi) r.lo = -1;
  }
  return r;
}

static range power(range a, range b) {
  if (b.lo == b.hi && floor(b.lo) == b.lo && fabs(b.lo) < 1e6) {
    double p = pow(a.lo, b.lo), q = pow(a.hi, b.lo);
    bool even = fmod(b.lo, 2) == 0, through = a.lo <= 0 && a.hi >= 0;
    if (through && b.lo < 0) return even ? known(fmin(p, q), INFINITY) : ALL;
    range r = known(fmin(p, q), fmax(p, q));
    if (through && even) r.lo = 0;
    return r;
  }
  if (!(a.lo >= 0)) return ALL;
  double p[4] = {pow(a.lo, b.lo), pow(a.lo, b.hi), pow(a.hi, b.lo), pow(a.hi, b.hi)};
  range r = {p[0], p[0]};
  for (int i = 1; i < 4; i++) r = hull(r, (range){p[i], p[i]});
  return r;
}

/* straight tables by their points inside, other ones from the values and slopes at the ends of pieces */
static range of_table(const tni_node *a, range x) {
  const tni_table *t = a->table;
  if (a->order > 0 || !isfinite(x.lo) || !isfinite(x.hi)) return ALL;
  double y0 = tni_table_eval(t, x.lo, 0), y1 = tni_table_eval(t, x.hi, 0);
  range r = {fmin(y0, y1), fmax(y0, y1)};
  int first = piece_of(t, x.lo), last = piece_of(t, x.hi);
  for (int k = first; k < last; k++) r = hull(r, (range){tni_table_eval(t, t->x[k], 0), tni_table_eval(t, t->x[k], 0)});
  for (int k = first > 0 ? first - 1 : 0; k < last && k < t->n - 1; k++) {
    const double *c = t->c + 4*k;
    if (c[2] == 0 && c[3] == 0) continue;
    double h = t->x[k+1] - t->x[k]; /* within the hull of its Bezier points */
    for (int i = 0; i < 4; i++) {
      double b = i == 0 ? c[0] : i == 1 ? c[0] + c[1]*h/3 : i == 2 ? c[0] + 2*c[1]*h/3 + c[2]*h*h/3 : c[0] + c[1]*h + c[2]*h*h + c[3]*h*h*h;
      r = hull(r, (range){b, b});
    }
  }
  return r;
}

static range truth(bool surely, bool surely_not) { return surely ? (range){1, 1} : surely_not ? (range){0, 0} : (range){0, 1}; }

static bool is_zero(range a) { return a.lo == 0 && a.hi == 0; }
static bool not_zero(range a) { return a.lo > 0 || a.hi < 0; }

static range of_monotone(double (*f)(double), range a) { return known(f(a.lo), f(a.hi)); }
static double log_or_less(double x) { return x > 0 ? log(x) : -INFINITY; }
static double log10_or_less(double x) { return x > 0 ? log10(x) : -INFINITY; }
static double sqrt_or_0(double x) { return x > 0 ? sqrt(x) : 0; }

static range of_node(const tni_node *a, const range *r) {
  range x = r[a->arg[0]], y = r[a->arg[1]], z = r[a->arg[2]];
  switch (a->op) {
    case OP_TABLE: return of_table(a, x);
    case OP_NEG: return (range){-x.hi, -x.lo};
    case OP_NOT: return truth(is_zero(x), not_zero(x));
    case OP_SIN: return cosine((range){x.lo - 1.5707963267948966, x.hi - 1.5707963267948966});
    case OP_COS: return cosine(x);
    case OP_TAN: return cos(x.lo)*cos(x.hi) > 0 && x.hi - x.lo < 3 ? of_monotone(tan, x) : ALL;
    case OP_ASIN: return of_monotone(asin, (range){fmax(x.lo, -1), fmin(x.hi, 1)});
    case OP_ACOS: return known(acos(fmin(x.hi, 1)), acos(fmax(x.lo, -1)));
    case OP_ATAN: return of_monotone(atan, x);
    case OP_SINH: return of_monotone(sinh, x);
    case OP_COSH: return known(x.lo <= 0 && x.hi >= 0 ? 1 : fmin(cosh(x.lo), cosh(x.hi)), fmax(cosh(x.lo), cosh(x.hi)));
    case OP_TANH: return of_monotone(tanh, x);
    case OP_EXP: return of_monotone(exp, x);
    case OP_LOG: return of_monotone(log_or_less, x);
    case OP_LOG10: return of_monotone(log10_or_less, x);
    case OP_SQRT: return of_monotone(sqrt_or_0, x);
    case OP_CBRT: return of_monotone(cbrt, x);
    case OP_ABS: return known(x.lo <= 0 && x.hi >= 0 ? 0 : fmin(fabs(x.lo), fabs(x.hi)), fmax(fabs(x.lo), fabs(x.hi)));
    case OP_SIGN: return known((x.lo > 0) - (x.lo < 0), (x.hi > 0) - (x.hi < 0));
    case OP_FLOOR: return of_monotone(floor, x);
    case OP_CEIL: return of_monotone(ceil, x);
    case OP_ADD: return known(x.lo + y.lo, x.hi + y.hi);
    case OP_SUB: return known(x.lo - y.hi, x.hi - y.lo);
    case OP_MUL: return a->arg[0] == a->arg[1] ? power(x, (range){2, 2}) : product(x, y);
    case OP_DIV: return not_zero(y) ? product(x, (range){1/y.hi, 1/y.lo}) : ALL;
    case OP_POW: return power(x, y);
    case OP_ATAN2: /* in front of the axis it rises with x, and falls with y where x is above 0 */
      if (y.lo > 0) return known(atan2(x.lo, x.lo >= 0 ? y.hi : y.lo), atan2(x.hi, x.hi >= 0 ? y.lo : y.hi));
      return (range){-3.141592653589794, 3.141592653589794};
    case OP_HYPOT: {
      range p = of_node(&(tni_node){.op = OP_ABS}, &x), q = of_node(&(tni_node){.op = OP_ABS}, &y);
      return known(hypot(p.lo, q.lo), hypot(p.hi, q.hi));
    }
    case OP_MOD:
      if (y.lo == y.hi && floor(x.lo/y.lo) == floor(x.hi/y.lo)) {
        double k = y.lo*floor(x.lo/y.lo);
        return known(x.lo - k, x.hi - k);
      }
      return known(fmin(y.lo, 0), fmax(y.hi, 0));
    case OP_MIN: return (range){fmin(x.lo, y.lo), fmin(x.hi, y.hi)};
    case OP_MAX: return (range){fmax(x.lo, y.lo), fmax(x.hi, y.hi)};
    case OP_LT: return truth(x.hi < y.lo, x.lo >= y.hi);
    case OP_LE: return truth(x.hi <= y.lo, x.lo > y.hi);
    case OP_EQ: return truth(false, x.hi < y.lo || x.lo > y.hi);
    case OP_AND: return truth(not_zero(x) && not_zero(y), is_zero(x) || is_zero(y));
    case OP_OR: return truth(not_zero(x) || not_zero(y), is_zero(x) && is_zero(y));
    case OP_SELECT: return not_zero(x) ? y : is_zero(x) ? z : hull(y, z);
    default: return ALL;
  }
}

/* cannot change its branch */
static bool stays(const tni_node *a, range y, const range *r) {
  range p = r[a->arg[0]], q = r[a->arg[1]];
  switch (a->op) {
    case OP_ABS: return p.lo >= 0 || p.hi < 0;
    case OP_MIN: case OP_MAX: return p.hi < q.lo || p.lo >= q.hi;
    case OP_SELECT: return not_zero(p) || is_zero(p);
    case OP_TABLE: return piece_of(a->table, p.lo) == piece_of(a->table, p.hi);
    case OP_MOD: return q.lo == q.hi && floor(p.lo/q.lo) == floor(p.hi/q.lo);
    default: return y.lo == y.hi;
  }
}

/* enclosures of all timed nodes; can any of them change its branch? */
static bool enclose(tni_kinks *k, double a, double b) {
  bool may = false;
  for (int i = 0; i < k->n; i++) {
    const tni_node *e = &k->node[i];
    if (e->op == OP_CONST) k->r[i] = (range){e->value, e->value};
    else if (e->op == OP_VAR && k->path) k->r[i] = path_between(&k->path[e->variable], a, b);
    else if (e->op == OP_VAR && e->variable == k->time) k->r[i] = (range){a, b};
    else if (e->op == OP_VAR) k->r[i] = k->place ? (range){k->place[e->variable], k->place[e->variable]} : ALL;
    else k->r[i] = of_node(e, k->r);
    may = may || (k->bends[i] && !stays(e, k->r[i], k->r));
  }
  return may;
}

/* ---- of a path: kinks.h ----------------------------------------------------------------------- */

/* large, or steep, at one place of its operands alone */
static bool is_local(const tni_kinks *k, const tni_node *a) {
  switch (a->op) {
    case OP_EXP: case OP_TANH: case OP_ATAN: return true;
    case OP_DIV: return k->timed[a->arg[1]];
    case OP_POW: return k->timed[a->arg[1]] || k->node[a->arg[1]].value < 0;
    case OP_TABLE: return !is_straight(a);
    default: return false;
  }
}

tn_status tni_kinks_create_along(tni_arena *arena, const tni_expr *e, const tni_path *path, tni_kinks **out) {
  tni_kinks *k;
  bool any = false;
  *out = NULL;
  TN_TRY(make(arena, e, &k));
  k->path = path;
  for (int i = 0; i < k->n; i++) {
    const tni_node *a = &k->node[i];
    bool sum = a->op == OP_ADD || a->op == OP_SUB || a->op == OP_MUL, local = false;
    int moving = 0;
    k->timed[i] = a->op == OP_VAR;
    for (int j = 0; j < tni_op_arity(a->op); j++) {
      k->timed[i] = k->timed[i] || k->timed[a->arg[j]];
      moving += k->timed[a->arg[j]];
      local = local || k->whole[a->arg[j]];
    }
    k->bends[i] = k->timed[i] && has_branches(a);
    k->any = k->any || k->bends[i];
    /* what is made of such parts may be one where each by itself is not: the difference of two slopes */
    k->whole[i] = k->timed[i] && (is_local(k, a) || (sum && local && moving > 1));
    any = any || k->whole[i];
  }
  if (!any && !k->any) return TN_OK;
  for (int i = 0; i < k->n; i++) {
    const tni_node *a = &k->node[i];
    k->r[i] = a->op == OP_CONST ? (range){a->value, a->value} : a->op == OP_VAR ? ALL : of_node(a, k->r);
    double most = fmax(fabs(k->r[i].lo), fabs(k->r[i].hi));
    k->scale[i] = isfinite(most) ? most : 0;
  }
  *out = k;
  return TN_OK;
}

/* ---- the next kink --------------------------------------------------------------------------- */

/* branches differ at a and b: the last time as at a, the first one that is not */
static void close_in(tni_kinks *k, double a, double b, double *before, double *after) {
  for (;;) {
    double m = a + 0.5*(b - a);
    if (!(m > a && m < b)) break;
    if (changes(k, a, m)) b = m;
    else a = m;
  }
  double ulp = DBL_EPSILON*fmax(fabs(a), fabs(b));
  *before = a - MARGIN*ulp;
  *after = b + MARGIN*ulp;
}

static bool look_by_points(tni_kinks *k, double a, double b, double *before, double *after) {
  for (int i = 0; i < POINTS; i++) {
    double p = a + (b - a)*i/POINTS, q = i + 1 < POINTS ? a + (b - a)*(i + 1)/POINTS : b;
    if (!changes(k, p, q)) continue;
    close_in(k, p, q, before, after);
    return true;
  }
  return false;
}

bool tni_kinks_next(tni_kinks *k, double from, double to, double *before, double *after) {
  double end[DEPTH], a = from; /* ends of the intervals still to be looked at, the next one last */
  int n = 0, tries = 0;
  if (!k->any || !(to > from)) return false;
  end[n++] = to;
  while (n > 0) {
    double b = end[n-1];
    if (tries++ > MOST_TRIES) return look_by_points(k, a, to, before, after);
    if (!enclose(k, a, b)) {
      a = b;
      n--;
      continue;
    }
    if (b - a <= SHORT*fmax(fabs(b), to - from) || n == DEPTH) {
      if (changes(k, a, b)) {
        close_in(k, a, b, before, after);
        if (*after > from && *before > from) return true;
      }
      a = b;
      n--;
      continue;
    }
    end[n++] = a + 0.5*(b - a);
  }
  return false;
}

void tni_kinks_span(tni_kinks *k, double from, double to) {
  enclose(k, from, to);
  for (int i = 0; i < k->n; i++) {
    double most = fmax(fabs(k->r[i].lo), fabs(k->r[i].hi));
    k->scale[i] = fmax(k->place ? k->scale[i] : 0, isfinite(most) ? most : 0);
  }
}

bool tni_kinks_bounded(const tni_kinks *k) {
  for (int i = 0; i < k->n; i++)
    if (k->whole[i] && k->node[i].op != OP_VAR && !(k->scale[i] > 0)) return false;
  return true;
}

/* ---- what is hidden -------------------------------------------------------------------------- */

/* The part i alone: intervals whose enclosures lie within are done, the others are halved, the one that reaches furthest first. Along a path
 * nothing may be known of how large it can become: what is found first may be the foot of a pulse, and the search goes on for its top. */
static bool hides(tni_kinks *k, int i, double a, double b, double lo, double hi, double *at) {
  struct { double a, b, out; } open[HIDDEN_TRIES + 2];
  int n = 0;
  bool found = false;
  open[n].a = a, open[n].b = b, open[n++].out = INFINITY;
  for (int tries = 0; n > 0 && tries < HIDDEN_TRIES; tries++) {
    int most = 0;
    for (int j = 1; j < n; j++)
      if (open[j].out > open[most].out) most = j;
    double p = open[most].a, q = open[most].b, m = p + 0.5*(q - p);
    open[most] = open[--n];
    if (!(m > p && m < q)) continue;
    evaluate(k, m, NULL);
    if (k->x[i] < lo || k->x[i] > hi) {
      *at = m;
      if (!k->path) return true;
      found = true;
      lo = fmin(lo, k->x[i]), hi = fmax(hi, k->x[i]);
    }
    for (int half = 0; half < 2; half++) {
      double l = half ? m : p, r = half ? q : m;
      enclose(k, l, r);
      double out = fmax(lo - k->r[i].lo, k->r[i].hi - hi);
      if (out > 0) open[n].a = l, open[n].b = r, open[n++].out = out;
    }
  }
  return found;
}

/* Samples that stand out from what most of them say, the ends among these: a pulse of which a step sees little. */
static bool stands_out(const double y[SEEN], double small, int *which) {
  double x[SEEN];
  for (int i = 0; i < SEEN; i++) {
    int j = i;
    for (; j > 0 && x[j-1] > y[i]; j--) x[j] = x[j-1];
    x[j] = y[i];
  }
  int from = 0;
  for (int i = 1; i + MOST <= SEEN; i++)
    if (x[i+MOST-1] - x[i] < x[from+MOST-1] - x[from]) from = i;
  double lo = x[from], hi = x[from+MOST-1], room = 4*(hi - lo) + small;
  lo -= room, hi += room;
  if (y[0] < lo || y[0] > hi || y[SEEN-1] < lo || y[SEEN-1] > hi) return false;
  for (*which = 1; *which < SEEN - 1; ++*which)
    if (y[*which] < lo || y[*which] > hi) return true;
  return false;
}

/* what the line through the ends (seen 2), or the parabola through the middle as well (3), does not say */
static bool bulges(const double y[SEEN], int seen, double span, double small, int *which) {
  double bow = seen > 2 ? y[SEEN/2] - 0.5*(y[0] + y[SEEN-1]) : 0;
  for (*which = 1; *which < SEEN - 1; ++*which) {
    double x = (double)*which/(SEEN - 1);
    if (fabs(y[*which] - y[0] - (y[SEEN-1] - y[0])*x - 4*bow*x*(1 - x)) > 0.5*span + small) return true;
  }
  return false;
}

bool tni_kinks_hides(tni_kinks *k, double a, double b, int seen, double *at) {
  int which;
  for (int i = 0; i < k->n; i++) {
    if (!k->whole[i] || k->node[i].op == OP_VAR) continue;
    double y[SEEN], lo = INFINITY, hi = -INFINITY;
    for (int j = 0; j < SEEN; j++) {
      evaluate(k, a + (b - a)*j/(SEEN - 1), NULL);
      y[j] = k->x[i];
      lo = fmin(lo, y[j]), hi = fmax(hi, y[j]);
    }
    double small = SMALL*fmax(k->scale[i], fmax(fabs(lo), fabs(hi))), room = hi - lo + small;
    if (stands_out(y, small, &which) || (seen > 0 && bulges(y, seen, hi - lo, BOW/SMALL*small, &which))) {
      *at = a + (b - a)*which/(SEEN - 1);
      return true;
    }
    if (hides(k, i, a, b, lo - room, hi + room, at)) return true;
  }
  return false;
}
