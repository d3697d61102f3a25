/* tests/verify/scan.c - properties of random models over the whole input language
 *
 *   verify_scan [count [first [check]]]     "all": 1000 models
 *
 * Each model (support/random_models.h) is run with rk45 in cartesian coordinates, and this run is the measure of
 *
 *   representation  the same in joint coordinates
 *   method          the same by other formulas: rk8, radau, rosen in turn
 *   trajectory      the same by state_time, in cartesian and in joint coordinates, with orders fixed and free in turn, and the same
 *                   bits of it on two threads
 *   cosines         the same in direction cosines, by collocation and by the weak form in turn
 *   pieces          the same bits when it is looked at at other times
 *   threads         the same bits on two threads
 *   restart         the same bits after a restart from a file in the middle
 *   order           the same with the bodies written in reverse
 *   world           the same with the world turned
 *   units           the same in mm, g, ms
 *   energy          the balance of energy holds, and dampers make no cold
 *   newton          mass times acceleration of every body is the sum of the forces and reactions on it, the change of its
 *                   spin that of their moments
 *   sensors         positions and velocities are those of the poses
 *
 * A failure is shrunk: items are left out one by one as long as the same property still fails; what remains is
 * written to scan-<number>-<property>.yaml in the current directory. Numbers of models that found a defect stay in
 * `kept` and are always run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/random_models.h"

#include <unistd.h>

#include "elements/beams.h"
#include "forces/list.h"
#include "joints/list.h"
#include "model/sensors.h"
#include "support/loaded.h"

enum { STATE = 18, MOST = 24 };
static const double UNTIL = 0.2;
static const rm_view plain = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1, 1, 1, false};
static const rm_view reversed = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1, 1, 1, true};
static const rm_view small_units = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1000, 1000, 1000, false};
static const rm_view turned = {{0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}, 1, 1, 1, false};
static const rm_view turned_in_plane = {{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, 1, 1, 1, false};

typedef struct {
  tn_status st;
  char message[300];
  int nbody;
  char name[MOST][24];
  double x[MOST][STATE]; /* position, rotation, velocity, angular velocity; in metres, kilograms, seconds */
  tn_summary sum;
  double newton, sensors; /* relative residuals */
} outcome;

typedef struct {
  const char *text, *method, *representation, *results, *restart;
  double tolerance;
  int threads, pieces;
  const rm_view *view;
  bool look; /* newton and sensors, too */
} plan;

/* drag of the C function of the models, in the units of the view */
static void drag(void *user, double t, int nbody, const tn_body_state *body, tn_force_result *out) {
  const rm_view *w = user;
  double c = 0.5*w->M/w->T;
  (void)t;
  for (int b = 0; b < nbody; b++) {
    for (int i = 0; i < 3; i++) {
      out->f[6*b + i] = -c*body[b].v[i];
      out->dissipated += c*body[b].v[i]*body[b].v[i];
    }
  }
}
static void brake(void *user, double t, int nin, const double *in, int nout, double *out) {
  (void)user, (void)t;
  for (int i = 0; i < nout && i < nin; i++) out[i] = -in[i];
}

static void rotation(const double e[4], double A[9]) {
  double a = e[0], x = e[1], y = e[2], z = e[3];
  const double m[9] = {1 - 2*(y*y + z*z), 2*(x*y - a*z), 2*(x*z + a*y), 2*(x*y + a*z), 1 - 2*(x*x + z*z),
                       2*(y*z - a*x), 2*(x*z - a*y), 2*(y*z + a*x), 1 - 2*(x*x + y*y)};
  memcpy(A, m, sizeof(m));
}

