/* tests/verify/restart.c - a restart from any stored row continues bit for bit
 *
 * A run is stored, then continued from its rows, from checkpoints and from times between into a
 * second file. From there on the two files must hold the same rows and the same later checkpoints,
 * byte by byte: for every method and both representations, on a tree, on a redundant loop, and on a
 * vehicle whose tyres cross road edges and leave the road, which the files list as events, through pulses, zones and kinks. The same comparison holds 1
 * against 2 threads. With the argument all from every row, otherwise from a row of each method's own, and each method on two models
 * of five, in one representation of a model and in the other one of the next.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/results.h"
#include "support/loaded.h"
#include "verify/models.h"

#include <unistd.h>

static char first_path[64], second_path[64];
static long restarts, events, done[32]; /* done: runs of every method */
static bool all, jumps; /* jumps: drives jump in speed, which methods with techniques refuse as unstable */
static int models; /* looked at so far */

/* ---- a results file in memory -------------------------------------------------------------- */

enum { MAX_CHECKPOINT = 32 };

typedef struct {
  long n;
  int width, nstate, ncheckpoint;
  double *t, *rows;                       /* [n], [n][width]                  */
  double at[MAX_CHECKPOINT];              /* times of the checkpoints, rising */
  double *state[MAX_CHECKPOINT];
  long nevent;
  double *event;                          /* [nevent][1 + TNI_EVENT_NVALUE]   */
} contents;

static void read_all(tn_ctx *ctx, const char *path, contents *c) {
  tni_reader *in;
  memset(c, 0, sizeof(*c));
  CHECK_OK(ctx, tni_results_open(ctx, path, &in));
  const tni_results_info *info = tni_results_get_info(in);
  CHECK_TEXT(tni_results_outcome(in), "complete");
  for (int i = 0; i < info->nchannel; i++) c->width += info->channel[i].ncomponent;
  c->n = tni_results_ntime(in);
  c->nstate = info->ncheckpoint;
  c->t = calloc((size_t)c->n + 1, sizeof(double));
  c->rows = calloc((size_t)c->n*(size_t)c->width + 1, sizeof(double));
  CHECK_OK(ctx, tni_results_read_times(in, 0, c->n, c->t));
  CHECK_OK(ctx, tni_results_read_columns(in, 0, c->width, 0, c->n, c->rows));
  c->ncheckpoint = (int)tni_results_ncheckpoint(in);
  CHECK(c->ncheckpoint <= MAX_CHECKPOINT);
  double before = HUGE_VAL;
  for (int k = c->ncheckpoint - 1; k >= 0; k--) {
    c->state[k] = calloc((size_t)c->nstate, sizeof(double));
    CHECK_OK(ctx, tni_results_read_checkpoint(in, before, &c->at[k], c->state[k]));
    before = nextafter(c->at[k], -1);
  }
  c->nevent = tni_results_nevent(in);
  c->event = calloc((size_t)c->nevent*(1 + TNI_EVENT_NVALUE) + 1, sizeof(double));
  for (long i = 0; i < c->nevent; i++) {
    double *e = c->event + i*(1 + TNI_EVENT_NVALUE);
    CHECK_OK(ctx, tni_results_read_events(in, i, 1, e, e + 1));
  }
  tni_results_close(&in);
}

static void forget(contents *c) {
  free(c->t), free(c->rows), free(c->event);
  for (int k = 0; k < c->ncheckpoint; k++) free(c->state[k]);
}

static bool same_bits(const double *x, const double *y, long n) {
  return memcmp(x, y, (size_t)n*sizeof(double)) == 0;
}

/* `rest` is the end of `whole` after time t, and at least its last row; it begins with the last
 * checkpoint before */
