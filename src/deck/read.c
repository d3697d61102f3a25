/* deck/read.c - cards of a deck -> materials, sections, and histories of supports and loads through the steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "deck/reader.h"

tn_status tni_card_refuse(tn_ctx *ctx, const tni_card *card, int line, const char *fmt, ...) {
  char what[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof(what), fmt, ap);
  va_end(ap);
  return TN_FAIL(ctx, TN_ERR_INPUT, "%s:%d: *%s: %s", card->file, line ? line : card->line, card->keyword, what);
}

const tni_card *tni_deck_card(const tni_deck_reader *r) { return &r->m->deck->card[r->now]; }

bool tni_deck_same(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (toupper((unsigned char)*a) != toupper((unsigned char)*b)) return false;
  return *a == *b;
}

/* ---- lines ------------------------------------------------------------------------------------------- */

tn_status tni_deck_split(tni_deck_reader *r, int line, tni_deck_fields *f) {
  const tni_card *c = tni_deck_card(r);
  f->n = tni_card_fields(c->data[line], f->text, sizeof(f->text), f->at, TNI_DECK_FIELDS);
  if (f->n < 0) return tni_card_refuse(r->ctx, c, c->data_line[line], "the line is too long");
  return TN_OK;
}

bool tni_deck_is_number(const char *s, double *x) {
  char buffer[64], *end;
  if (!s || !*s || strlen(s) >= sizeof(buffer)) return false;
  snprintf(buffer, sizeof(buffer), "%s", s);
  for (char *c = buffer; *c; c++)
    if (*c == 'd' || *c == 'D') *c = 'e';
  *x = strtod(buffer, &end);
  return *end == 0 && isfinite(*x);
}

/* number i of a line; empty: fallback */
tn_status tni_deck_number(tni_deck_reader *r, int line, const tni_deck_fields *f, int i, double fallback, double *x) {
  const tni_card *c = tni_deck_card(r);
  *x = fallback;
  if (i >= f->n || !f->at[i][0]) return TN_OK;
  if (!tni_deck_is_number(f->at[i], x)) return tni_card_refuse(r->ctx, c, c->data_line[line], "'%.40s' is not a number", f->at[i]);
  return TN_OK;
}

/* parameters that a card may have; others are refused */
tn_status tni_deck_allow(tni_deck_reader *r, const char *const *known) {
  const tni_card *c = tni_deck_card(r);
  for (int i = 0; i < c->nparam; i++) {
    bool found = false;
    for (int k = 0; known[k]; k++) found = found || tni_card_same_word(known[k], c->param[i]);
    if (!found) return tni_card_refuse(r->ctx, c, 0, "parameter %s is not understood", c->param[i]);
  }
  return TN_OK;
}
/* nodes of a set, or of a number [1] */
static tn_status nodes_of(tni_deck_reader *r, int line, const char *name, int *n, const int **node) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  double number;
  int *one;
  const tni_mesh_set *set = tni_deck_find_set(m->mesh, name, TNI_SET_NODES);
  if (set) {
    *n = set->n;
    *node = set->member;
    return TN_OK;
  }
  if (!tni_deck_is_number(name, &number) || number != floor(number))
    return tni_card_refuse(r->ctx, c, c->data_line[line], "there is no set of nodes '%.60s'", name);
  int at = tni_mesh_node_of(m->mesh, (tn_gid)number);
  if (at < 0) return tni_card_refuse(r->ctx, c, c->data_line[line], "there is no node %.40s", name);
  TNI_ARENA_NEW(&m->arena, one, 1);
  one[0] = at;
  *n = 1;
  *node = one;
  return TN_OK;
}

static tn_status whole_dof(tni_deck_reader *r, int line, const tni_deck_fields *f, int i, int fallback, int *dof) {
  const tni_card *c = tni_deck_card(r);
  double x;
  TN_TRY(tni_deck_number(r, line, f, i, fallback, &x));
  if (x != floor(x) || x < 1 || x > TNI_DECK_NDOF)
    return tni_card_refuse(r->ctx, c, c->data_line[line], "degree of freedom '%.20s' must be 1 to 6", i < f->n ? f->at[i] : "");
  *dof = (int)x;
  return TN_OK;
}

/* ---- amplitudes, time ----------------------------------------------------------------------------------- */

static tn_status read_amplitude(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  const char *name = tni_card_value(c, "NAME"), *time = tni_card_value(c, "TIME");
  ALLOW(r, "NAME", "TIME", "VALUE", "DEFINITION");
  const char *definition = tni_card_value(c, "DEFINITION"), *value = tni_card_value(c, "VALUE");
  if (!name) return tni_card_refuse(r->ctx, c, 0, "NAME is missing");
  if (definition && !tni_deck_same(definition, "TABULAR")) return tni_card_refuse(r->ctx, c, 0, "DEFINITION=%.40s is not understood", definition);
  if (value && !tni_deck_same(value, "RELATIVE") && !tni_deck_same(value, "ABSOLUTE")) return tni_card_refuse(r->ctx, c, 0, "VALUE=%.40s is not understood", value);
  if (value && tni_deck_same(value, "ABSOLUTE")) return tni_card_refuse(r->ctx, c, 0, "VALUE=ABSOLUTE is not understood");
  tni_deck_amplitude *a = &m->amplitude[m->namplitude++];
  *a = (tni_deck_amplitude){.name = name, .total = time && (tni_deck_same(time, "TOTALTIME") || tni_deck_same(time, "TOTAL TIME"))};
  TNI_ARENA_NEW(&m->arena, a->t, 4*c->ndata + 1);
  TNI_ARENA_NEW(&m->arena, a->a, 4*c->ndata + 1);
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    TN_TRY(tni_deck_split(r, i, &f));
    for (int k = 0; k + 1 < f.n && k < 8; k += 2) {
      if (!f.at[k][0]) continue;
      TN_TRY(tni_deck_number(r, i, &f, k, 0, &a->t[a->n]));
      TN_TRY(tni_deck_number(r, i, &f, k + 1, 0, &a->a[a->n]));
      if (a->n > 0 && !(a->t[a->n] > a->t[a->n - 1])) return tni_card_refuse(r->ctx, c, c->data_line[i], "times must increase");
      a->n++;
    }
  }
  if (a->n == 0) return tni_card_refuse(r->ctx, c, 0, "points are missing");
  return TN_OK;
}

