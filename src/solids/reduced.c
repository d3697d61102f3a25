/* solids/reduced.c - a reduced body as a part of the system
 *
 * Axes A at r_f follow the interfaces b = 1 .. nb, which have turned by T_b from rest and stand at r_b:
 *
 *   r_f = sum g_b r_b,   sum g_b theta_b = 0 with theta_b = log(A^T T_b),   sum g_b = 1
 *   d_b = (A^T (r_b - r_f) - (X_b - X_f), theta_b)           so that rigid motions strain nothing
 *   V_b = A^T (r_b', W_b)                                    velocities along these axes
 *   L   = 1/2 (V, eta')^T M (V, eta') - 1/2 d^T K d - 1/2 sum m w^2 eta^2 + g . sum m x,   x = r_f + A (X - X_f + B (d, eta))
 *
 * Forces are the exact derivatives of L, so that energy is kept; with p = M (V, eta'), spin w of the axes (local), and Gamma_b what
 * they turn by when interface b does,
 *
 *   force   -(p' + w x p),   torque  -(p' + w x p) + W_b x p_b - Gamma_b^T sum_c (V_c x p_c)        (translations and turns)
 *
 * What is left out is what deformation does to the velocities inside: good while the body deforms little and turns slowly
 * beside its own frequencies.
 *
 * Tangents: the same function at places shifted by i h, h = 1e-40: its imaginary part over h is the derivative, without
 * differences of large numbers. Every function used here is analytic; no absolute values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/reduce.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#undef I /* inertia elsewhere */

typedef double complex cx;
static const double STEP = 1e-40;
#define SHIFT CMPLX(0, STEP)
enum { ROUNDS = 30 };

typedef struct {
  cx r[3], A[9], v[3], w[3], a[3], al[3]; /* place, attitude; velocities, accelerations; w, al in body axes */
} mover;

typedef struct {
  tni_part_at at;
  mover *move;             /* [nb]                                                           */
  cx A[9], rf[3], spin[3], Gi[9];
  double frame[9];         /* real A of the state                                            */
  cx *theta, *H;           /* [nb][3], [nb][9]                                               */
  cx *d, *rate, *V, *acc;  /* [6 nb] d, d', V, V'                                            */
  cx *k, *p, *dp;          /* [n]                                                            */
  cx *eta, *etad, *etadd;  /* [nm]                                                           */
  cx *f;                   /* [n] forces: ground axes, torques in body axes                  */
  double *J;               /* [n][n]                                                         */
  double *u;               /* [nnode ndof]                                                   */
  void *mesh;              /* of r->mesh                                                     */
  bool turned;             /* interfaces too far from each other                             */
} work;

static const tni_reduced *of(const tni_part *part) { return part->data; }

/* ---- complex vectors and turns ---------------------------------------------------------------- */

static void c_cross(cx r[3], const cx a[3], const cx b[3]) {
  cx x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
  r[0] = x, r[1] = y, r[2] = z;
}

static void c_add_cross(cx r[3], cx f, const cx a[3], const cx b[3]) {
  cx x[3];
  c_cross(x, a, b);
  for (int i = 0; i < 3; i++) r[i] += f*x[i];
}

