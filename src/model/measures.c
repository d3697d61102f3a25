/* model/measures.c - expressions of t and measured quantities
 *
 * An expression sees its measures as variables: variable 0 is t, variable k+1 measure k. Its
 * gradient along the bodies follows from the chain rule with the exact partial derivatives of the
 * expression and those of the measures:
 *
 *   value of s        d/d delta = J           d/dv = 0
 *   rate  of s        d/d delta = v^T B       d/dv = J
 *   omega = e.(A w)   d/d delta = -e^T A ~w   d/dv = e^T A         (angular part)
 *   speed = |u|,  u = rdot + A (w x s):
 *                     d/d delta = -n^T A ~(w x s),  d/dv = (n^T, -n^T A ~s),   n = u/|u|
 *
 * Theory notes, sections "Scalar functions" and "Measured quantities".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/measures.h"

#include <stdio.h>

/* ---- building ----------------------------------------------------------------------------- */

typedef struct {
  tni_builder *b;
  bool measures;     /* false: only t, parameters and `name`                       */
  const char *const *name;
  int nname;
  const tni_local *local;
  int nlocal;
  int n;             /* measures met so far                                        */
  tni_measure measure[TNI_MAXMEASURE];
  const char *key[TNI_MAXMEASURE]; /* "angle(pin)": the same text shares one slot  */
  bool no_memory;
} scope;

tni_measure tni_measure_value(const tni_scalar *s) {
  tni_measure m;
  memset(&m, 0, sizeof(m));
  m.kind = TNI_MEASURE_SCALAR;
  m.scalar = *s;
  m.body = TNI_GROUND;
  return m;
}

tni_measure tni_measure_rate(const tni_scalar *s) {
  tni_measure m = tni_measure_value(s);
  m.kind = TNI_MEASURE_RATE;
  return m;
}

static int find_joint(const tn_model *model, const char *name) {
  for (int j = 0; j < model->njoint; j++)
    if (strcmp(model->joint[j].name, name) == 0) return j;
  return -1;
}

/* the joint with the nearest name, for a message */
static void joint_unknown(const tn_model *model, const char *name, char *why, size_t nwhy) {
  const char *one;
  int best = -1;
  for (int j = 0; j < model->njoint && best < 0; j++) {
    one = model->joint[j].name;
    if (tni_nearest(name, &one, 1) == 0) best = j;
  }
  if (best >= 0)
    snprintf(why, nwhy, "no joint %s; did you mean '%.40s'?", tni_show(name).s,
             model->joint[best].name);
  else
    snprintf(why, nwhy, "no joint %s", tni_show(name).s);
}

/* coordinate of a joint by name; NULL name: the first one */
static bool joint_coordinate(scope *sc, const char *joint, const char *name, tni_scalar *out,
                             char *why, size_t nwhy) {
  const tn_model *model = sc->b->model;
  int j = find_joint(model, joint);
  if (j < 0) {
    joint_unknown(model, joint, why, nwhy);
    return false;
  }
  const tni_joint *jt = &model->joint[j];
  for (int k = 0; k < jt->ncoord; k++) {
    if (!name || strcmp(jt->coord[k].name, name) == 0) {
      *out = jt->coord[k].scalar;
      return true;
    }
  }
  int n = snprintf(why, nwhy, "%s joint '%.40s' has no coordinate%s%s", jt->type, jt->name,
                   name ? " " : "", name ? tni_show(name).s : "");
  for (int k = 0; k < jt->ncoord && n > 0 && (size_t)n < nwhy; k++)
    n += snprintf(why + n, nwhy - (size_t)n, "%s%s", k ? ", " : "; it has ", jt->coord[k].name);
  return false;
}

/* ---- the measures by name ------------------------------------------------------------------ */

typedef struct known known;
typedef bool make_fn(scope *sc, const known *k, int nargs, const char *const *args,
                     tni_measure *out, char *why, size_t nwhy);
struct known {
  const char *name, *usage, *doc;
  int low, high; /* number of arguments */
  int which;     /* axis or flag        */
  make_fn *make;
};

enum { FLAG_RATE = 8 }; /* in known.which, beside an axis */

