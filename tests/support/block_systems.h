/* tests/support/block_systems.h - random block-structured systems and a plain reference solution
 *
 * A system is described by a list of constraint blocks (bodies touched, rows); Jacobians and masses
 * are random. The reference is Gaussian elimination with partial pivoting of the whole matrix in
 * long double, written here and nowhere else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_BLOCK_SYSTEMS_H
#define TN_BLOCK_SYSTEMS_H

#include "base/base.h"
#include "linsolve/kkt.h"
#include "support/check.h"
#include "support/mechanisms.h"

typedef struct {
  int rows, nbody, body[4];
} block_spec;

typedef struct {
  tni_kkt K;
  int *rowadr, *incadr, *incbody, *jadr;
  double *J, *M, *Minv, *f, *g;
  bool *active;
} block_system;

static inline void *system_array(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (!p) exit(1);
  return p;
}

/* inverse of a small matrix by Gauss-Jordan with pivoting */
static inline void small_inverse(int d, const double *M, double *inverse) {
  double A[6][12] = {{0}};
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) A[i][j] = M[i*d+j];
    A[i][d+i] = 1;
  }
  for (int k = 0; k < d; k++) {
    int best = k;
    for (int i = k; i < d; i++) {
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    }
    for (int j = 0; j < 2*d; j++) {
      double t = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = t;
    }
    double pivot = A[k][k];
    for (int j = 0; j < 2*d; j++) A[k][j] /= pivot;
    for (int i = 0; i < d; i++) {
      double l = A[i][k];
      if (i == k) continue;
      for (int j = 0; j < 2*d; j++) A[i][j] -= l*A[k][j];
    }
  }
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) inverse[i*d+j] = A[i][d+j];
  }
}

/* shape of the mass blocks */
enum { MASS_FULL, MASS_SPLIT, MASS_DIAGONAL };

static inline void system_random_values(block_system *s, int mass, uint64_t *seed) {
  tni_kkt *K = &s->K;
  int d = K->d, nJ = 0;
  for (int b = 0; b < K->nblock; b++) {
    nJ += (K->rowadr[b+1] - K->rowadr[b])*(K->incadr[b+1] - K->incadr[b])*d;
  }
  for (int i = 0; i < nJ; i++) s->J[i] = check_random(seed);
  for (int b = 0; b < K->nbody; b++) {
    double A[36], *M = s->M + b*d*d;
    for (int i = 0; i < d*d; i++) A[i] = check_random(seed);
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) {
        double sum = i == j ? 1 : 0;
        for (int k = 0; k < d; k++) sum += A[i*d+k]*A[j*d+k];
        bool apart = mass == MASS_DIAGONAL ? i != j : mass == MASS_SPLIT ? i/3 != j/3 : false;
        M[i*d+j] = apart ? 0 : sum;
      }
    }
    small_inverse(d, M, s->Minv + b*d*d);
  }
  for (int i = 0; i < K->nbody*d; i++) s->f[i] = check_random(seed);
  for (int i = 0; i < K->nrow; i++) s->g[i] = check_random(seed);
}

static inline block_system system_create(int d, int nbody, const block_spec *block, int nblock,
                                         uint64_t *seed) {
  block_system s = {0};
  int nrow = 0, ninc = 0, nJ = 0;
  s.rowadr = system_array((size_t)nblock + 1, sizeof(int));
  s.incadr = system_array((size_t)nblock + 1, sizeof(int));
  for (int b = 0; b < nblock; b++) {
    nrow += block[b].rows;
    ninc += block[b].nbody;
    s.rowadr[b+1] = nrow;
    s.incadr[b+1] = ninc;
  }
  s.incbody = system_array((size_t)ninc, sizeof(int));
  s.jadr = system_array((size_t)ninc, sizeof(int));
  for (int b = 0, a = 0; b < nblock; b++) {
    for (int k = 0; k < block[b].nbody; k++, a++) {
      s.incbody[a] = block[b].body[k];
      s.jadr[a] = nJ;
      nJ += block[b].rows*d;
    }
  }
  s.J = system_array((size_t)nJ, sizeof(double));
  s.M = system_array((size_t)(nbody*d*d), sizeof(double));
  s.Minv = system_array((size_t)(nbody*d*d), sizeof(double));
  s.f = system_array((size_t)(nbody*d), sizeof(double));
  s.g = system_array((size_t)nrow, sizeof(double));
  s.active = system_array((size_t)nrow, sizeof(bool));
  for (int r = 0; r < nrow; r++) s.active[r] = true;
  s.K = (tni_kkt){.nbody = nbody, .d = d, .nblock = nblock, .nrow = nrow, .rowadr = s.rowadr,
                  .incadr = s.incadr, .incbody = s.incbody, .jadr = s.jadr, .J = s.J, .M = s.M,
                  .Minv = s.Minv};
  system_random_values(&s, MASS_FULL, seed);
  return s;
}