/* end state in the axes and units of the plain view */
static void take(tn_sim *sim, const rm_view *w, outcome *o) {
  const tn_model *model = sim->model;
  o->nbody = model->nbody < MOST ? model->nbody : MOST;
  for (int i = 0; i < o->nbody; i++) {
    double r[3], e[4], A[9], v[3], W[3], *x = o->x[i];
    snprintf(o->name[i], sizeof(o->name[0]), "%s", model->body[i].name);
    if (tn_sim_body_pose(sim, i, r, e) != TN_OK || tn_sim_body_velocity(sim, i, v, W) != TN_OK) return;
    rotation(e, A);
    mat3_tvec(x, w->R, r);
    mat3_tvec(x + 12, w->R, v);
    mat3_tvec(x + 15, w->R, W);
    double Rt[9] = {w->R[0], w->R[3], w->R[6], w->R[1], w->R[4], w->R[7], w->R[2], w->R[5], w->R[8]};
    mat3_mul(x + 3, Rt, A);
    for (int k = 0; k < 3; k++) x[k] /= w->L, x[12 + k] *= w->T/w->L, x[15 + k] *= w->T;
  }
}

/* what the reaction F, T of a joint at its point gives to an end about the centre of mass, ground axes */
static void moment_of(const tni_kin *kin, const tni_joint *joint, int end, const double F[3], const double T[3], double out[3]) {
  const tni_kin *k = &kin[joint->body[1] + 1]; /* kin[0] is the ground */
  double point[3], arm[3], x[3];
  mat3_vec(point, k->A, joint->frame[1].p);
  vec3_add(point, point, k->r);
  vec3_sub(arm, point, kin[joint->body[end] + 1].r);
  vec3_cross(x, arm, F);
  vec3_add(out, T, x);
}

/* Forces on the centre of mass of each body against mass times acceleration, and moments about it against the change of
 * its spin, relative to the sum of their sizes; bodies that a tie or a drive may load beside their joints are not looked at. */
#define ROUNDING_ARM 1e-7 /* a hundred roundings within the bound of 1e-7 on residuals */
static double newton_residual(tn_sim *sim) {
  const tn_model *model = sim->model;
  static double sum[MOST][3], size[MOST], turn[MOST][3], turn_size[MOST]; /* turn: in body axes */
  static tni_kin kin[MOST + 1];
  static double acc[6*MOST];
  tni_at at = tni_sim_at(sim);
  bool skip[MOST] = {false};
  double worst = 0;
  memset(sum, 0, sizeof(sum));
  memset(size, 0, sizeof(size));
  memset(turn, 0, sizeof(turn));
  memset(turn_size, 0, sizeof(turn_size));
  if (model->nbody > MOST || model->nelement > 0) return 0;
  /* asked for at the state: the data may have been looked at elsewhere since */
  memcpy(acc, tni_look_accelerations(sim->s, &at), 6*(size_t)model->nbody*sizeof(double));
  memcpy(kin, tni_look_bodies(sim->s, &at), ((size_t)model->nbody + 1)*sizeof(kin[0]));
  for (int i = 0; i < model->nforce; i++) {
    const tni_force *f = &model->force[i];
    for (int e = 0; e < f->nbody; e++) {
      const double *F = tni_look_forces(sim->s, &at)[i].f + 6*e;
      vec3_add(sum[f->body[e]], sum[f->body[e]], F);
      size[f->body[e]] += vec3_norm(F);
      vec3_add(turn[f->body[e]], turn[f->body[e]], F + 3);
      turn_size[f->body[e]] += vec3_norm(F + 3);
    }
  }
  for (int j = 0; j < model->njoint; j++) {
    const tni_joint *joint = &model->joint[j];
    double F[3], T[3];
    bool tie = joint->is_drive || strcmp(joint->name, "tie") == 0;
    if (tn_sim_joint_reaction(sim, j, F, T) != TN_OK) return INFINITY;
    for (int k = 0; k < 2; k++) {
      int b = joint->body[k];
      if (tie) {
        for (int i = 0; i < model->nbody; i++) skip[i] = true;
        continue;
      }
      if (b == TNI_GROUND) continue;
      vec3_addmul(sum[b], k ? 1 : -1, F);
      size[b] += vec3_norm(F);
      double M[3], own[3];
      moment_of(kin, joint, k, F, T, M);
      mat3_tvec(own, kin[b + 1].A, M);
      vec3_addmul(turn[b], k ? 1 : -1, own);
      turn_size[b] += vec3_norm(T) + vec3_norm(M);
    }
  }
  for (int b = 0; b < model->nbody; b++) {
    double m = model->body[b].mass, need[3], off[3];
    vec3_sub(need, acc + 6*b, model->gravity);
    vec3_scale(need, m, need);
    vec3_sub(off, need, sum[b]);
    size[b] += vec3_norm(need) + m*vec3_norm(model->gravity);
    if (!skip[b] && !(vec3_norm(off) <= worst*size[b])) worst = vec3_norm(off)/size[b];
    double v[3], W[3], w[3], spin[3], x[3], grows[3];
    if (tn_sim_body_velocity(sim, b, v, W) != TN_OK) return INFINITY;
    mat3_tvec(w, kin[b + 1].A, W);
    mat3_vec(spin, model->body[b].I, w);
    vec3_cross(x, w, spin);
    mat3_vec(grows, model->body[b].I, acc + 6*b + 3);
    /* arms are known to rounding of places, also of forces through the centre of mass */
    turn_size[b] += vec3_norm(x) + vec3_norm(grows) + ROUNDING_ARM*vec3_norm(kin[b + 1].r)*size[b];
    for (int k = 0; k < 3; k++) off[k] = model->planar && k < 2 ? 0 : grows[k] + x[k] - turn[b][k];
    if (!skip[b] && !(vec3_norm(off) <= worst*turn_size[b])) worst = vec3_norm(off)/turn_size[b];
  }
  return worst;
}

