/* domains/seam.c - where two domains meet, and fields of forces along it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/seam.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "linsolve/lapack.h"

const char *const tni_seam_basis_names[TNI_NSEAM_BASIS] = {"polynomial", "piecewise", "monomial"};

static const double KINK = 0.8660254037844387; /* cosine of 30 degrees */
static const double THIN = 1e-6;               /* an extent below it, in units of the largest, is none  */
enum { GAUSS_MAX = 40 };

/* ---- stretches ------------------------------------------------------------------------------------------ */

static const int *facet_nodes(const tni_seam *m, int f) { return m->node + (size_t)f*TNI_CELL_MAXFACENODE; }

/* facets that a node of the seam has */
typedef struct { int *from, *facet; } incidence;

static tn_status find_incidence(const tni_seam *m, tni_arena *arena, incidence *o) {
  TNI_ARENA_NEW(arena, o->from, m->nnode + 2);
  for (int pass = 0; pass < 2; pass++) {
    for (int f = 0; f < m->nfacet; f++)
      for (int a = 0; a < tni_cell_of(m->cell[f])->ncorner; a++) {
        int node = facet_nodes(m, f)[a];
        if (pass) o->facet[o->from[node + 1]++] = f;
        else o->from[node + 2]++;
      }
    if (pass) break;
    for (int i = 1; i <= m->nnode; i++) o->from[i + 1] += o->from[i];
    TNI_ARENA_NEW(arena, o->facet, o->from[m->nnode + 1]);
  }
  return TN_OK;
}

/* direction of a line, or normal of a face */
static void facet_direction(const tni_seam *m, int f, double n[3]) {
  const int *node = facet_nodes(m, f);
  const tni_cell_shape *c = tni_cell_of(m->cell[f]);
  double e[2][3];
  vec3_sub(e[0], m->x + 3*node[c->dim == 1 ? 1 : c->ncorner == 4 ? 2 : 1], m->x + 3*node[0]);
  if (c->dim == 1) {
    vec3_copy(n, e[0]);
  } else {
    vec3_sub(e[1], m->x + 3*node[c->ncorner == 4 ? 3 : 2], m->x + 3*node[c->ncorner == 4 ? 1 : 0]);
    vec3_cross(n, e[0], e[1]);
  }
  double l = vec3_norm(n);
  if (l > 0) vec3_scale(n, 1/l, n);
}

static bool goes_on(const tni_seam *m, int f, int g) {
  if (m->matter && m->matter[f] != m->matter[g]) return false;
  if (m->path) return true;
  double a[3], b[3];
  facet_direction(m, f, a);
  facet_direction(m, g, b);
  return fabs(vec3_dot(a, b)) >= KINK;
}

static int common_corners(const tni_seam *m, int f, int g) {
  int n = 0;
  for (int a = 0; a < tni_cell_of(m->cell[f])->ncorner; a++)
    for (int b = 0; b < tni_cell_of(m->cell[g])->ncorner; b++) n += facet_nodes(m, f)[a] == facet_nodes(m, g)[b];
  return n;
}

/* a chain ends at this node */
static bool is_end(const tni_seam *m, const incidence *o, int node) {
  int n = o->from[node + 1] - o->from[node];
  if (n != 2 || m->domains[node] > 2) return true;
  return !goes_on(m, o->facet[o->from[node]], o->facet[o->from[node] + 1]);
}

static int other_end(const tni_seam *m, int f, int node) {
  const int *n = facet_nodes(m, f);
  return n[0] == node ? n[1] : n[0];
}

static tn_status walk(const tni_seam *m, const incidence *o, int start, int first, bool *used, tni_arena *arena, tni_stretch *t) {
  int n = 0, node = start, f = first;
  for (int pass = 0; pass < 2; pass++) {
    node = start, f = first, n = 0;
    t->length = 0;
    for (;;) {
      int next = other_end(m, f, node);
      if (pass) {
        double e[3];
        vec3_sub(e, m->x + 3*next, m->x + 3*node);
        double l = vec3_norm(e);
        t->facet[n] = f;
        bool along = facet_nodes(m, f)[0] == node;
        t->s[n][along ? 0 : 1] = t->length;
        t->s[n][along ? 1 : 0] = t->length + l;
        t->length += l;
        used[f] = true;
      }
      n++;
      node = next;
      if (node == start || is_end(m, o, node)) break;
      f = o->facet[o->from[node]] == f ? o->facet[o->from[node] + 1] : o->facet[o->from[node]];
    }
    if (pass) break;
    t->nfacet = n;
    TNI_ARENA_NEW(arena, t->facet, n);
    TNI_ARENA_NEW(arena, t->s, n);
  }
  t->dim = 1;
  t->closed = node == start && !is_end(m, o, start);
  return TN_OK;
}