static cx c_dot(const cx a[3], const cx b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static void c_vec(cx r[3], const cx M[9], const cx a[3]) {
  cx x[3];
  for (int i = 0; i < 3; i++) x[i] = M[3*i]*a[0] + M[3*i + 1]*a[1] + M[3*i + 2]*a[2];
  for (int i = 0; i < 3; i++) r[i] = x[i];
}

static void c_tvec(cx r[3], const cx M[9], const cx a[3]) {
  cx x[3];
  for (int i = 0; i < 3; i++) x[i] = M[i]*a[0] + M[3 + i]*a[1] + M[6 + i]*a[2];
  for (int i = 0; i < 3; i++) r[i] = x[i];
}

static void c_mul(cx C[9], const cx A[9], const cx B[9]) {
  cx x[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
  for (int i = 0; i < 9; i++) C[i] = x[i];
}

static void c_tmul(cx C[9], const cx A[9], const cx B[9]) {
  cx x[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3*i + j] = A[i]*B[j] + A[3 + i]*B[3 + j] + A[6 + i]*B[6 + j];
  for (int i = 0; i < 9; i++) C[i] = x[i];
}

static void c_skew(cx S[9], const cx a[3]) {
  S[0] = S[4] = S[8] = 0;
  S[1] = -a[2], S[2] = a[1], S[3] = a[2], S[5] = -a[0], S[6] = -a[1], S[7] = a[0];
}

static void c_inverse(cx R[9], const cx M[9]) {
  cx c[9] = {M[4]*M[8] - M[5]*M[7], M[2]*M[7] - M[1]*M[8], M[1]*M[5] - M[2]*M[4],
             M[5]*M[6] - M[3]*M[8], M[0]*M[8] - M[2]*M[6], M[2]*M[3] - M[0]*M[5],
             M[3]*M[7] - M[4]*M[6], M[1]*M[6] - M[0]*M[7], M[0]*M[4] - M[1]*M[3]};
  cx det = M[0]*c[0] + M[1]*c[3] + M[2]*c[6];
  for (int i = 0; i < 9; i++) R[i] = c[i]/det;
}

/* sin(a)/a and (1 - cos a)/a^2 by a^2 */
static void sines(cx a2, cx *s, cx *c) {
  if (creal(a2) < 1e-3) {
    *s = 1 - a2/6*(1 - a2/20*(1 - a2/42*(1 - a2/72)));
    *c = 0.5 - a2/24*(1 - a2/30*(1 - a2/56*(1 - a2/90)));
  } else {
    cx a = csqrt(a2);
    *s = csin(a)/a;
    *c = (1 - ccos(a))/a2;
  }
}

/* A <- A exp(~e) */
static void turn_by(cx A[9], const cx e[3]) {
  cx s, c, S[9], S2[9], R[9];
  sines(c_dot(e, e), &s, &c);
  c_skew(S, e);
  c_mul(S2, S, S);
  for (int i = 0; i < 9; i++) R[i] = (i%4 == 0) + s*S[i] + c*S2[i];
  c_mul(A, A, R);
}

/* rotation vector; false: about half a turn */
static bool turn_vector(const cx R[9], cx u[3]) {
  cx q = 1 + R[0] + R[4] + R[8];
  if (!(creal(q) > 1e-3)) return false;
  cx p0 = 0.5*csqrt(q), p[3] = {(R[7] - R[5])/(4*p0), (R[2] - R[6])/(4*p0), (R[3] - R[1])/(4*p0)};
  cx x = c_dot(p, p)/(p0*p0), f;
  if (creal(x) < 1e-4) f = 1 - x*(1.0/3 - x*(1.0/5 - x*(1.0/7 - x/9)));
  else f = catan(csqrt(x))/csqrt(x);
  for (int i = 0; i < 3; i++) u[i] = 2*f*p[i]/p0;
  return true;
}

/* H: spins to changes of the rotation vector u */
static void spin_to_rate(const cx u[3], cx H[9]) {
  cx a2 = c_dot(u, u), eta, S[9], S2[9];
  if (creal(a2) < 1e-2) eta = 1.0/12 + a2*(1.0/720 + a2*(1.0/30240 + a2*(1.0/1209600 + a2/47900160)));
  else {
    cx h = csqrt(a2)/2;
    eta = (1 - h*ccos(h)/csin(h))/a2;
  }
  c_skew(S, u);
  c_mul(S2, S, S);
  for (int i = 0; i < 9; i++) H[i] = (i%4 == 0) - S[i]/2 + eta*S2[i];
}

/* ---- where it is ---------------------------------------------------------------------------------- */

static tn_status begin(const tni_part *part, tni_arena *arena, void **out) {
  const tni_reduced *r = of(part);
  work *w;
  size_t nb = (size_t)r->nb, n = (size_t)r->n, nm = (size_t)r->nm;
  TNI_ARENA_NEW(arena, w, 1);
  TNI_ARENA_NEW(arena, w->move, nb);
  TNI_ARENA_NEW(arena, w->theta, 3*nb);
  TNI_ARENA_NEW(arena, w->H, 9*nb);
  TNI_ARENA_NEW(arena, w->d, 6*nb);
  TNI_ARENA_NEW(arena, w->rate, 6*nb);
  TNI_ARENA_NEW(arena, w->V, 6*nb);
  TNI_ARENA_NEW(arena, w->acc, 6*nb);
  TNI_ARENA_NEW(arena, w->k, n);
  TNI_ARENA_NEW(arena, w->p, n);
  TNI_ARENA_NEW(arena, w->dp, n);
  TNI_ARENA_NEW(arena, w->f, n);
  TNI_ARENA_NEW(arena, w->eta, nm);
  TNI_ARENA_NEW(arena, w->etad, nm);
  TNI_ARENA_NEW(arena, w->etadd, nm);
  TNI_ARENA_NEW(arena, w->J, n*n);
  TNI_ARENA_NEW(arena, w->u, (size_t)r->s->nnode*(size_t)r->s->ndof);
  *out = w;
  return tni_structure_ops.begin(r->mesh, arena, &w->mesh);
}

static void set_mover(const tni_reduced *r, const tni_part_at *at, int b, mover *m) {
  const tni_kin *k = &at->kin[r->body[b] + 1];
  const double *acc = at->acc && r->body[b] != TNI_GROUND ? at->acc + 6*r->body[b] : NULL;
  for (int i = 0; i < 3; i++) {
    m->r[i] = r->body[b] == TNI_GROUND ? r->X[3*b + i] : k->r[i];
    m->v[i] = at->v ? k->v[i] : 0;
    m->w[i] = at->v ? k->w[i] : 0;
    m->a[i] = acc ? acc[i] : 0;
    m->al[i] = acc ? acc[3 + i] : 0;
  }
  for (int i = 0; i < 9; i++) m->A[i] = k->A[i];
}

static void set_state(const tni_reduced *r, work *w, const tni_part_at *at) {
  w->at = *at;
  for (int b = 0; b < r->nb; b++) set_mover(r, at, b, &w->move[b]);
  for (int k = 0; k < r->nm; k++) {
    w->eta[k] = at->u[k];
    w->etad[k] = at->v ? at->v[k] : 0;
    w->etadd[k] = at->a ? at->a[k] : 0;
  }
}

/* turn of interface b from rest */
static void turn_of(const tni_reduced *r, const work *w, int b, cx T[9]) {
  const double *A0 = r->A0 + 9*b;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      cx sum = 0;
      for (int k = 0; k < 3; k++) sum += w->move[b].A[3*i + k]*A0[3*j + k];
      T[3*i + j] = sum;
    }
}

/* theta, H, Gi at the axes w->A; mean of theta */
static bool deviations(const tni_reduced *r, work *w, cx mean[3]) {
  cx G[9] = {0};
  mean[0] = mean[1] = mean[2] = 0;
  for (int b = 0; b < r->nb; b++) {
    cx T[9], R[9];
    turn_of(r, w, b, T);
    c_tmul(R, w->A, T);
    if (!turn_vector(R, w->theta + 3*b)) return false;
    spin_to_rate(w->theta + 3*b, w->H + 9*b);
    for (int i = 0; i < 9; i++) G[i] += r->weight[b]*w->H[9*b + i];
    for (int i = 0; i < 3; i++) mean[i] += r->weight[b]*w->theta[3*b + i];
  }
  c_inverse(w->Gi, G);
  return true;
}

/* The axes: Newton's method from the first interface; with shifted = true from the axes of the unshifted state, whose real part is
 * right, so that two steps give the imaginary part. */
static bool find_axes(const tni_reduced *r, work *w, bool shifted) {
  cx mean[3], e[3];
  if (shifted)
    for (int i = 0; i < 9; i++) w->A[i] = w->frame[i];
  else turn_of(r, w, 0, w->A);
  for (int k = 0; k < ROUNDS; k++) {
    if (!deviations(r, w, mean)) return false;
    double off = 0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(creal(mean[i])));
    if (shifted ? k == 2 : off < 1e-15 || (k > 6 && off < 1e-13)) break;
    if (!shifted && k == ROUNDS - 1) return false;
    c_vec(e, w->Gi, mean);
    turn_by(w->A, e);
  }
  for (int i = 0; i < 9 && !shifted; i++) w->frame[i] = creal(w->A[i]);
  return true;
}

