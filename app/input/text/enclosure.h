// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_ENCLOSURE_H
#define MOREAU_APP_INPUT_TEXT_ENCLOSURE_H

#include "app/input/text/expression_tree.h"

#include <Eigen/Core>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace moreau::app
{
/// A number that depends on where one is on the convex hull of some points of mean c:
///     |f(x) - value - slope . (x - c)| <= remainder,  low <= f(x) <= high.
struct Enclosure
{
  static constexpr int none = 100; ///< of `degree`: no polynomial, or not known to be one

  double                value = 0., remainder = 0., low = -std::numeric_limits<double>::infinity(), high = -low;
  std::array<double, 4> slope       = {};   ///< of each variable
  int                   degree      = 0;    ///< of the polynomial that f is
  bool                  may_be_flat = true; ///< it may have one value on a part of the hull
  double                half_width  = -1.;  ///< of the linear part, where [low, high] is Enclosures::range(); else < 0
};

/// Values of expressions on the convex hull of some points, by affine arithmetic beside intervals: linear parts are
/// followed exactly, products and smooth functions leave what is of second order to the remainder, and what decides between
/// branches (comparisons, abs, min, max, floor, ...) is asked for the whole hull. Where it is not the same all over it both
/// branches are enclosed. Rounding is not followed: what a comparison decides otherwise on less than 1e-11 of the width of
/// the hull is passed over, as where a boundary lies on the side of a cell. On one point everything is decided, and values
/// are those of the expression.
class Enclosures
{
public:
  /// corners: dim x m; variables beyond dim, the time among them, are 0.
  explicit Enclosures(const Eigen::MatrixXd &corners);

  /// Several trees may be asked for.
  Enclosure operator()(const ExpressionTree &tree);

  struct Interval
  {
    double low, high;
  };

  /// Whether nothing that decides between branches was undecided on the hull since this was made.
  bool is_in_one_piece() const { return all_decided; }

  /// All values on the hull.
  Interval range(const Enclosure &a) const;

private:
  Enclosure        apply(const ExpressionTree::Step &step) const;
  Enclosure        of_one(const ExpressionTree::Step &step, const Enclosure &a) const;
  Enclosure        of_two(Operation operation, const Enclosure &a, const Enclosure &b) const;
  Enclosure        of_many(const ExpressionTree::Step &step) const;
  Enclosure        variable(int which) const;
  bool             is_point() const { return about.cols() == 1; }
  Interval         linear_range(const Enclosure &a) const;
  double           half_width(const Enclosure &a) const; ///< of its linear part
  Enclosure        with_range(Enclosure a) const;
  int              sign(const Enclosure &difference, double size) const;
  static double    slack_of(const Enclosure &a, const Interval &of_a, double size);
  static Enclosure number(double value);
  static Enclosure unknown();
  static Enclosure truth(int decided);
  int              decided(const Enclosure &a) const;
  Enclosure        within(Enclosure a, const Interval &of_f) const;
  Enclosure        on_interval(const Interval &of_f) const;
  Enclosure        sum(const Enclosure &a, const Enclosure &b, double factor_of_b) const;
  Enclosure        product(const Enclosure &a, const Enclosure &b) const;
  Enclosure        quotient(const Enclosure &a, const Enclosure &b) const;
  Enclosure        power(const Enclosure &a, const Enclosure &b) const;
  Enclosure        either(const Enclosure &a, const Enclosure &b) const;
  Enclosure        smooth(const std::string &function, const Enclosure &a) const;
  Enclosure        comparison(Operation operation, const Enclosure &a, const Enclosure &b) const;
  Enclosure        whole_number(Operation operation, const Enclosure &a) const;
  Enclosure        greatest(const Enclosure &a, const Enclosure &b, int sign_wanted) const;

  Eigen::MatrixXd        about; ///< corners - c
  Eigen::VectorXd        centre;
  std::vector<Enclosure> values; ///< of the steps
  mutable bool           all_decided = true;
};
} // namespace moreau::app

#endif
