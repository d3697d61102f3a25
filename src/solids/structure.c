/* solids/structure.c - a mesh as a part of the system: forces and history
 *
 *   x_i = X_i + u_i                unknowns, or prescribed functions of time
 *   x_i = r + A s_i                carried by a body;  delta x_i = delta r - A ~s_i delta theta
 *   f   = f_ext(t, x) + m g - f_int(u, history) - alpha M v - beta K v
 *
 * A force F on a carried node is the wrench (F, s x A^T F) on its body.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/structure_work.h"

#include <math.h>
#include <stdio.h>

#include "parallel/pool.h"

enum { ELEMENT_GRAIN = 16, NODE_GRAIN = 512 };
static const double HEAT_STRAIN = 1e-4;  /* thermal strain that rates by temperature are differences over */
static const double LEAST_RATE = 1e-100; /* of thermal strain [1/s]: less is rest */

static const tni_structure *of(const tni_part *part) { return part->data; }

static int largest_nv(const tni_structure *s) {
  int most = 0;
  for (int i = 0; i < s->nblock; i++) most = s->block[i].nv > most ? s->block[i].nv : most;
  return most;
}

/* temperatures at t; steady ones only where asked for all */
void tni_structure_heat_nodes(const tni_structure *s, double t, bool moving, double *warm) {
  if (!moving) memcpy(warm, s->temperature, (size_t)s->nnode*sizeof(double));
  bool changes = !moving;
  for (int i = 0; i < s->nheat; i++) {
    const tni_node_heat *h = &s->heating[i];
    changes = changes || !h->steady;
    for (int k = 0; k < h->n && changes; k++) { /* steady ones too once others came before: the last one counts */
      const double *X = s->mesh->x + 3*(size_t)h->node[k];
      const double at[4] = {X[0], X[1], X[2], t};
      warm[h->node[k]] = tni_expr_eval(h->T, at);
    }
  }
}

bool tni_structure_heat_rates(const tni_structure *s, tni_structure_work *w, double t, double *step) {
  double most = 0, expansion = 0;
  memset(w->warm_t, 0, (size_t)s->nnode*sizeof(double));
  for (int i = 0; i < s->nheat; i++)
    for (int k = 0; k < s->heating[i].n; k++) {
      const double *X = s->mesh->x + 3*(size_t)s->heating[i].node[k];
      const double at[4] = {X[0], X[1], X[2], t};
      w->warm_t[s->heating[i].node[k]] = s->heating[i].steady ? 0 : tni_expr_eval(s->heating[i].T_t, at);
    }
  for (int i = 0; i < s->nnode; i++) most = fmax(most, fabs(w->warm_t[i]));
  for (int b = 0; b < s->nblock; b++) expansion = fmax(expansion, fabs(s->block[b].kind.matter->expansion));
  *step = HEAT_STRAIN/(most*expansion);
  return most*expansion > LEAST_RATE;
}

void tni_structure_heat_add(const tni_structure *s, tni_structure_work *w, double dt) {
  for (int i = 0; i < s->nnode; i++) w->warm[i] += dt*w->warm_t[i];
}

bool tni_structure_heat_changes(const tni_structure *s) {
  for (int i = 0; i < s->nheat; i++)
    if (!s->heating[i].steady) return true;
  return false;
}

static tn_status begin(const tni_part *part, tni_arena *arena, void **out) {
  const tni_structure *s = of(part);
  tni_structure_work *w;
  size_t nn = (size_t)s->nnode*(size_t)s->ndof, nv = (size_t)largest_nv(s);
  TNI_ARENA_NEW(arena, w, 1);
  TNI_ARENA_NEW(arena, w->u, nn);
  TNI_ARENA_NEW(arena, w->v, nn);
  TNI_ARENA_NEW(arena, w->f, nn);
  TNI_ARENA_NEW(arena, w->given, nn);
  TNI_ARENA_NEW(arena, w->given2, nn);
  TNI_ARENA_NEW(arena, w->rate, nn);
  TNI_ARENA_NEW(arena, w->x, 3*(size_t)s->nnode);
  TNI_ARENA_NEW(arena, w->fe, s->nfe);
  TNI_ARENA_NEW(arena, w->stress, 6*(size_t)s->nnode);
  TNI_ARENA_NEW(arena, w->stress_u, nn);
  if (s->nheat > 0) {
    TNI_ARENA_NEW(arena, w->warm, s->nnode);
    TNI_ARENA_NEW(arena, w->warm_t, s->nnode);
    tni_structure_heat_nodes(s, 0, false, w->warm);
  }
  if (s->consistent) TNI_ARENA_NEW(arena, w->spin, 2*nn);
  if (s->turns >= 0) {
    TNI_ARENA_NEW(arena, w->T, 9*(size_t)s->nnode);
    TNI_ARENA_NEW(arena, w->delta, 3*(size_t)s->nnode);
  }
  for (int i = 0; i < s->nblock && !w->fb; i++)
    if (s->block[i].batched) TNI_ARENA_NEW(arena, w->fb, 3*(size_t)s->nnode);
  TNI_ARENA_NEW(arena, w->slabs, s->nblock);
  TNI_ARENA_NEW(arena, w->sums, (size_t)s->nblock*TNI_SLABS_MOST);
  TNI_ARENA_NEW(arena, w->parts, s->nnode/NODE_GRAIN + 1);
  for (int i = 0; i < s->nblock; i++) {
    const tni_structure_block *b = &s->block[i];
    if (b->batched) TN_TRY(tni_slabs_make(s->ctx, b->n, b->nnode, b->node, s->nnode, &w->slabs[i]));
  }
  TNI_ARENA_NEW(arena, w->energy, s->nelement);
  TNI_ARENA_NEW(arena, w->heat, s->nelement);
  TNI_ARENA_NEW(arena, w->plastic, s->nelement);
  TNI_ARENA_NEW(arena, w->K, TNI_STRUCTURE_TOGETHER*nv*nv);
  TNI_ARENA_NEW(arena, w->done, TNI_STRUCTURE_TOGETHER);
  TNI_ARENA_NEW(arena, w->state, part->nmemory);
  w->bad = -1;
  *out = w;
  return TN_OK;
}

