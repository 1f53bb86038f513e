# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C ends calls that would take minutes or hours; what stands is no answer, and nothing is broken."""
import os
import signal
import threading
import time
import unittest

import numpy as np

import moreau

N = 1000  # spheres along a side of a lattice: the projection would take half an hour, ctest's time limit ends a call that waits
X = np.array([(i + .5 * (j % 2), j * np.sqrt(.75)) for j in range(N) for i in range(N)])
SHEAR = "sin(7*x + y); cos(5*x - 9*y)"
U = np.random.default_rng(1).normal(size=X.shape)


class Interrupts(unittest.TestCase):
    def interrupted(self, function, *arguments, **named):
        timer = threading.Timer(1., os.kill, (os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            function(*arguments, **named)
        self.assertLess(time.monotonic() - begin, 30.)  # a second or two, where the machine does nothing else
        self.assertFalse(timer.is_alive())  # it was no mistake of the call that ended it

    def test_impacts(self):
        self.interrupted(moreau.impact, X, .5, U)

    def test_projections(self):
        B = moreau.impact(X[:N * N // 4], .5, -X[:N * N // 4] * 0., masses=1.).B
        self.interrupted(moreau.project, B, U.ravel()[:B.shape[1]])

    def test_projections_by_a_dense_solver(self):
        B = moreau.impact(X[:5000], .5, np.zeros((5000, 2)), masses=1.).B
        self.interrupted(moreau.project, B, U.ravel()[:B.shape[1]], solver="Lawson-Hanson")

    def test_motions_stand_where_their_last_step_ended(self):
        part, u = X[:N * N // 4], U[:N * N // 4]
        motion = moreau.Motion(part, .5, u, masses=1., force=[0., -1.], step=1e-2)
        self.interrupted(motion.advance, 1.)
        self.assertEqual(motion.t, 1e-2 * motion.record["step"])
        if motion.t == 0.:
            np.testing.assert_array_equal(motion.x, part)
            np.testing.assert_array_equal(motion.u, u)

    def test_the_continuum(self):
        self.interrupted(moreau.macro_impact, SHEAR, cone="triangular", cells=500, tolerance=1e-12,
                         solver="projected gradient")

    def test_homogenization(self):
        part = X[:N * N // 2] / (1.5 * N + 1.) + .5 / (1.5 * N + 1.)
        self.interrupted(moreau.homogenize, part, .5 / (1.5 * N + 1.), SHEAR, cone="triangular", cells=100)

    def test_packings(self):
        self.interrupted(moreau.random_packing, [0, 0], [1, 1], n=200000, periodic=[True, True])

    def test_the_next_call_knows_nothing_of_it(self):
        self.interrupted(moreau.random_packing, [0, 0, 0], [1, 1, 1], n=50000)
        self.assertTrue(moreau.impact([[0, 0], [1, 0]], .5, [[1., 0.], [0., 0.]]).converged)


if __name__ == "__main__":
    unittest.main()
