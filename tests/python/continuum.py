# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau.macro_impact and homogenize: three ways to say a field, closed forms, the program, bad input."""
import pathlib
import tempfile
import unittest

import numpy as np

import moreau

BOX = dict(lower=[-1., -1.], upper=[1., 1.])


def centres(n):
    g = -1 + (np.arange(n) + .5) * 2 / n
    return np.stack(np.meshgrid(g, g, indexing="ij"), -1)


class MacroImpact(unittest.TestCase):
    def test_expression_callable_and_array_are_one_field(self):
        text = moreau.macro_impact("if(x < 0, 1, -1); 0", cells=16, **BOX)
        function = moreau.macro_impact(lambda x: np.stack([np.where(x[:, 0] < 0, 1., -1.), 0 * x[:, 0]], -1), cells=16,
                                       **BOX)
        array = moreau.macro_impact(np.array([[[1., 0.]], [[-1., 0.]]]), cells=16, **BOX)  # 2 x 1 cells
        self.assertGreater(np.abs(text.p).max(), .1)
        np.testing.assert_allclose(function.u, text.u, atol=1e-12)
        np.testing.assert_allclose(array.u, text.u, atol=1e-12)

    def test_axes_of_arrays_are_those_of_the_box(self):
        zone = np.zeros((4, 2))
        zone[3, 0] = 1.  # x in [1/2, 1], y in [-1, 0]
        m = moreau.macro_impact("-x; -y", zone=zone, cells=8, **BOX)
        full = m.centres[m.arrays["density"] == 1.]
        self.assertEqual(len(full), 4 * 8)
        self.assertTrue(((full[:, 0] > .5) & (full[:, 1] < 0)).all())
        as_text = moreau.macro_impact("-x; -y", zone="if((x > 0.5) & (y < 0), 1, 0)", cells=8, **BOX)
        np.testing.assert_array_equal(as_text.arrays["density"], m.arrays["density"])

    def test_zones_whose_cells_are_no_cells_of_the_mesh_have_estimates(self):
        zone = np.zeros((3, 3))
        zone[1, :2] = 1.
        aligned = moreau.macro_impact("-x + y^2; -y", zone=zone, cells=48)
        self.assertTrue(aligned.total_bound["guaranteed"])
        self.assertEqual(aligned.remarks, "")
        for cells in 16, 17:
            cut = moreau.macro_impact("-x + y^2; -y", zone=zone, cells=cells)
            self.assertFalse(cut.total_bound["guaranteed"])
            self.assertIsNone(cut.total_bound["energy_lower"])
            self.assertGreater(cut.total_bound["eta"], .0268)  # what it is off by
            self.assertIn("cuts", cut.remarks)
        stripes = np.ones((50, 50))
        stripes[::5] = 0.  # between the points at which cells are looked at
        self.assertFalse(moreau.macro_impact("-x; -y", zone=stripes, cells=10).total_bound["guaranteed"])
        self.assertTrue(moreau.macro_impact("-x; -y", zone=stripes, cells=50).total_bound["guaranteed"])

    def test_a_gradient_that_presses_everywhere_is_stopped(self):
        m = moreau.macro_impact("-x; -y", cells=16, walls=["left", "right", "bottom", "top"], **BOX)
        self.assertLess(np.abs(m.u).max(), 1e-4)
        # B*p = ∇p = U: p = (2 - x² - y²)/2 up to a constant
        p, expected = m.p - m.p.mean(), -(m.centres**2).sum(1) / 2
        np.testing.assert_allclose(p, expected - expected.mean(), atol=2e-2)

    def test_the_bound_holds_against_a_finer_mesh(self):
        coarse, fine = (moreau.macro_impact("-x; -y", cells=n, **BOX) for n in (8, 64))
        self.assertTrue(coarse.total_bound["guaranteed"])
        self.assertLess(fine.bound, coarse.bound)
        of_coarse = coarse.u.reshape(16, 16, 2)
        means = fine.u.reshape(16, 8, 16, 8, 2).mean((1, 3))
        distance = np.sqrt(((of_coarse - means) ** 2).sum()) / 8
        self.assertLess(distance, coarse.total_bound["eta"] + fine.total_bound["eta"])

    def test_it_is_what_the_program_computes(self):
        m = moreau.macro_impact("-x^3; -y", zone="if(x^2 + y^2 < 0.5, 1, 0)", cells=16, restitution=.5, **BOX)
        with tempfile.TemporaryDirectory() as folder:
            o = moreau.run("set Problem = macro impact\n", {
                "Velocity/Function expression": "-x^3; -y", "Zone/Function expression": "if(x^2 + y^2 < 0.5, 1, 0)",
                "Zone/Lower corner": [-1, -1], "Mesh/Cells per unit length": 16, "Restitution": .5},
                           output=pathlib.Path(folder) / "o")
            u = o.arrays()["continuum"]["u"][:, :2]
        np.testing.assert_allclose(m.u, u, atol=1e-9)
        self.assertEqual(set(m.certificate), set(o.certificate))
        self.assertEqual(set(m.total_bound), set(o["total_bound"]) - {"wall_time_s"})
        np.testing.assert_allclose(m.momentum_after, o["momentum_after"], atol=1e-12)

    def test_lattices_lines_space_and_refinement(self):
        for cone in ("square", "triangular"):
            self.assertTrue(moreau.macro_impact("-x; -y", cone=cone, cells=8, **BOX).converged, cone)
        self.assertEqual(moreau.macro_impact("-x; -y; -z", cone="cubic", cells=4).u.shape, (64, 3))
        self.assertEqual(moreau.macro_impact(np.linspace(1, -1, 8), cells=16).u.shape, (16, 1))
        m = moreau.macro_impact("-x; -y", cells=8, adaptive_cycles=1, **BOX)
        self.assertGreater(len(m.u), 16 * 16)
        self.assertEqual(m.u.shape, m.centres.shape)
        linear = moreau.macro_impact("0*x; -y", cone="dilatant", dilatancy=0., cells=8, **BOX)  # linear on triangles
        self.assertEqual(linear.u.shape, linear.centres.shape)
        self.assertGreater(len(linear.arrays["points"]), len(linear.arrays["u"]) - 1)

    def test_cones_of_larger_dilatancy_are_smaller(self):
        energy = [(moreau.macro_impact("x; -y", cells=8, cone="dilatant", dilatancy=s, **BOX).u**2).sum()
                  for s in (.01, "1/2", 1.)]
        self.assertTrue(np.all(np.diff(energy) < -.1), energy)
        both = [moreau.macro_impact("-x; y", cells=8, cone="dilatant", dilatancy=s, **BOX).u for s in (.25, "0.25")]
        np.testing.assert_array_equal(*both)

    def test_circular_cones_are_dilatant_in_the_plane(self):
        circle = moreau.macro_impact("x; -y", cells=8, cone="circular", dilatancy=.3, **BOX)
        polygon = moreau.macro_impact("x; -y", cells=8, cone="dilatant", dilatancy=.3, **BOX)
        self.assertTrue(circle.converged)
        np.testing.assert_allclose(circle.u, polygon.u, atol=.05)
        self.assertLess(circle.bound, 1.1 * polygon.bound)
        space = moreau.macro_impact("-x; -y; z", cells=2, cone="circular", dilatancy="0.2 + 0.1*x",
                                    lower=[-1, -1, -1], upper=[1, 1, 1])
        self.assertTrue(space.converged)
        self.assertEqual(space.u.shape[1], 3)

    def test_directions_of_a_lattice_are_its_cone(self):
        c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
        given = moreau.macro_impact("-x; y*x", cells=16, cone="directions", directions=[[c, s], [-s, c]], **BOX)
        square = moreau.macro_impact("-x; y*x", cells=16, cone="square", angle=30, **BOX)
        self.assertEqual((given.p.shape[1], square.p.shape[1]), (2, 2))
        self.assertIsNone(square.total_bound["energy_lower"]) # cells are cut by the sides of the box
        energy = .5 * ((square.u**2).sum(axis=1) * square.arrays["saturated_part"]).sum() / 16**2
        self.assertLess(given.total_bound["energy_lower"], 1.01 * energy)
        self.assertLess(.99 * energy, given.total_bound["energy_upper"])
        text = moreau.macro_impact("-x; y*x", cells=16, cone="directions", directions="1; 0; 0; 1", **BOX)
        unit = moreau.macro_impact("-x; y*x", cells=16, cone="directions", directions=np.eye(2), **BOX)
        np.testing.assert_array_equal(text.u, unit.u)

    def test_bad_arguments(self):
        for words, arguments in {
                "cone is 'round'": dict(U="-x; -y", cone="round"),
                "dilatancy is missing": dict(U="-x; -y", cone="dilatant"),
                "dilatancy is given": dict(U="-x; -y", dilatancy=.3),
                "'dilatant' or 'circular'": dict(U="-x; -y", cone="circular"),
                "dilatancy is 1.3": dict(U="-x; -y", cone="dilatant", dilatancy=1.3),
                "must lie in [0, 1]": dict(U="-x; -y", cone="dilatant", dilatancy="3 + x"),
                "which has no lattice to turn": dict(U="-x; -y", angle=10),
                "directions is missing": dict(U="-x; -y", cone="directions"),
                "must be unit vectors": dict(U="-x; -y", cone="directions", directions=[[1., 1.]]),
                "directions has shape": dict(U="-x; -y", cone="directions", directions=[[1., 0., 0.]]),
                "cells is -1": dict(U="-x; -y", cells=-1),
                "upper must exceed lower": dict(U="-x; -y", lower=[0, 0], upper=[1, 0]),
                "2 are needed": dict(U="-x", lower=[0, 0], upper=[1, 1]),
                "U has shape": dict(U=np.zeros((2, 2, 3)), lower=[0, 0], upper=[1, 1]),
                "U has no cell": dict(U=np.zeros((0, 2, 2))),
                "is nan": dict(U=np.full((2, 2, 2), np.nan)),
                "must return an array of shape": dict(U=lambda x: x[:, :1]),
                "not finite": dict(U=lambda x: x / 0.),
                "density and must lie in": dict(U="-x; -y", zone=lambda x: 2. + x[:, 0]),
                "density": dict(U="-x; -y", zone=np.full((2, 2), 7.)),
                "walls must be a list": dict(U="-x; -y", walls="left"),
                "walls: 'north' is not valid": dict(U="-x; -y", walls=["north"]),
                "solver: 'magic' is not": dict(U="-x; -y", solver="magic"),
                "U: Component 2, 'sin(y', cannot": dict(U="-x; sin(y"),
        }.items():
            with self.subTest(words), np.errstate(all="ignore"):
                with self.assertRaises(ValueError) as caught:
                    moreau.macro_impact(**{"cells": 4, **arguments})
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))

    def test_what_a_callable_raises_is_raised(self):
        def U(x):
            raise KeyError("of the caller")

        with self.assertRaisesRegex(KeyError, "of the caller"):
            moreau.macro_impact(U, cells=4)


