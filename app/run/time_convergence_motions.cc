// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/time_convergence_motions.h"

#include "app/output/motion_output.h"
#include "app/input/text/words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <utility>

namespace moreau::app
{
namespace
{
using micro::ExactTrajectory;
using micro::Index;
using micro::Trajectory;
using micro::Vector;

using Visit = std::function<void(double t, const Vector &q, const Vector &u, const Vector &impulse)>;

/// At up to so many instants, the first and the last among them.
void sample(const Trajectory &motion, const Index most, const Visit &visit)
{
  const Index stride = (motion.n_steps() + most - 1) / most;
  const auto  at     = [&](const Index k) {
    const double t = motion.instants()[k];
    visit(t, motion.q_at(k), motion.u(t), motion.cumulated_impulse_at(k));
  };
  for (Index k = 0; k < motion.n_steps(); k += stride)
    at(k);
  at(motion.n_steps());
}

void sample(const ExactTrajectory &motion, const double T, const Index most, const Visit &visit)
{
  for (Index k = 0; k <= most; ++k)
    {
      const double                 t     = T * static_cast<double>(k) / static_cast<double>(most);
      const ExactTrajectory::State state = motion.at(t);
      visit(t, state.q, state.u, state.cumulated_impulse);
    }
}

void sample(const TimeReference &reference, const double T, const Index most, const Visit &visit)
{
  if (reference.motion)
    sample(*reference.motion, most, visit);
  else
    sample(*reference.exact, T, most, visit);
}

/// Which levels a picture shows: with all of them it would show none.
std::vector<std::size_t> shown(const std::vector<TimeLevel> &levels)
{
  const std::size_t last = levels.size() - 1;
  if (levels.back().limit == 0)
    return last == 1 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0, last / 2, last};
  std::size_t other = last;
  while (levels[other].limit == levels[last].limit)
    --other;
  return {last, other};
}

/// "x [m]" of "x (m)", "θ₁ [rad]" of "theta1 (rad)": as all axes of plots are written.
std::string axis_label(std::string name)
{
  static const std::vector<std::pair<std::string, std::string>> letters = {
      {"theta1", "θ₁"}, {"theta2", "θ₂"}, {"theta", "θ"}};
  for (const auto &[word, letter] : letters)
    if (name.rfind(word, 0) == 0)
      {
        name = letter + name.substr(word.size());
        break;
      }
  std::replace(name.begin(), name.end(), '(', '[');
  std::replace(name.begin(), name.end(), ')', ']');
  return name;
}
} // namespace

void write_motions(std::ostream &out, const std::vector<std::string> &names, const std::vector<TimeLevel> &levels,
                   const std::vector<Trajectory> &motions, const TimeReference &reference, const Index most)
{
  out << "h,time";
  for (const char *const prefix : {"", "u_", "impulse_"})
    for (const std::string &name : names)
      out << ',' << prefix << without_unit(name);
  out << '\n';
  const auto rows = [&](const double h) -> Visit {
    return [&out, &names, h](const double t, const Vector &q, const Vector &u, const Vector &impulse) {
      out << digits(h) << ',' << digits(t);
      for (const Vector *const values : {&q, &u, &impulse})
        for (std::size_t i = 0; i < names.size(); ++i)
          out << ',' << (values->size() > 0 ? digits((*values)(static_cast<Index>(i))) : "");
      out << '\n';
    };
  };
  for (std::size_t k = 0; k < levels.size(); ++k)
    sample(motions[k], most, rows(levels[k].h));
  sample(reference, motions.front().end_time(), most, rows(reference.h));
}

Walls walls_of_one_coordinate(const micro::MechanicalSystem &system)
{
  Walls walls;
  if (system.n_coordinates() != 1 || system.n_constraints() == 0)
    return walls;
  constexpr double here = .123, later = 4.567; // two places and moments; nothing happens there
  const auto       value = [&](const double q, const double t) { return system.constraints(t, Vector::Constant(1, q)); };
  const auto       slope = [&](const double q) -> Vector { return system.gradients(0., Vector::Constant(1, q)).row(0); };
  const Vector     g = value(here, 0.), dg = slope(here);
  for (Index k = 0; k < g.size(); ++k)
    {
      const bool is_linear = std::abs(value(later, 0.)(k) - g(k) - dg(k) * (later - here)) < 1e-9 * std::abs(dg(k));
      if (is_linear && value(here, later)(k) == g(k))
        (dg(k) > 0. ? walls.below : walls.above).push_back(here - g(k) / dg(k));
    }
  return walls;
}

Plot motion_plot(const std::string &title, const std::vector<std::string> &names, const std::vector<TimeLevel> &levels,
                 const TimeReference &reference, const Walls &walls)
{
  Plot plot{"motions", {{"title", title}}, {{"coordinates", {}}}};
  for (const std::string &name : names)
    plot.lists["coordinates"].push_back(axis_label(name));
  const auto add = [&](const std::string &name, const double h) {
    plot.lists["names"].push_back(name);
    plot.lists["steps"].push_back(digits(h));
  };
  for (const std::size_t k : shown(levels))
    add("h = " + rounded_number(levels[k].h) + " s" +
            (levels[k].limit > 0 ? ", limit " + std::to_string(levels[k].limit) : ""),
        levels[k].h);
  add(reference.h > 0. ? reference.name + ", h = " + rounded_number(reference.h) + " s" : reference.name, reference.h);
  const auto places = [](const std::vector<double> &numbers) {
    std::vector<std::string> texts;
    for (const double number : numbers)
      texts.push_back(digits(number));
    return joined(texts, " ");
  };
  plot.texts["below"] = places(walls.below);
  plot.texts["above"] = places(walls.above);
  return plot;
}
} // namespace moreau::app
