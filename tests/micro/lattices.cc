// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/lattices.h"

#include "convex/input_error.h"
#include "micro/contact_graph.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>

BOOST_AUTO_TEST_SUITE(lattices)

using namespace moreau;
using namespace moreau::micro;
using moreau::micro::lattices::Placement;
using moreau::micro::lattices::Zone;

namespace
{
using Make = Spheres (*)(const Zone &, const Placement &);

Zone unit_box(const Index dim) { return {Vector::Zero(dim), Vector::Ones(dim)}; }

Zone ball(const Index dim, const double radius, const bool whole_spheres = false)
{
  return {Vector::Constant(dim, -radius), Vector::Constant(dim, radius),
          [radius](const Vector &x) { return x.norm() <= radius; }, whole_spheres};
}

Placement spaced(const double spacing)
{
  Placement placement;
  placement.spacing = spacing;
  return placement;
}

Placement centred(const Index dim, const double spacing, const double angle = 0.)
{
  Placement placement = spaced(spacing);
  placement.anchor    = Vector::Zero(dim);
  placement.angle     = angle;
  return placement;
}

Index n_contacts(const Spheres &spheres) { return micro::contact_graph(spheres, {}, 1e-6).n_contacts(); }

int largest_number_of_neighbours(const Spheres &spheres)
{
  std::vector<int> n(spheres.size(), 0);
  for (const Contact &c : micro::contact_graph(spheres, {}, 1e-6).contacts)
    ++n[c.i], ++n[c.j];
  return *std::max_element(n.begin(), n.end());
}

std::string error_of(Make make, const Zone &zone, const Placement &placement)
{
  try
    {
      make(zone, placement);
    }
  catch (const InputError &error)
    {
      return error.subject;
    }
  return "no error";
}
} // namespace

BOOST_AUTO_TEST_CASE(the_unit_square_holds_n_times_n_whatever_the_rounding)
{
  for (const Index N : {1, 2, 3, 7, 10, 32, 49, 100, 127})
    {
      const Spheres spheres = micro::lattices::square(unit_box(2), spaced(1. / N));
      BOOST_TEST(spheres.size() == N * N);
      BOOST_TEST(n_contacts(spheres) == 2 * N * (N - 1));
      BOOST_TEST(spheres.R(0) == .5 / N);
      BOOST_TEST(spheres.m(0) == M_PI * .25 / N / N, boost::test_tools::tolerance(1e-15)); // rounding
    }
}

BOOST_AUTO_TEST_CASE(whole_spheres_fill_the_unit_square_as_centres_do)
{
  for (const Index N : {1, 3, 10, 49})
    {
      Zone zone          = unit_box(2);
      zone.whole_spheres = true;
      BOOST_TEST(micro::lattices::square(zone, spaced(1. / N)).size() == N * N);
    }
}

BOOST_AUTO_TEST_CASE(the_unit_cube_holds_n_cubed)
{
  for (const Index N : {1, 2, 5, 11})
    {
      const Spheres spheres = micro::lattices::cubic(unit_box(3), spaced(1. / N));
      BOOST_TEST(spheres.size() == N * N * N);
      BOOST_TEST(n_contacts(spheres) == 3 * N * N * (N - 1));
    }
}

BOOST_AUTO_TEST_CASE(a_segment_holds_n)
{
  for (const Index N : {1, 2, 10, 49})
    {
      const Spheres spheres = micro::lattices::line(unit_box(1), spaced(1. / N));
      BOOST_TEST(spheres.size() == N);
      BOOST_TEST(n_contacts(spheres) == N - 1);
    }
}

BOOST_AUTO_TEST_CASE(a_line_crosses_a_plane_at_its_angle)
{
  const Spheres diagonal = micro::lattices::line(unit_box(2), centred(2, .1, M_PI / 4.));
  BOOST_TEST(diagonal.size() == 15);                                                 // √2 / 0.1 + 1
  BOOST_TEST((diagonal.r.row(0) - diagonal.r.row(1)).cwiseAbs().maxCoeff() < 1e-15); // rounding
}

