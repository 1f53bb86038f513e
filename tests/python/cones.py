# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau.project and moreau.certify against closed forms, scipy and each other."""
import unittest

import numpy as np
import scipy.optimize
import scipy.sparse

import moreau


def random_problem(seed, m=15, n=10):
    rng = np.random.default_rng(seed)
    B = scipy.sparse.random(m, n, .4, format="csr", random_state=seed, data_rvs=rng.standard_normal)
    return B, rng.normal(size=n), rng.uniform(1, 2, n)


class Project(unittest.TestCase):
    def test_a_half_space(self):
        r = moreau.project([[3., 4.]], [3., 4.], b=[0.])
        np.testing.assert_allclose(r.u, 0., atol=1e-9)
        np.testing.assert_allclose(r.p, 1., atol=1e-9)

    def test_the_multiplier_is_that_of_non_negative_least_squares(self):
        for seed in range(5):
            B, U, masses = random_problem(seed)
            r = moreau.project(B, U, masses=masses)
            p, _ = scipy.optimize.nnls((B.toarray() / np.sqrt(masses)).T, np.sqrt(masses) * U)
            np.testing.assert_allclose(r.u, U - B.T @ p / masses, atol=1e-7)
            np.testing.assert_allclose(masses * (U - r.u), B.T @ r.p, atol=1e-9)
            self.assertTrue(r.converged)

    def test_a_polyhedron(self):
        r = moreau.project(np.eye(3), [2., .5, -1.], b=[1., 1., 1.])
        np.testing.assert_allclose(r.u, [1., .5, -1.], atol=1e-9)
        np.testing.assert_allclose(r.p, [1., 0., 0.], atol=1e-9)

    def test_an_empty_polyhedron_is_proved(self):
        r = moreau.project([[1.], [-1.]], [0.], b=[-1., -1.])  # v <= -1 and v >= 1
        self.assertEqual(r.status, "infeasible")
        self.assertAlmostEqual(r.p[0] - r.p[1], 0., delta=1e-9 * r.p[0])
        self.assertLess(-r.p.sum(), 0.)

    def test_formats_of_matrices_do_not_matter(self):
        B, U, masses = random_problem(7)
        expected = moreau.project(B, U, masses=masses).u
        unsorted = scipy.sparse.csr_matrix((B.data, B.indices, B.indptr), shape=B.shape)
        for k in range(B.shape[0]):
            row = slice(B.indptr[k], B.indptr[k + 1])
            unsorted.indices[row], unsorted.data[row] = B.indices[row][::-1].copy(), B.data[row][::-1].copy()
        half = B * .5
        twice = scipy.sparse.coo_matrix((np.tile(half.tocoo().data, 2), (np.tile(half.tocoo().row, 2),
                                                                         np.tile(half.tocoo().col, 2))), shape=B.shape)
        for other in (B.tocsc(), B.toarray(), B.tocoo(), twice, scipy.sparse.csr_array(B)):
            np.testing.assert_allclose(moreau.project(other, U, masses=masses).u, expected, atol=1e-12)

    def test_no_rows_leave_U(self):
        r = moreau.project(np.empty((0, 3)), [1., 2., 3.])
        np.testing.assert_array_equal(r.u, [1, 2, 3])
        self.assertEqual(r.p.shape, (0,))


