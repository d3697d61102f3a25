/* nonlinear/rest_domains.c - equilibria of meshes that are cut into domains
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_domains.h"

#include <math.h>
#include <stdio.h>

#include "system/parts.h"

const char *const tni_cut_solver_names[TNI_NCUT_ANY] = {"feti", "feti_dp", "schur", "schur_cg", "pcg", "gamg", "bddc", "mumps"};

struct tni_rest_cut {
  tn_ctx *ctx;
  tni_arena arena;
  tni_data *s;
  tni_rest_cut_opts o;
  int moved;            /* cells that were given to another domain, so that each is in one piece */
  bool stressed;        /* large displacements: domains resist their own motions               */
  int *first;           /* [parts+1] domains                                                       */
  int **of_cell;        /* [parts] domain within the part of every cell                            */
  tni_domains **of;     /* [parts] each cut by itself                                              */
  tni_domains *d;       /* all together; numbers of unknowns are those of all parts                */
  tni_domain *domain;   /* those of d                                                              */
  int *nrigid;          /* [n] rigid motions of each without masses                                */
  int *from;            /* [n+1]                                                                   */
  int *rank_places;     /* [ranks+1] first place of a rank's pieces                                */
  double *share;        /* pieces: 1 over the number of copies                                     */
  double *force, *u;    /* pieces                                                                  */
  tni_feti *feti;
  tni_schur *schur;
  tni_pcg *pcg;
  tni_engine *engine;
  tni_seam *seam;
  int nseam;
  tni_feti_reduced *few;
  tni_feti_reduced_report few_report;
  tni_feti_report feti_report;
  tni_schur_report schur_report;
  tni_pcg_report pcg_report;
  tni_engine_report engine_report;
  int iterations;       /* of all solutions                                                        */
  int instead;          /* matrices that schur solved instead of feti_dp                           */
};

int tni_cut_solver_named(const char *name) {
  for (int i = 0; i < TNI_NCUT_ANY; i++)
    if (strcmp(name, tni_cut_solver_names[i]) == 0) return i;
  return -1;
}

tn_status tni_cut_solver_there(tn_ctx *ctx, tni_cut_solver solver) {
  return solver < TNI_NCUT_SOLVER ? TN_OK : tni_engine_there(ctx, tni_comm_of(ctx), (tni_engine_kind)(solver - TNI_NCUT_SOLVER));
}

tni_cut tni_rest_cut_rule(const tni_data *s, const char *name) {
  const tni_parts *p = s->parts;
  if (name) return (tni_cut)tni_cut_named(name);
  for (int i = 0; p && i < p->n; i++)
    if (p->part[i].mesh && p->part[i].mesh->ncut > 0) return TNI_CUT_FILE;
  return TNI_CUT_BEST;
}

int tni_rest_cut_usual(const tni_data *s, tni_cut_solver solver, tni_cut rule, int ranks) {
  enum { UNKNOWNS = 5000, LEAST = 4 };
  const tni_parts *p = s->parts;
  int n = ranks, cells = 0, written = 0;
  for (int i = 0; p && i < p->n; i++) {
    cells += p->part[i].mesh ? p->part[i].mesh->ncell : 0;
    written += p->part[i].mesh ? p->part[i].mesh->ncut : 0;
  }
  if (solver >= TNI_CUT_PCG) return n < cells ? n : cells > 0 ? cells : 1; /* nothing is factored: borders cost, and nothing else; engines divide by processes */
  if (rule == TNI_CUT_FILE && written > 0) return written;
  while (n < LEAST || (double)n*UNKNOWNS*sqrt(2) < s->nv) n *= 2; /* halves of halves have round shapes: fewer iterations */
  return n < cells ? n : cells > 0 ? cells : 1;
}

tn_status tni_rest_cut_allowed(tni_data *s, tni_cut_solver solver, bool moving) {
  const tni_parts *p = s->parts;
  const char *name = tni_cut_solver_names[solver];
  TN_REQUIRE(s->ctx, p && p->n > 0, TN_ERR_UNSUPPORTED, "solver '%s' takes structures; this model has none", name);
  TN_REQUIRE(s->ctx, !moving || (s->nbody == 0 && s->m == 0), TN_ERR_UNSUPPORTED,
             "solver '%s' takes motions of structures and nothing else; this model has %d bodies and %d constraint rows", name, s->nbody, s->m);
  for (int i = 0; i < p->n; i++) {
    const tni_part *part = &p->part[i];
    TN_REQUIRE(s->ctx, part->ops->cut && part->mesh, TN_ERR_UNSUPPORTED, "structure '%s' cannot be cut into domains", part->name);
    TN_REQUIRE(s->ctx, !moving || !part->coupled, TN_ERR_UNSUPPORTED,
               "solver '%s' takes motions of structures with lumped masses (structure '%s' has others)", name, part->name);
  }
  return TN_OK;
}

