# SPDX-License-Identifier: GPL-3.0-or-later
"""moreau.run and moreau.read: what the program leaves, as arrays."""
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy as np

import moreau

DISCS = "set Problem = micro impact\nsubsection Spheres\n set Spheres per unit length = 8\nend\n"
FIELD = "set Problem = macro impact\nsubsection Mesh\n set Cells per unit length = 16\nend\n"


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.output = pathlib.Path(self.folder.name) / "output"

    def tearDown(self):
        self.folder.cleanup()

    def test_summary_tables_and_arrays_are_of_one_run(self):
        o = moreau.run(DISCS, output=self.output)
        n = o["spheres"]
        self.assertTrue(o.converged and o.certificate["guaranteed"])
        self.assertEqual(len(o.tables["spheres"]["x"]), n)
        arrays = o.arrays()
        self.assertEqual(arrays["spheres"]["u"].shape, (n, 3))
        np.testing.assert_array_equal(arrays["spheres"]["u"][:, 0], o.tables["spheres"]["ux"])
        np.testing.assert_array_equal(arrays["spheres"]["points"][:, 1], o.tables["spheres"]["y"])
        np.testing.assert_array_equal(arrays["contacts"]["p"], o.tables["contacts"]["p"])
        self.assertEqual(dict(o), moreau.read(self.output).summary)

    def test_the_program_and_the_function_agree(self):
        o = moreau.run(DISCS, {"Restitution": .5}, output=self.output)
        spheres, contacts = o.tables["spheres"], o.tables["contacts"]
        x = np.stack([spheres["x"], spheres["y"]], -1)
        U = o.arrays()["spheres"]["U"][:, :2]
        r = moreau.impact(x, spheres["radius"], U, spheres["mass"], restitution=.5)
        np.testing.assert_array_equal(r.contacts, np.stack([contacts["i"], contacts["j"]], -1))
        np.testing.assert_allclose(r.u, np.stack([spheres["ux"], spheres["uy"]], -1), atol=1e-12)
        self.assertEqual(set(r.certificate), set(o.certificate))
        for name, value in r.certificate.items():
            self.assertAlmostEqual(value, o.certificate[name], delta=1e-12, msg=name)

    def test_settings_are_numbers_words_and_lists(self):
        o = moreau.run(FIELD, {"Mesh/Cells per unit length": 24, "Zone/Upper corner": [2, 1], "Tolerance": 1e-5,
                               "Cone/Type": "square"}, output=self.output)
        self.assertEqual(o["cone"], "square")
        self.assertEqual(len(o.arrays()["continuum"]["p"]), 2 * 24 * 24)

    def test_large_arrays_of_several_blocks_are_read(self):
        o = moreau.run(FIELD, {"Mesh/Cells per unit length": 128}, output=self.output)  # 393 kB of u, blocks of 262 kB
        u, U, rho = (o.arrays()["continuum"][name] for name in ("u", "U", "density"))
        self.assertEqual(u.shape, (128 * 128, 3))
        self.assertAlmostEqual(.5 * (U**2).sum() / 128**2, o["energy_before"], delta=.01 * o["energy_before"])
        self.assertTrue((rho == 1.).all())

    def test_grains_are_numbered_where_directions_jump(self):
        o = moreau.run(pathlib.Path(__file__).parents[2] / "prm/macro/polycrystal.prm", {"Mesh/Cells per unit length": 8},
                       output=self.output)
        continuum = o.arrays()["continuum"]
        corners = continuum["points"][continuum["cells.connectivity"].reshape(-1, 3)]
        is_left = corners[:, :, 0].mean(axis=1) < 1.
        grain = continuum["grain"]
        self.assertEqual(set(grain), {0., 1.})
        self.assertTrue((grain[is_left] == grain[is_left][0]).all() and (grain[~is_left] == 1. - grain[is_left][0]).all())

    def test_several_processes_leave_the_same(self):
        one = moreau.run(FIELD, output=self.output)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_")}
        with unittest.mock.patch.dict(os.environ, plain, clear=True):  # as root, on one core: nothing else is to be set
            two = moreau.run(FIELD, output=self.output.with_name("two"), processes=2)
        self.assertEqual(two["processes"], 2)
        self.assertAlmostEqual(one["energy_after"], two["energy_after"], delta=1e-9)
        self.assertEqual(two.arrays()["continuum"]["u"].shape, one.arrays()["continuum"]["u"].shape)

    def test_pieces_of_spheres_are_read_as_one(self):
        lattice = DISCS.replace("= 8", "= 130\n set Arrangement = square lattice") + \
            "subsection Velocity\n set Function expression = -x; sin(9*y)\nend\n"
        one = moreau.run(lattice, output=self.output)
        two = moreau.run(lattice, output=self.output.with_name("two"), processes=2)
        self.assertTrue((two.path / "spheres_0000.pvtp").exists())
        for name, n, arrays in ("spheres", one["spheres"], ("points", "u")), ("contacts", len(one.tables["contacts"]["p"]), ("p",)):
            for array in arrays:
                a, b = one.arrays()[name][array], two.arrays()[name][array]
                self.assertEqual(a.shape, b.shape)
                if name == "spheres":
                    self.assertEqual(len(a), n)
                    np.testing.assert_array_equal(a, b)

    def test_the_output_directory_of_texts_may_be_a_setting_or_in_the_text(self):
        target = self.output.with_name("elsewhere")
        self.assertEqual(moreau.run(DISCS, {"Output directory": str(target)}).path, target)
        self.assertTrue((target / "summary.json").exists())
        again = target.with_name("again")
        self.assertEqual(moreau.run(f"set Output directory = {again}\n" + DISCS).path, again)
        self.assertTrue((again / "summary.json").exists())

    def test_an_output_directory_on_a_line_that_goes_on_is_found(self):
        target = self.output.with_name("elsewhere")
        file = pathlib.Path(self.folder.name) / "discs.prm"
        file.write_text(DISCS + f"set Output \\  # a remark\n  directory = \\\n  {target}\n")
        self.assertEqual(moreau.run(file).path, target)
        file.write_text(DISCS + f"set Output directory = {target}  two\twords # blanks count once\n")
        self.assertEqual(moreau.run(file).path, target.with_name("elsewhere two words"))

    def test_folders_of_others_are_refused_in_one_sentence(self):
        folder = self.output
        folder.mkdir()
        for summary, pictures in (("[1, 2]", None), ('{"a": 1}', None), ("7", None), ("\x00", None),
                                  ('{"problem": "p", "status": "s"}', "<a>"),
                                  ('{"problem": "p", "status": "s"}', "<a><DataSet/></a>")):
            (folder / "summary.json").write_text(summary)
            if pictures:
                (folder / "solution.pvd").write_text(pictures)
            with self.assertRaises(ValueError) as caught:
                moreau.read(folder)
            self.assertRegex(str(caught.exception), r"\A[^\n]* holds files that no run of moreau has left: [^\n]+\.\Z")

    def test_motions_have_moments(self):
        o = moreau.run("set Problem = particle motion\nsubsection Spheres\n set Spheres per unit length = 4\nend\n"
                       "subsection Force\n set Function expression = 0; -9.81\nend\n"
                       "subsection Time\n set End time = 0.1\n set Time step = 0.01\nend\n", output=self.output)
        self.assertGreater(len(o.times), 1)
        self.assertAlmostEqual(o.times[-1], .1)
        self.assertFalse(np.array_equal(o.arrays(0)["spheres"]["points"], o.arrays(-1)["spheres"]["points"]))
        self.assertRaises(ValueError, o.arrays, 10**6)

    def test_sentences_of_the_program_are_raised(self):
        with self.assertRaisesRegex(ValueError, "Restitution.*2"):
            moreau.run(DISCS, {"Restitution": 2}, output=self.output)
        with self.assertRaisesRegex(ValueError, "no_such_file.prm"):
            moreau.run("no_such_file.prm", output=self.output)
        with self.assertRaisesRegex(ValueError, "Sphere/Radius"):
            moreau.run(DISCS, {"Sphere/Radius": 1}, output=self.output)
        self.assertRaisesRegex(ValueError, "no summary.json", moreau.read, self.folder.name)
        self.assertRaisesRegex(ValueError, "processes is 0", moreau.run, DISCS, processes=0)
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch("tempfile.tempdir", folder):
            self.assertRaisesRegex(ValueError, "Sphere/Radius", moreau.run, DISCS, {"Sphere/Radius": 1})
            self.assertEqual(os.listdir(folder), [])

    def test_what_is_no_setting_no_path_and_no_number_is_refused(self):
        for value in (None, 1j, np.ma.masked, [[1, 2]], np.eye(2), len, {}, b"x", "a\0b", "\ud800"):
            with self.assertRaisesRegex(ValueError, r"settings\['Zone/Upper corner'\] is .*, but it must be .*\.\Z"):
                moreau.run(DISCS, {"Zone/Upper corner": value}, output=self.output)
        for settings in (["Restitution=1"], "Restitution=1", {1: 2}, 7):
            with self.assertRaisesRegex(ValueError, r"settings is .*, but it must be a dict"):
                moreau.run(DISCS, settings, output=self.output)
        for function, arguments, words in (
                (moreau.run, (None,), "file is None"), (moreau.run, ("a\0",), "file is 'a"),
                (moreau.read, (5,), "directory is 5"), (moreau.convert, (None, "b.npz"), "source is None"),
                (moreau.convert, ("a.npz", ""), "target is ''"),
                (moreau.certify_file, ("a.npz", 1), "answer is 1")):
            with self.assertRaisesRegex(ValueError, words + ".*, but it must be a path"):
                function(*arguments)
        for named, words in ((dict(timeout="1"), "timeout is '1'"), (dict(timeout=0), "timeout is 0"),
                             (dict(output=""), "output is ''")):
            self.assertRaisesRegex(ValueError, words, moreau.run, DISCS, **named)
        self.assertRaisesRegex(ValueError, "tolerance is 'x'", moreau.certify_file, "a.npz", tolerance="x")
        self.assertRaisesRegex(ValueError, "units is 'SI'", moreau.convert, "a.data", "a.csv", units="SI")
        self.assertFalse(self.output.exists())
        self.assertRaisesRegex(ValueError, "k is 'spheres'", moreau.run(DISCS, output=self.output).arrays, "spheres")

    def test_a_run_that_is_told_to_end_writes_its_checkpoint(self):
        motion = ("set Problem = particle motion\nsubsection Spheres\n set Spheres per unit length = 8\nend\n"
                  "subsection Time\n set End time = 1e6\n set Time step = 0.01\n set Output every = 1e5\nend\n")
        for processes in 2, 1:
            begin = time.monotonic()
            with self.assertRaises(subprocess.TimeoutExpired):
                moreau.run(motion, output=self.output, timeout=5., processes=processes)
            self.assertLess(time.monotonic() - begin, 14.)  # before it is told a second time
            self.assertTrue((self.output / "checkpoint.moreau").exists())
        timer = threading.Timer(5., os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            moreau.run(motion, output=self.output, resume=True)
        self.assertFalse(timer.is_alive())
        steps = np.genfromtxt(self.output / "statistics.csv", delimiter=",", names=True, comments="#")
        o = moreau.run(motion, {"Time/End time": steps["time"][-1] + .05}, output=self.output, resume=True)
        self.assertTrue(o.converged)
        self.assertEqual(len(o.tables["statistics"]["time"]), len(steps) + 5)

    def test_a_program_that_does_not_end_is_killed_by_a_second_interrupt(self):
        stubborn = pathlib.Path(self.folder.name) / "stubborn"
        stubborn.write_text("#!/bin/sh\ntrap '' TERM\nwhile true; do sleep .1; done\n")
        stubborn.chmod(0o755)
        begin, timers = time.monotonic(), [threading.Timer(t, os.kill, (os.getpid(), signal.SIGINT)) for t in (1., 2.)]
        with unittest.mock.patch.dict(os.environ, {"MOREAU_PROGRAM": str(stubborn)}):
            for timer in timers:
                timer.start()
            self.assertRaises(KeyboardInterrupt, moreau.run, DISCS, output=self.output)
        self.assertFalse(timers[1].is_alive())
        self.assertLess(time.monotonic() - begin, 10.)

    def test_files_of_other_programs(self):
        folder = pathlib.Path(self.folder.name)
        B, U = np.array([[1., -1., 0.], [0., 1., -1.]]), np.array([1., 0., -1.])
        np.savez(folder / "row.npz", B=B, U=U)
        np.savez(folder / "answer.npz", u=np.zeros(3))
        self.assertIsNone(moreau.convert(folder / "row.npz", folder / "row.hdf5"))
        for problem in ("row.npz", "row.hdf5"):
            self.assertTrue(moreau.certify_file(folder / problem, folder / "answer.npz")["certified"])
        np.savez(folder / "wrong.npz", u=np.full(3, .1))
        wrong = moreau.certify_file(folder / "row.npz", folder / "wrong.npz")
        self.assertFalse(wrong["certified"])
        self.assertAlmostEqual(wrong["error_at_most"], .1 * np.sqrt(3. / 2.), places=5)
        (folder / "s.dump").write_text("ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z radius\n1 0 0 0 1\n")
        self.assertIn("taken as SI", moreau.convert(folder / "s.dump", folder / "s.csv", dimension=2))
        self.assertRaisesRegex(ValueError, "cannot be read", moreau.convert, folder / "none.npz", folder / "a.npz")

    def test_the_file_says_where_the_output_is(self):
        os.chdir(self.folder.name)
        try:
            pathlib.Path("case.prm").write_text(DISCS)
            self.assertEqual(moreau.run("case.prm").path, pathlib.Path("output/case"))
            pathlib.Path("case.prm").write_text("set Output directory = there # not here\n" + DISCS)
            self.assertEqual(moreau.run("case.prm").path, pathlib.Path("there"))
            pathlib.Path("-case.prm").write_text(DISCS)
            o = moreau.run("-case.prm", {" Output  directory": "with blanks"})
            self.assertEqual(o.path, pathlib.Path("with blanks"))
            o = moreau.run("-case.prm")
            os.chdir("/")
            self.assertEqual(o.arrays()["spheres"]["u"].shape, (o["spheres"], 3))
        finally:
            os.chdir("/")


if __name__ == "__main__":
    unittest.main()
