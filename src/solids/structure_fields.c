/* solids/structure_fields.c - what a mesh shows: displacements, stresses, reactions, and doubts about them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "solids/structure_work.h"

static const tni_structure *of(const tni_part *part) { return part->data; }

static const char *const XYZ[] = {"x", "y", "z"};
static const char *const STRESS[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
static const char *const PRINCIPAL[] = {"1", "2", "3"};

enum { DISPLACEMENT, VELOCITY, STRESSES, VON_MISES, PRINCIPALS, REACTION, PLASTIC, NFIELD };
static const tni_part_field fields[NFIELD] = {
    [DISPLACEMENT] = {"displacement", "m", "from the place at rest", false, 3, XYZ},
    [VELOCITY] = {"velocity", "m/s", NULL, false, 3, XYZ},
    [STRESSES] = {"stress", "Pa", "at nodes: mean of what the elements around say", false, 6, STRESS},
    [VON_MISES] = {"von_mises", "Pa", "of the stress at nodes", false, 1, NULL},
    [PRINCIPALS] = {"principal_stress", "Pa", "of the stress at nodes, largest first", false, 3, PRINCIPAL},
    [REACTION] = {"reaction", "N", "what supports, carriers and couplings give to nodes", false, 3, XYZ},
    [PLASTIC] = {"plastic_strain", "", "equivalent, at nodes", false, 1, NULL},
};

void tni_structure_fields(tni_part *part) {
  const tni_structure *s = of(part);
  part->field = fields;
  part->nfield = s->heat >= 0 ? NFIELD : PLASTIC;
}

double tni_stress_von_mises(const double s[6]) {
  double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5*(a*a + b*b + c*c) + 3*(s[3]*s[3] + s[4]*s[4] + s[5]*s[5]));
}

/* largest first */
void tni_stress_principal(const double s[6], double out[3]) {
  double A[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  mat3_eigenvalues(A, out);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      if (out[k] < out[k+1]) {
        double x = out[k];
        out[k] = out[k+1], out[k+1] = x;
      }
}

/* E [nnode][ngauss]: what is said at points, at nodes */
static void extrapolation(const tni_structure_block *block, double *E) {
  int ng = block->kind.ngauss, nn = block->nnode;
  double unit[TNI_SOLID_MAXGAUSS] = {0}, corner[TNI_SOLID_MAXNODE];
  for (int k = 0; k < ng; k++) {
    unit[k] = 1;
    block->kind.type->to_nodes(&block->kind, 1, unit, corner);
    for (int a = 0; a < nn; a++) E[a*ng + k] = corner[a];
    unit[k] = 0;
  }
}

/* sums by their counts; a mean has the count -1 */
static void average(int nnode, int n, int *count, double *sum) {
  for (int i = 0; i < nnode; i++) {
    if (count[i] <= 0) continue;
    for (int k = 0; k < n; k++) sum[(size_t)i*(size_t)n + (size_t)k] /= count[i];
    count[i] = -1;
  }
}

/* the same where other ranks know a part of the sums */
static void end_sums(int nnode, const tni_part_at *at, int n, int *count, double *sum) {
  if (at->share) at->share->add(at->share->user, n, sum, count);
  average(nnode, n, count, sum);
}

/* n numbers per node [nnode][n]: means of what elements say where nodes have been placed; n = 6 stress, 1 plastic strain */
static void smooth(const tni_part *part, tni_structure_work *w, const tni_part_at *at, int n, double *out) {
  const tni_structure *s = of(part);
  int *count = (int *)(void *)w->f; /* scratch: the forces are made anew by who needs them */
  memset(out, 0, (size_t)s->nnode*(size_t)n*sizeof(double));
  memset(count, 0, (size_t)s->nnode*sizeof(int));
  /* what sections of beams say counts where nothing else does: theirs are other axes */
  for (int pass = 0, b = 0; pass < 2; pass += b + 1 == s->nblock, b = (b + 1) % s->nblock) {
    const tni_structure_block *block = &s->block[b];
    if (pass == 1 && b == 0) end_sums(s->nnode, at, n, count, out);
    if ((block->kind.type->surface != NULL) != (pass == 1)) continue;
    tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = block};
    int ng = block->kind.ngauss;
    double E[TNI_SOLID_MAXNODE*TNI_SOLID_MAXGAUSS];
    extrapolation(block, E);
    for (int e = 0; e < block->n; e++) {
      tni_structure_local l;
      double point[6*TNI_SOLID_MAXGAUSS], plastic[TNI_SOLID_MAXGAUSS] = {0};
      tni_solid_out o = {.stress = point, .equivalent = plastic};
      tni_structure_gather(&j, e, &l);
      if (!block->kind.type->eval(&block->kind, &l.at, TNI_SOLID_STRESS, &o)) continue;
      const int *node = block->node + (size_t)e*(size_t)block->nnode;
      const double *from = n == 1 ? plastic : point;
      if (block->kind.type->surface) block->kind.type->surface(&block->kind, l.X, point);
      for (int a = 0; a < block->nnode; a++) {
        if (count[node[a]] < 0) continue;
        double *to = out + (size_t)node[a]*(size_t)n;
        for (int k = 0; k < ng; k++)
          for (int i = 0; i < n; i++) to[i] += E[a*ng + k]*from[k*n + i];
        count[node[a]]++;
      }
    }
  }
  end_sums(s->nnode, at, n, count, out);
}

