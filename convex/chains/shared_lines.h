// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_SHARED_LINES_H
#define MOREAU_CONVEX_CHAINS_SHARED_LINES_H

#include "convex/chains/chain_families.h"
#include "convex/dealt_items.h"
#include "convex/shared_network.h"

#include <memory>
#include <optional>
#include <vector>

namespace moreau::convex
{
/// The rows of a network in one direction, at each own node.
struct RowsAtNodes
{
  std::vector<int> next, previous; ///< to its successor, from its predecessor, or none
  std::vector<int> before, behind; ///< at fixed bodies before and behind it, or none
  bool             is_line = true; ///< no node has two successors or predecessors

  /// of_row: of each row ±(k+1), along direction k or against it; rows of other directions are passed over.
  RowsAtNodes(const SharedNetwork &network, const std::vector<signed char> &of_row, int k);

  bool meets_fixed_bodies() const;        ///< here
  bool takes_part(std::size_t own) const; ///< whether there is a row at this own node
};

/// The lines of a network along one direction, each of which is dealt to one process, which has it whole: what arrives
/// there, numbered from 0, and the way to and fro. All processes call the same functions together.
class LinesAlong
{
public:
  /// e: direction k; of_row: as above. The network must outlive this.
  LinesAlong(const SharedNetwork &network, const Vector &e, const std::vector<signed char> &of_row, int k);

  /// False, on all processes, where the rows are no straight lines with two ends.
  bool is_usable() const { return rows.is_line && is_whole; }
  /// Where one of them is closed around a period, which is what else keeps lines from having two ends.
  bool has_closed() const { return rows.is_line && !is_whole; }

  const Vector &direction() const { return family.direction; } ///< e, of length dim

  /// Runs of the nodes that arrive here. Rows are numbered anew: l of position l, then two of each run, at fixed bodies.
  const ChainFamilies::Family &lines() const { return family; }
  const Vector                &masses() const { return masses_here; } ///< of the nodes that arrive here (kg)

  const std::vector<Index> &nodes() const { return dealt->items(); }         ///< own ones that take part
  bool is_at_hand() const { return network.processes().n_processes() == 1; } ///< what arrives is nodes(), in their order

  const DealtItems &dealing() const { return *dealt; }                ///< of nodes()
  const Sharing    &processes() const { return network.processes(); } ///< that share the network

  const std::vector<int> &groups() const { return group_of_run; } ///< of each run: lines of a group are with one process

  Vector rows_to_lines(const Vector &q) const;                     ///< q of rows: of the rows of lines()
  void   rows_to_network(const Vector &of_lines, Vector &q) const; ///< and back, to rows along this direction

private:
  const SharedNetwork      &network;
  RowsAtNodes               rows;
  bool                      has_fixed_bodies, is_whole = false;
  std::optional<DealtItems> dealt; ///< own nodes, to who has their line
  ChainFamilies::Family     family;
  Vector                    masses_here;
  std::vector<int>          group_of_run;

  bool   everywhere(bool here) const;
  double successor_of(Index own) const;
  void   join(const std::vector<double> &told);
};

/// A number of each run that is here.
struct NumbersOfRuns
{
  const LinesAlong          *lines;
  const std::vector<double> *numbers;
};

/// Σ over the runs of these directions of all processes, group by group and in each in the order of lines(): no digit
/// depends on who has which line. All processes call together.
double sum_over_runs(const std::vector<NumbersOfRuns> &of_directions);

/// All lines of a network: remembered<LinesOfNetwork>() of it.
struct LinesOfNetwork
{
  /// Empty: its rows are no straight lines with two ends in at most 12 directions.
  std::vector<std::unique_ptr<LinesAlong>> along;
  bool                                     has_closed   = false; ///< they would be, but some are closed; no masses then
  bool                                     equal_masses = false, orthogonal = false;
  double                                   common_mass = 1.; ///< of a node where they are equal, else 1 (kg)
  Index                                    longest_run = 0;  ///< in nodes

  /// All processes call together; the network must outlive this.
  explicit LinesOfNetwork(const SharedNetwork &network);
};
} // namespace moreau::convex

#endif
