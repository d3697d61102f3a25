/* forces/load.c - force F at a point of a body and torque T on it
 *
 * Components of F and T are functions of t and measured quantities, in ground axes or in the axes
 * of the body; below F and T are in ground axes. With the point P = r + A s:
 *
 *   body           force F      torque (body axes)  A^T ((P - r) x F + T)
 *   reaction on    force -F     torque             -A1^T ((P - r1) x F + T)     at the same P
 *
 * so that the pair has neither resultant nor moment. The map (F, T) -> f is linear; K adds to it,
 * column by column of dF and dT, what the map itself changes with the poses.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/load.h"

typedef struct {
  int slot[2];      /* loaded body, reaction body; -1: none           */
  double s[3];      /* the point, body components                     */
  bool in_body;     /* components along the axes of the loaded body   */
  bool has[2];      /* force, torque                                  */
  double R[9];      /* components -> axes of the ground or of the body: turned and scaled */
  bool mapped;      /* R is not 1                                     */
  tni_use use[2][3];
} load;

typedef struct {
  const tni_kin *k[2];
  double arm[2][3]; /* P - r of both bodies, ground */
  double As[3];     /* A s                          */
} geometry;

static void load_geometry(const load *d, const tni_force *force, const tni_env *env,
                          geometry *g) {
  g->k[0] = &env->kin[force->body[d->slot[0]] + 1];
  g->k[1] = d->slot[1] >= 0 ? &env->kin[force->body[d->slot[1]] + 1] : g->k[0];
  mat3_vec(g->As, g->k[0]->A, d->s);
  vec3_copy(g->arm[0], g->As);
  for (int i = 0; i < 3; i++) g->arm[1][i] = g->k[0]->r[i] + g->As[i] - g->k[1]->r[i];
}

/* f of both bodies from F, T in ground axes, added with stride n */
static void distribute(const load *d, const geometry *g, const double F[3], const double T[3],
                       double *f, int n) {
  for (int i = 0; i < 2; i++) {
    if (d->slot[i] < 0) continue;
    double moment[3], sign = i ? -1 : 1;
    vec3_cross(moment, g->arm[i], F);
    vec3_add(moment, moment, T);
    mat3_tvec(moment, g->k[i]->A, moment);
    for (int c = 0; c < 3; c++) {
      f[(6*d->slot[i]+c)*n] += sign*F[c];
      f[(6*d->slot[i]+3+c)*n] += sign*moment[c];
    }
  }
}

/* what the map (F, T) -> f changes with the poses while F, T stay: added to K */
static void add_geometric(const load *d, const geometry *g, int n, const double F[3],
                          const double *f, double *K) {
  static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double x[3], m[3];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 2; i++) {
      if (d->slot[i] < 0) continue;
      int row = 6*d->slot[i] + 3, own = 6*d->slot[i];
      double sign = i ? -1 : 1;
      /* P moves with the turning of the loaded body: A (e_j x s) */
      vec3_cross(x, e[j], d->s);
      mat3_vec(x, g->k[0]->A, x);
      vec3_cross(m, x, F);
      mat3_tvec(m, g->k[i]->A, m);
      for (int c = 0; c < 3; c++) K[(row+c)*n + 6*d->slot[0]+3+j] += sign*m[c];
      /* turning of the body itself: its components turn back */
      vec3_cross(m, e[j], f + row);
      for (int c = 0; c < 3; c++) K[(row+c)*n + own+3+j] -= m[c];
      if (i == 0) continue;
      /* the arm P - r1 of the reaction */
      vec3_cross(m, e[j], F);
      mat3_tvec(m, g->k[1]->A, m);
      for (int c = 0; c < 3; c++) {
        K[(row+c)*n + 6*d->slot[0]+j] -= m[c];
        K[(row+c)*n + own+j] += m[c];
      }
    }
  }
}

/* components -> ground axes; the gradients [3][n] likewise, with the turning of the axes */
static void to_ground(const load *d, const geometry *g, int n, double F[3],
                      double dF[2][3*TNI_MAXCOL], bool tangent) {
  static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double x[3];
  if (tangent) {
    for (int level = 0; level < 2; level++) {
      double *G = dF[level];
      for (int c = 0; c < n; c++) {
        vec3_set(x, G[c], G[n+c], G[2*n+c]);
        mat3_vec(x, g->k[0]->A, x);
        G[c] = x[0], G[n+c] = x[1], G[2*n+c] = x[2];
      }
    }
    for (int j = 0; j < 3; j++) {
      vec3_cross(x, e[j], F);
      mat3_vec(x, g->k[0]->A, x);
      for (int i = 0; i < 3; i++) dF[0][i*n + 6*d->slot[0]+3+j] += x[i];
    }
  }
  mat3_vec(F, g->k[0]->A, F);
}

/* x := R x for a vector with stride n */
static void map_vector(const double R[9], double *x, int n) {
  double y[3] = {x[0], x[n], x[2*n]};
  mat3_vec(y, R, y);
  x[0] = y[0], x[n] = y[1], x[2*n] = y[2];
}

