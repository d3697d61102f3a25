/* api/language.c - the whole input language in one table
 *
 * Joints, forces and sensors bring their own keys; what belongs to the document, to bodies, to
 * prescribed motions and to the run is here. Reader, messages, JSON Schema and input reference all
 * come from these tables.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "api/language.h"

#include <math.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/sim.h"
#include "elements/beams.h"
#include "forces/list.h"
#include "integrators/integrator.h"
#include "joints/list.h"
#include "model/sensors.h"
#include "solids/meshes.h"
#include "solids/structure.h"
#include "techniques/technique.h"

#define HUGE_NUMBER HUGE_VAL

static const tni_key top_keys[] = {
    {"tenon", TNI_KIND_INTEGER, TNI_REQUIRED, 1, 1.5, 0, NULL, NULL, NULL,
     "Version of the input language: 1."},
    {"title", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, NULL, NULL, "Shown in summaries and plots."},
    {"gravity", TNI_KIND_VEC3, 0, 0, 0, 0, "m/s^2", "[0, 0, 0]", NULL,
     "Acceleration of gravity, ground axes."},
    {"planar", TNI_KIND_BOOL, 0, 0, 0, 0, NULL, "false", NULL,
     "Bodies move in the plane z = 0 and turn about z: three degrees of freedom each."},
    {"params", TNI_KIND_NUMBERMAP, 0, 0, 0, 0, NULL, NULL, NULL,
     "Named numbers, usable in every expression; may use the ones before."},
    {"include", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, NULL, NULL,
     "File or files whose sections are added, relative to this file."},
    {"repeat", TNI_KIND_ANY, 0, 0, 0, 0, NULL, NULL, NULL,
     "List of {for: {i: [first, last]}, sections}: the sections once per index, {i} in names."},
};

static const tni_key ground_keys[] = {
    {"points", TNI_KIND_POINTMAP, 0, 0, 0, 0, "m", NULL, NULL, "Named points fixed in the ground."},
    {"frames", TNI_KIND_FRAMEMAP, 0, 0, 0, 0, "m", NULL, NULL, "Named frames fixed in the ground."},
    {"look", TNI_KIND_ANY, 0, 0, 0, 0, "m", NULL, NULL,
     "What the viewer shows, in the ground frame, no mechanics: {box: [a, b, c]}, {cylinder: [radius, "
     "length]} along x, {sphere: radius}, {hull: [points], radius: r} or {mesh: file.stl, scale: s} "
     "(STL, OBJ), each with at, orientation and color if wanted; or a list of them."},
    {"color", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, NULL, NULL,
     "Colour in the viewer: a name such as red, or \"#rrggbb\" in quotes."},
};

static const tni_key body_keys[] = {
    {"mass", TNI_KIND_NUMBER, TNI_REQUIRED | TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "kg", NULL, NULL,
     "Mass."},
    {"inertia", TNI_KIND_INERTIA, 0, 0, 0, 0, "kg m^2", NULL, NULL,
     "Inertia tensor about the centre of mass in body axes (tensor elements: Ixy is minus the "
     "integral of xy)."},
    {"inertia_orientation", TNI_KIND_ROTATION, 0, 0, 0, 0, NULL, NULL, NULL,
     "Axes in which the inertia is given, relative to the body axes."},
    {"inertia_at", TNI_KIND_VEC3, 0, 0, 0, 0, "m", NULL, NULL,
     "Point about which the inertia is given, body frame, if not the centre of mass."},
    {"com", TNI_KIND_VEC3, 0, 0, 0, 0, "m", "[0, 0, 0]", NULL, "Centre of mass in the body frame."},
    {"at", TNI_KIND_VEC3, 0, 0, 0, 0, "m", "[0, 0, 0]", NULL,
     "Position of the origin of the body frame."},
    {"orientation", TNI_KIND_ROTATION, 0, 0, 0, 0, "rad", NULL, NULL,
     "Orientation of the body frame."},
    {"between", TNI_KIND_POINTS, 0, 0, 0, 0, "m", NULL, NULL,
     "Bar from one point to another: frame halfway, x axis along it; excludes at and orientation."},
    {"velocity", TNI_KIND_VEC3, 0, 0, 0, 0, "m/s", "[0, 0, 0]", NULL,
     "Initial velocity of the centre of mass, ground axes."},
    {"angular_velocity", TNI_KIND_VEC3, 0, 0, 0, 0, "rad/s", "[0, 0, 0]", NULL,
     "Initial angular velocity, ground axes."},
    {"angular_velocity_body", TNI_KIND_VEC3, 0, 0, 0, 0, "rad/s", NULL, NULL,
     "Initial angular velocity in the axes of the body, in place of angular_velocity."},
    {"points", TNI_KIND_POINTMAP, 0, 0, 0, 0, "m", NULL, NULL,
     "Named points in the body frame; others refer to them as body.point."},
    {"frames", TNI_KIND_FRAMEMAP, 0, 0, 0, 0, "m", NULL, NULL, "Named frames in the body frame."},
    {"shape", TNI_KIND_ANY, 0, 0, 0, 0, "m", NULL, NULL,
     "{box: [a, b, c]}, {cylinder: [radius, length]} along x, or {sphere: radius}; gives the "
     "inertia when none is written, and the viewer something to show."},
    {"look", TNI_KIND_ANY, 0, 0, 0, 0, "m", NULL, NULL,
     "What the viewer shows, in the body frame, no mechanics: {box: [a, b, c]}, {cylinder: [radius, "
     "length]} along x, {sphere: radius}, {hull: [points], radius: r} or {mesh: file.stl, scale: s} "
     "(STL, OBJ), each with at, orientation and color if wanted; or a list of them."},
    {"color", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, NULL, NULL,
     "Colour in the viewer: a name such as red, or \"#rrggbb\" in quotes."},
    {"hold", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, NULL, "1 if posed, else 0.001", NULL,
     "Weight of the written pose when the assembly has to move bodies."},
    {"hold_velocity", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, NULL,
     "1", NULL, "The same for the velocities written; without any it holds the body at rest."},
};

static const tni_key joint_keys[] = {
    {"bodies", TNI_KIND_BODIES, 0, 0, 0, 0, NULL, NULL, NULL,
     "The two bodies; reactions are those on the second one."},
    {"at", TNI_KIND_POINT, 0, 0, 0, 0, "m", NULL, NULL,
     "Where the joint is: ground point at t = 0, or a named point."},
    {"at1", TNI_KIND_POINT, 0, 0, 0, 0, "m", NULL, NULL, "Point of the first body, in its frame."},
    {"at2", TNI_KIND_POINT, 0, 0, 0, 0, "m", NULL, NULL, "Point of the second body, in its frame."},
    {"axis", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, "z in planar models", NULL,
     "Axis in ground axes at t = 0."},
    {"axis1", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, NULL, NULL, "Axis in the first body."},
    {"axis2", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, NULL, NULL, "Axis in the second body."},
    {"x", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, NULL, NULL,
     "Reference direction of the joint frame, ground axes at t = 0."},
    {"x1", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, NULL, NULL,
     "Reference direction in the first body; with x2 it sets the zero of angles."},
    {"x2", TNI_KIND_DIRECTION, 0, 0, 0, 0, NULL, NULL, NULL,
     "Reference direction in the second body."},
    {"frame1", TNI_KIND_NAME, 0, 0, 0, 0, NULL, NULL, NULL,
     "Named frame of the first body as joint frame: its origin is the point, its z the axis, its x "
     "the reference; in place of at1, axis1, x1."},
    {"frame2", TNI_KIND_NAME, 0, 0, 0, 0, NULL, NULL, NULL,
     "Named frame of the second body; with one frame only, the other body takes it over at t = 0."},
    {"initial", TNI_KIND_ANY, 0, 0, 0, 0, "rad, m", "as the bodies are written", NULL,
     "Where the joint starts: its coordinate, or several as {displacement: 0.1, angle: 20*deg}. Bodies "
     "are moved there from where they are written; other joints keep their coordinates if loops allow."},
    {"initial_rate", TNI_KIND_ANY, 0, 0, 0, 0, "rad/s, m/s", "what follows from others", NULL,
     "How fast it starts, written alike; kept before velocities of bodies. Rates that nobody wrote are as "
     "small as they can be."},
};

static const tni_key analysis_keys[] = {
    {"type", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "transient", NULL /* from the list of analyses */,
     NULL /* likewise */},
    {"from", TNI_KIND_NUMBER, 0, 0, 0, 0, "s", "0", NULL, "Start time."},
    {"until", TNI_KIND_NUMBER, 0, 0, 0, 0, "s", "1", NULL, "End time."},
    {"method", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", NULL /* filled in from the list of integrators */,
     "Integration method; auto chooses and says why."},
    {"tolerance", TNI_KIND_NUMBER, TNI_BELOW_MAX, TNI_TIGHTEST, 1, 0, NULL, "1e-6", NULL,
     "Error wanted at the end of the run, relative and absolute."},
    {"tolerance_of", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "run", "run|step",
     "What the tolerance bounds: the error at the end of the run, of which a step may use a share that was measured for "
     "every method, or the estimated error of a step, as in the literature; errors of steps then add up."},
    {"relative_tolerance", TNI_KIND_NUMBER, TNI_BELOW_MAX, TNI_TIGHTEST, 1, 0, NULL,
     "tolerance", NULL, "The relative part by itself."},
    {"absolute_tolerance", TNI_KIND_NUMBER, 0, TNI_TIGHTEST, HUGE_NUMBER, 0, "m, rad", "tolerance",
     NULL, "The absolute part by itself."},
    {"relative_velocity_tolerance", TNI_KIND_NUMBER, TNI_BELOW_MAX, TNI_TIGHTEST, 1, 0, NULL,
     "relative_tolerance", NULL, "The relative part for velocities."},
    {"absolute_velocity_tolerance", TNI_KIND_NUMBER, 0, TNI_TIGHTEST, HUGE_NUMBER, 0, "m/s, rad/s",
     "absolute_tolerance", NULL,
     "The absolute part for velocities. A tolerance given for a run by itself, as tenon compare does, "
     "changes all of them in proportion."},
    {"step", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "s", NULL, NULL,
     "Fixed step (rk4, energy_momentum; staggered, which chooses one if none is given; implicit methods "
     "with steps: equal), or first step of the others."},
    {"steps", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "adaptive", "adaptive|equal",
     "Implicit methods: steps that keep the tolerance, or all of them of size `step`, but for the last "
     "one and where events and iterations that fail cut them."},
    {"growth", TNI_KIND_NUMBER, 0, 1, 10, 0, NULL, "1", NULL,
     "Methods alpha and hht with steps: equal: from the third on each step is as many times as long as the one before, at most "
     "max_step; 1.5 is what CalculiX does."},
    {"soft_start", TNI_KIND_NUMBER, 0, 0, 1, 0, NULL, "0", NULL,
     "Methods alpha and hht with steps: equal, structures without bodies: the method begins with the accelerations of an implicit step of "
     "this part of `step` in the place of the true ones, whose fast modes a load that comes at once excites; 0.1 is what CalculiX does."},
    {"max_step", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "s", NULL, NULL,
     "Largest step."},
    {"min_step", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "s", NULL, NULL,
     "Step below which the run is given up."},
    {"rho", TNI_KIND_NUMBER, 0, 0, 1, 0, NULL, "0.8", NULL,
     "Methods alpha and hht: what remains of fast oscillations after a step, 1 all, 0 nothing."},
    {"representation", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", "auto|cartesian|joint",
     "Coordinates: all bodies, or relative ones on a spanning tree."},
    {"cut", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, "those with most freedoms in every loop", NULL,
     "Joint coordinates: joints that shall carry no body; their equations stay constraints."},
    {"solver", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto",
     "auto|reduced|sparse|dense|natural|natural_cg|cg|pieces|recursive|composite|composite_dense|feti|feti_dp|schur|schur_cg|fronts|mumps|pcg|skyline|gamg|bddc",
     "Linear solver for accelerations and multipliers; from feti to schur_cg for structures cut into domains: statics, and motions by "
     "alpha, hht, infl_trap and infl_sdirk (there pcg too); from fronts to skyline for statics of a whole one; gamg and bddc, and there mumps too, for statics by "
     "several processes with PETSc."},
    {"memory", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "MB", "0.8 of the machine's", NULL,
     "Statics of structures: what factors may take; where they would take more, conjugate gradients (pcg) solve in their place."},
    {"ordering", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", "auto|given|rcm|gps|gk|md|rcm_rows|gps_rows|gk_rows|md_rows",
     "Numbering of the joints for the reduced solver; those named _rows count rows instead of joints."},
    {"parametrization", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "tangent_plane",
     "tangent_plane|coordinates",
     "Implicit methods: independent coordinates in the tangent plane of the constraints, or chosen "
     "from the coordinates of the bodies and kept while they are well conditioned."},
    {"independent", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, NULL, NULL,
     "Implicit methods: coordinates to take as independent, as many as the model has freedoms, by "
     "their velocities: rod.wz, slider.vx."},
    {"jacobian", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "exact", "exact|parallel|numerical|blocks|compact|augmented",
     "Implicit methods: matrices from exact tangents, the same with columns divided among threads "
     "(from 48 freedoms on), or from differences of accelerations. The last three make the exact ones in other "
     "ways, to check: dependent and independent coordinates apart (parametrization: coordinates), columns from "
     "right to left, or columns as right sides of the system for accelerations, over threads."},
    {"repartition", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 1, HUGE_NUMBER, 0, NULL, "1.25", NULL,
     "Implicit methods with parametrization: coordinates: others are chosen when the condition number of the "
     "dependent ones has grown by this factor."},
    {"kappa", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, 1, 0, NULL, "1e-3 or less, by the tolerance", NULL,
     "Implicit methods: part of the error allowed in a step that Newton's method may leave; the literature has "
     "0.01 to 0.1."},
    {"max_iterations", TNI_KIND_INTEGER, 0, 2, 1e6, 0, NULL, "10", NULL,
     "Implicit methods: iterations of Newton's method after which a step is taken again with half its size."},
    {"newmark_beta", TNI_KIND_NUMBER, 0, 0.25, 1, 0, NULL, "1/4", NULL,
     "Method trap: beta of Newmark's family, at least (newmark_gamma + 1/2)^2/4."},
    {"newmark_gamma", TNI_KIND_NUMBER, 0, 0.5, 1, 0, NULL, "1/2", NULL,
     "Method trap: gamma of Newmark's family. Above 1/2 it damps and is of order 1: the tolerance is then that of a "
     "step."},
    {"error_filter", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", "auto|on|off",
     "Implicit methods: damp stiff components of the error estimate; auto: where the formula "
     "amplifies them."},
    {"initial", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "given", "given|statics",
     "Where a transient starts: at the state given, or at the equilibrium next to it, with the "
     "velocities given. Modes are those about the equilibrium unless the model moves."},
    {"technique", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", NULL /* from the list of techniques */,
     "How constraints are kept: auto is staggered for the method of that name, else augmented."},
    {"softness", TNI_KIND_NUMBER, TNI_ABOVE_MIN | TNI_BELOW_MAX, 0, 1, 0, NULL, "0.05", NULL,
     "Technique staggered: stabilisation parameter, part of the compliance of each constraint; above "
     "0.3 joints are soft, below 0.003 multipliers ring."},
    {"epsilon", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, NULL, "softness in its place", NULL,
     "Technique staggered: one softness for all rows, as published (1e-6); depends on units and step."},
    {"level", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "velocity", "velocity|acceleration",
     "Technique staggered: law of the multipliers by velocities, or by accelerations as published for "
     "nonholonomic rows; holonomic rows drift with the latter."},
    {"rotation", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "exact", "exact|midpoint",
     "Method staggered: turn bodies by the rotation vector, or by the mid-point rule of the papers."},
    {"iterations", TNI_KIND_INTEGER, 0, 1, 1e6, 0, NULL, "until they converge", NULL,
     "Method trapezoidal: passes of every step, converged or not; 1 is one correction."},
    {"resynchronize", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", "auto|off|every",
     "Method staggered: bring its two chains together where they part, never, or every so many "
     "stations. Every time costs stiff vibrations some energy or gives them some."},
    {"stations", TNI_KIND_INTEGER, 0, 2, 1e6, 0, NULL, "50", NULL,
     "With resynchronize: every, how many; two are a step."},
    {"alpha", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "1/s", "0.25/step, or 20", NULL,
     "Technique baumgarte: half the factor of the rate of a residual."},
    {"beta", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "1/s^2", "alpha^2", NULL,
     "Technique baumgarte: factor of the residual itself (beta^2 in the classical writing)."},
    {"form", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "second", "second|integral",
     "Technique baumgarte: feedback in accelerations, or in velocities with the integral of the "
     "residual; nonholonomic rows have one form."},
    {"penalty", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "rad/s", "0.3/step, or 300", NULL,
     "Technique penalty: highest frequency of the springs that stand for constraints."},
    {"elements", TNI_KIND_INTEGER, 0, 1, 1e8, 0, NULL, "as the tolerance asks", NULL,
     "Method state_time: elements of equal length that the time is divided into, whatever their error."},
    {"order", TNI_KIND_INTEGER, 0, 1, 6, 0, NULL, "3; with elements 2", NULL,
     "Method state_time: degree of the polynomials of an element; errors at ends of elements are of twice that order."},
    {"points", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "gauss", "gauss|radau",
     "Method state_time, and analyses of whole trajectories: instants of an element that equations hold at; radau has errors of one order less "
     "(2 order - 1) and damps vibrations that are short beside an element."},
    {"orders", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "fixed", "fixed|adaptive",
     "Method state_time without elements: adaptive lets order follow the tolerance as well, between 2 and 4, changed from window to window."},
    {"force_order", TNI_KIND_INTEGER, 0, 0, 5, 0, NULL, "order - 1", NULL,
     "Method state_time: degree of the polynomials of joint forces; must be smaller than order."},
    {"formulation", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "poses", "poses|direction_cosines",
     "Method state_time: collocation in the coordinates of the system, or the published weak form in direction cosines, body by "
     "body."},
    {"rule", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "gauss", "literal|discontinuous|gauss|collocation",
     "Formulation direction_cosines: how equations are tested; literal is the published form, collocation asks for all of them at the "
     "Gauss points and has twice the order."},
    {"elimination", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "sparse", "sparse|tree",
     "Formulation direction_cosines, rules but collocation: linear systems of a window as one sparse matrix, or by a tree of orthogonal merges of "
     "its elements, over threads and over the ranks of tenon_mpi."},
    {"window", TNI_KIND_INTEGER, 0, 1, 1e6, 0, NULL, "64", NULL,
     "Method state_time: elements solved together at most."},
    {"redundant", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "allow", "allow|forbid",
     "What to do with redundant constraints."},
};

