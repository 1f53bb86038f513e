// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/cellwise_system.h"

#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>

namespace moreau::macro
{
namespace
{
using DoF = dealii::types::global_dof_index;

class Multigrid : public CellwiseSystem
{
public:
  Multigrid(const GhostExchange &numbering, const std::vector<const CellMap *> &cells, const int block)
      : numbering(numbering)
  {
    const auto n = static_cast<DoF>(numbering.n_global());
    own          = dealii::IndexSet(n);
    own.add_range(static_cast<DoF>(numbering.first()), static_cast<DoF>(numbering.first() + numbering.n_own()));
    dealii::IndexSet relevant = own;
    for (const long long ghost : numbering.ghost_numbers())
      relevant.add_index(static_cast<DoF>(ghost));
    dealii::DynamicSparsityPattern pattern(n, n, relevant);
    for (const CellMap *const cell : cells)
      {
        indices.emplace_back();
        for (const Index i : cell->index)
          indices.back().push_back(static_cast<DoF>(numbering.global(i)));
        for (const DoF row : indices.back())
          for (const DoF column : indices.back())
            pattern.add(row, column);
      }
    for (Index i = 0; i < numbering.n_own(); ++i)
      pattern.add(static_cast<DoF>(numbering.global(i)), static_cast<DoF>(numbering.global(i)));
    const MPI_Comm comm = numbering.sharing().communicator();
    dealii::SparsityTools::distribute_sparsity_pattern(pattern, own, comm, relevant);
    matrix.reinit(own, own, pattern, comm);
    x_vector.reinit(own, comm);
    f_vector.reinit(own, comm);

    choice.elliptic              = true;
    choice.smoother_sweeps       = 2;
    choice.aggregation_threshold = 1e-4;
    // own rows only
    for (int k = 0; k < block; ++k)
      {
        std::vector<bool> mode(static_cast<std::size_t>(numbering.n_own()));
        for (std::size_t i = 0; i < mode.size(); ++i)
          mode[i] = static_cast<int>(i) % block == k;
        choice.constant_modes.push_back(mode);
      }
  }

  bool set(const std::vector<Eigen::MatrixXd> &cell_matrices, const Vector &diagonal) override
  {
    matrix = 0.;
    for (std::size_t c = 0; c < cell_matrices.size(); ++c)
      for (std::size_t j = 0; j < indices[c].size(); ++j) // symmetric: a column is a row
        matrix.add(indices[c][j], static_cast<DoF>(indices[c].size()), indices[c].data(),
                   cell_matrices[c].col(static_cast<Index>(j)).data(), false, true);
    for (Index i = 0; i < numbering.n_own(); ++i)
      matrix.add(static_cast<DoF>(numbering.global(i)), static_cast<DoF>(numbering.global(i)), diagonal(i));
    matrix.compress(dealii::VectorOperation::add);
    multigrid.initialize(matrix, choice);
    return true;
  }

  int solve(const Vector &f, Vector &x, const double tolerance) const override
  {
    copy(f, f_vector);
    copy(x, x_vector);
    const double                size = f_vector.l2_norm();
    constexpr int               cap  = 400;
    dealii::SolverControl       control(cap, tolerance * size + std::numeric_limits<double>::min());
    dealii::SolverCG<DoFVector> cg(control);
    try
      {
        cg.solve(matrix, x_vector, f_vector, multigrid);
      }
    catch (const dealii::SolverControl::NoConvergence &)
      {
        // the caller judges what came out
      }
    for (Index i = 0; i < numbering.n_own(); ++i)
      x(i) = x_vector(static_cast<DoF>(numbering.global(i)));
    return static_cast<int>(control.last_step());
  }

private:
  using DoFVector = dealii::TrilinosWrappers::MPI::Vector;

  void copy(const Vector &from, DoFVector &to) const
  {
    for (Index i = 0; i < numbering.n_own(); ++i)
      to(static_cast<DoF>(numbering.global(i))) = from(i);
    to.compress(dealii::VectorOperation::insert);
  }

  const GhostExchange                                       numbering;
  dealii::IndexSet                                          own;
  std::vector<std::vector<DoF>>                             indices; ///< per cell
  dealii::TrilinosWrappers::SparseMatrix                    matrix;
  dealii::TrilinosWrappers::PreconditionAMG                 multigrid;
  dealii::TrilinosWrappers::PreconditionAMG::AdditionalData choice;
  mutable DoFVector                                         x_vector, f_vector;
};
} // namespace

std::unique_ptr<CellwiseSystem> multigrid_system(const GhostExchange &numbering, const std::vector<const CellMap *> &cells,
                                                 const int block)
{
  return std::make_unique<Multigrid>(numbering, cells, block);
}
} // namespace moreau::macro
