/* solids/batch.h - forces of many elements at once, for explicit steps
 *
 * The elements begin..end of a block are evaluated straight from arrays of all nodes. Forces are added at the nodes in the
 * order of the elements, so that neither the size of the batches nor where begin..end is cut changes a bit; elements of
 * different calls at the same time must not share nodes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_BATCH_H
#define TNI_SOLID_BATCH_H

#include "solids/solid.h"

typedef struct tni_batch_in {
  const tni_solid_kind *kind;
  const int *node;      /* [n][nnode] of the block                                              */
  const double *X, *u;  /* [nodes][3] at rest, displacements                                     */
  double *state;        /* [n][nstate] history, replaced by that of now; NULL: none              */
} tni_batch_in;

typedef struct tni_batch_out {
  double *f;            /* [nodes][3] internal forces are added                                  */
  double *energy, *dissipated; /* [n] of each element, written; NULL: not wanted                 */
  double energy_sum, dissipated_sum; /* added, element after element                            */
  int failed;           /* element whose volume is not positive                                  */
} tni_batch_out;

/* Nodal arrays component by component: number i of component c stands at [c][i]. Linear materials; internal forces are added. */
typedef struct tni_batch_rows {
  const tni_solid_kind *kind;
  const double *X[3], *u[3];
  double *f[3];
  /* memory that is asked for on the way, eight numbers of each of these with eight elements of strips, as long as numbers are left */
  const double *ahead[12];
  int nahead, left;
} tni_batch_rows;

/* Elements of which each has the right nodes of the one before as its left ones, all with numbers that follow each other: element k has
 * node[j] + k on the left of line j and the number after it on the right. Where a row of nodes ends and the next begins one of them is no
 * element. */
typedef struct tni_batch_strip {
  int node[4];
  int n;                     /* those that are none included; the last one is one */
  const unsigned char *real; /* [n/8 + 1] bit k%8 of k/8: it is an element        */
} tni_batch_strip;

typedef struct tni_solid_batch {
  /* can a kind be evaluated so? */
  bool (*serves)(const tni_solid_kind *kind);
  /* false: out->failed; forces are not complete */
  bool (*force)(const tni_batch_in *in, int begin, int end, tni_batch_out *out);
  /* The same for steps alone, with X, u and f [nodes][4], the fourth means nothing: of materials without history nothing is said of
   * energies beside */
  bool (*march)(const tni_batch_in *in, int begin, int end, tni_batch_out *out);
  /* The same with rows, of linear materials: the strip that the elements from begin on are, if they are one of some length; returns the element
   * after it, begin: there is none. real [(2 (end - begin))/8 + 1] is the strip's from then on. Its forces, and those of any elements; with the
   * same bits up to the order in which a strip takes the axes of its elements. False: one has no volume. */
  int (*find_strip)(const int *node, int begin, int end, tni_batch_strip *strip, unsigned char *real);
  bool (*strip)(tni_batch_rows *in, const tni_batch_strip *strip);
  bool (*loose)(const tni_batch_rows *in, const int *node, int begin, int end);
  /* upper bound of the largest frequency [rad/s] of the elements with lumped mass, at rest; close to the exact one */
  double (*rate)(const tni_batch_in *in, int begin, int end);
  int flops;            /* operations counted of an element with elastic material, for benchmarks */
} tni_solid_batch;

extern const tni_solid_batch tni_batch_hex8;

/* march of linear hex8 with one point, eight elements at once with the same bits, where the processor has registers for them; returns the
 * first element that is left to others: those that do not fill a register, and from one on whose volume is not positive, all */
int tni_batch_hex8_eight(const tni_batch_in *in, int begin, int end, tni_batch_out *out);
/* false: the processor has no such registers */
bool tni_batch_hex8_strip_eight(tni_batch_rows *in, const tni_batch_strip *strip, bool *fine);

/* members of tni_batch_hex8 */
int tni_batch_find_strip(const int *node, int begin, int end, tni_batch_strip *strip, unsigned char *real);
bool tni_batch_hex8_strip(tni_batch_rows *in, const tni_batch_strip *strip);
bool tni_batch_hex8_loose(const tni_batch_rows *in, const int *node, int begin, int end);

#endif
