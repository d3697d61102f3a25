/* solids/structure.c - a mesh as a part of the system: forces, tangents, history, fields
 *
 *   x_i = X_i + u_i                unknowns, or prescribed functions of time
 *   x_i = r + A s_i                carried by a body;  delta x_i = delta r - A ~s_i delta theta
 *   f   = f_ext(t, x) + m g - f_int(u, history) - alpha M v - beta K v
 *
 * A force F on a carried node is the wrench (F, s x A^T F) on its body. Derivatives by the chain rule; what the turn of
 * the body does to the torque is s x (A^T F x delta theta).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/structure.h"

#include <math.h>
#include <stdio.h>

#include "parallel/pool.h"
#include "solids/batch.h"
#include "solids/slabs.h"

enum { ELEMENT_GRAIN = 16, NODE_GRAIN = 512, BATCH = 128 };

/* of the elements of a slab (slabs.h) */
typedef struct {
  double energy, dissipated;
  int bad; /* element without a force, -1: none */
} slab_sum;

typedef struct {
  double *u, *v;           /* [nnode][ndof] of all nodes                                    */
  double *x;               /* [nnode][3] where they are                                     */
  double *f;               /* [nnode][ndof] what acts on them, internal and external        */
  double *warm;            /* [nnode] temperature now; NULL: none, or it stays              */
  double *given, *given2, *rate; /* [nnode][ndof] prescribed velocities, accelerations; df/dt by them */
  double *spin;            /* [2][nnode][ndof] arms and what they give, of consistent masses */
  double *fe;              /* [nfe] of elements                                             */
  double *fb;              /* [nnode][3] of elements in batches; NULL: there are none       */
  double *energy, *heat;   /* [nelement]                                                    */
  double *plastic;         /* [nelement] turned into heat since the history was written     */
  double *K;               /* [BATCH][nv][nv] of elements                                   */
  tni_slabs *slabs;        /* [nblock] of those in batches                                  */
  slab_sum *sums;          /* [nblock][TNI_SLABS_MOST]                                      */
  double (*parts)[2];      /* [chunks of nodes] of a sum over nodes                          */
  bool *done;              /* [BATCH]                                                       */
  double *state;           /* [nmemory] history of the last commit                          */
  double *stress, *stress_u; /* [nnode][6] at nodes, where those were                       */
  bool stressed;
  double *T, *delta;       /* [nnode][9], [nnode][3] large rotations and what is new of them; NULL: none (structure_turn.c) */
  int bad;                 /* element without a force, -1: none                             */
} work;

static const tni_structure *of(const tni_part *part) { return part->data; }

static int largest_nv(const tni_structure *s) {
  int most = 0;
  for (int i = 0; i < s->nblock; i++) most = s->block[i].nv > most ? s->block[i].nv : most;
  return most;
}

/* temperatures at t; steady ones only where asked for all */
static void heat_nodes(const tni_structure *s, double t, bool moving, double *warm) {
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

static bool heat_changes(const tni_structure *s) {
  for (int i = 0; i < s->nheat; i++)
    if (!s->heating[i].steady) return true;
  return false;
}

static tn_status begin(const tni_part *part, tni_arena *arena, void **out) {
  const tni_structure *s = of(part);
  work *w;
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
    heat_nodes(s, 0, false, w->warm);
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
  TNI_ARENA_NEW(arena, w->K, BATCH*nv*nv);
  TNI_ARENA_NEW(arena, w->done, BATCH);
  TNI_ARENA_NEW(arena, w->state, part->nmemory);
  w->bad = -1;
  *out = w;
  return TN_OK;
}

/* ---- where the nodes are ---------------------------------------------------------------------- */

static double value_at(const tni_expr *e, double t) { return e ? tni_expr_eval(e, &t) : 0; }

typedef struct {
  const tni_part *part;
  const tni_structure *s;
  const tni_part_at *at;
  work *w;
  const tni_structure_block *block;
  unsigned want;
  int first;      /* element of the block that a batch begins with */
  const tni_slabs *slabs;
  slab_sum *sums;
  double *f;      /* of the unknowns */
  bool history;   /* write it */
  bool spins;     /* moments are those of spins */
} job;

static void place_node(const job *j, int i) {
  const tni_structure *s = j->s;
  work *w = j->w;
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
  const job *j = user;
  for (int i = begin; i < end; i++) place_node(j, i);
}

static void place(const tni_part *part, work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    size_t k = (size_t)m->node*d + (size_t)m->component;
    w->u[k] = value_at(m->x[0], at->t);
    w->v[k] = at->v ? value_at(m->x[1], at->t) : 0;
  }
  job j = {.part = part, .s = s, .at = at, .w = w};
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
  if (w->warm && heat_changes(s)) heat_nodes(s, at->t, true, w->warm);
}

/* ---- elements ----------------------------------------------------------------------------------- */

/* copies of what the nodes of element e of a block have */
typedef struct {
  double X[3*TNI_SOLID_MAXNODE], u[TNI_SOLID_MAXDOF], v[TNI_SOLID_MAXDOF], warm[TNI_SOLID_MAXNODE], T[9*8];
  tni_solid_at at;
} local;

static void gather(const job *j, int e, local *l) {
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
                         .director = b->director ? b->director + 3*(size_t)e*(size_t)b->nnode : NULL};
  if (j->history)
    l->at.state = j->w->state + b->state + (size_t)e*(size_t)b->kind.nstate;
}

static void eval_forces(void *user, int begin, int end) {
  const job *j = user;
  const tni_structure_block *b = j->block;
  double beta = b->kind.matter->rayleigh[1], K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  for (int e = begin; e < end; e++) {
    local l;
    int number = b->first + e;
    tni_solid_out o = {.f = j->w->fe + b->fe + (size_t)e*(size_t)b->nv, .K = K};
    gather(j, e, &l);
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
  }
}

/* Elements that are evaluated many at once, slabs of one colour beside each other. History is worked on in a copy: it is written by
 * commit alone. */
