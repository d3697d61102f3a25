/* analyses/modes_mesh.c - the lowest modes of models with structures
 *
 *   K x = w^2 M x,   C x = 0
 *
 * by a block Krylov space of (K + s M)^-1 M (linsolve/krylov.h), theta = 1/(w^2 + s). s is 0 where the structure is held, else
 * of the size of its lowest elastic modes. The number of eigenvalues below a bound is the number of negative pivots of
 * K - bound M (Sturm, Sylvester): it is compared with those found, and the space made larger until both agree.
 *
 * Damping D does not enter these; what it does to a mode x to unit mass is told to first order, sigma = -x D x/2 + i sqrt(w^2 - ...).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/modes_mesh.h"

#include <math.h>
#include <stdio.h>

#include "linsolve/krylov.h"
#include "nonlinear/rest.h"
#include "nonlinear/rest_domains.h"
#include "system/parts.h"

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

static const double TWO_PI = 6.283185307179586;
static const double EIGEN_TOL = 1e-10, ACCEPTED = 1e-6;
/* an eigenvalue below this part of the shift is a rigid motion */
static const double RIGID = 1e-7;
/* without a shift: an eigenvalue below this part of the last one may be none */
static const double NONE = 1e-9;
enum { USUAL = 20, BLOCK = 3, RIGID_BLOCK = 6, SPARE = 40, ROUNDS = 3, LOOK = 36, SHIFTS = 6 };

typedef struct {
  tn_sim *sim;
  tni_rest *rest;
  bool loose;       /* K looks singular, although every piece is held */
  const double *M;  /* on the pattern */
  double *diagonal; /* [n] of M       */
  bool lumped;      /* M has no others */
  int n;
  double shift;
  tni_rest_cut *cut; /* domains that solve for the inverse, NULL: the whole does */
  double *own_mass;
  tn_status failed;  /* of a solution by domains                                 */
} work;

/* lumped masses are a diagonal on a pattern with hundreds of places a row */
static tn_status look_at_mass(work *w) {
  const tni_sparsity *p = w->sim->s->square;
  if (!w->diagonal) TNI_ARENA_NEW(&w->sim->arena, w->diagonal, w->n);
  w->lumped = true;
  for (int r = 0; r < w->n; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) {
      if (p->col[k] == r) w->diagonal[r] = w->M[k];
      else if (w->M[k] != 0) w->lumped = false;
    }
  return TN_OK;
}

static void times_mass(const work *w, const double *x, double *y) {
  if (w->lumped) {
    for (int i = 0; i < w->n; i++) y[i] = w->diagonal[i]*x[i];
    return;
  }
  memset(y, 0, (size_t)w->n*sizeof(double));
  tni_sparse_add(w->sim->s->square, 1, w->M, x, y);
}

static void apply_many(void *user, int k, const double *x, double *y) {
  work *w = user;
  for (int r = 0; r < k; r++) times_mass(w, x + (size_t)r*(size_t)w->n, y + (size_t)r*(size_t)w->n);
  if (!w->cut) tni_rest_apply_many(w->rest, k, y);
  for (int r = 0; r < k && w->cut && w->failed == TN_OK; r++) w->failed = tni_rest_cut_solve(w->cut, y + (size_t)r*(size_t)w->n);
}

static tn_status krylov(work *w, const tni_krylov_opts *o, tni_krylov *k) {
  w->failed = TN_OK;
  TN_TRY(tni_krylov_eigen(&w->sim->arena, o, k));
  return w->failed;
}

/* K + shift M by the whole or by domains: below zero only its negative eigenvalues are asked for */
static tn_status shifted(work *w, double shift, int *negative, const double **M) {
  tn_sim *sim = w->sim;
  if (!w->cut) return tni_rest_shifted(w->rest, sim->at.t, sim->at.q, sim->at.lambda, shift, negative, M);
  if (!w->own_mass) {
    double *K;
    TNI_ARENA_NEW(&sim->arena, w->own_mass, sim->s->square->nnz);
    TNI_ARENA_NEW(&sim->arena, K, sim->s->square->nnz);
    tni_sparse_tangent t = {.M = w->own_mass, .r_q = K};
    TN_TRY(tni_eval_sparse_tangent(sim->s, sim->at.t, sim->at.q, NULL, NULL, sim->at.lambda, &t));
  }
  *M = w->own_mass;
  tni_part_sum sum = {.K = 1, .M = shift};
  if (shift < 0) return tni_rest_cut_negative(w->cut, sim->at.t, sim->at.q, &sum, negative);
  *negative = 0; /* iterations say when there are any */
  return tni_rest_cut_factor_sum(w->cut, sim->at.t, sim->at.q, NULL, shift > 0 ? &sum : NULL);
}

