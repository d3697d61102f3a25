/* plane meshes of four-node quadrilaterals and bars, cut anyhow: what the specification's numbers for few forces between domains are for
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PATCH_H
#define PATCH_H

#include "domains/feti_reduced.h"

#include <math.h>
#include <stdlib.h>

enum { PATCH_NODES = 2000, PATCH_CELLS = 2000, PATCH_PARTS = 8 };

typedef struct {
  int nnode, ncell, nparts;
  double x[PATCH_NODES][3], f[PATCH_NODES][2], nu;
  bool held[PATCH_NODES][2];
  int cell[PATCH_CELLS][4], part[PATCH_CELLS]; /* bars: cell[2] = -1      */
  double E[PATCH_CELLS];                       /* of bars: EA             */
} patch;

typedef struct {
  tni_domains d;
  tni_domain domain[PATCH_PARTS];
  int from[PATCH_PARTS + 1], n, nseam;
  double *force;
  tni_seam seam[PATCH_PARTS*PATCH_PARTS];
  void *keep[400];
  int nkeep;
} patch_pieces;

static int patch_node(patch *p, double x, double y) {
  p->x[p->nnode][0] = x, p->x[p->nnode][1] = y;
  return p->nnode++;
}

static void patch_quad(patch *p, int a, int b, int c, int d, int part, double E) {
  int *n = p->cell[p->ncell];
  n[0] = a, n[1] = b, n[2] = c, n[3] = d;
  p->part[p->ncell] = part;
  p->E[p->ncell++] = E;
}

/* plane stress, 2 x 2 points */
static void patch_stiffness(const patch *p, int e, double K[8][8]) {
  const int *n = p->cell[e];
  memset(K, 0, 64*sizeof(double));
  if (n[2] < 0) {
    double dx = p->x[n[1]][0] - p->x[n[0]][0], dy = p->x[n[1]][1] - p->x[n[0]][1], l = hypot(dx, dy), c[4] = {-dx/l, -dy/l, dx/l, dy/l};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) K[i][j] = p->E[e]/l*c[i]*c[j];
    return;
  }
  double q = p->E[e]/(1 - p->nu*p->nu), D[3][3] = {{q, q*p->nu, 0}, {q*p->nu, q, 0}, {0, 0, q*(1 - p->nu)/2}};
  static const double sx[4] = {-1, 1, 1, -1}, sy[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 4; g++) {
    double r = sx[g]/sqrt(3.0), s = sy[g]/sqrt(3.0), dr[4], ds[4], J[2][2] = {{0}}, B[3][8] = {{0}};
    for (int k = 0; k < 4; k++) {
      dr[k] = sx[k]*(1 + sy[k]*s)/4, ds[k] = sy[k]*(1 + sx[k]*r)/4;
      for (int c = 0; c < 2; c++) J[0][c] += dr[k]*p->x[n[k]][c], J[1][c] += ds[k]*p->x[n[k]][c];
    }
    double det = J[0][0]*J[1][1] - J[0][1]*J[1][0];
    for (int k = 0; k < 4; k++) {
      double dx = (J[1][1]*dr[k] - J[0][1]*ds[k])/det, dy = (J[0][0]*ds[k] - J[1][0]*dr[k])/det;
      B[0][2*k] = dx, B[1][2*k + 1] = dy, B[2][2*k] = dy, B[2][2*k + 1] = dx;
    }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) K[i][j] += B[a][i]*D[a][b]*B[b][j]*det;
  }
}

static void *patch_keep(patch_pieces *o, size_t n, size_t size) { return o->keep[o->nkeep++] = calloc(n + 1, size); }

