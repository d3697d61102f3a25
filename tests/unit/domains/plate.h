/* plates of four-node quadrilaterals, cut into boxes: what the specification's reference numbers are for
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLATE_H
#define PLATE_H

#include "domains/domains.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  int nx, ny;           /* elements                                             */
  double lx, ly, nu;
  bool strain;          /* plane strain                                         */
  int px, py;           /* boxes; number = x*py + y                             */
  double (*modulus)(int ex, int ey); /* NULL: 1                                 */
} plate;

typedef struct {
  tni_domains d;
  tni_domain *domain;
  double *force;        /* pieces: unit traction downwards on the right edge    */
  int *from, n;         /* pieces                                               */
  long long whole;      /* unknowns of the whole, clamped ones counted          */
} plate_pieces;

/* 2x2 points; K [8][8], unknowns ux, uy of nodes (0,0), (1,0), (1,1), (0,1) */
static void plate_element(const plate *p, double E, double K[8][8]) {
  double a = p->lx/p->nx, b = p->ly/p->ny, nu = p->nu, D[3][3] = {{0}};
  if (p->strain) {
    double c = E/((1 + nu)*(1 - 2*nu));
    D[0][0] = D[1][1] = c*(1 - nu), D[0][1] = D[1][0] = c*nu, D[2][2] = c*(1 - 2*nu)/2;
  } else {
    double c = E/(1 - nu*nu);
    D[0][0] = D[1][1] = c, D[0][1] = D[1][0] = c*nu, D[2][2] = c*(1 - nu)/2;
  }
  memset(K, 0, 64*sizeof(double));
  static const double sx[4] = {-1, 1, 1, -1}, sy[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 4; g++) {
    double x = sx[g]/sqrt(3.0), y = sy[g]/sqrt(3.0), B[3][8] = {{0}};
    for (int k = 0; k < 4; k++) {
      double dx = sx[k]*(1 + sy[k]*y)/4*2/a, dy = sy[k]*(1 + sx[k]*x)/4*2/b;
      B[0][2*k] = dx, B[1][2*k+1] = dy, B[2][2*k] = dy, B[2][2*k+1] = dx;
    }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) K[i][j] += B[r][i]*D[r][c]*B[c][j]*a*b/4;
  }
}

static void plate_box(const plate *p, int s, int *x0, int *x1, int *y0, int *y1) {
  int bx = s/p->py, by = s % p->py;
  *x0 = p->nx*bx/p->px, *x1 = p->nx*(bx + 1)/p->px;
  *y0 = p->ny*by/p->py, *y1 = p->ny*(by + 1)/p->py;
}

static void plate_domain(const plate *p, int s, tni_domain *d, double *force) {
  int x0, x1, y0, y1, rows;
  plate_box(p, s, &x0, &x1, &y0, &y1);
  rows = y1 - y0 + 1;
  int first = x0 == 0 ? 1 : x0, n = 2*(x1 - first + 1)*rows;
  int *ptr = calloc((size_t)n + 1, sizeof(int)), *ind = calloc((size_t)n*18, sizeof(int)), *node = calloc((size_t)n, sizeof(int));
  double *value = calloc((size_t)n*18, sizeof(double)), *rigid = calloc((size_t)n*3, sizeof(double));
  long long *number = calloc((size_t)n, sizeof(long long));
  bool *corner = calloc((size_t)n, sizeof(bool));
  signed char *kind = calloc((size_t)n, 1);
  double cx = (x0 + x1)*p->lx/p->nx/2, cy = (y0 + y1)*p->ly/p->ny/2;
  for (int j = 0; j < n; j++) {
    int v = j/2, i = v/rows + first, k = v % rows + y0, at = ptr[j];
    number[j] = 2LL*((long long)i*(p->ny + 1) + k) + j % 2;
    node[j] = v;
    kind[j] = (signed char)(j % 2);
    /* cross points, and where a border ends at the edge of the plate */
    corner[j] = (i == x0 || i == x1) && (k == y0 || k == y1) && !(i == p->nx && (k == 0 || k == p->ny));
    for (int di = -1; di <= 1; di++)
      for (int dk = -1; dk <= 1; dk++)
        if (i + di >= first && i + di <= x1 && k + dk >= y0 && k + dk <= y1)
          for (int c = 0; c < 2; c++) ind[at++] = 2*((i + di - first)*rows + k + dk - y0) + c;
    ptr[j+1] = at;
    rigid[(j % 2)*n + j] = 1;
    rigid[2*n + j] = j % 2 ? i*p->lx/p->nx - cx : cy - k*p->ly/p->ny;
  }
  double K[8][8];
  for (int ex = x0; ex < x1; ex++)
    for (int ey = y0; ey < y1; ey++) {
      plate_element(p, p->modulus ? p->modulus(ex, ey) : 1, K);
      int at[4][2] = {{ex, ey}, {ex + 1, ey}, {ex + 1, ey + 1}, {ex, ey + 1}}, dof[8];
      for (int k = 0; k < 8; k++) dof[k] = at[k/2][0] < first ? -1 : 2*((at[k/2][0] - first)*rows + at[k/2][1] - y0) + k % 2;
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
          if (dof[i] < 0 || dof[j] < 0) continue;
          for (int q = ptr[dof[j]]; q < ptr[dof[j]+1]; q++)
            if (ind[q] == dof[i]) value[q] += K[i][j];
        }
      if (ex == p->nx - 1) force[dof[3]] -= p->ly/p->ny/2, force[dof[5]] -= p->ly/p->ny/2;
    }
  *d = (tni_domain){.n = n, .ptr = ptr, .ind = ind, .value = value, .number = number, .node = node, .kind = kind, .corner = corner, .nrigid = x0 ? 3 : 0, .rigid = rigid};
}

