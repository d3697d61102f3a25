/* solids/reduce_build.c - `reduce:` of a structure: a reduced body as a part of the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "linsolve/lapack.h"
#include "solids/reduce.h"

typedef struct {
  tni_reduce_opts opts;
  double damping;
  const char *file;
  tni_place at;
} wish;

bool tni_reduce_wanted(const tni_item *item) { return tni_item_has(item, "reduce"); }

static tn_status read_wish(tni_builder *b, const tni_item *item, wish *out) {
  static const char *const known[] = {"modes", "up_to", "damping", "file"};
  const tni_value *v = tni_item_get(item, "reduce");
  *out = (wish){.at = v->at};
  if (v->form != TNI_MAP || v->n != 1 || strcmp(v->key[0], "craig_bampton") != 0 || v->item[0].form != TNI_MAP)
    return tni_item_fail(b->ctx, item, "reduce", "reduce must be {craig_bampton: {modes: 20}}, or with up_to: a frequency in Hz");
  v = &v->item[0];
  for (int i = 0; i < v->n; i++) {
    const tni_value *x = &v->item[i];
    const char *key = v->key[i];
    bool number = x->form == TNI_NUMBER;
    if (strcmp(key, "modes") == 0) {
      if (!number || x->number < 1 || x->number > 1e6 || x->number != floor(x->number))
        return tni_place_fail(b->ctx, x->at, item, "craig_bampton: modes = %s, must be a whole number >= 1", tni_show(x->text ? x->text : "(a list)").s);
      out->opts.modes = (int)x->number;
    } else if (strcmp(key, "up_to") == 0) {
      if (!number || !(x->number > 0) || !isfinite(x->number))
        return tni_place_fail(b->ctx, x->at, item, "craig_bampton: up_to = %s, must be a frequency > 0 in Hz", tni_show(x->text ? x->text : "(a list)").s);
      out->opts.up_to = x->number;
    } else if (strcmp(key, "damping") == 0) {
      if (!number || !(x->number >= 0) || x->number >= 1)
        return tni_place_fail(b->ctx, x->at, item, "craig_bampton: damping = %s, must be >= 0 and < 1, part of critical", tni_show(x->text ? x->text : "(a list)").s);
      out->damping = x->number;
    } else if (strcmp(key, "file") == 0) {
      if (x->form != TNI_TEXT || !x->text[0]) return tni_place_fail(b->ctx, x->at, item, "craig_bampton: file must be a name");
      const char *model = x->at.file ? x->at.file : "", *slash = strrchr(model, '/');
      out->file = x->text[0] == '/' || !slash ? x->text
                                              : tni_arena_printf(b->arena, "%.*s/%s", (int)(slash - model), model, x->text);
      if (!out->file) return tni_out_of_memory(b->ctx);
    } else {
      return tni_place_fail(b->ctx, x->at, item, "craig_bampton: unknown key %s%s", tni_show(key).s,
                            tni_hint_for(key, known, TNI_COUNT(known)).s);
    }
  }
  if ((out->opts.modes > 0) == (out->opts.up_to > 0))
    return tni_item_fail(b->ctx, item, "reduce", "craig_bampton needs either modes: how many, or up_to: a frequency in Hz");
  return TN_OK;
}

/* what a linear body in axes of its own cannot have */
static tn_status refuse(tni_builder *b, const tni_part *part, const tni_structure *s) {
  if (s->nmotion > 0)
    return tni_item_fail(b->ctx, part->item, "reduce", "a reduced body has no supports; hold the nodes: hold: {ground: group}, or by a "
                         "body with a joint");
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].kind == TNI_LOAD_SPIN)
      return tni_item_fail(b->ctx, s->load[i].item, "spin", "structure '%s' is reduced: let its interface bodies turn instead", part->name);
  if (s->heat >= 0)
    return tni_item_fail(b->ctx, part->item, "reduce", "a reduced body is linear: its material must not have a history");
  const char *other = s->temperature || s->nheat ? "temperatures" : s->nspring ? "springs at its nodes" : s->follows ? "couplings"
                      : s->consistent ? "consistent masses" : NULL;
  if (other) return tni_item_fail(b->ctx, part->item, "reduce", "a reduced body has no %s yet; use the whole mesh", other);
  for (int k = 1; k < s->nblock; k++)
    for (int i = 0; i < 2; i++)
      if (s->block[k].kind.matter->rayleigh[i] != s->block[0].kind.matter->rayleigh[i])
        return tni_item_fail(b->ctx, part->item, "reduce", "all materials of a reduced body must have the same 'rayleigh'");
  return TN_OK;
}

