// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_ISOTROPIC_DIVERGENCE_CONSTRAINT_H
#define MOREAU_MACRO_ISOTROPIC_DIVERGENCE_CONSTRAINT_H

#include "convex/cone_projection.h"
#include "geometry/box_grid.h"
#include "macro/vocabulary.h"

#include <mutex>

/// The isotropic cone on a staggered grid (lowest-order Raviart-Thomas with a
/// lumped mass, MAC): normal velocities on faces, pressures in cells.
///
///     (Bv)_c = - Σ_faces ± |f| v_f / L^{d-1}      for saturated cells c,      L = |c|^{1/d},         (BM, eq. 14)
///     (Bv)_f = ± v_f                              for wall faces f (v·n <= 0),
///     <u,v>  = Σ_f m_f u_f v_f,   m_f = θ_f |c|: θ = 1 between two
///     saturated cells, 1/2 where p = 0 on the face or it is a wall.
/// Rows are velocities (m/s); the multiplier of a cell is p_c L^{d-1}, that of a wall face p_f |f|. With these masses B*p is
/// the two-point gradient with p = 0 (or p_f) half a cell from the centre, and BB* is the 5-point (7-point) M-matrix.
///
/// Unknowns: the faces of saturated cells, axis by axis, i fastest; then, in parallel, each process holds the faces with own
/// layers, and of those between two processes the one above holds them. Where the box repeats itself, on one process, the
/// faces of its upper side are those of the lower one, with one unknown.
/// Constraints: saturated own cells, i fastest, then wall faces.
namespace moreau::macro
{
/// A face of a saturated cell on a side of the box that is a wall.
struct WallFace
{
  int       axis;
  CellIndex cell;    ///< the saturated one
  CellIndex face;    ///< as in FaceArrays
  double    outward; ///< n·(axis direction): -1 on the lower side, 1 on the upper one
  Index     unknown;
};

/// B of the staggered grid. Its matrix() exists on one process only.
class DivergenceConstraint : public convex::SparseConstraint
{
public:
  /// zone: ghosts up to date; theta: as for StaggeredProblem.
  DivergenceConstraint(const BoxZone &zone, const FaceArrays *theta);

  Index  n_constraints() const override { return n_cells() + static_cast<Index>(walls.size()); }
  Index  n_unknowns() const override { return m.size(); }
  void   apply(const convex::Vector &v, convex::Vector &Bv) const override;
  void   apply_transpose(const convex::Vector &q, convex::Vector &Btq) const override;
  Vector delassus_diagonal(const convex::VelocitySpace &) const override; ///< for the masses of this class
  Vector row_norms() const override;                                      ///< without the matrix

  /// Assembled when first asked for; std::logic_error on several processes, where rows reach into other processes.
  const Matrix &matrix() const override;
  bool          is_assembled() const override { return false; }

  const BoxZone               &zone() const { return saturated; }
  Index                        n_cells() const { return static_cast<Index>(cells.size()); } ///< saturated own ones
  const std::vector<int>      &cell_positions() const { return cells; }                     ///< per row, in a CellArray
  const std::vector<WallFace> &wall_faces() const { return walls; } ///< behind the cells, in row order
  const Vector                &masses() const { return m; }         ///< m_f, per unknown
  Index axis_begin(const int axis) const { return begin[axis]; }    ///< first unknown on faces of an axis

  /// θ on all faces of saturated cells, both sides of process borders; 0 elsewhere.
  const FaceArrays &relative_masses() const { return theta; }
  /// Unknown on the face at a position of FaceArrays; none on faces of no
  /// saturated cell and on those that another process holds.
  Index                unknown(const int axis, const Index position) const { return unknowns[axis][position]; }
  static constexpr int none = -1;

  /// Coefficients (n) -> all faces; those outside the zone stay what they are.
  void scatter(const convex::Vector &v, FaceArrays &faces) const;

private:
  void  number_unknowns();
  void  number_constraints();
  void  set_masses(const FaceArrays *given);
  Index layer() const; ///< cells in a layer of the last axis

  BoxZone                         saturated;
  FaceArrays                      theta;
  std::array<Index, 4>            begin = {0, 0, 0, 0};
  std::array<std::vector<int>, 3> unknowns;
  std::array<double, 3>           area = {1., 1., 1.}; ///< |f| / L^{d-1}
  std::vector<int>                cells;
  std::vector<int> faces; ///< 2 dim unknowns per cell: lower, upper, axis by axis; none where the process above holds it
  Index            n_inner = 0; ///< cells below the last layer, or all where there is no process above: they come first
  std::vector<WallFace> walls;
  Vector                m;
  // the borders between processes, by position in a layer of cells
  std::vector<int> lower_border; ///< unknowns on the border to the process below, or none; empty without such a process
  std::vector<int> upper_border; ///< positions of the cells n_inner, n_inner + 1, ...
  Vector           mass_above;   ///< m_f on the border to the process above
  mutable std::once_flag assembled;
};

/// What stands behind the coefficients.
class StaggeredProblem
{
public:
  /// theta: m_f / |c| where it differs from the rule above (a shape whose boundary cuts the links between centres), else
  /// null; entries <= 0 follow the rule.
  explicit StaggeredProblem(const BoxZone &zone, const FaceArrays *theta = nullptr);
  ~StaggeredProblem();

  /// Projection of the velocity with these face means. Its B is a DivergenceConstraint, its V reduces over processes, its
  /// repair is repaired_fluxes of box_certificate.h.
  ///   mean_divergence  tr D of a box that repeats itself (1/s), U being what repeats itself: then b is not 0
  convex::ProjectionProblem projection_problem(const FaceArrays &U, double mean_divergence = 0.) const;

  /// Coefficients -> faces (all of them, both sides of process borders); faces outside the zone keep what `outside` has.
  FaceArrays     faces(const convex::Vector &u, const FaceArrays &outside) const;
  convex::Vector coefficients(const FaceArrays &u) const;

  /// Multipliers -> pressures p_c = multiplier / L^{d-1}, ghosts up to date, 0 outside the zone; and p_f on wall faces.
  CellArray  cell_pressures(const convex::Vector &p) const;
  FaceArrays wall_pressures(const convex::Vector &p) const;

  /// Σ m_f u_f per axis, of all processes.
  Vector momentum(const convex::Vector &u) const;

  const BoxZone &zone() const;

private:
  std::shared_ptr<const DivergenceConstraint> B;
};
} // namespace moreau::macro

#endif
