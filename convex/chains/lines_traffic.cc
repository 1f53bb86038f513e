// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/chains/lines_traffic.h"

#include <numeric>

namespace moreau::convex
{
namespace
{
using Pieces = std::vector<std::vector<LinesTraffic::Piece>>;

/// counts: per family, of each process. Sets how many there are of each process, and returns the pieces of each family.
Pieces pieces_of(const std::vector<const std::vector<int> *> &counts, std::vector<int> &n_of_process)
{
  Pieces                   pieces(counts.size());
  std::vector<std::size_t> first(counts.size(), 0);
  std::size_t              place = 0;
  n_of_process.assign(counts.front()->size(), 0);
  for (std::size_t process = 0; process < n_of_process.size(); ++process)
    for (std::size_t k = 0; k < counts.size(); ++k)
      {
        const auto n = static_cast<std::size_t>((*counts[k])[process]);
        pieces[k].push_back({first[k], first[k] + n, place});
        first[k] += n;
        place += n;
        n_of_process[process] += static_cast<int>(n);
      }
  return pieces;
}
} // namespace

LinesTraffic::LinesTraffic(const std::vector<const LinesAlong *> &lines, const Index n_nodes) : lines(lines)
{
  if (lines.empty())
    return;
  std::vector<const std::vector<int> *> to, from;
  for (const LinesAlong *const along : lines)
    {
      to.push_back(&along->dealing().n_dealt());
      from.push_back(&along->dealing().n_arrived());
    }
  const Pieces sent = pieces_of(to, n_to);
  places.assign(n_nodes * lines.size(), nowhere);
  for (std::size_t k = 0; k < lines.size(); ++k)
    for (const Piece &piece : sent[k])
      for (std::size_t j = piece.first; j < piece.end; ++j)
        places[lines[k]->nodes()[j] * lines.size() + k] = static_cast<int>(piece.place + j - piece.first);
  arrived_pieces = pieces_of(from, n_from);
  of_nodes.assign(std::accumulate(n_to.begin(), n_to.end(), std::size_t(0)), 0.);
  of_arrived.assign(std::accumulate(n_from.begin(), n_from.end(), std::size_t(0)), 0.);
}

void LinesTraffic::to_lines() { lines.front()->processes().exchange(of_nodes, n_to, n_from, of_arrived); }

void LinesTraffic::to_nodes() { lines.front()->processes().exchange(of_arrived, n_from, n_to, of_nodes); }
} // namespace moreau::convex
