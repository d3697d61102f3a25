/* solids/structure_march.c - a step of central differences of a mesh in one sweep
 *
 *   u_1 = u_0 + h (v_0 + h/2 a_0),   a_1 = M^-1 f(t_1, u_1),   v_1 = v_0 + h/2 (a_0 + a_1)
 *
 * A large mesh does not fit into the cache, and what counts is how often its numbers pass through it. Elements are taken in bundles; a node
 * moves before the first bundle that has it and gets its acceleration after the last one, while its numbers are near. Slabs of one
 * colour share no node (slabs.h): forces come together in an order that knows no threads, sums are made bundle after bundle. (To ask for
 * the memory of the next bundle ahead made steps slower.)
 *
 * Of a piece (structure_piece.c) nodes that other ranks have too end their step when all shares of their forces have come together.
 *
 * For meshes of elements that are evaluated many at once, without history, damping, followers, springs, carriers, and with supports that
 * rest; others take the steps of everybody (integrators/central.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linsolve/pair.h"
#include "parallel/halo.h"
#include "parallel/pool.h"
#include "solids/structure_work.h"

enum { BUNDLE = 2048 };

/* nodes one after the other, whose unknowns are so too */
typedef struct {
  int node, n;
  int unknown;  /* of the first, NOTHING: they have none; SOME: one node, look at its components */
  bool loaded;
} run;
enum { NOTHING = -1, SOME = -2 };

typedef struct {
  int begin, end;               /* elements of the block          */
  int enter, moved, leave, left; /* runs enter..moved-1, leave..left-1 */
  double kinetic, along;        /* sums over nodes that leave      */
  int bad;                      /* element without a force, -1: none */
} bundle;

struct tni_structure_march {
  int nbundle, nrun, nloaded;
  int *slab_adr;     /* [nblock][TNI_SLABS_MOST+1] bundles of slabs, as slabs are numbered */
  bundle *bundle;
  run *run;
  int *loaded;       /* [nloaded] nodes that loads act on */
  int nshared, *shared; /* nodes that other ranks have too */
  double *X, *u, *f; /* [nnode][4] at rest, now, forces of elements: the fourth keeps a node within one line of the cache */
};

static const tni_structure *of(const tni_part *part) { return part->data; }

/* ---- who can, and the plan --------------------------------------------------------------------- */

static bool suits(const tni_part *part, const tni_structure_work *w) {
  const tni_structure *s = of(part);
  if (!part->linear || part->nmemory > 0 || part->ncarrier > 0 || part->coupled) return false;
  if (s->ndof != 3 || s->follows || s->consistent || s->alpha || s->damped || s->nspring > 0 || s->temperature || w->T) return false;
  for (int b = 0; b < s->nblock; b++)
    if (!s->block[b].batched || s->block[b].kind.nstate > 0) return false;
  for (int i = 0; i < s->nmotion; i++)
    if (s->motion[i].x[1]) return false;
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].follows || s->load[i].kind == TNI_LOAD_SPIN || s->load[i].about) return false;
  return true;
}

static int unknown_of(const tni_structure *s, int i) {
  const int *n = s->unknown + 3*(size_t)i;
  if (n[0] < 0 && n[1] < 0 && n[2] < 0) return NOTHING;
  return n[0] >= 0 && n[1] == n[0] + 1 && n[2] == n[0] + 2 ? n[0] : SOME;
}

/* runs of nodes whose `when` is k; `order` has nodes sorted by it, at is where to go on */
static void add_runs(const tni_structure *s, struct tni_structure_march *m, const bool *loaded, const int *order, const int *when, int k,
                     int *at) {
  for (; *at < s->nnode && when[order[*at]] == k; (*at)++) {
    int i = order[*at], n = unknown_of(s, i);
    run *last = m->nrun > 0 ? &m->run[m->nrun - 1] : NULL;
    int first = k % 2 ? m->bundle[k/2].leave : m->bundle[k/2].enter;
    bool joins = m->nrun > first && last->node + last->n == i && last->loaded == loaded[i] && n != SOME && last->unknown != SOME &&
                 (n == NOTHING ? last->unknown == NOTHING : last->unknown >= 0 && last->unknown + 3*last->n == n);
    if (joins) last->n++;
    else m->run[m->nrun++] = (run){i, 1, n, loaded[i]};
  }
}

/* order [n] := nodes by when, equal ones ascending; count [most+2] */
static void sort_by(int n, const int *when, int most, int *count, int *order) {
  memset(count, 0, (size_t)(most + 2)*sizeof(int));
  for (int i = 0; i < n; i++) count[when[i] + 1]++;
  for (int k = 0; k <= most; k++) count[k+1] += count[k];
  for (int i = 0; i < n; i++) order[count[when[i]]++] = i;
}