tni_cut_choice tni_rest_cut_choose(tni_data *s, tni_cut_purpose purpose, tni_cut rule, int ranks) {
  enum { LARGE = TNI_CUT_OF_MODES + 1, CASES };
  static const struct { tni_cut_solver solver; const char *why; } table[CASES] = {
      [TNI_CUT_OF_STATICS] = {TNI_CUT_FETI, "small displacements: definite factors, the least work in an iteration"},
      [LARGE] = {TNI_CUT_FETI_DP, "large displacements: one product in an iteration where feti takes two"},
      [TNI_CUT_OF_MOTIONS] = {TNI_CUT_FETI_DP, "masses hold every domain, and feti has no coarse problem then"},
      [TNI_CUT_OF_MODES] = {TNI_CUT_SCHUR, "many right sides, and its factors count eigenvalues"}};
  tni_cut_choice c = {.solver = -1};
  int k = (int)purpose;
  for (int i = 0; s->parts && i < s->parts->n && purpose == TNI_CUT_OF_STATICS; i++)
    if (!s->parts->part[i].small) k = LARGE;
  if (ranks <= 1) {
    snprintf(c.why, sizeof(c.why), "one process: factors of the whole, or pcg where they find no room");
  } else if (tni_rest_cut_allowed(s, table[k].solver, purpose != TNI_CUT_OF_STATICS) != TN_OK) {
    snprintf(c.why, sizeof(c.why), "%.290s", tn_ctx_message(s->ctx));
  } else {
    c.solver = (int)table[k].solver;
    c.domains = tni_rest_cut_usual(s, table[k].solver, rule, ranks);
    snprintf(c.why, sizeof(c.why), "%s; %d unknowns in domains of %d", table[k].why, s->parts->nv, s->parts->nv/c.domains);
  }
  return c;
}

/* domains of every part, by cells: one at least */
static tn_status divide(tni_rest_cut *c, int *count) {
  const tni_parts *p = c->s->parts;
  bool written = c->o.rule == TNI_CUT_FILE;
  long all = 0;
  for (int i = 0; i < p->n; i++) all += written ? p->part[i].mesh->ncut : p->part[i].mesh->ncell;
  for (int i = 0; i < p->n; i++) {
    const tni_mesh *mesh = p->part[i].mesh;
    count[i] = p->n == 1 ? c->o.domains : (int)((double)c->o.domains*(written ? mesh->ncut : mesh->ncell)/(double)(all > 0 ? all : 1) + 0.5);
    if (count[i] < 1) count[i] = 1;
    TN_REQUIRE(c->ctx, count[i] <= mesh->ncell, TN_ERR_INPUT, "domains = %d, but the mesh of structure '%s' has %d cells", c->o.domains,
               p->part[i].name, mesh->ncell);
  }
  return TN_OK;
}

/* neighbouring numbers to one rank, as many cells each as can be */
static tn_status give_to_ranks(tni_rest_cut *c, const int *cells, int n, int **rank_from) {
  const tni_comm *comm = tni_comm_of(c->ctx);
  double all = 0, before = 0;
  *rank_from = NULL;
  if (!comm) return TN_OK;
  TNI_ARENA_NEW(&c->arena, *rank_from, comm->size + 1);
  for (int s = 0; s < n; s++) all += cells[s];
  for (int s = 0; s < n; s++) {
    int rank = (int)(comm->size*(before + 0.5*cells[s])/all);
    for (int r = rank + 1; r <= comm->size; r++) (*rank_from)[r] = s + 1;
    before += cells[s];
  }
  return TN_OK;
}

