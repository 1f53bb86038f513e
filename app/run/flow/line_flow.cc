// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/line_flow.h"

#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "macro/line/soft_congestion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using geometry::Index;

class BlocksFlow : public LineFlow
{
public:
  explicit BlocksFlow(const LineSetting &setting)
      : blocks(setting.blocks(), parameters(setting)), force_varies(!setting.has_constant_force())
  {}

  void         advance(const double t) override { blocks.advance(t); }
  double       time() const override { return blocks.time(); }
  unsigned int n_impacts() const override { return blocks.n_impacts(); }
  unsigned int n_collapsed() const override { return blocks.n_collapsed(); }
  unsigned int n_closed_gaps() const override { return blocks.n_closed_gaps(); }
  unsigned int n_unseen_rebounds() const override { return blocks.n_unseen_rebounds(); }
  double       wall_impulse() const override { return blocks.wall_impulse(); }
  bool         moves_blocks() const override { return true; }

  std::optional<Given> given_by_force() const override
  {
    return force_varies ? std::optional<Given>({blocks.force_velocity(), blocks.work()}) : std::nullopt;
  }

  convex::NamedArrays state() const override { return blocks.state(); }
  void                restore(const convex::NamedArrays &state) override { blocks.restore(state); }

  macro::Parcels parcels() const override
  {
    macro::Parcels parcels;
    parcels.m.push_back(0.);
    for (const macro::Block &block : blocks.blocks())
      {
        parcels.m.push_back(parcels.m.back() + block.width);
        parcels.left.push_back(block.left);
        parcels.right.push_back(block.left + block.width);
        parcels.u.push_back(block.u);
      }
    return parcels;
  }

private:
  static macro::ExactBlocks::Parameters parameters(const LineSetting &setting)
  {
    macro::ExactBlocks::Parameters result;
    result.restitution = setting.parameters().law.restitution;
    result.walls       = setting.walls();
    if (setting.has_constant_force())
      result.force = setting.constant_force("'exact blocks'");
    else
      {
        constexpr double n_intervals = 1000.;
        result.force_in_time         = setting.uniform_force("'exact blocks'");
        result.force_interval        = setting.parameters().motion.time.end_time / n_intervals;
      }
    return result;
  }

  macro::ExactBlocks blocks;
  bool               force_varies;
};

/// Parcels among the arrays of a state.
convex::NamedArrays state_of(const macro::Parcels &parcels, const double time)
{
  return {{{"m", parcels.m}, {"left", parcels.left}, {"right", parcels.right}, {"u", parcels.u}, {"time", {time}}}, {}};
}

macro::Parcels parcels_of(const convex::NamedArrays &state)
{
  const auto       &reals = state.reals;
  const std::size_t n     = reals.at("u").size();
  if (n == 0 || reals.at("m").size() != n + 1 || reals.at("left").size() != n || reals.at("right").size() != n)
    throw std::invalid_argument("The state is of no parcels.");
  return {reals.at("m"), reals.at("left"), reals.at("right"), reals.at("u")};
}

void require_inelastic(const Parameters &parameters, const std::string &method)
{
  if (parameters.law.restitution != 0.)
    throw InputError("Congested flow/Compare with", "'" + method + "' is made for Restitution = 0 only, which is " +
                                                        short_number(parameters.law.restitution) + " here; leave it out.");
}

class StickyFlow : public LineFlow
{
public:
  explicit StickyFlow(const LineSetting &setting) : initial(setting.parcels()), walls(setting.walls())
  {
    require_inelastic(setting.parameters(), "sticky solution");
    if (setting.constant_force("'sticky solution'") != 0.)
      throw InputError("Congested flow/Compare with",
                       "'sticky solution' is made for flows without force; leave it or Force/Function expression out.");
  }

  void           advance(const double t) override { now = t; }
  double         time() const override { return now; }
  macro::Parcels parcels() const override { return macro::sticky_solution(initial, now, walls); }

private:
  macro::Parcels   initial;
  macro::LineWalls walls;
  double           now = 0.;
};

class SplittingFlow : public LineFlow
{
public:
  explicit SplittingFlow(const LineSetting &setting)
      : moved(setting.parcels(setting.grid().h(0) / parcels_per_cell))
      , walls(setting.walls())
      , force(setting.constant_force("'splitting'"))
      , h(splitting_step_of(setting.parameters()))
  {
    require_inelastic(setting.parameters(), "splitting");
  }

  void advance(const double t) override
  {
    const double begin = now, n = std::max(1., std::ceil((t - begin) / h * (1. - 1e-9)));
    for (double k = 1.; k <= n && t > begin; ++k)
      moved = macro::splitting_step(moved, (t - begin) / n, force, walls);
    now = t;
  }

  double         time() const override { return now; }
  macro::Parcels parcels() const override { return moved; }

  convex::NamedArrays state() const override { return state_of(moved, now); }

