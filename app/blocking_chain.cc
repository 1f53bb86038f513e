// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/blocking_chain.h"

#include "app/words.h"

#include <algorithm>
#include <map>
#include <set>

namespace moreau::app
{
namespace
{
using Neighbours = std::map<int, std::vector<int>>; ///< of each sphere of the chain

/// "0-1-2": from an end of the chain, if it has one, so that neighbours stand side by side.
std::string walk(const Neighbours &neighbours)
{
  constexpr int most_shown = 12;
  std::set<int> left;
  for (const auto &[sphere, others] : neighbours)
    left.insert(sphere);
  int next = std::min_element(neighbours.begin(), neighbours.end(), [](const auto &a, const auto &b) {
               return a.second.size() < b.second.size();
             })->first;

  std::string text = std::to_string(next);
  left.erase(next);
  for (int n_shown = 1; !left.empty() && n_shown < most_shown; ++n_shown)
    {
      const std::vector<int> &others = neighbours.at(next);
      const auto other = std::find_if(others.begin(), others.end(), [&](const int k) { return left.count(k) != 0; });
      next             = other != others.end() ? *other : *left.begin();
      left.erase(next);
      text += "-" + std::to_string(next);
    }
  return left.empty() ? text : text + "-... (" + counted(neighbours.size(), "sphere") + ")";
}
} // namespace

std::string blocking_chain(const micro::ContactGraph &graph, const std::vector<micro::Wall> &walls, const micro::Vector &p)
{
  Neighbours            neighbours;
  std::set<std::string> squeezing;
  const double          threshold = p.size() == 0 ? 0. : 1e-6 * p.maxCoeff(); // what is smaller is rounding
  for (micro::Index k = 0; k < p.size(); ++k)
    if (const micro::Contact &contact = graph.contacts[k]; p(k) > threshold)
      {
        neighbours[contact.i];
        if (graph.touches_wall(contact))
          squeezing.insert(walls[contact.j - graph.n_spheres].name);
        else
          {
            neighbours[contact.i].push_back(contact.j);
            neighbours[contact.j].push_back(contact.i);
          }
      }
  if (neighbours.empty())
    return "the walls leave no admissible velocity; change their velocities";

  std::string between;
  for (const std::string &wall : squeezing)
    between += (between.empty() ? "" : " and ") + wall;
  return (neighbours.size() == 1 ? "sphere " : "spheres ") + walk(neighbours) + (neighbours.size() == 1 ? " is" : " are") +
         " squeezed between " + (squeezing.size() == 1 ? "parts of the wall " : "the walls ") + between +
         "; change Zone/Wall velocities or leave a gap";
}
} // namespace moreau::app
