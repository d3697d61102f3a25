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

/* ---- the whole state ----------------------------------------------------------------------- */

size_t tn_sim_state_size(const tn_sim *sim) { return (size_t)tni_sim_ncheckpoint(sim); }

double tn_sim_state_time(const tn_sim *sim) { return sim->t_hi; }

tn_status tn_sim_get_state(tn_sim *sim, double *state, size_t size) {
  TN_REQUIRE(sim->ctx, state && size == tn_sim_state_size(sim), TN_ERR_ARGUMENT,
             "room for a state of %zu numbers, must be %zu (tn_sim_state_size)", size, tn_sim_state_size(sim));
  memset(state, 0, size*sizeof(*state)); /* parts that the method in use does not need */
  TN_TRY(tni_sim_settle(sim));
  TN_TRY(tni_sim_save(sim, state));
  return tni_sim_look(sim, sim->t_hi);
}

static tn_status check_size(tn_sim *sim, const double *state, size_t size) {
  TN_REQUIRE(sim->ctx, state && size == tn_sim_state_size(sim), TN_ERR_ARGUMENT,
             "state of %zu numbers, this simulation has %zu: model, method or representation differs", size,
             tn_sim_state_size(sim));
  return TN_OK;
}

tn_status tn_sim_set_state(tn_sim *sim, const double *state, size_t size) {
  TN_TRY(check_size(sim, state, size));
  return tni_sim_load(sim, state);
}

/* ---- in a file ----------------------------------------------------------------------------- */

/* "TNSTATE1", number of numbers, FNV-1a sum of their bytes, the numbers; of the machine that wrote it */
typedef struct {
  char magic[8];
  uint64_t n, sum;
} state_head;
static const char MAGIC[8] = {'T', 'N', 'S', 'T', 'A', 'T', 'E', '1'};

static uint64_t sum_of(const void *data, size_t n) {
  const unsigned char *byte = data;
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) h = (h ^ byte[i])*1099511628211u;
  return h;
}

static tn_status write_state(tn_ctx *ctx, const char *path, const double *state, size_t n) {
  state_head head = {.n = n, .sum = sum_of(state, n*sizeof(*state))};
  memcpy(head.magic, MAGIC, sizeof(MAGIC));
  size_t room = strlen(path) + 8;
  char *part = tni_alloc(ctx, room, 1);
  if (!part) return tni_out_of_memory(ctx);
  snprintf(part, room, "%s.part", path); /* whole or not at all */
  FILE *f = fopen(part, "wb");
  bool ok = f && fwrite(&head, sizeof(head), 1, f) == 1 && fwrite(state, sizeof(*state), n, f) == n;
  int error = errno;
  if (f && fclose(f) != 0 && ok) ok = false, error = errno;
  if (ok && rename(part, path) != 0) ok = false, error = errno;
  if (!ok && f) remove(part);
  tni_free(ctx, part);
  return ok ? TN_OK : TN_FAIL(ctx, TN_ERR_IO, "state '%s': %s", path, strerror(error));
}

tn_status tn_sim_save(tn_sim *sim, const char *path) {
  size_t n = tn_sim_state_size(sim);
  double *state = tni_doubles(sim->ctx, n);
  if (!state) return tni_out_of_memory(sim->ctx);
  tn_status st = tn_sim_get_state(sim, state, n);
  if (st == TN_OK) st = write_state(sim->ctx, path, state, n);
  tni_free(sim->ctx, state);
  return st;
}

tn_status tn_sim_load(tn_sim *sim, const char *path) {
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
    if (sum_of(state, n*sizeof(double)) != head.sum)
      st = TN_FAIL(sim->ctx, TN_ERR_INPUT, "state '%s': damaged, its numbers have changed", path);
  }
  if (st == TN_OK) st = tn_sim_set_state(sim, state, n);
  tni_free(sim->ctx, bytes);
  tni_free(sim->ctx, state);
  return st;
}

/* ---- coordinates, other models, the beginning ---------------------------------------------- */

void tn_sim_coordinates(const tn_sim *sim, int *nq, int *nv) {
  *nq = sim->s->nq;
  *nv = sim->s->nv;
}

tn_status tn_sim_get_coordinates(tn_sim *sim, double *q, double *v) {
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
  TN_REQUIRE(sim->ctx, q && v && are_numbers(q, sim->s->nq) && are_numbers(v, sim->s->nv), TN_ERR_ARGUMENT,
             "coordinates to set must be %d and %d finite numbers", sim->s->nq, sim->s->nv);
  return tni_sim_place(sim, sim->at.t, q, v);
}

tn_status tn_sim_continue(tn_sim *sim, tn_sim *from) {
  size_t n = tn_sim_state_size(from);
  double *state = tni_doubles(sim->ctx, n);
  if (!state) return tni_out_of_memory(sim->ctx);
  tn_status st = tn_sim_get_state(from, state, n);
  if (st == TN_OK) st = check_size(sim, state, n);
  if (st == TN_OK) st = tni_sim_take_over(sim, state);
  tni_free(sim->ctx, state);
  return st;
}

tn_status tn_sim_reset(tn_sim *sim) { return tni_sim_reset(sim); }

/* ---- sensors and forces -------------------------------------------------------------------- */

tn_status tn_sim_sensor(tn_sim *sim, int sensor, double *values) {
  const tn_model *m = sim->model;
  int at = 0;
  TN_REQUIRE(sim->ctx, sensor >= 0 && sensor < m->nsensor, TN_ERR_ARGUMENT,
             "sensor %d does not exist, there are %d", sensor, m->nsensor);
  for (int i = 0; i < sensor; i++) at += m->sensor[i].ncomponent;
  memcpy(values, sim->sensor + at, (size_t)m->sensor[sensor].ncomponent*sizeof(double));
  return TN_OK;
}

tn_status tn_sim_force(tn_sim *sim, int force, double load[3], double torque[3]) {
  const tn_model *m = sim->model;
  double x[6];
  TN_REQUIRE(sim->ctx, force >= 0 && force < m->nforce, TN_ERR_ARGUMENT, "force %d does not exist, there are %d",
             force, m->nforce);
  TN_REQUIRE(sim->ctx, m->force[force].nbody > 0, TN_ERR_ARGUMENT, "force '%s' acts on no body",
             m->force[force].name);
  tni_at at = tni_at_state(&sim->at);
  tni_record_force(sim->model, sim->s, &at, force, x);
  memcpy(load, x, 3*sizeof(double));
  memcpy(torque, x + 3, 3*sizeof(double));
  return TN_OK;
}
