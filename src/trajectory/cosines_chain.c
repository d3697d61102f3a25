/* trajectory/cosines_chain.c - the hybrid form: elements that share boundary values, momenta and sums only
 *
 * Each element is tested with its own halves of the functions of its boundary nodes. What the halves on both sides have in common
 * becomes an unknown of the boundary:
 *
 *   Z = ( fields s, momenta P, [sums a of Poisson's tests: literal rule], multipliers l, sums k of the tests of joints )
 *
 *   first test  -P_(e-1) + r = 0      a_(e-1) + r = 0      k_(e-1) + r = 0
 *   last test    P_e     + r = 0     -a_e     + r = 0     -k_e     + r = 0
 *
 * At the beginning s and P are given, a = k = 0; at the end k = 0. The same unknowns as in the whole matrix come out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/chain.h"
#include "trajectory/cosines_parts.h"

typedef struct {
  int fields, momenta, sums, forces, nz, inner; /* of a boundary; where each begins */
  int at_P, at_a, at_l, at_k;
} hybrid;

static hybrid sizes(const tni_cosines *c) {
  hybrid h = {.fields = c->nb*c->nf, .momenta = c->nb*(c->nw + c->nx), .forces = c->m,
              .sums = c->o.rule == TNI_RULE_LITERAL ? c->nb*c->nc : 0};
  h.at_P = h.fields;
  h.at_a = h.at_P + h.momenta;
  h.at_l = h.at_a + h.sums;
  h.at_k = h.at_l + h.forces;
  h.nz = h.at_k + h.forces;
  h.inner = h.fields*(c->k - 1) + h.forces*(c->p - 1);
  return h;
}

/* column of field or multiplier number i, node j of its element, `last` the last node */
static int column(const hybrid *h, int shared, int inner, int count, int i, int node, int last) {
  if (node == 0) return h->inner + shared + i;
  if (node == last) return h->inner + h->nz + shared + i;
  return inner + (node - 1)*count + i;
}

/* element e of the step J dz = -R: rows by rows of tni_cos_element */
static void write_element(tni_cosines *c, const hybrid *h, double *to) {
  int L = c->nloc, width = h->inner + 2*h->nz + 1, nfield = h->fields, row = 0;
  memset(to, 0, (size_t)(h->inner + h->nz)*(size_t)width*sizeof(double));
  for (int i = 0; i < L; i++) {
    bool field = i < nfield*(c->k + 1);
    int of = field ? i/(c->k + 1) : (i - nfield*(c->k + 1))/(c->p + 1);
    int test = field ? i % (c->k + 1) : (i - nfield*(c->k + 1)) % (c->p + 1), last = field ? c->k : c->p;
    int f = of % c->nf, b = of/c->nf;
    bool poisson = field && f >= c->nw + c->nx;
    if (poisson && h->sums == 0 && test == last) continue; /* one test less */
    double *x = to + (size_t)row++*(size_t)width;
    for (int j = 0; j < L; j++) {
      bool by_field = j < nfield*(c->k + 1);
      int rest = j - nfield*(c->k + 1);
      int col = by_field ? column(h, 0, 0, nfield, j/(c->k + 1), j % (c->k + 1), c->k)
                         : column(h, h->at_l, nfield*(c->k - 1), c->m, rest/(c->p + 1), rest % (c->p + 1), c->p);
      x[col] += c->A[(size_t)i*(size_t)L + (size_t)j];
    }
    x[width - 1] = -c->r[i];
    int shared = -1;
    double sign = 1; /* at the beginning; the opposite at the end */
    if (field && !poisson) shared = h->at_P + b*(c->nw + c->nx) + f, sign = -1;
    if (poisson && h->sums) shared = h->at_a + b*c->nc + f - c->nw - c->nx;
    if (!field) shared = h->at_k + of;
    if (shared < 0) continue;
    if (test == 0) x[h->inner + shared] += sign;
    if (test == last) x[h->inner + h->nz + shared] -= sign;
  }
}

/* beginning: fields given, momenta those of the velocities, sums 0; end: sums of joints 0. Momenta and sums are unknown as
 * such, not as changes: they have no value of their own elsewhere. */
static void write_ends(const tni_cosines *c, const hybrid *h, double *ends) {
  int width = 2*h->nz + 1, row = 0;
  memset(ends, 0, (size_t)h->nz*(size_t)width*sizeof(double));
  for (int i = 0; i < h->nz; i++) {
    if (i >= h->at_l && i < h->at_k) continue;
    double *x = ends + (size_t)row++*(size_t)width;
    x[i] = 1;
    if (i >= h->at_P && i < h->at_a) {
      int n = c->nw + c->nx, b = (i - h->at_P)/n;
      double P[6];
      tni_cos_momentum(c, b, c->v0 + b*n, P);
      x[width - 1] = P[(i - h->at_P) % n];
    }
  }
  for (int r = 0; r < c->m; r++) ends[(size_t)row++*(size_t)width + (size_t)(h->nz + h->at_k + r)] = 1;
}

/* comm NULL: all groups are here */
static tn_status chain_step(tni_cosines *c, int groups, tni_comm *comm, double *dz) {
  hybrid h = sizes(c);
  tni_chain *chain;
  int first, last;
  if (comm) TN_TRY(tni_chain_create_part(c->ctx, c->o.elements, h.nz, h.inner, groups, comm->rank, &chain));
  else TN_TRY(tni_chain_create(c->ctx, c->o.elements, h.nz, h.inner, groups, &chain));
  tni_chain_range(chain, &first, &last);
  for (int e = first; e < last; e++) {
    tni_cos_element(c, e, true);
    write_element(c, &h, tni_chain_element(chain, e));
  }
  tni_cos_leave(c);
  write_ends(c, &h, tni_chain_ends(chain));
  tn_status st = comm ? tni_chain_solve_ranks(chain, comm) : tni_chain_solve(chain);
  memset(dz, 0, (size_t)tni_cosines_n(c)*sizeof(double));
  for (int e = first; e < last && st == TN_OK; e++) {
    const double *Z0 = tni_chain_shared(chain, e), *Z = tni_chain_shared(chain, e + 1), *x = tni_chain_inner(chain, e);
    for (int i = 0; i < h.fields; i++)
      for (int node = 1; node <= c->k; node++)
        dz[tni_cos_field(c, i/c->nf, i % c->nf, e*c->k + node)] = node == c->k ? Z[i] : x[(node - 1)*h.fields + i];
    for (int r = 0; r < c->m; r++)
      for (int node = e > 0; node <= c->p; node++) /* the first is the last of the element before */
        dz[tni_cos_force(c, r, e*c->p + node)] = node == 0      ? Z0[h.at_l + r]
                                                 : node == c->p ? Z[h.at_l + r]
                                                                : x[h.fields*(c->k - 1) + (node - 1)*c->m + r];
  }
  c->chain = tni_chain_count(chain);
  tni_chain_destroy(&chain);
  return st;
}

tn_status tni_cosines_chain_step(tni_cosines *c, int groups, double *dz) { return chain_step(c, groups, NULL, dz); }

tn_status tni_cosines_chain_step_ranks(tni_cosines *c, tni_comm *comm, double *dz) {
  TN_TRY(chain_step(c, comm->size, comm, dz));
  return tni_comm_sum(comm, tni_cosines_n(c), dz);
}

tni_chain_work tni_cosines_chain_work(const tni_cosines *c) { return c->chain; }

int tni_cosines_chain_width(const tni_cosines *c) { return sizes(c).nz; }