static bool continues(const contents *whole, const contents *rest, double t) {
  long skip = 0;
  int passed = 0;
  while (skip < whole->n - 1 && whole->t[skip] <= t) skip++;
  while (passed < whole->ncheckpoint && whole->at[passed] <= t) passed++;
  if (passed > 0) passed--;
  long seen = 0;
  while (seen < whole->nevent && whole->event[seen*(1 + TNI_EVENT_NVALUE)] < t) seen++;
  bool same = whole->width == rest->width && whole->n - skip == rest->n;
  same = same && same_bits(whole->t + skip, rest->t, rest->n);
  same = same && same_bits(whole->rows + skip*whole->width, rest->rows, rest->n*rest->width);
  same = same && whole->ncheckpoint - passed == rest->ncheckpoint;
  same = same && whole->nevent - seen == rest->nevent &&
         same_bits(whole->event + seen*(1 + TNI_EVENT_NVALUE), rest->event,
                   rest->nevent*(1 + TNI_EVENT_NVALUE));
  for (int k = 0; same && k < rest->ncheckpoint; k++)
    same = whole->at[passed + k] == rest->at[k] &&
           same_bits(whole->state[passed + k], rest->state[k], rest->nstate);
  return same;
}

/* ---- runs ---------------------------------------------------------------------------------- */

enum { NROW = 14 };

/* continue the first file at t, which is called `asked` on the way */
static void restart_at(loaded *l, const tn_run_opts *first, const contents *whole, double t,
                       double asked) {
  char text[200];
  tn_summary sum;
  contents rest;
  tn_run_opts o = *first;
  o.results = second_path;
  o.restart = first_path;
  o.restart_time = asked;
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, &sum));
  CHECK(sum.t_begin == t);
  read_all(l->ctx, second_path, &rest);
  CHECK_INT(sum.stored, rest.n);
  snprintf(text, sizeof(text), "%s, %s: same bits after t = %.17g s", o.method, o.representation, t);
  check_true(continues(whole, &rest, t), text, __FILE__, __LINE__);
  forget(&rest);
  restarts++;
}

/* the first file continued in itself, at the time t that it holds: it is the whole one again */
static void restart_in_place(loaded *l, const tn_run_opts *first, const contents *whole, double t) {
  char text[200];
  tn_summary sum;
  contents again;
  tn_run_opts o = *first;
  o.restart = first_path;
  o.restart_time = t;
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, &sum));
  read_all(l->ctx, first_path, &again);
  CHECK_INT(sum.stored, whole->n);
  bool same = again.width == whole->width && again.n == whole->n &&
              again.ncheckpoint == whole->ncheckpoint && same_bits(again.t, whole->t, whole->n) &&
              same_bits(again.rows, whole->rows, whole->n*whole->width) &&
              again.nevent == whole->nevent &&
              same_bits(again.event, whole->event, whole->nevent*(1 + TNI_EVENT_NVALUE));
  for (int k = 0; same && k < whole->ncheckpoint; k++)
    same = again.at[k] == whole->at[k] && same_bits(again.state[k], whole->state[k], whole->nstate);
  snprintf(text, sizeof(text), "%s, %s: one file after t = %.17g s", o.method, o.representation, t);
  check_true(same, text, __FILE__, __LINE__);
  forget(&again);
  restarts++;
}

static void check_method(loaded *l, const tn_run_opts *o, int method) {
  contents whole;
  read_all(l->ctx, first_path, &whole);
  CHECK_INT(whole.n, NROW);
  CHECK(whole.ncheckpoint >= 3);
  /* row 0 is the beginning: a run, not a restart. A time typed by hand is off by rounding. */
  for (long i = all ? 1 : 1 + (5*method + models) % (NROW - 1); i < NROW; i += all ? 1 : NROW)
    restart_at(l, o, &whole, whole.t[i], nextafter(whole.t[i], 1e9));
  double between = whole.t[NROW/2] + 0.3*(whole.t[1] - whole.t[0]);
  if (all || method % 2) restart_at(l, o, &whole, between, between);
  int k = whole.ncheckpoint/2;
  if (all || method % 2 == 0) restart_at(l, o, &whole, whole.at[k], whole.at[k]);
  restart_in_place(l, o, &whole, whole.t[NROW/2]);
  if (all) restart_in_place(l, o, &whole, whole.at[k]);
  if (all || method % 5 == 0) restart_in_place(l, o, &whole, 0); /* after the last row: nothing is left to do */
  forget(&whole);
}

