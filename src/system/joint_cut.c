/* system/joint_cut.c - cut joints in joint coordinates
 *
 * A row of a constraint block is a wrench on each of its bodies. Carried to the ground along the
 * path, the wrench F of a link gives the columns C = F^T S of its joint; no other column differs
 * from zero (Lemma 3). With the factor M = L^T L of the mass matrix (Algorithm 4):
 *   T = L^-T C^T (rows of the paths only),  G = T^T T,
 *   G lambda = T^T z - tau,   z <- z - T lambda,   v' = L^-1 z
 * and tau = gamma - C_body (b, beta): the acceleration that v' = 0 already gives.
 *
 * Redundant rows. The factorization of G takes the kept rows first and leaves out every row without
 * a pivot, at each evaluation anew, so that singular positions are entered and left without memory of
 * them. What the last rank analysis (QR with column pivoting of the scaled T) called dependent must
 * show a much larger pivot to come back: that is where rounding could pass for independence. Rows are
 * equations in ground and body axes; as the bodies turn the kept ones may come near to dependence,
 * and between steps they are exchanged for dropped ones before that. With the left-out rows d written
 * by the others, T_d = T_i W, the multipliers of least norm are
 *   lambda_d = (1 + W^T W)^-1 W^T lambda_i,   lambda_i <- lambda_i - W lambda_d.
 * Pivots are measured by the row of the free bodies, J M^-1 J^T, which no position makes vanish.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/lapack.h"
#include "system/joint.h"

#include <cblas.h>
#undef I /* complex.h takes the name of the inertia */

/* Pivots of G below this are rounding (G holds squares: 3e-7 from a singular position), and below
 * the larger one for rows that are redundant in general. */
static const double pivot_tol = 1e-13, return_tol = 1e-10, beside_all = 1e6;
/* For accelerations, in units of the usual pivot: nearer to a singular position what rounding makes
 * of them (cartesian.c) is more than what the rows are there for. */
static const double rounded_pivot = 2.5e-11;
static const double default_rank_tol = 1e-9;
/* sine of the angle to earlier rows above which rows are kept in their order */
static const double good_sine = 1e-3;
/* part of its length by which a row may change before the choice of kept rows is looked at again */
static const double row_change = 0.05;

void tni_joint_cut_eval(tni_jsys *s, double t, unsigned what) {
  tni_env env = tni_system_env(&s->base, t);
  for (int i = 0; i < s->ncut; i++) {
    tni_jcut *cut = &s->cut[i];
    tni_con_eval(cut->con, &env, what, &cut->out);
    if (what & TNI_C_POSITION)
      for (int r = 0; r < cut->nrow; r++) s->phi[cut->row0 + r] = cut->out.phi[cut->used[r]];
  }
}

double tni_joint_cut_times(const tni_jsys *s, int row, const double *body6, bool of_kin) {
  const tni_jcut *cut = &s->cut[s->row_cut[row]];
  const tni_con *con = cut->con;
  int nc = 6*con->nbody;
  const double *J = cut->out.J + nc*cut->used[row - cut->row0];
  double sum = 0;
  for (int e = 0; e < con->nbody; e++) {
    const tni_kin *k = &s->base.kin[con->body[e] + 1];
    const double *lin = of_kin ? k->v : body6 + 6*con->body[e];
    const double *ang = of_kin ? k->w : lin + 3;
    sum += vec3_dot(J + 6*e, lin) + vec3_dot(J + 6*e + 3, ang);
  }
  return sum;
}