/* sensors of points against poses */
static double sensor_residual(tn_sim *sim) {
  const tn_model *model = sim->model;
  double worst = 0;
  for (int i = 0, at = 0; i < model->nsensor; at += model->sensor[i++].ncomponent) {
    const tni_sensor *q = &model->sensor[i];
    if (!q->item || !q->item->type) continue;
    bool place = strcmp(q->item->type->name, "position") == 0, speed = strcmp(q->item->type->name, "velocity") == 0;
    if (!place && !speed) continue;
    double r[3], e[4], A[9], v[3], W[3], p[3], arm[3], turn[3], want[3], own[3] = {0};
    const tni_value *point = tni_item_get(q->item, "point");
    for (int k = 0; point && k < 3 && k < point->n; k++) own[k] = point->item[k].number;
    if (tn_sim_body_pose(sim, q->body, r, e) != TN_OK || tn_sim_body_velocity(sim, q->body, v, W) != TN_OK) return INFINITY;
    rotation(e, A);
    mat3_vec(arm, A, own);
    vec3_cross(turn, W, arm);
    vec3_add(p, r, arm);
    vec3_add(want, v, turn);
    if (place) vec3_copy(want, p);
    double size = vec3_norm(r) + vec3_norm(arm) + vec3_norm(v) + vec3_norm(turn), off[3];
    vec3_sub(off, sim->sensor + at, want);
    worst = fmax(worst, vec3_norm(off)/fmax(size, 1e-300));
  }
  return worst;
}

static void prepare(tn_model *model, const rm_view *w) {
  for (int i = 0; i < model->nforce; i++) {
    const tni_force *f = &model->force[i];
    tn_status st = TN_OK;
    if (f->type && strcmp(f->type, "callback") == 0) st = tn_model_set_callback(model, f->name, drag, (void *)w);
    if (f->type && strcmp(f->type, "sampled") == 0) st = tn_model_set_controller(model, f->name, brake, NULL);
    CHECK(st == TN_OK);
  }
}

