// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_output.h"

#include "app/output/micro_output.h"
#include "app/output/summary.h"
#include "app/input/obstacle_text.h"
#include "app/input/text/words.h"
#include "convex/vectors.h"
#include "geometry/fill_picture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using convex::vector;
using geometry::three_components;
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

/// The zone, enlarged by the spheres and by the bodies that end somewhere: as far as half-spaces are drawn.
std::pair<Vector, Vector> shown_box(const Parameters &parameters, const micro::Spheres &spheres,
                                    const micro::PlacedObstacles &placed)
{
  auto [low, high] = box_around(parameters, spheres);
  for (const micro::Obstacle &body : placed.obstacles())
    if (body.shape != micro::Obstacle::Shape::half_space)
      for (const Vector *const point : {&body.a, &body.b, &body.c})
        if (point->size() > 0)
          {
            low  = low.cwiseMin(Vector(point->array() - body.radius));
            high = high.cwiseMax(Vector(point->array() + body.radius));
          }
  // a floor below what falls is there from the beginning
  const Vector centre = .5 * (low + high);
  const double size   = (high - low).norm();
  for (const micro::Obstacle &body : placed.obstacles())
    if (body.shape == micro::Obstacle::Shape::half_space)
      {
        const Vector normal = body.b.normalized();
        const double height = normal.dot(centre - body.a);
        if (std::abs(height) <= size)
          {
            const Vector foot = centre - height * normal;
            low               = low.cwiseMin(foot);
            high              = high.cwiseMax(foot);
          }
      }
  return {low, high};
}
} // namespace

geometry::Mesh moving_sphere_mesh(const micro::SphereMotion &motion, const bool with_ids)
{
  const Index    dim  = motion.spheres().dimension();
  geometry::Mesh mesh = sphere_mesh(motion.spheres());
  mesh.point_data.push_back({"u", "m/s", 3, three_components(motion.u(), dim)});
  mesh.point_data.push_back({"impulse", "kg m/s", 3, three_components(motion.impulse(), dim)});
  if (with_ids)
    mesh.point_data.push_back({"id", "", 1, {motion.ids().begin(), motion.ids().end()}});
  return mesh;
}

geometry::Mesh force_chain_mesh(const micro::SphereMotion &motion)
{
  const micro::Spheres &spheres = motion.spheres();
  const double          h       = motion.record().h;
  geometry::Mesh        mesh;
  mesh.name           = "contacts";
  mesh.cell_type      = geometry::CellType::line;
  const bool is_gluey = motion.record().n_glued.has_value();
  mesh.cell_data      = {{"p", "kg m/s", 1, {}}, {"force", "N", 1, {}}, {"D", "m", 1, {}}};
  if (is_gluey)
    mesh.cell_data.push_back({"gamma", "kg m/s", 1, {}});
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
      if (is_gluey)
        mesh.cell_data[3].values.push_back(contact.gamma);
    }
  const auto &all = motion.contacts();
  if (std::any_of(all.begin(), all.end(), [](const micro::MotionContact &contact) { return contact.rigid; }))
    {
      mesh.cell_data.push_back({"rigid", "", 1, {}});
      for (const micro::MotionContact &contact : all)
        mesh.cell_data.back().values.push_back(contact.rigid);
    }
  return mesh;
}

std::vector<geometry::Mesh> meshes_of(const micro::SphereMotion &motion, const Parameters &parameters)
{
  std::vector<geometry::Mesh> result =
      geometry::list_of(moving_sphere_mesh(motion, parameters.motion.measurements.removes()), force_chain_mesh(motion));
  if (const micro::Obstacles &obstacles = motion.system().obstacles; obstacles.size() > 0)
    {
      const micro::PlacedObstacles placed = obstacles.at(motion.time());
      const auto [low, high]              = shown_box(parameters, motion.spheres(), placed);
      result.push_back(obstacle_mesh(placed, low, high));
    }
  return result;
}

