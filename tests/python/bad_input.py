# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad arguments raise ValueError with one sentence that names the argument; nothing crashes."""
import copy
import pickle
import threading
import unittest
import weakref

import numpy as np
import scipy.sparse

import moreau

X, R, U = np.array([[0., 0.], [1., 0.], [2., 0.]]), np.full(3, .5), np.zeros((3, 2))
NAN = np.array([[0., 0.], [np.nan, 0.], [2., 0.]])
B, V = scipy.sparse.identity(3, format="csr"), np.ones(3)


def broken_csr():
    matrix = scipy.sparse.identity(3, format="csr")
    matrix.indices[1] = 99
    return matrix


def rows_beyond_entries(*starts):
    matrix = scipy.sparse.csr_matrix([[1., -1., 0.], [0., 1., -1.], [0., 0., 1.]])
    matrix.indptr = np.array(starts, dtype=np.int32)
    return matrix


def raising_force(t, x, u):
    raise KeyError("of the caller")


IMPACT = {  # arguments that differ from impact(X, R, U), and words of the sentence
    "x of a wrong shape": (dict(x=[0., 1., 2.]), "x has shape (3,)"),
    "x in four dimensions": (dict(x=np.zeros((3, 4)), U=np.zeros((3, 4))), "dimension 1, 2 or 3"),
    "x without rows": (dict(x=np.zeros((0, 2)), radii=[], U=np.zeros((0, 2))), "no sphere"),
    "x of ragged rows": (dict(x=[[0., 0.], [1.]]), "rows differ in length"),
    "x of text": (dict(x=[["a", "b"]]), "real numbers"),
    "x complex": (dict(x=X + 1j), "complex128"),
    "x of objects": (dict(x=np.array([[None, 1.]] * 3)), "object"),
    "x masked": (dict(x=np.ma.masked_array(X, X > 1.)), "x has entries that are masked"),
    "x a generator": (dict(x=(row for row in X)), "x is <generator object"),
    "U nothing": (dict(U=None), "U is None, but it must be an array of numbers"),
    "radius masked": (dict(radii=np.ma.masked), "radii is masked"),
    "rows masked": (dict(x=[[0., 0.], np.ma.masked_array([1., 0.], [True, False]), [2., 0.]]), "x has entries that are masked"),
    "contacts masked": (dict(contacts=np.ma.masked_array([[0, 1]], [[True, False]])), "contacts has entries that are masked"),
    "x not finite": (dict(x=NAN), "x[1, 0] is nan"),
    "radii too few": (dict(radii=[.5, .5]), "radii has shape (2,)"),
    "radius negative": (dict(radii=[.5, -.5, .5]), "radii[1] is -0.5"),
    "one radius negative": (dict(radii=-1.), "radii is -1"),
    "radius of text": (dict(radii="large"), "radii is 'large'"),
    "U transposed": (dict(U=U.T), "U has shape (2, 3), but it must have shape (3, 2)"),
    "U not finite": (dict(U=U + np.inf), "U[0, 0] is inf"),
    "mass zero": (dict(masses=[1., 0., 1.]), "masses[1] is 0.0"),
    "period without lower": (dict(period=[9., 9.]), "lower and period belong together"),
    "period negative": (dict(lower=[0., 0.], period=[9., -9.]), "period has a negative entry"),
    "period that is rounded away": (dict(lower=[-.5, 0.], period=[1e-300, 0.]), "period[0] is 1e-300 and lower[0] is -0.5"),
    "box too small": (dict(lower=[0., 0.], period=[2.5, 0.]), "period"),
    "D without period": (dict(D=np.eye(2)), "D needs a box that repeats itself"),
    "D of a wrong shape": (dict(lower=[0., 0.], period=[9., 9.], D=[1., 0.]), "D has shape (2,)"),
    "D that moves a wall": (dict(lower=[0., 0.], period=[9., 0.], D=[[0., 0.], [1., 0.]], walls=[([0., 1.], -9.)]), "D moves walls[0]"),
    "wall across a period": (dict(lower=[0., 0.], period=[9., 9.], walls=[([1., 0.], -9.)]), "walls[0] stands across axis 0"),
    "contacts across a period": (dict(lower=[0., 0.], period=[9., 9.], contacts=[[0, 1]]), "exclude each other"),
    "restitution": (dict(restitution=1.5), "restitution is 1.5, but it must lie in [0, 1]"),
    "restitution nan": (dict(restitution=float("nan")), "restitution is nan"),
    "tolerance": (dict(tolerance=0.), "tolerance is 0, but it must lie in (0, 0.999]"),
    "accuracy": (dict(accuracy=1.), "accuracy is 1, but it must lie in [0, 0.999]"),
    "accuracy of another solver": (dict(accuracy=1e-3, solver="interior point"), "accuracy is for solver 'automatic' and 'lines'"),
    "tolerance beyond all numbers": (dict(tolerance=10**400), "tolerance is inf"),
    "tolerance an array": (dict(tolerance=np.zeros((9, 9))), "tolerance is array"),
    "solver an array": (dict(solver=np.zeros(3)), "solver is array"),
    "tolerance of text": (dict(tolerance="small"), "tolerance is 'small'"),
    "overlap": (dict(radii=.6), "Spheres 0 and 1 overlap by 0.2 m"),
    "solver": (dict(solver="magic"), "solver is 'magic', but it can be: automatic"),
    "repetitions": (dict(max_repetitions=0), "max_repetitions is 0"),
    "repetitions not whole": (dict(max_repetitions=2.5), "whole number"),
    "walls no list": (dict(walls=moreau.Wall([1, 0], 0.)), "walls must be a list"),
    "wall without offset": (dict(walls=[([1, 0],)]), "walls[0]"),
    "wall a dict": (dict(walls=[{"normal": [0, 1], "offset": -9.}]), "walls[0] is {'normal': [0, 1], 'offset': -9.0}"),
    "wall of text": (dict(walls=["ab"]), "walls[0] is 'ab'"),
    "wall at no number": (dict(walls=[([0, 1e-300], -1e300)]), "walls[0].offset / |normal| is -inf"),
    "wall's name of two lines": (dict(walls=[([1, 0], .2, None, "a\nb\0c\ud800")]), "reaches into the wall 'a?b?c?'"),
    "wall without normal": (dict(walls=[([0, 0], 0.)]), "walls[0].normal is zero"),
    "wall of another dimension": (dict(walls=[([1, 0, 0], 0.)]), "walls[0].normal has shape (3,)"),
    "sphere in a wall": (dict(walls=[([1, 0], 0.2, None, "left")]), "reaches into the wall 'left'"),
    "contacts unsorted": (dict(contacts=[[1, 2], [0, 1]]), "sort contacts"),
    "contacts twice": (dict(contacts=[[0, 1], [0, 1]]), "each of them once"),
    "contact reversed": (dict(contacts=[[1, 0]]), "0 <= i < j"),
    "contact out of range": (dict(contacts=[[0, 3]]), "3 spheres and 0 walls"),
    "contact negative": (dict(contacts=[[-1, 0]]), "number spheres from 0"),
    "contact too large": (dict(contacts=[[0, 2**40]]), "number spheres from 0"),
    "contacts of another shape": (dict(contacts=[0, 1, 2]), "shape (m, 2)"),
    "contacts not whole": (dict(contacts=[[0., 1.]]), "whole numbers"),
    "contact of coinciding centres": (dict(x=np.zeros((3, 2)), contacts=[[0, 1]]), "coincide"),
    "start without contacts": (dict(p_start=[0., 0.]), "p_start needs contacts"),
    "start too short": (dict(contacts=[[0, 1], [1, 2]], p_start=[0.]), "p_start has shape (1,)"),
}
PROJECT = {  # of project(B, V)
    "U too short": (dict(U=[1.]), "U has shape (1,)"),
    "b too long": (dict(b=np.zeros(4)), "b has shape (4,)"),
    "b not finite": (dict(b=[0., np.nan, 0.]), "b[1] is nan"),
    "mass negative": (dict(masses=[1., 1., -1.]), "masses[2]"),
    "B of text": (dict(B=[["a"]]), "B holds"),
    "B complex": (dict(B=B * 1j), "B holds complex128"),
    "B not finite": (dict(B=B * np.nan), "B holds an entry that is not finite"),
    "B a vector": (dict(B=[1., 2., 3.]), "B has shape (3,)"),
    "B broken": (dict(B=broken_csr()), "no valid CSR matrix"),
    "B with rows beyond its entries": (dict(B=rows_beyond_entries(0, 9, 4, 5)), "no valid CSR matrix"),
    "B with rows that go back": (dict(B=rows_beyond_entries(0, 4, 3, 5)), "no valid CSR matrix"),
    "B without columns": (dict(B=np.empty((2, 0)), U=[]), "no column"),
    "expansion too short": (dict(expansion=[1.]), "expansion has shape (1,)"),
    "start too short": (dict(p_start=[1.]), "p_start has shape (1,)"),
    "solver": (dict(solver=None), "solver is None"),
    "solver of contacts": (dict(solver="lines"), "lines are made of contacts between bodies"),
}
MOTION = {  # of Motion(X, R)
    "u of another shape": (dict(u=[1., 2.]), "u has shape (2,)"),
    "force of another length": (dict(force=[0., 0., -9.81]), "force has shape (3,)"),
    "step": (dict(step=-1.), "step is -1"),
    "scheme": (dict(scheme="leapfrog"), "linearised constraints, catching-up"),
    "contact law": (dict(contact_law="sticky"), "dry, gluey"),
    "gluey rebound": (dict(contact_law="gluey", restitution=.5), "'gluey' is made for"),
    "period alone": (dict(period=[3., 0.]), "lower and period belong together"),
    "period negative": (dict(lower=[0., 0.], period=[-3., 0.]), "period has a negative entry"),
    "overlap": (dict(radii=.6), "overlap"),
    "obstacles no list": (dict(obstacles=moreau.Obstacle("ball", [[9, 9]], 1.)), "obstacles must be a list"),
    "obstacle a number": (dict(obstacles=[5]), "obstacles[0] is 5"),
    "obstacle a dict": (dict(obstacles=[{"shape": "ball", "points": [[9, 9]]}]), "obstacles[0] is {'shape': 'ball'"),
    "shape": (dict(obstacles=[moreau.Obstacle("cube", [[9, 9]], 1.)]), "obstacles[0].shape is 'cube', but it can be: half"),
    "points of a capsule": (dict(obstacles=[("capsule", [[9, 9]], 1.)]), "a capsule is given by POINT POINT RADIUS; give 2"),
    "points in space": (dict(obstacles=[("ball", [[9, 9, 9]], 1.)]), "obstacles[0].points has shape (1, 3)"),
    "radius of an obstacle": (dict(obstacles=[("ball", [[9, 9]], -1.)]), "obstacles[0].radius is -1"),
    "radius of a half-space": (dict(obstacles=[("half-space", [[9, 9], [0, 1]], 1.)]), "has none"),
    "no normal": (dict(obstacles=[("half-space", [[9, -9], [0, 0]])]), "normal"),
    "a plate in the plane": (dict(obstacles=[("plate", [[9, 9], [9, 8], [8, 9]], 1.)]), "dimension 3"),
    "translation no function": (dict(obstacles=[("ball", [[9, 9]], 1., [0, 1])]), "obstacles[0].translation is [0, 1]"),
    "translation in space": (dict(obstacles=[("ball", [[9, 9]], 1., lambda t: [0, 0, t])]), "translation(0) has shape (3,)"),
    "angle not finite": (dict(obstacles=[("ball", [[9, 9]], 1., None, lambda t: t + np.nan)]), "angle(0) is nan"),
    "axis in the plane": (dict(obstacles=[("ball", [[9, 9]], 1., None, np.sin, None, [0, 0, 1])]), "axis is for"),
    "sphere in an obstacle": (dict(obstacles=[("ball", [[0, 0]], 1., None, None, None, None, "pole")]), "into ball pole by"),
    "growth no function": (dict(growth=2.), "growth is 2.0, but it must be a function of t"),
    "growth at time 0": (dict(growth=lambda t: 2.), "growth(0) is 2 for sphere 0"),
    "growth of two": (dict(growth=lambda t: [1., 1.]), "growth(0) has shape (2,)"),
    "growth below 0": (dict(growth=lambda t: -1.), "growth(0)[0] is -1.0, but it must be positive"),
    "resting speed": (dict(resting_speed=-1.), "resting_speed is -1"),
    "restitution of scheme B": (dict(restitution=.5, scheme="catching-up"), "restitution"),
}


