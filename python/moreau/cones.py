# SPDX-License-Identifier: GPL-3.0-or-later
"""Projections on any cone or polyhedron {v : Bv <= b}."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _checks, _micro
from ._results import Certificate, Projection
from .spheres import solvers


def _masses(masses: Any, n: int) -> np.ndarray:
    if masses is None:
        return np.ones(n)
    return _checks.positive("masses", _checks.reals("masses", masses, (n,), "kg"))


def _expansion(w: Any, n: int) -> Any:
    return None if w is None else _checks.reals("expansion", w, (n,))


def project(B: Any, U: Any, b: Any = None, masses: Any = None, tolerance: float = 1e-6, *, solver: str = "automatic",
            expansion: Any = None, p_start: Any = None) -> Projection:
    """u = P_K U, K = {v : Bv <= b}, in the metric M = diag(masses), with its multiplier and certificate:

        u + M^-1 B^T p = U,   p >= 0,   Bu <= b,   (Bu - b).p = 0.

    B          m x n, scipy.sparse or an array
    U          (n,)
    b          (m,); None: 0, a cone
    masses     (n,), one per entry of U; None: ones
    tolerance  relative error bound demanded, but not less than three times the round-off floor (at most 1e-4); "relative"
               is to the larger of |U| and |b^-|/|B|
    solver     one of moreau.solvers()
    expansion  (n,), w with Bw < 0 in every row, if you know one: it repairs what rounding violates, so that the bound is
               guaranteed. None: one is sought, by another projection; where there is none, or almost none, the bound holds
               only where Bu <= b to the last digit, and is an estimate elsewhere.
    p_start    (m,), a guess of p from a neighbouring problem

    Returns a Projection: r.u (n,), r.p (m,), r.certificate (dict), r.status. Raises ValueError for bad arguments, with one
    sentence. K may be empty: then r.status is "infeasible" and r.p proves it.

    >>> r = moreau.project([[1., 1.], [0., -1.]], U=[1., 1.])   # v0 + v1 <= 0, v1 >= 0
    >>> print(abs(r.u).max() < 1e-9, r.p.round(6))
    True [1. 0.]
    """
    matrix, m, n = _checks.csr(B)
    return Projection(**_micro.project(
        matrix, _checks.reals("U", U, (n,)), None if b is None else _checks.reals("b", b, (m,)), _masses(masses, n),
        _expansion(expansion, n), _checks.number("tolerance", tolerance, 0., .999, above=True),
        _checks.text("solver", solver, solvers()), None if p_start is None else _checks.reals("p_start", p_start, (m,))))


def certify(B: Any, U: Any, u: Any, p: Any, b: Any = None, masses: Any = None, *, expansion: Any = None) -> Certificate:
    """How wrong anybody's answer (u, p) is: residuals, gap, and a bound on |u - P_K U| that holds whatever computed it.

    B, U, b, masses, expansion  as of project()
    u, p                        the answer, (n,) and (m,); entries of p below zero count as zero and as dual_infeasibility

    Returns a dict as in summary.json. Where u violates a row and no expansion is given or found, `guaranteed` is False,
    `relative_error_bound` None and `error_estimate` a number that leaves out the violated rows.

    >>> moreau.certify([[1.]], U=[1.], u=[0.], p=[1.])["relative_error_bound"] < 1e-7
    True
    """
    matrix, m, n = _checks.csr(B)
    return dict(_micro.certify(
        matrix, _checks.reals("U", U, (n,)), _checks.reals("u", u, (n,)), _checks.reals("p", p, (m,)),
        None if b is None else _checks.reals("b", b, (m,)), _masses(masses, n), _expansion(expansion, n)))


def rigid_rows(B: Any, b: Any = None) -> np.ndarray:
    """Which rows no v with Bv <= b opens: a self-stress s >= 0, B^T s = 0, s.b = 0, presses them, so that (Bv)_c = b_c = 0
    for all of these v. Of the contacts of spheres, `rigid_rows(r.B)`, that is the test of strict jamming between walls at
    rest of Donev, Torquato, Stillinger and Connelly (2004).

    B  m x n, scipy.sparse or an array
    b  (m,), >= 0; None: 0

    Returns (m,) bool. An interior point looks, with a factorisation of B B^T in each step. Raises ValueError for bad
    arguments, and RuntimeError where it cannot be decided, as rows open hardly more than rounding.

    >>> walls = [((1, 0), 0.), ((-1, 0), -2.)]
    >>> r = moreau.impact([[.5, 0], [1.5, 0], [1.5, 1]], .5, np.zeros((3, 2)), walls=walls)
    >>> print(*(tuple(pair) for pair in r.contacts[moreau.rigid_rows(r.B)].tolist()))
    (0, 1) (0, 3) (1, 4)
    """
    matrix, m, n = _checks.csr(B)
    room = None if b is None else _checks.reals("b", b, (m,))
    if room is not None and (room < 0).any():
        raise ValueError("b has entries below zero, but only rows with b >= 0 can be asked whether nothing opens them.")
    rigid = _micro.rigid_rows(matrix, n, room)
    if rigid is None:
        raise RuntimeError("It cannot be decided which rows are rigid: some open hardly more than rounding, or have no "
                           "entries.")
    return rigid
