// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/congested_flow.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "convex/vectors.h"
#include "macro/flow/coloured_flow.h"
#include "macro/flow/edges.h"
#include "macro/flow/flow_state.h"
#include "macro/flow/force.h"
#include "macro/flow/sides.h"
#include "macro/flow/impact_stage.h"
#include "macro/flow/mass_step.h"
#include "macro/flow/rebound_count.h"
#include "macro/flow/step_length.h"
#include "macro/flow/two_bodies.h"
#include "macro/flow/velocity_flux.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <sstream>
#include <string>

namespace moreau::macro
{
class CongestedFlow::Implementation
{
public:
  explicit Implementation(FlowSetting given);

  double     longest_step(); ///< found once for each state
  double     until_contact(double longest) const;
  void       advance(double t_next);
  FaceArrays velocity() const { return face_arrays(grid, U); }
  FaceArrays mass_flux() const { return face_arrays(grid, flux); }
  FaceArrays obstacle_impulse() const { return face_arrays(grid, taken); }

  Eigen::MatrixXd       cell_velocities() const;
  std::vector<BodySums> two_bodies() const;
  convex::NamedArrays   state() const;
  void                  restore(const convex::NamedArrays &state);

  FlowSetting setting;
  FlowGrid    grid;
  CellArray   rho;
  CellArray   q; ///< multiplier of the impact law in the last step
  CellArray   pressure, impulse;
  double      impulse_time = 0.;
  FlowRecord  record;

private:
  /// f(numbers ...) of a flow, constant or not: what its state holds of one number each.
  template <class Flow, class F>
  static void with_numbers(Flow &flow, F &&f)
  {
    f(flow.record.time, flow.record.h, flow.record.work, flow.record.mass_in, flow.record.impulse, flow.impulse_time,
      flow.initial_mass, flow.entered_amount, flow.momentum_scale, flow.record.pressure, flow.speed_scale);
  }

  void   start();
  Vector push(double h);
  double half_work() const;
  void   set_response(double h);
  Vector transport(double h);
  void   obey_impact_law(double h);
  void   take_stock();
  Vector total_momentum() const;
  double kinetic_energy() const;

  CellArray             after;
  FaceCells             M, rho_D, rho_D_before, pushed, flux; ///< momentum, dual densities, what the force gave, mass flux
  FaceCells             U, driven;                            ///< velocity, now and as the force of the step left it
  FaceCells             taken;    ///< on closed faces: density of momentum that walls and solids took in the last step
  std::array<Vector, 3> response; ///< see apply_impact_law()
  FlowForce             force;
  Inflow                inflow;
  MassStep              mass;
  VelocityFlux          velocity_flux;
  ReboundCount          rebounds;
  std::optional<TwoBodies> two;   ///< set by start()
  CellArray                first; ///< see TwoBodies; of the mixture, where these are two

  std::optional<ColouredFlow> coloured; ///< what M and U are the sums and means of, where bodies keep their velocity

  double                initial_mass = 0., entered_amount = 0., momentum_scale = 0.;
  double                speed_scale = 0.; ///< largest speed so far
  std::optional<double> known_longest;    ///< step (s)
  Vector                initial_momentum;
};

CongestedFlow::Implementation::Implementation(FlowSetting given)
    : setting(std::move(given))
    , grid(setting.grid, setting.sides, setting.rho_max)
    , rho(setting.rho)
    , q(grid.array())
    , pressure(grid.array())
    , impulse(grid.array())
    , after(grid.array())
    , force(grid, setting)
    , inflow(grid, setting)
    , mass(grid, setting)
    , rebounds(grid)
{
  for (FaceCells *const faces : {&M, &U, &rho_D, &flux, &taken})
    *faces = grid.faces();
  response = grid.capacities();
  check_data(grid, setting);
  start();
}

void CongestedFlow::Implementation::start()
{
  grid.exchange(rho);
  grid.exchange(setting.rho_max); // 0 beyond sides
  dual_densities(grid, rho, rho_D);
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      CellArray m = setting.momentum[axis];
      grid.exchange(m);
      const DualFlux mean = DualFlux::mean(grid, axis, m);
      grid.for_faces(axis, [&](const Index c) { M[axis].values(c) = grid.open(axis)(c) * mean(c); });
    }
  two.emplace(grid, setting, rho);
  if (setting.bodies == BodyVelocities::kept)
    coloured.emplace(grid, setting, inflow, mass, rho, *two);
  else
    {
      if (two->are_there())
        first = two->share_of_first(rho, setting.momentum);
      rho_D_before = grid.faces();
      if (setting.force)
        pushed = grid.faces();
    }
  face_velocities(grid, M, rho_D, U);
  record.momentum_in  = Vector::Zero(grid.dim());
  initial_momentum    = total_momentum();
  const double volume = grid.box().cell_volume();
  double       mass   = 0.;
  grid.for_cells([&](const Index c) { mass += rho.values(c); });
  initial_mass = setting.mass_asked_for.value_or(grid.sum(mass) * volume);
  take_stock();
}