/* ---- where the nodes are ---------------------------------------------------------------------- */

static void place_node(const tni_structure_job *j, int i) {
  const tni_structure *s = j->s;
  tni_structure_work *w = j->w;
  int d = s->ndof;
  double *u = w->u + (size_t)i*(size_t)d, *v = w->v + (size_t)i*(size_t)d, *x = w->x + 3*(size_t)i;
  const double *X = s->mesh->x + 3*(size_t)i;
  int k = s->carrier[i];
  if (k >= 0) {
    const tni_kin *b = &j->at->kin[j->part->carrier[k] + 1];
    double p[3], wp[3];
    mat3_vec(p, b->A, s->arm + 3*(size_t)i);
    vec3_cross(wp, b->W, p);
    for (int c = 0; c < 3; c++) {
      x[c] = b->r[c] + p[c];
      if (c < d) u[c] = x[c] - X[c], v[c] = b->v[c] + wp[c];
    }
    if (d == 6) {
      double e[4], R[9];
      mat3_mult(R, b->A, s->attitude + 9*k);
      quat_from_matrix(e, R);
      quat_to_vector(u + 3, e);
      vec3_copy(v + 3, b->W);
      if (w->T) memcpy(w->T + 9*(size_t)i, R, sizeof(R));
    }
    return;
  }
  for (int c = 0; c < d; c++) {
    int n = s->unknown[(size_t)i*(size_t)d + (size_t)c];
    if (n < 0) continue; /* prescribed, below, or without meaning */
    u[c] = j->at->u[n];
    v[c] = j->at->v ? j->at->v[n] : 0;
  }
  for (int c = 0; c < 3; c++) x[c] = X[c] + (c < d ? u[c] : 0);
}

static void place_nodes(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  for (int i = begin; i < end; i++) place_node(j, i);
}

void tni_structure_place(const tni_part *part, void *user, const tni_part_at *at) {
  tni_structure_work *w = user;
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    size_t k = (size_t)m->node*d + (size_t)m->component;
    w->u[k] = tni_structure_value(m->x[0], at->t);
    w->v[k] = at->v ? tni_structure_value(m->x[1], at->t) : 0;
  }
  tni_structure_job j = {.part = part, .s = s, .at = at, .w = w};
  tni_parallel_for(s->ctx, s->nnode, NODE_GRAIN, place_nodes, &j);
  if (s->follows) {
    tni_follow_place(s, at->t, 0, w->u);
    tni_follow_place(s, at->t, at->v ? 1 : -1, w->v);
    for (int i = 0; i < s->nfollower; i++) {
      size_t n = (size_t)s->follower[i];
      for (size_t c = 0; c < 3 && c < d; c++) w->x[3*n + c] = s->mesh->x[3*n + c] + w->u[n*d + c];
    }
  }
  for (int i = 0; i < s->nnode && w->T; i++)
    if (s->carrier[i] < 0 && s->active[i] == 6)
      tni_turn_of(w->u + (size_t)i*d + 3, at->memory + part->memory + s->turns + 7*(size_t)i, w->T + 9*(size_t)i, w->delta + 3*(size_t)i);
  if (w->warm && tni_structure_heat_changes(s)) tni_structure_heat_nodes(s, at->t, true, w->warm);
}

/* ---- elements ----------------------------------------------------------------------------------- */

