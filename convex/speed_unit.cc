// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/speed_unit.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "convex/structure.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace moreau::convex
{
namespace
{
class RepairInUnit : public FeasibleRepair
{
public:
  RepairInUnit(std::shared_ptr<const FeasibleRepair> repair, const int k) : repair(std::move(repair)), k(k) {}

  Vector repaired(const Vector &u) const override
  {
    return times_power_of_two(repair->repaired(times_power_of_two(u, k)), -k);
  }

private:
  std::shared_ptr<const FeasibleRepair> repair;
  int                                   k;
};
} // namespace

int exponent_of_speeds(const ProjectionProblem &problem)
{
  constexpr int usual    = 230; // squares, times masses of 1e-150 to 1e150, are numbers
  const double  wanted   = problem.b.size() > 0 ? std::max(0., -problem.b.minCoeff()) : 0.;
  const double  in_U     = problem.V->max_over_processes(problem.U.size() > 0 ? problem.U.cwiseAbs().maxCoeff() : 0.);
  const double  size     = in_U > 0. ? in_U : problem.V->max_over_processes(wanted);
  int           exponent = 0;
  if (size > 0. && std::isfinite(size))
    std::frexp(size, &exponent);
  return std::abs(exponent) > usual ? exponent : 0;
}

void require_numbers_of_rows(const ProjectionProblem &problem)
{
  constexpr double least = 1e-250, most = 1e250;
  const Structure  structure = structure_of(problem);
  if (!structure.has_entries())
    return;
  const Vector W = delassus_diagonal(problem);
  for (Index c = 0; c < W.size(); ++c)
    {
      double largest = 0.;
      for (SparseConstraint::Matrix::InnerIterator entry(structure.entries->matrix(), c); entry; ++entry)
        largest = std::max(largest, std::abs(entry.value()));
      if (largest > 0. && !(W(c) >= least && W(c) <= most))
        {
          std::ostringstream text;
          text << "The largest entry of row " << c << " of B (from 0) is " << largest
               << ", whose square over the masses is beyond double precision; divide the row and its b by it, or choose "
                  "another unit of mass.";
          throw InputError(text.str());
        }
    }
}

Vector times_power_of_two(const Vector &v, const int k)
{
  if (std::abs(k) < 1000) // 2^k is a number, and multiplying by it takes less time
    return std::ldexp(1., k) * v;
  return v.unaryExpr([k](const double x) { return std::ldexp(x, k); });
}

ProjectionProblem in_speed_unit(const ProjectionProblem &problem, const int k)
{
  constexpr double  never_used_up = 0x1p300;
  ProjectionProblem result        = problem;
  result.U                        = times_power_of_two(problem.U, -k);
  result.b                        = times_power_of_two(problem.b, -k).cwiseMin(never_used_up);
  if (problem.repair)
    result.repair = std::make_shared<RepairInUnit>(problem.repair, k);
  return result;
}
} // namespace moreau::convex
