/* solids/structure_march.c - a step of central differences of a mesh in one sweep
 *
 *   v_h = v_0 + h/2 a_0,   u_1 = u_0 + h v_h,   a_1 = M^-1 f(t_1, u_1),   v_1 = v_h + h/2 a_1
 *
 * A large mesh does not fit into the cache, and what counts is how often its numbers pass through it. Elements are taken in bundles; a node
 * moves before the first bundle that has it and gets its acceleration after the last one, while its numbers are near. Its state stands here and
 * is written in place: v_h where v_0 was, forces of elements where a_1 will be. Of the state before, a_0 is kept, from which the rest
 * follows to rounding for those who ask.
 *
 * Slabs of one colour share no node (slabs.h): forces come together in an order that knows no threads, sums are made bundle after bundle.
 *
 * Meshes whose elements mostly are strips (batch.h) have their nodal numbers component by component, others four numbers to a node.
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

enum { BUNDLE = 2048, SOME_NODES = 4096 };
/* part of the elements that are strips from which on rows pay: any others take about twice as long with them */
static const double MOSTLY = 0.75;

/* nodes one after the other */
typedef struct {
  int node, n;
} run;

/* elements one after the other: a strip, or any */
typedef struct {
  int begin, end;
  tni_batch_strip strip; /* n = 0: any */
} segment;

typedef struct {
  int begin, end;                /* elements of the block          */
  int enter, moved, leave, left; /* runs enter..moved-1, leave..left-1 */
  int special, done;             /* nodes that leave and are looked at one by one: special..done-1 */
  int first, last;               /* segments first..last-1         */
  double kinetic, along;         /* sums over nodes that leave      */
  double power, more, less;      /* of loads, as of tni_part_march  */
  bool bad;                      /* an element without a force      */
} bundle;

struct tni_structure_march {
  int nbundle, nrun, nspecial, nloaded, nsegment;
  int *slab_adr;     /* [nblock][TNI_SLABS_MOST+1] bundles of slabs, as slabs are numbered */
  bundle *bundle;
  run *run;
  int *special;      /* nodes with supports, loads, or that other ranks have: their `mass` is infinite */
  int *loaded;       /* [nloaded] those of them that move: loads may act on them */
  int nshared, *shared; /* nodes that other ranks have too */
  segment *segment;  /* with rows */
  bool rows;         /* component by component */
  size_t of_node, of_component; /* component c of node i stands at i of_node + c of_component */
  int now;           /* a[now] are the accelerations now, the others those of the step before */
  double *X, *u, *v, *a[2], *mass;
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

static size_t place_of(const struct tni_structure_march *m, size_t node, size_t component) {
  return node*m->of_node + component*m->of_component;
}

static bool moves(const tni_structure *s, int i) {
  const int *n = s->unknown + 3*(size_t)i;
  return n[0] >= 0 || n[1] >= 0 || n[2] >= 0;
}

/* does node i end its steps as all others do? */
static bool is_plain(const tni_structure *s, const bool *loaded, int i) {
  const int *n = s->unknown + 3*(size_t)i;
  return n[0] >= 0 && n[1] >= 0 && n[2] >= 0 && !loaded[i];
}

/* runs of nodes whose `when` is k; `order` has nodes sorted by it, at is where to go on */
static void add_runs(const tni_structure *s, struct tni_structure_march *m, const int *order, const int *when, int k, int *at) {
  int first = m->nrun;
  for (; *at < s->nnode && when[order[*at]] == k; (*at)++) {
    run *last = m->nrun > first ? &m->run[m->nrun - 1] : NULL;
    if (last && last->node + last->n == order[*at]) last->n++;
    else m->run[m->nrun++] = (run){order[*at], 1};
    if (k%2 && isinf(m->mass[order[*at]])) m->special[m->nspecial++] = order[*at];
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
    m->nloaded += moves(s, i) && !is_plain(s, loaded, i);
  }
  TNI_ARENA_NEW(arena, m->loaded, m->nloaded);
  m->nloaded = 0;
  for (int i = 0; i < nn; i++)
    if (moves(s, i) && !is_plain(s, loaded, i)) m->loaded[m->nloaded++] = i;
  find_visits(s, w, m, first, last);
  for (int i = 0; i < nn; i++) {
    *can = *can && (first[i] >= 0 || !moves(s, i)); /* masses alone, without an element */
    first[i] = first[i] < 0 ? stop : 2*first[i];
    last[i] = last[i] < 0 ? stop : 2*last[i] + 1;
  }
  if (!*can) return TN_OK;
  TNI_ARENA_NEW(arena, m->run, 2*(size_t)nn);
  TNI_ARENA_NEW(arena, m->shared, nn);
  TNI_ARENA_NEW(arena, m->special, nn);
  TNI_ARENA_NEW(arena, m->mass, nn);
  for (int i = 0; i < nn; i++) m->mass[i] = is_plain(s, loaded, i) ? s->mass[i] : INFINITY;
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
      if (pass) b->special = m->nspecial;
      add_runs(s, m, order, when, 2*k + pass, &at);
      if (pass) b->done = m->nspecial;
      *(pass ? &b->left : &b->moved) = m->nrun;
    }
  }
  return TN_OK;
}

