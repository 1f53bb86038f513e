// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_STEP_TABLE_H
#define MOREAU_APP_OUTPUT_STEP_TABLE_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace moreau::app
{
/// A table of text that grows by a line per step. Lines go to FILE.incomplete, at least every second, and FILE appears when
/// the run ends or stops: nothing is written twice however long the run is, and FILE never ends within a line.
/// All throw std::runtime_error "FILE cannot be written: reason".
class StepTable
{
public:
  /// Begins anew with this line.
  StepTable(std::filesystem::path file, const std::string &header);

  /// Throws InputError("Output directory", ...) where FILE.incomplete or, where there is none, FILE is missing or shorter;
  /// changes nothing.
  static void require(const std::filesystem::path &file, std::uintmax_t size);

  /// Goes on behind the first `size` bytes of this file; what follows them is cut off. Throws as require() does.
  static StepTable resumed(const std::filesystem::path &file, std::uintmax_t size);

  StepTable(StepTable &&other) noexcept;

  /// finish() without complaint, unless it was called.
  ~StepTable();

  void append(const std::string &line);

  /// Brings all lines to the disk; returns their bytes.
  std::uintmax_t flush();

  /// Gives the file its name.
  void finish();

private:
  StepTable() = default;
  void              write_buffer();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file;
  int                   descriptor = -1; ///< of FILE.incomplete; -1: finished
  std::uintmax_t        written    = 0;  ///< bytes
  std::string           buffer;

  std::chrono::steady_clock::time_point last_write;
};
} // namespace moreau::app

#endif
