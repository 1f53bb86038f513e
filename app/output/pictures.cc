// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/pictures.h"

#include "app/output/output_directory.h"
#include "app/output/progress.h"
#include "app/output/shared_files.h"

#include "app/input/text/words.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "insitu/atomic_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace moreau::app
{
namespace
{
namespace fs = std::filesystem;

constexpr const char *parameter = "In situ/Catalyst script";

std::vector<fs::path> scripts_of(const Parameters &parameters)
{
  std::vector<fs::path> scripts;
  for (const std::string &name : comma_separated(parameters.in_situ.catalyst_script))
    scripts.emplace_back(name);
  return scripts;
}

void require_something_to_show(const Parameters &parameters)
{
  if (parameters.in_situ.catalyst_script.empty())
    return;
  if (parameters.is_motion() && parameters.motion.system.type != "spheres")
    throw InputError(parameter, "A mechanical system has no place in space to show; leave it out.");
  if (parameters.is_homogenization() && parameters.homogenization.pictures == "none")
    throw InputError(parameter, "Homogenization/Pictures = none leaves nothing to show; say finest or all.");
}

insitu::Piece piece_of(const geometry::Processes &processes)
{
  return {static_cast<unsigned int>(processes.rank()), static_cast<unsigned int>(processes.size())};
}

/// Processes of several machines may have directories of their own under one name. A network file system may show late what
/// others have written.
void require_pieces(const insitu::VtkWriter &vtk, const geometry::Snapshot &snapshot)
{
  constexpr double longest_wait = 10.; // s
  const auto       start        = convex::Clock::now();
  fs::path         missing;
  while (!(missing = vtk.missing_piece(snapshot)).empty())
    {
      if (convex::seconds_since(start) > longest_wait)
        throw InputError("Output directory", "Another process has written " + missing.string() +
                                                 ", which process 0 does not see; name a directory that all share.");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

/// The folder of what scripts make.
void make_in_situ_folder(const fs::path &folder, const bool is_first)
{
  try
    {
      fs::create_directories(folder);
      if (is_first && fs::is_empty(folder)) // else it is the user's, or marked by the run that goes on
        guard_writing([&] {
          insitu::write_atomically(folder / in_situ_mark,
                                   [](std::ostream &out) { out << "The next run here removes this folder.\n"; });
        });
    }
  catch (const fs::filesystem_error &error)
    {
      throw InputError("Output directory", error.path1().string() + " cannot be made: " + error.code().message() +
                                               "; name a directory that can be written.");
    }
}

std::unique_ptr<insitu::CatalystWriter> started(const Parameters &parameters, Log &log, const geometry::Processes &processes)
{
  const std::vector<fs::path> scripts = scripts_of(parameters);
  if (scripts.empty())
    return nullptr;
  const fs::path folder = fs::absolute(parameters.output_directory).lexically_normal() / in_situ_folder;
  geometry::together(processes, [&] { make_in_situ_folder(folder, processes.rank() == 0); });
  std::vector<std::string> names;
  for (const fs::path &script : scripts)
    names.push_back(script.filename().string());
  log.line("in situ: " + insitu::catalyst_version() + " runs " + joined(names, ", "));
  try
    {
      const Progress line("starting ParaView", !log.is_quiet());
      return insitu::catalyst_writer({scripts, folder, piece_of(processes), parameters.in_situ.time_limit});
    }
  catch (const std::runtime_error &error)
    {
      throw InputError(parameter, std::string(error.what()) + "; leave it out to run without pictures in situ.");
    }
}

/// The first line that says of which kind a script is; folders and .zip files are packages that ParaView looks into itself.
void require_version_2(const fs::path &script)
{
  if (fs::is_directory(script) && !fs::exists(script / "__init__.py"))
    throw InputError(parameter, script.string() + " is a folder without __init__.py, no package of Python; name a script.");
  if (fs::is_directory(script) || script.extension() == ".zip")
    return;
  std::ifstream in(script);
  std::string   line;
  for (int k = 0; k < 5 && std::getline(in, line); ++k) // an interpreter or an encoding may stand before it
    if (line.rfind("# script-version: 2.", 0) == 0)
      return;
  throw InputError(parameter, script.string() + " does not begin with '# script-version: 2.0'; save it from ParaView 5.9 or "
                                                "later with File > Save Catalyst State.");
}
} // namespace

Pictures::Pictures(const Parameters &parameters, Log &log, const geometry::Processes &processes)
    : log(log)
    , processes(processes)
    , every(parameters.problem == "particle motion" || parameters.is_flow() ? parameters.in_situ.every : 0)
    , vtk(parameters.output_directory, piece_of(processes))
    , catalyst(started(parameters, log, processes))
{
  if (processes.rank() == 0)
    opener = fs::path(parameters.output_directory) / "open_in_paraview.py";
  say_messages();
}

void Pictures::write(geometry::Snapshot snapshot, const geometry::Progress &progress)
{
  const auto by_all = [&](const std::function<void()> &write_files) {
    try
      {
        geometry::together(processes, [&] { guard_writing(write_files); });
      }
    catch (...)
      {
        vtk.take_back(snapshot);
        throw;
      }
  };
  by_all([&] { vtk.write_pieces(snapshot, progress.part(0., catalyst ? .3 : 1.)); });
  by_all([&] { // what lists them
    if (processes.rank() == 0)
      require_pieces(vtk, snapshot);
    write_opener();
    vtk.list(snapshot);
  });
  if (every > 0 && snapshot.time_step % every != 0)
    return;
  const double       time = snapshot.time;
  const std::int64_t step = snapshot.time_step;
  show([&] { return std::move(snapshot); }, time, step, progress.part(.3, 1.));
}

/// The run in ParaView with two clicks: what it does is in the pipelines, wherever this program has them.
void Pictures::write_opener()
{
  if (opener.empty())
    return;
  const std::string folder = fs::absolute(shared_folder("pipelines", MOREAU_PIPELINES)).lexically_normal().string();
  insitu::write_atomically(std::exchange(opener, {}), [&](std::ostream &out) {
    out << "# SPDX-License-Identifier: GPL-3.0-or-later\n"
           "\"\"\"This run in ParaView as its pictures look, with all its moments:\n"
           "paraview --script=open_in_paraview.py, or pvpython open_in_paraview.py. Where moreau has moved, change the "
           "folder.\n"
           "\"\"\"\n"
           "import sys\n\n"
           "sys.path.insert(0, "
        << nlohmann::json(folder).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
        << ")\n"
           "import moreau_window  # noqa: E402\n\n"
           "moreau_window.show(globals().get(\"__file__\"))\n";
  });
}

void Pictures::step(const double time, const std::int64_t step, const std::function<std::vector<geometry::Mesh>()> &meshes)
{
  if (every > 0 && step % every == 0)
    show([&] { return geometry::Snapshot{time, 0, meshes(), step}; }, time, step);
}

void Pictures::show(const std::function<geometry::Snapshot()> &snapshot, const double time, const std::int64_t step,
                    const geometry::Progress &progress)
{
  if (catalyst == nullptr || step == last_shown)
    return;
  last_shown = step;
  if (!catalyst->wants(time, step))
    return;
  const auto   start  = convex::Clock::now();
  const auto   shared = std::make_shared<const geometry::Snapshot>(snapshot());
  const double made   = convex::seconds_since(start);
  {
    Progress line("waiting for scripts of ParaView", !log.is_quiet());
    catalyst->write(shared, [&](const double fraction) {
      line.done(fraction);
      progress(fraction);
    });
  }
  ++n_calls;
  conversion_time += made + catalyst->conversion_time();
  script_time += convex::seconds_since(start) - made - catalyst->conversion_time();
  say_messages();
}

void Pictures::say_messages()
{
  if (catalyst == nullptr)
    return;
  for (const insitu::CatalystWriter::Message &message : catalyst->messages())
    {
      log.line(message.sentence);
      if (!message.details.empty())
        log.note(message.details);
    }
}

void Pictures::finish()
{
  vtk.finish();
  if (catalyst == nullptr)
    return;
  log.row("in situ", counted(n_calls, "call") + ", " + short_number(conversion_time) + " s to hand over, " +
                         short_number(script_time) + " s in scripts");
  catalyst->finish();
  say_messages();
}

void find_catalyst_scripts(ParameterFile &file)
{
  require_something_to_show(file.values());
  const std::string       &text  = file.values().in_situ.catalyst_script;
  std::vector<std::string> names = comma_separated(text), found;
  if (!text.empty() && static_cast<std::ptrdiff_t>(names.size()) != std::count(text.begin(), text.end(), ',') + 1)
    throw InputError(parameter, "A name in '" + text + "' is empty; put one comma between two names.");
  for (const std::string &name : names)
    {
      fs::path script = file.find_file(name);
      if (!fs::exists(script))
        script = shared_folder("pipelines", MOREAU_PIPELINES) / name;
      if (!fs::exists(script))
        throw InputError(parameter, "There is no file '" + name + "'; give its name from here or from where " +
                                        file.path().filename().string() + " lies, or one of those in insitu/pipelines.");
      require_version_2(script);
      if (lies_in(script, fs::path(file.values().output_directory) / in_situ_folder))
        throw InputError(parameter, script.string() + " lies in a folder that a run begins anew; move it.");
      found.push_back(fs::absolute(script).lexically_normal().string());
    }
  if (!found.empty())
    file.set(parameter, joined(found, ", "));
}
} // namespace moreau::app
