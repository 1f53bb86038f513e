// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/bisected_box.h"

#include "convex/input_error.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <limits>

namespace moreau::macro
{
namespace
{
std::uint64_t edge_key(const int a, const int b)
{
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint64_t>(std::max(a, b));
}

/// Position among the permutations of 0 ... dim-1 in lexicographic order, in which kuhn_subdivision() numbers the simplices
/// of a cell.
int rank_of(const std::array<int, 3> &axes, const int dim)
{
  return dim == 1 ? 0 : dim == 2 ? axes[0] : 2 * axes[0] + (axes[1] > axes[2] ? 1 : 0);
}

/// Axes by falling coordinates.
std::array<int, 3> order_of(const std::array<double, 3> &xi, const int dim)
{
  std::array<int, 3> axes   = {0, 1, 2};
  const auto         settle = [&](const int i, const int j) {
    if (xi[axes[i]] < xi[axes[j]])
      std::swap(axes[i], axes[j]);
  };
  if (dim > 1)
    settle(0, 1);
  if (dim > 2)
    {
      settle(1, 2);
      settle(0, 1);
    }
  return axes;
}
} // namespace

bool BisectedBox::is_uniform() const
{
  int of_leaves = -1;
  for (const Node &node : nodes)
    if (node.children < 0 && of_leaves != node.generation)
      {
        if (of_leaves >= 0)
          return false;
        of_leaves = node.generation;
      }
  return true;
}

BisectedBox::BisectedBox(const BoxGrid &grid)
    : box(grid), n_orders(grid.dim == 3 ? 6 : grid.dim), n_roots(n_orders * grid.n_cells()), leaves(kuhn_subdivision(grid))
{
  nodes.resize(n_roots);
  for (std::size_t t = 0; t < n_roots; ++t)
    {
      nodes[t].vertices = {-1, -1, -1, -1};
      for (int i = 0; i <= grid.dim; ++i)
        nodes[t].vertices[i] = leaves.simplices(i, static_cast<Index>(t));
      nodes[t].leaf = static_cast<int>(t);
      nodes[t].tag  = grid.dim;
    }
  points.resize(leaves.n_points(), Eigen::Vector3d::Zero());
  for (Index p = 0; p < leaves.n_points(); ++p)
    points[p].head(grid.dim) = leaves.points.col(p);
}

BisectedBox BisectedBox::bisected(const std::vector<char> &marked, const int n_times) const
{
  BisectedBox      finer = *this;
  std::vector<int> chosen;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].leaf >= 0 && marked[nodes[n].leaf])
      chosen.push_back(static_cast<int>(n));
  for (int generation = 0; generation < n_times; ++generation)
    {
      std::vector<int> children;
      for (const int n : chosen)
        {
          finer.bisect(n);
          children.insert(children.end(), {finer.nodes[n].children, finer.nodes[n].children + 1});
        }
      chosen = std::move(children);
    }
  finer.match();
  finer.number_leaves();
  return finer;
}

int BisectedBox::middle(const int a, const int b)
{
  const auto [place, is_new] = middles.try_emplace(edge_key(a, b), static_cast<int>(points.size()));
  if (is_new)
    points.push_back(.5 * (points[a] + points[b]));
  return place->second;
}

bool BisectedBox::is_cut(const int a, const int b) const { return middles.count(edge_key(a, b)) > 0; }