void tni_structure_gather(const tni_structure_job *j, int e, tni_structure_local *l) {
  const tni_structure *s = j->s;
  const tni_structure_block *b = j->block;
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  size_t d = (size_t)s->ndof;
  for (int a = 0; a < b->nnode; a++) {
    size_t n = (size_t)node[a];
    vec3_copy(l->X + 3*a, s->mesh->x + 3*n);
    for (int c = 0; c < own; c++) {
      l->u[own*a + c] = j->w->u[n*d + (size_t)c];
      l->v[own*a + c] = j->w->v[n*d + (size_t)c];
    }
    if (j->w->T && own == 6) memcpy(l->T + 9*a, j->w->T + 9*n, 9*sizeof(double));
    l->warm[a] = j->w->warm ? j->w->warm[n] : s->temperature ? s->temperature[n] : 0;
  }
  const double *state =
      b->kind.nstate ? j->at->memory + j->part->memory + b->state + (size_t)e*(size_t)b->kind.nstate : NULL;
  l->at = (tni_solid_at){.X = l->X, .u = l->u, .axes = b->axes, .warm = s->temperature ? l->warm : NULL,
                         .state0 = state, .turn = j->w->T && own == 6 ? l->T : NULL,
                         .director = b->director ? b->director + 3*(size_t)e*(size_t)b->nnode : NULL,
                         .stressed = j->at->stressed && !s->large};
  if (j->history)
    l->at.state = j->w->state + b->state + (size_t)e*(size_t)b->kind.nstate;
}

static void eval_forces(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure_block *b = j->block;
  double beta = b->kind.matter->rayleigh[1], K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  for (int e = begin; e < end; e++) {
    tni_structure_local l;
    int number = b->first + e;
    tni_solid_out o = {.f = j->w->fe + b->fe + (size_t)e*(size_t)b->nv, .K = K};
    tni_structure_gather(j, e, &l);
    bool fine = b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE | (beta > 0 ? TNI_SOLID_STIFFNESS : 0), &o);
    j->w->energy[number] = fine ? o.energy : NAN;
    j->w->plastic[number] = o.dissipated;
    j->w->heat[number] = 0;
    for (int r = 0; r < b->nv && fine && beta > 0; r++) {
      double sum = 0;
      for (int c = 0; c < b->nv; c++) sum += K[b->nv*r + c]*l.v[c];
      o.f[r] += beta*sum;
      j->w->heat[number] += beta*sum*l.v[r];
    }
    if (j->s->bulk && fine) tni_structure_viscosity(j->s, b, &l, o.f, &j->w->heat[number]);
  }
}

/* Elements that are evaluated many at once, slabs of one colour beside each other. History is worked on in a copy: it is written by
 * commit alone. */
static void eval_slabs(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure_block *b = j->block;
  tni_structure_work *w = j->w;
  size_t ns = (size_t)b->kind.nstate;
  for (int k = begin; k < end; k++) {
    int slab = j->slabs->slab[k], from = j->slabs->begin[slab], to = j->slabs->begin[slab + 1];
    size_t first = (size_t)b->state + (size_t)from*ns;
    if (ns) memcpy(w->state + first, j->at->memory + j->part->memory + first, (size_t)(to - from)*ns*sizeof(double));
    tni_batch_in in = {.kind = &b->kind, .node = b->node, .X = j->s->mesh->x, .u = w->u, .state = ns ? w->state + b->state : NULL};
    tni_batch_out out = {.f = w->fb};
    tni_slab_sum *sum = &j->sums[slab];
    *sum = (tni_slab_sum){.bad = -1};
    if (!b->kind.type->batch->force(&in, from, to, &out)) sum->bad = out.failed;
    else if (!isfinite(out.energy_sum)) sum->bad = from;
    sum->energy = out.energy_sum;
    sum->dissipated = out.dissipated_sum;
  }
}

typedef struct {
  tni_structure_job *j;
  int first;
} slab_range;

static void eval_colour(void *user, int begin, int end) {
  const slab_range *r = user;
  eval_slabs(r->j, r->first + begin, r->first + end);
}

static void eval_batch(tni_structure_job *j) {
  const tni_structure_block *b = j->block;
  size_t at = (size_t)(b - j->s->block);
  j->slabs = &j->w->slabs[at];
  j->sums = j->w->sums + at*TNI_SLABS_MOST;
  for (int c = 0; c < j->slabs->ncolour; c++) {
    int first = j->slabs->adr[c], n = j->slabs->adr[c+1] - first;
    slab_range r = {j, first};
    tni_parallel_for(j->s->ctx, n, 1, eval_colour, &r);
  }
}

