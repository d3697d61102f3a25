/* linsolve/plan.c - the lists of the reduced solvers: panels, runs, updates, couplings
 *
 * Everything that depends on the pattern only. The order of the sums in the numbers is the order of
 * these lists, so results do not depend on anything else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/reduced.h"

/* The same system with blocks of 1 to MAX_ROWS rows: larger ones are cut, empty ones left out. */
static tn_status split_blocks(const tni_kkt *K, tni_arena *arena, tni_kkt *out) {
  size_t nblock = 0, ninc = 0;
  for (int b = 0; b < K->nblock; b++) {
    int parts = (K->rowadr[b+1] - K->rowadr[b] + MAX_ROWS - 1)/MAX_ROWS;
    nblock += (size_t)parts;
    ninc += (size_t)parts*(size_t)(K->incadr[b+1] - K->incadr[b]);
  }
  int *rowadr, *incadr, *incbody, *jadr;
  signed char *unit;
  TNI_ARENA_NEW(arena, unit, ninc + 1);
  TNI_ARENA_NEW(arena, rowadr, nblock + 1);
  TNI_ARENA_NEW(arena, incadr, nblock + 1);
  TNI_ARENA_NEW(arena, incbody, ninc + 1);
  TNI_ARENA_NEW(arena, jadr, ninc + 1);
  int n = 0, i = 0;
  for (int b = 0; b < K->nblock; b++) {
    for (int row = K->rowadr[b]; row < K->rowadr[b+1]; row += MAX_ROWS) {
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++, i++) {
        incbody[i] = K->incbody[a];
        jadr[i] = K->jadr[a] + (row - K->rowadr[b])*K->d;
        if (K->unit && row == K->rowadr[b]) unit[i] = K->unit[a];
      }
      rowadr[n] = row;
      incadr[++n] = i;
    }
  }
  rowadr[n] = K->nrow;
  *out = *K;
  out->nblock = n;
  out->rowadr = rowadr;
  out->incadr = incadr;
  out->incbody = incbody;
  out->jadr = jadr;
  out->unit = unit;
  return TN_OK;
}

typedef struct {
  const tni_kkt *K; /* with split blocks */
  tni_reduced *w;
  tni_body_blocks on;
  tni_arena *arena;   /* of the solver                                                       */
  tni_arena *scratch;
  int *blkcol;        /* [fill.adr[n]] panel column of each block right of the diagonal     */
  int *piece;         /* [fill.n] of the vertex numbered k, -1 in the border; NULL: no pieces  */
} builder;

/* the piece of column k if column r belongs to the border, NULL if both are in the same part */
static const tni_piece *sends_to_border(const builder *z, int k, int r) {
  return z->piece && z->piece[k] >= 0 && z->piece[r] < 0 ? &z->w->piece[z->piece[k]] : NULL;
}

/* Columns of the pieces and of the border, and the copies of what is sent there. most: numbers of the largest
 * panel. */
static tn_status lay_out_pieces(builder *z, size_t most) {
  tni_reduced *w = z->w;
  int n = w->ncol, border = n;
  while (border > 0 && z->piece[border-1] < 0) border--;
  w->border = w->column + border;
  const double *end = w->P + w->nP, *first = border < n ? w->border->panel : end;
  w->nborder = (size_t)(end - first);
  for (int k = border; k < n; k++) w->nborder_row += (size_t)w->column[k].c;
  TNI_ARENA_NEW(z->arena, w->piece, w->npiece);
  for (int p = 0, k = 0; p < w->npiece; p++) {
    tni_piece *e = &w->piece[p];
    e->first = w->column + k;
    e->panels = k < n ? w->column[k].panel : w->P + w->nP;
    while (k < border && z->piece[k] == p) k++;
    e->end = w->column + k;
    e->end_panels = k < n ? w->column[k].panel : w->P + w->nP;
    TNI_ARENA_NEW(z->arena, e->N, most + 1);
    TNI_ARENA_NEW(z->arena, e->border, w->nborder + 1);
    TNI_ARENA_NEW(z->arena, e->y, w->nborder_row + 1);
  }
  return TN_OK;
}

