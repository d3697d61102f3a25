/* analyses/check.c - what a model is: freedoms, loops, redundant equations, singular position
 *
 * Redundancy. Z spans {z : C^T z = 0}. For the dropped rows D the combination Y = Z Z_D^-1 has the
 * unit matrix in the rows D: column d says which kept rows the dropped row d follows from. A joint
 * reaction is not unique when a null vector of multipliers changes its force or torque.
 *
 * Singular position. The rank is taken again after small admissible moves in a few fixed random
 * directions; a higher rank there means that the written position is special.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stdio.h>

#include <tenon/analysis.h>

#include "analyses/analysis.h"
#include "analyses/assemble.h"
#include "analyses/check_mesh.h"
#include "analyses/record.h"
#include "analyses/sim.h"
#include "analyses/start.h"
#include "elements/limit.h"
#include "linsolve/lapack.h"
#include "topology/tree.h"

struct tn_report {
  tn_ctx *ctx;
  tn_check_info info;
  tni_text text, json;
};

typedef struct {
  tn_ctx *ctx;
  const tn_model *model;
  tni_data *s;
  tni_arena arena;
  tni_tree tree;
  tni_run_settings set;
  tni_assembly assembly;
  double *q, *v;
  char failure[TNI_MESSAGE_MAX]; /* why the assembly failed, "" if it did not */
  tn_report *rep;
} checker;

static const double NOTICE = 1e-7; /* coefficients below are rounding */
enum { MAX_LISTED = 40 };          /* lines of one kind before "and n more" */

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* quoted JSON text */
static void json_text(tni_text *t, const char *s) {
  tni_text_add(t, "\"");
  for (; *s; s++) {
    unsigned char ch = (unsigned char)*s;
    if (ch == '"' || ch == '\\') tni_text_add(t, "\\%c", ch);
    else if (ch < 32) tni_text_add(t, "\\u%04x", ch);
    else tni_text_add(t, "%c", ch);
  }
  tni_text_add(t, "\"");
}

static void say_contents(checker *c) {
  const tn_model *m = c->model;
  tn_check_info *in = &c->rep->info;
  tni_text *t = &c->rep->text;
  in->bodies = m->nbody;
  in->forces = m->nforce - m->nelement;
  for (int i = 0; i < m->njoint; i++) m->joint[i].is_drive ? in->drives++ : in->joints++;
  tni_text_add(t, "model      %s%s\n", m->title[0] ? m->title : "(no title)",
               m->planar ? ", planar" : "");
  tni_text_add(t, "bodies     %d\n", in->bodies);
  tni_text_add(t, "joints     %d", in->joints);
  /* count by type, in order of first appearance */
  for (int i = 0, shown = 0; i < m->njoint; i++) {
    if (m->joint[i].is_drive) continue;
    int n = 0, first = i;
    for (int k = 0; k < m->njoint; k++) {
      if (m->joint[k].is_drive || strcmp(m->joint[k].type, m->joint[i].type) != 0) continue;
      if (k < first) first = k;
      n++;
    }
    if (first != i) continue;
    tni_text_add(t, "%s%d %s", shown++ ? ", " : ": ", n, m->joint[i].type);
  }
  tni_text_add(t, "\n");
  if (in->drives) tni_text_add(t, "drives     %d\n", in->drives);
  if (m->nbeam) {
    int nodes = 0;
    for (int i = 0; i < m->nbeam; i++)
      for (int n = 0; n < m->beam[i].nnode; n++)
        nodes += m->beam[i].node[n] >= 0 && m->body[m->beam[i].node[n]].item == m->beam[i].item;
    tni_text_add(t, "beams      %d: %d nodes (among the bodies), %d elements\n", m->nbeam, nodes,
                 m->nelement);
    char reason[240];
    double step;
    tni_limit_describe(m, &step, reason, sizeof(reason));
    if (step > 0) tni_text_add(t, "           explicit steps below %.3g s: %s\n", step, reason);
    tni_limit_scaled(m, reason, sizeof(reason));
    if (reason[0]) tni_text_add(t, "           rotary inertia is scaled: %s\n", reason);
  }
  tni_text_add(t, "forces     %d%s\n", in->forces,
               vec3_norm(m->gravity) > 0 ? ", and gravity" : ", no gravity");
}

