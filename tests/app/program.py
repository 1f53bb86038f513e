#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line and the files of a run, end to end: program.py MOREAU."""
import csv
import json
import math
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

from runs import CRADLE, MOREAU, Runs

FILES = {"summary.json", "parameters.prm", "log.txt", "statistics.csv", "spheres.csv", "contacts.csv", "solution.pvd",
         "spheres_0000.vtp", "contacts_0000.vtp", "open_in_paraview.py"}


class Program(Runs):
    def setUp(self):
        super().setUp()
        (self.folder / "cradle.prm").write_text(CRADLE)

    def test_a_run_that_cannot_go_on_stays_as_it_is(self):
        (self.folder / "row.prm").write_text("set Problem = particle motion\nsubsection Spheres\n set Arrangement = row\n"
                                             " set Number of spheres = 3\nend\nsubsection Time\n set End time = 0.1\nend\n")
        def cut_off(path):
            path.write_text("".join(path.read_text().splitlines(True)[:-1]))

        for damage, words in ((cut_off, "has lost lines"), (lambda path: path.unlink(), "is gone, a table")):
            self.run_well("row.prm", "--output", "out")
            damage(self.folder / "out/statistics.csv")
            before = {path.name: path.stat().st_size for path in (self.folder / "out").iterdir()}
            self.assertIn(words, self.refused("Output directory", "row.prm", "--output", "out", "--resume"))
            self.assertEqual({path.name: path.stat().st_size for path in (self.folder / "out").iterdir()}, before)

    def test_a_run_writes_its_files_and_says_where(self):
        text = self.run_well("cradle.prm")
        output = self.folder / "output" / "cradle"
        self.assertEqual({p.name for p in output.iterdir()}, FILES)
        self.assertIn("output/cradle", text)
        self.assertEqual(text.splitlines()[-1], "converged")
        self.assertTrue((output / "log.txt").read_text().startswith(text))
        for file in ("solution.pvd", "spheres_0000.vtp", "contacts_0000.vtp"):
            xml.etree.ElementTree.parse(output / file)

    def test_the_cradle_bounces_back(self):
        self.run_well("cradle.prm", "--output", "out")
        velocities = [float(row["ux"]) for row in self.rows("out/spheres.csv")]
        for found, expected in zip(velocities, [-0.6, 0.4, 0.4, 0.4, 0.4]):
            self.assertAlmostEqual(found, expected, delta=1e-12)  # the solver for lines is exact
        contacts = self.rows("out/contacts.csv")
        self.assertEqual([(row["i"], row["j"]) for row in contacts], [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4")])
        summary = self.summary("out")
        self.assertAlmostEqual(summary["energy_after"], summary["energy_before"], delta=1e-12)

    def test_parameters_prm_repeats_the_run(self):
        self.run_well("cradle.prm", "--output", "out", "--set", "Restitution=0.3")
        shutil.copy(self.folder / "out" / "parameters.prm", self.folder / "again.prm")
        self.run_well("again.prm", "--output", "again")
        for name in ("spheres.csv", "contacts.csv", "statistics.csv", "spheres_0000.vtp"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "again" / name).read_bytes())

    def test_parameters_prm_repeats_the_run_elsewhere(self):
        self.run_well("cradle.prm", "--output", "first")
        (self.folder / "file.prm").write_text("subsection Spheres\n set Arrangement = file\n"
                                              " set File = first/spheres.csv\nend\n"
                                              "subsection Velocity\n set Function expression = -x; -y\nend\n")
        self.run_well("file.prm", "--output", "out")
        elsewhere = self.folder / "far" / "away" / "from" / "here"
        elsewhere.mkdir(parents=True)
        subprocess.run([MOREAU, "../../../../out/parameters.prm", "--quiet", "--output", "again"], cwd=elsewhere, check=True)
        summaries = [json.loads((folder / "summary.json").read_text()) for folder in (self.folder / "out",
                                                                                      elsewhere / "again")]
        for summary in summaries:
            for key in ("wall_time_s", "peak_memory_bytes", "command", "date"):
                del summary[key]
        self.assertEqual(*summaries)
        self.assertEqual((self.folder / "out/spheres.csv").read_bytes(), (elsewhere / "again/spheres.csv").read_bytes())

    def test_velocities_of_a_file_are_used_unless_others_are_set(self):
        self.run_well("cradle.prm", "--output", "first")
        (self.folder / "second.prm").write_text(
            "set Restitution = 1\nsubsection Spheres\n set Arrangement = file\n set File = first/spheres.csv\nend\n")
        self.run_well("second.prm", "--output", "second")  # everything separates already
        self.assertEqual(self.summary("second")["impacts"], 0)
        self.run_well("second.prm", "--output", "third", "--set", "Velocity/Function expression=-x; 0")
        self.assertEqual(self.summary("third")["impacts"], 1)

    def test_a_mark_of_the_byte_order_is_no_text(self):
        text = "subsection Velocity\n set Function expression = -x; -y\nend\n"
        for mark in "", "\ufeff":
            (self.folder / "marked.prm").write_text(mark + "set Problem = macro impact\n" + text, encoding="utf-8")
            self.run_well("marked.prm", "--check")
        (self.folder / "marked.prm").write_text("set Problem = macro impact\n\ufeff" + text, encoding="utf-8")
        self.assertEqual(self.moreau("marked.prm", "--check").returncode, 1)

    def test_quiet_says_nothing(self):
        self.assertEqual(self.run_well("cradle.prm", "--quiet"), "")

    def test_check_computes_nothing(self):
        self.assertIn("valid", self.run_well("--check", "cradle.prm"))
        self.assertFalse((self.folder / "output").exists())

    def test_parameters_is_a_valid_file(self):
        (self.folder / "manual.prm").write_text(self.run_well("--parameters"))
        self.run_well("--check", "manual.prm")

    def test_help_and_version(self):
        self.assertIn("--set", self.run_well("--help"))
        version = self.run_well("--version")
        for library in ("moreau", "deal.II", "Trilinos", "Eigen", "Boost", "Catalyst"):
            self.assertIn(library, version)

    def test_bad_options_are_answered(self):
        for arguments in (["--frobnicate"], ["cradle.prm", "--set"], [], ["cradle.prm", "cradle.prm"]):
            result = self.moreau(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"\Amoreau: [^\n]+\n\Z")

    def test_vacancies_that_break_rows_are_counted(self):
        for more, sites in ((), 25), (("--set", "Zone/Periodic=x, y"), 25):
            (self.folder / "rows.prm").write_text(
                "set Problem = micro impact\nset Dimension = 2\nsubsection Spheres\n set Arrangement = square lattice\n"
                " set Spheres per unit length = 5\n set Break rows = true\nend\n")
            said = self.run_well("rows.prm", "--output", "rows", *more)
            n = len((self.folder / "rows" / "spheres.csv").read_text().splitlines()) - 1
            self.assertIn(f"{sites - n} of {sites} sites are vacant and no row is whole", " ".join(said.split()))

    def test_nothing_touches(self):
        text = self.run_well("cradle.prm", "--output", "out", "--set", "Spheres/Gap=0.125")
        self.assertIn("smallest gap is 0.125 m", text)
        self.assertEqual(len(self.summary("out")["warnings"]), 1)
        for what_to_set in "Impact sequence/Maximum number of impacts", "Problem = particle motion":
            self.assertIn(what_to_set, self.summary("out")["warnings"][0])
        self.assertEqual([float(row["ux"]) for row in self.rows("out/spheres.csv")], [1, 0, 0, 0, 0])

    def test_a_sequence_of_impacts_passes_the_speed_on(self):
        self.run_well("cradle.prm", "--output", "out", "--set", "Spheres/Gap=0.125", "--set",
                      "Impact sequence/Maximum number of impacts=100")
        velocities = [float(row["ux"]) for row in self.rows("out/spheres.csv")]
        for found, expected in zip(velocities, [0, 0, 0, 0, 1]):
            self.assertAlmostEqual(found, expected, delta=1e-12)
        times = [float(row["time"]) for row in self.rows("out/statistics.csv")]
        for found, expected in zip(times, [0.125, 0.25, 0.375, 0.5]):
            self.assertAlmostEqual(found, expected, delta=1e-12)
        summary = self.summary("out")
        m = summary["energy_before"]  # of a sphere of speed 1: two of them share the speed after the projection
        self.assertAlmostEqual(summary["energy_projected"], m / 2, delta=1e-12)
        self.assertEqual((summary["method"], summary["methods"]), ("lines (exact)", {"lines": 4}))

    def test_a_sequence_that_is_not_followed_to_its_end_says_so(self):
        # four impacts let the last sphere fly; between walls two spheres with e = 0.9 never come to rest
        sequence = ("cradle.prm", "--output", "out", "--set", "Spheres/Gap=0.125")
        for n, end in (3, "impact limit"), (4, "separated"):
            self.run_well(*sequence, "--set", f"Impact sequence/Maximum number of impacts={n}")
            summary = self.summary("out")
            self.assertEqual(summary["ended_because"], end)
            self.assertEqual([w.split(",")[0] for w in summary["warnings"]], ["After 3 impacts"] if n == 3 else [])
        self.run_well(*sequence, "--set", "Zone/Walls=left, right", "--set", "Zone/Lower corner=-3, -3", "--set",
                      "Zone/Upper corner=9, 3", "--set", "Restitution=0.9", "--set",
                      "Spheres/Number of spheres=2", "--set", "Impact sequence/Maximum number of impacts=100000")
        summary = self.summary("out")
        self.assertEqual(summary["ended_because"], "too slow")
        self.assertIn("without end", summary["warnings"][0])
        self.assertGreater(summary["energy_after"], 0)
        self.assertLess(summary["energy_after"], 1e-270)
        # five with e = 0.1 collapse, as their approach is lost in the rounding of their velocities
        self.run_well(*sequence, "--set", "Zone/Walls=left, right", "--set", "Zone/Lower corner=-3, -3", "--set",
                      "Zone/Upper corner=9, 3", "--set", "Restitution=0.1", "--set",
                      "Impact sequence/Maximum number of impacts=100000")
        self.assertIn("Spheres collapsed", " ".join(self.summary("out")["warnings"]))
        self.assertEqual(self.summary("out")["status"], "converged")

    def test_a_sequence_shows_the_contacts_of_every_impact(self):
        self.run_well("cradle.prm", "--output", "out", "--set", "Spheres/Gap=0.125", "--set",
                      "Impact sequence/Maximum number of impacts=100")
        rows = self.rows("out/contacts.csv")
        self.assertEqual([(row["impact"], row["i"], row["j"]) for row in rows],
                         [("1", "0", "1"), ("2", "1", "2"), ("3", "2", "3"), ("4", "3", "4")])
        for row in rows:  # equal spheres swap their velocities
            self.assertAlmostEqual(float(row["impulse"]), 2 * float(row["p"]), delta=1e-12)
        listed = [(d.get("timestep"), d.get("file")) for d in
                  xml.etree.ElementTree.parse(self.folder / "out/solution.pvd").iter("DataSet")]
        self.assertEqual([file for _, file in listed],
                         [f"{name}_{step:04}.vtp" for step in range(5) for name in ("spheres", "contacts")])
        pieces = [xml.etree.ElementTree.parse(self.folder / f"out/contacts_{step:04}.vtp").find(".//Piece")
                  for step in range(5)]
        lines = [piece.get("NumberOfLines") for piece in pieces]
        self.assertEqual(lines, ["0", "1", "1", "1", "1"])

    def test_results_of_an_earlier_run_are_cleared_and_nothing_else(self):
        out = self.folder / "out"
        self.run_well("cradle.prm", "--output", "out", "--set", "Spheres/Gap=0.125", "--set",
                      "Impact sequence/Maximum number of impacts=100")
        for name in ("notes.txt", "spheres_of_mine.vtp", "mine.csv"):
            (out / name).write_text("mine\n")
        (out / "contacts_0007.vtp.incomplete").write_text("of a killed run\n")
        self.run_well("cradle.prm", "--output", "out")
        self.assertEqual({p.name for p in out.iterdir()}, FILES | {"notes.txt", "spheres_of_mine.vtp", "mine.csv"})

    def test_a_run_does_not_replace_what_it_reads(self):
        self.run_well("cradle.prm", "--output", "out")
        before = (self.folder / "out/spheres.csv").read_bytes()
        result = self.moreau("cradle.prm", "--output", "out", "--set", "Spheres/Arrangement=file", "--set",
                             "Spheres/File=out/spheres.csv", "--set", "Spheres/Spheres per unit length=32")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Output directory: The run would replace", result.stderr)
        self.assertEqual((self.folder / "out/spheres.csv").read_bytes(), before)
        self.run_well("out/parameters.prm", "--output", "out")
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()}, FILES)

    def test_six_digits_in_a_file_of_spheres_are_enough_for_contacts(self):
        angles = [0.1 + 0.37 * k for k in range(40)]
        discs, x, y = ["x y r vx vy"], 10.0, 10.0
        for angle in angles:  # a chain of touching discs
            discs.append(f"{x:.6g} {y:.6g} {0.0123456:.6g} {-y:.6g} {x:.6g}")
            x, y = x + 2 * 0.0123456 * math.cos(angle / 10), y + 2 * 0.0123456 * math.sin(angle / 10)
        (self.folder / "chain.dat").write_text("\n".join(discs) + "\n")
        (self.folder / "chain.prm").write_text("subsection Spheres\n set File = chain.dat\nend\n")
        text = self.run_well("chain.prm", "--output", "out")
        self.assertIn("the file of spheres has six digits", text)
        self.assertIn("40 spheres in dimension 2, 39 contacts", text)
        self.assertIn("set Contact tolerance = 0.0", (self.folder / "out/parameters.prm").read_text())
        result = self.moreau("chain.prm", "--output", "out", "--set", "Spheres/Contact tolerance=1e-6")
        self.assertIn("overlap", result.stderr)

    def test_a_tolerance_of_zero_says_which_contacts_it_loses_to_rounding(self):
        discs, x, y, step = ["x,y,radius"], 10.0, 10.0, 2 * 0.0123456
        for k in range(40):  # a chain of touching discs, of which every third gap is 1e-9 of the radius
            discs.append(f"{x!r},{y!r},0.0123456")
            x += step * (1 + (k % 3 == 0) * 5e-10) * math.cos(0.1 + 0.037 * k)
            y += step * (1 + (k % 3 == 0) * 5e-10) * math.sin(0.1 + 0.037 * k)
        (self.folder / "chain.csv").write_text("\n".join(discs) + "\n")
        (self.folder / "chain.prm").write_text("subsection Spheres\n set File = chain.csv\nend\n")
        self.run_well("chain.prm", "--output", "out")
        self.assertEqual((self.summary("out")["contacts"], self.summary("out")["warnings"]), (39, []))
        self.run_well("chain.prm", "--output", "out", "--set", "Spheres/Contact tolerance=0")
        self.assertEqual(self.summary("out")["contacts"], 26)
        self.assertIn("13 pairs of 39", self.summary("out")["warnings"][0])

    def test_where_all_cones_are_as_near_no_dilatancy_is_the_best(self):
        (self.folder / "fit.prm").write_text(
            "set Problem = homogenization\nsubsection Spheres\n set Arrangement = random packing\nend\n"
            "subsection Homogenization\n set Packings = 30\n set Fit dilatancy = true\nend\n"
            "subsection Mesh\n set Cells per unit length = 6\nend\n")
        for U, is_flat in ("x; y", True), ("-x*x; sin(3*x)", False):
            self.run_well("fit.prm", "--output", "out", "--set", f"Velocity/Function expression={U}")
            summary = self.summary("out")
            fit = summary["samples"][0]["dilatancy"]
            self.assertEqual([fit["s"] is None, fit["interval"][0] is None, fit["interval"][1] is None], 3 * [is_flat])
            self.assertEqual(any("no best s" in sentence for sentence in summary["warnings"]), is_flat)

    def test_six_digits_are_enough_for_files_of_homogenization(self):
        for n in 7, 14:
            places = [(i + .5) / n for i in range(n)]
            (self.folder / f"{n}.csv").write_text("x,y,radius\n" + "".join(f"{x:.6g},{y:.6g},{.5 / n:.6g}\n"
                                                                           for x in places for y in places))
        (self.folder / "files.prm").write_text("set Problem = homogenization\nsubsection Cone\n set Type = square\nend\n"
                                               "subsection Spheres\n set File = 7.csv, 14.csv\nend\n")
        text = self.run_well("files.prm", "--output", "out")
        self.assertIn("a file of spheres has six digits", text)
        self.assertEqual([level["contacts"] for level in self.summary("out")["levels"]], [2 * n * (n - 1) for n in (7, 14)])

    def test_the_law_applied_once_says_that_it_leaves_the_cone(self):
        (self.folder / "row.csv").write_text("x,radius,ux\n0.5,0.5,1\n1.5,0.5,0\n2.5,0.5,0.3\n3.5,0.5,-1.3\n")
        (self.folder / "row.prm").write_text("set Dimension = 1\nset Restitution = 1\nset Maximum repetitions = 1\n"
                                             "subsection Spheres\n set File = row.csv\nend\n")
        text = self.run_well("row.prm", "--output", "out")
        velocities = [float(row["ux"]) for row in self.rows("out/spheres.csv")]
        for found, expected in zip(velocities, [-1, 0, -0.3, 1.3]):
            self.assertAlmostEqual(found, expected, delta=1e-12)
        summary = self.summary("out")
        self.assertTrue(summary["leaves_cone"])
        self.assertIn("approach at up to 0.3 m/s", summary["warnings"][0])
        self.assertIn(summary["warnings"][0], " ".join(text.split()))  # long lines are wrapped
        self.run_well("row.prm", "--output", "out", "--set", "Maximum repetitions=2")
        self.assertFalse(self.summary("out")["leaves_cone"])

    def test_a_full_disk_leaves_nothing_behind(self):
        sequence = ("--set", "Spheres/Gap=0.125", "--set", "Impact sequence/Maximum number of impacts=100")
        for more in ((), sequence):
            for size in (1, 500, 1000, 2000):  # less than some file of the run needs
                result = subprocess.run([MOREAU, "cradle.prm", "--output", "new/out", *more], cwd=self.folder, text=True,
                                        capture_output=True, check=False,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                self.assertEqual(result.returncode, 1, f"{size}: {result.stdout}")
                self.assertRegex(result.stderr, r"\Amoreau: cradle.prm: Output directory: [^\n]+\n\Z")
                self.assertFalse((self.folder / "new").exists(), size)

    def test_a_full_disk_is_told_where_printing_is_all(self):
        for options in ("--help",), ("--version",), ("--parameters",), ("--parameters=json",):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([MOREAU, *options], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "moreau: Standard output cannot be written; the disk may be full.\n"), options)

    def test_long_work_shows_progress_on_a_terminal(self):
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([MOREAU, "cradle.prm", "--set", "Spheres/Arrangement=triangular lattice", "--set",
                                    "Spheres/Spheres per unit length=200", "--set", "Tolerance=1e-30", "--set",
                                    "Solver=projected gradient"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr)
        self.addCleanup(os.close, terminal)
        os.close(stderr)
        text = ""
        while not re.search(r"projecting on \d+ contacts: \d+ s", text):  # the timeout of ctest ends a failure
            text += os.read(terminal, 1000).decode()
        process.kill()
        process.wait()

    def test_a_tolerance_below_the_floor_is_answered(self):
        text = self.run_well("cradle.prm", "--output", "out", "--set", "Tolerance=1e-30")
        self.assertIn("round-off floor", text)
        summary = self.summary("out")
        self.assertGreater(summary["tolerance_demanded"], summary["tolerance"])
        self.assertLessEqual(summary["certificate"]["relative_error_bound"], summary["tolerance_demanded"])

    def test_threads_do_not_change_a_digit(self):
        for threads in ("1", "2"):
            self.run_well("cradle.prm", "--output", threads, "--set", "Threads=" + threads, "--set",
                          "Spheres/Arrangement=triangular lattice", "--set", "Spheres/Spheres per unit length=30")
        self.assertEqual((self.folder / "1/contacts.csv").read_bytes(), (self.folder / "2/contacts.csv").read_bytes())

    def test_a_killed_run_leaves_no_summary(self):
        (self.folder / "out").mkdir()
        (self.folder / "out" / "summary.json").write_text('{"problem": "micro impact", "version": "0.9"}\n')
        process = subprocess.Popen([MOREAU, "cradle.prm", "--output", "out", "--set",
                                    "Spheres/Arrangement=triangular lattice",
                                    "--set", "Spheres/Spheres per unit length=400", "--set", "Tolerance=1e-30",
                                    "--set", "Solver=projected gradient"], cwd=self.folder, stdout=subprocess.DEVNULL)
        while (self.folder / "out" / "summary.json").exists():  # until the run has begun
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse((self.folder / "out" / "summary.json").exists())
        (self.folder / "out" / "contacts.csv").write_text("half of its results\n")
        self.run_well("cradle.prm", "--output", "out")  # the next run knows that they were its own
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()}, FILES)

    LONG = ("--set", "Spheres/Arrangement=triangular lattice", "--set", "Spheres/Spheres per unit length=400",
            "--set", "Tolerance=1e-30", "--set", "Solver=projected gradient")

    def wait_until_caught(self, which, process):
        """Until the program has its answer to a signal in place, however slow the machine is."""
        for _ in range(600):
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                caught = int(re.search(r"SigCgt:\s*(\w+)", status.read())[1], 16)
            if caught >> (which - 1) & 1:
                return
            time.sleep(.1)
        self.fail(f"{which.name} is not caught after a minute")

    def test_a_run_that_cannot_stop_says_what_ends_it(self):
        (self.folder / "packing.prm").write_text("set Problem = particle motion\nsubsection Spheres\n"
                                                 " set Arrangement = random packing\n set Number of spheres = 100000\nend\n")
        for run, which in ((("cradle.prm", *self.LONG), signal.SIGTERM), (("packing.prm",), signal.SIGINT)):
            process = self.start(*run, "--output", "out")
            self.wait_for("out" if run[1:] else "/proc/self", process)
            if not run[1:]:
                self.wait_until_caught(which, process)
                time.sleep(1)  # into the packing, before there is a directory
            process.send_signal(which)
            self.assertEqual(process.wait(), -which)
            self.assertEqual(process.stderr.read(), f"moreau: {run[0]}: It was ended by {which.name} before its results were "
                             "complete; run it again.\n")
            if run[1:]:
                self.assertFalse((self.folder / "out" / "summary.json").exists())

    def test_two_runs_do_not_share_a_directory(self):
        self.run_well("cradle.prm", "--output", "out")
        process = subprocess.Popen([MOREAU, "cradle.prm", "--output", "out", *self.LONG], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while (self.folder / "out" / "summary.json").exists():
            time.sleep(0.01)
        result = self.moreau("cradle.prm", "--output", "out")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: cradle.prm: Output directory: Another run writes into out; [^\n]+\n\Z")
        self.assertIsNone(process.poll())

    def test_files_of_the_user_are_not_replaced(self):
        for name in ("log.txt", "spheres.csv", "statistics.csv", "contacts.csv", "motion.csv", "packing.csv", "summary.json",
                     "parameters.prm"):
            with self.subTest(name):
                home = self.folder / ("home of " + name)
                home.mkdir()
                (home / name).write_text("precious\n")
                result = self.moreau("cradle.prm", "--output", home.name)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"\Amoreau: cradle.prm: Output directory: [^\n]+\n\Z")
                self.assertIn(name, result.stderr.split(" holds ")[1])
                self.assertEqual({p.name: p.read_text() for p in home.iterdir()}, {name: "precious\n"})

    def test_names_that_parameters_prm_cannot_repeat_are_refused(self):
        before = {p.name for p in self.folder.iterdir()}
        for name in ("a#b", "back\\", "a\nb", "a  b", "a "):
            with self.subTest(name):
                result = self.moreau("cradle.prm", "--output", name)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"\Amoreau: cradle.prm: Output directory: No parameter file [^\n]+\n\Z")
        self.assertEqual({p.name for p in self.folder.iterdir()}, before)
        self.run_well("cradle.prm", "--output", "back\\slash 'quoted' ü")
        self.run_well("back\\slash 'quoted' ü/parameters.prm")
        self.assertEqual({p.name for p in self.folder.iterdir()}, before | {"back\\slash 'quoted' ü"})

    def test_links_lead_to_no_file_elsewhere(self):
        (self.folder / "out").mkdir()
        names = (".moreau_was_here", ".moreau_was_here.incomplete", "spheres.csv.incomplete", "log.txt.incomplete")
        for name in names:
            (self.folder / (name + " elsewhere")).write_text("precious\n")
            (self.folder / "out" / name).symlink_to("../" + name + " elsewhere")
        (self.folder / "out" / "summary.json").write_text('{"problem": "micro impact", "version": "0.9"}\n')
        self.run_well("cradle.prm", "--output", "out")
        self.assertEqual({(self.folder / (name + " elsewhere")).read_text() for name in names}, {"precious\n"})
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()}, FILES)
        (self.folder / "out" / ".moreau_runs_here").symlink_to("../elsewhere")
        self.assertEqual(self.moreau("cradle.prm", "--output", "out").returncode, 1)
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_limited_memory_is_answered(self):
        cells = ("set Problem = macro impact\nsubsection Cone\n set Type = triangular\nend\n"
                 "subsection Mesh\n set Cells per unit length = 8\nend\n")
        discs = ("set Problem = particle motion\nsubsection Spheres\n set Spheres per unit length = 40\nend\n"
                 "subsection Zone\n set Walls = bottom\nend\nsubsection Force\n set Function expression = 0; -10\nend\n"
                 "subsection Time\n set Time step = 0.01\n set End time = 0.02\nend\n")
        for text in cells, discs:
            (self.folder / "case.prm").write_text(text)
            ends = set()
            for megabytes in range(350, 1000, 50):  # from what the libraries take alone to what the run takes
                limit = megabytes << 20
                result = subprocess.run([MOREAU, "case.prm", "--output", "out"], cwd=self.folder, text=True,
                                        capture_output=True, check=False, timeout=600,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                if "shared libraries" in result.stderr:  # of the system, before the program begins
                    continue
                ends.add(result.returncode)
                self.assertIn(result.returncode, (0, 3), f"{megabytes} MB: {result.stderr}")
                if result.returncode == 3:
                    self.assertRegex(result.stderr, r"\Amoreau: [^\n]+\n\Z", megabytes)
                    self.assertFalse((self.folder / "out").exists())
            self.assertEqual(ends, {0, 3})
            shutil.rmtree(self.folder / "out")

    def test_a_packing_of_an_earlier_run_is_cleared(self):
        self.run_well("cradle.prm", "--output", "out")
        (self.folder / "out" / "packing.csv").write_text("of an earlier run\n")
        self.run_well("cradle.prm", "--output", "out")
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()}, FILES)

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_mpirun_gives_the_same_result(self):
        self.run_well("cradle.prm", "--output", "alone")
        text = self.run_well("cradle.prm", "--output", "together", processes=2)
        self.assertEqual(text.count("process 0 of 2 does the work"), 1)
        self.assertEqual((self.folder / "alone/spheres.csv").read_bytes(),
                         (self.folder / "together/spheres.csv").read_bytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
