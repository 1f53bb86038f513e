// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MICRO_PACKING_GAPS_H
#define MOREAU_TESTS_MICRO_PACKING_GAPS_H

#include "micro/motion/linearised_step.h"
#include "micro/packings.h"

#include <algorithm>
#include <cmath>
#include <vector>

/// What tests of packings ask for, by comparing everything with everything.
namespace moreau::micro::test
{
/// In the box from 0 to 1, or as long as `length` in x.
inline PackingParameters parameters(const Index dim, const Index n, const bool periodic, const double spread = .3)
{
  PackingParameters result;
  result.lower = Vector::Zero(dim);
  result.upper = Vector::Ones(dim);
  result.periodic.assign(dim, periodic);
  result.n      = n;
  result.spread = spread;
  return result;
}

/// All gaps up to `reach` of the mean radius, of walls (j >= n) and across the sides of periodic boxes, by comparing
/// everything with everything.
inline std::vector<StepRow> all_gaps(const Packing &packing, const PackingParameters &parameters, const double reach)
{
  const Eigen::MatrixXd &r   = packing.spheres.r;
  const Vector          &R   = packing.spheres.R;
  const Index            dim = r.rows(), n = r.cols();
  std::vector<StepRow>   rows;
  const auto             add = [&](const Index i, const Index j, const double D, const Vector &e) {
    if (D > reach * R.mean())
      return;
    StepRow row     = {static_cast<int>(i), static_cast<int>(j), 0, Eigen::Vector3d::Zero(), D};
    row.e.head(dim) = e;
    rows.push_back(row);
  };
  for (Index i = 0; i < n; ++i)
    {
      for (Index j = i + 1; j < n; ++j)
        {
          Vector x = r.col(j) - r.col(i);
          for (Index k = 0; k < dim; ++k)
            if (parameters.periodic[k])
              x(k) -= std::round(x(k)); // nearest image: spheres are small here
          add(i, j, x.norm() - R(i) - R(j), x.normalized());
        }
      for (Index k = 0; k < dim; ++k)
        if (!parameters.periodic[k])
          {
            add(i, n + 2 * k, r(k, i) - parameters.lower(k) - R(i), -Vector::Unit(dim, k));
            add(i, n + 2 * k + 1, parameters.upper(k) - r(k, i) - R(i), Vector::Unit(dim, k));
          }
    }
  return rows;
}

inline double largest_overlap(const Packing &packing, const PackingParameters &parameters)
{
  double overlap = 0.;
  for (const StepRow &row : all_gaps(packing, parameters, 0.))
    overlap = std::max(overlap, -row.D);
  return overlap / packing.spheres.R.minCoeff();
}
} // namespace moreau::micro::test

#endif
