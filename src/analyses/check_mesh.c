/* analyses/check_mesh.c - what the structures of a model are, for tn_check
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <tenon/advise.h>

#include "analyses/check_mesh.h"

#include "analyses/analysis.h"
#include "analyses/statics_mesh.h"
#include "mesh/quality.h"
#include "nonlinear/rest_domains.h"
#include "output/json.h"
#include "solids/reduce.h"
#include "solids/structure.h"
#include "system/parts.h"

enum { GROUPS_LISTED = 12 };
static const char AT[] = "           "; /* below the first word of a line */

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static const tni_structure *structure_of(const tni_part *p) {
  if (p->ops == &tni_structure_ops) return p->data;
  return p->ops == &tni_reduced_ops ? ((const tni_reduced *)p->data)->s : NULL;
}

static void say_elements(const tni_structure *s, tni_text *t, tni_json *j) {
  tni_json_open_object(j, "elements");
  for (int b = 0, shown = 0; b < s->nblock; b++) {
    const char *name = s->block[b].kind.type->name;
    int n = 0, first = b;
    for (int k = 0; k < s->nblock; k++) {
      if (strcmp(s->block[k].kind.type->name, name) != 0) continue;
      if (k < first) first = k;
      n += s->block[k].n;
    }
    if (first != b) continue;
    tni_text_add(t, "%s %d %s", shown++ ? "," : "", n, name);
    tni_json_add_integer(j, name, n);
  }
  tni_json_close(j);
  tni_text_add(t, "%s\n", s->large ? "; large displacements" : "");
}

static tn_status say_groups(const tni_mesh *m, tni_arena *arena, tni_text *t, tni_json *j) {
  int listed = 0, more = 0;
  tni_json_open_object(j, "groups");
  for (int i = 0; i < m->nset; i++) {
    int seen = 0, n;
    const int *node;
    while (seen < i && strcmp(m->set[seen].name, m->set[i].name) != 0) seen++;
    if (seen < i) continue;
    TN_TRY(tni_mesh_group(m, m->set[i].name, arena, &n, &node));
    tni_json_add_integer(j, m->set[i].name, n);
    if (listed < GROUPS_LISTED) tni_text_add(t, "%s %s (%d)", listed++ ? "," : "groups", m->set[i].name, n);
    else more++;
  }
  tni_json_close(j);
  if (listed == 0) tni_text_add(t, "no groups");
  if (more) tni_text_add(t, " and %d more", more);
  tni_text_add(t, "\n");
  return TN_OK;
}

/* what is wrong with the mesh, a line each, or that nothing is */
static tn_status say_quality(const tni_mesh *m, tni_text *t, tni_json *j) {
  tni_mesh_report r;
  tni_text found;
  TN_TRY(tni_mesh_examine(m, &r));
  tni_text_add(t, "%sshapes: least scaled jacobian %.3g, largest ratio of edges %.3g\n", AT, r.least_jacobian, r.largest_aspect);
  tni_text_init(&found, m->ctx);
  tni_mesh_report_text(&r, &found);
  for (const char *line = found.s; line && *line;) {
    size_t n = strcspn(line, "\n");
    tni_text_add(t, "%sMESH: %.*s\n", AT, (int)n, line);
    line += n + (line[n] == '\n');
  }
  bool failed = found.failed;
  tni_text_free(&found);
  if (failed) return tni_out_of_memory(m->ctx);
  tni_json_open_object(j, "quality");
  tni_json_add_number(j, "least_jacobian", r.least_jacobian);
  tni_json_add_number(j, "largest_aspect", r.largest_aspect);
  tni_json_add_integer(j, "inverted", r.ninverted);
  tni_json_add_integer(j, "poor", r.npoor);
  tni_json_add_integer(j, "slender", r.nslender);
  tni_json_add_integer(j, "collapsed", r.ncollapsed);
  tni_json_add_integer(j, "parts", r.npart);
  tni_json_add_integer(j, "duplicate_nodes", r.nduplicate);
  tni_json_add_integer(j, "unused_nodes", r.nunused);
  tni_json_add_integer(j, "branching_faces", r.nbranching);
  tni_json_close(j);
  return TN_OK;
}

/* unknowns, what holds the structure, what loads it */
static void say_support(const tn_model *m, const tni_part *p, const tni_structure *s, tni_text *t, tni_json *j) {
  tni_text_add(t, "%s%d unknowns; ", AT, p->nv);
  if (s->nmotion) tni_text_add(t, "%d components supported or moved", s->nmotion);
  for (int k = 0; k < p->ncarrier; k++) {
    int n = 0;
    for (int i = 0; i < s->nnode; i++) n += s->carrier[i] == k;
    tni_text_add(t, "%s%s'%s'", k || s->nmotion ? ", " : "", k ? "" : "held by ", m->body[p->carrier[k]].name);
    if (n) tni_text_add(t, " (%d nodes)", n);
  }
  if (s->nmotion == 0 && p->ncarrier == 0) tni_text_add(t, "nothing holds it");
  if (s->nfollower) tni_text_add(t, ", %d node%s coupled", s->nfollower, plural(s->nfollower));
  tni_text_add(t, "; %d load%s\n", s->nload, plural(s->nload));
  if (p->free_names) tni_text_add(t, "%sFREE: %s\n", AT, p->free_names);
  tni_json_add_integer(j, "unknowns", p->nv);
  tni_json_add_integer(j, "supported", s->nmotion);
  tni_json_add_integer(j, "carriers", p->ncarrier);
  tni_json_add_integer(j, "loads", s->nload);
  tni_json_add_integer(j, "free", p->nfree);
}

