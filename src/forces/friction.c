/* forces/friction.c - sticking and sliding; see friction.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/friction.h"

#include <float.h>

/* shift of the switching function of sliding [m/s] */
static const double SHIFT_V = 1e-9;
/* a contact that begins slower than this [m/s] sticks */
static const double SLOW = 1e-7;
static const double STICK_DAMPING = 0.2; /* ratio */
/* a slider that stops starts to stick just inside its limit */
static const double INSIDE = 1 - 1e-6;

/* L */
static double grip_limit(const tni_contact *d, const tni_impact_out *law) {
  return d->mu*fmax(law->elastic, 0);
}

/* L'/k: how fast the largest stretch of the spring grows */
static double yield_rate(const tni_contact *d, const double *m, const tni_touch *w, const tni_impact_out *law) {
  return d->mu*law->elastic_p*w->rate/m[TNI_IMPACT_K];
}

/* what the slip depends on: places of the two points, normals there, a common tangent, slip before, all with the bodies;
 * place of contact and normal. Ground axes. As values or as their changes. */
typedef struct {
  double P[2][3], nb[2][3], e[2][3], xi[3], x[3], n[3];
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

/* The way of body 1, turned back by half the twist f of e[0] against e[1] about n, and lengthened from the chord
 * of an arc of the angle f to the arc: (f/2)/sin(f/2) (cos(f/2) way - sin(f/2) n x way). */
static void untwist(const slip_data *D, const slip_data *dD, double way[3], double *way1) {
  double e[2][3], e1[2][3] = {{0}}, z[3], cross[3], z1[3];
  for (int b = 0; b < 2; b++)
    carry(D->e[b], D->nb[b], D->n, dD ? dD->e[b] : NULL, dD ? dD->nb[b] : NULL, dD ? dD->n : NULL, e[b],
          dD ? e1[b] : NULL);
  vec3_cross(z, e[1], e[0]);
  double sine = vec3_dot(D->n, z), cosine = vec3_dot(e[0], e[1]), half = 0.5*atan2(sine, cosine);
  bool small = fabs(half) < 1e-2;
  double h2 = half*half, length = small ? 1 + h2*(1./6 + h2*(7./360 + h2*31./15120)) : half/sin(half);
  double c = length*cos(half), s = length*sin(half);
  vec3_cross(cross, D->n, way);
  if (way1) {
    vec3_cross(z1, e1[1], e[0]);
    double sine1 = vec3_dot(dD->n, z) + vec3_dot(D->n, z1);
    vec3_cross(z1, e[1], e1[0]);
    sine1 += vec3_dot(D->n, z1);
    double cosine1 = vec3_dot(e1[0], e[1]) + vec3_dot(e[0], e1[1]);
    double half1 = 0.5*(cosine*sine1 - sine*cosine1)/(cosine*cosine + sine*sine);
    double slope = small ? half*(1./3 + h2*(7./90 + h2*31./2520)) : (1 - half/tan(half))/sin(half);
    vec3_cross(z1, dD->n, way);
    vec3_cross(z, D->n, way1);
    for (int i = 0; i < 3; i++)
      way1[i] = c*way1[i] - s*(z1[i] + z[i]) - half1*(s*way[i] + c*cross[i]) +
                half1*slope/length*(c*way[i] - s*cross[i]);
  }
  for (int i = 0; i < 3; i++) way[i] = c*way[i] - s*cross[i];
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
    if (b == 0) untwist(D, dD, way, dD ? way1 : NULL);
    vec3_addmul(xi, b ? -1 : 1, way);
    if (dD) vec3_addmul(dxi, b ? -1 : 1, way1);
  }
}

static void collect(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                    slip_data *D) {
  static const int arm[2] = {TNI_TOUCH_A1, TNI_TOUCH_A2}, normal[2] = {TNI_TOUCH_N1, TNI_TOUCH_N2};
  double e[3];
  for (int b = 0; b < 2; b++) {
    const tni_kin *k = &env->kin[d->body[b] + 1];
    mat3_vec(D->P[b], k->A, m + arm[b]);
    vec3_add(D->P[b], D->P[b], k->r);
    mat3_vec(D->nb[b], k->A, m + normal[b]);
    if (b) vec3_perpendicular(e, m + TNI_TOUCH_N2);
    mat3_vec(D->e[b], k->A, b ? e : m + TNI_TOUCH_E1);
    if (b) mat3_vec(D->xi, k->A, m + TNI_TOUCH_XI);
  }
  vec3_copy(D->x, w->x);
  vec3_copy(D->n, w->n);
}

