// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_SEQUENCE_OF_IMPACTS_H
#define MOREAU_APP_RUN_SEQUENCE_OF_IMPACTS_H

#include "app/run/micro_outcome.h"

namespace moreau::app
{
/// Warns where the contact tolerance follows from the digits of the file. remark: that of Configuration.
void warn_of_digits(const std::string &remark, Log &log);

/// Warns of impacts whose outcome hangs on Spheres/Contact tolerance, and of collapses (e > 0).
void warn_of_order(const micro::ImpactSequence &sequence, double restitution, Log &log);

/// Free flight and impacts, one after the other, with files that show every impact, the beginning and the end.
/// Throws InputError where walls leave no admissible velocity.
MicroOutcome sequence_of_impacts(const MicroSetting &run);
} // namespace moreau::app

#endif
