/* mesh/msh.c - Gmsh files, versions 2.2 and 4.1, text and binary, both byte orders
 *
 * Elements are first kept as the file has them. Then cells of the highest dimension become cells of the mesh (an element that
 * version 2.2 repeats for every physical group becomes one). Of lower ones, those that coincide with a face (edge) of a cell
 * become a member of the set of faces of their group, those that coincide with an edge of a solid only lend it their nodes, and
 * the others are cells: shells, beams. Where two cells share the face, that one is taken whose outward normal the element has.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "mesh/read.h"
#include "mesh/scan.h"

typedef struct {
  int dim, tag;
  const char *name;
} physical;

/* the physical groups of an entity */
typedef struct {
  int n;
  int *group; /* [n] into physical */
} belongs;

typedef struct {
  tn_gid gid;
  size_t node;    /* first in reader.node                      */
  int belongs;    /* 0: none                                   */
  tni_cell cell;
} element;

typedef struct {
  tn_ctx *ctx;
  tni_arena work;
  tni_scan s;
  const tni_read_options *options;
  const char *name;
  bool binary, swap;
  bool warned;           /* of nodes that are left out          */
  int version;           /* 22 or 41                            */
  int word;              /* bytes of a size in 4.1              */
  int nphysical, physicalcap;
  physical *physical;
  int nbelongs, belongscap;
  belongs *belongs;      /* [0] none                            */
  int nentity[4];
  tn_gid *entity[4];     /* tags of entities, 4.1               */
  int *entity_belongs[4];
  tni_gid_map *entity_map[4];
  int nnode;
  tn_gid *node_gid;
  double *x;
  tni_gid_map *node_map;
  int nelement, elementcap;
  element *element;
  size_t nnodes, nodescap;
  int *node;             /* of all elements                     */
} reader;

/* --- types of Gmsh --- */

/* their place k is our place permute[k] */
static const signed char permute_tet10[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const signed char permute_hex20[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14};
static const signed char permute_wedge15[15] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10};

static const signed char *permutation(tni_cell c) {
  switch (c) {
    case TNI_CELL_TET10: return permute_tet10;
    case TNI_CELL_HEX20: return permute_hex20;
    case TNI_CELL_WEDGE15: return permute_wedge15;
    default: return NULL;
  }
}

static const char *type_name(int64_t type) {
  switch (type) {
    case 7: return "a pyramid of 5 nodes";
    case 14: return "a pyramid of 14 nodes";
    case 19: return "a pyramid of 13 nodes";
    case 20: case 21: case 26: case 29: return "of third order";
    default: return "unknown";
  }
}

/* Elements of second order with nodes inside faces and cells begin with the nodes of those without: the rest is left out. */
static int cell_of_type(int64_t type, int *surplus) {
  *surplus = type == 10 ? 1 : type == 12 ? 7 : type == 13 ? 3 : 0;
  if (*surplus) return type == 10 ? TNI_CELL_QUAD8 : type == 12 ? TNI_CELL_HEX20 : TNI_CELL_WEDGE15;
  for (int c = 0; c < TNI_NCELL; c++)
    if (tni_cell_shapes[c].gmsh == type) return c;
  return -1;
}

/* --- binary --- */

static tn_status cut_short(reader *r, const char *what) {
  return TN_FAIL(r->ctx, TN_ERR_INPUT, "%s: byte %lld: the file ends within %s", r->s.source, (long long)(r->s.at - r->s.begin), what);
}

static void take(reader *r, void *out, size_t n) {
  memcpy(out, r->s.at, n);
  r->s.at += n;
  unsigned char *c = out;
  for (size_t i = 0; r->swap && i < n/2; i++) {
    unsigned char t = c[i];
    c[i] = c[n-1-i];
    c[n-1-i] = t;
  }
}

static bool left(const reader *r, size_t n) { return (size_t)(r->s.end - r->s.at) >= n; }

/* a number of 4 bytes, in 4.1 also one of r->word; text: the next of the line */
static tn_status get_integer(reader *r, bool wide, const char *what, int64_t *out) {
  char word[40];
  if (!r->binary) {
    if (tni_scan_integer(&r->s, out)) return TN_OK;
    return tni_scan_fail(&r->s, NULL, "%s is missing, found %s", what, tni_scan_word(&r->s, word));
  }
  size_t n = wide ? (size_t)r->word : 4;
  if (!left(r, n)) return cut_short(r, what);
  if (n == 8) {
    take(r, out, 8);
  } else {
    int32_t v;
    take(r, &v, 4);
    *out = v;
  }
  return TN_OK;
}

static tn_status get_number(reader *r, const char *what, double *out) {
  char word[40];
  if (!r->binary) {
    if (tni_scan_number(&r->s, out)) return TN_OK;
    return tni_scan_fail(&r->s, NULL, "%s is missing, found %s", what, tni_scan_word(&r->s, word));
  }
  if (!left(r, 8)) return cut_short(r, what);
  take(r, out, 8);
  return TN_OK;
}

/* where messages point to */
static tn_status wrong(reader *r, const char *fmt, ...) TN_PRINTF(2, 3);
static tn_status wrong(reader *r, const char *fmt, ...) {
  char what[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof(what), fmt, ap);
  va_end(ap);
  if (!r->binary) return tni_scan_fail(&r->s, NULL, "%s", what);
  return TN_FAIL(r->ctx, TN_ERR_INPUT, "%s: byte %lld: %s", r->s.source, (long long)(r->s.at - r->s.begin), what);
}

