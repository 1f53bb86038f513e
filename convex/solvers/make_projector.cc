// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/make_projector.h"

#include "convex/solvers/automatic_projector.h"
#include "convex/input_error.h"
#include "convex/solvers/interior_point.h"
#include "convex/solvers/lawson_hanson.h"
#include "convex/solvers/chain_families.h"
#include "convex/solvers/projected_gradient.h"

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

struct Entry
{
  const char *name;
  Make        make;
};

constexpr Entry projectors[] = {{"automatic", make<AutomaticProjector>},
                                {"lines", make<ChainProjector>},
                                {"projected gradient", make<ProjectedGradient>},
                                {"interior point", make<InteriorPoint>},
                                {"Lawson-Hanson", make<LawsonHanson>}};
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
      return projector.make(criterion);
  std::string known;
  for (const std::string &name : projector_names())
    known += (known.empty() ? "" : ", ") + name;
  throw InputError("the solver", "'" + solver + "' is not a solver; choose one of: " + known + ".");
}
} // namespace moreau::convex
