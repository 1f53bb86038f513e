# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of whole runs share: a folder, the program, and what it writes."""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

MOREAU = str(pathlib.Path(sys.argv[1]).resolve())
# Newton's cradle, e = 1: the first of five spheres strikes the others
CRADLE = """set Restitution = 1
subsection Spheres
  set Arrangement = cradle
  set Spheres per unit length = 1
end
subsection Velocity
  set Function expression = if(x < 1, 1, 0); 0
end
"""


class Runs(unittest.TestCase):
    CLOCK_COLUMNS = ()  # of statistics.csv
    # of summary.json; subclasses add theirs
    CLOCK_KEYS = ("wall_time_s", "peak_memory_bytes", "resumed", "command", "date", "host", "threads")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def moreau(self, *arguments, processes=1):
        launcher = ["mpirun", "-n", str(processes)] if processes > 1 else []
        return subprocess.run([*launcher, MOREAU, *arguments], cwd=self.folder, text=True, capture_output=True, check=False)

    def run_well(self, *arguments, processes=1):
        result = self.moreau(*arguments, processes=processes)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout + result.stderr)
        return result.stdout

    def refused(self, place, *arguments):
        result = self.moreau(*arguments)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stderr, rf"\Amoreau: [a-z]+\.prm: {place}: [^\n]+\.\n\Z")
        self.assertNotIn(". ", result.stderr.split(place + ": ", 1)[1])
        return result.stderr

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def summary(self, output):
        return json.loads((self.folder / output / "summary.json").read_text())

    def start(self, *arguments):
        process = subprocess.Popen([MOREAU, *arguments, "--quiet"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, file, process):
        while not (self.folder / file).exists():  # the timeout of ctest ends a failure
            self.assertIsNone(process.poll(), "the run has ended too early")
            time.sleep(0.005)

    def assert_same_results(self, one, other):
        names = [{p.name for p in (self.folder / o).iterdir()} for o in (one, other)]
        self.assertEqual(*names)
        for name in names[0] - {"log.txt", "parameters.prm", "summary.json", "statistics.csv", "checkpoint.moreau"}:
            self.assertEqual((self.folder / one / name).read_bytes(), (self.folder / other / name).read_bytes(), name)
        tables = [self.rows(o + "/statistics.csv") for o in (one, other)]
        for table in tables:
            for row in table:
                for column in self.CLOCK_COLUMNS:
                    row.pop(column, None)
        self.assertEqual(*tables)
        summaries = [self.summary(o) for o in (one, other)]
        for summary in summaries:
            for key in self.CLOCK_KEYS:
                summary.pop(key, None)
        self.assertEqual(*summaries)