/* The stress at nodes [nnode][6] where they have been placed, asked for by three fields one after the other: computed once for each
 * place. With history or temperatures in time the place alone does not tell the stress. Of pieces all or none compute it, whatever moves in theirs. */
static const double *stress_at_nodes(const tni_part *part, tni_structure_work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  size_t bytes = (size_t)s->nnode*(size_t)s->ndof*sizeof(double);
  if (at->share) {
    if (!w->stressed || w->stress_round != at->share->round) smooth(part, w, at, 6, w->stress);
    w->stress_round = at->share->round;
    w->stressed = true;
    return w->stress;
  }
  if (!w->stressed || part->nmemory > 0 || tni_structure_heat_changes(s) || memcmp(w->u, w->stress_u, bytes) != 0) {
    smooth(part, w, at, 6, w->stress);
    memcpy(w->stress_u, w->u, bytes);
    w->stressed = true;
  }
  return w->stress;
}

/* stresses and what follows from them, where nodes have been placed */
static void fill_stress(const tni_part *part, tni_structure_work *w, const tni_part_at *at, int i, double *out) {
  const double *six = stress_at_nodes(part, w, at);
  int nnode = of(part)->nnode;
  if (i == STRESSES) memcpy(out, six, 6*(size_t)nnode*sizeof(double));
  for (int n = 0; n < nnode; n++) {
    if (i == VON_MISES) out[n] = tni_stress_von_mises(six + 6*(size_t)n);
    if (i == PRINCIPALS) tni_stress_principal(six + 6*(size_t)n, out + 3*(size_t)n);
  }
}

void tni_structure_fill_at(const tni_part *part, void *user, const double *u, int i, double *out) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  size_t d = (size_t)s->ndof;
  tni_part_at at = {.memory = NULL};
  memcpy(w->u, u, (size_t)s->nnode*d*sizeof(double));
  memset(w->v, 0, (size_t)s->nnode*d*sizeof(double));
  if (i == STRESSES || i == VON_MISES || i == PRINCIPALS) fill_stress(part, w, &at, i, out);
  if (i != REACTION) return;
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  if (!tni_structure_eval_internal(part, w, &at)) return;
  for (int n = 0; n < s->nnode; n++)
    for (int c = 0; c < s->ndof && c < 3 && s->carrier[n] != TNI_NOT_CARRIED; c++)
      out[3*(size_t)n + (size_t)c] = -w->f[(size_t)n*d + (size_t)c];
}

static void reactions(const tni_part *part, tni_structure_work *w, const tni_part_at *at, double *out) {
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  tni_part_out o = {0};
  double power = 0;
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  tni_structure_place(part, w, at);
  if (!tni_structure_eval_internal(part, w, at)) return;
  tni_structure_add_masses(s, w, &o);
  tni_structure_add_springs(s, w, &o);
  tni_structure_add_loads(s, w, at->t, false, &power);
  for (int i = 0; i < s->nnode; i++)
    for (int c = 0; c < s->ndof && c < 3; c++) {
      int n = s->unknown[(size_t)i*d + (size_t)c];
      if (c >= s->active[i] || n >= 0) continue;
      out[3*(size_t)i + (size_t)c] = -w->f[(size_t)i*d + (size_t)c];
    }
  /* what followers need, their leaders give, and supports of leaders; inertia is left out: it is not known here */
  for (int i = 0; i < s->nfollower; i++)
    for (int k = s->lead_adr[s->follower[i]]; k < s->lead_adr[s->follower[i]+1]; k++)
      for (size_t m = 0; m < 3 && m < d; m++) {
        /* at a support it gives that as well */
        double sign = s->unknown[(size_t)s->lead_node[k]*d + m] < 0 ? -1 : 1;
        for (size_t c = 0; c < d; c++)
          out[3*(size_t)s->lead_node[k] + m] += sign*s->lead_B[((size_t)k*d + c)*d + m]*w->f[(size_t)s->follower[i]*d + c];
      }
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    if (m->component < 3 && m->x[2])
      out[3*(size_t)m->node + (size_t)m->component] += s->mass[m->node]*tni_structure_value(m->x[2], at->t);
  }
}

