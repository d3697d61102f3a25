/* forces/contact_core.c - closest points by an active-set method
 *
 * With the unknowns s (of both cores), z = z0 + sum e_k s_k and weights rho_k = rho for core 1, else 0,
 * half the gradient is e_k.z + rho_k (s_k - w_k) and half the Hessian e_k.e_l + rho_k delta_kl: positive
 * definite, because rho keeps the directions along which both points could slide together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_core.h"

/* D is too long by half of this part of the thickness at most */
static const double BIAS = 1e-3;
static const double RELEASE = 1e-13; /* gradients below this part of the lengths are zero */

enum { N = TNI_CORE_MAX };

static double weight(const tni_gap *g, int k) { return k < g->n1 ? g->rho : 0; }

static void separation(const tni_gap *g, const double z0[3], double z[3]) {
  vec3_copy(z, z0);
  for (int k = 0; k < g->n; k++) vec3_addmul(z, g->s[k], g->e[k]);
}

static double gradient(const tni_gap *g, const double z[3], int k) {
  return vec3_dot(g->e[k], z) + weight(g, k)*(g->s[k] - g->want[k]);
}

static void factor(tni_gap *g) {
  for (int a = 0; a < g->nfree; a++) {
    for (int b = 0; b <= a; b++) {
      int k = g->free[a], l = g->free[b];
      double x = a == b ? 1 + weight(g, k) : vec3_dot(g->e[k], g->e[l]);
      for (int c = 0; c < b; c++) x -= g->L[N*a+c]*g->L[N*b+c];
      g->L[N*a+b] = a == b ? sqrt(x) : x/g->L[N*b+b];
    }
  }
}

static void backsolve(const tni_gap *g, double *x) { /* [nfree] */
  for (int a = 0; a < g->nfree; a++) {
    for (int c = 0; c < a; c++) x[a] -= g->L[N*a+c]*x[c];
    x[a] /= g->L[N*a+a];
  }
  for (int a = g->nfree; a-- > 0;) {
    for (int c = a + 1; c < g->nfree; c++) x[a] -= g->L[N*c+a]*x[c];
    x[a] /= g->L[N*a+a];
  }
}

static void hold(tni_gap *g, int a) {
  for (g->nfree--; a < g->nfree; a++) g->free[a] = g->free[a+1];
}

/* minimum over the free unknowns, up to the first bound in the way; true: reached */
static bool descend(tni_gap *g, const double z0[3]) {
  double z[3], x[N], part = 1;
  int stop = -1;
  factor(g);
  separation(g, z0, z);
  for (int a = 0; a < g->nfree; a++) x[a] = -gradient(g, z, g->free[a]);
  backsolve(g, x);
  for (int a = 0; a < g->nfree; a++) {
    int k = g->free[a];
    double room = (x[a] < 0 ? g->lo[k] : g->hi[k]) - g->s[k];
    if (fabs(x[a])*part > fabs(room)) {
      part = fabs(room/x[a]);
      stop = a;
    }
  }
  for (int a = 0; a < g->nfree; a++) g->s[g->free[a]] += part*x[a];
  if (stop < 0) return true;
  int k = g->free[stop];
  g->s[k] = x[stop] < 0 ? g->lo[k] : g->hi[k];
  hold(g, stop);
  return false;
}

/* the bound that presses outwards most becomes free; false: none does */
static bool release(tni_gap *g, const double z0[3], double scale) {
  double z[3], most = RELEASE*scale;
  int which = -1;
  separation(g, z0, z);
  for (int k = 0; k < g->n; k++) {
    bool is_free = false;
    for (int a = 0; a < g->nfree; a++) is_free = is_free || g->free[a] == k;
    if (is_free) continue;
    double push = gradient(g, z, k)*(g->s[k] == g->hi[k] ? 1 : -1);
    if (push > most) {
      most = push;
      which = k;
    }
  }
  if (which < 0) return false;
  g->free[g->nfree++] = which;
  return true;
}

/* Where most searches end: core 1 at its corner, core 2 where it is closest to that. */
static void begin(tni_gap *g, const double z0[3]) {
  double z[3];
  g->nfree = 0;
  separation(g, z0, z); /* s = 0 on core 2, whose axes are normal to each other */
  for (int k = g->n1; k < g->n; k++) {
    double s = -vec3_dot(g->e[k], z);
    g->s[k] = fmin(fmax(s, g->lo[k]), g->hi[k]);
    if (g->s[k] == s) g->free[g->nfree++] = k;
  }
}

static void minimize(tni_gap *g, const double z0[3]) {
  double scale = vec3_norm(z0);
  for (int k = 0; k < g->n; k++) scale += g->hi[k] - g->lo[k];
  begin(g, z0);
  /* every bound set is visited once at most; rounding at degenerate places must not go on for ever */
  for (int i = 0; i < 100; i++) {
    if (descend(g, z0) && !release(g, z0, scale)) break;
  }
  factor(g);
}

double tni_core_rho(const tni_core core[2]) {
  double length = vec3_norm(core[0].half), thickness = core[0].radius + core[1].radius;
  double ratio = thickness/fmax(length, thickness); /* half may have zeros only */
  return BIAS*ratio*ratio;
}

