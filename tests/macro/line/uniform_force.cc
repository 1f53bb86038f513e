// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/line/exact_blocks.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

BOOST_AUTO_TEST_SUITE(uniform_force)

using namespace moreau;
using namespace moreau::macro;

// A force that varies in time, and exact blocks under it.
namespace
{
constexpr double never = std::numeric_limits<double>::infinity();
const double     pi    = std::acos(-1.);

using Function = std::function<double(double)>;

ExactBlocks blocks_under(const Function &f, const std::vector<Block> &blocks, const double e, const LineWalls &walls,
                         const double interval = .01)
{
  ExactBlocks::Parameters parameters;
  parameters.restitution    = e;
  parameters.force_in_time  = f;
  parameters.force_interval = interval;
  parameters.walls          = walls;
  return {blocks, parameters};
}
} // namespace

BOOST_AUTO_TEST_CASE(integrals_are_those_of_the_force)
{
  struct Case
  {
    Function f, velocity, way; ///< from t = 0 on
    double   tolerance;
  };
  const auto jump = [](const double t) { return std::max(0., t - 1. / 3.); };
  for (const Case &c :
       {Case{[](double t) { return std::cos(3. * t); }, [](double t) { return std::sin(3. * t) / 3.; },
             [](double t) { return (1. - std::cos(3. * t)) / 9.; }, 1e-14},
        Case{[](double t) { return std::cos(900. * t); }, [](double t) { return std::sin(900. * t) / 900.; },
             [](double t) { return (1. - std::cos(900. * t)) / 810000.; }, 1e-14},
        Case{[](double t) { return t > 1. / 3. ? 1. : 0.; }, jump, [&](double t) { return .5 * jump(t) * jump(t); }, 1e-12},
        Case{[](double t) { return std::abs(t - .7); }, [](double t) { return .5 * (std::abs(t - .7) * (t - .7) + .49); },
             [](double t) { return std::pow(std::abs(t - .7), 3) / 6. + .245 * t - .343 / 6.; }, 1e-13},
        Case{[](double t) { return std::sqrt(t); }, [](double t) { return std::pow(t, 1.5) / 1.5; },
             [](double t) { return std::pow(t, 2.5) / 3.75; }, 1e-13}})
    {
      UniformForce force(c.f, .1);
      force.prepare(2.);
      for (const double from : {0., .05, .1, .4, 1.3})
        for (const double to : {1.3, 1.7123, 2.})
          {
            BOOST_TEST(std::abs(force.velocity(from, to) - (c.velocity(to) - c.velocity(from))) < c.tolerance);
            const double way = c.way(to) - c.way(from) + (.3 - c.velocity(from)) * (to - from);
            BOOST_TEST(std::abs(force.way(.3, from, to) - way) < c.tolerance);
          }
      BOOST_TEST(std::abs(force.value(1.234) - c.f(1.234)) < 1e-12);
    }
  const UniformForce constant(-2.);
  BOOST_TEST(constant.velocity(1., 3.) == -4.);
  BOOST_TEST(constant.way(1., 1., 3.) == -2.);
}

