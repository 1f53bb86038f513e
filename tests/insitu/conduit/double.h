// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_INSITU_CONDUIT_DOUBLE_H
#define MOREAU_TESTS_INSITU_CONDUIT_DOUBLE_H

#include "catalyst.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// A double of libcatalyst for machines that have none: it writes down what it is called with, and does nothing else.
namespace catalyst_double
{
struct Leaf
{
  std::string
      value; ///< "text", int64 3, float64 0.5; int64 [1 2] copied; int64 at [1 2] or float64 at 8+24k [...]: of the caller
  const void *data = nullptr; ///< of the caller: the array's address
};

struct Call
{
  std::string                 function; ///< initialize, execute, finalize
  std::map<std::string, Leaf> leaves;   ///< what it was given, by path
  std::filesystem::path       folder;   ///< it was called in
  int                         n_trees;  ///< that lived then
};

/// All since the last forget().
extern std::vector<Call> calls;

/// What happens in a call, by the name of its function; nothing: it answers catalyst_status_ok.
extern std::function<catalyst_status(const std::string &)> answer;

/// Trees that live now.
extern int n_trees;

void forget();
} // namespace catalyst_double

#endif