tn_status tni_deck_amplitude_of(tni_deck_reader *r, int *out) {
  const tni_card *c = tni_deck_card(r);
  const char *name = tni_card_value(c, "AMPLITUDE");
  *out = -1;
  for (int i = 0; i < r->m->namplitude && name; i++)
    if (tni_deck_same(r->m->amplitude[i].name, name)) *out = i;
  if (name && *out < 0) return tni_card_refuse(r->ctx, c, 0, "there is no amplitude '%.60s'", name);
  const char *delay = tni_card_value(c, "TIME DELAY");
  double late = 0;
  if (!delay || !name) return TN_OK;
  if (!tni_deck_is_number(delay, &late)) return tni_card_refuse(r->ctx, c, 0, "TIME DELAY must be a number");
  const tni_deck_amplitude *a = &r->m->amplitude[*out];
  tni_deck_amplitude *own = &r->m->amplitude[r->m->namplitude];
  *own = (tni_deck_amplitude){.name = "", .total = a->total, .n = a->n, .a = a->a};
  TNI_ARENA_NEW(&r->m->arena, own->t, a->n);
  for (int i = 0; i < a->n; i++) own->t[i] = a->t[i] + late;
  *out = r->m->namplitude++;
  return TN_OK;
}

/* ---- histories ------------------------------------------------------------------------------------------ */

static tni_deck_value *boundary_at(const tni_deck_reader *r, int node, int dof) {
  const tni_deck_model *m = r->m;
  return &m->boundary[((size_t)(r->step < 0 ? 0 : r->step)*(size_t)m->mesh->nnode + (size_t)node)*TNI_DECK_NDOF + (size_t)dof];
}

static tni_deck_value *force_at(const tni_deck_reader *r, int node, int dof) {
  const tni_deck_model *m = r->m;
  return &m->force[((size_t)(r->step < 0 ? 0 : r->step)*(size_t)m->mesh->nnode + (size_t)node)*TNI_DECK_NDOF + (size_t)dof];
}

tn_status tni_deck_op(tni_deck_reader *r, tni_deck_family family, bool *anew) {
  const tni_card *c = tni_deck_card(r);
  const char *op = tni_card_value(c, "OP");
  *anew = op && tni_deck_same(op, "NEW");
  if (op && !*anew && !tni_deck_same(op, "MOD")) return tni_card_refuse(r->ctx, c, 0, "OP=%.40s is not understood", op);
  if (r->step < 0) return TN_OK;
  if (*anew && r->begun[family] == 1)
    return tni_card_refuse(r->ctx, c, 0, "OP=NEW after another such card of the step, without it, does nothing there: that is not understood; write it on the first one");
  if (r->begun[family] == 0) r->begun[family] = *anew ? 2 : 1;
  return TN_OK;
}

/* OP=NEW: what earlier steps said goes; what this step has said stays */
static tn_status begin_anew(tni_deck_reader *r, tni_deck_family family, tni_deck_value *all, size_t n) {
  bool anew;
  TN_TRY(tni_deck_op(r, family, &anew));
  for (size_t i = 0; i < n && anew; i++)
    if (!all[i].fresh) all[i].on = 0;
  return TN_OK;
}

static tn_status read_boundary(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  int amplitude;
  ALLOW(r, "OP", "AMPLITUDE", "TIME DELAY", "TYPE", "FIXED");
  const char *type = tni_card_value(c, "TYPE");
  if (type && !tni_deck_same(type, "DISPLACEMENT")) return tni_card_refuse(r->ctx, c, 0, "TYPE=%.40s is not understood", type);
  if (tni_card_value(c, "FIXED")) return tni_card_refuse(r->ctx, c, 0, "FIXED is not understood");
  TN_TRY(tni_deck_amplitude_of(r, &amplitude));
  TN_TRY(begin_anew(r, TNI_DECK_BOUNDARY, boundary_at(r, 0, 0), (size_t)m->mesh->nnode*TNI_DECK_NDOF));
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    int n, from, to;
    const int *node;
    double value;
    TN_TRY(tni_deck_split(r, i, &f));
    if (f.n == 0) continue;
    TN_TRY(nodes_of(r, i, f.at[0], &n, &node));
    double x;
    if (f.n > 1 && !tni_deck_is_number(f.at[1], &x))
      return tni_card_refuse(r->ctx, c, c->data_line[i], "'%.40s' is not understood; write degrees of freedom as numbers", f.at[1]);
    if (f.n > 1 && (x == 11 || x == 8 || x == 0)) return tni_card_refuse(r->ctx, c, c->data_line[i], "degree of freedom %g is not understood", x);
    TN_TRY(whole_dof(r, i, &f, 1, 1, &from));
    TN_TRY(whole_dof(r, i, &f, 2, from, &to));
    TN_TRY(tni_deck_number(r, i, &f, 3, 0, &value));
    for (int k = 0; k < n; k++)
      for (int d = from; d <= to; d++)
        *boundary_at(r, node[k], d - 1) = (tni_deck_value){.value = value, .amplitude = amplitude, .on = 1, .fresh = 1};
  }
  return TN_OK;
}

static tn_status read_cload(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  int amplitude;
  ALLOW(r, "OP", "AMPLITUDE", "TIME DELAY");
  TN_TRY(tni_deck_amplitude_of(r, &amplitude));
  TN_TRY(begin_anew(r, TNI_DECK_CLOAD, force_at(r, 0, 0), (size_t)m->mesh->nnode*TNI_DECK_NDOF));
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    int n, dof;
    const int *node;
    double value;
    TN_TRY(tni_deck_split(r, i, &f));
    if (f.n == 0) continue;
    TN_TRY(nodes_of(r, i, f.at[0], &n, &node));
    TN_TRY(whole_dof(r, i, &f, 1, 0, &dof));
    TN_TRY(tni_deck_number(r, i, &f, 2, 0, &value));
    for (int k = 0; k < n; k++) {
      tni_deck_value *v = force_at(r, node[k], dof - 1);
      if (v->on && v->fresh && v->amplitude != amplitude)
        return tni_card_refuse(r->ctx, c, c->data_line[i], "two forces with two amplitudes at node %lld are not understood",
                               (long long)m->mesh->gid[node[k]]);
      m->loaded_by[node[k]] = c;
      double sum = v->on && v->fresh ? v->value + value : value; /* within a step they add up */
      *v = (tni_deck_value){.value = sum, .amplitude = amplitude, .on = 1, .fresh = 1};
    }
  }
  return TN_OK;
}

static tn_status read_temperature(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  int amplitude;
  ALLOW(r, "OP", "AMPLITUDE", "TIME DELAY");
  TN_TRY(tni_deck_amplitude_of(r, &amplitude));
  tni_deck_value *at = m->temperature + (size_t)r->step*(size_t)m->mesh->nnode;
  TN_TRY(begin_anew(r, TNI_DECK_TEMPERATURE, at, (size_t)m->mesh->nnode));
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    int n;
    const int *node;
    double value;
    TN_TRY(tni_deck_split(r, i, &f));
    if (f.n == 0) continue;
    TN_TRY(nodes_of(r, i, f.at[0], &n, &node));
    TN_TRY(tni_deck_number(r, i, &f, 1, 0, &value));
    double slope;
    TN_TRY(tni_deck_number(r, i, &f, 2, 0, &slope));
    for (int k = 0; k < n; k++) {
      at[node[k]] = (tni_deck_value){.value = value, .amplitude = amplitude, .on = 1, .fresh = 1};
      m->gradient[(size_t)r->step*(size_t)m->mesh->nnode + (size_t)node[k]] = slope;
    }
  }
  m->warm = c;
  return TN_OK;
}

