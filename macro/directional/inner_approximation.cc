// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/inner_approximation.h"

#include "convex/certificate.h"
#include "macro/directional/torn_velocity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace moreau::macro
{
namespace
{
/// Appends the row of (T,k).
void add_row(const DirectionalZone &zone, const Index t, const int k, const Index row,
             std::vector<Eigen::Triplet<double>> &entries)
{
  const int           dim = zone.dim();
  const SimplexMatrix of_k =
      zone.row_weight(t, k) * zone.applied(t, k, zone.inner_factor * zone.dilatancy_of(t), zone.zone.gradients_of(t));
  for (int i = 0; i <= dim; ++i)
    for (int a = 0; a < dim; ++a)
      if (const double entry = -zone.length * of_k(a, i); entry != 0.)
        entries.emplace_back(row, dim * zone.zone.mesh.simplices(i, t) + a, entry);
}

/// b of the same row.
double room(const DirectionalZone &zone, const Index t, const int k)
{
  return zone.length * zone.row_weight(t, k) * zone.mean_rate(t, k, zone.inner_factor * zone.dilatancy_of(t));
}

/// B of rows that are numbered by a matrix (K x n_simplices), any one of those that share a number.
convex::SparseConstraint::Matrix rows(const DirectionalZone &zone, const std::vector<std::pair<int, int>> &on_walls,
                                      const std::vector<JumpRow> &jumps, const Eigen::MatrixXi &numbers, const Index n_rows)
{
  const int                           dim  = zone.dim();
  const auto                         &mesh = zone.zone.mesh;
  std::vector<char>                   known(n_rows, 0);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(n_rows * dim * (dim + 1) + on_walls.size());
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    for (int k = 0; k < zone.K; ++k)
      if (const int row = numbers(k, t); !known[row])
        {
          known[row] = 1;
          add_row(zone, t, k, row, entries);
        }
  Index row = n_rows;
  for (const auto &[node, side] : on_walls)
    entries.emplace_back(row++, dim * node + side / 2, side % 2 == 0 ? -1. : 1.);
  for (const JumpRow &jump : jumps)
    {
      for (int a = 0; a < dim; ++a)
        {
          entries.emplace_back(row, dim * jump.here + a, jump.force(a));
          entries.emplace_back(row, dim * jump.behind + a, -jump.force(a));
        }
      ++row;
    }
  convex::SparseConstraint::Matrix B(row, dim * mesh.n_points());
  B.setFromTriplets(entries.begin(), entries.end());
  return B;
}

/// One row for every (T,k), k fastest.
Eigen::MatrixXi all_rows(const DirectionalZone &zone)
{
  const Index n = zone.zone.mesh.n_simplices();
  return Eigen::VectorXi::LinSpaced(zone.K * n, 0, static_cast<int>(zone.K * n - 1)).reshaped(zone.K, n);
}

/// The velocity (1 - t) v + t w with the least t for which Bv <= b: of what repeats itself w is left beside D x, which is
/// admissible, with a margin where D lies inside of the cone or w is an expansion along the other axes. v where it is not.
///   t  becomes the share of w
Vector nearer_to(const Vector &w, const convex::SparseConstraint &B, const convex::CircularRows *const circles,
                 const Vector &b, const Vector &v, double &t)
{
  Vector Bv(b.size()), Bw(b.size());
  B.apply(v, Bv);
  B.apply(w, Bw);
  const auto is_admissible = [&](const double share) {
    const Vector beyond = (1. - share) * Bv + share * Bw - b;
    return (circles ? circles->excess(beyond) : beyond).maxCoeff() <= 0.;
  };
  double low = 0.;
  t          = 1.;
  if (b.size() == 0 || is_admissible(low) || !is_admissible(t))
    {
      t = 0.;
      return v;
    }
  for (int halving = 0; halving < 80 && t - low > 1e-3 * t; ++halving)
    {
      // most of what is wrong is small
      const double middle               = low > 0. ? .5 * (low + t) : 1e-3 * t;
      (is_admissible(middle) ? t : low) = middle;
      if (low == 0. && t < 1e-16)
        break;
    }
  return (1. - t) * v + t * w;
}

/// Towards D x alone or, where that is more, D x and an expansion w as fast as v; both are tried unless w is of size 0.
Vector nearer_to_mean_flow(const convex::SparseConstraint &B, const convex::CircularRows *const circles, const Vector &b,
                           const Vector &v, const Vector &w)
{
  double       t_alone = 0., t_open = 0.;
  const Vector alone = nearer_to(Vector::Zero(v.size()), B, circles, b, v, t_alone);
  if (t_alone == 0. || w.size() == 0)
    return alone;
  const double faster = convex::max_abs(v) / convex::max_abs(w);
  Vector       open   = nearer_to(faster * w, B, circles, b, v, t_open);
  return 0. < t_open && t_open < t_alone ? open : alone;
}

/// Projects on the half spaces of violated rows, one after the other and again: what is a little wrong is mended where it
/// is, while an expansion moves everything and works against all pressures.
///   b  of length 0: 0
///   w  as of nearer_to_mean_flow()
class RowRepair : public convex::FeasibleRepair
{
public:
  RowRepair(std::shared_ptr<const convex::SparseConstraint> B, const Vector &masses, const Vector &b, const Vector &w)
      : B(std::move(B)), inverse_masses(masses.cwiseInverse()), b(b), w(w)
  {}

  Vector repaired(const Vector &u) const override
  {
    constexpr int n_sweeps = 100; // after a solver has stopped a few are enough
    using Row              = convex::SparseConstraint::Matrix::InnerIterator;
    Vector       v         = u;
    const double rounding  = 2. * std::numeric_limits<double>::epsilon() * convex::max_abs(u);
    bool         again     = true;
    for (int sweep = 0; again && sweep < n_sweeps; ++sweep)
      {
        again = false;
        for (Index c = 0; c < B->n_constraints(); ++c)
          {
            double excess = b.size() > 0 ? -b(c) : 0.;
            for (Row entry(B->matrix(), c); entry; ++entry)
              excess += entry.value() * v(entry.col());
            if (!(excess > rounding))
              continue;
            again    = true;
            double W = 0.;
            for (Row entry(B->matrix(), c); entry; ++entry)
              W += entry.value() * entry.value() * inverse_masses(entry.col());
            for (Row entry(B->matrix(), c); entry; ++entry)
              v(entry.col()) -= excess / W * entry.value() * inverse_masses(entry.col());
          }
      }
    return b.size() > 0 ? nearer_to_mean_flow(*B, nullptr, b, v, w) : v;
  }

private:
  std::shared_ptr<const convex::SparseConstraint> B;
  Vector                                          inverse_masses, b, w;
};

/// nearer_to_mean_flow() alone, of circular cones.
class ShrinkingRepair : public convex::FeasibleRepair
{
public:
  ShrinkingRepair(std::shared_ptr<const convex::SparseConstraint> B, std::shared_ptr<const convex::CircularRows> circles,
                  const Vector &b, const Vector &w)
      : B(std::move(B)), circles(std::move(circles)), b(b), w(w)
  {}

  Vector repaired(const Vector &u) const override { return nearer_to_mean_flow(*B, circles.get(), b, u, w); }

private:
  std::shared_ptr<const convex::SparseConstraint> B;
  std::shared_ptr<const convex::CircularRows>     circles;
  Vector                                          b, w;
};

/// x - c on every part, torn facets opened; empty where there is no such c.
convex::Expansion expansion(const DirectionalZone &zone, const std::vector<std::pair<int, int>> &on_walls,
                            const std::vector<JumpRow> &jumps, const Eigen::MatrixXi &numbers, const Index n_rows)
{
  convex::Expansion result;
  result.w = nodal_expansion(zone);
  if (result.w.size() == 0)
    return {};
  const auto &part = zone.zone.part_of_node;
  result.n_parts   = zone.zone.n_parts;
  for (const int of_node : part)
    result.part_of_unknown.insert(result.part_of_unknown.end(), zone.dim(), of_node);
  result.part_of_row.resize(n_rows);
  for (Index t = 0; t < numbers.cols(); ++t)
    for (int k = 0; k < zone.K; ++k)
      result.part_of_row[numbers(k, t)] = zone.zone.part_of_cell[t];
  for (const auto &[node, side] : on_walls)
    result.part_of_row.push_back(part[node]);
  for (const JumpRow &jump : jumps)
    result.part_of_row.push_back(part[jump.here]);
  open_torn_facets(zone, result.w);
  return result;
}

convex::ProjectionProblem problem_with(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U, const Vector &masses,
                                       const Eigen::MatrixXi &numbers, const Index n_rows)
{
  const int  dim      = zone.dim();
  const auto on_walls = nodes_on_walls(zone);
  const auto jumps    = jump_rows(zone);
  Sides      walls    = {};
  for (const auto &[node, side] : on_walls)
    walls[side] = true;
  const auto V = std::make_shared<convex::DiagonalSpace>(masses, dim, axes_with_walls(walls, dim));
  const auto B = std::make_shared<convex::SparseConstraint>(rows(zone, on_walls, jumps, numbers, n_rows));

  convex::ProjectionProblem problem;
  problem.V         = V;
  problem.B         = B;
  problem.U         = Eigen::Map<const Vector>(nodal_U.data(), nodal_U.size());
  problem.expansion = expansion(zone, on_walls, jumps, numbers, n_rows);
  // a b of zeros says that what repeats itself may be made smaller
  const bool repeats_itself = zone.zone.mesh.period.size() > 0;
  if (zone.mean_gradient.size() > 0 || repeats_itself && problem.expansion.empty())
    {
      problem.b = Vector::Zero(B->n_constraints());
      for (Index t = 0; t < numbers.cols(); ++t)
        for (int k = 0; k < zone.K; ++k)
          problem.b(numbers(k, t)) = room(zone, t, k);
    }
  Vector w = zone.mean_gradient.size() > 0 ? open_expansion(zone) : Vector();
  if (w.size() > 0)
    open_torn_facets(zone, w);
  if (!zone.is_circular())
    {
      problem.repair = std::make_shared<RowRepair>(B, V->masses(), problem.b, w);
      return problem;
    }
  convex::CircularRows circles;
  for (Index t = 0; t < numbers.cols(); ++t)
    circles.append(zone.K);
  for (std::size_t k = 0; k < on_walls.size(); ++k)
    circles.append(1);
  for (std::size_t k = 0; k < jumps.size(); k += dim)
    circles.append(dim);
  problem.circles = std::make_shared<const convex::CircularRows>(std::move(circles));
  if (problem.b.size() > 0)
    problem.repair = std::make_shared<ShrinkingRepair>(B, problem.circles, problem.b, w);
  return problem;
}
} // namespace

SharedRows::SharedRows(const DirectionalZone &zone) : row(zone.K, zone.zone.mesh.n_simplices())
{
  struct Key
  {
    std::array<int, 5> of; // the direction, the nodes whose velocities count
    Index              position;

    bool operator<(const Key &other) const { return of != other.of ? of < other.of : position < other.position; }
  };
  std::vector<Key> keys;
  keys.reserve(row.size());
  for (Index t = 0; t < row.cols(); ++t)
    {
      const auto e = zone.directions_of(t);
      const auto g = zone.zone.gradients_of(t);
      for (int k = 0; k < zone.K; ++k)
        {
          Key key = {{k, -1, -1, -1, -1}, k + zone.K * t};
          for (int i = 0, size = 1; i <= zone.dim(); ++i)
            if (std::abs(g.col(i).dot(e.col(k))) > 1e-9 * g.col(i).norm())
              key.of[size++] = zone.zone.mesh.simplices(i, t);
          std::sort(key.of.begin() + 1, key.of.end());
          keys.push_back(key);
        }
    }
  std::sort(keys.begin(), keys.end());
  for (std::size_t k = 0; k < keys.size(); ++k)
    {
      n_rows += k == 0 || keys[k].of != keys[k - 1].of;
      row(keys[k].position) = static_cast<int>(n_rows - 1);
    }
}

convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U,
                                              const Vector &masses, const SharedRows &shared)
{
  return problem_with(zone, nodal_U, masses, shared.row, shared.n_rows);
}

