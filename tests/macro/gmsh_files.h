// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_GMSH_FILES_H
#define MOREAU_TESTS_MACRO_GMSH_FILES_H

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/// Meshes of Gmsh that tests write for themselves.
namespace moreau::macro
{
/// A mesh file that is deleted with this object.
struct TemporaryFile
{
  explicit TemporaryFile(const std::string &text)
      : path(std::filesystem::temp_directory_path() / ("moreau_mesh_" + std::to_string(std::random_device()()) + ".msh"))
  {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }

  std::filesystem::path path;
};

/// Cells of one type, by Gmsh's number of it; nodes have three coordinates and are counted from 1.
struct GmshCells
{
  int                                type = 3;
  std::vector<std::array<double, 3>> nodes;
  std::vector<std::vector<int>>      cells;
};

/// Gmsh 2.2 with the given cells of one type, all digits of the nodes.
inline std::string gmsh(const std::vector<std::array<double, 3>> &nodes, const int type,
                        const std::vector<std::vector<int>> &cells)
{
  std::ostringstream text;
  text.precision(17);
  text << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << nodes.size() << '\n';
  for (std::size_t k = 0; k < nodes.size(); ++k)
    text << k + 1 << ' ' << nodes[k][0] << ' ' << nodes[k][1] << ' ' << nodes[k][2] << '\n';
  text << "$EndNodes\n$Elements\n" << cells.size() << '\n';
  for (std::size_t k = 0; k < cells.size(); ++k)
    {
      text << k + 1 << ' ' << type << " 2 1 1";
      for (const int node : cells[k])
        text << ' ' << node;
      text << '\n';
    }
  text << "$EndElements\n";
  return text.str();
}

inline std::string gmsh(const GmshCells &mesh) { return gmsh(mesh.nodes, mesh.type, mesh.cells); }

/// n x n quadrilaterals on the unit square whose inner nodes are displaced by up to 0.2/n.
inline GmshCells perturbed_square(const int n)
{
  std::mt19937                           random(7);
  std::uniform_real_distribution<double> displacement(-.2 / n, .2 / n);
  GmshCells                              mesh;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      {
        const bool   inside = 0 < i && i < n && 0 < j && j < n;
        const double dx = inside ? displacement(random) : 0., dy = inside ? displacement(random) : 0.;
        mesh.nodes.push_back({double(i) / n + dx, double(j) / n + dy, 0.});
      }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      {
        const int k = j * (n + 1) + i + 1;
        mesh.cells.push_back({k, k + 1, k + n + 2, k + n + 1});
      }
  return mesh;
}

/// n³ parallelepipeds with the lower edges e_x, (.3,1,0), (.2,.1,1), every second cell numbered from its opposite corner.
inline GmshCells sheared_box(const int n)
{
  GmshCells mesh;
  mesh.type       = 5;
  const auto node = [n](const int i, const int j, const int k) { return (k * (n + 1) + j) * (n + 1) + i + 1; };
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        mesh.nodes.push_back({(i + .3 * j + .2 * k) / n, (j + .1 * k) / n, double(k) / n});
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if ((i + j + k) % 2 == 0)
          mesh.cells.push_back({node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k),
                                node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)});
        else // turned about the z axis by 180 degrees
          mesh.cells.push_back({node(i + 1, j + 1, k), node(i, j + 1, k), node(i, j, k), node(i + 1, j, k),
                                node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1), node(i, j, k + 1), node(i + 1, j, k + 1)});
  return mesh;
}
} // namespace moreau::macro

#endif
