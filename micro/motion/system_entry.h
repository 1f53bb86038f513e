// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MICRO_MOTION_SYSTEM_ENTRY_H
#define MOREAU_MICRO_MOTION_SYSTEM_ENTRY_H

#include "micro/motion/mechanical_system.h"

#include <functional>

namespace moreau::micro
{
/// A number that a system takes.
struct SystemConstant
{
  std::string name;
  double      value; ///< default
  std::string unit;  ///< "m/s"; empty where it has none
};

/// What a file of micro/motion/systems/ offers.
struct SystemEntry
{
  std::string                 name;        ///< as in 'set Type = name'
  std::string                 description; ///< part of a sentence, without constants and full stop
  std::vector<SystemConstant> constants;

  /// Called with a value for every constant, all finite. Throws
  /// InputError("the constants of the system") for values that it cannot use.
  std::function<std::unique_ptr<MechanicalSystem>(const SystemConstants &)> make;
};

/// constants.at(name). Throws InputError("the constants of the system") unless it is positive.
double positive(const SystemConstants &constants, const std::string &name);

/// The same for a number that may be 0.
double not_negative(const SystemConstants &constants, const std::string &name);

/// One entry per file of micro/motion/systems/, in the order of the files' names. Written by CMake.
std::vector<SystemEntry> system_entries();
} // namespace moreau::micro

#endif