static void say_assembly(checker *c) {
  tn_check_info *in = &c->rep->info;
  tni_text *t = &c->rep->text;
  const tni_assembly *a = &c->assembly;
  char name[128];
  in->position_error = a->initial_residual;
  in->assembled = c->failure[0] == 0;
  tni_row_name(c->s, a->initial_row, name, sizeof(name));
  if (c->s->m == 0) {
    tni_text_add(t, "assembly   nothing to do: no constraints\n");
  } else if (a->initial_residual <= 1e-10) {
    tni_text_add(t, "assembly   the written position is consistent (largest residual %.1e)\n",
                 a->initial_residual);
  } else {
    tni_text_add(t, "assembly   the written position is off by %.3g at '%s'\n",
                 a->initial_residual, name);
  }
  if (!in->assembled) {
    tni_text_add(t, "           NOT ASSEMBLED: %s\n", c->failure);
    return;
  }
  int moved = 0;
  for (int i = 0; i < c->model->nbody; i++)
    moved += fmax(a->moved[4*i], a->moved[4*i+1]) > 1e-9;
  if (moved) {
    const double *mv = a->moved + 4*a->most_moved;
    tni_text_add(t, "           %d bod%s moved, most '%s': %.3g m and %.3g rad\n", moved,
                 moved == 1 ? "y" : "ies", c->model->body[a->most_moved].name, mv[0], mv[1]);
  }
  if (a->velocity_residual > 1e-10)
    tni_text_add(t, "           velocities were off by %.3g and were made consistent\n",
                 a->velocity_residual);
  for (int k = 0; k < TNI_NWRITTEN; k++) {
    char line[400];
    tni_assembly_describe(a, c->model, k, line, sizeof(line));
    if (line[0]) tni_text_add(t, "           CHANGED: %s\n", line);
  }
}

static void say_freedom(checker *c) {
  tn_check_info *in = &c->rep->info;
  tni_text *t = &c->rep->text;
  in->coordinates = c->s->nv;
  in->equations = c->s->m;
  in->rank = c->s->rank ? c->s->rank->rank : c->s->m;
  int idle = tni_system_idle_rows(c->s);
  in->equations -= idle;
  in->redundant = in->equations - in->rank;
  in->freedom = in->coordinates - in->rank;
  in->loops = c->tree.nloop;
  tni_text_add(t, "freedom    %d = %d coordinates - %d independent of %d constraint equations\n",
               in->freedom, in->coordinates, in->rank, in->equations);
  tni_text_add(t, "loops      %d independent, %d of %d joints cut in the spanning tree\n", in->loops,
               c->tree.ncut, c->model->njoint);
}

/* Y [m][k] row-major: column d expresses dropped row dropped[d] by the others; NULL if singular */
static tn_status dependencies(const tni_rank *r, const int *dropped, tni_arena *arena,
                              double **out) {
  int k = r->nnull, m = r->nrow, *piv;
  double *Zd, *Y;
  *out = NULL;
  TNI_ARENA_NEW(arena, Zd, (size_t)k*(size_t)k);
  TNI_ARENA_NEW(arena, Y, (size_t)m*(size_t)k);
  TNI_ARENA_NEW(arena, piv, k);
  /* Y^T = Z_D^-T Z^T: Z_D^T by columns, m right-hand sides */
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      Zd[(size_t)i*(size_t)k + (size_t)j] = r->null[(size_t)j*(size_t)m + (size_t)dropped[i]];
  for (int j = 0; j < k; j++)
    for (int i = 0; i < m; i++)
      Y[(size_t)i*(size_t)k + (size_t)j] = r->null[(size_t)j*(size_t)m + (size_t)i];
  if (tni_getrf(k, k, Zd, k, piv) == 0 && tni_getrs('N', k, m, Zd, k, piv, Y, k) == 0) *out = Y;
  return TN_OK;
}

