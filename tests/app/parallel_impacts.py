#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One impact of many spheres under mpirun: files and numbers of N processes are those of one, bit by bit.

parallel_impacts.py MOREAU
"""
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from on_processes import MOREAU, OnProcesses
from parallel import data_array

FILES = "spheres.csv", "contacts.csv", "statistics.csv"
HEAD = "set Problem = micro impact\nset Dimension = {dim}\nset Restitution = {e}\nset Solver = {solver}\n"
SPHERES = "subsection Spheres\n set File = spheres.csv\n set Contact tolerance = 0.06\nend\n"
WALLS = "subsection Zone\n set Lower corner = -.6, -.6\n set Upper corner = 400, 400\n set Walls = left, bottom\nend\n"


def spheres(dim, n, vacancies, shift=0.):
    """Sites of a hexagonal or cubic lattice, moved at random and shuffled; two halves fly at each other."""
    draw = random.Random(5)
    rows = []
    for z in range(n if dim == 3 else 1):
        for y in range(n):
            for x in range(2 * n):
                if draw.random() < vacancies:
                    continue
                site = [x + (.5 * (y % 2) if dim == 2 else 0.), math.sqrt(.75) * y if dim == 2 else y, z][:dim]
                site = [a + shift + .02 * (draw.random() - .5) for a in site]
                u = [draw.random() - .5 for _ in range(dim)]
                u[0] += 1. if x < n else -1.
                rows.append([*site, .5, .5 + draw.random(), *u])
    draw.shuffle(rows)
    head = ["x", "y", "z"][:dim] + ["radius", "mass"] + ["ux", "uy", "uz"][:dim]
    return ",".join(head) + "\n" + "".join(",".join(repr(number) for number in row) + "\n" for row in rows)


class ParallelImpacts(OnProcesses):
    files = FILES

    def same(self, text, method, shared=True, numbers=(2, 7)):
        """On 0 (without mpirun) and so many processes."""
        for n in 0, *numbers:
            status, out, err = self.run_on(n, text)
            self.assertEqual(status, 0, err)
            self.assertEqual("copies on other processes" in out, shared and n > 1, out)
            self.assertEqual("one process is faster" in out, shared and n > 1, out)  # all have few spheres
            self.assertEqual(json.loads((self.folder / f"out{n}" / "summary.json").read_text())["processes"], max(n, 1))
        alone = self.digest(0)
        self.assertIn(method, alone["summary"]["method"])
        for n in numbers:
            self.assertEqual(self.digest(n), alone, f"{n} processes")

    def pictures(self, n, name, arrays):
        """Numbers of a picture, those of the pieces one behind the other."""
        folder = self.folder / f"out{n}"
        pieces = sorted(folder.glob(f"{name}_0000_p*.vtp")) if n > 1 else [folder / f"{name}_0000.vtp"]
        if n > 1:
            listed = (folder / f"{name}_0000.pvtp").read_text()
            self.assertEqual([piece.name in listed for piece in pieces], n * [True])
            self.assertIn(f"{name}_0000.pvtp", (folder / "solution.pvd").read_text())
        return {array: [x for piece in pieces for x in data_array(piece.read_text(), array)] for array in arrays}

    def ends(self, n):
        """Both ends of all contacts, by piece."""
        folder, found = self.folder / f"out{n}", []
        for piece in sorted(folder.glob("contacts_0000*.vtp")):
            text = piece.read_text()
            points, lines = data_array(text, "Points"), data_array(text, "connectivity", "Int64")
            found += [points[3 * k:3 * k + 3] for k in lines]
        return found

    def test_discs_loosely_packed(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 124, .4))
        self.same(HEAD.format(dim=2, e=.5, solver="automatic") + SPHERES, "projected gradient", numbers=(1, 2, 3, 4, 7))
        for name, arrays in (("spheres", ("radius", "mass", "U", "u", "u_projected")),
                             ("contacts", ("p", "impulse", "approach_velocity_before", "approach_velocity_after", "D"))):
            alone = self.pictures(0, name, arrays)
            self.assertGreater(len(alone[arrays[0]]), 10000)
            for n in 2, 7:
                self.assertEqual(self.pictures(n, name, arrays), alone)
        self.assertEqual(self.ends(3), self.ends(0))

    def test_files_as_others_write_them(self):
        """Comments, blanks, no masses, six digits, a last line without an end; velocities by a formula."""
        rows = [line.split(",") for line in spheres(2, 110, .4).splitlines()[1:]]
        lines = ["# made by hand", "", "x y r", *(" ".join(f"{float(word):.6g}" for word in row[:3]) for row in rows)]
        for place in 10000, 5000, 3:
            lines.insert(place, "# a remark that is longer than the lines around it, of which it is none")
        (self.folder / "spheres.csv").write_text("\n".join(lines))
        text = HEAD.format(dim=2, e=0, solver="automatic") + SPHERES + \
            "subsection Velocity\n set Function expression = -x; sin(3*y)\nend\n"
        self.same(text, "projected gradient", numbers=(2, 7))

    def test_a_line_of_names_that_is_longer_than_what_is_looked_at(self):
        head, rest = spheres(2, 118, .4).split("\n", 1)
        (self.folder / "spheres.csv").write_text(head + " #" + " " * (1 << 20) + "500.5,1,.5,1,1,1\n" + rest)
        self.same(HEAD.format(dim=2, e=0, solver="automatic") + SPHERES, "projected gradient", numbers=(3,))

    def test_a_piece_that_cannot_be_written_is_one_sentence(self):
        text = self.lattice("square lattice", 140)
        (self.folder / "case.prm").write_text(text)
        for rank in 0, 1, 2:
            run = self.run_with_little_space("out", rank, 3)
            sentences = [line for line in run.stderr.splitlines() if line.startswith("moreau:")]
            self.assertEqual((run.returncode, len(sentences)), (1, 1), run.stderr)
            self.assertIn("Output directory", sentences[0])
            self.assertFalse((self.folder / "out").exists(), rank)

    def test_a_process_that_fails_alone_ends_all(self):
        flow = ("set Problem = congested flow\nsubsection Zone\n set Function expression = if(x < 0.5, 0.5, 0)\nend\n"
                "subsection Velocity\n set Function expression = 1; 0\nend\nsubsection Mesh\n set Cells per unit length = 128\nend\n"
                "subsection Time\n set End time = 100\n set Checkpoint every = 2\nend\n")
        (self.folder / "case.prm").write_text(flow)
        (self.folder / "lattice.prm").write_text(self.lattice("square lattice", 140))
        for program, words in (('[ $OMPI_COMM_WORLD_RANK = 0 ] && ulimit -f 100; exec "$@" case.prm', "Output directory"),
                               ('[ $OMPI_COMM_WORLD_RANK = 1 ] && exec "$@" nowhere.prm; exec "$@" lattice.prm', "nowhere.prm")):
            run = subprocess.run(["mpirun", "-n", "2", "sh", "-c", program, "sh", MOREAU, "--output", "alone"],
                                 cwd=self.folder, capture_output=True, text=True, env=self.environment())
            sentences = [line for line in run.stderr.splitlines() if line.startswith("moreau:")]
            self.assertEqual((run.returncode, len(sentences)), (1, 1), run.stderr)
            self.assertIn(words, sentences[0])

    def test_contacts_are_plotted(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 118, .4))
        text = HEAD.format(dim=2, e=0, solver="automatic") + SPHERES + "subsection Plots\n set Contacts = true\nend\n"
        self.same(text, "projected gradient", numbers=(3,))
        self.assertGreater(json.loads((self.folder / "out3" / "summary.json").read_text())["contact_statistics"]["contacts"], 99)

    def test_discs_densely_packed_which_one_process_factorises(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 105, .15))
        self.same(HEAD.format(dim=2, e=0, solver="automatic") + SPHERES, "interior point")

    def test_all_processes_factorise_where_they_are_told_to(self):
        text = HEAD.format(dim=2, e=0, solver="interior point") + SPHERES
        (self.folder / "spheres.csv").write_text(spheres(2, 105, 0.1))
        energies = []
        for n, who in (2, "one process"), (2, "all processes"), (0, "all processes"):
            status, out, err = self.run_on(n, text + f"set Factorisation = {who}\n")
            self.assertEqual(status, 0, err)
            summary = json.loads((self.folder / f"out{n}" / "summary.json").read_text())
            self.assertTrue(summary["certificate"]["guaranteed"])
            self.assertEqual([warning for warning in summary["warnings"] if "MUMPS" in warning] != [], n > 1 and who == "all processes", out)
            energies.append(summary["energy_projected"])
        for energy in energies[1:]:
            self.assertAlmostEqual(energy / energies[0], 1, delta=1e-5)

    def test_discs_at_walls(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 118, .35))
        self.same(HEAD.format(dim=2, e=0, solver="automatic") + SPHERES + WALLS, "projected gradient")

    def test_balls(self):
        (self.folder / "spheres.csv").write_text(spheres(3, 24, .5))
        self.same(HEAD.format(dim=3, e=0, solver="automatic") + SPHERES, "projected gradient")

    def box(self, dim, n, gradient=None, lower=-.2):
        """A box in which spheres(dim, n, ...) repeat themselves everywhere; n is even."""
        upper = [2 * n + lower, n * (math.sqrt(.75) if dim == 2 else 1) + lower, n + lower][:dim]
        return (f"subsection Velocity\n set Mean gradient = {gradient}\nend\n" if gradient else "") + (
            "subsection Zone\n set Lower corner = " + ", ".join(dim * [repr(lower)]) + "\n set Upper corner = " +
            ", ".join(map(repr, upper)) + "\n set Periodic = " + ", ".join("xyz"[:dim]) + "\nend\n")

    def test_discs_in_a_periodic_box(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 124, .4))
        for gradient, numbers in ((None, (2,)), ("-.03, .05, .02, -.01", (4, 7))):
            with self.subTest(gradient):
                self.same(HEAD.format(dim=2, e=.5, solver="automatic") + SPHERES + self.box(2, 124, gradient),
                          "projected gradient", numbers=numbers)
        rows = (self.folder / "out0" / "contacts.csv").read_text().splitlines()
        at = rows[0].split(",").index("Lx")
        self.assertGreater(sum(row.split(",")[at:at + 2] != ["0", "0"] for row in rows[1:]), 100)
        for name, array in (("spheres", "u"), ("contacts", "p")):
            alone = self.pictures(0, name, (array,))
            for n in 4, 7:
                self.assertEqual(self.pictures(n, name, (array,)), alone)
        self.assertEqual(self.ends(4), self.ends(0))

    def test_balls_in_a_periodic_box(self):
        (self.folder / "spheres.csv").write_text(spheres(3, 24, .5))
        self.same(HEAD.format(dim=3, e=0, solver="automatic") + SPHERES + self.box(3, 24, "-.1, 0, .2, 0, 0, 0, 0, .1, .1"),
                  "projected gradient", numbers=(3,))

    def test_tables_of_a_periodic_box(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 118, .4))
        self.files = "spheres.h5", "contacts.h5", "statistics.csv"
        self.same(HEAD.format(dim=2, e=0, solver="automatic") + "set Table format = hdf5\n" + SPHERES + self.box(2, 118),
                  "projected gradient", numbers=(3,))

    def test_lattices_in_a_periodic_box(self):
        box = "subsection Zone\n set Upper corner = 1, {}\n set Periodic = x, y\nend\n"
        vacant = " set Vacancies = .05\n"
        self.same(self.lattice("square lattice", 130, more=vacant) + box.format(1), "lines (exact)", numbers=(7,))
        at_corners = " set Lattice anchor = 0, 0\n" + vacant  # rows along the sides have two chances, and are whole
        self.same(self.lattice("square lattice", 130, more=at_corners) + box.format(1), "lines (exact)", numbers=(3,))
        rows = [line.split(",")[:2] for line in (self.folder / "out3" / "spheres.csv").read_text().splitlines()[1:]]
        sites = {tuple(round(130 * float(x)) % 130 for x in row) for row in rows}
        self.assertEqual(len(sites), len(rows), "sites of both sides are one")
        self.same(self.lattice("triangular lattice", 144, more=" set Vacancies = .3\n") + box.format(repr(math.sqrt(.75))), "",
                  numbers=(3,))
        blocked = "subsection Velocity\n set Mean gradient = -1, 0, 0, 0\nend\n"
        self.assert_one_sentence(3, self.lattice("square lattice", 120) + box.format(1) + blocked, "across its period")

    def lattice(self, arrangement, n, dim=2, more=""):
        return HEAD.format(dim=dim, e=.5, solver="automatic") + (
            f"subsection Spheres\n set Arrangement = {arrangement}\n set Spheres per unit length = {n}\n{more}end\n"
            "subsection Velocity\n set Function expression = sin(7*x + y) - x; cos(5*x - 3*y)" + (dim - 2) * "; x - z" + "\nend\n")

    def test_lattices_whose_lines_cross_at_right_angles(self):
        box = "subsection Zone\n set Walls = left, bottom\nend\n"
        self.same(self.lattice("square lattice", 150, more=" set Vacancies = .05\n") + box, "lines (exact)",
                  numbers=(2, 7))
        for k, part in enumerate((" set Lattice angle = 17\n", " set Density = 3\n")):
            with self.subTest(part):
                self.same(self.lattice("square lattice", 140 + k, more=part), "lines (exact)", numbers=(3,))
        self.same(self.lattice("cubic lattice", 28, 3, " set Vacancies = .1\n"), "lines (exact)", numbers=(3,))

    def test_a_lattice_without_spheres_or_too_large_is_one_sentence(self):
        nothing = "subsection Zone\n set Function expression = 0\nend\n"
        self.assert_one_sentence(3, self.lattice("square lattice", 100) + nothing, "No sphere of the square lattice")
        self.assert_one_sentence(3, self.lattice("cubic lattice", 100, 2), "Dimension = 3")
        self.assert_one_sentence(3, self.lattice("square lattice", 30000), "memory")

    def test_what_has_few_blocks_is_done_by_one(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 12, .2))
        self.same(HEAD.format(dim=2, e=0, solver="automatic") + SPHERES, "", shared=False)

    def test_a_mistake_is_one_sentence(self):
        text = HEAD.format(dim=2, e=0, solver="automatic") + SPHERES
        lines = spheres(2, 100, .1).splitlines(keepends=True)
        for content, words in ((None, "spheres.csv"), ("".join([*lines, lines[7]]), "overlap"),
                               ("x,y,radius\n", "no spheres"),
                               ("".join([*lines[:5000], "1,2\n", *lines[5000:]]), "line 5001"), ("", "is empty"),
                               ("".join([*lines, "nan" + lines[7]]), "line " + str(len(lines) + 1))):
            if content is not None:
                (self.folder / "spheres.csv").write_text(content)
            self.assert_one_sentence(3, text, words)

    def test_a_process_that_is_killed_ends_all_and_leaves_nothing_half_written(self):
        (self.folder / "spheres.csv").write_text(spheres(2, 150, .05))
        process = self.start(3, HEAD.format(dim=2, e=0, solver="projected gradient") + "set Tolerance = 1e-13\n" + SPHERES)
        deadline, children = time.time() + 120, []
        while (len(children) != 3 or not (self.folder / "out3").exists()) and time.time() < deadline:
            time.sleep(.05)
            children = [int(child) for task in pathlib.Path(f"/proc/{process.pid}/task").glob("*")
                        for child in (task / "children").read_text().split()]
        self.assertEqual(len(children), 3)
        os.kill(children[1], signal.SIGKILL)
        process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        for name in ("summary.json", *FILES):
            self.assertFalse((self.folder / "out3" / name).exists(), name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
