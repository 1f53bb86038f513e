// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/coarse_graining.h"

#include "convex/input_error.h"
#include "geometry/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace moreau::micro
{
namespace
{
/// The cubic B-spline with knots at -2, ..., 2, and its integral from -∞.
double spline(const double t)
{
  const double s = std::abs(t);
  return s >= 2. ? 0. : s >= 1. ? (2. - s) * (2. - s) * (2. - s) / 6. : (4. - 6. * s * s + 3. * s * s * s) / 6.;
}

double integral_of_spline(const double t)
{
  const double s = std::min(std::abs(t), 2.), rest = 2. - s;
  const double upper = s >= 1. ? 1. - rest * rest * rest * rest / 24. : .5 + s * (4. - 2. * s * s + .75 * s * s * s) / 6.;
  return t < 0. ? 1. - upper : upper;
}
} // namespace

CoarseGrainer::CoarseGrainer(CoarseGraining given, const Vector &lower, const Vector &upper, const SphereSystem &system)
    : parameters(std::move(given))
    , lower(lower)
    , upper(upper)
    , period(system.period.size() > 0 ? system.period : Vector(Vector::Zero(lower.size())))
    , sides{lower, upper}
{
  constexpr double far = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < lower.size(); ++k)
    {
      sides.upper(k) = std::nextafter(period(k) > 0. ? far : upper(k), far);
      sides.lower(k) = period(k) > 0. ? -far : lower(k);
    }
  const double R = system.spheres.size() > 0 ? system.spheres.R.maxCoeff() : 0.;
  if (parameters.width == 0.)
    parameters.width = 2. * R;
  knots             = std::sqrt(3.) * parameters.width;
  const auto refuse = [](const std::string &what, const double x, const std::string &advice) {
    std::ostringstream text;
    text.precision(6);
    text << what << x << advice;
    throw InputError("the coarse graining", text.str());
  };
  if (!parameters.cells.empty() && static_cast<Index>(parameters.cells.size()) != lower.size())
    refuse("The number of cells is given along another number of axes than ", static_cast<double>(lower.size()),
           "; give one number for each.");
  if (!(parameters.width >= R))
    refuse("The width is below the largest radius, ", R, " m, so that fields would show single spheres; give a larger one.");
  if (const double side = (upper - lower).minCoeff(); !(2. * knots <= side))
    refuse("The kernel reaches farther than the shortest side of the zone, ", side, " m; give a smaller width.");
}

Vector CoarseGrainer::cell_size() const
{
  Vector h = upper - lower;
  for (Index k = 0; k < h.size(); ++k)
    h(k) /= parameters.cells[k];
  return h;
}

bool CoarseGrainer::contains(const double *x) const
{
  for (Index k = 0; k < lower.size(); ++k)
    if (!(lower(k) <= x[k] && x[k] <= upper(k)))
      return false;
  return true;
}

CoarseGrainer::Weights CoarseGrainer::weights(const Index axis, const double x) const
{
  const Index  n = parameters.cells[axis];
  const double h = (upper(axis) - lower(axis)) / static_cast<double>(n), at = (x - lower(axis)) / h, reach = 2. * knots / h;
  const Index  first = static_cast<Index>(std::floor(at - reach)), last = static_cast<Index>(std::floor(at + reach));
  Weights      result;
  double       below = 0.;
  for (Index i = first; i <= last; ++i)
    {
      const double up    = i == last ? 1. : integral_of_spline((static_cast<double>(i + 1) - at) * h / knots);
      const Index  round = period(axis) > 0. ? n : 2 * n, k = (i % round + round) % round;
      result.cell.push_back(k < n ? k : 2 * n - 1 - k); // beyond a side that is no period: its mirror image
      result.weight.push_back(up - below);
      below = up;
    }
  return result;
}

double CoarseGrainer::kernel(const Index axis, const double x, const double centre) const
{
  const double length = upper(axis) - lower(axis);
  double       sum    = 0.;
  for (const double image : {-1., 0., 1.})
    if (period(axis) > 0.)
      sum += spline((x - centre - image * length) / knots);
    else
      sum += spline((x - centre - 2. * image * length) / knots) +
             spline((x - 2. * lower(axis) + centre - 2. * image * length) / knots);
  return sum / knots;
}