/* parts one after the other: their domains, pairs that touch, and numbers of unknowns in the system */
static tn_status put_together(tni_rest_cut *c, const int *first) {
  const tni_parts *p = c->s->parts;
  tni_domain *domain;
  int npair = 0, *pair;
  for (int i = 0; i < p->n; i++) npair += c->of[i]->npair;
  TNI_ARENA_NEW(&c->arena, domain, first[p->n]);
  TNI_ARENA_NEW(&c->arena, pair, 2*npair + 1);
  TNI_ARENA_NEW(&c->arena, c->nrigid, first[p->n]);
  npair = 0;
  for (int i = 0; i < p->n; i++) {
    const tni_domains *d = c->of[i];
    for (int s = 0; s < d->n; s++) {
      domain[first[i] + s] = d->domain[s];
      c->nrigid[first[i] + s] = d->domain[s].nrigid;
      if (p->at[i] == 0) continue;
      long long *number;
      TNI_ARENA_NEW(&c->arena, number, d->domain[s].n + 1);
      for (int k = 0; k < d->domain[s].n; k++) number[k] = d->domain[s].number[k] + p->at[i];
      domain[first[i] + s].number = number;
    }
    for (int k = 0; k < 2*d->npair; k++) pair[2*npair + k] = first[i] + d->pair[k];
    npair += d->npair;
  }
  c->d->domain = c->domain = domain;
  c->d->npair = npair;
  c->d->pair = pair;
  return TN_OK;
}

/* where every cell belongs: the first rank says it */
static tn_status decompose(tni_rest_cut *c) {
  TN_TRY(tni_rest_cut_allowed(c->s, c->o.solver, c->o.moving));
  const tni_parts *p = c->s->parts;
  if (c->o.fields) {
    const char *basis = tni_seam_basis_names[c->o.few.basis];
    TN_REQUIRE(c->ctx, c->s->nbody == 0 && c->s->m == 0, TN_ERR_UNSUPPORTED, "multipliers: %s take a structure and nothing else; this model has %d bodies",
               basis, c->s->nbody);
    TN_REQUIRE(c->ctx, p->n == 1, TN_ERR_UNSUPPORTED, "multipliers: %s take one structure; this model has %d", basis, p->n);
    TN_REQUIRE(c->ctx, p->part->linear, TN_ERR_UNSUPPORTED,
               "multipliers: %s are for linear structures (structure '%s' is not); take 'multipliers: all'", basis, p->part->name);
    TN_REQUIRE(c->ctx, !tni_comm_of(c->ctx), TN_ERR_UNSUPPORTED, "multipliers: %s are found by one process; take 'multipliers: all' on several",
               basis);
  }
  TNI_ARENA_NEW(&c->arena, c->first, p->n + 1);
  TNI_ARENA_NEW(&c->arena, c->of_cell, p->n);
  TN_TRY(divide(c, c->first + 1));
  for (int i = 0; i < p->n; i++) c->first[i + 1] += c->first[i];
  for (int i = 0; i < p->n; i++) {
    const tni_mesh *mesh = p->part[i].mesh;
    int pieces, moved, count = c->first[i + 1] - c->first[i];
    TNI_ARENA_NEW(&c->arena, c->of_cell[i], mesh->ncell);
    if (!tni_comm_speaks(c->ctx)) continue;
    TN_TRY(tni_mesh_decompose(mesh, c->o.rule, count, NULL, c->of_cell[i]));
    TN_TRY(tni_mesh_repair(mesh, count, c->of_cell[i], &moved, &pieces));
    c->moved += moved;
    if (pieces > 0) TN_TRY(tni_mesh_split(mesh, &count, c->of_cell[i]));
    for (int k = i + 1, more = count - (c->first[i + 1] - c->first[i]); k <= p->n; k++) c->first[k] += more;
  }
  return TN_OK;
}

