/* system/cartesian_tangent.c - exact tangents of the cartesian representation
 *
 * Constraint blocks and forces give dense blocks, one for each pair of their bodies. They are added
 * into arrays that are either dense (row-major) or the values of a sparse pattern; both are the
 * same code, because the rows of a body have the same columns, so that block (i, j) starts at one
 * place and its rows follow at a constant distance:
 *
 *   entry (v_i + r, v_j + c)  at  place(i, j) + r*width(i) + c       v: first velocity of the body
 *
 * with place = v_i nv + v_j, width = nv in the dense case. Sparse places are looked up at create:
 * the pattern has a block for every pair of bodies that share a constraint block or a force, zero
 * or not, and a diagonal block for every body. The cost is proportional to the number of blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/pair.h"
#include "parallel/pool.h"
#include "system/cartesian.h"
#include "system/parts.h"

/* ---- pattern ------------------------------------------------------------------------------- */

/* by their places in the order of the unknowns */
typedef struct {
  int n;        /* bodies                                 */
  int *adr;     /* [n+1]                                  */
  int *body;    /* [adr[n]] ascending for each body       */
  int *column;  /* [adr[n]] velocities of those before it */
} neighbours;

/* visit the bodies of constraint block, force or part k */
static int group(const tn_model *m, int k, const int **body) {
  if (k < m->ncon) {
    *body = m->con[k].body;
    return m->con[k].nbody;
  }
  if (k >= m->ncon + m->nforce) {
    *body = m->part[k - m->ncon - m->nforce].carrier;
    return m->part[k - m->ncon - m->nforce].ncarrier;
  }
  *body = m->force[k - m->ncon].body;
  return m->force[k - m->ncon].nbody;
}

/* All pairs with repetitions, then sorted by writing the transposed list, which is the same list:
 * the pairs are symmetric. Two passes instead of a sort. */
static tn_status find_neighbours(const tn_model *m, const tni_layout *L, tni_arena *arena,
                                 neighbours *out) {
  int n = m->nbody, *adr, *next, *first, *sorted, *column;
  const int *body;
  TNI_ARENA_NEW(arena, adr, n + 1);
  TNI_ARENA_NEW(arena, next, n + 1);
  for (int i = 0; i < n; i++) adr[i+1] = 1;
  for (int k = 0; k < m->ncon + m->nforce + m->npart; k++) {
    int nb = group(m, k, &body);
    for (int e = 0; e < nb; e++) adr[L->rank[body[e]] + 1] += nb;
  }
  for (int i = 0; i < n; i++) adr[i+1] += adr[i];
  TNI_ARENA_NEW(arena, first, adr[n]);
  TNI_ARENA_NEW(arena, sorted, adr[n]);
  for (int i = 0; i < n; i++) {
    next[i] = adr[i];
    first[next[i]++] = i;
  }
  for (int k = 0; k < m->ncon + m->nforce + m->npart; k++) {
    int nb = group(m, k, &body);
    for (int e = 0; e < nb; e++)
      for (int g = 0; g < nb; g++) first[next[L->rank[body[e]]]++] = L->rank[body[g]];
  }
  for (int i = 0; i < n; i++) next[i] = adr[i];
  for (int i = 0; i < n; i++)
    for (int k = adr[i]; k < adr[i+1]; k++) sorted[next[first[k]]++] = i;
  int end = 0;
  for (int i = 0, k = 0; i < n; i++) {
    int begin = end, stop = adr[i+1];
    adr[i] = begin;
    for (; k < stop; k++)
      if (end == begin || sorted[end-1] != sorted[k]) sorted[end++] = sorted[k];
  }
  adr[n] = end;
  TNI_ARENA_NEW(arena, column, end);
  for (int i = 0; i < n; i++)
    for (int k = adr[i] + 1; k < adr[i+1]; k++)
      column[k] = column[k-1] + L->size[L->node[sorted[k-1]]];
  *out = (neighbours){n, adr, sorted, column};
  return TN_OK;
}

/* first velocity of body j among those of the neighbours of i */
static int position(const neighbours *nb, int i, int j) {
  int low = nb->adr[i], high = nb->adr[i+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (nb->body[mid] < j) low = mid + 1;
    else high = mid;
  }
  return nb->column[low];
}

