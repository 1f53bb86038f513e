# SPDX-License-Identifier: GPL-3.0-or-later
"""Two blocks of granular matter collide head on: the field is a function, the zone an array; then spheres in its place."""
import numpy as np

import moreau


def U(x):
    return np.stack([np.where(x[:, 0] < 1, 1., -1.), np.zeros(len(x))], -1)


m = moreau.macro_impact(U, zone=np.ones((2, 1)), cells=64, lower=[0, 0], upper=[2, 1])
print(m, f"with discretisation <= {m.bound:.2g};", m.mesh)
assert m.converged and m.bound < .1 and abs(m.momentum_after[0]) < 1e-9

for n in (8, 16):
    x = np.stack(np.meshgrid((np.arange(2 * n) + .5) / n, (np.arange(n) + .5) / n), -1).reshape(-1, 2)
    h = moreau.homogenize(x, .5 / n, U, cone="square", cells=64, lower=[0, 0], upper=[2, 1])
    print(f"{len(x)} discs: |v - u| = {h.error:.2g}, the exact distance lies in [{h.interval[0]:.2g}, {h.interval[1]:.2g}]")
    assert h.interval[0] <= h.error <= h.interval[1]