/* interfaces: carriers, then the ground */
static tn_status find_interfaces(tni_builder *b, const tni_part *part, const tni_structure *s, tni_reduced *r, int **interface) {
  int *body, *slot;
  bool ground = false;
  TNI_ARENA_NEW(b->arena, *interface, s->nnode);
  for (int i = 0; i < s->nnode; i++) {
    int c = s->active[i] ? s->carrier[i] : TNI_NOT_CARRIED;
    (*interface)[i] = c == TNI_STRUCTURE_GROUND ? part->ncarrier : c >= 0 ? c : -1;
    ground = ground || (*interface)[i] == part->ncarrier;
  }
  r->nb = part->ncarrier + ground;
  if (r->nb == 0)
    return tni_item_fail(b->ctx, part->item, "reduce", "a reduced body is held by interface bodies: add hold: {body: group, ...}");
  TNI_ARENA_NEW(b->arena, body, r->nb);
  TNI_ARENA_NEW(b->arena, slot, r->nb);
  for (int k = 0; k < r->nb; k++) {
    body[k] = k < part->ncarrier ? part->carrier[k] : TNI_GROUND;
    slot[k] = k < part->ncarrier ? k : -1;
  }
  r->body = body;
  r->slot = slot;
  return TN_OK;
}

static tn_status find_basis(tni_builder *b, const tni_part *part, const tni_structure *s, int nb, const int *interface,
                            const wish *o, tni_basis *out) {
  tni_digest digest = {{0, 0}};
  if (o->file) {
    digest = tni_reduce_digest(s, nb, interface, &o->opts);
    if (access(o->file, F_OK) == 0) {
      char why[300];
      TN_TRY(tni_basis_read(b->ctx, b->arena, o->file, &digest, out, why, sizeof(why)));
      if (!why[0] && out->nb == nb && out->nnode == s->nnode && out->ndof == s->ndof) return TN_OK;
      tni_log(b->ctx, TN_LOG_WARNING, "%s:%d: structure '%s': '%s' %s; the reduced body is computed again", o->at.file ? o->at.file : "",
              o->at.line, part->name, o->file, why[0] ? why : "does not fit");
    }
  }
  TN_TRY(tni_basis_compute(b, part->item, s, part, nb, interface, &o->opts, out));
  if (!o->file) return TN_OK;
  tn_status st = tni_basis_write(b->ctx, o->file, &digest, out);
  if (st == TN_ERR_IO) { /* it is a convenience */
    tni_log(b->ctx, TN_LOG_WARNING, "structure '%s': %s", part->name, b->ctx->message);
    return TN_OK;
  }
  return st;
}

/* columns of interface b from motions about its middle to motions about X: middle moves by dr + dtheta x (middle - X) */
static void move_columns(double *row, const double arm[3]) {
  /* row . (dr - ~arm dtheta) = row_r . dr + (arm x row_r + row_t) . dtheta */
  double x[3];
  vec3_cross(x, arm, row);
  vec3_add(row + 3, row + 3, x);
}

static void move_interfaces(tni_reduced *r, const tni_basis *o) {
  size_t n = (size_t)r->n, nd = 6*(size_t)r->nb, rows = (size_t)o->nnode*(size_t)o->ndof;
  for (int b = 0; b < r->nb; b++) {
    double arm[3];
    vec3_sub(arm, o->middle + 3*b, r->X + 3*b);
    for (size_t i = 0; i < rows; i++) move_columns(o->B + i*n + 6*b, arm);
    for (int pass = 0; pass < 2; pass++) {
      double *A = pass ? o->M : o->K;
      size_t m = pass ? n : nd;
      for (size_t i = 0; i < m; i++) move_columns(A + i*m + 6*b, arm);
      for (size_t j = 0; j < m; j++) {
        double x[6];
        for (size_t i = 0; i < 6; i++) x[i] = A[(6*(size_t)b + i)*m + j];
        move_columns(x, arm);
        for (size_t i = 0; i < 6; i++) A[(6*(size_t)b + i)*m + j] = x[i];
      }
    }
  }
}

