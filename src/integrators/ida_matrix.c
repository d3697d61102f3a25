/* integrators/ida_matrix.c - the matrix of IDA's Newton iteration, and its solution
 *
 * Coordinates come in pieces, each moved by its own velocities: q' = N u. Along the tree, where there are no constraints, u = v and
 *
 *   (cj - Omega/2) dp - N dw = b      Omega p' = p' o (0, w), of quaternions p       cj dq - dv = b     of all others
 *   r_q xi + (cj M + r_v) dv = B      xi: turns of p, changes of q
 *
 * leave with N^T on both sides, dp = N xi + rho p (N^-1 the inverse on its range)
 *
 *   rho = (p.b - xi.w/4)/cj           dw = cj xi + w x xi/2 + w (w.xi)/(4 cj) - c,     c = N^-1 b + w (p.b)/cj
 *   (r_q + r_v D + cj M D) xi = B + (cj M + r_v) c,     D xi = dw + c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/ida_matrix.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "linsolve/sparse.h"

/* Coordinates in pieces, each moved by its own velocities only: nodes of at most seven coordinates, or single
 * coordinates and rotations. */
enum { PIECE_Q = 7, PIECE_V = 6, TURN = 100 };
typedef struct piece {
  int q0, nq, v0, nv;  /* first and number of its coordinates and velocities           */
  int quat;            /* first of its Euler parameters, from q0 on; -1: none           */
  int moves[PIECE_V];  /* coordinate of a velocity, from q0 on, or TURN + axis           */
} piece;

struct tni_ida_matrix {
  tni_data *s;
  const tni_scale *scale;
  bool tree;
  int n;             /* length of y                                     */
  int npiece;
  piece *piece;      /* [npiece]                                        */
  int *piece_of;     /* [nv] piece of a velocity                        */
  double *size;      /* [nv] of the coordinates                         */
  double *rounding;  /* [nv] error of a velocity that cannot be avoided */
  double *N, *B;     /* [npiece] N: q' = N v; B: its inverse on N's range */
  double *u;         /* [nv] v - C^T mu                                 */
  double cj;
  SUNMatrix J;
  SUNLinearSolver solver;
  /* sparse */
  double *M, *r_q, *r_v, *C, *Cv_q; /* tangents on the patterns        */
  int nnz, *at;      /* entries in the order of `visit`, place in the matrix */
  int *row, *col;    /* the same, while the pattern is made             */
  int *ptr, *ind;    /* by columns                                      */
  double *value;
  tni_sparse_solver *lu;
  /* of the last tangents; along the tree others may have taken its system elsewhere since */
  double t, *q, *v, *a;
  double *c, *x, *y; /* [nv]                                            */
};

/* pivots of the matrix before serve until the smallest has dropped so far */
#define DECAY 1e-2

bool tni_ida_uses(const tni_data *s, int r) { return !s->rank || s->rank->independent[r]; }
bool tni_ida_holds_position(const tni_data *s, int r) {
  return tni_ida_uses(s, r) && !(s->velocity_only && s->velocity_only[r]);
}

const double *tni_ida_matrix_rounding(const tni_ida_matrix *m) { return m->rounding; }
void tni_ida_matrix_describe(const tni_ida_matrix *m, char *out, size_t n) {
  if (m->tree) snprintf(out, n, "the tree, block by block");
  else tni_sparse_solver_describe(m->lu, out, n);
}

