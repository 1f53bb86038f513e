// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_ORACLES_H
#define MOREAU_TESTS_ORACLES_H

#include "convex/cone_projection.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Random projection problems with a known answer. Everything is seeded and uses only the bits of std::mt19937_64, so that
/// the same seed gives the same problem with every standard library.
namespace moreau::oracles
{
using convex::Index;
using convex::Vector;

/// A problem, and its answer: u is unique, p is one of possibly many.
struct Oracle
{
  std::string               name;
  convex::ProjectionProblem problem;
  Vector                    u;                   ///< P_K U
  Vector                    p;                   ///< one multiplier
  bool                      p_is_unique = false; ///< true only where known: B* is injective
};

/// Uniform and normal numbers that depend on the seed alone.
class Random
{
public:
  explicit Random(const unsigned int seed) : bits(seed) {}

  double uniform() { return (bits() >> 11) * 0x1p-53; } ///< in [0, 1)
  Index  below(const Index n) { return static_cast<Index>(bits() % static_cast<unsigned long>(n)); }
  double normal() { return std::sqrt(-2. * std::log(1. - uniform())) * std::cos(2. * M_PI * uniform()); }

  Vector normals(const Index n)
  {
    return Vector::NullaryExpr(n, [this](Index) { return normal(); });
  }

private:
  std::mt19937_64 bits;
};

/// Hides what a constraint is, so that only products with B and Bᵀ are left.
class OpaqueConstraint : public convex::ConstraintOperator
{
public:
  explicit OpaqueConstraint(std::shared_ptr<const ConstraintOperator> B) : B(std::move(B)) {}
  Index n_constraints() const override { return B->n_constraints(); }
  Index n_unknowns() const override { return B->n_unknowns(); }
  void  apply(const Vector &v, Vector &Bv) const override { B->apply(v, Bv); }
  void  apply_transpose(const Vector &q, Vector &Btq) const override { B->apply_transpose(q, Btq); }

private:
  std::shared_ptr<const ConstraintOperator> B;
};

/// Positive masses: all 1 for decades = 0, else 10^x with x uniform over that many decades around 1.
inline Vector masses(Random &random, const Index n, const double decades)
{
  return Vector::NullaryExpr(n, [&](Index) { return std::pow(10., decades * (random.uniform() - .5)); });
}

/// The larger of max |min(p, b - Bu)| and max |u + B*p - U|: zero exactly at the saddle point.
inline double saddle_point_defect(const convex::ProjectionProblem &problem, const convex::SaddlePoint &x)
{
  Vector Bu(problem.n_constraints());
  problem.B->apply(x.u, Bu);
  return std::max(x.p.cwiseMin(problem.right_hand_side() - Bu).lpNorm<Eigen::Infinity>(),
                  (x.u - problem.velocity_of(x.p)).lpNorm<Eigen::Infinity>());
}

/// Nodes in R^dim and pairs of them: what a PairConstraint needs, with the positions from which an expansion follows.
struct Network
{
  Eigen::MatrixXd                           r; ///< dim x n
  std::vector<convex::PairConstraint::Pair> pairs;

