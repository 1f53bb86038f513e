// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/process.h"

#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#ifdef __GLIBC__
#  include <malloc.h>
#endif

namespace moreau::benchmarks
{
namespace
{
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A line of /proc/self/status, in bytes.
double status(const std::string &key)
{
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0)
      return 1024. * std::stod(line.substr(key.size()));
  return unknown;
}
} // namespace

double processor_seconds()
{
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double resident_memory() { return status("VmRSS:"); }

double peak_memory() { return status("VmHWM:"); }

double machine_load()
{
  std::ifstream file("/proc/loadavg");
  double        load = unknown;
  return file >> load ? load : unknown;
}

PeakMemory::PeakMemory()
{
#ifdef __GLIBC__
  malloc_trim(0); // what earlier cases have freed would hide the new demand
#endif
  before = resident_memory();
  std::ofstream reset("/proc/self/clear_refs");
  reset << 5;
}

double PeakMemory::above_start() const { return peak_memory() - before; }
} // namespace moreau::benchmarks
