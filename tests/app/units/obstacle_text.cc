// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/obstacle_text.h"
#include "app/input/places.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>

BOOST_AUTO_TEST_SUITE(obstacle_text)

using namespace moreau;
using namespace moreau::app;
using micro::Index;
using micro::Obstacle;
using micro::Vector;

namespace
{
using Shape = Obstacle::Shape;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Groups = std::array<ObstacleParameters, MotionText::n_groups>;

/// Two digits of a picture, none of the mathematics: how far facets lie from what they stand for, of the radius.
constexpr double facet = .03;

Groups shapes(const std::string &first, const std::string &second = "")
{
  Groups groups;
  groups[0].shapes = first;
  groups[1].shapes = second;
  for (ObstacleParameters &group : groups)
    {
      group.translation = {"", "", "t", "Translation"};
      group.angle       = {"", "", "t", "Angle"};
    }
  return groups;
}

micro::Obstacles parsed(const Groups &groups, const Index dim) { return obstacles(groups, {}, dim); }

void check_complaint(const std::function<void()> &run, const std::string &parameter, const std::string &message)
{
  try
    {
      run();
      BOOST_ERROR("nothing was thrown");
    }
  catch (const InputError &error)
    {
      BOOST_TEST(place_of(error.subject) == parameter);
      BOOST_TEST(error.sentence == message);
    }
}

Vector3d point(const geometry::Mesh &mesh, const long long k)
{
  return Eigen::Map<const Vector3d>(mesh.points.data() + 3 * k);
}

/// Areas of the polygons, or lengths of the lines, of one obstacle; and Σ
/// area · normal · centroid / 3, the volume inside a closed surface.
struct Measure
{
  double size = 0., volume = 0.;
  int    n_cells = 0;
};

Measure measure(const geometry::Mesh &mesh, const int obstacle)
{
  Measure result;
  for (std::size_t cell = 0; cell < mesh.n_cells(); ++cell)
    {
      if (mesh.cell_data.at(0).values.at(cell) != obstacle)
        continue;
      ++result.n_cells;
      if (mesh.cell_type == geometry::CellType::line)
        result.size += (point(mesh, mesh.connectivity[2 * cell]) - point(mesh, mesh.connectivity[2 * cell + 1])).norm();
      if (mesh.cell_type != geometry::CellType::polygon)
        continue;
      const long long first = cell == 0 ? 0 : mesh.offsets[cell - 1];
      const Vector3d  a     = point(mesh, mesh.connectivity[first]);
      for (long long k = first + 1; k + 1 < mesh.offsets[cell]; ++k)
        {
          const Vector3d b = point(mesh, mesh.connectivity[k]), c = point(mesh, mesh.connectivity[k + 1]);
          result.size += (b - a).cross(c - a).norm() / 2.;
          result.volume += a.dot(b.cross(c)) / 6.;
        }
    }
  return result;
}
} // namespace

BOOST_AUTO_TEST_CASE(every_shape_is_read)
{
  const auto bodies = parsed(shapes("half-space (0, -1, 0) (0, 2, 0); ball (1,2,3) 0.5; capsule (0, 0, 0)(1, 0, 0) 1e-1;"
                                    "plate (0, 0, 0) (1, 0, 0) (0, 1, 0) 0",
                                    "inside of ball (0, 0, 1) 4;  inside of cylinder (0, 0, 0) (0, 0, 1) 3;"),
                             3)
                          .at(0.)
                          .obstacles();
  BOOST_TEST_REQUIRE(bodies.size() == 6U);
  const std::vector<Shape> expected = {Shape::half_space, Shape::ball,           Shape::capsule,
                                       Shape::plate,      Shape::inside_of_ball, Shape::inside_of_cylinder};
  for (std::size_t k = 0; k < 6; ++k)
    {
      BOOST_TEST((bodies[k].shape == expected[k]));
      BOOST_TEST(bodies[k].group == (k < 4 ? 0 : 1));
    }
  BOOST_TEST((bodies[0].a == Vector3d(0., -1., 0.) && bodies[0].b == Vector3d(0., 1., 0.))); // a unit normal
  BOOST_TEST((bodies[1].a == Vector3d(1., 2., 3.) && bodies[1].radius == .5));
  BOOST_TEST((bodies[2].b == Vector3d(1., 0., 0.) && bodies[2].radius == .1));
  BOOST_TEST((bodies[3].b == Vector3d(1., 0., 0.) && bodies[3].c == Vector3d(0., 1., 0.) && bodies[3].radius == 0.));
  BOOST_TEST((bodies[4].a == Vector3d(0., 0., 1.) && bodies[4].radius == 4.));
  BOOST_TEST((bodies[5].b == Vector3d(0., 0., 1.) && bodies[5].radius == 3.));
  BOOST_TEST(bodies[2].name == "capsule 3 of Obstacles");
  BOOST_TEST(bodies[4].name == "inside of ball 1 of Obstacles 2");

  const auto line = parsed(shapes("half-space (0) (1); ball (3) .5; capsule (4) (5) .1"), 1).at(0.).obstacles();
  BOOST_TEST_REQUIRE(line.size() == 3U);
  BOOST_TEST(line[2].b(0) == 5.);
  BOOST_TEST(parsed(shapes(""), 2).size() == 0);
}

