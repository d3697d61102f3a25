/* The examples of structures with meshes of Gmsh against what is known by hand
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "output/results.h"
#include "support/check.h"

static tn_ctx *ctx;
static char path[64];

static void run(const char *name, tn_summary *sum, tni_reader **r) {
  char file[400];
  tn_spec *spec;
  tn_model *m;
  const tn_run_opts o = {.results = path, .overwrite = true};
  snprintf(file, sizeof(file), "%s/examples/structures/%s.yaml", TENON_SOURCE_DIR, name);
  CHECK_OK(ctx, tn_spec_read_file(ctx, file, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  CHECK_OK(ctx, tn_run(ctx, m, &o, sum));
  CHECK_OK(ctx, tni_results_open(ctx, path, r));
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
}

/* a field of a row, to be freed */
static double *field(tni_reader *r, const char *name, long row) {
  const tni_results_info *info = tni_results_get_info(r);
  int f = 0;
  while (f < info->nfield && strcmp(info->field[f].name, name) != 0) f++;
  CHECK(f < info->nfield);
  double *x = malloc((size_t)tni_field_size(info, &info->field[f])*sizeof(*x));
  CHECK_OK(ctx, tni_results_read_field(r, f, row, 1, x));
  return x;
}

/* nodes of a group, to be freed */
static int *group(tni_reader *r, const char *name, int *n) {
  const tni_mesh_info *m = &tni_results_get_info(r)->mesh[0];
  int g = 0;
  while (g < m->ngroup && strcmp(m->group[g], name) != 0) g++;
  CHECK(g < m->ngroup);
  *n = m->group_first[g+1] - m->group_first[g];
  int *node = malloc((size_t)*n*sizeof(*node));
  CHECK_OK(ctx, tni_results_read_group(r, 0, g, node));
  return node;
}

/* Reactions balance the pull of 2 kN and its moment. Beside the bend the foot, 60 x 8 mm, has the moment 2 kN (55 - 4) mm and the
 * pull itself: M/W + N/A = 163.5 MPa in the middle of the width, spread by the round corner. */
static void the_bracket_bends_as_a_beam(void) {
  tn_summary sum;
  tni_reader *r;
  run("bracket", &sum, &r);
  const tni_mesh_info *m = &tni_results_get_info(r)->mesh[0];
  int nbolt, nbend, *bolt = group(r, "bolts", &nbolt), *bend = group(r, "bend", &nbend);
  double *x = malloc(3*(size_t)m->nnode*sizeof(*x)), *f = field(r, "reaction", 0), *s = field(r, "von_mises", 0);
  CHECK_OK(ctx, tni_results_read_mesh(r, 0, x));
  double force[3] = {0, 0, 0}, moment = 0, most = 0;
  for (int i = 0; i < nbolt; i++) {
    const double *p = x + 3*bolt[i], *q = f + 3*bolt[i];
    for (int c = 0; c < 3; c++) force[c] += q[c];
    moment += p[2]*q[0] - p[0]*q[2]; /* about y */
  }
  CHECK_NEAR(force[0], -2000, 1e-8);
  CHECK(fabs(force[1]) < 1e-5 && fabs(force[2]) < 1e-5);
  CHECK_NEAR(moment, -2000*0.055, 2e-3); /* the load is spread over the eye, whose middle is at 55 mm */
  for (int i = 0; i < nbend; i++) most = fmax(most, s[bend[i]]);
  CHECK_NEAR(most, 2000*0.051/(0.06*0.008*0.008/6) + 2000/(0.06*0.008), 0.08);
  free(x), free(f), free(s), free(bolt), free(bend);
  tni_results_close(&r);
}

/* the third mode: prongs against each other, at the pitch of a, and the stem at rest */
static void the_fork_sounds_an_a(void) {
  tn_summary sum;
  tni_reader *r;
  run("tuning_fork", &sum, &r);
  CHECK_NEAR(sum.mode[2].frequency, 440, 1e-3);
  const tni_mesh_info *m = &tni_results_get_info(r)->mesh[0];
  int n, *tip = group(r, "tips", &n);
  double *x = malloc(3*(size_t)m->nnode*sizeof(*x)), *u = field(r, "displacement", 2*tni_results_ntime(r)/sum.modes);
  CHECK_OK(ctx, tni_results_read_mesh(r, 0, x));
  double most = 0, stem = 0, sides[2] = {0, 0};
  for (int i = 0; i < n; i++) sides[x[3*tip[i]] > 0] += u[3*tip[i]]/n;
  for (int i = 0; i < m->nnode; i++) {
    double size = sqrt(u[3*i]*u[3*i] + u[3*i+1]*u[3*i+1] + u[3*i+2]*u[3*i+2]);
    most = fmax(most, size);
    if (x[3*i+2] < -0.012) stem = fmax(stem, size);
  }
  CHECK(sides[0]*sides[1] < 0 && fabs(sides[0] + sides[1]) < 0.01*fabs(sides[0]));
  CHECK(stem < 0.01*most);
  free(x), free(u), free(tip);
  tni_results_close(&r);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  snprintf(path, sizeof(path), "/tmp/tenon-examples-%ld.h5", (long)getpid());
  RUN(the_bracket_bends_as_a_beam);
  RUN(the_fork_sounds_an_a);
  remove(path);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