  void restore(const convex::NamedArrays &state) override
  {
    moved = parcels_of(state);
    now   = state.reals.at("time").at(0);
  }

private:
  static constexpr double parcels_per_cell = 4.; ///< saturated ones: so that they show no edges of parcels

  macro::Parcels   moved;
  macro::LineWalls walls;
  double           force, h, now = 0.;
};

class SoftFlow : public LineFlow
{
public:
  explicit SoftFlow(const LineSetting &setting) : flow(loose_parcels(setting), parameters(setting)) {}

  void           advance(const double t) override { flow.advance(t); }
  double         time() const override { return flow.time(); }
  macro::Parcels parcels() const override { return flow.parcels(); }
  double         wall_impulse() const override { return flow.wall_impulse(); }

  convex::NamedArrays state() const override
  {
    convex::NamedArrays state   = state_of(flow.parcels(), flow.time());
    state.reals["wall_impulse"] = {flow.wall_impulse()};
    return state;
  }

  void restore(const convex::NamedArrays &state) override
  {
    flow.restore(parcels_of(state), state.reals.at("time").at(0), state.reals.at("wall_impulse").at(0));
  }

private:
  /// Of the mass of a full cell at most.
  static macro::Parcels loose_parcels(const LineSetting &setting)
  {
    macro::Parcels parcels = setting.parcels(setting.grid().h(0));
    for (std::size_t k = 0; k < parcels.u.size(); ++k)
      if (const double length = parcels.right[k] - parcels.left[k], mass = parcels.m[k + 1] - parcels.m[k]; !(length > mass))
        throw InputError("Zone/Function expression",
                         "The density is " + short_number(mass / length) + " at " +
                             short_number(.5 * (parcels.left[k] + parcels.right[k])) +
                             ", but 'soft congestion' needs densities below 1, where its pressure is infinite; give less, "
                             "as 0.9.");
    return parcels;
  }

  static macro::SoftCongestion::Parameters parameters(const LineSetting &setting)
  {
    return {setting.parameters().flow.soft_pressure, setting.constant_force("'soft congestion'"), setting.walls()};
  }

  macro::SoftCongestion flow;
};

class SpheresFlow : public LineFlow
{
public:
  SpheresFlow(const LineSetting &setting, const double n_per_unit_length)
  {
    const Parameters       &parameters = setting.parameters();
    micro::SphereSystem     system     = setting.spheres(n_per_unit_length);
    micro::MotionParameters how;
    how.criterion = parameters.criterion;
    how.solver    = parameters.solver;
    how.law       = parameters.law;

    double speed = system.U.cwiseAbs().maxCoeff();
    if (Eigen::MatrixXd f; system.force)
      {
        system.force(0., system.spheres.r, system.U.transpose(), f);
        speed += f.cwiseAbs().maxCoeff() * parameters.motion.time.end_time;
      }
    h      = speed > 0. ? part_of_radius * system.spheres.R.minCoeff() / speed : parameters.motion.time.end_time;
    motion = micro::make_motion(std::move(system), how);
  }

  void advance(const double t) override
  {
    const double begin = motion->time(), n = std::ceil((t - begin) / h);
    for (double k = 1.; k <= n; ++k)
      {
        motion->advance(k == n ? t : begin + (t - begin) * (k / n));
        all_converged = all_converged && motion->record().effort.converged();
      }
  }

  double time() const override { return motion->time(); }
  bool   converged() const override { return all_converged; }

  macro::Parcels parcels() const override
  {
    const micro::Spheres &spheres = motion->spheres();
    macro::Parcels        parcels;
    parcels.m.push_back(0.);
    for (Index k = 0; k < spheres.size(); ++k)
      {
        parcels.m.push_back(parcels.m.back() + spheres.m(k));
        parcels.left.push_back(spheres.r(0, k) - spheres.R(k));
        parcels.right.push_back(spheres.r(0, k) + spheres.R(k));
        parcels.u.push_back(motion->u()(k));
      }
    return parcels;
  }

private:
  static constexpr double part_of_radius = .25; ///< way of a step

  std::unique_ptr<micro::SphereMotion> motion;
  double                               h;
  bool                                 all_converged = true;
};
} // namespace

std::unique_ptr<LineFlow> make_line_flow(const std::string &method, const LineSetting &setting)
{
  if (method == "exact blocks")
    return std::make_unique<BlocksFlow>(setting);
  if (method == "sticky solution")
    return std::make_unique<StickyFlow>(setting);
  if (method == "soft congestion")
    return std::make_unique<SoftFlow>(setting);
  return std::make_unique<SplittingFlow>(setting);
}

std::unique_ptr<LineFlow> make_spheres_on_line(const LineSetting &setting, const double n_per_unit_length)
{
  return std::make_unique<SpheresFlow>(setting, n_per_unit_length);
}

double splitting_step_of(const Parameters &parameters)
{
  constexpr double n_steps = 1000.;
  const double     given   = parameters.motion.time.steps.front();
  return given > 0. ? given : parameters.motion.time.end_time / n_steps;
}
} // namespace moreau::app
