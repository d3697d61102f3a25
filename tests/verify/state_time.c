/* tests/verify/state_time.c - whole windows of time at once: closed forms, orders, published numbers, threads
 *
 * References of the double pendulum in space: Runge-Kutta of order 8 in minimal coordinates, relative tolerance 2.3e-14.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "verify/models.h"

static void open_text(loaded *l, const char *text, int threads) {
  size_t n = strlen(text) + 16;
  char *whole = malloc(n);
  load_begin(l, threads);
  snprintf(whole, n, "tenon: 1\n%s", text);
  CHECK_OK(l->ctx, tn_spec_read_text(l->ctx, "test", whole, NULL, 0, &l->spec));
  free(whole);
  load_finish(l);
}

/* the state of the bodies at `until`: r, A, v, w of each, 18 numbers */
static void end_state(const char *model, const char *method, const char *representation, int elements, int order, int window,
                      double until, int threads, double *out) {
  char text[6000];
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text), "%sanalysis: {until: %.17g, method: %s, representation: %s, elements: %d, order: %d%s%d, "
           "tolerance: 1e-12}\n", model, until, method, representation, elements, order, window ? ", window: " : "", window);
  if (!window) {
    char *at = strstr(text, ", tolerance: 1e-12");
    memmove(at - 1, at, strlen(at) + 1); /* without the 0 */
  }
  open_text(&l, text, threads);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, until));
  for (int i = 0; i < tn_model_nbody(l.model); i++) {
    const tni_kin *k = &sim->s->kin[i + 1];
    memcpy(out + 18*i, k->r, 3*sizeof(double));
    memcpy(out + 18*i + 3, k->A, 9*sizeof(double));
    memcpy(out + 18*i + 12, k->v, 3*sizeof(double));
    memcpy(out + 18*i + 15, k->w, 3*sizeof(double));
  }
  tn_sim_destroy(&sim);
  unload(&l);
}

/* point mass released horizontally, Jacobi functions (benchmark A01 of the IFToMM library) */
static void pendulum_swings_ten_seconds(void) {
  static const char model[] = "planar: true\ngravity: [0, -9.81]\n"
                              "bodies: {ball: {mass: 1, inertia: 0.001, at: [-1, 0]}}\n"
                              "joints: {rod: {type: distance, bodies: [ground, ball], at1: [0, 0], at2: [0, 0]}}\n";
  double end[18];
  end_state(model, "state_time", "cartesian", 400, 4, 0, 10, 1, end);
  CHECK_WITHIN(end[0], -0.275087462576117, 1e-9);
  CHECK_WITHIN(end[1], -0.961419205099125, 1e-9);
}

/* two hinges about axes that are not parallel */
#define DOUBLE_PENDULUM(J1, J2)                                                                                    \
  "gravity: [0, 0, -9.81]\n"                                                                                       \
  "bodies:\n"                                                                                                      \
  "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]]}\n"                           \
  "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]]}\n"                              \
  "joints:\n"                                                                                                      \
  "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x, x1: y, x2: y,\n"     \
  "       initial: 0.6, initial_rate: 1}\n"                                                                        \
  "  j2: {type: revolute, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: [0, 0.8, 0.6],\n"       \
  "       axis2: [0, 0.8, 0.6], x1: x, x2: x, initial: -0.4, initial_rate: -2}\n"
static const char double_pendulum[] = DOUBLE_PENDULUM(,);

static const double at_one[18] = {-0.045143173025, -0.650565403062, -1.206607458271, 0.865740178215, -0.300296220051,
                                  0.400394960068, 0.100684928618, 0.888142079747, 0.448404049193, -0.490261653583,
                                  -0.347887663487, 0.799135585880, 0.239922613874, -1.660609494404, 0.774527354526,
                                  -1.211506642745, -0.344265668461, -1.133680512300};

