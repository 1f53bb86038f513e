// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that runs write, read back.
#include "exchange/formats.h"
#include "insitu/writer.h"
#include "tests/exchange/examples.h"

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

BOOST_AUTO_TEST_SUITE_END()
