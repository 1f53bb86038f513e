#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Square and cubic cones of macro impacts under mpirun: numbers, tables and pictures of N processes are those of one, bit by
bit.

parallel_cones.py MOREAU
"""
import json
import sys
import unittest

from on_processes import OnProcesses
from parallel import data_array

HEAD = ("set Problem = macro impact\nset Dimension = {dim}\nset Restitution = {e}\nsubsection Velocity\n"
        " set Function expression = {U}\nend\nsubsection Cone\n set Type = {cone}\n{angle}end\n"
        "subsection Mesh\n set Cells per unit length = {n}\nend\n")
PLANE, SPACE = "sin(7*x + y) - 2*x; cos(5*x - 9*y)", "sin(5*x + y); cos(4*z) - y; x - z"
COLLIDING = "if(x < .37, 1, -1); if(y < .6, .5 - x, -1)"
# of every cell, own arrays of a picture
ARRAYS = "U", "u", "p", "directional_derivatives", "active", "density", "saturated_part", "error_indicator"


def case(n, cone="square", U=None, e=.5, angle=None, zone=""):
    dim = 2 if cone == "square" else 3
    text = HEAD.format(dim=dim, e=e, U=U or (PLANE if dim == 2 else SPACE), cone=cone, n=n,
                       angle=f" set Lattice angle = {angle}\n" if angle is not None else "")
    return text + (f"subsection Zone\n{zone}end\n" if zone else "")


class ParallelCones(OnProcesses):
    def pictures(self, n):
        """Numbers of the picture, those of the pieces one behind the other: cells lie in the order of the grid."""
        folder = self.folder / f"out{n}"
        pieces = sorted(folder.glob("continuum_0000_p*.vtu")) if n > 1 else [folder / "continuum_0000.vtu"]
        self.assertEqual(len(pieces), max(n, 1))
        texts = [piece.read_text() for piece in pieces]
        return {name: [x for text in texts for x in data_array(text, name)] for name in ARRAYS}

    def table(self, n):
        """statistics.csv without times."""
        rows = [line.split(",") for line in (self.folder / f"out{n}" / "statistics.csv").read_text().splitlines()]
        kept = [k for k, name in enumerate(rows[0]) if "time" not in name]
        return [[row[k] for k in kept] for row in rows]

    def same(self, text, numbers, method="lines (exact)", status=0):
        """On 0 (without mpirun) and so many processes."""
        for n in 0, *numbers:
            found, out, err = self.run_on(n, text)
            self.assertEqual(found, status, err)
            self.assertNotIn("not distributed", out)
            summary = json.loads((self.folder / f"out{n}" / "summary.json").read_text())
            self.assertEqual(summary["processes"], max(n, 1))
        alone, table, pictures = self.digest(0), self.table(0), self.pictures(0)
        self.assertIn(method, alone["summary"]["method"])
        self.assertIn("diagnostics", alone["summary"])
        self.assertGreater(max(pictures["p"]), 0.)
        for n in numbers:
            self.assertEqual(self.digest(n), alone, f"{n} processes")
            self.assertEqual(self.table(n), table)
            self.assertEqual(self.pictures(n), pictures, f"{n} processes")

    def test_square_cells(self):
        self.same(case(131), (1, 2, 3, 4, 7))

    def test_blocks_that_collide_between_walls(self):
        self.same(case(133, U=COLLIDING, e=0, zone=" set Walls = left, bottom, top\n"), (2,))

    def test_walls_across_lines_that_all_processes_share(self):
        self.same(case(128, U="x - y; 1 - 3*y", e=1, zone=" set Walls = bottom, top\n"), (3,))

    def test_zones_apart_and_processes_without_matter(self):
        zone = " set Function expression = if(y < .25, if(x < .5, 1, .3), if(y > .75, 1, 0))\n"
        self.same(case(132, zone=zone), (2, 7))

    def test_a_disc_that_cuts_cells(self):
        zone = (" set Lower corner = -1.1, -1.1\n set Upper corner = 1.1, 1.1\n"
                " set Function expression = if(x*x + 2*y*y < 1, 1, .2)\n")
        self.same(case(60, zone=zone), (2,))

    def test_a_disc_at_a_wall(self):
        zone = " set Walls = bottom\n set Function expression = if((x - .5)^2 + y*y < .2, 1, 0)\n"
        self.same(case(130, U="sin(3*x); -1 - x", e=0, zone=zone), (3,))

    def test_a_turned_lattice(self):
        self.same(case(129, angle=17), (3,))

    def test_a_lattice_turned_by_a_right_angle_at_a_wall(self):
        self.same(case(128, angle=90, zone=" set Walls = left\n"), (3,))

    def test_cubes(self):
        self.same(case(27, cone="cubic", zone=" set Walls = left, back\n"), (2, 7))

    def test_a_ball_that_cuts_cubes(self):
        zone = (" set Lower corner = -1.1, -1.1, -1.1\n set Upper corner = 1.1, 1.1, 1.1\n"
                " set Function expression = if(x*x + y*y + z*z < 1, 1, 0)\n")
        self.same(case(12, cone="cubic", e=0, zone=zone), (2,))

    def test_other_solvers(self):
        text = case(128, e=0, zone=" set Walls = bottom\n")
        for solver, method, status in (("lines", "lines (exact)", 0), ("projected gradient", "projected gradient", 2),
                                       ("interior point", "interior point", 0)):
            with self.subTest(solver):
                self.same(text + f"set Solver = {solver}\nset Maximum iterations = 200\n", (3,), method=method, status=status)

    def test_few_cells_are_left_to_one_process(self):
        status, out, err = self.run_on(2, case(100))
        self.assertEqual(status, 0, err)
        self.assertIn("not distributed", out)

    def test_walls_that_cut_cells_are_left_to_one_process(self):
        status, out, err = self.run_on(2, case(128, angle=17, e=0, zone=" set Walls = left\n"), "--check")
        self.assertEqual(status, 0, err)
        self.assertIn("not distributed", out)

    def test_a_mistake_on_some_processes_ends_all_with_one_sentence(self):
        self.assert_one_sentence(3, case(130, zone=" set Function expression = if(y < .9, 1, 1.5)\n"), "[0, 1]")
        self.assert_one_sentence(3, case(16384, zone=" set Upper corner = 1, .0001\n"), "layers")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