/* places of the blocks of groups first .. first + count */
static tn_status find_places(tni_cartesian *c, const neighbours *nb, int first, int count,
                             const int **adr_out, const int **at_out) {
  const tn_model *m = c->base.model;
  const int *rank = c->layout.rank, *body;
  tni_arena *arena = &c->base.arena;
  int *adr, *at;
  TNI_ARENA_NEW(arena, adr, count + 1);
  for (int k = 0; k < count; k++) {
    int n = group(m, first + k, &body);
    adr[k+1] = adr[k] + n*n;
  }
  TNI_ARENA_NEW(arena, at, adr[count]);
  for (int k = 0; k < count; k++) {
    int n = group(m, first + k, &body);
    for (int e = 0; e < n; e++)
      for (int g = 0; g < n; g++)
        at[adr[k] + n*e + g] = c->places.start[body[e]] +
                               position(nb, rank[body[e]], rank[body[g]]);
  }
  *adr_out = adr;
  *at_out = at;
  return TN_OK;
}

/* ---- parts in the pattern: their columns come after those of bodies, their rows after all others ---- */

/* velocities of nodes begin..end-1 of a list */
static int velocities_of(const tni_part *p, const int *node, int begin, int end) {
  int n = 0;
  for (int k = begin; k < end; k++) n += p->vadr[node[k] + 1] - p->vadr[node[k]];
  return n;
}

/* carriers of a part in the order of their columns */
static void order_carriers(const tni_layout *L, const tni_part *p, int *order) {
  for (int i = 0; i < p->ncarrier; i++) {
    int k = i;
    for (; k > 0 && L->vadr[p->carrier[order[k-1]]] > L->vadr[p->carrier[i]]; k--) order[k] = order[k-1];
    order[k] = i;
  }
}

/* Places of part i, whose rows begin at stored entry `at`; body_at [nbody]: where the columns of parts go on in the
 * rows of a body. Returns the entry after its last row. Rows are counted here, columns are written by part_columns. */
static tn_status part_places(tni_cartesian *c, int i, int *body_at, int *at, tni_arena *scratch) {
  const tni_part *p = &c->base.model->part[i];
  const tni_layout *L = &c->layout;
  tni_arena *arena = &c->base.arena;
  int *start, *width, *diagonal, *touch_node, *touch_body, *body_width, *order, *before;
  TNI_ARENA_NEW(arena, start, p->nnode);
  TNI_ARENA_NEW(arena, width, p->nnode);
  TNI_ARENA_NEW(arena, diagonal, p->nnode);
  TNI_ARENA_NEW(arena, touch_node, p->ntouch);
  TNI_ARENA_NEW(arena, touch_body, p->ntouch);
  TNI_ARENA_NEW(arena, body_width, p->ncarrier);
  TNI_ARENA_NEW(scratch, order, p->ncarrier);
  TNI_ARENA_NEW(scratch, before, p->nnode); /* columns of bodies in the rows of a node */
  order_carriers(L, p, order);
  for (int o = 0; o < p->ncarrier; o++) {
    int k = order[o], body = p->carrier[k];
    for (int e = p->touch_adr[k]; e < p->touch_adr[k+1]; e++) {
      int node = p->touch[e];
      touch_node[e] = before[node];
      before[node] += L->size[body];
      touch_body[e] = body_at[body];
      body_at[body] += p->vadr[node + 1] - p->vadr[node];
    }
    body_width[k] = c->places.width[body];
  }
  for (int n = 0; n < p->nnode; n++) {
    int rows = p->vadr[n+1] - p->vadr[n];
    width[n] = before[n] + velocities_of(p, p->near_node, p->near_adr[n], p->near_adr[n+1]);
    start[n] = *at + before[n];
    int self = p->near_adr[n];
    while (p->near_node[self] != n) self++;
    diagonal[n] = start[n] + velocities_of(p, p->near_node, p->near_adr[n], self);
    if ((double)*at + (double)rows*width[n] > 2147483647.0)
      return TN_FAIL(c->base.ctx, TN_ERR_UNSUPPORTED, "structure '%s': its matrix has more than 2^31 entries",
                     p->name);
    *at += rows*width[n];
  }
  for (int k = 0; k < p->ncarrier; k++)
    for (int e = p->touch_adr[k]; e < p->touch_adr[k+1]; e++)
      touch_node[e] += start[p->touch[e]] - before[p->touch[e]];
  c->base.parts->places[i] = (tni_part_places){.start = start, .width = width, .diagonal = diagonal,
                                               .touch_node = touch_node,
                                               .touch_body = touch_body, .body_width = body_width};
  return TN_OK;
}

