// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/voronoi.h"

#include "tests/homogenization/cells.h"

#include "homogenization/space_cells.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <numeric>

BOOST_AUTO_TEST_SUITE(voronoi)

using namespace moreau;
using namespace moreau::homogenization;
using namespace moreau::homogenization::test;

BOOST_AUTO_TEST_CASE(segments_end_where_powers_are_equal)
{
  MatrixXd r(1, 3);
  r << .7, .1, .4;
  const VoronoiCells cells(spheres_at(r, Eigen::Vector3d(.2, .05, .1)), unit_box(1));

  const double left = .1 + (.09 + .05 * .05 - .1 * .1) / .6, right = .4 + (.09 + .1 * .1 - .2 * .2) / .6;
  BOOST_TEST(cells.outline(1)(0, 0) == 0.);
  BOOST_TEST(std::abs(cells.outline(1)(0, 1) - left) < 1e-15);
  BOOST_TEST(std::abs(cells.outline(2)(0, 0) - left) < 1e-15);
  BOOST_TEST(std::abs(cells.outline(2)(0, 1) - right) < 1e-15);
  BOOST_TEST(cells.outline(0)(0, 1) == 1.);
  BOOST_TEST(cells.neighbours(2).first[0] == 1);
  BOOST_TEST(cells.neighbours(2).first[1] == 0);
  BOOST_TEST((cells.is_cut(0) && cells.is_cut(1) && !cells.is_cut(2)));
  check_fills(cells, 1.);
}

BOOST_AUTO_TEST_CASE(cells_of_the_square_lattice_are_squares)
{
  const auto         domain = unit_box(2);
  const VoronoiCells cells(lattices::square(filled(domain), placement(1. / 8.)), domain);
  BOOST_TEST_REQUIRE(cells.size() == 64);
  for (Index j = 0; j < 8; ++j)
    for (Index i = 0; i < 8; ++i)
      {
        const Index cell = i + 8 * j;
        BOOST_TEST(std::abs(cells.volumes()(cell) - 1. / 64.) < 1e-15);
        BOOST_TEST(cells.outline(cell).cols() == 4);
        BOOST_TEST(cells.is_cut(cell) == (i % 7 == 0 || j % 7 == 0));
      }
  BOOST_TEST((neighbours(cells, 9) == std::set<int>{1, 8, 10, 17}));
  BOOST_TEST((neighbours(cells, 0) == std::set<int>{VoronoiCells::box, 1, 8}));
  check_fills(cells, 1.);
}

BOOST_AUTO_TEST_CASE(cells_of_the_triangular_lattice_are_regular_hexagons)
{
  const double         h       = .1;
  const auto           domain  = unit_box(2);
  const micro::Spheres spheres = lattices::triangular(filled(domain), placement(h, /*angle=*/.3));
  const VoronoiCells   cells(spheres, domain);
  Index                n_whole = 0;
  for (Index i = 0; i < cells.size(); ++i)
    if (neighbours(cells, i).count(VoronoiCells::box) == 0)
      {
        ++n_whole;
        const auto outline = cells.outline(i);
        BOOST_TEST_REQUIRE(outline.cols() == 6);
        BOOST_TEST(std::abs(cells.volumes()(i) - std::sqrt(3.) / 2. * h * h) < 1e-14); // rounding of coordinates times h
        for (Index k = 0; k < 6; ++k)
          {
            BOOST_TEST(std::abs((outline.col(k) - spheres.r.col(i)).norm() - h / std::sqrt(3.)) < 1e-14);
            BOOST_TEST(area_vector(faces(cells, i)[k]).dot(outline.col(k) - spheres.r.col(i)) > 0.); // counterclockwise
            // the edge lies before the neighbour that it claims
            const VectorXd middle = .5 * (outline.col(k) + outline.col((k + 1) % 6));
            const int      behind = cells.neighbours(i).first[k];
            BOOST_TEST((.5 * (spheres.r.col(i) + spheres.r.col(behind)) - middle).norm() < 1e-14);
          }
      }
  BOOST_TEST(n_whole > 50);
  check_fills(cells, 1.);
}