/* everything that depends on where the interfaces are and how they move */
static bool place(const tni_reduced *r, work *w, bool shifted) {
  if (!find_axes(r, w, shifted)) return false;
  cx vf[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) w->rf[i] = w->spin[i] = 0;
  for (int b = 0; b < r->nb; b++) {
    const mover *m = &w->move[b];
    cx W[3], x[3];
    c_vec(W, m->A, m->w);
    c_tvec(w->V + 6*b, w->A, m->v);
    c_tvec(w->V + 6*b + 3, w->A, W);
    c_vec(x, w->H + 9*b, w->V + 6*b + 3);
    c_vec(x, w->Gi, x);
    for (int i = 0; i < 3; i++) {
      w->rf[i] += r->weight[b]*m->r[i];
      vf[i] += r->weight[b]*w->V[6*b + i];
      w->spin[i] += r->weight[b]*x[i];
    }
  }
  for (int b = 0; b < r->nb; b++) {
    const mover *m = &w->move[b];
    cx x[3], al[3], *d = w->d + 6*b, *v = w->rate + 6*b, *a = w->acc + 6*b;
    for (int i = 0; i < 3; i++) x[i] = m->r[i] - w->rf[i];
    c_tvec(d, w->A, x); /* the place, in a moment without its rest */
    for (int i = 0; i < 3; i++) v[i] = w->V[6*b + i] - vf[i];
    c_add_cross(v, -1, w->spin, d);
    for (int i = 0; i < 3; i++) {
      d[i] -= r->X[3*b + i] - r->Xf[i];
      d[3 + i] = w->theta[3*b + i];
      x[i] = w->V[6*b + 3 + i] - w->spin[i];
    }
    c_vec(v + 3, w->H + 9*b, x);
    c_vec(al, m->A, m->al);
    c_tvec(a, w->A, m->a);
    c_tvec(a + 3, w->A, al);
    c_add_cross(a, -1, w->spin, w->V + 6*b);
    c_add_cross(a + 3, -1, w->spin, w->V + 6*b + 3);
  }
  return true;
}

