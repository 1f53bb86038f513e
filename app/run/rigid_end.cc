// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/rigid_end.h"

#include "app/input/text/words.h"
#include "micro/motion/closed_contacts.h"

#include <algorithm>
#include <string>

namespace moreau::app
{
namespace
{
/// Unknowns and contacts up to which a linear program says what is rigid: some seconds in the plane.
constexpr micro::Index most = 50000;
} // namespace

RigidEnd rigid_end(const micro::SphereMotion &motion, const double tolerance)
{
  RigidEnd end;
  end.n_spheres = motion.spheres().size();
  if (end.n_spheres == 0)
    {
      end.n_rigid = 0;
      return end;
    }
  const micro::ClosedContacts closed = micro::closed_contacts(motion, tolerance * motion.spheres().R.minCoeff(), most);
  end.n_closed                       = closed.graph.n_contacts();
  end.is_too_large                   = std::max(end.n_closed, end.n_spheres * closed.graph.dim) > most;
  if (!closed.rigid)
    return end;
  end.n_rigid  = closed.rigid->n_rows;
  end.clusters = micro::rigid_clusters(closed.graph, {closed.rigid->is_rigid.begin(), closed.rigid->is_rigid.end()});
  return end;
}

nlohmann::ordered_json RigidEnd::json() const
{
  nlohmann::ordered_json json   = {{"closed_contacts", n_closed}};
  const bool             known  = n_rigid.has_value();
  json["rigid_rows"]            = known ? nlohmann::ordered_json(*n_rigid) : nullptr;
  json["rigid_clusters"]        = known ? nlohmann::ordered_json(clusters.n_clusters) : nullptr;
  json["largest_rigid_cluster"] = known ? nlohmann::ordered_json(clusters.largest) : nullptr;
  return json;
}

void RigidEnd::say(Log &log) const
{
  if (!n_rigid)
    log.row("rigid contacts",
            "not known, of " + std::to_string(n_closed) + " that are closed at the end: " +
                (is_too_large ? "they are looked for up to " + std::to_string(most) + " contacts and coordinates"
                              : "the linear program that tells them did not decide"));
  if (!n_rigid || *n_rigid == 0)
    return;
  log.row("rigid contacts",
          std::to_string(*n_rigid) + " of " + std::to_string(n_closed) +
              " that are closed at the end: a self-stress presses them, no velocity opens them while walls "
              "rest");
  log.row("rigid clusters", std::to_string(clusters.n_clusters) + ", the largest of " + std::to_string(clusters.largest) +
                                " of " + counted(n_spheres, "sphere"));
}
} // namespace moreau::app
