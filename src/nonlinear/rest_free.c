/* nonlinear/rest_free.c - motions without stiffness, found and named
 *
 * X := K^-1 D X, which grows by one over the least eigenvalues; D the stiffness of each unknown by itself, as the solver has it. One vector tells
 * whether there are any.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_free.h"

#include <math.h>
#include <stdio.h>

#include "system/parts.h"

enum { FREE_MOST = 6, FREE_ROUNDS = 3, FREE_ROUNDS_MANY = 7 };
/* A motion that resists less than `least` in units of its unknowns' own stiffness has none. LU of such a matrix goes through, on rounding, and
 * what its solutions grow by is rounding too, of one size with what slender structures grow by: FREE_SEEN only names who is looked at, and
 * the work that the motion takes decides, which errors of it change in second order. */
static const double FREE_SEEN = 1e-3;

/* x [nv]: of which structure or body, along or about what */
void tni_rest_name_motion(const tni_data *s, const double *x, char *out, size_t n) {
  int best = 0;
  for (int i = 1; i < s->nv; i++)
    if (fabs(x[i]) > fabs(x[best])) best = i;
  int unknown, part = tni_parts_owner(s, best, &unknown);
  if (part < 0) {
    tni_dof_name(s, best, out, n);
    return;
  }
  /* share of translations: mean by mass against the whole */
  static const char *const axis[3] = {"x", "y", "z"};
  const tni_part *p = &s->parts->part[part];
  const double *y = x + s->parts->v0 + s->parts->at[part];
  double mean[3] = {0}, mass[3] = {0}, whole = 0;
  for (int i = 0; i < p->nv; i++) {
    int c = p->role[i];
    if (c >= 3) continue;
    mean[c] += p->mass[i]*y[i];
    mass[c] += p->mass[i];
    whole += p->mass[i]*y[i]*y[i];
  }
  int most = 0;
  double along = 0;
  for (int c = 0; c < 3; c++) {
    double e = mass[c] > 0 ? mean[c]*mean[c]/mass[c] : 0;
    if (e > along) along = e, most = c;
  }
  char where[96];
  p->ops->label(p, unknown, where, sizeof(where));
  if (along > 0.9*whole) snprintf(out, n, "structure '%s' along %s", p->name, axis[most]);
  else snprintf(out, n, "structure '%s', turning or folding, most at %s", p->name, where);
}

/* stiffness of an unknown by itself, and its root */
static double own(const tni_rest_stiffness *w, size_t i) { return w->size ? w->size[i] : w->scale[i]*w->scale[i]; }
static double root(const tni_rest_stiffness *w, size_t i) { return w->size ? sqrt(w->size[i]) : w->scale[i]; }

/* x . K x, in units of the stiffness that each unknown has by itself when x has length one there */
static double resistance(const tni_rest_stiffness *w, const double *x) {
  const tni_sparsity *p = w->s->square;
  double sum = 0;
  for (int r = 0; r < w->s->nv; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++)
      sum += w->K[k]*x[r]*x[p->col[k]]*(w->size ? 1 : w->scale[r]*w->scale[p->col[k]]);
  return fabs(sum);
}

/* vector k of x off those before it, of length one; growth: the length it had */
static void straighten(const tni_rest_stiffness *w, double *x, int k, double *growth) {
  size_t n = (size_t)w->s->nv;
  double *y = x + (size_t)k*n, sum = 0;
  for (int j = 0; j < 2*k; j++) { /* twice is enough */
    const double *z = x + (size_t)(j % k)*n;
    double along = 0;
    for (size_t i = 0; i < n; i++) along += y[i]*z[i]*own(w, i);
    for (size_t i = 0; i < n; i++) y[i] -= along*z[i];
  }
  for (size_t i = 0; i < n; i++) sum += y[i]*y[i]*own(w, i);
  *growth = sqrt(sum);
  for (size_t i = 0; i < n && sum > 0; i++) y[i] /= *growth;
}

/* as different from each other as can be: each has an unknown that the others leave alone */
static void tell_apart(const tni_rest_stiffness *w, int count, double *x) {
  size_t n = (size_t)w->s->nv;
  for (int k = 0; k < count; k++) {
    double *y = x + (size_t)k*n, most_of = -1;
    size_t p = 0;
    for (size_t i = 0; i < n; i++) {
      double part = fabs(y[i])*root(w, i);
      if (part > most_of) most_of = part, p = i;
    }
    for (int j = 0; j < count; j++) {
      double f = j == k || y[p] == 0 ? 0 : x[(size_t)j*n + p]/y[p];
      for (size_t i = 0; i < n && f != 0; i++) x[(size_t)j*n + i] -= f*y[i];
    }
  }
}

void tni_rest_list_motions(const tni_data *s, int count, const double *x, char *out, size_t size) {
  size_t at = 0;
  for (int k = 0; k < count && at < size; k++) {
    char name[160];
    tni_rest_name_motion(s, x + (size_t)k*(size_t)s->nv, name, sizeof(name));
    at += (size_t)snprintf(out + at, size - at, "%s%s", k ? ", " : "", name);
  }
}

tn_status tni_rest_find_free(const tni_rest_stiffness *w, double least, tni_rest_report *rep) {
  size_t n = (size_t)w->s->nv;
  double *x = tni_doubles(w->s->ctx, FREE_MOST*n), growth[FREE_MOST] = {0};
  uint64_t seed = 20;
  if (!x) return tni_out_of_memory(w->s->ctx);
  int most = 1, count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < (size_t)most*n; i++) {
      seed = seed*6364136223846793005u + 1442695040888963407u;
      x[i] = (double)(seed >> 11)/9007199254740992.0 - 0.5;
      x[i] /= root(w, i % n);
    }
    for (int round = 0, rounds = pass ? FREE_ROUNDS_MANY : FREE_ROUNDS; round < rounds; round++) {
      for (int k = 0; k < most; k++) straighten(w, x, k, &growth[k]);
      if (round + 1 == rounds) break;
      for (size_t i = 0; i < (size_t)most*n; i++) x[i] *= own(w, i % n);
      w->apply(w->solver, most, x);
    }
    for (count = 0; count < most && !(growth[count] < FREE_SEEN/least); count++) {
      if (isfinite(growth[count]) && resistance(w, x + (size_t)count*n) > least) break;
    }
    if (count == 0) break;
    most = w->s->nv < FREE_MOST ? w->s->nv : FREE_MOST;
  }
  rep->free = count;
  tell_apart(w, count, x);
  tni_rest_list_motions(w->s, count, x, rep->free_names, sizeof(rep->free_names));
  tni_free(w->s->ctx, x);
  return TN_OK;
}
