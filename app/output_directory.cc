// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output_directory.h"

#include "convex/input_error.h"
#include "insitu/writer.h"

#include <ostream>
#include <stdexcept>

namespace moreau::app
{
OutputDirectory::OutputDirectory(std::filesystem::path path) : directory(std::move(path))
{
  try
    {
      made = std::filesystem::create_directories(directory);
      std::filesystem::remove(directory / "summary.json");
    }
  catch (const std::filesystem::filesystem_error &error)
    {
      throw InputError("Output directory", directory.string() + " cannot be used: " + error.code().message() +
                                               "; name a directory that can be written.");
    }
  write(".moreau_was_here", [](std::ostream &out) { out << "This file shows that the directory can be written.\n"; });
  std::filesystem::remove(directory / ".moreau_was_here");
}

OutputDirectory::~OutputDirectory()
{
  std::error_code ignored;
  if (made && std::filesystem::is_empty(directory, ignored))
    std::filesystem::remove(directory, ignored);
}

void OutputDirectory::write(const std::string &file, const std::function<void(std::ostream &)> &write) const
{
  guard([&] { insitu::write_atomically(directory / file, write); });
}

void OutputDirectory::guard(const std::function<void()> &write_files) const
{
  try
    {
      write_files();
    }
  catch (const InputError &)
    {
      throw;
    }
  catch (const std::runtime_error &error)
    {
      throw InputError("Output directory",
                       std::string(error.what()) + "; name a directory that can be written and has space.");
    }
}
} // namespace moreau::app
