// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/elimination_tree.h"

#include "convex/factorisation/normal_matrix.h"
#include "tests/oracles.h"

#include <boost/test/unit_test.hpp>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>

BOOST_AUTO_TEST_SUITE(elimination_tree)

using namespace moreau;
using namespace moreau::convex;

namespace
{
/// Parents of a forest in postorder, made of random subtrees of at most n fronts.
std::vector<int> random_forest(const int n_trees, const int n, oracles::Random &random)
{
  std::vector<int>        parent;
  std::function<int(int)> add = [&](const int size) { // returns the root
    std::vector<int> children;
    for (int left = size - 1; left > 0;)
      {
        const int of_child = 1 + static_cast<int>(random.below(left));
        children.push_back(add(of_child));
        left -= of_child;
      }
    const int root = static_cast<int>(parent.size());
    parent.push_back(-1);
    for (const int child : children)
      parent[child] = root;
    return root;
  };
  for (int k = 0; k < n_trees; ++k)
    add(1 + static_cast<int>(random.below(n)));
  return parent;
}

/// Every part once, children first or parents first.
void check_orders(const EliminationTree &tree, const std::vector<int> &parent)
{
  const int                     n = static_cast<int>(parent.size());
  std::vector<std::atomic<int>> done(n);
  std::atomic<int>              n_early{0};
  const auto                    mark = [&](const int part) {
    for (int s = tree.parts()[part].begin; s < tree.parts()[part].end; ++s)
      ++done[s];
  };
  const auto all_done = [&] { return std::all_of(done.begin(), done.end(), [](const auto &times) { return times == 1; }); };
  tree.from_leaves([&](const int part) {
    for (int s = 0; s < n; ++s)
      if (parent[s] >= 0 && tree.part_of(parent[s]) == part && tree.part_of(s) != part)
        n_early += done[s] != 1;
    mark(part);
  });
  BOOST_TEST(all_done());
  for (auto &times : done)
    times = 0;
  tree.from_roots([&](const int part) {
    for (int s = tree.parts()[part].begin; s < tree.parts()[part].end; ++s)
      if (tree.is_handed_on(s))
        n_early += done[parent[s]] != 1;
    mark(part);
  });
  BOOST_TEST(all_done());
  BOOST_TEST(n_early == 0);
}
} // namespace

BOOST_AUTO_TEST_CASE(parts_are_done_once_each_after_those_that_it_waits_for)
{
  oracles::Random random(5);
  for (const int n_trees : {1, 3, 200})
    for (const int n : {1, 30, 400})
      for (const double mean_work : {1e3, 1e5, 1e7})
        {
          const std::vector<int> parent = random_forest(n_trees, n, random);
          std::vector<double>    work;
          for (std::size_t s = 0; s < parent.size(); ++s)
            work.push_back(2. * mean_work * random.uniform());
          const EliminationTree tree(parent, work);
          const double          total = std::accumulate(work.begin(), work.end(), 0.);
          if (total < 1e7)
            BOOST_TEST(tree.parts().size() == 1u);
          else if (total > 1e8)
            for (const EliminationTree::Part &part : tree.parts()) // no part of several fronts has much of the work
              if (part.end - part.begin > 1)
                BOOST_TEST(std::accumulate(work.begin() + part.begin, work.begin() + part.end, 0.) <=
                           2. * std::max(total / 64., 1e6) * (1. + 1e-12));
          check_orders(tree, parent);
        }
}

BOOST_AUTO_TEST_CASE(a_long_chain_of_fronts_needs_no_deep_stack)
{
  std::vector<int> parent(200000);
  for (std::size_t s = 0; s < parent.size(); ++s)
    parent[s] = s + 1 < parent.size() ? static_cast<int>(s) + 1 : -1;
  const EliminationTree tree(parent, std::vector<double>(parent.size(), 1e6));
  int                   last = -1;
  tree.from_leaves([&](const int part) { last = tree.parts()[part].end; });
  BOOST_TEST(last == static_cast<int>(parent.size()));
}

BOOST_AUTO_TEST_CASE(what_a_part_throws_is_thrown)
{
  oracles::Random        random(1);
  const std::vector<int> parent = random_forest(1, 400, random);
  const EliminationTree  tree(parent, std::vector<double>(parent.size(), 1e7));
  BOOST_CHECK_THROW(tree.from_leaves([](const int part) {
    if (part == 1)
      throw std::bad_alloc();
  }),
                    std::bad_alloc);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_no_postorder_are_refused)
{
  for (const std::vector<int> &parent : {std::vector<int>{2, 3, 4, 4, -1}, std::vector<int>{1, 0}, std::vector<int>{5, -1}})
    BOOST_CHECK_THROW(EliminationTree(parent, std::vector<double>(parent.size(), 1.)), std::invalid_argument);
}

// A factor of so many fronts is made by threads: every digit is that of one thread, and it is a factor.
BOOST_AUTO_TEST_CASE(factors_of_large_networks_do_not_depend_on_the_number_of_threads)
{
  const oracles::Network  network = oracles::lattice_patch(150, 150, true, .05);
  oracles::Random         random(2);
  const Index             d = network.dim(), n = network.size();
  const Vector            ones    = Vector::Ones(d * n);
  const ProjectionProblem problem = oracles::network_problem(network, Vector::Ones(n), Vector::Zero(d * n));
  const auto             &B       = dynamic_cast<const PairConstraint &>(*problem.B);
  const auto              H       = make_normal_matrix(B, ones);
  Vector                  w(B.n_constraints());
  for (double &weight : w)
    weight = std::pow(10., 8. * (random.uniform() - .5));
  H->assemble(w);
  const Vector f = random.normals(d * n);

  for (const CholeskyBackend backend : {CholeskyBackend::multifrontal, CholeskyBackend::multifrontal_single})
    {
      Vector first;
      for (const std::size_t n_threads : {1, 2, 5})
        {
          const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, n_threads);
          const auto                cholesky = make_sparse_cholesky(H->pattern(), backend);
          for (int turn = 0; turn < 2; ++turn)
            {
              // one that cannot be factorised leaves nothing behind: its last pivot is of the largest part
              Vector wrong                                                        = H->values();
              wrong(d * d * H->pattern().column_start[turn == 0 ? n / 2 : n - 1]) = -1.;
              BOOST_TEST(!cholesky->factorize(wrong));
              BOOST_TEST_REQUIRE(cholesky->factorize(H->values()));
              Vector x = f;
              cholesky->solve(x);
              if (first.size() == 0)
                first = x;
              BOOST_TEST((x.array() == first.array()).all());
            }
        }
      Vector Bx, BtWBx;
      B.apply(first, Bx);
      B.apply_transpose(w.cwiseProduct(Bx), BtWBx);
      const double rounding = backend == CholeskyBackend::multifrontal ? 1e-14 : 1e-6;
      BOOST_TEST((first + BtWBx - f).norm() < rounding * w.maxCoeff() * first.norm());
    }
}

BOOST_AUTO_TEST_SUITE_END()
