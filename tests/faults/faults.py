#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the N-th write, open, rename, allocation, ... of a run fail, for N = 1, 2, 3, ... until a run passes, and looks at
what it says and leaves: faults.py MOREAU [--small] [PROBLEM...]. Every value of Problem has an example.

A run that fails ends with status 1, or 3 where memory is missing, and says one sentence. It leaves nothing, or, where
something moved in time, whole files without a summary.json, from which --resume goes on if there is a checkpoint. A run that
passes in spite of the fault has the results of one without. Exit status 77 where the library that lets calls fail cannot be
compiled."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from results import differences, names, what_is_not_whole

HERE = pathlib.Path(__file__).resolve().parent
LEAST_BYTES = 4096  # of a malloc that fails; every operator new may
FIRST_ALLOCATIONS, FACTOR = 20, 1.3  # all of them, then in geometric progression
CALLS_OF_MPI = (1, 3, 10, 30, 100, 300, 1000, 3000)
# in small: of each kind, of allocations, of MPI; all problems but these have one of each alone
A_FEW, FEW_ALLOCATIONS, FEW_CALLS_OF_MPI = (1, 4, 9), (1, 50, 2000, 20000), (30,)
CLOSELY = ("micro impact", "micro impact, HDF5", "particle motion")
TIME_LIMIT = 120  # s

DISCS = """subsection Spheres
  set Spheres per unit length = 4
  set Cut by                  = whole sphere
end
"""
MOTION = """set Dimension = 2
set Restitution = 0.3
subsection Spheres
  set File = discs.csv
end
subsection Zone
  set Walls = bottom, left
end
subsection Force
  set Function expression = 0; -10
end
"""
PROBLEMS = {
    "micro impact": "set Restitution = 0.5\n" + DISCS + "subsection Zone\n  set Walls = left\nend\n",
    "micro impact, HDF5": "set Table format = hdf5\n" + DISCS,
    "micro impact, sequence": """set Restitution = 1
subsection Spheres
  set Arrangement = cradle
  set Spheres per unit length = 1
  set Gap = 0.125
end
subsection Impact sequence
  set Maximum number of impacts = 100
end
""",
    "macro impact": "subsection Mesh\n  set Cells per unit length = 8\nend\nsubsection Cone\n  set Type = isotropic\nend\n",
    "macro impact, directions":
        "subsection Mesh\n  set Cells per unit length = 8\nend\nsubsection Cone\n  set Type = triangular\nend\n",
    "homogenization": """subsection Velocity
  set Function expression = sin(3*x + y) - x; cos(2*y) - x*y
end
subsection Cone
  set Type = square
end
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 4, 8
end
subsection Mesh
  set Cells per unit length = 16
end
""",
    "homogenization, samples": """subsection Velocity
  set Function expression = -x*x - y/2; sin(4*x)/2 - y
end
subsection Spheres
  set Arrangement = random packing
end
subsection Homogenization
  set Packings           = 30
  set Seeds              = 1, 2
  set Contact tolerances = 0.2
  set Dilatancies        = 0.3
end
subsection Mesh
  set Cells per unit length = 6
end
""",
    "particle motion": MOTION + """subsection Time
  set Time step        = 0.01
  set End time         = 0.12
  set Output every     = 0.06
  set Checkpoint every = 5
end
""",
    "particle motion, packing": """set Dimension = 2
subsection Spheres
  set Arrangement = random packing
  set Spheres per unit length = 4
end
subsection Random packing
  set Coverage = 0.3
end
subsection Zone
  set Walls = bottom
end
subsection Force
  set Function expression = 0; -10
end
subsection Time
  set Time step    = 0.01
  set End time     = 0.04
  set Output every = 0.02
end
""",
    "particle motion, system": """set Restitution = 0.5
subsection System
  set Type = oscillator with a stop
end
subsection Time
  set Scheme           = inertia operator
  set Time step        = 0.1
  set End time         = 1.2
  set Checkpoint every = 5
end
""",
    "congested flow": """set Dimension = 2
set Restitution = 0.5
subsection Zone
  set Function expression = if(x < 0.5, 1, 0.5)
  set Walls = left, right
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1); 0
end
subsection Mesh
  set Cells per unit length = 8
end
subsection Time
  set End time         = 0.05
  set Output every     = 0.05
  set Checkpoint every = 2
end
""",
    "congested flow, blocks": """set Dimension = 1
set Restitution = 0.5
subsection Congested flow
  set Method      = exact blocks
  set Blocks file = blocks.csv
end
subsection Mesh
  set Cells per unit length = 8
end
subsection Time
  set End time         = 0.3
  set Time step        = 0.05
  set Output every     = 0.15
  set Checkpoint every = 2
end
""",
    "time convergence": MOTION + "subsection Time\n  set Time step = 0.02, 0.01\n  set End time = 0.1\nend\n",
    "contact cone": """subsection Spheres
  set Arrangement             = square lattice
  set Spheres per unit length = 4
end
subsection Zone
  set Periodic = x, y
end
""",
}
KINDS = ("write", "full", "open", "rename", "fsync", "close", "mkdir", "unlink", "new")
PARALLEL = ("micro impact", "macro impact", "homogenization", "congested flow", "contact cone")  # on two processes