static void part_columns(const tni_cartesian *c, int i, int *rowptr, int *col) {
  const tni_part *p = &c->base.model->part[i];
  const tni_layout *L = &c->layout;
  const tni_part_places *at = &c->base.parts->places[i];
  int v0 = c->base.parts->v0 + c->base.parts->at[i];
  for (int n = 0; n < p->nnode; n++)
    for (int r = 0; r < p->vadr[n+1] - p->vadr[n]; r++) {
      int to = at->start[n] + r*at->width[n];
      for (int k = p->near_adr[n]; k < p->near_adr[n+1]; k++)
        for (int j = p->vadr[p->near_node[k]]; j < p->vadr[p->near_node[k] + 1]; j++) col[to++] = v0 + j;
      rowptr[v0 + p->vadr[n] + r + 1] = to;
    }
  for (int k = 0; k < p->ncarrier; k++) {
    int body = p->carrier[k];
    for (int e = p->touch_adr[k]; e < p->touch_adr[k+1]; e++) {
      int node = p->touch[e], nrow = p->vadr[node+1] - p->vadr[node];
      for (int r = 0; r < nrow; r++)
        for (int j = 0; j < L->size[body]; j++)
          col[at->touch_node[e] + r*at->width[node] + j] = L->vadr[body] + j;
      for (int r = 0; r < L->size[body]; r++)
        for (int j = 0; j < nrow; j++)
          col[at->touch_body[e] + r*at->body_width[k] + j] = v0 + p->vadr[node] + j;
    }
  }
}

/* blocks of two carriers of a part */
static tn_status part_pairs(tni_cartesian *c, const neighbours *nb, int i) {
  const tni_part *p = &c->base.model->part[i];
  const int *rank = c->layout.rank;
  int *blocks;
  TNI_ARENA_NEW(&c->base.arena, blocks, (size_t)p->ncarrier*(size_t)p->ncarrier);
  for (int e = 0; e < p->ncarrier; e++)
    for (int g = 0; g < p->ncarrier; g++)
      blocks[p->ncarrier*e + g] = c->places.start[p->carrier[e]] +
                                position(nb, rank[p->carrier[e]], rank[p->carrier[g]]);
  c->base.parts->places[i].pair = blocks;
  return TN_OK;
}

/* columns that parts add to the rows of each body */
static void count_touched(const tn_model *m, int *more) {
  for (int i = 0; i < m->npart; i++) {
    const tni_part *p = &m->part[i];
    for (int k = 0; k < p->ncarrier; k++)
      more[p->carrier[k]] += velocities_of(p, p->touch, p->touch_adr[k], p->touch_adr[k+1]);
  }
}

static tn_status square_pattern(tni_cartesian *c, const neighbours *nb, tni_arena *scratch) {
  tni_cart_places *p = &c->places;
  tni_arena *arena = &c->base.arena;
  const tni_layout *L = &c->layout;
  int n = nb->n, nv = c->base.nv, nnz = 0;
  int *rowptr, *col, *width, *start, *diagonal, *body_at;
  TNI_ARENA_NEW(scratch, body_at, n);
  count_touched(c->base.model, body_at);
  TNI_ARENA_NEW(arena, rowptr, nv + 1);
  TNI_ARENA_NEW(arena, width, n);
  TNI_ARENA_NEW(arena, start, n);
  TNI_ARENA_NEW(arena, diagonal, n);
  for (int i = 0; i < n; i++) {
    int node = L->node[i], last = nb->adr[i+1] - 1;
    int more = body_at[node];
    width[node] = nb->column[last] + L->size[L->node[nb->body[last]]];
    body_at[node] = nnz + width[node];
    width[node] += more;
    start[node] = nnz;
    diagonal[node] = nnz + position(nb, i, i);
    nnz += width[node]*L->size[node];
  }
  p->width = width;
  p->start = start;
  p->diagonal = diagonal;
  for (int i = 0; i < c->base.model->npart; i++) TN_TRY(part_places(c, i, body_at, &nnz, scratch));
  TNI_ARENA_NEW(arena, col, nnz);
  for (int i = 0; i < n; i++) {
    int node = L->node[i];
    for (int r = L->vadr[node]; r < L->vadr[node] + L->size[node]; r++) {
      int at = rowptr[r];
      for (int k = nb->adr[i]; k < nb->adr[i+1]; k++) {
        int other = L->node[nb->body[k]];
        for (int j = 0; j < L->size[other]; j++) col[at++] = L->vadr[other] + j;
      }
      rowptr[r + 1] = rowptr[r] + width[node];
    }
  }
  for (int i = 0; i < c->base.model->npart; i++) {
    part_columns(c, i, rowptr, col);
    TN_TRY(part_pairs(c, nb, i));
  }
  p->square = (tni_sparsity){nv, nv, nnz, rowptr, col};
  return TN_OK;
}