void tni_gap_find(const tni_core core[2], double rho, int part, const double *const A[2],
                  const double *const r[2], tni_gap *g) {
  double c[2][3], z0[3], w2 = 0;
  g->rho = rho;
  g->n1 = core[0].n;
  g->n = core[0].n + core[1].n;
  for (int b = 0; b < 2; b++) {
    mat3_vec(c[b], A[b], core[b].c);
    vec3_add(c[b], c[b], r[b]);
    for (int i = 0; i < core[b].n; i++) {
      int k = b ? g->n1 + i : i;
      double half = core[b].half[i];
      mat3_vec(g->e[k], A[b], core[b].axis[i]);
      if (b) vec3_scale(g->e[k], -1, g->e[k]);
      g->lo[k] = -half, g->hi[k] = half, g->want[k] = 0;
      if (b == 0) {
        bool upper = part >> i & 1;
        g->want[k] = upper ? half : -half;
        *(upper ? &g->lo[k] : &g->hi[k]) = 0;
      }
      g->s[k] = g->want[k];
    }
  }
  vec3_sub(z0, c[0], c[1]);
  minimize(g, z0);
  separation(g, z0, g->z);
  vec3_copy(g->x1, c[0]);
  for (int k = 0; k < g->n1; k++) {
    double off = g->s[k] - g->want[k];
    vec3_addmul(g->x1, g->s[k], g->e[k]);
    w2 += g->rho*off*off;
  }
  g->d = vec3_norm(g->z);
  g->D = sqrt(g->d*g->d + w2);
  if (g->d > 0) vec3_scale(g->n12, 1/g->d, g->z);
  else vec3_set(g->n12, 0, 0, 1);
}

/* while they are apart d/D is near 1, and falls to the root of rho then */
bool tni_gap_closed(const tni_gap *g) { return g->d < 0.5*g->D || g->d == 0; }

void tni_gap_vary(const tni_gap *g, const double dz[3], const double turn[2][3],
                  double ds[TNI_CORE_MAX]) {
  double x[N], de[3];
  for (int k = 0; k < g->n; k++) ds[k] = 0;
  for (int a = 0; a < g->nfree; a++) {
    int k = g->free[a];
    vec3_cross(de, turn[k < g->n1 ? 0 : 1], g->e[k]);
    x[a] = -vec3_dot(de, g->z) - vec3_dot(g->e[k], dz);
  }
  backsolve(g, x);
  for (int a = 0; a < g->nfree; a++) ds[g->free[a]] = x[a];
}

/* ---- at least so far apart ----------------------------------------------------------------- */

/* Boxes with half edges h1, h2 whose centres are z apart: the widest gap between their shadows on an axis */
static double widest_gap(const tni_core core[2], const tni_apart *a, const double z1[3],
                         const double z2[3], const double h1[3]) {
  double most = -HUGE_VAL;
  for (int k = 0; k < core[0].n; k++) {
    double gap = fabs(z1[k]) - h1[k];
    for (int l = 0; l < core[1].n; l++) gap -= core[1].half[l]*fabs(a->R[k][l]);
    most = fmax(most, gap);
  }
  for (int l = 0; l < core[1].n; l++) {
    double gap = fabs(z2[l]) - core[1].half[l];
    for (int k = 0; k < core[0].n; k++) gap -= h1[k]*fabs(a->R[k][l]);
    most = fmax(most, gap);
  }
  return most;
}

void tni_apart_look(const tni_core core[2], const double *const A[2], const double *const r[2],
                    tni_apart *a) {
  double c[2][3], e[2][3][3], z[3];
  for (int b = 0; b < 2; b++) {
    mat3_vec(c[b], A[b], core[b].c);
    vec3_add(c[b], c[b], r[b]);
  }
  vec3_sub(z, c[0], c[1]);
  a->z = vec3_norm(z);
  double balls = vec3_norm(core[0].half) + vec3_norm(core[1].half) + core[0].radius + core[1].radius;
  a->least = a->z - vec3_norm(core[0].half) - vec3_norm(core[1].half);
  /* So far away that the axes need not be asked. A body that comes as near as to pass through within one sample more has come
   * nearer by more than the axes could add to this bound since the last one: the search for events still sees it coming. */
  a->far = a->least > 2*balls;
  if (a->far) return;
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < core[b].n; k++) {
      mat3_vec(e[b][k], A[b], core[b].axis[k]);
      (b ? a->z2 : a->z1)[k] = vec3_dot(e[b][k], z);
    }
  for (int k = 0; k < core[0].n; k++)
    for (int l = 0; l < core[1].n; l++) a->R[k][l] = vec3_dot(e[0][k], e[1][l]);
  a->least = fmax(a->least, widest_gap(core, a, a->z1, a->z2, core[0].half));
}

double tni_apart_part(const tni_core core[2], const tni_apart *a, int part) {
  double z1[3], z2[3], h1[3], z = a->z*a->z, size = 0;
  if (a->far) return a->least;
  for (int l = 0; l < core[1].n; l++) z2[l] = a->z2[l];
  for (int k = 0; k < core[0].n; k++) {
    h1[k] = 0.5*core[0].half[k];
    double shift = part >> k & 1 ? h1[k] : -h1[k];
    z += shift*(2*a->z1[k] + shift);
    z1[k] = a->z1[k] + shift;
    size += h1[k]*h1[k];
    for (int l = 0; l < core[1].n; l++) z2[l] += shift*a->R[k][l];
  }
  return fmax(widest_gap(core, a, z1, z2, h1),
              sqrt(fmax(z, 0)) - sqrt(size) - vec3_norm(core[1].half));
}
