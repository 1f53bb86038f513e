// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/certificates.h"
#include "python/bindings/spheres.h"

PYBIND11_MODULE(_micro, module)
{
  module.doc() = "What moreau/*.py calls: spheres and cones, without deal.II and MPI. Arguments are checked there.";
  moreau::python::translate_exceptions();
  moreau::python::define_spheres(module);
  moreau::python::define_cones(module);
  moreau::python::define_motion(module);
  module.attr("version") = MOREAU_VERSION;
}