static void load_eval(const tni_force *force, const tni_env *env, unsigned what,
                      tni_force_out *out) {
  const load *d = force->data;
  bool tangent = what & TNI_F_TANGENT;
  int n = 6*force->nbody;
  double F[2][3] = {{0}, {0}}, F_t[2][3] = {{0}, {0}};
  double dF[2][2][3*TNI_MAXCOL]; /* [force, torque][along q, along v][3][n] */
  geometry g;
  tni_force_clear(force, what, out);
  load_geometry(d, force, env, &g);
  if (tangent) memset(dF, 0, sizeof(dF));
  for (int k = 0; k < 2; k++) {
    if (!d->has[k]) continue;
    for (int c = 0; c < 3; c++)
      F[k][c] = tni_use_eval(&d->use[k][c], env, 1, tangent ? &dF[k][0][c*n] : NULL,
                             tangent ? &dF[k][1][c*n] : NULL, &F_t[k][c]);
    if (d->mapped) {
      map_vector(d->R, F[k], 1);
      map_vector(d->R, F_t[k], 1);
      for (int level = 0; level < 2 && tangent; level++)
        for (int c = 0; c < n; c++) map_vector(d->R, &dF[k][level][c], n);
    }
    if (!d->in_body) continue;
    to_ground(d, &g, n, F[k], dF[k], tangent);
    mat3_vec(F_t[k], g.k[0]->A, F_t[k]);
  }
  distribute(d, &g, F[0], F[1], out->f, 1);
  out->input = tni_force_power(force, env, out->f);
  out->value = vec3_norm(F[d->has[0] ? 0 : 1]);
  if (!tangent) return;
  if (out->f_t) distribute(d, &g, F_t[0], F_t[1], out->f_t, 1);
  add_geometric(d, &g, n, F[0], out->f, out->K);
  for (int level = 0; level < 2; level++) {
    double *M = level ? out->D : out->K;
    const double *G = dF[0][level], *H = dF[1][level];
    for (int c = 0; c < n; c++) {
      double x[3] = {G[c], G[n+c], G[2*n+c]}, y[3] = {H[c], H[n+c], H[2*n+c]};
      distribute(d, &g, x, y, M + c, n);
    }
  }
}

static const tni_force_ops load_ops = {.name = "load", .eval = load_eval};

/* which bodies it never turns: those that it only measures, and the loaded one in its centre */
static void set_central(const load *d, tni_force *force) {
  force->central = ~0u;
  if (d->has[1] || vec3_norm(d->s) > 0) force->central &= ~(1u << d->slot[0]);
  if (d->slot[1] >= 0) force->central &= ~(1u << d->slot[1]);
}

tn_status tni_load_build(tni_builder *b, const tni_item *item) {
  static const char *const key[2] = {"force", "torque"};
  tni_force force = {.ops = &load_ops};
  load *d;
  int body, other = TNI_GROUND;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(tni_build_body(b, item, "body", tni_item_text(item, "body", ""), &body));
  if (body == TNI_GROUND)
    return tni_item_fail(b->ctx, item, "body", "acts on the ground, which does not move");
  const tni_value *point = tni_item_get(item, "point");
  if (point) {
    int on;
    TN_TRY(tni_build_point(b, item, "point", point, body, false, &on, d->s));
    if (on != body)
      return tni_item_fail(b->ctx, item, "point", "point '%s' is not on body '%s'", point->text,
                           tni_body_name(b->model, body));
  }
  const char *reaction = tni_item_text(item, "reaction_on", NULL);
  if (reaction) TN_TRY(tni_build_body(b, item, "reaction_on", reaction, &other));
  if (other == body)
    return tni_item_fail(b->ctx, item, "reaction_on", "has its reaction on '%s' itself: it would "
                         "do nothing", reaction);
  TN_TRY(tni_force_add_body(b, item, &force, body, &d->slot[0]));
  TN_TRY(tni_force_add_body(b, item, &force, other, &d->slot[1]));
  d->in_body = strcmp(tni_item_text(item, "frame", "ground"), "body") == 0;
  for (int k = 0; k < 2; k++) {
    const tni_value *v = tni_item_get(item, key[k]);
    if (!v) continue;
    d->has[k] = true;
    for (int c = 0; c < 3; c++)
      TN_TRY(tni_use_build(b, item, &force, key[k], &v->item[c], 0, NULL, 0, &d->use[k][c]));
  }
  if (!d->has[0] && !d->has[1])
    return tni_item_fail(b->ctx, item, NULL, "has neither 'force' nor 'torque'");
  set_central(d, &force);
  force.nend = 1;
  force.end_body[0] = body;
  vec3_copy(force.end[0], d->s);
  force.data = d;
  return tni_build_force(b, item, &force);
}

tn_status tni_load_node(tni_builder *b, const tni_item *item, int body, const double s[3],
                        const double R[9], double share) {
  static const char *const key[2] = {"force", "moment"};
  tni_force force = {.ops = &load_ops};
  load *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(tni_force_add_body(b, item, &force, body, &d->slot[0]));
  d->slot[1] = -1;
  vec3_copy(d->s, s);
  d->in_body = strcmp(tni_item_text(item, "frame", "ground"), "section") == 0;
  d->mapped = true;
  for (int i = 0; i < 9; i++) d->R[i] = share*(d->in_body ? R[i] : (i % 4 == 0));
  for (int k = 0; k < 2; k++) {
    const tni_value *v = tni_item_get(item, key[k]);
    d->has[k] = v != NULL;
    for (int c = 0; c < 3 && v; c++)
      TN_TRY(tni_use_build(b, item, &force, key[k], &v->item[c], 0, NULL, 0, &d->use[k][c]));
  }
  set_central(d, &force);
  force.data = d;
  return tni_build_force(b, item, &force);
}