/* every method, in cartesian and, where it can, in joint coordinates */
static void check_restarts(loaded *l, double until, double step, double tol, bool has_events) {
  for (int m = 0; m < tni_integrator_ntype; m++)
    for (int r = 0; r < 2; r++) {
      const tni_integrator_type *type = tni_integrator_types[m];
      tn_summary sum;
      if (type->needs_technique && (r || jumps)) continue; /* cartesian only */
      /* whole trajectories by cartesian coordinates of a vehicle take longer than everything else: those go by joint ones */
      int turn = m + models + (strcmp(type->name, "state_time") == 0);
      if (!all && !type->needs_technique && (turn + r) % 2) continue;
      if (!all && (m + models) % 5 < 3) continue; /* two models of five */
      tn_run_opts o = {.results = first_path, .overwrite = true, .method = type->name,
                       .representation = r ? "joint" : "cartesian", .tolerance = tol,
                       .until = until, .every = until/(NROW - 1)};
      if (type->fixed_step) o.step = step;
      if (type->needs_tangent) o.tolerance = 1e-3; /* their steps cost more */
      if (!all && type->order == 2 && !type->needs_technique) o.tolerance = 1e-2; /* bits know no tolerance */
      tn_status st = tn_run(l->ctx, l->model, &o, &sum);
      if (st == TN_ERR_UNSUPPORTED && type->needs_tangent) continue;
      CHECK_OK(l->ctx, st);
      done[m]++;
      if (has_events) CHECK(sum.events > 0);
      events += sum.events;
      check_method(l, &o, m);
    }
  models++;
  unload(l);
}

static void tree(void) {
  loaded l;
  load_text(&l, mixed_chain);
  check_restarts(&l, 0.4, 0.01, 1e-6, false);
}

static void redundant_loop(void) {
  loaded l;
  load_text(&l, spatial_four_bar);
  check_restarts(&l, 1, 0.01, 1e-7, false);
}

static void rolling_wheels(void) {
  loaded l;
  load_text(&l, rolling);
  check_restarts(&l, 1, 0.01, 1e-7, false);
}

/* the crank turns more than once: counted angles are part of the state */
static void loop_that_turns(void) {
  char text[4000];
  loaded l;
  snprintf(text, sizeof(text), "%s%s", planar_four_bar,
           "  motor: {type: joint_force, joint: a, force: \"12 + 0.1*angle(a)\"}\n");
  load_text(&l, text);
  tn_sim *sim;
  tn_run_opts o = {.until = 1.5};
  double angle, rate;
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 1.5));
  CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &angle, &rate));
  CHECK(fabs(angle) > 7);
  tn_sim_destroy(&sim);
  check_restarts(&l, 1.5, 0.01, 1e-5, false);
}

/* the bump is moved to where the front wheels meet it after 0.1 s */
static void vehicle_over_a_bump(void) {
  loaded l;
  load_file(&l, "examples/vehicle/hmmwv14.yaml", "xb=2.4");
  check_restarts(&l, all ? 0.3 : 0.2, 2e-3, 1e-4, true);
}

