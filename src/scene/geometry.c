/* scene/geometry.c - the geometry of a model for pictures, as JSON
 *
 * What the user gave (look, shape) is shown as it is. A body without either is drawn from what is
 * known of it: the points at which joints and forces hold it, and its inertia.
 *
 *   attachments apart from each other    the convex hull of balls (planar: of discs) about them
 *   one, away from the centre of mass    a bar from it through the centre of mass, as far again
 *   none, or at the centre of mass       the ball or box of the same mass and inertia
 *
 * All coordinates are in the frames in which the results file has its poses: the user's body frames.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "scene/geometry.h"

#include <math.h>

#include "base/vec.h"
#include "mesh/mesh.h"
#include "model/part.h"
#include "output/json.h"

enum { ATTACH_MAX = 24, LAYERS = 4 };

typedef struct {
  int n;
  double p[ATTACH_MAX][3]; /* user's body frame */
} attachments;

typedef struct {
  const tn_model *m;
  tni_arena *arena;
  tni_json json;
  double low[3], high[3]; /* of the model at t = 0 */
  double size;            /* diagonal of that      */
  attachments *attach;    /* [nbody]               */
  int *layer;             /* [nbody] planar: bodies that share a joint lie in different layers */
} scene;

static void add_vector(tni_json *j, const char *key, const double *x, int n) {
  tni_json_open_array(j, key);
  for (int i = 0; i < n; i++) tni_json_add_short(j, NULL, x[i]);
  tni_json_close(j);
}

/* a point of the frame of mechanics in the user's body frame */
static void user_point(const tn_model *m, int body, const double p[3], double out[3]) {
  vec3_copy(out, p);
  if (body != TNI_GROUND) vec3_add(out, out, m->body[body].com);
}

/* gears and the like tie coordinates of other joints; drives move them */
static bool has_place(const tni_joint *j) {
  return !j->is_drive && strcmp(j->type, "gear") != 0 && strcmp(j->type, "coupler") != 0 &&
         strcmp(j->type, "rack_pinion") != 0;
}

/* ---- size of the model, attachments, layers ----------------------------------------------- */

static void include(scene *s, const double p[3]) {
  for (int i = 0; i < 3; i++) {
    s->low[i] = fmin(s->low[i], p[i]);
    s->high[i] = fmax(s->high[i], p[i]);
  }
}

static void include_on(scene *s, int body, const double p[3]) {
  double A[9], g[3];
  vec3_copy(g, p);
  if (body != TNI_GROUND) {
    quat_matrix(A, s->m->body[body].p0);
    mat3_vec(g, A, p);
    vec3_add(g, g, s->m->body[body].r0);
  }
  include(s, g);
}

static void measure(scene *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < 3; i++) s->low[i] = HUGE_VAL, s->high[i] = -HUGE_VAL;
  for (int i = 0; i < m->nbody; i++) {
    const double zero[3] = {0, 0, 0};
    include_on(s, i, zero);
  }
  for (int i = 0; i < m->njoint; i++)
    if (has_place(&m->joint[i]))
      for (int e = 0; e < 2; e++) include_on(s, m->joint[i].body[e], m->joint[i].frame[e].p);
  for (int i = 0; i < m->nforce; i++)
    for (int e = 0; e < m->force[i].nend; e++)
      include_on(s, m->force[i].end_body[e], m->force[i].end[e]);
  for (int i = 0; i < m->npart; i++)
    for (int k = 0; k < m->part[i].mesh->nnode; k++) include(s, m->part[i].mesh->x + 3*(size_t)k);
  double d[3] = {0, 0, 0};
  if (s->low[0] <= s->high[0]) vec3_sub(d, s->high, s->low);
  s->size = vec3_norm(d);
  if (m->nbody > 0) { /* a single body: its radius of gyration */
    const tni_body *b = &m->body[0];
    s->size = fmax(s->size, 3*sqrt((b->I[0] + b->I[4] + b->I[8])/(2*b->mass)));
  }
  if (!(s->size > 0)) s->size = 1;
}

static void attach(scene *s, int body, const double p[3]) {
  if (body == TNI_GROUND) return;
  attachments *a = &s->attach[body];
  double q[3], d[3];
  user_point(s->m, body, p, q);
  for (int i = 0; i < a->n; i++) {
    vec3_sub(d, q, a->p[i]);
    if (vec3_norm(d) < 1e-3*s->size) return;
  }
  if (a->n < ATTACH_MAX) vec3_copy(a->p[a->n++], q);
}