BOOST_AUTO_TEST_CASE(mistakes_name_group_item_and_what_would_be_right)
{
  const auto complains = [](const std::string &text, const std::string &message, const Index dim = 2) {
    check_complaint([&] { parsed(shapes("", text), dim); }, "Obstacles 2/Shapes", message);
  };
  complains("ball (0, 0) 1; bal (0, 0) 1",
            "Item 2, 'bal (0, 0) 1', is no shape with its points; begin with half-space, ball, capsule, plate, "
            "inside of ball or inside of cylinder.");
  complains("capsule (0, 0) 0.1", "Item 1, 'capsule (0, 0) 0.1', is not of the form capsule POINT POINT RADIUS, as "
                                  "capsule (0, 0) (1, 0) 0.1.");
  complains("capsule (0, 0) (1, 0)", "Item 1, 'capsule (0, 0) (1, 0)', is not of the form capsule POINT POINT RADIUS, as "
                                     "capsule (0, 0) (1, 0) 0.1.");
  complains("ball (0, 0) 0.1 2", "Item 1, 'ball (0, 0) 0.1 2', is not of the form ball CENTRE RADIUS, as ball (0, 0) 0.1.");
  complains("ball (0, one) 1", "Item 1, 'ball (0, one) 1', is not of the form ball CENTRE RADIUS, as ball (0, 0) 0.1.");
  complains("ball (0, 0 1", "Item 1, 'ball (0, 0 1', is not of the form ball CENTRE RADIUS, as ball (0, 0) 0.1.");
  complains("half-space (0, 0, 0) (0, 0, 1)",
            "Item 1, 'half-space (0, 0, 0) (0, 0, 1)', has a point or normal with 3 numbers; Dimension = 2 needs 2, as "
            "half-space (0, 0) (1, 0).");
  complains("half-space (0)", "Item 1, 'half-space (0)', is not of the form half-space POINT NORMAL, as half-space (0) (1).",
            1);
  complains("half-space (0, 0) (0, 0)",
            "The half-space 1 of Obstacles 2 has the normal 0; give the direction that points to the spheres.");
  complains("ball (0, 0) nan", "The ball 1 of Obstacles 2 has the radius nan; give a finite number that is not negative.");
}

BOOST_AUTO_TEST_CASE(motions_are_functions_of_time)
{
  Groups groups                 = shapes("ball (1, 0) .1", "ball (0, 0) .1");
  groups[0].translation         = {"a*t; t^2", "a = 3", "t", "Translation"};
  groups[0].angle               = {"pi*t/2", "", "t", "Angle"};
  const micro::Obstacles moving = parsed(groups, 2);
  BOOST_TEST((moving.moves(0) && !moving.moves(1)));
  BOOST_TEST((moving.at(1.).obstacles()[0].a - Vector2d(3., 2.)).norm() < 1e-15);
  BOOST_TEST((moving.at(1.).obstacles()[1].a - Vector2d(0., 0.)).norm() == 0.);

  groups[0].centre = Vector2d(1., 1.);
  BOOST_TEST((parsed(groups, 2).at(1.).obstacles()[0].a - Vector2d(5., 2.)).norm() < 1e-15);

  groups[0].translation.expression = "t";
  check_complaint([&] { parsed(groups, 2); }, "Obstacles/Translation expression",
                  "'t' has 1 component, separated by ';', but 2 are needed.");
  groups[0].translation.expression = "0; 1/(t - 1)";
  BOOST_CHECK_NO_THROW(parsed(groups, 2).at(0.));
  BOOST_CHECK_THROW(parsed(groups, 2).at(1.), InputError);
  groups[0].translation.expression = "";
  groups[0].centre                 = micro::Vector::Ones(1);
  check_complaint([&] { parsed(groups, 2); }, "Obstacles/Rotation centre", "It needs 2 finite numbers.");
}

