// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/campaign/judged_impact.h"

#include "app/output/summary.h"
#include "convex/certificate.h"
#include "convex/impact_law.h"
#include "convex/solvers/make_projector.h"
#include "micro/impact_problem.h"
#include "tests/campaign/active_set.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace moreau::campaign
{
namespace
{
using convex::Index;
using convex::Vector;

constexpr Real rounding = 1e-15L; ///< of |U|: u is a vector of doubles

/// The projection as the oracle takes it: x = √m v, in the frame of the mean velocity where nothing tells frames apart.
struct Projection
{
  RealVector   root_m, U, mean, b; ///< √m per entry of a velocity; √m (U - mean); right-hand side in that frame
  RealMatrix   A;                  ///< B in these coordinates
  NearestPoint answer;

  explicit Projection(const convex::ProjectionProblem &problem)
  {
    const auto &V   = dynamic_cast<const convex::DiagonalSpace &>(*problem.V);
    const auto &B   = dynamic_cast<const convex::PairConstraint &>(*problem.B);
    const Index dim = B.dimension(), n = B.n_nodes(), m = B.n_constraints();
    root_m                                  = V.masses().cast<Real>().cwiseSqrt();
    const RealVector                   all  = problem.U.cast<Real>();
    const RealVector                   mass = V.masses_of_nodes().cast<Real>();
    const Eigen::Map<const RealMatrix> nodal(all.data(), dim, n);
    mean = RealVector(nodal * mass / mass.sum()).replicate(n, 1);
    U    = root_m.cwiseProduct(all - mean);
    A    = RealMatrix::Zero(m, dim * n);
    for (Index c = 0; c < m; ++c)
      {
        const auto      &pair               = B.pairs()[c];
        const RealVector e                  = B.directions().col(c).cast<Real>();
        A.row(c).segment(dim * pair.i, dim) = e.transpose();
        if (pair.j != convex::PairConstraint::fixed_body)
          A.row(c).segment(dim * pair.j, dim) = -e.transpose();
      }
    b      = (problem.b.size() == 0 ? RealVector(RealVector::Zero(m)) : RealVector(problem.b.cast<Real>())) - A * mean;
    A      = A * root_m.cwiseInverse().asDiagonal();
    answer = nearest_point(A, b, U);
  }

  RealVector coordinates(const Vector &v) const { return root_m.cwiseProduct(v.cast<Real>() - mean); }
  Real       norm_of_U() const { return root_m.cwiseProduct(mean).norm() + U.norm(); }
  Real       distance(const Vector &u) const { return (coordinates(u) - answer.x).norm(); }

  /// U - (1+e)(U - P_K U).
  RealVector after(const double e) const { return U - (1.L + static_cast<Real>(e)) * (U - answer.x); }

  /// max |min(p/2 W, b - B u_p)| in m/s, u_p = U - B*p.
  Real natural_residual(const Vector &p) const
  {
    const RealVector u_p = U - A.transpose() * p.cast<Real>(), open = b - A * u_p;
    Real             worst = 0.L;
    for (Index c = 0; c < open.size(); ++c)
      worst = std::max(worst, std::abs(std::min(.5L * A.row(c).squaredNorm() * static_cast<Real>(p(c)), open(c))));
    return worst;
  }

  /// max (Bv - b)⁺ (m/s).
  Real violation(const Vector &v) const { return std::max(0.L, (A * coordinates(v) - b).maxCoeff()); }

  /// By which sums of doubles may miss it: impulses between heavy spheres are large for light ones.
  Real rounding_of_residual(const Vector &p) const
  {
    const RealVector terms = U.cwiseAbs() + root_m.cwiseProduct(mean.cwiseAbs()) + A.cwiseAbs().transpose() * p.cast<Real>();
    return 16.L * static_cast<Real>(convex::epsilon) * (A.cwiseAbs() * terms).lpNorm<Eigen::Infinity>();
  }
};

class Judge
{
public:
  Judge(const RandomImpact &given, const unsigned int seed)
      : given(given)
      , graph(micro::contact_graph(given.spheres, given.walls, micro::usual_contact_tolerance))
      , problem(micro::impact_problem(given.spheres, given.walls, graph, given.U))
      , seed(seed)
  {}

  Counts counts()
  {
    found.impacts          = 1;
    found.without_contacts = graph.n_contacts() == 0;
    compare_contacts();
    const auto projector = convex::make_projector(given.solver, given.criterion);
    impact               = convex::single_impact(problem, *projector, given.law);
    compare_conserved();
    compare_summary();
    if (graph.n_contacts() > 0)
      compare_projection();
    return found;
  }

private:
  void fault(const std::string &sentence)
  {
    std::ostringstream text;
    text << "seed " << seed << ", " << given.kind << " of " << given.spheres.size() << " spheres in dimension "
         << given.spheres.dimension() << ", " << given.walls.size() << " walls, e = " << given.law.restitution
         << ", tolerance " << given.criterion.tolerance << ", " << given.solver << " (" << impact.projection.method
         << "): " << sentence;
    found.faults.push_back(text.str());
  }

  template <class... Words>
  void fault(const Words &...words)
  {
    std::ostringstream text;
    text.precision(4);
    (text << ... << words);
    fault(text.str());
  }

  /// All pairs, one by one.
  void compare_contacts()
  {
    const micro::Spheres &s       = given.spheres;
    Index                 next    = 0;
    const auto            compare = [&](const Index i, const Index j, const Real gap, const Real R, const RealVector &e) {
      if (gap > static_cast<Real>(micro::usual_contact_tolerance) * R)
        return;
      if (next >= graph.n_contacts() || graph.contacts[next].i != i || graph.contacts[next].j != j)
        fault("spheres ", i, " and ", j, " touch and are no contact");
      else if ((graph.contacts[next].e.head(s.dimension()).cast<Real>() - e).norm() > 2e-9L)
        fault("the direction of contact ", next, " is another one");
      ++next;
    };
    for (Index i = 0; i < s.size(); ++i)
      {
        for (Index j = i + 1; j < s.size(); ++j)
          {
            const RealVector to = (s.r.col(j).cast<Real>() - s.r.col(i).cast<Real>());
            compare(i, j, to.norm() - static_cast<Real>(s.R(i)) - static_cast<Real>(s.R(j)), std::min(s.R(i), s.R(j)),
                    to.normalized());
          }
        for (std::size_t w = 0; w < given.walls.size(); ++w)
          {
            const RealVector normal = given.walls[w].normal.cast<Real>();
            const Real       gap = normal.dot(s.r.col(i).cast<Real>()) - static_cast<Real>(given.walls[w].offset + s.R(i));
            compare(i, s.size() + static_cast<Index>(w), gap, s.R(i), -normal);
          }
      }
    if (next != graph.n_contacts())
      fault("there are ", graph.n_contacts(), " contacts instead of ", next);
    for (Index c = 0; c < graph.n_contacts(); ++c)
      if (graph.touches_wall(graph.contacts[c]))
        {
          const micro::Wall &wall     = given.walls[graph.contacts[c].j - s.size()];
          const double       expected = -wall.normal.dot(wall.velocity), got = problem.b.size() == 0 ? 0. : problem.b(c);
          if (!(std::abs(got - expected) <= 1e-8 * wall.velocity.norm()))
            fault("the wall of contact ", c, " moves with ", got, " instead of ", expected);
        }
  }

  void compare_conserved()
  {
    const Index dim = given.spheres.dimension(), n = given.spheres.size();
    const auto  nodal        = [&](const Vector &v) { return Eigen::Map<const Eigen::MatrixXd>(v.data(), dim, n); };
    const bool  moving_walls = problem.b.size() > 0;
    if (given.walls.empty())
      {
        const RealVector change = nodal(impact.u_plus - given.U).cast<Real>() * given.spheres.m.cast<Real>();
        const double     all    = nodal(given.U).colwise().norm().dot(given.spheres.m);
        const auto       by     = static_cast<double>(change.norm() / static_cast<Real>(std::max(all, 1e-300)));
        ++found.momenta;
        found.largest_momentum_change = std::max(found.largest_momentum_change, by);
        if (!(by <= 1e-12))
          fault("the momentum changes by ", by);
      }
    if (!moving_walls && impact.worst.guaranteed)
      {
        const double size    = problem.V->norm(given.U);
        const double allowed = (1. + given.law.restitution) * impact.worst.relative_error_bound * impact.worst.scale *
                               static_cast<double>(impact.effort.n_projections);
        if (!(problem.V->norm(impact.u_plus) <= size * (1. + 1e-14) + allowed))
          fault("the energy grows: |u+| is ", problem.V->norm(impact.u_plus) / size - 1., " above |U|");
      }
  }

  /// As the program writes it.
  void compare_summary()
  {
    app::Summary summary;
    summary.converged           = impact.effort.converged();
    summary.certificate         = impact.worst;
    nlohmann::ordered_json json = app::to_json(summary);
    app::separate_estimates(json);
    const auto &certificate = json["certificate"];
    const bool  is_finite   = std::isfinite(impact.worst.relative_error_bound);
    if (certificate["relative_error_bound"].is_null() != !(impact.worst.guaranteed && is_finite))
      fault("summary.json has an estimate in the place of a bound, or no bound where there is one");
    if (certificate.contains("error_estimate") == impact.worst.guaranteed ||
        !summary.converged && certificate.contains("error_estimate") && !certificate["error_estimate"].is_null())
      fault("summary.json has an estimate where it should have none, or none where it should have one");
  }

  void compare_projection()
  {
    const convex::SaddlePoint &x = impact.projection;
    const Projection           oracle(problem);
    if (oracle.answer.verdict == Verdict::undecided)
      {
        ++found.undecided;
        return;
      }
    if (oracle.answer.verdict == Verdict::empty)
      {
        found.infeasible += x.status == convex::Status::infeasible;
        // walls that squeeze by less than the tolerance: an estimate, with rows violated by no more than that
        if (x.converged() && x.certificate.guaranteed)
          fault("it is certified, but no velocity is admissible");
        else if (x.converged() &&
                 !(oracle.violation(x.u) <= 1.001L * limit_of_residuals(oracle) + oracle.rounding_of_residual(x.p)))
          fault("it has converged, but no velocity is admissible, and rows are violated by ", oracle.violation(x.u));
        return;
      }
    if (x.status == convex::Status::infeasible)
      {
        // what it means, convex/certificate.h: no velocity but such as are this much larger than the data
        constexpr Real far    = 1e6L;
        const Real     larger = oracle.answer.x.norm() / static_cast<Real>(convex::relative_scale(problem));
        found.infeasible += larger > far;
        if (!(larger > far))
          fault("it is called infeasible, but a velocity is admissible that is ", larger, " times as large as the data");
        return;
      }

    const Real error = oracle.distance(x.u), size = oracle.norm_of_U();
    const Real bound = static_cast<Real>(x.certificate.relative_error_bound) * static_cast<Real>(x.certificate.scale);
    const auto ratio = static_cast<double>(error <= rounding * size ? 0.L : error / bound);
    found.converged += x.converged();
    if (x.certificate.guaranteed)
      {
        ++found.bounds;
        found.largest_ratio = std::max(found.largest_ratio, ratio);
        if (!(error <= bound + rounding * size))
          fault("the error is ", error, ", the bound ", bound, ", |U| = ", size, ", |U - mean U| = ", oracle.U.norm());
      }
    else
      {
        ++found.estimates;
        if (x.converged())
          found.largest_estimate_ratio = std::max(found.largest_estimate_ratio, ratio);
      }
    if (x.converged())
      compare_converged(oracle, error);
    if (impact.effort.n_projections == 1 && x.certificate.guaranteed)
      {
        const double e        = given.law.restitution;
        const Real   distance = (oracle.coordinates(impact.u_plus) - oracle.after(e)).norm();
        if (!(distance <= (1.L + static_cast<Real>(e)) * (bound + 2.L * rounding * size)))
          fault("u+ is off by ", distance, ", the bound ", (1. + e) * static_cast<double>(bound));
      }
  }

  void compare_converged(const Projection &oracle, const Real error)
  {
    const convex::SaddlePoint &x        = impact.projection;
    const Real                 demanded = static_cast<Real>(given.criterion.demanded(x.certificate));
    if (x.certificate.guaranteed)
      {
        if (!(error <= demanded * static_cast<Real>(x.certificate.scale) + rounding * oracle.norm_of_U()))
          fault("it has converged with an error of ", error / static_cast<Real>(x.certificate.scale), " where ", demanded,
                " is demanded");
        return;
      }
    const Real residual = oracle.natural_residual(x.p), limit = limit_of_residuals(oracle);
    if (!(residual <= 1.001L * limit + oracle.rounding_of_residual(x.p)))
      fault("it has converged with a natural residual of ", residual, " m/s where ", limit, " is demanded");
  }

  /// What is demanded of the residuals of an estimate, in m/s: relative to the larger of |U - mean| and approach to walls.
  Real limit_of_residuals(const Projection &oracle) const
  {
    Real speed = 0.L;
    for (Index k = 0; k < oracle.U.size(); ++k)
      speed = std::max(speed, std::abs(oracle.U(k) / oracle.root_m(k)));
    for (Index c = 0; c < oracle.b.size(); ++c)
      speed = std::max(speed, -oracle.b(c));
    return std::max<Real>(given.criterion.tolerance, 1e-12L) * speed;
  }

  const RandomImpact       &given;
  micro::ContactGraph       graph;
  convex::ProjectionProblem problem;
  unsigned int              seed;
  convex::Impact            impact;
  Counts                    found;
};
} // namespace

void Counts::operator+=(const Counts &other)
{
  impacts += other.impacts;
  without_contacts += other.without_contacts;
  bounds += other.bounds;
  estimates += other.estimates;
  converged += other.converged;
  infeasible += other.infeasible;
  undecided += other.undecided;
  momenta += other.momenta;
  largest_ratio           = std::max(largest_ratio, other.largest_ratio);
  largest_estimate_ratio  = std::max(largest_estimate_ratio, other.largest_estimate_ratio);
  largest_momentum_change = std::max(largest_momentum_change, other.largest_momentum_change);
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
}

Counts judged(const RandomImpact &impact, const unsigned int seed) { return Judge(impact, seed).counts(); }
} // namespace moreau::campaign
