# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres in time, step by step."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

import numpy as np

from . import _checks, _micro
from .obstacles import OfTime, bodies, growth_factors
from .spheres import solvers

Force = Callable[[float, np.ndarray, np.ndarray], Any]
SCHEMES = ("linearised constraints", "catching-up")
CONTACT_LAWS = ("dry", "gluey")


class Motion:
    """Rigid spheres under forces, contacts and impacts, advanced by steps of length `step`.

    x            centres, (n, d), m
    radii        (n,), or one for all, m
    u            velocities, (n, d), m/s; None: at rest
    masses       (n,), or one for all, kg; None: volumes of balls
    force        per unit mass, m/s^2: an array (d,) for all, as gravity, or force(t, x, u) -> (n, d) or (d,)
    walls        list of moreau.Wall; those with a velocity move
    obstacles    list of moreau.Obstacle: balls, capsules, plates, containers, half-spaces, at rest or moving as functions of t
    growth       growth(t) -> factor of the radii, one for all or (n,), 1 at time 0; None: constant radii
    step         longest time step, s
    restitution  e in [0, 1]; 0 with the scheme "catching-up"
    resting_speed  speed of approach (m/s) below which e = 0; None: twice what the force adds in a step
    scheme       "linearised constraints" or "catching-up"
    contact_law  "dry" or "gluey": contacts that have been pressed hold until an equal impulse has pulled them (restitution 0,
                 "linearised constraints")
    lower, period  of a periodic box, (d,), m; period 0 in directions that are not periodic
    tolerance    residual of a step's projection; position_tolerance: overlap that a step may leave, of the smallest radius

    >>> s = moreau.Motion(x=[[0., 1.]], radii=.5, force=[0., -10.], walls=[([0, 1], 0.)], step=1e-3)
    >>> s.advance(1.)
    >>> print(s.x.round(6), s.u.round(6), len(s.contacts))
    [[0.  0.5]] [[0. 0.]] 1
    """

    # an attribute of another name, as `restitution`, would do nothing
    __slots__ = ("_motion", "_step", "_d", "_matter", "__weakref__")

    def __init__(self, x: Any, radii: Any, u: Any = None, masses: Any = None, *, force: Union[None, Force, Any] = None,
                 walls: Sequence[Any] = (), obstacles: Sequence[Any] = (), growth: Optional[OfTime] = None,
                 step: float = 1e-3, restitution: float = 0., resting_speed: Optional[float] = None,
                 scheme: str = SCHEMES[0], lower: Any = None, period: Any = None, tolerance: float = 1e-6,
                 position_tolerance: float = 1e-8, solver: str = "automatic",
                 contact_law: str = CONTACT_LAWS[0]) -> None:
        x, radii, masses = _checks.spheres(x, radii, masses)
        n, d = x.shape
        u = np.zeros((n, d)) if u is None else _checks.reals("u", u, (n, d), "m/s")
        if masses is None:
            masses = np.array([_micro.volume_of_ball(radius, d) for radius in radii])
        if force is not None and not callable(force):
            constant = _checks.reals("force", force, (d,), "m/s^2").copy()  # nobody else's from now on
            force = lambda t, x, u: constant  # noqa: E731
        elif force is not None:
            force = _checks.values_of("force", force)
        lower, period = _checks.periodic_box(lower, period, d)
        self._motion = _micro.SteppedMotion(
            x, radii, u, masses, force, growth_factors(growth, n), bodies(walls, obstacles, d), lower, period,
            _checks.number("step", step, 0., above=True), _checks.number("restitution", restitution, 0., 1.),
            -1. if resting_speed is None else _checks.number("resting_speed", resting_speed, 0.),
            _checks.text("scheme", scheme, SCHEMES) == SCHEMES[1],
            _checks.text("contact_law", contact_law, CONTACT_LAWS) == CONTACT_LAWS[1],
            _checks.number("tolerance", tolerance, 0., .999, above=True),
            _checks.number("position_tolerance", position_tolerance, 1e-12, .1),
            _checks.text("solver", solver, solvers()))
        self._step, self._d = float(step), d
        self._matter = {"given_radii": radii.copy(), "given_masses": masses.copy()}

    def advance(self, t: float) -> None:
        """To the time t > self.t, s, in equal steps that are no longer than `step`. What the force raises is raised, and
        Ctrl-C ends it; the motion then stands where its last step ended. Raises ValueError where no admissible velocity
        exists, saying what blocks."""
        t = _checks.number("t", t)
        if not t > self.t:
            raise ValueError(f"t is {t:g} s, but the motion is at {self.t:g} s already; give a later time.")
        if (t - self.t) / self._step > 1e12:
            raise ValueError(f"t = {t:g} s is more than 1e12 steps away; take longer steps.")
        self._motion.advance(t)

    @property
    def t(self) -> float:
        """Time, s."""
        return self._motion.time()

    @property
    def x(self) -> np.ndarray:
        """Centres, (n, d), m; within the periodic box."""
        return self._motion.x()

    @property
    def u(self) -> np.ndarray:
        """Velocities, (n, d), m/s, after the impacts of the last step."""
        return self._motion.u()

    @property
    def radii(self) -> np.ndarray:
        """Now, (n,), m."""
        return self._motion.radii()

    @property
    def masses(self) -> np.ndarray:
        """(n,), kg."""
        return self._motion.masses()

    @property
    def contacts(self) -> np.ndarray:
        """Contacts that were pressed in the last step, or hold, (m, 2), sorted; j = n + w stands for wall w, obstacles follow the walls."""
        return self._motion.contacts()["contacts"]

    @property
    def p(self) -> np.ndarray:
        """Their impulses of the last step, (m,), kg m/s; divided by record["h"] a mean force in N. Gluey contacts that are
        pulled have p < 0."""
        return self._motion.contacts()["p"]

    @property
    def gamma(self) -> np.ndarray:
        """How much they hold, (m,), kg m/s, <= 0: a gluey contact opens when an impulse -gamma has pulled it; 0 where
        contact is dry."""
        return self._motion.contacts()["gamma"]

    @property
    def directions(self) -> np.ndarray:
        """Their unit vectors from i to j, (m, d)."""
        return self._motion.contacts()["directions"]

    @property
    def gaps(self) -> np.ndarray:
        """Their gaps at the beginning of the last step, (m,), m."""
        return self._motion.contacts()["gaps"]

    @property
    def wall_forces(self) -> np.ndarray:
        """Mean force of the spheres on each wall, then on each obstacle, over the last step, (w, d), N; zeros before the
        first one."""
        return self._motion.wall_forces()

    @property
    def record(self) -> Dict[str, Any]:
        """Of the last step: energies (J), momentum, max_overlap, natural_residual, status, ... as in statistics.csv."""
        return dict(self._motion.record())

    @property
    def not_converged(self) -> int:
        """How many steps so far missed the tolerance."""
        return self._motion.not_converged()

    def state(self) -> Dict[str, np.ndarray]:
        """Everything that lets restore() go on bit for bit as if it had not been interrupted, and the radii and masses that
        were given, by which restore() knows the spheres."""
        return {**self._motion.state(), **{name: values.copy() for name, values in self._matter.items()}}

    def restore(self, state: Dict[str, np.ndarray]) -> None:
        """Goes back, or on, to a state() of a motion with the same spheres, forces, walls and obstacles. Raises ValueError
        where its spheres are others, or of other size or mass."""
        if not isinstance(state, dict) or not all(isinstance(v, np.ndarray) for v in state.values()):
            raise ValueError("state must be what state() returned: a dict of arrays.")
        state = {name: _checks.unmasked(f"state['{name}']", values) for name, values in state.items()}
        now = self.state()
        if state.keys() != now.keys() or any(state[name].dtype != now[name].dtype or state[name].ndim != 1 for name in now):
            raise ValueError("state belongs to another kind of motion, or was changed: its names, types or shapes differ.")
        for name, values in self._matter.items():
            if not np.array_equal(state[name], values):
                raise ValueError(f"state['{name}'] differs from what this motion was made with; make it with the same "
                                 "radii and masses as the one that state() was asked of.")
        self._motion.restore({name: values for name, values in state.items() if name not in self._matter})

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("A moreau.Motion cannot be copied or pickled, for it calls functions; make another one with the "
                        "same arguments, and let it restore() the state() of this one.")

    def __repr__(self) -> str:
        return f"<moreau.Motion: {len(self.radii)} spheres in dimension {self._d} at t = {self.t:g} s>"