/* faces that hang together by edges without a kink; todo [nfacet] is scratch */
static tn_status spread(const tni_seam *m, const incidence *o, int first, bool *used, int *todo, tni_arena *arena, tni_stretch *t) {
  int n = 0;
  todo[n++] = first;
  used[first] = true;
  for (int i = 0; i < n; i++) {
    int f = todo[i];
    for (int a = 0; a < tni_cell_of(m->cell[f])->ncorner; a++) {
      int node = facet_nodes(m, f)[a];
      for (int k = o->from[node]; k < o->from[node + 1]; k++) {
        int g = o->facet[k];
        if (used[g] || common_corners(m, f, g) < 2 || !goes_on(m, f, g)) continue;
        used[g] = true;
        todo[n++] = g;
      }
    }
  }
  t->dim = 2;
  t->nfacet = n;
  TNI_ARENA_NEW(arena, t->facet, n);
  memcpy(t->facet, todo, (size_t)n*sizeof(int));
  return TN_OK;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* nodes ascending, each once */
static tn_status collect_nodes(const tni_seam *m, tni_arena *arena, tni_stretch *t) {
  int most = t->nfacet ? t->nfacet*TNI_CELL_MAXFACENODE : m->nnode, n = 0;
  TNI_ARENA_NEW(arena, t->node, most);
  if (!t->nfacet)
    for (int i = 0; i < m->nnode; i++) t->node[n++] = i;
  for (int i = 0; i < t->nfacet; i++)
    for (int a = 0; a < tni_cell_of(m->cell[t->facet[i]])->nnode; a++) t->node[n++] = facet_nodes(m, t->facet[i])[a];
  qsort(t->node, (size_t)n, sizeof(int), compare_ints);
  for (int i = 0; i < n; i++)
    if (t->nnode == 0 || t->node[t->nnode - 1] != t->node[i]) t->node[t->nnode++] = t->node[i];
  return TN_OK;
}

/* principal axes of the nodes, the longest first */
static tn_status find_axes(tn_ctx *ctx, tni_stretch *t) {
  const tni_seam *m = t->seam;
  double H[9] = {0}, value[3], work[64], most = 0;
  for (int i = 0; i < t->nnode; i++) vec3_addmul(t->centre, 1.0/t->nnode, m->x + 3*t->node[i]);
  for (int i = 0; i < t->nnode; i++) {
    double d[3];
    vec3_sub(d, m->x + 3*t->node[i], t->centre);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) H[3*a + b] += d[a]*d[b];
  }
  TN_REQUIRE(ctx, tni_syev('V', 'L', 3, H, 3, value, work, TNI_COUNT(work)) == 0, TN_NOT_CONVERGED, "axes of a seam not found");
  double low[3], high[3];
  for (int a = 0; a < 3; a++) {
    memcpy(t->axis[a], H + (size_t)3*(size_t)(2 - a), 3*sizeof(double));
    low[a] = HUGE_VAL, high[a] = -HUGE_VAL;
    for (int i = 0; i < t->nnode; i++) {
      double d = vec3_dot(t->axis[a], m->x + 3*t->node[i]);
      low[a] = fmin(low[a], d), high[a] = fmax(high[a], d);
    }
    t->half[a] = (high[a] - low[a])/2;
    most = fmax(most, t->half[a]);
  }
  memset(t->centre, 0, sizeof(t->centre));
  for (int a = 0; a < 3; a++) {
    vec3_addmul(t->centre, (high[a] + low[a])/2, t->axis[a]);
    if (t->half[a] > THIN*most) t->naxis = a + 1;
  }
  return TN_OK;
}