  Index dim() const { return r.rows(); }
  Index size() const { return r.cols(); }
};

/// nx x ny sites of the square (angle 90°) or triangular (60°) lattice with
/// neighbours at distance 1; a fraction is left empty.
inline Network lattice_patch(const Index nx, const Index ny, const bool triangular, const double vacancies = 0.,
                             const unsigned int seed = 1)
{
  Random                          random(seed);
  std::vector<Eigen::Vector2d>    sites;
  std::vector<std::vector<Index>> number(nx, std::vector<Index>(ny, -1));
  for (Index y = 0; y < ny; ++y)
    for (Index x = 0; x < nx; ++x)
      if (random.uniform() >= vacancies)
        {
          number[x][y] = static_cast<Index>(sites.size());
          sites.emplace_back(triangular ? x + .5 * y : x, triangular ? std::sqrt(.75) * y : y);
        }
  Network network;
  network.r.resize(2, sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k)
    network.r.col(k) = sites[k];
  const std::vector<std::pair<Index, Index>> steps = triangular
                                                         ? std::vector<std::pair<Index, Index>>{{1, 0}, {0, 1}, {-1, 1}}
                                                         : std::vector<std::pair<Index, Index>>{{1, 0}, {0, 1}};
  for (Index y = 0; y < ny; ++y)
    for (Index x = 0; x < nx; ++x)
      for (const auto &[dx, dy] : steps)
        if (x + dx >= 0 && x + dx < nx && y + dy < ny && number[x][y] >= 0 && number[x + dx][y + dy] >= 0)
          network.pairs.push_back({static_cast<int>(number[x][y]), static_cast<int>(number[x + dx][y + dy])});
  return network;
}

/// A ball of the face-centred cubic lattice: the sites within `radius` of a site, neighbours at distance 1.
inline Network face_centred_ball(const double radius)
{
  Network                      network;
  std::vector<Eigen::Vector3d> sites;
  const int                    n = static_cast<int>(std::ceil(radius * std::sqrt(2.)));
  for (int z = -n; z <= n; ++z)
    for (int y = -n; y <= n; ++y)
      for (int x = -n; x <= n; ++x)
        if ((x + y + z) % 2 == 0 && x * x + y * y + z * z <= 2. * radius * radius)
          sites.push_back(Eigen::Vector3d(x, y, z) / std::sqrt(2.));
  network.r.resize(3, sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k)
    {
      network.r.col(k) = sites[k];
      for (std::size_t i = 0; i < k; ++i)
        if ((sites[k] - sites[i]).norm() < 1.1)
          network.pairs.push_back({static_cast<int>(i), static_cast<int>(k)});
    }
  return network;
}

/// The network with every coordinate shifted at random by at most `shift`, and a fraction of its pairs forgotten.
inline Network disturbed(Network network, const double shift, const double forgotten, const unsigned int seed)
{
  Random random(seed);
  for (Index k = 0; k < network.size(); ++k)
    for (Index a = 0; a < network.dim(); ++a)
      network.r(a, k) += shift * (2. * random.uniform() - 1.);
  auto &pairs = network.pairs;
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), [&](const auto &) { return random.uniform() < forgotten; }),
              pairs.end());
  return network;
}

/// n random points of the unit cube of R^dim with n_pairs different random pairs: directions in general position.
inline Network random_network(const Index dim, const Index n, const Index n_pairs, const unsigned int seed)
{
  Random  random(seed);
  Network network;
  network.r = Eigen::MatrixXd::NullaryExpr(dim, n, [&](Index, Index) { return random.uniform(); });
  std::set<std::pair<Index, Index>> chosen;
  while (static_cast<Index>(chosen.size()) < std::min(n_pairs, n * (n - 1) / 2))
    {
      const Index i = random.below(n), j = random.below(n);
      if (i < j)
        chosen.emplace(i, j);
    }
  for (const auto &[i, j] : chosen)
    network.pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
  return network;
}

