/* deck/translate.c - a step of a deck as the text of a model file
 *
 * Static steps of linear models stand by themselves: their loads are constants. Where history counts (NLGEOM, yielding) consecutive
 * static steps become one run, step k between t = k - 1 and t = k, with tables of t.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "deck/deck.h"

bool tni_deck_is_nonlinear(const tni_deck_model *m, int step) { return m->step[step].large || m->yields; }

double tni_deck_total_time(const tni_deck_model *m, int step) {
  double t = 0;
  for (int i = 0; i <= step; i++)
    if (m->step[i].kind != TNI_DECK_FREQUENCY && m->step[i].kind != TNI_DECK_BUCKLE) t += m->step[i].period;
  return t;
}

static double amplitude_at(const tni_deck_amplitude *a, double t) {
  if (t <= a->t[0]) return a->a[0];
  for (int i = 1; i < a->n; i++)
    if (t <= a->t[i]) return a->a[i-1] + (a->a[i] - a->a[i-1])*(t - a->t[i-1])/(a->t[i] - a->t[i-1]);
  return a->a[a->n - 1];
}

double tni_deck_end_value(const tni_deck_model *m, const tni_deck_value *v, int step) {
  if (!v->on) return 0;
  if (v->amplitude < 0) return v->value;
  const tni_deck_amplitude *a = &m->amplitude[v->amplitude];
  return v->value*amplitude_at(a, a->total ? tni_deck_total_time(m, step) : m->step[step].period);
}

/* ---- functions of time ------------------------------------------------------------------------------------ */

typedef struct {
  const tni_deck_model *m;
  int from, to;
  bool chain;     /* tables over several steps, or over the time of one that moves */
  tni_text *out;
  tni_arena arena;
} writer;

/* value of a history (stride: from step to step) as an expression, in memory of the arena; "" : zero at all times */
static const char *expression(writer *w, const tni_deck_value *v, size_t stride, double factor, double offset) {
  const tni_deck_model *m = w->m;
  const tni_deck_step *last = &m->step[w->to];
  bool moves = last->kind == TNI_DECK_DYNAMIC || last->kind == TNI_DECK_EXPLICIT, any = false;
  const char *text = NULL;
  if (!w->chain && !moves) {
    int end = last->stressed ? w->to - 1 : w->to; /* the step that gives the stresses */
    double x = v[(size_t)end*stride].on ? factor*(tni_deck_end_value(m, &v[(size_t)end*stride], end) - offset) : 0;
    return x == 0 ? "" : tni_arena_printf(&w->arena, last->kind == TNI_DECK_BUCKLE ? "%.17g*t" : "%.17g", x);
  }
  double before = 0, t0 = 0, at = 0, latest = -1;
  for (int s = w->from; s <= w->to; s++) {
    const tni_deck_value *x = &v[(size_t)s*stride];
    const tni_deck_step *step = &m->step[s];
    double scale = moves ? step->period : 1, end;
    if (s == w->from) text = tni_arena_printf(&w->arena, "table(t");
    if (x->on && x->amplitude >= 0) {
      const tni_deck_amplitude *a = &m->amplitude[x->amplitude];
      double origin = a->total && s > 0 ? tni_deck_total_time(m, s - 1) : 0;
      end = factor*(tni_deck_end_value(m, x, s) - offset);
      for (int k = -1; k <= a->n && text; k++) {
        double time = k < 0 ? 0 : k == a->n ? step->period : a->t[k] - origin;
        if (time < 0 || time > step->period) continue;
        at = t0 + time/step->period*scale;
        if (at <= latest) continue;
        double y = factor*(x->value*amplitude_at(a, time + origin) - offset);
        any = any || y != 0;
        text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, at, y);
        latest = at;
      }
    } else {
      end = x->on ? factor*(x->value - offset) : 0;
      bool at_once = moves ? true : step->step_loads;
      any = any || end != 0 || before != 0;
      if (text && t0 > latest) text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, t0, at_once ? end : before);
      at = t0 + scale;
      if (text) text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, at, end);
      latest = at;
    }
    before = end;
    t0 += scale;
  }
  text = text ? tni_arena_printf(&w->arena, "%s)", text) : NULL;
  return any ? text : "";
}

