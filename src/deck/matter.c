/* deck/matter.c - materials and sections of decks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>

#include "base/vec.h"
#include "deck/reader.h"

/* ---- materials ---------------------------------------------------------------------------------------- */

static const char *clean_name(tni_deck_model *m, const char *name, int number) {
  char *s = tni_arena_printf(&m->arena, "%s", name);
  if (!s) return NULL;
  bool bad = !*s;
  for (char *c = s; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') *c = '_', bad = true;
  return bad ? tni_arena_printf(&m->arena, "m%d_%s", number, s) : tni_arena_printf(&m->arena, "m_%s", s);
}

tn_status tni_deck_begin_matter(tni_deck_reader *r) {
  tni_deck_model *m = r->m;
  const tni_card *c = tni_deck_card(r);
  const char *name = tni_card_value(c, "NAME");
  ALLOW(r, "NAME");
  if (!name || !name[0]) return tni_card_refuse(r->ctx, c, 0, "NAME is missing");
  r->matter = &m->matter[m->nmatter++];
  *r->matter = (tni_deck_matter){.as_written = name, .card = c};
  r->matter->name = clean_name(m, name, m->nmatter);
  return r->matter->name ? TN_OK : tni_out_of_memory(r->ctx);
}

/* one line of n constants: those of one temperature, or the same at all of them */
static tn_status one_line(tni_deck_reader *r, int n) {
  const tni_card *c = tni_deck_card(r);
  if (c->ndata == 0) return tni_card_refuse(r->ctx, c, 0, "constants are missing");
  tni_deck_fields f, first;
  TN_TRY(tni_deck_split(r, 0, &first));
  for (int i = 1; i < c->ndata; i++) {
    bool same = true;
    TN_TRY(tni_deck_split(r, i, &f));
    for (int k = 0; k < n && f.n > 0; k++) {
      double x, y;
      TN_TRY(tni_deck_number(r, 0, &first, k, 0, &x));
      TN_TRY(tni_deck_number(r, i, &f, k, 0, &y));
      same = same && x == y;
    }
    if (!same) return tni_card_refuse(r->ctx, c, c->data_line[i], "constants that depend on temperature are not understood");
  }
  return TN_OK;
}

tn_status tni_deck_read_elastic(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  const char *type = tni_card_value(c, "TYPE");
  tni_deck_matter *w = r->matter;
  tni_deck_fields f;
  double x[21];
  ALLOW(r, "TYPE");
  w->elastic = true;
  if (!type || tni_deck_same(type, "ISO") || tni_deck_same(type, "ISOTROPIC")) {
    TN_TRY(one_line(r, 2));
    TN_TRY(tni_deck_split(r, 0, &f));
    TN_TRY(tni_deck_number(r, 0, &f, 0, 0, &w->E));
    return tni_deck_number(r, 0, &f, 1, 0, &w->nu);
  }
  int n = 0;
  bool engineering = tni_deck_same(type, "ENGINEERINGCONSTANTS") || tni_deck_same(type, "ENGINEERING CONSTANTS");
  bool ortho = tni_deck_same(type, "ORTHO") || tni_deck_same(type, "ORTHOTROPIC");
  if (!engineering && !ortho) return tni_card_refuse(r->ctx, c, 0, "TYPE=%.40s is not understood", type);
  for (int i = 0; i < c->ndata; i++) {
    TN_TRY(tni_deck_split(r, i, &f));
    for (int k = 0; k < f.n && n < 21; k++) TN_TRY(tni_deck_number(r, i, &f, k, 0, &x[n++]));
  }
  if (n < 9 || n > 10) return tni_card_refuse(r->ctx, c, 0, "9 constants of one temperature are understood, there are %d", n);
  w->is_ortho = true;
  if (engineering) { /* E1 E2 E3 nu12 nu13 nu23 G12 G13 G23 */
    double o[9] = {x[0], x[1], x[2], x[3], x[5], x[4], x[6], x[8], x[7]};
    memcpy(w->ortho, o, sizeof(o));
    return TN_OK;
  }
  /* D1111 D1122 D2222 D1133 D2233 D3333 D1212 D1313 D2323: the compliance is the inverse */
  double D[9] = {x[0], x[1], x[3], x[1], x[2], x[4], x[3], x[4], x[5]}, S[9];
  mat3_inverse(S, D);
  for (int i = 0; i < 9; i++)
    if (!isfinite(S[i])) return tni_card_refuse(r->ctx, c, 0, "the constants are singular");
  double E[3] = {1/S[0], 1/S[4], 1/S[8]};
  double o[9] = {E[0], E[1], E[2], -S[1]*E[0], -S[5]*E[1], -S[2]*E[0], x[6], x[8], x[7]};
  memcpy(w->ortho, o, sizeof(o));
  return TN_OK;
}

tn_status tni_deck_read_plastic(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  const char *how = tni_card_value(c, "HARDENING");
  tni_deck_matter *w = r->matter;
  ALLOW(r, "HARDENING");
  if (how && !tni_deck_same(how, "ISOTROPIC") && !tni_deck_same(how, "KINEMATIC")) return tni_card_refuse(r->ctx, c, 0, "HARDENING=%.40s is not understood", how);
  if (how && tni_deck_same(how, "KINEMATIC")) return tni_card_refuse(r->ctx, c, 0, "kinematic hardening is not understood: it is another one here");
  w->kinematic = false;
  TNI_ARENA_NEW(&r->m->arena, w->plastic, c->ndata);
  double T0 = 0;
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    double stress, strain, T;
    TN_TRY(tni_deck_split(r, i, &f));
    TN_TRY(tni_deck_number(r, i, &f, 0, 0, &stress));
    TN_TRY(tni_deck_number(r, i, &f, 1, 0, &strain));
    TN_TRY(tni_deck_number(r, i, &f, 2, 0, &T));
    if (i == 0) T0 = T;
    if (T != T0) return tni_card_refuse(r->ctx, c, c->data_line[i], "constants that depend on temperature are not understood");
    w->plastic[w->nplastic][0] = strain;
    w->plastic[w->nplastic++][1] = stress;
  }
  if (w->nplastic == 0) return tni_card_refuse(r->ctx, c, 0, "constants are missing");
  if (w->nplastic > 1 && w->plastic[0][0] != 0)
    return tni_card_refuse(r->ctx, c, c->data_line[0], "the first plastic strain must be 0");
  if (w->kinematic && w->nplastic > 2) return tni_card_refuse(r->ctx, c, 0, "kinematic hardening of more than two points is not understood");
  return TN_OK;
}

