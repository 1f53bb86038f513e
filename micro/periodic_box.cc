// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/periodic_box.h"

#include <cmath>

namespace moreau::micro
{
void PeriodicBox::wrap(double *x) const
{
  for (Index k = 0; k < period.size(); ++k)
    if (period(k) > 0. && !(lower(k) <= x[k] && x[k] < lower(k) + period(k)))
      {
        x[k] -= std::floor((x[k] - lower(k)) / period(k)) * period(k);
        if (!(lower(k) <= x[k] && x[k] < lower(k) + period(k))) // by rounding
          x[k] = lower(k);
      }
}

bool PeriodicBox::contains(const Eigen::MatrixXd &r) const
{
  for (Index k = 0; k < period.size(); ++k)
    if (period(k) > 0. && r.cols() > 0 && !(lower(k) <= r.row(k).minCoeff() && r.row(k).maxCoeff() < lower(k) + period(k)))
      return false;
  return true;
}

namespace
{
/// -1, 0 or 1 for a digit of a code.
int shift_of_digit(const std::int32_t digit) { return digit == 2 ? -1 : digit; }
} // namespace

std::vector<std::int32_t> PeriodicBox::images() const
{
  std::vector<std::int32_t> codes = {0};
  std::int32_t              digit = 1;
  for (Index k = 0; k < period.size(); ++k, digit *= 3)
    if (period(k) > 0.)
      for (std::size_t c = 0, n = codes.size(); c < n; ++c)
        for (const int value : {1, 2})
          codes.push_back(codes[c] + value * digit);
  return codes;
}

std::array<int, 3> PeriodicBox::shift(std::int32_t image)
{
  std::array<int, 3> result = {0, 0, 0};
  for (std::size_t k = 0; image > 0; ++k, image /= 3)
    result[k] = shift_of_digit(image % 3);
  return result;
}

std::int32_t PeriodicBox::code(const std::array<int, 3> &shift)
{
  std::int32_t code = 0;
  for (int k = 2; k >= 0; --k)
    code = 3 * code + (shift[k] == 0 ? 0 : shift[k] > 0 ? 1 : 2);
  return code;
}

std::int32_t PeriodicBox::opposite(std::int32_t image)
{
  std::int32_t result = 0;
  for (std::int32_t digit = 1; image > 0; image /= 3, digit *= 3)
    result += digit * ((3 - image % 3) % 3);
  return result;
}

Vector PeriodicBox::displacement(const std::int32_t image, const Index dim) const
{
  Vector result = Vector::Zero(dim);
  if (image != 0)
    for (Index k = 0; k < dim; ++k)
      if (const int n = shift(image)[k]; n != 0)
        result(k) = n * period(k);
  return result;
}
} // namespace moreau::micro
