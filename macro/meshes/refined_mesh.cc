// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/refined_mesh.h"

#include "convex/input_error.h"
#include "geometry/fill_picture.h"
#include "macro/meshes/cells_fit.h"
#include "macro/meshes/gmsh_text.h"
#include "macro/meshes/mesh_file.h"
#include "macro/saturated_cells.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/solution_transfer.h>

#include <array>
#include <string>

namespace moreau::macro
{
namespace
{
template <int dim>
using Triangulation = dealii::Triangulation<dim, dim>;
template <int dim>
using DistributedTriangulation = dealii::parallel::distributed::Triangulation<dim, dim>;

template <int dim>
dealii::Point<dim> point(const Vector &x)
{
  dealii::Point<dim> result;
  for (int a = 0; a < dim; ++a)
    result[a] = x(a);
  return result;
}

template <int dim>
void coarse_mesh(const Setting &setting, Triangulation<dim> &mesh)
{
  if (!setting.mesh.file.empty())
    return read_mesh<dim>(setting.mesh.file, mesh);
  const BoxGrid grid =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  std::vector<unsigned int> repetitions(grid.n.begin(), grid.n.begin() + dim);
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, repetitions, point<dim>(setting.domain.lower),
                                                    point<dim>(setting.domain.upper));
}

/// How far x is outside of the box at this side (m), negative inside.
template <int dim>
double beyond(const Domain &domain, const int side, const dealii::Point<dim> &x)
{
  const int axis = side / 2;
  return side % 2 == 0 ? domain.lower(axis) - x[axis] : x[axis] - domain.upper(axis);
}

template <int dim, class Face>
bool lies_on(const Domain &domain, const int side, const Face &face, const double tolerance)
{
  for (unsigned int k = 0; k < face->n_vertices(); ++k)
    if (std::abs(beyond<dim>(domain, side, face->vertex(k))) > tolerance)
      return false;
  return true;
}

/// An empty mesh of the kind that fits the number of processes.
template <int dim>
std::unique_ptr<Triangulation<dim>> empty_mesh(const Processes &processes)
{
  // vertices of hanging edges are then no hanging vertices themselves, as p4est has it
  constexpr auto smoothing = Triangulation<dim>::limit_level_difference_at_vertices;
  if (processes.size() > 1)
    return std::make_unique<DistributedTriangulation<dim>>(processes.communicator(), smoothing);
  return std::make_unique<Triangulation<dim>>(smoothing);
}

/// Refines the marked cells, moves the polynomials in `values` from the old to the refined mesh. Transfer and vectors differ
/// between serial and distributed meshes, the order of events does not.
template <int dim, class Mesh, class DoFVector, class Transfer>
void refine_with(Mesh &mesh, const int degree, Eigen::MatrixXd &values,
                 const std::function<void(const dealii::DoFHandler<dim> &, DoFVector &)> &reinit)
{
  const dealii::FE_DGQ<dim> fe(degree);
  dealii::DoFHandler<dim>   dofs(mesh);
  dofs.distribute_dofs(fe);
  DoFVector old_values, new_values;
  reinit(dofs, old_values);
  std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
  Index                                        own = 0;
  for (const auto &cell : dofs.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        cell->get_dof_indices(indices);
        for (std::size_t i = 0; i < indices.size(); ++i)
          old_values(indices[i]) = values(static_cast<Index>(i), own);
        ++own;
      }
  constexpr bool serial = std::is_same_v<Mesh, Triangulation<dim>>;
  if constexpr (!serial)
    old_values.update_ghost_values();
  mesh.prepare_coarsening_and_refinement();
  Transfer transfer(dofs);
  transfer.prepare_for_coarsening_and_refinement(old_values);
  mesh.execute_coarsening_and_refinement();
  dofs.distribute_dofs(fe);
  reinit(dofs, new_values);
  if constexpr (serial)
    transfer.interpolate(old_values, new_values);
  else
    transfer.interpolate(new_values);
  std::vector<Vector> columns;
  for (const auto &cell : dofs.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        cell->get_dof_indices(indices);
        columns.emplace_back(indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i)
          columns.back()(static_cast<Index>(i)) = new_values(indices[i]);
      }
  values.resize(static_cast<Index>(indices.size()), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c)
    values.col(static_cast<Index>(c)) = columns[c];
}
} // namespace

template <int dim>
MixedMesh<dim>::MixedMesh(const Setting &setting) : given(setting), mesh(empty_mesh<dim>(setting.processes))
{
  if (!is_distributed())
    coarse_mesh<dim>(setting, *mesh);
  else
    {
      Triangulation<dim> coarse;
      coarse_mesh<dim>(setting, coarse);
      mesh->copy_triangulation(coarse);
    }
  require_walls();
  find_walls();
  find_saturated();
}

