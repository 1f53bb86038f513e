# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau.Motion against closed forms."""
import unittest

import numpy as np

import moreau

GRAVITY = [0., -10.]
FLOOR = [([0., 1.], 0., None, "floor")]


class Motion(unittest.TestCase):
    def test_free_fall_and_rest(self):
        s = moreau.Motion([[0., 1.]], .5, force=GRAVITY, walls=FLOOR, step=1e-3)
        s.advance(.1)
        np.testing.assert_allclose(s.x, [[0., 1. - .05]], atol=1e-2)
        np.testing.assert_allclose(s.u, [[0., -1.]], atol=1e-9)
        s.advance(2.)
        np.testing.assert_allclose(s.x, [[0., .5]], atol=1e-7)
        np.testing.assert_array_equal(s.contacts, [[0, 1]])
        np.testing.assert_allclose(s.p / s.record["h"], s.masses * 10., rtol=1e-6)  # its weight
        np.testing.assert_allclose(s.wall_forces, [[0., -10. * s.masses[0]]], rtol=1e-6)
        self.assertEqual(s.not_converged, 0)
        self.assertAlmostEqual(s.t, 2.)

    def test_a_sphere_far_away_does_not_let_others_overlap(self):
        for far in 10., 1e8:
            x, u = [[0., 0.], [.1, 0.], [far, 0.]], [[1e-3, 0.], [-1e-3, 0.], [0., 0.]]
            s = moreau.Motion(x, .05, u, restitution=1., step=1e-6)
            s.advance(1e-4)
            np.testing.assert_allclose(s.u[:2], [[-1e-3, 0.], [1e-3, 0.]], atol=1e-8)
            self.assertLess(s.record["max_overlap"], 1e-8)

    def test_a_ball_bounces_to_its_height(self):
        s = moreau.Motion([[0., 1.5]], .5, force=GRAVITY, walls=FLOOR, step=1e-4, restitution=1.)
        s.advance(2 * np.sqrt(2 / 10.))
        np.testing.assert_allclose(s.x, [[0., 1.5]], atol=5e-3)

    def test_a_force_may_be_a_function(self):
        seen = []

        def spring(t, x, u):
            seen.append((t, x.shape, u.shape))
            return -x

        s = moreau.Motion([[1., 0.]], .1, force=spring, step=1e-3)
        s.advance(np.pi)
        np.testing.assert_allclose(s.x, [[-1., 0.]], atol=1e-2)
        self.assertTrue(all(shapes == ((1, 2), (1, 2)) for _, *shapes in seen for shapes in [tuple(shapes)]))

    def test_a_wall_that_moves_pushes(self):
        s = moreau.Motion([[0., .5]], .5, walls=[([0., 1.], 0., [0., 2.])], step=1e-2)
        s.advance(1.)
        np.testing.assert_allclose(s.x, [[0., 2.5]], atol=1e-6)
        np.testing.assert_allclose(s.u, [[0., 2.]], atol=1e-6)

    def test_what_becomes_of_arrays_later_changes_no_motion(self):
        gravity, velocity, masses, u = np.array([0., -10.]), np.array([0., 1.]), np.full(1, 2.), np.array([[1., 0.]])
        x, radii, points = np.array([[0., 1.]]), np.array([.5]), np.array([[9., 0.], [9., 1.]])
        s = moreau.Motion(x, radii, u, masses, force=gravity, walls=[([0., 1.], 0., velocity)],
                          obstacles=[moreau.Obstacle("capsule", points, .1)], step=1e-2)
        for array in (x, radii, u, masses, gravity, velocity, points):
            array[...] = np.nan
        s.advance(1.)
        np.testing.assert_allclose(s.x, [[1., 1.5]], atol=1e-6)  # on the wall
        np.testing.assert_allclose(s.wall_forces[0], [0., -20.], rtol=1e-6)

    def test_functions_may_write_to_one_array_again_and_again(self):
        def growing(t):
            return np.array([1. + t])

        def moving(t):
            return np.array([0., t])

        def into(array, function):
            def written(t):
                array[...] = function(t)
                return array
            return written

        def make(growth, translation):
            return moreau.Motion([[0., .5]], .5, growth=growth, restitution=.5, step=1e-2, force=GRAVITY,
                                 obstacles=[moreau.Obstacle("half-space", [[0., 0.], [0., 1.]], translation=translation)])

        a, b = make(growing, moving), make(into(np.empty(1), growing), into(np.empty(2), moving))
        for s in (a, b):
            s.advance(.1)
        np.testing.assert_equal(b.state(), a.state())

    def test_a_periodic_box_returns_what_leaves_it(self):
        s = moreau.Motion([[.5, 0.]], .1, u=[[1., 0.]], lower=[0., 0.], period=[1., 0.], step=.1)
        s.advance(1.7)
        np.testing.assert_allclose(s.x, [[.2, 0.]], atol=1e-12)

    def test_a_restored_motion_repeats_every_digit(self):
        x = np.stack(np.meshgrid(np.arange(4.), np.arange(4.) + .5), -1).reshape(-1, 2) * 1.01 + [0, .2]
        a, b = (moreau.Motion(x, .5, force=GRAVITY, walls=FLOOR, step=1e-2) for _ in range(2))
        a.advance(.5)
        state = a.state()
        before = a.contacts, a.record["h"]
        a.advance(1.)
        b.restore(state)
        np.testing.assert_array_equal(b.contacts, before[0])
        self.assertEqual(b.record["h"], before[1])
        b.advance(1.)
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_array_equal(a.u, b.u)
        self.assertGreater(len(a.contacts), 0)
        self.assertLess(a.record["max_overlap"], 1e-7)

    def test_a_turning_paddle_takes_a_disc_along(self):
        w, t = 1., .5
        paddle = moreau.Obstacle("capsule", [[0., 0.], [9., 0.]], .1, angle=lambda t: w * t)
        s = moreau.Motion([[1., .2]], .1, u=[[0., w]], obstacles=[paddle], step=1e-4)
        s.advance(t)
        along, across = np.array([np.cos(w * t), np.sin(w * t)]), np.array([-np.sin(w * t), np.cos(w * t)])
        self.assertAlmostEqual(float(s.x[0] @ across), .2, places=6)
        # along the paddle r'' = w^2 r, r(0) = 1, r'(0) = u.along + .2 w = .2 w: the centre is .2 beside the paddle's axis
        self.assertAlmostEqual(float(s.x[0] @ along), np.cosh(w * t) + .2 * np.sinh(w * t), places=3)
        np.testing.assert_array_equal(s.contacts, [[0, 1]])
        self.assertGreater(s.record["constraint_work"], 0.)

    def test_a_platform_that_shakes_carries_what_stands_on_it(self):
        a, w = .1, 5.  # a w^2 < g: it never leaves
        platform = moreau.Obstacle("half-space", [[0., 0.], [0., 2.]], translation=lambda t: [0., a * np.sin(w * t)])
        s = moreau.Motion([[0., .5]], .5, u=[[0., a * w]], force=GRAVITY, obstacles=[platform], step=1e-3)
        for t in (.3, 1., 2.):
            s.advance(t)
            np.testing.assert_allclose(s.x, [[0., .5 + a * np.sin(w * t)]], atol=1e-6)
            np.testing.assert_allclose(s.p / s.record["h"], s.masses * (10. - a * w * w * np.sin(w * t)), rtol=2e-2)

    def test_obstacles_of_all_shapes_hold(self):
        gravity = [0., 0., -10.]
        below = {"half-space": ([[0., 0., 0.], [0., 0., 1.]], 0.), "ball": ([[0., 0., -1.]], 1.),
                 "capsule": ([[-1., 0., -1.], [1., 0., -1.]], 1.),
                 "plate": ([[-1., -1., -.1], [3., -1., -.1], [-1., 3., -.1]], .1),
                 "inside of ball": ([[0., 0., 3.]], 3.), "inside of cylinder": ([[-1., 0., 3.], [1., 0., 3.]], 3.)}
        for shape, (points, radius) in below.items():
            with self.subTest(shape):
                s = moreau.Motion([[0., 0., .6]], .5, force=gravity, obstacles=[moreau.Obstacle(shape, points, radius)])
                s.advance(1.)
                np.testing.assert_allclose(s.x, [[0., 0., .5]], atol=1e-6)
                np.testing.assert_allclose(s.directions, [[0., 0., -1.]], atol=1e-6)

    def test_discs_that_grow_push_each_other_apart(self):
        s = moreau.Motion([[0., 0.], [1., 0.], [2., 0.]], .5, growth=lambda t: 1. + t, masses=1.)
        s.advance(1.)
        np.testing.assert_allclose(s.radii, 1.)
        np.testing.assert_allclose(s.x[:, 0], [-1., 1., 3.], atol=1e-6)
        uneven = moreau.Motion([[0., 0.], [1., 0.]], .5, growth=lambda t: [1., 1. + t], masses=[1., 1e9])
        uneven.advance(.5)
        np.testing.assert_allclose(uneven.radii, [.5, .75])
        np.testing.assert_allclose(uneven.x[:, 0], [-.25, 1.], atol=1e-6)

    def test_contacts_number_obstacles_behind_walls(self):
        s = moreau.Motion([[-1., .5], [1., .7]], .5, force=GRAVITY, walls=FLOOR,
                          obstacles=[moreau.Obstacle("ball", [[1., 0.]], .2)], step=1e-3)
        s.advance(.01)
        np.testing.assert_array_equal(s.contacts, [[0, 2], [1, 3]])

    def test_what_touches_slowly_does_not_rebound(self):
        for speed, after in ((1., 0.), (.1, .5)):
            s = moreau.Motion([[0., .5]], .5, u=[[0., -.5]], walls=FLOOR, restitution=1., resting_speed=speed)
            s.advance(.01)
            np.testing.assert_allclose(s.u, [[0., after]], atol=1e-9)

    def test_a_gluey_contact_holds_as_long_as_it_has_been_pressed(self):
        motion = moreau.Motion([[0., 1.]], .5, masses=2., force=lambda t, x, u: [0., -1. if t < 1. else 1.],
                               walls=[([0, 1], .5)], step=.01, contact_law="gluey")
        motion.advance(1.5)  # pressed for 1 s, pulled for half a second
        np.testing.assert_allclose(motion.u, 0., atol=1e-9)
        np.testing.assert_allclose(motion.gamma, [-1.], atol=1e-9)
        np.testing.assert_allclose(motion.p, [-.02], atol=1e-9)
        motion.advance(2.5)
        np.testing.assert_allclose(motion.u, [[0., .5]], atol=1e-9)
        self.assertEqual(len(motion.contacts), 0)

    def test_both_schemes_keep_spheres_apart(self):
        x = np.array([[0., .5], [.3, 1.6], [-.4, 2.8]])
        for scheme in ("linearised constraints", "catching-up"):
            s = moreau.Motion(x, .5, force=GRAVITY, walls=FLOOR, step=1e-2, scheme=scheme)
            s.advance(2.)
            self.assertGreater(moreau.find_contacts(s.x, s.radii, FLOOR).smallest_gap, -1e-6)


if __name__ == "__main__":
    unittest.main()
