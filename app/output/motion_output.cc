// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_output.h"

#include "app/output/micro_output.h"
#include "app/input/words.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using micro::Index;
using micro::Vector;

/// The image of the centre of j nearest to that of i.
Eigen::Vector3d nearest_image(const micro::SphereMotion &motion, const int i, const int j)
{
  const micro::Spheres &spheres   = motion.spheres();
  const Vector         &period    = motion.system().period;
  Eigen::Vector3d       image     = Eigen::Vector3d::Zero();
  image.head(spheres.dimension()) = spheres.r.col(j);
  for (Index axis = 0; axis < period.size(); ++axis)
    if (period(axis) > 0.)
      image(axis) -= period(axis) * std::round((spheres.r(axis, j) - spheres.r(axis, i)) / period(axis));
  return image;
}
} // namespace

insitu::Mesh moving_sphere_mesh(const micro::SphereMotion &motion)
{
  const Index  dim  = motion.spheres().dimension();
  insitu::Mesh mesh = sphere_mesh(motion.spheres());
  mesh.point_data.push_back({"u", "m/s", 3, three_components(motion.u(), dim)});
  mesh.point_data.push_back({"impulse", "kg m/s", 3, three_components(motion.impulse(), dim)});
  return mesh;
}

insitu::Mesh force_chain_mesh(const micro::SphereMotion &motion)
{
  const micro::Spheres &spheres = motion.spheres();
  const double          h       = motion.record().h;
  insitu::Mesh          mesh;
  mesh.name      = "contacts";
  mesh.cell_type = insitu::CellType::line;
  mesh.cell_data = {{"p", "kg m/s", 1, {}}, {"force", "N", 1, {}}, {"D", "m", 1, {}}};
  for (const micro::MotionContact &contact : motion.contacts())
    {
      Eigen::Vector3d start           = Eigen::Vector3d::Zero();
      start.head(spheres.dimension()) = spheres.r.col(contact.i);
      // where p > 0 the gap is closed at the end of the step
      const Eigen::Vector3d end = contact.j < spheres.size() ? nearest_image(motion, contact.i, contact.j)
                                                             : Eigen::Vector3d(start + spheres.R(contact.i) * contact.e);
      for (const Eigen::Vector3d &point : {start, end})
        {
          mesh.connectivity.push_back(static_cast<long long>(mesh.n_points()));
          mesh.points.insert(mesh.points.end(), point.data(), point.data() + 3);
        }
      mesh.cell_data[0].values.push_back(contact.impulse);
      mesh.cell_data[1].values.push_back(contact.impulse / h);
      mesh.cell_data[2].values.push_back(contact.D);
    }
  return mesh;
}

std::string statistics_header(const std::vector<std::string> &names)
{
  std::string header = "step,time,h,kinetic_energy,work,constraint_work,dissipated";
  for (const std::string &name : names)
    header += ",momentum_" + name;
  return header + ",momentum_error,constraints,contacts,max_overlap,projections,iterations,natural_residual,"
                  "relative_error_bound,guaranteed,status,collapsed,method,search_time,projection_time";
}

std::string statistics_row(const micro::StepRecord &record)
{
  std::string method = record.method;
  std::replace(method.begin(), method.end(), ',', ';');

  std::string row   = std::to_string(record.step);
  const auto  real  = [&](const double x) { row += "," + digits(x); };
  const auto  count = [&](const long long n) { row += "," + std::to_string(n); };
  for (const double x :
       {record.time, record.h, record.kinetic_energy, record.work, record.constraint_work, record.dissipated})
    real(x);
  for (const double x : record.momentum)
    real(x);
  real(record.momentum_error);
  count(record.n_constraints);
  count(record.n_contacts);
  real(record.max_overlap);
  count(record.n_projections);
  count(record.n_iterations);
  real(record.natural_residual);
  real(record.relative_error_bound);
  count(record.guaranteed);
  row += "," + convex::name(record.status);
  count(record.collapsed);
  row += "," + method;
  real(record.search_time);
  real(record.projection_time);
  return row;
}

std::string without_unit(const std::string &name) { return name.substr(0, name.find(" (")); }

std::string motion_header(const micro::MechanicalSystem &system)
{
  std::string header = "step,time";
  for (const char *const prefix : {"", "u_", "impulse_"})
    for (const std::string &name : system.coordinate_names())
      header += "," + (prefix + without_unit(name));
  return header + ",kinetic_energy";
}

std::string motion_row(const micro::Motion &motion)
{
  std::string row = std::to_string(motion.record().step) + "," + digits(motion.time());
  for (const Vector &values : {motion.q(), motion.u(), motion.impulse()})
    for (const double x : values)
      row += "," + digits(x);
  return row + "," + digits(motion.record().kinetic_energy);
}
} // namespace moreau::app
