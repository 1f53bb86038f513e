// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/output_directory.h"

#include "app/input/packing_file.h"
#include "app/input/parameters.h"
#include "app/input/text/words.h"
#include "app/output/log.h"

#include "convex/input_error.h"
#include "insitu/atomic_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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
      R"(((spheres|contacts|obstacles|walls)_\d{4,}(_p\d{4,})?\.p?vtp|continuum_\d{4,}(_p\d{4,})?\.p?vt[pu]|)"
      R"((voronoi|coarse|continuum_[a-z_-]+)_\d{4,}\.vt[pu]|(solution|spheres|voronoi|continuum(_[a-z_-]+)?)\.pvd|)"
      R"((spheres|contacts|blocks|comparison|cone|statistics|profile|packing|convergence|motions?|sweep|measurements)\.csv|)"
      R"((cone|convergence|motions|sweep|costs|profile|contact_(forces|directions))(\.(png|svg|pdf|gp)|_plot\.csv)|)"
      R"(contact_(forces|directions)\.csv|(spheres|contacts)\.h5|)"
      R"(open_in_paraview\.py|packing\.json|log\.txt|parameters\.prm|summary\.json|checkpoint\.moreau))"
      R"((\.incomplete)?)");
  return std::regex_match(name, results);
}

[[noreturn]] void refuse(const std::string &reason) { throw InputError("Output directory", reason); }

/// Whether the results in a directory are those of a run: its parameters or its summary say so.
bool is_of_a_run(const fs::path &directory)
{
  const auto opened = [&](const char *name) {
    std::error_code ignored;
    return fs::is_regular_file(directory / name, ignored) ? std::ifstream(directory / name) : std::ifstream();
  };
  std::ifstream parameters = opened("parameters.prm"), summary = opened("summary.json"), packing = opened("packing.json");
  std::string   first_line;
  std::getline(parameters, first_line);
  if (first_line == ParameterFile::first_line)
    return true;
  if (is_packing_record(std::string(std::istreambuf_iterator<char>(packing), {})))
    return true;
  const auto json = nlohmann::json::parse(summary, nullptr, false);
  return json.is_object() && json.contains("problem") && json.contains("version");
}

/// Files with the names of results, without those that a run goes on with; the summary is the first.
std::vector<fs::path> results_in(const fs::path &directory, const std::set<std::string> &to_go_on_with)
{
  std::vector<fs::path> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory))
    {
      const std::string name = entry.path().filename().string();
      if (is_result(name) && to_go_on_with.count(name) == 0 && !entry.is_directory())
        found.push_back(entry.path());
    }
  std::sort(found.begin(), found.end());
  // a run that is killed while it removes them leaves no summary beside what is not whole
  std::stable_partition(found.begin(), found.end(), [](const fs::path &file) { return file.filename() == "summary.json"; });
  return found;
}

/// What has the name of a result and was made by somebody else is not replaced.
void require_own_results(const fs::path &directory, const std::set<std::string> &to_go_on_with)
{
  const std::vector<fs::path> found = results_in(directory, to_go_on_with);
  if (found.empty() || is_of_a_run(directory))
    return;
  constexpr std::size_t    few = 3;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(few, found.size()); ++k)
    names.push_back(found[k].filename().string());
  if (found.size() > few)
    names.push_back("others");
  refuse(directory.string() + " holds " + joined(names, ", ") +
         ", which the results of the run would replace and no run of " +
         "moreau seems to have made; move them or name another directory.");
}

/// Whether the system itself shows its state there as files: permissions say that root may make others, but nobody can.
bool is_of_the_system(const fs::path &directory)
{
  struct statfs here = {};
  if (statfs(directory.c_str(), &here) != 0)
    return false;
  for (const long of_system : {PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC})
    if (here.f_type == of_system)
      return true;
  return false;
}

constexpr const char *running_mark = ".moreau_runs_here";
} // namespace

RunningMark::RunningMark(const fs::path &directory) : file(directory / running_mark)
{
  const auto  fail = [&] { throw fs::filesystem_error("", file, std::error_code(errno, std::generic_category())); };
  struct stat held = {}, named = {};
  do
    {
      if (descriptor >= 0) // of a mark that was removed just now
        close(descriptor);
      descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      was_there  = descriptor < 0 && errno == EEXIST;
      if (was_there)
        descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor < 0)
        fail();
      if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) // a file system may have no locks
        {
          close(descriptor);
          refuse("Another run writes into " + directory.string() + "; wait until it has ended, or name another directory.");
        }
  } while (fstat(descriptor, &held) != 0 || lstat(file.c_str(), &named) != 0 || held.st_ino != named.st_ino);
  stays = was_there;
}