/// Projection of U on the cone of the network; its positions, seen from each connected part's centre, are the expansion.
inline convex::ProjectionProblem network_problem(const Network &network, const Vector &node_masses, const Vector &U)
{
  const Index     dim = network.dim(), n = network.size(), m = static_cast<Index>(network.pairs.size());
  Eigen::MatrixXd e(dim, m);
  for (Index c = 0; c < m; ++c)
    e.col(c) = (network.r.col(network.pairs[c].j) - network.r.col(network.pairs[c].i)).normalized();

  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(node_masses, dim);
  problem.B = std::make_shared<convex::PairConstraint>(dim, n, network.pairs, e);
  problem.U = U;

  std::vector<int> part(n);
  for (Index k = 0; k < n; ++k)
    part[k] = static_cast<int>(k);
  for (bool changed = true; changed;)
    {
      changed = false;
      for (const auto &[i, j] : network.pairs)
        if (part[i] != part[j])
          {
            part[i] = part[j] = std::min(part[i], part[j]);
            changed           = true;
          }
    }
  convex::Expansion &expansion = problem.expansion;
  expansion.n_parts            = static_cast<int>(n);
  expansion.w.resize(dim * n);
  expansion.part_of_unknown.resize(dim * n);
  Eigen::MatrixXd centre = Eigen::MatrixXd::Zero(dim, n);
  Vector          size   = Vector::Zero(n);
  for (Index k = 0; k < n; ++k)
    {
      centre.col(part[k]) += network.r.col(k);
      size(part[k]) += 1.;
    }
  for (Index k = 0; k < n; ++k)
    {
      expansion.w.segment(dim * k, dim) = network.r.col(k) - centre.col(part[k]) / size(part[k]);
      std::fill_n(expansion.part_of_unknown.begin() + dim * k, dim, part[k]);
    }
  for (const auto &pair : network.pairs)
    expansion.part_of_row.push_back(part[pair.i]);
  return problem;
}

/// Projection of U on K for a row of unit masses between two walls. Rows of B along the row: left wall, contacts, right
/// wall; b (n + 1): the velocities -v_left, 0, ..., 0, v_right of the walls, or anything else. No expansion.
inline convex::ProjectionProblem row_between_walls(const Vector &U, const Vector &b)
{
  const int                                 n     = static_cast<int>(U.size());
  std::vector<convex::PairConstraint::Pair> pairs = {{0, convex::PairConstraint::fixed_body}};
  for (int k = 0; k + 1 < n; ++k)
    pairs.push_back({k, k + 1});
  pairs.push_back({n - 1, convex::PairConstraint::fixed_body});
  Eigen::MatrixXd e = Eigen::MatrixXd::Ones(1, n + 1);
  e(0, 0)           = -1.;
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(Vector::Ones(n));
  problem.B = std::make_shared<convex::PairConstraint>(1, n, pairs, e);
  problem.U = U;
  problem.b = b;
  return problem;
}

/// Projection of U on K for a network in a box that touches it: the nodes with least and largest coordinate 0, 1, ... lie
/// against walls that move inwards with the speeds push(0), push(1), push(2), ... (least x, largest x, least y, ...).
/// Rows of the walls come last. No expansion.
inline convex::ProjectionProblem boxed_problem(const Network &network, const Vector &node_masses, const Vector &U,
                                               const Vector &push)
{
  convex::ProjectionProblem problem = network_problem(network, node_masses, U);
  const auto               &inner   = static_cast<const convex::PairConstraint &>(*problem.B);
  const Index               dim     = network.dim();
  auto                      pairs   = network.pairs;
  std::vector<Vector>       normals;
  std::vector<double>       b(pairs.size(), 0.);
  for (Index wall = 0; wall < 2 * dim; ++wall)
    {
      const Eigen::RowVectorXd outwards = (wall % 2 == 0 ? -1. : 1.) * network.r.row(wall / 2);
      for (Index k = 0; k < network.size(); ++k)
        if (outwards(k) > outwards.maxCoeff() - 1e-9)
          {
            pairs.push_back({static_cast<int>(k), convex::PairConstraint::fixed_body});
            normals.push_back((wall % 2 == 0 ? -1. : 1.) * Vector::Unit(dim, wall / 2));
            b.push_back(-push(wall));
          }
    }
  Eigen::MatrixXd e(dim, pairs.size());
  e.leftCols(inner.directions().cols()) = inner.directions();
  for (std::size_t c = 0; c < normals.size(); ++c)
    e.col(inner.directions().cols() + c) = normals[c];
  problem.B         = std::make_shared<convex::PairConstraint>(dim, network.size(), pairs, e);
  problem.b         = Eigen::Map<const Vector>(b.data(), b.size());
  problem.expansion = convex::Expansion();
  return problem;
}

