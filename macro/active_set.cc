// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/active_set.h"
