// SPDX-License-Identifier: GPL-3.0-or-later
// Square and cubic cells that processes share: what each has is its part of what one process finds alone, bit by bit.
#include "convex/certificate.h"
#include "convex/shared_network.h"
#include "convex/solvers/chain_projector.h"
#include "macro/discretize.h"
#include "parallel/collectives.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(shared_cells)

using namespace moreau;
using namespace moreau::macro;

namespace
{
const Processes &world()
{
  static const Processes processes(MPI_COMM_WORLD);
  return processes;
}

/// Smooth, compressing here and opening there.
void waves(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index q = 0; q < x.cols(); ++q)
    for (Index a = 0; a < x.rows(); ++a)
      U(a, q) = std::sin(7. * x(a, q) + 3. * x((a + 1) % x.rows(), q)) - 2. * x(a, q);
}

Setting unit_box(const int dim, const double n, const Sides &walls = {})
{
  Setting setting;
  setting.domain.lower               = Vector::Zero(dim);
  setting.domain.upper               = Vector::Ones(dim);
  setting.domain.walls               = walls;
  setting.domain.density             = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setOnes(); };
  setting.cone                       = lattice_cone(dim == 2 ? ConeType::square : ConeType::cubic, 0.);
  setting.mesh.cells_per_unit_length = n;
  setting.U                          = waves;
  return setting;
}

/// A disc around the middle of the lower side.
Setting with_disc(Setting setting)
{
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      density(0, k) = std::hypot(x(0, k) - .5, x(1, k)) < .45 ? 1. : 0.;
  };
  return setting;
}

const convex::SharedNetwork &network(const Discretization &mesh)
{
  const convex::SharedNetwork *const shared = convex::shared_network(mesh.problem());
  BOOST_TEST_REQUIRE(shared);
  return *shared;
}

convex::SaddlePoint solution(const Discretization &mesh)
{
  return mesh.projector("automatic", convex::StoppingCriterion())->project(mesh.problem());
}

/// Numbers without any order.
Vector noise(const Index n)
{
  Vector v(n);
  for (Index k = 0; k < n; ++k)
    v(k) = std::sin(1e4 * static_cast<double>(k + 1));
  return v;
}

void compare(Setting setting)
{
  setting.processes                 = Processes::alone();
  const auto alone                  = aligned_discretization(setting);
  setting.processes                 = world();
  const auto                   here = aligned_discretization(setting);
  const convex::SharedNetwork &part = network(*here);
  const convex::NetworkPart   &own  = part.here();
  const Index dim = own.dim, first = own.n_own > 0 ? dim * own.number[own.first_own] : 0, n = dim * own.n_own;
  const auto  part_of = [&](const Vector &u) -> Vector { return u.segment(first, n); };

  const convex::SaddlePoint x = solution(*here), all = solution(*alone);
  BOOST_TEST(x.converged());
  BOOST_TEST((x.u == part_of(all.u)));
  BOOST_TEST((here->problem().U == part_of(alone->problem().U)));

  // rows of own nodes follow those of lower processes
  Index first_row = 0;
  while (first_row < part.n_constraints() && part.rows().pairs()[first_row].i < own.first_own)
    ++first_row;
  const Index n_rows = part.n_constraints() - first_row, before = parallel::sum_of_lower(world(), {n_rows})[0];
  BOOST_TEST(own.n_rows == alone->problem().n_constraints());
  BOOST_TEST((x.p.tail(n_rows) == all.p.segment(before, n_rows)));

  const TotalBound bound = here->total_bound(x), whole = alone->total_bound(all);
  BOOST_TEST(bound.eta > 0.);
  BOOST_TEST(bound.eta == whole.eta);
  BOOST_TEST(
      (bound.least_energy == whole.least_energy || (std::isnan(bound.least_energy) && std::isnan(whole.least_energy))));
  BOOST_TEST(bound.scale == whole.scale);
  BOOST_TEST(bound.pair == whole.pair);
  BOOST_TEST(bound.remark == whole.remark);
  BOOST_TEST((here->momentum(x.u) == alone->momentum(all.u)));
  BOOST_TEST(here->problem().V->norm(x.u) == alone->problem().V->norm(all.u));
  BOOST_TEST(here->volume_of_zone()->volume == alone->volume_of_zone()->volume);
  BOOST_TEST(here->description() == alone->description());

  const Vector v = noise(alone->problem().n_unknowns()), repaired = here->problem().repair->repaired(part_of(v));
  BOOST_TEST((repaired == part_of(alone->problem().repair->repaired(v))));
  BOOST_TEST(convex::approach_speed(here->problem(), repaired) <= 4. * convex::epsilon); // |v| <= 1
}
} // namespace

BOOST_AUTO_TEST_CASE(squares_between_walls) { compare(unit_box(2, 130., {true, false, true, true})); }
BOOST_AUTO_TEST_CASE(cubes_at_walls) { compare(unit_box(3, 26., {false, true, false, false, true, false})); }
BOOST_AUTO_TEST_CASE(half_a_disc_that_cuts_squares) { compare(with_disc(unit_box(2, 131., {false, false, true}))); }

// Of numbers and rows alone, whatever the cells.
BOOST_AUTO_TEST_CASE(the_projection_is_that_on_the_chains_of_the_rows)
{
  const auto                   mesh = aligned_discretization(with_disc(unit_box(2, 129., {true, false, true, false})));
  const convex::SharedNetwork &all  = network(*mesh);
  convex::ProjectionProblem    plain;
  plain.V = std::make_shared<convex::DiagonalSpace>(all.here().masses, 2);
  plain.B = std::make_shared<convex::PairConstraint>(2, all.here().n_nodes, all.rows().pairs(), all.rows().directions());
  plain.U = mesh->problem().U;
  const convex::SaddlePoint x        = solution(*mesh),
                            expected = convex::ChainProjector(convex::StoppingCriterion()).project(plain);
  BOOST_TEST_REQUIRE(x.p.size() == expected.p.size());
  BOOST_TEST(convex::max_abs(x.u - expected.u) == 0.);
  BOOST_TEST(convex::max_abs(x.p - expected.p) == 0.);
  BOOST_TEST(x.certificate.relative_error_bound <= 1e-6);
}

BOOST_AUTO_TEST_CASE(few_cells_are_repaired_between_walls)
{
  const auto mesh = aligned_discretization(unit_box(2, 20., {true, true, true, false}));
  BOOST_TEST(!convex::shared_network(mesh->problem()));
  const Vector v = mesh->problem().repair->repaired(noise(mesh->problem().n_unknowns()));
  BOOST_TEST(convex::approach_speed(mesh->problem(), v) <= 4. * convex::epsilon);
}

BOOST_AUTO_TEST_CASE(what_can_be_shared)
{
  Setting setting = unit_box(2, 128.);
  BOOST_TEST(can_be_shared(setting));
  setting.cone = lattice_cone(ConeType::square, 30.);
  BOOST_TEST(can_be_shared(setting));
  setting.domain.walls = {true};
  BOOST_TEST(!can_be_shared(setting)); // walls cut cells
  setting.cone = lattice_cone(ConeType::triangular, 0.);
  BOOST_TEST(!can_be_shared(setting));
  BOOST_TEST(!can_be_shared(unit_box(2, 127.)));
}

BOOST_AUTO_TEST_SUITE_END()
