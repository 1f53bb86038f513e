# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid spheres that touch: impacts, contacts, random packings."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _checks, _micro
from ._results import Contacts, Impact


class Wall(NamedTuple):
    """The half-space normal.x >= offset is open to the spheres; what is behind it moves at `velocity`.

    normal    (d,), points to the spheres; it is made a unit vector, and offset with it
    offset    m
    velocity  (d,), m/s; None: at rest. Only its part along the normal matters.
    name      how messages call it
    """

    normal: Any
    offset: float
    velocity: Any = None
    name: str = ""


def _walls(walls: Any, d: int) -> List[Tuple[str, np.ndarray, float, np.ndarray]]:
    result = []
    if isinstance(walls, Wall) or not isinstance(walls, (list, tuple)):
        raise ValueError("walls must be a list of moreau.Wall, or of tuples (normal, offset[, velocity[, name]]).")
    for k, wall in enumerate(walls):
        wall = _checks.fields_of(f"walls[{k}]", Wall, wall, "a moreau.Wall, or a tuple (normal, offset[, velocity[, name]])")
        normal = _checks.reals(f"walls[{k}].normal", wall.normal, (d,))
        offset = _checks.number(f"walls[{k}].offset", wall.offset)
        if not normal.any():
            raise ValueError(f"walls[{k}].normal is zero, but it must point to the spheres.")
        exponent = int(np.frexp(np.abs(normal).max())[1])  # of 2, so that squares are numbers
        normal = np.ldexp(normal, -exponent)
        length = float(np.linalg.norm(normal))
        with np.errstate(over="ignore"):
            offset = _checks.number(f"walls[{k}].offset / |normal|", float(np.ldexp(offset, -exponent)) / length)
        velocity = np.zeros(d) if wall.velocity is None else wall.velocity
        velocity = _checks.reals(f"walls[{k}].velocity", velocity, (d,), "m/s").copy()  # nobody else's from now on
        result.append((_checks.in_one_line(wall.name or k), normal / length, offset, velocity))
    return result


def impact(x: Any, radii: Any, U: Any, masses: Any = None, restitution: float = 0., walls: Sequence[Any] = (),
           contacts: Any = None, tolerance: float = 1e-6, *, contact_tolerance: float = 1e-6, solver: str = "automatic",
           max_repetitions: int = 1000, p_start: Any = None, lower: Any = None, period: Any = None,
           D: Any = None, accuracy: float = 0.) -> Impact:
    """One impact of all spheres that touch (Moreau's law): u = U - (1 + e)(U - P_C U), C the velocities that no contact
    forbids, repeated until admissible. With its certificate.

    x                  centres, (n, d), d = 1, 2 or 3, m
    radii              (n,), or one for all, m
    U                  velocities before, (n, d), m/s
    masses             (n,), or one for all, kg; None: volumes of balls (density 1)
    restitution        e in [0, 1]
    walls              list of Wall, or of tuples (normal, offset[, velocity[, name]])
    contacts           (m, 2) ints, i < j, sorted by i, then j; j = n + w stands for wall w. None: all that touch are found
    tolerance          relative error bound demanded of a projection, as in project()
    contact_tolerance  of the smaller radius: what counts as touching, and the largest overlap
    solver             one of moreau.solvers()
    max_repetitions    of the law, before a projection with e = 0 ends it; 1: the law as printed, applied once
    p_start            (m,): a guess of the impulses, from a neighbouring problem with the same contacts
    lower, period      of a box that repeats itself, (d,), m; period 0 in directions that do not. Spheres touch across it
    D                  (d, d), 1/s: mean velocity gradient; what lies a period L farther is faster by D L. U and u have it in
                       them: U = x @ D.T is the affine motion. None: the box keeps its shape
    accuracy           where > 0: contacts that form lines in more directions than d (triangular and face-centred cubic
                       lattices) end as soon as their relative error is estimated to be below it; the certificate is then
                       not guaranteed. Elsewhere tolerance counts. For solver 'automatic' and 'lines'

    Returns an Impact: r.u (n, d), r.p (m,), r.contacts (m, 2), r.certificate (dict), r.status, ...
    Raises ValueError for what makes no sense, with one sentence. An answer that did not meet the tolerance is returned with
    its status, not raised.

    >>> import moreau, numpy as np
    >>> r = moreau.impact(x=[[0, 0], [1, 0], [2, 0]], radii=.5, U=[[1., 0], [0, 0], [0, 0]], masses=1.)
    >>> print(r.u[:, 0].round(4), r.p.round(4))
    [0.3333 0.3333 0.3333] [0.6667 0.3333]
    """
    x, radii, masses = _checks.spheres(x, radii, masses)
    n, d = x.shape
    pairs = _checks.contacts(contacts)
    if p_start is not None:
        if pairs is None:
            raise ValueError("p_start needs contacts: without them nobody knows which contact a number belongs to.")
        p_start = _checks.reals("p_start", p_start, (len(pairs),), "kg m/s")
    U = _checks.reals("U", U, (n, d), "m/s")
    lower, period = _checks.periodic_box(lower, period, d)
    if D is not None and not (period > 0).any():
        raise ValueError("D needs a box that repeats itself; give lower and period.")
    if pairs is not None and len(period) > 0:
        raise ValueError("contacts and period exclude each other: in a box that repeats itself all that touch are found.")
    D = None if D is None else _checks.reals("D", D, (d, d), "1/s")
    walls = _walls(walls, d)
    for k, (_, normal, _, _) in enumerate(walls):
        for axis in np.flatnonzero(period):
            if abs(normal[axis]) > 1e-12:
                raise ValueError(f"walls[{k}] stands across axis {axis}, along which the box repeats itself; leave out one of "
                                 "them.")
            if D is not None and abs(normal @ D[:, axis]) > 1e-12 * np.linalg.norm(D):
                raise ValueError(f"D moves walls[{k}], which stays where it is: normal @ D must be 0 along axis {axis}.")
    change = None
    if (period > 0).any():  # the images within the box are looked at; with D they have other velocities
        inside = _checks.within(x, lower, period)
        change = None if D is None else (inside - x) @ D.T
        x, U = inside, U if change is None else U + change
    result = Impact(**_micro.impact(
        x, radii, U, masses, walls, pairs,
        _checks.number("restitution", restitution, 0., 1.),
        _checks.integer("max_repetitions", max_repetitions, 1), _checks.number("tolerance", tolerance, 0., .999, above=True),
        _checks.accuracy(accuracy, solver), _checks.number("contact_tolerance", contact_tolerance, 0., .999),
        _checks.text("solver", solver, solvers()), p_start, lower, period, D))
    if change is not None:
        result.u[...] -= change
        result.projected[...] -= change
    return result


