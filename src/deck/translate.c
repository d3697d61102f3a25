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
  bool *straight; /* [nnode] sections whose sides have been held straight */
  bool coupled;   /* the section of couplings has begun */
  bool chain;     /* tables over several steps, or over the time of one that moves */
  tni_text *out;
  tni_arena arena;
} writer;

static const double JUMPED = 1e-4; /* part of a step */

/* Another value at once where a step begins: the table ends, and another one counts from there, so that the slope up to then predicts the next
 * equilibrium and not that of the jump. It takes a ten thousandth of the step, which may be gone through in pieces where it is too much at a time. */
static void jump(writer *w, double t0, double scale, double before, double y, const char **head, const char **text, int *open) {
  static const double AFTER = 1e-7; /* ends of steps are counted up */
  if (!*text || !*head) return;
  *head = tni_arena_printf(&w->arena, "%sif(t <= %.12g, %s), ", *head, t0 + AFTER, *text);
  *text = *head ? tni_arena_printf(&w->arena, "table(t, %.12g, %.17g, %.12g, %.17g", t0, before, t0 + JUMPED*scale, y) : NULL;
  (*open)++;
}

/* value of a history (stride: from step to step) as an expression, in memory of the arena; "" : zero at all times */
static const char *expression(writer *w, const tni_deck_value *v, size_t stride, double factor, double offset) {
  const tni_deck_model *m = w->m;
  const tni_deck_step *last = &m->step[w->to];
  bool moves = tni_deck_moves(last), any = false;
  const char *text = NULL, *head = "";
  int open = 0;
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
        double y = factor*(x->value*amplitude_at(a, time + origin) - offset);
        if (k < 0 && at <= latest && y != before) jump(w, t0, scale, before, y, &head, &text, &open), latest = t0 + JUMPED*scale;
        if (at <= latest) continue;
        any = any || y != 0;
        text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, at, y);
        latest = at;
      }
    } else {
      end = x->on ? factor*(x->value - offset) : 0;
      bool at_once = moves ? true : step->step_loads && x->on; /* what OP=NEW takes away goes by a ramp there */
      any = any || end != 0 || before != 0;
      if (t0 <= latest && at_once && end != before) jump(w, t0, scale, before, end, &head, &text, &open);
      else if (text && t0 > latest) text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, t0, at_once ? end : before);
      at = t0 + scale;
      if (text) text = tni_arena_printf(&w->arena, "%s, %.12g, %.17g", text, at, end);
      latest = at;
    }
    before = end;
    t0 += scale;
  }
  text = text ? tni_arena_printf(&w->arena, "%s%s)", head, text) : NULL;
  for (int i = 0; i < open && text; i++) text = tni_arena_printf(&w->arena, "%s)", text);
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
    tni_text_add(w->out, "type: %s, E: %.17g, nu: %.17g", w->m->step[w->to].large ? "plastic_finite" : "plastic", x->E, x->nu);
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
  const tni_deck_step *s = &w->m->step[w->to];
  const double own[2] = {x->alpha, x->beta}, *damping = s->kind == TNI_DECK_MODAL ? s->rayleigh : own;
  if (!rests && (damping[0] > 0 || damping[1] > 0)) tni_text_add(w->out, ", rayleigh: [%.17g, %.17g]", damping[0], damping[1]);
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
    if (x->area && x->thickness > 0) tni_text_add(w->out, ", area: %.17g", x->thickness);
    if (x->turned && x->matter->is_ortho) {
      tni_text_add(w->out, ", axes: {x: [%.17g, %.17g, %.17g], y: [%.17g, %.17g, %.17g]}", x->axes[0], x->axes[3], x->axes[6], x->axes[1],
                   x->axes[4], x->axes[7]);
    }
    tni_text_add(w->out, "}\n");
  }
}

static const char *const COMPONENT[6] = {"x", "y", "z", "rx", "ry", "rz"};

/* a degree of freedom that is one of the model is supported; a sum of several (local axes, expanded nodes) is an equation */
static bool is_plain(const tni_deck_term *t, int n) { return n == 1 && t[0].factor == 1; }

