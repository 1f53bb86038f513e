// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_CAMPAIGN_ACTIVE_SET_H
#define MOREAU_TESTS_CAMPAIGN_ACTIVE_SET_H

#include <Eigen/Core>

/// The oracle of the campaign: it knows nothing of the program that it judges.
namespace moreau::campaign
{
using Real       = long double; // 64 bits of mantissa on x86: 2000 times finer than double
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

enum class Verdict
{
  solved,   ///< x satisfies the conditions of optimality to 3e-17 of |y|
  empty,    ///< no x satisfies Ax <= b: there is λ >= 0 with Aᵀλ = 0 and <b, λ> < 0
  undecided ///< rounding, also that of long double, hides which
};

struct NearestPoint
{
  Verdict    verdict = Verdict::undecided;
  RealVector x;      ///< n
  RealVector lambda; ///< m: y - x = Aᵀλ, λ >= 0, <b - Ax, λ> = 0
};

/// The point of { x : Ax <= b } that is nearest to y: the dual method of Goldfarb and Idnani (1983) with an orthogonal
/// factorisation of the active rows, kept by Gram and Schmidt, twice, and by Givens' rotations where a row leaves. The
/// verdict does not rest on the way there: optimality is checked at the end, with multipliers computed anew.
///   A  m x n, no row zero;  b  m;  y  n
NearestPoint nearest_point(const RealMatrix &A, const RealVector &b, const RealVector &y);
} // namespace moreau::campaign

#endif
