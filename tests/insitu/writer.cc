// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/writer.h"

#include <boost/test/unit_test.hpp>

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

using namespace moreau::insitu;

namespace
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

std::string contents(const std::filesystem::path &file)
{
  std::ifstream     in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<unsigned char> decoded_base64(const std::string &text)
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

Mesh two_spheres()
{
  Mesh mesh;
  mesh.name         = "spheres";
  mesh.points       = {0., 0., 0., 1. / 3., -2.5, 1e-300};
  mesh.connectivity = {0, 1};
  mesh.point_data   = {{"u", "m/s", 3, {1., 2., 3., 4., 5., 6.}}, {"radius", "m", 1, {0.5, 0.25}}};
  return mesh;
}

/// Two cells of any type that share no point.
Mesh two_cells(const CellType type, const std::size_t n_points)
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
Mesh two_polygons()
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
Mesh two_polyhedra()
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

std::set<std::string> files(const std::filesystem::path &directory)
{
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}
} // namespace

BOOST_AUTO_TEST_SUITE(writer)

BOOST_AUTO_TEST_CASE(numbers_read_back_bit_for_bit)
{
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {two_spheres()}});

  const std::string xml = contents(directory.path / "spheres_0000.vtp");
  BOOST_TEST(data_array<double>(xml, "Points") == two_spheres().points);
  BOOST_TEST(data_array<double>(xml, "u") == two_spheres().point_data[0].values);
  BOOST_TEST(data_array<double>(xml, "radius") == two_spheres().point_data[1].values);
  BOOST_TEST(data_array<long long>(xml, "connectivity") == two_spheres().connectivity);
  BOOST_TEST(data_array<long long>(xml, "offsets") == (std::vector<long long>{1, 2}));
  BOOST_TEST(xml.find("NumberOfPoints=\"2\" NumberOfVerts=\"2\" NumberOfLines=\"0\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(active_arrays_are_chosen_by_name)
{
  const auto active = [](const std::vector<std::string> &names) {
    std::vector<Array> arrays;
    for (const std::string &name : names)
      arrays.push_back({name, "", 1, {}});
    const ActiveArrays chosen = active_arrays(arrays);
    const auto         name   = [](const Array *const array) { return array == nullptr ? "" : array->name; };
    return name(chosen.scalars) + ' ' + name(chosen.vectors);
  };
  BOOST_TEST(active({"radius", "diameter", "mass", "U", "u", "u_projected"}) == "diameter u");
  BOOST_TEST(active({"p", "impulse", "D"}) == "p ");
  BOOST_TEST(active({"U", "u", "p", "density"}) == "p u");
  BOOST_TEST(active({"u", "p", "rho"}) == "rho u");
  BOOST_TEST(active({"U_tilde", "v", "u", "v_minus_u", "sphere"}) == " v");
  BOOST_TEST(active({"obstacle"}) == " ");
  BOOST_TEST(active({}) == " ");
}

BOOST_AUTO_TEST_CASE(files_say_their_time_active_arrays_and_units)
{
  Mesh mesh       = two_polygons();
  mesh.point_data = {{"u", "m/s", 3, std::vector<double>(18)}, {"diameter", "m", 1, std::vector<double>(6)}};
  const std::string time =
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
      "0.1</DataArray>\n</FieldData>\n";
  const auto unit = [](const std::string &text) {
    return "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">" + text + "</InformationKey>";
  };
  const auto check = [&](const std::string &xml, const std::string &prefix, const std::string &piece) {
    for (const std::string &part : {"<" + prefix + "PointData Scalars=\"diameter\" Vectors=\"u\">",
                                    "<" + prefix + "CellData Scalars=\"p\">", time, unit("m/s"), unit("m"), unit("Pa s")})
      BOOST_TEST(xml.find(part) != std::string::npos, part);
    BOOST_TEST(xml.find(time) < xml.find(piece));
  };
  const TemporaryDirectory alone, together;
  VtkWriter(alone.path).write({0.1, 0, {mesh}});
  VtkWriter(together.path, {0, 2}).write({0.1, 0, {mesh}});
  check(contents(alone.path / "voronoi_0000.vtp"), "", "<Piece");
  check(contents(together.path / "voronoi_0000_p0000.vtp"), "", "<Piece");
  check(contents(together.path / "voronoi_0000.pvtp"), "P", "<PPointData");
}

BOOST_AUTO_TEST_CASE(arrays_without_a_part_to_play_are_not_active)
{
  Mesh mesh       = two_spheres();
  mesh.point_data = {{"radius", "m", 1, {0.5, 0.25}}};
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {mesh}});
  BOOST_TEST(contents(directory.path / "spheres_0000.vtp").find("<PointData>\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(arrays_of_many_compressed_blocks_read_back)
{
  // 3e5 doubles are nine blocks and a part of a tenth; 32768 are one block exactly, where the header has to say 0.
  for (const std::size_t n : {std::size_t(300000), std::size_t(32768), std::size_t(1)})
    {
      Mesh mesh;
      mesh.name = "many";
      for (std::size_t k = 0; k < n; ++k)
        {
          mesh.points.insert(mesh.points.end(), {0., 0., 0.});
          mesh.connectivity.push_back(k);
        }
      mesh.point_data = {{"values", "", 1, {}}};
      for (std::size_t k = 0; k < n; ++k)
        mesh.point_data[0].values.push_back(std::sin(k));

      const TemporaryDirectory directory;
      VtkWriter(directory.path).write({0., 0, {mesh}});
      BOOST_TEST((data_array<double>(contents(directory.path / "many_0000.vtp"), "values") == mesh.point_data[0].values));
    }
}

BOOST_AUTO_TEST_CASE(lines_connect_two_points)
{
  Mesh mesh         = two_spheres();
  mesh.name         = "contacts";
  mesh.cell_type    = CellType::line;
  mesh.connectivity = {0, 1, 1, 0};
  mesh.cell_data    = {{"p", "kg m/s", 1, {7., 8.}}};
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {mesh}});

  const std::string xml = contents(directory.path / "contacts_0000.vtp");
  BOOST_TEST(data_array<double>(xml, "p") == mesh.cell_data[0].values);
  BOOST_TEST(data_array<long long>(xml, "offsets") == (std::vector<long long>{2, 4}));
  BOOST_TEST(xml.find("NumberOfVerts=\"0\" NumberOfLines=\"2\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(larger_cells_become_unstructured_grids)
{
  // numbers of vtkCellType.h
  const std::vector<std::tuple<CellType, unsigned char, std::size_t>> types = {{CellType::triangle, 5, 3},
                                                                               {CellType::quadrilateral, 9, 4},
                                                                               {CellType::tetrahedron, 10, 4},
                                                                               {CellType::hexahedron, 12, 8}};
  for (const auto &[type, vtk_type, n_points] : types)
    {
      const TemporaryDirectory directory;
      const Mesh               mesh = two_cells(type, n_points);
      VtkWriter(directory.path).write({0., 3, {mesh}});

      const std::string xml     = contents(directory.path / "continuum_0003.vtu");
      const auto        offsets = data_array<long long>(xml, "offsets");
      BOOST_TEST(data_array<unsigned char>(xml, "types") == (std::vector<unsigned char>{vtk_type, vtk_type}));
      BOOST_TEST(offsets ==
                 (std::vector<long long>{static_cast<long long>(n_points), 2 * static_cast<long long>(n_points)}));
      BOOST_TEST(data_array<long long>(xml, "connectivity") == mesh.connectivity);
      BOOST_TEST(data_array<double>(xml, "Points") == mesh.points);
      BOOST_TEST(data_array<double>(xml, "p") == mesh.cell_data[0].values);
      BOOST_TEST(xml.find("<VTKFile type=\"UnstructuredGrid\"") != std::string::npos);
      BOOST_TEST(xml.find("NumberOfCells=\"2\"") != std::string::npos);
      BOOST_TEST(contents(directory.path / "solution.pvd").find("file=\"continuum_0003.vtu\"") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(polygons_have_any_number_of_points)
{
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {two_polygons()}});

  const std::string xml = contents(directory.path / "voronoi_0000.vtp");
  BOOST_TEST(data_array<long long>(xml, "connectivity") == two_polygons().connectivity);
  BOOST_TEST(data_array<long long>(xml, "offsets") == two_polygons().offsets);
  BOOST_TEST(data_array<double>(xml, "p") == two_polygons().cell_data[0].values);
  BOOST_TEST(xml.find("NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"2\"") !=
             std::string::npos);
  BOOST_TEST(xml.find("<Polys>") < xml.find("Name=\"connectivity\""));
}

BOOST_AUTO_TEST_CASE(polyhedra_have_faces)
{
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {two_polyhedra()}});

  const std::string xml = contents(directory.path / "voronoi_0000.vtu");
  BOOST_TEST(data_array<unsigned char>(xml, "types") == (std::vector<unsigned char>{42, 42})); // vtkCellType.h
  BOOST_TEST(data_array<long long>(xml, "connectivity") == two_polyhedra().connectivity);
  BOOST_TEST(data_array<long long>(xml, "offsets") == two_polyhedra().offsets);
  BOOST_TEST(data_array<long long>(xml, "faces") == two_polyhedra().faces);
  BOOST_TEST(data_array<long long>(xml, "faceoffsets") == two_polyhedra().face_offsets);
  BOOST_TEST(data_array<double>(xml, "p") == two_polyhedra().cell_data[0].values);
}

// Many moments on one mesh share its points and cells: their files are as if each had its own.
BOOST_AUTO_TEST_CASE(a_mesh_with_the_shape_of_another_writes_the_same_file)
{
  for (const Mesh &own : {two_cells(CellType::quadrilateral, 4), two_polygons(), two_polyhedra()})
    {
      auto shape       = std::make_shared<Mesh>(own);
      shape->cell_data = {};
      Mesh sharing;
      sharing.name      = own.name;
      sharing.cell_type = own.cell_type;
      sharing.cell_data = own.cell_data;
      sharing.shape     = shape;

      const TemporaryDirectory of_own, of_sharing;
      VtkWriter(of_own.path).write({0.5, 3, {own}});
      VtkWriter(of_sharing.path).write({0.5, 3, {sharing}});

      const std::set<std::string> names = files(of_own.path);
      BOOST_TEST((files(of_sharing.path) == names));
      for (const std::string &name : names)
        BOOST_TEST(contents(of_sharing.path / name) == contents(of_own.path / name));

      sharing.cell_data.front().values.pop_back();
      BOOST_CHECK_THROW(VtkWriter(of_sharing.path).write({0.5, 3, {sharing}}), std::invalid_argument);
      sharing.cell_data.clear();
      sharing.cell_type = CellType::line;
      BOOST_CHECK_THROW(VtkWriter(of_sharing.path).write({0.5, 3, {sharing}}), std::invalid_argument);
    }
}

BOOST_AUTO_TEST_CASE(every_process_writes_its_piece_and_the_first_one_lists_them)
{
  const TemporaryDirectory directory;
  const Mesh               mesh = two_cells(CellType::quadrilateral, 4);
  Mesh                     nothing; // a process may own no cell
  nothing.name      = mesh.name;
  nothing.cell_type = mesh.cell_type;
  nothing.cell_data = {{"p", "Pa s", 1, {}}, {"u", "m/s", 3, {}}};

  VtkWriter second(directory.path, {1, 3});
  second.write({0.5, 7, {mesh}});
  second.finish();
  BOOST_TEST((files(directory.path) == std::set<std::string>{"continuum_0007_p0001.vtu"}));

  VtkWriter(directory.path, {2, 3}).write({0.5, 7, {nothing}});
  VtkWriter(directory.path, {0, 3}).write({0.5, 7, {mesh}});
  BOOST_TEST((files(directory.path) == std::set<std::string>{"continuum_0007.pvtu", "continuum_0007_p0000.vtu",
                                                             "continuum_0007_p0001.vtu", "continuum_0007_p0002.vtu",
                                                             "solution.pvd"}));
  const std::string list = contents(directory.path / "continuum_0007.pvtu");
  for (const char *part :
       {"<VTKFile type=\"PUnstructuredGrid\"", "Name=\"p\" NumberOfComponents=\"1\"", "Name=\"u\" NumberOfComponents=\"3\"",
        "Source=\"continuum_0007_p0000.vtu\"", "Source=\"continuum_0007_p0001.vtu\"", "Source=\"continuum_0007_p0002.vtu\""})
    BOOST_TEST(list.find(part) != std::string::npos, part);
  const std::string collection = contents(directory.path / "solution.pvd");
  BOOST_TEST(collection.find("timestep=\"0.5\" part=\"0\" name=\"continuum\" file=\"continuum_0007.pvtu\"") !=
             std::string::npos);
  BOOST_TEST(collection.find("_p000") == std::string::npos);
  BOOST_TEST(data_array<double>(contents(directory.path / "continuum_0007_p0002.vtu"), "p").empty());
  BOOST_CHECK_THROW(VtkWriter(directory.path, {3, 3}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(pieces_of_lines_are_poly_data)
{
  const TemporaryDirectory directory;
  Mesh                     mesh = two_spheres();
  mesh.cell_type                = CellType::line;
  VtkWriter(directory.path, {0, 2}).write({0., 0, {mesh}});
  const std::string list = contents(directory.path / "spheres_0000.pvtp");
  BOOST_TEST(list.find("<VTKFile type=\"PPolyData\"") != std::string::npos);
  BOOST_TEST(list.find("Source=\"spheres_0000_p0001.vtp\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_mesh_without_cells_is_written)
{
  Mesh mesh;
  mesh.name      = "contacts";
  mesh.cell_type = CellType::line;
  mesh.cell_data = {{"p", "kg m/s", 1, {}}};
  const TemporaryDirectory directory;
  VtkWriter(directory.path).write({0., 0, {mesh}});
  BOOST_TEST(data_array<double>(contents(directory.path / "contacts_0000.vtp"), "p").empty());
}

BOOST_AUTO_TEST_CASE(the_collection_lists_every_file_with_its_time)
{
  const TemporaryDirectory directory;
  VtkWriter                vtk(directory.path);
  vtk.write({0., 0, {two_spheres()}});
  vtk.write({0.125, 1, {two_spheres()}});
  vtk.finish();

  const std::string xml = contents(directory.path / "solution.pvd");
  BOOST_TEST(xml.find("timestep=\"0\" part=\"0\" name=\"spheres\" file=\"spheres_0000.vtp\"") != std::string::npos);
  BOOST_TEST(xml.find("timestep=\"0.125\" part=\"0\" name=\"spheres\" file=\"spheres_0001.vtp\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_writer_goes_on_where_another_one_stopped)
{
  const TemporaryDirectory one, two;
  VtkWriter                whole(one.path), first(two.path);
  for (const unsigned int step : {0, 1})
    {
      whole.write({0.5 * step, step, {two_spheres()}});
      first.write({0.5 * step, step, {two_spheres()}});
    }
  VtkWriter second(two.path);
  second.go_on_after(first.listed());
  whole.write({1., 2, {two_spheres()}});
  second.write({1., 2, {two_spheres()}});
  whole.finish();
  second.finish();
  BOOST_TEST(contents(one.path / "solution.pvd") == contents(two.path / "solution.pvd"));
}

BOOST_AUTO_TEST_CASE(an_array_of_wrong_length_is_refused)
{
  Mesh mesh = two_spheres();
  mesh.point_data[0].values.pop_back();
  const TemporaryDirectory directory;
  BOOST_CHECK_THROW(VtkWriter(directory.path).write({0., 0, {mesh}}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(cells_that_contradict_themselves_are_refused)
{
  const auto refused = [](Mesh mesh, const std::function<void(Mesh &)> &spoil) {
    const TemporaryDirectory directory;
    VtkWriter(directory.path).write({0., 0, {mesh}}); // fine before
    spoil(mesh);
    try
      {
        VtkWriter(directory.path).write({0., 1, {mesh}});
        return false;
      }
    catch (const std::invalid_argument &)
      {
        return true;
      }
  };
  const Mesh polygons = two_polygons(), polyhedra = two_polyhedra(), squares = two_cells(CellType::quadrilateral, 4);
  BOOST_TEST(refused(squares, [](Mesh &mesh) { mesh.connectivity[3] = 8; })); // no such point
  BOOST_TEST(refused(squares, [](Mesh &mesh) { mesh.connectivity[3] = -1; }));
  BOOST_TEST(refused(squares, [](Mesh &mesh) { mesh.connectivity.push_back(0); })); // a quarter of a cell
  BOOST_TEST(refused(squares, [](Mesh &mesh) { mesh.offsets = {4, 8}; }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.offsets = {3, 7}; }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.offsets = {9, 8}; }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.offsets = {8, 8}; }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.offsets = {0, 8}; }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.offsets.clear(); }));
  BOOST_TEST(refused(polygons, [](Mesh &mesh) { mesh.faces = {1, 3, 0, 1, 2}; }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.face_offsets.pop_back(); }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.face_offsets = {16, 39}; }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.faces[0] = 3; }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.faces[0] = 5; }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.faces[1] = 2; }));
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.faces[2] = 9; }));        // no such point
  BOOST_TEST(refused(polyhedra, [](Mesh &mesh) { mesh.faces[35] = 1000000; })); // a face that runs out of the array
}

BOOST_AUTO_TEST_CASE(a_missing_directory_is_named)
{
  try
    {
      write_atomically("/nonexistent_directory/file.txt", [](std::ostream &out) { out << "text"; });
      BOOST_FAIL("nothing was thrown");
    }
  catch (const std::runtime_error &error)
    {
      BOOST_TEST(error.what() == "/nonexistent_directory/file.txt cannot be written: No such file or directory");
    }
}

BOOST_AUTO_TEST_CASE(what_fails_midway_leaves_the_old_file_and_no_other)
{
  const TemporaryDirectory directory;
  const auto               file = directory.path / "file.txt";
  write_atomically(file, [](std::ostream &out) { out << "old"; });

  BOOST_CHECK_THROW(write_atomically(file,
                                     [](std::ostream &out) {
                                       out << "half";
                                       throw std::logic_error("midway");
                                     }),
                    std::logic_error);
  BOOST_CHECK_THROW(write_atomically(file, [](std::ostream &out) { out.setstate(std::ios::badbit); }), std::runtime_error);

  BOOST_TEST(contents(file) == "old");
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(directory.path), {}) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
