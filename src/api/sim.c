/* api/sim.c - the state of a simulation in the hands of the caller: take, set, save, load, reset, read
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tenon/analysis.h>

#include "analyses/record.h"
#include "analyses/sim.h"
#include "base/file.h"
#include "model/part.h"

/* ---- the whole state ----------------------------------------------------------------------- */

/* Three numbers come after those of the checkpoint: what bodies, joints and forces the model has, what method runs on which representation, and a sum of
 * all that comes before. A state of another model may have as many numbers. */
enum { SEAL = 3 };

static uint64_t sum_of(uint64_t h, const void *data, size_t n) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < n; i++) h = (h ^ byte[i])*1099511628211u;
  return h;
}

static uint64_t sum_of_text(uint64_t h, const char *text) { return sum_of(h, text, strlen(text) + 1); }

/* FNV-1a; as a number that a double holds */
static const uint64_t EMPTY = 14695981039346656037u;
static double number_of(uint64_t h) { return (double)(h >> 11); }

static double seal_of_model(const tn_sim *sim) {
  const tn_model *m = sim->model;
  uint64_t h = EMPTY;
  for (int i = 0; i < m->nbody; i++) h = sum_of_text(h, m->body[i].name);
  for (int i = 0; i < m->njoint; i++) {
    h = sum_of_text(sum_of_text(h, m->joint[i].name), m->joint[i].type);
    h = sum_of(h, m->joint[i].body, sizeof(m->joint[i].body));
  }
  for (int i = 0; i < m->nforce; i++) h = sum_of_text(sum_of_text(h, m->force[i].name), m->force[i].type);
  for (int i = 0; i < m->npart; i++) h = sum_of(sum_of_text(h, m->part[i].name), &m->part[i].nv, sizeof(m->part[i].nv));
  return number_of(sum_of(h, &m->nmemory, sizeof(m->nmemory)));
}

static double seal_of_method(const tn_sim *sim) {
  const char *method = sim->choice ? "auto" : sim->it->type->name, *on = sim->choice ? "" : tni_representation(sim->s);
  return number_of(sum_of_text(sum_of_text(sum_of_text(EMPTY, method), on), sim->set.technique));
}

static double seal_of_numbers(const double *state, size_t n) { return number_of(sum_of(EMPTY, state, (n - 1)*sizeof(*state))); }

size_t tn_sim_state_size(const tn_sim *sim) { return sim ? (size_t)tni_sim_ncheckpoint(sim) + SEAL : 0; }

double tn_sim_state_time(const tn_sim *sim) { return sim ? sim->t_hi : NAN; }

tn_status tn_sim_get_state(tn_sim *sim, double *state, size_t size) {
  TNI_REQUIRE_SIM(sim);
  size_t n = tn_sim_state_size(sim);
  TN_REQUIRE(sim->ctx, state && size == n, TN_ERR_ARGUMENT, "%s of %zu numbers, must be %zu (tn_sim_state_size)",
             state ? "room for a state" : "no room for a state", size, n);
  memset(state, 0, size*sizeof(*state)); /* parts that the method in use does not need */
  TN_TRY(tni_sim_settle(sim));
  TN_TRY(tni_sim_save(sim, state));
  state[n-3] = seal_of_model(sim);
  state[n-2] = seal_of_method(sim);
  state[n-1] = seal_of_numbers(state, n);
  return tni_sim_look(sim, sim->t_hi);
}

static tn_status check_state(tn_sim *sim, const double *state, size_t size, bool method_too) {
  size_t n = tn_sim_state_size(sim);
  TN_REQUIRE(sim->ctx, state, TN_ERR_ARGUMENT, "no state to set");
  TN_REQUIRE(sim->ctx, size == n, TN_ERR_ARGUMENT, "state of %zu numbers, this simulation has %zu: model, method or representation differs",
             size, n);
  TN_REQUIRE(sim->ctx, state[n-1] == seal_of_numbers(state, n), TN_ERR_ARGUMENT, "the numbers of the state are not those that tn_sim_get_state gave");
  TN_REQUIRE(sim->ctx, state[n-3] == seal_of_model(sim), TN_ERR_ARGUMENT, "the state is that of another model: names or types of bodies, joints or "
             "forces differ");
  TN_REQUIRE(sim->ctx, !method_too || state[n-2] == seal_of_method(sim), TN_ERR_ARGUMENT, "the state is that of another method, representation or "
             "technique; this simulation has %s, %s", sim->choice ? "auto" : sim->it->type->name, tni_representation(sim->s));
  return TN_OK;
}

