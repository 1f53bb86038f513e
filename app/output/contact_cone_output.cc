// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/contact_cone_output.h"

#include "app/input/text/words.h"
#include "app/output/micro_output.h"
#include "app/output/origin.h"
#include "convex/vectors.h"
#include "geometry/fill_picture.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace moreau::app
{
namespace
{
using micro::ConeEdge;
using micro::Index;

/// xx, xy, ..., yy, ...: the upper triangle, row by row.
std::vector<double> upper_triangle(const Eigen::MatrixXd &A)
{
  std::vector<double> result;
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = i; j < A.cols(); ++j)
      result.push_back(A(i, j));
  return result;
}

/// Mean, least, most and root mean square of what is left without the mean of f(edge, s), and the mean of its bounds.
template <typename F>
nlohmann::ordered_json numbers_over_edges(const std::vector<ConeEdge> &edges, const F &f)
{
  double lower = 0., upper = 0., mean_square = 0., least = f(edges[0], edges[0].s()), most = least;
  for (const ConeEdge &edge : edges)
    {
      const double s = f(edge, edge.s());
      lower += f(edge, edge.lower);
      upper += f(edge, edge.upper);
      mean_square += s * s;
      least = std::min(least, s);
      most  = std::max(most, s);
    }
  const double n = static_cast<double>(edges.size()), mean = .5 * (lower + upper) / n;
  return {{"mean", number(mean)},
          {"mean_lower", number(lower / n)},
          {"mean_upper", number(upper / n)},
          {"least", number(least)},
          {"most", number(most)},
          {"anisotropy", number(std::sqrt(std::max(0., mean_square / n - mean * mean)))}};
}

/// s of all directions in numbers; null where no stress is balanced.
nlohmann::ordered_json numbers_of_s(const NetworkCone &cone)
{
  if (!cone.has_stress() || !cone.agrees())
    return nullptr;
  nlohmann::ordered_json json = numbers_over_edges(cone.edges, [](const ConeEdge &, const double s) { return s; });
  if (cone.fabric.rows() == 3)
    json["circular"] = numbers_over_edges(
        cone.edges, [](const ConeEdge &edge, const double s) { return micro::circular_s(edge.deviator, s); });
  if (cone.fabric.rows() == 2)
    {
      const micro::Harmonics h = micro::harmonics(cone.edges);
      json["anisotropy"]       = number(h.anisotropy);
      json["tilt"]             = number(h.tilt);
      json["tilt_angle"]       = number(h.tilt_angle);
      json["fourth_harmonic"]  = number(h.fourth);
      json["sixth_harmonic"]   = number(h.sixth);
    }
  return json;
}
} // namespace

bool NetworkCone::has_stress() const
{
  return std::any_of(edges.begin(), edges.end(), [](const ConeEdge &edge) { return edge.has_stress; });
}

bool NetworkCone::agrees() const
{
  return std::all_of(edges.begin(), edges.end(),
                     [&](const ConeEdge &edge) { return edge.has_stress == edges.front().has_stress; });
}

std::string verdict_of(const NetworkCone &cone, const double tolerance)
{
  const auto n = std::count_if(cone.edges.begin(), cone.edges.end(), [](const ConeEdge &edge) { return !edge.converged; });
  if (n > 0)
    return "not certified: the bounds of s are further apart than " + short_number(tolerance) + " in " +
           counted(n, "direction");
  if (!cone.agrees())
    return "not certified: stresses are balanced in some directions and not in others, which rounding decides";
  if (!cone.has_stress())
    return "certified: an admissible fluctuation for a shrinking box proves that no stress is balanced";
  double widest = 0.;
  for (const ConeEdge &edge : cone.edges)
    widest = std::max(widest, edge.upper - edge.lower);
  return "certified: s is enclosed by a stress and a fluctuation to " + short_number(widest) + " in " +
         counted(static_cast<Index>(cone.edges.size()), "direction");
}

nlohmann::ordered_json summary_of(const NetworkCone &cone, const Summary &result)
{
  const Index            dim = cone.fabric.rows();
  nlohmann::ordered_json json;
  json["problem"]           = result.problem;
  json["dimension"]         = result.dimension;
  json["version"]           = version();
  json["status"]            = result.converged ? "converged" : "not converged";
  json["verdict"]           = result.verdict;
  json["unknowns"]          = result.n_unknowns;
  json["constraints"]       = result.n_constraints;
  json["iterations"]        = result.effort.n_iterations;
  json["wall_time_s"]       = number(result.effort.seconds);
  json["peak_memory_bytes"] = peak_memory();
  json["tolerance"]         = number(result.tolerance);
  add_origin(json);
  if (cone.packing)
    json["packing"] = *cone.packing;
  json["spheres"]                = cone.n_spheres;
  json["contacts"]               = result.n_constraints;
  json["rattlers"]               = cone.n_spheres - cone.coordination.n_held;
  json["contacts_held"]          = cone.coordination.n_contacts;
  const bool any                 = cone.coordination.n_held > 0;
  json["coordination"]           = any ? number(cone.coordination.mean()) : nullptr;
  json["coordination_isostatic"] = any ? number(cone.coordination.isostatic(dim)) : nullptr;
  json["self_stresses"]          = cone.n_self_stresses;
  json["fabric"]                 = upper_triangle(cone.fabric);
  json["has_stress"]             = cone.has_stress();
  json["s"]                      = numbers_of_s(cone);
  json["edges"]                  = nlohmann::ordered_json::array();
  for (const ConeEdge &edge : cone.edges)
    json["edges"].push_back({{"direction", edge.deviator.name},
                             {"s_lower", number(edge.lower)},
                             {"s_upper", number(edge.upper)},
                             {"imbalance", number(edge.imbalance)},
                             {"pressed", edge.n_pressed},
                             {"iterations", edge.n_iterations}});
  return json;
}

