/* bench/peers/peers.h - what the programs share: the mechanisms, the clock, the figures
 *
 * Mechanism: N equal links, box 0.1 x 0.02 x 0.02 m, 0.1 kg. The frame of a link sits at its hinge;
 * the centre of mass is at (0.05, 0, 0), children hang at (0.1, 0, 0), every hinge turns about +y,
 * gravity is (0, 0, -9.81). Links are numbered k = 1..N, 0 is the ground:
 *   chain  parent(k) = k - 1
 *   tree   parent(k) = k/2
 *
 * Figures go to stdout as one flat JSON object, lines for people to stderr.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TENON_PEERS_H
#define TENON_PEERS_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace peers {

constexpr double link_length = 0.1, link_width = 0.02, link_mass = 0.1, gravity = 9.81;

/* inertia of the box about its centre, along the link and across it */
constexpr double inertia_along = link_mass*(2*link_width*link_width)/12;
constexpr double inertia_across =
    link_mass*(link_length*link_length + link_width*link_width)/12;

enum class shape { chain, tree };

inline int parent(shape s, int k) { return s == shape::chain ? k - 1 : k/2; }

inline std::string name(shape s, int n) {
  return (s == shape::chain ? "chain" : "tree") + std::to_string(n);
}

/* State k = 1..N: q = 0.3 sin k, u = 0.5 cos 2k. */
inline double position(int k) { return 0.3*std::sin(double(k)); }
inline double speed(int k) { return 0.5*std::cos(2.0*k); }

/* The timed loop alternates between the state above and this factor of it, so that nothing a
 * library keeps from the last call can serve the next one. */
constexpr double other_state = 0.9;

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9*double(t.tv_nsec);
}

/* CPU nanoseconds per call of body(i), i counting calls: best of five loops of at least 0.2 s each,
 * after a warm-up that also finds the length of the loop. */
template <class Body>
double nanoseconds_per_call(Body body) {
  long calls = 2;
  for (double spent = 0; spent < 0.2;) {
    double start = cpu_seconds();
    for (long i = 0; i < calls; i++) body(i);
    spent = cpu_seconds() - start;
    if (spent < 0.2) calls = spent > 0.01 ? long(double(calls)*0.25/spent) + 2 : 8*calls;
  }
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < 5; repeat++) {
    double start = cpu_seconds();
    for (long i = 0; i < calls; i++) body(i);
    best = std::min(best, (cpu_seconds() - start)/double(calls));
  }
  return 1e9*best;
}

/* One flat JSON object, closed by the destructor; a number JSON cannot hold becomes null. */
class figures {
public:
  ~figures() { std::printf("%s\n}\n", any ? "" : "{"); }
  void put(const std::string &key, double value) {
    open(key);
    if (std::isfinite(value)) std::printf("%.17g", value);
    else std::printf("null");
  }
  void put(const std::string &key, const std::string &text) {
    open(key);
    std::printf("\"%s\"", text.c_str());
  }

private:
  void open(const std::string &key) {
    std::printf("%s\n  \"%s\": ", any ? "," : "{", key.c_str());
    any = true;
  }
  bool any = false;
};

/* Figures of one forward dynamics case: time, and the accelerations that show which problem was
 * solved. udot[0] belongs to link 1. */
inline void put_forward(figures &out, const std::string &problem, const std::string &peer,
                        double ns, const std::vector<double> &udot) {
  double sum = 0;
  for (double a : udot) sum += a;
  const std::string key = problem + "." + peer;
  out.put(key + "_ns", ns);
  out.put(key + "_ns_per_body", ns/double(udot.size()));
  out.put(key + "_sum", sum);
  out.put(key + "_first", udot.front());
  out.put(key + "_last", udot.back());
  std::fprintf(stderr, "%-9s %-18s %11.0f ns/call %8.1f ns/body   sum udot %.12g\n",
               problem.c_str(), peer.c_str(), ns, ns/double(udot.size()), sum);
}

/* Runs: the chain starts at rest along +x; its tip is looked at twice, the last time at the end. */
constexpr double marks[2] = {4, 5};

