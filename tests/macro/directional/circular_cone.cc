// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/input_error.h"
#include "macro/directional/circular_tensors.h"
#include "macro/directional/pressure_limits.h"
#include "macro/directional/simplex_certificate.h"
#include "macro/discretize.h"
#include "macro/impact.h"
#include "tests/macro/directional/dilatant_flows.h"

#include <boost/test/unit_test.hpp>

#include <Eigen/Eigenvalues>

#include <random>

BOOST_AUTO_TEST_SUITE(circular_cone)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::macro;

namespace
{
Setting setting_of(const int dim, const Function &U, const Field &s, const double cells, const Sides &walls = {})
{
  Setting setting = unit_cube(dim, by_points(U), cells, walls);
  setting.cone    = macro::circular_cone(s);
  return setting;
}

struct RandomTensors
{
  std::mt19937                     random;
  std::normal_distribution<double> normal;

  explicit RandomTensors(const unsigned int seed) : random(seed) {}

  SimplexMatrix symmetric(const int dim)
  {
    SimplexMatrix G(dim, dim);
    for (int a = 0; a < dim; ++a)
      for (int b = 0; b < dim; ++b)
        G(a, b) = normal(random);
    return .5 * (G + G.transpose());
  }
};

/// |v - u|² over the unit cube, by the rule of simplices and what velocity() says of the points.
double distance(const Solution &s, const Setting &setting, const Function &u)
{
  const Field       v    = s.mesh->velocity(s.x);
  const int         dim  = static_cast<int>(setting.dim());
  const SimplexMesh mesh = kuhn_subdivision(
      box_grid(setting.domain.lower, setting.domain.upper, 2. * setting.mesh.cells_per_unit_length, Processes::alone()));
  const Rule      rule = simplex_rule(dim);
  Eigen::MatrixXd values(dim, rule.size());
  double          sum = 0.;
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    {
      const Eigen::MatrixXd x = mesh.vertices(t) * rule.points;
      v(x, values);
      for (Index q = 0; q < rule.size(); ++q)
        sum += mesh.volume(t) * rule.weights(q) * (values.col(q) - u(x.col(q))).squaredNorm();
    }
  return std::sqrt(sum);
}

/// A flow whose projection is known: u = Dx with D on the boundary of the cone, and U = u + div σ with the stress σ = pT, T
/// polar to it and T:D = 0, p >= 0 a function that vanishes on the sides of the cube.
struct KnownFlow
{
  int             dim;
  Eigen::MatrixXd D, T;

  KnownFlow(const int dim, const double s, const unsigned int seed) : dim(dim)
  {
    RandomTensors         random(seed);
    const Eigen::MatrixXd any = random.symmetric(dim), I = Eigen::MatrixXd::Identity(dim, dim);
    const Eigen::MatrixXd n     = (any - any.trace() / dim * I).normalized();
    const double          slope = s * std::sqrt(dim * (dim - 1.));
    D                           = slope / dim * I + n;
    T                           = .4 * (I - slope * n);
  }

  Vector u(const Vector &x) const { return D * (x - Vector::Constant(dim, .5)); }
  double pressure(const Vector &x) const { return T.trace() / dim * (M_PI * x.array()).sin().prod(); } ///< tr σ/d

  Vector U(const Vector &x) const
  {
    Vector slope(dim);
    for (int a = 0; a < dim; ++a)
      {
        slope(a) = M_PI * std::cos(M_PI * x(a));
        for (int b = 0; b < dim; ++b)
          if (b != a)
            slope(a) *= std::sin(M_PI * x(b));
      }
    return u(x) + T * slope;
  }
};
} // namespace

