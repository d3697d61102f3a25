/* nonlinear/rest_domains.c - equilibria of meshes that are cut into domains
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_domains.h"

#include <stdio.h>

#include "system/parts.h"

const char *const tni_cut_solver_names[TNI_NCUT_SOLVER] = {"feti", "feti_dp", "schur", "schur_cg"};

struct tni_rest_cut {
  tn_ctx *ctx;
  tni_arena arena;
  tni_data *s;
  tni_rest_cut_opts o;
  int moved;            /* cells that were given to another domain, so that each is in one piece */
  tni_domains *d;
  int *from;            /* [n+1]                                                                   */
  double *share;        /* pieces: 1 over the number of copies                                     */
  double *force, *u;    /* pieces                                                                  */
  tni_feti *feti;
  tni_schur *schur;
  tni_feti_report feti_report;
  tni_schur_report schur_report;
  int iterations;       /* of all solutions                                                        */
  int instead;          /* matrices that schur solved instead of feti_dp                           */
};

static tn_status set_up(tni_rest_cut *c) {
  const tni_parts *p = c->s->parts;
  tn_ctx *ctx = c->ctx;
  const char *name = tni_cut_solver_names[c->o.solver];
  TN_REQUIRE(ctx, p && p->n == 1 && c->s->nbody == 0 && c->s->m == 0, TN_ERR_UNSUPPORTED,
             "solver '%s' takes one structure and nothing else; this model has %d structures, %d bodies and %d constraint rows", name,
             p ? p->n : 0, c->s->nbody, c->s->m);
  const tni_part *part = p->part;
  const tni_mesh *mesh = part->mesh;
  TN_REQUIRE(ctx, part->ops->cut && mesh, TN_ERR_UNSUPPORTED, "structure '%s' cannot be cut into domains", part->name);
  /* a stressed domain that nothing holds turns against its own forces: turning is no motion without stiffness */
  TN_REQUIRE(ctx, part->small || c->o.solver != TNI_CUT_FETI, TN_ERR_UNSUPPORTED,
             "solver 'feti' is for small displacements (structure '%s' has formulation: large); feti_dp and schur take large ones", part->name);
  TN_REQUIRE(ctx, c->o.domains <= mesh->ncell, TN_ERR_INPUT, "domains = %d, but the mesh of structure '%s' has %d cells", c->o.domains,
             part->name, mesh->ncell);
  int *of_cell, pieces;
  TNI_ARENA_NEW(&c->arena, of_cell, mesh->ncell);
  TN_TRY(tni_mesh_decompose(mesh, c->o.rule, c->o.domains, NULL, of_cell));
  TN_TRY(tni_mesh_repair(mesh, c->o.domains, of_cell, &c->moved, &pieces));
  TN_REQUIRE(ctx, pieces == 0, TN_ERR_UNSUPPORTED, "%d domains of structure '%s' are in several pieces because the mesh is", pieces, part->name);
  TN_TRY(part->ops->cut(part, &c->arena, of_cell, c->o.domains, &c->d));
  const tni_domains *d = c->d;
  TNI_ARENA_NEW(&c->arena, c->from, d->n + 1);
  for (int s = 0; s < d->n; s++) c->from[s + 1] = c->from[s] + d->domain[s].n;
  int n = c->from[d->n], *copies;
  TNI_ARENA_NEW(&c->arena, c->share, n);
  TNI_ARENA_NEW(&c->arena, c->force, n);
  TNI_ARENA_NEW(&c->arena, c->u, n);
  TNI_ARENA_NEW(&c->arena, copies, part->nv);
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n; i++) copies[d->domain[s].number[i]]++;
  for (int s = 0; s < d->n; s++)
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
  tn_status st = set_up(c);
  if (st != TN_OK) tni_rest_cut_destroy(&c);
  *out = c;
  return st;
}

void tni_rest_cut_destroy(tni_rest_cut **out) {
  tni_rest_cut *c = out ? *out : NULL;
  if (!c) return;
  tni_feti_destroy(&c->feti);
  tni_schur_destroy(&c->schur);
  tni_arena_clear(&c->arena);
  tni_free(c->ctx, c);
  *out = NULL;
}

