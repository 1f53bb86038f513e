// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/certificates.h"

#include "convex/input_error.h"

#include <cmath>
#include <exception>
#include <mutex>
#include <stdexcept>

extern "C" int  openblas_get_num_threads();
extern "C" void openblas_set_num_threads(int);

namespace moreau::python
{
namespace py = pybind11;

py::dict to_dict(const convex::Certificate &certificate, const bool converged)
{
  const auto number = [](const double x) -> py::object {
    return std::isfinite(x) ? py::object(py::float_(x)) : py::object(py::none());
  };
  py::dict result;
  result["guaranteed"] = certificate.guaranteed;
  for (const auto &[name, value] : convex::named_numbers(certificate))
    result[name.c_str()] = number(value);
  if (!certificate.guaranteed)
    {
      result["error_estimate"]       = converged ? number(certificate.relative_error_bound) : py::none();
      result["relative_error_bound"] = py::none();
      result["bound_relative_to_u"]  = py::none();
    }
  return result;
}

void add_effort(py::dict &result, const convex::Effort &effort, const std::string &method)
{
  result["status"]     = convex::name(effort.status);
  result["method"]     = method;
  result["iterations"] = effort.n_iterations;
}

namespace
{
std::mutex blas_mutex;
int        n_holders = 0, threads_before = 1;
} // namespace

OneBlasThread::OneBlasThread()
{
  const std::lock_guard<std::mutex> lock(blas_mutex);
  if (n_holders++ > 0)
    return;
  threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread()
{
  const std::lock_guard<std::mutex> lock(blas_mutex);
  if (--n_holders == 0)
    openblas_set_num_threads(threads_before);
}

void translate_exceptions()
{
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try
      {
        if (thrown)
          std::rethrow_exception(thrown);
      }
    catch (const InputError &error)
      {
        PyErr_SetString(PyExc_ValueError, error.what());
      }
    catch (const std::invalid_argument &error)
      {
        PyErr_SetString(PyExc_ValueError, error.what());
      }
  });
}
} // namespace moreau::python