void tni_joint_cut_jacobian(tni_jsys *s, bool with_tau) {
  const tni_kin *kin = s->base.kin;
  int nv = s->base.nv;
  for (int i = 0; i < s->ncut; i++) {
    const tni_jcut *cut = &s->cut[i];
    const tni_con *con = cut->con;
    int nc = 6*con->nbody;
    for (int r = 0; r < cut->nrow; r++) {
      const double *J = cut->out.J + nc*cut->used[r];
      double tau = with_tau ? cut->out.gamma[cut->used[r]] : 0, size = 0;
      for (int e = 0; e < con->nbody; e++) {
        const tni_body *body = &s->base.model->body[con->body[e]];
        int k = s->tree.of_body[con->body[e]];
        const tni_jstate *st = &s->state[k + 1];
        const double *A = kin[con->body[e] + 1].A, *F = J + 6*e;
        double n[3], x[3], *w = s->work6 + 6*k;
        mat3_vec(x, body->Iinv, F + 3);
        size += vec3_dot(F, F)/body->mass + vec3_dot(x, F + 3);
        mat3_vec(n, A, F + 3);
        if (with_tau) tau -= vec3_dot(F, st->b) + vec3_dot(n, st->beta);
        vec3_cross(x, st->c, F);
        for (int a = 0; a < 3; a++) w[a] += F[a], w[a + 3] += n[a] + x[a];
      }
      double *C = s->C + (size_t)(cut->row0 + r)*(size_t)nv;
      for (int p = 0; p < cut->npath; p++) {
        const tni_jlink *l = &s->link[cut->path[p]];
        double *w = s->work6 + 6*cut->path[p];
        for (int a = 0; a < l->nv; a++) {
          const double *S = s->S + 6*(l->vadr + a);
          C[l->vadr + a] = vec3_dot(S, w) + vec3_dot(S + 3, w + 3);
        }
        if (l->parent >= 0) tni_joint_carry(s, cut->path[p], w, s->work6 + 6*l->parent);
        memset(w, 0, 6*sizeof(double));
      }
      if (with_tau) s->tau[cut->row0 + r] = tau;
      s->size[cut->row0 + r] = size;
    }
  }
}

/* ---- T, G and the factor ------------------------------------------------------------------- */

void tni_joint_cut_half(tni_jsys *s, const double *weight) {
  int nv = s->base.nv, m = s->base.m;
  bool dense = s->solver == TNI_JOINT_COMPOSITE_DENSE;
  if (dense) memset(s->T, 0, (size_t)m*(size_t)nv*sizeof(double)); /* dense solves fill it */
  for (int i = 0; i < s->ncut; i++) {
    const tni_jcut *cut = &s->cut[i];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++) {
      const double *C = s->C + (size_t)r*(size_t)nv;
      double *T = s->T + (size_t)r*(size_t)nv;
      for (int e = 0; e < cut->ndof; e++) {
        int j = cut->dof[e];
        T[j] = weight ? C[j]/sqrt(weight[j]) : C[j];
      }
      if (weight) continue;
      if (s->solver == TNI_JOINT_ARTICULATED)
        tni_joint_aba_half(s, cut->path, cut->npath, T);
      else if (!dense)
        tni_joint_crb_half(s, cut->dof, cut->ndof, T);
    }
  }
  if (dense && !weight && nv > 0)
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, nv, m, 1, s->L,
                nv, s->T, nv);
}

/* lower triangle of G by rows; two paths meet only in the velocities of the shorter one */
static void form_gram(tni_jsys *s) {
  size_t nv = (size_t)s->base.nv, m = (size_t)s->base.m;
  if (s->solver == TNI_JOINT_COMPOSITE_DENSE) {
    /* row-major lower is column-major upper */
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)m, (int)nv, 1, s->T,
                nv > 0 ? (int)nv : 1, 0, s->G, (int)m);
    return;
  }
  for (int i = 0; i < s->ncut; i++) {
    for (int j = 0; j <= i; j++) {
      const tni_jcut *a = &s->cut[i], *b = &s->cut[j];
      const tni_jcut *few = a->ndof < b->ndof ? a : b;
      for (int r = a->row0; r < a->row0 + a->nrow; r++) {
        int end = i == j ? r + 1 : b->row0 + b->nrow;
        for (int c = b->row0; c < end; c++) {
          const double *x = s->T + (size_t)r*nv, *y = s->T + (size_t)c*nv;
          double sum = 0;
          for (int e = 0; e < few->ndof; e++) sum += x[few->dof[e]]*y[few->dof[e]];
          s->G[(size_t)r*m + (size_t)c] = sum;
        }
      }
    }
  }
}

static double gram(const tni_jsys *s, int i, int j) {
  size_t m = (size_t)s->base.m;
  return i >= j ? s->G[(size_t)i*m + (size_t)j] : s->G[(size_t)j*m + (size_t)i];
}

/* kept rows first, both kinds in their order */
static void set_order(tni_jsys *s) {
  int n = 0;
  for (int kept = 1; kept >= 0; kept--)
    for (int r = 0; r < s->base.m; r++)
      if (s->kept[r] == kept) s->order[n++] = r;
}