/* Energy of the chain, kinetic plus potential, the latter zero for the chain lying along x: what a
 * fixed-step run is judged by. q, u as above; the links turn in one plane, so angles add. */
inline double chain_energy(const double *q, const double *u, int n) {
  double angle = 0, rate = 0, z = 0, vx = 0, vz = 0, energy = 0;
  for (int k = 0; k < n; k++) {
    angle += q[k];
    rate += u[k];
    /* a turn about +y takes +x towards -z */
    const double c = std::cos(angle), s = std::sin(angle), half = link_length/2;
    const double cx = vx - half*s*rate, cz = vz - half*c*rate;
    energy += 0.5*link_mass*(cx*cx + cz*cz) + 0.5*inertia_across*rate*rate +
              link_mass*gravity*(z - half*s);
    z -= link_length*s;
    vx -= link_length*s*rate;
    vz -= link_length*c*rate;
  }
  return energy;
}

struct point { double x, z; };

inline point chain_tip(const double *q, int n) {
  double angle = 0;
  point tip = {0, 0};
  for (int k = 0; k < n; k++) {
    angle += q[k];
    tip.x += link_length*std::cos(angle);
    tip.z -= link_length*std::sin(angle);
  }
  return tip;
}

/* Distance of the tip at marks[i] from the reference. NaN where there is none: once the short chain
 * has cracked like a whip at 4.4 s, no double-precision run knows where its tip is (README.md). */
inline double tip_error(int n, int i, point tip) {
  point reference = {NAN, NAN};
  if (n == 200 && i == 0) reference = {-18.3466506746171, -4.0712920778469};
  if (n == 200 && i == 1) reference = {-17.4558813087558, -5.1884429915097};
  if (n == 100 && i == 0) reference = {-6.4007622343727, -4.3192041043039};
  return std::hypot(tip.x - reference.x, tip.z - reference.z);
}

/* A fixed-step run of the chain: advance(q, u) takes one step and shows the new state, or returns
 * false when the simulator itself gave up. The run has broken when the state is not finite or the
 * energy has left its true value, zero, by more than the chain has to give from lying to hanging:
 * the motion has then nothing to do with the model any more. */
template <class Advance>
void fixed_step_run(figures &out, const std::string &method, int n, double dt, Advance advance) {
  const double scale = n*link_mass*gravity*n*link_length/2;
  const long steps = std::lround(marks[1]/dt);
  const double *q = nullptr, *u = nullptr;
  double worst = 0, energy = 0, broke_at = NAN, error_4s = NAN;
  const double start = cpu_seconds();
  for (long i = 1; i <= steps; i++) {
    const bool alive = advance(&q, &u);
    energy = chain_energy(q, u, n);
    worst = std::max(worst, std::fabs(energy));
    if (!alive || !(std::fabs(energy) <= scale)) {
      broke_at = double(i)*dt;
      break;
    }
    if (i == std::lround(marks[0]/dt)) error_4s = tip_error(n, 0, chain_tip(q, n));
  }
  const double cpu = cpu_seconds() - start;
  const bool survived = std::isnan(broke_at);
  const point tip = survived ? chain_tip(q, n) : point{NAN, NAN};
  char step[32];
  std::snprintf(step, sizeof step, ".dt%.0e", dt);
  const std::string key = name(shape::chain, n) + "_run." + method + step;
  out.put(key + ".cpu", cpu);
  out.put(key + ".survived", survived ? 1 : 0);
  out.put(key + ".broke_at", broke_at);
  out.put(key + ".worst_energy", worst);
  out.put(key + ".tip_x", tip.x);
  out.put(key + ".tip_z", tip.z);
  out.put(key + ".error_4s", error_4s);
  std::fprintf(stderr, "%-34s %6.2f s  %s %.4g s, worst energy %.2e of %.0f J, error at 4 s %.1e\n",
               key.c_str(), cpu, survived ? "reached" : "broke at",
               survived ? marks[1] : broke_at, worst, scale, error_4s);
}

} // namespace peers
#endif
