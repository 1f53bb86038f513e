// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_SINGLE_IMPACT_H
#define MOREAU_APP_RUN_SINGLE_IMPACT_H

#include "app/run/micro_outcome.h"
#include "parallel/shared_impact.h"

namespace moreau::app
{
/// One impact of what touches now, with the files that show it. Throws InputError where walls leave no admissible velocity.
MicroOutcome single_impact(const MicroSetting &run);

/// The same by all processes, each of which has some of the spheres in the configuration, and the contacts that begin there,
/// numbered over all; r_j: centres of their second spheres. What the outcome says is of all; the first process writes
/// tables.
MicroOutcome single_impact(const MicroSetting &run, const parallel::SharedImpact &shared, Eigen::MatrixXd r_j,
                           const geometry::Processes &processes);
} // namespace moreau::app

#endif
