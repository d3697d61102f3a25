/* bench/peers/dart_bench.cpp - DART: forward dynamics, and fixed-step runs of a chain
 *
 * Forward dynamics is setPositions, setVelocities, computeForwardDynamics (articulated bodies).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "peers.h"

using namespace dart::dynamics;

namespace {

SkeletonPtr mechanism(peers::shape shape, int n) {
  SkeletonPtr skeleton = Skeleton::create("links");
  const Inertia link(peers::link_mass, Eigen::Vector3d(peers::link_length/2, 0, 0),
                     Eigen::Vector3d(peers::inertia_along, peers::inertia_across,
                                     peers::inertia_across).asDiagonal());
  std::vector<BodyNode *> bodies{nullptr};
  for (int k = 1; k <= n; k++) {
    const int p = peers::parent(shape, k);
    RevoluteJoint::Properties joint;
    joint.mName = "hinge" + std::to_string(k);
    joint.mAxis = Eigen::Vector3d::UnitY();
    if (p) joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(peers::link_length, 0, 0);
    BodyNode::Properties body(BodyNode::AspectProperties("link" + std::to_string(k), link));
    bodies.push_back(skeleton->createJointAndBodyNodePair<RevoluteJoint>(bodies[std::size_t(p)],
                                                                         joint, body).second);
  }
  skeleton->setGravity(Eigen::Vector3d(0, 0, -peers::gravity));
  return skeleton;
}

void forward(peers::figures &out, peers::shape shape, int n) {
  SkeletonPtr skeleton = mechanism(shape, n);
  /* the degrees of freedom of a tree need not be in the order the bodies were made */
  std::vector<Eigen::Index> slot(std::size_t(n) + 1);
  for (int k = 1; k <= n; k++)
    slot[std::size_t(k)] = Eigen::Index(
        skeleton->getJoint("hinge" + std::to_string(k))->getIndexInSkeleton(0));
  Eigen::VectorXd q[2], u[2];
  for (int i = 0; i < 2; i++) {
    const double factor = i ? peers::other_state : 1;
    q[i].resize(n);
    u[i].resize(n);
    for (int k = 1; k <= n; k++) {
      q[i][slot[std::size_t(k)]] = factor*peers::position(k);
      u[i][slot[std::size_t(k)]] = factor*peers::speed(k);
    }
  }
  auto accelerations = [&](long i) {
    skeleton->setPositions(q[i & 1]);
    skeleton->setVelocities(u[i & 1]);
    skeleton->computeForwardDynamics();
  };
  const double ns = peers::nanoseconds_per_call(accelerations);
  accelerations(0);
  const Eigen::VectorXd a = skeleton->getAccelerations();
  std::vector<double> udot;
  for (int k = 1; k <= n; k++) udot.push_back(a[slot[std::size_t(k)]]);
  peers::put_forward(out, peers::name(shape, n), "dart", ns, udot);
}

/* World::step: semi-implicit Euler, the only method DART has */
void run(peers::figures &out, int n, double dt) {
  SkeletonPtr skeleton = mechanism(peers::shape::chain, n);
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  world->setGravity(Eigen::Vector3d(0, 0, -peers::gravity));
  world->setTimeStep(dt);
  world->addSkeleton(skeleton);
  Eigen::VectorXd q, u;
  peers::fixed_step_run(out, "dart", n, dt, [&](const double **q_out, const double **u_out) {
    world->step();
    q = skeleton->getPositions();
    u = skeleton->getVelocities();
    *q_out = q.data();
    *u_out = u.data();
    return true;
  });
}

} // namespace

int main() {
  peers::figures out;
  out.put("dart.version", DART_VERSION);
  for (peers::shape shape : {peers::shape::chain, peers::shape::tree})
    for (int n : {10, 100, 1000}) forward(out, shape, n);
  for (double dt : {1e-3, 5e-4}) run(out, 100, dt);
  return 0;
}