/* What the row at position p, redundant in general, must exceed: with w the rows before it that make
 * it up, rounding in its pivot grows like (|row| + sum |w_i row_i|)^2. */
static double return_bar(const tni_jsys *s, int p, const double *size) {
  int m = s->base.m;
  double *w = s->g + m, sum = sqrt(size[s->order[p]]);
  const double *Fp = s->F + (size_t)p*(size_t)m;
  for (int j = p - 1; j >= 0; j--) {
    if (!s->use[s->order[j]]) {
      w[j] = 0;
      continue;
    }
    double x = Fp[j];
    for (int k = j + 1; k < p; k++) x -= s->F[(size_t)k*(size_t)m + (size_t)j]*w[k];
    w[j] = x/s->F[(size_t)j*(size_t)m + (size_t)j];
    sum += fabs(w[j])*sqrt(size[s->order[j]]);
  }
  return return_tol*sum*sum;
}

/* F of the rows that have a pivot, rows and columns in the order of s->order */
static void factor_gram(tni_jsys *s, const double *size) {
  int m = s->base.m, used = 0;
  s->base.pivot = 1;
  for (int p = 0; p < m; p++) {
    int i = s->order[p];
    double *Fp = s->F + (size_t)p*(size_t)m;
    double pivot = gram(s, i, i);
    for (int j = 0; j < p; j++) {
      if (!s->use[s->order[j]]) {
        Fp[j] = 0; /* so that the sums need no test */
        continue;
      }
      const double *Fj = s->F + (size_t)j*(size_t)m;
      double x = gram(s, i, s->order[j]);
      for (int k = 0; k < j; k++) x -= Fp[k]*Fj[k];
      Fp[j] = x/Fj[j];
      pivot -= Fp[j]*Fp[j];
    }
    /* Off the constraints, where stages lie, a dropped row looks independent. It may stand in for a
     * kept one without a pivot; beside all of them it would lock a loop that moves, unless it is as
     * far from them as no error brings it: the rank was taken at a singular position. */
    bool use = pivot > (s->kept[i] ? s->bar*size[i]
                                   : return_bar(s, p, size)*(used < s->rank.rank ? 1 : beside_all));
    used += use;
    if (s->kept[i]) s->base.pivot = use ? fmin(s->base.pivot, pivot/size[i]) : 0;
    if (use != s->use[i]) s->changed = true;
    s->use[i] = use;
    Fp[p] = use ? sqrt(pivot) : 0;
  }
}

void tni_joint_cut_factor(tni_jsys *s, const double *weight, bool for_accelerations) {
  size_t m = (size_t)s->base.m;
  s->bar = for_accelerations ? fmax(pivot_tol, rounded_pivot*s->usual) : pivot_tol;
  tni_joint_cut_half(s, weight);
  form_gram(s);
  if (weight)
    for (size_t r = 0; r < m; r++) s->size[r] = s->G[r*m + r]; /* no other measure at hand */
  s->changed = false;
  factor_gram(s, s->size);
  if (s->changed) s->base.work.nrank++;
}

/* x := F^-1 x, x := F^-T x on the used rows; the others are taken as zero */
static void gram_solve(const tni_jsys *s, double *x) {
  int m = s->base.m;
  double *y = s->g + m; /* x in the order of the factor */
  for (int i = 0; i < m; i++) {
    if (!s->use[s->order[i]]) {
      y[i] = 0;
      continue;
    }
    const double *F = s->F + (size_t)i*(size_t)m;
    y[i] = x[s->order[i]];
    for (int k = 0; k < i; k++) y[i] -= F[k]*y[k];
    y[i] /= F[i];
  }
  for (int i = m - 1; i >= 0; i--) {
    x[s->order[i]] = 0;
    if (!s->use[s->order[i]]) continue;
    const double *F = s->F + (size_t)i*(size_t)m;
    y[i] /= F[i];
    for (int k = 0; k < i; k++) y[k] -= F[k]*y[i];
    x[s->order[i]] = y[i];
  }
}

/* rows left out, written by those of the factor: columns of W of length m; returns how many */
static int express_dropped(tni_jsys *s) {
  int m = s->base.m, n = 0;
  for (int d = 0; d < m; d++) {
    if (s->use[d]) continue;
    double *w = s->W + (size_t)n*(size_t)m;
    for (int i = 0; i < m; i++) w[i] = gram(s, i, d);
    gram_solve(s, w);
    s->dropped[n++] = d;
  }
  return n;
}