/* Segments of all bundles; real has room for the bits of one strip after the other. out NULL: they are only counted. Returns how many elements
 * are in strips. */
static int find_segments(const tni_structure *s, const tni_structure_work *w, const struct tni_structure_march *m, segment *out, unsigned char *real,
                         int *nsegment, size_t *nreal) {
  int stripped = 0;
  unsigned char counted[(2*BUNDLE)/8 + 2];
  *nsegment = 0;
  *nreal = 0;
  for (int b = 0; b < s->nblock; b++) {
    const tni_solid_batch *batch = s->block[b].kind.type->batch;
    const int *adr = m->slab_adr + b*(TNI_SLABS_MOST + 1);
    for (int i = adr[0]; i < adr[w->slabs[b].n]; i++) {
      bundle *k = &m->bundle[i];
      bool any = false; /* the segment before is of any elements */
      k->first = *nsegment;
      for (int e = k->begin; e < k->end;) {
        tni_batch_strip strip = {.n = 0};
        int end = batch->find_strip(s->block[b].node, e, k->end, &strip, real ? real + *nreal : counted);
        if (end > e) {
          if (out) out[*nsegment] = (segment){e, end, strip};
          ++*nsegment;
          *nreal += (size_t)strip.n/8 + 1;
          stripped += end - e;
          e = end;
          any = false;
          continue;
        }
        e++;
        if (!any) ++*nsegment;
        if (out) out[*nsegment - 1] = (segment){any ? out[*nsegment - 1].begin : e - 1, e, {.n = 0}};
        any = true;
      }
      k->last = *nsegment;
    }
  }
  return stripped;
}

static tn_status plan_segments(const tni_structure *s, const tni_structure_work *w, tni_arena *arena, struct tni_structure_march *m) {
  size_t nreal, nelement = 0;
  unsigned char *real;
  for (int b = 0; b < s->nblock; b++) nelement += (size_t)s->block[b].n;
  m->rows = find_segments(s, w, m, NULL, NULL, &m->nsegment, &nreal) >= MOSTLY*(double)nelement;
  m->of_node = m->rows ? 1 : 4;
  m->of_component = m->rows ? (size_t)s->nnode : 1;
  if (!m->rows) return TN_OK;
  TNI_ARENA_NEW(arena, m->segment, m->nsegment);
  TNI_ARENA_NEW(arena, real, nreal + 2*BUNDLE/8 + 2); /* those that turn out too short need room as well */
  find_segments(s, w, m, m->segment, real, &m->nsegment, &nreal);
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
  TN_TRY(plan_segments(s, w, arena, m));
  size_t n = (m->rows ? 3 : 4)*(size_t)s->nnode;
  TNI_ARENA_NEW(arena, m->X, n);
  TNI_ARENA_NEW(arena, m->u, n);
  TNI_ARENA_NEW(arena, m->v, n);
  for (int k = 0; k < 2; k++) TNI_ARENA_NEW(arena, m->a[k], n);
  for (size_t i = 0; i < (size_t)s->nnode; i++)
    for (size_t c = 0; c < 3; c++) m->X[place_of(m, i, c)] = s->mesh->x[3*i + c];
  for (int i = 0; i < s->nmotion; i++) /* they rest */
    m->u[place_of(m, (size_t)s->motion[i].node, (size_t)s->motion[i].component)] = tni_structure_value(s->motion[i].x[0], 0);
  w->march = m;
  return TN_OK;
}

/* ---- the state -------------------------------------------------------------------------------------- */

typedef struct {
  const tni_structure *s;
  struct tni_structure_march *m;
  const double *q, *v, *a; /* in  */
  double *q1, *v1, *a1;    /* out */
  double h;                /* of the step that is gone back; 0: none */
} transfer;

