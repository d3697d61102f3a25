/* mesh/quality.h - is a mesh fit for computing: shapes of cells, nodes in one place, loose parts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_QUALITY_H
#define TNI_QUALITY_H

#include "mesh/mesh.h"

enum { TNI_REPORT_LIST = 8 }; /* examples kept of every kind */

/* scaled jacobian: volume spanned by the edges at a corner over the product of their lengths, 1 in a perfect cell, 0 flat,
 * negative turned inside out; the least over corners and integration points */
#define TNI_POOR_JACOBIAN 0.1
#define TNI_POOR_ASPECT 20.0

typedef struct tni_mesh_report {
  int nnode, ncell;
  double length, area, volume;      /* of lines, of plane cells and shells, of solids            */
  int ninverted, npoor;             /* scaled jacobian <= 0; positive but below TNI_POOR_JACOBIAN */
  double least_jacobian;            /* 1 of a mesh without cells                                  */
  int nworst;                       /* worst cells first, those that are inverted or poor         */
  tn_gid worst[TNI_REPORT_LIST];
  double worst_jacobian[TNI_REPORT_LIST];
  int nclockwise;                   /* cells of a plane mesh that run clockwise: shells may, plane cells may not */
  tn_gid clockwise[TNI_REPORT_LIST];
  int nshort;                       /* lines of no length, as springs may have                    */
  tn_gid without_length[TNI_REPORT_LIST];
  int nslender;                     /* longest edge over shortest above TNI_POOR_ASPECT           */
  double largest_aspect;
  tn_gid largest_aspect_cell;
  int ncollapsed;                   /* cells that have a node twice                               */
  tn_gid collapsed[TNI_REPORT_LIST];
  int npart;                        /* parts that share no node                                   */
  int part_cells[TNI_REPORT_LIST];  /* the largest ones                                           */
  tn_gid part_cell[TNI_REPORT_LIST]; /* a cell of each                                            */
  int nduplicate;                   /* nodes in the place of an earlier one                       */
  tn_gid duplicate[TNI_REPORT_LIST][2];
  int nunused;                      /* nodes of no cell                                           */
  tn_gid unused[TNI_REPORT_LIST];
  int nbranching;                   /* faces of more than two solids: cells lie in each other     */
  tn_gid branching[TNI_REPORT_LIST];
} tni_mesh_report;

TN_NODISCARD tn_status tni_mesh_examine(const tni_mesh *m, tni_mesh_report *out);
/* one line per finding, worst first; nothing to find: nothing added */
void tni_mesh_report_text(const tni_mesh_report *r, tni_text *text);

/* Least scaled jacobian of a cell, in plane meshes seen from above (clockwise: negative), 0 of a line of no length; of the mesh,
 * and which cell (-1: none). */
double tni_mesh_cell_jacobian(const tni_mesh *m, int cell);
double tni_mesh_worst_jacobian(const tni_mesh *m, int *cell);

#endif
