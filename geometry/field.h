// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_FIELD_H
#define MOREAU_GEOMETRY_FIELD_H

#include <Eigen/Core>

#include <functional>

namespace moreau::geometry
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// A function of position, evaluated at many points at once: x is dim x n (m),
/// values comes as n_components x n and is filled.
/// May be called from several threads. Throws InputError where a value is not finite.
using Field = std::function<void(const Eigen::MatrixXd &x, Eigen::MatrixXd &values)>;
} // namespace moreau::geometry

#endif
