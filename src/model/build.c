/* model/build.c - references, points and memory while a spec is compiled
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/build.h"

#include <stdio.h>

/* Names to indices, open addressing. Grows with the model: things are only ever added. */
typedef struct tni_names {
  unsigned size;             /* slots, a power of two              */
  int *slot[2];              /* [size] index + 1, 0 empty: bodies, joints */
  int done[2];               /* entered so far                     */
} tni_names;

static unsigned hash_name(const char *name) {
  unsigned h = 2166136261u;
  for (; *name; name++) h = (h ^ (unsigned char)*name)*16777619u;
  return h;
}

static const char *name_of(const tn_model *m, int kind, int i) {
  return kind ? m->joint[i].name : m->body[i].name;
}

/* index of a body (kind 0) or joint (kind 1), -1 if there is none; falls back to a plain search
 * when memory runs out */
static int find_name(tni_builder *b, int kind, const char *name) {
  const tn_model *m = b->model;
  int n = kind ? m->njoint : m->nbody;
  unsigned size = 64;
  while (size < 4u*(unsigned)n) size *= 2;
  if (n >= 16 && (!b->names || b->names->size < size)) {
    tni_names *t = tni_arena_alloc(b->arena, 1, sizeof(*t));
    if (t) {
      t->size = size;
      for (int k = 0; k < 2; k++) t->slot[k] = tni_arena_alloc(b->arena, size, sizeof(int));
      if (t->slot[0] && t->slot[1]) b->names = t;
    }
  }
  tni_names *t = b->names;
  if (n < 16 || !t || t->size < size) {
    for (int i = 0; i < n; i++)
      if (strcmp(name_of(m, kind, i), name) == 0) return i;
    return -1;
  }
  for (; t->done[kind] < n; t->done[kind]++) {
    unsigned h = hash_name(name_of(m, kind, t->done[kind]));
    while (t->slot[kind][h & (t->size - 1)]) h++;
    t->slot[kind][h & (t->size - 1)] = t->done[kind] + 1;
  }
  for (unsigned h = hash_name(name);; h++) {
    int i = t->slot[kind][h & (t->size - 1)] - 1;
    if (i < 0 || strcmp(name_of(m, kind, i), name) == 0) return i;
  }
}

/* Names of one kind of thing for the "did you mean" of messages. */
static int nearest_body(const tn_model *m, const char *name, const char **out) {
  const char *one[1];
  int best = -1;
  *out = NULL;
  for (int i = 0; i < m->nbody && best < 0; i++) {
    one[0] = m->body[i].name;
    if (tni_nearest(name, one, 1) == 0) {
      best = i;
      *out = m->body[i].name;
    }
  }
  return best;
}

/* section of a beam by name: mast.start, mast.end, mast.node[3]; NULL if there is none. Its first
 * n characters are the name. */
static const tni_frame *find_node(const tn_model *m, const char *name, size_t n, int *body) {
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *e = &m->beam[i];
    size_t k = strlen(e->name);
    if (n <= k + 1 || memcmp(name, e->name, k) != 0 || name[k] != '.') continue;
    const char *word = name + k + 1;
    size_t rest = n - k - 1;
    int node = -1;
    if (rest == 5 && memcmp(word, "start", 5) == 0) node = 0;
    if (rest == 3 && memcmp(word, "end", 3) == 0) node = e->nnode - 1;
    if (rest > 6 && memcmp(word, "node[", 5) == 0 && word[rest-1] == ']') {
      node = 0;
      for (size_t d = 5; d < rest - 1 && node >= 0 && node < e->nnode; d++)
        node = word[d] >= '0' && word[d] <= '9' ? 10*node + word[d] - '0' : -1;
    }
    if (node < 0 || node >= e->nnode) continue;
    *body = e->node[node];
    return &e->frame[node];
  }
  return NULL;
}

tn_status tni_build_body(tni_builder *b, const tni_item *item, const char *key, const char *name,
                         int *body) {
  const tn_model *m = b->model;
  if (strcmp(name, "ground") == 0) {
    *body = TNI_GROUND;
    return TN_OK;
  }
  *body = find_name(b, 0, name);
  if (*body >= 0) return TN_OK;
  if (find_node(m, name, strlen(name), body)) return TN_OK;
  for (int i = 0; i < m->nbeam; i++)
    if (strncmp(name, m->beam[i].name, strlen(m->beam[i].name)) == 0)
      return tni_item_fail(b->ctx, item, key,
                           "unknown body '%s'; '%s' is a beam: its bodies are %s.start, %s.end and "
                           "%s.node[0] to %s.node[%d]", name, m->beam[i].name, m->beam[i].name,
                           m->beam[i].name, m->beam[i].name, m->beam[i].name,
                           m->beam[i].nnode - 1);
  const char *near;
  nearest_body(m, name, &near);
  if (near)
    return tni_item_fail(b->ctx, item, key, "unknown body '%s'; did you mean '%s'?", name, near);
  return tni_item_fail(b->ctx, item, key, "unknown body '%s'; bodies are named in 'bodies:'", name);
}

