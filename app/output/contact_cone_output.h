// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_CONTACT_CONE_OUTPUT_H
#define MOREAU_APP_OUTPUT_CONTACT_CONE_OUTPUT_H

#include "app/input/sphere_setting.h"
#include "app/output/summary.h"
#include "geometry/picture.h"
#include "micro/network/contact_cone.h"
#include "micro/network/coordination.h"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the files of `contact cone` hold (doc/formats.md).
namespace moreau::app
{
/// All that a run finds out about a network of contacts.
struct NetworkCone
{
  micro::Index                 n_spheres = 0;
  micro::Coordination          coordination;
  micro::Index                 n_self_stresses = 0;
  Eigen::MatrixXd              fabric;
  std::vector<micro::ConeEdge> edges;
  std::optional<PackingReport> packing;

  bool has_stress() const; ///< in any direction: there is one in all or in none
  bool agrees() const;     ///< that it is so
};

/// "certified: ...", or why not: the first line of the result.
std::string verdict_of(const NetworkCone &cone, double tolerance);

/// summary.json.
nlohmann::ordered_json summary_of(const NetworkCone &cone, const Summary &result);

/// The closing table: names and texts. is_disordered: beside z stands the s of random packings with as many contacts.
std::vector<std::pair<std::string, std::string>> rows_of(const NetworkCone &cone, bool is_disordered);

/// cone.csv: a row per direction.
void write_cone(std::ostream &out, const std::vector<micro::ConeEdge> &edges);

/// curve,angle,value for the plot: bounds of s and the density of contact directions, 1 where all are equally frequent, over
/// 0 ... 360 degrees.
void write_polar_table(std::ostream &out, const std::vector<micro::ConeEdge> &edges, const micro::ContactGraph &graph);

/// Spheres with the fluctuation `w` at this edge and `held`, 0 for rattlers.
geometry::Mesh network_spheres(const micro::Spheres &spheres, const micro::Coordination &coordination,
                               const micro::ConeEdge &edge);

/// Contacts as lines with the stress `p` at this edge and the gap `D`.
geometry::Mesh network_contacts(const micro::Spheres &spheres, const micro::ContactGraph &graph,
                                const micro::ConeEdge &edge);
} // namespace moreau::app

#endif
