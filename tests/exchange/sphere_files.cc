// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/formats.h"
#include "tests/exchange/examples.h"

BOOST_AUTO_TEST_SUITE(sphere_files)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::exchange;

namespace
{
SphereFile spheres(const Index dim)
{
  SphereFile result;
  auto      &c = result.contents;
  c.spheres.r  = Eigen::MatrixXd::NullaryExpr(
       dim, 5, [](const Index a, const Index k) { return (a == 0 ? k : 0.) + .0123456789 * (a + k); });
  c.spheres.R    = Vector::LinSpaced(5, .3, .4);
  c.spheres.m    = Vector::LinSpaced(5, 1., 7.3);
  c.U            = Vector::LinSpaced(5 * dim, -1., 1.);
  c.has_velocity = c.has_mass = true;
  return result;
}

void check_near(const SphereFile &read, const SphereFile &given)
{
  BOOST_TEST((read.contents.spheres.r == given.contents.spheres.r));
  BOOST_TEST((read.contents.spheres.R - given.contents.spheres.R).norm() < 1e-15);
  BOOST_TEST((read.contents.spheres.m - given.contents.spheres.m).norm() < 1e-13);
  BOOST_TEST((read.contents.U == given.contents.U));
}

const std::string dump =
    "ITEM: UNITS\ncgs\nITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    "ITEM: ATOMS id type x y z radius density\n1 1 9 9 9 1 1\nITEM: UNITS\ncgs\nITEM: TIMESTEP\n5\nITEM: NUMBER OF "
    "ATOMS\n2\n"
    "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS diameter id vz vx vy z y x mass\n"
    "20 2 0 300 0 0 0 20 5\n20 1 0 100 0 0 0 0 2\n";
} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back)
{
  const Folder folder;
  for (const Index dim : {2, 3})
    for (const std::string name : {"a.csv", "a.data", "a.dump"})
      {
        write_spheres(spheres(dim), folder.file(name));
        check_near(read_spheres(folder.file(name), {}), spheres(dim));
      }
}

// The last snapshot, sorted by id, in SI.
BOOST_AUTO_TEST_CASE(dumps_have_columns_in_any_order_and_units)
{
  const Folder     folder;
  const SphereFile read = read_spheres(folder.with("a.dump", dump), {});
  BOOST_TEST(read.contents.spheres.dimension() == 2);
  BOOST_TEST(read.contents.spheres.R(0) == .1);
  BOOST_TEST(read.contents.spheres.r(0, 1) == .2);
  BOOST_TEST(read.contents.spheres.m(0) == .002);
  BOOST_TEST(read.contents.U(2) == 3.);
  BOOST_TEST(read.contents.U(0) == 1.);
  BOOST_TEST(read.remark.find("repeats itself in the dump (x, y); contacts across them are left out") != std::string::npos);
  BOOST_TEST(read_spheres(folder.file("a.dump"), {3, "cgs"}).contents.spheres.r(0, 1) == .2);
}

// In the plane dumps may have no vz: velocities are not lost. Sides that nothing reaches across need no word.
BOOST_AUTO_TEST_CASE(dumps_of_the_plane_have_velocities_without_vz)
{
  const Folder      folder;
  const std::string head = "ITEM: UNITS\nsi\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp ff pp\n-9 9\n-1 1\n-1 1\n";
  const SphereFile  read = read_spheres(
       folder.with("a.dump", head + "ITEM: ATOMS id x y z radius vx vy\n1 0 0 0 .5 1 0\n2 1 0 0 .5 -1 .5\n"), {});
  BOOST_TEST(read.contents.has_velocity);
  BOOST_TEST((read.contents.U == (Vector(4) << 1., 0., -1., .5).finished()));
  BOOST_TEST(read.remark == "It has no masses; discs have πR², as of density 1.");
}

BOOST_AUTO_TEST_CASE(what_a_dump_does_not_say_or_says_twice_is_no_guess)
{
  const Folder folder;
  const auto   head = [](const int n) { return "ITEM: NUMBER OF ATOMS\n" + std::to_string(n) + "\nITEM: ATOMS id x y z "; };
  const std::string two = "radius mass\n1 0 0 0 .5 1\n2 1 0 0 .5 1\n";
  BOOST_TEST(read_spheres(folder.with("a.dump", head(2) + two), {3, ""}).contents.spheres.size() == 2);
  BOOST_TEST(read_spheres(folder.with("a.dump", head(2) + two + "\n" + head(2) + two), {3, ""}).contents.spheres.size() ==
             2);
  BOOST_TEST(complaint([&] {
               read_spheres(folder.with("a.dump", head(1) + two), {3, ""});
             }).find("more atoms than the 1") != std::string::npos);
  BOOST_TEST(complaint([&] {
               read_spheres(folder.with("a.dump", head(1) + "radius diameter mass\n1 0 0 0 .5 1.7 1\n"), {3, ""});
             }).find("radius and diameter") != std::string::npos);
}

