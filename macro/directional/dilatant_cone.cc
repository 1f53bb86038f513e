// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/cone.h"

#include "convex/input_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace moreau::macro
{
namespace
{
/// The angles πk/K, axes exactly, so that walls see them along and across.
Eigen::MatrixXd directions_in_plane(const int K)
{
  if (K < 4 || K % 2 != 0)
    throw InputError("the number of directions",
                     std::to_string(K) + " directions are asked for; give an even number from 4 on.");
  Eigen::MatrixXd e(2, K);
  for (int k = 0; k < K; ++k)
    {
      const double angle = M_PI * k / K;
      e.col(k) << (2 * k == K ? 0. : std::cos(angle)), std::sin(angle);
    }
  return e;
}

/// Sets of lines that the group of the cube maps to themselves, by the vectors that they come from.
struct SetInSpace
{
  int                             K;
  double                          inner_factor;
  std::vector<std::array<int, 3>> from;
};

/// inner_factor: the largest -λ_min of trace-free tensors X with e_k·Xe_k >= -1 for all k. For each unit e the largest -e·Xe
/// is a linear program; e was varied over a fundamental domain on a grid and then to rest (1e-7), and the last digit
/// given here is rounded up.
const std::vector<SetInSpace> &sets_in_space()
{
  static const std::vector<SetInSpace> sets = {
      {13, 1.62133, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}},
      {19, 1.33712, {{1, 0, 0}, {1, 1, 1}, {2, 1, 0}}},
      {37, 1.17706, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 0}, {2, 1, 1}}},
      {49, 1.14039, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {3, 1, 0}, {3, 2, 1}}},
      {73, 1.11685, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {3, 1, 0}, {2, 1, 1}, {2, 2, 1}, {3, 2, 1}}}};
  return sets;
}

const SetInSpace &set_in_space(const int K)
{
  const auto found =
      std::find_if(sets_in_space().begin(), sets_in_space().end(), [K](const SetInSpace &set) { return set.K == K; });
  if (found == sets_in_space().end())
    throw InputError("the number of directions",
                     std::to_string(K) + " directions are asked for; in space there are sets of 13, 19, 37, 49 and 73.");
  return *found;
}

/// All that permutations and signs make of a vector, one of e and -e.
void append_orbit(std::array<int, 3> vector, std::vector<std::array<int, 3>> &lines)
{
  std::sort(vector.begin(), vector.end());
  do
    for (int signs = 0; signs < 8; ++signs)
      {
        std::array<int, 3> line;
        for (int a = 0; a < 3; ++a)
          line[a] = signs >> a & 1 ? -vector[a] : vector[a];
        const std::array<int, 3> opposite = {-line[0], -line[1], -line[2]};
        if (std::find(lines.begin(), lines.end(), line) == lines.end() &&
            std::find(lines.begin(), lines.end(), opposite) == lines.end())
          lines.push_back(line);
      }
  while (std::next_permutation(vector.begin(), vector.end()));
}

Eigen::MatrixXd directions_in_space(const int K)
{
  std::vector<std::array<int, 3>> lines;
  for (const std::array<int, 3> &vector : set_in_space(K).from)
    append_orbit(vector, lines);
  Eigen::MatrixXd e(3, static_cast<Eigen::Index>(lines.size()));
  for (Eigen::Index k = 0; k < e.cols(); ++k)
    e.col(k) = Eigen::Vector3d(lines[k][0], lines[k][1], lines[k][2]).normalized();
  return e;
}
} // namespace

Cone dilatant_cone(const int dim, Field dilatancy, const int n_directions)
{
  Cone cone;
  cone.type         = ConeType::dilatant;
  cone.n_directions = n_directions;
  cone.dilatancy    = std::move(dilatancy);
  cone.directions   = dim == 2 ? directions_in_plane(n_directions) : directions_in_space(n_directions);
  return cone;
}

double inner_factor(const Cone &cone)
{
  if (cone.type != ConeType::dilatant)
    return 1.;
  return cone.directions.rows() == 2 ? 1. / std::cos(M_PI / cone.n_directions)
                                     : set_in_space(cone.n_directions).inner_factor;
}
} // namespace moreau::macro
