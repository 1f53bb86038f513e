// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/space.h"

#include "macro/meshes/dof_numbering.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_raviart_thomas.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>

#include <set>

namespace moreau::macro
{
namespace
{
template <int dim>
using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;

/// Builds a MixedSpace.
template <int dim>
class Builder
{
public:
  Builder(const MixedMesh<dim> &mesh, const dealii::DoFHandler<dim> &dofs, const std::vector<Cell<dim>> &cells)
      : mesh(mesh)
      , dofs(dofs)
      , fe(dofs.get_fe())
      , cells(cells)
      , per_face(fe.n_dofs_per_face(0))
      , indices(fe.n_dofs_per_cell())
  {
    dealii::IndexSet relevant;
    dealii::DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    hanging.reinit(relevant);
    dealii::DoFTools::make_hanging_node_constraints(dofs, hanging);
    hanging.close();
  }

  MixedSpace build()
  {
    MixedSpace space;
    space.dim               = dim;
    space.degree            = static_cast<int>(fe.degree) - 1;
    space.n_functions       = fe.n_dofs_per_cell();
    space.rows_per_cell     = dim == 2 ? 4 : 1;
    space.n_traces_per_face = per_face;
    number_cells(space);
    assemble(space);
    number_unknowns(space);
    tie_traces(space);
    return space;
  }

private:
  bool is_saturated(const Cell<dim> &cell) const { return mesh.saturated()[cell->active_cell_index()] != 0; }

  void number_cells(MixedSpace &space) const
  {
    Index own = 0;
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          if (is_saturated(cell))
            space.own_cell.push_back(own);
          ++own;
        }
  }

  /// What turns velocities (m/s) into deal.II's coefficients, which are fluxes through faces and moments in cells.
  Vector scales(const Cell<dim> &cell, const double volume) const
  {
    Vector s = Vector::Constant(fe.n_dofs_per_cell(), std::pow(volume, (dim - 1.) / dim));
    for (const unsigned int f : cell->face_indices())
      s.segment(f * per_face, per_face).setConstant(cell->face(f)->measure());
    return s;
  }