/* y [rows] := rows of a real matrix [..][n] times x, from column c0 on, nc of them */
static void add_product(int rows, int n, const double *M, int c0, int nc, const cx *x, cx *y) {
  for (int i = 0; i < rows; i++) {
    const double *row = M + (size_t)i*(size_t)n + c0;
    double re = 0, im = 0;
    for (int j = 0; j < nc; j++) re += row[j]*creal(x[j]), im += row[j]*cimag(x[j]);
    y[i] += CMPLX(re, im);
  }
}

/* torque on interface b, local: what a torque on the axes gives to it */
static void add_axes_torque(const tni_reduced *r, const work *w, int b, const cx torque[3], cx out[3]) {
  cx x[3], y[3];
  c_tvec(x, w->Gi, torque);
  c_tvec(y, w->H + 9*b, x);
  for (int i = 0; i < 3; i++) out[i] += r->weight[b]*y[i];
}

static double value_at(const tni_expr *e, double t) { return e ? tni_expr_eval(e, &t) : 0; }

/* [rows] += matrix [rows][n] times (d, eta) */
static void by_shape(const tni_reduced *r, int rows, const double *M, const cx *d, const cx *eta, cx *y) {
  add_product(rows, r->n, M, 0, 6*r->nb, d, y);
  add_product(rows, r->n, M, 6*r->nb, r->nm, eta, y);
}

/* Loads: k -= what they do along d and eta, push on the axes at r_f, torque about it. rate: of their time functions. power: what those
 * beside gravity put in; stored: potential of gravity; either may be NULL. */
static void add_loads(const tni_reduced *r, work *w, double t, bool rate, cx push[3], cx torque[3], double *power,
                      double *stored) {
  for (int l = 0; l < r->nload; l++) {
    const tni_reduced_load *o = &r->load[l];
    const tni_load *load = o->load;
    cx f[3], s[3];
    if (rate && !load) continue;
    for (int i = 0; i < 3; i++) {
      f[i] = load ? value_at(rate ? load->f_t[i] : load->f[i], t) : r->gravity[i];
      s[i] = o->first[i];
    }
    double p = load ? value_at(rate ? load->pressure_t : load->pressure, t) : 0;
    c_tvec(f, w->A, f);
    by_shape(r, 3, o->S, w->d, w->eta, s);
    for (int i = 0; i < 3; i++) push[i] += o->total*f[i];
    c_add_cross(torque, 1, s, f);
    for (int i = 0; i < r->n; i++)
      for (int c = 0; c < 3; c++) w->k[i] -= o->S[(size_t)c*(size_t)r->n + (size_t)i]*f[c];
    if (stored && !load)
      for (int i = 0; i < 3; i++) {
        cx x[3];
        c_tvec(x, w->A, w->rf);
        *stored -= creal(f[i])*creal(o->total*x[i] + s[i]);
      }
    if (power && load) {
      cx v[3] = {0, 0, 0};
      c_cross(v, w->spin, s);
      by_shape(r, 3, o->S, w->rate, w->etad, v);
      for (int b = 0; b < r->nb; b++)
        for (int i = 0; i < 3; i++) v[i] += o->total*r->weight[b]*w->V[6*b + i];
      *power += creal(c_dot(f, v));
    }
    if (!o->G || p == 0) continue;
    cx about[3] = {0, 0, 0}, along = 0;
    by_shape(r, 3, o->C, w->d, w->eta, about);
    for (int i = 0; i < 3; i++) {
      push[i] += p*o->push[i];
      about[i] = p*(o->about[i] + about[i]);
      torque[i] += about[i];
    }
    for (int i = 0; i < r->n; i++) w->k[i] -= p*o->G[i];
    if (!power) continue;
    by_shape(r, 1, o->G, w->rate, w->etad, &along);
    *power += creal(p*along + c_dot(w->spin, about));
    for (int b = 0; b < r->nb; b++)
      for (int i = 0; i < 3; i++) *power += p*o->push[i]*r->weight[b]*creal(w->V[6*b + i]);
  }
}