static void perform(const plan *p, outcome *o) {
  loaded l = {0};
  tn_sim *sim = NULL;
  memset(o, 0, sizeof(*o));
  load_begin(&l, p->threads ? p->threads : 1);
  o->st = tn_spec_read_text(l.ctx, "scan", p->text, NULL, 0, &l.spec);
  if (o->st == TN_OK) o->st = tn_model_compile(l.ctx, l.spec, &l.model);
  double until = UNTIL*p->view->T;
  tn_run_opts r = {.method = p->method, .representation = p->representation, .tolerance = p->tolerance, .until = until,
                   .results = p->results, .restart = p->restart, .every = until/10};
  if (p->restart) r.restart_time = 0.5*until;
  if (o->st == TN_OK) prepare(l.model, p->view);
  if (o->st == TN_OK && p->results) {
    o->st = tn_run(l.ctx, l.model, &r, &o->sum);
  } else if (o->st == TN_OK) {
    o->st = tn_sim_create(l.ctx, l.model, &r, &sim);
    for (int k = 1; k <= p->pieces && o->st == TN_OK; k++) o->st = tn_sim_advance(sim, until*k/p->pieces);
  }
  if (o->st == TN_OK && sim) {
    take(sim, p->view, o);
    tn_sim_summary(sim, &o->sum);
    if (p->look) o->newton = newton_residual(sim), o->sensors = sensor_residual(sim);
  }
  if (o->st != TN_OK) snprintf(o->message, sizeof(o->message), "%.299s", tn_ctx_message(l.ctx));
  tn_sim_destroy(&sim);
  unload(&l);
}

/* largest difference of the bodies by name, relative to 1 m, 1, 1 m/s, 1 rad/s where they are smaller */
static double apart(const outcome *a, const outcome *b) {
  double worst = a->nbody == b->nbody ? 0 : INFINITY;
  for (int i = 0; i < a->nbody; i++) {
    int k = 0;
    while (k < b->nbody && strcmp(a->name[i], b->name[k]) != 0) k++;
    if (k == b->nbody) return INFINITY;
    bool point = strncmp(a->name[i], "e.", 2) == 0; /* nodes of trusses and cables have no axes of their own */
    for (int c = 0; c < STATE; c++) {
      if (point && c >= 3 && c < 12) continue;
      double off = fabs(a->x[i][c] - b->x[k][c])/(1 + fabs(a->x[i][c]));
      if (!(off <= worst)) worst = off;
    }
  }
  return worst;
}

static bool same_bits(const outcome *a, const outcome *b) {
  return a->nbody == b->nbody && memcmp(a->x, b->x, sizeof(a->x)) == 0;
}

/* ---- properties ----------------------------------------------------------------------------- */

static const char *const properties[] = {"runs", "representation", "method", "trajectory", "cosines", "pieces", "threads", "restart", "order",
                                         "world", "units", "energy", "newton", "sensors"};
enum { RUNS, REPRESENTATION, METHOD, TRAJECTORY, COSINES, PIECES, THREADS, RESTART, ORDER, WORLD, UNITS, ENERGY, NEWTON, SENSORS, NPROPERTY };

typedef struct {
  uint64_t number;
  bool off[RM_ITEMS];
  double value;       /* of the property that failed */
  char message[400];
} trial;

static const char *write_model(const trial *t, const rm_view *w, rm_model *m) {
  static char text[RM_TEXT];
  rm_make(m, t->number, w, t->off);
  rm_write(m, text);
  return text;
}