static void make_least_norm(tni_jsys *s, double *lambda) {
  int m = s->base.m, n = express_dropped(s);
  size_t stride = (size_t)m;
  if (n == 0) return;
  double *B = s->B, *y = s->g + m; /* (1 + W^T W) y = W^T lambda */
  for (int a = 0; a < n; a++) {
    const double *wa = s->W + (size_t)a*stride;
    for (int b = 0; b <= a; b++)
      B[(size_t)a*stride + (size_t)b] = (a == b) + cblas_ddot(m, wa, 1, s->W + (size_t)b*stride, 1);
    y[a] = cblas_ddot(m, wa, 1, lambda, 1);
  }
  /* row-major lower is column-major upper */
  tni_potrf('U', n, B, m);
  tni_potrs('U', n, 1, B, m, y, n);
  for (int a = 0; a < n; a++) cblas_daxpy(m, -y[a], s->W + (size_t)a*stride, 1, lambda, 1);
  for (int d = 0, a = 0; d < m; d++)
    if (!s->use[d]) lambda[d] = y[a++];
}

void tni_joint_cut_solve(tni_jsys *s, const double *g, double *lambda, bool least_norm) {
  memcpy(lambda, g, (size_t)s->base.m*sizeof(double));
  gram_solve(s, lambda);
  if (least_norm) make_least_norm(s, lambda);
}

/* ---- rank ---------------------------------------------------------------------------------- */

/* rows of T as columns of qr, each divided by what the row would be for free bodies */
static void scaled_rows(tni_jsys *s) {
  size_t nv = (size_t)s->base.nv;
  for (int r = 0; r < s->base.m; r++) {
    double scale = s->size[r] > 0 ? 1/sqrt(s->size[r]) : 0;
    for (size_t j = 0; j < nv; j++) s->qr[(size_t)r*nv + j] = scale*s->T[(size_t)r*nv + j];
  }
}

/* Independent rows, earlier ones first: Gram-Schmidt in the given order. Returns how many. */
static int pick_in_order(tni_jsys *s, double tol, bool *independent) {
  size_t nv = (size_t)s->base.nv;
  int m = s->base.m, n = 0;
  for (int r = 0; r < m; r++) {
    double *x = s->qr + (size_t)r*nv;
    for (int pass = 0; pass < 2; pass++)
      for (int c = 0; c < n; c++) {
        const double *e = s->qr + (size_t)c*nv;
        cblas_daxpy((int)nv, -cblas_ddot((int)nv, e, 1, x, 1), e, 1, x, 1);
      }
    double left = cblas_dnrm2((int)nv, x, 1);
    independent[r] = left > tol;
    if (!independent[r]) continue;
    double *e = s->qr + (size_t)n*nv;
    for (size_t j = 0; j < nv; j++) e[j] = x[j]/left;
    n++;
  }
  return n;
}

/* orthonormal basis of {z : C^T z = 0} from the triangular factor */
static void null_basis(tni_jsys *s, tni_rank *rank) {
  size_t nv = (size_t)s->base.nv, m = (size_t)s->base.m;
  int k = rank->rank;
  for (int c = 0; c < rank->nnull; c++) {
    double *z = rank->null + (size_t)c*m, *y = s->g + m;
    memset(z, 0, m*sizeof(double));
    int own = s->qr_pivot[k + c] - 1;
    double unit = s->size[own] > 0 ? 1/sqrt(s->size[own]) : 1;
    for (int i = k - 1; i >= 0; i--) {
      int row = s->qr_pivot[i] - 1;
      y[i] = -s->qr[(size_t)(k + c)*nv + (size_t)i];
      for (int j = i + 1; j < k; j++) y[i] -= s->qr[(size_t)j*nv + (size_t)i]*y[j];
      y[i] /= s->qr[(size_t)i*nv + (size_t)i];
      z[row] = y[i]/sqrt(s->size[row]);
    }
    z[own] = unit;
    for (int pass = 0; pass < 2; pass++)
      for (int e = 0; e < c; e++) {
        const double *b = rank->null + (size_t)e*m;
        cblas_daxpy((int)m, -cblas_ddot((int)m, b, 1, z, 1), b, 1, z, 1);
      }
    cblas_dscal((int)m, 1/cblas_dnrm2((int)m, z, 1), z, 1);
  }
}

