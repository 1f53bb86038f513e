// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/references.h"

#include "app/input/text/formula.h"
#include "app/input/text/words.h"
#include "app/output/summary.h"

#include "convex/input_error.h"
#include "geometry/quadrature.h"
#include "macro/mean_gradient.h"
#include "macro/saturated_cells.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace moreau::app
{
using homogenization::Reference;

bool is_refuted(const Reference &reference) { return reference.name == closed_form && reference.error > 0.; }

nlohmann::ordered_json to_json(const Reference &reference)
{
  return {{"name", reference.name},
          {"mesh", reference.description},
          {"error_bound", number(reference.error)},
          {"guaranteed", reference.guaranteed},
          {"certified", reference.certified && !is_refuted(reference)},
          {"remark", reference.remark}};
}

bool is_mean_gradient_alone(const macro::Setting &setting, const Parameters &parameters)
{
  const std::string &text = parameters.velocity.expression;
  return setting.mean_gradient.size() > 0 &&
         std::all_of(text.begin(), text.end(), [](const char c) { return c == '0' || c == ';' || c == ' '; });
}

namespace
{
/// Whether which gradients the cone lets pass is the same everywhere, as why_not_admissible() takes it.
bool is_uniform(const macro::Cone &cone, const Parameters &parameters)
{
  const bool is_number = parameters.dilatancy.find_first_not_of("0123456789.eE+- ") == std::string::npos;
  return !cone.direction_field && (!macro::has_dilatancy(cone.type) || is_number);
}

/// U = D x where that is its own projection.
std::optional<Reference> mean_gradient_itself(const macro::Setting &setting, const Parameters &parameters)
{
  if (!is_mean_gradient_alone(setting, parameters) || !parameters.zone.walls.empty() ||
      !is_uniform(setting.cone, parameters) || !macro::why_not_admissible(setting.cone, setting.mean_gradient).empty())
    return std::nullopt;
  Reference reference;
  reference.name        = name(setting.cone.type);
  reference.cone        = setting.cone;
  reference.u           = setting.U;
  reference.description = "u = U = D x, which is admissible";
  return reference;
}
} // namespace

Reference projected(const macro::Setting &setting, const Parameters &parameters, Stages &stages)
{
  if (const std::optional<Reference> itself = mean_gradient_itself(setting, parameters))
    return *itself;
  Stage stage(stages, "Macroscopic projection", "projecting on the macroscopic cone");
  // its own error bound counts what the solver leaves, and discretisation leaves more
  convex::StoppingCriterion of_macro = parameters.criterion;
  of_macro.tolerance                 = std::max(of_macro.tolerance, 1e-5);
  return homogenization::macroscopic_projection(setting, "automatic", of_macro, stage.progress());
}

namespace
{
/// The same, said in the log; name: of the reference, empty: that of the cone.
Reference said(const macro::Setting &setting, const Parameters &parameters, Stages &stages, Log &log,
               const std::string &name = "")
{
  Reference result = projected(setting, parameters, stages);
  if (!name.empty())
    result.name = name;
  log.line("u, " + result.name + " cone: " + result.description);
  if (!result.remark.empty())
    log.line("  " + result.remark);
  return result;
}

/// |f - g| in L² over the saturated zone, by points of Gauss on the halves of the cells of a grid of the box: velocities on
/// lattices have kinks in the middle of cells. n: of points per direction and half.
double distance_on_box(const macro::Setting &setting, const double cells, const geometry::Field &f, const geometry::Field &g,
                       const int n = 3)
{
  const geometry::BoxGrid grid =
      geometry::box_grid(setting.domain.lower, setting.domain.upper, 2. * cells, geometry::Processes::alone());
  const geometry::Rule rule    = geometry::gauss_rule(n, grid.dim);
  double               squared = 0.;
  geometry::for_own_cells(grid, [&](const geometry::CellIndex &cell) {
    Eigen::MatrixXd x(grid.dim, rule.size()), of_f(grid.dim, rule.size()), of_g = of_f;
    for (int a = 0; a < grid.dim; ++a)
      x.row(a) = (grid.lower(a) + (static_cast<double>(cell[a]) + rule.points.row(a).array()) * grid.h(a)).matrix();
    const std::vector<char> saturated = macro::saturated_at(setting.domain, x);
    f(x, of_f);
    g(x, of_g);
    for (Eigen::Index q = 0; q < rule.size(); ++q)
      if (saturated[q])
        squared += grid.cell_volume() * rule.weights(q) * (of_f.col(q) - of_g.col(q)).squaredNorm();
  });
  return std::sqrt(squared);
}

void at_rest(const Eigen::MatrixXd &, Eigen::MatrixXd &values) { values.setZero(); }

/// The same everywhere.
geometry::Field value_in_the_middle(const geometry::Field &f, const macro::Setting &setting)
{
  Eigen::MatrixXd value(setting.dim(), 1);
  f(.5 * (setting.domain.lower + setting.domain.upper), value);
  return [value](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { values = value.replicate(1, x.cols()); };
}
} // namespace

macro::ConeType family_of(const Parameters &parameters)
{
  return parameters.cone.type == macro::ConeType::circular ? macro::ConeType::circular : macro::ConeType::dilatant;
}

macro::Setting with_dilatancy(macro::Setting setting, const double s, const Parameters &parameters)
{
  const geometry::Field uniform = [s](const Eigen::MatrixXd &, Eigen::MatrixXd &values) { values.setConstant(s); };
  setting.cone =
      family_of(parameters) == macro::ConeType::circular
          ? macro::circular_cone(uniform)
          : macro::dilatant_cone(static_cast<int>(setting.dim()), uniform, static_cast<int>(parameters.dilatant_directions));
  return setting;
}

void require_admissible_gradients(const macro::Setting &setting, const Parameters &parameters)
{
  macro::require_admissible_gradient(setting);
  for (const macro::ConeType type : parameters.homogenization.compare_with)
    {
      macro::Setting other = setting;
      other.cone           = macro::lattice_cone(type, parameters.cone.lattice_angle);
      macro::require_admissible_gradient(other);
    }
  for (const double s : parameters.homogenization.dilatancies)
    macro::require_admissible_gradient(with_dilatancy(setting, s, parameters));
  if (!parameters.homogenization.fit_dilatancy || setting.mean_gradient.size() == 0 ||
      is_mean_gradient_alone(setting, parameters))
    return;
  if (const std::string why = macro::why_not_admissible(with_dilatancy(setting, 1., parameters).cone, setting.mean_gradient);
      !why.empty())
    throw InputError("Homogenization/Fit dilatancy",
                     "Not all cones that are compared have velocities with the mean gradient: " + why +
                         "; give Homogenization/Dilatancies that have.");
}

std::vector<Reference> compared_with(const macro::Setting &setting, const Parameters &parameters, Stages &stages, Log &log)
{
  std::vector<Reference> result;
  require_admissible_gradients(setting, parameters);
  if (parameters.homogenization.exact.expression.empty())
    result.push_back(said(setting, parameters, stages, log));
  else
    {
      Reference exact;
      exact.name   = closed_form;
      exact.u      = field_of("Exact velocity", parameters.homogenization.exact, parameters.dimension, parameters.dimension);
      exact.cone   = setting.cone;
      exact.remark = "Exact velocity is taken for the macroscopic projection of U; no mesh was found to check it.";
      result.push_back(std::move(exact));
    }
  for (const macro::ConeType type : parameters.homogenization.compare_with)
    {
      if (name(type) == result.front().name)
        continue;
      macro::Setting other = setting;
      other.cone           = macro::lattice_cone(type, parameters.cone.lattice_angle);
      result.push_back(said(other, parameters, stages, log));
    }
  for (const double s : parameters.homogenization.dilatancies)
    if (const std::string remark = macro::remark_on_closed_box(with_dilatancy(setting, s, parameters)); !remark.empty())
      log.warn(remark);
  for (const double s : parameters.homogenization.dilatancies)
    result.push_back(said(with_dilatancy(setting, s, parameters), parameters, stages, log,
                          name(family_of(parameters)) + " " + short_number(s)));
  return result;
}

void check_closed_form(std::vector<Reference> &references, macro::Setting setting, const Parameters &parameters,
                       Stages &stages, Log &log)
{
  if (parameters.homogenization.exact.expression.empty())
    return;
  Reference &exact = references.front();
  using macro::ConeType;
  const ConeType type      = setting.cone.type;
  const bool     is_simple = type == ConeType::isotropic || type == ConeType::square || type == ConeType::triangular;
  const double   n_cells   = setting.dim() == 3 ? 12. * 12. * 12. : is_simple ? 96. * 96. : 32. * 32.;
  const double   cells     = std::pow(n_cells / (setting.domain.upper - setting.domain.lower).prod(), 1. / setting.dim());
  setting.mesh.cells_per_unit_length = std::min(setting.mesh.cells_per_unit_length, cells);
  setting.processes                  = geometry::Processes::alone();
  Reference on_mesh;
  try
    {
      on_mesh = projected(setting, parameters, stages);
    }
  catch (const InputError &) // a lattice or walls that no coarse mesh fits
    {
      return;
    }
  if (!on_mesh.certified || !std::isfinite(on_mesh.error))
    return;
  constexpr double of_quadrature = 1.1;
  const double     cells_of_mesh = setting.mesh.cells_per_unit_length;
  const double     apart         = distance_on_box(setting, cells_of_mesh, exact.u, on_mesh.u);
  const double rounding = 1e-9 * distance_on_box(setting, cells_of_mesh, exact.u, value_in_the_middle(exact.u, setting)) +
                          1e-13 * distance_on_box(setting, cells_of_mesh, exact.u, at_rest);
  const double of_points  = 2. * std::abs(distance_on_box(setting, cells_of_mesh, exact.u, on_mesh.u, 2) - apart);
  const bool   is_refuted = apart - of_points > of_quadrature * on_mesh.error + rounding;
  exact.remark            = std::string("Exact velocity is ") + (is_refuted ? "not" : "taken for") +
                 " the macroscopic projection of U: that is within " + short_number(on_mesh.error) +
                 (on_mesh.guaranteed ? " (guaranteed)" : " (estimated)") + " of the one on a mesh of " +
                 short_number(cells_of_mesh) + " cells per unit length, from which Exact velocity is " +
                 short_number(apart) + " away.";
  if (!is_refuted)
    return log.line("u, " + exact.name + ": " + exact.remark);
  exact.guaranteed = false;
  exact.error      = apart + on_mesh.error;
  log.warn(exact.remark);
}

void doubt_closed_form(Reference &exact, homogenization::Level &level, const bool has_walls, Log &log)
{
  if (exact.name != closed_form || is_refuted(exact))
    return;
  homogenization::Comparison &distance = level.comparisons.front();
  double bound = level.of_fluctuations ? std::numeric_limits<double>::infinity() : level.norm_v + level.norm_U;
  if (distance.lower > level.direct_bound)
    {
      bound        = level.direct_bound;
      exact.remark = "Exact velocity is not the macroscopic projection of U: the distance to that is at most " +
                     short_number(bound) + " with " + std::to_string(level.n_spheres) + " spheres.";
    }
  else if (!has_walls && level.momentum_defect_of_u > 1e-3)
    exact.remark = "Exact velocity has another momentum than U: it is not the macroscopic projection, which keeps it.";
  else
    return;
  exact.guaranteed = false;
  exact.error      = distance.upper + bound;
  distance.lower   = 0.;
  distance.upper   = bound;
  log.warn(exact.remark);
}
} // namespace moreau::app
