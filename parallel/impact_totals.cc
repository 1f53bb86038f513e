// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/impact_totals.h"

#include <algorithm>
#include <set>

namespace moreau::parallel
{
namespace
{
using Body = std::array<double, 3>;

/// All bodies in ascending order of their velocities, as long as no process knows more than `most`.
std::vector<Body> all_bodies(const Vector &U, const Index dim, const Index most, const Processes &processes)
{
  std::set<Body> own;
  for (Index k = 0; k < U.size() / dim && static_cast<Index>(own.size()) <= most; ++k)
    own.insert(micro::body_with(U.segment(dim * k, dim)));
  List numbers;
  for (const Body &body : own)
    numbers.insert(numbers.end(), body.begin(), body.end());
  numbers = on_all(processes, numbers);
  std::set<Body> all;
  for (std::size_t at = 0; at < numbers.size(); at += 3)
    all.insert({numbers[at], numbers[at + 1], numbers[at + 2]});
  return {all.begin(), all.end()};
}
} // namespace

Vector momentum(const SharedImpact &shared, const Vector &v)
{
  const convex::SharedNetwork &network = *convex::shared_network(shared.problem);
  const convex::NetworkPart   &here    = network.here();
  Vector                       result(here.dim);
  for (Index a = 0; a < here.dim; ++a)
    result(a) = network.sum_over_nodes([&](const Index k) { return here.masses(here.first_own + k) * v(here.dim * k + a); });
  return result;
}

std::optional<micro::BodyMotion> body_motion(const SharedImpact &shared, const Vector &u, const Index most,
                                             const Processes &processes)
{
  const convex::SharedNetwork &network  = *convex::shared_network(shared.problem);
  const convex::NetworkPart   &here     = network.here();
  const Index                  dim      = here.dim;
  const Vector                &U        = shared.problem.U;
  const std::vector<Body>      velocity = all_bodies(U, dim, most, processes);
  if (static_cast<Index>(velocity.size()) > most)
    return std::nullopt;
  const auto body_of = [&](const Index k) {
    return std::lower_bound(velocity.begin(), velocity.end(), micro::body_with(U.segment(dim * k, dim))) - velocity.begin();
  };
  const auto mass = [&](const Index k) { return here.masses(here.first_own + k); };

  List parts; // of each own block: body, mass, moment, momentum
  for (int block = here.first_own_block; block < here.first_own_block + here.n_own_blocks; ++block)
    {
      std::map<Index, micro::BodySums> sums;
      for (Index node = here.block_begin[block]; node < here.block_begin[block + 1]; ++node)
        {
          const Index k = node - here.first_own;
          sums[body_of(k)].add(mass(k), shared.spheres().spheres.r.col(node), u.segment(dim * k, dim));
        }
      for (const auto &[body, sum] : sums)
        {
          parts.insert(parts.end(), {static_cast<double>(body), sum.mass});
          parts.insert(parts.end(), sum.moment.begin(), sum.moment.end());
          parts.insert(parts.end(), sum.momentum.begin(), sum.momentum.end());
        }
    }
  parts = on_all(processes, parts);
  micro::Bodies bodies;
  for (std::size_t at = 0; at < parts.size(); at += 8)
    {
      const double *const sum = parts.data() + at + 1;
      bodies[velocity[static_cast<std::size_t>(parts[at])]].add(
          {sum[0], Eigen::Map<const Eigen::Vector3d>(sum + 1), Eigen::Map<const Eigen::Vector3d>(sum + 4)});
    }
  const double granular = network.sum_over_nodes([&](const Index k) {
    return micro::granular_energy(bodies.at(velocity[body_of(k)]), mass(k), u.segment(dim * k, dim));
  });
  return micro::motion_of(bodies, granular);
}
} // namespace moreau::parallel
