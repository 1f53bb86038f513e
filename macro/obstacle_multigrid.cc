// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/obstacle_multigrid.h"
