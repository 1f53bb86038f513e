// SPDX-License-Identifier: GPL-3.0-or-later
// Under mpirun: levels of a study in parts, against those that one process has whole.
#include "homogenization/convergence_study.h"
#include "micro/lattices.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

BOOST_AUTO_TEST_SUITE(shared_levels)

using namespace moreau;
using namespace moreau::homogenization;

namespace
{
using Lattice = micro::Spheres (*)(const micro::lattices::Zone &, const micro::lattices::Placement &);

struct Case
{
  Lattice         lattice;
  macro::ConeType cone;
  Vector          upper; ///< corner of the box; the lower one is 0
  double          spacing;
  double          vacancies = 0., angle = 0.;
  bool (*inside)(const Eigen::VectorXd &x) = nullptr; ///< of the zone; null: all of the box
  double filled                            = 1.;      ///< part of the last extent of the box with spheres in it

  macro::Setting setting() const
  {
    macro::Setting setting;
    setting.domain.lower    = Vector::Zero(upper.size());
    setting.domain.upper    = upper;
    setting.cone            = macro::lattice_cone(cone, angle);
    setting.cone.directions = macro::lattice_directions(cone, angle);
    if (inside)
      {
        setting.domain.uniform = false;
        setting.domain.density = [in = inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
          density.resize(1, x.cols());
          for (Index k = 0; k < x.cols(); ++k)
            density(0, k) = in(x.col(k)) ? 1. : 0.;
        };
      }
    setting.mesh.cells_per_unit_length = 8.;
    setting.U                          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
      U.resize(x.rows(), x.cols());
      for (Index k = 0; k < x.cols(); ++k)
        for (Index a = 0; a < x.rows(); ++a)
          U(a, k) = a == 0 ? x(0, k) * (1.3 - x(0, k)) + (x(1, k) > .37 ? .1 : 0.) : std::sin(3. * x(1, k) * x(0, k));
    };
    return setting;
  }

  micro::Spheres spheres(const int part, const int n_parts) const
  {
    micro::lattices::Placement placement;
    placement.spacing   = spacing;
    placement.vacancies = vacancies;
    placement.part      = part;
    placement.n_parts   = n_parts;
    placement.angle     = angle;
    micro::lattices::Zone zone{Vector::Zero(upper.size()), upper};
    zone.upper.tail<1>() *= filled;
    if (inside)
      zone.contains = inside;
    return lattice(zone, placement);
  }

  Packing whole() const
  {
    micro::Spheres all   = spheres(0, 1);
    auto           graph = micro::contact_graph(all, {}, 1e-6);
    return Packing(std::move(all), {}, std::move(graph), setting().domain);
  }

  std::optional<Packing> in_parts(const geometry::Processes &world) const
  {
    return packing_in_parts(spheres(world.rank(), world.size()), {}, setting().domain, {1e-6}, world);
  }
};

const Case square     = {micro::lattices::square, macro::ConeType::square, Eigen::Vector2d(1., 1.), 1. / 140.};
const Case vacancies  = {micro::lattices::square, macro::ConeType::square, Eigen::Vector2d(1., 1.), 1. / 140., .08};
const Case triangular = {micro::lattices::triangular, macro::ConeType::triangular, Eigen::Vector2d(1.003, .9), 1. / 140.};
const Case cubic      = {micro::lattices::cubic, macro::ConeType::cubic, Eigen::Vector3d(1., 1., .9), 1. / 27.};
const Case face_centred_cubic = {micro::lattices::face_centred_cubic, macro::ConeType::face_centred_cubic,
                                 Eigen::Vector3d(1., .8, 1.), 1. / 24., .02};

// with cells and Delaunay simplices as wide as the box: zones that are cut out of it, hulls with steps, empty parts
bool lies_in_ring(const Eigen::VectorXd &x)
{
  const double r = (x.array() - .5).matrix().norm();
  return .15 < r && r < .48;
}
bool lies_in_wedge(const Eigen::VectorXd &x) { return x(1) > .03 + .4 * x(0) && x(1) < .97 - .2 * x(0); }
bool lies_in_ball(const Eigen::VectorXd &x) { return (x.array() - .5).matrix().norm() < .45; }

const Case ring = {
    micro::lattices::triangular, macro::ConeType::triangular, Eigen::Vector2d(1., 1.), 1. / 170., 0., 0., lies_in_ring};
const Case wedge = {
    micro::lattices::square, macro::ConeType::square, Eigen::Vector2d(1., 1.), 1. / 190., 0., .3, lies_in_wedge};
