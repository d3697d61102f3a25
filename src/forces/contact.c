/* forces/contact.c - impact and contact of two shapes, with restitution and Coulomb friction
 *
 * Against a plane, and for spheres, spheres that stand for shape 1 (itself, ends of a capsule, corners
 * of a box) meet the surface of shape 2. Capsules and boxes among themselves meet by the closest points
 * of parts of their cores (contact_core.h). For each sphere or part, a "touch", with penetration p > 0,
 * normal n from 2 to 1, point x on the surface of the first, velocity u of 1 against 2 at x,
 * p' = -c n.u and tangential part u_t = u - (n.u) n:
 *
 *   F = c N n + T on body 1 at x, -F on body 2 at x
 *
 * c = 1 for spheres, d/D of contact_core.h for parts. N is the force of impact.h, with the effective mass
 * of the two bodies along n (joints not counted).
 *
 * Friction, a spring in series with a slider that holds up to L = mu N_e, with the elastic part of N: the damper
 * of a resting contact acts along the normal only, else L' would have p'' and neither mode might fit:
 *
 *   sticking   T = -k xi - c_t u_t,  k |xi| <= L;  stored k xi^2/2
 *   sliding    T = -L s/|s|, s = L d + k tau (u_t - y d), y = min(L'/k, 0), while d.u_t > L'/k: the stretch of
 *              the spring is at its limit and the limit does not run away from it; the slider slips and
 *              draws the stretch into its direction; stored L^2/(2 k); d: direction of the stretch at the
 *              end of the last step, tau: time since then. Between d and u_t - y d the heat L (s.u_t/|s| - L'/k)
 *              is never negative.
 *
 * Stored energy and force go on through every change between the two. xi is the slip since it stuck: two
 * points fixed on the bodies start at x and are put at x again after every step; what each of them has
 * moved away from x along the surface of its body, unrolled into the tangent plane at x, is the way of the
 * contact there, and the difference of both ways is slip. A rolling ball has none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <stdio.h>

#include "forces/along.h"
#include "forces/contact_core.h"
#include "forces/contact_shape.h"
#include "forces/impact.h"

/* shift of the switching function of sliding [m/s] */
static const double SHIFT_V = 1e-9;
/* a contact that begins slower than this [m/s] sticks */
static const double SLOW = 1e-7;
static const double STICK_DAMPING = 0.2; /* ratio */
/* a slider that stops starts to stick just inside its limit */
static const double INSIDE = 1 - 1e-6;

typedef enum { FREE, STICK, SLIDE } grip;
enum { SLIP = TNI_IMPACT_NEVENT, HALT, EVENTS };

/* memory of one touch, after that of its impact */
enum { M_GRIP = TNI_IMPACT_NMEMORY, M_A1, M_A2 = M_A1 + 3, M_N1 = M_A2 + 3, M_N2 = M_N1 + 3,
       M_XI = M_N2 + 3, M_DIRECTION = M_XI + 3, M_TIME = M_DIRECTION + 3, NMEMORY };
#define M_K TNI_IMPACT_K
#define M_MASS TNI_IMPACT_MASS

typedef struct {
  int slot[2];      /* of the two bodies in the force, -1 ground           */
  int body[2];
  double mass[2], Iinv[2][9]; /* 0 for ground                              */
  int ntouch;
  double radius;    /* of shape 1                                          */
  bool parts;       /* of cores; else spheres against a surface            */
  double probe[TNI_SHAPE_MAXPROBE][3]; /* spheres: centres on body 1       */
  tni_shape shape;  /* their surface, on body 2                            */
  double p[3], R[9]; /* its frame on body 2                                */
  tni_core core[2];
  double rho;
  tni_impact impact;
  double mu;
  int memory;       /* first slot                                          */
} contact;

/* one touch at a state */
typedef struct {
  double centre[3], y[3];       /* sphere or point on the core: ground; body 2 */
  double n2[3], H2[9];          /* spheres: normal and its derivative by y, body 2 */
  tni_gap gap;                  /* parts                                   */
  double n[3], x[3], arm[2][3]; /* ground                                  */
  double u[3], un, c;           /* un = n.u                                */
  double p, rate, ut[3];        /* rate = p'                               */
} place;

static void look_at_sphere(const contact *d, int i, const tni_env *env, bool tangent, place *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double z[3], yF[3], nF[3], HF[9], T[9];
  mat3_vec(z, k1->A, d->probe[i]);
  vec3_add(w->centre, k1->r, z);
  vec3_sub(z, w->centre, k2->r);
  mat3_tvec(w->y, k2->A, z);
  vec3_sub(z, w->y, d->p);
  mat3_tvec(yF, d->R, z);
  double distance = tni_shape_distance(&d->shape, yF, nF, tangent ? HF : NULL);
  mat3_vec(w->n2, d->R, nF);
  if (tangent) {
    mat3_mul(T, d->R, HF);
    mat3_mult(w->H2, T, d->R);
  }
  mat3_vec(w->n, k2->A, w->n2);
  w->p = d->radius - distance;
  w->c = 1;
}

static void look_at_part(const contact *d, int i, const tni_env *env, place *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  const double *const A[2] = {k1->A, k2->A}, *const r[2] = {k1->r, k2->r};
  tni_gap_find(d->core, d->rho, i, A, r, &w->gap);
  vec3_copy(w->centre, w->gap.x1);
  vec3_copy(w->n, w->gap.n12);
  w->p = d->core[0].radius + d->core[1].radius - w->gap.D;
  w->c = w->gap.d/w->gap.D;
  /* no sensible force: steps that come here are not accepted */
  if (tni_gap_closed(&w->gap)) w->c = NAN;
}