const double *tni_ida_matrix_velocity(tni_ida_matrix *m, const double *v, const double *mu) {
  const tni_data *s = m->s;
  const tni_sparsity *p = s->rows;
  memcpy(m->u, v, (size_t)s->nv*sizeof(double));
  for (int r = 0; r < s->m; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) m->u[p->col[k]] -= m->C[k]*mu[r];
  return m->u;
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void nodes_as_pieces(tni_ida_matrix *m) {
  const tni_layout *L = m->s->layout;
  m->npiece = L->nnode;
  for (int b = 0; b < m->npiece; b++) {
    piece *c = &m->piece[b];
    int i = L->node[b];
    bool turns = L->role[L->vadr[i] + L->size[i] - 1] >= TNI_ROLE_TURN;
    *c = (piece){.q0 = L->qadr[i], .nq = turns ? PIECE_Q : 3, .v0 = L->vadr[i], .nv = L->size[i]};
    c->quat = turns ? 3 : -1;
    for (int j = 0; j < c->nv; j++) {
      int k = L->role[c->v0 + j];
      c->moves[j] = k < TNI_ROLE_TURN ? k : TURN + k - TNI_ROLE_TURN;
    }
  }
  /* unknowns of parts come after all nodes, one velocity for each */
  for (int k = 0; k < L->nspan; k++)
    for (int n = 0; n < L->span[k].n && L->span[k].first == TNI_NO_NODE; n++)
      m->piece[m->npiece++] = (piece){.q0 = L->span[k].qadr + n, .nq = 1, .v0 = L->span[k].vadr + n, .nv = 1, .quat = -1};
}

/* nodes; or coordinates that one velocity moves, and rotations: four coordinates moved by three velocities */
static tn_status find_pieces(tni_ida_matrix *m) {
  const tni_data *s = m->s;
  if (s->layout->nnode > 0) {
    nodes_as_pieces(m);
  } else {
    for (int i = 0, j = 0; i < s->nq; m->npiece++) {
      bool turns = m->scale->dof[i] == TNI_SCALE_MANY;
      m->piece[m->npiece] = (piece){.q0 = i, .nq = turns ? 4 : 1, .v0 = j, .nv = turns ? 3 : 1,
                                    .quat = turns ? 0 : -1};
      for (int k = 0; k < 3 && turns; k++) m->piece[m->npiece].moves[k] = TURN + k;
      TN_REQUIRE(s->ctx, turns || m->scale->dof[i] == j, TN_ERR_UNSUPPORTED,
                 "ida: the coordinates of this system are of an unknown kind");
      i += turns ? 4 : 1;
      j += turns ? 3 : 1;
    }
  }
  for (int b = 0; b < m->npiece; b++)
    for (int j = 0; j < m->piece[b].nv; j++) m->piece_of[m->piece[b].v0 + j] = b;
  return TN_OK;
}

/* N, B of every piece at q */
static void coordinate_blocks(tni_ida_matrix *m, const double *q) {
  for (int b = 0; b < m->npiece; b++) {
    const piece *c = &m->piece[b];
    double *N = m->N + (size_t)b*PIECE_Q*PIECE_V, *B = m->B + (size_t)b*PIECE_Q*PIECE_V;
    const double *p = q + c->q0 + c->quat;
    memset(N, 0, PIECE_Q*PIECE_V*sizeof(double));
    memset(B, 0, PIECE_Q*PIECE_V*sizeof(double));
    for (int j = 0; j < c->nv; j++) {
      int k = c->moves[j];
      if (k < TURN) {
        N[k*c->nv + j] = B[j*c->nq + k] = 1;
        continue;
      }
      double e[3] = {0}, rate[4], conj[4] = {p[0], -p[1], -p[2], -p[3]};
      e[k - TURN] = 1;
      quat_rate(rate, p, e);
      for (int i = 0; i < 4; i++) {
        double unit[4] = {0}, product[4];
        N[(c->quat + i)*c->nv + j] = rate[i];
        unit[i] = 1;
        quat_mul(product, conj, unit);
        B[j*c->nq + c->quat + i] = 2*product[k - TURN + 1];
      }
    }
  }
}

/* ---- sparse -------------------------------------------------------------------------------- */

/* Visit the entries of the matrix, always in the same order. With value NULL: list the pattern. */
typedef struct {
  tni_ida_matrix *m;
  double *value;
  int k;
} visitor;

static void put(visitor *w, int row, int col, double x) {
  if (w->value) {
    w->value[w->m->at[w->k++]] = x;
  } else {
    if (w->m->row) {
      w->m->row[w->k] = row;
      w->m->col[w->k] = col;
    }
    w->k++;
  }
}

/* X [nv], one row over the velocities of piece b, times B: a row over its coordinates */
static void put_row(visitor *w, int row, int b, const double *X) {
  const piece *c = &w->m->piece[b];
  const double *B = w->m->B + (size_t)b*PIECE_Q*PIECE_V;
  for (int i = 0; i < c->nq; i++) {
    double sum = 0;
    for (int j = 0; j < c->nv; j++) sum += X[j]*B[j*c->nq + i];
    put(w, row, c->q0 + i, sum);
  }
}

/* angular velocity of a piece */
static void piece_spin(const piece *c, const double *u, double omega[3]) {
  omega[0] = omega[1] = omega[2] = 0;
  for (int j = 0; j < c->nv; j++)
    if (c->moves[j] >= TURN) omega[c->moves[j] - TURN] = u[c->v0 + j];
}

static void visit_positions(visitor *w, double cj) {
  const tni_ida_matrix *m = w->m;
  const tni_data *s = m->s;
  for (int b = 0; b < m->npiece; b++) {
    const piece *c = &m->piece[b];
    const double *N = m->N + (size_t)b*PIECE_Q*PIECE_V;
    double omega[3];
    piece_spin(c, m->u, omega);
    for (int i = 0; i < c->nq; i++) {
      if (c->quat < 0 || i < c->quat) {
        put(w, c->q0 + i, c->q0 + i, cj);
        continue;
      }
      double unit[4] = {0}, rate[4];
      unit[i - c->quat] = 1;
      quat_rate(rate, unit, omega);
      for (int k = 0; k < 4; k++)
        put(w, c->q0 + c->quat + k, c->q0 + i, (k == i - c->quat)*cj - rate[k]);
    }
    for (int i = 0; i < c->nq; i++)
      for (int j = 0; j < c->nv; j++) put(w, c->q0 + i, s->nq + c->v0 + j, -N[i*c->nv + j]);
  }
  const tni_sparsity *p = s->rows;
  for (int r = 0; r < s->m; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1];) {
      int b = m->piece_of[p->col[k]];
      const piece *c = &m->piece[b];
      const double *N = m->N + (size_t)b*PIECE_Q*PIECE_V;
      for (int i = 0; i < c->nq; i++) {
        double sum = 0;
        for (int j = 0; j < c->nv; j++) sum += N[i*c->nv + j]*m->C[k + j];
        put(w, c->q0 + i, s->nq + s->nv + s->m + r, tni_ida_holds_position(s, r) ? sum : 0);
      }
      k += c->nv;
    }
}