static tn_status cut_seam(tn_ctx *ctx, const tni_seam *m, tni_arena *arena, tni_stretch *out, int *n) {
  incidence o;
  bool *used;
  int *todo, dim = m->nfacet ? tni_cell_of(m->cell[0])->dim : 0, at = *n;
  TN_TRY(find_incidence(m, arena, &o));
  TNI_ARENA_NEW(arena, used, m->nfacet + 1);
  TNI_ARENA_NEW(arena, todo, m->nfacet + 1);
  if (dim == 0) out[at++].seam = m;
  /* open chains from their ends, then what is left: closed ones */
  for (int pass = 0; dim == 1 && pass < 2; pass++)
    for (int i = 0; i < m->nnode; i++)
      for (int k = o.from[i]; k < o.from[i + 1]; k++) {
        if (used[o.facet[k]] || (pass == 0 && !is_end(m, &o, i))) continue;
        out[at].seam = m;
        TN_TRY(walk(m, &o, i, o.facet[k], used, arena, &out[at++]));
      }
  for (int f = 0; dim == 2 && f < m->nfacet; f++) {
    if (used[f]) continue;
    out[at].seam = m;
    TN_TRY(spread(m, &o, f, used, todo, arena, &out[at++]));
  }
  for (int i = *n; i < at; i++) {
    TN_TRY(collect_nodes(m, arena, &out[i]));
    if (out[i].dim == 2) TN_TRY(find_axes(ctx, &out[i]));
  }
  *n = at;
  return TN_OK;
}

tn_status tni_seam_stretches(tn_ctx *ctx, const tni_seam *seam, int nseam, tni_arena *arena, tni_stretch **out, int *n) {
  int most = 0;
  for (int i = 0; i < nseam; i++) most += seam[i].nfacet + 1;
  TNI_ARENA_NEW(arena, *out, most + 1);
  *n = 0;
  for (int i = 0; i < nseam; i++) TN_TRY(cut_seam(ctx, &seam[i], arena, *out, n));
  return TN_OK;
}

tn_status tni_stretch_points(tni_stretch *t, int n, const double *at, tni_arena *arena) {
  TNI_ARENA_NEW(arena, t->point, n);
  t->npoint = n;
  for (int i = 0; i < n; i++) t->point[i] = t->dim == 1 ? at[i]*t->length : 2*at[i] - 1;
  return TN_OK;
}

/* ---- functions ------------------------------------------------------------------------------------------- */

void tni_bessel_weights(int n, const double *x, double closed, double s, int at[4], double weight[4]) {
  int last = closed > 0 ? n - 1 : n - 2, k = 0;
  while (k < last && s > x[k + 1]) k++;
  double p[4];
  for (int i = 0; i < 4; i++) {
    int j = k - 1 + i, turn = 0;
    if (closed > 0) {
      turn = j < 0 ? -1 : j >= n ? 1 : 0;
      j -= turn*n;
    } else {
      j = j < 0 ? 2 : j >= n ? n - 3 : j; /* slopes at the ends: the parabola through three points */
    }
    at[i] = j;
    p[i] = x[j] + turn*closed;
  }
  double a = p[1] - p[0], b = p[2] - p[1], c = p[3] - p[2], A = p[2] - p[0], C = p[3] - p[1], r = s - p[1];
  /* coefficients of 1, r, r^2, r^3 by the values before, at, after, and after next */
  double xi2 = a/(b*A), eta2 = b/(a*A) - a/(b*A), zeta2 = -b/(a*A);
  double xi3 = -1/(c*C), eta3 = 3/(b*b) - 2*a/(b*b*A) + 1/(c*C) - c/(b*b*C);
  double zeta3 = -3/(b*b) - 2/(a*A) + 2*a/(b*b*A) + c/(b*b*C), nu3 = 2/(a*A);
  double xi4 = 1/(b*c*C), eta4 = -1/(b*c*C) + c/(b*b*b*C) + a/(b*b*b*A) - 2/(b*b*b);
  double zeta4 = -c/(b*b*b*C) - a/(b*b*b*A) + 1/(a*b*A) + 2/(b*b*b), nu4 = -1/(a*b*A);
  weight[0] = r*(zeta2 + r*(nu3 + r*nu4));
  weight[1] = 1 + r*(eta2 + r*(zeta3 + r*zeta4));
  weight[2] = r*(xi2 + r*(eta3 + r*eta4));
  weight[3] = r*r*(xi3 + r*xi4);
}

/* P_0 .. P_p at -1 <= x <= 1, or powers of (x + 1)/2 */
static void polynomials(int p, double x, bool monomial, double *out) {
  out[0] = 1;
  if (p > 0) out[1] = monomial ? (x + 1)/2 : x;
  for (int k = 2; k <= p; k++) out[k] = monomial ? out[k-1]*(x + 1)/2 : ((2*k - 1)*x*out[k-1] - (k - 1)*out[k-2])/k;
}