double CongestedFlow::Implementation::longest_step()
{
  if (known_longest)
    return *known_longest;
  force.evaluate(record.time, U, rho_D, speed_scale);
  inflow.evaluate(record.time);
  double least =
      coloured ? coloured->longest_step(record.time, speed_scale, force) : longest_step_of(grid, setting.cfl, rho, U, force);
  if (force.growth() > 0.)
    least = std::min(least, setting.cfl / force.growth());
  least         = std::min(least, inflow.longest_step(setting.cfl));
  known_longest = -grid.largest(-least);
  return *known_longest;
}

double CongestedFlow::Implementation::until_contact(const double longest) const
{
  return coloured ? coloured->until_contact(longest, force) : longest;
}

/// The force of a step; returns the momentum that it gives.
Vector CongestedFlow::Implementation::push(const double h)
{
  Vector given = Vector::Zero(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    taken[axis].values.setZero();
  if (!setting.force)
    return given;
  if (coloured)
    {
      given = coloured->push(h, force, rho, taken);
      record.work += half_work();
      coloured->move_together();
      return given;
    }
  given = macro::push(force, h, rho, rho_D, M, pushed, taken);
  record.work += half_work();
  set_response(h);
  face_velocities(grid, M, rho_D, U);
  driven = U;
  return given;
}

/// How much of an impulse is left when the drag of the step has acted on it.
void CongestedFlow::Implementation::set_response(const double h)
{
  if (!setting.force_has_velocity)
    return;
  for (int axis = 0; axis < grid.dim(); ++axis)
    response[axis] = grid.capacity(axis).cwiseQuotient((1. + h * force.drag()[axis].values.array()).matrix());
}

double CongestedFlow::Implementation::half_work() const
{
  const double of_mixture = setting.force && !coloured ? macro::half_work(grid, pushed, rho_D, U, driven) : 0.;
  return grid.sum(coloured ? coloured->half_work() : of_mixture) * grid.box().cell_volume();
}

/// Density and momentum move with the mass flux; returns the momentum that comes from outside.
Vector CongestedFlow::Implementation::transport(const double h)
{
  const convex::Stopwatch watch(record.transport_time);
  if (coloured)
    {
      const Vector given = coloured->move_momentum(h, taken);
      coloured->move_rebounds_of_mixture(rebounds, h);
      coloured->add_up(rho);
      return given;
    }
  inflow.set_velocities(grid, rho_D, U);
  Vector given = transport_momentum(grid, flux, U, inflow.values(), h, M);
  given += stop_at_closed_faces(grid, M, taken);
  std::swap(rho.values, after.values);
  rebounds.move(flux, h, rho);
  if (two->are_there())
    carry_share(grid, flux, h, after, first);
  std::swap(rho_D, rho_D_before);
  dual_densities(grid, rho, rho_D);
  if (setting.velocity == CarriedVelocity::energy_limited)
    velocity_flux.correct(grid, flux, U, rho_D_before, rho_D, h, M);
  // what is too thin to have a velocity must not gather momentum while mass passes through it
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) {
      if (!(rho_D[axis].values(c) > empty_density))
        M[axis].values(c) = 0.;
    });
  return given + join_edges(grid, rho, rho_D, M, taken);
}

