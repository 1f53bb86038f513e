// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/dual_polish.h"

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

  /// Half the descent of |U - B*p|², which is returned, by the coefficients of p.
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
    return scale * (rest.squaredNorm() + rest.rowwise().sum().squaredNorm());
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
} // namespace

SimplexPressure polished(const DirectionalZone &zone, const SimplexEdges &topology, const SimplexData &data,
                         SimplexPressure p, const unsigned int n_steps, const Progress &progress)
{
  const Gradients       gradients(zone, topology, data);
  const SimplexPressure squares = gradients.squares(p), free = free_coefficients(zone, topology);
  // as many functions overlap on a simplex as it has: the largest eigenvalue of what is scaled by the diagonal
  const double overlap = gradients.n_functions();
  const auto   steps   = [overlap](const Eigen::MatrixXd &square, const Eigen::MatrixXd &is_free) -> Eigen::MatrixXd {
    return (square.array() > 0.).select(is_free.array() / (overlap * square.array()), 0.);
  };
  const SimplexPressure step = {steps(squares.nodes, free.nodes), steps(squares.edges, free.edges)};

  SimplexPressure best = p, last = p, ahead = p, descent;
  double          least = std::numeric_limits<double>::infinity(), weight = 1.;
  for (unsigned int k = 0; k <= n_steps; ++k)
    {
      // of what is ahead; the sequence itself is judged once more at the end
      const double square = gradients(ahead, descent);
      progress(static_cast<double>(k) / n_steps);
      if (square < least)
        {
          least = square;
          best  = ahead;
        }
      else if (k > 0)
        weight = 1.; // begin anew
      const auto forward = [](const Eigen::MatrixXd &from, const Eigen::MatrixXd &by, const Eigen::MatrixXd &along,
                              const Eigen::MatrixXd &is_free) -> Eigen::MatrixXd {
        const Eigen::MatrixXd next = from + by.cwiseProduct(along);
        return (is_free.array() > 0.).select(next.cwiseMax(0.), from);
      };
      const SimplexPressure next = {forward(ahead.nodes, step.nodes, descent.nodes, free.nodes),
                                    forward(ahead.edges, step.edges, descent.edges, free.edges)};
      const double          w = .5 * (1. + std::sqrt(1. + 4. * weight * weight)), beyond = (weight - 1.) / w;
      ahead.nodes = (next.nodes + beyond * (next.nodes - last.nodes)).cwiseMax(0.);
      ahead.edges = (next.edges + beyond * (next.edges - last.edges)).cwiseMax(0.);
      last        = next;
      weight      = w;
    }
  return best;
}
} // namespace moreau::macro