int tni_stretch_functions(const tni_stretch *t, tni_seam_basis basis) {
  int p = t->degree;
  if (t->dim == 0) return 0;
  if (basis == TNI_SEAM_PIECEWISE && (t->dim == 1 || t->naxis == 2)) return t->dim == 1 ? t->npoint : t->npoint*t->npoint;
  if (t->dim == 1) return t->closed && basis != TNI_SEAM_MONOMIAL ? 2*p + 1 : p + 1;
  return t->naxis == 3 ? (p + 1)*(p + 2)*(p + 3)/6 : t->naxis == 2 ? (p + 1)*(p + 1) : p + 1;
}

/* all functions of a chain at abscissa s */
static void along_chain(const tni_stretch *t, tni_seam_basis basis, double s, double *phi) {
  if (basis == TNI_SEAM_PIECEWISE) {
    int at[4];
    double weight[4];
    memset(phi, 0, (size_t)t->npoint*sizeof(double));
    tni_bessel_weights(t->npoint, t->point, t->closed ? t->length : 0, s, at, weight);
    for (int i = 0; i < 4; i++) phi[at[i]] += weight[i];
  } else if (basis == TNI_SEAM_MONOMIAL) { /* of the arc length itself */
    phi[0] = 1;
    for (int k = 1; k <= t->degree; k++) phi[k] = phi[k-1]*s;
  } else if (t->closed) {
    const double turn = 2*acos(-1.0)*s/t->length;
    phi[0] = 1;
    for (int k = 1; k <= t->degree; k++) phi[2*k - 1] = cos(k*turn), phi[2*k] = sin(k*turn);
  } else {
    polynomials(t->degree, 2*s/t->length - 1, false, phi);
  }
}

/* of a patch: by the largest (on curved ones: total) degree first, so that a higher degree begins with the functions of a lower */
static void on_patch(const tni_stretch *t, tni_seam_basis basis, const double x[3], double *phi) {
  double d[3], f[3][64];
  int p = t->degree, n = 0, most = basis == TNI_SEAM_PIECEWISE && t->naxis == 2 ? t->npoint - 1 : p;
  vec3_sub(d, x, t->centre);
  for (int a = 0; a < t->naxis; a++) {
    double r = fmin(1, fmax(-1, vec3_dot(d, t->axis[a])/t->half[a]));
    if (basis == TNI_SEAM_PIECEWISE && t->naxis == 2) {
      int at[4];
      double weight[4];
      memset(f[a], 0, sizeof(f[a]));
      tni_bessel_weights(t->npoint, t->point, 0, r, at, weight);
      for (int i = 0; i < 4; i++) f[a][at[i]] += weight[i];
    } else {
      polynomials(p, r, basis == TNI_SEAM_MONOMIAL, f[a]);
    }
  }
  if (t->naxis == 1) {
    for (int i = 0; i <= most; i++) phi[n++] = f[0][i];
  } else if (t->naxis == 2) {
    for (int k = 0; k <= most; k++) {
      for (int i = 0; i < k; i++) phi[n++] = f[0][i]*f[1][k], phi[n++] = f[0][k]*f[1][i];
      phi[n++] = f[0][k]*f[1][k];
    }
  } else {
    for (int k = 0; k <= p; k++)
      for (int i = 0; i <= k; i++)
        for (int j = 0; i + j <= k; j++) phi[n++] = f[0][i]*f[1][j]*f[2][k - i - j];
  }
}

/* ---- integrals -------------------------------------------------------------------------------------------- */

/* Gauss and Legendre's points on -1 .. 1 by Newton's method */
static void gauss(int n, double *x, double *w) {
  for (int i = 0; i < n; i++) {
    double r = cos(acos(-1.0)*(i + 0.75)/(n + 0.5)), p[GAUSS_MAX + 1], dp = 1;
    for (int k = 0; k < 50; k++) {
      polynomials(n, r, false, p);
      dp = n*(r*p[n] - p[n-1])/(r*r - 1);
      double step = p[n]/dp;
      r -= step;
      if (fabs(step) < 1e-16) break;
    }
    polynomials(n, r, false, p);
    dp = n*(r*p[n] - p[n-1])/(r*r - 1);
    x[i] = r;
    w[i] = 2/((1 - r*r)*dp*dp);
  }
}