BOOST_AUTO_TEST_CASE(times_are_roots)
{
  UniformForce force([](double t) { return -std::cos(2. * pi * t); }, 10.);
  force.prepare(10.);
  BOOST_TEST(force.pull(0., 1.) == .25, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(force.pull(.3, 1.) == .3);
  BOOST_TEST(force.pull(.3, -1.) == .75, boost::test_tools::tolerance(1e-13));
  // what leaves at .25 never comes back: u = (1 - sin 2πt)/2π
  BOOST_TEST(force.meeting(force.pull(0., 1.), 0., 0., 1.) == never);
  // thrown up at t = 0 with 1/2π m/s it is at rest, far from the wall, at .25: u = (1 - sin 2πt)/2π again
  BOOST_TEST(force.meeting(0., 0., .5 / pi, 1.) == never);
  // with less it falls: x = (c t - (1 - cos 2πt)/4π²)
  const double c = .1, t = force.meeting(0., 0., c, 1.);
  BOOST_TEST(std::abs(c * t - (1. - std::cos(2. * pi * t)) / (4. * pi * pi)) < 1e-14);
  BOOST_TEST(t > .1);
  for (double s = .001; s < t; s += .001)
    BOOST_TEST(c * s - (1. - std::cos(2. * pi * s)) / (4. * pi * pi) > 0.);
}

BOOST_AUTO_TEST_CASE(a_force_that_cannot_be_followed_is_refused)
{
  const auto refused = [](const Function &f, const std::string &words) {
    BOOST_CHECK_EXCEPTION(UniformForce(f, 1.).prepare(1.), InputError, [&](const InputError &error) {
      return std::string(error.what()).find(words) != std::string::npos;
    });
  };
  refused([](double t) { return 1. / (t < .5 ? 1. : 0.); }, "not finite at t = ");
  refused([](double t) { return std::fmod(1e6 * t, 1.); }, "too fast");
}

// It rests until the force pulls it off its floor at t = .25, and is at rest again at 1.25.
BOOST_AUTO_TEST_CASE(a_block_leaves_its_floor_when_it_is_pulled)
{
  for (const int side : {0, 1}) // the floor is on the left, on the right
    for (const double interval : {.01, .0317, 3.})
      {
        const double sign   = side == 0 ? 1. : -1.;
        ExactBlocks  blocks = blocks_under([sign](double t) { return -sign * std::cos(2. * pi * t); },
                                          side == 0 ? std::vector<Block>{{0., .2, 0.}, {.2, .1, 0.}}
                                                     : std::vector<Block>{{-.3, .1, 0.}, {-.2, .2, 0.}},
                                          .5, side == 0 ? LineWalls{0., never} : LineWalls{-never, 0.}, interval);
        blocks.advance(.2);
        BOOST_TEST(blocks.kinetic_energy() == 0.);
        BOOST_TEST(blocks.wall_impulse() == sign * .3 * std::sin(.4 * pi) / (2. * pi), boost::test_tools::tolerance(1e-12));
        blocks.advance(.75);
        BOOST_TEST(blocks.blocks()[0].u == sign / pi, boost::test_tools::tolerance(1e-12));
        BOOST_TEST(blocks.work() == blocks.kinetic_energy(), boost::test_tools::tolerance(1e-12));
        blocks.advance(1.25);
        const double way = side == 0 ? blocks.blocks()[0].left : -blocks.blocks()[1].left - .2;
        BOOST_TEST(way == .5 / pi, boost::test_tools::tolerance(1e-12));
        BOOST_TEST(std::abs(blocks.blocks()[0].u) < 1e-13);
        BOOST_TEST(blocks.n_impacts() == 0u);
        BOOST_TEST(std::abs(blocks.momentum() - .3 * blocks.force_velocity() - blocks.wall_impulse()) < 1e-14);
      }
}

// A shaken box, against a force that is piecewise constant, which blocks follow exactly by themselves; and energy.
BOOST_AUTO_TEST_CASE(blocks_in_a_shaken_box_are_those_of_constant_forces)
{
  const std::vector<Block> start = {{.1, .2, .3}, {.4, .1, -.2}, {.7, .15, .5}};
  for (const double e : {0., .3, .8, 1.})
    {
      constexpr double period = .4, strength = 3.;
      const LineWalls  walls = {0., 1.};
      ExactBlocks shaken = blocks_under([](double t) { return std::fmod(t, 2. * period) < period ? strength : -strength; },
                                        start, e, walls, .025);
      std::vector<Block> blocks = start;
      double             sum    = 0.; // of the work
      for (int k = 0; k < 5; ++k)
        {
          ExactBlocks::Parameters parameters;
          parameters.restitution = e;
          parameters.force       = k % 2 == 0 ? strength : -strength;
          parameters.walls       = walls;
          ExactBlocks of_now(blocks, parameters);
          of_now.advance(period);
          const auto place = [](const std::vector<Block> &of) {
            double moment = 0.;
            for (const Block &block : of)
              moment += block.width * block.left;
            return moment;
          };
          sum += parameters.force * (place(of_now.blocks()) - place(blocks));
          blocks = of_now.blocks();
          shaken.advance((k + 1) * period);
          for (std::size_t i = 0; i < blocks.size(); ++i)
            {
              BOOST_TEST(std::abs(blocks[i].left - shaken.blocks()[i].left) < 1e-8);
              BOOST_TEST(std::abs(blocks[i].u - shaken.blocks()[i].u) < 1e-7);
            }
          BOOST_TEST(std::abs(sum - shaken.work()) < 1e-8);
        }
      if (e == 1.)
        BOOST_TEST(shaken.kinetic_energy() == .5 * (.2 * .09 + .1 * .04 + .15 * .25) + shaken.work(),
                   boost::test_tools::tolerance(1e-10));
    }
}

BOOST_AUTO_TEST_CASE(blocks_under_a_force_in_time_go_on_bit_for_bit)
{
  const auto made = [](const double interval) {
    return blocks_under([](double t) { return 5. * std::sin(7. * t); }, {{.1, .2, .3}, {.4, .1, -.2}, {.7, .15, .5}}, .6,
                        {0., 1.}, interval);
  };
  ExactBlocks whole = made(.01), second = made(.02); // a state keeps the interval that it began with
  whole.advance(.777);
  second.restore(whole.state());
  for (const double t : {.9, 1.5, 2.})
    {
      whole.advance(t);
      second.advance(t);
      BOOST_TEST((whole.state().reals == second.state().reals));
      BOOST_TEST((whole.state().integers == second.state().integers));
    }
  BOOST_TEST(whole.n_impacts() > 10u);
  convex::NamedArrays forged     = whole.state();
  forged.integers.at("walls")[0] = 3;
  BOOST_CHECK_THROW(second.restore(forged), std::logic_error);
  forged                      = whole.state();
  forged.reals.at("walls")[0] = 0.;
  BOOST_CHECK_THROW(second.restore(forged), std::logic_error);
  forged.reals.erase("walls");
  BOOST_CHECK_THROW(second.restore(forged), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