static void say_one_redundant(checker *c, int row, const double *Y, int k, int d, bool first) {
  tni_text *t = &c->rep->text, *j = &c->rep->json;
  char name[128];
  tni_row_name(c->s, row, name, sizeof(name));
  tni_text_add(t, "  %s follows from", name);
  tni_text_add(j, "%s{\"equation\":", first ? "" : ",");
  json_text(j, name);
  tni_text_add(j, ",\"follows_from\":[");
  int n = 0, more = 0;
  for (int r = 0; r < c->s->m; r++) {
    if (r == row || fabs(Y[(size_t)r*(size_t)k + (size_t)d]) < NOTICE) continue;
    tni_row_name(c->s, r, name, sizeof(name));
    if (n < 8) tni_text_add(t, "%s %s", n ? "," : "", name);
    else more++;
    tni_text_add(j, "%s", n++ ? "," : "");
    json_text(j, name);
  }
  if (n == 0) tni_text_add(t, " nothing: it is always satisfied");
  if (more) tni_text_add(t, " and %d more", more);
  tni_text_add(t, "\n");
  tni_text_add(j, "]}");
}

/* joints whose reaction some null vector changes */
static tn_status find_nonunique(checker *c, bool *flag) {
  const tn_model *m = c->model;
  const tni_rank *r = c->s->rank;
  double *wrench;
  TNI_ARENA_NEW(&c->arena, wrench, 6*m->njoint);
  for (int d = 0; d < r->nnull; d++) {
    const double *z = r->null + (size_t)d*(size_t)r->nrow;
    tni_eval_reactions(c->s, c->set.from, c->q, c->v, NULL, z, wrench);
    for (int i = 0; i < m->njoint; i++)
      for (int k = 0; k < 6; k++)
        if (fabs(wrench[6*i + k]) > NOTICE) flag[i] = true;
  }
  return TN_OK;
}

static tn_status say_redundant(checker *c) {
  tn_check_info *in = &c->rep->info;
  tni_text *t = &c->rep->text, *j = &c->rep->json;
  const tni_rank *r = c->s->rank;
  if (in->redundant == 0) {
    tni_text_add(t, "redundant  none: every reaction is unique\n");
    tni_text_add(j, "\"redundant_equations\":[],\"nonunique_reactions\":[]");
    return TN_OK;
  }
  int k = r->nnull, *dropped;
  bool *flag;
  TNI_ARENA_NEW(&c->arena, dropped, k);
  TNI_ARENA_NEW(&c->arena, flag, c->model->njoint);
  for (int i = 0, n = 0; i < r->nrow && n < k; i++)
    if (!r->independent[i]) dropped[n++] = i;
  double *Y;
  TN_TRY(dependencies(r, dropped, &c->arena, &Y));
  tni_text_add(t, "redundant  %d equation%s:\n", in->redundant, plural(in->redundant));
  tni_text_add(j, "\"redundant_equations\":[");
  for (int d = 0, listed = 0; d < k && Y; d++) {
    if (tni_system_row_idle(c->s, dropped[d])) continue; /* an open latch */
    if (listed == MAX_LISTED) {
      tni_text_add(t, "  and %d more\n", in->redundant - listed);
      break;
    }
    say_one_redundant(c, dropped[d], Y, k, d, listed++ == 0);
  }
  TN_TRY(find_nonunique(c, flag));
  tni_text_add(j, "],\"nonunique_reactions\":[");
  tni_text_add(t, "  the run goes on without them; reactions not unique (least ones are given):");
  for (int i = 0, n = 0; i < c->model->njoint; i++) {
    if (!flag[i]) continue;
    in->nonunique++;
    if (n < MAX_LISTED) tni_text_add(t, "%s %s", n ? "," : "", c->model->joint[i].name);
    tni_text_add(j, "%s", n++ ? "," : "");
    json_text(j, c->model->joint[i].name);
  }
  tni_text_add(t, "%s\n", in->nonunique ? "" : " none");
  tni_text_add(j, "]");
  return TN_OK;
}

