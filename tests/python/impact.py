# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau.impact, find_contacts and random_packing: what the law says, and what arrays go in and out."""
import copy
import pickle
import threading
import unittest

import numpy as np

import moreau


def lattice(n, d=2):
    """n^d touching spheres of radius 1/2, and random velocities."""
    x = np.stack(np.meshgrid(*[np.arange(n)] * d, indexing="ij"), -1).reshape(-1, d).astype(float)
    return x, np.random.default_rng(1).normal(size=x.shape)


class PeriodicBoxes(unittest.TestCase):
    def test_contacts_cross_the_sides(self):
        x, _ = lattice(4)
        r = moreau.impact(x, .5, np.zeros_like(x), lower=[-.5, -.5], period=[4., 4.])
        self.assertEqual(len(r.contacts), 2 * len(x))
        across = r.displacements.any(axis=1)
        self.assertEqual(across.sum(), 8)
        np.testing.assert_allclose(np.abs(r.displacements[across]).sum(axis=1), 4.)
        i, j = r.contacts.T
        np.testing.assert_allclose(x[j] + r.displacements - x[i], r.directions, atol=1e-14)

    def test_a_squeezed_lattice_yields_along_the_other_axis_only(self):
        # D = diag(1, -1): rows along y cannot be squeezed by a mean gradient; along x they may part
        x, _ = lattice(4)
        with self.assertRaisesRegex(ValueError, "squeezed"):
            moreau.impact(x, .5, x @ np.diag([1., -1.]), lower=[-.5, -.5], period=[4., 4.], D=np.diag([1., -1.]))
        D = np.array([[1., 0.], [0., 0.]])
        r = moreau.impact(x, .5, x @ D.T, lower=[-.5, -.5], period=[4., 4.], D=D)
        np.testing.assert_allclose(r.u, x @ D.T, atol=1e-10)
        self.assertEqual(r.p.max(), 0.)

    def test_images_outside_of_the_box_are_the_same_spheres(self):
        x, U = lattice(4)
        D, box = np.array([[.5, 1.], [0., .5]]), dict(lower=[-.5, -.5], period=[4., 4.])
        inside = moreau.impact(x, .5, U + x @ D.T, D=D, **box)
        far = x + np.array([8., -4.])
        outside = moreau.impact(far, .5, U + far @ D.T, D=D, **box)
        np.testing.assert_allclose(outside.u - far @ D.T, inside.u - x @ D.T, atol=1e-9)
        self.assertGreater(inside.p.max(), .1)

    def test_a_mean_shear_of_a_packing_is_passed_on_where_contacts_cross(self):
        packing = moreau.random_packing([0, 0], [1, 1], 60, spread=.2, periodic=[True, True], coverage=.7)
        D = np.array([[0., 1.], [0., 0.]])
        r = moreau.impact(packing.x, packing.radii, packing.x @ D.T, lower=[0, 0], period=[1, 1], D=D, contact_tolerance=.05)
        i, j = r.contacts.T
        gap_speed = (r.directions * (r.u[j] + r.displacements @ D.T - r.u[i])).sum(axis=1)
        self.assertGreater(len(r.contacts), 20)
        self.assertGreaterEqual(gap_speed.min(), -1e-5)


