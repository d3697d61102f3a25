/* tests/verify/rolling.c - balls and capsules that lie on a floor are kicked: they slide, roll and stay down
 *
 * Sizes, masses, stiffnesses, restitutions, friction, kicks and spins are drawn at random; methods, tolerances and
 * representations too. With the velocity u of the point of contact the friction mu m g acts against u, whose
 * direction stays, until u = 0 at the time that is given:
 *   ball                     v = v0 - 2/7 u0 from t = 2/7 |u0|/(mu g) on; from then on it rolls
 *   capsule, across its axis v = v0 m R^2/(I + m R^2) from t = v0/(mu g) I/(I + m R^2) on, rolling
 *   capsule, along its axis  stands still from t = v0/(mu g) on, after v0^2/(2 mu g)
 * They begin where their weight presses them in, m g/k and half of it at each end of a capsule, and lie there ever
 * after: nothing lifts off, and nothing sinks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

static const double G = 9.81;

static uint64_t seed = 20240811;
static double uniform(double from, double to) {
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return from + (to - from)*(double)(seed >> 11)*0x1p-53;
}
static int choice(int n) { return (int)uniform(0, n); }

static const char *const methods[] = {"auto", "rk45", "rk8", "adams", "rosen", "sdirk", "radau",
                                      "infl_sdirk", "ida", "alpha", "hht", "trap", "infl_trap"};
enum { NMETHOD = TNI_COUNT(methods), SECOND_ORDER = 9 }; /* from here on */

typedef struct {
  enum { BALL, ACROSS, ALONG, NKIND } kind;
  int method;
  bool cartesian;
  double tolerance, m, R, L, k, e, mu, v[2], spin[3];
  /* what comes out */
  double end[2], slides, until, way;
} kick;

static kick draw(int kind, int method) {
  kick d = {.kind = kind, .method = method, .cartesian = choice(2)};
  d.tolerance = pow(10, uniform(method >= SECOND_ORDER ? -5 : -7, -3));
  d.m = pow(10, uniform(-1, 1));
  d.R = pow(10, uniform(-1.5, -0.5));
  d.L = d.R*uniform(4, 10);
  d.mu = uniform(0.05, kind == ALONG ? 0.5 : 0.8);
  d.e = choice(4) ? uniform(0.05, 0.95) : kind == ALONG ? 0.9 : 1; /* one that rocks must come to rest */
  /* pressed in by a thousandth to a hundred thousandth of the radius */
  d.k = d.m*G/(d.R*pow(10, uniform(-5, -3)));
  double angle = uniform(-3, 3), v0 = pow(10, uniform(-0.5, 0.5));
  d.v[0] = kind == BALL ? v0*cos(angle) : kind == ALONG ? 0 : v0;
  d.v[1] = kind == BALL ? v0*sin(angle) : kind == ALONG ? v0 : 0;
  for (int i = 0; i < 3 && kind == BALL && choice(2); i++) d.spin[i] = uniform(-1, 1)*v0/d.R;
  /* velocity of the point of contact, below the centre */
  double u[2] = {d.v[0] - d.R*d.spin[1], d.v[1] + d.R*d.spin[0]}, size = hypot(u[0], u[1]);
  double I = kind == BALL ? 0.4 : 0.5; /* of m R^2 */
  double part = kind == ALONG ? 1 : I/(1 + I);
  for (int i = 0; i < 2; i++) d.end[i] = d.v[i] - part*u[i];
  d.slides = part*size/(d.mu*G);
  /* and the springs of the contact come to rest */
  d.until = 1.3*d.slides + 0.05 + 60*sqrt(d.m/d.k);
  /* along the first direction, with the deceleration mu g against u */
  d.way = hypot(d.v[0]*d.slides - 0.5*d.mu*G*d.slides*d.slides*u[0]/size + d.end[0]*(d.until - d.slides),
                d.v[1]*d.slides - 0.5*d.mu*G*d.slides*d.slides*u[1]/size + d.end[1]*(d.until - d.slides));
  return d;
}