/* motions that no support of the part resists: the null space of the motions of its held components, by eigenvectors */
static void patch_rigid(const patch *p, const bool *in, tni_domain *d, double *rigid) {
  double H[3][3] = {{0}}, V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, c[2] = {0, 0};
  int n = 0;
  for (int i = 0; i < p->nnode; i++)
    if (in[i]) c[0] += p->x[i][0], c[1] += p->x[i][1], n++;
  c[0] /= n, c[1] /= n;
  for (int i = 0; i < p->nnode; i++)
    for (int k = 0; in[i] && k < 2; k++) {
      double m[3] = {k == 0, k == 1, k ? p->x[i][0] - c[0] : c[1] - p->x[i][1]};
      for (int a = 0; p->held[i][k] && a < 3; a++)
        for (int b = 0; b < 3; b++) H[a][b] += m[a]*m[b];
    }
  for (int sweep = 0; sweep < 60; sweep++) /* Jacobi's rotations */
    for (int a = 0; a < 3; a++)
      for (int b = a + 1; b < 3; b++) {
        if (fabs(H[a][b]) < 1e-300) continue;
        double t = 0.5*atan2(2*H[a][b], H[a][a] - H[b][b]), co = cos(t), si = sin(t);
        for (int k = 0; k < 3; k++) {
          double u = H[k][a], v = H[k][b];
          H[k][a] = co*u + si*v, H[k][b] = -si*u + co*v;
          u = V[k][a], v = V[k][b];
          V[k][a] = co*u + si*v, V[k][b] = -si*u + co*v;
        }
        for (int k = 0; k < 3; k++) {
          double u = H[a][k], v = H[b][k];
          H[a][k] = co*u + si*v, H[b][k] = -si*u + co*v;
        }
      }
  double most = fmax(H[0][0], fmax(H[1][1], H[2][2]));
  for (int a = 0; a < 3; a++) {
    if (H[a][a] > 1e-9*fmax(1, most)) continue;
    double *r = rigid + (size_t)d->nrigid++*(size_t)d->n;
    for (int u = 0; u < d->n; u++) {
      int i = (int)(d->number[u]/2), k = (int)(d->number[u] % 2);
      r[u] = V[0][a]*(k == 0) + V[1][a]*(k == 1) + V[2][a]*(k ? p->x[i][0] - c[0] : c[1] - p->x[i][1]);
    }
  }
  d->rigid = rigid;
}

static void patch_domain(const patch *p, patch_pieces *o, int s, bool *in, int *first) {
  int n = 0;
  memset(in, 0, PATCH_NODES*sizeof(bool));
  for (int e = 0; e < p->ncell; e++)
    for (int a = 0; a < 4 && p->part[e] == s; a++)
      if (p->cell[e][a] >= 0) in[p->cell[e][a]] = true;
  for (int i = 0; i < p->nnode; i++) {
    first[2*i] = first[2*i + 1] = -1;
    for (int k = 0; in[i] && k < 2; k++)
      if (!p->held[i][k]) first[2*i + k] = n++;
  }
  double *dense = calloc((size_t)n*(size_t)n, sizeof(double)), K[8][8];
  for (int e = 0; e < p->ncell; e++) {
    if (p->part[e] != s) continue;
    patch_stiffness(p, e, K);
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) {
        int a = p->cell[e][i/2], b = p->cell[e][j/2];
        if (a < 0 || b < 0 || first[2*a + i % 2] < 0 || first[2*b + j % 2] < 0) continue;
        dense[(size_t)first[2*b + j % 2]*(size_t)n + (size_t)first[2*a + i % 2]] += K[i][j];
      }
  }
  int *ptr = patch_keep(o, (size_t)n + 1, sizeof(int)), nnz = 0;
  for (size_t i = 0; i < (size_t)n*(size_t)n; i++) nnz += dense[i] != 0;
  int *ind = patch_keep(o, (size_t)nnz, sizeof(int)), *node = patch_keep(o, (size_t)n, sizeof(int));
  double *value = patch_keep(o, (size_t)nnz, sizeof(double));
  long long *number = patch_keep(o, (size_t)n, sizeof(long long));
  signed char *kind = patch_keep(o, (size_t)n, 1);
  nnz = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (dense[(size_t)j*(size_t)n + (size_t)i] != 0) ind[nnz] = i, value[nnz++] = dense[(size_t)j*(size_t)n + (size_t)i];
    ptr[j + 1] = nnz;
  }
  free(dense);
  for (int i = 0, at = -1; i < p->nnode; i++) {
    at += first[2*i] >= 0 || first[2*i + 1] >= 0;
    for (int k = 0; k < 2; k++)
      if (first[2*i + k] >= 0) node[first[2*i + k]] = at, number[first[2*i + k]] = 2*i + k, kind[first[2*i + k]] = (signed char)k;
  }
  o->domain[s] = (tni_domain){.n = n, .ptr = ptr, .ind = ind, .value = value, .number = number, .node = node, .kind = kind};
  patch_rigid(p, in, &o->domain[s], patch_keep(o, 3*(size_t)n, sizeof(double)));
  o->from[s + 1] = o->from[s] + n;
}