static tn_status row_pattern(tni_cartesian *c) {
  tni_cart_places *p = &c->places;
  const tn_model *m = c->base.model;
  tni_arena *arena = &c->base.arena;
  int d = c->d, *adr, *slot, *rowptr, *col;
  TNI_ARENA_NEW(arena, adr, m->ncon + 1);
  TNI_ARENA_NEW(arena, rowptr, c->base.m + 1);
  for (int i = 0; i < m->ncon; i++) {
    adr[i+1] = adr[i] + m->con[i].nbody;
    for (int n = 0; n < c->blk[i].nkeep; n++) {
      int r = c->blk[i].row0 + n;
      rowptr[r+1] = rowptr[r] + d*m->con[i].nbody;
    }
  }
  TNI_ARENA_NEW(arena, slot, adr[m->ncon]);
  TNI_ARENA_NEW(arena, col, rowptr[c->base.m]);
  for (int i = 0; i < m->ncon; i++) {
    const tni_con *con = &m->con[i];
    const tni_cart_block *b = &c->blk[i];
    for (int e = 0; e < con->nbody; e++) {
      int before = 0;
      for (int g = 0; g < con->nbody; g++)
        before += c->layout.rank[con->body[g]] < c->layout.rank[con->body[e]];
      slot[adr[i] + e] = d*before;
      for (int n = 0; n < b->nkeep; n++)
        for (int j = 0; j < d; j++)
          col[rowptr[b->row0 + n] + d*before + j] = c->layout.vadr[con->body[e]] + j;
    }
  }
  p->slot_adr = adr;
  p->slot = slot;
  p->rows = (tni_sparsity){c->base.m, c->base.nv, rowptr[c->base.m], rowptr, col};
  return TN_OK;
}

/* Room for what is evaluated before it is added: K, D, f_t of a force, H of a block. Large models are
 * treated in several batches, which one after the other use the same room. */
static tn_status make_room(tni_cartesian *c) {
  enum { ENOUGH = 1 << 16 };
  const tn_model *m = c->base.model;
  tni_arena *arena = &c->base.arena;
  tni_cart_places *p = &c->places;
  int n = m->nforce + m->ncon, *batch;
  size_t *adr, at = 0, largest = 0;
  TNI_ARENA_NEW(arena, batch, n + 1);
  TNI_ARENA_NEW(arena, adr, n);
  p->nbatch = 0;
  for (int i = 0; i < n; i++) {
    size_t k = 6*(size_t)(i < m->nforce ? m->force[i].nbody : m->con[i - m->nforce].nbody);
    if (i == 0 || at > ENOUGH) {
      batch[p->nbatch++] = i;
      at = 0;
    }
    adr[i] = at;
    at += i < m->nforce ? 2*k*k + k : k*k;
    if (at > largest) largest = at;
  }
  batch[p->nbatch] = n;
  p->nroom = largest;
  p->batch = batch;
  p->room_adr = adr;
  return TN_OK;
}

tn_status tni_cart_tangent_create(tni_cartesian *c) {
  const tn_model *m = c->base.model;
  tni_cart_places *p = &c->places;
  tni_arena scratch;
  tni_arena_init(&scratch, c->base.ctx);
  neighbours nb = {0};
  tn_status st = find_neighbours(m, &c->layout, &scratch, &nb);
  if (st == TN_OK) st = square_pattern(c, &nb, &scratch);
  if (st == TN_OK) st = find_places(c, &nb, 0, m->ncon, &p->con_adr, &p->con_at);
  if (st == TN_OK) st = find_places(c, &nb, m->ncon, m->nforce, &p->force_adr, &p->force_at);
  if (st == TN_OK) st = row_pattern(c);
  if (st == TN_OK) st = make_room(c);
  tni_arena_clear(&scratch);
  c->base.square = &p->square;
  c->base.rows = &p->rows;
  return st;
}

/* ---- adding blocks ------------------------------------------------------------------------- */

/* The arrays to fill. Those of one kind share a factor: the sparse tangent is that of a residual,
 * where forces stand with a minus, and all that depends on q goes into one array. */
typedef struct {
  bool sparse, apart, bare, elastic;
  bool inertia; /* f_q is that of f - M a */
  double *M, *f_q, *f_v, *Ctl_q;
  double force_factor;
  double *C, *Cv_q, *Ca_q, *gamma_q, *gamma_v;
} targets;

/* places of the blocks of nb bodies */
typedef struct {
  int nb;
  const int *body;
  size_t at[TNI_MAXBODY*TNI_MAXBODY], width[TNI_MAXBODY];
} places;

