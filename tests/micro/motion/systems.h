// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MICRO_MOTION_SYSTEMS_H
#define MOREAU_TESTS_MICRO_MOTION_SYSTEMS_H

#include "micro/motion/mechanical_system.h"

#include <functional>

/// Mechanical systems in motion, for the tests.
namespace moreau::micro
{
constexpr Scheme A = Scheme::linearised_constraints, B = Scheme::catching_up, C = Scheme::inertia_operator;

using System = std::shared_ptr<const MechanicalSystem>;

inline System built_in(const std::string &name, const SystemConstants &constants = {})
{
  return make_mechanical_system(name, constants, {}, {});
}

inline MotionParameters parameters(const Scheme scheme, const double restitution = 0.)
{
  MotionParameters parameters;
  parameters.scheme          = scheme;
  parameters.law.restitution = restitution;
  return parameters;
}

/// n equal steps to T, with a look at every one of them.
inline void advance(Motion &motion, const double T, const int n, const std::function<void()> &observe = {})
{
  for (int k = 1; k <= n; ++k)
    {
      motion.advance(T * k / n);
      if (observe)
        observe();
    }
}
} // namespace moreau::micro

#endif