static void write_model(const kick *d, char *text, size_t n) {
  char shape[200] = "", inertia[200];
  double k = d->kind == BALL ? d->k : 0.5*d->k; /* of each touch */
  if (d->kind != BALL)
    snprintf(shape, sizeof(shape), "shape1: capsule, axis1: [0, 1, 0], length1: %.17g, ", d->L);
  double I = (d->kind == BALL ? 0.4 : 0.5)*d->m*d->R*d->R, across = d->m*(d->L*d->L/12 + d->R*d->R/4);
  snprintf(inertia, sizeof(inertia), "[%.17g, %.17g, %.17g]", d->kind == BALL ? I : across, I,
           d->kind == BALL ? I : across);
  snprintf(text, n,
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n  it: {mass: %.17g, inertia: %s, at: [0, 0, %.17g],\n"
           "    velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, %.17g, %.17g]}\n"
           "forces:\n  floor: {type: contact, bodies: [it, ground], %sradius1: %.17g, stiffness: %.17g,\n"
           "    restitution: %.17g, friction: %.17g}\n"
           "analysis: {until: %.17g, representation: %s}\n",
           d->m, inertia, d->R - d->m*G/d->k, d->v[0], d->v[1], d->spin[0], d->spin[1], d->spin[2], shape, d->R,
           k, d->e, d->mu, d->until, d->cartesian ? "cartesian" : "auto");
}

enum { MAX_STEPS = 1000000 };

/* what went wrong, NULL: nothing */
static const char *judge(const kick *d, char *what, size_t n) {
  char text[1500];
  loaded l;
  tn_sim *sim = NULL;
  tn_run_opts o = {.method = methods[d->method], .tolerance = d->tolerance};
  write_model(d, text, sizeof(text));
  load_text(&l, text);
  what[0] = 0;
  tn_status st = tn_sim_create(l.ctx, l.model, &o, &sim);
  double sag = d->m*G/d->k, lowest = 0, highest = -HUGE_VAL, v0 = hypot(d->v[0], d->v[1]);
  long steps = 0;
  bool lifted = false;
  for (; st == TN_OK && sim->at.t < d->until && steps < MAX_STEPS; steps++) {
    st = tn_sim_step(sim);
    if (st != TN_OK) break;
    double z = sim->s->kin[1].r[2] - d->R + sag; /* above where it should lie */
    lowest = fmin(lowest, z);
    highest = fmax(highest, z);
    for (int i = 0; i < sim->switches.n; i++) lifted = lifted || sim->switches.row[i].kind == TNI_SWITCH_RELEASE;
  }
  const tni_kin *k = &sim->s->kin[1];
  /* how far tolerances let it rise and sink; how far the stick spring gives way */
  double near = 20*d->tolerance*(1 + d->R) + 1e-3*sag, spring = d->mu*sag + 1e-3*d->way;
  double off = hypot(k->v[0] - d->end[0], k->v[1] - d->end[1]);
  double way = hypot(k->r[0], k->r[1]);
  if (st != TN_OK) snprintf(what, n, "%s: %.200s", tn_status_name(st), tn_ctx_message(l.ctx));
  else if (steps == MAX_STEPS) snprintf(what, n, "stalls at %g s", sim->at.t);
  else if (lifted && near < 0.3*sag) snprintf(what, n, "lifts off");
  else if (fmax(-lowest, highest) > near + (d->kind == ALONG ? 2*sag : 0))
    snprintf(what, n, "from %g to %g m above its place, sag %g", lowest, highest, sag);
  else if (off > (20*d->tolerance + 2e-4)*(1 + v0))
    snprintf(what, n, "goes on at [%.8g, %.8g] m/s, want [%.8g, %.8g]", k->v[0], k->v[1], d->end[0], d->end[1]);
  else if (fabs(way - d->way) > 20*d->tolerance*(1 + d->way) + spring)
    snprintf(what, n, "is %.8g m away, want %.8g", way, d->way);
  tn_sim_destroy(&sim);
  unload(&l);
  return what[0] ? what : NULL;
}

static bool quick = true; /* each method with one kind */
static int each = 1;    /* models of each kind and method; with the argument all: 8; else a number, then */
static int only = -1;   /* the kind and the method of one, before its seed                              */
static int with = -1;

static void kicked_bodies_roll_as_they_should(void) {
  static const char *const name[] = {"ball", "capsule across", "capsule along"};
  int bad = 0, tried = 0;
  for (int i = 0; i < each; i++)
    for (int kind = 0; kind < NKIND; kind++)
      for (int m = 0; m < NMETHOD; m++) {
        if ((only >= 0 && kind != only) || (with >= 0 && m != with)) continue;
        uint64_t before = seed;
        kick d = draw(kind, m);
        if (quick && (kind + m) % NKIND) continue;
        char what[400];
        clock_t begun = clock();
        const char *wrong = judge(&d, what, sizeof(what));
        tried++;
        if (check_seconds(begun) > 5 || wrong)
          printf("%d %d %llu: %s, e %.3g, mu %.3g, sag/R %.1e, v %.3g, %s %s, tolerance %.2g: %s, %.2g s\n", kind, m,
                 (unsigned long long)before, name[kind], d.e, d.mu, d.m*G/d.k/d.R, hypot(d.v[0], d.v[1]), methods[m],
                 d.cartesian ? "cartesian" : "auto", d.tolerance, wrong ? wrong : "right", check_seconds(begun));
        bad += wrong != NULL;
      }
  printf("%d kicks\n", tried);
  CHECK_INT(bad, 0);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  quick = argc < 2;
  if (argc > 1) each = strcmp(argv[1], "all") == 0 ? 8 : atoi(argv[1]);
  if (argc > 2) only = atoi(argv[2]);
  if (argc > 3) with = atoi(argv[3]);
  if (argc > 4) seed = strtoull(argv[4], NULL, 10);
  RUN(kicked_bodies_roll_as_they_should);
  return REPORT();
}
