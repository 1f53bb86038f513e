// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PYTHON_BINDINGS_INTERRUPTS_H
#define MOREAU_PYTHON_BINDINGS_INTERRUPTS_H

#include "convex/cone_projection.h"

#include <pybind11/pybind11.h>

#include <chrono>

namespace moreau::python
{
/// Lets Ctrl-C end long work, which calls this now and then without Python's lock: throws what the handler of a signal
/// raised, KeyboardInterrupt. Looks ten times a second at most; on other threads than the main one Python has no signals.
inline void check_signals()
{
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point last;
  if (const auto now = Clock::now(); now - last > std::chrono::milliseconds(100))
    {
      last = now;
      const pybind11::gil_scoped_acquire held;
      if (PyErr_CheckSignals() != 0)
        throw pybind11::error_already_set();
    }
}

/// For progress(fraction).
inline void check_signals_at(double) { check_signals(); }

/// For solvers.
inline convex::Watch watch_for_signals()
{
  return {[](double, double) { check_signals(); }};
}
} // namespace moreau::python

#endif
