/* domains/engine.c - engines of others for systems in pieces, over processes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* dladdr */
#include "domains/engine.h"

#include <dlfcn.h>
#include <stdio.h>

const char *const tni_engine_names[TNI_NENGINE] = {"gamg", "bddc", "mumps"};

struct tni_engine {
  const tni_domains *d;
  tni_engine_kind kind;
  const tni_engine_library *library;
  void *work;
  int low; /* first place of this rank's pieces */
};

/* beside the library, or the command, that this is in */
static tn_status load(tn_ctx *ctx, tni_engine_kind kind, const tni_engine_library **out) {
  static const tni_engine_library *there;
  Dl_info self;
  char file[1024] = "libtenon_petsc.so";
  if (!there) {
    if (dladdr(&there, &self) && self.dli_fname) { /* a static one: names that programs use lie in the program */
      const char *slash = strrchr(self.dli_fname, '/');
      int n = slash ? (int)(slash - self.dli_fname) + 1 : 0;
      snprintf(file, sizeof(file), "%.*slibtenon_petsc.so", n < 900 ? n : 0, self.dli_fname);
    }
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), *entry = handle ? dlsym(handle, TNI_ENGINE_ENTRY) : NULL;
    TN_REQUIRE(ctx, entry, TN_ERR_UNSUPPORTED, "solver '%s' needs PETSc, which was not there when this was built (on Debian: apt-get install "
               "libpetsc-real-dev, then make mpi)", tni_engine_names[kind]);
    const tni_engine_library *(*library)(void);
    memcpy(&library, &entry, sizeof(entry)); /* POSIX: pointers of both kinds are alike */
    there = library();
  }
  *out = there;
  return TN_OK;
}

tn_status tni_engine_there(tn_ctx *ctx, const tni_comm *comm, tni_engine_kind kind) {
  const tni_engine_library *library;
  TN_REQUIRE(ctx, comm && comm->handle, TN_ERR_UNSUPPORTED, "solver '%s' is for several processes: mpirun -n 2 tenon_mpi run ...", tni_engine_names[kind]);
  return load(ctx, kind, &library);
}

tn_status tni_engine_create(const tni_domains *d, tni_engine_kind kind, long long nwhole, double tolerance, tni_engine **out) {
  *out = NULL;
  int begin = tni_domains_begin(d), end = tni_domains_end(d);
  char why[400] = "";
  TN_TRY(tni_engine_there(d->ctx, d->comm, kind));
  tni_engine *e = tni_alloc(d->ctx, 1, sizeof(*e));
  tni_engine_piece *piece = tni_alloc(d->ctx, (size_t)(end - begin) + 1, sizeof(*piece));
  tn_status st = e && piece ? load(d->ctx, kind, &e->library) : tni_out_of_memory(d->ctx);
  st = tni_comm_agree(d->comm, st);
  if (st == TN_OK) {
    e->d = d;
    e->kind = kind;
    for (int s = 0; s < begin; s++) e->low += d->domain[s].n;
    for (int s = begin; s < end; s++) {
      const tni_domain *o = &d->domain[s];
      piece[s - begin] = (tni_engine_piece){o->n, o->ptr, o->ind, o->value, o->number, o->place, o->kind};
    }
    tni_engine_task task = {kind, d->comm->handle, nwhole, tolerance, end - begin, piece};
    if (e->library->create(&task, &e->work, why, sizeof(why)) != 0) st = TN_FAIL(d->ctx, TN_SINGULAR, "%s: %s", tni_engine_names[kind], why);
    st = tni_comm_agree(d->comm, st);
  }
  tni_free(d->ctx, piece);
  if (st != TN_OK && e) {
    e->d = d;
    tni_engine_destroy(&e);
  }
  *out = e;
  return st;
}

void tni_engine_destroy(tni_engine **out) {
  tni_engine *e = out ? *out : NULL;
  if (!e) return;
  if (e->work) e->library->destroy(e->work);
  tni_free(e->d->ctx, e);
  *out = NULL;
}

tn_status tni_engine_solve(tni_engine *e, const double *force, double *u, tni_engine_report *report) {
  char why[400] = "";
  tn_status st = TN_OK;
  if (e->library->solve(e->work, force + e->low, u + e->low, report, why, sizeof(why)) != 0)
    st = TN_FAIL(e->d->ctx, TN_NOT_CONVERGED, "%s: %s", tni_engine_names[e->kind], why);
  return tni_comm_agree(e->d->comm, st);
}