// Volumes that are no numbers are no masses.
BOOST_AUTO_TEST_CASE(masses_that_are_not_given_are_those_of_density_1)
{
  const Folder folder;
  for (const Index dim : {2, 3})
    {
      const SphereFile read = read_spheres(folder.with("a.csv", "x,y,z,radius\n0,0,0,.5\n1,0,0,.5\n"), {dim, ""});
      BOOST_TEST(read.remark == std::string("It has no masses; ") + (dim == 2 ? "discs have πR²" : "balls have 4/3 πR³") +
                                    ", as of density 1.");
    }
  BOOST_TEST(read_spheres(folder.with("a.csv", "x,y,radius,mass\n0,0,.5,1\n"), {}).remark == "");
  BOOST_TEST(complaint([&] {
               read_spheres(folder.with("a.csv", "x,y,radius\n0,0,1e299\n"), {});
             }).find("radius 1e+299; at most 1e+100") != std::string::npos);
  BOOST_TEST(complaint([&] {
               read_spheres(folder.with("a.csv", std::string("x,y,radius\n0,\0,1\n", 18)), {});
             }).find("'?' is") != std::string::npos);
}

// Six digits are what dumps have where nobody asks for more: neighbours touch all the same.
BOOST_AUTO_TEST_CASE(rounded_coordinates_still_touch)
{
  const Folder      folder;
  const std::string file    = folder.with("a.dump", "ITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x y z radius vx vy vz\n"
                                                       "1 0.333333 0 0 0.166667 1 0 0\n2 0.666668 0 0 0.166667 0 0 0\n");
  const ProblemFile problem = problem_of(read_spheres(file, {}));
  BOOST_TEST(problem.problem.B.rows() == 1);
}

// Units that are asked for are those of files that name none.
BOOST_AUTO_TEST_CASE(units_of_a_file_are_not_overridden)
{
  const Folder      folder;
  const std::string data      = "written, units = cgs\n\n1 atoms\n\nAtoms # sphere\n\n1 1 2 1 0 0 0\n";
  const auto        file_says = [&](const std::string &name, const std::string &text) {
    const std::string file = folder.with(name, text);
    BOOST_TEST(read_spheres(file, {3, "cgs"}).contents.spheres.R(0) > 0.);
    for (const std::string other : {"si", "micro", "nano", "lj"})
      {
        const std::string complained = complaint([&] { read_spheres(file, {3, other}); });
        BOOST_TEST_CONTEXT(complained)
        {
          BOOST_TEST(complained.find("its units are 'cgs', but '" + other + "' are asked for") != std::string::npos);
        }
      }
  };
  file_says("a.dump", dump);
  file_says("a.data", data);
  const std::string silent = folder.with("b.data", "\n" + data.substr(data.find('\n')));
  BOOST_TEST(read_spheres(silent, {3, ""}).contents.spheres.R(0) == 1.);
  BOOST_TEST(read_spheres(silent, {3, "micro"}).contents.spheres.R(0) == 1e-6);
  const std::string table = folder.with("a.csv", "x,y,radius\n0,0,.1\n");
  BOOST_TEST(read_spheres(table, {2, "si"}).contents.spheres.R(0) == .1);
  BOOST_TEST(complaint([&] { read_spheres(table, {2, "micro"}); }).find("in SI units") != std::string::npos);
}

