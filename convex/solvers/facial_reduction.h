// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_SOLVERS_FACIAL_REDUCTION_H
#define MOREAU_CONVEX_SOLVERS_FACIAL_REDUCTION_H

#include "convex/solvers/interior_point.h"

#include <optional>
#include <string>
#include <vector>

namespace moreau::convex
{
/// Where K = { v : Bv <= b }, b >= 0, lies: rows that no admissible velocity can open, because a self-stress presses them,
///     s >= 0,   B*s = 0,   <s, b> = 0   =>   0 = <s, Bv> and Bv <= b,   so (Bv)_c = 0 wherever s_c > 0,
/// and a velocity that opens all others with b = 0 at once. Jammed matter between walls: multipliers are unbounded along s
/// (Slater's condition fails), so that methods on p stagnate; on the face they are bounded again.
/// The contacts with s_c > 0 are rigid: the test of strict jamming of Donev, Torquato, Stillinger and Connelly (2004).
struct Face
{
  std::vector<char> rigid; ///< per row; of length 0: there is no such row
  Index             n_rigid = 0;
  Vector            stress; ///< s (m), positive on the rigid rows and 0 elsewhere, largest 1
  Expansion
      inner; ///< w with Bw = 0 on rigid rows and Bw < 0 on the others; empty where none was found, and where b is not 0
  unsigned int n_rounds = 0, n_factorisations = 0; ///< searches, and the work of all of them

  RigidSet rigid_set() const; ///< of one process
};

/// By rounds: an interior point looks for w that opens all rows that are not rigid yet; where there is none, its multiplier
/// is a self-stress that makes more of them rigid.
/// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise). max_iterations: factorisations of a
/// round. Rows with b > 0 have room: no stress that holds presses them, and they are left out. Where b < 0, or a row has no
/// entries, it does not look.
Face find_face(const ProjectionProblem &problem, unsigned int max_iterations = 100);

/// The rows that no admissible velocity opens, of problems with up to `limit` unknowns and rows, whatever solver found the
/// answer. Empty where it is not known: larger problems, those that processes share, rows that belong together or whose
/// entries are not known, b < 0.
std::optional<RigidSet> rigid_rows(const ProjectionProblem &problem, Index limit);

/// The projection where a face is known, with some rigid rows: equalities there, where the multiplier of any sign
/// that an interior point finds is lifted by a multiple of s, which does not change u. Certified by w: the bound is
/// guaranteed where w is there and the rigid rows are met to rounding.
/// Where b is not 0 elsewhere, the bound is an estimate.
/// Throws std::invalid_argument where no row is rigid or b is not 0 on one that is.
SaddlePoint project_on_face(const ProjectionProblem &problem, const Face &face, const StoppingCriterion &criterion);

/// "3207 rigid rows (2)": what find_face() did, for SaddlePoint::method.
std::string name(const Face &face);

/// The face of a stress that a neighbouring problem had, if it still is a self-stress, but for little, of rows without room.
/// It proves that its rows are rigid; others may be, too. Else no row is rigid.
Face face_of_stress(const ProjectionProblem &problem, const Vector &stress);

/// x, judged, that does not meet the criterion; or the projection on the face that rigid rows leave, where that is better.
/// With the work of both, and what was found of rigid rows. stress: of a neighbouring problem (m, or empty), with whose face
/// it is tried first; becomes that of this one, empty where no row is rigid.
SaddlePoint or_on_face(const ProjectionProblem &problem, SaddlePoint &&x, const StoppingCriterion &criterion,
                       Vector *stress = nullptr);

/// An interior point; where it does not get through, on the face that rigid rows leave.
class InteriorPointOnFaces : public ConeProjector
{
public:
  InteriorPointOnFaces(const StoppingCriterion &criterion, const InteriorPoint::Parameters &parameters)
      : criterion(criterion), parameters(parameters)
  {}

  /// Needs a DiagonalSpace and a SparseConstraint (std::invalid_argument otherwise).
  SaddlePoint project(const ProjectionProblem &problem, const Vector *p_start = nullptr) const override;

private:
  StoppingCriterion         criterion;
  InteriorPoint::Parameters parameters;
};
} // namespace moreau::convex

#endif
