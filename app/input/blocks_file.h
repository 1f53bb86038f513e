// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_BLOCKS_FILE_H
#define MOREAU_APP_INPUT_BLOCKS_FILE_H

#include "macro/line/exact_blocks.h"

#include <string>
#include <vector>

namespace moreau::app
{
/// Blocks of one instant.
struct BlocksOfFile
{
  std::vector<macro::Block> blocks;          ///< from left to right
  double                    t          = 0.; ///< s, of the file; 0 where it has no times
  std::size_t               n_instants = 1;  ///< in the file
};

/// The blocks of a CSV file as blocks.csv is (doc/formats.md): columns left, right (m), u (m/s), and t (s), block, which may
/// be left out; block is not used. Where there are several times, they increase and the blocks of the last one are taken.
/// Throws InputError("Congested flow/Blocks file", ...) naming file and line for: a file that cannot be read or has no rows,
/// columns that are missing or unknown, a word that is not a finite number, a time that is smaller than the one before, a
/// right end that is not on the right of the left one, blocks that overlap or reach into a wall by more than 1e-12 of the
/// largest coordinate, and those that are shorter than 1e-14 of it.
BlocksOfFile blocks_of_file(const std::string &file_name, const macro::LineWalls &walls);
} // namespace moreau::app

#endif
