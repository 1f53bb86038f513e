// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/derivative.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
Eigen::VectorXd derivative(const Formula &f, const Eigen::VectorXd &variables, const Eigen::Index k)
{
  // ε^{1/3} and ε^{1/5}: rounding and the error of the order are then the same
  constexpr double near = 6e-6, far = 1e-3, same = 1e-7;
  const double     size      = std::max(1., std::abs(variables(k)));
  const auto       place_for = [&](const double by) {
    Eigen::VectorXd x = variables;
    x(k) += by * size;
    return x;
  };
  const auto difference = [&](const double by) -> Eigen::VectorXd { // over a step that the numbers have indeed
    const Eigen::VectorXd right = place_for(by), left = place_for(-by);
    Eigen::VectorXd       f_right(f.n_components()), f_left(f.n_components());
    f.evaluate(right.data(), f_right.data());
    f.evaluate(left.data(), f_left.data());
    return (f_right - f_left) / (right(k) - left(k));
  };
  const Eigen::VectorXd second = difference(near);
  if (!second.allFinite())
    {
      f(place_for(near)); // throws where one of them is not finite
      f(place_for(-near));
    }
  const Eigen::VectorXd fourth = (4. * difference(far) - difference(2. * far)) / 3.;
  Eigen::VectorXd       result = second;
  for (Eigen::Index i = 0; i < result.size(); ++i)
    if (std::abs(fourth(i) - second(i)) <= same * (1. + std::abs(second(i)))) // not near a kink, nor beside a number
      result(i) = fourth(i);
  return result;
}
} // namespace moreau::app
