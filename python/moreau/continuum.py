# SPDX-License-Identifier: GPL-3.0-or-later
"""The granular continuum: impacts of velocity fields, and what spheres tend to."""
from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _checks
from ._results import Projection

Field = Union[str, Callable[[np.ndarray], Any], Any]
CONES = ("isotropic", "square", "triangular", "cubic", "face-centred cubic", "dilatant", "circular",
         "directions")


def _compiled() -> Any:
    """Loaded here, not with the module: deal.II's libraries take time."""
    try:
        from . import _continuum
    except ImportError as error:
        raise RuntimeError(f"The continuum is not there ({error}): this is a build of MOREAU_COMPONENTS=micro, or "
                           "deal.II is missing.") from error
    return _continuum


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class MacroImpact(Projection):
    """An impact of the continuum on a mesh.

    u            velocity after it on cells, (cells, d), m/s: means over them where it varies linearly between points, on
                 triangles and tetrahedra (arrays["u"] has the points then)
    p            pressures on cells, (cells,) or one column per direction of the cone, m^2/s; of dilatant and circular
                 cones (cells,), the mean of the principal stresses
    bound        relative error bound of u with discretisation (certificate["total_relative_error_bound"]), None where
                 nothing bounds it; total_bound says how it was found and whether it is guaranteed, as in summary.json
    centres      of the cells, (cells, d), m
    arrays       all that pictures show, by name: U, u, p, density, active, ..., points (k, 3), cells (cells, corners)
    momentum_before, momentum_after  integrals of rho u, (d,)
    mesh, remarks  in words;  impacts: how often the law was applied
    certificate, status, method, iterations  of the discrete projection, as in Projection
    """

    bound: Optional[float]
    total_bound: Dict[str, Any]
    centres: np.ndarray
    arrays: Dict[str, np.ndarray]
    momentum_before: np.ndarray
    momentum_after: np.ndarray
    mesh: str
    remarks: str
    impacts: int


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Homogenization(Projection):
    """phi_n(U): the law of spheres, applied to a velocity field, beside that of the continuum.

    u            of the spheres: projection of U_tilde in the metric of the cells' volumes, (n, d), m/s
    p            impulses of contacts (m,), of density 1;  contacts (m, 2)
    U_tilde      means of U over the Voronoi (power) cells, (n, d);  u_macro: those of the continuum's u. With D, U = D x + w:
                 D times the centre and the mean of w
    cells        corners of each cell's outline, a list of (k, d), m; in the plane in their order around it
    volumes      of the cells cut to the zone, (n,), m^d
    error        |v - u| in L2, v = u of the spheres on the cells, u the continuum's; relative_error: to |U - mean U|
    interval     holds the distance to the exact u (up to quadrature)
    certificate, status, method, iterations  of the projection of the spheres
    """

    U_tilde: np.ndarray
    u_macro: np.ndarray
    volumes: np.ndarray
    contacts: np.ndarray
    cells: List[np.ndarray]
    error: float
    relative_error: float
    interval: Tuple[float, float]


#: What messages of the program call the arguments.
_ARGUMENTS = {"Velocity/Function expression": "U", "Zone/Function expression": "zone", "Zone/Walls": "walls",
              "Zone/Lower corner": "lower", "Zone/Upper corner": "upper", "Zone/Periodic": "periodic", "Cone/Type": "cone",
              "Cone/Lattice angle": "angle", "Cone/Dilatancy": "dilatancy", "Cone/Function expression": "directions",
              "Mesh/Cells per unit length": "cells", "Mesh/Adaptive cycles": "adaptive_cycles", "Solver: ": "solver: "}


@contextlib.contextmanager
def _in_terms_of_arguments() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        message = str(error)
        for place, argument in _ARGUMENTS.items():
            message = message.replace(place, argument)
        if message == str(error):
            raise
        raise ValueError(message) from None


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(repr(float(value)) for value in values)


