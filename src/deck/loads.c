/* deck/loads.c - distributed loads of decks through the steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "deck/reader.h"

/* directions of gravity are the same there up to about 1e-5 rad; unit vectors that were written with other lengths differ by rounding */
static bool same_dload(const tni_deck_dload *a, const tni_deck_dload *b) {
  return a->kind == b->kind && a->face == b->face && tni_deck_same(a->target, b->target) &&
         (a->kind != TNI_DLOAD_GRAVITY || vec3_dot(a->direction, b->direction) > 1 - 1e-10);
}

/* pressures belong to faces there: one that a later step gives takes the place of whatever stood on the face. Here they belong to the sets of
 * their cards. `loader` has for each face the load that it got last (number + 1), SHARED: several in one step. */
enum { FACES = 6, SHARED = -1 };

static tn_status note_face(tni_deck_reader *r, const tni_deck_dload *new, int number, int cell, int face) {
  tni_deck_model *m = r->m;
  if (face < 0 || face >= FACES) return TN_OK;
  int *loader = &r->loader[FACES*(size_t)cell + (size_t)face], in_block;
  if (*loader == number + 1 || *loader == 0) {
    *loader = number + 1;
    return TN_OK;
  }
  if (*loader == SHARED ? r->step == 0 : m->dload[*loader - 1].at[r->step].fresh) {
    *loader = SHARED;
    return TN_OK;
  }
  if (*loader != SHARED && !m->dload[*loader - 1].at[r->step].on) {
    *loader = number + 1;
    return TN_OK;
  }
  const tni_mesh_block *b = tni_mesh_cell(m->mesh, cell, &in_block);
  return tni_card_refuse(r->ctx, new->card, new->line, "face %d of element %lld has a pressure from an earlier step by another set, which this one "
                         "replaces there: that is not understood; name the same sets in all steps", face + 1, (long long)b->gid[in_block]);
}

static tn_status note_faces(tni_deck_reader *r, const tni_deck_dload *new, int number) {
  tni_deck_model *m = r->m;
  if (!r->loader) TNI_ARENA_NEW(&m->arena, r->loader, FACES*(size_t)m->mesh->ncell);
  const tni_mesh_set *set = tni_deck_find_set(m->mesh, new->target, new->kind == TNI_DLOAD_SURFACE ? TNI_SET_FACES : TNI_SET_CELLS);
  if (!set) return note_face(r, new, number, tni_mesh_cell_of(m->mesh, (tn_gid)strtoll(new->target, NULL, 10)), new->face - 1);
  for (int i = 0; i < set->n; i++) TN_TRY(note_face(r, new, number, set->member[i], set->face ? set->face[i] : new->face - 1));
  return TN_OK;
}

static tn_status keep_dload(tni_deck_reader *r, const tni_deck_dload *new, double value, int amplitude) {
  tni_deck_model *m = r->m;
  int k = 0;
  if (r->step < 0) return tni_card_refuse(r->ctx, new->card, new->line, "loads belong into steps");
  while (k < m->ndload && !same_dload(&m->dload[k], new)) k++;
  if (k == m->ndload) {
    void *items = m->dload;
    if (!tni_arena_grow(&m->arena, &items, m->ndload, &r->cap[0], sizeof(*m->dload))) return tni_out_of_memory(r->ctx);
    m->dload = items;
    m->dload[m->ndload] = *new;
    TNI_ARENA_NEW(&m->arena, m->dload[m->ndload].at, m->nstep);
    m->ndload++;
  }
  if (new->kind == TNI_DLOAD_SPIN && memcmp(m->dload[k].direction, new->direction, sizeof(new->direction)) != 0)
    return tni_card_refuse(r->ctx, new->card, new->line, "CENTRIF about another axis than before on the same set is not understood");
  if (new->kind == TNI_DLOAD_FACE || new->kind == TNI_DLOAD_SURFACE) TN_TRY(note_faces(r, new, k));
  tni_deck_value *v = &m->dload[k].at[r->step];
  if (v->on && v->fresh && v->amplitude != amplitude)
    return tni_card_refuse(r->ctx, new->card, new->line, "a load of '%.60s' by two amplitudes in one step is not understood", new->target);
  if (v->on && v->fresh && new->kind != TNI_DLOAD_SPIN) value += v->value;
  *v = (tni_deck_value){.value = value, .amplitude = amplitude, .on = 1, .fresh = 1};
  return TN_OK;
}

/* masses of *MASS within the target of a load, and all of them */
static int count_masses(const tni_deck_model *m, const char *target, int *all) {
  const tni_mesh_set *set = tni_deck_find_set(m->mesh, target, TNI_SET_CELLS);
  int within = 0, in_block;
  *all = 0;
  for (int i = 0; i < m->mesh->nblock; i++)
    if (m->mesh->block[i].label && strcmp(m->mesh->block[i].label, "MASS") == 0) *all += m->mesh->block[i].n;
  for (int i = 0; set && *all > 0 && i < set->n; i++) {
    const char *label = tni_mesh_cell(m->mesh, set->member[i], &in_block)->label;
    within += label && strcmp(label, "MASS") == 0;
  }
  return within;
}

/* The face of solids that a label means on the elements of the deck: of shells the one that P pushes along the normal, of beams
 * P1 and P2 push along their local directions, of plane stress edges are the faces after bottom and top. */
