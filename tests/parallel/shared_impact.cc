// SPDX-License-Identifier: GPL-3.0-or-later
// Under mpirun: the answer of several processes is that of one, bit by bit.
#include "parallel/shared_impact.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "convex/solvers/lines_in_parts.h"
#include "convex/solvers/local_polish.h"
#include "convex/solvers/make_projector.h"
#include "convex/solvers/polish_in_parts.h"
#include "convex/solvers/projected_gradient.h"
#include "convex/vectors.h"
#include "micro/impact.h"
#include "micro/impact_problem.h"
#include "parallel/hilbert_order.h"
#include "parallel/parts_of_spheres.h"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace moreau;
using namespace moreau::parallel;

BOOST_AUTO_TEST_SUITE(shared_impact)

namespace
{
constexpr double tolerance = .06;

struct Scene
{
  micro::Spheres           spheres;
  Vector                   U;
  std::vector<micro::Wall> walls;
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
  return share_impact(part, scene.walls, scene.U.segment(dim * first, dim * n), {block, 4, tolerance}, processes);
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

void compare(const Scene &scene, const double e, const std::string &solver, const Index block,
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
  const micro::ContactGraph serial_graph = micro::contact_graph(scene.spheres, scene.walls, tolerance);
  BOOST_TEST_REQUIRE(graph.n_contacts() == serial_graph.n_contacts());
  BOOST_TEST(graph.smallest_gap == serial_graph.smallest_gap);
  for (Index c = 0; c < graph.n_contacts(); ++c)
    {
      const micro::Contact &a = graph.contacts[c], &b = serial_graph.contacts[c];
      BOOST_TEST_REQUIRE((a.i == b.i && a.j == b.j && a.D == b.D && (a.e - b.e).norm() < 1e-14)); // e of a lattice are means
    }
  micro::ImpactOptions options;
  options.law.restitution             = e;
  const auto                   serial = micro::impact(scene.spheres, scene.walls, serial_graph, scene.U, options);
  const convex::VelocitySpace &V      = *serial.problem.V;
  BOOST_TEST(V.norm(answer.projection.u - serial.law.projection.u) <
             3e-6 * std::max(serial.law.worst.scale, answer.worst.scale));
  BOOST_TEST(answer.projection.certificate.scale == serial.law.projection.certificate.scale,
             boost::test_tools::tolerance(1e-6));
}
} // namespace

BOOST_AUTO_TEST_CASE(the_curve_keeps_neighbours_together)
{
  const Scene discs = scene(2, 40);
  const auto  order =
      ascending(hilbert_keys(discs.spheres.r, discs.spheres.r.rowwise().minCoeff(), discs.spheres.r.rowwise().maxCoeff()));
  std::vector<char> seen(order.size(), 0);
  double            length = 0.;
  for (std::size_t k = 0; k < order.size(); ++k)
    {
      BOOST_TEST_REQUIRE(!seen[order[k]]);
      seen[order[k]] = 1;
      if (k > 0)
        length += (discs.spheres.r.col(order[k]) - discs.spheres.r.col(order[k - 1])).norm();
    }
  BOOST_TEST(length < 2. * static_cast<double>(order.size())); // at random some 30 times
}

BOOST_AUTO_TEST_CASE(blocks_have_one_owner_each)
{
  for (const Index n : {1, 63, 64, 65, 1000})
    for (const Index n_processes : {1, 2, 3, 7, 40})
      {
        const Blocks blocks{n, 64};
        BOOST_TEST(blocks.first_of_process(n_processes, n_processes) == blocks.count());
        for (Index sphere = 0; sphere < n; ++sphere)
          {
            const Index rank = blocks.owner(sphere, n_processes), block = sphere / 64;
            BOOST_TEST_REQUIRE(blocks.first_of_process(rank, n_processes) <= block);
            BOOST_TEST_REQUIRE(block < blocks.first_of_process(rank + 1, n_processes));
          }
      }
}

BOOST_AUTO_TEST_CASE(discs_on_any_number_of_processes_have_the_digits_of_one)
{
  compare(scene(2, 24), 0., "automatic", 64);
  compare(scene(2, 24), .5, "automatic", 50);
  compare(scene(2, 24), .5, "automatic", 50, Given::by_first);
}

BOOST_AUTO_TEST_CASE(second_ends_of_contacts_are_centres_of_their_spheres)
{
  const Processes world(MPI_COMM_WORLD);
  const Scene     discs = scene(2, 20, true);
  auto            parts = shared(discs, world, 64);
  BOOST_TEST_REQUIRE(parts.has_value());
  const auto [first, last]  = given(discs.spheres.size(), Given::by_all, world);
  const GivenContacts found = parts->given_contacts();
  Index               n_far = 0;
  for (Index c = 0; c < found.graph.n_contacts(); ++c)
    {
      const micro::Contact &contact = found.graph.contacts[c];
      BOOST_TEST_REQUIRE((first <= contact.i && contact.i < last && contact.i < contact.j));
      if (found.graph.touches_wall(contact))
        BOOST_TEST(found.r_j.col(c).isZero(0.));
      else
        BOOST_TEST(found.r_j.col(c) == discs.spheres.r.col(contact.j));
      n_far += !found.graph.touches_wall(contact) && contact.j >= last;
    }
  BOOST_TEST((world.sum(n_far) > 0 || world.size() == 1));
}

BOOST_AUTO_TEST_CASE(points_that_the_curve_cannot_tell_apart_go_where_they_would_on_one_process)
{
  // many spheres in few cells of the curve: one far away makes the box large
  const Processes world(MPI_COMM_WORLD);
  Scene           line = scene(2, 16);
  line.spheres.r.col(7).setConstant(1e8);
  const auto order_of = [&](const Processes &processes) {
    const auto [first, last] = given(line.spheres.size(), Given::by_all, processes);
    const Index         n    = last - first;
    const SharedSpheres here =
        share({line.spheres.r.middleCols(first, n), line.spheres.R.segment(first, n), line.spheres.m.segment(first, n)},
              line.U.segment(2 * first, 2 * n), {tolerance, 1e-6}, 32, processes);
    List own;
    for (Index k = here.first_own; k < here.first_own + here.n_own; ++k)
      own.push_back(static_cast<double>(here.place[k]));
    return on_all(processes, own);
  };
  BOOST_TEST(order_of(world) == order_of(Processes::alone()), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(balls_too) { compare(scene(3, 9), .3, "automatic", 64); }

BOOST_AUTO_TEST_CASE(walls_too) { compare(scene(2, 16, true), .5, "automatic", 32); }

BOOST_AUTO_TEST_CASE(few_contacts_need_no_factorisation) { compare(scene(2, 24, false, .45), 0., "projected gradient", 32); }

BOOST_AUTO_TEST_CASE(what_knows_one_memory_is_done_by_one) { compare(scene(2, 14), 0., "interior point", 32); }

BOOST_AUTO_TEST_CASE(more_processes_than_blocks_do_not_disturb) { compare(scene(2, 8), 0., "automatic", 25); }

BOOST_AUTO_TEST_CASE(operators_are_adjoint_and_sums_count_rows_once)
{
  const Processes world(MPI_COMM_WORLD);
  const Scene     discs = scene(2, 16, true);
  const auto      parts = shared(discs, world, 32);
  BOOST_TEST_REQUIRE(parts.has_value());
  const convex::ProjectionProblem &problem = parts->problem;
  const auto                      &network = *convex::shared_network(problem);
  Vector                           q(problem.n_constraints()), Bv, Btq, Bstar_q(problem.n_unknowns());
  for (Index c = 0; c < q.size(); ++c)
    q(c) = std::sin(network.label(c));
  problem.B->apply(problem.U, Bv);
  problem.B->apply_transpose(q, Btq);
  problem.V->inverse_riesz(Btq, Bstar_q);
  const double left = network.sum(Bv.cwiseProduct(q)), right = problem.V->dot(problem.U, Bstar_q);
  BOOST_TEST(left == right, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(network.sum(Vector::Ones(q.size())) == static_cast<double>(network.here().n_rows));
  BOOST_CHECK_THROW(problem.V->sum_over_processes(1.), std::logic_error);

  // the expansion opens every row, those at the walls too
  Vector Bw;
  problem.B->apply(problem.expansion.w, Bw);
  BOOST_TEST(problem.V->max_over_processes(Bw.size() == 0 ? -1. : Bw.maxCoeff()) < 0.);
}

BOOST_AUTO_TEST_CASE(bad_clusters_are_solved_where_they_are_dealt_to)
{
  const Processes world(MPI_COMM_WORLD);
  for (const bool walls : {false, true})
    {
      const Scene discs = scene(2, 24, walls);
      const auto  parts = shared(discs, world, 32);
      BOOST_TEST_REQUIRE(parts.has_value());
      const convex::ProjectionProblem &problem = parts->problem;
      const auto                      &network = *convex::shared_network(problem);

      convex::ProjectedGradientIteration iteration(problem);
      iteration.accelerated_gradient(40);
      Vector                   p = iteration.p();
      convex::PolishParameters polish;
      polish.threshold      = .5; // some clusters
      polish.depth          = 3;
      const Vector p_before = network.whole_rows(p);
      const auto   whole    = network.whole(problem);
      const auto   report   = convex::polish_in_parts(problem, network, p, polish);
      const Vector p_after  = network.whole_rows(p);
      // rows on cuts have one multiplier on both sides
      Vector worst = p - network.rows_of_whole(p_after);
      BOOST_TEST(convex::max_abs(worst) == 0.);
      if (world.rank() > 0)
        continue;
      Vector     p_serial = p_before;
      const auto serial   = convex::local_polish(whole, p_serial, polish);
      BOOST_TEST(report.n_nodes == serial.n_nodes);
      BOOST_TEST(report.n_nodes > 0);
      BOOST_TEST(report.n_nodes < discs.spheres.size());
      BOOST_TEST(report.effort.n_projections == serial.effort.n_projections);
      BOOST_TEST(report.effort.n_projections > 1);
      BOOST_TEST(report.n_rejected == serial.n_rejected);
      BOOST_TEST(report.dual_change < 0.);
      BOOST_TEST(report.dual_change == serial.dual_change, boost::test_tools::tolerance(1e-5));
    }
}

namespace
{
/// Sites of a square or cubic lattice, rotated, some left out, in no order; walls where `walls`, along the axes.
Scene square_lattice(const Index dim, const int n, const double angle, const bool walls, const bool equal_masses,
                     const double vacancies = .1)
{
  Scene           result    = scene(dim, n, walls, vacancies);
  const Index     n_spheres = result.spheres.size();
  Eigen::MatrixXd Q         = Eigen::MatrixXd::Identity(dim, dim);
  Q.topLeftCorner(2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  for (Index k = 0; k < n_spheres; ++k)
    {
      Vector site = result.spheres.r.col(k).array().round();
      if (dim == 2)
        {
          site(1)              = std::round(result.spheres.r(1, k) / std::sqrt(.75));
          const double shifted = .5 * static_cast<double>(static_cast<int>(site(1)) % 2);
          site(0)              = std::round(result.spheres.r(0, k) - shifted);
        }
      result.spheres.r.col(k) = Q * site;
    }
  if (equal_masses)
    result.spheres.m.setConstant(.7);
  return result;
}
} // namespace

BOOST_AUTO_TEST_CASE(a_disc_in_a_corner_has_two_rows_at_walls)
{
  const Processes world(MPI_COMM_WORLD);
  Scene           discs = scene(2, 16, true);
  Index           corner;
  discs.spheres.r.colwise().sum().minCoeff(&corner);
  discs.spheres.r.col(corner).setZero();
  discs.U.segment(2 * corner, 2) << -1., -2.;
  const auto parts = shared(discs, world, 32);
  BOOST_TEST_REQUIRE(parts.has_value());
  const auto              &network = *convex::shared_network(parts->problem);
  Vector                   p       = Vector::Zero(parts->problem.n_constraints());
  convex::PolishParameters polish;
  polish.threshold  = 1e-12; // everything
  polish.largest    = 1.;
  const auto whole  = network.whole(parts->problem);
  const auto report = convex::polish_in_parts(parts->problem, network, p, polish);
  if (world.rank() > 0)
    return;
  Vector     p_serial = Vector::Zero(whole.n_constraints());
  const auto serial   = convex::local_polish(whole, p_serial, polish);
  BOOST_TEST(report.n_nodes == serial.n_nodes);
  BOOST_TEST(report.dual_change < 0.);
  BOOST_TEST(report.dual_change == serial.dual_change, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(lines_that_cross_at_right_angles_are_dealt_out)
{
  for (const bool equal_masses : {true, false})
    {
      compare(square_lattice(2, 24, 0., true, equal_masses), .5, "automatic", 64);
      compare(square_lattice(2, 24, .3, false, equal_masses), 0., "automatic", 64, Given::by_first);
      compare(square_lattice(3, 9, 0., true, equal_masses), 0., "automatic", 64);
    }
  const Processes world(MPI_COMM_WORLD);
  const auto      parts = shared(square_lattice(2, 24, .3, false, true), world, 64);
  BOOST_TEST_REQUIRE(parts.has_value());
  const auto x = convex::project_on_lines_in_parts(parts->problem, *convex::shared_network(parts->problem), {});
  BOOST_TEST_REQUIRE(x.has_value());
  BOOST_TEST(x->method == "lines (exact)");
  BOOST_TEST(x->certificate.natural_residual < 1e-13);
  const auto network = shared(scene(2, 24), world, 64);
  BOOST_TEST(!convex::project_on_lines_in_parts(network->problem, *convex::shared_network(network->problem), {}));
}

BOOST_AUTO_TEST_CASE(a_line_without_a_velocity_is_found)
{
  // every third line is whole, from wall to wall
  const Processes world(MPI_COMM_WORLD);
  Scene           lines = square_lattice(2, 24, 0., false, true, 0.);
  lines.walls = micro::box_walls(Vector::Constant(2, -.5), (Vector(2) << 47.5, 23.5).finished(), {"left", "right"});
  for (const double speed : {-1., 1.})
    {
      lines.walls[0].velocity << speed, 0.;
      const auto parts = shared(lines, world, 64);
      BOOST_TEST_REQUIRE(parts.has_value());
      const auto x = convex::make_projector("automatic", convex::StoppingCriterion())->project(parts->problem);
      BOOST_TEST((x.status == (speed > 0. ? convex::Status::infeasible : convex::Status::converged)));
      BOOST_TEST(x.method == (speed > 0. ? "lines (blocked)" : "lines (exact)"));
    }
}

BOOST_AUTO_TEST_CASE(what_one_process_does_better_is_left_to_it)
{
  const Processes world(MPI_COMM_WORLD);
  const Scene     discs = scene(2, 16);
  BOOST_TEST(!shared(discs, world, 4096)); // few blocks

  Scene lattice = discs, apart = discs, overlapping = discs;
  for (Index k = 0; k < discs.spheres.size(); ++k)
    {
      lattice.spheres.r(1, k) = std::sqrt(.75) * std::round(discs.spheres.r(1, k) / std::sqrt(.75));
      const double row        = std::round(discs.spheres.r(1, k) / std::sqrt(.75));
      const double shift      = .5 * static_cast<double>(static_cast<int>(row) % 2);
      lattice.spheres.r(0, k) = std::round(discs.spheres.r(0, k) - shift) + shift;
    }
  apart.spheres.R *= .9;
  overlapping.spheres.R *= 1.2;
  BOOST_TEST(!shared(lattice, world, 32));
  BOOST_TEST(!shared(apart, world, 32));
  BOOST_TEST(!shared(overlapping, world, 32));
}

BOOST_AUTO_TEST_CASE(wrong_data_are_one_error_of_all)
{
  const Processes world(MPI_COMM_WORLD);
  Scene           discs = scene(2, 8);
  discs.U(3)            = std::numeric_limits<double>::infinity();
  BOOST_CHECK_EXCEPTION(shared(discs, world, 32), InputError,
                        [](const InputError &error) { return error.sentence.find("sphere 1 ") != std::string::npos; });
  discs                = scene(2, 8);
  discs.spheres.R(100) = -1.;
  BOOST_CHECK_THROW(shared(discs, world, 32), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