static void find_attachments(scene *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->njoint; i++)
    if (has_place(&m->joint[i]))
      for (int e = 0; e < 2; e++) attach(s, m->joint[i].body[e], m->joint[i].frame[e].p);
  for (int i = 0; i < m->nforce; i++)
    for (int e = 0; e < m->force[i].nend; e++)
      attach(s, m->force[i].end_body[e], m->force[i].end[e]);
  /* greedy colouring in file order: joints name the later body second in nearly all models */
  for (int i = 0; i < m->njoint; i++) {
    const tni_joint *j = &m->joint[i];
    int a = j->body[0], b = j->body[1];
    if (a == TNI_GROUND || b == TNI_GROUND || !has_place(j) || s->layer[a] != s->layer[b]) continue;
    s->layer[a > b ? a : b] = (s->layer[a] + 1) % LAYERS;
  }
}

/* ---- shapes -------------------------------------------------------------------------------- */

static void add_pose(scene *s, const double at[3], const double R[9]) {
  double q[4];
  quat_from_matrix(q, R);
  if (vec3_norm(at) > 0) add_vector(&s->json, "at", at, 3);
  if (q[0] < 1) add_vector(&s->json, "turn", q, 4);
}

static void add_base64(tni_json *j, const char *key, const void *data, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = data;
  tni_json_add_text(j, key, "");
  j->text->n -= j->text->failed ? 0 : 1; /* go on inside the quotes */
  for (size_t i = 0; i < n; i += 3) {
    unsigned x = (unsigned)b[i] << 16 | (i + 1 < n ? (unsigned)b[i+1] << 8 : 0) | (i + 2 < n ? b[i+2] : 0);
    tni_text_add(j->text, "%c%c%c%c", digit[x >> 18], digit[x >> 12 & 63],
                 i + 1 < n ? digit[x >> 6 & 63] : '=', i + 2 < n ? digit[x & 63] : '=');
  }
  tni_text_add(j->text, "\"");
}

static void add_shape(scene *s, const tni_look *h) {
  tni_json *j = &s->json;
  static const char *const kind[] = {"box", "cylinder", "sphere", "hull", "mesh"};
  static const int nsize[] = {3, 2, 1, 1, 0};
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "kind", kind[h->kind]);
  if (nsize[h->kind]) add_vector(j, "size", h->size, nsize[h->kind]);
  add_pose(s, h->at, h->R);
  if (h->color) tni_json_add_text(j, "color", h->color);
  if (h->kind == TNI_LOOK_HULL) add_vector(j, "points", h->point[0], 3*h->npoint);
  if (h->kind == TNI_LOOK_MESH) {
    add_base64(j, "points", h->mesh.point, 3*sizeof(float)*(size_t)h->mesh.npoint);
    add_base64(j, "faces", h->mesh.face, 3*sizeof(int)*(size_t)h->mesh.nface);
  }
  tni_json_close(j);
}

/* the solid of the key `shape`, about the centre of mass; false: none */
static bool given_shape(const tni_body *b, tni_look *h) {
  static const char *const kind[] = {"box", "cylinder", "sphere"};
  const tni_value *v = tni_item_get(b->item, "shape");
  if (!v || v->form != TNI_MAP || v->n != 1) return false;
  memset(h, 0, sizeof(*h));
  for (int k = 0; k < 3; k++)
    if (strcmp(v->key[0], kind[k]) == 0) h->kind = (tni_look_kind)k;
  const tni_value *size = &v->item[0];
  if (size->form == TNI_NUMBER) h->size[0] = size->number;
  for (int i = 0; size->form == TNI_LIST && i < size->n && i < 3; i++)
    h->size[i] = size->item[i].number;
  vec3_copy(h->at, b->com);
  mat3_identity(h->R);
  return true;
}