BOOST_AUTO_TEST_CASE(cells_of_the_cubic_lattice_are_cubes)
{
  const auto         domain = unit_box(3);
  const VoronoiCells cells(lattices::cubic(filled(domain), placement(1. / 7.)), domain);
  BOOST_TEST_REQUIRE(cells.size() == 343);
  BOOST_TEST((cells.description().find("125 of 343 translates of one") != std::string::npos)); // the 5³ inside
  for (Index i = 0; i < cells.size(); ++i)
    {
      BOOST_TEST(std::abs(cells.volumes()(i) - 1. / 343.) < 1e-15);
      BOOST_TEST(cells.outline(i).cols() == 8);
      BOOST_TEST(faces(cells, i).size() == 6u);
    }
  const int middle = 3 * 49 + 3 * 7 + 3;
  BOOST_TEST((neighbours(cells, middle) ==
              std::set<int>{middle - 49, middle - 7, middle - 1, middle + 1, middle + 7, middle + 49}));
  check_fills(cells, 1.);
}

BOOST_AUTO_TEST_CASE(cells_of_the_face_centred_cubic_lattice_are_rhombic_dodecahedra)
{
  const double         h       = 1. / 7.;
  const auto           domain  = unit_box(3);
  const micro::Spheres spheres = lattices::face_centred_cubic(filled(domain), placement(h, /*angle=*/.2));
  const VoronoiCells   cells(spheres, domain);
  BOOST_TEST((cells.description().find("translates of one") != std::string::npos));
  Index n_whole = 0;
  for (Index i = 0; i < cells.size(); ++i)
    if (!cells.is_cut(i))
      {
        const auto [first, last] = cells.neighbours(i);
        const double distance    = std::accumulate(first, last, 0., [&](const double largest, const int j) {
          return std::max(largest, (spheres.r.col(j) - spheres.r.col(i)).norm());
        });
        if (distance > h * (1. + 1e-9)) // there is nobody outside the box
          continue;
        ++n_whole;
        BOOST_TEST(std::abs(cells.volumes()(i) - h * h * h / std::sqrt(2.)) < 1e-15);
        BOOST_TEST(cells.outline(i).cols() == 14);
        BOOST_TEST_REQUIRE(faces(cells, i).size() == 12u);
        for (std::size_t k = 0; k < 12; ++k)
          {
            const MatrixXd face = faces(cells, i)[k];
            const VectorXd e    = (spheres.r.col(first[k]) - spheres.r.col(i)) / h;
            BOOST_TEST(face.cols() == 4);
            // volume = 12 pyramids of height h/2
            BOOST_TEST((area_vector(face) - std::sqrt(2.) / 4. * h * h * e).norm() < 1e-15);
            BOOST_TEST((face.rowwise().mean() - spheres.r.col(i) - .5 * h * e).norm() < 1e-14);
          }
      }
  BOOST_TEST(n_whole > 50);
  check_fills(cells, 1.);
}

// A cell that touches a side of the box in a corner does not end there.
BOOST_AUTO_TEST_CASE(touching_the_box_is_not_being_cut)
{
  MatrixXd r(2, 5);
  r << .5, 0., 1., 0., 1., //
      .5, 0., 0., 1., 1.;
  const VoronoiCells cells(spheres_at(r, VectorXd::Constant(5, .3)), unit_box(2));
  BOOST_TEST(!cells.is_cut(0));
  BOOST_TEST(cells.outline(0).cols() == 4);
  BOOST_TEST(std::abs(cells.volumes()(0) - .5) < 1e-15);
  for (Index i = 1; i < 5; ++i)
    BOOST_TEST(cells.is_cut(i));
}

BOOST_AUTO_TEST_CASE(cells_fill_boxes)
{
  for (const double angle : {0., .1, .7853981633974483, 1.})
    {
      const auto domain = box(Eigen::Vector2d(-3.1, 7.), Eigen::Vector2d(-2., 8.3));
      for (const auto &lattice : {lattices::square, lattices::triangular})
        check_fills(VoronoiCells(lattice(filled(domain), placement(1. / 13., angle)), domain), box_volume(domain));
      for (const auto &lattice : {lattices::square, lattices::triangular})
        check_fills(VoronoiCells(lattice(filled(domain), placement(1. / 13., angle, /*vacancies=*/.2)), domain),
                    box_volume(domain));

      const auto room = box(Eigen::Vector3d(.3, -.2, 0.), Eigen::Vector3d(1.1, .7, 1.));
      for (const auto &lattice : {lattices::cubic, lattices::face_centred_cubic})
        check_fills(VoronoiCells(lattice(filled(room), placement(.12, angle, angle == .1 ? .05 : 0.)), room),
                    box_volume(room));
    }
  check_fills(VoronoiCells(random_spheres(20, 2), unit_box(2)), 1.);
  check_fills(VoronoiCells(random_spheres(8, 3), unit_box(3)), 1.);
}

