// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_SHARED_IMPACT_H
#define MOREAU_PARALLEL_SHARED_IMPACT_H

#include "convex/impact_law.h"
#include "convex/shared_network.h"
#include "parallel/shared_spheres.h"

#include <limits>
#include <optional>
#include <utility>

/// One impact of many spheres on several processes. Each gives some of the spheres, as it read them, and gets the answer for
/// these back; in between it works with a compact part of them. All numbers are those of one process, bit by bit: order and
/// blocks come from the spheres alone (convex/shared_network.h).
namespace moreau::parallel
{
/// How an impact is shared.
struct SharingOptions
{
  Index  block_size        = 4096; ///< spheres
  Index  fewest_blocks     = 4;    ///< with fewer one process does the work
  double contact_tolerance = micro::usual_contact_tolerance;
  double largest_factor    = std::numeric_limits<double>::infinity(); ///< bytes, see node_sharing()

  micro::PeriodicBox box           = {}; ///< of spheres that processes give: these are within it
  Eigen::MatrixXd    mean_gradient = {}; ///< D of that box (d x d, 1/s), part of the U that is given; of size 0: none
};

/// How values travel: which of those here go to which process, and where they come to lie there.
class Route
{
public:
  Route() = default;
  Route(const Processes &processes, std::vector<std::vector<Index>> sent) : processes(processes), sent(std::move(sent)) {}

  /// Of each value that arrives, in the order of ranks: where it lies. Without: in that order.
  void arrive_at(std::vector<Index> places) { place = std::move(places); }

  /// n_each numbers of each item here to those of each item that arrives.
  Vector operator()(const Vector &values, Index n_each = 1) const;

private:
  Processes                       processes;
  std::vector<std::vector<Index>> sent; ///< items, for each process
  std::vector<Index>              place;
};

/// Contacts of spheres that a process gave: those whose first sphere, in the order of places, is one of them.
struct GivenContacts
{
  micro::ContactGraph graph; ///< numbered by places, walls behind all spheres; ordered by i, then j
  Eigen::MatrixXd     r_j;   ///< centres of the second spheres, or of their images, d x contacts (m); 0 for walls
};

/// The impact problem in parts.
class SharedImpact
{
public:
  convex::ProjectionProblem problem; ///< of this process: rows that touch an own sphere, velocities of own ones

  Index n_blocks() const { return shared.blocks.count(); }
  Index n_ghosts() const; ///< spheres that several processes hold, counted once for each but their owner

  /// Centres and radii of the spheres here, numbers of own ones.
  const SharedSpheres &spheres() const { return shared; }

  /// Contacts of the spheres that this process gave. All call it, once, before given_rows().
  GivenContacts given_contacts();

  /// Velocities, or n_each other numbers, of own spheres: those of the spheres that this process gave.
  Vector given_nodes(const Vector &own, Index n_each) const { return nodes_back(own, n_each); }

  /// Numbers of the rows of `problem`: those of given_contacts().
  Vector given_rows(const Vector &rows) const { return rows_back(rows); }

private:
  friend std::optional<SharedImpact> share_impact(const micro::Spheres &, const std::vector<micro::Wall> &, const Vector &,
                                                  const SharingOptions &, const Processes &);
  friend std::optional<SharedImpact> share_impact(SharedSpheres, const std::vector<micro::Wall> &, const Vector &,
                                                  const SharingOptions &, const Processes &);

  /// ranges: of contacts, and that of the smallest sphere; masses: of own spheres, or null: those of `spheres`.
  static std::optional<SharedImpact> of(SharedSpheres spheres, const std::vector<micro::Wall> &walls,
                                        const std::pair<micro::ContactRange, double> &ranges, const Vector *masses,
                                        const SharingOptions &options, const Processes &processes);

  const convex::SharedNetwork &network() const { return *convex::shared_network(problem); }

  Processes                   processes;
  SharedSpheres               shared;
  std::vector<micro::Contact> contacts; ///< the rows, by numbers of spheres here; j = those + w stands for wall w
  double                      smallest_gap = 0.;
  micro::PeriodicBox          box;
  Route                       nodes_back, rows_back;
};

/// Shares an impact of spheres of which each process gives a part: `spheres` and U hold that (of the right dimension in any
/// case); walls are known to all. Nothing, on all processes, where the impact is left to one: few blocks; no contact;
/// spheres that overlap, of which micro::contact_graph() says more; a periodic box that is hardly longer than two spheres.
/// Throws InputError, on all, where micro::contact_range() does and for a velocity that is not finite.
std::optional<SharedImpact> share_impact(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls,
                                         const Vector &U, const SharingOptions &options, const Processes &processes);

/// The same of spheres that are shared already, by blocks, and of which more than may touch are perhaps here. The answer
/// stays with their owners: it has no given_contacts(), given_nodes() and given_rows().
///   masses   of own spheres (kg), in the place of those of `spheres`
///   options  block_size is that of `spheres`
std::optional<SharedImpact> share_impact(SharedSpheres spheres, const std::vector<micro::Wall> &walls, const Vector &masses,
                                         const SharingOptions &options, const Processes &processes);
} // namespace moreau::parallel

#endif