static void eval_slabs(void *user, int begin, int end) {
  const job *j = user;
  const tni_structure_block *b = j->block;
  work *w = j->w;
  size_t ns = (size_t)b->kind.nstate;
  for (int k = begin; k < end; k++) {
    int slab = j->slabs->slab[k], from = j->slabs->begin[slab], to = j->slabs->begin[slab + 1];
    size_t first = (size_t)b->state + (size_t)from*ns;
    if (ns) memcpy(w->state + first, j->at->memory + j->part->memory + first, (size_t)(to - from)*ns*sizeof(double));
    tni_batch_in in = {.kind = &b->kind, .node = b->node, .X = j->s->mesh->x, .u = w->u, .state = ns ? w->state + b->state : NULL};
    tni_batch_out out = {.f = w->fb};
    slab_sum *sum = &j->sums[slab];
    *sum = (slab_sum){.bad = -1};
    if (!b->kind.type->batch->force(&in, from, to, &out)) sum->bad = out.failed;
    else if (!isfinite(out.energy_sum)) sum->bad = from;
    sum->energy = out.energy_sum;
    sum->dissipated = out.dissipated_sum;
  }
}

typedef struct {
  job *j;
  int first;
} slab_range;

static void eval_colour(void *user, int begin, int end) {
  const slab_range *r = user;
  eval_slabs(r->j, r->first + begin, r->first + end);
}

