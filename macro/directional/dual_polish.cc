// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/dual_polish.h"

#include "macro/directional/pressure_limits.h"

#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
/// What U - B*p has in common with the function of every coefficient, and the squares of these functions.
class Gradients
{
public:
  Gradients(const DirectionalZone &zone, const SimplexEdges &topology, const SimplexData &data)
      : zone(zone), topology(topology), data(data), simplices(zone.grains.mesh.simplices), n_v(zone.dim() + 1)
  {}

  /// Half the descent of |U - B*p|² + 2 ∫Σ p_k A_k:D, which is returned, by the coefficients of p.
  double operator()(const SimplexPressure &p, SimplexPressure &descent) const
  {
    const Index     n = simplices.cols();
    Eigen::MatrixXd of_simplices(n_functions(), n);
    Vector          squares(n);
    for_blocks(n, 256, [&](const Index first, const Index last) {
      for (Index t = first; t < last; ++t)
        squares(t) = on_simplex(p, t, of_simplices.col(t));
    });
    descent.nodes = Eigen::MatrixXd::Zero(p.nodes.rows(), p.nodes.cols());
    descent.edges = Eigen::MatrixXd::Zero(p.edges.rows(), p.edges.cols());
    scatter(of_simplices, descent);
    return squares.sum();
  }

  /// |B*φ|² of the function φ of every coefficient.
  SimplexPressure squares(const SimplexPressure &like) const
  {
    SimplexPressure result = {Eigen::MatrixXd::Zero(like.nodes.rows(), like.nodes.cols()),
                              Eigen::MatrixXd::Zero(like.edges.rows(), like.edges.cols())};
    Eigen::MatrixXd of_simplices(n_functions(), simplices.cols());
    for (Index t = 0; t < simplices.cols(); ++t)
      {
        const double scale = 8. * zone.zone.volumes(t) / (n_v * (n_v + 1.)); // 4 times the mean of λ_i²
        for (int k = 0, row = 0; k < zone.K; ++k)
          {
            const SimplexMatrix slopes   = zone.applied(t, k, zone.zone.gradients_of(t));
            const SimplexMatrix products = scale * slopes.transpose() * slopes;
            for (int i = 0; i < n_v; ++i)
              of_simplices(row++, t) = products(i, i);
            for (int i = 0; i < n_v; ++i)
              for (int j = i + 1; j < n_v; ++j)
                of_simplices(row++, t) = products(i, i) + products(j, j) + products(i, j);
          }
      }
    scatter(of_simplices, result);
    return result;
  }

  /// Functions on a simplex.
  int n_functions() const { return zone.K * n_v * (n_v + 1) / 2; }

private:
  double on_simplex(const SimplexPressure &p, const Index t, Eigen::Ref<Vector> of_functions) const
  {
    SimplexMatrix rest = -p.gradient(zone, topology, t);
    rest += Eigen::Map<const Eigen::MatrixXd>(data.projected.col(t).data(), zone.dim(), n_v);
    const double        scale = zone.zone.volumes(t) / (n_v * (n_v + 1.));
    const SimplexMatrix means = 2. * scale * (rest.colwise() + rest.rowwise().sum().eval()); // of 2 λ_i rest
    for (int k = 0, row = 0; k < zone.K; ++k)
      {
        const SimplexMatrix products = zone.applied(t, k, zone.zone.gradients_of(t)).transpose() * means;
        for (int i = 0; i < n_v; ++i)
          of_functions(row++) = products(i, i);
        for (int i = 0; i < n_v; ++i)
          for (int j = i + 1; j < n_v; ++j)
            of_functions(row++) = products(i, j) + products(j, i);
      }
    const double square = scale * (rest.squaredNorm() + rest.rowwise().sum().squaredNorm());
    if (zone.mean_gradient.size() == 0)
      return square;
    double       work       = 0.;
    const Vector means_of_p = p.means(zone, topology, t);
    for (int k = 0, row = 0; k < zone.K; ++k)
      {
        const double rate = zone.zone.volumes(t) * zone.mean_rate(t, k, zone.smallest_dilatancy);
        for (int function = 0; function < n_v * (n_v + 1) / 2; ++function)
          of_functions(row++) -= 2. / (n_v * (n_v + 1.)) * rate;
        work += rate * means_of_p(k);
      }
    return square + 2. * work;
  }

