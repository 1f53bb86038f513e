// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/obstacle_peers.h"

#include "convex/certificate.h"
#include "tests/benchmarks/table.h"

#include <petscdmda.h>
#include <petscksp.h>
#include <petscsnes.h>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace moreau::benchmarks
{
namespace
{
using convex::Index;
using convex::Vector;

void check(const PetscErrorCode error)
{
  if (error != 0)
    throw std::runtime_error("PETSc failed with error " + std::to_string(error) + ".");
}

constexpr PetscInt coarsest = 5; ///< nodes per side

/// Right-hand sides and operators on m x m nodes, i fastest, those on the sides included; there x = 0. On the finest grid
/// the inner nodes are the cells, W is that of the staggered grid: links 1/h²
/// and 2/h² to the sides, which are half a cell from the last centres.
class Grids
{
public:
  explicit Grids(const convex::ProjectionProblem &problem)
      : n(std::lround(std::sqrt(static_cast<double>(problem.n_constraints())))), speed(convex::typical_speed(problem))
  {
    if (n * n != problem.n_constraints() || (n & (n + 1)) != 0 || n + 2 <= coarsest)
      throw std::invalid_argument("PetscPeers: n x n unknowns are needed, n = 2^k - 1.");
    Vector BU(problem.n_constraints());
    problem.B->apply(problem.U, BU);
    PetscInt m = n + 2;
    f[m]       = Vector::Zero(m * m);
    for (Index j = 0; j < n; ++j)
      f[m].segment((j + 1) * m + 1, n) = BU.segment(j * n, n);
    for (; m > coarsest; m = m / 2 + 1)
      f[m / 2 + 1] = restricted(f[m], m);
  }

  PetscInt      finest() const { return n + 2; }
  const Vector &right_side(const PetscInt m) const { return f.at(m); }
  double        typical_speed() const { return speed; }
  PetscInt      n_refinements() const { return static_cast<PetscInt>(f.size()) - 1; }

  bool on_side(const PetscInt m, const PetscInt i, const PetscInt j) const
  {
    return i == 0 || j == 0 || i == m - 1 || j == m - 1;
  }
  /// Between neighbouring inner nodes.
  double link(const PetscInt m) const { return std::pow(n * (m - 1.) / (n + 1.), 2); }
  /// To the side, half a cell of the finest grid nearer than its node.
  double side_link(const PetscInt m) const { return link(m) / (1. - .5 * (m - 1.) / (n + 1.)); }
  double diagonal(const PetscInt m, const PetscInt i, const PetscInt j) const
  {
    const int n_sides = (i == 1) + (j == 1) + (i == m - 2) + (j == m - 2);
    return (4 - n_sides) * link(m) + n_sides * side_link(m);
  }

  /// (Wx - f) at an inner node, from x in the whole array.
  double slack(const PetscInt m, const PetscInt i, const PetscInt j, const double *const x) const
  {
    const PetscInt k   = j * m + i;
    double         sum = diagonal(m, i, j) * x[k];
    sum -= link(m) *
           ((i > 1 ? x[k - 1] : 0.) + (i < m - 2 ? x[k + 1] : 0.) + (j > 1 ? x[k - m] : 0.) + (j < m - 2 ? x[k + m] : 0.));
    return sum - f.at(m)(k);
  }

  /// max |min(½ W_cc x_c, (Wx - f)_c)| / typical speed.
  double natural_residual(const PetscInt m, const double *const x) const
  {
    double worst = 0.;
    for (PetscInt j = 1; j < m - 1; ++j)
      for (PetscInt i = 1; i < m - 1; ++i)
        worst = std::max(worst, std::abs(std::min(.5 * diagonal(m, i, j) * x[j * m + i], slack(m, i, j, x))));
    return worst / speed;
  }

  Vector cells(const double *const x) const
  {
    Vector p(n * n);
    for (Index j = 0; j < n; ++j)
      p.segment(j * n, n) = Eigen::Map<const Vector>(x + (j + 1) * (n + 2) + 1, n);
    return p;
  }

  double                          tolerance = 0.; ///< natural residual on the finest grid
  mutable std::set<PetscObjectId> assembled;      ///< matrices that need no second visit

private:
  /// Full weighting.
  static Vector restricted(const Vector &fine, const PetscInt m)
  {
    const PetscInt coarse = m / 2 + 1;
    Vector         result = Vector::Zero(coarse * coarse);
    for (PetscInt j = 1; j < coarse - 1; ++j)
      for (PetscInt i = 1; i < coarse - 1; ++i)
        for (int b = -1; b <= 1; ++b)
          for (int a = -1; a <= 1; ++a)
            result(j * coarse + i) += (2 - std::abs(a)) * (2 - std::abs(b)) / 16. * fine((2 * j + b) * m + 2 * i + a);
    return result;
  }

  Index                      n;
  double                     speed;
  std::map<PetscInt, Vector> f;
};

PetscErrorCode set_bounds(SNES, Vec lower, Vec upper)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(lower, 0.));
  PetscCall(VecSet(upper, PETSC_INFINITY));
  PetscFunctionReturn(0);
}

