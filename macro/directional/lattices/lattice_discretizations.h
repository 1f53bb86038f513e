// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_DISCRETIZATIONS_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_DISCRETIZATIONS_H

#include "convex/chains/chain_families.h"
#include "macro/discretize.h"

/// The discretisations on meshes along a lattice, of which aligned_discretization() chooses one: the discrete problem is
/// that of the lattice.
namespace moreau::macro
{
/// Orthogonal directions (square, cubic, any orthonormal frame): cells along them, cell values, one isotonic regression per
/// line.
std::unique_ptr<Discretization> line_discretization(const Setting &setting, const Progress &progress);

/// The triangular lattice: equilateral triangles, nodal values, lumped masses.
std::unique_ptr<Discretization> triangular_discretization(const Setting &setting, const Progress &progress);

/// The face-centred cubic lattice: its tetrahedra and octahedra, the latter in eight pieces; nodal values, lumped masses.
std::unique_ptr<Discretization> face_centred_discretization(const Setting &setting, const Progress &progress);

/// The projector `solver` for a problem whose chains are known: they need not be found again where they are uncoupled.
/// `chains` must outlive it. Throws InputError("the solver", ...) for an unknown name.
std::unique_ptr<convex::ConeProjector> projector_on_chains(const std::string               &solver,
                                                           const convex::StoppingCriterion &criterion,
                                                           const convex::ChainFamilies     &chains);

/// Connected parts of the graph of B, their centres apart from walls, and the expansion of each that no wall forbids:
/// x - c along axes without a wall, away from the wall along axes with one, nothing along axes with two.
///   x       dim x n_nodes positions
///   beyond  how far behind a wall c lies (m): beyond all x where these may lie behind it
convex::Expansion expansion_between_walls(const convex::PairConstraint &B, const Eigen::MatrixXd &x, const Domain &domain,
                                          double beyond = 0.);
} // namespace moreau::macro

#endif