/* all three coordinates and rates in rows of a file, as bits: the last row of a restarted run */
static bool restarts(const trial *t, plan p, char *message, size_t size) {
  static const char *const path[2] = {"scan-first.h5", "scan-second.h5"};
  rm_model m;
  outcome o[2];
  double *row[2] = {NULL, NULL};
  bool same = true;
  int width[2] = {0};
  p.text = write_model(t, &plain, &m);
  for (int k = 0; k < 2 && same; k++) {
    p.results = path[k];
    p.restart = k ? path[0] : NULL;
    perform(&p, &o[k]);
    same = o[k].st == TN_OK;
    if (!same) snprintf(message, size, "%s", o[k].message);
  }
  for (int k = 0; k < 2 && same; k++) {
    tn_ctx *ctx;
    tn_results *in;
    CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
    CHECK_OK(ctx, tn_results_open(ctx, path[k], &in));
    long n = tn_results_ntime(in);
    for (int c = 0; c < tn_results_nchannel(in); c++) {
      int nc = tn_results_channel_size(in, c);
      double *all = malloc((size_t)n*(size_t)nc*sizeof(double));
      row[k] = realloc(row[k], (size_t)(width[k] + nc)*sizeof(double));
      CHECK_OK(ctx, tn_results_read(in, c, NULL, all));
      memcpy(row[k] + width[k], all + (n - 1)*nc, (size_t)nc*sizeof(double));
      width[k] += nc;
      free(all);
    }
    tn_results_close(&in);
    tn_ctx_destroy(&ctx);
  }
  same = same && width[0] == width[1] && memcmp(row[0], row[1], (size_t)width[0]*sizeof(double)) == 0;
  free(row[0]), free(row[1]);
  unlink(path[0]), unlink(path[1]);
  return same;
}

/* `o`, the same model otherwise: is it the same motion? */
static bool is_same(trial *t, const outcome *base, const outcome *o, double tol) {
  if (o->st != TN_OK) {
    snprintf(t->message, sizeof(t->message), "%s", o->message);
    return o->st == TN_ERR_UNSUPPORTED; /* refused by name */
  }
  t->value = apart(base, o);
  snprintf(t->message, sizeof(t->message), "off by %.3g, allowed %.3g", t->value, tol);
  return t->value <= tol;
}

static bool agrees(trial *t, const outcome *base, const plan *p, double tol, outcome *o) {
  perform(p, o);
  return is_same(t, base, o, tol);
}

/* the balance of energy, and dampers make no cold */
static bool balanced(trial *t, const outcome *o, double tol) {
  t->value = fmax(o->sum.energy_error, -o->sum.dissipated)/fmax(o->sum.energy_scale, 1e-3);
  snprintf(t->message, sizeof(t->message), "energy off by %.3g, heat %.3g of %.3g J", o->sum.energy_error, o->sum.dissipated,
           o->sum.energy_scale);
  return t->value < tol;
}

/* runs that several properties of a model ask for, made once: the one that all begin with, and that in joint coordinates */
enum { FIRST, JOINT, NONCE };
static void run_once(int which, const trial *t, const plan *p, outcome *o) {
  static trial of[NONCE];
  static outcome made[NONCE];
  static bool any[NONCE];
  if (!any[which] || of[which].number != t->number || memcmp(of[which].off, t->off, sizeof(of[which].off)) != 0) perform(p, &made[which]);
  any[which] = true;
  of[which] = *t;
  *o = made[which];
}

