#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that see other files under the same names, as on machines with disks of their own: parallel_copies.py MOREAU.

Each process begins in a folder of its own. Copies that say the same are fine; where one says something else all end with one
sentence that names the parameter, the file and the process, before anything is written.
"""
import pathlib
import shutil
import subprocess
import unittest

from on_processes import MOREAU, OnProcesses
from parallel_impacts import HEAD, SPHERES, spheres

PRM = pathlib.Path(__file__).resolve().parents[2] / "prm" / "macro"


class Copies(OnProcesses):
    files = "spheres.csv", "contacts.csv"

    def copies(self, n, files):
        """Folders 0, 1, ... with the files, name: text."""
        for rank in range(n):
            folder = self.folder / str(rank)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text)

    def run_in_folders(self, n, *options, of_last=()):
        """On process k in the folder k; of_last: options of the last one alone."""
        program = f'cd $OMPI_COMM_WORLD_RANK; [ $OMPI_COMM_WORLD_RANK = {n - 1} ] && set -- "$@" {" ".join(of_last)}; exec "$@"'
        return subprocess.run(["mpirun", "-n", str(n), "sh", "-c", program, "sh", MOREAU, "case.prm", "--output",
                               str(self.folder / f"out{n}"), *options], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment(), timeout=300)

    def assert_refused(self, run, *words):
        sentences = [line for line in run.stderr.splitlines() if line.startswith("moreau:")]
        self.assertEqual((run.returncode, len(sentences)), (1, 1), run.stderr)
        for word in words:
            self.assertIn(word, sentences[0])
        self.assertFalse((self.folder / "out2").exists())

    def test_a_parameter_file(self):
        text = HEAD.format(dim=2, e=.5, solver="automatic") + "subsection Spheres\n set Spheres per unit length = 12\nend\n"
        self.copies(2, {"case.prm": text})
        (self.folder / "1/case.prm").write_text("# the same, with a remark\n" + text)
        run = self.run_in_folders(2)
        self.assertEqual(run.returncode, 0, run.stderr)
        shutil.rmtree(self.folder / "out2")
        (self.folder / "1/case.prm").write_text(text.replace("= 12", "= 13"))
        self.assert_refused(self.run_in_folders(2), "case.prm: Spheres/Spheres per unit length", "of process 1 on", "'13'", "'12'")
        (self.folder / "1/case.prm").write_text(text.replace("= 12", "= many"))
        self.assert_refused(self.run_in_folders(2), "case.prm of process 1 on", "many")
        self.copies(2, {"case.prm": text})
        self.assert_refused(self.run_in_folders(2, of_last=["--set", "Restitution=0.25"]), "Restitution", "of process 1 on")
        self.assert_refused(self.run_in_folders(2, of_last=["--check"]), "--check", "of process 1 on")

    def test_a_file_of_spheres(self):
        rows = spheres(2, 105, .4)
        self.copies(2, {"case.prm": HEAD.format(dim=2, e=0, solver="automatic") + SPHERES, "spheres.csv": rows})
        run = self.run_in_folders(2)
        self.assertEqual(run.returncode, 0, run.stderr)
        shutil.rmtree(self.folder / "out2")
        last = rows.rstrip("\n").rsplit("\n", 1)[1]
        for other in (rows[:-len(last) - 1], rows[:len(rows) // 2], rows.replace(last, last[:-1] + "7"), "x,y,radius\n"):
            (self.folder / "1/spheres.csv").write_text(other)
            self.assert_refused(self.run_in_folders(2), "Spheres/File", "spheres.csv of process 1 on", "process 0")

    def test_files_that_all_read_whole(self):
        for case, parameter, name in (("general_mesh", "Mesh/File", "disc_quadrilaterals.msh"),
                                      ("density_file", "Zone/File", "density_disc.csv")):
            with self.subTest(parameter):
                shutil.rmtree(self.folder / "out2", ignore_errors=True)
                text = (PRM / f"{case}.prm").read_text().replace("= data/", "= ").replace("= 64", "= 16")
                data = next(PRM.parents[1].glob(f"prm/**/{name}")).read_text()
                self.copies(2, {"case.prm": text, name: data})
                run = self.run_in_folders(2)
                self.assertEqual(run.returncode, 0, run.stderr)
                shutil.rmtree(self.folder / "out2")
                place = self.folder / "1" / name
                for other in (data[:len(data) // 2], data.replace("1", "2", 1)):
                    place.write_text(other)
                    self.assert_refused(self.run_in_folders(2), parameter, name + " of process 1 on")
                place.unlink()
                self.assert_refused(self.run_in_folders(2), name, "of process 1 on")

    def test_an_output_directory_that_is_not_the_same(self):
        text = "set Problem = macro impact\nset Dimension = 2\nsubsection Mesh\n set Cells per unit length = 8\nend\n"
        self.copies(2, {"case.prm": text})
        for there in True, False:
            if there:
                (self.folder / "1/out").mkdir()
            else:
                (self.folder / "1/out").rmdir()  # which is empty again
            self.assert_refused(self.run_in_folders(2, "--output", "out"), "Output directory", "continuum_0000_p0001.vtu")
            self.assertFalse((self.folder / "0/out").exists())


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