/* How the place of contact moves over body 2: its normal by turn, itself by leave along the normal. */
static void rates_on_second(const tni_contact *d, const tni_env *env, const tni_touch *w, double turn[3],
                            double *leave) {
  double xd[3], v[3];
  tni_touch_rates(d, env, w, xd, turn);
  vec3_cross(v, env->kin[d->body[1] + 1].W, w->n);
  vec3_sub(turn, turn, v);
  tni_touch_velocity(d, env, 1, w->x, v);
  vec3_sub(xd, xd, v);
  *leave = vec3_dot(w->n, xd);
}

/* What the slip of a step lacks. The place of contact lies at the depth p below the surface of body 2:
 * its way there is the integral of r dn with a radius r that changes with p. Chord and normals at both ends
 * give (r0 + r1)/2 times the turn; with the rates at both ends the error is one of fifth order, not of third.
 * Tangents leave it out: their error is of second order in the step. */
static void missing_slip(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                         const slip_data *D, double out[3]) {
  const tni_kin *k2 = &env->kin[d->body[1] + 1];
  double h = fmax(env->t - m[TNI_TOUCH_TIME], 0), turn0[3], turn1[3], angle[3], chord[3], middle[3], leave;
  mat3_vec(turn0, k2->A, m + TNI_TOUCH_TURN);
  rates_on_second(d, env, w, turn1, &leave);
  vec3_sub(angle, w->n, D->nb[1]);
  vec3_sub(chord, D->x, D->P[1]);
  vec3_add(middle, w->n, D->nb[1]);
  double away = vec3_dot(middle, chord)/vec3_norm(middle);
  for (int i = 0; i < 3; i++)
    out[i] = h/12*(away*(turn1[i] - turn0[i]) + angle[i]*(m[TNI_TOUCH_LEAVE] - leave));
  drop_normal(w->n, NULL, out, NULL);
}

/* stretch of the stick spring, ground axes; power that goes into it, k xi.xi', unless NULL */
static void stretch(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w, double xi[3],
                    double *power) {
  slip_data D, dD;
  double lack[3], xid[3], h = env->t - m[TNI_TOUCH_TIME];
  collect(d, m, env, w, &D);
  missing_slip(d, m, env, w, &D, lack);
  for (int b = 0; b < 2 && power; b++) {
    const double *W = env->kin[d->body[b] + 1].W;
    tni_touch_velocity(d, env, b, D.P[b], dD.P[b]);
    vec3_cross(dD.nb[b], W, D.nb[b]);
    vec3_cross(dD.e[b], W, D.e[b]);
    if (b) vec3_cross(dD.xi, W, D.xi);
  }
  if (power) tni_touch_rates(d, env, w, dD.x, dD.n);
  slip(&D, power ? &dD : NULL, xi, power ? xid : NULL);
  vec3_add(xi, xi, lack);
  if (power && h > 0) vec3_addmul(xid, 3/h, lack); /* it grows with the third power of time */
  if (power) *power = m[TNI_IMPACT_K]*vec3_dot(xi, xid);
}

static double stick_damper(const double *m) { return 2*STICK_DAMPING*sqrt(m[TNI_IMPACT_K]*m[TNI_IMPACT_MASS]); }

static void stick_force(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                        double T[3], double *stored, double *heat) {
  double xi[3], power, c = stick_damper(m);
  stretch(d, m, env, w, xi, &power);
  for (int i = 0; i < 3; i++) T[i] = -m[TNI_IMPACT_K]*xi[i] - c*w->ut[i];
  *stored = 0.5*m[TNI_IMPACT_K]*vec3_dot(xi, xi);
  /* of the damper; the ways along the surfaces are those of u_t but for terms of the third order */
  *heat = -vec3_dot(T, w->ut) - power;
}

/* a sliding contact: s with its length, and what it is made of */
typedef struct {
  double L, y, dir[3], slip[3]; /* limit, d in the tangent plane, u_t - y d  */
  double tau, s[3], size;
} sliding;