static bool make_coordinate(scope *sc, const known *k, int nargs, const char *const *args,
                            tni_measure *out, char *why, size_t nwhy) {
  tni_scalar s;
  const char *name = nargs > 1 ? args[1] : NULL;
  if (!(k->which & FLAG_RATE) && nargs == 1) name = k->name; /* angle(j), displacement(j) */
  if (!joint_coordinate(sc, args[0], name, &s, why, nwhy)) return false;
  *out = k->which & FLAG_RATE ? tni_measure_rate(&s) : tni_measure_value(&s);
  return true;
}

static bool make_distance(scope *sc, const known *k, int nargs, const char *const *args,
                          tni_measure *out, char *why, size_t nwhy) {
  int body[2];
  double s[2][3];
  (void)nargs;
  for (int i = 0; i < 2; i++)
    if (tni_build_point_name(sc->b, args[i], &body[i], s[i], why, nwhy) != TN_OK) return false;
  if (body[0] == body[1]) {
    snprintf(why, nwhy, "%s and %s are both on %s: their distance never changes",
             tni_show(args[0]).s, tni_show(args[1]).s, tni_body_name(sc->b->model, body[0]));
    return false;
  }
  tni_scalar d = tni_scalar_length(body[0], body[1], tni_vecq_separation(s[0], s[1]), 0);
  *out = k->which & FLAG_RATE ? tni_measure_rate(&d) : tni_measure_value(&d);
  return true;
}

/* component of a point, or of a point relative to another */
static bool make_component(scope *sc, const known *k, int nargs, const char *const *args,
                           tni_measure *out, char *why, size_t nwhy) {
  int body[2] = {TNI_GROUND, TNI_GROUND};
  double s[2][3] = {{0}, {0}}, e[3] = {0, 0, 0};
  e[k->which & 3] = 1;
  if (tni_build_point_name(sc->b, args[0], &body[1], s[1], why, nwhy) != TN_OK) return false;
  if (nargs > 1 && tni_build_point_name(sc->b, args[1], &body[0], s[0], why, nwhy) != TN_OK)
    return false;
  tni_scalar c = tni_scalar_dot(body[0], body[1], tni_vecq_constant(e),
                                tni_vecq_separation(s[0], s[1]), 0);
  *out = k->which & FLAG_RATE ? tni_measure_rate(&c) : tni_measure_value(&c);
  return true;
}

static bool make_speed(scope *sc, const known *k, int nargs, const char *const *args,
                       tni_measure *out, char *why, size_t nwhy) {
  (void)k, (void)nargs;
  memset(out, 0, sizeof(*out));
  out->kind = TNI_MEASURE_SPEED;
  return tni_build_point_name(sc->b, args[0], &out->body, out->axis, why, nwhy) == TN_OK;
}

static bool make_omega(scope *sc, const known *k, int nargs, const char *const *args,
                       tni_measure *out, char *why, size_t nwhy) {
  double s[3];
  (void)nargs;
  memset(out, 0, sizeof(*out));
  out->kind = TNI_MEASURE_OMEGA;
  out->axis[k->which & 3] = 1;
  /* a point of the body names it as well */
  return tni_build_point_name(sc->b, args[0], &out->body, s, why, nwhy) == TN_OK;
}

static const known known_measure[] = {
    {"angle", "angle(joint)",
     "Angle of a joint, counted through full turns.", 1, 1, 0, make_coordinate},
    {"displacement", "displacement(joint)", "Displacement of a joint.", 1, 1, 0, make_coordinate},
    {"coordinate", "coordinate(joint, name)",
     "A coordinate of a joint by its name.", 2, 2, 0, make_coordinate},
    {"rate", "rate(joint) or rate(joint, name)",
     "Time derivative of the first coordinate of a joint, or of the named one.", 1, 2, FLAG_RATE,
     make_coordinate},
    {"distance", "distance(point, point)", "Distance of two points.", 2, 2, 0, make_distance},
    {"distance_rate", "distance_rate(point, point)",
     "Its time derivative.", 2, 2, FLAG_RATE, make_distance},
    {"x", "x(point) or x(point, relative_to)",
     "Ground component of a position.", 1, 2, 0, make_component},
    {"y", "y(point) or y(point, relative_to)",
     "Ground component of a position.", 1, 2, 1, make_component},
    {"z", "z(point) or z(point, relative_to)",
     "Ground component of a position.", 1, 2, 2, make_component},
    {"vx", "vx(point) or vx(point, relative_to)",
     "Ground component of a velocity.", 1, 2, FLAG_RATE | 0, make_component},
    {"vy", "vy(point) or vy(point, relative_to)",
     "Ground component of a velocity.", 1, 2, FLAG_RATE | 1, make_component},
    {"vz", "vz(point) or vz(point, relative_to)",
     "Ground component of a velocity.", 1, 2, FLAG_RATE | 2, make_component},
    {"speed", "speed(point)", "Length of the velocity of a point.", 1, 1, 0, make_speed},
    {"wx", "wx(body)", "Ground component of the angular velocity of a body.", 1, 1, 0, make_omega},
    {"wy", "wy(body)", "Ground component of the angular velocity of a body.", 1, 1, 1, make_omega},
    {"wz", "wz(body)", "Ground component of the angular velocity of a body.", 1, 1, 2, make_omega},
};