static void apply(void *user, const double *x, double *y) { apply_many(user, 1, x, y); }

static void weigh(void *user, const double *x, double *y) { times_mass(user, x, y); }

/* a shift of about the size of the lowest elastic eigenvalues: the softest node by itself, and how many there are in a row */
static tn_status guess_shift(work *w, double *shift) {
  tni_data *s = w->sim->s;
  double *M, *K, least = HUGE_VAL;
  TNI_ARENA_NEW(&w->sim->arena, M, s->square->nnz);
  TNI_ARENA_NEW(&w->sim->arena, K, s->square->nnz);
  tni_sparse_tangent t = {.M = M, .r_q = K};
  TN_TRY(tni_eval_sparse_tangent(s, w->sim->at.t, w->sim->at.q, NULL, NULL, w->sim->at.lambda, &t));
  for (int i = 0; i < s->nv; i++) {
    int k = tni_sparsity_find(s->square, i, i);
    if (K[k] > 0 && M[k] > 0) least = fmin(least, K[k]/M[k]);
  }
  double row = cbrt((double)s->nv/3);
  *shift = isfinite(least) ? least/(row*row) : 1;
  return TN_OK;
}

/* the lowest eigenvalue above the rigid ones, roughly, by a small space of the present factors */
static tn_status look_for_lowest(work *w, double *lowest) {
  tni_krylov k;
  int room = LOOK < w->n ? LOOK : w->n, block = RIGID_BLOCK < w->n ? RIGID_BLOCK : w->n;
  tni_krylov_opts o = {.n = w->n, .apply = apply, .apply_many = apply_many, .weigh = weigh, .user = w,
                       .symmetric = true, .want = RIGID_BLOCK + 1, .block = block, .most = room, .tolerance = 1e-3};
  TN_TRY(krylov(w, &o, &k));
  *lowest = HUGE_VAL;
  for (int i = 0; i < k.nvalue; i++) {
    double lambda = 1/k.re[i] - w->shift;
    if (lambda > RIGID*w->shift) *lowest = fmin(*lowest, lambda);
  }
  return TN_OK;
}

/* Factors of K, or K + s M where K is not regular, with s of the size of the lowest elastic eigenvalue: far above it all modes
 * look alike, far below rigid motions drown the others. Bodies have no stiffness of their own: beside that of a mesh the rows that tie
 * them would be rounding. */
static tn_status factor(work *w) {
  tn_sim *sim = w->sim;
  int negative;
  bool known = w->shift > 0, free = sim->s->m > 0 || w->loose;
  for (int i = 0; i < sim->s->parts->n; i++) free = free || sim->s->parts->part[i].nfree > 0;
  if (!known && free) {
    TN_TRY(guess_shift(w, &w->shift));
  } else if (!known) {
    tn_status st = shifted(w, 0, &negative, &w->M);
    if (st != TN_SINGULAR && !(st == TN_OK && negative > 0)) return st == TN_OK ? look_at_mass(w) : st;
    TN_TRY(guess_shift(w, &w->shift));
  }
  for (int round = 0; round < SHIFTS; round++) {
    double lowest;
    TN_TRY(shifted(w, w->shift, &negative, &w->M));
    TN_TRY(look_at_mass(w));
    if (known) break;
    TN_TRY(look_for_lowest(w, &lowest));
    if (!isfinite(lowest) || (lowest > 0.1*w->shift && lowest < 1e4*w->shift)) break;
    w->shift = lowest;
  }
  return TN_OK;
}

static void note(tn_sim *sim, const work *w, const tni_modes *modes) {
  tn_summary *u = &sim->sum;
  char solver[160];
  u->modes = modes->nmode;
  u->modes_rigid = modes->nrigid;
  u->modes_unstable = modes->nunstable;
  if (w->cut) tni_rest_cut_describe(w->cut, solver, sizeof(solver));
  else tni_rest_describe(w->rest, solver, sizeof(solver));
  snprintf(u->system, sizeof(u->system), "cartesian, %d unknowns, %ld numbers in the factor, %s", w->n, w->cut ? tni_rest_cut_nnz(w->cut) : tni_rest_nnz(w->rest),
           solver);
  snprintf(u->method, sizeof(u->method), "modes: block Lanczos on the inverse, count checked by Sturm's law");
  for (int i = 0; i < modes->nmode && i < TN_SUMMARY_MODES; i++) {
    const tni_mode *m = &modes->mode[i];
    tn_mode *o = &u->mode[i];
    *o = (tn_mode){.kind = m->kind == TNI_MODE_RIGID ? "rigid" : m->kind == TNI_MODE_OSCILLATING ? "oscillates" : m->re > 0 ? "grows" : "decays",
                   .frequency = m->frequency, .damping = m->damping, .re = m->re, .im = m->im, .unstable = m->unstable, .share = m->share, .off_by = m->off_by};
    tni_dof_name(sim->s, m->component, o->name, sizeof(o->name));
  }
}

