// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/by_one_process.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace moreau::convex
{
namespace
{
/// What the first process has to say of an answer, besides u and p.
struct Account
{
  Certificate   certificate;
  unsigned int  n_iterations     = 0;
  Status        status           = Status::iteration_limit;
  Index         n_rigid_rows     = -1; ///< below 0: nobody looked
  std::uint64_t length_of_method = 0;
  bool          has_structure    = true; ///< that the projector needs
};
static_assert(std::is_trivially_copyable_v<Account>);

std::string from_first(const Sharing &processes, std::string text, const std::uint64_t length)
{
  text.resize(length);
  processes.from_first(text.data(), length);
  return text;
}
} // namespace

SaddlePoint project_by_one(const ConeProjector &projector, const ProjectionProblem &problem, const Vector *const p_start)
{
  const SharedNetwork *const network = shared_network(problem);
  if (!network)
    return projector.project(problem, p_start);
  const Sharing          &processes = network->processes();
  const ProjectionProblem whole     = network->whole(problem);
  const Vector            p_whole   = p_start ? network->whole_rows(*p_start) : Vector();

  SaddlePoint x;
  Account     account;
  by_first(processes, [&] {
    try
      {
        x       = projector.project(whole, p_start ? &p_whole : nullptr);
        account = {x.certificate, x.n_iterations, x.status, x.rigid ? x.rigid->n_rows : -1, x.method.size(), true};
      }
    catch (const std::invalid_argument &error)
      {
        x.method                 = error.what();
        account.length_of_method = x.method.size();
        account.has_structure    = false;
      }
  });
  processes.from_first(&account, sizeof account);
  x.method = from_first(processes, x.method, account.length_of_method);
  if (!account.has_structure)
    throw std::invalid_argument(x.method);
  x.u            = network->nodes_of_whole(x.u);
  x.p            = network->rows_of_whole(x.p);
  x.certificate  = account.certificate;
  x.n_iterations = account.n_iterations;
  x.status       = account.status;
  if (account.n_rigid_rows >= 0)
    x.rigid = RigidSet{account.n_rigid_rows,
                       account.n_rigid_rows > 0 ? network->rows_of_whole(x.rigid ? x.rigid->is_rigid : Vector()) : Vector()};
  return x;
}
} // namespace moreau::convex
