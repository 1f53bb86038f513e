// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PYTHON_BINDINGS_SPHERES_H
#define MOREAU_PYTHON_BINDINGS_SPHERES_H

#include <pybind11/pybind11.h>

/// The functions behind python/moreau, which checks what they are called with.
namespace moreau::python
{
void define_spheres(pybind11::module_ &module); ///< impacts, contacts and packings of spheres
void define_cones(pybind11::module_ &module);   ///< projections on any cone and their certificates
void define_motion(pybind11::module_ &module);  ///< spheres in time
} // namespace moreau::python

#endif