BOOST_AUTO_TEST_CASE(one_sphere_has_the_whole_box_and_a_row_has_strips)
{
  for (const Index dim : {1, 2, 3})
    {
      const VoronoiCells alone(spheres_at(VectorXd::Constant(dim, .3), VectorXd::Constant(1, .1)), unit_box(dim));
      BOOST_TEST(std::abs(alone.volumes()(0) - 1.) < 1e-15);
      BOOST_TEST((neighbours(alone, 0) == std::set<int>{VoronoiCells::box}));

      VectorXd first = VectorXd::Constant(dim, .5);
      first(0)       = .1;
      const VoronoiCells row(lattices::row(5, .1, first), unit_box(dim));
      for (Index i = 0; i < 5; ++i)
        BOOST_TEST(std::abs(row.volumes()(i) - .2) < 1e-15);
    }
}

// A point lies in the cell of the sphere of the smallest power |x - r|² - R².
BOOST_AUTO_TEST_CASE(power_cells_hold_the_points_of_least_power)
{
  for (const Index dim : {2, 3})
    {
      const micro::Spheres                   spheres = random_spheres(dim == 2 ? 15 : 6, dim);
      const VoronoiCells                     cells(spheres, unit_box(dim));
      std::mt19937                           generator(3);
      std::uniform_real_distribution<double> uniform(0., 1.);
      for (int sample = 0; sample < 1000; ++sample)
        {
          VectorXd x(dim);
          for (double &coordinate : x)
            coordinate = uniform(generator);
          Index owner;
          ((spheres.r.colwise() - x).colwise().squaredNorm().transpose() - spheres.R.cwiseAbs2()).minCoeff(&owner);
          BOOST_TEST(distance_outside(cells, owner, x) < 1e-13);
        }
      BOOST_TEST(cells.description() == "power cells");
    }
}

BOOST_AUTO_TEST_CASE(neighbours_have_a_common_face)
{
  const auto check = [](const micro::Spheres &spheres) {
    const Index        dim = spheres.dimension();
    const VoronoiCells cells(spheres, unit_box(dim));
    for (Index i = 0; i < cells.size(); ++i)
      {
        const auto all   = faces(cells, i);
        const auto first = cells.neighbours(i).first;
        for (std::size_t k = 0; k < all.size(); ++k)
          if (const int j = first[k]; j != VoronoiCells::box)
            {
              const VectorXd area     = area_vector(all[k]);
              const auto     opposite = cells.neighbours(j);
              const auto     back     = std::find(opposite.first, opposite.second, static_cast<int>(i));
              if (back == opposite.second) // faces may be so small that rounding decides who has them
                BOOST_TEST(area.norm() < 1e-9 * std::pow(spheres.R(i), dim - 1));
              else
                BOOST_TEST((area + area_vector(faces(cells, j)[back - opposite.first])).norm() < 1e-13);
            }
      }
  };
  const auto plane = filled(unit_box(2)), room = filled(unit_box(3));
  check(random_spheres(15, 2));
  check(random_spheres(6, 3));
  check(lattices::square(plane, placement(.05, 1., .1)));
  check(lattices::triangular(plane, placement(.05, 1., .1)));
  check(lattices::cubic(room, placement(.11, .4, .1)));
  check(lattices::face_centred_cubic(room, placement(.12, .4, .1)));
  // balls of a lattice in a room that is half empty: large cells
  check(lattices::face_centred_cubic(
      filled(unit_box(3), [](const VectorXd &x) { return (x.array() - .5).matrix().norm() < .3; }), placement(.05, .2)));
}