class OneSentence(unittest.TestCase):
    def complain(self, function, usual, cases):
        for name, (changed, words) in cases.items():
            with self.subTest(name):
                with self.assertRaises(ValueError) as caught:
                    function(**{**usual, **changed})
                sentence = str(caught.exception)
                self.assertIn(words, sentence)
                self.assertNotIn("\n", sentence)
                self.assertTrue(sentence.endswith("."), sentence)

    def test_impact(self):
        self.complain(moreau.impact, dict(x=X, radii=R, U=U), IMPACT)

    def test_project(self):
        self.complain(moreau.project, dict(B=B, U=V), PROJECT)

    def test_certify(self):
        others = ("start too short", "solver", "solver of contacts", "B without columns")
        cases = {name: case for name, case in PROJECT.items() if name not in others}
        self.complain(moreau.certify, dict(B=B, U=V, u=V, p=V), cases)
        self.complain(moreau.certify, dict(B=B, U=V, u=V, p=V), {"u": (dict(u=[1.]), "u has shape"),
                                                                  "p": (dict(p=[[1.]]), "p has shape")})

    def test_motion(self):
        self.complain(moreau.Motion, dict(x=X, radii=R), MOTION)

    def test_packing(self):
        self.complain(moreau.random_packing, dict(lower=[0, 0], upper=[1, 1], n=5), {
            "no size": (dict(n=0), "n and radius"), "corners": (dict(upper=[1, 1, 1]), "corners"),
            "empty box": (dict(upper=[0, 1]), "corner"), "n": (dict(n=-1), "n is -1"),
            "periodic": (dict(periodic=[True]), "periodic is [True]"),
            "periodic in words": (dict(periodic=["no", "yes"]), "periodic[0] is 'no', but it must be True or False"),
            "compression in words": (dict(compression="no"), "compression is 'no', but it must be True or False")})

    def test_fields_return_real_numbers(self):
        for returned, words in ((lambda x: 1j * x, "complex128"), (lambda x: x.astype(str), "real numbers"),
                                (lambda x: x.astype(object), "holds object"), (lambda x: None, "What U returns is None"),
                                (lambda x: np.ma.masked_array(x, x > .5), "masked"), (lambda x: x[:, 0], r"shape \(\d+, 2\)")):
            with self.assertRaisesRegex(ValueError, words):
                moreau.macro_impact(returned, cells=4)
        with self.assertRaisesRegex(ValueError, r"zone must return an array of shape \(\d+,\)"):
            moreau.macro_impact("-x; -y", lambda x: 1., cells=4)
        with self.assertRaisesRegex(ValueError, r"U has shape \(8, 8, 1\), but it must have shape \(n, m, 2\)"):
            moreau.macro_impact(np.zeros((8, 8, 1)), cells=4)
        for text in ("-x; -y\0", "-x; \ud800"):
            with self.assertRaisesRegex(ValueError, "U is .* that can be printed"):
                moreau.macro_impact(text, cells=4)
        admissible = moreau.macro_impact(lambda x: x, lambda x: x[:, 0] < .5, cells=4)  # truth values are densities
        self.assertEqual(admissible.method, "none, U is admissible")


