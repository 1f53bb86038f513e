// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_IN_A_CHILD_H
#define MOREAU_EXCHANGE_IN_A_CHILD_H

#include <functional>
#include <string>

namespace moreau::exchange
{
/// Calls `read` in a process of its own and says how that process died: "was killed by signal 7 (Bus error)", "took more
/// than 60 s"; empty where it came to its end, with an exception or without. For libraries that some damaged files kill.
/// Nothing that `read` does or prints is seen here. Empty, too, where there can be no other process, and,
/// without a call of `read`, in such a process itself: who made that one sees how it dies.
std::string death_in_a_child(const std::function<void()> &read, unsigned int seconds);
} // namespace moreau::exchange

#endif
