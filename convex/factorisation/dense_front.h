// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_FACTORISATION_DENSE_FRONT_H
#define MOREAU_CONVEX_FACTORISATION_DENSE_FRONT_H

extern "C" {
void dpotrf_(const char *uplo, const int *n, double *A, const int *ld, int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *A, const int *ldA, double *B, const int *ldB);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *A,
            const int *ldA, const double *beta, double *C, const int *ldC);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A, const int *ld, double *x,
            const int *incx);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A, const int *ld,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dgemm_(const char *transA, const char *transB, const int *m, const int *n, const int *k, const double *alpha,
            const double *A, const int *ldA, const double *B, const int *ldB, const double *beta, double *C, const int *ldC);
void spotrf_(const char *uplo, const int *n, float *A, const int *ld, int *info);
void strsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const float *alpha, const float *A, const int *ldA, float *B, const int *ldB);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha, const float *A,
            const int *ldA, const float *beta, float *C, const int *ldC);
void strsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *A, const int *ld, float *x,
            const int *incx);
void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *A, const int *ld, const float *x,
            const int *incx, const float *beta, float *y, const int *incy);
void sgemm_(const char *transA, const char *transB, const int *m, const int *n, const int *k, const float *alpha,
            const float *A, const int *ldA, const float *B, const int *ldB, const float *beta, float *C, const int *ldC);
}

namespace moreau::convex
{
/// The routines of BLAS and LAPACK of one precision.
template <class Real>
struct Blas;

template <>
struct Blas<double>
{
  static constexpr auto potrf = dpotrf_;
  static constexpr auto trsm  = dtrsm_;
  static constexpr auto syrk  = dsyrk_;
  static constexpr auto gemm  = dgemm_;
  static constexpr auto trsv  = dtrsv_;
  static constexpr auto gemv  = dgemv_;
};

template <>
struct Blas<float>
{
  static constexpr auto potrf = spotrf_;
  static constexpr auto trsm  = strsm_;
  static constexpr auto syrk  = ssyrk_;
  static constexpr auto gemm  = sgemm_;
  static constexpr auto trsv  = strsv_;
  static constexpr auto gemv  = sgemv_;
};

/// Eliminates the nc own columns of a front: panel (nr x nc, column by column) holds [A11; A21] and becomes [L11; L21],
/// A11 = L11 L11ᵀ; schur (nu x nu, nu = nr - nc) becomes itself - L21 L21ᵀ, or that alone where it is `empty` (it need not
/// be set then). Of A11 and schur only the lower triangles count. Large fronts are dealt to TBB's threads in tiles of fixed
/// size: the same digits for any number of threads. False where a pivot is not positive.
template <class Real>
bool eliminate_front(Real *panel, int nr, int nc, Real *schur, bool empty);

extern template bool eliminate_front<double>(double *, int, int, double *, bool);
extern template bool eliminate_front<float>(float *, int, int, float *, bool);
} // namespace moreau::convex

#endif