static const tni_key output_keys[] = {
    {"every", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "s", "1/100 of the run", NULL,
     "Interval between stored states; never changes the steps."},
    {"record", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, NULL, NULL,
     "Short sensors: rod.position, pin.reaction, pin.angle, spring.force, energy."},
    {"file", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, "<model>.h5", NULL, "Results file."},
    {"checkpoint", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_NUMBER, 0, "s", "1/10 of the run", NULL,
     "Interval between states from which a run can be continued."},
    {"fields", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, "all", NULL,
     "What to store of the meshes of structures: displacement, velocity, stress, von_mises, principal_stress, reaction, "
     "plastic_strain."},
    {"groups", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, "the whole meshes", NULL,
     "Groups of the meshes of structures to store: their nodes, and the cells and faces between them."},
    {"precision", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "auto", "auto|single|double",
     "Of fields of structures in the file; auto: double up to 50,000 nodes."},
    {"writers", TNI_KIND_INTEGER, 0, 1, 1e6, 0, NULL, "all", NULL,
     "Several processes (`tenon_mpi`): how many of them write large fields and checkpoints."},
};

/* the sections with what this file knows; beams, joints, forces, sensors and drives are filled
 * in below */
enum {
  GROUND, BODIES, BEAMS, TRUSSES, CABLES, MATERIALS, MESHES, STRUCTURES, SUPPORTS, LOADS, COUPLINGS, NODES, JOINTS, DRIVE, FORCES, SENSORS, ANALYSIS, OUTPUT, NSECTION
};

