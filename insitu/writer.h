// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_WRITER_H
#define MOREAU_INSITU_WRITER_H

#include "geometry/progress.h"
#include "insitu/vocabulary.h"

#include <chrono>
#include <filesystem>
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

/// One process' share of every mesh, where several processes write one run.
struct Piece
{
  unsigned int rank     = 0;
  unsigned int n_pieces = 1;
};

/// Writes every mesh of a snapshot in VTK's XML formats (base64 of zlib-compressed binary): `name_STEP.vtp` (PolyData) where
/// its cells are vertices, lines or polygons, `name_STEP.vtu` (UnstructuredGrid) where they are others; and `solution.pvd`
/// that lists them: after the first snapshot, then at most once a second, since it grows with every snapshot, and at
/// finish(). Every file appears complete or not at all.
///
/// What ParaView 5.11 reads from them: units as information UNITS_LABEL of the arrays; the active arrays as `Scalars` and
/// `Vectors` of point and cell data (active_arrays() decides which); the time as field data `TimeValue`, for files that are
/// opened without solution.pvd; blocks of solution.pvd by the names of the meshes. Where the first snapshot has one mesh
/// only, ParaView shows no other one later on.
///
/// With several pieces, each process has a writer and gives its own share of
/// the same meshes, with the same arrays in the same order:
/// it becomes `name_STEP_pRANK.vtu`. The process with rank 0 also writes `name_STEP.pvtu`, which lists the pieces, and
/// solution.pvd. These processes do not wait for each other here: who wants nothing listed that is not there lets all of
/// them write_pieces(), agrees that they have, and then lists.
class VtkWriter : public Writer
{
public:
  explicit VtkWriter(std::filesystem::path directory, const Piece &piece = Piece());

  /// Throws std::runtime_error with one sentence naming the file that cannot
  /// be written, std::invalid_argument for an inconsistent mesh.
  void write(const Snapshot &snapshot) override { write(snapshot, {}); }

  /// The same, telling how much is written.
  void write(const Snapshot &snapshot, const geometry::Progress &progress);

  /// The two halves of write(): the files with the numbers, or of several pieces this process' share; then what lists them,
  /// which rank 0 does. Both throw as write() does.
  void write_pieces(const Snapshot &snapshot, const geometry::Progress &progress = {});
  void list(const Snapshot &snapshot);

  /// A piece of the snapshot that is not where this process looks for it; empty: all are there.
  std::filesystem::path missing_piece(const Snapshot &snapshot) const;

  /// Removes this process' files of a snapshot, whole or not, of which not all could be written.
  void take_back(const Snapshot &snapshot);

  /// Brings solution.pvd up to date; needed after the last of several snapshots.
  void finish();

  /// NAME.pvd for every mesh beside solution.pvd, for who opens one alone: meshes of one time may have arrays of the same
  /// name with different numbers of components, which ParaView does not colour together.
  void list_each_mesh();

  /// A line of solution.pvd.
  struct Entry
  {
    double      time;
    std::string name, file;
  };
  const std::vector<Entry> &listed() const { return entries; }

  /// The files behind an entry's one, itself included: with several pieces also those.
  static std::vector<std::string> files_of(const std::string &listed, unsigned int n_pieces);

  /// Goes on where another writer stopped: solution.pvd lists its files first.
  void go_on_after(std::vector<Entry> earlier);

private:
  Entry                 entry_of(const Mesh &mesh, const Snapshot &snapshot) const;
  std::filesystem::path piece_of(const Entry &entry) const;

  void write_solution();

  /// only: the mesh whose files it lists; empty: all.
  void write_collection(const std::string &file, const std::string &only = "") const;

  std::filesystem::path directory;
  Piece                 piece;
  std::vector<Entry>    entries;
  std::size_t           n_listed = 0;

  std::chrono::steady_clock::time_point last_listed;
};
} // namespace moreau::insitu

#endif