static void set_nodes(void *user, int begin, int end) {
  const transfer *x = user;
  struct tni_structure_march *m = x->m;
  for (size_t i = (size_t)begin*SOME_NODES; i < (size_t)end*SOME_NODES && i < (size_t)x->s->nnode; i++)
    for (size_t c = 0; c < 3; c++) {
      int n = x->s->unknown[3*i + c];
      size_t at = place_of(m, i, c);
      if (n >= 0) m->u[at] = x->q[n], m->v[at] = x->v[n], m->a[m->now][at] = x->a[n];
    }
}

static void get_nodes(void *user, int begin, int end) {
  const transfer *x = user;
  const struct tni_structure_march *m = x->m;
  const double *a0 = m->a[!m->now], *a1 = m->a[m->now], half = 0.5*x->h;
  for (size_t i = (size_t)begin*SOME_NODES; i < (size_t)end*SOME_NODES && i < (size_t)x->s->nnode; i++)
    for (size_t c = 0; c < 3; c++) {
      int n = x->s->unknown[3*i + c];
      size_t at = place_of(m, i, c);
      if (n < 0) continue;
      if (x->h > 0) {
        double vh = m->v[at] - half*a1[at];
        x->q1[n] = m->u[at] - x->h*vh;
        x->v1[n] = vh - half*a0[at];
        x->a1[n] = a0[at];
      } else x->q1[n] = m->u[at], x->v1[n] = m->v[at], x->a1[n] = a1[at];
    }
}

void tni_structure_march_set(const tni_part *part, void *user, const double *q, const double *v, const double *a) {
  tni_structure_work *w = user;
  transfer x = {.s = of(part), .m = w->march, .q = q, .v = v, .a = a};
  tni_parallel_for(x.s->ctx, x.s->nnode/SOME_NODES + 1, 1, set_nodes, &x);
}

void tni_structure_march_get(const tni_part *part, void *user, double back, double *q, double *v, double *a) {
  tni_structure_work *w = user;
  transfer x = {.s = of(part), .m = w->march, .q1 = q, .v1 = v, .a1 = a, .h = back};
  tni_parallel_for(x.s->ctx, x.s->nnode/SOME_NODES + 1, 1, get_nodes, &x);
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
  double *a0, *a1;
  int first; /* slab of the colour */
} sweep;

/* n numbers in a row move, and no force yet */
WIDE_ROWS static void enter(double h, size_t n, double *restrict u, double *restrict v, const double *restrict a0, double *restrict a1) {
  const double half = 0.5*h;
  size_t i = 0;
  for (; i + 3 < n; i += 4) {
    quad way = LOAD4(v + i) + half*LOAD4(a0 + i);
    STORE4(v + i, way);
    STORE4(u + i, LOAD4(u + i) + h*way);
    STORE4(a1 + i, (quad){0});
  }
  for (; i < n; i++) {
    double way = v[i] + half*a0[i];
    v[i] = way;
    u[i] += h*way;
    a1[i] = 0;
  }
}

typedef long long quad_mask __attribute__((vector_size(32), aligned(8), may_alias));
#define CHOOSE(is, yes, no) ((quad)(((quad_mask)(yes) & (is)) | ((quad_mask)(no) & ~(is))))

/* Four numbers end their step; those with infinite masses wait. a holds the forces of elements before. */
ALWAYS_INLINE void leave_four(double half, quad m, quad pull, double *v, double *a, quad *along, quad *kinetic) {
  const quad f = LOAD4(a), way = LOAD4(v), F = pull - f, none = {0};
  const quad_mask plain = (quad_mask)(m < INFINITY);
  quad acc = F/m, now = way + half*acc;
  STORE4(a, CHOOSE(plain, acc, f));
  STORE4(v, CHOOSE(plain, now, way));
  *along += CHOOSE(plain, F*acc, none);
  *kinetic += CHOOSE(plain, m*now*now, none);
}

/* component by component: n nodes, one of them, whose weights times g pull */
WIDE_ROWS static void leave_row(double half, int n, const double *mass, double g, const double *weight, double *v, double *a, bundle *b) {
  quad along = {0}, kinetic = {0}, pull = {0};
  int i = 0;
  for (; i + 3 < n; i += 4) {
    if (g != 0) pull = g*LOAD4(weight + i);
    leave_four(half, LOAD4(mass + i), pull, v + i, a + i, &along, &kinetic);
  }
  if (i < n) {
    double last[4][4] = {{0}, {0}, {INFINITY, INFINITY, INFINITY, INFINITY}, {0}};
    for (int k = i; k < n; k++) last[0][k-i] = v[k], last[1][k-i] = a[k], last[2][k-i] = mass[k], last[3][k-i] = g != 0 ? g*weight[k] : 0;
    leave_four(half, LOAD4(last[2]), LOAD4(last[3]), last[0], last[1], &along, &kinetic);
    for (int k = i; k < n; k++) v[k] = last[0][k-i], a[k] = last[1][k-i];
  }
  b->along += along[0] + along[1] + along[2] + along[3];
  b->kinetic += kinetic[0] + kinetic[1] + kinetic[2] + kinetic[3];
}

