// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/region.h"

#include "micro/measurements/ball_in_box.h"
#include "micro/pair_search.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro
{
namespace
{
constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<Vector> shifts_of(const SphereMotion &motion)
{
  const PeriodicBox   box{motion.system().lower, motion.system().period};
  std::vector<Vector> shifts;
  for (const std::int32_t image : box.images())
    shifts.push_back(box.displacement(image, motion.spheres().dimension()));
  return shifts;
}

Eigen::MatrixXd stress_in(const Box &box, const SphereMotion &motion, const std::vector<Vector> &shifts)
{
  const Spheres  &spheres = motion.spheres();
  const Index     dim     = spheres.dimension();
  Eigen::MatrixXd stress  = Eigen::MatrixXd::Zero(dim, dim);
  for (const MotionContact &contact : motion.contacts())
    {
      const Vector e      = contact.e.head(dim);
      const double length = spheres.R(contact.i) + contact.D + (contact.j < spheres.size() ? spheres.R(contact.j) : 0.);
      double       part   = 0.;
      for (const Vector &shift : shifts)
        {
          const auto [from, to] = box.part_of_line(motion.paths().begin.col(contact.i) + shift, length * e);
          part += std::max(0., to - from);
        }
      stress += contact.impulse * length * part * e * e.transpose();
    }
  const double h = motion.record().h;
  return h > 0. ? Eigen::MatrixXd(stress / (h * box.volume())) : stress;
}

Eigen::MatrixXd kinetic_stress_of(const std::vector<Index> &inside, const Box &box, const SphereMotion &motion)
{
  const Spheres  &spheres  = motion.spheres();
  const Index     dim      = spheres.dimension();
  double          mass     = 0.;
  Vector          momentum = Vector::Zero(dim);
  Eigen::MatrixXd flux     = Eigen::MatrixXd::Zero(dim, dim);
  for (const Index i : inside)
    {
      mass += spheres.m(i);
      momentum += spheres.m(i) * motion.u().segment(dim * i, dim);
    }
  for (const Index i : inside)
    {
      const Vector v = motion.u().segment(dim * i, dim) - momentum / mass;
      flux += spheres.m(i) * v * v.transpose();
    }
  return flux / box.volume();
}
} // namespace

std::vector<bool> held_spheres(const SphereMotion &motion)
{
  const Index                   n = motion.spheres().size(), needed = motion.spheres().dimension() + 1;
  std::vector<Index>            n_contacts(n, 0);
  std::vector<std::vector<int>> neighbours(n);
  for (const MotionContact &contact : motion.contacts())
    {
      ++n_contacts[contact.i];
      if (contact.j < n)
        {
          ++n_contacts[contact.j];
          neighbours[contact.i].push_back(contact.j);
          neighbours[contact.j].push_back(contact.i);
        }
    }
  std::vector<bool>  held(n, true);
  std::vector<Index> loose;
  const auto         look_at = [&](const Index i) {
    if (held[i] && n_contacts[i] < needed)
      {
        held[i] = false;
        loose.push_back(i);
      }
  };
  for (Index i = 0; i < n; ++i)
    look_at(i);
  while (!loose.empty())
    {
      const Index i = loose.back();
      loose.pop_back();
      for (const int j : neighbours[i])
        {
          --n_contacts[j];
          look_at(j);
        }
    }
  return held;
}

void require_region(const Region &region, const SphereSystem &system)
{
  const auto refuse = [&](const std::string &what) { throw InputError("the regions", "'" + region.name + "' " + what); };
  if (!(region.box.upper - region.box.lower).allFinite() || !((region.box.upper - region.box.lower).array() > 0.).all())
    refuse("has no volume; give the lower corner, then the upper one.");
  for (Index axis = 0; axis < system.period.size(); ++axis)
    if (const double low = system.lower(axis), period = system.period(axis),
        rounding = 4. * std::numeric_limits<double>::epsilon() * (std::abs(low) + period); // period is a difference
        period > 0. && !(low <= region.box.lower(axis) && region.box.upper(axis) <= low + period + rounding))
      refuse("reaches out of the box, which repeats itself in " + std::string(1, "xyz"[axis]) +
             "; give corners that lie in it.");
}

RegionState state_of(const Region &region, const SphereMotion &motion, const std::vector<bool> &held)
{
  const Spheres            &spheres = motion.spheres();
  const Index               n = spheres.size(), dim = spheres.dimension();
  const std::vector<Vector> shifts = shifts_of(motion);
  RegionState               state;
  std::vector<Index>        inside;
  std::vector<bool>         is_inside(n, false);
  double                    volume = 0.;
  for (Index i = 0; i < n; ++i)
    {
      is_inside[i] = region.box.contains(spheres.r.col(i).data());
      if (is_inside[i])
        inside.push_back(i);
      for (const Vector &shift : shifts)
        volume += ball_in_box(spheres.r.col(i) + shift, spheres.R(i), region.box.lower, region.box.upper);
    }
  state.n_spheres        = static_cast<Index>(inside.size());
  state.packing_fraction = volume / region.box.volume();
  Vector momentum        = Vector::Zero(dim);
  for (const Index i : inside)
    {
      state.n_rattlers += !held[i];
      state.mass += spheres.m(i);
      momentum += spheres.m(i) * motion.u().segment(dim * i, dim);
    }
  state.u = state.mass > 0. ? Vector(momentum / state.mass) : Vector::Constant(dim, none);

  Index           n_ends = 0, n_held_ends = 0;
  Eigen::MatrixXd fabric = Eigen::MatrixXd::Zero(dim, dim);
  for (const MotionContact &contact : motion.contacts())
    {
      const bool   with_sphere = contact.j < n;
      const Vector e           = contact.e.head(dim);
      const Index  ends        = is_inside[contact.i] + (with_sphere && is_inside[contact.j]);
      const bool   both_held   = held[contact.i] && (!with_sphere || held[contact.j]);
      n_ends += ends;
      n_held_ends += both_held ? ends : 0;
      fabric += static_cast<double>(ends) * e * e.transpose();
    }
  const auto ratio = [](const Index x, const Index y) {
    return y > 0 ? static_cast<double>(x) / static_cast<double>(y) : none;
  };
  state.coordination                  = ratio(n_ends, state.n_spheres);
  state.coordination_without_rattlers = ratio(n_held_ends, state.n_spheres - state.n_rattlers);
  state.fabric         = n_ends > 0 ? Eigen::MatrixXd(fabric / n_ends) : Eigen::MatrixXd::Constant(dim, dim, none);
  state.stress         = stress_in(region.box, motion, shifts);
  state.kinetic_stress = kinetic_stress_of(inside, region.box, motion);
  return state;
}
} // namespace moreau::micro
