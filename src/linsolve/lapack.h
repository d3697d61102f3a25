/* linsolve/lapack.h - the functions of LAPACK that are used, as they are in OpenBLAS
 *
 * Matrices by columns, names without the d, arguments in LAPACK's order, info returned: 0 done, > 0 no pivot. LAPACKE would
 * do the same: its library and what it brings along are loaded at every start of a program.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LAPACK_H
#define TNI_LAPACK_H

#include <stddef.h>

/* Fortran: everything by address, lengths of texts at the end */
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *, const int *,
            double *, const int *, double *, const int *, int *, size_t, size_t);
void dgelsy_(const int *, const int *, const int *, double *, const int *, double *, const int *, int *, const double *,
             int *, double *, const int *, int *);
void dgeqp3_(const int *, const int *, double *, const int *, int *, double *, double *, const int *, int *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *, const int *,
             double *, const int *, double *, const int *, int *, size_t, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *, double *, const int *, int *,
             size_t);
void dggev_(const char *, const char *, const int *, double *, const int *, double *, const int *, double *, double *,
            double *, double *, const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *, double *, const int *, int *);
void dormqr_(const char *, const char *, const int *, const int *, const int *, const double *, const int *, const double *,
             double *, const int *, double *, const int *, int *, size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void dpotri_(const char *, const int *, double *, const int *, int *, size_t);
void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *, const int *, int *, size_t);
void dpstrf_(const char *, const int *, double *, const int *, int *, int *, const double *, double *, int *, size_t);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *, size_t,
            size_t);
void dsygv_(const int *, const char *, const char *, const int *, double *, const int *, double *, const int *, double *,
            double *, const int *, int *, size_t, size_t);
void zgesv_(const int *, const int *, double _Complex *, const int *, int *, double _Complex *, const int *, int *);

static inline int tni_geev(char left, char right, int n, double *A, int lda, double *re, double *im, double *L, int ldl,
                           double *R, int ldr, double *work, int lwork) {
  int info = 0;
  dgeev_(&left, &right, &n, A, &lda, re, im, L, &ldl, R, &ldr, work, &lwork, &info, 1, 1);
  return info;
}

static inline int tni_gelsy(int m, int n, int nrhs, double *A, int lda, double *b, int ldb, int *pivot, double small,
                            int *rank, double *work, int lwork) {
  int info = 0;
  dgelsy_(&m, &n, &nrhs, A, &lda, b, &ldb, pivot, &small, rank, work, &lwork, &info);
  return info;
}

static inline int tni_geqp3(int m, int n, double *A, int lda, int *pivot, double *tau, double *work, int lwork) {
  int info = 0;
  dgeqp3_(&m, &n, A, &lda, pivot, tau, work, &lwork, &info);
  return info;
}

static inline int tni_geqrf(int m, int n, double *A, int lda, double *tau, double *work, int lwork) {
  int info = 0;
  dgeqrf_(&m, &n, A, &lda, tau, work, &lwork, &info);
  return info;
}

static inline int tni_gesvd(char jobu, char jobv, int m, int n, double *A, int lda, double *value, double *U, int ldu,
                            double *Vt, int ldv, double *work, int lwork) {
  int info = 0;
  dgesvd_(&jobu, &jobv, &m, &n, A, &lda, value, U, &ldu, Vt, &ldv, work, &lwork, &info, 1, 1);
  return info;
}

static inline int tni_getrf(int m, int n, double *A, int lda, int *pivot) {
  int info = 0;
  dgetrf_(&m, &n, A, &lda, pivot, &info);
  return info;
}

static inline int tni_getrs(char trans, int n, int nrhs, const double *A, int lda, const int *pivot, double *b, int ldb) {
  int info = 0;
  dgetrs_(&trans, &n, &nrhs, A, &lda, pivot, b, &ldb, &info, 1);
  return info;
}

/* both of the last two, one right-hand side */
static inline int tni_gesv(int n, double *A, int lda, int *pivot, double *b) {
  int info = tni_getrf(n, n, A, lda, pivot);
  return info ? info : tni_getrs('N', n, 1, A, lda, pivot, b, n);
}

static inline int tni_ggev(char left, char right, int n, double *A, int lda, double *B, int ldb, double *re, double *im,
                           double *beta, double *L, int ldl, double *R, int ldr, double *work, int lwork) {
  int info = 0;
  dggev_(&left, &right, &n, A, &lda, B, &ldb, re, im, beta, L, &ldl, R, &ldr, work, &lwork, &info, 1, 1);
  return info;
}

static inline int tni_orgqr(int m, int n, int k, double *A, int lda, const double *tau, double *work, int lwork) {
  int info = 0;
  dorgqr_(&m, &n, &k, A, &lda, tau, work, &lwork, &info);
  return info;
}

static inline int tni_ormqr(char side, char trans, int m, int n, int k, const double *A, int lda, const double *tau,
                            double *C, int ldc, double *work, int lwork) {
  int info = 0;
  dormqr_(&side, &trans, &m, &n, &k, A, &lda, tau, C, &ldc, work, &lwork, &info, 1, 1);
  return info;
}

static inline int tni_potrf(char uplo, int n, double *A, int lda) {
  int info = 0;
  dpotrf_(&uplo, &n, A, &lda, &info, 1);
  return info;
}

static inline int tni_potri(char uplo, int n, double *A, int lda) {
  int info = 0;
  dpotri_(&uplo, &n, A, &lda, &info, 1);
  return info;
}

static inline int tni_potrs(char uplo, int n, int nrhs, const double *A, int lda, double *b, int ldb) {
  int info = 0;
  dpotrs_(&uplo, &n, &nrhs, A, &lda, b, &ldb, &info, 1);
  return info;
}

/* with the largest diagonal entry as pivot; stops at the rank, where none is above tol. pivot from 1; work [2 n] */
static inline int tni_pstrf(char uplo, int n, double *A, int lda, int *pivot, int *rank, double tol, double *work) {
  int info = 0;
  dpstrf_(&uplo, &n, A, &lda, pivot, rank, &tol, work, &info, 1);
  return info;
}

static inline int tni_syev(char job, char uplo, int n, double *A, int lda, double *value, double *work, int lwork) {
  int info = 0;
  dsyev_(&job, &uplo, &n, A, &lda, value, work, &lwork, &info, 1, 1);
  return info;
}

static inline int tni_sygv(int type, char job, char uplo, int n, double *A, int lda, double *B, int ldb, double *value,
                           double *work, int lwork) {
  int info = 0;
  dsygv_(&type, &job, &uplo, &n, A, &lda, B, &ldb, value, work, &lwork, &info, 1, 1);
  return info;
}

/* complex */
static inline int tni_zgesv(int n, int nrhs, double _Complex *A, int lda, int *pivot, double _Complex *b, int ldb) {
  int info;
  zgesv_(&n, &nrhs, A, &lda, pivot, b, &ldb, &info);
  return info;
}

#endif
