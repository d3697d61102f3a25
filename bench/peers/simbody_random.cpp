/* bench/peers/simbody_random.cpp - accelerations and reactions of random mechanisms, by Simbody
 *
 *   simbody_random < states.txt        (written by bench_random_states, which says what a line holds)
 *
 * Joints that Simbody has a mobilizer for carry bodies in a tree, from the ground on; the others, and those that close
 * loops, are constraints. Places and velocities are Tenon's; what is compared is what both make of them: accelerations
 * of all bodies, and reactions of joints where they are unique. Frames are laid such that every mobilizer stands at
 * zero, so that no convention about angles is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <Simbody.h>

#include <iostream>
#include <map>

#include "peers.h"

using namespace SimTK;

namespace {

Vec3 read_vector(std::istream &in) {
  double x[3] = {0};
  in >> x[0] >> x[1] >> x[2];
  return Vec3(x[0], x[1], x[2]);
}
/* row by row */
Mat33 read_matrix(std::istream &in) {
  double x[9] = {0};
  for (double &y : x) in >> y;
  return Mat33(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
}

struct body {
  double mass;
  Mat33 inertia;
  Vec3 r;
  Rotation A;
  Vec3 v, w, force, torque, a, alpha;
};
struct joint {
  std::string type;
  int body[2];
  double pitch;
  bool unique;
  Transform frame[2];
  Vec3 F, T;
  bool tree = false, forward = true;
  std::vector<Constraint> rows;
};
struct mechanism {
  long number;
  bool planar;
  Vec3 gravity;
  std::vector<body> bodies;
  std::vector<joint> joints;
};

bool read(std::istream &in, mechanism &m) {
  std::string word;
  int nbody, njoint;
  if (!(in >> word)) return false;
  in >> m.number >> m.planar >> nbody >> njoint;
  m.gravity = read_vector(in);
  m.bodies.resize(std::size_t(nbody));
  m.joints.assign(std::size_t(njoint), joint());
  for (body &b : m.bodies) {
    in >> word >> b.mass;
    b.inertia = read_matrix(in);
    b.r = read_vector(in);
    b.A = Rotation(read_matrix(in));
    for (Vec3 *x : {&b.v, &b.w, &b.force, &b.torque, &b.a, &b.alpha}) *x = read_vector(in);
  }
  for (joint &j : m.joints) {
    in >> word >> j.type >> j.body[0] >> j.body[1] >> j.pitch >> j.unique;
    for (Transform &f : j.frame) {
      const Vec3 p = read_vector(in);
      f = Transform(Rotation(read_matrix(in)), p);
    }
    j.F = read_vector(in);
    j.T = read_vector(in);
  }
  return bool(in);
}

class model {
public:
  explicit model(mechanism &which) : m(which) {
    for (std::size_t i = 0; i < m.bodies.size(); i++) at.push_back(MobilizedBody());
    attached.assign(m.bodies.size(), false);
    while (grow()) continue;
    for (joint &j : m.joints)
      if (!j.tree) add_rows(j);
    state = system.realizeTopology();
    system.realizeModel(state);
    set_velocities();
    for (std::size_t i = 0; i < m.bodies.size(); i++) {
      const body &b = m.bodies[i];
      loads.setOneBodyForce(state, at[i], SpatialVec(b.torque, b.force + b.mass*m.gravity));
    }
    system.realize(state, Stage::Acceleration);
  }

  /* largest difference of the velocities, which both were told, and of the accelerations, relative to the largest */
  double velocity_error() const { return compare(0); }
  double acceleration_error() const { return compare(1); }

  /* of the reactions, relative to the largest load, weight or reaction of the model; counts those compared */
  double reaction_error(long &count) const {
    Vector_<SpatialVec> on_child;
    matter.calcMobilizerReactionForces(state, on_child); /* at the frame M, in ground */
    double worst = 0, size = 1e-9;
    for (const body &b : m.bodies) size = std::max(size, b.mass*(b.a.norm() + m.gravity.norm()) + b.force.norm());
    for (const joint &j : m.joints) size = std::max(size, std::max(j.F.norm(), j.T.norm()));
    for (const joint &j : m.joints) {
      if (!j.unique) continue;
      const Vec3 p1 = place(j.body[1], j.frame[1].p());
      SpatialVec reaction(Vec3(0), Vec3(0)); /* torque about p1 and force on body 1 */
      if (j.tree) {
        const MobilizedBody &child = body_of(j.body[j.forward ? 1 : 0]);
        const SpatialVec x = on_child[child.getMobilizedBodyIndex()];
        const Vec3 from = child.getBodyTransform(state)*child.getOutboardFrame(state).p() - p1;
        reaction = (j.forward ? 1.0 : -1.0)*SpatialVec(x[0] + cross(from, x[1]), x[1]);
      }
      for (const Constraint &c : j.rows) {
        const Vector_<SpatialVec> x = c.getConstrainedBodyForcesAsVector(state); /* with the opposite sign */
        const MobilizedBodyIndex want = body_of(j.body[1]).getMobilizedBodyIndex();
        for (ConstrainedBodyIndex k(0); k < c.getNumConstrainedBodies(); k++) {
          if (c.getMobilizedBodyFromConstrainedBody(k).getMobilizedBodyIndex() != want) continue;
          const Vec3 from = body_of(j.body[1]).getBodyOriginLocation(state) - p1;
          reaction -= SpatialVec(x[int(k)][0] + cross(from, x[int(k)][1]), x[int(k)][1]);
        }
      }
      Vec3 force = reaction[1] - j.F, torque = reaction[0] - j.T;
      if (m.planar) force[2] = torque[0] = torque[1] = 0; /* Tenon has no such rows */
      worst = std::max(worst, std::max(force.norm(), torque.norm())/size);
      count++;
    }
    return worst;
  }

private:
  mechanism &m;
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::DiscreteForces loads{forces, matter};
  State state;
  std::vector<MobilizedBody> at;
  std::vector<bool> attached;

  MobilizedBody &body_of(int i) { return i < 0 ? matter.updGround() : at[std::size_t(i)]; }
  const MobilizedBody &body_of(int i) const { return i < 0 ? matter.getGround() : at[std::size_t(i)]; }
  Transform pose(int i) const { return i < 0 ? Transform() : Transform(m.bodies[std::size_t(i)].A, m.bodies[std::size_t(i)].r); }
  Vec3 place(int i, const Vec3 &p) const { return pose(i)*p; }
  bool is_attached(int i) const { return i < 0 || attached[std::size_t(i)]; }

  Body::Rigid rigid(int i) const {
    const body &b = m.bodies[std::size_t(i)];
    /* in the plane only the last moment counts, and Simbody wants a possible body */
    const double z = b.inertia(2, 2);
    const Mat33 I = m.planar ? Mat33(z, 0, 0, 0, z, 0, 0, 0, z) : b.inertia;
    return Body::Rigid(MassProperties(b.mass, Vec3(0), Inertia(SymMat33(I(0, 0), I(1, 0), I(1, 1), I(2, 0), I(2, 1), I(2, 2)))));
  }

  /* one more body on the tree: by a joint, or free; false: there is none left */
  bool grow() {
    for (joint &j : m.joints) {
      if (j.tree || is_attached(j.body[0]) == is_attached(j.body[1])) continue;
      j.forward = is_attached(j.body[0]);
      if (!carry(j)) continue;
      j.tree = true;
      attached[std::size_t(j.body[j.forward ? 1 : 0])] = true;
      return true;
    }
    for (std::size_t i = 0; i < m.bodies.size(); i++) {
      if (attached[i]) continue;
      const Transform here = pose(int(i));
      if (m.planar) at[i] = MobilizedBody::Planar(matter.updGround(), Transform(here.p()), rigid(int(i)), Transform(~here.R()));
      else at[i] = MobilizedBody::Free(matter.updGround(), here, rigid(int(i)), Transform());
      attached[i] = true;
      return true;
    }
    return false;
  }

  /* F on the parent is the frame of the joint there, M on the child the same place now: all coordinates are zero */
  bool carry(const joint &j) {
    const int parent = j.body[j.forward ? 0 : 1], child = j.body[j.forward ? 1 : 0];
    Transform F = j.frame[j.forward ? 0 : 1];
    /* Simbody slides along x, Tenon along z */
    if (j.type == "prismatic") F = Transform(F.R()*Rotation(UnitVec3(ZAxis), XAxis, Vec3(YAxis), YAxis), F.p());
    /* a plane is that of the first body, a spherical joint has its point, and so on: what the second holds is its own */
    const Transform M = ~pose(child)*(pose(parent)*F);
    MobilizedBody &p = body_of(parent);
    const Body::Rigid b = rigid(child);
    MobilizedBody &c = at[std::size_t(child)];
    if (j.type == "fixed") c = MobilizedBody::Weld(p, F, b, M);
    else if (j.type == "revolute") c = MobilizedBody::Pin(p, F, b, M);
    else if (j.type == "prismatic") c = MobilizedBody::Slider(p, F, b, M);
    else if (j.type == "cylindrical") c = MobilizedBody::Cylinder(p, F, b, M);
    else if (j.type == "spherical") c = MobilizedBody::Ball(p, F, b, M);
    else if (j.type == "screw") c = MobilizedBody::Screw(p, F, b, M, j.pitch/(2*Pi));
    else if (j.type == "planar" && j.forward) {
      /* rotation about the normal through the point of the second body */
      const Transform at_point(F.R(), ~pose(parent)*place(child, j.frame[1].p()));
      c = MobilizedBody::Planar(p, at_point, b, ~pose(child)*(pose(parent)*at_point));
    } else {
      return false;
    }
    return true;
  }

  UnitVec3 axis(const joint &j, int end, int k) const { return UnitVec3(j.frame[end].R().col(k)); }

  void add_rows(joint &j) {
    MobilizedBody &b0 = body_of(j.body[0]), &b1 = body_of(j.body[1]);
    const Vec3 p0 = j.frame[0].p(), p1 = j.frame[1].p();
    const std::string &t = j.type;
    const auto normal = [&](int k0, int k1) { j.rows.push_back(Constraint::ConstantAngle(b0, axis(j, 0, k0), b1, axis(j, 1, k1), Pi/2)); };
    const auto parallel = [&] { normal(0, 2), normal(1, 2); };
    if (t == "fixed" || t == "revolute" || t == "spherical" || t == "universal") j.rows.push_back(Constraint::Ball(b0, p0, b1, p1));
    if (t == "prismatic" || t == "cylindrical" || t == "inline")
      j.rows.push_back(Constraint::PointOnLine(b0, axis(j, 0, 2), p0, b1, p1));
    if (t == "planar" || t == "inplane")
      j.rows.push_back(Constraint::PointInPlane(b0, axis(j, 0, 2), dot(axis(j, 0, 2), p0), b1, p1));
    if (t == "distance") j.rows.push_back(Constraint::Rod(b0, p0, b1, p1, (place(j.body[0], p0) - place(j.body[1], p1)).norm()));
    if (!m.planar && (t == "fixed" || t == "revolute" || t == "prismatic" || t == "cylindrical" || t == "planar" || t == "parallel" ||
                      t == "orientation"))
      parallel();
    if (t == "fixed" || t == "prismatic" || t == "orientation") normal(0, 1);
    if (t == "universal") normal(2, 1);
    if (t == "perpendicular") normal(2, 2);
    if (t == "screw") throw std::runtime_error("a screw that closes a loop");
  }

  void set_velocities() {
    system.realize(state, Stage::Position);
    Vector u(state.getNU(), 0.0);
    for (MobilizedBodyIndex i(1); i < matter.getNumBodies(); i++) {
      /* parents come first: relative velocity of M in F from those told */
      const MobilizedBody &c = matter.getMobilizedBody(i), &p = c.getParentMobilizedBody();
      const SpatialVec vc = told(c), vp = told(p);
      const Transform F = p.getBodyTransform(state)*c.getInboardFrame(state), M = c.getBodyTransform(state)*c.getOutboardFrame(state);
      const Vec3 w = vc[0] - vp[0];
      const Vec3 v = vc[1] + cross(vc[0], M.p() - c.getBodyOriginLocation(state)) -
                     (vp[1] + cross(vp[0], M.p() - p.getBodyOriginLocation(state)));
      const int n = c.getNumU(state);
      if (n == 0) continue;
      /* columns of the mobilizer times u are that velocity, in F */
      Matrix columns(6, n);
      Vector want(6), found(n);
      for (int k = 0; k < n; k++) {
        const SpatialVec h = c.getH_FMCol(state, MobilizerUIndex(k));
        for (int r = 0; r < 6; r++) columns(r, k) = h[r/3][r%3];
      }
      const Vec3 w_F = ~F.R()*w, v_F = ~F.R()*v;
      for (int r = 0; r < 6; r++) want[r] = r < 3 ? w_F[r] : v_F[r - 3];
      FactorQTZ(columns).solve(want, found);
      for (int k = 0; k < n; k++) u[int(c.getFirstUIndex(state)) + k] = found[k];
    }
    state.updU() = u;
    system.realize(state, Stage::Velocity);
  }
  SpatialVec told(const MobilizedBody &b) const {
    for (std::size_t i = 0; i < at.size(); i++)
      if (at[i].getMobilizedBodyIndex() == b.getMobilizedBodyIndex()) return SpatialVec(m.bodies[i].w, m.bodies[i].v);
    return SpatialVec(Vec3(0), Vec3(0));
  }

  double compare(int level) const {
    double worst = 0, size = 1;
    for (std::size_t i = 0; i < at.size(); i++) {
      const body &b = m.bodies[i];
      const SpatialVec want = level ? SpatialVec(b.alpha, b.a) : SpatialVec(b.w, b.v);
      const SpatialVec got = level ? at[i].getBodyAcceleration(state) : at[i].getBodyVelocity(state);
      size = std::max(size, std::max(want[0].norm(), want[1].norm()));
      worst = std::max(worst, std::max((got[0] - want[0]).norm(), (got[1] - want[1]).norm()));
    }
    return worst/size;
  }
};

} // namespace

