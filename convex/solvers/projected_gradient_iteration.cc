// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/projected_gradient.h"

#include "convex/certificate.h"
#include "convex/solvers/pair_sweep.h"
#include "convex/start.h"
#include "convex/structure.h"
#include "convex/with_dimension.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr unsigned int first_stage_passes = 150;
constexpr unsigned int check_interval     = 20;
} // namespace

// The methods without their sweeps. `x` is p scaled row by row (constraint_sweep.h), in the order of the sweep.
class ProjectedGradientIteration::Implementation
{
public:
  virtual ~Implementation() = default;

  virtual void    start(const Vector *p)                                             = 0;
  virtual double  accelerated_gradient(unsigned int passes, double target)           = 0;
  virtual bool    face_conjugate_gradients(unsigned int max_steps, double reduction) = 0;
  virtual double  natural_residual()                                                 = 0;
  virtual Outcome advance(const Goal &goal)                                          = 0;
  virtual Vector  p() const                                                          = 0;

  ProjectionProblem problem;
  Vector            q; // Farkas
  unsigned int      half_passes = 0;
  double            L           = 0.;
};

namespace
{
using Goal    = ProjectedGradientIteration::Goal;
using Outcome = ProjectedGradientIteration::Outcome;
using sweeps::Sums;

template <class Sweep>
class Methods : public ProjectedGradientIteration::Implementation
{
public:
  /// b: right-hand side in the frame of mean U; max_U: what natural residuals are relative to; norm_U: size of the data in V
  Methods(Sweep &&sweep, const Vector &b_in_frame, const double max_U, const double norm_U)
      : sweep(std::move(sweep)), max_U(max_U), norm_U(norm_U), x(Vector::Zero(this->sweep.n_rows())), y(x)
  {
    const Index m     = this->sweep.n_rows();
    const bool  has_b = this->sweep.max(max_abs(b_in_frame)) > 0.;
    if (has_b)
      {
        b.resize(m);
        for (Index c = 0; c < m; ++c)
          b(c) = b_in_frame(this->sweep.original(c)) / this->sweep.scale(c);
        may_be_empty = this->sweep.max(max_abs(b.cwiseMin(0.))) > 0.;
      }
    estimate_step_bound();
    if (has_b && L > 0.)
      this->norm_U = std::max(norm_U, std::sqrt(dot(b, b)) / std::sqrt(L));
  }

  void start(const Vector *p) override
  {
    half_passes      = 0;
    const bool given = sweep.max(is_start(p, x.size()) ? 0. : 1.) == 0.;
    for (Index c = 0; c < x.size(); ++c)
      x(c) = given ? std::max(0., (*p)(sweep.original(c)) * sweep.scale(c)) : 0.;
    has_momentum = false;
    q.resize(0);
    first_stage     = first_stage_passes;
    burst           = 40;
    previous        = std::numeric_limits<double>::infinity();
    has_recession   = false;
    recession_check = 100;
    history         = {};
  }

  double accelerated_gradient(const unsigned int passes, const double target) override
  {
    begin_momentum();
    double residual = std::numeric_limits<double>::infinity();
    for (unsigned int k = 1; k <= passes; ++k)
      if (k % check_interval == 0 || k == passes)
        {
          residual = accelerated_pass<true>();
          if (residual <= target)
            break;
        }
      else
        accelerated_pass<false>();
    return residual;
  }

  bool face_conjugate_gradients(const unsigned int max_steps, const double reduction) override
  {
    gradient_at_x();
    return conjugate_gradients(max_steps, reduction);
  }

  double natural_residual() override { return gradient_at_x(); }
  Vector p() const override { return unscaled(x); }

  Outcome advance(const Goal &goal) override;

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// For stall detection: the residual that has to be halved and when it was reached.
  struct History
  {
    double       residual = infinity;
    unsigned int pass     = 0;

    bool stalled(const double now, const unsigned int passes, const unsigned int patience)
    {
      if (now < .5 * residual)
        {
          residual = now;
          pass     = passes;
        }
      return patience > 0 && passes > pass + patience;
    }
  };

  unsigned int passes() const { return (half_passes + 1) / 2; }
  double       dot(const Vector &p, const Vector &q)
  {
    return sweep.reduce([a = p.data(), b = q.data()](const Index c, Sums &sums) { sums.a += a[c] * b[c]; }).a;
  }

  Vector unscaled(const Vector &scaled) const
  {
    Vector p(scaled.size());
    for (Index c = 0; c < p.size(); ++c)
      p(sweep.original(c)) = scaled(c) / sweep.scale(c);
    return p;
  }