/* principal moments e and axes (columns of R) by Jacobi's rotations */
static void principal(const double I[9], double e[3], double R[9]) {
  double A[9];
  memcpy(A, I, sizeof(A));
  mat3_identity(R);
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (fabs(A[3*p+q]) <= 1e-14*(fabs(A[4*p]) + fabs(A[4*q]))) continue;
        double a = 0.5*atan2(2*A[3*p+q], A[4*q] - A[4*p]), c = cos(a), n = sin(a);
        double G[9], T[9];
        mat3_identity(G);
        G[4*p] = G[4*q] = c;
        G[3*p+q] = n;
        G[3*q+p] = -n;
        mat3_tmul(T, G, A);
        mat3_mul(A, T, G);
        mat3_mul(T, R, G);
        memcpy(R, T, sizeof(T));
      }
  for (int i = 0; i < 3; i++) e[i] = A[4*i];
  if (mat3_det(R) < 0)
    for (int i = 0; i < 3; i++) R[3*i] = -R[3*i];
}

/* ball or box with the mass and inertia of the body, within what can be seen */
static void inertia_shape(const scene *s, const tni_body *b, tni_look *h) {
  /* an inertia may be made up; a body that is alone has nothing to hide */
  double e[3], least = 0.012*s->size, most = s->m->nbody > 1 ? 0.5*s->size : HUGE_VAL;
  memset(h, 0, sizeof(*h));
  vec3_copy(h->at, b->com);
  principal(b->I, e, h->R);
  double high = fmax(e[0], fmax(e[1], e[2])), low = fmin(e[0], fmin(e[1], e[2]));
  if (high <= 1.02*low) {
    h->kind = TNI_LOOK_SPHERE;
    /* a planar body has its moment about z only: a disc has twice that of its radius */
    double r = s->m->planar ? sqrt(2*b->I[8]/b->mass) : sqrt(2.5*high/b->mass);
    h->size[0] = fmin(fmax(r, least), 0.3*most);
    mat3_identity(h->R);
    return;
  }
  h->kind = TNI_LOOK_BOX;
  for (int i = 0; i < 3; i++) {
    double square = 6*(e[(i+1) % 3] + e[(i+2) % 3] - e[i])/b->mass;
    h->size[i] = fmin(fmax(square > 0 ? sqrt(square) : 0, least), most);
  }
}

/* hull about the attachments; false when they say nothing about the extent of the body */
static bool attached_shape(const scene *s, int body, double (*point)[3], tni_look *h) {
  const tni_body *b = &s->m->body[body];
  const attachments *a = &s->attach[body];
  double extent = 0, d[3];
  memset(h, 0, sizeof(*h));
  h->kind = TNI_LOOK_HULL;
  mat3_identity(h->R);
  h->point = point;
  for (int i = 0; i < a->n; i++) {
    vec3_copy(point[h->npoint++], a->p[i]);
    for (int k = 0; k < i; k++) {
      vec3_sub(d, a->p[i], a->p[k]);
      extent = fmax(extent, vec3_norm(d));
    }
  }
  if (a->n == 1) {
    vec3_sub(d, b->com, a->p[0]);
    extent = 2*vec3_norm(d);
    vec3_copy(point[1], b->com);
    vec3_add(point[1], point[1], d);
    h->npoint = 2;
  }
  double gyration = sqrt((b->I[0] + b->I[4] + b->I[8])/(2*b->mass));
  if (extent < 0.015*s->size || extent < 0.5*gyration) return false;
  h->size[0] = fmax(fmin(0.06*extent, 0.02*s->size), 0.006*s->size);
  return true;
}

/* a bar written with `between`: a round rod */
static bool bar_shape(const scene *s, const tni_body *b, double (*point)[3], tni_look *h) {
  const tni_value *v = tni_item_get(b->item, "between");
  if (!v || v->n != 2) return false;
  double p[3], q[3], d[3];
  tni_value_vec3(&v->item[0], p);
  tni_value_vec3(&v->item[1], q);
  vec3_sub(d, q, p);
  double length = vec3_norm(d);
  memset(h, 0, sizeof(*h));
  h->kind = TNI_LOOK_HULL;
  mat3_identity(h->R);
  h->point = point;
  h->npoint = 2;
  vec3_set(point[0], -length/2, 0, 0);
  vec3_set(point[1], length/2, 0, 0);
  h->size[0] = fmax(fmin(0.04*length, 0.02*s->size), 0.006*s->size);
  return true;
}

/* a body that a structure has made for nodes it holds */
static bool holds_only(const tni_body *b) {
  return b->item && b->item->section && strcmp(b->item->section->name, "structures") == 0;
}

