// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_INSITU_PLUGIN_SCRIPT_GUARDS_H
#define MOREAU_INSITU_PLUGIN_SCRIPT_GUARDS_H

#include <string>
#include <vector>

namespace moreau::insitu
{
/// What Python runs before all scripts, so that none of them ends the program, doubles it (fork), holds its exit (threads)
/// or takes longer than time_limit seconds a call, and so that states which ParaView saved find their channels.
std::vector<std::string> script_guards(double time_limit, bool has_display);
} // namespace moreau::insitu

#endif
