#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terminal sees while something long goes on: progress.py MOREAU."""
import os
import pty
import re
import subprocess
import sys
import time
import unittest

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


class Progress(Runs):
    def seen(self, *arguments):
        """The text on a terminal, and the longest time (s) in which nothing appears there."""
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([MOREAU, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr)
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

    def test_meshes_and_bounds_say_how_much_longer_they_take(self):
        self.check("isotropic", "--set", "Mesh/Cells per unit length=512")
        self.check("square", "--set", "Zone/Function expression=if(x*x + y*y < 0.7, 1, 0)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
