// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/chain_certificate.h"

#include "macro/directional/lattices/axis_chains.h"
#include "macro/integrals_of_u.h"

namespace moreau::macro
{
namespace
{
/// The functions that the cells and chains around a cell contribute to v and p of one axis, at the points of a rule (n x 3 m
/// for m chains):
/// column 3 o + s: chain o of the 3^(dim-1) around, and along it the cell before, the cell, the cell behind, or the three
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

int points_per_half_cell(const AlignedGrid &grid) { return grid.dim < 3 ? 3 : 2; }

AdmissiblePair::Facts facts_of(const AlignedGrid &grid, const SharedChains *const shared)
{
  AdmissiblePair::Facts facts;
  facts.constructions = {"velocity constant on cells, pressures linear along lines",
                         "velocity linear between cell centres, pressures quadratic along lines"};
  facts.n_cells       = grid.n_own;
  facts.at_a_time     = 512;
  if (shared)
    {
      facts.processes = shared->processes();
      facts.parts     = grid.own_layers();
    }
  facts.polynomials   = grid.dim < 3 ? "quadratic" : "linear";
  facts.zone_is_cells = grid.zone_is_cells;
  facts.zone_is_seen  = grid.zone_is_seen;
  facts.width         = grid.h.minCoeff();
  return facts;
}

/// The cellwise (0) and the smooth (1) pair.
class ChainPairs : public AdmissiblePair
{
public:
  ChainPairs(const AlignedGrid &grid, const convex::ChainFamilies &chains, const Field &U, const Vector &u,
             const Eigen::MatrixXd &faces, const SharedChains *const shared)
      : AdmissiblePair(facts_of(grid, shared))
      , grid(grid)
      , U(U)
      , rule(gauss_rule(points_per_half_cell(grid), grid.dim, 2))
      , of_U(IntegralsOfU::on_cubes(rule, points_per_half_cell(grid) - 1))
  {
    const AxisChains::Runs runs = shared ? shared->runs_along_last_axis(u) : nullptr;
    for (std::size_t k = 0; k < chains.families.size(); ++k)
      {
        const int axis = grid.axis_of_direction[k];
        axes.push_back(axis);
        families.emplace_back(grid, chains.families[k], axis, u, axis == grid.dim - 1 ? runs : nullptr);
        families.back().set_pressures(faces, static_cast<Index>(k));
        bases.emplace_back(rule.points, axis);
        Rule face = face_rule(points_per_half_cell(grid), grid.dim, axis, 2);
        face_weights.push_back(face.weights);
        lower_faces.emplace_back(face.points, axis);
        face.points.row(axis).setOnes();
        upper_faces.emplace_back(face.points, axis);
      }
  }

  GapIntegrals integrals(const Index first, const Index last, Eigen::MatrixXd &indicators) const override
  {
    Eigen::MatrixXd x, values(grid.dim, (last - first) * rule.size());
    grid.points(grid.cell_of_node.data() + grid.first_own + first, last - first, rule.points, x);
    U(x, values);
    GapIntegrals sum;
    Vector       v(3 * families[0].n_beside()), p(v.size()), residual(rule.size()), slope(rule.size());
    const double volume          = grid.cell_volume();
    const Vector weights_of_cell = volume * rule.weights;
    for (Index k = first; k < last; ++k)
      {
        const auto   at_points = values.middleCols((k - first) * rule.size(), rule.size());
        GapIntegrals on_cell   = of_U(at_points, weights_of_cell);
        const int    node      = static_cast<int>(grid.first_own + k);
        for (std::size_t a = 0; a < families.size(); ++a)
          {
            const AxisChains &chain = families[a];
            const double      h     = grid.h(axes[a]);
            const Vector      U_a   = at_points.transpose() * grid.frame.col(axes[a]);

            chain.coefficients(node, v.data(), p.data());
            residual.noalias() = bases[a].v * v;
            on_cell.energy[1] += volume * rule.weights.dot(residual.cwiseProduct(U_a - .5 * residual));
            residual.noalias() += bases[a].slope_of_p * (p / h);
            residual -= U_a;
            on_cell.mismatch[1] += volume * rule.weights.dot(residual.cwiseAbs2());
            residual.noalias() = bases[a].p * p;
            slope.noalias()    = bases[a].slope_of_v * (v / h);
            on_cell.work[1] += 2. * volume * rule.weights.dot(residual.cwiseProduct(slope));

            const double lower = chain.face_pressure(node, 0), upper = chain.face_pressure(node, 2);
            residual = (chain.value(node) + (upper - lower) / h - U_a.array()).matrix();
            on_cell.mismatch[0] += volume * rule.weights.dot(residual.cwiseAbs2());
            on_cell.energy[0] += volume * chain.value(node) * (rule.weights.dot(U_a) - .5 * chain.value(node));
            on_cell.work[0] += 2. * grid.face_area(axes[a]) * upper * chain.gain(node);
            on_cell.violation = std::max(on_cell.violation, -chain.gain(node) / h);
            on_cell.speed     = std::max(on_cell.speed, std::abs(chain.value(node)));
            add_walls(a, node, v, p, on_cell);
          }
        indicators.row(k) << on_cell.gap(0), on_cell.gap(1);
        sum.add(on_cell);
      }
    return sum;
  }