/* ---- loads --------------------------------------------------------------------------------------- */

static tn_status add_share(tni_builder *b, const tni_reduced *r, const tni_structure *s, int count, const int *node,
                           const double *share, tni_reduced_load *o) {
  double *S;
  size_t n = (size_t)r->n, d = (size_t)s->ndof;
  TNI_ARENA_NEW(b->arena, S, 3*n);
  for (int k = 0; k < count; k++) {
    int i = node ? node[k] : k;
    double w = share[k], x[3];
    if (w == 0) continue;
    vec3_sub(x, s->mesh->x + 3*(size_t)i, r->Xf);
    vec3_addmul(o->first, w, x);
    o->total += w;
    for (size_t c = 0; c < 3 && c < d; c++)
      for (size_t j = 0; j < n; j++) S[c*n + j] += w*r->B[((size_t)i*d + c)*n + j];
  }
  o->S = S;
  return TN_OK;
}

static tn_status add_pressure(tni_builder *b, const tni_reduced *r, const tni_structure *s, const tni_load *l,
                              tni_reduced_load *o) {
  double *G, *C;
  size_t n = (size_t)r->n, d = (size_t)s->ndof;
  TNI_ARENA_NEW(b->arena, G, n);
  TNI_ARENA_NEW(b->arena, C, 3*n);
  for (int k = 0; k < l->n; k++) {
    double P[3], x[3], y[3];
    size_t at = (size_t)l->node[k]*d;
    vec3_scale(P, -1, l->normal + 3*k);
    vec3_sub(x, s->mesh->x + 3*(size_t)l->node[k], r->Xf);
    vec3_cross(y, x, P);
    vec3_add(o->push, o->push, P);
    vec3_add(o->about, o->about, y);
    for (size_t j = 0; j < n; j++) {
      double u[3] = {0, 0, 0};
      for (size_t c = 0; c < 3 && c < d; c++) u[c] = r->B[(at + c)*n + j];
      G[j] += vec3_dot(u, P);
      vec3_cross(y, u, P);
      for (size_t c = 0; c < 3; c++) C[c*n + j] += y[c];
    }
  }
  o->G = G;
  o->C = C;
  return TN_OK;
}

static tn_status find_loads(tni_builder *b, const tni_structure *s, const int *interface, tni_reduced *r) {
  tni_reduced_load *load;
  double *inner;
  TNI_ARENA_NEW(b->arena, load, s->nload + 1);
  TNI_ARENA_NEW(b->arena, inner, s->nnode);
  for (int i = 0; i < s->nnode; i++) inner[i] = interface[i] < 0 && s->active[i] ? s->mass[i] : 0;
  TN_TRY(add_share(b, r, s, s->nnode, NULL, inner, &load[0]));
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    load[i+1].load = l;
    TN_TRY(add_share(b, r, s, l->n, l->node, l->share, &load[i+1]));
    if (l->pressure && l->normal) TN_TRY(add_pressure(b, r, s, l, &load[i+1]));
  }
  r->load = load;
  r->nload = s->nload + 1;
  return TN_OK;
}

/* ---- frequencies of the free body ------------------------------------------------------------------- */

/* mass of nodes that interface b carries, about X: added to M of n rows */
static void add_carried(const tni_reduced *r, const tni_structure *s, const int *interface, double *M) {
  size_t n = (size_t)r->n;
  for (int i = 0; i < s->nnode; i++) {
    int b = interface[i];
    if (b < 0 || r->slot[b] < 0) continue;
    double d[3], S[9], SS[9], m = s->mass[i];
    double *at = M + (6*(size_t)b)*n + 6*(size_t)b;
    vec3_sub(d, s->mesh->x + 3*(size_t)i, r->X + 3*b);
    mat3_skew(S, d);
    mat3_mul(SS, S, S);
    for (size_t k = 0; k < 3; k++) {
      at[k*n + k] += m;
      at[(3 + k)*n + 3 + k] += s->turning ? s->turning[i] : 0;
      for (size_t j = 0; j < 3; j++) {
        at[k*n + 3 + j] -= m*S[3*k + j];
        at[(3 + k)*n + j] += m*S[3*k + j];
        at[(3 + k)*n + 3 + j] -= m*SS[3*k + j];
      }
    }
  }
}