/* a mass that bounces: the tyre leaves the road again and again */
static const char bouncing[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wheel: {mass: 10, inertia: [0.3, 0.5, 0.3], at: [0, 0, 0.6], velocity: [1, 0, 0]}\n"
    "  load:  {mass: 5, inertia: [0.1, 0.2, 0.15], at: [0, 0, 0.9], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  post: {type: prismatic, bodies: [wheel, load], at: [0, 0, 0.9], axis: z}\n"
    "forces:\n"
    "  tyre: {type: tyre, body: wheel, stiffness: 8000, damping: 20, free_length: 0.4,\n"
    "         road: \"0.05*sin(2*x)\", unilateral: true}\n"
    "  strut: {type: spring, bodies: [wheel, load], at1: [0, 0, 0], at2: [0, 0, 0],\n"
    "         stiffness: 900, damping: 20}\n";

static void wheel_that_bounces(void) {
  loaded l;
  load_text(&l, bouncing);
  check_restarts(&l, all ? 2 : 0.8, 5e-3, 1e-6, true);
}

/* Steps that end at jumps, and those that are taken back because something was passed over, are taken again the same: pulses of
 * time, zones that a body crosses, drives with kinks. */
static void functions_that_jump(void) {
  static const char *const text[] = {
      "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
      "forces: {k: {type: spring, bodies: [ground, b], at1: [-1, 0, 0], at2: [0, 0, 0], stiffness: 10},\n"
      "         f: {type: force, body: b, force: [\"if(t > 0.5371 and t < 0.5381, 1000, 0) + exp(-((t - 0.813)/0.002)^2)/0.002\", 0, 0]}}\n",
      "bodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\njoints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
      "forces: {f: {type: joint_force, joint: s, force: \"if(value > 0.3 and value < 0.31, 30, 0) + if(value > 0.7 and value < 0.75, -10, 0)\"}}\n",
      "bodies: {b: {mass: 2, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
      "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x},\n"
      "         h: {type: prismatic, bodies: [b, c], at: [1, 0, 0], axis: x}}\n"
      "forces: {k: {type: spring, points: [b, c], stiffness: 100}}\ndrive: [{joint: s, motion: \"min(max(t - 0.31, 0), 0.4)*0.5\"}]\n"};
  for (int k = 0; k < TNI_COUNT(text); k++) {
    loaded l;
    load_text(&l, text[k]);
    jumps = strstr(text[k], "drive:") != NULL;
    check_restarts(&l, 1, 0.01, 1e-5, false);
    jumps = false;
  }
}

/* a linear structure at equal steps keeps its matrix over checkpoints; whoever continues makes it anew. The last step is shorter. */
static void structure_with_one_matrix(void) {
  static const char *const method[] = {"alpha", "infl_trap", "trap", "radau", "sdirk", "desc_trap"};
  loaded l;
  tn_summary sum;
  load_text(&l, "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\n"
                "materials: {a: {type: elastic, E: 100, nu: 0.3, density: 2, rayleigh: [0.1, 1e-3]}}\n"
                "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
                "loads: [{group: x1, force: [0, 0, \"1 - cos(9*t)\"]}]\nanalysis: {type: transient, steps: equal, step: 0.0041}\n");
  for (int m = 0; m < TNI_COUNT(method); m++) {
    tn_run_opts o = {.results = first_path, .overwrite = true, .method = method[m], .representation = "cartesian", .until = 0.5,
                     .every = 0.5/(NROW - 1)};
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
    CHECK_INT(sum.jacobians, 1);
    check_method(&l, &o, m);
  }
  models++;
  unload(&l);
}

/* explicit steps watch vibrations over many of them, which begin nowhere anew */
static void structure_by_explicit_steps(void) {
  loaded l;
  tn_summary sum;
  load_text(&l, "meshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: hex8, distort: 0.1}}}\n"
                "materials: {a: {type: plastic, E: 1000, nu: 0.3, yield: 3, hardening: 50, density: 1}}\n"
                "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
                "loads: [{group: x1, traction: [0, 0, \"3*t\"]}]\nanalysis: {type: transient}\n");
  tn_run_opts o = {.results = first_path, .overwrite = true, .method = "central", .representation = "cartesian", .until = 4,
                   .every = 4.0/(NROW - 1)};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  CHECK(sum.steps > 300);
  for (int m = 0; m < 6; m++) check_method(&l, &o, m);
  models++;
  unload(&l);
}

/* Steps depend on the end of a run: those that are repeated are those of the file, the others those of the new run. */
static void another_end_is_reached(void) {
  static const double until[] = {0.55, 0.8, 1.5, 6}, row[] = {0.1, 0.3, 0.48};
  loaded l;
  tn_summary sum;
  load_text(&l, "gravity: [0, 0, -9.81]\n"
                "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.02], at: [0.5, 0, 0]}, b: {mass: 0.7, inertia: [0.05, 0.06, 0.02], at: [1.4, 0, 0]}}\n"
                "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}, "
                "k: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0.3, 1, 0]}}\n"
                "forces: {s: {type: torsion_spring, joint: k, stiffness: 4, damping: 0.1}}\n");
  for (int m = 0, turn = 0; m < tni_integrator_ntype; m++) {
    const tni_integrator_type *type = tni_integrator_types[m];
    if (strcmp(type->name, "central") == 0 || strcmp(type->name, "staggered") == 0) continue;
    tn_run_opts first = {.results = first_path, .overwrite = true, .method = type->name, .tolerance = type->order == 2 ? 1e-3 : 1e-6, .until = 1, .every = 0.02};
    if (type->fixed_step) first.step = 0.005;
    tn_status st = tn_run(l.ctx, l.model, &first, &sum);
    if (st == TN_ERR_UNSUPPORTED || st == TN_ERR_ARGUMENT) continue; /* asks for a technique */
    CHECK_OK(l.ctx, st);
    for (int k = 0; k < TNI_COUNT(until)*TNI_COUNT(row); k++) {
      if (!all && (k + turn++) % 5) continue;
      tn_run_opts o = first;
      o.results = second_path, o.restart = first_path;
      o.until = until[k/TNI_COUNT(row)], o.restart_time = row[k % TNI_COUNT(row)];
      /* its first matrices and length have known the new end when it begins again before the first checkpoint: refused by name */
      if (strcmp(type->name, "state_time") == 0 && o.restart_time == row[0]) o.restart_time = row[1];
      st = tn_run(l.ctx, l.model, &o, &sum);
      if (!CHECK(st == TN_OK && sum.sound && sum.t_end == o.until))
        printf("  %s, from %g s to %g s: %s %s\n", type->name, o.restart_time, o.until, tn_ctx_message(l.ctx), sum.verdict);
      restarts++;
    }
  }
  unload(&l);
}

/* what the file holds is not what the repeated steps give: refused, and nothing is overwritten */
static void another_run_is_not_continued(void) {
  loaded l;
  tn_summary sum;
  load_text(&l, bouncing);
  tn_run_opts o = {.results = first_path, .overwrite = true, .method = "rk45", .until = 1,
                   .tolerance = 1e-6, .every = 0.1};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  contents whole, again;
  read_all(l.ctx, first_path, &whole);
  o.restart = first_path;
  o.restart_time = whole.t[5];
  o.tolerance = 1e-7;
  CHECK_INT(tn_run(l.ctx, l.model, &o, &sum), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(l.ctx), "do not give the row stored at") != NULL);
  o.tolerance = 1e-6;
  o.restart_time = 1.05;
  CHECK_INT(tn_run(l.ctx, l.model, &o, &sum), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(l.ctx), "must be from 0 s to 1 s") != NULL);
  read_all(l.ctx, first_path, &again);
  CHECK(again.n == whole.n && same_bits(again.rows, whole.rows, whole.n*whole.width));
  forget(&whole);
  forget(&again);
  unload(&l);
}

