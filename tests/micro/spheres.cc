// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/spheres.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

BOOST_AUTO_TEST_SUITE(spheres)

using namespace moreau;
using namespace moreau::micro;

namespace
{
/// A file that exists as long as this does.
struct TemporaryFile
{
  explicit TemporaryFile(const std::string &text)
      : name((std::filesystem::temp_directory_path() / ("spheres" + std::to_string(std::random_device()()) + ".csv"))
                 .string())
  {
    std::ofstream(name, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::remove(name.c_str()); }

  std::string name;
};

SphereFile read(const std::string &text, const Index dim = 2) { return read_csv(TemporaryFile(text).name, dim); }

/// The message of the InputError that reading `text` ends with, without the file name.
std::string error_of(const std::string &text, const Index dim = 2)
{
  const TemporaryFile file(text);
  try
    {
      read_csv(file.name, dim);
    }
  catch (const InputError &error)
    {
      const std::string message = error.sentence, start = "'" + file.name + "': ";
      BOOST_TEST(error.subject == "the file of spheres");
      BOOST_TEST(message.substr(0, start.size()) == start);
      return message.substr(start.size());
    }
  return "no error";
}

void check_error(const std::string &message, const std::string &expected)
{
  BOOST_TEST(message.substr(0, expected.size()) == expected);
}

Spheres two_spheres()
{
  Spheres two{Eigen::MatrixXd(2, 2), Vector::Ones(2), Vector::Ones(2)};
  two.r << 0., 2., 0., 0.;
  return two;
}

std::string validation_error(const Spheres &spheres)
{
  try
    {
      spheres.validate();
    }
  catch (const InputError &error)
    {
      return error.sentence;
    }
  return "no error";
}
} // namespace

BOOST_AUTO_TEST_CASE(blanks_and_tabs_separate_columns_where_the_first_line_has_no_comma)
{
  const SphereFile with_commas = read("x,y,radius,mass,ux,uy\n1,2,0.5,3,4,5\n6,7,0.25,8,9,10\n");
  const SphereFile with_blanks = read("  x y\tradius  mass ux uy\n1 2 0.5\t 3 4 5\n 6\t7 0.25 8 9   10 \n");
  BOOST_TEST((with_blanks.spheres.r == with_commas.spheres.r));
  BOOST_TEST((with_blanks.spheres.R == with_commas.spheres.R));
  BOOST_TEST((with_blanks.spheres.m == with_commas.spheres.m));
  BOOST_TEST((with_blanks.U == with_commas.U));
  check_error(error_of("x y radius\n1 2\n"), "line 2: 2 entries, but the first line names 3 columns.");
}

BOOST_AUTO_TEST_CASE(columns_may_have_the_names_of_other_programs)
{
  const SphereFile ours = read("x,y,radius,mass,ux,uy\n1,2,0.5,3,4,5\n"), theirs = read("x,y,r,m,vx,vy\n1,2,0.5,3,4,5\n");
  BOOST_TEST((theirs.spheres.R == ours.spheres.R));
  BOOST_TEST((theirs.spheres.m == ours.spheres.m));
  BOOST_TEST((theirs.U == ours.U));
  check_error(error_of("x,y,radius,r\n1,2,3,4\n"), "line 1: the column 'radius' is there twice");
}

BOOST_AUTO_TEST_CASE(six_digits_of_centres_and_radii_are_told_from_fewer_and_more)
{
  BOOST_TEST(read("x,y,radius,ux,uy\n0.123456,20.5,0.5,1.234567891,0\n").rounding == .5e-4,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(read("x,y,radius\n-1.23456e-3,0.001,0.002\n").rounding == .5e-8, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(read("x,y,radius\n0.12345,20.5,0.5\n").rounding == 0.);
  BOOST_TEST(read("x,y,radius\n0.1234567,20.5,0.5\n").rounding == 0.);
}

BOOST_AUTO_TEST_CASE(what_is_written_reads_back_bit_for_bit)
{
  std::mt19937_64                        random(7);
  std::uniform_int_distribution<int64_t> exponent(-300, 300);
  std::normal_distribution<double>       normal;
  const auto                             number = [&] { return std::ldexp(normal(random), exponent(random)); };
  for (const Index dim : {1, 2, 3})
    {
      const Index n = 200;
      Spheres     spheres{Eigen::MatrixXd(dim, n), Vector(n), Vector(n)};
      Vector      U(dim * n);
      for (double *x = spheres.r.data(); x != spheres.r.data() + dim * n; ++x)
        *x = number();
      for (double &u : U)
        u = number();
      for (Index i = 0; i < n; ++i)
        spheres.R(i) = std::abs(number()), spheres.m(i) = std::abs(number());

      std::ostringstream text;
      write_csv(text, spheres, U);
      const SphereFile file = read(text.str(), dim);

      BOOST_TEST(file.has_mass);
      BOOST_TEST(file.has_velocity);
      BOOST_TEST((file.spheres.r == spheres.r));
      BOOST_TEST((file.spheres.R == spheres.R));
      BOOST_TEST((file.spheres.m == spheres.m));
      BOOST_TEST((file.U == U));
    }
}

BOOST_AUTO_TEST_CASE(columns_may_have_any_order)
{
  const SphereFile file = read("uy,radius,y,mass,x,ux\n1,2,3,4,5,6\n");
  BOOST_TEST(file.spheres.r(0, 0) == 5.);
  BOOST_TEST(file.spheres.r(1, 0) == 3.);
  BOOST_TEST(file.spheres.R(0) == 2.);
  BOOST_TEST(file.spheres.m(0) == 4.);
  BOOST_TEST(file.U(0) == 6.);
  BOOST_TEST(file.U(1) == 1.);
}

BOOST_AUTO_TEST_CASE(comments_spaces_blank_lines_carriage_returns_and_a_byte_order_mark_are_harmless)
{
  const SphereFile file = read("\xEF\xBB\xBF# a comment, with commas\r\n\r\n x , y ,radius # metres\r\n 1 ,\t2, .5\r\n  \r\n"
                               "# another\n+3,4e0,5E-1 # last, without a line end");
  BOOST_TEST_REQUIRE(file.spheres.size() == 2);
  BOOST_TEST(file.spheres.r(0, 0) == 1.);
  BOOST_TEST(file.spheres.r(1, 0) == 2.);
  BOOST_TEST(file.spheres.r(0, 1) == 3.);
  BOOST_TEST(file.spheres.R(1) == .5);
  BOOST_TEST(!file.has_velocity);
  BOOST_TEST(file.U.size() == 4);
  BOOST_TEST(file.U.norm() == 0.);
}

BOOST_AUTO_TEST_CASE(without_a_mass_column_the_density_is_one)
{
  BOOST_TEST(read("x,radius\n0,3\n", 1).spheres.m(0) == 6.);
  BOOST_TEST(read("x,y,radius\n0,0,3\n", 2).spheres.m(0) == 9. * M_PI);
  BOOST_TEST(read("x,y,z,radius\n0,0,0,3\n", 3).spheres.m(0) == 36. * M_PI, boost::test_tools::tolerance(1e-15)); // rounding
  BOOST_TEST(!read("x,radius\n0,3\n", 1).has_mass);
}

BOOST_AUTO_TEST_CASE(columns_beyond_the_dimension_must_be_zero)
{
  BOOST_TEST(read("x,y,z,radius,ux,uy,uz\n1,2,0,1,0,0,-0\n").spheres.size() == 1);
  check_error(error_of("x,y,z,radius\n1,2,0,1\n1,5,.5,1\n"), "line 3, column 'z': 0.5 is not zero, but the dimension is 2");
}

BOOST_AUTO_TEST_CASE(errors_name_line_and_column)
{
  check_error(error_of("x,y,radius\n0,0,1\n# c\n\n0,3,abc\n"), "line 5, column 'radius': 'abc' is not a number");
  check_error(error_of("x,y,radius\n0,1 2,1\n"), "line 2, column 'y': '1 2' is not a number");
  check_error(error_of("x,y,radius\n0,nan,1\n"), "line 2, column 'y': 'nan' is not finite");
  check_error(error_of("x,y,radius\ninf,0,1\n"), "line 2, column 'x': 'inf' is not finite");
  check_error(error_of("x,y,radius\n0,1e999,1\n"), "line 2, column 'y': '1e999' is too large");
  check_error(error_of("x,y,radius\n0,,1\n"), "line 2, column 'y': the entry is empty");
  check_error(error_of("x,y,radius\n0,+-1,1\n"), "line 2, column 'y': '+-1' is not a number");
  check_error(error_of("x,y,radius\n0,0,-1\n"), "line 2, column 'radius': -1 is not positive");
  check_error(error_of("x,y,radius,mass\n0,0,1,0\n"), "line 2, column 'mass': 0 is not positive");
}

BOOST_AUTO_TEST_CASE(ragged_lines_are_refused)
{
  check_error(error_of("x,y,radius\n0,0\n"), "line 2: 2 entries, but the first line names 3 columns");
  check_error(error_of("x,y,radius\n0,0,1,7\n"), "line 2: 4 entries, but the first line names 3 columns");
  check_error(error_of("x,y,radius\n0,0,1,\n"), "line 2: 4 entries, but the first line names 3 columns");
}

BOOST_AUTO_TEST_CASE(missing_unknown_and_repeated_columns_are_refused)
{
  check_error(error_of("x,y\n0,0\n"), "line 1: the column 'radius' is missing; spheres in dimension 2 need radius, x, y.");
  check_error(error_of("x,y,radius\n0,0,1\n", 3), "line 1: the column 'z' is missing");
  check_error(error_of("x,y,radius,ux\n0,0,1,0\n"), "line 1: the column 'uy' is missing");
  check_error(error_of("x,y,radius,colour\n0,0,1,0\n"),
              "line 1: the column 'colour' is unknown; the columns are x, y, z, radius, mass, ux, uy, uz, id");
  check_error(error_of("x;y;radius\n0;0;1\n"), "line 1: the column 'x;y;radius' is unknown");
  check_error(error_of("0,0,1\n"), "line 1: the column '0' is unknown");
  check_error(error_of("# c\nx,y,radius,x\n0,0,1,0\n"), "line 2: the column 'x' is there twice");
}

BOOST_AUTO_TEST_CASE(files_without_spheres_are_refused)
{
  check_error(error_of(""), "the file is empty");
  check_error(error_of("# only a comment\n"), "the file is empty");
  check_error(error_of("x,y,radius\n"), "there are no spheres");
  BOOST_CHECK_THROW(read_csv("/no/such/file.csv", 2), InputError);
  BOOST_CHECK_THROW(read_csv(std::filesystem::temp_directory_path().string(), 2), InputError);
}

BOOST_AUTO_TEST_CASE(validation_names_the_sphere)
{
  BOOST_TEST(validation_error(two_spheres()) == "no error");

  Spheres no_mass = two_spheres();
  no_mass.m(1)    = 0.;
  check_error(validation_error(no_mass), "Sphere 1 (numbered from 0) has the mass 0");

  Spheres no_radius = two_spheres();
  no_radius.R(0)    = -1.;
  check_error(validation_error(no_radius), "Sphere 0 (numbered from 0) has the radius -1");

  Spheres infinite_radius = two_spheres();
  infinite_radius.R(0)    = INFINITY;
  check_error(validation_error(infinite_radius), "Sphere 0 (numbered from 0) has the radius inf");

  Spheres no_centre = two_spheres();
  no_centre.r(1, 1) = NAN;
  check_error(validation_error(no_centre), "Sphere 1 (numbered from 0) has a centre that is not finite");

  Spheres mixed_up = two_spheres();
  mixed_up.R.resize(3);
  BOOST_CHECK_THROW(mixed_up.validate(), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(walls_of_a_box_face_inwards)
{
  const Eigen::Vector3d   lower(-1., -2., -3.), upper(4., 5., 6.);
  const std::vector<Wall> walls = box_walls(lower, upper, {"left", "right", "bottom", "top", "back", "front"});
  BOOST_TEST_REQUIRE(walls.size() == 6);
  const Eigen::Vector3d centre = (lower + upper) / 2.;
  for (Index k = 0; k < 6; ++k)
    {
      const Wall &wall = walls[k];
      BOOST_TEST(wall.normal.norm() == 1.);
      BOOST_TEST(wall.normal.dot(centre) - wall.offset == (upper - lower)(k / 2) / 2.);
      BOOST_TEST(wall.normal.dot(k % 2 == 0 ? lower : upper) == wall.offset);
      BOOST_TEST(wall.velocity.norm() == 0.);
    }
}

BOOST_AUTO_TEST_CASE(walls_that_do_not_exist_are_refused)
{
  const auto error_with = [](const std::vector<std::string> &names) -> std::string {
    try
      {
        box_walls(Vector::Zero(2), Vector::Ones(2), names);
      }
    catch (const InputError &error)
      {
        BOOST_TEST(error.subject == "the walls");
        return error.sentence;
      }
    return "no error";
  };
  check_error(error_with({"front"}),
              "'front' is not a side of a box in dimension 2; the sides are left, right, bottom, top.");
  check_error(error_with({"left", "left"}), "'left' is named twice");
  BOOST_TEST(error_with({}) == "no error");
}

BOOST_AUTO_TEST_SUITE_END()
