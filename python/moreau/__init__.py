# SPDX-License-Identifier: GPL-3.0-or-later
"""Impact laws of rigid spheres and of the granular continuum, with a certificate for every answer.

    r = moreau.impact(x, radii, U, restitution=.5)    # spheres that touch: r.u, r.p, r.contacts, r.certificate
    r = moreau.project(B, U, b)                       # any {v : Bv <= b}, scipy.sparse B
    c = moreau.certify(B, U, u, p, b)                 # anybody's answer
    m = moreau.macro_impact("-x; -y", cells=64)       # a velocity field: m.u, m.p, m.bound
    h = moreau.homogenize(x, radii, "-x; -y")         # spheres beside the continuum
    s = moreau.Motion(x, radii, force=[0, -9.81])     # in time: s.advance(t); s.x, s.u, s.contacts
    moreau.convert("contacts.hdf5", "contacts.npz")   # FCLib, Matrix Market, numpy, LAMMPS, CSV; moreau.certify_file(...)
    o = moreau.run("file.prm", {"Mesh/Cells per unit length": 128}); moreau.read("output/file")

Arrays are (n, d), SI units, row i is sphere i. Bad arguments raise ValueError with one sentence.
"""
from __future__ import annotations

from . import _micro
from ._results import Contacts, Impact, Projection
from .cones import certify, project, rigid_rows
from .continuum import Homogenization, MacroImpact, homogenize, macro_impact
from .motion import Motion
from .obstacles import Obstacle
from .program import Run, certify_file, convert, read, run
from .spheres import Packing, Wall, find_contacts, impact, random_packing, solvers

__version__: str = _micro.version
__all__ = [
    "Contacts", "Homogenization", "Impact", "MacroImpact", "Motion", "Obstacle", "Packing", "Projection", "Run", "Wall",
    "certify", "certify_file", "convert", "find_contacts", "homogenize", "impact", "macro_impact", "project",
    "random_packing", "read", "rigid_rows", "run", "solvers"]
