// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_MACRO_ISOMETRIES_H
#define MOREAU_TESTS_MACRO_ISOMETRIES_H

#include "convex/impact_law.h"
#include "macro/discretize.h"
#include "tests/macro/pictures.h"
#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

/// What is mirrored, turned by 90 degrees, or has its axes exchanged, has the mirrored, turned, exchanged answer.
namespace moreau::macro
{
/// A signed permutation of the axes. It maps a box with the lower corner 0 to another one: x -> Q (x - c) + c', c and c'
/// their centres.
using Isometry = Eigen::MatrixXd;

inline Isometry mirror(const int dim, const int axis)
{
  Isometry Q    = Isometry::Identity(dim, dim);
  Q(axis, axis) = -1.;
  return Q;
}

inline Isometry quarter_turn(const int dim)
{
  Isometry Q = Isometry::Identity(dim, dim);
  Q.topLeftCorner(2, 2) << 0., -1., 1., 0.;
  return Q;
}

inline Isometry half_turn(const int dim) { return -Isometry::Identity(dim, dim); }

/// x, y, z -> y, z, x
inline Isometry next_axis(const int dim)
{
  Isometry Q = Isometry::Zero(dim, dim);
  for (int axis = 0; axis < dim; ++axis)
    Q((axis + 1) % dim, axis) = 1.;
  return Q;
}

/// x, y -> y, x
inline Isometry exchange(const int dim)
{
  Isometry Q = Isometry::Identity(dim, dim);
  Q.topLeftCorner(2, 2) << 0., 1., 1., 0.;
  return Q;
}

/// What generates all of them: a mirror for each axis, a quarter turn, a cycle of the axes.
inline std::vector<Isometry> all_isometries(const int dim)
{
  std::vector<Isometry> result;
  if (dim > 1)
    result = {quarter_turn(dim), next_axis(dim)};
  for (int axis = 0; axis < dim; ++axis)
    result.push_back(mirror(dim, axis));
  return result;
}

/// Q about the centre of the box 0 < x < upper.
inline Eigen::MatrixXd image(const Isometry &Q, const Vector &upper, const Eigen::MatrixXd &x)
{
  return (Q * (x.colwise() - .5 * upper)).colwise() + .5 * (Q.cwiseAbs() * upper);
}

/// U, zone, walls, periods and cone as seen after Q. Lattices lie at a multiple of 90 degrees or turn with Q.
inline Setting after(const Isometry &Q, Setting setting)
{
  const Isometry back   = Q.transpose();
  const Vector   upper  = Q.cwiseAbs() * setting.domain.upper;
  const Field    U      = setting.U;
  const auto     scalar = [&](const Field &given) -> Field {
    if (!given)
      return {};
    return [back, upper, given](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { given(image(back, upper, x), values); };
  };
  const auto vectors = [&](const Field &given) -> Field {
    if (!given)
      return {};
    return [Q, back, upper, given](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
      Eigen::MatrixXd before(values.rows(), values.cols());
      given(image(back, upper, x), before);
      for (Index first = 0; first < values.rows(); first += Q.rows())
        values.middleRows(first, Q.rows()) = Q * before.middleRows(first, Q.rows());
    };
  };
  setting.U                    = vectors(U);
  setting.domain.density       = scalar(setting.domain.density);
  setting.domain.level         = scalar(setting.domain.level);
  setting.cone.direction_field = vectors(setting.cone.direction_field);
  setting.cone.dilatancy       = scalar(setting.cone.dilatancy);
  const Domain before          = setting.domain;
  for (int axis = 0; axis < Q.cols(); ++axis)
    {
      Index to;
      Q.col(axis).cwiseAbs().maxCoeff(&to);
      setting.domain.periodic[to] = before.periodic[axis];
      for (int end = 0; end < 2; ++end)
        setting.domain.walls[2 * to + (Q(to, axis) < 0. ? 1 - end : end)] = before.walls[2 * axis + end];
    }
  if (setting.mean_gradient.size() > 0)
    setting.mean_gradient = Q * setting.mean_gradient * back;
  if (setting.cone.type == ConeType::directions && setting.cone.directions.size() > 0)
    setting.cone.directions = Q * setting.cone.directions;
  else if (setting.cone.type == ConeType::triangular)
    {
      // the image of the direction (cos a, sin a), which is one of the lattice
      const double          a    = setting.cone.lattice_angle * M_PI / 180.;
      const Eigen::Vector2d e    = Q * Eigen::Vector2d(std::cos(a), std::sin(a));
      setting.cone.lattice_angle = std::round(1e6 * std::atan2(e(1), e(0)) * 180. / M_PI) / 1e6;
      setting.cone.directions    = lattice_directions(setting.cone.type, setting.cone.lattice_angle);
    }
  setting.domain.upper = upper;
  return setting;
}

/// What a picture shows, by the centres of its cells: u, U and numbers that do not depend on the order of the directions.
struct Answer
{
  Eigen::MatrixXd                           x, u, U;
  std::map<std::string, Eigen::RowVectorXd> numbers;
  double                                    eta = 0.;
};

inline Answer answer_on(const Discretization &mesh, const convex::SaddlePoint &s, const int dim)
{
  const TotalBound bound   = mesh.total_bound(s);
  const Mesh       picture = mesh.fields(s, s.u, bound);
  const auto       points  = pictures::points(picture, dim);
  Answer           result;
  result.eta    = bound.eta;
  result.u      = pictures::data(picture.cell_data, "u", dim);
  result.U      = pictures::data(picture.cell_data, "U", dim);
  const Index n = result.u.cols(), per_cell = static_cast<Index>(picture.connectivity.size()) / n;
  result.x = Eigen::MatrixXd::Zero(dim, n);
  for (Index c = 0; c < n; ++c)
    for (Index k = 0; k < per_cell; ++k)
      result.x.col(c) += points.col(picture.connectivity[c * per_cell + k]) / static_cast<double>(per_cell);
  for (const geometry::Array &array : picture.cell_data)
    if (array.name == "directional_derivatives" || array.name == "divergence" || array.name == "density" ||
        array.name == "p" && array.n_components == 1)
      result.numbers[array.name] = pictures::data(picture.cell_data, array.name, dim).colwise().sum();
  return result;
}

inline Answer answer(const Setting &setting)
{
  auto       mesh  = discretize(setting);
  const auto solve = [&] {
    return mesh->projector("automatic", {1e-12, 10000, true})->project(mesh->problem(), mesh->p_start());
  };
  convex::SaddlePoint s = solve();
  for (unsigned int cycle = 0; cycle < setting.mesh.adaptive_cycles; ++cycle)
    {
      mesh = mesh->refined(s, mesh->total_bound(s));
      s    = solve();
    }
  return answer_on(*mesh, s, static_cast<int>(setting.dim()));
}

/// Compares the answer after Q with Q applied to the answer: velocities to a tolerance, all places, numbers to that of their
/// largest, the total bound to eta_tolerance of its size.
inline void check_turned(const std::string &name, const Answer &straight, const Answer &turned, const Isometry &Q,
                         const Vector &upper, const double eta_tolerance = 1e-9, const double tolerance = 1e-10)
{
  using Place      = std::array<long, 3>;
  const auto place = [](const Eigen::VectorXd &x) {
    Place result = {0, 0, 0};
    for (Index axis = 0; axis < x.size(); ++axis)
      result[axis] = std::lround(1e6 * x(axis));
    return result;
  };
  std::map<Place, Index> at;
  for (Index k = 0; k < turned.x.cols(); ++k)
    at[place(turned.x.col(k))] = k;
  const Eigen::MatrixXd         there   = image(Q, upper, straight.x);
  double                        worst_u = 0., worst_U = 0.;
  std::map<std::string, double> worst;
  Index                         n_lost = 0;
  for (Index k = 0; k < there.cols(); ++k)
    {
      const auto found = at.find(place(there.col(k)));
      if (found == at.end())
        {
          ++n_lost;
          continue;
        }
      const Index l = found->second;
      worst_u       = std::max(worst_u, (turned.u.col(l) - Q * straight.u.col(k)).cwiseAbs().maxCoeff());
      worst_U       = std::max(worst_U, (turned.U.col(l) - Q * straight.U.col(k)).cwiseAbs().maxCoeff());
      for (const auto &[number, values] : straight.numbers)
        worst[number] = std::max(worst[number], std::abs(turned.numbers.at(number)(l) - values(k)));
    }
  BOOST_TEST_CONTEXT(name << ", Q =\n" << Q)
  {
    BOOST_TEST(n_lost == 0);
    BOOST_TEST(turned.u.cols() == straight.u.cols());
    BOOST_TEST(worst_U <= tolerance);
    BOOST_TEST(worst_u <= tolerance);
    for (const auto &[number, by] : worst)
      BOOST_TEST_CONTEXT(number)
    BOOST_TEST(by <= tolerance * std::max(1., straight.numbers.at(number).cwiseAbs().maxCoeff()));
    BOOST_TEST(std::abs(turned.eta - straight.eta) <= eta_tolerance * straight.eta + 1e-12);
  }
}

/// The total bound of a directional cone takes pressures, of which there may be many: those that the solver found.
inline void check_isometries(const std::string &name, const Setting &setting, const std::vector<Isometry> &isometries,
                             const double tolerance = 1e-10, const double eta_tolerance = 1e-4)
{
  const double of_eta   = setting.cone.type == ConeType::isotropic ? 1e-9 : std::max(eta_tolerance, tolerance);
  const Answer straight = answer(setting);
  for (const Isometry &Q : isometries)
    check_turned(name, straight, answer(after(Q, setting)), Q, setting.domain.upper, of_eta, tolerance);
}

/// Two parts that meet in the middle, a line of the mesh, and a wave without any symmetry. On the line itself, where some
/// rules have points, U is the mean.
inline void collision_without_symmetry(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0; axis < x.rows(); ++axis)
      {
        const double wave = .4 * std::sin(3. * x(axis, k) + 1. + 2. * x(0, k) * x(x.rows() - 1, k)), side = x(0, k) - .5;
        U(axis, k) = wave + (axis > 0 ? 0. : std::abs(side) < 1e-12 ? .2 : side < 0. ? 1. : -.6);
      }
}

/// D x and a wave without any symmetry that repeats itself in the unit cube, which repeats itself along the first n_axes; a
/// jump in the middle and one at the sides, where U repeats itself, too.
inline Setting repeated(Setting setting, const int n_axes)
{
  const int       dim = static_cast<int>(setting.dim());
  Eigen::MatrixXd D   = .8 * Eigen::MatrixXd::Identity(dim, dim);
  D(0, 1)             = .3; // not symmetric
  D.rightCols(dim - n_axes).setZero();
  setting.U = [D](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) {
    constexpr double turn = 2. * M_PI;
    for (Index k = 0; k < x.cols(); ++k)
      {
        U.col(k) = D * x.col(k);
        for (Index axis = 0; axis < x.rows(); ++axis)
          U(axis, k) += .3 * std::sin(turn * (x(axis, k) + x(0, k)) + 1.) + .2 * std::cos(turn * x(x.rows() - 1, k) + .4);
        const double from_side = x(0, k) - std::floor(x(0, k)), side = from_side - .5;
        U(0, k) += std::min(from_side, 1. - from_side) < 1e-12 || std::abs(side) < 1e-12 ? .2 : side < 0. ? 1. : -.6;
      }
  };
  setting.mean_gradient = D;
  for (int axis = 0; axis < n_axes; ++axis)
    setting.domain.periodic[axis] = true;
  return setting;
}

/// Between two spheres (circles), half full elsewhere.
inline Setting on_an_annulus(Setting setting)
{
  setting.domain.uniform = false;
  setting.domain.density = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &density) {
    for (Index k = 0; k < x.cols(); ++k)
      {
        const double r = (x.col(k).array() - .5).matrix().norm();
        density(0, k)  = r > .21 && r < .43 ? 1. : .5;
      }
  };
  return setting;
}
} // namespace moreau::macro

#endif