BOOST_AUTO_TEST_CASE(triangular_patches_have_the_contacts_of_their_shape)
{
  // a hexagon with k rings around the centre: 1 + 3k(k+1) discs, 3k(3k+1) contacts
  for (const int k : {1, 2, 5})
    {
      Zone zone     = ball(2, k + 1e-3);
      zone.contains = [k](const Vector &x) {
        const double y = x(1) / std::sqrt(3.);
        return std::max({std::abs(x(0) + y), std::abs(x(0) - y), 2. * std::abs(y)}) < k + 1e-6;
      };
      const Spheres hexagon = micro::lattices::triangular(zone, centred(2, 1.));
      BOOST_TEST(hexagon.size() == 1 + 3 * k * (k + 1));
      BOOST_TEST(n_contacts(hexagon) == 3 * k * (3 * k + 1));
    }
  BOOST_TEST(largest_number_of_neighbours(micro::lattices::triangular(unit_box(2), spaced(.1))) == 6);
}

BOOST_AUTO_TEST_CASE(ordered_vacancies_leave_three_and_four_neighbours)
{
  // within a hexagon of k rings, k a multiple of 6, around a site: every third site is empty, or every fourth
  for (const int k : {6, 12})
    {
      Zone zone     = ball(2, k + 1e-3);
      zone.contains = [k](const Vector &x) {
        const double y = x(1) / std::sqrt(3.);
        return std::max({std::abs(x(0) + y), std::abs(x(0) - y), 2. * std::abs(y)}) < k + 1e-6;
      };
      const Index n = 1 + 3 * k * (k + 1);
      BOOST_TEST(micro::lattices::honeycomb(zone, centred(2, 1.)).size() == n - (n - 1) / 3);
      BOOST_TEST(micro::lattices::kagome(zone, centred(2, 1.)).size() == n - (n - 1 - 3 * (k / 2) * (k / 2 + 1)) / 3);
    }
  BOOST_TEST(largest_number_of_neighbours(micro::lattices::honeycomb(unit_box(2), spaced(.02))) == 3);
  BOOST_TEST(largest_number_of_neighbours(micro::lattices::kagome(unit_box(2), spaced(.02))) == 4);
}

BOOST_AUTO_TEST_CASE(face_centred_cubic_spheres_have_twelve_neighbours)
{
  const Spheres spheres = micro::lattices::face_centred_cubic(ball(3, 3.01), centred(3, 1.));
  BOOST_TEST(largest_number_of_neighbours(spheres) == 12);
  // shells at distance 1, √2, √3, 2, √5, √6, √7, √8, 3 hold 12, 6, 24, 12, 24, 8, 48, 6, 36
  BOOST_TEST(spheres.size() == 1 + 12 + 6 + 24 + 12 + 24 + 8 + 48 + 6 + 36);
  BOOST_TEST(n_contacts(micro::lattices::face_centred_cubic(ball(3, 1.01), centred(3, 1.))) ==
             12 + 24); // a cuboctahedron has 24 edges
}

BOOST_AUTO_TEST_CASE(every_lattice_fills_its_share_of_a_box)
{
  const auto fraction = [](Make make, const Index dim, const double spacing) {
    Zone zone          = unit_box(dim);
    zone.whole_spheres = false;
    return make(zone, centred(dim, spacing)).m.sum();
  };
  // the count differs from volume/cell by at most the sites next to the boundary: a few spacings
  BOOST_TEST(std::abs(fraction(micro::lattices::square, 2, .005) - M_PI / 4.) < .01);
  BOOST_TEST(std::abs(fraction(micro::lattices::triangular, 2, .005) - M_PI / std::sqrt(12.)) < .01);
  BOOST_TEST(std::abs(fraction(micro::lattices::honeycomb, 2, .005) - M_PI / std::sqrt(27.)) < .01);
  BOOST_TEST(std::abs(fraction(micro::lattices::kagome, 2, .005) - M_PI * std::sqrt(3.) / 8.) < .01);
  BOOST_TEST(std::abs(fraction(micro::lattices::cubic, 3, .02) - M_PI / 6.) < .05);
  BOOST_TEST(std::abs(fraction(micro::lattices::face_centred_cubic, 3, .02) - M_PI / std::sqrt(18.)) < .05);
}

BOOST_AUTO_TEST_CASE(rotated_lattices_in_a_disc_are_the_same_lattice)
{
  for (const Make make : {&micro::lattices::square, &micro::lattices::triangular})
    {
      const Spheres   upright = make(ball(2, 1.), centred(2, .0917));
      Eigen::Matrix2d Q;
      for (const double angle : {.3, 1., M_PI / 2., M_PI, -2.5})
        {
          const Spheres turned = make(ball(2, 1.), centred(2, .0917, angle));
          Q << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
          BOOST_TEST_REQUIRE(turned.size() == upright.size());
          BOOST_TEST((turned.r - Q * upright.r).cwiseAbs().maxCoeff() < 1e-15); // rounding
          BOOST_TEST(n_contacts(turned) == n_contacts(upright));
        }
    }
}

