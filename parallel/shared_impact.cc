// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/shared_impact.h"

#include "convex/input_error.h"
#include "micro/contact_constraint.h"
#include "parallel/cluster_expansion.h"
#include "parallel/node_sharing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace moreau::parallel
{
namespace
{
void require_finite(const Vector &U, const Index dim, const Index first)
{
  for (Index k = 0; k < U.size(); ++k)
    if (!std::isfinite(U(k)))
      throw InputError("the velocity", "The velocity of sphere " + std::to_string(first + k / dim) +
                                           " (numbered from 0) is not finite; correct the expression or the file.");
}

/// What a contact of all spheres is, and of the smallest one: as one sphere sees it that has the largest coordinate and the
/// smallest radius.
std::pair<micro::ContactRange, double> range_of_all(const micro::Spheres &given, const std::vector<micro::Wall> &walls,
                                                    const double tolerance, const Processes &processes)
{
  const Index    dim     = given.dimension();
  const bool     has_any = given.size() > 0;
  const double   largest = processes.max(has_any ? std::max(given.R.maxCoeff(), given.r.cwiseAbs().maxCoeff()) : 0.);
  const double   R_min   = -processes.max(has_any ? -given.R.minCoeff() : -std::numeric_limits<double>::infinity());
  micro::Spheres extreme{Eigen::MatrixXd::Zero(dim, 1), Vector::Constant(1, R_min), Vector::Ones(1)};
  extreme.r(0, 0)                 = largest;
  const micro::ContactRange range = micro::contact_range(extreme, walls, tolerance);
  return {range, range(R_min)};
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
  shared.spheres     = {shared.spheres.r(Eigen::all, kept), shared.spheres.R(kept), shared.spheres.m(kept)};
  const auto of_kept = [&](std::vector<Index> &list) {
    std::vector<Index> some;
    some.reserve(kept.size());
    for (const Index k : kept)
      some.push_back(list[k]);
    list = std::move(some);
  };
  of_kept(shared.number);
  of_kept(shared.place);
}

/// Those of all spheres here, looked for in the order of places: an image of the one that was given later is seen from the
/// other, as on one process, so that gaps and directions are rounded alike.
micro::PartOfContacts contacts_in_box(const SharedSpheres &shared, const std::vector<micro::Wall> &walls,
                                      const micro::ContactRange &range, const micro::PeriodicBox &box)
{
  const int        n = static_cast<int>(shared.number.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](const int a, const int b) { return shared.place[a] < shared.place[b]; });
  const micro::Spheres &here = shared.spheres;
  micro::PartOfContacts found =
      micro::part_of_contacts({here.r(Eigen::all, order), here.R(order), here.m(order)}, walls, range, box);
  for (micro::Contact &c : found.contacts)
    {
      c.i = order[c.i];
      if (c.j >= n)
        continue;
      c.j = order[c.j];
      if (c.i > c.j)
        {
          std::swap(c.i, c.j);
          c.e     = Eigen::Vector3d::Zero() - c.e; // no negative zeros
          c.image = micro::PeriodicBox::opposite(c.image);
        }
    }
  std::sort(found.contacts.begin(), found.contacts.end(),
            [](const micro::Contact &a, const micro::Contact &b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
  return found;
}

/// Makes the directions of a lattice equal, on all processes.
void snap_lattice(const SharedSpheres &shared, std::vector<micro::Contact> &contacts, const Processes &processes)
{
  // what each block sees first, so that it does not depend on the processes
  List       seen;
  const auto behind = [](const micro::Contact &contact, const Index node) { return contact.i < node; };
  for (Index block = 0; block * shared.blocks.size < shared.n_own; ++block)
    {
      const auto row_of = [&](const Index k) {
        const Index node = shared.first_own + std::min(k * shared.blocks.size, shared.n_own);
        return static_cast<std::size_t>(std::lower_bound(contacts.begin(), contacts.end(), node, behind) - contacts.begin());
      };
      for (const Eigen::Vector3d &e : micro::distinct_directions(contacts, row_of(block), row_of(block + 1)))
        seen.insert(seen.end(), e.begin(), e.end());
    }
  seen = on_all(processes, seen);
  std::vector<Eigen::Vector3d> all;
  for (std::size_t at = 0; at < seen.size(); at += 3)
    all.emplace_back(Eigen::Map<const Eigen::Vector3d>(seen.data() + at));
  micro::snap_directions(contacts, all);
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

/// Of own spheres, with those of the others here.
Vector with_ghosts(const Vector &own, const convex::NetworkPart &part, const convex::Sharing &sharing)
{
  const auto transfer = sharing.transfer(/*dim=*/1);
  List       values;
  for (const Index k : sharing.sent())
    values.push_back(own(k));
  transfer->start(values);
  const List   &received = transfer->finish();
  Vector        all(static_cast<Index>(part.number.size()));
  const double *ghost = received.data();
  for (Index k = 0; k < all.size(); ++k)
    all(k) = part.first_own <= k && k < part.first_own + part.n_own ? own(k - part.first_own) : *ghost++;
  return all;
}

/// Where the spheres here belong that other processes gave.
Route back_to_givers(const SharedSpheres &shared, const Processes &processes)
{
  std::vector<std::vector<Index>> sent(processes.size());
  std::vector<List>               places(processes.size());
  for (Index k = 0; k < shared.n_own; ++k)
    {
      const Index       place = shared.place[shared.first_own + k];
      const std::size_t rank  = shared.giver(place);
      sent[rank].push_back(k);
      places[rank].push_back(static_cast<double>(place - shared.given_begin[rank]));
    }
  const List arrived = exchanged(processes, places);
  Route      route(processes, std::move(sent));
  route.arrive_at({arrived.begin(), arrived.end()});
  return route;
}
} // namespace

std::optional<SharedImpact> share_impact(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls,
                                         const Vector &U, const SharingOptions &options, const Processes &processes)
{
  const std::vector<Index> given_begin = places_of_processes(spheres.size(), processes);
  const Index              first_place = given_begin[processes.rank()];
  geometry::together(processes, [&] {
    spheres.validate(first_place);
    require_finite(U, spheres.dimension(), first_place);
    if (!options.box.contains(spheres.r))
      throw std::invalid_argument("share_impact: spheres must lie within the periodic box.");
  });
  if (Blocks{given_begin.back(), options.block_size}.count() < options.fewest_blocks)
    return std::nullopt;
  const auto [range, smallest_range] = range_of_all(spheres, walls, options.contact_tolerance, processes);
  const double R_max                 = processes.max(spheres.size() > 0 ? spheres.R.maxCoeff() : 0.);
  if (!micro::has_room_for_images(options.box, R_max, range))
    return std::nullopt;

  return SharedImpact::of(share(spheres, U, range, options.block_size, processes, options.box), walls,
                          {range, smallest_range}, nullptr, options, processes);
}

std::optional<SharedImpact> share_impact(SharedSpheres spheres, const std::vector<micro::Wall> &walls, const Vector &masses,
                                         const SharingOptions &options, const Processes &processes)
{
  if (spheres.blocks.count() < options.fewest_blocks)
    return std::nullopt;
  const auto ranges = range_of_all(spheres.spheres, walls, options.contact_tolerance, processes);
  auto       result = SharedImpact::of(std::move(spheres), walls, ranges, &masses, options, processes);
  if (result)
    std::vector<micro::Contact>().swap(result->contacts);
  return result;
}

std::optional<SharedImpact> SharedImpact::of(SharedSpheres spheres, const std::vector<micro::Wall> &walls,
                                             const std::pair<micro::ContactRange, double> &ranges,
                                             const Vector *const masses, const SharingOptions &options,
                                             const Processes &processes)
{
  const auto [range, smallest_range] = ranges;
  std::optional<SharedImpact> result(std::in_place);
  SharedSpheres              &shared = result->shared;
  shared                             = std::move(spheres);
  const micro::PeriodicBox &box      = options.box;
  micro::PartOfContacts     found =
      box.any() ? contacts_in_box(shared, walls, range, box) : micro::part_of_contacts(shared.spheres, walls, range);
  keep_own(shared, found.contacts);
  result->processes    = processes;
  result->box          = box;
  result->smallest_gap = -processes.max(-found.smallest_gap);
  result->contacts     = std::move(found.contacts);
  if (processes.max(found.overlaps ? 1. : 0.) > 0. || processes.max(result->contacts.empty() ? 0. : 1.) == 0. ||
      result->smallest_gap > smallest_range)
    return std::nullopt;
  snap_lattice(shared, result->contacts, processes);

  const Index         n = static_cast<Index>(shared.number.size()), dim = shared.spheres.dimension();
  convex::NetworkPart part = part_of_network(shared, result->contacts, processes);
  const auto sharing       = node_sharing(processes, shared.blocks.n, shared.n_own > 0 ? shared.number[shared.first_own] : 0,
                                          shared.n_own, part.n_own_blocks, ghosts_of(shared), options.largest_factor);
  if (masses)
    part.masses = with_ghosts(*masses, part, *sharing);
  const auto network = std::make_shared<convex::SharedNetwork>(std::move(part), sharing);

  convex::ProjectionProblem &problem = result->problem;
  problem.V                          = std::make_shared<convex::SharedSpace>(network);
  problem.B                          = network;
  problem.U                          = std::move(shared.U);
  {
    const micro::ContactGraph graph = {dim, n, result->contacts, 0., box};
    problem.b                       = micro::approach_velocity_of_walls(graph, walls);
    if (options.mean_gradient.size() > 0)
      problem.b += micro::approach_velocity_of_images(graph, options.mean_gradient);
  }
  if (processes.max(convex::max_abs(problem.b)) == 0.)
    problem.b.resize(0);
  const micro::Spheres own = {shared.spheres.r.middleCols(shared.first_own, shared.n_own),
                              shared.spheres.R.segment(shared.first_own, shared.n_own),
                              network->here().masses.segment(shared.first_own, shared.n_own)};
  problem.expansion        = cluster_expansion(*network, own, result->contacts, walls, box, processes);
  shared.spheres.m.resize(0); // the network has them
  if (!masses)
    result->nodes_back = back_to_givers(shared, processes);
  return result;
}

Index SharedImpact::n_ghosts() const { return processes.sum(static_cast<Index>(shared.number.size()) - shared.n_own); }

Vector Route::operator()(const Vector &values, const Index n_each) const
{
  std::vector<List> to(sent.size());
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    {
      to[rank].reserve(n_each * sent[rank].size());
      for (const Index item : sent[rank])
        to[rank].insert(to[rank].end(), values.data() + n_each * item, values.data() + n_each * (item + 1));
    }
  const List  arrived = exchanged(processes, to);
  Vector      result(arrived.size());
  const Index n = result.size() / n_each;
  for (Index k = 0; k < n; ++k)
    result.segment(n_each * (place.empty() ? k : place[k]), n_each) =
        Eigen::Map<const Vector>(arrived.data() + n_each * k, n_each);
  return result;
}

GivenContacts SharedImpact::given_contacts()
{
  const Index n = static_cast<Index>(shared.number.size()), dim = network().here().dim, n_all = shared.blocks.n;
  std::vector<std::vector<Index>> sent(processes.size());
  std::vector<List>               to(processes.size());
  for (std::size_t row = 0; row < contacts.size(); ++row)
    if (const micro::Contact &c = contacts[row]; c.i >= shared.first_own) // the row is counted here
      {
        const bool      at_wall = c.j >= n;
        Index           i = shared.place[c.i], j = at_wall ? n_all + (c.j - n) : shared.place[c.j];
        const bool      turns = i > j;
        const Index     first = turns ? c.j : c.i, second = turns ? c.i : c.j;
        std::int32_t    image = c.image;
        Eigen::Vector3d e = c.e, r_j = Eigen::Vector3d::Zero();
        if (turns)
          {
            std::swap(i, j);
            e     = Eigen::Vector3d::Zero() - e; // no negative zeros
            image = micro::PeriodicBox::opposite(image);
          }
        if (image != 0)
          r_j.head(dim) =
              shared.spheres.r.col(first) + (shared.spheres.R(first) + c.D + shared.spheres.R(second)) * e.head(dim);
        else if (!at_wall)
          r_j.head(dim) = shared.spheres.r.col(second);
        const std::size_t rank = shared.giver(i);
        sent[rank].push_back(static_cast<Index>(row));
        to[rank].insert(to[rank].end(),
                        {static_cast<double>(i), static_cast<double>(j), c.D, e(0), e(1), e(2), static_cast<double>(image)});
        to[rank].insert(to[rank].end(), r_j.begin(), r_j.begin() + dim);
      }
  const List arrived = exchanged(processes, to);
  std::vector<List>().swap(to);

  const Index        n_numbers = 7 + dim, n_rows = static_cast<Index>(arrived.size()) / n_numbers;
  std::vector<Index> order(n_rows), place(n_rows);
  std::iota(order.begin(), order.end(), 0);
  const auto numbers = [&](const Index row) { return arrived.data() + n_numbers * row; };
  std::sort(order.begin(), order.end(), [&](const Index a, const Index b) {
    return std::lexicographical_compare(numbers(a), numbers(a) + 2, numbers(b), numbers(b) + 2);
  });
  GivenContacts result{{dim, n_all, {}, smallest_gap, box}, Eigen::MatrixXd(dim, n_rows)};
  result.graph.contacts.reserve(n_rows);
  for (Index k = 0; k < n_rows; ++k)
    {
      const double *const at = numbers(order[k]);
      place[order[k]]        = k;
      result.graph.contacts.push_back({static_cast<int>(at[0]), static_cast<int>(at[1]), at[2],
                                       Eigen::Map<const Eigen::Vector3d>(at + 3), static_cast<std::int32_t>(at[6])});
      result.r_j.col(k) = Eigen::Map<const Vector>(at + 7, dim);
    }
  rows_back = Route(processes, std::move(sent));
  rows_back.arrive_at(std::move(place));
  return result;
}
} // namespace moreau::parallel
