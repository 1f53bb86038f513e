# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of one parameter file on several processes, for tests: SCRIPT MOREAU."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MOREAU = str(pathlib.Path(sys.argv[1]).resolve())
# what is not a result: when, where, how long, in how much memory, by how many
CIRCUMSTANCES = {"wall_time_s", "peak_memory_bytes", "command", "date", "host", "threads", "processes", "observed_cost"}


def results(value):
    """The numbers and words of a summary without its circumstances."""
    if isinstance(value, dict):
        return {key: results(inner) for key, inner in value.items() if key not in CIRCUMSTANCES}
    return [results(inner) for inner in value] if isinstance(value, list) else value


class OnProcesses(unittest.TestCase):
    files = ()  # whose bytes are compared

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    @staticmethod
    def environment():
        return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}

    def start(self, n, text, *options):
        (self.folder / "case.prm").write_text(text)
        launcher = ["mpirun", "-n", str(n)] if n else []
        return subprocess.Popen([*launcher, MOREAU, "case.prm", "--output", f"out{n}", *options], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())

    def run_on(self, n, text, *options):
        process = self.start(n, text, *options)
        out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def run_with_little_space(self, output, rank, n=2):
        """case.prm, of which the process `rank` cannot write a file of more than 51200 bytes."""
        limited = f'[ $OMPI_COMM_WORLD_RANK = {rank} ] && ulimit -f 100; exec "$@"'
        return subprocess.run(["mpirun", "-n", str(n), "sh", "-c", limited, "sh", MOREAU, "case.prm", "--output", output],
                              cwd=self.folder, capture_output=True, text=True, env=self.environment(), timeout=600)

    def digest(self, n):
        folder = self.folder / f"out{n}"
        digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in self.files}
        digests["summary"] = results(json.loads((folder / "summary.json").read_text()))
        return digests

    def assert_one_sentence(self, n, text, words):
        """A mistake ends all processes with one sentence, and no result."""
        status, _, err = self.run_on(n, text)
        sentences = [line for line in err.splitlines() if line.startswith("moreau:")]
        self.assertEqual((status, len(sentences)), (1, 1), err)
        self.assertIn(words, sentences[0])
        self.assertFalse((self.folder / f"out{n}" / "summary.json").exists())
