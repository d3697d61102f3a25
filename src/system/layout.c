/* system/layout.c - geometry of the unknowns, span by span
 *
 * Nodes are independent of each other: the loops run over the pool in chunks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/layout.h"

#include "model/part.h"
#include "parallel/pool.h"
#include "system/common.h"

static const struct {
  signed char nq, nv, role[6];
} kinds[] = {[TNI_NODE_POSE] = {7, 6, {0, 1, 2, 3, 4, 5}},
             [TNI_NODE_FLAT] = {7, 3, {0, 1, 5}},
             [TNI_NODE_POINT] = {3, 3, {0, 1, 2}},
             [TNI_NODE_POINT2] = {3, 2, {0, 1}},
             [TNI_NODE_PLAIN] = {1, 1, {TNI_ROLE_PLAIN}},
             [TNI_NODE_BALL] = {4, 3, {3, 4, 5}}};

tn_status tni_layout_of_bodies(tn_ctx *ctx, const tn_model *model, tni_arena *arena,
                               tni_layout *out) {
  int n = model->nbody, at = 0, *node, *rank, *qadr, *vadr;
  signed char *size, *role;
  tni_span *span;
  size_t nown = 0; /* unknowns of parts */
  for (int i = 0; i < model->npart; i++) nown += (size_t)model->part[i].nv;
  TNI_ARENA_NEW(arena, node, n);
  TNI_ARENA_NEW(arena, rank, n);
  TNI_ARENA_NEW(arena, qadr, n);
  TNI_ARENA_NEW(arena, vadr, n);
  TNI_ARENA_NEW(arena, size, n);
  TNI_ARENA_NEW(arena, role, 6*(size_t)n + nown);
  TNI_ARENA_NEW(arena, span, TNI_NODE_PLAIN + 1 + model->npart);
  *out = (tni_layout){.ctx = ctx, .nnode = n, .span = span, .node = node, .rank = rank,
                      .qadr = qadr, .vadr = vadr, .size = size, .role = role};
  for (int kind = TNI_NODE_POSE; kind <= TNI_NODE_PLAIN; kind++) {
    tni_span *s = &span[out->nspan];
    *s = (tni_span){.kind = (tni_node_kind)kind, .first = at, .qadr = out->nq, .vadr = out->nv};
    for (int i = 0; i < n; i++) {
      if ((int)model->body[i].kind != kind) continue;
      node[at] = i;
      rank[i] = at++;
      qadr[i] = out->nq;
      vadr[i] = out->nv;
      size[i] = kinds[kind].nv;
      for (int j = 0; j < size[i]; j++) role[out->nv++] = kinds[kind].role[j];
      out->nq += kinds[kind].nq;
    }
    s->n = at - s->first;
    out->nspan += s->n > 0;
  }
  for (int i = 0; i < model->npart; i++) {
    const tni_part *p = &model->part[i];
    span[out->nspan++] = (tni_span){TNI_NODE_PLAIN, TNI_NO_NODE, p->nv, out->nq, out->nv};
    memcpy(role + out->nv, p->role, (size_t)p->nv);
    out->nq += p->nv;
    out->nv += p->nv;
  }
  return TN_OK;
}

tn_status tni_layout_of_spans(tn_ctx *ctx, const tni_span *span, int n, tni_arena *arena,
                              tni_layout *out) {
  tni_span *all;
  signed char *role;
  int nv = 0;
  for (int i = 0; i < n; i++) nv += span[i].n*kinds[span[i].kind].nv;
  TNI_ARENA_NEW(arena, all, n);
  TNI_ARENA_NEW(arena, role, nv);
  *out = (tni_layout){.ctx = ctx, .span = all, .role = role};
  for (int i = 0; i < n; i++) {
    tni_span *s = &all[out->nspan - 1];
    if (out->nspan > 0 && s->kind == span[i].kind) s->n += span[i].n;
    else all[out->nspan++] = (tni_span){.kind = span[i].kind, .n = span[i].n, .qadr = out->nq, .vadr = out->nv};
    out->nq += span[i].n*kinds[span[i].kind].nq;
    for (int k = 0; k < span[i].n*kinds[span[i].kind].nv; k++)
      role[out->nv++] = kinds[span[i].kind].role[k % kinds[span[i].kind].nv];
  }
  return TN_OK;
}

int tni_layout_owner(const tni_layout *L, int k) {
  int low = 0, high = L->nnode - 1;
  while (low < high) {
    int mid = (low + high + 1)/2;
    if (L->vadr[L->node[mid]] <= k) low = mid;
    else high = mid - 1;
  }
  return L->node[low];
}

