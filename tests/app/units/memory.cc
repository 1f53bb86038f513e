// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/memory.h"
#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(memory)

using namespace moreau;

BOOST_AUTO_TEST_CASE(cells_need_what_their_discretisation_takes)
{
  using app::require_memory_for_cells;
  using macro::Alignment;
  macro::Cone  square     = macro::lattice_cone(macro::ConeType::square, 0.), directions;
  const double n          = app::available_memory() / 1500.; // a cell takes 700 bytes on chains, 2200 in triangles
  directions.type         = macro::ConeType::directions;
  directions.n_directions = 2;
  square.n_directions     = 2;
  require_memory_for_cells(n, 2, "Mesh", square);
  macro::MeshChoice box, adaptive, elements;
  box.alignment            = Alignment::box;
  adaptive.adaptive_cycles = 1;
  elements.raviart_thomas  = true;
  for (const macro::MeshChoice &mesh : {box, adaptive})
    BOOST_CHECK_THROW(require_memory_for_cells(n, 2, "Mesh", square, mesh), InputError);
  for (const unsigned int dim : {2u, 3u})
    {
      const double n_staggered = app::available_memory() / 5000.;
      require_memory_for_cells(n_staggered, dim, "Mesh");
      for (const macro::MeshChoice &mesh : {elements, adaptive})
        BOOST_CHECK_THROW(require_memory_for_cells(n_staggered, dim, "Mesh", {}, mesh), InputError);
    }
  BOOST_CHECK_THROW(require_memory_for_cells(n, 2, "Mesh", directions), InputError); // they have no lattice
}

BOOST_AUTO_TEST_SUITE_END()
