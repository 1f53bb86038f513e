// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/motion_files.h"

#include "app/output/checkpoint.h"
#include "app/output/motion_output.h"
#include "app/input/obstacle_text.h"

namespace moreau::app
{
namespace
{
using micro::Vector;
using nlohmann::json;

constexpr const char *motion_statistics = "statistics.csv";
constexpr const char *trajectory_file   = "motion.csv";

std::vector<std::string> momentum_names(const MotionSetting &setting, const Parameters &parameters)
{
  std::vector<std::string> names = {"x", "y", "z"};
  if (setting.moves_spheres())
    {
      names.resize(parameters.dimension);
      return names;
    }
  names.clear();
  for (const std::string &name : setting.system->coordinate_names())
    names.push_back(without_unit(name));
  return names;
}
} // namespace

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

std::set<std::string> MotionFiles::to_go_on_with(const json &earlier)
{
  if (earlier.is_null())
    return {};
  std::set<std::string> names = {in_situ_folder, Checkpoint::file_name, "parameters.prm", "packing.csv",
                                 "log.txt",      "solution.pvd"};
  for (const std::string table : {motion_statistics, trajectory_file})
    names.insert({table, table + ".incomplete"});
  for (const json &picture : earlier.at("pictures"))
    names.insert(picture.at(2).get<std::string>());
  return names;
}

MotionFiles::MotionFiles(const Parameters &parameters, const MotionSetting &setting, const Moving &moving, Log &log,
                         const json &earlier)
    : output(parameters.output_directory, setting.inputs, to_go_on_with(earlier))
    , parameters(parameters)
    , setting(setting)
    , moving(moving)
    , snapshots(parameters, log)
{
  output.guard([&] {
    const auto statistics_path = output.path() / motion_statistics, trajectory_path = output.path() / trajectory_file;
    if (earlier.is_null())
      {
        statistics.emplace(statistics_path, statistics_header(momentum_names(setting, parameters)));
        if (!setting.moves_spheres())
          {
            trajectory.emplace(trajectory_path, motion_header(*setting.system));
            trajectory->append(motion_row(*moving.motion));
          }
        add_picture();
        return;
      }
    statistics.emplace(StepTable::resumed(statistics_path, earlier.at("statistics")));
    if (!setting.moves_spheres())
      trajectory.emplace(StepTable::resumed(trajectory_path, earlier.at("trajectory")));
    std::vector<insitu::VtkWriter::Entry> entries;
    for (const json &entry : earlier.at("pictures"))
      entries.push_back({entry.at(0), entry.at(1), entry.at(2)});
    snapshots.go_on_after(std::move(entries));
    pictures     = earlier.at("n_pictures");
    last_picture = earlier.at("last_picture");
  });
}

void MotionFiles::add_step()
{
  output.guard([&] {
    statistics->append(statistics_row(moving.motion->record()));
    if (trajectory)
      trajectory->append(motion_row(*moving.motion));
  });
  if (moving.spheres != nullptr)
    snapshots.step(moving.motion->time(), moving.motion->record().step, [&] { return meshes(); });
}

namespace
{
/// The zone, enlarged by the spheres and by the bodies that end somewhere: as far as half-spaces are drawn.
std::pair<Vector, Vector> shown_box(const Parameters &parameters, const micro::Spheres &spheres,
                                    const micro::PlacedObstacles &placed)
{
  Vector     low = parameters.zone.lower_corner, high = parameters.zone.upper_corner;
  const auto include = [&](const Vector &x, const double radius) {
    low  = low.cwiseMin(Vector(x.array() - radius));
    high = high.cwiseMax(Vector(x.array() + radius));
  };
  for (micro::Index k = 0; k < spheres.size(); ++k)
    include(spheres.r.col(k), spheres.R(k));
  for (const micro::Obstacle &body : placed.obstacles())
    if (body.shape != micro::Obstacle::Shape::half_space)
      for (const Vector *const point : {&body.a, &body.b, &body.c})
        if (point->size() > 0)
          include(*point, body.radius);
  return {low, high};
}
} // namespace

void MotionFiles::add_picture()
{
  const std::int64_t step = moving.motion->record().step;
  if (moving.spheres == nullptr || step == last_picture)
    return;
  output.guard([&] { snapshots.write({moving.motion->time(), pictures, meshes(), step}); });
  ++pictures;
  last_picture = step;
}

std::vector<insitu::Mesh> MotionFiles::meshes() const
{
  std::vector<insitu::Mesh> result = insitu::list_of(moving_sphere_mesh(*moving.spheres), force_chain_mesh(*moving.spheres));
  if (const micro::Obstacles &obstacles = moving.spheres->system().obstacles; obstacles.size() > 0)
    {
      const micro::PlacedObstacles placed = obstacles.at(moving.motion->time());
      const auto [low, high]              = shown_box(parameters, moving.spheres->spheres(), placed);
      result.push_back(obstacle_mesh(placed, low, high));
    }
  return result;
}

json MotionFiles::flush()
{
  json written = {{"pictures", json::array()}, {"n_pictures", pictures}, {"last_picture", last_picture}};
  for (const insitu::VtkWriter::Entry &entry : snapshots.listed())
    written["pictures"].push_back({entry.time, entry.name, entry.file});
  output.guard([&] {
    written["statistics"] = statistics->flush();
    if (trajectory)
      written["trajectory"] = trajectory->flush();
  });
  return written;
}

void MotionFiles::finish()
{
  output.guard([&] {
    statistics->finish();
    if (trajectory)
      trajectory->finish();
    snapshots.finish();
  });
}
} // namespace moreau::app
