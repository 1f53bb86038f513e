// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/cells_fit.h"

#include "convex/input_error.h"
#include "macro/meshes/mesh_file.h"
#include "tests/macro/gmsh_files.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(cells_fit)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// What is said against a mesh; empty where nothing is.
std::string said_of(const GmshCells &mesh)
{
  const TemporaryFile file(gmsh(mesh));
  try
    {
      bounding_box(file.path, mesh.type == 3 ? 2 : 3);
    }
  catch (const InputError &error)
    {
      return error.sentence;
    }
  return "";
}

bool speaks_of(const std::string &sentence, const std::string &part) { return sentence.find(part) != std::string::npos; }

/// [x0,x1] x [y0,y1], each with nodes of its own.
GmshCells rectangles(const std::vector<std::array<double, 4>> &in_plane)
{
  GmshCells mesh;
  for (const auto &[x0, x1, y0, y1] : in_plane)
    {
      const int n = static_cast<int>(mesh.nodes.size());
      mesh.nodes.insert(mesh.nodes.end(), {{x0, y0, 0.}, {x1, y0, 0.}, {x1, y1, 0.}, {x0, y1, 0.}});
      mesh.cells.push_back({n + 1, n + 2, n + 3, n + 4});
    }
  return mesh;
}

/// The same with [z0,z1].
GmshCells cuboids(const std::vector<std::array<double, 6>> &in_space)
{
  GmshCells mesh;
  mesh.type = 5;
  for (const auto &[x0, x1, y0, y1, z0, z1] : in_space)
    {
      mesh.cells.emplace_back();
      for (const double z : {z0, z1})
        for (const auto &[x, y] : {std::pair(x0, y0), std::pair(x1, y0), std::pair(x1, y1), std::pair(x0, y1)})
          {
            mesh.nodes.push_back({x, y, z});
            mesh.cells.back().push_back(static_cast<int>(mesh.nodes.size()));
          }
    }
  return mesh;
}

/// Quadrilaterals between n + 1 rays from the centre to x(ray, layer), of which the last ray is the first where `closes`.
template <class X>
GmshCells strip(const int n, const int n_layers, const bool closes, const X &x)
{
  GmshCells mesh;
  for (int ray = 0; ray < n + !closes; ++ray)
    for (int layer = 0; layer <= n_layers; ++layer)
      mesh.nodes.push_back(x(ray, layer));
  const auto node = [&](const int ray, const int layer) { return ray % (n + !closes) * (n_layers + 1) + layer + 1; };
  for (int ray = 0; ray < n; ++ray)
    for (int layer = 0; layer < n_layers; ++layer)
      mesh.cells.push_back({node(ray, layer), node(ray, layer + 1), node(ray + 1, layer + 1), node(ray + 1, layer)});
  return mesh;
}

std::array<double, 3> polar(const double r, const double angle) { return {r * std::cos(angle), r * std::sin(angle), 0.}; }

const double turn = 2. * std::acos(-1.);
} // namespace

BOOST_AUTO_TEST_CASE(cells_with_a_seam_between_them_are_refused)
{
  const std::string of_plane = said_of(rectangles({{0., 1., 0., 1.}, {1., 2., 0., 1.}}));
  BOOST_TEST(speaks_of(of_plane, "touch at (1, 0)"));
  BOOST_TEST(speaks_of(of_plane, "Coherence"));
  BOOST_TEST(speaks_of(said_of(cuboids({{0., 1., 0., 1., 0., 1.}, {0., 1., 1., 2., 0., 1.}})), "touch at (1, 1, 0)"));
  // nodes that the digits of a file put a little apart, and such that are not in a face of the other cell
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 1., 0., 1.}, {1.000001, 2., .2, 3.}})), "touch at (1, "));
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 1., 0., 1.}, {.999999, 2., -.2, 3.}})), "touch at (1, "));
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 1., 0., 1.}, {1., 2., 1., 2.}})), "touch at (1, 1)")); // in a corner
  BOOST_TEST(speaks_of(said_of(cuboids({{-1., 1., -3., 3., 0., 1.}, {-3., 3., -1., 1., 1., 2.}})), "touch at ")); // a cross
  BOOST_TEST(said_of(rectangles({{0., 1., 0., 1.}, {1.001, 2., 0., 1.}})) == "");
  BOOST_TEST(said_of(cuboids({{-1., 1., -3., 3., 0., 1.}, {-3., 3., -1., 1., 1.001, 2.}})) == "");
}