static void eval_batch(job *j) {
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
  const job *j = user;
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
static int face_nodes(const tni_structure *s, const tni_load *l, int k, const double *x, tni_cell *cell, int *node,
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
static void add_spin(const tni_structure *s, work *w, const tni_load *l, double w2, double *power) {
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
static void add_loads(const tni_structure *s, work *w, double t, bool rate, double *power) {
  size_t d = (size_t)s->ndof;
  int most = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    double f[3], p = value_at(rate ? l->pressure_t : l->pressure, t);
    for (int c = 0; c < 3; c++) f[c] = value_at(rate ? l->f_t[c] : l->f[c], t);
    if (l->kind == TNI_LOAD_SPIN) {
      double w0 = value_at(l->f[0], t), w2 = rate ? 2*w0*f[0] : w0*w0;
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
      int n = face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, s->thickness, s->plane == TNI_PLANE_AXISYMMETRIC, g, NULL);
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
  const job *j = user;
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
static void scatter(const tni_part *part, work *w, const tni_kin *kin, bool spins, double *f, double *f6) {
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  job j = {.s = s, .w = w, .f = f, .spins = spins && w->T};
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
  const job *j = user;
  const tni_structure *s = j->s;
  work *w = j->w;
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
static void add_masses(const tni_structure *s, work *w, tni_part_out *out) {
  size_t d = (size_t)s->ndof;
  job j = {.s = s, .w = w};
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
static void add_springs(const tni_structure *s, work *w, tni_part_out *out) {
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
static double prescribed_power(const tni_structure *s, const work *w, double t) {
  double power = 0;
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    size_t k = (size_t)m->node*(size_t)s->ndof + (size_t)m->component;
    double mass = m->component < 3 ? s->mass[m->node] : s->turning ? s->turning[m->node] : 0;
    if (m->x[1]) power += (mass*value_at(m->x[2], t) - w->f[k])*w->v[k];
  }
  return power;
}

/* internal forces of all elements into w->f; false: one has none */
static bool eval_internal(const tni_part *part, work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  w->bad = -1;
  if (w->fb) memset(w->fb, 0, 3*(size_t)s->nnode*sizeof(double));
  for (int b = 0; b < s->nblock; b++) {
    job j = {.part = part, .s = s, .at = at, .w = w, .block = &s->block[b]};
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
  job j = {.s = s, .w = w};
  tni_parallel_for(s->ctx, s->nnode, NODE_GRAIN, sum_nodes, &j);
  return true;
}

static bool force(const tni_part *part, void *user, const tni_part_at *at, tni_part_out *out) {
  const tni_structure *s = of(part);
  work *w = user;
  place(part, w, at);
  if (!eval_internal(part, w, at)) return false;
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
  add_masses(s, w, out);
  add_springs(s, w, out);
  add_loads(s, w, at->t, false, &out->input);
  out->input += prescribed_power(s, w, at->t);
  scatter(part, w, at->kin, true, out->f, out->f6);
  return true;
}

/* unknowns that loads act on directly; nodes that follow others or bodies are left to the rule of trapezoids */
static double along(const tni_part *part, const void *user, double t, const double *x) {
  const tni_structure *s = of(part);
  const work *w = user;
  size_t d = (size_t)s->ndof;
  int most = s->ndof < 3 ? s->ndof : 3;
  double sum = 0;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    double f[3], p = value_at(l->pressure, t);
    if (l->kind == TNI_LOAD_SPIN) continue;
    for (int c = 0; c < 3; c++) f[c] = value_at(l->f[c], t);
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
      int nn = face_nodes(s, l, k, w->x, &cell, node, at);
      tni_face_load(cell, at, p, none, s->thickness, s->plane == TNI_PLANE_AXISYMMETRIC, g, NULL);
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
    double v = at->v ? value_at(m->x[1], at->t) : 0;
    sum += 0.5*(m->component < 3 ? s->mass[m->node] : s->turning ? s->turning[m->node] : 0)*v*v;
  }
  return sum;
}

/* ---- tangents ----------------------------------------------------------------------------------- */

static void eval_stiffness(void *user, int begin, int end) {
  const job *j = user;
  const tni_structure_block *b = j->block;
  size_t n2 = (size_t)b->nv*(size_t)b->nv;
  for (int k = begin; k < end; k++) {
    local l;
    double f[TNI_SOLID_MAXDOF];
    tni_solid_out o = {.f = f, .K = j->w->K + (size_t)k*n2};
    gather(j, j->first + k, &l);
    j->w->done[k] = b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &o);
  }
}

/* columns of a node as unknowns or of its carrier: what a displacement of the node follows */
typedef struct {
  int node, own, carrier;
  int n;                 /* unknowns, or components of the carrier that the layout has */
  int unknown0;
  signed char component[6]; /* of the node, of its unknowns                        */
  bool leads;            /* the node leads the one that is meant                    */
  double B[36];          /* [active][6] by the motion of the carrier, of the leader */
} end_of;

static void find_end(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, int node, int own,
                     end_of *e) {
  const tni_structure *s = of(part);
  e->node = node;
  e->own = s->own[node];
  e->carrier = s->carrier[node];
  e->n = 0;
  e->leads = false;
  if (e->carrier >= 0) {
    const double *A = at->kin[part->carrier[e->carrier] + 1].A;
    double S[9], AS[9];
    mat3_skew(S, s->arm + 3*(size_t)node);
    mat3_mul(AS, A, S);
    memset(e->B, 0, sizeof(e->B));
    for (int c = 0; c < own && c < 3; c++) {
      e->B[6*c + c] = 1;
      for (int k = 0; k < 3; k++) e->B[6*c + 3 + k] = -AS[3*c + k];
    }
    for (int c = 3; c < own; c++)
      for (int k = 0; k < 3; k++) e->B[6*c + 3 + k] = A[3*(c - 3) + k];
    e->n = out->body_size;
    return;
  }
  for (int c = 0; c < own; c++)
    if (s->unknown[(size_t)node*(size_t)s->ndof + (size_t)c] >= 0) e->component[e->n++] = (signed char)c;
}

/* ends of a node: itself and its leaders */
static int count_ends(const tni_structure *s, int node) {
  return 1 + (s->lead_adr ? s->lead_adr[node+1] - s->lead_adr[node] : 0);
}

static void find_leader(const tni_structure *s, int node, int k, int own, end_of *e) {
  size_t d = (size_t)s->ndof;
  int at = s->lead_adr[node] + k, leader = s->lead_node[at];
  *e = (end_of){.node = leader, .own = s->own[leader], .carrier = TNI_NOT_CARRIED, .leads = true};
  for (int c = 0; c < s->ndof; c++)
    if (s->unknown[(size_t)leader*d + (size_t)c] >= 0) e->component[e->n++] = (signed char)c;
  for (int c = 0; c < own; c++)
    for (size_t m = 0; m < d; m++) e->B[6*c + (int)m] = s->lead_B[((size_t)at*d + (size_t)c)*d + m];
}

/* place of node b among the neighbours of node a, both own */
static int near_column(const tni_part *part, const tni_structure *s, int a, int b) {
  int low = part->near_adr[a], high = part->near_adr[a+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (part->near_node[mid] < b) low = mid + 1;
    else high = mid;
  }
  return s->near_col[low];
}

static int touch_place(const tni_part *part, int carrier, int own) {
  int low = part->touch_adr[carrier], high = part->touch_adr[carrier+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (part->touch[mid] < own) low = mid + 1;
    else high = mid;
  }
  return low;
}

/* first entry and row length of the block of two ends */
static void block_place(const tni_part *part, const tni_part_places *p, const end_of *r, const end_of *c, int *at,
                        int *width) {
  const tni_structure *s = of(part);
  if (r->carrier < 0 && c->carrier < 0) {
    *at = p->start[r->own] + near_column(part, s, r->own, c->own);
    *width = p->width[r->own];
  } else if (r->carrier < 0) {
    *at = p->touch_node[touch_place(part, c->carrier, r->own)];
    *width = p->width[r->own];
  } else if (c->carrier < 0) {
    *at = p->touch_body[touch_place(part, r->carrier, c->own)];
    *width = p->body_width[r->carrier];
  } else {
    *at = p->pair[part->ncarrier*r->carrier + c->carrier];
    *width = p->body_width[r->carrier];
  }
}

/* how component m of the node that an end stands for moves with its unknown k */
static double column_of(const tni_part_tangent *out, const end_of *e, int m, int k) {
  if (e->carrier >= 0) return e->B[6*m + out->body_role[k]];
  return e->leads ? e->B[6*m + (int)e->component[k]] : (int)e->component[k] == m;
}

/* out += factor X, the block of X [own nn][own nn] at the nodes a, b of an element */
static void add_block(const tni_part *part, const tni_part_tangent *out, const end_of *r, const end_of *c, int own,
                      const double *X, int ld, double factor, double *to) {
  int at, width;
  if (r->n == 0 || c->n == 0) return;
  block_place(part, out->places, r, c, &at, &width);
  to += at;
  if (r->carrier < 0 && c->carrier < 0 && !r->leads && !c->leads) {
    for (int i = 0; i < r->n; i++, to += width)
      for (int k = 0; k < c->n; k++) to[k] += factor*X[(int)r->component[i]*ld + (int)c->component[k]];
    return;
  }
  /* T_r^T X T_c by the columns that each end has */
  double Y[36];
  memset(Y, 0, sizeof(Y));
  for (int i = 0; i < own; i++)
    for (int k = 0; k < c->n; k++)
      for (int m = 0; m < own; m++) {
        Y[6*i + k] += X[i*ld + m]*column_of(out, c, m, k);
      }
  for (int i = 0; i < r->n; i++, to += width)
    for (int k = 0; k < c->n; k++) {
      double sum = 0;
      for (int m = 0; m < own; m++)
        sum += column_of(out, r, m, i)*Y[6*m + k];
      to[k] += factor*sum;
    }
}

/* out += factor X between two nodes, with all that they follow */
static void add_nodes(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, int a, int b, int own, const double *X,
                      int ld, double factor, double *to) {
  const tni_structure *s = of(part);
  int na = count_ends(s, a), nb = count_ends(s, b);
  for (int i = 0; i < na; i++) {
    end_of r, c;
    if (i == 0) find_end(part, at, out, a, own, &r);
    else find_leader(s, a, i - 1, own, &r);
    for (int k = 0; k < nb; k++) {
      if (k == 0) find_end(part, at, out, b, own, &c);
      else find_leader(s, b, k - 1, own, &c);
      add_block(part, out, &r, &c, own, X, ld, factor, to);
    }
  }
}

/* A force F on a carried node keeps its direction while the body turns: torque s x (A^T F x dtheta) */
static void add_turn(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, const end_of *e,
                     const double F[3], const double *moment) {
  const tni_structure *s = of(part);
  double own[3], S[9], G[9], SG[9];
  mat3_tvec(own, at->kin[part->carrier[e->carrier] + 1].A, F);
  mat3_skew(S, s->arm + 3*(size_t)e->node);
  mat3_skew(G, own);
  mat3_mul(SG, S, G);
  if (moment) { /* it keeps its direction likewise: A^T m x dtheta */
    mat3_tvec(own, at->kin[part->carrier[e->carrier] + 1].A, moment);
    mat3_skew(G, own);
    for (int i = 0; i < 9; i++) SG[i] += G[i];
  }
  double *to = out->K + out->places->pair[(part->ncarrier + 1)*e->carrier];
  for (int i = 0; i < out->body_size; i++, to += out->places->body_width[e->carrier])
    for (int k = 0; k < out->body_size; k++)
      if (out->body_role[i] >= 3 && out->body_role[k] >= 3)
        to[k] += out->factor*SG[3*(out->body_role[i] - 3) + out->body_role[k] - 3];
}

/* The same end by what the turn of its carrier does to the velocity of the node at constant v, w:
 * d(A (w x s)) = A (dtheta x (w x s)), of rotations A (dtheta x w) */
static void find_swing(const tni_part *part, const tni_part_at *at, int own, end_of *e) {
  const tni_structure *s = of(part);
  const tni_kin *k = &at->kin[part->carrier[e->carrier] + 1];
  double ws[3], S[9], AS[9];
  memset(e->B, 0, sizeof(e->B));
  vec3_cross(ws, k->w, s->arm + 3*(size_t)e->node);
  for (int c = 0; c < own; c += 3) {
    mat3_skew(S, c ? k->w : ws);
    mat3_mul(AS, k->A, S);
    for (int r = c; r < c + 3 && r < own; r++)
      for (int i = 0; i < 3; i++) e->B[6*r + 3 + i] = -AS[3*(r - c) + i];
  }
}

static void add_element(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out,
                        const tni_structure_block *b, int e, const double *K) {
  const tni_structure *s = of(part);
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  double beta = b->kind.matter->rayleigh[1];
  end_of end[TNI_SOLID_MAXNODE];
  bool follows = false;
  for (int a = 0; a < b->nnode && s->lead_adr; a++) follows = follows || count_ends(s, node[a]) > 1;
  for (int a = 0; a < b->nnode; a++) find_end(part, at, out, node[a], own, &end[a]);
  for (int a = 0; a < b->nnode; a++)
    for (int c = 0; c < b->nnode; c++) {
      const double *X = K + (size_t)(a*own)*(size_t)b->nv + (size_t)(c*own);
      if (follows) {
        if (out->K) add_nodes(part, at, out, node[a], node[c], own, X, b->nv, -out->factor, out->K);
        if (out->D && beta > 0) add_nodes(part, at, out, node[a], node[c], own, X, b->nv, -beta*out->factor, out->D);
        continue;
      }
      if (out->K) add_block(part, out, &end[a], &end[c], own, X, b->nv, -out->factor, out->K);
      if (out->D && beta > 0) add_block(part, out, &end[a], &end[c], own, X, b->nv, -beta*out->factor, out->D);
    }
  for (int c = 0; c < b->nnode && out->K && beta > 0; c++) {
    if (end[c].carrier < 0) continue;
    end_of swing = end[c];
    find_swing(part, at, own, &swing);
    for (int a = 0; a < b->nnode; a++)
      for (int i = 0; i < count_ends(s, node[a]); i++) {
        end_of r = end[a];
        if (i > 0) find_leader(s, node[a], i - 1, own, &r);
        add_block(part, out, &r, &swing, own, K + (size_t)(a*own)*(size_t)b->nv + (size_t)(c*own), b->nv, -beta*out->factor, out->K);
      }
  }
}

/* out += factor M (x) P with consistent masses: each number m of M becomes the block m P [3][3]; alpha: times damping by mass */
static void add_masses_times(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, const double P[9], int own,
                             bool alpha, double factor, double *to) {
  const tni_structure *s = of(part);
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int nd = b->nv/b->nnode;
    double a = factor*(alpha ? b->kind.matter->rayleigh[0] : 1);
    for (int e = 0; e < b->n && a != 0; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      double M[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF], Y[3*TNI_SOLID_MAXNODE];
      for (int i = 0; i < b->nnode; i++) vec3_copy(Y + 3*i, s->mesh->x + 3*(size_t)node[i]);
      b->kind.type->mass(&b->kind, Y, false, M);
      for (int i = 0; i < b->nnode; i++)
        for (int j = 0; j < b->nnode; j++) {
          double X[36] = {0};
          int n = alpha ? nd : own;
          for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++)
              X[6*r + c] = alpha ? M[b->nv*(i*nd + r) + j*nd + c] : M[b->nv*(i*nd) + j*nd]*P[3*r + c];
          add_nodes(part, at, out, node[i], node[j], n, X, 6, a, to);
        }
    }
  }
}

static void add_spring_tangents(const tni_part *part, const work *w, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    tni_spring_now now;
    tni_spring_eval(s, p, w->u, w->v, w->x, &now);
    bool line = p->component[0] < 0, turns = line && s->large && now.l > 0;
    for (int a = 0; a < 2 && p->node[a] >= 0; a++)
      for (int b = 0; b < 2 && p->node[b] >= 0; b++) {
        double K[36], D[36], sign = a == b ? 1 : -1;
        for (int r = 0; r < 6; r++)
          for (int c = 0; c < 6; c++) {
            K[6*r + c] = p->k*now.S[a][r]*now.S[b][c];
            D[6*r + c] = p->c*now.S[a][r]*now.S[b][c];
            if (turns && r < 3 && c < 3)
              K[6*r + c] += sign*(now.f*((r == c) - now.n[r]*now.n[c]) + p->c*now.n[r]*now.across[c])/now.l;
          }
        if (out->K) add_nodes(part, at, out, p->node[a], p->node[b], s->ndof, K, 6, -out->factor, out->K);
        if (out->D && p->c > 0) add_nodes(part, at, out, p->node[a], p->node[b], s->ndof, D, 6, -out->factor, out->D);
      }
  }
}

/* loads that follow, by their places */
static void add_load_tangents(const tni_part *part, const work *w, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  int own = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    if (!l->follows) continue;
    if (l->kind == TNI_LOAD_SPIN) {
      double w0 = value_at(l->f[0], at->t), P[9];
      for (int k = 0; k < 9; k++) P[k] = w0*w0*((k % 4 == 0) - l->axis[k/3]*l->axis[k % 3]);
      for (int n = 0; n < s->nnode; n++) {
        double X[9], mass = s->consistent ? s->own_mass[n] : s->mass[n];
        if (s->active[n] == 0 || mass == 0) continue;
        for (int k = 0; k < 9; k++) X[k] = mass*P[k];
        add_nodes(part, at, out, n, n, own, X, 3, out->factor, out->K);
      }
      if (s->consistent) add_masses_times(part, at, out, P, own, false, out->factor, out->K);
      continue;
    }
    double p = value_at(l->pressure, at->t);
    for (int k = 0; k < l->nface && p != 0; k++) {
      enum { N = 3*TNI_CELL_MAXFACENODE };
      int node[TNI_CELL_MAXFACENODE];
      double x[N], g[N], X[N*N];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int n = face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, s->thickness, s->plane == TNI_PLANE_AXISYMMETRIC, g, X);
      for (int a = 0; a < n; a++)
        for (int c = 0; c < n; c++)
          add_nodes(part, at, out, node[a], node[c], own, X + 3*a*3*n + 3*c, 3*n, out->factor, out->K);
    }
  }
}