static tn_status make_bundles(const tni_structure *s, const tni_structure_work *w, tni_arena *arena, struct tni_structure_march *m) {
  int most = 0;
  for (int b = 0; b < s->nblock; b++) most += s->block[b].n/BUNDLE + TNI_SLABS_MOST + 1;
  TNI_ARENA_NEW(arena, m->bundle, most);
  TNI_ARENA_NEW(arena, m->slab_adr, (size_t)s->nblock*(TNI_SLABS_MOST + 1));
  for (int b = 0; b < s->nblock; b++) {
    int *adr = m->slab_adr + b*(TNI_SLABS_MOST + 1);
    for (int k = 0; k < w->slabs[b].n; k++) {
      adr[k] = m->nbundle;
      for (int e = w->slabs[b].begin[k]; e < w->slabs[b].begin[k+1]; e += BUNDLE) {
        int end = e + BUNDLE < w->slabs[b].begin[k+1] ? e + BUNDLE : w->slabs[b].begin[k+1];
        m->bundle[m->nbundle++] = (bundle){.begin = e, .end = end};
      }
      adr[k+1] = m->nbundle;
    }
  }
  return TN_OK;
}

/* first and last bundle of every node, in the order in which bundles are taken */
static void find_visits(const tni_structure *s, const tni_structure_work *w, const struct tni_structure_march *m, int *first, int *last) {
  for (int i = 0; i < s->nnode; i++) first[i] = last[i] = -1;
  for (int b = 0; b < s->nblock; b++) {
    const int *adr = m->slab_adr + b*(TNI_SLABS_MOST + 1), *node = s->block[b].node;
    for (int at = 0; at < w->slabs[b].n; at++)
      for (int k = adr[w->slabs[b].slab[at]]; k < adr[w->slabs[b].slab[at] + 1]; k++)
        for (size_t i = 8*(size_t)m->bundle[k].begin; i < 8*(size_t)m->bundle[k].end; i++) {
          if (first[node[i]] < 0) first[node[i]] = k;
          last[node[i]] = k;
        }
  }
}

static tn_status plan_runs(const tni_structure *s, const tni_structure_work *w, tni_arena *arena, struct tni_structure_march *m,
                           int *scratch, bool *can) {
  int nn = s->nnode, *first = scratch, *last = first + nn, *order = last + nn, *count = order + nn, stop = 2*m->nbundle;
  bool *loaded = (bool *)(count + stop + 2);
  memset(loaded, 0, (size_t)nn*sizeof(bool));
  for (int i = 0; i < s->nload; i++)
    for (int k = 0; k < s->load[i].n; k++) loaded[s->load[i].node[k]] = true;
  for (int i = 0; i < nn; i++) {
    loaded[i] = loaded[i] || (s->shared && s->shared[i] != TNI_SHARE_NONE);
    m->nloaded += loaded[i];
  }
  TNI_ARENA_NEW(arena, m->loaded, m->nloaded);
  m->nloaded = 0;
  for (int i = 0; i < nn; i++)
    if (loaded[i]) m->loaded[m->nloaded++] = i;
  find_visits(s, w, m, first, last);
  for (int i = 0; i < nn; i++) {
    *can = *can && (first[i] >= 0 || unknown_of(s, i) == NOTHING); /* masses alone, without an element */
    first[i] = first[i] < 0 ? stop : 2*first[i];
    last[i] = last[i] < 0 ? stop : 2*last[i] + 1;
  }
  if (!*can) return TN_OK;
  run *all;
  TNI_ARENA_NEW(arena, all, 2*(size_t)nn);
  m->run = all;
  TNI_ARENA_NEW(arena, m->shared, nn);
  for (int i = 0; i < nn && s->shared; i++) {
    if (s->shared[i] == TNI_SHARE_NONE) continue;
    m->shared[m->nshared++] = i;
    last[i] = stop; /* end_shared takes them */
  }
  for (int pass = 0; pass < 2; pass++) {
    const int *when = pass ? last : first;
    sort_by(nn, when, stop, count, order);
    for (int k = 0, at = 0; k < m->nbundle; k++) {
      bundle *b = &m->bundle[k];
      *(pass ? &b->leave : &b->enter) = m->nrun;
      add_runs(s, m, loaded, order, when, 2*k + pass, &at);
      *(pass ? &b->left : &b->moved) = m->nrun;
    }
  }
  return TN_OK;
}

