// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/chain_certificate.h"

#include "macro/directional/axis_chains.h"

#include <Eigen/Cholesky>
#include <tbb/parallel_for.h>

#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr Index nodes_at_a_time = 512; // whatever the number of threads

/// Gauss's rule on each of the 2^dim parts of the unit cube; on its face ξ_axis = 0 where axis >= 0.
Rule halved_rule(const int n, const int dim, const int axis)
{
  const Rule  part    = axis < 0 ? gauss_rule(n, dim) : face_rule(n, dim, axis);
  const Index n_parts = Index(1) << dim;
  Rule        rule    = {Eigen::MatrixXd(dim, 0), Vector(0)};
  for (Index k = 0; k < n_parts; ++k)
    {
      if (axis >= 0 && k >> axis & 1)
        continue;
      const Index n_before = rule.size();
      rule.points.conservativeResize(Eigen::NoChange, n_before + part.size());
      rule.weights.conservativeResize(n_before + part.size());
      for (int a = 0; a < dim; ++a)
        rule.points.row(a).tail(part.size()) = .5 * (part.points.row(a).array() + static_cast<double>(k >> a & 1));
      rule.weights.tail(part.size()) = part.weights;
    }
  rule.weights /= rule.weights.sum();
  return rule;
}

/// The functions that the cells and lines around a cell contribute to v and p of one axis, at the points of a rule (n x 3 m
/// for m lines):
/// column 3 o + s: line o of the 3^(dim-1) around, and along it the cell before, the cell, the cell behind, or the three
/// Bernstein polynomials.
struct Basis
{
  Eigen::MatrixXd v, slope_of_v, p, slope_of_p; ///< slopes in units of 1/h

  Basis(const Eigen::MatrixXd &xi, const int axis)
  {
    const int dim = static_cast<int>(xi.rows());
    Index     m   = 1;
    for (int a = 1; a < dim; ++a)
      m *= 3;
    for (Eigen::MatrixXd *part : {&v, &slope_of_v, &p, &slope_of_p})
      part->resize(xi.cols(), 3 * m);
    for (Index q = 0; q < xi.cols(); ++q)
      for (Index o = 0; o < m; ++o)
        {
          double across = 1.;
          Index  rest   = o;
          for (int b = 0; b < dim; ++b)
            if (b != axis)
              {
                across *= hat(xi(b, q))[rest % 3];
                rest /= 3;
              }
          const double x            = xi(axis, q);
          const auto   linear       = hat(x);
          const double slope[]      = {x < .5 ? -1. : 0., x < .5 ? 1. : -1., x < .5 ? 0. : 1.};
          const double bernstein[]  = {(1. - x) * (1. - x), 2. * x * (1. - x), x * x};
          const double derivative[] = {2. * x - 2., 2. - 4. * x, 2. * x};
          for (int s = 0; s < 3; ++s)
            {
              v(q, 3 * o + s)          = across * linear[s];
              slope_of_v(q, 3 * o + s) = across * slope[s];
              p(q, 3 * o + s)          = across * bernstein[s];
              slope_of_p(q, 3 * o + s) = across * derivative[s];
            }
        }
  }
};

/// |v - u_p|² and 2<-Bv, p> of the cellwise and the smooth pair.
struct Gaps
{
  double mismatch[2] = {0., 0.}, work[2] = {0., 0.};

  void add(const Gaps &more)
  {
    for (int pair = 0; pair < 2; ++pair)
      {
        mismatch[pair] += more.mismatch[pair];
        work[pair] += more.work[pair];
      }
  }
  double total(const int pair) const { return mismatch[pair] + work[pair]; }
};

struct Sums
{
  Gaps   gaps;
  double oscillation = 0., spread = 0.;
  Vector shift; // ∫(U - reference)

  void add(const Sums &more)
  {
    gaps.add(more.gaps);
    oscillation += more.oscillation;
    spread += more.spread;
    shift += more.shift;
  }
};

class Integrator
{
public:
  Integrator(const AlignedGrid &grid, const convex::LineFamilies &lines, const Field &U, const Vector &u, const Vector &p)
      : grid(grid), U(U), n_gauss(grid.dim < 3 ? 3 : 2), rule(halved_rule(n_gauss, grid.dim, -1)), polynomials(orthonormal())
  {
    for (std::size_t k = 0; k < lines.families.size(); ++k)
      {
        const int axis = grid.axis_of_direction[k];
        axes.push_back(axis);
        families.emplace_back(grid, lines.families[k], axis, u, p);
        bases.emplace_back(rule.points, axis);
        Rule face = halved_rule(n_gauss, grid.dim, axis);
        face_weights.push_back(face.weights);
        lower_faces.emplace_back(face.points, axis);
        face.points.row(axis).setOnes();
        upper_faces.emplace_back(face.points, axis);
      }
    reference = grid.n_nodes() == 0 ? Vector(Vector::Zero(grid.dim)) : Vector(u.head(grid.dim));
  }