static const tni_section sections[NSECTION] = {
    [GROUND] = {"ground", "ground", "The fixed frame: points and frames to attach to.", true, false,
                ground_keys, TNI_COUNT(ground_keys), NULL, 0},
    [BODIES] = {"bodies", "body", "Rigid bodies.", false, false, body_keys, TNI_COUNT(body_keys),
                NULL, 0},
    [JOINTS] = {"joints", "joint", "What holds bodies together.", false, true, joint_keys,
                TNI_COUNT(joint_keys), NULL, 0},
    [DRIVE] = {"drive", "drive", "Prescribed motions.", false, true, NULL, 0, NULL, 0},
    [FORCES] = {"forces", "force", "What moves bodies, beside gravity.", false, true, NULL, 0, NULL,
                0},
    [SENSORS] = {"sensors", "sensor", "What is recorded beside the state.", false, true, NULL, 0,
                 NULL, 0},
    [ANALYSIS] = {"analysis", "analysis", "What to do with the model.", true, false, analysis_keys,
                  TNI_COUNT(analysis_keys), NULL, 0},
    [OUTPUT] = {"output", "output", "What to store, and how often.", true, false, output_keys,
                TNI_COUNT(output_keys), NULL, 0},
};

typedef struct {
  tni_schema schema;
  tni_section section[NSECTION];
  char analyses[160], doing[600]; /* "transient|statics|...", and what they do */
  char methods[256];              /* "auto|rk45|..." */
  char techniques[128];
  tni_key analysis[];             /* those of every run, then those of each analysis; after them
                                     keys of meshes, the types of joints and forces */
} language;