PetscErrorCode set_residual(SNES snes, Vec x, Vec F, void *context)
{
  PetscFunctionBeginUser;
  const auto        &grids = *static_cast<const Grids *>(context);
  DM                 dm;
  DMDALocalInfo      info;
  const PetscScalar *x_values;
  PetscScalar       *F_values;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(VecGetArrayRead(x, &x_values));
  PetscCall(VecGetArray(F, &F_values));
  const PetscInt m = info.mx;
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < m; ++i)
      F_values[j * m + i] =
          grids.on_side(m, i, j) ? 4. * grids.link(m) * x_values[j * m + i] : grids.slack(m, i, j, x_values);
  PetscCall(VecRestoreArrayRead(x, &x_values));
  PetscCall(VecRestoreArray(F, &F_values));
  PetscFunctionReturn(0);
}

PetscErrorCode assemble(const Grids &grids, const PetscInt m, Mat W)
{
  PetscFunctionBeginUser;
  PetscObjectId id;
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(W), &id));
  if (!grids.assembled.insert(id).second)
    PetscFunctionReturn(0);
  for (PetscInt j = 0; j < m; ++j)
    for (PetscInt i = 0; i < m; ++i)
      {
        MatStencil  row = {0, j, i, 0}, columns[5] = {{0, j, i, 0}};
        PetscScalar values[5]   = {grids.on_side(m, i, j) ? 4. * grids.link(m) : grids.diagonal(m, i, j)};
        PetscInt    count       = 1;
        const int   steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (const auto &step : steps)
          if (!grids.on_side(m, i, j) && !grids.on_side(m, i + step[0], j + step[1]))
            {
              columns[count]  = {0, j + step[1], i + step[0], 0};
              values[count++] = -grids.link(m);
            }
        PetscCall(MatSetValuesStencil(W, 1, &row, count, columns, values, INSERT_VALUES));
      }
  PetscCall(MatAssemblyBegin(W, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(W, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode set_jacobian(SNES snes, Vec, Mat, Mat W, void *context)
{
  PetscFunctionBeginUser;
  DM            dm;
  DMDALocalInfo info;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(assemble(*static_cast<const Grids *>(context), info.mx, W));
  PetscFunctionReturn(0);
}

PetscErrorCode set_operators(KSP ksp, Mat, Mat W, void *context)
{
  PetscFunctionBeginUser;
  DM            dm;
  DMDALocalInfo info;
  PetscCall(KSPGetDM(ksp, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(assemble(*static_cast<const Grids *>(context), info.mx, W));
  PetscFunctionReturn(0);
}

/// The same test for all solvers; on coarser grids, whose solutions are guesses, a thousandth will do.
PetscErrorCode test_convergence(SNES snes, PetscInt, PetscReal, PetscReal, PetscReal, SNESConvergedReason *reason,
                                void *context)
{
  PetscFunctionBeginUser;
  const auto        &grids = *static_cast<const Grids *>(context);
  DM                 dm;
  DMDALocalInfo      info;
  Vec                x;
  const PetscScalar *values;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(SNESGetSolution(snes, &x));
  PetscCall(VecGetArrayRead(x, &values));
  const double tolerance = info.mx == grids.finest() ? grids.tolerance : std::max(grids.tolerance, 1e-3);
  *reason = grids.natural_residual(info.mx, values) <= tolerance ? SNES_CONVERGED_FNORM_ABS : SNES_CONVERGED_ITERATING;
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscFunctionReturn(0);
}

DM nodes(const PetscInt m)
{
  DM dm;
  check(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, m, m, 1, 1, 1, 1, nullptr,
                     nullptr, &dm));
  check(DMSetUp(dm));
  return dm;
}

void set_options(const std::string &prefix, const std::map<std::string, std::string> &options)
{
  for (const auto &[name, value] : options)
    check(PetscOptionsSetValue(nullptr, ("-" + prefix + name).c_str(), value.empty() ? nullptr : value.c_str()));
}

const std::map<std::string, std::string> geometric_multigrid = {{"ksp_type", "cg"},
                                                                {"pc_type", "mg"},
                                                                {"pc_mg_galerkin", "both"},
                                                                {"mg_levels_ksp_type", "richardson"},
                                                                {"mg_levels_ksp_max_it", "1"},
                                                                {"mg_levels_pc_type", "sor"}};
const std::map<std::string, std::string> hypre = {{"ksp_type", "cg"}, {"pc_type", "hypre"}, {"pc_hypre_type", "boomeramg"}};

PetscPeers::Run projection(Grids &grids, const std::string &method, const std::string &prefix)
{
  PetscPeers::Run run;
  run.method = method;
  grids.assembled.clear();
  const double begin  = seconds();
  DM           coarse = nodes(coarsest);
  SNES         snes;
  check(SNESCreate(PETSC_COMM_SELF, &snes));
  check(SNESSetDM(snes, coarse));
  check(SNESSetOptionsPrefix(snes, prefix.c_str()));
  check(SNESSetType(snes, SNESVINEWTONRSLS));
  check(SNESVISetComputeVariableBounds(snes, set_bounds));
  check(DMSNESSetFunction(coarse, set_residual, &grids));
  check(DMSNESSetJacobian(coarse, set_jacobian, &grids));
  check(SNESSetConvergenceTest(snes, test_convergence, &grids, nullptr));
  check(SNESSetTolerances(snes, 0., 0., 0., 400, PETSC_MAX_INT));
  check(SNESSetGridSequence(snes, grids.n_refinements()));
  check(SNESSetFromOptions(snes));
  check(SNESSolve(snes, nullptr, nullptr));

  Vec                x;
  const PetscScalar *values;
  PetscInt           n_iterations;
  check(SNESGetSolution(snes, &x));
  check(SNESGetIterationNumber(snes, &n_iterations));
  run.seconds = seconds() - begin;
  check(VecGetArrayRead(x, &values));
  run.n_iterations = n_iterations;
  run.residual     = grids.natural_residual(grids.finest(), values);
  run.p            = grids.cells(values);
  check(VecRestoreArrayRead(x, &values));
  check(SNESDestroy(&snes));
  check(DMDestroy(&coarse));
  return run;
}
} // namespace

PetscPeers::PetscPeers()
{
  check(PetscInitializeNoArguments());
  for (const char *const prefix : {"geometric_", "linear_"})
    set_options(prefix, geometric_multigrid);
  set_options("algebraic_", hypre);
  // p in m/s times metres is small: an absolute 1e-8 would hold on to nodes at the edge of contact
  for (const char *const prefix : {"geometric_", "algebraic_"})
    set_options(prefix, {{"ksp_rtol", "1e-2"}, {"snes_vi_zero_tolerance", "0"}});
}

PetscPeers::~PetscPeers() { PetscFinalize(); }

std::vector<PetscPeers::Run> PetscPeers::projections(const convex::ProjectionProblem &problem, const double tolerance) const
{
  Grids grids(problem);
  grids.tolerance = tolerance;
  std::vector<Run> runs;
  runs.push_back(projection(grids, "PETSc rsls, geometric multigrid", "geometric_"));
  if (PetscBool has_hypre = PETSC_FALSE; PetscHasExternalPackage("hypre", &has_hypre) == 0 && has_hypre)
    runs.push_back(projection(grids, "PETSc rsls, hypre", "algebraic_"));
  return runs;
}

PetscPeers::Run PetscPeers::linear_solve(const convex::ProjectionProblem &problem, const double tolerance) const
{
  const Grids  grids(problem);
  Run          run;
  const double begin = seconds();
  run.method         = "PETSc Poisson, geometric multigrid";
  DM dm              = nodes(coarsest), finest;
  for (PetscInt level = 0; level < grids.n_refinements(); ++level)
    {
      check(DMRefine(dm, PETSC_COMM_SELF, &finest));
      check(DMDestroy(&dm));
      dm = finest;
    }
  KSP ksp;
  Vec x, f;
  check(KSPCreate(PETSC_COMM_SELF, &ksp));
  check(KSPSetOptionsPrefix(ksp, "linear_"));
  check(KSPSetDM(ksp, dm));
  check(DMKSPSetComputeOperators(dm, set_operators, const_cast<Grids *>(&grids)));
  check(KSPSetTolerances(ksp, tolerance, 0., PETSC_DEFAULT, 200));
  check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  check(KSPSetFromOptions(ksp));
  check(DMCreateGlobalVector(dm, &x));
  check(VecDuplicate(x, &f));
  PetscScalar *values;
  check(VecGetArray(f, &values));
  const Vector &right_side = grids.right_side(grids.finest());
  std::copy(right_side.begin(), right_side.end(), values);
  check(VecRestoreArray(f, &values));
  check(KSPSolve(ksp, f, x));
  run.seconds = seconds() - begin;

  PetscInt           n_iterations;
  PetscReal          norm;
  const PetscScalar *solution;
  check(KSPGetIterationNumber(ksp, &n_iterations));
  check(KSPGetResidualNorm(ksp, &norm));
  check(VecGetArrayRead(x, &solution));
  run.n_iterations = n_iterations;
  run.residual     = norm / right_side.norm();
  run.p            = grids.cells(solution);
  check(VecRestoreArrayRead(x, &solution));
  check(VecDestroy(&x));
  check(VecDestroy(&f));
  check(KSPDestroy(&ksp));
  check(DMDestroy(&dm));
  return run;
}
} // namespace moreau::benchmarks