const Case rotated    = {micro::lattices::square, macro::ConeType::square, Eigen::Vector2d(1., 1.), 1. / 140., .03, .2};
const Case ball       = {micro::lattices::face_centred_cubic,
                         macro::ConeType::face_centred_cubic,
                         Eigen::Vector3d(1., 1., 1.),
                         1. / 35.,
                         0.,
                         0.,
                         lies_in_ball};
const Case half_empty = {
    micro::lattices::square, macro::ConeType::square, Eigen::Vector2d(1., 1.), 1. / 190., 0., 0., nullptr, .6};
const Case cubes = {
    micro::lattices::cubic, macro::ConeType::cubic, Eigen::Vector3d(1., 1., 1.), 1. / 29., .01, .3, nullptr, .8};

std::set<Index> places(const VoronoiCells &cells, const Index i)
{
  std::set<Index> result;
  const auto [first, last] = cells.neighbours(i);
  for (const int *j = first; j != last; ++j)
    result.insert(*j == VoronoiCells::box ? -1 : cells.spheres().place_of(*j));
  return result;
}

/// The least distance of each vertex of a from the vertices of b, at most.
double apart(const Eigen::MatrixXd &a, const Eigen::MatrixXd &b)
{
  double most = 0.;
  for (Index k = 0; k < a.cols(); ++k)
    most = std::max(most, (b.colwise() - a.col(k)).colwise().norm().minCoeff());
  return most;
}

bool close(const double a, const double b, const double tolerance = 1e-9)
{
  return a == b || std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-3});
}
} // namespace