  Unseen hidden(const Index first, const Index last, const bool all_seen) const override
  {
    Eigen::MatrixXd x;
    grid.points(grid.cell_of_node.data() + grid.first_own + first, last - first, rule.points, x);
    return of_U.hidden(U, x, Vector::Constant(last - first, grid.cell_volume()), all_seen,
                       IntegralsOfU::in_a_row(facts.n_cells));
  }

private:
  /// -2∫p v·n over walls that the cell touches along family a.
  void add_walls(const std::size_t a, const int node, const Vector &v, const Vector &p, GapIntegrals &on_cell) const
  {
    for (const bool upper : {false, true})
      if (families[a].at_wall(node, upper))
        {
          const Basis &face  = upper ? upper_faces[a] : lower_faces[a];
          const double twice = (upper ? -2. : 2.) * grid.face_area(axes[a]);
          const double v_0   = families[a].value(node);
          on_cell.work[0] += twice * families[a].face_pressure(node, upper ? 2 : 0) * v_0;
          on_cell.work[1] += twice * face_weights[a].dot((face.p * p).cwiseProduct(face.v * v));
          on_cell.violation = std::max(on_cell.violation, (upper ? v_0 : -v_0) / grid.h(axes[a]));
        }
  }

  const AlignedGrid      &grid;
  const Field            &U;
  Rule                    rule;
  IntegralsOfU            of_U;
  std::vector<int>        axes;
  std::vector<AxisChains> families;
  std::vector<Basis>      bases, lower_faces, upper_faces;
  std::vector<Vector>     face_weights;
};
} // namespace

TotalBound chain_total_bound(const AlignedGrid &grid, const convex::ChainFamilies &chains, const Field &U, const Vector &u,
                             const Eigen::MatrixXd &faces, const SharedChains *const shared, const Progress &progress)
{
  return total_bound(ChainPairs(grid, chains, U, u, faces, shared), progress);
}

Eigen::MatrixXd face_pressures(const AlignedGrid &grid, const convex::ChainFamilies &chains, const Vector &p)
{
  Eigen::MatrixXd faces = Eigen::MatrixXd::Zero(2 * static_cast<Index>(chains.families.size()), grid.n_nodes());
  for (std::size_t k = 0; k < chains.families.size(); ++k)
    {
      const auto  &family = chains.families[k];
      const int    axis   = grid.axis_of_direction[k];
      const double area   = grid.face_area(axis);
      const auto   row    = 2 * static_cast<Index>(k);
      for (Index r = 0; r < family.n_runs(); ++r)
        {
          const int begin = family.run_start[r], end = family.run_start[r + 1];
          // on the part of the face that matter touches
          const auto on_face = [&](const int of_row, const int node, const Index above) {
            if (of_row >= p.size())
              return 0.;
            const CellIndex face = moved(grid.cell_index(grid.cell_of_node[node]), axis, above);
            return p(of_row) / (area * grid.passage(axis, face));
          };
          if (family.row_before[r] != convex::ChainFamilies::none)
            faces(row, family.node[begin]) = on_face(family.row_before[r], family.node[begin], 0);
          if (family.row_after[r] != convex::ChainFamilies::none)
            faces(row + 1, family.node[end - 1]) = on_face(family.row_after[r], family.node[end - 1], 1);
          for (int l = begin; l + 1 < end; ++l)
            faces(row + 1, family.node[l]) = faces(row, family.node[l + 1]) = on_face(family.row[l], family.node[l], 1);
        }
    }
  return faces;
}
} // namespace moreau::macro
