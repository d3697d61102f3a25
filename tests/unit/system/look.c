/* what is asked for at a state is that of the state, whatever the data was used for before, and is not evaluated twice
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/loaded.h"
#include "system/system.h"

enum { STATES = 4, ROUNDS = 60, MOST = 4000 };

typedef struct {
  tni_data *d;
  double *q[STATES], *v[STATES], *a[STATES], *wrench, *memory[STATES], *scratch;
  double z[TNI_NZ];
} asked;

static double *room(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void open_data(const tni_system *s, asked *x) {
  memset(x, 0, sizeof(*x));
  CHECK_INT(tni_data_create(s, &x->d), TN_OK);
  CHECK_INT(tni_prepare_tangent(x->d), TN_OK);
  tni_data *d = x->d;
  double *dx = room(d->nv), *q0 = room(d->nq);
  x->wrench = room(6*d->nbody + 600);
  x->scratch = room(6*d->nbody + 2*d->nv + d->nq + d->m);
  for (int k = 0; k < STATES; k++) {
    x->q[k] = room(d->nq), x->v[k] = room(d->nv), x->a[k] = room(d->nv), x->memory[k] = room(tni_nmemory(d));
    tni_initial(d, q0, x->v[k]);
    for (int i = 0; i < d->nv; i++) {
      int n = k % 3; /* the last is the first at another time */
      dx[i] = 2e-3*sin(1.7*i + n);
      x->v[k][i] += 0.2*cos(0.9*i + 2*n);
      x->a[k][i] = sin(0.3*i + n);
    }
    tni_retract(d, q0, dx, x->q[k]);
    tni_memory_keep(d, x->memory[k]);
  }
  free(dx), free(q0);
}

static void close_data(asked *x) {
  tni_data_destroy(&x->d);
  for (int k = 0; k < STATES; k++) free(x->q[k]), free(x->v[k]), free(x->a[k]), free(x->memory[k]);
  free(x->wrench), free(x->scratch);
}

/* the first three states at the same time: it alone tells nothing */
static tni_at at(const asked *x, int k) { return (tni_at){.t = k == 3 ? 0.2 : 0.1, .q = x->q[k], .v = x->v[k], .a = x->a[k]}; }

/* the answer to question number `what` at state k */
static int ask(asked *x, int k, int what, double *out) {
  tni_data *d = x->d;
  tni_at here = at(x, k);
  int which, n = 0;
  switch (what) {
    case 0: out[n++] = tni_look_kinetic(d, &here); break;
    case 1: {
      tni_energies e;
      tni_look_energies(d, &here, &e);
      memcpy(out, &e, sizeof(e));
      n = sizeof(e)/sizeof(double);
      break;
    }
    case 2:
      n = 6*d->nbody;
      memcpy(out, tni_look_accelerations(d, &here), (size_t)n*sizeof(double));
      break;
    case 3:
      memcpy(out, tni_look_bodies(d, &here), (size_t)(d->nbody + 1)*sizeof(tni_kin));
      n = (d->nbody + 1)*(int)(sizeof(tni_kin)/sizeof(double));
      break;
    case 4:
      out[6*d->nbody] = tni_look_loads(d, &here, out);
      n = 6*d->nbody + 1;
      break;
    case 5: out[n++] = tni_look_turning(d, &here, &which); break;
    default: {
      tni_state now = {.t = here.t, .q = x->q[k], .v = x->v[k], .a = x->a[k], .z = x->z, .memory = x->memory[k]};
      tni_look_sensors(d, &now, x->wrench, out);
      n = tni_system_nsensor(d);
    }
  }
  return n;
}

/* what others do with a data in between */
static void disturb(asked *x, int k, int how) {
  tni_data *d = x->d;
  tni_at here = at(x, k);
  double *y = x->scratch, *w = y + d->nv, *phi = w + d->nv;
  switch (how) {
    case 0: CHECK_INT(tni_accel(d, here.t, here.q, here.v, y, NULL, NULL), TN_OK); break;
    case 1: tni_eval_phi(d, here.t, here.q, phi); break;
    case 2: tni_eval_rate(d, here.t, here.q, here.v, phi); break;
    case 3: tni_eval_balance(d, here.t, here.q, here.v, here.a, NULL, y, NULL, NULL, NULL); break;
    case 4: tni_eval_bodies(d, here.t, here.q, here.v, NULL); break;
    case 5: tni_eval_reactions(d, here.t, here.q, here.v, here.a, phi, x->wrench + 6); break;
    case 6: CHECK_INT(tni_update_rank(d, here.t, here.q), TN_OK); break;
    case 7: {
      tni_tangent out = {.f_q = room(d->nv*d->nv)};
      memset(phi, 0, (size_t)d->m*sizeof(double));
      if (!d->relative) CHECK_INT(tni_eval_tangent(d, here.t, here.q, here.v, here.a, phi, &out), TN_OK);
      free(out.f_q);
      break;
    }
    case 8: {
      tni_terms terms;
      for (int i = 0; i < d->nv; i++) y[i] = here.v[i] + 0.1*i;
      if (tni_has_terms(d)) tni_eval_terms(d, here.t, here.q, here.v, y, &terms);
      break;
    }
    case 9: {
      tni_kin *aside = malloc((size_t)(d->nbody + 1)*sizeof(tni_kin));
      tni_look_aside(d, &here, aside);
      free(aside);
      break;
    }
    default: tni_memory_restore(d, x->memory[k]); break;
  }
  memset(x->wrench, 0, 6*sizeof(double));
}