tn_status tni_build_joint_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *name, int *joint) {
  const tn_model *m = b->model;
  const char *near = NULL;
  *joint = find_name(b, 1, name);
  if (*joint >= 0) return TN_OK;
  for (int i = 0; i < m->njoint; i++) {
    const char *const one[1] = {m->joint[i].name};
    if (!near && tni_nearest(name, one, 1) == 0) near = one[0];
  }
  if (near)
    return tni_item_fail(b->ctx, item, key, "unknown joint '%s'; did you mean '%s'?", name, near);
  return tni_item_fail(b->ctx, item, key,
                       "unknown joint '%s'; a joint must be written before it is used", name);
}

void tni_build_no_force(tni_builder *b, const char *name, char *why, size_t n) {
  const tn_model *m = b->model;
  size_t length = strlen(name);
  why[0] = 0;
  if (find_name(b, 1, name) >= 0)
    snprintf(why, n, "'%s' is a joint%s: it has a 'reaction', no force", name,
             strstr(name, ".element[") ? " of a rigid beam" : "");
  const char *first = NULL, *last = NULL;
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (strncmp(f->name, name, length) != 0 || f->name[length] != '[') continue;
    if (!first) first = f->name;
    last = f->name;
  }
  if (first) snprintf(why, n, "'%s' loads every node of a beam: write '%s' to '%s'", name, first, last);
}

tn_status tni_build_force_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *name, int *force) {
  const tn_model *m = b->model;
  const char *near = NULL;
  for (int i = 0; i < m->nforce; i++) {
    const char *const one[1] = {m->force[i].name};
    if (strcmp(m->force[i].name, name) == 0) {
      *force = i;
      return TN_OK;
    }
    if (!near && tni_nearest(name, one, 1) == 0) near = one[0];
  }
  char why[300];
  tni_build_no_force(b, name, why, sizeof(why));
  if (why[0]) return tni_item_fail(b->ctx, item, key, "%s", why);
  if (near)
    return tni_item_fail(b->ctx, item, key, "unknown force '%s'; did you mean '%s'?", name, near);
  return tni_item_fail(b->ctx, item, key, "unknown force '%s'; forces are named in 'forces:'",
                       name);
}

void tni_build_pose(const tni_builder *b, int body, tni_kin *kin) {
  tni_kin_ground(kin);
  if (body == TNI_GROUND) return;
  const tni_body *o = &b->model->body[body];
  vec3_copy(kin->r, o->r0);
  quat_matrix(kin->A, o->p0);
  vec3_copy(kin->v, o->v0);
  vec3_copy(kin->w, o->w0);
  mat3_vec(kin->W, kin->A, kin->w);
}

void tni_build_to_body(const tni_builder *b, int body, const double p_G[3], double s_B[3]) {
  tni_kin k;
  double d[3];
  tni_build_pose(b, body, &k);
  vec3_sub(d, p_G, k.r);
  mat3_tvec(s_B, k.A, d);
}

void tni_build_direction_to_body(const tni_builder *b, int body, const double a_G[3],
                                 double a_B[3]) {
  tni_kin k;
  tni_build_pose(b, body, &k);
  mat3_tvec(a_B, k.A, a_G);
}