bool tni_measure_describe(int i, const char **usage, const char **doc) {
  if (i < 0 || i >= TNI_COUNT(known_measure)) return false;
  *usage = known_measure[i].usage;
  *doc = known_measure[i].doc;
  return true;
}

static const known *find_known(const char *name) {
  for (int i = 0; i < TNI_COUNT(known_measure); i++)
    if (strcmp(known_measure[i].name, name) == 0) return &known_measure[i];
  return NULL;
}

/* ---- names of an expression ---------------------------------------------------------------- */

/* slot of the measure with this text, made if new */
static bool add_measure(scope *sc, const char *key, const tni_measure *m, tni_symbol *out,
                        char *why, size_t nwhy) {
  if (sc->n == TNI_MAXMEASURE) {
    snprintf(why, nwhy, "one expression may use at most %d measured quantities", TNI_MAXMEASURE);
    return false;
  }
  const char *copy = tni_arena_strdup(sc->b->arena, key);
  if (!copy) {
    sc->no_memory = true;
    return false;
  }
  sc->measure[sc->n] = *m;
  sc->key[sc->n++] = copy;
  out->variable = sc->n;
  return true;
}

static bool find_slot(const scope *sc, const char *key, tni_symbol *out) {
  for (int i = 0; i < sc->n; i++) {
    if (strcmp(sc->key[i], key) == 0) {
      out->variable = i + 1;
      return true;
    }
  }
  return false;
}

static bool resolve_call(scope *sc, const char *name, int nargs, const char *const *args,
                         tni_symbol *out, char *why, size_t nwhy) {
  const known *k = find_known(name);
  if (!k) {
    const char *names[TNI_COUNT(known_measure)];
    for (int i = 0; i < TNI_COUNT(known_measure); i++) names[i] = known_measure[i].name;
    int near = tni_nearest(name, names, TNI_COUNT(known_measure));
    if (near >= 0) snprintf(why, nwhy, "unknown function; did you mean '%s'?", names[near]);
    return false;
  }
  if (!sc->measures) {
    snprintf(why, nwhy, "measured quantities are not allowed here, only t and parameters");
    return false;
  }
  if (nargs < k->low || nargs > k->high) {
    snprintf(why, nwhy, "takes %s%d argument%s, got %d; write %s", k->low < k->high ? "1 or " : "",
             k->high, k->high > 1 ? "s" : "", nargs, k->usage);
    return false;
  }
  char key[400];
  snprintf(key, sizeof(key), "%s(%.150s,%.150s)", name, args[0], nargs > 1 ? args[1] : "");
  if (find_slot(sc, key, out)) return true;
  tni_measure m;
  if (!k->make(sc, k, nargs, args, &m, why, nwhy)) return false;
  return add_measure(sc, key, &m, out, why, nwhy);
}

