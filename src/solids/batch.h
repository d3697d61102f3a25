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

typedef struct tni_solid_batch {
  /* can a kind be evaluated so? */
  bool (*serves)(const tni_solid_kind *kind);
  /* false: out->failed; forces are not complete */
  bool (*force)(const tni_batch_in *in, int begin, int end, tni_batch_out *out);
  /* The same for steps alone, with X, u and f [nodes][4], the fourth means nothing: of materials without history nothing is said of
   * energies beside */
  bool (*march)(const tni_batch_in *in, int begin, int end, tni_batch_out *out);
  /* upper bound of the largest frequency [rad/s] of the elements with lumped mass, at rest; close to the exact one */
  double (*rate)(const tni_batch_in *in, int begin, int end);
  int flops;            /* operations counted of an element with elastic material, for benchmarks */
} tni_solid_batch;

extern const tni_solid_batch tni_batch_hex8;

/* march of linear hex8 with one point, eight elements at once with the same bits, where the processor has registers for them; returns the
 * first element that is left to others: those that do not fill a register, and from one on whose volume is not positive, all */
int tni_batch_hex8_eight(const tni_batch_in *in, int begin, int end, tni_batch_out *out);

#endif