/* the end of a run in a file of its own, and that end continued before it has a checkpoint of its own */
static void a_continuation_is_continued(void) {
  loaded l;
  tn_summary sum;
  contents whole, rest;
  const char *path[2] = {first_path, second_path};
  load_text(&l, bouncing);
  tn_run_opts o = {.results = first_path, .overwrite = true, .method = "adams", .until = 1,
                   .tolerance = 1e-6, .every = 0.02};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  read_all(l.ctx, first_path, &whole);
  for (int i = 24, k = 0; i < 49; i += 2, k = 1 - k) {
    o.restart = path[k];
    o.results = path[1-k];
    o.restart_time = whole.t[i];
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
    read_all(l.ctx, o.results, &rest);
    CHECK(continues(&whole, &rest, whole.t[i]));
    forget(&rest);
  }
  forget(&whole);
  unload(&l);
}

/* fully driven motion has no steps to save: it is followed again, and the rows before are left out */
static void driven_motion_is_continued(void) {
  loaded l;
  tn_summary sum;
  contents whole, rest;
  load_text(&l, "bodies:\n"
                "  rod: {mass: 1, shape: {box: [1, 0.1, 0.1]}, at: [0.5, 0, 0]}\n"
                "joints:\n"
                "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n"
                "drive:\n"
                "- {joint: pin, motion: \"t + 0.1*sin(5*t)\"}\n"
                "analysis: {type: kinematics, until: 2}\n"
                "output: {every: 0.1}\n");
  tn_run_opts o = {.results = first_path, .overwrite = true};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  read_all(l.ctx, first_path, &whole);
  o.results = second_path;
  o.restart = first_path;
  o.restart_time = 0.7;
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  read_all(l.ctx, second_path, &rest);
  CHECK_INT(rest.n, 13);
  CHECK(continues(&whole, &rest, whole.t[7]));
  forget(&whole);
  forget(&rest);
  unload(&l);
}

