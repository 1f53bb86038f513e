#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Congested flows end to end: files, checkpoints, processes, signals: flow.py MOREAU."""
import shutil
import signal
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from flow_runs import DISCS, HEAP, FlowRuns
from runs import MOREAU


class Flow(FlowRuns):
    def test_a_run_writes_its_files(self):
        text = self.run_well("row.prm", "--output", "out")
        self.assertEqual(text.splitlines()[-1], "converged")
        pictures = {f"continuum_{k:04}.vtp" for k in range(101)}
        self.assertEqual({p.name for p in (self.folder / "out").iterdir()},
                         {"summary.json", "parameters.prm", "log.txt", "statistics.csv", "profile.csv", "profile.png", "profile.gp", "solution.pvd",
                          "checkpoint.moreau", "open_in_paraview.py"} | pictures)
        listed = [(float(d.get("timestep")), d.get("file")) for d in
                  xml.etree.ElementTree.parse(self.folder / "out/solution.pvd").iter("DataSet")]
        self.assertEqual({file for _, file in listed}, pictures)
        self.assertEqual((listed[0][0], listed[-1][0]), (0, 0.2))
        rows, summary = self.rows("out/statistics.csv"), self.summary("out")
        self.assertEqual([int(row["step"]) for row in rows], list(range(1, summary["steps"] + 1)))
        self.assertEqual(list(rows[0]), ["step", "time", "h", "mass", "momentum_x", "kinetic_energy", "work", "max_density",
                                         "min_density", "congested_volume", "pressure", "impulse", "largest_speed", "solves",
                                         "iterations", "impacts", "collapsed", "residual", "relative_error_bound",
                                         "guaranteed", "converged", "mass_in", "mass_error", "momentum_error",
                                         "transport_time", "congestion_time"])
        self.assertEqual((summary["status"], summary["final_time"]), ("converged", 0.2))
        for key in "max_density", "mass_error", "momentum_error", "congested_volume", "pressure_mean", "impacts", "fronts":
            self.assertIn(key, summary)

    def test_a_flow_on_the_line_is_drawn_with_its_exact_solution(self):
        self.run_well("row.prm", "--output", "out", "--set", "Congested flow/Compare with=exact blocks")
        cells = self.rows("out/profile.csv")
        width = float(cells[0]["right"]) - float(cells[0]["left"])
        mass = self.summary("out")["mass_asked_for"]
        self.assertAlmostEqual(sum(float(cell["rho_exact"]) for cell in cells) * width, mass, delta=1e-12)
        apart = sum(abs(float(cell["rho_exact"]) - float(cell["rho"])) for cell in cells) * width
        self.assertGreater(apart, 0.)  # they are not the same numbers
        self.assertLess(apart, 0.15 * mass)  # four edges, a cell or so of a hundred each
        self.assertTrue(all(abs(float(cell["u_exact"])) <= 1. for cell in cells))
        drawn = (self.folder / "out/profile.png").read_bytes()
        subprocess.run(["gnuplot", "-d", "profile.gp"], cwd=self.folder / "out", check=True)
        self.assertEqual((self.folder / "out/profile.png").read_bytes(), drawn)
        self.run_well("row.prm", "--output", "out")  # without it there are no columns of it
        self.assertNotIn("rho_exact", self.rows("out/profile.csv")[0])

    def test_every_step_conserves_and_loses_energy(self):
        free = ("--set", "Force/Function expression=", "--set", "Time/Time step=0")
        for prm in "row", "discs", "space":
            for restitution in "0", "0.5", "1":
                with self.subTest(prm=prm, restitution=restitution):
                    self.run_well(prm + ".prm", "--output", "out", *free, "--set", "Restitution=" + restitution)
                    energy = self.summary("out")["energy_before"]
                    round_off = 1e-12 * energy
                    for row in self.rows("out/statistics.csv"):
                        self.assertLessEqual(float(row["mass_error"]), 1e-12)
                        self.assertLessEqual(float(row["momentum_error"]), 1e-12)
                        self.assertLessEqual(float(row["max_density"]), 1 + 1e-12)
                        self.assertGreaterEqual(float(row["min_density"]), -1e-12)
                        self.assertLessEqual(float(row["kinetic_energy"]), energy + round_off)
                        energy = float(row["kinetic_energy"])

    def test_matter_that_is_too_thin_to_move_is_refused(self):
        for density, is_refused in ("1e-12", True), ("1e-8", False):
            thin = ("row.prm", "--set", f"Zone/Function expression={density}", "--output", "out")
            if is_refused:
                self.assertIn("1e-12", self.refused("Zone/Function expression", *thin))
            else:
                self.run_well(*thin)

    def test_speeds_whose_energies_are_no_numbers_are_refused(self):
        for method, place in ("finite volumes", "Velocity"), ("exact blocks", "Velocity/Function expression"):
            for speed, is_refused in ("1e160", True), ("1e-160", True), ("1e-100", False):
                flow = ("row.prm", "--set", f"Velocity/Function expression={speed}*(0.5 - x > 0 ? 1 : -1)", "--set",
                        f"Time/End time={min(.1 / float(speed), 1e99)}", "--set", "Time/Output every=0", "--set",
                        "Congested flow/Method=" + method, "--output", "out")
                if is_refused:
                    self.assertIn("choose other units", self.refused(place, *flow))
                else:
                    self.run_well(*flow)
                    self.assertGreater(self.summary("out")["energy_before"], 1e-202)

    def test_a_killed_run_goes_on_from_its_checkpoint(self):
        every = ("--set", "Time/Checkpoint every=20")
        self.run_well("discs.prm", "--output", "whole", *every)
        process = self.start("discs.prm", "--output", "killed", *every)
        self.wait_for("killed/checkpoint.moreau", process)
        self.wait_for("killed/continuum_0003.vtu", process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse((self.folder / "killed/summary.json").exists())
        text = self.run_well("discs.prm", "--output", "killed", "--resume", *every)
        self.assertIn("goes on from the checkpoint after step", text)
        self.assert_same_results("whole", "killed")
        self.assertEqual(self.summary("killed")["resumed"], 1)
        self.assertGreater(self.summary("killed")["mass_asked_for"], 0.)  # the same as that of the whole run, as all is

    def test_a_run_that_is_told_to_stop_goes_on_later(self):
        self.run_well("discs.prm", "--output", "whole")
        output = ("discs.prm", "--output", "stopped")
        for which, status, picture, resume in ((signal.SIGTERM, 143, "0002", ()),
                                               (signal.SIGINT, 130, "0005", ("--resume",))):
            process = self.start(*output, *resume)
            self.wait_for(f"stopped/continuum_{picture}.vtu", process)
            process.send_signal(which)
            self.assertEqual(process.wait(), status)
            self.assertRegex(process.stderr.read(), r"\Amoreau: discs.prm: [^\n]*--resume[^\n]*\.\n\Z")
            self.assertFalse((self.folder / "stopped/summary.json").exists())
            xml.etree.ElementTree.parse(self.folder / "stopped/solution.pvd")
        self.run_well(*output, "--resume", "--set", "Threads=1")
        self.assert_same_results("whole", "stopped")
        self.assertEqual(self.summary("stopped")["resumed"], 2)

    def test_flows_on_the_line_go_on_too(self):
        for method, restitution in ("exact blocks", "0.5"), ("splitting", "0"):
            run = ("row.prm", "--set", "Congested flow/Method=" + method, "--set", "Zone/Walls=left, right", "--set",
                   "Time/Output every=0.05", "--set", "Restitution=" + restitution, "--set", "Time/Time step=0.001", "--set")
            self.run_well(*run, "Time/End time=1", "--output", "whole")
            self.assertGreater(self.summary("whole")["energy_before"], self.summary("whole")["energy_after"])
            self.run_well(*run, "Time/End time=0.2", "--output", "longer")
            for n, end in enumerate(("0.55", "1", "1"), 1):  # a finished run stays as it is
                self.run_well(*run, "Time/End time=" + end, "--output", "longer", "--resume")
                self.assertEqual((self.summary("longer")["final_time"], self.summary("longer")["resumed"]), (float(end), n))
            self.assert_same_results("whole", "longer")

    def test_parameters_prm_repeats_the_run(self):
        self.run_well("discs.prm", "--output", "first", "--set", "Time/End time=0.1")
        shutil.copy(self.folder / "first/parameters.prm", self.folder / "again.prm")
        self.run_well("again.prm", "--output", "again")
        self.assert_same_results("first", "again")

    def test_threads_do_not_change_a_digit(self):
        for threads in "1", "2":
            self.run_well("discs.prm", "--output", threads, "--set", "Threads=" + threads)
        self.assert_same_results("1", "2")

    def test_fluxes_in_a_periodic_box_are_met_wherever_they_are_given(self):
        fluxes = ("seam: segment (0.8, 0.1) (1.2, 0.4); before: segment (-0.2, 0.1) (0.2, 0.4); far: segment (5.8, 0.1) "
                  "(6.2, 0.4); one: segment (0.8, 0.1) (1, 0.25); two: segment (0, 0.25) (0.2, 0.4); "
                  "left: segment (0, 0) (0, 1); right: segment (1, 0) (1, 1); plane: plane (1, 0) (1, 0); "
                  "beyond: plane (3, 0) (1, 0); all: segment (0.3, 0.3) (1.3, 0.3); line: plane (7, 0.3) (0, -1)")
        self.run_well("discs.prm", "--output", "out", "--set", "Zone/Walls=", "--set", "Zone/Periodic=x", "--set",
                      "Zone/Function expression=0.5 + 0.3*y*sin(2*pi*x)", "--set", "Velocity/Function expression=1 + 0.3*y; -0.5 + 0.2*sin(6*x)", "--set", "Time/End time=0.1", "--set",
                      "Measurements/Fluxes=" + fluxes)
        mass = {name: flux["mass"] for name, flux in self.summary("out")["fluxes"].items()}
        self.assertGreater(abs(mass["seam"]), 1e-3)
        self.assertNotEqual(mass["one"], 0.)
        self.assertNotEqual(mass["two"], 0.)
        for others in (("before",), ("far",), ("one", "two")):
            self.assertAlmostEqual(mass["seam"], sum(mass[name] for name in others), delta=1e-12)
        self.assertGreater(mass["left"], 1e-3)
        for other in "right", "plane", "beyond":
            self.assertAlmostEqual(mass["left"], mass[other], delta=1e-12)
        self.assertNotEqual(mass["all"], 0.)
        self.assertAlmostEqual(mass["all"], mass["line"], delta=1e-12)

    def test_measurements_that_make_no_sense(self):
        for place, setting in (("Measurements/Fluxes", "Fluxes=a: rectangle (0, 0) (1, 0) (0, 1)"),
                               ("Measurements/Fluxes", "Fluxes=a: segment (2, 0) (2, 1)"),
                               ("Measurements/Fluxes", "Fluxes=a: segment (0.5, 0.5) (0.5, 0.5)"),
                               ("Measurements/Fluxes", "Fluxes=a: disc (0.5, 0.5) (1, 0) 1"),
                               ("Measurements/Forces on", "Forces on=right"),
                               ("Measurements/Forces on", "Forces on=solids"),
                               ("Measurements/Forces on", "Forces on=lid"),
                               ("Measurements/Regions", "Regions=a: box (0.5, 0.5) (0.5, 1)"),
                               ("Measurements/Probes", "Probes=a: (0.5, 1.5)"),
                               ("Measurements/Remove in", "Remove in=box (0, 0) (1, 1)")):
            self.refused(place, "heap.prm", "--output", "out", "--set", "Measurements/" + setting)
        self.refused("Measurements", "row.prm", "--output", "out", "--set", "Congested flow/Method=exact blocks", "--set",
                     "Measurements/Probes=a: (0.5)")

    def test_a_turned_flow_is_the_turned_one(self):
        # (x, y) -> (1 - y, x): the floor becomes the right side, the left side the floor
        turned = (HEAP.replace("y < 0.5 + 0.2*sin(6*x)", "1 - x < 0.5 + 0.2*sin(6*y)").replace("bottom, left",
                                                                                               "right, bottom")
                  .replace("0.2*y; -1", "1; 0.2*(1 - x)").replace("0.5*sin(3*t) - 0.1*ux; -1", "1; 0.5*sin(3*t) - 0.1*uy"))
        (self.folder / "turned.prm").write_text(turned)
        for prm in "heap", "turned":
            self.run_well(prm + ".prm", "--output", prm)
        self.assertGreater(self.summary("heap")["impacts"], 0)
        # curved edges are integrated to 1e-10 of a cell, along x or along y, and impacts amplify that
        self.assert_close("heap", "turned", 2e-8, lambda x, y, z: (1 - y, x, z))

    def test_bodies_that_are_hit_again_are_warned_of(self):
        self.run_well("row.prm", "--output", "once")
        self.assertEqual((self.summary("once")["rebounds_of_matter"], self.summary("once")["warnings"]), (1, []))
        self.assertRegex(self.summary("once")["verdict"], "^certified: in each of ")
        self.run_well("row.prm", "--output", "again", "--set", "Zone/Walls=left, right", "--set", "Time/End time=1.5")
        self.assertGreater(self.summary("again")["rebounds_of_matter"], 1)
        self.assertRegex(self.summary("again")["warnings"][0], "do not converge under refinement")

    def test_bodies_that_keep_their_velocity_are_right_when_they_are_hit_again(self):
        coloured = ("row.prm", "--set", "Zone/Walls=left, right", "--set", "Congested flow/Bodies=coloured")
        self.run_well(*coloured, "--output", "whole", "--set", "Time/End time=1.5", "--set",
                      "Congested flow/Compare with=exact blocks")
        whole = self.summary("whole")
        volumes, exact = whole["comparison"]["rows"]
        self.assertIsNone(volumes["wall_time_s"])  # that of the run is another number
        self.assertGreater(exact["wall_time_s"], 0.)
        self.assertEqual(exact["method"], "exact blocks")
        self.assertAlmostEqual(whole["energy_after"], exact["kinetic_energy"], delta=1e-13)
        self.assertLess(exact["density_distance"], 1e-11)
        self.assertGreater(whole["impacts"], 2)
        self.assertEqual((whole["bodies"]["now"], whole["bodies"]["births"], whole["bodies"]["deaths"], whole["warnings"]),
                         (2, 2, 0, []))
        self.run_well(*coloured, "--output", "part", "--set", "Time/End time=0.75", "--set", "Time/Output every=0.05")
        self.run_well(*coloured, "--output", "part", "--set", "Time/End time=1.5", "--set", "Time/Output every=0.05",
                      "--resume")
        self.run_well(*coloured, "--output", "again", "--set", "Time/End time=1.5", "--set", "Time/Output every=0.05")
        self.assertEqual(self.summary("part")["energy_after"], self.summary("again")["energy_after"])
        self.assertEqual(self.summary("part")["bodies"], self.summary("again")["bodies"])
        text = self.run_well(*coloured, "--output", "narrow", "--set", "Mesh/Cells per unit length=25")
        self.assertIn("narrower than three cells", self.summary("narrow")["warnings"][0])
        self.assertIn("1 at the end", text)

    def test_clocks_come_last_in_tables_of_bodies(self):
        self.run_well("row.prm", "--output", "out", "--set", "Congested flow/Bodies=coloured", "--set",
                      "Measurements/Regions=all: zone")
        self.assertEqual(tuple(self.rows("out/statistics.csv")[0])[-3:], ("bodies", *self.CLOCK_COLUMNS))

    def test_both_lengths_of_cells_that_are_no_squares_are_said(self):
        self.assertIn(" 32 x 32 cells of 0.03125 m;", " " + self.run_well("discs.prm", "--check"))
        self.assertIn(" 51 x 30 cells of 0.0431373 x 0.0433333 m;", " " + self.run_well(
            "discs.prm", "--check", "--set", "Zone/Upper corner=2.2, 1.3", "--set", "Mesh/Cells per unit length=23"))

    def test_a_side_with_inflow_that_is_solid_is_warned_of(self):
        enters = DISCS.replace("set Walls = bottom, left", "set Walls = bottom").replace("Time step = 0.001", "Time step = 0.05") + (
            "subsection Inflow\n set Sides = left\n set Density expression = 0.2\n set Velocity expression = 1; 0\nend\n"
            "subsection Maximal density\n set Function expression = if(x < 0.1 && y < {}, 0, 1)\nend\n")
        for height, where in ("0.6", []), ("2", ["All cells at 'left' are solid"]):
            (self.folder / "inflow.prm").write_text(enters.format(height).replace("End time = 0.5", "End time = 0.05"))
            self.run_well("inflow.prm", "--output", "in")
            self.assertEqual([w.split(" (")[0] for w in self.summary("in")["warnings"] if "enters" in w], where)

    def test_bodies_that_are_not_offered_are_refused(self):
        coloured = ("row.prm", "--output", "out", "--set", "Congested flow/Bodies=coloured", "--set")
        for what, setting in (("upwind", "Congested flow/Density flux=upwind"),
                              ("'exact blocks'", "Congested flow/Method=exact blocks")):
            self.assertIn(what, self.refused("Congested flow/Bodies", *coloured, setting))

    def test_bodies_where_the_maximal_density_varies_are_mixture(self):
        coloured = ("row.prm", "--output", "out", "--set", "Congested flow/Bodies=coloured", "--set")
        for varies, n in (("if(x > 0.7, 0, 1)", 0), ("if(x > 0.7, 0.5, 1)", 1), ("if(x > 0.703, 0, 1)", 1)):
            self.run_well(*coloured, f"Maximal density/Function expression={varies}")
            found = self.summary("out")
            self.assertEqual((found["bodies"]["where_maximal_density_varies"] > 0, len(found["warnings"]) > 0), (n > 0,) * 2)

    def test_bodies_in_the_plane_go_on_from_a_checkpoint(self):
        coloured = ("discs.prm", "--set", "Congested flow/Bodies=coloured", "--set", "Time/Output every=0.05")
        text = self.run_well(*coloured, "--output", "whole", "--set", "Time/End time=0.2")
        self.assertEqual(self.summary("whole")["bodies"]["narrow_at_start"], 0)  # a sheared disc is one body
        self.assertIn("sides are free", text)
        self.run_well(*coloured, "--output", "part", "--set", "Time/End time=0.1")
        self.run_well(*coloured, "--output", "part", "--set", "Time/End time=0.2", "--resume")
        whole, part = self.summary("whole"), self.summary("part")
        self.assertEqual((whole["energy_after"], whole["bodies"]), (part["energy_after"], part["bodies"]))

    def test_steps_that_are_too_long_are_reduced_or_refused(self):
        long = ("row.prm", "--output", "out", "--set", "Time/Time step=0.1", "--set", "Time/Output every=0.1")
        self.run_well(*long)
        self.assertGreater(self.summary("out")["reduced_steps"], 0)
        self.assertIn("CFL", self.refused("Time/Time step", *long, "--set", "Congested flow/Steps=fixed"))
        self.run_well("row.prm", "--output", "out", "--set", "Time/Time step=0.001", "--set", "Congested flow/Steps=fixed")
        self.assertEqual((self.summary("out")["reduced_steps"], self.summary("out")["steps"]), (0, 200))

    def test_a_soft_pressure_needs_its_method(self):
        one = ("row.prm", "--output", "out", "--set", "Congested flow/Soft pressure=1e-3")
        self.assertIn("'soft congestion'", self.refused("Congested flow/Soft pressure", *one))
        self.assertIn("below 1", self.refused("Zone/Function expression", *one, "--set",
                                              "Congested flow/Method=soft congestion", "--set", "Restitution=0"))

    def test_soft_pressures_that_cannot_be_followed_say_so(self):
        soft = ("row.prm", "--output", "out", "--set", "Congested flow/Method=soft congestion", "--set", "Restitution=0",
                "--set", "Zone/Function expression=if(x > 0 & x < 0.5, 0.9, 0)", "--set",
                "Velocity/Function expression=if(x < 0.25, 1, -1)", "--set")
        self.run_well(*soft, "Congested flow/Soft pressure=1e-4")
        self.assertEqual(self.summary("out")["warnings"], [])
        self.assertIn("give more", self.refused("Congested flow/Soft pressure", *soft, "Congested flow/Soft pressure=1e-20"))
        self.run_well(*soft, "Congested flow/Soft pressure=1e40")
        self.assertRegex(" ".join(self.summary("out")["warnings"]), "Momentum is kept to .* only.*Soft pressure lower")

    def test_a_checkpoint_of_something_else_is_refused(self):
        self.assertIn("no checkpoint", self.refused("Output directory", "row.prm", "--output", "out", "--resume"))
        self.run_well("row.prm", "--output", "out")
        resume = ("row.prm", "--output", "out", "--resume")
        self.assertIn("'0.1'", self.refused("Restitution", *resume, "--set", "Restitution=0.1"))
        checkpoint = self.folder / "out/checkpoint.moreau"
        whole = checkpoint.read_bytes()
        checkpoint.write_bytes(whole[:-1])
        self.assertIn("damaged", self.refused("Output directory", *resume))

    def test_check_computes_nothing(self):
        for prm in "row.prm", "discs.prm", "space.prm":
            self.assertIn("valid", self.run_well("--check", prm))
        self.assertFalse((self.folder / "output").exists())

    def test_a_force_to_an_open_side_of_a_flow_in_space_is_worth_a_warning(self):
        (self.folder / "box.prm").write_text(
            "set Problem = congested flow\nset Dimension = 3\nsubsection Force\n set Function expression = 0; 0; -10\nend\n"
            "subsection Mesh\n set Cells per unit length = 4\nend\nsubsection Time\n set End time = 0.02\nend\n"
            "subsection Zone\n set Function expression = 0.5\nend\n")
        walls = ("box.prm", "--output", "out", "--set", "Zone/Walls=left, right, front")
        inflow = ("--set", "Inflow/Sides=back", "--set", "Inflow/Density expression=0.5",
                  "--set", "Inflow/Velocity expression=0; 0; 1")
        self.assertIn("warning: The force points towards z-, where there is no wall", self.run_well(*walls))
        for option in ((*walls[:-1], walls[-1] + ", back"), (*walls, *inflow),
                       ("box.prm", "--output", "out", "--set", "Zone/Walls=left", "--set", "Zone/Periodic=z")):
            self.assertNotIn("The force points", self.run_well(*option))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
