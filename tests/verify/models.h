/* tests/verify/models.h - mechanisms as YAML, shared by the verification programs
 *
 * Bodies have unequal principal moments, joints lie off the coordinate planes where the mechanism
 * allows it, and springs and dampers load them, so that no term vanishes by symmetry.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_VERIFY_MODELS_H
#define TN_VERIFY_MODELS_H

/* Grashof four-bar in the plane */
#define FOUR_BAR_PARTS(TILT, AXIS)                                                                      \
  "gravity: [0, -9.81" TILT "]\n"                                                                        \
  "bodies:\n"                                                                                     \
  "  crank:   {mass: 1, inertia: [0.01, 0.02, 0.02], between: [[0, 0], [0.3, 0.4]],\n"            \
  "            angular_velocity: [0, 0, 0.4832]}\n"                                               \
  "  coupler: {mass: 2, inertia: [0.05, 0.2, 0.21], between: [[0.3, 0.4], [1.3, 0.9]]}\n"         \
  "  rocker:  {mass: 1.5, inertia: [0.02, 0.1, 0.11], between: [[1.3, 0.9], [1.5, 0]]}\n"         \
  "joints:\n"                                                                                     \
  "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]" AXIS "}\n"                          \
  "  b: {type: revolute, bodies: [crank, coupler], at: [0.3, 0.4]" AXIS "}\n"                     \
  "  c: {type: revolute, bodies: [coupler, rocker], at: [1.3, 0.9]" AXIS "}\n"                    \
  "  d: {type: revolute, bodies: [ground, rocker], at: [1.5, 0]" AXIS "}\n"                       \
  "forces:\n"                                                                                     \
  "  s: {type: spring, bodies: [ground, coupler], at1: [0.5, 1.5], at2: [0.1, 0.05],\n"           \
  "      stiffness: 50, damping: 3, free_length: 0.4}\n"

static const char planar_four_bar[] = "planar: true\n" FOUR_BAR_PARTS("", "");
/* the same with six freedoms per body: three equations follow from the others */
static const char spatial_four_bar[] = FOUR_BAR_PARTS(", 3", ", axis: z");
/* the same motion without redundancy: a ball and a cylindrical joint in place of two hinges */
static const char spatial_four_bar_exact[] =
    "gravity: [0, -9.81, 3]\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [0.01, 0.02, 0.02], between: [[0, 0], [0.3, 0.4]],\n"
    "            angular_velocity: [0, 0, 0.4832]}\n"
    "  coupler: {mass: 2, inertia: [0.05, 0.2, 0.21], between: [[0.3, 0.4], [1.3, 0.9]]}\n"
    "  rocker:  {mass: 1.5, inertia: [0.02, 0.1, 0.11], between: [[1.3, 0.9], [1.5, 0]]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0], axis: z}\n"
    "  b: {type: spherical, bodies: [crank, coupler], at: [0.3, 0.4]}\n"
    "  c: {type: cylindrical, bodies: [coupler, rocker], at: [1.3, 0.9], axis: z}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [1.5, 0], axis: z}\n"
    "forces:\n"
    "  s: {type: spring, bodies: [ground, coupler], at1: [0.5, 1.5], at2: [0.1, 0.05],\n"
    "      stiffness: 50, damping: 3, free_length: 0.4}\n";

