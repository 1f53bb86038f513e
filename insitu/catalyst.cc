// SPDX-License-Identifier: GPL-3.0-or-later
// ParaView is hundreds of libraries: they are loaded where a script asks for them, so that all other runs start without.
#include "insitu/catalyst.h"

#include <dlfcn.h>

#include <stdexcept>
#include <system_error>

namespace moreau::insitu
{
namespace
{
namespace fs = std::filesystem;

/// Beside the program, or in ../lib/moreau where it is installed.
fs::path plugin()
{
  std::error_code ignored;
  const fs::path  folder = fs::read_symlink("/proc/self/exe", ignored).parent_path(), name = "moreau_catalyst.so";
  const fs::path  installed = folder.parent_path() / MOREAU_PLUGIN_FOLDER / name;
  return fs::exists(installed, ignored) ? installed : folder / name;
}
} // namespace

std::unique_ptr<CatalystWriter> catalyst_writer(const CatalystWriter::Options &options)
{
  if (catalyst_version().empty())
    throw std::runtime_error("This build has no Catalyst");
  // global: the modules of Python need the symbols of the libraries
  void *const library = dlopen(plugin().c_str(), RTLD_NOW | RTLD_GLOBAL);
  void *const entry   = library == nullptr ? nullptr : dlsym(library, "moreau_catalyst_writer");
  if (entry == nullptr)
    throw std::runtime_error("Catalyst cannot be loaded: " + std::string(dlerror()));
  return std::unique_ptr<CatalystWriter>(
      reinterpret_cast<CatalystWriter *(*)(const CatalystWriter::Options &)>(entry)(options));
}

std::string catalyst_version()
{
#ifdef MOREAU_CATALYST_VERSION
  std::error_code ignored;
  if (fs::exists(plugin(), ignored))
    return MOREAU_CATALYST_VERSION;
#endif
  return "";
}
} // namespace moreau::insitu