/* rate of f by prescribed motions: w->rate -= K u' of the nodes that they move */
static void add_motion_rate(const tni_structure *s, work *w, const tni_structure_block *b, int e, const double *K) {
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  size_t d = (size_t)s->ndof;
  double v[TNI_SOLID_MAXDOF], beta = b->kind.matter->rayleigh[1];
  bool any = false;
  for (int a = 0; a < b->nnode; a++)
    for (int c = 0; c < own; c++) {
      v[own*a + c] = w->given[(size_t)node[a]*d + (size_t)c] + beta*w->given2[(size_t)node[a]*d + (size_t)c];
      any = any || v[own*a + c] != 0;
    }
  for (int a = 0; a < b->nnode && any; a++)
    for (int c = 0; c < own; c++)
      for (int k = 0; k < b->nv; k++)
        w->rate[(size_t)node[a]*d + (size_t)c] -= K[(size_t)(own*a + c)*(size_t)b->nv + (size_t)k]*v[k];
}

/* velocities of prescribed nodes, of all others 0; false: all rest */
static bool given_rates(const tni_structure *s, work *w, double t, bool still) {
  bool any = false;
  size_t bytes = (size_t)s->nnode*(size_t)s->ndof*sizeof(double);
  memset(w->rate, 0, bytes);
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    double *v = &w->given[(size_t)m->node*(size_t)s->ndof + (size_t)m->component];
    *v = value_at(m->x[1], t);
    w->given2[(size_t)m->node*(size_t)s->ndof + (size_t)m->component] = still ? 0 : value_at(m->x[2], t);
    any = any || m->x[1];
  }
  for (int i = 0; i < s->ngift; i++) any = any || s->gift[i].x[1];
  if (s->follows) {
    tni_follow_place(s, t, 1, w->given);
    tni_follow_place(s, t, still ? -1 : 2, w->given2);
  }
  return any;
}