static tn_status cut_meshes(tni_rest_cut *c) {
  tn_ctx *ctx = c->ctx;
  const tni_parts *p = c->s->parts;
  const int *first = c->first;
  int **of_cell = c->of_cell, *cells, *rank_from, n = first[p->n];
  TNI_ARENA_NEW(&c->arena, c->of, p->n);
  TNI_ARENA_NEW(&c->arena, c->d, 1);
  TNI_ARENA_NEW(&c->arena, cells, n);
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->part[i].mesh->ncell; k++) cells[first[i] + of_cell[i][k]]++;
  TN_TRY(give_to_ranks(c, cells, n, &rank_from));
  *c->d = (tni_domains){.ctx = ctx, .n = n, .comm = tni_comm_of(ctx), .rank_from = rank_from};
  tni_domains *d = c->d;
  for (int i = 0; i < p->n; i++) {
    int count = first[i + 1] - first[i], begin = tni_domains_begin(d) - first[i], end = tni_domains_end(d) - first[i];
    begin = begin < 0 ? 0 : begin;
    end = end > count ? count : end;
    TN_TRY(p->part[i].ops->cut(&p->part[i], &c->arena, of_cell[i], count, begin, end < begin ? begin : end, &c->of[i]));
  }
  TN_TRY(put_together(c, first));
  if (c->o.fields) TN_TRY(p->part->ops->seams(p->part, &c->arena, of_cell[0], n, c->o.alone, &c->seam, &c->nseam));
  TNI_ARENA_NEW(&c->arena, c->from, n + 1);
  for (int s = 0; s < n; s++) c->from[s + 1] = c->from[s] + d->domain[s].n;
  int all = c->from[n], *copies;
  TNI_ARENA_NEW(&c->arena, c->share, all);
  TNI_ARENA_NEW(&c->arena, c->force, all);
  TNI_ARENA_NEW(&c->arena, c->u, all);
  TNI_ARENA_NEW(&c->arena, copies, p->nv);
  if (d->comm) {
    TNI_ARENA_NEW(&c->arena, c->rank_places, d->comm->size + 1);
    for (int r = 0; r <= d->comm->size; r++) c->rank_places[r] = c->from[rank_from[r]];
  }
  for (int s = 0; s < n; s++)
    for (int i = 0; i < d->domain[s].n; i++) copies[d->domain[s].number[i]]++;
  for (int s = 0; s < n; s++)
    for (int i = 0; i < d->domain[s].n; i++) c->share[c->from[s] + i] = 1.0/copies[d->domain[s].number[i]];
  return TN_OK;
}

