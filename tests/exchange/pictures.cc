// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that runs write, read back.
#include "exchange/formats.h"
#include "insitu/writer.h"
#include "tests/exchange/examples.h"

#include <limits>

BOOST_AUTO_TEST_SUITE(pictures)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::exchange;

namespace
{
using Numbers = std::vector<double>;

/// Spheres with the arrays of points that are given.
geometry::Mesh picture(const Numbers &points, const std::vector<geometry::Array> &arrays)
{
  geometry::Mesh mesh;
  mesh.name   = "spheres";
  mesh.points = points;
  for (std::size_t k = 0; k < mesh.n_points(); ++k)
    mesh.connectivity.push_back(static_cast<long long>(k));
  mesh.point_data = arrays;
  return mesh;
}

geometry::Array radii(const Numbers &R) { return {"radius", "m", 1, R}; }

/// The one picture of a run.
std::string written(const Folder &folder, const geometry::Mesh &mesh)
{
  insitu::VtkWriter(folder.file("")).write({0., 0, {mesh}});
  return folder.file("spheres_0000.vtp");
}
} // namespace

// Balls one above the other would be discs that overlap.
BOOST_AUTO_TEST_CASE(no_dimension_of_a_picture_is_dropped)
{
  const Folder folder;
  const auto   says = [&](const geometry::Mesh &mesh, const Index dim, const std::string &wanted) {
    const std::string file = written(folder, mesh), complained = complaint([&] { read_spheres(file, {dim, ""}); });
    BOOST_TEST_CONTEXT(complained)
    {
      BOOST_TEST(complained.find(wanted + ", but the dimension is " + std::to_string(dim)) != std::string::npos);
    }
  };
  const geometry::Mesh balls = picture({0., 0., 0., .6, 0., .8}, {radii({.5, .5})});
  says(balls, 2, "Sphere 1 (from 0) has z = 0.8 and the first one 0");
  says(balls, 1, "Sphere 1 (from 0) has z = 0.8 and the first one 0");
  const geometry::Mesh discs =
      picture({0., 0., 0., 1., 0., 0.}, {radii({.5, .5}), {"u", "m/s", 3, {0., 0., 0., 0., 1., 0.}}});
  says(discs, 1, "Sphere 1 (from 0) has uy = 1");
  BOOST_TEST(read_spheres(written(folder, balls), {}).contents.spheres.dimension() == 3);
  BOOST_TEST(read_spheres(written(folder, discs), {}).contents.spheres.dimension() == 2);
}

// Of an impact: U is to be projected, u is what the spheres have then.
BOOST_AUTO_TEST_CASE(the_velocity_before_an_impact_is_the_one_to_project)
{
  const Folder     folder;
  const Numbers    points = {0., 0., 0., 1., 0., 0.}, U = {1., 0., 0., -1., 0., 0.}, u = {0., 0., 0., 0., .5, 0.};
  const SphereFile both =
      read_spheres(written(folder, picture(points, {radii({.5, .5}), {"U", "m/s", 3, U}, {"u", "m/s", 3, u}})), {});
  BOOST_TEST(problem_of(both).problem.remark.find("neither walls nor periods") != std::string::npos);
  BOOST_TEST((problem_of(both).problem.U == (Vector(4) << 1., 0., -1., 0.).finished()));
  BOOST_TEST((both.contents.U == (Vector(4) << 0., 0., 0., .5).finished()));
  const SphereFile moment = read_spheres(written(folder, picture(points, {radii({.5, .5}), {"u", "m/s", 3, u}})), {});
  BOOST_TEST((problem_of(moment).problem.U == moment.contents.U));
}