static tn_status end_row(reader *r, const char *what) {
  char word[40];
  if (r->binary || tni_scan_end_of_line(&r->s)) return TN_OK;
  return tni_scan_fail(&r->s, NULL, "%s has more than it should: %s", what, tni_scan_word(&r->s, word));
}

/* A count that the rest of the file can hold at all, if each takes least bytes. The first line of a section is text in 2.2. */
static tn_status get_count(reader *r, const char *what, size_t least, int *out) {
  int64_t n;
  TN_TRY(get_integer(r, true, what, &n));
  if (n < 0 || n > INT_MAX/TNI_CELL_MAXNODE || (uint64_t)n > (uint64_t)(r->s.end - r->s.at)/least + 1)
    return wrong(r, "%s: %lld, the rest of the file holds at most %lld", what, (long long)n,
                 (long long)((size_t)(r->s.end - r->s.at)/least));
  *out = (int)n;
  return TN_OK;
}

/* --- sections --- */

static tn_status read_format(reader *r) {
  double version;
  int64_t type, size;
  char word[40];
  if (!tni_scan_number(&r->s, &version) || !tni_scan_integer(&r->s, &type) || !tni_scan_integer(&r->s, &size))
    return tni_scan_fail(&r->s, NULL, "$MeshFormat needs version, type and size, found %s", tni_scan_word(&r->s, word));
  r->version = version >= 2 && version < 3 ? 22 : version == 4.1 ? 41 : 0;
  if (!r->version)
    return tni_scan_fail(&r->s, NULL, "version %g of the format is unknown, known: 2.2 and 4.1 (gmsh -format msh41)", version);
  if (type != 0 && type != 1) return tni_scan_fail(&r->s, NULL, "file type %lld, must be 0 (text) or 1 (binary)", (long long)type);
  if (size != 8 && !(size == 4 && r->version == 41))
    return tni_scan_fail(&r->s, NULL, "data size %lld, must be 8", (long long)size);
  r->word = (int)size;
  if (!tni_scan_end_of_line(&r->s)) return end_row(r, "$MeshFormat");
  if (type == 0) return TN_OK;
  r->binary = true;
  int32_t one;
  if (!left(r, 4)) return cut_short(r, "$MeshFormat");
  take(r, &one, 4);
  r->swap = one != 1;
  if (one != 1 && one != 0x01000000) return wrong(r, "the number 1 that tells the byte order reads as %ld", (long)one);
  return TN_OK;
}

static int find_physical(const reader *r, int dim, int tag) {
  for (int i = 0; i < r->nphysical; i++)
    if (r->physical[i].dim == dim && r->physical[i].tag == tag) return i;
  return -1;
}

/* the group, with a name of its own if the file gives none; -1: out of memory */
static int need_physical(reader *r, int dim, int tag, const char *name) {
  static const char *const kind[4] = {"point", "curve", "surface", "volume"};
  int at = find_physical(r, dim, tag);
  if (at >= 0) return at;
  if (!tni_arena_grow(&r->work, (void **)&r->physical, r->nphysical, &r->physicalcap, sizeof(physical))) return -1;
  if (!name) name = tni_arena_printf(&r->work, "%s_%d", kind[dim], tag);
  if (!name) return -1;
  r->physical[r->nphysical] = (physical){dim, tag, name};
  return r->nphysical++;
}

enum { NAMES_MAX = 20000 };

static tn_status read_names(reader *r) { /* text in all versions */
  int64_t n, dim, tag;
  char word[40];
  if (!tni_scan_integer(&r->s, &n) || !tni_scan_end_of_line(&r->s) || n < 0 || n > NAMES_MAX)
    return tni_scan_fail(&r->s, NULL, "number of physical names, found %s", tni_scan_word(&r->s, word));
  for (int64_t i = 0; i < n; i++) {
    if (!tni_scan_integer(&r->s, &dim) || !tni_scan_integer(&r->s, &tag) || dim < 0 || dim > 3 || tag < INT_MIN || tag > INT_MAX)
      return tni_scan_fail(&r->s, NULL, "a physical name needs dimension (0 to 3), number and name, found %s",
                           tni_scan_word(&r->s, word));
    const char *end = memchr(r->s.at, '\n', (size_t)(r->s.end - r->s.at));
    if (!end) end = r->s.end;
    const char *from = memchr(r->s.at, '"', (size_t)(end - r->s.at)), *to = NULL;
    if (from) to = memchr(from + 1, '"', (size_t)(end - from - 1));
    if (!to || to == from + 1 || to - from > 200) return tni_scan_fail(&r->s, NULL, "the physical name must stand in quotes");
    char *name = tni_arena_alloc(&r->work, (size_t)(to - from), 1);
    if (!name) return tni_out_of_memory(r->ctx);
    memcpy(name, from + 1, (size_t)(to - from - 1));
    tni_text_to_line(name);
    if (need_physical(r, (int)dim, (int)tag, name) < 0) return tni_out_of_memory(r->ctx);
    r->s.at = to + 1;
    if (!tni_scan_end_of_line(&r->s)) return end_row(r, "the physical name");
  }
  return TN_OK;
}

