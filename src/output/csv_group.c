/* output/csv_group.c - fields at the nodes of a group of a mesh as comma-separated text: a line per stored time and node
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "output/h5.h"
#include "output/json.h"

enum { PIECE = 32*1024, ROOM = 512 };

/* nodes of one mesh */
typedef struct {
  int mesh, n;
  int *node;
  double *x;      /* [nnode][3]                                   */
  int64_t *gid;   /* [nnode]                                      */
} choice;

/* columns of a field: those of all meshes that have it by this name */
typedef struct {
  const char *name, *unit;
  int ncomponent;
  const char *const *component;
  int *field;     /* [nmesh] of the results, -1                   */
  double **value; /* [nmesh] of a row                             */
} column;

typedef struct {
  tni_reader *r;
  const tni_results_info *info;
  tni_arena arena;
  int nchoice, ncolumn;
  choice *choice;
  column *column;
} job;

/* the group within a name "group" or "mesh/group", -1: not of this mesh; "*": every node */
static int group_of(const tni_mesh_info *m, const char *name) {
  size_t n = strlen(m->name);
  const char *own = strncmp(name, m->name, n) == 0 && name[n] == '/' ? name + n + 1 : NULL;
  for (int g = 0; g < m->ngroup; g++)
    if (strcmp(m->group[g], name) == 0 || (own && strcmp(m->group[g], own) == 0)) return g;
  return -1;
}

static bool wants_all(const tni_mesh_info *m, const char *name) {
  size_t n = strlen(m->name);
  return strcmp(name, "*") == 0 || (strncmp(name, m->name, n) == 0 && strcmp(name + n, "/*") == 0);
}

static tn_status refuse_group(job *j, const char *name) {
  const char **known;
  int n = 0, total = 0;
  for (int m = 0; m < j->info->nmesh; m++) total += j->info->mesh[m].ngroup;
  TNI_ARENA_NEW(&j->arena, known, total);
  for (int m = 0; m < j->info->nmesh; m++)
    for (int g = 0; g < j->info->mesh[m].ngroup; g++) known[n++] = j->info->mesh[m].group[g];
  int near = tni_nearest(name, known, n);
  if (n == 0)
    return TN_FAIL(j->arena.ctx, TN_ERR_ARGUMENT, "results '%s': no mesh has groups; '*' are all nodes", tni_reader_path(j->r));
  if (near >= 0)
    return TN_FAIL(j->arena.ctx, TN_ERR_ARGUMENT, "results '%s': no mesh has a group '%s'; did you mean '%s'?",
                   tni_reader_path(j->r), name, known[near]);
  return TN_FAIL(j->arena.ctx, TN_ERR_ARGUMENT, "results '%s': no mesh has a group '%s'; the first of %d is '%s'",
                 tni_reader_path(j->r), name, n, known[0]);
}

static tn_status choose_nodes(job *j, const char *group) {
  TNI_ARENA_NEW(&j->arena, j->choice, j->info->nmesh);
  for (int m = 0; m < j->info->nmesh; m++) {
    const tni_mesh_info *mesh = &j->info->mesh[m];
    choice *c = &j->choice[j->nchoice];
    bool all = wants_all(mesh, group);
    int g = all ? -1 : group_of(mesh, group);
    if (!all && g < 0) continue;
    c->mesh = m;
    c->n = all ? mesh->nnode : mesh->group_first[g+1] - mesh->group_first[g];
    TNI_ARENA_NEW(&j->arena, c->node, c->n);
    TNI_ARENA_NEW(&j->arena, c->x, 3*(size_t)mesh->nnode);
    TNI_ARENA_NEW(&j->arena, c->gid, mesh->nnode);
    for (int i = 0; i < c->n && all; i++) c->node[i] = i;
    if (!all) TN_TRY(tni_results_read_group(j->r, m, g, c->node));
    TN_TRY(tni_results_read_mesh(j->r, m, c->x));
    TN_TRY(tni_results_read_numbers(j->r, m, c->gid));
    j->nchoice++;
  }
  return j->nchoice ? TN_OK : refuse_group(j, group);
}

/* "stress", "stress.xx" names the whole field all the same */
static bool wanted(const char *field, const char *const *names, int nname) {
  for (int i = 0; i < nname; i++)
    if (tni_wildcard_match(names[i], field)) return true;
  return nname == 0;
}

static tn_status choose_fields(job *j, const char *const *names, int nname) {
  const tni_results_info *info = j->info;
  TNI_ARENA_NEW(&j->arena, j->column, info->nfield);
  for (int i = 0; i < nname; i++) {
    bool any = false;
    for (int f = 0; f < info->nfield; f++) any = any || (!info->field[f].cells && tni_wildcard_match(names[i], info->field[f].name));
    if (any) continue;
    const char **known;
    TNI_ARENA_NEW(&j->arena, known, info->nfield);
    for (int f = 0; f < info->nfield; f++) known[f] = info->field[f].name;
    int near = tni_nearest(names[i], known, info->nfield);
    return TN_FAIL(j->arena.ctx, TN_ERR_ARGUMENT, "results '%s': no field matches '%s'%s%s%s", tni_reader_path(j->r), names[i],
                   near >= 0 ? "; did you mean '" : "", near >= 0 ? known[near] : "", near >= 0 ? "'?" : "");
  }
  for (int f = 0; f < info->nfield; f++) {
    const tni_field *field = &info->field[f];
    int c = 0, k = 0;
    while (c < j->nchoice && j->choice[c].mesh != field->mesh) c++;
    if (c == j->nchoice || field->cells || !wanted(field->name, names, nname)) continue;
    while (k < j->ncolumn && (strcmp(j->column[k].name, field->name) != 0 || j->column[k].ncomponent != field->ncomponent)) k++;
    column *to = &j->column[k];
    if (k == j->ncolumn) {
      *to = (column){field->name, field->unit, field->ncomponent, field->component, NULL, NULL};
      TNI_ARENA_NEW(&j->arena, to->field, j->nchoice);
      TNI_ARENA_NEW(&j->arena, to->value, j->nchoice);
      for (int i = 0; i < j->nchoice; i++) to->field[i] = -1;
      j->ncolumn++;
    }
    to->field[c] = f;
    TNI_ARENA_NEW(&j->arena, to->value[c], tni_field_size(info, field));
  }
  return TN_OK;
}

