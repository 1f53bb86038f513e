// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/measurements/measurements.h"

#include "convex/input_error.h"

#include <stdexcept>

namespace moreau::micro
{
namespace
{
constexpr const char *numbers = "measured numbers";

Passage &operator+=(Passage &sum, const Passage &more)
{
  sum.n += more.n;
  sum.mass += more.mass;
  return sum;
}

ObstacleImpulse &operator+=(ObstacleImpulse &sum, const ObstacleImpulse &more)
{
  sum.impulse += more.impulse;
  sum.moment += more.moment;
  return sum;
}

/// Writes numbers one after another.
struct Writer
{
  convex::NamedArrays &state;

  void operator()(const double &x) { state.reals[numbers].push_back(x); }
  void operator()(const std::int64_t &n) { state.integers[numbers].push_back(n); }
};

/// Reads them in the same order.
struct Reader
{
  const std::vector<double>       &reals;
  const std::vector<std::int64_t> &integers;
  std::size_t                      next_real = 0, next_integer = 0;

  void operator()(double &x) { x = reals.at(next_real++); }
  void operator()(std::int64_t &n) { n = integers.at(next_integer++); }
};

template <class Archive, class Matrix>
void pass_matrix(Archive &archive, Matrix &x)
{
  for (Index k = 0; k < x.size(); ++k)
    archive(x.data()[k]);
}

template <class Archive, class Load>
void pass_load(Archive &archive, Load &load)
{
  for (auto *const x : {&load.step, &load.interval, &load.total})
    {
      pass_matrix(archive, x->impulse);
      pass_matrix(archive, x->moment);
    }
}

template <class Archive, class State>
void pass_region(Archive &archive, State &state)
{
  for (auto *const n : {&state.n_spheres, &state.n_rattlers})
    archive(*n);
  for (auto *const x : {&state.mass, &state.packing_fraction, &state.coordination, &state.coordination_without_rattlers})
    archive(*x);
  pass_matrix(archive, state.u);
  for (auto *const x : {&state.fabric, &state.stress, &state.kinetic_stress})
    pass_matrix(archive, *x);
}

void require_boxes(const Removal &removal)
{
  const auto check = [](const Box &box) {
    if (!((box.upper - box.lower).array() > 0.).all())
      throw InputError("the removal of spheres", "A box has no volume; give the lower corner, then the upper one.");
  };
  for (const Box &box : removal.in)
    check(box);
  if (removal.outside_of)
    check(*removal.outside_of);
}
} // namespace

Measurements::Measurements(MeasurementPlan plan, const SphereSystem &system, const Index dim)
    : asked(std::move(plan))
    , passages(asked.gates.size())
    , loads(asked.bodies.size())
    , states(asked.regions.size())
    , probed(asked.probes.size())
{
  for (const Gate &gate : asked.gates)
    counters.emplace_back(gate, dim, PeriodicBox{system.lower, system.period});
  for (const Region &region : asked.regions)
    require_region(region, system);
  for (RegionState &state : states)
    {
      state.u      = Vector::Zero(dim);
      state.fabric = state.stress = state.kinetic_stress = Eigen::MatrixXd::Zero(dim, dim);
    }
  require_boxes(asked.removal);
  if (!asked.probes.empty() || asked.has_coarse_picture())
    grainer.emplace(asked.coarse, asked.zone.lower, asked.zone.upper, system);
  for (const Probe &probe : asked.probes)
    if (!grainer->contains(probe.x.data()))
      throw InputError("the probes", "'" + probe.name + "' lies outside of the zone; give a point in it.");
  for (ProbeState &state : probed)
    state.u = Vector::Zero(dim);
  gone.momentum = Vector::Zero(dim);
}

void Measurements::measure_regions(const SphereMotion &motion)
{
  if (states.empty())
    return;
  const std::vector<bool> held = held_spheres(motion);
  for (std::size_t k = 0; k < states.size(); ++k)
    states[k] = state_of(asked.regions[k], motion, held);
}

void Measurements::measure_places(const SphereMotion &motion)
{
  measure_regions(motion);
  for (std::size_t k = 0; k < probed.size(); ++k)
    probed[k] = grainer->at(asked.probes[k].x, motion);
}

void Measurements::remove(SphereMotion &motion)
{
  if (!asked.removal.any())
    return;
  const RemovedSpheres now = motion.remove(asked.removal.due(motion.spheres(), motion.system().period));
  gone.n += now.n;
  gone.mass += now.mass;
  gone.energy += now.energy;
  gone.momentum += now.momentum;
}

void Measurements::see_beginning(SphereMotion &motion)
{
  remove(motion);
  gone.energy = 0.; // the motion has not begun: its energy is that of those that are left
  measure_places(motion);
}

void Measurements::see(SphereMotion &motion)
{
  for (std::size_t k = 0; k < passages.size(); ++k)
    {
      passages[k].step = counters[k].passage(motion);
      passages[k].interval += passages[k].step;
      passages[k].total += passages[k].step;
    }
  for (std::size_t k = 0; k < loads.size(); ++k)
    {
      loads[k].step = load_on(asked.bodies[k], motion);
      loads[k].interval += loads[k].step;
      loads[k].total += loads[k].step;
    }
  measure_places(motion);
  remove(motion);
}

void Measurements::end_interval(const double time)
{
  for (AtGate &gate : passages)
    gate.interval = Passage();
  for (OnBody &body : loads)
    body.interval = ObstacleImpulse();
  begin = time;
}

template <class Self, class Archive>
void Measurements::pass(Self &self, Archive &archive)
{
  for (auto &gate : self.passages)
    for (auto *const x : {&gate.step, &gate.interval, &gate.total})
      {
        archive(x->n);
        archive(x->mass);
      }
  for (auto &load : self.loads)
    pass_load(archive, load);
  for (auto &state : self.states)
    pass_region(archive, state);
  for (auto &probe : self.probed)
    {
      archive(probe.rho);
      pass_matrix(archive, probe.u);
    }
  archive(self.gone.n);
  archive(self.gone.mass);
  archive(self.gone.energy);
  pass_matrix(archive, self.gone.momentum);
  archive(self.begin);
}

convex::NamedArrays Measurements::state() const
{
  convex::NamedArrays state;
  Writer              writer{state};
  pass(*this, writer);
  return state;
}

void Measurements::restore(convex::NamedArrays &state)
{
  const std::vector<double>       reals    = state.reals.at(numbers);
  const std::vector<std::int64_t> integers = state.integers.at(numbers);
  state.reals.erase(numbers);
  state.integers.erase(numbers);
  Reader reader{reals, integers};
  pass(*this, reader);
  if (reader.next_real != reals.size() || reader.next_integer != integers.size())
    throw std::out_of_range("The state is of other measurements.");
}
} // namespace moreau::micro
