#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau --sweep: one parameter file with many values, runs side by side, one table."""
import math
import pathlib
import re
import signal
import subprocess
import time
import unittest

from runs import MOREAU, Runs

BLOCKS = """set Problem = macro impact
set Dimension = 2
subsection Velocity
  set Function constants  = angle = 10, speed = 1
  set Function expression = if(x < 1, speed*cos(angle*pi/180), -speed*cos(angle*pi/180)); if(x < 1, speed*sin(angle*pi/180), -speed*sin(angle*pi/180))
end
subsection Zone
  set Upper corner = 2, 1
end
subsection Cone
  set Type = square
end
subsection Mesh
  set Cells per unit length = 8
end
"""
FILE = "set Problem = micro impact\nset Dimension = 2\nset Output directory = out\nsubsection Spheres\n set File = good.csv\nend\n"
FALL = """set Problem = particle motion
set Dimension = 2
set Output directory = out
subsection Spheres
  set Arrangement = triangular lattice
  set Spheres per unit length = 40
  set Cut by = whole sphere
end
subsection Zone
  set Walls = left, right, bottom
end
subsection Force
  set Function expression = 0; -1
end
subsection Time
  set End time = 1000
  set Time step = 1e-3
end
"""


class Sweep(Runs):
    def write(self, **files):
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text)

    def test_every_combination_is_a_run_and_a_row(self):
        self.write(blocks_prm=BLOCKS)
        out = self.run_well("blocks.prm", "--sweep", "Velocity/Function constants=angle=45,0,30", "--sweep", "Cone/Type=isotropic,square",
                            "--sweep", "Velocity/Function constants=speed=2", "--output", "out")
        self.assertIn("6 of 6 runs converged", out)
        rows = self.rows("out/sweep.csv")
        self.assertEqual([(row["run"], row["angle"], row["Cone/Type"], row["speed"], row["status"]) for row in rows],
                         [(f"run_{k + 1:03}", angle, cone, "2", "converged")
                          for k, (angle, cone) in enumerate((a, c) for a in ("45", "0", "30") for c in ("isotropic", "square"))])
        for k, row in enumerate(rows):
            summary = self.summary(f"out/run_{k + 1:03}")
            self.assertEqual(float(row["energy_after"]), summary["energy_after"])
            self.assertEqual(row["certificate.guaranteed"], "true")
            self.assertEqual(float(row["momentum_after[1]"]), summary["momentum_after"][1])
            if row["Cone/Type"] == "square":  # rows stop, columns keep their velocity; mass 2, speed 2
                self.assertAlmostEqual(float(row["energy_after"]), 4 * math.sin(math.radians(float(row["angle"]))) ** 2, 10)
        whole = self.summary("out")
        self.assertEqual((whole["problem"], whole["status"], len(whole["runs"])), ("sweep", "converged", 6))
        self.assertEqual([s["constant"] for s in whole["swept"]], ["angle", None, "speed"])
        moved = self.folder / "moved"  # the script and the table beside it are enough, wherever the folder is
        moved.mkdir()
        for plot in "sweep", "costs":
            drawn = (self.folder / "out" / f"{plot}.png").read_bytes()
            self.assertTrue(drawn.startswith(b"\x89PNG"))
            for name in (f"{plot}.gp", f"{plot}_plot.csv"):
                (moved / name).write_bytes((self.folder / "out" / name).read_bytes())
            subprocess.run(["gnuplot", "-d", f"{plot}.gp"], cwd=moved, check=True)
            self.assertEqual((moved / f"{plot}.png").read_bytes(), drawn)
        seconds = {float(row["x"]): row for row in self.rows("moved/costs_plot.csv")}
        self.assertEqual(sorted(seconds), [0., 30., 45.])
        self.assertEqual(float(seconds[45.]["y0"]), self.summary("out/run_001")["wall_time_s"])
        # the same by hand
        self.run_well("blocks.prm", "--set", "Velocity/Function constants=angle = 30, speed = 2", "--output", "hand", "--quiet")
        self.assertEqual(float(rows[5]["energy_after"]), self.summary("hand")["energy_after"])
        # fewer runs: those of the earlier sweep are gone, a file of the user stays
        (self.folder / "out" / "run_006" / "mine.txt").write_text("mine")
        self.run_well("blocks.prm", "--sweep", "Zone/Upper corner=2, 1 | 2, 0.5", "--jobs", "1", "--output", "out", "--quiet")
        self.assertEqual(sorted(p.name for p in (self.folder / "out").glob("run_*")), ["run_001", "run_002", "run_006"])
        self.assertEqual([p.name for p in (self.folder / "out" / "run_006").iterdir()], ["mine.txt"])
        self.assertEqual([row["Zone/Upper corner"] for row in self.rows("out/sweep.csv")], ["2, 1", "2, 0.5"])

    def test_a_list_of_cones_is_a_sweep(self):
        self.write(blocks_prm=BLOCKS)
        self.write(cones_prm=BLOCKS.replace("set Type = square", "set Type = square, isotropic"))
        self.run_well("cones.prm", "--output", "out")
        self.assertEqual([(row["run"], row["Cone/Type"], row["status"]) for row in self.rows("out/sweep.csv")],
                         [("run_001", "square", "converged"), ("run_002", "isotropic", "converged")])
        self.run_well("blocks.prm", "--set", "Cone/Type=square, isotropic", "--output", "set")
        self.assertEqual([row["energy_after"] for row in self.rows("set/sweep.csv")],
                         [row["energy_after"] for row in self.rows("out/sweep.csv")])
        self.run_well("cones.prm", "--check")
        self.run_well("cones.prm", "--sweep", "Cone/Type=triangular,square", "--output", "other")  # in the place of the list
        self.assertEqual([row["Cone/Type"] for row in self.rows("other/sweep.csv")], ["triangular", "square"])
        self.run_well("cones.prm", "--set", "Cone/Type=square", "--output", "one")
        self.assertEqual(self.summary("one")["cone"], "square")
        result = self.moreau("blocks.prm", "--set", "Cone/Type=square, round")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: blocks\.prm: Cone/Type: [^\n]*'round'[^\n]*\n\Z")

    def test_cones_of_a_list_use_what_is_theirs(self):
        cone = "set Type = isotropic, circular, dilatant, square\n  set Dilatancy = 0.3\n  set Directions = 8\n  set Lattice angle = 30"
        self.write(blocks_prm=BLOCKS, cones_prm=BLOCKS.replace("set Type = square", cone))
        self.run_well("cones.prm", "--output", "out")
        runs = [self.folder / "out" / f"run_00{k}" for k in (1, 2, 3, 4)]
        said = [dict(re.findall(r"set (Type|Dilatancy|Directions|Lattice angle) += ?(.*)", (run / "parameters.prm").read_text().split("subsection Cone")[1].split("\nend")[0]))
                for run in runs]
        self.assertEqual([[cone.get(key, "") for key in ("Type", "Dilatancy", "Directions", "Lattice angle")] for cone in said],
                         [["isotropic", "", "", "0"], ["circular", "0.3", "", "0"], ["dilatant", "0.3", "8", "0"], ["square", "", "", "30"]])
        alone = "set Type = circular\n  set Dilatancy = 0.3"
        self.write(alone_prm=BLOCKS.replace("set Type = square", alone))
        self.run_well("alone.prm", "--output", "alone")
        self.assertEqual(self.summary("alone")["energy_after"], self.summary("out/run_002")["energy_after"])
        self.run_well("alone.prm", "--sweep", "Cone/Type=circular,square", "--check")
        self.run_well("cones.prm", "--sweep", "Cone/Type=dilatant,square,isotropic", "--check")
        result = self.moreau("alone.prm", "--sweep", "Cone/Type=isotropic,square")  # nobody's
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: alone\.prm: Cone/Dilatancy: [^\n]+\n\Z")

    def test_a_lattice_with_all_its_sites_needs_no_seed(self):
        lattice = "subsection Spheres\n set Spheres per unit length = 6\n set Seed = 3\n set Vacancies = 0.1\nend\n"
        self.write(lattice_prm=lattice)
        self.run_well("lattice.prm", "--sweep", "Spheres/Vacancies=0,0.3", "--output", "out")
        n_spheres = [self.summary(f"out/run_00{k}")["spheres"] for k in (1, 2)]
        self.assertGreater(n_spheres[0], n_spheres[1])

    def test_what_can_be_read_once_only_is_read_once(self):
        self.write(blocks_prm=BLOCKS)
        subprocess.run(["bash", "-c", '"$0" <(cat blocks.prm) --output out --quiet', MOREAU], cwd=self.folder, check=True)
        self.assertEqual(self.summary("out")["problem"], "macro impact")

    def test_bad_sweeps_get_a_sentence_before_anything_runs(self):
        self.write(blocks_prm=BLOCKS)
        for place, option in (("Velocity/Function constants", "Velocity/Function constants=angel=1,2"),
                              ("Velocity/Funktion constants", "Velocity/Funktion constants=angle=1"),
                              ("Cone/Type", "Cone/Type=square,hexagonal"), ("Mesh/Cells per unit length", "Mesh/Cells per unit length=8,-8"),
                              ("Cone/Type", "Cone/Type=,"), ("Restitution", "Restitution=0,,1"),
                              ("Restitution", "Restitution=0,1,"), ("Restitution", "Restitution=0, 1, 0"),
                              ("Restitution", "Restitution=0,0.50,5e-1"),
                              ("Output directory", "Output directory=a,b")):
            result = self.moreau("blocks.prm", "--sweep", option)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, rf"\Amoreau: blocks\.prm: {place}: [^\n]+\n\Z")
        for arguments in (("--sweep", "Cone/Type"), ("--sweep", "Cone/Type=square", "--sweep", "Cone/Type=isotropic"),
                          ("--sweep", "Cone/Type=square", "--set", "Cone/Type=isotropic"), ("--jobs", "2"),
                          ("--sweep", "Cone/Type=square", "--jobs", "two"), ("--sweep",)):
            result = self.moreau("blocks.prm", *arguments)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1))
        result = self.moreau("blocks.prm", "--sweep", "Cone/Type=square", processes=2)
        self.assertEqual(result.returncode, 1)
        self.assertIn("without mpirun", result.stderr)
        self.assertEqual(list(self.folder.glob("out*")), [])

    def test_each_run_is_checked_as_one_alone_is(self):
        (self.folder / "blocks.prm").write_text(BLOCKS)
        for sweep, words in (("Velocity/Function expression=x; y|x; foo(y)", "With Velocity/Function expression = x; foo(y): "),
                             ("Zone/Upper corner=2, 1|-1, 1", "With Zone/Upper corner = -1, 1: ")):
            refused = self.moreau("--check", "blocks.prm", "--sweep", sweep)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(words, refused.stderr)
        self.assertIn("of all runs are valid", self.run_well("--check", "blocks.prm", "--sweep", "Restitution=0,1"))

    def test_what_is_used_with_what_is_swept_only_may_be_set(self):
        (self.folder / "lattice.prm").write_text("subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 8\nend\n")
        self.run_well("lattice.prm", "--sweep", "Spheres/Vacancies=0.1,0.2", "--set", "Spheres/Seed=4", "--threads", "1",
                      "--output", "out")
        self.assertEqual({self.summary(f"out/run_00{k}")["threads"] for k in (1, 2)}, {1})
        self.assertIn("Vacancies", self.moreau("lattice.prm", "--sweep", "Restitution=0,1", "--set", "Spheres/Seed=4").stderr)

    def test_runs_whose_files_have_changed_are_repeated_and_those_that_did_not_converge_not_drawn(self):
        spheres = "x,y,radius,mass,ux,uy\n0,0,0.5,1,1,0\n1,0,0.5,{},-1,0\n"
        (self.folder / "good.csv").write_text(spheres.format(1))
        (self.folder / "two.prm").write_text(FILE)  # velocities are those of the file
        sweep = ("two.prm", "--sweep", "Restitution=0,1", "--output", "out")
        self.assertNotIn("before", self.run_well(*sweep))
        self.assertEqual(self.run_well(*sweep, "--resume").count("converged before"), 2)
        time.sleep(.05)
        (self.folder / "good.csv").write_text(spheres.format(100))
        self.assertNotIn("before", self.run_well(*sweep, "--resume"))
        self.assertAlmostEqual(float(self.rows("out/sweep.csv")[0]["energy_before"]), 50.5)
        (self.folder / "blocks.prm").write_text(BLOCKS.replace("square", "isotropic"))
        self.moreau("blocks.prm", "--sweep", "Maximum iterations=1,100000", "--set", "Mesh/Cells per unit length=32", "--output", "out")
        rows = self.rows("out/sweep.csv")
        self.assertEqual([row["status"] for row in rows], ["not converged", "converged"])
        self.assertEqual([row["y0"] == "" for row in self.rows("out/sweep_plot.csv")], [True, False])

    def test_a_run_that_fails_does_not_end_the_others(self):
        self.write(blocks_prm=BLOCKS, spheres_prm=FILE, good_csv="x,y,radius,ux,uy\n0,0,0.5,1,0\n1,0,0.5,-1,0\n",
                   bad_csv="x,y,radius,ux,uy\n0,0,0.5,1,0\n0.5,0,0.5,-1,0\n")
        self.run_well("blocks.prm", "--sweep", "Cone/Type=square", "--output", "out", "--quiet")  # replaced by what fails now
        result = self.moreau("spheres.prm", "--sweep", "Spheres/File=bad.csv,good.csv")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: spheres\.prm: Of 2 runs 1 converged; the first that failed is run_001,[^\n]+overlap[^\n]+\n\Z")
        rows = self.rows("out/sweep.csv")
        self.assertEqual([(row["status"], row["exit_status"], row["energy_after"]) for row in rows], [("failed", "1", ""), ("converged", "0", "0")])
        self.assertFalse((self.folder / "out" / "run_001").exists())
        self.assertEqual(len(self.summary("out")["warnings"]), 1)
        (self.folder / "blocks.prm").write_text(BLOCKS.replace("square", "triangular"))
        result = self.moreau("blocks.prm", "--sweep", "Maximum iterations=1,100000", "--output", "few")
        self.assertEqual(result.returncode, 2)
        self.assertEqual([row["status"] for row in self.rows("few/sweep.csv")], ["not converged", "converged"])
        self.assertEqual(self.summary("few")["status"], "not converged")

    def test_a_sweep_goes_on_where_it_was_stopped(self):
        self.write(blocks_prm=BLOCKS, fall_prm=FALL)
        sweep = ("blocks.prm", "--sweep", "Cone/Type=isotropic,square", "--output", "out")
        self.run_well(*sweep)
        before = (self.folder / "out" / "run_002" / "summary.json").stat().st_mtime_ns
        out = self.run_well(*sweep, "--resume")
        self.assertEqual(out.count("converged before"), 2)
        self.assertEqual((self.folder / "out" / "run_002" / "summary.json").stat().st_mtime_ns, before)
        (self.folder / "blocks.prm").write_text(BLOCKS.replace("angle = 10", "angle = 20"))
        self.assertEqual(self.run_well(*sweep, "--resume").count("converged before"), 0)
        motion = self.start("fall.prm", "--sweep", "Restitution=0,0.5,1", "--jobs", "2")
        self.wait_for("out/run_001/statistics.csv.incomplete", motion)
        self.wait_for("out/run_002/statistics.csv.incomplete", motion)
        motion.send_signal(signal.SIGTERM)
        self.assertEqual(motion.wait(), 143)
        self.assertIn("--resume", motion.stderr.read())
        rows = self.rows("out/sweep.csv")
        self.assertEqual([row["status"] for row in rows], ["stopped", "stopped", "not run"])
        checkpoints = sorted(p.parent.name for p in pathlib.Path(self.folder).glob("out/run_*/checkpoint.moreau"))
        self.assertEqual(checkpoints, ["run_001", "run_002"])


if __name__ == "__main__":
    unittest.main(argv=["sweep"])