static void look(const contact *d, int i, const tni_env *env, bool tangent, place *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double v[3];
  if (d->parts) look_at_part(d, i, env, w);
  else look_at_sphere(d, i, env, tangent, w);
  vec3_copy(w->x, w->centre);
  vec3_addmul(w->x, -d->radius, w->n);
  vec3_sub(w->arm[0], w->x, k1->r);
  vec3_sub(w->arm[1], w->x, k2->r);
  vec3_cross(w->u, k1->W, w->arm[0]);
  vec3_add(w->u, w->u, k1->v);
  vec3_cross(v, k2->W, w->arm[1]);
  vec3_add(v, v, k2->v);
  vec3_sub(w->u, w->u, v);
  w->un = vec3_dot(w->n, w->u);
  w->rate = -w->c*w->un;
  vec3_copy(w->ut, w->u);
  vec3_addmul(w->ut, -w->un, w->n);
}

/* ---- laws ---------------------------------------------------------------------------------- */

/* L */
static double grip_limit(const contact *d, const tni_impact_out *law) {
  return d->mu*fmax(law->elastic, 0);
}

/* L'/k: how fast the largest stretch of the spring grows */
static double yield_rate(const contact *d, const double *m, const place *w, const tni_impact_out *law) {
  return d->mu*law->elastic_p*w->rate/m[M_K];
}

/* what the slip depends on: places of the two points, normals there, slip before, all with the bodies;
 * place of contact and normal. Ground axes. As values or as their changes. */
typedef struct {
  double P[2][3], nb[2][3], xi[3], x[3], n[3];
} slip_data;

/* v turned by the smallest turn that takes the unit vector m to n; with changes of all its change out1 */
static void carry(const double v[3], const double m[3], const double n[3], const double *dv,
                  const double *dm, const double *dn, double out[3], double *out1) {
  double w[3], a[3], b[3], z[3], f = 1/(1 + vec3_dot(m, n));
  vec3_cross(w, m, n);
  vec3_cross(a, w, v);
  vec3_cross(b, w, a);
  for (int i = 0; i < 3; i++) out[i] = v[i] + a[i] + f*b[i];
  if (!out1) return;
  double dw[3], da[3], db[3], df = -f*f*(vec3_dot(dm, n) + vec3_dot(m, dn));
  vec3_cross(dw, dm, n);
  vec3_cross(z, m, dn);
  vec3_add(dw, dw, z);
  vec3_cross(da, dw, v);
  vec3_cross(z, w, dv);
  vec3_add(da, da, z);
  vec3_cross(db, dw, a);
  vec3_cross(z, w, da);
  vec3_add(db, db, z);
  for (int i = 0; i < 3; i++) out1[i] = dv[i] + da[i] + f*db[i] + df*b[i];
}

/* tangential part of v, and of its change */
static void drop_normal(const double n[3], const double *dn, double v[3], double *dv) {
  double along = vec3_dot(n, v);
  if (dv) {
    double along1 = vec3_dot(dn, v) + vec3_dot(n, dv);
    vec3_addmul(dv, -along1, n);
    vec3_addmul(dv, -along, dn);
  }
  vec3_addmul(v, -along, n);
}

/* A chord of a surface between places with the normals nb and n, as the arc that it belongs to, in the
 * tangent plane of n: turned by half the angle between the normals, lengthened to the arc of a circle. */
static void unroll(const double chord[3], const double nb[3], const double n[3], const double *chord1,
                   const double *dnb, const double *dn, double out[3], double *out1) {
  double S[3], m[3], dm[3], v[3], dv[3];
  vec3_copy(v, chord);
  vec3_add(S, nb, n);
  double size = vec3_norm(S), s2 = fmax(0, 1 - 0.25*size*size), s = sqrt(s2); /* sine of half the angle */
  bool small = s2 < 1e-4;
  double f = small ? 1 + s2*(1./6 + s2*(3./40 + s2*15./336)) : asin(s)/s;
  vec3_scale(m, 1/size, S);
  if (!out1) {
    drop_normal(m, NULL, v, NULL); /* p has changed, too */
    carry(v, m, n, NULL, NULL, NULL, out, NULL);
    vec3_scale(out, f, out);
    return;
  }
  vec3_add(dm, dnb, dn);
  double dsize = vec3_dot(m, dm), ds2 = -0.5*size*dsize;
  vec3_addmul(dm, -dsize, m);
  vec3_scale(dm, 1/size, dm);
  vec3_copy(dv, chord1);
  drop_normal(m, dm, v, dv);
  carry(v, m, n, dv, dm, dn, out, out1);
  double df = ds2*(small ? 1./6 + s2*(3./20 + s2*45./336) : (1/sqrt(1 - s2) - f)/(2*s2));
  for (int i = 0; i < 3; i++) out1[i] = f*out1[i] + df*out[i];
  vec3_scale(out, f, out);
}

/* slip, and its change when D changes by dD (NULL: not wanted) */
static void slip(const slip_data *D, const slip_data *dD, double xi[3], double *dxi) {
  double way[3], way1[3], chord[3], chord1[3] = {0};
  carry(D->xi, D->nb[1], D->n, dD ? dD->xi : NULL, dD ? dD->nb[1] : NULL, dD ? dD->n : NULL, xi, dxi);
  for (int b = 0; b < 2; b++) {
    vec3_sub(chord, D->P[b], D->x);
    if (dD) vec3_sub(chord1, dD->P[b], dD->x);
    unroll(chord, D->nb[b], D->n, chord1, dD ? dD->nb[b] : NULL, dD ? dD->n : NULL, way,
           dD ? way1 : NULL);
    vec3_addmul(xi, b ? -1 : 1, way);
    if (dD) vec3_addmul(dxi, b ? -1 : 1, way1);
  }
}

static void collect(const contact *d, const double *m, const tni_env *env, const place *w,
                    slip_data *D) {
  static const int arm[2] = {M_A1, M_A2}, normal[2] = {M_N1, M_N2};
  for (int b = 0; b < 2; b++) {
    const tni_kin *k = &env->kin[d->body[b] + 1];
    mat3_vec(D->P[b], k->A, m + arm[b]);
    vec3_add(D->P[b], D->P[b], k->r);
    mat3_vec(D->nb[b], k->A, m + normal[b]);
    if (b) mat3_vec(D->xi, k->A, m + M_XI);
  }
  vec3_copy(D->x, w->x);
  vec3_copy(D->n, w->n);
}