class Campaign:
    def __init__(self, moreau, folder):
        self.moreau, self.folder = moreau, folder
        (folder / "discs.csv").write_text("x,y,radius,ux,uy\n0.2,0.101,0.1,1,-1\n0.45,0.1,0.1,-2,0\n0.7,0.35,0.1,0,-1\n")
        (folder / "blocks.csv").write_text("left,right,u\n0,0.25,1\n0.25,0.5,1\n0.625,0.75,-2\n")
        self.tried, self.complaints = {}, []

    def compile(self, name, *options):
        library = self.folder.parent / f"{name}.so"
        compiler = os.environ.get("CXX", "g++")
        done = subprocess.run([compiler, "-std=c++17", "-O1", "-shared", "-fPIC", str(HERE / f"{name}.cc"), *options, "-o",
                               str(library), "-ldl"], capture_output=True, text=True, check=False)
        return library if done.returncode == 0 else None

    def run(self, problem, output, *arguments, fault=None, number=0, library=None, processes=1, process=0):
        """Status, stderr, whether the fault happened, and how many calls of its kind there were."""
        report = self.folder.parent / "report"
        report.unlink(missing_ok=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FAULT")}
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
        faulty = {"LD_PRELOAD": str(library), "FAULT": str(fault), "FAULT_NUMBER": str(number), "FAULT_REPORT": str(report),
                  "FAULT_FOLDER": str(self.folder), "FAULT_BYTES": str(LEAST_BYTES), "FAULT_PROCESS": str(process)}
        command = [self.moreau, problem.replace(" ", "_") + ".prm", "--quiet", "--output", output, "--set", "Threads=1",
                   *arguments]
        if processes > 1:
            given = [word for name, value in faulty.items() for word in ("-x", f"{name}={value}")] if fault else []
            command = ["mpirun", "-n", str(processes), *given, *command]
        elif fault:
            environment |= faulty
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
                                  errors="replace", timeout=TIME_LIMIT)
            status, said = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, said = "none", f"it was still there after {TIME_LIMIT} s"
        lines = report.read_text().splitlines() if report.exists() else []
        return status, said, "failed" in lines, max([int(line) for line in lines if line.isdigit()], default=0)

    def begin(self, problem, processes=1):
        """The run that nothing disturbs."""
        file = self.folder / (problem.replace(" ", "_") + ".prm")
        file.write_text(f"set Problem = {problem.split(',')[0]}\n{PROBLEMS[problem]}")
        shutil.rmtree(self.folder / "whole", ignore_errors=True)
        status, said, *_ = self.run(problem, "whole", processes=processes)
        if status != 0:
            raise RuntimeError(f"{problem} does not run: {status}, {said}")

    def complain(self, what, *reasons):
        self.complaints.append(f"{what}: " + "; ".join(reasons))
        print("FAILED", self.complaints[-1], flush=True)

    def fault(self, problem, kind, number, library):
        """One run with a fault. Returns whether there was one."""
        shutil.rmtree(self.folder / "new", ignore_errors=True)
        output = self.folder / "new" / "out"
        if kind == "unlink":  # only results of an earlier run are removed
            shutil.copytree(self.folder / "whole", output)
        status, said, happened, _ = self.run(problem, "new/out", fault=kind, number=number, library=library)
        if not happened:
            return False
        self.tried[problem, kind] = self.tried.get((problem, kind), 0) + 1
        wrong = self.after_success(output, kind) if status == 0 else self.after_failure(problem, kind, output, status, said)
        if wrong:
            self.complain(f"{problem}, {kind} {number}: status {status}, {said.strip()!r}", *wrong)
        return True

    def after_success(self, output, kind):
        wrong = differences(self.folder / "whole", output)
        plots = ("cone", "convergence", "costs", "disorder", "motions", "profile")
        pictures = [f"only one has {name}" for name in (*(f"{name}.{end}" for name in plots for end in ("png", "gp")),
                                                        "cone_plot.csv", "motions_plot.csv")]
        log = (output / "log.txt").read_text() if (output / "log.txt").exists() else ""
        if kind == "unlink":  # the last one: the mark of a run stays, as it does when a run is killed
            wrong = [reason for reason in wrong if reason != "only one has .moreau_runs_here"]
        if "is not drawn" in log or "cannot be written" in log:  # the run goes on without a plot and says so
            wrong = [reason for reason in wrong if reason not in pictures + ["summary.json differs"]]
        return wrong

    def after_failure(self, problem, kind, output, status, said):
        wrong = [] if status == 1 or kind == "new" and status == 3 else ["the status is not that of an answer"]
        if not re.fullmatch(r"moreau: [^\n]+\.\n", said):
            wrong.append("it is not one sentence")
        if kind == "unlink" and output.exists():  # what could not be removed is there
            left = names(output)
            return wrong + (["a summary beside other results that are gone"]
                            if "summary.json" in left and left != names(self.folder / "whole") else [])
        has_checkpoint = (output / "checkpoint.moreau").exists()
        wrong += [reason for reason in what_is_not_whole(output, self.folder / "whole")
                  if not (has_checkpoint and reason.endswith(".csv.incomplete is left"))]  # --resume goes on with it
        if (self.folder / "new").exists() and (not output.exists() or not names(output)):
            wrong.append("an empty folder is left")
        if not wrong and has_checkpoint:
            status, said, *_ = self.run(problem, "new/out", "--resume")
            wrong = [f"--resume ends with {status}: {said.strip()}"] if status != 0 else differences(self.folder / "whole",
                                                                                                     output)
        return wrong

    def all_faults(self, problem, library, numbers=None):
        """numbers: of each kind; else all, and of allocations many."""
        self.begin(problem)
        for kind in KINDS:
            if numbers or kind != "new":
                for number in numbers[kind] if numbers else range(1, 10000):
                    if not self.fault(problem, kind, number, library):
                        break
            else:
                *_, total = self.run(problem, "count", fault=kind, library=library)
                shutil.rmtree(self.folder / "count")
                number = 1
                while number <= total:
                    self.fault(problem, kind, number, library)
                    number = number + 1 if number < FIRST_ALLOCATIONS else int(number * FACTOR) + 1
            print(f"{problem}, {kind}: {self.tried.get((problem, kind), 0)} faults", flush=True)

    def faults_of_mpi(self, problem, library, numbers, processes=(0, 1)):
        """The run ends, says something, and has no summary; the next one in its folder is whole."""
        self.begin(problem, processes=2)
        output = self.folder / "new" / "out"
        for process in processes:
            for number in numbers:
                shutil.rmtree(self.folder / "new", ignore_errors=True)
                status, said, happened, _ = self.run(problem, "new/out", fault="mpi", number=number, library=library,
                                                     processes=2, process=process)
                if not happened:
                    break
                self.tried[problem, "mpi"] = self.tried.get((problem, "mpi"), 0) + 1
                wrong = []
                if status in (0, "none") or not said.strip():
                    wrong.append("it did not end as an error does")
                if (output / "summary.json").exists():
                    wrong.append("summary.json is there")
                again, told, *_ = self.run(problem, "new/out", processes=2)
                wrong += [f"the next run ends with {again}: {told}"] if again != 0 else differences(self.folder / "whole",
                                                                                                    output)
                if wrong:
                    self.complain(f"{problem}, mpi {number} on process {process}: status {status}, {said[-300:]!r}", *wrong)
        print(f"{problem}, mpi: {self.tried.get((problem, 'mpi'), 0)} faults", flush=True)


