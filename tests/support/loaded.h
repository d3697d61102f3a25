/* tests/support/loaded.h - a model from YAML text or from a file, ready for systems and simulations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_LOADED_H
#define TN_LOADED_H

#include <tenon/tenon.h>

#include "analyses/sim.h"
#include "support/check.h"

typedef struct loaded {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded;

static inline void load_finish(loaded *l) {
  CHECK_OK(l->ctx, tn_model_compile(l->ctx, l->spec, &l->model));
}

static inline void load_begin(loaded *l, int threads) {
  tn_ctx_opts o = {.threads = threads};
  memset(l, 0, sizeof(*l));
  CHECK_OK(NULL, tn_ctx_create(&o, &l->ctx));
}

/* text without its first line "tenon: 1" */
static inline void load_text(loaded *l, const char *text) {
  size_t n = strlen(text) + 16;
  char *whole = malloc(n);
  load_begin(l, 1);
  snprintf(whole, n, "tenon: 1\n%s", text);
  CHECK_OK(l->ctx, tn_spec_read_text(l->ctx, "test", whole, NULL, 0, &l->spec));
  free(whole);
  load_finish(l);
}

/* file below the source directory; set: one override "name=value" or NULL */
static inline void load_file_threads(loaded *l, const char *path, const char *set, int threads) {
  char whole[512];
  const char *list[1] = {set};
  load_begin(l, threads);
  snprintf(whole, sizeof(whole), "%s/%s", TENON_SOURCE_DIR, path);
  CHECK_OK(l->ctx, tn_spec_read_file(l->ctx, whole, list, set ? 1 : 0, &l->spec));
  load_finish(l);
}
static inline void load_file(loaded *l, const char *path, const char *set) {
  load_file_threads(l, path, set, 1);
}

static inline void unload(loaded *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* position of a point of a body, given in the user's body frame, at the state looked at last */
static inline void sim_point(tn_sim *sim, const char *body, double x, double y, double z,
                             double out[3]) {
  int i = tn_model_find_body(sim->model, body);
  const tni_kin *k = &sim->s->kin[i + 1];
  const double *com = sim->model->body[i].com;
  double s[3] = {x - com[0], y - com[1], z - com[2]};
  mat3_vec(out, k->A, s);
  vec3_add(out, out, k->r);
}

/* value of the first coordinate of a joint */
static inline double sim_coordinate(tn_sim *sim, const char *joint) {
  double value = NAN, rate;
  int i = tn_model_find_joint(sim->model, joint);
  CHECK_OK(sim->ctx, tn_sim_joint_coordinate(sim, i, 0, &value, &rate));
  return value;
}

static inline double largest_of(const double *x, int n) {
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
  return max;
}

/* largest |x - y| divided by the largest |y|, at least by floor */
static inline double far_apart(const double *x, const double *y, int n, double floor) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= worst)) worst = fabs(x[i] - y[i]);
  return worst/fmax(largest_of(y, n), floor);
}

#endif
