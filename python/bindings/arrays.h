// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PYTHON_BINDINGS_ARRAYS_H
#define MOREAU_PYTHON_BINDINGS_ARRAYS_H

#include "convex/cone_projection.h"

#include <pybind11/numpy.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// numpy's arrays and Eigen's. What comes in is read where it lies and copied once, into what the solvers own; what goes out
/// is handed over without a copy.
namespace moreau::python
{
namespace py = pybind11;
using convex::Index;
using convex::Vector;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Ints    = py::array_t<int, py::array::c_style | py::array::forcecast>;

/// n numbers, or n x d row by row, as one vector.
inline Eigen::Map<const Vector> view(const Doubles &array) { return {array.data(), array.size()}; }

/// n x d row by row: d x n column by column.
inline Eigen::Map<const Eigen::MatrixXd> columns(const Doubles &array)
{
  return {array.data(), array.ndim() == 1 ? 1 : array.shape(1), array.shape(0)};
}

inline Vector vector_or_empty(const std::optional<Doubles> &array) { return array ? Vector(view(*array)) : Vector(); }

/// An array that owns what was `data`; it lies in memory as `shape` says.
template <class Data>
py::array_t<typename Data::value_type> handed_over(Data data, std::vector<py::ssize_t> shape)
{
  auto              owner    = std::make_unique<Data>(std::move(data));
  auto *const       numbers  = owner->data();
  const py::capsule released = py::capsule(owner.get(), [](void *pointer) { delete static_cast<Data *>(pointer); });
  owner.release();
  return py::array_t<typename Data::value_type>(std::move(shape), numbers, released);
}

/// Length n.
inline py::array_t<double> to_array(Vector v)
{
  const py::ssize_t n = v.size();
  return handed_over(std::move(v), {n});
}

/// d n numbers as n x d.
inline py::array_t<double> to_rows(Vector v, const Index d)
{
  const py::ssize_t n = v.size() / d;
  return handed_over(std::move(v), {n, d});
}

/// d x n as n x d.
inline py::array_t<double> to_rows(Eigen::MatrixXd v)
{
  const py::ssize_t n = v.cols(), d = v.rows();
  return handed_over(std::move(v), {n, d});
}

/// i and j of contacts, m x 2.
template <class Contact>
py::array_t<int> pairs_of_contacts(const std::vector<Contact> &contacts)
{
  const Index                          m = static_cast<Index>(contacts.size());
  Eigen::Array<int, 2, Eigen::Dynamic> pairs(2, m);
  for (Index c = 0; c < m; ++c)
    pairs.col(c) << contacts[c].i, contacts[c].j;
  return handed_over(std::move(pairs), {m, 2});
}

/// e of contacts, m x d.
template <class Contact>
py::array_t<double> directions_of_contacts(const std::vector<Contact> &contacts, const Index d)
{
  Eigen::MatrixXd e(d, static_cast<Index>(contacts.size()));
  for (Index c = 0; c < e.cols(); ++c)
    e.col(c) = contacts[c].e.head(d);
  return to_rows(std::move(e));
}

/// D of contacts, m.
template <class Contact>
py::array_t<double> gaps_of_contacts(const std::vector<Contact> &contacts)
{
  Vector D(static_cast<Index>(contacts.size()));
  for (Index c = 0; c < D.size(); ++c)
    D(c) = contacts[c].D;
  return to_array(std::move(D));
}

/// Of contacts with i, j, e and D: contacts (m x 2), directions (m x d) and gaps (m).
template <class Contact>
void add_contacts(py::dict &result, const std::vector<Contact> &contacts, const Index d)
{
  result["contacts"]   = pairs_of_contacts(contacts);
  result["directions"] = directions_of_contacts(contacts, d);
  result["gaps"]       = gaps_of_contacts(contacts);
}
} // namespace moreau::python

#endif
