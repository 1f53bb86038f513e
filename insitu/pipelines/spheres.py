# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres coloured by their speed |u|, and force chains: lines between centres, as thick as p is large."""

import os
import sys

# a macro of a ParaView window does not know its file, but is in the folder of macros
HERE = globals().get("__file__") or os.path.expanduser("~/.config/ParaView/Macros/spheres.py")
sys.path.insert(0, os.path.dirname(os.path.realpath(HERE)))

from moreau_spheres import Spheres  # noqa: E402

picture = Spheres("spheres")
picture.start()
options = picture.options
catalyst_execute = picture.execute
