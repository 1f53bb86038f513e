// SPDX-License-Identifier: GPL-3.0-or-later
// What a file says.
#include "insitu/atomic_file.h"
#include "insitu/descriptor.h"
#include "tests/insitu/written.h"

#include <cmath>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <unistd.h>

BOOST_AUTO_TEST_SUITE(writer)

using namespace moreau::insitu;

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

BOOST_AUTO_TEST_CASE(components_have_names)
{
  Mesh mesh                          = two_spheres();
  mesh.point_data                    = {{"p", "", 2, {1., 2., 3., 4.}}};
  mesh.point_data[0].component_names = {"(1, 0)", "(0, 1)"};
  const TemporaryDirectory alone, together;
  VtkWriter(alone.path).write({0., 0, {mesh}});
  VtkWriter(together.path, {0, 2}).write({0., 0, {mesh}});
  const std::string names = "Name=\"p\" NumberOfComponents=\"2\" ComponentName0=\"(1, 0)\" ComponentName1=\"(0, 1)\"";
  for (const auto &file : {alone.path / "spheres_0000.vtp", together.path / "spheres_0000.pvtp"})
    BOOST_TEST(contents(file).find(names) != std::string::npos, file);
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

BOOST_AUTO_TEST_CASE(a_file_that_does_not_reach_the_disk_is_no_file)
{
  const TemporaryDirectory directory;
  const auto               lose_the_file = [](std::ostream &) {
    const int next = open("/dev/null", O_RDONLY); // the number after that of the file
    close(next);
    close(next - 1);
  };
  BOOST_CHECK_THROW(write_atomically(directory.path / "log.txt", lose_the_file), std::runtime_error);
  BOOST_TEST(std::filesystem::is_empty(directory.path));
}

BOOST_AUTO_TEST_CASE(a_close_that_fails_is_an_error)
{
  const TemporaryDirectory directory;
  Descriptor               descriptor(open_new_file(directory.path / "log.txt"));
  close(descriptor.number());
  BOOST_CHECK_THROW(descriptor.close(), std::system_error);
}

BOOST_AUTO_TEST_CASE(links_are_replaced_and_not_followed)
{
  const TemporaryDirectory directory, elsewhere;
  const auto               precious = elsewhere.path / "precious";
  std::ofstream(precious) << "precious";
  for (const char *const name : {"log.txt", "log.txt.incomplete"})
    std::filesystem::create_symlink(precious, directory.path / name);
  write_atomically(directory.path / "log.txt", [](std::ostream &out) { out << "log"; });
  BOOST_TEST(contents(precious) == "precious");
  BOOST_TEST(contents(directory.path / "log.txt") == "log");
  BOOST_TEST(!std::filesystem::is_symlink(directory.path / "log.txt"));
}

BOOST_AUTO_TEST_CASE(long_files_are_whole)
{
  const TemporaryDirectory directory;
  const std::string        line(999, 'x');
  std::string              all;
  for (int k = 0; k < 1000; ++k)
    all += line;
  write_atomically(directory.path / "long", [&](std::ostream &out) {
    for (int k = 0; k < 1000; ++k)
      out << line;
  });
  BOOST_TEST((contents(directory.path / "long") == all));
}

BOOST_AUTO_TEST_SUITE_END()
