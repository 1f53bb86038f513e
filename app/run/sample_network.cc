// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/sample_network.h"

#include "app/input/text/words.h"
#include "app/run/references.h"

#include "convex/input_error.h"
#include "micro/network/contact_cone.h"
#include "micro/network/coordination.h"

#include <algorithm>
#include <limits>

namespace moreau::app
{
namespace
{
constexpr NetworkDilatancy no_network_dilatancy = [] {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return NetworkDilatancy{none, none, none, none, none};
}();

/// Of dilatant or of circular cones; NaN where no stress is balanced, or a linear program has not converged.
NetworkDilatancy network_dilatancy(const std::vector<micro::ConeEdge> &edges, const bool circular)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  NetworkDilatancy result   = {0., 0., 0., infinity, -infinity};
  const auto       n        = static_cast<double>(edges.size());
  for (const micro::ConeEdge &edge : edges)
    {
      if (!edge.has_stress || !edge.converged)
        return no_network_dilatancy;
      const auto   of_cone = [&](const double s) { return circular ? micro::circular_s(edge.deviator, s) : s; };
      const double s       = of_cone(edge.s());
      result.s += s / n;
      result.lower += of_cone(edge.lower) / n;
      result.upper += of_cone(edge.upper) / n;
      result.least   = std::min(result.least, s);
      result.largest = std::max(result.largest, s);
    }
  return result;
}
} // namespace

micro::ContactGraph graph_of(const micro::Packing &packing, const std::vector<micro::Wall> &walls, const double tolerance,
                             const micro::PeriodicBox &box)
{
  return packing.reach > 0. ? micro::graph_of_overlaps(packing.spheres, walls, packing.reach, box)
                            : micro::contact_graph(packing.spheres, walls, tolerance, box);
}

void find_network(DisorderSample &sample, const micro::Packing &packing, const Parameters &parameters, Stages &stages)
{
  if (parameters.spheres.arrangement != "random packing")
    return;
  if (parameters.homogenization.contact_cone)
    sample.network = no_network_dilatancy;
  const micro::PeriodicBox box{parameters.zone.lower_corner, parameters.zone.upper_corner - parameters.zone.lower_corner};
  const std::string        which = "A packing of " + counted(packing.spheres.size(), "sphere");
  if (!packing.jammed)
    sample.network_warning =
        which + " is not jammed: where nothing holds spheres no law of the continuum can be read from it.";
  try
    {
      const micro::ContactGraph closed  = graph_of(packing, {}, sample.tolerance, box);
      const micro::Coordination network = micro::coordination(closed);
      sample.coordination               = network.mean();
      sample.isostatic                  = network.isostatic(parameters.dimension);
      if (!parameters.homogenization.contact_cone || closed.n_contacts() == 0)
        return;
      Stage                              stage(stages, "Contact cones", "a linear program for each direction");
      const std::vector<micro::ConeEdge> edges = micro::contact_cone(
          packing.spheres, closed,
          parameters.dimension == 2 ? micro::plane_deviators(static_cast<int>(parameters.contact_cone_angles))
                                    : micro::space_deviators(),
          parameters.criterion.tolerance, [&](const double fraction) { stage.done(fraction); });
      sample.network = network_dilatancy(edges, family_of(parameters) == macro::ConeType::circular);
      if (!std::all_of(edges.begin(), edges.end(), [](const auto &edge) { return edge.has_stress; }))
        sample.network_warning = which + " balances no stress: it has no network s.";
      else if (!std::all_of(edges.begin(), edges.end(), [](const auto &edge) { return edge.converged; }))
        sample.network_warning = which + " has no network s: a linear program of its contact cone has not converged.";
    }
  catch (const InputError &)
    {
      sample.network_warning = which + " is so small that they touch through two images of its box at once: it has no z" +
                               (parameters.homogenization.contact_cone ? " and no network s." : ".");
    }
}
} // namespace moreau::app
