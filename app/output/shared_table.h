// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_SHARED_TABLE_H
#define MOREAU_APP_OUTPUT_SHARED_TABLE_H

#include "app/output/output_directory.h"
#include "exchange/hdf5_table.h"
#include "geometry/processes.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace moreau::app
{
/// A table whose rows several processes have, in the order of their ranks: the first one writes it, as does
/// OutputDirectory::write, and holds a small part of it at a time. All call it; where the file cannot be written all throw.
///   header  of the first process
///   rows    writes those from `first` to `last`-1 of this process, of which it has n
void write_shared(const std::optional<OutputDirectory> &output, const geometry::Processes &processes,
                  const std::string &file, const std::function<void(std::ostream &)> &header, geometry::Index n,
                  const std::function<void(std::ostream &, geometry::Index first, geometry::Index last)> &rows);

/// The same in a file of HDF5.
///   rows    adds the numbers of those from `first` to `last`-1, one per column
void write_shared(const std::optional<OutputDirectory> &output, const geometry::Processes &processes,
                  const std::string &file, const std::vector<exchange::Hdf5TableWriter::Column> &columns, geometry::Index n,
                  const std::function<void(std::vector<double> &, geometry::Index first, geometry::Index last)> &rows);
} // namespace moreau::app

#endif
