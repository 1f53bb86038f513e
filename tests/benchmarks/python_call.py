# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call from Python takes beyond the call in C++ that it makes: wall time of moreau.impact less its `seconds`, least
and median of many calls (of five where they last long), the result of the call before freed beforehand.

    PYTHONPATH=build/release/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 tests/benchmarks/python_call.py"""
import time

import numpy as np

import moreau


def discs(n, triangular):
    """n x n discs of radius 1/2 with random velocities; the triangular lattice with a tenth of its sites empty."""
    i, j = (k.ravel().astype(float) for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    rng = np.random.default_rng(1)
    x = np.stack([i + j % 2 * .5, j * np.sqrt(.75)], -1)[rng.random(n * n) < .9] if triangular else np.stack([i, j], -1)
    return x, rng.normal(size=x.shape)


print("| discs | lattice | contacts given | C++, median (least), ms | Python beyond, ms | median share |\n|---|---|---|---|---|---|")
for n in (10, 32, 100, 316):
    for triangular in (False, True):
        x, U = discs(n, triangular)
        radii, contacts = np.full(len(x), .5), moreau.find_contacts(x, .5).contacts
        for pairs in (None, contacts):
            beyond, inside, r = [], [], None
            while len(beyond) < 5 or sum(inside) < 1. and len(beyond) < 200:
                r = None
                start = time.perf_counter()
                r = moreau.impact(x, radii, U, contacts=pairs)
                beyond.append(time.perf_counter() - start - r.seconds)
                inside.append(r.seconds)
            share = np.median(np.array(beyond) / inside)
            print(f"| {len(x)} | {'triangular, holes' if triangular else 'square'} | {'no' if pairs is None else 'yes'} | "
                  f"{1e3 * np.median(inside):.3g} ({1e3 * min(inside):.3g}) | {1e3 * np.median(beyond):.2g} "
                  f"({1e3 * min(beyond):.2g}) | {share:.1%} |")