static void visit(visitor *w, double cj) {
  const tni_ida_matrix *m = w->m;
  const tni_data *s = m->s;
  const tni_sparsity *sq = s->square, *ro = s->rows;
  int F2 = s->nq, F3 = F2 + s->nv, F4 = F3 + s->m;
  visit_positions(w, cj);
  for (int i = 0; i < s->nv; i++)
    for (int k = sq->rowptr[i]; k < sq->rowptr[i+1];) {
      int b = m->piece_of[sq->col[k]], nv = m->piece[b].nv;
      put_row(w, F2 + i, b, m->r_q + k);
      for (int j = 0; j < nv; j++)
        put(w, F2 + i, F2 + sq->col[k + j], cj*m->M[k + j] + m->r_v[k + j]);
      k += nv;
    }
  for (int r = 0; r < s->m; r++) {
    bool u = tni_ida_uses(s, r), h = tni_ida_holds_position(s, r);
    double zero[PIECE_V] = {0};
    for (int k = ro->rowptr[r]; k < ro->rowptr[r+1];) {
      int b = m->piece_of[ro->col[k]], nv = m->piece[b].nv;
      put_row(w, F3 + r, b, u ? m->Cv_q + k : zero);
      put_row(w, F4 + r, b, h ? m->C + k : zero);
      for (int j = 0; j < nv; j++) {
        put(w, F3 + r, F2 + ro->col[k + j], u ? m->C[k + j] : 0);
        put(w, F2 + ro->col[k + j], F3 + r, u ? m->C[k + j] : 0);
      }
      k += nv;
    }
    put(w, F3 + r, F3 + r, u ? 0 : 1);
    put(w, F4 + r, F4 + r, h ? 0 : 1);
  }
}

