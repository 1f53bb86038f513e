// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/chain_splitting.h"

#include "convex/solvers/start.h"
#include "convex/structure.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::convex
{
namespace
{
constexpr double infinity   = std::numeric_limits<double>::infinity();
constexpr Index  chunk_size = 8192; // nodes that a thread takes at a time, whatever the number of threads
constexpr double relaxation = 1.6;
constexpr int    patience   = 100; // conjugate gradient steps in which the residual must halve
} // namespace

RunsOfProblem::RunsOfProblem(const ChainFamilies::Family &chains, const Vector &node_masses, const bool equal_masses,
                             const Vector &b)
    : chains(&chains)
{
  const Index n = n_positions();
  if (!equal_masses)
    {
      mass.resize(n);
      for (Index l = 0; l < n; ++l)
        mass[l] = node_masses(chains.node[l]);
    }
  if (!b.isZero(0.))
    {
      shift.assign(n, 0.);
      for (Index r = 0; r < chains.n_runs(); ++r)
        for (int l = chains.run_start[r] + 1; l < chains.run_start[r + 1]; ++l)
          shift[l] = shift[l - 1] + b(chains.row[l - 1]);
    }
  const auto is_row = [](const int row) { return row != ChainFamilies::none; };
  if (std::any_of(chains.row_before.begin(), chains.row_before.end(), is_row) ||
      std::any_of(chains.row_after.begin(), chains.row_after.end(), is_row))
    {
      lower.assign(chains.n_runs(), -infinity);
      upper.assign(chains.n_runs(), infinity);
      for (Index r = 0; r < chains.n_runs(); ++r)
        set_bounds(r, b);
    }
  chunk.push_back(0);
  for (Index r = 0; r < chains.n_runs(); ++r)
    if (chains.run_start[r + 1] - chains.run_start[chunk.back()] >= chunk_size || r + 1 == chains.n_runs())
      chunk.push_back(static_cast<int>(r) + 1);
}

void RunsOfProblem::set_bounds(const Index r, const Vector &b)
{
  const int before = chains->row_before[r], after = chains->row_after[r];
  if (before != ChainFamilies::none)
    lower[r] = -b(before);
  if (after != ChainFamilies::none)
    upper[r] = b(after) + shift_at(chains->run_start[r + 1] - 1);
  if (!(lower[r] > upper[r]))
    return;
  double size = std::abs(b(before)) + std::abs(b(after));
  for (int l = chains->run_start[r]; l + 1 < chains->run_start[r + 1]; ++l)
    size += std::abs(b(chains->row[l]));
  constexpr double rounding = 1e-12;
  if (lower[r] - upper[r] <= rounding * size)
    lower[r] = upper[r] = .5 * (lower[r] + upper[r]);
}

void RunsOfProblem::regress(LineRegression &line, const Index r, const double *s, double *const x) const
{
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  if (!shift.empty())
    {
      for (Index l = 0; l < n; ++l)
        x[l] = s[l] + shift[begin + l];
      s = x;
    }
  line.project(n, s, mass.empty() ? nullptr : mass.data() + begin, x);
  if (!lower.empty())
    for (Index l = 0; l < n; ++l) // the bounded regression is the regression, cut off
      x[l] = std::min(std::max(x[l], lower[r]), upper[r]);
}

void RunsOfProblem::multipliers(const Index r, const double *const x, const double *const y, const double common_mass,
                                Vector &p) const
{
  const Index begin = chains->run_start[r], n = chains->run_start[r + 1] - begin;
  const int   before = chains->row_before[r], after = chains->row_after[r];
  const auto  momentum = [&](const Index l) { return common_mass * mass_at(begin + l) * y[l]; };
  double      sum      = 0.;
  if (before != ChainFamilies::none && x[0] == lower[r])
    {
      // the fixed body gives what its block lacks; between two bodies the least that keeps every p >= 0
      double partial = 0., least = 0.;
      Index  l = 0;
      for (; l < n && x[l] == x[0]; ++l)
        {
          partial += momentum(l);
          least = std::min(least, partial);
        }
      const bool blocked = l == n && after != ChainFamilies::none && x[0] == upper[r];
      sum                = std::max(0., -(blocked ? least : partial));
    }
  if (before != ChainFamilies::none)
    p(before) = sum;
  for (Index l = 0; l < n; ++l)
    {
      sum += momentum(l);
      const bool last = l + 1 == n;
      const int  row  = last ? after : chains->row[begin + l];
      if (last ? row != ChainFamilies::none && x[l] != upper[r] : x[l] < x[l + 1])
        sum = 0.;
      if (row != ChainFamilies::none)
        p(row) = std::max(0., sum);
    }
}

std::optional<Vector> blocking_chain(const std::vector<RunsOfProblem> &families, const Index n_rows)
{
  for (const RunsOfProblem &family : families)
    for (std::size_t r = 0; r < family.lower.size(); ++r)
      if (family.lower[r] > family.upper[r])
        {
          Vector      p           = Vector::Zero(n_rows);
          const auto &chains      = *family.chains;
          p(chains.row_before[r]) = p(chains.row_after[r]) = 1.;
          for (int l = chains.run_start[r]; l + 1 < chains.run_start[r + 1]; ++l)
            p(chains.row[l]) = 1.;
          return p;
        }
  return {};
}

namespace
{
struct SplittingWorkspace
{
  LineRegression      line;
  std::vector<double> s, z;
};

/// The workspace of this thread, for runs of n nodes.
SplittingWorkspace &splitting_workspace(const Index n)
{
  thread_local SplittingWorkspace space;
  if (static_cast<Index>(space.s.size()) < n)
    {
      space.s.resize(n);
      space.z.resize(n);
    }
  return space;
}

/// Calls body(i) for 0 <= i < n in parallel, chunk by chunk.
template <class Body>
void for_all_nodes(const Index n, Body &&body)
{
  tbb::parallel_for(Index(0), (n + chunk_size - 1) / chunk_size, [&](const Index c) {
    for (Index i = c * chunk_size, end = std::min(n, i + chunk_size); i < end; ++i)
      body(i);
  });
}

/// Σ term(i) over 0 <= i < n in an order that does not depend on the number of threads.
template <class Term>
double sum_over_nodes(const Index n, Term &&term)
{
  std::vector<double> partial((n + chunk_size - 1) / chunk_size);
  tbb::parallel_for(std::size_t(0), partial.size(), [&](const std::size_t c) {
    double sum = 0.;
    for (Index i = c * chunk_size, end = std::min(n, i + chunk_size); i < end; ++i)
      sum += term(i);
    partial[c] = sum;
  });
  double sum = 0.;
  for (const double part : partial)
    sum += part;
  return sum;
}

template <int dim>
class Splitting : public ChainSplitting
{
public:
  using Point = Eigen::Matrix<double, dim, 1>;

  Splitting(const ProjectionProblem &problem, const std::vector<RunsOfProblem> &families, const double mass,
            const Vector *const p_start)
      : problem(problem)
      , families(families)
      , mass(mass)
      , node_masses(structure_of(problem).masses->masses_of_nodes())
      , n(node_masses.size())
      , node(n)
      , kind(n, 0)
      , u(n)
      , u_of_p(n)
      , direction(n)
      , p(Vector::Zero(problem.n_constraints()))
  {
    for (std::size_t k = 0; k < families.size(); ++k)
      {
        states.emplace_back(families[k]);
        for (const int i : families[k].chains->node)
          kind[i] |= 1u << k;
      }
    for (Index i = 0; i < n; ++i)
      node[i] = {U(i), Point::Zero()};
    if (is_start(p_start, p.size()))
      for (std::size_t k = 0; k < families.size(); ++k)
        guess(k, *p_start);
    for (State &state : states)
      for (Index l = 0; l < static_cast<Index>(state.q.size()); ++l)
        {
          // s = z + y/ρ with z = e·u, for the penalty 1 of the first iteration
          const double z = state.e.dot(node[state.node[l]].u);
          state.q[l]     = (1. - relaxation) * z + state.q[l];
        }
  }

  void iterate(const double new_rho) override
  {
    ratio = rho / new_rho;
    if (inverse.empty() || rho != new_rho)
      set_penalty(new_rho);
    for (std::size_t k = 0; k < states.size(); ++k)
      sweep(k, [&](State &state, const RunsOfProblem &family, const Index r, const double *const s, double *const x) {
        const Index begin = family.chains->run_start[r], end = family.chains->run_start[r + 1];
        for (Index l = begin; l < end; ++l)
          {
            const double z = x[l - begin] - family.shift_at(l), y = ratio * (s[l - begin] - z); // y over the new ρ
            state.q[l] = (1. - relaxation) * z + y;
            node[state.node[l]].sum += (z - y) * state.e;
          }
      });
    for_all_nodes(n, [&](const Index i) {
      node[i].u = inverse[kind[i]] * (U(i) + rho * node[i].sum);
      node[i].sum.setZero();
    });
  }

  void observe() override
  {
    for (std::size_t k = 0; k < states.size(); ++k)
      sweep(k, [&](State &state, const RunsOfProblem &family, const Index r, double *const s, const double *const x) {
        const Index begin = family.chains->run_start[r], end = family.chains->run_start[r + 1];
        for (Index l = begin; l < end; ++l)
          {
            const double z = x[l - begin];
            s[l - begin]   = rho * (s[l - begin] - (z - family.shift_at(l)));
            node[state.node[l]].sum += s[l - begin] * state.e;
            const bool joined = l + 1 < end && !(z < x[l + 1 - begin]);
            const bool held   = !family.lower.empty() && (z == family.lower[r] || z == family.upper[r]);
            state.bond[l]     = static_cast<Bond>(joined | (held ? 2 : 0));
          }
        family.multipliers(r, x, s, mass, p);
      });
    for_all_nodes(n, [&](const Index i) {
      u[i] = u_of_p[i] = U(i) - node[i].sum;
      node[i].sum.setZero();
    });
  }

  /// Conjugate gradients for the least change Σ e_k x_k of u, x_k of mean zero on every block of family k: the residual is
  /// the deviation r_k of e_k·u from its means, and only Σ e_k x_k is ever stored.
  unsigned int project_on_face(const unsigned int max_iterations) override
  {
    double       previous = 0., best = infinity;
    unsigned int iteration = 0, stalled = 0;
    for_all_nodes(n, [&](const Index i) { direction[i].setZero(); });
    for (;; ++iteration)
      {
        double residual = 0.;
        for (std::size_t k = 0; k < states.size(); ++k)
          residual += deviations(k);
        stalled = residual < .25 * best ? 0 : stalled + 1;
        best    = stalled == 0 ? residual : best;
        if (iteration == max_iterations || stalled > patience || !(residual > 0.))
          break;
        const double beta    = iteration == 0 ? 0. : residual / previous;
        const double squared = sum_over_nodes(n, [&](const Index i) {
          direction[i] = node[i].sum + beta * direction[i];
          node[i].sum.setZero();
          return relative_mass(i) * direction[i].squaredNorm();
        });
        const double step    = residual / squared;
        if (!std::isfinite(step))
          break;
        for_all_nodes(n, [&](const Index i) { u[i] -= step * direction[i]; });
        previous = residual;
      }
    for_all_nodes(n, [&](const Index i) { node[i].sum.setZero(); });
    return iteration;
  }

  Vector velocity() const override
  {
    Vector result(dim * n);
    for (Index i = 0; i < n; ++i)
      result.template segment<dim>(dim * i) = u[i];
    return result;
  }

  const Vector &multipliers() const override { return p; }

  double error_estimate() const override
  {
    double violation = 0., slack = 0.;
    for (std::size_t k = 0; k < states.size(); ++k)
      {
        const State         &state  = states[k];
        const RunsOfProblem &family = families[k];
        std::vector<double>  worst(family.n_chunks(), 0.), slacks(family.n_chunks(), 0.);
        tbb::parallel_for(Index(0), family.n_chunks(), [&](const Index c) {
          const auto count = [&](const double gap, const int row) {
            worst[c] = std::max(worst[c], -gap);
            slacks[c] += gap * p(row);
          };
          for (int r = family.chunk[c]; r < family.chunk[c + 1]; ++r)
            {
              const auto &chains = *family.chains;
              const auto  x      = [&](const Index l) { return state.e.dot(u[state.node[l]]) + family.shift_at(l); };
              const Index begin = chains.run_start[r], last = chains.run_start[r + 1] - 1;
              for (Index l = begin; l < last; ++l)
                count(x(l + 1) - x(l), chains.row[l]);
              if (chains.row_before[r] != ChainFamilies::none)
                count(x(begin) - family.lower[r], chains.row_before[r]);
              if (chains.row_after[r] != ChainFamilies::none)
                count(family.upper[r] - x(last), chains.row_after[r]);
            }
        });
        violation = std::max(violation, *std::max_element(worst.begin(), worst.end()));
        for (const double part : slacks)
          slack += part;
      }
    const double distance =
        sum_over_nodes(n, [&](const Index i) { return node_masses(i) * (u[i] - u_of_p[i]).squaredNorm(); });
    return std::sqrt(distance + 2. * std::max(0., slack + violation * p.sum()));
  }

private:
  struct Node
  {
    Point u, sum;
  };

  /// What the last regression did with a node: bit 0: joined to its successor; bit 1: held by a fixed body.
  using Bond = unsigned char;

  struct State
  {
    Point               e;
    const int          *node;
    std::vector<double> q; ///< s - 1.6 z, all that an iteration leaves to the next one
    std::vector<Bond>   bond;

    explicit State(const RunsOfProblem &family)
        : e(family.chains->direction)
        , node(family.chains->node.data())
        , q(family.n_positions(), 0.)
        , bond(family.n_positions(), 0)
    {}
  };

  const ProjectionProblem                     &problem;
  const std::vector<RunsOfProblem>            &families;
  const double                                 mass;
  const Vector                                &node_masses;
  const Index                                  n;
  double                                       rho = 1., ratio = 1.;
  std::vector<State>                           states;
  std::vector<Node>                            node;
  std::vector<unsigned int>                    kind;    ///< bit k: the node is in a run of family k
  std::vector<Eigen::Matrix<double, dim, dim>> inverse; ///< (Id + ρ Σ e_k⊗e_k)⁻¹ by kind
  std::vector<Point>                           u, u_of_p, direction;
  Vector                                       p;

  Eigen::Map<const Point> U(const Index i) const { return Eigen::Map<const Point>(problem.U.data() + dim * i); }

  /// In units of `mass`, as the weights of the regressions.
  double relative_mass(const Index i) const { return node_masses(i) / mass; }

  void set_penalty(const double new_rho)
  {
    rho = new_rho;
    inverse.resize(std::size_t(1) << states.size());
    for (std::size_t c = 0; c < inverse.size(); ++c)
      {
        Eigen::Matrix<double, dim, dim> A = Eigen::Matrix<double, dim, dim>::Identity();
        for (std::size_t k = 0; k < states.size(); ++k)
          if (c >> k & 1)
            A += rho * states[k].e * states[k].e.transpose();
        inverse[c] = A.inverse();
      }
  }

  /// y_k of a guess of p, in q, and its share of u.
  void guess(const std::size_t k, const Vector &p_start)
  {
    State      &state  = states[k];
    const auto &chains = *families[k].chains;
    for (Index r = 0; r < chains.n_runs(); ++r)
      {
        double previous = chains.row_before[r] == ChainFamilies::none ? 0. : p_start(chains.row_before[r]);
        for (Index l = chains.run_start[r]; l < chains.run_start[r + 1]; ++l)
          {
            const int    row  = chains.row[l] != ChainFamilies::none ? chains.row[l] : chains.row_after[r];
            const double next = row == ChainFamilies::none ? 0. : p_start(row);
            state.q[l]        = (next - previous) / node_masses(chains.node[l]);
            node[chains.node[l]].u -= state.q[l] * state.e;
            previous = next;
          }
      }
  }

  /// s_k += 1.6 (e_k·u - z_k) and its regression x on every run of family k, given to use(state, family, r, s, x).
  template <class Use>
  void sweep(const std::size_t k, Use &&use)
  {
    State               &state  = states[k];
    const RunsOfProblem &family = families[k];
    family.for_all_runs([&](const Index r) {
      const Index         begin = family.chains->run_start[r], length = family.chains->run_start[r + 1] - begin;
      SplittingWorkspace &space = splitting_workspace(length);
      double *const s = space.s.data(), *const x = space.z.data();
      for (Index l = 0; l < length; ++l)
        s[l] = state.q[begin + l] + relaxation * state.e.dot(node[state.node[begin + l]].u);
      family.regress(space.line, r, s, x);
      use(state, family, r, s, x);
    });
  }

  /// Adds e_k r_k to the sums of the nodes, r_k the deviation of x from its mean (or from the fixed body) on every block of
  /// family k. Returns |r_k|².
  double deviations(const std::size_t k)
  {
    const State         &state  = states[k];
    const RunsOfProblem &family = families[k];
    std::vector<double>  partial(family.n_chunks(), 0.);
    tbb::parallel_for(Index(0), family.n_chunks(), [&](const Index c) {
      for (int r = family.chunk[c]; r < family.chunk[c + 1]; ++r)
        for (Index l = family.chains->run_start[r], end = family.chains->run_start[r + 1]; l < end;)
          {
            Index last = l;
            while (state.bond[last] & 1)
              ++last;
            if (last > l || state.bond[l] & 2)
              partial[c] += deviation_of_block(state, family, r, l, last + 1);
            l = last + 1;
          }
    });
    double sum = 0.;
    for (const double part : partial)
      sum += part;
    return sum;
  }

  double deviation_of_block(const State &state, const RunsOfProblem &family, const Index r, const Index begin,
                            const Index end)
  {
    double *const x        = splitting_workspace(end - begin).s.data();
    double        momentum = 0., weight = 0.;
    for (Index l = begin; l < end; ++l)
      {
        x[l - begin] = state.e.dot(u[state.node[l]]) + family.shift_at(l);
        momentum += family.mass_at(l) * x[l - begin];
        weight += family.mass_at(l);
      }
    double target = momentum / weight;
    if (state.bond[begin] & 2)
      target = std::abs(target - family.lower[r]) < std::abs(target - family.upper[r]) ? family.lower[r] : family.upper[r];
    double squared = 0.;
    for (Index l = begin; l < end; ++l)
      {
        const double deviation = x[l - begin] - target;
        squared += family.mass_at(l) * deviation * deviation;
        node[state.node[l]].sum += deviation * state.e;
      }
    return squared;
  }
};
} // namespace

std::unique_ptr<ChainSplitting> ChainSplitting::make(const ProjectionProblem          &problem,
                                                     const std::vector<RunsOfProblem> &families, const double mass,
                                                     const Vector *const p_start)
{
  if (families.front().chains->direction.size() == 2)
    return std::make_unique<Splitting<2>>(problem, families, mass, p_start);
  return std::make_unique<Splitting<3>>(problem, families, mass, p_start);
}
} // namespace moreau::convex