  /// λ_max of the scaled W, 5 % up: what 30 steps leave missing. A stiff corner of a network of N rows stays hidden only
  /// while (its λ / found)³⁰ < √N, at N = 1e6 below 1.26; accelerated steps are stable up to 4/3.
  void estimate_step_bound()
  {
    double lambda = 0., *const z = y.data();
    const Sweep &rows = sweep;
    sweep.scatter([&rows](const Index c, Sums &) { return 1. + .5 * std::sin(1. + 7.3 * rows.label(c)); });
    sweep.direction(1., 0.);
    double factor = 0.;
    for (int k = 0; k < 30; ++k)
      {
        const double norm = std::sqrt(sweep
                                          .sweep([z](const Index, const double t, Sums &sums) {
                                            sums.a += t * t;
                                            return t;
                                          })
                                          .a);
        if (!(norm > 0.))
          break;
        if (k > 0)
          lambda = norm;
        factor = 1. / norm;
        sweep.direction(factor, 0.);
      }
    L = lambda > 0. ? 1.05 * lambda : 1.;
  }

  void begin_momentum()
  {
    if (has_momentum)
      return;
    y = x;
    scatter(y);
    sweep.velocity();
    theta        = 1.;
    has_momentum = true;
  }

  /// f = Bᵀz. Half a pass.
  void scatter(const Vector &z)
  {
    const double *const value = z.data();
    sweep.scatter([value](const Index c, Sums &) { return value[c]; });
    ++half_passes;
  }

  /// One step from the extrapolated point y, whose velocity is at hand; with check, the natural residual of y.
  template <bool check>
  double accelerated_pass();

  /// y = b - Bu at x; returns the natural residual.
  double gradient_at_x();

  bool conjugate_gradients(unsigned int max_steps, double reduction);

  /// Looks for q >= 0 with B*q = 0, <b,q> < 0 in x and in its growth since the last look.
  bool proves_infeasible();
  bool is_recession(Vector z);

  Sweep  sweep;
  Vector b;
  double max_U, norm_U;
  bool   may_be_empty = false;

  Vector x, y; // y: extrapolated point while there is momentum, else the gradient
  Vector r, direction, step;
  Vector x_recession;