/* w->f: forces on bodies and modes, without those of the masses of modes; place() was called. rate: by time at rest of all else. */
static void forces(const tni_reduced *r, work *w, bool rate, double *power, double *stored) {
  int nb = r->nb, nd = 6*nb, n = r->n;
  cx push[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, sum[3] = {0, 0, 0};
  for (int i = 0; i < n; i++) w->k[i] = w->p[i] = w->dp[i] = 0;
  if (!rate) {
    for (int i = 0; i < nd; i++) w->p[i] = w->d[i] + r->beta*w->rate[i];
    add_product(nd, nd, r->K, 0, nd, w->p, w->k);
    for (int i = 0; i < r->nm; i++)
      w->k[nd + i] = r->mass[i]*r->omega2[i]*(w->eta[i] + r->beta*w->etad[i]) + r->damping[i]*w->etad[i];
    /* momenta p of interfaces, and M (V', eta'') with what it gives modes */
    for (int i = 0; i < nd; i++) w->p[i] = 0;
    add_product(nd, n, r->M, 0, nd, w->V, w->p);
    add_product(nd, n, r->M, nd, r->nm, w->etad, w->p);
    add_product(n, n, r->M, 0, nd, w->acc, w->dp);
    add_product(nd, n, r->M, nd, r->nm, w->etadd, w->dp);
    if (r->alpha > 0) {
      add_product(r->nm, n, r->M + (size_t)nd*(size_t)n, 0, nd, w->V, w->p + nd);
      for (int i = 0; i < r->nm; i++) w->p[nd + i] += r->mass[i]*w->etad[i];
    }
  }
  add_loads(r, w, w->at.t, rate, push, torque, power, stored);
  for (int b = 0; b < nb; b++) {
    cx x[3], mu[3], *k = w->k + 6*b, *p = w->p + 6*b, *V = w->V + 6*b;
    for (int i = 0; i < 3; i++) x[i] = w->d[6*b + i] + r->X[3*b + i] - r->Xf[i], sum[i] += k[i];
    c_tvec(mu, w->H + 9*b, k + 3);
    c_add_cross(torque, 1, x, k);
    for (int i = 0; i < 3; i++) torque[i] += mu[i];
    c_add_cross(torque, -1, V, p);
    c_add_cross(torque, -1, V + 3, p + 3);
  }
  for (int b = 0; b < nb; b++) {
    cx *k = w->k + 6*b, *p = w->p + 6*b, *dp = w->dp + 6*b, F[3], N[3], mu[3];
    c_tvec(mu, w->H + 9*b, k + 3);
    for (int i = 0; i < 3; i++) {
      F[i] = -k[i] + r->weight[b]*(sum[i] + push[i]) - dp[i] - r->alpha*p[i];
      N[i] = -mu[i] - dp[3 + i] - r->alpha*p[3 + i];
    }
    c_add_cross(F, -1, w->spin, p);
    c_add_cross(N, -1, w->spin, p + 3);
    c_add_cross(N, 1, w->V + 6*b + 3, p + 3);
    add_axes_torque(r, w, b, torque, N);
    c_vec(w->f + 6*b, w->A, F);
    c_vec(N, w->A, N);
    c_tvec(w->f + 6*b + 3, w->move[b].A, N);
  }
  for (int k = nd; k < n; k++) w->f[k] = -w->k[k] - w->dp[k] - r->alpha*w->p[k];
}

static bool at_state(const tni_part *part, work *w, const tni_part_at *at) {
  set_state(of(part), w, at);
  w->turned = !place(of(part), w, false);
  return !w->turned;
}

/* V^T M V of interfaces and modes, without the masses of modes */
static double twice_kinetic(const tni_reduced *r, work *w) {
  int nd = 6*r->nb;
  double sum = 0;
  for (int i = 0; i < nd; i++) w->p[i] = 0;
  add_product(nd, r->n, r->M, 0, nd, w->V, w->p);
  for (int i = 0; i < nd; i++) w->p[i] *= 0.5;
  add_product(nd, r->n, r->M, nd, r->nm, w->etad, w->p);
  for (int i = 0; i < nd; i++) sum += 2*creal(w->p[i])*creal(w->V[i]);
  return sum;
}

static bool force(const tni_part *part, void *user, const tni_part_at *at, tni_part_out *out) {
  const tni_reduced *r = of(part);
  work *w = user;
  int nd = 6*r->nb;
  if (!at_state(part, w, at)) return false;
  double energy = 0, heat = 0, modes = 0;
  for (int i = 0; i < nd; i++) {
    double Kd = 0, Kv = 0;
    for (int j = 0; j < nd; j++) {
      Kd += r->K[(size_t)i*(size_t)nd + (size_t)j]*creal(w->d[j]);
      Kv += r->K[(size_t)i*(size_t)nd + (size_t)j]*creal(w->rate[j]);
    }
    energy += 0.5*creal(w->d[i])*Kd;
    heat += r->beta*creal(w->rate[i])*Kv;
    out->squares += Kd*Kd;
  }
  for (int k = 0; k < r->nm; k++) {
    double e = creal(w->eta[k]), v = creal(w->etad[k]), stiff = r->mass[k]*r->omega2[k];
    energy += 0.5*stiff*e*e;
    heat += (r->beta*stiff + r->damping[k])*v*v;
    modes += r->mass[k]*v*v;
    out->squares += stiff*e*stiff*e;
  }
  heat += r->alpha > 0 ? r->alpha*(twice_kinetic(r, w) + modes) : 0;
  out->squares += r->load[0].total*r->load[0].total*vec3_dot(r->gravity, r->gravity);
  forces(r, w, false, &out->input, &energy);
  out->potential += energy;
  out->dissipated += heat;
  for (int b = 0; b < r->nb; b++)
    for (int i = 0; i < 6 && r->body[b] != TNI_GROUND; i++) out->f6[6*r->body[b] + i] += creal(w->f[6*b + i]);
  for (int k = 0; k < r->nm; k++) out->f[k] = creal(w->f[nd + k]);
  return true;
}

static double kinetic(const tni_part *part, void *user, const tni_part_at *at) {
  work *w = user;
  return at_state(part, w, at) ? 0.5*twice_kinetic(of(part), w) : NAN;
}

/* ---- matrices ---------------------------------------------------------------------------------------- */

/* columns of velocities of interface b: local motions (A^T, A^T A_b) */
static void axes_of(const work *w, int b, int part, double Q[9]) {
  double A[9], Ab[9];
  for (int i = 0; i < 9; i++) A[i] = creal(w->A[i]), Ab[i] = creal(w->move[b].A[i]);
  if (part == 0) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) Q[3*i + j] = A[3*j + i];
  } else {
    mat3_tmul(Q, A, Ab);
  }
}