static tn_status read_initial(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  const char *type = tni_card_value(c, "TYPE");
  ALLOW(r, "TYPE");
  bool speed = type && tni_deck_same(type, "VELOCITY");
  if (!type || (!speed && !tni_deck_same(type, "TEMPERATURE"))) return tni_card_refuse(r->ctx, c, 0, "TYPE=%.40s is not understood", type ? type : "");
  for (int i = 0; i < c->ndata; i++) {
    tni_deck_fields f;
    int n;
    const int *node;
    double value;
    TN_TRY(tni_deck_split(r, i, &f));
    if (f.n == 0) continue;
    TN_TRY(nodes_of(r, i, f.at[0], &n, &node));
    if (speed) {
      int dof;
      TN_TRY(whole_dof(r, i, &f, 1, 0, &dof));
      TN_TRY(tni_deck_number(r, i, &f, 2, 0, &value));
      if (dof > 3) return tni_card_refuse(r->ctx, c, c->data_line[i], "velocities of rotations are not understood");
      for (int k = 0; k < n; k++) {
        m->velocity[node[k]][dof - 1] = value;
        if (value != 0) m->moving = c;
        if (value != 0 && (tni_deck_expanded(m, node[k]) || m->axes[node[k]]))
          return tni_card_refuse(r->ctx, c, c->data_line[i], "the velocity of node %lld, of a shell, a beam, plane stress or in local axes, is not understood",
                                 (long long)m->mesh->gid[node[k]]);
      }
      continue;
    }
    TN_TRY(tni_deck_number(r, i, &f, 1, 0, &value));
    for (int k = 0; k < n; k++) m->reference[node[k]] = value;
  }
  return TN_OK;
}

/* ---- couplings -------------------------------------------------------------------------------------------- */

static tn_status read_equation(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  ALLOW(r, "REMOVE");
  if (tni_card_value(c, "REMOVE")) return tni_card_refuse(r->ctx, c, 0, "REMOVE is not understood");
  if (r->step >= 0) return tni_card_refuse(r->ctx, c, 0, "equations within steps are not understood");
  for (int line = 0; line < c->ndata;) {
    tni_deck_fields f;
    double n;
    int first = line;
    TN_TRY(tni_deck_split(r, line, &f));
    TN_TRY(tni_deck_number(r, line, &f, 0, 0, &n));
    if (n < 1 || n != floor(n) || n > 1e6) return tni_card_refuse(r->ctx, c, c->data_line[line], "the number of terms is missing");
    line++;
    void *items = m->equation;
    if (!tni_arena_grow(&m->arena, &items, m->nequation, &r->cap[1], sizeof(*m->equation))) return tni_out_of_memory(r->ctx);
    m->equation = items;
    tni_deck_equation *e = &m->equation[m->nequation++];
    *e = (tni_deck_equation){.card = c, .line = c->data_line[first]};
    TNI_ARENA_NEW(&m->arena, e->node, n);
    TNI_ARENA_NEW(&m->arena, e->dof, n);
    TNI_ARENA_NEW(&m->arena, e->factor, n);
    while (e->n < n) {
      if (line >= c->ndata) return tni_card_refuse(r->ctx, c, c->data_line[first], "%g terms are announced, %d follow", n, e->n);
      TN_TRY(tni_deck_split(r, line, &f));
      for (int k = 0; k + 2 < f.n && e->n < n; k += 3) {
        int count, dof;
        const int *node;
        double factor;
        if (!f.at[k][0]) break;
        TN_TRY(nodes_of(r, line, f.at[k], &count, &node));
        if (count != 1) return tni_card_refuse(r->ctx, c, c->data_line[line], "sets in equations are not understood");
        TN_TRY(whole_dof(r, line, &f, k + 1, 0, &dof));
        TN_TRY(tni_deck_number(r, line, &f, k + 2, 0, &factor));
        e->node[e->n] = node[0];
        e->dof[e->n] = (signed char)(dof - 1);
        e->factor[e->n++] = factor;
      }
      line++;
    }
  }
  return TN_OK;
}

static tn_status node_of(tni_deck_reader *r, const char *text, int *node) {
  double x;
  *node = -1;
  if (!text) return TN_OK;
  if (!tni_deck_is_number(text, &x) || (*node = tni_mesh_node_of(r->m->mesh, (tn_gid)x)) < 0)
    return tni_card_refuse(r->ctx, tni_deck_card(r), 0, "there is no node %.40s", text);
  return TN_OK;
}

static tn_status read_rigid(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  const char *nset = tni_card_value(c, "NSET"), *elset = tni_card_value(c, "ELSET");
  ALLOW(r, "NSET", "ELSET", "REF NODE", "ROT NODE");
  if (!nset == !elset) return tni_card_refuse(r->ctx, c, 0, "NSET or ELSET is needed");
  const tni_mesh_set *set = tni_deck_find_set(m->mesh, nset ? nset : elset, nset ? TNI_SET_NODES : TNI_SET_CELLS);
  if (!set) return tni_card_refuse(r->ctx, c, 0, "there is no set '%.60s'", nset ? nset : elset);
  tni_deck_rigid *b = &m->rigid[m->nrigid++];
  *b = (tni_deck_rigid){.card = c, .set = set->name, .of_elements = elset != NULL};
  TN_TRY(node_of(r, tni_card_value(c, "REF NODE"), &b->ref));
  TN_TRY(node_of(r, tni_card_value(c, "ROT NODE"), &b->rot));
  if (b->ref < 0) return tni_card_refuse(r->ctx, c, 0, "REF NODE is missing");
  return TN_OK;
}

static tn_status read_transform(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  const char *nset = tni_card_value(c, "NSET"), *type = tni_card_value(c, "TYPE");
  double x[6];
  ALLOW(r, "NSET", "TYPE");
  const tni_mesh_set *set = nset ? tni_deck_find_set(m->mesh, nset, TNI_SET_NODES) : NULL;
  if (!set) return tni_card_refuse(r->ctx, c, 0, "there is no set of nodes '%.60s'", nset ? nset : "");
  bool round = type && (tni_deck_same(type, "C"));
  if (type && !round && !tni_deck_same(type, "R")) return tni_card_refuse(r->ctx, c, 0, "TYPE=%.40s is not understood", type);
  TN_TRY(tni_deck_six_numbers(r, c, x));
  double fixed[9];
  if (!round && !tni_deck_rectangular(x, x + 3, fixed)) return tni_card_refuse(r->ctx, c, 0, "its points do not span a plane");
  for (int i = 0; i < set->n; i++) {
    double *R;
    TNI_ARENA_NEW(&m->arena, R, 9);
    if (!round) {
      memcpy(R, fixed, sizeof(fixed));
    } else { /* radial, tangential, axial: the axis goes from the first point to the second */
      double a[3], p[3];
      vec3_sub(a, x + 3, x);
      if (!(vec3_norm(a) > 0)) return tni_card_refuse(r->ctx, c, 0, "its axis has no length");
      vec3_scale(a, 1/vec3_norm(a), a);
      vec3_sub(p, m->mesh->x + 3*(size_t)set->member[i], x);
      vec3_addmul(p, -vec3_dot(p, a), a);
      if (!(vec3_norm(p) > 0))
        return tni_card_refuse(r->ctx, c, 0, "node %lld is on the axis", (long long)m->mesh->gid[set->member[i]]);
      vec3_scale(R, 1/vec3_norm(p), p);
      vec3_copy(R + 6, a);
      vec3_cross(R + 3, a, R);
    }
    m->axes[set->member[i]] = R;
  }
  return TN_OK;
}