/* stretch of the stick spring, ground axes */
static void stretch(const contact *d, const double *m, const tni_env *env, const place *w,
                    double xi[3]) {
  slip_data D;
  collect(d, m, env, w, &D);
  slip(&D, NULL, xi, NULL);
}

/* velocity of a point x [ground] of body b */
static void point_velocity(const contact *d, const tni_env *env, int b, const double x[3],
                           double v[3]) {
  const tni_kin *k = &env->kin[d->body[b] + 1];
  double arm[3];
  vec3_sub(arm, x, k->r);
  vec3_cross(v, k->W, arm);
  vec3_add(v, v, k->v);
}

/* x', n': of the place of contact, which moves over both bodies */
static void place_rates(const contact *d, const tni_env *env, const place *w, double xd[3], double nd[3]) {
  const tni_kin *k2 = &env->kin[d->body[1] + 1];
  double v[3], z[3], x2[3];
  point_velocity(d, env, 0, w->centre, xd);
  if (!d->parts) {
    point_velocity(d, env, 1, w->centre, v);
    vec3_sub(z, xd, v);
    mat3_tvec(v, k2->A, z);
    mat3_vec(z, w->H2, v);
    mat3_vec(nd, k2->A, z);
    vec3_cross(z, k2->W, w->n);
    vec3_add(nd, nd, z);
  } else {
    double turn[2][3], ds[TNI_CORE_MAX];
    vec3_sub(x2, w->centre, w->gap.z);
    point_velocity(d, env, 1, x2, v);
    vec3_sub(z, xd, v);
    for (int b = 0; b < 2; b++) vec3_copy(turn[b], env->kin[d->body[b] + 1].W);
    tni_gap_vary(&w->gap, z, turn, ds);
    for (int i = 0; i < w->gap.n; i++) {
      vec3_addmul(z, ds[i], w->gap.e[i]);
      if (i < w->gap.n1) vec3_addmul(xd, ds[i], w->gap.e[i]);
    }
    vec3_scale(nd, 1/w->gap.d, z);
    vec3_addmul(nd, -vec3_dot(w->n, nd), w->n);
  }
  vec3_addmul(xd, -d->radius, nd);
}

/* power that goes into the stick spring: k xi.xi' */
static double stretch_power(const contact *d, const double *m, const tni_env *env, const place *w,
                            const slip_data *D) {
  slip_data dD;
  double xi[3], xid[3];
  for (int b = 0; b < 2; b++) {
    const double *W = env->kin[d->body[b] + 1].W;
    point_velocity(d, env, b, D->P[b], dD.P[b]);
    vec3_cross(dD.nb[b], W, D->nb[b]);
    if (b) vec3_cross(dD.xi, W, D->xi);
  }
  place_rates(d, env, w, dD.x, dD.n);
  slip(D, &dD, xi, xid);
  return m[M_K]*vec3_dot(xi, xid);
}

static double stick_damper(const double *m) { return 2*STICK_DAMPING*sqrt(m[M_K]*m[M_MASS]); }

static void stick_force(const contact *d, const double *m, const tni_env *env, const place *w,
                        double T[3], double *stored, double *heat) {
  slip_data D;
  double xi[3], c = stick_damper(m);
  collect(d, m, env, w, &D);
  slip(&D, NULL, xi, NULL);
  for (int i = 0; i < 3; i++) T[i] = -m[M_K]*xi[i] - c*w->ut[i];
  *stored = 0.5*m[M_K]*vec3_dot(xi, xi);
  /* of the damper; the ways along the surfaces are those of u_t but for terms of the third order */
  *heat = -vec3_dot(T, w->ut) - stretch_power(d, m, env, w, &D);
}

/* a sliding contact: s with its length, and what it is made of */
typedef struct {
  double L, y, dir[3], slip[3]; /* limit, d in the tangent plane, u_t - y d  */
  double tau, s[3], size;
} sliding;

static void slide(const contact *d, const double *m, const tni_env *env, const place *w,
                  const tni_impact_out *law, sliding *o) {
  o->L = grip_limit(d, law);
  o->tau = fmax(env->t - m[M_TIME], 0); /* who looks back into the last step sees its end */
  vec3_copy(o->dir, m + M_DIRECTION);
  drop_normal(w->n, NULL, o->dir, NULL);
  vec3_copy(o->slip, w->ut);
  o->y = fmin(yield_rate(d, m, w, law), 0);
  vec3_addmul(o->slip, -o->y, o->dir);
  vec3_scale(o->s, o->L, o->dir);
  vec3_addmul(o->s, m[M_K]*o->tau, o->slip);
  o->size = fmax(vec3_norm(o->s), DBL_MIN);
}

static void friction_force(const contact *d, const double *m, const tni_env *env, const place *w,
                           const tni_impact_out *law, double T[3], double *stored, double *heat) {
  vec3_set(T, 0, 0, 0);
  *stored = *heat = 0;
  if (m[M_GRIP] == STICK) {
    stick_force(d, m, env, w, T, stored, heat);
  } else if (m[M_GRIP] == SLIDE) {
    sliding o;
    slide(d, m, env, w, law, &o);
    vec3_scale(T, -o.L/o.size, o.s);
    *stored = 0.5*o.L*o.L/m[M_K];
    *heat = -vec3_dot(T, w->u) - o.L*yield_rate(d, m, w, law);
  }
}

/* ---- tangents ------------------------------------------------------------------------------ */

/* Changes of everything for one component of delta (level 0) or of v (level 1) */
typedef struct {
  double x[3], n[3], u[3], p, c;
  slip_data slip; /* sticking */
} change;