/* rank a little way along an admissible random motion; -1 if none was reached */
static tn_status rank_nearby(checker *c, uint64_t seed, int *rank) {
  tni_data *s = c->s;
  double *q, *v;
  TNI_ARENA_NEW(&c->arena, q, s->nq);
  TNI_ARENA_NEW(&c->arena, v, s->nv);
  double big = 0;
  for (int i = 0; i < s->nv; i++) {
    seed = seed*6364136223846793005u + 1442695040888963407u;
    v[i] = (double)(seed >> 11)/4503599627370496.0 - 1;
  }
  *rank = -1;
  tni_project_opts vel = {.velocity = true, .tol = 1e-12};
  /* prescribed motions stand still here: their phi_t only shifts v, which does not matter */
  tn_status st = tni_project(s, c->set.from, c->q, v, &vel, NULL);
  if (st != TN_OK) return st < 0 ? st : TN_OK;
  for (int i = 0; i < s->nv; i++) big = fmax(big, fabs(v[i]));
  if (!(big > 1e-9)) return TN_OK;
  for (int i = 0; i < s->nv; i++) v[i] *= 0.02/big;
  tni_retract(s, c->q, v, q);
  tni_project_opts pos = {.position = true, .tol = 1e-11};
  st = tni_project(s, c->set.from, q, v, &pos, NULL);
  if (st == TN_OK) {
    TN_TRY(tni_update_rank(s, c->set.from, q));
    *rank = s->rank->rank;
  }
  if (st < 0) return st;
  return tni_update_rank(s, c->set.from, c->q);
}

static tn_status say_singular(checker *c) {
  tn_check_info *in = &c->rep->info;
  tni_text *t = &c->rep->text;
  enum { TRIES = 3, MAX_ROWS = 2000 };
  if (c->s->m == 0 || in->freedom == 0) return TN_OK;
  if (c->s->m > MAX_ROWS) {
    tni_text_add(t, "singular   not looked for: more than %d equations\n", MAX_ROWS);
    return TN_OK;
  }
  int most = -1;
  for (int i = 0; i < TRIES; i++) {
    int rank = -1;
    TN_TRY(rank_nearby(c, 77u + (uint64_t)i, &rank));
    if (rank > most) most = rank;
  }
  in->singular = most > in->rank;
  if (most < 0) {
    tni_text_add(t, "singular   unknown: no position nearby could be reached\n");
  } else if (in->singular) {
    tni_text_add(t,
                 "singular   YES: rank %d here, %d nearby; %d freedom%s only at this position (a "
                 "dead point or bifurcation)\n",
                 in->rank, most, most - in->rank, plural(most - in->rank));
  } else {
    tni_text_add(t, "singular   no\n");
  }
  return TN_OK;
}

/* what the analysis asks of the model beyond being a model */
static void say_analysis(checker *c) {
  const tn_check_info *in = &c->rep->info;
  const tni_analysis *analysis = c->set.analysis;
  if (analysis->motion == TNI_MOTION_PRESCRIBED && in->freedom > 0)
    tni_text_add(&c->rep->text,
                 "analysis   NOT POSSIBLE: %s needs freedom 0; add %d drive%s or use type: "
                 "transient\n", analysis->name, in->freedom, plural(in->freedom));
  if (c->set.forbid_redundant && in->redundant > 0)
    tni_text_add(&c->rep->text,
                 "analysis   NOT POSSIBLE: redundant equations, and 'redundant: forbid' is set\n");
}

