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
  BOOST_CHECK_THROW(require_memory_for_cells(n, 2, "Mesh", square, Alignment::box), InputError);
  BOOST_CHECK_THROW(require_memory_for_cells(n, 2, "Mesh", directions), InputError); // they have no lattice
}

BOOST_AUTO_TEST_SUITE_END()