static tn_status write_header(job *j, tni_write_fn write, void *user) {
  tni_text t;
  tni_text_init(&t, j->arena.ctx);
  tni_text_add(&t, "t [s],mesh,node,x [m],y [m],z [m]");
  for (int k = 0; k < j->ncolumn; k++)
    for (int c = 0; c < j->column[k].ncomponent; c++) {
      const column *f = &j->column[k];
      const char *part = f->component ? f->component[c] : "";
      tni_text_add(&t, ",%s%s%s%s%s%s", f->name, *part ? "." : "", part, f->unit && *f->unit ? " [" : "", f->unit ? f->unit : "",
                   f->unit && *f->unit ? "]" : "");
    }
  tni_text_add(&t, "\n");
  tn_status st = t.failed ? tni_out_of_memory(j->arena.ctx) : write(user, t.s, t.n);
  tni_text_free(&t);
  return st;
}

/* a name as a field, in quotes where it needs them */
static void quote(const char *name, char *out, size_t n) {
  size_t k = 0;
  bool odd = strpbrk(name, ",\"\r\n") != NULL;
  if (odd) out[k++] = '"';
  for (; *name && k + 4 < n; name++) {
    if (*name == '"') out[k++] = '"';
    out[k++] = *name;
  }
  if (odd) out[k++] = '"';
  out[k] = 0;
}

static tn_status write_row(job *j, long row, double t, char *piece, tni_write_fn write, void *user) {
  char mesh[300], time[TNI_NUMBER_MAX];
  size_t n = 0;
  int ntime = tni_format_number(time, t);
  for (int c = 0; c < j->nchoice; c++) {
    const choice *o = &j->choice[c];
    for (int k = 0; k < j->ncolumn; k++)
      if (j->column[k].field[c] >= 0)
        TN_TRY(tni_results_read_field(j->r, j->column[k].field[c], row, 1, j->column[k].value[c]));
    quote(j->info->mesh[o->mesh].name, mesh, sizeof(mesh));
    for (int i = 0; i < o->n; i++) {
      int node = o->node[i];
      n += (size_t)snprintf(piece + n, ROOM, "%.*s,%s,%lld", ntime, time, mesh, (long long)o->gid[node]);
      for (int c3 = 0; c3 < 3; c3++) {
        piece[n++] = ',';
        n += (size_t)tni_format_number(piece + n, o->x[3*(size_t)node + (size_t)c3]);
      }
      for (int k = 0; k < j->ncolumn; k++) {
        const column *f = &j->column[k];
        for (int q = 0; q < f->ncomponent; q++) {
          piece[n++] = ',';
          if (f->field[c] >= 0)
            n += (size_t)tni_format_number(piece + n, f->value[c][(size_t)node*(size_t)f->ncomponent + (size_t)q]);
          if (n < PIECE) continue;
          TN_TRY(write(user, piece, n));
          n = 0;
        }
      }
      piece[n++] = '\n';
      if (n < PIECE) continue;
      TN_TRY(write(user, piece, n));
      n = 0;
    }
  }
  return n ? write(user, piece, n) : TN_OK;
}

static tn_status export(job *j, const char *group, const char *const *names, int nname, const double *time,
                        tni_write_fn write, void *user) {
  long first = 0, n = tni_results_ntime(j->r);
  double *t;
  char *piece;
  TN_TRY(choose_nodes(j, group));
  TN_TRY(choose_fields(j, names, nname));
  TNI_ARENA_NEW(&j->arena, t, n);
  TNI_ARENA_NEW(&j->arena, piece, PIECE + 2*ROOM + 4*TNI_NUMBER_MAX);
  TN_TRY(tni_results_read_times(j->r, 0, n, t));
  if (time) {
    TN_TRY(tni_results_nearest(j->r, *time, &first));
    n = first + 1;
  }
  TN_TRY(write_header(j, write, user));
  for (long row = first; row < n; row++) TN_TRY(write_row(j, row, t[row], piece, write, user));
  return TN_OK;
}

tn_status tni_results_export_group(tni_reader *r, const char *group, const char *const *names, int nname, const double *time,
                                   tni_write_fn write, void *user) {
  job j = {.r = r, .info = tni_results_get_info(r)};
  tni_arena_init(&j.arena, tni_reader_ctx(r));
  tn_status st = export(&j, group, names, nname, time, write, user);
  tni_arena_clear(&j.arena);
  return st;
}