/* four numbers to a node */
WIDE_ROWS static void leave_nodes(double half, int n, const double *mass, const double *gravity, const double *weight, double *v, double *a,
                                  bundle *b) {
  const quad g = {gravity[0], gravity[1], gravity[2], 0};
  bool heavy = g[0] != 0 || g[1] != 0 || g[2] != 0;
  quad along = {0}, kinetic = {0}, pull = {0};
  for (int i = 0; i < n; i++) {
    if (heavy) pull = weight[i]*g;
    leave_four(half, (quad){mass[i], mass[i], mass[i], mass[i]}, pull, v + 4*i, a + 4*i, &along, &kinetic);
  }
  b->along += along[0] + along[1] + along[2];
  b->kinetic += kinetic[0] + kinetic[1] + kinetic[2];
}

/* Component c of node i ends its step under F, of which loads are a part. */
static void end_one(const sweep *x, size_t i, size_t c, double F, double mass, bundle *b, double *along, double *kinetic) {
  size_t at = place_of(x->m, i, c);
  double a = F/mass, v = x->m->v[at] + 0.5*x->step->h*a, load = x->w->f[3*i + c];
  x->a1[at] = a;
  x->m->v[at] = v;
  *along += F*a;
  *kinetic += mass*v*v;
  b->power += load*v;
  b->more += load*a;
  b->less += load*x->a0[at];
}

static void end_special(const sweep *x, size_t i, bundle *b) {
  const tni_structure *s = x->s;
  double along = 0, kinetic = 0;
  for (size_t c = 0; c < 3; c++) {
    int n = s->unknown[3*i + c];
    double *f = &x->a1[place_of(x->m, i, c)];
    if (n >= 0) end_one(x, i, c, s->weight[i]*s->gravity[c] - *f + x->w->f[3*i + c], s->mass[i], b, &along, &kinetic);
    else *f = 0;
  }
  b->along += along;
  b->kinetic += kinetic;
}

static void enter_run(const sweep *x, const run *r) {
  struct tni_structure_march *m = x->m;
  for (size_t c = 0; c < (m->rows ? 3 : 1); c++) {
    size_t at = place_of(m, (size_t)r->node, c);
    enter(x->step->h, (m->rows ? 1 : 4)*(size_t)r->n, m->u + at, m->v + at, x->a0 + at, x->a1 + at);
  }
}

static void leave_run(const sweep *x, const run *r, bundle *b) {
  const tni_structure *s = x->s;
  struct tni_structure_march *m = x->m;
  const double *mass = m->mass + r->node, *weight = s->weight + r->node, half = 0.5*x->step->h;
  for (size_t c = 0; c < 3 && m->rows; c++) {
    size_t at = place_of(m, (size_t)r->node, c);
    leave_row(half, r->n, mass, s->gravity[c], weight, m->v + at, x->a1 + at, b);
  }
  if (!m->rows) leave_nodes(half, r->n, mass, s->gravity, weight, m->v + 4*(size_t)r->node, x->a1 + 4*(size_t)r->node, b);
}

/* While elements are evaluated memory is idle: it brings what moves next, most of which is one run. */
static void look_ahead(const sweep *x, const bundle *next, tni_batch_rows *in) {
  struct tni_structure_march *m = x->m;
  const double *from[] = {m->v, x->a0, m->u, x->a1};
  const run *most = NULL;
  for (int i = next ? next->enter : 0; i < (next ? next->moved : 0); i++)
    if (!most || m->run[i].n > most->n) most = &m->run[i];
  if (!most) return;
  for (int k = 0; k < TNI_COUNT(from); k++)
    for (size_t c = 0; c < 3; c++) in->ahead[in->nahead++] = from[k] + place_of(m, (size_t)most->node, c);
  in->left = most->n;
}