BOOST_AUTO_TEST_CASE(any_site_may_be_the_anchor)
{
  for (const Make make : {&micro::lattices::square, &micro::lattices::triangular, &micro::lattices::cubic,
                          &micro::lattices::face_centred_cubic})
    {
      const Index   dim  = make == &micro::lattices::square || make == &micro::lattices::triangular ? 2 : 3;
      Placement     here = centred(dim, .17, .4), there = here;
      const Spheres spheres = make(unit_box(dim), here);
      there.anchor          = spheres.r.col(spheres.size() / 2);
      const Spheres same    = make(unit_box(dim), there);
      BOOST_TEST_REQUIRE(same.size() == spheres.size());
      BOOST_TEST((same.r - spheres.r).cwiseAbs().maxCoeff() < 1e-14); // rounding
    }
}

BOOST_AUTO_TEST_CASE(spheres_are_numbered_line_by_line)
{
  const Spheres spheres = micro::lattices::triangular(unit_box(2), spaced(.1));
  for (Index i = 1; i < spheres.size(); ++i)
    {
      const bool same_line = spheres.r(1, i) == spheres.r(1, i - 1);
      BOOST_TEST((same_line ? std::abs(spheres.r(0, i) - spheres.r(0, i - 1) - .1) < 1e-15
                            : spheres.r(1, i) > spheres.r(1, i - 1)));
    }
}

BOOST_AUTO_TEST_CASE(sites_of_a_line_share_their_coordinate_exactly)
{
  std::map<double, int> x, y;
  const Spheres         spheres = micro::lattices::square(unit_box(2), spaced(1. / 49.));
  for (Index i = 0; i < spheres.size(); ++i)
    ++x[spheres.r(0, i)], ++y[spheres.r(1, i)];
  BOOST_TEST(x.size() == 49);
  BOOST_TEST(y.size() == 49);
}

// With gaps it is the smaller spheres that have to lie in the zone.
BOOST_AUTO_TEST_CASE(whole_spheres_with_gaps_are_as_small_as_they_are)
{
  micro::lattices::Placement place  = {1. / 20.};
  place.angle                       = M_PI / 9.;
  place.anchor                      = Vector::Constant(2, .025);
  place.gap                         = .01;
  const micro::lattices::Zone box   = {Vector::Zero(2), Vector::Ones(2), {}, true};
  const Spheres               whole = micro::lattices::triangular(box, place),
                all                 = micro::lattices::triangular({Vector::Zero(2), Vector::Ones(2)}, place);
  Index n                           = 0;
  for (Index i = 0; i < all.size(); ++i)
    n += all.r.col(i).minCoeff() >= .02 && all.r.col(i).maxCoeff() <= .98;
  BOOST_TEST(whole.size() == n);
  place.gap = 0.;
  BOOST_TEST(micro::lattices::triangular(box, place).size() < n);
}

BOOST_AUTO_TEST_CASE(whole_spheres_stay_inside_a_disc)
{
  const Spheres centres = micro::lattices::square(ball(2, 1.), centred(2, .1)),
                whole   = micro::lattices::square(ball(2, 1., true), centred(2, .1));
  BOOST_TEST(whole.size() < centres.size());
  const double rim = .05 * (1. - std::cos(M_PI / 32.)); // between two of the points that are asked
  for (Index i = 0; i < whole.size(); ++i)
    BOOST_TEST(whole.r.col(i).norm() + .05 < 1. + rim);
}

BOOST_AUTO_TEST_CASE(vacancies_have_their_fraction_and_come_again_with_their_seed)
{
  Placement    placement = spaced(.01);
  const double n_sites   = 1e4;
  for (const double fraction : {.05, .3, .9})
    {
      placement.vacancies = fraction;
      placement.seed      = 1;
      const Spheres first = micro::lattices::square(unit_box(2), placement),
                    again = micro::lattices::square(unit_box(2), placement);
      placement.seed      = 2;
      const Spheres other = micro::lattices::square(unit_box(2), placement);
      const double  sigma = std::sqrt(n_sites * fraction * (1. - fraction));
      BOOST_TEST(std::abs(first.size() - n_sites * (1. - fraction)) < 4. * sigma);
      BOOST_TEST(std::abs(other.size() - n_sites * (1. - fraction)) < 4. * sigma);
      BOOST_TEST((first.r == again.r));
      BOOST_TEST((first.size() != other.size() || first.r != other.r));
    }
}