/* w->J := Q^T M Q; place() was called */
static void turned_mass(const tni_reduced *r, work *w) {
  int n = r->n, np = 2*r->nb;
  memcpy(w->J, r->M, (size_t)n*(size_t)n*sizeof(double));
  for (int b = 0; b < np; b++) {
    double Q[9];
    axes_of(w, b/2, b%2, Q);
    for (int i = 0; i < n; i++) { /* columns: M Q */
      double *x = w->J + (size_t)i*(size_t)n + (size_t)(3*b), y[3];
      mat3_tvec(y, Q, x);
      vec3_copy(x, y);
    }
    for (int j = 0; j < n; j++) { /* rows: Q^T M */
      double x[3], y[3];
      for (int i = 0; i < 3; i++) x[i] = w->J[(size_t)(3*b + i)*(size_t)n + (size_t)j];
      mat3_tvec(y, Q, x);
      for (int i = 0; i < 3; i++) w->J[(size_t)(3*b + i)*(size_t)n + (size_t)j] = y[i];
    }
  }
}

/* place among 6 ncarrier + nv of row i of n, -1: of the ground */
static int outside(const tni_part *part, int i) {
  const tni_reduced *r = of(part);
  if (i >= 6*r->nb) return 6*part->ncarrier + i - 6*r->nb;
  return r->slot[i/6] < 0 ? -1 : 6*r->slot[i/6] + i%6;
}

static bool mass(const tni_part *part, void *user, const tni_part_at *at, double *M) {
  const tni_reduced *r = of(part);
  work *w = user;
  int n = r->n, out = 6*part->ncarrier + part->nv;
  if (!at_state(part, w, at)) return false;
  turned_mass(r, w);
  memset(M, 0, (size_t)out*(size_t)out*sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int a = outside(part, i), b = outside(part, j);
      if (a >= 0 && b >= 0) M[(size_t)a*(size_t)out + (size_t)b] = w->J[(size_t)i*(size_t)n + (size_t)j];
    }
  return true;
}

/* to += factor X [n][n] on the pattern */
static void scatter(const tni_part *part, const tni_part_tangent *out, double factor, const double *X, double *to) {
  const tni_reduced *r = of(part);
  const tni_part_places *p = out->places;
  size_t n = (size_t)r->n;
  int nd = 6*r->nb, size = out->body_size;
  for (int b = 0; b < r->nb; b++) {
    int slot = r->slot[b];
    if (slot < 0) continue;
    for (int i = 0; i < size; i++) {
      const double *row = X + (size_t)(6*b + out->body_role[i])*n;
      for (int c = 0; c < r->nb; c++) {
        if (r->slot[c] < 0) continue;
        double *at = to + p->pair[part->ncarrier*slot + r->slot[c]] + i*p->body_width[slot];
        for (int j = 0; j < size; j++) at[j] += factor*row[6*c + out->body_role[j]];
      }
      double *at = to + p->touch_body[part->touch_adr[slot]] + i*p->body_width[slot];
      for (int k = 0; k < r->nm; k++) at[k] += factor*row[nd + k];
    }
    for (int k = 0; k < r->nm; k++) {
      double *at = to + p->touch_node[part->touch_adr[slot]] + k*p->width[0];
      for (int j = 0; j < size; j++) at[j] += factor*X[(size_t)(nd + k)*n + (size_t)(6*b + out->body_role[j])];
    }
  }
  for (int k = 0; k < r->nm; k++)
    for (int j = 0; j < r->nm; j++) to[p->start[0] + k*p->width[0] + j] += factor*X[(size_t)(nd + k)*n + (size_t)(nd + j)];
}

