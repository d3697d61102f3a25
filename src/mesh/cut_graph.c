/* mesh/cut_graph.c - METIS and SCOTCH
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/cut_graph.h"

#include <math.h>

#include <metis.h>

#include "base/late.h"
#include "mesh/skin.h"

tn_status tni_cut_metis(const tni_mesh *m, int nparts, const double *weight, tni_arena *work, int *part) {
  tni_mesh_graph g;
  idx_t n = m->ncell, ncon = 1, np = nparts, cost, options[METIS_NOPTIONS], *from, *to, *vwgt = NULL, *out;
  TN_TRY(tni_mesh_cells_of_cells(m, 0, work, &g));
  TNI_ARENA_NEW(work, from, g.n + 1);
  TNI_ARENA_NEW(work, to, g.from[g.n] + 1);
  TNI_ARENA_NEW(work, out, g.n);
  for (int i = 0; i <= g.n; i++) from[i] = g.from[i];
  for (int i = 0; i < g.from[g.n]; i++) to[i] = g.to[i];
  if (weight) {
    double most = 0;
    TNI_ARENA_NEW(work, vwgt, g.n);
    for (int i = 0; i < g.n; i++) most = fmax(most, weight[i]);
    for (int i = 0; i < g.n; i++) vwgt[i] = (idx_t)fmax(1, nearbyint(1000*weight[i]/most));
  }
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_CONTIG] = 0;
  tni_alone_begin();
  int status = nparts == 1 ? METIS_OK
               : nparts <= 8 ? METIS_PartGraphRecursive(&n, &ncon, from, to, vwgt, NULL, NULL, &np, NULL, NULL, options, &cost, out)
                             : METIS_PartGraphKway(&n, &ncon, from, to, vwgt, NULL, NULL, &np, NULL, NULL, options, &cost, out);
  tni_alone_end();
  TN_REQUIRE(m->ctx, status == METIS_OK, status == METIS_ERROR_MEMORY ? TN_ERR_MEMORY : TN_ERR_INTERNAL, "%s: METIS gave up (%d)", m->source,
             status);
  for (int i = 0; i < g.n; i++) part[i] = (int)out[i];
  return TN_OK;
}

/* SCOTCH comes with MUMPS, its headers do not: what is called of it stands here, whose objects it makes itself. */
#define SCOTCH_FUNCTIONS(X)                                                                                                      \
  X(numSizeof, int, (void)) X(memFree, void, (void *)) X(graphAlloc, void *, (void)) X(stratAlloc, void *, (void))              \
  X(contextAlloc, void *, (void)) X(graphInit, int, (void *)) X(graphExit, void, (void *)) X(stratInit, int, (void *))           \
  X(stratExit, void, (void *)) X(contextInit, int, (void *)) X(contextExit, void, (void *))                                      \
  X(randomSeed, void, (int)) X(randomReset, void, (void)) X(contextOptionSetNum, int, (void *, int, int)) X(contextThreadSpawn, int, (void *, int, const int *))                        \
  X(contextBindGraph, int, (void *, const void *, void *)) X(stratGraphMapBuild, int, (void *, int, int, double))               \
  X(graphBuild, int, (void *, int, int, const int *, const int *, const int *, const int *, int, const int *, const int *))     \
  X(graphPart, int, (void *, int, void *, int *))

#define FIELD(name, result, arguments) result(*name) arguments;
#define NAME(name, result, arguments) "SCOTCH_" #name,
#define NUMBER(name, result, arguments) FUNCTION_##name,
enum { SCOTCH_FUNCTIONS(NUMBER) NFUNCTION };
static union {
  struct { SCOTCH_FUNCTIONS(FIELD) } call;
  void (*function[NFUNCTION])(void);
} scotch;
static const char *const names[NFUNCTION] = {SCOTCH_FUNCTIONS(NAME)};
static tni_late library = {.what = "decomposer scotch", .file = TENON_SCOTCH_FILE, .package = "libscotch-7.0", .n = NFUNCTION, .name = names,
                           .function = scotch.function};
enum { DETERMINISTIC = 0, FIXED_SEED = 1, DEFAULT = 0 }; /* SCOTCH_OPTIONNUM..., SCOTCH_STRATDEFAULT */
static const double IMBALANCE = 0.01;

typedef struct {
  void *context, *graph, *bound, *strategy;
  bool has_context, has_graph, has_bound, has_strategy;
} objects;

static bool begin(objects *o) {
  o->context = scotch.call.contextAlloc();
  o->graph = scotch.call.graphAlloc();
  o->bound = scotch.call.graphAlloc();
  o->strategy = scotch.call.stratAlloc();
  if (!o->context || !o->graph || !o->bound || !o->strategy) return false;
  o->has_context = scotch.call.contextInit(o->context) == 0;
  o->has_graph = scotch.call.graphInit(o->graph) == 0;
  o->has_bound = scotch.call.graphInit(o->bound) == 0;
  o->has_strategy = scotch.call.stratInit(o->strategy) == 0;
  return o->has_context && o->has_graph && o->has_bound && o->has_strategy;
}

static void end(objects *o) {
  if (o->has_bound) scotch.call.graphExit(o->bound);
  if (o->has_graph) scotch.call.graphExit(o->graph);
  if (o->has_strategy) scotch.call.stratExit(o->strategy);
  if (o->has_context) scotch.call.contextExit(o->context);
  void *made[] = {o->bound, o->graph, o->strategy, o->context};
  for (int i = 0; i < TNI_COUNT(made); i++)
    if (made[i]) scotch.call.memFree(made[i]);
}

tn_status tni_cut_scotch(const tni_mesh *m, int nparts, const double *weight, tni_arena *work, int *part) {
  tni_mesh_graph g;
  int *load = NULL;
  TN_TRY(tni_late_load(m->ctx, &library));
  TN_REQUIRE(m->ctx, scotch.call.numSizeof() == (int)sizeof(int), TN_ERR_UNSUPPORTED, "decomposer scotch: %s has numbers of %d bytes, not of %d",
             TENON_SCOTCH_FILE, scotch.call.numSizeof(), (int)sizeof(int));
  TN_TRY(tni_mesh_cells_of_cells(m, 0, work, &g));
  if (weight) {
    double most = 0;
    TNI_ARENA_NEW(work, load, g.n);
    for (int i = 0; i < g.n; i++) most = fmax(most, weight[i]);
    for (int i = 0; i < g.n; i++) load[i] = (int)fmax(1, nearbyint(1000*weight[i]/most));
  }
  objects o = {0};
  tni_alone_begin();
  scotch.call.randomSeed(1);
  scotch.call.randomReset();
  /* one thread and a fixed seed: the same parts everywhere */
  bool fine = begin(&o) && scotch.call.contextOptionSetNum(o.context, DETERMINISTIC, 1) == 0 &&
              scotch.call.contextOptionSetNum(o.context, FIXED_SEED, 1) == 0 && scotch.call.contextThreadSpawn(o.context, 1, NULL) == 0 &&
              scotch.call.graphBuild(o.graph, 0, g.n, g.from, g.from + 1, load, NULL, g.from[g.n], g.to, NULL) == 0 &&
              scotch.call.contextBindGraph(o.context, o.graph, o.bound) == 0 &&
              scotch.call.stratGraphMapBuild(o.strategy, DEFAULT, nparts, IMBALANCE) == 0 &&
              scotch.call.graphPart(o.bound, nparts, o.strategy, part) == 0;
  end(&o);
  tni_alone_end();
  return fine ? TN_OK : TN_FAIL(m->ctx, TN_ERR_INTERNAL, "%s: SCOTCH gave up", m->source);
}
