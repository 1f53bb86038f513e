// SPDX-License-Identifier: GPL-3.0-or-later
// Under mpirun: lattices, whose lines are dealt out.
#include "shared_scene.h"

#include "convex/solvers/lines_in_parts.h"

BOOST_AUTO_TEST_SUITE(shared_lattices)

using namespace moreau;
using namespace moreau::parallel;

namespace
{
/// Sites of a lattice, some left out, in no order; walls where `walls`, along the axes. basis: dim x dim, unit columns.
Scene lattice(const Eigen::MatrixXd &basis, const int n, const bool walls, const bool equal_masses,
              const double vacancies = .1)
{
  const Index dim    = basis.rows();
  Scene       result = scene(dim, n, walls, vacancies);
  for (Index k = 0; k < result.spheres.size(); ++k)
    {
      Vector site = result.spheres.r.col(k).array().round();
      if (dim == 2)
        {
          site(1)              = std::round(result.spheres.r(1, k) / std::sqrt(.75));
          const double shifted = .5 * static_cast<double>(static_cast<int>(site(1)) % 2);
          site(0)              = std::round(result.spheres.r(0, k) - shifted);
        }
      result.spheres.r.col(k) = basis * site;
    }
  if (equal_masses)
    result.spheres.m.setConstant(.7);
  return result;
}

/// The same of a square or cubic one, rotated.
Scene square_lattice(const Index dim, const int n, const double angle, const bool walls, const bool equal_masses,
                     const double vacancies = .1)
{
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(dim, dim);
  Q.topLeftCorner(2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return lattice(Q, n, walls, equal_masses, vacancies);
}

/// Of the triangular or the face-centred cubic one.
Eigen::MatrixXd oblique_basis(const Index dim)
{
  Eigen::Matrix3d basis;
  basis << 1., .5, .5, 0., std::sqrt(.75), std::sqrt(1. / 12.), 0., 0., std::sqrt(2. / 3.);
  return basis.topLeftCorner(dim, dim);
}
} // namespace

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
  const auto &square = *convex::shared_network(parts->problem);
  BOOST_TEST((convex::lines_of(square) == convex::SharedLines::uncoupled));
  const auto x = convex::project_on_lines_in_parts(parts->problem, square, {}, {});
  BOOST_TEST(x.method == "lines (exact)");
  BOOST_TEST(x.certificate.natural_residual < 1e-13);
  const auto network = shared(scene(2, 24), world, 64);
  BOOST_TEST((convex::lines_of(*convex::shared_network(network->problem)) == convex::SharedLines::none));
}

BOOST_AUTO_TEST_CASE(lines_that_cross_obliquely_are_dealt_out)
{
  compare(lattice(oblique_basis(2), 16, true, true), .5, "automatic", 32);
  compare(lattice(oblique_basis(2), 16, false, false), 0., "automatic", 32, Given::by_first);
  compare(lattice(oblique_basis(3), 7, false, false), 0., "automatic", 64);
  compare(lattice(oblique_basis(2), 12, true, false), 0., "lines", 32);

  // without the interior point that ends it; from a guess and without
  const Processes world(MPI_COMM_WORLD);
  const auto      parts   = shared(lattice(oblique_basis(2), 16, true, false), world, 32);
  const auto     &network = *convex::shared_network(parts->problem);
  BOOST_TEST((convex::lines_of(network) == convex::SharedLines::coupled));
  convex::StoppingCriterion criterion;
  criterion.tolerance = 1e-4;
  convex::ChainProjector::Parameters alone;
  alone.finish = false;
  const auto x = convex::project_on_lines_in_parts(parts->problem, network, criterion, alone);
  BOOST_TEST(x.converged());
  criterion.max_iterations = 30;
  const auto cold          = convex::project_on_lines_in_parts(parts->problem, network, criterion, alone);
  const auto warm          = convex::project_on_lines_in_parts(parts->problem, network, criterion, alone, &x.p);
  BOOST_TEST(warm.certificate.relative_error_bound < .1 * cold.certificate.relative_error_bound);
  criterion.max_iterations = 100000;
  const Vector u           = network.whole_nodes(x.u);
  const auto   whole       = network.whole(parts->problem);
  if (world.rank() > 0)
    return;
  const auto serial = convex::ChainProjector(criterion, alone).project(whole);
  BOOST_TEST(whole.V->norm(u - serial.u) <= 2. * criterion.tolerance * x.certificate.scale);
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

BOOST_AUTO_TEST_SUITE_END()
