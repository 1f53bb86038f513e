// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/density.h"
#include "exchange/hdf5_table.h"
#include "micro/contact_graph.h"
#include "micro/spheres.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace moreau::fuzz
{
namespace
{
using Eigen::Index;

/// In every dimension; what was read is written, read again and the same. Then its contacts, as of a micro impact.
void read_spheres(const Bytes &bytes)
{
  const std::string file = written("spheres.csv", bytes);
  for (const Index dim : {1, 2, 3})
    attempt([&] {
      const micro::SphereFile found = micro::read_csv(file, dim);
      std::ostringstream      text;
      micro::write_csv(text, found.spheres, found.U);
      const micro::SphereFile again = micro::read_csv(written("again.csv", text.str()), dim);
      if (again.spheres.r != found.spheres.r || again.spheres.R != found.spheres.R || again.spheres.m != found.spheres.m ||
          again.U != found.U)
        throw std::logic_error("Spheres that are written and read again are others.");
      constexpr Index many = 2000;
      const auto      left = micro::box_walls(Eigen::VectorXd::Zero(dim), Eigen::VectorXd::Ones(dim), {"left"});
      if (found.spheres.size() <= many)
        micro::contact_graph(found.spheres, left, micro::usual_contact_tolerance);
    });
}

/// As one process reads it and as the second of three does, whose spheres are some of them; then contacts.
void read_spheres_in_hdf5(const Bytes &bytes)
{
  const std::string file = written("spheres.h5", bytes);
  const Index       dim  = 1 + static_cast<Index>(bytes.size() % 3); // each reading takes a process of its own
  attempt([&] {
    const micro::SphereFile found = exchange::read_spheres_of_run(file, dim);
    const Index             n = found.spheres.size(), first = n / 3 + std::min<Index>(1, n % 3);
    constexpr Index         many = 2000;
    if (n > many)
      return;
    micro::contact_graph(found.spheres, {}, micro::usual_contact_tolerance);
    const micro::SphereFile part = exchange::read_part_of_spheres(file, dim, 1, 3);
    for (Index k = 0; k < part.spheres.size(); ++k)
      if (first + k >= n || part.spheres.R(k) != found.spheres.R(first + k))
        throw std::logic_error("A part of the spheres of a file is no part of them.");
  });
}

/// In every dimension, and its values in a few points.
void read_density(const Bytes &bytes)
{
  const std::string file = written("density.csv", bytes);
  for (const Index dim : {1, 2, 3})
    attempt([&] {
      const geometry::Field density = app::density_field(file, dim);
      Eigen::MatrixXd       x(dim, 4), rho;
      x << Eigen::VectorXd::Zero(dim), Eigen::VectorXd::Constant(dim, .3), Eigen::VectorXd::Constant(dim, -1e300),
          Eigen::VectorXd::Constant(dim, 1e300);
      density(x, rho);
      if (!(rho.minCoeff() >= 0. && rho.maxCoeff() <= 1.))
        throw std::logic_error("A density leaves [0, 1].");
    });
}

std::vector<Bytes> seeds_of_spheres()
{
  std::vector<Bytes> seeds = shipped(".csv");
  seeds.emplace_back("# row\nx y r m vx vy\n0.1 0.2 0.05 1 0 -1\n0.2 0.2 0.05 1e-3 1 0\n");
  seeds.emplace_back("\xEF\xBB\xBFx,radius,ux\n0.5,0.5,1\n1.5,0.5,0\n2.5,0.5,0.3\n");
  seeds.emplace_back("x,y,z,radius,mass,ux,uy,uz\r\n0,0,0,1,1,0,0,0\r\n0,0,+2,1,1,0,0,-1\r\n");
  return seeds;
}

/// Discs and balls as the program writes them.
std::vector<Bytes> seeds_in_hdf5()
{
  std::vector<Bytes> seeds;
  for (const Index dim : {2, 3})
    {
      std::vector<exchange::Hdf5TableWriter::Column> columns;
      for (const char *const name : {"x", "y", "z"})
        if (static_cast<Index>(columns.size()) < dim)
          columns.push_back({name, "m"});
      columns.insert(columns.end(), {{"radius", "m"}, {"mass", "kg"}, {"ux", "m/s"}, {"uy", "m/s"}});
      if (dim == 3)
        columns.push_back({"uz", "m/s"});
      std::vector<double> rows;
      for (int k = 0; k < 5; ++k)
        for (std::size_t c = 0; c < columns.size(); ++c)
          rows.push_back(c == 0 ? k : columns[c].name == "radius" ? .5 - .01 * k : columns[c].name == "mass" ? 1. : 0.);
      const std::string         file = written("seed.h5", "");
      exchange::Hdf5TableWriter table(file, columns, 5);
      table.append(rows);
      table.finish();
      std::ifstream in(file, std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  return seeds;
}

std::vector<Bytes> seeds_of_densities()
{
  std::vector<Bytes> seeds = {"x,rho\n0.5,1\n1.5,0.25\n2.5,0\n", "y,x,rho\n0,0,1\n0,1,0\n1,0,.5\n1,1,1\n",
                              "x y z rho\n0 0 0 1\n1 0 0 1\n0 1 0 0\n1 1 0 0\n0 0 1 1\n1 0 1 1\n0 1 1 0\n1 1 1 .5\n"};
  for (const Bytes &seed : shipped(".csv"))
    if (seed.find("rho") != Bytes::npos)
      seeds.push_back(seed);
  return seeds;
}
} // namespace

Target files_of_spheres()
{
  return {"spheres", read_spheres, seeds_of_spheres, {"x,",     "y,",     "z,",  "radius", "mass",
                                                      "ux",     "uy",     "uz",  "vx",     "1e308",
                                                      "-1e308", "1e-320", "nan", "inf",    "0x1",
                                                      "#",      "\r\n",   "\t",  "1e-300", "9007199254740993"}};
}

Target spheres_in_hdf5()
{
  return {"h5",
          read_spheres_in_hdf5,
          seeds_in_hdf5,
          {"\x89HDF\r\n\x1A\n", "TREE", "HEAP", "SNOD", "radius", "mass", "ux", "unit", "\xFF\xFF\xFF\xFF",
           "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Bytes("\x00\x00\x00\x80", 4), "\x11\x20\x3F", "\x10\x08"},
          true};
}

Target files_of_densities()
{
  return {"density",
          read_density,
          seeds_of_densities,
          {"x,", "y,", "z,", "rho", "1e308", "-1e308", "1e-320", "nan", "inf", "#", "\r\n", "\t", "1e-300"}};
}
} // namespace moreau::fuzz