tn_status tni_structure_march_begin(const tni_part *part, void *user, tni_arena *arena, bool *can) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  *can = w->march != NULL;
  if (*can || !suits(part, w)) return TN_OK;
  struct tni_structure_march *m;
  TNI_ARENA_NEW(arena, m, 1);
  TN_TRY(make_bundles(s, w, arena, m));
  int *scratch = tni_alloc(s->ctx, 4*(size_t)s->nnode + 2*(size_t)m->nbundle + 4, sizeof(int));
  if (!scratch) return tni_out_of_memory(s->ctx);
  *can = true;
  tn_status st = plan_runs(s, w, arena, m, scratch, can);
  tni_free(s->ctx, scratch);
  TN_TRY(st);
  if (!*can) return TN_OK;
  TNI_ARENA_NEW(arena, m->X, 4*(size_t)s->nnode);
  TNI_ARENA_NEW(arena, m->u, 4*(size_t)s->nnode);
  TNI_ARENA_NEW(arena, m->f, 4*(size_t)s->nnode);
  for (int i = 0; i < s->nnode; i++) memcpy(m->X + 4*(size_t)i, s->mesh->x + 3*(size_t)i, 3*sizeof(double));
  for (int i = 0; i < s->nmotion; i++) /* they rest */
    m->u[4*(size_t)s->motion[i].node + (size_t)s->motion[i].component] = tni_structure_value(s->motion[i].x[0], 0);
  w->march = m;
  return TN_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

typedef struct {
  const tni_part *part;
  const tni_structure *s;
  tni_structure_work *w;
  struct tni_structure_march *m;
  const tni_structure_block *block;
  const tni_slabs *slabs;
  const int *slab_adr;
  tni_part_march *step;
  int first; /* slab of the colour */
} sweep;

/* nodes move: u_1, and no force yet */
WIDE_ROWS static void enter(const sweep *x, const run *r) {
  const tni_part_march *p = x->step;
  double h = p->h, half = 0.5*p->h, *u = x->m->u + 4*(size_t)r->node;
  double *f = x->m->f + 4*(size_t)r->node;
  for (int i = 0; i < r->n; i++) STORE4(f + 4*i, (quad){0});
  if (r->unknown >= 0) {
    const double *q0 = p->q + r->unknown, *v0 = p->v + r->unknown, *a0 = p->a + r->unknown;
    double *q1 = p->q1 + r->unknown;
    int i = 0;
    for (; i < r->n - 1; i++) { /* the fourth is the next node's: that one writes it anew */
      quad now = LOAD4(q0 + 3*i) + h*(LOAD4(v0 + 3*i) + half*LOAD4(a0 + 3*i));
      STORE4(q1 + 3*i, now);
      STORE4(u + 4*i, now);
    }
    for (int c = 0; c < 3; c++) u[4*i + c] = q1[3*i + c] = q0[3*i + c] + h*(v0[3*i + c] + half*a0[3*i + c]);
  } else if (r->unknown == SOME) {
    for (int c = 0; c < 3; c++) {
      int n = x->s->unknown[3*(size_t)r->node + (size_t)c];
      if (n >= 0) u[c] = p->q1[n] = p->q[n] + h*(p->v[n] + half*p->a[n]);
    }
  }
}

/* one component of a node: F its force; sums of F a and m v^2 grow */
ALWAYS_INLINE void end_one(const tni_part_march *p, int n, double F, double mass, double *along, double *kinetic) {
  double a = F/mass, v = p->v[n] + 0.5*p->h*(p->a[n] + a);
  p->a1[n] = a;
  p->v1[n] = v;
  *along += F*a;
  *kinetic += mass*v*v;
}

/* one node, whose first unknown is n; SOME: each has its own */
static void leave_one(const sweep *x, const run *r, size_t i, int n, bundle *b) {
  const tni_structure *s = x->s;
  double mass = s->mass[i], along = 0, kinetic = 0;
  for (int c = 0; c < 3; c++) {
    int k = n == SOME ? s->unknown[3*i + (size_t)c] : n + c;
    if (k < 0) continue;
    double F = -x->m->f[4*i + (size_t)c];
    if (s->gravity[c] != 0) F += s->weight[i]*s->gravity[c];
    if (r->loaded) F += x->w->f[3*i + (size_t)c];
    end_one(x->step, k, F, mass, &along, &kinetic);
  }
  b->along += along;
  b->kinetic += kinetic;
}

