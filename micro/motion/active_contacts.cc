// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/active_contacts.h"

#include "micro/motion/closed_contacts.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <map>

namespace moreau::micro
{
namespace
{
/// Gaps at an instant of spheres that stay where they are.
class GapsInTime
{
public:
  GapsInTime(const SphereMotion &motion, const double t)
      : spheres(motion.spheres()), R(spheres.R), obstacles(motion.system().obstacles.at(t), box_of(motion))
  {
    if (motion.system().radii)
      R = motion.system().radii(t)(motion.ids());
  }

  double operator()(const StepRow &row, const double distance) const
  {
    const Index n = spheres.size();
    return row.j < n
               ? distance - R(row.i) - R(row.j)
               : obstacles.approach(static_cast<int>(row.j - n), row.image_of_sphere(), &spheres.r(0, row.i), R(row.i)).D;
  }

private:
  const Spheres    &spheres;
  Vector            R;
  PeriodicObstacles obstacles;
};

/// Eigenvalues of D²g for an obstacle and the centre of a sphere: g' = -e.
Vector bends_of_obstacle(const PeriodicObstacles &obstacles, const int obstacle, const StepRow &row, const Spheres &spheres)
{
  const Index     dim = spheres.dimension();
  const double    h   = 1e-4 * spheres.R(row.i);
  Eigen::MatrixXd H(dim, dim);
  for (Index k = 0; k < dim; ++k)
    {
      const auto e_at = [&](const double step) -> Vector {
        const Vector x = spheres.r.col(row.i) + step * Vector::Unit(dim, k);
        return obstacles.approach(obstacle, row.image_of_sphere(), x.data(), spheres.R(row.i)).e.head(dim);
      };
      H.col(k) = (e_at(-h) - e_at(h)) / (2. * h);
    }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(.5 * (H + H.transpose()), Eigen::EigenvaluesOnly).eigenvalues();
}

std::vector<StepRow> almost_active(const SphereMotion &motion, const double slack)
{
  const Index          n     = motion.spheres().size();
  const double         h     = motion.record().h;
  const Vector         speed = motion.u().reshaped(motion.spheres().dimension(), n).colwise().norm();
  std::vector<StepRow> rows  = rows_within(motion, slack + 2. * h * speed.maxCoeff());
  rows.erase(std::remove_if(
                 rows.begin(), rows.end(),
                 [&](const StepRow &row) { return row.D > slack + h * (speed(row.i) + (row.j < n ? speed(row.j) : 0.)); }),
             rows.end());
  return rows;
}
} // namespace

std::optional<ActiveConstraints> active_contacts(const SphereMotion &motion, const double slack, const Index most)
{
  const Spheres    &spheres = motion.spheres();
  const Index       n = spheres.size(), dim = spheres.dimension();
  ActiveConstraints active;
  if (n == 0)
    return active;
  const std::vector<StepRow> rows = almost_active(motion, slack);
  const auto                 m    = static_cast<Index>(rows.size());
  if (m > most)
    return std::nullopt;

  const double            dt = 1e-3 * motion.record().h, flat = 1e-7;
  const GapsInTime        before(motion, motion.time() - dt), after(motion, motion.time() + dt);
  const PeriodicObstacles obstacles(motion.obstacles(), box_of(motion));
  active.speed = active.curvature = active.inwards = Vector::Zero(m);
  std::map<int, int>                  column; // of the spheres in contact
  std::vector<Eigen::Triplet<double>> entries;
  for (Index k = 0; k < m; ++k)
    {
      const StepRow &row     = rows[k];
      const bool     is_pair = row.j < n;
      const auto     add     = [&](const int sphere, const double sign) {
        const int first =
            column.try_emplace(sphere, static_cast<int>(dim * static_cast<Index>(column.size()))).first->second;
        for (int a = 0; a < dim; ++a)
          entries.emplace_back(static_cast<int>(k), first + a, sign * row.e(a) / std::sqrt(spheres.m(sphere)));
      };
      add(row.i, -1.);
      if (is_pair)
        add(row.j, 1.);
      const double distance = is_pair ? row.D + spheres.R(row.i) + spheres.R(row.j) : 0.;
      active.speed(k)       = (after(row, distance) - before(row, distance)) / (2. * dt);
      if (is_pair && dim > 1)
        active.curvature(k) = active.inwards(k) = (1. / spheres.m(row.i) + 1. / spheres.m(row.j)) / distance;
      else if (!is_pair)
        {
          const Vector bends  = bends_of_obstacle(obstacles, static_cast<int>(row.j - n), row, spheres) / spheres.m(row.i);
          const double least  = flat / (spheres.R(row.i) * spheres.m(row.i)); // of differences
          active.curvature(k) = bends.cwiseAbs().maxCoeff() > least ? bends.cwiseAbs().maxCoeff() : 0.;
          active.inwards(k)   = bends.maxCoeff() > least ? bends.maxCoeff() : 0.;
        }
    }
  active.rows.resize(m, dim * static_cast<Index>(column.size()));
  active.rows.setFromTriplets(entries.begin(), entries.end());
  return active;
}
} // namespace moreau::micro