def find_contacts(x: Any, radii: Any, walls: Sequence[Any] = (), *, contact_tolerance: float = 1e-6) -> Contacts:
    """All pairs of spheres, and spheres and walls, whose gap is at most contact_tolerance of the smaller radius; x, radii,
    walls as of impact(). Raises ValueError for spheres that overlap by more than that, naming the worst pair.

    >>> moreau.find_contacts([[0, 0], [1, 0], [3, 0]], .5)
    <moreau.Contacts: 1 contacts, smallest gap 0 m>
    """
    x, radii, _ = _checks.spheres(x, radii)
    return Contacts(**_micro.find_contacts(x, radii, _walls(walls, x.shape[1]),
                                           _checks.number("contact_tolerance", contact_tolerance, 0., .999)))


def solvers() -> List[str]:
    """Names of the solvers that impact() and project() know."""
    return list(_micro.solvers())


class Packing(NamedTuple):
    """Spheres at random places: x (n, d), radii (n,), coverage (fraction of the box), jammed, and of what holds them
    n_contacts and n_rattlers (spheres that nothing holds). reach: contacts of soft spheres (`overlap`) are the pairs whose
    gap is at most this part of R_i + R_j, of R_i at walls; 0: hard spheres."""

    x: np.ndarray
    radii: np.ndarray
    coverage: float
    jammed: bool
    n_contacts: int
    n_rattlers: int
    reach: float = 0.


def random_packing(lower: Any, upper: Any, n: int = 0, *, radius: float = 0., coverage: float = 0., spread: float = 0.,
                   periodic: Optional[Sequence[bool]] = None, compression: bool = False, seed: int = 1,
                   overlap: float = 0.) -> Packing:
    """A random packing of spheres in the box with the corners `lower` and `upper` (d,), m, grown without overlap.

    n            number of spheres; 0: what fits radius and coverage. n or radius must be given.
    radius       mean radius that is aimed at, m, which jammed packings miss by a few per cent; 0: whatever n spheres reach
    coverage     fraction of the box that they cover in the end; 0: until the packing is jammed
    spread       radii are uniform in mean * [1 - spread, 1 + spread], in [0, 1)
    periodic     per direction; elsewhere the sides are walls
    compression  a larger box shrinks to this one; else radii grow
    seed         the same seed gives the same packing
    overlap      soft spheres, compressed by this part of their radii beyond jamming, in [0, 0.1], and then made smaller
                 until none overlaps: what overlapped has gaps up to `reach` (R_i + R_j) in the result

    Raises ValueError where the coverage cannot be reached, saying what was.
    """
    lower, upper = _checks.reals("lower", lower, ("d",), "m"), _checks.reals("upper", upper, ("d",), "m")
    if lower.shape != upper.shape or not 2 <= len(lower) <= 3:
        raise ValueError("lower and upper must be corners of a box in dimension 2 or 3; give 2 or 3 numbers each.")
    d = len(lower)
    n, radius = _checks.integer("n", n, 0), _checks.number("radius", radius, 0.)
    if n == 0 and radius == 0.:
        raise ValueError("n and radius are both missing; give the number of spheres or their mean radius.")
    if periodic is None:
        periodic = [False] * d
    if np.ndim(periodic) != 1 or len(periodic) != d:
        raise ValueError(f"periodic is {_checks.shown(periodic)}, but it must be {d} truth values, one per direction.")
    result: Dict[str, Any] = _micro.random_packing(
        lower, upper, n, radius, _checks.number("coverage", coverage, 0., 1.), _checks.number("spread", spread, 0., .999),
        [_checks.truth(f"periodic[{k}]", value) for k, value in enumerate(periodic)],
        _checks.truth("compression", compression), _checks.integer("seed", seed, 0),
        _checks.number("overlap", overlap, 0., .1))
    return Packing(**result)
