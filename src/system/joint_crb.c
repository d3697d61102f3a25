/* system/joint_crb.c - composite rigid bodies: the mass matrix and its factor without fill
 *
 * Composite inertia of a link about P (mass, h = m c, J), children moved by d:
 *   h0 = h + m d,   J0 = J + (2 d.h + m d.d) 1 - d h^T - h d^T - m d d^T
 * Mass matrix (3.148): the wrench F = I S of a velocity, carried towards the ground, meets the S of
 * every velocity on the way. All other entries are zero.
 *
 * Row i of the stored matrix lists velocity i itself and those on its way to the ground, nearest
 * first. The row of any of these is the tail of the list, so elimination from the leaves to the
 * ground (Lemma 2) is
 *   L_ii = sqrt(M_ii),  L_ij = M_ij/L_ii,  row_j[0..] -= L_ij row_i[position of j ..]
 * on contiguous numbers: M = L^T L with the pattern of M, no fill. The dense variant (Alg-D) gives
 * the same matrix to LAPACK.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/lapack.h"
#include "system/joint.h"

#include <cblas.h>
#undef I /* complex.h takes the name of the inertia */

enum { MASS = 0, MOMENT = 1, INERTIA = 4, NIC = 10 };

static void composite(tni_jsys *s) {
  const tni_kin *kin = s->base.kin;
  for (int k = 0; k < s->nlink; k++) {
    const tni_jlink *l = &s->link[k];
    double *I = s->Ic + NIC*k;
    I[MASS] = l->mass;
    vec3_scale(I + MOMENT, l->mass, s->state[k + 1].c);
    tni_joint_turn_inertia(l, kin[l->kin].A, I + INERTIA);
  }
  for (int k = s->nlink - 1; k >= 0; k--) {
    int parent = s->link[k].parent;
    if (parent < 0) continue;
    const double *I = s->Ic + NIC*k, *d = s->state[k + 1].d, *h = I + MOMENT, *J = I + INERTIA;
    double *O = s->Ic + NIC*parent, *oh = O + MOMENT, *oJ = O + INERTIA, m = I[MASS];
    double trace = 2*vec3_dot(d, h) + m*vec3_dot(d, d);
    O[MASS] += m;
    for (int i = 0; i < 3; i++) {
      oh[i] += h[i] + m*d[i];
      oJ[i] += J[i] + trace - d[i]*(2*h[i] + m*d[i]);
    }
    oJ[3] += J[3] - d[0]*h[1] - h[0]*d[1] - m*d[0]*d[1];
    oJ[4] += J[4] - d[0]*h[2] - h[0]*d[2] - m*d[0]*d[2];
    oJ[5] += J[5] - d[1]*h[2] - h[1]*d[2] - m*d[1]*d[2];
  }
}

/* F = I S */
static void composite_times(const double *I, const double S[6], double F[6]) {
  const double *h = I + MOMENT, *J = I + INERTIA, *w = S + 3;
  double x[3], y[3];
  vec3_cross(x, h, w);
  vec3_cross(y, h, S);
  for (int i = 0; i < 3; i++) F[i] = I[MASS]*S[i] - x[i];
  F[3] = y[0] + J[0]*w[0] + J[3]*w[1] + J[4]*w[2];
  F[4] = y[1] + J[3]*w[0] + J[1]*w[1] + J[5]*w[2];
  F[5] = y[2] + J[4]*w[0] + J[5]*w[1] + J[2]*w[2];
}

