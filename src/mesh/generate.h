/* mesh/generate.h - meshes without a mesher: bars, plates, boxes, cylinders, shells, trusses, reference geometries
 *
 * A generator is a name, a table of parameters and a function; one line in the list (generate.c). Whoever has values by name
 * (a model file, a test) fills a tni_mesh_params, whose value[i] belongs to generator->param[i], then to the common ones:
 *
 *   const tni_mesh_generator *g = tni_mesh_generator_find("box");
 *   tni_mesh_params p = {.name = "beam", .place = "model.yaml:7"};
 *   int i = tni_mesh_param_find(g, "size");
 *   p.value[i].n = 3; p.value[i].number[0] = 1; ...          n = 0: not given
 *   TN_TRY(tni_mesh_generate(ctx, g, &p, &mesh));            checks counts, ranges, words
 *
 * or tni_mesh_from_text(ctx, "box size=1,0.1,0.1 cells=10,1,1 cell=hex20", &mesh) in tests.
 *
 * Sets: "all" (cells, nodes); sides by name as faces (edges of plane cells) and as nodes: x0, x1, y0, y1, z0, z1, inner, outer,
 * top ...; where two or three flat sides meet, nodes: x0y0, x1y0z1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_GENERATE_H
#define TNI_GENERATE_H

#include "mesh/mesh.h"

typedef enum { TNI_PARAM_NUMBERS, TNI_PARAM_COUNTS, TNI_PARAM_WORD } tni_mesh_param_kind;

typedef struct tni_mesh_param {
  const char *name;
  tni_mesh_param_kind kind;
  int least, most;      /* how many numbers; least 0: none or `most`; -k: none or at least k. Without: `initial` */
  double min, max;      /* allowed range of every number                                        */
  bool above;           /* > min instead of >= min                                              */
  const char *unit;     /* "m", "rad"; NULL: none                                               */
  const char *initial;  /* as text "1, 1"; NULL: none, or worked out by the generator           */
  const char *choices;  /* of words: "hex8|hex20|tet4"                                          */
  const char *doc;      /* one sentence                                                         */
} tni_mesh_param;

enum { TNI_MESH_MAXPARAM = 16, TNI_MESH_MAXVALUE = 30, TNI_WHERE_MAX = 300 };

typedef struct tni_mesh_value {
  int n;                /* numbers given, of a word 1; 0: not given                             */
  double number[TNI_MESH_MAXVALUE];
  const char *word;     /* borrowed                                                             */
} tni_mesh_value;

typedef struct tni_mesh_params {
  const char *name;     /* of the mesh                                                          */
  const char *place;    /* "file:line" for messages; NULL: the generator's name                 */
  tni_mesh_value value[TNI_MESH_MAXPARAM];
} tni_mesh_params;

typedef struct tni_mesh_generator {
  const char *name, *doc;
  const tni_mesh_param *param; /* its own ones, without the common ones                         */
  int nparam;
  const char *sets;     /* names of its sets beside "all", for the reference                    */
  /* adds nodes, cells, sets; values were checked and defaults filled in */
  tn_status (*build)(const struct tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b);
} tni_mesh_generator;

/* all of them, NULL at the end */
extern const tni_mesh_generator *const tni_mesh_generators[];
/* for every generator: origin, distort, seed; their values follow those of the generator */
extern const tni_mesh_param tni_mesh_common_params[];
enum { TNI_MESH_NCOMMON = 3 };

const tni_mesh_generator *tni_mesh_generator_find(const char *name); /* NULL: none */
/* index into value, -1: no such parameter; and its table entry */
int tni_mesh_param_find(const tni_mesh_generator *g, const char *name);
const tni_mesh_param *tni_mesh_param_at(const tni_mesh_generator *g, int i);

/* TN_ERR_INPUT: place, parameter, value, what is allowed */
TN_NODISCARD tn_status tni_mesh_generate(tn_ctx *ctx, const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh **out);
/* "name key=1,2,3 key=word ..." */
TN_NODISCARD tn_status tni_mesh_from_text(tn_ctx *ctx, const char *text, tni_mesh **out);

/* --- for generators --- */

/* a value of the generator's own parameters by name; it must be in the table */
const tni_mesh_value *tni_mesh_value_of(const tni_mesh_generator *g, const tni_mesh_params *p, const char *name);
static inline double tni_mesh_number(const tni_mesh_generator *g, const tni_mesh_params *p, const char *name, int i) {
  return tni_mesh_value_of(g, p, name)->number[i];
}
static inline int tni_mesh_count(const tni_mesh_generator *g, const tni_mesh_params *p, const char *name, int i) {
  return (int)tni_mesh_value_of(g, p, name)->number[i];
}
/* the cell chosen by the parameter "cell" */
tni_cell tni_mesh_cell_chosen(const tni_mesh_generator *g, const tni_mesh_params *p);

/* Nodes that lie in one place are one node, for patches that meet. */
typedef struct tni_weld tni_weld;

/* Block of cells in rows: n cells along each direction, second-order nodes included, cells of any shape that fills it (hexes
 * cut into two wedges or six tets, quads into two triangles). */
typedef struct tni_lattice {
  int dim, n[3];
  bool wrap[3];              /* the last cell meets the first                                   */
  tni_cell cell;
  const char *label;
  void (*place)(const void *user, const double p[3], double x[3]); /* p in cells, 0 .. n        */
  bool (*absent)(const void *user, const int c[3]);                /* NULL: all cells are there */
  const void *user;
  const char *side[6];       /* names of the sides, low and high of each direction; NULL: none  */
  bool corners;              /* nodes where named sides meet become sets too                    */
  int slow[3];               /* directions, slowest first, as cells and nodes are numbered; 0, 0, 0: 2, 1, 0 */
  tni_weld *weld;            /* NULL: this block stands alone                                   */
} tni_lattice;

TN_NODISCARD tn_status tni_lattice_build(const tni_lattice *l, tni_mesh_builder *b);
TN_NODISCARD tn_status tni_weld_create(tni_arena *arena, double extent, tni_weld **out);

/* into "all": every node and cell that there is */
void tni_mesh_add_all(tni_mesh_builder *b);

#endif