BOOST_AUTO_TEST_CASE(pieces_are_put_together)
{
  const Folder   folder;
  geometry::Mesh none = picture({}, {radii({}), {"u", "m/s", 3, {}}});
  const Numbers  R    = {.5, .25, .125};
  // a process may have read no sphere
  const std::vector<geometry::Mesh> shares = {
      picture({0., 0., 0., 1., 0., 0.}, {radii({.5, .25}), {"u", "m/s", 3, {1., 2., 0., 3., 4., 0.}}}), none,
      picture({2., 0., 0.}, {radii({.125}), {"u", "m/s", 3, {5., 6., 0.}}})};
  for (const unsigned int rank : {2, 1, 0})
    {
      insitu::VtkWriter writer(folder.file(""), {rank, 3});
      writer.write({0., 0, {shares[rank]}});
      writer.finish();
    }
  for (const std::string name : {"spheres_0000.pvtp", "solution.pvd"})
    {
      const SphereFile whole = read_spheres(folder.file(name), {});
      BOOST_TEST((whole.contents.spheres.R == Eigen::Map<const Vector>(R.data(), 3)));
      BOOST_TEST((whole.contents.U == Vector::LinSpaced(6, 1., 6.)));
      BOOST_TEST(whole.remark == "It has no masses; discs have πR², as of density 1.");
    }
  const SphereFile piece = read_spheres(folder.file("spheres_0000_p0000.vtp"), {});
  BOOST_TEST(piece.contents.spheres.size() == 2);
  BOOST_TEST(piece.remark == "This is a piece, the spheres that one process read; all of them are in spheres_0000.pvtp. It "
                             "has no masses; discs have πR², as of density 1.");
  std::filesystem::remove(folder.file("spheres_0000_p0001.vtp"));
  BOOST_TEST(complaint([&] { read_spheres(folder.file("spheres_0000.pvtp"), {}); }) ==
             folder.file("spheres_0000_p0001.vtp") + ": The file cannot be read; check the path and its permissions.");
}

BOOST_AUTO_TEST_CASE(bad_pictures_get_a_sentence)
{
  const Folder folder;
  const auto   says = [&](const std::string &file, const std::string &wanted) {
    const std::string complained = complaint([&] { read_spheres(file, {}); });
    BOOST_TEST_CONTEXT(complained) { BOOST_TEST(complained.find(wanted) != std::string::npos); }
  };
  const Numbers points = {0., 0., 0., 1., 0., 0.};
  const double  nan    = std::numeric_limits<double>::quiet_NaN();
  says(written(folder, picture(points, {radii({.5, .5}), {"u", "m/s", 3, {0., 0., 0., 0., nan, 0.}}})),
       "Its array u holds a number at sphere 1 (from 0) that is not finite");
  says(written(folder, picture(points, {radii({.5, .5}), {"u", "m/s", 1, {0., 0.}}})), "Its array u has 1 components");
  geometry::Mesh of_cells = picture(points, {{"u", "m/s", 3, Numbers(6, 0.)}});
  of_cells.cell_data      = {radii({.5, .5})};
  says(written(folder, of_cells), "It holds no spheres");
  says(folder.with("empty.vtp", ""), "empty.vtp: The file is empty");
  says(folder.file("missing.vtp"), "cannot be read; check the path");
  says(folder.with("other.pvtp", "<VTKFile>"), "no list of pieces");
  // the header of an array, three numbers and the sizes of its blocks, announces what is not there
  const std::string file = written(folder, picture(points, {radii({.5, .5})})), mark = "Name=\"Points\"";
  std::ifstream     in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = text.find_first_not_of(" \n", text.find('>', text.find(mark)) + 1);
  for (const std::string header : {"AQAAAAAAAAAwAAAAAAAAAAAAAAAAAABAGAAAAAAAAAA=",              // a last block of 2^62
                                   "AgAAAAAAAAAwAAAAAAAAAAAAAAAAAAAA8f////////8fAAAAAAAAAA=="}) // -15 and 31 bytes
    says(folder.with("hostile.vtp", text.substr(0, begin) + header + text.substr(begin + header.size())),
         "An array announces more than the file holds");
}

BOOST_AUTO_TEST_SUITE_END()