/* what lies in the discrete memory goes on too: samples that wait for their delay, grips and branches of
 * contacts, locked hinges */
static void memory_is_continued(void) {
  static const struct {
    const char *file, *text;
    double until, at;
  } c[] = {{NULL, "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1], velocity: [0.2, 0, 0]}\n"
            "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: x}\n"
            "forces:\n  pilot: {type: pd, joint: rail, kp: 30, kd: 8, limit: 6, target: 0.5, "
            "sample: 0.03, delay: 3}\n", 1.2, 0.5},
           {"examples/control/inverted_pendulum.yaml", NULL, 1.2, 0.5},
           {"examples/contact/boards.yaml", NULL, 0.12, 0.05},
           {"examples/deployment/three_links.yaml", NULL, 2.4, 1.2}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    for (int m = 0; m < 2; m++) {
      loaded l;
      tn_summary sum;
      contents whole, rest;
      if (c[k].file && m == 1 && strstr(c[k].file, "boards")) continue; /* thousands of steps an impact */
      if (c[k].file) load_file(&l, c[k].file, NULL);
      else load_text(&l, c[k].text);
      tn_run_opts o = {.results = first_path, .overwrite = true, .until = c[k].until,
                       .every = c[k].until/12, .method = m ? "staggered" : "rk8",
                       .step = m ? 0.005 : 0};
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
      read_all(l.ctx, first_path, &whole);
      o.results = second_path;
      o.restart = first_path;
      o.restart_time = c[k].at;
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
      read_all(l.ctx, second_path, &rest);
      if (!CHECK(continues(&whole, &rest, c[k].at))) printf("model %d, method %d\n", k, m);
      forget(&whole);
      forget(&rest);
      unload(&l);
    }
  }
}

static void threads_do_not_show(void) {
  static const char *const method[] = {NULL, "rosen", "radau"};
  for (int r = 0; r < 6; r++) {
    contents file[2];
    for (int threads = 1; threads <= 2; threads++) {
      loaded l;
      tn_summary sum;
      load_file_threads(&l, "examples/vehicle/hmmwv14.yaml", "xb=2.4", threads);
      tn_run_opts o = {.results = first_path, .overwrite = true, .until = 0.3, .method = method[r/2],
                       .representation = r % 2 ? "joint" : "cartesian"};
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
      read_all(l.ctx, first_path, &file[threads - 1]);
      unload(&l);
    }
    CHECK(continues(&file[0], &file[1], -1));
    forget(&file[0]);
    forget(&file[1]);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  snprintf(first_path, sizeof(first_path), "/tmp/tenon-restart-%d-a.h5", (int)getpid());
  snprintf(second_path, sizeof(second_path), "/tmp/tenon-restart-%d-b.h5", (int)getpid());
  RUN(tree);
  RUN(redundant_loop);
  RUN(rolling_wheels);
  RUN(loop_that_turns);
  RUN(vehicle_over_a_bump);
  RUN(wheel_that_bounces);
  RUN(functions_that_jump);
  RUN(structure_with_one_matrix);
  RUN(structure_by_explicit_steps);
  RUN(another_end_is_reached);
  RUN(another_run_is_not_continued);
  RUN(a_continuation_is_continued);
  RUN(driven_motion_is_continued);
  RUN(memory_is_continued);
  RUN(threads_do_not_show);
  remove(first_path);
  remove(second_path);
  for (int m = 0; m < tni_integrator_ntype; m++) CHECK(done[m] >= (all ? 4 : 2));
  printf("%ld restarts, %ld events\n", restarts, events);
  return REPORT();
}
