/* tests/verify/held_out.h - published mechanisms that no share was chosen with, as YAML
 *
 * Each is drawn once with eight factors a1 .. a8 between 0.8 and 1.25 (tests/verify/tolerances.c). They judge the shares; whoever
 * changes a share, an estimate or an iteration because of what a method does here has to draw others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_VERIFY_HELD_OUT_H
#define TN_VERIFY_HELD_OUT_H

/* flyball governor: arms hinged to a spindle, rods to the collar are springs with dampers */
#define GOVERNOR(K, C)                                                                                                  \
  "gravity: [0, 0, -9.81]\n"                                                                                           \
  "bodies:\n"                                                                                                          \
  "  spindle: {mass: 20, inertia: [1, 1, 0.12*a1], at: [0, 0, 0.5], angular_velocity: [0, 0, 9*a2]}\n"                 \
  "  collar: {mass: 1.5*a3, inertia: [0.03, 0.03, 0.04], at: [0, 0, 0.55]}\n"                                          \
  "  left: {mass: 1.2, inertia: [0.002, 0.03, 0.03], between: [[-0.05, 0, 1], [-0.35*a4, 0, 0.65]]}\n"                 \
  "  right: {mass: 1.2*a5, inertia: [0.002, 0.03, 0.03], between: [[0.05, 0, 1], [0.35*a4, 0, 0.65]]}\n"               \
  "joints:\n"                                                                                                          \
  "  bearing: {type: revolute, bodies: [ground, spindle], at: [0, 0, 0], axis: z}\n"                                   \
  "  guide: {type: prismatic, bodies: [spindle, collar], at: [0, 0, 0.55], axis: z}\n"                                 \
  "  l: {type: revolute, bodies: [spindle, left], at: [-0.05, 0, 1], axis: y}\n"                                       \
  "  r: {type: revolute, bodies: [spindle, right], at: [0.05, 0, 1], axis: y}\n"                                       \
  "forces:\n"                                                                                                          \
  "  s: {type: spring, bodies: [spindle, collar], at1: [0, 0, 0.5], at2: [0, 0, 0], stiffness: 900*a6, damping: 6,\n"  \
  "      free_length: 0.5}\n"                                                                                          \
  "  kl: {type: spring, bodies: [left, collar], at1: [0, 0, 0], at2: [-0.05, 0, 0], stiffness: " K ", damping: " C "}\n" \
  "  kr: {type: spring, bodies: [right, collar], at1: [0, 0, 0], at2: [0.05, 0, 0], stiffness: " K ", damping: " C "}\n"

