/* tests/unit/solids/fe.h - a small finite element program for the tests of elements
 *
 * Boxes of any cell, mapped by a function; prescribed unknowns; Newton's method with a banded factorization after
 * renumbering (Cuthill and McKee). Independent of system, linsolve and mesh.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TEST_FE_H
#define TN_TEST_FE_H

#include "base/vec.h"
#include "solids/shape.h"
#include "solids/solid.h"
#include "support/check.h"

typedef struct {
  tni_solid_kind kind;
  tni_matter matter;
  int nnode, nelem, nen, ndof, nv;
  double (*X)[3];
  int *conn;
  double *u, *load, *value; /* [nv] */
  bool *fixed;              /* [nv] */
  double *state0, *state;   /* [nelem][nstate] */
  double *warm;             /* [nnode] or NULL */
  double (*director)[3];    /* [nnode] or NULL: normals of shells */
  double (*turn)[9];        /* [nnode] or NULL: rotations of nodes */
  int band;
  double *A;                /* [nv][2 band + 1] */
  double *r;                /* [nv] internal forces */
  double energy, dissipated;
} fe;

static tni_isotropic fe_iso;
static inline tni_matter fe_elastic(const char *type, double E, double nu, double density) {
  fe_iso = tni_isotropic_of(E, nu);
  return (tni_matter){.name = "test", .type = tni_matter_find(type), .density = density, .data = &fe_iso};
}

static inline tni_solid_kind fe_kind(const tni_matter *m, const char *type, const char *option, tni_plane plane,
                                     bool large) {
  char why[300] = "";
  tni_solid_kind k = {.type = tni_solid_find(type), .matter = m, .plane = plane, .large = large, .thickness = 1};
  k.option = tni_solid_option(k.type, option);
  if (k.option < 0 || !k.type->prepare(&k, why, sizeof(why))) {
    printf("%s %s: %s\n", type, option, why);
    exit(1);
  }
  return k;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static inline int fe_add_node(fe *m, int *cap, const double x[3]) {
  if (m->nnode == *cap) {
    *cap = *cap ? 2**cap : 256;
    m->X = realloc(m->X, (size_t)*cap*sizeof(*m->X));
  }
  vec3_copy(m->X[m->nnode], x);
  return m->nnode++;
}

/* middles of edges between corners, each once */
static inline void fe_second_order(fe *m, tni_cell cell, int *cap) {
  tni_cell base = tni_shape_corners(cell);
  int nc = tni_shape_nnode(base), nn = tni_shape_nnode(cell);
  int *old = m->conn;
  m->conn = malloc((size_t)(m->nelem*nn)*sizeof(int));
  int nkey = 0, capkey = m->nelem*12*2 + 64;
  int (*key)[3] = malloc((size_t)capkey*sizeof(*key));
  int nslot = 1;
  while (nslot < 4*capkey) nslot *= 2;
  int *slot = calloc((size_t)nslot, sizeof(int));
  for (int e = 0; e < m->nelem; e++) {
    memcpy(m->conn + e*nn, old + e*nc, (size_t)nc*sizeof(int));
    for (int k = nc; k < nn; k++) {
      double xi[3], N[20], dN[20][3];
      int pair[2], n = 0;
      tni_shape_node(cell, k, xi);
      tni_shape(base, xi, N, dN);
      for (int a = 0; a < nc && n < 2; a++)
        if (fabs(N[a] - 0.5) < 1e-12) pair[n++] = old[e*nc + a];
      int a = pair[0] < pair[1] ? pair[0] : pair[1], b = pair[0] + pair[1] - a;
      unsigned h = ((unsigned)a*2654435761u ^ (unsigned)b*40503u) & (unsigned)(nslot - 1);
      while (slot[h] && (key[slot[h] - 1][0] != a || key[slot[h] - 1][1] != b)) h = (h + 1) & (unsigned)(nslot - 1);
      if (!slot[h]) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = (m->X[a][i] + m->X[b][i])/2;
        key[nkey][0] = a, key[nkey][1] = b, key[nkey][2] = fe_add_node(m, cap, x);
        slot[h] = ++nkey;
      }
      m->conn[e*nn + k] = key[slot[h] - 1][2];
    }
  }
  free(old), free(key), free(slot);
}

