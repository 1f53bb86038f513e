#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The projections of single time steps, solved by moreau and by Siconos to the same residual.

    motion_peers.py build/release/tests/benchmark_motion [--n 5000] [--limit 60]

benchmark_motion settles discs, solves the next step's projection from p = 0 ("cold") and from the multipliers of the step
before ("warm") and writes it as text. Here Siconos gets the same rows, masses, velocities and starts: 0 <= p, Wp + q >= 0,
complementary, with W = B M^-1 B^T and q = b - BU. Discs have no friction, so its contact problems are asked with a
coefficient 0 and tangential parts that do not couple, which is less work than they are made for. The residual of all is
measured by one function, with numpy:

    max |min(W_cc/2 p, Wp + q)| / typical speed.

Siconos stops on an error of its own: its tolerance is tightened tenfold until the residual is below 1e-6, and only the last
run is counted. Forming W is not counted. Dense methods are left out beyond 1000 rows.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import scipy.sparse as sparse
    import siconos.numerics as siconos
except ImportError as missing:
    sys.exit(f"motion_peers.py compares with Siconos ({missing}): install python3-siconos and python3-scipy, "
             "and use Debian's /usr/bin/python3.")

DEMANDED = 1e-6
DENSE_ROWS = 1000


class Problem:
    """0 <= p, Wp + q >= 0 of one step."""

    def __init__(self, file_name):
        with open(file_name, encoding="utf-8") as file:
            dim, n, rows, self.speed = (f(x) for f, x in zip((int, int, int, float), file.readline().split()))
            spheres = np.loadtxt(file, max_rows=n, ndmin=2)
            contacts = np.loadtxt(file, max_rows=rows, ndmin=2)
        i, j, e = contacts[:, 0].astype(int), contacts[:, 1].astype(int), contacts[:, 2 : 2 + dim]
        moving = j >= 0
        c, k = np.repeat(np.arange(rows), dim).reshape(rows, dim), np.arange(dim)
        row = np.concatenate([c.ravel(), c[moving].ravel()])
        column = np.concatenate([(dim * i[:, None] + k).ravel(), (dim * j[moving, None] + k).ravel()])
        B = sparse.csr_matrix((np.concatenate([e.ravel(), -e[moving].ravel()]), (row, column)), shape=(rows, dim * n))
        b, start, self.ours = contacts[:, 2 + dim], contacts[:, 3 + dim], {"cold": contacts[:, 4 + dim],
                                                                           "warm": contacts[:, 5 + dim]}
        self.start = {"cold": 0 * start, "warm": start}
        self.W = (B @ sparse.diags(1 / np.repeat(spheres[:, 0], dim)) @ B.T).tocsr()
        self.q = b - B @ spheres[:, 1:].ravel()
        # what Siconos gets has entries of the size of 1
        self.unit = self.speed / self.W.diagonal().mean()

    def residual(self, p):
        """What a certificate of moreau calls natural_residual."""
        p = np.maximum(p, 0)
        return np.abs(np.minimum(self.W.diagonal() / 2 * p, self.W @ p + self.q)).max() / self.speed


def with_long_indices(matrix):
    matrix = matrix.tocsc()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def options(name, tolerance, max_iterations):
    result = siconos.SolverOptions(getattr(siconos, name))
    result.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = max_iterations
    result.dparam[siconos.SICONOS_DPARAM_TOL] = tolerance
    return result


def as_complementarity(name, dense, max_iterations):
    """A linear complementarity problem."""

    def prepare(problem):
        M, q = problem.W * (problem.unit / problem.speed), problem.q / problem.speed
        lcp = siconos.LCP(M.toarray() if dense else with_long_indices(M), q)

        def solve(start, tolerance):
            z, w, how = start / problem.unit, M @ (start / problem.unit) + q, options(name, tolerance, max_iterations)
            siconos.linearComplementarity_driver(lcp, z, w, how)
            return z * problem.unit, how.iparam[siconos.SICONOS_IPARAM_ITER_DONE]

        return solve

    return prepare


