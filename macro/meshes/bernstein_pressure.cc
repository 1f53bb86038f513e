// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/bernstein_pressure.h"

#include "macro/meshes/cellwise_system.h"
#include "macro/meshes/dof_numbering.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_bernstein.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>

namespace moreau::macro
{
namespace
{
template <int dim>
using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;

template <int dim>
std::unique_ptr<dealii::FiniteElement<dim>> element()
{
  if constexpr (dim == 2)
    return std::make_unique<dealii::FE_Bernstein<dim>>(2);
  else
    return std::make_unique<dealii::FE_Q<dim>>(1);
}
} // namespace

template <int dim>
struct BernsteinPressure<dim>::DealII
{
  explicit DealII(const MixedMesh<dim> &mesh) : mesh(mesh), fe(element<dim>()), dofs(mesh.triangulation())
  {
    dofs.distribute_dofs(*fe);
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned() && is_saturated(cell))
        cells.push_back(cell);
    dealii::IndexSet relevant;
    dealii::DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    hanging.reinit(relevant);
    if constexpr (dim == 2)
      for (const auto &cell : dofs.active_cell_iterators())
        {
          if (!cell->is_artificial() && is_saturated(cell))
            hang(cell);
        }
    else
      dealii::DoFTools::make_hanging_node_constraints(dofs, hanging);
    hanging.close();
  }

  bool is_saturated(const Cell<dim> &cell) const { return mesh.saturated()[cell->active_cell_index()] != 0; }

  /// Coefficients of the edges that hang on a coarser edge with the control points a, e, b: de Casteljau's algorithm at the
  /// middle, a/4 + e/2 + b/4 there and (a+e)/2, (e+b)/2 on the halves.
  /// deal.II's constraints for this element are wrong (9.4).
  void hang(const Cell<dim> &cell)
  {
    for (const unsigned int f : cell->face_indices())
      if (!cell->at_boundary(f) && cell->neighbor_is_coarser(f) && !cell->neighbor(f)->is_artificial() &&
          is_saturated(cell->neighbor(f)))
        {
          const auto [face, half] = cell->neighbor_of_coarser_neighbor(f);
          const auto coarse       = cell->neighbor(f)->face(face);
          const DoF  a = coarse->vertex_dof_index(0, 0), b = coarse->vertex_dof_index(1, 0), e = coarse->dof_index(0);
          const auto child  = coarse->child(half);
          const DoF  middle = child->vertex_dof_index(half == 0 ? 1 : 0, 0), edge = child->dof_index(0);
          if (!hanging.is_constrained(middle))
            {
              hanging.add_line(middle);
              hanging.add_entries(middle, {{a, .25}, {e, .5}, {b, .25}});
            }
          hanging.add_line(edge);
          hanging.add_entries(edge, {{half == 0 ? a : b, .5}, {e, .5}});
        }
  }

  /// Degrees of freedom of own saturated cells, and of what they hang on.
  std::set<DoF> needed() const
  {
    std::set<DoF>    result;
    std::vector<DoF> indices(fe->n_dofs_per_cell());
    for (const auto &cell : cells)
      {
        cell->get_dof_indices(indices);
        for (const DoF dof : indices)
          {
            result.insert(dof);
            if (hanging.is_constrained(dof))
              for (const auto &[master, weight] : *hanging.get_constraint_entries(dof))
                result.insert(master);
          }
      }
    return result;
  }

  bool is_open(const Cell<dim> &cell, const unsigned int f) const
  {
    if (cell->at_boundary(f))
      return !mesh.on_wall(cell->active_cell_index(), f);
    if (!cell->face(f)->has_children())
      return !is_saturated(cell->neighbor(f));
    for (unsigned int child = 0; child < cell->face(f)->n_children(); ++child)
      if (!is_saturated(cell->neighbor_child_on_subface(f, child)))
        return true;
    return false;
  }

  /// Where p = 0: on faces where the zone ends; and with a hanging coefficient that is 0 all that it is a mean of.
  std::set<DoF> zeros(const std::set<DoF> &needed) const
  {
    std::set<DoF>    result;
    std::vector<DoF> indices(fe->n_dofs_per_cell());
    for (const auto &cell : cells)
      {
        cell->get_dof_indices(indices);
        for (const unsigned int f : cell->face_indices())
          if (is_open(cell, f))
            for (unsigned int i = 0; i < fe->n_dofs_per_face(f); ++i)
              result.insert(indices[fe->face_to_cell_index(i, f)]);
      }
    // a hanging edge may end where another begins
    for (int round = 0; round < 3; ++round)
      {
        result = marked_anywhere<dim>(dofs, result, needed, mesh.setting().processes);
        for (const DoF dof : std::set<DoF>(result))
          if (hanging.is_constrained(dof))
            for (const auto &[master, weight] : *hanging.get_constraint_entries(dof))
              result.insert(master);
      }
    return marked_anywhere<dim>(dofs, result, needed, mesh.setting().processes);
  }

