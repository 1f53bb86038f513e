// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_GMSH_TEXT_H
#define MOREAU_MACRO_MESHES_GMSH_TEXT_H

#include <array>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace moreau::macro
{
/// What a Gmsh file (ASCII, format 2.2 or 4.1) holds, whose numbers of nodes, elements and entities are those that its heads
/// announce: deal.II's reader believes the heads and writes where they lead, so it is not asked.
struct GmshText
{
  std::vector<std::array<double, 3>> points;
  std::map<int, long long>           n_of_type; ///< elements of each of Gmsh's types
  /// Points of each quadrilateral (type 3) and hexahedron (type 5), in Gmsh's order.
  std::map<int, std::vector<std::vector<int>>> cells;
};

/// Throws InputError("the file of the mesh", ...).
GmshText read_gmsh(const std::filesystem::path &file);

/// Throws InputError("the file of the mesh", "'FILE' what").
[[noreturn]] void refuse_mesh(const std::filesystem::path &file, const std::string &what);

/// "(1, 0.5)".
template <int dim, class Point>
std::string position(const Point &x)
{
  std::ostringstream text;
  for (int a = 0; a < dim; ++a)
    text << (a == 0 ? "(" : ", ") << x[a];
  return text.str() + ')';
}
} // namespace moreau::macro

#endif