static int count_keys(void) {
  int n = TNI_COUNT(analysis_keys);
  for (int i = 0; i < tni_nanalysis; i++) n += tni_analyses[i]->nkey;
  return n;
}

/* the key `type` allows every analysis that exists, and says what they do */
static void add_analyses(language *l) {
  size_t at = 0, said = (size_t)snprintf(l->doing, sizeof(l->doing), "What to do: ");
  tni_key *key = l->analysis;
  memcpy(key, analysis_keys, sizeof(analysis_keys));
  key += TNI_COUNT(analysis_keys);
  for (int i = 0; i < tni_nanalysis; i++) {
    const tni_analysis *a = tni_analyses[i];
    if (a->nkey) memcpy(key, a->key, (size_t)a->nkey*sizeof(*key));
    key += a->nkey;
    if (at < sizeof(l->analyses))
      at += (size_t)snprintf(l->analyses + at, sizeof(l->analyses) - at, "%s%s", i ? "|" : "", a->name);
    if (said < sizeof(l->doing))
      said += (size_t)snprintf(l->doing + said, sizeof(l->doing) - said, "%s%s",
                               i == 0 ? "" : i == tni_nanalysis - 1 ? ", or " : ", ", a->doc);
  }
  if (said < sizeof(l->doing)) snprintf(l->doing + said, sizeof(l->doing) - said, ".");
  l->section[ANALYSIS].keys = l->analysis;
  l->section[ANALYSIS].nkey = (int)(key - l->analysis);
}

