// SPDX-License-Identifier: GPL-3.0-or-later
// Zones whose boundary cuts the cells of a lattice: what is cut counts with its measure.
#include "tests/macro/cut_zones.h"

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include <limits>

BOOST_AUTO_TEST_SUITE(cut_cells)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// Half axes .45 and .3, turned by 25 degrees.
Eigen::Matrix2d tilted_ellipse()
{
  const double          c = std::cos(25. * M_PI / 180.), s = std::sin(25. * M_PI / 180.);
  const Eigen::Matrix2d R = (Eigen::Matrix2d() << c, -s, s, c).finished();
  return R * Eigen::Vector2d(std::pow(.45, -2.), std::pow(.3, -2.)).asDiagonal() * R.transpose();
}

/// Two jumps that close. Energies below: every line of the square lattice by itself, jumps and ends exact, 3600 lines.
Vector two_jumps(const Vector &x) { return vector(x(0) < .43 ? 1. : -.5, x(1) < .37 ? .3 : -.7); }
} // namespace

BOOST_AUTO_TEST_CASE(energy_of_the_square_cone_on_a_turned_lattice_is_that_of_its_lines)
{
  for (const auto &[angle, exact] : {std::pair(17., .102273726), std::pair(30., .101228853)})
    for (const bool mirrored : {false, true})
      {
        // mirrored at x = y, the lattice turns the other way round
        const Function      U = mirrored ? Function([](const Vector &x) {
          const Vector v = two_jumps(vector(x(1), x(0)));
          return vector(v(1), v(0));
        })
                                         : Function(two_jumps);
        std::vector<double> error, eta;
        for (const double n : {16., 32., 64.})
          {
            const Setting   setting = unit_cube(ConeType::square, mirrored ? -angle : angle, n, U, Alignment::automatic);
            const Projected result(setting);
            error.push_back(std::abs(result.energy() / exact - 1.));
            eta.push_back(result.bound.relative);
            BOOST_TEST(result.bound.available);
            BOOST_TEST(!result.bound.guaranteed);
          }
        BOOST_TEST(error[2] <= 3e-3);
        BOOST_TEST(order(error[0], error[2], 4.) >= 1.);
        BOOST_TEST(order(eta[0], eta[2], 4.) >= 1.);
      }
}

BOOST_AUTO_TEST_CASE(linear_fields_on_ellipses_have_the_energy_of_the_closed_form)
{
  const Eigen::Matrix2d L = (Eigen::Matrix2d() << -1., .4, -.2, .3).finished();
  const OnEllipse       exact(L, tilted_ellipse(), lattice_directions(ConeType::square, 30.));
  const Inside          inside = [&](const Vector &x) { return x.dot(exact.M * x) <= 1.; };
  const Function        u      = [&](const Vector &x) -> Vector { return exact.A * x; };
  std::vector<double>   eta;
  for (const double n : {16., 32., 64.})
    {
      const Projected result(on_ellipse(exact, ConeType::square, 30., n));
      eta.push_back(result.bound.eta);
      const double error = distance(result.mesh->velocity(result.x), u, inside, 2, 400);
      BOOST_TEST(error <= 1.01 * eta.back()); // quadrature
      BOOST_TEST(error >= .3 * eta.back());
      if (n == 64.)
        BOOST_TEST(result.energy() == exact.energy(), boost::test_tools::tolerance(1e-3));
    }
  BOOST_TEST(order(eta[0], eta[1], 2.) >= 1.);
  BOOST_TEST(order(eta[1], eta[2], 2.) >= 1.);
}

