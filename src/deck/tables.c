/* deck/tables.c - tables of values as CalculiX prints them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/sim.h"
#include "deck/deck.h"
#include "solids/structure.h"
#include "system/parts.h"

/* 0.1234567E+01 */
static const char *fortran(double x, char out[32]) {
  if (x == 0) return strcpy(out, "0.0000000E+00");
  int e = (int)floor(log10(fabs(x))) + 1;
  double m = x/pow(10, e);
  if (fabs(m) >= 1) m /= 10, e++;
  char digits[24];
  snprintf(digits, sizeof(digits), "%.7f", fabs(m));
  if (digits[0] == '1') snprintf(digits, sizeof(digits), "%.7f", 0.1), e++;
  snprintf(out, 32, "%s%sE%c%02u", x < 0 ? "-" : "", digits, e < 0 ? '-' : '+', (unsigned)abs(e) % 1000u);
  return out;
}

static const char *time_text(const tni_deck_model *m, int step, char out[32]) { return fortran(tni_deck_total_time(m, step), out); }

static int field_of(const tni_part *p, const char *name) {
  for (int i = 0; i < p->nfield; i++)
    if (strcmp(p->field[i].name, name) == 0) return i;
  return -1;
}

typedef struct {
  const tni_deck_model *m;
  int step;
  const tni_part *part;
  const tni_structure *s;
  void *work;
  tni_part_at at;
  tni_text *out;
  tni_arena arena;
} printer;

/* Values of the deck's nodes from those that they were expanded to: forces are sums, others means, over each element that has the node. */
static void gather(const tni_deck_model *m, bool force, double *x) {
  for (int i = 0; m->expansion && i < m->expansion->nnode; i++) {
    const tni_expanded *e = tni_deck_expanded(m, i);
    double sum[3] = {0};
    int cells = 0;
    if (!e || m->expansion->way[e->first].kind == TNI_WAY_PLANE) {
      for (int k = 0; e && force && k < 3; k += 2) vec3_add(x + 3*(size_t)i, x + 3*(size_t)i, x + 3*(size_t)m->expansion->way[e->first].node[k]);
      continue;
    }
    for (int k = 0; k < e->n; k++) {
      const tni_way *w = &m->expansion->way[e->first + k];
      int corner[4], n = tni_deck_corners(w, corner);
      cells += w->cells;
      bool thirds = w->kind == TNI_WAY_SHELL && w->node[1] >= 0; /* Simpson's rule across the thickness */
      for (int a = 0; a < n && !force; a++) vec3_addmul(sum, thirds ? w->cells/6.0 : (double)w->cells/n, x + 3*(size_t)corner[a]);
      if (thirds && !force) vec3_addmul(sum, w->cells*2/3.0, x + 3*(size_t)w->node[1]);
      for (int a = 0; a < TNI_WAY_NODES && force; a++)
        if (w->node[a] >= 0) vec3_add(sum, sum, x + 3*(size_t)w->node[a]);
    }
    if (force) vec3_copy(x + 3*(size_t)i, sum);
    else vec3_scale(x + 3*(size_t)i, 1.0/cells, sum);
  }
}

static tn_status node_table(printer *p, const tni_deck_print *t) {
  bool force = strcmp(t->what, "RF") == 0, speed = strcmp(t->what, "V") == 0;
  const tni_mesh *mesh = p->part->mesh;
  const tni_mesh_set *set = tni_mesh_find_set(mesh, t->set, TNI_SET_NODES);
  double *x, total[3] = {0};
  char time[32];
  char upper[128];
  snprintf(upper, sizeof(upper), "%s", t->set);
  for (char *c = upper; *c; c++) *c = (char)toupper((unsigned char)*c);
  TNI_ARENA_NEW(&p->arena, x, 3*(size_t)mesh->nnode);
  /* forces there are all that acts on a node: supports and loads */
  if (force) {
    if (p->s->plane == TNI_PLANE_AXISYMMETRIC) {
      tni_log(p->m->ctx, TN_LOG_WARNING, "%s:%d: *NODEPRINT: RF of bodies of revolution, there of a wedge, is not printed", t->card->file, t->card->line);
      return TN_OK;
    }
    if (!tni_structure_internal(p->part, p->work, &p->at, x)) return TN_OK;
  } else {
    p->part->ops->fill(p->part, p->work, &p->at, field_of(p->part, speed ? "velocity" : "displacement"), x);
  }
  gather(p->m, force, x);
  if (t->totals < 2) {
    tni_text_add(p->out, "\n %s for set %s and time  %s\n\n", force ? "forces (fx,fy,fz)" : speed ? "velocities (vx,vy,vz)" : "displacements (vx,vy,vz)",
                 upper, time_text(p->m, p->step, time));
    for (int i = 0; i < set->n; i++) {
      const double *v = x + 3*(size_t)set->member[i];
      tni_text_add(p->out, "%10lld %13.6E %13.6E %13.6E\n", (long long)mesh->gid[set->member[i]], v[0], v[1], v[2]);
    }
  }
  for (int i = 0; i < set->n; i++) vec3_add(total, total, x + 3*(size_t)set->member[i]);
  if (t->totals && force)
    tni_text_add(p->out, "\n total force (fx,fy,fz) for set %s and time  %s\n\n        %13.6E %13.6E %13.6E\n", upper, time_text(p->m, p->step, time), total[0],
                 total[1], total[2]);
  return TN_OK;
}