class Steps(unittest.TestCase):
    def test_time_does_not_go_back(self):
        motion = moreau.Motion(X, R)
        motion.advance(.01)
        for t in (.01, 0., float("nan"), float("inf"), 1e300):
            self.assertRaises(ValueError, motion.advance, t)

    def test_what_a_force_raises_is_raised(self):
        motion = moreau.Motion(X, R, force=raising_force)
        with self.assertRaisesRegex(KeyError, "of the caller"):
            motion.advance(.01)

    def test_what_functions_of_time_return_is_looked_at_on_the_way(self):
        away = [[99., 0.]]
        for arguments, words in (
                (dict(growth=lambda t: 1. - 150. * t), r"growth\(0.01\)\[0\] is -0.5"),
                (dict(growth=lambda t: float("nan") if t > 0 else 1.), r"growth\(0.001\) is nan"),
                (dict(obstacles=[("ball", away, 1., lambda t: [0., t / (1. - (t > 0))])]), "division by zero"),
                (dict(obstacles=[("ball", away, 1., None, lambda t: None if t > 0 else 0.)]), r"angle\(0.001\) is None")):
            motion = moreau.Motion(X, R, step=.01 if "0.01" in words else .001, **arguments)
            with self.assertRaisesRegex((ValueError, ZeroDivisionError), words):
                motion.advance(.02)

    def test_radii_that_have_no_room_left_end_the_motion_with_a_sentence(self):
        motion = moreau.Motion(X, R, growth=lambda t: 1. + t, walls=[([1, 0], -.5), ([-1, 0], -2.5)])
        with self.assertRaisesRegex(ValueError, "growth|room|radii"):
            motion.advance(1.)

    def test_a_step_whose_force_raises_has_not_been(self):
        def force(t, x, u):
            calls.append(t)
            if len(calls) == bad:
                raise KeyError("of the caller")
            return -x - .1 * u

        def make():  # a ball between others and a plate that moves
            return moreau.Motion(X, R, U + [[1., 0.], [0., 0.], [0., 0.]], force=force, step=.01, restitution=.5,
                                 walls=[([0., 1.], -.5, [0., .3])])

        bad, calls = 0, []
        good = make()
        good.advance(.01)
        state, at_once, n = good.state(), good, len(calls)
        good.advance(.02)
        n_calls, after = len(calls) - n, at_once.state()
        self.assertGreater(n_calls, 5)
        for k in range(1, n_calls + 1):
            motion, bad, calls = make(), 0, []
            motion.advance(.01)
            before, bad, calls = [motion.state(), motion.x, motion.radii, motion.contacts, motion.wall_forces], k, []
            self.assertRaises(KeyError, motion.advance, .02)
            for one, two in zip(before, [motion.state(), motion.x, motion.radii, motion.contacts, motion.wall_forces]):
                np.testing.assert_equal(one, two)
            np.testing.assert_equal(motion.state(), state)
            bad = 0
            motion.advance(.02)
            np.testing.assert_equal(motion.state(), after)

    def test_a_motion_is_one_thing_with_the_attributes_it_has(self):
        motion = moreau.Motion(X, R)
        for function in (copy.copy, copy.deepcopy, pickle.dumps):  # a copy that moved with it would be none
            with self.assertRaisesRegex(TypeError, "make another one with the same arguments, and let it restore"):
                function(motion)
        for name in ("restitution", "force", "x", "t"):
            with self.assertRaises(AttributeError):
                setattr(motion, name, 0.)
        self.assertIs(weakref.ref(motion)(), motion)

    def test_a_force_of_another_shape_or_no_numbers_is_refused(self):
        for value, error in ((np.zeros(5), ValueError), (np.full((3, 2), np.nan), ValueError),
                             (np.zeros((3, 2)) + 1j, ValueError), (np.ma.masked_array(np.zeros((3, 2)), True), ValueError),
                             ("up", (ValueError, TypeError)), (None, (ValueError, TypeError))):
            motion = moreau.Motion(X, R, force=lambda t, x, u, value=value: value)
            self.assertRaises(error, motion.advance, .01)

    def test_nobody_looks_at_a_motion_that_advances(self):
        for look in (lambda s: s.x, lambda s: s.advance(1.), lambda s: s.state(), lambda s: s.contacts, lambda s: s.t):
            motion = None
            motion = moreau.Motion(X, R, force=lambda t, x, u: look(motion))
            with self.assertRaisesRegex(RuntimeError, "being advanced"):
                motion.advance(.01)
            self.assertEqual(motion.t, 0.)

    def test_threads_that_share_a_motion_crash_nothing(self):
        motion, complaints = moreau.Motion(X, R, force=[0., -1.], step=1e-4), []

        def advance(k):
            for n in range(20):
                try:
                    motion.advance(motion.t + 1e-3)
                    motion.x
                except (RuntimeError, ValueError) as error:
                    complaints.append(str(error))

        threads = [threading.Thread(target=advance, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertGreater(motion.t, 0.)
        for complaint in complaints:
            self.assertRegex(complaint, "being advanced|already")

    def test_a_foreign_state_is_refused(self):
        motion = moreau.Motion(X, R)
        for state in ({}, {"q": np.zeros(3)}, None, moreau.Motion(X[:2], R[:2]).state()):
            self.assertRaises(ValueError, motion.restore, state)
        state = motion.state()
        for name, value in (("time", np.zeros(0)), ("step", np.zeros(0, np.int64)), ("R", -state["R"]),
                            ("r", state["r"][None]), ("R", np.ma.masked_array(state["R"], True))):
            self.assertRaises(ValueError, motion.restore, {**state, name: value})
            np.testing.assert_array_equal(motion.state()["r"], state["r"])  # nothing was taken of it
        for other, name in ((moreau.Motion(X, .9 * R), "radii"), (moreau.Motion(X, R, masses=2.), "masses")):
            with self.assertRaisesRegex(ValueError, f"state\\['given_{name}'\\] differs from what this motion was made with"):
                other.restore(state)
        growing = [moreau.Motion(X, R, growth=lambda t: 1. + t / 100.) for _ in range(2)]
        growing[0].advance(.01)
        growing[1].restore(growing[0].state())  # radii that grow belong to the state
        np.testing.assert_array_equal(growing[1].radii, growing[0].radii)


if __name__ == "__main__":
    unittest.main()
