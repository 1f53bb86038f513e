// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/network/coordination.h"

#include "micro/contact_constraint.h"

#include <suitesparse/SuiteSparseQR.hpp>
#include <suitesparse/cholmod.h>

#include <Eigen/Dense>

#include <algorithm>
#include <new>

namespace moreau::micro
{
namespace
{
/// Whether some normal has normal·e > 0 for all e: then nothing holds what they push away. By Gilbert's iteration for the
/// point of their convex hull that is nearest to 0, which is such a normal where it is not 0.
bool on_one_side(const std::vector<Eigen::Vector3d> &e)
{
  constexpr int    most     = 1000;
  constexpr double rounding = 1e-9;
  Eigen::Vector3d  x        = e.front();
  for (int k = 0; k < most && x.squaredNorm() > rounding; ++k)
    {
      const Eigen::Vector3d *farthest = &e.front();
      for (const Eigen::Vector3d &direction : e)
        if (direction.dot(x) < farthest->dot(x))
          farthest = &direction;
      if (farthest->dot(x) > rounding)
        return true;
      const Eigen::Vector3d step = *farthest - x;
      x += std::min(1., -x.dot(step) / step.squaredNorm()) * step;
    }
  return false;
}
} // namespace

double Coordination::mean() const
{
  return n_held == 0 ? 0. : 2. * static_cast<double>(n_contacts) / static_cast<double>(n_held);
}

double Coordination::isostatic(const Index dim) const
{
  return n_held == 0 ? 0. : 2. * static_cast<double>(dim * n_held - dim + 1) / static_cast<double>(n_held);
}

Coordination coordination(const ContactGraph &graph)
{
  const Index  n = graph.n_spheres;
  Coordination result;
  result.held.assign(n, 1);
  std::vector<std::vector<Index>> of(n);
  for (Index c = 0; c < graph.n_contacts(); ++c)
    {
      of[graph.contacts[c].i].push_back(c);
      if (!graph.touches_wall(graph.contacts[c]))
        of[graph.contacts[c].j].push_back(c);
    }
  const auto counts = [&](const Contact &c) { return result.held[c.i] && (graph.touches_wall(c) || result.held[c.j]); };
  std::vector<Index> to_look_at(n);
  for (Index i = 0; i < n; ++i)
    to_look_at[i] = i;
  std::vector<Eigen::Vector3d> e;
  while (!to_look_at.empty())
    {
      const Index i = to_look_at.back();
      to_look_at.pop_back();
      if (!result.held[i])
        continue;
      e.clear();
      for (const Index c : of[i])
        if (counts(graph.contacts[c]))
          e.push_back(graph.contacts[c].i == i ? graph.contacts[c].e : Eigen::Vector3d(-graph.contacts[c].e));
      if (static_cast<Index>(e.size()) > graph.dim && !on_one_side(e))
        continue;
      result.held[i] = 0;
      for (const Index c : of[i])
        if (const Contact &contact = graph.contacts[c]; !graph.touches_wall(contact))
          to_look_at.push_back(contact.i == i ? contact.j : contact.i);
    }
  for (const char held : result.held)
    result.n_held += held;
  for (const Contact &contact : graph.contacts)
    result.n_contacts += counts(contact);
  return result;
}

Eigen::MatrixXd fabric(const ContactGraph &graph)
{
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(graph.dim, graph.dim);
  for (const Contact &c : graph.contacts)
    sum += c.e.head(graph.dim) * c.e.head(graph.dim).transpose();
  return graph.n_contacts() == 0 ? sum : Eigen::MatrixXd(sum / static_cast<double>(graph.n_contacts()));
}

Index n_self_stresses(const ContactGraph &graph)
{
  if (graph.n_contacts() == 0)
    return 0;
  const ContactConstraint                          B(graph);
  Eigen::SparseMatrix<double, 0, SuiteSparse_long> Bt(B.matrix().transpose());
  Bt.makeCompressed();

  cholmod_common common;
  cholmod_l_start(&common);
  cholmod_sparse A{};
  A.nrow   = Bt.rows();
  A.ncol   = Bt.cols();
  A.nzmax  = Bt.nonZeros();
  A.p      = Bt.outerIndexPtr();
  A.i      = Bt.innerIndexPtr();
  A.x      = Bt.valuePtr();
  A.itype  = CHOLMOD_LONG;
  A.xtype  = CHOLMOD_REAL;
  A.dtype  = CHOLMOD_DOUBLE;
  A.sorted = 1;
  A.packed = 1;

  constexpr double  dependent = 1e-9;
  cholmod_sparse   *R         = nullptr;
  SuiteSparse_long *E         = nullptr;
  const auto        rank      = SuiteSparseQR<double>(SPQR_ORDERING_DEFAULT, dependent, 0, &A, &R, &E, &common);
  const bool        done      = common.status == CHOLMOD_OK;
  cholmod_l_free_sparse(&R, &common);
  cholmod_l_free(A.ncol, sizeof(SuiteSparse_long), E, &common);
  cholmod_l_finish(&common);
  if (!done)
    throw std::bad_alloc();
  return graph.n_contacts() - static_cast<Index>(rank);
}
} // namespace moreau::micro
