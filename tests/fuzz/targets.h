// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_FUZZ_TARGETS_H
#define MOREAU_TESTS_FUZZ_TARGETS_H

#include <functional>
#include <string>
#include <vector>

/// What the program reads, each kind through the functions that the program reads it with, from bytes that may be anything.
namespace moreau::fuzz
{
using Bytes = std::string;

struct Target
{
  std::string                         name;
  std::function<void(const Bytes &)>  read;  ///< Returns, or throws what the program would turn into a sentence.
  std::function<std::vector<Bytes>()> seeds; ///< what the reader is made for
  std::vector<std::string>            words; ///< that it knows
  bool needs_child = false; ///< reads each file in a process of its own first (`exchange::death_in_a_child`)
};

Target parameter_files();
Target files_of_spheres();
Target spheres_in_hdf5();
Target files_of_densities();
Target files_of_blocks();
Target meshes();
Target checkpoints();
Target formulas();
Target obstacle_texts();
Target numpy_archives();
Target fclib_files();
Target matrix_market_folders();
Target lammps_files();
Target pictures_of_spheres();

const std::vector<Target> &targets();

/// Throws std::invalid_argument where there is none of this name.
const Target &target(const std::string &name);

/// Reads. InputErrors are answers, as long as each is one printable sentence whose subject has a place; everything else that
/// is thrown comes through.
void read(const Target &target, const Bytes &bytes);

/// Calls a part of a target, whose InputErrors are answers, too.
void attempt(const std::function<void()> &part);

/// The bytes as a file of this name in a folder that lasts as long as the process; prm/data is beside it. Returns its path.
std::string written(const std::string &name, const Bytes &bytes);

/// The files of prm/ and of the folders in it with this ending, or their lines that set this parameter: the values.
std::vector<Bytes> shipped(const std::string &extension);
std::vector<Bytes> shipped_values(const std::string &parameter);
} // namespace moreau::fuzz

#endif
