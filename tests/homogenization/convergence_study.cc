// SPDX-License-Identifier: GPL-3.0-or-later
// φ_n(U) against known projections (reference_cases: macroscopic cones, observed orders).
#include "homogenization/cell_location.h"
#include "homogenization/convergence_study.h"
#include "micro/lattices.h"
#include "tests/macro/closed_forms.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(convergence_study)

using namespace moreau;
using namespace moreau::homogenization;
using macro::at_points;

namespace
{
using Lattice = micro::Spheres (*)(const micro::lattices::Zone &, const micro::lattices::Placement &);

/// A statement to test: a zone, U, u and the cone of a lattice.
struct Case
{
  Lattice         lattice;
  macro::ConeType cone;
  geometry::Field U, u;
  Eigen::Index    dim            = 2;
  double          radius_of_disc = 0.; ///< 0: the unit box
  double          angle          = 0.; ///< degrees

  macro::Setting setting() const
  {
    macro::Setting setting;
    const double   R           = radius_of_disc;
    setting.domain.lower       = Vector::Constant(dim, R > 0. ? -R : 0.);
    setting.domain.upper       = Vector::Constant(dim, R > 0. ? R : 1.);
    setting.domain.uniform     = R == 0.;
    setting.domain.density     = at_points([R](const double *x, double *rho, Eigen::Index d) {
      *rho = R == 0. || Eigen::Map<const Vector>(x, d).squaredNorm() < R * R;
    });
    setting.cone.type          = cone;
    setting.cone.lattice_angle = angle;
    if (cone != macro::ConeType::isotropic)
      {
        setting.cone.directions   = macro::lattice_directions(cone, angle);
        setting.cone.n_directions = static_cast<int>(setting.cone.directions.cols());
      }
    setting.U         = U;
    setting.processes = geometry::Processes::alone();
    return setting;
  }

  Packing packing(const double per_unit_length) const
  {
    const macro::Setting       of_macro = setting();
    micro::lattices::Zone      zone;
    micro::lattices::Placement placement;
    zone.lower        = of_macro.domain.lower;
    zone.upper        = of_macro.domain.upper;
    placement.spacing = 1. / per_unit_length;
    placement.angle   = angle * M_PI / 180.;
    if (const double R = radius_of_disc; R > 0.)
      {
        zone.contains    = [R](const Vector &x) { return x.squaredNorm() < R * R; };
        placement.anchor = Vector::Zero(dim);
      }
    micro::Spheres spheres = lattice(zone, placement);
    auto           graph   = micro::contact_graph(spheres, {}, 1e-6);
    return Packing(std::move(spheres), {}, std::move(graph), of_macro.domain);
  }

  Reference closed_form() const
  {
    Reference reference;
    reference.name = "closed form";
    reference.u    = u;
    reference.cone = setting().cone;
    return reference;
  }

  std::vector<Level> levels(const std::vector<double> &sizes, const std::vector<Reference> &references) const
  {
    std::vector<Level> result;
    StudyOptions       options;
    for (const double n : sizes)
      {
        result.push_back(study(packing(n), setting(), references, options));
        BOOST_TEST_REQUIRE(result.back().effort.converged());
      }
    set_orders(result);
    return result;
  }
  std::vector<Level> levels(const std::vector<double> &sizes) const { return levels(sizes, {closed_form()}); }
};

/// S1: U = (x(s - x), 0), s = 1 + y/2.
Case square_smooth()
{
  const auto s = [](const double y) { return 1. + y / 2.; };
  return {micro::lattices::square, macro::ConeType::square, at_points([s](const double *x, double *U, Eigen::Index) {
            U[0] = x[0] * (s(x[1]) - x[0]);
            U[1] = 0.;
          }),
          at_points([s](const double *x, double *u, Eigen::Index) {
            const double a = .75 * s(x[1]) - .5, t = std::min(x[0], a);
            u[0] = t * (s(x[1]) - t);
            u[1] = 0.;
          })};
}

/// Slabs with velocities 0, 1, -1/2: the last two collide.
Case square_discontinuous()
{
  return {micro::lattices::square, macro::ConeType::square, at_points([](const double *x, double *U, Eigen::Index) {
            U[0] = x[0] < 1. / 3. ? 0. : x[0] < 2. / 3. ? 1. : -.5;
            U[1] = 0.;
          }),
          at_points([](const double *x, double *u, Eigen::Index) {
            u[0] = x[0] < 1. / 3. ? 0. : .25;
            u[1] = 0.;
          })};
}

/// T2: U = (x(1 - x), 0).
Case triangular_smooth()
{
  return {micro::lattices::triangular, macro::ConeType::triangular, at_points([](const double *x, double *U, Eigen::Index) {
            U[0] = x[0] * (1. - x[0]);
            U[1] = 0.;
          }),
          at_points([](const double *x, double *u, Eigen::Index) {
            u[0] = x[0] < .25 ? x[0] * (1. - x[0]) : 3. / 16.;
            u[1] = 0.;
          })};
}

/// T1 with L = diag(-1, 1) along and across a lattice turned by `angle` degrees: the compression stops.
Case triangular_disc(const double angle)
{
  const Eigen::Vector2d a(std::cos(angle * M_PI / 180.), std::sin(angle * M_PI / 180.)), b(-a(1), a(0));
  Case                  result{micro::lattices::triangular, macro::ConeType::triangular,
              at_points([a, b](const double *x, double *U, Eigen::Index) {
                const Eigen::Map<const Eigen::Vector2d> position(x);
                Eigen::Map<Eigen::Vector2d>{U} = -a.dot(position) * a + b.dot(position) * b;
              }),
              at_points([b](const double *x, double *u, Eigen::Index) {
                Eigen::Map<Eigen::Vector2d>{u} = b.dot(Eigen::Map<const Eigen::Vector2d>(x)) * b;
              })};
  result.radius_of_disc = 1.;
  result.angle          = angle;
  return result;
}
} // namespace

