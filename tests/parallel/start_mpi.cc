// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/processes.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>

namespace
{
/// Under mpirun all tests are those of several processes.
struct StartMpi
{
  StartMpi()
  {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr)
      moreau::geometry::start_mpi();
  }
};
} // namespace

BOOST_TEST_GLOBAL_FIXTURE(StartMpi);
