// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_INSITU_WRITTEN_H
#define MOREAU_TESTS_INSITU_WRITTEN_H

#include "insitu/writer.h"

#include <boost/test/unit_test.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

/// Small meshes, and what a writer made of them.
namespace moreau::insitu
{
/// A directory that lives as long as the test.
struct TemporaryDirectory
{
  std::filesystem::path path;

  TemporaryDirectory()
  {
    std::string name = (std::filesystem::temp_directory_path() / "moreau_writer_XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

inline std::string contents(const std::filesystem::path &file)
{
  std::ifstream     in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<unsigned char> decoded_base64(const std::string &text)
{
  static const std::string   digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  for (std::size_t k = 0; k + 3 < text.size(); k += 4)
    {
      std::uint32_t three = 0;
      int           n     = 3;
      for (std::size_t digit = 0; digit < 4; ++digit)
        {
          const bool padding = text[k + digit] == '=';
          n -= padding;
          three = three << 6 | (padding ? 0 : digits.find(text[k + digit]));
        }
      for (int byte = 0; byte < n; ++byte)
        bytes.push_back(three >> (16 - 8 * byte) & 255);
    }
  return bytes;
}

/// The numbers of the DataArray called `name`, decoded independently of the writer.
template <typename Number>
std::vector<Number> data_array(const std::string &xml, const std::string &name)
{
  std::size_t start = xml.find("Name=\"" + name + "\"");
  BOOST_TEST_REQUIRE(start != std::string::npos);
  start            = xml.find('>', start) + 1;
  std::string text = xml.substr(start, xml.find('<', start) - start); // up to </DataArray> or the unit
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());

  const auto base64_length = [](const std::size_t bytes) { return (bytes + 2) / 3 * 4; };
  const auto as_integers   = [](const std::vector<unsigned char> &bytes) {
    std::vector<std::uint64_t> integers(bytes.size() / 8);
    std::memcpy(integers.data(), bytes.data(), 8 * integers.size());
    return integers;
  };
  const std::uint64_t              n_blocks = as_integers(decoded_base64(text.substr(0, 12)))[0];
  const std::size_t                length   = base64_length((3 + n_blocks) * 8);
  const std::vector<std::uint64_t> header   = as_integers(decoded_base64(text.substr(0, length)));
  const std::vector<unsigned char> packed   = decoded_base64(text.substr(length));

  std::vector<unsigned char> bytes;
  std::size_t                position = 0;
  for (std::uint64_t block = 0; block < n_blocks; ++block)
    {
      const bool                 partial = block + 1 == n_blocks && header[2] != 0;
      std::vector<unsigned char> plain(partial ? header[2] : header[1]);
      uLongf                     size = plain.size();
      BOOST_TEST_REQUIRE(uncompress(plain.data(), &size, packed.data() + position, header[3 + block]) == Z_OK);
      BOOST_TEST_REQUIRE(size == plain.size());
      bytes.insert(bytes.end(), plain.begin(), plain.end());
      position += header[3 + block];
    }
  BOOST_TEST(position == packed.size());
  std::vector<Number> values(bytes.size() / sizeof(Number));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline Mesh two_spheres()
{
  Mesh mesh;
  mesh.name         = "spheres";
  mesh.points       = {0., 0., 0., 1. / 3., -2.5, 1e-300};
  mesh.connectivity = {0, 1};
  mesh.point_data   = {{"u", "m/s", 3, {1., 2., 3., 4., 5., 6.}}, {"radius", "m", 1, {0.5, 0.25}}};
  return mesh;
}

/// Two cells of any type that share no point.
inline Mesh two_cells(const CellType type, const std::size_t n_points)
{
  Mesh mesh;
  mesh.name      = "continuum";
  mesh.cell_type = type;
  for (std::size_t k = 0; k < 2 * n_points; ++k)
    {
      mesh.points.insert(mesh.points.end(), {0.1 * k, -1. * k, 1. / (k + 1.)});
      mesh.connectivity.push_back(2 * n_points - 1 - k);
    }
  mesh.cell_data = {{"p", "Pa s", 1, {7., 8.}}, {"u", "m/s", 3, {1., 2., 3., 4., 5., 6.}}};
  return mesh;
}

/// A triangle and a pentagon that share an edge.
inline Mesh two_polygons()
{
  Mesh mesh;
  mesh.name         = "voronoi";
  mesh.cell_type    = CellType::polygon;
  mesh.points       = {0., 0., 0., 1., 0., 0., 0., 1., 0., 2., 0.5, 0., 2., 1.5, 0., 1., 2., 0.};
  mesh.connectivity = {0, 1, 2, 1, 3, 4, 5, 2};
  mesh.offsets      = {3, 8};
  mesh.cell_data    = {{"p", "Pa s", 1, {7., 8.}}};
  return mesh;
}

/// A tetrahedron and a pyramid on the unit square that share nothing.
inline Mesh two_polyhedra()
{
  Mesh mesh;
  mesh.name         = "voronoi";
  mesh.cell_type    = CellType::polyhedron;
  mesh.points       = {5., 0., 0., 6., 0., 0., 5., 1., 0., 5., 0., 1., //
                       0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 0.5, 0.5, 1.};
  mesh.connectivity = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  mesh.offsets      = {4, 9};
  mesh.faces        = {4, 3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 0, 3, 2, //
                       5, 4, 4, 7, 6, 5, 3, 4, 5, 8, 3, 5, 6, 8, 3, 6, 7, 8, 3, 7, 4, 8};
  mesh.face_offsets = {17, 39};
  mesh.cell_data    = {{"p", "Pa s", 1, {7., 8.}}};
  return mesh;
}

inline std::set<std::string> files(const std::filesystem::path &directory)
{
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}
} // namespace moreau::insitu

#endif