BOOST_AUTO_TEST_CASE(a_vacancy_changes_its_neighbours_only)
{
  const auto check = [](const micro::Spheres &full, const macro::Domain &domain, const Index gone) {
    const VoronoiCells before(full, domain);
    micro::Spheres     spheres           = full;
    const Index        n                 = full.size() - 1;
    spheres.r.middleCols(gone, n - gone) = full.r.rightCols(n - gone);
    spheres.r.conservativeResize(Eigen::NoChange, n);
    spheres.R.conservativeResize(n);
    spheres.m.conservativeResize(n);
    const VoronoiCells after(spheres, domain);
    BOOST_TEST(std::abs(after.volumes().sum() - 1.) < 1e-12);
    double              gained     = 0.;
    const std::set<int> were_there = neighbours(before, gone);
    for (Index i = 0; i < n; ++i)
      {
        const Index  old_i = i < gone ? i : i + 1;
        const double gain  = after.volumes()(i) - before.volumes()(old_i);
        gained += gain;
        BOOST_TEST((gain > 1e-3 * before.volumes()(gone)) == (were_there.count(static_cast<int>(old_i)) > 0));
        if (were_there.count(static_cast<int>(old_i)) == 0)
          {
            BOOST_TEST(std::abs(gain) < 1e-14);
            std::set<int> expected;
            for (const int j : neighbours(before, old_i))
              expected.insert(j > gone ? j - 1 : j);
            BOOST_TEST((neighbours(after, i) == expected));
          }
      }
    BOOST_TEST(std::abs(gained - before.volumes()(gone)) < 1e-14);
  };
  check(lattices::triangular(filled(unit_box(2)), placement(.1)), unit_box(2), 50);
  check(lattices::cubic(filled(unit_box(3)), placement(1. / 7.)), unit_box(3), 3 * 49 + 3 * 7 + 3);
}

// Repeated cells are the same as computed ones: shifts far below a radius but far above rounding make all of them different.
BOOST_AUTO_TEST_CASE(translates_equal_computed_cells)
{
  for (const auto &lattice : {lattices::cubic, lattices::face_centred_cubic})
    {
      const micro::Spheres spheres = lattice(filled(unit_box(3)), placement(.11, .3, /*vacancies=*/.03));
      micro::Spheres       shifted = spheres;
      std::mt19937         generator(5);
      for (double &coordinate : shifted.r.reshaped())
        coordinate = std::clamp(coordinate + 1e-11 * std::uniform_real_distribution<double>(-1., 1.)(generator), 0., 1.);
      const VoronoiCells repeated(spheres, unit_box(3)), computed(shifted, unit_box(3));
      BOOST_TEST((repeated.description().find("translates") != std::string::npos));
      BOOST_TEST(computed.description() == "Voronoi cells");
      BOOST_TEST((repeated.volumes() - computed.volumes()).cwiseAbs().maxCoeff() < 1e-12); // 1e-11 times areas of 0.01
      for (Index i = 0; i < spheres.size(); ++i)
        {
          const std::set<int> all = neighbours(computed, i);
          for (const int j : neighbours(repeated, i))
            BOOST_TEST(all.count(j) == 1u);
        }
    }
}

// In a cubic lattice with vacancies a sphere that is no lattice site may come
// so near to a cell that all neighbours of it are there.
BOOST_AUTO_TEST_CASE(an_intruder_takes_from_a_cell_with_all_its_contacts)
{
  const double   h       = 1. / 8.;
  micro::Spheres spheres = lattices::cubic(filled(unit_box(3)), placement(h));
  // the neighbour of (4,4,4) along a diagonal moves towards it, until it touches the sites (4,5,5), (5,4,5), (5,5,4)
  const Index           corner = 5 * 64 + 5 * 8 + 5, site = 4 * 64 + 4 * 8 + 4;
  const Eigen::Vector3d middle  = spheres.r.col(site) + Eigen::Vector3d::Constant(h / 2.);
  spheres.r.col(corner).array() = middle.array() + .34 * h;
  const VoronoiCells cells(spheres, unit_box(3));
  BOOST_TEST(cells.volumes()(site) < h * h * h * (1. - 1e-6));
  BOOST_TEST(neighbours(cells, site).count(static_cast<int>(corner)) == 1u);
  check_fills(cells, 1.);
}

// What voro++ overlooks is cut again: here a neighbour that it has not been told of.
BOOST_AUTO_TEST_CASE(a_face_that_only_the_neighbour_knows_is_found)
{
  const double         h       = 1. / 5.;
  const micro::Spheres spheres = lattices::cubic(filled(unit_box(3)), placement(h));
  const int            i = 2 * 25 + 2 * 5 + 2, j = i + 1;
  std::vector<int>     members(spheres.size()), all;
  std::iota(members.begin(), members.end(), 0);
  all = members;
  members.erase(members.begin() + j);
  const auto volume = [](const SpaceCell &cell) {
    const auto points = cell.points();
    return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).prod();
  };
  BOOST_TEST(volume(space_cells(spheres, unit_box(3), members, {i})[0]) > 1.4 * h * h * h);
  const SpaceCell repaired = space_cells(spheres, unit_box(3), members, {i}, {{i, j}})[0];
  BOOST_TEST(std::abs(volume(repaired) - h * h * h) < 1e-15);
  BOOST_TEST(std::count(repaired.behind_face.begin(), repaired.behind_face.end(), j) == 1);
  BOOST_TEST(repaired.behind_face.size() == 6u);
}

