// SPDX-License-Identifier: GPL-3.0-or-later
#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(packings)
BOOST_AUTO_TEST_CASE(placeholder) { BOOST_TEST(true); }
BOOST_AUTO_TEST_SUITE_END()