/* edges of quadrilaterals of two parts; of bars the nodes that both parts have, in their order */
static void patch_seam(const patch *p, patch_pieces *o, int a, int b, bool (*in)[PATCH_NODES]) {
  int *place = calloc(PATCH_NODES, sizeof(int)), nnode = 0, nfacet = 0;
  double *x = patch_keep(o, 3*PATCH_NODES, sizeof(double));
  long long *number = patch_keep(o, 2*PATCH_NODES, sizeof(long long));
  int *domains = patch_keep(o, PATCH_NODES, sizeof(int)), *node = patch_keep(o, PATCH_NODES*TNI_CELL_MAXFACENODE, sizeof(int));
  tni_cell *cell = patch_keep(o, PATCH_NODES, sizeof(tni_cell));
  for (int i = 0; i < p->nnode; i++) place[i] = -1;
  bool bars = p->cell[0][2] < 0;
  int last = -1;
  for (int e = 0; e < (bars ? p->nnode : p->ncell); e++)
    for (int g = 0; g < (bars ? 1 : p->ncell); g++) {
      int pair[2];
      if (bars) {
        if (!in[a][e] || !in[b][e]) continue;
        pair[0] = last, pair[1] = e;
        last = e;
        if (pair[0] < 0) continue;
      } else {
        if (p->part[e] != a || p->part[g] != b) continue;
        int n = 0;
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 4; j++)
            if (p->cell[e][i] == p->cell[g][j] && n < 2) pair[n++] = p->cell[e][i];
        if (n < 2) continue;
      }
      for (int i = 0; i < 2; i++) {
        if (place[pair[i]] < 0) {
          int at = place[pair[i]] = nnode++;
          memcpy(x + 3*at, p->x[pair[i]], 3*sizeof(double));
          for (int k = 0; k < 2; k++) number[2*at + k] = p->held[pair[i]][k] ? TNI_SEAM_HELD : 2*pair[i] + k;
          for (int s = 0; s < p->nparts; s++) domains[at] += in[s][pair[i]];
        }
        node[nfacet*TNI_CELL_MAXFACENODE + i] = place[pair[i]];
      }
      cell[nfacet++] = TNI_CELL_LINE2;
    }
  free(place);
  if (nfacet)
    o->seam[o->nseam++] = (tni_seam){.domain = {a, b}, .path = bars, .nnode = nnode, .nkind = 2, .x = x, .number = number, .domains = domains,
                                     .nfacet = nfacet, .cell = cell, .node = node};
}

static patch_pieces *patch_cut(tn_ctx *ctx, const patch *p) {
  patch_pieces *o = calloc(1, sizeof(*o));
  bool (*in)[PATCH_NODES] = calloc(PATCH_PARTS, sizeof(*in));
  int *first = calloc(2*PATCH_NODES, sizeof(int));
  for (int s = 0; s < p->nparts; s++) patch_domain(p, o, s, in[s], first);
  o->n = o->from[p->nparts];
  o->force = patch_keep(o, (size_t)o->n, sizeof(double));
  for (int s = 0; s < p->nparts; s++)
    for (int u = 0; u < o->domain[s].n; u++) {
      int i = (int)(o->domain[s].number[u]/2), copies = 0;
      for (int t = 0; t < p->nparts; t++) copies += in[t][i];
      o->force[o->from[s] + u] = p->f[i][o->domain[s].number[u] % 2]/copies;
    }
  for (int a = 0; a < p->nparts; a++)
    for (int b = a + 1; b < p->nparts; b++) patch_seam(p, o, a, b, in);
  o->d = (tni_domains){.ctx = ctx, .n = p->nparts, .domain = o->domain};
  free(in);
  free(first);
  return o;
}

static void patch_free(patch_pieces *o) {
  for (int i = 0; i < o->nkeep; i++) free(o->keep[i]);
  free(o);
}

/* u [nnode][2] of the whole by a direct solver */
static double *patch_direct(tn_ctx *ctx, const patch *p) {
  patch *one = malloc(sizeof(*one));
  *one = *p;
  one->nparts = 1;
  memset(one->part, 0, sizeof(one->part));
  patch_pieces *o = patch_cut(ctx, one);
  double *u = calloc(2*PATCH_NODES, sizeof(double));
  tni_sparse_solver *solver = NULL;
  tni_sparse_opts so = {.backend = "fronts", .symmetric = true, .node = o->domain[0].node};
  if (tni_sparse_solver_create(ctx, o->n, o->domain[0].ptr, o->domain[0].ind, &so, &solver) == TN_OK &&
      tni_sparse_solver_factor(solver, o->domain[0].value) == TN_OK) {
    tni_sparse_solver_solve(solver, 1, false, o->force);
    for (int i = 0; i < o->n; i++) u[o->domain[0].number[i]] = o->force[i];
  }
  tni_sparse_solver_destroy(&solver);
  patch_free(o);
  free(one);
  return u;
}

typedef struct { double u_max, u_inf, traction, border[2], energy; } patch_errors;

