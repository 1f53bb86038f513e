// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_BENCHMARKS_PROCESS_H
#define MOREAU_TESTS_BENCHMARKS_PROCESS_H

#include <string>

namespace moreau::benchmarks
{
/// Seconds that processors have spent on this process, all threads, user and
/// system: what a busy machine disturbs less than the clock.
double processor_seconds();

/// Memory of this process now, and the most it ever was (bytes); NaN where the system does not tell.
double resident_memory();
double peak_memory();

/// Programs that wanted to run during the last minute; NaN where the system does not tell.
double machine_load();

/// Peak of the resident memory since the last reset, bytes; NaN where the system does not tell.
class PeakMemory
{
public:
  PeakMemory();

  double above_start() const;

private:
  double before;
};
} // namespace moreau::benchmarks

#endif
