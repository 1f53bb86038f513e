# SPDX-License-Identifier: GPL-3.0-or-later
"""A ParaView that a simulation connects to: pvpython live_client.py PORT. Says line by line what it sees, until the
simulation ends."""
import sys
import time

from paraview import live, servermanager

LONGEST_WAIT = 60  # seconds, for anything new

link = live.ConnectToCatalyst(ds_port=int(sys.argv[1]))
sources = link.GetInsituProxyManager()
network = servermanager.vtkProcessModule.GetProcessModule().GetNetworkAccessManager()
spheres, seen, last = None, None, time.time()
print("waiting", flush=True)
while time.time() - last < LONGEST_WAIT:
    network.ProcessEvents(100)
    names = sorted(sources.GetProxyName("sources", k) for k in range(sources.GetNumberOfProxies("sources")))
    if not names:
        continue
    if spheres is None:
        print("sources", *names, flush=True)
        spheres = live.ExtractCatalystData(link, "spheres")
    spheres.MarkDirty(spheres.SMProxy)
    spheres.UpdatePipeline()
    data = servermanager.Fetch(spheres)
    if data is None or not data.IsA("vtkPolyData") or link.GetTimeStep() == seen:
        continue
    seen, last = link.GetTimeStep(), time.time()
    print("step", seen, data.GetNumberOfPoints(), data.GetPoint(0)[1], flush=True)
