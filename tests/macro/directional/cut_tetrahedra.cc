// SPDX-License-Identifier: GPL-3.0-or-later
// The face-centred cubic cone on zones that end with the tetrahedra of its lattice, or cut them.
#include "tests/macro/cut_zones.h"

#include "convex/input_error.h"

#include <Eigen/Geometry>

#include <limits>

BOOST_AUTO_TEST_SUITE(cut_tetrahedra)

using namespace moreau;
using namespace moreau::macro;

namespace
{
constexpr ConeType fcc = ConeType::face_centred_cubic;

const Inside ball        = [](const Vector &x) { return x.norm() < .45; };
const Inside shell       = [](const Vector &x) { return x.norm() < .45 && x.norm() > .2; };
const Inside turned_cube = [](const Vector &x) {
  static const Eigen::Matrix3d turn = Eigen::AngleAxisd(.5, Eigen::Vector3d(1., 2., 3.).normalized()).toRotationMatrix();
  return (turn * x).cwiseAbs().maxCoeff() < .3;
};

Vector wave(const Vector &x)
{
  return vector(std::sin(5. * x(0) + 1.) * std::cos(3. * x(1)) - x(0), -x(1), std::cos(4. * x(0)) - x(2));
}

Setting on(const Inside &inside, const double n, const Function &U, const double angle = 0.)
{
  return centred(in_zone(unit_cube(fcc, angle, n, U), inside));
}

/// The unit cube as a whole number of cubes of the lattice.
Setting whole_cubes(const Index layers, const Function &U) { return unit_cube(fcc, 0., layers * std::sqrt(.5), U); }

/// Half axes .45, .36, .3, turned.
Eigen::Matrix3d tilted_ellipsoid()
{
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(.7, Eigen::Vector3d(2., -1., 1.).normalized()).toRotationMatrix();
  return turn * Eigen::Vector3d(.45, .36, .3).array().pow(-2.).matrix().asDiagonal() * turn.transpose();
}
} // namespace

BOOST_AUTO_TEST_CASE(measure_of_the_zone_is_kept)
{
  const Function rest = [](const Vector &) { return vector(0., 0., 0.); };
  for (const double angle : {0., 17.})
    {
      // tetrahedra with less than a thousandth in the zone are left out
      BOOST_TEST(Projected(unit_cube(fcc, angle, 7., rest)).volume() == 1., boost::test_tools::tolerance(1e-3));
      BOOST_TEST(Projected(on(turned_cube, 7., rest, angle)).volume() == .216, boost::test_tools::tolerance(4e-3)); // edges
      BOOST_TEST(Projected(on(ball, 7., rest, angle)).volume() == 4. / 3. * M_PI * std::pow(.45, 3),
                 boost::test_tools::tolerance(2e-3));
    }
}

// Edges and corners of the box are in it; -x becomes its mean, by pressures (L² - s²) along diagonals of squares.
BOOST_AUTO_TEST_CASE(what_the_box_cuts_off_is_cut_off_exactly)
{
  for (const double angle : {0., 17.})
    for (const double n : {3., 3.3, 4.})
      {
        const Projected    x(unit_cube(fcc, angle, n, [](const Vector &at) { return Vector(-at); }));
        const VolumeOfZone zone = *x.mesh->volume_of_zone();
        BOOST_TEST_CONTEXT("angle " << angle << ", " << n << " cells, volume " << zone.volume << ", error " << zone.error)
        {
          BOOST_TEST(std::abs(zone.volume - 1.) <= zone.error + 1e-7); // parts have single precision
          BOOST_TEST(zone.error < 5e-4);                               // parts below a thousandth of a tetrahedron
          if (angle == 0.)
            {
              Eigen::MatrixXd at = .5 * (Eigen::MatrixXd::Random(3, 20000).array() + 1.), u(3, at.cols());
              x.mesh->velocity(x.x)(at, u);
              BOOST_TEST(std::sqrt((u.array() + .5).square().sum() / at.cols()) <= x.bound.eta);
            }
        }
      }
}

BOOST_AUTO_TEST_CASE(admissible_linear_velocities_stay_and_the_bound_is_zero)
{
  const Function U = [](const Vector &x) { return vector(x(0) - .5 * x(1) + 2., .5 * x(0) + .3 * x(1), .2 * x(2)); };
  for (const Setting &setting :
       {on(ball, 7., U), on(turned_cube, 7., U, 20.), unit_cube(fcc, 10., 6., U), whole_cubes(6, U)})
    {
      const Projected result(setting);
      BOOST_TEST((result.x.u - result.mesh->problem().U).cwiseAbs().maxCoeff() <= 1e-6);
      BOOST_TEST(result.bound.available);
      BOOST_TEST(result.bound.eta <= 1e-4);
    }
}

BOOST_AUTO_TEST_CASE(bounds_of_whole_cubes_are_guaranteed)
{
  double before = std::numeric_limits<double>::infinity();
  // the mean stays
  for (const Index layers : {4, 8})
    {
      const Projected result(whole_cubes(layers, [](const Vector &x) -> Vector { return (.5 - x.array()).matrix(); }));
      BOOST_TEST(result.bound.available);
      BOOST_TEST(result.bound.guaranteed);
      BOOST_TEST(result.energy() <= 1e-10);
      BOOST_TEST(result.bound.eta < before);
      before = result.bound.eta;
    }
  BOOST_TEST_MESSAGE("contraction of whole cubes: eta " << before);
}