static double error_of_second(const char *representation, int n, int k) {
  double end[36];
  end_state(double_pendulum, "state_time", representation, n, k, 0, 1, 1, end);
  double off = 0;
  for (int i = 0; i < 18; i++) off = fmax(off, fabs(end[18 + i] - at_one[i]));
  return off;
}

static void errors_at_ends_are_of_twice_the_order(void) {
  static const char *const representation[] = {"joint", "cartesian"};
  for (int r = 0; r < 2; r++) {
    for (int k = 1; k <= 3; k++) {
      int n = k == 1 ? 64 : k == 2 ? 24 : 10;
      double coarse = error_of_second(representation[r], n, k), fine = error_of_second(representation[r], 2*n, k);
      check_within(log2(coarse/fine), 2*k, 0.2, representation[r], __FILE__, __LINE__);
    }
    check_within(error_of_second(representation[r], 40, 4), 0, 5e-11, representation[r], __FILE__, __LINE__);
  }
}

/* eight bodies on balls and hinges: any number of threads, the same bits */
static void threads_change_no_bit(void) {
  double one[18*16], many[18*16];
  end_state(mixed_chain, "state_time", "cartesian", 40, 2, 16, 0.4, 1, one);
  for (int threads = 2; threads <= 4; threads++) {
    end_state(mixed_chain, "state_time", "cartesian", 40, 2, 16, 0.4, threads, many);
    CHECK(memcmp(one, many, sizeof(double)*18*2) == 0);
  }
}

/* a body that tumbles about its middle axis under thrust: Runge-Kutta of order 8 with quaternions, relative tolerance 2.3e-14 */
static void tumbling_body_under_thrust(void) {
  static const char model[] = "gravity: [0, 0, -9.81]\n"
                              "bodies: {b: {mass: 1, inertia: [0.01, 0.02, 0.03], angular_velocity: [0.1, 20, 0.1]}}\n"
                              "forces: {thrust: {type: force, body: b, force: [0, 0, 12], frame: body}}\n";
  static const double one[9] = {-0.410499679708, -19.996036857662, 0.250672420395, 0.565143544114, 1.119001933934,
                                -4.987373760057, 0.992827402243, 2.813601121250, -10.159785454185};
  static const double ten[9] = {0.1125279969, -19.9999334361, 0.1043432638, 7.4025656532, 127.3588170971, -493.1338258100,
                                0.7670599310, 25.4614980728, -99.0268723718};
  double off[3];
  for (int i = 0; i < 3; i++) {
    double end[18], most = 0;
    end_state(model, "state_time", "cartesian", i < 2 ? 50 << i : 1600, i < 2 ? 3 : 4, 0, i < 2 ? 1 : 10, 1, end);
    const double *want = i < 2 ? one : ten, *got[3] = {end + 15, end, end + 12};
    for (int k = 0; k < 9; k++) most = fmax(most, fabs(got[k/3][k % 3] - want[k]));
    off[i] = most;
  }
  CHECK_WITHIN(log2(off[0]/off[1]), 6, 0.2);
  CHECK_WITHIN(off[1], 0, 3e-7);
  CHECK_WITHIN(off[2], 0, 1e-8);
}

/* ten bodies in space on balls, universal joints and hinges in turn */
static void write_chain(char *text) {
  static const char *const type[] = {"spherical", "universal", "revolute"};
  static const char *const axes[] = {"", ", axis1: x, axis2: y", ", axis1: y, axis2: y"};
  char *at = text;
  at += sprintf(at, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < 10; i++)
    at += sprintf(at, "  b%d: {mass: %g, inertia: [%g, %g, %g], at: [%g, 0, 0]}\n", i, 1 - 0.05*i, 0.002 + 0.001*(i % 3), 0.004, 0.005,
                  0.15 + 0.3*i);
  at += sprintf(at, "joints:\n");
  for (int i = 0; i < 10; i++) {
    char before[16] = "ground";
    if (i) snprintf(before, sizeof(before), "b%d", i - 1);
    at += sprintf(at, "  j%d: {type: %s, bodies: [%s, b%d], at1: [%g, 0, 0], at2: [-0.15, 0, 0]%s}\n", i, type[i % 3], before, i,
                  i ? 0.15 : 0.0, axes[i % 3]);
  }
}

