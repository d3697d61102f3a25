/* system/conflict.c - which prescribed motions contradict each other, for messages
 *
 * Rows that depend on each other, C^T z = 0, can be met at all times only if z.phi, z.phi_t and
 * z.gamma vanish. With the null vectors Z of the present position and what time adds to the rows,
 *
 *   tau = phi(t, q) at the start, phi_t, or phi(t + dt, q) - phi(t, q),      c = Z Z^T tau
 *
 * c is the part of tau that no motion takes up. The rows where it is not zero contradict each other;
 * if row r alone were changed, it would have to be by |c|^2/|c_r|.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "system/system.h"

/* smaller parts are rounding of phi and of Z */
static const double NOTHING = 1e-9, RATE_NOTHING = 1e-6, TINY = 1e-13, SMALL_PART = 1e-3;
enum { MAX_NAMES = 4 };

typedef struct {
  tni_data *s;
  double *tau, *c;
  double size2; /* |c|^2 */
} conflict;

/* c from tau; false: no contradiction */
static bool contradicts(conflict *x, double least) {
  const tni_rank *rank = x->s->rank;
  int m = x->s->m;
  memset(x->c, 0, (size_t)m*sizeof(double));
  for (int k = 0; k < rank->nnull; k++) {
    const double *z = rank->null + (size_t)k*(size_t)m;
    double dot = 0;
    for (int r = 0; r < m; r++) dot += z[r]*x->tau[r];
    for (int r = 0; r < m; r++) x->c[r] += dot*z[r];
  }
  x->size2 = 0;
  for (int r = 0; r < m; r++) x->size2 += x->c[r]*x->c[r];
  return sqrt(x->size2) > least;
}

static bool is_drive(const tni_data *s, int row) {
  return s->model->joint[s->model->con[s->row_con[row]].joint].is_drive;
}

/* Names of the drives among the rows of c; amount: by how much the last of them had to change.
 * Returns how many. */
static int name_drives(const conflict *x, char *out, size_t n, double *amount, const char **unit) {
  const tn_model *model = x->s->model;
  double most = 0;
  int count = 0, last = -1, joint = -1;
  for (int r = 0; r < x->s->m; r++)
    if (is_drive(x->s, r)) most = fmax(most, fabs(x->c[r]));
  for (int r = 0; r < x->s->m; r++) {
    if (!is_drive(x->s, r) || !(fabs(x->c[r]) > SMALL_PART*most)) continue;
    const tni_con *con = &model->con[x->s->row_con[r]];
    last = r;
    if (con->joint == joint) continue;
    joint = con->joint;
    size_t used = strlen(out);
    if (count < MAX_NAMES)
      snprintf(out + used, n - used, "%s'%s'", count > 0 ? ", " : "", model->joint[joint].name);
    count++;
  }
  if (last < 0) return 0;
  if (count == 1) snprintf(out + strlen(out), n - strlen(out), " and the joints");
  *amount = x->size2/fabs(x->c[last]);
  const tni_con *con = &model->con[x->s->row_con[last]];
  *unit = con->nonholonomic ? "" : con->rowunit[0];
  return count;
}

/* the sentence for a contradiction, of rates or positions, at t */
static bool describe(const conflict *x, bool rates, double t, char *out, size_t n) {
  char names[200] = "";
  const char *unit = "";
  double amount = 0;
  int count = name_drives(x, names, sizeof(names), &amount, &unit);
  if (count == 0) return false;
  snprintf(out, n, "prescribed motion%s %s contradict each other: %s by %.3g %s%s at t = %.6g s; "
           "change or remove one", count > 1 ? "s" : "", names, count > 1 ? "they differ" : "off",
           amount, unit, rates ? "/s" : "", t);
  return true;
}

static bool find_conflict(tni_data *s, double t, double dt, const double *q, tni_arena *arena,
                          char *out, size_t n) {
  size_t m = (size_t)s->m;
  double *now = tni_arena_alloc(arena, m, sizeof(double));
  double *v = tni_arena_alloc(arena, (size_t)s->nv, sizeof(double));
  conflict x = {.s = s, .tau = tni_arena_alloc(arena, m, sizeof(double)),
                .c = tni_arena_alloc(arena, m, sizeof(double))};
  if (!now || !v || !x.tau || !x.c) return false;
  tni_eval_phi(s, t, q, x.tau);
  if (contradicts(&x, NOTHING)) return describe(&x, false, t, out, n);
  tni_eval_rate(s, t, q, v, x.tau);
  if (contradicts(&x, RATE_NOTHING)) return describe(&x, true, t, out, n);
  if (!(dt > 0)) return false;
  tni_eval_phi(s, t, q, now);
  tni_eval_phi(s, t + dt, q, x.tau);
  for (size_t r = 0; r < m; r++) x.tau[r] -= now[r];
  if (contradicts(&x, TINY)) return describe(&x, false, t + dt, out, n);
  tni_eval_rate(s, t, q, v, now);
  tni_eval_rate(s, t + dt, q, v, x.tau);
  for (size_t r = 0; r < m; r++) x.tau[r] -= now[r];
  return contradicts(&x, TINY) && describe(&x, true, t + dt, out, n);
}

bool tni_system_conflict(tni_data *s, double t, double dt, const double *q, char *out, size_t n) {
  bool drives = false;
  if (!s->model || !s->row_con || !s->ops->update_rank) return false; /* no mechanism behind it */
  for (int r = 0; r < s->m; r++) drives = drives || is_drive(s, r);
  if (!drives || tni_update_rank(s, t, q) != TN_OK || s->rank->nnull == 0) return false;
  tni_arena arena;
  tni_arena_init(&arena, s->ctx);
  bool found = find_conflict(s, t, dt, q, &arena, out, n);
  tni_arena_clear(&arena);
  return found;
}