static tn_status write_supports(writer *w) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  pair *p;
  bool first = true;
  TNI_ARENA_NEW(&w->arena, p, n*TNI_DECK_NDOF);
  for (int c = 0; c < TNI_DECK_NDOF; c++) {
    int count = 0;
    for (size_t i = 0; i < n*TNI_DECK_NDOF; i++) {
      int node = (int)(i/TNI_DECK_NDOF), dof = (int)(i % TNI_DECK_NDOF);
      tni_deck_term term[TNI_DECK_TERMS];
      const tni_deck_value *v = m->boundary + i;
      bool on = v[(size_t)w->to*stride].on;
      for (int s = w->from; s <= w->to && w->chain; s++)
        if (v[(size_t)s*stride].on != on)
          return tni_card_refuse(m->ctx, m->step[s].card, 0, "supports that come or go between nonlinear steps are not understood (node %lld)",
                                 (long long)m->mesh->gid[node]);
      if (!on || !is_plain(term, tni_deck_terms(m, node, dof, term)) || term[0].component != c) continue;
      p[count++] = (pair){expression(w, v, stride, 1, 0), term[0].node};
      if (!p[count - 1].text) return tni_out_of_memory(m->ctx);
    }
    for (int i = 0; m->expansion && i < m->expansion->nnode; i++) {
      const tni_expanded *e = tni_deck_expanded(m, i);
      /* the plane of plane stress stays where it is; a knot that grows alike to all sides does so by one number */
      if (c == 2 && e && m->expansion->way[e->first].kind == TNI_WAY_PLANE) p[count++] = (pair){"", i};
      if ((c == 1 || c == 2) && e && e->turn >= 0 && !e->flat) p[count++] = (pair){"", e->stretch};
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

static void begin_coupling(writer *w) {
  tni_text_add(w->out, "%s  - {equation: [", w->coupled ? "" : "couplings:\n");
  w->coupled = true;
}

static void write_one(const writer *w, int node, int component, double factor, bool *first) {
  if (factor == 0) return;
  tni_text_add(w->out, "%s[node %lld, %s, %.17g]", *first ? "" : ", ", (long long)w->m->mesh->gid[node], COMPONENT[component], factor);
  *first = false;
}

/* terms of factor times a degree of freedom of the deck */
static void write_term(const writer *w, int node, int dof, double factor, bool *first) {
  tni_deck_term term[TNI_DECK_TERMS];
  int n = tni_deck_terms(w->m, node, dof, term);
  for (int i = 0; i < n; i++) write_one(w, term[i].node, term[i].component, factor*term[i].factor, first);
}

/* a node of a knot: u = w + theta x r + S r, S of one number (alike to all sides) or of three (within the section of a beam) */
static void write_knot_node(writer *w, int original, const tni_expanded *e, int node) {
  const tni_deck_model *m = w->m;
  const tni_way *way = &m->expansion->way[e->first];
  double r[3], a, b;
  for (int i = 0; e->flat && way->kind != TNI_WAY_BEAM && i < e->n; i++) way = &m->expansion->way[e->first + i];
  vec3_sub(r, m->mesh->x + 3*(size_t)node, m->mesh->x + 3*(size_t)original);
  a = vec3_dot(r, way->n1), b = vec3_dot(r, way->n2);
  for (int c = 0; c < 3; c++) {
    bool first = true;
    int j = (c + 1) % 3, k = (c + 2) % 3;
    begin_coupling(w);
    write_one(w, node, c, 1, &first);
    write_one(w, original, c, -1, &first);
    write_one(w, e->turn, j, -r[k], &first);
    write_one(w, e->turn, k, r[j], &first);
    if (e->flat) {
      write_one(w, e->stretch, 0, -a*way->n1[c], &first);
      write_one(w, e->stretch, 1, -b*way->n2[c], &first);
      write_one(w, e->stretch, 2, -(b*way->n1[c] + a*way->n2[c]), &first);
    } else {
      write_one(w, e->stretch, 0, -r[c], &first);
    }
    tni_text_add(w->out, "]}\n");
  }
}

/* bottom and top of plane stress move with the plane, and, of linear elements, away from it alike */
static void write_plane(writer *w, int node, const tni_way *way) {
  for (int k = 0; k < 5; k++) {
    bool first = true;
    if (k == 4 && !way->linear) continue;
    begin_coupling(w);
    write_one(w, way->node[k < 4 ? 2*(k/2) : 2], k < 4 ? k % 2 : 2, 1, &first);
    if (k < 4) write_one(w, node, k % 2, -1, &first);
    else write_one(w, way->node[0], 2, 1, &first);
    tni_text_add(w->out, "]}\n");
  }
}

static bool lie_on_a_line(const tni_way *w, int n) {
  for (int i = 0; i < n; i++)
    if (w[i].kind != TNI_WAY_SHELL || fabs(vec3_dot(w[0].n2, w[i].n2)) < 1 - 1e-9) return false;
  return true;
}

/* what holds the nodes that elements were expanded to */
static tn_status write_expanded(writer *w) {
  const tni_deck_model *m = w->m;
  for (int i = 0; m->expansion && i < m->expansion->nnode; i++) {
    const tni_expanded *e = tni_deck_expanded(m, i);
    if (!e) continue;
    const tni_way *way = &m->expansion->way[e->first];
    if (e->turn >= 0 && m->step[w->to].large)
      return tni_card_refuse(m->ctx, m->step[w->to].card, 0, "node %lld joins shells or beams of different normals or sections, or is held against turning "
                             "in a *DYNAMIC: with NLGEOM that is not understood", (long long)m->mesh->gid[i]);
    for (int k = 0; e->turn >= 0 && k < e->n; k++)
      for (int a = 0; a < TNI_WAY_NODES; a++)
        if (way[k].node[a] >= 0) write_knot_node(w, i, e, way[k].node[a]);
    if (e->turn >= 0 && way->kind == TNI_WAY_SHELL && lie_on_a_line(way, e->n)) { /* nothing turns about it */
      bool first = true;
      begin_coupling(w);
      for (int c = 0; c < 3; c++) write_one(w, e->turn, c, way->n2[c], &first);
      tni_text_add(w->out, "]}\n");
    }
    if (way->kind == TNI_WAY_PLANE) {
      write_plane(w, i, way);
    } else if (e->turn < 0 && m->in_elements[i]) { /* in solids too, or the place of a mass or a spring */
      for (int c = 0; c < 3; c++) {
        int corner[4], n = tni_deck_corners(way, corner);
        bool first = true;
        begin_coupling(w);
        for (int a = 0; a < n; a++) write_one(w, corner[a], c, 1.0/n, &first);
        write_one(w, i, c, -1, &first);
        tni_text_add(w->out, "]}\n");
      }
    }
  }
  return TN_OK;
}

/* a rotation that is held at zero is a linear equation however far the node goes; one that is moved is not */
static bool moves_far(const writer *w, const tni_deck_value *v, size_t stride) {
  for (int s = w->from; s <= w->to; s++)
    if (v[(size_t)s*stride].value != 0) return w->m->step[w->to].large;
  return false;
}

/* Where a beam is held against turning, sides of its section stay straight; where a shell is held, the middle of its thickness is the mean
 * of both sides. */
static void write_held(writer *w, int node, int dof) {
  const tni_deck_model *m = w->m;
  const tni_expanded *e = tni_deck_expanded(m, node);
  const tni_way *way = e ? &m->expansion->way[e->first] : NULL;
  bool first = true;
  if (!e || e->turn >= 0 || way->kind == TNI_WAY_PLANE) return;
  if (way->kind == TNI_WAY_BEAM && dof >= 3 && !w->straight[node]) {
    w->straight[node] = true;
    for (int k = 4; k < 8; k++)
      for (int c = 0; c < 3 && way->node[k] >= 0; c++, first = true) {
        begin_coupling(w);
        write_one(w, way->node[k], c, 2, &first);
        write_one(w, way->node[k-4], c, -1, &first);
        write_one(w, way->node[(k - 3) % 4], c, -1, &first);
        tni_text_add(w->out, "]}\n");
      }
  }
  if (way->kind != TNI_WAY_SHELL || dof >= 3 || way->node[1] < 0 || m->axes[node]) return;
  begin_coupling(w);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++)
      write_one(w, way->node[(k + 1) % 3], c, (k ? -0.5 : 1)*(m->axes[node] ? m->axes[node][3*dof + c] : c == dof), &first);
  tni_text_add(w->out, "]}\n");
}

/* a group of nodes of shells, beams or plane stress, or of their elements, is not one of the solids that they became */
static tn_status refuse_expanded(const tni_deck_model *m, const tni_card *c, const tni_mesh_set *set, int node) {
  bool any = node >= 0 && tni_deck_expanded(m, node);
  for (int i = 0; i < set->n && !any; i++)
    any = set->kind == TNI_SET_NODES ? tni_deck_expanded(m, set->member[i]) != NULL : m->family[set->member[i]] != ' ';
  return any ? tni_card_refuse(m->ctx, c, 0, "shells, beams and plane stress in it are not understood") : TN_OK;
}

static tn_status write_couplings(writer *w) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  TN_TRY(write_expanded(w));
  TNI_ARENA_NEW(&w->arena, w->straight, n);
  for (size_t i = 0; i < stride; i++) { /* supports that are sums */
    int node = (int)(i/TNI_DECK_NDOF), dof = (int)(i % TNI_DECK_NDOF);
    tni_deck_term term[TNI_DECK_TERMS];
    const tni_deck_value *v = m->boundary + i;
    bool ever = false; /* what a support made of an expanded node stays when the support goes */
    for (int s = 0; s <= w->to; s++) ever = ever || v[(size_t)s*stride].on;
    if (ever) write_held(w, node, dof);
    if (!v[(size_t)w->to*stride].on) continue;
    int count = tni_deck_terms(m, node, dof, term);
    if (count == 0 || is_plain(term, count)) continue;
    if (dof >= 3 && moves_far(w, v, stride))
      return tni_card_refuse(m->ctx, m->step[w->to].card, 0, "a rotation of node %lld that is moved is not understood with NLGEOM",
                             (long long)m->mesh->gid[node]);
    bool first = true;
    const char *value = expression(w, v, stride, 1, 0);
    if (!value) return tni_out_of_memory(m->ctx);
    begin_coupling(w);
    write_term(w, node, dof, 1, &first);
    if (value[0]) tni_text_add(w->out, "], value: \"%s\"}\n", value);
    else tni_text_add(w->out, "]}\n");
  }
  for (int i = 0; i < m->nequation; i++) {
    const tni_deck_equation *e = &m->equation[i];
    bool first = true;
    begin_coupling(w);
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
    TN_TRY(refuse_expanded(m, r->card, tni_deck_find_set(m->mesh, r->set, r->of_elements ? TNI_SET_CELLS : TNI_SET_NODES), r->ref));
    tni_text_add(w->out, "%s  - {rigid: \"%s\", to: node %lld}\n", w->coupled ? "" : "couplings:\n", r->set, (long long)m->mesh->gid[r->ref]);
    w->coupled = true;
  }
  for (int i = 0; i < m->ntie; i++) {
    const tni_card *c = m->tie[i];
    char text[1000];
    const char *f[4], *tolerance = tni_card_value(c, "POSITION TOLERANCE");
    int nf = c->ndata > 0 ? tni_card_fields(c->data[0], text, sizeof(text), f, 4) : 0;
    if (nf < 2) return tni_card_refuse(m->ctx, c, 0, "two surfaces are needed");
    const tni_mesh_set *slave = tni_deck_find_set(m->mesh, f[0], TNI_SET_NODES), *master = tni_deck_find_set(m->mesh, f[1], TNI_SET_FACES);
    if (!slave || !master) return tni_card_refuse(m->ctx, c, 0, "there is no surface '%.60s'", slave ? f[1] : f[0]);
    TN_TRY(refuse_expanded(m, c, slave, -1));
    TN_TRY(refuse_expanded(m, c, master, -1));
    tni_text_add(w->out, "%s  - {tie: \"%s\", to: \"%s\"", w->coupled ? "" : "couplings:\n", slave->name, master->name);
    if (tolerance) tni_text_add(w->out, ", tolerance: %s", tolerance);
    tni_text_add(w->out, "}\n");
    w->coupled = true;
  }
  return TN_OK;
}

