// SPDX-License-Identifier: GPL-3.0-or-later
// Jumps of U along lines of the mesh: velocities on triangles are torn there.
#include "macro/directional/torn_velocity.h"

#include "macro/directional/inner_approximation.h"
#include "macro/directional/outer_approximation.h"
#include "macro/directional/pressure_limits.h"
#include "tests/macro/cut_zones.h"
#include "tests/oracles.h"

#include <cmath>

BOOST_AUTO_TEST_SUITE(torn_velocity)

using namespace moreau;
using namespace moreau::macro;

namespace
{
Vector parting(const Vector &x) { return x(0) < .5 ? vector(-.5, -.1) : vector(.5, .1); }

Vector wave(const Vector &x) { return vector(.2 * std::sin(5. * x(1)), .2 * std::cos(4. * x(0))); }

Setting on_triangles(const ConeType type, const double angle, const double n, const Function &U)
{
  return unit_cube(type, angle, n, U, Alignment::box);
}

DirectionalZone whole_box(const Setting &setting)
{
  const BoxGrid grid =
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone());
  const SimplexMesh mesh = kuhn_subdivision(grid);
  return directional_zone(mesh, std::vector<char>(mesh.n_simplices(), 1), setting.cone, grid, setting.domain.walls);
}
} // namespace

BOOST_AUTO_TEST_CASE(bodies_that_part_along_a_line_of_the_mesh_keep_their_velocities)
{
  for (const auto &[type, angle] : {std::pair(ConeType::triangular, 10.), std::pair(ConeType::square, 17.)})
    for (const double n : {4., 16.})
      {
        const Projected result(on_triangles(type, angle, n, parting));
        BOOST_TEST(result.energy() == .13, boost::test_tools::tolerance(1e-7));
        BOOST_TEST(result.bound.guaranteed);
        BOOST_TEST(result.bound.relative <= 1e-6);
      }
}

BOOST_AUTO_TEST_CASE(bodies_that_part_in_space_keep_their_velocities)
{
  const Projected result(on_triangles(ConeType::face_centred_cubic, 0., 4.,
                                      [](const Vector &x) { return x(2) < .5 ? vector(0., 0., -.5) : vector(0., 0., .5); }));
  BOOST_TEST(result.energy() == .125, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(result.bound.relative <= 1e-6);
}

BOOST_AUTO_TEST_CASE(bodies_that_part_along_a_plane_of_the_face_centred_lattice_keep_their_velocities)
{
  const double cells = 4. * std::sqrt(.5); // four cubes along an edge
  for (const double wave_height : {0., .1})
    {
      const Projected result(unit_cube(ConeType::face_centred_cubic, 0., cells, [=](const Vector &x) {
        return vector(wave_height * std::sin(5. * x(1)), 0., x(2) < .5 ? -.5 : .5);
      }));
      BOOST_TEST(result.bound.available);
      if (wave_height == 0.)
        {
          BOOST_TEST(result.energy() == .125, boost::test_tools::tolerance(1e-7));
          BOOST_TEST(result.bound.guaranteed);
        }
      BOOST_TEST(result.bound.relative <= (wave_height == 0. ? 1e-6 : .1)); // .4 where velocities are continuous
    }
}

// A side of cubes, and a closest packed plane, between two halves of a ball that ends within tetrahedra.
BOOST_AUTO_TEST_CASE(halves_of_a_ball_part_along_planes_of_the_face_centred_lattice)
{
  constexpr Index half      = 4; // sides of cubes
  const Inside    ball      = [](const Vector &x) { return x.norm() < .45; };
  const Vector    normals[] = {vector(0., 0., 1.), vector(1., 1., 1.) / std::sqrt(3.)};
  for (const Vector &n : normals)
    for (const double wave_height : {0., .1})
      {
        const Function U = [&](const Vector &x) -> Vector {
          return (x.dot(n) < 1e-9 ? -.5 : .5) * n + wave_height * vector(std::sin(5. * x(1)), std::cos(3. * x(2)), 0.);
        };
        const Projected result(
            centred(in_zone(unit_cube(ConeType::face_centred_cubic, 0., 2. * half * std::sqrt(.5), U), ball)));
        BOOST_TEST(result.bound.available);
        BOOST_TEST(result.bound.relative <= (wave_height == 0. ? 1e-6 : .016)); // .7 where velocities are continuous
        if (wave_height == 0.)
          BOOST_TEST(result.energy() == .125 * result.volume(), boost::test_tools::tolerance(1e-7));
      }
}

// (BM, Fig. 6): rows stop, columns slip along each other.
BOOST_AUTO_TEST_CASE(columns_of_blocks_at_45_degrees_slip)
{
  const double s = std::sqrt(.5);
  for (const double n : {8., 32.})
    {
      const Projected result(on_triangles(ConeType::square, 0., n,
                                          [s](const Vector &x) -> Vector { return (x(0) < .5 ? 1. : -1.) * vector(s, s); }));
      BOOST_TEST(result.energy() == .25, boost::test_tools::tolerance(1e-5));
      BOOST_TEST(result.bound.guaranteed);
      BOOST_TEST(result.bound.relative <= .003); // .20 and .10 where velocities are continuous
    }
}

BOOST_AUTO_TEST_CASE(bounds_of_a_jump_with_a_wave_are_those_of_the_wave)
{
  for (const auto &[n, most] : {std::pair(8., .045), std::pair(32., .018)}) // .28 and .15 where velocities are continuous
    {
      const Projected result(
          on_triangles(ConeType::square, 17., n, [](const Vector &x) -> Vector { return parting(x) + wave(x); }));
      BOOST_TEST(result.bound.available);
      BOOST_TEST(result.bound.relative <= most);
    }
}

BOOST_AUTO_TEST_CASE(only_jumps_with_an_admissible_part_tear)
{
  const auto n_torn = [](const ConeType type, const Function &U) {
    const Setting         setting = on_triangles(type, 0., 8., U);
    const DirectionalZone zone    = whole_box(setting);
    return torn_where_U_jumps(zone, SimplexData(zone, setting.U)).torn.size();
  };
  const auto closing  = [](const Vector &x) -> Vector { return -parting(x); };
  const auto head_on  = [](const Vector &x) { return vector(x(0) < .5 ? 1. : -1., 0.); };
  const auto slipping = [](const Vector &x) { return vector(0., x(0) < .5 ? 1. : -1.); };
  const auto inside   = [](const Vector &x) { return vector(x(0) < .43 ? -1. : 1., 0.); };
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      BOOST_TEST(n_torn(type, parting) == 8u);
      BOOST_TEST(n_torn(type, head_on) == 0u);
      BOOST_TEST(n_torn(type, wave) == 0u);
      BOOST_TEST(n_torn(type, inside) == 0u); // within cells
    }
  BOOST_TEST(n_torn(ConeType::square, slipping) == 8u);
  BOOST_TEST(n_torn(ConeType::square, closing) == 8u); // what slips is left
  BOOST_TEST(n_torn(ConeType::triangular, closing) == 0u);
}

