/* linsolve/natural_point.c - natural partitioning where joints hold points together
 *
 * Most joints begin with three rows that hold two points together, with unit blocks in the
 * translations, and go on with up to three rows in the rotations alone. Then nothing is to be
 * eliminated numerically: with (t, r) translations and rotations of a body, p of its parent,
 *
 *   s t + B r - s p_t + Bp p_r = g        ->  t = p_t + A p_r - s B H eta + s (g - B c)
 *        E r       + Ep p_r    = h        ->  r =       R p_r +     H eta + c
 *
 *   R = -E^+ Ep,  A = -s (B R + Bp),  c = E^+ h
 *
 * E has k = 0..3 rows e; H spans what they leave free and E^+ is a right inverse, both by cross
 * products: n = e0 x e1 for two rows, E^+ = (e1 x n, n x e0)/n.n. Every motion of a body follows the
 * base as Y = [1 Ya; 0 Yb]: a shift of all bodies breaks no joint, and rows of cut joints feel none
 * either. Columns of Z are stored one after the other and only where they are not zero, so that all
 * work is products with 3 x 3 and 6 x 6 blocks. Letters: natural.h; formulas and signs otherwise as in natural.c.
 *
 * A group where this does not hold for the present values (a row that mixes translations, a row
 * that is switched off) is treated by the general code at that moment.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/natural.h"

#include <math.h>

#include "base/vec.h"

static const double PARALLEL = 1e-8; /* sine of the angle between rows that are one */
static const double LOOP_PIVOT = 1e-10;
enum { MAX_CUT = 6 }; /* rows of a cut joint */

/* a body with the joint that carries it */
typedef struct {
  int body, parent;  /* position in the group, -1: the base             */
  int row, extra;    /* first row, rows beside the point                */
  int jc, jp;        /* its blocks in J and those of what carries it, -1: ground */
  int npath, *path;  /* columns of the group that move it; own ones last */
  int own;           /* first of them in path                           */
  double s;          /* 1 or -1                                         */
  double E[9];       /* columns of the right inverse                    */
  double R[9], A[9], Ya[9], Yb[9];
  double M[36];      /* own mass and what hangs on it                   */
  double e[6], f[6];
  double *Z0, *Z;    /* [npath][6], [nx][6]                             */
  int nhang;
  const int *hang;
} point_body;

/* a block of a cut joint on one body */
typedef struct {
  int pos;           /* of the body in the group, -1: base */
  int j, q, nrow;    /* block in J, first row of the group, rows */
} cut_block;

struct tni_natural_point {
  int nbody, n, m, nx; /* columns, rows of cut joints, columns left      */
  point_body *body;
  int nblock;
  cut_block *block;
  int *row;            /* [m] rows of the system                         */
  int *order, *col, *at; /* [m] and [n] rows and columns in the order of the pivots; [n] inverse */
  double *C, *T, *G, *s; /* [m][n], [m][nx], [m][3], [m]                 */
  double *W;           /* [3 m] work                                     */
  double *D, *U;       /* [nx][nx], [nx][6]                              */
  double *y;           /* [nx]                                           */
};

/* ---- plan ---------------------------------------------------------------------------------- */

/* the joint of a body begins with a point of both its bodies */
static bool hangs_on_point(const tni_kkt *K, const tni_natural_body *o) {
  if (o->nedge != 1) return false;
  int b = o->edge[0], nrow = K->rowadr[b+1] - K->rowadr[b];
  if (nrow < 3 || nrow > 6) return false;
  int sum = 0;
  for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
    if (K->unit[a] == 0) return false;
    sum += K->unit[a];
  }
  return K->incadr[b+1] - K->incadr[b] == 1 || sum == 0;
}