// The interval allows for the pre-asymptotic part of these small sizes.
BOOST_AUTO_TEST_CASE(smooth_velocities_on_square_lattices_converge_with_order_one)
{
  const auto levels = square_smooth().levels({8, 16, 32});
  BOOST_TEST(observed_order(levels) > .95);
  BOOST_TEST(observed_order(levels) < 1.05);
  for (const Level &level : levels)
    {
      BOOST_TEST(level.face_violation < 1e-10); // v lies in the macroscopic cone up to rounding
      BOOST_TEST(level.comparisons[0].error.value <= level.direct_bound);
      BOOST_TEST(level.direct_bound < 3. * level.comparisons[0].error.value);
    }
}

// That v and its pressures are admissible for the square cone says nothing of its distance to the u of another one.
BOOST_AUTO_TEST_CASE(bounds_without_a_mesh_are_for_the_cone_of_the_axes_alone)
{
  const Case square = square_smooth();
  for (const macro::ConeType type : {macro::ConeType::isotropic, macro::ConeType::triangular})
    {
      Reference other = square.closed_form();
      other.cone      = type == macro::ConeType::isotropic ? macro::Cone() : macro::lattice_cone(type, 0.);
      BOOST_TEST(std::isinf(square.levels({8}, {other})[0].direct_bound));
    }
}

BOOST_AUTO_TEST_CASE(an_unaligned_jump_costs_half_an_order)
{
  const auto levels = square_discontinuous().levels({8, 16, 32, 64});
  BOOST_TEST(observed_order(levels) > .45);
  BOOST_TEST(observed_order(levels) < .55);
}

BOOST_AUTO_TEST_CASE(smooth_velocities_on_triangular_lattices_converge_with_order_one)
{
  const auto levels = triangular_smooth().levels({8, 16, 32});
  BOOST_TEST(observed_order(levels) > .9);
  BOOST_TEST(observed_order(levels) < 1.15);
  for (const Level &level : levels)
    {
      BOOST_TEST(level.shifted_violation < 1e-6); // what the projection is certified to
      BOOST_TEST(level.comparisons[0].interpolant.value < level.comparisons[0].error.value / 2.); // 3 to 8 here
      BOOST_TEST(std::isinf(level.direct_bound));                                                 // hexagons
    }
}

BOOST_AUTO_TEST_CASE(turned_lattices_converge_to_the_turned_projection)
{
  for (const double angle : {0., 20.})
    {
      const auto levels = triangular_disc(angle).levels({8, 16});
      BOOST_TEST(observed_order(levels) > .85);
      BOOST_TEST(observed_order(levels) < 1.2);
    }
}

BOOST_AUTO_TEST_CASE(a_turned_lattice_does_not_converge_to_the_cone_of_another_angle)
{
  Case       turned = triangular_disc(20.);
  const auto right  = turned.levels({16});
  Case       other  = triangular_disc(0.); // its u belongs to other directions
  turned.u          = other.u;
  const auto wrong  = turned.levels({16});
  BOOST_TEST(wrong[0].comparisons[0].error.value > 4. * right[0].comparisons[0].error.value);
}

BOOST_AUTO_TEST_CASE(falks_estimate_bounds_the_error)
{
  for (const Case &tested : {square_smooth(), square_discontinuous(), triangular_smooth()})
    for (const Level &level : tested.levels({8, 16}))
      {
        BOOST_TEST_REQUIRE(level.falk.nonconformity_known);
        BOOST_TEST(level.comparisons[0].error.value <= level.falk.bound * (1. + 1e-6));
        BOOST_TEST(level.falk.violation_inside < 1e-10); // u_int lies in C_n between whole cells
      }
}

BOOST_AUTO_TEST_CASE(cells_and_projection_only_shorten_velocities)
{
  for (const Case &tested : {square_smooth(), square_discontinuous(), triangular_disc(20.)})
    for (const Level &level : tested.levels({8}))
      {
        BOOST_TEST(level.norm_U_tilde <= level.norm_U * (1. + 1e-12)); // rounding
        BOOST_TEST(level.norm_v <= level.norm_U_tilde * (1. + 1e-12) + level.micro_bound);
        BOOST_TEST(level.momentum_defect < 1e-12); // rounding
      }
}

