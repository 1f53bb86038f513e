// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/arrays.h"
#include "python/bindings/certificates.h"
#include "python/bindings/fields.h"
#include "python/bindings/interrupts.h"

#include "app/input/macro_setting.h"
#include "app/input/sphere_setting.h"
#include "app/output/summary.h"
#include "convex/input_error.h"
#include "homogenization/convergence_study.h"
#include "macro/impact.h"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

namespace moreau::python
{
namespace
{
py::object to_python(const nlohmann::ordered_json &json)
{
  switch (json.type())
    {
      case nlohmann::ordered_json::value_t::null:
        return py::none();
      case nlohmann::ordered_json::value_t::boolean:
        return py::bool_(json.get<bool>());
      case nlohmann::ordered_json::value_t::number_float:
        return py::float_(json.get<double>());
      case nlohmann::ordered_json::value_t::string:
        return py::str(json.get<std::string>());
      case nlohmann::ordered_json::value_t::object:
        {
          py::dict result;
          for (const auto &[key, value] : json.items())
            result[key.c_str()] = to_python(value);
          return std::move(result);
        }
      case nlohmann::ordered_json::value_t::array:
        {
          py::list result;
          for (const auto &value : json)
            result.append(to_python(value));
          return std::move(result);
        }
      default:
        return py::int_(json.get<std::int64_t>());
    }
}

/// The fields that are no text: callables, or arrays of values on the cells of a grid.
struct Fields
{
  py::object U, density;
};

/// As a parameter file with these settings ("Section/Name=value") says it, with other fields in the place of its texts.
///   D  mean gradient of a box that repeats itself, part of U; none
macro::Setting setting_of(const std::vector<std::string> &settings, const Fields &fields, const std::optional<Doubles> &D)
{
  app::ParameterFile   file("/dev/null", settings);
  macro::Setting       setting = app::macro_setting(file, geometry::Processes::alone());
  const macro::Domain &box     = setting.domain;
  const auto           field   = [&](const py::object &f, const std::string &name, const Index n_components) {
    return py::isinstance<py::array>(f) ? field_of_array(Doubles(f), box.lower, box.upper, n_components)
                                                    : field_of_callable(f, name, n_components);
  };
  if (D)
    setting.mean_gradient = columns(*D).transpose();
  if (!fields.U.is_none())
    setting.U = field(fields.U, "U", setting.dim());
  if (!fields.density.is_none())
    {
      const geometry::Field density      = field(fields.density, "zone", 1);
      setting.domain.uniform             = false;
      setting.domain.density_is_cellwise = py::isinstance<py::array>(fields.density);
      const auto checked                 = [density](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
        density(x, rho);
        if (rho.size() > 0 && !(rho.minCoeff() >= -1e-12 && rho.maxCoeff() <= 1. + 1e-12))
          throw InputError("zone is a density and must lie in [0, 1] everywhere.");
      };
      setting.domain.density = {checked, density.on_hull};
      setting.domain.level   = {};
    }
  return setting;
}

/// points (k x 3), connectivity, and the arrays of cells by their names.
py::dict arrays_of(const geometry::Mesh &mesh)
{
  py::dict              result;
  const geometry::Mesh &shape    = mesh.geometry();
  const auto            n_points = static_cast<py::ssize_t>(shape.points.size() / 3);
  result["points"]               = handed_over(std::vector<double>(shape.points), {n_points, 3});
  const auto corners             = static_cast<py::ssize_t>(geometry::points_per_cell(mesh.cell_type));
  if (corners > 0)
    result["cells"] = handed_over(std::vector<long long>(shape.connectivity),
                                  {static_cast<py::ssize_t>(shape.connectivity.size()) / corners, corners});
  for (const auto *arrays : {&mesh.cell_data, &mesh.point_data})
    for (const geometry::Array &array : *arrays)
      {
        const auto n               = static_cast<py::ssize_t>(array.values.size()) / array.n_components;
        result[array.name.c_str()] = array.n_components == 1
                                         ? handed_over(std::vector<double>(array.values), {n})
                                         : handed_over(std::vector<double>(array.values), {n, array.n_components});
      }
  return result;
}

py::dict macro_impact(const std::vector<std::string> &settings, const py::object &U, const py::object &density,
                      const std::optional<Doubles> &D)
{
  const Fields             fields{U, density};
  const macro::Setting     setting = setting_of(settings, fields, D);
  const app::ParameterFile file("/dev/null", settings);
  const app::Parameters   &parameters = file.values();

  std::unique_ptr<macro::Discretization> mesh;
  convex::Impact                         impact;
  macro::TotalBound                      bound;
  geometry::Mesh                         pictures;
  convex::Vector                         before, after;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    if (parameters.mesh.adaptive_cycles > 0)
      geometry::start_mpi(); // Trilinos does nothing without
    convex::StoppingCriterion criterion = parameters.criterion;
    criterion.watch                     = watch_for_signals();
    mesh                                = macro::discretize(setting, check_signals_at);
    for (unsigned int cycle = 0;; ++cycle)
      {
        impact = macro::impact(*mesh, parameters.law, criterion, parameters.solver);
        bound  = macro::bound_of_impact(*mesh, parameters.law, criterion, impact, check_signals_at);
        if (cycle == parameters.mesh.adaptive_cycles)
          break;
        auto refined = mesh->refined(impact.projection, bound);
        if (!refined)
          break;
        mesh = std::move(refined);
      }
    pictures                    = mesh->fields(impact.projection, impact.u_plus, bound);
    const macro::Motion outside = mesh->outside();
    before                      = mesh->momentum(mesh->problem().U) + outside.momentum;
    after                       = mesh->momentum(impact.u_plus) + outside.momentum;
  }
  py::dict result, certificate = to_dict(impact.worst, impact.effort.converged());
  certificate["total_relative_error_bound"] = to_python(app::relative_bound(bound));
  result["certificate"]                     = certificate;
  result["total_bound"]                     = to_python(app::total_bound(bound));
  add_effort(result, impact.effort, impact.projection.method);
  result["arrays"]          = arrays_of(pictures);
  result["mesh"]            = mesh->description();
  result["remarks"]         = mesh->remarks();
  result["momentum_before"] = to_array(std::move(before));
  result["momentum_after"]  = to_array(std::move(after));
  result["impacts"]         = impact.effort.n_projections;
  result["dimension"]       = setting.dim();
  return result;
}

py::dict homogenize(const std::vector<std::string> &settings, const Doubles &x, const Doubles &radii, const py::object &U,
                    const py::object &density, const double contact_tolerance, const double accuracy,
                    const std::optional<Doubles> &D)
{
  const Fields             fields{U, density};
  const macro::Setting     setting = setting_of(settings, fields, D);
  const app::ParameterFile file("/dev/null", settings);
  const app::Parameters   &parameters = file.values();
  micro::Spheres           spheres{columns(x), view(radii), Vector::Ones(radii.size())};

  std::optional<homogenization::Packing> packing;
  homogenization::Level                  level;
  {
    const py::gil_scoped_release   others_run;
    const OneBlasThread            one;
    const std::vector<micro::Wall> walls = app::walls(parameters);
    micro::ContactGraph graph = micro::contact_graph(spheres, walls, contact_tolerance, app::periodic_box(parameters));
    packing.emplace(std::move(spheres), walls, std::move(graph), setting.domain, geometry::Processes::alone(),
                    setting.mean_gradient);
    homogenization::StudyOptions options;
    options.solver                     = parameters.solver;
    options.criterion                  = parameters.criterion;
    options.criterion.watch            = watch_for_signals();
    convex::StoppingCriterion of_macro = options.criterion;
    options.criterion.accuracy         = accuracy;
    of_macro.tolerance                 = std::max(of_macro.tolerance, 1e-5);
    std::vector<homogenization::Reference> references;
    references.push_back(homogenization::macroscopic_projection(setting, "automatic", of_macro, check_signals_at));
    options.falk = options.interpolant = false;
    level                              = homogenization::study(*packing, setting, references, options, check_signals_at);
  }
  const Index d = setting.dim(), n = packing->cells.size();
  py::dict    result;
  result["certificate"] = to_dict(level.certificate, level.effort.converged());
  add_effort(result, level.effort, level.method);
  if (D) // fluctuations so far
    for (Vector *const v : {&level.U_tilde, &level.u_tilde, &level.u_int})
      *v += (setting.mean_gradient * packing->spheres.r.leftCols(n)).reshaped();
  result["U_tilde"] = to_rows(std::move(level.U_tilde), d);
  result["u"]       = to_rows(std::move(level.u_tilde), d);
  result["u_macro"] = to_rows(std::move(level.u_int), d);
  result["p"]       = to_array(std::move(level.p));
  result["volumes"] = to_array(packing->cells.volumes());
  std::vector<int> pairs;
  for (const micro::Contact &contact : packing->graph.contacts)
    pairs.insert(pairs.end(), {contact.i, contact.j});
  result["contacts"] = handed_over(std::move(pairs), {packing->graph.n_contacts(), 2});
  py::list cells;
  for (Index i = 0; i < n; ++i)
    cells.append(to_rows(Eigen::MatrixXd(packing->cells.outline(i))));
  result["cells"]                              = cells;
  const homogenization::Comparison &comparison = level.comparisons.front();
  result["error"]                              = comparison.error.value;
  result["relative_error"]                     = comparison.relative;
  result["interval"]                           = py::make_tuple(comparison.lower, comparison.upper);
  return result;
}
} // namespace
} // namespace moreau::python

PYBIND11_MODULE(_continuum, module)
{
  module.doc() = "What moreau/continuum.py calls: the continuum, with deal.II and MPI. Arguments are checked there.";
  moreau::python::translate_exceptions();
  module.def("macro_impact", &moreau::python::macro_impact);
  module.def("homogenize", &moreau::python::homogenize);
}