/* Nodes end their step. Four numbers at a time, the fourth is the next node's: that one writes it anew. */
WIDE_ROWS static void leave(const sweep *x, const run *r, bundle *b) {
  const tni_structure *s = x->s;
  const tni_part_march *p = x->step;
  if (r->unknown == NOTHING) return;
  if (r->unknown == SOME) {
    leave_one(x, r, (size_t)r->node, SOME, b);
    return;
  }
  const double half = 0.5*p->h, *v0 = p->v + r->unknown, *a0 = p->a + r->unknown, *fb = x->m->f + 4*(size_t)r->node;
  const double *ext = x->w->f + 3*(size_t)r->node, *mass = s->mass + r->node, *weight = s->weight + r->node;
  const quad g = {s->gravity[0], s->gravity[1], s->gravity[2], 0};
  bool heavy = g[0] != 0 || g[1] != 0 || g[2] != 0;
  double *v1 = p->v1 + r->unknown, *a1 = p->a1 + r->unknown;
  quad along = {0}, kinetic = {0};
  for (int i = 0; i < r->n - 1; i++) {
    quad F = -LOAD4(fb + 4*i);
    if (heavy) F += weight[i]*g;
    if (r->loaded) F += LOAD4(ext + 3*i);
    quad a = F/mass[i], v = LOAD4(v0 + 3*i) + half*(LOAD4(a0 + 3*i) + a);
    STORE4(a1 + 3*i, a);
    STORE4(v1 + 3*i, v);
    along += F*a;
    kinetic += mass[i]*v*v;
  }
  b->along += along[0] + along[1] + along[2];
  b->kinetic += kinetic[0] + kinetic[1] + kinetic[2];
  leave_one(x, r, (size_t)(r->node + r->n - 1), r->unknown + 3*(r->n - 1), b);
}

static void sweep_slabs(void *user, int begin, int end) {
  const sweep *x = user;
  struct tni_structure_march *m = x->m;
  tni_batch_in in = {.kind = &x->block->kind, .node = x->block->node, .X = m->X, .u = m->u};
  for (int at = x->first + begin; at < x->first + end; at++) {
    int slab = x->slabs->slab[at];
    for (int k = x->slab_adr[slab]; k < x->slab_adr[slab + 1]; k++) {
      bundle *b = &m->bundle[k];
      tni_batch_out out = {.f = m->f};
      b->bad = -1;
      b->along = b->kinetic = 0;
      for (int i = b->enter; i < b->moved; i++) enter(x, &m->run[i]);
      if (!x->block->kind.type->batch->march(&in, b->begin, b->end, &out)) b->bad = out.failed;
      for (int i = b->leave; i < b->left; i++) leave(x, &m->run[i], b);
    }
  }
}

/* Nodes that several ranks have: what each knows of their forces, then the sum, the same on all of them. */
static bool end_shared(const sweep *x, bundle *own) {
  const tni_structure *s = x->s;
  const tni_part_march *p = x->step;
  for (int k = 0; k < x->m->nshared; k++)
    for (size_t i = (size_t)x->m->shared[k], c = 0; c < 3; c++) {
      int n = s->unknown[3*i + c];
      if (n >= 0) p->f[n] = s->weight[i]*s->gravity[c] - x->m->f[4*i + c] + x->w->f[3*i + c];
    }
  if (tni_halo_add(p->halo, p->f) != TN_OK) return false;
  for (int k = 0; k < x->m->nshared; k++) {
    size_t i = (size_t)x->m->shared[k];
    double along = 0, kinetic = 0;
    for (size_t c = 0; c < 3; c++) {
      int n = s->unknown[3*i + c];
      if (n >= 0) end_one(p, n, p->f[n], x->part->mass[n], &along, &kinetic);
    }
    if (s->shared[i] != TNI_SHARE_OWNED) continue;
    own->along += along;
    own->kinetic += kinetic;
  }
  return true;
}

bool tni_structure_march(const tni_part *part, void *user, tni_part_march *p) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  struct tni_structure_march *m = w->march;
  double power = 0;
  for (int i = 0; i < m->nloaded; i++) memset(w->f + 3*(size_t)m->loaded[i], 0, 3*sizeof(double));
  tni_structure_add_loads(s, w, p->t, false, &power);
  for (int b = 0; b < s->nblock; b++) {
    const tni_slabs *slabs = &w->slabs[b];
    for (int c = 0; c < slabs->ncolour; c++) {
      sweep x = {part, s, w, m, &s->block[b], slabs, m->slab_adr + b*(TNI_SLABS_MOST + 1), p, slabs->adr[c]};
      tni_parallel_for(s->ctx, slabs->adr[c+1] - slabs->adr[c], 1, sweep_slabs, &x);
    }
  }
  bundle shared = {.bad = -1};
  sweep x = {.part = part, .s = s, .w = w, .m = m, .step = p};
  bool fine = !p->halo || end_shared(&x, &shared);
  p->kinetic = 0.5*shared.kinetic;
  p->along = shared.along;
  for (int k = 0; k < m->nbundle; k++) {
    p->kinetic += 0.5*m->bundle[k].kinetic;
    p->along += m->bundle[k].along;
    fine = fine && m->bundle[k].bad < 0;
  }
  return fine && isfinite(p->along) && isfinite(p->kinetic);
}