BOOST_AUTO_TEST_CASE(cells_in_parts_are_those_of_all)
{
  const geometry::Processes world(MPI_COMM_WORLD);
  const std::vector<Case>   cases = {square,  vacancies, triangular, cubic, face_centred_cubic, ring, wedge,
                                     rotated, ball,      half_empty, cubes};
  for (const Case &tested : cases)
    {
      BOOST_TEST_INFO_SCOPE("case " << &tested - cases.data());
      // of spacing^d: a curved boundary is found on simplices, which depend on where a cell begins
      const double  rounding = tested.inside == lies_in_ring ? 1e-4 : tested.inside == lies_in_ball ? 3e-2 : 1e-11;
      const Packing whole    = tested.whole();
      const auto    parts    = tested.in_parts(world);
      BOOST_TEST_REQUIRE(parts.has_value());
      const VoronoiCells &cells = parts->cells;
      BOOST_TEST(parts->n_spheres() == whole.cells.size());
      BOOST_TEST(parts->n_contacts() == whole.n_contacts());
      const Index dim     = cells.dimension();
      int         n_wrong = 0, n_other_volumes = 0;
      for (Index i = 0; i < cells.size(); ++i)
        {
          const Index place = cells.spheres().place_of(i);
          n_wrong += parts->spheres.r.col(i) != whole.spheres.r.col(place) ||
                     places(cells, i) != places(whole.cells, place) || cells.is_cut(i) != whole.cells.is_cut(place) ||
                     apart(cells.outline(i), whole.cells.outline(place)) > 1e-12 ||
                     cells.has_pieces(i) != whole.cells.has_pieces(place);
          n_other_volumes += !(std::abs(cells.volumes()(i) - whole.cells.volumes()(place)) <=
                               rounding * std::pow(tested.spacing, static_cast<double>(dim)));
        }
      BOOST_TEST(n_wrong == 0);
      BOOST_TEST(n_other_volumes == 0);
      BOOST_TEST(std::abs(cells.volume_error() - whole.cells.volume_error()) <= .1 * whole.cells.volume_error());
      if (world.size() > 1)
        BOOST_TEST(cells.size() < whole.cells.size());
      if (tested.vacancies == 0. && dim == 2) // copies of others: some lines around each process, the boundary
        BOOST_TEST(static_cast<double>(world.sum(parts->spheres.size())) <
                   ((tested.inside ? 2. : 1.5) + .05 * std::max(0, world.size() - 3)) *
                       static_cast<double>(whole.cells.size()));

      // each simplex is with one process
      const DelaunayMesh all  = delaunay_mesh(whole.spheres, tested.setting().domain);
      const auto        &some = parts->parts->mesh;
      BOOST_TEST_REQUIRE(some.has_value());
      BOOST_TEST(world.sum(some->n_simplices()) == all.n_simplices());
      std::set<std::set<Index>> known;
      for (Index s = 0; s < all.n_simplices(); ++s)
        known.emplace(all.corners.begin() + (dim + 1) * s, all.corners.begin() + (dim + 1) * (s + 1));
      int n_unknown = 0;
      for (Index s = 0; s < some->n_simplices(); ++s)
        {
          std::set<Index> corners;
          for (Index k = 0; k <= dim; ++k)
            corners.insert(cells.spheres().place_of(some->corners[(dim + 1) * s + k]));
          n_unknown += known.erase(corners) == 0;
        }
      BOOST_TEST(n_unknown == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_level_in_parts_is_that_of_one_process)
{
  const geometry::Processes world(MPI_COMM_WORLD);
  StudyOptions              options;
  options.windows = {2, 3};
  for (const Case &tested : {square, cubic, wedge})
    {
      options.nonconforming        = tested.angle == 0.; // a projection on a mesh, which takes long
      const macro::Setting setting = tested.setting();
      Reference            reference;
      reference.name = "closed form"; // of something else: distances are to be the same
      reference.cone = setting.cone;
      reference.u    = [&](const Eigen::MatrixXd &x, Eigen::MatrixXd &u) {
        setting.U(x, u);
        u.row(0) = u.row(0).cwiseMin(.3);
      };
      const auto parts = tested.in_parts(world);
      BOOST_TEST_REQUIRE(parts.has_value());
      const Packing whole = tested.whole();
      const Level   a = study(*parts, setting, {reference}, options), b = study(whole, setting, {reference}, options);
      BOOST_TEST(a.effort.converged());
      BOOST_TEST(a.n_cut == b.n_cut);
      BOOST_TEST(a.radius == b.radius);
      const auto same = [&](const double of_parts, const double of_whole, const double tolerance = 1e-6) {
        BOOST_TEST(close(of_parts, of_whole, tolerance), of_parts << " is not " << of_whole);
      };
      same(a.zone_volume, b.zone_volume);
      same(a.scale, b.scale, 1e-4);
      same(a.norm_U, b.norm_U, 1e-4);
      same(a.norm_U_tilde, b.norm_U_tilde);
      same(a.norm_v, b.norm_v);
      same(a.momentum_before(0), b.momentum_before(0));
      same(a.momentum_after(1), b.momentum_after(1));
      same(a.momentum_defect_of_u, b.momentum_defect_of_u, 1e-4);
      same(a.face_violation, b.face_violation);
      same(a.shifted_violation, b.shifted_violation);
      same(a.direct_bound, b.direct_bound, 2e-2);
      same(a.falk.violation, b.falk.violation, 1e-4);
      same(a.falk.violation_inside, b.falk.violation_inside, 1e-4);
      same(a.falk.consistency, b.falk.consistency, 1e-3);
      same(a.comparisons[0].error.value, b.comparisons[0].error.value, 1e-3);
      same(a.comparisons[0].interpolant.value, b.comparisons[0].interpolant.value, 1e-3);
      for (Index k = 0; k < 2; ++k)
        same(a.comparisons[0].coarse(k), b.comparisons[0].coarse(k), 1e-3);
      // sphere by sphere
      const Index dim   = setting.dim();
      double      worst = 0.;
      for (Index i = 0; i < parts->cells.size(); ++i)
        {
          const Index place = parts->cells.spheres().place_of(i);
          worst = std::max({worst, (a.U_tilde.segment(dim * i, dim) - b.U_tilde.segment(dim * place, dim)).norm(),
                            (a.u_tilde.segment(dim * i, dim) - b.u_tilde.segment(dim * place, dim)).norm()});
        }
      BOOST_TEST(worst < 1e-5);
    }
}

BOOST_AUTO_TEST_CASE(what_is_left_to_those_who_have_all_of_it)
{
  const geometry::Processes world(MPI_COMM_WORLD);
  Case                      few = square;
  few.spacing                   = 1. / 100.;
  BOOST_TEST(!few.in_parts(world).has_value());
  // all cells are wider than spheres that are shared can see
  micro::Spheres small = square.spheres(world.rank(), world.size());
  small.R *= .04;
  BOOST_TEST(!packing_in_parts(small, {}, square.setting().domain, {1e-6}, world).has_value());
  small   = square.spheres(world.rank(), world.size());
  small.R = small.R.cwiseProduct(Vector::LinSpaced(small.size(), .9, 1.));
  BOOST_TEST(!packing_in_parts(small, {}, square.setting().domain, {1e-6}, world).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
