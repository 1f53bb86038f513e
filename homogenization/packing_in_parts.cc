// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/microscopic_law.h"
#include "parallel/node_sharing.h"

#include <limits>
#include <numeric>

namespace moreau::homogenization
{
namespace
{
/// Gaps to spheres that are looked at, in radii: where cells are wider than those of a lattice, more.
constexpr double shells[] = {2.5, 7., 22.};

bool has_equal_radii(const micro::Spheres &given, const geometry::Processes &processes)
{
  const bool   has_any  = given.size() > 0;
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = processes.max(has_any ? given.R.maxCoeff() : 0.), less = has_any ? -given.R.minCoeff() : -infinity;
  return largest + processes.max(less) <= 1e-9 * largest;
}

/// The spheres here in another order: own ones, then those of others.
std::vector<Index> own_first(const parallel::SharedSpheres &shared)
{
  std::vector<Index> order(shared.number.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + shared.first_own, order.begin() + shared.first_own + shared.n_own);
  return order;
}

/// Who has which of the spheres here.
std::shared_ptr<const convex::Sharing> sharing_of(const parallel::SharedSpheres &shared, const SpheresHere &here,
                                                  const geometry::Processes &processes)
{
  const parallel::Blocks  &blocks = shared.blocks;
  const std::vector<Index> ghosts(here.number.begin() + here.n_own, here.number.end());
  const Index              n_own_blocks = (here.n_own + blocks.size - 1) / blocks.size;
  return parallel::node_sharing(processes, blocks.n, here.n_own > 0 ? here.number.front() : 0, here.n_own, n_own_blocks,
                                ghosts);
}
} // namespace

std::optional<Packing> packing_in_parts(const micro::Spheres &given, const std::vector<micro::Wall> &walls,
                                        const macro::Domain &domain, const SharedLevel &how,
                                        const geometry::Processes &processes)
{
  const Index              dim = given.dimension(), n_all = processes.sum(given.size());
  parallel::SharingOptions options;
  options.contact_tolerance = how.contact_tolerance;
  if (!domain.uniform || dim == 1 || parallel::Blocks{n_all, options.block_size}.count() < options.fewest_blocks ||
      !has_equal_radii(given, processes))
    return std::nullopt;
  for (const double shell : shells)
    {
      parallel::SharedSpheres shared =
          parallel::share(given, Vector::Zero(dim * given.size()), {shell, 0.}, options.block_size, processes);
      const std::vector<Index> order = own_first(shared);
      SpheresHere              here{shared.n_own, {}, {}, 0.};
      for (const Index k : order)
        {
          here.number.push_back(shared.number[k]);
          here.place.push_back(shared.place[k]);
        }
      // two radii farther than the gap, without what rounding may take
      here.reach = (2. + shell) * processes.max(given.size() > 0 ? given.R.maxCoeff() : 0.) * (1. - 1e-9);
      micro::Spheres spheres{shared.spheres.r(Eigen::all, order), shared.spheres.R(order), shared.spheres.m(order)};

      std::optional<VoronoiCells> cells = VoronoiCells::of_part(spheres, domain, here, processes);
      if (!cells)
        continue;
      PackingParts parts;
      if (how.interpolant)
        parts.mesh = delaunay_mesh(spheres, domain, here, processes);
      if (how.interpolant && !parts.mesh)
        continue;
      parts.cells = sharing_of(shared, here, processes);
      std::optional<parallel::SharedImpact> impact =
          parallel::share_impact(std::move(shared), walls, cells->volumes(), options, processes);
      if (!impact)
        return std::nullopt;
      parts.impact = std::move(*impact);
      return Packing(std::move(spheres), walls, std::move(*cells), std::make_shared<const PackingParts>(std::move(parts)));
    }
  return std::nullopt;
}
} // namespace moreau::homogenization