static bool node_turns(const tni_layout *L, int i) {
  return L->size[i] > 0 && L->role[L->vadr[i] + L->size[i] - 1] == TNI_ROLE_TURN + 2;
}

void tni_layout_set_pose(const tni_layout *L, int i, const double r[3], const double p[4],
                         double *q) {
  vec3_copy(q + L->qadr[i], r);
  if (node_turns(L, i)) memcpy(q + L->qadr[i] + 3, p, 4*sizeof(double));
}

void tni_layout_attitude(const tni_layout *L, int i, const double *q, double A[9]) {
  if (node_turns(L, i)) quat_matrix(A, q + L->qadr[i] + 3);
  else mat3_identity(A);
}

void tni_layout_node_kin(const tni_layout *L, int i, const double *q, const double *v, tni_kin *k) {
  double v6[6] = {0};
  if (v) tni_layout_spread(L, i, v, v6);
  vec3_copy(k->r, q + L->qadr[i]);
  vec3_copy(k->v, v6);
  vec3_copy(k->w, v6 + 3);
  tni_layout_attitude(L, i, q, k->A);
  mat3_vec(k->W, k->A, k->w);
}

void tni_layout_from_kin(const tni_layout *L, const tni_kin *kin, double *q, double *v) {
  for (int i = 0; i < L->nnode; i++) {
    const tni_kin *k = &kin[i + 1];
    double p[4], v6[6];
    quat_from_matrix(p, k->A);
    if (q) tni_layout_set_pose(L, i, k->r, p, q);
    vec3_copy(v6, k->v);
    vec3_copy(v6 + 3, k->w);
    if (v) tni_layout_pick(L, i, v6, v);
  }
}

/* ---- loops over spans ---------------------------------------------------------------------- */

typedef struct {
  const tni_layout *L;
  const tni_span *span;
  const double *q, *v, *x;
  double *out;
  tni_kin *kin;
} job;

static void over_spans(const tni_layout *L, job *j, void (*loop)(void *user, int begin, int end)) {
  j->L = L;
  for (int k = 0; k < L->nspan; k++) {
    j->span = &L->span[k];
    if (j->kin && j->span->first == TNI_NO_NODE) continue; /* unknowns of a part move no body */
    tni_parallel_for(L->ctx, j->span->n, TNI_BODY_GRAIN, loop, j);
  }
}

/* place n of the span in q and in v */
static int in_q(const job *j, int n) { return j->span->qadr + kinds[j->span->kind].nq*n; }
static int in_v(const job *j, int n) { return j->span->vadr + kinds[j->span->kind].nv*n; }

/* All six components from those that a kind has. Written out: with places from the table the numbers go through memory one
 * by one, which every evaluation of a planar mechanism waits for. */
static inline void spread(tni_node_kind kind, const double *v, double v6[6]) {
  switch (kind) {
    case TNI_NODE_POSE: memcpy(v6, v, 6*sizeof(double)); return;
    case TNI_NODE_FLAT: vec3_set(v6, v[0], v[1], 0), vec3_set(v6 + 3, 0, 0, v[2]); return;
    case TNI_NODE_POINT: vec3_copy(v6, v), vec3_set(v6 + 3, 0, 0, 0); return;
    case TNI_NODE_POINT2: vec3_set(v6, v[0], v[1], 0), vec3_set(v6 + 3, 0, 0, 0); return;
    default: memset(v6, 0, 6*sizeof(double)); /* moves no body */
  }
}

static void set_kin(void *user, int begin, int end) {
  const job *j = user;
  for (int n = begin; n < end; n++) {
    tni_kin *k = &j->kin[j->L->node[j->span->first + n] + 1];
    const double *q = j->q + in_q(j, n);
    double v6[6] = {0};
    if (j->v) spread(j->span->kind, j->v + in_v(j, n), v6);
    vec3_copy(k->r, q);
    vec3_copy(k->v, v6);
    vec3_copy(k->w, v6 + 3);
    if (tni_node_turns(j->span->kind)) {
      quat_matrix(k->A, q + 3);
      mat3_vec(k->W, k->A, k->w);
    } else {
      mat3_identity(k->A);
      vec3_set(k->W, 0, 0, 0);
    }
  }
}

void tni_layout_kin(const tni_layout *L, const double *q, const double *v, tni_kin *kin) {
  job j = {.q = q, .v = v, .kin = kin};
  over_spans(L, &j, set_kin);
}