/* Stress or strain in the axes of the ground at a point of a wedge of two degrees, from one along radius (x), axis (y) and around (z) */
static const double *turn_layer(const double v[6], bool stress, int layers, int layer, double out[6]) {
  const double degree = 0.017453292519943295;
  double zeta = layers == 2 ? 2*layer - 1 : layer - 1, half = stress ? 1 : 0.5;
  zeta *= layers == 2 ? sqrt(1.0/3) : sqrt(0.6);
  double a = atan2(zeta*sin(degree), 1 - zeta*zeta*(1 - cos(degree))), c = cos(a), s = sin(a), xy = half*v[3];
  out[0] = c*c*v[0] + s*s*v[2];
  out[1] = v[1];
  out[2] = s*s*v[0] + c*c*v[2];
  out[3] = c*xy/half;
  out[4] = s*xy/half;
  out[5] = c*s*(v[0] - v[2])/half;
  return out;
}

/* axes (rows) in which stresses of a cell are printed, and what the last column calls them: those of the orientation of its section, of a
 * shell its own. false: the ground's */
static bool local_axes(const tni_deck_model *m, int cell, double R[9], char name[32]) {
  for (int i = m->nsection - 1; i >= 0; i--) {
    const tni_mesh_set *set = m->section[i].turned ? tni_deck_find_set(m->mesh, m->section[i].set, TNI_SET_CELLS) : NULL;
    bool own = false;
    for (int k = 0; set && k < set->n; k++) own = own || set->member[k] == cell;
    if (!own) continue;
    for (int k = 0; k < 9; k++) R[k] = m->section[i].axes[3*(k % 3) + k/3];
    snprintf(name, 32, " %-20.20s", m->section[i].orientation);
    for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
    return true;
  }
  if (!tni_deck_shell_axes(m, cell, R)) return false;
  snprintf(name, 32, " _shell_%010lld   ", (long long)tni_mesh_cell_gid(m->mesh, cell));
  return true;
}

/* six components xx yy zz xy yz zx of a symmetric tensor in axes R (rows) */
static const double *turn_tensor(const double R[9], const double v[6], bool stress, double out[6]) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  double half = stress ? 1 : 0.5, T[9];
  for (int k = 0; k < 6; k++) T[3*at[k][0] + at[k][1]] = T[3*at[k][1] + at[k][0]] = (k < 3 ? 1 : half)*v[k];
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) sum += R[3*at[k][0] + i]*T[3*i + j]*R[3*at[k][1] + j];
    out[k] = sum/(k < 3 ? 1 : half);
  }
  return out;
}

