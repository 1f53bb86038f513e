// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/body_motion.h"

#include <map>

namespace moreau::micro
{
namespace
{
struct Body
{
  double          mass     = 0.;
  Eigen::Vector3d moment   = Eigen::Vector3d::Zero(); ///< Σ m r
  Eigen::Vector3d before   = Eigen::Vector3d::Zero(); ///< its velocity
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(); ///< after
};

Eigen::Vector3d in_space(const Eigen::Ref<const Vector> &v)
{
  Eigen::Vector3d result = Eigen::Vector3d::Zero();
  result.head(v.size())  = v;
  return result;
}
} // namespace

BodyMotion body_motion(const Spheres &spheres, const Vector &U, const Vector &u)
{
  const Index                           dim = spheres.dimension();
  std::map<std::array<double, 3>, Body> bodies; // by their velocity before
  const auto                            body_of = [&](const Index k) -> Body                            &{
    const Eigen::Vector3d before = in_space(U.segment(dim * k, dim)).array() + 0.; // no -0
    Body                 &body   = bodies[{before(0), before(1), before(2)}];
    body.before                  = before;
    return body;
  };
  for (Index k = 0; k < spheres.size(); ++k)
    {
      Body        &body = body_of(k);
      const double m    = spheres.m(k);
      body.mass += m;
      body.moment += m * in_space(spheres.r.col(k));
      body.momentum += m * in_space(u.segment(dim * k, dim));
    }

  BodyMotion result;
  result.n_bodies = static_cast<Index>(bodies.size());
  for (Index k = 0; k < spheres.size(); ++k)
    {
      const Body &body = body_of(k);
      result.granular += .5 * spheres.m(k) * (in_space(u.segment(dim * k, dim)) - body.momentum / body.mass).squaredNorm();
    }
  if (bodies.size() == 2)
    {
      const Body           &a = bodies.begin()->second, &b = bodies.rbegin()->second;
      const Eigen::Vector3d W = b.before - a.before, w = b.momentum / b.mass - a.momentum / a.mass;
      if ((b.moment / b.mass - a.moment / a.mass).dot(W) < 0.)
        result.effective_restitution = -w.dot(W) / W.squaredNorm();
    }
  return result;
}
} // namespace moreau::micro
