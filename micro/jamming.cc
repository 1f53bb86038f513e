// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/jamming.h"

#include "convex/solvers/least_relaxation.h"
#include "micro/packing_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro
{
namespace
{
/// A pair of spheres that are near each other, or a sphere and a side of the box.
struct Close
{
  int             i, j; ///< j < 0: the side -1 - j
  Eigen::Vector3d L;    ///< r_j + L is the image that is near
};

/// Spheres with the radii s a_i that are moved until they jam.
class JammingSpheres
{
public:
  explicit JammingSpheres(const PackingParameters &parameters);

  /// The first stage. said(fraction) of it that is done.
  template <class Said>
  void soften(const Said &said);

  /// One linear program, and how far it got: the growth that it promises, relative to the radii.
  double grow();

  /// All but jammed.
  Packing result() const;

  unsigned int n_steps = 0;

private:
  const Index             dim, n;
  const Vector            lower, upper;
  const PeriodicBox       box;
  const std::vector<Wall> walls;
  Eigen::MatrixXd         r;
  Vector                  a; ///< radii over their mean
  double                  s = 0., last_growth = 1e-3;

  std::vector<Close> near(double reach) const;
  double             gap(const Close &pair, Eigen::Vector3d &e, double &S) const;
  double             push(const std::vector<Close> &pairs, Eigen::MatrixXd &F) const;
  double             minimise();
  void               wrap();
};

JammingSpheres::JammingSpheres(const PackingParameters &parameters)
    : dim(parameters.lower.size())
    , n(parameters.number())
    , lower(parameters.lower)
    , upper(parameters.upper)
    , box(periodic_box(parameters))
    , walls(sides(parameters))
    , r(dim, n)
    , a(n)
{
  constexpr double beyond[] = {1.02, .86, .66};
  RandomNumbers    random(parameters.seed);
  for (double &proportion : a)
    proportion = random(1. - parameters.spread, 1. + parameters.spread);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < dim; ++k)
      r(k, i) = random(lower(k), upper(k));
  s = radius_for(beyond[dim - 1], a, parameters);
}

Packing JammingSpheres::result() const
{
  Packing packing;
  packing.spheres = {r, s * a, Vector(n)};
  for (Index i = 0; i < n; ++i)
    packing.spheres.m(i) = volume_of_ball(s * a(i), dim);
  packing.coverage = packing.spheres.m.sum() / (upper - lower).prod();
  packing.n_steps  = n_steps;
  std::vector<std::pair<int, int>> touching;
  for (const Close &pair : near(contact_gap * s * a.maxCoeff()))
    {
      Eigen::Vector3d e;
      double          S;
      if (gap(pair, e, S) <= contact_gap * s * (pair.j < 0 ? a(pair.i) : std::min(a(pair.i), a(pair.j))))
        touching.emplace_back(pair.i, pair.j);
    }
  count_contacts(packing, touching);
  return packing;
}

void JammingSpheres::wrap()
{
  for (Index i = 0; box.any() && i < n; ++i)
    box.wrap(&r(0, i));
}

/// Within the reach (m) of each other; spheres are within the box.
std::vector<Close> JammingSpheres::near(const double reach) const
{
  std::vector<Close> result;
  for (const NearPair &pair : PairSearch(r, s * a.array() + reach / 2., box).pairs([](const NearPair &) { return true; }))
    {
      Eigen::Vector3d L = pair.x;
      L.head(dim) -= r.col(pair.j) - r.col(pair.i);
      result.push_back({pair.i, pair.j, L});
    }
  for (Index i = 0; i < n; ++i)
    for (std::size_t w = 0; w < walls.size(); ++w)
      if (walls[w].normal.dot(r.col(i)) - walls[w].offset - s * a(i) <= reach)
        result.push_back({static_cast<int>(i), -1 - static_cast<int>(w), Eigen::Vector3d::Zero()});
  return result;
}

/// D (m), e from i to j, and S: the sum of the radii is s S.
double JammingSpheres::gap(const Close &pair, Eigen::Vector3d &e, double &S) const
{
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

/// F := -∇E. Returns the mean overlap of those that overlap (m), 0 where none does.
double JammingSpheres::push(const std::vector<Close> &pairs, Eigen::MatrixXd &F) const
{
  F.setZero();
  double          sum    = 0., S;
  Index           n_over = 0;
  Eigen::Vector3d e;
  for (const Close &pair : pairs)
    {
      const double D = gap(pair, e, S);
      if (D >= 0.)
        continue;
      sum -= D;
      ++n_over;
      for (Index k = 0; k < dim; ++k)
        {
          F(k, pair.i) += D * e(k);
          if (pair.j >= 0)
            F(k, pair.j) -= D * e(k);
        }
    }
  return n_over > 0 ? sum / static_cast<double>(n_over) : 0.;
}

/// Returns the mean overlap that is left, of the mean diameter.
double JammingSpheres::minimise()
{
  constexpr unsigned int most       = 20000;
  constexpr double       skin       = .3;   // of the mean radius
  constexpr double       balanced   = 1e-3; // mean square of the forces on spheres, of the mean overlap
  constexpr double       separated  = 1e-7;
  constexpr double       first_step = .1, longest_step = .6; // in units of the time in which a contact swings
  double                 dt = first_step, alpha = .1, overlap = 0.;
  int                    n_downhill = 0;
  Eigen::MatrixXd        v = Eigen::MatrixXd::Zero(dim, n), F(dim, n), r_then = r;
  std::vector<Close>     pairs = near(skin * s);
  for (unsigned int k = 0; k < most; ++k, ++n_steps)
    {
      if ((r - r_then).colwise().squaredNorm().maxCoeff() > std::pow(.5 * skin * s, 2))
        {
          wrap();
          r_then = r;
          pairs  = near(skin * s);
        }
      const double mean = push(pairs, F), force = F.norm();
      overlap = mean / (2. * s);
      if (overlap < separated || force <= balanced * mean * std::sqrt(static_cast<double>(n)))
        break;
      if (F.cwiseProduct(v).sum() > 0.)
        {
          v = (1. - alpha) * v + alpha * (v.norm() / force) * F;
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
  return overlap;
}

template <class Said>
void JammingSpheres::soften(const Said &said)
{
  constexpr double small = 3e-5, none = 1e-7; // overlaps, of the mean diameter
  constexpr int    max_rounds = 30;
  for (int round = 0; round < max_rounds; ++round)
    {
      const double overlap = minimise();
      said(static_cast<double>(round + 1) / 4.);
      if (overlap < none)
        s *= 1.003;
      else if (overlap > small)
        s *= 1. - .7 * overlap;
      else
        return;
    }
}

double JammingSpheres::grow()
{
  constexpr double         reach = .25, longest = .1; // of the mean diameter
  const double             unit  = 2. * s;
  const std::vector<Close> pairs = near(reach * unit);
  const Index              m     = static_cast<Index>(pairs.size());

  std::vector<convex::PairConstraint::Pair> bodies;
  Eigen::MatrixXd                           directions(dim, m);
  Vector                                    D(m), S(m);
  for (Index c = 0; c < m; ++c)
    {
      Eigen::Vector3d e;
      D(c)              = gap(pairs[c], e, S(c)) / unit;
      directions.col(c) = e.head(dim);
      bodies.push_back({pairs[c].i, pairs[c].j < 0 ? convex::PairConstraint::fixed_body : pairs[c].j});
    }
  S *= .5;
  const convex::PairConstraint B(dim, n, std::move(bodies), std::move(directions));
  const double                 fine = std::max(1e-14, 1e-3 * last_growth);
  const convex::Relaxation     x    = convex::LeastRelaxation(B, S).solve(D, -1., fine);

  Eigen::MatrixXd way = unit * Eigen::Map<const Eigen::MatrixXd>(x.w.data(), dim, n);
  for (Index i = 0; i < n; ++i) // rattlers may go far
    if (const double length = way.col(i).norm(); length > longest * unit)
      way.col(i) *= longest * unit / length;
  r += way;
  double factor = std::numeric_limits<double>::infinity();
  for (const Close &pair : pairs)
    {
      Eigen::Vector3d e;
      double          sum;
      const double    gap_now = gap(pair, e, sum);
      factor                  = std::min(factor, s + gap_now / sum);
    }
  s = factor * (1. - 1e-15);
  wrap();
  ++n_steps;
  last_growth = std::abs(x.lower);
  return last_growth;
}
} // namespace

bool can_jam(const PackingParameters &parameters)
{
  return parameters.coverage == 0. && !(parameters.n > 0 && parameters.radius > 0.) && !parameters.compression &&
         parameters.obstacles.empty() && parameters.lower.size() > 1 && parameters.number() >= fewest_to_jam;
}

Packing jam(const PackingParameters &parameters, const std::function<void(double)> &progress)
{
  constexpr unsigned int max_programs = 200;
  constexpr double       soft = .1, at_rest = 1e-13; // part of the work; growth that is none
  const auto             say = [&](const double fraction) {
    if (progress)
      progress(std::min(1., fraction));
  };
  JammingSpheres spheres(parameters);
  spheres.soften([&](const double part) { say(soft * std::min(1., part)); });
  bool   jammed = false;
  double done   = 0.;
  for (unsigned int k = 0; k < max_programs && !jammed; ++k)
    {
      const double growth = spheres.grow();
      jammed              = growth < at_rest;
      done                = std::max(done, std::log(std::max(growth, at_rest) / 1e-3) / std::log(at_rest / 1e-3));
      say(soft + (1. - soft) * std::max(done, std::min(.9, k / 50.)));
    }
  Packing packing = spheres.result();
  packing.jammed  = jammed;
  return packing;
}
} // namespace moreau::micro
