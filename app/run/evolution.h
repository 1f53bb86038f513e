// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_EVOLUTION_H
#define MOREAU_APP_RUN_EVOLUTION_H

#include "app/output/log.h"
#include "app/output/output_directory.h"
#include "app/output/record.h"
#include "app/output/stages.h"
#include "app/run/run.h"
#include "convex/named_arrays.h"
#include "geometry/picture.h"
#include "geometry/processes.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace moreau::app
{
/// What moves in time step by step, as a run follows it, shows it and comes back to it. Processes that share it call the
/// same functions together; tables and results are asked for on the first one only.
class Evolution
{
public:
  virtual ~Evolution() = default;

  /// A table beside statistics.csv.
  struct Table
  {
    std::string file, header;
    bool        per_picture = false; ///< else rows of the beginning and of every step
  };

  std::string                        kind;                ///< "motion", "flow"
  std::vector<std::filesystem::path> inputs;              ///< files that were read, without the parameter file
  std::string                        parameter_of_inputs; ///< where they stand
  geometry::Processes                processes    = geometry::Processes::alone();
  bool                               has_pictures = true;
  std::vector<Table>                 tables;

  virtual std::int64_t step() const     = 0; ///< 0: the initial state
  virtual double       time() const     = 0; ///< s
  virtual double       fraction() const = 0; ///< of the whole, 1 at its end
  virtual Record       record() const   = 0; ///< of the last step

  /// One step. totals: of those before. Returns whether a picture is due at its end.
  virtual bool advance(const Totals &totals, Log &log) = 0;

  virtual convex::NamedArrays state() const = 0; ///< of this process
  /// Throws std::logic_error where the state is of another evolution, InputError where nothing can go on from it.
  virtual void restore(convex::NamedArrays state) = 0;

  virtual std::vector<geometry::Mesh> meshes() const = 0; ///< a picture of now
  virtual void                        picture_taken() {}
  virtual std::vector<std::string>    rows_of_table(std::size_t) const { return {}; } ///< by its number, of now

  virtual void write_setting(OutputDirectory &) const {} ///< when the run begins
  /// Behind the picture of the end.
  virtual void write_results(const OutputDirectory &, Log &, const geometry::Progress &) {}

  virtual void        say_result(const Totals &totals, Log &log) const = 0;
  virtual std::string verdict(const Totals &totals) const              = 0; ///< app/output/verdict.h
  virtual std::string how_it_goes() const = 0; ///< "t = 0.3 s, step 3 of 10: kinetic energy ..."
  virtual std::string step_of_all() const { return "step " + std::to_string(step()); }
  virtual std::string about_steps(const Totals &) const { return ""; } ///< behind their number in the result

  /// What summary.json says of it beside the columns of its record: unknowns, constraints; and its own keys.
  virtual void                   add_to(Summary &summary) const = 0;
  virtual nlohmann::ordered_json details() const                = 0;
};

/// Follows an evolution from the beginning or, to resume, from the checkpoint in the output directory: it writes statistics,
/// pictures and checkpoints, stops where a signal asks it to, says now and then how it goes, and keeps what it has written
/// where an error ends it. make: builds the evolution and says what it is. Throws InputError.
ExitStatus follow_evolution(ParameterFile &file, Log &log, bool resume,
                            const std::function<std::unique_ptr<Evolution>(Stages &)> &make);
} // namespace moreau::app

#endif
