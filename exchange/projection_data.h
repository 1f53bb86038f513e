// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_PROJECTION_DATA_H
#define MOREAU_EXCHANGE_PROJECTION_DATA_H

#include "convex/cone_projection.h"

#include <string>
#include <vector>

/// Projections and spheres as the files of other programs hold them. Every message is an InputError that begins with the
/// name of the file.
namespace moreau::exchange
{
using convex::Index;
using convex::Vector;
using Matrix = convex::SparseConstraint::Matrix;

/// Both, with a blank between them; each may be empty.
std::string sentences(const std::string &text, const std::string &more);

/// Find u = argmin ½(u - U)ᵀM(u - U) over { u : Bu <= b }, that is, u + M⁻¹Bᵀp = U, 0 <= p ⊥ b - Bu >= 0.
struct ProjectionData
{
  Matrix      M;      ///< n x n, symmetric, positive definite (kg); 0 x 0: the identity
  Matrix      B;      ///< m x n
  Vector      U;      ///< n (m/s)
  Vector      b;      ///< m (m/s); length 0: zero
  std::string remark; ///< what reading left out of account, one sentence; may be empty

  Index n_unknowns() const { return B.cols(); }
  Index n_constraints() const { return B.rows(); }
};

/// What somebody says the solution is. Each may have length 0: not given.
struct Answer
{
  Vector u; ///< n (m/s)
  Vector p; ///< m (kg m/s)

  /// |·| in the norm of M, of the velocity that impulses beside p make; the projection has no such impulses.
  double      beside = 0.;
  std::string remark = {}; ///< what was noticed in it, in sentences; may be empty

  bool is_empty() const { return u.size() == 0 && p.size() == 0; }
};

/// A projection and, where the file holds one, somebody's answer.
struct ProblemFile
{
  ProjectionData problem;
  Answer         answer; ///< where the file holds one, too
};

/// Throws where arrays do not fit together, where a number is not finite, where M is not symmetric or
/// not positive definite.
void require_sound(const ProjectionData &data, const std::string &file);
void require_sound(const Answer &answer, const ProjectionData &data, const std::string &file);

/// The projection in coordinates y = Lᵀu, M = LLᵀ, in which masses are 1; y = u where M is diagonal. No velocity is uniform
/// in a space that nobody knows: "relative" is to |U| and b.
class Posed
{
public:
  /// Throws where M is not positive definite. The expansion of problem() is found by solving for one (inner_direction()).
  Posed(const ProjectionData &data, const std::string &file);

  const convex::ProjectionProblem &problem() const { return posed; }
  Vector                           to_coordinates(const Vector &u) const; ///< y of u
  Vector                           velocity(const Vector &y) const;       ///< u of y

private:
  convex::ProjectionProblem posed;
  Matrix                    L; ///< 0 x 0 where M is diagonal
};
} // namespace moreau::exchange

#endif
