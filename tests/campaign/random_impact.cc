// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/campaign/random_impact.h"

#include "convex/solvers/make_projector.h"
#include "micro/lattices.h"
#include "tests/oracles.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace moreau::campaign
{
namespace
{
using convex::Index;
using convex::Vector;
using oracles::Random;

Vector random_direction(Random &random, const Index dim) { return random.normals(dim).normalized(); }

/// Touching spheres in a row along x.
micro::Spheres row(Random &random, const Index n, const Index dim)
{
  micro::Spheres spheres;
  spheres.r = Eigen::MatrixXd::Zero(dim, n);
  spheres.R = Vector::NullaryExpr(n, [&](Index) { return .5 + random.uniform(); });
  for (Index k = 1; k < n; ++k)
    spheres.r(0, k) = spheres.r(0, k - 1) + spheres.R(k - 1) + spheres.R(k) + (random.uniform() < .1 ? .3 : 0.);
  return spheres;
}

/// The n sites nearest to a random point, some of them left empty.
micro::Spheres lattice(Random &random, const Index n, const Index dim)
{
  micro::lattices::Zone zone;
  const double          half = dim == 2 ? 6. : 3.5;
  zone.lower                 = Vector::Constant(dim, -half);
  zone.upper                 = Vector::Constant(dim, half);
  micro::lattices::Placement placement;
  placement.anchor               = Vector::NullaryExpr(dim, [&](Index) { return random.uniform(); });
  placement.angle                = random.uniform() < .5 ? 0. : random.uniform();
  placement.vacancies            = random.uniform() < .5 ? 0. : .3 * random.uniform();
  placement.seed                 = static_cast<unsigned int>(random.below(1000000));
  const bool           is_square = random.uniform() < .3;
  const micro::Spheres all =
      dim == 2 ? (is_square ? micro::lattices::square : micro::lattices::triangular)(zone, placement)
               : (is_square ? micro::lattices::cubic : micro::lattices::face_centred_cubic)(zone, placement);
  std::vector<Index> order(all.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](const Index a, const Index b) { return all.r.col(a).squaredNorm() < all.r.col(b).squaredNorm(); });
  micro::Spheres some;
  const Index    size = std::min(n, all.size());
  some.r.resize(dim, size);
  some.R.resize(size);
  for (Index k = 0; k < size; ++k)
    {
      some.r.col(k) = all.r.col(order[k]);
      some.R(k)     = all.R(order[k]);
    }
  return some;
}

/// Whether a sphere touches others by rounding or is far from them.
bool fits(const micro::Spheres &spheres, const Index n, const Vector &x, const double R)
{
  for (Index k = 0; k < n; ++k)
    if (const double gap = (spheres.r.col(k) - x).norm() - spheres.R(k) - R; std::abs(gap) > 1e-13 && gap < 1e-3)
      return false;
  return true;
}

/// A place for a sphere of radius R that touches one of the first n, or two of them that are near each other.
std::optional<Vector> place(Random &random, const micro::Spheres &spheres, const Index n, const double R)
{
  const Index  dim = spheres.dimension(), i = random.below(n), j = random.below(n);
  const Vector to = spheres.r.col(j) - spheres.r.col(i);
  const double c = to.norm(), a = spheres.R(i) + R, b = spheres.R(j) + R;
  Vector       x = spheres.r.col(i) + a * random_direction(random, dim);
  if (i != j && dim > 1 && c < a + b)
    {
      const double along = (a * a - b * b + c * c) / (2. * c), across = std::sqrt(std::max(0., a * a - along * along));
      Vector       normal = random_direction(random, dim);
      normal -= normal.dot(to) / (c * c) * to;
      x = spheres.r.col(i) + along / c * to + across * normal.normalized();
    }
  return fits(spheres, n, x, R) ? std::optional<Vector>(x) : std::nullopt;
}

/// Spheres that came one after the other.
micro::Spheres grown(Random &random, const Index n, const Index dim)
{
  micro::Spheres spheres;
  spheres.r  = Eigen::MatrixXd::Zero(dim, n);
  spheres.R  = Vector::NullaryExpr(n, [&](Index) { return .5 + random.uniform(); });
  Index size = 1;
  while (size < n)
    {
      std::optional<Vector> x;
      for (int attempt = 0; attempt < 200 && !x; ++attempt)
        x = place(random, spheres, size, spheres.R(size));
      if (!x)
        break;
      spheres.r.col(size++) = *x;
    }
  spheres.r.conservativeResize(Eigen::NoChange, size);
  spheres.R.conservativeResize(size);
  return spheres;
}

/// Up to four half-spaces that touch the outermost spheres, along the axes or in any direction.
std::vector<micro::Wall> walls(Random &random, const micro::Spheres &spheres, const double speed)
{
  const Index              dim = spheres.dimension();
  std::vector<micro::Wall> result;
  if (random.uniform() < .4)
    return result;
  const bool  along_axes = dim == 1 || random.uniform() < .7, all_at_rest = random.uniform() < .5;
  const Index n = 1 + random.below(dim == 1 ? 2 : 4);
  for (Index w = 0; w < n; ++w)
    {
      micro::Wall wall;
      wall.name = "wall " + std::to_string(w);
      wall.normal =
          along_axes ? Vector((w % 2 == 0 ? 1. : -1.) * Vector::Unit(dim, w / 2 % dim)) : random_direction(random, dim);
      wall.offset   = (wall.normal.transpose() * spheres.r - spheres.R.transpose()).minCoeff();
      wall.velocity = all_at_rest ? Vector(Vector::Zero(dim)) : Vector(speed * random.normals(dim));
      result.push_back(wall);
    }
  return result;
}

/// Velocities of many kinds, of about this speed.
Vector velocities(Random &random, const micro::Spheres &spheres, const double speed)
{
  const Index  dim = spheres.dimension(), n = spheres.size();
  const double kind = random.uniform();
  Vector       U    = Vector::Zero(dim * n);
  if (kind < .5)
    U = random.normals(dim * n);
  else if (kind < .7) // two halves that meet
    {
      const Vector normal = random_direction(random, dim), centre = spheres.r.rowwise().mean();
      for (Index k = 0; k < n; ++k)
        U.segment(dim * k, dim) = (normal.dot(spheres.r.col(k) - centre) < 0. ? 1. : -1.) * normal;
    }
  else if (kind < .85) // one hits the others
    U.segment(dim * random.below(n), dim) = random_direction(random, dim);
  else // everything moves alike, nearly
    U = Vector(random.normals(dim)).replicate(n, 1) + std::pow(10., -8. * random.uniform()) * random.normals(dim * n);
  if (random.uniform() < .2) // a fast frame
    U += Vector(100. * random.normals(dim)).replicate(n, 1);
  return speed * U;
}

/// Half of the projections by the solver that is chosen where nobody chooses. That of lines refuses what has none.
std::string solver(Random &random, const bool has_lines)
{
  const auto       &names = convex::projector_names();
  const std::string name  = random.uniform() < .5 ? "automatic" : names[random.below(static_cast<Index>(names.size()))];
  return name == "lines" && !has_lines ? "automatic" : name;
}
} // namespace

