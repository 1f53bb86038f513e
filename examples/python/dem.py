# SPDX-License-Identifier: GPL-3.0-or-later
"""A code that has its own arrays and its own search (here scipy's tree) hands over contacts every step; the impulses of one
step are the first guess of the next one. Discs run into each other and stick: e = 0, no forces."""
import numpy as np
import scipy.spatial

import moreau

n, radius, h = 400, .5, .02
rng = np.random.default_rng(1)
x = np.stack(np.meshgrid(np.arange(20.), np.arange(20.)), -1).reshape(n, 2) * 1.2 + rng.uniform(-.09, .09, (n, 2))
u = -.5 * (x - x.mean(0))
momentum, energy, impulses, warm = u.sum(0), (u**2).sum(), {}, 0

for step in range(100):
    pairs = np.array(sorted(scipy.spatial.cKDTree(x).query_pairs(2 * radius + 1e-3)), dtype=np.intc).reshape(-1, 2)
    guess = np.array([impulses.get(tuple(pair), 0.) for pair in pairs.tolist()])
    warm += int((guess > 0).sum())
    r = moreau.impact(x, radius * (1 - 1e-9), u, masses=1., contacts=pairs, p_start=guess)
    assert r.converged and r.certificate["guaranteed"], r
    impulses = dict(zip(map(tuple, r.contacts.tolist()), r.p))
    u = r.u
    # as far as no pair that is no contact yet can overlap: half the smallest gap of those, at the largest speed
    far = np.array(sorted(scipy.spatial.cKDTree(x).query_pairs(2.5)), dtype=np.intc)
    i, j = far.T
    e = x[j] - x[i]
    distance = np.linalg.norm(e, axis=1)
    approach = -((u[j] - u[i]) * e).sum(1) / distance
    free = distance - 2 * radius > 1e-3
    time = np.min((distance - 2 * radius)[free & (approach > 0)] / approach[free & (approach > 0)], initial=h)
    x = x + min(h, time) * u

print(f"{len(pairs)} contacts after {step + 1} steps, {warm} impulses were taken over; energy {energy:.0f} -> "
      f"{(u**2).sum():.0f}, momentum changed by {np.abs(u.sum(0) - momentum).max():.1e}")
assert np.abs(u.sum(0) - momentum).max() < 1e-8 and (u**2).sum() < energy and warm > 0