/* the same of centrifugal forces, where followers and consistent masses hand them on */
static void add_spin_rate(const tni_structure *s, work *w, const tni_load *l, double t) {
  size_t d = (size_t)s->ndof, all = (size_t)s->nnode*d;
  double w0 = value_at(l->f[0], t);
  if (!s->follows && !s->consistent) return;
  if (s->consistent) memset(w->spin, 0, all*sizeof(double));
  for (int n = 0; n < s->nnode; n++) {
    double v[3] = {0}, mass = s->consistent ? s->own_mass[n] : s->mass[n];
    for (size_t c = 0; c < 3 && c < d; c++) v[c] = w->given[(size_t)n*d + c];
    vec3_addmul(v, -vec3_dot(v, l->axis), l->axis);
    for (size_t c = 0; c < 3 && c < d; c++) {
      w->rate[(size_t)n*d + c] += mass*w0*w0*v[c];
      if (s->consistent) w->spin[(size_t)n*d + c] = v[c];
    }
  }
  if (s->consistent) tni_structure_apply_mass(s, false, w0*w0, w->spin, w->rate);
}

/* the same of pressure that follows a surface which prescribed motions deform */
static void add_follow_rate(const tni_structure *s, work *w, double t) {
  size_t d = (size_t)s->ndof;
  int own = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    if (l->follows && l->kind == TNI_LOAD_SPIN) add_spin_rate(s, w, l, t);
    double p = l->follows && l->kind == TNI_LOAD_FACES ? value_at(l->pressure, t) : 0;
    for (int k = 0; k < l->nface && p != 0; k++) {
      enum { N = 3*TNI_CELL_MAXFACENODE };
      int node[TNI_CELL_MAXFACENODE];
      double x[N], g[N], X[N*N];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int n = face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, s->thickness, s->plane == TNI_PLANE_AXISYMMETRIC, g, X);
      for (int a = 0; a < n; a++)
        for (int r = 0; r < own; r++)
          for (int b = 0; b < n; b++)
            for (int c = 0; c < own; c++)
              w->rate[(size_t)node[a]*d + (size_t)r] += X[(3*a + r)*3*n + 3*b + c]*w->given[(size_t)node[b]*d + (size_t)c];
    }
  }
}

/* of springs between prescribed nodes and others */
static void add_spring_rate(const tni_structure *s, work *w) {
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    tni_spring_now now;
    tni_spring_eval(s, p, w->u, w->v, w->x, &now);
    bool turns = p->component[0] < 0 && s->large && now.l > 0;
    double speed = 0, change = 0, across[3] = {0};
    for (int e = 0; e < 2 && p->node[e] >= 0; e++)
      for (int c = 0; c < s->ndof; c++) {
        double v = w->given[(size_t)p->node[e]*d + (size_t)c];
        speed += now.S[e][c]*v;
        change += now.S[e][c]*w->given2[(size_t)p->node[e]*d + (size_t)c];
        if (turns && c < 3) across[c] += (e ? 1 : -1)*v;
      }
    for (int c = 0; c < 3; c++) across[c] -= speed*now.n[c];
    double f = p->k*speed + p->c*change + (turns ? p->c*vec3_dot(now.across, across)/now.l : 0);
    for (int e = 0; e < 2 && p->node[e] >= 0; e++)
      for (int c = 0; c < s->ndof; c++)
        w->rate[(size_t)p->node[e]*d + (size_t)c] -=
            f*now.S[e][c] + (turns && c < 3 ? (e ? 1 : -1)*now.f*across[c]/now.l : 0);
  }
}