tn_status tn_sim_set_state(tn_sim *sim, const double *state, size_t size) {
  TNI_REQUIRE_SIM(sim);
  TN_TRY(check_state(sim, state, size, true));
  return tni_sim_load(sim, state);
}

/* ---- in a file ----------------------------------------------------------------------------- */

/* "TNSTATE1", number of numbers, FNV-1a sum of their bytes, the numbers; of the machine that wrote it */
typedef struct {
  char magic[8];
  uint64_t n, sum;
} state_head;
static const char MAGIC[8] = {'T', 'N', 'S', 'T', 'A', 'T', 'E', '1'};

static tn_status write_state(tn_ctx *ctx, const char *path, const double *state, size_t n) {
  state_head head = {.n = n, .sum = sum_of(EMPTY, state, n*sizeof(*state))};
  memcpy(head.magic, MAGIC, sizeof(MAGIC));
  tni_arena arena;
  tni_file_place place;
  tni_arena_init(&arena, ctx);
  tn_status st = tni_file_place_find(&arena, path, &place);
  if (st != TN_OK) {
    tni_arena_clear(&arena);
    return st;
  }
  FILE *f = fopen(place.part, "wb");
  bool ok = f && fwrite(&head, sizeof(head), 1, f) == 1 && fwrite(state, sizeof(*state), n, f) == n;
  int error = errno;
  if (f && fclose(f) != 0 && ok) ok = false, error = errno;
  int renamed = f ? tni_file_place_close(&place, ok) : 0;
  if (ok && renamed != 0) ok = false, error = renamed;
  tni_arena_clear(&arena);
  return ok ? TN_OK : TN_FAIL(ctx, TN_ERR_IO, "state '%s': %s", path, strerror(error));
}

tn_status tn_sim_save(tn_sim *sim, const char *path) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, path, TN_ERR_ARGUMENT, "no name of a file for the state");
  size_t n = tn_sim_state_size(sim);
  double *state = tni_doubles(sim->ctx, n);
  if (!state) return tni_out_of_memory(sim->ctx);
  tn_status st = tn_sim_get_state(sim, state, n);
  if (st == TN_OK) st = write_state(sim->ctx, path, state, n);
  tni_free(sim->ctx, state);
  return st;
}

tn_status tn_sim_load(tn_sim *sim, const char *path) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, path, TN_ERR_ARGUMENT, "no name of a file with a state");
  size_t n = tn_sim_state_size(sim), want = sizeof(state_head) + n*sizeof(double), size = 0;
  char *bytes = NULL, why[TNI_WHY_MAX];
  tni_file_id id;
  state_head head = {{0}, 0, 0};
  double *state = tni_doubles(sim->ctx, n);
  if (!state) return tni_out_of_memory(sim->ctx);
  tn_status st = tni_file_read(sim->ctx, path, want, &bytes, &size, &id, why);
  if (st == TN_ERR_IO) st = TN_FAIL(sim->ctx, TN_ERR_IO, "state '%s': %s", path, why);
  if (st == TN_OK && size >= sizeof(head)) memcpy(&head, bytes, sizeof(head));
  if (st == TN_OK && memcmp(head.magic, MAGIC, sizeof(MAGIC)) != 0)
    st = TN_FAIL(sim->ctx, TN_ERR_INPUT, "state '%s': is not a state that tn_sim_save has written", path);
  if (st == TN_OK && (head.n != n || size != want))
    st = TN_FAIL(sim->ctx, TN_ERR_INPUT,
                 "state '%s': has %llu numbers in %zu bytes, this simulation needs %zu in %zu: model, method or "
                 "representation differs, or the file is cut", path, (unsigned long long)head.n, size, n, want);
  if (st == TN_OK) {
    memcpy(state, bytes + sizeof(head), n*sizeof(double));
    if (sum_of(EMPTY, state, n*sizeof(double)) != head.sum)
      st = TN_FAIL(sim->ctx, TN_ERR_INPUT, "state '%s': damaged, its numbers have changed", path);
  }
  if (st == TN_OK && check_state(sim, state, n, true) != TN_OK) {
    char text[TNI_MESSAGE_MAX];
    snprintf(text, sizeof(text), "%s", tn_ctx_message(sim->ctx));
    st = TN_FAIL(sim->ctx, TN_ERR_INPUT, "state '%s': %.600s", path, text);
  }
  if (st == TN_OK) st = tni_sim_load(sim, state);
  tni_free(sim->ctx, bytes);
  tni_free(sim->ctx, state);
  return st;
}

