// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_WRITER_H
#define MOREAU_INSITU_WRITER_H

#include "insitu/snapshot.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace moreau::insitu
{
/// Something that takes snapshots: files here, ParaView Catalyst later.
class Writer
{
public:
  virtual ~Writer()                            = default;
  virtual void write(const Snapshot &snapshot) = 0;
};

/// Writes `name_STEP.vtp` (VTK XML PolyData: base64 of zlib-compressed binary) for every mesh, and `solution.pvd` that lists them: after
/// the first snapshot, then at most once a second, since it grows with every snapshot, and at finish(). Every file appears complete or not at all. Throws std::runtime_error with one sentence naming the file.
class VtkWriter : public Writer
{
public:
  explicit VtkWriter(std::filesystem::path directory);
  void write(const Snapshot &snapshot) override;

  /// Brings solution.pvd up to date; needed after the last of several snapshots.
  void finish();

private:
  void write_collection();

  struct Entry
  {
    double      time;
    std::string name, file;
  };
  std::filesystem::path directory;
  std::vector<Entry>    entries;
  std::size_t           n_listed = 0;

  std::chrono::steady_clock::time_point last_listed;
};

/// Writes under a temporary name in the same directory, then renames: readers never see half a file.
/// Throws std::runtime_error "FILE cannot be written: reason" where the directory is missing, not writable or the disk is full.
void write_atomically(const std::filesystem::path &file, const std::function<void(std::ostream &)> &write);
} // namespace moreau::insitu

#endif
