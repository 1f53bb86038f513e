# SPDX-License-Identifier: GPL-3.0-or-later
"""Discs fall into a box, step by step, under gravity and a drag that is a function."""
import numpy as np

import moreau

g = np.stack(np.meshgrid(np.arange(8.) + .6, np.arange(8.) + .6), -1).reshape(-1, 2)
x = g * [1.2, 1.1] + np.random.default_rng(1).uniform(-.04, .04, g.shape)
walls = [moreau.Wall([0, 1], 0., name="floor"), moreau.Wall([1, 0], 0., name="left"),
         moreau.Wall([-1, 0], -11., name="right")]

s = moreau.Motion(x, .5, masses=1., force=lambda t, x, u: np.array([0., -9.81]) - .5 * u, walls=walls, step=5e-3)
for t in (1., 2., 4.):
    s.advance(t)
    print(f"t = {s.t:g} s: {len(s.contacts)} pressed contacts, fastest {np.abs(s.u).max():.3f} m/s, "
          f"overlap {s.record['max_overlap']:.0e} of a radius")
on_floor = s.p[s.contacts[:, 1] == len(x)].sum() / s.record["h"]
print(f"on the floor: {on_floor:.0f} N of {9.81 * len(x):.0f} N")
assert s.not_converged == 0 and s.record["max_overlap"] < 1e-7 and .5 < on_floor / (9.81 * len(x)) < 1.5
