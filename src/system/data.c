/* system/data.c - systems, which never change, and their data, which do
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/blas.h"
#include "system/common.h"

tn_status tni_system_new(tn_ctx *ctx, const tn_model *model, const tni_system_ops *ops, size_t size,
                         tni_system **out) {
  *out = NULL;
  TN_TRY(tni_blas_prepare(ctx));
  tni_system *s = tni_alloc(ctx, 1, sizeof(*s));
  tni_data *shape = s ? tni_alloc(ctx, 1, size) : NULL;
  if (!shape) {
    tni_free(ctx, s);
    tni_blas_release();
    return tni_out_of_memory(ctx);
  }
  shape->ops = ops;
  shape->ctx = ctx;
  shape->model = model;
  shape->coldest = -1;
  shape->pivot = 1;
  tni_arena_init(&shape->arena, ctx);
  *s = (tni_system){.ctx = ctx, .size = size, .shape = shape};
  *out = s;
  return TN_OK;
}

void tni_system_destroy(tni_system **s) {
  if (!s || !*s) return;
  tn_ctx *ctx = (*s)->ctx;
  tni_arena_clear(&(*s)->shape->arena);
  tni_free(ctx, (*s)->shape);
  tni_free(ctx, *s);
  *s = NULL;
  tni_blas_release();
}

/* what every representation works with */
static tn_status make_room(tni_data *d) {
  const tn_model *model = d->model;
  tni_arena *a = &d->arena;
  TNI_ARENA_NEW(a, d->memory, model->nmemory);
  TNI_ARENA_NEW(a, d->kin, model->nbody + 1);
  TNI_ARENA_NEW(a, d->acc, 6*model->nbody);
  TNI_ARENA_NEW(a, d->force_value, model->nforce);
  TNI_ARENA_NEW(a, d->force_out, model->nforce);
  if (model->nmemory) memcpy(d->memory, model->memory0, (size_t)model->nmemory*sizeof(double));
  tni_kin_ground(&d->kin[0]);
  for (int i = 0; i < model->nforce; i++)
    TNI_ARENA_NEW(a, d->force_out[i].f, 6*model->force[i].nbody);
  return TN_OK;
}

/* at the start of the model */
static tn_status place(tni_data *d) {
  double *q, *v;
  TNI_ARENA_NEW(&d->arena, q, d->nq);
  TNI_ARENA_NEW(&d->arena, v, d->nv);
  d->ops->initial(d, q, v);
  d->ops->bodies(d, 0, q, v, NULL);
  TN_TRY(d->ops->update_rank(d, 0, q));
  d->work = (tni_work){0};
  return TN_OK;
}

tn_status tni_data_create(const tni_system *s, tni_data **out) {
  *out = NULL;
  tni_data *d = tni_alloc(s->ctx, 1, s->size);
  if (!d) return tni_out_of_memory(s->ctx);
  memcpy(d, s->shape, s->size);
  tni_arena_init(&d->arena, s->ctx);
  tn_status st = make_room(d);
  if (st == TN_OK) st = d->ops->begin(d);
  if (st == TN_OK) st = place(d);
  if (st != TN_OK) tni_data_destroy(&d);
  *out = d;
  return st;
}

void tni_data_destroy(tni_data **data) {
  if (!data || !*data) return;
  tni_data *d = *data;
  tn_ctx *ctx = d->ctx;
  tni_system *owned = d->owned;
  if (d->ops->end) d->ops->end(d);
  tni_arena_clear(&d->arena);
  tni_free(ctx, d);
  tni_system_destroy(&owned);
  *data = NULL;
}

tn_status tni_data_own(tni_system *s, tni_data **out) {
  tn_status st = tni_data_create(s, out);
  if (st == TN_OK) (*out)->owned = s;
  else tni_system_destroy(&s);
  return st;
}
