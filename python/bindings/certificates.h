// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PYTHON_BINDINGS_CERTIFICATES_H
#define MOREAU_PYTHON_BINDINGS_CERTIFICATES_H

#include "convex/certificate.h"
#include "convex/effort.h"

#include <pybind11/pybind11.h>

namespace moreau::python
{
/// As in summary.json: what is not guaranteed is no bound, but an `error_estimate`, None where the answer has not converged;
/// a number that is not finite is None.
pybind11::dict to_dict(const convex::Certificate &certificate, bool converged);

/// Keys status, converged, method and iterations of a result.
void add_effort(pybind11::dict &result, const convex::Effort &effort, const std::string &method);

/// Holds OpenBLAS to one thread as long as one of them lives, as factorisations ask for: numpy may use the same library.
class OneBlasThread
{
public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread &) = delete;
};

/// InputError and std::invalid_argument become ValueError.
void translate_exceptions();
} // namespace moreau::python

#endif
