#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same impacts (e = 0, no friction) by several programs: seconds, and the error that `moreau certify` proves of each.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/benchmarks/league.py [options]
    --moreau FILE      the program (build/release/moreau)
    --discs 300,1000   about so many
    --ratios 1,1e3     of the largest and the smallest mass
    --seconds N        of processor time; a solver that takes longer is ended, and left out on larger problems (60)
    --gigabytes N      of memory, likewise (8)
    --solvers A;B      some of the columns

Discs on a triangular lattice, a tenth of the sites empty, thrown at each other; masses log-uniform within the ratio. Each
problem is written as a file of FCLib (`moreau convert`), a global one, and everybody gets what is in that file: M, B, U, b.
Answers are judged by `moreau certify FILE ANSWER`. A process a solver, one thread; seconds are the solver's alone, from sparse
matrices on.

SciPy: Lawson and Hanson's non-negative least squares of the dense dual, and the trust region method of its bounded least
squares for the sparse one. Siconos (python3-siconos, where it is installed), mu = 0, tolerance 1e-8 of its own measure, sparse
matrices: the local problem (W, q, tangents of their own) by nonsmooth Newton (NSN_AC), Gauss-Seidel, ADMM and extragradient,
the global one (M, H, f) by nonsmooth Newton (reduced to the local one) and ADMM; Lemke's pivoting on the dense W. Its global
interior point divides by mu and ends the process. CVXOPT (python3-cvxopt, where it is installed): the interior point of its
quadratic programs, sparse, all tolerances 1e-10. `exit` is what a program says of its answer, where that is not "found".
A table in Markdown."""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.optimize
import scipy.sparse as sp

import moreau

try:
    import siconos.numerics as sn
except ImportError:
    sn = None
try:
    import cvxopt.solvers
except ImportError:
    cvxopt = None

TOLERANCE = 1e-8  # of Siconos' own measure


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


class Problem:
    """What the file says, and what follows from it."""

    def __init__(self, file, program):
        numbers = file.with_suffix(".read.npz")
        subprocess.run([program, "convert", file, numbers], check=True, capture_output=True)
        with np.load(numbers) as of:
            shape = tuple(of["B_shape"])
            self.B = sp.csr_matrix((of["B_data"], of["B_indices"], of["B_indptr"]), shape=shape)
            self.U = of["U"].ravel()
            if "M_data" in of:
                M = sp.csr_matrix((of["M_data"], of["M_indices"], of["M_indptr"]), shape=tuple(of["M_shape"]))
            self.m = M.diagonal() if "M_data" in of else of["M"].ravel()
            self.b = of["b"].ravel() if "b" in of else np.zeros(shape[0])

    def velocity(self, p):
        return self.U - self.B.T @ p / self.m


def own(problem):
    r = moreau.project(problem.B, problem.U, problem.b, masses=problem.m)
    return r.u, r.p, 0


def nnls(problem):
    p, _ = scipy.optimize.nnls((problem.B.toarray() / np.sqrt(problem.m)).T, np.sqrt(problem.m) * problem.U,
                               maxiter=30 * problem.B.shape[0])
    return problem.velocity(p), p, 0


def trust_region(problem):
    A = (problem.B @ sp.diags(1 / np.sqrt(problem.m))).T.tocsr()
    found = scipy.optimize.lsq_linear(A, np.sqrt(problem.m) * problem.U, (0., np.inf), tol=1e-14, lsmr_tol="auto",
                                      max_iter=1000)
    return problem.velocity(found.x), found.x, 0 if found.success else found.status


def interior_point(problem):
    def matrix(A):
        A = A.tocoo()
        return cvxopt.spmatrix(A.data.tolist(), A.row.tolist(), A.col.tolist(), A.shape)

    tolerances = dict.fromkeys(("abstol", "reltol", "feastol"), 1e-10)
    found = cvxopt.solvers.coneqp(matrix(sp.diags(problem.m)), cvxopt.matrix(-problem.m * problem.U), matrix(problem.B),
                                  cvxopt.matrix(problem.b), options={"show_progress": False, "maxiters": 200, **tolerances})
    return np.ravel(found["x"]), np.ravel(found["z"]), 0 if found["status"] == "optimal" else 1


def options_of(solver, iterations):
    options = sn.SolverOptions(getattr(sn, solver))
    options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
    if iterations:
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = iterations
    return options


def local(solver, iterations=0):
    """W r + q of contacts in space; along the tangents, which no friction pulls at, W has its own diagonal."""
    def solve(problem):
        n = problem.B.shape[0]
        W = (problem.B @ sp.diags(1 / problem.m) @ problem.B.T).tocsr()
        normal = sp.csr_matrix((np.ones(n), (3 * np.arange(n), np.arange(n))), shape=(3 * n, n))
        tangents = np.repeat(W.diagonal(), 3)
        tangents[::3] = 0.
        q = np.zeros(3 * n)
        q[::3] = problem.b - problem.B @ problem.U
        r, u = np.zeros(3 * n), np.zeros(3 * n)
        friction = sn.FrictionContactProblem(3, (normal @ W @ normal.T + sp.diags(tangents)).tocsc(), q, np.zeros(n))
        status = sn.fc3d_driver(friction, r, u, options_of(solver, iterations))
        p = np.maximum(r[::3], 0.)
        return problem.velocity(p), p, status
    return solve


def lemke(problem):
    n = problem.B.shape[0]
    W = (problem.B @ sp.diags(1 / problem.m) @ problem.B.T).toarray()
    z, w = np.zeros(n), np.zeros(n)
    status = sn.linearComplementarity_driver(sn.LCP(W, problem.b - problem.B @ problem.U), z, w,
                                             options_of("SICONOS_LCP_LEMKE", 100000))
    return problem.velocity(z), z, status


def global_(solver, iterations=0):
    """M v = H r + f, u = Hᵀv + b with H = -Bᵀ and columns of 0 along the tangents, as FCLib's files have it."""
    def solve(problem):
        n, unknowns = problem.B.shape
        normal = sp.csr_matrix((np.ones(n), (3 * np.arange(n), np.arange(n))), shape=(3 * n, n))
        b = np.zeros(3 * n)
        b[::3] = problem.b
        friction = sn.GlobalFrictionContactProblem(3)
        friction.numberOfContacts = n
        friction.M, friction.H = sp.diags(problem.m).tocsc(), (-problem.B.T @ normal.T).tocsc()
        friction.q, friction.b, friction.mu = problem.m * problem.U, b, np.zeros(n)
        v, u, r = np.zeros(unknowns), np.zeros(3 * n), np.zeros(3 * n)
        status = sn.gfc3d_driver(friction, r, u, v, options_of(solver, iterations))
        p = np.maximum(r[::3], 0.)
        return problem.velocity(p), p, status
    return solve