static void try_system(const tni_system *s) {
  asked used;
  unsigned seed = 7;
  open_data(s, &used);
  double *mine = room(MOST), *fresh = room(MOST);
  for (int round = 0; round < ROUNDS; round++) {
    int r[5];
    for (int i = 0; i < 5; i++) r[i] = (int)((seed = seed*1103515245u + 12345u) >> 16 & 0x7fff);
    disturb(&used, r[0] % STATES, r[1] % 11);
    if (round % 2) disturb(&used, r[2] % STATES, r[3] % 11);
    memset(used.wrench, 0, 600*sizeof(double));
    for (int what = 0; what < 7; what++) {
      asked other;
      int k = (r[4] + what*(round % 3)) % STATES, n = ask(&used, k, what, mine);
      open_data(s, &other);
      CHECK_INT(ask(&other, k, what, fresh), n);
      CHECK(n < MOST && memcmp(mine, fresh, (size_t)n*sizeof(double)) == 0);
      close_data(&other);
    }
  }
  free(mine), free(fresh);
  close_data(&used);
}

static const char *const loop =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.3], at: [0.5, 0, 0]}\n"
    "  b: {mass: 2, inertia: [0.2, 0.2, 0.1], at: [1.5, 0.3, 0]}\n"
    "joints:\n"
    "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z}\n"
    "  s: {type: spherical, bodies: [a, b], at: [1, 0, 0]}\n"
    "  d: {type: inplane, bodies: [ground, b], at: [2, 0.5, 0], axis: [0.3, 0, 1]}\n"
    "forces:\n"
    "  k: {type: spring, bodies: [ground, b], at1: [0, 2, 0], at2: [0, 0.1, 0], stiffness: 30, damping: 2, free_length: 1}\n"
    "  push: {type: force, body: b, force: [\"3*sin(5*t)\", 0, 1]}\n"
    "  own: {type: callback, bodies: [a, b]}\n"
    "sensors:\n"
    "  x: {type: expression, value: \"x(b)*angle(p)\", unit: m}\n"
    "  acc: {type: acceleration, body: b, point: [0.1, 0, 0]}\n";

static int evaluations;

static void count(void *user, double t, int nbody, const tn_body_state *body, tn_force_result *out) {
  (void)user;
  if (nbody != 2) return;
  evaluations++;
  out->f[0] = t*body[1].r[1];
  out->f[6] = -out->f[0];
}

static void try_model(const char *text) {
  tn_status (*const make[2])(tn_ctx *, const tn_model *, const tni_system_opts *, tni_system **) = {
      tni_cartesian_system, tni_joint_system};
  for (int r = 0; r < 2; r++) {
    loaded l;
    tni_system *s;
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_model_set_callback(l.model, "own", count, NULL));
    CHECK_OK(l.ctx, make[r](l.ctx, l.model, NULL, &s));
    try_system(s);
    tni_system_destroy(&s);
    unload(&l);
  }
}

static void answers_do_not_depend_on_what_was_asked_before(void) { try_model(loop); }

/* questions at a state whose accelerations are known cost no force; nor do they after others that need none */
static void what_is_there_is_not_evaluated_again(void) {
  tn_status (*const make[2])(tn_ctx *, const tn_model *, const tni_system_opts *, tni_system **) = {
      tni_cartesian_system, tni_joint_system};
  for (int r = 0; r < 2; r++) {
    loaded l;
    tni_system *s;
    asked x;
    load_text(&l, loop);
    CHECK_OK(l.ctx, tn_model_set_callback(l.model, "own", count, NULL));
    CHECK_OK(l.ctx, make[r](l.ctx, l.model, NULL, &s));
    open_data(s, &x);
    double *out = room(MOST);
    disturb(&x, 1, 0);
    evaluations = 0;
    for (int what = 0; what < 7; what++) ask(&x, 1, what, out);
    disturb(&x, 1, 4);
    disturb(&x, 2, 9);
    ask(&x, 1, 1, out);
    CHECK_INT(evaluations, 0);
    ask(&x, 2, 1, out);
    ask(&x, 2, 6, out);
    CHECK_INT(evaluations, 1);
    tni_memory_restore(x.d, x.memory[2]); /* forces depend on it */
    ask(&x, 2, 1, out);
    CHECK_INT(evaluations, 2);
    free(out);
    close_data(&x);
    tni_system_destroy(&s);
    unload(&l);
  }
}

int main(void) {
  RUN(answers_do_not_depend_on_what_was_asked_before);
  RUN(what_is_there_is_not_evaluated_again);
  return REPORT();
}