/* Squares of the frequencies of the reduced body alone, interface `held` (-1: none) besides those on the ground standing still; *m of them.
 * M [n][n] has all masses; A, B [n][n], in [n], work [64 n] are room. Returns LAPACK's info. */
static int frequencies(const tni_reduced *r, bool planar, int held, const double *M, double *A, double *B, int *in, double *work, double *value, size_t *m) {
  size_t n = (size_t)r->n, nd = 6*(size_t)r->nb;
  *m = 0;
  for (size_t i = 0; i < n; i++) {
    bool there = i >= nd || (r->slot[i/6] >= 0 && (int)(i/6) != held && (!planar || i % 6 == 0 || i % 6 == 1 || i % 6 == 5));
    if (there) in[(*m)++] = (int)i;
  }
  for (size_t i = 0; i < *m; i++)
    for (size_t j = 0; j < *m; j++) {
      size_t I = (size_t)in[i], J = (size_t)in[j];
      B[i**m + j] = M[I*n + J];
      A[i**m + j] = I < nd && J < nd ? r->K[I*nd + J] : I == J ? r->mass[I - nd]*r->omega2[I - nd] : 0;
    }
  return *m ? tni_sygv(1, 'N', 'U', (int)*m, A, (int)*m, B, (int)*m, value, work, (int)(64*n)) : 0;
}

/* Largest of the free body, and the lowest that it has free or held by one of its interfaces: what a joint will hold is not known here,
 * and a bar that one end holds bends at a sixth of the frequency that it has in flight. */
static tn_status find_frequencies(tni_builder *b, const tni_structure *s, const int *interface, tni_reduced *r) {
  tni_arena arena;
  tni_arena_init(&arena, b->ctx);
  size_t n = (size_t)r->n, nd = 6*(size_t)r->nb, m = 0;
  int *in = tni_arena_alloc(&arena, n, sizeof(int)), info = 0;
  double *M = tni_arena_alloc(&arena, n*n, sizeof(double)), *A = tni_arena_alloc(&arena, n*n, sizeof(double)),
         *B = tni_arena_alloc(&arena, n*n, sizeof(double)), *value = tni_arena_alloc(&arena, n, sizeof(double)),
         *work = tni_arena_alloc(&arena, 64*n, sizeof(double));
  if (!in || !M || !A || !B || !value || !work) {
    tni_arena_clear(&arena);
    return tni_out_of_memory(b->ctx);
  }
  memcpy(M, r->M, n*n*sizeof(double));
  for (int k = 0; k < r->nm; k++) M[(nd + (size_t)k)*(n + 1)] = r->mass[k];
  add_carried(r, s, interface, M);
  for (int held = -1; held < r->nb && info == 0; held++) {
    if (held >= 0 && r->slot[held] < 0) continue;
    info = frequencies(r, s->planar, held, M, A, B, in, work, value, &m);
    if (info != 0 || m == 0) continue;
    if (held < 0) r->rate = sqrt(fmax(value[m-1], 0));
    for (size_t i = 0; i < m; i++)
      if (value[i] > 1e-8*r->rate*r->rate) {
        if (r->lowest == 0 || value[i] < r->lowest*r->lowest) r->lowest = sqrt(value[i]);
        break;
      }
  }
  tni_arena_clear(&arena);
  if (info != 0)
    return tni_item_fail(b->ctx, r->mesh->item, "reduce", "the mass of the reduced body is not positive definite");
  return TN_OK;
}

/* ---- the part ------------------------------------------------------------------------------------- */