def _box(U: Field, lower: Any, upper: Any) -> Tuple[np.ndarray, np.ndarray]:
    d = next((len(corner) for corner in (lower, upper) if np.ndim(corner) == 1), None)
    if d is None:
        d = U.count(";") + 1 if isinstance(U, str) else 2 if callable(U) else max(np.ndim(U) - 1, 1)
    if not 1 <= d <= 3:
        raise ValueError(f"The box has {d} directions, but it must have 1, 2 or 3; check lower, upper and U.")
    lower = np.zeros(d) if lower is None else _checks.reals("lower", lower, (d,), "m")
    upper = np.ones(d) if upper is None else _checks.reals("upper", upper, (d,), "m")
    if not (lower < upper).all():
        raise ValueError("upper must exceed lower along every axis; they are corners of the box.")
    return lower, upper


def _field(name: str, value: Field, expression: str, settings: List[str], shape: Tuple[Union[int, str], ...]) -> Any:
    """Text goes into the settings; a callable is returned as it is, an array as doubles."""
    if isinstance(value, str):
        settings.append(f"{expression}={value}")
        return None
    if callable(value):
        return _checks.values_of(name, value, "fiub")
    if np.asanyarray(value).dtype == bool:
        value = np.asanyarray(value).astype(float)
    array = _checks.reals(name, value, shape, "values on the cells of a grid")
    if array.size == 0:
        raise ValueError(f"{name} has no cell; give at least one along each axis.")
    return array


def _cone(cone: str, angle: float, dilatancy: Union[None, float, str], directions: Any, d: int) -> List[str]:
    settings = [f"Cone/Type={_checks.text('cone', cone, CONES)}"]
    for name, value, kinds in (("dilatancy", dilatancy, ("dilatant", "circular")), ("directions", directions, ("directions",))):
        if (value is not None) != (cone in kinds):
            owners = " or ".join(f"'{kind}'" for kind in kinds)
            raise ValueError(f"cone is '{cone}', but {name} is {'missing' if value is None else 'given'}; {name} belongs to "
                             f"the cone {owners}, which needs it.")
    if isinstance(dilatancy, str):
        settings.append(f"Cone/Dilatancy={dilatancy}")
    elif dilatancy is not None:
        settings.append(f"Cone/Dilatancy={_checks.number('dilatancy', dilatancy, 0., 1.)!r}")
    if isinstance(directions, str):
        settings.append(f"Cone/Function expression={directions}")
    elif directions is not None:
        e = _checks.reals("directions", directions, ("k", d), "unit vectors")
        settings.append("Cone/Function expression=" + "; ".join(repr(float(value)) for value in e.ravel()))
    if _checks.number("angle", angle) != 0.:
        settings.append(f"Cone/Lattice angle={float(angle)!r}")
    return settings


def _axes(periodic: Any) -> Sequence[bool]:
    if not isinstance(periodic, (list, tuple, np.ndarray)) or np.ndim(periodic) != 1 or \
            not all(isinstance(axis, (bool, np.bool_)) for axis in periodic):
        raise ValueError("periodic must be a list of True and False, one for each direction of the box.")
    return periodic


def _mean_gradient(D: Any, periodic: Sequence[bool]) -> Optional[np.ndarray]:
    if D is None:
        return None
    if not any(periodic):
        raise ValueError("D needs a box that repeats itself; give periodic.")
    d = len(periodic)
    return _checks.reals("D", D, (d, d), "1/s")


