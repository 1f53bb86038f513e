#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The isotropic cone under mpirun: N processes find what one finds, and a mistake ends all of them.

parallel.py MOREAU runs every case for N = 1, 2, 3, 4 and compares energies, bounds and the velocities in the files, cell by
cell.
"""
import base64
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

MOREAU = str(pathlib.Path(sys.argv[1]).resolve())
SCRIPT = str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun")
MACRO = "set Problem = macro impact\n"
CASES = {
    "free": MACRO + "subsection Velocity\n set Function expression = sin(7*x + y) - 2*x; cos(5*x - 9*y)\nend\n"
            "subsection Mesh\n set Cells per unit length = 37\nend\n",
    "walls": MACRO + "subsection Velocity\n set Function expression = -1; sin(9*x)\nend\nsubsection Zone\n"
                     " set Walls = left, bottom\nend\n"
             "subsection Mesh\n set Cells per unit length = 32\nend\n",
    "shape": MACRO + "subsection Zone\n set Lower corner = -1.1, -1.1\n set Upper corner = 1.1, 1.1\n"
             " set Function expression = if(x*x + 2*y*y < 1, 1, 0)\nend\nsubsection Mesh\n"
             " set Cells per unit length = 16\nend\n",
    "adaptive": MACRO + "subsection Mesh\n set Cells per unit length = 8\n set Adaptive cycles = 2\nend\n",
    "space": MACRO + "set Dimension = 3\nsubsection Velocity\n set Function expression = sin(5*x + y); cos(4*z); -z\nend\n"
             "subsection Mesh\n set Cells per unit length = 9\nend\n",
}


def data_array(text, name, kind="Float64"):
    """The array of that name in the text of a VTK XML file written with zlib blocks in base64."""
    raw = re.search(rf'<DataArray type="{kind}" Name="{name}".*?>\s*([A-Za-z0-9+/=]+)\s*<', text, re.S)[1]
    n_blocks = struct.unpack("<Q", base64.b64decode(raw[:12])[:8])[0]
    n_header = 8 * (3 + n_blocks)
    length = 4 * ((n_header + 2) // 3)
    sizes = struct.unpack(f"<{3 + n_blocks}Q", base64.b64decode(raw[:length])[:n_header])[3:]
    blocks, start, unpacked = base64.b64decode(raw[length:]), 0, b""
    for size in sizes:
        unpacked += zlib.decompress(blocks[start:start + size])
        start += size
    return struct.unpack(f"<{len(unpacked) // 8}{'d' if kind == 'Float64' else 'q'}", unpacked)


def cell_values(folder, name="u", n_components=3, snapshot=None):
    """Velocities, or another field, by centre of cell, of all pieces of a snapshot, continuum_NNNN, or of the last one."""
    last = snapshot or max(folder.glob("continuum_*.vtu")).name[:14]
    found = {}
    for piece in folder.glob(last + "*.vtu"):
        text = piece.read_text()
        points, values = data_array(text, "Points"), data_array(text, name)
        n_cells = len(values) // n_components
        if n_cells == 0:
            continue
        indices = data_array(text, "connectivity", "Int64")
        per_cell = len(indices) // n_cells
        for c in range(n_cells):
            corner = indices[c * per_cell:(c + 1) * per_cell]
            centre = tuple(round(sum(points[3 * k + axis] for k in corner) / per_cell, 9) for axis in range(3))
            found[centre] = values[n_components * c:n_components * (c + 1)]
    return found


class Parallel(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def mpirun(self, n, text, *options):
        (self.folder / "case.prm").write_text(text)
        return subprocess.run(["mpirun", "-n", str(n), MOREAU, "case.prm", "--output", f"out{n}", *options], cwd=self.folder,
                              capture_output=True, text=True)

    def compare(self, case):
        for n in 1, 2, 3, 4:
            run = self.mpirun(n, CASES[case])
            self.assertEqual(run.returncode, 0, run.stderr)
        alone = json.loads((self.folder / "out1" / "summary.json").read_text())
        u_alone = cell_values(self.folder / "out1")
        largest = max(abs(x) for u in u_alone.values() for x in u)
        for n in 2, 3, 4:
            many = json.loads((self.folder / f"out{n}" / "summary.json").read_text())
            self.assertEqual(many["processes"], n)
            self.assertEqual(many["unknowns"], alone["unknowns"])
            for key in "energy_before", "energy_projected":
                self.assertAlmostEqual(many[key], alone[key], delta=1e-7 * alone["energy_before"])
            bounds = [run["certificate"]["total_relative_error_bound"] for run in (alone, many)]
            self.assertAlmostEqual(bounds[1] / bounds[0], 1., delta=1e-3)
            u_many = cell_values(self.folder / f"out{n}")
            self.assertEqual(u_many.keys(), u_alone.keys())
            # the tolerance 1e-6 is one of the L2 norm; single cells of the reconstruction may differ by more
            worst = max(abs(x - y) for centre in u_alone for x, y in zip(u_alone[centre], u_many[centre]))
            self.assertLessEqual(worst, 1e-4 * largest)

    def script(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_")}
        return subprocess.run([SCRIPT, *arguments], cwd=self.folder, capture_output=True, text=True,
                              env={**environment, "MOREAU": str(MOREAU)})

    def test_the_script_starts_processes_as_root_and_on_few_cores(self):
        (self.folder / "case.prm").write_text(MACRO)
        run = self.script("5", "case.prm", "--output", "out5")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads((self.folder / "out5" / "summary.json").read_text())["processes"], 5)
        for wrong in (), ("0", "case.prm"), ("case.prm", "2"), ("2",):
            run = self.script(*wrong)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
            self.assertIn("usage", run.stderr)
        self.assertEqual(self.script("2", "missing.prm").returncode, 1)

    def test_a_mistake_ends_all_processes_with_one_sentence(self):
        run = self.mpirun(3, MACRO + "subsection Zone\n set Function expression = 1.5*y\nend\n")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(sum(line.startswith("moreau: ") for line in run.stderr.splitlines()), 1, run.stderr)
        self.assertFalse((self.folder / "out3" / "summary.json").exists())

    def test_directional_cones_run_on_the_first_process_and_say_so(self):
        run = self.mpirun(2, MACRO + "subsection Cone\n set Type = square\nend\n")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("not distributed", run.stdout)


for name in CASES:
    setattr(Parallel, f"test_{name}_is_the_same_on_any_number_of_processes", lambda self, name=name: self.compare(name))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
