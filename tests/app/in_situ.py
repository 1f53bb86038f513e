#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalyst scripts in situ: when they are called, and that nothing they do hurts the run: in_situ.py MOREAU."""
import shutil
import signal
import subprocess

from cases import two_blocks_on_a_line
from in_situ_runs import HAS_CATALYST, InSitu, catalyst, main, needs_catalyst
from runs import MOREAU

FALLING = """set Problem = particle motion
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 4
end
subsection Zone
  set Walls = left, bottom
end
subsection Velocity
  set Function expression = sin(20*y); -1
end
subsection Force
  set Function expression = 0; -9.81
end
subsection Time
  set End time = 0.1
  set Time step = 0.01
  set Output every = 0.05
end
"""
FLYING = two_blocks_on_a_line(cells=50, end_time=0.1, output_every=0.05)
PAIR = "set Restitution = 1\nsubsection Spheres\n  set Arrangement = cradle\n  set Spheres per unit length = 1\nend\n"

# writes down when it is called
NOTES = """
import os.path
from paraview import catalyst
from paraview.simple import CreateExtractor, XMLPolyDataReader
name = os.path.splitext(os.path.basename(__file__))[0]
options = catalyst.Options()
def catalyst_execute(info):
    with open(name + ".txt", "a") as file:
        print(info.timestep, info.time, file=file)
"""
OPTIONS = "from paraview import catalyst\noptions = catalyst.Options()\n"
FAILING = {
    "unfinished": ("def catalyst_execute(info:\n", "SyntaxError"),
    "without_module": ("import no_such_module\n", "no_such_module"),
    "without_file": ("open('no_such_file')\n", "no_such_file"),
    "leaving": ("import sys\nsys.exit(3)\n", "SystemExit"),
    "at_start": ("def catalyst_initialize():\n    raise ValueError('cold')\n", "cold"),
    "late": ("def catalyst_execute(info):\n    if info.timestep == 5:\n        raise ValueError('too late')\n", "too late"),
    "leaving_late": ("def catalyst_execute(info):\n    if info.timestep == 5:\n        raise SystemExit\n", "SystemExit"),
    "interrupted": ("def catalyst_execute(info):\n    raise KeyboardInterrupt\n", "KeyboardInterrupt"),
    "exiting": ("import os\ndef catalyst_execute(info):\n    os._exit(0)\n", "os._exit"),
    "doubling": ("import os\ndef catalyst_execute(info):\n    os.fork()\n", "os.fork"),
    "at_end": ("def catalyst_finalize():\n    raise ValueError('tired')\n", "tired"),
    "without_channel": ("from paraview.simple import CreateExtractor, XMLPolyDataReader\n"
                        "flakes = XMLPolyDataReader(registrationName='flakes', FileName=['flakes.vtp'])\n"
                        "flakes.UpdatePipeline()\nCreateExtractor('VTP', flakes)\n", "flakes.vtp"),
    "without_array": ("from paraview.simple import Calculator, XMLPolyDataReader\n"
                      "spheres = XMLPolyDataReader(registrationName='spheres')\n"
                      "Calculator(Input=spheres, Function='2*colour').UpdatePipeline()\n", "colour"),
}
DRAWING = """
from paraview import catalyst
from paraview.simple import CreateExtractor, CreateView, Show, XMLPolyDataReader
view = CreateView("RenderView")
Show(XMLPolyDataReader(registrationName="spheres"), view)
CreateExtractor("PNG", view)
options = catalyst.Options()
"""


