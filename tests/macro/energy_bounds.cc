// SPDX-License-Identifier: GPL-3.0-or-later
// The energy of the exact projection lies between bounds that come with η.
#include "macro/impact.h"
#include "tests/macro/closed_forms.h"
#include "tests/macro/cut_zones.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(energy_bounds)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// ½∫|u|² of case S1: u = x (s - x) up to a, constant behind, s = 1 + y/2; a polynomial of degree 6 in y.
double energy_of_S1()
{
  const Rule rule = gauss_rule(4, 1);
  double     sum  = 0.;
  for (Index q = 0; q < rule.size(); ++q)
    {
      const double s = 1. + .5 * rule.points(0, q), a = .75 * s - .5;
      sum += .5 * rule.weights(q) *
             (s * s * std::pow(a, 3) / 3. - s * std::pow(a, 4) / 2. + std::pow(a, 5) / 5. +
              (1. - a) * std::pow(parabola(a, s), 2));
    }
  return sum;
}

double energy_by_points(const Field &u, const int dim)
{
  const Rule      rule = gauss_rule(3, dim, 60);
  Eigen::MatrixXd values(dim, rule.size());
  u(rule.points, values);
  return .5 * values.colwise().squaredNorm().dot(rule.weights);
}

/// Whether the exact energy lies between its bounds, which are η²/2 apart; estimates have room for what points do not tell.
void check(const TotalBound &bound, const double exact, const double quadrature = 0.)
{
  BOOST_TEST(bound.available);
  BOOST_TEST(bound.least_energy <= exact + quadrature);
  BOOST_TEST(exact - quadrature <= bound.most_energy);
  BOOST_TEST(bound.most_energy - bound.least_energy >= .5 * bound.eta * bound.eta);
  const double of_kinks = bound.guaranteed ? 0. : 2. * std::sqrt(4. * exact * bound.oscillation); // |U|² <= 4 exact here
  BOOST_TEST(bound.most_energy - bound.least_energy <=
             .5 * bound.eta * bound.eta + 4. * bound.oscillation + of_kinks + 1e-12 * exact);
}
} // namespace

BOOST_AUTO_TEST_CASE(energies_of_closed_forms_lie_between_their_bounds)
{
  for (const double n : {16., 32.})
    {
      for (const Alignment alignment : {Alignment::lattice, Alignment::box})
        {
          const Projected S1(unit_cube(ConeType::square, 0., n, S1_U, alignment));
          BOOST_TEST(S1.bound.guaranteed);
          check(S1.bound, energy_of_S1());
        }
      check(Projected(unit_cube(2, smooth_free_boundary().U, n)).bound, energy_by_points(smooth_free_boundary().u, 2), 1e-8);
    }
  check(Projected(unit_cube(3, smooth_free_boundary().U, 8.)).bound, energy_by_points(smooth_free_boundary().u, 3), 1e-8);
}

// Points of rules integrate steps and kinks inside of cells to first order, the more so in a fast frame.
BOOST_AUTO_TEST_CASE(energies_of_steps_and_kinks_lie_between_their_bounds)
{
  constexpr double a    = .41;
  const auto       lies = [](const Projected &x, const double exact) {
    BOOST_TEST(x.bound.available);
    BOOST_TEST(!x.bound.guaranteed);
    BOOST_TEST(x.bound.least_energy <= exact);
    BOOST_TEST(exact <= x.bound.most_energy);
  };
  for (const double n : {8., 16., 64.})
    {
      for (const double frame : {0., 10., 1000.})
        {
          const Function kink = [frame](const Vector &x) { return vector(0., frame + x(1) + std::abs(x(0) - a)); };
          const double   mean = .5 + .5 * (a * a + (1. - a) * (1. - a));
          const double   of_rest =
              .5 * (1. / 3. + .5 * (a * a + (1. - a) * (1. - a)) + (std::pow(a, 3) + std::pow(1. - a, 3)) / 3.);
          const double exact = of_rest + frame * mean + .5 * frame * frame; // admissible
          lies(Projected(unit_cube(2, field(kink), n)), exact);
          lies(Projected(unit_cube(ConeType::square, 0., n, kink)), exact);
        }
      const Function step = [](const Vector &x) { return vector(x(0) > x(1) ? 1. : 0., 0.); };
      lies(Projected(unit_cube(2, field(step), n)), .25);
    }
}