/* rows and panels of every vertex; the numbers are allocated here, so that lists can point there */
static tn_status lay_out_columns(builder *z) {
  tni_reduced *w = z->w;
  const tni_kkt *K = z->K;
  const tni_fill *f = &w->fill;
  w->ncol = f->n;
  w->nplain = f->n - f->nhub;
  TNI_ARENA_NEW(z->arena, w->column, f->n + 1);
  TNI_ARENA_NEW(z->scratch, z->blkcol, f->adr[f->n] + 1);
  size_t most = 0;
  for (int k = 0; k < f->n; k++) {
    tni_column *c = &w->column[k];
    int v = f->order[k];
    c->c = c->kind = f->size[k];
    c->own = v < K->nblock ? K->rowadr[v] : w->hub[v-K->nblock]*K->d;
    c->ld = c->c;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      z->blkcol[a] = (int)c->ld;
      c->ld += f->size[f->row[a]];
    }
    c->lone = c->c == 2 && c->ld == 4 && f->adr[k+1] - f->adr[k] == 1;
    size_t size = (size_t)c->c*(size_t)c->ld;
    if (size > most) most = size;
    w->nvec += c->c;
    w->nP += size;
  }
  TNI_ARENA_NEW(z->arena, w->P, w->nP + 1);
  TNI_ARENA_NEW(z->arena, w->N, most + 1);
  /* the pivots are judged by pairs: one may be over, and stays 0 */
  TNI_ARENA_NEW(z->arena, w->diagonal, w->nvec + 2);
  TNI_ARENA_NEW(z->arena, w->dinv, w->nvec + 2);
  TNI_ARENA_NEW(z->arena, w->y, w->nvec + 1);
  size_t at = 0, row = 0;
  for (int k = 0; k < f->n; k++) {
    tni_column *c = &w->column[k];
    c->panel = w->P + at;
    c->diagonal = w->diagonal + row;
    c->dinv = w->dinv + row;
    c->y = w->y + row;
    at += (size_t)c->c*(size_t)c->ld;
    row += (size_t)c->c;
  }
  return z->piece ? lay_out_pieces(z, most) : TN_OK;
}

/* Runs of columns right of the diagonal blocks. out NULL: only count. */
static size_t list_runs(const builder *z, tni_run *out) {
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int k = 0; k < f->n; k++) {
    tni_column *c = &z->w->column[k];
    double *reached = NULL;
    if (out) c->run = out + n;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      const tni_column *r = &z->w->column[f->row[a]];
      const tni_piece *own = sends_to_border(z, k, f->row[a]);
      double *y = own ? own->y + (r->y - z->w->border->y) : r->y;
      if (y == reached) {
        if (out) out[n-1].n += r->c;
      } else {
        if (out) out[n] = (tni_run){.U = c->panel + z->blkcol[a], .y = y, .n = r->c};
        n++;
      }
      reached = y + r->c;
    }
    if (out) c->end_run = out + n;
  }
  return n;
}

/* Updates from panel k to the panel of its a-th block right of the diagonal, with the columns from
 * there on. A run ends where the target has other columns in between. Returns their number. */
static size_t add_products(const builder *z, int k, int a, tni_product *out) {
  const tni_fill *f = &z->w->fill;
  const tni_column *from = &z->w->column[k], *to = &z->w->column[f->row[a]];
  const tni_piece *own = sends_to_border(z, k, f->row[a]);
  double *panel = own ? own->border + (to->panel - z->w->border->panel) : to->panel;
  double *N = z->piece && z->piece[k] >= 0 ? z->w->piece[z->piece[k]].N : z->w->N;
  size_t n = 0;
  int reached = -1, t = f->adr[f->row[a]];
  for (int i = a; i < f->adr[k+1]; i++) {
    int col = 0, size = f->size[f->row[i]];
    if (i > a) {
      while (f->row[t] != f->row[i]) t++;
      col = z->blkcol[t];
    }
    if (col == reached) {
      if (out) out[n-1].n += size;
    } else {
      if (out) {
        out[n] = (tni_product){.to = panel + col, .ld = to->ld, .N = N + z->blkcol[a],
                           .U = from->panel + z->blkcol[i], .nq = to->c, .n = size};
      }
      n++;
    }
    reached = col + size;
  }
  return n;
}