/* a list of physical tags becomes a number; 0: none */
static tn_status note_belongs(reader *r, int dim, int n, const int64_t *tag, int *out) {
  *out = 0;
  if (n == 0) return TN_OK;
  if (!tni_arena_grow(&r->work, (void **)&r->belongs, r->nbelongs, &r->belongscap, sizeof(belongs))) return tni_out_of_memory(r->ctx);
  belongs *b = &r->belongs[r->nbelongs];
  b->n = 0;
  TNI_ARENA_NEW(&r->work, b->group, n);
  for (int i = 0; i < n; i++) {
    int64_t t = tag[i] < 0 ? -tag[i] : tag[i]; /* negative: the orientation of the entity is turned */
    if (t > INT_MAX) return wrong(r, "physical group %lld, at most %d", (long long)t, INT_MAX);
    if (t == 0) continue;
    int at = need_physical(r, dim, (int)t, NULL);
    if (at < 0) return tni_out_of_memory(r->ctx);
    b->group[b->n++] = at;
  }
  *out = r->nbelongs++;
  return TN_OK;
}

enum { GROUPS_MAX = 1000 }; /* physical groups of one entity */

static tn_status read_entities(reader *r) {
  int count[4] = {0}, twice;
  for (int d = 0; d < 4; d++) TN_TRY(get_count(r, "number of entities", 8, &count[d]));
  TN_TRY(end_row(r, "$Entities"));
  for (int d = 0; d < 4; d++) {
    r->nentity[d] = count[d];
    TNI_ARENA_NEW(&r->work, r->entity[d], count[d]);
    TNI_ARENA_NEW(&r->work, r->entity_belongs[d], count[d]);
    for (int i = 0; i < count[d]; i++) {
      int64_t tag, n, bound, group[GROUPS_MAX];
      double x;
      TN_TRY(get_integer(r, false, "number of an entity", &tag));
      for (int k = 0; k < (d == 0 ? 3 : 6); k++) TN_TRY(get_number(r, "place of an entity", &x));
      TN_TRY(get_integer(r, true, "number of physical groups", &n));
      if (n < 0 || n > GROUPS_MAX) return wrong(r, "number of physical groups: %lld, at most %d", (long long)n, GROUPS_MAX);
      for (int64_t k = 0; k < n; k++) TN_TRY(get_integer(r, false, "physical group", &group[k]));
      if (d > 0) {
        TN_TRY(get_integer(r, true, "number of boundaries", &bound));
        if (bound < 0 || bound > r->s.end - r->s.at) return wrong(r, "number of boundaries: %lld", (long long)bound);
        for (int64_t k = 0, ignored; k < bound; k++) TN_TRY(get_integer(r, false, "boundary", &ignored));
      }
      TN_TRY(end_row(r, "the entity"));
      r->entity[d][i] = tag;
      TN_TRY(note_belongs(r, d, (int)n, group, &r->entity_belongs[d][i]));
    }
    TN_TRY(tni_gid_map_create(&r->work, r->entity[d], count[d], &r->entity_map[d], &twice));
  }
  return TN_OK;
}

static tn_status room_for_nodes(reader *r, int n) {
  TNI_ARENA_NEW(&r->work, r->node_gid, n);
  TNI_ARENA_NEW(&r->work, r->x, 3*(size_t)n);
  return TN_OK;
}

static tn_status finish_nodes(reader *r) {
  int twice;
  TN_TRY(tni_gid_map_create(&r->work, r->node_gid, r->nnode, &r->node_map, &twice));
  if (twice >= 0) return wrong(r, "node %lld is given twice", (long long)r->node_gid[twice]);
  return TN_OK;
}

static tn_status add_node(reader *r, int64_t gid) {
  if (gid < 1) return wrong(r, "number of a node: %lld, must be at least 1", (long long)gid);
  double *x = r->x + 3*(size_t)r->nnode;
  for (int k = 0; k < 3; k++) {
    TN_TRY(get_number(r, "place of a node", &x[k]));
    if (!isfinite(x[k])) return wrong(r, "node %lld: %c = %g, must be a finite number", (long long)gid, "xyz"[k], x[k]);
  }
  r->node_gid[r->nnode++] = gid;
  return TN_OK;
}

static tn_status read_nodes22(reader *r) {
  int n;
  bool binary = r->binary;
  r->binary = false; /* the count is text in both */
  tn_status st = get_count(r, "number of nodes", 7, &n);
  if (st == TN_OK) st = end_row(r, "$Nodes");
  r->binary = binary;
  TN_TRY(st);
  TN_TRY(room_for_nodes(r, n));
  for (int i = 0; i < n; i++) {
    int64_t gid;
    TN_TRY(get_integer(r, false, "number of a node", &gid));
    TN_TRY(add_node(r, gid));
    TN_TRY(end_row(r, "the node"));
  }
  return finish_nodes(r);
}