// Coordinates are those of an orthonormal basis, the margin is that of the formula, and both cones are polar to each other.
BOOST_AUTO_TEST_CASE(coordinates_tell_the_cone)
{
  RandomTensors random(1);
  for (const int dim : {2, 3})
    {
      const std::vector<SimplexMatrix> A = circular_tensors(dim);
      BOOST_TEST(A.size() == static_cast<std::size_t>(dim * (dim + 1) / 2));
      for (std::size_t i = 0; i < A.size(); ++i)
        for (std::size_t j = 0; j < A.size(); ++j)
          BOOST_TEST(std::abs(A[i].cwiseProduct(A[j]).sum() - (i == j)) < 1e-15);
      for (int sample = 0; sample < 1000; ++sample)
        {
          const SimplexMatrix D = random.symmetric(dim), I = SimplexMatrix::Identity(dim, dim);
          const double        s = std::uniform_real_distribution<double>(0., 1.)(random.random);
          const SimplexMatrix n = D - D.trace() / dim * I;
          Vector              x(A.size());
          for (std::size_t k = 0; k < A.size(); ++k)
            x(static_cast<Index>(k)) = A[k].cwiseProduct(D).sum();
          const double margin = (x(0) - circular_slope(dim, s) * x.tail(x.size() - 1).norm()) / std::sqrt(dim);
          BOOST_TEST(std::abs(circular_margin(D, s) - margin) < 1e-13);
          // the stress that presses most against D: σ:D is d times the margin
          const SimplexMatrix stress = I - s * std::sqrt(dim * (dim - 1.)) * n / n.norm();
          BOOST_TEST(std::abs(stress.cwiseProduct(D).sum() - dim * circular_margin(D, s)) < 1e-13);
        }
      // s = 1 is the largest within { D >= 0 }: its edge is a compression along one axis that stops
      SimplexMatrix edge = SimplexMatrix::Identity(dim, dim);
      edge(0, 0)         = 0.;
      BOOST_TEST(std::abs(circular_margin(edge, 1.)) < 1e-15);
    }
}

// A jump is admissible where n⊗[v] is, by products that lie in a circle.
BOOST_AUTO_TEST_CASE(jumps_are_measures_in_the_cone)
{
  RandomTensors random(3);
  for (const int dim : {2, 3})
    for (int sample = 0; sample < 1000; ++sample)
      {
        const double s = std::uniform_real_distribution<double>(0., 1.)(random.random);
        const Vector n = random.symmetric(dim).col(0).normalized(), jump = random.symmetric(dim).col(0);
        const auto   factors = circular_jump(dim, s);
        const double q = n.dot(jump), margin = circular_margin(n * jump.transpose(), s);
        BOOST_TEST(factors.has_value() == (s * (dim - 1) <= 1.));
        if (factors)
          BOOST_TEST((margin >= 0.) == (factors->first * q >= factors->second * (jump - q * n).norm()));
        else
          BOOST_TEST(margin < 0.);
      }
}

// In the plane it is the dilatant cone: norms agree up to what 64 directions leave, and so do bounds.
BOOST_AUTO_TEST_CASE(is_the_dilatant_cone_in_the_plane)
{
  for (const double s : {0., .3, .8})
    {
      const Solution circle(setting_of(2, flow_of_BM, constant(s), 8.));
      Setting        setting = setting_of(2, flow_of_BM, constant(s), 8.);
      setting.cone           = macro::dilatant_cone(2, constant(s), 64);
      const Solution polygon(setting);
      BOOST_TEST_REQUIRE(circle.x.converged());
      BOOST_TEST_REQUIRE(circle.bound.available);
      BOOST_TEST(circle.mesh->problem().V->norm(circle.x.u - polygon.x.u) < 2e-3);
      BOOST_TEST(circle.bound.eta < 1.1 * polygon.bound.eta);
    }
}

// Norms of u for the flow of BM that independent programs found (trials with Q1 velocities, 16 directions, 64² cells).
BOOST_AUTO_TEST_CASE(norms_lie_within_their_bounds)
{
  for (const auto &[dilatancy, expected] : {std::pair(0., .7360), std::pair(.3, .6877), std::pair(1., .6531)})
    {
      const Solution s(setting_of(2, flow_of_BM, constant(dilatancy), 16.));
      BOOST_TEST_REQUIRE(s.x.converged());
      BOOST_TEST_REQUIRE(s.bound.available);
      BOOST_TEST(std::abs(s.norm() - expected) <= s.bound.eta);
      BOOST_TEST(s.norm() == expected, tt::tolerance(.02));
      BOOST_TEST(s.bound.eta < .15);
    }
}