/* |w^2| of a vector by Rayleigh's quotient is that of the Krylov space; shape to unit mass, largest component positive */
static tn_status keep(work *w, double lambda, double off, const double *x, double *scratch, tni_mode *mode) {
  int n = w->n;
  double *shape, sum, best = -1;
  TNI_ARENA_NEW(&w->sim->arena, shape, 2*(size_t)n);
  times_mass(w, x, scratch);
  sum = cblas_ddot(n, x, 1, scratch, 1);
  for (int i = 0; i < n; i++)
    if (x[i]*scratch[i] > best) best = x[i]*scratch[i], mode->component = i;
  double factor = (x[mode->component] < 0 ? -1 : 1)/sqrt(sum);
  for (int i = 0; i < n; i++) shape[i] = factor*x[i];
  mode->shape = shape;
  mode->share = best/sum;
  mode->body = -1;
  mode->off_by = off;
  mode->frequency = sqrt(fabs(lambda))/TWO_PI;
  mode->im = lambda > 0 ? sqrt(lambda) : 0;
  mode->re = lambda < 0 ? sqrt(-lambda) : 0;
  mode->kind = lambda > 0 ? TNI_MODE_OSCILLATING : TNI_MODE_REAL;
  mode->unstable = lambda < 0;
  return TN_OK;
}

/* what is small beside the shift is its rounding */
static int rigid_of(const double *lambda, int n, double shift) {
  int rigid = 0;
  for (int i = 0; i < n && shift > 0; i++) rigid += fabs(lambda[i]) <= RIGID*shift;
  return rigid;
}

static tn_status solve(work *w, int count, tni_modes *out) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  int most = s->nv - (s->rank ? s->rank->rank : 0), block = w->shift > 0 ? RIGID_BLOCK : BLOCK;
  count = count < most ? count : most;
  for (int round = 0, want = count + 2 + (w->shift > 0 ? RIGID_BLOCK : 0);; round++, want += want/2 + block) {
    tni_krylov k;
    if (want > most) want = most;
    int room = 3*want + SPARE;
    tni_krylov_opts o = {.n = w->n, .apply = apply, .apply_many = apply_many, .weigh = weigh, .user = w,
                         .symmetric = true, .want = want, .block = block < most ? block : most,
                         .most = room < most ? room : most, .tolerance = EIGEN_TOL};
    TN_TRY(krylov(w, &o, &k));
    int n = 0;
    double *lambda, *scratch;
    while (n < k.nvector && k.residual[n] <= ACCEPTED*fabs(k.re[n])) n++;
    TNI_ARENA_NEW(&sim->arena, lambda, n + 1);
    TNI_ARENA_NEW(&sim->arena, scratch, w->n);
    for (int i = 0; i < n; i++) lambda[i] = 1/k.re[i] - w->shift;
    /* held, but with shapes that elements let pass: K went through on rounding */
    if (w->shift <= 0 && !w->loose && (n == 0 || fabs(lambda[0]) <= NONE*fabs(lambda[n - 1]))) {
      w->loose = true;
      TN_TRY(factor(w));
      continue;
    }
    int given = n > count ? count : n;
    if (n == 0) return TN_FAIL(sim->ctx, TN_NOT_CONVERGED, "no mode was found");
    /* between the last one given and the next that is apart from it */
    int next = given;
    while (next < n && lambda[next] - lambda[given - 1] <= 1e-6*fabs(lambda[given - 1])) next++;
    bool all = n == most;
    if (!all) {
      if (next == n && round < ROUNDS) continue;
      double bound = next < n ? 0.5*(lambda[next] + lambda[next - 1]) : lambda[n - 1]*(1 + 1e-6);
      int negative;
      const double *M;
      tn_status st = shifted(w, -bound, &negative, &M);
      if (st < 0) return st;
      if (st == TN_OK && negative >= 0 && negative != next) {
        if (round < ROUNDS && negative > next) {
          TN_TRY(factor(w));
          continue;
        }
        return TN_FAIL(sim->ctx, TN_NOT_CONVERGED, "%d modes were found below %g Hz where there are %d", next,
                       sqrt(fmax(bound, 0))/TWO_PI, negative);
      }
      if (negative < 0)
        tni_log(sim->ctx, TN_LOG_WARNING, "the number of modes could not be checked: the sparse solver does not tell signs");
    }
    TNI_ARENA_NEW(&sim->arena, out->mode, given);
    out->nrigid = rigid_of(lambda, n, w->shift);
    int rigid = 6*s->nbody;
    for (int i = 0; i < s->parts->n; i++) rigid += s->parts->part[i].nfree;
    if (out->nrigid > rigid)
      tni_log(sim->ctx, TN_LOG_WARNING, "%d motions have no stiffness, more than rigid ones can be: elements with reduced "
              "integration let some pass; 'element: full' does not", out->nrigid);
    if (out->nrigid > given) out->nrigid = given;
    for (int i = 0; i < given; i++) {
      tni_mode *mode = &out->mode[out->nmode++];
      TN_TRY(keep(w, lambda[i], 0.5*k.residual[i]/fabs(k.re[i]), k.vector + (size_t)i*(size_t)w->n, scratch, mode));
      if (i < out->nrigid) {
        mode->kind = TNI_MODE_RIGID;
        mode->frequency = mode->re = mode->im = 0;
        mode->unstable = false;
      }
      out->nunstable += mode->unstable;
    }
    return TN_OK;
  }
}