def _settings(U: Field, zone: Optional[Field], cone: str, cells: Any, lower: Any, upper: Any, angle: float,
              walls: Sequence[str], restitution: float, tolerance: float, solver: str,
              dilatancy: Union[None, float, str], directions: Any,
              periodic: Sequence[bool]) -> Tuple[List[str], Any, Any]:
    lower, upper = _box(U, lower, upper)
    d, axes = len(lower), ("n", "m", "l")[:len(lower)]
    if not isinstance(walls, (list, tuple)) or not all(isinstance(wall, str) for wall in walls):
        raise ValueError("walls must be a list of names of sides: left, right, bottom, top, back, front.")
    settings = [f"Dimension={d}", f"Zone/Lower corner={_numbers(lower)}", f"Zone/Upper corner={_numbers(upper)}",
                *_cone(cone, angle, dilatancy, directions, d), f"Zone/Walls={', '.join(walls)}",
                f"Restitution={_checks.number('restitution', restitution, 0., 1.)!r}",
                f"Tolerance={_checks.number('tolerance', tolerance, 0., .999, above=True)!r}", f"Solver={solver}",
                f"Mesh/Cells per unit length={_checks.number('cells', cells, 0., above=True)!r}"]
    if len(_axes(periodic)) not in (0, d):
        raise ValueError(f"periodic has {len(periodic)} entries, but the box has {d} directions; give one for each, or none.")
    if any(periodic):
        settings.append("Zone/Periodic=" + ", ".join(axis for axis, repeats in zip("xyz", periodic) if repeats))
    fields = (_field("U", U, "Velocity/Function expression", settings, (*axes, d) if d > 1 or np.ndim(U) > 1 else axes),
              None if zone is None else _field("zone", zone, "Zone/Function expression", settings, axes))
    said = [setting.partition("=") for setting in settings]
    return [f"{name}={_checks.plain_text(_ARGUMENTS.get(name, name), value)}" for name, _, value in said], *fields


def macro_impact(U: Field, zone: Optional[Field] = None, cone: str = "isotropic", cells: float = 64, *, lower: Any = None,
                 upper: Any = None, angle: float = 0., walls: Sequence[str] = (), restitution: float = 0.,
                 tolerance: float = 1e-6, solver: str = "automatic", adaptive_cycles: int = 0,
                 dilatancy: Union[None, float, str] = None, directions: Any = None, periodic: Sequence[bool] = (),
                 D: Any = None) -> MacroImpact:
    """One impact of a velocity field where matter is saturated: u = P_C U, C = {v : div v >= 0 there}, or the cone of a
    lattice; u = U - (1 + e)(U - P_C U) with restitution. With a bound on the error that includes the discretisation.

    U      velocity, m/s: an expression of the program ("-x; -y", one component per direction), a callable U(x) that takes
           points (k, d) and returns (k, d), or an array (n_1, ..., n_d, d) of values on the cells of a grid on the box
    zone   density in [0, 1], saturated where it is 1: an expression ("if(x^2 + y^2 < 1, 1, 0)"), a callable zone(x) -> (k,),
           or an array (n_1, ..., n_d), whose cells are the zone; None: the whole box. Of an expression of that form the
           program sees the shape, and cuts cells along it.
    cone   "isotropic", "square", "triangular", "cubic" or "face-centred cubic", angle: of the lattice, degrees; "dilatant",
           (1-s)/d div v + s e.grad(v.e) >= 0 for all e, s = dilatancy in [0, 1], a number or an expression of x, y, z;
           "circular", div v >= s sqrt(d (d-1)) |dev D|, D the symmetric gradient of v, with the same s = dilatancy;
           "directions", e.grad(v.e) >= 0 for the rows e of directions, unit vectors (k, d), or an expression of them all
    cells  per unit length
    lower, upper  corners of the box, (d,), m; None: 0 and 1
    walls  sides of the box that are walls: "left", "right", "bottom", "top", "back", "front"
    periodic  per direction, whether the box repeats itself; (): in none
    D      (d, d), 1/s: mean velocity gradient of such a box; what lies a period L farther is faster by D L. U and u have it
           in them, U = D x + w, and bounds are relative to |w - mean w|, between walls to the speed at which w comes near to
           them where that is larger. None: the box keeps its shape
    tolerance, solver, adaptive_cycles  as `Tolerance`, `Solver` and `Mesh/Adaptive cycles` of a parameter file

    A callable may be called from several threads, one at a time. Raises ValueError with one sentence.

    >>> m = moreau.macro_impact("-x; -y", cells=16, lower=[-1, -1], upper=[1, 1])
    >>> m.u.shape, m.p.shape, bool(m.bound < .1)
    ((1024, 2), (1024,), True)
    """
    settings, U, zone = _settings(U, zone, cone, cells, lower, upper, angle, walls, restitution, tolerance, solver,
                                  dilatancy, directions, periodic)
    D = _mean_gradient(D, periodic)
    settings.append("Problem=macro impact")
    if _checks.integer("adaptive_cycles", adaptive_cycles, 0, 100) > 0:
        settings.append(f"Mesh/Adaptive cycles={adaptive_cycles}")
    with _in_terms_of_arguments():
        result = _compiled().macro_impact(settings, U, zone, D)
    arrays, d = result.pop("arrays"), result.pop("dimension")
    corners = arrays["points"][arrays["cells"]] if "cells" in arrays else arrays["points"][:, None, :]
    u = arrays["u"][:, :d]
    if len(u) != len(corners):
        u = u[arrays["cells"]].mean(axis=1)
        density = arrays["density"].ravel()
        if len(density) == len(arrays["U"]) == len(u):  # on cells: at points where the zone ends u is that of the zone
            u[density < 1.] = arrays["U"][density < 1., :d]
    return MacroImpact(u=np.ascontiguousarray(u), p=arrays["p"], arrays=arrays,
                       centres=corners.mean(axis=1)[:, :d],
                       bound=result["certificate"]["total_relative_error_bound"], **result)


