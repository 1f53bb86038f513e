# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities v of spheres on their Voronoi cells, the macroscopic u, and |v - u| (Bourdin & Maury, Fig. 8)."""

import os
import sys

# a macro of a ParaView window does not know its file, but is in the folder of macros
HERE = globals().get("__file__") or os.path.expanduser("~/.config/ParaView/Macros/voronoi.py")
sys.path.insert(0, os.path.dirname(os.path.realpath(HERE)))

from moreau_voronoi import Voronoi  # noqa: E402

picture = Voronoi("voronoi")
picture.start()
options = picture.options
catalyst_execute = picture.execute