static bool resolve_name(scope *sc, const char *name, tni_symbol *out, char *why, size_t nwhy) {
  for (int i = 0; i < sc->nname; i++) {
    if (strcmp(sc->name[i], name) == 0) {
      out->variable = i;
      return true;
    }
  }
  for (int i = 0; i < sc->nlocal; i++) {
    if (strcmp(sc->local[i].name, name) == 0)
      return find_slot(sc, name, out) ||
             add_measure(sc, name, &sc->local[i].measure, out, why, nwhy);
  }
  const tni_param *p = tni_spec_param(sc->b->spec, name);
  if (p) {
    out->is_constant = true;
    out->value = p->value;
    return true;
  }
  const known *k = find_known(name);
  if (k && sc->measures) {
    snprintf(why, nwhy, "needs arguments; write %s", k->usage);
    return false;
  }
  /* the nearest of all names that would have been right; one by one, as they live apart */
  const char *near = NULL, *one;
  for (int i = 0; i < sc->nlocal && !near; i++)
    if (tni_nearest(name, &sc->local[i].name, 1) == 0) near = sc->local[i].name;
  for (int i = 0; i < sc->b->spec->nparam && !near; i++) {
    one = sc->b->spec->param[i].name;
    if (tni_nearest(name, &one, 1) == 0) near = one;
  }
  if (near) {
    snprintf(why, nwhy, "unknown name; did you mean '%.60s'?", near);
    return false;
  }
  size_t used = (size_t)snprintf(why, nwhy, "unknown name; known:");
  for (int i = 0; i < sc->nname && used < nwhy; i++)
    used += (size_t)snprintf(why + used, nwhy - used, " %s,", sc->name[i]);
  for (int i = 0; i < sc->nlocal && used < nwhy; i++)
    used += (size_t)snprintf(why + used, nwhy - used, " %s,", sc->local[i].name);
  if (used < nwhy) snprintf(why + used, nwhy - used, " parameters");
  return false;
}

static bool resolve(void *user, const char *name, int nargs, const char *const *args,
                    tni_symbol *out, char *why, size_t nwhy) {
  scope *sc = user;
  return nargs < 0 ? resolve_name(sc, name, out, why, nwhy)
                   : resolve_call(sc, name, nargs, args, out, why, nwhy);
}

/* value -> expression; the message names item and key */
static tn_status parse(scope *sc, const tni_item *item, const char *key, const tni_value *value,
                       const tni_expr **out) {
  tn_ctx *ctx = sc->b->ctx;
  if (value->form == TNI_NUMBER) return tni_expr_constant(sc->b->arena, value->number, out);
  if (value->form != TNI_TEXT || !value->text)
    return tni_place_fail(ctx, value->at, item, "key '%s': must be %s", key,
                          tni_kind_text(TNI_KIND_EXPR));
  tni_scope ts = {sc, resolve};
  tni_expr_error err = {0, ""};
  tn_status st = tni_expr_parse(sc->b->arena, value->text, &ts, out, &err);
  if (sc->no_memory) return tni_out_of_memory(ctx);
  if (st == TN_ERR_INPUT)
    return tni_place_fail(ctx, value->at, item, "key '%s': %s, column %d: %s", key,
                          tni_show(value->text).s, err.column, err.text);
  return st;
}

/* what may jump or bend at times that can be known: see analyses/instants.h */
static tn_status add_timed(tni_builder *b, const tni_expr *f, int variable, const tni_measure *measure, int nmeasure) {
  tn_model *m = b->model;
  void *items = m->timed;
  if (nmeasure == 0 && !tni_expr_uses(f, variable)) return TN_OK;
  if (!tni_arena_grow(b->arena, &items, m->ntimed, &b->timed_cap, sizeof(*m->timed))) return tni_out_of_memory(b->ctx);
  m->timed = items;
  m->timed[m->ntimed++] = (struct tni_timed){.f = f, .variable = variable, .nmeasure = nmeasure, .measure = measure};
  return TN_OK;
}

tn_status tni_build_expr(tni_builder *b, const tni_item *item, const char *key,
                         const tni_value *value, const char *const *name, int nname,
                         const tni_expr **out) {
  scope sc = {.b = b, .name = name, .nname = nname};
  TN_TRY(parse(&sc, item, key, value, out));
  for (int i = 0; i < nname; i++)
    if (strcmp(name[i], "t") == 0) TN_TRY(add_timed(b, *out, i, NULL, 0));
  return TN_OK;
}

tn_status tni_build_passed(tni_builder *b, const tni_expr *f, tni_measure measure) {
  tni_measure *kept;
  if (!tni_expr_uses(f, 1)) return TN_OK;
  TNI_ARENA_NEW(b->arena, kept, 1);
  *kept = measure;
  return add_timed(b, f, 0, kept, 1);
}

tn_status tni_build_slope(tni_builder *b, const tni_item *item, const char *key, const tni_value *value, tni_timefn *out) {
  int ntimed = b->model->ntimed;
  TN_TRY(tni_build_timefn(b, item, key, value, out));
  b->model->ntimed = ntimed;
  return TN_OK;
}