  /// Integrals over nodes first ... last-1; indicators: two numbers per node.
  Sums operator()(const Index first, const Index last, Eigen::Matrix2Xd &indicators) const
  {
    Eigen::MatrixXd x, values(grid.dim, (last - first) * rule.size());
    grid.points(grid.cell_of_node.data() + first, last - first, rule.points, x);
    U(x, values);
    Sums   sums;
    Vector v(3 * families[0].n_beside()), p(v.size()), residual(rule.size()), slope(rule.size());
    sums.shift          = Vector::Zero(grid.dim);
    const double volume = grid.cell_volume();
    for (Index k = first; k < last; ++k)
      {
        const auto at_points = values.middleCols((k - first) * rule.size(), rule.size());
        Gaps       gaps;
        const int  node = static_cast<int>(k);
        for (std::size_t a = 0; a < families.size(); ++a)
          {
            const AxisLines &line = families[a];
            const double     h    = grid.h(axes[a]);
            const Vector     U_a  = at_points.transpose() * grid.frame.col(axes[a]);

            line.coefficients(node, v.data(), p.data());
            residual.noalias() = bases[a].v * v;
            residual.noalias() += bases[a].slope_of_p * (p / h);
            residual -= U_a;
            gaps.mismatch[1] += volume * rule.weights.dot(residual.cwiseAbs2());
            residual.noalias() = bases[a].p * p;
            slope.noalias()    = bases[a].slope_of_v * (v / h);
            gaps.work[1] += 2. * volume * rule.weights.dot(residual.cwiseProduct(slope));

            const double lower = line.face_pressure(node, 0), upper = line.face_pressure(node, 2);
            residual = (line.value(node) + (upper - lower) / h - U_a.array()).matrix();
            gaps.mismatch[0] += volume * rule.weights.dot(residual.cwiseAbs2());
            gaps.work[0] += 2. * grid.face_area(axes[a]) * upper * line.gain(node);
            add_walls(a, node, v, p, gaps);
          }
        indicators.col(k) << gaps.total(0), gaps.total(1);
        sums.gaps.add(gaps);
        const Eigen::MatrixXd about = (at_points.colwise() - reference).transpose();
        const Eigen::MatrixXd remainder =
            about - polynomials * (polynomials.transpose() * (rule.weights.asDiagonal() * about));
        sums.oscillation += volume * rule.weights.dot(remainder.rowwise().squaredNorm());
        sums.spread += volume * rule.weights.dot(about.rowwise().squaredNorm());
        sums.shift += volume * about.transpose() * rule.weights;
      }
    return sums;
  }

private:
  /// -2∫p v·n over walls that the cell touches along family a.
  void add_walls(const std::size_t a, const int node, const Vector &v, const Vector &p, Gaps &gaps) const
  {
    for (const bool upper : {false, true})
      if (families[a].at_wall(node, upper))
        {
          const Basis &face  = upper ? upper_faces[a] : lower_faces[a];
          const double twice = (upper ? -2. : 2.) * grid.face_area(axes[a]);
          gaps.work[0] += twice * families[a].face_pressure(node, upper ? 2 : 0) * families[a].value(node);
          gaps.work[1] += twice * face_weights[a].dot((face.p * p).cwiseProduct(face.v * v));
        }
  }

  /// A basis of the polynomials of degree 2 (1 in space) in each coordinate, at the points, orthonormal for the rule: n x
  /// n_polynomials.
  Eigen::MatrixXd orthonormal() const
  {
    const int degree = n_gauss - 1;
    Index     count  = 1;
    for (int a = 0; a < grid.dim; ++a)
      count *= degree + 1;
    Eigen::MatrixXd powers(rule.size(), count);
    for (Index q = 0; q < rule.size(); ++q)
      for (Index j = 0; j < count; ++j)
        {
          double value = 1.;
          Index  rest  = j;
          for (int a = 0; a < grid.dim; ++a)
            {
              value *= std::pow(2. * rule.points(a, q) - 1., static_cast<double>(rest % (degree + 1)));
              rest /= degree + 1;
            }
          powers(q, j) = value;
        }
    const Eigen::MatrixXd gram = powers.transpose() * rule.weights.asDiagonal() * powers;
    return gram.llt().matrixL().solve(powers.transpose()).transpose();
  }

  const AlignedGrid     &grid;
  const Field           &U;
  int                    n_gauss;
  Rule                   rule;
  Eigen::MatrixXd        polynomials;
  std::vector<int>       axes;
  std::vector<AxisLines> families;
  std::vector<Basis>     bases, lower_faces, upper_faces;
  std::vector<Vector>    face_weights;
  Vector                 reference; // a velocity of the size of U, which keeps the spread free of cancellation
};

