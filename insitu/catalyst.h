// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_CATALYST_H
#define MOREAU_INSITU_CATALYST_H

#include "insitu/writer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace moreau::insitu
{
/// ParaView scripts that see a run while it goes, through ParaView's Catalyst. Several processes that share a run call the
/// same functions together, each with its own share of the meshes.
class CatalystWriter
{
public:
  struct Options
  {
    std::vector<std::filesystem::path> scripts;          ///< absolute names
    std::filesystem::path              directory;        ///< what relative names of extracts start from; exists
    Piece                              piece;            ///< with one piece, other processes of an MPI run are not asked
    double                             time_limit = 60.; ///< of a call (s); a script that takes longer fails
  };

  virtual ~CatalystWriter() = default;

  /// Whether a script has something to do at this moment. Cheap: meant to be
  /// asked before a snapshot is made. time: s; step: of the run.
  virtual bool wants(double time, std::int64_t step) = 0;

  /// Shows it to the scripts, behind wants() of the same time and step. Its
  /// arrays are not copied: it is kept until the next one. progress: of the scripts.
  virtual void write(std::shared_ptr<const Snapshot> snapshot, const geometry::Progress &progress) = 0;

  struct Message
  {
    std::string sentence, details; ///< details: several lines, such as where in a script an error is; or none
  };

  /// What there is to say since the last call: scripts that failed, which are
  /// not run again, what ParaView complains of, and what scripts print.
  virtual std::vector<Message> messages() = 0;

  /// Ends the scripts.
  virtual void finish() = 0;

  /// Of the last write(): how long the arrays took to become ParaView's (s).
  virtual double conversion_time() const = 0;
};

/// Loads Catalyst. Throws std::runtime_error with one sentence where this build has none, or where it cannot start.
std::unique_ptr<CatalystWriter> catalyst_writer(const CatalystWriter::Options &options);

/// "ParaView 5.11.0"; empty where this build has no Catalyst.
std::string catalyst_version();
} // namespace moreau::insitu

#endif
