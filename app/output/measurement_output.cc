// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/measurement_output.h"

#include "app/input/text/words.h"
#include "app/output/summary.h"
#include "geometry/box_grid.h"
#include "geometry/fill_picture.h"

namespace moreau::app
{
namespace
{
using micro::Index;
using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double rounding = 1. + 1e-12;

Words axes(const Index dim)
{
  const Words all = {"x", "y", "z"};
  return {all.begin(), all.begin() + dim};
}

/// Torques of the plane are along z; on the line there are none.
Words axes_of_torque(const Index dim) { return dim == 3 ? axes(3) : dim == 2 ? Words{"z"} : Words(); }

json vector_of(const Eigen::Vector3d &x, const Index dim) { return std::vector<double>(x.data(), x.data() + dim); }

/// Unknown numbers are null.
json components_of(const micro::Vector &x)
{
  json result = json::array();
  for (const double component : x)
    result.push_back(json(number(component)));
  return result;
}

json torque_of(const Eigen::Vector3d &x, const Index dim)
{
  return dim == 2 ? json(std::vector<double>{x.z()}) : vector_of(x, dim == 3 ? 3 : 0);
}

/// xx, xy, yy, ...
Words entries(const Index dim)
{
  Words result;
  for (Index i = 0; i < dim; ++i)
    for (Index j = i; j < dim; ++j)
      result.push_back({"xyz"[i], "xyz"[j]});
  return result;
}

json tensor_of(const Eigen::MatrixXd &x)
{
  json result = json::array();
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = i; j < x.cols(); ++j)
      result.push_back(json(number(x(i, j))));
  return result;
}

/// 3 x 3, zeros beyond the dimension.
Eigen::MatrixXd padded_tensors(const Eigen::MatrixXd &tensors, const Index dim)
{
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(9, tensors.cols());
  for (Index i = 0; i < dim; ++i)
    for (Index j = 0; j < dim; ++j)
      result.row(3 * i + j) = tensors.row(dim * i + j);
  return result;
}

/// Where nothing has happened yet there is no length of time to divide by.
double per(const double time) { return time > 0. ? 1. / time : 0.; }

void add_gate(Record &record, const std::string &name, const micro::Measurements::AtGate &gate, const double time,
              const double h)
{
  const std::string column = "flux_" + name, key = "fluxes/" + name + "/";
  record.columns.emplace_back(column + "_count", gate.step.n);
  record.columns.emplace_back(column + "_rate", gate.step.mass * per(h));
  record.columns.push_back({column + "_total_count", gate.total.n, {{Total::last, key + "count"}}});
  record.columns.push_back({column + "_total_mass", gate.total.mass, {{Total::last, key + "mass"}}});
  record.columns.push_back({"", gate.total.mass * per(time), {{Total::last, key + "mean_rate"}}});
}

void add_body(Record &record, const std::string &name, const micro::Measurements::OnBody &load, const Index dim,
              const double time, const double h)
{
  const std::string key = "forces/" + name + "/";
  record.columns.push_back(
      {"force_" + name, vector_of(load.step.impulse * per(h), dim), {{Total::last, key + "force"}}, axes(dim)});
  record.columns.push_back({"", vector_of(load.total.impulse * per(time), dim), {{Total::last, key + "mean_force"}}});
  if (dim == 1)
    return;
  record.columns.push_back(
      {"torque_" + name, torque_of(load.step.moment * per(h), dim), {{Total::last, key + "torque"}}, axes_of_torque(dim)});
  record.columns.push_back({"", torque_of(load.total.moment * per(time), dim), {{Total::last, key + "mean_torque"}}});
}

void add_region(Record &record, const std::string &name, const micro::RegionState &state, const Index dim)
{
  const auto add = [&](const std::string &what, const json &value, const Words &components = {}) {
    record.columns.push_back({name + "_" + what, value, {{Total::last, "regions/" + name + "/" + what}}, components});
  };
  add("spheres", state.n_spheres);
  add("mass", state.mass);
  add("u", components_of(state.u), axes(dim));
  add("packing_fraction", state.packing_fraction);
  add("coordination", json(number(state.coordination)));
  add("coordination_without_rattlers", json(number(state.coordination_without_rattlers)));
  add("rattlers", state.n_rattlers);
  add("fabric", tensor_of(state.fabric), entries(dim));
  add("stress", tensor_of(state.stress), entries(dim));
  add("kinetic_stress", tensor_of(state.kinetic_stress), entries(dim));
}

void add_probe(Record &record, const std::string &name, const micro::ProbeState &state, const Index dim)
{
  const std::string key = "probes/" + name + "/";
  record.columns.push_back({name + "_rho", state.rho, {{Total::last, key + "rho"}}});
  record.columns.push_back({name + "_u", components_of(state.u), {{Total::last, key + "u"}}, axes(dim)});
}

void add_removed(Record &record, const micro::RemovedSpheres &removed, const Index dim)
{
  record.columns.push_back({"removed", removed.n, {{Total::last, "removed/spheres"}}});
  record.columns.push_back({"removed_mass", removed.mass, {{Total::last, "removed/mass"}}});
  record.columns.push_back({"removed_momentum",
                            std::vector<double>(removed.momentum.begin(), removed.momentum.end()),
                            {{Total::last, "removed/momentum"}},
                            axes(dim)});
  record.columns.push_back({"removed_energy", removed.energy, {{Total::last, "removed/energy"}}});
}
} // namespace

