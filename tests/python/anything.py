# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of any size in arrays of the right shape, and things that are no numbers at all: the answer is a result or one
sentence, never a crash. Memory may end where speeds of 1e300 m/s ask for it."""
import unittest

import numpy as np
import scipy.sparse

import moreau

X = np.array([[0., 0.], [1., 0.], [2., 0.]])
ODD = [None, 0, -1, 1.5, float("nan"), float("inf"), 10**400, 1e308, 1 + 2j, True, "x", b"x", [], [[]], [[1, 2], [3]], {},
       (1, 2), object(), range(3), X.T, X.astype(object), X.astype(">f8"), X[::-1, ::-1], np.full((3, 2), np.nan),
       np.array(3.), np.zeros((0, 2)), np.zeros((1, 1, 1)), np.broadcast_to(1., (3, 2)), scipy.sparse.eye(3),
       np.datetime64("2020"),
       lambda *arguments: None]
CALLS = {
    "impact": (moreau.impact, dict(x=X, radii=.5, U=X, masses=None, restitution=0., walls=(), contacts=[[0, 1]],
                                   tolerance=1e-6, contact_tolerance=1e-6, solver="automatic", max_repetitions=9,
                                   p_start=None)),
    "find_contacts": (moreau.find_contacts, dict(x=X, radii=.5, walls=[([0, 1], -.5)], contact_tolerance=1e-6)),
    "project": (moreau.project, dict(B=np.eye(3), U=[1., 2., 3.], b=None, masses=None, tolerance=1e-6, solver="automatic",
                                     expansion=None, p_start=None)),
    "certify": (moreau.certify, dict(B=np.eye(3), U=[1., 2., 3.], u=[0., 0., 0.], p=[1., 2., 3.], b=None, masses=None,
                                     expansion=None)),
    "Motion": (moreau.Motion, dict(x=X, radii=.5, u=None, masses=None, force=[0, -1.], walls=[([0, 1], -.5)], step=1e-2,
                                   restitution=0., scheme="linearised constraints", lower=None, period=None, tolerance=1e-6,
                                   position_tolerance=1e-8, solver="automatic")),
    "random_packing": (moreau.random_packing, dict(lower=[0, 0], upper=[1, 1], n=3, radius=0., coverage=0., spread=0.,
                                                   periodic=None, seed=1)),
}


class Anything(unittest.TestCase):
    def answer(self, function):
        try:
            return function()
        except ValueError as error:
            self.assertNotIn("\n", str(error))
            self.assertGreater(len(str(error)), 10)
        except MemoryError:
            pass
        return None

    def test_every_argument_may_be_anything(self):
        for name, (function, usual) in CALLS.items():
            n_answers = 0
            for argument in usual:
                for odd in ODD:
                    with self.subTest(function=name, argument=argument, odd=repr(odd)[:40]):
                        n_answers += self.answer(lambda: function(**{**usual, argument: odd})) is not None
            self.assertGreater(n_answers, 0, name)

    def test_numbers_of_any_size(self):
        rng, n_answers = np.random.default_rng(1), 0

        def numbers(*shape):
            return rng.normal(size=shape) * 10. ** rng.choice([0, 0, 0, 1, -8, 8, 150, -150, 300, -300])

        for k in range(100):
            m, n, spheres, d = rng.integers(0, 9), rng.integers(1, 9), rng.integers(1, 8), rng.integers(1, 4)
            B = scipy.sparse.random(m, n, .5, format="csr", random_state=k) * 10. ** rng.choice([0, -100, 100])
            masses = np.abs(numbers(n)) + 1e-300
            n_answers += self.answer(lambda: moreau.project(B, numbers(n), numbers(m), masses)) is not None
            n_answers += self.answer(lambda: moreau.certify(B, numbers(n), numbers(n), numbers(m), None, masses)) is not None
            x = np.round(rng.normal(size=(spheres, d)) * 3) * 10. ** rng.choice([0, 0, -100, 5])
            R = np.full(spheres, .5 * 10. ** rng.choice([0, 0, -100, 3]))
            walls = [(rng.normal(size=d), -5., numbers(d)) for _ in range(rng.integers(0, 3))]
            U = numbers(spheres, d)
            n_answers += self.answer(lambda: moreau.impact(x, R, U, restitution=rng.random(), walls=walls)) is not None
            n_answers += self.answer(lambda: moreau.Motion(x, R, U, force=numbers(d), step=.1).advance(.2)) is not None
        self.assertGreater(n_answers, 100)


if __name__ == "__main__":
    unittest.main()
