// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SAME_ON_ALL_H
#define MOREAU_APP_SAME_ON_ALL_H

#include "app/input/parameters.h"
#include "geometry/processes.h"

#include <string>
#include <utility>
#include <vector>

/// Processes on several machines may see other copies of a file under the same name: what they would compute together then
/// belongs to none of them, or they wait for each other for ever. All processes call these functions together.
namespace moreau::app
{
/// " of process 1 on node7", for sentences.
std::string of_process(int rank);

/// Values by name, which all must have in common: parameters, options. Throws on all the InputError of the first of them
/// that differs on a process from process 0.
void require_same_values(const std::vector<std::pair<std::string, std::string>> &values,
                         const geometry::Processes                              &processes);

/// The same for what is in the files that parameters name, by their size and a checksum; and, where a run goes on, in its
/// checkpoint. Each is read once by every machine that has one of its own; not at all where all processes see the same.
/// Who cannot read a file is not counted: that is said, or done without, where it is read.
void require_same_files(const ParameterFile &file, bool resume, const geometry::Processes &processes);
} // namespace moreau::app

#endif
