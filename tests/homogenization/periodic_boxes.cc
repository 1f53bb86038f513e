// SPDX-License-Identifier: GPL-3.0-or-later
// Cells, transfers and φ_n(U) where the box repeats itself.
#include "homogenization/coarse_distances.h"
#include "homogenization/convergence_study.h"
#include "macro/mean_gradient.h"
#include "micro/packings.h"
#include "tests/homogenization/cells.h"
#include "tests/macro/closed_forms.h"

#include <algorithm>
#include <cmath>

BOOST_AUTO_TEST_SUITE(periodic_boxes)

using namespace moreau;
using namespace moreau::homogenization;
using namespace moreau::homogenization::test;
using macro::at_points;

namespace
{
macro::Domain periodic(macro::Domain domain, const geometry::PeriodicAxes &axes = {true, true, true})
{
  for (Index axis = 0; axis < domain.lower.size(); ++axis)
    domain.periodic[axis] = axes[axis];
  return domain;
}

micro::PeriodicBox box_of(const macro::Domain &domain)
{
  micro::PeriodicBox box{domain.lower, domain.upper - domain.lower};
  for (Index axis = 0; axis < domain.lower.size(); ++axis)
    if (!domain.periodic[axis])
      box.period(axis) = 0.;
  return box;
}

/// U = D x + w in the box.
macro::Setting setting(const macro::Domain &domain, const MatrixXd &D, const geometry::Field &w)
{
  macro::Setting setting;
  setting.domain        = domain;
  setting.mean_gradient = D;
  setting.U             = geometry::with_mean_gradient(w, D);
  return setting;
}

Packing packing(const micro::Spheres &spheres, const macro::Setting &setting, const double tolerance)
{
  auto graph = micro::contact_graph(spheres, {}, tolerance, box_of(setting.domain));
  return Packing(spheres, {}, std::move(graph), setting.domain, {}, setting.mean_gradient);
}

geometry::Field nothing(const Index dim)
{
  return [dim](const MatrixXd &x, MatrixXd &values) { values = MatrixXd::Zero(dim, x.cols()); };
}

/// Sine waves with the periods of the unit box.
geometry::Field waves()
{
  return at_points([](const double *x, double *w, Index dim) {
    for (Index a = 0; a < dim; ++a)
      w[a] = .3 * std::sin(2. * M_PI * x[a]) + .2 * std::cos(2. * M_PI * (x[(a + 1) % dim] - 2. * x[a]));
  });
}

Reference reference(const geometry::Field &u, const macro::ConeType cone = macro::ConeType::isotropic)
{
  Reference result;
  result.name      = "closed form";
  result.u         = u;
  result.cone.type = cone;
  if (cone != macro::ConeType::isotropic)
    result.cone = macro::lattice_cone(cone, 0.);
  return result;
}

micro::Spheres jammed(const Index n, const unsigned int seed, const Index dim = 2)
{
  micro::PackingParameters how;
  how.lower    = VectorXd::Zero(dim);
  how.upper    = VectorXd::Ones(dim);
  how.periodic = std::vector<bool>(dim, true);
  how.n        = n;
  how.spread   = .2;
  how.seed     = seed;
  return micro::random_packing(how).spheres;
}
} // namespace

BOOST_AUTO_TEST_CASE(cells_and_their_images_fill_the_space)
{
  for (const Index dim : {1, 2, 3})
    for (const bool equal : {false, true})
      for (const bool all : {false, true})
        {
          const auto     domain  = periodic(unit_box(dim), {true, all, all});
          micro::Spheres spheres = random_spheres(dim == 1 ? 9 : dim == 2 ? 5 : 3, dim);
          if (equal)
            spheres.R.setConstant(spheres.R.minCoeff());
          const VoronoiCells cells(spheres, domain);
          check_fills(cells, 1.);
          const bool ends  = !all && dim > 1;
          Index      n_cut = 0;
          for (Index i = 0; i < cells.size(); ++i)
            {
              n_cut += cells.is_cut(i);
              for (const int behind : neighbours(cells, i))
                BOOST_TEST((behind == VoronoiCells::box ? ends : behind >= 0 && behind < cells.size()));
            }
          BOOST_TEST((n_cut > 0) == ends);

          std::mt19937                           generator(3);
          std::uniform_real_distribution<double> uniform(0., 1.);
          for (int k = 0; k < 200; ++k)
            {
              const VectorXd x       = VectorXd::NullaryExpr(dim, [&](Index) { return uniform(generator); });
              double         best    = std::numeric_limits<double>::infinity();
              Index          nearest = 0;
              VectorXd       seen;
              for (Index i = 0; i < cells.size(); ++i)
                for (int image = 0; image < std::lround(std::pow(5., dim)); ++image)
                  {
                    VectorXd shifted = x;
                    for (Index a = 0, rest = image; a < dim; ++a, rest /= 5)
                      shifted(a) += domain.periodic[a] ? static_cast<double>(rest % 5) - 2. : 0.;
                    const double R     = equal ? 0. : spheres.R(i);
                    const double power = (shifted - spheres.r.col(i)).squaredNorm() - R * R;
                    if (power < best)
                      {
                        best    = power;
                        nearest = i;
                        seen    = shifted;
                      }
                  }
              if (dim > 1)
                BOOST_TEST(distance_outside(cells, nearest, seen) <= 1e-13);
              else
                BOOST_TEST(
                    (cells.outline(nearest)(0, 0) <= seen(0) + 1e-13 && seen(0) <= cells.outline(nearest)(0, 1) + 1e-13));
            }
        }
}

