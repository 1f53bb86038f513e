// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/evolution_files.h"

#include "app/output/checkpoint.h"

#include "convex/input_error.h"

#include <cstdint>
#include <set>

namespace moreau::app
{
namespace
{
using nlohmann::json;

constexpr const char *statistics_file = "statistics.csv";

/// solution.pvd will list them.
void require_pictures(const std::filesystem::path &directory, const std::set<std::string> &names)
{
  std::error_code ignored;
  for (const std::string &name : names)
    if (!std::filesystem::exists(directory / name, ignored))
      throw InputError("Output directory", (directory / name).string() +
                                               " is gone, a picture of the run that shall go on; " +
                                               "put it back, or leave out --resume to begin anew.");
}

/// What a run that goes on keeps.
std::set<std::string> files_of(const std::filesystem::path &directory, const json &earlier, const Evolution &evolution)
{
  if (earlier.is_null())
    return {};
  std::set<std::string> names = {in_situ_folder, Checkpoint::file_name, "parameters.prm",     "packing.csv", "packing.json",
                                 "log.txt",      "solution.pvd",        "open_in_paraview.py"};
  std::vector<std::string> tables = {statistics_file};
  for (const Evolution::Table &table : evolution.tables)
    tables.push_back(table.file);
  for (const std::string &name : tables)
    {
      // what is damaged is noticed before files are removed
      StepTable::require(directory / name, earlier.at("tables").at(name).get<std::uintmax_t>());
      names.insert({name, name + ".incomplete"});
    }
  std::set<std::string> pictures;
  for (const json &picture : earlier.at("pictures"))
    for (const std::string &file : insitu::VtkWriter::files_of(picture.at(2).get<std::string>(), evolution.processes.size()))
      pictures.insert(file);
  require_pictures(directory, pictures);
  names.merge(pictures);
  return names;
}
} // namespace

EvolutionFiles::EvolutionFiles(const ParameterFile &file, Log &log, Evolution &evolution, const json &earlier)
    : evolution(evolution)
{
  const geometry::Processes &processes = evolution.processes;
  by_first([&] {
    std::vector<std::filesystem::path> inputs = evolution.inputs;
    inputs.push_back(file.path());
    directory.emplace(file.values().output_directory, inputs, files_of(file.values().output_directory, earlier, evolution));
    directory->say_what_is_replaced(log);
  });
  snapshots.emplace(file.values(), log, processes);
  const auto open = [&](const std::string &name, const std::string &header) {
    const auto path = directory->path() / name;
    return earlier.is_null() ? StepTable(path, header) : StepTable::resumed(path, earlier.at("tables").at(name));
  };
  by_first([&] {
    statistics.emplace(open(statistics_file, header_of(evolution.record())));
    for (const Evolution::Table &table : evolution.tables)
      tables.push_back(open(table.file, table.header));
  });
  if (earlier.is_null())
    {
      by_first([&] { add_rows(/*per_picture=*/false); });
      add_picture();
      return;
    }
  pictures     = earlier.at("n_pictures");
  last_picture = earlier.at("last_picture");
  std::vector<insitu::VtkWriter::Entry> entries;
  for (const json &entry : earlier.at("pictures"))
    entries.push_back({entry.at(0), entry.at(1), entry.at(2)});
  if (directory)
    snapshots->go_on_after(std::move(entries));
}

void EvolutionFiles::by_first(const std::function<void()> &write_files) const
{
  geometry::together(evolution.processes, [&] {
    if (evolution.processes.rank() == 0)
      guard_writing(write_files);
  });
}

/// To the tables with rows of every step, or to those with rows of pictures.
void EvolutionFiles::add_rows(const bool per_picture)
{
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (evolution.tables[k].per_picture == per_picture)
      for (const std::string &row : evolution.rows_of_table(k))
        tables[k].append(row);
}

void EvolutionFiles::add_step(const Record &record)
{
  by_first([&] {
    statistics->append(row_of(record));
    add_rows(/*per_picture=*/false);
  });
  if (evolution.has_pictures)
    snapshots->step(evolution.time(), evolution.step(), [&] { return evolution.meshes(); });
}

void EvolutionFiles::add_picture(const geometry::Progress &progress)
{
  if (!evolution.has_pictures || evolution.step() == last_picture)
    return;
  by_first([&] { add_rows(/*per_picture=*/true); });
  snapshots->write({evolution.time(), pictures, evolution.meshes(), evolution.step()}, progress);
  evolution.picture_taken();
  ++pictures;
  last_picture = evolution.step();
}

json EvolutionFiles::flush()
{
  json written = {{"n_pictures", pictures}, {"last_picture", last_picture}, {"pictures", json::array()}};
  for (const insitu::VtkWriter::Entry &entry : snapshots->listed())
    written["pictures"].push_back({entry.time, entry.name, entry.file});
  by_first([&] {
    written["tables"][statistics_file] = statistics->flush();
    for (std::size_t k = 0; k < tables.size(); ++k)
      written["tables"][evolution.tables[k].file] = tables[k].flush();
  });
  return written;
}

void EvolutionFiles::finish()
{
  by_first([&] { finish_tables(); });
  guard_writing([&] { snapshots->finish(); });
}

void EvolutionFiles::finish_alone()
{
  guard_writing([&] {
    finish_tables();
    snapshots->finish();
  });
}

void EvolutionFiles::finish_tables()
{
  if (statistics)
    statistics->finish();
  for (StepTable &table : tables)
    table.finish();
}
} // namespace moreau::app