def columns():
    found = {"moreau": own, "SciPy, nnls": nnls, "SciPy, lsq_linear": trust_region}
    if cvxopt:
        found["CVXOPT"] = interior_point
    if sn:
        prefix = "SICONOS_FRICTION_3D_"
        found.update({"Siconos, NSN_AC": local(prefix + "NSN_AC", 1000), "NSGS": local(prefix + "NSGS", 100000),
                      "ADMM": local(prefix + "ADMM"), "VI_EG": local(prefix + "VI_EG", 100000), "Lemke": lemke,
                      "global, NSN_AC": global_("SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR", 1000),
                      "global, ADMM": global_("SICONOS_GLOBAL_FRICTION_3D_ADMM")})
    return found


def asked(solve, problem, answer, limits):
    """Runs a solver in a process of its own, which writes the answer. (seconds, what it says) or what ended it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Siconos prints
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            used = int(time.process_time())
            resource.setrlimit(resource.RLIMIT_CPU, (used + int(limits.seconds), used + int(limits.seconds)))
            resource.setrlimit(resource.RLIMIT_AS, (int(limits.gigabytes * 2**30),) * 2)
            begin = time.process_time()
            u, p, verdict = solve(problem)
            taken = time.process_time() - begin
            np.savez(answer, u=u, p=p)
            os.write(writing, json.dumps([taken, int(verdict)]).encode())
            status = 0
        except MemoryError:
            os.write(writing, json.dumps([None, f"> {limits.gigabytes:g} GB"]).encode())
        except Exception as error:  # what another program throws is its answer
            os.write(writing, json.dumps([None, type(error).__name__]).encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, ended = os.waitpid(child, 0)
    if said:
        return json.loads(said)
    return [None, f"> {limits.seconds:g} s" if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) in (9, 24) else "crash"]


def judged(program, problem, answer):
    found = subprocess.run([program, "certify", problem, answer], capture_output=True, text=True, check=False)
    if found.returncode not in (0, 2):
        return "no answer"
    verdict = json.loads(found.stdout)
    bound = verdict["error_at_most"]
    return "no bound" if bound is None else f"{bound:.1e}" + ("" if verdict["guaranteed"] else " (estimate)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moreau", default=str(pathlib.Path(__file__).resolve().parents[2] / "build/release/moreau"))
    parser.add_argument("--discs", default="300,1000,3000")
    parser.add_argument("--ratios", default="1,1e3,1e6")
    parser.add_argument("--seconds", type=float, default=60.)
    parser.add_argument("--gigabytes", type=float, default=8.)
    parser.add_argument("--solvers", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    solvers = columns()
    if options.solvers:
        solvers = {name: solvers[name] for name in options.solvers.split(";")}
    slow = set()
    print("| discs | contacts | mass ratio |", " | ".join(solvers), "|\n|---|---|---|" + "---|" * len(solvers))
    with tempfile.TemporaryDirectory() as folder:
        names = "problem.hdf5", "numbers.npz", "answer.npz"
        problem_file, numbers, answer = (pathlib.Path(folder) / name for name in names)
        for n in map(int, options.discs.split(",")):
            for ratio in map(float, options.ratios.split(",")):
                x, R, masses, U = impact(n, ratio)
                B = moreau.impact(x, R, U, masses=masses).B.tocsr()
                np.savez(numbers, B_data=B.data, B_indices=B.indices, B_indptr=B.indptr, B_shape=B.shape, U=U.ravel(),
                         M=np.repeat(masses, 2))
                subprocess.run([options.moreau, "convert", numbers, problem_file], check=True, capture_output=True)
                problem = Problem(problem_file, options.moreau)
                cells = []
                for name, solve in solvers.items():
                    if (name, ratio) in slow:
                        cells.append("–")
                        continue
                    answer.unlink(missing_ok=True)
                    taken, said = asked(solve, problem, answer, options)
                    if taken is None:
                        cells.append(str(said))
                        slow.add((name, ratio))
                        continue
                    cells.append(f"{taken:.2g} s, {judged(options.moreau, problem_file, answer)}"
                                 + (f", exit {said}" if said else ""))
                print(f"| {len(x)} | {B.shape[0]} | {ratio:g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