/* ---- nodes with the same text ------------------------------------------------------------------------------- */

typedef struct {
  const char *text;
  int node;
} pair;

static int by_text(const void *a, const void *b) {
  const pair *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* "nodes 1-4 7" of the pairs begin..end */
static void write_nodes(const writer *w, const pair *p, int begin, int end) {
  tni_text_add(w->out, "\"nodes");
  for (int i = begin; i < end;) {
    long long first = (long long)w->m->mesh->gid[p[i].node], last = first;
    int k = i + 1;
    while (k < end && (long long)w->m->mesh->gid[p[k].node] == last + 1) last++, k++;
    if (last > first) tni_text_add(w->out, " %lld-%lld", first, last);
    else tni_text_add(w->out, " %lld", first);
    i = k;
  }
  tni_text_add(w->out, "\"");
}

/* ---- model ---------------------------------------------------------------------------------------------------- */

static void write_matter(const writer *w, const tni_deck_matter *x, bool rests) {
  tni_text_add(w->out, "  %s: {", x->name);
  if (x->is_ortho)
    tni_text_add(w->out, "type: orthotropic, E: [%.17g, %.17g, %.17g], nu: [%.17g, %.17g, %.17g], G: [%.17g, %.17g, %.17g]", x->ortho[0],
                 x->ortho[1], x->ortho[2], x->ortho[3], x->ortho[4], x->ortho[5], x->ortho[6], x->ortho[7], x->ortho[8]);
  else if (x->nplastic > 0) {
    tni_text_add(w->out, "type: plastic, E: %.17g, nu: %.17g", x->E, x->nu);
    if (x->kinematic) {
      double slope = x->nplastic > 1 ? (x->plastic[1][1] - x->plastic[0][1])/(x->plastic[1][0] - x->plastic[0][0]) : 0;
      tni_text_add(w->out, ", yield: %.17g, kinematic: %.17g", x->plastic[0][1], slope);
    } else if (x->nplastic == 1) {
      tni_text_add(w->out, ", yield: %.17g", x->plastic[0][1]);
    } else {
      tni_text_add(w->out, ", yield_table: [");
      for (int i = 0; i < x->nplastic; i++) tni_text_add(w->out, "%s[%.17g, %.17g]", i ? ", " : "", x->plastic[i][0], x->plastic[i][1]);
      tni_text_add(w->out, "]");
    }
  } else {
    tni_text_add(w->out, "type: %s, E: %.17g, nu: %.17g", w->m->step[w->to].large ? "st_venant" : "elastic", x->E, x->nu);
  }
  if (x->density > 0) tni_text_add(w->out, ", density: %.17g", x->density);
  if (x->expansion != 0) tni_text_add(w->out, ", expansion: %.17g", x->expansion);
  if (!rests && (x->alpha > 0 || x->beta > 0)) tni_text_add(w->out, ", rayleigh: [%.17g, %.17g]", x->alpha, x->beta);
  tni_text_add(w->out, "}\n");
}

static void write_structure(const writer *w) {
  const tni_deck_model *m = w->m;
  const tni_deck_step *s = &m->step[w->to];
  tni_text_add(w->out, "structures:\n  deck:\n    mesh: deck\n    formulation: %s\n    mass: %s\n    element: label\n", s->large ? "large" : "small",
               s->kind == TNI_DECK_EXPLICIT ? "lumped" : "consistent");
  if (m->planar) tni_text_add(w->out, "    plane: %s\n", m->plane);
  if (m->planar && strcmp(m->plane, "axisymmetric") != 0)
    tni_text_add(w->out, "    thickness: %.17g\n", m->section[0].thickness > 0 ? m->section[0].thickness : 1);
  tni_text_add(w->out, "    material:\n");
  for (int i = 0; i < m->nsection; i++) {
    const tni_deck_section *x = &m->section[i];
    tni_text_add(w->out, "      \"%s\": {material: %s", x->set, x->matter->name);
    if (!m->planar && x->thickness > 0) tni_text_add(w->out, ", area: %.17g", x->thickness);
    if (x->turned) {
      tni_text_add(w->out, ", axes: {x: [%.17g, %.17g, %.17g], y: [%.17g, %.17g, %.17g]}", x->axes[0], x->axes[3], x->axes[6], x->axes[1],
                   x->axes[4], x->axes[7]);
    }
    tni_text_add(w->out, "}\n");
  }
}

/* which node and component of the model a degree of freedom is; false: nothing moves there */
static bool find_dof(const tni_deck_model *m, int node, int dof, int *at, int *component) {
  *at = node;
  *component = dof;
  for (int i = 0; i < m->nrigid; i++) {
    if (m->rigid[i].rot == node && node != m->rigid[i].ref) {
      *at = m->rigid[i].ref;
      *component = dof + 3;
      return dof < 3;
    }
    if (m->rigid[i].ref == node) return true;
  }
  bool coupled = false;
  for (int i = 0; i < m->nequation && !coupled; i++)
    for (int k = 0; k < m->equation[i].n; k++) coupled = coupled || m->equation[i].node[k] == node;
  return (m->in_elements[node] || coupled) && dof < (m->planar ? 2 : 3);
}

static const char *const COMPONENT[6] = {"x", "y", "z", "rx", "ry", "rz"};

static tn_status write_supports(writer *w) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  pair *p;
  bool first = true;
  TNI_ARENA_NEW(&w->arena, p, n*TNI_DECK_NDOF);
  for (int c = 0; c < TNI_DECK_NDOF; c++) {
    int count = 0;
    for (size_t i = 0; i < n*TNI_DECK_NDOF; i++) {
      int node = (int)(i/TNI_DECK_NDOF), dof = (int)(i % TNI_DECK_NDOF), at, component;
      const tni_deck_value *v = m->boundary + i;
      bool on = v[(size_t)w->to*stride].on;
      for (int s = w->from; s <= w->to && w->chain; s++)
        if (v[(size_t)s*stride].on != on)
          return tni_card_refuse(m->ctx, m->step[s].card, 0, "supports that come or go between nonlinear steps are not understood (node %lld)",
                                 (long long)m->mesh->gid[node]);
      if (!on || m->axes[node] || !find_dof(m, node, dof, &at, &component) || component != c) continue;
      p[count++] = (pair){expression(w, v, stride, 1, 0), at};
      if (!p[count - 1].text) return tni_out_of_memory(m->ctx);
    }
    qsort(p, (size_t)count, sizeof(pair), by_text);
    for (int i = 0; i < count;) {
      int k = i;
      while (k < count && strcmp(p[k].text, p[i].text) == 0) k++;
      if (first) tni_text_add(w->out, "supports:\n");
      first = false;
      tni_text_add(w->out, "  - {group: ");
      write_nodes(w, p, i, k);
      if (p[i].text[0]) tni_text_add(w->out, ", move: {%s: \"%s\"}}\n", COMPONENT[c], p[i].text);
      else tni_text_add(w->out, ", fix: [%s]}\n", COMPONENT[c]);
      i = k;
    }
  }
  return TN_OK;
}

