// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_EXCHANGE_COMMANDS_H
#define MOREAU_APP_RUN_EXCHANGE_COMMANDS_H

#include "app/input/command_line.h"

namespace moreau::app
{
/// What `moreau certify` and `moreau convert` do (doc/exchange.md): certify prints its verdict as JSON. Returns the exit
/// status, 2 where an answer is farther from the projection than --tolerance; every error is one sentence on stderr.
int exchange(const CommandLine &options);
} // namespace moreau::app

#endif