/* f of the nodes := what elements left for them, with a minus; parts: squares of what batches left */
static void sum_nodes(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure *s = j->s;
  const double *fb = j->w->fb;
  for (int first = begin; first < end; first += NODE_GRAIN) {
    double squares = 0;
    int last = first + NODE_GRAIN < end ? first + NODE_GRAIN : end;
    if (fb)
      for (size_t k = 3*(size_t)first; k < 3*(size_t)last; k++) squares += fb[k]*fb[k];
    for (int i = first; i < last; i++) {
      double sum[6] = {0};
      int n = s->active[i];
      for (size_t k = s->in_adr[i]; k < s->in_adr[i+1]; k++) {
        const double *f = j->w->fe + s->in_at[k]/8;
        int m = (int)(s->in_at[k] % 8);
        for (int c = 0; c < m; c++) sum[c] += f[c];
      }
      double *f = j->w->f + (size_t)i*(size_t)s->ndof;
      for (int c = 0; c < n; c++) f[c] = -(sum[c] + (fb ? fb[3*(size_t)i + (size_t)c] : 0));
    }
    j->w->parts[first/NODE_GRAIN][0] = squares;
  }
}

/* ---- loads ------------------------------------------------------------------------------------- */

/* nodes of face k of a load at x; returns how many */
int tni_structure_face_nodes(const tni_structure *s, const tni_load *l, int k, const double *x, tni_cell *cell, int *node,
                      double *at) {
  const tni_cell_shape *shape = tni_mesh_face(s->mesh, l->cell[k], l->face[k], node);
  *cell = (tni_cell)(shape - tni_cell_shapes);
  for (int a = 0; a < shape->nnode; a++) vec3_copy(at + 3*a, x + 3*(size_t)node[a]);
  return shape->nnode;
}

/* centrifugal: m w^2 times the arm from the axis */
static void spin_arm(const tni_load *l, const double x[3], double arm[3]) {
  vec3_sub(arm, x, l->at);
  vec3_addmul(arm, -vec3_dot(arm, l->axis), l->axis);
}

/* the same with consistent masses */
static void add_spin(const tni_structure *s, tni_structure_work *w, const tni_load *l, double w2, double *power) {
  size_t d = (size_t)s->ndof, all = (size_t)s->nnode*d;
  int most = s->ndof < 3 ? s->ndof : 3;
  memset(w->spin, 0, 2*all*sizeof(double));
  double *arms = w->spin, *f = w->spin + all;
  for (int n = 0; n < s->nnode; n++) {
    double arm[3];
    spin_arm(l, l->follows ? w->x + 3*(size_t)n : s->mesh->x + 3*(size_t)n, arm);
    for (int c = 0; c < most; c++) {
      arms[(size_t)n*d + (size_t)c] = arm[c];
      f[(size_t)n*d + (size_t)c] = w2*s->own_mass[n]*arm[c];
    }
  }
  tni_structure_apply_mass(s, false, w2, arms, f);
  for (size_t k = 0; k < all; k++) {
    w->f[k] += f[k];
    *power += f[k]*w->v[k];
  }
}

/* w->f += loads; power += what they put in. With rate: df/dt in their place, into w->f cleared by the caller. */
void tni_structure_add_loads(const tni_structure *s, tni_structure_work *w, double t, bool rate, double *power) {
  size_t d = (size_t)s->ndof;
  int most = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    double f[3], p = tni_structure_value(rate ? l->pressure_t : l->pressure, t);
    for (int c = 0; c < 3; c++) f[c] = tni_structure_value(rate ? l->f_t[c] : l->f[c], t);
    if (l->kind == TNI_LOAD_SPIN) {
      double w0 = tni_structure_value(l->f[0], t), w2 = rate ? 2*w0*f[0] : w0*w0;
      if (s->consistent) {
        add_spin(s, w, l, w2, power);
        continue;
      }
      for (int n = 0; n < s->nnode; n++) {
        double arm[3];
        spin_arm(l, l->follows ? w->x + 3*(size_t)n : s->mesh->x + 3*(size_t)n, arm);
        for (int c = 0; c < most; c++) {
          double more = s->mass[n]*w2*arm[c];
          w->f[(size_t)n*d + (size_t)c] += more;
          *power += more*w->v[(size_t)n*d + (size_t)c];
        }
      }
      continue;
    }
    for (int k = 0; k < l->n; k++) {
      size_t at = (size_t)l->node[k]*d + (l->about ? 3 : 0);
      for (int c = 0; c < most; c++) {
        double more = l->share[k]*f[c] - (l->follows || !l->normal ? 0 : p*l->normal[3*k + c]);
        w->f[at + (size_t)c] += more;
        *power += more*w->v[at + (size_t)c];
      }
    }
    for (int k = 0; k < l->nface && l->follows && p != 0; k++) {
      int node[TNI_CELL_MAXFACENODE];
      double x[3*TNI_CELL_MAXFACENODE], g[3*TNI_CELL_MAXFACENODE];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int n = tni_structure_face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, l->width[k], s->plane == TNI_PLANE_AXISYMMETRIC, g, NULL);
      for (int a = 0; a < n; a++)
        for (int c = 0; c < most; c++) {
          w->f[(size_t)node[a]*d + (size_t)c] += g[3*a + c];
          *power += g[3*a + c]*w->v[(size_t)node[a]*d + (size_t)c];
        }
    }
  }
}