void tni_joint_cut_restore(tni_jsys *s) {
  size_t bytes = (size_t)s->base.m*sizeof(bool);
  memcpy(s->kept, s->rank.independent, bytes);
  memcpy(s->use, s->kept, bytes);
  s->exchanged = false;
  set_order(s);
}

void tni_joint_cut_take(tni_jsys *s) {
  size_t m = (size_t)s->base.m;
  memcpy(s->rank.independent, s->kept, m*sizeof(bool));
  memcpy(s->C_chosen, s->C, m*(size_t)s->base.nv*sizeof(double));
  s->exchanged = false;
}

tn_status tni_joint_cut_rank(tni_jsys *s) {
  tni_rank *rank = &s->rank;
  int m = s->base.m, nv = s->base.nv, most = m < nv ? m : nv;
  size_t stride = (size_t)nv;
  rank->rank = 0;
  scaled_rows(s);
  for (int r = 0; r < m; r++) s->qr_pivot[r] = 0;
  if (nv > 0 &&
      tni_geqp3(nv, m, s->qr, nv, s->qr_pivot, s->qr_tau, s->qr_work,
                          s->qr_nwork) != 0)
    return TN_FAIL(s->base.ctx, TN_ERR_INTERNAL, "rank analysis of the cut joints failed");
  if (nv == 0)
    for (int r = 0; r < m; r++) s->qr_pivot[r] = r + 1;
  while (rank->rank < most && fabs(s->qr[(size_t)rank->rank*(stride + 1)]) > s->rank_tol)
    rank->rank++;
  rank->nnull = m - rank->rank;
  *rank->condition =
      rank->rank > 0 ? fabs(s->qr[0]/s->qr[(size_t)(rank->rank - 1)*(stride + 1)]) : 1;
  null_basis(s, rank);
  for (int r = 0; r < m; r++) rank->independent[r] = false;
  for (int i = 0; i < rank->rank; i++) rank->independent[s->qr_pivot[i] - 1] = true;
  if (rank->nnull > 0) {
    scaled_rows(s);
    if (pick_in_order(s, good_sine, s->use) == rank->rank)
      memcpy(rank->independent, s->use, (size_t)m*sizeof(bool));
  }
  tni_joint_cut_restore(s);
  /* earlier rows are preferred, not good ones: nobody has looked at that yet */
  memset(s->C_chosen, 0, (size_t)m*stride*sizeof(double));
  s->base.rank = rank;
  return TN_OK;
}

bool tni_joint_cut_changed(const tni_jsys *s) {
  size_t nv = (size_t)s->base.nv;
  for (size_t r = 0; r < (size_t)s->base.m; r++) {
    const double *C = s->C + r*nv, *before = s->C_chosen + r*nv;
    double change = 0, length = 0;
    for (size_t j = 0; j < nv; j++) {
      change += (C[j] - before[j])*(C[j] - before[j]);
      length += before[j]*before[j];
    }
    if (change > row_change*row_change*length) return true;
  }
  return false;
}

int tni_joint_cut_exchange(tni_jsys *s) {
  int m = s->base.m, used = 0, count = 0;
  bool same = true;
  for (int r = 0; r < m; r++) {
    used += s->use[r];
    same = same && s->use[r] == s->kept[r];
  }
  if (used != s->rank.rank) return 0; /* a singular position, where nothing is to be learned */
  if (same) {
    double *size = s->B; /* not in use here */
    for (int r = 0; r < m; r++) size[r] = sqrt(s->size[r]);
    int n = express_dropped(s);
    count = tni_rank_exchange(m, n, size, s->nonholonomic, s->W, s->dropped, s->kept);
  } else { /* one had lost its pivot, and the factor has found another */
    memcpy(s->kept, s->use, (size_t)m*sizeof(bool));
    count = 1;
  }
  if (count == 0) return 0;
  memcpy(s->use, s->kept, (size_t)m*sizeof(bool));
  s->exchanged = true;
  set_order(s);
  factor_gram(s, s->size);
  return count;
}

/* ---- setup --------------------------------------------------------------------------------- */

/* Rows of the blocks that mean anything: in planar models a row without a component in the plane
 * at several planar poses is empty. seen [nrow] of each block. */