/* of damping by mass where followers and consistent masses hand it on */
static void add_damping_rate(const tni_structure *s, work *w) {
  size_t d = (size_t)s->ndof;
  if (s->consistent) tni_structure_apply_mass(s, true, -1, w->given2, w->rate);
  for (int i = 0; i < s->nnode && !s->consistent; i++)
    for (size_t c = 0; c < 3 && c < d; c++) w->rate[(size_t)i*d + c] -= s->alpha[i]*s->mass[i]*w->given2[(size_t)i*d + c];
}

/* of temperatures, by central differences: exact where stresses are linear in them */
static bool add_heat_rate(const tni_part *part, work *w, const tni_part_at *at) {
  static const double STEP = 1e-4;
  const tni_structure *s = of(part);
  size_t n = (size_t)s->nnode*(size_t)s->ndof;
  for (int side = -1; side <= 1; side += 2) {
    heat_nodes(s, at->t + side*STEP, true, w->warm);
    if (!eval_internal(part, w, at)) return false;
    for (size_t k = 0; k < n; k++) w->rate[k] += side*w->f[k]/(2*STEP);
  }
  heat_nodes(s, at->t, true, w->warm);
  return true;
}

/* K of an element by spins -> by the unknowns of rotation: G^T K G */
static void turn_stiffness(const tni_structure *s, const work *w, const tni_structure_block *b, int e, double *K) {
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int nv = b->nv;
  for (int a = 0; a < b->nnode; a++) {
    double G[9], x[3], y[3];
    if (s->carrier[node[a]] >= 0) continue;
    tni_turn_rates(w->delta + 3*(size_t)node[a], G, NULL, NULL);
    for (int i = 0; i < nv; i++) { /* columns */
      mat3_tvec(y, G, K + i*nv + 6*a + 3);
      vec3_copy(K + i*nv + 6*a + 3, y);
    }
    for (int j = 0; j < nv; j++) { /* rows */
      for (int i = 0; i < 3; i++) x[i] = K[(6*a + 3 + i)*nv + j];
      mat3_tvec(y, G, x);
      for (int i = 0; i < 3; i++) K[(6*a + 3 + i)*nv + j] = y[i];
    }
  }
}

/* what rotations that are prescribed do to the direction in which moments on their nodes count */
static bool add_turn_rate(const tni_part *part, work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  if (!eval_internal(part, w, at)) return false;
  for (int i = 0; i < s->nnode; i++) {
    const double *v = w->given + 6*(size_t)i + 3;
    double G[9], D[9], x[3];
    if (s->carrier[i] >= 0 || s->active[i] != 6 || (v[0] == 0 && v[1] == 0 && v[2] == 0)) continue;
    tni_turn_rates(w->delta + 3*(size_t)i, G, w->f + 6*(size_t)i + 3, D);
    mat3_vec(x, D, v);
    vec3_add(w->rate + 6*(size_t)i + 3, w->rate + 6*(size_t)i + 3, x);
  }
  return true;
}

void tni_structure_place(const tni_part *part, void *user, const tni_part_at *at) { place(part, user, at); }

bool tni_structure_stiffness(const tni_part *part, void *user, const tni_part_at *at, int block, int element, double *K) {
  const tni_structure *s = of(part);
  work *w = user;
  const tni_structure_block *b = &s->block[block];
  job j = {.part = part, .s = s, .at = at, .w = w, .block = b};
  local l;
  double f[TNI_SOLID_MAXDOF];
  tni_solid_out o = {.f = f, .K = K};
  gather(&j, element, &l);
  if (b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &o)) {
    if (w->T && b->nv == 6*b->nnode) turn_stiffness(s, w, b, element, K);
    return true;
  }
  w->bad = b->first + element;
  return false;
}

static bool tangent(const tni_part *part, void *user, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  work *w = user;
  bool carried = part->ncarrier > 0, moves = out->f_t && given_rates(s, w, at->t, !at->v);
  place(part, w, at);
  w->bad = -1;
  for (int b = 0; b < s->nblock && (out->K || moves || (out->D && s->damped)); b++) {
    const tni_structure_block *block = &s->block[b];
    for (int first = 0; first < block->n; first += BATCH) {
      int n = block->n - first < BATCH ? block->n - first : BATCH;
      job j = {.part = part, .s = s, .at = at, .w = w, .block = block, .first = first};
      tni_parallel_for(s->ctx, n, 4, eval_stiffness, &j);
      for (int k = 0; k < n; k++) {
        if (!w->done[k]) {
          w->bad = block->first + first + k;
          return false;
        }
        double *K = w->K + (size_t)k*(size_t)block->nv*(size_t)block->nv;
        if (w->T && block->nv == 6*block->nnode) turn_stiffness(s, w, block, first + k, K);
        add_element(part, at, out, block, first + k, K);
        if (moves) add_motion_rate(s, w, block, first + k, K);
      }
    }
  }
  for (int i = 0; i < s->nnode && out->D && s->alpha && !s->consistent; i++) {
    double X[9] = {0};
    if (s->active[i] == 0 || s->carrier[i] >= 0 || s->alpha[i] == 0) continue;
    X[0] = X[4] = X[8] = -s->alpha[i]*s->mass[i];
    add_nodes(part, at, out, i, i, s->ndof < 3 ? s->ndof : 3, X, 3, out->factor, out->D);
  }
  if (out->D && s->alpha && s->consistent) {
    const double none[9] = {0};
    add_masses_times(part, at, out, none, 0, true, -out->factor, out->D);
  }
  if (s->nspring > 0) add_spring_tangents(part, w, at, out);
  if (out->K) add_load_tangents(part, w, at, out);
  if (out->K && (carried || w->T)) {
    double power = 0;
    tni_part_out none = {0};
    if (!eval_internal(part, w, at)) return false;
    add_springs(s, w, &none);
    add_loads(s, w, at->t, false, &power);
    for (int i = 0; i < s->nnode; i++) {
      const double *F = w->f + (size_t)i*(size_t)s->ndof;
      if (s->carrier[i] < 0) {
        double X[36] = {0}, G[9], D[9];
        if (!w->T || s->active[i] != 6) continue;
        /* what the unknowns of rotation do to the direction of the moment */
        tni_turn_rates(w->delta + 3*(size_t)i, G, F + 3, D);
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) X[6*(3 + r) + 3 + c] = D[3*r + c];
        add_nodes(part, at, out, i, i, 6, X, 6, out->factor, out->K);
        continue;
      }
      double F3[3] = {F[0], F[1], s->ndof > 2 ? F[2] : 0};
      end_of e;
      find_end(part, at, out, i, s->ndof < 3 ? s->ndof : 3, &e);
      add_turn(part, at, out, &e, F3, s->ndof == 6 ? F + 3 : NULL);
    }
  }
  if (out->f_t) {
    double power = 0;
    if (moves) add_follow_rate(s, w, at->t);
    if (moves) add_spring_rate(s, w);
    if (moves && s->alpha) add_damping_rate(s, w);
    if (moves && w->T && !add_turn_rate(part, w, at)) return false;
    if (w->warm && heat_changes(s) && !add_heat_rate(part, w, at)) return false;
    memcpy(w->f, w->rate, (size_t)s->nnode*(size_t)s->ndof*sizeof(double));
    add_loads(s, w, at->t, true, &power);
    scatter(part, w, at->kin, false, out->f_t, out->f6_t); /* rates are by unknowns already; loads have no moments */
  }
  return true;
}