static tn_status set_geometry(tni_builder *b, tni_reduced *r) {
  double *X, *A0, *weight;
  TNI_ARENA_NEW(b->arena, X, 3*(size_t)r->nb);
  TNI_ARENA_NEW(b->arena, A0, 9*(size_t)r->nb);
  TNI_ARENA_NEW(b->arena, weight, r->nb);
  for (int k = 0; k < r->nb; k++) {
    tni_kin kin;
    tni_kin_ground(&kin);
    if (r->body[k] != TNI_GROUND) tni_build_pose(b, r->body[k], &kin);
    vec3_copy(X + 3*k, kin.r);
    memcpy(A0 + 9*k, kin.A, 9*sizeof(double));
    weight[k] = 1.0/r->nb;
    vec3_addmul(r->Xf, weight[k], kin.r);
  }
  r->X = X;
  r->A0 = A0;
  r->weight = weight;
  return TN_OK;
}

static tn_status set_matrices(tni_builder *b, const wish *o, const tni_basis *basis, tni_reduced *r) {
  size_t n = (size_t)r->n, nd = 6*(size_t)r->nb;
  double *mass, *damping;
  TNI_ARENA_NEW(b->arena, mass, r->nm);
  TNI_ARENA_NEW(b->arena, damping, r->nm);
  for (int k = 0; k < r->nm; k++) {
    size_t at = (nd + (size_t)k)*(n + 1);
    mass[k] = basis->M[at];
    basis->M[at] = 0;
    damping[k] = 2*o->damping*sqrt(basis->omega2[k])*mass[k];
  }
  r->K = basis->K;
  r->M = basis->M;
  r->B = basis->B;
  r->omega2 = basis->omega2;
  r->mass = mass;
  r->damping = damping;
  return TN_OK;
}

/* one node with all modes, which all carriers touch */
static tn_status set_part(tni_builder *b, const tni_reduced *r, tni_part *part) {
  int *vadr, *near_adr, *near, *touch_adr, *touch;
  signed char *role;
  double *zero;
  TNI_ARENA_NEW(b->arena, vadr, 2);
  TNI_ARENA_NEW(b->arena, near_adr, 2);
  TNI_ARENA_NEW(b->arena, near, 1);
  TNI_ARENA_NEW(b->arena, touch_adr, part->ncarrier + 1);
  TNI_ARENA_NEW(b->arena, touch, part->ncarrier);
  TNI_ARENA_NEW(b->arena, role, r->nm);
  TNI_ARENA_NEW(b->arena, zero, r->nm);
  vadr[1] = r->nm;
  near_adr[1] = 1;
  for (int k = 0; k < part->ncarrier; k++) touch_adr[k+1] = k + 1;
  part->ops = &tni_reduced_ops;
  part->data = r;
  part->nv = r->nm;
  part->role = role;
  part->mass = r->mass;
  part->u0 = part->v0 = zero;
  part->linear = part->small = false;
  part->nfree = 0;
  part->free_names = NULL;
  part->nnode = 1;
  part->vadr = vadr;
  part->near_adr = near_adr;
  part->near_node = near;
  part->ntouch = part->ncarrier;
  part->touch_adr = touch_adr;
  part->touch = touch;
  return TN_OK;
}

tn_status tni_reduce_build(tni_builder *b, tni_part *part, tni_structure *s) {
  tni_reduced *r;
  tni_part *mesh;
  wish o;
  int *interface;
  tni_basis basis;
  TN_TRY(read_wish(b, part->item, &o));
  TN_TRY(refuse(b, part, s));
  TNI_ARENA_NEW(b->arena, r, 1);
  TNI_ARENA_NEW(b->arena, mesh, 1);
  *mesh = *part;
  r->s = s;
  r->mesh = mesh;
  TN_TRY(find_interfaces(b, part, s, r, &interface));
  TN_TRY(find_basis(b, part, s, r->nb, interface, &o, &basis));
  r->nm = basis.nm;
  r->n = 6*r->nb + r->nm;
  TN_TRY(set_geometry(b, r));
  move_interfaces(r, &basis);
  TN_TRY(set_matrices(b, &o, &basis, r));
  TN_TRY(find_loads(b, s, interface, r));
  vec3_copy(r->gravity, s->gravity);
  r->alpha = s->block[0].kind.matter->rayleigh[0];
  r->beta = s->block[0].kind.matter->rayleigh[1];
  TN_TRY(find_frequencies(b, s, interface, r));
  return set_part(b, r, part);
}