tn_status tni_build_timefn(tni_builder *b, const tni_item *item, const char *key,
                           const tni_value *value, tni_timefn *out) {
  static const char *const name[] = {"t"};
  TN_TRY(tni_build_expr(b, item, key, value, name, 1, &out->f));
  TN_TRY(tni_expr_derivative(b->arena, out->f, 0, &out->f_t));
  return tni_expr_derivative(b->arena, out->f_t, 0, &out->f_tt);
}

/* measures and derivatives of out->f, bodies of the measures */
static tn_status close_function(tni_builder *b, const tni_measure *measure, int n,
                                tni_function *out) {
  TNI_ARENA_NEW(b->arena, out->measure, n);
  TNI_ARENA_NEW(b->arena, out->f_m, n);
  out->nmeasure = n;
  TN_TRY(tni_expr_derivative(b->arena, out->f, 0, &out->f_t));
  for (int k = 0; k < n; k++) {
    out->measure[k] = measure[k];
    TN_TRY(tni_expr_derivative(b->arena, out->f, k + 1, &out->f_m[k]));
    bool pair = measure[k].kind == TNI_MEASURE_SCALAR || measure[k].kind == TNI_MEASURE_RATE;
    for (int i = 0; i < (pair ? 2 : 1); i++) {
      int body = pair ? measure[k].scalar.body[i] : measure[k].body;
      if (tni_body_slot(body, &out->nbody, out->body) == -2) return TN_ERR_UNSUPPORTED;
    }
  }
  return TN_OK;
}

tn_status tni_build_function_local(tni_builder *b, const tni_item *item, const char *key,
                                   const tni_value *value, double fallback, const tni_local *local,
                                   int nlocal, tni_function *out) {
  static const char *const name[] = {"t"};
  scope sc = {.b = b, .measures = true, .name = name, .nname = 1, .local = local, .nlocal = nlocal};
  memset(out, 0, sizeof(*out));
  TN_TRY(value ? parse(&sc, item, key, value, &out->f)
               : tni_expr_constant(b->arena, fallback, &out->f));
  tn_status st = close_function(b, sc.measure, sc.n, out);
  if (st == TN_OK) TN_TRY(add_timed(b, out->f, 0, out->measure, out->nmeasure));
  if (st == TN_ERR_UNSUPPORTED)
    return tni_place_fail(b->ctx, value->at, item,
                          "key '%s': %s measures more than %d bodies, the limit of one expression",
                          key, tni_show(value->text).s, TNI_MAXBODY);
  return st;
}

tn_status tni_build_function(tni_builder *b, const tni_item *item, const char *key,
                             const tni_value *value, double fallback, tni_function *out) {
  return tni_build_function_local(b, item, key, value, fallback, NULL, 0, out);
}

tn_status tni_build_measure_function(tni_builder *b, const tni_measure *measure,
                                     tni_function *out) {
  memset(out, 0, sizeof(*out));
  TN_TRY(tni_expr_variable(b->arena, 1, &out->f));
  return close_function(b, measure, 1, out);
}

/* ---- evaluation ---------------------------------------------------------------------------- */

/* velocity of the point of a SPEED, and its part w x s in body components */
static double point_velocity(const tni_measure *m, const tni_kin *k, double u[3], double ws[3]) {
  vec3_cross(ws, k->w, m->axis);
  mat3_vec(u, k->A, ws);
  vec3_add(u, u, k->v);
  return vec3_norm(u);
}

static double measure_value(const tni_measure *m, const tni_env *env) {
  tni_scalar_out o;
  double u[3], ws[3];
  switch (m->kind) {
    case TNI_MEASURE_SCALAR: tni_scalar_at(&m->scalar, env, TNI_S_VALUE, &o); return o.s;
    case TNI_MEASURE_RATE: tni_scalar_at(&m->scalar, env, TNI_S_RATE, &o); return o.rate;
    case TNI_MEASURE_OMEGA: return vec3_dot(m->axis, env->kin[m->body + 1].W);
    case TNI_MEASURE_SPEED: return point_velocity(m, &env->kin[m->body + 1], u, ws);
  }
  return 0;
}

void tni_scalar_rate_gradient(const tni_scalar *s, const tni_env *env, const tni_scalar_out *o,
                              double row[12]) {
  double v[12];
  for (int i = 0; i < 2; i++) {
    const tni_kin *k = &env->kin[s->body[i] + 1];
    vec3_copy(v + 6*i, k->v);
    vec3_copy(v + 6*i + 3, k->w);
  }
  for (int j = 0; j < 12; j++) row[j] = 0;
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) row[j] += v[i]*o->B[12*i+j];
}