/* ---- history ------------------------------------------------------------------------------------ */

static void eval_history(void *user, int begin, int end) {
  const job *j = user;
  const tni_structure_block *b = j->block;
  for (int e = begin; e < end; e++) {
    local l;
    double f[TNI_SOLID_MAXDOF];
    tni_solid_out o = {.f = f};
    gather(j, e, &l);
    bool fine = b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE, &o);
    j->w->plastic[b->first + e] = fine ? o.dissipated : 0;
    /* what has no force keeps the history it had */
    if (!fine) memcpy(l.at.state, l.at.state0, (size_t)b->kind.nstate*sizeof(double));
  }
}

static void commit(const tni_part *part, void *user, const tni_part_at *at, double *memory) {
  const tni_structure *s = of(part);
  work *w = user;
  place(part, w, at);
  double heat = 0;
  for (int b = 0; b < s->nblock; b++) {
    const tni_structure_block *block = &s->block[b];
    if (block->kind.nstate == 0) continue;
    job j = {.part = part, .s = s, .at = at, .w = w, .block = block, .history = true};
    if (block->batched) eval_batch(&j);
    else tni_parallel_for(s->ctx, block->n, ELEMENT_GRAIN, eval_history, &j);
    for (int e = 0; e < block->n && !block->batched; e++) heat += w->plastic[block->first + e];
    for (int i = 0; i < w->slabs[b].n; i++) heat += w->sums[b*TNI_SLABS_MOST + i].dissipated;
    memcpy(memory + part->memory + block->state, w->state + block->state,
           (size_t)block->n*(size_t)block->kind.nstate*sizeof(double));
  }
  if (s->heat >= 0) memory[part->memory + s->heat] += heat;
  for (int i = 0; i < s->nnode && w->T; i++)
    if (s->carrier[i] < 0 && s->active[i] == 6)
      tni_turn_accept(w->u + (size_t)i*(size_t)s->ndof + 3, memory + part->memory + s->turns + 7*(size_t)i);
}

/* Largest frequency with springs: that of the elements and, by Gershgorin's circles, of the springs between masses of nodes; both
 * bounds hold for components that follow as well. Nodes without mass of their own have none. */
static double spring_rate(const tni_structure *s, work *w, double most, double *damping) {
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
  const job *j = user;
  const tni_structure_block *b = j->block;
  bool many = b->batched && !b->kind.large;
  tni_batch_in in = {.kind = &b->kind, .node = b->node, .X = j->s->mesh->x};
  for (int e = begin; e < end; e++) {
    local l;
    if (many) {
      j->w->heat[b->first + e] = b->kind.type->batch->rate(&in, e, e + 1);
      continue;
    }
    gather(j, e, &l);
    j->w->heat[b->first + e] = b->kind.type->rate(&b->kind, &l.at);
  }
}

static double rate(const tni_part *part, void *user, const tni_part_at *at, double *damping) {
  const tni_structure *s = of(part);
  work *w = user;
  double most = 0;
  place(part, w, at);
  for (int b = 0; b < s->nblock; b++) {
    job j = {.part = part, .s = s, .at = at, .w = w, .block = &s->block[b]};
    tni_parallel_for(s->ctx, s->block[b].n, ELEMENT_GRAIN, eval_rates, &j);
    const double *r = s->block[b].kind.matter->rayleigh;
    for (int e = 0; e < s->block[b].n; e++) {
      double own = w->heat[s->block[b].first + e];
      most = fmax(most, own);
      if (own > 0) *damping = fmax(*damping, 0.5*(r[0]/own + r[1]*own));
    }
  }
  return spring_rate(s, w, most, damping);
}

/* ---- fields -------------------------------------------------------------------------------------- */

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

/* n numbers per node [nnode][n]: means of what elements say where nodes have been placed; n = 6 stress, 1 plastic strain */
static void smooth(const tni_part *part, work *w, const tni_part_at *at, int n, double *out) {
  const tni_structure *s = of(part);
  int *count = (int *)(void *)w->f; /* scratch: the forces are made anew by who needs them */
  memset(out, 0, (size_t)s->nnode*(size_t)n*sizeof(double));
  memset(count, 0, (size_t)s->nnode*sizeof(int));
  for (int b = 0; b < s->nblock; b++) {
    const tni_structure_block *block = &s->block[b];
    job j = {.part = part, .s = s, .at = at, .w = w, .block = block};
    int ng = block->kind.ngauss;
    double E[TNI_SOLID_MAXNODE*TNI_SOLID_MAXGAUSS];
    extrapolation(block, E);
    for (int e = 0; e < block->n; e++) {
      local l;
      double point[6*TNI_SOLID_MAXGAUSS], plastic[TNI_SOLID_MAXGAUSS] = {0};
      tni_solid_out o = {.stress = point, .equivalent = plastic};
      gather(&j, e, &l);
      if (!block->kind.type->eval(&block->kind, &l.at, TNI_SOLID_STRESS, &o)) continue;
      const int *node = block->node + (size_t)e*(size_t)block->nnode;
      const double *from = n == 1 ? plastic : point;
      for (int a = 0; a < block->nnode; a++) {
        double *to = out + (size_t)node[a]*(size_t)n;
        for (int k = 0; k < ng; k++)
          for (int i = 0; i < n; i++) to[i] += E[a*ng + k]*from[k*n + i];
        count[node[a]]++;
      }
    }
  }
  for (int i = 0; i < s->nnode; i++)
    for (int k = 0; k < n && count[i] > 0; k++) out[(size_t)i*(size_t)n + (size_t)k] /= count[i];
}