static tn_status fill_body(tni_arena *arena, const tni_kkt *K, const tni_natural_body *o,
                           const point_body *up, point_body *p, int *n) {
  int b = o->edge[0];
  p->body = o->body;
  p->parent = o->parent;
  p->nhang = o->nhang;
  p->hang = o->hang;
  p->row = K->rowadr[b];
  p->extra = K->rowadr[b+1] - p->row - 3;
  p->jp = -1;
  for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
    if (K->incbody[a] != o->body) {
      p->jp = K->jadr[a];
    } else {
      p->jc = K->jadr[a];
      p->s = K->unit[a];
    }
  }
  int nup = up ? up->npath : 0;
  p->own = nup;
  p->npath = nup + 3 - p->extra;
  TNI_ARENA_NEW(arena, p->path, p->npath + 1);
  TNI_ARENA_NEW(arena, p->Z0, 6*p->npath + 1);
  for (int i = 0; i < nup; i++) p->path[i] = up->path[i];
  for (int i = nup; i < p->npath; i++) p->path[i] = (*n)++;
  return TN_OK;
}

static tn_status fill_cuts(tni_arena *arena, const tni_kkt *K, const tni_natural_group *g,
                           tni_natural_point *p) {
  int ninc = 0;
  for (int c = 0; c < g->ncut; c++) ninc += K->incadr[g->cut[c]+1] - K->incadr[g->cut[c]];
  TNI_ARENA_NEW(arena, p->block, ninc + 1);
  TNI_ARENA_NEW(arena, p->row, g->maxcut + 1);
  for (int c = 0; c < g->ncut; c++) {
    int b = g->cut[c], nrow = K->rowadr[b+1] - K->rowadr[b];
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      cut_block *k = &p->block[p->nblock++];
      *k = (cut_block){-1, K->jadr[a], p->m, nrow};
      for (int i = 0; i < g->nbody; i++)
        if (g->body[i].body == K->incbody[a]) k->pos = i;
    }
    for (int r = 0; r < nrow; r++) p->row[p->m++] = K->rowadr[b] + r;
  }
  return TN_OK;
}

tn_status tni_natural_point_create(tni_kkt_solver *s, tni_natural_group *g) {
  const tni_kkt *K = s->K;
  tni_arena *arena = &s->arena;
  if (K->d != 6 || !K->unit) return TN_OK;
  for (int i = 0; i < g->nbody; i++)
    if (!hangs_on_point(K, &g->body[i])) return TN_OK;
  for (int c = 0; c < g->ncut; c++)
    if (K->rowadr[g->cut[c]+1] - K->rowadr[g->cut[c]] > MAX_CUT) return TN_OK;
  tni_natural_point *p;
  TNI_ARENA_NEW(arena, p, 1);
  p->nbody = g->nbody;
  TNI_ARENA_NEW(arena, p->body, g->nbody);
  for (int i = 0; i < g->nbody; i++) {
    const tni_natural_body *o = &g->body[i];
    TN_TRY(fill_body(arena, K, o, o->parent < 0 ? NULL : &p->body[o->parent], &p->body[i], &p->n));
  }
  TN_TRY(fill_cuts(arena, K, g, p));
  p->nx = p->n - p->m;
  if (p->nx < 0) return TN_OK; /* more rows than motions: some will be switched off */
  size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1, nx = (size_t)p->nx + 1;
  TNI_ARENA_NEW(arena, p->order, m);
  TNI_ARENA_NEW(arena, p->col, n);
  TNI_ARENA_NEW(arena, p->at, n);
  TNI_ARENA_NEW(arena, p->C, m*n);
  TNI_ARENA_NEW(arena, p->T, m*nx);
  TNI_ARENA_NEW(arena, p->G, 3*m);
  TNI_ARENA_NEW(arena, p->s, m);
  TNI_ARENA_NEW(arena, p->W, 3*m);
  TNI_ARENA_NEW(arena, p->D, nx*nx);
  TNI_ARENA_NEW(arena, p->U, 6*nx);
  TNI_ARENA_NEW(arena, p->y, nx);
  for (int i = 0; i < p->nbody; i++) {
    p->body[i].Z = p->body[i].Z0;
    if (p->m > 0) TNI_ARENA_NEW(arena, p->body[i].Z, 6*nx);
  }
  for (int i = 0; i < p->n; i++) p->col[i] = p->at[i] = i;
  g->point = p;
  return TN_OK;
}

/* ---- small blocks --------------------------------------------------------------------------- */