def as_contact(name, max_iterations):
    """A contact problem of dimension 3 with friction 0."""

    def prepare(problem):
        m = problem.q.size
        normal = sparse.csr_matrix((np.ones(m), (3 * np.arange(m), np.arange(m))), shape=(3 * m, m))
        tangents = sparse.diags(np.tile([0.0, 1.0, 1.0], m))
        M = normal @ problem.W @ normal.T * (problem.unit / problem.speed) + tangents
        contact = siconos.FrictionContactProblem(3, with_long_indices(M), normal @ problem.q / problem.speed, np.zeros(m))

        def solve(start, tolerance):
            z, how = normal @ start / problem.unit, options(name, tolerance, max_iterations)
            siconos.fc3d_driver(contact, z, M @ z + normal @ problem.q / problem.speed, how)
            return normal.T @ z * problem.unit, how.iparam[siconos.SICONOS_IPARAM_ITER_DONE]

        return solve

    return prepare


METHODS = {
    "contact NSGS": (False, as_contact("SICONOS_FRICTION_3D_NSGS", 100000)),
    "contact ADMM": (False, as_contact("SICONOS_FRICTION_3D_ADMM", 100000)),
    "contact Newton (Alart-Curnier)": (False, as_contact("SICONOS_FRICTION_3D_NSN_AC", 1000)),
    "LCP projected gradient": (False, as_complementarity("SICONOS_LCP_CONVEXQP_PG", False, 100000)),
    "LCP PGS, dense": (True, as_complementarity("SICONOS_LCP_PGS", True, 100000)),
    "LCP Lemke, dense": (True, as_complementarity("SICONOS_LCP_LEMKE", True, 100000)),
}


def attempt(connection, problem, prepare, start):
    """In a process of its own: some solvers end the program. What they print is not ours."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    solve = prepare(problem)
    for tolerance in 10.0 ** -np.arange(6, 13):
        clock, cpu = time.perf_counter(), time.process_time()
        p, iterations = solve(start.copy(), tolerance)
        result = (time.perf_counter() - clock, time.process_time() - cpu, problem.residual(p), iterations)
        connection.send(result)
        if result[2] <= DEMANDED:
            break
    connection.close()


def run(problem, prepare, start, limit):
    """Clock, processor time, residual, iterations of the last attempt that ended; a word where there is none."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=attempt, args=(theirs, problem, prepare, start))
    process.start()
    theirs.close()
    last, end = "failed", time.monotonic() + limit
    try:
        while True:
            if not ours.poll(max(0.0, end - time.monotonic())):
                last = last if isinstance(last, tuple) else f"> {limit:g} s"
                break
            last = ours.recv()
    except EOFError:
        pass
    process.kill()
    process.join()
    return last


def show(case, rows, start, method, clock, cpu, residual, iterations, ratio):
    mark = "" if residual <= 1.01 * DEMANDED else "  above the residual"
    print(f"{case:24} {rows:7} {start:5} {method:31} {clock:10.4g} {cpu:10.4g} {residual:10.2e} {iterations:8} "
          f"{ratio:9.3g}{mark}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchmark", help="benchmark_motion")
    parser.add_argument("--n", default="5000", help="discs of the largest case (5000)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that one solver gets for one problem (60)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.json")
        subprocess.run([arguments.benchmark, "--export", os.path.join(folder, ""), "--export-n", arguments.n, "--json",
                        table],
                       check=True, stdout=subprocess.DEVNULL)
        with open(table, encoding="utf-8") as file:
            moreau = json.load(file)[0]
        print(f"load {os.getloadavg()[0]:.2f}")
        print(f"{'case':24} {'rows':>7} {'start':5} {'method':31} {'clock':>10} {'cpu':>10} {'residual':>10} "
              f"{'its':>8} {'cpu/ours':>9}")
        for row in moreau["rows"]:
            known = dict(zip(moreau["columns"], row))
            problem = Problem(known["file"])
            residual, start = problem.residual(problem.ours[known["start"]]), problem.start[known["start"]]
            show(known["case"], known["rows"], known["start"], "moreau", known["clock"], known["cpu"], residual,
                 known["its"], 1)
            for name, (dense, prepare) in METHODS.items():
                if dense and known["rows"] > DENSE_ROWS:
                    continue
                result = run(problem, prepare, start, arguments.limit)
                if isinstance(result, str):
                    print(f"{known['case']:24} {known['rows']:7} {known['start']:5} {name:31} {result:>10}", flush=True)
                else:
                    show(known["case"], known["rows"], known["start"], name, *result, result[1] / known["cpu"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
