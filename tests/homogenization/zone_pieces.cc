// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/zone_pieces.h"

#include "tests/homogenization/cells.h"

BOOST_AUTO_TEST_SUITE(zone_pieces)

using namespace moreau;
using namespace moreau::homogenization;
using namespace moreau::homogenization::test;

BOOST_AUTO_TEST_CASE(cells_fill_zones_bounded_by_planes)
{
  const auto oblique = [](const VectorXd &x) { return x(0) < .5 + .1 * x(1); };
  const auto diamond = [](const VectorXd &x) { return (x.array() - .5).abs().sum() < .41; };
  const auto gusset  = [](const VectorXd &x) { return !(x(0) > .437 && x(1) > .521); }; // a reentrant corner
  const auto wedge   = [](const VectorXd &x) { return std::abs(x(1) - .5) < .3 * x(0) && x(0) < .9; };
  const auto frame   = [](const VectorXd &x) { return (x.array() - .5).abs().maxCoeff() > .22; };
  for (const double angle : {0., .3})
    for (const auto &lattice : {lattices::square, lattices::triangular})
      for (const double spacing : {.15, .04})
        {
          const auto check = [&](const Predicate &inside, const double area) {
            const auto         domain = zone(unit_box(2), inside);
            const VoronoiCells cells(lattice(filled(domain, inside), placement(spacing, angle)), domain);
            check_fills(cells, area);
            BOOST_TEST(cells.volume_error() < 1e-11);
          };
          check(oblique, .55);
          check(diamond, 2. * .41 * .41);
          check(gusset, 1. - (1. - .437) * (1. - .521));
          check(wedge, .3 * .9 * .9);
          check(frame, 1. - .44 * .44);
        }
  for (const auto &lattice : {lattices::cubic, lattices::face_centred_cubic})
    {
      const auto check = [&](const Predicate &inside, const double volume) {
        const auto domain = zone(unit_box(3), inside);
        check_fills(VoronoiCells(lattice(filled(domain, inside), placement(.1, .2)), domain), volume);
      };
      check(oblique, .55);
      check(diamond, 4. / 3. * .41 * .41 * .41);
      check(gusset, 1. - (1. - .437) * (1. - .521));
    }
  const auto check_random = [&](const Index n, const Index dim, const double volume) {
    check_fills(VoronoiCells(random_spheres(n, dim, diamond), zone(unit_box(dim), diamond)), volume);
  };
  check_random(20, 2, 2. * .41 * .41);
  check_random(8, 3, 4. / 3. * .41 * .41 * .41);
  const auto segment = [](const VectorXd &x) { return x(0) > .1234 && x(0) <= .77; };
  check_fills(VoronoiCells(random_spheres(20, 1, segment), zone(unit_box(1), segment)), .77 - .1234);
}

BOOST_AUTO_TEST_CASE(pieces_lie_in_the_zone)
{
  const auto disc = [](const VectorXd &x) { return (x.array() - .5).matrix().norm() < .4; };
  for (const Index dim : {2, 3})
    {
      const auto           domain  = zone(unit_box(dim), disc);
      const micro::Spheres spheres = dim == 2 ? lattices::triangular(filled(domain, disc), placement(.08))
                                              : lattices::cubic(filled(domain, disc), placement(.12));
      const VoronoiCells   cells(spheres, domain);
      MatrixXd             corners;
      Index                n_pieces = 0;
      for (Index i = 0; i < cells.size(); ++i)
        if (cells.has_pieces(i))
          {
            ++n_pieces;
            BOOST_TEST(cells.is_cut(i));
            cells.simplices(i, corners);
            for (Index k = 0; k < corners.cols(); k += dim + 1)
              {
                BOOST_TEST(disc(corners.middleCols(k, dim + 1).rowwise().mean()));
                BOOST_TEST(distance_outside(cells, i, corners.middleCols(k, dim + 1).rowwise().mean()) < 0.);
              }
          }
        else
          BOOST_TEST(!cells.is_cut(i));
      BOOST_TEST(n_pieces > 10);
    }
}