/* ---- coordinates, other models, the beginning ---------------------------------------------- */

void tn_sim_coordinates(const tn_sim *sim, int *nq, int *nv) {
  if (nq) *nq = sim ? sim->s->nq : 0;
  if (nv) *nv = sim ? sim->s->nv : 0;
}

tn_status tn_sim_get_coordinates(tn_sim *sim, double *q, double *v) {
  TNI_REQUIRE_SIM(sim);
  if (q) memcpy(q, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  if (v) memcpy(v, sim->at.v, (size_t)sim->s->nv*sizeof(double));
  return TN_OK;
}

static bool are_numbers(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

tn_status tn_sim_set_coordinates(tn_sim *sim, const double *q, const double *v) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, q && v && are_numbers(q, sim->s->nq) && are_numbers(v, sim->s->nv), TN_ERR_ARGUMENT,
             "coordinates to set must be %d and %d finite numbers", sim->s->nq, sim->s->nv);
  return tni_sim_place(sim, sim->at.t, q, v);
}

tn_status tn_sim_continue(tn_sim *sim, tn_sim *from) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, from, TN_ERR_ARGUMENT, "no simulation to go on from");
  size_t n = tn_sim_state_size(from);
  double *state = tni_doubles(sim->ctx, n);
  if (!state) return tni_out_of_memory(sim->ctx);
  tn_status st = tn_sim_get_state(from, state, n);
  if (st == TN_OK) st = check_state(sim, state, n, false);
  if (st == TN_OK) st = tni_sim_take_over(sim, state);
  tni_free(sim->ctx, state);
  return st;
}

tn_status tn_sim_reset(tn_sim *sim) {
  TNI_REQUIRE_SIM(sim);
  return tni_sim_reset(sim);
}

/* ---- sensors and forces -------------------------------------------------------------------- */

tn_status tn_sim_sensor(tn_sim *sim, int sensor, double *values) {
  TNI_REQUIRE_SIM(sim);
  const tn_model *m = sim->model;
  int at = 0;
  TN_REQUIRE(sim->ctx, sensor >= 0 && sensor < m->nsensor, TN_ERR_ARGUMENT,
             "sensor %d does not exist, there are %d", sensor, m->nsensor);
  TN_REQUIRE(sim->ctx, values, TN_ERR_ARGUMENT, "no place for the values of sensor '%s'", m->sensor[sensor].name);
  for (int i = 0; i < sensor; i++) at += m->sensor[i].ncomponent;
  memcpy(values, sim->sensor + at, (size_t)m->sensor[sensor].ncomponent*sizeof(double));
  return TN_OK;
}

tn_status tn_sim_force(tn_sim *sim, int force, double load[3], double torque[3]) {
  TNI_REQUIRE_SIM(sim);
  const tn_model *m = sim->model;
  double x[6];
  TN_REQUIRE(sim->ctx, force >= 0 && force < m->nforce, TN_ERR_ARGUMENT, "force %d does not exist, there are %d",
             force, m->nforce);
  TN_REQUIRE(sim->ctx, m->force[force].nbody > 0, TN_ERR_ARGUMENT, "force '%s' acts on no body",
             m->force[force].name);
  tni_at at = tni_at_state(&sim->at);
  tni_record_force(sim->model, sim->s, &at, force, x);
  if (load) memcpy(load, x, 3*sizeof(double));
  if (torque) memcpy(torque, x + 3, 3*sizeof(double));
  return TN_OK;
}