/* terms of factor times a degree of freedom, in local axes where there are some */
static void write_term(const writer *w, int node, int dof, double factor, bool *first) {
  const tni_deck_model *m = w->m;
  int at, component;
  if (m->axes[node] && dof < 3) {
    for (int k = 0; k < (m->planar ? 2 : 3); k++) {
      double a = factor*m->axes[node][3*dof + k];
      if (fabs(a) < 1e-14*fabs(factor)) continue;
      tni_text_add(w->out, "%s[node %lld, %s, %.17g]", *first ? "" : ", ", (long long)m->mesh->gid[node], COMPONENT[k], a);
      *first = false;
    }
    return;
  }
  if (!find_dof(m, node, dof, &at, &component)) return;
  tni_text_add(w->out, "%s[node %lld, %s, %.17g]", *first ? "" : ", ", (long long)m->mesh->gid[at], COMPONENT[component], factor);
  *first = false;
}

static tn_status write_couplings(writer *w) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  bool begun = false;
  for (size_t i = 0; i < stride; i++) { /* supports in local axes */
    int node = (int)(i/TNI_DECK_NDOF), dof = (int)(i % TNI_DECK_NDOF);
    const tni_deck_value *v = m->boundary + i;
    if (!m->axes[node] || !m->in_elements[node] || dof >= 3 || !v[(size_t)w->to*stride].on) continue;
    if (m->planar && dof == 2) continue;
    bool first = true;
    const char *value = expression(w, v, stride, 1, 0);
    if (!value) return tni_out_of_memory(m->ctx);
    tni_text_add(w->out, "%s  - {equation: [", begun ? "" : "couplings:\n");
    begun = true;
    write_term(w, node, dof, 1, &first);
    if (value[0]) tni_text_add(w->out, "], value: \"%s\"}\n", value);
    else tni_text_add(w->out, "]}\n");
  }
  for (int i = 0; i < m->nequation; i++) {
    const tni_deck_equation *e = &m->equation[i];
    bool first = true;
    tni_text_add(w->out, "%s  - {equation: [", begun ? "" : "couplings:\n");
    begun = true;
    for (int k = 0; k < e->n; k++) {
      if (m->planar && e->dof[k] >= 2)
        return tni_card_refuse(m->ctx, e->card, e->line, "degree of freedom %d in a plane model is not understood", e->dof[k] + 1);
      if (e->dof[k] >= 3) return tni_card_refuse(m->ctx, e->card, e->line, "rotations in equations are not understood");
      write_term(w, e->node[k], e->dof[k], e->factor[k], &first);
    }
    tni_text_add(w->out, "]}\n");
  }
  for (int i = 0; i < m->nrigid; i++) {
    const tni_deck_rigid *r = &m->rigid[i];
    if (m->step[w->to].large) return tni_card_refuse(m->ctx, r->card, 0, "rigid bodies with NLGEOM are not understood");
    if (m->planar) return tni_card_refuse(m->ctx, r->card, 0, "rigid bodies in plane models are not understood");
    tni_text_add(w->out, "%s  - {rigid: \"%s\", to: node %lld}\n", begun ? "" : "couplings:\n", r->set, (long long)m->mesh->gid[r->ref]);
    begun = true;
  }
  for (int i = 0; i < m->ntie; i++) {
    const tni_card *c = m->tie[i];
    char text[1000];
    const char *f[4], *tolerance = tni_card_value(c, "POSITION TOLERANCE");
    int nf = c->ndata > 0 ? tni_card_fields(c->data[0], text, sizeof(text), f, 4) : 0;
    if (nf < 2) return tni_card_refuse(m->ctx, c, 0, "two surfaces are needed");
    const tni_mesh_set *slave = tni_deck_find_set(m->mesh, f[0], TNI_SET_NODES), *master = tni_deck_find_set(m->mesh, f[1], TNI_SET_FACES);
    if (!slave || !master) return tni_card_refuse(m->ctx, c, 0, "there is no surface '%.60s'", slave ? f[1] : f[0]);
    tni_text_add(w->out, "%s  - {tie: \"%s\", to: \"%s\"", begun ? "" : "couplings:\n", slave->name, master->name);
    if (tolerance) tni_text_add(w->out, ", tolerance: %s", tolerance);
    tni_text_add(w->out, "}\n");
    begun = true;
  }
  return TN_OK;
}