static void find(const tni_cartesian *c, const targets *to, int nb, const int *body, const int *at,
                 places *p) {
  size_t nv = (size_t)c->base.nv;
  const int *vadr = c->layout.vadr;
  p->nb = nb;
  p->body = body;
  for (int e = 0; e < nb; e++) {
    p->width[e] = to->sparse ? (size_t)c->places.width[body[e]] : nv;
    for (int g = 0; g < nb; g++)
      p->at[nb*e + g] = to->sparse ? (size_t)at[nb*e + g]
                                   : nv*(size_t)vadr[body[e]] + (size_t)vadr[body[g]];
  }
}

/* out += factor * X, X [6 nb][6 nb] */
static void add_square(const tni_layout *L, const places *p, double factor, const double *X,
                       double *out) {
  int nb = p->nb;
  for (int e = 0; e < nb; e++) {
    const signed char *row = L->role + L->vadr[p->body[e]];
    int nrow = L->size[p->body[e]];
    for (int g = 0; g < nb; g++) {
      const signed char *col = L->role + L->vadr[p->body[g]];
      double *to = out + p->at[nb*e + g];
      int ncol = L->size[p->body[g]];
      for (int i = 0; i < nrow; i++, to += p->width[e]) {
        const double *x = X + (6*e + row[i])*6*nb + 6*g;
        if (ncol == 6) {
          for (int j = 0; j < 6; j += 2) store(to + j, load(to + j) + both(factor)*load(x + j));
        } else {
          for (int j = 0; j < ncol; j++) to[j] += factor*x[col[j]];
        }
      }
    }
  }
}

/* rows of constraint block k: out += X, X [nrow][6 nb] */
static void add_rows(const tni_cartesian *c, const targets *to, int k, const double *X,
                     double *out) {
  const tn_model *m = c->base.model;
  const tni_con *con = &m->con[k];
  const tni_cart_block *b = &c->blk[k];
  const int *slot = c->places.slot + c->places.slot_adr[k];
  for (int n = 0; n < b->nkeep; n++) {
    int row = b->row0 + n;
    for (int e = 0; e < con->nbody; e++) {
      double *at = to->sparse ? out + c->places.rows.rowptr[row] + slot[e]
                              : out + (size_t)row*(size_t)c->base.nv + (size_t)c->layout.vadr[con->body[e]];
      const double *x = X + b->keep[n]*6*con->nbody + 6*e;
      for (int j = 0; j < c->d; j++) at[j] += x[c->part[j]];
    }
  }
}

/* ---- evaluation ---------------------------------------------------------------------------- */

/* d(-w x I w)/dw = ~(I w) - ~w I */
static void gyroscopic_tangent(const tni_body *b, const double w[3], double D[36]) {
  double h[3], H[9], W[9], WI[9];
  memset(D, 0, 36*sizeof(double));
  mat3_vec(h, b->I, w);
  mat3_skew(H, h);
  mat3_skew(W, w);
  mat3_mul(WI, W, b->I);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[6*(3 + i) + 3 + j] = H[3*i+j] - WI[3*i+j];
}

static void body_tangents(const tni_cartesian *c, const targets *to) {
  const tni_data *s = &c->base;
  const tn_model *m = s->model;
  const tni_layout *L = &c->layout;
  int d = c->d;
  double D[36];
  places p;
  for (int i = 0; i < m->nbody; i++) {
    find(c, to, 1, &i, &c->places.diagonal[i], &p);
    if (!tni_node_turns(m->body[i].kind)) {
      for (int j = 0; j < L->size[i] && to->M; j++)
        to->M[p.at[0] + (size_t)j*(p.width[0] + 1)] = m->body[i].mass;
      continue;
    }
    for (int j = 0; j < d && to->M; j++)
      memcpy(to->M + p.at[0] + (size_t)j*p.width[0], c->M + (L->rank[i]*d + j)*d,
             (size_t)d*sizeof(double));
    if (!to->f_v) continue;
    gyroscopic_tangent(&m->body[i], s->kin[i + 1].w, D);
    add_square(L, &p, to->force_factor, D, to->f_v);
  }
}

/* Tangents of constraint blocks and forces are evaluated in chunks of the thread pool. Rows of a
 * block are its own; what several share is kept apart, and added afterwards in order. */
typedef struct {
  tni_cartesian *c;
  tni_env env;
  const targets *to;
  const double *v, *a, *lambda;
  int first; /* item: forces, then blocks */
} tangent_job;