static bool evaluate(const sweep *x, const bundle *b, const bundle *next) {
  struct tni_structure_march *m = x->m;
  const tni_solid_batch *batch = x->block->kind.type->batch;
  if (!m->rows) {
    tni_batch_in in = {.kind = &x->block->kind, .node = x->block->node, .X = m->X, .u = m->u};
    tni_batch_out out = {.f = x->a1};
    return batch->march(&in, b->begin, b->end, &out);
  }
  size_t n = m->of_component;
  tni_batch_rows in = {.kind = &x->block->kind, .X = {m->X, m->X + n, m->X + 2*n}, .u = {m->u, m->u + n, m->u + 2*n},
                       .f = {x->a1, x->a1 + n, x->a1 + 2*n}};
  look_ahead(x, next, &in);
  for (const segment *k = m->segment + b->first; k < m->segment + b->last; k++)
    if (!(k->strip.n > 0 ? batch->strip(&in, &k->strip) : batch->loose(&in, x->block->node, k->begin, k->end))) return false;
  return true;
}

static void sweep_slabs(void *user, int begin, int end) {
  const sweep *x = user;
  struct tni_structure_march *m = x->m;
  for (int at = x->first + begin; at < x->first + end; at++) {
    int slab = x->slabs->slab[at];
    for (int k = x->slab_adr[slab]; k < x->slab_adr[slab + 1]; k++) {
      bundle *b = &m->bundle[k];
      b->along = b->kinetic = b->power = b->more = b->less = 0;
      for (int i = b->enter; i < b->moved; i++) enter_run(x, &m->run[i]);
      b->bad = !evaluate(x, b, k + 1 < x->slab_adr[slab + 1] ? b + 1 : NULL);
      for (int i = b->leave; i < b->left; i++) leave_run(x, &m->run[i], b);
      for (int i = b->special; i < b->done; i++) end_special(x, (size_t)m->special[i], b);
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
      double *f = &x->a1[place_of(x->m, i, c)];
      if (n >= 0) p->f[n] = s->weight[i]*s->gravity[c] - *f + x->w->f[3*i + c];
      else *f = 0;
    }
  if (tni_halo_add(p->halo, p->f) != TN_OK) return false;
  for (int k = 0; k < x->m->nshared; k++) {
    size_t i = (size_t)x->m->shared[k];
    double along = 0, kinetic = 0;
    for (size_t c = 0; c < 3; c++) {
      int n = s->unknown[3*i + c];
      if (n >= 0) end_one(x, i, c, p->f[n], x->part->mass[n], own, &along, &kinetic);
    }
    if (s->shared[i] != TNI_SHARE_OWNED) continue;
    own->along += along;
    own->kinetic += kinetic;
  }
  return true;
}

bool tni_structure_march_loads(const tni_part *part, void *user, double t) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  const struct tni_structure_march *m = w->march;
  double power = 0, sum = 0;
  for (int i = 0; i < m->nloaded; i++) memset(w->f + 3*(size_t)m->loaded[i], 0, 3*sizeof(double));
  tni_structure_add_loads(s, w, t, false, &power);
  for (int i = 0; i < m->nloaded; i++)
    for (size_t c = 0; c < 3; c++) sum += 0*w->f[3*(size_t)m->loaded[i] + c];
  return sum == 0;
}

bool tni_structure_march(const tni_part *part, void *user, tni_part_march *p) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  struct tni_structure_march *m = w->march;
  sweep x = {.part = part, .s = s, .w = w, .m = m, .step = p, .a0 = m->a[m->now], .a1 = m->a[!m->now]};
  for (int b = 0; b < s->nblock; b++) {
    const tni_slabs *slabs = &w->slabs[b];
    x.block = &s->block[b];
    x.slabs = slabs;
    x.slab_adr = m->slab_adr + b*(TNI_SLABS_MOST + 1);
    for (int c = 0; c < slabs->ncolour; c++) {
      x.first = slabs->adr[c];
      tni_parallel_for(s->ctx, slabs->adr[c+1] - slabs->adr[c], 1, sweep_slabs, &x);
    }
  }
  bundle shared = {.bad = false};
  bool fine = !p->halo || end_shared(&x, &shared);
  m->now = !m->now;
  p->kinetic = 0.5*shared.kinetic;
  p->along = shared.along;
  p->power = shared.power, p->more = shared.more, p->less = shared.less;
  for (int k = 0; k < m->nbundle; k++) {
    const bundle *b = &m->bundle[k];
    p->kinetic += 0.5*b->kinetic;
    p->along += b->along;
    p->power += b->power, p->more += b->more, p->less += b->less;
    fine = fine && !b->bad;
  }
  return fine && isfinite(p->along) && isfinite(p->kinetic);
}
