// SPDX-License-Identifier: GPL-3.0-or-later
// Stresses of circular cones that are admissible in the continuous sense.
#include "macro/directional/pressure_limits.h"
#include "macro/directional/simplex_certificate.h"
#include "tests/macro/directional/dilatant_flows.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(circular_limits)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::macro;

namespace
{
const std::vector<Sides> choices_of_walls = {
    {}, {true, false, true, false, false, false}, {true, true, false, true, true, false}};

/// The unit cube, or what is left of it where a corner is cut off along diagonals of its cells.
DirectionalZone zone_of(const int dim, const double s, const Sides &walls, const bool is_cut)
{
  const BoxGrid     grid = box_grid(Vector::Zero(dim), Vector::Ones(dim), 3., Processes::alone());
  const SimplexMesh mesh = kuhn_subdivision(grid);
  std::vector<char> saturated(mesh.n_simplices(), 1);
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    saturated[t] = !is_cut || mesh.centroid(t)(0) - mesh.centroid(t)(1) < .4;
  return directional_zone(mesh, saturated, macro::circular_cone(constant(s)), grid, walls);
}

SimplexPressure random_stress(const DirectionalZone &zone, const SimplexEdges &edges, oracles::Random &random)
{
  const auto coefficients = [&](const Index n) -> Eigen::MatrixXd {
    Eigen::MatrixXd result = random.normals(zone.K * n).reshaped(zone.K, n);
    result.row(0).array() += 1.;
    return result;
  };
  return {coefficients(zone.grains.mesh.n_points()), coefficients(edges.ends.cols())};
}

template <class Visit>
void for_all_zones(const Visit &visit)
{
  for (const int dim : {2, 3})
    for (const double s : {0., .3, .5, .8, 1.})
      for (const Sides &walls : choices_of_walls)
        for (const bool is_cut : {false, true})
          visit(zone_of(dim, s, walls, is_cut), s);
}
} // namespace

// (v, div σ) is what it is by parts: no traction on free boundaries, one along the normal on walls, for any v; and the part
// of walls has the sign of v·n, since they push.
BOOST_AUTO_TEST_CASE(tractions_vanish_where_nothing_holds)
{
  for_all_zones([](const DirectionalZone &zone, double) {
    const int          dim   = zone.dim();
    const SimplexEdges edges = simplex_edges(zone.grains.mesh);
    oracles::Random    random(7);
    SimplexPressure    p = random_stress(zone, edges, random);
    pressure_limits(zone, edges)->limit(p);
    Vector v = random.normals(dim * zone.zone.mesh.n_points());
    for (const auto &[node, side] : nodes_on_walls(zone))
      v(dim * node + side / 2) = 0.; // what is along a wall must do no work
    const SimplexData data(zone, by_points([dim](const Vector &) -> Vector { return Vector::Zero(dim); }));
    const Rule        rule = simplex_rule(dim);
    double            left = 0., size = 0., by_parts = 0.;
    for (Index t = 0; t < zone.zone.mesh.n_simplices(); ++t)
      {
        const SimplexMatrix divergence = p.gradient(zone, edges, t);
        for (Index q = 0; q < rule.size(); ++q)
          {
            Vector velocity = Vector::Zero(dim);
            for (int i = 0; i <= dim; ++i)
              velocity += rule.points(i, q) * v.segment(dim * zone.zone.mesh.simplices(i, t), dim);
            const double product = velocity.dot(divergence * rule.points.col(q));
            left += zone.zone.volumes(t) * rule.weights(q) * product;
            size += zone.zone.volumes(t) * rule.weights(q) * std::abs(product);
          }
        by_parts -= zone.zone.volumes(t) * zone.derivatives(v, t).dot(p.means(zone, edges, t));
      }
    BOOST_TEST(std::abs(left - by_parts) <= 1e-12 * size);
    BOOST_TEST(size > 0.);

    // outwards at walls everywhere: what they do to it is not positive
    for (const auto &[node, side] : nodes_on_walls(zone))
      v(dim * node + side / 2) = side % 2 == 0 ? 1. : -1.;
    Eigen::MatrixXd   ignored;
    const SimplexPair pair(zone, edges, data, v, p);
    const double      inwards = integrals_of(pair, ignored).work[0];
    double            inside  = 0.;
    for (Index t = 0; t < zone.zone.mesh.n_simplices(); ++t)
      inside += 2. * zone.zone.volumes(t) * zone.derivatives(v, t).dot(p.means(zone, edges, t));
    BOOST_TEST(inwards - inside >= -1e-12 * size);
  });
}