/// Nothing where the simplex is bisected already.
void BisectedBox::bisect(const int node)
{
  if (nodes[node].children >= 0)
    return;
  if (nodes.size() + 2 > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InputError("the adaptive cycles", "The mesh would have more than 2e9 simplices; give a smaller number.");
  const Node parent = nodes[node];
  const int  k = parent.tag, z = middle(parent.vertices[0], parent.vertices[k]);
  Node       lower = parent, upper = parent;
  lower.vertices[k] = z;
  std::copy(parent.vertices.begin() + 1, parent.vertices.begin() + k + 1, upper.vertices.begin());
  upper.vertices[k] = z;
  lower.tag = upper.tag = k > 1 ? k - 1 : box.dim;
  ++lower.generation;
  ++upper.generation;
  nodes[node].children = static_cast<int>(nodes.size());
  nodes[node].leaf     = -1;
  nodes.push_back(lower);
  nodes.push_back(upper);
}

/// Bisects leaves until none has an edge with a point in its middle.
void BisectedBox::match()
{
  const auto has_cut_edge = [&](const Node &leaf) {
    for (int i = 0; i < box.dim; ++i)
      for (int j = i + 1; j <= box.dim; ++j)
        if (is_cut(leaf.vertices[i], leaf.vertices[j]))
          return true;
    return false;
  };
  for (bool again = true; again;)
    {
      again = false;
      for (std::size_t n = 0; n < nodes.size(); ++n) // children come behind their parents
        if (nodes[n].children < 0 && has_cut_edge(nodes[n]))
          {
            bisect(static_cast<int>(n));
            again = true;
          }
    }
}

void BisectedBox::number_leaves()
{
  Index n_leaves = 0;
  for (Node &node : nodes)
    node.leaf = node.children < 0 ? static_cast<int>(n_leaves++) : -1;
  leaves.simplices.resize(box.dim + 1, n_leaves);
  for (const Node &node : nodes)
    if (node.leaf >= 0)
      for (int i = 0; i <= box.dim; ++i)
        leaves.simplices(i, node.leaf) = node.vertices[i];
  leaves.points.resize(box.dim, static_cast<Index>(points.size()));
  for (std::size_t p = 0; p < points.size(); ++p)
    leaves.points.col(static_cast<Index>(p)) = points[p].head(box.dim);
}

int BisectedBox::containing(const double *const x, SimplexPoint &lambda) const
{
  std::array<double, 3> xi   = {};
  CellIndex             cell = {0, 0, 0};
  for (int a = 0; a < box.dim; ++a)
    {
      const double s = (x[a] - box.lower(a)) / box.h(a);
      if (!(s >= 0. && s < static_cast<double>(box.n[a])))
        return -1;
      cell[a] = static_cast<Index>(s);
      xi[a]   = s - static_cast<double>(cell[a]);
    }
  // the order of the coordinates tells the simplex, their differences are its barycentric coordinates
  const std::array<int, 3> axes = order_of(xi, box.dim);
  lambda                        = {};
  for (int i = 0; i <= box.dim; ++i)
    lambda[i] = (i == 0 ? 1. : xi[axes[i - 1]]) - (i == box.dim ? 0. : xi[axes[i]]);
  const Node *node = &nodes[first_root(cell) + rank_of(axes, box.dim)];
  while (node->children >= 0)
    {
      const int    k     = node->tag;
      const double first = lambda[0], last = lambda[k];
      const bool   upper = last > first;
      if (upper)
        {
          std::copy(lambda.begin() + 1, lambda.begin() + k, lambda.begin());
          lambda[k - 1] = last - first;
          lambda[k]     = 2. * first;
        }
      else
        {
          lambda[0] = first - last;
          lambda[k] = 2. * last;
        }
      node = &nodes[node->children + (upper ? 1 : 0)];
    }
  return node->leaf;
}

void BisectedBox::collect(const CellIndex &cell, std::vector<int> &simplices) const
{
  std::vector<int> open;
  for (Index order = 0; order < n_orders; ++order)
    open.push_back(static_cast<int>(first_root(cell) + order));
  while (!open.empty())
    {
      const Node &node = nodes[open.back()];
      open.pop_back();
      if (node.children >= 0)
        open.insert(open.end(), {node.children, node.children + 1});
      else
        simplices.push_back(node.leaf);
    }
}

SimplexPoint nearest_on_simplex(const SimplexMatrix &vertices, const double *const x, double &distance)
{
  // the nearest point lies inside one of the faces, where it is the nearest one of the plane of the face
  const int                               dim = static_cast<int>(vertices.rows());
  const Eigen::Map<const Eigen::VectorXd> at(x, dim);
  SimplexPoint                            nearest = {};
  distance                                        = std::numeric_limits<double>::infinity();
  for (int face = 1; face < 1 << (dim + 1); ++face)
    {
      std::array<int, 4> corner = {};
      int                n      = 0;
      for (int i = 0; i <= dim; ++i)
        if (face >> i & 1)
          corner[n++] = i;
      SimplexPoint  lambda = {};
      SimplexMatrix edges(dim, n - 1);
      for (int j = 1; j < n; ++j)
        edges.col(j - 1) = vertices.col(corner[j]) - vertices.col(corner[0]);
      Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1> offset = at - vertices.col(corner[0]);
      double                                            rest   = 1.;
      bool                                              inside = true;
      if (n > 1)
        {
          const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1> y =
              SimplexMatrix(edges.transpose() * edges).llt().solve(edges.transpose() * offset);
          for (int j = 1; j < n; ++j)
            {
              lambda[corner[j]] = y(j - 1);
              rest -= y(j - 1);
              inside = inside && y(j - 1) >= 0.;
            }
          offset -= edges * y;
        }
      lambda[corner[0]] = rest;
      if (inside && rest >= 0. && offset.norm() < distance)
        {
          distance = offset.norm();
          nearest  = lambda;
        }
    }
  return nearest;
}
} // namespace moreau::macro
