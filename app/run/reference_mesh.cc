// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/reference_mesh.h"

#include "app/output/study_tables.h"
#include "app/run/references.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
/// Along one side of a square or cube.
double affordable_cells(const macro::ConeType cone, const macro::Alignment alignment, const unsigned int dim)
{
  using macro::ConeType;
  if (dim == 1)
    return 1e5;
  if (cone == ConeType::circular)
    return dim == 2 ? 64. : 12.;
  if (cone == ConeType::dilatant)
    return dim == 2 ? 48. : 8.;
  if (cone == ConeType::directions || (cone != ConeType::isotropic && alignment == macro::Alignment::box))
    return dim == 2 ? 96. : 12.;
  if (dim == 2)
    return cone == ConeType::triangular ? 512. : 1024.;
  return cone == ConeType::face_centred_cubic ? 24. : 96.;
}

/// The side (m) of the square or cube that is as large as the zone's box.
double side_of_box(const Parameters &parameters)
{
  const double volume = (parameters.zone.upper_corner - parameters.zone.lower_corner).prod();
  return std::pow(volume, 1. / parameters.dimension);
}
} // namespace

double affordable_cells(const Parameters &parameters)
{
  double most = affordable_cells(parameters.cone.type, parameters.mesh.alignment, parameters.dimension);
  for (const macro::ConeType cone : parameters.homogenization.compare_with)
    most = std::min(most, affordable_cells(cone, parameters.mesh.alignment, parameters.dimension));
  if (parameters.homogenization.dilatancies.size() > 0 || parameters.homogenization.fit_dilatancy)
    most = std::min(most, affordable_cells(family_of(parameters), parameters.mesh.alignment, parameters.dimension));
  return most / side_of_box(parameters);
}

double least_cells(const Parameters &parameters)
{
  return (parameters.dimension == 1 ? 1024. : parameters.dimension == 2 ? 128. : 16.) / side_of_box(parameters);
}

double refinement_wanted(const std::vector<ExpectedDistance> &expected)
{
  constexpr double spare  = 1.2;
  double           factor = 1.;
  for (const ExpectedDistance &of : expected)
    if (std::isfinite(of.error) && of.distance > 0. && of.error > share_of_distance * of.distance)
      factor = std::max(factor, spare * of.error / (share_of_distance * of.distance));
  return factor;
}
} // namespace moreau::app