  void assemble(MixedSpace &space) const
  {
    const dealii::FEValuesExtractors::Vector v(0);
    const dealii::QGauss<dim>                gauss(dim == 2 ? 4 : 2);
    // where the constraint is imposed
    const dealii::Quadrature<dim> collocation =
        dim == 2 ? dealii::Quadrature<dim>(dealii::QTrapezoid<dim>()) : dealii::Quadrature<dim>(dealii::QMidpoint<dim>());
    const dealii::Quadrature<dim - 1> collocation_on_face = dim == 2
                                                                ? dealii::Quadrature<dim - 1>(dealii::QTrapezoid<dim - 1>())
                                                                : dealii::Quadrature<dim - 1>(dealii::QMidpoint<dim - 1>());
    dealii::FEValues<dim>             inside(fe, gauss, dealii::update_values | dealii::update_JxW_values);
    dealii::FEValues<dim>             at(fe, collocation, dealii::update_gradients | dealii::update_JxW_values);
    dealii::FEFaceValues<dim>         on(fe, collocation_on_face,
                                         dealii::update_values | dealii::update_normal_vectors | dealii::update_JxW_values);
    const Index                       n = space.n_functions;
    space.first_row.push_back(0);
    for (const auto &cell : cells)
      {
        inside.reinit(cell);
        at.reinit(cell);
        Eigen::MatrixXd M      = Eigen::MatrixXd::Zero(n, n);
        double          volume = 0.;
        for (const unsigned int q : inside.quadrature_point_indices())
          {
            volume += inside.JxW(q);
            for (Index i = 0; i < n; ++i)
              for (Index j = 0; j <= i; ++j)
                M(i, j) += inside.JxW(q) * (inside[v].value(i, q) * inside[v].value(j, q));
          }
        M.template triangularView<Eigen::StrictlyUpper>() = M.transpose();
        const Vector s                                    = scales(cell, volume);
        space.scale.push_back(s);
        space.M.push_back(s.asDiagonal() * M * s.asDiagonal());
        space.volume.push_back(volume);
        const double L = std::pow(volume, (dim - 1.) / dim);

        std::vector<unsigned int> walls;
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f) && mesh.on_wall(cell->active_cell_index(), f))
            walls.push_back(f);
        const Index     per_wall = collocation_on_face.size();
        Eigen::MatrixXd B(space.rows_per_cell + per_wall * static_cast<Index>(walls.size()), n);
        for (Index row = 0; row < space.rows_per_cell; ++row)
          for (Index j = 0; j < n; ++j)
            B(row, j) = -at.JxW(row) * at[v].divergence(j, row) / L;
        Index row = space.rows_per_cell;
        for (const unsigned int f : walls)
          {
            on.reinit(cell, f);
            for (Index q = 0; q < per_wall; ++q, ++row)
              for (Index j = 0; j < n; ++j)
                B(row, j) = on.JxW(q) * (on[v].value(j, q) * on.normal_vector(q)) / L;
          }
        space.first_row.push_back(space.first_row.back() + B.rows());
        space.B.push_back(B * s.asDiagonal());
      }
  }

  /// Whether the function i of a cell hangs on a coarser saturated one. A hanging face on the boundary of the zone is free:
  /// beyond it nothing needs its normal component.
  bool hangs(const Cell<dim> &cell, const unsigned int i) const
  {
    if (i >= per_face * dealii::GeometryInfo<dim>::faces_per_cell)
      return false;
    const unsigned int f = i / per_face;
    return hanging.is_constrained(indices[i]) && !cell->at_boundary(f) && cell->neighbor_is_coarser(f) &&
           is_saturated(cell->neighbor(f));
  }

  void number_unknowns(MixedSpace &space)
  {
    std::set<DoF> own, needed;
    // what is owned here may be used by a ghost cell only
    for (const auto &cell : dofs.active_cell_iterators())
      if (!cell->is_artificial() && is_saturated(cell))
        {
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            if (dofs.locally_owned_dofs().is_element(indices[i]) && (!hanging.is_constrained(indices[i]) || !hangs(cell, i)))
              own.insert(indices[i]);
        }
    for (const auto &cell : cells)
      {
        cell->get_dof_indices(indices);
        for (unsigned int i = 0; i < indices.size(); ++i)
          if (!hangs(cell, i))
            needed.insert(indices[i]);
          else
            for (const auto &[master, weight] : *hanging.get_constraint_entries(indices[i]))
              needed.insert(master);
      }
    const DoFNumbering numbers = number_dofs<dim>(dofs, own, needed, 1, mesh.setting().processes);
    space.unknowns             = numbers.exchange;

    for (Index c = 0; c < space.n_cells(); ++c)
      {
        const Cell<dim> &cell = cells[c];
        cell->get_dof_indices(indices);
        MapEntries entries;
        const auto add = [&](const unsigned int i, const DoF dof, const double weight) {
          entries.emplace_back(i, space.unknowns.local(numbers.first.at(dof)), weight);
        };
        for (unsigned int i = 0; i < indices.size(); ++i)
          if (!hangs(cell, i))
            add(i, indices[i], 1.);
          else
            {
              const unsigned int f      = i / per_face;
              const double       coarse = cell->neighbor(f)->face(cell->neighbor_of_coarser_neighbor(f).first)->measure();
              for (const auto &[master, weight] : *hanging.get_constraint_entries(indices[i]))
                add(i, master, weight * coarse / space.scale[c](i));
            }
        space.velocity.push_back(cell_map(entries, space.n_functions));
      }
  }

  /// Orientation of the functions of face f: the sign of their flux out of the cell.
  double outward_sign(const MixedSpace &space, const Index c, const unsigned int f) const
  {
    return space.B[c].topRows(space.rows_per_cell).col(f * per_face).sum() < 0. ? 1. : -1.;
  }

  /// Calls tie(first degree of freedom of the shared face, i-th multiplier of the face, local function, coefficient).
  template <class Tie>
  void for_traces(const MixedSpace &space, const Index c, const Tie &tie)
  {
    const Cell<dim> &cell = cells[c];
    cell->get_dof_indices(indices);
    for (const unsigned int f : cell->face_indices())
      {
        if (cell->at_boundary(f))
          continue;
        const double sign = outward_sign(space, c, f);
        if (!cell->face(f)->has_children())
          {
            if (is_saturated(cell->neighbor(f)))
              for (unsigned int i = 0; i < per_face; ++i)
                tie(indices[f * per_face], i, f * per_face + i, sign);
            continue;
          }
        for (unsigned int child = 0; child < cell->face(f)->n_children(); ++child)
          if (is_saturated(cell->neighbor_child_on_subface(f, child)))
            {
              const auto  face      = cell->face(f)->child(child);
              const DoF   first     = face->dof_index(0);
              const auto &leading   = *hanging.get_constraint_entries(first);
              double      direction = 1.;
              for (const auto &[master, weight] : leading)
                if (master == indices[f * per_face])
                  direction = weight < 0. ? -1. : 1.;
              for (unsigned int i = 0; i < per_face; ++i)
                for (const auto &[master, weight] : *hanging.get_constraint_entries(face->dof_index(i)))
                  for (unsigned int j = 0; j < per_face; ++j)
                    if (master == indices[f * per_face + j])
                      tie(first, i, f * per_face + j, direction * sign * weight);
            }
      }
  }

  void tie_traces(MixedSpace &space)
  {
    std::set<DoF> own, needed;
    for (Index c = 0; c < space.n_cells(); ++c)
      for_traces(space, c, [&](const DoF first, unsigned int, unsigned int, double) {
        needed.insert(first);
        if (dofs.locally_owned_dofs().is_element(first))
          own.insert(first);
      });
    const DoFNumbering numbers = number_dofs<dim>(dofs, own, needed, per_face, mesh.setting().processes);
    space.multipliers          = numbers.exchange;
    for (Index c = 0; c < space.n_cells(); ++c)
      {
        MapEntries entries;
        for_traces(space, c, [&](const DoF first, const unsigned int i, const unsigned int function, const double weight) {
          entries.emplace_back(function, space.multipliers.local(numbers.first.at(first) + i),
                               weight * space.scale[c](function));
        });
        space.traces.push_back(cell_map(entries, space.n_functions));
      }
  }

  const MixedMesh<dim>             &mesh;
  const dealii::DoFHandler<dim>    &dofs;
  const dealii::FiniteElement<dim> &fe;
  const std::vector<Cell<dim>>     &cells;
  dealii::AffineConstraints<double> hanging;
  unsigned int                      per_face;
  std::vector<DoF>                  indices; ///< of the cell at hand
};
} // namespace