class Accuracy(unittest.TestCase):
    def test_lines_end_where_their_error_is_estimated_to_be_small(self):
        n, radius = 64, .5 / 64
        i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        x = 2. * radius * np.stack([(i + .5 * (j % 2)).ravel(), (np.sqrt(.75) * j).ravel()], -1)
        U = np.stack([np.sin(3. * x[:, 1]) - x[:, 0], np.cos(5. * x[:, 0]) - x[:, 1]], -1)
        certified, quick = (moreau.impact(x, radius, U, accuracy=accuracy) for accuracy in (0., 1e-2))
        self.assertTrue(certified.certificate["guaranteed"])
        self.assertFalse(quick.certificate["guaranteed"])
        self.assertTrue(quick.converged)
        self.assertLess(quick.certificate["error_estimate"], 1e-2)
        difference = np.linalg.norm(quick.u - certified.u) / np.linalg.norm(U - U.mean(axis=0))
        self.assertGreater(difference, 1e-5)  # certified: 1e-6
        self.assertLess(difference, 2e-2)  # of the estimate

        # loose pairs form no lines: the tolerance counts
        pairs = moreau.impact(x[:2], radius, [[1., 0.], [0., 0.]], accuracy=1e-2)
        self.assertTrue(pairs.certificate["guaranteed"])


class OnDemand(unittest.TestCase):
    def test_arrays_are_made_once_and_kept_by_copies_and_pickles(self):
        x, U = lattice(4)
        for masses in (None, np.linspace(1., 2., len(x))):
            r = moreau.impact(x, .5, U, masses)
            for other in (copy.copy(r), copy.deepcopy(r), pickle.loads(pickle.dumps(r))):
                for name in ("u", "p", "contacts", "directions", "gaps", "displacements", "masses"):
                    np.testing.assert_array_equal(getattr(other, name), getattr(r, name))
                self.assertEqual(other.certificate, r.certificate)
                self.assertEqual((other.B != r.B).nnz, 0)
            self.assertIs(r.contacts, r.contacts)
            np.testing.assert_array_equal(r.masses, np.full(len(x), np.pi / 4) if masses is None else masses)
            self.assertEqual(r.displacements.shape, (len(r.p), 2))
            self.assertFalse(r.displacements.any())
            with self.assertRaises(AttributeError):
                r.contacts = None


class Law(unittest.TestCase):
    def test_inelastic_row_moves_as_a_block(self):
        r = moreau.impact([[0, 0], [1, 0], [2, 0]], .5, [[1., 0], [0, 0], [0, 0]], masses=1.)
        np.testing.assert_allclose(r.u, [[1 / 3, 0]] * 3, atol=1e-7)
        np.testing.assert_allclose(r.p, [2 / 3, 1 / 3], atol=1e-7)
        np.testing.assert_array_equal(r.contacts, [[0, 1], [1, 2]])
        self.assertTrue(r.converged and r.certificate["guaranteed"])
        self.assertLess(r.certificate["relative_error_bound"], 1e-6)

    def test_momentum_multipliers_and_cone_on_a_random_lattice(self):
        for d in (1, 2, 3):
            x, U = lattice(6, d)
            masses = np.random.default_rng(2).uniform(1, 2, len(x))
            r = moreau.impact(x, .5, U, masses)
            B, m = r.B, np.repeat(masses, d)
            np.testing.assert_allclose(m * (U - r.u).ravel(), B.T @ r.p, atol=1e-10)
            self.assertLess((B @ r.u.ravel()).max(), 1e-5)
            self.assertGreaterEqual(r.p.min(), 0.)
            self.assertEqual((r.u.shape, r.p.shape, r.contacts.shape), (U.shape, (len(r.contacts),), (len(r.p), 2)))

    def test_elastic_impact_conserves_energy(self):
        x, U = lattice(8)
        r = moreau.impact(x, .5, U, 1., restitution=1., max_repetitions=1)
        self.assertAlmostEqual((r.u**2).sum() / (U**2).sum(), 1., delta=1e-6)
        np.testing.assert_allclose(r.u, 2 * r.projected - U, atol=1e-9)
        self.assertGreater(r.approach, 0.)  # the law once leaves the cone
        self.assertAlmostEqual(r.approach, (r.B @ r.u.ravel()).max())
        self.assertEqual(moreau.impact(x, .5, U, 1., restitution=1.).approach, 0.)

    def test_walls_stop_and_push(self):
        floor = moreau.Wall(normal=[0, 2.], offset=0., velocity=[5., .5])  # twice the unit normal; along it 1/2
        r = moreau.impact([[0, .5]], .5, [[1., -1.]], walls=[floor])
        np.testing.assert_allclose(r.u, [[1., .5]], atol=1e-12)
        np.testing.assert_array_equal(r.contacts, [[0, 1]])
        np.testing.assert_allclose(r.directions, [[0, -1]])
        np.testing.assert_allclose(r.B.toarray(), [[0, -1]])  # down is towards the floor: Bv > 0

    def test_squeezed_spheres_are_named(self):
        walls = [([1, 0], 0., [1., 0], "left"), ([-1, 0], -2., [-1., 0], "right")]
        with self.assertRaisesRegex(ValueError, "spheres 0-1 are squeezed between the wall left and the wall right"):
            moreau.impact([[.5, 0], [1.5, 0]], .5, np.zeros((2, 2)), walls=walls)

    def test_every_solver_certifies_the_same(self):
        x, U = lattice(5)
        answers = {solver: moreau.impact(x, .5, U, solver=solver) for solver in moreau.solvers()}
        for solver, r in answers.items():
            self.assertTrue(r.converged, solver)
            np.testing.assert_allclose(r.u, answers["automatic"].u, atol=1e-4, err_msg=solver)

    def test_no_contact_leaves_the_velocity(self):
        r = moreau.impact([[0, 0], [3, 0]], .5, [[1., 0], [0, 0]])
        np.testing.assert_array_equal(r.u, [[1, 0], [0, 0]])
        self.assertEqual((r.p.shape, r.contacts.shape, r.directions.shape, r.B.shape), ((0,), (0, 2), (0, 2), (0, 4)))


