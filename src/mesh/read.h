/* mesh/read.h - meshes from files
 *
 *   .msh         Gmsh 2.2 and 4.1, text and binary (msh.c)
 *   .inp         Abaqus and CalculiX decks (inp.c)
 *
 * Messages of one line: file:line (of binary data file: byte), what, value, what is allowed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MESH_READ_H
#define TNI_MESH_READ_H

#include "mesh/mesh.h"

typedef struct tni_read_options {
  /* Groups whose cells stay cells although they coincide with faces or edges of others: shells that cover a solid, beams
   * along the edge of a shell. */
  const char *const *keep;
  int nkeep;
} tni_read_options;

/* by the ending of the name; options may be NULL. TN_ERR_IO, TN_ERR_INPUT, TN_ERR_MEMORY */
TN_NODISCARD tn_status tni_mesh_read(tn_ctx *ctx, const char *name, const char *path, const tni_read_options *options, tni_mesh **out);

/* text of n bytes and a final zero; source: the name for messages */
TN_NODISCARD tn_status tni_msh_parse(tn_ctx *ctx, const char *name, const char *source, const char *text, size_t n,
                                     const tni_read_options *options, tni_mesh **out);

#endif
