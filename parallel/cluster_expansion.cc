// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/cluster_expansion.h"

#include "convex/shared_components.h"
#include "micro/cluster_centre.h"
#include "parallel/unwrapped_clusters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace moreau::parallel
{
namespace
{
/// The clusters of all processes in the order of their first spheres.
struct Clusters
{
  std::vector<Index> first;   ///< numbers of these
  Eigen::MatrixXd    r;       ///< their centres, d x clusters
  std::vector<int>   of_node; ///< cluster of each node here
};

Clusters clusters_of(const convex::SharedNetwork &network, const micro::Spheres &own, const Processes &processes)
{
  const convex::NetworkPart &part   = network.here();
  const std::vector<Index>   lowest = convex::lowest_connected(network, [](Index) { return true; });
  List                       firsts;
  for (Index k = 0; k < part.n_own; ++k)
    if (lowest[part.first_own + k] == part.number[part.first_own + k])
      {
        firsts.push_back(static_cast<double>(part.number[part.first_own + k]));
        firsts.insert(firsts.end(), own.r.col(k).begin(), own.r.col(k).end());
      }
  firsts = on_all(processes, firsts);
  Clusters clusters;
  clusters.r.resize(part.dim, static_cast<Index>(firsts.size()) / (1 + part.dim));
  for (Index c = 0; c < clusters.r.cols(); ++c)
    {
      clusters.first.push_back(static_cast<Index>(firsts[(1 + part.dim) * c]));
      clusters.r.col(c) = Eigen::Map<const Vector>(firsts.data() + (1 + part.dim) * c + 1, part.dim);
    }
  for (const Index number : lowest)
    clusters.of_node.push_back(
        static_cast<int>(std::lower_bound(clusters.first.begin(), clusters.first.end(), number) - clusters.first.begin()));
  return clusters;
}

/// Centroids relative to the first spheres.
///   r  of own spheres, laid out
Eigen::MatrixXd centroids(const convex::SharedNetwork &network, const Eigen::MatrixXd &r, const Clusters &clusters)
{
  const Index           dim     = network.here().dim;
  const auto            cluster = [&](const Index k) { return clusters.of_node[network.here().first_own + k]; };
  const Eigen::MatrixXd sums =
      convex::sums_of_parts(network, 1 + dim, clusters.r.cols(), cluster, [&](const Index k, Eigen::Ref<Vector> sum) {
        sum(0) += 1.;
        sum.tail(dim) += r.col(k) - clusters.r.col(cluster(k));
      });
  return sums.bottomRows(dim).array().rowwise() / sums.row(0).array();
}

/// The walls that each cluster touches, for those that touch any.
std::map<int, std::set<int>> touched_walls(const std::vector<micro::Contact> &contacts, const Index n_nodes,
                                           const Clusters &clusters, const Processes &processes)
{
  std::set<std::pair<int, int>> here;
  for (const micro::Contact &contact : contacts)
    if (contact.j >= n_nodes)
      here.emplace(clusters.of_node[contact.i], static_cast<int>(contact.j - n_nodes));
  List pairs;
  for (const auto &[k, wall] : here)
    pairs.insert(pairs.end(), {static_cast<double>(k), static_cast<double>(wall)});
  pairs = on_all(processes, pairs);
  std::map<int, std::set<int>> touched;
  for (std::size_t at = 0; at < pairs.size(); at += 2)
    touched[static_cast<int>(pairs[at])].insert(static_cast<int>(pairs[at + 1]));
  return touched;
}
} // namespace

convex::Expansion cluster_expansion(const convex::SharedNetwork &network, const micro::Spheres &own,
                                    const std::vector<micro::Contact> &contacts, const std::vector<micro::Wall> &walls,
                                    const micro::PeriodicBox &box, const Processes &processes)
{
  const convex::NetworkPart &part     = network.here();
  const Index                dim      = part.dim;
  const Clusters             clusters = clusters_of(network, own, processes);
  const UnwrappedClusters    laid_out = unwrapped_clusters(network, own.r, contacts, box);
  Eigen::MatrixXd            c        = centroids(network, laid_out.r, clusters);
  const double      R_min = -processes.max(own.size() == 0 ? -std::numeric_limits<double>::infinity() : -own.R.minCoeff());
  std::vector<char> has_field(clusters.first.size(), 1);
  for (const auto &[k, touched] : touched_walls(contacts, network.rows().n_nodes(), clusters, processes))
    {
      const auto point = micro::nearest_point_behind(walls, touched, c.col(k), clusters.r.col(k), 1e-3 * R_min);
      has_field[k]     = point.has_value();
      if (point)
        c.col(k) = *point;
    }

  convex::Expansion x;
  x.n_parts = static_cast<int>(clusters.first.size());
  x.w       = Vector::Zero(dim * part.n_own);
  for (Index i = 0; i < part.n_own; ++i)
    {
      const int k = clusters.of_node[part.first_own + i];
      x.part_of_unknown.insert(x.part_of_unknown.end(), dim, k);
      if (!has_field[k])
        continue;
      x.w.segment(dim * i, dim) = (laid_out.r.col(i) - clusters.r.col(k)) - c.col(k);
      if (const auto endless = laid_out.endless.find(clusters.first[k]); endless != laid_out.endless.end())
        {
          const Vector from_c = x.w.segment(dim * i, dim);
          x.w.segment(dim * i, dim) -= endless->second * (endless->second.transpose() * from_c);
        }
    }
  for (const micro::Contact &contact : contacts)
    x.part_of_row.push_back(clusters.of_node[contact.i]);
  return x;
}
} // namespace moreau::parallel
