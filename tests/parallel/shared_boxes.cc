// SPDX-License-Identifier: GPL-3.0-or-later
// Under mpirun: impacts in periodic boxes, whose contacts lead across the sides, have the digits of one process, too.
#include "shared_scene.h"

#include <functional>
#include <set>

BOOST_AUTO_TEST_SUITE(shared_boxes)

using namespace moreau;
using namespace moreau::parallel;

namespace
{
/// A scene in a box that repeats itself along these axes; n is even.
Scene in_box(Scene given, const int n, const std::set<int> &axes, const Eigen::MatrixXd &D = {})
{
  const Index dim   = given.spheres.dimension();
  given.box         = {Vector::Constant(dim, -.25), Vector::Zero(dim)};
  const Vector size = dim == 2 ? Vector(Eigen::Vector2d(2. * n, std::sqrt(.75) * n)) : Vector(Eigen::Vector3d(2. * n, n, n));
  for (const int axis : axes)
    given.box.period(axis) = size(axis);
  for (Index k = 0; k < given.spheres.size(); ++k)
    given.box.wrap(&given.spheres.r(0, k));
  given.D = D;
  if (D.size() > 0)
    given.U += (D * given.spheres.r).reshaped();
  return given;
}

/// Sites of a square or cubic lattice that are kept, n in each direction, in a box that repeats itself everywhere.
Scene sites(const Index dim, const int n, const std::function<bool(const std::array<int, 3> &)> &keeps)
{
  std::mt19937_64     bits(11);
  std::vector<Vector> kept;
  for (int z = 0; z < (dim == 3 ? n : 1); ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        if (keeps({x, y, z}))
          {
            Vector site(dim);
            for (Index a = 0; a < dim; ++a)
              site(a) = std::array<int, 3>{x, y, z}[a] + .01 * static_cast<double>(bits() >> 11) * 0x1p-53;
            kept.push_back(site);
          }
  std::shuffle(kept.begin(), kept.end(), bits);
  const Index size = static_cast<Index>(kept.size());
  Scene       result{{Eigen::MatrixXd(dim, size), Vector::Constant(size, .5), Vector::Ones(size)},
               Vector::Zero(dim * size),
               {},
               {Vector::Zero(dim), Vector::Constant(dim, n)}};
  for (Index k = 0; k < size; ++k)
    result.spheres.r.col(k) = kept[k];
  return result;
}

Vector whole_expansion(const SharedImpact &shared, const Index dim, const Processes &processes)
{
  return on_first(processes, shared.given_nodes(shared.problem.expansion.w, dim));
}

/// The field that opens contacts has the bits of one process, and is that of the serial program.
void compare_expansions(const Scene &scene)
{
  const Processes world(MPI_COMM_WORLD);
  const Index     dim  = scene.spheres.dimension();
  const auto      many = shared(scene, world, 32);
  BOOST_TEST_REQUIRE(many.has_value());
  const Vector w = whole_expansion(*many, dim, world);
  if (world.rank() > 0)
    return;
  const auto   alone  = shared(scene, Processes::alone(), 32);
  const Vector of_one = whole_expansion(*alone, dim, Processes::alone());
  BOOST_TEST(same(w, of_one));
  const convex::Expansion serial =
      micro::expansion(scene.spheres, scene.walls, micro::contact_graph(scene.spheres, scene.walls, tolerance, scene.box));
  BOOST_TEST(alone->problem.expansion.n_parts == serial.n_parts);
  BOOST_TEST(convex::max_abs(Vector(w - serial.w)) < 1e-12 * scene.box.period.maxCoeff());
}
} // namespace

BOOST_AUTO_TEST_CASE(discs_across_the_sides_have_the_digits_of_one_process)
{
  compare(in_box(scene(2, 24), 24, {0, 1}), 0., "automatic", 64);
  compare(in_box(scene(2, 24, false, .45), 24, {0, 1}), .5, "automatic", 50);
  compare(in_box(scene(2, 24, false, .45), 24, {1}), 0., "automatic", 50, Given::by_first);
}

BOOST_AUTO_TEST_CASE(boxes_that_change_their_shape_too)
{
  const Eigen::MatrixXd D = (Eigen::MatrixXd(2, 2) << -.01, .02, .03, .01).finished();
  compare(in_box(scene(2, 24, false, .45), 24, {0, 1}, D), 0., "automatic", 50);
  compare(in_box(scene(2, 24, false, .45), 24, {0, 1}, D), .5, "projected gradient", 50);
}

BOOST_AUTO_TEST_CASE(walls_and_a_period)
{
  Scene discs = in_box(scene(2, 24, false, .4), 24, {0});
  discs.walls = micro::box_walls(Vector::Constant(2, -.5), Vector::Constant(2, 72.), {"bottom"});
  compare(discs, .3, "automatic", 50);
}

BOOST_AUTO_TEST_CASE(balls_in_boxes)
{
  const Eigen::MatrixXd D = (Eigen::MatrixXd(3, 3) << -.01, .02, .03, .01, 0., .02, .04, -.02, .01).finished();
  compare(in_box(scene(3, 8, false, .5), 8, {0, 1, 2}, D), .3, "automatic", 64);
}

BOOST_AUTO_TEST_CASE(clusters_are_laid_out_across_the_sides)
{
  compare_expansions(in_box(scene(2, 24, false, .5), 24, {0, 1}));
}

BOOST_AUTO_TEST_CASE(clusters_without_ends_open_across_these_directions)
{
  compare_expansions(sites(2, 24, [](const auto &) { return true; }));
  compare_expansions(sites(2, 24, [](const auto &x) { return x[1] % 8 < 3; }));
  compare_expansions(sites(2, 24, [](const auto &x) { return (24 + x[1] - x[0]) % 8 < 3; }));
  compare_expansions(
      sites(2, 24, [](const auto &x) { return (24 + 2 * x[1] - x[0]) % 12 < 4; })); // closes after two periods
  compare_expansions(sites(3, 12, [](const auto &x) { return x[0] % 4 < 2 && x[1] % 3 == 0; }));
  compare_expansions(sites(3, 12, [](const auto &x) { return (x[0] + x[1] + x[2]) % 6 < 2; }));
  compare_expansions(sites(3, 12, [](const auto &x) { return (x[0] + 2 * x[1] + 2 * x[2]) % 12 < 4; }));
}

BOOST_AUTO_TEST_CASE(second_ends_are_those_of_images)
{
  const Processes world(MPI_COMM_WORLD);
  const Scene     discs = in_box(scene(2, 20), 20, {0, 1});
  auto            parts = shared(discs, world, 64);
  BOOST_TEST_REQUIRE(parts.has_value());
  const GivenContacts found    = parts->given_contacts();
  Index               n_across = 0;
  for (Index c = 0; c < found.graph.n_contacts(); ++c)
    {
      const micro::Contact &contact = found.graph.contacts[c];
      const Vector          end     = discs.spheres.r.col(contact.j) + found.graph.displacement(contact);
      BOOST_TEST((found.r_j.col(c) - end).norm() < 1e-13);
      n_across += contact.image != 0;
    }
  BOOST_TEST(world.sum(n_across) > 0);
}

BOOST_AUTO_TEST_CASE(a_box_hardly_longer_than_two_discs_is_left_to_one_process)
{
  const Processes world(MPI_COMM_WORLD);
  Scene           column = sites(2, 24, [](const auto &x) { return x[0] < 2; });
  column.box.period(0)   = 2.;
  BOOST_TEST(!shared(column, world, 8));
  column.box.period(0) = 2.2;
  BOOST_TEST(shared(column, world, 8).has_value());
}

BOOST_AUTO_TEST_CASE(spheres_outside_of_the_box_are_a_mistake)
{
  const Processes world(MPI_COMM_WORLD);
  Scene           discs = in_box(scene(2, 20), 20, {0});
  discs.spheres.r(0, 3) += discs.box.period(0);
  if (world.size() == 1)
    BOOST_CHECK_THROW(shared(discs, world, 64), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