BOOST_AUTO_TEST_CASE(numbering_follows_the_spheres)
{
  for (const Index dim : {1, 2, 3})
    {
      const micro::Spheres spheres = random_spheres(dim == 1 ? 30 : dim == 2 ? 12 : 5, dim);
      const Index          n       = spheres.size();
      std::vector<int>     place(n);
      std::iota(place.begin(), place.end(), 0);
      std::shuffle(place.begin(), place.end(), std::mt19937(9));
      micro::Spheres shuffled = spheres;
      for (Index i = 0; i < n; ++i)
        {
          shuffled.r.col(place[i]) = spheres.r.col(i);
          shuffled.R(place[i])     = spheres.R(i);
        }
      const VoronoiCells cells(spheres, unit_box(dim)), other(shuffled, unit_box(dim));
      for (Index i = 0; i < n; ++i)
        {
          BOOST_TEST(std::abs(cells.volumes()(i) - other.volumes()(place[i])) < 1e-15);
          std::set<int> expected;
          for (const int j : neighbours(cells, i))
            expected.insert(j == VoronoiCells::box ? j : place[j]);
          BOOST_TEST((neighbours(other, place[i]) == expected));
        }
    }
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_number_of_threads)
{
  const auto           disc    = zone(unit_box(2), [](const VectorXd &x) { return (x.array() - .5).matrix().norm() < .4; });
  const auto           inside  = [](const VectorXd &x) { return (x.array() - .5).matrix().norm() < .4; };
  const micro::Spheres spheres = lattices::triangular(filled(unit_box(2), inside), placement(.01));
  const micro::Spheres balls   = lattices::cubic(filled(unit_box(3)), placement(.05, .3));
  BOOST_TEST_REQUIRE(spheres.size() > 4096); // several blocks
  const auto results = [&](const std::size_t n_threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, n_threads);
    const VoronoiCells        plane(spheres, disc), space(balls, unit_box(3));
    VectorXd                  all(plane.size() + space.size() + 1);
    all << plane.volumes(), space.volumes(), plane.volume_error();
    return all;
  };
  BOOST_TEST((results(1).array() == results(4).array()).all());
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_zone_is_said)
{
  const auto one_at = [](const double x, const double y) {
    return spheres_at(Eigen::Vector2d(x, y), VectorXd::Constant(1, .1));
  };
  BOOST_TEST(starts_with(complaint([&] { VoronoiCells(one_at(1.01, .5), unit_box(2)); }),
                         "the zone: Sphere 0 at (1.01, 0.5) m has its centre outside the box; enlarge the box or"));
  const auto half = zone(unit_box(2), [](const VectorXd &x) { return x(0) < .5; });
  BOOST_TEST(starts_with(complaint([&] { VoronoiCells(one_at(.6, .5), half); }),
                         "the zone: Sphere 0 at (0.6, 0.5) m has its centre outside the zone; enlarge the zone or"));
  BOOST_TEST(!complaint([&] { VoronoiCells(one_at(std::nan(""), .5), unit_box(2)); }).empty());
  // on the boundary is inside
  BOOST_TEST(std::abs(VoronoiCells(one_at(1., .5), unit_box(2)).volumes()(0) - 1.) < 1e-15);
  BOOST_TEST(std::abs(VoronoiCells(one_at(.5, .5), half).volumes()(0) - .5) < 1e-15);

  // a sphere that others cover has no cell
  for (const Index dim : {1, 2, 3})
    {
      MatrixXd r       = MatrixXd::Constant(dim, 3, .5);
      r(0, 0)          = .2;
      r(0, 1)          = .8;
      const VectorXd R = Eigen::Vector3d(.4, .4, .01);
      BOOST_TEST(
          starts_with(complaint([&] { VoronoiCells(spheres_at(r, R), unit_box(dim)); }), "the zone: Sphere 2 at (0.5"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