static tn_status perform(checker *c) {
  tni_arena_init(&c->arena, c->ctx);
  TN_TRY(tni_run_settings_read(c->ctx, c->model, NULL, &c->set));
  TN_TRY(tni_cartesian_create(c->ctx, c->model, NULL, &c->s));
  TN_TRY(tni_tree_build(c->model, &c->arena, &c->tree));
  TNI_ARENA_NEW(&c->arena, c->q, c->s->nq);
  TNI_ARENA_NEW(&c->arena, c->v, c->s->nv);
  double *q0, *v0;
  TNI_ARENA_NEW(&c->arena, q0, c->s->nq);
  TNI_ARENA_NEW(&c->arena, v0, c->s->nv);
  tni_system *relative = NULL;
  tn_status st = tni_start(&(tni_starting){c->model, c->s, c->set.from, &relative, NULL, &c->arena}, c->q, c->v, q0, v0, &c->assembly);
  tni_system_destroy(&relative);
  if (st < 0) return st;
  if (st != TN_OK) snprintf(c->failure, sizeof(c->failure), "%s", c->ctx->message);
  tni_text *j = &c->rep->json;
  const tn_check_info *in = &c->rep->info;
  tni_text_add(j, "{");
  say_contents(c);
  bool factors = c->set.analysis->motion == TNI_MOTION_REST || c->set.analysis->motion == TNI_MOTION_SMALL;
  TN_TRY(tni_record_check(c->model));
  const char *solver = strcmp(c->set.analysis->name, "statics") == 0 ? c->set.solver : NULL;
  TN_TRY(tni_check_structures(c->model, c->s, factors, solver, &c->rep->text, j));
  say_assembly(c);
  say_freedom(c);
  TN_TRY(say_redundant(c));
  if (in->assembled) TN_TRY(say_singular(c));
  say_analysis(c);
  tni_text_add(j,
               ",\"bodies\":%d,\"joints\":%d,\"drives\":%d,\"forces\":%d,\"coordinates\":%d,"
               "\"equations\":%d,\"rank\":%d,\"redundant\":%d,\"freedom\":%d,\"loops\":%d,"
               "\"assembled\":%s,\"singular\":%s,\"position_error\":%.17g}\n",
               in->bodies, in->joints, in->drives, in->forces, in->coordinates, in->equations,
               in->rank, in->redundant, in->freedom, in->loops, in->assembled ? "true" : "false",
               in->singular ? "true" : "false", in->position_error);
  if (c->rep->text.failed || j->failed) return tni_out_of_memory(c->ctx);
  return TN_OK;
}

tn_status tn_check(tn_ctx *ctx, const tn_model *model, tn_report **out) {
  *out = NULL;
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  tn_report *rep = tni_alloc(ctx, 1, sizeof(*rep));
  if (!rep) return tni_out_of_memory(ctx);
  rep->ctx = ctx;
  tni_text_init(&rep->text, ctx);
  tni_text_init(&rep->json, ctx);
  checker c = {.ctx = ctx, .model = model, .rep = rep};
  tn_status st = perform(&c);
  tni_data_destroy(&c.s);
  tni_arena_clear(&c.arena);
  if (st != TN_OK) {
    tn_report_destroy(&rep);
    return st;
  }
  *out = rep;
  return TN_OK;
}

void tn_report_destroy(tn_report **report) {
  if (!report || !*report) return;
  tn_ctx *ctx = (*report)->ctx;
  tni_text_free(&(*report)->text);
  tni_text_free(&(*report)->json);
  tni_free(ctx, *report);
  *report = NULL;
}

const tn_check_info *tn_report_info(const tn_report *report) { return &report->info; }
const char *tn_report_text(const tn_report *report) { return report->text.s; }
const char *tn_report_json(const tn_report *report) { return report->json.s; }
