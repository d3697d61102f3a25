/* forces/callback.c - force from a function of the calling program
 *
 * Without derivatives from the function, K and D are central differences of f. The step
 * (machine epsilon)^(1/3) balances truncation h^2 f'''/6 against rounding eps f/h; the error is
 * near 1e-10 of f for motions of the order of 1 m and 1 rad.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/callback.h"

#include "forces/along.h"

/* what a program may change in an otherwise constant model */
typedef struct {
  tn_force_fn fn; /* NULL: not attached yet */
  void *user;
} attachment;

typedef struct {
  attachment *attached;
} callback;

static const double STEP = 6e-6; /* cube root of the machine epsilon */

static void state_of(const tni_kin *k, tn_body_state *out) {
  vec3_copy(out->r, k->r);
  memcpy(out->A, k->A, sizeof(out->A));
  vec3_copy(out->v, k->v);
  vec3_copy(out->w, k->w);
}

/* move component c of the pose (level 0) or of the velocity (level 1) by h */
static void nudge(tn_body_state *s, int level, int c, double h) {
  if (level) {
    if (c < 3)
      s->v[c] += h;
    else
      s->w[c-3] += h;
    return;
  }
  if (c < 3) {
    s->r[c] += h;
    return;
  }
  double u[3] = {0, 0, 0}, p[4], R[9], A[9];
  u[c-3] = h;
  quat_from_vector(p, u);
  quat_matrix(R, p);
  mat3_mul(A, s->A, R);
  memcpy(s->A, A, sizeof(A));
}

static void difference_tangent(const tni_force *force, const attachment *a, double t,
                               tn_body_state *body, tni_force_out *out) {
  int n = 6*force->nbody;
  double f[2][TNI_MAXCOL];
  for (int level = 0; level < 2; level++) {
    double *M = level ? out->D : out->K;
    for (int c = 0; c < n; c++) {
      tn_body_state *s = &body[c/6], keep = *s;
      for (int side = 0; side < 2; side++) {
        tn_force_result r = {.f = f[side]};
        memset(f[side], 0, sizeof(f[side]));
        nudge(s, level, c%6, side ? -STEP : STEP);
        a->fn(a->user, t, force->nbody, body, &r);
        *s = keep;
      }
      for (int i = 0; i < n; i++) M[i*n+c] = (f[0][i] - f[1][i])/(2*STEP);
    }
  }
  if (!out->f_t) return;
  for (int side = 0; side < 2; side++) {
    tn_force_result r = {.f = f[side]};
    memset(f[side], 0, sizeof(f[side]));
    a->fn(a->user, t + (side ? -STEP : STEP), force->nbody, body, &r);
  }
  for (int i = 0; i < n; i++) out->f_t[i] = (f[0][i] - f[1][i])/(2*STEP);
}

static void callback_eval(const tni_force *force, const tni_env *env, unsigned what,
                          tni_force_out *out) {
  const attachment *a = ((const callback *)force->data)->attached;
  bool tangent = what & TNI_F_TANGENT;
  tn_body_state body[TNI_MAXBODY];
  tni_force_clear(force, what, out);
  if (!a->fn) return;
  for (int i = 0; i < force->nbody; i++) state_of(&env->kin[force->body[i] + 1], &body[i]);
  tn_force_result r = {.f = out->f};
  if (tangent) r.K = out->K, r.D = out->D, r.f_t = out->f_t;
  a->fn(a->user, env->t, force->nbody, body, &r);
  out->dissipated = r.dissipated;
  out->input = tni_force_power(force, env, out->f) + r.dissipated;
  out->value = r.value;
  if (tangent && !r.has_tangent) difference_tangent(force, a, env->t, body, out);
}

static const tni_force_ops callback_ops = {.name = "callback", .eval = callback_eval};

tn_status tni_force_set_callback(tn_model *model, int force, tn_force_fn fn, void *user) {
  TN_REQUIRE(model->ctx, force >= 0 && force < model->nforce, TN_ERR_ARGUMENT,
             "force index %d, must be from 0 to %d", force, model->nforce - 1);
  const tni_force *f = &model->force[force];
  TN_REQUIRE(model->ctx, f->ops == &callback_ops, TN_ERR_ARGUMENT,
             "force '%s' is a %s; only a callback takes a function", f->name, f->type);
  attachment *a = ((const callback *)f->data)->attached;
  a->fn = fn;
  a->user = user;
  return TN_OK;
}

tn_status tni_force_check_callbacks(const tn_model *model) {
  for (int i = 0; i < model->nforce; i++) {
    const tni_force *f = &model->force[i];
    if (f->ops == &callback_ops && !((const callback *)f->data)->attached->fn)
      return TN_FAIL(model->ctx, TN_ERR_ARGUMENT,
                     "force '%s' is a callback without a function; attach one with "
                     "tn_model_set_callback before the run", f->name);
  }
  return TN_OK;
}

static tn_status callback_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &callback_ops};
  callback *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TNI_ARENA_NEW(b->arena, d->attached, 1);
  const tni_value *v = tni_item_get(item, "bodies");
  int n = v->form == TNI_LIST ? v->n : 1;
  for (int i = 0; i < n; i++) {
    int body, slot;
    TN_TRY(tni_build_body(b, item, "bodies", v->form == TNI_LIST ? v->item[i].text : v->text,
                          &body));
    TN_TRY(tni_force_add_body(b, item, &force, body, &slot));
  }
  if (force.nbody == 0) return tni_item_fail(b->ctx, item, "bodies", "has no moving body");
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key callback_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED,
     .doc = "Bodies the function reads and loads, in the order it gets them; at most 8."},
};

const tni_force_type tni_force_callback = {
    {"callback", "Force computed by a C function of the calling program (tn_model_set_callback).",
     callback_keys, TNI_COUNT(callback_keys)},
    callback_build};