/* rotations of the first three rows of a block of J */
static inline void rotations(double B[9], const double *J) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3*i+j] = J[6*i + 3 + j];
}

static inline void add_mat3_vec(double y[3], const double A[9], const double x[3]) {
  for (int i = 0; i < 3; i++) y[i] += A[3*i]*x[0] + A[3*i+1]*x[1] + A[3*i+2]*x[2];
}
static inline void add_mat3_tvec(double y[3], const double A[9], const double x[3]) {
  for (int i = 0; i < 3; i++) y[i] += A[i]*x[0] + A[3+i]*x[1] + A[6+i]*x[2];
}

static inline double dot6(const double a[6], const double b[6]) {
  return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) + (a[3]*b[3] + a[4]*b[4] + a[5]*b[5]);
}

/* y = M x, M symmetric: by columns, which needs no sums across */
static inline void mass_times(double y[6], const double M[36], const double x[6]) {
  for (int i = 0; i < 6; i++) y[i] = M[i]*x[0];
  for (int k = 1; k < 6; k++)
    for (int i = 0; i < 6; i++) y[i] += M[6*k+i]*x[k];
}

/* Right inverse E (columns in rows 0..k-1 of E, three numbers each) and what is left free, H
 * [3-k][3], of k rows of three. False: the rows depend on each other. */
static bool invert_rows(int k, const double *J, double E[9], double H[9]) {
  double e[3][3], n[3];
  for (int r = 0; r < k; r++) {
    const double *row = J + 6*(3 + r);
    if (row[0] != 0 || row[1] != 0 || row[2] != 0) return false;
    vec3_copy(e[r], row + 3);
  }
  if (k == 0) {
    mat3_identity(H);
    return true;
  }
  if (k == 1) {
    double l2 = vec3_dot(e[0], e[0]), u[3];
    if (!(l2 > 0)) return false;
    vec3_scale(E, 1/l2, e[0]);
    vec3_scale(u, 1/sqrt(l2), e[0]);
    vec3_perpendicular(H, u);
    vec3_cross(H + 3, u, H);
    return true;
  }
  vec3_cross(n, e[0], e[1]);
  double n2 = vec3_dot(n, n), size = vec3_dot(e[0], e[0])*vec3_dot(e[1], e[1]);
  if (!(n2 > PARALLEL*PARALLEL*size)) return false;
  if (k == 2) {
    vec3_cross(E, e[1], n);
    vec3_cross(E + 3, n, e[0]);
    for (int i = 0; i < 6; i++) E[i] *= 1/n2;
    vec3_copy(H, n);
    return true;
  }
  double det = vec3_dot(n, e[2]);
  if (!(fabs(det) > PARALLEL*sqrt(size*vec3_dot(e[2], e[2])))) return false;
  vec3_cross(E, e[1], e[2]);
  vec3_cross(E + 3, e[2], e[0]);
  vec3_copy(E + 6, n);
  for (int i = 0; i < 9; i++) E[i] *= 1/det;
  return true;
}

/* ---- factorization -------------------------------------------------------------------------- */

