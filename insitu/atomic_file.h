// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_ATOMIC_FILE_H
#define MOREAU_INSITU_ATOMIC_FILE_H

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace moreau::insitu
{
/// Writes under a temporary name in the same directory, brings it to the disk, then renames: readers never see half a file.
/// Links of either name are replaced, not followed.
/// Throws std::runtime_error "FILE cannot be written: reason" where the directory is missing, not writable or the disk is
/// full.
void write_atomically(const std::filesystem::path &file, const std::function<void(std::ostream &)> &write);

/// The same where a library makes the file, at the temporary place that it is told. A std::runtime_error of `make` becomes
/// the reason.
void make_atomically(const std::filesystem::path &file, const std::function<void(const std::filesystem::path &)> &make);
} // namespace moreau::insitu

#endif