/* marker of a body by name, NULL if it has none of that name */
static const tni_marker *find_marker(const tn_model *m, int body, const char *name) {
  int n = body == TNI_GROUND ? m->ground_nmarker : m->body[body].nmarker;
  const tni_marker *list = body == TNI_GROUND ? m->ground_marker : m->body[body].marker;
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

/* body by a name that is not 0-terminated; false if unknown */
static bool find_body(const tn_model *m, const char *name, size_t n, int *body) {
  if (n == 6 && memcmp(name, "ground", 6) == 0) {
    *body = TNI_GROUND;
    return true;
  }
  for (int i = 0; i < m->nbody; i++) {
    if (strlen(m->body[i].name) == n && memcmp(m->body[i].name, name, n) == 0) {
      *body = i;
      return true;
    }
  }
  return false;
}

/* origin of the user's frame of a body, from the centre of mass */
static void frame_origin(const tn_model *m, int body, double s[3]) {
  vec3_set(s, 0, 0, 0);
  if (body != TNI_GROUND) vec3_scale(s, -1, m->body[body].com);
}

static void explain_no_point(const tn_model *m, int body, const char *name, char *why,
                             size_t nwhy) {
  int n = body == TNI_GROUND ? m->ground_nmarker : m->body[body].nmarker;
  const tni_marker *list = body == TNI_GROUND ? m->ground_marker : m->body[body].marker;
  const char *near = NULL;
  for (int i = 0; i < n && !near; i++)
    if (tni_nearest(name, &list[i].name, 1) == 0) near = list[i].name;
  char owner[80] = "the ground";
  if (body != TNI_GROUND) snprintf(owner, sizeof(owner), "body '%.60s'", m->body[body].name);
  snprintf(why, nwhy, "%s has no point '%.40s'; %s%.40s%s", owner, name,
           near ? "did you mean '" : "points are named in its 'points:'", near ? near : "",
           near ? "'?" : "");
}

tn_status tni_build_point_name(tni_builder *b, const char *name, int *body, double s[3], char *why,
                               size_t nwhy) {
  const tn_model *m = b->model;
  if (find_body(m, name, strlen(name), body)) {
    frame_origin(m, *body, s);
    return TN_OK;
  }
  const tni_frame *section = find_node(m, name, strlen(name), body);
  if (section) {
    vec3_copy(s, section->p);
    return TN_OK;
  }
  const char *dot = strchr(name, '.');
  if (dot && find_body(m, name, (size_t)(dot - name), body)) {
    const tni_marker *mk = find_marker(m, *body, dot + 1);
    if (mk) {
      vec3_copy(s, mk->frame.p);
      return TN_OK;
    }
    if (strcmp(dot + 1, "com") == 0) {
      vec3_set(s, 0, 0, 0);
      return TN_OK;
    }
    explain_no_point(m, *body, dot + 1, why, nwhy);
    return TN_ERR_INPUT;
  }
  char head[64];
  snprintf(head, sizeof(head), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
  const char *near;
  nearest_body(m, head, &near);
  if (near) {
    snprintf(why, nwhy, "unknown point '%s': no body '%s'; did you mean '%s'?", name, head, near);
  } else {
    snprintf(why, nwhy, "unknown point '%s'; write body.point or ground.point", name);
  }
  return TN_ERR_INPUT;
}

tn_status tni_build_point(tni_builder *b, const tni_item *item, const char *key,
                          const tni_value *value, int default_body, bool local, int *body,
                          double s[3]) {
  if (value->form == TNI_LIST) {
    double p[3];
    tni_value_vec3(value, p);
    *body = default_body;
    if (local) {
      double o[3];
      frame_origin(b->model, default_body, o);
      vec3_add(s, p, o);
    } else {
      tni_build_to_body(b, default_body, p, s);
    }
    return TN_OK;
  }
  const tni_marker *mk = find_marker(b->model, default_body, value->text);
  if (mk) {
    *body = default_body;
    vec3_copy(s, mk->frame.p);
    return TN_OK;
  }
  char why[200];
  int other;
  if (local && !strchr(value->text, '.') &&
      !find_body(b->model, value->text, strlen(value->text), &other)) {
    explain_no_point(b->model, default_body, value->text, why, sizeof(why));
    return tni_item_fail(b->ctx, item, key, "%s", why);
  }
  if (tni_build_point_name(b, value->text, body, s, why, sizeof(why)) != TN_OK)
    return tni_item_fail(b->ctx, item, key, "%s", why);
  return TN_OK;
}

tn_status tni_build_memory_block(tni_builder *b, int n, int *slot) {
  tn_model *m = b->model;
  double *all;
  TNI_ARENA_NEW(b->arena, all, (size_t)m->nmemory + (size_t)n);
  if (m->nmemory) memcpy(all, m->memory0, (size_t)m->nmemory*sizeof(double));
  m->memory0 = all;
  *slot = m->nmemory;
  b->memory_cap = m->nmemory += n;
  return TN_OK;
}

tn_status tni_build_memory(tni_builder *b, double initial, int *slot) {
  tn_model *m = b->model;
  void *items = m->memory0;
  if (!tni_arena_grow(b->arena, &items, m->nmemory, &b->memory_cap, sizeof(double)))
    return tni_out_of_memory(b->ctx);
  m->memory0 = items;
  m->memory0[m->nmemory] = initial;
  *slot = m->nmemory++;
  return TN_OK;
}

tn_status tni_build_impulse(tni_builder *b, int *slot) {
  int next;
  TN_TRY(tni_build_memory(b, 0, slot));
  for (int i = 1; i < TNI_IMPULSE_NMEMORY; i++) TN_TRY(tni_build_memory(b, 0, &next));
  return TN_OK;
}

int tni_body_slot(int body, int *nbody, int list[TNI_MAXBODY]) {
  if (body == TNI_GROUND) return -1;
  for (int i = 0; i < *nbody; i++)
    if (list[i] == body) return i;
  if (*nbody == TNI_MAXBODY) return -2;
  list[*nbody] = body;
  return (*nbody)++;
}

tn_status tni_build_coord_ref(tni_builder *b, const tni_item *item, const char *key,
                              const char *joint, const char *name, const tni_coord **out) {
  int j;
  TN_TRY(tni_build_joint_ref(b, item, key, joint, &j));
  const tni_joint *o = &b->model->joint[j];
  for (int i = 0; i < o->ncoord; i++) {
    if (!name || strcmp(o->coord[i].name, name) == 0) {
      *out = &o->coord[i];
      return TN_OK;
    }
  }
  if (o->ncoord == 0)
    return tni_item_fail(b->ctx, item, key, "joint '%s' (%s) has no coordinate", joint, o->type);
  char list[120] = "";
  size_t at = 0;
  for (int i = 0; i < o->ncoord && at < sizeof(list); i++)
    at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", o->coord[i].name);
  return tni_item_fail(b->ctx, item, key, "joint '%s' (%s) has no coordinate '%s'; it has: %s",
                       joint, o->type, name ? name : "angle", list);
}

tn_status tni_build_force(tni_builder *b, const tni_item *item, const tni_force *force) {
  tn_model *m = b->model;
  void *items = m->force;
  if (!tni_arena_grow(b->arena, &items, m->nforce, &b->force_cap, sizeof(tni_force)))
    return tni_out_of_memory(b->ctx);
  m->force = items;
  tni_force *f = &m->force[m->nforce++];
  *f = *force;
  f->name = item->name;
  f->type = item->type->name;
  f->item = item;
  m->nevent += f->nevent;
  return TN_OK;
}

/* ---- masses added to bodies ------------------------------------------------------------------ */

/* Add a mass m with inertia J (section axes, frame f) to a body: its centre of mass moves. */
static void add_mass(tni_body *o, const tni_frame *f, double m, const double J[3], bool planar) {
  double M = o->mass + m, shift[3], d[2][3], I[9], w[3];
  vec3_scale(shift, m/M, f->p);
  vec3_scale(d[0], -1, shift);
  vec3_sub(d[1], f->p, shift);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = o->I[3*i+j];
      for (int k = 0; k < 3; k++) sum += f->R[3*i+k]*J[k]*f->R[3*j+k];
      for (int e = 0; e < 2; e++)
        sum += (e ? m : o->mass)*((i == j)*vec3_dot(d[e], d[e]) - d[e][i]*d[e][j]);
      I[3*i+j] = sum;
    }
  if (planar) {
    double Iz = I[8];
    memset(I, 0, sizeof(I));
    I[0] = I[4] = I[8] = Iz;
  }
  memcpy(o->I, I, sizeof(I));
  mat3_inverse(o->Iinv, I);
  o->mass = M;
  if (vec3_norm(shift) == 0) return;
  double A[9], r[3];
  quat_matrix(A, o->p0);
  mat3_vec(r, A, shift);
  vec3_add(o->r0, o->r0, r);
  vec3_cross(w, o->w0, shift);
  mat3_vec(w, A, w);
  vec3_add(o->v0, o->v0, w);
  vec3_add(o->com, o->com, shift);
  for (int i = 0; i < o->nmarker; i++) vec3_sub(o->marker[i].frame.p, o->marker[i].frame.p, shift);
}

/* after the centre of mass of a body moved: frames of earlier beams in it */
static void shift_frames(tn_model *m, int body, const double before[3], const double after[3]) {
  for (int i = 0; i < m->nbeam; i++)
    for (int n = 0; n < m->beam[i].nnode; n++)
      if (m->beam[i].node[n] == body)
        for (int k = 0; k < 3; k++) m->beam[i].frame[n].p[k] += before[k] - after[k];
}

void tni_build_add_mass(tni_builder *b, int body, const tni_frame *at, double mass, const double J[3]) {
  tn_model *m = b->model;
  double before[3];
  vec3_copy(before, m->body[body].com);
  add_mass(&m->body[body], at, mass, J, m->planar);
  shift_frames(m, body, before, m->body[body].com);
}
