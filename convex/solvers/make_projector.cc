// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/make_projector.h"

#include "convex/input_error.h"
#include "convex/solvers/automatic_projector.h"
#include "convex/solvers/by_one_process.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/chain_projector.h"
#include "convex/solvers/projected_gradient.h"
#include "convex/speed_unit.h"

namespace moreau::convex
{
namespace
{
using Make = std::unique_ptr<ConeProjector> (*)(const StoppingCriterion &);

template <class Projector>
std::unique_ptr<ConeProjector> make(const StoppingCriterion &criterion)
{
  return std::make_unique<Projector>(criterion);
}

/// What knows one memory only.
template <class Projector>
std::unique_ptr<ConeProjector> make_for_one(const StoppingCriterion &criterion)
{
  return std::make_unique<ByOneProcess>(make<Projector>(criterion));
}

struct Entry
{
  const char *name;
  Make        make;
};

/// In a unit of speed in which squares are numbers.
class InSpeedUnit : public ConeProjector
{
public:
  explicit InSpeedUnit(std::unique_ptr<ConeProjector> projector) : projector(std::move(projector)) {}

  SaddlePoint project(const ProjectionProblem &problem, const Vector *const p_start) const override
  {
    const int k = exponent_of_speeds(problem);
    if (k == 0)
      return projector->project(problem, p_start);
    const Vector start  = p_start ? times_power_of_two(*p_start, -k) : Vector();
    SaddlePoint  x      = projector->project(in_speed_unit(problem, k), p_start ? &start : nullptr);
    x.u                 = times_power_of_two(x.u, k);
    x.p                 = times_power_of_two(x.p, k);
    x.certificate.scale = std::ldexp(x.certificate.scale, k);
    return x;
  }

private:
  std::unique_ptr<ConeProjector> projector;
};

constexpr Entry projectors[] = {{"automatic", make<AutomaticProjector>},
                                {"lines", make<ChainProjector>},
                                {"projected gradient", make<ProjectedGradient>},
                                {"interior point", make_for_one<InteriorPoint>},
                                {"Lawson-Hanson", make_for_one<LawsonHanson>}};
} // namespace

const std::vector<std::string> &projector_names()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry &projector : projectors)
      all.emplace_back(projector.name);
    return all;
  }();
  return names;
}

std::unique_ptr<ConeProjector> make_projector(const std::string &solver, const StoppingCriterion &criterion)
{
  for (const Entry &projector : projectors)
    if (solver == projector.name)
      return std::make_unique<InSpeedUnit>(projector.make(criterion));
  std::string known;
  for (const std::string &name : projector_names())
    known += (known.empty() ? "" : ", ") + name;
  throw InputError("the solver", "'" + solver + "' is not a solver; choose one of: " + known + ".");
}
} // namespace moreau::convex