/* The stress at nodes [nnode][6] where they have been placed, asked for by three fields one after the other: computed once for each
 * place. With history or temperatures in time the place alone does not tell the stress. */
static const double *stress_at_nodes(const tni_part *part, work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  size_t bytes = (size_t)s->nnode*(size_t)s->ndof*sizeof(double);
  if (!w->stressed || part->nmemory > 0 || heat_changes(s) || memcmp(w->u, w->stress_u, bytes) != 0) {
    smooth(part, w, at, 6, w->stress);
    memcpy(w->stress_u, w->u, bytes);
    w->stressed = true;
  }
  return w->stress;
}

/* stresses and what follows from them, where nodes have been placed */
static void fill_stress(const tni_part *part, work *w, const tni_part_at *at, int i, double *out) {
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
  work *w = user;
  size_t d = (size_t)s->ndof;
  tni_part_at at = {.memory = NULL};
  memcpy(w->u, u, (size_t)s->nnode*d*sizeof(double));
  memset(w->v, 0, (size_t)s->nnode*d*sizeof(double));
  if (i == STRESSES || i == VON_MISES || i == PRINCIPALS) fill_stress(part, w, &at, i, out);
  if (i != REACTION) return;
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  if (!eval_internal(part, w, &at)) return;
  for (int n = 0; n < s->nnode; n++)
    for (int c = 0; c < s->ndof && c < 3 && s->carrier[n] != TNI_NOT_CARRIED; c++)
      out[3*(size_t)n + (size_t)c] = -w->f[(size_t)n*d + (size_t)c];
}

static void reactions(const tni_part *part, work *w, const tni_part_at *at, double *out) {
  const tni_structure *s = of(part);
  size_t d = (size_t)s->ndof;
  tni_part_out o = {0};
  double power = 0;
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  place(part, w, at);
  if (!eval_internal(part, w, at)) return;
  add_masses(s, w, &o);
  add_springs(s, w, &o);
  add_loads(s, w, at->t, false, &power);
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
      out[3*(size_t)m->node + (size_t)m->component] += s->mass[m->node]*value_at(m->x[2], at->t);
  }
}

static void fill(const tni_part *part, void *user, const tni_part_at *at, int i, double *out) {
  const tni_structure *s = of(part);
  work *w = user;
  size_t d = (size_t)s->ndof;
  switch (i) {
    case PLASTIC:
      place(part, w, at);
      smooth(part, w, at, 1, out);
      return;
    case REACTION: reactions(part, w, at, out); return;
    case STRESSES:
    case VON_MISES:
    case PRINCIPALS:
      place(part, w, at);
      fill_stress(part, w, at, i, out);
      return;
    default: break;
  }
  place(part, w, at);
  for (int n = 0; n < s->nnode; n++)
    for (int c = 0; c < 3; c++) {
      size_t k = (size_t)n*d + (size_t)c;
      out[3*(size_t)n + (size_t)c] = c >= s->ndof ? 0 : i == DISPLACEMENT ? w->u[k] : w->v[k];
    }
}

/* ---- doubts -------------------------------------------------------------------------------------- */

/* Small displacements beside bodies that turn: a mesh that only turns is strained by it, in its equations. Roots of energies are
 * compared: what turning alone does, and what there is. */
static double doubt(const tni_part *part, void *user, const tni_part_at *at, char *why, size_t n) {
  static const double ALLOWED = 0.05, NOTHING = 0.01; /* of the strains; [rad] that are not looked at */
  const tni_structure *s = of(part);
  work *w = user;
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
      place(part, w, at);
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
    if (!eval_internal(part, w, at)) return 0;
    for (int e = 0; e < s->nelement; e++) *(pass ? &alone : &now) += w->energy[e];
  }
  most = now > 0 ? sqrt(alone/now)/ALLOWED : 0;
  snprintf(why, n, "structure '%s' has turned by %.3g rad with the bodies that carry it, which strains it by itself under 'formulation: small' "
           "(%.2g of its strains); use 'formulation: large' or 'reduce'", part->name, turn, fmin(1, most*ALLOWED));
  return most;
}

bool tni_structure_internal(const tni_part *part, void *user, const tni_part_at *at, double *out) {
  const tni_structure *s = of(part);
  work *w = user;
  size_t d = (size_t)s->ndof;
  tni_part_out o = {0};
  place(part, w, at);
  memset(out, 0, 3*(size_t)s->nnode*sizeof(double));
  if (!eval_internal(part, w, at)) return false;
  add_springs(s, w, &o);
  for (int i = 0; i < s->nnode; i++)
    for (size_t c = 0; c < 3 && c < (size_t)s->active[i]; c++)
      out[3*(size_t)i + c] = -w->f[(size_t)i*d + c];
  return true;
}

bool tni_structure_points(const tni_part *part, void *user, const tni_part_at *at, int element, int *n, double *stress, double *strain,
                          double *plastic) {
  const tni_structure *s = of(part);
  work *w = user;
  int b = 0;
  place(part, w, at);
  while (b + 1 < s->nblock && s->block[b+1].first <= element) b++;
  const tni_structure_block *block = &s->block[b];
  job j = {.part = part, .s = s, .at = at, .w = w, .block = block};
  local l;
  tni_solid_out o = {.stress = stress, .strain = strain, .equivalent = plastic};
  gather(&j, element - block->first, &l);
  *n = block->kind.ngauss;
  return block->kind.type->eval(&block->kind, &l.at, TNI_SOLID_STRESS, &o);
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
  const work *w = user;
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

const tni_part_ops tni_structure_ops = {.name = "structure", .begin = begin, .force = force, .tangent = tangent,
                                        .doubt = doubt,
                                        .kinetic = kinetic, .commit = commit, .rate = rate, .along = along, .fill = fill, .label = label,
                                        .trouble = trouble, .cut = tni_structure_cut, .cut_tangent = tni_structure_cut_tangent};