// The bound is not below the error, which falls with more than the first order.
BOOST_AUTO_TEST_CASE(bounds_hold_for_known_flows)
{
  for (const int dim : {2, 3})
    for (const double s : {0., .2, .7})
      {
        const KnownFlow flow(dim, s, 5);
        const auto      U      = [&](const Vector &x) { return flow.U(x); };
        const auto      u      = [&](const Vector &x) { return flow.u(x); };
        double          before = 0.;
        for (const double cells : dim == 2 ? std::vector<double>{8., 16.} : std::vector<double>{2., 4.})
          {
            const Setting  setting = setting_of(dim, U, constant(s), cells);
            const Solution found(setting);
            const double   error = distance(found, setting, u);
            BOOST_TEST_REQUIRE(found.x.converged());
            BOOST_TEST_REQUIRE(found.bound.available);
            BOOST_TEST(error <= found.bound.eta);
            BOOST_TEST(found.bound.eta < 8. * error);
            if (before > 0.)
              BOOST_TEST(std::log2(before / error) > 1.2);
            before = error;
          }
      }
}

// At a wall, along which matter slips, the stress pushes: u = Dx with u_x = 0 at x = 0, D = diag(1.6, 1.6, -1.4) on the edge
// of the cone of s = 0.3, and p = cos(πx/2) sin(πy) sin(πz), which is not 0 there.
BOOST_AUTO_TEST_CASE(bounds_hold_at_walls)
{
  const Eigen::Vector3d D(1.6, 1.6, -1.4), T(.28, .28, .64);
  const auto            u = [&](const Vector &x) -> Vector { return D.cwiseProduct(x - Eigen::Vector3d(0., .5, .5)); };
  const auto            U = [&](const Vector &x) -> Vector {
    const double    half = .5 * M_PI;
    Eigen::Vector3d slope(-half * std::sin(half * x(0)) * std::sin(M_PI * x(1)) * std::sin(M_PI * x(2)),
                                     M_PI * std::cos(half * x(0)) * std::cos(M_PI * x(1)) * std::sin(M_PI * x(2)),
                                     M_PI * std::cos(half * x(0)) * std::sin(M_PI * x(1)) * std::cos(M_PI * x(2)));
    return u(x) + T.cwiseProduct(slope);
  };
  double before = 0.;
  for (const double cells : {3., 6.})
    {
      const Setting  setting = setting_of(3, U, constant(.3), cells, {true, false, false, false, false, false});
      const Solution found(setting);
      const double   error = distance(found, setting, u);
      BOOST_TEST_REQUIRE(found.x.converged());
      BOOST_TEST(found.bound.available);
      BOOST_TEST(error <= found.bound.eta);
      BOOST_TEST(found.bound.eta < 8. * error);
      if (before > 0.)
        BOOST_TEST(std::log2(before / error) > 1.2);
      before = error;
    }
}

// v is admissible everywhere for the circular cone itself, and is what pictures show, with the pressure that is known.
BOOST_AUTO_TEST_CASE(what_is_bounded_lies_in_the_cone)
{
  for (const int dim : {2, 3})
    {
      const KnownFlow flow(dim, .5, 7);
      const auto      U = [&](const Vector &x) { return flow.U(x); };
      const Solution  s(setting_of(dim, U, constant(.5), dim == 2 ? 12. : 6.));
      BOOST_TEST(s.bound.largest_violation <= 1e-13);
      BOOST_TEST(s.x.certificate.guaranteed);

      const Mesh            picture = s.mesh->fields(s.x, s.x.u, s.bound);
      const Eigen::MatrixXd x       = pictures::points(picture, dim);
      const Eigen::MatrixXd u       = pictures::data(picture.point_data, "u", dim);
      const Eigen::MatrixXd p       = pictures::data(picture.cell_data, "p", dim);
      Eigen::MatrixXd       v(dim, x.cols());
      s.mesh->velocity(s.x)(x, v);
      BOOST_TEST((u - v).cwiseAbs().maxCoeff() <= 1e-12);
      double worst = 0.;
      for (Index t = 0; t < p.cols(); ++t)
        {
          Vector centroid = Vector::Zero(dim);
          for (int i = 0; i <= dim; ++i)
            centroid += x.col(picture.connectivity[(dim + 1) * t + i]) / (dim + 1.);
          worst = std::max(worst, std::abs(p(t) - flow.pressure(centroid)));
        }
      BOOST_TEST(worst < .25 * .4);
    }
}