static size_t list_products(const builder *z, tni_product *out) {
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int k = 0; k < f->n; k++) {
    tni_column *c = &z->w->column[k];
    if (out) c->product = out + n;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) n += add_products(z, k, a, out ? out + n : NULL);
    if (out) c->end_product = out + n;
  }
  return n;
}

/* the later blocks on body b of the block numbered k; where: panel column of a number */
static size_t add_couplings(const builder *z, int b, int k, const int *where, tni_coupling *out) {
  const tni_body_blocks *on = &z->on;
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int i = on->adr[b]; i < on->adr[b+1]; i++) {
    int r = f->position[on->block[i]];
    if (r <= k) continue;
    if (out) {
      out[n] = (tni_coupling){.J = z->K->jadr[on->inc[i]], .c = f->size[r],
                          .to = z->w->column[k].panel + where[r],
                          .sign = z->K->unit[on->inc[i]]};
    }
    n++;
  }
  return n;
}

typedef struct {
  tni_incidence *inc;
  tni_coupling *couple;
  tni_hub_copy *copy;
  double *W;
  size_t ninc, ncouple, ncopy, nW;
} incidence_lists;

/* Bodies of every block: eliminated ones with their couplings, hubs with the place of a copy.
 * First call with the pointers NULL: only count. */
static void list_incidences(const builder *z, int *where, incidence_lists *l) {
  tni_reduced *w = z->w;
  const tni_kkt *K = z->K;
  const tni_fill *f = &w->fill;
  bool write = l->inc != NULL;
  l->ninc = l->ncouple = l->ncopy = l->nW = 0;
  for (int k = 0; k < w->nplain; k++) {
    tni_column *c = &w->column[k];
    int j = f->order[k];
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) where[f->row[a]] = z->blkcol[a];
    if (write) {
      c->inc = l->inc + l->ninc;
      c->copy = l->copy + l->ncopy;
    }
    for (int a = K->incadr[j]; a < K->incadr[j+1]; a++) {
      int b = K->incbody[a];
      if (w->slot[b] >= 0) {
        double *to = c->panel + where[w->nplain+w->slot[b]];
        if (write) l->copy[l->ncopy] = (tni_hub_copy){.J = K->jadr[a], .to = to};
        l->ncopy++;
        continue;
      }
      tni_coupling *couple = write ? l->couple + l->ncouple : NULL;
      size_t n = add_couplings(z, b, k, where, couple);
      if (write) {
        l->inc[l->ninc] = (tni_incidence){
          .J = K->jadr[a], .x = (ptrdiff_t)b*K->d, .W = l->W + l->nW,
          .Minv = w->Minv + (ptrdiff_t)b*K->d*K->d, .small = w->small + (ptrdiff_t)b*TNI_SMALL,
          .simple = &w->simple[b], .sign = K->unit[a],
          .couple = couple, .end_couple = couple + n};
      }
      l->ninc++;
      l->ncouple += n;
      l->nW += (size_t)(K->d == 6 ? 6*c->c : 6*((c->c + 1)/2));
    }
    if (write) {
      c->end_inc = l->inc + l->ninc;
      c->end_copy = l->copy + l->ncopy;
    }
  }
}

/* how far into the panels each column, and those before it, write; a piece ends with its own panels */
static void find_reach(builder *z) {
  tni_reduced *w = z->w;
  const tni_fill *f = &w->fill;
  double *reach = w->P;
  for (int k = 0; k < f->n; k++) {
    int a = f->adr[k+1] - 1;
    while (a >= f->adr[k] && sends_to_border(z, k, f->row[a])) a--;
    int last = a >= f->adr[k] ? f->row[a] : k;
    const tni_column *c = &w->column[last];
    double *end = c->panel + c->c*c->ld;
    if (end > reach) reach = end;
    w->column[k].reach = reach;
  }
}

