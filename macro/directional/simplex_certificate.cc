// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/simplex_certificate.h"

#include <Eigen/Cholesky>

namespace moreau::macro
{
namespace
{
constexpr Index simplices_per_block = 1024;

/// ∫ f·g / |T| of two linear functions given by their values at the vertices.
double mean_product(const SimplexMatrix &f, const SimplexMatrix &g)
{
  const double n_vertices = static_cast<double>(f.cols());
  return ((f.array() * g.array()).sum() + f.rowwise().sum().dot(g.rowwise().sum())) / (n_vertices * (n_vertices + 1.));
}

Eigen::Map<const Eigen::MatrixXd> at_vertices(const Eigen::MatrixXd &values, const int dim, const Index simplex)
{
  return {values.col(simplex).data(), dim, dim + 1};
}
} // namespace

SimplexData::SimplexData(const DirectionalZone &zone, const Field &U_of_x, const Progress &progress) : field(U_of_x)
{
  const int   dim  = zone.dim();
  const auto &mesh = zone.zone.mesh;
  const Rule  rule = simplex_rule(dim);
  const Index n = mesh.n_simplices(), n_q = rule.size();
  U.resize(dim, n * n_q);
  projected.resize(dim * (dim + 1), n);
  means.resize(dim, n);

  // λ tested with itself is |T|/((d+1)(d+2)) (1 + 11ᵀ), whose inverse is (d+1)(d+2)/|T| (1 - 11ᵀ/(d+2))
  const Eigen::MatrixXd inverse_mass = (dim + 1.) * (dim + 2.) * Eigen::MatrixXd::Identity(dim + 1, dim + 1) -
                                       Eigen::MatrixXd::Constant(dim + 1, dim + 1, dim + 1.);
  const Eigen::MatrixXd to_vertices = rule.weights.asDiagonal() * rule.points.transpose() * inverse_mass;
  const auto            in_block    = [&](const Index first, const Index last) {
    Eigen::MatrixXd x(dim, (last - first) * n_q), values(dim, (last - first) * n_q);
    for (Index t = first; t < last; ++t)
      x.middleCols((t - first) * n_q, n_q) = mesh.vertices(t) * rule.points;
    U_of_x(x, values);
    U.middleCols(first * n_q, values.cols()) = values;
    for (Index t = first; t < last; ++t)
      {
        // of what differs from the first point: what is uniform stays so to the last bit
        const Vector          about  = values.col((t - first) * n_q);
        const Eigen::MatrixXd on_t   = values.middleCols((t - first) * n_q, n_q).colwise() - about;
        const Eigen::MatrixXd linear = (on_t * to_vertices).colwise() + about;
        projected.col(t)             = Eigen::Map<const Vector>(linear.data(), linear.size());
        means.col(t)                 = on_t * rule.weights + about;
      }
  };
  for_blocks(n, simplices_per_block, in_block, progress);
}

Eigen::MatrixXd SimplexData::nodal_means(const DirectionalZone &zone) const
{
  const auto     &mesh = zone.zone.mesh;
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(mesh.dim(), mesh.n_points()), first = sums;
  Vector          weights = Vector::Zero(mesh.n_points());
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    for (int i = 0; i <= mesh.dim(); ++i)
      {
        // about the first one: what is uniform stays so to the last bit
        const int  node  = mesh.simplices(i, t);
        const auto value = at_vertices(projected, mesh.dim(), t).col(i);
        if (weights(node) == 0.)
          first.col(node) = value;
        sums.col(node) += zone.zone.volumes(t) * (value - first.col(node));
        weights(node) += zone.zone.volumes(t);
      }
  return sums * weights.cwiseInverse().asDiagonal() + first;
}

SimplexPressure best_combination(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data,
                                 const std::vector<SimplexPressure> &candidates)
{
  // (B*p_i, B*p_j) and (U, B*p_j) - ∫Σ p_k A_k:D
  const int       n     = static_cast<int>(candidates.size());
  Eigen::MatrixXd gram  = Eigen::MatrixXd::Zero(n, n);
  Vector          right = Vector::Zero(n);
  for (Index t = 0; t < zone.zone.mesh.n_simplices(); ++t)
    {
      std::vector<SimplexMatrix> gradients;
      for (const SimplexPressure &p : candidates)
        gradients.push_back(p.gradient(zone, edges, t));
      for (int i = 0; i < n; ++i)
        {
          right(i) += zone.zone.volumes(t) * mean_product(gradients[i], at_vertices(data.projected, zone.dim(), t));
          if (zone.mean_gradient.size() > 0)
            for (int k = 0; k < zone.K; ++k)
              right(i) -= zone.zone.volumes(t) * candidates[i].means(zone, edges, t)(k) *
                          zone.mean_rate(t, k, zone.smallest_dilatancy);
          for (int j = 0; j < n; ++j)
            gram(i, j) += zone.zone.volumes(t) * mean_product(gradients[i], gradients[j]);
        }
    }

  // the best of all subsets with positive factors; the others have the equation θ = 0
  Vector best   = Vector::Zero(n);
  double best_D = 0.;
  for (int subset = 1; subset < (1 << n); ++subset)
    {
      const Vector    chosen = Vector::NullaryExpr(n, [subset](const Index i) { return (subset >> i) & 1; });
      Eigen::MatrixXd matrix = gram.cwiseProduct(chosen * chosen.transpose());
      matrix.diagonal() += Vector::Ones(n) - chosen;
      const Vector theta = matrix.ldlt().solve(right.cwiseProduct(chosen));
      const double D     = right.dot(theta);
      if (theta.allFinite() && theta.minCoeff() >= 0. && D > best_D)
        {
          best_D = D;
          best   = theta;
        }
    }
  SimplexPressure p = candidates.front();
  p.nodes *= best(0);
  p.edges *= best(0);
  for (int i = 1; i < n; ++i)
    {
      p.nodes += best(i) * candidates[i].nodes;
      p.edges += best(i) * candidates[i].edges;
    }
  return p;
}

namespace
{
AdmissiblePair::Facts completed(AdmissiblePair::Facts facts, const DirectionalZone &zone)
{
  facts.constructions = {zone.is_circular() ? "linear v, quadratic stresses"
                                            : "linear v of the inner, quadratic p of the outer approximation"};
  facts.n_cells       = zone.zone.mesh.n_simplices();
  facts.at_a_time     = simplices_per_block;
  return facts;
}
} // namespace

SimplexPair::SimplexPair(const DirectionalZone &zone, const SimplexEdges &edges, const SimplexData &data, const Vector &v,
                         const SimplexPressure &p, Facts facts)
    : AdmissiblePair(completed(std::move(facts), zone))
    , zone(zone)
    , edges(edges)
    , data(data)
    , v(v)
    , p(p)
    , rule(simplex_rule(zone.dim()))
    , on_facets(zone.dim() > 1 ? simplex_rule(zone.dim() - 1) : Rule{Eigen::MatrixXd::Ones(1, 1), Vector::Ones(1)})
    , of_U(IntegralsOfU::on_simplices(rule))
{
  for (std::size_t f = 0; f < zone.zone.facets.size(); ++f)
    if (zone.side_of_facet[f] >= 0)
      walls.emplace(zone.zone.facets[f].simplex, f);
  for (const int f : zone.torn)
    torn.emplace(zone.zone.facets[f].simplex, f);
}

GapIntegrals SimplexPair::integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const
{
  const int    dim = zone.dim();
  GapIntegrals sum;
  for (Index t = first; t < last; ++t)
    {
      SimplexMatrix difference = p.gradient(zone, edges, t); // v - u_p = v + B*p - U
      SimplexMatrix nodal(dim, dim + 1);
      for (int i = 0; i <= dim; ++i)
        nodal.col(i) = v.segment(dim * zone.zone.mesh.simplices(i, t), dim);
      difference += nodal;
      const double          volume  = zone.zone.volumes(t);
      const Eigen::MatrixXd U       = data.U.middleCols(t * rule.size(), rule.size());
      const Vector          gains   = zone.derivatives(v, t);
      GapIntegrals          on_cell = of_U(U, volume * rule.weights);
      on_cell.mismatch[0]           = volume * (difference * rule.points - U).colwise().squaredNorm().dot(rule.weights);
      on_cell.work[0]               = 2. * volume * gains.dot(p.means(zone, edges, t));
      const Eigen::MatrixXd of_v    = nodal * rule.points;
      on_cell.energy[0]             = volume * of_v.cwiseProduct(U - .5 * of_v).colwise().sum().dot(rule.weights);
      on_cell.violation             = -zone.smallest_derivative(v, t);
      for (auto [wall, end] = walls.equal_range(t); wall != end; ++wall)
        add_wall(wall->second, on_cell);
      for (auto [jump, end] = torn.equal_range(t); jump != end; ++jump)
        add_jump(jump->second, on_cell);
      indicators(t) = on_cell.gap(0);
      sum.add(on_cell);
    }
  return sum;
}

Unseen SimplexPair::hidden(const Index first, const Index last, const bool all_seen) const
{
  const auto     &mesh = zone.zone.mesh;
  Eigen::MatrixXd x(zone.dim(), (last - first) * rule.size());
  for (Index t = first; t < last; ++t)
    x.middleCols((t - first) * rule.size(), rule.size()) = mesh.vertices(t) * rule.points;
  return of_U.hidden(data.field, x, zone.zone.volumes.segment(first, last - first), all_seen,
                     IntegralsOfU::in_a_row(facts.n_cells));
}

/// 2 ∫_F Σ_k p_k (A_k n)·v over a facet, n out of its simplex, for v given at the vertices of that.
double SimplexPair::traction_work(const std::size_t f, const SimplexMatrix &velocities) const
{
  const Facet &facet = zone.zone.facets[f];
  const int    dim   = zone.dim();
  const Vector n     = zone.zone.normal(facet);
  double       sum   = 0.;
  for (int k = 0; k < zone.K; ++k)
    {
      const SimplexMatrix C     = p.coefficients(zone, edges, facet.simplex, k);
      const Vector        force = zone.applied(facet.simplex, k, n);
      for (Index q = 0; q < on_facets.size(); ++q)
        {
          Vector lambda = Vector::Zero(dim + 1);
          for (int i = 0, j = 0; i <= dim; ++i)
            if (i != facet.opposite)
              lambda(i) = on_facets.points(j++, q);
          sum += on_facets.weights(q) * lambda.dot(C * lambda) * force.dot(velocities * lambda);
        }
    }
  return 2. * zone.zone.area(facet) * sum;
}

void SimplexPair::add_wall(const std::size_t f, GapIntegrals &on_cell) const
{
  const Facet  &facet = zone.zone.facets[f];
  const int     dim = zone.dim(), side = zone.side_of_facet[f];
  SimplexMatrix velocities(dim, dim + 1);
  for (int i = 0; i <= dim; ++i)
    velocities.col(i) = v.segment(dim * zone.zone.mesh.simplices(i, facet.simplex), dim);
  on_cell.work[0] -= traction_work(f, velocities);
  for (int i = 0; i <= dim; ++i)
    if (i != facet.opposite)
      on_cell.violation = std::max(on_cell.violation, (side % 2 == 0 ? -1. : 1.) * velocities(side / 2, i) / zone.length);
}

/// What pressures do where velocities jump.
void SimplexPair::add_jump(const std::size_t f, GapIntegrals &on_cell) const
{
  const Facet  &facet = zone.zone.facets[f];
  const auto   &mesh  = zone.zone.mesh;
  const int     dim   = zone.dim();
  const Vector  n     = zone.zone.normal(facet);
  SimplexMatrix jumps = SimplexMatrix::Zero(dim, dim + 1);
  for_common_vertices(mesh, facet, [&](const int i, const int j) {
    const int here = mesh.simplices(i, facet.simplex), behind = mesh.simplices(j, facet.neighbour);
    jumps.col(i) = v.segment(dim * behind, dim) - v.segment(dim * here, dim);
    if (zone.is_circular())
      {
        const double s    = std::max(zone.dilatancy_of(facet.simplex), zone.dilatancy_of(facet.neighbour));
        on_cell.violation = std::max(on_cell.violation, -circular_margin(n * jumps.col(i).transpose(), s) / zone.length);
        return;
      }
    for (int k = 0; k < zone.K; ++k)
      on_cell.violation =
          std::max(on_cell.violation, -zone.applied(facet.simplex, k, n).col(0).dot(jumps.col(i)) / zone.length);
  });
  on_cell.work[0] += traction_work(f, jumps);
}
} // namespace moreau::macro
