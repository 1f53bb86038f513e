// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PACKING_FILE_H
#define MOREAU_APP_INPUT_PACKING_FILE_H

#include "micro/packings.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

/// Random packings take long: a run leaves its own in packing.csv, and one with the same parameters takes it from there.
namespace moreau::app
{
/// The text of packing.json, which says what the packing beside it was made with and what became of it.
std::string packing_record(const micro::PackingParameters &parameters, const micro::Packing &packing);

/// Whether a text is one of these.
bool is_packing_record(const std::string &text);

/// The packing that packing.csv and packing.json in a directory hold, bit for bit; nothing where it was made with other
/// parameters or by another version, where a file is missing or where the spheres are not those that were written.
std::optional<micro::Packing> packing_left_in(const std::filesystem::path    &directory,
                                              const micro::PackingParameters &parameters);

/// A packing, perhaps of an earlier run.
struct CachedPacking
{
  micro::Packing packing;
  bool           was_there = false;
  std::string    warning; ///< a sentence, where it could not be left for other runs; else empty
};

/// The same from a folder that many runs share, each packing in a folder of its own; where it is not there, or the folder
/// has no name, what `make` makes, which is left there. Throws InputError("Random packing/Cache directory", ...) before it
/// makes anything where nothing can be written.
CachedPacking packing_of_cache(const std::filesystem::path &cache, const micro::PackingParameters &parameters,
                               const std::function<micro::Packing()> &make);
} // namespace moreau::app

#endif