/* the sphere: a unit step e, or a turn e on the body = g in ground axes, of body b */
static void vary_sphere(const contact *d, const tni_env *env, const place *w, int b, bool turn,
                        const double e[3], const double g[3], change *c) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  double centre[3] = {0}, y[3], on2[3], z[3];
  vec3_sub(z, w->centre, k[b]->r);
  /* the centre of the sphere, seen from body 2 */
  if (b == 0) {
    if (turn) vec3_cross(centre, g, z);
    else vec3_copy(centre, e);
    mat3_tvec(y, k[1]->A, centre);
  } else if (turn) {
    vec3_cross(y, w->y, e);
  } else {
    mat3_tvec(y, k[1]->A, e);
    vec3_scale(y, -1, y);
  }
  c->p = -vec3_dot(w->n2, y);
  mat3_vec(on2, w->H2, y);
  mat3_vec(c->n, k[1]->A, on2);
  if (b == 1 && turn) {
    vec3_cross(z, g, w->n);
    vec3_add(c->n, c->n, z);
  }
  vec3_copy(c->x, centre);
}

/* the closest points of cores */
static void vary_part(const contact *d, const tni_env *env, const place *w, int b, bool turn,
                      const double e[3], const double g[3], change *c) {
  const tni_gap *gap = &w->gap;
  double turns[2][3] = {{0}}, moved[3], dz[3], ds[TNI_CORE_MAX], x[3];
  vec3_copy(x, gap->x1); /* on the core of body b */
  if (b == 1) vec3_sub(x, x, gap->z);
  vec3_sub(x, x, env->kin[d->body[b] + 1].r);
  if (turn) {
    vec3_copy(turns[b], g);
    vec3_cross(moved, g, x);
  } else {
    vec3_copy(moved, e);
  }
  vec3_scale(dz, b ? -1 : 1, moved);
  tni_gap_vary(gap, dz, turns, ds);
  double dD = vec3_dot(gap->z, dz)/gap->D;
  vec3_set(c->x, 0, 0, 0);
  if (b == 0) vec3_copy(c->x, moved);
  for (int k = 0; k < gap->n; k++) {
    vec3_addmul(dz, ds[k], gap->e[k]);
    if (k < gap->n1) vec3_addmul(c->x, ds[k], gap->e[k]);
  }
  double dd = vec3_dot(gap->n12, dz);
  c->p = -dD;
  c->c = (dd - w->c*dD)/gap->D;
  vec3_scale(c->n, 1/gap->d, dz);
  vec3_addmul(c->n, -dd/gap->d, gap->n12);
}

static void vary(const contact *d, const double *m, const tni_env *env, const place *w, int column,
                 int level, change *c) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  int b = column/6;
  bool turn = column%6 >= 3;
  double e[3] = {0}, g[3], sign = b ? -1 : 1, z[3];
  memset(c, 0, sizeof(*c));
  e[column%3] = 1;
  mat3_vec(g, k[b]->A, e); /* a turn about a body axis, ground components */
  if (level == 1) {
    if (turn) vec3_cross(z, g, w->arm[b]);
    vec3_scale(c->u, sign, turn ? z : e);
    return;
  }
  if (d->parts) vary_part(d, env, w, b, turn, e, g, c);
  else vary_sphere(d, env, w, b, turn, e, g, c);
  vec3_addmul(c->x, -d->radius, c->n);
  /* u = v1 + W1 x (x - r1) - v2 - W2 x (x - r2) */
  for (int i = 0; i < 2; i++) {
    double arm[3], du[3] = {0};
    vec3_copy(arm, c->x);
    if (i == b && !turn) vec3_sub(arm, arm, e);
    vec3_cross(du, k[i]->W, arm);
    if (i == b && turn) {
      double W[3];
      vec3_cross(z, g, k[b]->W); /* A (dtheta x w) */
      vec3_copy(W, z);
      vec3_cross(z, W, w->arm[b]);
      vec3_add(du, du, z);
    }
    vec3_addmul(c->u, i ? -1 : 1, du);
  }
  if (m[M_GRIP] != STICK) return;
  vec3_copy(c->slip.x, c->x);
  vec3_copy(c->slip.n, c->n);
  if (!turn) {
    vec3_copy(c->slip.P[b], e);
    return;
  }
  mat3_vec(z, k[b]->A, b ? m + M_A2 : m + M_A1);
  vec3_cross(c->slip.P[b], g, z);
  mat3_vec(z, k[b]->A, b ? m + M_N2 : m + M_N1);
  vec3_cross(c->slip.nb[b], g, z);
  if (b == 0) return;
  mat3_vec(z, k[1]->A, m + M_XI);
  vec3_cross(c->slip.xi, g, z);
}