/* ---- to the unknowns --------------------------------------------------------------------------- */

/* forces on the nodes to unknowns and carriers */
static void scatter_part(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure *s = j->s;
  size_t d = (size_t)s->ndof;
  for (int i = begin; i < end; i++) {
    const double *F = j->w->f + (size_t)i*d;
    double own[6];
    if (j->spins && s->carrier[i] < 0 && s->active[i] == 6) {
      double G[9];
      tni_turn_rates(j->w->delta + 3*(size_t)i, G, NULL, NULL);
      vec3_copy(own, F);
      mat3_tvec(own + 3, G, F + 3);
      F = own;
    }
    for (int c = 0; c < s->active[i] && s->carrier[i] < 0; c++) {
      int n = s->unknown[(size_t)i*d + (size_t)c];
      if (n >= 0) j->f[n] = F[c];
    }
  }
}

/* spins: moments are those of spins, not of the unknowns of rotation */
void tni_structure_scatter(const tni_part *part, tni_structure_work *w, const tni_kin *kin, bool spins, double *f, double *f6) {
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  tni_structure_job j = {.s = s, .w = w, .f = f, .spins = spins && w->T};
  tni_parallel_for(s->ctx, s->nnode, NODE_GRAIN, scatter_part, &j);
  for (int i = 0; i < s->nnode && part->ncarrier > 0; i++) {
    const double *F = w->f + (size_t)i*d;
    int k = s->carrier[i];
    if (k < 0) continue;
    int body = part->carrier[k];
    double F3[3] = {F[0], F[1], d > 2 ? F[2] : 0}, own[3], torque[3];
    mat3_tvec(own, kin[body + 1].A, F3);
    vec3_cross(torque, s->arm + 3*(size_t)i, own);
    if (d == 6) {
      mat3_tvec(own, kin[body + 1].A, F + 3);
      vec3_add(torque, torque, own);
    }
    vec3_add(f6 + 6*body, f6 + 6*body, F3);
    vec3_add(f6 + 6*body + 3, f6 + 6*body + 3, torque);
  }
  if (s->follows) tni_follow_scatter(s, w->f, f);
}

static void add_masses_part(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure *s = j->s;
  tni_structure_work *w = j->w;
  size_t d = (size_t)s->ndof;
  int most = s->ndof < 3 ? s->ndof : 3;
  for (int first = begin; first < end; first += NODE_GRAIN) {
    double potential = 0, dissipated = 0;
    for (int i = first; i < first + NODE_GRAIN && i < end; i++) {
      if (s->carrier[i] >= 0) continue;
      double *f = w->f + (size_t)i*d;
      const double *v = w->v + (size_t)i*d;
      double alpha = s->alpha && !s->consistent ? s->alpha[i] : 0;
      for (int c = 0; c < most; c++) {
        f[c] += s->weight[i]*s->gravity[c] - alpha*s->mass[i]*v[c];
        dissipated += alpha*s->mass[i]*v[c]*v[c];
      }
      potential -= s->weight[i]*vec3_dot(s->gravity, w->x + 3*(size_t)i);
    }
    w->parts[first/NODE_GRAIN][0] = potential;
    w->parts[first/NODE_GRAIN][1] = dissipated;
  }
}

/* gravity and damping by mass of nodes that are not carried: their mass is here */
void tni_structure_add_masses(const tni_structure *s, tni_structure_work *w, tni_part_out *out) {
  size_t d = (size_t)s->ndof;
  tni_structure_job j = {.s = s, .w = w};
  if (vec3_norm(s->gravity) == 0 && !s->alpha) return;
  tni_parallel_for(s->ctx, s->nnode, NODE_GRAIN, add_masses_part, &j);
  for (int i = 0; i <= (s->nnode - 1)/NODE_GRAIN; i++) {
    out->potential += w->parts[i][0];
    out->dissipated += w->parts[i][1];
  }
  if (!s->consistent || !s->alpha) return;
  size_t all = (size_t)s->nnode*d;
  memset(w->spin, 0, all*sizeof(double));
  tni_structure_apply_mass(s, true, 1, w->v, w->spin);
  for (size_t k = 0; k < all; k++) {
    w->f[k] -= w->spin[k];
    out->dissipated += w->spin[k]*w->v[k];
  }
}

/* springs between nodes, and to the ground */
void tni_structure_add_springs(const tni_structure *s, tni_structure_work *w, tni_part_out *out) {
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    tni_spring_now now;
    tni_spring_eval(s, p, w->u, w->v, w->x, &now);
    out->potential += now.energy;
    out->dissipated += now.heat;
    out->squares += 2*now.f*now.f;
    for (int e = 0; e < 2 && p->node[e] >= 0; e++)
      for (int c = 0; c < s->ndof; c++) w->f[(size_t)p->node[e]*d + (size_t)c] -= now.f*now.S[e][c];
  }
}