void add_columns(Record &record, const micro::Measurements &measured, const Index dim, const double time, const double h)
{
  const micro::MeasurementPlan &plan = measured.plan();
  for (std::size_t k = 0; k < plan.gates.size(); ++k)
    add_gate(record, plan.gates[k].name, measured.at_gates()[k], time, h);
  for (std::size_t k = 0; k < plan.bodies.size(); ++k)
    add_body(record, plan.bodies[k].name, measured.on_bodies()[k], dim, time, h);
  for (std::size_t k = 0; k < plan.regions.size(); ++k)
    add_region(record, plan.regions[k].name, measured.in_regions()[k], dim);
  for (std::size_t k = 0; k < plan.probes.size(); ++k)
    add_probe(record, plan.probes[k].name, measured.at_probes()[k], dim);
  if (plan.removal.any())
    add_removed(record, measured.removed(), dim);
}

std::string complaint_of_cells(const micro::CoarseGrainer &grainer)
{
  const double h = grainer.cells().empty() ? 0. : grainer.cell_size().maxCoeff();
  if (!(h > grainer.width() * rounding))
    return "";
  return "Cells of coarse fields are up to " + short_number(h) + " m wide, wider than the kernel, " +
         short_number(grainer.width()) +
         " m: fields are means over cells, and kinetic_stress holds what the mean velocity varies in a cell; give more "
         "Coarse graining/Cells.";
}

std::string complaint_of_growth(const micro::CoarseGrainer &grainer, const double largest_radius)
{
  if (!(largest_radius > grainer.width() * rounding))
    return "";
  return "Spheres grew to radii of " + short_number(largest_radius) + " m, beyond the width of the kernel, " +
         short_number(grainer.width()) +
         " m, so that coarse fields and probes show single spheres; give a larger Coarse graining/Width.";
}

geometry::Mesh coarse_mesh(const micro::CoarseGrainer &grainer, const micro::SphereMotion &motion)
{
  using geometry::array_of;
  const Index       dim = motion.spheres().dimension();
  geometry::BoxGrid grid;
  grid.dim   = static_cast<int>(dim);
  grid.lower = grainer.lower_corner();
  grid.h     = grainer.cell_size();
  for (Index k = 0; k < dim; ++k)
    grid.n[k] = grainer.cells()[k];
  grid.last      = grid.n[grid.last_axis()];
  grid.processes = geometry::Processes::alone();

  const micro::CoarseFields fields = grainer.fields(motion);
  Eigen::MatrixXd           p      = Eigen::MatrixXd::Zero(1, fields.rho.size());
  for (Index k = 0; k < dim; ++k)
    p += (fields.stress.row(k * dim + k) + fields.kinetic_stress.row(k * dim + k)) / dim;
  const std::string of_mass = "kg/m^" + std::to_string(dim), of_stress = dim == 1 ? "N" : dim == 2 ? "N/m" : "N/m^2";
  geometry::Mesh    mesh = geometry::cell_mesh(grid);
  mesh.name              = "coarse";
  mesh.cell_data =
      geometry::list_of(array_of("rho", of_mass, fields.rho.transpose()), geometry::vectors_of("u", "m/s", fields.u),
                        array_of("p", of_stress, p), array_of("solid_fraction", "", fields.solid_fraction.transpose()),
                        array_of("stress", of_stress, padded_tensors(fields.stress, dim)),
                        array_of("kinetic_stress", of_stress, padded_tensors(fields.kinetic_stress, dim)));
  return mesh;
}

std::string interval_header(const micro::Measurements &measured, const Index dim)
{
  std::string header = "begin,end";
  for (const micro::Gate &gate : measured.plan().gates)
    for (const char *const what : {"_count", "_mass", "_rate"})
      header += ",flux_" + gate.name + what;
  for (const micro::MeasuredBody &body : measured.plan().bodies)
    {
      for (const std::string &axis : axes(dim))
        header += ",force_" + body.name + "_" + axis;
      for (const std::string &axis : axes_of_torque(dim))
        header += ",torque_" + body.name + "_" + axis;
    }
  return header;
}

std::string interval_row(const micro::Measurements &measured, const Index dim, const double time)
{
  const double length = time - measured.interval_begin();
  std::string  row    = digits(measured.interval_begin()) + "," + digits(time);
  for (const micro::Measurements::AtGate &gate : measured.at_gates())
    row += "," + std::to_string(gate.interval.n) + "," + digits(gate.interval.mass) + "," +
           digits(gate.interval.mass * per(length));
  for (const micro::Measurements::OnBody &load : measured.on_bodies())
    for (const json &values :
         {vector_of(load.interval.impulse * per(length), dim), torque_of(load.interval.moment * per(length), dim)})
      for (const json &x : values)
        row += "," + digits(x);
  return row;
}
} // namespace moreau::app
