// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/chain_splitting.h"

#include "convex/chains/ordered_nodes.h"
#include "convex/chains/values_on_runs.h"
#include "convex/start.h"
#include "convex/structure.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace moreau::convex
{
namespace
{
constexpr double infinity   = std::numeric_limits<double>::infinity();
constexpr double relaxation = 1.6;
constexpr int    patience   = 100; // conjugate gradient steps in which the residual must halve

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

template <int dim>
class Splitting : public ChainSplitting
{
public:
  using Point = Eigen::Matrix<double, dim, 1>;

  Splitting(const ProjectionProblem &problem, const std::vector<RunsOfProblem> &families, const double mass,
            const Vector *const p_start, const SharedRuns &shared)
      : problem(problem)
      , network(shared_network(problem))
      , mass(mass)
      , n(structure_of(problem).masses->masses_of_nodes().size())
      , nodes(network, shared, n)
      , traffic(shared.empty() || shared.front()->is_at_hand() ? SharedRuns() : shared, n)
      , U(n)
      , node_masses(n)
      , node(n)
      , kind(n, 0)
      , polished(n, {Point::Zero(), Point::Zero()})
      , u_of_p(n)
      , direction(n)
      , p(Vector::Zero(problem.n_constraints()))
  {
    const Vector &masses = structure_of(problem).masses->masses_of_nodes();
    for (Index i = 0; i < n; ++i)
      {
        U[i]           = problem.U.segment<dim>(dim * nodes.number(i));
        node_masses[i] = masses(nodes.number(i));
        node[i]        = {U[i], Point::Zero()};
      }
    for (std::size_t k = 0; k < families.size(); ++k)
      if (traffic.is_needed())
        {
          states.emplace_back(families[k], *shared[k], traffic, k);
          for (const Index i : shared[k]->nodes())
            kind[i] |= 1u << k;
        }
      else
        {
          const std::vector<int> &on_runs = shared.empty() ? families[k].chains->node : nodes.on_runs(k);
          states.emplace_back(families[k], on_runs, shared.empty() ? nullptr : shared[k]);
          for (const int i : on_runs)
            kind[i] |= 1u << k;
        }
    const double no_start = is_start(p_start, p.size()) ? 0. : 1.;
    if ((network ? network->processes().max(no_start) : no_start) == 0.)
      start_from(*p_start);
    fetch(of_nodes());
    for (State &state : states)
      for (Index l = 0; l < static_cast<Index>(state.q.size()); ++l)
        // s = z + y/ρ with z = e·u, for the penalty 1 of the first iteration
        state.q[l] = (1. - relaxation) * state.along(of_nodes(), l) + state.q[l];
  }

  void iterate(const double new_rho) override
  {
    ratio = rho / new_rho;
    if (inverse.empty() || rho != new_rho)
      set_penalty(new_rho);
    sweep([&](State &state, const Index r, const double *const s, double *const x) {
      const RunsOfProblem &family = state.family;
      const Index          begin = family.chains->run_start[r], end = family.chains->run_start[r + 1];
      for (Index l = begin; l < end; ++l)
        {
          const double z = x[l - begin] - family.shift_at(l), y = ratio * (s[l - begin] - z); // y over the new ρ
          state.q[l] = (1. - relaxation) * z + y;
          state.give(l, z - y, to_sum(state));
        }
    });
    nodes.for_all([&](const Index i) {
      node[i].u = inverse[kind[i]] * (U[i] + rho * node[i].sum);
      node[i].sum.setZero();
    });
  }

  void observe() override
  {
    estimate.reset();
    sweep([&](State &state, const Index r, double *const s, const double *const x) {
      const RunsOfProblem &family = state.family;
      const Index          begin = family.chains->run_start[r], end = family.chains->run_start[r + 1];
      for (Index l = begin; l < end; ++l)
        {
          const double z = x[l - begin];
          s[l - begin]   = rho * (s[l - begin] - (z - family.shift_at(l)));
          state.give(l, s[l - begin], to_sum(state));
          const bool joined = l + 1 < end && !(z < x[l + 1 - begin]);
          const bool held   = !family.lower.empty() && (z == family.lower[r] || z == family.upper[r]);
          state.bond[l]     = static_cast<Bond>(joined | (held ? 2 : 0));
        }
      family.multipliers(r, x, s, mass, state.lines ? state.p : p);
    });
    for (const State &state : states)
      if (state.lines)
        state.lines->rows_to_network(state.p, p);
    nodes.for_all([&](const Index i) {
      polished[i].u = u_of_p[i] = U[i] - node[i].sum;
      node[i].sum.setZero();
    });
  }

  /// Conjugate gradients for the least change Σ e_k x_k of u, x_k of mean zero on every block of family k: the residual is
  /// the deviation r_k of e_k·u from its means, and only Σ e_k x_k is ever stored.
  unsigned int project_on_face(const unsigned int max_iterations) override
  {
    estimate.reset();
    double       previous = 0., best = infinity;
    unsigned int iteration = 0, stalled = 0;
    nodes.for_all([&](const Index i) { direction[i].setZero(); });
    for (;; ++iteration)
      {
        fetch(of_polished());
        for (State &state : states)
          add_deviations(state);
        give_back([&](const State &state) { return to_deviation(state); });
        const double residual = sum_over_runs(); // Σ |r_k|²
        stalled               = residual < .25 * best ? 0 : stalled + 1;
        best                  = stalled == 0 ? residual : best;
        if (iteration == max_iterations || stalled > patience || !(residual > 0.))
          break;
        const double beta    = iteration == 0 ? 0. : residual / previous;
        const double squared = nodes.sum([&](const Index i) {
          direction[i] = polished[i].sum + beta * direction[i];
          polished[i].sum.setZero();
          return relative_mass(i) * direction[i].squaredNorm();
        });
        const double step    = residual / squared;
        if (!std::isfinite(step))
          break;
        nodes.for_all([&](const Index i) { polished[i].u -= step * direction[i]; });
        previous = residual;
      }
    nodes.for_all([&](const Index i) { polished[i].sum.setZero(); });
    return iteration;
  }

  Vector velocity() const override
  {
    Vector result(dim * n);
    for (Index i = 0; i < n; ++i)
      result.template segment<dim>(dim * nodes.number(i)) = polished[i].u;
    return result;
  }

  const Vector &multipliers() const override { return p; }

  double error_estimate() override
  {
    if (!estimate)
      estimate = estimated_error();
    return *estimate;
  }

private:
  struct Node
  {
    Point u, sum;
  };

  /// What the last regression did with a node: bit 0: joined to its successor; bit 1: held by a fixed body.
  using Bond = unsigned char;

  struct State : ValuesOnRuns<dim>
  {
    const RunsOfProblem &family;
    const LinesAlong    *lines; ///< of a shared network: they have rows of their own; else null
    std::vector<double>  q;     ///< s - 1.6 z, all that an iteration leaves to the next one
    std::vector<Bond>    bond;
    std::vector<double>  of_run; ///< a number to be summed up
    Vector               p;      ///< of the rows of `lines`

    State(const RunsOfProblem &family, const LinesAlong &shared, LinesTraffic &traffic, const std::size_t k)
        : State(ValuesOnRuns<dim>(family, shared, traffic, k), family, &shared)
    {}
    State(const RunsOfProblem &family, const std::vector<int> &node, const LinesAlong *const lines)
        : State(ValuesOnRuns<dim>(family, node), family, lines)
    {}

  private:
    State(ValuesOnRuns<dim> &&values, const RunsOfProblem &family, const LinesAlong *const lines)
        : ValuesOnRuns<dim>(std::move(values))
        , family(family)
        , lines(lines)
        , q(family.n_positions(), 0.)
        , bond(family.n_positions(), 0)
        , of_run(family.chains->n_runs(), 0.)
    {
      if (lines)
        p = Vector::Zero(family.n_positions() + 2 * family.chains->n_runs());
    }
  };

  const ProjectionProblem                     &problem;
  const SharedNetwork *const                   network;
  const double                                 mass;
  const Index                                  n;
  OrderedNodes                                 nodes;
  LinesTraffic                                 traffic;
  std::vector<Point>                           U;
  std::vector<double>                          node_masses;
  double                                       rho = 1., ratio = 1.;
  std::vector<State>                           states;
  std::vector<Node>                            node;
  std::vector<unsigned int>                    kind;     ///< bit k: the node is in a run of family k
  std::vector<Eigen::Matrix<double, dim, dim>> inverse;  ///< (Id + ρ Σ e_k⊗e_k)⁻¹ by kind
  std::vector<Node>                            polished; ///< what polish and estimates know
  std::vector<Point>                           u_of_p, direction;
  Vector                                       p;
  std::optional<double>                        estimate; ///< of the present u and p

  /// In units of `mass`, as the weights of the regressions.
  double relative_mass(const Index i) const { return node_masses[i] / mass; }

  auto of_nodes() const
  {
    return [this](const Index i) -> const Point & { return node[i].u; };
  }
  auto of_polished() const
  {
    return [this](const Index i) -> const Point & { return polished[i].u; };
  }
  auto to_sum(const State &state)
  {
    return [this, &state](const Index i, const double x) { node[i].sum += x * state.e; };
  }
  auto to_deviation(const State &state)
  {
    return [this, &state](const Index i, const double deviation) { polished[i].sum += deviation * state.e; };
  }

  /// Σ of the numbers of all runs of all families.
  double sum_over_runs() const
  {
    if (states.front().lines)
      {
        std::vector<NumbersOfRuns> numbers;
        for (const State &state : states)
          numbers.push_back({state.lines, &state.of_run});
        return convex::sum_over_runs(numbers);
      }
    double sum = 0.;
    for (const State &state : states)
      for (const double number : state.of_run)
        sum += number;
    return sum;
  }

  /// Brings e_k·v(i) of all nodes to the runs of all families.
  template <class Velocity>
  void fetch(Velocity &&v)
  {
    if (!traffic.is_needed())
      return;
    nodes.for_all([&](const Index i) {
      for (std::size_t k = 0; k < states.size(); ++k)
        if (const int place = traffic.place(i, k); place != LinesTraffic::nowhere)
          traffic.of_nodes[place] = states[k].e.dot(v(i));
    });
    traffic.to_lines();
    for (State &state : states)
      state.arrive();
  }

  /// Brings what runs elsewhere have given to the nodes: to(state) is who takes it.
  template <class To>
  void give_back(To &&to)
  {
    if (!traffic.is_needed())
      return;
    for (State &state : states)
      state.leave();
    traffic.to_nodes();
    nodes.for_all([&](const Index i) {
      for (std::size_t k = 0; k < states.size(); ++k)
        if (const int place = traffic.place(i, k); place != LinesTraffic::nowhere)
          to(states[k])(i, traffic.of_nodes[place]);
    });
  }

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
  void start_from(const Vector &p_start)
  {
    const auto lose = [&](const State &state) { return [&](const Index i, const double x) { node[i].u -= x * state.e; }; };
    for (State &state : states)
      {
        const RunsOfProblem &family = state.family;
        const auto          &chains = *family.chains;
        const Vector         here   = state.lines ? state.lines->rows_to_lines(p_start) : Vector();
        const Vector        &p_of   = state.lines ? here : p_start;
        for (Index r = 0; r < chains.n_runs(); ++r)
          {
            double previous = chains.row_before[r] == ChainFamilies::none ? 0. : p_of(chains.row_before[r]);
            for (Index l = chains.run_start[r]; l < chains.run_start[r + 1]; ++l)
              {
                const int    row  = chains.row[l] != ChainFamilies::none ? chains.row[l] : chains.row_after[r];
                const double next = row == ChainFamilies::none ? 0. : p_of(row);
                state.q[l]        = (next - previous) / (mass * family.mass_at(l));
                state.give(l, state.q[l], lose(state));
                previous = next;
              }
          }
      }
    give_back(lose);
  }

  /// s_k += 1.6 (e_k·u - z_k) and its regression x on every run of every family, given to use(state, r, s, x), which gives
  /// something to the sums of nodes.
  template <class Use>
  void sweep(Use &&use)
  {
    fetch(of_nodes());
    for (State &state : states)
      {
        const RunsOfProblem &family = state.family;
        family.for_all_runs([&](const Index r) {
          const Index         begin = family.chains->run_start[r], length = family.chains->run_start[r + 1] - begin;
          SplittingWorkspace &space = splitting_workspace(length);
          double *const s = space.s.data(), *const x = space.z.data();
          for (Index l = 0; l < length; ++l)
            s[l] = state.q[begin + l] + relaxation * state.along(of_nodes(), begin + l);
          family.regress(space.line, r, s, x);
          use(state, r, s, x);
        });
      }
    give_back([&](const State &state) { return to_sum(state); });
  }

  /// Adds e_k r_k to the sums of the nodes, r_k the deviation of x from its mean (or from the fixed body) on every block of
  /// a family; |r_k|² in units of `mass` are the numbers of the runs.
  void add_deviations(State &state)
  {
    const RunsOfProblem &family = state.family;
    family.for_all_runs([&](const Index r) {
      double sum = 0.;
      for (Index l = family.chains->run_start[r], end = family.chains->run_start[r + 1]; l < end;)
        {
          Index last = l;
          while (state.bond[last] & 1)
            ++last;
          if (last > l || state.bond[l] & 2)
            sum += give_deviations(state, r, l, last + 1);
          else
            state.give(l, 0., to_deviation(state));
          l = last + 1;
        }
      state.of_run[r] = sum;
    });
  }

  /// Those of one block; returns their |r_k|².
  double give_deviations(State &state, const Index r, const Index begin, const Index end)
  {
    const RunsOfProblem &family   = state.family;
    double *const        x        = splitting_workspace(end - begin).s.data();
    double               momentum = 0., weight = 0.;
    for (Index l = begin; l < end; ++l)
      {
        x[l - begin] = state.along(of_polished(), l) + family.shift_at(l);
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
        state.give(l, deviation, to_deviation(state));
      }
    return squared;
  }

  double estimated_error()
  {
    double violation = 0.;
    fetch(of_polished());
    for (State &state : states)
      violation = std::max(violation, add_slacks(state));
    if (network)
      violation = network->processes().max(violation);
    const double slack = sum_over_runs();
    const double distance =
        nodes.sum([&](const Index i) { return node_masses[i] * (polished[i].u - u_of_p[i]).squaredNorm(); });
    return std::sqrt(distance + 2. * std::max(0., slack + violation * sum_over_rows(problem, p)));
  }

  /// Sets the numbers of the runs to Σ p times slack of their rows. Returns the largest violation of a family.
  double add_slacks(State &state)
  {
    const RunsOfProblem &family = state.family;
    const auto          &chains = *family.chains;
    const Vector        &p_of   = state.lines ? state.p : p;
    std::vector<double>  worst(family.n_chunks(), 0.);
    tbb::parallel_for(Index(0), family.n_chunks(), [&](const Index c) {
      const auto slack = [&](const double gap, const int row) {
        worst[c] = std::max(worst[c], -gap);
        return gap * p_of(row);
      };
      for (int r = family.chunk[c]; r < family.chunk[c + 1]; ++r)
        {
          const Index begin = chains.run_start[r], last = chains.run_start[r + 1] - 1;
          double      x = state.along(of_polished(), begin) + family.shift_at(begin), sum = 0.;
          for (Index l = begin; l <= last; ++l)
            {
              if (l == begin && chains.row_before[r] != ChainFamilies::none)
                sum += slack(x - family.lower[r], chains.row_before[r]);
              if (l < last)
                {
                  const double next = state.along(of_polished(), l + 1) + family.shift_at(l + 1);
                  sum += slack(next - x, chains.row[l]);
                  x = next;
                }
              else if (chains.row_after[r] != ChainFamilies::none)
                sum += slack(family.upper[r] - x, chains.row_after[r]);
            }
          state.of_run[r] = sum;
        }
    });
    return worst.empty() ? 0. : *std::max_element(worst.begin(), worst.end());
  }
};
} // namespace

std::unique_ptr<ChainSplitting> ChainSplitting::make(const ProjectionProblem          &problem,
                                                     const std::vector<RunsOfProblem> &families, const double mass,
                                                     const Vector *const p_start, const SharedRuns &shared)
{
  if (families.front().chains->direction.size() == 2)
    return std::make_unique<Splitting<2>>(problem, families, mass, p_start, shared);
  return std::make_unique<Splitting<3>>(problem, families, mass, p_start, shared);
}
} // namespace moreau::convex