static tn_status read_nodes41(reader *r) {
  int nblock = 0, n = 0;
  int64_t least, most;
  TN_TRY(get_count(r, "number of blocks", 8, &nblock));
  TN_TRY(get_count(r, "number of nodes", 7, &n));
  TN_TRY(get_integer(r, true, "least number of a node", &least));
  TN_TRY(get_integer(r, true, "largest number of a node", &most));
  TN_TRY(end_row(r, "$Nodes"));
  TN_TRY(room_for_nodes(r, n));
  for (int b = 0; b < nblock; b++) {
    int64_t dim, tag, parametric;
    int count;
    TN_TRY(get_integer(r, false, "dimension of a block", &dim));
    TN_TRY(get_integer(r, false, "entity of a block", &tag));
    TN_TRY(get_integer(r, false, "parametric or not", &parametric));
    TN_TRY(get_count(r, "number of nodes", 7, &count));
    if (count > n - r->nnode) return wrong(r, "more nodes than the %d that $Nodes announces", n);
    if (dim < 0 || dim > 3 || parametric < 0 || parametric > 1)
      return wrong(r, "block of nodes of dimension %lld, parametric %lld, must be 0 to 3 and 0 or 1", (long long)dim, (long long)parametric);
    TN_TRY(end_row(r, "the block of nodes"));
    int64_t *gid = tni_alloc(r->ctx, (size_t)count, sizeof(*gid));
    if (!gid) return tni_out_of_memory(r->ctx);
    tn_status st = TN_OK;
    for (int i = 0; st == TN_OK && i < count; i++) {
      st = get_integer(r, true, "number of a node", &gid[i]);
      if (st == TN_OK) st = end_row(r, "the number of a node");
    }
    for (int i = 0; st == TN_OK && i < count; i++) {
      double u;
      st = add_node(r, gid[i]);
      for (int64_t k = 0; st == TN_OK && parametric && k < dim; k++) st = get_number(r, "parameter of a node", &u);
      if (st == TN_OK) st = end_row(r, "the node");
    }
    tni_free(r->ctx, gid);
    TN_TRY(st);
  }
  if (r->nnode != n) return wrong(r, "%d nodes, $Nodes announces %d", r->nnode, n);
  return finish_nodes(r);
}

/* room for n more elements of a shape, once: the count was held against the size of the file */
static tn_status room_for_elements(reader *r, int n, int nnode) {
  if (n > INT_MAX/TNI_CELL_MAXNODE - r->nelement) return wrong(r, "too many elements");
  if (r->nelement + n > r->elementcap) {
    int cap = r->nelement + n > 2*r->elementcap ? r->nelement + n : 2*r->elementcap;
    element *larger = tni_arena_alloc(&r->work, (size_t)cap, sizeof(element));
    if (!larger) return tni_out_of_memory(r->ctx);
    if (r->nelement) memcpy(larger, r->element, (size_t)r->nelement*sizeof(element));
    r->element = larger;
    r->elementcap = cap;
  }
  size_t need = r->nnodes + (size_t)n*(size_t)nnode;
  if (need > r->nodescap) {
    size_t cap = need > 2*r->nodescap ? need : 2*r->nodescap;
    int *larger = tni_arena_alloc(&r->work, cap, sizeof(int));
    if (!larger) return tni_out_of_memory(r->ctx);
    if (r->nnodes) memcpy(larger, r->node, r->nnodes*sizeof(int));
    r->node = larger;
    r->nodescap = cap;
  }
  return TN_OK;
}

/* nodes of one element, whose room is there; surplus ones must be there too */
static tn_status add_element(reader *r, tni_cell cell, int surplus, int64_t gid, int belong) {
  const tni_cell_shape *s = tni_cell_of(cell);
  const signed char *p = permutation(cell);
  if (gid < 1) return wrong(r, "number of an element: %lld, must be at least 1", (long long)gid);
  int *node = r->node + r->nnodes;
  for (int a = 0; a < s->nnode + surplus; a++) {
    int64_t n;
    TN_TRY(get_integer(r, true, "node of an element", &n));
    int at = r->node_map ? tni_gid_map_find(r->node_map, n) : -1;
    if (at < 0) return wrong(r, "element %lld has node %lld, which is not in $Nodes", (long long)gid, (long long)n);
    if (a < s->nnode) node[p ? p[a] : a] = at;
  }
  r->element[r->nelement++] = (element){gid, r->nnodes, belong, cell};
  r->nnodes += (size_t)s->nnode;
  return TN_OK;
}

static tn_status known_type(reader *r, int64_t type, int64_t gid, int *cell, int *surplus) {
  *cell = cell_of_type(type, surplus);
  if (*surplus && !r->warned)
    tni_log(r->ctx, TN_LOG_WARNING, "%s: nodes inside faces and cells of second order are left out (Mesh.SecondOrderIncomplete = 1 saves none)",
            r->s.source);
  r->warned = r->warned || *surplus;
  if (*cell >= 0) return TN_OK;
  char which[40] = "an element";
  if (gid > 0) snprintf(which, sizeof(which), "element %lld", (long long)gid);
  return wrong(r, "%s is of type %lld, %s; known: lines, triangles, quadrilaterals, tetrahedra, wedges, hexahedra "
               "of first and second order", which, (long long)type, type_name(type));
}

enum { TAGS_MAX = 1000 };

