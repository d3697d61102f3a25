/* solids/truss.c - bars with two nodes: axial force only
 *
 *   small   e = n.(u2 - u1)/L,  f2 = -f1 = sigma(e) A n,  K = (E A/L) n n^T
 *   large   e = (l^2 - L^2)/(2 L^2), Green's strain;  f2 = -f1 = S A dx/L,  K = (E A/L^3) dx dx^T + (S A/L) 1
 *
 * The stress is that of the material under axial stress alone, of small strains; option cable: none in compression. Kept
 * history: that of the material and the strain across.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "solids/list.h"

enum { BAR, CABLE };
static const char *const options[] = {"bar", "cable", NULL};

static int usual(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return BAR;
}

static bool prepare(tni_solid_kind *kind, char *why, size_t n) {
  if (!(kind->area > 0)) {
    snprintf(why, n, "truss2 needs an area > 0");
    return false;
  }
  if (kind->matter->type == tni_matter_find("orthotropic")) {
    snprintf(why, n, "truss2 needs a material that is the same in all directions");
    return false;
  }
  kind->plane = TNI_PLANE_NONE;
  kind->ngauss = 1;
  kind->nstate = tni_matter_nstate(kind->matter, false);
  if (kind->nstate) kind->nstate++;
  return true;
}

static void begin(const tni_solid_kind *kind, const double *X, const double *axes, double *state) {
  (void)X, (void)axes;
  memset(state, 0, (size_t)kind->nstate*sizeof(double));
  if (kind->nstate) tni_matter_begin(kind->matter, false, state);
}

/* what a bar has: direction, lengths, stress */
typedef struct {
  double d[3], L, l, strain, sig, E;
  tni_matter_at m;
} bar;

static bool stretch(const tni_solid_kind *kind, const tni_solid_at *at, bar *b) {
  double D[3], du[3];
  vec3_sub(D, at->X + 3, at->X);
  vec3_sub(du, at->u + 3, at->u);
  b->L = vec3_norm(D);
  if (!(b->L > 0)) return false;
  if (kind->large) {
    vec3_add(b->d, D, du);
    b->l = vec3_norm(b->d);
    /* (l^2 - L^2)/(2 L^2) without the difference of large numbers */
    b->strain = (vec3_dot(D, du) + vec3_dot(du, du)/2)/(b->L*b->L);
  } else {
    vec3_copy(b->d, D);
    b->l = b->L;
    b->strain = vec3_dot(D, du)/(b->L*b->L);
  }
  int ns = kind->nstate ? kind->nstate - 1 : 0;
  double lateral = ns ? at->state0[ns] : 0;
  double warm = at->warm ? kind->matter->expansion*(at->warm[0] + at->warm[1])/2 : 0;
  b->m = (tni_matter_at){.state0 = at->state0, .state = ns ? at->state : NULL};
  if (!tni_matter_axial(kind->matter, &b->m, b->strain - warm, &lateral, &b->sig, &b->E)) return false;
  if (ns && at->state) at->state[ns] = lateral;
  if (kind->option == CABLE && b->sig <= 0) b->sig = b->E = b->m.energy = 0;
  return true;
}

static bool eval(const tni_solid_kind *kind, const tni_solid_at *at, unsigned want, tni_solid_out *out) {
  bar b;
  if (!stretch(kind, at, &b)) return false;
  double A = kind->area, V = A*b.L;
  out->energy = V*b.m.energy;
  out->dissipated = V*b.m.dissipated;
  for (int i = 0; i < 3 && want & TNI_SOLID_FORCE; i++) {
    out->f[3 + i] = b.sig*A*b.d[i]/b.L;
    out->f[i] = -out->f[3 + i];
  }
  if (want & TNI_SOLID_STIFFNESS)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double k = b.E*A/(b.L*b.L*b.L)*b.d[i]*b.d[j] + ((kind->large || at->stressed) && i == j ? b.sig*A/b.L : 0);
        out->K[6*i + j] = out->K[6*(i + 3) + j + 3] = k;
        out->K[6*i + j + 3] = out->K[6*(i + 3) + j] = -k;
      }
  if (want & TNI_SOLID_STRESS) {
    if (out->strain) memset(out->strain, 0, 6*sizeof(double)), out->strain[0] = b.strain;
    if (out->stress) memset(out->stress, 0, 6*sizeof(double)), out->stress[0] = b.sig*b.l/b.L;
    if (out->equivalent) out->equivalent[0] = b.m.plastic;
  }
  return true;
}

static double volume(const tni_solid_kind *kind, const double *X, double *share) {
  double d[3];
  vec3_sub(d, X + 3, X);
  double V = kind->area*vec3_norm(d);
  for (int a = 0; a < 2 && share; a++) share[a] = kind->matter->density*V/2;
  return V;
}

static void mass(const tni_solid_kind *kind, const double *X, bool lumped, double *M) {
  double m = kind->matter->density*volume(kind, X, NULL);
  memset(M, 0, (size_t)(lumped ? 6 : 36)*sizeof(double));
  for (int i = 0; i < 6; i++) {
    if (lumped) M[i] = m/2;
    else M[7*i] = m/3, M[6*i + (i + 3)%6] = m/6;
  }
}

static double rate(const tni_solid_kind *kind, const tni_solid_at *at) {
  bar b;
  tni_solid_at quiet = *at;
  quiet.state = NULL;
  if (!stretch(kind, &quiet, &b)) return 0;
  double tension = kind->large ? fmax(b.sig, 0) : 0;
  /* two nodes of rho A L/2 against each other */
  return 2/b.L*sqrt((b.E*b.l*b.l/(b.L*b.L) + tension)/kind->matter->density);
}

static void to_nodes(const tni_solid_kind *kind, int n, const double *at_points, double *at_nodes) {
  (void)kind;
  for (int i = 0; i < n; i++) at_nodes[i] = at_nodes[n + i] = at_points[i];
}

const tni_solid_type tni_solid_truss2 = {
    .name = "truss2", .doc = "Bar with 2 nodes: axial force only.", .cell = TNI_CELL_LINE2, .ndof = 3,
    .option = options, .usual = usual, .prepare = prepare, .begin = begin, .eval = eval, .mass = mass,
    .rate = rate, .to_nodes = to_nodes, .volume = volume};
