// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_GMSH_TEXT_H
#define MOREAU_MACRO_MESHES_GMSH_TEXT_H

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace moreau::macro
{
/// What a Gmsh file (ASCII, format 2.2 or 4.1) holds, whose numbers of nodes, elements and entities are those that its heads
/// announce: deal.II's reader believes the heads and writes where they lead. So it gets the cells written anew.
struct GmshText
{
  std::vector<std::array<double, 3>>           points;
  std::map<int, std::vector<std::vector<int>>> cells;           ///< of types 3 and 5: points in Gmsh's order
  std::map<int, long long>                     n_of_type  = {}; ///< elements of each of Gmsh's types
  int                                          cells_type = 3;  ///< 5 where there are hexahedra

  /// All points and the cells, without what lies on their boundary.
  std::string cells_in_format_2() const;
};

/// Throws InputError("the file of the mesh", ...).
GmshText read_gmsh(const std::filesystem::path &file);

/// Throws InputError("the file of the mesh", "'FILE' what").
[[noreturn]] void refuse_mesh(const std::filesystem::path &file, const std::string &what);
} // namespace moreau::macro

#endif