tn_status tni_modes_stress(tn_sim *sim) {
  tni_parts *p = sim->s->parts;
  for (int i = 0; i < p->n; i++)
    if (p->part[i].unstressed)
      return tni_item_fail(sim->ctx, p->part[i].item, "formulation", "what stresses do to the stiffness of %s is known with 'formulation: large'",
                           p->part[i].unstressed);
  p->stressed = true;
  return TN_OK;
}

/* K and M know no gyroscopic forces, nor what spinning does to stiffness */
static tn_status need_rest(const tn_sim *sim) {
  static const double AT_REST = 1e-9; /* m/s, rad/s */
  const tni_layout *L = sim->s->layout;
  int fastest = -1;
  for (int i = 0; i < sim->s->nbody; i++)
    for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++)
      if (fabs(sim->at.v[k]) > (fastest < 0 ? AT_REST : fabs(sim->at.v[fastest]))) fastest = k;
  if (fastest < 0) return TN_OK;
  char name[256];
  tni_dof_name(sim->s, fastest, name, sizeof(name));
  return TN_FAIL(sim->ctx, TN_ERR_UNSUPPORTED, "modes of models with structures are about rest, and %s = %.4g %s at t = %g s; beams can take the place of the structure",
                 name, sim->at.v[fastest], L->role[fastest] >= TNI_ROLE_TURN ? "rad/s" : "m/s", sim->at.t);
}

/* a force without a potential may make a structure flutter, which symmetric matrices cannot know */
static tn_status need_symmetry(const work *w, const double *K) {
  static const double ROUNDING = 1e-8;
  const tni_sparsity *p = w->sim->s->square;
  double most = 0;
  int row = 0, col = 0;
  for (int r = 0; r < w->n; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) {
      int c = p->col[k];
      if (c >= r) continue;
      double mirror = K[tni_sparsity_find(p, c, r)];
      double size = sqrt(fabs(K[tni_sparsity_find(p, r, r)]*K[tni_sparsity_find(p, c, c)])) + fabs(K[k]) + fabs(mirror);
      if (fabs(K[k] - mirror) > ROUNDING*size && fabs(K[k] - mirror) > most) most = fabs(K[k] - mirror), row = r, col = c;
    }
  if (most == 0) return TN_OK;
  char one[256], two[256];
  tni_dof_name(w->sim->s, row, one, sizeof(one));
  tni_dof_name(w->sim->s, col, two, sizeof(two));
  return TN_FAIL(w->sim->ctx, TN_ERR_UNSUPPORTED, "modes of models with structures need forces with a potential; what acts between %s and %s has none (a controller, "
                 "a force that follows)", one, two);
}

