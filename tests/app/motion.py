#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions end to end: files, checkpoints, signals: motion.py MOREAU."""
import random
import re
import shutil
import signal
import sys
import time
import unittest
import xml.etree.ElementTree
import zlib

from runs import MOREAU, Runs

SETTLING = """set Problem = particle motion
set Restitution = 0.3
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 10
  set Vacancies = 0.3
end
subsection Zone
  set Walls = bottom, left, right, top
end
subsection Force
  set Function expression = 0.1*uy; -10 + 0.01*sin(t)*x
end
subsection Velocity
  set Function expression = sin(30*y); cos(20*x)
end
subsection Time
  set End time = 0.5
  set Time step = 0.0005
end
"""
OSCILLATOR = """set Problem = particle motion
set Restitution = 0.5
subsection System
  set Type = oscillator with a stop
end
subsection Time
  set Scheme = inertia operator
  set End time = 10
  set Time step = 0.01
  set Checkpoint every = 300
end
"""
BALL = """set Problem = particle motion
subsection Spheres
  set Arrangement = file
  set File = ball.csv
end
subsection Zone
  set Walls = bottom
end
subsection Force
  set Function expression = 0; -10
end
subsection Time
  set End time = 0.5
  set Time step = 0.001
end
"""


class Motion(Runs):
    CLOCK_COLUMNS = ("search_time", "projection_time")
    CLOCK_KEYS = (*Runs.CLOCK_KEYS, "search_time_s", "projection_time_s")

    def setUp(self):
        super().setUp()
        (self.folder / "settling.prm").write_text(SETTLING)
        (self.folder / "oscillator.prm").write_text(OSCILLATOR)
        (self.folder / "ball.prm").write_text(BALL)
        (self.folder / "ball.csv").write_text("x,y,radius\n0.5,0.6,0.1\n")

    def test_a_run_writes_its_files(self):
        text = self.run_well("ball.prm", "--output", "out")
        self.assertEqual(text.splitlines()[-1], "converged")
        pictures = {f"{name}_{k:04}.vtp" for name in ("spheres", "contacts", "obstacles") for k in range(101)}
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()},
                         {"summary.json", "parameters.prm", "log.txt", "statistics.csv", "spheres.csv", "solution.pvd",
                          "checkpoint.moreau", "open_in_paraview.py"} | pictures)
        listed = [(float(d.get("timestep")), d.get("file")) for d in
                  xml.etree.ElementTree.parse(self.folder / "out/solution.pvd").iter("DataSet")]
        self.assertEqual({file for _, file in listed}, pictures)
        self.assertEqual((listed[0][0], listed[-1][0]), (0, 0.5))
        rows = self.rows("out/statistics.csv")
        self.assertEqual([int(row["step"]) for row in rows], list(range(1, 501)))
        summary = self.summary("out")
        self.assertEqual((summary["steps"], summary["final_time"], summary["status"]), (500, 0.5, "converged"))
        for key in "max_overlap", "contacts_max", "momentum_error", "dissipated_energy", "work":
            self.assertIn(key, summary)
        self.assertEqual(summary["diagnostics"], {"closed_contacts": 1, "rigid_rows": 0, "rigid_clusters": 0,
                                                  "largest_rigid_cluster": 0})
        self.assertLessEqual(summary["max_overlap"], 1e-8)
        # it falls 0.5 m and stays there: all work is dissipated, but for what the scheme takes
        self.assertAlmostEqual(float(self.rows("out/spheres.csv")[0]["y"]), 0.1, delta=1e-9)
        self.assertAlmostEqual(summary["dissipated_energy"] - summary["scheme_error"], summary["work"], delta=1e-12)
        self.assertAlmostEqual(summary["dissipated_energy"], summary["work"], delta=0.01 * summary["work"])

        self.assertAlmostEqual(summary["work"], 3.141592653589793 * 0.01 * 10 * 0.5, delta=1e-9)
        self.assertEqual(summary["warnings"], [])
        self.assertIn(summary["verdict"], " ".join(text.split()))  # long lines are wrapped
        self.assertRegex(summary["verdict"], "^(not )?certified: ")

    def test_jumps_of_obstacles_and_of_growth_are_warned_of(self):
        (self.folder / "two.csv").write_text("x,y,radius,mass\n0,0.5,0.5,3\n0,1.5,0.5,1\n")
        (self.folder / "apart.csv").write_text("x,y,radius\n0,1,0.5\n")
        (self.folder / "floor.prm").write_text(
            "set Problem = particle motion\nsubsection Spheres\n set File = two.csv\nend\n"
            "subsection Obstacles\n set Shapes = floor: half-space (0, 0) (0, 1)\n set Translation expression = 0; 0\nend\n"
            "subsection Time\n set End time = 0.5\nend\n")
        for way, words in (("0; if(t < 0.3, 0, 0.01)", r"^The way of half-space 1 of Obstacles jumps by 0\.01 m at t = 0\.3 s: .* time step"),
                           ("0; if(t < 0.3, 0, t - 0.3)", None), ("0; 0.01*sin(50*t)", None)):
            self.run_well("floor.prm", "--output", "out", "--set", "Obstacles/Translation expression=" + way)
            warnings = [text for text in self.summary("out")["warnings"] if "jumps" in text]
            self.assertEqual(len(warnings), 1 if words else 0)
            self.assertTrue(not words or re.search(words, warnings[0]), warnings)
        for growth, words in (("if(t < 0.3, 1, 1.02)", r"^The radius of spheres jumps by 0\.01 m at t = 0\.3 s: "),
                              ("1 + 0.02*min(t, 0.3)", None)):
            self.run_well("floor.prm", "--output", "out", "--set", "Growth/Function expression=" + growth,
                          "--set", "Spheres/File=apart.csv")
            warnings = [text for text in self.summary("out")["warnings"] if "jumps" in text]
            self.assertEqual(len(warnings), 1 if words else 0)
            self.assertTrue(not words or re.search(words, warnings[0]), warnings)

    def test_energy_out_of_nothing_is_warned_of(self):
        numbers, places = random.Random(0), []
        while len(places) < 30:
            x, y = (round(numbers.uniform(0.05, 0.95), 3) for _ in range(2))
            if all((x - a)**2 + (y - b)**2 > 0.101**2 for a, b in places):
                places.append((x, y))
        (self.folder / "discs.csv").write_text("x,y,radius,ux,uy\n" + "".join(
            f"{x},{y},0.05,{numbers.randint(-9, 9)},{numbers.randint(-9, 9)}\n" for x, y in places))
        (self.folder / "discs.prm").write_text(
            "set Problem = particle motion\nset Restitution = 1\nsubsection Spheres\n set File = discs.csv\nend\n"
            "subsection Zone\n set Walls = left, right, bottom, top\nend\n"
            "subsection Force\n set Function expression = 0; -10\nend\n"
            "subsection Time\n set End time = 1\n set Time step = 0.05\nend\n")
        self.run_well("discs.prm", "--output", "long")
        summary = self.summary("long")
        rows = self.rows("long/statistics.csv")
        for key, least in ("dissipated", 0), ("scheme_error", -summary["energy_before"]):
            values = [0.] + [float(row[key]) for row in rows]
            self.assertGreaterEqual(min(after - before for before, after in zip(values, values[1:])), least)
        gain = summary["largest_energy_gain"]
        self.assertGreater(gain, 0.001 * summary["energy_before"])
        self.assertRegex(" ".join(summary["warnings"]), "In a step the energy of the spheres grew by .*Time/Time step")
        self.run_well("discs.prm", "--output", "short", "--set", "Time/Time step=0.0005")
        self.assertLess(self.summary("short")["largest_energy_gain"], 0.1 * gain)

    def test_what_a_bed_at_rest_leaves_of_its_weight_is_no_energy_out_of_nothing(self):
        (self.folder / "bed.prm").write_text(
            "set Problem = particle motion\nsubsection Spheres\n set Arrangement = triangular lattice\n"
            " set Cut by = whole sphere\n set Spheres per unit length = 50\nend\n"
            "subsection Zone\n set Walls = left, right, bottom\nend\n"
            "subsection Force\n set Function expression = 0; -10\nend\n"
            "subsection Time\n set End time = 0.03\n set Time step = 0.01\nend\n")
        self.run_well("bed.prm", "--output", "bed")
        summary = self.summary("bed")
        self.assertLess(summary["velocity_sup"], 1e-8)
        self.assertEqual([text for text in summary["warnings"] if "grew by" in text], [])

    def test_spheres_that_move_more_than_a_radius_a_step_are_warned_of(self):
        self.run_well("ball.prm", "--output", "out", "--set", "Time/Time step=0.1", "--set", "Restitution=1")
        summary = self.summary("out")
        self.assertGreater(summary["largest_move"], 1)
        self.assertRegex(summary["warnings"][0], "^Spheres move up to .* radii in a step: .*Time/Time step")

    def test_a_resting_ball_has_a_force_chain(self):
        self.run_well("ball.prm", "--output", "out", "--set", "Time/Output every=0.1")
        mass = 3.141592653589793 * 0.01
        piece = xml.etree.ElementTree.parse(self.folder / "out/contacts_0005.vtp").find(".//Piece")
        self.assertEqual(piece.get("NumberOfLines"), "1")
        last = self.rows("out/statistics.csv")[-1]
        self.assertEqual(int(last["contacts"]), 1)
        self.assertAlmostEqual(float(last["work"]), mass * 10 * 0.5, delta=mass * 10 * 3.2 * 0.001)  # a step

    def test_a_last_step_may_be_shorter_and_rounding_is_no_step(self):
        for end, steps in ("0.1000000001", 100), ("0.1005", 101), ("0.1", 100), ("0.0001", 1):
            self.run_well("ball.prm", "--output", "out", "--set", "Time/End time=" + end)
            self.assertEqual((self.summary("out")["steps"], self.summary("out")["final_time"]), (steps, float(end)))

    def test_a_killed_run_goes_on_from_its_checkpoint(self):
        self.run_well("settling.prm", "--output", "whole", "--set", "Time/Checkpoint every=20")
        process = self.start("settling.prm", "--output", "killed", "--set", "Time/Checkpoint every=20")
        self.wait_for("killed/checkpoint.moreau", process)
        self.wait_for("killed/spheres_0007.vtp", process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse((self.folder / "killed/summary.json").exists())
        self.assertFalse((self.folder / "killed/statistics.csv").exists())
        text = self.run_well("settling.prm", "--output", "killed", "--resume", "--set", "Time/Checkpoint every=20")
        self.assertIn("goes on from the checkpoint after step", text)
        self.assert_same_results("whole", "killed")
        self.assertEqual(self.summary("killed")["resumed"], 1)

    def test_a_run_that_is_told_to_stop_goes_on_later(self):
        self.run_well("settling.prm", "--output", "whole")
        output = ("settling.prm", "--output", "stopped")
        for which, status, picture, resume in ((signal.SIGTERM, 143, "0003", ()),
                                               (signal.SIGINT, 130, "0020", ("--resume",))):
            process = self.start(*output, *resume)
            self.wait_for(f"stopped/spheres_{picture}.vtp", process)
            process.send_signal(which)
            self.assertEqual(process.wait(), status)
            self.assertRegex(process.stderr.read(), r"\Amoreau: settling.prm: [^\n]*--resume[^\n]*\.\n\Z")
            self.assertFalse((self.folder / "stopped/summary.json").exists())
            self.assertIn("stopped by " + which.name, (self.folder / "stopped/log.txt").read_text())
            xml.etree.ElementTree.parse(self.folder / "stopped/solution.pvd")
            self.assertLess(len(self.rows("stopped/statistics.csv")), 1000)
        self.run_well(*output, "--resume", "--set", "Threads=1")
        self.assert_same_results("whole", "stopped")
        self.assertEqual(self.summary("stopped")["resumed"], 2)

    def test_a_run_can_be_made_longer(self):
        every = ("--set", "Time/Output every=0.05")
        self.run_well("settling.prm", "--output", "whole", *every)
        self.run_well("settling.prm", "--output", "longer", *every, "--set", "Time/End time=0.2105")
        self.assertEqual(self.summary("longer")["pictures"], 6)  # 0, 0.05, ..., 0.2 and the end
        self.run_well("settling.prm", "--output", "longer", *every, "--resume")
        self.assert_same_results("whole", "longer")
        self.assertIn("0.5 s, beyond 0.3 s", self.refused("Time/End time", "settling.prm", "--output", "longer", *every,
                                                          "--resume", "--set", "Time/End time=0.3"))

    def test_what_is_measured_goes_on_too(self):
        measured = [o for setting in (
            "Zone/Walls=left, bottom", "Obstacles/Shapes=lid: ball (1.5, 1.5) 0.2; lid: ball (1.5, 2) 0.2",
            "Time/Output every=0.05", "Measurements/Fluxes=side: plane (0.9, 0) (1, 0)", "Measurements/Forces on=all",
            "Measurements/Regions=all: zone", "Measurements/Probes=middle: (0.5, 0.5)", "Coarse graining/Cells=5, 5",
            "Measurements/Remove outside of=box (0, 0) (1, 2)", "Plots/Contacts=true") for o in ("--set", setting)]
        self.run_well("settling.prm", "--output", "whole", *measured)
        self.run_well("settling.prm", "--output", "longer", *measured, "--set", "Time/End time=0.2")
        self.run_well("settling.prm", "--output", "longer", *measured, "--resume")
        self.assert_same_results("whole", "longer")
        summary, rows = self.summary("whole"), self.rows("whole/statistics.csv")
        self.assertGreater(summary["removed"]["spheres"], 0)
        self.assertGreater(summary["fluxes"]["side"]["count"], 0)
        self.assertEqual(list(summary["forces"]), ["lid", "left", "bottom"])
        self.assertEqual(list(rows[0])[-2:], list(self.CLOCK_COLUMNS))
        for row in rows:
            x = {key: float(row[key]) for key in ("kinetic_energy", "work", "dissipated", "scheme_error", "removed_energy")}
            self.assertAlmostEqual(x["kinetic_energy"] + x["removed_energy"] + x["dissipated"] - x["work"] - x["scheme_error"],
                                   summary["energy_before"], delta=1e-9)
        spheres, intervals = self.rows("whole/spheres.csv"), self.rows("whole/measurements.csv")
        self.assertEqual(len(spheres), summary["spheres"] - summary["removed"]["spheres"])
        self.assertEqual(sorted({int(s["id"]) for s in spheres}), [int(s["id"]) for s in spheres])
        self.assertEqual(len(intervals), 10)
        self.assertEqual(sum(int(i["flux_side_count"]) for i in intervals), summary["fluxes"]["side"]["count"])
        mean = sum(float(i["force_bottom_y"]) for i in intervals) / 10
        self.assertAlmostEqual(mean, summary["forces"]["bottom"]["mean_force"][1], delta=1e-9 * abs(mean))
        self.assertLess(mean, 0)
        # of each picture, and what is drawn is the last of them
        self.assertTrue({"contact_forces.png", "contact_forces.gp", "contact_directions.png", "contact_directions.gp"}
                        <= {p.name for p in (self.folder / "longer").iterdir()})
        forces, directions = self.rows("whole/contact_forces.csv"), self.rows("whole/contact_directions.csv")
        self.assertEqual(float(forces[-1]["time"]), 0.5)
        for time in {row["time"] for row in forces}:
            bins = [row for row in forces if row["time"] == time]
            n = sum(int(row["count"]) for row in bins)
            self.assertAlmostEqual(sum(float(r["density"]) * (float(r["upper"]) - float(r["lower"])) for r in bins), 1)
            ends = [row for row in directions if row["time"] == time]
            self.assertEqual((len(ends), sum(int(row["count"]) for row in ends)), (36, 2 * n))
            for column in "count_density", "force_density":
                self.assertAlmostEqual(sum(float(row[column]) for row in ends), 36)
        self.assertEqual(summary["contact_statistics"]["contacts"],
                         sum(int(row["count"]) for row in forces if row["time"] == "0.5"))
        # what is left may begin another motion
        self.run_well("settling.prm", "--output", "again", "--set", "Spheres/File=whole/spheres.csv", "--set",
                      "Spheres/Vacancies=0", "--set", "Spheres/Spheres per unit length=32", "--set", "Time/End time=0.01",
                      "--set", "Spheres/Arrangement=file", "--set", "Zone/Walls=left, bottom")

    def test_where_no_sphere_is_left_tables_have_all_columns(self):
        self.run_well("settling.prm", "--output", "empty", "--set", "Measurements/Remove in=box (-9, -9) (9, 9)", "--set",
                      "Measurements/Fluxes=side: plane (0.9, 0) (1, 0)", "--set", "Coarse graining/Cells=5, 5")
        self.assertEqual((self.folder / "empty/spheres.csv").read_text(), "x,y,radius,mass,ux,uy,id\n")
        self.assertEqual([w for w in self.summary("empty")["warnings"] if w.startswith("Cells of coarse fields are up to 0.2 m")
                          and "more Coarse graining/Cells" in w], self.summary("empty")["warnings"])
        # another run without measurements leaves none of this one's
        self.assertTrue((self.folder / "empty/measurements.csv").exists())
        self.run_well("settling.prm", "--output", "empty")
        self.assertEqual([p.name for p in (self.folder / "empty").iterdir() if p.name.startswith(("coarse", "measure"))], [])

    def test_nothing_goes_on_from_a_step_that_was_cut_short(self):
        self.run_well("ball.prm", "--output", "out", "--set", "Time/End time=0.1005")
        self.assertIn("shorter", self.refused("Time/End time", "ball.prm", "--output", "out", "--resume"))

    def test_a_system_goes_on_too(self):
        self.run_well("oscillator.prm", "--output", "whole")
        self.run_well("oscillator.prm", "--output", "longer", "--set", "Time/End time=4")
        self.run_well("oscillator.prm", "--output", "longer", "--resume")
        self.assert_same_results("whole", "longer")
        rows = self.rows("whole/motion.csv")
        self.assertEqual(len(rows), 1001)
        self.assertEqual((rows[0]["time"], rows[0]["x"], rows[0]["u_x"]), ("0", "1", "0"))

    def test_a_random_packing_is_made_once(self):
        packing = ("settling.prm", "--set", "Spheres/Arrangement=random packing", "--set", "Spheres/Number of spheres=30",
                   "--set", "Spheres/Spheres per unit length=32",  # as where nothing is set
                   "--set", "Spheres/Vacancies=0", "--set", "Time/End time=0.05", "--output", "out")
        early = "by an earlier run with the same parameters"
        self.assertNotIn(early, self.run_well(*packing))
        results = self.folder / "out"
        first = {name: (results / name).read_bytes() for name in ("packing.csv", "packing.json", "spheres.csv")}
        self.assertIn(early, self.run_well(*packing))
        for name, content in first.items():
            self.assertEqual((results / name).read_bytes(), content)
        self.assertNotIn(early, self.run_well(*packing, "--set", "Spheres/Seed=7"))
        text = (results / "packing.csv").read_text().replace("0.1", "0.2", 1)  # another sphere than the record has
        (results / "packing.csv").write_text(text)
        self.assertNotIn(early, self.run_well(*packing, "--set", "Spheres/Seed=7"))
        failing = self.moreau(*packing, "--set", "Force/Function expression=0; sqrt(0.02-t)")
        self.assertEqual(failing.returncode, 1, failing.stdout)
        self.assertFalse((results / "summary.json").exists())
        self.assertIn(early, self.run_well(*packing))

    def test_a_random_packing_goes_on_too(self):
        packing = ("settling.prm", "--set", "Spheres/Arrangement=random packing", "--set", "Spheres/Number of spheres=30",
                   "--set", "Spheres/Spheres per unit length=32",  # as where nothing is set
                   "--set", "Random packing/Coverage=0.5", "--set", "Spheres/Vacancies=0", "--set", "Zone/Walls=bottom, top",
                   "--set",
                   "Zone/Periodic=x", "--set", "Time/Output every=0.01")
        self.run_well(*packing, "--output", "whole", "--set", "Time/End time=0.1")
        self.run_well(*packing, "--output", "longer", "--set", "Time/End time=0.05")
        self.run_well(*packing, "--output", "longer", "--set", "Time/End time=0.1", "--resume")
        self.assert_same_results("whole", "longer")
        self.assertEqual(len(self.rows("whole/packing.csv")), 30)
        self.assertAlmostEqual(self.summary("whole")["packing"]["coverage"], 0.5, delta=1e-9)

    def test_a_packing_does_not_begin_before_what_is_around_it_is_understood(self):
        packing = ("settling.prm", "--set", "Spheres/Arrangement=random packing", "--set", "Spheres/Vacancies=0", "--set",
                   "Spheres/Number of spheres=100000", "--set", "Spheres/Spheres per unit length=32")  # minutes of packing
        for parameter, value in (("Obstacles/Shapes", "plate (0, 0) (1, 0)"), ("Force/Function expression", "0; g"),
                                 ("Velocity/Function expression", "0; v"), ("Growth/Function expression", "q")):
            for more in ((), ("--check",)):
                self.refused(parameter, *packing, *more, "--set", f"{parameter}={value}", "--output", "out")
        (self.folder / "file").write_text("")
        self.refused("Output directory", *packing, "--output", "file/out")

    def test_a_force_to_an_open_side_of_a_box_in_space_is_worth_a_warning(self):
        (self.folder / "box.prm").write_text(
            "set Problem = particle motion\nset Dimension = 3\nsubsection Spheres\n set Arrangement = cubic lattice\n"
            " set Spheres per unit length = 2\nend\nsubsection Force\n set Function expression = 0; 0; -10\nend\n"
            "subsection Time\n set End time = 0.02\n set Time step = 0.001\nend\n")
        walls = ("box.prm", "--output", "out", "--set", "Zone/Walls=left, right, front, ")
        text = self.run_well(*walls[:-1], walls[-1] + "y-")
        self.assertIn("warning: The force points towards z-, where there is no wall", text)
        self.assertEqual(len(self.summary("out")["warnings"]), 1)
        self.assertNotIn("warning", self.run_well(*walls[:-1], walls[-1] + "z-"))

    def test_lattice_sites_on_both_sides_of_a_period_are_one(self):
        (self.folder / "ring.prm").write_text(
            "set Problem = particle motion\nsubsection Spheres\n set Arrangement = square lattice\n set Lattice anchor = 0, 0\n"
            " set Spheres per unit length = 20\nend\nsubsection Zone\n set Periodic = x, y\nend\nsubsection Time\n"
            " set End time = 1e-3\n set Time step = 1e-3\nend\n")
        self.assertIn("400 spheres", self.run_well("ring.prm", "--output", "out"))

    def test_rigid_contacts_that_are_too_many_to_look_for_are_said_to_be_unknown(self):
        for n, known in (20, True), (160, False):  # beyond 5e4 coordinates nobody looks
            (self.folder / "crystal.prm").write_text(
                "set Problem = particle motion\nsubsection Spheres\n set Arrangement = square lattice\n"
                f" set Spheres per unit length = {n}\nend\nsubsection Velocity\n set Function expression = -x; -y\nend\n"
                "subsection Time\n set End time = 1e-4\n set Time step = 1e-4\nend\n")
            text = self.run_well("crystal.prm", "--output", "out")
            self.assertEqual("not known, of " in text, not known)
            self.assertEqual(self.summary("out")["diagnostics"]["rigid_rows"], 0 if known else None)

    def test_a_finished_run_that_is_resumed_stays_as_it_is(self):
        self.run_well("ball.prm", "--output", "one")
        self.run_well("ball.prm", "--output", "other")
        self.run_well("ball.prm", "--output", "other", "--resume")
        self.assert_same_results("one", "other")

    def test_the_last_picture_of_a_finished_run_that_is_resumed_shows_its_last_step(self):
        run = ["settling.prm", *(o for setting in (
            "Time/End time=0.3", "Time/Output every=0.11", "Measurements/Forces on=all", "Coarse graining/Cells=5, 5",
            "Plots/Contacts=true") for o in ("--set", setting)), "--output"]
        self.run_well(*run, "one")
        self.run_well(*run, "other")
        self.run_well(*run, "other", "--resume")
        self.assert_same_results("one", "other")
        self.assertGreater(self.summary("other")["contact_statistics"]["contacts"], 0)

    def test_parameters_prm_repeats_the_run(self):
        for prm in "ball.prm", "oscillator.prm":
            every = ("--set", "Time/Output every=0.25") if prm == "ball.prm" else ()
            self.run_well(prm, "--output", "first", *every)
            shutil.copy(self.folder / "first/parameters.prm", self.folder / "again.prm")
            self.run_well("again.prm", "--output", "again")
            self.assert_same_results("first", "again")

    def test_checkpoints_by_the_clock(self):
        process = self.start("settling.prm", "--output", "out", "--set", "Time/Checkpoint every minutes=0.0001")
        self.wait_for("out/checkpoint.moreau", process)
        self.assertFalse((self.folder / "out/summary.json").exists())

    def test_a_checkpoint_of_something_else_is_refused(self):
        place = "Output directory"
        self.assertIn("no checkpoint", self.refused(place, "ball.prm", "--output", "out", "--resume"))
        self.assertFalse((self.folder / "out").exists())
        self.run_well("ball.prm", "--output", "out")
        resume = ("ball.prm", "--output", "out", "--resume")
        results = {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}

        self.assertIn("'0.1'", self.refused("Restitution", *resume, "--set", "Restitution=0.1"))
        (self.folder / "ball.csv").write_text("x,y,radius\n0.5,0.7,0.1\n")
        self.assertIn("ball.csv", self.refused("Spheres/File", *resume))
        (self.folder / "ball.csv").write_text("x,y,radius\n0.5,0.6,0.1\n")

        checkpoint = self.folder / "out/checkpoint.moreau"
        whole = checkpoint.read_bytes()
        line, payload = whole.split(b"\n", 1)
        words = line.split(b" ")
        for name, content, reason in (
                ("one bit", line + b"\n" + payload[:100] + bytes([payload[100] ^ 1]) + payload[101:], "damaged"),
                ("cut", whole[:-1], "damaged"), ("empty", b"", "damaged"), ("text", b"hello\nworld\n", "damaged"),
                ("version", b" ".join([*words[:3], b"0.0.7", *words[4:]]) + b"\n" + payload, "version 0.0.7"),
                ("format", b" ".join([*words[:2], b"99", *words[3:]]) + b"\n" + payload, "version")):
            with self.subTest(name):
                checkpoint.write_bytes(content)
                self.assertIn(reason, self.refused(place, *resume))
        for name, forged in (("no CBOR", b"\xff" * 9), ("a number", b"\x01"), ("an empty map", b"\xa0"),
                             ("cut", payload[:-9]),
                             ("other pictures", payload.replace(b"hpictures", b"hpictureX")),
                             ("other times", payload.replace(b"dtime", b"dtimX")),
                             ("other totals", payload.replace(b"ftotals", b"ftotalX")),
                             # the number of collapses becomes a text, and the key of the work another one
                             ("other kind", payload.replace(b"icollapsed\x00", b"icollapsed\x60")),
                             ("other key", payload.replace(b"dwork", b"dworX")),
                             ("other tables", payload.replace(b"ftables", b"ftableX"))):
            with self.subTest("forged: " + name):
                self.assertTrue(name[:5] != "other" or forged != payload)
                head = b" ".join([*words[:4], b"%d" % len(forged), b"%08x" % zlib.crc32(forged)])
                checkpoint.write_bytes(head + b"\n" + forged)
                self.assertIn("damaged", self.refused(place, *resume))
        checkpoint.write_bytes(whole)
        picture = self.folder / "out/spheres_0001.vtp"
        picture.rename(self.folder / "elsewhere.vtp")
        self.assertIn("spheres_0001.vtp is gone", self.refused(place, *resume))
        (self.folder / "elsewhere.vtp").rename(picture)
        self.assertEqual(results, {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()})

        (self.folder / "out/statistics.csv").write_text("step\n")
        self.assertIn("statistics.csv", self.refused(place, *resume))
        self.assertIn("nothing to resume", self.refused("Problem", *resume, "--set", "Problem=time convergence", "--set",
                                                        "Time/Time step=0.1, 0.05"))

    def test_a_run_that_begins_anew_clears_a_checkpoint(self):
        self.run_well("ball.prm", "--output", "out")
        process = self.start("ball.prm", "--output", "out", "--set", "Time/Time step=1e-6")
        while (self.folder / "out/checkpoint.moreau").exists():
            time.sleep(0.005)
        process.kill()
        process.wait()
        self.assertFalse((self.folder / "out/summary.json").exists())

    def test_steps_that_do_not_converge_are_counted(self):
        result = self.moreau("settling.prm", "--output", "out", "--set", "Maximum iterations=1", "--set",
                             "Solver=projected gradient", "--set", "Time/End time=0.02")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("'not converged'", result.stderr)
        summary = self.summary("out")
        self.assertEqual(summary["status"], "not converged")
        self.assertGreater(summary["steps_not_converged"], 0)
        self.assertIn("step ", summary["first_not_converged"])
        self.assertRegex(result.stdout, r"not converged: \d+ of 40 steps")

    def test_what_stops_a_motion_leaves_what_came_before(self):
        result = self.moreau("ball.prm", "--output", "out", "--set", "Growth/Function expression=1 + 20*t", "--set",
                             "Zone/Walls=bottom, top")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"Growth/Function expression: .*sphere 0")
        names = {p.name for p in (self.folder / "out").iterdir()}
        self.assertTrue({"statistics.csv", "solution.pvd", "log.txt"} <= names)
        self.assertFalse([name for name in names if name.endswith(".incomplete") or name == "summary.json"])
        self.assertEqual(len(self.rows("out/statistics.csv")), 200)  # the room is 1 m high, the radius 0.5 m at t = 0.2 s

    def test_memory_does_not_grow_with_steps(self):
        peaks = []
        for step in "0.001", "0.000005":
            self.run_well("ball.prm", "--output", "out", "--set", "Time/Time step=" + step)
            peaks.append(self.summary("out")["peak_memory_bytes"])
        # 100 000 steps; keeping only their lines would take 2e7 bytes more than 500, and a peak alone varies by 5e6
        self.assertLess(peaks[1], peaks[0] + 1.2e7)

    def test_threads_do_not_change_a_digit(self):
        for threads in "1", "2":
            self.run_well("settling.prm", "--output", threads, "--set", "Threads=" + threads, "--set", "Time/End time=0.1")
        self.assert_same_results("1", "2")

    def test_check_computes_nothing(self):
        for prm in "ball.prm", "settling.prm", "oscillator.prm":
            self.assertIn("valid", self.run_well("--check", prm))
        self.assertFalse((self.folder / "output").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