/* ---- springs, dashpots, masses: elements whose constants come by a card -------------------------------------- */

static tn_status read_point_element(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  bool mass = strcmp(c->keyword, "MASS") == 0, dashpot = strcmp(c->keyword, "DASHPOT") == 0;
  const char *elset = tni_card_value(c, "ELSET");
  ALLOW(r, "ELSET");
  const tni_mesh_set *set = elset ? tni_deck_find_set(m->mesh, elset, TNI_SET_CELLS) : NULL;
  if (!set) return tni_card_refuse(r->ctx, c, 0, "there is no set of elements '%.60s'", elset ? elset : "");
  for (int e = 0; e < set->n; e++) {
    int in_block;
    const tni_mesh_block *b = tni_mesh_cell(m->mesh, set->member[e], &in_block);
    const int *node = b->node + in_block*tni_cell_of(b->cell)->nnode;
    const char *label = b->label ? b->label : "";
    tni_deck_fields f;
    double x;
    if (mass) {
      if (strcmp(label, "MASS") != 0) return tni_card_refuse(r->ctx, c, 0, "element of type %s in a set of masses", label);
      TN_TRY(tni_deck_split(r, 0, &f));
      TN_TRY(tni_deck_number(r, 0, &f, 0, 0, &x));
      m->mass[node[0]] += x;
      m->any_mass = true;
      continue;
    }
    bool line = strcmp(label, dashpot ? "DASHPOTA" : "SPRINGA") == 0, one = strcmp(label, "SPRING1") == 0, two = strcmp(label, "SPRING2") == 0;
    if (!line && !(one || two)) return tni_card_refuse(r->ctx, c, 0, "element of type %s in a set of springs", label);
    void *items = m->spring;
    if (!tni_arena_grow(&m->arena, &items, m->nspring, &r->cap[2], sizeof(*m->spring))) return tni_out_of_memory(r->ctx);
    m->spring = items;
    tni_deck_spring *s = &m->spring[m->nspring++];
    *s = (tni_deck_spring){.card = c, .node = {node[0], one ? -1 : node[1]}, .dof = -1};
    int at = 0, first = 1, second = 1;
    if (!line) {
      if (c->ndata < 2) return tni_card_refuse(r->ctx, c, 0, "degrees of freedom and stiffness are needed");
      TN_TRY(tni_deck_split(r, 0, &f));
      TN_TRY(whole_dof(r, 0, &f, 0, 0, &first));
      TN_TRY(whole_dof(r, 0, &f, 1, first, &second));
      if (two && first != second) return tni_card_refuse(r->ctx, c, 0, "springs between different degrees of freedom are not understood");
      s->dof = (signed char)(first - 1);
      at = 1;
    }
    if (c->ndata != at + 1) return tni_card_refuse(r->ctx, c, 0, "one line with a constant is understood, there are %d", c->ndata - at);
    TN_TRY(tni_deck_split(r, at, &f));
    if (f.n < 1 || !f.at[0][0]) return tni_card_refuse(r->ctx, c, c->data_line[at], "the constant is missing");
    TN_TRY(tni_deck_number(r, at, &f, 0, 0, &x));
    *(dashpot ? &s->c : &s->k) = x;
  }
  return TN_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------- */

/* What an earlier step brought by an amplitude of its own time stays as it was at the end of that step; amplitudes over the time of all steps go on */
static void hold(const tni_deck_reader *r, tni_deck_value *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!v[i].on || v[i].amplitude < 0 || r->m->amplitude[v[i].amplitude].total) continue;
    v[i].value = tni_deck_end_value(r->m, &v[i], r->step - 1);
    v[i].amplitude = -1;
  }
}

static tn_status begin_step(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  ALLOW(r, "NLGEOM", "INC", "INCF", "PERTURBATION", "AMPLITUDE");
  r->step++;
  memset(r->begun, 0, sizeof(r->begun));
  tni_deck_step *s = &m->step[r->step];
  const char *large = tni_card_value(c, "NLGEOM"), *amplitude = tni_card_value(c, "AMPLITUDE");
  *s = (tni_deck_step){.card = c, .period = 1, .first = 1, .kind = (tni_step_kind)-1,
                       .stressed = r->step > 0 && tni_card_value(c, "PERTURBATION")};
  s->large = (large && !tni_deck_same(large, "NO")) || (r->step > 0 && m->step[r->step-1].large && !(large && tni_deck_same(large, "NO")));
  if (r->step > 0 && s->large != m->step[r->step-1].large) return tni_card_refuse(r->ctx, c, 0, "steps with and without NLGEOM do not go together");
  if (amplitude && tni_deck_same(amplitude, "STEP")) s->step_loads = true;
  else if (amplitude && !tni_deck_same(amplitude, "RAMP")) return tni_card_refuse(r->ctx, c, 0, "AMPLITUDE=%.40s is not understood", amplitude);
  /* what earlier steps said goes on */
  size_t n = (size_t)m->mesh->nnode;
  if (r->step > 0) {
    memcpy(boundary_at(r, 0, 0), m->boundary + (size_t)(r->step - 1)*n*TNI_DECK_NDOF, n*TNI_DECK_NDOF*sizeof(tni_deck_value));
    memcpy(force_at(r, 0, 0), m->force + (size_t)(r->step - 1)*n*TNI_DECK_NDOF, n*TNI_DECK_NDOF*sizeof(tni_deck_value));
    memcpy(m->gradient + (size_t)r->step*n, m->gradient + (size_t)(r->step - 1)*n, n*sizeof(double));
    memcpy(m->temperature + (size_t)r->step*n, m->temperature + (size_t)(r->step - 1)*n, n*sizeof(tni_deck_value));
    for (int i = 0; i < m->ndload; i++) {
      m->dload[i].at[r->step] = m->dload[i].at[r->step - 1];
      hold(r, &m->dload[i].at[r->step], 1);
    }
    hold(r, boundary_at(r, 0, 0), n*TNI_DECK_NDOF);
    hold(r, force_at(r, 0, 0), n*TNI_DECK_NDOF);
  }
  for (size_t i = 0; i < n*TNI_DECK_NDOF; i++) boundary_at(r, 0, 0)[i].fresh = force_at(r, 0, 0)[i].fresh = 0;
  for (size_t i = 0; i < n; i++) m->temperature[(size_t)r->step*n + i].fresh = 0;
  for (int i = 0; i < m->ndload; i++) m->dload[i].at[r->step].fresh = 0;
  /* tables asked for earlier go on until others of their kind are asked for */
  tni_deck_print *own;
  TNI_ARENA_NEW(&m->arena, own, r->nprint + 1);
  if (r->nprint) memcpy(own, r->print, (size_t)r->nprint*sizeof(*own));
  r->print = own;
  r->print_cap = r->nprint + 1;
  r->asked[0] = r->asked[1] = false;
  return TN_OK;
}