BOOST_AUTO_TEST_CASE(linear_fields_on_ellipses_are_projected_on_the_triangular_lattice)
{
  const Eigen::Matrix2d L = (Eigen::Matrix2d() << -1., .4, -.2, .3).finished();
  const OnEllipse       exact(L, tilted_ellipse(), lattice_directions(ConeType::triangular, 17.));
  const Inside          inside = [&](const Vector &x) { return x.dot(exact.M * x) <= 1.; };
  const Function        u      = [&](const Vector &x) -> Vector { return exact.A * x; };
  double                eta = std::numeric_limits<double>::infinity(), first = 0.;
  for (const double n : {16., 32., 64.})
    {
      const Projected result(on_ellipse(exact, ConeType::triangular, 17., n));
      BOOST_TEST(result.bound.available);
      BOOST_TEST(result.bound.eta < eta);
      eta                = result.bound.eta;
      const double error = distance(result.mesh->velocity(result.x), u, inside, 2, 400);
      BOOST_TEST(error <= eta);
      BOOST_TEST(eta <= 4. * error);
      first = n == 16. ? eta : first;
      BOOST_TEST(error <= .04 / n);
      // lumped masses count the slope of u too much, by about n^-2 over the square of the size
      BOOST_TEST(result.energy() == exact.energy(), boost::test_tools::tolerance(8. / (n * n)));
      const auto &V = dynamic_cast<const convex::DiagonalSpace &>(*result.mesh->problem().V);
      // triangles with less than a hundredth in the zone are left out
      BOOST_TEST(V.masses_of_nodes().sum() == exact.volume(), boost::test_tools::tolerance(1e-3));
    }
  BOOST_TEST(order(first, eta, 4.) >= 1.);
}

// What v does in slivers, which lines end in, counts as long as it lasts; but for the factor 1.5 the bound is the error.
BOOST_AUTO_TEST_CASE(bounds_of_the_triangular_cone_on_ellipses_are_near_the_error_at_any_angle)
{
  const Eigen::Matrix2d L = (Eigen::Matrix2d() << -1., .4, -.2, .3).finished();
  for (const bool round : {true, false})
    for (const double angle : {0., 10., 17., 30., 45.})
      for (const double n : {16., 32., 64.})
        {
          const OnEllipse exact(L,
                                round ? Eigen::Matrix2d(std::pow(.45, -2.) * Eigen::Matrix2d::Identity()) : tilted_ellipse(),
                                lattice_directions(ConeType::triangular, angle));
          const Projected result(on_ellipse(exact, ConeType::triangular, angle, n));
          const double    error = distance(result.mesh->velocity(result.x), exact);
          BOOST_TEST_CONTEXT((round ? "disc, " : "ellipse, ") << angle << " degrees, " << n << " cells")
          {
            BOOST_TEST(result.bound.eta >= error);
            BOOST_TEST(result.bound.eta <= (round && angle == 17. && n == 32. ? 2.8 : 2.) * error);
          }
        }
}

BOOST_AUTO_TEST_CASE(bounds_of_the_triangular_cone_fall_with_order_one)
{
  const auto wave = [](const Vector &x) { return vector(std::sin(5. * x(0) + 1.) * std::cos(3. * x(1)) - x(0), -x(1)); };
  std::vector<double> jumps, disc;
  for (const double n : {16., 64.})
    {
      jumps.push_back(Projected(unit_cube(ConeType::triangular, 17., n, two_jumps, Alignment::automatic)).bound.relative);
      disc.push_back(Projected(centred(in_zone(unit_cube(ConeType::triangular, 17., n, wave), [](const Vector &x) {
                       return x.norm() < .45;
                     }))).bound.relative);
    }
  BOOST_TEST(order(jumps[0], jumps[1], 4.) >= 1.);
  BOOST_TEST(order(disc[0], disc[1], 4.) >= 1.);
  BOOST_TEST(jumps[1] <= .004);
}