tn_status tni_rest_cut_create(tni_data *s, const tni_rest_cut_opts *opts, tni_rest_cut **out) {
  *out = NULL;
  tni_rest_cut *c = tni_alloc(s->ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(s->ctx);
  c->ctx = s->ctx;
  c->s = s;
  c->o = *opts;
  tni_arena_init(&c->arena, s->ctx);
  tni_comm *comm = tni_comm_of(s->ctx);
  tn_status st = tni_comm_agree(comm, decompose(c));
  if (comm && st == TN_OK) st = tni_comm_broadcast(comm, 0, c->first, ((size_t)s->parts->n + 1)*sizeof(int));
  for (int i = 0; comm && i < s->parts->n && st == TN_OK; i++)
    st = tni_comm_broadcast(comm, 0, c->of_cell[i], (size_t)s->parts->part[i].mesh->ncell*sizeof(int));
  if (st == TN_OK) st = tni_comm_agree(comm, cut_meshes(c));
  if (st != TN_OK) tni_rest_cut_destroy(&c);
  *out = c;
  return st;
}

static void drop_factors(tni_rest_cut *c) {
  tni_feti_destroy(&c->feti);
  tni_schur_destroy(&c->schur);
  tni_pcg_destroy(&c->pcg);
  tni_engine_destroy(&c->engine);
  tni_feti_reduced_destroy(&c->few);
}

void tni_rest_cut_destroy(tni_rest_cut **out) {
  tni_rest_cut *c = out ? *out : NULL;
  if (!c) return;
  drop_factors(c);
  tni_arena_clear(&c->arena);
  tni_free(c->ctx, c);
  *out = NULL;
}

tn_status tni_rest_cut_factor(tni_rest_cut *c, double t, const double *q) { return tni_rest_cut_factor_sum(c, t, q, NULL, NULL); }

static tn_status make_matrices(tni_rest_cut *c, double t, const double *q, const double *v, const tni_part_sum *sum) {
  tni_parts *p = c->s->parts;
  tn_status st = TN_OK;
  tni_parts_set(c->s, t, q, v);
  for (int s = 0; s < c->d->n; s++) c->domain[s].nrigid = sum && sum->M > 0 ? 0 : c->nrigid[s]; /* masses resist all motions */
  for (int i = 0; i < p->n && st == TN_OK; i++) {
    tni_part_at at = tni_parts_at(c->s, i);
    if (p->part[i].ops->cut_tangent(&p->part[i], p->work[i], &at, sum, c->of[i])) continue;
    p->failed = i;
    st = tni_parts_trouble(c->s);
  }
  return tni_comm_agree(c->d->comm, st);
}

tn_status tni_rest_cut_negative(tni_rest_cut *c, double t, const double *q, const tni_part_sum *sum, int *negative) {
  tni_schur *s = NULL;
  tni_schur_opts o = {.method = TNI_SCHUR_DIRECT, .any = true};
  drop_factors(c); /* of other matrices in the same place */
  TN_TRY(make_matrices(c, t, q, NULL, sum));
  TN_TRY(tni_schur_create(c->d, &o, &s));
  if (!tni_schur_negative(s, negative)) *negative = -1;
  tni_schur_destroy(&s);
  return tni_domains_trouble(c->d);
}

tn_status tni_rest_cut_judge(tni_rest_cut *c, double t, const double *q, int *negative, bool *counted) {
  static const double MOST = 4000; /* unknowns of borders: some seconds, 100 MB */
  const tni_parts *p = c->s->parts;
  bool linear = true;
  double shared = 0;
  *counted = false;
  *negative = 0;
  for (int i = 0; i < p->n; i++) linear = linear && p->part[i].linear;
  bool factors = c->o.solver < TNI_CUT_PCG || c->o.solver == TNI_CUT_MUMPS;
  if (linear && factors) return TN_OK; /* sums of matrices that are positive definite, or domains would not have factors */
  *negative = -1; /* also where nothing is factored: what a load does not excite may be free */
  if (linear) return TN_OK;
  for (int k = 0; k < c->from[c->d->n]; k++) shared += c->share[k] < 1 ? c->share[k] : 0;
  if (shared > MOST) return TN_OK;
  *counted = true;
  return tni_rest_cut_negative(c, t, q, NULL, negative);
}

/* interiors that are not positive definite take other factors */
static tn_status put_borders_together(tni_rest_cut *c) {
  tni_schur_opts o = {.method = TNI_SCHUR_DIRECT, .tolerance = c->o.tolerance};
  tn_status st = tni_schur_create(c->d, &o, &c->schur);
  o.any = true;
  return st == TN_SINGULAR && c->stressed ? tni_schur_create(c->d, &o, &c->schur) : st;
}

/* Pieces of what is stable need not be: stressed domains that are held at few places may buckle where the whole does not. */
static tn_status use_schur(tni_rest_cut *c) {
  TN_TRY(put_borders_together(c));
  c->instead++;
  return TN_OK;
}

tn_status tni_rest_cut_factor_sum(tni_rest_cut *c, double t, const double *q, const double *v, const tni_part_sum *sum) {
  tni_parts *p = c->s->parts;
  drop_factors(c);
  TN_TRY(make_matrices(c, t, q, v, sum));
  if (c->o.solver >= TNI_NCUT_SOLVER)
    return tni_engine_create(c->d, (tni_engine_kind)(c->o.solver - TNI_NCUT_SOLVER), p->nv, c->o.tolerance, &c->engine);
  if (c->o.solver == TNI_CUT_PCG) {
    tni_pcg_opts o = {.tolerance = c->o.tolerance, .coarse = c->o.coarse};
    return tni_pcg_create(c->d, &o, &c->pcg);
  }
  c->stressed = false;
  for (int i = 0; i < p->n; i++) c->stressed = c->stressed || !p->part[i].small;
  if (c->o.solver == TNI_CUT_SCHUR) return put_borders_together(c);
  if (c->o.solver == TNI_CUT_SCHUR_CG) {
    tni_schur_opts o = {.method = TNI_SCHUR_CG_DIAGONAL, .tolerance = c->o.tolerance};
    return tni_schur_create(c->d, &o, &c->schur);
  }
  if (c->o.fields) return tni_feti_reduced_create(c->d, c->seam, c->nseam, &c->o.few, &c->few);
  tni_feti_opts o = {.primal = c->o.solver == TNI_CUT_FETI_DP ? TNI_PRIMAL_MEANS : TNI_PRIMAL_NONE, .tolerance = c->o.tolerance, .stressed = c->stressed,
                     .coarse = c->o.motions || c->o.moving ? TNI_FETI_COARSE_MOTIONS : TNI_FETI_COARSE_MEANS};
  tn_status st = tni_feti_create(c->d, &o, &c->feti);
  return st == TN_SINGULAR && c->stressed ? use_schur(c) : st;
}

static tn_status solve_pieces(tni_rest_cut *c) {
  if (c->few) return tni_feti_reduced_solve(c->few, c->force, c->u, &c->few_report);
  if (c->engine) {
    tn_status st = tni_engine_solve(c->engine, c->force, c->u, &c->engine_report);
    c->iterations += c->engine_report.iterations;
    return st;
  }
  if (c->pcg) {
    tn_status st = tni_pcg_solve(c->pcg, c->force, c->u, &c->pcg_report);
    c->iterations += c->pcg_report.iterations;
    return st;
  }
  if (c->schur) {
    TN_TRY(tni_schur_solve(c->schur, c->force, c->u, &c->schur_report));
    c->iterations += c->schur_report.iterations;
    return TN_OK;
  }
  tn_status st = tni_feti_solve(c->feti, c->force, c->u, &c->feti_report);
  c->iterations += c->feti_report.iterations;
  if (st != TN_NOT_CONVERGED || !c->feti_report.indefinite) return st;
  TN_TRY(use_schur(c));
  return tni_schur_solve(c->schur, c->force, c->u, &c->schur_report);
}

tn_status tni_rest_cut_solve(tni_rest_cut *c, double *x) {
  const tni_domains *d = c->d;
  double *y = x + c->s->parts->v0;
  for (int s = tni_domains_begin(d); s < tni_domains_end(d); s++)
    for (int i = 0; i < d->domain[s].n; i++) c->force[c->from[s] + i] = c->share[c->from[s] + i]*y[d->domain[s].number[i]];
  TN_TRY(solve_pieces(c));
  if (d->comm) TN_TRY(tni_comm_collect(d->comm, c->rank_places, c->u));
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n; i++) y[d->domain[s].number[i]] = c->u[c->from[s] + i];
  return TN_OK;
}