class Contacts(unittest.TestCase):
    def test_given_contacts_are_those_that_are_found(self):
        x, U = lattice(7)
        found = moreau.find_contacts(x, .5)
        self.assertEqual(len(found.contacts), 2 * 7 * 6)
        a, b = moreau.impact(x, .5, U), moreau.impact(x, .5, U, contacts=found.contacts)
        np.testing.assert_array_equal(a.u, b.u)
        np.testing.assert_array_equal(a.p, b.p)

    def test_fewer_contacts_make_another_impact(self):
        r = moreau.impact([[0, 0], [1, 0], [2, 0]], .5, [[1., 0], [0, 0], [0, 0]], masses=1., contacts=[[0, 1]])
        np.testing.assert_allclose(r.u[:, 0], [.5, .5, 0.], atol=1e-7)

    def test_a_warm_start_ends_at_the_same_impulses_sooner(self):
        rng = np.random.default_rng(3)
        packing = moreau.random_packing([0, 0], [1, 1], n=300, periodic=[False, False])
        U = -packing.x + .5 + rng.normal(size=packing.x.shape) * .1
        cold = moreau.impact(packing.x, packing.radii, U, solver="projected gradient", contact_tolerance=1e-5)
        warm = moreau.impact(packing.x, packing.radii, U, contacts=cold.contacts, p_start=cold.p,
                             solver="projected gradient")
        self.assertLess(warm.iterations, cold.iterations)
        np.testing.assert_allclose(warm.u, cold.u, atol=1e-4)