BOOST_AUTO_TEST_CASE(automatic_takes_the_lattice_unless_walls_that_face_each_other_cut_it)
{
  using Walls      = std::vector<int>;
  const auto along = [](const ConeType type, const double angle, const Walls &walls) {
    Setting setting = unit_cube(
        type, angle, 8., [](const Vector &x) { return x; }, Alignment::automatic);
    for (const int side : walls)
      setting.domain.walls[side] = true;
    return is_along_lattice(setting);
  };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      for (const Walls &walls : {Walls{}, {2}, {0, 2}, {1, 3}})
        BOOST_TEST(along(type, 17., walls));
      for (const Walls &walls : {Walls{0, 1}, {0, 2, 3}})
        BOOST_TEST(!along(type, 17., walls));
    }
  BOOST_TEST(along(ConeType::square, 90., {0, 1, 2, 3}));
  BOOST_TEST(along(ConeType::face_centred_cubic, 17., {}));
  BOOST_TEST(!along(ConeType::face_centred_cubic, 17., {4}));
}

// Half an ellipse on the wall y = 0 that is oblique to the lattice. p_k = α (1 - xᵀMx) are all the same, so that their
// traction is along the normal; they leave u = Ax + (.2, 0), which slips along the wall and keeps the length of lines.
BOOST_AUTO_TEST_CASE(half_ellipses_on_oblique_walls_are_projected)
{
  const Eigen::Matrix2d M      = (Eigen::Matrix2d() << std::pow(.45, -2), 2., 2., std::pow(.36, -2)).finished();
  const Vector          slip   = vector(.2, 0.);
  const Inside          inside = [&](const Vector &x) { return x(1) > 0. && x.dot(M * x) <= 1.; };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    for (const double angle : {17., 40.})
      {
        const bool            square = type == ConeType::square;
        const Eigen::MatrixXd e      = lattice_directions(type, angle);
        Eigen::Matrix2d       A      = Eigen::Matrix2d::Zero();
        if (square)
          A << .3, -.6 / std::tan(angle * M_PI / 90.), 0., -.3;
        Eigen::Matrix2d L = A;
        for (Index k = 0; k < e.cols(); ++k)
          L -= (square ? .12 : .08) * e.col(k) * (M * e.col(k)).transpose();
        std::vector<double> errors;
        for (const double n : {16., 32.})
          {
            Setting setting = in_zone(unit_cube(type, angle, n, [&](const Vector &x) -> Vector { return L * x + slip; }),
                                      [&](const Vector &x) { return x.dot(M * x) <= 1.; });
            setting.domain.lower    = vector(-.6, 0.);
            setting.domain.upper    = vector(.6, .5);
            setting.domain.walls[2] = true;
            setting.mesh.alignment  = Alignment::lattice;
            const Projected result(setting);
            BOOST_TEST(result.x.certificate.guaranteed);
            BOOST_TEST(result.bound.available);
            errors.push_back(distance(
                result.mesh->velocity(result.x), [&](const Vector &x) -> Vector { return A * x + slip; }, inside, 2, 400));
            BOOST_TEST(errors.back() <= result.bound.eta);
            BOOST_TEST(errors.back() <= (square ? .3 : 2e-4) / n);
            BOOST_TEST(result.bound.relative <= (square ? 1. : .1));
          }
        BOOST_TEST(errors[1] < errors[0]);
      }
}

BOOST_AUTO_TEST_CASE(bounds_fall_with_the_spacing_on_every_zone)
{
  const auto disc        = [](const Vector &x) { return x.norm() < .45; };
  const auto annulus     = [](const Vector &x) { return x.norm() < .45 && x.norm() > .17; };
  const auto turned      = [](const Vector &x) { return std::abs(x(0)) + std::abs(x(1)) < .47; };
  const auto with_a_slit = [](const Vector &x) { return x.norm() < .45 && !(std::abs(x(1)) < .1 && x(0) > .05); };
  const auto wave = [](const Vector &x) { return vector(std::sin(5. * x(0) + 1.) * std::cos(3. * x(1)) - x(0), -x(1)); };
  // behind corners and holes u jumps across lines, in the middle of cells or between them as it happens: then two steps
  // tell, one needs not
  for (const auto &[inside, by] :
       {std::pair(Inside(disc), 2), {Inside(turned), 2}, {Inside(annulus), 4}, {Inside(with_a_slit), 4}})
    for (const double angle : {0., 17.})
      {
        double before = std::numeric_limits<double>::infinity();
        for (int n = 12; n <= 48; n *= by)
          {
            Setting setting = in_zone(unit_cube(ConeType::square, angle, static_cast<double>(n), wave), inside);
            setting.domain.lower.setConstant(-.5);
            setting.domain.upper.setConstant(.5);
            const Projected result(setting);
            BOOST_TEST(result.bound.available);
            BOOST_TEST(result.bound.eta < before);
            before = result.bound.eta;
          }
      }
}

