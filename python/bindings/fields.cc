// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/fields.h"

#include "python/bindings/arrays.h"

#include "convex/input_error.h"
#include "geometry/array_hull.h"

#include <algorithm>
#include <cmath>

namespace moreau::python
{
geometry::Field field_of_callable(const py::object &f, const std::string &name, const Index n_components)
{
  // the last reference may be given up by a thread without the interpreter
  const std::shared_ptr<py::object> kept(new py::object(f), [](py::object *object) {
    const py::gil_scoped_acquire held;
    delete object;
  });
  return [kept, name, n_components](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    const py::gil_scoped_acquire held;
    const Doubles                found = (*kept)(to_rows(Eigen::MatrixXd(x)));
    const bool                   fits =
        found.size() == n_components * x.cols() && found.ndim() >= 1 && found.ndim() <= 2 && found.shape(0) == x.cols();
    if (!fits)
      throw InputError("At " + std::to_string(x.cols()) + " points " + name + " must return an array of shape (" +
                       std::to_string(x.cols()) + "," + (n_components > 1 ? " " + std::to_string(n_components) : "") + ").");
    values = Eigen::Map<const Eigen::MatrixXd>(found.data(), n_components, x.cols());
    if (!values.allFinite())
      throw InputError(name + " returned a value that is not finite; it must be a number everywhere in the box.");
  };
}

geometry::Field field_of_array(const Doubles &values, const Vector &lower, const Vector &upper, const Index n_components)
{
  struct Grid
  {
    std::vector<double> values;
    std::vector<Index>  n; ///< cells along each axis
  };
  const Index dim  = lower.size();
  auto        grid = std::make_shared<Grid>();
  grid->values.assign(values.data(), values.data() + values.size());
  grid->n.assign(values.shape(), values.shape() + dim);
  const auto position = [grid, lower, upper](const double x, const Index axis) {
    return (x - lower(axis)) / (upper(axis) - lower(axis)) * static_cast<double>(grid->n[axis]);
  };
  const auto value = [grid, n_components, dim](const std::array<Index, 3> &cell, const Index component) {
    Index number = 0;
    for (Index axis = 0; axis < dim; ++axis)
      number = number * grid->n[axis] + std::clamp<Index>(cell[axis], 0, grid->n[axis] - 1);
    return grid->values[number * n_components + component];
  };
  const auto values_at = [position, value, n_components, dim](const Eigen::MatrixXd &x, Eigen::MatrixXd &result) {
    result.resize(n_components, x.cols());
    for (Index k = 0; k < x.cols(); ++k)
      {
        std::array<Index, 3> cell = {};
        for (Index axis = 0; axis < dim; ++axis)
          cell[axis] = static_cast<Index>(std::floor(position(x(axis, k), axis)));
        for (Index c = 0; c < n_components; ++c)
          result(c, k) = value(cell, c);
      }
  };
  return {values_at, [position, value, n_components, dim](const Eigen::MatrixXd &corners) {
            Eigen::MatrixXd positions(dim, corners.cols());
            for (Index k = 0; k < corners.cols(); ++k)
              for (Index axis = 0; axis < dim; ++axis)
                positions(axis, k) = position(corners(axis, k), axis);
            return geometry::hull_of_array(positions, n_components, value);
          }};
}
} // namespace moreau::python