static void sample_rows(tni_jsys *s, const tni_con *con, tni_kin *kin, tni_con_out *out, bool *seen) {
  enum { SAMPLES = 4 };
  static const int in_plane[3] = {0, 1, 5}; /* of six velocity components */
  const tn_model *model = s->base.model;
  if (!model->planar) {
    for (int r = 0; r < con->nrow; r++) seen[r] = true;
    return;
  }
  for (int n = 0; n < SAMPLES; n++) {
    for (int e = 0; e < con->nbody; e++) {
      const tni_body *body = &model->body[con->body[e]];
      tni_kin *k = &kin[con->body[e] + 1];
      double turn[3] = {0, 0, 0.7*n + 0.3*e*n}, p[4];
      tni_kin_ground(k);
      quat_from_vector(p, turn);
      quat_mul(p, body->p0, p);
      quat_matrix(k->A, p);
      vec3_set(k->r, body->r0[0] + 0.13*n*(e + 1), body->r0[1] + 0.07*n*(3 - e), body->r0[2]);
      vec3_set(k->v, 0.3, 0.7, 0); /* rolling rows depend on the velocity */
      vec3_set(k->w, 0, 0, 1);
      vec3_set(k->W, 0, 0, 1);
    }
    tni_env env = {.kin = kin, .memory = model->memory0};
    con->ops->eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN, out);
    for (int r = 0; r < con->nrow; r++)
      for (int e = 0; e < con->nbody; e++)
        for (int j = 0; j < 3; j++)
          if (fabs(out->J[6*con->nbody*r + 6*e + in_plane[j]]) > 1e-12) seen[r] = true;
  }
}

/* links between the bodies of the block and the ground, falling, and their velocities */
static tn_status find_path(tni_jsys *s, tni_jcut *cut, bool *on_path) {
  tni_arena *arena = &s->base.arena;
  memset(on_path, 0, (size_t)s->nlink*sizeof(bool));
  int *path, *dof, npath = 0, ndof = 0;
  for (int e = 0; e < cut->con->nbody; e++)
    for (int k = s->tree.of_body[cut->con->body[e]]; k >= 0 && !on_path[k]; k = s->link[k].parent) {
      on_path[k] = true;
      npath++;
      ndof += s->link[k].nv;
    }
  TNI_ARENA_NEW(arena, path, npath);
  TNI_ARENA_NEW(arena, dof, ndof);
  cut->path = path;
  cut->dof = dof;
  cut->npath = npath;
  cut->ndof = ndof;
  for (int k = s->nlink - 1; k >= 0; k--) {
    if (!on_path[k]) continue;
    *path++ = k;
    for (int i = s->link[k].nv - 1; i >= 0; i--) *dof++ = s->link[k].vadr + i;
  }
  return TN_OK;
}

/* room for the evaluation of a block */
static tn_status make_out(tni_arena *arena, const tni_con *con, tni_con_out *out) {
  TNI_ARENA_NEW(arena, out->phi, con->nrow);
  TNI_ARENA_NEW(arena, out->phi_t, con->nrow);
  TNI_ARENA_NEW(arena, out->gamma, con->nrow);
  TNI_ARENA_NEW(arena, out->J, 6*con->nbody*con->nrow);
  return TN_OK;
}

/* scratch: kin [nbody + 1], on_path [nlink] */
static tn_status setup_block(tni_jsys *s, const tni_con *con, tni_arena *scratch, tni_kin *kin,
                             bool *on_path) {
  tni_arena *arena = &s->base.arena;
  tni_jcut *cut = &s->cut[s->ncut];
  tni_con_out out = {0};
  bool *seen;
  int *used;
  cut->con = con;
  TN_TRY(make_out(scratch, con, &out));
  TNI_ARENA_NEW(scratch, seen, con->nrow);
  TNI_ARENA_NEW(arena, used, con->nrow);
  sample_rows(s, con, kin, &out, seen);
  cut->used = used;
  cut->row0 = s->base.m;
  for (int r = 0; r < con->nrow; r++)
    if (seen[r]) used[cut->nrow++] = r;
  if (cut->nrow == 0) return TN_OK;
  s->base.m += cut->nrow;
  s->ncut++;
  return find_path(s, cut, on_path);
}