/* columns of the listed entries, and the place of each */
static tn_status make_pattern(tni_arena *arena, tni_ida_matrix *m) {
  visitor w = {m, NULL, 0};
  visit(&w, 0);
  m->nnz = w.k;
  TNI_ARENA_NEW(arena, m->at, m->nnz);
  TNI_ARENA_NEW(arena, m->row, m->nnz);
  TNI_ARENA_NEW(arena, m->col, m->nnz);
  TNI_ARENA_NEW(arena, m->value, m->nnz);
  w.k = 0;
  visit(&w, 0);
  TNI_ARENA_NEW(arena, m->ptr, m->n + 1);
  TNI_ARENA_NEW(arena, m->ind, m->nnz);
  int *ptr = m->ptr;
  for (int k = 0; k < m->nnz; k++) ptr[m->col[k] + 1]++;
  for (int i = 0; i < m->n; i++) ptr[i+1] += ptr[i];
  for (int k = 0; k < m->nnz; k++) {
    m->at[k] = ptr[m->col[k]]++;
    m->ind[m->at[k]] = m->row[k];
  }
  for (int i = m->n; i > 0; i--) ptr[i] = ptr[i-1];
  ptr[0] = 0;
  return TN_OK;
}

/* ---- tangents ------------------------------------------------------------------------------ */

/* A position is known to eps only. With a spring k and a mass m this is an error of eps sqrt(k/m) in the
 * velocity, when the step is long for that spring; it is less when it is short. */
static void rounding_of_rows(tni_ida_matrix *m) {
  const tni_sparsity *p = m->s->square;
  for (int i = 0; i < p->nrow; i++) {
    double stiffness = 0, mass = 0;
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      int j = p->col[k];
      double size = fmax(m->size[j], 1);
      stiffness += fabs(m->r_q[k])*size*size;
      if (j == i) mass = m->M[k];
    }
    m->rounding[i] = mass > 0 ? DBL_EPSILON*sqrt(stiffness/mass) : 0;
  }
}

/* The same without rows: accelerations that changes of the size of the coordinates cause, for two choices of their signs. */
static void rounding_by_accelerations(tni_ida_matrix *m) {
  tni_data *s = m->s;
  memset(m->rounding, 0, (size_t)s->nv*sizeof(double));
  if (!tni_newton_factor(s, 1, 0, 0, TNI_TURNS_NONE)) return;
  for (int round = 0; round < 2; round++) {
    for (int j = 0; j < s->nv; j++) {
      double size = fmax(m->size[j], 1);
      m->x[j] = (round == 0 || j % 2 == 0 ? 1 : -1)*size*size;
    }
    tni_newton_apply(s, m->x, NULL, NULL, m->y);
    tni_newton_solve(s, m->y);
    for (int j = 0; j < s->nv; j++) m->rounding[j] = fmax(m->rounding[j], DBL_EPSILON*sqrt(fabs(m->y[j])));
  }
}

static void stand(tni_ida_matrix *m) {
  tni_newton_at(m->s, m->t, m->q, m->v, m->a, NULL);
  m->s->newton_owner = m;
}

tn_status tni_ida_matrix_at(tni_ida_matrix *m, const tni_at *at) {
  tni_data *s = m->s;
  size_t bytes = (size_t)s->nv*sizeof(double);
  coordinate_blocks(m, at->q);
  tni_scale_size(m->scale, at->q, m->size);
  memcpy(m->q, at->q, (size_t)s->nq*sizeof(double));
  if (m->tree) {
    m->t = at->t;
    memcpy(m->v, at->v, bytes);
    memcpy(m->a, at->a, bytes);
    stand(m);
    rounding_by_accelerations(m);
    return TN_OK;
  }
  tni_sparse_tangent out = {.M = m->M, .r_q = m->r_q, .r_v = m->r_v, .C = m->C, .Cv_q = m->Cv_q};
  TN_TRY(tni_eval_sparse_tangent(s, at->t, at->q, at->v, at->a, at->lambda, &out));
  memcpy(m->v, at->v, bytes);
  rounding_of_rows(m);
  return TN_OK;
}

tn_status tni_ida_matrix_fill(tni_ida_matrix *m, double cj, const double *mu) {
  m->cj = cj;
  tni_ida_matrix_velocity(m, m->v, mu);
  if (m->tree) return TN_OK;
  visitor w = {m, m->value, 0};
  visit(&w, cj);
  return TN_OK;
}

/* ---- solution ------------------------------------------------------------------------------ */