static void rates(void *user, int begin, int end) {
  const job *j = user;
  if (j->span->kind == TNI_NODE_PLAIN) {
    memcpy(j->out + in_q(j, begin), j->v + in_v(j, begin), (size_t)(end - begin)*sizeof(double));
    return;
  }
  for (int n = begin; n < end && j->span->kind == TNI_NODE_BALL; n++)
    quat_rate(j->out + in_q(j, n), j->q + in_q(j, n), j->v + in_v(j, n));
  if (j->span->kind == TNI_NODE_BALL) return;
  for (int n = begin; n < end; n++) {
    int at = in_q(j, n);
    double v6[6];
    spread(j->span->kind, j->v + in_v(j, n), v6);
    vec3_copy(j->out + at, v6);
    if (tni_node_turns(j->span->kind)) quat_rate(j->out + at + 3, j->q + at + 3, v6 + 3);
  }
}

void tni_layout_qdot(const tni_layout *L, const double *q, const double *v, double *qd) {
  job j = {.q = q, .v = v, .out = qd};
  over_spans(L, &j, rates);
}

/* p_out = p turned by d */
static void turn(const double p[4], const double d[3], double p_out[4]) {
  double e[4];
  quat_from_vector(e, d);
  quat_mul(p_out, p, e);
  quat_normalize(p_out);
}

static void move(void *user, int begin, int end) {
  const job *j = user;
  if (j->span->kind == TNI_NODE_PLAIN) {
    const double *q = j->q + in_q(j, 0), *x = j->x + in_v(j, 0);
    double *out = j->out + in_q(j, 0);
    for (int n = begin; n < end; n++) out[n] = q[n] + x[n];
    return;
  }
  for (int n = begin; n < end && j->span->kind == TNI_NODE_BALL; n++)
    turn(j->q + in_q(j, n), j->x + in_v(j, n), j->out + in_q(j, n));
  if (j->span->kind == TNI_NODE_BALL) return;
  for (int n = begin; n < end; n++) {
    int at = in_q(j, n);
    double d6[6];
    spread(j->span->kind, j->x + in_v(j, n), d6);
    vec3_add(j->out + at, j->q + at, d6);
    if (tni_node_turns(j->span->kind)) turn(j->q + at + 3, d6 + 3, j->out + at + 3);
  }
}

void tni_layout_retract(const tni_layout *L, const double *q, const double *dx, double *q_out) {
  job j = {.q = q, .x = dx, .out = q_out};
  over_spans(L, &j, move);
}

/* d with p1 = p turned by d */
static void turned(const double p[4], const double p1[4], double d[3]) {
  double c[4] = {p[0], -p[1], -p[2], -p[3]}, e[4];
  quat_mul(e, c, p1);
  quat_normalize(e);
  quat_to_vector(d, e);
}

static void subtract(void *user, int begin, int end) {
  const job *j = user;
  if (j->span->kind == TNI_NODE_PLAIN) {
    const double *q0 = j->q + in_q(j, 0), *q1 = j->x + in_q(j, 0);
    double *out = j->out + in_v(j, 0);
    for (int n = begin; n < end; n++) out[n] = q1[n] - q0[n];
    return;
  }
  for (int n = begin; n < end && j->span->kind == TNI_NODE_BALL; n++)
    turned(j->q + in_q(j, n), j->x + in_q(j, n), j->out + in_v(j, n));
  if (j->span->kind == TNI_NODE_BALL) return;
  for (int n = begin; n < end; n++) {
    int at = in_q(j, n);
    double d6[6] = {0}, *out = j->out + in_v(j, n);
    vec3_sub(d6, j->x + at, j->q + at);
    if (tni_node_turns(j->span->kind)) turned(j->q + at + 3, j->x + at + 3, d6 + 3);
    for (int i = 0; i < kinds[j->span->kind].nv; i++) out[i] = d6[kinds[j->span->kind].role[i]];
  }
}

void tni_layout_difference(const tni_layout *L, const double *q0, const double *q1, double *dx) {
  job j = {.q = q0, .x = q1, .out = dx};
  over_spans(L, &j, subtract);
}

void tni_layout_normalize(const tni_layout *L, double *q) {
  for (int k = 0; k < L->nspan; k++) {
    const tni_span *s = &L->span[k];
    bool ball = s->kind == TNI_NODE_BALL;
    if (!ball && !tni_node_turns(s->kind)) continue;
    for (int n = 0; n < s->n; n++) quat_normalize(q + s->qadr + (ball ? 4*n : 7*n + 3));
  }
}
