#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Congested flows on several processes, end to end: flow_on_processes.py MOREAU."""
import math
import sys
import unittest

from flow_runs import SLABS, FlowRuns
from parallel import cell_values


class FlowOnProcesses(FlowRuns):
    def test_a_run_begins_with_the_mass_and_momentum_asked_for(self):
        (self.folder / "slabs.prm").write_text(SLABS)
        for processes in 1, 2:
            text = self.run_well("slabs.prm", "--output", f"slabs{processes}", processes=processes)
            self.assertIn("mass 0.0875 asked for", text)
            summary = self.summary(f"slabs{processes}")
            self.assertAlmostEqual(summary["mass_asked_for"], 0.0875, delta=1e-14)
            self.assertLessEqual(summary["mass_asked_for_error"], 1e-14)
            self.assertAlmostEqual(summary["mass"], 0.0875, delta=1e-14)
            self.assertLessEqual(summary["mass_error"], 1e-12)
            for found, exact in zip(summary["momentum_after"], (0.25 * (0.2 - 0.075), 0.25 * (0.06 - 0.105))):
                self.assertAlmostEqual(found, exact, delta=1e-14)

    def test_a_run_that_begins_with_another_energy_says_so(self):
        # of a disc whose halves part at 1 m/s: a cell in the middle has one velocity
        parting = ("row.prm", "--set", "Dimension=2", "--set", "Zone/Upper corner=1, 1", "--set", "Zone/Lower corner=0, 0", "--set",
                   "Zone/Function expression=if((x - .52)^2 + (y - .5)^2 < .01, 1, 0)", "--set",
                   "Velocity/Function expression=if(x < .52, -1, 1); 0", "--set", "Time/End time=0.001", "--output", "out")
        for n, is_coarse in (8, True), (128, False):
            for processes in 1, 2:
                text = self.run_well(*parting, "--set", f"Mesh/Cells per unit length={n}", processes=processes)
                summary = self.summary("out")
                self.assertAlmostEqual(summary["energy_asked_for"], .005 * math.pi, delta=1e-4)
                self.assertEqual(abs(summary["energy_before"] / summary["energy_asked_for"] - 1) > .1, is_coarse)
                self.assertEqual([w.split(",")[0] for w in summary["warnings"] if "energy" in w],
                                 ["Of the kinetic energy asked for"] if is_coarse else [])
                self.assertEqual("warning: Of the kinetic energy asked for, 0.0157" in text, is_coarse)

    def test_initial_data_do_not_depend_on_the_number_of_processes(self):
        for prm in "discs", "space":
            for processes in 1, 2, 3:
                self.run_well(prm + ".prm", "--output", f"{prm}{processes}", "--set", "Time/End time=0.001",
                              processes=processes)
            fields = [[cell_values(self.folder / f"{prm}{processes}", name, n, "continuum_0000")
                       for name, n in (("rho", 1), ("u", 3))] for processes in (1, 2, 3)]
            self.assertEqual(fields[0][0], fields[1][0])
            self.assertEqual(fields[0], fields[2])
            one, three = self.summary(prm + "1"), self.summary(prm + "3")
            self.assertAlmostEqual(one["mass_asked_for"], three["mass_asked_for"], delta=1e-15)
            self.assertAlmostEqual(one["mass_asked_for_error"], three["mass_asked_for_error"], delta=1e-15)
        disc, light = 0.04, 0.03 * 0.7  # both within the box, radii of their squares
        self.assertAlmostEqual(self.summary("discs1")["mass_asked_for"], math.pi * (disc + light), delta=1e-9)

    def test_a_run_can_be_made_longer_on_any_number_of_processes(self):
        for processes in 1, 2:
            for prm, end, picture in ("discs", "0.2", "0.05"), ("space", "0.05", "0.025"):
                with self.subTest(processes=processes, prm=prm):
                    run = (prm + ".prm", "--set", "Time/Output every=" + picture, "--output")
                    self.run_well(*run, "whole", processes=processes)
                    self.run_well(*run, "longer", "--set", "Time/End time=" + end, processes=processes)
                    self.run_well(*run, "longer", "--resume", processes=processes)
                    self.assert_same_results("whole", "longer")

    def test_two_processes_find_what_one_finds(self):
        for prm in "heap", "space":
            for processes in 1, 2:
                self.run_well(prm + ".prm", "--output", f"{prm}{processes}", processes=processes)
            self.assertEqual(self.summary(prm + "2")["processes"], 2)
            self.assertGreater(self.summary(prm + "2")["congested_volume"], 0.)
            self.assertLessEqual(self.summary(prm + "2")["momentum_error"], 1e-12)
            for processes in "1", "2":
                certificate = self.summary(prm + processes)["certificate"]
                self.assertTrue(certificate["guaranteed"])
                self.assertLess(certificate["relative_error_bound"], 1e-5)
            self.assert_close(prm + "1", prm + "2", 1e-9)  # rounding, which impacts amplify

    MEASURED = [o for setting in (
        "Measurements/Fluxes=slanted: segment (0.21, 0.9) (0.6, 0.05); middle: plane (0.5, 0.5) (1, 0)",
        "Measurements/Forces on=all", "Measurements/Regions=box: box (0.13, 0.1) (0.77, 0.4)",
        "Measurements/Probes=point: (0.3, 0.2)", "Maximal density/Function expression=if(x > 0.5 & x < 0.7 & y > 0.7, 0, 1)",
        "Time/Output every=0.025") for o in ("--set", setting)]

    def test_what_is_measured_does_not_depend_on_processes_and_goes_on(self):
        for processes in 1, 2:
            self.run_well("heap.prm", "--output", f"heap{processes}", *self.MEASURED, processes=processes)
        self.assert_close("heap1", "heap2", 1e-9)
        summary, rows = self.summary("heap2"), self.rows("heap2/statistics.csv")
        self.assertEqual(list(summary["forces"]), ["left", "bottom", "solids"])
        self.assertEqual(set(summary["regions"]["box"]), {"mass", "rho", "u", "p", "force_on_solids"})
        # a heap falls on its floor
        self.assertLess(summary["forces"]["bottom"]["mean_force"][1], 0.)
        self.assertGreater(summary["fluxes"]["middle"]["mass"], 0.)
        total = sum(float(row["flux_middle_rate"]) * float(row["h"]) for row in rows)
        self.assertAlmostEqual(total, summary["fluxes"]["middle"]["mass"], delta=1e-12)
        intervals = self.rows("heap2/measurements.csv")
        self.assertEqual(len(intervals), 4)
        self.assertAlmostEqual(sum(float(row["flux_middle_mass"]) for row in intervals), total, delta=1e-12)
        run = ("heap.prm", *self.MEASURED, "--output", "longer")
        self.run_well(*run, "--set", "Time/End time=0.05", processes=2)
        self.run_well(*run, "--resume", processes=2)
        self.assert_same_results("heap2", "longer")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
