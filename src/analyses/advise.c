/* analyses/advise.c - which solver for which structure on which machine
 *
 *   direct         setup = operations of the factor, each = 4 nnz(L)
 *   feti           every domain: its factor, that of its interior (Dirichlet); each: 4 nnz of both, borders; rigid motions
 *   feti_dp        the same with means and corners: constrained factors, a solution for every one of them, the primal matrix
 *   schur          interiors, a solution for every unknown of the border, the matrix of all borders
 *   schur_cg       interiors; each: 4 nnz(L_ii), K_ib twice, K_bb
 *   pcg            each: 2 nnz(K), vectors
 *
 * Iterations to a tolerance, N domains of H/h cells along each, times ln(2/tolerance)/14.5:
 *
 *   plane   feti (4.5 + 2.6 ln(H/h)) (1 + N/288), feti_dp without the second factor, schur_cg 5.4 sqrt(N H/h)
 *   solids  feti (7 + 2.4 ln(H/h)) (1 + (N - 8)/80), feti_dp 2 + 4.3 ln(H/h), schur_cg 5.4 N^(1/3) sqrt(H/h)
 *
 * fitted to squares (tables M1 and M2 of the literature) and to the cubes of docs/benchmarks/parallel.md; N counts up to 144 and 64. Slender domains
 * and materials that differ take more. Of pcg 1/2 sqrt(kappa) ln(2/tolerance) with kappa from PROBES steps, less than the true one where
 * structures are slender.
 *
 * Source: Farhat's advice by architecture (NASA CR 199036), with counts of today's solvers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tenon/advise.h>

#include "domains/domains.h"
#include "mesh/decompose.h"
#include "nonlinear/rest.h"
#include "nonlinear/rest_domains.h"
#include "system/parts.h"

enum { PROBES = 60, DOUBLE = 8, RULES = 3 };
static const double PART_OF_MEMORY = 0.8, TIE = 1.1, PRIOR = 14.5;
static const tni_cut RULE[RULES] = {TNI_CUT_BEST, TNI_CUT_STRIPS, TNI_CUT_GREEDY};

/* of a domain */
typedef struct {
  double n, nb, ni;
  double flops, nnz;       /* factor of all of it      */
  double inner, inner_nnz; /* of its interior          */
  double bb, ib, entries;  /* numbers in K_bb, K_ib, K */
  double rigid, neighbours;
} counts;

typedef struct {
  tn_ctx *ctx;
  const tn_rates *rates;
  const tn_advise_opts *o;
  tni_arena arena;
  tni_data *s;
  int ranks, dim;
  double tolerance, memory;
  double *q, *v;
  /* the whole */
  double n, entries, kappa, cells;
} adviser;

/* ---- counting ------------------------------------------------------------------------------------------ */

static tn_status analyze(const adviser *w, const char *backend, int n, const int *ptr, const int *ind, const int *node, double *flops,
                         double *nnz, double *bytes) {
  tni_sparse_solver *lu;
  tni_sparse_opts so = {.backend = backend, .symmetric = true, .node = node};
  *flops = *nnz = 0;
  if (bytes) *bytes = 0;
  if (n == 0) return TN_OK;
  TN_TRY(tni_sparse_solver_create(w->ctx, n, ptr, ind, &so, &lu));
  *flops = tni_sparse_solver_flops(lu);
  *nnz = (double)tni_sparse_solver_nnz(lu);
  if (bytes) *bytes = tni_sparse_solver_bytes(lu);
  tni_sparse_solver_destroy(&lu);
  return TN_OK;
}