// A level alone says where the zone is; the density says what is outside.
BOOST_AUTO_TEST_CASE(zones_of_levels_are_those_of_the_densities_that_say_the_same)
{
  const auto wave = [](const Vector &x) { return vector(std::sin(5. * x(0) + 1.) * std::cos(3. * x(1)) - x(0), -x(1)); };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    for (const Alignment alignment : {Alignment::lattice, Alignment::box})
      {
        const Setting box        = centred(unit_cube(type, 17., 16., wave, alignment));
        const Setting by_density = in_zone(box, [](const Vector &x) { return x.squaredNorm() < .2; });
        Setting       by_level   = in_zone(box, [](const Vector &x) { return x(0) > .1; }); // partly outside of the level
        by_level.domain.level_is_given = true;
        by_level.domain.level          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
          values = (.2 - x.colwise().squaredNorm().array()).matrix();
        };
        const Projected expected(by_density), found(by_level);
        BOOST_TEST(found.volume() == expected.volume(), boost::test_tools::tolerance(1e-12));
        BOOST_TEST(found.energy() == expected.energy(), boost::test_tools::tolerance(1e-9));
        BOOST_TEST(found.bound.eta == expected.bound.eta, boost::test_tools::tolerance(1e-6));
      }
}

// The zone is the cell in the middle of 3 x 3 densities: the unit square, whose energies are known.
BOOST_AUTO_TEST_CASE(zones_of_cellwise_densities_have_the_energy_of_their_shape)
{
  for (const auto &[type, exact] : {std::pair(ConeType::square, .102273726), std::pair(ConeType::triangular, .066975)})
    {
      double before = std::numeric_limits<double>::infinity();
      for (const double n : {16., 32.})
        {
          Setting setting                    = unit_cube(type, 17., n, two_jumps);
          setting.domain.lower               = vector(-1., -1.);
          setting.domain.upper               = vector(2., 2.);
          setting.domain.uniform             = false;
          setting.domain.density_is_cellwise = true;
          setting.domain.density             = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
            for (Index q = 0; q < x.cols(); ++q)
              values(0, q) = x(0, q) > 0. && x(0, q) < 1. && x(1, q) > 0. && x(1, q) < 1. ? 1. : .3;
          };
          const Projected result(setting);
          BOOST_TEST(result.mesh->volume_of_zone()->volume == 1., boost::test_tools::tolerance(1e-3));
          BOOST_TEST(result.energy() == exact, boost::test_tools::tolerance(n == 16. ? .015 : .004));
          BOOST_TEST(result.bound.available);
          BOOST_TEST(result.bound.eta < before);
          before = result.bound.eta;
        }
    }
}