/* place and measure of a facet at r, with its shape functions */
static double facet_at(const tni_seam *m, int f, const double r[3], double *N, double x[3]) {
  const tni_cell_shape *c = tni_cell_of(m->cell[f]);
  double dN[TNI_CELL_MAXFACENODE][3], e[2][3] = {{0}}, n[3];
  tni_cell_interpolate(m->cell[f], r, N, dN);
  x[0] = x[1] = x[2] = 0;
  for (int a = 0; a < c->nnode; a++) {
    const double *p = m->x + 3*facet_nodes(m, f)[a];
    vec3_addmul(x, N[a], p);
    for (int k = 0; k < c->dim; k++) vec3_addmul(e[k], dN[a][k], p);
  }
  if (c->dim == 1) return vec3_norm(e[0]);
  vec3_cross(n, e[0], e[1]);
  return vec3_norm(n);
}

typedef struct {
  const tni_stretch *t;
  tni_seam_basis basis;
  int M, ng;
  double gx[GAUSS_MAX], gw[GAUSS_MAX], *T, *phi;
  const int *place;   /* [nodes of the seam] in the stretch */
} integration;

static void add_point(integration *o, int f, const double r[3], double weight, double s) {
  const tni_seam *m = o->t->seam;
  double N[TNI_CELL_MAXFACENODE], x[3], measure = facet_at(m, f, r, N, x);
  if (o->t->dim == 1) along_chain(o->t, o->basis, s, o->phi);
  else on_patch(o->t, o->basis, x, o->phi);
  for (int a = 0; a < tni_cell_of(m->cell[f])->nnode; a++) {
    int at = o->place[facet_nodes(m, f)[a]];
    for (int k = 0; k < o->M; k++) o->T[(size_t)k*(size_t)o->t->nnode + (size_t)at] += weight*measure*N[a]*o->phi[k];
  }
}

/* between points of piecewise functions one after the other */
static void add_line(integration *o, int i) {
  const tni_stretch *t = o->t;
  double s0 = fmin(t->s[i][0], t->s[i][1]), s1 = fmax(t->s[i][0], t->s[i][1]), low = s0;
  for (int k = 0; k <= (o->basis == TNI_SEAM_PIECEWISE ? t->npoint : 0); k++) {
    double high = o->basis == TNI_SEAM_PIECEWISE && k < t->npoint ? fmin(s1, t->point[k]) : s1;
    if (!(high > low)) continue;
    for (int g = 0; g < o->ng; g++) {
      double s = low + (high - low)*(1 + o->gx[g])/2, r[3] = {2*(s - t->s[i][0])/(t->s[i][1] - t->s[i][0]) - 1, 0, 0};
      add_point(o, t->facet[i], r, o->gw[g]*(high - low)/(s1 - s0), s);
    }
    low = high;
  }
}

static void add_face(integration *o, int i) {
  int f = o->t->facet[i];
  bool triangle = tni_cell_of(o->t->seam->cell[f])->ncorner == 3;
  for (int a = 0; a < o->ng; a++)
    for (int b = 0; b < o->ng; b++) {
      double r[3] = {o->gx[a], o->gx[b], 0}, weight = o->gw[a]*o->gw[b];
      if (triangle) { /* a square with one side drawn together */
        double u = (1 + o->gx[a])/2, v = (1 + o->gx[b])/2;
        r[0] = u, r[1] = v*(1 - u);
        weight *= (1 - u)/4;
      }
      add_point(o, f, r, weight, 0);
    }
}

tn_status tni_stretch_integrals(tn_ctx *ctx, const tni_stretch *t, tni_seam_basis basis, double *T) {
  integration o = {.t = t, .basis = basis, .M = tni_stretch_functions(t, basis), .T = T};
  if (t->dim == 0) return TN_OK;
  int *place = tni_ints(ctx, (size_t)t->seam->nnode);
  o.phi = tni_doubles(ctx, (size_t)o.M + 4);
  if (!place || !o.phi) {
    tni_free(ctx, place);
    tni_free(ctx, o.phi);
    return tni_out_of_memory(ctx);
  }
  for (int i = 0; i < t->nnode; i++) place[t->node[i]] = i;
  o.place = place;
  o.ng = basis == TNI_SEAM_PIECEWISE ? 5 : t->degree/2 + 3;
  if (o.ng > GAUSS_MAX) o.ng = GAUSS_MAX;
  gauss(o.ng, o.gx, o.gw);
  memset(T, 0, (size_t)o.M*(size_t)t->nnode*sizeof(double));
  for (int i = 0; i < t->nfacet; i++) {
    if (t->dim == 1) add_line(&o, i);
    else add_face(&o, i);
  }
  tni_free(ctx, place);
  tni_free(ctx, o.phi);
  return TN_OK;
}
