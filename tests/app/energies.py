#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs say of energy: motions that blow up are warned of, and energies are what they are called. energies.py MOREAU."""
import math
import random
import sys
import unittest

from cases import two_blocks_on_a_line
from runs import Runs

SYSTEM = "set Problem = particle motion\nsubsection System\n set Type = {}\nend\nsubsection Time\n set Scheme = inertia operator\n" \
         " set Time step = {}\n set End time = {}\nend\n"
EXPRESSIONS = "expressions\n set Coordinates = {}\n set Mass expression = {}\n set Constraint expression = {}\n" \
              " set Initial position = {}"
SPHERE = "set Problem = particle motion\nsubsection Spheres\n set File = one.csv\nend\nsubsection Force\n" \
         " set Function expression = {}\nend\nsubsection Time\n set Time step = {}\n set End time = {}\nend\n"


class Energies(Runs):
    def written(self, text, sphere=""):
        (self.folder / "case.prm").write_text(text)
        (self.folder / "one.csv").write_text("x,y,radius,mass,ux,uy\n" + sphere + "\n")
        return "case.prm", "--output", "out"

    def assert_blown_up(self, *case):
        """Returns the summary of a run whose scheme is most of its energy."""
        log = self.run_well(*case)
        summary = self.summary("out")
        self.assertRegex(" ".join(summary["warnings"]), r"% are the scheme's own error .*set Time/Time step lower")
        self.assertIn("the scheme's own error", " ".join(log.split()))
        self.assertIn("which is as large as the motion", summary["verdict"])
        energy = summary["energy_before"] + summary["work"] - summary["dissipated_energy"] + summary["scheme_error"]
        self.assertAlmostEqual(energy, summary["energy_after"], delta=1e-9 * summary["largest_scheme_error"])
        return summary

    def assert_right(self, *case):
        self.run_well(*case)
        summary = self.summary("out")
        self.assertEqual(summary["warnings"], [])
        self.assertTrue(summary["verdict"].endswith("it does not cover the error in time"), summary["verdict"])
        return summary

    def test_an_oscillator(self):
        oscillator = "oscillator with a stop\n set Constants = stop = -100, stiffness = 1e4"
        summary = self.assert_blown_up(*self.written(SYSTEM.format(oscillator, 0.021, 1)))  # h omega = 2.1
        self.assertGreater(summary["scheme_error"], 1e6 * 5000)
        self.assertLess(summary["work"], 5000)  # no more than the spring has
        self.assert_right(*self.written(SYSTEM.format(oscillator, 0.0005, 1)))

    def test_a_double_pendulum(self):
        pendulum = (EXPRESSIONS.format("a (rad), b (rad)", "2; cos(a - b); 1", "a + 100", "2, 2.5")
                    + "\n set Potential expression = -9.81*(2*cos(a) + cos(b))")
        self.assert_blown_up(*self.written(SYSTEM.format(pendulum, 0.01, 10)))
        summary = self.summary("out")
        last = self.rows("out/motion.csv")[-1]
        lost = 9.81 * (2 * math.cos(float(last["a"])) + math.cos(float(last["b"])) - 2 * math.cos(2) - math.cos(2.5))
        self.assertAlmostEqual(summary["work"], lost, delta=0.01 * abs(lost))
        self.assert_right(*self.written(SYSTEM.format(pendulum, 0.0005, 1)))

    def test_a_free_point_in_polar_coordinates(self):
        free = EXPRESSIONS.format("r, f (rad)", "1; r^2", "r - 0.1", "1, 0") + "\n set Initial velocity = -1, 1"
        summary = self.assert_blown_up(*self.written(SYSTEM.format(free, 0.2, 2)))
        self.assertAlmostEqual(summary["work"], 0, delta=0.01 * summary["largest_scheme_error"])
        summary = self.assert_right(*self.written(SYSTEM.format(free, 0.002, 2)))
        self.assertAlmostEqual(summary["work"], 0, delta=1e-6)

    def test_a_spring_on_a_sphere(self):
        spring = "0.5000001,0.5,0.1,2,0,0"
        summary = self.assert_blown_up(*self.written(SPHERE.format("-1e4*(x-0.5); 0", 0.021, 0.4), spring))
        self.assertLess(summary["work"], 1e-10)
        self.assert_right(*self.written(SPHERE.format("-1e4*(x-0.5); 0", 0.0005, 0.4), spring))

    def test_drag_that_accelerates(self):
        sphere = "0.5,0.5,0.1,2,1e-6,0"
        summary = self.assert_blown_up(*self.written(SPHERE.format("-250*ux; -250*uy", 0.01, 0.2), sphere))
        self.assertLess(summary["work"], 0)
        self.assertAlmostEqual(summary["largest_drag"], 2.5, delta=1e-9)
        self.assertRegex(" ".join(summary["warnings"]), "turns their velocity round, and drag makes them faster: 2.5 times")
        self.assert_right(*self.written(SPHERE.format("-250*ux; -250*uy", 0.0001, 0.2), sphere))
        self.run_well(*self.written(SPHERE.format("-250*ux; -250*uy - 10", 0.006, 0.2), sphere))  # to and fro, ever slower
        summary = self.summary("out")
        self.assertAlmostEqual(summary["largest_drag"], 1.5, delta=1e-6)
        self.assertRegex(summary["warnings"][0], "turns their velocity round: 1.5 times .* set Time/Time step to 0.004 s")

    def test_free_fall_dissipates_nothing(self):
        self.run_well(*self.written(SPHERE.format("0; -9.81", 0.01, 1), "0.5,0.5,0.1,2,0,0"))
        summary, rows = self.summary("out"), self.rows("out/statistics.csv")
        self.assertEqual({float(row["dissipated"]) for row in rows}, {0.})
        self.assertEqual(summary["warnings"], [])
        self.assertAlmostEqual(summary["scheme_error"], -100 * (9.81 * 0.01)**2, delta=1e-9)
        self.assertEqual(float(rows[-1]["scheme_error"]), summary["scheme_error"])
        fallen = 0.5 - float(self.rows("out/spheres.csv")[0]["y"])
        self.assertAlmostEqual(summary["work"], 2 * 9.81 * fallen, delta=1e-9)

    def test_no_orders_are_seen_in_levels_that_blow_up(self):
        oscillator = SYSTEM.format("oscillator with a stop\n set Constants = stop = -100, stiffness = 1e4", "{}", 1)
        case = self.written(oscillator.replace("particle motion", "time convergence").format("0.03, 0.025, 0.021"))
        log = self.run_well(*case)
        summary = self.summary("out")
        for key in "observed_order_q", "observed_order_u", "observed_order_impulse":
            self.assertIsNone(summary[key])
        for level in summary["levels"]:
            self.assertIsNone(level["order_q"])
        self.assertRegex(summary["warnings"][-1], "^Errors of h = 0.03, 0.025, 0.021 s exceed the way")
        self.assertNotRegex(log, r"q in sup \d")
        self.run_well(*self.written(oscillator.replace("particle motion", "time convergence").format("0.002, 0.001, 0.0005")))
        self.assertAlmostEqual(self.summary("out")["observed_order_q"], 1, delta=.3)

    def test_energies_that_no_number_holds_are_null(self):
        spheres = "set Dimension = 1\nsubsection Spheres\n set Spheres per unit length = 8\nend\n"
        continuum = "set Problem = macro impact\nset Dimension = 1\nsubsection Mesh\n set Cells per unit length = 8\nend\n"
        for speed in "1e-200", "1e200":  # squares are in the bounds of the continuum
            case = self.written(f"{continuum}subsection Velocity\n set Function expression = -{speed}*x\nend\n")
            process = self.moreau(*case)
            self.assertEqual(process.returncode, 1)
            self.assertIn("The largest speed is", process.stderr)
        for head in spheres, spheres + "subsection Impact sequence\n set Maximum number of impacts = 2\nend\n", continuum:
            for speed, words in ("1e-200", "small"), ("1e200", "large"), ("1e-100", None):
                if head == continuum and words is not None:
                    continue
                case = self.written(f"{head}subsection Velocity\n set Function expression = -{speed}*x\nend\n")
                log = self.moreau(*case).stdout
                summary = self.summary("out")
                energies = [summary["energy_" + key] for key in ("before", "projected", "after")]
                if words is None:
                    self.assertTrue(all(0 < energy < 1e-200 for energy in energies), energies)
                    self.assertEqual(summary["warnings"], [])
                    continue
                self.assertEqual(energies, [None] * 3)
                self.assertIn(f"are so {words} that numbers cannot hold", " ".join(summary["warnings"]))
                self.assertRegex(log, r"energy before +none that a number can hold")
                self.assertNotRegex(log, r"\b(inf|nan) J")

    def test_bodies_on_the_line_are_followed_in_their_mean(self):
        # matter does not pass matter there, whatever moves it
        (self.folder / "row.prm").write_text(two_blocks_on_a_line(cells=100, end_time=0.2, restitution=0.5))

        def bodies(*settings, end=.3, e=.6):
            text = self.run_well("row.prm", "--output", "out", "--set", f"Restitution={e}", "--set", f"Time/End time={end}",
                                 *(part for setting in settings for part in ("--set", setting)))
            return self.summary("out"), " ".join(text.split())

        for settings, accuracy in (["Congested flow/Method=exact blocks"], 1e-12), (["Congested flow/Bodies=coloured"], 1e-9), ([], .05):
            summary, text = bodies(*settings)
            self.assertAlmostEqual(summary["effective_restitution"], .6, delta=accuracy)
            self.assertIn("two bodies part with 0.", text)
            self.assertLess(summary["granular_energy"], accuracy)
            motions = summary["body_motions"]
            self.assertEqual(len(motions), 2)
            for when in "before", "after":
                self.assertAlmostEqual(sum(b["mass"] * b["velocity_" + when] for b in motions), summary["momentum_after"][0],
                                       delta=1e-12)
        # on the way to each other; pressed by a pressure that is soft; of bodies some of which has left the box
        soft = ["Congested flow/Method=soft congestion", "Congested flow/Soft pressure=1e-3",
                "Zone/Function expression=if(x > 0.1 & x < 0.5, 0.9, 0)", "Velocity/Function expression=if(x < 0.3, 1, -1)"]
        for settings, end, e, words in (([], .01, .6, "still approach each other"),
                                        (soft, .03, 0, "while matter between them is still pressed"), ([], 2, .6, None)):
            summary, text = bodies(*settings, end=end, e=e)
            self.assertIsNone(summary["effective_restitution"], settings)
            if words:
                self.assertIn(words, text)
            else:
                self.assertNotIn("two bodies", text)
                self.assertIsNone(summary["body_motions"])

    def test_bodies_in_the_plane_are_followed_in_their_mean(self):
        (self.folder / "blocks.prm").write_text(
            "set Problem = congested flow\nset Dimension = 2\nset Restitution = 0.6\nsubsection Zone\n set Upper corner = 1, 0.2\n"
            " set Walls = bottom, top\n set Function expression = if((x > 0.1 & x < 0.3) | (x > 0.4 & x < 0.5), 1, 0)\nend\n"
            "subsection Velocity\n set Function expression = if(x < 0.35, 1, 0); 0\nend\nsubsection Mesh\n"
            " set Cells per unit length = 40\nend\nsubsection Congested flow\n set Bodies = coloured\nend\n"
            "subsection Time\n set Output every = 0.05\nend\n")

        def bodies(*options, end=.2, processes=1):
            text = self.run_well("blocks.prm", "--output", "out", "--set", f"Time/End time={end}", *options, processes=processes)
            return self.summary("out"), " ".join(text.split())

        def require_closed_form(summary):  # .04 m^2 with 1 m/s meet .02 m^2 at rest
            self.assertAlmostEqual(summary["effective_restitution"], .6, delta=1e-9)
            self.assertLess(summary["granular_energy"], 1e-12)
            for body, mass, before, after in zip(summary["body_motions"], (.04, .02), (1, 0), (2/3 - .2, 2/3 + .4)):
                self.assertAlmostEqual(body["mass"], mass, delta=1e-12)
                for found, exact in ((body["velocity_before"], before), (body["velocity_after"], after)):
                    self.assertAlmostEqual(found[0], exact, delta=1e-9)
                    self.assertAlmostEqual(found[1], 0, delta=1e-12)

        summary, text = bodies()
        require_closed_form(summary)
        self.assertIn("two bodies part with 0.6", text)
        require_closed_form(bodies(processes=2)[0])
        summary, text = bodies(end=.05)
        self.assertIsNone(summary["effective_restitution"])
        self.assertIn("two bodies still approach each other with 1 of the speed", text)
        require_closed_form(bodies("--resume", end=.2)[0])
        three = ("--set", "Velocity/Function expression=if(x < 0.35, 1, if(x < 0.45, 0, 0.1)); 0")
        for summary, text in bodies(end=2), bodies(*three):
            self.assertEqual([summary[key] for key in ("effective_restitution", "granular_energy", "body_motions")], [None] * 3)
            self.assertNotIn("two bodies", text)

    def test_parcels_that_fly_alone_are_not_congested(self):
        (self.folder / "spread.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nsubsection Zone\n set Upper corner = 2\n"
            " set Function expression = if(x > 0.3 & x < 0.5, 1, 0)\nend\nsubsection Velocity\n set Function expression = x\nend\n"
            "subsection Mesh\n set Cells per unit length = 100\nend\nsubsection Time\n set End time = 1\nend\n"
            "subsection Congested flow\n set Method = splitting\nend\n")
        self.run_well("spread.prm", "--output", "out")  # the density is 1/(1 + t)
        found = self.summary("out")
        self.assertEqual((found["fronts"], found["congested_volume"]), ([], 0))
        self.run_well("spread.prm", "--output", "out", "--set", "Velocity/Function expression=-x")
        self.assertAlmostEqual(self.summary("out")["congested_volume"], .2, delta=1e-6)

    def test_an_inflow_that_never_leads_in_is_refused_by_any_number_of_processes(self):
        (self.folder / "out.prm").write_text(
            "set Problem = congested flow\nset Dimension = 2\nsubsection Zone\n set Function expression = if(y < 0.2, 0.5, 0)\nend\n"
            "subsection Inflow\n set Sides = bottom\n set Density expression = 0.5\n set Velocity expression = 0; -1\nend\n"
            "subsection Mesh\n set Cells per unit length = 16\nend\nsubsection Time\n set End time = 0.1\nend\n")
        for processes in 1, 2:  # of which one has the side
            result = self.moreau("out.prm", "--output", "out", processes=processes)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("Inflow/Velocity expression: It does not lead into the box"), 1, result.stderr)
        self.run_well("out.prm", "--output", "out", "--set", "Inflow/Velocity expression=0; t - 0.05", processes=2)

    def test_a_run_that_goes_on_keeps_its_steps(self):
        (self.folder / "soft.prm").write_text(
            two_blocks_on_a_line(cells=100, end_time=0.2, restitution=0) +
            "subsection Congested flow\n set Method = soft congestion\nend\n")
        soft = ("soft.prm", "--set", "Zone/Function expression=if(x > 0.2 & x < 0.4 | x > 0.6 & x < 0.7, 0.9, 0)")
        self.run_well(*soft, "--output", "out")
        self.run_well(*soft, "--output", "out", "--set", "Time/End time=0.4", "--resume")
        self.run_well(*soft, "--output", "whole", "--set", "Time/End time=0.4", "--set", "Time/Time step=0.0002")
        self.assertAlmostEqual(self.summary("out")["energy_after"], self.summary("whole")["energy_after"], delta=1e-12)

    def test_masses_that_are_too_small_for_energies_are_called_so(self):
        spheres = "set Dimension = 1\nsubsection Spheres\n set Spheres per unit length = 8\n set Density = 1e-306\nend\n"
        self.moreau(*self.written(spheres + "subsection Velocity\n set Function expression = -x\nend\n"))
        self.assertRegex(self.summary("out")["warnings"][0], "^Masses are so small that numbers cannot hold their kinetic")

    def test_bounds_are_not_lost_in_the_smallest_numbers(self):
        # the same impact in other units: with less than 1e-308 m^5/s^2 a bound was 0 and guaranteed
        here = "set Problem = macro impact\nset Dimension = 3\nsubsection Zone\n set Lower corner = 0, 0, 0\n set Upper corner = {}\nend\n" \
               "subsection Mesh\n set Cells per unit length = {}\nend\nsubsection Velocity\n set Function expression = {}\nend\n"
        bounds = []
        for length, speed, place in ((1., 1., None), (1e-40, 1e-60, None), (1e40, 1e40, None), (1e-20, 1e-139, "Velocity"),
                                     (1e20, 1e139, "Velocity"), (1e60, 1., "Zone"), (1e-60, 1., "Zone")):
            x = f"{speed!r}*x/{length!r}"
            case = self.written(here.format(", ".join([repr(length)] * 3), repr(4 / length),
                                            f"-{x}; -{x.replace('x', 'y')}; {x}"))
            if place:
                process = self.moreau(*case)
                self.assertEqual(process.returncode, 1)
                self.assertRegex(process.stderr, rf"\Amoreau: \w+\.prm: {place}: The [^\n]+; choose other units\.\n\Z")
                continue
            self.run_well(*case)
            bounds.append(self.summary("out")["certificate"]["total_relative_error_bound"])
        self.assertGreater(bounds[0], .05)
        for bound in bounds[1:]:
            self.assertAlmostEqual(bound, bounds[0], delta=1e-4)

    def test_bands_that_spheres_do_not_see_are_warned_of(self):
        study = "set Problem = homogenization\nsubsection Cone\n set Type = square\nend\nsubsection Spheres\n" \
                " set Arrangement = square lattice\n set Spheres per unit length = 8, 16\nend\n" \
                "subsection Velocity\n set Function expression = {}\nend\n"
        for U, is_hidden in (("0; if(x > 0.3001, if(x < 0.3016, 50, 0), 0)", True), ("0; exp(-((x-0.3)/0.002)^2)", True),
                             ("x*(1 - x); if(x < 0.3, 1, 0)", False), ("-x; -y", False), ("sin(5*x)*cos(3*y); x*y", False)):
            self.run_well(*self.written(study.format(U)))
            warnings = [w for w in self.summary("out")["warnings"] if w.startswith("U may have bands or peaks between")]
            self.assertEqual(len(warnings), is_hidden, U)

    def test_a_bound_larger_than_the_velocities_says_nothing_and_asks_for_nothing(self):
        here = "set Problem = macro impact\nsubsection Mesh\n set Cells per unit length = 16\nend\n" \
               "subsection Velocity\n set Function expression = {}; -y\nend\n"
        for u, says_nothing in ("1/x", True), ("-x", False):  # the integral of 1/x^2 is infinite
            self.run_well(*self.written(here.format(u)))
            summary = self.summary("out")
            self.assertEqual([w for w in summary["warnings"] if "says nothing of u" in w] != [], says_nothing)
            self.assertEqual(summary["certificate"]["total_relative_error_bound"] > 1., says_nothing)
            self.assertLessEqual(summary["tolerance_demanded"], .1)

    def test_kinks_inside_of_cells_are_in_the_bounds_of_the_energy(self):
        exact = 0.5 * (1 / 3 + (0.41**2 + 0.59**2) / 2 + (0.41**3 + 0.59**3) / 3)
        (self.folder / "kink.prm").write_text("set Problem = macro impact\nsubsection Velocity\n"
                                              " set Function expression = 0; y + abs(x - 0.41)\nend\n")
        for cells in 16, 64:
            self.run_well("kink.prm", "--output", "out", "--set", f"Mesh/Cells per unit length={cells}")
            bound = self.summary("out")["total_bound"]
            self.assertLess(bound["energy_lower"], exact)
            self.assertGreater(bound["energy_upper"], exact)
        # where cells see no kink rules are as good as they were
        self.run_well("kink.prm", "--output", "out", "--set", "Velocity/Function expression=sin(3*x)*cos(2*y); sin(x+y)")
        bound = self.summary("out")["total_bound"]
        self.assertLess(bound["energy_upper"] - bound["energy_lower"], 1e-6)

    def test_a_proved_bound_is_enough_whatever_slivers_leave_of_the_residual(self):
        (self.folder / "sliver.prm").write_text(
            "set Problem = macro impact\nsubsection Velocity\n set Function expression = if(x<0.5,-1,0); -1\nend\n"
            "subsection Zone\n set Upper corner = 1, 0.5\n set Walls = bottom, right\nend\n"
            "subsection Mesh\n set Cells per unit length = 10\nend\n"
            "subsection Cone\n set Type = triangular\n set Lattice angle = 17\nend\n")
        self.run_well("sliver.prm", "--output", "out")
        certificate = self.summary("out")["certificate"]
        self.assertTrue(certificate["guaranteed"])
        self.assertLess(certificate["relative_error_bound"], 1e-6)
        self.assertGreater(certificate["natural_residual"], 1e-3)  # above the root of the tolerance

    def test_distances_are_not_lost_in_the_smallest_numbers(self):
        study = "set Problem = homogenization\nset Dimension = 2\nsubsection Spheres\n set Spheres per unit length = {}\n" \
                " set Arrangement = square lattice\nend\nsubsection Cone\n set Type = square\nend\n" \
                "subsection Zone\n set Upper corner = {}\nend\nsubsection Velocity\n set Function expression = {}; 0\nend\n" \
                "subsection Exact velocity\n set Function expression = {}; 0\nend\n"
        for length, speed, place in ((1., 1., None), (1e-30, 1e-60, None), (1e-20, 1e-139, "Velocity"), (1e-90, 1., "Zone")):
            x = f"x/{length!r}"
            case = self.written(study.format(repr(8 / length), ", ".join([repr(length)] * 2), f"{speed!r}*{x}*(1 - {x})",
                                             f"{speed!r}*if({x} < 0.25, {x}*(1 - {x}), 3/16)"))
            if place:
                process = self.moreau(*case)
                self.assertEqual(process.returncode, 1)
                self.assertRegex(process.stderr, rf"\Amoreau: \w+\.prm: {place}: The [^\n]+; choose other units\.\n\Z")
            else:
                self.assertRegex(self.run_well(*case), r"closed form  .* 0\.18421[0-9]* of .U - mean U.")

    def test_what_a_fast_frame_leaves_to_rounding_is_null(self):
        study = ("set Problem = homogenization\nset Dimension = 2\nsubsection Spheres\n set Arrangement = square lattice\n"
                 " set Spheres per unit length = 8\nend\nsubsection Cone\n set Type = square\nend\nsubsection Mesh\n"
                 " set Cells per unit length = 16\nend\nsubsection Velocity\n set Function expression = {}-x; -y\nend\n")
        self.run_well(*self.written(study.format("0")))
        self.assertLess(abs(float(self.rows("out/convergence.csv")[0]["defect"])), .1)
        self.run_well(*self.written(study.format("1e7")))
        self.assertEqual(self.rows("out/convergence.csv")[0]["defect"], "")

    def flow(self, text, *settings):
        (self.folder / "flow.prm").write_text("set Problem = congested flow\nset Dimension = 2\n" + text)
        self.run_well("flow.prm", "--output", "flow", *(part for setting in settings for part in ("--set", setting)))
        return [{name: float(value) for name, value in row.items()} for row in self.rows("flow/statistics.csv")]

    def test_what_begins_later_is_not_stepped_over(self):
        enters = "subsection Zone\n set Upper corner = 1, 0.25\n set Function expression = 0\n set Walls = bottom, top\nend\n" \
                 "subsection Inflow\n set Sides = left\n set Density expression = 0.5\n" \
                 " set Velocity expression = if(t>0.1,1,0); 0\nend\nsubsection Mesh\n set Cells per unit length = 8\nend\n" \
                 "subsection Time\n set End time = 0.5\n set Output every = 0.5\nend\n"
        self.assertAlmostEqual(self.flow(enters)[-1]["mass_in"], .5 * .25 * .4, delta=2e-4)
        pushed = "subsection Zone\n set Function expression = if(x>0.25&x<0.5,1,0)\n set Walls = bottom, top\nend\n" \
                 "subsection Force\n set Function expression = if(t>0.5,2,0);0\nend\nsubsection Mesh\n" \
                 " set Cells per unit length = 8\nend\nsubsection Velocity\n set Function expression = 0; 0\nend\n" \
                 "subsection Time\n set End time = 0.6\n set Output every = 0.6\nend\n"
        self.assertAlmostEqual(self.flow(pushed)[-1]["momentum_x"], .25 * 2. * .1, delta=1e-3)

    def test_what_a_solid_leaves_of_a_cell_moves_nothing(self):
        block = "subsection Zone\n set Upper corner = 1, 0.3\n set Function expression = if(x>0.3&x<0.5,1,0)\n" \
                " set Walls = left, right, bottom, top\nend\nsubsection Velocity\n set Function expression = 1;0\nend\n" \
                "subsection Maximal density\n set Function expression = if(x>{} & y>0.1,0,1)\nend\n" \
                "subsection Mesh\n set Cells per unit length = 30\nend\nsubsection Time\n set End time = 0.4\nend\n"
        for side in "2/3", "0.66667", "0.666667":
            rows = self.flow(block.format(side))
            energies = [row["kinetic_energy"] for row in rows]
            self.assertTrue(all(b <= a * (1. + 1e-9) for a, b in zip(energies, energies[1:])), side)
            self.assertLess(max(row["largest_speed"] for row in rows), 10., side)
            self.assertLess(rows[-1]["mass_error"], 1e-12)


    def test_speeds_at_which_places_are_rounded_are_refused(self):
        for speed in "1e18", "1e100", "1e140":
            said = self.refused("Velocity", *self.written(SPHERE.format("0; 0", 0.01, 0.1), f"0.5,0,0.5,1,{speed},0"))
            self.assertIn("lower speeds or shorter steps", said)
            self.assertFalse((self.folder / "out").exists())

    def test_rows_of_masses_over_eight_decades_converge(self):
        for seed in 1, 2, 3:  # scheme A, far from the origin, in steps that are much too long
            of_row, x, rows = random.Random(seed), 1000., []
            for R in [of_row.uniform(.008, .02) for _ in range(39)]:
                x += R + of_row.choice((0, of_row.expovariate(100)))
                rows.append(f"{x!r},0,{R!r},{10 ** of_row.uniform(-6, 2)!r},{of_row.uniform(-1, 1)!r},0")
                x += R
            self.run_well(*self.written(SPHERE.format("-0.01; 0", 0.5, 5), "\n".join(rows)))
            summary = self.summary("out")
            self.assertEqual(summary["status"], "converged")
            self.assertGreater(summary["contacts_max"], 20)
            self.assertLess(summary["momentum_error"], 1e-14)
            self.assertLess(summary["max_overlap"], 1e-7)
            self.assertRegex(summary["verdict"], "^certified: in each of 10 steps")  # a row has free ends
            self.assertLess(summary["certificate"]["relative_error_bound"], 1e-3)  # the first step is right to 1e-13
            self.assertIn("radii in a step", summary["warnings"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
