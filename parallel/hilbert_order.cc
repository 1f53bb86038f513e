// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/hilbert_order.h"

#include "convex/with_dimension.h"

#include <deal.II/base/utilities.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace moreau::parallel
{
std::vector<std::uint64_t> hilbert_keys(const Eigen::MatrixXd &r, const Eigen::VectorXd &lower, const Eigen::VectorXd &upper)
{
  std::vector<std::uint64_t> keys;
  convex::with_dimension(r.rows(), [&](const auto d) {
    constexpr int                               dim    = d();
    constexpr int                               n_bits = 21; // a millionth of the box; three times that fits into one word
    constexpr double                            most   = (1 << n_bits) - 1;
    std::vector<std::array<std::uint64_t, dim>> cells(r.cols());
    for (int a = 0; a < dim; ++a)
      {
        const double extent = upper(a) - lower(a);
        for (Eigen::Index k = 0; k < r.cols(); ++k)
          cells[k][a] =
              extent > 0. ? static_cast<std::uint64_t>(std::clamp((r(a, k) - lower(a)) / extent, 0., 1.) * most) : 0;
      }
    keys.reserve(cells.size());
    for (const auto &digit : dealii::Utilities::inverse_Hilbert_space_filling_curve<dim>(cells, n_bits))
      keys.push_back(dealii::Utilities::pack_integers<dim>(digit, n_bits));
  });
  return keys;
}

std::vector<Eigen::Index> ascending(const std::vector<std::uint64_t> &keys)
{
  std::vector<Eigen::Index> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](const auto a, const auto b) { return keys[a] < keys[b]; });
  return order;
}
} // namespace moreau::parallel
