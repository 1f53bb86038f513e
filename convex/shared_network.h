// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SHARED_NETWORK_H
#define MOREAU_CONVEX_SHARED_NETWORK_H

#include "convex/cone_projection.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <typeindex>
#include <vector>

/// A network whose nodes are shared among processes, with digits that do not depend on how many there are. Nodes have an
/// order and are cut into blocks, a process owns some consecutive ones. The order and the blocks define all arithmetic, the
/// cut between processes does not: rows on a cut are held by both sides, which compute the same numbers from the same
/// numbers, and sums are those of blocks, added in the order of the blocks. How processes talk is the business of a Sharing.
namespace moreau::convex
{
/// What processes say to each other. All of them call the same functions in the same order.
class Sharing
{
public:
  virtual ~Sharing() = default;

  virtual bool   is_first() const                      = 0; ///< the process that takes what one process has to do alone
  virtual double max(double local) const               = 0;
  virtual void   max(std::vector<double> &local) const = 0; ///< entry by entry

  /// n numbers of each own block, block by block: those of all blocks, on every process.
  virtual std::vector<double> of_all_blocks(const std::vector<double> &own, Index n) const = 0;

  /// The lists of all processes, one behind the other, on the first process; elsewhere nothing.
  virtual std::vector<double> on_first(const std::vector<double> &own) const = 0;

  /// To each process its list, of those that the first process has.
  virtual std::vector<double> from_first(const std::vector<std::vector<double>> &of_process) const = 0;
  virtual void                from_first(void *data, std::size_t n_bytes) const = 0; ///< the same to all, of known length

  /// The lists of all processes, one behind the other.
  virtual std::vector<double> on_all(const std::vector<double> &own) const = 0;

  /// What all have for this process, itself included, in their order; to: a list for each of n_processes().
  virtual std::vector<double> exchanged(const std::vector<std::vector<double>> &to) const = 0;
  virtual int                 n_processes() const                                         = 0;
  virtual int                 rank() const = 0; ///< of this process, in their order

  /// Calls f on the first process; the others sleep, or do what it asks of them. f does not throw.
  virtual void run_on_first(const std::function<void()> &f) const
  {
    if (is_first())
      f();
  }

  /// Matrices whose factors were too large for the first process, so that all of them made these: then digits depend on how
  /// many there are. Known to the first.
  virtual long long n_factorised_by_all() const { return 0; }

  /// The same of numbers that lie one process behind the other, of which all know how many: n_to for each process, n_from of
  /// each. arrived: what this process gets, whose memory is used again.
  virtual void exchange(const std::vector<double> &numbers, const std::vector<int> &n_to, const std::vector<int> &n_from,
                        std::vector<double> &arrived) const = 0;

  virtual const std::vector<Index> &
  sent() const = 0; ///< own nodes, 0 ... n_own-1, that other processes hold, too; perhaps twice

  /// Values of nodes under way. One transfer at a time; the numbers to send are copied.
  class Transfer
  {
  public:
    virtual ~Transfer() = default;

    /// values: dim of each node of sent(), one node after another.
    virtual void start(const std::vector<double> &values) = 0;

    /// Waits; dim values of each node that others own, in their order. Those of the last transfer where none is under way.
    virtual const std::vector<double> &finish() = 0;
  };
  virtual std::unique_ptr<Transfer> transfer(Index dim) const = 0;
};

/// What one process holds of a network: the nodes that it owns and those of others that share a row with one of them.
struct NetworkPart
{
  Index              dim = 0;
  std::vector<Index> number;      ///< of each node here among the nodes of all processes, ascending
  std::vector<Index> block_begin; ///< first node here of each block that has nodes here; and the number of nodes here
  Index              first_own = 0, n_own = 0;              ///< nodes here that this process owns: consecutive
  int                first_own_block = 0, n_own_blocks = 0; ///< whole blocks
  Index              n_nodes = 0, n_rows = 0;               ///< of all processes
  Vector             masses;                                ///< of the nodes here (kg)
  std::vector<PairConstraint::Pair> pairs;      ///< rows that touch an own node, by nodes here: ordered by i, then j; i < j
  Eigen::MatrixXd                   directions; ///< dim x rows
};

/// B of such a network. Velocities are those of own nodes; rows are all that touch one, so that those on a cut are there
/// twice: label() is the same, and sum() counts them once.
class SharedNetwork : public ConstraintOperator
{
public:
  SharedNetwork(NetworkPart part, std::shared_ptr<const Sharing> sharing);