def homogenize(x: Any, radii: Any, U: Field, zone: Optional[Field] = None, cone: str = "isotropic",
               cells: Optional[float] = None, *, lower: Any = None, upper: Any = None, angle: float = 0.,
               walls: Sequence[str] = (), tolerance: float = 1e-6, contact_tolerance: float = 1e-6,
               solver: str = "automatic", dilatancy: Union[None, float, str] = None, directions: Any = None,
               periodic: Sequence[bool] = (), D: Any = None, accuracy: float = 0.) -> Homogenization:
    """phi_n(U): U is averaged over the Voronoi cells of the spheres, projected on their cone in the metric of the cells, and
    compared with the continuum's u = P_C U.

    x, radii      centres (n, d) within the zone, radii (n,) or one for all, m
    U, zone, cone, cells, lower, upper, angle, walls, dilatancy, directions, periodic, D  as in macro_impact(): what the
                  spheres are compared with; cells None: twice the spheres per unit length, at least 64 in the plane and 16
                  in space. In directions in which the box repeats itself the images of centres within it are looked at, and
                  velocities are theirs
    tolerance, solver, accuracy  of the projection of the spheres, as in impact();  contact_tolerance  of the smaller
                  radius: what counts as touching

    >>> g = (np.arange(8) + .5) / 8
    >>> h = moreau.homogenize(np.stack(np.meshgrid(g, g), -1).reshape(-1, 2), 1 / 16, "-x; -y", cone="square")
    >>> h.u.shape, len(h.cells), bool(h.interval[0] <= h.error <= h.interval[1])
    ((64, 2), 64, True)
    """
    x, radii, _ = _checks.spheres(x, radii)
    if cells is None:
        cells = max({1: 256., 2: 64., 3: 16.}[x.shape[1]], 1. / radii.max())
    if lower is None and upper is None:
        lower, upper = np.zeros(x.shape[1]), np.ones(x.shape[1])
    settings, U, zone = _settings(U, zone, cone, cells, lower, upper, angle, walls, 0., tolerance, solver,
                                  dilatancy, directions, periodic)
    D = _mean_gradient(D, periodic)
    if len(_box(U, lower, upper)[0]) != x.shape[1]:
        raise ValueError(f"x has {x.shape[1]} columns, but the box has another dimension.")
    if any(periodic):
        corners = _box(U, lower, upper)
        x = _checks.within(x, corners[0], np.where(periodic, corners[1] - corners[0], 0.))
    settings.append("Problem=macro impact")
    contact_tolerance = _checks.number("contact_tolerance", contact_tolerance, 0., .999)
    accuracy = _checks.accuracy(accuracy, solver)
    with _in_terms_of_arguments():
        return Homogenization(**_compiled().homogenize(settings, x, radii, U, zone, contact_tolerance, accuracy, D))