/* number in a table of place k of our points of an element: CalculiX goes through them in another order */
static tn_status element_table(printer *p, const tni_deck_print *t) {
  const tni_mesh *mesh = p->part->mesh;
  const tni_mesh_set *set = tni_mesh_find_set(mesh, t->set, TNI_SET_CELLS);
  char time[32], upper[128];
  bool stress = strcmp(t->what, "S") == 0, strain = strcmp(t->what, "E") == 0, plastic = strcmp(t->what, "PEEQ") == 0;
  snprintf(upper, sizeof(upper), "%s", t->set);
  for (char *c = upper; *c; c++) *c = (char)toupper((unsigned char)*c);
  if (!stress && !strain && !plastic) return TN_OK;
  tni_text_add(p->out, "\n %s for set %s and time  %s\n\n",
               stress ? "stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz)" : strain ? "strains (elem, integ.pnt.,exx,eyy,ezz,exy,exz,eyz)"
                      : "equivalent plastic strain (elem, integ.pnt.,pe)", upper, time_text(p->m, p->step, time));
  int *slot;
  TNI_ARENA_NEW(&p->arena, slot, mesh->ncell);
  for (int i = 0; i < mesh->ncell; i++) slot[i] = -1;
  for (int b = 0; b < p->s->nblock; b++)
    for (int e = 0; e < p->s->block[b].n; e++) slot[p->s->block[b].cell[e]] = p->s->block[b].first + e;
  for (int i = 0; i < set->n; i++) {
    double s6[6*TNI_SOLID_MAXGAUSS], e6[6*TNI_SOLID_MAXGAUSS], peeq[TNI_SOLID_MAXGAUSS] = {0};
    int n, element = slot[set->member[i]];
    if (element < 0) continue;
    if (!tni_structure_points(p->part, p->work, &p->at, element, &n, s6, e6, peeq)) continue;
    /* plane elements are one of solids there: every point comes once for each layer */
    double R[9];
    char name[32] = "";
    bool local = !plastic && !t->global && local_axes(p->m, set->member[i], R, name);
    int layers = !p->m->planar ? 1 : n == 9 || n == 3 ? 3 : 2;
    for (int j = 0; j < n*layers; j++) {
      int k = j % n;
      const double *v = (stress ? s6 : e6) + 6*k;
      double half = stress ? 1 : 0.5; /* engineering shear strains here, half of them there */
      tni_text_add(p->out, "%10lld %3d", (long long)tni_mesh_cell_gid(mesh, set->member[i]), j + 1);
      double turned[6];
      if (p->s->plane == TNI_PLANE_AXISYMMETRIC) v = turn_layer(v, stress, layers, j/n, turned);
      if (local) v = turn_tensor(R, v, stress, turned);
      if (plastic) tni_text_add(p->out, " %13.6E\n", peeq[k]);
      else tni_text_add(p->out, " %13.6E %13.6E %13.6E %13.6E %13.6E %13.6E%s\n", v[0], v[1], v[2], half*v[3], half*v[5], half*v[4], local ? name : "");
    }
  }
  return TN_OK;
}

tn_status tni_deck_tables(const tni_deck_model *m, int step, tn_sim *sim, tni_text *out) {
  const tni_part *part = &sim->model->part[0];
  printer p = {.m = m, .step = step, .part = part, .s = part->data, .work = sim->s->parts->work[0], .at = tni_parts_at(sim->s, 0), .out = out};
  tn_status st = TN_OK;
  tni_arena_init(&p.arena, m->ctx);
  for (int i = 0; i < m->step[step].nprint && st == TN_OK; i++) {
    const tni_deck_print *t = &m->step[step].print[i];
    st = t->elements ? element_table(&p, t) : node_table(&p, t);
  }
  tni_arena_clear(&p.arena);
  if (st == TN_OK && out->failed) st = tni_out_of_memory(m->ctx);
  return st;
}

void tni_deck_mode_table(const tn_summary *sum, tni_text *out) {
  tni_text_add(out, "\n     E I G E N V A L U E   O U T P U T\n\n MODE NO    EIGENVALUE                       FREQUENCY   \n"
                    "                                     REAL PART            IMAGINARY PART\n"
                    "                           (RAD/TIME)      (CYCLES/TIME     (RAD/TIME)\n\n");
  for (int i = 0; i < sum->modes && i < TN_SUMMARY_MODES; i++) {
    char a[32], b[32], c[32], d[32];
    double w = 6.283185307179586*sum->mode[i].frequency;
    bool unstable = sum->mode[i].unstable;
    tni_text_add(out, "%7d%16s%16s%16s%16s\n", i + 1, fortran(unstable ? -w*w : w*w, a), fortran(unstable ? 0 : w, b),
                 fortran(unstable ? 0 : sum->mode[i].frequency, c), fortran(unstable ? w : 0, d));
  }
}

void tni_deck_buckling_table(const tn_summary *sum, tni_text *out) {
  tni_text_add(out, "\n     B U C K L I N G   F A C T O R   O U T P U T\n\n MODE NO       BUCKLING\n                FACTOR\n\n");
  for (int i = 0; i < sum->modes && i < TN_SUMMARY_MODES; i++) {
    char a[32];
    tni_text_add(out, "%7d%16s\n", i + 1, fortran(sum->mode[i].re, a));
  }
}