/* does the property hold? *drawn: types of the model. Property RUNS: is it a model at all? */
static bool holds(trial *t, int property, rm_model *m) {
  static const char *const methods[] = {"rk8", "radau", "rosen"};
  static char text[RM_TEXT + 200];
  plan p = {.method = "rk45", .representation = "cartesian", .tolerance = 1e-8, .pieces = 1, .view = &plain};
  outcome base, o;
  t->value = 0;
  t->message[0] = 0;
  p.text = write_model(t, &plain, m);
  p.look = true;
  run_once(FIRST, t, &p, &base);
  if (base.st != TN_OK) {
    snprintf(t->message, sizeof(t->message), "%s", base.message);
    return property != RUNS;
  }
  double tol = m->switching ? 5e-3 : 2e-5; /* impacts and friction multiply differences */
  switch (property) {
    case REPRESENTATION:
      p.representation = "joint";
      run_once(JOINT, t, &p, &o);
      return is_same(t, &base, &o, tol);
    case METHOD:
      p.method = methods[t->number % 3];
      return agrees(t, &base, &p, m->switching ? 1e-2 : strstr(m->beams, "incremental") ? 1e-3 : 1e-4, &o);
    case TRAJECTORY:
      p.method = "state_time";
      p.representation = t->number % 2 ? "joint" : "cartesian";
      if (t->number % 3 == 0) {
        snprintf(text, sizeof(text), "%sanalysis: {orders: adaptive}\n", p.text);
        p.text = text;
      }
      if (!agrees(t, &base, &p, m->switching ? 1e-2 : strstr(m->beams, "incremental") ? 1e-3 : 1e-4, &o)) return false;
      p.threads = 2;
      perform(&p, &base);
      if (!same_bits(&base, &o)) return false;
      return o.st != TN_OK || balanced(t, &o, m->switching ? 1e-3 : strstr(m->beams, "incremental") ? 0.02 : 1e-5);
    case COSINES: {
      bool weak = t->number % 2 && base.nbody <= 3 && !m->stiff; /* its stability has limits, its matrix fills */
      snprintf(text, sizeof(text), "%sanalysis: {formulation: direction_cosines, rule: %s, elements: %d, order: %d, window: 10}\n", p.text,
               weak ? "gauss" : "collocation", weak ? 100 : 60, weak ? 2 : 3);
      if (m->switching) return true; /* elements that are given may pass over what switches, and then refuse it */
      p.text = text;
      p.method = "state_time";
      if (!agrees(t, &base, &p, weak || strstr(m->beams, "incremental") ? 1e-3 : 1e-4, &o)) return false;
      return o.st != TN_OK || balanced(t, &o, strstr(m->beams, "incremental") ? 0.02 : 1e-3);
    }
    case PIECES: p.pieces = 7; perform(&p, &o); return same_bits(&base, &o);
    case THREADS: p.threads = 2; perform(&p, &o); return same_bits(&base, &o);
    case RESTART:
      if (t->number % 10 == 1) p.method = "state_time";
      return restarts(t, p, t->message, sizeof(t->message));
    case ORDER: p.view = &reversed; break;
    case UNITS: p.view = &small_units; break;
    case WORLD:
      if (m->vertical) return true; /* cannot be turned */
      p.view = m->planar ? &turned_in_plane : &turned;
      break;
    case ENERGY:
      /* strains by increments are those of small ones: their energy is not exact */
      return balanced(t, &base, strstr(m->beams, "incremental") ? 0.02 : m->switching ? 1e-4 : 1e-5);
    case NEWTON:
      p.representation = "joint";
      run_once(JOINT, t, &p, &o);
      t->value = o.st == TN_OK ? fmax(base.newton, o.newton) : base.newton;
      break;
    case SENSORS: t->value = base.sensors; break;
    default: return true;
  }
  if (property == NEWTON || property == SENSORS) {
    snprintf(t->message, sizeof(t->message), "relative residual %.3g", t->value);
    return t->value < 1e-7;
  }
  rm_model other;
  p.text = write_model(t, p.view, &other);
  return agrees(t, &base, &p, tol, &o);
}

/* leave out what the failure does not need, and keep the rest */
static void report_failure(trial t, int property) {
  rm_model m;
  char path[100];
  for (int again = 1; again;) {
    again = 0;
    for (int k = RM_ITEMS - 1; k >= 0; k--) {
      if (t.off[k]) continue;
      t.off[k] = true;
      if (holds(&t, property, &m)) t.off[k] = false;
      else again = k < m.nitem;
    }
  }
  holds(&t, property, &m);
  printf("model %lu, %s: %s\n", (unsigned long)t.number, properties[property], t.message);
  snprintf(path, sizeof(path), "scan-%lu-%s.yaml", (unsigned long)t.number, properties[property]);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "# %s: %s\n%sanalysis: {until: %g, method: rk45, tolerance: 1e-8}\n", properties[property], t.message,
          write_model(&t, &plain, &m), UNTIL);
  fclose(f);
}