/// The velocity becomes admissible.
void CongestedFlow::Implementation::obey_impact_law(const double h)
{
  const convex::Stopwatch watch(record.congestion_time);
  constexpr double        round_off     = 1e-14; // of the largest speed
  const bool              is_exact      = coloured && grid.dim() == 1;
  const double            share_at_rest = is_exact ? 1e-6 : 1e-3; // where velocities mix slow approaches are debris
  ImpactLaw               law           = {setting.law, {}, setting.criterion, coloured ? 1e-4 : 1e-2};
  law.slow                  = {share_at_rest * record.largest_speed, round_off * std::max(speed_scale, h * force.largest())};
  const bool      may_press = force.acts() && setting.law.restitution > 0.; // else nobody asks
  const FaceCells given     = may_press ? force.given_in(h) : FaceCells();
  law.given                 = may_press ? &given : nullptr;
  const FlowImpact impact =
      coloured ? coloured->obey_impact_law(rho, law, q)
               : apply_impact_law(grid, full_cells_with_edges(grid, rho, setting.rho_max), rho_D, response, law, M, q);
  if (coloured)
    response = coloured->response();
  record.unrebounded_energy = impact.unrebounded_energy;
  record.n_impacts          = impact.n_rebounds;
  record.impact             = impact.effort;
  record.effort += impact.effort;
  if (impact.n_rebounds > 0)
    rebounds.rebound(is_exact ? coloured->in_mixture(q, rho) : q, U, record.step + 1);
  record.rebounds_of_matter = rebounds.most();
  record.any_between_bodies = rebounds.any_between_bodies();
}

void CongestedFlow::Implementation::advance(const double t_next)
{
  const double h = t_next - record.time, longest = longest_step();
  if (!(h > 0.) || h > longest * (1. + 1e-6))
    {
      std::ostringstream text;
      text << "A step of " << h << " s breaks the CFL condition at t = " << record.time << " s; at most " << longest
           << " s are possible.";
      throw InputError("the time step", text.str());
    }
  record.transport_time = record.congestion_time = 0.;

  Vector given = push(h);
  if (setting.force)
    momentum_scale += grid.sum(coloured ? coloured->amount_pushed() : absolute_sum(grid, pushed)) * grid.box().cell_volume();
  {
    const convex::Stopwatch watch(record.congestion_time);
    record.effort = coloured ? coloured->move_mass(rho, h, speed_scale, flux, after)
                             : mass.advance(rho, U, inflow.values(), h, speed_scale, flux, after);
  }
  const double entered = entered_mass(grid, flux, h);
  given += transport(h);
  obey_impact_law(h);
  given += reaction_of_walls(grid, response, q);
  add_pressure_on_obstacles(grid, q, setting.rho_max, taken);
  given += coloured ? coloured->prescribe_inflow() : inflow.prescribe(grid, rho, flux, rho_D, M);
  if (coloured)
    {
      record.work += half_work(); // before colours change
      coloured->recolour(t_next);
      coloured->add_up(rho);
      coloured->add_up(M);
      dual_densities(grid, rho, rho_D);
    }
  face_velocities(grid, M, rho_D, U);
  if (!coloured)
    record.work += half_work();
  force.step_done();
  known_longest.reset();

  const double volume = grid.box().cell_volume();
  double       all    = 0.;
  pressure.values     = q.values.cwiseProduct(setting.rho_max.values) / h;
  grid.for_cells([&](const Index c) { all += h * pressure.values(c); });
  all = grid.sum(all) * volume;
  impulse.values += h * pressure.values;
  impulse_time += h;
  record.pressure = all / h;
  record.impulse += all;
  record.mass_in += entered;
  record.momentum_in += given;
  entered_amount += std::abs(entered);
  ++record.step;
  record.time = t_next;
  record.h    = h;
  take_stock();
}

