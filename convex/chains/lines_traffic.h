// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_CHAINS_LINES_TRAFFIC_H
#define MOREAU_CONVEX_CHAINS_LINES_TRAFFIC_H

#include "convex/chains/shared_lines.h"

#include <vector>

namespace moreau::convex
{
/// What travels between the nodes of a shared network and its lines, one number of each node and family, in one message for
/// all families: a list for each process, in it one family after the other.
class LinesTraffic
{
public:
  /// Entries first ... end-1 of what arrives of a family, in its order, and where the first one is.
  struct Piece
  {
    std::size_t first, end, place;
  };

  static constexpr int nowhere = -1; ///< a place that a node does not have

  std::vector<double> of_nodes;   ///< numbers of own nodes, by place()
  std::vector<double> of_arrived; ///< of the nodes that arrive here, by arrived()

  /// lines: of all families; they must outlive this. None where nothing has to travel.
  LinesTraffic(const std::vector<const LinesAlong *> &lines, Index n_nodes);

  bool is_needed() const { return !lines.empty(); } ///< whether anything has to travel

  /// Where in of_nodes the number of own node i for family k is, or nowhere.
  int place(const Index i, const std::size_t k) const { return places[i * lines.size() + k]; }

  const std::vector<Piece> &arrived(const std::size_t k) const { return arrived_pieces[k]; } ///< of family k, in of_arrived

  void to_lines(); ///< of_nodes of all processes: of_arrived
  void to_nodes(); ///< and back

private:
  std::vector<const LinesAlong *> lines;
  std::vector<int>                n_to, n_from; ///< each process
  std::vector<int>                places;       ///< of nodes, family after family
  std::vector<std::vector<Piece>> arrived_pieces;
};
} // namespace moreau::convex

#endif
