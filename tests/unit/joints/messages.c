/* What a wrong joint says: place, value, what it must be, hint
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/joint_rig.h"

/* joints "pin" (revolute), "ball" (spherical) and "slide" (prismatic) on two bodies */
static void begin(rig *g) {
  static const char *const name[3] = {"pin", "ball", "slide"};
  static const char *const type[3] = {"revolute", "spherical", "prismatic"};
  static const char *const keys[] = {"bodies", "[a, b]", "axis", "z", NULL};
  rig_begin(g, 2);
  for (int i = 0; i < 3; i++) {
    tni_joint *j = &g->joint[i];
    j->body[1] = 1;
    for (int e = 0; e < 2; e++) mat3_identity(j->frame[e].R);
    CHECK_OK(g->ctx, rig_build(g, rig_type(type[i]),
                               rig_item(g, name[i], rig_type(type[i]), keys)));
  }
}

typedef struct {
  const char *type; /* NULL: drive */
  const char *keys[13];
  const char *says;
} bad;

static const bad list[] = {
    {"revolute", {"axis", "z"}, "joint 'it': key 'bodies' is missing; must be [body, body]"},
    {"revolute", {"bodies", "[b, b]", "axis", "z"},
     "joint 'it': joins 'b' to itself, must be two different bodies"},
    {"revolute", {"bodies", "[a, b]"},
     "joint 'it': key 'axis' is missing; must be x, y, z, -x, -y, -z or [x, y, z]"},
    {"prismatic", {"bodies", "[a, b]"},
     "joint 'it': key 'axis' is missing; must be x, y, z, -x, -y, -z or [x, y, z]"},
    {"universal", {"bodies", "[a, b]", "axis1", "z"},
     "joint 'it': key 'axis2' is missing; axis1 is a direction in the frame of the first body, "
     "axis2 in that of the second (or the z axes of frame1 and frame2)"},
    {"universal", {"bodies", "[a, b]", "axis1", "z", "axis2", "z"},
     "joint 'it': axis1 and axis2 are parallel at the start, must be the two arms of a cross"},
    {"distance", {"bodies", "[a, b]", "length", "0"},
     "joint 'it': length = 0 m, must be > 0; use type spherical for points that coincide"},
    {"distance", {"bodies", "[a, b]"},
     "joint 'it': length = 0 m, must be > 0; use type spherical for points that coincide"},
    {"distance", {"bodies", "[a, b]", "length", "0.5"},
     "joint 'it': the two points coincide at the start and leave the direction of a distance of "
     "0.5 m open; move one of them"},
    {"revolute_spherical", {"bodies", "[a, b]", "axis", "z"},
     "joint 'it': the rod of length 0 m lies in its hinge axis (offset 0 m); it must reach away "
     "from it"},
    {"inline", {"axis", "x"},
     "joint 'it': key 'point' is missing; give bodies and at, or body, point and on"},
    {"inline", {"point", "[0, 0, 0]", "axis", "x"},
     "joint 'it': key 'body' is missing; give bodies and at, or body, point and on"},
    {"inline", {"bodies", "[a, b]", "body", "b", "axis", "x"},
     "joint 'it': give either bodies and at, or body, point and on, not both"},
    {"inline", {"body", "b", "point", "[0, 0, 0]", "on", "b", "axis", "x"},
     "joint 'it': the point and what it stays on both belong to 'b'"},
    {"inline", {"body", "b", "point", "a", "axis", "x"},
     "joint 'it': point 'a' is not on body 'b'"},
    {"gear", {"joints", "[pin, pim]", "ratio", "2"},
     "joint 'it': unknown joint 'pim'; did you mean 'pin'?"},
    {"gear", {"joints", "[pin]", "ratio", "2"},
     "joint 'it': joins the coordinates of 1 joint, must be 2"},
    {"gear", {"joints", "[pin, pin]", "ratio", "2"}, "joint 'it': joins joint 'pin' to itself"},
    {"gear", {"joints", "[pin, slide]"},
     "joint 'it': needs exactly one of radii, teeth and ratio"},
    {"gear", {"joints", "[pin, slide]", "radii", "[0.1, 0]"},
     "joint 'it': radii has a zero, must not be"},
    {"gear", {"joints", "[pin, ball]", "ratio", "2"},
     "joint 'it': joint 'ball' (spherical) has no coordinate"},
    {"gear", {"joints", "[pin, slide]", "coordinates", "[angle]", "ratio", "2"},
     "joint 'it': has 1 names for 2 joints"},
    {"gear", {"joints", "[pin, slide]", "coordinates", "angle", "ratio", "2"},
     "joint 'it': has 1 names for 2 joints"},
    {"rack_pinion", {"joints", "[pin, slide]", "radius", "0"},
     "joint 'it': radius = 0 m, must not be 0"},
    {"coupler", {"joints", "[pin, slide]", "factors", "[1]"},
     "joint 'it': has 1 factor for 2 joints, must be one for each"},
    {"curve", {"bodies", "[a, b]", "points", "[[0, 0], [1, 0]]"},
     "joint 'it': has 2 points, must be at least 3"},
    {"curve", {"bodies", "[a, b]", "points", "[[0, 0], [1, 0], [1, 0]]"},
     "joint 'it': points 2 and 3 of the curve are the same"},
    {"rolling_disk", {"bodies", "[ground, b]", "radius", "0.3", "axis", "z", "normal", "z"},
     "joint 'it': the axis of the disk is normal to the plane at the start, so that it lies flat; "
     "must roll on its edge"},
    {NULL, {"joint", "ball", "coordinate", "angle", "motion", "t"},
     "drive 'it': joint 'ball' (spherical) has no coordinate"},
    {NULL, {"joint", "slide", "coordinate", "angle", "motion", "t"},
     "drive 'it': joint 'slide' (prismatic) has no coordinate 'angle'; it has: displacement"},
    {NULL, {"point", "b", "coordinate", "x", "direction", "x", "motion", "t"},
     "drive 'it': key 'coordinate' means nothing for a point"},
    {NULL, {"joint", "pin", "direction", "x", "motion", "t"},
     "drive 'it': key 'direction' means nothing for a joint"},
    {NULL, {"joint", "pin"}, "drive 'it': has neither 'motion' nor 'velocity', must have one of them"},
    {NULL, {"joint", "pin", "motion", "t", "velocity", "1"},
     "drive 'it': has both 'motion' and 'velocity', must have one of them"},
    {NULL, {"motion", "t"}, "drive 'it': has neither 'joint' nor 'point', must have one of them"},
    {NULL, {"point", "b", "motion", "t"},
     "drive 'it': key 'direction' is missing; must be x, y, z, -x, -y, -z or [x, y, z]"},
    {NULL, {"point", "b", "relative_to", "b", "direction", "x", "motion", "t"},
     "drive 'it': the driven point and what it is measured from both belong to 'b'"},
    {NULL, {"point", "[0, 0, 1]", "direction", "x", "motion", "t"},
     "drive 'it': must be the name of a point as body.point: coordinates do not say which body is "
     "driven"},
};

