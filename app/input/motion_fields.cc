// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/motion_fields.h"

#include "app/input/macro_setting.h"
#include "app/input/parameters.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Vector;

constexpr Index grain = 256; ///< spheres that one thread takes at a time

/// x, y, z, ux, uy, uz, t of one sphere; 0 beyond the dimension.
std::array<double, 7> variables(const Eigen::MatrixXd &r, const Eigen::MatrixXd &u, const Index sphere, const double t)
{
  std::array<double, 7> values = {};
  for (Index axis = 0; axis < r.rows(); ++axis)
    {
      values[axis]     = r(axis, sphere);
      values[3 + axis] = u(axis, sphere);
    }
  values[6] = t;
  return values;
}

void require_finite(const Formula &formula, const Eigen::MatrixXd &f, const Eigen::MatrixXd &r, const Eigen::MatrixXd &u,
                    const double t, const std::string &what)
{
  if (f.allFinite())
    return;
  for (Index k = 0; k < f.cols(); ++k)
    for (Index axis = 0; axis < f.rows(); ++axis)
      if (!std::isfinite(f(axis, k)))
        formula.throw_not_finite(axis, f(axis, k), variables(r, u, k, t).data(),
                                 what.empty() ? "" : " for " + what + " " + std::to_string(k));
}

/// g at the initial centres.
class Growth
{
public:
  Growth(const ExpressionText &text, const Eigen::MatrixXd &r)
      : formula("Growth", text, 1), r(r), uniform(!formula.uses("x") && !formula.uses("y") && !formula.uses("z"))
  {}

  Vector factors(const double t) const
  {
    Vector     g(r.cols());
    const auto evaluate = [&](const Index k) { formula.evaluate(variables(k, t).data(), &g(k)); };
    if (uniform)
      {
        evaluate(0);
        g.setConstant(g(0));
      }
    else
      tbb::parallel_for(tbb::blocked_range<Index>(0, g.size(), grain), [&](const tbb::blocked_range<Index> &block) {
        for (Index k = block.begin(); k != block.end(); ++k)
          evaluate(k);
      });
    for (Index k = 0; k < g.size(); ++k)
      if (!std::isfinite(g(k)))
        formula.throw_not_finite(0, g(k), variables(k, t).data(), " for sphere " + std::to_string(k));
    return g;
  }

private:
  std::array<double, 4> variables(const Index sphere, const double t) const
  {
    std::array<double, 4> values = {};
    for (Index axis = 0; axis < r.rows(); ++axis)
      values[axis] = r(axis, sphere);
    values[3] = t;
    return values;
  }

  Formula         formula;
  Eigen::MatrixXd r;
  bool            uniform; ///< the same for all spheres
};
} // namespace

micro::BodyForce body_force(const ExpressionText &text, const Index dim, const std::string &what)
{
  if (text.expression.empty())
    return {};
  const auto formula = std::make_shared<Formula>("Force", text, dim);
  if (formula->is_constant())
    {
      const Vector value = (*formula)(Vector::Zero(7));
      return [value](double, const Eigen::MatrixXd &r, const Eigen::MatrixXd &, Eigen::MatrixXd &f) {
        f = value.replicate(1, r.cols());
      };
    }
  return [formula, what](const double t, const Eigen::MatrixXd &r, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) {
    f.resize(r.rows(), r.cols());
    tbb::parallel_for(tbb::blocked_range<Index>(0, r.cols(), grain), [&](const tbb::blocked_range<Index> &block) {
      for (Index k = block.begin(); k != block.end(); ++k)
        formula->evaluate(variables(r, u, k, t).data(), f.col(k).data());
    });
    require_finite(*formula, f, r, u, t, what);
  };
}

bool depends_on_velocity(const ExpressionText &force, const Index dim)
{
  if (force.expression.empty())
    return false;
  const Formula formula("Force", force, dim);
  return formula.uses("ux") || formula.uses("uy") || formula.uses("uz");
}

bool depends_on_place_alone(const ExpressionText &force, const Index dim)
{
  return force.expression.empty() || !depends_on_velocity(force, dim) && !Formula("Force", force, dim).uses("t");
}

std::function<Vector(double t)> growing_radii(const ExpressionText &text, const micro::Spheres &spheres)
{
  if (text.expression.empty())
    return {};
  const auto       growth    = std::make_shared<Growth>(text, spheres.r);
  const Vector     at_start  = growth->factors(0.);
  constexpr double round_off = 1e-12;
  for (Index k = 0; k < at_start.size(); ++k)
    if (!(std::abs(at_start(k) - 1.) <= round_off))
      throw InputError("Growth/Function expression", "The factor is " + short_number(at_start(k)) +
                                                         " at time 0 for sphere " + std::to_string(k) +
                                                         "; it must be 1 there.");
  return [growth, R = spheres.R](const double t) -> Vector {
    if (t == 0.)
      return R;
    const Vector g = growth->factors(t);
    for (Index k = 0; k < g.size(); ++k)
      if (!(g(k) > 0.))
        throw InputError("Growth/Function expression", "The factor of sphere " + std::to_string(k) + " is " +
                                                           short_number(g(k)) + " at t = " + short_number(t) +
                                                           " s; radii must stay positive.");
    return R.cwiseProduct(g);
  };
}

std::string open_side_of_force(const Parameters &parameters)
{
  const std::vector<std::string> &named     = parameters.zone.walls;
  const auto                     &obstacles = parameters.motion.obstacles;
  const auto                      is_none   = [](const ObstacleParameters &bodies) { return bodies.shapes.empty(); };
  const bool                      has_no_body =
      std::all_of(std::begin(obstacles), std::end(obstacles), is_none) && parameters.flow.maximal_density.expression == "1";
  if (parameters.dimension != 3 || named.empty() || !has_no_body || parameters.motion.force.expression.empty())
    return "";
  const Formula force("Force", parameters.motion.force, 3);
  if (!force.is_constant())
    return "";
  const Vector f    = force(Vector::Zero(7));
  Index        axis = 0;
  if (!(f.cwiseAbs().maxCoeff(&axis) > .999 * f.norm()))
    return "";
  const bool        up   = f(axis) > 0.;
  const std::string side = name_of_side(2 * axis + up), sign = up ? "+" : "-", letter(1, "xyz"[axis]);
  const auto has = [](const auto &all, const auto &one) { return std::find(all.begin(), all.end(), one) != all.end(); };
  if (has(parameters.motion.periodic, static_cast<std::size_t>(axis)) || has(named, side) ||
      has(parameters.flow.inflow_sides, side))
    return "";
  return "The force points towards " + letter + sign + ", where there is no wall; Zone/Walls would call it '" + side +
         "', or '" + letter + sign + "'.";
}
} // namespace moreau::app