/* ---- loads ------------------------------------------------------------------------------------------------------ */

static tn_status write_forces(writer *w, bool *begun) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  int count = 0;
  pair *p;
  TNI_ARENA_NEW(&w->arena, p, 3*n);
  for (size_t i = 0; i < n; i++) {
    const char *f[TNI_DECK_NDOF];
    bool any[2] = {false, false};
    for (int c = 0; c < TNI_DECK_NDOF; c++) {
      const tni_deck_value *v = m->force + i*TNI_DECK_NDOF + (size_t)c;
      f[c] = expression(w, v, stride, 1, 0);
      if (!f[c]) return tni_out_of_memory(m->ctx);
      any[c/3] = any[c/3] || f[c][0];
    }
    if (!any[0] && !any[1]) continue;
    int at, component;
    if (m->axes[i]) {
      if (w->chain) return tni_card_refuse(m->ctx, m->loaded_by[i], 0, "forces in local axes (node %lld) in nonlinear steps are not understood", (long long)m->mesh->gid[i]);
      double local[3], global[3] = {0};
      for (int c = 0; c < 3; c++) local[c] = tni_deck_end_value(m, m->force + (size_t)w->to*stride + i*TNI_DECK_NDOF + (size_t)c, w->to);
      for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) global[k] += m->axes[i][3*c + k]*local[c];
      p[count++] = (pair){tni_arena_printf(&w->arena, "force_each: [%.17g, %.17g, %.17g]", global[0], global[1], global[2]), (int)i};
      if (!p[count - 1].text) return tni_out_of_memory(m->ctx);
      continue;
    }
    for (int part = 0; part < 2; part++) {
      if (!any[part]) continue;
      if (!find_dof(m, (int)i, 3*part, &at, &component) && !find_dof(m, (int)i, 3*part + 1, &at, &component))
        return tni_card_refuse(m->ctx, m->loaded_by[i], 0, "node %lld has no degree of freedom %d to load", (long long)m->mesh->gid[i], 3*part + 1);
      p[count++] = (pair){tni_arena_printf(&w->arena, "%s: [\"%s\", \"%s\", \"%s\"]", component >= 3 ? "moment_each" : "force_each",
                                           f[3*part][0] ? f[3*part] : "0", f[3*part + 1][0] ? f[3*part + 1] : "0",
                                           f[3*part + 2][0] ? f[3*part + 2] : "0"), at};
      if (!p[count - 1].text) return tni_out_of_memory(m->ctx);
    }
  }
  qsort(p, (size_t)count, sizeof(pair), by_text);
  for (int i = 0; i < count;) {
    int k = i;
    while (k < count && strcmp(p[k].text, p[i].text) == 0) k++;
    tni_text_add(w->out, "%s  - {group: ", *begun ? "" : "loads:\n");
    *begun = true;
    write_nodes(w, p, i, k);
    tni_text_add(w->out, ", %s}\n", p[i].text);
    i = k;
  }
  return TN_OK;
}