/* what moves prescribed nodes: power of their reactions, inertia included */
static double prescribed_power(const tni_structure *s, const tni_structure_work *w, double t) {
  double power = 0;
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    size_t k = (size_t)m->node*(size_t)s->ndof + (size_t)m->component;
    double mass = m->component < 3 ? s->mass[m->node] : s->turning ? s->turning[m->node] : 0;
    if (m->x[1]) power += (mass*tni_structure_value(m->x[2], t) - w->f[k])*w->v[k];
  }
  return power;
}

/* internal forces of all elements into w->f; false: one has none */
bool tni_structure_eval_internal(const tni_part *part, tni_structure_work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  w->bad = -1;
  if (w->fb) memset(w->fb, 0, 3*(size_t)s->nnode*sizeof(double));
  for (int b = 0; b < s->nblock; b++) {
    tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = &s->block[b]};
    if (s->block[b].batched) eval_batch(&j);
    else tni_parallel_for(s->ctx, s->block[b].n, ELEMENT_GRAIN, eval_forces, &j);
  }
  for (int b = 0; b < s->nblock && w->bad < 0; b++) {
    const tni_structure_block *block = &s->block[b];
    for (int e = 0; e < block->n && w->bad < 0 && !block->batched; e++)
      if (!isfinite(w->energy[block->first + e])) w->bad = block->first + e;
    for (int i = 0; i < w->slabs[b].n && w->bad < 0; i++)
      if (w->sums[b*TNI_SLABS_MOST + i].bad >= 0) w->bad = block->first + w->sums[b*TNI_SLABS_MOST + i].bad;
  }
  if (w->bad >= 0) return false;
  tni_structure_job j = {.s = s, .w = w};
  tni_parallel_for(s->ctx, s->nnode, NODE_GRAIN, sum_nodes, &j);
  return true;
}

/* What temperatures that change put in: the rate of stored energy and plastic work where nothing moves. Central differences, exact where
 * stresses are linear in temperatures. */
static bool add_heating(const tni_part *part, tni_structure_work *w, const tni_part_at *at, tni_part_out *out) {
  const tni_structure *s = of(part);
  double dt, power = 0;
  if (!w->warm || !at->v || !tni_structure_heat_changes(s) || !tni_structure_heat_rates(s, w, at->t, &dt)) return true;
  for (int side = 1; side >= -1; side -= 2) {
    tni_structure_heat_add(s, w, side > 0 ? dt : -2*dt);
    if (!tni_structure_eval_internal(part, w, at)) return false;
    for (int e = 0; e < s->nelement; e++) power += side*(w->energy[e] + w->plastic[e])/(2*dt);
  }
  tni_structure_heat_nodes(s, at->t, true, w->warm);
  out->input += power;
  return true;
}

static bool force(const tni_part *part, void *user, const tni_part_at *at, tni_part_out *out) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  tni_structure_place(part, w, at);
  if (!add_heating(part, w, at, out)) return false;
  if (!tni_structure_eval_internal(part, w, at)) return false;
  for (int b = 0; b < s->nblock; b++) {
    const tni_structure_block *block = &s->block[b];
    for (int e = block->first; e < block->first + block->n && !block->batched; e++) {
      out->potential += w->energy[e];
      out->spent += w->plastic[e];
      out->dissipated += w->heat[e];
    }
    for (int i = 0; i < w->slabs[b].n; i++) {
      out->potential += w->sums[b*TNI_SLABS_MOST + i].energy;
      out->spent += w->sums[b*TNI_SLABS_MOST + i].dissipated;
    }
    size_t fe = block->fe, n = block->batched ? 0 : (size_t)block->n*(size_t)block->nv;
    for (size_t k = fe; k < fe + n; k++) out->squares += w->fe[k]*w->fe[k];
  }
  for (int i = 0; w->fb && i <= (s->nnode - 1)/NODE_GRAIN; i++) out->squares += w->parts[i][0];
  if (s->heat >= 0) out->spent += at->memory[part->memory + s->heat];
  tni_structure_add_masses(s, w, out);
  tni_structure_add_springs(s, w, out);
  tni_structure_add_loads(s, w, at->t, false, &out->input);
  out->input += prescribed_power(s, w, at->t);
  tni_structure_scatter(part, w, at->kin, true, out->f, out->f6);
  return true;
}