class Periodic(unittest.TestCase):
    D = np.array([[.4, 0.], [0., .35]])

    def wave(self, x):
        return x @ self.D.T + np.stack([.3 * np.sin(2 * np.pi * x[:, 0]), 0. * x[:, 0]], -1)

    def test_bounds_need_no_gradient(self):
        U = "0.3*sin(2*pi*x)+0.2*cos(2*pi*y)*sin(2*pi*x)+.2*sin(2*pi*y); 0.25*sin(2*pi*(x+2*y))"
        for cone, s, cells in ("square", None, 28), ("triangular", None, 16), ("dilatant", .3, 16), ("dilatant", 0., 10):
            m = moreau.macro_impact(U, cells=cells, cone=cone, dilatancy=s, periodic=[True, True])
            self.assertTrue(m.certificate["guaranteed"], cone)
            self.assertLess(m.bound, .05 if cells < 28 else .01)
            zero = moreau.macro_impact(U, cells=cells, cone=cone, dilatancy=s, periodic=[True, True], D=np.zeros((2, 2)))
            self.assertAlmostEqual(m.bound / zero.bound, 1., delta=1e-3)

    def test_a_wave_is_stopped_at_the_slope_that_the_gradient_leaves(self):
        m = moreau.macro_impact(self.wave, cells=32, periodic=[True, True], D=self.D)
        text = moreau.macro_impact("0.4*x + 0.3*sin(2*pi*x); 0.35*y", cells=32, periodic=[True, True], D=self.D)
        np.testing.assert_allclose(text.u, m.u, atol=1e-12)
        self.assertTrue(m.certificate["guaranteed"])
        self.assertLess(m.bound, .02)
        middle = np.abs(m.centres[:, 0] - .5) < .25
        expected = m.centres @ self.D.T
        expected[:, 0] -= .75 * (m.centres[:, 0] - .5)
        np.testing.assert_allclose(m.u[middle], expected[middle], atol=2e-3)
        self.assertIsNone(m.total_bound["energy_lower"])

    def test_spheres_of_a_lattice_follow_a_gradient_that_parts_them(self):
        g = np.arange(6) / 6 + .3  # beyond the box
        x = np.stack(np.meshgrid(g, g, indexing="ij"), -1).reshape(-1, 2)
        h = moreau.homogenize(x, 1 / 12, "0.4*x; 0.35*y", cone="square", cells=12, periodic=[True, True], D=self.D)
        np.testing.assert_allclose(h.u, np.mod(x, 1.) @ self.D.T, atol=1e-12)
        self.assertLess(h.error, 1e-12)
        self.assertEqual(len(h.contacts), 72)
        np.testing.assert_allclose(h.volumes, 1 / 36)

    def test_what_cannot_repeat_itself_is_refused(self):
        for words, keywords in (("needs a box", dict(D=self.D)), ("3 entries", dict(periodic=[True] * 3)),
                                ("True and False", dict(periodic="xy")), ("tr D", dict(periodic=[True, True], D=-self.D)),
                                ("wall", dict(periodic=[True, False], walls=["left"])),
                                ("D", dict(periodic=[True, True], D=[1., 2.]))):
            with self.assertRaisesRegex(ValueError, words):
                moreau.macro_impact("x; y", cells=8, **keywords)