/* column of d f/d delta or d f/d v */
static void tangent_column(const contact *d, const double *m, const tni_env *env, const place *w,
                           const tni_impact_out *law, const double T[3], int column, int level,
                           double f[2][6]) {
  change c;
  vary(d, m, env, w, column, level, &c);
  double un = vec3_dot(c.n, w->u) + vec3_dot(w->n, c.u), rate = -c.c*w->un - w->c*un;
  double N = law->N_p*c.p + law->N_rate*rate, pressed = w->c*law->N, ut[3], dF[3], F[3];
  N = w->c*N + c.c*law->N;
  for (int i = 0; i < 3; i++) {
    ut[i] = c.u[i] - un*w->n[i] - w->un*c.n[i];
    dF[i] = N*w->n[i] + pressed*c.n[i];
    F[i] = pressed*w->n[i] + T[i];
  }
  if (m[M_GRIP] == STICK) {
    slip_data D;
    double xi[3], dxi[3], cd = stick_damper(m);
    collect(d, m, env, w, &D);
    slip(&D, &c.slip, xi, dxi);
    for (int i = 0; i < 3; i++) dF[i] -= m[M_K]*dxi[i] + cd*ut[i];
  } else if (m[M_GRIP] == SLIDE) {
    sliding o;
    double dir[3] = {0}, lean[3], ds[3], k = m[M_K];
    slide(d, m, env, w, law, &o);
    double dL = o.L > 0 ? d->mu*law->elastic_p*c.p : 0, dy = o.y < 0 ? d->mu*law->elastic_p*rate/k : 0;
    vec3_copy(lean, m + M_DIRECTION);
    drop_normal(w->n, c.n, lean, dir);
    for (int i = 0; i < 3; i++)
      ds[i] = dL*o.dir[i] + o.L*dir[i] +
              k*o.tau*(ut[i] - dy*o.dir[i] - o.y*dir[i]);
    double turn = vec3_dot(o.s, ds)/(o.size*o.size);
    for (int i = 0; o.L > 0 && i < 3; i++) dF[i] -= (dL*o.s[i] + o.L*(ds[i] - turn*o.s[i]))/o.size;
  }
  for (int b = 0; b < 2; b++) {
    const tni_kin *k = &env->kin[d->body[b] + 1];
    double arm[3], torque[3], z[3], e[3] = {0}, sign = b ? -1 : 1;
    bool own = level == 0 && column/6 == b;
    vec3_copy(arm, c.x);
    e[column%3] = 1;
    if (own && column%6 < 3) vec3_sub(arm, arm, e);
    vec3_cross(torque, w->arm[b], dF);
    vec3_cross(z, arm, F);
    vec3_add(torque, torque, z);
    mat3_tvec(torque, k->A, torque);
    if (own && column%6 >= 3) {
      double whole[3];
      vec3_cross(z, w->arm[b], F);
      mat3_tvec(whole, k->A, z);
      vec3_cross(z, whole, e); /* -dtheta x (A^T M) */
      vec3_add(torque, torque, z);
    }
    vec3_scale(f[b], sign, dF);
    vec3_scale(f[b] + 3, sign, torque);
  }
}

static void add_tangent(const contact *d, const tni_force *force, const double *m,
                        const tni_env *env, const place *w, const tni_impact_out *law,
                        const double T[3], tni_force_out *out) {
  int n = 6*force->nbody;
  for (int column = 0; column < 12; column++) {
    int s = d->slot[column/6];
    if (s < 0) continue;
    for (int level = 0; level < 2; level++) {
      double f[2][6];
      tangent_column(d, m, env, w, law, T, column, level, f);
      double *to = level ? out->D : out->K;
      for (int b = 0; b < 2; b++) {
        for (int i = 0; d->slot[b] >= 0 && i < 6; i++)
          to[(6*d->slot[b] + i)*n + 6*s + column%6] += f[b][i];
      }
    }
  }
}

/* d f/dt at fixed state: a slider turns its direction with time */
static void add_time_derivative(const contact *d, const double *m, const tni_env *env, const place *w,
                                const tni_impact_out *law, double *f_t) {
  sliding o;
  double F[3], torque[3];
  slide(d, m, env, w, law, &o);
  if (o.L <= 0 || env->t < m[M_TIME]) return;
  double turn = m[M_K]*vec3_dot(o.s, o.slip)/(o.size*o.size);
  for (int i = 0; i < 3; i++) F[i] = -o.L/o.size*(m[M_K]*o.slip[i] - turn*o.s[i]);
  for (int b = 0; b < 2; b++) {
    if (d->slot[b] < 0) continue;
    double *f = f_t + 6*d->slot[b], sign = b ? -1 : 1;
    vec3_addmul(f, sign, F);
    vec3_cross(torque, w->arm[b], F);
    mat3_tvec(torque, env->kin[d->body[b] + 1].A, torque);
    vec3_addmul(f + 3, sign, torque);
  }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void contact_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const contact *d = force->data;
  tni_force_clear(force, what, out);
  for (int i = 0; i < d->ntouch; i++) {
    const double *m = env->memory + d->memory + i*NMEMORY;
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN) continue;
    place w;
    tni_impact_out law;
    double T[3], F[3], stored, heat;
    look(d, i, env, (what & TNI_F_TANGENT) != 0 || m[M_GRIP] == STICK, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    friction_force(d, m, env, &w, &law, T, &stored, &heat);
    out->value += w.c*law.N;
    out->potential += law.stored + stored;
    out->dissipated += law.heat + heat;
    vec3_copy(F, T);
    vec3_addmul(F, w.c*law.N, w.n);
    for (int b = 0; b < 2; b++) {
      if (d->slot[b] < 0) continue;
      double torque[3], *f = out->f + 6*d->slot[b], sign = b ? -1 : 1;
      vec3_addmul(f, sign, F);
      vec3_cross(torque, w.arm[b], F);
      mat3_tvec(torque, env->kin[d->body[b] + 1].A, torque);
      vec3_addmul(f + 3, sign, torque);
    }
    if (!(what & TNI_F_TANGENT)) continue;
    add_tangent(d, force, m, env, &w, &law, T, out);
    if (out->f_t && m[M_GRIP] == SLIDE) add_time_derivative(d, m, env, &w, &law, out->f_t);
  }
}

