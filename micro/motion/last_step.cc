// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/last_step.h"

#include "convex/vectors.h"

#include <stdexcept>

namespace moreau::micro
{
namespace
{
constexpr std::size_t numbers_of_contact = 6, numbers_of_obstacle = 6;

std::vector<double> flat(const Eigen::MatrixXd &columns) { return {columns.data(), columns.data() + columns.size()}; }
} // namespace

void LastStep::add_to(MotionState &state) const
{
  state.reals["h"]                     = {h};
  state.reals["impulse"]               = convex::values(impulse);
  state.reals["begin"]                 = flat(ways.begin);
  state.reals["way"]                   = flat(ways.way);
  std::vector<std::int64_t> &partners  = state.integers["partners"];
  std::vector<std::int64_t> &rigid     = state.integers["rigid"];
  std::vector<double>       &numbers   = state.reals["contacts"];
  std::vector<double>       &obstacles = state.reals["obstacles"];
  for (const MotionContact &c : contacts)
    {
      partners.insert(partners.end(), {c.i, c.j});
      rigid.push_back(c.rigid);
      numbers.insert(numbers.end(), {c.e(0), c.e(1), c.e(2), c.D, c.impulse, c.gamma});
    }
  for (const ObstacleImpulse &of : of_obstacles)
    for (const Eigen::Vector3d &vector : {of.impulse, of.moment})
      obstacles.insert(obstacles.end(), vector.data(), vector.data() + 3);
}

LastStep LastStep::of(const MotionState &state, const Index dim, const Index n, const Index n_obstacles)
{
  const std::vector<std::int64_t> &partners = state.integers.at("partners"), &rows = state.integers.at("rows"),
                                  &rigid = state.integers.at("rigid");
  const std::vector<double> &h = state.reals.at("h"), &impulse = state.reals.at("impulse"), &begin = state.reals.at("begin"),
                            &way = state.reals.at("way"), &numbers = state.reals.at("contacts"),
                            &obstacles = state.reals.at("obstacles");

  const std::size_t n_contacts = partners.size() / 2, n_coordinates = dim * n;
  if (h.size() != 1 || impulse.size() != n_coordinates || begin.size() != way.size() ||
      (!begin.empty() && begin.size() != n_coordinates) || partners.size() % 2 != 0 || rigid.size() != n_contacts ||
      numbers.size() != numbers_of_contact * n_contacts ||
      obstacles.size() != numbers_of_obstacle * static_cast<std::size_t>(n_obstacles))
    throw std::invalid_argument("The last step of the state is of other spheres.");

  LastStep last;
  last.h       = h[0];
  last.impulse = convex::vector(impulse);
  if (!begin.empty())
    {
      last.ways.begin = Eigen::Map<const Eigen::MatrixXd>(begin.data(), dim, n);
      last.ways.way   = Eigen::Map<const Eigen::MatrixXd>(way.data(), dim, n);
    }
  for (std::size_t c = 0; c < n_contacts; ++c)
    {
      const std::int64_t i = partners[2 * c], j = partners[2 * c + 1];
      if (i < 0 || i >= n || j < 0 || j >= n + n_obstacles || begin.empty() || !(last.h > 0.))
        throw std::invalid_argument("A contact of the state has no such sphere.");
      const double *const x = &numbers[numbers_of_contact * c];
      last.contacts.push_back(
          {static_cast<int>(i), static_cast<int>(j), {x[0], x[1], x[2]}, x[3], x[4], x[5], rigid[c] != 0});
    }
  for (std::size_t c = 0; c + 2 < rows.size(); c += 3)
    if (rows[c] < 0 || rows[c] >= n || rows[c + 1] < 0 || rows[c + 1] >= n + n_obstacles || rows[c + 2] < 0)
      throw std::invalid_argument("A constraint of the state has no such sphere.");
  for (std::size_t k = 0; k < obstacles.size(); k += numbers_of_obstacle)
    last.of_obstacles.push_back(
        {Eigen::Map<const Eigen::Vector3d>(&obstacles[k]), Eigen::Map<const Eigen::Vector3d>(&obstacles[k + 3])});
  return last;
}
} // namespace moreau::micro
