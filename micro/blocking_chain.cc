// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/blocking_chain.h"

#include "convex/input_error.h"

#include <algorithm>
#include <map>
#include <set>

namespace moreau::micro
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
  return left.empty() ? text : text + "-... (" + std::to_string(neighbours.size()) + " spheres" + ")";
}
} // namespace

std::string blocking_chain(const std::vector<BodyPair> &pairs, const std::vector<std::string> &obstacle_names,
                           const int n_spheres, const Vector &p)
{
  Neighbours            neighbours;
  std::set<std::string> squeezing;
  const double          threshold = p.size() == 0 ? 0. : 1e-6 * p.maxCoeff(); // what is smaller is rounding
  for (Index k = 0; k < p.size(); ++k)
    if (const auto [i, j] = pairs[k]; p(k) > threshold)
      {
        neighbours[i];
        if (j >= n_spheres)
          squeezing.insert(obstacle_names[j - n_spheres]);
        else
          {
            neighbours[i].push_back(j);
            neighbours[j].push_back(i);
          }
      }
  if (neighbours.empty())
    return "no sphere can move";

  std::string between;
  for (const std::string &name : squeezing)
    between += (between.empty() ? "" : " and ") + name;
  const bool one = neighbours.size() == 1;
  return (one ? "sphere " : "spheres ") + walk(neighbours) + (one ? " is" : " are") + " squeezed" +
         (squeezing.empty()       ? " by each other"
          : squeezing.size() == 1 ? " between parts of " + between
                                  : " between " + between);
}

std::string blocking_chain(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p)
{
  std::vector<BodyPair> pairs;
  for (const Contact &contact : graph.contacts)
    pairs.push_back({contact.i, contact.j});
  std::vector<std::string> names;
  for (const Wall &wall : walls)
    names.push_back("the wall " + wall.name);
  return blocking_chain(pairs, names, static_cast<int>(graph.n_spheres), p);
}

void refuse_walls(const ContactGraph &graph, const std::vector<Wall> &walls, const Vector &p)
{
  throw InputError("the velocities of the walls", "The walls cannot move as asked: " + blocking_chain(graph, walls, p) +
                                                      "; change their velocities or leave a gap.");
}
} // namespace moreau::micro