Record columns_of(const micro::StepRecord &r, const std::vector<std::string> &coordinates)
{
  const int collapsed = r.effort.collapsed, guaranteed = r.effort.guaranteed && r.effort.n_projections > 0;
  Record    record;
  record.columns = {
      {"step", r.step},
      {"time", r.time, {{Total::last, "final_time"}}},
      {"h", r.h},
      {"kinetic_energy", r.kinetic_energy, {{Total::first, "energy_before"}, {Total::last, "energy_after"}}},
      {"work", r.work, {{Total::last, "work"}}},
      {"constraint_work", r.constraint_work, {{Total::last, "constraint_work"}}},
      {"dissipated", r.dissipated, {{Total::last, "dissipated_energy"}}},
      {"scheme_error", r.scheme_error, {{Total::last, "scheme_error"}}},
      {"momentum", convex::values(r.momentum), {{Total::last, "momentum_after"}}, coordinates},
      {"momentum_error", r.momentum_error, {{Total::largest, "momentum_error"}}},
      {"velocity_change", r.velocity_change, {{Total::sum, "velocity_variation"}}},
      {"", std::sqrt(2. * r.kinetic_energy), {{Total::largest, "velocity_sup"}}},
      {"constraints", r.n_constraints, {{Total::largest, "constraints"}}},
      {"contacts", r.n_contacts, {{Total::largest, "contacts_max"}}},
      {"max_overlap", r.max_overlap, {{Total::largest, "max_overlap"}}},
      {"projections", r.effort.n_projections, {{Total::sum, "projections"}}},
      {"iterations", r.effort.n_iterations, {{Total::sum, "iterations"}, {Total::largest, "iterations_max"}}},
      {"natural_residual", r.effort.natural_residual, {{Total::largest, "certificate/natural_residual"}}},
      {"relative_error_bound", r.effort.relative_error_bound, {{Total::largest, "certificate/relative_error_bound"}}},
      {"guaranteed", guaranteed},
      {"", r.effort.guaranteed, {{Total::smallest, "certificate/guaranteed"}}},
      {"status", convex::name(r.effort.status)},
      {"collapsed", collapsed, {{Total::sum, "collapsed"}}},
      {"method", r.method},
      {"search_time", r.search_time, {{Total::sum, "search_time_s"}}},
      {"projection_time", r.effort.seconds, {{Total::sum, "projection_time_s"}}},
      {"", r.energy_gain, {{Total::largest, "largest_energy_gain"}}},
      {"", std::abs(r.scheme_error), {{Total::largest, "largest_scheme_error"}}},
      {"", r.pushed_energy, {{Total::largest, "largest_pushed_energy"}}},
      {"", r.drag, {{Total::largest, "largest_drag"}}},
      {"", r.unrebounded, {{Total::sum, "unrebounded_energy"}}},
      {"", r.largest_move, {{Total::largest, "largest_move"}}}};
  if (r.n_rigid)
    record.columns.insert(std::find_if(record.columns.begin(), record.columns.end(),
                                       [](const Record::Column &column) { return column.name == "max_overlap"; }),
                          {"rigid_at_least", *r.n_rigid});
  if (r.n_glued)
    record.columns.push_back({"glued_contacts", *r.n_glued, {{Total::last, "glued_contacts"}}});
  if (!r.effort.converged())
    record.failure = {step_at(r.step, r.time) + ": " + convex::name(r.effort.status), r.effort.natural_residual};
  return record;
}

double energy_that_took_part(const Totals &totals)
{
  const double fastest = totals.real("velocity_sup"), pushed = totals.real("largest_pushed_energy");
  double       size = std::max(.5 * fastest * fastest, pushed);
  for (const char *const key : {"work", "constraint_work", "dissipated_energy"})
    size = std::max(size, std::abs(totals.real(key)));
  return size;
}

double share_of_scheme_error(const Totals &totals)
{
  const double size = energy_that_took_part(totals);
  return size > 0. ? totals.real("largest_scheme_error") / size : 0.;
}

std::string sentence_on_scheme_error(const Totals &totals, const double h)
{
  constexpr double most  = .1;
  const double     share = share_of_scheme_error(totals);
  if (!(share > most))
    return "";
  const double error = totals.real("scheme_error");
  return "Of the energies that took part " + short_number(100. * share) +
         " % are the scheme's own error (scheme_error, in the end " + short_number(error) + " J): steps of " +
         short_number(h) + " s are too long, and the motion may be far from the true one; set Time/Time step lower.";
}

nlohmann::ordered_json to_json(const micro::ConstraintConstants &constants)
{
  const double eta = constants.prox_regularity();
  return {{"steps", constants.n_states()},
          {"alpha", number(constants.alpha())},
          {"beta", number(constants.beta())},
          {"curvature", number(constants.curvature())},
          {"gamma", number(constants.gamma())},
          {"a", number(constants.multiplier_bound())},
          {"c_0", number(constants.speed_of_set())},
          {"eta", eta > 0. ? number(eta) : nullptr},
          {"is_convex", std::isinf(eta)},
          {"left_out", constants.left_out()}};
}

std::string in_words(const micro::ConstraintConstants &constants)
{
  const double eta = constants.prox_regularity();
  return "gradients " + short_number(constants.alpha()) + " to " + short_number(constants.beta()) + ", gamma " +
         (std::isinf(constants.gamma()) ? "infinite: they cancel each other" : short_number(constants.gamma())) +
         (std::isinf(eta) ? ", a convex set"
          : eta > 0.      ? ", prox-regular with eta " + short_number(eta)
                          : "") +
         "; in " + counted(constants.n_states(), "step") +
         (constants.left_out() > 0 ? ", " + std::to_string(constants.left_out()) + " more were left out" : "");
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