/* domains of one part in a cut; room for `most` of them */
static tn_status count_domains(adviser *w, const tni_part *part, const int *of_cell, int n, tni_arena *arena, counts *out, double *shared) {
  tni_domains *d;
  tni_border *border;
  int most = 0, *scratch;
  TN_TRY(part->ops->cut(part, arena, of_cell, n, 0, n, &d));
  d->ctx = w->ctx;
  TN_TRY(tni_borders_create(d, arena, &border));
  for (int s = 0; s < n; s++) most = d->domain[s].n > most ? d->domain[s].n : most;
  TNI_ARENA_NEW(arena, scratch, most);
  for (int i = 0; i < most; i++) scratch[i] = -1;
  for (int s = 0; s < n; s++) {
    const tni_domain *x = &d->domain[s];
    const tni_border *b = &border[s];
    counts *c = &out[s];
    tni_block bb, ib, ii;
    int *node = NULL;
    *c = (counts){.n = x->n, .nb = b->nb, .ni = b->ni, .entries = x->ptr[x->n], .rigid = x->nrigid, .neighbours = b->nneighbour};
    TN_TRY(tni_block_take(x, b->nb, b->b, b->nb, b->b, scratch, arena, &bb));
    TN_TRY(tni_block_take(x, b->ni, b->i, b->nb, b->b, scratch, arena, &ib));
    TN_TRY(tni_block_take(x, b->ni, b->i, b->ni, b->i, scratch, arena, &ii));
    c->bb = bb.ptr[bb.ncol];
    c->ib = ib.ptr[ib.ncol];
    TN_TRY(analyze(w, "fronts", x->n, x->ptr, x->ind, x->node, &c->flops, &c->nnz, NULL));
    if (b->ni) TN_TRY(tni_domain_nodes(x, b->ni, b->i, arena, &node));
    TN_TRY(analyze(w, "fronts", b->ni, ii.ptr, ii.ind, node, &c->inner, &c->inner_nnz, NULL));
    for (int i = 0; i < b->nb; i++) *shared += 1.0/(b->from[i + 1] - b->from[i]);
  }
  return TN_OK;
}

/* all parts by a rule; TN_ERR_UNSUPPORTED: not to be cut */
static tn_status count_cut(adviser *w, tni_cut rule, int parts, tni_arena *arena, counts **out, int *n, double *shared) {
  const tni_parts *p = w->s->parts;
  int **of_cell, *count;
  *n = 0;
  *shared = 0;
  TNI_ARENA_NEW(arena, of_cell, p->n);
  TNI_ARENA_NEW(arena, count, p->n);
  for (int i = 0; i < p->n; i++) {
    const tni_mesh *mesh = p->part[i].mesh;
    int moved, pieces;
    count[i] = p->n == 1 ? parts : (int)(parts*mesh->ncell/w->cells + 0.5);
    count[i] = count[i] < 1 ? 1 : count[i] > mesh->ncell ? mesh->ncell : count[i];
    TNI_ARENA_NEW(arena, of_cell[i], mesh->ncell);
    TN_TRY(tni_mesh_decompose(mesh, rule, count[i], NULL, of_cell[i]));
    TN_TRY(tni_mesh_repair(mesh, count[i], of_cell[i], &moved, &pieces));
    if (pieces > 0) TN_TRY(tni_mesh_split(mesh, &count[i], of_cell[i]));
    *n += count[i];
  }
  TNI_ARENA_NEW(arena, *out, *n);
  for (int i = 0, at = 0; i < p->n; at += count[i++]) TN_TRY(count_domains(w, &p->part[i], of_cell[i], count[i], arena, *out + at, shared));
  return TN_OK;
}

/* ---- iterations ------------------------------------------------------------------------------------------ */

