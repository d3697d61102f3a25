/* bench/peers/mujoco_bench.cpp - MuJoCo: forward dynamics, and fixed-step runs of a chain
 *
 * Forward dynamics twice: the public pipeline mj_forward with everything off that the problem does
 * not need ("mujoco_forward"), and by hand only the stages that an unconstrained mechanism needs
 * ("mujoco"): kinematics, composite inertias, L'DL of the mass matrix, bias forces, solve.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mujoco/mujoco.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "peers.h"

namespace {

struct free_model { void operator()(mjModel *m) const { mj_deleteModel(m); } };
struct free_data { void operator()(mjData *d) const { mj_deleteData(d); } };
using model_ptr = std::unique_ptr<mjModel, free_model>;
using data_ptr = std::unique_ptr<mjData, free_data>;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/* URDF, because it lists links one beside the other: MuJoCo's own format nests them, and the XML
 * parser refuses more than 100 levels. The ground, link0, has no joint and melts into the world. */
std::string description(peers::shape shape, int n) {
  std::string xml = "<robot name='links'><link name='link0'/>";
  for (int k = 1; k <= n; k++) {
    const int p = peers::parent(shape, k);
    xml += "<link name='link" + std::to_string(k) + "'><inertial><origin xyz='" +
           number(peers::link_length/2) + " 0 0'/><mass value='" + number(peers::link_mass) +
           "'/><inertia ixx='" + number(peers::inertia_along) + "' iyy='" +
           number(peers::inertia_across) + "' izz='" + number(peers::inertia_across) +
           "' ixy='0' ixz='0' iyz='0'/></inertial></link>"
           "<joint name='hinge" + std::to_string(k) + "' type='continuous'><origin xyz='" +
           number(p ? peers::link_length : 0) + " 0 0'/><axis xyz='0 1 0'/><parent link='link" +
           std::to_string(p) + "'/><child link='link" + std::to_string(k) + "'/></joint>";
  }
  return xml + "</robot>";
}

model_ptr mechanism(peers::shape shape, int n) {
  const std::string xml = description(shape, n);
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "links.urdf", int(xml.size()) + 1);
  std::memcpy(files->filedata[0], xml.c_str(), xml.size() + 1);
  char message[1000] = "";
  model_ptr m(mj_loadXML("links.urdf", files.get(), message, sizeof message));
  mj_deleteVFS(files.get());
  if (!m) {
    std::fprintf(stderr, "mujoco_bench: %s: %s\n", peers::name(shape, n).c_str(), message);
    std::exit(1);
  }
  mju_copy3(m->opt.gravity, std::array<mjtNum, 3>{0, 0, -peers::gravity}.data());
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_SENSOR | mjDSBL_ACTUATION |
                         mjDSBL_PASSIVE;
  return m;
}

/* qacc of a mechanism without constraints, actuators and passive forces */
void cheapest_forward(const mjModel *m, mjData *d) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  mju_scl(d->qfrc_smooth, d->qfrc_bias, -1, m->nv);
  mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
}

void forward(peers::figures &out, peers::shape shape, int n) {
  model_ptr m = mechanism(shape, n);
  data_ptr d(mj_makeData(m.get()));
  /* MuJoCo numbers a tree depth first */
  std::vector<int> slot(std::size_t(n) + 1);
  for (int k = 1; k <= n; k++) {
    const std::string hinge = "hinge" + std::to_string(k);
    slot[std::size_t(k)] = m->jnt_dofadr[mj_name2id(m.get(), mjOBJ_JOINT, hinge.c_str())];
  }
  std::vector<mjtNum> q[2], u[2];
  for (int i = 0; i < 2; i++) {
    const double factor = i ? peers::other_state : 1;
    q[i].resize(std::size_t(n));
    u[i].resize(std::size_t(n));
    for (int k = 1; k <= n; k++) {
      const std::size_t at = std::size_t(slot[std::size_t(k)]);
      q[i][at] = factor*peers::position(k);
      u[i][at] = factor*peers::speed(k);
    }
  }
  auto time = [&](const char *label, void (*compute)(const mjModel *, mjData *)) {
    auto accelerations = [&](long i) {
      mju_copy(d->qpos, q[i & 1].data(), n);
      mju_copy(d->qvel, u[i & 1].data(), n);
      compute(m.get(), d.get());
    };
    const double ns = peers::nanoseconds_per_call(accelerations);
    accelerations(0);
    std::vector<double> udot;
    for (int k = 1; k <= n; k++) udot.push_back(d->qacc[slot[std::size_t(k)]]);
    peers::put_forward(out, peers::name(shape, n), label, ns, udot);
  };
  time("mujoco", cheapest_forward);
  time("mujoco_forward", mj_forward);
}

/* mj_step with the given integrator. MuJoCo resets the state when it finds a bad number or a huge
 * one; its warning counters tell. */
void run(peers::figures &out, const char *method, mjtIntegrator integrator, int n, double dt) {
  model_ptr m = mechanism(peers::shape::chain, n);
  m->opt.integrator = integrator;
  m->opt.timestep = dt;
  data_ptr d(mj_makeData(m.get()));
  peers::fixed_step_run(out, method, n, dt, [&](const double **q_out, const double **u_out) {
    mj_step(m.get(), d.get());
    *q_out = d->qpos;
    *u_out = d->qvel;
    return d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
               d->warning[mjWARN_BADQACC].number == 0;
  });
}

} // namespace

int main() {
  mju_user_warning = [](const char *) {}; /* else a log file appears in the working directory */
  peers::figures out;
  out.put("mujoco.version", mj_versionString());
  for (peers::shape shape : {peers::shape::chain, peers::shape::tree})
    for (int n : {10, 100, 1000}) forward(out, shape, n);
  for (double dt : {1e-3, 5e-4}) {
    run(out, "mujoco_euler", mjINT_EULER, 100, dt);
    run(out, "mujoco_rk4", mjINT_RK4, 100, dt);
  }
  return 0;
}
