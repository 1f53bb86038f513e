// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_MESHES_SPACE_H
#define MOREAU_MACRO_MESHES_SPACE_H

#include "geometry/ghost_exchange.h"
#include "macro/vocabulary.h"
#include "macro/meshes/refined_mesh.h"

#include <memory>
#include <vector>

/// Finite elements on a MixedMesh as plain arrays: what the saturated cells of this process know.
/// Letters: c a saturated own cell, K the same as an index of matrices, i, j its local functions.
namespace moreau::macro
{
/// Local coefficients of a cell as combinations of coefficients of the mesh (own and ghosts):
///     local(i) = Σ_j weight(i, j) x(index[j]).
struct CellMap
{
  std::vector<Index> index;
  Eigen::MatrixXd    weight;

  Vector gather(const Vector &x) const;                     ///< local coefficients from those of the mesh
  void   scatter_add(const Vector &local, Vector &x) const; ///< the transpose, added
};

/// The functions of a cell at the points of a quadrature rule, in the cell or on one of its faces.
struct CellFunctions
{
  Eigen::MatrixXd x;       ///< dim x n points (m)
  Vector          weights; ///< n, they sum to the volume of the cell or the area of the face
  Eigen::MatrixXd vectors; ///< dim*n x n_functions, point after point: φ_j (velocities) or ∇φ_j (pressures)
  Eigen::MatrixXd scalars; ///< n x n_functions: div φ_j, on faces φ_j·n (velocities); φ_j (pressures)
};

/// Evaluates the functions of one space in one cell after another.
class CellEvaluator
{
public:
  virtual ~CellEvaluator() = default;

  /// In the saturated own cell c.
  virtual CellFunctions inside(Index c) = 0;

  /// On each of its wall faces.
  virtual std::vector<CellFunctions> on_walls(Index c) = 0;
};

/// Raviart-Thomas velocities on the saturated cells and the divergence constraint on them, cell by cell:
///     M_K(i,j) = ∫ φ_i·φ_j,      B_K: one row per vertex (dim 2, degree 1) or cell (dim 3, degree 0), then per end of
///     wall faces, (B_K)_row,j = -w div φ_j / L^{d-1} at the vertex,  + w φ_j·n / L^{d-1} on walls,     L = |c|^{1/d},
/// coefficients in m/s, w the trapezoidal (midpoint) weight there. det J div v is bilinear, so what holds at the vertices
/// holds in the cell. Hanging nodes are condensed: unknowns are independent, `velocity` maps them to the local functions of
/// a cell. Normal components that two cells share are tied by `traces`: Σ_K Cᵀ_K v_K = 0 for velocities with continuous
/// normal components.
struct MixedSpace
{
  int                          dim = 0, degree = 0;
  Index                        n_functions       = 0; ///< local ones of a cell
  Index                        rows_per_cell     = 0; ///< without walls
  Index                        n_traces_per_face = 0;
  std::vector<Index>           own_cell;  ///< number of c among the own cells of the mesh
  std::vector<double>          volume;    ///< |c|
  std::vector<Vector>          scale;     ///< of each c: m² (m in the plane) per function, makes coefficients velocities
  std::vector<Eigen::MatrixXd> M, B;      ///< of each c
  std::vector<Index>           first_row; ///< of c in the constraint; n_cells()+1 of them
  std::vector<CellMap>         velocity;  ///< of each c: n_functions x its unknowns
  std::vector<CellMap>         traces;    ///< of each c: C_K (n_functions x its trace multipliers)
  GhostExchange                unknowns, multipliers; ///< numbering of both; multipliers of one face follow each other

  Index     n_cells() const { return static_cast<Index>(own_cell.size()); }
  Processes processes() const { return unknowns.sharing(); }

  /// L^{d-1}, the length that turns a flux into a velocity.
  double flux_scale(const Index c) const { return std::pow(volume[c], (dim - 1.) / dim); }
};

/// Raviart-Thomas elements of degree 1 in the plane, of degree 0 in space.
template <int dim>
class RaviartThomas
{
public:
  explicit RaviartThomas(const MixedMesh<dim> &mesh);
  ~RaviartThomas();

  const std::shared_ptr<const MixedSpace> &space() const { return data; }

  /// Gauss's rule with n_gauss points per direction. Refers to this object and its mesh.
  std::unique_ptr<CellEvaluator> evaluator(int n_gauss) const;

private:
  struct DealII;
  std::unique_ptr<DealII>           elements;
  std::shared_ptr<const MixedSpace> data;
};
} // namespace moreau::macro

#endif