/// max of -∂_{e_k}(v·e_k) and of what leaves through walls (1/s).
double violation(const AlignedGrid &grid, const convex::LineFamilies &lines, const Vector &u)
{
  double worst = 0.;
  for (std::size_t k = 0; k < lines.families.size(); ++k)
    {
      const auto  &family = lines.families[k];
      const double h      = grid.h(grid.axis_of_direction[k]);
      const auto   along = [&](const int l) { return family.direction.dot(u.segment(grid.dim * family.node[l], grid.dim)); };
      for (Index r = 0; r < family.n_runs(); ++r)
        {
          const int begin = family.run_start[r], end = family.run_start[r + 1];
          for (int l = begin; l + 1 < end; ++l)
            worst = std::max(worst, (along(l) - along(l + 1)) / h);
          if (family.row_before[r] != convex::LineFamilies::none)
            worst = std::max(worst, -along(begin) / h);
          if (family.row_after[r] != convex::LineFamilies::none)
            worst = std::max(worst, along(end - 1) / h);
        }
    }
  return worst;
}
} // namespace

LineBound line_total_bound(const AlignedGrid &grid, const convex::LineFamilies &lines, const Field &U, const Vector &u,
                           const Vector &p)
{
  LineBound bound;
  bound.available = true;
  if (grid.n_nodes() == 0)
    {
      bound.guaranteed   = true;
      bound.construction = "nothing is saturated";
      return bound;
    }
  const Integrator  integrator(grid, lines, U, u, p);
  const Index       n_blocks = (grid.n_nodes() + nodes_at_a_time - 1) / nodes_at_a_time;
  std::vector<Sums> blocks(n_blocks);
  Eigen::Matrix2Xd  indicators(2, grid.n_nodes());
  tbb::parallel_for(Index(0), n_blocks, [&](const Index b) {
    blocks[b] = integrator(b * nodes_at_a_time, std::min(grid.n_nodes(), (b + 1) * nodes_at_a_time), indicators);
  });
  Sums sums = blocks[0];
  for (Index b = 1; b < n_blocks; ++b)
    sums.add(blocks[b]);

  const int    better     = sums.gaps.total(1) < sums.gaps.total(0) ? 1 : 0;
  const double volume     = grid.cell_volume() * static_cast<double>(grid.n_nodes());
  bound.smooth            = better == 1;
  bound.mismatch          = sums.gaps.mismatch[better];
  bound.work              = std::max(0., sums.gaps.work[better]); // below 0 by rounding only
  bound.eta               = std::sqrt(bound.mismatch + bound.work);
  bound.scale             = std::sqrt(std::max(0., sums.spread - sums.shift.squaredNorm() / volume));
  bound.relative          = bound.scale > 0. ? bound.eta / bound.scale : 0.;
  bound.oscillation       = sums.oscillation;
  bound.construction      = better ? "velocity linear between cell centres, pressures quadratic along lines"
                                   : "velocity constant on cells, pressures linear along lines";
  bound.indicator         = indicators.row(better).transpose();
  bound.largest_violation = violation(grid, lines, u);

  constexpr double epsilon  = std::numeric_limits<double>::epsilon();
  const double     rounding = 64. * epsilon * u.lpNorm<Eigen::Infinity>() / grid.h.minCoeff();
  const double     of_U     = 64. * epsilon * std::sqrt(sums.spread + volume * u.head(grid.dim).squaredNorm());
  if (!(bound.largest_violation <= rounding))
    bound.remark = "The velocity is not admissible everywhere, so the bound is an estimate.";
  else if (!grid.zone_is_cells)
    bound.remark =
        "The boundary of the zone cuts cells: the bound is that of the saturated cells, and an estimate for the zone.";
  else if (!(sums.oscillation <= 1e-12 * bound.eta * bound.eta + of_U * of_U))
    bound.remark = "U is no polynomial on every cell and is integrated by Gauss's rule, so the bound is an estimate.";
  bound.guaranteed = bound.remark.empty();
  return bound;
}

Eigen::MatrixXd face_pressures(const AlignedGrid &grid, const convex::LineFamilies &lines, const Vector &p)
{
  Eigen::MatrixXd faces = Eigen::MatrixXd::Zero(2 * static_cast<Index>(lines.families.size()), grid.n_nodes());
  for (std::size_t k = 0; k < lines.families.size(); ++k)
    {
      const auto  &family = lines.families[k];
      const double area   = grid.face_area(grid.axis_of_direction[k]);
      const auto   row    = 2 * static_cast<Index>(k);
      for (Index r = 0; r < family.n_runs(); ++r)
        {
          const int begin = family.run_start[r], end = family.run_start[r + 1];
          if (family.row_before[r] != convex::LineFamilies::none)
            faces(row, family.node[begin]) = p(family.row_before[r]) / area;
          if (family.row_after[r] != convex::LineFamilies::none)
            faces(row + 1, family.node[end - 1]) = p(family.row_after[r]) / area;
          for (int l = begin; l + 1 < end; ++l)
            faces(row + 1, family.node[l]) = faces(row, family.node[l + 1]) = p(family.row[l]) / area;
        }
    }
  return faces;
}
} // namespace moreau::macro