/* the keys `type`, `method` and `technique` allow everything that exists */
static void add_methods(language *l) {
  size_t at = (size_t)snprintf(l->methods, sizeof(l->methods), "auto");
  for (int i = 0; i < tni_integrator_ntype && at < sizeof(l->methods); i++)
    at += (size_t)snprintf(l->methods + at, sizeof(l->methods) - at, "|%s",
                           tni_integrator_types[i]->name);
  at = (size_t)snprintf(l->techniques, sizeof(l->techniques), "auto");
  for (int i = 0; i < tni_technique_ntype && at < sizeof(l->techniques); i++)
    at += (size_t)snprintf(l->techniques + at, sizeof(l->techniques) - at, "|%s",
                           tni_technique_types[i]->name);
  for (int i = 0; i < TNI_COUNT(analysis_keys); i++) {
    tni_key *key = &l->analysis[i];
    if (strcmp(key->name, "type") == 0) key->choices = l->analyses, key->doc = l->doing;
    if (strcmp(key->name, "method") == 0) key->choices = l->methods;
    if (strcmp(key->name, "technique") == 0) key->choices = l->techniques;
  }
}

/* The tables of other files are not constant expressions, so the language is put together once per
 * context and kept there. */
tn_status tni_language(tn_ctx *ctx, const tni_schema **out) {
  language *l = ctx->language;
  if (!l) {
    size_t ntype = (size_t)(tni_joint_ntype + tni_force_ntype);
    size_t nkey = (size_t)count_keys(), nmesh = (size_t)tni_mesh_keys(NULL);
    l = tni_alloc(ctx, 1, sizeof(*l) + (nkey + nmesh)*sizeof(l->analysis[0]) + ntype*sizeof(const tni_type *));
    if (!l) return tni_out_of_memory(ctx);
    const tni_type **joint = (const tni_type **)(l->analysis + nkey + nmesh), **force = joint + tni_joint_ntype;
    memcpy(l->section, sections, sizeof(sections));
    for (int i = 0; i < tni_joint_ntype; i++) joint[i] = &tni_joint_types[i]->type;
    for (int i = 0; i < TNI_NBEAM_SECTION; i++) l->section[BEAMS + i] = tni_beam_sections[i];
    l->section[MATERIALS] = tni_matter_section;
    for (int i = 0; i < TNI_NSTRUCTURE_SECTION; i++) l->section[MESHES + i] = tni_structure_section(i);
    l->section[MESHES].keys = l->analysis + nkey;
    l->section[MESHES].nkey = tni_mesh_keys(l->analysis + nkey);
    l->section[JOINTS].types = joint;
    l->section[JOINTS].ntype = tni_joint_ntype;
    for (int i = 0; i < tni_force_ntype; i++) force[i] = &tni_force_types[i]->type;
    l->section[FORCES].types = force;
    l->section[FORCES].ntype = tni_force_ntype;
    l->section[SENSORS].types = tni_sensor_types;
    l->section[SENSORS].ntype = TNI_SENSOR_NTYPE;
    l->section[DRIVE].keys = tni_joint_drive.type.keys;
    l->section[DRIVE].nkey = tni_joint_drive.type.nkey;
    add_analyses(l);
    add_methods(l);
    l->schema = (tni_schema){top_keys, TNI_COUNT(top_keys), l->section, NSECTION};
    ctx->language = l;
  }
  *out = &l->schema;
  return TN_OK;
}
