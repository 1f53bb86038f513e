// SPDX-License-Identifier: GPL-3.0-or-later
// Passes of the first-order method on networks that processes share: how long, how many copies, messages and bytes. And one
// impact of the continuum on square or cubic cells that they share.
//
//   mpirun -n N benchmark_scaling [strong SPHERES | weak SPHERES | cone CELLS] [DIMENSION]
//
// cone: so many cells along each axis, see tests/benchmarks/cone_scaling.h. Of spheres:
// strong: so many spheres in all; weak: on each process. Sites of a hexagonal or cubic lattice moved by up to 1 % of a
// diameter, 15 % left out, every contact kept. It prints the spheres of the process that has most, copies of others'
// spheres relative to own ones (the largest), the time to share and to find contacts, that of an accelerated pass, and what
// a process sends in a pass; last a digit sum of the multipliers, the same for any number of processes.
#include "parallel/node_sharing.h"
#include "parallel/shared_impact.h"

#include "convex/clock.h"
#include "convex/solvers/projected_gradient.h"
#include "tests/benchmarks/cone_scaling.h"
#include "tests/benchmarks/digit_sum.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <tbb/global_control.h>

using namespace moreau;
using namespace moreau::parallel;

namespace
{
constexpr double tolerance = .06;

micro::Spheres network(const Index dim, const double n)
{
  std::mt19937_64     bits(3);
  const auto          uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  const double        kept    = .85;
  const int           side    = static_cast<int>(std::lround(std::pow(n / kept, 1. / static_cast<double>(dim))));
  std::vector<double> x;
  for (int k2 = 0; k2 < (dim == 3 ? side : 1); ++k2)
    for (int k1 = 0; k1 < side; ++k1)
      for (int k0 = 0; k0 < side; ++k0)
        {
          if (uniform() >= kept)
            continue;
          const double site[] = {k0 + (dim == 2 ? .5 * (k1 % 2) : 0.), dim == 2 ? std::sqrt(.75) * k1 : k1,
                                 static_cast<double>(k2)};
          for (Index a = 0; a < dim; ++a)
            x.push_back(site[a] + .02 * (uniform() - .5));
        }
  const Index    n_spheres = static_cast<Index>(x.size()) / dim;
  micro::Spheres spheres{Eigen::Map<Eigen::MatrixXd>(x.data(), dim, n_spheres), Vector::Constant(n_spheres, .5),
                         Vector::Ones(n_spheres)};
  return spheres;
}

/// Two halves collide across the first axis, with noise.
Vector velocity(const micro::Spheres &spheres)
{
  std::mt19937_64 bits(5);
  const auto      uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  const double    middle  = spheres.size() > 0 ? .5 * spheres.r.row(0).maxCoeff() : 0.;
  Vector          U(spheres.r.size());
  for (Index k = 0; k < spheres.size(); ++k)
    for (Index a = 0; a < spheres.dimension(); ++a)
      U(spheres.dimension() * k + a) = .2 * (uniform() - .5) + (a > 0 ? 0. : spheres.r(0, k) < middle ? 1. : -1.);
  return U;
}
} // namespace

int main(int argc, char *argv[])
{
  geometry::start_mpi();
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const Processes           world(MPI_COMM_WORLD);
  const bool                weak = argc > 1 && std::string(argv[1]) == "weak";
  const double              n    = (argc > 2 ? std::atof(argv[2]) : 1e5) * (weak ? world.size() : 1);
  const Index               dim  = argc > 3 ? std::atoi(argv[3]) : 2;
  if (argc > 1 && std::string(argv[1]) == "cone")
    {
      benchmarks::cone_scaling(world, static_cast<int>(dim), argc > 2 ? std::atof(argv[2]) : 512.);
      return 0;
    }
  micro::Spheres spheres{Eigen::MatrixXd(dim, 0), Vector(), Vector()};
  if (world.rank() == 0)
    spheres = network(dim, n);
  const Vector U = velocity(spheres);

  const auto   start   = convex::Clock::now();
  const auto   shared  = share_impact(spheres, {}, U, {4096, 1, tolerance}, world);
  const double t_share = world.max(convex::seconds_since(start));
  if (!shared)
    {
      std::cout << "this network is not shared\n";
      return 1;
    }
  const convex::NetworkPart &here = convex::shared_network(shared->problem)->here();
  const double n_own = static_cast<double>(here.n_own), n_copies = static_cast<double>(here.number.size()) - n_own;

  convex::ProjectedGradientIteration iteration(shared->problem);
  constexpr unsigned int             passes = 200;
  iteration.accelerated_gradient(20);
  double        best   = 1e300;
  const Traffic before = traffic();
  for (int repetition = 0; repetition < 3; ++repetition)
    {
      world.sum(0.);
      const auto begin = convex::Clock::now();
      iteration.accelerated_gradient(passes);
      best = std::min(best, world.max(convex::seconds_since(begin)) / passes);
    }
  const Traffic after  = traffic();
  const double  n_made = 3. * passes;
  const double  digits = [&] { // rows that this process owns
    const Vector p     = iteration.p();
    const auto  &pairs = convex::shared_network(shared->problem)->rows().pairs();
    Vector       own   = Vector::Zero(p.size());
    for (Index c = 0; c < p.size(); ++c)
      if (pairs[c].i >= here.first_own)
        own(c) = p(c);
    return benchmarks::digit_sum(own, world);
  }();
  const double most = world.max(n_own), ratio = world.max(n_own > 0. ? n_copies / n_own : 0.);
  const double messages = world.max(static_cast<double>(after.n_messages - before.n_messages) / n_made);
  const double bytes    = world.max(static_cast<double>(after.n_bytes - before.n_bytes) / n_made);
  const double sums     = world.max(static_cast<double>(after.n_sums - before.n_sums) / n_made);
  if (world.rank() == 0)
    {
      std::cout << (weak ? "weak" : "strong") << ", dimension " << dim << ", processes " << world.size() << ", spheres "
                << here.n_nodes << ", contacts " << here.n_rows << ": most spheres " << most << ", copies " << 100. * ratio
                << " %, share " << t_share << " s, pass " << 1e3 * best << " ms, messages/pass " << messages
                << ", bytes/pass " << bytes << ", sums/pass " << sums << ", digits " << std::fixed << digits << std::endl;
    }
  return 0;
}
