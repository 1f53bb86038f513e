#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs say of how good their numbers are: verdicts, bounds, momentum. verdicts.py MOREAU."""
import math
import re
import sys
import unittest

from runs import CRADLE, Runs


class Verdicts(Runs):
    def setUp(self):
        super().setUp()
        (self.folder / "cradle.prm").write_text(CRADLE)

    def test_the_total_bound_is_one_of_the_velocity_after_the_impact(self):
        (self.folder / "block.prm").write_text("set Problem = macro impact\nsubsection Mesh\n"
                                               " set Cells per unit length = 16\nend\n")
        bounds = []
        for e in "0", "1":
            self.run_well("block.prm", "--set", "Restitution=" + e, "--output", "e" + e)
            summary = self.summary("e" + e)
            self.assertEqual(summary["impacts"], 1)
            bounds.append(summary["certificate"]["total_relative_error_bound"])
        self.assertAlmostEqual(bounds[1], 2 * bounds[0], delta=1e-9)

    def assert_verdict(self, words, output, text):
        """The first line of the result, before energies."""
        lines = text.splitlines()
        verdict = lines[next(k for k, line in enumerate(lines) if line.startswith("  energy before")) - 1]
        self.assertRegex(verdict, words)
        self.assertEqual(self.summary(output)["verdict"], verdict)
        self.assertRegex(lines[-1], r"^(not )?converged")

    def test_the_verdict_on_an_impact_comes_first(self):
        number = r"[\d.e+-]+"
        blocks = ("--set", "Spheres/Arrangement=triangular lattice", "--set", "Spheres/Spheres per unit length=8", "--set",
                  "Velocity/Function expression=-x;-y", "--set", "Restitution=0")
        for name, words, arguments in (
                ("proved", rf"^certified: \|u - exact\| <= {number} \|U - mean U\|$", blocks),
                ("early", r"^not certified: (iteration limit|stagnated); ",
                 (*blocks, "--set", "Solver=projected gradient", "--set", "Maximum iterations=1"))):
            self.assert_verdict(words, name, self.moreau("cradle.prm", "--output", name, *arguments).stdout)

    def test_the_verdict_on_the_continuum_names_both_bounds(self):
        (self.folder / "block.prm").write_text("set Problem = macro impact\nsubsection Velocity\n"
                                               " set Function expression = -x; -y\nend\n"
                                               "subsection Mesh\n set Cells per unit length = 16\nend\n")
        number = r"[\d.e+-]+"
        self.assert_verdict(rf"^certified: \|u - exact\| <= {number} \|U - mean U\| on this mesh; with discretisation "
                            rf"(<=|estimated as) {number} \|U - mean U\|$", "out",
                            self.run_well("block.prm", "--output", "out"))

    def test_in_a_box_that_repeats_itself_errors_are_those_of_the_fluctuation_and_energies_null(self):
        setting = ("subsection Velocity\n set Function expression = 0.3*sin(2*pi*x); -2\n set Mean gradient = 0.4, 0, 0, 0\nend\n"
                   "subsection Zone\n set Periodic = x\nend\n")
        (self.folder / "macro.prm").write_text("set Problem = macro impact\n" + setting)
        (self.folder / "micro.prm").write_text(setting + "subsection Spheres\n set Arrangement = square lattice\n"
                                               " set Spheres per unit length = 8\nend\n")
        for walls, scale in ("", r"\|w - mean w\|, U = D x \+ w"), ("bottom", r"max\(\|w - mean w\|, approach to the walls\), U = D"):
            self.run_well("macro.prm", "--output", "out", "--set", "Zone/Walls=" + walls)
            self.assertRegex(self.summary("out")["verdict"], rf"estimated as \S+ {scale}")
        text = self.run_well("micro.prm", "--output", "out")
        self.assertNotIn("energy", text)
        for key in "energy_before", "energy_projected", "energy_after":
            self.assertIsNone(self.summary("out")[key])

    def test_the_verdict_on_a_uniform_velocity_is_relative_to_that(self):
        (self.folder / "uniform.prm").write_text("set Problem = macro impact\nsubsection Velocity\n"
                                                 " set Function expression = 1; .5\nend\n"
                                                 "subsection Mesh\n set Alignment = box\nend\n"
                                                 "subsection Cone\n set Type = square\nend\n")
        self.run_well("uniform.prm", "--output", "out")
        self.assertRegex(self.summary("out")["verdict"], r"with discretisation <= \S*e-1\d \|U\|$")

    def test_a_system_that_projects_by_itself_has_a_bound_while_nothing_acts_only(self):
        # from 1 m up a ball falls for 1.41 s; on the floor its own projection says nothing of its error
        (self.folder / "ball.prm").write_text("set Problem = particle motion\nsubsection System\n set Type = ball on a floor\nend\n"
                                              "subsection Time\n set Scheme = catching-up\nend\n")
        for end, is_exact in (1.4, True), (1.5, False):
            text = " ".join(self.run_well("ball.prm", "--output", "out", "--set", f"Time/End time={end}").split())
            certificate = self.summary("out")["certificate"]
            self.assertEqual(certificate["guaranteed"], is_exact)
            self.assertEqual(certificate["relative_error_bound"], 0 if is_exact else None)
            self.assertIsNone(certificate.get("error_estimate"))
            self.assertEqual(certificate["natural_residual"], 0 if is_exact else None)
            self.assertIn("steps |u - exact| = 0;" if is_exact else "not certified: nothing bounds |u - exact| in each of 1500 steps;", text)

    def test_blocks_that_have_collapsed_are_warned_of(self):
        blocks = (.07, .21, -1.18), (.3, .39, .35), (.47, .72, -.09), (.88, 1.14, -1.37)
        (self.folder / "blocks.csv").write_text("left,right,u\n" + "".join(f"{a},{b},{u}\n" for a, b, u in blocks))
        (self.folder / "blocks.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nset Restitution = 0.3\n"
            "subsection Zone\n set Lower corner = 0\n set Upper corner = 2\n set Walls = left, right\nend\n"
            "subsection Time\n set End time = 0.7\nend\n"
            "subsection Congested flow\n set Method = exact blocks\n set Blocks file = blocks.csv\nend\n")
        for e in "0.3", "1":
            self.run_well("blocks.prm", "--output", "out", "--set", "Restitution=" + e)
            summary = self.summary("out")
            self.assertEqual(summary["collapsed"] > 0, e == "0.3")
            self.assertEqual(any("closed since then" in text for text in summary["warnings"]), e == "0.3")

    def test_gaps_of_blocks_that_are_closed_are_warned_of(self):
        (self.folder / "far.prm").write_text(
            "set Problem = congested flow\nset Dimension = 1\nset Restitution = 1\n"
            "subsection Zone\n set Lower corner = 990\n set Upper corner = 1010\nend\n"
            "subsection Time\n set End time = 0.1\nend\n"
            "subsection Congested flow\n set Method = exact blocks\n set Blocks file = far.csv\nend\n")
        for gap, is_closed in (0, False), (5e-10, True), (2e-9, False):
            (self.folder / "far.csv").write_text("left,right,u\n1000,1001,1\n" + "".join(
                f"{1000 + k + k * gap!r},{1001 + k + k * gap!r},0\n" for k in (1, 2)))
            self.run_well("far.prm", "--output", "far")
            self.assertEqual([text[:20] for text in self.summary("far")["warnings"]], ["2 gaps at the start,"] * is_closed)
        (self.folder / "far.csv").write_text("left,right,u\n0,1e-300,1\n")
        self.assertIn("The fastest block, at x = 0, has the width 1e-300 m", self.refused(
            "Congested flow/Blocks file", "far.prm", "--output", "thin", "--set", "Zone/Lower corner=-1",
            "--set", "Zone/Upper corner=1"))

    def sequence(self, rows, restitution, *options):
        """Velocities after the impacts of spheres on the line, until t = 1 s, and what is warned of."""
        (self.folder / "rows.csv").write_text("x,radius,mass,ux\n" + "\n".join(rows) + "\n")
        (self.folder / "rows.prm").write_text(
            f"set Problem = micro impact\nset Dimension = 1\nset Restitution = {restitution}\n"
            "subsection Spheres\n set File = rows.csv\nend\n"
            "subsection Impact sequence\n set Maximum number of impacts = 10000\n set End time = 1\nend\n")
        self.run_well("rows.prm", "--output", "rows", *options)
        return [float(row["ux"]) for row in self.rows("rows/spheres.csv")], self.summary("rows")

    def test_spheres_that_have_collapsed_are_warned_of(self):
        u, found = self.sequence(("0,.5,100,1", "1.1,.5,1,.3", "2.2,.5,100,-1"), .5)
        self.assertTrue(found["collapsed"])
        self.assertRegex(" ".join(found["warnings"]), "^Spheres collapsed: .* 1 time, .*Restitution 0.5")
        for speed in u:
            self.assertAlmostEqual(speed, .3 / 201, delta=1e-8)
        _, found = self.sequence(("0,.5,100,1", "1.1,.5,1,.3", "2.2,.5,100,-1"), 1)
        self.assertEqual((found["collapsed"], found["warnings"]), (False, []))

    def test_sequences_that_hang_on_the_contact_tolerance_are_warned_of(self):
        row = "10.1234,.01,1,1", "10.1534,.01,1,0", "10.1735,.01,1,0", "10.1936,.01,1,0"
        u, found = self.sequence(row, 1)
        self.assertAlmostEqual(u[0], -.5, delta=1e-6)
        digits, order = found["warnings"]
        self.assertRegex(digits, r"rounded numbers: the file of spheres has six digits: .* 0\.01 of")
        self.assertRegex(order, r"In 1 impact of 1, first at t = 0\.01 s, .*Spheres/Contact tolerance")
        u, found = self.sequence(row, 1, "--set", "Spheres/Contact tolerance=1e-6")
        self.assertAlmostEqual(u[3], 1, delta=1e-6)
        self.assertEqual(found["warnings"], [])
        _, found = self.sequence(("0,.5,1,1", "1,.5,1,0", "2,.5,1,0"), 1) # that touch
        self.assertEqual((found["impacts"], found["warnings"]), (1, []))

    def test_an_accuracy_is_estimated_and_not_certified(self):
        (self.folder / "lines.prm").write_text("subsection Spheres\n set Arrangement = triangular lattice\n"
                                               " set Spheres per unit length = 48\nend\n")
        for U in "x*(1 - x); 0", "sin(7*x + 1)*cos(4*y); cos(5*x - 3*y)", "if(x < 0.5, 1, -1); 0":
            field = ("lines.prm", "--set", "Velocity/Function expression=" + U)
            self.run_well(*field, "--output", "whole", "--set", "Tolerance=1e-5")
            exact, iterations = self.rows("whole/spheres.csv"), self.summary("whole")["iterations"]
            for accuracy in 1e-2, 2e-3:
                texts = [self.run_well(*field, "--output", f"part{n}", "--set", f"Accuracy={accuracy}", processes=n) for n in (1, 2)]
                summary = self.summary("part1")
                certificate, rows = summary["certificate"], self.rows("part1/spheres.csv")
                error = math.sqrt(sum(float(a["mass"]) * ((float(a["ux"]) - float(b["ux"]))**2 + (float(a["uy"]) - float(b["uy"]))**2)
                                      for a, b in zip(exact, rows))) / certificate["scale"]
                self.assertLess(summary["iterations"], iterations)
                self.assertEqual((summary["status"], certificate["guaranteed"]), ("converged", False))
                self.assertIsNone(certificate["relative_error_bound"])
                self.assertLessEqual(certificate["error_estimate"], accuracy)
                self.assertLess(error, certificate["error_estimate"])
                self.assertIn("not certified: |u - exact| is estimated as", texts[0])
                self.assertEqual(rows, self.rows("part2/spheres.csv"))
        self.assertIn("is for Solver = automatic", self.refused("Accuracy", *field, "--set", "Accuracy=1e-3", "--set",
                                                                "Solver=interior point"))

    def test_studies_to_an_accuracy_mark_their_estimates(self):
        (self.folder / "study.prm").write_text("set Problem = homogenization\nset Accuracy = 1e-2\nsubsection Spheres\n"
                                               " set Arrangement = triangular lattice\n set Spheres per unit length = 16, 48\nend\n"
                                               "subsection Cone\n set Type = triangular\nend\n"
                                               "subsection Velocity\n set Function expression = x*(1 - x); 0\nend\n"
                                               "subsection Exact velocity\n"
                                               " set Function expression = if(x < 0.25, x*(1 - x), 3/16); 0\nend\n")
        text = self.run_well("study.prm", "--output", "out")
        self.assertIn("not certified: intervals of the distances |v - exact u| are estimates", text)
        self.assertEqual([row["guaranteed"] for row in self.rows("out/convergence.csv")], ["0", "0"])
        self.assertEqual(len(re.findall(r" ~\d\.\d+e-0\d", text)), 2)
        levels = self.summary("out")["levels"]
        self.run_well("study.prm", "--output", "out", "--set", "Accuracy=0")
        for level, exact in zip(levels, self.summary("out")["levels"]):
            self.assertIsNone(level["relative_error_bound"])
            self.assertLess(level["error_interval"][0], exact["error"])
            self.assertLess(exact["error"], level["error_interval"][1])

    def test_momentum_is_said_and_kept_without_walls(self):
        blocks = " set Function expression = if(x < .5, 1, -.5); if(y < .5, .25, -1)\nend\n"
        spheres = "subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 8, 16\nend\n"
        zone = "subsection Zone\n set Lower corner = 0, 0\n set Upper corner = 1, 1\nend\n"
        cone = "subsection Cone\n set Type = square\nend\n"
        (self.folder / "micro.prm").write_text(f"set Restitution = .5\nsubsection Velocity\n{blocks}{zone}"
                                               f"{spheres.replace('8, 16', '16')}")
        (self.folder / "macro.prm").write_text(f"set Problem = macro impact\nset Restitution = .5\n"
                                               f"subsection Velocity\n{blocks}{zone}{cone}"
                                               "subsection Mesh\n set Cells per unit length = 16\nend\n")
        (self.folder / "study.prm").write_text(f"set Problem = homogenization\nsubsection Velocity\n{blocks}{zone}{cone}"
                                               f"{spheres}")
        for problem in "micro", "macro", "study":
            log = self.run_well(problem + ".prm", "--output", problem)
            self.assertRegex(log, r"momentum before +\(0?\.")
            summary = self.summary(problem)
            for level in summary.get("levels", [summary]):
                # masses are areas of discs, else the unit square's
                mass = 3.141592653589793 / 4 if problem == "micro" else 1
                for before, after, exact in zip(level["momentum_before"], level["momentum_after"], (.25, -.375)):
                    self.assertAlmostEqual(before, exact * mass, delta=1e-12)
                    self.assertAlmostEqual(after, before, delta=1e-12)

    def test_a_closed_form_that_is_no_projection_is_refuted(self):
        (self.folder / "study.prm").write_text(
            "set Problem = homogenization\nsubsection Velocity\n set Function expression = x*(1 - x); 0\nend\n"
            "subsection Cone\n set Type = triangular\nend\n"
            "subsection Spheres\n set Arrangement = triangular lattice\n set Spheres per unit length = 8, 16\nend\n")
        steep = "atan(20*(x - 0.5)); 0", "--set", "Cone/Type=square", "--set", "Spheres/Arrangement=square lattice"
        on_disc = "--set", "Zone/Function expression=if(x*x + y*y < 1, 1, 0)", *steep[1:]
        for u, is_right, *more in (("if(x < 1/4, x*(1 - x), 3/16); 0", True), ("1/6; 0", False), ("1/6 + .5 - x; 0", False),
                                   (steep[0], True, "--set", "Velocity/Function expression=" + steep[0], *steep[1:]),
                                   ("0; y", True, "--set", "Velocity/Function expression=-x; y", "--set",
                                    "Zone/Lower corner=-1, -1", *on_disc)):
            self.run_well("study.prm", "--output", "out", "--set", "Exact velocity/Function expression=" + u, *more)
            summary = self.summary("out")
            if is_right:
                self.assertRegex(summary["verdict"], "^certified if Exact velocity is the projection: every")
                remark = summary["references"][0]["remark"]
                self.assertRegex(remark, "^Exact velocity is taken for the .* projection of U: that")
                self.assertEqual(summary["warnings"], [])
            else:
                self.assertEqual(summary["verdict"], "not certified: Exact velocity is not the macroscopic projection of U")
                self.assertIn("Exact velocity is not the macroscopic projection of U: that is within", summary["warnings"][0])
                self.assertFalse(summary["references"][0]["guaranteed"] or summary["references"][0]["certified"])

    def test_a_closed_form_with_another_momentum_is_doubted(self):
        (self.folder / "study.prm").write_text(
            "set Problem = homogenization\nsubsection Velocity\n set Function expression = if(x < .31, -1, 1); 0\nend\n"
            "subsection Cone\n set Type = isotropic\nend\n"
            "subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 8, 16\nend\n")
        # nearer to u than what a coarse mesh can refute
        self.run_well("study.prm", "--output", "out", "--set", "Exact velocity/Function expression=if(x < .31, -1, 1) + .002; 0")
        summary = self.summary("out")
        self.assertEqual(summary["verdict"], "not certified: Exact velocity is not the macroscopic projection of U")
        self.assertRegex(" ".join(summary["warnings"]), "Exact velocity has another momentum than U")
        self.assertFalse(summary["references"][0]["guaranteed"])
        for level in summary["levels"]:
            self.assertEqual(level["error_interval"][0], 0)
            self.assertGreaterEqual(level["error_interval"][1], level["norm_v"])

    def test_energies_that_are_guaranteed_are_those_of_the_zone(self):
        # what is not saturated has most of the energy, in a spot that coarse meshes miss
        (self.folder / "spot.prm").write_text(
            "set Problem = macro impact\nsubsection Velocity\n"
            " set Function expression = if(x < .5, -x, 50*exp(-1e4*((x-.77)^2+(y-.3)^2))); 0\nend\n"
            "subsection Zone\n set Function expression = if(x < .5, 1, .5)\nend\n"
            "subsection Cone\n set Type = square\nend\n")
        for cells in 8, 32:
            self.run_well("spot.prm", "--output", "out", "--set", f"Mesh/Cells per unit length={cells}")
            bound = self.summary("out")["total_bound"]
            self.assertTrue(bound["guaranteed"])
            # u = -1/4 in the left half: the projection of -x on velocities that do not decrease
            self.assertLessEqual(bound["energy_lower"], 1 / 64 + 1e-12)
            self.assertGreaterEqual(bound["energy_upper"], 1 / 64 - 1e-12)

    def test_distances_of_zero_have_no_order_to_doubt(self):
        (self.folder / "study.prm").write_text(
            "set Problem = homogenization\nsubsection Velocity\n set Function expression = -x; -y\nend\n"
            "subsection Cone\n set Type = square\nend\n"
            "subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 8, 16\nend\n")
        self.run_well("study.prm", "--output", "out")
        self.assertEqual(self.summary("out")["warnings"], [])

    def test_a_zone_that_no_cell_sees_has_no_bound(self):
        (self.folder / "dot.prm").write_text(
            "set Problem = macro impact\nsubsection Zone\n"
            " set Function expression = if((x-.5)^2+(y-.5)^2 < .0016, 1, 0)\nend\n"
            "subsection Mesh\n set Cells per unit length = 16\nend\n")
        for cone in "isotropic", "square":
            text = self.run_well("dot.prm", "--set", "Cone/Type=" + cone, "--output", cone)
            self.assertIn("give more cells", text)
            self.assertIsNone(self.summary(cone)["certificate"]["total_relative_error_bound"])

    def test_an_impact_without_inequalities_says_so(self):
        (self.folder / "thin.prm").write_text("set Problem = macro impact\nsubsection Velocity\n"
                                              " set Function expression = -x; -y\nend\n"
                                              "subsection Mesh\n set Cells per unit length = 4\nend\n")
        for cone in "isotropic", "square", "triangular", "dilatant":
            for density, n in ("1 - 1e-8", 1), ("1", 0):
                self.moreau("thin.prm", "--set", "Cone/Type=" + cone, "--set", "Zone/Function expression=" + density,
                            "--output", "out", *(("--set", "Cone/Dilatancy=0.3") if cone == "dilatant" else ()))
                found = [w for w in self.summary("out")["warnings"] if w.startswith("No inequality acts")]
                self.assertEqual(len(found), n, (cone, density))

    def test_a_mesh_of_one_cell_between_walls_is_said_to_allow_nothing(self):
        (self.folder / "cell.prm").write_text("set Problem = macro impact\nsubsection Velocity\n"
                                              " set Function expression = sin(pi*x)*cos(pi*y); -cos(pi*x)*sin(pi*y)\nend\n"
                                              "subsection Mesh\n set Cells per unit length = 1\nend\n")
        for cone, alignment in ("isotropic", "automatic"), ("square", "automatic"), ("square", "box"):
            for walls, axes in (("left, right", "x"), ("left, right, bottom, top", "x, y"), ("left, bottom", None)):
                alone = ("cell.prm", "--output", "out", "--set", "Zone/Walls=" + walls, "--set", "Cone/Type=" + cone)
                self.moreau(*alone, *(("--set", "Mesh/Alignment=box") if alignment == "box" else ()))
                said = " ".join(self.summary("out")["warnings"])
                if axes is None or alignment == "box":  # triangles have a node within the cell
                    self.assertNotIn("one cell", said)
                else:
                    self.assertIn(f"Between the walls across {axes} the mesh has one cell only", said)
        self.run_well("cell.prm", "--output", "out", "--set", "Zone/Walls=left, right", "--set", "Mesh/Cells per unit length=2")
        self.assertEqual(self.summary("out")["warnings"], [])

    def of_impact(self, cone, velocity, zone="1"):
        """total_bound of an impact on 16² cells."""
        (self.folder / "impact.prm").write_text("set Problem = macro impact\nsubsection Mesh\n"
                                                " set Cells per unit length = 16\nend\n")
        self.moreau("impact.prm", "--output", "out", "--set", "Velocity/Function expression=" + velocity,
                    "--set", "Zone/Function expression=" + zone, *(word for set in cone for word in ("--set", set)))
        return self.summary("out")["total_bound"]

    CONES = ("Cone/Type=square",), ("Cone/Type=square", "Mesh/Alignment=box"), ("Mesh/Elements=Raviart-Thomas",), ()

    def test_a_bound_is_guaranteed_only_where_the_text_of_u_hides_nothing_between_points(self):
        seen = ("-x; -y", "if(x < .5, 1, -1); 0", "-abs(x - .5); -y", "if(x^2 + y^2 < 4, -x, 1); -y", "x < .25 ? 1 : 0; 0",
                "max(0, .5 - x); -y")
        hidden = ("if(x > .506 && x < .512, 1, 0) - x; 0", "-x; if(abs(y - .41) < .0003, 1, -y)",
                  "-x + ((x - .524)^2 + (y - .555)^2 < 1e-6); -y", "-x + exp(-((x - .524)^2 + (y - .555)^2)*1e8); -y")
        for cone in self.CONES:
            for velocity in seen:
                self.assertTrue(self.of_impact(cone, velocity)["guaranteed"], (cone, velocity))
            for velocity in hidden:
                bound = self.of_impact(cone, velocity)
                self.assertFalse(bound["guaranteed"], (cone, velocity))
                self.assertRegex(bound["remark"], "so the bound is an estimate")

    def test_estimates_count_what_the_text_hides_between_points(self):
        for cone in self.CONES:
            smooth = self.of_impact(cone, "sin(x) - x; -y")["eta"]
            for band, most in ("if(x > .506 && x < .512, 1, 0)", .3), ("((x - .524)^2 + (y - .555)^2 < 1e-6)", .03):
                eta = self.of_impact(cone, "sin(x) - x + " + band + "; -y")["eta"]
                self.assertGreater(eta, max(smooth, .0017), (cone, band))  # the band's own norm, of the body
                self.assertLess(eta, smooth + most, (cone, band))

    def test_estimates_count_smooth_peaks_between_points(self):
        # of norm 50 (pi/2k)^(1/2) = .036, most of it in one cell; what the zone's lines see elsewhere stays what it is
        for cone in self.CONES:
            smooth = self.of_impact(cone, "sin(x) - x; -y")["eta"]
            for k in 3e6, 1e8:
                eta = self.of_impact(cone, f"sin(x) - x + 50*exp(-{k}*((x - .5244)^2 + (y - .5551)^2)); -y")["eta"]
                self.assertGreater(eta, 50 * math.sqrt(math.pi / 2 / k), (cone, k))
                self.assertLess(eta, smooth + 2, (cone, k))

    def test_holes_and_grains_of_a_zone_between_samples_are_not_passed_over(self):
        seen = "if(x < .5, 1, 0)", "if(x < .25 || x > .75, 1, .5)", "if(max(abs(x - .5), abs(y - .5)) < .25, 1, 0)"
        hidden = "if(abs(x - .508) < .001, 0, 1)", "if(x < .5 || (x - .811)^2 + (y - .522)^2 < 1e-5, 1, 0)"
        for cone in self.CONES:
            for zone in seen:
                self.assertTrue(self.of_impact(cone, "-x; -y", zone)["guaranteed"], (cone, zone))
            for zone in hidden:
                bound = self.of_impact(cone, "-x; -y", zone)
                self.assertFalse(bound.get("guaranteed"), (cone, zone))
                self.assertRegex(bound["remark"], "may be overlooked|cuts|was sampled")

    def test_a_zone_that_cuts_cells_of_the_lattice_has_an_estimated_bound_and_one_that_cuts_the_box_none(self):
        (self.folder / "disc.prm").write_text(
            "set Problem = macro impact\nsubsection Zone\n"
            " set Function expression = if((x-.5)^2+(y-.5)^2 < .16, 1, 0)\nend\n"
            "subsection Cone\n set Type = square\nend\nsubsection Mesh\n set Cells per unit length = 16\nend\n")
        self.assertIn("The boundary of the zone cuts cells: lines", self.run_well("disc.prm", "--output", "out"))
        self.assertIs(self.summary("out")["total_bound"]["guaranteed"], False)
        text = self.run_well("disc.prm", "--set", "Mesh/Alignment=box", "--output", "box")
        self.assertIn("There is no total bound: the boundary of the zone cuts", text)
        self.assertNotIn("the total bound refers", text)
        summary = self.summary("box")
        self.assertIsNone(summary["certificate"]["total_relative_error_bound"])
        self.assertIs(summary["total_bound"]["available"], False)

    def test_skew_directions_between_walls_on_all_sides_are_said_to_lock(self):
        (self.folder / "skew.prm").write_text(
            "set Problem = macro impact\nsubsection Cone\n set Type = directions\n"
            " set Function expression = 1; 0; .6; .8\nend\nsubsection Mesh\n set Cells per unit length = 4\nend\n"
            "subsection Velocity\n set Function expression = 0; 1\nend\n")
        words = "do not follow all directions that are not at right angles"
        for walls, said in ("left, right, bottom, top", True), ("left, right, bottom", False):
            text = self.run_well("skew.prm", "--set", "Zone/Walls=" + walls, "--output", str(said))
            self.assertEqual(words in " ".join(text.split()), said, text)

    def test_zones_thinner_than_a_cell_are_said_to_be_on_every_lattice(self):
        (self.folder / "thin.prm").write_text(
            "set Problem = macro impact\nsubsection Zone\n set Function expression = if(abs(x-y) < .03, 1, 0)\nend\n"
            "subsection Mesh\n set Cells per unit length = 8\n set Alignment = lattice\nend\n")
        for cone in "square", "triangular":
            text = " ".join(self.run_well("thin.prm", "--set", "Cone/Type=" + cone, "--output", cone).split())
            self.assertIn("it is thinner than a cell", text)
            self.assertIn("give more cells", text)
            self.assertIsNone(self.summary(cone)["certificate"]["total_relative_error_bound"])

    def test_directional_cones_take_their_zone_from_levels_and_files(self):
        lines = ["x,y,rho"] + [f"{x},{y},{int(x == y == .5)}" for x in (-.5, .5, 1.5) for y in (-.5, .5, 1.5)]
        (self.folder / "cells.csv").write_text("\n".join(lines) + "\n")
        turned = ("set Problem = macro impact\nsubsection Velocity\n"
                  " set Function expression = if(x < .43, 1, -.5); if(y < .37, .3, -.7)\nend\n"
                  "subsection Cone\n set Type = square\n set Lattice angle = 17\nend\n"
                  "subsection Mesh\n set Cells per unit length = 32\nend\nsubsection Zone\n %s\nend\n")
        box = "set Lower corner = -1, -1\n set Upper corner = 2, 2\n set File = cells.csv"
        disc = "set Function expression = if((x-.5)^2+(y-.5)^2 < .16, 1, .5)"
        level = "set Function expression = .5\n set Level function = .16-(x-.5)^2-(y-.5)^2"
        for name, zone in ("file", box), ("disc", disc), ("level", level):
            (self.folder / (name + ".prm")).write_text(turned % zone)
            self.run_well(name + ".prm", "--output", name)
        self.assertAlmostEqual(self.summary("file")["energy_projected"] / .102273726, 1, delta=4e-3)  # line by line
        self.assertAlmostEqual(self.summary("level")["energy_projected"] / self.summary("disc")["energy_projected"], 1,
                               delta=1e-9)

    def test_a_tenth_of_the_total_bound_is_enough(self):
        (self.folder / "smooth.prm").write_text(
            "set Problem = macro impact\nset Maximum iterations = 8\nsubsection Velocity\n"
            " set Function expression = sin(5*x+1)*cos(3*y)-x; cos(4*y-x)-y\nend\n"
            "subsection Mesh\n set Cells per unit length = 64\nend\n")
        text = self.run_well("smooth.prm", "--output", "out")
        summary = self.summary("out")
        certificate = summary["certificate"]
        self.assertGreater(certificate["relative_error_bound"], 1e-6)
        self.assertAlmostEqual(summary["tolerance_demanded"] / certificate["total_relative_error_bound"], .1, delta=1e-3)
        self.assertRegex(text, "converged: relative error bound .*, demanded .*, a tenth of the total error bound")

    def test_a_closed_box_that_is_solved_to_rounding_has_converged(self):
        (self.folder / "closed.prm").write_text("set Problem = macro impact\nsubsection Mesh\n"
                                                " set Cells per unit length = 32\nend\nsubsection Zone\n"
                                                " set Walls = left, right, bottom, top\nend\n")
        text = self.run_well("closed.prm", "--output", "out")
        self.assertIn("a tenth of the error that this mesh is estimated to leave (no bound)", text)
        summary = self.summary("out")
        self.assertIsNone(summary["certificate"]["relative_error_bound"])
        self.assertLess(summary["certificate"]["natural_residual"], 1e-10)

    def test_the_interior_point_method_meets_what_is_demanded_of_an_estimate(self):
        (self.folder / "walls.prm").write_text(
            "set Problem = macro impact\nsubsection Velocity\n"
            " set Function expression = -6.23*x*(1-x); -.06*y*(1-y)\nend\n"
            "subsection Zone\n set Walls = left, right\nend\nsubsection Cone\n set Type = square\nend\n"
            "subsection Mesh\n set Cells per unit length = 48\n set Alignment = box\nend\n")
        self.run_well("walls.prm", "--output", "out")
        self.assertEqual(self.summary("out")["status"], "converged")

    def test_a_uniform_velocity_is_its_own_projection_on_every_mesh(self):
        (self.folder / "uniform.prm").write_text(
            "set Problem = macro impact\nsubsection Velocity\n set Function expression = 1; 0.3\nend\n"
            "subsection Mesh\n set Cells per unit length = 8\nend\n")
        disc = "Zone/Function expression=if((x - 0.5)^2 + (y - 0.5)^2 < 0.16, 1, 0)"
        for settings in (["Cone/Type=triangular"], ["Cone/Type=triangular", "Velocity/Function expression=1; 0"],
                         ["Cone/Type=triangular", "Velocity/Function expression=1e6; 0", disc], ["Cone/Type=square", disc],
                         [disc, "Mesh/Adaptive cycles=1", "Velocity/Function expression=0; 1"],
                         [disc, "Mesh/Adaptive cycles=3", "Restitution=0.5"], ["Cone/Type=circular", "Cone/Dilatancy=0.3", disc]):
            with self.subTest(settings):
                self.run_well("uniform.prm", "--output", "out", *(part for setting in settings for part in ("--set", setting)))
                found = self.summary("out")
                self.assertEqual((found["impacts"], found["certificate"]["relative_error_bound"]), (0, 0))
                self.assertRegex(found["verdict"], r"^certified: \|u - exact\| = 0 on this mesh")

    def test_a_uniform_velocity_is_a_study_like_others(self):
        (self.folder / "uniform.prm").write_text(
            "set Problem = homogenization\nsubsection Velocity\n set Function expression = .3; .7\nend\n"
            "subsection Cone\n set Type = triangular\nend\nsubsection Spheres\n set Arrangement = triangular lattice\n"
            " set Spheres per unit length = 8, 16\nend\n")
        out = self.run_well("uniform.prm", "--output", "uniform")
        self.assertNotIn("computed again", out)
        found = self.summary("uniform")
        self.assertEqual((found["status"], found["warnings"]), ("converged", []))
        self.assertIsNone(found["observed_order"])
        self.assertEqual([level["relative_error"] for level in found["levels"]], [None, None])
        self.assertIn(", U is uniform", out)

    def test_packings_too_small_for_their_box_have_no_coordination(self):
        (self.folder / "few.prm").write_text(
            "set Problem = homogenization\nsubsection Velocity\n set Function expression = -y; x\nend\n"
            "subsection Spheres\n set Arrangement = random packing\nend\n"
            "subsection Homogenization\n set Packings = 4, 40\n set Contact tolerances = 0.3\nend\n")
        self.run_well("few.prm", "--output", "few")
        found = self.summary("few")
        self.assertEqual([warning for warning in found["warnings"] if "two images" in warning],
                         ["A packing of 4 spheres is so small that they touch through two images of its box at once: it has no z."])
        few, many = found["samples"]
        self.assertIsNone(few["coordination"])
        self.assertGreater(many["coordination"], 3.5)

    def test_what_the_law_loses_in_the_end_is_warned_of(self):
        (self.folder / "jammed.prm").write_text(
            "set Restitution = 1\nsubsection Spheres\n set Arrangement = square lattice\n"
            " set Spheres per unit length = 4\nend\nsubsection Zone\n"
            " set Walls = left, right, bottom, top\nend\nsubsection Velocity\n set Function expression = 1; 0\nend\n")
        self.run_well("jammed.prm", "--output", "jammed")
        found = self.summary("jammed")
        self.assertEqual((found["impacts"], found["collapsed"]), (3, True))
        self.assertRegex(found["warnings"][-1], "applied 2 times with e = 1 and contacts still approached")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
