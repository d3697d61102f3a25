/* model/sensors.c - what is recorded beside the state
 *
 * Point P = r + A s of a body, components in ground axes or along the body:
 *
 *   position      r + A s
 *   velocity      r' + A (w x s)
 *   acceleration  r'' + A (w' x s + w x (w x s))
 *
 * A reaction is force and torque on the second body of the joint at the origin of its frame. An effort is
 * the force and torque there that would give the bodies beyond the joint the accelerations they have,
 * together with all forces of the model but without drives: inverse dynamics.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/sensors.h"

#include <stdio.h>

#include "model/measures.h"

/* ---- key tables ---------------------------------------------------------------------------- */

#define POINT_KEYS                                                                             \
  {.name = "point", .kind = TNI_KIND_POINT, .unit = "m",                                       \
   .doc = "The point: body.point, or coordinates in the frame of `body`."},                    \
  {.name = "body", .kind = TNI_KIND_BODY, .doc = "Body of the point; alone: its frame origin."}, \
  {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|body", .initial = "ground",    \
   .doc = "Axes of the components."}

static const tni_key position_keys[] = {POINT_KEYS};

static const tni_key angular_keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .flags = TNI_REQUIRED, .doc = "The body."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|body", .initial = "ground",
     .doc = "Axes of the components."},
};

static const tni_key coordinate_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The joint."},
    {.name = "coordinate", .kind = TNI_KIND_NAME, .initial = "first coordinate of the joint",
     .doc = "Name of the coordinate."},
};

static const tni_key reaction_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The joint or drive."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|joint", .initial = "ground",
     .doc = "Axes of the components; joint: the joint frame on its second body."},
};