static void slide(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                  const tni_impact_out *law, sliding *o) {
  o->L = grip_limit(d, law);
  o->tau = fmax(env->t - m[TNI_TOUCH_TIME], 0); /* who looks back into the last step sees its end */
  vec3_copy(o->dir, m + TNI_TOUCH_DIRECTION);
  drop_normal(w->n, NULL, o->dir, NULL);
  vec3_copy(o->slip, w->ut);
  o->y = fmin(yield_rate(d, m, w, law), 0);
  vec3_addmul(o->slip, -o->y, o->dir);
  vec3_scale(o->s, o->L, o->dir);
  vec3_addmul(o->s, m[TNI_IMPACT_K]*o->tau, o->slip);
  o->size = fmax(vec3_norm(o->s), DBL_MIN);
}

void tni_friction_force(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                           const tni_impact_out *law, double T[3], double *stored, double *heat) {
  vec3_set(T, 0, 0, 0);
  *stored = *heat = 0;
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) {
    stick_force(d, m, env, w, T, stored, heat);
  } else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE) {
    sliding o;
    slide(d, m, env, w, law, &o);
    vec3_scale(T, -o.L/o.size, o.s);
    *stored = 0.5*o.L*o.L/m[TNI_IMPACT_K];
    *heat = -vec3_dot(T, w->u) - o.L*yield_rate(d, m, w, law);
  }
}

/* ---- derivatives --------------------------------------------------------------------------- */

/* what the slip depends on, for one component of delta */
static void vary_slip(const tni_contact *d, const double *m, const tni_env *env, int column,
                      const tni_change *c, slip_data *o) {
  int b = column/6;
  const tni_kin *k = &env->kin[d->body[b] + 1];
  double e[3] = {0}, g[3], z[3];
  memset(o, 0, sizeof(*o));
  e[column%3] = 1;
  vec3_copy(o->x, c->x);
  vec3_copy(o->n, c->n);
  if (column%6 < 3) {
    vec3_copy(o->P[b], e);
    return;
  }
  mat3_vec(g, k->A, e);
  mat3_vec(z, k->A, b ? m + TNI_TOUCH_A2 : m + TNI_TOUCH_A1);
  vec3_cross(o->P[b], g, z);
  mat3_vec(z, k->A, b ? m + TNI_TOUCH_N2 : m + TNI_TOUCH_N1);
  vec3_cross(o->nb[b], g, z);
  if (b) vec3_perpendicular(e, m + TNI_TOUCH_N2);
  mat3_vec(z, k->A, b ? e : m + TNI_TOUCH_E1);
  vec3_cross(o->e[b], g, z);
  if (b == 0) return;
  mat3_vec(z, k->A, m + TNI_TOUCH_XI);
  vec3_cross(o->xi, g, z);
}

void tni_friction_vary(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                       const tni_impact_out *law, int column, int level, const tni_change *c, double rate,
                       const double ut[3], double dT[3]) {
  vec3_set(dT, 0, 0, 0);
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) {
    slip_data D, dD = {0};
    double xi[3], dxi[3], cd = stick_damper(m);
    if (level == 0) vary_slip(d, m, env, column, c, &dD);
    collect(d, m, env, w, &D);
    slip(&D, &dD, xi, dxi);
    for (int i = 0; i < 3; i++) dT[i] = -m[TNI_IMPACT_K]*dxi[i] - cd*ut[i];
  } else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE) {
    sliding o;
    double dir[3] = {0}, lean[3], ds[3], k = m[TNI_IMPACT_K];
    slide(d, m, env, w, law, &o);
    double dL = o.L > 0 ? d->mu*law->elastic_p*c->p : 0, dy = o.y < 0 ? d->mu*law->elastic_p*rate/k : 0;
    vec3_copy(lean, m + TNI_TOUCH_DIRECTION);
    drop_normal(w->n, c->n, lean, dir);
    for (int i = 0; i < 3; i++)
      ds[i] = dL*o.dir[i] + o.L*dir[i] +
              k*o.tau*(ut[i] - dy*o.dir[i] - o.y*dir[i]);
    double turn = vec3_dot(o.s, ds)/(o.size*o.size);
    for (int i = 0; o.L > 0 && i < 3; i++) dT[i] = -(dL*o.s[i] + o.L*(ds[i] - turn*o.s[i]))/o.size;
  }
}

bool tni_friction_drift(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                        const tni_impact_out *law, double F[3]) {
  sliding o;
  if (m[TNI_TOUCH_GRIP] != TNI_GRIP_SLIDE) return false;
  slide(d, m, env, w, law, &o);
  if (o.L <= 0 || env->t < m[TNI_TOUCH_TIME]) return false;
  double turn = m[TNI_IMPACT_K]*vec3_dot(o.s, o.slip)/(o.size*o.size);
  for (int i = 0; i < 3; i++) F[i] = -o.L/o.size*(m[TNI_IMPACT_K]*o.slip[i] - turn*o.s[i]);
  return true;
}

