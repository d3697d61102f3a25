/* joints/parts.h - what several joint files share: refusals in the same words, groups of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PARTS_H
#define TNI_PARTS_H

#include "model/build.h"

/* entry of a table of keys: a key of every joint that would mean nothing here */
#define TNI_REFUSED_KEY(key) {.name = #key, .flags = TNI_REFUSED}

/* TN_ERR_INPUT unless the item says `bodies: [a, b]` with two different ones */
tn_status tni_joint_need_bodies(tni_builder *b, const tni_item *item, const tni_joint *joint);
/* the same, and a direction by `axis`, `axis1` or `axis2` that suits a planar model */
typedef enum {
  TNI_AXIS_TURN,  /* what turns: z in a planar model, where it may be left out */
  TNI_AXIS_SLIDE, /* what slides: in the plane                                 */
  TNI_AXIS_ANY    /* either                                                    */
} tni_axis_use;
tn_status tni_joint_need_axis(tni_builder *b, const tni_item *item, const tni_joint *joint,
                              tni_axis_use use);

/* TN_ERR_INPUT unless both axis1 and axis2 are given */
tn_status tni_joint_need_axes(tni_builder *b, const tni_item *item);
/* The two ways to say that a point stays on something: bodies, at and axis like every joint, or
 * body, point, on and axis; the latter sets bodies and frames of the joint here. */
tn_status tni_joint_point_on(tni_builder *b, const tni_item *item, tni_joint *joint);

/* Frame of a body with its origin at s (body frame) and z along the unit vector z_G (ground axes
 * at the initial position); x_G is the wanted x axis, NULL: any. */
void tni_joint_frame(const tni_builder *b, int body, const double s[3], const double z_G[3],
                     const double *x_G, tni_frame *frame);
/* axis (0, 1, 2) of frame[side] and the vector from the origin of frame 0 to that of frame 1, in
 * ground axes at the initial position; returns its length, 0 when that is rounding */
void tni_joint_axis(const tni_builder *b, const tni_joint *joint, int side, int axis,
                    double a_G[3]);
double tni_joint_gap(const tni_builder *b, const tni_joint *joint, double d_G[3]);
/* the same as vector quantities of scalar functions */
tni_vecq tni_joint_axisq(const tni_joint *joint, int side, int axis);
tni_vecq tni_joint_gapq(const tni_joint *joint);

/* z axes parallel: "axis.1", "axis.2" */
void tni_rows_parallel(tni_rowset *rows, const tni_joint *joint);
/* frames stay parallel: the two above and "spin" */
void tni_rows_oriented(tni_rowset *rows, const tni_joint *joint);
/* origin of frame 1 on the z axis of frame 0: "offset.1", "offset.2" */
void tni_rows_on_axis(tni_rowset *rows, const tni_joint *joint);
/* distance of the origins is `length`, or what it is at the start: "distance". Refuses 0. */
tn_status tni_rows_distance(tni_builder *b, const tni_item *item, const tni_joint *joint,
                            tni_rowset *rows);
/* Massless rod from a hinge (z axis of frame 0) to the origin of frame 1: "offset" along the axis
 * and "distance", each as given or as at the start. Refuses a rod that lies in its axis. */
tn_status tni_rows_link(tni_builder *b, const tni_item *item, const tni_joint *joint,
                        tni_rowset *rows);
/* an empty row, and factor * s added to it */
int tni_rows_add(tni_rowset *rows, const char *name, const char *unit);
void tni_rows_term(tni_rowset *rows, int row, double factor, const tni_scalar *s);

/* value of a scalar function at the initial position and memory */
double tni_joint_initial(const tni_builder *b, const tni_scalar *s);

/* ---- joints that tie coordinates of other joints: keys `joints` and `coordinates` ----------- */

/* bodies and places are those of the joints tied */
#define TNI_TIE_REFUSES                                                                            \
  TNI_REFUSED_KEY(bodies), TNI_REFUSED_KEY(at1), TNI_REFUSED_KEY(at2), TNI_REFUSED_KEY(axis),      \
      TNI_REFUSED_KEY(axis1), TNI_REFUSED_KEY(axis2), TNI_REFUSED_KEY(x), TNI_REFUSED_KEY(x1),     \
      TNI_REFUSED_KEY(x2), TNI_REFUSED_KEY(frame1), TNI_REFUSED_KEY(frame2),                       \
      TNI_REFUSED_KEY(initial), TNI_REFUSED_KEY(initial_rate)

/* number of names in a key of kind NAMES */
int tni_joint_count(const tni_item *item, const char *key);
/* Coordinate k of the item: the named one, else `wanted` if the joint has it, else its first.
 * unit ("rad" or "m") is what it must be measured in, NULL: either. index receives the joint. */
tn_status tni_joint_coord(tni_builder *b, const tni_item *item, int k, const char *wanted,
                          const char *unit, int *index, tni_scalar *s);
/* Shift s to 0 at the start and count its turns on its own: what a drive or the user makes of the
 * turns of the coordinate must not move a gear. */
tn_status tni_joint_from_start(tni_builder *b, tni_scalar *s);
/* bodies and frames for the reaction: the moving sides of two joints */
void tni_joint_sides(const tni_builder *b, tni_joint *joint, int first, int second);
/* all of it for exactly two joints; unit may be NULL */
tn_status tni_joint_pair(tni_builder *b, const tni_item *item, tni_joint *joint,
                         const char *const wanted[2], const char *const unit[2],
                         tni_scalar s[2]);

#endif