// What rules leave out where the zone cuts cells is larger than η²: there are no bounds.
BOOST_AUTO_TEST_CASE(energies_have_no_bounds_where_the_zone_cuts_cells)
{
  const Function U         = [](const Vector &x) { return vector(parabola(x(0), 1.), x(1) < .37 ? .3 : -.7); };
  const auto     check_cut = [](const TotalBound &bound) {
    BOOST_TEST(bound.available);
    BOOST_TEST(bound.eta > 0.);
    BOOST_TEST(std::isnan(bound.least_energy));
    BOOST_TEST(std::isnan(bound.most_energy));
  };
  check_cut(Projected(unit_cube(ConeType::square, 17., 8., U)).bound);
  check_cut(Projected(unit_cube(ConeType::triangular, 17., 8., U)).bound);
  const auto in_disc = [](const Vector &x) { return (x - vector(.5, .5)).norm() < .37; };
  check_cut(Projected(in_zone(unit_cube(ConeType::square, 0., 8., U), in_disc)).bound);
  const Function smooth = [](const Vector &x) { return vector(parabola(x(0), 1.), 0.); };
  check_cut(Projected(in_zone(unit_cube(2, field(smooth), 8.), in_disc)).bound);
  const Projected whole(unit_cube(ConeType::triangular, 17., 8., smooth, Alignment::box));
  BOOST_TEST(whole.bound.guaranteed);
  BOOST_TEST(whole.bound.least_energy > 0.);
  BOOST_TEST(whole.bound.most_energy - whole.bound.least_energy <= .51 * whole.bound.eta * whole.bound.eta);
}

// A peak that few points see.
BOOST_AUTO_TEST_CASE(energies_of_peaks_are_wide_on_coarse_meshes)
{
  const Function U = [](const Vector &x) {
    return vector(.735 * x(1), -.1143 / (.000244 + (x - vector(.5388, .09412)).squaredNorm()));
  };
  const TotalBound coarse = Projected(unit_cube(2, field(U), 12.)).bound,
                   fine   = Projected(unit_cube(2, field(U), 96.)).bound;
  BOOST_TEST(!coarse.guaranteed);
  BOOST_TEST(coarse.least_energy < fine.most_energy);
  BOOST_TEST(fine.least_energy < coarse.most_energy);
  BOOST_TEST(fine.most_energy - fine.least_energy < .1 * (coarse.most_energy - coarse.least_energy));
}

// A step or a bend between a side of a cell and its outermost points is no polynomial that integrals see.
BOOST_AUTO_TEST_CASE(steps_beside_sides_of_cells_leave_estimates)
{
  const auto step_at = [](const double at) {
    return Function([at](const Vector &x) {
      Vector U = Vector::Zero(x.size());
      U(0)     = x(0) < at ? 1. : -5.;
      return U;
    });
  };
  const Function bend = [](const Vector &x) { return vector(std::max(x(0), .503), x(1)); };
  for (const double inside : {1e-9, .004, .0499, .1}) // of cells an eighth wide
    for (const bool behind : {false, true})
      {
        const Function U = step_at(behind ? .5 - .125 * inside : .5 + .125 * inside);
        for (const Alignment alignment : {Alignment::lattice, Alignment::box})
          {
            const Projected square(unit_cube(ConeType::square, 0., 8., U, alignment));
            BOOST_TEST(square.bound.available);
            BOOST_TEST(!square.bound.guaranteed);
            BOOST_TEST(square.bound.eta > .1);
            if (alignment == Alignment::lattice && inside < .05) // points of the rule see the others
              BOOST_TEST(std::isnan(square.bound.least_energy));
          }
        for (const int dim : {1, 2, 3})
          BOOST_TEST(!Projected(unit_cube(dim, field(U), dim == 3 ? 4. : 8.)).bound.guaranteed);
        BOOST_TEST(!Projected(unit_cube(ConeType::triangular, 0., 8., U, Alignment::box)).bound.guaranteed);
      }
  BOOST_TEST(!Projected(unit_cube(2, field(bend), 8.)).bound.guaranteed);
  BOOST_TEST(!Projected(unit_cube(ConeType::square, 0., 8., bend)).bound.guaranteed);
  // on sides of cells it is none
  BOOST_TEST(Projected(unit_cube(2, field(step_at(.5)), 8.)).bound.guaranteed);
  BOOST_TEST(Projected(unit_cube(ConeType::square, 0., 8., step_at(.5))).bound.guaranteed);
  BOOST_TEST(Projected(unit_cube(ConeType::square, 0., 8., step_at(.5), Alignment::box)).bound.guaranteed);
}

// Whatever the restitution.
BOOST_AUTO_TEST_CASE(energies_of_impacts_with_restitution_are_those_of_the_projection)
{
  const auto mesh = discretize(unit_cube(ConeType::square, 0., 16., S1_U));
  for (const double e : {0., .5})
    {
      const convex::Law               law{e, 1};
      const convex::StoppingCriterion criterion{1e-8, 100000};
      convex::Impact                  x     = impact(*mesh, law, criterion, "automatic");
      const TotalBound                bound = bound_of_impact(*mesh, law, criterion, x);
      BOOST_TEST(bound.least_energy <= energy_of_S1());
      BOOST_TEST(bound.most_energy >= energy_of_S1());
      BOOST_TEST(bound.most_energy - bound.least_energy <= .51 * std::pow(bound.eta / (1. + e), 2));
    }
}

BOOST_AUTO_TEST_SUITE_END()