BOOST_AUTO_TEST_CASE(hanging_nodes_are_refused)
{
  const GmshCells two_beside_one = {
      3,
      {{0., 0., 0.}, {1., 0., 0.}, {1., 1., 0.}, {0., 1., 0.}, {1., .5, 0.}, {2., 0., 0.}, {2., .5, 0.}, {2., 1., 0.}},
      {{1, 2, 3, 4}, {2, 6, 7, 5}, {5, 7, 8, 3}}};
  BOOST_TEST(speaks_of(said_of(two_beside_one), "touch at (1, 0.5)"));
}

BOOST_AUTO_TEST_CASE(cells_that_overlap_are_refused)
{
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 1., 0., 1.}, {.5, 1.5, 0., 1.}})), "overlap, at (0.5, 0.5) and (1, 0.5)"));
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 1., 0., 1.}, {0., 1., 0., 1.}})), "overlap"));
  BOOST_TEST(speaks_of(said_of(rectangles({{0., 3., 0., 3.}, {1., 2., 1., 2.}})), "overlap"));
  // crosses, of which no vertex is in the other box
  BOOST_TEST(speaks_of(said_of(rectangles({{-1., 1., -3., 3.}, {-3., 3., -1., 1.}})), "overlap"));
  BOOST_TEST(speaks_of(said_of(cuboids({{-1., 1., -3., 3., 0., 1.}, {-3., 3., -1., 1., .5, 2.}})), "overlap"));
  // a strip that goes around more than once, and one that is folded back
  BOOST_TEST(speaks_of(
      said_of(strip(14, 2, false, [](const int ray, const int layer) { return polar(1. + .3 * layer, ray * turn / 12.); })),
      "overlap"));
  BOOST_TEST(speaks_of(said_of(strip(2, 1, false,
                                     [](const int ray, const int layer) {
                                       return std::array<double, 3>{ray == 1 ? 1. : .2 * ray, 1. * layer, 0.};
                                     })),
                       "overlap"));
}

BOOST_AUTO_TEST_CASE(curved_concave_graded_and_turned_meshes_with_holes_pass)
{
  BOOST_TEST(said_of(perturbed_square(12)) == "");
  BOOST_TEST(said_of(sheared_box(4)) == "");
  BOOST_TEST(said_of(strip(40, 3, true,
                           [](const int ray, const int layer) { return polar(1. + .2 * layer, ray * turn / 40.); })) == "");
  // a ring with a slit of a thousandth of a cell
  BOOST_TEST(said_of(strip(40, 3, false, [](const int ray, const int layer) {
               return polar(1. + .2 * layer, ray * (turn - 2e-4) / 40.);
             })) == "");
  // layers from 1e-5 to 1, and a place far away
  BOOST_TEST(said_of(strip(20, 6, false, [](const int ray, const int layer) {
               return std::array<double, 3>{-1. * ray, layer == 0 ? 0. : std::pow(10., layer - 6.), 0.};
             })) == "");
  for (GmshCells mesh : {perturbed_square(8), sheared_box(3)})
    {
      for (auto &x : mesh.nodes)
        x = {1e5 + .8 * x[0] - .6 * x[1], .6 * x[0] + .8 * x[1], x[2]};
      BOOST_TEST(said_of(mesh) == "");
    }
  GmshCells corner   = rectangles({{0., 1., 0., 1.}, {1., 2., 1., 2.}}); // which both cells have
  corner.cells[1][0] = corner.cells[0][2];
  BOOST_TEST(said_of(corner) == "");
}

BOOST_AUTO_TEST_SUITE_END()