  double       theta        = 1.;
  bool         has_momentum = false, has_recession = false;
  unsigned int first_stage = first_stage_passes, burst = 40, recession_check = 100;
  double       previous = infinity;
  History      history;
};

template <class Sweep>
template <bool check>
double Methods<Sweep>::accelerated_pass()
{
  const double  next_theta = .5 * (1. + std::sqrt(1. + 4. * theta * theta));
  const double  beta = (theta - 1.) / next_theta, step_length = 1. / L;
  double *const p = x.data(), *const extrapolated = y.data();
  const double *const rhs  = b.size() > 0 ? b.data() : nullptr;
  const Sweep        &rows = sweep;

  const Sums sums = sweep.sweep([=, &rows](const Index c, const double Bu, Sums &sums) {
    const double g = rhs ? rhs[c] - Bu : -Bu;
    if (check)
      sums.max = std::max(sums.max, rows.scale(c) * std::abs(std::min(extrapolated[c], g)));
    const double p_new  = sweeps::positive_part(extrapolated[c] - step_length * g);
    const double change = p_new - p[c];
    sums.a += g * change;
    p[c]            = p_new;
    extrapolated[c] = sweeps::positive_part(p_new + beta * change);
    return extrapolated[c];
  });
  half_passes += 2;
  theta = next_theta;
  // O'Donoghue & Candès: momentum that points uphill is dropped
  if (sums.a > 0.)
    {
      has_momentum = false;
      begin_momentum();
    }
  else
    sweep.velocity();
  return sums.max / max_U;
}

template <class Sweep>
double Methods<Sweep>::gradient_at_x()
{
  has_momentum = false;
  scatter(x);
  sweep.velocity();
  const double *const p = x.data(), *const rhs = b.size() > 0 ? b.data() : nullptr;
  double *const gradient = y.data();
  const Sweep  &rows     = sweep;
  const Sums    sums     = sweep.gather([=, &rows](const Index c, const double Bu, Sums &sums) {
    const double g = rhs ? rhs[c] - Bu : -Bu;
    gradient[c]    = g;
    sums.max       = std::max(sums.max, rows.scale(c) * std::abs(std::min(p[c], g)));
    sums.a += g;
  });
  ++half_passes;
  // the maximum passes over NaN, the sum does not
  return std::isfinite(sums.a) ? sums.max / max_U : infinity;
}

template <class Sweep>
bool Methods<Sweep>::conjugate_gradients(const unsigned int max_steps, const double reduction)
{
  const Index m = x.size();
  if (r.size() != m)
    {
      r.resize(m);
      direction.resize(m);
      step.resize(m);
    }
  double *const       p  = x.data();
  const double *const g  = y.data();
  double *const residual = r.data(), *const conjugate = direction.data(), *const s = step.data();

  // r = -g on the face; v = B* direction is kept as w of the sweep
  double rr = sweep
                  .scatter([=](const Index c, Sums &sums) {
                    residual[c]  = p[c] > 0. ? -g[c] : 0.;
                    conjugate[c] = s[c] = 0.;
                    sums.a += residual[c] * residual[c];
                    return residual[c];
                  })
                  .a;
  ++half_passes;
  const double rr_start = rr;
  if (!(rr > 0.))
    return false;
  double beta = 0., dWd = sweep.direction(1., 0.);
  for (unsigned int k = 0; k < max_steps; ++k)
    {
      // no curvature: the minimum on the face is at infinity or within rounding
      if (!(dWd > 1e-13 * rr))
        break;
      const double alpha  = rr / dWd;
      const double rr_new = sweep
                                .sweep([=](const Index c, const double t, Sums &sums) {
                                  conjugate[c] = residual[c] + beta * conjugate[c];
                                  s[c] += alpha * conjugate[c];
                                  residual[c] -= static_cast<double>(p[c] > 0.) * (alpha * t);
                                  sums.a += residual[c] * residual[c];
                                  return residual[c];
                                })
                                .a;
      half_passes += 2;
      if (!(rr_new > reduction * reduction * rr_start))
        break;
      beta = rr_new / rr;
      rr   = rr_new;
      dWd  = sweep.direction(1., beta);
    }

  // dual value of x + change minus that of x, without cancellation: <g,change> + ½|B*change|²
  double t = 1.;
  for (int trial = 0; trial < 8; ++trial, t *= .4)
    {
      const double linear = sweep
                                .scatter([=](const Index c, Sums &sums) {
                                  const double change = std::max(-p[c], t * s[c]);
                                  sums.a += g[c] * change;
                                  return change;
                                })
                                .a;
      ++half_passes;
      if (linear + .5 * sweep.direction(1., 0.) < 0.)
        {
          x = (x + t * step).cwiseMax(0.);
          return true;
        }
    }
  return false;
}

template <class Sweep>
bool Methods<Sweep>::is_recession(Vector z)
{
  const double largest = sweep.max(z.size() == 0 ? 0. : z.maxCoeff());
  if (!(largest > 0.) || !std::isfinite(largest))
    return false;
  has_momentum = false;
  // with and without the small entries: what is not part of the blocking rows has not settled
  for (const double threshold : {1e-4, 0.})
    {
      const Vector candidate = (z.array() >= threshold * largest).select(z / largest, 0.);
      scatter(candidate);
      const double size = std::sqrt(sweep.direction(1., 0.)), work = dot(b, candidate);
      if (-work > 1e6 * size * norm_U && -work > 1e-9 * dot(b.cwiseAbs(), candidate))
        {
          q = unscaled(candidate);
          q /= sweep.max(max_abs(q));
          return true;
        }
    }
  return false;
}

template <class Sweep>
bool Methods<Sweep>::proves_infeasible()
{
  if (!may_be_empty || passes() < recession_check)
    return false;
  recession_check  = 2 * passes();
  const bool found = is_recession(x) || (has_recession && is_recession((x - x_recession).cwiseMax(0.)));
  x_recession      = x;
  has_recession    = true;
  return found;
}

template <class Sweep>
Outcome Methods<Sweep>::advance(const Goal &goal)
{
  const auto left = [&] { return goal.max_passes - std::min(goal.max_passes, passes()); };
  if (goal.max_passes == 0)
    return Outcome::pass_limit; // a look at the residual would be a pass

  while (true)
    {
      if (first_stage == 0 || !has_momentum)
        {
          const double residual = gradient_at_x();
          if (residual <= goal.natural_residual)
            return Outcome::residual_met;
          if (proves_infeasible())
            return Outcome::infeasible;
          if (history.stalled(residual, passes(), goal.stall_passes))
            {
              history.pass = passes();
              return Outcome::stalled;
            }
          if (left() == 0)
            return Outcome::pass_limit;
          if (first_stage == 0)
            {
              if (residual > .5 * previous)
                burst = std::min(2 * burst, 4000u);
              else if (residual < .2 * previous)
                burst = std::max(40u, burst / 2);
              previous = residual;
              conjugate_gradients(std::min(50u, left()), .1);
            }
        }
      unsigned int todo = std::min(first_stage > 0 ? first_stage : burst, left());
      while (todo > 0)
        {
          const unsigned int chunk    = std::min(todo, 100u);
          const double       residual = accelerated_gradient(chunk, goal.natural_residual);
          todo -= chunk;
          goal.watch(residual, goal.natural_residual);
          if (residual <= goal.natural_residual || history.stalled(residual, passes(), goal.stall_passes) ||
              may_be_empty && passes() >= recession_check)
            break;
        }
      first_stage = 0;
    }
}

template <class Sweep>
std::unique_ptr<ProjectedGradientIteration::Implementation> methods(Sweep &&sweep, const Vector &b, const double max_U,
                                                                    const double norm_U)
{
  return std::make_unique<Methods<Sweep>>(std::move(sweep), b, max_U, norm_U);
}

std::unique_ptr<ProjectedGradientIteration::Implementation> make_methods(const ProjectionProblem &problem)
{
  // in the frame of mean U a large common velocity costs no digits
  const Vector mean = problem.V->mean(problem.U), U = problem.U - mean;
  Vector       b(problem.n_constraints());
  problem.B->apply(mean, b);
  b = problem.b.size() == 0 ? Vector(-b) : Vector(problem.b - b);

  const double norm_U = problem.V->norm(U);
  // what has to be undone: differences of U, and rows that the mean velocity itself breaks (a pack flying into a wall)
  double max_U = problem.V->max_over_processes(std::max(max_abs(U), max_abs(b.cwiseMin(0.))));
  if (!(max_U > 0.))
    max_U = 1.; // U is admissible

  const auto [sparse, pairs, masses] = structure_of(problem);
  const Vector inverse               = masses ? Vector(masses->masses().cwiseInverse()) : Vector();
  const Vector W                     = delassus_diagonal(problem);
  if (const SharedNetwork *const network = shared_network(problem))
    return with_dimension(network->here().dim,
                          [&](const auto d) { return methods(sweeps::PairSweep<d()>(*network, W, U), b, max_U, norm_U); });
  if (masses && pairs)
    if (const std::optional<Vector> inverse_of_nodes = sweeps::values_of_nodes(inverse, pairs->dimension()))
      return with_dimension(pairs->dimension(), [&, B = pairs](const auto d) {
        return methods(sweeps::PairSweep<d()>(*B, *inverse_of_nodes, W, U), b, max_U, norm_U);
      });
  if (masses && sparse)
    return methods(sweeps::SparseSweep(*sparse, inverse, W, U), b, max_U, norm_U);
  return methods(sweeps::OperatorSweep(problem, U), b, max_U, norm_U);
}
} // namespace

