// SPDX-License-Identifier: GPL-3.0-or-later
// Succeeds where the library that was built for libcatalyst is found, loaded and takes a snapshot.
#include "insitu/catalyst.h"

#include <exception>
#include <iostream>
#include <stdexcept>

int main()
{
  using namespace moreau::insitu;
  try
    {
      if (catalyst_version() != "libcatalyst 2.0")
        throw std::runtime_error("The version is called '" + catalyst_version() + "'.");
      const auto writer = catalyst_writer({{"/spheres.py"}, ".", {}});
      Mesh       mesh;
      mesh.name         = "spheres";
      mesh.points       = {0, 0, 0};
      mesh.connectivity = {0};
      writer->write(std::make_shared<const Snapshot>(Snapshot{0., 0, {mesh}, 0}));
      writer->finish();
      if (!writer->messages().empty())
        throw std::runtime_error("It complains.");
    }
  catch (const std::exception &error)
    {
      std::cerr << error.what() << '\n';
      return 1;
    }
}