void tni_structure_fill(const tni_part *part, void *user, const tni_part_at *at, int i, double *out) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  size_t d = (size_t)s->ndof;
  switch (i) {
    case PLASTIC:
      tni_structure_place(part, w, at);
      smooth(part, w, at, 1, out);
      return;
    case REACTION:
      reactions(part, w, at, out);
      if (at->share) at->share->add(at->share->user, 3, out, NULL);
      return;
    case STRESSES:
    case VON_MISES:
    case PRINCIPALS:
      tni_structure_place(part, w, at);
      fill_stress(part, w, at, i, out);
      return;
    default: break;
  }
  tni_structure_place(part, w, at);
  for (int n = 0; n < s->nnode; n++)
    for (int c = 0; c < 3; c++) {
      size_t k = (size_t)n*d + (size_t)c;
      out[3*(size_t)n + (size_t)c] = c >= s->ndof ? 0 : i == DISPLACEMENT ? w->u[k] : w->v[k];
    }
}

/* ---- doubts -------------------------------------------------------------------------------------- */

/* Small displacements beside bodies that turn: a mesh that only turns is strained by it, in its equations. Roots of energies are
 * compared: what turning alone does, and what there is. */
double tni_structure_doubt(const tni_part *part, void *user, const tni_part_at *at, char *why, size_t n) {
  static const double ALLOWED = 0.05, NOTHING = 0.01; /* of the strains; [rad] that are not looked at */
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  double most = 0, turn = 0, now = 0, alone = 0;
  int which = -1;
  if (s->large) return 0;
  for (int k = 0; k < part->ncarrier; k++) {
    double R[9], p[4], e[3];
    mat3_mult(R, at->kin[part->carrier[k] + 1].A, s->attitude + 9*k);
    quat_from_matrix(p, R);
    quat_to_vector(e, p);
    if (vec3_norm(e) > turn) turn = vec3_norm(e), which = k;
  }
  if (turn < NOTHING) return 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 0) {
      tni_structure_place(part, w, at);
    } else {
      double R[9];
      mat3_mult(R, at->kin[part->carrier[which] + 1].A, s->attitude + 9*which);
      for (int i = 0; i < s->nnode; i++) {
        double x[3], *u = w->u + (size_t)i*(size_t)s->ndof;
        mat3_vec(x, R, s->mesh->x + 3*(size_t)i);
        for (int c = 0; c < s->ndof; c++) u[c] = c < 3 ? x[c] - s->mesh->x[3*(size_t)i + (size_t)c] : 0;
        double p[4];
        quat_from_matrix(p, R);
        if (s->ndof == 6) quat_to_vector(u + 3, p);
      }
      memset(w->v, 0, (size_t)s->nnode*(size_t)s->ndof*sizeof(double));
    }
    if (!tni_structure_eval_internal(part, w, at)) return 0;
    for (int e = 0; e < s->nelement; e++) *(pass ? &alone : &now) += w->energy[e];
  }
  most = now > 0 ? sqrt(alone/now)/ALLOWED : 0;
  snprintf(why, n, "structure '%s' has turned by %.3g rad with the bodies that carry it, which strains it by itself under 'formulation: small' "
           "(%.2g of its strains); use 'formulation: large' or 'reduce'", part->name, turn, fmin(1, most*ALLOWED));
  return most;
}

bool tni_structure_internal(const tni_part *part, void *user, const tni_part_at *at, double *out) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  size_t d = (size_t)s->ndof;
  tni_part_out o = {0};
  tni_structure_place(part, w, at);
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  if (!tni_structure_eval_internal(part, w, at)) return false;
  tni_structure_add_springs(s, w, &o);
  for (int i = 0; i < s->nnode; i++)
    for (size_t c = 0; c < 3 && c < (size_t)s->active[i]; c++)
      out[3*(size_t)i + c] = -w->f[(size_t)i*d + c];
  return true;
}

bool tni_structure_points(const tni_part *part, void *user, const tni_part_at *at, int element, int *n, double *stress, double *strain,
                          double *plastic) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  int b = 0;
  tni_structure_place(part, w, at);
  while (b + 1 < s->nblock && s->block[b+1].first <= element) b++;
  const tni_structure_block *block = &s->block[b];
  tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = block};
  tni_structure_local l;
  tni_solid_out o = {.stress = stress, .strain = strain, .equivalent = plastic};
  tni_structure_gather(&j, element - block->first, &l);
  *n = block->kind.ngauss;
  return block->kind.type->eval(&block->kind, &l.at, TNI_SOLID_STRESS, &o);
}