static void add_body(scene *s, int i) {
  const tni_body *b = &s->m->body[i];
  tni_json *j = &s->json;
  double point[ATTACH_MAX + 1][3];
  const char *color = tni_item_text(b->item, "color", NULL);
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "name", b->name);
  tni_json_add_short(j, "mass", b->mass);
  if (vec3_norm(b->com) > 0) add_vector(j, "com", b->com, 3);
  if (color) tni_json_add_text(j, "color", color);
  tni_json_open_array(j, "shapes");
  for (int k = 0; k < b->nlook; k++) add_shape(s, &b->look[k]);
  tni_json_close(j);
  tni_look h;
  if (tni_beam_of(s->m, i) || holds_only(b)) { /* shown as a part of it */
    tni_json_add_flag(j, "node", true);
  } else if (b->nlook == 0) {
    bool known = given_shape(b, &h) || bar_shape(s, b, point, &h) || attached_shape(s, i, point, &h);
    if (!known) inertia_shape(s, b, &h);
    tni_json_open_array(j, "derived");
    add_shape(s, &h);
    tni_json_close(j);
    if (s->m->planar) tni_json_add_integer(j, "layer", s->layer[i]);
  }
  tni_json_close(j);
}

/* ---- joints, springs, arrows ---------------------------------------------------------------- */

static void add_pair(scene *s, const int body[2], const double p0[3], const double p1[3]) {
  tni_json *j = &s->json;
  double u[3];
  tni_json_open_array(j, "bodies");
  for (int e = 0; e < 2; e++) tni_json_add_integer(j, NULL, body[e]);
  tni_json_close(j);
  tni_json_open_array(j, "at");
  for (int e = 0; e < 2; e++) {
    user_point(s->m, body[e], e ? p1 : p0, u);
    add_vector(j, NULL, u, 3);
  }
  tni_json_close(j);
}

static void add_joint(scene *s, const tni_joint *o) {
  tni_json *j = &s->json;
  double z[3];
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "name", o->name);
  tni_json_add_text(j, "type", o->type);
  add_pair(s, o->body, o->frame[0].p, o->frame[1].p);
  tni_json_open_array(j, "axis"); /* one in each body */
  for (int e = 0; e < 2; e++) {
    mat3_column(z, o->frame[e].R, 2);
    add_vector(j, NULL, z, 3);
  }
  tni_json_close(j);
  tni_json_close(j);
}

static void add_joints(scene *s) {
  const tn_model *m = s->m;
  tni_json_open_array(&s->json, "joints");
  for (int i = 0; i < m->njoint; i++)
    if (has_place(&m->joint[i])) add_joint(s, &m->joint[i]);
  tni_json_close(&s->json);
}

/* half of the diagonal of what is shown of a body; 0: it is drawn from its attachments */
static double reach(const tni_body *b) {
  tni_look h;
  if (b->nlook || !given_shape(b, &h)) return 0;
  const double *e = h.size;
  return h.kind == TNI_LOOK_BOX ? vec3_norm(e)/2 : h.kind == TNI_LOOK_CYLINDER ? hypot(e[0], e[1]/2) : e[0];
}

/* a solid that is held at a point outside of it: the string of a pendulum */
static void add_strings(scene *s) {
  tni_json *j = &s->json;
  for (int i = 0; i < s->m->nbody; i++) {
    const tni_body *b = &s->m->body[i];
    double r = reach(b), d[3];
    for (int k = 0; r > 0 && k < s->attach[i].n; k++) {
      vec3_sub(d, s->attach[i].p[k], b->com);
      if (vec3_norm(d) < 1.3*r) continue;
      const int on[2] = {i, i};
      const double zero[3] = {0, 0, 0};
      tni_json_open_object(j, NULL);
      tni_json_add_text(j, "name", b->name);
      tni_json_add_text(j, "kind", "rod");
      add_pair(s, on, d, zero);
      tni_json_close(j);
    }
  }
}

