// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_LINE_SETTING_H
#define MOREAU_APP_INPUT_LINE_SETTING_H

#include "app/input/text/line_pieces.h"
#include "app/input/parameters.h"
#include "geometry/box_grid.h"
#include "macro/line/exact_blocks.h"
#include "micro/motion/sphere_motion.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
/// A congested flow in one dimension as methods other than finite volumes need it: the initial data with exact edges, from
/// expressions, a density file or a file of blocks.
class LineSetting
{
public:
  /// The name of a file is written back to `file`. Throws InputError: for densities outside [0, 1], where there is no
  /// matter, where a second, finer look at expressions sees other edges than the first, and as blocks_of_file().
  explicit LineSetting(ParameterFile &file);

  const Parameters        &parameters() const { return file.values(); }
  const geometry::BoxGrid &grid() const { return cells; } ///< of tables and pictures
  const macro::LineWalls  &walls() const { return sides; }

  /// Where edges come from: "blocks from blocks.csv, those of t = 1 s, the last of 101 instants", or how they were found.
  const std::string &source_of_edges() const { return source; }

  /// Where edges may have been overlooked, a sentence; else empty.
  const std::string &warning_of_edges() const { return warning; }

  /// Parcels of at most this mass; 0: as long as data are constant.
  macro::Parcels parcels(double max_mass = 0.) const;

  /// Throws InputError("Force/Function expression", ...) where it is not the same everywhere and always. who: "'splitting'".
  double constant_force(const std::string &who) const;

  bool has_constant_force() const; ///< or none
  bool has_uniform_force() const;  ///< one that is the same everywhere and for all velocities, or none

  /// f(t) of such a force. Throws InputError("Force/Function expression", ...) where it is not one, as f does where it is
  /// not finite.
  std::function<double(double t)> uniform_force(const std::string &who) const;

  bool has_blocks() const; ///< all of density 1, each of one velocity

  /// Throws InputError where they are not.
  std::vector<macro::Block> blocks() const;

  /// The same matter as spheres in a row, of masses and diameters about 1/n_per_unit_length, as many in each piece as fill
  /// it exactly; where density or velocity varies, a sphere has the mean velocity of its share of the mass and stands in the
  /// middle of it. The force and walls act on them. Throws InputError where there would be too many.
  micro::SphereSystem spheres(double n_per_unit_length) const;

private:
  void            find_pieces();
  void            read_blocks();
  std::string     way_out() const;
  geometry::Index n_spheres(double mass, double n_per_unit_length) const;

  ParameterFile         &file;
  geometry::BoxGrid      cells;
  macro::LineWalls       sides;
  std::vector<LinePiece> pieces; ///< with matter
  std::string            place_of_density, source, warning;
};

} // namespace moreau::app

#endif