/* unknowns that loads act on directly; nodes that follow others or bodies are left to the rule of trapezoids */
static double along(const tni_part *part, const void *user, double t, const double *x) {
  const tni_structure *s = of(part);
  const tni_structure_work *w = user;
  size_t d = (size_t)s->ndof;
  int most = s->ndof < 3 ? s->ndof : 3;
  double sum = 0;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    double f[3], p = tni_structure_value(l->pressure, t);
    if (l->kind == TNI_LOAD_SPIN) continue;
    for (int c = 0; c < 3; c++) f[c] = tni_structure_value(l->f[c], t);
    for (int k = 0; k < l->n; k++)
      for (int c = 0; c < most; c++) {
        int n = s->unknown[(size_t)l->node[k]*d + (size_t)c];
        if (n >= 0) sum += x[n]*(l->share[k]*f[c] - (l->follows || !l->normal ? 0 : p*l->normal[3*k + c]));
      }
    for (int k = 0; k < l->nface && l->follows && p != 0; k++) {
      int node[TNI_CELL_MAXFACENODE];
      double at[3*TNI_CELL_MAXFACENODE], g[3*TNI_CELL_MAXFACENODE];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int nn = tni_structure_face_nodes(s, l, k, w->x, &cell, node, at);
      tni_face_load(cell, at, p, none, l->width[k], s->plane == TNI_PLANE_AXISYMMETRIC, g, NULL);
      for (int a = 0; a < nn; a++)
        for (int c = 0; c < most; c++) {
          int n = s->unknown[(size_t)node[a]*d + (size_t)c];
          if (n >= 0) sum += x[n]*g[3*a + c];
        }
    }
  }
  return sum;
}

static double kinetic(const tni_part *part, void *user, const tni_part_at *at) {
  const tni_structure *s = of(part);
  (void)user;
  double sum = 0;
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    double v = at->v ? tni_structure_value(m->x[1], at->t) : 0;
    sum += 0.5*(m->component < 3 ? s->mass[m->node] : s->turning ? s->turning[m->node] : 0)*v*v;
  }
  return sum;
}

/* ---- history ------------------------------------------------------------------------------------ */

static void eval_history(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure_block *b = j->block;
  for (int e = begin; e < end; e++) {
    tni_structure_local l;
    double f[TNI_SOLID_MAXDOF];
    tni_solid_out o = {.f = f};
    tni_structure_gather(j, e, &l);
    bool fine = b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE, &o);
    j->w->plastic[b->first + e] = fine ? o.dissipated : 0;
    /* what has no force keeps the history it had */
    if (!fine) memcpy(l.at.state, l.at.state0, (size_t)b->kind.nstate*sizeof(double));
  }
}

static void increment(const tni_part *part, void *user, const tni_part_at *at, double *memory) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  tni_structure_place(part, w, at);
  double heat = 0;
  for (int b = 0; b < s->nblock; b++) {
    const tni_structure_block *block = &s->block[b];
    if (block->kind.nstate == 0) continue;
    tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = block, .history = true};
    if (block->batched) eval_batch(&j);
    else tni_parallel_for(s->ctx, block->n, ELEMENT_GRAIN, eval_history, &j);
    for (int e = 0; e < block->n && !block->batched; e++) heat += w->plastic[block->first + e];
    for (int i = 0; i < w->slabs[b].n; i++) heat += w->sums[b*TNI_SLABS_MOST + i].dissipated;
    memcpy(memory + part->memory + block->state, w->state + block->state,
           (size_t)block->n*(size_t)block->kind.nstate*sizeof(double));
  }
  if (s->heat >= 0) memory[part->memory + s->heat] += heat;
}

static void commit(const tni_part *part, void *user, const tni_part_at *at, double *memory) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  increment(part, user, at, memory);
  for (int i = 0; i < s->nnode && w->T; i++)
    if (s->carrier[i] < 0 && s->active[i] == 6)
      tni_turn_accept(w->u + (size_t)i*(size_t)s->ndof + 3, memory + part->memory + s->turns + 7*(size_t)i);
}

/* Largest frequency with springs: that of the elements and, by Gershgorin's circles, of the springs between masses of nodes; both
 * bounds hold for components that follow as well. Nodes without mass of their own have none. */
static double spring_rate(const tni_structure *s, tni_structure_work *w, double most, double *damping) {
  if (s->nspring == 0) return most;
  double *k = w->f, *c = w->rate, squares = 0, rates = 0;
  memset(k, 0, (size_t)s->nnode*sizeof(double));
  memset(c, 0, (size_t)s->nnode*sizeof(double));
  for (int i = 0; i < s->nspring; i++)
    for (int e = 0; e < 2 && s->spring[i].node[e] >= 0; e++) {
      double ends = s->spring[i].node[1] >= 0 ? 2 : 1;
      k[s->spring[i].node[e]] += ends*s->spring[i].k;
      c[s->spring[i].node[e]] += ends*s->spring[i].c;
    }
  for (int i = 0; i < s->nnode; i++) {
    if (s->mass[i] > 0) squares = fmax(squares, k[i]/s->mass[i]), rates = fmax(rates, c[i]/s->mass[i]);
    else if (k[i] > 0 || c[i] > 0) squares = HUGE_VAL;
  }
  double all = sqrt(most*most + squares);
  if (rates > 0 && all > 0) *damping += 0.5*rates/all;
  return all;
}