  const MixedMesh<dim>                       &mesh;
  std::unique_ptr<dealii::FiniteElement<dim>> fe;
  dealii::DoFHandler<dim>                     dofs;
  dealii::AffineConstraints<double>           hanging;
  std::vector<Cell<dim>>                      cells; ///< saturated own ones
};

namespace
{
template <int dim>
class PressureEvaluator : public CellEvaluator
{
public:
  PressureEvaluator(const MixedMesh<dim> &mesh, const dealii::FiniteElement<dim> &fe, const std::vector<Cell<dim>> &cells,
                    const int n_gauss)
      : mesh(mesh)
      , cells(cells)
      , values(fe, dealii::QGauss<dim>(n_gauss),
               dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
                   dealii::update_quadrature_points)
      , face_values(fe, dealii::QGauss<dim - 1>(n_gauss),
                    dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
                        dealii::update_quadrature_points)
  {}

  CellFunctions inside(const Index c) override
  {
    values.reinit(cells[c]);
    return functions(values);
  }

  std::vector<CellFunctions> on_walls(const Index c) override
  {
    std::vector<CellFunctions> walls;
    for (const unsigned int f : cells[c]->face_indices())
      if (cells[c]->at_boundary(f) && mesh.on_wall(cells[c]->active_cell_index(), f))
        {
          face_values.reinit(cells[c], f);
          walls.push_back(functions(face_values));
        }
    return walls;
  }

private:
  template <class Values>
  static CellFunctions functions(const Values &values)
  {
    const Index   n = values.n_quadrature_points, n_functions = values.dofs_per_cell;
    CellFunctions result{Eigen::MatrixXd(dim, n), Vector(n), Eigen::MatrixXd(dim * n, n_functions),
                         Eigen::MatrixXd(n, n_functions)};
    for (Index q = 0; q < n; ++q)
      {
        result.weights(q) = values.JxW(q);
        for (int a = 0; a < dim; ++a)
          result.x(a, q) = values.quadrature_point(q)[a];
        for (Index j = 0; j < n_functions; ++j)
          {
            result.scalars(q, j) = values.shape_value(j, q);
            const auto gradient  = values.shape_grad(j, q);
            for (int a = 0; a < dim; ++a)
              result.vectors(dim * q + a, j) = gradient[a];
          }
      }
    return result;
  }

  const MixedMesh<dim>         &mesh;
  const std::vector<Cell<dim>> &cells;
  dealii::FEValues<dim>         values;
  dealii::FEFaceValues<dim>     face_values;
};

/// The obstacle problem p >= 0, Kp - g >= 0, complementary, cell by cell.
class ObstacleProblem
{
public:
  ObstacleProblem(const GhostExchange &numbering, const std::vector<CellMap> &cells, CellEvaluator &evaluator,
                  const Field &U)
      : numbering(numbering), cells(cells), g(Vector::Zero(numbering.n_local()))
  {
    Eigen::MatrixXd value;
    Vector          diagonal = Vector::Zero(numbering.n_local());
    for (std::size_t c = 0; c < cells.size(); ++c)
      {
        const CellFunctions functions = evaluator.inside(static_cast<Index>(c));
        const Index         dim       = functions.x.rows();
        value.resize(dim, functions.x.cols());
        U(functions.x, value);
        const Vector          w        = functions.weights.transpose().replicate(dim, 1).reshaped();
        const Eigen::MatrixXd weighted = w.asDiagonal() * functions.vectors;
        K.push_back(cells[c].weight.transpose() * (functions.vectors.transpose() * weighted) * cells[c].weight);
        cells[c].scatter_add(weighted.transpose() * value.reshaped(), g);
        for (std::size_t i = 0; i < cells[c].index.size(); ++i)
          diagonal(cells[c].index[i]) += K.back()(static_cast<Index>(i), static_cast<Index>(i));
      }
    g          = numbering.summed(g);
    K_diagonal = numbering.summed(diagonal);
  }

