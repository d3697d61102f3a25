/* bench/pieces.h - a structure at rest, cut into domains, with its forces: what solvers over domains are timed and counted on
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PIECES_H
#define PIECES_H

#include "bench.h"
#include "domains/domains.h"
#include "mesh/decompose.h"
#include "nonlinear/rest.h"
#include "system/parts.h"

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tni_data *s;
  tni_arena arena;
  tni_domains *d;
  double *force, *u; /* pieces; forces at shared unknowns in equal shares */
  int *from, *of_cell, n;
} pieces;

/* of_cell: domain of a cell of the mesh, its middle given; NULL: `rule` */
typedef int (*pieces_rule)(const double middle[3]);

static inline void pieces_model(pieces *c, const char *text) {
  tn_ctx_opts o = {.threads = 1};
  memset(c, 0, sizeof(*c));
  BENCH_TRY(NULL, tn_ctx_create(&o, &c->ctx));
  BENCH_TRY(c->ctx, tn_spec_read_text(c->ctx, "bench", text, NULL, 0, &c->spec));
  BENCH_TRY(c->ctx, tn_model_compile(c->ctx, c->spec, &c->model));
  BENCH_TRY(c->ctx, tni_cartesian_create(c->ctx, c->model, NULL, &c->s));
  tni_arena_init(&c->arena, c->ctx);
}

static inline void pieces_cut(pieces *c, int parts, tni_cut rule, pieces_rule of_cell) {
  const tni_part *part = &c->model->part[0];
  const tni_mesh *mesh = part->mesh;
  int *of = c->of_cell = tni_arena_alloc(&c->arena, (size_t)mesh->ncell, sizeof(int));
  if (!of_cell) BENCH_TRY(c->ctx, tni_mesh_decompose(mesh, rule, parts, NULL, of));
  for (int e = 0; of_cell && e < mesh->ncell; e++) {
    double x[TNI_CELL_MAXNODE][3], middle[3] = {0};
    const tni_cell_shape *shape = tni_mesh_places(mesh, e, x);
    for (int i = 0; i < shape->nnode; i++)
      for (int k = 0; k < 3; k++) middle[k] += x[i][k]/shape->nnode;
    of[e] = parts > 1 ? of_cell(middle) : 0;
  }
  BENCH_TRY(c->ctx, part->ops->cut(part, &c->arena, of, parts, 0, parts, &c->d));
  size_t nq = (size_t)c->s->nq, nv = (size_t)c->s->nv;
  double *q = tni_arena_alloc(&c->arena, nq, sizeof(double)), *v = tni_arena_alloc(&c->arena, nv, sizeof(double)),
         *r = tni_arena_alloc(&c->arena, nv, sizeof(double));
  tni_initial(c->s, q, v);
  tni_eval_balance(c->s, 0, q, v, NULL, NULL, r, NULL, NULL, NULL);
  tni_parts_set(c->s, 0, q, NULL);
  tni_part_at at = tni_parts_at(c->s, 0);
  if (!part->ops->cut_tangent(part, c->s->parts->work[0], &at, NULL, c->d)) exit(1);
  int *copies = tni_arena_alloc(&c->arena, nv, sizeof(int));
  c->n = 0;
  c->from = tni_arena_alloc(&c->arena, (size_t)parts + 1, sizeof(int));
  for (int s = 0; s < parts; s++) c->from[s + 1] = c->n += c->d->domain[s].n;
  c->force = tni_arena_alloc(&c->arena, (size_t)c->n, sizeof(double));
  c->u = tni_arena_alloc(&c->arena, (size_t)c->n, sizeof(double));
  for (int s = 0; s < parts; s++)
    for (int i = 0; i < c->d->domain[s].n; i++) copies[c->d->domain[s].number[i]]++;
  for (int s = 0, k = 0; s < parts; s++)
    for (int i = 0; i < c->d->domain[s].n; i++, k++) c->force[k] = -r[c->d->domain[s].number[i]]/copies[c->d->domain[s].number[i]];
}

static inline void pieces_make(pieces *c, const char *text, int parts, tni_cut rule, pieces_rule of_cell) {
  pieces_model(c, text);
  pieces_cut(c, parts, rule, of_cell);
}

static inline void pieces_drop(pieces *c) {
  tni_arena_clear(&c->arena);
  tni_data_destroy(&c->s);
  tn_model_destroy(&c->model);
  tn_spec_destroy(&c->spec);
  tn_ctx_destroy(&c->ctx);
}

#endif