static void eval_force(const tangent_job *job, int i) {
  const tni_cartesian *c = job->c;
  const tni_force *f = &c->base.model->force[i];
  double *room = c->places.room + c->places.room_adr[i];
  size_t n = 6*(size_t)f->nbody;
  tni_force_out o = c->base.force_out[i];
  o.K = room;
  o.D = room + n*n;
  o.f_t = room + 2*n*n;
  f->ops->eval(f, &job->env, TNI_F_FORCE | TNI_F_TANGENT, &o);
}

/* components of x [nv] for the bodies of block k, NULL: zero */
static void pick_block(const tni_cartesian *c, int k, const double *x, double w[TNI_CART_COLS]) {
  const tn_model *m = c->base.model;
  const tni_con *con = &m->con[k];
  memset(w, 0, (size_t)(6*con->nbody)*sizeof(double));
  for (int e = 0; e < con->nbody && x; e++)
    tni_layout_spread(&c->layout, con->body[e], x, w + 6*e);
}

static void eval_block(const tangent_job *job, int k) {
  enum { SIZE = TNI_CART_ROWS*TNI_CART_COLS };
  const tni_cartesian *c = job->c;
  const targets *to = job->to;
  const tni_cart_block *b = &c->blk[k];
  const double *a = to->Ca_q ? job->a : NULL;
  double phi[TNI_CART_ROWS], phi_t[TNI_CART_ROWS], gamma[TNI_CART_ROWS], l[TNI_CART_ROWS] = {0};
  double w[TNI_CART_COLS], w2[TNI_CART_COLS];
  double J[SIZE], Jw_q[SIZE], Jw2_q[SIZE], phit_q[SIZE], gamma_q[SIZE], gamma_v[SIZE];
  tni_con_out o = {.phi = phi, .phi_t = phi_t, .gamma = gamma, .J = J, .lambda = l, .w = w,
                   .w2 = a ? w2 : NULL, .H = c->places.room + c->places.room_adr[c->base.model->nforce + k],
                   .Jw_q = Jw_q, .Jw2_q = Jw2_q, .phit_q = phit_q,
                   .gamma_q = to->gamma_q || to->gamma_v ? gamma_q : NULL, .gamma_v = gamma_v};
  for (int n = 0; n < b->nkeep && job->lambda; n++) l[b->keep[n]] = job->lambda[b->row0 + n];
  pick_block(c, k, job->v, w);
  if (a) pick_block(c, k, a, w2);
  tni_con_eval(&c->base.model->con[k], &job->env,
               TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL | TNI_C_TANGENT, &o);
  if (a) add_rows(c, to, k, Jw2_q, to->Ca_q);
  if (to->Cv_q) {
    add_rows(c, to, k, Jw_q, to->Cv_q);
    add_rows(c, to, k, phit_q, to->Cv_q);
  }
  if (to->C) add_rows(c, to, k, J, to->C);
  if (to->gamma_q) add_rows(c, to, k, gamma_q, to->gamma_q);
  if (to->gamma_v) add_rows(c, to, k, gamma_v, to->gamma_v);
}

static void eval_chunk(void *user, int begin, int end) {
  const tangent_job *job = user;
  int nforce = job->c->base.model->nforce;
  for (int i = job->first + begin; i < job->first + end; i++) {
    if (i < nforce) eval_force(job, i);
    else eval_block(job, i - nforce);
  }
}

static void add_force(const tangent_job *job, int i) {
  tni_cartesian *c = job->c;
  const tn_model *m = c->base.model;
  const tni_force *f = &m->force[i];
  size_t n = 6*(size_t)f->nbody;
  const double *K = c->places.room + c->places.room_adr[i], *f_t = K + 2*n*n;
  places p;
  if (job->to->elastic && !f->element) return;
  find(c, job->to, f->nbody, f->body, c->places.force_at + c->places.force_adr[i], &p);
  bool apart = job->to->apart && f->element && f->element->nstress > 0;
  if (job->to->f_q && !apart) add_square(&c->layout, &p, job->to->force_factor, K, job->to->f_q);
  if (job->to->f_v) add_square(&c->layout, &p, job->to->force_factor, K + n*n, job->to->f_v);
  for (int e = 0; e < f->nbody; e++)
    for (int j = 0; j < 6; j++) c->f6[6*f->body[e] + j] += f_t[6*e + j];
}

static void add_block(const tangent_job *job, int k) {
  tni_cartesian *c = job->c;
  const tn_model *m = c->base.model;
  const tni_con *con = &m->con[k];
  places p;
  if (!job->to->Ctl_q) return;
  find(c, job->to, con->nbody, con->body, c->places.con_at + c->places.con_adr[k], &p);
  add_square(&c->layout, &p, 1, c->places.room + c->places.room_adr[m->nforce + k], job->to->Ctl_q);
}

