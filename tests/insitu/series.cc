// SPDX-License-Identifier: GPL-3.0-or-later
// Several files of a run, and what is refused.
#include "insitu/atomic_file.h"
#include "tests/insitu/written.h"

#include <functional>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(series)

using namespace moreau::insitu;

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

BOOST_AUTO_TEST_CASE(what_not_all_could_write_is_taken_back_and_listed_nowhere)
{
  const TemporaryDirectory directory;
  const Mesh               mesh = two_cells(CellType::quadrilateral, 4);
  VtkWriter                first(directory.path, {0, 2}), second(directory.path, {1, 2});
  for (VtkWriter *const writer : {&second, &first})
    writer->write({0.5, 7, {mesh}});
  const std::set<std::string> of_first = files(directory.path);

  first.write_pieces({1., 8, {mesh}});
  first.list({1., 8, {mesh}});
  BOOST_TEST(first.listed().size() == 2);
  for (VtkWriter *const writer : {&second, &first})
    writer->take_back({1., 8, {mesh}});
  first.finish();
  BOOST_TEST((files(directory.path) == of_first));
  BOOST_TEST(first.listed().size() == 1);
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

BOOST_AUTO_TEST_CASE(a_collection_for_each_mesh_lists_that_mesh_only)
{
  const TemporaryDirectory directory;
  VtkWriter                vtk(directory.path);
  vtk.write({1., 1, {two_spheres(), two_cells(CellType::quadrilateral, 4)}});
  vtk.write({2., 2, {two_spheres(), two_cells(CellType::quadrilateral, 4)}});
  vtk.finish();
  vtk.list_each_mesh();

  const std::string spheres   = contents(directory.path / "spheres.pvd"),
                    continuum = contents(directory.path / "continuum.pvd");
  for (const char *step : {"1", "2"})
    {
      const auto timestep = "timestep=\"" + std::string(step) + "\" part=\"0\"";
      BOOST_TEST(spheres.find(timestep + " name=\"spheres\" file=\"spheres_000" + step + ".vtp\"") != std::string::npos);
      BOOST_TEST(continuum.find(timestep + " name=\"continuum\" file=\"continuum_000" + step + ".vtu\"") !=
                 std::string::npos);
    }
  BOOST_TEST(spheres.find("continuum") == std::string::npos);
  BOOST_TEST(continuum.find("spheres") == std::string::npos);
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
