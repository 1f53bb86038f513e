// SPDX-License-Identifier: GPL-3.0-or-later
// Which mean velocity gradients the contacts of periodic packings let pass.
#include "micro/network/contact_cone.h"

#include "convex/input_error.h"
#include "micro/contact_constraint.h"
#include "micro/lattices.h"
#include "micro/network/coordination.h"
#include "micro/packings.h"

#include <Eigen/Eigenvalues>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

BOOST_AUTO_TEST_SUITE(contact_cone)

using namespace moreau;
using micro::ConeEdge;
using micro::ContactGraph;
using micro::Index;
using micro::PeriodicBox;
using micro::Spheres;
using micro::Vector;

namespace utf = boost::unit_test;

namespace
{
constexpr double tolerance = 1e-6;

struct Network
{
  Spheres      spheres;
  ContactGraph graph;
};

Network network(const Spheres &spheres, const Vector &period, const double contact_tolerance = 1e-6)
{
  return {spheres, micro::contact_graph(spheres, {}, contact_tolerance, {Vector::Zero(period.size()), period})};
}

using Make = Spheres (*)(const micro::lattices::Zone &, const micro::lattices::Placement &);

/// n sites along x in a box of length 1; an even number of rows.
Network triangular(const int n, const double vacancies = 0., const unsigned int seed = 1,
                   const Make make = micro::lattices::triangular)
{
  const Vector          period = Eigen::Vector2d(1., n * std::sqrt(.75) / n);
  micro::lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = period.array() - .01 / n; // no site twice
  micro::lattices::Placement placement;
  placement.spacing   = 1. / n;
  placement.anchor    = Vector::Zero(2);
  placement.vacancies = vacancies;
  placement.seed      = seed;
  return network(make(zone, placement), period);
}

Network square(const int n)
{
  micro::lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = Vector::Ones(2);
  micro::lattices::Placement placement;
  placement.spacing = 1. / n;
  return network(micro::lattices::square(zone, placement), zone.upper);
}

/// Jammed discs of radii ± 20 % in a periodic square.
const Spheres &jammed()
{
  static const Spheres spheres = [] {
    micro::PackingParameters parameters;
    parameters.lower    = Vector::Zero(2);
    parameters.upper    = Vector::Ones(2);
    parameters.periodic = {true, true};
    parameters.n        = 120;
    parameters.spread   = .2;
    return micro::random_packing(parameters).spheres;
  }();
  return spheres;
}

std::vector<ConeEdge> edges_of(const Network &x, const int n = 12)
{
  return micro::contact_cone(x.spheres, x.graph, micro::plane_deviators(n), tolerance);
}

/// Both bounds, recomputed from the stress and the fluctuation alone.
void check_bounds(const Network &x, const ConeEdge &edge)
{
  BOOST_TEST(edge.converged);
  const micro::ContactConstraint B(x.graph);
  Vector                         Btp(B.n_unknowns()), Bw(B.n_constraints());
  B.apply_transpose(edge.stress, Btp);
  B.apply(edge.fluctuation, Bw);
  BOOST_TEST(edge.stress.minCoeff() >= 0.);
  BOOST_TEST(Btp.norm() < 1e-6 * edge.stress.norm());
  double lower = 0., sum = 0., upper = -10.;
  for (Index c = 0; c < x.graph.n_contacts(); ++c)
    {
      const micro::Contact &contact = x.graph.contacts[c];
      const Vector          e       = contact.e.head(x.graph.dim);
      const double          l = x.spheres.R(contact.i) + x.spheres.R(contact.j) + contact.D, a = e.dot(edge.deviator.A * e);
      lower -= edge.stress(c) * l * a;
      sum += edge.stress(c) * l;
      upper = std::max(upper, Bw(c) / l - a);
    }
  BOOST_TEST(std::abs(sum - 1.) < 1e-12);
  BOOST_TEST(std::abs(lower - edge.imbalance - edge.lower) < 1e-9);
  BOOST_TEST(std::abs(upper - edge.upper) < 1e-9);
  BOOST_TEST(edge.lower <= edge.upper + 1e-12);
}

/// Rows at 0, 60 and 120 degrees must not get shorter: s = 1/2 along a row, 1 across it.
void check_rows_of_triangles(const Network &x)
{
  for (const ConeEdge &edge : edges_of(x))
    {
      double s = -1.;
      for (const double row : {0., 60., 120.})
        s = std::max(s, -std::cos(2. * (row - edge.deviator.angle) * M_PI / 180.));
      BOOST_TEST(std::abs(edge.s() - s) < 1e-6);
      check_bounds(x, edge);
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(triangular_lattice)
{
  const Network x = triangular(8);
  BOOST_TEST(x.graph.n_contacts() == 3 * 64);
  check_rows_of_triangles(x);
}

// Rows are broken everywhere, and impulses that balance are equal at the three contacts of every disc: a pressure.
BOOST_AUTO_TEST_CASE(honeycomb_lattice)
{
  const Network x = triangular(12, 0., 1, micro::lattices::honeycomb);
  BOOST_TEST(x.graph.n_contacts() == 3 * 96 / 2);
  BOOST_TEST(micro::n_self_stresses(x.graph) == 1);
  for (const ConeEdge &edge : edges_of(x))
    {
      BOOST_TEST(std::abs(edge.s()) < 1e-6);
      check_bounds(x, edge);
    }
}

// Every second row of the triangular lattice is whole, in all three directions.
BOOST_AUTO_TEST_CASE(kagome_lattice)
{
  const Network x = triangular(12, 0., 1, micro::lattices::kagome);
  BOOST_TEST(x.graph.n_contacts() == 4 * 108 / 2);
  check_rows_of_triangles(x);
}

BOOST_AUTO_TEST_CASE(square_lattice)
{
  const Network x = square(7);
  for (const ConeEdge &edge : edges_of(x, 8))
    {
      BOOST_TEST(std::abs(edge.s() - std::abs(std::cos(edge.deviator.angle * M_PI / 90.))) < 1e-6);
      check_bounds(x, edge);
    }
}

// One row that goes around the box is enough for the cone of the whole lattice.
BOOST_AUTO_TEST_CASE(an_intact_row_is_as_good_as_a_lattice)
{
  Network x = triangular(8);
  // all but the row at y = 0, some sites of which have lost their neighbours
  std::vector<Index> kept;
  for (Index i = 0; i < x.spheres.size(); ++i)
    if (x.spheres.r(1, i) < .05 || i % 3 > 0)
      kept.push_back(i);
  x = network({x.spheres.r(Eigen::all, kept), x.spheres.R(kept), x.spheres.m(kept)}, x.graph.box.period);
  const std::vector<ConeEdge> edges = edges_of(x, 2); // longer along x; across it
  BOOST_TEST(std::abs(edges[1].s() - 1.) < 1e-6);
}

BOOST_AUTO_TEST_CASE(too_many_vacancies_leave_no_stress)
{
  const Network x = triangular(12, .4, 3);
  for (const ConeEdge &edge : edges_of(x, 4))
    {
      BOOST_TEST(edge.converged);
      BOOST_TEST(!edge.has_stress);
      BOOST_TEST(std::isnan(edge.imbalance)); // there is no p
      BOOST_TEST(edge.stress.isZero());
    }
}

// Whether a stress is balanced does not depend on the direction, and no bound passes the other.
BOOST_AUTO_TEST_CASE(many_vacancies_leave_a_stress_in_all_directions_or_in_none)
{
  int n_without = 0;
  for (unsigned int seed = 1; seed <= 8; ++seed)
    {
      const std::vector<ConeEdge> edges = edges_of(triangular(40, .2, seed), 4);
      n_without += !edges[0].has_stress;
      for (const ConeEdge &edge : edges)
        {
          BOOST_TEST(edge.converged);
          BOOST_TEST(edge.has_stress == edges[0].has_stress);
          if (edge.has_stress)
            BOOST_TEST(edge.lower <= edge.upper);
        }
    }
  BOOST_TEST(n_without >= 4);
}

// One self-stress, K is a half-space: s(angle) is a pure second harmonic, with mean 0.
BOOST_AUTO_TEST_CASE(isostatic_packings_resist_pressure_alone)
{
  const Network             x = network(jammed(), Vector::Ones(2));
  const micro::Coordination c = micro::coordination(x.graph);
  BOOST_TEST(c.n_contacts == 2 * c.n_held - 1);
  BOOST_TEST(std::abs(c.mean() - c.isostatic(2)) < 1e-12);
  BOOST_TEST(micro::n_self_stresses(x.graph) == 1);
  const std::vector<ConeEdge> edges = edges_of(x);
  const micro::Harmonics      h     = micro::harmonics(edges);
  BOOST_TEST(std::abs(h.mean) < 1e-6);
  BOOST_TEST(h.tilt > .01);
  BOOST_TEST(h.tilt < .2);
  BOOST_TEST(h.fourth < 1e-6);
  BOOST_TEST(h.sixth < 1e-6);
  for (const ConeEdge &edge : edges)
    {
      BOOST_TEST(std::abs(edge.s() - h.tilt * std::cos(2. * (edge.deviator.angle - h.tilt_angle) * M_PI / 180.)) < 2e-6);
      BOOST_TEST(edge.n_pressed == c.n_contacts);
      check_bounds(x, edge);
    }
}

// More contacts, more friction: s about a third of what z has beyond isostaticity.
BOOST_AUTO_TEST_CASE(contacts_beyond_isostaticity_resist_shear)
{
  double last = 0.;
  for (const double contact_tolerance : {.02, .2})
    {
      const Network             x     = network(jammed(), Vector::Ones(2), contact_tolerance);
      const micro::Coordination c     = micro::coordination(x.graph);
      const auto                edges = edges_of(x);
      const double              s = micro::harmonics(edges).mean, excess = c.mean() - c.isostatic(2);
      BOOST_TEST(s > last);
      BOOST_TEST(s > .15 * excess);
      BOOST_TEST(s < .5 * excess);
      BOOST_TEST(micro::n_self_stresses(x.graph) > 1);
      for (const ConeEdge &edge : edges)
        check_bounds(x, edge);
      last = s;
    }
}

// Simple cubic: { D : D_xx, D_yy, D_zz >= 0 }.
BOOST_AUTO_TEST_CASE(cubic_lattice)
{
  micro::lattices::Zone zone;
  zone.lower = Vector::Zero(3);
  zone.upper = Vector::Ones(3);
  micro::lattices::Placement placement;
  placement.spacing = .25;
  const Network x   = network(micro::lattices::cubic(zone, placement), zone.upper);
  for (const ConeEdge &edge : micro::contact_cone(x.spheres, x.graph, micro::space_deviators(), tolerance))
    {
      BOOST_TEST(std::abs(edge.s() - std::max(-edge.deviator.A.diagonal().minCoeff(), 0.)) < 1e-6, edge.deviator.name);
      check_bounds(x, edge);
    }
}

// K = { tr D >= s √(d(d-1)) |dev D| } meets t I + A at t: the s that is given back is that one.
BOOST_AUTO_TEST_CASE(circular_cones)
{
  for (const micro::Deviator &deviator : micro::plane_deviators(7))
    BOOST_TEST(std::abs(micro::circular_s(deviator, .3) - .3) < 1e-14, deviator.name);
  for (const micro::Deviator &deviator : micro::space_deviators())
    {
      const double          s = .3, t = s * std::sqrt(6.) * deviator.A.norm() / 3.;
      const Eigen::Matrix3d D = t / s * Eigen::Matrix3d::Identity() + deviator.A; // on the edge for s = 1
      BOOST_TEST(std::abs(micro::circular_s(deviator, t) - s) < 1e-14, deviator.name);
      BOOST_TEST(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(D).eigenvalues()(0) >= -1e-14, deviator.name);
      const double shape = deviator.name[0] == 'c' ? 1. : deviator.name[0] == 'e' ? .5 : std::sqrt(.75);
      BOOST_TEST(std::abs(micro::circular_s(deviator, 1.) - shape) < 1e-14, deviator.name);
    }
}

BOOST_AUTO_TEST_CASE(rattlers_are_taken_out_again_and_again)
{
  // a chain 0-1-2 that leans on nothing, and a ring that goes around the box
  Spheres spheres{Eigen::MatrixXd(2, 8), Vector::Constant(8, .1), Vector::Ones(8)};
  spheres.r << .1, .3, .5, .7, .9, .5, .5, .5, .1, .1, .1, .1, .1, .3, .5, .7;
  const Network             x = network(spheres, Vector::Ones(2));
  const micro::Coordination c = micro::coordination(x.graph);
  BOOST_TEST(x.graph.n_contacts() == 8);
  BOOST_TEST(c.n_held == 0);
  BOOST_TEST(micro::n_self_stresses(x.graph) == 1); // of the ring
}

BOOST_AUTO_TEST_CASE(fabric_is_the_mean_of_directions)
{
  BOOST_TEST((micro::fabric(square(4).graph) - .5 * Eigen::Matrix2d::Identity()).norm() < 1e-14);
  BOOST_TEST((micro::fabric(triangular(6).graph) - .5 * Eigen::Matrix2d::Identity()).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(what_has_no_cone_is_refused)
{
  const Network x    = square(5);
  const auto    open = micro::contact_graph(x.spheres, {}, 1e-6);
  BOOST_CHECK_THROW(micro::contact_cone(x.spheres, open, micro::plane_deviators(2), tolerance), InputError);
  Spheres apart = x.spheres;
  apart.R *= .9;
  const auto none = micro::contact_graph(apart, {}, 1e-6, x.graph.box);
  BOOST_CHECK_THROW(micro::contact_cone(apart, none, micro::plane_deviators(2), tolerance), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