/* R, A, H of a body, then Y and Z0 along the way from the base */
static bool carry(const tni_kkt *K, const point_body *up, point_body *o) {
  const double *Jc = K->J + o->jc, *Jp = o->jp < 0 ? NULL : K->J + o->jp;
  double B[9], H[9];
  int k = o->extra;
  for (int r = 0; r < 3 + k && K->active; r++)
    if (!K->active[o->row + r]) return false;
  if (!invert_rows(k, Jc, o->E, H)) return false;
  /* own columns of Z0: (-s B h; h) for every h left free */
  rotations(B, Jc);
  for (int c = o->own; c < o->npath; c++) {
    double *z = o->Z0 + 6*c, *h = H + 3*(c - o->own);
    mat3_vec(z, B, h);
    vec3_scale(z, -o->s, z);
    vec3_copy(z + 3, h);
  }
  memset(o->R, 0, sizeof(o->R));
  memset(o->A, 0, sizeof(o->A));
  if (Jp) {
    /* R = -E^+ Ep, A = -s (B R + Bp) */
    for (int r = 0; r < k; r++) {
      const double *row = Jp + 6*(3 + r), *E = o->E + 3*r;
      if (row[0] != 0 || row[1] != 0 || row[2] != 0) return false;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) o->R[3*i+j] -= E[i]*row[3+j];
    }
    if (k > 0) mat3_mul(o->A, B, o->R);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) o->A[3*i+j] = -o->s*(o->A[3*i+j] + Jp[6*i + 3 + j]);
  }
  if (!up) {
    memcpy(o->Ya, o->A, sizeof(o->Ya));
    memcpy(o->Yb, o->R, sizeof(o->Yb));
    return true;
  }
  /* Ya = Ya_p + A Yb_p, Yb = R Yb_p; columns of the parent likewise: (z_t + A z_r; R z_r) */
  mat3_mul(o->Ya, o->A, up->Yb);
  for (int i = 0; i < 9; i++) o->Ya[i] += up->Ya[i];
  mat3_mul(o->Yb, o->R, up->Yb);
  for (int c = 0; c < o->own; c++) {
    double *z = o->Z0 + 6*c, *zu = up->Z0 + 6*c;
    vec3_copy(z, zu);
    add_mat3_vec(z, o->A, zu + 3);
    mat3_vec(z + 3, o->R, zu + 3);
  }
  return true;
}

/* rows of the cut joints: C eta + G r_base = s. False: they feel a shift of the base */
static bool cut_rows(const tni_kkt *K, bool on_ground, tni_natural_point *p) {
  int n = p->n, m = p->m;
  double shift[3*MAX_CUT];
  memset(p->C, 0, (size_t)(m*n)*sizeof(double));
  memset(p->G, 0, (size_t)(3*m)*sizeof(double));
  for (int i = 0; i < p->nblock; i++) {
    const cut_block *b = &p->block[i];
    const double *J = K->J + b->j;
    /* the blocks of a joint follow each other: sums of their translations over the joint */
    if (i == 0 || p->block[i-1].q != b->q) memset(shift, 0, sizeof(shift));
    for (int r = 0; r < b->nrow; r++, J += 6) {
      double *g = p->G + 3*(b->q + r);
      if (K->active && !K->active[p->row[b->q + r]]) return false;
      vec3_add(shift + 3*r, shift + 3*r, J);
      if (b->pos < 0) {
        vec3_add(g, g, J + 3);
        continue;
      }
      /* G += J_t Ya + J_r Yb, C += J Z0 */
      const point_body *o = &p->body[b->pos];
      double *C = p->C + (b->q + r)*n;
      add_mat3_tvec(g, o->Ya, J);
      add_mat3_tvec(g, o->Yb, J + 3);
      for (int c = 0; c < o->npath; c++) C[o->path[c]] += dot6(J, o->Z0 + 6*c);
    }
    if (on_ground || (i + 1 < p->nblock && p->block[i+1].q == b->q)) continue;
    for (int r = 0; r < 3*b->nrow; r++)
      if (shift[r] != 0) return false;
  }
  return true;
}

/* closes the loops: Z = Z0_F + Z0_P T and Y += Z0_P G of the bodies */
static void close_bodies(tni_natural_point *p) {
  int m = p->m, nx = p->nx;
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    memset(o->Z, 0, (size_t)(6*nx)*sizeof(double));
    for (int c = 0; c < o->npath; c++) {
      int q = p->at[o->path[c]];
      const double *z = o->Z0 + 6*c;
      if (q >= m) {
        for (int a = 0; a < 6; a++) o->Z[6*(q - m) + a] += z[a];
        continue;
      }
      const double *G = p->G + 3*q;
      for (int x = 0; x < nx; x++)
        for (int a = 0; a < 6; a++) o->Z[6*x + a] += p->T[q*nx + x]*z[a];
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          o->Ya[3*a+b] += z[a]*G[b];
          o->Yb[3*a+b] += z[3+a]*G[b];
        }
    }
  }
}

