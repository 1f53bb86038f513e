// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/impact_problem.h"

#include "convex/input_error.h"
#include "convex/components.h"
#include "micro/cluster_centre.h"
#include "micro/contact_constraint.h"
#include "micro/unwrapped.h"

#include <Eigen/QR>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
/// The connected clusters of spheres, numbered in the order of their first spheres. Walls connect nothing: they do not move.
std::vector<int> clusters_of(const ContactGraph &graph, int &n_clusters)
{
  convex::Components clusters(graph.n_spheres);
  for (const Contact &c : graph.contacts)
    if (!graph.touches_wall(c))
      clusters.join(c.i, c.j);
  return clusters.numbers(n_clusters);
}

/// The half-space normal·c <= bound.
struct HalfSpace
{
  Vector normal;
  double bound;
};

/// The point of all half-spaces that is nearest to x, if there is one. At most d of them, with independent normals, hold it
/// where it is, so the nearest of the projections on their edges that lies in all half-spaces is the projection.
std::optional<Vector> nearest_point(const Vector &x, const std::vector<HalfSpace> &half_spaces, const double slack)
{
  const Index           n = half_spaces.size(), dim = x.size();
  std::optional<Vector> best;
  std::vector<Index>    active;

  const auto try_active = [&] {
    Eigen::MatrixXd N(active.size(), dim);
    Vector          excess(active.size());
    for (std::size_t a = 0; a < active.size(); ++a)
      {
        N.row(a)  = half_spaces[active[a]].normal;
        excess(a) = N.row(a).dot(x) - half_spaces[active[a]].bound;
      }
    Vector c = x;
    if (!active.empty())
      c -= N.completeOrthogonalDecomposition().solve(excess);
    for (const HalfSpace &half_space : half_spaces)
      if (half_space.normal.dot(c) > half_space.bound + slack)
        return;
    if (!best || (c - x).norm() < (*best - x).norm())
      best = c;
  };
  const auto choose = [&](const auto &self, const Index first) -> void {
    try_active();
    if (static_cast<Index>(active.size()) < dim)
      for (Index h = first; h < n; ++h)
        {
          active.push_back(h);
          self(self, h + 1);
          active.pop_back();
        }
  };
  choose(choose, 0);
  return best;
}

/// Centroids of the clusters relative to their first spheres, so that coordinates far from the origin lose no digits.
Eigen::MatrixXd centroids(const Eigen::MatrixXd &r, const std::vector<int> &cluster, const std::vector<int> &first)
{
  const Index     n_clusters = first.size();
  Eigen::MatrixXd sum        = Eigen::MatrixXd::Zero(r.rows(), n_clusters);
  Vector          count      = Vector::Zero(n_clusters);
  for (Index i = 0; i < r.cols(); ++i)
    {
      sum.col(cluster[i]) += r.col(i) - r.col(first[cluster[i]]);
      count(cluster[i]) += 1.;
    }
  for (Index k = 0; k < n_clusters; ++k)
    sum.col(k) /= count(k);
  return sum;
}

/// The walls that a cluster touches, for the clusters that touch any.
std::map<int, std::set<int>> touched_walls(const ContactGraph &graph, const std::vector<int> &cluster)
{
  std::map<int, std::set<int>> touched;
  for (const Contact &c : graph.contacts)
    if (graph.touches_wall(c))
      touched[cluster[c.i]].insert(static_cast<int>(c.j - graph.n_spheres));
  return touched;
}
} // namespace

std::optional<Vector> nearest_point_behind(const std::vector<Wall> &walls, const std::set<int> &which, const Vector &x,
                                           const Vector &origin, const double slack)
{
  constexpr std::size_t  few = 12; // of which all subsets of d are tried
  std::vector<HalfSpace> behind;
  for (const int w : which)
    behind.push_back({walls[w].normal, walls[w].offset - walls[w].normal.dot(origin)});
  if (behind.size() <= few)
    return nearest_point(x, behind, slack);

  std::vector<HalfSpace> some; // those that the others follow from
  std::optional<Vector>  point = x;
  while (point)
    {
      const auto excess = [&](const HalfSpace &h) { return h.normal.dot(*point) - h.bound; };
      const auto worst  = std::max_element(behind.begin(), behind.end(),
                                           [&](const HalfSpace &a, const HalfSpace &b) { return excess(a) < excess(b); });
      if (excess(*worst) <= slack)
        break;
      if (some.size() == few)
        return std::nullopt;
      some.push_back(*worst);
      point = nearest_point(x, some, slack);
    }
  return point;
}