/* column j of w->J from the imaginary part of the forces */
static bool shifted_column(const tni_reduced *r, work *w, int j) {
  if (!place(r, w, true)) return false;
  forces(r, w, false, NULL, NULL);
  for (int i = 0; i < r->n; i++) w->J[(size_t)i*(size_t)r->n + (size_t)j] = cimag(w->f[i])/STEP;
  return true;
}

/* w->J := df/dq (velocity: df/dv) */
static bool jacobian(const tni_part *part, work *w, bool velocity) {
  const tni_reduced *r = of(part);
  int nd = 6*r->nb;
  memset(w->J, 0, (size_t)r->n*(size_t)r->n*sizeof(double));
  for (int b = 0; b < r->nb; b++)
    for (int j = 0; j < 6 && r->slot[b] >= 0; j++) {
      mover *m = &w->move[b], kept = *m;
      if (velocity) {
        *(j < 3 ? &m->v[j] : &m->w[j - 3]) += SHIFT;
      } else if (j < 3) {
        m->r[j] += SHIFT;
      } else {
        cx e[3] = {0, 0, 0};
        e[j - 3] = SHIFT;
        turn_by(m->A, e);
      }
      bool fine = shifted_column(r, w, 6*b + j);
      *m = kept;
      if (!fine) return false;
    }
  for (int k = 0; k < r->nm; k++) {
    cx *x = velocity ? &w->etad[k] : &w->eta[k], kept = *x;
    *x += SHIFT;
    bool fine = shifted_column(r, w, nd + k);
    *x = kept;
    if (!fine) return false;
  }
  return true;
}

static bool tangent(const tni_part *part, void *user, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_reduced *r = of(part);
  work *w = user;
  if (!at_state(part, w, at)) return false;
  if (out->M) {
    turned_mass(r, w);
    scatter(part, out, 1, w->J, out->M);
  }
  for (int velocity = 0; velocity < 2; velocity++) {
    double *to = velocity ? out->D : out->K;
    if (!to) continue;
    if (!jacobian(part, w, velocity)) return false;
    scatter(part, out, out->factor, w->J, to);
  }
  if (out->f_t) {
    if (!place(r, w, false)) return false;
    forces(r, w, true, NULL, NULL);
    for (int b = 0; b < r->nb; b++)
      for (int i = 0; i < 6 && r->body[b] != TNI_GROUND; i++) out->f6_t[6*r->body[b] + i] += creal(w->f[6*b + i]);
    for (int k = 0; k < r->nm; k++) out->f_t[k] += creal(w->f[6*r->nb + k]);
  }
  return true;
}

static double rate(const tni_part *part, void *user, const tni_part_at *at, double *damping) {
  const tni_reduced *r = of(part);
  (void)user, (void)at;
  for (int k = 0; k < r->nm; k++)
    *damping = fmax(*damping, 0.5*r->damping[k]/(r->mass[k]*sqrt(r->omega2[k])));
  *damping = fmax(*damping, 0.5*(r->alpha/r->rate + r->beta*r->rate));
  return r->rate;
}

/* ---- fields ------------------------------------------------------------------------------------------ */

/* w->u [nnode][ndof]: local displacements, or their rates */
static void recover(const tni_reduced *r, work *w, bool rates) {
  size_t rows = (size_t)r->s->nnode*(size_t)r->s->ndof, n = (size_t)r->n, nd = 6*(size_t)r->nb;
  for (size_t i = 0; i < n; i++)
    w->J[i] = creal(i < nd ? (rates ? w->rate : w->d)[i] : (rates ? w->etad : w->eta)[i - nd]);
  for (size_t i = 0; i < rows; i++) {
    const double *B = r->B + i*n;
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += B[k]*w->J[k];
    w->u[i] = sum;
  }
}

