#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""States that ParaView saves run unchanged in situ, and ParaView sees a run live.

in_situ_paraview.py MOREAU, by a Python that has ParaView's vtkmodules; pvpython is in the path.
"""
import pathlib
import shutil
import socket
import subprocess
import threading

from cases import FALLING
from in_situ_runs import InSitu, catalyst, contents, data_of, main, needs_catalyst, picture
from runs import MOREAU

SCRIPTS = pathlib.Path(__file__).resolve().parent / "in_situ"
LONGEST_LIVE = 300  # seconds; it takes some ten
LIVE = """
import time
from paraview import catalyst
from paraview.simple import XMLPolyDataReader
spheres = XMLPolyDataReader(registrationName="spheres")
contacts = XMLPolyDataReader(registrationName="contacts")
options = catalyst.Options()
options.EnableCatalystLive = 1
options.CatalystLiveURL = "localhost:{port}"
def catalyst_execute(info):
    time.sleep({pause})
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


@needs_catalyst
class States(InSitu):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.open_display()

    def test_a_state_that_paraview_saved_runs_unchanged(self):
        self.write("falling.prm", FALLING)
        self.run_well("falling.prm", "--output", "first")
        opened = {"collection": ["solution.pvd"], "file": ["spheres_0000.vtp"],
                  "series": [f"spheres_{k:04}.vtp" for k in range(3)]}
        for name, files in opened.items():
            save = ["pvpython", SCRIPTS / "save_state.py", name + ".py", *(self.folder / "first" / file for file in files)]
            subprocess.run(save, cwd=self.folder, env=self.environment, check=True, capture_output=True)
            self.assertIn(f"registrationName='{files[0]}", (self.folder / f"{name}.py").read_text())
        # other spheres: the scripts must not read the files again
        said = self.run_well("falling.prm", "--output", "second", *catalyst(*(name + ".py" for name in opened)), "--set",
                             "Spheres/Vacancies=0.5")
        for trouble in "failed", "complains":
            self.assertNotIn(trouble, said)
        n_red = {}
        for name in opened:
            for k, step in enumerate((0, 5, 10)):
                image = picture(self.folder / f"second/in_situ/{name}_{step:06}.png")
                self.assertEqual(image.shape, (240, 320, 3))
                self.assertEqual(tuple(image[0, 0]), (255, 255, 255))
                n_red[name] = (abs(image - (255, 0, 0)) <= 40).all(axis=2).sum()  # squares, shaded
                self.assertGreater(n_red[name], 1000)
                if name == "collection":
                    continue
                sent = contents(data_of(self.folder / f"second/in_situ/{name}_{step:06}.pvtp"))
                written = contents(data_of(self.folder / f"second/spheres_{k:04}.vtp"))
                for key, value in written.items():
                    self.assertTrue(sent[key] == value, f"{key} of {name}, step {step}")
        self.assertAlmostEqual(n_red["collection"] / n_red["file"], 1.,
                               delta=0.2)  # ends of contacts are in centres or at the floor


@needs_catalyst
class Live(InSitu):
    def seen_live(self):
        """What a ParaView said that a run connected to; None if the two have waited for each other."""
        port = free_port()
        self.script("live.py", LIVE.format(port=port, pause=0.3))
        run = [MOREAU, "falling.prm", "--output", "out", *catalyst("live.py"), "--set", "In situ/Every=1"]
        with subprocess.Popen(["pvpython", str(SCRIPTS / "live_client.py"), str(port)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=self.environment) as client:
            patience = threading.Timer(LONGEST_LIVE, client.kill)
            patience.start()
            try:
                for line in client.stdout:
                    if line == "waiting\n":
                        break
                # ten steps of .3 s
                result = subprocess.run(run, cwd=self.folder, env=self.environment, text=True, capture_output=True,
                                        check=False, timeout=LONGEST_LIVE)
                self.assertEqual(result.returncode, 0, result.stderr)
                if client.poll() is not None:
                    return None
                client.kill()  # its handler of SIGTERM may wait for ever for a lock of its own
                return client.stdout.read().splitlines()
            except subprocess.TimeoutExpired:
                return None
            finally:
                patience.cancel()
                client.kill()

    def test_paraview_sees_a_run_live(self):
        self.write("falling.prm", FALLING)
        for _ in range(3):  # ParaView's own connection may hang, seldom
            seen = self.seen_live()
            if seen is not None:
                break
        self.assertIsNotNone(seen, "three times, ParaView and the run have waited for each other")
        self.assertIn("sources contacts spheres", seen)
        rows = [line.split() for line in seen if line.startswith("step ")]
        steps, heights = [int(row[1]) for row in rows], [float(row[3]) for row in rows]
        self.assertGreater(len(steps), 3, seen)  # a slow machine may miss some
        self.assertEqual(steps, sorted(set(steps)))
        self.assertEqual({row[2] for row in rows}, {"16"})
        self.assertEqual(heights, sorted(set(heights), reverse=True))  # they fall

    def test_a_run_goes_on_although_no_paraview_looks(self):
        self.write("falling.prm", FALLING)
        self.script("live.py", LIVE.format(port=free_port(), pause=0))
        self.run_well("falling.prm", "--output", "without")
        said = self.run_well("falling.prm", "--output", "with", *catalyst("live.py"))
        self.assertNotIn("failed", said)
        shutil.rmtree(self.folder / "with/in_situ")
        self.assert_same_results("without", "with")


if __name__ == "__main__":
    main()
