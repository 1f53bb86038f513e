// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/packings.h"

#include "convex/input_error.h"
#include "convex/solvers/interior_point.h"
#include "micro/packing_parts.h"
#include "micro/jamming.h"
#include "micro/pair_search.h"
#include "micro/periodic_obstacles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace moreau::micro
{
namespace
{
constexpr unsigned int max_steps          = 3000;
constexpr double       significant_growth = 1e-6; ///< of the coverage, after a shake: the packing was not jammed
constexpr double       start_coverage     = .5;   ///< times 2^-d: what random points reach in a few rounds

/// The sides of the box, then the obstacles.
PeriodicObstacles walls(const PackingParameters &parameters)
{
  std::vector<Obstacle> result;
  for (const Wall &wall : sides(parameters))
    result.push_back(
        {"the wall " + wall.name, Obstacle::Shape::half_space, wall.offset * wall.normal, wall.normal, {}, 0., 0});
  result.insert(result.end(), parameters.obstacles.begin(), parameters.obstacles.end());
  return {PlacedObstacles(std::move(result)), periodic_box(parameters)};
}

/// A pair of spheres, or a sphere and a wall, that are near each other. S: the sum of their proportions, R_i + R_j = s S.
struct Gap
{
  int             i, j; ///< j < 0: a wall
  Eigen::Vector3d x;    ///< from i to j or to the foot on the wall
  Eigen::Vector3d e;    ///< unit
  double          S, D;
  std::int64_t    image = 0; ///< of i, where j is a wall
};

/// Spheres with the radii s a_i in a box.
class GrowingPacking
{
public:
  explicit GrowingPacking(const PackingParameters &parameters)
      : compresses(parameters.compression)
      , lower(parameters.lower)
      , upper(parameters.upper)
      , dim(lower.size())
      , n(parameters.number())
      , box(periodic_box(parameters))
      , walls(micro::walls(parameters))
      , n_sides(2 * static_cast<int>(std::count(parameters.periodic.begin(), parameters.periodic.end(), false)))
      , has_containers(std::any_of(parameters.obstacles.begin(), parameters.obstacles.end(),
                                   [](const Obstacle &obstacle) { return obstacle.is_container(); }))
      , random(parameters.seed)
      , a(n)
  {
    for (Index i = 0; i < n; ++i)
      a(i) = random(1. - parameters.spread, 1. + parameters.spread);
    if (parameters.n > 0 && parameters.radius > 0.)
      s_end = parameters.radius;
    else if (parameters.coverage > 0.)
      s_end = radius_for(parameters.coverage, a, parameters);
    s = std::min({radius_for(start_coverage * std::pow(2., -dim), a, parameters),
                  .4 * (upper - lower).minCoeff() / a.maxCoeff(), s_end});
    place();
    trust       = longest_trust * s;
    coefficient = first_coefficient;
  }

  /// One step. Returns the relative growth of the radii.
  double advance() { return step(Vector::Zero(dim * n)); }

  /// A step in which the spheres want to go somewhere: what only balances, as a straight column of equal spheres, gives way,
  /// and rattlers leave what they rest at.
  void shake()
  {
    trust = .1 * s;
    Vector U(dim * n);
    for (Index k = 0; k < U.size(); ++k)
      U(k) = random(-1., 1.);
    step(U);
  }

  bool   is_complete() const { return s >= (1. - 1e-14) * s_end; } // rounding
  bool   is_at_rest() const { return longest_way < 1e-5 * s; }
  double coverage() const
  {
    double volume = 0.;
    for (Index i = 0; i < n; ++i)
      volume += volume_of_ball(s * a(i), dim);
    return volume / (upper - lower).prod();
  }

  Packing result() const
  {
    Packing packing;
    packing.spheres = {r, s * a, Vector(n)};
    for (Index i = 0; i < n; ++i)
      packing.spheres.m(i) = volume_of_ball(s * a(i), dim);
    packing.coverage = coverage();
    count_contacts(packing);
    return packing;
  }

private:
  // of the mean radius; the rows that long steps need cost more than short steps do
  static constexpr double longest_trust = .5, longest_growth = .1;
  // inertia of the growth per sphere: displacements become H √coefficient / 2 at most in the mean square
  static constexpr double first_coefficient = 64., least_coefficient = 16., largest_coefficient = 1e5;

  const bool              compresses;
  const Vector            lower, upper;
  const Index             dim, n;
  const PeriodicBox       box;
  const PeriodicObstacles walls;
  const int               n_sides; ///< of walls, the sides of the box
  const bool              has_containers;
  RandomNumbers           random;
  Eigen::MatrixXd         r;
  Vector                  a; ///< radii over the mean radius that was aimed at
  double                  s     = 0.;
  double                  s_end = std::numeric_limits<double>::infinity();
  double                  trust; ///< unit of displacements in a step (m)
  double                  coefficient;
  double                  tolerance   = 1e-4; ///< natural residual of a step; its error costs growth, nothing else
  bool                    is_fine     = false;
  double                  longest_way = 0.;

  double step(const Vector &U)
  {
    const double           H = std::min({longest_growth * s / trust, 10., compresses ? s / (upper - lower).norm() : 10.});
    const double           wanted = 2. * trust + 2. * a.maxCoeff() * H * trust, reach = std::min(wanted, room_for_reach());
    const std::vector<Gap> gaps = near(reach);
    const Eigen::MatrixXd  v    = affine_velocity();
    const Vector           x    = solution(gaps, v, U, H);
    Eigen::MatrixXd        way  = trust * (Eigen::Map<const Eigen::MatrixXd>(x.data(), dim, n) + x(dim * n) * v);
    longest_way                 = std::sqrt(way.colwise().squaredNorm().maxCoeff());
    // what is out of reach must not come together, and nothing goes farther
    // than the end; K is convex and holds 0: parts of steps are admissible
    const double out_of_reach = longest_way / (reach / wanted * trust), too_far = x(dim * n) * trust / (s_end - s);
    const double part = 1. / std::max({1., out_of_reach, too_far});
    way *= part;
    // gaps that open, as D is convex, let radii grow by more; in compression the walls come nearer by that much only
    const double aim =
        too_far >= std::max(1., out_of_reach) ? s_end : std::min(s_end, s + part * trust * (compresses ? x(dim * n) : H));
    double s_before = s, s_next = std::min(largest_factor(gaps, way), aim);
    for (int halved = 0; has_containers && s_next < s && halved < 20; ++halved)
      {
        way *= .5;
        s_next = std::min(largest_factor(gaps, way), aim);
      }
    if (s_next >= s || !U.isZero(0.)) // what a shake costs by the error of its solution comes back at once
      {
        r += way;
        for (Index i = 0; box.any() && i < n; ++i)
          box.wrap(r.col(i).data());
        s = s_next;
      }
    const double growth = s / s_before - 1.;
    adapt(growth);
    return growth;
  }

  /// Random places; spheres that overlap an earlier one or an obstacle are placed anew, smaller where that never ends.
  void place()
  {
    constexpr int    many_rounds = 300;
    constexpr double smallest    = 1e-3; // of the first radii
    const double     first       = s;
    const auto       draw        = [&](const Index i) {
      for (Index k = 0; k < dim; ++k)
        {
          const double margin = box.period(k) > 0. ? 0. : s * a(i);
          r(k, i)             = random(lower(k) + margin, upper(k) - margin);
        }
    };
    r.resize(dim, n);
    for (Index i = 0; i < n; ++i)
      draw(i);
    std::set<int> again;
    for (int round = 1;; ++round, again.clear())
      {
        for (const Gap &gap : near(0.))
          if (gap.j >= 0)
            again.insert(gap.j);
          else if (-1 - gap.j >= n_sides)
            again.insert(gap.i);
        if (again.empty())
          return;
        if (round % many_rounds == 0 && (s *= .8) < smallest * first)
          throw InputError("the obstacles", "They leave too little room in the box for " + std::to_string(n) +
                                                (n == 1 ? " sphere" : " spheres") +
                                                " at random; give fewer or a larger box.");
        for (const int i : again)
          draw(i);
      }
  }

  /// Twice as much would let a sphere see another one through two images.
  double room_for_reach() const
  {
    double room = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < dim; ++k)
      if (box.period(k) > 0.)
        room = std::min(room, .99 * box.period(k) - 2. * s * a.maxCoeff());
    if (!(room > .2 * s))
      throw InputError("the number of spheres",
                       std::to_string(n) + (n == 1 ? " sphere is" : " spheres are") +
                           " too few for a box that repeats itself, where they would touch their own images; give more.");
    return room;
  }

  /// All gaps up to the reach (m).
  std::vector<Gap> near(const double reach) const
  {
    const PairSearch search(r, s * a.array() + reach / 2., box);
    std::vector<Gap> gaps;
    for (const NearPair &pair : search.pairs([](const NearPair &) { return true; }))
      {
        const double S = a(pair.i) + a(pair.j), distance = pair.x.norm();
        if (distance <= s * S + reach)
          gaps.push_back({pair.i, pair.j, pair.x, pair.x / distance, S, distance - s * S});
      }
    for (Index i = 0; i < n; ++i)
      walls.visit_near(r.col(i).data(), s * a(i), reach, [&](const int wall, const PeriodicObstacles::Image image) {
        const Approach        approach = walls.approach(wall, image, r.col(i).data(), s * a(i));
        const Eigen::Vector3d x        = (approach.D + s * a(i)) * approach.e;
        gaps.push_back({static_cast<int>(i), -1 - wall, x, approach.e, a(i), approach.D, image});
      });
    return gaps;
  }

  /// d x n, per unit of growth: how spheres at rest move as seen from a box whose walls come nearer.
  Eigen::MatrixXd affine_velocity() const
  {
    Eigen::MatrixXd v = Eigen::MatrixXd::Zero(dim, n);
    for (Index k = 0; compresses && k < dim; ++k)
      if (!(box.period(k) > 0.))
        v.row(k) = (r.row(k).array() - (lower(k) + upper(k)) / 2.) / s;
    return v;
  }

  /// Displacements relative to v and growth, in units of the trust radius: d n + 1 numbers.
  Vector solution(const std::vector<Gap> &gaps, const Eigen::MatrixXd &v, const Vector &U, const double H) const
  {
    const Index                         growth = dim * n;
    std::vector<Eigen::Triplet<double>> entries;
    convex::ProjectionProblem           problem;
    problem.b = Vector(gaps.size());
    for (std::size_t c = 0; c < gaps.size(); ++c)
      {
        const auto &[i, j, x, e, S, D, image] = gaps[c];
        const int row                         = static_cast<int>(c);
        double    closing                     = S;
        for (Index k = 0; k < dim; ++k)
          {
            entries.emplace_back(row, dim * i + k, e(k));
            if (j >= 0)
              entries.emplace_back(row, dim * j + k, -e(k));
            closing += e(k) * (v(k, i) - (j >= 0 ? v(k, j) : 0.));
          }
        entries.emplace_back(row, growth, closing);
        problem.b(row) = std::max(0., D) / trust;
      }
    convex::SparseConstraint::Matrix B(static_cast<Index>(gaps.size()), growth + 1);
    B.setFromTriplets(entries.begin(), entries.end());
    Vector masses          = Vector::Ones(growth + 1);
    masses(growth)         = coefficient * static_cast<double>(n);
    problem.U              = Vector(growth + 1);
    problem.U.head(growth) = U;
    problem.U(growth)      = H;
    problem.B              = std::make_shared<convex::SparseConstraint>(std::move(B));
    problem.V              = std::make_shared<convex::DiagonalSpace>(masses, 1, /*at_rest=*/std::vector<bool>{true});

    convex::StoppingCriterion criterion;
    criterion.tolerance           = tolerance;
    criterion.max_iterations      = 100;
    criterion.on_natural_residual = true;
    return convex::InteriorPoint(criterion).project(problem).u;
  }

  /// The factor of the radii with which the first of the gaps closes once the
  /// spheres have moved; a little less, for rounding.
  double largest_factor(const std::vector<Gap> &gaps, const Eigen::MatrixXd &way) const
  {
    double factor = std::numeric_limits<double>::infinity();
    for (const auto &[i, j, x, e, S, D, image] : gaps)
      {
        Eigen::Vector3d moved = x;
        moved.head(dim) += (j >= 0 ? Vector(way.col(j) - way.col(i)) : Vector(-way.col(i)));
        double distance = j >= 0 ? moved.norm() : moved.dot(e);
        if (j < -n_sides) // an obstacle is not as flat as a side
          distance = walls.approach(-1 - j, image, Vector(r.col(i) + way.col(i)).data(), 0.).D;
        factor = std::min(factor, distance / S);
      }
    return factor * (1. - 1e-15);
  }

  /// Displacements of about 0.6 of the trust radius; once hardly anything grows the trust radius follows the displacements.
  void adapt(const double growth)
  {
    const double change = .6 * trust / std::max(longest_way, 1e-100 * trust);
    coefficient         = std::clamp(coefficient * std::clamp(change, .25, 4.), least_coefficient, largest_coefficient);
    is_fine             = is_fine || growth < 1e-4;
    trust               = longest_trust * s;
    if (is_fine)
      {
        trust     = std::min(trust, std::max(4. * longest_way, 1e-7 * s));
        tolerance = 1e-7;
      }
  }

  void count_contacts(Packing &packing) const
  {
    std::vector<std::pair<int, int>> touching;
    for (const Gap &gap : near(contact_gap * s * a.maxCoeff()))
      if (gap.D <= contact_gap * s * (gap.j >= 0 ? std::min(a(gap.i), a(gap.j)) : a(gap.i)))
        touching.emplace_back(gap.i, gap.j);
    micro::count_contacts(packing, touching);
  }
};
} // namespace

