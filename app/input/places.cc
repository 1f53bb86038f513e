// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/places.h"

#include <algorithm>

namespace moreau::app
{
const std::map<std::string, std::string> &places()
{
  static const std::map<std::string, std::string> table = {
      {"the CFL number", "Congested flow/CFL number"},
      {"the adaptive cycles", "Mesh/Adaptive cycles"},
      {"the alignment of the mesh", "Mesh/Alignment"},
      {"the anchor of the lattice", "Spheres/Lattice anchor"},
      {"the angle of the lattice", "Spheres/Lattice angle"},
      {"the angle of the obstacles", "Obstacles/Angle expression"},
      {"the axis of the obstacles", "Obstacles/Rotation axis"},
      {"the blocks", "Zone/Function expression"},
      {"the bodies", "Congested flow/Bodies"},
      {"the cells per unit length", "Mesh/Cells per unit length"},
      {"the centre of the obstacles", "Obstacles/Rotation centre"},
      {"the coarse graining", "Coarse graining"},
      {"the cone", "Cone/Type"},
      {"the constants of the system", "System/Constants"},
      {"the contact tolerance", "Spheres/Contact tolerance"},
      {"the contacts", "Spheres"},
      {"the coverage", "Random packing/Coverage"},
      {"the overlap", "Random packing/Overlap"},
      {"the density", "Zone/Function expression"},
      {"the density of the inflow", "Inflow/Density expression"},
      {"the dimension", "Dimension"},
      {"the dilatancy", "Cone/Dilatancy"},
      {"the directions of the cone", "Cone/Function expression"},
      {"the elements of the mesh", "Mesh/Elements"},
      {"the end time of the impacts", "Impact sequence/End time"},
      {"the file of spheres", "Spheres/File"},
      {"the file of the mesh", "Mesh/File"},
      {"the fluxes", "Measurements/Fluxes"},
      {"the force", "Force/Function expression"},
      {"the forces", "Measurements/Forces on"},
      {"the growth", "Growth/Function expression"},
      {"the initial position", "System/Initial position"},
      {"the initial velocity", "System/Initial velocity"},
      {"the level function", "Zone/Level function"},
      {"the lower corner", "Zone/Lower corner"},
      {"the mean gradient", "Velocity/Mean gradient"},
      {"the mesh", "Mesh"},
      {"the number of directions", "Cone/Directions"},
      {"the number of spheres", "Spheres/Number of spheres"},
      {"the obstacles", "Obstacles"},
      {"the periods", "Zone/Periodic"},
      {"the probes", "Measurements/Probes"},
      {"the regions", "Measurements/Regions"},
      {"the removal of spheres", "Measurements"},
      {"the contact law", "Contact law"},
      {"the restitution", "Restitution"},
      {"the scheme", "Time/Scheme"},
      {"the shapes of the obstacles", "Obstacles/Shapes"},
      {"the size of the spheres", "Spheres/Spheres per unit length"},
      {"the soft pressure", "Congested flow/Soft pressure"},
      {"the solver", "Solver"},
      {"the spheres", "Spheres"},
      {"the spread of radii", "Random packing/Spread of radii"},
      {"the system", "System/Type"},
      {"the time step", "Time/Time step"},
      {"the translation of the obstacles", "Obstacles/Translation expression"},
      {"the upper corner", "Zone/Upper corner"},
      {"the vacancies", "Spheres/Vacancies"},
      {"the velocity", "Velocity"},
      {"the velocity of the blocks", "Velocity/Function expression"},
      {"the velocities of the walls", "Zone/Wall velocities"},
      {"the velocity of the inflow", "Inflow/Velocity expression"},
      {"the walls", "Zone/Walls"},
      {"the zone", "Zone"},
  };
  return table;
}

std::string place_of(const std::string &subject)
{
  if (subject.rfind("the ", 0) != 0)
    return subject;
  const std::string group = ", group ";
  const std::size_t comma = subject.find(group);
  const auto        found = places().find(subject.substr(0, comma));
  if (found == places().end())
    return "";
  std::string place = found->second;
  if (comma != std::string::npos)
    place.insert(std::min(place.find('/'), place.size()), " " + subject.substr(comma + group.size()));
  return place;
}
} // namespace moreau::app