template <int dim>
MixedMesh<dim>::MixedMesh(const Setting &setting, const dealii::Triangulation<dim, dim> &triangulation)
    : given(setting), mesh(empty_mesh<dim>(setting.processes))
{
  mesh->copy_triangulation(triangulation);
  require_walls();
  find_walls();
  find_saturated();
}

template <int dim>
MixedMesh<dim>::MixedMesh(const Setting &setting, std::unique_ptr<dealii::Triangulation<dim, dim>> mesh)
    : given(setting), mesh(std::move(mesh))
{
  find_walls();
  find_saturated();
}

template <int dim>
MixedMesh<dim>::~MixedMesh() = default;

template <int dim>
void MixedMesh<dim>::find_saturated()
{
  is_saturated.assign(mesh->n_active_cells(), given.domain.uniform);
  if (given.domain.uniform)
    return;
  Eigen::MatrixXd x(dim, 1), rho(1, 1);
  for (const auto &cell : mesh->active_cell_iterators())
    if (!cell->is_artificial())
      {
        for (int a = 0; a < dim; ++a)
          x(a, 0) = cell->center()[a];
        given.domain.density(x, rho);
        is_saturated[cell->active_cell_index()] = rho(0, 0) >= 1. - 1e-12;
      }
}

template <int dim>
std::unique_ptr<MixedMesh<dim>> MixedMesh<dim>::refined(const Vector &indicator, const double fraction, const int degree,
                                                        Eigen::MatrixXd &values) const
{
  auto finer = empty_mesh<dim>(given.processes);
  finer->copy_triangulation(*mesh);
  const double threshold = marking_threshold(indicator, fraction, given.processes);
  Index        own       = 0;
  for (const auto &cell : finer->active_cell_iterators())
    if (cell->is_locally_owned() && indicator(own++) >= threshold)
      cell->set_refine_flag();
  if (is_distributed())
    {
      using DoFVector   = dealii::LinearAlgebra::distributed::Vector<double>;
      auto &distributed = dynamic_cast<DistributedTriangulation<dim> &>(*finer);
      refine_with<dim, DistributedTriangulation<dim>, DoFVector,
                  dealii::parallel::distributed::SolutionTransfer<dim, DoFVector>>(
          distributed, degree, values, [&](const dealii::DoFHandler<dim> &dofs, DoFVector &v) {
            dealii::IndexSet relevant;
            dealii::DoFTools::extract_locally_relevant_dofs(dofs, relevant);
            v.reinit(dofs.locally_owned_dofs(), relevant, given.processes.communicator());
          });
    }
  else
    {
      refine_with<dim, Triangulation<dim>, dealii::Vector<double>, dealii::SolutionTransfer<dim, dealii::Vector<double>>>(
          *finer, degree, values,
          [](const dealii::DoFHandler<dim> &dofs, dealii::Vector<double> &v) { v.reinit(dofs.n_dofs()); });
    }
  return std::unique_ptr<MixedMesh>(new MixedMesh(given, std::move(finer)));
}

template <int dim>
void MixedMesh<dim>::find_walls()
{
  wall_faces.assign(mesh->n_active_cells(), 0);
  for (const auto &cell : mesh->active_cell_iterators())
    if (!cell->is_artificial())
      {
        typename Triangulation<dim>::cell_iterator coarse = cell;
        while (coarse->level() > 0)
          coarse = coarse->parent();
        for (const unsigned int f : cell->face_indices())
          for (int side = 0; side < 2 * dim; ++side)
            if (cell->at_boundary(f) && given.domain.walls[side] &&
                lies_on<dim>(given.domain, side, cell->face(f), same_place * coarse->minimum_vertex_distance()))
              wall_faces[cell->active_cell_index()] |= static_cast<unsigned char>(1u << f);
      }
}

template <int dim>
void MixedMesh<dim>::require_walls() const
{
  static const std::array<std::string, 6> names      = {"left", "right", "bottom", "top", "back", "front"};
  const bool                              is_of_file = !given.mesh.file.empty();
  const std::string                       mesh_of = is_of_file ? "the mesh '" + given.mesh.file.string() + "'" : "the mesh";
  const std::string                       remedy  = "leave both corners out, which are then those of the mesh";
  Sides                                   touched = {};
  for (const auto &cell : mesh->cell_iterators_on_level(0)) // every process knows all of them
    {
      const double tolerance = same_place * cell->minimum_vertex_distance();
      for (int side = 0; side < 2 * dim; ++side)
        {
          for (const unsigned int k : cell->vertex_indices())
            if (beyond<dim>(given.domain, side, cell->vertex(k)) > tolerance)
              throw InputError(side % 2 == 0 ? "the lower corner" : "the upper corner",
                               "Cells of " + mesh_of + " reach beyond the box, to " + position<dim>(cell->vertex(k)) + "; " +
                                   remedy + '.');
          for (const unsigned int f : cell->face_indices())
            touched[side] =
                touched[side] || cell->at_boundary(f) && lies_on<dim>(given.domain, side, cell->face(f), tolerance);
        }
    }
  for (int side = 0; side < 2 * dim; ++side)
    if (given.domain.walls[side] && !touched[side])
      throw InputError("the walls", "No face of " + mesh_of + " lies on the wall '" + names[side] + "'; leave the wall out" +
                                        (is_of_file ? ", or " + remedy : "") + '.');
}