static const tni_key force_keys[] = {
    {.name = "force", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The force element."},
};

static const tni_key impulse_keys[] = {
    {.name = "of", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The contact, stop or latch."},
};

#define ENERGY_WORDS "kinetic|potential|dissipated|input|total"
static const tni_key energy_keys[] = {
    {.name = "part", .kind = TNI_KIND_CHOICE, .choices = ENERGY_WORDS, .initial = "all of them",
     .doc = "Which energy; total is kinetic plus potential."},
};

static const tni_key element_keys[] = {
    {.name = "element", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "The element, for example mast.element[2]."},
    {.name = "quantity", .kind = TNI_KIND_CHOICE, .choices = "strain|resultant",
     .initial = "resultant", .doc = "Strains, or forces and moments in the section."},
};

static const tni_key strain_energy_keys[] = {
    {.name = "beam", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "The beam, truss or cable."},
};

static const tni_key expression_keys[] = {
    {.name = "value", .kind = TNI_KIND_EXPR, .flags = TNI_REQUIRED,
     .doc = "Expression of t and measured quantities."},
    {.name = "unit", .kind = TNI_KIND_TEXT, .initial = "none", .doc = "Unit shown with the value."},
};

#define TABLE(keys) keys, TNI_COUNT(keys)
static const tni_type position = {"position", "Position of a point.", TABLE(position_keys)};
static const tni_type velocity = {"velocity", "Velocity of a point.", TABLE(position_keys)};
static const tni_type acceleration = {"acceleration", "Acceleration of a point.",
                                      TABLE(position_keys)};
static const tni_type angular_velocity = {"angular_velocity", "Angular velocity of a body.",
                                          TABLE(angular_keys)};
static const tni_type angular_acceleration = {
    "angular_acceleration", "Angular acceleration of a body.", TABLE(angular_keys)};
static const tni_type coordinate = {
    "coordinate", "Coordinate of a joint; angles are counted through full turns.",
    TABLE(coordinate_keys)};
static const tni_type rate = {"rate", "Time derivative of a joint coordinate.",
                              TABLE(coordinate_keys)};
static const tni_type reaction = {
    "reaction", "Force and torque of a joint on its second body, at the joint.",
    TABLE(reaction_keys)};
static const tni_type effort = {
    "effort", "Force and torque that the joint would have to exert on its second body if it alone moved "
    "what lies beyond it: inverse dynamics. Forces of the model count, prescribed motions do not.",
    TABLE(reaction_keys)};
static const tni_type force = {"force", "Tension, torque or magnitude of a force element.",
                               TABLE(force_keys)};
static const tni_type impulse = {
    "impulse", "Impulse of the normal force of a contact or stop, or of a latch that locks: total since the "
    "start, and that of the last touch or lock-up.", TABLE(impulse_keys)};
static const tni_type energy = {
    "energy", "Energies of the whole model; dissipated and input count from the start.",
    TABLE(energy_keys)};
static const tni_type element = {
    "element", "Strains or stress resultants in the middle of an element: axial, shears along y and "
    "z, torsion, bending about y and z.", TABLE(element_keys)};
static const tni_type strain_energy = {"strain_energy", "Strain energy of a beam.",
                                       TABLE(strain_energy_keys)};
static const tni_type expression = {"expression", "Expression of time and measured quantities.",
                                    TABLE(expression_keys)};

#define X(name) &name,
const tni_type *const tni_sensor_types[TNI_SENSOR_NTYPE] = {TNI_SENSOR_LIST(X)};
#undef X

/* ---- building ------------------------------------------------------------------------------ */

static const char *const component_xyz[] = {"x", "y", "z"};
static const char *const component_reaction[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const component_energy[] = {"kinetic", "potential", "dissipated", "input",
                                               "total"};
static const char *const component_strain[] = {"axial",   "shear_y",   "shear_z",
                                               "torsion", "bending_y", "bending_z"};
static const char *const component_value[] = {"value"};
static const char *const component_impulse[] = {"total", "last"};

static void set_components(tni_sensor *s, const char *const *names, int n, const char *unit) {
  s->component = names;
  s->ncomponent = n;
  s->unit = unit;
}

/* what is only looked at ends no steps */
static tn_status build_seen(tni_builder *b, const tni_item *item, const char *key, const tni_value *value, tni_function *out) {
  int ntimed = b->model->ntimed;
  TN_TRY(tni_build_function(b, item, key, value, 0, out));
  b->model->ntimed = ntimed;
  return TN_OK;
}

static tn_status add_sensor(tni_builder *b, const tni_sensor *s) {
  tn_model *m = b->model;
  void *items = m->sensor;
  if (!tni_arena_grow(b->arena, &items, m->nsensor, &b->sensor_cap, sizeof(tni_sensor)))
    return tni_out_of_memory(b->ctx);
  m->sensor = items;
  m->sensor[m->nsensor++] = *s;
  return TN_OK;
}

/* level of a quantity of a point or of the turning of a body; false: neither */
static bool motion_level(const char *word, tni_sensor *s) {
  static const char *const unit[2][3] = {{"m", "m/s", "m/s^2"}, {"rad", "rad/s", "rad/s^2"}};
  bool turn = strncmp(word, "angular_", 8) == 0;
  const char *w = turn ? word + 8 : word;
  int level = strcmp(w, "velocity") == 0 ? 1 : strcmp(w, "acceleration") == 0 ? 2 : 0;
  if (!level && (turn || strcmp(w, "position") != 0)) return false;
  s->kind = turn ? TNI_SENSOR_TURN : TNI_SENSOR_POINT;
  s->level = level;
  mat3_identity(s->R);
  set_components(s, component_xyz, 3, unit[turn][level]);
  return true;
}

static tn_status set_coordinate(tni_builder *b, const tni_coord *coord, bool of_rate,
                                tni_sensor *s) {
  bool angle = strcmp(coord->unit, "rad") == 0;
  tni_measure m = of_rate ? tni_measure_rate(&coord->scalar) : tni_measure_value(&coord->scalar);
  s->kind = TNI_SENSOR_FUNCTION;
  set_components(s, component_value, 1, !of_rate ? coord->unit : angle ? "rad/s" : "m/s");
  return tni_build_measure_function(b, &m, &s->function);
}

static void set_reaction(const tn_model *model, int joint, tni_sensor *s) {
  const tni_joint *j = &model->joint[joint];
  s->kind = TNI_SENSOR_REACTION;
  s->index = joint;
  s->body = j->body[1];
  memcpy(s->R, j->frame[1].R, sizeof(s->R));
  set_components(s, component_reaction, 6, "N, N m");
}

/* prescribed motions are what an effort replaces, and a latch acts in a joint */
static bool links(const tn_model *m, int joint, int other) {
  const tni_joint *o = &m->joint[other];
  return other != joint && !o->is_drive && strcmp(o->type, "latch") != 0;
}

/* everything that hangs together with body[1] without the joint; false: a loop leads back to body[0] */
static bool find_beyond(const tn_model *m, int joint, bool *beyond) {
  const tni_joint *j = &m->joint[joint];
  bool loop = j->body[1] == TNI_GROUND, grew = !loop;
  if (grew) beyond[j->body[1]] = true;
  while (grew && !loop) {
    grew = false;
    for (int k = 0; k < m->njoint; k++) {
      if (!links(m, joint, k)) continue;
      for (int side = 0; side < 2; side++) {
        int from = m->joint[k].body[side], to = m->joint[k].body[1 - side];
        if (from == TNI_GROUND || !beyond[from]) continue;
        if (to == TNI_GROUND || to == j->body[0]) loop = true;
        else if (!beyond[to]) beyond[to] = grew = true;
      }
    }
    for (int k = 0; k < m->nforce; k++) { /* beams */
      const tni_force *f = &m->force[k];
      bool any = false;
      for (int i = 0; f->element && i < f->nbody; i++) any = any || beyond[f->body[i]];
      for (int i = 0; any && i < f->nbody; i++) {
        grew = grew || !beyond[f->body[i]];
        beyond[f->body[i]] = true;
      }
    }
  }
  return !loop && (j->body[0] == TNI_GROUND || !beyond[j->body[0]]);
}

static tn_status set_effort(tni_builder *b, const tni_item *item, int joint, tni_sensor *s) {
  bool *beyond;
  TNI_ARENA_NEW(b->arena, beyond, b->model->nbody);
  set_reaction(b->model, joint, s);
  s->kind = TNI_SENSOR_EFFORT;
  s->beyond = beyond;
  if (!find_beyond(b->model, joint, beyond))
    return tni_item_fail(b->ctx, item, NULL, "effort of joint '%s': it is part of a loop or ends on the "
                         "ground, so that no bodies lie beyond it", b->model->joint[joint].name);
  return TN_OK;
}

/* all five, or the one of this name */
static void set_energy(const char *part, tni_sensor *s) {
  s->kind = TNI_SENSOR_ENERGY;
  s->index = -1;
  set_components(s, component_energy, 5, "J");
  for (int i = 0; part && i < 5; i++) {
    if (strcmp(part, component_energy[i]) != 0) continue;
    s->index = i;
    set_components(s, &component_energy[i], 1, "J");
  }
}

static void set_element(int force_index, bool strain, tni_sensor *s) {
  s->kind = TNI_SENSOR_ELEMENT;
  s->index = force_index;
  s->level = !strain;
  set_components(s, component_strain, 6, strain ? "1, 1/m" : "N, N m");
}

static int find_joint(const tn_model *m, const char *name) {
  for (int i = 0; i < m->njoint; i++)
    if (strcmp(m->joint[i].name, name) == 0) return i;
  return -1;
}

static int find_force(const tn_model *m, const char *name) {
  for (int i = 0; i < m->nforce; i++)
    if (strcmp(m->force[i].name, name) == 0) return i;
  return -1;
}

/* first slot of the impulses of that force or joint, with their unit; -1: it has none */
static int find_impulse(const tn_model *m, const char *name, const char **unit) {
  int force_index = find_force(m, name), joint = find_joint(m, name);
  *unit = "N s or N m s";
  if (force_index >= 0 && m->force[force_index].impulse) {
    if (strcmp(m->force[force_index].type, "contact") == 0) *unit = "N s";
    return m->force[force_index].impulse - 1;
  }
  for (int k = 0; joint >= 0 && k < m->joint[joint].ncon; k++) {
    const tni_con *con = &m->con[m->joint[joint].con0 + k];
    if (!con->impulse) continue;
    *unit = strcmp(con->rowunit[0], "rad") == 0 ? "N m s" : "N s";
    return con->impulse - 1;
  }
  return -1;
}

static bool set_impulse(const tn_model *m, const char *name, tni_sensor *s) {
  const char *unit;
  s->index = find_impulse(m, name, &unit);
  if (s->index < 0) return false;
  s->kind = TNI_SENSOR_IMPULSE;
  set_components(s, component_impulse, 2, unit);
  return true;
}

static int find_beam(const tn_model *m, const char *name) {
  for (int i = 0; i < m->nbeam; i++)
    if (strcmp(m->beam[i].name, name) == 0) return i;
  return -1;
}

static void set_strain_energy(int beam, tni_sensor *s) {
  s->kind = TNI_SENSOR_STRAIN_ENERGY;
  s->index = beam;
  set_components(s, component_value, 1, "J");
}

static tn_status read_element(tni_builder *b, const tni_item *item, tni_sensor *s) {
  int index;
  const char *name = tni_item_text(item, "element", "");
  TN_TRY(tni_build_force_ref(b, item, "element", name, &index));
  if (!b->model->force[index].element)
    return tni_item_fail(b->ctx, item, "element", "'%s' is no element of a beam; write "
                         "beam.element[0]", name);
  set_element(index, strcmp(tni_item_text(item, "quantity", "resultant"), "strain") == 0, s);
  return TN_OK;
}

static tn_status read_motion(tni_builder *b, const tni_item *item, tni_sensor *s) {
  const char *name = tni_item_text(item, "body", NULL);
  const tni_value *point = s->kind == TNI_SENSOR_POINT ? tni_item_get(item, "point") : NULL;
  s->body = TNI_GROUND;
  if (name) TN_TRY(tni_build_body(b, item, "body", name, &s->body));
  if (point && (name || point->form == TNI_TEXT)) {
    int on;
    TN_TRY(tni_build_point(b, item, "point", point, s->body, true, &on, s->point));
    if (name && on != s->body)
      return tni_item_fail(b->ctx, item, "point", "point '%s' is not on body '%s'", point->text,
                           name);
    s->body = on;
  } else if (name) {
    if (s->body != TNI_GROUND) vec3_scale(s->point, -1, b->model->body[s->body].com);
  } else {
    return tni_item_fail(b->ctx, item, NULL, "needs 'point: body.point', or 'body' with or without "
                         "a 'point' in its frame");
  }
  s->in_body = strcmp(tni_item_text(item, "frame", "ground"), "body") == 0;
  return TN_OK;
}

tn_status tni_build_sensor(tni_builder *b, const tni_item *item) {
  tni_sensor s;
  memset(&s, 0, sizeof(s));
  s.name = item->name;
  s.item = item;
  if (motion_level(item->type->name, &s)) {
    TN_TRY(read_motion(b, item, &s));
  } else if (item->type == &coordinate || item->type == &rate) {
    const tni_coord *coord;
    const char *name = tni_item_text(item, "coordinate", NULL);
    TN_TRY(tni_build_coord_ref(b, item, name ? "coordinate" : "joint",
                               tni_item_text(item, "joint", ""), name, &coord));
    TN_TRY(set_coordinate(b, coord, item->type == &rate, &s));
  } else if (item->type == &reaction || item->type == &effort) {
    int joint;
    TN_TRY(tni_build_joint_ref(b, item, "joint", tni_item_text(item, "joint", ""), &joint));
    if (item->type == &reaction) set_reaction(b->model, joint, &s);
    else TN_TRY(set_effort(b, item, joint, &s));
    s.in_body = strcmp(tni_item_text(item, "frame", "ground"), "joint") == 0;
  } else if (item->type == &force) {
    s.kind = TNI_SENSOR_FORCE;
    set_components(&s, component_value, 1, "N or N m");
    TN_TRY(tni_build_force_ref(b, item, "force", tni_item_text(item, "force", ""), &s.index));
  } else if (item->type == &impulse) {
    const char *name = tni_item_text(item, "of", "");
    if (!set_impulse(b->model, name, &s))
      return tni_item_fail(b->ctx, item, "of", "%s is no contact, stop or latch; only those keep their "
                           "impulse", tni_show(name).s);
  } else if (item->type == &energy) {
    set_energy(tni_item_text(item, "part", NULL), &s);
  } else if (item->type == &element) {
    TN_TRY(read_element(b, item, &s));
  } else if (item->type == &strain_energy) {
    int beam = find_beam(b->model, tni_item_text(item, "beam", ""));
    if (beam < 0)
      return tni_item_fail(b->ctx, item, "beam", "unknown beam '%s'; beams are named in 'beams:'",
                           tni_item_text(item, "beam", ""));
    set_strain_energy(beam, &s);
  } else {
    s.kind = TNI_SENSOR_FUNCTION;
    set_components(&s, component_value, 1, tni_item_text(item, "unit", ""));
    TN_TRY(build_seen(b, item, "value", tni_item_get(item, "value"), &s.function));
  }
  return add_sensor(b, &s);
}

/* ---- short forms --------------------------------------------------------------------------- */

/* pin.angle, pin.rate, pin.angle.rate, pin.reaction; *found false: not a quantity of this joint */
static tn_status short_joint(tni_builder *b, const tni_item *item, int joint, const char *word,
                             tni_sensor *s, bool *found) {
  const tni_joint *j = &b->model->joint[joint];
  size_t n = strlen(word);
  bool of_rate = strcmp(word, "rate") == 0;
  *found = true;
  if (strcmp(word, "reaction") == 0) {
    set_reaction(b->model, joint, s);
    return TN_OK;
  }
  if (strcmp(word, "effort") == 0) return set_effort(b, item, joint, s);
  if (of_rate && j->ncoord) return set_coordinate(b, &j->coord[0], true, s);
  if (n > 5 && strcmp(word + n - 5, ".rate") == 0) {
    of_rate = true;
    n -= 5;
  }
  for (int k = 0; k < j->ncoord; k++)
    if (strlen(j->coord[k].name) == n && memcmp(j->coord[k].name, word, n) == 0)
      return set_coordinate(b, &j->coord[k], of_rate, s);
  *found = false;
  return TN_OK;
}

/* the quantity `word` is not one of the thing `head`; say what there is */
static tn_status short_unknown_word(tni_builder *b, const tni_item *item, const char *text,
                                    const char *word, const char *head, int joint, int force_index,
                                    bool body) {
  static const char *const of_body[] = {"position", "velocity", "acceleration", "angular_velocity",
                                        "angular_acceleration"};
  const char *names[TNI_COUNT(of_body) + TNI_MAXCOORD + 4];
  int n = 0;
  for (int i = 0; body && i < TNI_COUNT(of_body); i++) names[n++] = of_body[i];
  if (joint >= 0) {
    const tni_joint *j = &b->model->joint[joint];
    names[n++] = "reaction";
    for (int k = 0; k < j->ncoord; k++) names[n++] = j->coord[k].name;
    if (j->ncoord) names[n++] = "rate";
  }
  if (force_index >= 0) names[n++] = "force";
  if (set_impulse(b->model, head, &(tni_sensor){0})) names[n++] = "impulse";
  return tni_item_fail(b->ctx, item, "record", "record %s: %s has no quantity %s%s",
                       tni_show(text).s, tni_show(head).s, tni_show(word).s,
                       tni_hint_for(word, names, n).s);
}

/* no thing of this name: the nearest of all names */
static tn_status short_unknown_head(tni_builder *b, const tni_item *item, const char *text,
                                    const char *head) {
  const tn_model *m = b->model;
  const char *near = NULL, *energy_word = "energy";
  char other[300];
  tni_build_no_force(b, head, other, sizeof(other));
  if (other[0])
    return tni_item_fail(b->ctx, item, "record", "record %s: %s", tni_show(text).s, other);
  for (int i = 0; i < m->nbody && !near; i++)
    if (tni_nearest(head, &m->body[i].name, 1) == 0) near = m->body[i].name;
  for (int i = 0; i < m->njoint && !near; i++)
    if (tni_nearest(head, &m->joint[i].name, 1) == 0) near = m->joint[i].name;
  for (int i = 0; i < m->nforce && !near; i++)
    if (tni_nearest(head, &m->force[i].name, 1) == 0) near = m->force[i].name;
  for (int i = 0; i < m->nsensor && !near; i++)
    if (tni_nearest(head, &m->sensor[i].name, 1) == 0) near = m->sensor[i].name;
  if (!near && tni_nearest(head, &energy_word, 1) == 0) near = energy_word;
  if (near)
    return tni_item_fail(b->ctx, item, "record", "record %s: no body, joint, force or sensor %s; "
                         "did you mean '%s'?", tni_show(text).s, tni_show(head).s, near);
  return tni_item_fail(b->ctx, item, "record", "record %s: no body, joint, force or sensor %s",
                       tni_show(text).s, tni_show(head).s);
}

/* `word` as a quantity of the thing `head` */
static tn_status short_pair(tni_builder *b, const tni_item *item, const char *head, const char *word,
                            tni_sensor *s, bool *found) {
  const tn_model *m = b->model;
  char why[200];
  int joint = find_joint(m, head), force_index = find_force(m, head);
  *found = true;
  if (strcmp(word, "impulse") == 0 && set_impulse(m, head, s)) return TN_OK;
  if (motion_level(word, s) &&
      tni_build_point_name(b, head, &s->body, s->point, why, sizeof(why)) == TN_OK)
    return TN_OK;
  if (joint >= 0) {
    TN_TRY(short_joint(b, item, joint, word, s, found));
    if (*found) return TN_OK;
  }
  *found = true;
  if (force_index >= 0 && strcmp(word, "force") == 0) {
    s->kind = TNI_SENSOR_FORCE;
    s->index = force_index;
    set_components(s, component_value, 1, "N or N m");
    return TN_OK;
  }
  if (force_index >= 0 && m->force[force_index].element &&
      (strcmp(word, "strain") == 0 || strcmp(word, "resultant") == 0)) {
    set_element(force_index, word[0] == 's', s);
    return TN_OK;
  }
  int beam = find_beam(m, head);
  if (beam >= 0 && strcmp(word, "strain_energy") == 0) {
    set_strain_energy(beam, s);
    return TN_OK;
  }
  if (strcmp(head, "energy") == 0) {
    set_energy(word, s);
    if (s->index >= 0) return TN_OK;
  }
  *found = false;
  return TN_OK;
}

/* thing.quantity; both may have dots of their own (rod.tip, angle.rate) */
static tn_status short_dotted(tni_builder *b, const tni_item *item, const char *text,
                              tni_sensor *s) {
  const tn_model *m = b->model;
  char head[200], why[200];
  for (size_t n = strlen(text); n-- > 0;) {
    bool found;
    if (text[n] != '.') continue;
    snprintf(head, sizeof(head), "%.*s", (int)n, text);
    TN_TRY(short_pair(b, item, head, text + n + 1, s, &found));
    if (found) return TN_OK;
  }
  /* nothing fits: a known thing with dots in its name, else blame the first part that is wrong */
  snprintf(head, sizeof(head), "%.*s", (int)(strrchr(text, '.') - text), text);
  if (find_joint(m, head) >= 0 || find_force(m, head) >= 0)
    return short_unknown_word(b, item, text, strrchr(text, '.') + 1, head, find_joint(m, head),
                              find_force(m, head), false);
  int body, joint, force_index;
  double p[3];
  size_t n = strcspn(text, ".");
  const char *word = text + n + 1, *last = strrchr(text, '.') + 1;
  snprintf(head, sizeof(head), "%.*s", (int)n, text);
  joint = find_joint(m, head);
  force_index = find_force(m, head);
  bool point = tni_build_point_name(b, head, &body, p, why, sizeof(why)) == TN_OK;
  if (strcmp(head, "energy") == 0)
    return tni_item_fail(b->ctx, item, "record", "record %s: no energy %s%s", tni_show(text).s,
                         tni_show(word).s, tni_hint_for(word, component_energy, 5).s);
  if (!point && joint < 0 && force_index < 0) return short_unknown_head(b, item, text, head);
  if (point && last > word) {
    snprintf(head, sizeof(head), "%.*s", (int)(last - 1 - text), text);
    if (tni_build_point_name(b, head, &body, p, why, sizeof(why)) != TN_OK)
      return tni_item_fail(b->ctx, item, "record", "record %s: %s", tni_show(text).s, why);
    word = last;
  }
  return short_unknown_word(b, item, text, word, head, joint, force_index, point);
}

tn_status tni_build_sensor_short(tni_builder *b, const tni_item *item, const char *text) {
  tni_sensor s;
  memset(&s, 0, sizeof(s));
  for (int i = 0; i < b->model->nsensor; i++)
    if (strcmp(b->model->sensor[i].name, text) == 0) return TN_OK;
  s.name = tni_arena_strdup(b->arena, text);
  if (!s.name) return tni_out_of_memory(b->ctx);
  s.item = item;
  if (strchr(text, '(')) {
    tni_value v = {.form = TNI_TEXT, .text = s.name, .at = item->at};
    const tni_value *record = tni_item_get(item, "record");
    if (record) v.at = record->at;
    s.kind = TNI_SENSOR_FUNCTION;
    set_components(&s, component_value, 1, "");
    TN_TRY(build_seen(b, item, "record", &v, &s.function));
  } else if (strcmp(text, "energy") == 0) {
    set_energy(NULL, &s);
  } else if (strchr(text, '.')) {
    TN_TRY(short_dotted(b, item, text, &s));
  } else {
    const tn_model *m = b->model;
    int joint = find_joint(m, text), force_index = find_force(m, text), body;
    double p[3];
    char why[200];
    bool point = tni_build_point_name(b, text, &body, p, why, sizeof(why)) == TN_OK;
    if (point || joint >= 0 || force_index >= 0)
      return tni_item_fail(b->ctx, item, "record", "record %s: which quantity of it? write %s.%s",
                           tni_show(text).s, text,
                           point ? "position" : joint >= 0 ? "reaction" : "force");
    return short_unknown_head(b, item, text, text);
  }
  return add_sensor(b, &s);
}

/* ---- evaluation ---------------------------------------------------------------------------- */

static void point_motion(const tni_sensor *s, const tni_kin *k, const double *acc, double out[3]) {
  double x[3], y[3];
  switch (s->level) {
    case 0:
      mat3_vec(out, k->A, s->point);
      vec3_add(out, out, k->r);
      return;
    case 1:
      vec3_cross(x, k->w, s->point);
      mat3_vec(out, k->A, x);
      vec3_add(out, out, k->v);
      return;
    default:
      vec3_set(out, 0, 0, 0);
      if (s->body == TNI_GROUND) return;
      vec3_cross(x, k->w, s->point);
      vec3_cross(x, k->w, x);
      vec3_cross(y, acc + 6*s->body + 3, s->point);
      vec3_add(x, x, y);
      mat3_vec(out, k->A, x);
      vec3_add(out, out, acc + 6*s->body);
  }
}

static void turn_motion(const tni_sensor *s, const tni_kin *k, const double *acc, double out[3]) {
  if (s->level == 1) {
    vec3_copy(out, k->W);
  } else if (s->body == TNI_GROUND) {
    vec3_set(out, 0, 0, 0);
  } else {
    mat3_vec(out, k->A, acc + 6*s->body + 3); /* d(A w)/dt = A w' */
  }
}

void tni_sensor_eval(const tni_sensor *s, const tni_env *env, const double *acc,
                     const double *wrench, const double *force_value, const double en[5],
                     double *out) {
  const tni_kin *k = &env->kin[s->body + 1];
  switch (s->kind) {
    case TNI_SENSOR_FUNCTION: tni_function_eval(&s->function, env, out, NULL, NULL, NULL); return;
    case TNI_SENSOR_POINT: point_motion(s, k, acc, out); break;
    case TNI_SENSOR_TURN: turn_motion(s, k, acc, out); break;
    case TNI_SENSOR_REACTION: memcpy(out, wrench + 6*s->index, 6*sizeof(double)); break;
    case TNI_SENSOR_FORCE: out[0] = force_value[s->index]; return;
    case TNI_SENSOR_IMPULSE: memcpy(out, env->memory + s->index, TNI_IMPULSE_NMEMORY*sizeof(double)); return;
    case TNI_SENSOR_ENERGY:
      if (s->index >= 0) {
        out[0] = en[s->index];
      } else {
        memcpy(out, en, 5*sizeof(double));
      }
      return;
    case TNI_SENSOR_EFFORT:
    case TNI_SENSOR_ELEMENT:
    case TNI_SENSOR_STRAIN_ENERGY: return;
  }
  if (!s->in_body) return;
  double R[9];
  mat3_mul(R, k->A, s->R);
  for (int i = 0; i < s->ncomponent; i += 3) mat3_tvec(out + i, R, out + i);
}
