// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_NETWORK_COORDINATION_H
#define MOREAU_MICRO_NETWORK_COORDINATION_H

#include "micro/contact_graph.h"

#include <vector>

namespace moreau::micro
{
/// What is counted in a network of contacts. A rattler has fewer than d + 1 contacts with spheres that are no rattlers, or
/// all of them within an open half-space; they are taken out again and again. Walls count as contacts.
struct Coordination
{
  std::vector<char> held;           ///< per sphere: no rattler
  Index             n_held     = 0; ///< N'
  Index             n_contacts = 0; ///< of spheres that are held

  double mean() const; ///< z, contacts per held sphere: 2 n_contacts / N' without walls; 0 where none is held

  /// z_iso = 2 (d N' - d + 1)/N' of a periodic box: with so many contacts a connected network has one self-stress more than
  /// it must. 0 where none is held.
  double isostatic(Index dim) const;
};

/// Of all spheres of a graph.
Coordination coordination(const ContactGraph &graph);

/// Σ e eᵀ / m over all contacts (d x d, trace 1); zero without any.
Eigen::MatrixXd fabric(const ContactGraph &graph);

/// The dimension of { p : Bᵀp = 0 }, contacts - rank B, by sparse QR, in which columns that depend on others to 1e-9 are
/// dropped.
Index n_self_stresses(const ContactGraph &graph);
} // namespace moreau::micro

#endif