/* entry (row, column) of each stored number goes through put: sparse rows or a dense matrix */
void tni_joint_mass(tni_jsys *s, double *dense) {
  int nv = s->base.nv;
  composite(s);
  if (dense) memset(dense, 0, (size_t)nv*(size_t)nv*sizeof(double));
  for (int k = 0; k < s->nlink; k++) {
    for (int i = s->link[k].nv - 1; i >= 0; i--) {
      int row = s->link[k].vadr + i, last = i;
      double F[6], *out = dense ? NULL : s->L + s->rowadr[row];
      composite_times(s->Ic + NIC*k, s->S + 6*row, F);
      for (int up = k; up >= 0; up = s->link[up].parent) {
        const tni_jlink *l = &s->link[up];
        for (int j = up == k ? last : l->nv - 1; j >= 0; j--) {
          const double *S = s->S + 6*(l->vadr + j);
          double x = vec3_dot(S, F) + vec3_dot(S + 3, F + 3);
          if (dense)
            dense[(size_t)(l->vadr + j)*(size_t)nv + (size_t)row] = x; /* lower, by columns */
          else
            *out++ = x;
        }
        double dF[3];
        vec3_cross(dF, s->state[up + 1].d, F);
        vec3_add(F + 3, F + 3, dF);
      }
    }
  }
}

/* in place; a pivot that is not positive (never for positive masses) leaves NaN behind */
void tni_joint_crb_factor(tni_jsys *s) {
  int nv = s->base.nv;
  if (s->solver == TNI_JOINT_COMPOSITE_DENSE) {
    if (nv == 0) return;
    tni_joint_mass(s, s->L);
    tni_potrf('L', nv, s->L, nv);
    return;
  }
  tni_joint_mass(s, NULL);
  for (int i = nv - 1; i >= 0; i--) {
    double *row = s->L + s->rowadr[i], pivot = sqrt(row[0]), inverse = 1/pivot;
    int n = s->rowlen[i];
    row[0] = pivot;
    for (int p = 1; p < n; p++) row[p] *= inverse;
    for (int p = 1, j = s->up[i]; p < n; p++, j = s->up[j]) {
      double *target = s->L + s->rowadr[j], x = row[p];
      const double *tail = row + p;
      for (int e = 0; e < n - p; e++) target[e] -= x*tail[e];
    }
  }
}

/* r := L^-T r on the given velocities (falling), or on all */
void tni_joint_crb_half(tni_jsys *s, const int *dof, int ndof, double *r) {
  if (s->solver == TNI_JOINT_COMPOSITE_DENSE) {
    int nv = s->base.nv;
    if (nv == 0) return; /* BLAS would print a complaint */
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, nv, s->L, nv, r, 1);
    return;
  }
  for (int e = 0; e < ndof; e++) {
    int i = dof ? dof[e] : ndof - 1 - e, n = s->rowlen[i];
    const double *row = s->L + s->rowadr[i];
    double x = r[i]/row[0];
    r[i] = x;
    for (int p = 1, j = s->up[i]; p < n; p++, j = s->up[j]) r[j] -= row[p]*x;
  }
}

/* a := L^-1 z */
void tni_joint_crb_back(tni_jsys *s, const double *z, double *a) {
  int nv = s->base.nv;
  if (s->solver == TNI_JOINT_COMPOSITE_DENSE) {
    if (nv == 0) return;
    memcpy(a, z, (size_t)nv*sizeof(double));
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, nv, s->L, nv, a, 1);
    return;
  }
  for (int i = 0; i < nv; i++) {
    const double *row = s->L + s->rowadr[i];
    double x = z[i];
    for (int p = 1, j = s->up[i]; j >= 0; p++, j = s->up[j]) x -= row[p]*a[j];
    a[i] = x/row[0];
  }
}

/* Pattern of the rows; storage of the factor. */
tn_status tni_joint_crb_begin(tni_jsys *s) {
  tni_arena *arena = &s->base.arena;
  size_t nv = (size_t)s->base.nv;
  TNI_ARENA_NEW(arena, s->Ic, NIC*s->nlink);
  if (s->solver == TNI_JOINT_COMPOSITE_DENSE) {
    TNI_ARENA_NEW(arena, s->L, nv*nv);
    return TN_OK;
  }
  TNI_ARENA_NEW(arena, s->L, s->rowadr[nv]);
  return TN_OK;
}
