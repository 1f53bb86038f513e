#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs of congested flows say of their bodies: flow_bodies.py MOREAU."""
import math
import sys
import unittest

from cases import two_blocks_on_a_line
from runs import Runs

ROW = two_blocks_on_a_line(cells=100, end_time=0.2, restitution=0.5)

# three shapes with four velocities, whose jumps lie in the same cells; y: as it is, or its mirror image
SHAPES = """set Problem = congested flow
set Tolerance = 1e-10
subsection Zone
  set Lower corner = -0.75, -1
  set Upper corner = 0.75, 1
  set Function expression = if((x + 0.189)^2 + ({y} - 0.569)^2 < 0.0768 | \
    abs(x - 0.212) < 0.271 & abs({y} - 0.02) < 0.226 | abs(x - 0.14) < 0.287 & abs({y} - 0.271) < 0.259, 1, 0)
end
subsection Mesh
  set Cells per unit length = 16
end
subsection Congested flow
  set Bodies = coloured
end
subsection Velocity
  set Function expression = if(x < 0.0383, 1.22, -0.1); {sign}*if(x < 0.0298, 0.88, -0.95)
end
subsection Time
  set End time = 0.0125
end
"""


class FlowBodies(Runs):
    def setUp(self):
        super().setUp()
        (self.folder / "row.prm").write_text(ROW)

    def test_bodies_that_are_given_up_are_warned_of_once_and_their_numbers_add_up(self):
        coloured = ("row.prm", "--set", "Congested flow/Bodies=coloured", "--set", "Time/Output every=0.05", "--output")
        apart = ("--set", "Velocity/Function expression=if(x < 0.5, 2*(x - 0.3), 0)")  # the first one flies apart
        for velocity, n in ((), 0), (apart, 1):
            text = self.run_well(*coloured, f"out{n}", *velocity)
            bodies, warnings = self.summary(f"out{n}")["bodies"], self.summary(f"out{n}")["warnings"]
            self.assertEqual((bodies["now"], bodies["births"], bodies["deaths"], bodies["narrowed"]), (2 - n, 2, n, n))
            self.assertEqual(bodies["now"], bodies["births"] + bodies["broken_off"] - bodies["deaths"] -
                             bodies["fusions"] - bodies["gone"])
            self.assertIn(f"{2 - n} at the end; 2 found, {n} given up", " ".join(text.split()))
            self.assertEqual(len(warnings), n)
        self.assertRegex(warnings[0], r"^1 time during the run .* first at t = 0\.0\d+ s near \(0\.(3|30\d*|29\d*)\):")
        self.run_well(*coloured, "part", *apart, "--set", "Time/End time=0.1")
        self.run_well(*coloured, "part", *apart, "--resume")
        self.assertEqual(self.summary("part")["warnings"], warnings)

    def test_what_a_force_presses_too_much_to_rebound_is_counted(self):
        (self.folder / "pressed.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nset Restitution = 1\nsubsection Zone\n set Upper corner = 2\n"
            " set Function expression = if((x > 1.5 & x < 1.6) | (x > 1.8), 1, 0)\n set Walls = right\nend\n"
            "subsection Velocity\n set Function expression = if(x < 1.7, 0.5, 0)\nend\n"
            "subsection Force\n set Function expression = if(x > 1.9, 1000, 0)\nend\n"
            "subsection Mesh\n set Cells per unit length = 100\nend\nsubsection Time\n set End time = 0.6\nend\n")
        for bodies, delta in ("coloured", 1e-10), ("mixture", 1e-3):
            self.run_well("pressed.prm", "--output", "out", "--set", f"Congested flow/Bodies={bodies}")
            summary = self.summary("out")
            self.assertAlmostEqual(summary["unrebounded_energy"], summary["energy_before"], delta=delta)  # 0.0125 J
            self.assertLess(summary["energy_after"], 1e-10)
            self.assertRegex(summary["warnings"][0], "J did not rebound, since .* two steps")

    def test_drag_presses_no_more_than_it_gives(self):
        (self.folder / "drag.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nset Restitution = 1\nsubsection Zone\n set Upper corner = 3\n"
            " set Function expression = if((x > 1.5 & x < 1.7) | x > 2.8, 1, 0)\n set Walls = left, right\nend\n"
            "subsection Velocity\n set Function expression = if(x < 2, 0.5, 0)\nend\n"
            "subsection Force\n set Function expression = if(x > 2.9, 1000*(0.1 - ux), 0)\nend\n"  # 0.1 m/s at most
            "subsection Mesh\n set Cells per unit length = 100\nend\nsubsection Time\n set End time = 3\nend\n"
            "subsection Congested flow\n set Bodies = coloured\nend\n")
        self.run_well("drag.prm", "--output", "out")
        summary = self.summary("out")
        self.assertGreaterEqual(summary["impacts"], 1)
        self.assertAlmostEqual(summary["energy_after"] / summary["energy_before"], 1, delta=0.05)
        self.assertEqual(summary["warnings"], [])

    def test_rounding_in_what_rests_is_no_step_that_did_not_converge(self):
        (self.folder / "column.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nset Restitution = 0.5\nsubsection Zone\n set Walls = left\n"
            " set Function expression = if(x > 0.2 & x < 0.8, 0.5, 0)\nend\nsubsection Force\n"
            " set Function expression = -1\nend\nsubsection Mesh\n set Cells per unit length = 200\nend\n"
            "subsection Time\n set End time = 1.5\nend\n")
        self.run_well("column.prm", "--output", "out")
        self.assertEqual(self.summary("out")["status"], "converged")

    def test_comparisons_say_where_blocks_are_no_bodies_of_the_mesh(self):
        zone = "Zone/Function expression=if((x > 0.2 & x < 0.4) | (x > 0.4 + {} & x < 0.6) | (x > 0.7 & x < 0.8), 1, 0)"
        compared = ("row.prm", "--output", "out", "--set", "Congested flow/Compare with=exact blocks", "--set")
        for gap, cells, more, expected in (
                ("0.004", 100, (), ["narrower than a cell, the first at x = 0.4:"]),
                ("0.004", 500, (), []),
                ("0.004", 100,
                 ("Velocity/Function expression=if(x < 0.402, 1, -0.5)", "Congested flow/Bodies=coloured"), []),
                ("1e-13", 100, (), ["counts as closed for exact blocks"])):
            settings = (zone.format(gap), f"Mesh/Cells per unit length={cells}", *more)
            self.run_well(*compared, settings[0], *[o for s in settings[1:] for o in ("--set", s)])
            warnings = [w for w in self.summary("out")["warnings"] if "gap" in w]
            self.assertEqual(len(warnings), len(expected), warnings)
            for warning, words in zip(warnings, expected):
                self.assertIn(words, warning)

    def test_comparisons_say_that_blocks_collapsed(self):
        blocks = (.07, .21, -1.18), (.3, .39, .35), (.47, .72, -.09), (.88, 1.14, -1.37)
        density = " + ".join(f"if(x > {a} & x < {b}, 1, 0)" for a, b, u in blocks)
        velocity = " + ".join(f"if(x > {a} & x < {b}, {u}, 0)" for a, b, u in blocks)
        collapse = ("row.prm", "--output", "out", "--set", "Restitution=0.3", "--set", "Zone/Upper corner=2", "--set",
                    "Zone/Walls=left, right", "--set", "Zone/Function expression=" + density, "--set",
                    "Velocity/Function expression=" + velocity, "--set", "Time/End time=0.7", "--set")
        for method in "Congested flow/Compare with=exact blocks", "Congested flow/Method=exact blocks":
            self.run_well(*collapse, method)
            warnings = [w for w in self.summary("out")["warnings"] if w.startswith("Exact blocks collapsed")]
            self.assertEqual(len(warnings), 1, method)

    def test_exact_blocks_follow_a_force_in_time_which_finite_volumes_tend_to(self):
        shaken = ("row.prm", "--set", "Zone/Walls=left, right", "--set", "Force/Function expression=4*sin(9*t)", "--set",
                  "Time/Output every=0.125", "--set")
        blocks, end = "Congested flow/Method=exact blocks", ("--set", "Time/End time=0.5")
        self.run_well(*shaken, blocks, *end, "--output", "whole")
        whole = self.summary("whole")
        self.assertGreater(whole["impacts"], 1)
        self.assertLess(whole["momentum_error"], 1e-12)
        velocity = 4 / 9 * (1 - math.cos(4.5))  # that the force gives to what meets nothing
        self.assertGreater(abs(whole["momentum_after"][0] - 0.15 - 0.3 * velocity), 1e-3)  # walls did
        self.run_well(*shaken, blocks, "--set", "Time/End time=0.25", "--output", "longer")
        self.run_well(*shaken, blocks, *end, "--output", "longer", "--resume")  # keeps the intervals of the first run
        for key in "energy_after", "work":
            self.assertAlmostEqual(self.summary("longer")[key], whole[key], delta=1e-12)
        errors = []
        for cells in 50, 100, 200:
            self.run_well(*shaken, "Congested flow/Compare with=exact blocks", *end, "--output", "volumes", "--set",
                          "Congested flow/Bodies=coloured", "--set", f"Mesh/Cells per unit length={cells}", "--set",
                          f"Time/Time step={0.1 / cells}")
            volumes, exact = self.summary("volumes")["comparison"]["rows"]
            self.assertAlmostEqual(exact["kinetic_energy"], whole["energy_after"], delta=1e-12)
            self.assertEqual(self.summary("volumes")["comparison"]["exact_solution"], "exact blocks")
            errors.append(volumes["wasserstein_to_exact"])
        self.assertLess(errors[2], 0.5 * errors[0])
        self.assertLess(errors[2], 1e-3)

    def test_a_sheared_body_is_not_called_narrow(self):
        plane = ("row.prm", "--output", "out", "--set", "Dimension=2", "--set", "Zone/Upper corner=1, 0.5", "--set",
                 "Zone/Lower corner=0, 0", "--set", "Mesh/Cells per unit length=40",
                 "--set", "Congested flow/Bodies=coloured",
                 "--set", "Zone/Function expression=if(x > 0.2 & x < 0.6 & y > 0.1 & y < 0.4, 1, 0)", "--set",
                 "Time/End time=0.001", "--set")
        for velocity, births, thin in (("1 + 0.001*sin(8*pi*y); 0", 1, 0), ("y; 0", 1, 0),
                                       ("if(y < 0.35, 0, 1); 0", 1, 1), ("if(y < 0.25, 0, 1); 0", 2, 0)):
            self.run_well(*plane, "Velocity/Function expression=" + velocity)
            found = self.summary("out")
            self.assertEqual((found["bodies"]["births"], found["bodies"]["narrow_at_start"]), (births, thin), velocity)
            self.assertEqual(any("narrower than three cells" in w for w in found["warnings"]), thin > 0, velocity)

    def test_bodies_and_their_mirror_images_begin_alike(self):
        for name, y, sign in ("one", "y", 1), ("other", "(-y)", -1):
            (self.folder / f"{name}.prm").write_text(SHAPES.format(y=y, sign=sign))
            self.run_well(f"{name}.prm", "--output", name)
        one, other = self.summary("one"), self.summary("other")
        self.assertGreater(one["bodies"]["births"], 1)
        self.assertAlmostEqual(one["energy_after"], other["energy_after"], delta=1e-10)
        self.assertAlmostEqual(one["momentum_after"][1], -other["momentum_after"][1], delta=1e-10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