static plate_pieces plate_cut(tn_ctx *ctx, const plate *p) {
  int ns = p->px*p->py, npair = 0;
  plate_pieces o = {.whole = 2LL*(p->nx + 1)*(p->ny + 1)};
  o.domain = calloc((size_t)ns, sizeof(tni_domain));
  o.from = calloc((size_t)ns + 1, sizeof(int));
  int *pair = calloc((size_t)ns*4, sizeof(int));
  for (int s = 0; s < ns; s++) {
    int x0, x1, y0, y1;
    plate_box(p, s, &x0, &x1, &y0, &y1);
    o.from[s+1] = o.from[s] + 2*(x1 - (x0 ? x0 : 1) + 1)*(y1 - y0 + 1);
    if (s % p->py + 1 < p->py) pair[2*npair] = s, pair[2*npair++ + 1] = s + 1;
    if (s/p->py + 1 < p->px) pair[2*npair] = s, pair[2*npair++ + 1] = s + p->py;
  }
  o.n = o.from[ns];
  o.force = calloc((size_t)o.n, sizeof(double));
  for (int s = 0; s < ns; s++) plate_domain(p, s, &o.domain[s], o.force + o.from[s]);
  o.d = (tni_domains){.ctx = ctx, .n = ns, .domain = o.domain, .npair = npair, .pair = pair};
  return o;
}

static void plate_free(plate_pieces *o) {
  for (int s = 0; s < o->d.n; s++) {
    const tni_domain *d = &o->domain[s];
    const void *all[] = {d->ptr, d->ind, d->value, d->number, d->node, d->rigid, d->kind, d->corner};
    for (int i = 0; i < 8; i++) free((void *)(size_t)all[i]);
  }
  free((void *)(size_t)o->d.pair);
  free(o->domain);
  free(o->from);
  free(o->force);
}

/* the whole at once by a direct solver: u [whole], 0 where clamped */
static double *plate_direct(tn_ctx *ctx, const plate *p) {
  plate one = *p;
  one.px = one.py = 1;
  plate_pieces o = plate_cut(ctx, &one);
  double *u = calloc((size_t)o.whole, sizeof(double));
  tni_sparse_solver *solver = NULL;
  tni_sparse_opts so = {.symmetric = true, .scales = true, .node = o.domain[0].node};
  if (tni_sparse_solver_create(ctx, o.n, o.domain[0].ptr, o.domain[0].ind, &so, &solver) == TN_OK &&
      tni_sparse_solver_factor(solver, o.domain[0].value) == TN_OK) {
    tni_sparse_solver_solve(solver, 1, false, o.force);
    for (int i = 0; i < o.n; i++) u[o.domain[0].number[i]] = o.force[i];
  }
  tni_sparse_solver_destroy(&solver);
  plate_free(&o);
  return u;
}

/* relative 2-norm over all copies */
static double plate_error(const plate_pieces *o, const double *u, const double *want) {
  double sum = 0, size = 0;
  for (int s = 0; s < o->d.n; s++)
    for (int i = 0; i < o->domain[s].n; i++) {
      double w = want[o->domain[s].number[i]], e = u[o->from[s] + i] - w;
      sum += e*e, size += w*w;
    }
  return sqrt(sum/size);
}

#endif