static tn_status one_number(tni_deck_reader *r, double *x) {
  tni_deck_fields f;
  TN_TRY(one_line(r, 1));
  TN_TRY(tni_deck_split(r, 0, &f));
  return tni_deck_number(r, 0, &f, 0, 0, x);
}

tn_status tni_deck_read_expansion(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  const char *type = tni_card_value(c, "TYPE");
  ALLOW(r, "TYPE", "ZERO");
  if (type && !tni_deck_same(type, "ISO") && !tni_deck_same(type, "ISOTROPIC")) return tni_card_refuse(r->ctx, c, 0, "TYPE=%.40s is not understood", type);
  return one_number(r, &r->matter->expansion); /* alpha that does not depend on temperature: ZERO does not matter */
}

tn_status tni_deck_read_damping(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  const char *a = tni_card_value(c, "ALPHA"), *b = tni_card_value(c, "BETA");
  ALLOW(r, "ALPHA", "BETA");
  if ((a && !tni_deck_is_number(a, &r->matter->alpha)) || (b && !tni_deck_is_number(b, &r->matter->beta)))
    return tni_card_refuse(r->ctx, c, 0, "ALPHA and BETA must be numbers");
  return TN_OK;
}

/* ---- sections ---------------------------------------------------------------------------------------------- */

static const tni_card *find_orientation(const tni_deck_reader *r, const char *name) {
  for (int i = 0; i < r->m->deck->ncard; i++) {
    const tni_card *c = &r->m->deck->card[i];
    const char *own = strcmp(c->keyword, "ORIENTATION") == 0 ? tni_card_value(c, "NAME") : NULL;
    if (own && tni_deck_same(own, name)) return c;
  }
  return NULL;
}

/* rows x', y', z' from a point on the local x axis and one in the local plane xy */
bool tni_deck_rectangular(const double a[3], const double b[3], double R[9]) {
  double x[3], z[3], y[3];
  if (!(vec3_norm(a) > 0)) return false;
  vec3_scale(x, 1/vec3_norm(a), a);
  vec3_cross(z, x, b);
  if (!(vec3_norm(z) > 1e-12*vec3_norm(b))) return false;
  vec3_scale(z, 1/vec3_norm(z), z);
  vec3_cross(y, z, x);
  vec3_copy(R, x), vec3_copy(R + 3, y), vec3_copy(R + 6, z);
  return true;
}

tn_status tni_deck_six_numbers(tni_deck_reader *r, const tni_card *c, double x[6]) {
  char text[TNI_DECK_LINE];
  const char *at[TNI_DECK_FIELDS];
  int n = c->ndata > 0 ? tni_card_fields(c->data[0], text, sizeof(text), at, TNI_DECK_FIELDS) : 0;
  for (int i = 0; i < 6; i++)
    if (i >= n || !tni_deck_is_number(at[i], &x[i])) return tni_card_refuse(r->ctx, c, 0, "six coordinates are needed");
  return TN_OK;
}

