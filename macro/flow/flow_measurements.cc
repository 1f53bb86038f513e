// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/flow/flow_measurements.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::macro
{
namespace
{
constexpr const char *measured_numbers = "measured numbers";

/// Where a cell is among the own ones, i fastest.
Index own_number(const BoxGrid &grid, CellIndex cell)
{
  cell[grid.last_axis()] -= grid.first;
  return cell[0] + grid.own(0) * (cell[1] + (grid.dim > 1 ? grid.own(1) : 1) * cell[2]);
}

bool is_own(const BoxGrid &grid, const CellIndex &cell)
{
  return grid.first <= cell[grid.last_axis()] && cell[grid.last_axis()] < grid.last;
}

Vector middle_of_face(const BoxGrid &grid, const int axis, const CellIndex &face)
{
  Vector x = grid.centre(face);
  x(axis) -= .5 * grid.h(axis);
  return x;
}

bool contains(const FlowRegion &region, const Vector &x)
{
  return (region.lower.array() <= x.array()).all() && (x.array() < region.upper.array()).all();
}
} // namespace

FlowMeasurements::FlowMeasurements(FlowMeasurementPlan plan, const CongestedFlow &flow)
    : asked(std::move(plan)), grid(flow.setting().grid)
{
  const FlowSetting &setting = flow.setting();
  double             n_solid = 0.;
  for_own_cells(grid, [&](const CellIndex &cell) { n_solid += setting.rho_max(cell) == 0.; });
  solids = grid.processes.sum(n_solid) > 0.;
  for (int axis = 0; axis < grid.dim; ++axis)
    is_periodic[axis] = setting.sides[2 * axis] == Boundary::periodic;
  const Vector zeros = Vector::Zero(grid.dim);
  for (const FlowGate &gate : asked.gates)
    {
      pieces.push_back(pieces_of(gate, grid, is_periodic));
      if (!(grid.processes.max(static_cast<double>(pieces.back().size())) > 0.))
        throw InputError("the fluxes", "'" + gate.name + "' lies outside of the box of the flow; give one in it.");
    }
  passed.resize(asked.gates.size());
  for (const FlowBody &body : asked.bodies)
    {
      if (body.side == FlowBody::solids ? !solids : setting.sides[body.side] != Boundary::wall)
        throw InputError("the forces", "'" + body.name + "' takes none: " +
                                           (body.side == FlowBody::solids
                                                ? "the maximal density is 0 nowhere; leave it out."
                                                : "it is no wall; name it among the walls or leave it out here."));
      loads.push_back({zeros, zeros, zeros});
    }
  for (const FlowRegion &region : asked.regions)
    {
      if (!((region.upper - region.lower).array() > 0.).all())
        throw InputError("the regions", "'" + region.name + "' has no volume; give the lower corner, then the upper one.");
      require_within_period(region);
      parts.push_back(parts_of(region));
      if (!(grid.processes.max(static_cast<double>(parts.back().size())) > 0.))
        throw InputError("the regions", "'" + region.name + "' lies outside of the box of the flow; give one in it.");
      states.push_back({});
      states.back().u = states.back().solid_impulse = zeros;
    }
  for (const FlowProbe &probe : asked.probes)
    {
      CellIndex cell = {0, 0, 0};
      for (int axis = 0; axis < grid.dim; ++axis)
        {
          const double at = (probe.x(axis) - grid.lower(axis)) / grid.h(axis);
          if (!(0. <= at && at <= static_cast<double>(grid.n[axis])))
            throw InputError("the probes", "'" + probe.name + "' lies outside of the box of the flow; give a point in it.");
          cell[axis] = std::min(static_cast<Index>(at), grid.n[axis] - 1);
        }
      probe_cells.push_back(cell);
      probed.push_back({});
      probed.back().u = zeros;
    }
}

void FlowMeasurements::require_within_period(const FlowRegion &region) const
{
  for (int axis = 0; axis < grid.dim; ++axis)
    {
      const double low = grid.lower(axis), high = low + static_cast<double>(grid.n[axis]) * grid.h(axis);
      const double rounding = 1e-9 * grid.h(axis);
      if (is_periodic[axis] && !(low - rounding <= region.lower(axis) && region.upper(axis) <= high + rounding))
        throw InputError("the regions", "'" + region.name + "' reaches out of the box, which repeats itself in " +
                                            "xyz"[axis] + "; give corners that lie in it.");
    }
}

std::vector<FlowMeasurements::Part> FlowMeasurements::parts_of(const FlowRegion &region) const
{
  std::vector<Part> result;
  for_own_cells(grid, [&](const CellIndex &cell) {
    double volume = 1.;
    for (int axis = 0; axis < grid.dim; ++axis)
      {
        const double low = grid.lower(axis) + static_cast<double>(cell[axis]) * grid.h(axis);
        volume *= std::max(0., std::min(low + grid.h(axis), region.upper(axis)) - std::max(low, region.lower(axis)));
      }
    constexpr double rounding = 1e-9;
    if (volume > rounding * grid.cell_volume())
      result.push_back({cell, volume});
  });
  return result;
}

Vector FlowMeasurements::sum(const Vector &local) const
{
  Vector result(local.size());
  for (Index k = 0; k < local.size(); ++k)
    result(k) = grid.processes.sum(local(k));
  return result;
}

/// Rate at which mass goes through (m^d/s): within a cell each component of the flux is linear along its axis.
double FlowMeasurements::flux_through(const std::vector<GatePiece> &pieces, const Vector &normal,
                                      const FaceArrays &flux) const
{
  double rate = 0.;
  for (const GatePiece &piece : pieces)
    for (int axis = 0; axis < grid.dim; ++axis)
      if (normal(axis) != 0.)
        {
          const double s = piece.middle(axis);
          rate += piece.measure * normal(axis) *
                  ((1. - s) * flux(axis, piece.cell) + s * flux(axis, moved(piece.cell, axis, 1)));
        }
  return grid.processes.sum(rate);
}

/// f(face) for the lower faces of own cells and, at the upper end of the box, the last ones.
template <class F>
void FlowMeasurements::for_own_faces(const int axis, F &&f) const
{
  for_own_cells(grid, [&](const CellIndex &cell) {
    f(cell);
    if (cell[axis] == grid.n[axis] - 1 && !is_periodic[axis]) // where it is, the last faces are the first
      f(moved(cell, axis, 1));
  });
}

/// Of the box, in the order of Sides; FlowBody::solids for faces within it.
int FlowMeasurements::side_of(const int axis, const CellIndex &face) const
{
  if (is_periodic[axis] || (0 < face[axis] && face[axis] < grid.n[axis]))
    return FlowBody::solids;
  return 2 * axis + (face[axis] > 0);
}

Vector FlowMeasurements::impulse_of(const FlowBody &body, const FaceArrays &taken) const
{
  Vector impulse = Vector::Zero(grid.dim);
  for (int axis = 0; axis < grid.dim; ++axis)
    for_own_faces(axis, [&](const CellIndex &face) {
      if (side_of(axis, face) == body.side)
        impulse(axis) += taken(axis, face);
    });
  return sum(impulse) * grid.cell_volume();
}

void FlowMeasurements::measure_regions(const CongestedFlow &flow, const FaceArrays &taken)
{
  if (states.empty())
    return;
  const Eigen::MatrixXd u   = flow.cell_velocities();
  const int             dim = grid.dim;
  for (std::size_t k = 0; k < states.size(); ++k)
    {
      Vector sums = Vector::Zero(3 + 2 * dim); // volume, mass, pressure, momentum, impulse of solids
      for (const Part &part : parts[k])
        {
          const double mass = flow.rho()(part.cell) * part.volume;
          sums(0) += part.volume;
          sums(1) += mass;
          sums(2) += flow.pressure()(part.cell) * part.volume;
          sums.segment(3, dim) += mass * u.col(own_number(grid, part.cell));
        }
      if (solids)
        for (int axis = 0; axis < dim; ++axis)
          for_own_faces(axis, [&](const CellIndex &face) {
            if (taken(axis, face) != 0. && side_of(axis, face) == FlowBody::solids &&
                contains(asked.regions[k], middle_of_face(grid, axis, face)))
              sums(3 + dim + axis) += taken(axis, face) * grid.cell_volume();
          });
      sums                = sum(sums);
      InRegion &state     = states[k];
      state.mass          = sums(1);
      state.rho           = sums(1) / sums(0);
      state.p             = sums(2) / sums(0);
      state.u             = sums(1) > 0. ? Vector(sums.segment(3, dim) / sums(1)) : Vector::Constant(dim, std::nan(""));
      state.solid_impulse = sums.tail(dim);
    }
}

void FlowMeasurements::measure_probes(const CongestedFlow &flow)
{
  if (probed.empty())
    return;
  const Eigen::MatrixXd u = flow.cell_velocities();
  for (std::size_t k = 0; k < probed.size(); ++k)
    {
      Vector values = Vector::Zero(2 + grid.dim);
      if (const CellIndex &cell = probe_cells[k]; is_own(grid, cell))
        {
          values(0)             = flow.rho()(cell);
          values(1)             = flow.pressure()(cell);
          values.tail(grid.dim) = u.col(own_number(grid, cell));
        }
      values    = sum(values);
      probed[k] = {values(0), values.tail(grid.dim), values(1)};
    }
}

void FlowMeasurements::see(const CongestedFlow &flow)
{
  const double     h     = flow.record().h;
  const FaceArrays flux  = pieces.empty() ? FaceArrays() : flow.mass_flux();
  const FaceArrays taken = loads.empty() && states.empty() ? FaceArrays() : flow.obstacle_impulse();
  for (std::size_t k = 0; k < passed.size(); ++k)
    {
      passed[k].step = h * flux_through(pieces[k], asked.gates[k].normal, flux);
      passed[k].interval += passed[k].step;
      passed[k].total += passed[k].step;
    }
  for (std::size_t k = 0; k < loads.size(); ++k)
    {
      loads[k].step = impulse_of(asked.bodies[k], taken);
      loads[k].interval += loads[k].step;
      loads[k].total += loads[k].step;
    }
  measure_regions(flow, taken);
  measure_probes(flow);
}

void FlowMeasurements::end_interval(const double time)
{
  for (Sums<double> &mass : passed)
    mass.interval = 0.;
  for (Sums<Vector> &load : loads)
    load.interval.setZero();
  begin = time;
}

template <class Self, class Archive>
void FlowMeasurements::pass(Self &self, Archive &&archive)
{
  const auto pass_vector = [&](auto &x) {
    for (Index k = 0; k < x.size(); ++k)
      archive(x(k));
  };
  for (auto &mass : self.passed)
    for (auto *const x : {&mass.step, &mass.interval, &mass.total})
      archive(*x);
  for (auto &load : self.loads)
    for (auto *const x : {&load.step, &load.interval, &load.total})
      pass_vector(*x);
  for (auto &state : self.states)
    {
      for (auto *const x : {&state.mass, &state.rho, &state.p})
        archive(*x);
      pass_vector(state.u);
      pass_vector(state.solid_impulse);
    }
  for (auto &probe : self.probed)
    {
      archive(probe.rho);
      archive(probe.p);
      pass_vector(probe.u);
    }
  archive(self.begin);
}

convex::NamedArrays FlowMeasurements::state() const
{
  convex::NamedArrays state;
  pass(*this, [&values = state.reals[measured_numbers]](const double x) { values.push_back(x); });
  return state;
}

void FlowMeasurements::restore(convex::NamedArrays &state)
{
  const std::vector<double> values = state.reals.at(measured_numbers);
  state.reals.erase(measured_numbers);
  std::size_t next = 0;
  pass(*this, [&](double &x) { x = values.at(next++); });
  if (next != values.size())
    throw std::out_of_range("The state is of other measurements.");
}
} // namespace moreau::macro
