// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/soft_spheres.h"

#include "convex/constraint_operator.h"
#include "convex/factorisation/normal_matrix.h"
#include "convex/factorisation/sparse_cholesky.h"
#include "micro/packing_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro
{
SoftSpheres::SoftSpheres(const PackingParameters &parameters)
    : r(parameters.lower.size(), parameters.number())
    , a(parameters.number())
    , lower(parameters.lower)
    , upper(parameters.upper)
    , box(periodic_box(parameters))
    , walls(sides(parameters))
{
  constexpr double beyond[] = {1.02, .86, .66};
  RandomNumbers    random(parameters.seed);
  for (double &proportion : a)
    proportion = random(1. - parameters.spread, 1. + parameters.spread);
  for (Index i = 0; i < size(); ++i)
    for (Index k = 0; k < dimension(); ++k)
      r(k, i) = random(lower(k), upper(k));
  s = radius_for(beyond[dimension() - 1], a, parameters);
}

double SoftSpheres::coverage() const
{
  double volume = 0.;
  for (const double proportion : a)
    volume += volume_of_ball(s * proportion, dimension());
  return volume / (upper - lower).prod();
}

void SoftSpheres::wrap()
{
  for (Index i = 0; box.any() && i < size(); ++i)
    box.wrap(&r(0, i));
}

std::vector<SoftSpheres::Close> SoftSpheres::near(const double reach) const
{
  std::vector<Close> result;
  for (const NearPair &pair : PairSearch(r, s * a.array() + reach / 2., box).pairs([](const NearPair &) { return true; }))
    {
      Eigen::Vector3d L = pair.x;
      L.head(dimension()) -= r.col(pair.j) - r.col(pair.i);
      result.push_back({pair.i, pair.j, L});
    }
  for (Index i = 0; i < size(); ++i)
    for (std::size_t w = 0; w < walls.size(); ++w)
      if (walls[w].normal.dot(r.col(i)) - walls[w].offset - s * a(i) <= reach)
        result.push_back({static_cast<int>(i), -1 - static_cast<int>(w), Eigen::Vector3d::Zero()});
  return result;
}

double SoftSpheres::gap(const Close &pair, Eigen::Vector3d &e, double &S) const
{
  const Index dim = dimension();
  e.setZero();
  if (pair.j < 0)
    {
      const Wall &wall = walls[-1 - pair.j];
      S                = a(pair.i);
      e.head(dim)      = -wall.normal;
      return wall.normal.dot(r.col(pair.i)) - wall.offset - s * S;
    }
  S                     = a(pair.i) + a(pair.j);
  e.head(dim)           = r.col(pair.j) - r.col(pair.i) + pair.L.head(dim);
  const double distance = e.norm();
  e /= std::max(distance, 1e-12 * s);
  return distance - s * S;
}

SoftSpheres::Rows SoftSpheres::rows(const std::vector<Close> &pairs) const
{
  const Index                               m = static_cast<Index>(pairs.size());
  std::vector<convex::PairConstraint::Pair> bodies;
  Eigen::MatrixXd                           directions(dimension(), m);
  Vector                                    D(m), S(m);
  bodies.reserve(pairs.size());
  for (Index c = 0; c < m; ++c)
    {
      Eigen::Vector3d e;
      D(c)              = gap(pairs[c], e, S(c));
      directions.col(c) = e.head(dimension());
      bodies.push_back({pairs[c].i, pairs[c].j < 0 ? convex::PairConstraint::fixed_body : pairs[c].j});
    }
  return {{dimension(), size(), std::move(bodies), std::move(directions)}, std::move(D), std::move(S)};
}

std::vector<std::pair<int, int>> SoftSpheres::touching(const double part) const
{
  std::vector<std::pair<int, int>> result;
  for (const Close &pair : near(part * s * a.maxCoeff()))
    {
      Eigen::Vector3d e;
      double          S;
      if (gap(pair, e, S) <= part * s * (pair.j < 0 ? a(pair.i) : std::min(a(pair.i), a(pair.j))))
        result.emplace_back(pair.i, pair.j);
    }
  return result;
}

SoftSpheres::Push SoftSpheres::push(const std::vector<Close> &pairs, Eigen::MatrixXd &F) const
{
  F.setZero(dimension(), size());
  Push            now;
  double          sum    = 0., S;
  Index           n_over = 0;
  Eigen::Vector3d e;
  for (const Close &pair : pairs)
    {
      const double D = gap(pair, e, S);
      if (D >= 0.)
        continue;
      sum -= D;
      now.E += .5 * D * D;
      ++n_over;
      for (Index k = 0; k < dimension(); ++k)
        {
          F(k, pair.i) += D * e(k);
          if (pair.j >= 0)
            F(k, pair.j) -= D * e(k);
        }
    }
  now.mean_overlap = n_over > 0 ? sum / static_cast<double>(n_over) : 0.;
  return now;
}

bool SoftSpheres::is_balanced(const Push &now, const Eigen::MatrixXd &F, const double balanced) const
{
  const double rounding = 4. * std::numeric_limits<double>::epsilon() * r.cwiseAbs().maxCoeff();
  return F.norm() <= std::max(balanced * now.mean_overlap, rounding) * std::sqrt(static_cast<double>(size()));
}

double SoftSpheres::imbalance() const
{
  Eigen::MatrixXd F;
  const Push      now = push(near(0.), F);
  if (is_balanced(now, F, 0.))
    return 0.;
  return F.norm() / (now.mean_overlap * std::sqrt(static_cast<double>(size())));
}

double SoftSpheres::glide(const double balanced)
{
  constexpr unsigned int most       = 100000;
  constexpr double       skin       = .3;                    // of the mean radius
  constexpr double       first_step = .1, longest_step = .6; // in units of the time in which a contact swings
  double                 dt = first_step, alpha = .1;
  int                    n_downhill = 0;
  Push                   now;
  Eigen::MatrixXd        v = Eigen::MatrixXd::Zero(dimension(), size()), F, r_then = r;
  std::vector<Close>     pairs = near(skin * s);
  for (unsigned int k = 0; k < most; ++k, ++n_steps)
    {
      if (at_step)
        at_step();
      if ((r - r_then).colwise().squaredNorm().maxCoeff() > std::pow(.5 * skin * s, 2))
        {
          wrap();
          r_then = r;
          pairs  = near(skin * s);
        }
      now = push(pairs, F);
      if (is_balanced(now, F, balanced))
        break;
      if (F.cwiseProduct(v).sum() > 0.)
        {
          v = (1. - alpha) * v + alpha * (v.norm() / F.norm()) * F;
          if (++n_downhill > 5)
            {
              dt = std::min(1.1 * dt, longest_step);
              alpha *= .99;
            }
        }
      else
        {
          n_downhill = 0;
          dt *= .5;
          alpha = .1;
          v.setZero();
        }
      v += dt * F;
      r += dt * v;
    }
  wrap();
  return now.mean_overlap / (2. * s);
}

double SoftSpheres::settle(const double balanced)
{
  constexpr unsigned int most  = 200;
  constexpr double       reach = .2, longest = .05, at_rest = 1e-12; // of the mean radius
  constexpr double       stiffness = .05; // less: longer ways, more contacts that open and close on them
  Push                   now;
  Eigen::MatrixXd        F, r_then;
  std::vector<Close>     pairs;
  Factors                factors; // of an order that the pairs determine
  for (unsigned int k = 0; k < most; ++k, ++n_steps)
    {
      if (at_step)
        at_step();
      if (k == 0 || (r - r_then).colwise().squaredNorm().maxCoeff() > std::pow((.5 * reach - longest) * s, 2))
        {
          wrap();
          r_then = r;
          pairs  = near(reach * s);
          factors.reset();
        }
      now = push(pairs, F);
      if (is_balanced(now, F, balanced))
        break;
      Eigen::MatrixXd way    = descent(rows(pairs), stiffness * now.mean_overlap / (2. * s), factors);
      const double    length = way.colwise().norm().maxCoeff();
      r += std::min(1., longest * s / length) * way;
      if (length < at_rest * s)
        break;
    }
  wrap();
  return now.mean_overlap / (2. * s);
}

Eigen::MatrixXd SoftSpheres::descent(const Rows &rows, double lambda, Factors &factors) const
{
  constexpr unsigned int most = 40, n_halvings = 20;
  constexpr double       less_force = .1, least_lambda = 1e-10;
  lambda                                  = std::max(lambda, least_lambda);
  const convex::PairConstraint         &B = rows.B;
  const Index                           m = B.n_constraints(), n = dimension() * size();
  const Vector                          ones   = Vector::Ones(n); // the matrix refers to it
  const auto                            matrix = convex::make_normal_matrix(B, ones);
  Vector                                x = Vector::Zero(n), dx(n), g(n), overlap = -rows.D, change(m);
  double                                enough = 0.;
  Eigen::Array<bool, Eigen::Dynamic, 1> pressed(m);
  if (!factors)
    factors = convex::make_sparse_cholesky(matrix->pattern());
  for (unsigned int k = 0; k < most; ++k)
    {
      pressed = overlap.array() > 0.;
      B.apply_transpose(pressed.select(overlap, 0.), g);
      g += lambda * x;
      if (enough == 0.)
        enough = less_force * g.norm();
      else if (g.norm() <= enough)
        break;
      matrix->assemble(pressed.select(Vector::Constant(m, 1. / lambda), 0.));
      if (!factors->factorize(matrix->values()))
        break;
      dx = -g / lambda;
      factors->solve(dx);
      B.apply(dx, change);
      double t = 1.;
      if (const auto slope =
              [&](const double t) {
                return lambda * (x.dot(dx) + t * dx.squaredNorm()) + (overlap + t * change).cwiseMax(0.).dot(change);
              };
          slope(1.) > 0.)
        {
          double low = 0., high = 1.;
          for (unsigned int halving = 0; halving < n_halvings; ++halving)
            {
              t                            = .5 * (low + high);
              (slope(t) > 0. ? high : low) = t;
            }
        }
      x += t * dx;
      overlap += t * change;
    }
  return x.reshaped(dimension(), size());
}

void SoftSpheres::soften(const std::function<void(double)> &said)
{
  constexpr double small = 5e-4, rough = 1e-2; // overlap, of the mean diameter; balance
  constexpr Index  many_balls = 3000;          // factors are dear in space: fewer are needed where this goes on
  constexpr double smaller = 2e-5, fine = 1e-4;
  constexpr int    max_rounds = 60;
  const bool       goes_on    = dimension() == 3 && size() >= many_balls;
  const double     least_room = goes_on ? 4e-5 : 1e-3; // of the radii
  const double     enough     = goes_on ? smaller : small;
  double           overlap    = 1.;
  for (int round = 0; round < max_rounds && overlap > enough; ++round)
    {
      overlap = glide(overlap > small ? rough : fine);
      said(std::clamp(std::log(overlap) / std::log(enough), 0., 1.));
      if (overlap > enough)
        s *= 1. - .6 * overlap;
    }
  double          deepest = 0., S;
  Eigen::Vector3d e;
  for (const Close &pair : near(0.))
    {
      const double D = gap(pair, e, S);
      deepest        = std::max(deepest, -D / (s * S));
    }
  s *= 1. - 1.05 * std::max(deepest, least_room);
}
} // namespace moreau::micro