convex::Expansion expansion(const Spheres &spheres, const std::vector<Wall> &walls, const ContactGraph &graph)
{
  const Index       dim = graph.dim;
  convex::Expansion x;
  if (graph.n_contacts() == 0)
    return x;

  const std::vector<int> cluster = clusters_of(graph, x.n_parts);
  std::vector<int>       first(x.n_parts, -1);
  for (int i = static_cast<int>(graph.n_spheres) - 1; i >= 0; --i)
    first[cluster[i]] = i;
  const Unwrapped   laid_out = unwrapped(spheres, graph, cluster, x.n_parts);
  Eigen::MatrixXd   c        = centroids(laid_out.r, cluster, first);
  std::vector<bool> has_field(x.n_parts, true);
  for (const auto &[k, touched] : touched_walls(graph, cluster))
    {
      // with c behind the wall, the row of a sphere at the wall gets at least the rate R_i
      const std::optional<Vector> point =
          nearest_point_behind(walls, touched, c.col(k), laid_out.r.col(first[k]), 1e-3 * spheres.R.minCoeff());
      has_field[k] = point.has_value();
      if (point)
        c.col(k) = *point;
    }

  x.w.resize(dim * graph.n_spheres);
  x.part_of_unknown.resize(dim * graph.n_spheres);
  for (Index i = 0; i < graph.n_spheres; ++i)
    {
      const int k = cluster[i];
      std::fill_n(x.part_of_unknown.begin() + dim * i, dim, k);
      if (has_field[k])
        {
          const Vector           from_c  = (laid_out.r.col(i) - laid_out.r.col(first[k])) - c.col(k);
          const Eigen::MatrixXd &endless = laid_out.endless[k]; // nothing opens there
          x.w.segment(dim * i, dim)      = from_c - endless * (endless.transpose() * from_c);
        }
      else
        x.w.segment(dim * i, dim).setZero();
    }
  x.part_of_row.reserve(graph.contacts.size());
  for (const Contact &contact : graph.contacts)
    x.part_of_row.push_back(cluster[contact.i]);
  return x;
}

convex::ProjectionProblem impact_problem(const Spheres &spheres, const std::vector<Wall> &walls, const ContactGraph &graph,
                                         const Vector &U, const Eigen::MatrixXd &mean_gradient)
{
  if (graph.n_spheres != spheres.size() || graph.dim != spheres.dimension())
    throw std::invalid_argument("impact_problem: the contact graph belongs to other spheres.");
  if (U.size() != graph.dim * graph.n_spheres)
    throw std::invalid_argument("impact_problem: U has length d n.");
  if (mean_gradient.size() > 0 && (mean_gradient.rows() != graph.dim || mean_gradient.cols() != graph.dim))
    throw std::invalid_argument("impact_problem: the mean gradient is a matrix of size d x d.");
  for (Index i = 0; i < graph.n_spheres; ++i)
    if (!U.segment(graph.dim * i, graph.dim).allFinite())
      throw InputError("the velocity", "The velocity of sphere " + std::to_string(i) +
                                           " (numbered from 0) is not finite; correct the expression or the file.");

  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(spheres.m, graph.dim);
  problem.B = std::make_shared<ContactConstraint>(graph);
  problem.U = U;
  problem.b = approach_velocity_of_walls(graph, walls) + approach_velocity_of_images(graph, mean_gradient);
  if (problem.b.isZero(0.))
    problem.b.resize(0);
  problem.expansion = expansion(spheres, walls, graph);
  return problem;
}

convex::ProjectionProblem impact_problem(const Spheres &spheres, const Vector &U, const double contact_tolerance)
{
  return impact_problem(spheres, {}, contact_graph(spheres, {}, contact_tolerance), U);
}
} // namespace moreau::micro
