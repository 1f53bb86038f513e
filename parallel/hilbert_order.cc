// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/hilbert_order.h"

#include "convex/with_dimension.h"

#include <deal.II/base/point.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <numeric>

namespace moreau::parallel
{
std::vector<Eigen::Index> hilbert_order(const Eigen::MatrixXd &r)
{
  std::vector<Eigen::Index> order(r.cols());
  std::iota(order.begin(), order.end(), 0);
  if (r.cols() == 0)
    return order;
  convex::with_dimension(r.rows(), [&](const auto d) {
    constexpr int                   dim = d();
    std::vector<dealii::Point<dim>> points(r.cols());
    for (Eigen::Index k = 0; k < r.cols(); ++k)
      for (int a = 0; a < dim; ++a)
        points[k][a] = r(a, k);
    constexpr int              n_bits = 21; // a millionth of the box; three times that fits into one word
    const auto                 digits = dealii::Utilities::inverse_Hilbert_space_filling_curve<dim, double>(points, n_bits);
    std::vector<std::uint64_t> key(digits.size());
    std::transform(digits.begin(), digits.end(), key.begin(),
                   [](const auto &digit) { return dealii::Utilities::pack_integers<dim>(digit, n_bits); });
    std::stable_sort(order.begin(), order.end(), [&](const auto a, const auto b) { return key[a] < key[b]; });
  });
  return order;
}
} // namespace moreau::parallel