static tn_status set_kind(tni_deck_reader *r, tni_step_kind kind) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_step *s = &r->m->step[r->step];
  if ((int)s->kind != -1) return tni_card_refuse(r->ctx, c, 0, "two procedures in one step");
  s->kind = kind;
  return TN_OK;
}

static tn_status read_procedure(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_step *s = r->step >= 0 ? &r->m->step[r->step] : NULL;
  tni_deck_fields f;
  double x[4] = {1, 1, 0, 0};
  if (!s) return tni_card_refuse(r->ctx, c, 0, "it belongs into a step");
  bool buckle = strcmp(c->keyword, "BUCKLE") == 0, chooses = false;
  if (buckle || strcmp(c->keyword, "FREQUENCY") == 0) {
    ALLOW(r, "SOLVER", "STORAGE", "GLOBAL");
    TN_TRY(set_kind(r, buckle ? TNI_DECK_BUCKLE : TNI_DECK_FREQUENCY));
    if (c->ndata < 1) return tni_card_refuse(r->ctx, c, 0, "the number of modes is missing");
    TN_TRY(tni_deck_split(r, 0, &f));
    TN_TRY(tni_deck_number(r, 0, &f, 0, 0, &x[0]));
    if (!buckle && f.n > 2 && f.at[2][0]) return tni_card_refuse(r->ctx, c, c->data_line[0], "an upper bound of frequencies is not understood");
    if (!buckle) TN_TRY(tni_deck_number(r, 0, &f, 1, 0, &s->lower)); /* of *BUCKLE: how exact */
    if (x[0] < 1 || x[0] != floor(x[0]) || x[0] > 1e4) return tni_card_refuse(r->ctx, c, c->data_line[0], "the number of modes must be 1 to 10000");
    s->nmode = (int)x[0];
    return TN_OK;
  }
  if (strcmp(c->keyword, "MODALDYNAMIC") == 0) {
    ALLOW(r, "SOLVER", "DIRECT", "DELTMX");
    const char *direct = tni_card_value(c, "DIRECT");
    chooses = direct && tni_deck_same(direct, "NO");
    TN_TRY(set_kind(r, TNI_DECK_MODAL));
    for (int i = 0; i < r->step; i++)
      if (r->m->step[i].kind == TNI_DECK_FREQUENCY) s->nmode = r->m->step[i].nmode;
    if (s->nmode == 0) return tni_card_refuse(r->ctx, c, 0, "a step *FREQUENCY must come before it");
  } else if (strcmp(c->keyword, "STATIC") == 0) {
    ALLOW(r, "DIRECT", "SOLVER", "TIME RESET", "TOTAL TIME AT START", "EXPLICIT");
    if (tni_card_value(c, "TOTAL TIME AT START") || tni_card_value(c, "TIME RESET")) return tni_card_refuse(r->ctx, c, 0, "TIME RESET and TOTAL TIME AT START are not understood");
    TN_TRY(set_kind(r, TNI_DECK_STATIC));
    s->direct = tni_card_value(c, "DIRECT") != NULL;
  } else {
    ALLOW(r, "DIRECT", "SOLVER", "EXPLICIT", "ALPHA");
    const char *explicitly = tni_card_value(c, "EXPLICIT"), *alpha = tni_card_value(c, "ALPHA");
    TN_TRY(set_kind(r, explicitly ? TNI_DECK_EXPLICIT : TNI_DECK_DYNAMIC));
    s->direct = tni_card_value(c, "DIRECT") != NULL;
    s->hht = -0.05;
    if (alpha && !tni_deck_is_number(alpha, &s->hht)) return tni_card_refuse(r->ctx, c, 0, "ALPHA must be a number");
  }
  if (c->ndata > 0) {
    TN_TRY(tni_deck_split(r, 0, &f));
    for (int i = 0; i < 2; i++) TN_TRY(tni_deck_number(r, 0, &f, i, 1, &x[i]));
    if (!(x[0] > 0) || !(x[1] > 0)) return tni_card_refuse(r->ctx, c, c->data_line[0], "times must be above 0");
  }
  if (s->kind == TNI_DECK_DYNAMIC && !s->direct && c->ndata > 0) {
    TN_TRY(tni_deck_number(r, 0, &f, 3, 0, &s->longest));
    bool given = x[0] >= x[1] || (s->longest > 0 && s->longest <= x[0]);
    if (s->large && !given)
      return tni_card_refuse(r->ctx, c, 0, "with NLGEOM increments that CalculiX chooses by how its iteration converges are not understood; DIRECT, or a "
                             "largest increment as long as the first, gives them");
    s->direct = given;
  }
  s->first = chooses ? fmin(x[0], x[1]/1000) : x[0]; /* small enough for any history of loads, whatever increments it chooses there */
  s->period = x[1];
  return TN_OK;
}

static tn_status read_print(tni_deck_reader *r) {
  static const char *const node_words[] = {"U", "RF", "V"};
  static const char *const element_words[] = {"S", "E", "PEEQ", "ELSE", "EVOL"};
  const tni_card *c = tni_deck_card(r);
  tni_deck_model *m = r->m;
  bool elements = strcmp(c->keyword, "ELPRINT") == 0;
  const char *set = tni_card_value(c, elements ? "ELSET" : "NSET"), *totals = tni_card_value(c, "TOTALS"), *global = tni_card_value(c, "GLOBAL");
  ALLOW(r, "NSET", "ELSET", "FREQUENCY", "TOTALS", "GLOBAL", "TIME POINTS");
  if (r->step < 0) return tni_card_refuse(r->ctx, c, 0, "it belongs into a step");
  if (!elements && global && tni_deck_same(global, "NO")) return tni_card_refuse(r->ctx, c, 0, "GLOBAL=NO is not understood");
  const char *every = tni_card_value(c, "FREQUENCY");
  double often = 1;
  if (every && !tni_deck_is_number(every, &often)) return tni_card_refuse(r->ctx, c, 0, "FREQUENCY must be a number");
  const tni_mesh_set *found = set ? tni_deck_find_set(m->mesh, set, elements ? TNI_SET_CELLS : TNI_SET_NODES) : NULL;
  if (!found && often != 0) return tni_card_refuse(r->ctx, c, 0, "there is no set '%.60s'", set ? set : "");
  for (int i = 0, n = 0; !r->asked[elements]; i++) {
    if (i == r->nprint) {
      r->nprint = n;
      r->asked[elements] = true;
    } else if (r->print[i].elements != elements) {
      r->print[n++] = r->print[i];
    }
  }
  for (int i = 0; i < c->ndata && often != 0; i++) {
    tni_deck_fields f;
    TN_TRY(tni_deck_split(r, i, &f));
    for (int k = 0; k < f.n; k++) {
      const char *word = NULL;
      if (!f.at[k][0]) continue;
      for (int j = 0; j < (elements ? TNI_COUNT(element_words) : TNI_COUNT(node_words)) && !word; j++) {
        const char *known = elements ? element_words[j] : node_words[j];
        if (tni_deck_same(f.at[k], known)) word = known;
      }
      if (!word) {
        tni_log(r->ctx, TN_LOG_WARNING, "%s:%d: *%s: '%.20s' is not printed", c->file, c->data_line[i], c->keyword, f.at[k]);
        continue;
      }
      void *items = r->print;
      if (!tni_arena_grow(&m->arena, &items, r->nprint, &r->print_cap, sizeof(*r->print))) return tni_out_of_memory(r->ctx);
      r->print = items;
      r->print[r->nprint++] = (tni_deck_print){.card = c, .elements = elements, .set = found->name, .what = word, .global = global && tni_deck_same(global, "YES"),
                                               .totals = totals && tni_deck_same(totals, "ONLY") ? 2 : totals && tni_deck_same(totals, "YES") ? 1 : 0};
    }
  }
  return TN_OK;
}