/* ---- parts ---- */

/* a matrix on the pattern, whole rows, added to a dense one */
static void spread_pattern(const tni_sparsity *p, const double *value, double *dense) {
  for (int r = 0; r < p->nrow; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++)
      dense[(size_t)r*(size_t)p->ncol + (size_t)p->col[k]] += value[k];
}

/* rows of M, whose columns are some of those that the neighbours of a node have */
static void coupled_masses(const tni_part *p, const tni_part_places *at, size_t v0, size_t nv, const targets *to) {
  const tni_part_mass *M = p->coupled;
  for (int n = 0; n < p->nnode; n++)
    for (int k = p->vadr[n]; k < p->vadr[n+1]; k++) {
      int m = p->near_adr[n], before = 0; /* neighbour, and columns of those before it */
      size_t row = (size_t)at->start[n] + (size_t)(k - p->vadr[n])*(size_t)at->width[n];
      for (int j = M->ptr[k]; j < M->ptr[k+1]; j++) {
        while (M->ind[j] >= p->vadr[p->near_node[m] + 1]) {
          before += p->vadr[p->near_node[m] + 1] - p->vadr[p->near_node[m]];
          m++;
        }
        size_t place = row + (size_t)(before + M->ind[j] - p->vadr[p->near_node[m]]);
        to->M[to->sparse ? place : (v0 + (size_t)k)*nv + v0 + (size_t)M->ind[j]] = M->value[j];
      }
    }
}

static void part_masses(const tni_cartesian *c, const targets *to) {
  const tni_parts *parts = c->base.parts;
  size_t nv = (size_t)c->base.nv;
  for (int i = 0; i < parts->n; i++) {
    const tni_part *p = &parts->part[i];
    const tni_part_places *at = &parts->places[i];
    size_t v0 = (size_t)(parts->v0 + parts->at[i]);
    if (p->coupled) {
      coupled_masses(p, at, v0, nv, to);
      continue;
    }
    for (int n = 0; n < p->nnode; n++)
      for (int r = 0; r < p->vadr[n+1] - p->vadr[n]; r++) {
        size_t k = v0 + (size_t)(p->vadr[n] + r);
        size_t place = to->sparse ? (size_t)(at->diagonal[n] + r*(at->width[n] + 1)) : k*nv + k;
        to->M[place] = p->mass[p->vadr[n] + r];
      }
  }
}

/* f_t [nv] and c->f6 get the explicit time dependence; a [nv]: accelerations of what d(M a)/dq is wanted, NULL: none */
static tn_status part_tangents(tni_cartesian *c, const targets *to, const double *a, double *f_t) {
  tni_parts *parts = c->base.parts;
  if (to->M) part_masses(c, to);
  if (!to->f_q && !to->f_v && !f_t && !(to->M && parts->bodies_coupled)) return TN_OK;
  size_t bytes = (size_t)c->places.square.nnz*sizeof(double);
  double *K = to->f_q, *D = to->f_v, *M = parts->bodies_coupled ? to->M : NULL;
  if (!to->sparse) {
    if (!c->part_K)
      return TN_FAIL(c->base.ctx, TN_ERR_UNSUPPORTED, "a dense matrix of %d unknowns is asked for; methods with "
                     "sparse matrices are alpha, hht, radau, central", c->base.nv);
    if (K) K = memset(c->part_K, 0, bytes);
    if (D) D = memset(c->part_D, 0, bytes);
    if (M) M = memset(c->part_M, 0, bytes);
  }
  for (int i = 0; i < c->base.model->nbody && a && parts->bodies_coupled; i++)
    tni_layout_spread(&c->layout, i, a, c->base.acc + 6*i);
  for (int i = 0; i < parts->n; i++) {
    const tni_part *p = &parts->part[i];
    tni_part_at at = tni_parts_at(&c->base, i);
    if (a && p->ops->mass) at.a = a + parts->v0 + parts->at[i], at.acc = c->base.acc;
    tni_part_tangent out = {.places = &parts->places[i], .factor = to->force_factor, .K = K, .D = D, .M = M,
                            .f_t = f_t ? f_t + parts->v0 + parts->at[i] : NULL, .f6_t = f_t ? c->f6 : NULL,
                            .body_role = c->part, .body_size = c->d};
    if (p->ops->tangent(p, parts->work[i], &at, &out)) continue;
    parts->failed = i;
    return tni_parts_trouble(&c->base);
  }
  if (to->sparse) return TN_OK;
  if (K) spread_pattern(&c->places.square, K, to->f_q);
  if (D) spread_pattern(&c->places.square, D, to->f_v);
  if (M) spread_pattern(&c->places.square, M, to->M);
  return TN_OK;
}