@needs_catalyst
class Scripts(InSitu):
    def setUp(self):
        super().setUp()
        for name, text in ("falling", FALLING), ("flying", FLYING), ("pair", PAIR):
            self.write(name + ".prm", text)
        self.script("notes.py", NOTES)

    def calls(self, output, name="notes"):
        """Steps and times at which a script was called."""
        rows = [line.split() for line in (self.folder / output / f"in_situ/{name}.txt").read_text().splitlines()]
        return [int(step) for step, _ in rows], [float(time) for _, time in rows]

    def test_scripts_that_fail_do_not_stop_the_run_nor_other_scripts(self):
        self.run_well("falling.prm", "--output", "without")
        for name, (text, _) in FAILING.items():
            self.script(name + ".py", OPTIONS + text)
        for name in "first.py", "last.py":
            self.script(name, NOTES)
        said = self.run_well("falling.prm", "--output", "with",
                             *catalyst("first.py", *(name + ".py" for name in FAILING), "last.py"))
        for name, (_, reason) in FAILING.items():
            lines = [line for line in said.replace("\n  ", " ").splitlines() if line.startswith((name + ".py ",
                                                                            f"ParaView complains in {name}.py:"))]
            self.assertEqual(len(lines), 1, f"{name}: {lines}")
            self.assertIn(reason, lines[0])
        for name in "first", "last":
            self.assertEqual(self.calls("with", name)[0], [0, 5, 10])
            self.assertEqual(said.count(name + ".py"), 1)  # in the list of scripts
        self.assertGreaterEqual((self.folder / "with/log.txt").read_text().count("Traceback"), 11)
        shutil.rmtree(self.folder / "with/in_situ")
        self.assert_same_results("without", "with")

    def test_a_rounding_mode_that_a_script_sets_does_not_stay(self):
        self.run_well("falling.prm", "--output", "without")
        self.script("upward.py", OPTIONS + "import ctypes\ndef catalyst_execute(info):\n"
                    "    ctypes.CDLL('libm.so.6').fesetround(0x800)\n    open('called', 'w').close()\n")
        self.run_well("falling.prm", "--output", "with", *catalyst("upward.py"))
        self.assertTrue((self.folder / "with/in_situ/called").exists())
        shutil.rmtree(self.folder / "with/in_situ")
        self.assert_same_results("without", "with")

    def test_scripts_that_take_too_long_are_left_out(self):
        self.run_well("pair.prm", "--output", "without")
        endless = {"counting": "while True: pass", "sleeping": "import time\n    time.sleep(1e6)",
                   "deaf": "import time\n    for k in range(2):\n        try: time.sleep(1e6)\n"
                           "        except Exception: pass\n    time.sleep(1e6)",
                   "late": "import signal, time\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    time.sleep(4)"}
        for name, text in endless.items():
            self.script(name + ".py", OPTIONS + f"def catalyst_execute(info):\n    {text}\n")
        said = self.run_well("pair.prm", "--output", "with", "--set", "In situ/Time limit=3",
                             *catalyst(*(name + ".py" for name in endless), "notes.py"))
        for name in endless:
            lines = [line for line in said.splitlines() if line.startswith(name + ".py ")]
            self.assertEqual(len(lines), 1, said)
            self.assertIn("longer than 3 s (In situ/Time limit)", lines[0])
        self.assertTrue(self.calls("with")[0])
        shutil.rmtree(self.folder / "with/in_situ")
        self.assert_same_results("without", "with")

    def test_what_cannot_be_interrupted_is_named(self):
        self.script("locked.py", OPTIONS + "import ctypes\ndef catalyst_execute(info):\n"
                    "    import signal\n    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
                    "    ctypes.PyDLL('libc.so.6').sleep(9)\n"
                    "    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])\n")
        result = self.moreau("pair.prm", "--output", "with", "--set", "In situ/Time limit=2", *catalyst("locked.py"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("the run waits for locked.py", result.stderr)

    def test_threads_that_scripts_leave_behind_do_not_hold_the_exit(self):
        self.script("thread.py", OPTIONS + "import threading, time\ndef catalyst_execute(info):\n"
                    "    threading.Thread(target=time.sleep, args=(1e6,)).start()\n    open('called', 'w').close()\n")
        self.run_well("pair.prm", "--output", "with", *catalyst("thread.py"))
        self.assertTrue((self.folder / "with/in_situ/called").exists())

    def test_without_a_display_pictures_are_left_out(self):
        self.script("drawing.py", DRAWING)
        for display in None, ":9999":
            with self.subTest(display=display):
                if display:
                    self.environment["DISPLAY"] = display
                said = self.run_well("pair.prm", "--output", "out", *catalyst("drawing.py", "spheres.py", "notes.py"))
                for name in "drawing.py", "spheres.py":
                    lines = [line for line in said.splitlines() if line.startswith(name + " ")]
                    self.assertEqual(len(lines), 1, said)
                    self.assertIn("no display", lines[0])
                self.assertEqual([p.name for p in self.extracts("out")], ["notes.txt"])
        self.environment.pop("DISPLAY", None)

    def test_xvfb_run_gives_a_display(self):
        result = subprocess.run(["xvfb-run", "-a", MOREAU, "pair.prm", "--output", "out",
                                 *catalyst("spheres.py", "notes.py")],
                                cwd=self.folder, text=True, capture_output=True, check=False, env=self.environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("failed", result.stdout)
        self.assertIn("spheres_000000.png", [p.name for p in self.extracts("out")])

    def test_scripts_are_called_every_so_many_steps(self):
        self.script("every_fourth.py", NOTES + "options.GlobalTrigger = 'TimeStep'\noptions.GlobalTrigger.Frequency = 4\n")
        scripts = catalyst("notes.py", "every_fourth.py")
        for problem, every in ("falling", 3), ("flying", 0), ("flying", 1):
            with self.subTest(problem=problem, every=every):
                self.run_well(problem + ".prm", "--output", "out", *scripts, "--set", f"In situ/Every={every}")
                rows = self.rows("out/statistics.csv")
                time_of = {0: 0., **{int(row["step"]): float(row["time"]) for row in rows}}
                pictures = [step for step, time in time_of.items() if min(abs(time - t) for t in (0., .05, .1)) < 1e-12]
                self.assertEqual(len(pictures), 3)
                expected = list(range(0, len(rows) + 1, every)) if every else pictures
                steps, times = self.calls("out")
                self.assertEqual(steps, expected)
                self.assertEqual(times, [time_of[step] for step in steps])
                self.assertEqual(self.calls("out", "every_fourth")[0], [step for step in expected if step % 4 == 0])

    def test_a_run_that_is_told_to_stop_goes_on_later_with_its_extracts(self):
        slow = NOTES.replace("        print(", "        import time; time.sleep(0.2)\n        print(")
        self.script("slow.py", slow)
        run = ("falling.prm", *catalyst("slow.py"), "--set", "In situ/Every=1", "--output")
        self.run_well("falling.prm", "--output", "whole")
        process = self.start(*run, "stopped")
        self.wait_for("stopped/in_situ/slow.txt", process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 143)
        self.assertRegex(process.stderr.read(), r"\Amoreau: falling.prm: [^\n]*--resume[^\n]*\.\n\Z")
        stopped = self.calls("stopped", "slow")[0]
        self.assertLess(len(stopped), 11)
        self.run_well(*run, "stopped", "--resume")
        self.assertEqual(self.calls("stopped", "slow")[0], list(range(11)))
        shutil.rmtree(self.folder / "stopped/in_situ")
        self.assert_same_results("whole", "stopped")

    def test_a_script_that_asks_the_run_to_stop_is_obeyed_as_often_as_it_asks(self):
        self.script("stopping.py", OPTIONS + "import os, signal\ndef catalyst_execute(info):\n"
                    "    os.kill(os.getpid(), signal.SIGINT)\n    signal.raise_signal(signal.SIGINT)\n")
        steps = ("--set", "Time/Output every=0", "--set", "Time/End time=0.03")
        self.run_well("falling.prm", *steps, "--output", "whole")
        run = ("falling.prm", *steps, *catalyst("stopping.py"), "--set", "In situ/Every=1", "--output", "stopped")
        for step in 1, 2, 3:
            result = self.moreau(*run, *(["--resume", "--set", "In situ/Time limit=50"] if step > 1 else []))
            self.assertEqual(result.returncode, 0 if step == 3 else 130, result.stderr)
            if step < 3:
                self.assertRegex(result.stderr, r"\Amoreau: falling.prm: [^\n]*--resume[^\n]*\.\n\Z")
        shutil.rmtree(self.folder / "stopped/in_situ")
        self.assert_same_results("whole", "stopped")

    def test_a_script_that_crashes_is_named_and_the_next_run_is_whole(self):
        self.script("crashing.py", OPTIONS + "import ctypes\ndef catalyst_execute(info):\n"
                    "    if info.timestep in (0, 5): ctypes.string_at(0)\n")
        self.write("late.py", (self.folder / "crashing.py").read_text().replace("(0, 5)", "(5,)"))
        whole = ("falling.prm", "--set", "Time/Checkpoint every=2", "--output")
        self.run_well(*whole, "whole")
        for script, resumes in ("crashing.py", False), ("late.py", True):
            result = self.moreau(*whole, "crashed", *catalyst(script))
            self.assertEqual(result.returncode, -signal.SIGSEGV)
            self.assertRegex(result.stderr, rf"\Amoreau: [^\n]*{script}[^\n]*\.\n\Z")
            left = {path.name for path in (self.folder / "crashed").iterdir()}
            self.assertIn("statistics.csv.incomplete", left)
            self.assertNotIn("summary.json", left)
            self.assertEqual("checkpoint.moreau" in left, resumes)
            self.run_well(*whole, "crashed", *(["--resume"] if resumes else []))
            if resumes:  # what scripts made stays
                shutil.rmtree(self.folder / "crashed/in_situ")
            self.assert_same_results("whole", "crashed")

    def test_a_new_run_removes_extracts_of_an_earlier_one(self):
        for _ in range(2):
            self.run_well("pair.prm", "--output", "out", *catalyst("notes.py"))
            self.assertEqual(self.calls("out")[0], [0])
            (self.folder / "out/in_situ/deep").mkdir()
        self.run_well("pair.prm", "--output", "out")
        self.assertFalse((self.folder / "out/in_situ").exists())
        (self.folder / "out/in_situ").mkdir()
        self.write("out/in_situ/mine.txt", "not of a run\n")
        for arguments in (), catalyst("notes.py"), ():
            self.run_well("pair.prm", "--output", "out", *arguments)
            self.assertTrue((self.folder / "out/in_situ/mine.txt").exists())

    def test_scripts_are_found_beside_the_parameter_file(self):
        (self.folder / "studies").mkdir()
        for name in "pair.prm", "notes.py":
            shutil.move(self.folder / name, self.folder / "studies" / name)
        self.write("studies/colours.py", "best = 'green'\n")
        self.script("studies/with_module.py", "import colours\n" + NOTES + "print(colours.best)\n")
        said = self.run_well("studies/pair.prm", "--output", "out", *catalyst("notes.py", "with_module.py"))
        self.assertEqual(self.calls("out")[0], [0])
        self.assertIn("green", said.splitlines())


class Builds(InSitu):
    """Of any build: with and without Catalyst."""

    def test_a_build_without_catalyst_says_so(self):
        moreau = MOREAU
        if HAS_CATALYST:
            moreau = self.folder / "moreau"
            shutil.copy(MOREAU, moreau)
        version = subprocess.run([moreau, "--version"], text=True, capture_output=True, check=True).stdout
        self.assertIn("Catalyst no", version.splitlines())
        self.write("pair.prm", PAIR)
        self.script("notes.py", NOTES)
        result = subprocess.run([moreau, "pair.prm", "--output", "out", *catalyst("notes.py")], cwd=self.folder, text=True,
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: pair.prm: In situ/Catalyst script: [^\n]*no Catalyst[^\n]*\.\n\Z")
        self.assertFalse((self.folder / "out").exists())
        result = subprocess.run([moreau, "pair.prm", "--output", "out"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0)


if __name__ == "__main__":
    main()
