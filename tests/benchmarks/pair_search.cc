// SPDX-License-Identifier: GPL-3.0-or-later
// The search for pairs of spheres near each other against k-d trees: the same pairs, in how much time.
//
// Random places, so many that the spheres would cover 0.84 of the plane (0.64 of space) if they did not overlap: about as
// many pairs as in a dense packing. Radii are all 1, or between 0.1 and 1 (log-uniform). A pair is near where the distance
// is at most 1.04 times the sum of radii.
//
// A tree knows nothing of radii: each sphere asks for centres within its own
// reach plus the largest one, and what is too far is dropped.
// CGAL's Kd_tree always; nanoflann where its header is installed (libnanoflann-dev). Building the tree is included; spheres
// ask in parallel, by the same blocks as in our search, and the pairs are sorted in the end, as ours are.
#include "micro/pair_search.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <CGAL/Fuzzy_sphere.h>
#include <CGAL/Kd_tree.h>
#include <CGAL/Search_traits_2.h>
#include <CGAL/Search_traits_3.h>
#include <CGAL/Search_traits_adapter.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/property_map.h>
#if __has_include(<nanoflann.hpp>)
#  include <nanoflann.hpp>
#  define MOREAU_HAS_NANOFLANN
#endif

#include <iostream>
#include <random>
#include <type_traits>

using namespace moreau;
using namespace moreau::benchmarks;
using namespace moreau::micro;