/* cells of a section within the target of a load */
static bool meets(const tni_deck_model *m, const tni_deck_section *s, const tni_deck_dload *d, bool *whole) {
  const tni_mesh_set *own = tni_deck_find_set(m->mesh, s->set, TNI_SET_CELLS), *set = tni_deck_find_set(m->mesh, d->target, TNI_SET_CELLS);
  int both = 0;
  if (!set) { /* one element */
    int cell = tni_mesh_cell_of(m->mesh, (tn_gid)strtoll(d->target, NULL, 10));
    for (int i = 0; i < own->n; i++) both += own->member[i] == cell;
  }
  for (int i = 0, k = 0; set && i < own->n; i++) {
    while (k < set->n && set->member[k] < own->member[i]) k++;
    both += k < set->n && set->member[k] == own->member[i];
  }
  *whole = both == own->n;
  return both > 0;
}

static tn_status write_dload(writer *w, const tni_deck_dload *d, bool *begun) {
  const tni_deck_model *m = w->m;
  const char *e = expression(w, d->at, 1, 1, 0);
  if (!e) return tni_out_of_memory(m->ctx);
  if (!e[0]) return TN_OK;
  const char *head = *begun ? "" : "loads:\n";
  *begun = true;
  switch (d->kind) {
    case TNI_DLOAD_FACE:
      if (d->face == 0) return tni_card_refuse(m->ctx, d->card, d->line, "label P is not understood here; write P1 to P6");
      tni_text_add(w->out, "%s  - {group: \"faces S%d %s\", pressure: \"%s\"}\n", head, d->face, d->target, e);
      return TN_OK;
    case TNI_DLOAD_SURFACE:
      tni_text_add(w->out, "%s  - {group: \"%s\", pressure: \"%s\"}\n", head, tni_deck_find_set(m->mesh, d->target, TNI_SET_FACES)->name, e);
      return TN_OK;
    case TNI_DLOAD_GRAVITY:
      for (int i = 0; i < m->nsection; i++) {
        bool whole;
        if (!meets(m, &m->section[i], d, &whole)) continue;
        if (!whole) return tni_card_refuse(m->ctx, d->card, d->line, "GRAV on a part of section '%.60s' is not understood", m->section[i].set);
        double rho = m->section[i].matter->density;
        if (!(rho > 0)) return tni_card_refuse(m->ctx, d->card, d->line, "material '%.60s' has no density", m->section[i].matter->as_written);
        tni_text_add(w->out, "%s  - {group: \"%s\", body_force: [", head, m->section[i].set);
        for (int c = 0; c < 3; c++) tni_text_add(w->out, "%s\"%.17g*(%s)\"", c ? ", " : "", rho*d->direction[c], e);
        tni_text_add(w->out, "]}\n");
        head = "";
      }
      return TN_OK;
    default:
      for (int i = 0; i < m->nsection; i++) {
        bool whole, any = meets(m, &m->section[i], d, &whole);
        if (!any || !whole) return tni_card_refuse(m->ctx, d->card, d->line, "CENTRIF on a part of the model is not understood");
        if (!(m->section[i].matter->density > 0))
          return tni_card_refuse(m->ctx, d->card, d->line, "material '%.60s' has no density", m->section[i].matter->as_written);
      }
      /* by a ramp of the speed, not of its square: the ends are the same */
      {
        tni_deck_value *root;
        TNI_ARENA_NEW(&w->arena, root, m->nstep);
        for (int s = 0; s < m->nstep; s++) root[s] = d->at[s], root[s].value = sqrt(fmax(0, d->at[s].value));
        e = expression(w, root, 1, 1, 0);
        if (!e) return tni_out_of_memory(m->ctx);
      }
      tni_text_add(w->out, "%s  - {structure: deck, spin: \"%s\", at: [%.17g, %.17g, %.17g], axis: [%.17g, %.17g, %.17g]}\n", head, e,
                   d->direction[0], d->direction[1], d->direction[2], d->direction[3], d->direction[4], d->direction[5]);
      return TN_OK;
  }
}

