// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_HDF5_TABLE_H
#define MOREAU_EXCHANGE_HDF5_TABLE_H

#include "micro/spheres.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Tables of numbers in files of HDF5: an array of one dimension for each column, named as in .csv tables, all in the root
/// group and of the same length.
namespace moreau::exchange
{
/// Starts libhdf5 so that it does not end with the program, and, called before MPI is started, not with MPI either: a file
/// that cannot be written to its end would stop it there.
void begin_hdf5();

/// Whether a name ends in .h5 or .hdf5.
bool is_hdf5(const std::string &file_name);

/// Spheres of a file of HDF5 or, where the end of its name is another, of a table, as micro::read_csv(). `rounding` of
/// numbers that are not in double precision is half a unit of their last binary digit. Throws
/// InputError("the file of spheres", ...) naming file, array and row (from 0) as read_csv() does, also where arrays have
/// several dimensions or other lengths than others, or hold no numbers.
micro::SphereFile read_spheres_of_run(const std::string &file_name, Eigen::Index dim);

/// Of n parts of its consecutive rows that with the number `rank`, as above.
micro::SphereFile read_part_of_spheres(const std::string &file_name, Eigen::Index dim, int rank, int n);

/// Throws InputError where libhdf5 dies of a file, which some damaged ones make it do: this is tried in a process of its
/// own. Does nothing for files whose end is not that of HDF5.
void require_harmless(const std::string &file_name);

/// A table that is written row by row.
class Hdf5TableWriter
{
public:
  /// Name, unit and kind of one.
  struct Column
  {
    std::string name;
    std::string unit;               ///< attribute "unit"; empty: none
    bool        is_integer = false; ///< 64 bits; else double precision
  };

  /// Makes the file; what is there of that name is replaced. Throws std::runtime_error, as do the others, where it cannot be
  /// written.
  Hdf5TableWriter(const std::filesystem::path &file, const std::vector<Column> &columns, Eigen::Index n_rows);
  ~Hdf5TableWriter();

  /// The next rows, one number per column.
  void append(const std::vector<double> &rows);

  /// All rows are there.
  void finish();

private:
  struct File;
  std::unique_ptr<File> file;
};
} // namespace moreau::exchange

#endif