std::vector<std::pair<std::string, std::string>> rows_of(const NetworkCone &cone, const bool is_disordered)
{
  const Index                                      dim = cone.fabric.rows();
  const micro::Coordination                       &c   = cone.coordination;
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("rattlers", std::to_string(cone.n_spheres - c.n_held) + " of " + counted(cone.n_spheres, "sphere"));
  if (c.n_held > 0)
    rows.emplace_back("coordination z",
                      short_number(c.mean()) + " of those that are held; isostatic: " + short_number(c.isostatic(dim)) +
                          (is_disordered ? (dim == 2 ? ", (z - z_iso)/3 = " : ", (z - z_iso)/9 = ") +
                                               short_number((c.mean() - c.isostatic(dim)) / (dim == 2 ? 3. : 9.))
                                         : ""));
  rows.emplace_back("self-stresses", std::to_string(cone.n_self_stresses) + " (contacts less the rank of B)");
  rows.emplace_back("fabric", point(convex::vector(upper_triangle(cone.fabric))) + (dim == 2 ? " (xx, xy, yy)" : ""));
  const nlohmann::ordered_json s = numbers_of_s(cone);
  if (s.is_null())
    {
      rows.emplace_back("s", cone.agrees() ? "no stress is balanced, no mean velocity gradient is blocked"
                                           : "unknown: whether a stress is balanced is not decided");
      return rows;
    }
  const auto text = [](const nlohmann::ordered_json &of) {
    return short_number(of["mean"]) + " on average, " + short_number(of["least"]) + " to " + short_number(of["most"]) +
           ", anisotropy " + short_number(of["anisotropy"]);
  };
  rows.emplace_back(dim == 3 ? "s (least eigenvalue)" : "s", text(s));
  if (dim == 3)
    rows.emplace_back("s (circular cone)", text(s["circular"]));
  if (dim == 2)
    rows.emplace_back("tilt", short_number(s["tilt"]) +
                                  (s["tilt"] > 1e-4 ? " at " + short_number(s["tilt_angle"]) + " degrees" : ""));
  return rows;
}

void write_cone(std::ostream &out, const std::vector<ConeEdge> &edges)
{
  const bool plane = !edges.empty() && edges.front().deviator.A.rows() == 2;
  out << (plane ? "angle" : "direction") << ",s_lower,s_upper" << (plane ? "" : ",s_circular")
      << ",imbalance,pressed,iterations,converged\n";
  for (const ConeEdge &edge : edges)
    {
      if (plane)
        out << digits(edge.deviator.angle);
      else
        out << '"' << edge.deviator.name << '"';
      out << ',' << digits(edge.lower) << ',' << digits(edge.upper);
      if (!plane)
        out << ',' << digits(micro::circular_s(edge.deviator, edge.s()));
      out << ',' << digits(edge.imbalance) << ',' << edge.n_pressed << ',' << edge.n_iterations << ',' << edge.converged
          << '\n';
    }
}

void write_polar_table(std::ostream &out, const std::vector<ConeEdge> &edges, const micro::ContactGraph &graph)
{
  out << "curve,angle,value\n";
  for (int turn = 0; turn < 2; ++turn)
    for (const ConeEdge &edge : edges)
      out << "s," << digits(edge.deviator.angle + 180. * turn) << ',' << digits(edge.s()) << '\n';
  out << "s,360," << digits(edges.front().s()) << '\n';

  constexpr int       n_bins = 20; // of 180 degrees, the first about 0
  std::vector<double> of_bin(n_bins, 0.);
  for (const micro::Contact &c : graph.contacts)
    {
      const double angle = std::atan2(c.e.y(), c.e.x()) / M_PI * n_bins + 2. * n_bins;
      of_bin[static_cast<int>(std::lround(angle)) % n_bins] += n_bins / static_cast<double>(graph.n_contacts());
    }
  for (int bin = 0; bin <= 2 * n_bins; ++bin)
    for (const double side : {-.5, .5})
      out << "contacts," << digits(std::clamp((bin + side) * 180. / n_bins, 0., 360.)) << ',' << digits(of_bin[bin % n_bins])
          << '\n';
}

geometry::Mesh network_spheres(const micro::Spheres &spheres, const micro::Coordination &coordination, const ConeEdge &edge)
{
  geometry::Mesh mesh = sphere_mesh(spheres);
  mesh.point_data.push_back({"w", "m", 3, geometry::three_components(edge.fluctuation, spheres.dimension())});
  mesh.point_data.push_back({"held", "", 1, {coordination.held.begin(), coordination.held.end()}});
  return mesh;
}

geometry::Mesh network_contacts(const micro::Spheres &spheres, const micro::ContactGraph &graph, const ConeEdge &edge)
{
  geometry::Mesh      mesh = contact_lines(spheres, graph);
  std::vector<double> D;
  for (const micro::Contact &contact : graph.contacts)
    D.push_back(contact.D);
  mesh.cell_data = {{"p", "1/m", 1, convex::values(edge.stress)}, {"D", "m", 1, std::move(D)}};
  return mesh;
}
} // namespace moreau::app