/* largest and smallest eigenvalue of the tridiagonal matrix d [n], e [n-1], by counting signs */
static double extreme(int n, const double *d, const double *e, bool largest) {
  double low = 0, high = 0;
  for (int i = 0; i < n; i++) high = fmax(high, d[i] + (i > 0 ? fabs(e[i-1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0));
  for (int step = 0; step < 200; step++) {
    double x = 0.5*(low + high), p = d[0] - x;
    int below = p < 0;
    for (int i = 1; i < n; i++) {
      p = d[i] - x - e[i-1]*e[i-1]/(p != 0 ? p : 1e-300);
      below += p < 0;
    }
    if (largest ? below < n : below < 1) low = x;
    else high = x;
  }
  return 0.5*(low + high);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*y[i];
  return sum;
}

/* condition of K with its diagonal, as PROBES steps of conjugate gradients see it */
static tn_status probe(adviser *w, const tni_domain *d, tni_arena *arena, double *kappa) {
  double *r, *z, *p, *Kp, *diagonal, on[PROBES], beside[PROBES], before = 0, first = 0, alpha_before = 1;
  double **v[] = {&r, &z, &p, &Kp, &diagonal};
  int n = 0;
  for (int i = 0; i < TNI_COUNT(v); i++) TNI_ARENA_NEW(arena, *v[i], d->n);
  for (int j = 0; j < d->n; j++) {
    r[j] = sin(1 + 12.9898*j);
    for (int k = d->ptr[j]; k < d->ptr[j+1]; k++)
      if (d->ind[k] == j) diagonal[j] = d->value[k];
    TN_REQUIRE(w->ctx, diagonal[j] > 0, TN_SINGULAR, "the stiffness has no positive diagonal");
  }
  for (; n < PROBES; n++) {
    for (int j = 0; j < d->n; j++) z[j] = r[j]/diagonal[j];
    double rho = dot(d->n, r, z), beta = n > 0 ? rho/before : 0;
    if (n == 0) first = rho;
    if (!(rho > 1e-20*first)) break;
    for (int j = 0; j < d->n; j++) p[j] = z[j] + beta*p[j];
    tni_domain_multiply(d, p, Kp);
    double stiffness = dot(d->n, p, Kp), alpha = rho/stiffness;
    if (!(stiffness > 0)) break;
    for (int j = 0; j < d->n; j++) r[j] -= alpha*Kp[j];
    /* the matrix of Lanczos that these steps are */
    on[n] = 1/alpha + beta/alpha_before;
    if (n > 0) beside[n-1] = sqrt(beta)/alpha_before;
    alpha_before = alpha;
    before = rho;
  }
  double least = n > 0 ? extreme(n, on, beside, false) : 1, most = n > 0 ? extreme(n, on, beside, true) : 1;
  *kappa = fmax(*kappa, least > 0 ? most/least : HUGE_VAL);
  return TN_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static tn_status look_at_whole(adviser *w, tn_advice *fronts, tn_advice *skyline, double *elements) {
  const tni_parts *p = w->s->parts;
  double fbytes = 0, sbytes = 0, fnnz = 0, snnz = 0;
  w->dim = 2;
  for (int i = 0; i < p->n; i++) {
    const tni_part *part = &p->part[i];
    tni_arena arena;
    int *of_cell;
    tni_domains *d;
    tni_part_at at = tni_parts_at(w->s, i);
    double flops, nnz, bytes;
    w->cells += part->mesh->ncell;
    if (part->mesh->dim == 3) w->dim = 3;
    tni_arena_init(&arena, w->ctx);
    of_cell = tni_arena_alloc(&arena, (size_t)part->mesh->ncell, sizeof(int));
    tn_status st = of_cell ? part->ops->cut(part, &arena, of_cell, 1, 0, 1, &d) : tni_out_of_memory(w->ctx);
    if (st == TN_OK) {
      const tni_domain *x = &d->domain[0];
      double begin = tni_cpu_time();
      bool fine = part->ops->cut_tangent(part, p->work[i], &at, NULL, d);
      *elements += tni_cpu_time() - begin;
      if (!fine) st = TN_FAIL(w->ctx, TN_SINGULAR, "structure '%s' has no stiffness at rest", part->name);
      w->n += x->n;
      w->entries += x->ptr[x->n];
      if (st == TN_OK) st = probe(w, x, &arena, &w->kappa);
      if (st == TN_OK) st = analyze(w, "fronts", x->n, x->ptr, x->ind, x->node, &flops, &nnz, &bytes);
      if (st == TN_OK) fronts->setup += flops, fnnz += nnz, fbytes += bytes;
      if (st == TN_OK) st = analyze(w, "skyline", x->n, x->ptr, x->ind, x->node, &flops, &nnz, &bytes);
      if (st == TN_OK) skyline->setup += flops, snnz += nnz, sbytes += bytes;
    }
    tni_arena_clear(&arena);
    TN_TRY(st);
  }
  double matrix = 12*w->entries;
  fronts->each = 4*fnnz;
  fronts->memory = fbytes + matrix;
  fronts->seconds = w->entries/w->rates->order + fronts->setup/w->rates->factor + fronts->each/w->rates->solve;
  skyline->each = 4*snnz;
  skyline->memory = sbytes + matrix;
  skyline->seconds = skyline->setup/w->rates->skyline + skyline->each/w->rates->solve;
  return TN_OK;
}

/* ---- domains ------------------------------------------------------------------------------------------------ */

/* of the rank that has most: operations, words */
typedef struct {
  double factor, solve, product, words, order, messages, sent;
} load;

/* means: of the domain */
static void add(load *l, const counts *c, tni_cut_solver solver, double iterations, double primal, double means, bool stressed) {
  double inner = 4*c->inner_nnz, whole = 4*c->nnz, dirichlet = inner + 4*c->ib + 2*c->bb;
  switch (solver) {
    case TNI_CUT_FETI:
      l->factor += c->flops + c->inner;
      l->solve += (iterations + 2)*(whole + inner);
      l->product += iterations*(4*c->ib + 2*c->bb);
      l->words += c->nnz + c->inner_nnz + 1.5*(c->entries + c->ib + c->bb) + 2*c->nb*iterations;
      l->order += 2*c->entries;
      l->solve += 0.5*means*whole; /* every one at two domains, eight at a time */
      l->product += 4*means*c->nb*iterations;
      l->words += 2*means*c->nb;
      if (!stressed) break;
      /* a second product in every iteration, and one for every motion of the domain and of those around it (feti_stressed.c) */
      l->solve += (iterations + 6*(1 + c->neighbours))*whole;
      l->product += 72*(1 + c->neighbours)*(1 + c->neighbours)*c->n;
      break;
    case TNI_CUT_FETI_DP: /* constrained factors are not definite: twice the operations */
      l->factor += 2*c->flops + c->inner;
      l->solve += (iterations + 2)*(2*whole + inner) + 2*primal*whole;
      l->product += iterations*(4*c->ib + 2*c->bb) + 2*primal*(c->entries + primal*c->n);
      l->words += 2*c->nnz + c->inner_nnz + primal*c->n + 1.5*(c->entries + c->ib + c->bb) + 2*c->nb*iterations;
      l->order += 2*c->entries;
      break;
    case TNI_CUT_SCHUR:
      l->factor += c->inner;
      l->solve += (c->nb + 2)*inner;
      l->product += c->nb*2*c->ib;
      l->words += c->inner_nnz + 1.5*c->entries;
      l->order += c->entries;
      break;
    case TNI_CUT_SCHUR_CG:
      l->factor += c->inner;
      l->solve += (iterations + 2)*inner;
      l->product += iterations*(dirichlet - inner);
      l->words += c->inner_nnz + 1.5*c->entries;
      l->order += c->entries;
      break;
    default: break;
  }
  l->messages += c->neighbours*(solver == TNI_CUT_FETI || solver == TNI_CUT_FETI_DP ? 2 : 1);
  l->sent += 8*c->nb*(solver == TNI_CUT_FETI || solver == TNI_CUT_FETI_DP ? 2 : 1);
}

/* forces of the second coarse space of feti for every domain, as cubes and squares have them */
static double means_of(const adviser *w, const counts *c) { return fmin((w->dim == 3 ? 3.6 : 1.5)*c->neighbours, c->nb); }

/* is there one? */
static bool has_means(const adviser *w, const counts *c, int n, double *all) {
  enum { COLUMNS = 4000 };
  *all = 0;
  for (int s = 0; s < n; s++) *all += means_of(w, &c[s]);
  for (int i = 0; i < w->s->parts->n; i++)
    if (!w->s->parts->part[i].small) *all = 0;
  if (*all > COLUMNS) *all = 0;
  return *all > 0;
}

static double expected_iterations(const adviser *w, tni_cut_solver solver, int n, bool means) {
  double H = pow(fmax(1, w->cells/n), 1.0/w->dim), factor = log(2/w->tolerance)/PRIOR;
  switch (solver) {
    case TNI_CUT_FETI:
      if (means) return factor*(4.6 + 1.25*log(H));
      return factor*(w->dim == 3 ? (7 + 2.4*log(H))*(1 + fmin(fmax(n - 8, 0), 56)/80) : (4.5 + 2.6*log(H))*(1 + fmin(n, 144)/288));
    case TNI_CUT_FETI_DP: return factor*(w->dim == 3 ? 2 + 4.3*log(H) : 4.5 + 2.6*log(H));
    case TNI_CUT_SCHUR_CG: return factor*5.4*pow(n, 1.0/w->dim)*sqrt(H);
    default: return 1;
  }
}

static void predict_cut(const adviser *w, tni_cut_solver solver, const counts *c, int n, double shared, tn_advice *out) {
  const tn_rates *r = w->rates;
  double all;
  bool means = solver == TNI_CUT_FETI && has_means(w, c, n, &all);
  double iterations = expected_iterations(w, solver, n, means), worst = 0, rigid = 0, reductions = solver == TNI_CUT_SCHUR ? 0 : 4;
  for (int s = 0; s < n; s++) rigid += c[s].rigid;
  bool stressed = false;
  for (int i = 0; i < w->s->parts->n; i++) stressed = stressed || !w->s->parts->part[i].small;
  out->iterations = iterations;
  for (int rank = 0; rank < w->ranks; rank++) {
    load l = {0};
    for (int s = 0; s < n; s++) {
      /* corners and means of everything that is shared: three nodes and a mean for each neighbour */
      double primal = fmin(4*w->dim*c[s].neighbours, c[s].nb);
      if ((long)s*w->ranks/n == rank) add(&l, &c[s], solver, iterations, primal, means ? means_of(w, &c[s]) : 0, stressed);
    }
    double dense = 0, words = l.words;
    if (means) dense = all*all*all/12 + iterations*2*all*all, words += 0.5*all*all;
    else if (solver == TNI_CUT_FETI) dense = rigid*rigid*rigid/3 + iterations*4*rigid*rigid, words += rigid*rigid;
    /* borders couple with those of the same domain only: what a factor of all of them takes beyond the largest separator is little */
    if (solver == TNI_CUT_SCHUR) dense = shared*shared*shared/3, words += 0.5*shared*shared;
    double seconds = l.order/r->order + (l.factor + dense)/r->factor + l.solve/r->solve + l.product/r->product;
    if (w->ranks > 1) {
      double hops = ceil(log2(w->ranks));
      seconds += iterations*(l.messages*r->latency + l.sent*r->byte + reductions*2*hops*r->latency);
    }
    if (seconds > worst) {
      worst = seconds;
      out->setup = l.factor + dense;
      out->each = iterations > 1 ? (l.solve + l.product)/iterations : l.solve + l.product;
      out->messages = w->ranks > 1 ? l.messages : 0;
      out->sent = w->ranks > 1 ? l.sent : 0;
    }
    out->memory = fmax(out->memory, DOUBLE*words);
  }
  out->seconds = worst;
}

/* the best of three rules */
static tn_status look_at_cuts(adviser *w, int parts, tn_advice *row) {
  for (int k = 0; k < RULES; k++) {
    tni_arena arena;
    counts *c;
    int n;
    double shared;
    tni_arena_init(&arena, w->ctx);
    tn_status st = count_cut(w, RULE[k], parts, &arena, &c, &n, &shared);
    for (int s = 0; s <= TNI_CUT_SCHUR_CG && st == TN_OK; s++) {
      tn_advice next = {.solver = tni_cut_solver_names[s], .rule = tni_cut_names[RULE[k]], .parts = n};
      predict_cut(w, (tni_cut_solver)s, c, n, shared, &next);
      if (row[s].rule == NULL || next.seconds < row[s].seconds) row[s] = next;
    }
    tni_arena_clear(&arena);
    TN_TRY(st);
  }
  return TN_OK;
}

static void predict_pcg(const adviser *w, tn_advice *out) {
  double surface = w->ranks > 1 ? 6*w->dim*pow(w->n/w->dim/w->ranks, (w->dim - 1.0)/w->dim) : 0;
  out->iterations = fmax(1, 0.5*sqrt(w->kappa)*log(2/w->tolerance));
  out->each = (2*w->entries + 12*w->n)/w->ranks;
  out->messages = w->ranks > 1 ? fmin(w->ranks - 1, w->dim == 3 ? 26 : 8) : 0;
  out->sent = 8*surface;
  out->memory = (12*w->entries + 6*DOUBLE*w->n)/w->ranks;
  out->seconds = out->iterations*(out->each/w->rates->product + out->messages*w->rates->latency + out->sent*w->rates->byte +
                                  (w->ranks > 1 ? 4*ceil(log2(w->ranks))*w->rates->latency : 0));
}

/* ---- what is taken, and what it takes in truth ---------------------------------------------------------------- */

/* the least time; among those within a tenth of it the least memory, then the first */
static int decide(const adviser *w, int n, tn_advice *row) {
  double least = HUGE_VAL;
  int best = -1;
  for (int i = 0; i < n; i++) {
    if (!row[i].excluded[0] && row[i].memory > w->memory)
      snprintf(row[i].excluded, sizeof(row[i].excluded), "needs %.3g MB, a rank has %.3g", 1e-6*row[i].memory, 1e-6*w->memory);
    if (!row[i].excluded[0]) least = fmin(least, row[i].seconds);
  }
  for (int i = 0; i < n; i++) {
    if (row[i].excluded[0] || row[i].seconds > TIE*least) continue;
    if (best < 0 || row[i].memory < row[best].memory) best = i;
  }
  return best;
}

static tn_status measure(adviser *w, const tn_advice *row, double *seconds) {
  tni_rest *rest;
  tni_rest_report r;
  tni_rest_opts o = {.tolerance = 1e-9};
  double *q, *lambda;
  TNI_ARENA_NEW(&w->arena, q, w->s->nq);
  TNI_ARENA_NEW(&w->arena, lambda, w->s->m + 1);
  memcpy(q, w->q, (size_t)w->s->nq*sizeof(double));
  TN_TRY(tni_rest_create(w->s, &rest));
  double begin = tni_cpu_time();
  tn_status st = TN_OK;
  if (row->rule) {
    tni_rest_cut_opts c = {.domains = row->parts, .rule = (tni_cut)tni_cut_named(row->rule), .tolerance = 1e-10};
    for (int s = 0; s < TNI_NCUT_SOLVER; s++)
      if (strcmp(row->solver, tni_cut_solver_names[s]) == 0) c.solver = (tni_cut_solver)s;
    st = tni_rest_cut_into(rest, &c);
  } else {
    tni_rest_use(rest, row->solver, HUGE_VAL, NULL);
  }
  if (st == TN_OK) st = tni_rest_solve(rest, NULL, 0, q, lambda, &o, &r);
  *seconds = tni_cpu_time() - begin;
  tni_rest_destroy(&rest);
  return st;
}

/* what decides there is what runs decide by */
static tn_status say_what_runs_take(const adviser *w, tn_advised *out) {
  tni_rest *rest;
  double bytes, factor, flops;
  if (w->ranks > 1) {
    tni_cut_choice c = tni_rest_cut_choose(w->s, TNI_CUT_OF_STATICS, tni_rest_cut_rule(w->s, NULL), w->ranks);
    snprintf(out->run, sizeof(out->run), "%s", c.solver >= 0 ? tni_cut_solver_names[c.solver] : "fronts");
    snprintf(out->run_reason, sizeof(out->run_reason), "%s", c.why);
    out->run_parts = c.domains;
    return TN_OK;
  }
  TN_TRY(tni_rest_create(w->s, &rest));
  tn_status st = tni_rest_expect(rest, &bytes, &factor, &flops);
  tni_rest_use(rest, NULL, w->memory, NULL);
  if (st == TN_OK) snprintf(out->run, sizeof(out->run), "%s", tni_rest_foresee(rest, factor, out->run_reason, sizeof(out->run_reason)));
  tni_rest_destroy(&rest);
  return st;
}

static tn_status advise(adviser *w, int *n, tn_advice *row, tn_advised *out) {
  tni_parts *p = w->s->parts;
  tn_advice *fronts = &row[0], *skyline = &row[1], *pcg = &row[6];
  TNI_ARENA_NEW(&w->arena, w->q, w->s->nq);
  TNI_ARENA_NEW(&w->arena, w->v, w->s->nv);
  tni_initial(w->s, w->q, w->v);
  tni_parts_set(w->s, 0, w->q, NULL);
  p->still = true;
  memset(row, 0, TN_ADVICE_MAX*sizeof(*row));
  *fronts = (tn_advice){.solver = "fronts", .iterations = 1, .parts = 1};
  *skyline = (tn_advice){.solver = "skyline", .iterations = 1, .parts = 1};
  *pcg = (tn_advice){.solver = "pcg", .parts = 1};
  TN_TRY(look_at_whole(w, fronts, skyline, &out->elements));
  TN_TRY(say_what_runs_take(w, out));
  int parts = w->o->parts > 0 ? w->o->parts : tni_rest_cut_usual(w->s, TNI_CUT_FETI, TNI_CUT_BEST, w->ranks);
  if (parts > w->cells) parts = (int)w->cells;
  TN_TRY(look_at_cuts(w, parts, row + 2));
  predict_pcg(w, pcg);
  *n = 7;
  out->unknowns = w->s->nv;
  out->best = decide(w, *n, row);
  for (int i = 0; i < *n && w->o->measure; i++) {
    if (row[i].excluded[0]) continue;
    tn_status st = measure(w, &row[i], &row[i].measured);
    if (st < 0) return st;
    if (st != TN_OK) snprintf(row[i].excluded, sizeof(row[i].excluded), "fails: %.200s", tn_ctx_message(w->ctx)), row[i].measured = 0;
  }
  if (w->o->measure && out->best >= 0 && row[out->best].excluded[0]) out->best = decide(w, *n, row);
  return TN_OK;
}

tn_status tn_advise(tn_ctx *ctx, const tn_model *model, const tn_rates *rates, const tn_advise_opts *opts, int *n, tn_advice *row,
                    tn_advised *out) {
  adviser w = {.ctx = ctx, .rates = rates, .o = opts, .ranks = opts->ranks < 1 ? 1 : opts->ranks};
  w.tolerance = opts->tolerance > 0 ? opts->tolerance : 1e-10;
  w.memory = opts->memory > 0 ? opts->memory
                              : PART_OF_MEMORY*(double)sysconf(_SC_PHYS_PAGES)*(double)sysconf(_SC_PAGESIZE)/w.ranks;
  *out = (tn_advised){.best = -1};
  *n = 0;
  TN_REQUIRE(ctx, model->npart > 0, TN_ERR_UNSUPPORTED, "the model has no structures: there is no solver to choose but that of mechanisms");
  TN_REQUIRE(ctx, model->nbody == 0, TN_ERR_UNSUPPORTED, "bodies beside structures are solved for by fronts or mumps: there is nothing to choose");
  tni_arena_init(&w.arena, ctx);
  tn_status st = tni_cartesian_create(ctx, model, NULL, &w.s);
  if (st == TN_OK) st = advise(&w, n, row, out);
  tni_data_destroy(&w.s);
  tni_arena_clear(&w.arena);
  return st;
}
