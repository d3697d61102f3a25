/* linsolve/pins.c - the reduced solver on planar pins: two points held together
 *
 * The block of a pin on one of its bodies is J = [s 0 a; 0 s b] with s = +1 or -1, and the inverse
 * mass of a planar body is diag(u0, u1, w). The formulas of reduced.c shrink to
 *
 *   W = J M^-1:                (s u0, s u1) and h = w (a, b)
 *   diagonal block of B:       sum over its bodies of  diag(u0, u1) + h (a, b)
 *   a later pin on that body:  s s' diag(u0, u1) + h (a', b')
 *
 * and all blocks being 2 x 2, everything is done by pairs. The panel keeps N = -D^-1 U, not U:
 * neither substitution waits for the inverse pivots then. Pins that meet blocks of other kinds, and
 * those of a system with rows switched off, are left to the general code.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/pair.h"
#include "linsolve/reduced.h"

enum { LONE = 4 }; /* row length of a panel with one later pin: most of them */

/* diag(d) + h x^T added to the 2 x 2 block at to */
ALWAYS_INLINE void add_block(double *to, ptrdiff_t ld, pair d, pair h, pair x) {
  store(to, load(to) + ((pair){d[0], 0} + both(h[0])*x));
  store(to + ld, load(to + ld) + ((pair){0, d[1]} + both(h[1])*x));
}

/* Block row of B; the diagonal block comes back as its diagonal and the entry beside it. */
ALWAYS_INLINE pair assemble(const tni_column *k, const double *restrict Jall, double *beside) {
  pair diagonal = load(k->mass);
  double off = 0;
  for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict J = Jall + i->J;
    pair x = {J[2], J[5]}, h = x*both(i->Minv[8]);
    diagonal += x*h;
    off += J[2]*h[1];
    store(i->W + 2, h);
    for (const tni_coupling *o = i->couple; o < i->end_couple; o++) {
      const double *restrict Jo = Jall + o->J;
      add_block(o->to, k->ld, both(o->sign)*load(i->W), h, (pair){Jo[2], Jo[5]});
    }
  }
  *beside = off;
  return diagonal;
}

/* to += N^T U of the first two columns of U */
ALWAYS_INLINE void add_product(double *to, ptrdiff_t ld, pair u0, pair u1, pair n0, pair n1) {
  store(to, load(to) + both(u0[0])*n0 + both(u1[0])*n1);
  store(to + ld, load(to + ld) + both(u0[1])*n0 + both(u1[1])*n1);
}

/* panels with any number of later pins; U goes to the scratch array */
ALWAYS_INLINE void eliminate(const tni_column *k, double *restrict U, double l, pair inverse) {
  ptrdiff_t ld = k->ld;
  double *restrict P = k->panel;
  for (ptrdiff_t i = 2; i < ld; i += 2) {
    pair u0 = load(P + i), u1 = load(P + ld + i) - both(l)*u0;
    store(U + i, u0);
    store(U + ld + i, u1);
    store(P + i, both(-inverse[0])*u0);
    store(P + ld + i, both(-inverse[1])*u1);
  }
  for (const tni_product *p = k->product; p < k->end_product; p++) {
    pair u0 = load(p->N), u1 = load(p->N + ld);
    for (ptrdiff_t i = 0; i < p->n; i += 2)
      add_product(p->to + i, p->ld, u0, u1, load(p->U + i), load(p->U + ld + i));
  }
}

const tni_column *tni_pins_factor(tni_factoring *a, const tni_column *k, const tni_column *end) {
  do {
    if (k->reach > a->cleared) tni_reduced_clear(a, k->reach);
    double off, *restrict P = k->panel;
    ptrdiff_t ld = k->ld;
    pair own = assemble(k, a->J, &off);
    double d00 = own[0] + P[0], d01 = off + P[1], d11 = own[1] + P[ld+1];
    /* the second division does not wait for the first */
    pair inverse = {1/d00, d00/(d00*d11 - d01*d01)};
    double l = d01*inverse[0];
    store(k->diagonal, own);
    store(k->dinv, inverse);
    P[ld] = l;
    if (ld == LONE) {
      pair u0 = load(P + 2), u1 = load(P + 6) - both(l)*u0;
      pair n0 = both(-inverse[0])*u0, n1 = both(-inverse[1])*u1;
      store(P + 2, n0);
      store(P + 6, n1);
      add_product(k->product->to, k->product->ld, u0, u1, n0, n1);
    } else {
      eliminate(k, a->N, l, inverse);
    }
    if (a->rhs) tni_pins_forward(a->rhs, k, k + 1);
  } while (++k < end && k->kind == TNI_PIN);
  return k;
}

/* y += N^T v */
ALWAYS_INLINE void send(double *y, pair n0, pair n1, pair v) {
  store(y, load(y) + both(v[0])*n0 + both(v[1])*n1);
}

const tni_column *tni_pins_forward(const tni_rhs *a, const tni_column *k, const tni_column *end) {
  const double *f = a->f, *g = a->g;
  do {
    const double *restrict P = k->panel;
    ptrdiff_t ld = k->ld;
    pair v = both(0);
    for (const tni_incidence *i = k->inc; f && i < k->end_inc; i++)
      v += load(i->W)*load(f + i->x) + load(i->W + 2)*both(f[i->x+2]);
    if (g) v -= load(g + k->own);
    v += load(k->y); /* last: this is what has to be waited for */
    v[1] -= P[ld]*v[0];
    store(k->y, load(k->dinv)*v);
    if (ld == LONE) {
      send(k->run->y, load(P + 2), load(P + 6), v);
    } else {
      for (const tni_run *r = k->run; r < k->end_run; r++)
        for (ptrdiff_t i = 0; i < r->n; i += 2)
          send(r->y + i, load(r->U + i), load(r->U + ld + i), v);
    }
  } while (++k < end && k->kind == TNI_PIN);
  return k;
}

const tni_column *tni_pins_backward(const tni_rhs *a, const tni_column *k,
                                    const tni_column *first) {
  double *x = a->x, *lambda = a->lambda;
  do {
    k--;
    const double *restrict P = k->panel;
    ptrdiff_t ld = k->ld;
    pair v = load(k->y);
    if (ld == LONE) {
      pair y = load(k->run->y);
      v += halves(load(P + 2)*y, load(P + 6)*y);
    } else {
      for (const tni_run *r = k->run; r < k->end_run; r++)
        for (ptrdiff_t i = 0; i < r->n; i += 2) {
          pair y = load(r->y + i);
          v += halves(load(r->U + i)*y, load(r->U + ld + i)*y);
        }
    }
    v[0] -= P[ld]*v[1];
    store(k->y, v);
    store(lambda + k->own, v);
    for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
      double *restrict xb = x + i->x;
      pair h = load(i->W + 2)*v;
      store(xb, load(xb) - load(i->W)*v);
      xb[2] -= h[0] + h[1];
    }
  } while (k > first && k[-1].kind == TNI_PIN);
  return k;
}

void tni_pins_keep_masses(tni_reduced *w) {
  for (tni_column *k = w->column; k < w->column + w->nplain; k++) {
    if (k->kind != TNI_PIN) continue;
    k->mass[0] = k->mass[1] = 0;
    for (const tni_incidence *i = k->inc; i < k->end_inc; i++)
      for (int q = 0; q < 2; q++) {
        i->W[q] = i->sign*i->Minv[4*q];
        k->mass[q] += i->Minv[4*q];
      }
  }
}
