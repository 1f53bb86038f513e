// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_FLOW_PARAMETERS_H
#define MOREAU_APP_INPUT_FLOW_PARAMETERS_H

#include "app/input/text/formula.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dealii
{
class ParameterHandler;
}

namespace moreau::app
{
/// What `congested flow` needs beyond the other parameters: section "Congested flow", and "Inflow", "Maximal density".
/// Density and walls stand in Zone, the velocity in Velocity, forces in Force, periodic axes and times where motions have
/// them. Meanings stand in add_to().
struct FlowText
{
  std::string method        = "finite volumes"; ///< exact blocks, splitting, soft congestion (1D)
  std::string density_flux  = "anti-diffusive"; ///< upwind
  std::string bodies        = "mixture";        ///< coloured
  double      cfl           = .5;
  double      soft_pressure = 1e-4;      ///< ε of soft congestion (m²/s²)
  bool        fixed_steps   = false;     ///< where Time/Time step breaks the CFL condition it is refused, else reduced
  std::string blocks_file;               ///< of exact blocks, instead of expressions
  std::vector<std::string> compare_with; ///< exact blocks, sticky solution, splitting, soft congestion, spheres (1D)
  std::vector<double>      spheres_per_unit_length;         ///< of the comparison
  std::vector<std::string> inflow_sides;                    ///< left, right, ...
  ExpressionText           inflow_density, inflow_velocity; ///< of x, y, z, t
  ExpressionText           maximal_density = {"1", "", "x,y,z,t"};

  bool is_soft() const ///< whether soft congestion is computed
  {
    return method == "soft congestion" ||
           std::find(compare_with.begin(), compare_with.end(), "soft congestion") != compare_with.end();
  }

  void add_to(dealii::ParameterHandler &prm);
};
} // namespace moreau::app

#endif
