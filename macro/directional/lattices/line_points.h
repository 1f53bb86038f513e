// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_POINTS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LINE_POINTS_H

#include "macro/discretize.h"

#include <array>
#include <vector>

namespace moreau::macro
{
/// What the zone has of a cell, whether the mesh has this cell or left it out.
template <int dim>
struct CellPart
{
  Eigen::Matrix<double, dim, 1>              centre;   ///< of mass (m)
  double                                     volume;   ///< (m^dim)
  int                                        cell;     ///< of the mesh, or -1
  bool                                       is_whole; ///< the zone does not end in it
  Eigen::Matrix<double, dim, Eigen::Dynamic> samples;  ///< points that stand for equal parts of it (m), one at least
  std::vector<int>                           points;   ///< of the lines, in it
  std::vector<int> asked; ///< where v may jump beside it, the points that tell of it; empty: all those around
};

/// Where cells end: all x for which planesᵀx + first has a whole entry, and of these planes maybe more.
template <int dim>
struct CellEnds
{
  using Point = Eigen::Matrix<double, dim, 1>;

  Eigen::Matrix<double, dim, Eigen::Dynamic> planes; ///< a column per family (1/m)
  Vector                                     first;

  /// low, high, and in between all t for which x + t e lies on one of the planes; ascending.
  std::vector<double> crossings(const Point &x, const Point &e, double low, double high) const;
};

/// Points of a zone that lie on lines along all directions e_k of a lattice, equally far from each other.
template <int dim>
struct LinePoints
{
  Eigen::Matrix<double, dim, Eigen::Dynamic> x, U;   ///< per point (m, m/s)
  Vector                                     weight; ///< per point: what it stands for (m^dim)
  std::vector<int>                           cell;   ///< per point: that of the mesh it lies in
  std::vector<int>                           part;   ///< per point: of `parts`
  std::vector<Index>                         place;  ///< per point: on a grid
  std::vector<int>                           at;     ///< per place of the grid: the point, or -1
  std::vector<CellPart<dim>>                 parts;

  Eigen::Matrix<double, dim, Eigen::Dynamic> e;    ///< directions
  std::vector<Index>                         step; ///< per direction: from a place to the next one along it
  double                                     spacing = 0., width = 0.; ///< along a line (m), of a line (m^{dim-1})
  double                                     size = 0.;                ///< of a cell of the mesh (m)
  CellEnds<dim>                              ends;
  Index                                      n_cells = 0;

  /// Takes care of parts without points: their volumes are added to the weights of the points nearest to them, of those
  /// that are asked where v may jump, as pieces of lines end with the zone, and hence reach over them. Where no point is
  /// nearer than a cell and the mesh has the cell, its centre becomes a point, on no line with others.
  void complete(const Domain &domain, const Field &U);
};

/// Finds points around others. Refers to them.
template <int dim>
class PointBins
{
public:
  using Point  = Eigen::Matrix<double, dim, 1>;
  using Points = Eigen::Matrix<double, dim, Eigen::Dynamic>;

  PointBins(const Points &x, double reach);

  /// All that are less than `reach` away.
  std::vector<int> around(const Point &centre) const;
  /// Of those the nearest, or -1.
  int nearest(const Point &centre) const;

private:
  using Bin = std::array<long long, dim>;

  Bin bin_of(const Point &at) const;
  template <class F>
  void for_each_around(const Point &centre, const F &f) const;

  const Points                    &x;
  double                           reach;
  std::vector<std::pair<Bin, int>> bins;
};
} // namespace moreau::macro

#endif