bool tni_rest_cut_is_approximate(const tni_rest_cut *c) { return c->o.fields; }

long tni_rest_cut_nnz(const tni_rest_cut *c) {
  return c->engine ? (long)c->engine_report.nnz : c->few ? c->few_report.nnz : c->pcg ? 0 : c->schur_report.nnz ? c->schur_report.nnz : c->feti_report.nnz;
}

void tni_rest_cut_describe(const tni_rest_cut *c, char *out, size_t n) {
  int at = snprintf(out, n, "%s, %d domains by %s", tni_cut_solver_names[c->o.solver], c->d->n, tni_cut_names[c->o.rule]);
  if (at < 0 || (size_t)at >= n) return;
  if (c->d->comm) at += snprintf(out + at, n - (size_t)at, " on %d ranks", c->d->comm->size);
  if ((size_t)at >= n) return;
  if (c->o.solver >= TNI_NCUT_SOLVER) {
    if (c->o.solver == TNI_CUT_MUMPS) snprintf(out + at, n - (size_t)at, ", by %s", c->engine_report.version);
    else snprintf(out + at, n - (size_t)at, ", %d iterations, by %s", c->iterations, c->engine_report.version);
    return;
  }
  if (c->o.fields) {
    const tni_feti_reduced_report *r = &c->few_report;
    snprintf(out + at, n - (size_t)at, ", approximate: %s forces, %d of %d, %d refinements, energy within %.2g of that of the whole", tni_seam_basis_names[c->o.few.basis],
             r->forces, r->full, r->refinements, r->fitted != 0 ? fabs((r->fitted - r->torn)/r->fitted) : 0);
    return;
  }
  if (c->o.solver == TNI_CUT_SCHUR || c->o.solver == TNI_CUT_SCHUR_CG)
    at += snprintf(out + at, n - (size_t)at, ", %d unknowns of borders", c->schur_report.unknowns);
  else if (c->o.solver != TNI_CUT_PCG)
    at += snprintf(out + at, n - (size_t)at, ", %d forces between them, %d %s", c->feti_report.multipliers,
                   c->feti_report.primal ? c->feti_report.primal : c->feti_report.rigid,
                   c->feti_report.primal ? "primal unknowns" : "rigid motions");
  if (c->feti_report.extra && at >= 0 && (size_t)at < n) at += snprintf(out + at, n - (size_t)at, " (%d of mechanisms)", c->feti_report.extra);
  if (c->feti_report.means && at >= 0 && (size_t)at < n) at += snprintf(out + at, n - (size_t)at, ", %d means", c->feti_report.means);
  if (c->pcg_report.coarse && at >= 0 && (size_t)at < n) at += snprintf(out + at, n - (size_t)at, ", %d motions of them solved for at once", c->pcg_report.coarse);
  if (c->o.solver != TNI_CUT_SCHUR && at >= 0 && (size_t)at < n) snprintf(out + at, n - (size_t)at, ", %d iterations", c->iterations);
  if (c->instead && strlen(out) + 1 < n)
    snprintf(out + strlen(out), n - strlen(out), "; schur for %d matrices that are not positive definite in pieces", c->instead);
}
