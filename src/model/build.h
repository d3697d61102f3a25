/* model/build.h - what a joint or force type may use while the spec is compiled into a model
 *
 * One builder lives during compile. A joint file describes itself by a tni_joint_type and, when an
 * item of its type is met, adds rows and coordinates through the functions below; a force file
 * likewise adds one tni_force. References (bodies, points, joints) are resolved here, so that the
 * messages are the same everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BUILD_H
#define TNI_BUILD_H

#include "model/model.h"

typedef struct tni_builder {
  tn_ctx *ctx;
  tni_arena *arena; /* of the model                                       */
  tni_arena *hot;   /* of the model, for what every evaluation touches; NULL: arena */
  const tn_spec *spec;
  tn_model *model;
  int joint_cap, con_cap, force_cap, sensor_cap, memory_cap, beam_cap, mesh_cap, timed_cap;
  int mesh_depth; /* meshes that join meshes: how deep */
  struct tni_names *names; /* bodies and joints by name, made when first needed */
  void *structures; /* what solids/structure_build.c has begun */
} tni_builder;

typedef struct tni_joint_type {
  tni_type type; /* name, summary, own keys */
  /* bodies and frames of the joint are already set when the item has `bodies:`; add the rows */
  tn_status (*build)(tni_builder *b, const tni_item *item, tni_joint *joint);
} tni_joint_type;

typedef struct tni_force_type {
  tni_type type;
  tn_status (*build)(tni_builder *b, const tni_item *item);
} tni_force_type;

/* A mass with moments of inertia J about the axes of a frame of a body becomes part of it: its centre of mass moves, and
 * what refers to it (markers, frames of beams) stays where it is. Before joints and forces are built. */
void tni_build_add_mass(tni_builder *b, int body, const tni_frame *at, double mass, const double J[3]);

/* ---- references --------------------------------------------------------------------------- */

/* Index of a body by name, TNI_GROUND for "ground"; unknown: message with the nearest name. */
tn_status tni_build_body(tni_builder *b, const tni_item *item, const char *key, const char *name,
                         int *body);
tn_status tni_build_joint_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *name, int *joint);
tn_status tni_build_force_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *name, int *force);
/* Why something that the user has written is not one force by this name: "" when it is nothing at all. */
void tni_build_no_force(tni_builder *b, const char *name, char *why, size_t n);
/* A point as the user wrote it, as body and body-fixed position. Texts name a marker: "rod.tip",
 * or "tip" on default_body, or a body ("rod": its frame origin); coordinates are in the user's
 * frame of default_body when local, else in the ground at the initial position. */
tn_status tni_build_point(tni_builder *b, const tni_item *item, const char *key,
                          const tni_value *value, int default_body, bool local, int *body,
                          double s[3]);
/* the same for a name in an expression: "rod.tip" */
tn_status tni_build_point_name(tni_builder *b, const char *name, int *body, double s[3], char *why,
                               size_t nwhy);
/* initial pose of a body, and a ground point or direction taken into its frame */
void tni_build_pose(const tni_builder *b, int body, tni_kin *kin);
void tni_build_to_body(const tni_builder *b, int body, const double p_G[3], double s_B[3]);
void tni_build_direction_to_body(const tni_builder *b, int body, const double a_G[3],
                                 double a_B[3]);

/* Function of t and measures from a key of kind EXPR (measures: angle(joint), rate(joint),
 * distance(p, q), x(p), vx(p), wx(body) ...; see measures.c). NULL value gives the constant
 * fallback. */
tn_status tni_build_function(tni_builder *b, const tni_item *item, const char *key,
                             const tni_value *value, double fallback, tni_function *out);
/* Function of t alone, with the first two derivatives; refuses measures. */
typedef struct tni_timefn {
  const tni_expr *f, *f_t, *f_tt;
} tni_timefn;
tn_status tni_build_timefn(tni_builder *b, const tni_item *item, const char *key,
                           const tni_value *value, tni_timefn *out);
/* The same for a path over a place that the language calls t: no steps end where it bends. */
tn_status tni_build_slope(tni_builder *b, const tni_item *item, const char *key, const tni_value *value, tni_timefn *out);

/* New slot of discrete memory with an initial value. */
tn_status tni_build_memory(tni_builder *b, double initial, int *slot);
/* n slots that follow each other, 0 at the start */
tn_status tni_build_memory_block(tni_builder *b, int n, int *slot);
/* The same for impulses, TNI_IMPULSE_NMEMORY slots, 0 at the start. */
tn_status tni_build_impulse(tni_builder *b, int *slot);

/* ---- joints ------------------------------------------------------------------------------- */

/* rows are collected, then closed into one constraint block */
enum { TNI_MAXROW = 6, TNI_MAXTERM = 8 };

typedef struct tni_rowset {
  int nrow;
  bool point; /* rows 0..2 are the coincidence of s[0] on body 0 and s[1] on body 1 */
  double s[2][3];
  const char *name[TNI_MAXROW], *unit[TNI_MAXROW];
  /* row = sum over its terms of factor * scalar - motion(t) */
  struct {
    int nterm;
    double factor[TNI_MAXTERM];
    tni_scalar scalar[TNI_MAXTERM];
    tni_timefn motion; /* f NULL: none */
  } row[TNI_MAXROW];
} tni_rowset;

/* The origins of the frames coincide: 3 rows "x", "y", "z" in ground axes; to be added first. */
void tni_rows_point(tni_rowset *rows, const tni_joint *joint);
/* axis of frame 0 (0, 1, 2 = x, y, z) normal to axis of frame 1 */
void tni_rows_normal(tni_rowset *rows, const tni_joint *joint, int axis0, int axis1,
                     const char *name);
/* origin of frame 1 stays in the plane through the origin of frame 0 normal to axis0 */
void tni_rows_inplane(tni_rowset *rows, const tni_joint *joint, int axis0, const char *name);
/* any scalar function */
void tni_rows_scalar(tni_rowset *rows, const tni_scalar *s, const char *name, const char *unit);
/* Close the rows into a constraint block of the joint. */
tn_status tni_rows_close(tni_builder *b, tni_joint *joint, const tni_rowset *rows);
/* Add a constraint block with its own operations (curve, rolling ...). */
tn_status tni_build_con(tni_builder *b, tni_joint *joint, const tni_con *con);

/* measurable coordinates of a joint */
tn_status tni_coord_angle(tni_builder *b, tni_joint *joint, const char *name);
tn_status tni_coord_along(tni_builder *b, tni_joint *joint, int axis0, const char *name);
tn_status tni_coord_scalar(tni_builder *b, tni_joint *joint, const tni_scalar *s, const char *name,
                           const char *unit);
/* coordinate of another joint, for gears, couplers and drives; name NULL: its only or first one */
tn_status tni_build_coord_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *joint, const char *name, const tni_coord **out);

/* ---- forces ------------------------------------------------------------------------------- */

/* Add a force; name, type and item are set from the item. The force is copied. */
tn_status tni_build_force(tni_builder *b, const tni_item *item, const tni_force *force);
/* Append body to the distinct moving bodies of a list; returns its position, -1 for ground, -2 if
 * the list is full. */
int tni_body_slot(int body, int *nbody, int list[TNI_MAXBODY]);

#endif
