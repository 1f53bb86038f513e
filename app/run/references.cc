// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/references.h"

#include "app/input/text/formula.h"
#include "app/input/text/words.h"

#include <algorithm>

namespace moreau::app
{
using homogenization::Reference;

Reference projected(const macro::Setting &setting, const Parameters &parameters, Stages &stages)
{
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

std::vector<Reference> compared_with(const macro::Setting &setting, const Parameters &parameters, Stages &stages, Log &log)
{
  std::vector<Reference> result;
  if (parameters.homogenization.exact.expression.empty())
    result.push_back(said(setting, parameters, stages, log));
  else
    {
      Reference exact;
      exact.name = "closed form";
      exact.u    = field_of("Exact velocity", parameters.homogenization.exact, parameters.dimension, parameters.dimension);
      exact.cone = setting.cone;
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
    result.push_back(said(with_dilatancy(setting, s, parameters), parameters, stages, log,
                          name(family_of(parameters)) + " " + short_number(s)));
  return result;
}
} // namespace moreau::app