// Numbers recorded once: the vacancies of a seed are part of the interface.
BOOST_AUTO_TEST_CASE(vacancies_are_the_same_on_every_machine)
{
  Placement placement   = spaced(.25);
  placement.vacancies   = .5;
  placement.anchor      = Vector::Constant(2, .125);
  const Spheres spheres = micro::lattices::square(unit_box(2), placement);
  std::string   picture(16, '.');
  for (Index i = 0; i < spheres.size(); ++i)
    picture[static_cast<int>(spheres.r(0, i) * 4.) + 4 * static_cast<int>(spheres.r(1, i) * 4.)] = 'o';
  BOOST_TEST(picture == "oo.oo...o..ooo.o");
}

BOOST_AUTO_TEST_CASE(a_vacancy_does_not_depend_on_the_zone)
{
  Placement placement = centred(2, .1);
  placement.vacancies = .4;
  const Spheres large = micro::lattices::square(ball(2, 2.), placement),
                small = micro::lattices::square(ball(2, 1.), placement);
  Index n             = 0;
  for (Index i = 0; i < large.size(); ++i)
    if (large.r.col(i).norm() <= 1.)
      {
        BOOST_TEST_REQUIRE(n < small.size());
        BOOST_TEST((large.r.col(i) == small.r.col(n++)));
      }
  BOOST_TEST(n == small.size());
}

BOOST_AUTO_TEST_CASE(a_row_touches_or_is_pulled_apart)
{
  const Spheres touching = micro::lattices::row(5, .5, Eigen::Vector2d(1., 2.)),
                apart    = micro::lattices::row(5, .5, Vector::Zero(1), 1e-3);
  BOOST_TEST(n_contacts(touching) == 4);
  BOOST_TEST((touching.r.col(4) == Eigen::Vector2d(5., 2.)));
  BOOST_TEST(n_contacts(apart) == 0);
  BOOST_TEST(micro::contact_graph(apart, {}, 1e-6).smallest_gap == 1e-3,
             boost::test_tools::tolerance(1e-12)); // rounding / 1e-3
}

BOOST_AUTO_TEST_CASE(clusters_of_the_paper_have_their_contacts)
{
  for (const double radius : {1., .1, 3.})
    {
      BOOST_TEST(micro::lattices::hyperstatic_cluster(radius).size() == 14);
      BOOST_TEST(n_contacts(micro::lattices::hyperstatic_cluster(radius)) ==
                 29); // the most that 14 discs can have: ⌊3n - √(12n-3)⌋
      BOOST_TEST(micro::lattices::seven_discs(radius).size() == 7);
      BOOST_TEST(n_contacts(micro::lattices::seven_discs(radius)) == 12);
      BOOST_TEST(largest_number_of_neighbours(micro::lattices::seven_discs(radius)) == 6);
    }
}

BOOST_AUTO_TEST_CASE(bad_input_names_its_parameter)
{
  const Zone box   = unit_box(2);
  Zone       empty = box;
  empty.contains   = [](const Vector &) { return false; };
  BOOST_TEST(error_of(&micro::lattices::square, box, spaced(.1)) == "no error");
  BOOST_TEST(error_of(&micro::lattices::square, empty, spaced(.1)) == "the zone");
  BOOST_TEST(error_of(&micro::lattices::square, {Vector::Ones(2), Vector::Zero(2)}, spaced(.1)) == "the zone");
  BOOST_TEST(error_of(&micro::lattices::cubic, box, spaced(.1)) == "the dimension");
  BOOST_TEST(error_of(&micro::lattices::triangular, unit_box(3), spaced(.1)) == "the dimension");
  BOOST_TEST(error_of(&micro::lattices::square, box, spaced(0.)) == "the size of the spheres");
  BOOST_TEST(error_of(&micro::lattices::square, box, spaced(1e-9)) == "the size of the spheres");
  BOOST_TEST(error_of(&micro::lattices::square, box, centred(3, .1)) == "the anchor of the lattice");
  BOOST_TEST(error_of(&micro::lattices::line, unit_box(1), centred(1, .1, .5)) == "the angle of the lattice");
  Placement far = spaced(.1);
  far.anchor    = Eigen::Vector2d(0., 1e17); // site numbers beyond 2^53
  BOOST_TEST(error_of(&micro::lattices::square, box, far) == "the anchor of the lattice");
  Placement all_vacant = spaced(.1);
  all_vacant.vacancies = 1.;
  BOOST_TEST(error_of(&micro::lattices::square, box, all_vacant) == "the vacancies");
}

BOOST_AUTO_TEST_SUITE_END()
