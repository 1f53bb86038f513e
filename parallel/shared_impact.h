// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_PARALLEL_SHARED_IMPACT_H
#define MOREAU_PARALLEL_SHARED_IMPACT_H

#include "convex/impact_law.h"
#include "convex/shared_network.h"
#include "parallel/shared_spheres.h"

#include <optional>

/// One impact of many spheres on several processes. The first of them has the spheres, whole, and gets the answer, whole;
/// contacts, first-order methods and certificate are of all, and each has only its part. All numbers are those of one
/// process, bit by bit: order and blocks come from the spheres alone (convex/shared_network.h).
namespace moreau::parallel
{
/// How an impact is shared.
struct SharingOptions
{
  Index  block_size        = 4096; ///< spheres
  Index  fewest_blocks     = 4;    ///< with fewer one process does the work
  double contact_tolerance = micro::usual_contact_tolerance;
};

/// The impact problem in parts.
class SharedImpact
{
public:
  convex::ProjectionProblem problem; ///< of this process: rows that touch an own sphere, velocities of own ones

  Index n_blocks() const { return shared.blocks.count(); }
  Index n_ghosts() const; ///< spheres that several processes hold, counted once for each but their owner

  /// The contacts of all, numbered as the spheres of the file are: on the first process.
  micro::ContactGraph whole_graph() const;

  /// The answer in the order of that graph and of the file: on the first process.
  convex::Impact whole(const convex::Impact &impact) const;

private:
  friend std::optional<SharedImpact> share_impact(const micro::Spheres &, const std::vector<micro::Wall> &, const Vector &,
                                                  const SharingOptions &, const Processes &);

  const convex::SharedNetwork &network() const { return *convex::shared_network(problem); }

  Processes                   processes;
  SharedSpheres               shared;   ///< without the spheres
  std::vector<micro::Contact> contacts; ///< the rows, by numbers of spheres here; j = those + w stands for wall w
  double                      smallest_gap = 0.;
  mutable std::vector<Index>  row_of_file; ///< of the first process: for each contact of whole_graph() its row
};

/// Shares an impact of the spheres that the first process has. Nothing, on all processes, where it is left to one:
/// few blocks; no contact; directions of a lattice, whose lines are solved as a whole; spheres that overlap, of which
/// micro::contact_graph() says more.
/// Throws InputError, on all, where micro::contact_range() does and for a velocity that is not finite.
std::optional<SharedImpact> share_impact(const micro::Spheres &spheres, const std::vector<micro::Wall> &walls,
                                         const Vector &U, const SharingOptions &options, const Processes &processes);
} // namespace moreau::parallel

#endif
