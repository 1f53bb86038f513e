# SPDX-License-Identifier: GPL-3.0-or-later
"""What users of other programs struggle with, and doc/complaints.md says of it, where no parameter file shows it."""
import pathlib
import unittest

import numpy as np

import moreau

DATA = pathlib.Path(__file__).resolve().parents[2] / "prm/data"


class Complaints(unittest.TestCase):
    def test_a_pile_needs_as_much_for_any_ratio_of_masses(self):
        table = np.genfromtxt(DATA / "mass_ratio.csv", delimiter=",", names=True, skip_header=1)
        x, heavy = np.stack([table["x"], table["y"]], -1), table["mass"] > 1.
        walls, first = [([0, 1], 0.), ([1, 0], 0.), ([-1, 0], -5.)], []
        for k in range(7):
            masses = np.where(heavy, 10.**k, 1.)
            s = moreau.Motion(x, .5, masses=masses, force=[0., -9.81], walls=walls, step=1e-3)
            iterations = []
            for n in range(1, 101):
                s.advance(1e-3 * n)
                iterations.append(s.record["iterations"])
                self.assertLessEqual(s.record["max_overlap"], 1e-8)
            on_floor = s.p[s.contacts[:, 1] == len(x)].sum() / s.record["h"]
            self.assertAlmostEqual(on_floor / (9.81 * masses.sum()), 1., delta=1e-6)
            self.assertLessEqual(max(iterations[1:]), 2)
            np.testing.assert_allclose(s.x, x, atol=1e-8)
            first.append(iterations[0])
        self.assertLessEqual(max(first), 2 * min(first))

    def test_a_cone_that_is_a_point_is_not_called_infeasible(self):
        random = np.random.default_rng(0)
        for _ in range(20):
            rows = random.normal(size=(40, 5))
            rows /= np.linalg.norm(rows, axis=1)[:, None]
            r = moreau.project(rows, np.ones(5))
            self.assertEqual(r.status, "converged")
            np.testing.assert_allclose(r.u, 0., atol=1e-12)
            self.assertLess(abs(np.ones(5) - rows.T @ r.p).max(), 1e-12)
            self.assertGreaterEqual(r.p.min(), 0.)
            # and where nothing satisfies the rows that is said, with a proof: B^T p = 0, p >= 0, b.p < 0
            empty = moreau.project(rows, np.ones(5), b=-np.ones(40))
            self.assertEqual(empty.status, "infeasible")
            self.assertLess(abs(rows.T @ empty.p).max(), 1e-12 * empty.p.sum())
            self.assertLess(-empty.p.sum(), 0.)

    def test_iterations_do_not_grow_with_a_block_that_falls(self):
        most = []
        for n in (3, 6, 9):
            x = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3) * 1.01 + [0, 0, 2.5]
            s, iterations = moreau.Motion(x, .5, force=[0, 0, -9.81], walls=[([0, 0, 1], 0.)], step=1e-2), []
            for k in range(1, 121):
                s.advance(1e-2 * k)
                iterations.append(s.record["iterations"])
            self.assertGreaterEqual(len(s.contacts), n**3)
            self.assertEqual(s.not_converged, 0)
            most.append(max(iterations))
        self.assertLessEqual(most[-1], most[0] + 1)


if __name__ == "__main__":
    unittest.main()
