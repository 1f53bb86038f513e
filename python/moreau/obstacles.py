# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that spheres cannot enter, and radii that grow."""
from __future__ import annotations

import functools
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _checks, _micro
from .spheres import _walls

OfTime = Callable[[float], Any]
Body = Tuple[str, str, str, List[np.ndarray], float, Optional[OfTime], Optional[OfTime], np.ndarray, np.ndarray]
_SHAPES = {name: (form, n_points, has_radius) for name, form, n_points, has_radius in _micro.shapes()}


class Obstacle(NamedTuple):
    """A rigid body of a moreau.Motion: x -> centre + Q(angle(t)) (x - centre) + translation(t).

    shape        and its points, (k, d), m:  "half-space": a point of the boundary and the normal, which points to the spheres;
                 "ball": the centre;  "capsule": two ends;  "plate": a corner and its two neighbours, in space;
                 "inside of ball": the centre;  "inside of cylinder": two points of the axis, in space
    radius       m; of all but half-spaces: what is nearer to the points, segment or parallelogram than that is the body
    translation  translation(t) -> (d,), m; None: at rest
    angle        angle(t), rad; counter-clockwise in the plane, about axis in space; None: does not turn
    centre       (d,), m, of turning; None: origin.  axis: (3,), in space
    name         how messages call it

    What is a function of time is called with t alone and must return the same for the same t.

    >>> door = [moreau.Obstacle("capsule", [[0, 1], [0, .2]], .05), moreau.Obstacle("capsule", [[0, -.2], [0, -1]], .05)]
    >>> s = moreau.Motion([[-1., 0.]], .1, u=[[2., 0.]], obstacles=door)
    >>> s.advance(1.)
    >>> print(s.x)
    [[1. 0.]]
    """

    shape: str
    points: Any
    radius: float = 0.
    translation: Optional[OfTime] = None
    angle: Optional[OfTime] = None
    centre: Any = None
    axis: Any = None
    name: str = ""


def _checked(function: Optional[OfTime], check: Callable[[str, Any], Any], name: str) -> Optional[OfTime]:
    """The function of time with its results looked at; a step asks for the same instants once for every contact. `check`
    returns arrays of its own, which are kept: the function may write to its array when it is called again."""
    if function is None:
        return None
    if not callable(function):
        raise ValueError(f"{name} is {_checks.shown(function)}, but it must be a function of t, or None.")
    return functools.lru_cache(maxsize=8)(lambda t: check(f"{name}({t:g})", function(t)))


def _body(k: int, obstacle: Any, d: int) -> Body:
    name = f"obstacles[{k}]"
    obstacle = _checks.fields_of(name, Obstacle, obstacle, "a moreau.Obstacle")
    shape = _checks.text(f"{name}.shape", obstacle.shape, tuple(_SHAPES))
    form, n_points, has_radius = _SHAPES[shape]
    points = _checks.reals(f"{name}.points", obstacle.points, ("k", d), "m")
    if len(points) != n_points:
        raise ValueError(f"{name}.points has {len(points)} rows, but a {shape} is given by {form}; give {n_points}.")
    radius = _checks.number(f"{name}.radius", obstacle.radius, 0.)
    if radius > 0. and not has_radius:
        raise ValueError(f"{name}.radius is {radius:g}, but a {shape} has none; leave it out.")
    turns = obstacle.angle is not None
    if obstacle.axis is not None and not (turns and d == 3):
        raise ValueError(f"{name}.axis is for bodies in space with an angle; leave it out.")
    if turns and obstacle.axis is None and d == 3:
        raise ValueError(f"{name}.axis is missing; give the three numbers of the direction about which it turns.")
    empty = np.empty(0)
    return (f"{shape} {_checks.in_one_line(obstacle.name or name)}", "the obstacles", shape, list(points), radius,
            _checked(obstacle.translation, lambda what, value: _checks.reals(what, value, (d,), "m").copy(),
                     f"{name}.translation"),
            _checked(obstacle.angle, lambda what, value: np.full(1, _checks.number(what, value)), f"{name}.angle"),
            empty if obstacle.centre is None else _checks.reals(f"{name}.centre", obstacle.centre, (d,), "m"),
            empty if obstacle.axis is None else _checks.reals(f"{name}.axis", obstacle.axis, (d,)))


def _of_wall(name: str, normal: np.ndarray, offset: float, velocity: np.ndarray) -> Body:
    return (f"the wall {name}", "the walls", "half-space", [offset * normal, normal], 0.,
            (lambda t: t * velocity) if velocity.any() else None, None, np.empty(0), np.empty(0))


def bodies(walls: Sequence[Any], obstacles: Sequence[Any], d: int) -> List[Body]:
    """As the compiled part takes them: walls, then obstacles."""
    if isinstance(obstacles, Obstacle) or not isinstance(obstacles, (list, tuple)):
        raise ValueError("obstacles must be a list of moreau.Obstacle.")
    return [_of_wall(*wall) for wall in _walls(walls, d)] + [_body(k, obstacle, d) for k, obstacle in enumerate(obstacles)]


def growth_factors(growth: Optional[OfTime], n: int) -> Optional[OfTime]:
    """growth(t) as n factors, 1 at time 0."""
    def check(name: str, value: Any) -> np.ndarray:
        one = np.ndim(value) == 0
        return _checks.positive(name, np.full(n, _checks.number(name, value) if one else _checks.reals(name, value, (n,))))

    factors = _checked(growth, check, "growth")
    if factors is not None and not np.allclose(factors(0.), 1., rtol=0., atol=1e-12):
        k = int(np.argmax(np.abs(factors(0.) - 1.)))
        raise ValueError(f"growth(0) is {factors(0.)[k]:g} for sphere {k}, but radii are those at time 0; it must be 1 there.")
    return factors