Vector CellMap::gather(const Vector &x) const
{
  Vector local(static_cast<Index>(index.size()));
  for (std::size_t j = 0; j < index.size(); ++j)
    local(static_cast<Index>(j)) = x(index[j]);
  return weight * local;
}

void CellMap::scatter_add(const Vector &local, Vector &x) const
{
  const Vector combined = weight.transpose() * local;
  for (std::size_t j = 0; j < index.size(); ++j)
    x(index[j]) += combined(static_cast<Index>(j));
}

template <int dim>
struct RaviartThomas<dim>::DealII
{
  explicit DealII(const MixedMesh<dim> &mesh) : mesh(mesh), fe(dim == 2 ? 1 : 0), dofs(mesh.triangulation())
  {
    dofs.distribute_dofs(fe);
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned() && mesh.saturated()[cell->active_cell_index()])
        cells.push_back(cell);
  }

  const MixedMesh<dim>         &mesh;
  dealii::FE_RaviartThomas<dim> fe;
  dealii::DoFHandler<dim>       dofs;
  std::vector<Cell<dim>>        cells;
};

namespace
{
template <int dim>
class VelocityEvaluator : public CellEvaluator
{
public:
  VelocityEvaluator(const MixedMesh<dim> &mesh, const dealii::FiniteElement<dim> &fe, const std::vector<Cell<dim>> &cells,
                    const std::vector<Vector> &scale, const int n_gauss)
      : mesh(mesh)
      , cells(cells)
      , scale(scale)
      , values(fe, dealii::QGauss<dim>(n_gauss),
               dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
                   dealii::update_quadrature_points)
      , face_values(fe, dealii::QGauss<dim - 1>(n_gauss),
                    dealii::update_values | dealii::update_normal_vectors | dealii::update_JxW_values |
                        dealii::update_quadrature_points)
  {}

