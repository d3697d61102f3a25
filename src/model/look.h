/* model/look.h - what bodies look like: for pictures only, no mechanics
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LOOK_H
#define TNI_LOOK_H

#include "model/spec.h"

typedef enum tni_look_kind {
  TNI_LOOK_BOX,      /* size[3]                                                    */
  TNI_LOOK_CYLINDER, /* size[0] radius, size[1] length along x                     */
  TNI_LOOK_SPHERE,   /* size[0] radius                                             */
  TNI_LOOK_HULL,     /* convex hull of spheres of radius size[0] about the points  */
  TNI_LOOK_MESH      /* triangles                                                  */
} tni_look_kind;

typedef struct tni_triangles {
  int npoint, nface;
  float *point; /* [npoint][3] */
  int *face;    /* [nface][3]  */
} tni_triangles;

typedef struct tni_look {
  tni_look_kind kind;
  double size[3];
  double at[3], R[9];    /* pose in the user's body frame                      */
  const char *color;     /* "#rrggbb" or a name; NULL: that of the body        */
  int npoint;
  double (*point)[3];    /* HULL                                               */
  tni_triangles mesh;    /* MESH, scaled                                       */
} tni_look;

enum { TNI_TRIANGLES_MAX = 500000 };

/* Shapes of the key `look` of an item: one map or a list of them. Absent: *n = 0. Files of meshes
 * are looked for in the folder of the model file. TN_ERR_INPUT with place and reason. */
TN_NODISCARD tn_status tni_look_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, int *n,
                                     tni_look **out);
/* May the text be a colour: #rgb, #rrggbb or a word of letters? */
bool tni_is_color(const char *text);

/* Triangles of an STL (text or binary) or OBJ file, equal points of STL joined. TN_ERR_IO when it
 * cannot be read, TN_ERR_INPUT when it is none; the message has no place in a model file. */
TN_NODISCARD tn_status tni_triangles_read(tn_ctx *ctx, tni_arena *arena, const char *path,
                                          tni_triangles *out);

#endif