/* reversed Cuthill-McKee; sets the band */
static inline void fe_renumber(fe *m) {
  int n = m->nnode, nn = m->nen, *deg = calloc((size_t)n + 1, sizeof(int)), *order = calloc((size_t)n, sizeof(int));
  for (int k = 0; k < m->nelem*nn; k++) deg[m->conn[k] + 1]++;
  for (int i = 0; i < n; i++) deg[i + 1] += deg[i];
  int *list = malloc((size_t)(m->nelem*nn)*sizeof(int)), *fill = calloc((size_t)n, sizeof(int));
  for (int e = 0; e < m->nelem; e++)
    for (int a = 0; a < nn; a++) {
      int i = m->conn[e*nn + a];
      list[deg[i] + fill[i]++] = e;
    }
  int *number = malloc((size_t)n*sizeof(int)), done = 0;
  int start = 0;
  for (int pass = 0; pass < 3; pass++) { /* from an end: the last node of the pass before */
    for (int i = 0; i < n; i++) number[i] = -1;
    done = 0;
    int next = start;
    while (done < n) {
      if (number[next] >= 0)
        for (next = 0; number[next] >= 0; next++) {}
      number[next] = done, order[done++] = next;
      for (int at = done - 1; at < done; at++) {
        int i = order[at];
        for (int k = deg[i]; k < deg[i + 1]; k++)
          for (int a = 0; a < nn; a++) {
            int j = m->conn[list[k]*nn + a];
            if (number[j] < 0) number[j] = done, order[done++] = j;
          }
      }
    }
    start = order[n - 1];
  }
  double (*X)[3] = malloc((size_t)n*sizeof(*X));
  for (int i = 0; i < n; i++) vec3_copy(X[number[i]], m->X[i]);
  free(m->X);
  m->X = X;
  for (int k = 0; k < m->nelem*nn; k++) m->conn[k] = number[m->conn[k]];
  int band = 0;
  for (int e = 0; e < m->nelem; e++)
    for (int a = 0; a < nn; a++)
      for (int b = 0; b < nn; b++) {
        int d = m->conn[e*nn + a] - m->conn[e*nn + b];
        if (d > band) band = d;
      }
  m->band = (band + 1)*m->ndof - 1;
  free(deg), free(order), free(list), free(fill), free(number);
}

static inline void fe_finish(fe *m) {
  fe_renumber(m);
  m->nv = m->nnode*m->ndof;
  size_t n = (size_t)m->nv, ns = (size_t)(m->nelem*m->kind.nstate) + 1;
  m->u = calloc(n, sizeof(double)), m->load = calloc(n, sizeof(double)), m->value = calloc(n, sizeof(double));
  m->fixed = calloc(n, sizeof(bool)), m->r = calloc(n, sizeof(double));
  m->state0 = calloc(ns, sizeof(double)), m->state = calloc(ns, sizeof(double));
  m->A = malloc(n*(size_t)(2*m->band + 1)*sizeof(double));
  for (int e = 0; e < m->nelem && m->kind.nstate; e++)
    if (m->kind.type->begin) m->kind.type->begin(&m->kind, NULL, NULL, m->state0 + (size_t)e*m->kind.nstate);
}

typedef void (*fe_map)(const double s[3], double x[3]); /* unit cube (square) to space */