  CellFunctions inside(const Index c) override
  {
    values.reinit(cells[c]);
    const dealii::FEValuesExtractors::Vector v(0);
    CellFunctions                            functions = vectors(values);
    for (const unsigned int q : values.quadrature_point_indices())
      for (const unsigned int j : values.dof_indices())
        functions.scalars(q, j) = values[v].divergence(j, q) * scale[c](j);
    functions.vectors *= scale[c].asDiagonal();
    return functions;
  }

  std::vector<CellFunctions> on_walls(const Index c) override
  {
    const dealii::FEValuesExtractors::Vector v(0);
    std::vector<CellFunctions>               walls;
    for (const unsigned int f : cells[c]->face_indices())
      if (cells[c]->at_boundary(f) && mesh.on_wall(cells[c]->active_cell_index(), f))
        {
          face_values.reinit(cells[c], f);
          walls.push_back(vectors(face_values));
          for (const unsigned int q : face_values.quadrature_point_indices())
            for (const unsigned int j : face_values.dof_indices())
              walls.back().scalars(q, j) = face_values[v].value(j, q) * face_values.normal_vector(q) * scale[c](j);
          walls.back().vectors *= scale[c].asDiagonal();
        }
    return walls;
  }

private:
  template <class Values>
  static CellFunctions vectors(const Values &values)
  {
    const dealii::FEValuesExtractors::Vector v(0);
    const Index                              n = values.n_quadrature_points, n_functions = values.dofs_per_cell;
    CellFunctions functions{Eigen::MatrixXd(dim, n), Vector(n), Eigen::MatrixXd(dim * n, n_functions),
                            Eigen::MatrixXd(n, n_functions)};
    for (Index q = 0; q < n; ++q)
      {
        functions.weights(q) = values.JxW(q);
        for (int a = 0; a < dim; ++a)
          functions.x(a, q) = values.quadrature_point(q)[a];
        for (Index j = 0; j < n_functions; ++j)
          {
            const auto phi = values[v].value(j, q);
            for (int a = 0; a < dim; ++a)
              functions.vectors(dim * q + a, j) = phi[a];
          }
      }
    return functions;
  }

  const MixedMesh<dim>         &mesh;
  const std::vector<Cell<dim>> &cells;
  const std::vector<Vector>    &scale;
  dealii::FEValues<dim>         values;
  dealii::FEFaceValues<dim>     face_values;
};
} // namespace

template <int dim>
RaviartThomas<dim>::RaviartThomas(const MixedMesh<dim> &mesh) : elements(std::make_unique<DealII>(mesh))
{
  data = std::make_shared<MixedSpace>(Builder<dim>(mesh, elements->dofs, elements->cells).build());
}

template <int dim>
RaviartThomas<dim>::~RaviartThomas() = default;

template <int dim>
std::unique_ptr<CellEvaluator> RaviartThomas<dim>::evaluator(const int n_gauss) const
{
  return std::make_unique<VelocityEvaluator<dim>>(elements->mesh, elements->fe, elements->cells, data->scale, n_gauss);
}

template class RaviartThomas<2>;
template class RaviartThomas<3>;
} // namespace moreau::macro
