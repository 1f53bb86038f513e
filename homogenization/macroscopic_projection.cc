// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/frame.h"
#include "convex/input_error.h"
#include "homogenization/convergence_study.h"
#include "macro/watched.h"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <sstream>

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

bool has_macroscopic_projection(const macro::Domain &domain) { return !geometry::any(domain.periodic); }

Reference macroscopic_projection(const macro::Setting &setting, const std::string &solver,
                                 const convex::StoppingCriterion &criterion, const geometry::Progress &progress)
{
  if (!has_macroscopic_projection(setting.domain))
    throw InputError("the periods",
                     "Macroscopic projections know no box that repeats itself yet; leave the velocity that of "
                     "a mean gradient alone, or give the projection as a formula.");
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

std::string why_not_admissible(const macro::Cone &cone, const Eigen::MatrixXd &D)
{
  const Eigen::Index    d         = D.rows();
  const Eigen::MatrixXd symmetric = .5 * (D + D.transpose());
  const double          trace     = D.trace();
  const double          slack     = 1e-12 * D.norm();
  std::ostringstream    text;
  if (d == 1 || cone.type == macro::ConeType::isotropic)
    {
      if (!(trace >= -slack))
        text << "tr D = " << trace << " 1/s is below 0";
    }
  else if (macro::has_dilatancy(cone.type))
    {
      Eigen::MatrixXd s(1, 1);
      cone.dilatancy(Eigen::MatrixXd::Zero(d, 1), s);
      const bool   is_circular = cone.type == macro::ConeType::circular;
      const double size        = static_cast<double>(d);
      const double deviator    = (symmetric - trace / size * Eigen::MatrixXd::Identity(d, d)).norm();
      const double least       = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric).eigenvalues().minCoeff();
      const double value =
          is_circular ? trace - s(0) * std::sqrt(size * (size - 1.)) * deviator : (1. - s(0)) / size * trace + s(0) * least;
      if (!(value >= -slack))
        text << (is_circular ? d == 2 ? "tr D - s √2 |dev D| = " : "tr D - s √6 |dev D| = "
                             : "(1-s)/d tr D + s λ, λ the least eigenvalue of its symmetric part, = ")
             << value << " 1/s is below 0 with s = " << s(0);
    }
  else
    for (Eigen::Index k = 0; k < cone.directions.cols() && text.str().empty(); ++k)
      if (const auto e = cone.directions.col(k); !(e.dot(D * e) >= -slack))
        {
          text << "e·De = " << e.dot(D * e) << " 1/s is below 0 along e = (";
          for (Eigen::Index a = 0; a < d; ++a)
            text << (a > 0 ? ", " : "") << e(a);
          text << ")";
        }
  return text.str();
}
} // namespace moreau::homogenization