static char *with_smooth_bump(void) {
  char *text = calloc(1, 40000), *at;
  FILE *f = fopen(TENON_SOURCE_DIR "/examples/vehicle/hmmwv14.yaml", "r");
  if (!CHECK(f != NULL)) return text;
  char line[1000];
  at = text;
  while (fgets(line, sizeof(line), f)) {
    const char *road = strstr(line, "road: if(");
    if (strncmp(line, "tenon:", 6) == 0 || strstr(line, "road_edges:")) continue;
    if (strncmp(line, "analysis:", 9) == 0) break; /* the last part of the file */
    if (road) at += sprintf(at, "%.*sroad: \"0.05*exp(-((x - 2.4)/0.15)^2)\"\n", (int)(road - line), line);
    else at += sprintf(at, "%s", line);
  }
  fclose(f);
  return text;
}

/* By the tolerance: against another family of methods. The vehicle meets the bump after 0.1 s. */
static void motions_agree_with_radau(void) {
  struct {
    char *text;
    double until, tolerance, within;
  } m[] = {{calloc(1, 8000), 0.3, 1e-8, 1e-7}, {with_smooth_bump(), 0.2, 1e-6, 1e-5}};
  write_chain(m[0].text);
  for (int i = 0; i < 2; i++) {
    static double got[2][18*16];
    static const char *const method[] = {"state_time", "radau"};
    int n = 0;
    for (int k = 0; k < 2; k++) {
      loaded l;
      tn_sim *sim;
      open_text(&l, m[i].text, 1);
      tn_run_opts o = {.method = method[k], .representation = "cartesian", .until = m[i].until, .tolerance = m[i].tolerance*(k ? 0.1 : 1)};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      CHECK_OK(l.ctx, tn_sim_advance(sim, m[i].until));
      n = tn_model_nbody(l.model);
      for (int b = 0; b < n; b++) {
        const tni_kin *kin = &sim->s->kin[b + 1];
        memcpy(got[k] + 18*b, kin->r, 3*sizeof(double));
        memcpy(got[k] + 18*b + 3, kin->A, 9*sizeof(double));
        memcpy(got[k] + 18*b + 12, kin->v, 3*sizeof(double));
        memcpy(got[k] + 18*b + 15, kin->W, 3*sizeof(double));
      }
      tn_sim_destroy(&sim);
      unload(&l);
    }
    double moved = 0;
    for (int j = 0; j < 18*n; j++) {
      CHECK_WITHIN((got[0][j] - got[1][j])/(1 + fabs(got[1][j])), 0, m[i].within);
      moved = fmax(moved, fabs(got[1][j]));
    }
    CHECK(moved > 1);
    free(m[i].text);
  }
}

/* an element after the other, or all of them at once */
static void windows_of_any_size_end_alike(void) {
  const char *const model[] = {spatial_four_bar_exact, spatial_four_bar, slider_crank};
  for (int i = 0; i < 3; i++) {
    double alone[18*4], whole[18*4], other[18*4];
    int n = 18*3;
    end_state(model[i], "state_time", "cartesian", 50, 2, 1, 0.5, 1, alone);
    end_state(model[i], "state_time", "cartesian", 50, 2, 50, 0.5, 1, whole);
    end_state(model[i], "radau", "cartesian", 50, 2, 0, 0.5, 1, other);
    for (int k = 0; k < n; k++) CHECK_WITHIN(whole[k], alone[k], 1e-10);
    end_state(model[i], "state_time", "joint", 100, 4, 0, 0.5, 1, whole);
    for (int k = 0; k < n; k++) CHECK_WITHIN(whole[k], other[k], 1e-7);
  }
}