/* b := -LU^-1 b, three numbers a row */
static void solve_base(const double *C, int m, int n, double *b) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < i; k++) vec3_addmul(b + 3*i, -C[i*n + k], b + 3*k);
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) vec3_addmul(b + 3*i, -C[i*n + k], b + 3*k);
    vec3_scale(b + 3*i, 1/C[i*n + i], b + 3*i);
  }
  for (int i = 0; i < 3*m; i++) b[i] = -b[i];
}

static bool close_loops(const tni_kkt *K, bool on_ground, tni_natural_point *p) {
  int n = p->n, m = p->m, nx = p->nx;
  if (!cut_rows(K, on_ground, p)) return false;
  for (int q = 0; q < m; q++) p->order[q] = q;
  for (int j = 0; j < n; j++) p->col[j] = j;
  if (!tni_natural_eliminate(p->C, m, n, p->order, p->col, LOOP_PIVOT)) return false;
  for (int j = 0; j < n; j++) p->at[p->col[j]] = j;
  /* G := -(L U)^-1 G in the order of the pivots */
  memcpy(p->W, p->G, (size_t)(3*m)*sizeof(double));
  for (int q = 0; q < m; q++) vec3_copy(p->G + 3*q, p->W + 3*p->order[q]);
  solve_base(p->C, m, n, p->G);
  /* T = -(L U)^-1 C_F; the columns left free have gone through L already */
  for (int i = m - 1; i >= 0; i--)
    for (int x = 0; x < nx; x++) {
      double u = p->C[i*n + m + x];
      for (int k = i + 1; k < m; k++) u += p->C[i*n + k]*p->T[k*nx + x];
      p->T[i*nx + x] = -u/p->C[i*n + i];
    }
  close_bodies(p);
  return true;
}

static const double *mass_of(const tni_kkt *K, int body) { return K->M + (size_t)body*36; }

/* what a body weighs with what hangs on it */
static const double *gather_mass(const tni_kkt *K, const tni_natural *w, point_body *o) {
  const double *own = mass_of(K, o->body);
  if (o->nhang == 0) return own;
  memcpy(o->M, own, sizeof(o->M));
  for (int k = 0; k < o->nhang; k++) {
    const double *I = w->group[o->hang[k]].I;
    for (int a = 0; a < 36; a++) o->M[a] += I[a];
  }
  return o->M;
}

/* mass times the unit matrix and inertia, nothing between */
static bool is_plain(const double M[36]) {
  double off = 0;
  for (int i = 0; i < 3; i++) off += fabs(M[6*i+3]) + fabs(M[6*i+4]) + fabs(M[6*i+5]);
  off += fabs(M[1]) + fabs(M[2]) + fabs(M[8]);
  return off == 0 && M[0] == M[7] && M[0] == M[14];
}

/* I += Y^T M Y, its blocks (t,t), (t,r), (r,r) */
static void add_inertia(const double M[36], const point_body *o, double Itt[9], double Itr[9],
                        double Irr[9]) {
  /* with M = [tt tr; tr^T rr]: (P; Q) = M (Ya; Yb), Itt += tt, Itr += P, Irr += Ya^T P + Yb^T Q */
  double P[9], Q[9], X[9], B[9];
  if (is_plain(M)) {
    for (int i = 0; i < 9; i++) P[i] = M[0]*o->Ya[i];
    for (int i = 0; i < 3; i++) vec3_copy(B + 3*i, M + 6*(3+i) + 3);
    mat3_mul(Q, B, o->Yb);
    for (int i = 0; i < 3; i++) Itt[4*i] += M[0];
  } else {
    double tt[9], tr[9], rr[9];
    for (int i = 0; i < 3; i++) {
      vec3_copy(tt + 3*i, M + 6*i);
      vec3_copy(tr + 3*i, M + 6*i + 3);
      vec3_copy(rr + 3*i, M + 6*(3+i) + 3);
    }
    for (int i = 0; i < 9; i++) Itt[i] += tt[i];
    mat3_mul(P, tt, o->Ya);
    mat3_mul(X, tr, o->Yb);
    for (int i = 0; i < 9; i++) P[i] += X[i];
    mat3_tmul(Q, tr, o->Ya);
    mat3_mul(X, rr, o->Yb);
    for (int i = 0; i < 9; i++) Q[i] += X[i];
  }
  for (int i = 0; i < 9; i++) Itr[i] += P[i];
  mat3_tmul(X, o->Ya, P);
  for (int i = 0; i < 9; i++) Irr[i] += X[i];
  mat3_tmul(X, o->Yb, Q);
  for (int i = 0; i < 9; i++) Irr[i] += X[i];
}

