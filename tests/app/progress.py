#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terminal sees while something long goes on: progress.py MOREAU."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import time
import unittest

import numpy as np

from in_situ_runs import needs_catalyst
from runs import CRADLE, MOREAU, Runs

SLOW = " + ".join(f"sin({k}*x + y)" for k in range(1, 121))  # a second for some 10^5 points
PRM = f"""set Problem = macro impact
set Dimension = 2
subsection Velocity
  set Function expression = {SLOW} - 80*x; cos(5*x - 9*y)
end
subsection Mesh
  set Cells per unit length = 160
end
"""
PRM_FILES = pathlib.Path(__file__).parents[2] / "prm"
SLOW_SCRIPT = """# script-version: 2.0
import time
from paraview import catalyst
options = catalyst.Options()

def catalyst_execute(info):
    time.sleep(1.6)
"""


class Progress(Runs):
    def seen(self, *arguments, status=0, **more):
        """The text on a terminal, and the longest time (s) in which nothing appears there."""
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([MOREAU, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr,
                                   env={**os.environ, **more})
        os.close(stderr)
        self.addCleanup(os.close, terminal)
        text, longest, last = "", 0., time.monotonic()
        while True:
            try:
                text += os.read(terminal, 1000).decode()
            except OSError:  # the other end is closed
                break
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        self.assertEqual(process.wait(), status)
        return text, max(longest, time.monotonic() - last)

    def check(self, cone, *settings):
        with self.subTest(cone=cone):
            (self.folder / "slow.prm").write_text(PRM)
            text, longest = self.seen("slow.prm", "--set", "Cone/Type=" + cone, *settings)
            for phase in ("evaluating the fields on the mesh", "bounding the error"):
                self.assertRegex(text, re.escape(phase) + r": \d+ s, about \d+ s left")
            self.assertLess(longest, 4., text)  # two seconds, where nothing else is to do

    def test_meshes_and_bounds_say_how_much_longer_they_take(self):
        self.check("isotropic", "--set", "Mesh/Cells per unit length=512")
        self.check("square", "--set", "Zone/Function expression=if(x*x + y*y < 0.7, 1, 0)")

    def with_slow_plots(self, phase, prm, *settings):
        """gnuplot takes 1.3 s longer than it does."""
        slow = self.folder / "bin" / "gnuplot"
        slow.parent.mkdir(exist_ok=True)
        slow.write_text(f'#!/bin/sh\nsleep 1.3\nexec {shutil.which("gnuplot")} "$@"\n')
        slow.chmod(0o755)
        with self.subTest(prm=prm):
            text, _ = self.seen(str(PRM_FILES / prm), "--set", "Output directory=output", "--set", "Plots/Formats=png, svg",
                                *settings, PATH=f"{slow.parent}:{os.environ['PATH']}")
            self.assertRegex(text, phase + r": \d+ s, about \d+ s left")

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plots_say_how_much_longer_they_take(self):
        self.with_slow_plots("drawing plots", "quickstart.prm", "--set", "Plots/Contacts=true")
        self.with_slow_plots("drawing plots", "time/falling_catching_up.prm")
        self.with_slow_plots("writing files", "contact_cone/square_lattice.prm")
        self.with_slow_plots("writing files", "flow/noh_1d.prm")

    @needs_catalyst
    def test_scripts_in_situ_say_how_much_longer_they_take(self):
        for name in ("one.py", "other.py"):
            (self.folder / name).write_text(SLOW_SCRIPT)
        (self.folder / "short.prm").write_text(CRADLE)
        text, _ = self.seen("short.prm", "--set", "In situ/Catalyst script=one.py, other.py")
        self.assertRegex(text, r"writing files: \d+ s, about \d+ s left")

    def test_certify_says_how_much_longer_it_takes(self):
        rng = np.random.default_rng(1)
        n = 1200
        np.savez(self.folder / "dense.npz", B=rng.standard_normal((2 * n, n)), U=rng.standard_normal(n))
        text, _ = self.seen("certify", "dense.npz")
        self.assertRegex(text, r"certifying dense.npz: \d+ s, about \d+ s left")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
