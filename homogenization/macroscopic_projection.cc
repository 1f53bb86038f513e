// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"
#include "convex/input_error.h"
#include "homogenization/convergence_study.h"
#include "macro/watched.h"

namespace moreau::homogenization
{
namespace
{
/// What the velocity as a function refers to.
struct Solution
{
  std::unique_ptr<macro::Discretization> mesh;
  convex::SaddlePoint                    x;
  macro::TotalBound                      bound;
};
} // namespace

Reference macroscopic_projection(const macro::Setting &setting, const std::string &solver,
                                 const convex::StoppingCriterion &criterion, const geometry::Progress &progress)
{
  const auto solution  = std::make_shared<Solution>();
  solution->mesh       = macro::discretize(setting, progress.part(0., .2));
  const auto of_solver = macro::watched(criterion, progress.part(.2, .7));
  solution->x          = convex::project_in_frame(*solution->mesh->projector(solver, of_solver), solution->mesh->problem(),
                                                  solution->mesh->p_start());
  solution->bound      = solution->mesh->total_bound(solution->x, progress.part(.7, 1.));
  macro::judge(criterion, solution->bound, solution->x);

  Reference reference;
  reference.name                = name(setting.cone.type);
  reference.cone                = setting.cone;
  const geometry::Field on_mesh = solution->mesh->velocity(solution->x);
  if (!on_mesh)
    throw InputError("the mesh",
                     "This mesh does not offer its velocity as a function of position, which homogenization compares with; "
                     "use the grid on the box.");
  reference.u               = [solution, on_mesh](const Eigen::MatrixXd &x, Eigen::MatrixXd &u) { on_mesh(x, u); };
  reference.fields          = [solution] { return solution->mesh->fields(solution->x, solution->x.u, solution->bound); };
  reference.certified       = solution->x.converged();
  reference.guaranteed      = solution->bound.available && solution->bound.guaranteed;
  reference.error           = solution->bound.available ? solution->bound.eta : std::numeric_limits<double>::infinity();
  reference.description     = solution->mesh->description();
  const std::string remarks = solution->mesh->remarks();
  reference.remark          = remarks;
  if (remarks.find(solution->bound.remark) == std::string::npos)
    reference.remark += (remarks.empty() ? "" : " ") + solution->bound.remark;
  return reference;
}
} // namespace moreau::homogenization
