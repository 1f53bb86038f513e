// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/factorisation/cholmod_analysis.h"

#include <csignal>

namespace moreau::convex
{
namespace
{
/// METIS answers SIGTERM by a long jump out of whatever it is doing, with
/// locks held: the signal is held back until METIS is through.
/// Other threads must not take the signal meanwhile; the program keeps it from them.
class WithoutTermination
{
public:
  WithoutTermination()
  {
    sigset_t termination;
    sigemptyset(&termination);
    sigaddset(&termination, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &termination, &before);
  }
  ~WithoutTermination() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  WithoutTermination(const WithoutTermination &) = delete;

private:
  sigset_t before;
};

/// METIS nested dissection of the nodes, expanded to their entries: dissecting dim³ fewer edges than the scalar graph has.
std::vector<int> nested_dissection(const BlockPattern &pattern, Cholmod &cholmod)
{
  cholmod_sparse graph{};
  graph.nrow = graph.ncol = pattern.n_nodes();
  graph.nzmax             = pattern.row.size();
  graph.p                 = const_cast<int *>(pattern.column_start.data());
  graph.i                 = const_cast<int *>(pattern.row.data());
  graph.stype             = -1;
  graph.itype             = CHOLMOD_INT;
  graph.xtype             = CHOLMOD_PATTERN;
  graph.dtype             = CHOLMOD_DOUBLE;
  graph.sorted = graph.packed = 1;

  std::vector<int> of_nodes(pattern.n_nodes()), of_entries;
  {
    const WithoutTermination held_back;
    cholmod_metis(&graph, nullptr, 0, 0, of_nodes.data(), &cholmod.common);
  }
  cholmod.check();
  of_entries.reserve(pattern.n_rows());
  for (const int node : of_nodes)
    for (int a = 0; a < pattern.dim; ++a)
      of_entries.push_back(pattern.dim * node + a);
  return of_entries;
}

} // namespace

cholmod_factor *analyse(const BlockPattern &pattern, LowerTriangle &lower, Cholmod &cholmod)
{
  std::vector<int> permutation = nested_dissection(pattern, cholmod);
  cholmod_sparse   A           = lower.view(nullptr);
  cholmod_factor  *L           = cholmod_analyze_p(&A, permutation.data(), nullptr, 0, &cholmod.common);
  cholmod.check();
  return L;
}

Elimination elimination(const BlockPattern &pattern, LowerTriangle &lower)
{
  Cholmod cholmod;
  cholmod.common.supernodal    = CHOLMOD_SIMPLICIAL; // counts columns, and stores none
  std::vector<int> permutation = nested_dissection(pattern, cholmod);
  cholmod_sparse   A           = lower.view(nullptr);
  cholmod_factor  *L           = cholmod_analyze_p(&A, permutation.data(), nullptr, 0, &cholmod.common);
  cholmod.check();
  const auto *const order = static_cast<const int *>(L->Perm);
  Elimination       result{{order, order + L->n}, cholmod.common.lnz};
  cholmod_free_factor(&L, &cholmod.common);
  return result;
}
} // namespace moreau::convex