tn_status tni_rest_cut_factor(tni_rest_cut *c, double t, const double *q) {
  tni_parts *p = c->s->parts;
  tni_feti_destroy(&c->feti);
  tni_schur_destroy(&c->schur);
  tni_parts_set(c->s, t, q, NULL);
  tni_part_at at = tni_parts_at(c->s, 0);
  if (!p->part->ops->cut_tangent(p->part, p->work[0], &at, c->d)) {
    p->failed = 0;
    return tni_parts_trouble(c->s);
  }
  if (c->o.solver == TNI_CUT_SCHUR || c->o.solver == TNI_CUT_SCHUR_CG) {
    tni_schur_opts o = {.method = c->o.solver == TNI_CUT_SCHUR ? TNI_SCHUR_DIRECT : TNI_SCHUR_CG_DIAGONAL, .tolerance = c->o.tolerance};
    return tni_schur_create(c->d, &o, &c->schur);
  }
  tni_feti_opts o = {.primal = c->o.solver == TNI_CUT_FETI_DP ? TNI_PRIMAL_MEANS : TNI_PRIMAL_NONE, .tolerance = c->o.tolerance};
  return tni_feti_create(c->d, &o, &c->feti);
}

tn_status tni_rest_cut_solve(tni_rest_cut *c, double *x) {
  const tni_domains *d = c->d;
  double *y = x + c->s->parts->v0;
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n; i++) c->force[c->from[s] + i] = c->share[c->from[s] + i]*y[d->domain[s].number[i]];
  if (c->schur) {
    TN_TRY(tni_schur_solve(c->schur, c->force, c->u, &c->schur_report));
    c->iterations += c->schur_report.iterations;
  } else {
    tn_status st = tni_feti_solve(c->feti, c->force, c->u, &c->feti_report);
    c->iterations += c->feti_report.iterations;
    if (st == TN_NOT_CONVERGED && c->feti_report.indefinite) {
      /* pieces of what is stable need not be: stressed domains that are held at few places may buckle where the whole does not */
      tni_schur_opts o = {.method = TNI_SCHUR_DIRECT, .tolerance = c->o.tolerance};
      TN_TRY(tni_schur_create(c->d, &o, &c->schur));
      TN_TRY(tni_schur_solve(c->schur, c->force, c->u, &c->schur_report));
      c->instead++;
    } else if (st != TN_OK) {
      return st;
    }
  }
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n; i++) y[d->domain[s].number[i]] = c->u[c->from[s] + i];
  return TN_OK;
}

long tni_rest_cut_nnz(const tni_rest_cut *c) { return c->schur ? c->schur_report.nnz : c->feti_report.nnz; }

void tni_rest_cut_describe(const tni_rest_cut *c, char *out, size_t n) {
  int at = snprintf(out, n, "%s, %d domains by %s", tni_cut_solver_names[c->o.solver], c->d->n, tni_cut_names[c->o.rule]);
  if (at < 0 || (size_t)at >= n) return;
  if (c->o.solver == TNI_CUT_SCHUR || c->o.solver == TNI_CUT_SCHUR_CG)
    at += snprintf(out + at, n - (size_t)at, ", %d unknowns of borders", c->schur_report.unknowns);
  else
    at += snprintf(out + at, n - (size_t)at, ", %d forces between them, %d %s", c->feti_report.multipliers,
                   c->feti_report.primal ? c->feti_report.primal : c->feti_report.rigid,
                   c->feti_report.primal ? "primal unknowns" : "rigid motions");
  if (c->o.solver != TNI_CUT_SCHUR && at >= 0 && (size_t)at < n) snprintf(out + at, n - (size_t)at, ", %d iterations", c->iterations);
  if (c->instead && strlen(out) + 1 < n)
    snprintf(out + strlen(out), n - strlen(out), "; schur for %d matrices that are not positive definite in pieces", c->instead);
}
