// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/density.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

BOOST_AUTO_TEST_SUITE(density)

using namespace moreau;
using namespace moreau::app;
using Eigen::Index;

namespace
{
/// A file that exists as long as this does.
struct TemporaryFile
{
  explicit TemporaryFile(const std::string &text)
      : name((std::filesystem::temp_directory_path() / ("density" + std::to_string(std::random_device()()) + ".csv"))
                 .string())
  {
    std::ofstream(name, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::remove(name.c_str()); }

  std::string name;
};

geometry::Field read(const std::string &text, const Index dim = 2) { return density_field(TemporaryFile(text).name, dim); }

/// The densities in the columns of x.
std::vector<double> densities(const geometry::Field &density, const Eigen::MatrixXd &x)
{
  Eigen::MatrixXd values;
  density(x, values);
  BOOST_TEST_REQUIRE(values.rows() == 1);
  return {values.data(), values.data() + values.size()};
}

/// The message that reading `text` ends with, without the file name.
std::string error_of(const std::string &text, const Index dim = 2)
{
  const TemporaryFile file(text);
  try
    {
      density_field(file.name, dim);
    }
  catch (const InputError &error)
    {
      const std::string message = error.sentence, start = "'" + file.name + "': ";
      BOOST_TEST(error.subject == "Zone/File");
      BOOST_TEST(message.substr(0, start.size()) == start);
      return message.substr(start.size());
    }
  return "no error";
}

void check_error(const std::string &message, const std::string &expected)
{
  BOOST_TEST(message.substr(0, expected.size()) == expected);
}

/// 3 x 2 cells of 1 x 0.5 m from (0, 0) on, not in order, the columns neither.
const std::string table = "# densities\ny, rho, x\n0.25, 0.1, 0.5\n0.75,0.4,0.5\n0.25,0.2,1.5\n0.25,0.3,2.5 # a corner\n\n"
                          "0.75,0.6,2.5\n0.75,0.5,1.5\n";
} // namespace

// 0 and 1 beside each other: what lies between points is known; rounding reaches no neighbour
BOOST_AUTO_TEST_CASE(a_file_is_known_between_points)
{
  const geometry::Field density = read("x,y,rho\n.5,.5,0\n1.5,.5,1\n.5,1.5,1\n1.5,1.5,1\n");
  const auto            known   = [&](const double x0, const double x1, const double y0, const double y1) {
    Eigen::MatrixXd corners(2, 4);
    corners << x0, x1, x0, x1, y0, y0, y1, y1;
    const geometry::OnHull hull = density.on_hull(corners);
    BOOST_TEST(hull.is_polynomial == (hull.lower(0) == hull.upper(0)));
    return std::vector<double>{hull.lower(0), hull.upper(0)};
  };
  using Range = std::vector<double>;
  BOOST_TEST((known(0., 1., 0., 1.) == Range{0., 0.}));
  BOOST_TEST((known(1. - 1e-9, 2. + 1e-9, 0., 1. + 1e-9) == Range{1., 1.}));
  BOOST_TEST((known(.99, 1.5, 0., 1.) == Range{0., 1.}));
  BOOST_TEST((known(0., 1., 1., 1.5) == Range{1., 1.}));
  BOOST_TEST((known(0., 2., .1, .9) == Range{0., 1.}));
  BOOST_TEST((known(1.5, 2.1, 1., 2.) == Range{0., 1.})); // nothing is beyond the grid
  BOOST_TEST((known(1.3, 1.3, 1.3, 1.3) == Range{1., 1.}));
}

BOOST_AUTO_TEST_CASE(a_point_has_the_density_of_its_cell)
{
  Eigen::MatrixXd x(2, 6);
  x << 0.5, 1.5, 2.5, 0.01, 1.99, 2.99, //
      0.25, 0.25, 0.25, 0.51, 0.99, 0.74;
  BOOST_TEST(densities(read(table), x) == (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
}

BOOST_AUTO_TEST_CASE(outside_the_grid_nothing_is)
{
  const double    nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd x(2, 6);
  x << -0.01, 3.01, 1.5, 1.5, 1e300, nan, //
      0.25, 0.25, -0.01, 1.01, 0.25, 0.25;
  BOOST_TEST(densities(read(table), x) == std::vector<double>(6, 0.));
}

BOOST_AUTO_TEST_CASE(the_corners_of_the_grid_belong_to_it)
{
  Eigen::MatrixXd x(2, 4);
  x << 0., 3., 0., 3., //
      0., 0., 1., 1.;
  BOOST_TEST(densities(read(table), x) == (std::vector<double>{0.1, 0.3, 0.4, 0.6}));
}

BOOST_AUTO_TEST_CASE(lines_and_space_have_grids_too)
{
  Eigen::MatrixXd x(1, 3);
  x << -1.9, -0.1, 0.1;
  BOOST_TEST(densities(read("x,rho\n-0.5,0.25\n-1.5,1\n", 1), x) == (std::vector<double>{1., 0.25, 0.}));

  std::string cube = "x,y,z,rho\n";
  for (int corner = 0; corner < 8; ++corner)
    cube += std::to_string(corner % 2) + "," + std::to_string(corner / 2 % 2) + "," + std::to_string(corner / 4) + "," +
            std::to_string(corner / 8.) + "\n";
  Eigen::MatrixXd y(3, 8);
  for (int corner = 0; corner < 8; ++corner)
    y.col(corner) << corner % 2 + 0.2, corner / 2 % 2 - 0.3, corner / 4 + 0.4;
  const std::vector<double> values = densities(read(cube, 3), y);
  for (int corner = 0; corner < 8; ++corner)
    BOOST_TEST(values[corner] == corner / 8.);
}

BOOST_AUTO_TEST_CASE(centres_may_be_rounded)
{
  // a third of a metre written with three digits
  const geometry::Field field = read("x,rho\n0.167,0.1\n0.5,0.2\n0.833,0.3\n", 1);
  const Eigen::MatrixXd x     = Eigen::RowVector3d(0.1, 0.5, 0.9);
  BOOST_TEST(densities(field, x) == (std::vector<double>{0.1, 0.2, 0.3}));
  // and the same coordinate in two ways
  BOOST_TEST(error_of("x,y,rho\n0.1,0,1\n0.2,0,1\n0.10000000000000002,1,1\n0.2,1,1\n") == "no error");
}

BOOST_AUTO_TEST_CASE(a_density_is_one_up_to_round_off)
{
  const Eigen::MatrixXd x = Eigen::RowVector2d(0., 1.);
  BOOST_TEST(densities(read("x,rho\n0,1.0000000000000002\n1,-1e-17\n", 1), x) == (std::vector<double>{1., 0.}));
}

BOOST_AUTO_TEST_CASE(files_without_densities_are_refused)
{
  BOOST_CHECK_THROW(density_field("/no/such/file.csv", 2), InputError);
  check_error(error_of(""), "the file is empty; its first line names the columns");
  check_error(error_of("x,y,rho\n"), "there are no densities below the line of column names.");
}

BOOST_AUTO_TEST_CASE(columns_must_fit_the_dimension)
{
  check_error(error_of("x,y\n0,0\n"), "line 1: the column 'rho' is missing; densities in dimension 2 need x, y, rho.");
  check_error(error_of("x,rho\n0,0\n"), "line 1: the column 'y' is missing; densities in dimension 2 need x, y, rho.");
  check_error(error_of("x,y,z,rho\n0,0,0,1\n"), "line 1: the column 'z' is one too many in dimension 2");
  check_error(error_of("x,y,density\n0,0,1\n"), "line 1: the column 'density' is unknown; the columns are x, y, z, rho");
  check_error(error_of("x,y,rho,x\n0,0,1,0\n"), "line 1: the column 'x' is there twice");
}

BOOST_AUTO_TEST_CASE(words_that_are_no_densities_are_named_with_their_place)
{
  check_error(error_of("x,y,rho\n0,0,1\n0,1,full\n"), "line 3, column 'rho': 'full' is not a number");
  check_error(error_of("x,y,rho\n0,0,nan\n"), "line 2, column 'rho': 'nan' is not finite");
  check_error(error_of("x,y,rho\n0,0\n"), "line 2: 2 entries, but the first line names 3 columns.");
  check_error(error_of("x,y,rho\n0,0,1\n0.5,0.25,1.5\n"),
              "line 3, column 'rho': the density is 1.5 at (0.5, 0.25); it must lie in [0, 1].");
  check_error(error_of("x,y,rho\n0,0,-0.5\n"),
              "line 2, column 'rho': the density is -0.5 at (0, 0); it must lie in [0, 1].");
}

BOOST_AUTO_TEST_CASE(grids_must_be_regular)
{
  check_error(error_of("x,rho\n0,1\n1,1\n2.1,1\n3,1\n", 1), "line 4, column 'x': 2.1 is not on a regular grid");
  check_error(error_of("x,rho\n0,1\n1,1\n3,1\n", 1), "line 3, column 'x': 1 is not on a regular grid");
  check_error(error_of("x,y,rho\n0,0,1\n1,0,1\n2,0,1\n"), "all rows have the same y");
}

BOOST_AUTO_TEST_CASE(every_cell_comes_once)
{
  check_error(error_of("x,y,rho\n0,0,1\n1,0,1\n0,1,1\n"),
              "the grid of 2 x 2 cells is not complete: no row has its centre at (1, 1)");
  check_error(error_of("x,y,rho\n0,0,1\n1,0,1\n0,1,1\n1,1,1\n1,0,1\n"),
              "line 6: the cell at (1, 0) has its density in line 3; keep one of them.");
  // on a diagonal: far more cells than rows
  check_error(error_of("x,y,rho\n0,0,1\n1,1,1\n2,2,1\n3,3,1\n"),
              "the grid of 4 x 4 cells is not complete: no row has its centre at (1, 0)");
}

BOOST_AUTO_TEST_CASE(the_level_of_a_shape_is_read_off_its_comparison)
{
  const auto level = [](const std::string &text) { return level_of_density(text).value_or("none"); };
  BOOST_TEST(level("if(A < B, 1, 0)") == "(B)-(A)");
  BOOST_TEST(level("if(A <= B, 1, 0)") == "(B)-(A)");
  BOOST_TEST(level("if(A > B, 1, 0)") == "(A)-(B)");
  BOOST_TEST(level("if(A >= B, 1, 0)") == "(A)-(B)");
  BOOST_TEST(level("if(A < B, 0, 1)") == "(A)-(B)");
  BOOST_TEST(level("if(A >= B, 0, 1)") == "(B)-(A)");
  BOOST_TEST(level("  if (x^2+y^2<.3 ,1. ,0.0)\t") == "(.3)-(x^2+y^2)");
  BOOST_TEST(level("if((x - .5)^2 + pow(y, 2) < (r + 1e-2)*(1 + x), 1.0, 0.)") ==
             "((r + 1e-2)*(1 + x))-((x - .5)^2 + pow(y, 2))");
  BOOST_TEST(level("if(-x < -y, 1, 0)") == "(-y)-(-x)");
  BOOST_TEST(level("if(sqrt(x*x + y*y) < 0.25*(1 + 0.3*cos(5*x)), 1, 0)") == "(0.25*(1 + 0.3*cos(5*x)))-(sqrt(x*x + y*y))");
  BOOST_TEST(level("if(my_max < absolute, 1, 0)") == "(absolute)-(my_max)"); // names that only contain those of functions
}

BOOST_AUTO_TEST_CASE(other_text_has_no_level)
{
  for (const char *text : {"",
                           "1",
                           "x",
                           "x < 1",
                           "if",
                           "if()",
                           "if(x < 1)",
                           "if(x < 1, 1)",
                           "if(x < 1, 1, 0, 0)",
                           "if(x, 1, 0)",
                           "2*if(x < 1, 1, 0)",
                           "if(x < 1, 1, 0)*2",
                           "if(x < 1, 1, 0)*if(y < 1, 1, 0)",
                           "if(x < 1, 1, 0) + (0)",
                           "if(x < 1, 1, 0.5)",
                           "if(x < 1, 1, 1)",
                           "if(x < 1, y, 0)",
                           "if(x < 1, 1, -0.1)",
                           "if(x < 1, 1, )",
                           "if(x < 1, 1, 0",
                           "if(x < 1), 1, 0)",
                           "if((x < 1), 1, 0)",
                           "if(x == 1, 1, 0)",
                           "if(x != 1, 1, 0)",
                           "if(< 1, 1, 0)",
                           "if(x <, 1, 0)",
                           "if(0 < x < 1, 1, 0)",
                           "if(x < 1 && y < 1, 1, 0)",
                           "if(x < 1 & y < 1, 1, 0)",
                           "if(x < 1 | y < 1, 1, 0)",
                           "if(x < (y < 1), 1, 0)",
                           "if(abs(x) < 1, 1, 0)",
                           "if(x < max(y, 0), 1, 0)",
                           "if(min (x, y) < 1, 1, 0)",
                           "if(sign(x) < 1, 1, 0)",
                           "if(rint(x) < 1, 1, 0)",
                           "if(floor(x) < 1, 1, 0)",
                           "if(ceil(x) < 1, 1, 0)",
                           "if(if(x < 0, 1, 2) < 1, 1, 0)",
                           "if(x < (y ? 1 : 2), 1, 0)",
                           "if(x < 1, 1, 0); 1",
                           "If(x < 1, 1, 0)",
                           "iff(x < 1, 1, 0)"})
    BOOST_TEST(!level_of_density(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()