static bool factor_tree(tni_ida_matrix *m) {
  return tni_newton_factor(m->s, m->cj*m->cj, m->cj, 1, TNI_TURNS_QUATERNION);
}

tn_status tni_ida_matrix_factor(tni_ida_matrix *m) {
  if (!m->tree) return tni_sparse_solver_factor(m->lu, m->value);
  if (m->s->newton_owner != m) stand(m);
  return factor_tree(m) ? TN_OK : TN_SINGULAR;
}

/* c of the head of this file */
static void known_velocities(tni_ida_matrix *m, const double *b) {
  for (int k = 0; k < m->npiece; k++) {
    const piece *c = &m->piece[k];
    const double *B = m->B + (size_t)k*PIECE_Q*PIECE_V, *own = b + c->q0, *p = m->q + c->q0 + c->quat;
    double omega[3], along = 0;
    piece_spin(c, m->v, omega);
    for (int i = 0; i < 4 && c->quat >= 0; i++) along += p[i]*own[c->quat + i]/m->cj;
    for (int j = 0; j < c->nv; j++) {
      double sum = c->moves[j] >= TURN ? omega[c->moves[j] - TURN]*along : 0;
      for (int i = 0; i < c->nq; i++) sum += B[j*c->nq + i]*own[i];
      m->c[c->v0 + j] = sum;
    }
  }
}

/* dq, dv of a piece by its xi, in the place of b */
static void put_piece(tni_ida_matrix *m, int k, const double *xi_all, double *b) {
  const piece *c = &m->piece[k];
  const double *N = m->N + (size_t)k*PIECE_Q*PIECE_V, *p = m->q + c->q0 + c->quat, *xi = xi_all + c->v0;
  double *dq = b + c->q0, *dv = b + m->s->nq + c->v0, omega[3], turn[3] = {0}, x[3], rho = 0;
  piece_spin(c, m->v, omega);
  for (int j = 0; j < c->nv; j++)
    if (c->moves[j] >= TURN) turn[c->moves[j] - TURN] = xi[j];
  for (int i = 0; i < 4 && c->quat >= 0; i++) rho += p[i]*dq[c->quat + i];
  rho = (rho - vec3_dot(turn, omega)/4)/m->cj;
  vec3_cross(x, omega, turn);
  for (int j = 0; j < c->nv; j++) {
    int a = c->moves[j] - TURN;
    dv[j] = m->cj*xi[j] - m->c[c->v0 + j];
    if (a >= 0) dv[j] += 0.5*x[a] + omega[a]*vec3_dot(turn, omega)/(4*m->cj);
  }
  for (int i = 0; i < c->nq; i++) {
    dq[i] = c->quat >= 0 && i >= c->quat ? rho*p[i - c->quat] : 0;
    for (int j = 0; j < c->nv; j++) dq[i] += N[i*c->nv + j]*xi[j];
  }
}

static void solve_tree(tni_ida_matrix *m, double *b) {
  tni_data *s = m->s;
  if (s->newton_owner != m) {
    stand(m);
    factor_tree(m);
  }
  known_velocities(m, b);
  for (int j = 0; j < s->nv; j++) m->y[j] = m->cj*m->c[j];
  tni_newton_apply(s, NULL, m->c, m->y, m->x);
  for (int j = 0; j < s->nv; j++) m->x[j] += b[s->nq + j];
  tni_newton_solve(s, m->x);
  for (int k = 0; k < m->npiece; k++) put_piece(m, k, m->x, b);
}

void tni_ida_matrix_solve(tni_ida_matrix *m, double *b) {
  if (m->tree) solve_tree(m, b);
  else tni_sparse_solver_solve(m->lu, 1, false, b);
}

/* ---- what IDA is handed -------------------------------------------------------------------- */