static void add_lines(scene *s) {
  const tn_model *m = s->m;
  tni_json *j = &s->json;
  tni_json_open_array(j, "lines");
  add_strings(s);
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->nend != 2) continue;
    bool damper = !tni_item_has(f->item, "stiffness") && !tni_item_has(f->item, "table") &&
                  tni_item_has(f->item, "damping");
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "name", f->name);
    tni_json_add_text(j, "kind", damper ? "damper" : "spring");
    add_pair(s, f->end_body, f->end[0], f->end[1]);
    tni_json_close(j);
  }
  for (int i = 0; i < m->njoint; i++) {
    const tni_joint *o = &m->joint[i];
    if (strcmp(o->type, "distance") != 0 && strcmp(o->type, "revolute_revolute") != 0 &&
        strcmp(o->type, "revolute_spherical") != 0)
      continue;
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "name", o->name);
    tni_json_add_text(j, "kind", "rod");
    add_pair(s, o->body, o->frame[0].p, o->frame[1].p);
    tni_json_close(j);
  }
  tni_json_close(j);
}

static void add_arrow(scene *s, const char *kind, const char *name, const char *channel,
                      const char *place, int body, const double p[3]) {
  tni_json *j = &s->json;
  double u[3];
  user_point(s->m, body, p, u);
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "kind", kind);
  tni_json_add_text(j, "name", name);
  tni_json_add_text(j, "channel", channel);
  if (place) tni_json_add_text(j, "place", place);
  tni_json_add_integer(j, "body", body);
  add_vector(j, "at", u, 3);
  tni_json_close(j);
}

/* Quantities that a beam can be coloured by; the first is the one that is shown. Those that a run
 * does not record are left alone by the viewer. */
static bool add_scalars(scene *s, const tni_beam *b) {
  static const struct {
    const char *name, *label;
  } all[] = {{"bending_moment", "bending moment"}, {"stress", "largest normal stress"},
             {"axial_force", "axial force"},       {"shear_force", "shear force"},
             {"torque", "torque"},                 {"strain_energy", "strain energy per length"}};
  tni_json_open_array(&s->json, "scalars");
  for (int k = 0; k < TNI_COUNT(all) && b->nelement > 0; k++) {
    bool axial = strcmp(all[k].name, "axial_force") == 0, stress = strcmp(all[k].name, "stress") == 0;
    if ((!b->bends && !axial) || (stress && b->outline.kind == TNI_OUTLINE_UNKNOWN)) continue;
    const char *track = tni_arena_printf(s->arena, "beams/%s/%s", b->name, all[k].name);
    if (!track) return false;
    tni_json_open_object(&s->json, NULL);
    tni_json_add_text(&s->json, "track", track);
    tni_json_add_text(&s->json, "label", all[k].label);
    tni_json_close(&s->json);
  }
  tni_json_close(&s->json);
  return true;
}

/* the outline of its sections */
static void add_section(scene *s, const tni_beam *b) {
  static const char *const kind[] = {"", "rectangle", "circle", "tube"};
  tni_json *j = &s->json;
  if (b->outline.kind == TNI_OUTLINE_UNKNOWN) return;
  tni_json_open_object(j, "section");
  tni_json_add_text(j, "kind", kind[b->outline.kind]);
  add_vector(j, "size", b->outline.size, b->outline.kind == TNI_OUTLINE_CIRCLE ? 1 : 2);
  tni_json_close(j);
}

/* radius of the round tube that stands for any section */
static double tube_radius(const scene *s, const tni_beam *b) {
  const double *size = b->outline.size;
  double r = b->outline.kind == TNI_OUTLINE_RECTANGLE ? 0.25*(size[0] + size[1]) : size[0];
  return fmax(r, b->bends ? 0.004*s->size : 0.002*s->size);
}

static void add_nodes(scene *s, const tni_beam *b) {
  tni_json *j = &s->json;
  double u[3], turn[4];
  tni_json_open_object(j, "nodes");
  tni_json_open_array(j, "bodies");
  for (int k = 0; k < b->nnode; k++) tni_json_add_integer(j, NULL, b->node[k]);
  tni_json_close(j);
  tni_json_open_array(j, "at");
  for (int k = 0; k < b->nnode; k++) {
    user_point(s->m, b->node[k], b->frame[k].p, u);
    add_vector(j, NULL, u, 3);
  }
  tni_json_close(j);
  if (b->bends) {
    tni_json_open_array(j, "turn");
    for (int k = 0; k < b->nnode; k++) {
      quat_from_matrix(turn, b->frame[k].R);
      add_vector(j, NULL, turn, 4);
    }
    tni_json_close(j);
  }
  tni_json_close(j);
}

