/* elements/truss.c - bar or cable element: axial force only, total Lagrangian
 *
 * With the vector d = x1 - x0 between the ends and the unstretched length L,
 *
 *   e = (d.d - L^2)/(2 L^2)   (Green's strain),   U = EA L e^2/2,   force on end 0: EA e/L d
 *
 * which is polynomial in the positions. Damping adds damping*e' to e in the force. With `slack` a shortened
 * element carries nothing: it is taut, slack or held off by its damper, which never pushes, as a rope
 * (model/one_sided.h), and steps end where that changes. Without damping the force is continuous there,
 * but not its slope, which left errors of a hundred tolerances and more.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/element.h"
#include "model/one_sided.h"

enum { N = 12 };

typedef struct {
  tni_end end[2];
  double L, EA, damping;
  bool slack;
  int memory;     /* slack: of one_sided.h      */
} truss;

static const double HYSTERESIS = 1e-10; /* strain by which switching functions are shifted */

typedef struct {
  tni_end_kin k[2];
  double d[3], v[3]; /* separation, its rate           */
  double e, rate;    /* strain, its rate               */
  double S;          /* EA (e + damping e')            */
  bool taut;
} state;

static void strains(const truss *t, const tni_env *env, state *s) {
  tni_ends_kin(t->end, 2, env, s->k);
  vec3_sub(s->d, s->k[1].x, s->k[0].x);
  vec3_sub(s->v, s->k[1].v, s->k[0].v);
  s->e = (vec3_dot(s->d, s->d) - t->L*t->L)/(2*t->L*t->L);
  s->rate = vec3_dot(s->d, s->v)/(t->L*t->L);
  s->taut = !t->slack || env->memory[t->memory + TNI_ONE_SIDED_MODE] == TNI_TAUT;
  s->S = s->taut ? t->EA*(s->e + t->damping*s->rate) : 0;
}

static double stored(const truss *t, const state *s) { return 0.5*t->EA*t->L*s->e*s->e; }

static void truss_eval(const tni_force *force, const tni_env *env, unsigned what,
                       tni_force_out *out) {
  const truss *t = force->data;
  state s;
  double f[N] = {0};
  strains(t, env, &s);
  for (int i = 0; i < 3; i++) {
    f[i] = s.S/t->L*s.d[i];
    f[6+i] = -f[i];
  }
  out->input = 0;
  out->potential = s.taut ? stored(t, &s) : 0;
  if (t->slack && env->memory[t->memory + TNI_ONE_SIDED_MODE] == TNI_HELD_OFF)
    out->potential = env->memory[t->memory + TNI_ONE_SIDED_KEPT];
  out->dissipated = s.taut ? t->EA*t->L*t->damping*s.rate*s.rate : 0;
  out->value = s.S*vec3_norm(s.d)/t->L;
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(t->end, 2, force, env, f, NULL, NULL, out);
    return;
  }
  double K[N*N] = {0}, D[N*N] = {0}, B[9], V[9], L3 = t->L*t->L*t->L;
  double k = s.taut ? t->EA/L3 : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      B[3*i+j] = k*s.d[i]*(s.d[j] + t->damping*s.v[j]) + (i == j)*s.S/t->L;
      V[3*i+j] = k*t->damping*s.d[i]*s.d[j];
    }
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      tni_block_add(K, N, 6*a, 6*b, a == b ? -1 : 1, B);
      tni_block_add(D, N, 6*a, 6*b, a == b ? -1 : 1, V);
    }
  tni_ends_scatter(t->end, 2, force, env, f, K, D, out);
  if (out->f_t) memset(out->f_t, 0, 6*(size_t)force->nbody*sizeof(double));
}

static void truss_mixed(const tni_force *force, const tni_env *env, const double *stress,
                        tni_mixed_out *out) {
  const truss *t = force->data;
  state s;
  double f[N] = {0}, K[N*N] = {0}, D[N*N] = {0}, B[N] = {0}, G[9], V[9];
  strains(t, env, &s);
  double S = stress && s.taut ? stress[0] : s.S, F = s.taut ? t->L/t->EA : INFINITY;
  double k = s.taut ? t->EA*t->damping/(t->L*t->L*t->L) : 0;
  out->n[0] = s.S;
  for (int i = 0; i < 3; i++) {
    f[i] = S/t->L*s.d[i];
    f[6+i] = -f[i];
    B[i] = -s.d[i]/t->L;
    B[6+i] = s.d[i]/t->L;
    for (int j = 0; j < 3; j++) {
      G[3*i+j] = k*s.d[i]*s.v[j] + (i == j)*S/t->L;
      V[3*i+j] = k*s.d[i]*s.d[j];
    }
  }
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      tni_block_add(K, N, 6*a, 6*b, a == b ? -1 : 1, G);
      tni_block_add(D, N, 6*a, 6*b, a == b ? -1 : 1, V);
    }
  tni_ends_mixed in = {1, f, K, D, B, &F};
  tni_ends_scatter_parts(t->end, 2, force, env, &in, out);
}

static void truss_resultants(const tni_force *force, const tni_env *env, double eps[6],
                             double n[6]) {
  const truss *t = force->data;
  state s;
  strains(t, env, &s);
  memset(eps, 0, 6*sizeof(double));
  memset(n, 0, 6*sizeof(double));
  eps[0] = s.e;
  n[0] = s.S*vec3_norm(s.d)/t->L;
}

