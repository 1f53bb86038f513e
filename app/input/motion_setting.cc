// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/motion_setting.h"

#include "app/input/sphere_setting.h"
#include "app/input/expression_system.h"
#include "app/input/text/formula.h"
#include "app/input/macro_setting.h"
#include "app/input/motion_fields.h"
#include "app/input/obstacle_text.h"

#include "convex/input_error.h"
#include "micro/periodic_obstacles.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Vector;

micro::MotionParameters motion_parameters(const Parameters &parameters)
{
  micro::MotionParameters result = parameters.motion.time.how;
  result.criterion               = parameters.criterion;
  result.solver                  = parameters.solver;
  result.law                     = parameters.law;
  return result;
}

std::shared_ptr<const micro::MechanicalSystem> mechanical_system(const MotionText &motion)
{
  const SystemParameters &system = motion.system;
  if (system.type == "expressions")
    return expression_system(system, motion.force);
  return micro::make_mechanical_system(system.type, named_numbers("System/Constants", system.constants),
                                       system.initial_position, system.initial_velocity);
}

micro::SphereSystem sphere_system(const Parameters &parameters, micro::SphereSystem system, Configuration c)
{
  system.radii   = growing_radii(parameters.motion.growth, c.spheres);
  system.spheres = std::move(c.spheres);
  system.U       = std::move(c.U);
  const micro::PeriodicBox box{system.lower, system.period};
  for (Index k = 0; k < system.spheres.size(); ++k)
    box.wrap(&system.spheres.r(0, k));
  return system;
}
} // namespace

micro::SphereSystem surroundings(const Parameters &parameters)
{
  micro::SphereSystem system;
  // numbers of spheres change where some are removed: then a force that is not finite is told by its place alone
  system.force =
      body_force(parameters.motion.force, parameters.dimension, parameters.motion.measurements.removes() ? "" : "sphere");
  system.force_has_velocity = depends_on_velocity(parameters.motion.force, parameters.dimension);
  system.obstacles          = obstacles(parameters.motion.obstacles, walls(parameters), parameters.dimension);
  system.period             = periodic_box(parameters).period;
  system.lower              = parameters.zone.lower_corner;
  micro::PeriodicObstacles(system.obstacles.at(0.), {system.lower, system.period}); // throws where it does not repeat itself
  check_velocity(parameters);
  if (!parameters.motion.growth.expression.empty())
    Formula("Growth", parameters.motion.growth, 1); // throws where it cannot be read
  micro::Measurements(measurement_plan(parameters, system.obstacles), system, parameters.dimension); // as well
  return system;
}

std::unique_ptr<micro::Motion> MotionSetting::make_motion() const
{
  if (moves_spheres())
    return make_sphere_motion();
  return micro::make_motion(system, parameters);
}

std::unique_ptr<micro::SphereMotion> MotionSetting::make_sphere_motion() const
{
  return micro::make_motion(spheres, parameters);
}

Moving::Moving(const MotionSetting &setting)
{
  if (setting.moves_spheres())
    {
      std::unique_ptr<micro::SphereMotion> sphere_motion = setting.make_sphere_motion();
      spheres                                            = sphere_motion.get();
      motion                                             = std::move(sphere_motion);
    }
  else
    motion = setting.make_motion();
}

MotionSetting motion_setting(ParameterFile &file, const std::function<void(double)> &progress)
{
  MotionSetting setting;
  setting.parameters = motion_parameters(file.values());
  setting.inputs     = {file.path()};
  if (file.values().motion.system.type != "spheres")
    setting.system = mechanical_system(file.values().motion);
  else
    {
      micro::SphereSystem around = surroundings(file.values()); // first: spheres may take long to pack
      Configuration       c      = configuration(file, progress);
      setting.packing            = c.packing;
      setting.remark             = c.remark;
      setting.warning            = open_side_of_force(file.values());
      setting.measured           = measurement_plan(file.values(), around.obstacles);
      setting.spheres            = sphere_system(file.values(), std::move(around), std::move(c));
      if (file.values().spheres.arrangement == "file")
        setting.inputs.push_back(file.values().spheres.file);
    }
  return setting;
}
} // namespace moreau::app