static bool add_beams(scene *s) {
  const tn_model *m = s->m;
  tni_json *j = &s->json;
  tni_json_open_array(j, "deform");
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "name", b->name);
    tni_json_add_text(j, "kind", "tube");
    tni_json_add_short(j, "radius", tube_radius(s, b));
    add_section(s, b);
    add_nodes(s, b);
    if (!add_scalars(s, b)) return false;
    tni_json_close(j);
  }
  tni_json_close(j);
  return true;
}

/* Structures that bodies carry: deformations are seen from the first of them, whose pose at rest is given. */
static void add_structures(scene *s) {
  tni_json *j = &s->json;
  if (s->m->npart == 0) return;
  tni_json_open_array(j, "structures");
  for (int i = 0; i < s->m->npart; i++) {
    const tni_part *p = &s->m->part[i];
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "name", p->name);
    if (p->ncarrier > 0) {
      const tni_body *b = &s->m->body[p->carrier[0]];
      double A[9], c[3], at[3];
      quat_matrix(A, b->p0);
      mat3_vec(c, A, b->com);
      vec3_sub(at, b->r0, c);
      tni_json_add_integer(j, "body", p->carrier[0]);
      add_vector(j, "at", at, 3);
      add_vector(j, "turn", b->p0, 4);
    }
    tni_json_close(j);
  }
  tni_json_close(j);
}

/* force on its first body: where it acts, at the end on it, else at its centre of mass */
static bool add_force_arrow(scene *s, const tni_force *f) {
  const char *channel = tni_arena_printf(s->arena, "forces/%s/load", f->name);
  const char *place = f->where ? tni_arena_printf(s->arena, "forces/%s/point", f->name) : NULL;
  if (!channel || (f->where && !place)) return false;
  double at[3] = {0, 0, 0};
  for (int e = 0; e < f->nend; e++)
    if (f->end_body[e] == f->body[0]) vec3_copy(at, f->end[e]);
  add_arrow(s, "force", f->name, channel, place, f->body[0], at);
  return true;
}

static bool add_arrows(scene *s) {
  const tn_model *m = s->m;
  tni_json_open_array(&s->json, "arrows");
  for (int i = 0; i < m->njoint; i++) {
    const tni_joint *o = &m->joint[i];
    const char *channel = tni_arena_printf(s->arena, "joints/%s/reaction", o->name);
    if (!channel) return false;
    if (has_place(o)) add_arrow(s, "reaction", o->name, channel, NULL, o->body[1], o->frame[1].p);
  }
  for (int i = 0; i < m->nforce; i++)
    if (!m->force[i].element && m->force[i].nbody && !add_force_arrow(s, &m->force[i])) return false;
  tni_json_close(&s->json);
  return true;
}

static bool describe(scene *s, tni_text *out) {
  const tn_model *m = s->m;
  tni_json *j = &s->json;
  double up[3] = {0, 0, 1};
  if (m->planar) vec3_set(up, 0, 1, 0);
  double g = vec3_norm(m->gravity);
  for (int i = 0; i < 3 && g > 0; i++) up[i] = 0 - m->gravity[i]/g; /* never -0 */
  measure(s);
  find_attachments(s);
  tni_json_begin(j, out, false);
  tni_json_add_text(j, "title", m->title);
  tni_json_add_flag(j, "planar", m->planar);
  add_vector(j, "up", up, 3);
  tni_json_add_short(j, "size", s->size);
  tni_json_open_array(j, "ground");
  for (int k = 0; k < m->ground_nlook; k++) add_shape(s, &m->ground_look[k]);
  tni_json_close(j);
  tni_json_open_array(j, "bodies");
  for (int i = 0; i < m->nbody; i++) add_body(s, i);
  tni_json_close(j);
  add_joints(s);
  add_lines(s);
  add_structures(s);
  return add_arrows(s) && add_beams(s) && tni_json_end(j);
}

tn_status tni_scene_describe(const tn_model *model, tni_text *out) {
  tni_arena arena;
  tni_arena_init(&arena, model->ctx);
  scene s = {.m = model, .arena = &arena};
  s.attach = tni_arena_alloc(&arena, (size_t)model->nbody, sizeof(*s.attach));
  s.layer = tni_arena_alloc(&arena, (size_t)model->nbody, sizeof(*s.layer));
  bool ok = s.attach && s.layer && describe(&s, out);
  tni_arena_clear(&arena);
  return ok ? TN_OK : tni_out_of_memory(model->ctx);
}