/* D = L L^T and U := L^-1 U */
static bool factor_columns(tni_natural_point *p) {
  int nx = p->nx;
  for (int j = 0; j < nx; j++) {
    double *Dj = p->D + j*nx, sum = Dj[j];
    for (int k = 0; k < j; k++) sum -= Dj[k]*Dj[k];
    if (!(sum > 0)) return false;
    Dj[j] = sqrt(sum);
    double inverse = 1/Dj[j];
    for (int i = j + 1; i < nx; i++) {
      double *Di = p->D + i*nx;
      for (int k = 0; k < j; k++) Di[j] -= Di[k]*Dj[k];
      Di[j] *= inverse;
    }
    for (int k = 0; k < j; k++)
      for (int a = 0; a < 6; a++) p->U[6*j + a] -= Dj[k]*p->U[6*k + a];
    for (int a = 0; a < 6; a++) p->U[6*j + a] *= inverse;
  }
  return true;
}

/* D += Z^T M Z (lower half), U += Z^T M Y, I += Y^T M Y, then I -= U^T D^-1 U by U := L^-1 U */
static bool condense(const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  int nx = p->nx;
  double Itt[9] = {0}, Itr[9] = {0}, Irr[9] = {0};
  memset(p->D, 0, (size_t)(nx*nx)*sizeof(double));
  memset(p->U, 0, (size_t)(6*nx)*sizeof(double));
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    const double *M = gather_mass(K, w, o);
    int nz = p->m > 0 ? nx : o->npath;
    for (int x = 0; x < nz; x++) {
      double mz[6];
      int cx = p->m > 0 ? x : o->path[x];
      mass_times(mz, M, o->Z + 6*x);
      for (int y = 0; y <= x; y++) /* the columns of a path increase */
        p->D[cx*nx + (p->m > 0 ? y : o->path[y])] += dot6(o->Z + 6*y, mz);
      if (g->base < 0) continue;
      vec3_add(p->U + 6*cx, p->U + 6*cx, mz);
      add_mat3_tvec(p->U + 6*cx + 3, o->Ya, mz);
      add_mat3_tvec(p->U + 6*cx + 3, o->Yb, mz + 3);
    }
    if (g->base >= 0) add_inertia(M, o, Itt, Itr, Irr);
  }
  if (!factor_columns(p)) return false;
  if (g->base < 0) return true;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      g->I[6*i + j] = Itt[3*i+j];
      g->I[6*i + 3 + j] = g->I[6*(3+j) + i] = Itr[3*i+j];
      g->I[6*(3+i) + 3 + j] = Irr[3*i+j];
    }
  for (int x = 0; x < nx; x++) {
    const double *u = p->U + 6*x;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) g->I[6*i + j] -= u[i]*u[j];
  }
  return true;
}

bool tni_natural_point_factor(const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    if (!carry(K, o->parent < 0 ? NULL : &p->body[o->parent], o)) return false;
  }
  if (p->m > 0 && !close_loops(K, g->base < 0, p)) return false;
  return condense(K, w, g);
}

/* ---- solution ------------------------------------------------------------------------------- */