int main() {
  const double bound = 1e-8; /* states hold the constraints to 1e-9 */
  mechanism m;
  long models = 0, reactions = 0, left_out = 0, wrong = 0;
  double velocity = 0, acceleration = 0, reaction = 0;
  while (read(std::cin, m)) {
    try {
      model built(m);
      const double v = built.velocity_error(), a = built.acceleration_error(), r = built.reaction_error(reactions);
      models++;
      if (!(v < bound && a < bound && r < bound)) {
        std::fprintf(stderr, "model %ld differs: velocities %.1e, accelerations %.1e, reactions %.1e\n", m.number, v, a, r);
        wrong++;
      }
      velocity = std::max(velocity, v);
      acceleration = std::max(acceleration, a);
      reaction = std::max(reaction, r);
    } catch (const std::exception &e) {
      left_out++;
      std::fprintf(stderr, "model %ld left out: %.200s\n", m.number, e.what());
    }
  }
  peers::figures out;
  out.put("random.models", double(models));
  out.put("random.reactions", double(reactions));
  out.put("random.left_out", double(left_out));
  out.put("random.differ", double(wrong));
  out.put("random.velocity_difference", velocity);
  out.put("random.acceleration_difference", acceleration);
  out.put("random.reaction_difference", reaction);
  std::fprintf(stderr, "%ld random models, %ld reactions: accelerations within %.1e, reactions within %.1e; %ld differ\n", models,
               reactions, acceleration, reaction, wrong);
  return wrong ? 1 : 0;
}
