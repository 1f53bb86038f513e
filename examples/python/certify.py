# SPDX-License-Identifier: GPL-3.0-or-later
"""How wrong is somebody's answer? scipy's non-negative least squares, and a least-squares answer that is cut off, judged."""
import numpy as np
import scipy.optimize

import moreau

n = 6
x = np.stack(np.meshgrid(np.arange(n), np.arange(n)), -1).reshape(-1, 2).astype(float)
U = np.random.default_rng(1).normal(size=x.shape)
r = moreau.impact(x, .5, U, masses=1.)
B, expansion = r.B, (x - x.mean(0)).ravel()  # B w < 0: what lets a bound be guaranteed

p_nnls, _ = scipy.optimize.nnls(B.T.toarray(), U.ravel())
p_cut = np.maximum(np.linalg.lstsq(B.T.toarray(), U.ravel(), rcond=None)[0], 0.)
for name, p in (("nnls", p_nnls), ("least squares, cut off", p_cut)):
    u = U.ravel() - B.T @ p
    c = moreau.certify(B, U.ravel(), u, p, expansion=expansion)
    error = np.linalg.norm(u - r.u.ravel()) / c["scale"]
    print(f"{name}: error {error:.1e} <= {c['relative_error_bound']:.1e}")
    assert c["guaranteed"] and error <= c["relative_error_bound"] + 1e-6
