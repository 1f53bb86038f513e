# SPDX-License-Identifier: GPL-3.0-or-later
"""What the functions of moreau return."""
from __future__ import annotations

import dataclasses
import functools
from typing import Any, Dict

import numpy as np
import scipy.sparse

from . import _micro

Certificate = Dict[str, Any]


def _bound_in_words(certificate: Certificate) -> str:
    if certificate["guaranteed"]:
        return f"relative error <= {certificate['relative_error_bound']:.2g}, guaranteed"
    estimate = certificate["error_estimate"]
    return "not certified" if estimate is None else f"relative error about {estimate:.2g}, an estimate"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Projection:
    """u = P_K U on K = {v : Bv <= b} in the metric of the masses, and its multiplier.

    u            projected velocity, (n,), m/s
    p            multipliers, (m,), >= 0, kg m/s: M(U - u) = B^T p
    certificate  dict as in summary.json (doc/formats.md): guaranteed, relative_error_bound, gap, ...
    status       "converged", "iteration limit", "stagnated" or "infeasible": K is empty, which p proves (B^T p = 0, b.p < 0)
    method       what was done; iterations, in the unit of that solver
    """

    u: np.ndarray
    p: np.ndarray
    certificate: Certificate
    status: str
    method: str
    iterations: int

    @property
    def converged(self) -> bool:
        """Whether the answer meets the tolerance."""
        return self.status == "converged"

    def __repr__(self) -> str:
        return f"<moreau.{type(self).__name__}: {self.status}, {_bound_in_words(self.certificate)}; {self.method}>"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Contacts:
    """Who touches whom.

    contacts      (m, 2) ints, i < j, sorted by i, then j; j = n + w stands for wall w
    directions    (m, d), unit vectors from i to j
    gaps          (m,), m: distance of the surfaces, negative where they overlap within the tolerance
    smallest_gap  m, of all pairs and walls, also where nothing touches
    """

    contacts: np.ndarray
    directions: np.ndarray
    gaps: np.ndarray
    smallest_gap: float

    def __repr__(self) -> str:
        return f"<moreau.Contacts: {len(self.contacts)} contacts, smallest gap {self.smallest_gap:g} m>"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Impact(Projection):
    """An impact of spheres: u = U - (1 + e)(U - P_C U), repeated until admissible.

    u            velocity after it, (n, d), m/s
    p            impulse of every contact, (m,), >= 0, kg m/s: M(U - u) = B^T p
    projected    P_C U of the first application, (n, d); u itself where e = 0
    impacts      how often the law was applied; collapsed: a projection with e = 0 ended it
    approach     m/s, > 0 where max_repetitions=1 has left the cone: the fastest that contacts still approach; else 0
    seconds      of the clock, in C++: contacts, law and certificate
    certificate, status, method, iterations  as in Projection; the worst of all applications

    Made when they are first asked for: contacts, directions, gaps, displacements, masses, B.
    """

    projected: np.ndarray
    impacts: int
    collapsed: bool
    approach: float
    seconds: float
    n_spheres: int
    found: dataclasses.InitVar[_micro.Found]

    def __post_init__(self, found: _micro.Found) -> None:
        self.__dict__["_found"] = found

    @functools.cached_property
    def contacts(self) -> np.ndarray:
        """(m, 2) ints, i < j, sorted; j = n + w stands for wall w."""
        return self.__dict__["_found"].contacts()

    @functools.cached_property
    def directions(self) -> np.ndarray:
        """(m, d), unit vectors from i to j."""
        return self.__dict__["_found"].directions()

    @functools.cached_property
    def gaps(self) -> np.ndarray:
        """(m,), m: distance of the surfaces, negative where they overlap within the tolerance."""
        return self.__dict__["_found"].gaps()

    @functools.cached_property
    def displacements(self) -> np.ndarray:
        """(m, d), m: by how much the image of j that i touches lies beside j; 0 but across a period."""
        return self.__dict__["_found"].displacements()

    @functools.cached_property
    def masses(self) -> np.ndarray:
        """(n,), kg: as given, else volumes of balls."""
        return self.__dict__["_found"].masses()

    def __getstate__(self) -> Dict[str, Any]:
        """For copies and pickles, which hold arrays."""
        made = {name: getattr(self, name) for name in ("contacts", "directions", "gaps", "displacements", "masses")}
        return {name: value for name, value in {**self.__dict__, **made}.items() if name != "_found"}

    @property
    def B(self) -> scipy.sparse.csr_matrix:
        """The constraint matrix, m x (d n): (Bv)_c = -e_c.(v_j - v_i), so that Bv <= 0 means "not approaching";
        with a mean gradient D, Bv <= e_c.(D L_c), L_c the displacements."""
        found = self.__dict__.get("_found")  # what was written to the arrays is not in it
        contacts, directions = (found.contacts(), found.directions()) if found else (self.contacts, self.directions)
        (m, d), n = directions.shape, self.n_spheres
        columns = d * contacts[:, :, None] + np.arange(d)
        values = np.stack([directions, -directions], axis=1)
        moves = np.broadcast_to((contacts < n)[:, :, None], values.shape)  # walls have no columns
        rows = np.broadcast_to(np.arange(m)[:, None, None], values.shape)
        return scipy.sparse.csr_matrix((values[moves], (rows[moves], columns[moves])), shape=(m, d * n))
