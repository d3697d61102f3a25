/* solids/structure_elements.c - the stiffness of a structure element by element, for solvers that never assemble it
 *
 * Elements in the order of the blocks, then springs. The unknowns of an element are those of its nodes, in their order; supported
 * components are left out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/structure_work.h"

static const tni_structure *of(const tni_part *part) { return part->data; }

/* unknowns of components 0 .. own - 1 of nodes; returns how many; at: which of [n][own] they are, NULL: not asked */
static int unknowns_of(const tni_structure *s, int n, const int *node, int own, int *out, int *at) {
  int k = 0;
  for (int a = 0; a < n; a++)
    for (int c = 0; c < own && node[a] >= 0; c++) {
      int i = s->unknown[(size_t)node[a]*(size_t)s->ndof + (size_t)c];
      if (i < 0) continue;
      if (out) out[k] = i;
      if (at) at[k] = a*own + c;
      k++;
    }
  return k;
}

static tn_status allowed(const tni_part *part) {
  const tni_structure *s = of(part);
  const char *why = part->ncarrier > 0 ? "bodies carry some of its nodes" : s->lead_adr ? "it has couplings" : NULL;
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].follows) why = "loads follow its displacements";
  TN_REQUIRE(s->ctx, !why, TN_ERR_UNSUPPORTED, "structure '%s': 'matrix: elements' and 'free' are not there, because %s; take 'matrix: assembled'",
             part->name, why);
  return TN_OK;
}

tn_status tni_structure_elements(const tni_part *part, tni_arena *arena, tni_part_elements *out) {
  const tni_structure *s = of(part);
  size_t *adr, total = 0;
  int *unknown, e = 0;
  TN_TRY(allowed(part));
  *out = (tni_part_elements){.n = s->nelement + s->nspring};
  TNI_ARENA_NEW(arena, adr, (size_t)out->n + 1);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) TNI_ARENA_NEW(arena, unknown, total);
    e = 0;
    total = 0;
    for (int b = 0; b < s->nblock; b++) {
      const tni_structure_block *x = &s->block[b];
      for (int k = 0; k < x->n; k++, e++) {
        int n = unknowns_of(s, x->nnode, x->node + (size_t)k*(size_t)x->nnode, x->nv/x->nnode, pass ? unknown + total : NULL, NULL);
        adr[e] = total;
        total += (size_t)n;
        if (n > out->most) out->most = n;
      }
    }
    for (int i = 0; i < s->nspring; i++, e++) {
      int n = unknowns_of(s, 2, s->spring[i].node, s->ndof, pass ? unknown + total : NULL, NULL);
      adr[e] = total;
      total += (size_t)n;
      if (n > out->most) out->most = n;
    }
    adr[e] = total;
  }
  out->adr = adr;
  out->unknown = unknown;
  return TN_OK;
}

static const tni_structure_block *block_of(const tni_structure *s, int e) {
  int b = 0;
  while (b + 1 < s->nblock && e >= s->block[b+1].first) b++;
  return &s->block[b];
}

static void spring_tangent(const tni_structure *s, const tni_structure_work *w, int i, double *K) {
  const tni_node_spring *p = &s->spring[i];
  tni_spring_now now;
  int at[12], n = unknowns_of(s, 2, p->node, s->ndof, NULL, at), d = s->ndof;
  tni_spring_eval(s, p, w->u, w->v, w->x, &now);
  bool turns = p->component[0] < 0 && s->large && now.l > 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      int a = at[r]/d, b = at[c]/d, i0 = at[r] % d, i1 = at[c] % d;
      K[r*n + c] = p->k*now.S[a][i0]*now.S[b][i1];
      if (turns && i0 < 3 && i1 < 3) K[r*n + c] += (a == b ? 1 : -1)*now.f*((i0 == i1) - now.n[i0]*now.n[i1])/now.l;
    }
}

bool tni_structure_element_tangent(const tni_part *part, void *user, const tni_part_at *at, int e, double *K) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  if (e >= s->nelement) {
    spring_tangent(s, w, e - s->nelement, K);
    return true;
  }
  const tni_structure_block *b = block_of(s, e);
  double X[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  int place[TNI_SOLID_MAXDOF], k = e - b->first;
  int n = unknowns_of(s, b->nnode, b->node + (size_t)k*(size_t)b->nnode, b->nv/b->nnode, NULL, place);
  if (!tni_structure_stiffness(part, w, at, (int)(b - s->block), k, X)) return false;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) K[r*n + c] = X[place[r]*b->nv + place[c]];
  return true;
}

/* Forces of a linear element are its stiffness times its displacements: no matrix is made. Others: by the matrix. */
bool tni_structure_element_product(const tni_part *part, void *user, const tni_part_at *at, int e, const double *x, double *y) {
  const tni_structure *s = of(part);
  const tni_structure_block *b = e < s->nelement ? block_of(s, e) : NULL;
  int place[TNI_SOLID_MAXDOF], n;
  if (b && part->linear) {
    tni_structure_job j = {.part = part, .s = s, .at = at, .w = user, .block = b};
    tni_structure_local l;
    double f[TNI_SOLID_MAXDOF];
    tni_solid_out o = {.f = f};
    n = unknowns_of(s, b->nnode, b->node + (size_t)(e - b->first)*(size_t)b->nnode, b->nv/b->nnode, NULL, place);
    tni_structure_gather(&j, e - b->first, &l);
    memset(l.u, 0, (size_t)b->nv*sizeof(double));
    for (int i = 0; i < n; i++) l.u[place[i]] = x[i];
    l.at.warm = NULL;
    if (!b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE, &o)) return false;
    for (int i = 0; i < n; i++) y[i] = f[place[i]];
    return true;
  }
  double K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  n = b ? unknowns_of(s, b->nnode, b->node + (size_t)(e - b->first)*(size_t)b->nnode, b->nv/b->nnode, NULL, NULL)
        : unknowns_of(s, 2, s->spring[e - s->nelement].node, s->ndof, NULL, NULL);
  if (!tni_structure_element_tangent(part, user, at, e, K)) return false;
  for (int r = 0; r < n; r++) {
    y[r] = 0;
    for (int c = 0; c < n; c++) y[r] += K[r*n + c]*x[c];
  }
  return true;
}
