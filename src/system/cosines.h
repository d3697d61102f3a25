/* system/cosines.h - a cartesian system in positions and direction cosines
 *
 * The rows of most joints are quadratic in the positions x of centres of mass and the entries C of the rotation matrices, taken
 * as numbers that nothing holds together:
 *
 *   g = g0 + l.y + y.H y/2        y = (x, C) of the bodies of the row, 12 numbers each (in the plane 4: x, y, cos, sin)
 *
 * H and l are constant. They are read off the values of the row: a quadratic function is known from them.
 *
 * Rows of any other kind, and those that move with time or hold velocities only, are evaluated as the system does, at the rotations nearest
 * to C.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COSINES_SYSTEM_H
#define TNI_COSINES_SYSTEM_H

#include "model/build.h"
#include "system/system.h"

enum { TNI_COSINES_PLANE = 4, TNI_COSINES_SPACE = 12, TNI_COSINES_MAX = 2*TNI_COSINES_SPACE };

typedef struct tni_quadratic_row {
  int row;          /* of the system                              */
  int nbody, body[2]; /* nbody 0: not quadratic                   */
  double g0, l[TNI_COSINES_MAX], H[TNI_COSINES_MAX*TNI_COSINES_MAX];
} tni_quadratic_row;

/* rows of a joint that are not quadratic: multipliers first .. first + n - 1 */
typedef struct tni_general_rows {
  const tni_con *con;
  int first, n;
  const int *keep;  /* [n] rows of con                            */
} tni_general_rows;

typedef struct tni_cosine_model {
  bool planar;
  int nbody, m;
  const tni_inertia *inertia; /* [nbody]                           */
  double gravity[3];
  int nforce;
  tni_quadratic_row *row;     /* [m] independent rows, or all      */
  int ngeneral;
  tni_general_rows *general;  /* those that are not quadratic      */
} tni_cosine_model;

/* At the state of a cartesian data where it was evaluated last; all_rows: dependent ones too. TN_ERR_UNSUPPORTED names what has no
 * direction cosines. Leaves s->kin as it was. */
tn_status tni_cosine_model_create(tni_data *s, double t, bool all_rows, tni_arena *arena, tni_cosine_model *out);

/* the joint that row r of the model belongs to */
const char *tni_cosine_joint(const tni_data *s, const tni_cosine_model *m, int r);

/* General rows at kin [nbody+1]. Columns: 6 of each body of con, small motions or velocities (ground, body). Tangents are computed if lambda
 * is not NULL. */
typedef struct tni_general_out {
  double rate[TNI_MAXROW];                      /* J v + phi_t                     */
  double J[TNI_MAXROW*6*TNI_MAXBODY];           /* [n][6 nbody]                    */
  double H[36*TNI_MAXBODY*TNI_MAXBODY];         /* of J^T lambda                   */
  double rate_q[TNI_MAXROW*6*TNI_MAXBODY];      /* of the rate by small motions    */
} tni_general_out;
void tni_cosine_general(const tni_data *s, const tni_general_rows *g, double t, const tni_kin *kin, const double *lambda,
                        tni_general_out *out);

/* Forces but gravity on all bodies at kin [nbody+1], whose A need not be rotations: f [6 nbody] (force ground, torque body), and
 * unless NULL K, D [6 nbody][6 nbody] by small motions and by velocities. room: tni_cosine_room(s) numbers. */
size_t tni_cosine_room(const tni_data *s);
/* K and D with ones wherever they may ever be other than zero */
void tni_cosine_force_pattern(const tni_data *s, double *K, double *D);
void tni_cosine_forces(tni_data *s, double t, const tni_kin *kin, double *room, double *f, double *K, double *D);

#endif