static void wrong_joints_say_why(void) {
  for (int n = 0; n < TNI_COUNT(list); n++) {
    const bad *c = &list[n];
    rig g;
    begin(&g);
    const tni_joint_type *type = c->type ? rig_type(c->type) : &tni_joint_drive;
    tni_item *item = rig_item(&g, "it", c->type ? type : NULL, c->keys);
    tni_joint *j = &g.joint[g.model.njoint];
    const tni_value *bodies = c->type ? tni_item_get(item, "bodies") : NULL;
    j->body[0] = j->body[1] = TNI_GROUND;
    double zero[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    for (int e = 0; e < 2 && bodies; e++) {
      CHECK_OK(g.ctx, tni_build_body(&g.b, item, "bodies", bodies->item[e].text, &j->body[e]));
      double s[3];
      tni_build_to_body(&g.b, j->body[e], zero, s);
      tni_joint_frame(&g.b, j->body[e], s, z, NULL, &j->frame[e]);
    }
    CHECK_INT(rig_build(&g, type, item), TN_ERR_INPUT);
    CHECK_TEXT(tn_ctx_message(g.ctx), c->says);
    rig_end(&g);
  }
}

/* in a planar model an axis is z or lies in the plane, as the joint wants it */
static void axes_suit_the_plane(void) {
  static const struct {
    const char *type, *axis;
    double z[3];
    const char *says; /* NULL: fine */
  } cases[] = {
      {"revolute", NULL, {0, 0, 1}, NULL},
      {"revolute", "-z", {0, 0, -1}, NULL},
      {"revolute", "x", {1, 0, 0},
       "joint 'it': axis (1, 0, 0) does not suit a planar model, must be z"},
      {"prismatic", "y", {0, 1, 0}, NULL},
      {"prismatic", "z", {0, 0, 1},
       "joint 'it': axis (0, 0, 1) does not suit a planar model, must be in the plane: z component "
       "0"},
      {"prismatic", NULL, {0, 0, 1},
       "joint 'it': key 'axis' is missing; must be x, y, z, -x, -y, -z or [x, y, z]"},
      {"cylindrical", "z", {0, 0, 1}, NULL},
      {"cylindrical", "[0, 3, 4]", {0, 0.6, 0.8},
       "joint 'it': axis (0, 0.6, 0.8) does not suit a planar model, must be z or in the plane"},
  };
  for (int n = 0; n < TNI_COUNT(cases); n++) {
    const tni_joint_type *type = rig_type(cases[n].type);
    const char *const keys[] = {"bodies", "[ground, b]", cases[n].axis ? "axis" : NULL,
                                cases[n].axis, NULL};
    rig g;
    rig_begin(&g, 2);
    g.model.planar = true;
    double turned[3] = {0, 0, 0.4};
    quat_from_vector(g.body[1].p0, turned);
    tni_joint *j = &g.joint[0];
    j->body[0] = TNI_GROUND;
    j->body[1] = 1;
    double s[3] = {0, 0, 0};
    for (int e = 0; e < 2; e++)
      tni_joint_frame(&g.b, j->body[e], s, cases[n].z, NULL, &j->frame[e]);
    tn_status st = rig_build(&g, type, rig_item(&g, "it", type, keys));
    CHECK_INT(st, cases[n].says ? TN_ERR_INPUT : TN_OK);
    if (cases[n].says) CHECK_TEXT(tn_ctx_message(g.ctx), cases[n].says);
    rig_end(&g);
  }
}

/* every key of every type is documented and no name is taken twice */
static void types_are_described(void) {
  for (int i = 0; i < tni_joint_ntype; i++) {
    const tni_type *t = &tni_joint_types[i]->type;
    CHECK(t == tni_joint_tables[i]);
    CHECK(t->summary && strlen(t->summary) > 10);
    for (int k = 0; k < i; k++) CHECK(strcmp(t->name, tni_joint_types[k]->type.name) != 0);
    for (int k = 0; k < t->nkey; k++)
      CHECK((t->keys[k].flags & TNI_REFUSED) || (t->keys[k].doc && strlen(t->keys[k].doc) > 5));
  }
  for (int k = 0; k < TNI_DRIVE_NKEY; k++) CHECK(tni_drive_keys[k].name && tni_drive_keys[k].doc);
}

int main(void) {
  RUN(wrong_joints_say_why);
  RUN(axes_suit_the_plane);
  RUN(types_are_described);
  return REPORT();
}