static SUNMatrix_ID matrix_id(SUNMatrix A) { return (void)A, SUNMATRIX_CUSTOM; }
static int leave_it(SUNMatrix A) { return (void)A, 0; } /* values are written anew, none added to */
static void free_matrix(SUNMatrix A) {
  A->content = NULL;
  SUNMatFreeEmpty(A);
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver S) { return (void)S, SUNLINEARSOLVER_DIRECT; }
static SUNLinearSolver_ID solver_id(SUNLinearSolver S) { return (void)S, SUNLINEARSOLVER_CUSTOM; }
/* wherever IDA begins anew, pivots are chosen anew: a run that is saved there and one that continues it have the same bits */
static int initialize(SUNLinearSolver S) {
  tni_ida_matrix *m = S->content;
  if (!m->tree) tni_sparse_solver_forget(m->lu);
  return 0;
}
static int setup(SUNLinearSolver S, SUNMatrix A) {
  (void)A;
  tn_status st = tni_ida_matrix_factor(S->content);
  return st == TN_OK ? 0 : st > 0 ? 1 : -1; /* 1: IDA tries a shorter step */
}
static int solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  (void)A, (void)tol;
  if (x != b) N_VScale(1, b, x);
  tni_ida_matrix_solve(S->content, N_VGetArrayPointer(x));
  return 0;
}
static int free_solver(SUNLinearSolver S) {
  S->content = NULL;
  SUNLinSolFreeEmpty(S);
  return 0;
}

tn_status tni_ida_matrix_offer(tni_ida_matrix *m, SUNContext sunctx, SUNMatrix *J, SUNLinearSolver *solver) {
  m->J = SUNMatNewEmpty(sunctx);
  m->solver = SUNLinSolNewEmpty(sunctx);
  if (!m->J || !m->solver) return tni_out_of_memory(m->s->ctx);
  m->J->content = m->solver->content = m;
  m->J->ops->getid = matrix_id;
  m->J->ops->zero = leave_it;
  m->J->ops->destroy = free_matrix;
  m->solver->ops->gettype = solver_type;
  m->solver->ops->getid = solver_id;
  m->solver->ops->initialize = initialize;
  m->solver->ops->setup = setup;
  m->solver->ops->solve = solve;
  m->solver->ops->free = free_solver;
  *J = m->J;
  *solver = m->solver;
  return TN_OK;
}

/* ---- create -------------------------------------------------------------------------------- */

static tn_status make_sparse(tni_arena *arena, tni_ida_matrix *m) {
  tni_data *s = m->s;
  TN_TRY(tni_prepare_pattern(s));
  double **square[] = {&m->M, &m->r_q, &m->r_v}, **wide[] = {&m->C, &m->Cv_q};
  for (int i = 0; i < TNI_COUNT(square); i++) TNI_ARENA_NEW(arena, *square[i], s->square->nnz);
  for (int i = 0; i < TNI_COUNT(wide); i++) TNI_ARENA_NEW(arena, *wide[i], s->rows->nnz);
  TN_TRY(make_pattern(arena, m));
  tni_sparse_opts o = {.scales = true, .unlike = true, .decay = DECAY};
  return tni_sparse_solver_create(s->ctx, m->n, m->ptr, m->ind, &o, &m->lu);
}

tn_status tni_ida_matrix_create(tni_arena *arena, tni_data *s, const tni_scale *scale, bool tree, tni_ida_matrix **out) {
  tni_ida_matrix *m;
  TNI_ARENA_NEW(arena, m, 1);
  *out = m;
  m->s = s;
  m->scale = scale;
  m->tree = tree;
  m->n = s->nq + s->nv + 2*s->m;
  double **vectors[] = {&m->u, &m->rounding, &m->size, &m->v, &m->a, &m->c, &m->x, &m->y};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], s->nv);
  TNI_ARENA_NEW(arena, m->q, s->nq);
  TNI_ARENA_NEW(arena, m->piece, s->nq);
  TNI_ARENA_NEW(arena, m->piece_of, s->nv);
  TN_TRY(find_pieces(m));
  TNI_ARENA_NEW(arena, m->N, (size_t)m->npiece*PIECE_Q*PIECE_V);
  TNI_ARENA_NEW(arena, m->B, (size_t)m->npiece*PIECE_Q*PIECE_V);
  return tree ? TN_OK : make_sparse(arena, m);
}

void tni_ida_matrix_destroy(tni_ida_matrix *m) {
  if (!m) return;
  if (m->solver) SUNLinSolFree(m->solver);
  if (m->J) SUNMatDestroy(m->J);
  tni_sparse_solver_destroy(&m->lu);
  m->solver = NULL;
  m->J = NULL;
}
