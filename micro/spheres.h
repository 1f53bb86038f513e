// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_SPHERES_H
#define MOREAU_MICRO_SPHERES_H

#include <Eigen/Core>

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace moreau::micro
{
class TableReader;

using Eigen::Index;
using Vector = Eigen::VectorXd;

/// Lengths (m), masses (kg) and parameters beyond this are refused: volumes, squares and energies of them are no numbers.
constexpr double largest_input = 1e100;

/// n rigid spheres in dimension d = 1, 2 or 3. Velocities are vectors of length d n, interleaved by sphere:
/// sphere k owns the entries d*k ... d*k + d-1.
struct Spheres
{
  Eigen::MatrixXd r; ///< centres, d x n (m)
  Vector          R; ///< radii, n (m)
  Vector          m; ///< masses, n (kg)

  Index dimension() const { return r.rows(); }
  Index size() const { return r.cols(); }

  /// Throws InputError that names the sphere where a centre, radius or mass is beyond largest_input or no number, or a
  /// radius or mass is not positive. first: the number that the first one has among all, where these are a part of them.
  void validate(Index first = 0) const;
};

/// 2R, πR² or 4πR³/3: the mass of a sphere of density 1, which is what spheres have where nobody says otherwise.
double volume_of_ball(double R, Index dim);

/// The half-space normal·x >= offset is open to the spheres; the obstacle behind it moves at `velocity` (m/s).
struct Wall
{
  std::string name;     ///< "left", "bottom", ...: how messages call it
  Vector      normal;   ///< unit, length d, pointing to the spheres
  double      offset;   ///< m
  Vector      velocity; ///< length d; only velocity·normal matters
};

/// The sides of a box by their .prm names: left, right (x), bottom, top (y), back, front (z).
/// They are at rest. Throws InputError("the walls", ...) for a name that does not exist in this dimension, or comes twice.
std::vector<Wall> box_walls(const Vector &lower, const Vector &upper, const std::vector<std::string> &names);

/// What a CSV file of spheres holds: columns x[,y[,z]],radius and optionally mass,ux[,uy[,uz]], in any order;
/// r, m, vx, vy, vz are read as radius, mass, ux, uy, uz; id is passed over.
struct SphereFile
{
  Spheres spheres;
  Vector  U; ///< d n, zero where the file has no velocity columns
  bool    has_velocity = false;
  bool    has_mass     = false; ///< else m = volume_of_ball(R, d): density 1
  double  rounding     = 0.; ///< of centres and radii that are rounded to six digits, m: half a unit of the last one; else 0

  unsigned int n_digits = 0; ///< the most that a centre or radius has
};

/// Half a unit of the last digit (m) of centres and radii that have six significant digits at most, which is what programs
/// write where nobody asks for more; 0 for another number of digits.
double rounding_of_digits(const Spheres &spheres, unsigned int n_digits);

/// What gaps may be off by where centres and radii are rounded, relative to the smallest radius: contacts need a tolerance
/// that is not below it.
double rounding_of_gaps(const SphereFile &file);
double rounding_of_gaps(double rounding, double smallest_radius, Index dim);

/// The columns of a table of spheres.
const std::vector<std::string> &columns_of_spheres();

/// Other names that are read as one of them.
const std::map<std::string, std::string> &other_columns_of_spheres();

/// Spheres of the rows that follow. Throws as read_csv(); `rounding` is left at 0.
SphereFile read_spheres(TableReader &table, Index dim);

/// Reads a file as in doc/formats.md: header line first, # starts a comment, SI units. Columns z, uz (y, uy) beyond the
/// dimension are accepted where they are zero in every line.
/// Throws InputError("the file of spheres", ...) naming file, line and column for: a file that cannot be read or holds no
/// sphere, a column that is missing, unknown or there twice, a line of another length, a word that is not a finite number,
/// a radius or mass that is not positive.
SphereFile read_csv(const std::string &file_name, Index dim);

/// Of n consecutive parts of its lines that with the number `rank`, perhaps without spheres; `rounding` is left at 0. Its
/// messages have wrong numbers of lines, and a file without spheres is no error: who meets one reads the whole.
SphereFile read_part_of_csv(const std::string &file_name, Index dim, int rank, int n);

/// The same format with the shortest digits that read back bit for bit. U may have length 0: no velocity columns. ids: a
/// last column of that name, where there are any; readers pass it over. Where no sphere is left there are all columns.
void write_csv(std::ostream &out, const Spheres &spheres, const Vector &U, const std::vector<Index> &ids = {});

/// Its first line. has_velocity: U is there.
void write_csv_header(std::ostream &out, Index dim, bool has_velocity, bool has_ids);

/// Its lines of the spheres first ... last-1.
void write_csv_rows(std::ostream &out, const Spheres &spheres, const Vector &U, Index first, Index last,
                    const std::vector<Index> &ids = {});
} // namespace moreau::micro

#endif
