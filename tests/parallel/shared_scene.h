// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_PARALLEL_SHARED_SCENE_H
#define MOREAU_TESTS_PARALLEL_SHARED_SCENE_H

#include "convex/certificate.h"
#include "convex/solvers/make_projector.h"
#include "convex/vectors.h"
#include "micro/impact.h"
#include "micro/impact_problem.h"
#include "parallel/parts_of_spheres.h"
#include "parallel/shared_impact.h"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <random>

/// Impacts that the processes of mpirun share, and the comparison with one process and with the serial program.
namespace moreau::parallel
{
namespace
{
constexpr double tolerance = .06;

struct Scene
{
  micro::Spheres           spheres;
  Vector                   U;
  std::vector<micro::Wall> walls;
  micro::PeriodicBox       box = {};
  Eigen::MatrixXd          D   = {}; ///< its mean gradient, part of U
};

/// Sites of a hexagonal (plane) or cubic lattice moved at random by less than the contact tolerance allows, of various
/// masses, some left out, in no order; two clouds that fly at each other.
Scene scene(const Index dim, const int n, const bool walls = false, const double vacancies = .15)
{
  std::mt19937_64     bits(7);
  const auto          uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<Vector> sites;
  for (int z = 0; z < (dim == 3 ? n : 1); ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < 2 * n; ++x)
        {
          if (uniform() < vacancies || x == n && y % 3 > 0) // the two halves touch in some places only
            continue;
          Vector site(dim);
          site(0) = x + (dim == 2 ? .5 * (y % 2) : 0.);
          site(1) = dim == 2 ? std::sqrt(.75) * y : y;
          if (dim == 3)
            site(2) = z;
          for (Index a = 0; a < dim; ++a)
            site(a) += .02 * (uniform() - .5);
          sites.push_back(site);
        }
  std::shuffle(sites.begin(), sites.end(), bits);
  const Index n_spheres = static_cast<Index>(sites.size());
  Scene       result{{Eigen::MatrixXd(dim, n_spheres), Vector::Constant(n_spheres, .5), Vector(n_spheres)}, {}, {}};
  result.U.resize(dim * n_spheres);
  for (Index k = 0; k < n_spheres; ++k)
    {
      result.spheres.r.col(k) = sites[k];
      result.spheres.m(k)     = .5 + uniform();
      for (Index a = 0; a < dim; ++a)
        result.U(dim * k + a) = uniform() - .5;
      result.U(dim * k) += sites[k](0) < n ? 1. : -1.;
    }
  if (walls)
    {
      const Vector lower = Vector::Constant(dim, -.5), upper = Vector::Constant(dim, 3. * n);
      result.walls = micro::box_walls(lower, upper, {"left", "bottom"});
    }
  return result;
}

/// The spheres that this process gives: all on the first one, or consecutive ones on each; of three and more the second has
/// none.
enum class Given
{
  by_first,
  by_all
};

std::pair<Index, Index> given(const Index n, const Given who, const Processes &processes)
{
  const Index size = processes.size(), rank = processes.rank();
  if (who == Given::by_first)
    return {rank == 0 ? 0 : n, n};
  const auto begin = [&](const Index r) { return size > 2 && r == 2 ? n / size : n * r / size; };
  return {begin(rank), begin(rank + 1)};
}

std::optional<SharedImpact> shared(const Scene &scene, const Processes &processes, const Index block,
                                   const Given who = Given::by_all)
{
  const auto [first, last] = given(scene.spheres.size(), who, processes);
  const Index          dim = scene.spheres.dimension(), n = last - first;
  const micro::Spheres part{scene.spheres.r.middleCols(first, n), scene.spheres.R.segment(first, n),
                            scene.spheres.m.segment(first, n)};
  return share_impact(part, scene.walls, scene.U.segment(dim * first, dim * n),
                      {block, 4, tolerance, std::numeric_limits<double>::infinity(), scene.box, scene.D}, processes);
}

micro::ContactGraph whole_graph(SharedImpact &shared, const Processes &processes)
{
  return on_first(processes, shared.given_contacts().graph);
}

/// The law on these processes, and on the first the whole answer.
convex::Impact impact(const SharedImpact &shared, const double e, const std::string &solver, const Processes &processes)
{
  convex::StoppingCriterion criterion;
  const auto                projector = convex::make_projector(solver, criterion);
  convex::Law               law;
  law.restitution             = e;
  const convex::Impact impact = convex::single_impact(shared.problem, *projector, law);
  const Index          dim    = convex::shared_network(shared.problem)->here().dim;
  const auto           nodes  = [&](const Vector &v) { return on_first(processes, shared.given_nodes(v, dim)); };
  const auto           rows   = [&](const Vector &q) { return on_first(processes, shared.given_rows(q)); };
  convex::Impact       result = impact;
  result.u_plus               = nodes(impact.u_plus);
  result.projection.u         = nodes(impact.projection.u);
  result.projection.p         = rows(impact.projection.p);
  result.impulse              = rows(impact.impulse);
  return result;
}

bool same(const Vector &a, const Vector &b) { return a.size() == b.size() && (a.array() == b.array()).all(); }

[[maybe_unused]] void compare(const Scene &scene, const double e, const std::string &solver, const Index block,
                              const Given who = Given::by_all)
{
  const Processes world(MPI_COMM_WORLD);
  auto            many = shared(scene, world, block, who);
  BOOST_TEST_REQUIRE(many.has_value());
  const micro::ContactGraph graph  = whole_graph(*many, world);
  const convex::Impact      answer = impact(*many, e, solver, world);
  if (world.rank() > 0)
    return;

  auto                      alone       = shared(scene, Processes::alone(), block);
  const micro::ContactGraph graph_alone = whole_graph(*alone, Processes::alone());
  const convex::Impact      of_one      = impact(*alone, e, solver, Processes::alone());
  BOOST_TEST(of_one.effort.converged());
  BOOST_TEST(same(answer.u_plus, of_one.u_plus));
  BOOST_TEST(same(answer.projection.u, of_one.projection.u));
  BOOST_TEST(same(answer.projection.p, of_one.projection.p));
  BOOST_TEST(same(answer.impulse, of_one.impulse));
  BOOST_TEST(answer.projection.method == of_one.projection.method);
  BOOST_TEST(answer.effort.n_iterations == of_one.effort.n_iterations);
  BOOST_TEST(answer.worst.guaranteed == of_one.worst.guaranteed);
  const auto numbers = convex::named_numbers(answer.worst), numbers_of_one = convex::named_numbers(of_one.worst);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    BOOST_TEST(numbers[k].second == numbers_of_one[k].second, numbers[k].first);

  // and it is the answer of the serial program, up to what both certify
  const micro::ContactGraph serial_graph = micro::contact_graph(scene.spheres, scene.walls, tolerance, scene.box);
  BOOST_TEST_REQUIRE(graph.n_contacts() == serial_graph.n_contacts());
  BOOST_TEST(graph.smallest_gap == serial_graph.smallest_gap);
  for (Index c = 0; c < graph.n_contacts(); ++c)
    {
      const micro::Contact &a = graph.contacts[c], &b = serial_graph.contacts[c];
      BOOST_TEST_REQUIRE((a.i == b.i && a.j == b.j && a.D == b.D && a.image == b.image));
      BOOST_TEST_REQUIRE((a.e - b.e).norm() < 1e-14); // of a lattice they are means
    }
  micro::ImpactOptions options;
  options.law.restitution             = e;
  options.mean_gradient               = scene.D;
  const auto                   serial = micro::impact(scene.spheres, scene.walls, serial_graph, scene.U, options);
  const convex::VelocitySpace &V      = *serial.problem.V;
  BOOST_TEST(V.norm(answer.projection.u - serial.law.projection.u) <
             3e-6 * std::max(serial.law.worst.scale, answer.worst.scale));
  BOOST_TEST(answer.projection.certificate.scale == serial.law.projection.certificate.scale,
             boost::test_tools::tolerance(1e-6));
}
} // namespace
} // namespace moreau::parallel

#endif
