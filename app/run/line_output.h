// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_LINE_OUTPUT_H
#define MOREAU_APP_RUN_LINE_OUTPUT_H

#include "app/run/line_flow.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/output/step_table.h"

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

/// What the files of a flow on the line hold that no finite volumes move (doc/formats.md).
namespace moreau::app
{
/// The state at an instant. Masses are lengths (m).
struct LineRecord
{
  std::int64_t   step = 0;
  double         time = 0., h = 0.;
  macro::Parcels parcels;
  bool           moves_blocks = false;

  std::vector<double> rho, momenta; ///< means over the cells of the table; momenta: of ρu (m/s)

  double mass = 0., momentum = 0., kinetic_energy = 0.;
  double work       = 0.; ///< of the force since the start
  double mass_error = 0.; ///< |what stands in the cells and beyond the box - initial| / initial
  double momentum_error =
      0.; ///< |momentum - initial - impulses|, relative to ∫ρ|u| at the start + the impulses; NaN: unknown
  double       max_density = 0., min_density = 0., congested_volume = 0., largest_speed = 0.;
  unsigned int n_impacts = 0, n_collapsed = 0; ///< in this step
};

/// Makes records of a flow.
class LineMeter
{
public:
  LineMeter(const LineSetting &setting, const LineFlow &flow);

  LineRecord record(); ///< of now; steps are counted. Throws InputError where velocities overflow.

  double energy_before() const { return initial_energy; } ///< impacts at t = 0 itself are after it

private:
  const LineSetting  &setting;
  const LineFlow     &flow;
  double              force, mass, initial_momentum, initial_energy, initial_size, initial_place;
  std::vector<double> ends; ///< of cells
  std::int64_t        steps     = -1;
  double              last_time = 0.;
  unsigned int        n_impacts = 0, n_collapsed = 0;
};

/// Of all steps.
struct LineTotals
{
  std::int64_t n_steps     = 0;
  double       max_density = 0., min_density = 1., mass_error = 0., momentum_error = 0., wall_time = 0.;

  void add(const LineRecord &record, double seconds);
};

/// The ends of all cells of the grid (m).
std::vector<double> ends_of_cells(const geometry::BoxGrid &grid);

/// Intervals of density 1, as long as possible.
std::vector<std::pair<double, double>> fronts(const macro::Parcels &parcels);

/// statistics.csv, blocks.csv and pictures as they grow, profile.csv at the
/// end. Throws InputError where files cannot be written.
class LineFiles
{
public:
  LineFiles(const std::filesystem::path &directory, const std::vector<std::filesystem::path> &inputs,
            const LineSetting &setting, Log &log);

  void add_step(const LineRecord &record);    ///< and what scripts in situ see of it
  void add_picture(const LineRecord &record); ///< and lines in blocks.csv
  void write_profile(const LineRecord &record) const;
  void finish();

  std::size_t      n_pictures() const { return pictures; }
  OutputDirectory &output() { return directory; }

private:
  std::vector<insitu::Mesh> meshes(const LineRecord &record) const;

  const geometry::BoxGrid &grid;
  OutputDirectory          directory;
  StepTable                statistics, blocks;
  Pictures                 snapshots;
  unsigned int             pictures = 0;
};
} // namespace moreau::app

#endif
