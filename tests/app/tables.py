#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres and contacts in files of HDF5, as a user's h5py reads and writes them.

tables.py MOREAU
"""
import csv
import json
import os
import random
import subprocess
import unittest

import h5py
import numpy as np

from on_processes import MOREAU, OnProcesses

IMPACT = "set Problem = micro impact\nset Dimension = 2\n"
PERIODIC = "subsection Zone\n set Upper corner = 1, 1\n set Periodic = x, y\nend\n"
LATTICE = IMPACT + ("subsection Spheres\n set Arrangement = {}\n set Spheres per unit length = {}\nend\n"
                    "subsection Velocity\n set Function expression = sin(7*x) - x; cos(5*x - 3*y)\nend\n")
HDF5 = "set Table format = hdf5\n"


class Tables(OnProcesses):
    files = "spheres.h5", "contacts.h5", "statistics.csv"

    def good(self, n, text):
        status, out, err = self.run_on(n, text)
        self.assertEqual(status, 0, err)
        return self.folder / f"out{n}"

    def columns(self, name):
        """Of a .csv table: arrays of numbers, but of words where there are some."""
        with open(self.folder / "out0" / name, encoding="utf8", newline="") as file:
            names, *rows = csv.reader(file)
        columns = dict(zip(names, zip(*rows)))
        words = {key for key, column in columns.items() if key == "j" and not all(word.isdigit() for word in column)}
        return {key: np.array(column if key in words else [float(word) for word in column]) for key, column in columns.items()}

    def write(self, name="mine.h5", **arrays):
        with h5py.File(self.folder / name, "w") as file:
            for key, values in arrays.items():
                file[key] = values

    def file(self, name="mine.h5", dim=2):
        return f"set Problem = micro impact\nset Dimension = {dim}\nsubsection Spheres\n set File = {name}\nend\n"

    def test_arrays_are_the_columns_of_the_tables(self):
        for text in (LATTICE.format("square lattice", 12) + "subsection Zone\n set Walls = left, bottom\nend\n",
                     LATTICE.format("square lattice", 8) + PERIODIC):
            with self.subTest(text):
                self.good(0, text)
                tables = {name: self.columns(name + ".csv") for name in ("spheres", "contacts")}
                folder = self.good(0, HDF5 + text)
                self.assertFalse((folder / "spheres.csv").exists() or (folder / "contacts.csv").exists())
                with h5py.File(folder / "spheres.h5") as file:
                    self.assertEqual(sorted(file), sorted(tables["spheres"]))
                    for name in file:
                        self.assertTrue((file[name][:] == tables["spheres"][name]).all(), name)
                    self.assertEqual([file[name].attrs["unit"] for name in ("x", "mass", "ux")], [b"m", b"kg", b"m/s"])
                with h5py.File(folder / "contacts.h5") as file:
                    self.assertEqual(sorted([*file, "impact"]), sorted(tables["contacts"]))
                    walls = {"left": "-1", "bottom": "-2"}
                    for name in file:
                        expected = tables["contacts"][name]
                        if name == "j":
                            expected = np.array([int(float(walls.get(str(j), j))) for j in expected])
                        self.assertTrue((file[name][:] == expected).all(), name)
                    self.assertEqual(file["j"].dtype, np.int64)

    def test_any_number_of_processes_writes_the_same_bytes(self):
        text = HDF5 + LATTICE.format("square lattice", 140)
        self.good(0, text)
        for n in 2, 3:
            self.good(n, text)
            self.assertEqual(self.digest(n), self.digest(0), n)

    def test_what_is_read_is_what_was_written(self):
        text = LATTICE.format("square lattice", 140)
        spheres = self.good(0, HDF5 + text) / "spheres.h5"
        spheres.rename(self.folder / "mine.h5")
        velocity = "subsection Velocity\n set Function expression = from file\nend\n"
        self.files = "spheres.csv", "contacts.csv", "statistics.csv"
        self.good(0, self.file() + velocity)
        for n in 2, 7:
            self.good(n, self.file() + velocity)
            self.assertEqual(self.digest(n), self.digest(0), n)
        read = self.columns("spheres.csv")
        with h5py.File(self.folder / "mine.h5") as file:
            for name in "x", "y", "radius", "mass":
                self.assertTrue((file[name][:] == read[name]).all(), name)

    def test_arrays_of_others(self):
        x = np.arange(5.)
        for given in ({"x": x, "y": 0 * x, "r": np.full(5, .5), "vx": -x, "vy": 0 * x},
                      {"x": np.arange(5), "y": np.zeros(5, int), "radius": np.full(5, .5), "ux": -np.arange(5), "uy": 0 * x},
                      {"x": x, "y": 0 * x, "z": 0 * x, "radius": np.full(5, .5, ">f8"), "ux": -x, "uy": 0 * x, "id": x}):
            self.write(**given)
            with h5py.File(self.folder / "mine.h5", "a") as file:
                file.create_group("made_by")["numbers"] = x
            self.good(0, self.file())
            self.assertTrue((np.abs(self.columns("spheres.csv")["ux"] + 2.) < 1e-6).all())

    def test_single_precision_widens_the_contact_tolerance(self):
        x = (.1 * np.arange(30)).astype("f4")
        self.write(x=x, y=0 * x, radius=np.full(30, .05, "f4"), ux=-x, uy=0 * x)
        status, out, err = self.run_on(0, self.file())
        self.assertEqual(status, 0, err)
        self.assertIn("less than double precision", out)
        self.assertEqual(json.loads((self.folder / "out0" / "summary.json").read_text())["contacts"], 29)

    def test_homogenization_reads_them(self):
        with open(self.folder / "a.csv", "w", encoding="utf8") as file:
            file.write("x,y,radius\n")
            rows = [((i + .5) / 8, (j + .5) / 8, 1 / 16) for i in range(8) for j in range(8)]
            file.writelines(f"{x!r},{y!r},{r!r}\n" for x, y, r in rows)
        self.write(**dict(zip(("x", "y", "radius"), np.array(rows).T)))
        tables = []
        for name in "a.csv", "mine.h5":
            folder = self.good(0, "set Problem = homogenization\nset Dimension = 2\nsubsection Spheres\n set Arrangement = file\n"
                               f" set File = {name}\nend\nsubsection Cone\n set Type = square\nend\n")
            tables.append((folder / "convergence.csv").read_text())
        self.assertEqual(tables[0], tables[1])

    def test_mistakes_are_one_sentence(self):
        x, R = np.arange(10.), np.full(10, .5)
        good = {"x": x, "y": 0 * x, "radius": R}
        for change, words in (({"y": x[:4]}, "has 4 numbers"), ({"x": np.where(x == 3, np.nan, x)}, "row 3 (from 0): nan"),
                              ({"radius": -R}, "is not positive"), ({"x": x[:, None]}, "has not one dimension"),
                              ({"x": 1., "y": 1., "radius": 1.}, "has not one dimension"), ({"colour": x}, "unknown"),
                              ({"x": np.array(["a"] * 10, dtype="S")}, "holds no numbers"), ({"r": R}, "is there twice"),
                              ({"z": x}, "is not zero"), ({"radius": 2 * R}, "overlap"),
                              ({"x": x[:0], "y": x[:0], "radius": x[:0]}, "no spheres")):
            with self.subTest(words):
                self.write(**{**good, **change})
                for n in (0, 3) if words.startswith(("has 4", "row 3")) else (0,):
                    self.assert_one_sentence(n, self.file(), words)
        self.write(x=x, radius=R)
        self.assert_one_sentence(3, self.file(), "'y' is missing")
        self.assert_one_sentence(0, self.file("none.h5"), "none.h5")
        (self.folder / "text.h5").write_text("x,y,radius\n0,0,1\n")
        self.assert_one_sentence(3, self.file("text.h5"), "is no file of HDF5")
        self.write(x=x, y=0 * x, radius=R)
        (self.folder / "folder.h5").mkdir()
        os.mkfifo(self.folder / "pipe.h5")
        (self.folder / "named.csv").write_bytes((self.folder / "mine.h5").read_bytes())
        (self.folder / "cut.h5").write_bytes((self.folder / "mine.h5").read_bytes()[:1500])
        for name, words in (("folder.h5", "is a directory"), ("pipe.h5", "pipe"), ("named.csv", "must end in .h5"),
                            ("cut.h5", "cut off")):
            self.assert_one_sentence(3, self.file(name), words)
        self.assert_one_sentence(0, "set Problem = particle motion\n" + HDF5, "Table format")
        self.assert_one_sentence(0, HDF5 + LATTICE.format("square lattice", 4) + "subsection Impact sequence\n"
                                 " set Maximum impacts = 3\nend\n", "Impact sequence")

    def test_what_is_not_in_the_file_is_no_array(self):
        """Masses and velocities may be missing, but not in silence."""
        x = np.arange(10.)
        self.write("other.h5", m=7 + x)
        for change, words in ((lambda f: f.__setitem__("mass", h5py.SoftLink("/nowhere")), "leads nowhere"),
                              (lambda f: f.__setitem__("mass", h5py.ExternalLink("other.h5", "/m")), "leads into another file"),
                              (lambda f: (f.__setitem__("there", h5py.ExternalLink("other.h5", "/")), f.move("there", "g/there"),
                                          f.__setitem__("mass", h5py.SoftLink("/g/there/m"))), "leads into another file"),
                              (lambda f: f.create_group("mass"), "is no array but a group"),
                              (lambda f: f.create_dataset("mass", (10,), fillvalue=7.), "never written"),
                              (lambda f: f.create_dataset("mass", data=7 + x, compression="lzf"), "gzip"),
                              (lambda f: f.create_dataset("mass", (10,), "f8", external="raw"), "in other files")):
            with self.subTest(words):
                (self.folder / "raw").write_bytes(bytes(80))
                self.write(x=x, y=0 * x, radius=np.full(10, .5))
                with h5py.File(self.folder / "mine.h5", "a") as file:
                    change(file)
                self.assert_one_sentence(0, self.file(), words)
        self.write(x=x, y=0 * x, radius=np.full(10, .5))
        with h5py.File(self.folder / "mine.h5", "a") as file:
            group = file.create_group("bodies")
            group["m"] = 7 + x
            file["mass"] = h5py.SoftLink("/bodies/m")
            file.create_dataset("id", data=x, compression="gzip")
        self.good(0, self.file() + "subsection Velocity\n set Function expression = -x; 0\nend\n")
        self.assertTrue((self.columns("spheres.csv")["mass"] == 7 + x).all())

    def test_half_precision_widens_the_contact_tolerance_more(self):
        x = (np.arange(8) / 3).astype("f2")
        self.write(x=x, y=0 * x, radius=np.full(8, 1 / 6, "f2"), ux=-x, uy=0 * x)
        self.good(0, self.file())
        self.assertEqual(json.loads((self.folder / "out0" / "summary.json").read_text())["contacts"], 7)

    def test_damaged_files_end_with_a_sentence_or_are_read(self):
        x = np.arange(10.)
        self.write(x=x, y=0 * x, radius=np.full(10, .5))
        whole, draw = (self.folder / "mine.h5").read_bytes(), random.Random(2)
        velocity = "subsection Velocity\n set Function expression = -x; 0\nend\n"
        for k in range(12):
            damaged = bytearray(whole)
            for _ in range(5):
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
            (self.folder / "damaged.h5").write_bytes(damaged if k > 1 else damaged[:len(damaged) // (k + 2)])
            status, _, err = self.run_on(0, self.file("damaged.h5") + velocity)
            if status != 0:
                self.assertEqual((status, err.count("\n")), (1, 1), err)

    def limited(self, n, kilobytes):
        """No file may be larger; what it says."""
        run = subprocess.run(["mpirun", "-n", str(n), "sh", "-c", f'ulimit -f {2 * kilobytes}; exec "$@"', "sh", MOREAU,
                              "case.prm", "--output", "out"], cwd=self.folder, capture_output=True, text=True,
                             env=self.environment(), check=False)
        return run.returncode, run.stderr

    def test_a_full_disk_is_one_sentence(self):
        text = HDF5 + LATTICE.format("square lattice", 140)
        (self.folder / "case.prm").write_text(text)
        for n in 1, 3:
            # contacts and spheres in pictures take less than the tables
            status, out = self.limited(n, 900)
            sentences = [line for line in out.splitlines() if line.startswith("moreau:")]
            self.assertEqual((status, len(sentences)), (1, 1), out)
            self.assertIn(".h5 cannot be written", sentences[0])
            self.assertNotIn("infinite loop", out)
            self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main(argv=["tables.py"])
