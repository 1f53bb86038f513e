// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/memory.h"

#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace moreau::app
{
namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The first number in a file of /sys; infinite where there is none ("max").
double number_in(const std::string &file)
{
  std::ifstream in(file);
  double        value;
  return in >> value ? value : infinity;
}

/// Measured peaks per sphere: 0.3 kB in a row, 1 kB on a square lattice, 2.4 kB on a face-centred cubic one.
double bytes_per_sphere(const unsigned int dim) { return dim == 1 ? 300. : dim == 2 ? 1000. : 2000.; }

/// Measured with fields and output included: of the staggered grid and of chains; of the triangular and the face-centred
/// lattice; of triangles (2 a cell) and tetrahedra (6 a cell) with K directions, or a circle (4 triangles a cell); of
/// Raviart-Thomas elements, which adaptive cycles begin with, too: what they add is not known before.
double bytes_per_cell(const unsigned int dim, const macro::Cone &cone, const macro::MeshChoice &mesh)
{
  using macro::ConeType;
  const bool has_elements = mesh.raviart_thomas || mesh.adaptive_cycles > 0;
  const bool has_simplices =
      cone.type == ConeType::directions || has_dilatancy(cone.type) ||
      (cone.type != ConeType::isotropic && (mesh.alignment == macro::Alignment::box || mesh.adaptive_cycles > 0));
  if (cone.type == ConeType::isotropic && has_elements && dim > 1)
    return dim == 2 ? 1.5e4 : 1e4;
  if (cone.type == ConeType::circular)
    return dim == 2 ? 1.2e4 : 8e4;
  if (dim > 1 && has_simplices)
    return (dim == 2 ? 550. : 1100.) * cone.n_directions * cone.n_directions;
  if (cone.type == ConeType::triangular || cone.type == ConeType::face_centred_cubic)
    return dim == 2 ? 6000. : 1e5;
  return dim == 1 ? 300. : dim == 2 ? 900. : 1300.;
}
} // namespace

double available_memory()
{
  double        available = infinity;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name; meminfo >> name;)
    if (double kilobytes; name == "MemAvailable:" && meminfo >> kilobytes)
      available = 1024. * kilobytes;
  const double group = number_in("/sys/fs/cgroup/memory.max") - number_in("/sys/fs/cgroup/memory.current");
  return std::isnan(group) ? available : std::min(available, std::max(0., group)); // infinite minus infinite: no groups
}

namespace
{
void require(const double n, const std::string &things, const double bytes_each, const std::string &parameter,
             const double n_times = 1.)
{
  const double needed = n * bytes_each * n_times, available = available_memory();
  if (needed > available)
    throw InputError(
        parameter,
        "About " + short_number(n) + " " + things + " are asked for, which take at least " + bytes(needed) + " of memory" +
            (n_times > 1. ? " on " + short_number(n_times) + " processes of one machine, each of which holds all of them,"
                          : "") +
            " where " + bytes(available) + " are available; use fewer or larger ones" +
            (n_times > 1. ? ", or fewer processes." : "."));
}
} // namespace

void require_memory(const double n, const unsigned int dim, const std::string &parameter, const double n_times)
{
  require(n, "spheres", bytes_per_sphere(dim), parameter, n_times);
}

void require_memory_for_cells(const double n, const unsigned int dim, const std::string &parameter, const macro::Cone &cone,
                              const macro::MeshChoice &mesh)
{
  require(n, "cells", bytes_per_cell(dim, cone, mesh), parameter);
}

void require_memory_for_picture(const double n, const unsigned int dim, const std::string &parameter)
{
  require(n, "cells", dim == 1 ? 400. : dim == 2 ? 480. : 600., parameter); // measured
}
} // namespace moreau::app
