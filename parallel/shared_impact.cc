// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_impact.h"

#include "convex/input_error.h"
#include "micro/contact_constraint.h"
#include "parallel/cluster_expansion.h"
#include "parallel/node_sharing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace moreau::parallel
{
namespace
{
/// What all know before anything is shared.
struct Terms
{
  micro::ContactRange range;
  double              smallest_range = 0.; ///< of the smallest sphere
  bool                is_shared      = false;
};

void require_finite(const Vector &U, const Index dim)
{
  for (Index k = 0; k < U.size(); ++k)
    if (!std::isfinite(U(k)))
      throw InputError("the velocity", "The velocity of sphere " + std::to_string(k / dim) +
                                           " (numbered from 0) is not finite; correct the expression or the file.");
}

/// Whether there are no more directions than a lattice has.
bool is_lattice(const std::vector<micro::Contact> &contacts, const Processes &processes)
{
  const std::vector<Eigen::Vector3d> here = micro::distinct_directions(contacts);
  if (processes.max(here.size() > micro::most_common_directions ? 1. : 0.) > 0.)
    return false;
  List own;
  for (const Eigen::Vector3d &e : here)
    own.insert(own.end(), e.begin(), e.end());
  const List                  all = on_all(processes, own);
  std::vector<micro::Contact> one_each(all.size() / 3);
  for (std::size_t k = 0; k < one_each.size(); ++k)
    one_each[k].e = Eigen::Map<const Eigen::Vector3d>(all.data() + 3 * k);
  return micro::distinct_directions(one_each).size() <= micro::most_common_directions;
}

/// Leaves out what touches no own sphere: contacts, then spheres. Numbers of contacts are those of what is left.
void keep_own(SharedSpheres &shared, std::vector<micro::Contact> &contacts)
{
  const Index n = static_cast<Index>(shared.number.size()), last_own = shared.first_own + shared.n_own;
  const auto  is_own = [&](const Index k) { return shared.first_own <= k && k < last_own; };
  contacts.erase(std::remove_if(contacts.begin(), contacts.end(),
                                [&](const micro::Contact &c) { return !is_own(c.i) && !is_own(c.j); }),
                 contacts.end());
  std::vector<char> is_kept(n, 0);
  std::fill(is_kept.begin() + shared.first_own, is_kept.begin() + last_own, 1);
  for (const micro::Contact &c : contacts)
    {
      is_kept[c.i] = 1;
      if (c.j < n)
        is_kept[c.j] = 1;
    }
  std::vector<Index> kept;
  std::vector<int>   place(n);
  for (Index k = 0; k < n; ++k)
    {
      place[k] = static_cast<int>(kept.size());
      if (is_kept[k])
        kept.push_back(k);
    }
  const int n_kept = static_cast<int>(kept.size());
  for (micro::Contact &c : contacts)
    {
      c.i = place[c.i];
      c.j = c.j < n ? place[c.j] : static_cast<int>(c.j - n) + n_kept;
    }
  if (n > 0) // a process without spheres has nothing
    shared.first_own = place[shared.first_own];
  shared.spheres = {shared.spheres.r(Eigen::all, kept), shared.spheres.R(kept), shared.spheres.m(kept)};
  std::vector<Index> number;
  for (const Index k : kept)
    number.push_back(shared.number[k]);
  shared.number = std::move(number);
}

convex::NetworkPart part_of_network(const SharedSpheres &shared, const std::vector<micro::Contact> &contacts,
                                    const Processes &processes)
{
  const Index         n = static_cast<Index>(shared.number.size()), dim = shared.spheres.dimension();
  convex::NetworkPart part;
  part.dim       = dim;
  part.number    = shared.number;
  part.first_own = shared.first_own;
  part.n_own     = shared.n_own;
  part.n_nodes   = shared.blocks.n;
  part.masses    = shared.spheres.m;
  for (Index k = 0; k < n; ++k)
    if (k == 0 || shared.number[k] / shared.blocks.size != shared.number[k - 1] / shared.blocks.size)
      {
        if (k == shared.first_own)
          part.first_own_block = static_cast<int>(part.block_begin.size());
        if (k >= shared.first_own && k < shared.first_own + shared.n_own)
          ++part.n_own_blocks;
        part.block_begin.push_back(k);
      }
  part.block_begin.push_back(n);

  part.directions.resize(dim, static_cast<Index>(contacts.size()));
  Index n_own_rows = 0;
  for (const micro::Contact &contact : contacts)
    {
      part.directions.col(static_cast<Index>(part.pairs.size())) = contact.e.head(dim);
      part.pairs.push_back({contact.i, contact.j < n ? contact.j : convex::PairConstraint::fixed_body});
      n_own_rows += contact.i >= shared.first_own;
    }
  part.n_rows = processes.sum(n_own_rows);
  return part;
}

/// The numbers of the spheres here that others own.
std::vector<Index> ghosts_of(const SharedSpheres &shared)
{
  std::vector<Index> ghosts(shared.number.begin(), shared.number.begin() + shared.first_own);
  ghosts.insert(ghosts.end(), shared.number.begin() + shared.first_own + shared.n_own, shared.number.end());
  return ghosts;
}
} // namespace

std::optional<SharedImpact> share_impact(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls,
                                         const Vector &U, const SharingOptions &options, const Processes &processes)
{
  Terms terms;
  by_first(processes, [&] {
    require_finite(U, spheres.dimension());
    terms.range          = micro::contact_range(spheres, walls, options.contact_tolerance);
    terms.smallest_range = terms.range(spheres.size() > 0 ? spheres.R.minCoeff() : 0.);
    terms.is_shared      = Blocks{spheres.size(), options.block_size}.count() >= options.fewest_blocks;
  });
  from_first(processes, &terms, sizeof terms);
  if (!terms.is_shared)
    return std::nullopt;

  std::optional<SharedImpact> result(std::in_place);
  SharedSpheres              &shared = result->shared;
  shared                             = share(spheres, U, terms.range, options.block_size, processes);
  micro::PartOfContacts found        = micro::part_of_contacts(shared.spheres, walls, terms.range);
  keep_own(shared, found.contacts);
  result->processes    = processes;
  result->smallest_gap = -processes.max(-found.smallest_gap);
  result->contacts     = std::move(found.contacts);
  if (processes.max(found.overlaps ? 1. : 0.) > 0. || processes.max(result->contacts.empty() ? 0. : 1.) == 0. ||
      result->smallest_gap > terms.smallest_range || is_lattice(result->contacts, processes))
    return std::nullopt;

  const Index         n = static_cast<Index>(shared.number.size()), dim = shared.spheres.dimension();
  convex::NetworkPart part = part_of_network(shared, result->contacts, processes);
  const auto sharing       = node_sharing(processes, shared.blocks.n, shared.n_own > 0 ? shared.number[shared.first_own] : 0,
                                          shared.n_own, part.n_own_blocks, ghosts_of(shared));
  const auto network       = std::make_shared<convex::SharedNetwork>(std::move(part), sharing);

  convex::ProjectionProblem &problem = result->problem;
  problem.V                          = std::make_shared<convex::SharedSpace>(network);
  problem.B                          = network;
  problem.U                          = std::move(shared.U);
  problem.b                          = micro::approach_velocity_of_walls({dim, n, result->contacts, 0.}, walls);
  if (processes.max(convex::max_abs(problem.b)) == 0.)
    problem.b.resize(0);
  const micro::Spheres own = {shared.spheres.r.middleCols(shared.first_own, shared.n_own),
                              shared.spheres.R.segment(shared.first_own, shared.n_own),
                              shared.spheres.m.segment(shared.first_own, shared.n_own)};
  problem.expansion        = cluster_expansion(*network, own, result->contacts, walls, processes);
  shared.spheres           = {};
  return result;
}

Index SharedImpact::n_ghosts() const { return processes.sum(static_cast<Index>(shared.number.size()) - shared.n_own); }

micro::ContactGraph SharedImpact::whole_graph() const
{
  const Index n = static_cast<Index>(shared.number.size()), dim = network().here().dim;
  List        own;
  for (const micro::Contact &c : contacts)
    if (c.i >= shared.first_own)
      {
        own.push_back(static_cast<double>(shared.number[c.i]));
        own.push_back(static_cast<double>(c.j < n ? shared.number[c.j] : shared.blocks.n + (c.j - n)));
        own.push_back(c.D);
        own.insert(own.end(), c.e.begin(), c.e.end());
      }
  const List          all = on_first(processes, own);
  micro::ContactGraph graph{dim, shared.blocks.n, {}, smallest_gap};
  if (processes.rank() != 0)
    return graph;
  std::vector<micro::Contact> rows;
  for (std::size_t at = 0; at < all.size(); at += 6)
    {
      const Index    i = static_cast<Index>(all[at]), j = static_cast<Index>(all[at + 1]);
      micro::Contact c{static_cast<int>(shared.order[i]), static_cast<int>(j < shared.blocks.n ? shared.order[j] : j),
                       all[at + 2], Eigen::Map<const Eigen::Vector3d>(all.data() + at + 3)};
      if (c.i > c.j)
        {
          std::swap(c.i, c.j);
          c.e = Eigen::Vector3d::Zero() - c.e; // no negative zeros
        }
      rows.push_back(c);
    }
  row_of_file.resize(rows.size());
  std::iota(row_of_file.begin(), row_of_file.end(), 0);
  std::sort(row_of_file.begin(), row_of_file.end(), [&](const Index a, const Index b) {
    return rows[a].i != rows[b].i ? rows[a].i < rows[b].i : rows[a].j < rows[b].j;
  });
  for (const Index row : row_of_file)
    graph.contacts.push_back(rows[row]);
  return graph;
}

convex::Impact SharedImpact::whole(const convex::Impact &impact) const
{
  const Index dim             = network().here().dim;
  const auto  spheres_of_file = [&](const Vector &own) {
    const Vector all = network().whole_nodes(own);
    Vector       result(all.size());
    for (std::size_t k = 0; k < shared.order.size(); ++k)
      result.segment(dim * shared.order[k], dim) = all.segment(dim * static_cast<Index>(k), dim);
    return result;
  };
  const auto contacts_of_file = [&](const Vector &here) {
    const Vector all = network().whole_rows(here);
    Vector       result(all.size());
    for (Index c = 0; c < all.size(); ++c)
      result(c) = all(row_of_file[c]);
    return result;
  };
  convex::Impact result = impact;
  result.u_plus         = spheres_of_file(impact.u_plus);
  result.projection.u   = spheres_of_file(impact.projection.u);
  result.projection.p   = contacts_of_file(impact.projection.p);
  result.impulse        = contacts_of_file(impact.impulse);
  return result;
}
} // namespace moreau::parallel
