# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""Density rho and velocity u (arrows) of a congested flow, its pressure p, and the edge of the congested zone."""

import os
import sys

# a macro of a ParaView window does not know its file, but is in the folder of macros
HERE = globals().get("__file__") or os.path.expanduser("~/.config/ParaView/Macros/flow.py")
sys.path.insert(0, os.path.dirname(os.path.realpath(HERE)))

from moreau_flow import Flow  # noqa: E402

picture = Flow("flow")
picture.start()
options = picture.options
catalyst_execute = picture.execute