BOOST_AUTO_TEST_CASE(walls_are_half_spaces_that_move_at_their_velocities)
{
  std::vector<micro::Wall> walls = micro::box_walls(Vector2d(1., 2.), Vector2d(5., 6.), {"left", "top"});
  walls[1].velocity              = Vector2d(0., -.5);
  const micro::Obstacles all     = obstacles(shapes("ball (0, 0) 1"), walls, 2);
  BOOST_TEST_REQUIRE(all.size() == 3);
  BOOST_TEST((!all.moves(1) && all.moves(2)));
  const micro::PlacedObstacles placed = all.at(2.);
  const Vector2d               x(3., 3.);
  BOOST_TEST(placed.obstacles()[1].name == "the wall left");
  BOOST_TEST(std::abs(placed.approach(1, x.data(), .5).D - 1.5) < 1e-15);
  BOOST_TEST(std::abs(placed.approach(2, x.data(), .5).D - 1.5) < 1e-15); // 6 - 2·½ - 3 - ½
  BOOST_TEST((placed.approach(2, x.data(), .5).e == Vector3d(0., 1., 0.)));
  BOOST_TEST((all.velocity(2, x, 1., .1) - Vector2d(0., -.5)).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(outlines_in_the_plane_have_the_right_lengths)
{
  const auto placed =
      parsed(shapes("half-space (0, 1) (0, 1); half-space (0, 0) (1, 1); half-space (9, 0) (1, 0); ball (0, 0) 1;"
                    "capsule (0, 0) (3, 4) 1; inside of ball (0, 0) 3; capsule (0, 0) (3, 4) 0"),
             2)
          .at(0.);
  const geometry::Mesh mesh = obstacle_mesh(placed, Vector2d(-2., -1.), Vector2d(3., 1.));
  BOOST_TEST((mesh.cell_type == geometry::CellType::line));
  BOOST_TEST(mesh.cell_data.at(0).name == "obstacle");
  BOOST_TEST(std::abs(measure(mesh, 0).size - 5.) < 1e-6);                 // on a side of the box
  BOOST_TEST(std::abs(measure(mesh, 1).size - 2. * std::sqrt(2.)) < 1e-6); // cut at two sides
  BOOST_TEST(measure(mesh, 2).n_cells == 0);                               // outside
  const double circle = 2. * M_PI;
  BOOST_TEST(std::abs(measure(mesh, 3).size - circle) < facet);
  BOOST_TEST(std::abs(measure(mesh, 4).size - circle - 10.) < facet);
  BOOST_TEST(std::abs(measure(mesh, 5).size - 3. * circle) < 3. * facet);
  BOOST_TEST(std::abs(measure(mesh, 6).size - 10.) < .05); // drawn with a thousandth of the box' diagonal
  for (long long k = 0; k < static_cast<long long>(mesh.n_points()); ++k)
    BOOST_TEST(point(mesh, k).z() == 0.);
}

BOOST_AUTO_TEST_CASE(surfaces_in_space_enclose_the_right_volumes)
{
  const auto placed =
      parsed(shapes("ball (1, 2, 3) 2; capsule (0, 0, 0) (1, 2, 2) 2; plate (1, 0, 0) (5, 0, 0) (2, 3, 0) .5;"
                    "inside of cylinder (0, 0, 0) (0, 0, 1) 3; half-space (0, 0, 0) (1, 1, 1);"
                    "inside of ball (5, 5, 5) 2; plate (0, 0, 1) (4, 0, 1) (0, 3, 1) 0"),
             3)
          .at(0.);
  const Vector         lower = Vector3d(-1., -1., -1.), upper = Vector3d(1., 1., 1.);
  const geometry::Mesh mesh = obstacle_mesh(placed, lower, upper);
  BOOST_TEST((mesh.cell_type == geometry::CellType::polygon));
  BOOST_TEST(mesh.cell_data.at(0).values.size() == mesh.n_cells());

  const double ball = 4. / 3. * M_PI * 8.;
  BOOST_TEST(std::abs(measure(mesh, 0).volume / ball - 1.) < facet);
  const double capsule = ball + 3. * M_PI * 4.;
  BOOST_TEST(std::abs(measure(mesh, 1).volume / capsule - 1.) < facet);
  const double area = 12., circumference = 2. * (4. + std::sqrt(10.)); // Steiner's formula for a flat convex set
  const double plate = 2. * .5 * area + M_PI / 2. * circumference * .25 + 4. / 3. * M_PI * .125;
  BOOST_TEST(std::abs(measure(mesh, 2).volume / plate - 1.) < facet);
  BOOST_TEST(std::abs(measure(mesh, 3).size / (2. * M_PI * 3. * 2.) - 1.) < facet); // as high as the box
  BOOST_TEST(std::abs(measure(mesh, 4).size - 3. * std::sqrt(3.)) < 1e-6);          // the hexagon in a cube with sides 2
  BOOST_TEST(std::abs(measure(mesh, 5).volume / ball - 1.) < facet);
  BOOST_TEST(std::abs(measure(mesh, 6).size / (2. * 12.) - 1.) < facet);
}

BOOST_AUTO_TEST_CASE(bodies_on_the_line_are_points)
{
  const auto           placed = parsed(shapes("half-space (-1) (1); ball (3) .5; capsule (5) (4) .25"), 1).at(0.);
  const geometry::Mesh mesh   = obstacle_mesh(placed, Vector::Constant(1, -1.), Vector::Constant(1, 6.));
  BOOST_TEST((mesh.cell_type == geometry::CellType::vertex));
  std::vector<double> x;
  for (long long k = 0; k < static_cast<long long>(mesh.n_points()); ++k)
    x.push_back(point(mesh, k).x());
  BOOST_TEST((x == std::vector<double>{-1., 2.5, 3.5, 3.75, 5.25}));
}

BOOST_AUTO_TEST_SUITE_END()