/* ---- what is drawn -------------------------------------------------------------------------- */

static char drawn[400][24];
static int ndrawn;

static bool is_drawn(const char *name) {
  for (int i = 0; i < ndrawn; i++)
    if (strcmp(drawn[i], name) == 0) return true;
  return false;
}
static void remember(const rm_model *m) {
  for (int i = 0; i < m->nword; i++)
    if (!is_drawn(m->words[i]) && ndrawn < 400) snprintf(drawn[ndrawn++], sizeof(drawn[0]), "%s", m->words[i]);
}

static long first = 0, count = 50, only = -1, refused;

/* Start velocities that nobody wrote depended on the unit of length: 5, 16, 49. A contact in millimetres switched
 * within the rounding of its penetration: 935. */
static const long kept[] = {5, 16, 49, 935};
enum { NKEPT = sizeof(kept)/sizeof(kept[0]) };

static void try_model(long k) {
  trial t = {.number = (uint64_t)k};
  rm_model m;
  if (!holds(&t, RUNS, &m)) {
    refused++;
    if (getenv("TN_SCAN_REFUSED")) printf("model %ld refused: %s\n", k, t.message);
    return;
  }
  remember(&m);
  for (int property = 1; property < NPROPERTY; property++) {
    trial one = t;
    if (only >= 0 && property != only) continue;
    /* whole trajectories take their time: all of them where there is some */
    if (only < 0 && count < 1000 && ((property == TRAJECTORY && k % 17) || (property == COSINES && k % 17 != 5))) continue;
    if (!CHECK(holds(&one, property, &m))) report_failure(t, property);
  }
}

/* does the model have a type that none before it had? */
static bool is_new(long k) {
  static const bool none[RM_ITEMS];
  rm_model m;
  rm_make(&m, (uint64_t)k, &plain, none);
  for (int i = 0; i < m.nword; i++)
    if (!is_drawn(m.words[i])) return true;
  return false;
}

/* after the kept and the counted ones, as many more as bring types that were not drawn yet */
static void properties_hold_for_random_models(void) {
  for (int i = 0; i < NKEPT; i++)
    if (kept[i] < first || kept[i] >= first + count) try_model(kept[i]);
  for (long k = first; k < first + count; k++) try_model(k);
  for (long k = first + count; k < first + count + 1000 && count >= 50; k++)
    if (is_new(k)) try_model(k);
  printf("%ld models, %ld refused\n", count, refused);
  CHECK(refused*10 <= count);
}

/* every type of the language's own tables */
static void every_type_is_drawn(void) {
  for (int i = 0; i < tni_joint_ntype; i++)
    if (!CHECK(is_drawn(tni_joint_tables[i]->name))) printf("joint %s\n", tni_joint_tables[i]->name);
  for (int i = 0; i < tni_force_ntype; i++)
    if (!CHECK(is_drawn(tni_force_tables[i]->name))) printf("force %s\n", tni_force_tables[i]->name);
  for (int i = 0; i < TNI_SENSOR_NTYPE; i++)
    if (!CHECK(is_drawn(tni_sensor_types[i]->name))) printf("sensor %s\n", tni_sensor_types[i]->name);
  CHECK(is_drawn("drive"));
  for (size_t i = 0; i < sizeof(rm_elements)/sizeof(rm_elements[0]); i++) CHECK(is_drawn(rm_elements[i]));
}

int main(int argc, char **argv) {
  if (argc > 1) count = strcmp(argv[1], "all") == 0 ? 1000 : atol(argv[1]);
  if (argc > 2) first = atol(argv[2]);
  for (int k = 0; argc > 3 && k < NPROPERTY; k++)
    if (strcmp(properties[k], argv[3]) == 0) only = k;
  RUN(properties_hold_for_random_models);
  if (only < 0 && count >= 50) RUN(every_type_is_drawn);
  return REPORT();
}