/* ---- masses, springs, temperatures --------------------------------------------------------------------------------- */

/* elements that take a mean of the temperatures of their nodes there */
static tn_status refuse_uneven_heat(const writer *w) {
  const tni_deck_model *m = w->m;
  for (int b = 0; b < m->mesh->nblock; b++) {
    const tni_mesh_block *k = &m->mesh->block[b];
    int nn = tni_cell_of(k->cell)->nnode;
    if (k->cell != TNI_CELL_HEX8 && k->cell != TNI_CELL_QUAD4 && !(k->label && (strcmp(k->label, "C3D20") == 0 || strcmp(k->label, "CPE8") == 0 ||
        strcmp(k->label, "CPS8") == 0 || strcmp(k->label, "CAX8") == 0))) continue;
    for (int s = w->from; s <= w->to; s++)
      for (int e = 0; e < k->n; e++) {
        double low = HUGE_VAL, high = -HUGE_VAL, most = 0;
        for (int a = 0; a < nn; a++) {
          int node = k->node[e*nn + a];
          const tni_deck_value *v = &m->temperature[(size_t)s*(size_t)m->mesh->nnode + (size_t)node];
          double T = v->on ? tni_deck_end_value(m, v, s) - m->reference[node] : 0;
          low = fmin(low, T), high = fmax(high, T), most = fmax(most, fabs(T));
        }
        if (high - low > 1e-9*most)
          return tni_card_refuse(m->ctx, m->warm, 0, "element %lld (%s) has nodes of different temperatures, of which it takes a "
                                 "mean there: that is not understood", (long long)k->gid[e], k->label ? k->label : "?");
      }
  }
  return TN_OK;
}