/* of u (pieces) and of the forces between parts (pieces) against the whole */
static patch_errors patch_compare(const patch *p, const patch_pieces *o, const double *u, const double *forces, const double *want) {
  double most = 0, at_most = 0, worst = 0, difference = 0, size = 0, largest[2] = {0}, off[2] = {0}, energy = 0;
  int *copies = calloc(2*PATCH_NODES, sizeof(int));
  for (int i = 0; i < 2*p->nnode; i++) most = fmax(most, fabs(want[i]));
  for (int s = 0; s < p->nparts; s++)
    for (int i = 0; i < o->domain[s].n; i++) copies[o->domain[s].number[i]]++;
  for (int s = 0; s < p->nparts; s++) {
    const tni_domain *d = &o->domain[s];
    for (int i = 0; i < d->n; i++) {
      double w = want[d->number[i]], e = fabs(u[o->from[s] + i] - w), Ku = 0;
      int k = (int)(d->number[i] % 2);
      if (fabs(w) == most) at_most = e;
      worst = fmax(worst, e);
      for (int q = d->ptr[i]; q < d->ptr[i + 1]; q++) Ku += d->value[q]*want[d->number[d->ind[q]]];
      energy += (0.5*Ku - o->force[o->from[s] + i])*w;
      if (copies[d->number[i]] < 2) continue;
      double t = o->force[o->from[s] + i] - Ku;
      difference += (forces[o->from[s] + i] - t)*(forces[o->from[s] + i] - t);
      size += t*t;
      largest[k] = fmax(largest[k], fabs(w));
      off[k] = fmax(off[k], e);
    }
  }
  free(copies);
  return (patch_errors){at_most/most, worst/most, sqrt(difference/size), {off[0]/largest[0], off[1]/largest[1]}, energy};
}

/* ---- published problems ---- */

/* nx x ny cells, columns of nodes one after the other; part of a cell by its place */
static void patch_grid(patch *p, int nx, int ny, double lx, double ly, int (*part)(int ex, int ey), int nparts) {
  memset(p, 0, sizeof(*p));
  p->nu = 0.3;
  p->nparts = nparts;
  for (int i = 0; i <= nx; i++)
    for (int j = 0; j <= ny; j++) patch_node(p, lx*i/nx, ly*j/ny);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) {
      int a = i*(ny + 1) + j;
      patch_quad(p, a, a + ny + 1, a + ny + 2, a + 1, part(i, j), 1);
    }
}

static int patch_left_right(int ex, int ey) { (void)ey; return ex >= 7; }
static int patch_below_above(int ex, int ey) { (void)ex; return ey >= 2; }

/* clamped at both ends, 14 x 8 unit squares, right half three times as stiff */
static void patch_beam(patch *p) {
  patch_grid(p, 14, 8, 14, 8, patch_left_right, 2);
  for (int e = 0; e < p->ncell; e++) p->E[e] = p->part[e] ? 3 : 1;
  for (int j = 0; j <= 8; j++)
    for (int k = 0; k < 2; k++) p->held[j][k] = p->held[14*9 + j][k] = true;
  p->f[10*9 + 8][0] = 1, p->f[10*9 + 8][1] = -1;
}

/* 30 x 4 unit squares, left end clamped, cut along the middle, load at the upper corner of the tip */
static void patch_cantilever(patch *p) {
  patch_grid(p, 30, 4, 30, 4, patch_below_above, 2);
  for (int j = 0; j <= 4; j++) p->held[j][0] = p->held[j][1] = true;
  p->f[30*5 + 4][1] = -1;
}

static void patch_bar(patch *p, int a, int b, int part, double EA) { patch_quad(p, a, b, -1, -1, part, EA); }

/* 15 columns of 12 nodes, end columns held; members on column 7 belong to both sides by halves */
static void patch_truss(patch *p) {
  memset(p, 0, sizeof(*p));
  p->nparts = 2;
  for (int i = 0; i < 15; i++)
    for (int j = 0; j < 12; j++) {
      int n = patch_node(p, i, j);
      p->held[n][0] = p->held[n][1] = i == 0 || i == 14;
    }
  for (int i = 0; i < 14; i++)
    for (int j = 0; j < 12; j++) {
      int part = i >= 7;
      double EA = part ? 3 : 1;
      patch_bar(p, 12*i + j, 12*(i + 1) + j, part, EA);
      if (j < 11) patch_bar(p, 12*i + j, 12*(i + 1) + j + 1, part, EA);
    }
  for (int i = 0; i < 15; i++)
    for (int j = 0; j < 11; j++) {
      int a = 12*i + j;
      if (i == 7) patch_bar(p, a, a + 1, 0, 0.5), patch_bar(p, a, a + 1, 1, 1.5);
      else patch_bar(p, a, a + 1, i > 7, i > 7 ? 3 : 1);
    }
  p->f[12*10 + 11][0] = 1, p->f[12*10 + 11][1] = -1;
}

#endif