static tn_status say_one(const tn_model *m, const tni_part *p, tni_arena *arena, tni_text *t, tni_json *j) {
  const tni_structure *s = structure_of(p);
  const tni_mesh *mesh = p->mesh;
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "name", p->name);
  tni_json_add_text(j, "mesh", mesh->name);
  tni_json_add_integer(j, "nodes", mesh->nnode);
  tni_json_add_integer(j, "cells", mesh->ncell);
  tni_text_add(t, "structure  %s%s: mesh '%s' from %s, %d nodes;", p->name, p->ops == &tni_reduced_ops ? ", reduced" : "",
               mesh->name, mesh->source, mesh->nnode);
  if (s) say_elements(s, t, j);
  else tni_text_add(t, " %d cells\n", mesh->ncell);
  tni_text_add(t, "%s", AT);
  TN_TRY(say_groups(mesh, arena, t, j));
  TN_TRY(say_quality(mesh, t, j));
  if (s) {
    tni_text_add(t, "%smass %.6g kg, volume %.6g m^3, extent %.4g m\n", AT, s->total_mass, s->volume, p->size);
    if (s->scaling) tni_text_add(t, "%smass scaling adds %.4g kg (%.3g %%)\n", AT, s->added_mass, 100*s->added_mass/s->total_mass);
    tni_json_add_number(j, "mass", s->total_mass);
    tni_json_add_number(j, "added_mass", s->added_mass);
    tni_json_add_number(j, "volume", s->volume);
    say_support(m, p, s, t, j);
  }
  tni_json_close(j);
  return TN_OK;
}

/* solver: what the model file says; NULL: it is not statics, which take no other */
static tn_status say_memory(const tn_model *m, tni_data *d, const char *solver, tni_text *t, tni_text *json) {
  tni_rest *w;
  double bytes = 0, flops = 0, factor = 0;
  TN_TRY(tni_rest_create(d, &w));
  tn_status st = tni_rest_expect(w, &bytes, &factor, &flops);
  char why[100] = "as written";
  const char *who = solver;
  bool cut = false;
  for (int i = 0; solver && i < TNI_NCUT_SOLVER; i++) cut = cut || (i != TNI_CUT_PCG && strcmp(solver, tni_cut_solver_names[i]) == 0);
  if (solver && !cut) {
    (void)tni_mesh_statics_use(m, solver, w);
    who = tni_rest_foresee(w, factor, why, sizeof(why));
  }
  tni_rest_destroy(&w);
  TN_TRY(st);
  if (!(bytes > 0)) return TN_OK;
  tni_text_add(t, "memory     about %.3g MB for the stiffness and its factor (%.3g MB), %.2g operations a factor\n", 1e-6*bytes,
               1e-6*factor, flops);
  /* two triangles of eight bytes a number and one product of each */
  tn_rates rates = tn_rates_usual();
  double seconds = flops/rates.factor + 4*(factor/sizeof(double))/rates.solve;
  if (who) {
    tni_text_add(t, "solver     %s: %s\n", who, why);
    if (strcmp(who, "fronts") == 0)
      tni_text_add(t, "cost       about %.2g s of CPU for a factor and a solution at usual rates ('tenon advise' measures and compares)\n", seconds);
    tni_text_add(json, "\"solver\":\"%s\",\"solver_seconds\":%.4g,", who, strcmp(who, "fronts") == 0 ? seconds : 0);
  }
  tni_text_add(json, "\"memory\":%.0f,\"factor_memory\":%.0f,\"factor_operations\":%.0f,", bytes, factor, flops);
  return TN_OK;
}

/* where the model names no solver: what several processes take, as they decide it themselves */
static void say_processes(const tn_model *m, tni_data *d, const char *solver, tni_text *t, tni_text *json) {
  enum { RANKS = 4 };
  bool modes = strcmp(tni_analysis_of(m->spec)->name, "modes") == 0;
  if (solver ? strcmp(solver, "auto") != 0 : !modes) return;
  tni_cut_choice c = tni_rest_cut_choose(d, solver ? TNI_CUT_OF_STATICS : TNI_CUT_OF_MODES, tni_rest_cut_rule(d, NULL), RANKS);
  tni_text_add(t, "processes  ");
  if (c.solver < 0) tni_text_add(t, "several would solve for the whole, each by itself: %s\n", c.why);
  else tni_text_add(t, "%d would take %s: %s\n", RANKS, tni_cut_solver_names[c.solver], c.why);
  tni_text_add(json, "\"solver_of_several\":\"%s\",", c.solver < 0 ? "whole" : tni_cut_solver_names[c.solver]);
}

tn_status tni_check_structures(const tn_model *m, tni_data *d, bool factors, const char *solver, tni_text *text, tni_text *json) {
  if (m->npart == 0) return TN_OK;
  tni_arena arena;
  tni_text own;
  tni_json j;
  tni_arena_init(&arena, m->ctx);
  tni_text_init(&own, m->ctx);
  tni_json_begin(&j, &own, false);
  tni_json_open_array(&j, "structures");
  tn_status st = TN_OK;
  for (int i = 0; i < m->npart && st == TN_OK; i++) st = say_one(m, &m->part[i], &arena, text, &j);
  if (st == TN_OK && !tni_json_end(&j)) st = tni_out_of_memory(m->ctx);
  /* members of the object that the report is */
  if (st == TN_OK) tni_text_add(json, "%.*s,", (int)(strrchr(own.s, '}') - own.s - 1), own.s + 1);
  if (st == TN_OK && factors) st = say_memory(m, d, solver, text, json);
  if (st == TN_OK && factors) say_processes(m, d, solver, text, json);
  tni_text_free(&own);
  tni_arena_clear(&arena);
  return st;
}