def problems_without_example(moreau):
    schema = json.loads(subprocess.run([moreau, "--parameters=json"], capture_output=True, text=True, check=True).stdout)
    return set(schema["properties"]["Problem"]["enum"]) - {name.split(",")[0] for name in PROBLEMS}


def shim_of_mpi(campaign):
    """None where there is no MPI."""
    if not shutil.which("mpirun") or not shutil.which("mpicxx"):
        return None
    flags = subprocess.run(["mpicxx", "-showme:compile"], capture_output=True, text=True, check=True).stdout.split()
    return campaign.compile("mpi_shim", *flags)


def a_few(campaign, problems, library, mpi):
    """Of problems that are looked at closely some faults of each kind; of the others one, another one of each problem."""
    for turn, problem in enumerate(problems):
        some = {kind: FEW_ALLOCATIONS if kind == "new" else A_FEW for kind in KINDS}
        one = {kind: [some[kind][(turn + k) % len(some[kind])]] for k, kind in enumerate(KINDS)}
        campaign.all_faults(problem, library, some if problem in CLOSELY else one)
        if mpi and problem in PARALLEL:
            campaign.faults_of_mpi(problem, mpi, FEW_CALLS_OF_MPI, processes=(turn % 2,))


def main():
    moreau = str(pathlib.Path(sys.argv[1]).resolve())
    small = "--small" in sys.argv
    problems = [word for word in sys.argv[2:] if word != "--small"] or list(PROBLEMS)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "runs").mkdir()
        campaign = Campaign(moreau, pathlib.Path(folder).resolve() / "runs")
        library = campaign.compile("shim")
        if library is None:
            print("the library that lets calls fail cannot be compiled here")
            return 77
        for problem in sorted(problems_without_example(moreau)):
            campaign.complain(problem, "has no example here")
        mpi = shim_of_mpi(campaign)
        if small:
            a_few(campaign, problems, library, mpi)
        for problem in [] if small else problems:
            campaign.all_faults(problem, library)
        for problem in [problem for problem in PARALLEL if mpi and not small and problem in problems]:
            campaign.faults_of_mpi(problem, mpi, CALLS_OF_MPI)
        print(f"{sum(campaign.tried.values())} faults, {len(campaign.complaints)} not answered as they should be")
        return 1 if campaign.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
