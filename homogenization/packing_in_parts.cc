// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/microscopic_law.h"
#include "homogenization/simplex_geometry.h"
#include "homogenization/triangulation.h"
#include "parallel/node_sharing.h"

#include <algorithm>
#include <cmath>
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

/// Spheres that one process has, own ones first.
struct Part
{
  micro::Spheres spheres;
  SpheresHere    here;
};

/// The spheres of a part and some of others, of which each comes as number, place, radius and centre, those of others by
/// their numbers and each once.
Part part_of(const Part &own, parallel::List others)
{
  const Index dim = own.spheres.dimension(), n_numbers = 3 + dim, n_own = own.here.n_own;
  const auto &here = own.here;
  for (Index k = n_own; k < own.spheres.size(); ++k)
    {
      others.insert(others.end(),
                    {static_cast<double>(here.number[k]), static_cast<double>(here.place[k]), own.spheres.R(k)});
      others.insert(others.end(), own.spheres.r.col(k).begin(), own.spheres.r.col(k).end());
    }
  const double      *first  = others.data();
  const auto         number = [&](const Index k) { return static_cast<Index>(first[n_numbers * k]); };
  std::vector<Index> order;
  for (Index k = 0; k < static_cast<Index>(others.size()) / n_numbers; ++k)
    if (n_own == 0 || number(k) < here.number.front() || number(k) >= here.number.front() + n_own)
      order.push_back(k);
  std::sort(order.begin(), order.end(), [&](const Index j, const Index k) { return number(j) < number(k); });
  order.erase(std::unique(order.begin(), order.end(), [&](const Index j, const Index k) { return number(j) == number(k); }),
              order.end());

  const Index n = n_own + static_cast<Index>(order.size());
  Part        result{{Eigen::MatrixXd(dim, n), Vector(n), Vector::Ones(n)}, {n_own, {}, {}, here.reach, here.with_wide}};
  result.spheres.r.leftCols(n_own) = own.spheres.r.leftCols(n_own);
  result.spheres.R.head(n_own)     = own.spheres.R.head(n_own);
  result.here.number.assign(here.number.begin(), here.number.begin() + n_own);
  result.here.place.assign(here.place.begin(), here.place.begin() + n_own);
  for (Index k = n_own; k < n; ++k)
    {
      const double *const at = first + n_numbers * order[k - n_own];
      result.here.number.push_back(static_cast<Index>(at[0]));
      result.here.place.push_back(static_cast<Index>(at[1]));
      result.spheres.R(k)     = at[2];
      result.spheres.r.col(k) = Eigen::Map<const Vector>(at + 3, dim);
    }
  return result;
}

/// Those that a process has who shares spheres.
Part part_of(const parallel::SharedSpheres &shared, const double reach)
{
  std::vector<Index> order(shared.number.size()); // own ones, then those of others
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + shared.first_own, order.begin() + shared.first_own + shared.n_own);
  Part part{{shared.spheres.r(Eigen::all, order), shared.spheres.R(order), shared.spheres.m(order)},
            {shared.n_own, {}, {}, reach}};
  for (const Index k : order)
    {
      part.here.number.push_back(shared.number[k]);
      part.here.place.push_back(shared.place[k]);
    }
  return part;
}

/// The wide spheres (SpheresHere) of all processes, each as part_of() takes it.
parallel::List wide_spheres(const Part &part, const Triangulation &found, const geometry::Processes &processes)
{
  const Index       dim = part.spheres.dimension(), n_corners = dim + 1, n_own = part.here.n_own;
  std::vector<char> is_wide(n_own, 0);
  const auto        mark = [&](const int i) {
    if (i < n_own)
      is_wide[i] = 1;
  };
  std::for_each(found.hull.begin(), found.hull.end(), mark);
  for (auto corner = found.simplices.begin(); corner != found.simplices.end(); corner += n_corners)
    if (std::any_of(corner, corner + n_corners, [&](const int i) { return i < n_own; }))
      {
        const std::vector<int> corners(corner, corner + n_corners);
        if (!(circumscribed_diameter(part.spheres.r(Eigen::all, corners)) < part.here.reach))
          std::for_each(corner, corner + n_corners, mark);
      }
  parallel::List wide;
  for (Index k = 0; k < n_own; ++k)
    if (is_wide[k])
      {
        wide.insert(wide.end(),
                    {static_cast<double>(part.here.number[k]), static_cast<double>(part.here.place[k]), part.spheres.R(k)});
        wide.insert(wide.end(), part.spheres.r.col(k).begin(), part.spheres.r.col(k).end());
      }
  return parallel::on_all(processes, wide);
}

