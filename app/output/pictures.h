// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_PICTURES_H
#define MOREAU_APP_OUTPUT_PICTURES_H

#include "app/output/log.h"
#include "app/input/parameters.h"
#include "geometry/processes.h"
#include "insitu/catalyst.h"
#include "insitu/writer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace moreau::app
{
/// Where snapshots of a run go: files in its output directory, and Catalyst scripts that see them while it goes. A script
/// that fails is left out from then on, and the log says why; the run goes on.
/// Processes that share a run call the same functions together, the constructor, too.
class Pictures
{
public:
  /// Behind the OutputDirectory. Throws InputError where Catalyst does not start.
  Pictures(const Parameters &parameters, Log &log, const geometry::Processes &processes = geometry::Processes::alone());

  /// A moment worth a file. Where a process cannot write its share, nothing is left of this picture and all processes throw
  /// the same InputError("Output directory", ...).
  void write(geometry::Snapshot snapshot, const geometry::Progress &progress = {});

  /// A time step, for scripts that are called more often than files are
  /// written (In situ/Every). meshes: made only if a script asks.
  void step(double time, std::int64_t step, const std::function<std::vector<geometry::Mesh>()> &meshes);

  /// Brings solution.pvd up to date, ends the scripts and says what they took.
  void finish();

  /// A .pvd for every mesh beside solution.pvd, see VtkWriter. On one process.
  void list_each_mesh() { vtk.list_each_mesh(); }

  const std::vector<insitu::VtkWriter::Entry> &listed() const { return vtk.listed(); }
  void go_on_after(std::vector<insitu::VtkWriter::Entry> earlier) { vtk.go_on_after(std::move(earlier)); }

private:
  void show(const std::function<geometry::Snapshot()> &snapshot, double time, std::int64_t step,
            const geometry::Progress &progress = {});
  void say_messages();
  void write_opener();

  Log                                    &log;
  geometry::Processes                     processes;
  const std::int64_t                      every; ///< steps; 0: with the files
  insitu::VtkWriter                       vtk;
  std::filesystem::path                   opener;               ///< open_in_paraview.py, until it is written
  std::unique_ptr<insitu::CatalystWriter> catalyst;             ///< null: none asked for
  std::int64_t                            last_shown      = -1; ///< its step
  std::int64_t                            n_calls         = 0;
  double                                  conversion_time = 0., script_time = 0.; ///< s
};

/// Finds what In situ/Catalyst script names: as given, beside the parameter file, in the two folders above it, or among the
/// pipelines that come with the program; full names are written back. Throws InputError where this build has no Catalyst,
/// where a file is missing or no script of ParaView's version 2.0, and where the run has nothing to show.
void find_catalyst_scripts(ParameterFile &file);
} // namespace moreau::app

#endif