static tn_status face_of(tni_deck_reader *r, int line, const char *label, tni_deck_dload *d) {
  const tni_deck_model *m = r->m;
  const tni_card *c = tni_deck_card(r);
  const tni_mesh_set *set = tni_deck_find_set(m->mesh, d->target, TNI_SET_CELLS);
  int one = set ? -1 : tni_mesh_cell_of(m->mesh, (tn_gid)strtoll(d->target, NULL, 10)), n = set ? set->n : 1;
  const int *cell = set ? set->member : &one;
  int number = label[1] ? label[1] - '0' : 0;
  char family = n > 0 ? m->family[cell[0]] : ' ';
  for (int i = 0; i < n; i++)
    if (m->family[cell[i]] != family) return tni_card_refuse(r->ctx, c, c->data_line[line], "a pressure on shells, beams and others in one set is not understood");
  d->kind = TNI_DLOAD_FACE;
  d->face = family == 's' ? (number == 0) : family == 'b' ? (number == 1 ? 3 : number == 2) : family == 'p' ? (number >= 1 && number <= 4 ? number + 2 : 0) : number;
  if (d->face == 0)
    return tni_card_refuse(r->ctx, c, c->data_line[line], "label '%.20s' is not understood here; write %s", label,
                           family == 's' ? "P" : family == 'b' ? "P1 or P2" : family == 'p' ? "P1 to P4" : "P1 to P6");
  return TN_OK;
}

tn_status tni_deck_read_dload(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  bool surface = strcmp(c->keyword, "DSLOAD") == 0;
  int amplitude, masses;
  ALLOW(r, "OP", "AMPLITUDE", "TIME DELAY");
  TN_TRY(tni_deck_amplitude_of(r, &amplitude));
  bool anew;
  TN_TRY(tni_deck_op(r, TNI_DECK_DLOAD, &anew));
  if (anew)
    for (int i = 0; i < m->ndload; i++)
      if (!m->dload[i].at[r->step].fresh) m->dload[i].at[r->step].on = 0; /* those of the other card as well: it is so there */
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    double value;
    tni_deck_dload d = {.card = c, .line = c->data_line[i]};
    TN_TRY(tni_deck_split(r, i, &f));
    if (f.n == 0) continue;
    if (f.n < 3) return tni_card_refuse(r->ctx, c, c->data_line[i], "a set, a label and a value are needed");
    d.target = tni_arena_strdup(&m->arena, f.at[0]);
    if (!d.target) return tni_out_of_memory(r->ctx);
    TN_TRY(tni_deck_number(r, i, &f, 2, 0, &value));
    const char *label = f.at[1];
    if (surface) {
      d.kind = TNI_DLOAD_SURFACE;
      if (!tni_deck_same(label, "P")) return tni_card_refuse(r->ctx, c, c->data_line[i], "label '%.20s' is not understood", label);
      if (!tni_deck_find_set(m->mesh, d.target, TNI_SET_FACES))
        return tni_card_refuse(r->ctx, c, c->data_line[i], "there is no surface of faces '%.60s'", d.target);
      TN_TRY(keep_dload(r, &d, value, amplitude));
      continue;
    }
    double number_of;
    const tni_mesh_set *set = tni_deck_find_set(m->mesh, d.target, TNI_SET_CELLS);
    if (set) d.target = set->name;
    else if (!tni_deck_is_number(d.target, &number_of) || tni_mesh_cell_of(m->mesh, (tn_gid)number_of) < 0)
      return tni_card_refuse(r->ctx, c, c->data_line[i], "there is no set of elements, and no element, '%.60s'", d.target);
    if (tni_deck_same(label, "GRAV")) {
      d.kind = TNI_DLOAD_GRAVITY;
      for (int k = 0; k < 3; k++) TN_TRY(tni_deck_number(r, i, &f, 3 + k, 0, &d.direction[k]));
      double size = vec3_norm(d.direction);
      if (!(size > 0)) return tni_card_refuse(r->ctx, c, c->data_line[i], "the direction of gravity is missing");
      vec3_scale(d.direction, 1/size, d.direction);
      if (count_masses(m, d.target, &masses) > 0)
        return tni_card_refuse(r->ctx, c, c->data_line[i], "GRAV on elements of type MASS is not understood; load their nodes");
    } else if (tni_deck_same(label, "CENTRIF")) {
      d.kind = TNI_DLOAD_SPIN;
      for (int k = 0; k < 6; k++) TN_TRY(tni_deck_number(r, i, &f, 3 + k, 0, &d.direction[k]));
      if (!(vec3_norm(d.direction + 3) > 0)) return tni_card_refuse(r->ctx, c, c->data_line[i], "the axis is missing");
      if (amplitude >= 0) return tni_card_refuse(r->ctx, c, c->data_line[i], "CENTRIF with an amplitude is not understood");
      if (count_masses(m, d.target, &masses) != masses)
        return tni_card_refuse(r->ctx, c, c->data_line[i], "CENTRIF on some of the elements of type MASS is not understood");
      if (value < 0) return tni_card_refuse(r->ctx, c, c->data_line[i], "the square of a speed is negative");
    } else if ((label[0] == 'P' || label[0] == 'p') && label[1] >= '1' && label[1] <= '6' && !label[2]) {
      TN_TRY(face_of(r, i, label, &d));
    } else if (tni_deck_same(label, "P")) {
      TN_TRY(face_of(r, i, label, &d));
    } else {
      return tni_card_refuse(r->ctx, c, c->data_line[i], "label '%.20s' is not understood", label);
    }
    TN_TRY(keep_dload(r, &d, value, amplitude));
  }
  return TN_OK;
}

