// SPDX-License-Identifier: GPL-3.0-or-later
// What is mirrored, turned by 90 degrees, or has its axes exchanged, has the mirrored, turned, exchanged answer.
#include "convex/impact_law.h"
#include "macro/discretize.h"
#include "tests/macro/pictures.h"
#include "tests/macro/settings.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// An isometry of the unit cube: x -> Q (x - c) + c, c its centre.
using Isometry = Eigen::MatrixXd;

Isometry mirror(const int dim, const int axis)
{
  Isometry Q    = Isometry::Identity(dim, dim);
  Q(axis, axis) = -1.;
  return Q;
}

Isometry quarter_turn(const int dim)
{
  Isometry Q = Isometry::Identity(dim, dim);
  Q.topLeftCorner(2, 2) << 0., -1., 1., 0.;
  return Q;
}

/// x, y, z -> y, z, x
Isometry next_axis(const int dim)
{
  Isometry Q = Isometry::Zero(dim, dim);
  for (int axis = 0; axis < dim; ++axis)
    Q((axis + 1) % dim, axis) = 1.;
  return Q;
}

Eigen::MatrixXd moved(const Isometry &Q, const Eigen::MatrixXd &x) { return (Q * (x.array() - .5).matrix()).array() + .5; }

/// Two parts that meet on a line of the mesh, and a wave without any symmetry.
void collision(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index k = 0; k < x.cols(); ++k)
    for (Index axis = 0; axis < x.rows(); ++axis)
      U(axis, k) = .4 * std::sin(3. * x(axis, k) + 1. + 2. * x(0, k) * x(x.rows() - 1, k)) + (axis > 0       ? 0.
                                                                                              : x(0, k) < .5 ? 1.
                                                                                                             : -.6);
}

/// U and the zone as seen after Q.
Setting after(const Isometry &Q, Setting setting)
{
  const Isometry back   = Q.transpose();
  const Field    U      = setting.U;
  const auto     scalar = [&](const Field &given) -> Field {
    if (!given)
      return {};
    return [back, given](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { given(moved(back, x), values); };
  };
  setting.U = [Q, back, U](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    Eigen::MatrixXd before(values.rows(), values.cols());
    U(moved(back, x), before);
    values = Q * before;
  };
  setting.domain.density = scalar(setting.domain.density);
  setting.domain.level   = scalar(setting.domain.level);
  return setting;
}

/// u of a picture, by the centres of its cells.
struct Answer
{
  Eigen::MatrixXd x, u;
  double          eta = 0.;
};

Answer answer(const Setting &setting)
{
  const int                 dim     = static_cast<int>(setting.dim());
  const auto                mesh    = discretize(setting);
  const convex::SaddlePoint s       = mesh->projector("automatic", {1e-12, 10000, true})->project(mesh->problem());
  const TotalBound          bound   = mesh->total_bound(s);
  const Mesh                picture = mesh->fields(s, s.u, bound);
  const auto                points  = pictures::points(picture, dim);
  Answer                    result;
  result.eta    = bound.eta;
  result.u      = pictures::data(picture.cell_data, "u", dim);
  const Index n = result.u.cols(), per_cell = static_cast<Index>(picture.connectivity.size()) / n;
  result.x = Eigen::MatrixXd::Zero(dim, n);
  for (Index c = 0; c < n; ++c)
    for (Index k = 0; k < per_cell; ++k)
      result.x.col(c) += points.col(picture.connectivity[c * per_cell + k]) / static_cast<double>(per_cell);
  return result;
}

/// Largest |u after Q - Q u| where both have a value at the same place, and that they have it everywhere.
void check(const std::string &name, const Setting &setting, const std::vector<Isometry> &isometries)
{
  using Place      = std::array<long, 3>;
  const auto place = [](const Eigen::VectorXd &x) {
    Place result = {0, 0, 0};
    for (Index axis = 0; axis < x.size(); ++axis)
      result[axis] = std::lround(1e6 * x(axis));
    return result;
  };
  const Answer           straight = answer(setting);
  std::map<Place, Index> at;
  for (Index k = 0; k < straight.x.cols(); ++k)
    at[place(straight.x.col(k))] = k;
  for (const Isometry &Q : isometries)
    {
      const Answer          turned = answer(after(Q, setting));
      const Eigen::MatrixXd back   = moved(Q.transpose(), turned.x);
      double                worst  = 0.;
      Index                 n_lost = 0;
      for (Index k = 0; k < back.cols(); ++k)
        if (const auto found = at.find(place(back.col(k))); found != at.end())
          worst = std::max(worst, (turned.u.col(k) - Q * straight.u.col(found->second)).cwiseAbs().maxCoeff());
        else
          ++n_lost;
      BOOST_TEST_CONTEXT(name << ", Q =\n" << Q)
      {
        BOOST_TEST(n_lost == 0);
        BOOST_TEST(turned.u.cols() == straight.u.cols());
        BOOST_TEST(worst <= 1e-10);
        BOOST_TEST(std::abs(turned.eta - straight.eta) <= 1e-9 * straight.eta + 1e-12);
      }
    }
}

std::vector<Isometry> all(const int dim)
{
  std::vector<Isometry> result = {quarter_turn(dim), next_axis(dim)};
  for (int axis = 0; axis < dim; ++axis)
    result.push_back(mirror(dim, axis));
  return result;
}

/// Between two spheres (circles), half full elsewhere.
Setting on_an_annulus(Setting setting)
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
} // namespace

BOOST_AUTO_TEST_SUITE(symmetries)

BOOST_AUTO_TEST_CASE(isotropic_impacts_on_boxes_turn_with_their_data)
{
  check("square", unit_cube(2, collision, 16.), all(2));
  check("cube", unit_cube(3, collision, 8.), all(3));
  check("interval", unit_cube(1, collision, 32.), {mirror(1, 0)});
}

// Cells that the boundary cuts: the gradient of p jumps where the cells inside end.
BOOST_AUTO_TEST_CASE(isotropic_impacts_on_zones_that_cut_cells_turn_with_their_data)
{
  check("annulus", on_an_annulus(unit_cube(2, collision, 32.)), all(2));
  check("shell", on_an_annulus(unit_cube(3, collision, 12.)), all(3));
}

BOOST_AUTO_TEST_CASE(isotropic_impacts_on_shapes_turn_with_their_data)
{
  Setting disc               = on_an_annulus(unit_cube(2, collision, 24.));
  disc.domain.level_is_given = true;
  disc.domain.level          = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &level) {
    for (Index k = 0; k < x.cols(); ++k)
      {
        const double r2 = (x.col(k).array() - .5).matrix().squaredNorm();
        level(0, k)     = (r2 - .21 * .21) * (.43 * .43 - r2);
      }
  };
  check("annulus", disc, all(2));
}

BOOST_AUTO_TEST_SUITE_END()