  Index  n_constraints() const override { return local.n_constraints(); }
  Index  n_unknowns() const override { return part.dim * part.n_own; }
  void   apply(const Vector &v, Vector &Bv) const override;
  void   apply_transpose(const Vector &q, Vector &Btq) const override;
  Vector delassus_diagonal(const VelocitySpace &) const override;

  /// Σ q_c over the rows of all processes, each once, by blocks.
  double sum(const Vector &q) const;

  /// A number that tells row c from most others, the same on every process that holds it.
  double label(Index c) const;

  const NetworkPart        &here() const { return part; }
  const PairConstraint     &rows() const { return local; } ///< on the nodes here
  const Sharing            &processes() const { return *sharing; }
  const std::vector<Index> &ghosts() const { return ghost; } ///< nodes here that others own

  /// Σ over own blocks, then over all processes, of term(k) for the nodes k = 0 ... n_own-1 that the process owns.
  double sum_over_nodes(const std::function<double(Index)> &term) const;

  /// The same where sum(first, end) is that over the nodes k = first ... end-1 of a block.
  double sum_of_blocks(const std::function<double(Index first, Index end)> &sum) const;

  /// n_each numbers of each own node: with those of the nodes of others that are here.
  Vector with_ghosts(const Vector &v, Index n_each) const;

  /// The whole problem on the first process, where factorisations and whatever knows one memory only are done, and nothing
  /// on the others; its nodes and rows have the order of all processes. b and U are those of `problem`.
  ProjectionProblem whole(const ProjectionProblem &problem) const;

  Vector whole_rows(const Vector &q) const;     ///< values of rows, each once: on the first process
  Vector whole_nodes(const Vector &v) const;    ///< values of nodes, as many as each has: on the first process
  Vector rows_of_whole(const Vector &q) const;  ///< and back: what the first process has for the rows here
  Vector nodes_of_whole(const Vector &v) const; ///< and for own nodes, dim values each

  /// What a solver finds out about this network, made when it is first asked for. All processes ask in the same order.
  template <class Finding>
  const Finding &remembered() const
  {
    std::shared_ptr<const void> &place = findings[std::type_index(typeid(Finding))];
    if (!place)
      place = std::make_shared<const Finding>(*this);
    return *static_cast<const Finding *>(place.get());
  }

private:
  Vector received(const Vector &v, Index n_each, Sharing::Transfer &transfer) const;
  void   find_ghost_rows() const;

  NetworkPart                        part;
  PairConstraint                     local;
  std::shared_ptr<const Sharing>     sharing;
  std::vector<Index>                 ghost;
  std::vector<Index>                 row_begin; ///< of own blocks: first row of each, and the number of rows
  std::unique_ptr<Sharing::Transfer> transfer;

  mutable std::map<std::type_index, std::shared_ptr<const void>> findings;

  // of the first process, once somebody has asked
  mutable bool                                  is_gathered = false;
  mutable std::shared_ptr<const PairConstraint> whole_B;
  mutable std::shared_ptr<const DiagonalSpace>  whole_V;
  mutable std::vector<std::vector<Index>>       rows_of_process;  ///< for each process the rows that it holds
  mutable std::vector<Index>                    nodes_of_process; ///< how many it owns
};

/// V of its own nodes.
class SharedSpace : public DiagonalSpace
{
public:
  /// at_rest: as DiagonalSpace has it.
  explicit SharedSpace(std::shared_ptr<const SharedNetwork> network, std::vector<bool> at_rest = {});

  double dot(const Vector &u, const Vector &v) const override;
  Vector mean(const Vector &U) const override;
  double max_over_processes(const double local) const override { return network->processes().max(local); }

  /// Throws std::logic_error: the digits of a sum of what processes found would depend on their number.
  double sum_over_processes(double local) const override;

private:
  std::shared_ptr<const SharedNetwork> network;
  std::vector<bool>                    at_rest;
};

/// B of a problem on such a network, or null.
const SharedNetwork *shared_network(const ProjectionProblem &problem);

/// For code that knows problems of both kinds: Σ q_c over the rows of all processes; a label of row c, which elsewhere is c;
/// the largest of what processes have, entry by entry.
double sum_over_rows(const ProjectionProblem &problem, const Vector &q);
double label_of_row(const ProjectionProblem &problem, Index c);
void   max_of_each_over_processes(const ProjectionProblem &problem, std::vector<double> &local);

/// Calls f on the first process alone; where it finds no memory there, all throw std::bad_alloc.
void by_first(const Sharing &processes, const std::function<void()> &f);
} // namespace moreau::convex

#endif