/* e of the bodies: their motion with the base at rest and eta = 0 */
static void find_bias(const tni_kkt *K, const double *gs, tni_natural_point *p) {
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    const double *J = K->J + o->jc, *h = gs + o->row;
    double B[9];
    /* c = E^+ h, e = (s (g - B c); c), then what the parent does: e_t += e_p_t + A e_p_r, e_r += R e_p_r */
    memset(o->e, 0, sizeof(o->e));
    for (int r = 0; r < o->extra; r++) vec3_addmul(o->e + 3, h[3+r], o->E + 3*r);
    rotations(B, J);
    mat3_vec(o->e, B, o->e + 3);
    for (int a = 0; a < 3; a++) o->e[a] = o->s*(h[a] - o->e[a]);
    if (o->parent < 0) continue;
    const double *up = p->body[o->parent].e;
    vec3_add(o->e, o->e, up);
    add_mat3_vec(o->e, o->A, up + 3);
    add_mat3_vec(o->e + 3, o->R, up + 3);
  }
  if (p->m == 0) return;
  /* s = (L U)^-1 (g - sum J e), e += Z0_P s */
  int m = p->m, n = p->n;
  for (int q = 0; q < m; q++) p->W[q] = gs[p->row[q]];
  for (int i = 0; i < p->nblock; i++) {
    const cut_block *b = &p->block[i];
    if (b->pos < 0) continue;
    for (int r = 0; r < b->nrow; r++)
      p->W[b->q + r] -= dot6(K->J + b->j + 6*r, p->body[b->pos].e);
  }
  for (int i = 0; i < m; i++) {
    p->s[i] = p->W[p->order[i]];
    for (int k = 0; k < i; k++) p->s[i] -= p->C[i*n + k]*p->s[k];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) p->s[i] -= p->C[i*n + k]*p->s[k];
    p->s[i] /= p->C[i*n + i];
  }
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    for (int c = 0; c < o->npath; c++) {
      int q = p->at[o->path[c]];
      for (int a = 0; a < 6 && q < m; a++) o->e[a] += p->s[q]*o->Z0[6*c + a];
    }
  }
}

/* f with what hangs on the body */
static inline void gather_force(const tni_natural *w, point_body *o) {
  if (w->fs) memcpy(o->f, w->fs + 6*o->body, sizeof(o->f));
  else memset(o->f, 0, sizeof(o->f));
  for (int k = 0; k < o->nhang; k++) {
    const double *phi = w->group[o->hang[k]].phi;
    for (int a = 0; a < 6; a++) o->f[a] += phi[a];
  }
}

void tni_natural_point_forces(const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  int nx = p->nx;
  if (w->gs) find_bias(K, w->gs, p);
  memset(p->y, 0, (size_t)nx*sizeof(double));
  memset(g->phi, 0, 6*sizeof(double));
  for (int i = 0; i < p->nbody; i++) {
    point_body *o = &p->body[i];
    gather_force(w, o);
    /* f - M e; y += Z^T of it, phi += Y^T of it */
    if (w->gs) {
      double me[6];
      mass_times(me, o->nhang > 0 ? o->M : mass_of(K, o->body), o->e);
      for (int a = 0; a < 6; a++) o->f[a] -= me[a];
    } else {
      memset(o->e, 0, sizeof(o->e));
    }
    if (p->m > 0)
      for (int x = 0; x < nx; x++) p->y[x] += dot6(o->Z + 6*x, o->f);
    else
      for (int c = 0; c < o->npath; c++) p->y[o->path[c]] += dot6(o->Z + 6*c, o->f);
    if (g->base < 0) continue;
    vec3_add(g->phi, g->phi, o->f);
    add_mat3_tvec(g->phi + 3, o->Ya, o->f);
    add_mat3_tvec(g->phi + 3, o->Yb, o->f + 3);
  }
  /* y := L^-1 y, phi -= (L^-1 U)^T y */
  for (int i = 0; i < nx; i++) {
    for (int k = 0; k < i; k++) p->y[i] -= p->D[i*nx + k]*p->y[k];
    p->y[i] /= p->D[i*nx + i];
    for (int a = 0; a < 6 && g->base >= 0; a++) g->phi[a] -= p->U[6*i + a]*p->y[i];
  }
}