  void scatter(const Eigen::MatrixXd &of_simplices, SimplexPressure &sum) const
  {
    for (Index t = 0; t < simplices.cols(); ++t)
      for (int k = 0, row = 0; k < zone.K; ++k)
        {
          for (int i = 0; i < n_v; ++i)
            sum.nodes(k, simplices(i, t)) += of_simplices(row++, t);
          for (Index edge = 0; edge < topology.of_cell.rows(); ++edge)
            sum.edges(k, topology.of_cell(edge, t)) += of_simplices(row++, t);
        }
  }

  const DirectionalZone &zone;
  const SimplexEdges    &topology;
  const SimplexData     &data;
  const Eigen::MatrixXi &simplices;
  const int              n_v; // vertices of a simplex
};
/// How many times longer steps may be: 1/λ, λ the largest eigenvalue of p -> step · (half the ascent of |B*p|²), by power
/// iteration and with what it may miss.
double longest_step(const Gradients &gradients, const SimplexPressure &step)
{
  constexpr int    n_iterations = 20;
  constexpr double spare        = 1.1;
  const auto       zero         = [](const Eigen::MatrixXd &like) -> Eigen::MatrixXd {
    return Eigen::MatrixXd::Zero(like.rows(), like.cols());
  };
  SimplexPressure of_U, descent, v = {zero(step.nodes), zero(step.edges)};
  gradients(v, of_U);
  for (Eigen::MatrixXd *const coefficients : {&v.nodes, &v.edges}) // without symmetry, the same in every run
    for (Index k = 0; k < coefficients->size(); ++k)
      coefficients->reshaped()(k) = std::sin(1. + 7.3 * static_cast<double>(k));
  double lambda = 0.;
  for (int iteration = 0; iteration < n_iterations; ++iteration)
    {
      const double size = std::sqrt(v.nodes.squaredNorm() + v.edges.squaredNorm());
      if (!(size > 0.))
        return 1.;
      v.nodes /= size;
      v.edges /= size;
      gradients(v, descent);
      v.nodes = step.nodes.cwiseProduct(of_U.nodes - descent.nodes);
      v.edges = step.edges.cwiseProduct(of_U.edges - descent.edges);
      lambda  = std::sqrt(v.nodes.squaredNorm() + v.edges.squaredNorm());
    }
  return lambda > 0. ? std::max(1., 1. / (spare * lambda)) : 1.;
}
} // namespace

SimplexPressure polished(const DirectionalZone &zone, const SimplexEdges &topology, const SimplexData &data,
                         const PressureLimits &limits, SimplexPressure p, const PolishSteps &steps, const Progress &progress)
{
  const Gradients       gradients(zone, topology, data);
  const SimplexPressure squares = gradients.squares(p);
  // as many functions overlap on a simplex as it has: the largest eigenvalue of what is scaled by the diagonal
  const double overlap = gradients.n_functions();
  const auto   inverse = [overlap](const Eigen::MatrixXd &square) -> Eigen::MatrixXd {
    return (square.array() > 0.).select(1. / (overlap * square.array()), 0.);
  };
  SimplexPressure step = {inverse(squares.nodes), inverse(squares.edges)};
  limits.limit_steps(step);
  constexpr unsigned int many     = 200; // for which twenty gradients more are worth the while
  const double           enlarged = steps.most > many ? longest_step(gradients, step) : 1.;
  step.nodes *= enlarged;
  step.edges *= enlarged;

  SimplexPressure best = p, last = p, ahead = p, descent;
  double          least = std::numeric_limits<double>::infinity(), weight = 1., first = 0., at_look = 0.;
  for (unsigned int k = 0; k <= steps.most; ++k)
    {
      // of what is ahead; the sequence itself is judged once more at the end
      const double square = gradients(ahead, descent);
      progress(static_cast<double>(k) / steps.most);
      if (k == 0)
        first = at_look = square;
      if (k > 0 && k % PolishSteps::between_looks == 0)
        {
          if (std::isfinite(steps.bound_of_start) &&
              at_look - least < PolishSteps::least_gain * (steps.bound_of_start - first + least))
            break;
          at_look = least;
        }
      if (square < least)
        {
          least = square;
          best  = ahead;
        }
      else if (k > 0)
        weight = 1.; // begin anew
      SimplexPressure next = {ahead.nodes + step.nodes.cwiseProduct(descent.nodes),
                              ahead.edges + step.edges.cwiseProduct(descent.edges)};
      limits.limit(next);
      const double w = .5 * (1. + std::sqrt(1. + 4. * weight * weight)), beyond = (weight - 1.) / w;
      ahead.nodes = next.nodes + beyond * (next.nodes - last.nodes);
      ahead.edges = next.edges + beyond * (next.edges - last.edges);
      limits.limit(ahead);
      last   = next;
      weight = w;
    }
  return best;
}
} // namespace moreau::macro