/* ---- switches ------------------------------------------------------------------------------ */

/* d.u_t - L'/k, with d turned along with the tangent plane since the end of the last step */
static double sliding_speed(const tni_contact *d, const double *m, const tni_touch *w, const tni_impact_out *law) {
  double dir[3];
  vec3_copy(dir, m + TNI_TOUCH_DIRECTION);
  drop_normal(w->n, NULL, dir, NULL);
  return vec3_dot(w->ut, dir)/fmax(vec3_norm(dir), DBL_MIN) - yield_rate(d, m, w, law);
}

void tni_friction_events(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                         const tni_impact_out *law, double *slips, double *halts) {
  *slips = *halts = 1;
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) {
    double xi[3];
    stretch(d, m, env, w, xi, NULL);
    *slips = grip_limit(d, law) - m[TNI_IMPACT_K]*vec3_norm(xi) + d->mu*m[TNI_IMPACT_K]*d->impact.shift;
  } else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE) {
    *halts = sliding_speed(d, m, w, law) + SHIFT_V;
  }
}

/* the two points of the stick spring to x, slip so far into xi [ground axes] */
static void anchor(const tni_contact *d, const tni_env *env, const tni_touch *w, const double xi[3],
                   double *m) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double e[3], z[3];
  rates_on_second(d, env, w, z, &m[TNI_TOUCH_LEAVE]);
  mat3_tvec(m + TNI_TOUCH_TURN, k2->A, z);
  m[TNI_TOUCH_TIME] = env->t;
  mat3_tvec(m + TNI_TOUCH_A1, k1->A, w->arm[0]);
  mat3_tvec(m + TNI_TOUCH_A2, k2->A, w->arm[1]);
  mat3_tvec(m + TNI_TOUCH_N1, k1->A, w->n);
  mat3_tvec(m + TNI_TOUCH_N2, k2->A, w->n);
  mat3_tvec(m + TNI_TOUCH_XI, k2->A, xi);
  vec3_perpendicular(e, m + TNI_TOUCH_N2);
  mat3_vec(z, k2->A, e);
  mat3_tvec(m + TNI_TOUCH_E1, k1->A, z);
}

void tni_friction_begin(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m) {
  static const double none[3] = {0, 0, 0};
  if (d->mu == 0) return;
  double speed = vec3_norm(w->ut);
  tni_impact_out law;
  tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
  m[TNI_TOUCH_GRIP] = speed > fmax(SLOW, yield_rate(d, m, w, &law)) ? TNI_GRIP_SLIDE : TNI_GRIP_STICK;
  m[TNI_TOUCH_TIME] = env->t;
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE) vec3_scale(m + TNI_TOUCH_DIRECTION, 1/speed, w->ut);
  else anchor(d, env, w, none, m);
}

void tni_friction_switch(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m) {
  tni_impact_out law;
  tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
  double limit = grip_limit(d, &law), xi[3];
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) {
    stretch(d, m, env, w, xi, NULL);
    double size = vec3_norm(xi);
    if (m[TNI_IMPACT_K]*size <= limit) return;
    m[TNI_TOUCH_GRIP] = TNI_GRIP_SLIDE;
    vec3_scale(m + TNI_TOUCH_DIRECTION, 1/size, xi);
    m[TNI_TOUCH_TIME] = env->t;
  } else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE && sliding_speed(d, m, w, &law) < 0) {
    sliding o;
    slide(d, m, env, w, &law, &o);
    m[TNI_TOUCH_GRIP] = TNI_GRIP_STICK;
    vec3_scale(xi, INSIDE*limit/m[TNI_IMPACT_K]/o.size, o.s); /* the force goes on as it is */
    anchor(d, env, w, xi, m);
  }
}

void tni_friction_carry_on(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m) {
  double xi[3];
  if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) {
    stretch(d, m, env, w, xi, NULL);
    anchor(d, env, w, xi, m);
  } else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_SLIDE) {
    tni_impact_out law;
    sliding o;
    tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
    slide(d, m, env, w, &law, &o);
    if (o.size > DBL_MIN) vec3_scale(m + TNI_TOUCH_DIRECTION, 1/o.size, o.s);
    m[TNI_TOUCH_TIME] = env->t;
  }
}