static void contact_events(const tni_force *force, const tni_env *env, double *g) {
  const contact *d = force->data;
  for (int i = 0; i < d->ntouch; i++, g += EVENTS) {
    const double *m = env->memory + d->memory + i*NMEMORY;
    place w;
    tni_impact_out law;
    look(d, i, env, false, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    tni_impact_events(&d->impact, m, w.p, w.rate, g);
    g[SLIP] = g[HALT] = 1;
    if (m[M_GRIP] == STICK) {
      double xi[3];
      stretch(d, m, env, &w, xi);
      g[SLIP] = grip_limit(d, &law) - m[M_K]*vec3_norm(xi) + d->mu*m[M_K]*TNI_IMPACT_SHIFT;
    } else if (m[M_GRIP] == SLIDE) {
      g[HALT] = vec3_dot(w.ut, m + M_DIRECTION) - yield_rate(d, m, &w, &law) + SHIFT_V;
    }
  }
}

/* 1/m_e = sum over bodies of 1/m + (arm x n).I^-1 (arm x n) */
static double effective_mass(const contact *d, const tni_env *env, const place *w) {
  double sum = 0;
  for (int b = 0; b < 2; b++) {
    if (d->body[b] == TNI_GROUND) continue;
    double a[3], z[3];
    vec3_cross(z, w->arm[b], w->n);
    mat3_tvec(a, env->kin[d->body[b] + 1].A, z);
    mat3_vec(z, d->Iinv[b], a);
    sum += 1/d->mass[b] + vec3_dot(a, z);
  }
  return 1/sum;
}

/* the two points of the stick spring to x, slip so far into xi [ground axes] */
static void anchor(const contact *d, const tni_env *env, const place *w, const double xi[3],
                   double *m) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  mat3_tvec(m + M_A1, k1->A, w->arm[0]);
  mat3_tvec(m + M_A2, k2->A, w->arm[1]);
  mat3_tvec(m + M_N1, k1->A, w->n);
  mat3_tvec(m + M_N2, k2->A, w->n);
  mat3_tvec(m + M_XI, k2->A, xi);
}

static void begin_friction(const contact *d, const tni_env *env, const place *w, double *m) {
  static const double none[3] = {0, 0, 0};
  if (d->mu == 0) return;
  double speed = vec3_norm(w->ut);
  tni_impact_out law;
  tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
  m[M_GRIP] = speed > fmax(SLOW, yield_rate(d, m, w, &law)) ? SLIDE : STICK;
  m[M_TIME] = env->t;
  if (m[M_GRIP] == SLIDE) vec3_scale(m + M_DIRECTION, 1/speed, w->ut);
  else anchor(d, env, w, none, m);
}

static void switch_normal(const contact *d, const tni_env *env, const place *w, double *m) {
  if (!tni_impact_switch(&d->impact, w->p, w->rate, effective_mass(d, env, w), m)) return;
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  if (now == TNI_OPEN || now == TNI_APART) m[M_GRIP] = FREE;
  else if (m[M_GRIP] == FREE) begin_friction(d, env, w, m);
}

static void switch_friction(const contact *d, const tni_env *env, const place *w, double *m) {
  tni_impact_out law;
  tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
  double limit = grip_limit(d, &law), xi[3];
  if (m[M_GRIP] == STICK) {
    stretch(d, m, env, w, xi);
    double size = vec3_norm(xi);
    if (m[M_K]*size <= limit) return;
    m[M_GRIP] = SLIDE;
    vec3_scale(m + M_DIRECTION, 1/size, xi);
    m[M_TIME] = env->t;
  } else if (m[M_GRIP] == SLIDE &&
             vec3_dot(w->ut, m + M_DIRECTION) < yield_rate(d, m, w, &law)) {
    m[M_GRIP] = STICK;
    vec3_scale(xi, INSIDE*limit/m[M_K], m + M_DIRECTION);
    anchor(d, env, w, xi, m);
  }
}

static void contact_commit(const tni_force *force, const tni_env *env, bool at_event,
                           double *memory) {
  const contact *d = force->data;
  for (int i = 0; i < d->ntouch; i++) {
    double *m = memory + d->memory + i*NMEMORY, xi[3];
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN && !at_event) continue;
    place w;
    look(d, i, env, false, &w);
    if (at_event) {
      switch_friction(d, env, &w, m);
      switch_normal(d, env, &w, m);
    }
    if (m[M_GRIP] == STICK) {
      stretch(d, m, env, &w, xi);
      anchor(d, env, &w, xi, m);
    } else if (m[M_GRIP] == SLIDE) {
      tni_impact_out law;
      sliding o;
      tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
      slide(d, m, env, &w, &law, &o);
      if (o.size > DBL_MIN) vec3_scale(m + M_DIRECTION, 1/o.size, o.s);
      m[M_TIME] = env->t;
    }
  }
}