/// Complementary p = z⁺ and s = z⁻ from a random z, about `active` of the rows pressed.
inline std::pair<Vector, Vector> complementary_pair(Random &random, const Index m, const double active)
{
  Vector p = Vector::Zero(m), s = Vector::Zero(m);
  for (Index c = 0; c < m; ++c)
    (random.uniform() < active ? p : s)(c) = std::abs(random.normal());
  return {p, s};
}

/// Known answer for the constraint and space of `problem`: draws u, p, s and sets b = Bu + s, U = u + B*p.
inline Oracle affine_oracle(const std::string &name, convex::ProjectionProblem problem, Random &random,
                            const double active = .5)
{
  const Vector u    = random.normals(problem.n_unknowns());
  const auto [p, s] = complementary_pair(random, problem.n_constraints(), active);
  Vector Bu(problem.n_constraints()), Btp(problem.n_unknowns()), Bstar_p(problem.n_unknowns());
  problem.B->apply(u, Bu);
  problem.B->apply_transpose(p, Btp);
  problem.V->inverse_riesz(Btp, Bstar_p);
  problem.b = Bu + s;
  problem.U = u + Bstar_p;
  return {name, std::move(problem), u, p, false};
}

/// A random m x n matrix of the given rank with `filled` of its entries nonzero; rank < min(m, n) repeats and combines rows.
inline convex::SparseConstraint::Matrix random_matrix(Random &random, const Index m, const Index n, const Index rank,
                                                      const double filled)
{
  Eigen::MatrixXd B(m, n);
  for (Index c = 0; c < m; ++c)
    if (c < rank)
      {
        for (Index k = 0; k < n; ++k)
          B(c, k) = random.uniform() < filled ? random.normal() : 0.;
        B(c, c % n) += 3. * (random.uniform() < .5 ? -1. : 1.); // no empty rows
      }
    else if (c % 2 == 0)
      B.row(c) = B.row(random.below(rank)); // the same row again
    else
      B.row(c) = random.normal() * B.row(random.below(rank)) + random.normal() * B.row(random.below(rank));
  return B.sparseView();
}

/// Affine problems with random matrices: square, wide, tall, rank-deficient, with masses over many orders of magnitude.
inline std::vector<Oracle> affine_oracles(const unsigned int seed)
{
  struct Shape
  {
    const char *name;
    Index       m, n, rank;
    double      filled, decades;
  };
  const std::vector<Shape> shapes = {
      {"one row", 1, 3, 1, 1., 0.},           {"wide", 12, 30, 12, .4, 0.},
      {"tall", 40, 15, 15, .4, 0.},           {"square", 25, 25, 25, .3, 2.},
      {"rank deficient", 30, 40, 12, .5, 0.}, {"rank deficient, masses over six decades", 30, 30, 18, .3, 6.}};
  std::vector<Oracle> oracles;
  Random              random(seed);
  for (const Shape &shape : shapes)
    {
      convex::ProjectionProblem problem;
      problem.V = std::make_shared<convex::DiagonalSpace>(masses(random, shape.n, shape.decades));
      problem.B =
          std::make_shared<convex::SparseConstraint>(random_matrix(random, shape.m, shape.n, shape.rank, shape.filled));
      oracles.push_back(affine_oracle(shape.name, std::move(problem), random));
      oracles.back().p_is_unique = shape.rank == shape.m;
    }
  return oracles;
}

