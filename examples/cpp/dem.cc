// SPDX-License-Identifier: GPL-3.0-or-later
// A discrete-element code that has its own arrays and its own search, and hands over contacts every step: they are read
// where they lie, and the impulses of one step are the first guess of the next one.
#include <moreau/convex/solvers/make_projector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace
{
using moreau::convex::Index;
using moreau::convex::Vector;

/// The memory of the other code: discs above a floor (disc -1), in its own layout.
struct Dem
{
  struct Contact
  {
    int    i, j;   ///< discs; j = -1: the floor
    double nx, ny; ///< unit vector from i to j
    double gap;
  };

  std::vector<double>  x, y, radius, mass;
  Vector               velocity; ///< vx, vy of disc after disc
  std::vector<Contact> contacts;

  /// Everything that is near. n² here; a real code has its cell lists.
  void search(const double reach)
  {
    contacts.clear();
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
      {
        for (int j = i + 1; j < static_cast<int>(x.size()); ++j)
          {
            const double dx = x[j] - x[i], dy = y[j] - y[i], distance = std::hypot(dx, dy);
            if (const double gap = distance - radius[i] - radius[j]; gap < reach)
              contacts.push_back({i, j, dx / distance, dy / distance, gap});
          }
        if (const double gap = y[i] - radius[i]; gap < reach)
          contacts.push_back({i, -1, 0., -1., gap});
      }
  }
};

/// (Bv)_c = -n_c·(v_j - v_i), row by row from the contacts of the other code. No copy, no matrix.
class ContactsOfDem : public moreau::convex::ConstraintOperator
{
public:
  explicit ContactsOfDem(const Dem &dem) : dem(dem) {}

  Index n_constraints() const override { return static_cast<Index>(dem.contacts.size()); }
  Index n_unknowns() const override { return dem.velocity.size(); }

  void apply(const Vector &v, Vector &Bv) const override
  {
    Bv.resize(n_constraints());
    for (Index c = 0; c < n_constraints(); ++c)
      {
        const Dem::Contact &k  = dem.contacts[c];
        const double        vx = k.j < 0 ? 0. : v(2 * k.j), vy = k.j < 0 ? 0. : v(2 * k.j + 1);
        Bv(c) = k.nx * (v(2 * k.i) - vx) + k.ny * (v(2 * k.i + 1) - vy);
      }
  }

  void apply_transpose(const Vector &q, Vector &Btq) const override
  {
    Btq = Vector::Zero(n_unknowns());
    for (Index c = 0; c < n_constraints(); ++c)
      {
        const Dem::Contact &k = dem.contacts[c];
        Btq.segment<2>(2 * k.i) += q(c) * Eigen::Vector2d(k.nx, k.ny);
        if (k.j >= 0)
          Btq.segment<2>(2 * k.j) -= q(c) * Eigen::Vector2d(k.nx, k.ny);
      }
  }

  /// Lets first-order solvers scale their rows.
  Vector delassus_diagonal(const moreau::convex::VelocitySpace &) const override
  {
    Vector W(n_constraints());
    for (Index c = 0; c < W.size(); ++c)
      W(c) = 1. / dem.mass[dem.contacts[c].i] + (dem.contacts[c].j < 0 ? 0. : 1. / dem.mass[dem.contacts[c].j]);
    return W;
  }

private:
  const Dem &dem;
};
} // namespace

int main()
{
  Dem dem;
  for (int k = 0; k < 5; ++k)
    for (int l = 0; l < 8; ++l)
      {
        dem.x.push_back(1.05 * k + .3 * (l % 2));
        dem.y.push_back(.6 + 1.05 * l);
        dem.radius.push_back(.5);
        dem.mass.push_back(1.);
      }
  const Index n = static_cast<Index>(dem.x.size());
  dem.velocity  = Vector::Zero(2 * n);

  moreau::convex::StoppingCriterion criterion;
  criterion.tolerance           = 1e-7;
  criterion.on_natural_residual = true; // a bound per step is not worth its time here
  const auto projector          = moreau::convex::make_projector("automatic", criterion);

  const double                          h = 5e-3;
  std::map<std::pair<int, int>, double> impulses; // of the step before, by contact
  unsigned int                          warm = 0, cold = 0;
  double                                from_floor = 0.; // impulse so far (kg m/s)
  for (int step = 0; step < 600; ++step)
    {
      dem.search(.1);
      moreau::convex::ProjectionProblem problem;
      problem.V = std::make_shared<moreau::convex::DiagonalSpace>(Eigen::Map<const Vector>(dem.mass.data(), n), 2,
                                                                  std::vector<bool>{false, true}); // the floor is at rest
      problem.B = std::make_shared<ContactsOfDem>(dem);
      problem.U = dem.velocity;
      for (Index i = 0; i < n; ++i)
        problem.U(2 * i + 1) -= h * 9.81;
      problem.b.resize(problem.n_constraints()); // gaps must stay positive: -h n·(v_j - v_i) <= gap
      Vector guess = Vector::Zero(problem.n_constraints());
      for (Index c = 0; c < guess.size(); ++c)
        {
          const Dem::Contact &k = dem.contacts[c];
          problem.b(c)          = k.gap / h;
          if (const auto found = impulses.find({k.i, k.j}); found != impulses.end())
            guess(c) = found->second;
        }

      const moreau::convex::SaddlePoint x = projector->project(problem, &guess);
      if (!x.converged())
        {
          std::cerr << "step " << step << ": " << name(x.status) << ", " << x.method << "\n";
          return 1;
        }
      if (step % 100 == 99)
        {
          warm += x.n_iterations;
          cold += projector->project(problem).n_iterations;
        }
      dem.velocity = x.u;
      impulses.clear();
      for (Index c = 0; c < x.p.size(); ++c)
        {
          impulses[{dem.contacts[c].i, dem.contacts[c].j}] = x.p(c);
          from_floor += dem.contacts[c].j < 0 ? x.p(c) : 0.;
        }
      for (Index i = 0; i < n; ++i)
        {
          dem.x[i] += h * x.u(2 * i);
          dem.y[i] += h * x.u(2 * i + 1);
        }
    }

  dem.search(.1);
  double overlap = 0., upwards = 0.; // momentum (kg m/s)
  for (const Dem::Contact &k : dem.contacts)
    overlap = std::max(overlap, -k.gap);
  for (Index i = 0; i < n; ++i)
    upwards += dem.mass[i] * dem.velocity(2 * i + 1);
  const double weight = 600 * h * 9.81 * static_cast<double>(n);
  std::cout << n << " discs after 3 s: overlap " << overlap << " m; the floor gave " << from_floor << ", their weight took "
            << weight << ", which leaves the momentum " << upwards << " kg m/s; passes from the impulses of the step before "
            << warm << ", from zero " << cold << "\n";
  return overlap < 1e-5 && warm < cold && std::abs(from_floor - weight - upwards) < 1e-6 * weight ? 0 : 1;
}