/* displacement from rest, or velocity, of all nodes [nnode][3] */
static void fill_motion(const tni_reduced *r, work *w, bool velocity, double *out) {
  const tni_structure *s = r->s;
  double spin[3], rf[3], vf[3] = {0}, *arm = out;
  for (int i = 0; i < 3; i++) {
    spin[i] = creal(w->spin[i]), rf[i] = creal(w->rf[i]);
    for (int b = 0; b < r->nb; b++) vf[i] += r->weight[b]*creal(w->V[6*b + i]);
  }
  recover(r, w, false);
  for (int n = 0; n < s->nnode; n++)
    for (int c = 0; c < 3; c++)
      arm[3*n + c] = s->mesh->x[3*(size_t)n + (size_t)c] - r->Xf[c] +
                     (c < s->ndof ? w->u[(size_t)n*(size_t)s->ndof + (size_t)c] : 0);
  if (velocity) recover(r, w, true);
  for (int n = 0; n < s->nnode; n++) {
    double x[3], *at = out + 3*(size_t)n;
    if (velocity) {
      vec3_cross(x, spin, at);
      for (int c = 0; c < 3; c++) x[c] += vf[c] + (c < s->ndof ? w->u[(size_t)n*(size_t)s->ndof + (size_t)c] : 0);
      mat3_vec(at, w->frame, x);
      continue;
    }
    mat3_vec(x, w->frame, at);
    for (int c = 0; c < 3; c++) at[c] = rf[c] + x[c] - s->mesh->x[3*(size_t)n + (size_t)c];
  }
}

/* sig <- A sig A^T, xx yy zz xy yz zx */
static void turn_stress(const double A[9], double *s) {
  double S[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}, X[9], Y[9];
  mat3_mul(X, A, S);
  mat3_mult(Y, X, A);
  s[0] = Y[0], s[1] = Y[4], s[2] = Y[8], s[3] = Y[1], s[4] = Y[5], s[5] = Y[2];
}

static void fill(const tni_part *part, void *user, const tni_part_at *at, int i, double *out) {
  const tni_reduced *r = of(part);
  work *w = user;
  const tni_part_field *field = &part->field[i];
  size_t nn = (size_t)r->s->nnode;
  if (!at_state(part, w, at)) {
    memset(out, 0, nn*(size_t)field->ncomponent*sizeof(double));
    return;
  }
  bool velocity = strcmp(field->name, "velocity") == 0;
  if (velocity || strcmp(field->name, "displacement") == 0) {
    fill_motion(r, w, velocity, out);
    return;
  }
  recover(r, w, false);
  tni_structure_fill_at(r->mesh, w->mesh, w->u, i, out);
  for (size_t n = 0; n < nn && field->ncomponent == 6; n++) turn_stress(w->frame, out + 6*n);
  for (size_t n = 0; n < nn && strcmp(field->name, "reaction") == 0; n++) mat3_vec(out + 3*n, w->frame, out + 3*n);
}

/* linear in its axes, and slow beside its own frequencies */
static double doubt(const tni_part *part, void *user, const tni_part_at *at, char *why, size_t n) {
  static const double TURN = 0.2, SPIN = 0.1; /* [rad], parts of the lowest frequency */
  const tni_reduced *r = of(part);
  work *w = user;
  double turn = 0, spin = 0;
  if (!at_state(part, w, at)) return 0;
  for (int b = 0; b < r->nb; b++) {
    double e[3] = {creal(w->theta[3*b]), creal(w->theta[3*b + 1]), creal(w->theta[3*b + 2])};
    turn = fmax(turn, vec3_norm(e));
  }
  double e[3] = {creal(w->spin[0]), creal(w->spin[1]), creal(w->spin[2])};
  spin = r->lowest > 0 ? vec3_norm(e)/r->lowest : 0;
  if (turn/TURN > spin/SPIN)
    snprintf(why, n, "reduced body '%s' bends its interfaces by %.3g rad out of the mean, its equations hold for less than %g rad; use several "
             "bodies, or the whole mesh", part->name, turn, TURN);
  else
    snprintf(why, n, "reduced body '%s' turns at %.2g of its lowest frequency (%.4g Hz): what spinning does to its stiffness is left out; use "
             "the whole mesh", part->name, spin, r->lowest/6.283185307179586);
  return fmax(turn/TURN, spin/SPIN);
}

/* ---- names ------------------------------------------------------------------------------------------- */

static void label(const tni_part *part, int unknown, char *out, size_t n) {
  snprintf(out, n, "%s.mode[%d]", part->name, unknown + 1);
}

static void trouble(const tni_part *part, const void *user, char *out, size_t n) {
  const work *w = user;
  (void)part;
  if (w->turned)
    snprintf(out, n, "its interface bodies have turned against each other by about half a turn, far more than a reduced body can bend");
  else snprintf(out, n, "its forces are not finite");
}

const tni_part_ops tni_reduced_ops = {.name = "reduced body", .begin = begin, .force = force, .tangent = tangent,
                                      .kinetic = kinetic, .mass = mass, .rate = rate, .fill = fill, .doubt = doubt,
                                      .label = label, .trouble = trouble};