/* middle of the touches, weighted with their forces; without a force the closest one */
static void contact_where(const tni_force *force, const tni_env *env, double x[3]) {
  const contact *d = force->data;
  double sum = 0, deepest = -HUGE_VAL, mean[3] = {0};
  for (int i = 0; i < d->ntouch; i++) {
    const double *m = env->memory + d->memory + i*NMEMORY;
    place w;
    tni_impact_out law;
    look(d, i, env, false, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    if (w.p > deepest) {
      deepest = w.p;
      vec3_copy(x, w.x);
    }
    sum += fabs(law.N);
    vec3_addmul(mean, fabs(law.N), w.x);
  }
  if (sum > 0) vec3_scale(x, 1/sum, mean);
}

static void contact_overlap(const tni_force *force, const tni_env *env, double *depth, double *energy) {
  const contact *d = force->data;
  *depth = *energy = 0;
  for (int i = 0; i < d->ntouch; i++) {
    place w;
    look(d, i, env, false, &w);
    if (!(w.p > *depth)) continue;
    *depth = w.p;
    *energy = 0.5*tni_impact_stiffness(&d->impact, effective_mass(d, env, &w))*w.p*w.p;
  }
}

static double contact_rate(const tni_force *force, const double *memory, bool rests) {
  const contact *d = force->data;
  double most = 0;
  for (int i = 0; i < d->ntouch; i++)
    most = fmax(most, tni_impact_rate(&d->impact, memory + d->memory + i*NMEMORY, rests));
  return most;
}

static const tni_force_ops contact_ops = {"contact", contact_eval, contact_events, contact_commit,
                                          contact_rate};

/* ---- building ------------------------------------------------------------------------------ */

static const char *const words[] = {"plane", "sphere", "capsule", "box"};

/* centre and axes of a shape on its body, sizes */
static tn_status read_shape(tni_builder *b, const tni_item *item, int which, int body,
                            tni_shape *shape, double p[3], double R[9]) {
  char at[4] = {'a', 't', (char)('1' + which), 0}, key[16];
  const char *word = tni_item_text(item, which ? "shape2" : "shape1", which ? "plane" : "sphere");
  shape->kind = TNI_PLANE;
  for (int i = 0; i < TNI_COUNT(words); i++)
    if (strcmp(words[i], word) == 0) shape->kind = (tni_shape_kind)i;
  const tni_value *where = tni_item_get(item, at);
  int on = body;
  tni_kin k;
  tni_build_pose(b, body, &k);
  vec3_set(p, 0, 0, 0); /* the centre of mass */
  if (where) TN_TRY(tni_build_point(b, item, at, where, body, true, &on, p));
  if (on != body)
    return tni_item_fail(b->ctx, item, at, "%s = '%s' is not on body '%s'", at, where->text,
                         tni_body_name(b->model, body));
  double z[3] = {0, 0, 1}, x[3], y[3], R_G[9];
  snprintf(key, sizeof(key), "axis%d", which + 1);
  bool has_axis = tni_item_direction(item, key, z);
  mat3_identity(R);
  if (has_axis || shape->kind == TNI_PLANE) {
    if (shape->kind == TNI_BOX || shape->kind == TNI_SPHERE)
      return tni_item_fail(b->ctx, item, key, "%s: a %s has no axis; its own axes are those of the "
                           "body", key, word);
    if (!has_axis && b->model->planar) vec3_set(z, 0, 1, 0);
    vec3_perpendicular(x, z);
    vec3_cross(y, z, x);
    mat3_columns(R_G, x, y, z);
    mat3_tmul(R, k.A, R_G);
  }
  snprintf(key, sizeof(key), "radius%d", which + 1);
  bool round = shape->kind == TNI_SPHERE || shape->kind == TNI_CAPSULE;
  shape->radius = tni_item_number(item, key, 0);
  if (round != tni_item_has(item, key))
    return tni_item_fail(b->ctx, item, round ? NULL : key, round ? "shape%d is a %s: '%s' is missing"
                         : "shape%d is a %s: it has no '%s'", which + 1, word, key);
  snprintf(key, sizeof(key), "length%d", which + 1);
  if ((shape->kind == TNI_CAPSULE) != tni_item_has(item, key))
    return tni_item_fail(b->ctx, item, shape->kind == TNI_CAPSULE ? NULL : key,
                         shape->kind == TNI_CAPSULE ? "shape%d is a %s: '%s' is missing"
                         : "shape%d is a %s: it has no '%s'", which + 1, word, key);
  shape->half[2] = 0.5*tni_item_number(item, key, 0);
  snprintf(key, sizeof(key), "size%d", which + 1);
  const tni_value *size = tni_item_get(item, key);
  if ((shape->kind == TNI_BOX) != (size != NULL))
    return tni_item_fail(b->ctx, item, size ? key : NULL, size ? "shape%d is a %s: it has no '%s'"
                         : "shape%d is a %s: '%s' is missing", which + 1, word, key);
  for (int i = 0; size && i < 3; i++) {
    shape->half[i] = 0.5*size->item[i].number;
    if (!(shape->half[i] > 0))
      return tni_item_fail(b->ctx, item, key, "%s[%d] = %g, must be > 0", key, i,
                           size->item[i].number);
  }
  return TN_OK;
}

/* ---- pairs of shapes ----------------------------------------------------------------------- */

/* one shape on its body */
typedef struct {
  tni_shape shape;
  int body, slot;
  double mass, Iinv[9];
  double p[3], R[9];
} partner;

static const double ROUNDING = 0.05; /* of the shortest edge */

static double shortest(const tni_shape *box) {
  return 2*fmin(box->half[0], fmin(box->half[1], box->half[2]));
}

static tn_status make_core(tni_builder *b, const tni_item *item, const partner *o, tni_core *core) {
  const tni_shape *shape = &o->shape;
  memset(core, 0, sizeof(*core));
  vec3_copy(core->c, o->p);
  core->radius = shape->radius;
  if (shape->kind == TNI_CAPSULE) {
    core->n = 1;
    core->half[0] = shape->half[2];
    mat3_column(core->axis[0], o->R, 2);
    return TN_OK;
  }
  core->n = 3;
  core->radius = tni_item_number(item, "rounding", ROUNDING*shortest(shape));
  if (!(core->radius < 0.5*shortest(shape)))
    return tni_item_fail(b->ctx, item, "rounding", "rounding = %g, must be below half of the shortest "
                         "edge %g", core->radius, shortest(shape));
  for (int i = 0; i < 3; i++) {
    core->half[i] = shape->half[i] - core->radius;
    mat3_column(core->axis[i], o->R, i);
  }
  return TN_OK;
}

/* Which of two touches with its parts or spheres: spheres before all others, capsules before boxes,
 * small before large, so that the corners of the common face are corners of parts. */
static bool comes_first(const tni_shape *one, const tni_shape *two) {
  if (one->kind != two->kind) return one->kind < two->kind;
  if (one->kind == TNI_CAPSULE) return one->half[2] <= two->half[2];
  return one->half[0]*one->half[1]*one->half[2] <= two->half[0]*two->half[1]*two->half[2];
}

static tn_status begin_parts(tni_builder *b, const tni_item *item, const partner o[2], contact *d) {
  tni_kin k[2];
  tni_gap gap;
  for (int i = 0; i < 2; i++) {
    TN_TRY(make_core(b, item, &o[i], &d->core[i]));
    tni_build_pose(b, d->body[i], &k[i]);
  }
  const double *const A[2] = {k[0].A, k[1].A}, *const r[2] = {k[0].r, k[1].r};
  d->parts = true;
  d->radius = d->core[0].radius;
  d->rho = tni_core_rho(d->core);
  d->ntouch = 1 << d->core[0].n;
  for (int i = 0; i < d->ntouch; i++) {
    tni_gap_find(d->core, d->rho, i, A, r, &gap);
    if (tni_gap_closed(&gap))
      return tni_item_fail(b->ctx, item, NULL, "the shapes overlap at t = 0 by more than %g m; move "
                           "the bodies apart", d->core[0].radius + d->core[1].radius);
  }
  return TN_OK;
}

static void begin_spheres(const partner o[2], contact *d) {
  double centre[TNI_SHAPE_MAXPROBE][3];
  d->radius = o[0].shape.radius;
  d->shape = o[1].shape;
  vec3_copy(d->p, o[1].p);
  memcpy(d->R, o[1].R, sizeof(d->R));
  d->ntouch = tni_shape_probes(&o[0].shape, centre);
  for (int i = 0; i < d->ntouch; i++) {
    mat3_vec(d->probe[i], o[0].R, centre[i]);
    vec3_add(d->probe[i], d->probe[i], o[0].p);
  }
}

static tn_status read_partner(tni_builder *b, const tni_item *item, int which, tni_force *force,
                              partner *o) {
  const tni_value *bodies = tni_item_get(item, "bodies");
  TN_TRY(tni_build_body(b, item, "bodies", bodies->item[which].text, &o->body));
  TN_TRY(tni_force_add_body(b, item, force, o->body, &o->slot));
  if (o->body != TNI_GROUND) {
    o->mass = b->model->body[o->body].mass;
    memcpy(o->Iinv, b->model->body[o->body].Iinv, sizeof(o->Iinv));
  }
  return read_shape(b, item, which, o->body, &o->shape, o->p, o->R);
}

static tn_status read_pair(tni_builder *b, const tni_item *item, tni_force *force, contact *d) {
  partner o[2] = {{.body = TNI_GROUND}, {.body = TNI_GROUND}};
  for (int i = 0; i < 2; i++) TN_TRY(read_partner(b, item, i, force, &o[i]));
  if (o[0].body == o[1].body)
    return tni_item_fail(b->ctx, item, "bodies", "connects '%s' with itself",
                         tni_body_name(b->model, o[0].body));
  if (o[1].shape.kind != TNI_PLANE && !comes_first(&o[0].shape, &o[1].shape)) {
    partner keep = o[0];
    o[0] = o[1];
    o[1] = keep;
  }
  for (int i = 0; i < 2; i++) {
    d->body[i] = o[i].body;
    d->slot[i] = o[i].slot;
    d->mass[i] = o[i].mass;
    memcpy(d->Iinv[i], o[i].Iinv, sizeof(d->Iinv[i]));
  }
  if (o[0].shape.kind != TNI_SPHERE && o[1].shape.kind != TNI_PLANE)
    return begin_parts(b, item, o, d);
  if (tni_item_has(item, "rounding"))
    return tni_item_fail(b->ctx, item, "rounding", "rounding: only boxes that meet a capsule or a box "
                         "have round edges");
  begin_spheres(o, d);
  return TN_OK;
}

static tn_status contact_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &contact_ops, .where = contact_where, .overlap = contact_overlap};
  contact *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(read_pair(b, item, &force, d));
  TN_TRY(tni_impact_build(b, item, &d->impact));
  d->mu = tni_item_number(item, "friction", 0);
  for (int k = 0; k < NMEMORY*d->ntouch; k++) {
    int slot;
    TN_TRY(tni_build_memory(b, 0, &slot));
    if (k == 0) d->memory = slot;
  }
  force.nevent = EVENTS*d->ntouch;
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key contact_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES, .flags = TNI_REQUIRED,
     .doc = "The two bodies; one of them may be ground."},
    {.name = "shape1", .kind = TNI_KIND_CHOICE, .choices = "sphere|capsule|box",
     .initial = "sphere", .doc = "Shape on the first body. A plane is met by the two ends of a capsule "
     "and the eight corners of a box."},
    {.name = "shape2", .kind = TNI_KIND_CHOICE, .choices = "plane|sphere|capsule|box",
     .initial = "plane", .doc = "Shape on the second body. Capsules and boxes meet each other by their "
     "closest points, one for each end of the shorter capsule or corner of the smaller box."},
    {.name = "at1", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Centre of shape 1: coordinates in the frame of its body, or a named point."},
    {.name = "at2", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Centre of shape 2, or a point of the plane."},
    {.name = "axis1", .kind = TNI_KIND_DIRECTION, .initial = "z of the body",
     .doc = "Axis of a capsule: direction at t = 0."},
    {.name = "axis2", .kind = TNI_KIND_DIRECTION, .initial = "z (planar models: y)",
     .doc = "Axis of a capsule, or normal of a plane towards the first body: direction at t = 0."},
    {.name = "radius1", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Of a sphere or capsule."},
    {.name = "radius2", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Of a sphere or capsule."},
    {.name = "length1", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Distance of the centres of the round ends of a capsule."},
    {.name = "length2", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Distance of the centres of the round ends of a capsule."},
    {.name = "size1", .kind = TNI_KIND_VEC3, .unit = "m",
     .doc = "Edge lengths of a box along the axes of its body."},
    {.name = "size2", .kind = TNI_KIND_VEC3, .unit = "m",
     .doc = "Edge lengths of a box along the axes of its body."},
    {.name = "rounding", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .initial = "1/20 of the shortest edge", .doc = "Radius of the edges of a box that meets a capsule "
     "or a box. They may be pressed in as deep as both radii together."},
    {.name = "friction", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .initial = "0",
     .doc = "Coefficient of Coulomb friction, sticking and sliding."},
    TNI_IMPACT_KEYS("N/m"),
};

const tni_force_type tni_force_contact = {
    {"contact",
     "Impact and contact of two shapes by a spring that returns the chosen part of the energy, with "
     "Coulomb friction.",
     contact_keys, TNI_COUNT(contact_keys)},
    contact_build};