/* ---- loads ------------------------------------------------------------------------------------------------------ */

static tn_status write_forces(writer *w, bool *begun) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, stride = n*TNI_DECK_NDOF;
  int count = 0, cap = 0;
  pair *p = NULL;
  for (size_t i = 0; i < n*TNI_DECK_NDOF; i++) {
    tni_deck_term term[TNI_DECK_TERMS];
    int node = (int)(i/TNI_DECK_NDOF), dof = (int)(i % TNI_DECK_NDOF);
    const char *f = expression(w, m->force + i, stride, 1, 0);
    if (!f) return tni_out_of_memory(m->ctx);
    if (!f[0]) continue;
    int terms = tni_deck_load_terms(m, node, dof, term);
    if (terms == 0)
      return tni_card_refuse(m->ctx, m->loaded_by[node], 0, "node %lld has no degree of freedom %d to load", (long long)m->mesh->gid[node], dof + 1);
    if (dof >= 3 && m->step[w->to].large && !is_plain(term, terms))
      return tni_card_refuse(m->ctx, m->loaded_by[node], 0, "a moment at node %lld of a shell or beam is not understood with NLGEOM", (long long)m->mesh->gid[node]);
    for (int k = 0; k < terms; k++) {
      const char *to[3] = {"0", "0", "0"};
      bool moment = term[k].component >= 3;
      char *own = term[k].factor == 1 ? (char *)f : tni_arena_printf(&w->arena, "%.17g*(%s)", term[k].factor, f);
      void *items = p;
      if (!own || !tni_arena_grow(&w->arena, &items, count, &cap, sizeof(*p))) return tni_out_of_memory(m->ctx);
      p = items;
      to[term[k].component % 3] = own;
      p[count] = (pair){tni_arena_printf(&w->arena, "%s: [\"%s\", \"%s\", \"%s\"]", moment ? "moment_each" : "force_each", to[0], to[1], to[2]), term[k].node};
      if (!p[count++].text) return tni_out_of_memory(m->ctx);
    }
  }
  if (count > 0) qsort(p, (size_t)count, sizeof(pair), by_text);
  for (int i = 0; i < count;) { /* a node that comes twice under one text is loaded twice */
    int k = i + 1;
    while (k < count && strcmp(p[k].text, p[i].text) == 0 && p[k].node != p[k-1].node) k++;
    tni_text_add(w->out, "%s  - {group: ", *begun ? "" : "loads:\n");
    *begun = true;
    write_nodes(w, p, i, k);
    tni_text_add(w->out, ", %s}\n", p[i].text);
    i = k;
  }
  return TN_OK;
}