/* four radians in an element are more than its coordinates can hold: two halves are not */
static void elements_that_are_too_long_are_halved(void) {
  loaded l;
  tn_sim *sim;
  load_text(&l, "bodies: {top: {mass: 1, inertia: [0.02, 0.03, 0.04], angular_velocity: [0, 0, 20]}}\n"
                "analysis: {until: 2, method: state_time, elements: 10, representation: cartesian}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 2));
  CHECK_WITHIN(sim->s->kin[1].A[0], cos(40.0), 1e-9);
  CHECK_WITHIN(sim->s->kin[1].A[3], sin(40.0), 1e-9);
  CHECK(sim->it->stats.steps >= 20 && sim->it->stats.steps <= 40);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* states of the mixed chain at times that are no ends of elements */
enum { LOOKS = 37 };
static void states_between(const char *analysis, double until, int threads, double *out, tn_summary *sum) {
  char text[6000];
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text), "%sanalysis: {until: %g, representation: cartesian, %s}\n", mixed_chain, until, analysis);
  open_text(&l, text, threads);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  for (int k = 1; k <= LOOKS; k++) {
    CHECK_OK(l.ctx, tn_sim_advance(sim, until*k/LOOKS));
    for (int b = 0; b < 2; b++, out += 15) {
      const tni_kin *x = &sim->s->kin[b + 1];
      memcpy(out, x->r, 3*sizeof(double));
      memcpy(out + 3, x->A, 9*sizeof(double));
      memcpy(out + 12, x->v, 3*sizeof(double));
    }
  }
  if (sum) tn_sim_summary(sim, sum);
  tn_sim_destroy(&sim);
  unload(&l);
}
static double largest_difference(const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < LOOKS*30; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* inside elements of four points places have degree eight: no worse than at their ends */
static void looks_inside_have_the_order_of_ends(void) {
  static double want[LOOKS*30], got[2][LOOKS*30];
  states_between("method: rk8, tolerance: 1e-12", 1, 1, want, NULL);
  states_between("method: state_time, elements: 30, order: 4", 1, 1, got[0], NULL);
  states_between("method: state_time, elements: 60, order: 4", 1, 1, got[1], NULL);
  double off[2] = {largest_difference(got[0], want), largest_difference(got[1], want)};
  CHECK(off[1] < 5e-10 && log2(off[0]/off[1]) > 7);
}

/* orders as the tolerance asks: the highest where it is tight, fewer elements for it, and never another motion */
static void orders_follow_the_tolerance(void) {
  static double want[LOOKS*30], got[LOOKS*30], other[LOOKS*30];
  tn_summary fixed, sum;
  states_between("method: rk8, tolerance: 1e-12", 1, 1, want, NULL);
  states_between("method: state_time, tolerance: 1e-9", 1, 1, got, &fixed);
  states_between("method: state_time, tolerance: 1e-9, orders: adaptive", 1, 1, got, &sum);
  CHECK(largest_difference(got, want) < 1e-8);
  CHECK(sum.steps*3 < fixed.steps*2);
  const char *four = strstr(sum.method, " of 3, ");
  CHECK(four && atol(four + 7) > 50);
  states_between("method: state_time, tolerance: 1e-9, orders: adaptive", 1, 3, other, NULL);
  CHECK(memcmp(got, other, sizeof(got)) == 0);
}

int main(void) {
  RUN(looks_inside_have_the_order_of_ends);
  RUN(orders_follow_the_tolerance);
  RUN(pendulum_swings_ten_seconds);
  RUN(errors_at_ends_are_of_twice_the_order);
  RUN(elements_that_are_too_long_are_halved);
  RUN(threads_change_no_bit);
  RUN(windows_of_any_size_end_alike);
  RUN(tumbling_body_under_thrust);
  RUN(motions_agree_with_radau);
  return REPORT();
}
