// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/flow_files.h"

#include "app/output/checkpoint.h"
#include "app/output/macro_output.h"
#include "macro/box_fields.h"

namespace moreau::app
{
namespace
{
using geometry::Index;
using geometry::Vector;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *statistics_file = "statistics.csv";

/// What a run that goes on keeps.
std::set<std::string> files_of(const json &earlier, const int n_processes)
{
  std::set<std::string> names = {in_situ_folder, Checkpoint::file_name, "parameters.prm",           "log.txt",
                                 "solution.pvd", statistics_file,       "statistics.csv.incomplete"};
  for (const json &picture : earlier.at("pictures"))
    for (const std::string &file : insitu::VtkWriter::files_of(picture.at(2).get<std::string>(), n_processes))
      names.insert(file);
  return names;
}
} // namespace

FlowFiles::FlowFiles(const Parameters &parameters, Log &log, const std::vector<fs::path> &inputs,
                     std::set<std::string> to_go_on_with, macro::CongestedFlow &flow)
    : flow(flow)
    , processes(flow.setting().grid.processes)
    , shape(std::make_shared<const insitu::Mesh>(field_mesh(macro::cell_mesh(flow.setting().grid))))
{
  if (processes.rank() == 0)
    directory.emplace(parameters.output_directory, inputs, std::move(to_go_on_with));
  processes.sum(0.); // the directory exists
  snapshots.emplace(parameters, log,
                    insitu::Piece{static_cast<unsigned int>(processes.rank()), static_cast<unsigned int>(processes.size())});
}

FlowFiles::FlowFiles(const Parameters &parameters, Log &log, const std::vector<fs::path> &inputs, macro::CongestedFlow &flow)
    : FlowFiles(parameters, log, inputs, {}, flow)
{
  const Index n = flow.setting().grid.n_own_cells();
  pressures     = {Vector::Zero(n), Vector::Zero(n)};
  if (is_first())
    directory->guard(
        [&] { statistics.emplace(directory->path() / statistics_file, flow_statistics_header(flow.setting().grid.dim)); });
  add_picture();
}

FlowFiles::FlowFiles(const Parameters &parameters, Log &log, const std::vector<fs::path> &inputs, macro::CongestedFlow &flow,
                     const json &earlier, FlowPressures shown)
    : FlowFiles(parameters, log, inputs, files_of(earlier, flow.setting().grid.processes.size()), flow)
{
  pressures    = std::move(shown);
  pictures     = earlier.at("n_pictures");
  last_picture = earlier.at("last_picture");
  if (!is_first())
    return;
  directory->guard(
      [&] { statistics.emplace(StepTable::resumed(directory->path() / statistics_file, earlier.at("statistics"))); });
  std::vector<insitu::VtkWriter::Entry> entries;
  for (const json &entry : earlier.at("pictures"))
    entries.push_back({entry.at(0), entry.at(1), entry.at(2)});
  snapshots->go_on_after(std::move(entries));
}

void FlowFiles::add_step()
{
  if (is_first())
    directory->guard([&] { statistics->append(flow_statistics_row(flow.record())); });
  snapshots->step(flow.time(), flow.record().step, [&] { return insitu::list_of(flow_mesh(shape, flow, pressures_now())); });
}

/// As a picture of now has them: the mean p since the last one, the impulse of all.
FlowPressures FlowFiles::pressures_now() const
{
  FlowPressures now     = pressures;
  const double  seconds = flow.impulse_time();
  Index         k       = 0;
  geometry::for_own_cells(flow.setting().grid, [&](const geometry::CellIndex &cell) {
    const double impulse = flow.impulse()(cell);
    now.impulse(k) += impulse;
    now.p(k++) = seconds > 0. ? impulse / seconds : 0.;
  });
  return now;
}

void FlowFiles::add_picture()
{
  const std::int64_t step = flow.record().step;
  if (step == last_picture)
    return;
  pressures = pressures_now();
  flow.clear_impulse();
  guard(directory, [&] {
    snapshots->write({flow.time(), pictures, insitu::list_of(flow_mesh(shape, flow, pressures)), step});
  });
  ++pictures;
  last_picture = step;
}

void FlowFiles::write_profile() const
{
  if (flow.setting().grid.dim == 1)
    directory->write("profile.csv", [&](std::ostream &out) { app::write_profile(out, flow, pressures); });
}

json FlowFiles::flush()
{
  json written = {{"n_pictures", pictures}, {"last_picture", last_picture}};
  processes.sum(0.); // all parts of pictures are written
  if (!is_first())
    return written;
  written["pictures"] = json::array();
  for (const insitu::VtkWriter::Entry &entry : snapshots->listed())
    written["pictures"].push_back({entry.time, entry.name, entry.file});
  directory->guard([&] { written["statistics"] = statistics->flush(); });
  return written;
}

void FlowFiles::finish()
{
  processes.sum(0.);
  guard(directory, [&] {
    if (statistics)
      statistics->finish();
    snapshots->finish();
  });
}
} // namespace moreau::app