  Vector solve(Vector p)
  {
    std::vector<const CellMap *> maps;
    for (const CellMap &cell : cells)
      maps.push_back(&cell);
    const auto                   system   = cellwise_system(numbering, maps, 1);
    Vector                       positive = (p.array() > 0.).cast<double>();
    std::vector<Eigen::MatrixXd> masked(K.size());
    constexpr int                most_changes = 40;
    for (int change = 0; change < most_changes; ++change)
      {
        const Vector everywhere = numbering.fetched(positive);
        for (std::size_t c = 0; c < K.size(); ++c)
          {
            Vector mask(K[c].rows());
            for (Index i = 0; i < mask.size(); ++i)
              mask(i) = everywhere(cells[c].index[i]);
            masked[c] = mask.asDiagonal() * K[c] * mask.asDiagonal();
          }
        // a zone between walls on all sides leaves p up to a constant
        const Vector diagonal = (1e-13 + 1. - positive.array()) * K_diagonal.array();
        if (!system->set(masked, diagonal))
          break;
        p = p.cwiseProduct(positive);
        system->solve(g.cwiseProduct(positive), p, 1e-9);
        const Vector decisive = p - residual(p).cwiseQuotient(K_diagonal);
        Vector       next(p.size());
        for (Index i = 0; i < p.size(); ++i)
          next(i) = positive(i) > 0. ? p(i) > 0. : decisive(i) > 0.;
        const double n_changes = numbering.sharing().sum((next - positive).cwiseAbs().sum());
        positive               = next;
        if (n_changes == 0.)
          break;
      }
    return p.cwiseMax(0.);
  }

private:
  /// Kp - g
  Vector residual(const Vector &p) const
  {
    const Vector all = numbering.fetched(p);
    Vector       r   = Vector::Zero(all.size());
    for (std::size_t c = 0; c < K.size(); ++c)
      {
        const Vector contribution = K[c] * all(cells[c].index);
        for (Index i = 0; i < contribution.size(); ++i)
          r(cells[c].index[i]) += contribution(i);
      }
    return numbering.summed(r) - g;
  }

  const GhostExchange         &numbering;
  const std::vector<CellMap>  &cells;
  std::vector<Eigen::MatrixXd> K;
  Vector                       g, K_diagonal;
};
} // namespace

template <int dim>
BernsteinPressure<dim>::BernsteinPressure(const MixedMesh<dim> &mesh)
    : elements(std::make_unique<DealII>(mesh)), processes(mesh.setting().processes)
{
  const DealII       &e      = *elements;
  const std::set<DoF> needed = e.needed(), zeros = e.zeros(needed);
  std::set<DoF>       own, free;
  for (const DoF dof : needed)
    if (!zeros.count(dof) && !e.hanging.is_constrained(dof))
      free.insert(dof);
  // what is owned here may be needed elsewhere only
  dealii::IndexSet relevant;
  dealii::DoFTools::extract_locally_relevant_dofs(e.dofs, relevant);
  const std::set<DoF> all_relevant(relevant.begin(), relevant.end());
  for (const DoF dof : marked_anywhere<dim>(e.dofs, free, all_relevant, processes))
    if (e.dofs.locally_owned_dofs().is_element(dof))
      own.insert(dof);
  const DoFNumbering numbers = number_dofs<dim>(e.dofs, own, free, 1, processes);
  numbering                  = numbers.exchange;

  std::vector<DoF> indices(e.fe->n_dofs_per_cell());
  for (const auto &cell : e.cells)
    {
      MapEntries entries;
      cell->get_dof_indices(indices);
      const auto add = [&](const Index i, const DoF dof, const double weight) {
        if (free.count(dof))
          entries.emplace_back(i, numbering.local(numbers.first.at(dof)), weight);
      };
      for (std::size_t i = 0; i < indices.size(); ++i)
        if (!e.hanging.is_constrained(indices[i]))
          add(static_cast<Index>(i), indices[i], 1.);
        else
          for (const auto &[master, weight] : *e.hanging.get_constraint_entries(indices[i]))
            add(static_cast<Index>(i), master, weight);
      cells.push_back(cell_map(entries, static_cast<Index>(indices.size())));
    }
}

template <int dim>
BernsteinPressure<dim>::~BernsteinPressure() = default;

template <int dim>
std::unique_ptr<CellEvaluator> BernsteinPressure<dim>::evaluator(const int n_gauss) const
{
  return std::make_unique<PressureEvaluator<dim>>(elements->mesh, *elements->fe, elements->cells, n_gauss);
}

template <int dim>
Vector BernsteinPressure<dim>::best_fit(const Field &U, const Vector &cell_pressures) const
{
  Vector sum = Vector::Zero(numbering.n_local());
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (const Index i : cells[c].index)
      sum(i) += cell_pressures(static_cast<Index>(c));
  const auto gauss = evaluator(dim == 2 ? 4 : 3);
  return ObstacleProblem(numbering, cells, *gauss, U).solve(numbering.summed(sum));
}

template class BernsteinPressure<2>;
template class BernsteinPressure<3>;
} // namespace moreau::macro
