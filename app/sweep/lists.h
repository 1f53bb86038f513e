// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SWEEP_LISTS_H
#define MOREAU_APP_SWEEP_LISTS_H

#include "app/input/command_line.h"

#include <functional>
#include <string>
#include <vector>

namespace moreau::app
{
/// `Cone/Type = square, triangular, isotropic` of 'macro impact', in the file or by --set, is a sweep over the cones: the
/// options with it, as they are where there is no list. What cannot be read, or only once, has none.
CommandLine with_lists_as_sweeps(CommandLine options);

/// What of section Cone is given for others of the cones and is nothing to this one, set to its default,
/// "Cone/Dilatancy=": so lists may have cones with s, with an angle and with neither. What is nothing to all of them stays
/// and is refused.
std::vector<std::string> taken_back(const std::vector<std::string> &cones, const std::string &cone,
                                    const std::function<bool(const std::string &path)> &is_given);
} // namespace moreau::app

#endif
