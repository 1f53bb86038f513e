// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/simplex_mesh.h"

#include "convex/components.h"
#include "convex/input_error.h"
#include "geometry/periodic_field.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <map>

namespace moreau::macro
{
namespace
{
/// All facets of the cells, each once, by sorting them by their vertices.
std::vector<Facet> facets_of(const Eigen::MatrixXi &cells)
{
  struct Side
  {
    std::array<int, 3> vertices; // unused ones are -1
    int                cell, opposite;
  };
  const int         n_vertices = static_cast<int>(cells.rows());
  std::vector<Side> sides;
  sides.reserve(cells.size());
  for (int t = 0; t < cells.cols(); ++t)
    for (int i = 0; i < n_vertices; ++i)
      {
        Side side = {{-1, -1, -1}, t, i};
        for (int j = 0, k = 0; j < n_vertices; ++j)
          if (j != i)
            side.vertices[k++] = cells(j, t);
        std::sort(side.vertices.begin(), side.vertices.end());
        sides.push_back(side);
      }
  std::sort(sides.begin(), sides.end(), [](const Side &a, const Side &b) {
    return a.vertices != b.vertices ? a.vertices < b.vertices : a.cell < b.cell;
  });
  std::vector<Facet> facets;
  for (std::size_t k = 0; k < sides.size(); ++k)
    {
      const Side &side  = sides[k];
      Facet       facet = {side.cell, side.opposite, -1, -1};
      if (k + 1 < sides.size() && sides[k + 1].vertices == side.vertices)
        {
          ++k;
          facet.neighbour             = sides[k].cell;
          facet.opposite_of_neighbour = sides[k].opposite;
        }
      facets.push_back(facet);
    }
  return facets;
}

/// Adds the orbit of a point under permutations of its barycentric coordinates.
void add_orbit(Rule &rule, std::vector<double> lambda, const double weight)
{
  std::sort(lambda.begin(), lambda.end());
  const Index n_coordinates = static_cast<Index>(lambda.size());
  do
    {
      const Index n = rule.size();
      rule.points.conservativeResize(n_coordinates, n + 1);
      rule.weights.conservativeResize(n + 1);
      rule.points.col(n) = Eigen::Map<const Vector>(lambda.data(), n_coordinates);
      rule.weights(n)    = weight;
  } while (std::next_permutation(lambda.begin(), lambda.end()));
}
} // namespace

SimplexMatrix SimplexMesh::vertices(const Index simplex) const
{
  SimplexMatrix x(points.rows(), simplices.rows());
  for (Index i = 0; i < simplices.rows(); ++i)
    x.col(i) = points.col(simplices(i, simplex));
  for (Index axis = 0; axis < period.size(); ++axis)
    if (const double most = x.row(axis).maxCoeff(), length = period(axis); length > 0.)
      for (Index i = 0; i < x.cols(); ++i)
        if (x(axis, i) < most - .5 * length)
          x(axis, i) += length;
  return x;
}

Vector SimplexMesh::centroid(const Index simplex) const { return vertices(simplex).rowwise().mean(); }

double SimplexMesh::volume(const Index simplex) const
{
  const SimplexMatrix x     = vertices(simplex);
  const SimplexMatrix edges = x.rightCols(dim()).colwise() - x.col(0);
  return std::abs(edges.determinant()) / std::tgamma(dim() + 1);
}

SimplexMesh kuhn_subdivision(const BoxGrid &grid)
{
  const int            dim    = grid.dim;
  std::array<Index, 3> n      = {1, 1, 1};
  std::array<Index, 3> stride = {1, 1, 1};
  for (int a = 0; a < dim; ++a)
    n[a] = grid.n[a] + 1;
  stride[1] = n[0];
  stride[2] = n[0] * n[1];

  SimplexMesh mesh;
  mesh.points.resize(dim, n[0] * n[1] * n[2]);
  Index point = 0;
  for (Index k = 0; k < n[2]; ++k)
    for (Index j = 0; j < n[1]; ++j)
      for (Index i = 0; i < n[0]; ++i, ++point)
        {
          const CellIndex index = {i, j, k};
          for (int a = 0; a < dim; ++a)
            mesh.points(a, point) = grid.lower(a) + static_cast<double>(index[a]) * grid.h(a);
        }

  // one simplex per order in which the axes are walked from the lower corner of the cell to the upper one
  std::vector<std::array<int, 3>> orders;
  std::array<int, 3>              order = {0, 1, 2};
  do
    orders.push_back(order);
  while (std::next_permutation(order.begin(), order.begin() + dim));

  mesh.simplices.resize(dim + 1, grid.n_cells() * static_cast<Index>(orders.size()));
  Index t = 0;
  for (Index k = 0; k < grid.n[2]; ++k)
    for (Index j = 0; j < grid.n[1]; ++j)
      for (Index i = 0; i < grid.n[0]; ++i)
        for (const auto &axes : orders)
          {
            Index vertex         = i + stride[1] * j + stride[2] * k;
            mesh.simplices(0, t) = static_cast<int>(vertex);
            for (int a = 0; a < dim; ++a)
              mesh.simplices(a + 1, t) = static_cast<int>(vertex += stride[axes[a]]);
            ++t;
          }
  return mesh;
}

SimplexMesh with_periodic_sides(SimplexMesh mesh, const BoxGrid &grid, const std::array<bool, 3> &periodic)
{
  constexpr Index fewest = 3, parts = 4; // of a cell: bisected ones have points in between
  if (!geometry::any(periodic))
    return mesh;
  mesh.period = Vector::Zero(grid.dim);
  for (int axis = 0; axis < grid.dim; ++axis)
    if (periodic[axis])
      {
        if (grid.n[axis] < fewest)
          throw InputError("the cells per unit length", std::string("There are fewer than three cells along ") +
                                                            "xyz"[axis] + ", where the box repeats itself; give more.");
        mesh.period(axis) = static_cast<double>(grid.n[axis]) * grid.h(axis);
      }
  std::map<std::array<Index, 3>, int> first;
  std::vector<int>                    kept(mesh.n_points());
  for (Index k = 0; k < mesh.n_points(); ++k)
    {
      std::array<Index, 3> place = {0, 0, 0};
      for (int axis = 0; axis < grid.dim; ++axis)
        {
          place[axis] = std::llround(parts * (mesh.points(axis, k) - grid.lower(axis)) / grid.h(axis));
          if (periodic[axis])
            place[axis] %= parts * grid.n[axis];
        }
      kept[k] = first.try_emplace(place, static_cast<int>(k)).first->second;
    }
  for (int &point : mesh.simplices.reshaped())
    point = kept[point];
  for (Index k = 0; k < mesh.n_points(); ++k) // whichever came first
    for (int axis = 0; axis < grid.dim; ++axis)
      if (periodic[axis] && mesh.points(axis, k) - grid.lower(axis) > mesh.period(axis) - .1 * grid.h(axis))
        mesh.points(axis, k) = grid.lower(axis);
  return mesh;
}

Vector SimplexZone::normal(const Facet &facet) const
{
  return -gradients_of(facet.simplex).col(facet.opposite).normalized();
}

double SimplexZone::area(const Facet &facet) const
{
  // |T| = |F| / (dim |∇λ|)
  return mesh.dim() * volumes(facet.simplex) * gradients_of(facet.simplex).col(facet.opposite).norm();
}

TornMesh torn_apart(const SimplexMesh &mesh, const std::vector<Facet> &facets, const std::vector<char> &joined)
{
  const int          n_vertices = mesh.dim() + 1;
  const auto        &vertices   = mesh.simplices;
  convex::Components corners(vertices.size());
  for (std::size_t f = 0; f < facets.size(); ++f)
    if (const Facet &facet = facets[f]; facet.neighbour >= 0 && joined[f])
      for (int i = 0; i < n_vertices; ++i)
        for (int j = 0; j < n_vertices; ++j)
          if (i != facet.opposite && vertices(i, facet.simplex) == vertices(j, facet.neighbour))
            corners.join(n_vertices * facet.simplex + i, n_vertices * facet.neighbour + j);
  int                    n_nodes = 0;
  const std::vector<int> node    = corners.numbers(n_nodes);

  TornMesh torn;
  torn.origin.resize(n_nodes);
  torn.mesh.points.resize(mesh.dim(), n_nodes);
  torn.mesh.period    = mesh.period;
  torn.mesh.simplices = Eigen::Map<const Eigen::MatrixXi>(node.data(), n_vertices, mesh.n_simplices());
  for (Index corner = 0; corner < vertices.size(); ++corner)
    {
      torn.origin[node[corner]]          = vertices(corner);
      torn.mesh.points.col(node[corner]) = mesh.points.col(vertices(corner));
    }
  return torn;
}

SimplexZone simplex_zone(const SimplexMesh &mesh, const std::vector<char> &saturated)
{
  const int   dim = mesh.dim(), n_vertices = dim + 1;
  SimplexZone zone;
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    if (saturated[t])
      zone.simplex_of_cell.push_back(static_cast<int>(t));
  const Index       n_cells = static_cast<Index>(zone.simplex_of_cell.size());
  const SimplexMesh part    = {mesh.points, mesh.simplices(Eigen::all, zone.simplex_of_cell), mesh.period};
  zone.facets               = facets_of(part.simplices);

  zone.mesh = torn_apart(part, zone.facets, std::vector<char>(zone.facets.size(), 1)).mesh;

  convex::Components cells(n_cells);
  for (const Facet &facet : zone.facets)
    if (facet.neighbour >= 0)
      cells.join(facet.simplex, facet.neighbour);
  zone.part_of_cell = cells.numbers(zone.n_parts);
  zone.part_of_node.resize(zone.mesh.n_points());
  for (Index t = 0; t < n_cells; ++t)
    for (int i = 0; i < n_vertices; ++i)
      zone.part_of_node[zone.mesh.simplices(i, t)] = zone.part_of_cell[t];

  zone.volumes.resize(n_cells);
  zone.gradients.resize(dim * n_vertices, n_cells);
  Eigen::MatrixXd edges(dim, dim);
  for (Index t = 0; t < n_cells; ++t)
    {
      const SimplexMatrix x = zone.mesh.vertices(t);
      for (int a = 0; a < dim; ++a)
        edges.col(a) = x.col(a + 1) - x.col(0);
      zone.volumes(t) = zone.mesh.volume(t);
      Eigen::Map<Eigen::MatrixXd> gradient(zone.gradients.col(t).data(), dim, n_vertices);
      gradient.rightCols(dim) = edges.inverse().transpose();
      gradient.col(0)         = -gradient.rightCols(dim).rowwise().sum();
    }
  return zone;
}

Rule simplex_rule(const int dim)
{
  Rule rule;
  if (dim == 1)
    {
      rule = gauss_rule(4, 1);
      rule.points.conservativeResize(2, Eigen::NoChange);
      rule.points.row(1) = 1. - rule.points.row(0).array();
    }
  else if (dim == 2) // Dunavant, 12 points
    {
      add_orbit(rule, {.249286745170910, .249286745170910, .501426509658179}, .116786275726379);
      add_orbit(rule, {.063089014491502, .063089014491502, .873821971016996}, .050844906370207);
      add_orbit(rule, {.053145049844817, .310352451033784, .636502499121399}, .082851075618374);
    }
  else // Keast, 24 points
    {
      add_orbit(rule, {.214602871259152, .214602871259152, .214602871259152, .356191386222544}, .0399227502581679);
      add_orbit(rule, {.0406739585346114, .0406739585346114, .0406739585346114, .8779781243961658}, .0100772110553207);
      add_orbit(rule, {.322337890142276, .322337890142276, .322337890142276, .032986329573172}, .0553571815436544);
      add_orbit(rule, {.0636610018750175, .0636610018750175, .269672331458316, .603005664791649}, 27. / 560.);
    }
  rule.weights /= rule.weights.sum();
  return rule;
}
} // namespace moreau::macro