class Certify(unittest.TestCase):
    def test_the_bound_holds_for_answers_that_are_wrong_in_any_way(self):
        for seed in range(20):
            B, U, masses = random_problem(seed, m=8, n=12)
            w = scipy.optimize.linprog(np.zeros(12), B.toarray(), -np.ones(8), bounds=(None, None)).x  # Bw <= -1
            exact = moreau.project(B, U, masses=masses, expansion=w, tolerance=1e-9)
            rng = np.random.default_rng(seed)
            for size in (1e-6, 1e-3, 1e-1, 1.):
                p = np.maximum(exact.p + size * rng.normal(size=8), 0.)
                u = exact.u + size * rng.normal(size=12)
                c = moreau.certify(B, U, u, p, masses=masses, expansion=w)
                self.assertTrue(c["guaranteed"])
                error = np.sqrt(masses @ (u - exact.u) ** 2) / c["scale"]
                self.assertLessEqual(error, c["relative_error_bound"] + 1e-7)

    def test_it_is_the_certificate_of_the_answer_itself(self):
        B, U, masses = random_problem(3)
        r = moreau.project(B, U, masses=masses)
        self.assertEqual(moreau.certify(B, U, r.u, r.p, masses=masses).keys(), r.certificate.keys())
        np.testing.assert_allclose(moreau.certify(B, U, r.u, r.p, masses=masses)["gap"], r.certificate["gap"], atol=1e-14)

    def test_impulses_of_spheres_are_certified_through_B(self):
        x = np.stack(np.meshgrid(np.arange(5.), np.arange(5.)), -1).reshape(-1, 2)
        U = np.random.default_rng(1).normal(size=x.shape)
        r = moreau.impact(x, .5, U)
        c = moreau.certify(r.B, U.ravel(), r.u.ravel(), r.p, masses=np.repeat(r.masses, 2),
                           expansion=(x - x.mean(0)).ravel())
        self.assertTrue(c["guaranteed"])
        self.assertLess(c["relative_error_bound"], 1e-6)

    def test_a_direction_that_is_inside_of_all_rows_is_found(self):
        for seed in range(10):
            B, U, masses = random_problem(seed, m=8, n=12)
            r = moreau.project(B, U, masses=masses)
            self.assertTrue(r.certificate["guaranteed"])
            c = moreau.certify(B, U, r.u + 1e-3, r.p, masses=masses)
            self.assertTrue(c["guaranteed"])
            self.assertLessEqual(1e-3 * np.sqrt(masses.sum()) / c["scale"], c["relative_error_bound"] + 1e-6)

    def test_rows_without_room_between_them_make_it_an_estimate(self):
        c = moreau.certify([[1.], [-1.]], [1.], [.5], [.5, 0.])
        self.assertFalse(c["guaranteed"])
        self.assertIsNone(c["relative_error_bound"])
        self.assertIn("error_estimate", c)


class RigidRows(unittest.TestCase):
    def test_what_a_self_stress_presses_is_rigid(self):
        rng = np.random.default_rng(3)
        pressed, others = rng.normal(size=(9, 12)), rng.normal(size=(6, 12))
        pressed[-1] = -rng.uniform(1., 2., 8) @ pressed[:-1]  # one positive combination is 0
        self.assertEqual(moreau.rigid_rows(np.vstack([others, pressed])).tolist(), 6 * [False] + 9 * [True])
        # linear programs say the same: the largest opening of each row
        B = np.vstack([others, pressed])
        for c, row in enumerate(B):
            opening = scipy.optimize.linprog(row, B, np.zeros(15), bounds=(-1., 1.))
            self.assertEqual(opening.fun < -1e-6, c < 6)

    def test_room_makes_free(self):
        B = scipy.sparse.csr_matrix([[1., 0.], [-1., 0.], [0., 1.]])
        self.assertEqual(moreau.rigid_rows(B).tolist(), [True, True, False])
        self.assertEqual(moreau.rigid_rows(B, [.1, 0., 0.]).tolist(), 3 * [False])
        self.assertEqual(moreau.rigid_rows(B, [0., 0., .1]).tolist(), [True, True, False])
        self.assertEqual(moreau.rigid_rows(np.zeros((0, 3))).tolist(), [])
        with self.assertRaisesRegex(ValueError, "b has entries below zero"):
            moreau.rigid_rows(B, [0., -.1, 0.])
        with self.assertRaisesRegex(RuntimeError, "cannot be decided"):
            moreau.rigid_rows([[0., 0.], [1., 0.]])

    def test_a_jammed_box(self):
        radius = .1
        i, j = np.meshgrid(np.arange(5), np.arange(4), indexing="ij")
        x = radius + 2. * radius * np.stack([i.ravel(), j.ravel()], -1)
        walls = [((1, 0), 0.), ((-1, 0), -1.), ((0, 1), 0.)]
        r = moreau.impact(x, radius, np.zeros_like(x), walls=walls)
        rows = np.abs(r.directions[:, 0]) > .5
        np.testing.assert_array_equal(moreau.rigid_rows(r.B), rows)  # rows between the walls, not the columns
        r = moreau.impact(x, radius, np.zeros_like(x), walls=[*walls, ((0, -1), -.8)])
        self.assertTrue(moreau.rigid_rows(r.B).all())


if __name__ == "__main__":
    unittest.main()
