// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/output_directory.h"

#include "convex/input_error.h"
#include "insitu/writer.h"

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <regex>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

namespace moreau::app
{
namespace fs = std::filesystem;

namespace
{
/// Whether a run writes files of this name, or leaves them where it is killed.
bool is_result(const std::string &name)
{
  static const std::regex results(
      R"(((spheres|contacts|obstacles)_\d{4,}\.vtp|continuum_\d{4,}(_p\d{4,})?\.p?vt[pu]|)"
      R"((voronoi|continuum_[a-z_-]+)_\d{4,}\.vt[pu]|solution\.pvd|)"
      R"((spheres|contacts|blocks|comparison|statistics|profile|convergence|motions?)\.csv|(convergence|motions)\.png|)"
      R"(log\.txt|parameters\.prm|summary\.json|checkpoint\.moreau))"
      R"((\.incomplete)?)");
  return std::regex_match(name, results);
}

[[noreturn]] void refuse(const std::string &reason) { throw InputError("Output directory", reason); }
} // namespace

bool lies_in(const fs::path &file, const fs::path &folder)
{
  std::error_code ignored;
  const fs::path  whole = fs::weakly_canonical(file, ignored), outer = fs::weakly_canonical(folder, ignored);
  return !file.empty() && std::mismatch(outer.begin(), outer.end(), whole.begin(), whole.end()).first == outer.end();
}

void require_usable(const fs::path &directory)
{
  std::error_code error;
  fs::path        there = fs::absolute(directory, error).lexically_normal();
  while (!there.empty() && there != there.parent_path() && !fs::exists(fs::symlink_status(there, error)))
    there = there.parent_path();
  if (!fs::is_directory(there, error))
    error = std::make_error_code(std::errc::not_a_directory);
  else if (::access(there.c_str(), W_OK | X_OK) != 0)
    error = std::make_error_code(static_cast<std::errc>(errno));
  else
    return;
  refuse(directory.string() + " cannot be used: " + error.message() + "; name a directory that can be written.");
}

OutputDirectory::OutputDirectory(fs::path path, const std::vector<fs::path> &inputs, std::set<std::string> to_go_on_with)
    : directory(std::move(path)), inputs(inputs), to_go_on_with(std::move(to_go_on_with)), kept(!this->to_go_on_with.empty())
{
  try
    {
      for (fs::path folder = directory.lexically_normal(); !folder.empty() && !fs::exists(folder) && !fs::is_symlink(folder);
           folder          = folder.parent_path())
        if (folder.has_filename())
          made.push_back(folder);
      fs::create_directories(directory);
      require_inputs_to_stay();
      remove_results();
    }
  catch (const fs::filesystem_error &error)
    {
      remove_made_folders();
      refuse(directory.string() + " cannot be used: " + error.code().message() + "; name a directory that can be written.");
    }
  try
    {
      write(".moreau_was_here", [](std::ostream &out) { out << "This file shows that the directory can be written.\n"; });
      fs::remove(directory / ".moreau_was_here");
    }
  catch (...)
    {
      remove_made_folders();
      throw;
    }
}

OutputDirectory::~OutputDirectory()
{
  if (kept)
    return;
  try
    {
      remove_results();
    }
  catch (const fs::filesystem_error &) // what cannot be removed now was not there to be written either
    {}
  remove_made_folders();
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
      refuse(std::string(error.what()) + "; name a directory that can be written and has space.");
    }
}

void guard(const std::optional<OutputDirectory> &output, const std::function<void()> &write_files)
{
  if (output)
    output->guard(write_files);
  else
    write_files();
}

bool OutputDirectory::is_input(const fs::path &file) const
{
  std::error_code ignored;
  for (const fs::path &input : inputs)
    if (fs::equivalent(input, file, ignored))
      return true;
  return false;
}

/// Of what is read, results have the name of spheres.csv alone, and scripts may put anything into their folder.
void OutputDirectory::require_inputs_to_stay() const
{
  if (is_input(directory / "spheres.csv"))
    refuse("The run would replace " + (directory / "spheres.csv").string() + ", which it reads; name another directory.");
  const fs::path folder = directory / in_situ_folder;
  for (const fs::path &input : inputs)
    if (lies_in(input, folder))
      refuse("The run would remove " + input.string() + ", which it reads, with what an earlier one left in " +
             folder.string() + "; move it or name another directory.");
}

void OutputDirectory::remove_results() const
{
  std::vector<fs::path> results;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory))
    {
      const std::string name = entry.path().filename().string();
      if (is_result(name) && to_go_on_with.count(name) == 0 && !entry.is_directory() && !is_input(entry.path()))
        results.push_back(entry.path());
    }
  for (const fs::path &result : results)
    fs::remove(result);
  if (to_go_on_with.count(in_situ_folder) == 0 && fs::exists(directory / in_situ_folder / in_situ_mark) &&
      !fs::is_symlink(directory / in_situ_folder))
    fs::remove_all(directory / in_situ_folder);
}

void OutputDirectory::remove_made_folders() const
{
  std::error_code ignored;
  for (const fs::path &folder : made)
    if (!fs::remove(folder, ignored)) // fails where something lies in it
      return;
}
} // namespace moreau::app