/* axes of materials are laid into every shell there; here they are those of the section */
static tn_status check_shell_axes(tni_deck_reader *r, const tni_deck_section *s, const tni_mesh_set *cells) {
  static const double ground[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < cells->n && (s->turned || s->matter->is_ortho); i++) {
    double R[9];
    bool same = true;
    if (!tni_deck_shell_axes(r->m, cells->member[i], R)) continue;
    for (int k = s->turned ? 6 : 0; k < 9; k++) same = same && fabs(R[k] - (s->turned ? s->axes[3*(k % 3) + k/3] : ground[k])) < 1e-9;
    if (!same)
      return tni_card_refuse(r->ctx, s->card, 0, "%s is not understood: element %lld", s->turned ? "an ORIENTATION whose z' is not the normal of the shells" :
                             "an orthotropic material in shells that do not lie in the plane xy, without ORIENTATION,",
                             (long long)tni_mesh_cell_gid(r->m->mesh, cells->member[i]));
  }
  return TN_OK;
}

tn_status tni_deck_read_section(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  const char *set = tni_card_value(c, "ELSET"), *matter = tni_card_value(c, "MATERIAL"), *turned = tni_card_value(c, "ORIENTATION");
  bool solid = strcmp(c->keyword, "SOLIDSECTION") == 0;
  ALLOW(r, "ELSET", "MATERIAL", "ORIENTATION", "NODAL THICKNESS", "OFFSET", "OFFSET1", "OFFSET2", "SECTION");
  const char *offset = tni_card_value(c, "OFFSET");
  double off;
  if (solid && (tni_card_value(c, "NODAL THICKNESS") || (offset && !(tni_deck_is_number(offset, &off) && off == 0))))
    return tni_card_refuse(r->ctx, c, 0, "NODAL THICKNESS and OFFSET are not understood");
  if (r->step >= 0) return tni_card_refuse(r->ctx, c, 0, "sections that change within steps are not understood");
  if (!set || !tni_deck_find_set(m->mesh, set, TNI_SET_CELLS))
    return tni_card_refuse(r->ctx, c, 0, "there is no set of elements '%.60s'", set ? set : "");
  tni_deck_section *s = &m->section[m->nsection++];
  *s = (tni_deck_section){.card = c, .set = tni_deck_find_set(m->mesh, set, TNI_SET_CELLS)->name};
  for (int i = 0; i < m->nmatter && matter; i++)
    if (tni_deck_same(m->matter[i].as_written, matter)) s->matter = &m->matter[i];
  if (!s->matter) return tni_card_refuse(r->ctx, c, 0, "there is no material '%.60s'", matter ? matter : "");
  if (turned) {
    const tni_card *o = find_orientation(r, turned);
    double x[6], R[9];
    if (!o) return tni_card_refuse(r->ctx, c, 0, "there is no orientation '%.60s'", turned);
    const char *system = tni_card_value(o, "SYSTEM");
    if (system && !tni_deck_same(system, "RECTANGULAR")) return tni_card_refuse(r->ctx, o, 0, "SYSTEM=%.40s is not understood", system);
    TN_TRY(tni_deck_six_numbers(r, o, x));
    if (o->ndata > 1) return tni_card_refuse(r->ctx, o, o->data_line[1], "rotations of an orientation are not understood");
    if (!tni_deck_rectangular(x, x + 3, R)) return tni_card_refuse(r->ctx, o, 0, "its points do not span a plane");
    s->turned = true;
    s->orientation = turned;
    for (int i = 0; i < 9; i++) s->axes[i] = R[3*(i % 3) + i/3];
  }
  if (c->ndata > 0) {
    tni_deck_fields f;
    TN_TRY(tni_deck_split(r, 0, &f));
    TN_TRY(tni_deck_number(r, 0, &f, 0, 0, &s->thickness));
  }
  const tni_mesh_set *cells = tni_deck_find_set(m->mesh, set, TNI_SET_CELLS);
  int in_block;
  const char *shape = tni_card_value(c, "SECTION");
  if (cells->n > 0 && shape && strncmp(shape, "CIRC", 4) == 0 && tni_mesh_cell(m->mesh, cells->member[0], &in_block)->cell == TNI_CELL_HEX8)
    return tni_card_refuse(r->ctx, c, 0, "SECTION=CIRC needs elements of second order (B32), there as here");
  TN_TRY(check_shell_axes(r, s, cells));
  s->area = solid && cells->n > 0 && tni_cell_of(tni_mesh_cell(m->mesh, cells->member[0], &in_block)->cell)->dim == 1;
  return TN_OK;
}

tn_status tni_deck_read_density(tni_deck_reader *r) {
  ALLOW(r, "");
  return one_number(r, &r->matter->density);
}
