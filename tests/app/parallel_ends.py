#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of scripts/mpirun that are told to stop, or of which a process is killed: they end at once, and the next run begins in
the same folder without complaint. parallel_ends.py MOREAU
"""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from on_processes import MOREAU, OnProcesses

SCRIPT = str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun")
FLOW = """set Problem = congested flow
subsection Zone
  set Function expression = if(x < 0.5, 0.5, 0.1)
end
subsection Velocity
  set Function expression = sin(3*y); 0.5*cos(9*x)
end
subsection Mesh
  set Cells per unit length = 32
end
subsection Time
  set End time     = 500
  set Time step    = 0.01
  set Output every = 1
end
"""
MOTION = """set Problem = particle motion
set Dimension = 2
subsection Spheres
  set Arrangement             = square lattice
  set Spheres per unit length = 20
  set Cut by                  = whole sphere
end
subsection Zone
  set Walls = bottom, left
end
subsection Force
  set Function expression = 0; -10
end
subsection Time
  set Time step = 0.001
  set End time  = 500
end
"""
IMPACT = """set Problem = micro impact
set Dimension = 2
subsection Spheres
  set Spheres per unit length = 700
  set Vacancies = 0.3
end
"""
SHORT = "set Problem = micro impact\nsubsection Spheres\n set Spheres per unit length = 8\nend\n"
WAVES = "subsection Velocity\n set Function expression = sin(1e4*x*x + 3e4*y); cos(2e4*x - 1e4*y*y)\nend\n"
SOON = 60.  # s, on a busy machine; where mpirun waits for what will not come it takes two or four minutes


def children(process):
    return [int(child) for task in pathlib.Path(f"/proc/{process}/task").glob("*")
            for child in (task / "children").read_text().split()]


class Ends(OnProcesses):
    def begin(self, text, n=2):
        """The script, when it has written its first files or, of an impact, made the folder; and its processes by rank."""
        (self.folder / "case.prm").write_text(text)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_")}
        script = subprocess.Popen([SCRIPT, str(n), "case.prm", "--quiet", "--output", "out"], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={**environment, "MOREAU": MOREAU})
        self.addCleanup(script.stderr.close)
        self.addCleanup(script.kill)
        file = self.folder / "out" / ("parameters.prm" if "set End time" in text else ".moreau_runs_here")
        while not file.exists():  # the timeout of ctest ends a failure
            self.assertIsNone(script.poll(), "the run has ended too early")
            time.sleep(.02)
        launcher, = children(script.pid)
        return script, children(launcher)

    def ended(self, script):
        """Its status and sentences, and what it leaves."""
        begin = time.monotonic()
        err = script.communicate(timeout=300)[1]
        self.assertLess(time.monotonic() - begin, SOON)
        return (script.returncode, [line for line in err.splitlines() if line.startswith("moreau:")],
                {file.name for file in (self.folder / "out").iterdir()} if (self.folder / "out").exists() else set())

    def test_a_process_that_is_killed_ends_all_at_once_and_the_next_run_begins(self):
        for text, rank in (MOTION, 0), (FLOW, 1):
            script, ranks = self.begin(text)
            os.kill(ranks[rank], signal.SIGKILL)
            status, sentences, left = self.ended(script)
            self.assertEqual(status, 128 + signal.SIGKILL)
            self.assertIn("a process was ended by SIGKILL", " ".join(sentences))
            self.assertNotIn("summary.json", left)
            self.assertIn(".moreau_runs_here", left)  # locked by nobody
            for _ in 1, 2:
                status, out, err = self.run_on(2, SHORT, "--output", "out")
                self.assertEqual(status, 0, err)
                self.assertIn("replacing the results", out)
            left = {file.name for file in (self.folder / "out").iterdir()}
            self.assertIn("summary.json", left)
            self.assertEqual({name for name in left if name.startswith((".", "continuum", "statistics.csv.")) or
                              name == "checkpoint.moreau"}, set())

    def test_a_mistake_is_one_sentence_without_lines_of_the_launcher(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_")}
        stopped = "set Solver = projected gradient\nset Maximum iterations = 3\n" + WAVES + SHORT
        for text, status, words in ("set Restitution = 3\n", 1, "Restitution: '3' is not valid"), (stopped, 2, "Solver: It stopped"):
            (self.folder / "case.prm").write_text(text)
            process = subprocess.run([SCRIPT, "2", "case.prm", "--quiet", "--output", "out"], cwd=self.folder, text=True,
                                     capture_output=True, check=False, env={**environment, "MOREAU": MOREAU}, timeout=300)
            self.assertEqual(process.returncode, status, process.stderr)
            self.assertRegex(process.stderr, r"\Amoreau: case.prm: " + words + r"[^\n]*\n\Z")

    def test_a_second_run_in_a_folder_is_refused_while_the_first_one_lives(self):
        script, ranks = self.begin(FLOW)
        status, _, err = self.run_on(2, SHORT, "--output", "out")
        self.assertEqual(status, 1, err)
        self.assertIn("Another run writes into out", err)
        script.terminate()
        self.assertEqual(self.ended(script)[0], 143)

    def test_a_run_that_is_told_to_stop_writes_its_checkpoint(self):
        for text in MOTION, FLOW:
            for which in signal.SIGTERM, signal.SIGINT:
                script, _ = self.begin(text)
                script.send_signal(which)
                status, sentences, left = self.ended(script)
                self.assertEqual((status, len(sentences)), (143, 1), sentences)
                self.assertIn("--resume goes on", sentences[0])
                self.assertEqual(left & {"checkpoint.moreau", "log.txt", "summary.json", ".moreau_runs_here"},
                                 {"checkpoint.moreau", "log.txt"})

    def test_what_cannot_go_on_later_ends(self):
        script, _ = self.begin(IMPACT)
        script.terminate()
        status, sentences, left = self.ended(script)
        self.assertNotEqual(status, 0)
        self.assertEqual(len(sentences), 1, sentences)
        self.assertIn("before its results were complete", sentences[0])
        self.assertNotIn("summary.json", left)


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
