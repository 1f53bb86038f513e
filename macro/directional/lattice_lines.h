// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICE_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICE_LINES_H

#include "macro/discretize.h"
#include "macro/total_bound.h"

#include <functional>
#include <vector>

namespace moreau::macro
{
/// Points of a zone that lie on lines along all directions e_k of a lattice, equally far from each other.
template <int dim>
struct LinePoints
{
  Eigen::Matrix<double, dim, Eigen::Dynamic> x, U;     ///< per point (m, m/s)
  Vector                                     weight;   ///< per point: what it stands for (m^dim)
  std::vector<int>                           cell;     ///< per point: that of the mesh it lies in
  std::vector<char>                          is_whole; ///< per point: the zone does not end in its cell
  std::vector<Index>                         place;    ///< per point: on a grid
  std::vector<int>                           at;       ///< per place of the grid: the point, or -1

  Eigen::Matrix<double, dim, Eigen::Dynamic> e;    ///< directions
  std::vector<Index>                         step; ///< per direction: from a place to the next one along it
  double                                     spacing = 0., width = 0.; ///< along a line (m), of a line (m^{dim-1})
  Index                                      n_cells = 0;
  /// Weights in cut cells differ from what the pieces there have, so that η² itself is made least and not |u_p|.
  bool compare_with_v = false;
};

/// Pressures on the lines of a zone that end where the zone ends, as good as can be.
///
/// A point stands for the piece of each of its lines up to the middle between it and its neighbours, or up to the end of
/// the zone. p_k is linear on these pieces, 0 at the ends, >= 0: u_p = U - Σ e_k s_k with the slopes s_k. As η² is |u_p|²
/// and what does not depend on p, the best p is what makes |u_p| least: line by line this is an isotonic regression, and
/// direction after direction again and again (Dykstra's algorithm) tends to the least of all. Where cut cells weigh much
/// more or less than their pieces, as in space, η² is that only with an offset of the data.
template <int dim>
class LatticeLines
{
public:
  using Point = Eigen::Matrix<double, dim, 1>;
  /// p_k to begin with at a point (m²/s).
  using Pressure = std::function<double(const Point &at, int k)>;
  /// Linear on cells; `near`: a point of the lines in whose cell it is continued beyond the mesh.
  using Velocity = std::function<Point(const Point &at, int near)>;

  /// Without walls. Refers to the domain.
  LatticeLines(const Domain &domain, LinePoints<dim> points, const Pressure &start);

  /// Sweeps over the directions until one gains less than `least_gain` of the gap that v leaves.
  void polish(const Velocity &v, double least_gain, int most_sweeps);

  /// The bound with v, by the points: an estimate. indicator: per cell. facts: cells, width; for walls, feasibility.
  TotalBound bound(const Velocity &v, AdmissiblePair::Facts facts) const;

  int n_sweeps() const { return sweeps; } ///< of polish()

private:
  /// The points on the lines along e_k, line after line.
  struct Family
  {
    std::vector<int>    point, run_start;
    std::vector<double> before, behind; ///< the piece of the point reaches so far (m)
    std::vector<double> slope, offset;  ///< s_k on the piece; of compare_with() (m/s)

    Index n_runs() const { return static_cast<Index>(run_start.size()) - 1; }
  };

  void         find_lines(int k);
  void         find_ends(int k);
  void         start(int k, const Pressure &p);
  void         compare_with(const Velocity &v, int k);
  double       sweep(int k);
  Vector       pressures(const Family &family, Index run) const;
  GapIntegrals integrals(const Velocity &v, Vector &indicators) const;
  int          n_directions() const { return static_cast<int>(points.e.cols()); }
  Index        n_points() const { return points.weight.size(); }

  const Domain                              &domain;
  LinePoints<dim>                            points;
  Eigen::Matrix<double, dim, Eigen::Dynamic> u_p;
  std::vector<Family>                        families;
  int                                        sweeps = 0;
};

/// saturated_at() in blocks, by several threads.
std::vector<char> saturated_in_blocks(const Domain &domain, const Eigen::MatrixXd &x);
} // namespace moreau::macro

#endif