static void truss_discrete(const tni_force *force, const tni_env *env0, const tni_env *env1,
                           const tni_env *mid, double h, unsigned what, tni_force_out *out,
                           double *K1) {
  const truss *t = force->data;
  state a, b, m;
  double f[N] = {0}, L = t->L, ea, eb;
  strains(t, env0, &a);
  strains(t, env1, &b);
  strains(t, mid, &m);
  ea = t->slack ? fmax(a.e, 0) : a.e;
  eb = t->slack ? fmax(b.e, 0) : b.e;
  /* S (e_b - e_a) = EA (e_b^2 - e_a^2)/2 of the strains that carry load */
  double d_all = b.e - a.e, ratio = 1;
  if (ea != a.e || eb != b.e) ratio = fabs(d_all) > 1e-12 ? (eb - ea)/d_all : 0;
  double S = 0.5*t->EA*(ea + eb)*ratio;
  /* ends away from their nodes: halfway is not the mean, close the balance along the rate */
  double missing = S*(d_all - h*m.rate), weight = t->EA*h*m.rate*m.rate;
  double c = missing/(weight + 1e-18*t->EA/h), visc = ratio*t->damping*t->EA;
  S += (c*t->EA + visc)*m.rate;
  for (int i = 0; i < 3; i++) {
    f[i] = S/L*m.d[i];
    f[6+i] = -f[i];
  }
  out->input = 0;
  out->potential = 0.5*t->EA*L*eb*eb;
  out->dissipated = visc*L*m.rate*m.rate;
  out->value = S*vec3_norm(m.d)/L;
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(t->end, 2, force, mid, f, NULL, NULL, out);
    return;
  }
  double K[N*N] = {0}, D[N*N] = {0}, X[N*N] = {0}, G[9], V[9], B1[9], L3 = L*L*L;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      G[3*i+j] = (i == j)*S/L;
      V[3*i+j] = (c*t->EA + visc)/L3*m.d[i]*m.d[j];
      B1[3*i+j] = (eb == b.e ? 0.5*t->EA/L3 : 0)*m.d[i]*b.d[j];
    }
  for (int r = 0; r < 2; r++)
    for (int q = 0; q < 2; q++) {
      tni_block_add(K, N, 6*r, 6*q, r == q ? -1 : 1, G);
      tni_block_add(D, N, 6*r, 6*q, r == q ? -1 : 1, V);
      tni_block_add(X, N, 6*r, 6*q, r == q ? -1 : 1, B1);
    }
  tni_ends_scatter(t->end, 2, force, mid, f, K, D, out);
  tni_ends_scatter_mixed(t->end, 2, force, mid, env1, X, K1);
}

static void truss_events(const tni_force *force, const tni_env *env, double *g) {
  const truss *t = force->data;
  state s;
  if (!t->slack) return;
  strains(t, env, &s);
  tni_one_sided_events(env->memory + t->memory, s.e, s.e + t->damping*s.rate, HYSTERESIS, g);
}

static void truss_commit(const tni_force *force, const tni_env *env, bool at_event,
                         double *memory) {
  const truss *t = force->data;
  state s;
  if (!t->slack || !at_event) return;
  strains(t, env, &s);
  tni_one_sided_switch(memory + t->memory, s.e, s.e + t->damping*s.rate, HYSTERESIS,
                       stored(t, &s));
}

static int truss_switches(const tni_force *force, const tni_env *env, const double *before,
                          tni_switch *out) {
  const truss *t = force->data;
  state s;
  if (!t->slack) return 0;
  strains(t, env, &s);
  return tni_one_sided_record(before + t->memory, env->memory + t->memory, s.rate*t->L,
                              TNI_SWITCH_TAUT, out);
}

static const tni_force_ops truss_ops = {.name = "truss", .eval = truss_eval,
                                        .events = truss_events, .commit = truss_commit,
                                        .switches = truss_switches};
static const tni_element_ops truss_element = {truss_resultants, truss_discrete, false, 1, truss_mixed};

static tn_status truss_build(tni_builder *b, const tni_element_in *in) {
  tni_force force = {.ops = &truss_ops, .element = &truss_element};
  tni_end_kin k[2];
  double d[3];
  truss *t;
  TNI_ARENA_NEW(b->hot ? b->hot : b->arena, t, 1);
  TN_TRY(tni_ends_build(b, in, 2, &force, t->end));
  tni_ends_initial(b, t->end, 2, k);
  vec3_sub(d, k[1].x, k[0].x);
  t->L = in->length > 0 ? in->length : vec3_norm(d);
  t->EA = in->profile->C[0];
  t->damping = in->damping;
  t->slack = in->slack;
  force.data = t;
  if (t->slack) {
    double v[3];
    vec3_sub(v, k[1].v, k[0].v);
    state first = {.e = (vec3_dot(d, d) - t->L*t->L)/(2*t->L*t->L)};
    double all = first.e + t->damping*vec3_dot(d, v)/(t->L*t->L);
    TN_TRY(tni_one_sided_build(b, first.e, all, stored(t, &first), &t->memory));
    force.nevent = TNI_ONE_SIDED_NEVENT;
  }
  for (int e = 0; e < 2; e++)
    if (t->end[e].slot >= 0 && vec3_norm(t->end[e].s) == 0) force.central |= 1u << t->end[e].slot;
  return tni_element_add(b, in, "truss", &force);
}

const tni_element_type tni_element_truss = {
    "truss", "Axial force only, Green's strain; with slack: a cable.", 2, false, truss_build};
