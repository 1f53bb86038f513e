#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows whose bodies keep their velocity on several processes: parallel_flows.py MOREAU.

Bodies lie across the cuts between processes, move over them and change their colours there. What one process finds is
found by 2 and 3, cell by cell, but for rounding errors and what impacts make of them.
"""
import json
import re
import unittest

from on_processes import OnProcesses
from parallel import cell_values

FLOW = """
set Problem     = congested flow
set Dimension   = {dimension}
set Restitution = {restitution}
subsection Zone
 set Upper corner        = {corner}
 set Walls               = {walls}
 set Function expression = {density}
 {zone}
end
subsection Velocity
 set Function expression = {velocity}
end
subsection Mesh
 set Cells per unit length = {cells}
end
subsection Time
 set End time = {end}
end
subsection Congested flow
 set Bodies = coloured
end
{more}
"""
PLANE = {"dimension": 2, "restitution": .5, "zone": "", "more": ""}
ALL_AROUND = "left, right, bottom, top"
STACKED = "if((y > 0.3 & y < 0.706) | (y > 1.2 & y < 1.4), 1, 0)"
# How much energies may differ, relative, and densities and momenta. Where edges do not follow the mesh a rounding error of
# the velocities alone, on one process, moves single cells by 1e-3.
CASES = {
    # the lower block is two that touch at y = 0.52, one hits the other, that one the upper block
    "stacked": (1e-10, 1e-10, {**PLANE, "restitution": 1, "corner": "0.2, 2", "walls": ALL_AROUND, "density": STACKED,
                               "velocity": "0; if(y < 0.52, 1, 0)", "cells": 25, "end": .8}),
    "periodic": (1e-9, 1e-9, {**PLANE, "corner": "0.2, 2", "walls": "left, right", "density": STACKED,
                              "zone": "set Periodic = y",
                              "velocity": "0; if(y < 0.5, -1, 0.2)", "cells": 20, "end": 1.5}),
    "falling": (1e-10, 1e-10, {**PLANE, "corner": "0.2, 1.5", "walls": "left, right, bottom",
                               "density": "if((y > 0.3 & y < 0.706) | (y > 0.9 & y < 1.1), 1, 0)",
                               "velocity": "0; 0", "cells": 20,
                               "end": .5, "more": "subsection Force\n set Function expression = 0; -9.81\nend"}),
    # free sides: jets
    "discs": (1e-4, .1, {**PLANE, "corner": "1, 1", "walls": ALL_AROUND, "cells": 32, "end": .12,
                         "velocity": "0.1; if(y < 0.5, 1, -1)",
                         "density": "if((x-0.35)^2 + (y-0.3)^2 < 0.03 | (x-0.55)^2 + (y-0.72)^2 < 0.03, 1, 0)"}),
    # a channel of solids, a solid above
    "solids": (1e-10, 1e-10, {**PLANE, "restitution": 1, "corner": "0.4, 2", "walls": "bottom", "cells": 25, "end": .8,
                              "density": "if(x > 0.12 & x < 0.32 & ((y > 0.28 & y < 0.72) | (y > 1.2 & y < 1.4)), 1, 0)",
                              "velocity": "0; if(y < 0.52, 1, 0)",
                              "more": "subsection Maximal density\n set Function expression = "
                                      "if(x > 0.12 & x < 0.32 & y < 1.6, 1, 0)\nend"}),
    "with_drag": (1e-9, 1e-9, {**PLANE, "corner": "0.4, 1", "walls": ALL_AROUND, "cells": 25, "end": .2,
                               "density": "if((y > 0.2 & y < 0.4) | (y > 0.6 & y < 0.8), 1, 0)",
                               "velocity": "0; if(y < 0.5, 1, -0.5)",
                               "more": "subsection Force\n set Function expression = -ux; -3*uy\nend"}),
    # what is slow is made even if its spread is small against the fastest of all processes
    "slow_and_fast": (1e-10, 1e-9, {**PLANE, "corner": "0.2, 2", "walls": ALL_AROUND, "cells": 25, "end": .1,
                                    "density": "if((y > 0.6 & y < 1.28) | (y > 1.6 & y < 1.8), 1, 0)",
                                    "velocity": "0; if(y < 1.4, 1e-3 + 2e-8*x, 1)"}),
    "space": (1e-10, 1e-10, {"dimension": 3, "restitution": 1, "corner": "0.2, 0.2, 2",
                             "walls": ALL_AROUND + ", back, front",
                             "density": STACKED.replace("y", "z"),
                             "velocity": "0; 0; if(z < 0.5, 1, 0)", "cells": 20, "end": .6,
                             "zone": "", "more": ""}),
}


class Flows(OnProcesses):
    def summary(self, n):
        return json.loads((self.folder / f"out{n}" / "summary.json").read_text())

    def fields(self, n):
        """Density and momentum of cells."""
        folder = self.folder / f"out{n}"
        rho, u = cell_values(folder, "rho", 1), cell_values(folder)
        return {centre: (rho[centre][0], *(rho[centre][0] * x for x in u[centre])) for centre in rho}

    def compare(self, case):
        of_energy, tolerance, values = CASES[case]
        for n in 1, 2, 3:
            status, out, err = self.run_on(n, FLOW.format(**values))
            self.assertEqual(status, 0, out + err)
        alone, of_cells = self.summary(1), self.fields(1)
        self.assertGreaterEqual(alone["bodies"]["births"], 2)
        self.assertGreaterEqual(alone["impacts"], {"slow_and_fast": 0, "with_drag": 1}.get(case, 2))
        for n in 2, 3:
            many = self.summary(n)
            self.assertEqual(many["processes"], n)
            for key in "bodies", "impacts", "steps":
                self.assertEqual(many[key], alone[key])
            self.assertAlmostEqual(many["energy_after"] / alone["energy_after"], 1., delta=of_energy)
            self.assertLess(many["momentum_error"], 1e-12)
            found = self.fields(n)
            self.assertEqual(found.keys(), of_cells.keys())
            self.assertLess(max(abs(a - b) for centre in found for a, b in zip(found[centre], of_cells[centre])), tolerance)

    def test_stacked_blocks_are_exact_on_several_processes(self):
        status, out, err = self.run_on(3, FLOW.format(**CASES["stacked"][2]))
        self.assertEqual(status, 0, out + err)
        self.assertAlmostEqual(self.summary(3)["energy_after"], .022, delta=1e-11)
        self.assertEqual(self.summary(3)["bodies"]["births"], 3)

    def test_bodies_may_end_where_the_share_of_a_process_does(self):
        values = {**PLANE, "corner": "1, 1", "walls": "left", "density": "if(y < 0.5, 1, 0)",
                  "velocity": "if(x < 0.5, 1, -1); 0", "cells": 16, "end": .02}
        for n in 1, 2, 4:
            status, out, err = self.run_on(n, FLOW.format(**values))
            self.assertEqual(status, 0, out + err)
            self.assertEqual(self.summary(n)["bodies"], self.summary(1)["bodies"])
            self.assertAlmostEqual(self.summary(n)["energy_after"] / self.summary(1)["energy_after"], 1., delta=1e-10)

    def test_a_picture_of_which_one_process_has_no_space_is_not_there(self):
        """The first one fits into the limit, the second does not; then the run goes on from its checkpoint."""
        values = {**PLANE, "corner": "1, 1", "walls": "left", "density": "if(x < 0.5, 0.5, 0.1)", "cells": 64, "end": .06,
                  "velocity": "sin(3*y); 0.5*cos(9*x)",
                  "more": "subsection Time\n set Output every = 0.02\n set Checkpoint every = 5\nend\n"}
        text = FLOW.format(**values).replace(" set Bodies = coloured\n", "")
        self.assertEqual(self.run_on(2, text)[0], 0)
        for rank in 0, 1:
            run = self.run_with_little_space("out", rank)
            sentences = [line for line in run.stderr.splitlines() if line.startswith("moreau:")]
            self.assertEqual((run.returncode, len(sentences)), (1, 1), run.stderr)
            self.assertIn("Output directory", sentences[0])
            left = {file.name for file in (self.folder / "out").iterdir()}
            self.assertEqual(left & {"summary.json", ".moreau_runs_here"}, set())
            self.assertEqual({name for name in left if name.endswith(".incomplete")}, set())
            self.assertEqual({name for name in left if name.startswith("continuum")},
                             {"continuum_0000.pvtu", "continuum_0000_p0000.vtu", "continuum_0000_p0001.vtu"})
            listed = re.findall('file="(.*?)"', (self.folder / "out/solution.pvd").read_text())
            self.assertCountEqual(listed, ["continuum_0000.pvtu", "walls_0000.pvtp"])
        self.assertEqual(self.run_on(2, text, "--output", "out", "--resume")[0], 0)
        for whole in (self.folder / "out2").glob("*.*vt*"):
            self.assertEqual(whole.read_bytes(), (self.folder / "out" / whole.name).read_bytes(), whole.name)

    def test_what_is_resumed_goes_on_bit_for_bit(self):
        values = CASES["periodic"][2]
        step = "subsection Time\n set Output every = 0.1\n set Time step = 0.005\nend\n"
        texts = {end: FLOW.format(**{**values, "end": end, "more": step}) for end in (.8, 1.5)}
        for run, end in (("whole", 1.5), ("parts", .8)):
            self.assertEqual(self.run_on(2, texts[end], "--output", run)[0], 0)
        status, out, err = self.run_on(2, texts[1.5], "--output", "parts", "--resume")
        self.assertEqual(status, 0, out + err)
        summaries = [json.loads((self.folder / run / "summary.json").read_text()) for run in ("whole", "parts")]
        for key in "energy_after", "momentum_after", "bodies", "impacts":
            self.assertEqual(summaries[0][key], summaries[1][key])


for name in CASES:
    setattr(Flows, f"test_{name}_is_the_same_on_any_number_of_processes", lambda self, name=name: self.compare(name))

if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
