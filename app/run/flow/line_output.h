// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_LINE_OUTPUT_H
#define MOREAU_APP_RUN_FLOW_LINE_OUTPUT_H

#include "app/output/record.h"
#include "app/run/flow/line_flow.h"
#include "geometry/picture.h"

#include <cstdint>
#include <iosfwd>
#include <string>
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
  bool           moves_blocks  = false;
  double         shortest_zone = 0.; ///< m, see fronts(): a cell for parcels, since one that flies alone is of the numerics

  std::vector<double> rho, momenta; ///< means over the cells of the table; momenta: of ρu (m/s)

  double mass = 0., momentum = 0., kinetic_energy = 0.;
  double energy_before = 0.; ///< kinetic, at the start: impacts at t = 0 itself are after it
  double work          = 0.; ///< of the force since the start
  double mass_error    = 0.; ///< |what stands in the cells and beyond the box - initial| / initial
  double momentum_error =
      0.; ///< |momentum - initial - impulses|, relative to ∫ρ|u| at the start + the impulses; NaN: unknown
  double       max_density = 0., min_density = 0., congested_volume = 0., largest_speed = 0.;
  unsigned int n_impacts = 0, n_collapsed = 0; ///< in this step
};

/// Makes records of a flow.
class LineMeter
{
public:
  /// Throws InputError where the kinetic energy at the start is no number, or too small a one.
  LineMeter(const LineSetting &setting, const LineFlow &flow);

  LineRecord record(); ///< of now; steps are counted. Throws InputError where velocities overflow.

  convex::NamedArrays state() const; ///< from which the last record() can be made again, where the flow is as it was then
  void                restore(const convex::NamedArrays &state); ///< Throws std::out_of_range where it is none.

private:
  struct Count
  {
    std::int64_t step      = -1;
    double       time      = 0.;
    unsigned int n_impacts = 0, n_collapsed = 0;
  };

  std::string       place_of_velocities() const;
  [[noreturn]] void refuse_velocities(const std::string &are, double time, const std::string &remedy) const;

  const LineSetting  &setting;
  const LineFlow     &flow;
  double              force; ///< m/s², where it is constant
  double              mass, initial_momentum, initial_energy, initial_size, initial_place;
  std::vector<double> ends;        ///< of cells
  Count               now, before; ///< at the last record, and at the one before
};

/// What is said of a step.
Record columns_of(const LineRecord &record);

/// The ends of all cells of the grid (m).
std::vector<double> ends_of_cells(const geometry::BoxGrid &grid);

/// Intervals of density 1, as long as possible, that are `least` or longer (m): LineRecord::shortest_zone.
std::vector<std::pair<double, double>> fronts(const macro::Parcels &parcels, double least = 0.);

/// The mesh "continuum": cells with rho and u.
geometry::Mesh line_mesh(const geometry::BoxGrid &grid, const LineRecord &record);

/// Rows of blocks.csv: the blocks, or the congested intervals of parcels as fronts() has them.
std::vector<std::string> rows_of_blocks(const LineRecord &record);

/// Sentences on exact blocks: on gaps at the start that count as closed, empty where there are none; on clusters of which an
/// endless sequence of impacts was ended.
std::string warning_of_closed_gaps(const LineFlow &flow);

/// What to say of endless sequences of impacts of exact blocks: of those that were ended or, where none was, of those that
/// went on below what can be seen of gaps; empty where there were none.
std::string warning_of_endless_sequences(const LineFlow &flow, double restitution);

/// A row per cell with its centre x, its ends left and right, rho, u.
void write_profile(std::ostream &out, const geometry::BoxGrid &grid, const LineRecord &record);
} // namespace moreau::app

#endif