/* everything into the targets, cleared before */
static tn_status evaluate(tni_cartesian *c, const tni_at *at, const targets *to, double *f_t) {
  enum { GRAIN = 8 }; /* forces and blocks a chunk of the pool */
  const tn_model *m = c->base.model;
  bool forces = !to->bare && (to->f_q || to->f_v || f_t);
  bool blocks = to->C || to->Cv_q || to->Ca_q || to->gamma_q || to->gamma_v || to->Ctl_q;
  int first = forces ? 0 : m->nforce, last = m->nforce + (blocks ? m->ncon : 0);
  tni_cart_set_kin(&c->base, at->t, at->q, at->v);
  tangent_job job = {c, tni_system_env(&c->base, at->t), to, at->v, at->a, at->lambda, 0};
  body_tangents(c, to);
  memset(c->f6, 0, 6*(size_t)m->nbody*sizeof(double));
  for (int b = 0; b < c->places.nbatch; b++) {
    int begin = c->places.batch[b], end = c->places.batch[b+1];
    if (begin < first) begin = first;
    if (end > last) end = last;
    job.first = begin;
    tni_parallel_for(c->base.ctx, end - begin, GRAIN, eval_chunk, &job);
    for (int i = begin; i < end; i++) {
      if (i < m->nforce) add_force(&job, i);
      else add_block(&job, i - m->nforce);
    }
  }
  if (c->base.parts) {
    if (f_t) memset(f_t + c->base.parts->v0, 0, (size_t)c->base.parts->nv*sizeof(double));
    TN_TRY(part_tangents(c, to, to->inertia ? at->a : NULL, f_t));
  }
  if (f_t) tni_cart_pick(c, c->f6, f_t);
  return TN_OK;
}

static void clear(double *x, size_t n) {
  if (x) memset(x, 0, n*sizeof(double));
}

static tn_status dense_tangent(tni_data *s, const tni_at *at, const tni_tangent *out) {
  size_t nv = (size_t)s->nv, nr = (size_t)s->m;
  double *square[] = {out->M, out->f_q, out->f_v, out->Mv_q, out->Ctl_q};
  double *rows[] = {out->C, out->Cv_q, out->Ca_q, out->gamma_q, out->gamma_v};
  for (int i = 0; i < TNI_COUNT(square); i++) clear(square[i], nv*nv);
  for (int i = 0; i < TNI_COUNT(rows); i++) clear(rows[i], nr*nv);
  targets to = {.M = out->M, .f_q = out->f_q, .f_v = out->f_v, .Ctl_q = out->Ctl_q,
                .force_factor = 1, .C = out->C, .Cv_q = out->Cv_q, .Ca_q = out->Ca_q,
                .gamma_q = out->gamma_q, .gamma_v = out->gamma_v, .inertia = out->Mv_q != NULL};
  return evaluate((tni_cartesian *)s, at, &to, out->f_t);
}

static tn_status sparse_tangent(tni_data *s, const tni_at *at, const tni_sparse_tangent *out) {
  double *square[] = {out->M, out->r_q, out->r_v};
  double *rows[] = {out->C, out->Cv_q, out->Ca_q, out->gamma_q, out->gamma_v};
  for (int i = 0; i < TNI_COUNT(square); i++) clear(square[i], (size_t)s->square->nnz);
  for (int i = 0; i < TNI_COUNT(rows); i++) clear(rows[i], (size_t)s->rows->nnz);
  /* the mass of bodies is constant: d(M a)/dq = 0; that of reduced bodies is in the force */
  targets to = {.sparse = true, .inertia = true, .apart = out->apart, .bare = out->bare, .elastic = out->elastic, .M = out->M, .f_q = out->r_q, .f_v = out->r_v,
                .Ctl_q = out->r_q, .force_factor = -1, .C = out->C, .Cv_q = out->Cv_q,
                .Ca_q = out->Ca_q, .gamma_q = out->gamma_q, .gamma_v = out->gamma_v};
  TN_TRY(evaluate((tni_cartesian *)s, at, &to, out->r_t));
  for (int i = 0; i < s->nv && out->r_t; i++) out->r_t[i] = -out->r_t[i];
  return TN_OK;
}

tn_status tni_cart_tangent(tni_data *s, const tni_at *at, const tni_tangent *dense,
                           const tni_sparse_tangent *sparse) {
  if (dense) TN_TRY(dense_tangent(s, at, dense));
  if (sparse) TN_TRY(sparse_tangent(s, at, sparse));
  return TN_OK;
}
