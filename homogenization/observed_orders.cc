// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"
#include "homogenization/convergence_study.h"

#include <algorithm>
#include <cmath>

namespace moreau::homogenization
{
namespace
{
/// Least squares slope of y over x.
double slope(const std::vector<double> &x, const std::vector<double> &y)
{
  const Eigen::Map<const Eigen::ArrayXd> X(x.data(), static_cast<Index>(x.size())),
      Y(y.data(), static_cast<Index>(y.size()));
  return ((X - X.mean()) * (Y - Y.mean())).sum() / (X - X.mean()).square().sum();
}
} // namespace

bool is_rounding(const double distance, const Level &level)
{
  return distance <= 64. * convex::epsilon * std::max(level.norm_U, level.scale);
}

void set_orders(std::vector<Level> &levels)
{
  for (std::size_t n = 1; n < levels.size(); ++n)
    {
      Level &level  = levels[n];
      level.refined = std::log(levels[n - 1].radius / level.radius);
      for (std::size_t k = 0; k < level.comparisons.size(); ++k)
        {
          Comparison &comparison = level.comparisons[k];
          const auto &before     = levels[n - 1].comparisons[k];
          const auto  order      = [&level](const double coarse, const double fine) {
            return is_rounding(fine, level) ? std::numeric_limits<double>::quiet_NaN()
                                                  : std::log(coarse / fine) / level.refined;
          };
          comparison.order             = order(before.error.value, comparison.error.value);
          comparison.order_interpolant = order(before.interpolant.value, comparison.interpolant.value);
        }
    }
}

std::size_t n_in_order(const std::size_t n) { return std::min<std::size_t>(3, n); }

double observed_order(const std::vector<double> &sizes, const std::vector<double> &errors)
{
  if (sizes.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> log_sizes, log_errors;
  for (std::size_t n = sizes.size() - n_in_order(sizes.size()); n < sizes.size(); ++n)
    {
      log_sizes.push_back(std::log(sizes[n]));
      log_errors.push_back(std::log(errors[n]));
    }
  return slope(log_sizes, log_errors);
}

double observed_order(const std::vector<Level> &levels, const std::size_t reference)
{
  std::vector<double> radii, errors;
  for (const Level &level : levels)
    {
      radii.push_back(level.radius);
      errors.push_back(level.comparisons[reference].error.value);
      if (is_rounding(errors.back(), level))
        return std::numeric_limits<double>::quiet_NaN();
    }
  return observed_order(radii, errors);
}

double observed_cost(const std::vector<Level> &levels)
{
  constexpr double    shortest = .1; // s
  std::vector<double> sizes, seconds;
  for (const Level &level : levels)
    if (const double all = level.seconds_cells + level.seconds_transfer + level.effort.seconds + level.seconds_comparison;
        all >= shortest)
      {
        sizes.push_back(std::log(static_cast<double>(level.n_spheres)));
        seconds.push_back(std::log(all));
      }
  return sizes.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : slope(sizes, seconds);
}
} // namespace moreau::homogenization