static tn_status damp(const work *w, bool told, tni_modes *modes) {
  static const double FEW = 0.1;
  tn_sim *sim = w->sim;
  double *D, *K, *y, most = 0;
  TNI_ARENA_NEW(&sim->arena, D, sim->s->square->nnz);
  TNI_ARENA_NEW(&sim->arena, K, sim->s->square->nnz);
  TNI_ARENA_NEW(&sim->arena, y, w->n);
  tni_sparse_tangent t = {.r_v = D, .r_q = K};
  TN_TRY(tni_eval_sparse_tangent(sim->s, sim->at.t, sim->at.q, NULL, NULL, sim->at.lambda, &t));
  TN_TRY(need_symmetry(w, K));
  for (int i = modes->nrigid; i < modes->nmode && told; i++) {
    tni_mode *m = &modes->mode[i];
    double omega = m->im;
    if (m->kind != TNI_MODE_OSCILLATING) continue;
    memset(y, 0, (size_t)w->n*sizeof(double));
    tni_sparse_add(sim->s->square, 1, D, m->shape, y);
    m->re = -0.5*cblas_ddot(w->n, m->shape, 1, y, 1);
    m->damping = -m->re/omega;
    most = fmax(most, fabs(m->damping));
    if (fabs(m->damping) < 1) m->im = sqrt((omega - m->re)*(omega + m->re));
    else m->kind = TNI_MODE_REAL, m->im = 0;
    m->unstable = m->re > 1e-9*omega;
    modes->nunstable += m->unstable;
  }
  if (most > FEW)
    tni_log(sim->ctx, TN_LOG_WARNING, "damping of modes is told to first order, by modes without damping: where it is %.0f %%, neither that nor the frequency "
            "is to be trusted", 100*most);
  return TN_OK;
}

/* Domains, where the model names a solver that has them; several ranks take them without being asked, where they can. */
static tn_status cut(work *w) {
  static const double EXACT = 1e-10; /* of forces: eigenvalues are off by its square */
  tn_sim *sim = w->sim;
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  int solver = tni_cut_solver_named(sim->set.solver);
  bool asked = solver >= 0 && solver < TNI_NCUT_SOLVER;
  if (!asked && !(tni_comm_of(sim->ctx) && strcmp(sim->set.solver, "auto") == 0)) return TN_OK;
  int ranks = tni_comm_of(sim->ctx) ? tni_comm_of(sim->ctx)->size : 1;
  tni_cut rule = tni_rest_cut_rule(sim->s, an ? tni_item_text(an, "decomposer", NULL) : NULL);
  if (!asked) {
    tni_cut_choice choice = tni_rest_cut_choose(sim->s, TNI_CUT_OF_MODES, rule, ranks);
    if (choice.solver < 0) tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", choice.why);
    if (choice.solver < 0) return TN_OK;
    solver = choice.solver;
  }
  tni_rest_cut_opts c = {.solver = (tni_cut_solver)solver, .tolerance = EXACT, .moving = true, .rule = rule};
  int usual = tni_rest_cut_usual(sim->s, c.solver, c.rule, ranks);
  c.domains = an ? tni_item_integer(an, "domains", usual) : usual;
  tn_status st = TN_OK;
  if (sim->set.stressed) st = TN_FAIL(sim->ctx, TN_ERR_UNSUPPORTED, "modes under stress are found by the whole, not by domains");
  for (int i = 0; i < sim->s->parts->n && st == TN_OK && solver == TNI_CUT_FETI; i++)
    if (sim->s->parts->part[i].nfree > 0)
      st = TN_FAIL(sim->ctx, TN_ERR_UNSUPPORTED, "solver 'feti' finds modes of held structures; '%s' is free, and with masses domains have no motions to solve for at once: "
                   "feti_dp or schur", sim->s->parts->part[i].name);
  if (st == TN_OK) st = tni_rest_cut_allowed(sim->s, c.solver, true);
  if (st == TN_OK) st = tni_rest_cut_create(sim->s, &c, &w->cut);
  if (st != TN_ERR_UNSUPPORTED || asked) return st;
  tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", tn_ctx_message(sim->ctx));
  return TN_OK;
}

tn_status tni_mesh_modes(tn_sim *sim, bool damped, tni_modes *out) {
  work w = {.sim = sim, .n = sim->s->nv};
  memset(out, 0, sizeof(*out));
  out->n = sim->s->nv;
  out->symmetric = true;
  TN_TRY(need_rest(sim));
  if (sim->set.stressed) TN_TRY(tni_modes_stress(sim));
  TN_TRY(tni_rest_create(sim->s, &w.rest));
  tn_status st = cut(&w);
  if (st == TN_OK) st = factor(&w);
  if (st == TN_OK) st = solve(&w, sim->set.nmodes > 0 ? sim->set.nmodes : USUAL, out);
  if (st == TN_OK) st = damp(&w, damped, out);
  if (st == TN_OK) note(sim, &w, out);
  tni_rest_cut_destroy(&w.cut);
  tni_rest_destroy(&w.rest);
  return st;
}