template <int dim>
Index MixedMesh<dim>::n_own_cells() const
{
  Index n = 0;
  for (const auto &cell : mesh->active_cell_iterators())
    n += cell->is_locally_owned();
  return n;
}

template <int dim>
long long MixedMesh<dim>::n_cells() const
{
  return static_cast<long long>(mesh->n_global_active_cells());
}

template <int dim>
bool MixedMesh<dim>::has_mixed_levels() const
{
  for (const auto &cell : mesh->active_cell_iterators())
    if (!cell->is_artificial())
      for (const unsigned int f : cell->face_indices())
        if (!cell->at_boundary(f) && cell->neighbor(f)->level() != cell->level())
          return true;
  return false;
}

template <int dim>
Mesh MixedMesh<dim>::picture() const
{
  // deal.II numbers vertices x fastest, VTK goes around
  static const std::vector<unsigned int> around =
      dim == 2 ? std::vector<unsigned int>{0, 1, 3, 2} : std::vector<unsigned int>{0, 1, 3, 2, 4, 5, 7, 6};
  Mesh                   picture = continuum(cell_of_box(dim));
  std::vector<long long> number(mesh->n_vertices(), -1);
  for (const auto &cell : mesh->active_cell_iterators())
    if (cell->is_locally_owned())
      for (const unsigned int k : around)
        {
          long long &n = number[cell->vertex_index(k)];
          if (n < 0)
            {
              n = static_cast<long long>(picture.n_points());
              for (int a = 0; a < 3; ++a)
                picture.points.push_back(a < dim ? cell->vertex(k)[a] : 0.);
            }
          picture.connectivity.push_back(n);
        }
  return picture;
}

template <int dim>
Vector MixedMesh<dim>::densities() const
{
  Vector result = Vector::Ones(n_own_cells());
  if (given.domain.uniform)
    return result;
  Eigen::MatrixXd x(dim, result.size()), rho(1, result.size());
  Index           own = 0;
  for (const auto &cell : mesh->active_cell_iterators())
    if (cell->is_locally_owned())
      {
        for (int a = 0; a < dim; ++a)
          x(a, own) = cell->center()[a];
        ++own;
      }
  given.domain.density(x, rho);
  return rho.row(0);
}

template <int dim>
bool MixedMesh<dim>::zone_is_cells() const
{
  bool result = true;
  if (!given.domain.uniform)
    {
      constexpr double inwards = 1e-6; // off the boundary of the zone, where the density may be either
      Eigen::MatrixXd  x(dim, 1 << dim), rho(1, 1 << dim);
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->is_locally_owned())
          {
            for (int k = 0; k < 1 << dim; ++k)
              for (int a = 0; a < dim; ++a)
                x(a, k) = (1. - inwards) * cell->vertex(k)[a] + inwards * cell->center()[a];
            given.domain.density(x, rho);
            result = result && ((rho.array() >= 1. - 1e-12) == (is_saturated[cell->active_cell_index()] != 0)).all();
            for (int k = 0; k < 1 << dim; ++k)
              for (int a = 0; a < dim; ++a)
                x(a, k) = cell->vertex(k)[a];
            result = result && !may_be_cut(given.domain, x, 1 << dim);
          }
    }
  return given.processes.max(result ? 0. : 1.) == 0.;
}

template <int dim>
Motion MixedMesh<dim>::outside() const
{
  Motion motion(dim);
  if (given.domain.uniform)
    return motion;
  const dealii::FE_DGQ<dim> fe(0);
  dealii::FEValues<dim>     values(fe, dealii::QGauss<dim>(3), dealii::update_JxW_values | dealii::update_quadrature_points);
  const Index               n = values.n_quadrature_points;
  Eigen::MatrixXd           x(dim, n), rho(1, n), U(dim, n);
  for (const auto &cell : mesh->active_cell_iterators())
    if (cell->is_locally_owned() && !is_saturated[cell->active_cell_index()])
      {
        values.reinit(cell);
        for (Index q = 0; q < n; ++q)
          for (int a = 0; a < dim; ++a)
            x(a, q) = values.quadrature_point(q)[a];
        given.domain.density(x, rho);
        given.U(x, U);
        for (Index q = 0; q < n; ++q)
          motion.add(values.JxW(q) * rho(0, q), U.col(q));
      }
  return motion.summed(given.processes);
}

template class MixedMesh<2>;
template class MixedMesh<3>;
} // namespace moreau::macro