/* free slider-crank in space, hinge axes y, a slider body */
static const char slider_crank[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank:  {mass: 0.4, inertia: [1e-3, 1.2e-3, 3e-4], between: [[0, 0, 0], [0.05, 0, 0.14]],\n"
    "           angular_velocity: [0, 5, 0]}\n"
    "  rod:    {mass: 0.6, inertia: [4e-4, 4e-3, 4.1e-3], between: [[0.05, 0, 0.14], [0.5, 0, 0]]}\n"
    "  slider: {mass: 0.8, inertia: [1e-3, 2e-3, 2.5e-3], at: [0.5, 0, 0]}\n"
    "joints:\n"
    "  pin:   {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  elbow: {type: spherical, bodies: [crank, rod], at: [0.05, 0, 0.14]}\n"
    "  wrist: {type: universal, bodies: [rod, slider], at: [0.5, 0, 0], axis1: y, axis2: z}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], at: [0.5, 0, 0], axis: x}\n"
    "forces:\n"
    "  gas: {type: joint_force, joint: guide, force: \"-20*value - 0.5*rate\"}\n";

/* spatial crank and rocker joined by a rod with balls; the rod turns about itself */
static const char rssr[] =
    "gravity: [0, -1, -9.81]\n"
    "bodies:\n"
    "  crank:  {mass: 1, inertia: [0.01, 0.02, 0.024], between: [[0, 0, 0], [0.2, 0.1, 0.3]],\n"
    "           angular_velocity: [0, 1, 0]}\n"
    "  rod:    {mass: 0.7, inertia: [0.003, 0.1, 0.1], between: [[0.2, 0.1, 0.3], [1, 0.9, 0.5]]}\n"
    "  rocker: {mass: 1.4, inertia: [0.04, 0.03, 0.06], between: [[1, 0.9, 0.5], [1.1, 0.8, -0.2]]}\n"
    "joints:\n"
    "  base:  {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0.1, 1, -0.2]}\n"
    "  ball1: {type: spherical, bodies: [crank, rod], at: [0.2, 0.1, 0.3]}\n"
    "  ball2: {type: spherical, bodies: [rod, rocker], at: [1, 0.9, 0.5]}\n"
    "  top:   {type: revolute, bodies: [rocker, ground], at: [1.1, 0.8, -0.2], axis: [1, 0.3, 0.1]}\n"
    "forces:\n"
    "  motor: {type: torque, body: crank, torque: [0.2, \"0.5*cos(3*t)\", 0.1]}\n";

/* open chain of all joints that can carry a body, every second one written from tip to base */
static const char mixed_chain[] =
    "gravity: [0.5, 0, -9.81]\n"
    "repeat:\n"
    "  - for: {i: [1, 8]}\n"
    "    bodies:\n"
    "      \"b{i}\":\n"
    "        mass: \"0.5 + 0.1*i\"\n"
    "        inertia: [\"0.02 + 0.003*i\", \"0.03 - 0.001*i\", 0.035, 0.002, -0.001, 0.0015]\n"
    "        com: [0.03, -0.02, 0.05]\n"
    "        at: [\"0.3*i\", \"0.1*sin(i)\", \"0.05*i*i\"]\n"
    "        orientation: {euler: [\"0.3*i\", 0.4, \"-0.2*i\"], sequence: zxz}\n"
    "joints:\n"
    "  j1: {type: revolute, bodies: [ground, b1], at: [0.1, 0, 0], axis: [1, 0.2, 0]}\n"
    "  j2: {type: spherical, bodies: [b2, b1], at: [0.4, 0.1, 0.1]}\n"
    "  j3: {type: universal, bodies: [b2, b3], at: [0.7, 0, 0.3], axis1: [1, 0, 0], axis2: [0, 1, 0]}\n"
    "  j4: {type: prismatic, bodies: [b4, b3], at: [1, 0, 0.6], axis: [0.3, 1, 1]}\n"
    "  j5: {type: cylindrical, bodies: [b4, b5], at: [1.3, 0, 1], axis: [0, 1, 0.5]}\n"
    "  j6: {type: screw, bodies: [b6, b5], at: [1.6, 0, 1.4], axis: [1, 1, 0], pitch: 0.3}\n"
    "  j7: {type: planar, bodies: [b6, b7], at: [1.9, 0, 2], axis: [0.2, -0.1, 1]}\n"
    "  j8: {type: fixed, bodies: [b8, b7], at: [2.2, 0, 2.6]}\n"
    "forces:\n"
    "  s1: {type: spring, bodies: [ground, b5], at1: [0, 1, 0], at2: [0.1, 0, 0], stiffness: 20,\n"
    "       damping: 1}\n"
    "  s2: {type: torsion_spring, joint: j1, stiffness: 3, damping: 0.1}\n";

/* six bars in a ring that floats, hinges and balls in turn */
static const char floating_ring[] =
    "gravity: [0, 0, -9.81]\n"
    "params: {n: 6}\n"
    "repeat:\n"
    "  - for: {i: [0, 5]}\n"
    "    bodies:\n"
    "      \"b{i}\":\n"
    "        mass: \"1 + 0.2*i\"\n"
    "        inertia: [0.01, \"0.08 + 0.01*i\", 0.085]\n"
    "        between: [[\"cos(i*pi/3)\", \"sin(i*pi/3)\", \"0.2*mod(i, 2)\"],\n"
    "                  [\"cos((i+1)*pi/3)\", \"sin((i+1)*pi/3)\", \"0.2*mod(i+1, 2)\"]]\n"
    "        velocity: [\"0.3 + 0.4*sin(i)\", 0.1, \"1 + 0.5*cos(2*i)\"]\n"
    "        angular_velocity: [0.2, \"0.1*i\", 1]\n"
    "  - for: {i: [0, 4, 2]}\n"
    "    joints:\n"
    "      \"hinge{i}\": {type: revolute, bodies: [\"b{mod(i+5, 6)}\", \"b{i}\"],\n"
    "                     at: [\"cos(i*pi/3)\", \"sin(i*pi/3)\", \"0.2*mod(i, 2)\"], axis: [0.2, 0.1, 1]}\n"
    "      \"ball{i}\": {type: spherical, bodies: [\"b{i}\", \"b{i+1}\"],\n"
    "                    at: [\"cos((i+1)*pi/3)\", \"sin((i+1)*pi/3)\", 0.2]}\n"
    "forces:\n"
    "  s: {type: spring, bodies: [b0, b3], at1: [0, 0, 0], at2: [0, 0, 0], stiffness: 30, damping: 2,\n"
    "      free_length: 1.2}\n";

/* three levels of hinged bars */
static const char binary_tree[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  n1: {mass: 2, inertia: [0.01, 0.2, 0.2], between: [[0, 0, 0], [0, 0, 1]]}\n"
    "joints:\n"
    "  j1: {type: spherical, bodies: [ground, n1], at: [0, 0, 0]}\n"
    "repeat:\n"
    "  - for: {i: [2, 15]}\n"
    "    bodies:\n"
    "      \"n{i}\": {mass: 1, inertia: [0.01, 0.05, 0.055], com: [0.02, 0.01, 0],\n"
    "                 at: [\"0.5*(i - 8)\", \"0.2*mod(i, 3)\", \"1 + floor(log(i)/log(2) + 0.01)\"]}\n"
    "    joints:\n"
    "      \"j{i}\": {type: revolute, bodies: [\"n{floor(i/2)}\", \"n{i}\"],\n"
    "                 at: [\"0.4*(i - 8)\", \"0.2*mod(i, 3)\", \"0.6 + floor(log(i)/log(2) + 0.01)\"],\n"
    "                 axis: [\"cos(i)\", \"sin(i)\", \"0.3*mod(i, 2)\"]}\n"
    "forces:\n"
    "  s: {type: spring, bodies: [n8, n15], at1: [0, 0, 0], at2: [0, 0, 0], stiffness: 4, damping: 1}\n";

/* wheels on shafts tied by teeth, a rack, and a weighted sum */
static const char gear_train[] =
    "gravity: [0, -3, -9.81]\n"
    "bodies:\n"
    "  w1:   {mass: 1, inertia: [0.02, 0.021, 0.04], com: [0.02, 0, 0], at: [0, 0, 0],\n"
    "         angular_velocity: [0, 0, 3]}\n"
    "  w2:   {mass: 2, inertia: [0.05, 0.06, 0.09], com: [0, 0.03, 0], at: [0.5, 0, 0]}\n"
    "  w3:   {mass: 0.5, inertia: [0.01, 0.011, 0.015], com: [0.01, 0, 0.02], at: [1, 0.1, 0]}\n"
    "  rack: {mass: 1.5, inertia: [0.03, 0.02, 0.04], at: [0, 0.8, 0]}\n"
    "joints:\n"
    "  s1:   {type: revolute, bodies: [ground, w1], at: [0, 0, 0], axis: z}\n"
    "  s2:   {type: revolute, bodies: [ground, w2], at: [0.5, 0, 0], axis: z}\n"
    "  s3:   {type: cylindrical, bodies: [w2, w3], at: [1, 0.1, 0], axis: [0.1, 1, 0.3]}\n"
    "  s4:   {type: prismatic, bodies: [rack, ground], at: [0, 0.8, 0], axis: [1, 0, 0.5]}\n"
    "  mesh: {type: gear, joints: [s1, s2], radii: [0.2, 0.3]}\n"
    "  teeth: {type: rack_pinion, joints: [s2, s4], radius: 0.3}\n"
    "  sum:  {type: coupler, joints: [s1, s3], coordinates: [angle, displacement],\n"
    "         factors: [0.1, 1], value: \"0.05*sin(2*t)\"}\n"
    "forces:\n"
    "  motor: {type: joint_force, joint: s1, force: \"0.3 - 0.05*rate\"}\n";

/* disk and ball rolling on planes; nonholonomic rows */
static const char rolling[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  disk: {mass: 2, inertia: [0.09, 0.09, 0.18], at: [0, 0, \"0.3*cos(0.35)\"],\n"
    "         orientation: {x: x, z: [0, \"cos(0.35)\", \"sin(0.35)\"]}, angular_velocity: [0, 4, 1]}\n"
    "  ball: {mass: 3, inertia: [0.05, 0.06, 0.07], com: [0.01, 0.02, 0], at: [2, 0, 0.2],\n"
    "         angular_velocity: [1, 2, 0.5]}\n"
    "joints:\n"
    "  edge: {type: rolling_disk, bodies: [ground, disk], at: [0, 0, \"0.3*cos(0.35)\"],\n"
    "         axis: [0, \"cos(0.35)\", \"sin(0.35)\"], radius: 0.3}\n"
    "  skin: {type: rolling_sphere, bodies: [ground, ball], at: [2, 0, 0.2], radius: 0.2}\n"
    "  steer: {type: steering, bodies: [ground, ball], at1: [0, 0, 0], at2: [0.01, 0, 0.02], axis: z,\n"
    "          slope: \"0.3*sin(2*t)\"}\n"
    "forces:\n"
    "  s: {type: spring, bodies: [disk, ball], at1: [0, 0, 0], at2: [0, 0, 0], stiffness: 10}\n";

/* every joint that is only a constraint, and prescribed motions; redundant nowhere */
static const char constraint_zoo[] =
    "gravity: [0.2, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.12, 0.15], com: [0.02, 0.01, 0.03], at: [0, 0, 1]}\n"
    "  b: {mass: 1.5, inertia: [0.2, 0.12, 0.15, 0.01, 0, 0.02], at: [1, 0.2, 1.1],\n"
    "      orientation: {euler: [0.3, 0.1, 0.2]}}\n"
    "  c: {mass: 0.8, inertia: [0.1, 0.09, 0.15], at: [2, 0.1, 1.2]}\n"
    "  d: {mass: 1.2, inertia: [0.11, 0.12, 0.1], com: [0, 0.05, 0], at: [3, 0, 0.9]}\n"
    "  e: {mass: 1.1, inertia: [0.1, 0.12, 0.1], at: [4, 0.3, 1], velocity: [0.2, 0, 0.1]}\n"
    "  f: {mass: 0.9, inertia: [0.08, 0.12, 0.1], at: [5, 0.2, 1.3]}\n"
    "  g: {mass: 1, inertia: [0.1, 0.11, 0.12], at: [6, 0, 1]}\n"
    "  h: {mass: 1, inertia: [0.1, 0.11, 0.13], com: [0.1, 0, 0], at: [7, 0.1, 1]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, a], at: [0, 0, 1.2], axis: [0.1, 1, 0]}\n"
    "  line:  {type: inline, bodies: [a, b], at: [0.7, 0.1, 1], axis: [0.2, 0.1, 1]}\n"
    "  flat:  {type: inplane, bodies: [ground, b], at: [1.2, 0.3, 1.2], axis: [0.1, 0.2, 1]}\n"
    "  rod:   {type: distance, bodies: [b, c], at1: [0.1, 0, 0.2], at2: [-0.2, 0.1, 0]}\n"
    "  rs:    {type: revolute_spherical, bodies: [c, d], at1: [0.2, 0, 0], at2: [-0.3, 0.1, 0],\n"
    "          axis: [0, 0.3, 1]}\n"
    "  rr:    {type: revolute_revolute, bodies: [d, e], at1: [0.2, 0, 0.1], at2: [-0.3, 0.1, 0],\n"
    "          axis: [0, 0, 1]}\n"
    "  cv:    {type: constant_velocity, bodies: [e, f], at: [4.5, 0.2, 1.1], axis: x}\n"
    "  par:   {type: parallel, bodies: [f, g], axis: [0, 1, 0.2]}\n"
    "  perp:  {type: perpendicular, bodies: [ground, g], axis1: [1, 0, 0], axis2: [0, 0, 1]}\n"
    "  same:  {type: orientation, bodies: [g, h]}\n"
    "  wire:  {type: curve, bodies: [ground, h], at2: [0.1, 0, 0],\n"
    "          points: [[6.5, 0, 0.8], [7.1, 0.1, 1], [7.6, 0.4, 1.3], [8.3, 0.3, 1.2]]}\n"
    "drive:\n"
    "  - {name: turn, joint: hinge, motion: \"0.4*t + 0.1*sin(3*t)\"}\n"
    "  - {name: lift, point: g, direction: z, motion: \"1 + 0.1*t^2\"}\n"
    "forces:\n"
    "  s1: {type: spring, bodies: [a, h], at1: [0, 0, 0], at2: [0, 0, 0], stiffness: 5, damping: 0.4}\n"
    "  s2: {type: bushing, bodies: [c, f], at: [3.5, 0, 1], axis: [1, 1, 0],\n"
    "       stiffness: [30, 40, 50, 3, 4, 5], damping: [1, 2, 3, 0.1, 0.2, 0.3]}\n";

#endif
