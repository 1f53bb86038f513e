# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of three equal discs is struck at its end: without restitution it leaves as one block."""
import numpy as np

import moreau

r = moreau.impact(x=[[0, 0], [1, 0], [2, 0]], radii=.5, U=[[1., 0], [0, 0], [0, 0]], masses=1.)
print(r)
print("u =", r.u[:, 0], "p =", r.p, "relative error <=", r.certificate["relative_error_bound"])
assert r.converged and np.allclose(r.u[:, 0], 1 / 3, atol=1e-6) and np.allclose(r.p, [2 / 3, 1 / 3], atol=1e-6)