class Homogenize(unittest.TestCase):
    def test_voronoi_cells_of_a_lattice_are_squares(self):
        x = centres(8).reshape(-1, 2)
        h = moreau.homogenize(x, 1 / 8, "-x; -y", cone="square", **BOX)
        np.testing.assert_allclose(h.volumes, 1 / 16, atol=1e-12)
        for centre, cell in zip(x, h.cells):
            np.testing.assert_allclose(sorted(map(tuple, (cell - centre).round(9))),
                                       [(-.125, -.125), (-.125, .125), (.125, -.125), (.125, .125)])
        np.testing.assert_allclose(h.U_tilde, -x, atol=1e-12)
        self.assertTrue(h.interval[0] <= h.error <= h.interval[1])
        self.assertTrue(h.converged)

    def test_outside_of_the_zone_u_is_that_of_the_field(self):
        for cone in "circular", "dilatant":
            m = moreau.macro_impact("if(x < .5, 1, -1)*sin(9*y); cos(9*x)", zone="if((x - .5)^2 + (y - .5)^2 < .16, 1, 0)",
                                    cone=cone, dilatancy=.3, cells=12)
            outside = m.arrays["density"].ravel() < 1
            self.assertTrue(0 < outside.sum() < len(outside))
            np.testing.assert_array_equal(m.u[outside], m.arrays["U"][outside, :2])
            self.assertGreater(abs(m.u - m.arrays["U"][:, :2])[~outside].max(), .1)

    def test_spheres_tend_to_the_continuum(self):
        errors = [moreau.homogenize(centres(n).reshape(-1, 2), 1 / n, lambda x: np.sin(4 * x), cone="square",
                                    **BOX).relative_error for n in (8, 16, 32)]
        self.assertLess(errors[1], .7 * errors[0])
        self.assertLess(errors[2], .7 * errors[1])

    def test_the_law_is_that_of_impact(self):
        x = centres(6).reshape(-1, 2)
        h = moreau.homogenize(x, 1 / 6, "-x; -y + x", **BOX)
        r = moreau.impact(x, 1 / 6, h.U_tilde, h.volumes)
        np.testing.assert_allclose(h.u, r.u, atol=1e-6)
        np.testing.assert_array_equal(h.contacts, r.contacts)

    def test_spheres_outside_the_box_are_refused(self):
        with self.assertRaisesRegex(ValueError, "the zone"):
            moreau.homogenize([[5., 5.]], .1, "-x; -y", **BOX)


if __name__ == "__main__":
    unittest.main()