static const struct {
  const char *name, *text;
  double until;
} held_out[] = {
    {"governor with soft rods", GOVERNOR("3000*a7", "20*a8"), 2},
    {"governor with stiff rods", GOVERNOR("8e5*a7", "4e4*a8"), 2},
    {"Bricard's mechanism",
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  b1: {mass: 1*a1, inertia: [0.002, 0.08, 0.08], between: [[0, 0, 0], [1, 0, 0]]}\n"
     "  b2: {mass: 1*a2, inertia: [0.002, 0.08, 0.08], between: [[1, 0, 0], [1, -1, 0]]}\n"
     "  b3: {mass: 1*a3, inertia: [0.002, 0.08, 0.08], between: [[1, -1, 0], [1, -1, 1]]}\n"
     "  b4: {mass: 1*a4, inertia: [0.002, 0.08, 0.08], between: [[1, -1, 1], [0, -1, 1]]}\n"
     "  b5: {mass: 1*a5, inertia: [0.002, 0.08, 0.08], between: [[0, -1, 1], [0, 0, 1]]}\n"
     "joints:\n"
     "  j1: {type: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: y}\n"
     "  j2: {type: revolute, bodies: [b1, b2], at: [1, 0, 0], axis: z}\n"
     "  j3: {type: revolute, bodies: [b2, b3], at: [1, -1, 0], axis: x}\n"
     "  j4: {type: revolute, bodies: [b3, b4], at: [1, -1, 1], axis: y}\n"
     "  j5: {type: revolute, bodies: [b4, b5], at: [0, -1, 1], axis: z}\n"
     "  j6: {type: revolute, bodies: [b5, ground], at: [0, 0, 1], axis: x}\n", 1.2},
    {"Furuta's pendulum",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  arm: {mass: 0.3*a1, inertia: [0.0002, 0.002, 0.002], between: [[0, 0, 0], [0.25*a2, 0, 0]], angular_velocity: [0, 0, 4*a3]}\n"
     "  rod: {mass: 0.15*a4, inertia: [0.00005, 0.0015, 0.0015], between: [[0.25*a2, 0, 0], [0.25*a2, 0.1*a5, -0.3]]}\n"
     "joints:\n"
     "  motor: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: z}\n"
     "  hinge: {type: revolute, bodies: [arm, rod], at: [0.25*a2, 0, 0], axis: x}\n"
     "forces: {friction: {type: joint_force, joint: motor, force: \"-0.002*a6*rate\"}}\n", 2},
    {"gyroscope in gimbals",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  outer: {mass: 0.4*a1, inertia: [0.003, 0.003, 0.002], angular_velocity: [0, 0, 0.7*a2]}\n"
     "  inner: {mass: 0.2*a3, inertia: [0.001, 0.0008, 0.0009], com: [0, 0, 0.02*a4]}\n"
     "  rotor: {mass: 0.8, inertia: [0.002, 0.002, 0.0035*a5], angular_velocity_body: [0, 0.5*a7, 60*a6]}\n"
     "joints:\n"
     "  a: {type: revolute, bodies: [ground, outer], at: [0, 0, 0], axis: x}\n"
     "  b: {type: revolute, bodies: [outer, inner], at: [0, 0, 0], axis: y}\n"
     "  c: {type: revolute, bodies: [inner, rotor], at: [0, 0, 0], axis: z}\n", 1.5},
    {"Stewart's platform on elastic legs",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {top: {mass: 6*a1, inertia: [0.2, 0.22, 0.4], at: [0, 0, 0.8], velocity: [0.2*a2, 0, 0.3], angular_velocity: [0, 0.4, 0.5*a3]}}\n"
     "repeat:\n"
     "  - for: {i: [0, 5]}\n"
     "    forces:\n"
     "      \"leg{i}\": {type: spring, bodies: [ground, top], at1: [\"0.6*cos(pi/3*floor((i + 1)/2)*2)\", \"0.6*sin(pi/3*floor((i + 1)/2)*2)\", 0],\n"
     "                 at2: [\"0.3*cos(pi/3*(2*floor(i/2) + 1))\", \"0.3*sin(pi/3*(2*floor(i/2) + 1))\", 0],\n"
     "                 stiffness: \"2000*a4*(1 + 0.1*i)\", damping: 30*a5}\n", 2},
    {"platform on five rods",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {top: {mass: 6*a1, inertia: [0.2, 0.22, 0.4], at: [0, 0, 0.8]}}\n"
     "repeat:\n"
     "  - for: {i: [0, 4]}\n"
     "    joints:\n"
     "      \"leg{i}\": {type: distance, bodies: [ground, top], at1: [\"0.6*cos(pi/3*floor((i + 1)/2)*2)\", \"0.6*sin(pi/3*floor((i + 1)/2)*2)\", 0],\n"
     "                 at2: [\"0.3*cos(pi/3*(2*floor(i/2) + 1))\", \"0.3*sin(pi/3*(2*floor(i/2) + 1))\", 0]}\n"
     "forces:\n"
     "  s: {type: spring, bodies: [ground, top], at1: [0.3*a2, -0.2, 0], at2: [0.2, 0.1*a3, 0], stiffness: 700*a4, damping: 3*a5,\n"
     "      free_length: 0.9}\n", 1.5},
    {"Stephenson's six-bar",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  crank: {mass: 0.6, inertia: 0.01, between: [[0, 0], [0.1*a1, 0.25*a2]], angular_velocity: [0, 0, 5*a3]}\n"
     "  coupler: {mass: 1.2, inertia: 0.05, between: [[0.1*a1, 0.25*a2], [0.8, 0.6*a4]]}\n"
     "  rocker: {mass: 0.9, inertia: 0.04, between: [[0.8, 0.6*a4], [0.9, 0]]}\n"
     "  link: {mass: 0.7, inertia: 0.03, between: [[0.4, 0.8*a5], [1.1, 0.9]]}\n"
     "  output: {mass: 0.8, inertia: 0.03, between: [[1.1, 0.9], [1.4, 0.1]]}\n"
     "joints:\n"
     "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
     "  b: {type: revolute, bodies: [crank, coupler], at: [0.1*a1, 0.25*a2]}\n"
     "  c: {type: revolute, bodies: [coupler, rocker], at: [0.8, 0.6*a4]}\n"
     "  d: {type: revolute, bodies: [ground, rocker], at: [0.9, 0]}\n"
     "  e: {type: revolute, bodies: [coupler, link], at: [0.4, 0.8*a5]}\n"
     "  f: {type: revolute, bodies: [link, output], at: [1.1, 0.9]}\n"
     "  g: {type: revolute, bodies: [output, ground], at: [1.4, 0.1]}\n", 1},
    {"Whitworth's quick return",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  crank: {mass: 1*a1, inertia: 0.03, between: [[0, 0], [0.2, 0.05]], angular_velocity: [0, 0, 7*a2]}\n"
     "  block: {mass: 0.2*a3, inertia: 0.001, at: [0.2, 0.05]}\n"
     "  arm: {mass: 0.8*a4, inertia: 0.08, at: [0, -0.5], orientation: \"atan2(0.55, 0.2)\", com: [0.5, 0]}\n"
     "joints:\n"
     "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
     "  b: {type: revolute, bodies: [crank, block], at: [0.2, 0.05]}\n"
     "  c: {type: prismatic, bodies: [arm, block], at: [0.2, 0.05], axis: [0.2, 0.55, 0]}\n"
     "  d: {type: revolute, bodies: [ground, arm], at: [0, -0.5]}\n", 1.5},
    {"Scotch yoke",
     "planar: true\n"
     "bodies:\n"
     "  crank: {mass: 1, inertia: 0.02*a1, between: [[0, 0], [0.1, 0.1*a2]], angular_velocity: [0, 0, 12*a3]}\n"
     "  block: {mass: 0.1, inertia: 0.001, at: [0.1, 0.1*a2]}\n"
     "  yoke: {mass: 0.9*a4, inertia: 0.01, at: [0.1, 0]}\n"
     "joints:\n"
     "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
     "  b: {type: revolute, bodies: [crank, block], at: [0.1, 0.1*a2]}\n"
     "  c: {type: prismatic, bodies: [yoke, block], at: [0.1, 0.1*a2], axis: y}\n"
     "  d: {type: prismatic, bodies: [ground, yoke], at: [0.1, 0], axis: x}\n"
     "forces: {s: {type: joint_force, joint: d, force: \"-80*a5*value - 1.5*a6*rate\"}}\n", 2},
    {"cardan shaft",
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  driver: {mass: 2, inertia: [0.02*a1, 0.02, 0.02], at: [-0.2, 0, 0], angular_velocity: [15*a2, 0, 0]}\n"
     "  shaft: {mass: 1.5, inertia: [0.003*a3, 0.1, 0.1], between: [[0, 0, 0], [0.8, 0.35*a4, 0]]}\n"
     "  driven: {mass: 3, inertia: [0.03*a5, 0.03, 0.03], at: [1, 0.35*a4, 0]}\n"
     "joints:\n"
     "  b1: {type: revolute, bodies: [ground, driver], at: [-0.2, 0, 0], axis: x}\n"
     "  u1: {type: universal, bodies: [driver, shaft], at: [0, 0, 0], axis1: y, axis2: z}\n"
     "  u2: {type: universal, bodies: [shaft, driven], at: [0.8, 0.35*a4, 0], axis1: z, axis2: [0, 1, 0]}\n"
     "  b2: {type: cylindrical, bodies: [ground, driven], at: [1, 0.35*a4, 0], axis: x}\n"
     "forces: {load: {type: torque, body: driven, torque: [\"-0.05*a6*wx(driven)\", 0, 0]}}\n", 1},
    {"swinging Atwood machine",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  pulley: {mass: 0.1*a1, inertia: 0.002, at: [0, 0], orientation: -0.6*a2}\n"
     "  bob: {mass: 1, inertia: 0.001, at: [\"0.7*cos(0.6*a2)\", \"-0.7*sin(0.6*a2)\"], orientation: -0.6*a2}\n"
     "  weight: {mass: 2.2*a3, inertia: 0.01, at: [-1, -1]}\n"
     "joints:\n"
     "  turn: {type: revolute, bodies: [ground, pulley], at: [0, 0]}\n"
     "  string: {type: prismatic, bodies: [pulley, bob], at: [0, 0], axis: [\"cos(0.6*a2)\", \"-sin(0.6*a2)\", 0]}\n"
     "  fall: {type: prismatic, bodies: [ground, weight], at: [-1, 0], axis: -y}\n"
     "  rope: {type: coupler, joints: [string, fall], factors: [1, 1]}\n", 1.2},
    {"trebuchet",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  beam: {mass: 60*a1, inertia: 150, between: [[-1.2, 2.2], [3.5*a2, 0.8]]}\n"
     "  box: {mass: 900*a3, inertia: 60, at: [-1.2, 1.5]}\n"
     "  sling: {mass: 12*a4, inertia: 1, between: [[3.5*a2, 0.8], [1.2, 0.1*a5]]}\n"
     "joints:\n"
     "  axle: {type: revolute, bodies: [ground, beam], at: [0, 2]}\n"
     "  hang: {type: revolute, bodies: [beam, box], at: [-1.2, 2.2]}\n"
     "  hook: {type: revolute, bodies: [beam, sling], at: [3.5*a2, 0.8]}\n", 1.2},
    {"Kapitza's pendulum",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n  base: {mass: 1, inertia: 0.1}\n"
     "  rod: {mass: 0.4*a1, inertia: 0.004, com: [0.15*a2, 0], at: [0, 0], orientation: 1.3*a3}\n"
     "joints:\n  j: {type: prismatic, bodies: [ground, base], at: [0, 0], axis: y}\n"
     "  h: {type: revolute, bodies: [base, rod], at: [0, 0]}\n"
     "drive: {d: {joint: j, motion: \"0.02*a4*sin(90*a5*t)\"}}\n"
     "forces: {f: {type: joint_force, joint: h, force: \"-0.002*a6*rate\"}}\n", 1},
    {"planetary gear",
     "bodies:\n"
     "  carrier: {mass: 1, inertia: [0.02, 0.02, 0.03*a1], com: [0.03*a2, 0, 0]}\n"
     "  sun: {mass: 0.7, inertia: [0.004, 0.004, 0.006*a3], angular_velocity: [0, 0, 20*a4]}\n"
     "  planet: {mass: 0.4*a5, inertia: [0.001, 0.001, 0.0015], at: [0.15, 0, 0]}\n"
     "joints:\n"
     "  c: {type: revolute, bodies: [ground, carrier], at: [0, 0, 0], axis: z}\n"
     "  s: {type: revolute, bodies: [carrier, sun], at: [0, 0, 0], axis: z}\n"
     "  p: {type: revolute, bodies: [carrier, planet], at: [0.15, 0, 0], axis: z}\n"
     "  mesh: {type: gear, joints: [s, p], radii: [0.1, 0.05]}\n"
     "  ring: {type: gear, joints: [c, p], ratio: -4}\n"
     "forces: {load: {type: torsion_spring, joint: c, stiffness: 3*a6, damping: 0.05*a7}}\n", 1.5},
    {"ball with its centre of mass aside",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {ball: {mass: 2*a1, inertia: [0.02, 0.025*a2, 0.03], com: [0.03*a3, 0.01, -0.02*a4], at: [0, 0, 0.2], angular_velocity: [2, 4*a5, 1]}}\n"
     "joints: {floor: {type: rolling_sphere, bodies: [ground, ball], at: [0, 0, 0.2], radius: 0.2}}\n", 1.5},
    {"engine on bushings",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {engine: {mass: 80*a1, inertia: [3, 5*a2, 6], com: [0.02, 0.05*a3, 0.1]}}\n"
     "forces:\n"
     "  m1: {type: bushing, bodies: [ground, engine], at: [0.4, 0.3, -0.1], axis: z, stiffness: [2e4, 2e4, 6e4*a4, 30, 30, 20], damping: [90, 90, 200*a5, 1, 1, 1]}\n"
     "  m2: {type: bushing, bodies: [ground, engine], at: [-0.4, 0.3, -0.1], axis: z, stiffness: [2e4, 2e4, 5e4, 30, 30, 20], damping: [90, 90, 200, 1, 1, 1]}\n"
     "  m3: {type: bushing, bodies: [ground, engine], at: [0, -0.4, 0], axis: y, stiffness: [3e4, 2e4*a6, 5e4, 30, 30, 20], damping: [90, 90, 150, 1, 1, 1]}\n"
     "  shake: {type: force, body: engine, force: [0, \"150*a7*sin(60*t)\", \"300*sin(120*t)\"]}\n", 1},
    {"toggle press",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  upper: {mass: 1.1*a1, inertia: 0.02, between: [[0, 1], [0.12*a2, 0.6]]}\n"
     "  lower: {mass: 1, inertia: 0.02, between: [[0.12*a2, 0.6], [0, 0.2]]}\n"
     "  ram: {mass: 3*a3, inertia: 0.1, at: [0, 0.2]}\n"
     "joints:\n"
     "  a: {type: revolute, bodies: [ground, upper], at: [0, 1]}\n"
     "  b: {type: revolute, bodies: [upper, lower], at: [0.12*a2, 0.6]}\n"
     "  c: {type: revolute, bodies: [lower, ram], at: [0, 0.2]}\n"
     "  d: {type: prismatic, bodies: [ground, ram], at: [0, 0.2], axis: y}\n"
     "forces:\n"
     "  s: {type: spring, bodies: [ground, ram], at1: [0, -0.5], at2: [0, 0], stiffness: 900*a4, damping: 8*a5, free_length: 0.75}\n"
     "  pull: {type: force, body: upper, force: [\"-25*a6*sin(5*t)\", 0, 0]}\n", 1.5},
    {"plucked string of masses",
     "planar: true\n"
     "repeat:\n"
     "  - for: {i: [1, 6]}\n"
     "    bodies:\n"
     "      \"m{i}\": {mass: 0.2*a1, inertia: 0.001, at: [\"0.2*i\", \"0.05*a2*if(i < 4, i/3, (7 - i)/4)\"]}\n"
     "  - for: {i: [1, 5]}\n"
     "    forces:\n"
     "      \"s{i}\": {type: spring, bodies: [\"m{i}\", \"m{i+1}\"], at1: [0, 0], at2: [0, 0], stiffness: 500*a3, damping: 0.4*a4, free_length: 0.15}\n"
     "forces:\n"
     "  l: {type: spring, bodies: [ground, m1], at1: [0, 0], at2: [0, 0], stiffness: 500*a3, damping: 0.4, free_length: 0.15}\n"
     "  r: {type: spring, bodies: [ground, m6], at1: [1.4, 0], at2: [0, 0], stiffness: 500*a3, damping: 0.4, free_length: 0.15}\n", 1},
    {"tethered satellites",
     "bodies:\n"
     "  a: {mass: 5*a1, inertia: [0.3, 0.4, 0.5], at: [0, 0, 0], velocity: [0, 0.5*a2, 0], angular_velocity: [0.3, 0.2*a3, 0.6]}\n"
     "  b: {mass: 2, inertia: [0.1, 0.15*a4, 0.2], at: [2, 0, 0], velocity: [0, -1.2*a5, 0.1], angular_velocity: [0.5, 1, 0]}\n"
     "forces: {tether: {type: spring, bodies: [a, b], at1: [0.4, 0, 0.1], at2: [-0.3, 0.1, 0], stiffness: 60*a6, damping: 1.2*a7, free_length: 1.2}}\n", 3},
    {"wheel on a swing arm",
     "planar: true\ngravity: [0, -9.81]\n"
     "bodies:\n"
     "  frame: {mass: 30*a1, inertia: 4, at: [0, 0.7], velocity: [0, -0.5*a2, 0]}\n"
     "  arm: {mass: 2, inertia: 0.05, between: [[0, 0.5], [0.5, 0.35*a3]]}\n"
     "  wheel: {mass: 4, inertia: 0.2*a4, at: [0.5, 0.35*a3], angular_velocity: [0, 0, -10*a5]}\n"
     "joints:\n"
     "  rail: {type: prismatic, bodies: [ground, frame], at: [0, 0.7], axis: y}\n"
     "  pivot: {type: revolute, bodies: [frame, arm], at: [0, 0.5]}\n"
     "  hub: {type: revolute, bodies: [arm, wheel], at: [0.5, 0.35*a3]}\n"
     "forces:\n"
     "  strut: {type: spring, bodies: [frame, arm], at1: [0.3, 0.4], at2: [0.1, 0], stiffness: 9000*a6, damping: 250*a7, free_length: 0.75}\n"
     "  tyre: {type: spring, bodies: [ground, wheel], at1: [0.5, -0.6], at2: [0, 0], stiffness: 4e4*a8, damping: 40, free_length: 0.95}\n", 1.5}};

#endif