/* what belongs to a single tag: looked up in the latest first */
static tn_status single(reader *r, int dim, int64_t tag, int *last_tag, int *last, int *out) {
  if (last[dim] && last_tag[dim] == tag) {
    *out = last[dim];
    return TN_OK;
  }
  if (tag == 0) {
    *out = 0;
    return TN_OK;
  }
  int64_t t = tag < 0 ? -tag : tag;
  *out = 0;
  for (int i = 1; i < r->nbelongs && !*out; i++) {
    const physical *p = r->belongs[i].n == 1 ? &r->physical[r->belongs[i].group[0]] : NULL;
    if (p && p->dim == dim && p->tag == t) *out = i;
  }
  if (!*out) TN_TRY(note_belongs(r, dim, 1, &t, out));
  last[dim] = *out;
  last_tag[dim] = (int)tag;
  return TN_OK;
}

static tn_status read_elements22(reader *r) {
  int n, last_tag[4] = {0}, last[4] = {0}, cell, surplus;
  bool binary = r->binary;
  r->binary = false;
  tn_status st = get_count(r, "number of elements", 7, &n);
  if (st == TN_OK) st = end_row(r, "$Elements");
  r->binary = binary;
  TN_TRY(st);
  r->word = 4; /* all numbers of binary 2.2 */
  for (int i = 0; i < n;) {
    int64_t gid = 0, type, follow = 1, ntag, tag, physical_tag = 0;
    if (!binary) TN_TRY(get_integer(r, false, "number of an element", &gid));
    TN_TRY(get_integer(r, false, "type of an element", &type));
    if (binary) TN_TRY(get_integer(r, false, "number of elements that follow", &follow));
    TN_TRY(get_integer(r, false, "number of tags", &ntag));
    TN_TRY(known_type(r, type, gid, &cell, &surplus));
    const tni_cell_shape *s = tni_cell_of((tni_cell)cell);
    if (follow < 1 || follow > n - i) return wrong(r, "%lld elements follow, at most %d are left", (long long)follow, n - i);
    if (ntag < 0 || ntag > TAGS_MAX) return wrong(r, "number of tags: %lld, must be 0 to %d", (long long)ntag, TAGS_MAX);
    if (binary && !left(r, (size_t)follow*4)) return cut_short(r, "the elements");
    TN_TRY(room_for_elements(r, (int)follow, s->nnode));
    for (int64_t k = 0; k < follow; k++, i++) {
      int belong = 0;
      if (binary) TN_TRY(get_integer(r, false, "number of an element", &gid));
      for (int64_t t = 0; t < ntag; t++) {
        TN_TRY(get_integer(r, false, "tag of an element", &tag));
        if (t == 0) physical_tag = tag;
      }
      if (ntag > 0 && (physical_tag > INT_MAX || physical_tag < -INT_MAX)) return wrong(r, "physical group %lld", (long long)physical_tag);
      if (ntag > 0) TN_TRY(single(r, s->dim, physical_tag, last_tag, last, &belong));
      TN_TRY(add_element(r, (tni_cell)cell, surplus, gid, belong));
      TN_TRY(end_row(r, "the element"));
    }
  }
  return TN_OK;
}

static tn_status read_elements41(reader *r) {
  int nblock = 0, n = 0, cell, surplus;
  int64_t least, most;
  TN_TRY(get_count(r, "number of blocks", 8, &nblock));
  TN_TRY(get_count(r, "number of elements", 3, &n));
  TN_TRY(get_integer(r, true, "least number of an element", &least));
  TN_TRY(get_integer(r, true, "largest number of an element", &most));
  TN_TRY(end_row(r, "$Elements"));
  int total = 0;
  for (int b = 0; b < nblock; b++) {
    int64_t dim, tag, type, gid;
    int count;
    TN_TRY(get_integer(r, false, "dimension of a block", &dim));
    TN_TRY(get_integer(r, false, "entity of a block", &tag));
    TN_TRY(get_integer(r, false, "type of the elements", &type));
    TN_TRY(get_count(r, "number of elements", 3, &count));
    TN_TRY(known_type(r, type, 0, &cell, &surplus));
    const tni_cell_shape *s = tni_cell_of((tni_cell)cell);
    if (count > n - total) return wrong(r, "more elements than the %d that $Elements announces", n);
    if (dim != s->dim) return wrong(r, "elements of dimension %d on an entity of dimension %lld", s->dim, (long long)dim);
    TN_TRY(end_row(r, "the block of elements"));
    total += count;
    int at = r->entity_map[dim] ? tni_gid_map_find(r->entity_map[dim], tag) : -1, belong = at >= 0 ? r->entity_belongs[dim][at] : 0;
    TN_TRY(room_for_elements(r, count, s->nnode));
    for (int i = 0; i < count; i++) {
      TN_TRY(get_integer(r, true, "number of an element", &gid));
      TN_TRY(add_element(r, (tni_cell)cell, surplus, gid, belong));
      TN_TRY(end_row(r, "the element"));
    }
  }
  if (total != n) return wrong(r, "%d elements, $Elements announces %d", total, n);
  return TN_OK;
}

/* the end of a section: $EndName on a line of its own, in binary data perhaps without an end of line before it */
static bool at_word(const tni_scan *s, const char *at, const char *prefix, const char *word) {
  size_t n = strlen(prefix), m = strlen(word);
  return (size_t)(s->end - at) >= n + m && memcmp(at, prefix, n) == 0 && memcmp(at + n, word, m) == 0;
}