/* planar blocks of two rows that are pins and meet only pins */
static void find_pins(builder *z) {
  tni_reduced *w = z->w;
  const tni_fill *f = &w->fill;
  for (int k = 0; k < w->nplain && z->K->d == 3; k++) {
    tni_column *c = &w->column[k];
    bool pin = c->c == 2 && c->inc < c->end_inc && c->copy == c->end_copy;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) pin = pin && f->size[f->row[a]] == 2;
    for (const tni_incidence *i = c->inc; i < c->end_inc; i++) {
      pin = pin && i->sign != 0;
      for (const tni_coupling *o = i->couple; o < i->end_couple; o++) pin = pin && o->sign != 0;
    }
    if (!pin) continue;
    c->kind = TNI_PIN;
    w->npin++;
  }
}

static tn_status build_lists(builder *z) {
  const tni_kkt *K = z->K;
  tni_reduced *w = z->w;
  size_t d = (size_t)K->d, nJ = 0;
  TN_TRY(lay_out_columns(z));
  TNI_ARENA_NEW(z->arena, w->Minv, (size_t)K->nbody*d*d + 1);
  TNI_ARENA_NEW(z->arena, w->simple, K->nbody + 1);
  TNI_ARENA_NEW(z->arena, w->small, (size_t)K->nbody*TNI_SMALL + 1);
  for (int b = 0; b < K->nblock; b++) {
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      size_t end = (size_t)K->jadr[a] + (size_t)(K->rowadr[b+1] - K->rowadr[b])*d;
      if (end > nJ) nJ = end;
    }
  }
  if (K->active) TNI_ARENA_NEW(z->arena, w->J, nJ + 1);
  tni_run *runs;
  TNI_ARENA_NEW(z->arena, runs, list_runs(z, NULL) + 1);
  list_runs(z, runs);
  tni_product *products;
  TNI_ARENA_NEW(z->arena, products, list_products(z, NULL) + 1);
  list_products(z, products);
  int *where;
  incidence_lists l = {0};
  TNI_ARENA_NEW(z->scratch, where, w->ncol + 1);
  list_incidences(z, where, &l);
  TNI_ARENA_NEW(z->arena, l.couple, l.ncouple + 1);
  TNI_ARENA_NEW(z->arena, l.copy, l.ncopy + 1);
  TNI_ARENA_NEW(z->arena, l.W, l.nW + 1);
  TNI_ARENA_NEW(z->arena, l.inc, l.ninc + 1);
  list_incidences(z, where, &l);
  find_pins(z);
  find_reach(z);
  return TN_OK;
}

tn_status tni_reduced_build(tni_kkt_solver *s, const int *hub, int nhub, int npiece, tni_reduced **out) {
  const tni_kkt *K = s->K;
  tni_reduced *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  TNI_ARENA_NEW(&s->arena, w->hub, nhub + 1);
  TNI_ARENA_NEW(&s->arena, w->slot, K->nbody + 1);
  for (int b = 0; b < K->nbody; b++) w->slot[b] = -1;
  for (int h = 0; h < nhub; h++) {
    w->hub[h] = hub[h];
    w->slot[hub[h]] = h;
  }
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  tni_kkt split = {0};
  builder z = {.K = &split, .w = w, .arena = &s->arena, .scratch = &scratch};
  tn_status st = split_blocks(K, &scratch, &split);
  if (st == TN_OK) st = tni_body_blocks_build(&split, &scratch, &z.on);
  w->npiece = npiece;
  if (st == TN_OK && npiece > 0) {
    st = tni_fill_in_pieces(&split, &z.on, npiece, &s->arena, &scratch, &w->fill, &z.piece);
  } else if (st == TN_OK) {
    st = tni_fill_build(&split, &z.on, hub, nhub, s->opts.ordering, &s->arena, &w->fill);
  }
  if (st == TN_OK) st = build_lists(&z);
  tni_arena_clear(&scratch);
  *out = w;
  return st;
}

void tni_reduced_describe(const tni_reduced *w, tni_kkt_info *info) {
  info->ordering = w->fill.ordering;
  info->bandwidth = w->fill.profile.bandwidth;
  info->envelope = w->fill.profile.envelope;
  info->work_bound = w->fill.profile.work;
  info->work = w->fill.work;
  info->nnz = (long)w->nP;
}
