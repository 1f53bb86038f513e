// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_GMSH_TEXT_H
#define MOREAU_MACRO_MESHES_GMSH_TEXT_H

#include <filesystem>
#include <map>
#include <string>

namespace moreau::macro
{
/// A Gmsh file (ASCII, format 2.2 or 4.1) whose numbers of nodes, elements and entities are those that its heads announce:
/// deal.II's reader believes the heads and writes where they lead.
struct GmshText
{
  std::string              sections;       ///< the four that deal.II reads, and nothing else
  std::map<int, long long> n_of_type = {}; ///< elements of each of Gmsh's types
};

/// Throws InputError("the file of the mesh", ...).
GmshText read_gmsh(const std::filesystem::path &file);

/// Throws InputError("the file of the mesh", "'FILE' what").
[[noreturn]] void refuse_mesh(const std::filesystem::path &file, const std::string &what);
} // namespace moreau::macro

#endif