/* PERTURBATION: frequencies with the stresses that the step before ends with */
static tn_status check_stressed(tni_deck_reader *r, const tni_deck_step *s) {
  const tni_deck_model *m = r->m;
  size_t n = (size_t)m->mesh->nnode, all = n*TNI_DECK_NDOF;
  bool fresh = false, warm = false;
  if (s->kind != TNI_DECK_FREQUENCY || m->step[r->step-1].kind != TNI_DECK_STATIC)
    return tni_card_refuse(r->ctx, s->card, 0, "PERTURBATION is understood in a step *FREQUENCY after *STATIC");
  if (!s->large)
    return tni_card_refuse(r->ctx, s->card, 0, "PERTURBATION after a *STATIC without NLGEOM is not understood: there displacements count that "
                           "are in no equilibrium; write *STEP, NLGEOM");
  for (size_t i = 0; i < all; i++) fresh = fresh || boundary_at(r, 0, 0)[i].fresh || force_at(r, 0, 0)[i].fresh;
  for (int i = 0; i < m->ndload; i++) {
    fresh = fresh || m->dload[i].at[r->step].fresh;
    if (m->dload[i].kind == TNI_DLOAD_SPIN && m->dload[i].at[r->step].on)
      return tni_card_refuse(r->ctx, s->card, 0, "PERTURBATION after CENTRIF is not understood");
  }
  for (size_t i = 0; i < n; i++) warm = warm || m->temperature[(size_t)r->step*n + i].fresh;
  if (fresh || warm) return tni_card_refuse(r->ctx, s->card, 0, "PERTURBATION with loads or supports of its own is not understood");
  if (m->yields) return tni_card_refuse(r->ctx, s->card, 0, "PERTURBATION after steps with *PLASTIC is not understood");
  return TN_OK;
}

static tn_status read_modal_damping(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  tni_deck_step *s = r->step >= 0 ? &r->m->step[r->step] : NULL;
  tni_deck_fields f;
  double x[3];
  ALLOW(r, "MODAL", "RAYLEIGH");
  if (!s || s->kind != TNI_DECK_MODAL) return tni_card_refuse(r->ctx, c, 0, "it is understood in steps *MODAL DYNAMIC");
  if (c->ndata < 1) return tni_card_refuse(r->ctx, c, 0, "its lines are missing");
  TN_TRY(tni_deck_split(r, 0, &f));
  if (tni_card_value(c, "RAYLEIGH")) {
    if (r->m->nspring > 0 || r->m->any_mass) return tni_card_refuse(r->ctx, c, 0, "RAYLEIGH with springs or masses, which it damps there, is not understood");
    for (int i = 0; i < 2; i++) {
      TN_TRY(tni_deck_number(r, 0, &f, 2 + i, 0, &s->rayleigh[i]));
      if (s->rayleigh[i] < 0) return tni_card_refuse(r->ctx, c, c->data_line[0], "a negative damping is not understood");
    }
    return TN_OK;
  }
  if (!s->zeta) TNI_ARENA_NEW(&r->m->arena, s->zeta, s->nmode);
  for (int line = 0; line < c->ndata; line++) {
    TN_TRY(tni_deck_split(r, line, &f));
    for (int i = 0; i < 3; i++) TN_TRY(tni_deck_number(r, line, &f, i, 0, &x[i]));
    if (!(x[0] >= 1) || !(x[1] >= x[0]) || x[2] < 0)
      return tni_card_refuse(r->ctx, c, c->data_line[line], "modes %g to %g with damping %g are not understood", x[0], x[1], x[2]);
    for (int k = (int)x[0]; k <= x[1] && k <= s->nmode; k++) s->zeta[k - 1] = x[2];
  }
  return TN_OK;
}

/* loads of steps before do not act in motions by modes */
static void forget_loads(tni_deck_reader *r) {
  tni_deck_model *m = r->m;
  for (size_t i = 0; i < (size_t)m->mesh->nnode*TNI_DECK_NDOF; i++) {
    if (!force_at(r, 0, 0)[i].fresh) force_at(r, 0, 0)[i].on = 0;
    if (!boundary_at(r, 0, 0)[i].fresh) boundary_at(r, 0, 0)[i].value = 0;
  }
  for (int i = 0; i < m->ndload; i++)
    if (!m->dload[i].at[r->step].fresh) m->dload[i].at[r->step].on = 0;
}

static tn_status end_step(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  if (r->step < 0) return tni_card_refuse(r->ctx, c, 0, "there was no *STEP");
  tni_deck_step *s = &r->m->step[r->step];
  if ((int)s->kind == -1) return tni_card_refuse(r->ctx, c, 0, "the step has no procedure that is understood");
  s->nprint = r->nprint;
  s->print = r->print;
  if ((s->kind == TNI_DECK_FREQUENCY || s->kind == TNI_DECK_BUCKLE) && (r->asked[0] || r->asked[1]) && r->nprint > 0)
    tni_log(r->ctx, TN_LOG_WARNING, "%s:%d: *%s: tables of modes are not printed, their shapes stand in the results", r->print[0].card->file, r->print[0].card->line,
            r->print[0].card->keyword);
  if (s->kind == TNI_DECK_MODAL) forget_loads(r);
  if (s->kind == TNI_DECK_BUCKLE && r->step > 0) return tni_card_refuse(r->ctx, s->card, 0, "*BUCKLE after other steps is not understood");
  return s->stressed ? check_stressed(r, s) : TN_OK;
}

