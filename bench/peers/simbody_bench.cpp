/* bench/peers/simbody_bench.cpp - Simbody: forward dynamics, and whole adaptive runs of a chain
 *
 * Forward dynamics is everything from a new q, u to udot: realize(Acceleration) after both were
 * replaced, which walks through the position, velocity and dynamics stages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <Simbody.h>

#include "peers.h"

using namespace SimTK;

namespace {

struct mechanism {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity weight{forces, matter, -ZAxis, peers::gravity};
  State state;

  mechanism(peers::shape shape, int n) {
    const Vec3 com(peers::link_length/2, 0, 0);
    const Inertia about_com(peers::inertia_along, peers::inertia_across, peers::inertia_across);
    const Body::Rigid link(MassProperties(peers::link_mass, com,
                                          about_com.shiftFromMassCenter(com, peers::link_mass)));
    /* a pin turns about z of its frames: lay that on y of the links */
    const Rotation pin(UnitVec3(YAxis), ZAxis, UnitVec3(XAxis), XAxis);
    std::vector<MobilizedBody> bodies{matter.Ground()};
    for (int k = 1; k <= n; k++) {
      const int p = peers::parent(shape, k);
      const Vec3 hinge(p ? peers::link_length : 0, 0, 0);
      bodies.push_back(MobilizedBody::Pin(bodies[std::size_t(p)], Transform(pin, hinge), link,
                                          Transform(pin, Vec3(0))));
    }
    state = system.realizeTopology();
    system.realizeModel(state);
  }
};

void forward(peers::figures &out, peers::shape shape, int n) {
  mechanism m(shape, n);
  Vector q[2], u[2];
  for (int i = 0; i < 2; i++) {
    const double factor = i ? peers::other_state : 1;
    q[i].resize(n);
    u[i].resize(n);
    for (int k = 1; k <= n; k++) {
      q[i][k - 1] = factor*peers::position(k);
      u[i][k - 1] = factor*peers::speed(k);
    }
  }
  auto accelerations = [&](long i) {
    m.state.updQ() = q[i & 1];
    m.state.updU() = u[i & 1];
    m.system.realize(m.state, Stage::Acceleration);
  };
  const double ns = peers::nanoseconds_per_call(accelerations);
  accelerations(0);
  const Vector &udot = m.state.getUDot();
  peers::put_forward(out, peers::name(shape, n), "simbody", ns,
                     std::vector<double>(&udot[0], &udot[0] + n));
}

struct run {
  double cpu[2], energy; /* seconds until each mark; energy at the end, zero at the start */
  peers::point tip[2];   /* at the marks */
  long steps, rejected, evaluations;
};

/* The chain falls from rest, lying along +x. Steps end at the marks, so that the tip is the
 * method's own and not an interpolation. */
template <class Method>
run fall(int n, double accuracy) {
  mechanism m(peers::shape::chain, n);
  Method method(m.system);
  method.setAccuracy(accuracy);
  method.setAllowInterpolation(false);
  method.setFinalTime(peers::marks[1]);
  run r = {};
  const double start = peers::cpu_seconds();
  method.initialize(m.state);
  for (int i = 0; i < 2; i++) {
    while (method.getTime() < peers::marks[i]) method.stepTo(peers::marks[i]);
    r.cpu[i] = peers::cpu_seconds() - start;
    r.tip[i] = peers::chain_tip(&method.getState().getQ()[0], n);
  }
  r.steps = method.getNumStepsTaken();
  r.rejected = method.getNumStepsAttempted() - r.steps;
  r.evaluations = method.getNumRealizations();
  const State &state = method.getState();
  r.energy = peers::chain_energy(&state.getQ()[0], &state.getU()[0], n);
  return r;
}

void put_run(peers::figures &out, const std::string &method, int n, double accuracy, const run &r) {
  char tail[32];
  std::snprintf(tail, sizeof tail, ".acc1e%d", int(std::lround(std::log10(accuracy))));
  const std::string key = peers::name(peers::shape::chain, n) + "_run." + method + tail;
  const double error[2] = {peers::tip_error(n, 0, r.tip[0]), peers::tip_error(n, 1, r.tip[1])};
  out.put(key + ".cpu", r.cpu[1]);
  out.put(key + ".steps", double(r.steps));
  out.put(key + ".rejected", double(r.rejected));
  out.put(key + ".evaluations", double(r.evaluations));
  out.put(key + ".tip_x", r.tip[1].x);
  out.put(key + ".tip_z", r.tip[1].z);
  out.put(key + ".error", error[1]);
  out.put(key + ".energy", r.energy);
  out.put(key + ".cpu_4s", r.cpu[0]);
  out.put(key + ".tip_x_4s", r.tip[0].x);
  out.put(key + ".tip_z_4s", r.tip[0].z);
  out.put(key + ".error_4s", error[0]);
  std::fprintf(stderr, "%-36s %7.2f s %6ld steps %5ld rejected  tip %+.12f %+.12f  error %.1e, "
               "at 4 s %.1e\n", key.c_str(), r.cpu[1], r.steps, r.rejected, r.tip[1].x,
               r.tip[1].z, error[1], error[0]);
}

template <class Method>
void runs(peers::figures &out, const std::string &method, int n, int from, int to) {
  for (int digits = from; digits <= to; digits++) {
    const double accuracy = std::pow(10.0, -digits);
    put_run(out, method, n, accuracy, fall<Method>(n, accuracy));
  }
}

} // namespace

/* simbody_bench              all figures
 * simbody_bench reference    the tight runs behind the reference tips in peers.h; minutes */
int main(int argc, char **argv) {
  peers::figures out;
  int major, minor, build;
  SimTK_version_simbody(&major, &minor, &build);
  out.put("simbody.version", std::to_string(major) + "." + std::to_string(minor));
  if (argc > 1 && std::string(argv[1]) == "reference") {
    for (int n : {200, 100}) runs<RungeKuttaMersonIntegrator>(out, "simbody", n, 10, 11);
    return 0;
  }
  for (peers::shape shape : {peers::shape::chain, peers::shape::tree})
    for (int n : {10, 100, 1000}) forward(out, shape, n);
  /* Runge-Kutta-Merson needs the least time for an error; two others show by how much */
  for (int n : {200, 100}) runs<RungeKuttaMersonIntegrator>(out, "simbody", n, 2, 8);
  runs<RungeKutta3Integrator>(out, "simbody_rk3", 200, 2, 3);
  runs<VerletIntegrator>(out, "simbody_verlet", 200, 2, 4);
  return 0;
}