ProjectedGradientIteration::ProjectedGradientIteration(const ProjectionProblem &problem)
    : implementation(make_methods(problem))
{
  implementation->problem = problem;
  implementation->start(nullptr);
}

ProjectedGradientIteration::~ProjectedGradientIteration() = default;

void ProjectedGradientIteration::start(const Vector *p) { implementation->start(p); }

double ProjectedGradientIteration::accelerated_gradient(const unsigned int passes, const double target)
{
  return implementation->accelerated_gradient(passes, target);
}

bool ProjectedGradientIteration::face_conjugate_gradients(const unsigned int max_steps, const double reduction)
{
  return implementation->face_conjugate_gradients(max_steps, reduction);
}

double ProjectedGradientIteration::natural_residual() { return implementation->natural_residual(); }
ProjectedGradientIteration::Outcome ProjectedGradientIteration::advance(const Goal &goal)
{
  return implementation->advance(goal);
}

Vector        ProjectedGradientIteration::p() const { return implementation->p(); }
Vector        ProjectedGradientIteration::u() const { return implementation->problem.velocity_of(p()); }
const Vector &ProjectedGradientIteration::infeasibility() const { return implementation->q; }
unsigned int  ProjectedGradientIteration::passes() const { return (implementation->half_passes + 1) / 2; }
double        ProjectedGradientIteration::step_bound() const { return implementation->L; }
} // namespace moreau::convex
