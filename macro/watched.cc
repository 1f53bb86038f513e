// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/watched.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace moreau::macro
{
convex::StoppingCriterion watched(convex::StoppingCriterion criterion, const geometry::Progress &progress)
{
  // copies of the criterion share it
  criterion.watch.tell = [progress, most = std::make_shared<double>(0.)](const double error, const double enough) {
    if (!(error > 0. && enough > 0. && std::isfinite(error)))
      return;
    const double decades = std::max(0., std::log10(error / enough));
    *most                = std::max(*most, decades);
    if (*most > 0.)
      progress(1. - decades / *most);
  };
  return criterion;
}
} // namespace moreau::macro