class Arrays(unittest.TestCase):
    def test_layouts_and_types_do_not_matter(self):
        x, U = lattice(6)
        expected = moreau.impact(x, .5, U).u
        unaligned = np.zeros(8 * x.size + 1, np.uint8)[1:].view(np.float64).reshape(x.shape)
        unaligned[...] = x
        fixed = x.copy()
        fixed.flags.writeable = False
        for other in (np.asfortranarray(x), x.astype(int), x.astype(np.float32), x.astype(">f8"), x.tolist(),
                      np.repeat(x, 2, 0)[::2], unaligned, fixed):
            np.testing.assert_array_equal(moreau.impact(other, .5, U).u, expected)

    def test_arrays_without_dimensions_are_numbers(self):
        x, U = lattice(6)
        expected = moreau.impact(x, .5, U, 1., restitution=.5, max_repetitions=7)
        r = moreau.impact(x, np.array(.5), U, np.array(1), restitution=np.array(.5), max_repetitions=np.array(7))
        np.testing.assert_array_equal(r.u, expected.u)

    def test_normals_of_any_length_are_those_of_one_wall(self):
        for size in (1., 1e-200, 1e200, 3e-308):
            r = moreau.impact([[0., .5]], .5, [[0., -1.]], walls=[([0., size], 0.), ([size, 0.], -.5 * size)])
            np.testing.assert_array_equal(r.contacts, [[0, 1], [0, 2]])
            np.testing.assert_allclose(r.u, 0., atol=1e-12)

    def test_results_are_themselves_and_their_matrix_is_that_of_the_impact(self):
        r, s = (moreau.impact(*[lattice(6)[0], .5, lattice(6)[1]]) for _ in range(2))
        self.assertTrue(r == r and r != s and len({r, s}) == 2)
        B = r.B
        r.contacts[...] += 1
        r.directions[...] *= -1.
        self.assertEqual(abs(r.B - B).max(), 0.)
        self.assertEqual(abs(pickle.loads(pickle.dumps(s)).B - B).max(), 0.)

    def test_arguments_stay_as_they_are_and_results_outlive_them(self):
        x, U = lattice(6)
        before = x.copy(), U.copy()
        r = moreau.impact(x, .5, U)
        np.testing.assert_array_equal(x, before[0])
        np.testing.assert_array_equal(U, before[1])
        u, copy = r.u, r.u.copy()
        del r, x, U
        np.testing.assert_array_equal(u, copy)

    def test_results_are_handed_over_without_a_copy(self):
        r = moreau.impact(*[lattice(6)[0], .5, lattice(6)[1]])
        for array in (r.u, r.p, r.contacts, r.directions):
            self.assertFalse(array.flags.owndata)  # the memory is that of the C++ result
            self.assertTrue(array.flags.c_contiguous and array.flags.writeable)

    def test_other_threads_run_during_an_impact(self):
        """While one thread computes, others take turns: many more than could before and after it."""
        n = 80  # a triangular lattice with holes: some tenths of a second
        rng = np.random.default_rng(4)
        i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        x = np.stack([i + j % 2 * .5, j * np.sqrt(.75)], -1)[rng.random(n * n) < .9]
        U, counts, over = rng.normal(size=x.shape), [0], threading.Event()

        def count():
            while not over.is_set():
                counts[0] += 1
                over.wait(1e-4)

        counter = threading.Thread(target=count)
        counter.start()
        r = moreau.impact(x, .5, U)
        during = counts[0]
        over.set()
        counter.join()
        self.assertTrue(r.converged)
        self.assertGreater(during, 5)

    def test_threads_may_call_at_once(self):
        x, U = lattice(20)
        expected, found = moreau.impact(x, .5, U).u, [None] * 8

        def call(k):
            found[k] = moreau.impact(x, .5, U).u

        threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for u in found:
            np.testing.assert_array_equal(u, expected)


class Packings(unittest.TestCase):
    def test_a_packing_is_jammed_and_repeats(self):
        a, b = (moreau.random_packing([0, 0], [1, 1], n=50, seed=3) for _ in range(2))
        self.assertTrue(a.jammed)
        np.testing.assert_array_equal(a.x, b.x)
        self.assertGreater(moreau.find_contacts(a.x, a.radii, contact_tolerance=1e-6).smallest_gap, -1e-8)

    def test_what_cannot_be_reached_is_said(self):
        with self.assertRaisesRegex(ValueError, "coverage"):
            moreau.random_packing([0, 0], [1, 1], n=30, coverage=.95)


if __name__ == "__main__":
    unittest.main()
