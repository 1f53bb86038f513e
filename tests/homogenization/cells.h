// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_HOMOGENIZATION_CELLS_H
#define MOREAU_TESTS_HOMOGENIZATION_CELLS_H

#include "convex/input_error.h"
#include "homogenization/voronoi.h"
#include "micro/lattices.h"

#include <Eigen/Dense>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

/// Zones, spheres and questions for tests of cells.
namespace moreau::homogenization::test
{
using Eigen::MatrixXd;
using Eigen::VectorXd;
namespace lattices = micro::lattices;

using Predicate = std::function<bool(const VectorXd &x)>;

inline macro::Domain box(const VectorXd &lower, const VectorXd &upper)
{
  macro::Domain domain;
  domain.lower = lower;
  domain.upper = upper;
  return domain;
}

inline macro::Domain unit_box(const Index dim) { return box(VectorXd::Zero(dim), VectorXd::Ones(dim)); }

inline macro::Domain zone(macro::Domain domain, const Predicate &inside)
{
  domain.uniform = false;
  domain.density = [inside](const MatrixXd &x, MatrixXd &values) {
    values.resize(1, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      values(0, k) = inside(x.col(k)) ? 1. : .3;
  };
  return domain;
}

inline lattices::Zone filled(const macro::Domain &domain, const Predicate &inside = {})
{
  return {domain.lower, domain.upper, inside};
}

inline lattices::Placement placement(const double spacing, const double angle = 0., const double vacancies = 0.)
{
  lattices::Placement p;
  p.spacing   = spacing;
  p.angle     = angle;
  p.vacancies = vacancies;
  return p;
}

inline micro::Spheres spheres_at(const MatrixXd &r, const VectorXd &R) { return {r, R, VectorXd::Ones(R.size())}; }

/// n^dim spheres in the unit box, one in each cube of a grid, of radii between 0.05/n and 0.4/n.
inline micro::Spheres random_spheres(const Index n, const Index dim, const Predicate &inside = {})
{
  std::mt19937                           generator(7);
  std::uniform_real_distribution<double> uniform(0., 1.);
  std::vector<VectorXd>                  centres;
  std::vector<double>                    radii;
  const double                           h = 1. / static_cast<double>(n);
  for (Index k = 0; k < std::lround(std::pow(n, dim)); ++k)
    {
      const double R = h * (.05 + .35 * uniform(generator));
      VectorXd     x(dim);
      for (Index a = 0, rest = k; a < dim; ++a, rest /= n)
        x(a) = (static_cast<double>(rest % n) + .5) * h + (2. * uniform(generator) - 1.) * (.5 * h - R);
      if (!inside || inside(x))
        {
          centres.push_back(x);
          radii.push_back(R);
        }
    }
  micro::Spheres spheres = spheres_at(MatrixXd(dim, centres.size()), Eigen::Map<VectorXd>(radii.data(), radii.size()));
  for (std::size_t k = 0; k < centres.size(); ++k)
    spheres.r.col(k) = centres[k];
  return spheres;
}

inline double box_volume(const macro::Domain &domain) { return (domain.upper - domain.lower).prod(); }

/// Summed so that rounding does not pile up: what is tested are the cells.
inline double sum(const VectorXd &volumes)
{
  long double sum = 0.;
  for (const double volume : volumes)
    sum += volume;
  return static_cast<double>(sum);
}

inline std::set<int> neighbours(const VoronoiCells &cells, const Index i)
{
  const auto [first, last] = cells.neighbours(i);
  return {first, last};
}

/// The vertices of each face of a cell, in the order of neighbours(i).
inline std::vector<MatrixXd> faces(const VoronoiCells &cells, const Index i)
{
  const auto            outline = cells.outline(i);
  std::vector<MatrixXd> all;
  if (cells.dimension() == 3)
    {
      const auto [first, last] = cells.faces(i);
      for (const int *face = first; face != last; face += *face + 1)
        {
          all.emplace_back(3, *face);
          for (int k = 0; k < *face; ++k)
            all.back().col(k) = outline.col(face[1 + k]);
        }
    }
  else
    for (Index k = 0; k < outline.cols(); ++k)
      {
        all.emplace_back(2, 2);
        all.back() << outline.col(k), outline.col((k + 1) % outline.cols());
      }
  return all;
}

/// Outward, as long as the face is large.
inline VectorXd area_vector(const MatrixXd &face)
{
  if (face.rows() == 2)
    return Eigen::Vector2d(face(1, 1) - face(1, 0), face(0, 0) - face(0, 1));
  Eigen::Vector3d twice = Eigen::Vector3d::Zero();
  for (Index k = 2; k < face.cols(); ++k)
    twice += Eigen::Vector3d(face.col(k - 1) - face.col(0)).cross(Eigen::Vector3d(face.col(k) - face.col(0)));
  return .5 * twice;
}

/// How far x is outside the outline of cell i (m); negative inside.
inline double distance_outside(const VoronoiCells &cells, const Index i, const VectorXd &x)
{
  double distance = -std::numeric_limits<double>::infinity();
  for (const MatrixXd &face : faces(cells, i))
    distance = std::max(distance, area_vector(face).normalized().dot(x - face.col(0)));
  return distance;
}

/// Σ |D_i| against the volume of ω, and every D_i against its simplices.
inline void check_fills(const VoronoiCells &cells, const double volume)
{
  BOOST_TEST(std::abs(sum(cells.volumes()) - volume) <= 1e-12 * volume);
  MatrixXd corners;
  for (Index i = 0; i < cells.size(); ++i)
    {
      cells.simplices(i, corners);
      double    total = 0.;
      const int n     = static_cast<int>(cells.dimension()) + 1;
      for (Index k = 0; k < corners.cols(); k += n)
        {
          const MatrixXd edges = corners.middleCols(k + 1, n - 1).colwise() - corners.col(k);
          total += std::abs(edges.determinant()) / std::tgamma(n);
        }
      BOOST_TEST(std::abs(total - cells.volumes()(i)) <= 1e-12 * cells.volumes()(i));
    }
}

inline std::string complaint(const std::function<void()> &action)
{
  try
    {
      action();
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "";
}

inline bool starts_with(const std::string &text, const std::string &start) { return text.rfind(start, 0) == 0; }

} // namespace moreau::homogenization::test

#endif
