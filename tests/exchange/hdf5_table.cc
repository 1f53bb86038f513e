// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/hdf5_table.h"

#include "convex/input_error.h"
#include "tests/exchange/examples.h"

#include <limits>

BOOST_AUTO_TEST_SUITE(hdf5_table)

using namespace moreau;
using namespace moreau::exchange;

namespace
{
constexpr int n_spheres = 23, dim = 3;

/// Columns x, y, z, radius, mass, ux, uy, uz of spheres in a row, with numbers of many digits.
std::vector<double> rows()
{
  std::vector<double> numbers;
  for (int k = 0; k < n_spheres; ++k)
    numbers.insert(numbers.end(),
                   {k + 1. / 3., std::sqrt(k), -k / 7., .1 + 1. / (k + 3.), k + 1e-9, std::sin(k), -0., 1e-300 * k});
  return numbers;
}

std::vector<Hdf5TableWriter::Column> columns()
{
  return {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"radius", "m"}, {"mass", "kg"}, {"ux", "m/s"}, {"uy", "m/s"}, {"uz", "m/s"}};
}

void write(const std::string &file, const std::vector<Hdf5TableWriter::Column> &columns, const std::vector<double> &numbers)
{
  Hdf5TableWriter table(file, columns, static_cast<Index>(numbers.size() / columns.size()));
  const auto      middle = static_cast<std::ptrdiff_t>(numbers.size() / columns.size() / 3 * columns.size());
  table.append({numbers.begin(), numbers.begin() + middle});
  table.append({});
  table.append({numbers.begin() + middle, numbers.end()});
  table.finish();
}

std::string complaint(const std::string &file)
try
  {
    read_spheres_of_run(file, dim);
    return "";
  }
catch (const InputError &error)
  {
    return error.sentence;
  }

bool says(const std::string &file, const std::string &words)
{
  const std::string said = complaint(file);
  BOOST_TEST_MESSAGE(said);
  return said.find(words) != std::string::npos && said.find(file) != std::string::npos;
}
} // namespace

BOOST_AUTO_TEST_CASE(spheres_come_back_bit_for_bit)
{
  const Folder              folder;
  const std::string         file    = folder.file("spheres.h5");
  const std::vector<double> numbers = rows();
  write(file, columns(), numbers);
  const micro::SphereFile read = read_spheres_of_run(file, dim);
  BOOST_REQUIRE_EQUAL(read.spheres.size(), n_spheres);
  BOOST_TEST((read.has_mass && read.has_velocity));
  BOOST_TEST(read.rounding == 0.);
  for (int k = 0; k < n_spheres; ++k)
    {
      const double *const row = numbers.data() + 8 * k;
      for (int a = 0; a < dim; ++a)
        {
          BOOST_TEST(read.spheres.r(a, k) == row[a]);
          BOOST_TEST(read.U(dim * k + a) == row[5 + a]);
        }
      BOOST_TEST(read.spheres.R(k) == row[3]);
      BOOST_TEST(read.spheres.m(k) == row[4]);
    }
}

BOOST_AUTO_TEST_CASE(parts_are_the_whole)
{
  const Folder      folder;
  const std::string file = folder.file("spheres.hdf5");
  write(file, columns(), rows());
  const micro::SphereFile whole = read_spheres_of_run(file, dim);
  for (const int n : {1, 2, 7, 40})
    {
      Index first = 0;
      for (int rank = 0; rank < n; ++rank)
        {
          const micro::SphereFile part = read_part_of_spheres(file, dim, rank, n);
          BOOST_TEST((part.spheres.r == whole.spheres.r.middleCols(first, part.spheres.size())));
          BOOST_TEST((part.U == whole.U.segment(dim * first, dim * part.spheres.size())));
          first += part.spheres.size();
        }
      BOOST_TEST(first == n_spheres);
    }
}

BOOST_AUTO_TEST_CASE(the_same_table_has_the_same_bytes)
{
  const Folder folder;
  for (const char *const name : {"a.h5", "b.h5"})
    write(folder.file(name), columns(), rows());
  const auto bytes = [&](const std::string &name) {
    std::ifstream in(folder.file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  BOOST_TEST((bytes("a.h5") == bytes("b.h5")));
  BOOST_TEST(bytes("a.h5").size() > sizeof(double) * rows().size());
}

BOOST_AUTO_TEST_CASE(mistakes_are_sentences)
{
  const Folder              folder;
  const std::vector<double> good = rows();
  const auto                with = [&](const std::size_t place, const double x) {
    std::vector<double> numbers = good;
    numbers[place]              = x;
    write(folder.file("a.h5"), columns(), numbers);
    return folder.file("a.h5");
  };
  BOOST_TEST(says(with(8 * 20 + 1, std::numeric_limits<double>::quiet_NaN()), "array 'y', row 20 (from 0)"));
  BOOST_TEST(says(with(8 * 3 + 3, 0.), "array 'radius', row 3"));
  BOOST_TEST(says(with(4, -1.), "array 'mass', row 0"));

  auto names    = columns();
  names[2].name = "depth";
  write(folder.file("b.h5"), names, good);
  BOOST_TEST(says(folder.file("b.h5"), "'depth' is unknown"));
  names[2].name = "r"; // as others call the radius
  write(folder.file("b.h5"), names, good);
  BOOST_TEST(says(folder.file("b.h5"), "twice"));
  write(folder.file("c.h5"), {{"x", "m"}, {"radius", "m"}}, {0., 1.});
  BOOST_TEST(says(folder.file("c.h5"), "'y' is missing"));
  write(folder.file("d.h5"), columns(), {});
  BOOST_TEST(says(folder.file("d.h5"), "no spheres"));
  BOOST_TEST(says(folder.with("e.h5", "x,y,z,radius\n0,0,0,1\n"), "is no file of HDF5"));
  BOOST_TEST(says(folder.file("none.h5"), "is not there"));
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_is_an_error)
{
  const Folder folder;
  BOOST_CHECK_THROW(Hdf5TableWriter(folder.file("nowhere/a.h5"), columns(), 1), std::runtime_error);
  Hdf5TableWriter given_up(folder.file("a.h5"), columns(), 1); // no row, no finish
}

BOOST_AUTO_TEST_SUITE_END()
