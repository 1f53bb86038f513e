// SPDX-License-Identifier: GPL-3.0-or-later
// insitu/conduit_writer.cc against a double of libcatalyst: what it says to whom, and whose memory it shows.
#include "insitu/catalyst.h"

#include "double.h"

#include <boost/test/unit_test.hpp>

#include <mpi.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>

using namespace moreau::insitu;
using catalyst_double::calls;

extern "C" CatalystWriter *moreau_catalyst_writer(const CatalystWriter::Options &options);

namespace
{
namespace fs = std::filesystem;

struct Fixture
{
  fs::path folder;

  Fixture()
  {
    std::string name = (fs::temp_directory_path() / "moreau_conduit_XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = fs::canonical(name);
    catalyst_double::forget();
  }
  ~Fixture() { fs::remove_all(folder); }

  std::unique_ptr<CatalystWriter> writer(const Piece &piece = {}) const
  {
    return std::unique_ptr<CatalystWriter>(
        moreau_catalyst_writer({{"/scripts/spheres.py", "/other/spheres.py"}, folder, piece}));
  }
};

Mesh two_points()
{
  Mesh mesh;
  mesh.name         = "spheres";
  mesh.points       = {0, 1, 2, 3, 4, 5};
  mesh.connectivity = {0, 1};
  return mesh;
}

Mesh with_cells(const CellType type, const std::vector<long long> &connectivity)
{
  Mesh mesh;
  mesh.name         = "continuum";
  mesh.points       = std::vector<double>(3 * 8, .5);
  mesh.cell_type    = type;
  mesh.connectivity = connectivity;
  return mesh;
}

std::shared_ptr<const Snapshot> moment(std::vector<Mesh> meshes, const std::int64_t step = 7)
{
  return std::make_shared<const Snapshot>(Snapshot{.25, 1, std::move(meshes), step});
}

/// Values by path, of what lies below the path.
std::map<std::string, std::string> values_below(const catalyst_double::Call &call, const std::string &path)
{
  std::map<std::string, std::string> result;
  for (const auto &[name, leaf] : call.leaves)
    if (name.rfind(path, 0) == 0)
      result[name.substr(path.size())] = leaf.value;
  return result;
}

void check_equal(const std::map<std::string, std::string> &values, const std::map<std::string, std::string> &expected)
{
  for (const auto &[path, value] : expected)
    BOOST_TEST((values.count(path) == 1 ? values.at(path) : "nothing") == value, path);
  for (const auto &[path, value] : values)
    BOOST_TEST(expected.count(path) == 1u, path + " is not expected: " + value);
}

std::map<std::string, std::string> topology_of(const Fixture &fixture, const Mesh &mesh)
{
  fixture.writer()->write(moment({mesh}));
  for (const auto &call : calls)
    if (call.function == "execute")
      return values_below(call, "catalyst/channels/" + mesh.name + "/data/topologies/mesh/");
  return {};
}

std::string starting_problem(const Fixture &fixture)
{
  try
    {
      fixture.writer();
    }
  catch (const std::runtime_error &error)
    {
      return error.what();
    }
  return "";
}
} // namespace

BOOST_AUTO_TEST_SUITE(conduit_writer)

BOOST_FIXTURE_TEST_CASE(calls_come_in_order_and_in_the_folder_of_extracts, Fixture)
{
  const fs::path before = fs::current_path();
  const auto     writer = this->writer();
  BOOST_TEST(writer->wants(0., 0));
  writer->write(moment({two_points()}));
  writer->write(moment({two_points()}));
  writer->finish();
  writer->finish();
  BOOST_TEST(!writer->wants(1., 1));
  BOOST_TEST(writer->messages().empty());
  BOOST_TEST_REQUIRE(calls.size() == 4u);
  const std::string expected[] = {"initialize", "execute", "execute", "finalize"};
  for (std::size_t k = 0; k < 4; ++k)
    {
      BOOST_TEST(calls[k].function == expected[k]);
      BOOST_TEST(calls[k].folder == folder);
    }
  BOOST_TEST(calls[3].leaves.empty());
  BOOST_TEST(fs::current_path() == before);
}

BOOST_FIXTURE_TEST_CASE(it_starts_with_the_scripts, Fixture)
{
  writer();
  check_equal(values_below(calls.at(0), ""), {{"catalyst_load/implementation", "\"paraview\""},
                                              {"catalyst/scripts/script0/filename", "\"/scripts/spheres.py\""},
                                              {"catalyst/scripts/script1/filename", "\"/other/spheres.py\""}});
}

BOOST_FIXTURE_TEST_CASE(spheres_as_the_mesh_blueprint_has_them, Fixture)
{
  Mesh mesh         = two_points();
  mesh.point_data   = {{"diameter", "m", 1, {.1, .2}}, {"u", "m/s", 3, {1, 2, 3, 4, 5, 6}}, {"pair", "", 2, {7, 8, 9, 10}}};
  mesh.cell_data    = {{"u", "m/s", 1, {11, 12}}};
  const auto writer = this->writer();
  const auto snapshot = moment({mesh}, 42);
  writer->write(snapshot);
  const auto &call = calls.at(1);
  check_equal(values_below(call, "catalyst/state/"),
              {{"timestep", "int64 42"}, {"cycle", "int64 42"}, {"time", "float64 0.25"}});
  const std::string                  data     = "catalyst/channels/spheres/data/";
  std::map<std::string, std::string> expected = {{"catalyst/channels/spheres/type", "\"mesh\""},
                                                 {data + "coordsets/coords/type", "\"explicit\""},
                                                 {data + "coordsets/coords/values/x", "float64 at 0+24k [0 3]"},
                                                 {data + "coordsets/coords/values/y", "float64 at 8+24k [1 4]"},
                                                 {data + "coordsets/coords/values/z", "float64 at 16+24k [2 5]"},
                                                 {data + "topologies/mesh/type", "\"unstructured\""},
                                                 {data + "topologies/mesh/coordset", "\"coords\""},
                                                 {data + "topologies/mesh/elements/shape", "\"point\""},
                                                 {data + "topologies/mesh/elements/connectivity", "int64 at [0 1]"},
                                                 {data + "fields/diameter/units", "\"m\""},
                                                 {data + "fields/diameter/values", "float64 at 0+8k [0.1 0.2]"},
                                                 {data + "fields/u_at_points/units", "\"m/s\""},
                                                 {data + "fields/u_at_points/values/x", "float64 at 0+24k [1 4]"},
                                                 {data + "fields/u_at_points/values/y", "float64 at 8+24k [2 5]"},
                                                 {data + "fields/u_at_points/values/z", "float64 at 16+24k [3 6]"},
                                                 {data + "fields/pair/values/0", "float64 at 0+16k [7 9]"},
                                                 {data + "fields/pair/values/1", "float64 at 8+16k [8 10]"},
                                                 {data + "fields/u/units", "\"m/s\""},
                                                 {data + "fields/u/values", "float64 at 0+8k [11 12]"}};
  for (const std::string axis : {"x", "y", "z"})
    expected[data + "coordsets/coords/units/" + axis] = "\"m\"";
  for (const std::string field : {"diameter", "u_at_points", "pair", "u"})
    {
      expected[data + "fields/" + field + "/association"]      = field == "u" ? "\"element\"" : "\"vertex\"";
      expected[data + "fields/" + field + "/topology"]         = "\"mesh\"";
      expected[data + "fields/" + field + "/volume_dependent"] = "\"false\"";
    }
  for (const std::string field : {"diameter", "u_at_points", "u"})
    expected[data + "state/metadata/vtk_fields/" + field + "/attribute_type"] =
        field == "diameter" ? "\"Scalars\"" : "\"Vectors\"";
  check_equal(values_below(call, "catalyst/channels/"), [&] {
    std::map<std::string, std::string> below;
    for (const auto &[path, value] : expected)
      below[path.substr(std::string("catalyst/channels/").size())] = value;
    return below;
  }());

  const Mesh &sent     = snapshot->meshes[0];
  const auto  is_shown = [&](const std::string &path, const void *const values) {
    BOOST_TEST(call.leaves.at(data + path).data == values, path);
  };
  for (const std::string axis : {"x", "y", "z"})
    {
      is_shown("coordsets/coords/values/" + axis, sent.points.data());
      is_shown("fields/u_at_points/values/" + axis, sent.point_data[1].values.data());
    }
  is_shown("topologies/mesh/elements/connectivity", sent.connectivity.data());
  is_shown("fields/diameter/values", sent.point_data[0].values.data());
  is_shown("fields/u/values", sent.cell_data[0].values.data());
}

BOOST_FIXTURE_TEST_CASE(each_type_of_cells_has_its_shape, Fixture)
{
  const std::vector<std::pair<CellType, std::string>> shapes = {
      {CellType::vertex, "point"},       {CellType::line, "line"},       {CellType::triangle, "tri"},
      {CellType::quadrilateral, "quad"}, {CellType::tetrahedron, "tet"}, {CellType::hexahedron, "hex"}};
  for (const auto &[type, shape] : shapes)
    {
      std::vector<long long> cell;
      std::string            points;
      for (std::size_t k = 0; k < points_per_cell(type); ++k)
        {
          cell.push_back(static_cast<long long>(k));
          points += (k == 0 ? "" : " ") + std::to_string(k);
        }
      catalyst_double::forget();
      check_equal(topology_of(*this, with_cells(type, cell)), {{"type", "\"unstructured\""},
                                                               {"coordset", "\"coords\""},
                                                               {"elements/shape", "\"" + shape + "\""},
                                                               {"elements/connectivity", "int64 at [" + points + "]"}});
    }
}

BOOST_FIXTURE_TEST_CASE(polygons_have_sizes_and_beginnings, Fixture)
{
  Mesh mesh    = with_cells(CellType::polygon, {0, 1, 2, 2, 1, 3, 4, 4, 5, 0});
  mesh.offsets = {3, 7, 10};
  check_equal(topology_of(*this, mesh), {{"type", "\"unstructured\""},
                                         {"coordset", "\"coords\""},
                                         {"elements/shape", "\"polygonal\""},
                                         {"elements/connectivity", "int64 at [0 1 2 2 1 3 4 4 5 0]"},
                                         {"elements/sizes", "int64 [3 4 3]"},
                                         {"elements/offsets", "int64 [0 3 7]"}});
}

BOOST_FIXTURE_TEST_CASE(polyhedra_are_made_of_faces, Fixture)
{
  Mesh mesh         = with_cells(CellType::polyhedron, {0, 1, 2, 3, 0, 1, 2, 3, 4});
  mesh.offsets      = {4, 9};
  mesh.faces        = {4, 3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3,                 // a tetrahedron
                       5, 4, 0, 3, 2, 1, 3, 0, 1, 4, 3, 1, 2, 4, 3, 2, 3, 4, 3, 3, 0, 4}; // a pyramid
  mesh.face_offsets = {17, 39};
  check_equal(topology_of(*this, mesh),
              {{"type", "\"unstructured\""},
               {"coordset", "\"coords\""},
               {"elements/shape", "\"polyhedral\""},
               {"elements/connectivity", "int64 [0 1 2 3 4 5 6 7 8]"},
               {"elements/sizes", "int64 [4 5]"},
               {"elements/offsets", "int64 [0 4]"},
               {"subelements/shape", "\"polygonal\""},
               {"subelements/connectivity", "int64 [0 2 1 0 1 3 1 2 3 2 0 3 0 3 2 1 0 1 4 1 2 4 2 3 4 3 0 4]"},
               {"subelements/sizes", "int64 [3 3 3 3 4 3 3 3 3]"},
               {"subelements/offsets", "int64 [0 3 6 9 12 16 19 22 25]"}});
}

BOOST_FIXTURE_TEST_CASE(a_process_without_a_share_shows_empty_arrays, Fixture)
{
  Mesh mesh       = with_cells(CellType::polygon, {});
  mesh.points     = {};
  mesh.point_data = {{"u", "m/s", 3, {}}};
  check_equal(topology_of(*this, mesh), {{"type", "\"unstructured\""},
                                         {"coordset", "\"coords\""},
                                         {"elements/shape", "\"polygonal\""},
                                         {"elements/connectivity", "int64 at []"},
                                         {"elements/sizes", "int64 []"},
                                         {"elements/offsets", "int64 []"}});
  const auto values = values_below(calls.at(1), "catalyst/channels/continuum/data/");
  BOOST_TEST(values.at("coordsets/coords/values/z") == "float64 at 16+24k []");
  BOOST_TEST(values.at("fields/u/values/y") == "float64 at 8+24k []");
}

BOOST_FIXTURE_TEST_CASE(what_is_shown_lives_until_its_channel_shows_something_else, Fixture)
{
  const auto                    writer = this->writer();
  std::weak_ptr<const Snapshot> first, second, third;
  Mesh                          contacts = two_points();
  contacts.name                          = "contacts";
  const auto write                       = [&](std::weak_ptr<const Snapshot> &shown, std::vector<Mesh> meshes) {
    auto snapshot = moment(std::move(meshes));
    shown         = snapshot;
    writer->write(std::move(snapshot));
  };
  write(first, {two_points(), contacts});
  BOOST_TEST(!first.expired());
  write(second, {two_points()});
  BOOST_TEST(!first.expired()); // for the contacts
  write(third, {two_points(), contacts});
  BOOST_TEST(first.expired());
  BOOST_TEST(second.expired());
  BOOST_TEST(!third.expired());
  BOOST_TEST(calls.at(2).n_trees == 2); // the old one is not gone while the new one is shown
  writer->finish();
  BOOST_TEST(calls.at(4).n_trees == 2);
  BOOST_TEST(third.expired());
  BOOST_TEST(catalyst_double::n_trees == 0);
}

BOOST_FIXTURE_TEST_CASE(what_keeps_it_from_starting_is_said, Fixture)
{
  std::set<std::string> sentences;
  for (int status = 1; status <= 6; ++status)
    {
      catalyst_double::answer    = [status](const std::string &) { return static_cast<catalyst_status>(status); };
      const std::string sentence = starting_problem(*this);
      BOOST_TEST(sentence.rfind("Catalyst cannot be started: ", 0) == 0u);
      BOOST_TEST(sentence.back() != '.'); // who shows it goes on with what to do
      sentences.insert(sentence);
    }
  BOOST_TEST(sentences.size() == 6u);
  BOOST_TEST(calls.size() == 6u); // nothing to finish
  catalyst_double::answer = [](const std::string &) { return catalyst_status_error_not_found; };
  BOOST_TEST(starting_problem(*this) ==
             "Catalyst cannot be started: libcatalyst-paraview.so was not found; name its folder in the "
             "environment variable CATALYST_IMPLEMENTATION_PATHS");
  BOOST_TEST(catalyst_double::n_trees == 0);
}

BOOST_FIXTURE_TEST_CASE(the_run_goes_on_without_a_catalyst_that_failed, Fixture)
{
  const auto writer       = this->writer();
  catalyst_double::answer = [](const std::string &) { return static_cast<catalyst_status>(100); };
  writer->write(moment({two_points()}, 12));
  BOOST_TEST(!writer->wants(0., 13));
  auto messages = writer->messages();
  BOOST_TEST_REQUIRE(messages.size() == 1u);
  BOOST_TEST(messages[0].sentence ==
             "Catalyst failed at step 12, and the run goes on without it: status 100; what ParaView wrote on "
             "the error output says more.");
  BOOST_TEST(writer->messages().empty());
  writer->finish();
  messages = writer->messages();
  BOOST_TEST_REQUIRE(messages.size() == 1u);
  BOOST_TEST(messages[0].sentence.rfind("Catalyst failed at its end: status 100;", 0) == 0u);
}

BOOST_FIXTURE_TEST_CASE(exceptions_of_conduit_stay_inside, Fixture)
{
  const auto writer       = this->writer();
  catalyst_double::answer = [](const std::string &) -> catalyst_status { throw std::runtime_error("no such path"); };
  writer->write(moment({two_points()}, 3));
  writer->finish();
  const auto messages = writer->messages();
  BOOST_TEST_REQUIRE(messages.size() == 2u);
  BOOST_TEST(messages[0].sentence == "Catalyst failed at step 3, and the run goes on without it: no such path.");
  BOOST_TEST(messages[1].sentence == "Catalyst failed at its end: no such path.");
}

BOOST_FIXTURE_TEST_CASE(signals_are_handled_as_before, Fixture)
{
  const auto before       = std::signal(SIGTERM, SIG_IGN);
  catalyst_double::answer = [](const std::string &) {
    std::signal(SIGTERM, SIG_DFL);
    return catalyst_status_ok;
  };
  writer()->write(moment({two_points()}));
  BOOST_TEST((std::signal(SIGTERM, before) == SIG_IGN));
}

// The last one: MPI starts once.
BOOST_FIXTURE_TEST_CASE(a_program_that_runs_mpi_says_which_processes_share_the_run, Fixture)
{
  MPI_Init(nullptr, nullptr);
  writer();
  writer({0, 2});
  for (const auto &[k, comm] : {std::pair<std::size_t, MPI_Comm>{0, MPI_COMM_SELF}, {2, MPI_COMM_WORLD}})
    BOOST_TEST(calls.at(k).leaves.at("catalyst/mpi_comm").value == "int64 " + std::to_string(MPI_Comm_c2f(comm)));
  catalyst_double::answer = [](const std::string &) { return catalyst_status_error_incomplete; };
  BOOST_TEST(starting_problem(*this) == "Catalyst cannot be started: what was loaded for ParaView lacks functions of it");
  MPI_Finalize();
}

BOOST_AUTO_TEST_SUITE_END()