// Without walls, in discs and boxes, blocks that stop each other included: U has its momentum on every level.
BOOST_AUTO_TEST_CASE(every_level_has_the_momentum_of_U)
{
  for (const Case &tested : {square_smooth(), square_discontinuous(), triangular_smooth(), triangular_disc(20.)})
    for (const Level &level : tested.levels({8, 16}))
      {
        const double size = std::sqrt(level.zone_volume) * level.norm_U; // at least ∫|U|, and of its order
        BOOST_TEST((level.momentum_after - level.momentum_before).norm() <= 1e-12 * size);
        BOOST_TEST(level.norm_U_tilde - level.norm_v > 1e-3 * level.norm_U); // something happens
      }
  // ∫x(s - x) = 5/8 - 1/3 and ∫U of slabs with velocities 0, 1, -1/2
  BOOST_TEST(std::abs(square_smooth().levels({8})[0].momentum_before(0) - (5. / 8. - 1. / 3.)) <= 1e-12);
  BOOST_TEST(std::abs(square_discontinuous().levels({9})[0].momentum_before(0) - 1. / 6.) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(a_computed_projection_encloses_the_distance_to_the_exact_one)
{
  for (const Case &tested : {square_smooth(), triangular_smooth()})
    {
      macro::Setting setting             = tested.setting();
      setting.mesh.cells_per_unit_length = 48.;
      convex::StoppingCriterion criterion;
      const Reference           computed = macroscopic_projection(setting, "automatic", criterion);
      BOOST_TEST_REQUIRE(computed.certified);
      const auto   levels = tested.levels({16}, {tested.closed_form(), computed});
      const double exact  = levels[0].comparisons[0].error.value;
      BOOST_TEST(levels[0].comparisons[1].lower <= exact);
      BOOST_TEST(exact <= levels[0].comparisons[1].upper);
      BOOST_TEST(std::abs(levels[0].comparisons[1].error.value - exact) < .02 * exact); // the mesh is three times as fine
    }
}

BOOST_AUTO_TEST_CASE(orders_and_costs_need_two_levels)
{
  auto levels = square_smooth().levels({8});
  BOOST_TEST(std::isnan(observed_order(levels)));
  BOOST_TEST(std::isnan(observed_cost(levels)));
  BOOST_TEST(std::isnan(levels[0].comparisons[0].order));
}

// Levels of milliseconds say nothing of what many spheres cost.
BOOST_AUTO_TEST_CASE(costs_are_those_of_levels_that_take_time, *boost::unit_test::tolerance(1e-12)) // rounding
{
  std::vector<Level> levels(3);
  for (std::size_t k = 0; k < levels.size(); ++k)
    levels[k].n_spheres = Index(1) << 2 * k;
  levels[0].seconds_cells = levels[1].seconds_transfer = levels[2].seconds_comparison = .01;
  BOOST_TEST(std::isnan(observed_cost(levels)));
  levels[2].effort.seconds = 4.;
  BOOST_TEST(std::isnan(observed_cost(levels)));
  levels[1].effort.seconds = .99;
  levels[2].effort.seconds = 3.99;
  BOOST_TEST(observed_cost(levels) == 1.);
}

BOOST_AUTO_TEST_CASE(directions_of_lattices_are_told_apart)
{
  const auto graph_of = [](const Case &tested) { return tested.packing(4.).graph; };
  const auto cone_of  = [](const Case &tested) { return tested.setting().cone; };
  BOOST_TEST(directions_match(graph_of(square_smooth()), cone_of(square_smooth())));
  BOOST_TEST(directions_match(graph_of(triangular_disc(20.)), cone_of(triangular_disc(20.))));
  BOOST_TEST(!directions_match(graph_of(triangular_disc(20.)), cone_of(triangular_disc(21.))));
  BOOST_TEST(!directions_match(graph_of(square_smooth()), cone_of(triangular_smooth())));
  BOOST_TEST(!directions_match(graph_of(triangular_smooth()), cone_of(square_smooth())));
  BOOST_TEST(!directions_match(graph_of(square_smooth()), macro::Cone()));
}

// Power cells of random spheres, points inside and outside of what the centres span.
BOOST_AUTO_TEST_CASE(the_cell_of_a_point_is_the_nearest_one)
{
  for (const Eigen::Index dim : {1, 2, 3})
    {
      oracles::Random random(7);
      const Index     n = 200;
      micro::Spheres  spheres;
      spheres.r = Eigen::Map<const Eigen::MatrixXd>(random.normals(dim * n).data(), dim, n);
      spheres.R = (.05 * random.normals(n)).cwiseAbs().array() + .01;
      spheres.m = Vector::Ones(n);
      const CellLocation location(spheres);
      const Vector       points = 2. * random.normals(dim * 500);
      for (Index k = 0; k < 500; ++k)
        {
          const Vector x = points.segment(dim * k, dim);
          Index        nearest;
          ((spheres.r.colwise() - x).colwise().squaredNorm() - spheres.R.cwiseAbs2().transpose()).minCoeff(&nearest);
          BOOST_TEST(location.cell(x.data()) == nearest);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