static tn_status write_own_nodes(writer *w) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode;
  bool begun = false;
  for (size_t i = 0; i < n; i++) {
    if (m->mass[i] <= 0) continue;
    tni_text_add(w->out, "%s  - {group: node %lld, mass: %.17g}\n", begun ? "" : "nodes:\n", (long long)m->mesh->gid[i], m->mass[i]);
    begun = true;
  }
  for (int i = 0; i < m->nspring; i++) {
    const tni_deck_spring *s = &m->spring[i];
    const char *key = s->c > 0 ? "damping" : "stiffness";
    double x = s->c > 0 ? s->c : s->k, v[3] = {0};
    if ((m->step[w->to].kind == TNI_DECK_FREQUENCY || m->step[w->to].kind == TNI_DECK_BUCKLE) && s->c > 0) continue; /* modes without damping */
    if (x == 0) continue;
    if (x < 0) return tni_card_refuse(m->ctx, s->card, 0, "a negative constant %g is not understood", x);
    if (s->dof < 0 && w->chain && !m->step[w->to].large) /* its axis follows the ends there */
      return tni_card_refuse(m->ctx, s->card, 0, "springs along lines (SPRINGA) beside *PLASTIC without NLGEOM are not understood");
    if (s->dof >= 3) return tni_card_refuse(m->ctx, s->card, 0, "springs on rotations are not understood");
    for (int e = 0; e < 2 && s->dof >= 0; e++)
      if (s->node[e] >= 0 && m->axes[s->node[e]]) return tni_card_refuse(m->ctx, s->card, 0, "springs in local axes are not understood");
    tni_text_add(w->out, "%s  - {group: node %lld, ", begun ? "" : "nodes:\n", (long long)m->mesh->gid[s->node[0]]);
    if (s->node[1] >= 0) tni_text_add(w->out, "to: node %lld, ", (long long)m->mesh->gid[s->node[1]]);
    if (s->dof < 0) {
      tni_text_add(w->out, "%s: %.17g}\n", key, x);
    } else {
      v[(int)s->dof] = x;
      tni_text_add(w->out, "%s: [%.17g, %.17g, %.17g]}\n", key, v[0], v[1], v[2]);
    }
    begun = true;
  }
  if (!m->warm || (m->step[w->to].kind == TNI_DECK_FREQUENCY && !m->step[w->to].stressed)) return TN_OK;
  TN_TRY(refuse_uneven_heat(w));
  int count = 0;
  pair *p;
  TNI_ARENA_NEW(&w->arena, p, n);
  for (size_t i = 0; i < n; i++) {
    if (!m->in_elements[i]) continue;
    const char *e = expression(w, m->temperature + i, n, 1, m->reference[i]);
    if (!e) return tni_out_of_memory(m->ctx);
    if (e[0]) p[count++] = (pair){e, (int)i};
  }
  qsort(p, (size_t)count, sizeof(pair), by_text);
  for (int i = 0; i < count;) {
    int k = i;
    while (k < count && strcmp(p[k].text, p[i].text) == 0) k++;
    tni_text_add(w->out, "%s  - {group: ", begun ? "" : "nodes:\n");
    begun = true;
    write_nodes(w, p, i, k);
    tni_text_add(w->out, ", temperature: \"%s\"}\n", p[i].text);
    i = k;
  }
  return TN_OK;
}