// Limited coefficients lie in the polar cone and stay where they are limited again; no admissible ones are nearer: the
// angle between x - Px and y - Px is not acute.
BOOST_AUTO_TEST_CASE(limits_are_projections)
{
  for_all_zones([](const DirectionalZone &zone, const double s) {
    const SimplexEdges    edges  = simplex_edges(zone.grains.mesh);
    const auto            limits = pressure_limits(zone, edges);
    oracles::Random       random(11);
    const SimplexPressure x         = random_stress(zone, edges, random);
    SimplexPressure       projected = x;
    limits->limit(projected);
    SimplexPressure again = projected, y = random_stress(zone, edges, random);
    limits->limit(again);
    limits->limit(y);
    const auto check = [&](const Eigen::MatrixXd &of_x, const Eigen::MatrixXd &P, const Eigen::MatrixXd &PP,
                           const Eigen::MatrixXd &of_y) {
      BOOST_TEST((P - PP).cwiseAbs().maxCoeff() <= 1e-13);
      for (Index k = 0; k < P.cols(); ++k)
        {
          BOOST_TEST(P.col(k).tail(zone.K - 1).norm() <= circular_slope(zone.dim(), s) * P(0, k) + 1e-13);
          BOOST_TEST((of_x.col(k) - P.col(k)).dot(of_y.col(k) - P.col(k)) <= 1e-12);
        }
    };
    check(x.nodes, projected.nodes, again.nodes, y.nodes);
    check(x.edges, projected.edges, again.edges, y.edges);
  });
}

// A tension without shear is no stress that pushes, whatever s is.
BOOST_AUTO_TEST_CASE(tensions_vanish)
{
  for (const double s : {0., .3})
    {
      const DirectionalZone zone  = zone_of(2, s, {}, false);
      const SimplexEdges    edges = simplex_edges(zone.grains.mesh);
      SimplexPressure       p     = {Eigen::MatrixXd::Zero(zone.K, zone.grains.mesh.n_points()),
                                     Eigen::MatrixXd::Zero(zone.K, edges.ends.cols())};
      p.nodes.row(0).setConstant(-1.);
      p.edges.row(0).setConstant(-1.);
      pressure_limits(zone, edges)->limit(p);
      BOOST_TEST(p.nodes.isZero(0.));
      BOOST_TEST(p.edges.isZero(0.));
    }
}

// On a free side stresses along it are left above s = 1/2 in space, and none below, nor in the plane below s = 1.
BOOST_AUTO_TEST_CASE(stresses_along_free_sides_need_a_large_dilatancy)
{
  const auto largest_at_sides = [](const int dim, const double s) {
    const DirectionalZone zone  = zone_of(dim, s, {}, false);
    const SimplexEdges    edges = simplex_edges(zone.grains.mesh);
    oracles::Random       random(5);
    SimplexPressure       p = random_stress(zone, edges, random);
    pressure_limits(zone, edges)->limit(p);
    double largest = 0.;
    for (const Facet &facet : zone.zone.facets)
      for (int i = 0; i <= dim; ++i)
        if (facet.neighbour < 0 && i != facet.opposite)
          largest = std::max(largest, p.nodes.col(zone.grains.mesh.simplices(i, facet.simplex)).norm());
    return largest;
  };
  BOOST_TEST(largest_at_sides(3, .49) == 0.);
  BOOST_TEST(largest_at_sides(3, .6) > .1);
  BOOST_TEST(largest_at_sides(2, .99) == 0.);
  BOOST_TEST(largest_at_sides(2, 1.) > .1);
}

BOOST_AUTO_TEST_SUITE_END()