BOOST_AUTO_TEST_CASE(cells_of_lattices_are_alike)
{
  const auto plane           = periodic(unit_box(2));
  auto       place           = placement(1. / 6.);
  place.anchor               = VectorXd::Zero(2);
  micro::lattices::Zone zone = filled(plane);
  zone.box                   = box_of(plane);
  zone.upper -= VectorXd::Constant(2, .01); // the sites at the upper sides are those at the lower ones
  const VoronoiCells squares(lattices::square(zone, place), plane);
  BOOST_TEST_REQUIRE(squares.size() == 36);
  for (Index i = 0; i < 36; ++i)
    {
      BOOST_TEST(std::abs(squares.volumes()(i) - 1. / 36.) < 1e-15);
      BOOST_TEST(squares.outline(i).cols() == 4);
      BOOST_TEST(neighbours(squares, i).size() == 4u);
      BOOST_TEST(!squares.is_cut(i));
    }
  BOOST_TEST(squares.outline(0).minCoeff() < 0.); // the first one sticks out of the box
  const VoronoiCells cubes(lattices::cubic(filled(unit_box(3)), placement(1. / 7.)), periodic(unit_box(3)));
  BOOST_TEST_REQUIRE(cubes.size() == 343);
  BOOST_TEST((cubes.description().find("343 of 343 translates of one") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(a_lone_sphere_is_its_own_neighbour)
{
  const VoronoiCells cells(spheres_at(Eigen::Vector2d(.2, .9), VectorXd::Constant(1, .1)), periodic(unit_box(2)));
  BOOST_TEST(std::abs(cells.volumes()(0) - 1.) < 1e-15);
  BOOST_TEST((neighbours(cells, 0) == std::set<int>{0}));
}

BOOST_AUTO_TEST_CASE(a_zone_is_refused)
{
  const auto domain = periodic(zone(unit_box(2), [](const VectorXd &x) { return x(0) < .5; }));
  BOOST_TEST(starts_with(
      complaint([&] { VoronoiCells(spheres_at(Eigen::Vector2d(.2, .9), VectorXd::Constant(1, .1)), domain); }), "the zone"));
}

BOOST_AUTO_TEST_CASE(simplices_between_images_fill_as_much_as_the_box)
{
  for (const Index dim : {1, 2, 3})
    {
      const auto                 domain = periodic(unit_box(dim));
      const PeriodicDelaunayMesh found  = periodic_delaunay_mesh(random_spheres(dim == 3 ? 3 : 4, dim), domain);
      double                     volume = 0.;
      for (Index s = 0; s < found.mesh.n_simplices(); ++s)
        {
          MatrixXd corners(dim, dim + 1);
          for (Index k = 0; k <= dim; ++k)
            corners.col(k) = found.images.spheres.r.col(found.mesh.corners[(dim + 1) * s + k]);
          volume += MatrixXd(corners.rightCols(dim).colwise() - corners.col(0)).determinant() / std::tgamma(dim + 1.);
        }
      BOOST_TEST(std::abs(volume - 1.) < 1e-12);
    }
  const auto square =
      periodic_delaunay_mesh(lattices::square(filled(unit_box(2)), placement(1. / 6.)), periodic(unit_box(2)));
  BOOST_TEST(square.mesh.n_simplices() == 72);
}

// v = Ũ and u = U, since D opens all contacts faster than w closes any: the distance is that of w from its cell means.
BOOST_AUTO_TEST_CASE(a_dilation_leaves_waves_alone)
{
  const auto domain = periodic(unit_box(2));
  const auto w      = at_points([](const double *x, double *values, Index) {
    values[0] = .01 * std::sin(2. * M_PI * x[0]);
    values[1] = 0.;
  });
  const auto of_n   = [&](const auto &lattice, const double n) {
    const macro::Setting problem = setting(domain, MatrixXd::Identity(2, 2), w);
    return study(packing(lattice(filled(domain), placement(1. / n)), problem, 1e-6), problem,
                   {reference(problem.U, macro::ConeType::square)}, StudyOptions());
  };
  std::vector<Level> levels;
  for (const double n : {8., 16., 32.})
    {
      levels.push_back(of_n(lattices::square, n));
      const Level &level = levels.back();
      BOOST_TEST_REQUIRE(level.effort.converged());
      BOOST_TEST(level.n_contacts == 2 * level.n_spheres);
      const double sinc  = std::sin(M_PI / n) / (M_PI / n);
      const double exact = .01 * std::sqrt(.5 * (1. - sinc * sinc));
      BOOST_TEST(std::abs(level.comparisons[0].error.value - exact) < 1e-5 * exact);
      BOOST_TEST(std::abs(level.comparisons[0].error.value - level.falk.interpolation) < 1e-9);
      BOOST_TEST((level.U_tilde - level.u_tilde).norm() == 0.);
      BOOST_TEST(level.comparisons[0].interpolant.value < .5 * exact);
      BOOST_TEST(level.of_fluctuations);
      BOOST_TEST(std::isnan(level.dissipated_fraction));
      BOOST_TEST(std::isnan(level.comparisons[0].defect));
      BOOST_TEST(std::isinf(level.direct_bound));
      BOOST_TEST(std::abs(level.scale - std::sqrt(1. / 6. + 2. * (-.01 / (2. * M_PI)) + .5e-4)) < 1e-6); // |x + w - mean|
      BOOST_TEST(level.n_cut == 0);
    }
  set_orders(levels);
  BOOST_TEST(std::abs(levels[2].comparisons[0].order - 1.) < .01);
}

// A row around a period, isotonic on both scales: where the wave falls faster than D lets it, it becomes a line
// -D (x - 1/2); without D nothing is left of it.
BOOST_AUTO_TEST_CASE(rows_around_a_period_tend_to_the_line)
{
  const auto wave = at_points([](const double *x, double *w, Index) { w[0] = .3 * std::sin(2. * M_PI * x[0]); });
  for (const double d : {.4, 0.})
    {
      const auto     domain              = periodic(unit_box(1));
      macro::Setting problem             = setting(domain, d > 0. ? MatrixXd::Constant(1, 1, d) : MatrixXd(), wave);
      problem.mesh.cells_per_unit_length = 512.;
      double low = 1e-6, l = .5; // .3 sin(2πl) = d l
      for (int halving = 0; halving < 60; ++halving)
        (.3 * std::sin(M_PI * (low + l)) > d * .5 * (low + l) ? low : l) = .5 * (low + l);
      const auto         u        = at_points([=](const double *x, double *values, Index) {
        const double at = x[0] - std::round(x[0] - .5) - .5;
        values[0]       = d * x[0] + (std::abs(at) <= l ? -d * at : -.3 * std::sin(2. * M_PI * at));
      });
      const Reference    computed = macroscopic_projection(problem, "automatic", {});
      std::vector<Level> levels;
      for (const int n : {16, 32, 64})
        {
          const micro::Spheres row =
              micro::lattices::row(n, .5 / n, Eigen::VectorXd::Constant(1, .25 / n)); // its first cell lies across the side
          levels.push_back(study(packing(row, problem, 1e-6), problem, {reference(u), computed}, StudyOptions()));
          const Level &level = levels.back();
          BOOST_TEST_REQUIRE(level.effort.converged());
          BOOST_TEST(level.certificate.guaranteed);
          BOOST_TEST(level.n_contacts == n);
          BOOST_TEST(level.comparisons[1].lower <= level.comparisons[0].error.value);
          BOOST_TEST(level.comparisons[0].error.value <= level.comparisons[1].upper);
          if (d == 0.)
            BOOST_TEST(level.comparisons[0].error.value < 1e-10);
        }
      set_orders(levels);
      if (d > 0.)
        BOOST_TEST(std::abs(levels[2].comparisons[0].order - 1.) < .05);
    }
}

BOOST_AUTO_TEST_CASE(lattices_follow_an_admissible_mean_gradient)
{
  const auto domain = periodic(unit_box(2));
  MatrixXd   D(2, 2);
  D << .3, .7, -.2, 0.; // e·De >= 0 along the axes
  const macro::Setting problem = setting(domain, D, nothing(2));
  const Level          level   = study(packing(lattices::square(filled(domain), placement(1. / 8.)), problem, 1e-6), problem,
                                       {reference(problem.U, macro::ConeType::square)}, StudyOptions());
  BOOST_TEST(level.u_tilde.norm() == 0.);
  BOOST_TEST(level.comparisons[0].error.value == 0.);
  BOOST_TEST(level.falk.bound < 1e-12);
  BOOST_TEST(level.face_violation == 0.);
  BOOST_TEST(std::abs(level.scale - std::sqrt((.09 + .49 + .04) / 12.)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(what_no_contact_lets_pass_is_refused)
{
  const auto           domain  = periodic(unit_box(2));
  const macro::Setting problem = setting(domain, -MatrixXd::Identity(2, 2), nothing(2));
  const Packing        squares = packing(lattices::square(filled(domain), placement(1. / 8.)), problem, 1e-6);
  const auto           words   = complaint([&] { study(squares, problem, {reference(problem.U)}, StudyOptions()); });
  BOOST_TEST((words.find("the mean gradient") != std::string::npos && words.find("squeezed") != std::string::npos));
}

// The same in full velocities: row by row until nothing changes, with b of images only.
BOOST_AUTO_TEST_CASE(fluctuations_solve_the_problem_of_velocities)
{
  const auto domain = periodic(unit_box(2));
  MatrixXd   D(2, 2);
  D << .4, .5, .3, .2;
  for (const auto &w : {nothing(2), waves()})
    {
      const macro::Setting problem = setting(domain, D, w);
      const Packing        packed  = packing(jammed(16, 5), problem, .2);
      StudyOptions         options;
      options.criterion.tolerance = 1e-10;
      const Level level           = study(packed, problem, {reference(problem.U)}, options);
      BOOST_TEST_REQUIRE(level.effort.converged());

      const MatrixXd of_D = D * packed.spheres.r;
      VectorXd       v    = level.U_tilde + of_D.reshaped();
      VectorXd       p    = VectorXd::Zero(packed.graph.n_contacts());
      for (int sweep = 0; sweep < 100000; ++sweep)
        for (Index c = 0; c < p.size(); ++c)
          {
            const micro::Contact &contact = packed.graph.contacts[c];
            const VectorXd        e = contact.e.head(2), L = packed.graph.displacement(contact);
            auto                  v_i = v.segment(2 * contact.i, 2), v_j = v.segment(2 * contact.j, 2);
            const double          m_i = packed.spheres.m(contact.i), m_j = packed.spheres.m(contact.j);
            const double closing = e.dot(v_i - v_j - D * L), change = std::max(-p(c), closing / (1. / m_i + 1. / m_j));
            p(c) += change;
            v_i -= change / m_i * e;
            v_j += change / m_j * e;
          }
      const VectorXd fluctuations = v - of_D.reshaped();
      BOOST_TEST(fluctuations.norm() > .01);
      BOOST_TEST((fluctuations - level.u_tilde).norm() < 1e-6 * fluctuations.norm());
      BOOST_TEST(violation(packed, level.u_tilde) < 1e-7);
      BOOST_TEST(level.momentum_defect < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(distances_do_not_know_where_the_box_begins)
{
  MatrixXd D(2, 2);
  D << .4, .5, .3, .2;
  const Eigen::Vector2d by(.3171, .7719);
  const micro::Spheres  spheres = jammed(30, 2);
  std::vector<Level>    levels;
  for (const bool moved : {false, true})
    {
      const auto     domain = periodic(unit_box(2));
      micro::Spheres there  = spheres;
      if (moved)
        {
          there.r.colwise() += by;
          there.r = geometry::wrapped(there.r, domain.lower, domain.upper, domain.periodic);
        }
      const auto of_place = [&](const geometry::Field &f) {
        return geometry::Field(
            [f, by, moved](const MatrixXd &x, MatrixXd &values) { f(moved ? MatrixXd(x.colwise() - by) : x, values); });
      };
      const macro::Setting problem = setting(domain, D, of_place(waves()));
      const auto           u       = at_points([](const double *x, double *values, Index) {
        values[0] = .1 * std::cos(2. * M_PI * x[1]);
        values[1] = .1 * std::sin(2. * M_PI * x[0]);
      });
      StudyOptions         options;
      options.windows             = {1, 4};
      options.criterion.tolerance = 1e-10;
      levels.push_back(
          study(packing(there, problem, .2), problem, {reference(geometry::with_mean_gradient(of_place(u), D))}, options));
    }
  const auto same = [&](const auto &number, const double tolerance) {
    BOOST_TEST(std::abs(number(levels[0]) - number(levels[1])) <= tolerance * std::abs(number(levels[0])));
  };
  same([](const Level &level) { return level.comparisons[0].error.value; }, 1e-5); // quadrature begins at other corners
  same([](const Level &level) { return level.comparisons[0].interpolant.value; }, 1e-5);
  same([](const Level &level) { return level.norm_v; }, 1e-7);
  same([](const Level &level) { return level.face_violation * 0. + level.falk.violation; }, 1e-6);
  BOOST_TEST(std::abs(levels[0].comparisons[0].coarse(0) - levels[1].comparisons[0].coarse(0)) < 1e-6);
}

// Windows are those of the box: of whole windows of a lattice the means are known.
BOOST_AUTO_TEST_CASE(windows_are_those_of_the_box)
{
  const auto     domain  = periodic(unit_box(2));
  micro::Spheres spheres = lattices::square(filled(domain), placement(1. / 8.));
  spheres.r.array() -= 1. / 16.; // cells stick out of the box
  const VoronoiCells cells(spheres, domain);
  VectorXd           v(2 * cells.size());
  v.setOnes();
  const auto     u     = at_points([](const double *x, double *values, Index) {
    values[0] = x[0] - std::floor(x[0]) < .5 ? 2. : 1.;
    values[1] = 1.;
  });
  const MatrixXd found = coarse_distances(cells, domain, v, {u}, {1, 2, 4});
  BOOST_TEST(std::abs(found(0, 0) - .5) < 1e-12);
  BOOST_TEST(std::abs(found(1, 0) - std::sqrt(.5)) < 1e-12);
  BOOST_TEST(std::abs(found(2, 0) - std::sqrt(.5)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(cones_say_which_gradients_they_let_pass)
{
  MatrixXd shear(2, 2), dilation = MatrixXd::Identity(2, 2);
  shear << 0., 1., 0., 0.;
  const auto dilatant = [](const double s) {
    return macro::dilatant_cone(
        2, [s](const MatrixXd &, MatrixXd &values) { values.setConstant(s); }, 16);
  };
  const auto circular = [](const double s) {
    return macro::circular_cone([s](const MatrixXd &, MatrixXd &values) { values.setConstant(s); });
  };
  BOOST_TEST(macro::why_not_admissible(macro::Cone(), shear).empty());
  BOOST_TEST(!macro::why_not_admissible(macro::Cone(), -dilation).empty());
  BOOST_TEST(macro::why_not_admissible(macro::lattice_cone(macro::ConeType::square, 0.), shear).empty());
  BOOST_TEST(!macro::why_not_admissible(macro::lattice_cone(macro::ConeType::square, 45.), shear).empty());
  // |dev D| = 1/√2, so that tr D = s is the border
  BOOST_TEST(macro::why_not_admissible(dilatant(.3), shear + .1501 * dilation).empty());
  BOOST_TEST(!macro::why_not_admissible(dilatant(.3), shear + .1499 * dilation).empty());
  BOOST_TEST(macro::why_not_admissible(circular(.3), shear + .1501 * dilation).empty());
  BOOST_TEST(!macro::why_not_admissible(circular(.3), shear + .1499 * dilation).empty());

  // between two walls across y what happens along y is free, but its mean dilation is 0
  const auto between = [](const macro::Cone &cone, const double xx, const double xy) {
    return macro::why_not_admissible(cone, (Eigen::Matrix2d() << xx, xy, 0., 0.).finished(), {false, true});
  };
  BOOST_TEST(between(macro::Cone(), 0., 5.).empty());
  BOOST_TEST(!between(macro::Cone(), -.1, 5.).empty());
  BOOST_TEST(between(macro::lattice_cone(macro::ConeType::square, 0.), .1, 5.).empty());
  BOOST_TEST(!between(macro::lattice_cone(macro::ConeType::square, 0.), -.1, 5.).empty());
  BOOST_TEST(!between(macro::lattice_cone(macro::ConeType::square, 45.), -.1, 5.).empty());
  BOOST_TEST(between(circular(.3), .1, 5.).empty());
  BOOST_TEST(!between(circular(1.), -.1, 0.).empty());
}

BOOST_AUTO_TEST_SUITE_END()
