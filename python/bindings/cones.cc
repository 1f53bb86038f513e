// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/arrays.h"
#include "python/bindings/certificates.h"
#include "python/bindings/spheres.h"
#include "python/bindings/interrupts.h"

#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/inner_direction.h"
#include "convex/solvers/make_projector.h"
#include "convex/speed_unit.h"

#include <pybind11/stl.h>

#include <limits>

namespace moreau::python
{
namespace
{
/// data, indices, indptr of scipy's CSR with sorted indices, and the shape.
using Csr = std::tuple<Doubles, Ints, Ints, Index, Index>;

convex::SparseConstraint::Matrix matrix_of(const Csr &B)
{
  const auto &[data, indices, starts, m, n] = B;
  return Eigen::Map<const convex::SparseConstraint::Matrix>(m, n, data.size(), starts.data(), indices.data(), data.data());
}

/// {v : Bv <= b} with lumped masses. No velocity is uniform in a space that nobody knows: "relative" is to |U| and b.
convex::ProjectionProblem problem_of(const Csr &B, const Doubles &U, const std::optional<Doubles> &b, const Doubles &masses,
                                     const std::optional<Doubles> &expansion)
{
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(Vector(view(masses)), 1, std::vector<bool>{true});
  problem.B = std::make_shared<convex::SparseConstraint>(matrix_of(B));
  problem.U = view(U);
  problem.b = vector_or_empty(b);
  if (problem.b.isZero(0.))
    problem.b.resize(0);
  convex::require_numbers_of_rows(problem);
  if (expansion)
    problem.expansion = {view(*expansion), std::vector<int>(problem.n_unknowns(), 0),
                         std::vector<int>(problem.n_constraints(), 0), 1};
  return problem;
}

py::dict project(const Csr &B, const Doubles &U, const std::optional<Doubles> &b, const Doubles &masses,
                 const std::optional<Doubles> &expansion, const double tolerance, const std::string &solver,
                 const std::optional<Doubles> &p_start)
{
  convex::ProjectionProblem problem = problem_of(B, U, b, masses, expansion);
  const Vector              start   = vector_or_empty(p_start);
  convex::StoppingCriterion criterion;
  criterion.tolerance  = tolerance;
  criterion.watch      = watch_for_signals();
  const auto projector = convex::make_projector(solver, criterion);

  convex::SaddlePoint x;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    if (!expansion)
      problem.expansion = convex::inner_direction(problem, watch_for_signals());
    x = projector->project(problem, start.size() > 0 ? &start : nullptr);
  }
  py::dict result;
  result["certificate"] = to_dict(x.certificate, x.converged());
  add_effort(result, convex::effort_of(x), x.method);
  result["u"] = to_array(std::move(x.u));
  result["p"] = to_array(std::move(x.p));
  return result;
}

py::dict certify(const Csr &B, const Doubles &U, const Doubles &u, const Doubles &p, const std::optional<Doubles> &b,
                 const Doubles &masses, const std::optional<Doubles> &expansion)
{
  convex::ProjectionProblem problem    = problem_of(B, U, b, masses, expansion);
  const Vector              u_of_other = view(u), p_of_other = view(p);
  convex::Certificate       certificate;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    if (!expansion)
      problem.expansion = convex::inner_direction(problem, watch_for_signals());
    certificate = convex::certify(problem, u_of_other, p_of_other);
  }
  return to_dict(certificate, true);
}
/// Per row whether no admissible velocity opens it; None where that cannot be decided.
std::optional<py::array_t<bool>> rigid_rows(const Csr &B, const Index n, const std::optional<Doubles> &b)
{
  const std::vector<double>       none(n, 0.), ones(n, 1.);
  const convex::ProjectionProblem problem = problem_of(B, Doubles(n, none.data()), b, Doubles(n, ones.data()), {});
  std::optional<convex::RigidSet> found;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    found = convex::rigid_rows(problem, std::numeric_limits<Index>::max());
  }
  if (!found)
    return std::nullopt;
  py::array_t<bool> result(problem.n_constraints());
  for (Index c = 0; c < problem.n_constraints(); ++c)
    result.mutable_at(c) = found->n_rows > 0 && found->is_rigid(c) > 0.;
  return result;
}
} // namespace

void define_cones(py::module_ &module)
{
  module.def("rigid_rows", &rigid_rows);
  module.def("project", &project);
  module.def("certify", &certify);
  module.def("solvers", &convex::projector_names);
}
} // namespace moreau::python