Vector CongestedFlow::Implementation::total_momentum() const
{
  Vector total(grid.dim());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      double of_axis = 0.;
      grid.for_faces(axis, [&](const Index c) { of_axis += M[axis].values(c); });
      total(axis) = grid.sum(of_axis) * grid.box().cell_volume();
    }
  return total;
}

double CongestedFlow::Implementation::kinetic_energy() const
{
  if (coloured)
    return grid.sum(coloured->kinetic_energy()) * grid.box().cell_volume();
  double twice = 0.;
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) { twice += M[axis].values(c) * U[axis].values(c); });
  return .5 * grid.sum(twice) * grid.box().cell_volume();
}

std::vector<BodySums> CongestedFlow::Implementation::two_bodies() const
{
  if (!two->are_there())
    return {};
  std::vector<BodySums> bodies(2, {0., Vector::Zero(grid.dim()), Vector::Zero(grid.dim()), 0.});
  coloured ? coloured->add_to(bodies) : add_to_bodies(grid, rho, first, U, bodies);
  sum_up(grid, bodies);
  return bodies;
}

void CongestedFlow::Implementation::take_stock()
{
  constexpr double congested = 1. - 1e-8;
  const double     volume    = grid.box().cell_volume();
  double           mass = 0., full = 0., least = std::numeric_limits<double>::infinity(), most = 0., speed = 0.;
  grid.for_cells([&](const Index c) {
    const double value = rho.values(c), limit = setting.rho_max.values(c);
    mass += value;
    least = std::min(least, value);
    if (limit > 0.)
      {
        most = std::max(most, value / limit);
        full += value >= congested * limit;
      }
  });
  for (int axis = 0; axis < grid.dim(); ++axis)
    grid.for_faces(axis, [&](const Index c) { speed = std::max(speed, std::abs(U[axis].values(c))); });
  if (coloured)
    {
      speed         = coloured->largest_speed();
      record.bodies = coloured->counts();
    }
  record.mass             = grid.sum(mass) * volume;
  record.momentum         = total_momentum();
  record.kinetic_energy   = kinetic_energy();
  record.min_density      = -grid.largest(-least);
  record.max_density      = grid.largest(most);
  record.congested_volume = grid.sum(full) * volume;
  record.largest_speed    = grid.largest(speed);
  speed_scale             = std::max(speed_scale, record.largest_speed);
  record.mass_error       = std::abs(record.mass - initial_mass - record.mass_in) /
                      std::max(initial_mass + entered_amount, std::numeric_limits<double>::min());
  momentum_scale        = std::max(momentum_scale, grid.sum(absolute_sum(grid, M)) * volume);
  record.momentum_error = (record.momentum - initial_momentum - record.momentum_in).norm() /
                          std::max(momentum_scale, std::numeric_limits<double>::min());
}

Eigen::MatrixXd CongestedFlow::Implementation::cell_velocities() const
{
  Eigen::MatrixXd result(grid.dim(), grid.box().n_own_cells());
  for (int axis = 0; axis < grid.dim(); ++axis)
    {
      const CellArray momentum = coloured ? coloured->momentum_of_cells(axis) : CellArray();
      Index           k        = 0;
      grid.for_cells([&](const Index c) {
        const bool  empty = !(rho.values(c) > empty_density);
        const Index above = c + grid.stride(axis);
        result(axis, k++) = empty      ? 0.
                            : coloured ? momentum.values(c) / rho.values(c)
                                       : grid.share_above(axis)(c) * U[axis].values(c) +
                                             grid.share_below(axis)(above) * U[axis].values(above);
      });
    }
  return result;
}

namespace
{
std::string of_axis(const std::string &name, const int axis) { return name + "_" + std::to_string(axis); }
} // namespace

