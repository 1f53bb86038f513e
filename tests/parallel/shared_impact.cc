// SPDX-License-Identifier: GPL-3.0-or-later
// Under mpirun: the answer of several processes is that of one, bit by bit.
#include "shared_scene.h"

#include "convex/input_error.h"
#include "convex/solvers/local_polish.h"
#include "convex/solvers/polish_in_parts.h"
#include "convex/solvers/projected_gradient.h"
#include "parallel/hilbert_order.h"

BOOST_AUTO_TEST_SUITE(shared_impact)

using namespace moreau;
using namespace moreau::parallel;

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

BOOST_AUTO_TEST_CASE(what_one_process_does_better_is_left_to_it)
{
  const Processes world(MPI_COMM_WORLD);
  const Scene     discs = scene(2, 16);
  BOOST_TEST(!shared(discs, world, 4096)); // few blocks

  Scene apart = discs, overlapping = discs;
  apart.spheres.R *= .9;
  overlapping.spheres.R *= 1.2;
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