/* ---- all cards ------------------------------------------------------------------------------------------- */

static tn_status ignore(tni_deck_reader *r) {
  (void)r;
  return TN_OK;
}

static tn_status within_matter(tni_deck_reader *r, tn_status (*read)(tni_deck_reader *)) {
  if (!r->matter) return tni_card_refuse(r->ctx, tni_deck_card(r), 0, "it belongs to a *MATERIAL");
  return read(r);
}

static tn_status read_tie(tni_deck_reader *r) {
  ALLOW(r, "NAME", "POSITION TOLERANCE", "ADJUST");
  r->m->tie[r->m->ntie++] = tni_deck_card(r);
  return TN_OK;
}

static const struct {
  const char *keyword;
  tn_status (*read)(tni_deck_reader *);
  bool matter;
} cards[] = {
    {"HEADING", ignore, false}, {"MATERIAL", tni_deck_begin_matter, false}, {"ELASTIC", tni_deck_read_elastic, true}, {"DENSITY", tni_deck_read_density, true},
    {"PLASTIC", tni_deck_read_plastic, true}, {"EXPANSION", tni_deck_read_expansion, true}, {"DAMPING", tni_deck_read_damping, true},
    {"CONDUCTIVITY", ignore, true}, {"SPECIFICHEAT", ignore, true}, {"SOLIDSECTION", tni_deck_read_section, false}, {"SHELLSECTION", tni_deck_read_section, false}, {"BEAMSECTION", tni_deck_read_section, false},
    {"NODALTHICKNESS", ignore, false}, {"NORMAL", ignore, false},
    {"ORIENTATION", ignore, false}, {"AMPLITUDE", read_amplitude, false}, {"BOUNDARY", read_boundary, false}, {"CLOAD", read_cload, false},
    {"DLOAD", tni_deck_read_dload, false}, {"DSLOAD", tni_deck_read_dload, false}, {"EQUATION", read_equation, false}, {"RIGIDBODY", read_rigid, false},
    {"TRANSFORM", read_transform, false}, {"SPRING", read_point_element, false}, {"DASHPOT", read_point_element, false},
    {"MASS", read_point_element, false}, {"TIE", read_tie, false}, {"STEP", begin_step, false}, {"STATIC", read_procedure, false},
    {"FREQUENCY", read_procedure, false}, {"BUCKLE", read_procedure, false}, {"MODALDYNAMIC", read_procedure, false}, {"MODALDAMPING", read_modal_damping, false}, {"DYNAMIC", read_procedure, false}, {"NODEPRINT", read_print, false},
    {"ELPRINT", read_print, false}, {"NODEFILE", ignore, false}, {"ELFILE", ignore, false}, {"NODEOUTPUT", ignore, false},
    {"ELEMENTOUTPUT", ignore, false}, {"OUTPUT", ignore, false}, {"FILE", ignore, false}, {"RESTART", ignore, false}, {"PREPRINT", ignore, false},
    {"ENDSTEP", end_step, false}, {"INITIALCONDITIONS", read_initial, false}, {"TEMPERATURE", read_temperature, false},
    {"CONTROLS", ignore, false}, {"PHYSICALCONSTANTS", ignore, false}, {"TIMEPOINTS", ignore, false}};

