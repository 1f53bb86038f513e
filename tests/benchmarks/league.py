#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same impacts (e = 0, no friction) by several programs: seconds, and the error that moreau.certify proves of each answer.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/benchmarks/league.py [--discs 300,1000,3000] [--ratios 1,1e3,1e6]

Discs on a triangular lattice, a tenth of the sites empty, thrown at each other; masses log-uniform within the ratio. SciPy: Lawson
and Hanson's non-negative least squares on the dense dual. Siconos (python3-siconos, where it is installed): nonsmooth Gauss-Seidel
of frictional contact with mu = 0, and Lemke's pivoting and projected Gauss-Seidel of the complementarity problem, all on the dense
Delassus matrix, at the tolerance 1e-8 where they have one. All one thread; solvers that take longer than --seconds on one size are
left out on larger ones. A table in Markdown."""
import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.optimize

import moreau

try:
    import siconos.numerics as sn
except ImportError:
    sn = None


def impact(n, ratio):
    """Positions, radius, masses, U of about n discs in the unit square."""
    random = np.random.default_rng(n)
    h = np.sqrt(2 / np.sqrt(3) / n)
    i, j = np.meshgrid(np.arange(int(1 / h) + 1), np.arange(int(2 / np.sqrt(3) / h) + 1))
    x = np.stack([(i + .5 * (j % 2)).ravel(), (np.sqrt(3) / 2 * j).ravel()], -1) * h
    x = x[random.random(len(x)) > .1]
    masses = ratio ** random.uniform(0, 1, len(x))
    U = np.where(x[:, :1] < .5, 1., -1.) * [1., .2] + .1 * random.normal(size=x.shape)
    return x, h / 2, masses, U


def own(B, m, U, W, q, problem):
    x, R, masses, velocities = problem
    r = moreau.impact(x, R, velocities, masses=masses)
    return r.u.ravel(), r.p


def nnls(B, m, U, W, q, problem):
    p, _ = scipy.optimize.nnls((B / np.sqrt(m)).T, np.sqrt(m) * U, maxiter=30 * len(B))
    return U - B.T @ p / m, p


def complementarity(solver):
    def solve(B, m, U, W, q, problem):
        options = sn.SolverOptions(getattr(sn, solver))
        options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-8
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
        z, w = np.zeros(len(q)), np.zeros(len(q))
        sn.linearComplementarity_driver(sn.LCP(W, q), z, w, options)
        return U - B.T @ z / m, z
    return solve


def gauss_seidel(B, m, U, W, q, problem):
    n = len(q)
    W3, q3 = np.eye(3 * n), np.zeros(3 * n)
    W3[::3, ::3], q3[::3] = W, q
    options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
    options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-8
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
    r, u = np.zeros(3 * n), np.zeros(3 * n)
    sn.fc3d_driver(sn.FrictionContactProblem(3, W3, q3, np.zeros(n)), r, u, options)
    p = np.maximum(r[::3], 0.)
    return U - B.T @ p / m, p


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--discs", default="300,1000,3000")
    parser.add_argument("--ratios", default="1,1e3,1e6")
    parser.add_argument("--seconds", type=float, default=120.)
    options = parser.parse_args()
    solvers = {"moreau": own, "SciPy, nnls": nnls}
    if sn:
        solvers.update({"Siconos, NSGS": gauss_seidel, "Siconos, Lemke": complementarity("SICONOS_LCP_LEMKE"),
                        "Siconos, PGS": complementarity("SICONOS_LCP_PGS")})
    slow = set()
    print("| discs | contacts | mass ratio |", " | ".join(solvers), "|\n|---|---|---|" + "---|" * len(solvers))
    for n in map(int, options.discs.split(",")):
        for ratio in map(float, options.ratios.split(",")):
            problem = impact(n, ratio)
            x, R, masses, velocities = problem
            r = moreau.impact(x, R, velocities, masses=masses)
            B, m, U = r.B.toarray(), np.repeat(masses, 2), velocities.ravel()
            W, q = (B / m) @ B.T, -B @ U
            cells = []
            for name, solve in solvers.items():
                if (name, ratio) in slow:
                    cells.append("–")
                    continue
                begin = time.perf_counter()
                try:
                    u, p = solve(B, m, U, W, q, problem)
                except Exception as error:  # what another program throws is its answer
                    cells.append(type(error).__name__)
                    continue
                seconds = time.perf_counter() - begin
                if seconds > options.seconds / 10:
                    slow.add((name, ratio))
                c = moreau.certify(r.B, U, u, p, masses=m, expansion=(x - x.mean(0)).ravel()) if np.isfinite(p).all() else {}
                bound = c.get("relative_error_bound")
                cells.append(f"{seconds:.2g} s, " + ("no answer" if not c else "no bound" if bound is None else f"{bound:.1e}"))
            print(f"| {len(x)} | {len(B)} | {ratio:g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