static int slot_of(const tni_function *fn, int body) {
  for (int i = 0; i < fn->nbody; i++)
    if (fn->body[i] == body) return i;
  return -1; /* ground */
}

static void add_scalar_gradient(const tni_function *fn, const tni_measure *m, const tni_env *env,
                                double g, double *grad_q, double *grad_v) {
  tni_scalar_out o;
  bool rate = m->kind == TNI_MEASURE_RATE;
  tni_scalar_at(&m->scalar, env, rate ? TNI_S_SECOND : TNI_S_JACOBIAN, &o);
  double vB[12];
  if (rate) tni_scalar_rate_gradient(&m->scalar, env, &o, vB);
  const double *dq = rate ? vB : o.J;
  for (int i = 0; i < 2; i++) {
    int slot = slot_of(fn, m->scalar.body[i]);
    if (slot < 0) continue;
    for (int c = 0; c < 6; c++) grad_q[6*slot+c] += g*dq[6*i+c];
    if (rate)
      for (int c = 0; c < 6; c++) grad_v[6*slot+c] += g*o.J[6*i+c];
  }
}

static void add_gradient(const tni_function *fn, const tni_measure *m, const tni_env *env,
                         double g, double *grad_q, double *grad_v) {
  if (m->kind == TNI_MEASURE_SCALAR || m->kind == TNI_MEASURE_RATE) {
    add_scalar_gradient(fn, m, env, g, grad_q, grad_v);
    return;
  }
  int slot = slot_of(fn, m->body);
  if (slot < 0) return;
  const tni_kin *k = &env->kin[m->body + 1];
  double *q = grad_q + 6*slot, *v = grad_v + 6*slot, e[3], x[3];
  if (m->kind == TNI_MEASURE_OMEGA) {
    /* e.(A (w + dw + dtheta x w)), e in body components; e.(dtheta x w) = dtheta.(w x e) */
    mat3_tvec(e, k->A, m->axis);
    vec3_addmul(v + 3, g, e);
    vec3_cross(x, k->w, e);
    vec3_addmul(q + 3, g, x);
    return;
  }
  double u[3], ws[3], speed = point_velocity(m, k, u, ws);
  if (speed == 0) return;
  vec3_scale(u, g/speed, u);
  vec3_add(v, v, u);
  mat3_tvec(e, k->A, u);
  vec3_cross(x, m->axis, e); /* e.(dw x s) = dw.(s x e) */
  vec3_add(v + 3, v + 3, x);
  vec3_cross(x, ws, e);
  vec3_add(q + 3, q + 3, x);
}

void tni_measures_eval(const tni_measure *measure, int n, const tni_env *env, double *vars) {
  for (int k = 0; k < n; k++) vars[k] = measure_value(&measure[k], env);
}

int tni_measure_parts(const tni_measure *m, const tni_env *env, double part[3], double *offset) {
  double turning[3];
  *offset = 0;
  if (m->kind == TNI_MEASURE_SPEED) {
    point_velocity(m, &env->kin[m->body + 1], part, turning);
    return 3;
  }
  if (m->kind == TNI_MEASURE_SCALAR && m->scalar.kind == TNI_SCALAR_LENGTH) {
    *offset = m->scalar.offset;
    tni_scalar_separation(&m->scalar, &env->kin[m->scalar.body[0] + 1], &env->kin[m->scalar.body[1] + 1], part);
    return 3;
  }
  part[0] = measure_value(m, env);
  return 1;
}

void tni_function_eval(const tni_function *fn, const tni_env *env, double *value, double *grad_q,
                       double *grad_v, double *f_t) {
  double vars[1 + TNI_MAXMEASURE];
  vars[0] = env->t;
  for (int k = 0; k < fn->nmeasure; k++) vars[k+1] = measure_value(&fn->measure[k], env);
  *value = tni_expr_eval(fn->f, vars);
  if (f_t) *f_t = tni_expr_eval(fn->f_t, vars);
  if (!grad_q) return;
  memset(grad_q, 0, sizeof(double)*6*(size_t)fn->nbody);
  memset(grad_v, 0, sizeof(double)*6*(size_t)fn->nbody);
  for (int k = 0; k < fn->nmeasure; k++) {
    double g = tni_expr_eval(fn->f_m[k], vars);
    if (g != 0) add_gradient(fn, &fn->measure[k], env, g, grad_q, grad_v);
  }
}