RunningMark::~RunningMark()
{
  if (!stays)
    unlink(file.c_str());
  close(descriptor);
}

bool lies_in(const fs::path &file, const fs::path &folder)
{
  std::error_code ignored;
  const fs::path  whole = fs::weakly_canonical(file, ignored), outer = fs::weakly_canonical(folder, ignored);
  return !file.empty() && std::mismatch(outer.begin(), outer.end(), whole.begin(), whole.end()).first == outer.end();
}

void require_usable(const fs::path &directory, const bool goes_on)
{
  std::error_code error;
  fs::path        there = fs::absolute(directory, error).lexically_normal();
  while (!there.empty() && there != there.parent_path() && !fs::exists(fs::symlink_status(there, error)))
    there = there.parent_path();
  if (!fs::is_directory(there, error))
    error = std::make_error_code(std::errc::not_a_directory);
  else if (::access(there.c_str(), W_OK | X_OK) != 0)
    error = std::make_error_code(static_cast<std::errc>(errno));
  else if (is_of_the_system(there))
    error = std::make_error_code(std::errc::operation_not_permitted);
  else
    try
      {
        if (!goes_on && fs::is_directory(directory) && !fs::exists(directory / running_mark))
          require_own_results(directory, {});
        return;
      }
    catch (const fs::filesystem_error &unreadable)
      {
        error = unreadable.code();
      }
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
      mark.emplace(directory);
      require_inputs_to_stay();
      if (!mark->is_left_by_another_run() && !kept)
        require_own_results(directory, this->to_go_on_with);
      replaced = !kept && !results().empty();
      remove_results();
      mark->remove_at_end();
      write(".moreau_was_here", [](std::ostream &out) { out << "This file shows that the directory can be written.\n"; });
      fs::remove(directory / ".moreau_was_here");
    }
  catch (const fs::filesystem_error &error)
    {
      remove_made_folders();
      refuse(directory.string() + " cannot be used: " + error.code().message() +
             "; name a directory in which files can be written and removed.");
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

void OutputDirectory::say_what_is_replaced(Log &log) const
{
  if (replaced)
    log.line("replacing the results of an earlier run in " + directory.string());
}

void OutputDirectory::write(const std::string &file, const std::function<void(std::ostream &)> &write) const
{
  guard_writing([&] { insitu::write_atomically(directory / file, write); });
}

void OutputDirectory::make(const std::string &file, const std::function<void(const fs::path &)> &make) const
{
  guard_writing([&] { insitu::make_atomically(directory / file, make); });
}

void OutputDirectory::write_lasting(const std::string &file, const std::function<void(std::ostream &)> &write)
{
  this->write(file, write);
  to_go_on_with.insert(file);
}

void guard_writing(const std::function<void()> &write_files)
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

bool OutputDirectory::is_input(const fs::path &file) const
{
  std::error_code ignored;
  for (const fs::path &input : inputs)
    if (fs::equivalent(input, file, ignored))
      return true;
  return false;
}

/// Of what is read, results have the names of tables of spheres alone, and scripts may put anything into their folder.
void OutputDirectory::require_inputs_to_stay() const
{
  for (const char *const table : {"spheres.csv", "spheres.h5"})
    if (is_input(directory / table))
      refuse("The run would replace " + (directory / table).string() + ", which it reads; name another directory.");
  const fs::path folder = directory / in_situ_folder;
  for (const fs::path &input : inputs)
    if (lies_in(input, folder))
      refuse("The run would remove " + input.string() + ", which it reads, with what an earlier one left in " +
             folder.string() + "; move it or name another directory.");
}

std::vector<fs::path> OutputDirectory::results() const { return results_in(directory, to_go_on_with); }

void OutputDirectory::remove_results() const
{
  for (const fs::path &result : results())
    if (!is_input(result))
      fs::remove(result);
  if (to_go_on_with.count(in_situ_folder) == 0 && fs::exists(directory / in_situ_folder / in_situ_mark) &&
      !fs::is_symlink(directory / in_situ_folder))
    fs::remove_all(directory / in_situ_folder);
}

void OutputDirectory::remove_made_folders()
{
  mark.reset();
  std::error_code ignored;
  for (const fs::path &folder : made)
    if (!fs::remove(folder, ignored) && ignored) // something lies in it; no error where it could not be made
      return;
}
} // namespace moreau::app