/* elements of nx x ny x nz bricks, cut into tetrahedra or wedges where the cell is one */
static inline fe fe_box(const tni_matter *matter, const char *type, const char *option, tni_plane plane, bool large,
                        int nx, int ny, int nz, fe_map map) {
  fe m = {.matter = *matter};
  m.kind = fe_kind(matter, type, option, plane, large);
  tni_cell cell = m.kind.type->cell, base = tni_shape_corners(cell);
  int cap = 0, dim = tni_shape_dim(cell);
  if (dim == 2) nz = 0;
  m.nen = tni_shape_nnode(cell), m.ndof = m.kind.type->ndof;
  for (int k = 0; k <= nz; k++)
    for (int j = 0; j <= ny; j++)
      for (int i = 0; i <= nx; i++) {
        double s[3] = {(double)i/nx, (double)j/ny, nz ? (double)k/nz : 0}, x[3] = {0, 0, 0};
        map(s, x);
        fe_add_node(&m, &cap, x);
      }
#define FE_NODE(i, j, k) ((i) + (nx + 1)*((j) + (ny + 1)*(k)))
  static const int tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  static const int wedges[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
  static const int tris[2][3] = {{0, 1, 2}, {0, 2, 3}};
  int per = base == TNI_CELL_TET4 ? 6 : base == TNI_CELL_WEDGE6 || base == TNI_CELL_TRI3 ? 2 : 1;
  int nc = tni_shape_nnode(base);
  m.conn = malloc((size_t)(nx*ny*(nz ? nz : 1)*per*nc)*sizeof(int));
  for (int k = 0; k < (nz ? nz : 1); k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) {
        int v[8] = {FE_NODE(i, j, k), FE_NODE(i + 1, j, k), FE_NODE(i + 1, j + 1, k), FE_NODE(i, j + 1, k)};
        for (int a = 0; a < 4; a++) v[4 + a] = v[a] + (nx + 1)*(ny + 1);
        for (int p = 0; p < per; p++, m.nelem++)
          for (int a = 0; a < nc; a++)
            m.conn[m.nelem*nc + a] = v[base == TNI_CELL_TET4 ? tets[p][a] : base == TNI_CELL_WEDGE6 ? wedges[p][a]
                                       : base == TNI_CELL_TRI3 ? tris[p][a] : a];
      }
  if (cell != base) fe_second_order(&m, cell, &cap);
  fe_finish(&m);
  return m;
}

static inline void fe_free(fe *m) {
  free(m->X), free(m->conn), free(m->u), free(m->load), free(m->value), free(m->fixed), free(m->r);
  free(m->state0), free(m->state), free(m->A), free(m->warm), free(m->director), free(m->turn);
  memset(m, 0, sizeof(*m));
}

/* ---- equations ------------------------------------------------------------------------------- */

static inline void fe_gather(const fe *m, int e, double *X, double *u, double *warm) {
  for (int a = 0; a < m->nen; a++) {
    int i = m->conn[e*m->nen + a];
    vec3_copy(X + 3*a, m->X[i]);
    for (int d = 0; d < m->ndof; d++) u[m->ndof*a + d] = m->u[m->ndof*i + d];
    if (warm) warm[a] = m->warm ? m->warm[i] : 0;
  }
}

static inline bool fe_eval_element(fe *m, int e, unsigned want, tni_solid_out *out) {
  double X[60], u[120], warm[20], director[20][3], turn[20][9];
  fe_gather(m, e, X, u, warm);
  for (int a = 0; a < m->nen; a++) {
    int i = m->conn[e*m->nen + a];
    if (m->director) vec3_copy(director[a], m->director[i]);
    if (m->turn) memcpy(turn[a], m->turn[i], sizeof(turn[a]));
  }
  size_t s = (size_t)e*m->kind.nstate;
  tni_solid_at at = {.X = X, .u = u, .warm = m->warm ? warm : NULL, .state0 = m->state0 + s, .state = m->state + s};
  if (m->director) at.director = director[0];
  if (m->turn) at.turn = turn[0];
  return m->kind.type->eval(&m->kind, &at, want, out);
}

static inline bool fe_assemble(fe *m, bool matrix) {
  int nev = m->nen*m->ndof, w = 2*m->band + 1;
  static double f[120], K[120*120];
  memset(m->r, 0, (size_t)m->nv*sizeof(double));
  if (matrix) memset(m->A, 0, (size_t)m->nv*(size_t)w*sizeof(double));
  m->energy = m->dissipated = 0;
  for (int e = 0; e < m->nelem; e++) {
    tni_solid_out out = {.f = f, .K = K};
    if (!fe_eval_element(m, e, TNI_SOLID_FORCE | (matrix ? TNI_SOLID_STIFFNESS : 0), &out)) return false;
    m->energy += out.energy, m->dissipated += out.dissipated;
    for (int a = 0; a < nev; a++) {
      int i = m->conn[e*m->nen + a/m->ndof]*m->ndof + a%m->ndof;
      m->r[i] += f[a];
      for (int b = 0; b < nev && matrix; b++) {
        int j = m->conn[e*m->nen + b/m->ndof]*m->ndof + b%m->ndof;
        m->A[(size_t)i*w + (j - i + m->band)] += K[a*nev + b];
      }
    }
  }
  return true;
}

/* A x = b in a band, without pivots */
static inline void fe_band_solve(int n, int band, double *A, double *b) {
  int w = 2*band + 1;
  for (int k = 0; k < n; k++) {
    double p = A[(size_t)k*w + band];
    int end = k + band < n - 1 ? k + band : n - 1;
    const double *rk = A + (size_t)k*w + band - k;
    for (int i = k + 1; i <= end; i++) {
      double *ri = A + (size_t)i*w + band - i, l = ri[k]/p;
      if (l == 0) continue;
      for (int j = k + 1; j <= end; j++) ri[j] -= l*rk[j];
      b[i] -= l*b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    int end = k + band < n - 1 ? k + band : n - 1;
    const double *rk = A + (size_t)k*w + band - k;
    for (int j = k + 1; j <= end; j++) b[k] -= rk[j]*b[j];
    b[k] /= rk[k];
  }
}

/* Newton's method for load and prescribed values; returns iterations, -1: not found. norm[it], if given, are the residuals */
static inline int fe_solve(fe *m, double tol, int tries, double *norm) {
  int w = 2*m->band + 1;
  double *d = malloc((size_t)m->nv*sizeof(double));
  double scale = 0;
  for (int it = 0; it <= tries; it++) {
    if (!fe_assemble(m, true)) break;
    double r2 = 0, f2 = 0, jump = 0;
    for (int i = 0; i < m->nv; i++) {
      d[i] = m->fixed[i] ? m->value[i] - m->u[i] : m->load[i] - m->r[i];
      if (m->fixed[i]) jump = fmax(jump, fabs(d[i]));
      else r2 += d[i]*d[i], f2 += m->load[i]*m->load[i];
      if (m->fixed[i]) f2 += m->r[i]*m->r[i];
    }
    scale = fmax(scale, sqrt(f2));
    if (norm) norm[it] = sqrt(r2)/(scale > 0 ? scale : 1);
    if (jump == 0 && sqrt(r2) <= tol*scale) {
      free(d);
      return it;
    }
    if (it == tries) break;
    /* rows and columns of prescribed unknowns */
    for (int i = 0; i < m->nv; i++) {
      if (!m->fixed[i]) continue;
      for (int k = 0; k < w; k++) {
        int j = i + k - m->band;
        if (j < 0 || j >= m->nv) continue;
        double *ji = &m->A[(size_t)j*w + (i - j + m->band)];
        if (!m->fixed[j]) d[j] -= *ji*d[i];
        *ji = 0;
        m->A[(size_t)i*w + k] = 0;
      }
      m->A[(size_t)i*w + m->band] = 1;
    }
    fe_band_solve(m->nv, m->band, m->A, d);
    for (int i = 0; i < m->nv; i++) m->u[i] += d[i];
    for (int i = 0; i < m->nnode && m->turn; i++) {
      double q[4], R[9], T[9];
      quat_from_vector(q, d + 6*i + 3);
      quat_matrix(R, q);
      mat3_mul(T, R, m->turn[i]);
      memcpy(m->turn[i], T, sizeof(T));
    }
    for (int i = 0; i < m->nv; i++)
      if (m->fixed[i]) m->u[i] = m->value[i];
  }
  free(d);
  return -1;
}

static inline void fe_accept(fe *m) {
  memcpy(m->state0, m->state, (size_t)(m->nelem*m->kind.nstate)*sizeof(double));
}

/* faces of elements whose nodes all satisfy `on`, loaded by a traction or pressure */
static inline void fe_load_faces(fe *m, bool (*on)(const double x[3]), double p, const double tr[3], bool axisymmetric) {
  static const int hex[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  static const int tet[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  static const int wedge[5][4] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
  tni_cell cell = m->kind.type->cell, base = tni_shape_corners(cell);
  int nc = tni_shape_nnode(base), nn = m->nen, nface = base == TNI_CELL_HEX8 ? 6 : base == TNI_CELL_WEDGE6 ? 5
           : base == TNI_CELL_TET4 ? 4 : nc;
  for (int e = 0; e < m->nelem; e++)
    for (int s = 0; s < nface; s++) {
      int c[8], n = 0;
      for (int k = 0; k < (m->ndof == 2 ? 2 : base == TNI_CELL_TET4 ? 3 : 4); k++) {
        int a = m->ndof == 2 ? (s + k)%nc : base == TNI_CELL_HEX8 ? hex[s][k] : base == TNI_CELL_TET4 ? tet[s][k] : wedge[s][k];
        if (a >= 0) c[n++] = a;
      }
      int nfc = n;
      if (cell != base)
        for (int k = 0; k < (m->ndof == 2 ? 1 : nfc); k++)
          for (int a = nc; a < nn; a++) {
            double xi[3], N[20], dN[20][3];
            tni_shape_node(cell, a, xi);
            tni_shape(base, xi, N, dN);
            if (fabs(N[c[k]] - 0.5) < 1e-12 && fabs(N[c[(k + 1)%nfc]] - 0.5) < 1e-12) c[n++] = a;
          }
      double x[24], f[24];
      bool all = true;
      for (int k = 0; k < n; k++) {
        vec3_copy(x + 3*k, m->X[m->conn[e*nn + c[k]]]);
        all = all && on(x + 3*k);
      }
      if (!all) continue;
      tni_cell face = m->ndof == 2 ? (n == 2 ? TNI_CELL_LINE2 : TNI_CELL_LINE3)
                    : n == 3 ? TNI_CELL_TRI3 : n == 6 ? TNI_CELL_TRI6 : n == 4 ? TNI_CELL_QUAD4 : TNI_CELL_QUAD8;
      tni_face_load(face, x, p, tr, m->kind.thickness, axisymmetric, f, NULL);
      for (int k = 0; k < n; k++)
        for (int i = 0; i < m->ndof; i++) m->load[m->conn[e*nn + c[k]]*m->ndof + i] += f[3*k + i];
    }
}

static inline int fe_nearest(const fe *m, double x, double y, double z) {
  int best = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < m->nnode; i++) {
    double d = pow(m->X[i][0] - x, 2) + pow(m->X[i][1] - y, 2) + pow(m->X[i][2] - z, 2);
    if (d < least) least = d, best = i;
  }
  return best;
}

static inline void fe_fix(fe *m, int node, int dof, double value) {
  m->fixed[node*m->ndof + dof] = true;
  m->value[node*m->ndof + dof] = value;
}

#endif