static tn_status end_section(reader *r, const char *name) {
  char word[40];
  while (r->s.at < r->s.end && (*r->s.at == '\n' || *r->s.at == '\r' || *r->s.at == ' ' || *r->s.at == '\t')) r->s.at++;
  if (!at_word(&r->s, r->s.at, "$End", name))
    return wrong(r, "$End%s is missing, found %s", name, tni_scan_word(&r->s, word));
  r->s.at += 4 + strlen(name);
  return TN_OK;
}

static tn_status skip_section(reader *r, const char *name, const char *begin) {
  for (const char *c = r->s.at; c < r->s.end; c++) {
    c = memchr(c, '$', (size_t)(r->s.end - c));
    if (!c) break;
    if (at_word(&r->s, c, "$End", name)) {
      r->s.at = c + 4 + strlen(name);
      return TN_OK;
    }
  }
  return tni_scan_fail(&r->s, begin, "$%s has no $End%s", name, name);
}

static tn_status refuse_partitions(reader *r) {
  return tni_scan_fail(&r->s, r->s.at - 1, "the mesh is partitioned, its groups would be lost; save it without PartitionMesh");
}

typedef struct {
  const char *name;
  tn_status (*read22)(reader *r), (*read41)(reader *r);
  bool once;
} section;

static tn_status read_sections(reader *r) {
  static const section known[] = {{"MeshFormat", read_format, read_format, true}, {"PhysicalNames", read_names, read_names, true},
                                  {"Entities", NULL, read_entities, true}, {"Nodes", read_nodes22, read_nodes41, true},
                                  {"Elements", read_elements22, read_elements41, true},
                                  {"PartitionedEntities", NULL, refuse_partitions, true}};
  bool seen[TNI_COUNT(known)] = {false};
  tni_scan *s = &r->s;
  while (true) {
    while (s->at < s->end && (*s->at == '\n' || *s->at == '\r' || *s->at == ' ' || *s->at == '\t')) s->at++;
    if (s->at >= s->end) break;
    char name[64], word[40];
    const char *begin = s->at;
    size_t n = 0;
    if (*s->at != '$') {
      if (!seen[0]) return tni_scan_fail(s, NULL, "this is not a file of Gmsh: it must begin with $MeshFormat, found %s", tni_scan_word(s, word));
      return wrong(r, "a section must begin here with $, found %s", tni_scan_word(s, word));
    }
    for (s->at++; s->at < s->end && n < sizeof(name) - 1 && *s->at > ' ' && *s->at < 127; s->at++) name[n++] = *s->at;
    name[n] = 0;
    if (n == 0 || strncmp(name, "End", 3) == 0) return tni_scan_fail(s, begin, "$%s has no beginning", name);
    if (!tni_scan_end_of_line(s)) return tni_scan_fail(s, begin, "$%s must stand alone in its line", name);
    int k = 0;
    while (k < TNI_COUNT(known) && strcmp(known[k].name, name) != 0) k++;
    if (k > 0 && !seen[0]) return tni_scan_fail(s, begin, "this is not a file of Gmsh: $MeshFormat must come before $%s", name);
    tn_status (*read)(reader *) = k == TNI_COUNT(known) ? NULL : r->version == 41 ? known[k].read41 : known[k].read22;
    if (!read) {
      TN_TRY(skip_section(r, name, begin));
      continue;
    }
    if (seen[k]) return tni_scan_fail(s, begin, "$%s is given twice", name);
    seen[k] = true;
    TN_TRY(read(r));
    TN_TRY(end_section(r, name));
  }
  if (!seen[0]) return tni_scan_fail(s, NULL, "this is not a file of Gmsh: it must begin with $MeshFormat");
  if (!seen[3] || !seen[4]) return tni_scan_fail(s, NULL, "the file has no $%s", seen[3] ? "Elements" : "Nodes");
  return TN_OK;
}

/* --- from elements to cells and sets --- */

typedef struct {
  reader *r;
  int top;             /* highest dimension                                        */
  int *ticket;         /* [nelement] cell of the mesh, -1: it became faces or nodes */
  int *head, *next;    /* chains of elements at their smallest corner, number + 1   */
  int (*match)[2];     /* [nelement] ticket of a cell whose face it is, -1          */
  signed char (*match_face)[2];
  bool *edge_of_solid; /* [nelement]                                               */
  char *marked;        /* [nnode] corner of an element in a chain                   */
  tni_mesh_builder *b;
  int *local;          /* [nnode] number in the mesh, -1: of no cell               */
} sorter;

static int corners(const int *node, const signed char *which, int n, int key[8]) {
  for (int i = 0; i < n; i++) {
    int v = which ? node[which[i]] : node[i], j = i;
    for (; j > 0 && key[j-1] > v; j--) key[j] = key[j-1];
    key[j] = v;
  }
  return n;
}

static bool same_corners(const reader *r, const element *e, const int *key, int n) {
  int other[8];
  const tni_cell_shape *s = tni_cell_of(e->cell);
  if (s->ncorner != n) return false;
  corners(r->node + e->node, NULL, n, other);
  return memcmp(other, key, (size_t)n*sizeof(int)) == 0;
}

