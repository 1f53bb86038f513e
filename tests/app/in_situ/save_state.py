# SPDX-License-Identifier: GPL-3.0-or-later
"""What File > Save Catalyst State writes where these files are open: pvpython save_state.py STATE.py FILE..."""
import os
import sys

from paraview import catalyst, simple
from paraview.detail.catalyst_export import save_catalyst_state

state, *files = sys.argv[1:]
# ParaView's window calls sources like their files, and series with a star
name = os.path.basename(files[0]) + ("*" if len(files) > 1 else "")
source = simple.OpenDataFile(files, registrationName=name)
view = simple.CreateView("RenderView")
view.ViewSize = [320, 240]
view.UseColorPaletteForBackground = 0
view.Background = [1., 1., 1.]
display = simple.Show(source, view)
display.Representation = "Points"
display.PointSize = 30.
display.ColorArrayName = [None, ""]
display.AmbientColor = display.DiffuseColor = [1., 0., 0.]
simple.ResetCamera(view)
# names without dots: pieces of data go to a folder that is called by what is before the first one
name = os.path.splitext(os.path.basename(state))[0] + "_{timestep:06d}"
simple.CreateExtractor("PNG", view).Writer.FileName = name + ".png"
if not files[0].endswith(".pvd"):
    simple.CreateExtractor("VTP", source).Writer.FileName = name + ".pvtp"
options = catalyst.Options()
options.ExtractsOutputDirectory = "."
save_catalyst_state(state, options)