BOOST_AUTO_TEST_CASE(rows_of_torn_facets_let_bodies_part_and_not_meet)
{
  const Setting                   setting = on_triangles(ConeType::triangular, 10., 8., parting);
  const DirectionalZone           zone    = whole_box(setting);
  const SimplexData               data(zone, setting.U);
  const DirectionalZone           torn    = torn_where_U_jumps(zone, data);
  const convex::ProjectionProblem problem = inner_approximation(torn, data.nodal_means(torn));
  Vector                          Bv(problem.n_constraints());
  problem.B->apply(problem.U, Bv);
  BOOST_TEST(Bv.maxCoeff() <= 1e-12);
  BOOST_TEST(Bv.minCoeff() < -.1);
  problem.B->apply(problem.expansion.w, Bv);
  BOOST_TEST(Bv.maxCoeff() < 0.); // opens all
}

// 2<-Bv, p> by the certificate, jumps included, is -2(v, B*p).
BOOST_AUTO_TEST_CASE(pressures_do_to_jumps_what_integration_by_parts_says)
{
  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      const Setting                     setting = on_triangles(type, 10., 6., parting);
      const DirectionalZone             zone    = whole_box(setting);
      const SimplexData                 data(zone, setting.U);
      const DirectionalZone             torn  = torn_where_U_jumps(zone, data);
      const SimplexEdges                edges = simplex_edges(zone.grains.mesh);
      const Eigen::SparseMatrix<double> rays  = pressure_rays(zone);
      oracles::Random                   random(7);
      const SimplexPressure             p    = quadratic_pressure(zone, edges, *pressure_limits(zone, edges),
                                                                  outer_pressures(zone, rays, random.normals(rays.cols()).cwiseAbs()));
      const Vector                      v    = random.normals(2 * torn.zone.mesh.n_points());
      const Rule                        rule = simplex_rule(2);
      double                            left = 0.;
      for (Index t = 0; t < torn.zone.mesh.n_simplices(); ++t)
        {
          const SimplexMatrix Bp = p.gradient(zone, edges, t);
          SimplexMatrix       of_v(2, 3);
          for (int i = 0; i < 3; ++i)
            of_v.col(i) = v.segment(2 * torn.zone.mesh.simplices(i, t), 2);
          for (Index q = 0; q < rule.size(); ++q)
            left += zone.zone.volumes(t) * rule.weights(q) *
                    Vector(of_v * rule.points.col(q)).dot(Vector(Bp * rule.points.col(q)));
        }
      Eigen::MatrixXd ignored;
      const double    right = -.5 * integrals_of(SimplexPair(torn, edges, data, v, p), ignored).work[0];
      BOOST_TEST(torn.zone.mesh.n_points() > zone.zone.mesh.n_points());
      BOOST_TEST(left == right, boost::test_tools::tolerance(1e-11));
    }
}