/* frequencies of elements, into memory of their heat, which forces write anew; in batches at rest the bound of the batch */
static void eval_rates(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure_block *b = j->block;
  bool many = b->batched && !b->kind.large;
  tni_batch_in in = {.kind = &b->kind, .node = b->node, .X = j->s->mesh->x};
  double most = fmax(0, j->least);
  for (int e = begin; e < end; e++) {
    tni_structure_local l;
    if (many) {
      j->w->heat[b->first + e] = b->kind.type->batch->rate(&in, e, e + 1);
      continue;
    }
    tni_structure_gather(j, e, &l);
    l.at.least = most;
    double own = j->w->heat[b->first + e] = b->kind.type->rate(&b->kind, &l.at);
    if (j->least >= 0) most = fmax(most, own);
  }
}

static double rate(const tni_part *part, void *user, const tni_part_at *at, double *damping) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  double most = 0;
  tni_structure_place(part, w, at);
  for (int b = 0; b < s->nblock; b++) {
    tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = &s->block[b]};
    const double *r = s->block[b].kind.matter->rayleigh;
    j.least = s->scaling || r[0] > 0 || r[1] > 0 ? -1 : most; /* all of them where all count */
    tni_parallel_for(s->ctx, s->block[b].n, ELEMENT_GRAIN, eval_rates, &j);
    for (int e = 0; e < s->block[b].n; e++) {
      double own = w->heat[s->block[b].first + e];
      if (s->scaling) own /= sqrt(s->scaling[s->block[b].first + e]);
      most = fmax(most, own);
      if (own > 0) *damping = fmax(*damping, 0.5*(r[0]/own + r[1]*own));
    }
    for (int e = 0; e < s->block[b].n && s->bulk; e++) {
      tni_structure_local l;
      tni_structure_gather(&j, e, &l);
      *damping = fmax(*damping, tni_structure_viscosity(s, &s->block[b], &l, NULL, NULL));
    }
  }
  return spring_rate(s, w, most, damping);
}

bool tni_structure_is_linear(const tni_structure *s) {
  bool linear = !s->large && s->heat < 0 && !s->bulk;
  for (int i = 0; i < s->nload; i++) linear = linear && !s->load[i].follows;
  for (int i = 0; i < s->nblock; i++) {
    const tni_solid_kind *k = &s->block[i].kind;
    const char *option = k->type->option ? k->type->option[k->option] : NULL;
    linear = linear && k->matter->type->linear && !(option && strcmp(option, "cable") == 0); /* slack cables push nothing */
  }
  return linear;
}

/* ---- names --------------------------------------------------------------------------------------- */

static void label(const tni_part *part, int unknown, char *out, size_t n) {
  static const char *const axis[6] = {"x", "y", "z", "rx", "ry", "rz"};
  const tni_structure *s = of(part);
  for (int i = 0; i < s->nnode; i++)
    for (int c = 0; c < s->ndof; c++)
      if (s->unknown[(size_t)i*(size_t)s->ndof + (size_t)c] == unknown) {
        snprintf(out, n, "%s.node[%lld].%s", part->name, (long long)s->mesh->gid[i], axis[c]);
        return;
      }
  snprintf(out, n, "%s", part->name);
}

static void trouble(const tni_part *part, const void *user, char *out, size_t n) {
  const tni_structure *s = of(part);
  const tni_structure_work *w = user;
  int e = w->bad, b = 0;
  if (e < 0) {
    snprintf(out, n, "its forces are not finite");
    return;
  }
  while (b + 1 < s->nblock && s->block[b+1].first <= e) b++;
  int cell = s->block[b].cell[e - s->block[b].first], in_block;
  const tni_mesh_block *mb = tni_mesh_cell(s->mesh, cell, &in_block);
  snprintf(out, n, "element %lld (%s) is turned inside out or beyond the reach of its material; smaller steps of "
           "load or time, or a finer mesh, may help", (long long)mb->gid[in_block], s->block[b].kind.type->name);
}

const tni_part_ops tni_structure_ops = {.name = "structure", .begin = begin, .force = force, .tangent = tni_structure_tangent,
                                        .doubt = tni_structure_doubt,
                                        .kinetic = kinetic, .commit = commit, .increment = increment, .rate = rate, .along = along, .fill = tni_structure_fill, .label = label,
                                        .trouble = trouble, .march_begin = tni_structure_march_begin,
                                        .march_set = tni_structure_march_set, .march_get = tni_structure_march_get,
                                        .march_loads = tni_structure_march_loads, .march = tni_structure_march,
                                        .cut = tni_structure_cut, .cut_tangent = tni_structure_cut_tangent, .seams = tni_structure_seams, .piece = tni_structure_piece,
                                        .elements = tni_structure_elements, .element_place = tni_structure_place,
                                        .element_tangent = tni_structure_element_tangent, .element_product = tni_structure_element_product};
