#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terminal sees while something long goes on: progress.py MOREAU."""
import itertools
import math
import os
import pty
import re
import shutil
import subprocess
import sys
import time
import unittest

from in_situ_runs import HEADER, catalyst, needs_catalyst
from runs import MOREAU, Runs

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
# no slower, but known to be a polynomial: nobody looks for peaks between points
POLYNOMIAL = " + ".join(f"{k}*x*x*y/(100 + {k}*{k})" for k in range(1, 241))
ROW = """set Problem = homogenization
set Dimension = 1
set Output directory = row
subsection Velocity
  set Function expression = x*(1 - x)
end
subsection Spheres
  set Arrangement = row
  set Spheres per unit length = 16, 32
end
"""


class Progress(Runs):
    def seen(self, *arguments, **environment):
        """The text on a terminal, and the longest time (s) in which nothing appears there."""
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([MOREAU, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr,
                                   env={**os.environ, **environment})
        os.close(stderr)
        self.addCleanup(os.close, terminal)
        text, longest, last = "", 0., time.monotonic()
        while True:
            try:
                text += os.read(terminal, 1000).decode()
            except OSError:  # the other end is closed
                break
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        self.assertEqual(process.wait(), 0)
        return text, max(longest, time.monotonic() - last)

    def check(self, cone, *settings):
        with self.subTest(cone=cone):
            (self.folder / "slow.prm").write_text(PRM)
            text, longest = self.seen("slow.prm", "--set", "Cone/Type=" + cone, *settings)
            for phase in ("evaluating the fields on the mesh", "bounding the error"):
                self.assertRegex(text, re.escape(phase) + r": \d+ s, about \d+ s left")
            self.assertLess(longest, 4., text)  # two seconds, where nothing else is to do
            lines = re.findall(r"bounding the error: \d+ s(.*)", text)
            since = next(k for k, rest in enumerate(lines) if "left" in rest)
            unknown = sum("left" not in rest for rest in lines[since:])
            self.assertLess(unknown, max(4, .2 * len(lines)), text)  # "0 s left" is the end

    def test_meshes_and_bounds_say_how_much_longer_they_take(self):
        self.check("isotropic", "--set", "Mesh/Cells per unit length=512",
                   "--set", f"Velocity/Function expression={POLYNOMIAL} - 80*x; x*y*y - x*y")
        self.check("square", "--set", "Zone/Function expression=if(x*x + y*y < 0.7, 1, 0)")

    def check_says(self, phase, *arguments, **environment):
        text, longest = self.seen(*arguments, **environment)
        self.assertRegex(text, phase + r": \d+ s")
        self.assertLess(longest, 4., text)
        return text

    def test_verdicts_on_the_answers_of_others_say_how_far_they_are(self):
        discs = 200  # a side
        with open(self.folder / "lattice.csv", "w") as file:
            file.write("x,y,radius,ux,uy\n")
            for i, j in itertools.product(range(discs), repeat=2):
                x, y = i + j % 2 / 2, j * .75**.5
                file.write(f"{x},{y},0.5,{-x / discs + .1 * math.sin(9 * y / discs)},{math.cos((5 * x - 9 * y) / discs)}\n")
        self.check_says(r"certifying lattice\.csv", "certify", "lattice.csv")

    def test_plots_that_take_their_time_are_waited_for_in_sight(self):
        gnuplot = self.folder / "gnuplot"
        gnuplot.write_text(f"#!/bin/sh\nsleep 5\nexec {shutil.which('gnuplot')} \"$@\"\n")
        gnuplot.chmod(0o755)
        (self.folder / "row.prm").write_text(ROW)
        self.check_says("drawing plots", "row.prm", PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertTrue((self.folder / "row" / "convergence.png").exists())

    @needs_catalyst
    def test_scripts_that_take_their_time_are_waited_for_in_sight(self):
        slow = "import time\nfrom paraview.catalyst import Options\noptions = Options()\n"
        (self.folder / "slow.py").write_text(HEADER + slow + "def catalyst_execute(info):\n    time.sleep(5)\n")
        (self.folder / "row.prm").write_text(ROW)
        text = self.check_says("waiting for scripts of ParaView", "row.prm", *catalyst("slow.py"))
        self.assertNotIn("4 s, about", text)  # nobody knows how long


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