convex::ProjectionProblem inner_approximation(const DirectionalZone &zone, const Eigen::MatrixXd &nodal_U)
{
  const auto &mesh   = zone.zone.mesh;
  Vector      masses = Vector::Zero(mesh.n_points());
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    for (int i = 0; i <= zone.dim(); ++i)
      masses(mesh.simplices(i, t)) += zone.zone.volumes(t) / (zone.dim() + 1);
  return problem_with(zone, nodal_U, masses, all_rows(zone), zone.K * mesh.n_simplices());
}

Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers, const SharedRows &shared,
                               const Vector &volumes)
{
  Vector around = Vector::Zero(shared.n_rows);
  for (Index t = 0; t < volumes.size(); ++t)
    for (int k = 0; k < zone.K; ++k)
      around(shared.row(k, t)) += volumes(t);
  Eigen::MatrixXd p(zone.K, volumes.size());
  for (Index t = 0; t < volumes.size(); ++t)
    for (int k = 0; k < zone.K; ++k)
      p(k, t) = zone.length * multipliers(shared.row(k, t)) / around(shared.row(k, t));
  return p;
}

std::vector<char> active_rows(const convex::ProjectionProblem &problem, const convex::SaddlePoint &x)
{
  Vector Bu(problem.n_constraints());
  problem.B->apply(x.u, Bu);
  if (problem.b.size() > 0)
    Bu -= problem.b;
  Vector W = convex::delassus_diagonal(problem), p = x.p;
  if (problem.circles) // of a circle all rows or none
    {
      W = problem.circles->largest_of_blocks(W);
      p = problem.circles->largest_of_blocks(p);
    }
  const Vector      distance = -problem.excess(Bu);
  std::vector<char> active(problem.n_constraints());
  for (Index row = 0; row < Bu.size(); ++row)
    active[row] = .5 * W(row) * p(row) > distance(row);
  return active;
}

Eigen::MatrixXd cell_pressures(const DirectionalZone &zone, const convex::Vector &multipliers)
{
  const Index     n = zone.zone.mesh.n_simplices();
  Eigen::MatrixXd p = Eigen::Map<const Eigen::MatrixXd>(multipliers.data(), zone.K, n);
  for (Index t = 0; t < n; ++t)
    {
      p.col(t) *= zone.length / zone.zone.volumes(t);
      for (int k = 0; k < zone.K; ++k)
        p(k, t) *= zone.row_weight(t, k);
    }
  return p;
}
} // namespace moreau::macro