/// Cones (b = 0): a rank-one change of a random matrix makes Bu = -s for the u and s drawn. Rank-deficient: every row twice.
inline std::vector<Oracle> cone_oracles(const unsigned int seed)
{
  std::vector<Oracle> oracles;
  Random              random(seed);
  for (const bool repeat_rows : {false, true})
    {
      const Index     m = 16, n = 24;
      Eigen::MatrixXd B    = random_matrix(random, m, n, m, .5);
      const Vector    u    = random.normals(n);
      auto            both = complementary_pair(random, m, .5);
      Vector         &p = both.first, &s = both.second;
      B -= (B * u + s) * u.transpose() / u.squaredNorm(); // now Bu = -s
      if (repeat_rows)
        {
          B.conservativeResize(2 * m, n);
          B.bottomRows(m) = 2. * B.topRows(m);
          p.conservativeResize(2 * m);
          p.tail(m) = .25 * p.head(m);
        }
      convex::ProjectionProblem problem;
      const Vector              mass = masses(random, n, 2.);
      problem.V                      = std::make_shared<convex::DiagonalSpace>(mass);
      problem.B                      = std::make_shared<convex::SparseConstraint>(B.sparseView());
      problem.U                      = u + (B.transpose() * p).cwiseQuotient(mass);
      oracles.push_back({repeat_rows ? "cone with repeated rows" : "cone", std::move(problem), u, p, !repeat_rows});
    }
  return oracles;
}

/// A velocity that keeps every contact of the network or opens it: a translation, a rotation in the plane, and `n_cuts`
/// random planes whose far side moves away along the normal. Opens exactly the contacts that a plane cuts.
inline Vector opening_velocity(Random &random, const Network &network, const int n_cuts)
{
  const Index     dim = network.dim(), n = network.size();
  Eigen::MatrixXd u = random.normals(dim).replicate(1, n);
  if (dim == 2)
    {
      u.row(0) -= .3 * network.r.row(1);
      u.row(1) += .3 * network.r.row(0);
    }
  for (int cut = 0; cut < n_cuts; ++cut)
    {
      const Vector normal = random.normals(dim).normalized();
      const double offset = normal.dot(network.r.col(random.below(n))), speed = random.uniform();
      for (Index k = 0; k < n; ++k)
        if (normal.dot(network.r.col(k)) > offset)
          u.col(k) += speed * normal;
    }
  return Eigen::Map<Vector>(u.data(), u.size());
}

/// Cones of contact networks: u opens some contacts, the others are pressed at random.
inline std::vector<Oracle> network_cones(const unsigned int seed)
{
  struct Case
  {
    const char *name;
    Network     network;
    double      decades;
  };
  const std::vector<Case> cases = {{"square patch", lattice_patch(6, 5, false), 0.},
                                   {"triangular patch", lattice_patch(6, 5, true), 0.},
                                   {"triangular patch with vacancies", lattice_patch(8, 7, true, .25, seed), 2.},
                                   {"random network in space", random_network(3, 14, 50, seed), 4.},
                                   {"random line", random_network(1, 9, 14, seed), 1.}};
  std::vector<Oracle>     oracles;
  Random                  random(seed);
  for (const Case &example : cases)
    {
      const Index               dim = example.network.dim(), n = example.network.size();
      const Vector              mass    = masses(random, n, example.decades);
      convex::ProjectionProblem problem = network_problem(example.network, mass, Vector::Zero(dim * n));
      const Index               m       = problem.n_constraints();

      const Vector u = opening_velocity(random, example.network, 3);
      Vector       Bu(m);
      problem.B->apply(u, Bu);
      const double rounding = 1e-12; // cut contacts open by much more
      const Vector p        = Vector::NullaryExpr(m, [&](const Index c) {
        const bool pressed = Bu(c) > -rounding && random.uniform() < .7;
        return pressed ? std::abs(random.normal()) : 0.;
      });
      Vector       Btp(dim * n), Bstar_p(dim * n);
      problem.B->apply_transpose(p, Btp);
      problem.V->inverse_riesz(Btp, Bstar_p);
      problem.U = u + Bstar_p;
      oracles.push_back({example.name, std::move(problem), u, p, false});
    }
  return oracles;
}
} // namespace moreau::oracles

#endif
