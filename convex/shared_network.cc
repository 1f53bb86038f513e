// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/shared_network.h"

#include "convex/vectors.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>

namespace moreau::convex
{
namespace
{
std::vector<double> sliced(const std::vector<double> &all, const std::vector<Index> &which)
{
  std::vector<double> some;
  some.reserve(which.size());
  for (const Index k : which)
    some.push_back(all[k]);
  return some;
}
} // namespace

SharedNetwork::SharedNetwork(NetworkPart given, std::shared_ptr<const Sharing> sharing_)
    : part(std::move(given))
    , local(part.dim, static_cast<Index>(part.number.size()), std::move(part.pairs), std::move(part.directions))
    , sharing(std::move(sharing_))
    , transfer(sharing->transfer(part.dim))
{
  for (Index k = 0; k < static_cast<Index>(part.number.size()); ++k)
    if (k < part.first_own || k >= part.first_own + part.n_own)
      ghost.push_back(k);
  const auto behind = [](const PairConstraint::Pair &pair, const Index node) { return pair.i < node; };
  for (int block = part.first_own_block; block <= part.first_own_block + part.n_own_blocks; ++block)
    row_begin.push_back(std::lower_bound(local.pairs().begin(), local.pairs().end(), part.block_begin[block], behind) -
                        local.pairs().begin());
  part.pairs.clear(); // `local` has them
  part.directions.resize(0, 0);
}

Vector SharedNetwork::received(const Vector &v, const Index n_each, Sharing::Transfer &transfer) const
{
  Vector all(n_each * static_cast<Index>(part.number.size()));
  all.segment(n_each * part.first_own, n_each * part.n_own) = v;
  if (ghost.empty() && sharing->sent().empty())
    return all;
  std::vector<double> values;
  values.reserve(n_each * sharing->sent().size());
  for (const Index node : sharing->sent())
    for (Index a = 0; a < n_each; ++a)
      values.push_back(v(n_each * node + a));
  transfer.start(values);
  const std::vector<double> &received = transfer.finish();
  for (std::size_t k = 0; k < ghost.size(); ++k)
    for (Index a = 0; a < n_each; ++a)
      all(n_each * ghost[k] + a) = received[n_each * k + a];
  return all;
}

Vector SharedNetwork::with_ghosts(const Vector &v, const Index n_each) const
{
  return received(v, n_each, *sharing->transfer(n_each));
}

void SharedNetwork::apply(const Vector &v, Vector &Bv) const
{
  if (ghost.empty() && sharing->sent().empty())
    local.apply(v, Bv);
  else
    local.apply(received(v, part.dim, *transfer), Bv);
}

void SharedNetwork::apply_transpose(const Vector &q, Vector &Btq) const
{
  Vector all;
  local.apply_transpose(q, all);
  Btq = all.segment(part.dim * part.first_own, n_unknowns());
}

Vector SharedNetwork::delassus_diagonal(const VelocitySpace &) const
{
  Vector W(n_constraints());
  for (Index c = 0; c < W.size(); ++c)
    {
      const auto &[i, j] = local.pairs()[c];
      W(c)               = 1. / part.masses(i) + (j == PairConstraint::fixed_body ? 0. : 1. / part.masses(j));
    }
  return W;
}

double SharedNetwork::sum(const Vector &q) const
{
  // plain loops: Eigen's sums depend on where a vector lies in memory
  std::vector<double> of_block;
  for (std::size_t block = 0; block + 1 < row_begin.size(); ++block)
    {
      double sum = 0.;
      for (Index c = row_begin[block]; c < row_begin[block + 1]; ++c)
        sum += q(c);
      of_block.push_back(sum);
    }
  double total = 0.;
  for (const double sum : sharing->of_all_blocks(of_block, 1))
    total += sum;
  return total;
}

double SharedNetwork::label(const Index c) const
{
  const auto &[i, j] = local.pairs()[c];
  const double i_    = static_cast<double>(part.number[i]);
  return i_ + .618 * (j == PairConstraint::fixed_body ? i_ + .5 : static_cast<double>(part.number[j]));
}

double SharedNetwork::sum_over_nodes(const std::function<double(Index)> &term) const
{
  return sum_of_blocks([&](const Index first, const Index end) {
    double sum = 0.;
    for (Index k = first; k < end; ++k)
      sum += term(k);
    return sum;
  });
}

double SharedNetwork::sum_of_blocks(const std::function<double(Index first, Index end)> &sum) const
{
  std::vector<double> of_block;
  for (int block = part.first_own_block; block < part.first_own_block + part.n_own_blocks; ++block)
    of_block.push_back(sum(part.block_begin[block] - part.first_own, part.block_begin[block + 1] - part.first_own));
  double total = 0.;
  for (const double of_one : sharing->of_all_blocks(of_block, 1))
    total += of_one;
  return total;
}

Vector SharedNetwork::whole_rows(const Vector &q) const
{
  return vector(sharing->on_first({q.data() + row_begin.front(), q.data() + row_begin.back()}));
}

Vector SharedNetwork::whole_nodes(const Vector &v) const { return vector(sharing->on_first(values(v))); }

/// The rows that each process holds, and the number of nodes that it owns: known to the first process.
void SharedNetwork::find_ghost_rows() const
{
  std::vector<double> own = {static_cast<double>(part.n_own), static_cast<double>(row_begin.front()),
                             static_cast<double>(row_begin.back() - row_begin.front())};
  for (Index c = 0; c < row_begin.front(); ++c) // rows of others come before the own ones
    {
      const auto &[i, j] = local.pairs()[c];
      own.push_back(static_cast<double>(part.number[i]));
      own.push_back(static_cast<double>(part.number[j]));
    }
  const std::vector<double> all = sharing->on_first(own);
  if (!sharing->is_first())
    return;
  Index first_row = 0;
  for (std::size_t at = 0; at < all.size();)
    {
      nodes_of_process.push_back(static_cast<Index>(all[at]));
      const Index n_ghosts = static_cast<Index>(all[at + 1]), n_rows = static_cast<Index>(all[at + 2]);
      at += 3;
      std::vector<Index> rows;
      for (Index k = 0; k < n_ghosts; ++k, at += 2)
        {
          const int  i = static_cast<int>(all[at]), j = static_cast<int>(all[at + 1]);
          const auto first =
              std::lower_bound(whole_B->pairs().begin(), whole_B->pairs().end(), i,
                               [](const PairConstraint::Pair &pair, const int node) { return pair.i < node; });
          const auto row = std::find_if(first, whole_B->pairs().end(), [&](const auto &pair) { return pair.j == j; });
          rows.push_back(row - whole_B->pairs().begin());
        }
      for (Index k = 0; k < n_rows; ++k)
        rows.push_back(first_row + k);
      first_row += n_rows;
      rows_of_process.push_back(std::move(rows));
    }
}

ProjectionProblem SharedNetwork::whole(const ProjectionProblem &problem) const
{
  const Index first = row_begin.front(), last = row_begin.back();
  if (!is_gathered)
    {
      std::vector<double> nodes, e;
      for (Index c = first; c < last; ++c)
        {
          const auto &[i, j] = local.pairs()[c];
          nodes.push_back(static_cast<double>(part.number[i]));
          nodes.push_back(j == PairConstraint::fixed_body ? -1. : static_cast<double>(part.number[j]));
          e.insert(e.end(), local.directions().col(c).begin(), local.directions().col(c).end());
        }
      nodes          = sharing->on_first(nodes);
      e              = sharing->on_first(e);
      const Vector m = whole_nodes(part.masses.segment(part.first_own, part.n_own));
      by_first(*sharing, [&] {
        std::vector<PairConstraint::Pair> pairs;
        pairs.reserve(nodes.size() / 2);
        for (std::size_t k = 0; k < nodes.size(); k += 2)
          pairs.push_back({static_cast<int>(nodes[k]), static_cast<int>(nodes[k + 1])});
        const Index n_rows = static_cast<Index>(pairs.size());
        whole_B            = std::make_shared<PairConstraint>(part.dim, m.size(), std::move(pairs),
                                                   Eigen::Map<const Eigen::MatrixXd>(e.data(), part.dim, n_rows));
        whole_V            = std::make_shared<DiagonalSpace>(m, part.dim);
      });
      find_ghost_rows();
      is_gathered = true;
    }
  ProjectionProblem result;
  result.V = whole_V;
  result.B = whole_B;
  result.U = whole_nodes(problem.U);
  result.b = whole_rows(problem.right_hand_side());
  if (result.b.isZero(0.))
    result.b.resize(0);
  const Expansion &x = problem.expansion;
  if (sharing->max(x.empty() ? 0. : 1.) == 0.)
    return result;
  const auto numbers = [](const std::vector<int> &list) {
    return Vector(Eigen::Map<const Eigen::VectorXi>(list.data(), static_cast<Index>(list.size())).cast<double>());
  };
  const auto list  = [](const Vector &v) { return std::vector<int>(v.begin(), v.end()); };
  result.expansion = {whole_nodes(x.w), list(whole_nodes(numbers(x.part_of_unknown))),
                      list(whole_rows(numbers(x.part_of_row))), x.n_parts};
  return result;
}

Vector SharedNetwork::rows_of_whole(const Vector &q) const
{
  std::vector<std::vector<double>> of_process;
  if (sharing->is_first())
    for (const std::vector<Index> &rows : rows_of_process)
      of_process.push_back(sliced(values(q), rows));
  return vector(sharing->from_first(of_process));
}

Vector SharedNetwork::nodes_of_whole(const Vector &v) const
{
  std::vector<std::vector<double>> of_process;
  Index                            begin = 0;
  if (sharing->is_first())
    for (const Index n : nodes_of_process)
      {
        of_process.push_back(values(v.segment(begin, part.dim * n)));
        begin += part.dim * n;
      }
  return vector(sharing->from_first(of_process));
}

SharedSpace::SharedSpace(std::shared_ptr<const SharedNetwork> network_, std::vector<bool> at_rest)
    : DiagonalSpace(network_->here().masses.segment(network_->here().first_own, network_->here().n_own),
                    network_->here().dim)
    , network(std::move(network_))
    , at_rest(std::move(at_rest))
{}

double SharedSpace::dot(const Vector &u, const Vector &v) const
{
  const Index   dim    = dimension();
  const Vector &masses = masses_of_nodes();
  return network->sum_of_blocks([&](const Index first, const Index end) {
    double total = 0.;
    for (Index k = first; k < end; ++k)
      {
        double sum = 0.;
        for (Index a = 0; a < dim; ++a)
          sum += u(dim * k + a) * v(dim * k + a);
        total += masses(k) * sum;
      }
    return total;
  });
}

Vector SharedSpace::mean(const Vector &U) const
{
  const Index  dim  = dimension();
  const double mass = network->sum_over_nodes([&](const Index k) { return masses_of_nodes()(k); });
  Vector       centre(dim);
  for (Index a = 0; a < dim; ++a)
    centre(a) = network->sum_over_nodes([&](const Index k) { return masses_of_nodes()(k) * U(dim * k + a); }) / mass;
  for (std::size_t axis = 0; axis < at_rest.size(); ++axis)
    if (at_rest[axis])
      centre(axis) = 0.;
  return centre.replicate(masses_of_nodes().size(), 1);
}

double SharedSpace::sum_over_processes(double) const
{
  throw std::logic_error("SharedSpace: sums are those of blocks, not of processes.");
}

const SharedNetwork *shared_network(const ProjectionProblem &problem)
{
  return dynamic_cast<const SharedNetwork *>(problem.B.get());
}

double sum_over_rows(const ProjectionProblem &problem, const Vector &q)
{
  const SharedNetwork *const network = shared_network(problem);
  return network ? network->sum(q) : problem.V->sum_over_processes(q.sum());
}

double label_of_row(const ProjectionProblem &problem, const Index c)
{
  const SharedNetwork *const network = shared_network(problem);
  return network ? network->label(c) : static_cast<double>(c);
}

void max_of_each_over_processes(const ProjectionProblem &problem, std::vector<double> &local)
{
  if (const SharedNetwork *const network = shared_network(problem))
    network->processes().max(local);
  else
    for (double &value : local)
      value = problem.V->max_over_processes(value);
}

void by_first(const Sharing &processes, const std::function<void()> &f)
{
  enum Outcome
  {
    done,
    no_memory,
    failed
  };
  int                outcome = done;
  std::exception_ptr error;
  processes.run_on_first([&] {
    try
      {
        f();
      }
    catch (const std::bad_alloc &)
      {
        outcome = no_memory;
      }
    catch (...)
      {
        outcome = failed;
        error   = std::current_exception();
      }
  });
  processes.from_first(&outcome, sizeof outcome);
  if (outcome == no_memory)
    throw std::bad_alloc();
  if (error)
    std::rethrow_exception(error);
  if (outcome == failed)
    throw std::runtime_error("The first process could not go on.");
}
} // namespace moreau::convex