static inline block_system system_of_mechanism(int d, int nbody, const mechanism_joint *joint,
                                               int njoint, uint64_t *seed) {
  block_spec *spec = system_array((size_t)njoint, sizeof(*spec));
  for (int j = 0; j < njoint; j++) {
    spec[j].rows = joint[j].rows;
    for (int e = 0; e < 2; e++) {
      if (joint[j].body[e] >= 0) spec[j].body[spec[j].nbody++] = joint[j].body[e];
    }
  }
  block_system s = system_create(d, nbody, spec, njoint, seed);
  free(spec);
  return s;
}

static inline void system_destroy(block_system *s) {
  free(s->rowadr);
  free(s->incadr);
  free(s->incbody);
  free(s->jadr);
  free(s->J);
  free(s->M);
  free(s->Minv);
  free(s->f);
  free(s->g);
  free(s->active);
}

/* whole matrix, dense row-major; switched-off rows are rows of the unit matrix */
static inline long double *system_matrix(const tni_kkt *K) {
  int d = K->d, nx = K->nbody*d, n = nx + K->nrow;
  long double *A = system_array((size_t)n*(size_t)n, sizeof(*A));
  for (int b = 0; b < K->nbody; b++) {
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) A[(b*d+i)*n+b*d+j] = K->M[b*d*d+i*d+j];
    }
  }
  for (int b = 0; b < K->nblock; b++) {
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
      if (K->active && !K->active[r]) {
        A[(nx+r)*n+nx+r] = 1;
        continue;
      }
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        for (int i = 0; i < d; i++) {
          double v = K->J[K->jadr[a]+(r-K->rowadr[b])*d+i];
          A[(nx+r)*n+K->incbody[a]*d+i] = A[(K->incbody[a]*d+i)*n+nx+r] = v;
        }
      }
    }
  }
  return A;
}

/* reference solution, rows of the matrix scaled to maximum 1 for the pivoting */
static inline void system_reference(const tni_kkt *K, const double *f, const double *g, double *x,
                                    double *lambda) {
  int nx = K->nbody*K->d, n = nx + K->nrow;
  long double *A = system_matrix(K), *b = system_array((size_t)n, sizeof(*b));
  for (int i = 0; i < nx; i++) b[i] = f[i];
  for (int r = 0; r < K->nrow; r++) b[nx+r] = K->active && !K->active[r] ? 0 : g[r];
  for (int i = 0; i < n; i++) {
    long double most = 0;
    for (int j = 0; j < n; j++) {
      if (fabsl(A[i*n+j]) > most) most = fabsl(A[i*n+j]);
    }
    for (int j = 0; j < n; j++) A[i*n+j] /= most;
    b[i] /= most;
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++) {
      if (fabsl(A[i*n+k]) > fabsl(A[best*n+k])) best = i;
    }
    for (int j = 0; j < n; j++) {
      long double t = A[k*n+j];
      A[k*n+j] = A[best*n+j];
      A[best*n+j] = t;
    }
    long double t = b[k];
    b[k] = b[best];
    b[best] = t;
    for (int i = k + 1; i < n; i++) {
      long double l = A[i*n+k]/A[k*n+k];
      if (l == 0) continue;
      for (int j = k; j < n; j++) A[i*n+j] -= l*A[k*n+j];
      b[i] -= l*b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k*n+j]*b[j];
    b[k] /= A[k*n+k];
  }
  for (int i = 0; i < nx; i++) x[i] = (double)b[i];
  for (int r = 0; r < K->nrow; r++) lambda[r] = (double)b[nx+r];
  free(A);
  free(b);
}

#endif