BOOST_AUTO_TEST_CASE(linear_fields_on_ellipsoids_are_projected)
{
  const Eigen::Matrix3d L = (Eigen::Matrix3d() << -1., .4, .1, -.2, .3, .3, .2, -.1, -.4).finished();
  for (const double angle : {0., 17.})
    {
      const OnEllipse exact(L, tilted_ellipsoid(), lattice_directions(fcc, angle));
      double          eta = std::numeric_limits<double>::infinity();
      for (const double n : {8., 12., 18.})
        {
          const Projected result(on_ellipse(exact, fcc, angle, n));
          const double    error = distance(
                 result.mesh->velocity(result.x), [&](const Vector &x) -> Vector { return exact.A * x; },
                 [&](const Vector &x) { return exact.holds(x); }, 3, 60);
          BOOST_TEST_MESSAGE("n = " << n << ": error " << error << ", eta " << result.bound.eta << " ("
                                    << result.bound.relative << "), energy " << result.energy() / exact.energy() - 1.
                                    << ", volume " << result.volume() / exact.volume() - 1.);
          BOOST_TEST(result.bound.available);
          BOOST_TEST(!result.bound.guaranteed);
          BOOST_TEST(result.bound.eta < eta);
          eta = result.bound.eta;
          BOOST_TEST(error <= eta);
          BOOST_TEST(eta <= 2.5 * error);
          BOOST_TEST(result.energy() == exact.energy(), boost::test_tools::tolerance(10. / (n * n)));
        }
    }
}

BOOST_AUTO_TEST_CASE(bounds_fall_with_the_spacing_on_every_zone)
{
  for (const auto &[name, inside] : {std::pair("ball", ball), {"shell", shell}, {"turned cube", turned_cube}})
    for (const double angle : {0., 17.})
      {
        double before = std::numeric_limits<double>::infinity();
        for (const double n : {6., 9., 13.})
          {
            const Projected result(on(inside, n, wave, angle));
            BOOST_TEST_MESSAGE(name << " at " << angle << " degrees, n = " << n << ": eta " << result.bound.relative
                                    << ", energy " << result.energy());
            BOOST_TEST(result.bound.available);
            BOOST_TEST(result.bound.relative < before);
            before = result.bound.relative;
          }
      }
}

BOOST_AUTO_TEST_CASE(contraction_of_a_ball_is_stopped)
{
  const Projected result(on(ball, 8., [](const Vector &x) -> Vector { return -x; }));
  BOOST_TEST(result.energy() <= 1e-4);
  BOOST_TEST(result.bound.relative <= .2);
}

BOOST_AUTO_TEST_CASE(walls_are_planes_of_the_lattice)
{
  const Function away     = [](const Vector &) { return vector(.3, 0., .2); },
                 fall     = [](const Vector &) { return vector(.3, 0., -1.); };
  Setting setting         = whole_cubes(6, away);
  setting.domain.walls[4] = true;
  const Projected leaves(setting);
  BOOST_TEST(leaves.energy() == .065, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(leaves.bound.eta <= 1e-4);
  double before = std::numeric_limits<double>::infinity();
  for (const Index layers : {4, 8})
    {
      setting                 = whole_cubes(layers, fall);
      setting.domain.walls[4] = true;
      const Projected falls(setting);
      BOOST_TEST_MESSAGE("fall: energy " << falls.energy() << ", eta " << falls.bound.eta);
      BOOST_TEST(falls.bound.guaranteed);
      BOOST_TEST(falls.bound.eta < before);
      before = falls.bound.eta;
    }
  // closed but for the front side: nothing can give way
  setting              = whole_cubes(6, fall);
  setting.domain.walls = {true, true, true, true, true, false};
  BOOST_TEST(Projected(setting).energy() <= 1e-6);
  // lines that end in cut tetrahedra and run from wall to wall
  setting                 = unit_cube(fcc, 0., 5., fall);
  setting.domain.walls[4] = true;
  const Projected cut(setting);
  BOOST_TEST(!cut.bound.available);
  BOOST_TEST(!cut.bound.remark.empty());
  setting.domain.walls[5]            = true;
  setting.mesh.cells_per_unit_length = 5.;
  BOOST_CHECK_EXCEPTION(discretize(setting), InputError, [](const InputError &error) {
    return std::string(error.what()).find("the cells per unit length 4.94974746831") != std::string::npos;
  });
  Setting turned         = unit_cube(fcc, 30., 6., fall);
  turned.domain.walls[0] = true;
  BOOST_CHECK_THROW(discretize(turned), InputError);
}

BOOST_AUTO_TEST_CASE(zone_thinner_than_a_cell_has_no_bound)
{
  const Projected result(on([](const Vector &x) { return std::abs(x(0) + .5 * x(2)) < .04; }, 6., wave));
  BOOST_TEST(!result.bound.available);
  BOOST_TEST(result.bound.remark.find("thinner") != std::string::npos);
  BOOST_TEST(result.mesh->remarks().find("thinner than a cell") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
