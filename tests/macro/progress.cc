// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/face_means.h"
#include "macro/watched.h"
#include "tests/macro/cut_zones.h"

#include <boost/test/unit_test.hpp>
#include <tbb/parallel_for.h>

#include <mutex>

BOOST_AUTO_TEST_SUITE(progress)

using namespace moreau;
using namespace moreau::macro;

namespace
{
/// What is told, from any thread.
struct Listener
{
  std::mutex          mutex;
  std::vector<double> told;

  Progress progress()
  {
    return [this](const double fraction) {
      const std::lock_guard<std::mutex> lock(mutex);
      told.push_back(fraction);
    };
  }

  /// How often something new seems to begin.
  Index n_restarts() const
  {
    Index n = 0;
    for (std::size_t k = 1; k < told.size(); ++k)
      n += told[k] < told[k - 1] - .3;
    return n;
  }
};

/// The work is told in many pieces, the fractions lie in [0, 1] and come to half of it at least.
void check(const std::string &name, const Listener &listener, const Index most_restarts = 0, const std::size_t least = 2)
{
  BOOST_TEST_CONTEXT(name)
  {
    BOOST_TEST_REQUIRE(listener.told.size() >= least);
    BOOST_TEST(*std::min_element(listener.told.begin(), listener.told.end()) >= 0.);
    BOOST_TEST(*std::max_element(listener.told.begin(), listener.told.end()) <= 1.);
    BOOST_TEST(*std::max_element(listener.told.begin(), listener.told.end()) >= .5);
    BOOST_TEST(listener.n_restarts() <= most_restarts);
  }
}

Vector wave(const Vector &x)
{
  Vector U = -x;
  U(0) += std::sin(5. * x(0) + 1.) * std::cos(3. * x(x.size() - 1));
  return U;
}

/// Making the mesh, and the bound of its projection.
void check_mesh(const std::string &name, const Setting &setting, const std::size_t least = 2)
{
  Listener   of_mesh, of_bound;
  const auto mesh = discretize(setting, of_mesh.progress());
  check(name + ", mesh", of_mesh, 0, least);
  const convex::SaddlePoint x = mesh->projector("automatic", {})->project(mesh->problem());
  of_mesh.told.clear();
  const TotalBound told = mesh->total_bound(x, of_bound.progress()), untold = mesh->total_bound(x);
  check(name + ", bound", of_bound, 1, least); // the box may try a second velocity
  BOOST_TEST(told.eta == untold.eta);
  BOOST_TEST(of_mesh.told.empty()); // nobody listens any more
}

bool in_disc(const Vector &x) { return x.norm() < .45; }
} // namespace

BOOST_AUTO_TEST_CASE(parts_of_parts_are_parts_of_the_whole)
{
  Listener       listener;
  const Progress half = listener.progress().part(.5, 1.), quarter = half.part(.5, 1.);
  quarter(0.);
  quarter(1.);
  half(.2);
  BOOST_TEST(listener.told == (std::vector<double>{.75, 1., .6}), boost::test_tools::per_element());
  Progress()(.5); // nobody asks
}

BOOST_AUTO_TEST_CASE(steps_of_several_threads_are_told_a_hundred_times)
{
  for (const Index n : {1, 7, 100, 12345})
    {
      Listener listener;
      Steps    steps(listener.progress(), n);
      tbb::parallel_for(Index(0), n, [&](Index) { steps.done(); });
      BOOST_TEST(listener.told.size() >= static_cast<std::size_t>(std::min<Index>(n, 100)));
      BOOST_TEST(listener.told.size() <= 101u);
      BOOST_TEST(listener.told.back() > .98);
      BOOST_TEST(std::is_sorted(listener.told.begin(), listener.told.end()));
    }
}

// Decades from the largest error down to what is enough.
BOOST_AUTO_TEST_CASE(errors_of_a_solver_are_fractions_of_the_decades_to_go)
{
  Listener                        listener;
  const convex::StoppingCriterion criterion = watched({}, listener.progress());
  const convex::StoppingCriterion copy      = criterion;
  for (const double error : {1., 1e-2, 1e-1})
    copy.watch(error, 1e-4);
  criterion.watch(1e-4, 1e-4);
  BOOST_TEST(listener.told == (std::vector<double>{0., .5, .25, 1.}), boost::test_tools::tolerance(1e-12)
                                                                          << boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_mesh_tells_how_much_of_it_and_of_its_bound_is_done)
{
  const Setting box = unit_cube(2, field(wave), 24.), brick = unit_cube(3, field(wave), 8.);
  check_mesh("box", box, 20);
  check_mesh("brick", brick, 20);
  check_mesh("cut box", in_zone(centred(box), in_disc));
  Setting shape        = in_zone(centred(box), in_disc);
  shape.domain.density = {};
  shape.domain.level   = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &level) {
    level.row(0) = .2 - x.colwise().squaredNorm().array();
  };
  shape.domain.level_is_given = true;
  Listener of_shape, of_bound;
  {
    const auto mesh = macro::shape_discretization(shape, of_shape.progress());
    mesh->total_bound(mesh->projector("automatic", {})->project(mesh->problem()), of_bound.progress());
  }
  check("shape, mesh", of_shape);
  check("shape, bound", of_bound);
  Setting quadrilaterals             = box;
  quadrilaterals.mesh.raviart_thomas = true;
  check_mesh("quadrilaterals", quadrilaterals);

  for (const ConeType type : {ConeType::square, ConeType::triangular})
    {
      check_mesh(name(type), unit_cube(type, 0., 24., wave));
      check_mesh(name(type) + ", disc", in_zone(centred(unit_cube(type, 17., 24., wave)), in_disc));
      check_mesh(name(type) + ", box", unit_cube(type, 17., 12., wave, Alignment::box), 1); // one block of triangles
    }
  check_mesh("face-centred cubic, ball", in_zone(centred(unit_cube(ConeType::face_centred_cubic, 17., 6., wave)), in_disc),
             1);
}

BOOST_AUTO_TEST_SUITE_END()