static bool makes_mesh(const char *keyword) {
  static const char *const known[] = {"NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "INCLUDE", "PART", "ENDPART", "ASSEMBLY", "ENDASSEMBLY", "INSTANCE", "ENDINSTANCE"};
  for (int i = 0; i < TNI_COUNT(known); i++)
    if (strcmp(keyword, known[i]) == 0) return true;
  return false;
}

static tn_status read_card(tni_deck_reader *r) {
  const tni_card *c = tni_deck_card(r);
  if (makes_mesh(c->keyword)) return TN_OK;
  for (int i = 0; i < TNI_COUNT(cards); i++)
    if (strcmp(cards[i].keyword, c->keyword) == 0) return cards[i].matter ? within_matter(r, cards[i].read) : cards[i].read(r);
  return tni_card_refuse(r->ctx, c, 0, "the card is not understood");
}

/* types of elements that compute what CalculiX computes */
static const struct {
  const char *label;
  char plane;             /* 's', 'e', 'a'; ' ': spatial */
  const char *refused;    /* why; NULL: taken */
} types[] = {
    {"C3D4", ' ', NULL}, {"C3D8", ' ', NULL}, {"C3D8I", ' ', NULL}, {"C3D10", ' ', NULL}, {"C3D15", ' ', NULL}, {"C3D20", ' ', NULL},
    {"C3D20R", ' ', NULL}, {"C3D6", ' ', NULL}, {"T3D2", ' ', NULL}, {"MASS", ' ', NULL}, {"SPRINGA", ' ', NULL}, {"SPRING1", ' ', NULL},
    {"SPRING2", ' ', NULL}, {"DASHPOTA", ' ', NULL}, {"CPS3", ' ', NULL}, {"CPS4", ' ', NULL}, {"CPS6", ' ', NULL}, {"CPS8", ' ', NULL},
    {"CPS8R", ' ', NULL}, {"S3", ' ', NULL}, {"S4", ' ', NULL}, {"S4R", ' ', "it becomes C3D8R there, which is computed otherwise here"}, {"S6", ' ', NULL},
    {"S8", ' ', NULL}, {"S8R", ' ', NULL}, {"B31", ' ', NULL}, {"B32", ' ', NULL},
    {"B32R", ' ', "it has points of its own across the section there; B32 is understood"}, {"CPE3", 'e', NULL}, {"CPE4", 'e', NULL}, {"CPE6", 'e', NULL}, {"CPE8", 'e', NULL}, {"CPE8R", 'e', NULL},
    {"CAX3", 'a', "it has other points there"}, {"CAX4", 'a', "it is computed otherwise there"}, {"CAX6", 'a', NULL}, {"CAX8", 'a', NULL}, {"CAX8R", 'a', NULL}};

/* the card that brings elements of a type */
static const tni_card *element_card(const tni_deck_reader *r, const char *label) {
  const tni_deck *d = r->m->deck;
  int first = -1;
  for (int i = 0; i < d->ncard; i++) {
    if (strcmp(d->card[i].keyword, "ELEMENT") != 0) continue;
    const char *type = tni_card_value(&d->card[i], "TYPE");
    if (label && type && tni_deck_same(type, label)) return &d->card[i];
    if (first < 0) first = i;
  }
  return &d->card[first < 0 ? 0 : first];
}

static tn_status look_at_elements(tni_deck_reader *r) {
  tni_deck_model *m = r->m;
  char plane = 0;
  for (int i = 0; i < m->mesh->nblock; i++) {
    const tni_mesh_block *b = &m->mesh->block[i];
    int k = 0;
    while (k < TNI_COUNT(types) && !(b->label && strcmp(types[k].label, b->label) == 0)) k++;
    if (k == TNI_COUNT(types) || types[k].refused)
      return tni_card_refuse(r->ctx, element_card(r, b->label), 0, "elements of type %s are not understood%s%s", b->label ? b->label : "?",
                             k < TNI_COUNT(types) ? ": " : "", k < TNI_COUNT(types) ? types[k].refused : "");
    bool point = strcmp(b->label, "MASS") == 0 || strncmp(b->label, "SPRING", 6) == 0 || strcmp(b->label, "DASHPOTA") == 0;
    if (point) continue;
    if (plane && plane != types[k].plane)
      return tni_card_refuse(r->ctx, element_card(r, b->label), 0, "plane elements (%s) beside others are not understood", b->label);
    plane = types[k].plane;
  }
  m->planar = plane && plane != ' ';
  snprintf(m->plane, sizeof(m->plane), "%s", plane == 's' ? "stress" : plane == 'e' ? "strain" : "axisymmetric");
  return TN_OK;
}

/* the mesh of solids in the place of that of the deck */
static tn_status expand(tni_deck_model *m) {
  tni_mesh *flat = m->mesh, *solid;
  TN_TRY(tni_inp_expand(flat, m->deck, &solid, &m->expansion));
  if (solid) m->mesh = solid;
  tn_status st = tni_deck_look_back(m, flat);
  if (solid) tni_mesh_destroy(&flat);
  return st;
}

/* cells that become C3D8I: what that cannot do here */
static tn_status check_incompatible(tni_deck_reader *r) {
  const tni_deck_model *m = r->m;
  bool any = false;
  for (int i = 0; i < m->mesh->nblock; i++) any = any || (m->mesh->block[i].label && strcmp(m->mesh->block[i].label, "C3D8I") == 0);
  for (int k = 0; k < m->nstep && any; k++) {
    tni_step_kind kind = m->step[k].kind;
    if (m->step[k].large) return tni_card_refuse(r->ctx, m->step[k].card, 0, "NLGEOM with elements C3D8I, S4 or B31 is not understood: their modes are for small displacements here");
    if (kind != TNI_DECK_STATIC && kind != TNI_DECK_BUCKLE)
      return tni_card_refuse(r->ctx, m->step[k].card, 0, "frequencies and motions with elements C3D8I, S4 or B31 are not understood: their incompatible modes have mass there");
  }
  return TN_OK;
}

static tn_status read_all(tni_deck_reader *r) {
  tni_deck_model *m = r->m;
  const tni_deck *d = m->deck;
  int count[6] = {0};
  static const char *const counted[] = {"MATERIAL", "SECTION", "AMPLITUDE", "RIGIDBODY", "TIE", "STEP"};
  for (int i = 0; i < d->ncard; i++)
    for (int k = 0; k < 6; k++) count[k] += strcmp(d->card[i].keyword, counted[k]) == 0 || (k == 1 && strstr(d->card[i].keyword, counted[k]));
  m->nstep = count[5];
  TN_TRY(look_at_elements(r));
  TN_TRY(expand(m));
  if (m->nstep == 0) return TN_FAIL(r->ctx, TN_ERR_INPUT, "%s: the deck has no *STEP; as a mesh it can be named in a model file", m->path);
  TNI_ARENA_NEW(&m->arena, m->matter, count[0]);
  TNI_ARENA_NEW(&m->arena, m->section, count[1]);
  int late = 0; /* cards with an amplitude of their own: TIME DELAY */
  for (int i = 0; i < d->ncard; i++) late += tni_card_value(&d->card[i], "TIME DELAY") != NULL;
  TNI_ARENA_NEW(&m->arena, m->amplitude, count[2] + late);
  TNI_ARENA_NEW(&m->arena, m->rigid, count[3]);
  TNI_ARENA_NEW(&m->arena, m->tie, count[4]);
  TNI_ARENA_NEW(&m->arena, m->step, count[5]);
  size_t n = (size_t)m->mesh->nnode;
  TNI_ARENA_NEW(&m->arena, m->boundary, n*TNI_DECK_NDOF*(size_t)m->nstep);
  TNI_ARENA_NEW(&m->arena, m->force, n*TNI_DECK_NDOF*(size_t)m->nstep);
  TNI_ARENA_NEW(&m->arena, m->temperature, n*(size_t)m->nstep);
  TNI_ARENA_NEW(&m->arena, m->gradient, n*(size_t)m->nstep);
  TNI_ARENA_NEW(&m->arena, m->reference, n);
  TNI_ARENA_NEW(&m->arena, m->velocity, n);
  TNI_ARENA_NEW(&m->arena, m->mass, n);
  TNI_ARENA_NEW(&m->arena, m->axes, n);
  TNI_ARENA_NEW(&m->arena, m->loaded_by, n);
  /* amplitudes and materials may come after what names them */
  for (int pass = 0; pass < 3; pass++)
    for (r->now = 0; r->now < d->ncard; r->now++) {
      const char *k = d->card[r->now].keyword;
      bool matter = false;
      for (int i = 0; i < TNI_COUNT(cards); i++) matter = matter || (cards[i].matter && strcmp(cards[i].keyword, k) == 0);
      matter = matter || strcmp(k, "MATERIAL") == 0;
      int when = strcmp(k, "AMPLITUDE") == 0 || strcmp(k, "TRANSFORM") == 0 ? 0 : matter ? 1 : 2;
      if (when == pass) TN_TRY(read_card(r));
    }
  TN_TRY(check_incompatible(r));
  if (m->nsection == 0) return TN_FAIL(r->ctx, TN_ERR_INPUT, "%s: the deck has no sections with materials", m->path);
  for (int i = 0; i < m->nmatter; i++) {
    if (!m->matter[i].elastic)
      return tni_card_refuse(r->ctx, m->matter[i].card, 0, "material '%.60s' has no *ELASTIC", m->matter[i].as_written);
    m->yields = m->yields || m->matter[i].nplastic > 0;
  }
  return TN_OK;
}

tn_status tni_deck_model_read(tn_ctx *ctx, const char *path, tni_deck_model **out) {
  *out = NULL;
  tni_deck_model *m = tni_alloc(ctx, 1, sizeof(*m));
  if (!m) return tni_out_of_memory(ctx);
  tni_arena_init(&m->arena, ctx);
  m->ctx = ctx;
  m->path = path;
  tn_status st = tni_inp_read(ctx, "deck", path, &m->mesh, &m->deck);
  tni_deck_reader r = {.m = m, .ctx = ctx, .step = -1};
  if (st == TN_OK) st = read_all(&r);
  if (st != TN_OK) {
    tni_deck_model_destroy(&m);
    return st;
  }
  *out = m;
  return TN_OK;
}

void tni_deck_model_destroy(tni_deck_model **pm) {
  tni_deck_model *m = *pm;
  if (!m) return;
  tni_mesh_destroy(&m->mesh);
  tni_expansion_destroy(&m->expansion);
  tni_deck_destroy(&m->deck);
  tni_arena_clear(&m->arena);
  tni_free(m->ctx, m);
  *pm = NULL;
}
