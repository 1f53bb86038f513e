// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_SWEEP_SWEPT_H
#define MOREAU_APP_SWEEP_SWEPT_H

#include "app/input/parameters.h"

#include <cstddef>
#include <string>
#include <vector>

namespace moreau::app
{
/// A parameter, or one constant of a list of constants, that takes several values.
struct Swept
{
  std::string              path;     ///< "Section/Name"
  std::string              constant; ///< empty: the parameter as a whole
  std::vector<std::string> values;

  const std::string &name() const { return constant.empty() ? path : constant; }
};

/// One run: the number of a value of each parameter that is swept.
using Combination = std::vector<std::size_t>;

/// --sweep options: "Section/Name=a,b,c", or "Section/Name=angle=a,b,c" for one of several constants "angle = 1, speed = 2";
/// values that have commas themselves are told apart by single bars, "Section/Name=0,0|0,1". base: the parameters without
/// them. Throws InputError where a parameter or constant is not there, has no value, or is swept or set twice.
std::vector<Swept> parse_sweeps(const std::vector<std::string> &options, const std::vector<std::string> &settings,
                                const ParameterFile &base);

/// "Section/Name=value" for each of these options --sweep but those of constants.
std::vector<std::string> first_values(const std::vector<std::string> &options);

/// All of them; the last parameter changes fastest.
std::vector<Combination> combinations_of(const std::vector<Swept> &swept);

/// What --set says of a combination.
std::vector<std::string> settings_of(const std::vector<Swept> &swept, const Combination &combination,
                                     const ParameterFile &base);

/// "angle = 10, Cone/Type = square".
std::string in_words(const std::vector<Swept> &swept, const Combination &combination);
} // namespace moreau::app

#endif