namespace
{
/// Centres and reaches of spheres.
struct Scene
{
  Eigen::MatrixXd r;
  Vector          a;
};

Scene random_scene(const Index dim, const Index n, const bool polydisperse)
{
  std::mt19937_64 bits(1);
  const auto      uniform = [&] { return (bits() >> 11) * 0x1p-53; };
  Scene           scene;
  scene.a       = Vector::NullaryExpr(n, [&](Index) { return polydisperse ? std::pow(10., uniform() - 1.) : 1.; });
  double volume = 0.;
  for (const double R : scene.a)
    volume += volume_of_ball(R, dim);
  const double side = std::pow(volume / (dim == 2 ? .84 : .64), 1. / static_cast<double>(dim));
  scene.r           = Eigen::MatrixXd::NullaryExpr(dim, n, [&](Index, Index) { return side * uniform(); });
  scene.a *= 1.04;
  return scene;
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs by_grid(const Scene &scene)
{
  const std::vector<NearPair> found =
      PairSearch(scene.r, scene.a, PeriodicBox()).pairs([](const NearPair &) { return true; });
  Pairs pairs;
  pairs.reserve(found.size());
  for (const NearPair &pair : found)
    pairs.emplace_back(pair.i, pair.j);
  return pairs;
}

/// All pairs that `ask(i, reach, take)` finds: it calls take(j) for all centres nearer to that of i than reach.
template <class Ask>
Pairs by_tree(const Scene &scene, const Ask &ask)
{
  const Index        n       = scene.a.size();
  const double       longest = scene.a.maxCoeff();
  std::vector<Pairs> of_block((n + block - 1) / block);
  for_each_block(n, [&](const Index b, const Index first, const Index last) {
    for (Index i = first; i < last; ++i)
      ask(i, scene.a(i) + longest, [&](const Index j) {
        const double reach = scene.a(i) + scene.a(j);
        if (j > i && (scene.r.col(j) - scene.r.col(i)).squaredNorm() <= reach * reach)
          of_block[b].emplace_back(i, j);
      });
    std::sort(of_block[b].begin(), of_block[b].end());
  });
  Pairs pairs;
  for (const Pairs &found : of_block)
    pairs.insert(pairs.end(), found.begin(), found.end());
  return pairs;
}

template <int dim>
Pairs by_cgal(const Scene &scene)
{
  using Kernel = CGAL::Simple_cartesian<double>;
  using Point  = std::conditional_t<dim == 2, Kernel::Point_2, Kernel::Point_3>;
  using Known  = std::pair<Point, int>;
  using Traits = CGAL::Search_traits_adapter<
      Known, CGAL::First_of_pair_property_map<Known>,
      std::conditional_t<dim == 2, CGAL::Search_traits_2<Kernel>, CGAL::Search_traits_3<Kernel>>>;
  const auto point = [&](const Index i) {
    if constexpr (dim == 2)
      return Point(scene.r(0, i), scene.r(1, i));
    else
      return Point(scene.r(0, i), scene.r(1, i), scene.r(2, i));
  };
  std::vector<Known> points;
  for (Index i = 0; i < scene.a.size(); ++i)
    points.emplace_back(point(i), static_cast<int>(i));
  CGAL::Kd_tree<Traits> tree(points.begin(), points.end());
  tree.build();
  return by_tree(scene, [&](const Index i, const double reach, const auto &take) {
    std::vector<Known> near;
    tree.search(std::back_inserter(near), CGAL::Fuzzy_sphere<Traits>(point(i), reach));
    for (const Known &known : near)
      take(known.second);
  });
}

#ifdef MOREAU_HAS_NANOFLANN
/// The centres, as nanoflann wants to see them.
struct Cloud
{
  const Eigen::MatrixXd &r;

  std::size_t kdtree_get_point_count() const { return r.cols(); }
  double      kdtree_get_pt(const std::size_t i, const std::size_t k) const { return r(k, i); }
  template <class Box>
  bool kdtree_get_bbox(Box &) const
  {
    return false;
  }
};

template <int dim>
Pairs by_nanoflann(const Scene &scene)
{
  const Cloud                                                                                       cloud{scene.r};
  nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, dim, int> tree(dim, cloud, {10});
  tree.buildIndex();
  const nanoflann::SearchParams unsorted(32, 0.f, false);
  return by_tree(scene, [&](const Index i, const double reach, const auto &take) {
    std::vector<std::pair<int, double>> near;
    tree.radiusSearch(&scene.r(0, i), reach * reach * (1. + 1e-12), near, unsorted); // strictly nearer is what it finds
    for (const auto &[j, distance] : near)
      take(j);
  });
}
#endif

struct Timing
{
  Pairs  pairs;
  double clock = 1e300, cpu = 1e300;
};

/// The shortest of three times.
template <class Search>
Timing timing(const Search &search)
{
  Timing result;
  for (int k = 0; k < 3; ++k)
    {
      const double clock = seconds(), cpu = processor_seconds();
      result.pairs = search();
      result.clock = std::min(result.clock, seconds() - clock);
      result.cpu   = std::min(result.cpu, processor_seconds() - cpu);
    }
  return result;
}

template <int dim>
void measure(Table &table, const Index n, const bool polydisperse)
{
  const Scene       scene = random_scene(dim, n, polydisperse);
  const std::string name  = std::to_string(dim) + "D n=" + std::to_string(n) + (polydisperse ? " 1:10" : " 1:1");
  const Timing      ours  = timing([&] { return by_grid(scene); });
  const auto        add   = [&](const std::string &method, const Timing &other) {
    table.add({name, method, other.pairs.size(), other.pairs == ours.pairs ? "yes" : "NO", other.clock, other.cpu,
               other.clock / ours.clock, other.cpu / ours.cpu, machine_load()});
  };
  add("hierarchical grid", ours);
#ifdef MOREAU_HAS_NANOFLANN
  add("nanoflann", timing([&] { return by_nanoflann<dim>(scene); }));
#endif
  add("CGAL Kd_tree", timing([&] { return by_cgal<dim>(scene); }));
}

void run(const Options &options)
{
  Table table(std::cout, "Pairs of spheres near each other",
              {"case", "method", "pairs", "the same", "clock", "cpu", "/ours", "cpu/ours", "load"});
  for (double n = options.number("min-n", 1e5); n < 1.001 * options.number("max-n", 1e6); n *= 10.)
    for (const bool polydisperse : {false, true})
      {
        if (options.number("dimension", 2.) == 2.)
          measure<2>(table, std::lround(n), polydisperse);
        else
          measure<3>(table, std::lround(n), polydisperse);
      }
  write_json(options.text("json", ""), {&table});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(
      argc, argv,
      {{"min-n", "spheres of the smallest case (1e5)"}, {"max-n", "of the largest (1e6)"}, {"dimension", "2 or 3 (2)"}},
      run);
}