static void chain(sorter *t, int i) {
  const element *e = &t->r->element[i];
  int key[8] = {0}, n = corners(t->r->node + e->node, NULL, tni_cell_of(e->cell)->ncorner, key);
  t->next[i] = t->head[key[0]];
  t->head[key[0]] = i + 1;
  for (int k = 0; k < n; k++) t->marked[key[k]] = 1;
}

/* every element of dimension dim is chained; others of the same dimension that are the same follow the first */
static void chain_all(sorter *t, int dim) {
  memset(t->head, 0, (size_t)t->r->nnode*sizeof(int));
  memset(t->marked, 0, (size_t)t->r->nnode);
  for (int i = 0; i < t->r->nelement; i++)
    if (tni_cell_of(t->r->element[i].cell)->dim == dim) chain(t, i);
}

/* do two lists of corners go round the same way */
static bool same_way(const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++)
    if (b[i] == a[0]) return b[(i + 1)%n] == a[1];
  return false;
}

/* the cells that a face of cell (ticket, element i) coincides with */
static void match_face(sorter *t, int i, int f) {
  const reader *r = t->r;
  const element *e = &r->element[i];
  const tni_cell_shape *s = tni_cell_of(e->cell);
  int n = tni_cell_of(s->face_cell[f])->ncorner, key[8], round[8];
  const int *node = r->node + e->node;
  for (int k = 0; k < n; k++) {
    round[k] = node[s->face[f][k]];
    if (!t->marked[round[k]]) return;
  }
  corners(round, NULL, n, key);
  for (int c = t->head[key[0]] - 1; c >= 0; c = t->next[c] - 1) {
    if (!same_corners(r, &r->element[c], key, n)) continue;
    /* place 0: same orientation as the outward face; place 1: any other */
    const int *own = r->node + r->element[c].node;
    int at = n == 2 ? (own[0] == round[0] ? 0 : 1) : same_way(round, own, n) ? 0 : 1;
    if (t->match[c][at] >= 0) continue;
    t->match[c][at] = t->ticket[i];
    t->match_face[c][at] = (signed char)f;
  }
}

static void match_edges(sorter *t, int i) {
  const reader *r = t->r;
  const tni_cell_shape *s = tni_cell_of(r->element[i].cell);
  const int *node = r->node + r->element[i].node;
  for (int e = 0; e < s->nedge; e++) {
    int key[2] = {node[s->edge[e][0]], node[s->edge[e][1]]};
    if (!t->marked[key[0]] || !t->marked[key[1]]) continue;
    if (key[0] > key[1]) {
      int swap = key[0];
      key[0] = key[1];
      key[1] = swap;
    }
    for (int c = t->head[key[0]] - 1; c >= 0; c = t->next[c] - 1)
      if (same_corners(r, &r->element[c], key, 2)) t->edge_of_solid[c] = true;
  }
}

static bool is_kept(const reader *r, const element *e) {
  const belongs *b = &r->belongs[e->belongs];
  for (int i = 0; r->options && i < b->n; i++)
    for (int k = 0; k < r->options->nkeep; k++)
      if (strcmp(r->options->keep[k], r->physical[b->group[i]].name) == 0) return true;
  return false;
}

static int more_than_one_group(const reader *r, int dim) {
  int n = 0;
  for (int i = 0; i < r->nphysical; i++) n += r->physical[i].dim == dim;
  return n > 1;
}

/* elements of a dimension become cells, unless they coincide with something of a higher one */
static void make_cells(sorter *t, int dim) {
  reader *r = t->r;
  bool repeated = r->version == 22 && more_than_one_group(r, dim);
  if (repeated) chain_all(t, dim);
  for (int i = 0; i < r->nelement; i++) {
    const element *e = &r->element[i];
    const tni_cell_shape *s = tni_cell_of(e->cell);
    if (s->dim != dim) continue;
    bool coincides = t->match[i][0] >= 0 || t->match[i][1] >= 0 || t->edge_of_solid[i];
    if (coincides && !is_kept(r, e)) continue;
    if (repeated) { /* the first of the same corners has the cell; chains run backward */
      int key[8] = {0}, n = corners(r->node + e->node, NULL, s->ncorner, key), first = i;
      for (int c = t->head[key[0]] - 1; c >= 0; c = t->next[c] - 1)
        if (c < first && r->element[c].cell == e->cell && same_corners(r, &r->element[c], key, n)) first = c;
      if (first < i && t->ticket[first] >= 0) {
        t->ticket[i] = t->ticket[first];
        continue;
      }
    }
    int node[TNI_CELL_MAXNODE];
    for (int a = 0; a < s->nnode; a++) node[a] = t->local[r->node[e->node + (size_t)a]];
    t->ticket[i] = tni_mesh_add_cell(t->b, e->cell, NULL, e->gid, node);
  }
}

/* what a cell of this dimension has as faces and edges, among the elements of lower dimension */
static void match_lower(sorter *t, int dim) {
  reader *r = t->r;
  for (int low = dim - 1; low >= 1; low--) {
    chain_all(t, low);
    for (int i = 0; i < r->nelement; i++) {
      const tni_cell_shape *s = tni_cell_of(r->element[i].cell);
      if (s->dim != dim || t->ticket[i] < 0) continue;
      for (int f = 0; low == dim - 1 && f < s->nface; f++) match_face(t, i, f);
      if (low < dim - 1) match_edges(t, i);
    }
  }
}

