// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/body_motion.h"

namespace moreau::micro
{
namespace
{
Eigen::Vector3d in_space(const Eigen::Ref<const Vector> &v)
{
  Eigen::Vector3d result = Eigen::Vector3d::Zero();
  result.head(v.size())  = v;
  return result;
}
} // namespace

void BodySums::add(const double m, const Eigen::Ref<const Vector> &r, const Eigen::Ref<const Vector> &u)
{
  mass += m;
  moment += m * in_space(r);
  momentum += m * in_space(u);
}

void BodySums::add(const BodySums &more)
{
  mass += more.mass;
  moment += more.moment;
  momentum += more.momentum;
}

std::array<double, 3> body_with(const Eigen::Ref<const Vector> &U)
{
  const Eigen::Vector3d before = in_space(U).array() + 0.; // no -0
  return {before(0), before(1), before(2)};
}

double granular_energy(const BodySums &body, const double m, const Eigen::Ref<const Vector> &u)
{
  return .5 * m * (in_space(u) - body.momentum / body.mass).squaredNorm();
}

BodyMotion motion_of(const Bodies &bodies, const double granular)
{
  BodyMotion result;
  result.n_bodies = static_cast<Index>(bodies.size());
  result.granular = granular;
  if (bodies.size() == 2)
    {
      const auto &[U_a, a]    = *bodies.begin();
      const auto &[U_b, b]    = *bodies.rbegin();
      const Eigen::Vector3d W = Eigen::Map<const Eigen::Vector3d>(U_b.data()) -
                                Eigen::Map<const Eigen::Vector3d>(U_a.data()),
                            w = b.momentum / b.mass - a.momentum / a.mass;
      if ((b.moment / b.mass - a.moment / a.mass).dot(W) < 0.)
        result.effective_restitution = -w.dot(W) / W.squaredNorm();
    }
  return result;
}

BodyMotion body_motion(const Spheres &spheres, const Vector &U, const Vector &u)
{
  const Index dim = spheres.dimension();
  Bodies      bodies;
  double      granular = 0.;
  for (Index k = 0; k < spheres.size(); ++k)
    bodies[body_with(U.segment(dim * k, dim))].add(spheres.m(k), spheres.r.col(k), u.segment(dim * k, dim));
  for (Index k = 0; k < spheres.size(); ++k)
    granular += granular_energy(bodies.at(body_with(U.segment(dim * k, dim))), spheres.m(k), u.segment(dim * k, dim));
  return motion_of(bodies, granular);
}
} // namespace moreau::micro
