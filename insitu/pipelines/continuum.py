# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocities U before and u after a macroscopic impact as arrows, its pressure p, and the edge of where p > 0."""

import os
import sys

# a macro of a ParaView window does not know its file, but is in the folder of macros
HERE = globals().get("__file__") or os.path.expanduser("~/.config/ParaView/Macros/continuum.py")
sys.path.insert(0, os.path.dirname(os.path.realpath(HERE)))

from moreau_continuum import Continuum  # noqa: E402

picture = Continuum("continuum")
picture.start()
options = picture.options
catalyst_execute = picture.execute