/// How many wide spheres each process may have: some layers around all of them; what is more has holes everywhere.
Index most_wide(const Index n_all, const Index dim)
{
  constexpr double layers = 8.;
  return static_cast<Index>(layers * std::pow(static_cast<double>(n_all), 1. - 1. / static_cast<double>(dim)));
}

/// Cells and simplices of a part.
struct Cut
{
  VoronoiCells                cells;
  std::optional<DelaunayMesh> mesh; ///< where it is asked for
};

/// Nothing, on all processes, where spheres are missing.
std::optional<Cut> cut(const Part &part, const Triangulation &found, const macro::Domain &domain, const bool with_mesh,
                       const geometry::Processes &processes)
{
  if (processes.max(part.here.n_own > 0 && found.simplices.empty() && (with_mesh || found.dim == 2) ? 1. : 0.) > 0.)
    return std::nullopt;            // on a line
  std::optional<DelaunayMesh> mesh; // first: it is what lacks spheres where hulls have steps
  if (with_mesh)
    mesh = delaunay_mesh(found, part.spheres, domain, part.here, processes);
  if (with_mesh && !mesh)
    return std::nullopt;
  std::optional<VoronoiCells> cells = VoronoiCells::of_part(part.spheres, found, domain, part.here, processes);
  if (!cells)
    return std::nullopt;
  return Cut{std::move(*cells), std::move(mesh)};
}

/// As cut() of what is near, or, where that is not enough, of that and wide spheres, which `part` is then given.
std::optional<Cut> cut_with_wide(Part &part, const macro::Domain &domain, const bool with_mesh,
                                 const geometry::Processes &processes)
{
  const Index   dim        = part.spheres.dimension();
  const auto    triangles  = [&] { return part.here.n_own > 0 ? triangulation(part.spheres) : Triangulation{dim, {}, {}}; };
  const bool    needs_some = dim == 2 || with_mesh;
  Triangulation found      = needs_some ? triangles() : Triangulation{dim, {}, {}};
  if (domain.uniform) // else what lies at the boundary of the zone is wide
    if (std::optional<Cut> result = cut(part, found, domain, with_mesh, processes))
      return result;
  if (!needs_some)
    found = triangles();
  const parallel::List wide = wide_spheres(part, found, processes);
  if (static_cast<Index>(wide.size()) / (3 + dim) > most_wide(processes.sum(part.here.n_own), dim))
    return std::nullopt;
  part.here.with_wide = true;
  if (processes.size() > 1)
    {
      part  = part_of(part, wide);
      found = triangles();
    }
  return cut(part, found, domain, with_mesh, processes);
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
  if (dim == 1 || parallel::Blocks{n_all, options.block_size}.count() < options.fewest_blocks ||
      !has_equal_radii(given, processes))
    return std::nullopt;
  for (const double shell : shells)
    {
      parallel::SharedSpheres shared =
          parallel::share(given, Vector::Zero(dim * given.size()), {shell, 0.}, options.block_size, processes);
      // two radii farther than the gap, without what rounding may take
      const double       reach = (2. + shell) * processes.max(given.size() > 0 ? given.R.maxCoeff() : 0.) * (1. - 1e-9);
      Part               part  = part_of(shared, reach);
      std::optional<Cut> found = cut_with_wide(part, domain, how.interpolant, processes);
      if (!found)
        continue;
      PackingParts parts;
      parts.mesh  = std::move(found->mesh);
      parts.cells = sharing_of(shared, part.here, processes);
      std::optional<parallel::SharedImpact> impact =
          parallel::share_impact(std::move(shared), walls, found->cells.volumes(), options, processes);
      if (!impact)
        return std::nullopt;
      parts.impact = std::move(*impact);
      return Packing(std::move(part.spheres), walls, std::move(found->cells),
                     std::make_shared<const PackingParts>(std::move(parts)));
    }
  return std::nullopt;
}
} // namespace moreau::homogenization