convex::NamedArrays CongestedFlow::Implementation::state() const
{
  convex::NamedArrays state;
  state.reals["rho"]      = convex::values(rho.values);
  state.reals["pi"]       = convex::values(mass.impulse().values);
  state.reals["q"]        = convex::values(q.values);
  state.reals["pressure"] = convex::values(pressure.values);
  state.reals["impulse"]  = convex::values(impulse.values);
  for (int axis = 0; axis < grid.dim(); ++axis)
    state.reals[of_axis("momentum", axis)] = convex::values(M[axis].values);
  state.reals["momentum_in"]      = convex::values(record.momentum_in);
  state.reals["initial_momentum"] = convex::values(initial_momentum);
  with_numbers(*this, [&](const auto &...number) { state.reals["numbers"] = {number...}; });
  if (first.values.size() > 0)
    state.reals["first body"] = convex::values(first.values);
  state.integers["step"]       = {record.step};
  state.integers["congestion"] = mass.solver().memory();
  if (setting.law.restitution > 0.)
    rebounds.put_into(state);
  if (coloured)
    coloured->put_into(state);
  return state;
}

void CongestedFlow::Implementation::restore(const convex::NamedArrays &state)
{
  const std::vector<std::int64_t> &step = integers_of(state, "step");
  if (step.size() != 1)
    throw_other_flow();
  with_numbers(*this, [&](auto &...number) {
    Vector values(sizeof...(number));
    Index  k = 0;
    read_reals(state, "numbers", values);
    ((number = values(k++)), ...);
  });
  read_reals(state, "rho", rho.values);
  if (first.values.size() > 0)
    read_reals(state, "first body", first.values);
  read_reals(state, "pi", mass.impulse().values);
  read_reals(state, "q", q.values);
  read_reals(state, "pressure", pressure.values);
  read_reals(state, "impulse", impulse.values);
  for (int axis = 0; axis < grid.dim(); ++axis)
    read_reals(state, of_axis("momentum", axis), M[axis].values);
  read_reals(state, "momentum_in", record.momentum_in);
  read_reals(state, "initial_momentum", initial_momentum);
  mass.solver().remember(integers_of(state, "congestion"));
  if (setting.law.restitution > 0.)
    rebounds.take_from(state);
  if (coloured)
    coloured->take_from(state);
  record.rebounds_of_matter = rebounds.most();
  record.any_between_bodies = rebounds.any_between_bodies();
  record.step               = step[0];
  force.forget();
  known_longest.reset();
  dual_densities(grid, rho, rho_D);
  face_velocities(grid, M, rho_D, U);
  take_stock();
}

CongestedFlow::CongestedFlow(FlowSetting setting) : implementation(std::make_unique<Implementation>(std::move(setting))) {}
CongestedFlow::~CongestedFlow() = default;

double            CongestedFlow::longest_step() const { return implementation->longest_step(); }
double            CongestedFlow::until_contact(const double longest) const { return implementation->until_contact(longest); }
void              CongestedFlow::advance(const double t_next) { implementation->advance(t_next); }
double            CongestedFlow::time() const { return implementation->record.time; }
const FlowRecord &CongestedFlow::record() const { return implementation->record; }
const FlowSetting &CongestedFlow::setting() const { return implementation->setting; }
const CellArray   &CongestedFlow::rho() const { return implementation->rho; }
const CellArray   &CongestedFlow::pressure() const { return implementation->pressure; }
const CellArray   &CongestedFlow::impulse() const { return implementation->impulse; }
void               CongestedFlow::clear_impulse()
{
  implementation->impulse.values.setZero();
  implementation->impulse_time = 0.;
}
double                CongestedFlow::impulse_time() const { return implementation->impulse_time; }
FaceArrays            CongestedFlow::velocity() const { return implementation->velocity(); }
FaceArrays            CongestedFlow::mass_flux() const { return implementation->mass_flux(); }
FaceArrays            CongestedFlow::obstacle_impulse() const { return implementation->obstacle_impulse(); }
Eigen::MatrixXd       CongestedFlow::cell_velocities() const { return implementation->cell_velocities(); }
std::vector<BodySums> CongestedFlow::two_bodies() const { return implementation->two_bodies(); }
convex::NamedArrays   CongestedFlow::state() const { return implementation->state(); }
void                  CongestedFlow::restore(const convex::NamedArrays &state) { implementation->restore(state); }
} // namespace moreau::macro
