// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PYTHON_BINDINGS_FIELDS_H
#define MOREAU_PYTHON_BINDINGS_FIELDS_H

#include "geometry/field.h"

#include "python/bindings/arrays.h"

#include <string>

namespace moreau::python
{
/// A function of position made of a callable f(x), x (n, d) in m, which returns (n, k), or (n,) where k = 1. It may be
/// called from several threads, which wait for the interpreter. What f raises is raised where the field is used; InputError
/// for values of another shape, or that are not finite.
///   name  of the argument, for messages
geometry::Field field_of_callable(const pybind11::object &f, const std::string &name, geometry::Index n_components);

/// A function that is constant on the cells of a regular grid on a box: `values` is (N_1, ..., N_d) or (N_1, ..., N_d, k),
/// axis by axis as x[0], x[1], ...; beyond the box its nearest cell counts. The array is copied once.
geometry::Field field_of_array(const Doubles &values, const geometry::Vector &lower, const geometry::Vector &upper,
                               geometry::Index n_components);
} // namespace moreau::python

#endif
