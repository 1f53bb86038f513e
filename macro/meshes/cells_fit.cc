// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/cells_fit.h"

#include "macro/meshes/gmsh_text.h"

#include <deal.II/base/bounding_box.h>
#include <deal.II/grid/tria.h>
#include <deal.II/numerics/rtree.h>

#include <Eigen/Geometry>
#include <Eigen/QR>

#include <algorithm>
#include <map>
#include <vector>

namespace moreau::macro
{
namespace
{
namespace index = boost::geometry::index;

template <int dim>
using Corners = Eigen::Matrix<double, dim, Eigen::Dynamic, 0, dim, 8>;

/// Of a cell, a face or an edge, in deal.II's order.
template <int dim, class Thing>
Corners<dim> corners_of(const Thing &thing)
{
  Corners<dim> corners(dim, thing->n_vertices());
  for (int k = 0; k < corners.cols(); ++k)
    for (int a = 0; a < dim; ++a)
      corners(a, k) = thing->vertex(k)[a];
  return corners;
}

template <int dim>
dealii::BoundingBox<dim> box_around(const Corners<dim> &corners, const double margin)
{
  std::pair<dealii::Point<dim>, dealii::Point<dim>> ends;
  for (int a = 0; a < dim; ++a)
    {
      ends.first[a]  = corners.row(a).minCoeff() - margin;
      ends.second[a] = corners.row(a).maxCoeff() + margin;
    }
  return dealii::BoundingBox<dim>(ends);
}

/// Of a quadrilateral all edges, of a parallelepiped those of one corner.
template <int dim>
Corners<dim> edges_of(const Corners<dim> &corners)
{
  Corners<dim> edges(dim, dim == 2 ? 4 : 3);
  for (int axis = 0, n = 0; axis < dim; ++axis)
    for (int k = 0; k < (dim == 2 ? 4 : 1); ++k)
      if (!(k & 1 << axis))
        edges.col(n++) = corners.col(k | 1 << axis) - corners.col(k);
  return edges;
}

/// Normals to faces of two convex cells and, in space, to an edge of each: one of them separates cells that do not overlap.
template <int dim>
std::vector<Eigen::Matrix<double, dim, 1>> separating_directions(const Corners<dim> &A, const Corners<dim> &B)
{
  std::vector<Eigen::Matrix<double, dim, 1>> directions;
  const Corners<dim>                         of_A = edges_of<dim>(A), of_B = edges_of<dim>(B);
  Eigen::Matrix<double, dim, Eigen::Dynamic> edges(dim, of_A.cols() + of_B.cols());
  edges << of_A, of_B;
  for (int i = 0; i < edges.cols(); ++i)
    if constexpr (dim == 2)
      directions.emplace_back(-edges(1, i), edges(0, i));
    else
      for (int j = 0; j < i; ++j)
        directions.emplace_back(edges.col(i).template head<3>().cross(edges.col(j).template head<3>()));
  return directions;
}

/// Whether two convex cells have more in common than a layer of this thickness.
template <int dim>
bool overlap(const Corners<dim> &A, const Corners<dim> &B, const double thickness)
{
  for (const auto &n : separating_directions<dim>(A, B))
    {
      const auto a = (n.transpose() * A).eval(), b = (n.transpose() * B).eval();
      if (!n.isZero(0.) && std::min(a.maxCoeff() - b.minCoeff(), b.maxCoeff() - a.minCoeff()) <= thickness * n.norm())
        return false;
    }
  return true;
}

template <int dim>
void require_no_overlap(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation)
{
  constexpr double bent = dim == 2 ? 0. : 1e-7; // of the diameter: parallelepipeds are such to 1e-8
  std::vector<typename dealii::Triangulation<dim, dim>::active_cell_iterator> cells;
  std::vector<dealii::BoundingBox<dim>>                                       boxes;
  for (const auto &cell : triangulation.active_cell_iterators())
    {
      cells.push_back(cell);
      boxes.push_back(box_around<dim>(corners_of<dim>(cell), 0.));
    }
  const auto tree = dealii::pack_rtree_of_indices(boxes);
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (const std::size_t j : tree | index::adaptors::queried(index::intersects(boxes[i])))
      {
        const auto thickness = [](const auto &c) {
          return same_place * c->minimum_vertex_distance() + bent * c->diameter();
        };
        const double allowed = j > i ? std::min(thickness(cells[i]), thickness(cells[j])) : 0.;
        if (j > i && overlap<dim>(corners_of<dim>(cells[i]), corners_of<dim>(cells[j]), allowed))
          refuse_mesh(file, "has cells that overlap, at " + position<dim>(cells[i]->center()) + " and " +
                                position<dim>(cells[j]->center()) +
                                ", where matter would count twice; let surfaces or volumes be cut along each other before "
                                "they are meshed (Gmsh: Coherence or BooleanFragments).");
      }
}

/// A face, an edge or a vertex of the boundary.
template <int dim>
struct BoundaryPart
{
  std::vector<unsigned int> nodes;
  Corners<dim>              corners;
  double                    tolerance; ///< (m)