void tni_natural_point_motion(const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  int nx = p->nx;
  const double *base = g->base >= 0 ? w->x + 6*(size_t)g->base : NULL;
  /* L^T xi = y - (L^-1 U) x_base */
  double *xi = g->xi;
  for (int i = nx - 1; i >= 0; i--) {
    xi[i] = p->y[i] - (base ? dot6(p->U + 6*i, base) : 0);
    for (int k = i + 1; k < nx; k++) xi[i] -= p->D[k*nx + i]*xi[k];
    xi[i] /= p->D[i*nx + i];
  }
  for (int i = 0; i < p->nbody; i++) {
    /* x = Y x_base + Z xi + e */
    const point_body *o = &p->body[i];
    double x[6];
    memcpy(x, o->e, sizeof(x));
    if (base) {
      vec3_add(x, x, base);
      add_mat3_vec(x, o->Ya, base + 3);
      add_mat3_vec(x + 3, o->Yb, base + 3);
    }
    int nz = p->m > 0 ? nx : o->npath;
    for (int c = 0; c < nz; c++) {
      double f = xi[p->m > 0 ? c : o->path[c]];
      for (int a = 0; a < 6; a++) x[a] += f*o->Z[6*c + a];
    }
    memcpy(w->x + 6*(size_t)o->body, x, sizeof(x));
  }
}

/* multipliers of the cut joints, and their forces on bodies and base */
static void cut_multipliers(const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  int m = p->m, n = p->n;
  /* (L U)^T lambda = sum Z0_P^T F */
  memset(p->s, 0, (size_t)m*sizeof(double));
  for (int i = 0; i < p->nbody; i++) {
    const point_body *o = &p->body[i];
    for (int c = 0; c < o->npath; c++) {
      int q = p->at[o->path[c]];
      if (q < m) p->s[q] += dot6(o->Z0 + 6*c, o->f);
    }
  }
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < i; k++) p->s[i] -= p->C[k*n + i]*p->s[k];
    p->s[i] /= p->C[i*n + i];
  }
  for (int i = m - 1; i >= 0; i--)
    for (int k = i + 1; k < m; k++) p->s[i] -= p->C[k*n + i]*p->s[k];
  for (int q = 0; q < m; q++) p->W[p->order[q]] = p->s[q];
  for (int q = 0; q < m; q++) w->lambda[p->row[q]] = p->W[q];
  /* F -= J^T lambda */
  for (int i = 0; i < p->nblock; i++) {
    const cut_block *b = &p->block[i];
    double *f = b->pos < 0 ? g->phi : p->body[b->pos].f;
    const double *J = K->J + b->j;
    for (int r = 0; r < b->nrow; r++)
      for (int a = 0; a < 6; a++) f[a] -= J[6*r + a]*p->W[b->q + r];
  }
}

void tni_natural_point_multipliers(const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  tni_natural_point *p = g->point;
  memset(g->phi, 0, 6*sizeof(double));
  for (int i = 0; i < p->nbody; i++) {
    /* F = f - M x + what hangs on it */
    point_body *o = &p->body[i];
    double mx[6];
    gather_force(w, o);
    mass_times(mx, mass_of(K, o->body), w->x + 6*(size_t)o->body);
    for (int a = 0; a < 6; a++) o->f[a] -= mx[a];
  }
  if (p->m > 0) cut_multipliers(K, w, g);
  /* from the leaves: l = s F_t, l' = (E^+)^T (F_r - B^T l), then F_p_t += F_t, F_p_r -= Bp^T l + Ep^T l' */
  for (int i = p->nbody - 1; i >= 0; i--) {
    const point_body *o = &p->body[i];
    const double *Jc = K->J + o->jc, *Jp = K->J + o->jp;
    double *l = w->lambda + o->row, turn[3];
    vec3_scale(l, o->s, o->f);
    vec3_copy(turn, o->f + 3);
    for (int r = 0; r < 3; r++) vec3_addmul(turn, -l[r], Jc + 6*r + 3);
    for (int r = 0; r < o->extra; r++) l[3+r] = vec3_dot(o->E + 3*r, turn);
    if (o->jp < 0) continue;
    double *up = o->parent < 0 ? g->phi : p->body[o->parent].f;
    vec3_add(up, up, o->f);
    for (int r = 0; r < 3 + o->extra; r++) vec3_addmul(up + 3, -l[r], Jp + 6*r + 3);
  }
}