BOOST_AUTO_TEST_CASE(the_error_of_curved_zones_is_known_and_small)
{
  const auto ball = [](const VectorXd &x) { return (x.array() - .5).matrix().norm() < .4; };
  for (const double spacing : {.2, .1, .04, .013})
    {
      const auto         domain = zone(unit_box(2), ball);
      const VoronoiCells cells(lattices::triangular(filled(domain, ball), placement(spacing, .3)), domain);
      BOOST_TEST(std::abs(sum(cells.volumes()) - M_PI * .16) <= cells.volume_error());
      BOOST_TEST(cells.volume_error() < 1e-6);
    }
  double error_before = std::numeric_limits<double>::infinity();
  for (const double spacing : {.2, .1, .05})
    {
      const auto         domain = zone(unit_box(3), ball);
      const VoronoiCells cells(lattices::cubic(filled(domain, ball), placement(spacing, .3)), domain);
      BOOST_TEST(std::abs(sum(cells.volumes()) - 4. / 3. * M_PI * .064) <= cells.volume_error());
      BOOST_TEST(cells.volume_error() < .01 * spacing);
      BOOST_TEST(cells.volume_error() < .7 * error_before);
      error_before = cells.volume_error();
    }
  const VoronoiCells whole(lattices::square(filled(unit_box(2)), placement(.1)), unit_box(2));
  BOOST_TEST(whole.volume_error() == 0.);
}

// A boundary along faces cuts no cell into pieces that lies on one side of it.
BOOST_AUTO_TEST_CASE(a_boundary_along_faces_leaves_cells_whole)
{
  // three quarters of a square, and the outermost cells of two sides of it reach into the rest
  const auto         inside = [](const VectorXd &x) { return x(0) < .5 || x(1) < .5; };
  const auto         domain = zone(unit_box(2), inside);
  const VoronoiCells cells(lattices::square(filled(domain, inside), placement(1. / 8.)), domain);
  BOOST_TEST_REQUIRE(cells.size() == 48);
  int n_with_pieces = 0;
  for (Index i = 0; i < cells.size(); ++i)
    {
      BOOST_TEST(std::abs(cells.volumes()(i) - 1. / 64.) < 1e-15);
      n_with_pieces += cells.has_pieces(i);
      if (!cells.has_pieces(i))
        BOOST_TEST(cells.is_cut(i) == (neighbours(cells, i).count(VoronoiCells::box) > 0));
    }
  BOOST_TEST(n_with_pieces == 8);
  BOOST_TEST(cells.volume_error() < 1e-15);
}

// ... and a cell that ends at the zone is cut, be it whole.
BOOST_AUTO_TEST_CASE(a_whole_cell_that_ends_at_a_slot_is_cut)
{
  const auto         domain = zone(unit_box(2), [](const VectorXd &x) { return !(x(0) > .5 && x(0) < .55 && x(1) > .5); });
  const VoronoiCells cells(lattices::square(filled(domain), placement(1. / 8.)), domain);
  BOOST_TEST_REQUIRE(cells.size() == 64);
  for (Index j = 1; j < 7; ++j)
    for (Index i = 1; i < 7; ++i)
      {
        BOOST_TEST(cells.has_pieces(i + 8 * j) == (i == 4 && j >= 4));
        // below the slot, a cell ends at it too
        BOOST_TEST(cells.is_cut(i + 8 * j) == ((i == 3 && j >= 4) || (i == 4 && j >= 3)));
      }
  check_fills(cells, 1. - .05 * .5);
}

// A centre on a boundary belongs to the zone, however rounding decides, if its cell does.
BOOST_AUTO_TEST_CASE(centres_may_lie_on_the_boundary)
{
  const auto     disc   = [](const VectorXd &x) { return x.squaredNorm() < 1.; };
  const auto     domain = zone(box(Eigen::Vector2d(-1., -1.), Eigen::Vector2d(1., 1.)), disc);
  const Index    n      = 24;
  micro::Spheres ring   = spheres_at(MatrixXd(2, n), VectorXd::Constant(n, .1));
  for (Index k = 0; k < n; ++k)
    ring.r.col(k) << std::cos(2. * M_PI * static_cast<double>(k) / n), std::sin(2. * M_PI * static_cast<double>(k) / n);
  const VoronoiCells cells(ring, domain);
  for (Index k = 0; k < n; ++k)
    BOOST_TEST(std::abs(cells.volumes()(k) - M_PI / n) < 1e-6); // the error of the curved zone
}

BOOST_AUTO_TEST_SUITE_END()