  bool shares_a_node_with(const BoundaryPart &other) const
  {
    return std::find_first_of(nodes.begin(), nodes.end(), other.nodes.begin(), other.nodes.end()) != nodes.end();
  }
};

/// Whether x = E t for some t in [0,1]^m, up to a tolerance (m).
bool reaches(const Eigen::MatrixXd &E, const Eigen::VectorXd &x, const double tolerance)
{
  const Eigen::VectorXd t     = E.colPivHouseholderQr().solve(x);
  const Eigen::ArrayXd  slack = tolerance / E.colwise().norm().transpose().array();
  return (E * t - x).norm() <= tolerance && (t.array() >= -slack).all() && (t.array() <= 1. + slack).all();
}

/// Whether the vertex, or the edge of the same kind, meets the face or edge.
template <int dim>
bool meets(const BoundaryPart<dim> &part, const BoundaryPart<dim> &other)
{
  const int       n_axes = other.corners.cols() == 4 ? 2 : 1, n = static_cast<int>(part.corners.cols());
  Eigen::MatrixXd E(dim, n_axes + n - 1);
  for (int axis = 0; axis < n_axes; ++axis)
    E.col(axis) = other.corners.col(1 << axis) - other.corners.col(0);
  if (n == 2)
    E.col(n_axes) = part.corners.col(0) - part.corners.col(1);
  return reaches(E, part.corners.col(0) - other.corners.col(0), std::min(part.tolerance, other.tolerance));
}

/// No part meets any of the others with which it has no node in common.
template <int dim>
void require_distance(const std::filesystem::path &file, const std::map<unsigned int, BoundaryPart<dim>> &parts,
                      const std::map<unsigned int, BoundaryPart<dim>> &others)
{
  std::vector<dealii::BoundingBox<dim>>  boxes;
  std::vector<const BoundaryPart<dim> *> part_of_box;
  for (const auto &entry : others)
    {
      boxes.push_back(box_around<dim>(entry.second.corners, entry.second.tolerance));
      part_of_box.push_back(&entry.second);
    }
  const auto tree = dealii::pack_rtree_of_indices(boxes);
  for (const auto &entry : parts)
    for (const std::size_t k : tree | index::adaptors::queried(index::intersects(box_around<dim>(entry.second.corners, 0.))))
      if (const BoundaryPart<dim> &part = entry.second;
          !part.shares_a_node_with(*part_of_box[k]) && meets<dim>(part, *part_of_box[k]))
        refuse_mesh(file, "has cells that touch at " + position<dim>(part.corners.rowwise().mean()) +
                              " and share no node there, so that nothing keeps bodies from passing through each other; let "
                              "surfaces or volumes be cut along each other before they are meshed (Gmsh: Coherence or "
                              "BooleanFragments), or merge nodes that coincide (Coherence Mesh).");
}

/// Parts by deal.II's numbers of them.
template <int dim, class Thing>
void keep(std::map<unsigned int, BoundaryPart<dim>> &parts, const unsigned int number, const Thing &thing,
          const double tolerance)
{
  BoundaryPart<dim> part{{}, corners_of<dim>(thing), tolerance};
  for (int k = 0; k < part.corners.cols(); ++k)
    part.nodes.push_back(thing->vertex_index(k));
  BoundaryPart<dim> &kept = parts.emplace(number, part).first->second;
  kept.tolerance          = std::min(kept.tolerance, tolerance);
}

template <int dim>
void require_no_seam(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation)
{
  std::map<unsigned int, BoundaryPart<dim>> vertices, edges, faces;
  for (const auto &cell : triangulation.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        {
          const auto   face      = cell->face(f);
          const double tolerance = same_place * cell->minimum_vertex_distance();
          keep<dim>(faces, face->index(), face, tolerance);
          if constexpr (dim == 3)
            for (unsigned int l = 0; l < face->n_lines(); ++l)
              keep<dim>(edges, face->line_index(l), face->line(l), tolerance);
          for (unsigned int k = 0; k < face->n_vertices(); ++k)
            {
              BoundaryPart<dim>  vertex{{face->vertex_index(k)}, corners_of<dim>(face).col(k), tolerance};
              BoundaryPart<dim> &kept = vertices.emplace(face->vertex_index(k), vertex).first->second;
              kept.tolerance          = std::min(kept.tolerance, tolerance);
            }
        }
  require_distance<dim>(file, vertices, faces);
  require_distance<dim>(file, edges, edges);
}
} // namespace

template <int dim>
void require_cells_that_fit(const std::filesystem::path &file, const dealii::Triangulation<dim, dim> &triangulation)
{
  require_no_overlap<dim>(file, triangulation);
  require_no_seam<dim>(file, triangulation);
}

template void require_cells_that_fit<2>(const std::filesystem::path &, const dealii::Triangulation<2, 2> &);
template void require_cells_that_fit<3>(const std::filesystem::path &, const dealii::Triangulation<3, 3> &);
} // namespace moreau::macro