static tn_status name_rows(tni_jsys *s) {
  tni_arena *arena = &s->base.arena;
  TNI_ARENA_NEW(arena, s->row_cut, s->base.m);
  TNI_ARENA_NEW(arena, s->base.row_con, s->base.m);
  TNI_ARENA_NEW(arena, s->nonholonomic, s->base.m);
  for (int i = 0; i < s->ncut; i++)
    for (int r = 0; r < s->cut[i].nrow; r++) {
      int row = s->cut[i].row0 + r;
      s->row_cut[row] = i;
      s->base.row_con[row] = (int)(s->cut[i].con - s->base.model->con);
      s->nonholonomic[row] = s->cut[i].con->nonholonomic;
    }
  if (s->rank_tol == 0) s->rank_tol = default_rank_tol;
  return TN_OK;
}

static tn_status setup_blocks(tni_jsys *s, tni_arena *scratch) {
  const tn_model *model = s->base.model;
  tni_kin *kin;
  bool *on_path;
  TNI_ARENA_NEW(scratch, kin, model->nbody + 1);
  TNI_ARENA_NEW(scratch, on_path, s->nlink);
  tni_kin_ground(&kin[0]);
  for (int i = 0; i < s->tree.ncut; i++) {
    const tni_joint *joint = &model->joint[s->tree.cut[i]];
    for (int c = joint->con0; c < joint->con0 + joint->ncon; c++)
      TN_TRY(setup_block(s, &model->con[c], scratch, kin, on_path));
  }
  return name_rows(s);
}

tn_status tni_joint_cut_setup(tni_jsys *s) {
  int nblock = 0;
  for (int i = 0; i < s->tree.ncut; i++)
    nblock += s->base.model->joint[s->tree.cut[i]].ncon;
  TNI_ARENA_NEW(&s->base.arena, s->cut, nblock);
  tni_arena scratch;
  tni_arena_init(&scratch, s->base.ctx);
  tn_status st = setup_blocks(s, &scratch);
  tni_arena_clear(&scratch);
  return st;
}

tn_status tni_joint_cut_begin(tni_jsys *s) {
  tni_arena *arena = &s->base.arena;
  size_t m = (size_t)s->base.m, nv = (size_t)s->base.nv;
  const tni_jcut *constant = s->cut;
  TNI_ARENA_NEW(arena, s->cut, s->ncut);
  for (int i = 0; i < s->ncut; i++) {
    s->cut[i] = constant[i];
    TN_TRY(make_out(arena, constant[i].con, &s->cut[i].out));
  }
  TNI_ARENA_NEW(arena, s->phi, m);
  TNI_ARENA_NEW(arena, s->tau, m);
  TNI_ARENA_NEW(arena, s->C, m*nv);
  TNI_ARENA_NEW(arena, s->T, m*nv);
  TNI_ARENA_NEW(arena, s->G, m*m);
  TNI_ARENA_NEW(arena, s->F, m*m);
  TNI_ARENA_NEW(arena, s->g, 2*m);
  TNI_ARENA_NEW(arena, s->lambda, m);
  TNI_ARENA_NEW(arena, s->use, m);
  TNI_ARENA_NEW(arena, s->size, m);
  TNI_ARENA_NEW(arena, s->W, m*m);
  TNI_ARENA_NEW(arena, s->B, m*m);
  TNI_ARENA_NEW(arena, s->kept, m);
  TNI_ARENA_NEW(arena, s->order, m);
  TNI_ARENA_NEW(arena, s->dropped, m);
  TNI_ARENA_NEW(arena, s->C_chosen, m*nv);
  s->rank.nrow = (int)m;
  TNI_ARENA_NEW(arena, s->rank.independent, m);
  TNI_ARENA_NEW(arena, s->rank.null, m*m);
  TNI_ARENA_NEW(arena, s->rank.condition, 1);
  TNI_ARENA_NEW(arena, s->qr, m*nv);
  TNI_ARENA_NEW(arena, s->qr_tau, m);
  TNI_ARENA_NEW(arena, s->qr_pivot, m);
  double nwork = 1;
  if (nv > 0 && m > 0)
    tni_geqp3((int)nv, (int)m, s->qr, (int)nv, s->qr_pivot, s->qr_tau,
                        &nwork, -1);
  s->qr_nwork = (int)nwork;
  TNI_ARENA_NEW(arena, s->qr_work, s->qr_nwork);
  for (size_t r = 0; r < m; r++) s->rank.independent[r] = s->kept[r] = true;
  s->bar = pivot_tol;
  set_order(s);
  return TN_OK;
}
