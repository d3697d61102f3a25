/* A small language with every kind of key and every form of section, for the tests of the reader.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_LANGUAGE_H
#define TEST_LANGUAGE_H

#include <float.h>

#include "input/input.h"

static const tni_key top_keys[] = {
    {.name = "tenon", .kind = TNI_KIND_INTEGER, .flags = TNI_REQUIRED, .doc = "Version."},
    {.name = "title", .kind = TNI_KIND_TEXT, .doc = "Name of the model."},
    {.name = "gravity", .kind = TNI_KIND_VEC3, .unit = "m/s^2", .initial = "[0, 0, -9.81]",
     .doc = "Acceleration of gravity."},
    {.name = "planar", .kind = TNI_KIND_BOOL, .initial = "false", .doc = "Motion in a plane."},
    {.name = "params", .kind = TNI_KIND_NUMBERMAP, .doc = "Named numbers."},
    {.name = "include", .kind = TNI_KIND_NAMES, .doc = "Further files."},
    {.name = "repeat", .kind = TNI_KIND_ANY, .doc = "Sections once per index."},
};

static const tni_key body_keys[] = {
    {.name = "mass", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN, .min = 0,
     .max = DBL_MAX, .unit = "kg", .doc = "Mass."},
    {.name = "inertia", .kind = TNI_KIND_INERTIA, .flags = TNI_ABOVE_MIN, .min = 0, .max = DBL_MAX,
     .unit = "kg m^2", .doc = "Inertia about the centre of mass."},
    {.name = "at", .kind = TNI_KIND_VEC3, .unit = "m", .initial = "[0, 0, 0]",
     .doc = "Centre of mass."},
    {.name = "orientation", .kind = TNI_KIND_ROTATION, .doc = "Orientation of the body frame."},
    {.name = "between", .kind = TNI_KIND_POINTS, .unit = "m", .doc = "Ends of a bar."},
    {.name = "points", .kind = TNI_KIND_POINTMAP, .unit = "m", .doc = "Named points."},
    {.name = "frames", .kind = TNI_KIND_FRAMEMAP, .doc = "Named frames."},
    {.name = "data", .kind = TNI_KIND_ANY, .doc = "Anything, for the | user."},
};

static const tni_key joint_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES, .flags = TNI_REQUIRED, .doc = "The two bodies."},
    {.name = "at", .kind = TNI_KIND_POINT, .unit = "m", .doc = "Place of the joint."},
};
static const tni_key revolute_keys[] = {
    {.name = "axis", .kind = TNI_KIND_DIRECTION, .initial = "z", .doc = "Axis of rotation."},
    {.name = "damping", .kind = TNI_KIND_NUMBER, .min = 0, .max = DBL_MAX, .unit = "N m s/rad",
     .initial = "0", .doc = "Viscous damping."},
};
static const tni_key gear_keys[] = {
    {.name = "joints", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED, .count = 2,
     .doc = "The coupled joints."},
    {.name = "bodies", .kind = TNI_KIND_NAMES, .doc = "Carrier."},
    {.name = "ratio", .kind = TNI_KIND_NUMBER, .doc = "Ratio of the speeds."},
};
static const tni_type revolute = {"revolute", "Rotation about one axis.", revolute_keys,
                                  TNI_COUNT(revolute_keys)};
static const tni_type spherical = {"spherical", "Ball joint.", NULL, 0};
static const tni_type gear = {"gear", "Couples two joints.", gear_keys, TNI_COUNT(gear_keys)};
static const tni_type *const joint_types[] = {&revolute, &spherical, &gear};

static const tni_key force_keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .flags = TNI_REQUIRED, .doc = "Where it acts."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|body", .initial = "ground",
     .doc = "Frame of the components."},
};
static const tni_key push_keys[] = {
    {.name = "force", .kind = TNI_KIND_EXPR3, .flags = TNI_REQUIRED, .unit = "N",
     .doc = "Components."},
};
static const tni_key spring_keys[] = {
    {.name = "stiffness", .kind = TNI_KIND_MATRIX6, .doc = "Stiffness."},
    {.name = "curve", .kind = TNI_KIND_TABLE, .doc = "Force over stretch."},
    {.name = "law", .kind = TNI_KIND_EXPR, .doc = "Force as expression."},
    {.name = "free", .kind = TNI_KIND_NUMBERMAP, .min = 0, .max = 1, .doc = "Numbers by name."},
};
static const tni_type push = {"push", "A force.", push_keys, TNI_COUNT(push_keys)};
static const tni_type spring = {"spring", "A spring.", spring_keys, TNI_COUNT(spring_keys)};
static const tni_type *const force_types[] = {&push, &spring};

static const tni_key drive_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The driven joint."},
    {.name = "motion", .kind = TNI_KIND_EXPR, .flags = TNI_REQUIRED, .unit = "rad",
     .doc = "Motion over time."},
};

static const tni_key analysis_keys[] = {
    {.name = "until", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .min = 0, .max = DBL_MAX,
     .unit = "s", .doc = "End time."},
    {.name = "steps", .kind = TNI_KIND_INTEGER, .min = 1, .max = 1000, .doc = "Number of steps."},
    {.name = "method", .kind = TNI_KIND_CHOICE, .choices = "auto|rk4|adams", .initial = "auto",
     .doc = "Integrator."},
    {.name = "theta", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN | TNI_BELOW_MAX, .min = 0,
     .max = 1, .doc = "Weight."},
    {.name = "times", .kind = TNI_KIND_NUMBERS, .doc = "Times of output."},
    {.name = "window", .kind = TNI_KIND_NUMBERS, .count = 2, .doc = "First and last time."},
};

static const tni_section sections[] = {
    {.name = "bodies", .item = "body", .summary = "Rigid bodies.", .keys = body_keys,
     .nkey = TNI_COUNT(body_keys)},
    {.name = "joints", .item = "joint", .summary = "Joints.", .keys = joint_keys,
     .nkey = TNI_COUNT(joint_keys), .types = joint_types, .ntype = TNI_COUNT(joint_types)},
    {.name = "forces", .item = "force", .summary = "Forces.", .list = true, .keys = force_keys,
     .nkey = TNI_COUNT(force_keys), .types = force_types, .ntype = TNI_COUNT(force_types)},
    {.name = "drive", .item = "drive", .summary = "Prescribed motion.", .list = true,
     .keys = drive_keys, .nkey = TNI_COUNT(drive_keys)},
    {.name = "analysis", .item = "analysis", .summary = "What to compute.", .single = true,
     .keys = analysis_keys, .nkey = TNI_COUNT(analysis_keys)},
};

static const tni_schema language = {top_keys, TNI_COUNT(top_keys), sections, TNI_COUNT(sections)};

#endif