// The line x = √3/4 is one of the lattice at 30 degrees; the sides of the unit square cut its triangles.
BOOST_AUTO_TEST_CASE(bodies_that_part_along_a_line_of_the_triangular_lattice_keep_their_velocities)
{
  const auto side    = [](const Vector &x) { return x(0) < .25 * root_3 ? -1. : 1.; };
  const auto jump_of = [&](const double a, const double n) {
    return Projected(
        unit_cube(ConeType::triangular, 30., n, [=](const Vector &x) { return vector(a * side(x), .1 * side(x)); }));
  };
  for (const double n : {8., 32.})
    {
      const Projected parting = jump_of(.5, n);
      BOOST_TEST(parting.energy() == .13, boost::test_tools::tolerance(1e-4)); // the measure of cut triangles
      BOOST_TEST(parting.bound.available);
      BOOST_TEST(parting.bound.relative <= 1e-3); // .4 and .2 where velocities are continuous
    }
  // with a wave, and where bodies part in places only
  const Function waving  = [=](const Vector &x) -> Vector { return vector(.5 * side(x), .1 * side(x)) + wave(x); };
  const Function strange = [=](const Vector &x) {
    return side(x) < 0. ? vector(-.5, .1 + x(1)) : vector(.5 * std::cos(9. * x(1)), .1 - x(1));
  };
  for (const auto &[U, most] : {std::pair(waving, .0035), std::pair(strange, .025)})
    {
      const Projected coarse(unit_cube(ConeType::triangular, 30., 8., U)),
          fine(unit_cube(ConeType::triangular, 30., 32., U));
      BOOST_TEST(fine.bound.relative <= most);
      BOOST_TEST(order(coarse.bound.eta, fine.bound.eta, 4.) >= 1.);
      const auto u = [&fine](const Vector &x) -> Vector {
        Eigen::MatrixXd at = x, value(2, 1);
        fine.mesh->velocity(fine.x)(at, value);
        return value;
      };
      const Rule      rule = gauss_rule(2, 2, 48);
      Eigen::MatrixXd v(2, rule.size());
      coarse.mesh->velocity(coarse.x)(rule.points, v);
      double squared = 0.;
      for (Index q = 0; q < rule.size(); ++q)
        squared += rule.weights(q) * (v.col(q) - u(rule.points.col(q))).squaredNorm();
      BOOST_TEST(std::sqrt(squared) <= coarse.bound.eta);
    }
}

BOOST_AUTO_TEST_CASE(only_jumps_on_lines_of_the_triangular_lattice_tear_it)
{
  const auto n_nodes = [](const Function &U, const Sides &walls) {
    Setting setting      = unit_cube(ConeType::triangular, 30., 8., U);
    setting.domain.walls = walls;
    return discretize(setting)->problem().n_unknowns() / 2;
  };
  const auto jumps_at = [](const double x, const double a) {
    return [=](const Vector &at) { return vector(at(0) < x ? -a : a, .1); };
  };
  const Index  whole   = n_nodes(wave, {});
  const double on_line = .25 * root_3;
  BOOST_TEST(n_nodes(jumps_at(on_line, .5), {}) >= whole + 8);
  BOOST_TEST(n_nodes(jumps_at(on_line + .01, .5), {}) == whole);
  BOOST_TEST(n_nodes(jumps_at(on_line, -.5), {}) == whole); // head on
  const Sides one_wall = {true}, facing = {true, true};
  BOOST_TEST(n_nodes(jumps_at(on_line, .5), one_wall) >= whole + 6);
  BOOST_TEST(n_nodes(jumps_at(on_line, .5), facing) == n_nodes(wave, facing));
}

BOOST_AUTO_TEST_SUITE_END()