static tn_status write_model(writer *w, int *rows_a_step) {
  const tni_deck_model *m = w->m;
  const tni_deck_step *s = &m->step[w->to];
  const char *slash = strrchr(m->path, '/');
  bool rests = s->kind == TNI_DECK_STATIC, buckles = s->kind == TNI_DECK_BUCKLE, modes = s->kind == TNI_DECK_FREQUENCY, begun = false;
  for (int i = 1; i < m->nsection && m->planar; i++)
    if (m->section[i].thickness != m->section[0].thickness)
      return tni_card_refuse(m->ctx, m->section[i].card, 0, "plane sections of different thickness are not understood");
  tni_text_add(w->out, "tenon: 1\n%smeshes: {deck: {file: \"%s\"}}\nmaterials:\n", m->planar ? "planar: true\n" : "", slash ? slash + 1 : m->path);
  for (int i = 0; i < m->nmatter; i++) {
    if (s->large && m->matter[i].is_ortho && m->matter[i].nplastic)
      return tni_card_refuse(m->ctx, m->matter[i].card, 0, "plastic orthotropic materials are not understood");
    write_matter(w, &m->matter[i], rests || modes || buckles);
  }
  write_structure(w);
  TN_TRY(write_supports(w));
  TN_TRY(write_couplings(w));
  if (!modes || s->stressed) {
    TN_TRY(write_forces(w, &begun));
    for (int i = 0; i < m->ndload; i++) TN_TRY(write_dload(w, &m->dload[i], &begun));
  }
  TN_TRY(write_own_nodes(w));
  *rows_a_step = 1;
  if (modes) {
    tni_text_add(w->out, "analysis: {type: modes, modes: %d}\n", s->nmode);
  } else if (buckles) {
    tni_text_add(w->out, "analysis: {type: buckling, modes: %d}\n", s->nmode);
  } else if (!rests) {
    if (s->kind == TNI_DECK_EXPLICIT && s->direct)
      tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: central, step: %.17g}\n", s->period, s->first);
    else if (s->kind == TNI_DECK_EXPLICIT)
      tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: central}\n", s->period);
    else
      tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: hht, steps: equal, step: %.17g, rho: %.17g}\n", s->period, s->first,
                   (1 + s->hht)/(1 - s->hht));
  } else if (w->chain) {
    int steps = w->to - w->from + 1, rows = 1;
    for (int i = w->from; i <= w->to; i++) {
      double r = ceil(m->step[i].period/m->step[i].first - 1e-9);
      if (r > rows) rows = r < 100 ? (int)r : 100;
    }
    if (rows < 10) rows = 10;
    *rows_a_step = rows;
    tni_text_add(w->out, "analysis: {type: statics, from: 0, until: %d, load_steps: %d}\n", steps, steps*rows);
  } else {
    tni_text_add(w->out, "analysis: {type: statics}\n");
  }
  return w->out->failed ? tni_out_of_memory(m->ctx) : TN_OK;
}

tn_status tni_deck_translate(const tni_deck_model *m, int from, int to, tni_text *out, int *rows_a_step) {
  writer w = {.m = m, .from = from, .to = to, .out = out};
  w.chain = m->step[to].kind == TNI_DECK_STATIC && tni_deck_is_nonlinear(m, to);
  tni_arena_init(&w.arena, m->ctx);
  tn_status st = write_model(&w, rows_a_step);
  tni_arena_clear(&w.arena);
  return st;
}