// Where D may be anything a compression of the cube nearly stops; an expansion, a rotation go on.
BOOST_AUTO_TEST_CASE(leaves_what_is_admissible)
{
  const auto     expansion = [](const Vector &x) -> Vector { return Eigen::Vector3d(x(0) - x(1), x(1) + x(0), x(2)); };
  const Solution s(setting_of(3, expansion, constant(.4), 3.));
  BOOST_TEST(s.distance_to_U() < 1e-12);
}

// The quarter turn of U is the quarter turn of u, and what half a turn makes of it in space.
BOOST_AUTO_TEST_CASE(turns_with_its_flow)
{
  const auto turned = [](const Vector &x) -> Vector {
    const Vector U = flow_of_BM(Eigen::Vector2d(x(1), 1. - x(0)));
    return Eigen::Vector2d(-U(1), U(0));
  };
  const Solution s(setting_of(2, flow_of_BM, constant(.4), 8.)), t(setting_of(2, turned, constant(.4), 8.));
  BOOST_TEST(s.norm() == t.norm(), tt::tolerance(1e-6));

  const KnownFlow flow(3, .3, 8);
  const auto      U         = [&](const Vector &x) -> Vector { return flow.U(x) + .3 * x.cwiseProduct(x); };
  const auto      half_turn = [&](const Vector &x) -> Vector { return -U(Vector::Ones(3) - x); };
  const Solution  before(setting_of(3, U, constant(.4), 4.)), after(setting_of(3, half_turn, constant(.4), 4.));
  BOOST_TEST(before.norm() == after.norm(), tt::tolerance(1e-6));
  BOOST_TEST(before.bound.eta == after.bound.eta, tt::tolerance(1e-3));
}

// A cone with a smaller s contains that of a larger one: |u|² = <u, U> falls.
BOOST_AUTO_TEST_CASE(cones_shrink_as_dilatancy_grows)
{
  const KnownFlow flow(3, .3, 2);
  double          before = std::numeric_limits<double>::infinity();
  for (const double s : {0., .2, .5, 1.})
    {
      const double now = Solution(setting_of(
                                      3, [&](const Vector &x) { return flow.U(x); }, constant(s), 3.))
                             .norm();
      BOOST_TEST(now < before);
      before = now;
    }
}

// In space it lies within the dilatant cone of the same s that is given by the least eigenvalue: s = 1 in { D >= 0 }.
BOOST_AUTO_TEST_CASE(lies_within_the_dilatant_cone)
{
  RandomTensors random(9);
  for (int sample = 0; sample < 2000; ++sample)
    {
      const SimplexMatrix                                  D = random.symmetric(3);
      const double                                         s = std::uniform_real_distribution<double>(0., 1.)(random.random);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal((Eigen::MatrixXd(D)));
      BOOST_TEST((1. - s) / 3. * D.trace() + s * principal.eigenvalues()(0) >= circular_margin(D, s) - 1e-13);
    }
}

// Restitution: the law ends in the cone, with less energy.
BOOST_AUTO_TEST_CASE(impacts_with_restitution_end_in_the_cone)
{
  const Setting setting = setting_of(2, flow_of_BM, constant(.3), 8.);
  const auto    mesh    = discretize(setting);
  convex::Law   law;
  law.restitution             = .5;
  const convex::Impact impact = macro::impact(*mesh, law);
  const auto          &V      = *mesh->problem().V;
  BOOST_TEST(impact.effort.converged());
  BOOST_TEST(convex::approach_speed(mesh->problem(), impact.u_plus) < 1e-3);
  BOOST_TEST(V.norm(impact.u_plus) <= V.norm(mesh->problem().U) * (1. + 1e-9));
  BOOST_TEST(V.norm(impact.u_plus) > V.norm(impact.projection.u));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_dilatancy)
{
  BOOST_CHECK_THROW(discretize(setting_of(2, flow_of_BM, constant(1.2), 4.)), InputError);
  BOOST_CHECK_THROW(discretize(setting_of(
                        3, [](const Vector &x) { return x; }, constant(-.1), 4.)),
                    InputError);
  const auto mesh = discretize(setting_of(2, flow_of_BM, constant(.2), 4.));
  BOOST_CHECK_THROW(mesh->projector("projected gradient", {}), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
