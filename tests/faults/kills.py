#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends runs at random moments, lets them go on with --resume until they are done, and compares what is there with an
undisturbed run, byte for byte: kills.py MOREAU N [SEED]. N kills of a motion and N of a flow, by SIGKILL and SIGTERM."""
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from results import differences

RUNS = {
    "motion": """set Problem     = particle motion
set Dimension   = 2
set Restitution = 0.3
subsection Spheres
  set Arrangement             = random packing
  set Spheres per unit length = 25
  set Density                 = 2500
end
subsection Random packing
  set Spread of radii = 0.2
end
subsection Zone
  set Lower corner = 0, 0
  set Upper corner = 0.4, 0.6
  set Walls        = left, bottom
end
subsection Force
  set Function expression = 0; -9.81
end
subsection Time
  set End time         = 0.1
  set Time step        = 1e-3
  set Output every     = 0.01
  set Checkpoint every = 7
end
""",
    "flow": """set Problem     = congested flow
set Dimension   = 2
set Restitution = 0.5
subsection Zone
  set Lower corner        = -1, -0.5
  set Upper corner        = 0.5, 0.5
  set Function expression = if(x < -0.1, 0.6, 0)
  set Walls               = left, bottom, top
end
subsection Maximal density
  set Function expression = if(x > 0 & x < 0.0625 & abs(y) > 0.09375, 0, 1)
end
subsection Force
  set Function constants  = tau = 0.1
  set Function expression = (if(x < 0, (0.03125 - x)/sqrt((0.03125 - x)^2 + y*y), 1) - ux)/tau; \\
                            (if(x < 0, -y/sqrt((0.03125 - x)^2 + y*y), 0) - uy)/tau
end
subsection Mesh
  set Cells per unit length = 24
end
subsection Time
  set End time         = 0.4
  set Output every     = 0.02
  set Checkpoint every = 5
end
"""}
MOST_KILLS = 4  # of one run
SIGNALS = (signal.SIGKILL, signal.SIGTERM)


class Victim:
    def __init__(self, moreau, folder, name):
        self.moreau, self.folder, self.name = moreau, folder, name
        (folder / f"{name}.prm").write_text(RUNS[name])
        start = time.monotonic()
        self.start("whole").wait()
        self.seconds = time.monotonic() - start
        if not (folder / "whole/summary.json").exists():
            raise RuntimeError(f"the {name} does not run")

    def start(self, output):
        resume = ["--resume"] if (self.folder / output / "checkpoint.moreau").exists() else []
        command = [self.moreau, f"{self.name}.prm", "--quiet", "--output", output, "--set", "Threads=1", *resume]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def kill(self, how):
        """Ends a run by this signal at some moment. Returns what is wrong, and whether the signal came before its end."""
        process = self.start("killed")
        try:
            _, said = process.communicate(timeout=random.uniform(0, self.seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(how)
            _, said = process.communicate()
        if process.returncode == 0:
            return [], False
        wrong = []
        if process.returncode not in (-how, 143 if how == signal.SIGTERM else -how):
            wrong.append(f"status {process.returncode} after {how.name}: {said}")
        if process.returncode == 143 and not (self.folder / "killed/checkpoint.moreau").exists():
            wrong.append("status 143 without a checkpoint")
        if (self.folder / "killed/summary.json").exists():  # it came when all was written
            wrong += [reason for reason in differences(self.folder / "whole", self.folder / "killed")
                      if reason != "only one has .moreau_runs_here"]
        return wrong, True

    def follow(self, most, signals):
        """A run with up to `most` kills, then to its end. Returns how many there were, by signal, and what is wrong."""
        shutil.rmtree(self.folder / "killed", ignore_errors=True)
        kills, wrong = {how: 0 for how in SIGNALS}, []
        for _ in range(most):
            how = random.choice(signals)
            complaints, hit = self.kill(how)
            wrong += complaints
            if not hit:
                break
            kills[how] += 1
        process = self.start("killed")
        _, said = process.communicate()
        if process.returncode != 0:
            return kills, wrong + [f"the last run ends with {process.returncode}: {said}"]
        return kills, wrong + differences(self.folder / "whole", self.folder / "killed")


def main():
    moreau, wanted = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2])
    random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    failures = 0
    for name in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            victim = Victim(moreau, pathlib.Path(folder), name)
            kills, runs = {how: 0 for how in SIGNALS}, 0
            while sum(kills.values()) < wanted:
                here, wrong = victim.follow(min(MOST_KILLS, wanted - sum(kills.values())), SIGNALS)
                runs += 1
                for how in SIGNALS:
                    kills[how] += here[how]
                for complaint in wrong:
                    print(f"FAILED {name}, run {runs}: {complaint}", flush=True)
                failures += bool(wrong)
                print(f"{name}, run {runs}: {sum(kills.values())} kills", flush=True)
            print(f"{name}: {runs} runs of {victim.seconds:.1f} s, " +
                  ", ".join(f"{how.name} {n}" for how, n in kills.items()), flush=True)
    print(f"{failures} runs differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
