// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/density.h"
#include "micro/contact_graph.h"
#include "micro/spheres.h"

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

Target files_of_densities()
{
  return {"density",
          read_density,
          seeds_of_densities,
          {"x,", "y,", "z,", "rho", "1e308", "-1e308", "1e-320", "nan", "inf", "#", "\r\n", "\t", "1e-300"}};
}
} // namespace moreau::fuzz
