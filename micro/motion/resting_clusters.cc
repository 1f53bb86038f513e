// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/resting_clusters.h"

#include "convex/components.h"

#include <algorithm>

namespace moreau::micro
{
namespace
{
/// What the obstacles that a cluster touches can carry, and what its forces are in the mean.
struct Carried
{
  Eigen::Matrix3d carried = Eigen::Matrix3d::Zero(); ///< orthogonal projection on the span of the normals
  Eigen::Vector3d sum     = Eigen::Vector3d::Zero(); ///< Σ m_i h f_i
  double          mass    = 0.;
  double          along = 0., across = 0., all = 0.; ///< the largest carried part, of the rest less its mean, of h f_i

  void add_normal(const Eigen::Vector3d &e)
  {
    constexpr double      new_direction = 1e-6;
    const Eigen::Vector3d rest          = e - carried * e;
    if (const double length = rest.norm(); length > new_direction)
      carried += rest / length * (rest / length).transpose();
  }
};
} // namespace

PressedClusters pressed_clusters(const std::vector<StepRow> &rows, const std::vector<std::size_t> &pressed, const Vector &m,
                                 const Index dim, const Vector &pushed)
{
  const auto         n = static_cast<int>(m.size());
  convex::Components joined(n);
  std::vector<bool>  takes_part(n, false);
  for (const std::size_t c : pressed)
    {
      takes_part[rows[c].i] = true;
      if (rows[c].j < n)
        {
          takes_part[rows[c].j] = true;
          joined.join(rows[c].i, rows[c].j);
        }
    }
  PressedClusters result;
  result.of_sphere.assign(n, -1);
  std::vector<Carried> of_cluster;
  for (int i = 0; i < n; ++i) // a first member comes before the others
    if (takes_part[i])
      {
        const int first = joined.first(i);
        if (first == i)
          of_cluster.emplace_back();
        result.of_sphere[i] = first == i ? static_cast<int>(of_cluster.size()) - 1 : result.of_sphere[first];
      }
  const auto force = [&](const int i) {
    Eigen::Vector3d f = Eigen::Vector3d::Zero();
    f.head(dim)       = pushed.segment(dim * i, dim);
    return f;
  };
  for (const std::size_t c : pressed)
    if (rows[c].j >= n)
      of_cluster[result.of_sphere[rows[c].i]].add_normal(rows[c].e);
  for (int i = 0; i < n; ++i)
    if (takes_part[i])
      {
        Carried &cluster = of_cluster[result.of_sphere[i]];
        cluster.sum += m(i) * force(i);
        cluster.mass += m(i);
      }
  for (int i = 0; i < n; ++i)
    if (takes_part[i])
      {
        Carried              &cluster = of_cluster[result.of_sphere[i]];
        const Eigen::Vector3d along = cluster.carried * force(i), rest = force(i) - cluster.sum / cluster.mass;
        cluster.along  = std::max(cluster.along, along.norm());
        cluster.across = std::max(cluster.across, (rest - cluster.carried * rest).norm());
        cluster.all    = std::max(cluster.all, force(i).norm());
      }
  for (const Carried &cluster : of_cluster)
    result.resting.push_back(2. * std::min(cluster.all, cluster.along + cluster.across));
  return result;
}
} // namespace moreau::micro