Packing random_packing(const PackingParameters &parameters, const std::function<void(double)> &progress)
{
  parameters.validate();
  if (parameters.overlap > 0. || can_jam(parameters))
    return jam(parameters, progress);
  GrowingPacking packing(parameters);
  unsigned int   n_steps = 0, n_at_rest = 0;
  double         done = 0., coverage_at_rest = 0.;
  bool           jammed = false;
  while (!packing.is_complete() && !jammed && n_steps < max_steps)
    {
      const double growth = packing.advance();
      ++n_steps;
      n_at_rest = growth < parameters.tolerance && packing.is_at_rest() ? n_at_rest + 1 : 0;
      if (n_at_rest == 2)
        {
          jammed           = packing.coverage() < (1. + significant_growth) * coverage_at_rest;
          coverage_at_rest = packing.coverage();
          n_at_rest        = 0;
          if (!jammed)
            packing.shake();
        }
      const double part = parameters.coverage > 0.
                              ? packing.coverage() / parameters.coverage
                              : std::log(std::max(growth, parameters.tolerance)) / std::log(parameters.tolerance);
      done              = std::max(done, std::min(part, 1.));
      if (progress)
        progress(done);
    }
  if (!packing.is_complete() && (parameters.coverage > 0. || (parameters.n > 0 && parameters.radius > 0.)))
    parameters.throw_unreachable(
        packing.coverage(), jammed ? "is jammed" : "has hardly grown any more after " + std::to_string(n_steps) + " steps");
  Packing result = packing.result();
  result.jammed  = jammed;
  result.n_steps = n_steps;
  return result;
}
} // namespace moreau::micro