template <class Visit>
void CoarseGrainer::spread(const Vector &x, const Visit &visit) const
{
  const Index   dim  = x.size();
  const Weights none = {{0}, {1.}};
  const Weights a = weights(0, x(0)), b = dim > 1 ? weights(1, x(1)) : none, c = dim > 2 ? weights(2, x(2)) : none;
  const Index   n0 = parameters.cells[0], n1 = dim > 1 ? parameters.cells[1] : 1;
  for (std::size_t k = 0; k < c.cell.size(); ++k)
    for (std::size_t j = 0; j < b.cell.size(); ++j)
      for (std::size_t i = 0; i < a.cell.size(); ++i)
        visit(a.cell[i] + n0 * (b.cell[j] + n1 * c.cell[k]), a.weight[i] * b.weight[j] * c.weight[k]);
}

CoarseFields CoarseGrainer::fields(const SphereMotion &motion) const
{
  const Spheres &spheres = motion.spheres();
  const Index    dim     = spheres.dimension();
  Index          n       = 1;
  for (const unsigned int cells : parameters.cells)
    n *= cells;
  const double volume = cell_size().prod();
  CoarseFields result = {Vector::Zero(n), Vector::Zero(n), Eigen::MatrixXd::Zero(dim, n),
                         Eigen::MatrixXd::Zero(dim * dim, n), Eigen::MatrixXd::Zero(dim * dim, n)};
  const auto   flat   = [dim](const Eigen::MatrixXd &x) { return Vector(Eigen::Map<const Vector>(x.data(), dim * dim)); };
  for (Index i = 0; i < spheres.size(); ++i)
    {
      if (!contains(spheres.r.col(i).data()))
        continue;
      const Vector u    = motion.u().segment(dim * i, dim);
      const Vector uu   = flat(u * u.transpose());
      const double mass = spheres.m(i) / volume, solid = volume_of_ball(spheres.R(i), dim) / volume;
      spread(spheres.r.col(i), [&](const Index cell, const double weight) {
        result.rho(cell) += weight * mass;
        result.solid_fraction(cell) += weight * solid;
        result.u.col(cell) += weight * mass * u;
        result.kinetic_stress.col(cell) += weight * mass * uu;
      });
    }
  for (Index cell = 0; cell < n; ++cell)
    if (const double rho = result.rho(cell); rho > 0.)
      {
        const Vector u     = result.u.col(cell) / rho;
        result.u.col(cell) = u;
        result.kinetic_stress.col(cell) -= rho * flat(u * u.transpose());
      }

  const geometry::Rule gauss = geometry::gauss_rule(4, 1);
  if (const double h = motion.record().h; h > 0.)
    for (const MotionContact &contact : motion.contacts())
      {
        const Vector e = contact.e.head(dim), start = motion.paths().begin.col(contact.i);
        const double length   = spheres.R(contact.i) + contact.D + (contact.j < spheres.size() ? spheres.R(contact.j) : 0.);
        const Vector flux     = flat(contact.impulse * length / (h * volume) * e * e.transpose());
        const auto [from, to] = sides.part_of_line(start, length * e);
        for (Index g = 0; from < to && g < gauss.size(); ++g)
          spread(start + (from + (to - from) * gauss.points(0, g)) * length * e,
                 [&, part = to - from](const Index cell, const double weight) {
                   result.stress.col(cell) += part * gauss.weights(g) * weight * flux;
                 });
      }
  return result;
}

ProbeState CoarseGrainer::at(const Vector &x, const SphereMotion &motion) const
{
  const Spheres &spheres = motion.spheres();
  const Index    dim     = spheres.dimension();
  ProbeState     state;
  state.u = Vector::Zero(dim);
  for (Index i = 0; i < spheres.size(); ++i)
    {
      if (!contains(spheres.r.col(i).data()))
        continue;
      double density = spheres.m(i);
      for (Index axis = 0; axis < dim && density > 0.; ++axis)
        density *= kernel(axis, x(axis), spheres.r(axis, i));
      state.rho += density;
      state.u += density * motion.u().segment(dim * i, dim);
    }
  state.u = state.rho > 0. ? Vector(state.u / state.rho) : Vector::Constant(dim, std::numeric_limits<double>::quiet_NaN());
  return state;
}
} // namespace moreau::micro