// Balls one above the other would be discs that overlap.
BOOST_AUTO_TEST_CASE(no_dimension_is_dropped)
{
  const Folder folder;
  const auto   says = [&](const std::string &name, const std::string &text, const Index dim, const std::string &wanted) {
    const std::string complained = complaint([&] { read_spheres(folder.with(name, text), {dim, ""}); });
    BOOST_TEST_CONTEXT(name << ": " << complained)
    {
      BOOST_TEST(complained.find(wanted + ", but the dimension is " + std::to_string(dim)) != std::string::npos);
    }
  };
  const std::string head = "ITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x y z radius vx vy vz\n";
  says("a.dump", head + "1 0 0 0 .5 0 0 0\n2 .6 0 .8 .5 0 0 0\n", 2, "Sphere 1 (from 0) has z = 0.8 and the first one 0");
  says("a.dump", head + "1 0 0 3 .5 0 0 0\n2 1 0 3 .5 0 0 .25\n", 2, "Sphere 1 (from 0) has uz = 0.25");
  const std::string data = "\n\n2 atoms\n\nAtoms # sphere\n\n1 1 1 1 0 0 0\n2 1 1 1 .6 0 .8\n";
  says("a.data", data, 2, "Sphere 1 (from 0) has z = 0.8 and the first one 0");
  says("a.csv", "x,y,z,radius\n0,0,0,.5\n.6,0,.8,.5\n", 2, "column 'z': 0.8 is not zero");
  BOOST_TEST(read_spheres(folder.with("a.dump", head + "1 0 0 3 .5 0 0 0\n2 1 0 3 .5 1 0 0\n"), {2, ""}).contents.U(2) ==
             1.);
}

BOOST_AUTO_TEST_CASE(bad_files_of_spheres_get_a_sentence)
{
  const Folder folder;
  const auto   says = [&](const std::string &name, const std::string &text, const std::string &wanted,
                        const SphereConventions &conventions = {}) {
    const std::string complained = complaint([&] { problem_of(read_spheres(folder.with(name, text), conventions)); });
    BOOST_TEST_CONTEXT(complained) { BOOST_TEST(complained.find(wanted) != std::string::npos); }
  };
  const auto without = [&](const std::string &what, const std::string &instead) {
    std::string text = dump;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + instead.size()))
      text.replace(at, what.size(), instead);
    return text;
  };
  says("a.dump", without("diameter", "shape"), ": The dump has no column radius");
  says("a.dump", without("cgs", "electron"), "The units 'electron' are not known here");
  says("a.dump", dump.substr(0, dump.size() - 30), "Line");
  says("a.dump", "nothing\n", "no snapshot");
  const std::string two = "ITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x y z radius ";
  says("a.dump", two + "vx\n1 0 0 0 1 1\n2 2 0 0 1 1\n", "some of the columns vx, vy and vz");
  says("a.dump", two + "vx vy\n1 0 0 0 1 1 0\n2 2 0 1 1 1 0\n", "without the column vz");
  says("a.dump", two + "mass density\n1 0 0 0 1 1 .2387\n2 2 0 0 1 1 .3\n", "Line 5: The mass of the atom is not its");
  says("a.dump", two + "mass\n1 0 0 0 1 1\n1 2 0 0 1 1\n", "the same id");
  says("a.dump", without("20 1 0 100 0 0 0 0 2", "-20 1 0 100 0 0 0 0 2"), "radius");
  says("a.data", "\n\n2 atoms\n\nAtoms # sphere\n\n1 1 1 1 0 0 0\n", "announces 2 atoms and holds 1");
  const std::string moving = "\n\n2 atoms\n\nAtoms\n\n1 1 1 1 0 0 0\n2 1 1 1 1 0 0\n\nVelocities\n\n1 1 0 0\n";
  says("a.data", moving, "It holds velocities of 1 of 2 atoms");
  says("a.data", moving + "1 2 0 0\n", "The velocity of the atom 1 comes twice");
  says("a.data", "\n\n1 atoms\n\nAtoms\n\n1 1 -1 1 0 0 0\n", "The diameter is -1; it must be positive");
  says("a.data", "\n\n1 atoms\n\nAtoms # atomic\n\n1 1 0 0 0\n", "of the style 'atomic'");
  says("a.data", "\n\n1 atoms\n\nAtoms\n\n1 1 0 0 0\n", "id type diameter density x y z");
  says("a.data", "\n\n1 atoms\n\nAtoms\n\n1 1 1 x 0 0 0\n", "'x' is no finite number");
  says("a.data", "\n\n1 atoms\n\nAtoms\n\n1 1 0 1 0 0 0\n", "the atom is a point");
  says("a.csv", "x,y,radius\n0,0,.1\n5,5,.1\n", "do not touch");
  says("a.csv", "x,y\n0,0\n", "radius");
  says("a.vtp", "<VTKFile>", "no picture that moreau wrote");
  says("a.csv", "x,y,z,radius\n0,0,1,1\n", "z", {2, ""});
}

BOOST_AUTO_TEST_SUITE_END()
