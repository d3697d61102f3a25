/* Engines of others: what is handed to their library, and what becomes of its answers and failures. A library beside this program
 * stands in for PETSc (tests/support/stand_in_petsc.c); what PETSc itself makes of it is for tests/mpi.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "domains/engine.h"
#include "support/loaded.h"

/* Springs of stiffness 1, 2, 3, 4 in a row, held at the left: unknowns 0 to 3, the first two springs a domain, the last two another. A force of 1
 * at the end moves the ends by 1, 1 + 1/2, 1 + 1/2 + 1/3, ... */
static const int left_ptr[] = {0, 2, 4}, left_ind[] = {0, 1, 0, 1};
static const double left_value[] = {1 + 2, -2, -2, 2};
static const long long left_number[] = {0, 1};
static const int right_ptr[] = {0, 2, 5, 7}, right_ind[] = {0, 1, 0, 1, 2, 1, 2};
static const double right_value[] = {3, -3, -3, 3 + 4, -4, -4, 4};
static const long long right_number[] = {1, 2, 3};
static const double place[9];
static const signed char kind[3];
static const tni_domain domain[] = {
    {.n = 2, .ptr = left_ptr, .ind = left_ind, .value = left_value, .number = left_number, .kind = kind, .place = place},
    {.n = 3, .ptr = right_ptr, .ind = right_ind, .value = right_value, .number = right_number, .kind = kind, .place = place}};

static tn_ctx *ctx;
static tni_comm comm;
static const int rank_from[] = {0, 2};

static tni_domains both(void) {
  static const int handle = 1;
  comm = tni_comm_serial(ctx);
  comm.handle = &handle;
  return (tni_domains){.ctx = ctx, .n = 2, .domain = domain, .comm = &comm, .rank_from = rank_from};
}

static void springs_in_a_row_have_their_closed_form(void) {
  for (int k = 0; k < TNI_NENGINE; k++) {
    tni_domains d = both();
    tni_engine *e;
    tni_engine_report report;
    double force[5] = {0, 0, 0, 0, 1}, u[5], want = 0;
    static const int number[] = {0, 1, 1, 2, 3};
    CHECK_OK(ctx, tni_engine_create(&d, (tni_engine_kind)k, 4, 1e-10, &e));
    CHECK_OK(ctx, tni_engine_solve(e, force, u, &report));
    for (int i = 0; i < 5; i++) {
      want = 0;
      for (int s = 0; s <= number[i]; s++) want += 1.0/(s + 1);
      CHECK_NEAR(u[i], want, 1e-14);
    }
    CHECK_INT(report.iterations, 7 + k); /* the kind has reached it */
    force[4] = NAN;
    CHECK_INT(tni_engine_solve(e, force, u, &report), TN_NOT_CONVERGED);
    CHECK(strstr(tn_ctx_message(ctx), tni_engine_names[k]) && strstr(tn_ctx_message(ctx), "no number"));
    tni_engine_destroy(&e);
    CHECK(!e);
    tni_engine_destroy(&e);
  }
}

/* a rank with the second domain only: vectors have room for all pieces, its own begin behind the others' */
static void a_rank_has_its_own_pieces(void) {
  static const int from[] = {0, 1, 2};
  static const double held_value[] = {2 + 3, -3, -3, 3 + 4, -4, -4, 4};
  static const long long number[] = {0, 1, 2};
  tni_domain own[2] = {domain[0], domain[1]};
  tni_domains d = both();
  tni_engine *e;
  tni_engine_report report;
  double force[5] = {9, 9, 0, 0, 1}, u[5] = {5, 5, 0, 0, 0};
  own[1].value = held_value;
  own[1].number = number;
  d.domain = own;
  d.rank_from = from;
  comm.rank = 1; /* of a group in which nothing is sent: it has size 1 */
  CHECK_OK(ctx, tni_engine_create(&d, TNI_ENGINE_MUMPS, 3, 1e-10, &e));
  CHECK_OK(ctx, tni_engine_solve(e, force, u, &report));
  CHECK_NEAR(u[2], 0.5, 1e-14);
  CHECK_NEAR(u[3], 0.5 + 1.0/3, 1e-14);
  CHECK_NEAR(u[4], 0.5 + 1.0/3 + 0.25, 1e-14);
  CHECK(u[0] == 5 && u[1] == 5);
  tni_engine_destroy(&e);
}

static void refusals_say_why_and_leave_nothing(void) {
  tni_domains d = both();
  tni_engine *e = (tni_engine *)&d;
  CHECK_INT(tni_engine_create(&d, TNI_ENGINE_GAMG, 4, -1, &e), TN_SINGULAR);
  CHECK(!e);
  CHECK_TEXT(tn_ctx_message(ctx), "gamg: no tolerance below 0");
  CHECK_INT(tni_engine_there(ctx, &comm, TNI_ENGINE_BDDC), TN_OK);
  comm.handle = NULL; /* virtual ranks, or one process */
  CHECK_INT(tni_engine_there(ctx, &comm, TNI_ENGINE_BDDC), TN_ERR_UNSUPPORTED);
  CHECK(strstr(tn_ctx_message(ctx), "'bddc' is for several processes"));
  CHECK_INT(tni_engine_there(ctx, NULL, TNI_ENGINE_BDDC), TN_ERR_UNSUPPORTED);
  e = (tni_engine *)&d;
  CHECK_INT(tni_engine_create(&d, TNI_ENGINE_GAMG, 4, 1e-10, &e), TN_ERR_UNSUPPORTED);
  CHECK(!e);
}

static void everything_is_destroyed(void) {
  void *library = dlopen(STAND_IN, RTLD_NOW | RTLD_NOLOAD);
  const int *alive = library ? dlsym(library, "stand_in_alive") : NULL;
  CHECK(alive && *alive == 0);
}

int main(void) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  RUN(springs_in_a_row_have_their_closed_form);
  RUN(a_rank_has_its_own_pieces);
  RUN(refusals_say_why_and_leave_nothing);
  RUN(everything_is_destroyed);
  tni_comm_clear(&comm);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
