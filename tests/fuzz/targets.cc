// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/places.h"
#include "app/input/text/prm_text.h"
#include "convex/input_error.h"
#include "tests/app/units/folder.h"

#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace moreau::fuzz
{
namespace fs = std::filesystem;

const std::vector<Target> &targets()
{
  static const std::vector<Target> all = {
      parameter_files(), files_of_spheres(), files_of_densities(),    meshes(),       checkpoints(),         formulas(),
      obstacle_texts(),  numpy_archives(),   matrix_market_folders(), lammps_files(), pictures_of_spheres(), fclib_files(),
      spheres_in_hdf5(), files_of_blocks()};
  return all;
}

const Target &target(const std::string &name)
{
  for (const Target &target : targets())
    if (target.name == name)
      return target;
  throw std::invalid_argument("There is no target '" + name + "'.");
}

namespace
{
/// Throws std::logic_error where the program would print anything but one sentence about something that it knows.
void require_sentence(const InputError &error)
{
  const auto fail = [&](const std::string &what) {
    throw std::logic_error("InputError(\"" + error.subject + "\", \"" + error.sentence + "\") " + what);
  };
  if (error.sentence.empty() || (error.sentence.back() != '.' && error.sentence.back() != '?')) // "did you mean ...?"
    fail("is no sentence");
  if (error.subject.rfind("the ", 0) == 0 && app::place_of(error.subject).empty())
    fail("is about something without a place");
}
} // namespace

void attempt(const std::function<void()> &part)
{
  try
    {
      part();
    }
  catch (const InputError &error)
    {
      require_sentence(error);
    }
}

void read(const Target &target, const Bytes &bytes)
{
  attempt([&] { target.read(bytes); });
}

std::string written(const std::string &name, const Bytes &bytes)
{
  static const Folder folder;
  static const bool   has_data = [] {
    fs::create_directories(folder.path / "prm/problem");
    fs::create_directory_symlink(fs::path(MOREAU_ROOT) / "prm/data", folder.path / "prm/data");
    return true;
  }();
  return has_data ? folder.write("prm/problem/" + name, bytes).string() : "";
}

std::vector<Bytes> shipped(const std::string &extension)
{
  constexpr std::uintmax_t most = 1 << 13; // longer ones say nothing more
  std::set<fs::path>       files;
  for (const auto &entry : fs::recursive_directory_iterator(fs::path(MOREAU_ROOT) / "prm"))
    if (entry.path().extension() == extension && entry.file_size() <= most)
      files.insert(entry.path());
  std::vector<Bytes> result;
  for (const fs::path &file : files)
    {
      std::ifstream in(file, std::ios::binary);
      result.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  return result;
}

std::vector<Bytes> shipped_values(const std::string &parameter)
{
  std::set<Bytes> values;
  for (const Bytes &text : shipped(".prm"))
    for (const app::Assignment &assignment : app::parse_prm(text).assignments)
      if (const auto slash = assignment.path.rfind('/');
          assignment.path.substr(slash == std::string::npos ? 0 : slash + 1) == parameter)
        values.insert(assignment.value);
  return {values.begin(), values.end()};
}
} // namespace moreau::fuzz
