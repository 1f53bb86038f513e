// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/cone.h"

#include "macro/mesh_choice.h"

#include <cmath>
#include <sstream>
#include <utility>

namespace moreau::macro
{
namespace
{
/// As "(0.866025, 0.5)"; none for the isotropic cone and where directions vary.
std::vector<std::string> direction_names(const Cone &cone)
{
  std::vector<std::string> names;
  if (cone.direction_field)
    return names;
  for (Index k = 0; k < cone.directions.cols(); ++k)
    {
      std::ostringstream text;
      for (Index axis = 0; axis < cone.directions.rows(); ++axis)
        text << (axis == 0 ? "(" : ", ") << std::round(1e6 * cone.directions(axis, k)) / 1e6 + 0.;
      names.push_back(text.str() + ")");
    }
  return names;
}
} // namespace

std::string name(const ConeType type)
{
  switch (type)
    {
      case ConeType::isotropic:
        return "isotropic";
      case ConeType::square:
        return "square";
      case ConeType::triangular:
        return "triangular";
      case ConeType::cubic:
        return "cubic";
      case ConeType::face_centred_cubic:
        return "face-centred cubic";
      case ConeType::directions:
        return "directions";
      case ConeType::dilatant:
        return "dilatant";
      case ConeType::circular:
        return "circular";
    }
  return ""; // no other value exists
}

std::string name(const Alignment alignment)
{
  return alignment == Alignment::lattice ? "lattice" : alignment == Alignment::box ? "box" : "automatic";
}

Cone lattice_cone(const ConeType type, const double angle)
{
  Cone cone;
  cone.type          = type;
  cone.lattice_angle = angle;
  if (type != ConeType::isotropic)
    {
      cone.directions   = lattice_directions(type, angle);
      cone.n_directions = static_cast<int>(cone.directions.cols());
    }
  return cone;
}

Cone circular_cone(Field dilatancy)
{
  Cone cone;
  cone.type      = ConeType::circular;
  cone.dilatancy = std::move(dilatancy);
  return cone;
}

void name_components(std::vector<geometry::Array> &arrays, const Cone &cone)
{
  const std::vector<std::string> names = direction_names(cone);
  for (geometry::Array &array : arrays)
    for (const char *const of_directions : {"p", "directional_derivatives", "active"})
      if (array.name == of_directions && array.n_components == static_cast<int>(names.size()))
        array.component_names = names;
}
} // namespace moreau::macro
