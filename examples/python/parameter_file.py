# SPDX-License-Identifier: GPL-3.0-or-later
"""A parameter file is run for several meshes, and what it leaves comes back as arrays."""
import pathlib
import tempfile

import moreau

TEXT = """
set Problem = macro impact
subsection Velocity
  set Function expression = -x; -y
end
"""
with tempfile.TemporaryDirectory() as folder:
    for cells in (8, 16, 32):
        o = moreau.run(TEXT, {"Mesh/Cells per unit length": cells}, output=pathlib.Path(folder) / str(cells))
        print(cells, o["verdict"], o.arrays()["continuum"]["u"].shape)
        assert o.converged