RandomImpact random_impact(const unsigned int seed)
{
  Random       random(seed);
  RandomImpact x;
  const Index  n = 1 + random.below(60), dim = 1 + random.below(3);
  const double kind = random.uniform();
  x.kind            = dim == 1 || kind < .15 ? "row" : kind < .5 ? "lattice" : "grown";
  x.spheres         = (x.kind == "row" ? row : x.kind == "lattice" ? lattice : grown)(random, n, dim);

  constexpr double decades[]   = {0., 2., 6., 12.};
  const double     speed       = std::pow(10., 8. * (random.uniform() - .5));
  x.spheres.m                  = oracles::masses(random, x.spheres.size(), decades[random.below(4)]);
  x.walls                      = walls(random, x.spheres, speed);
  x.U                          = velocities(random, x.spheres, speed);
  const double which           = random.uniform();
  x.law.restitution            = which < .4 ? 0. : which < .6 ? 1. : random.uniform();
  x.law.max_repetitions        = 20;
  x.solver                     = solver(random, x.kind != "grown");
  constexpr double tolerance[] = {1e-3, 1e-6, 1e-9};
  x.criterion.tolerance        = tolerance[random.below(3)];
  x.criterion.max_iterations   = 2000; // what does not converge by then is an answer, too
  return x;
}
} // namespace moreau::campaign