/* Cells of a section within the target of a load: all of them, the group is the set of the section; some, "cells 1-4 7", where asked for. */
static bool meets(const tni_deck_model *m, const tni_deck_section *s, const tni_deck_dload *d, bool *whole, tni_text *group) {
  const tni_mesh_set *own = tni_deck_find_set(m->mesh, s->set, TNI_SET_CELLS), *set = tni_deck_find_set(m->mesh, d->target, TNI_SET_CELLS);
  int one = set ? -1 : tni_mesh_cell_of(m->mesh, (tn_gid)strtoll(d->target, NULL, 10)), both = 0;
  long long first = 0, last = -1;
  if (group) tni_text_add(group, "cells");
  for (int i = 0, k = 0; i < own->n; i++) {
    while (set && k < set->n && set->member[k] < own->member[i]) k++;
    if (set ? k == set->n || set->member[k] != own->member[i] : own->member[i] != one) continue;
    long long gid = (long long)tni_mesh_cell_gid(m->mesh, own->member[i]);
    if (both++ && gid == last + 1) {
      last = gid;
      continue;
    }
    if (group && both > 1) tni_text_add(group, " %lld-%lld", first, last);
    first = last = gid;
  }
  if (group && both > 0) tni_text_add(group, " %lld-%lld", first, last);
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
      tni_text_add(w->out, "%s  - {group: \"faces S%d %s\", pressure: \"%s\"}\n", head, d->face, d->target, e);
      return TN_OK;
    case TNI_DLOAD_SURFACE:
      tni_text_add(w->out, "%s  - {group: \"%s\", pressure: \"%s\"}\n", head, tni_deck_find_set(m->mesh, d->target, TNI_SET_FACES)->name, e);
      return TN_OK;
    case TNI_DLOAD_GRAVITY:
      for (int i = 0; i < m->nsection; i++) {
        bool whole;
        tni_text some;
        tni_text_init(&some, m->ctx);
        bool any = meets(m, &m->section[i], d, &whole, &some);
        const char *group = whole ? m->section[i].set : tni_arena_printf(&w->arena, "%s", some.s ? some.s : "");
        bool failed = some.failed || !group;
        tni_text_free(&some);
        if (failed) return tni_out_of_memory(m->ctx);
        if (!any) continue;
        double rho = m->section[i].matter->density;
        if (!(rho > 0)) return tni_card_refuse(m->ctx, d->card, d->line, "material '%.60s' has no density", m->section[i].matter->as_written);
        tni_text_add(w->out, "%s  - {group: \"%s\", body_force: [", head, group);
        for (int c = 0; c < 3; c++) tni_text_add(w->out, "%s\"%.17g*(%s)\"", c ? ", " : "", rho*d->direction[c], e);
        tni_text_add(w->out, "]}\n");
        head = "";
      }
      return TN_OK;
    default:
      for (int i = 0; i < m->nsection; i++) {
        bool whole, any = meets(m, &m->section[i], d, &whole, NULL);
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

/* temperature of a node through the steps, own [nstep]: that of the deck's node and, across a shell, the gradient */
static tn_status temperature_at(const writer *w, int node, tni_deck_value *own) {
  const tni_deck_model *m = w->m;
  size_t n = (size_t)m->mesh->nnode, from = (size_t)m->origin[node];
  const tni_expanded *e = tni_deck_expanded(m, (int)from);
  double place = 0;
  for (int k = 0; e && k < e->n; k++)
    for (int a = 0; a < 3; a++) {
      const tni_way *way = &m->expansion->way[e->first + k];
      if (way->kind == TNI_WAY_SHELL && way->node[a] == node) place = way->place[a];
    }
  for (int s = 0; s < m->nstep; s++) {
    own[s] = m->temperature[(size_t)s*n + from];
    own[s].value += place*m->gradient[(size_t)s*n + from];
    if (m->gradient[(size_t)s*n + from] != 0 && (!e || m->expansion->way[e->first].kind != TNI_WAY_SHELL))
      return tni_card_refuse(m->ctx, m->warm, 0, "a gradient of temperature at node %lld, which is not of a shell, is not understood", (long long)m->mesh->gid[from]);
  }
  return TN_OK;
}

/* elements that take a mean of the temperatures of their nodes there */
static tn_status refuse_uneven_heat(const writer *w, tni_deck_value *own) {
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
          int node = m->origin[k->node[e*nn + a]];
          TN_TRY(temperature_at(w, k->node[e*nn + a], own));
          double T = own[s].on ? tni_deck_end_value(m, &own[s], s) - m->reference[node] : 0;
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
  bool moves = m->step[w->to].kind == TNI_DECK_DYNAMIC || m->step[w->to].kind == TNI_DECK_EXPLICIT;
  for (size_t i = 0; i < n && moves && m->moving; i++) {
    const double *v = m->velocity[i];
    if (!m->in_elements[i] || vec3_norm(v) == 0) continue;
    tni_text_add(w->out, "%s  - {group: node %lld, velocity: [%.17g, %.17g, %.17g]}\n", begun ? "" : "nodes:\n", (long long)m->mesh->gid[i], v[0], v[1], v[2]);
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
  int count = 0;
  pair *p;
  tni_deck_value *own;
  TNI_ARENA_NEW(&w->arena, p, n);
  TNI_ARENA_NEW(&w->arena, own, m->nstep);
  TN_TRY(refuse_uneven_heat(w, own));
  for (size_t i = 0; i < n; i++) {
    if (!m->in_elements[i]) continue;
    TN_TRY(temperature_at(w, (int)i, own));
    const char *e = expression(w, own, 1, 1, m->reference[m->origin[i]]);
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

/* Without DIRECT CalculiX makes increments longer and longer, by half each time, where one iteration is enough: whatever the error is.
 * It begins with accelerations of an implicit step of a tenth of the first increment. */
static void write_hht(const writer *w, const tni_deck_step *s) {
  static const double GROWTH = 1.5;
  tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: hht, steps: equal, step: %.17g, rho: %.17g, soft_start: 0.1", s->period, s->first,
               (1 + s->hht)/(1 - s->hht));
  if (!s->direct) tni_text_add(w->out, ", growth: %.17g", GROWTH);
  if (!s->direct && s->longest > 0) tni_text_add(w->out, ", max_step: %.17g", s->longest);
  tni_text_add(w->out, "}\n");
}

static tn_status write_model(writer *w, int *rows_a_step) {
  const tni_deck_model *m = w->m;
  const tni_deck_step *s = &m->step[w->to];
  const char *slash = strrchr(m->path, '/');
  bool rests = s->kind == TNI_DECK_STATIC, buckles = s->kind == TNI_DECK_BUCKLE, modes = s->kind == TNI_DECK_FREQUENCY, begun = false;
  int damped = 0;
  for (int i = 1; i < m->nsection && m->planar; i++)
    if (m->section[i].thickness != m->section[0].thickness)
      return tni_card_refuse(m->ctx, m->section[i].card, 0, "plane sections of different thickness are not understood");
  tni_text_add(w->out, "tenon: 1\n%smeshes: {deck: {file: \"%s\"%s}}\nmaterials:\n", m->planar ? "planar: true\n" : "", slash ? slash + 1 : m->path,
               m->expansion ? ", expand: true" : "");
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
  } else if (s->kind == TNI_DECK_MODAL) {
    tni_text_add(w->out, "output: {every: %.17g}\nanalysis: {type: modal, until: %.17g, step: %.17g, modes: %d, static_part: false", s->period,
                 s->period, s->first, s->nmode);
    for (int k = 0; s->zeta && k < s->nmode; k++)
      if (k + 1 == s->nmode || s->zeta[k + 1] != s->zeta[k])
        tni_text_add(w->out, "%s[%d, %.17g]%s", damped++ ? ", " : ", damping_by_mode: [", k + 1, s->zeta[k], k + 1 == s->nmode ? "]" : "");
    tni_text_add(w->out, "}\n");
  } else if (!rests) {
    if (s->kind == TNI_DECK_EXPLICIT && s->direct)
      tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: central, step: %.17g}\n", s->period, s->first);
    else if (s->kind == TNI_DECK_EXPLICIT)
      tni_text_add(w->out, "analysis: {type: transient, until: %.17g, method: central}\n", s->period);
    else
      write_hht(w, s);
  } else if (w->chain) {
    int steps = w->to - w->from + 1, rows = 1;
    bool given = m->yields; /* the end of a plastic path depends on its increments */
    for (int i = w->from; i <= w->to; i++) {
      given = given && (m->step[i].direct || m->step[i].first >= m->step[i].period);
      double r = ceil(m->step[i].period/m->step[i].first - 1e-9);
      if (r > rows) rows = r < 100 ? (int)r : 100;
    }
    if (rows < 10 && !given) rows = 10;
    *rows_a_step = rows;
    tni_text_add(w->out, "analysis: {type: statics, from: 0, until: %d, load_steps: %d}\n", steps, steps*rows);
  } else {
    tni_text_add(w->out, "analysis: {type: statics}\n");
  }
  return w->out->failed ? tni_out_of_memory(m->ctx) : TN_OK;
}

tn_status tni_deck_translate(const tni_deck_model *m, int from, int to, tni_text *out, int *rows_a_step) {
  for (int k = from; k <= to; k++)
    for (int i = 0; k > 0 && i < m->mesh->nnode; i++) {
      const tni_deck_value *T = &m->temperature[(size_t)k*(size_t)m->mesh->nnode + (size_t)i];
      if (T->on && !T->fresh && T->amplitude >= 0 && !m->amplitude[T->amplitude].total)
        return tni_card_refuse(m->ctx, m->step[k].card, 0, "temperatures that an earlier step gave by an amplitude of its own time are not understood; give them again");
    }
  writer w = {.m = m, .from = from, .to = to, .out = out};
  w.chain = m->step[to].kind == TNI_DECK_STATIC && tni_deck_is_nonlinear(m, to);
  tni_arena_init(&w.arena, m->ctx);
  tn_status st = write_model(&w, rows_a_step);
  tni_arena_clear(&w.arena);
  return st;
}