/* plane meshes: cells turned so that they are seen counter-clockwise; all elements, so that faces match afterwards */
static void turn_plane(reader *r, int top) {
  for (size_t i = 1; top == 2 && i < r->nnodes; i++)
    if (r->x[3*(size_t)r->node[i]+2] != r->x[3*(size_t)r->node[0]+2]) top = 3;
  for (int i = 0; top == 2 && i < r->nelement; i++) {
    const tni_cell_shape *s = tni_cell_of(r->element[i].cell);
    int *node = r->node + r->element[i].node, k = s->ncorner, old[8];
    double area = 0;
    if (s->dim != 2) continue;
    for (int a = 0; a < k; a++) {
      const double *p = r->x + 3*(size_t)node[a], *q = r->x + 3*(size_t)node[(a + 1)%k];
      area += p[0]*q[1] - p[1]*q[0];
    }
    if (area >= 0) continue;
    memcpy(old, node, (size_t)s->nnode*sizeof(int));
    for (int a = 0; a < k; a++) node[a] = old[(k - a)%k];
    for (int a = k; a < s->nnode; a++) node[a] = old[3*k-1-a];
  }
}

static void fill_sets(sorter *t) {
  reader *r = t->r;
  for (int i = 0; i < r->nelement; i++) {
    const element *e = &r->element[i];
    const belongs *b = &r->belongs[e->belongs];
    const tni_cell_shape *s = tni_cell_of(e->cell);
    for (int k = 0; k < b->n; k++) {
      const char *name = r->physical[b->group[k]].name;
      int nodes = tni_mesh_add_set(t->b, name, TNI_SET_NODES);
      for (int a = 0; a < s->nnode; a++) tni_mesh_add_member(t->b, nodes, t->local[r->node[e->node + (size_t)a]], 0);
      if (t->ticket[i] >= 0) tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, name, TNI_SET_CELLS), t->ticket[i], 0);
      int at = t->match[i][0] >= 0 ? 0 : 1;
      if (t->match[i][at] >= 0)
        tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, name, TNI_SET_FACES), t->match[i][at], t->match_face[i][at]);
    }
  }
}

static tn_status sort_elements(sorter *t, tni_mesh **out) {
  reader *r = t->r;
  size_t n = (size_t)r->nelement, nnode = (size_t)r->nnode;
  tni_arena *w = &r->work;
  TNI_ARENA_NEW(w, t->ticket, n);
  TNI_ARENA_NEW(w, t->head, nnode);
  TNI_ARENA_NEW(w, t->next, n);
  TNI_ARENA_NEW(w, t->match, n);
  TNI_ARENA_NEW(w, t->match_face, n);
  TNI_ARENA_NEW(w, t->edge_of_solid, n);
  TNI_ARENA_NEW(w, t->marked, nnode);
  TNI_ARENA_NEW(w, t->local, nnode);
  memset(t->local, -1, nnode*sizeof(int));
  for (size_t i = 0; i < n; i++) {
    t->ticket[i] = t->match[i][0] = t->match[i][1] = -1;
    int d = tni_cell_of(r->element[i].cell)->dim;
    if (d > t->top) t->top = d;
  }
  turn_plane(r, t->top);
  TN_TRY(tni_mesh_begin(r->ctx, r->name, r->s.source, &t->b));
  /* nodes in the order of the file; those of no element (centres of circles) and points without a group stay out */
  for (size_t i = 0; i < n; i++) {
    const element *e = &r->element[i];
    const tni_cell_shape *s = tni_cell_of(e->cell);
    for (int a = 0; (s->dim > 0 || e->belongs) && a < s->nnode; a++) t->local[r->node[e->node + (size_t)a]] = 0;
  }
  for (int i = 0; i < r->nnode; i++) {
    const double *x = r->x + 3*(size_t)i;
    if (t->local[i] == 0) t->local[i] = tni_mesh_add_node(t->b, r->node_gid[i], x[0], x[1], x[2]);
  }
  for (int dim = t->top; dim >= 1; dim--) {
    make_cells(t, dim);
    match_lower(t, dim);
  }
  fill_sets(t);
  return tni_mesh_finish(&t->b, out);
}

tn_status tni_msh_parse(tn_ctx *ctx, const char *name, const char *source, const char *text, size_t n,
                        const tni_read_options *options, tni_mesh **out) {
  reader r = {.ctx = ctx, .s = {ctx, source, text, text + n, text}, .options = options, .name = name};
  sorter t = {.r = &r};
  *out = NULL;
  tni_arena_init(&r.work, ctx);
  tn_status st = TN_OK;
  if (!tni_arena_grow(&r.work, (void **)&r.belongs, 0, &r.belongscap, sizeof(belongs))) st = tni_out_of_memory(ctx);
  r.nbelongs = 1;
  tni_scan_locale locale = tni_scan_locale_begin();
  if (st == TN_OK) st = read_sections(&r);
  tni_scan_locale_end(locale);
  if (st == TN_OK && r.nelement == 0) st = TN_FAIL(ctx, TN_ERR_INPUT, "%s: the file has no elements; gmsh -3 makes them", source);
  if (st == TN_OK) st = sort_elements(&t, out);
  tni_mesh_abandon(&t.b);
  tni_arena_clear(&r.work);
  return st;
}
