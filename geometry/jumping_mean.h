// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_JUMPING_MEAN_H
#define MOREAU_GEOMETRY_JUMPING_MEAN_H

#include "geometry/quadrature.h"

#include <array>
#include <vector>

namespace moreau::geometry
{
/// How far inwards, in units of the box, points on its sides are moved, so that an edge of the field that lies on a side is
/// none in the box: what rounding makes of coordinates. extent: the largest coordinate (m); shortest_side: of the box (m).
double hair_of(double extent, double shortest_side);

/// Means over boxes of a field that jumps on lines or surfaces and is smooth between them. For one thread.
///
/// The mean is an iterated integral: on lines along one axis jumps are found by bisection to rounding, and Gauss's rule of
/// 3 points is applied between them. The integrals over lines are integrated likewise along the other axes, between the
/// places where jumps cross the edges of the box: there they have kinks or jumps themselves. The axis along which the field
/// changes most is the innermost, so that a jump is a graph over the others; where it changes alike along several, the mean
/// of all these orders counts, so that symmetric data have symmetric means. Linear fields on both sides of a plane, or of
/// planes parallel to sides of the box, are integrated to rounding. What is left is estimated by the rule of 2 points, and
/// the box is divided where it is too much.
class JumpingMean
{
public:
  static constexpr int most_components = 8;

  /// f has 1 ... most_components components; dim is 2 or 3.
  JumpingMean(const Field &f, int dim);

  struct Effort
  {
    double tolerance;  ///< of the mean of each component, relative to its largest value that was seen
    Index  max_points; ///< about: with more the box is not divided any further
    /// Of each component elsewhere, or empty: what it does on a scale far below is no jump beside those of others. (A
    /// velocity that is 0 where a thin body was seen grows without limit in units of what was seen.)
    Vector usual = {};
  };

  struct Result
  {
    bool   has_jump = false; ///< seen; else nothing more is given
    Vector mean, error;      ///< per component; error: estimated
  };

  /// Over the box from `lower` to `upper` (m, length dim). Jumps are looked for at corners, centre, points of Gauss, and on
  /// edges and faces at points a 64th (in space an 8th) of the box apart. Of several between two such points some may be
  /// overlooked; where bodies have corners, or two edges on one line, the estimate counts a tip of that size. Jumps within
  /// 1e-12 of the sides of the box are not seen.
  Result operator()(const Vector &lower, const Vector &upper, const Effort &effort);

private:
  using Point  = Eigen::Vector3d;                                                               // in units of the box
  using Values = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most_components, 1>; // per component
  using Ends   = std::vector<double>;

  /// A part of the box, and what it contributes.
  struct Part
  {
    Point  lower, upper;
    Values mean, error;
    double largest_error = 0.; ///< relative to the scale of its component

    bool operator<(const Part &other) const { return largest_error < other.largest_error; }
  };

  Values at(const Point &point);
  void   evaluate(const std::vector<Point> &points);
  double distance(const Values &a, const Values &b) const { return (a - b).cwiseAbs().cwiseProduct(per_usual).maxCoeff(); }

  void set_scale(const Vector &usual);

  std::vector<Point> points_of_boundary(const Part &part, int n_intervals) const;

  void   look_at(const Part &part, int n_intervals, const Vector &usual = {});
  void   set_orders(const std::array<double, 3> &change);
  double jump_between(Point a, Point b, Values of_a, Values of_b);
  void   integrate(Part &part);
  void   divide(std::vector<Part> &parts);
  Ends   find_ends(int level, const Part &part, Point x);
  void   find_jumps(int axis, Point x, double begin, double end, int n_intervals, Ends &jumps);
  void   find_between(int axis, Point x, double a, const Values &of_a, double b, const Values &of_b, int depth, Ends &jumps);
  Values mean_over(int level, const Part &part, const Point &x, int n_gauss);
  Values mean_between(int level, const Part &part, Point x, int n_gauss, const Ends &ends);

  const Field        &f;
  const int           dim;
  std::array<Rule, 4> rules;         ///< of n points on [0, 1], n = 2, 3
  Point               corner, sides; ///< of the box (m)
  double              hair     = 0.; ///< in units of the box
  Index               n_points = 0;
  Values              per_scale; ///< 1 / largest value that was seen; 0 where that is 0
  Values              per_usual; ///< the same, or of what is usual where that is larger

  using Order = std::array<int, 3>;

  std::vector<Order> orders;                ///< of the part at hand: several where the field changes alike along axes
  Order              order     = {0, 1, 2}; ///< axes, the innermost first
  double             threshold = 0.;        ///< of the part at hand: smaller differences are no jumps

  bool has_several = false; ///< jumps on one line

  std::vector<Point> points, points_of_line;
  Eigen::MatrixXd    x, values, x_at, value_at; ///< of evaluate() and at()
};
} // namespace moreau::geometry

#endif