BOOST_AUTO_TEST_CASE(mass_and_momentum_are_those_of_the_zone)
{
  const auto velocity = [](const Vector &x) { return vector(1. + x(0), 2. - x(0) * x(1)); };
  const auto disc     = [](const Vector &x) { return x.norm() < .45; };
  Setting    setting  = in_zone(unit_cube(ConeType::square, 17., 20., velocity), disc);
  setting.domain.lower.setConstant(-.5);
  setting.domain.upper.setConstant(.5);
  const Projected result(setting);
  const auto     &V = dynamic_cast<const convex::DiagonalSpace &>(*result.mesh->problem().V);
  BOOST_TEST(V.masses_of_nodes().sum() == M_PI * .45 * .45, boost::test_tools::tolerance(1e-8));
  // over all of the box: half of what is outside counts
  const Vector whole = result.mesh->momentum(result.x.u) + result.mesh->outside().momentum;
  BOOST_TEST(whole(0) == .5 + .5 * M_PI * .45 * .45, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(whole(1) == 1. + M_PI * .45 * .45, boost::test_tools::tolerance(1e-8));
}

// Every chord of the half disc ends at the wall.
BOOST_AUTO_TEST_CASE(what_touches_the_wall_is_stopped_and_the_bound_knows)
{
  Setting setting         = in_zone(unit_cube(ConeType::square, 0., 20., [](const Vector &) { return vector(-1., .3); }),
                                    [](const Vector &x) { return std::pow(x(0), 2) + std::pow(x(1) - .5, 2) < .16; });
  setting.domain.walls[0] = true;
  const Projected result(setting);
  BOOST_TEST(result.energy() == .5 * .09 * .08 * M_PI, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(result.bound.available);
  BOOST_TEST(result.bound.eta <= 1e-6);
}

BOOST_AUTO_TEST_CASE(chords_of_a_ball_are_lines_of_the_cubic_lattice)
{
  Setting setting = in_zone(unit_cube(ConeType::cubic, 20., 20., [](const Vector &x) { return vector(-x(0), -x(1), x(2)); }),
                            [](const Vector &x) { return x.norm() < .45; });
  setting.domain.lower.setConstant(-.5);
  setting.domain.upper.setConstant(.5);
  const Projected result(setting);
  // -x and -y have mean 0 on every chord along themselves, in any turned frame; what is left is ½∫z²
  BOOST_TEST(result.energy() == .5 * 4. / 15. * M_PI * std::pow(.45, 5), boost::test_tools::tolerance(1e-2));
  BOOST_TEST(result.bound.available);
}

BOOST_AUTO_TEST_CASE(zone_thinner_than_a_cell_is_said_to_be)
{
  const Setting setting =
      in_zone(unit_cube(ConeType::square, 0., 8., two_jumps), [](const Vector &x) { return std::abs(x(0) - x(1)) < .05; });
  const Projected result(setting);
  BOOST_TEST(result.mesh->remarks().find("thinner than a cell") != std::string::npos);
}

// Of a zone that is the box everybody knows the volume.
BOOST_AUTO_TEST_CASE(what_is_missing_of_the_box_is_told)
{
  for (const double angle : {10., 17., 40.})
    for (const ConeType type : {ConeType::square, ConeType::triangular})
      for (const double cells : {4., 7., 33.})
        {
          Setting setting        = unit_cube(type, angle, cells, [](const Vector &x) { return x; });
          setting.domain.uniform = true;
          const auto zone        = discretize(setting)->volume_of_zone();
          BOOST_TEST_CONTEXT(name(type) << ", " << cells << " cells, " << angle << " degrees, volume " << zone->volume)
          BOOST_TEST(std::abs(zone->volume - 1.) <= zone->error + 1e-12);
        }
}

// Measures of cut zones come with an error that is not below the true one; what is left out counts.
BOOST_AUTO_TEST_CASE(the_volume_of_a_cut_zone_has_an_error_that_is_told)
{
  const Inside inside = [](const Vector &x) { return x.squaredNorm() < .2; };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    for (const double cells : {9., 20., 33.})
      {
        const auto mesh =
            discretize(in_zone(centred(unit_cube(type, 10., cells, [](const Vector &x) { return x; })), inside));
        const auto zone = mesh->volume_of_zone();
        BOOST_REQUIRE(zone.has_value());
        BOOST_TEST_CONTEXT(name(type) << ", " << cells << " cells, error " << zone->error)
        {
          BOOST_TEST(std::abs(zone->volume - .2 * std::acos(-1.)) <= 1.5 * zone->error + 1e-12);
          BOOST_TEST(zone->error < 1e-3);
        }
      }
}

BOOST_AUTO_TEST_SUITE_END()
