// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/study_tables.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

BOOST_AUTO_TEST_SUITE(study_tables)

using namespace moreau::app;
using moreau::homogenization::Level;
using moreau::homogenization::Reference;

namespace
{
/// Distances that fall like the radius.
std::vector<Level> levels_of(const std::vector<double> &radii)
{
  std::vector<Level> levels(radii.size());
  for (std::size_t n = 0; n < radii.size(); ++n)
    {
      levels[n].radius = radii[n];
      levels[n].comparisons.resize(1);
      levels[n].comparisons[0].error.value = radii[n];
    }
  moreau::homogenization::set_orders(levels);
  return levels;
}

std::vector<Reference> reference_with(const double error)
{
  std::vector<Reference> references(1);
  references[0].name   = "isotropic";
  references[0].error  = error;
  references[0].fields = [] { return moreau::geometry::Mesh(); };
  return references;
}
} // namespace

BOOST_AUTO_TEST_CASE(the_nearer_the_radii_the_finer_must_the_reference_be_that_tells_an_order)
{
  const std::vector<Level> halved = levels_of({.1, .05}), near = levels_of({.1, .099}), steps = levels_of({.1, .07, .05});
  BOOST_TEST(observed_order(halved, reference_with(.012)) == 1., boost::test_tools::tolerance(1e-12));
  BOOST_TEST(observed_order(steps, reference_with(.012)) == 1., boost::test_tools::tolerance(1e-3));
  BOOST_TEST(std::isnan(observed_order(halved, reference_with(.013))));
  // errors of .012 move the order of radii that are 1 % apart by more than 10
  BOOST_TEST(std::isnan(observed_order(near, reference_with(.012))));
  BOOST_TEST(observed_order(near, reference_with(3e-4)) == 1., boost::test_tools::tolerance(1e-12));
  BOOST_TEST(errors_row(near[1], reference_with(.012)).front().find("(1.00)") != std::string::npos);
  BOOST_TEST(errors_row(halved[1], reference_with(.012)).front().find("(1.00)") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_sentence_on_an_order_that_is_not_told_says_which_mesh_would_tell_it)
{
  BOOST_TEST(sentence_on_order(levels_of({.1, .05}), reference_with(.012), 0, 100.).empty());
  const std::string halved = sentence_on_order(levels_of({.1, .05}), reference_with(.025), 0, 100.);
  BOOST_TEST(halved.find("above a quarter of the smallest distance, 0.05: ") != std::string::npos, halved);
  BOOST_TEST(halved.find("= 200 would do") != std::string::npos, halved);
  const std::string near = sentence_on_order(levels_of({.1, .099}), reference_with(.012), 0, 100.);
  BOOST_TEST(near.find("above 0.00362489 of the smallest distance, 0.099, with radii as near as these: ") !=
                 std::string::npos,
             near);
}

BOOST_AUTO_TEST_SUITE_END()
