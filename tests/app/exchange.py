#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`moreau certify` and `moreau convert` as users of numpy, scipy, FCLib, LAMMPS and CSV files call them."""
import json
import math
import shutil
import subprocess
import unittest

import numpy as np
import scipy.optimize
import scipy.sparse

from runs import Runs

ROW = "x,radius,mass,ux\n0,0.5,1,1\n1,0.5,2,0\n2,0.5,1,-0.5\n3,0.5,3,-1\n"


class Exchange(Runs):
    def certified(self, *arguments):
        result = self.moreau("certify", *arguments)
        self.assertIn(result.returncode, (0, 2), result.stderr)
        said = json.loads(result.stdout)
        self.assertEqual(said["certified"], result.returncode == 0)
        self.assertEqual(result.stderr == "", result.returncode == 0)
        return said

    def complains(self, about, *arguments):
        result = self.moreau(*arguments)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"\Amoreau: [^\n]+\n\Z")
        self.assertIn(about, result.stderr)

    def written(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def numpy_problem(self, n=30, m=60, seed=0):
        random = np.random.default_rng(seed)
        inner, B = random.normal(size=n), random.normal(size=(m, n)) * (random.random((m, n)) < .2)
        B *= np.where(B @ inner > 0, -1, 1)[:, None]
        return scipy.sparse.csr_matrix(B), random.normal(size=n), np.exp(random.normal(size=n))

    def save(self, name, B, U, masses, **more):
        np.savez_compressed(self.folder / name, B_data=B.data, B_indices=B.indices, B_indptr=B.indptr, B_shape=B.shape, U=U,
                            M=masses, **more)
        return name

    def test_answers_of_scipy_are_judged(self):
        B, U, masses = self.numpy_problem()
        # min |sqrt(M)(u - U)| over Bu <= 0 by its dual, non-negative least squares
        root = np.sqrt(masses)
        p, _ = scipy.optimize.nnls((B @ scipy.sparse.diags(1 / root)).T.toarray(), root * U)
        u = U - B.T @ p / masses
        name = self.save("problem.npz", B, U, masses)
        right = self.certified(name, self.save("right.npz", B, U, masses, u=u, p=p))
        self.assertTrue(right["certified"] and right["guaranteed"])
        self.assertEqual(right["given"], ["u", "p"])
        np.savez(self.folder / "rough.npz", u=u + 1e-3 * np.ones_like(u))
        wrong = self.certified(name, "rough.npz")
        error = 1e-3 * np.sqrt(masses.sum()) / wrong["certificate"]["scale"]
        self.assertFalse(wrong["certified"])
        self.assertEqual(wrong["given"], ["u"])
        self.assertAlmostEqual(wrong["error_at_most"], error, delta=1e-6)
        self.assertAlmostEqual(wrong["error_at_least"], error, delta=1e-6)
        self.assertTrue(self.certified(name, "rough.npz", "--tolerance", "0.1")["certified"])
        self.assertEqual(self.certified(name)["answer"], "none: solved here")

    def test_estimates_do_not_stand_in_the_place_of_bounds(self):
        # a row that lets only a tiny velocity through has no room to repair an answer that violates it
        B, U = scipy.sparse.csr_matrix([[1e-100, -1e-100]]), np.array([1., -1.])
        name = self.save("tiny.npz", B, U, np.ones(2))
        np.savez(self.folder / "same.npz", u=U, p=np.zeros(1))
        judged = self.certified(name, "same.npz")
        self.assertEqual((judged["certified"], judged["certificate"]["guaranteed"]), (False, False))
        self.assertAlmostEqual(judged["error_at_least"], 1, delta=1e-6)
        self.assertIsNone(judged["certificate"]["relative_error_bound"])
        self.assertIsNone(judged["certificate"]["bound_relative_to_u"])
        self.assertEqual(judged["certificate"]["error_estimate"], 0)
        self.assertIsNotNone(judged["own_solution"]["certificate"]["relative_error_bound"])

    def test_an_answer_with_negative_impulses_is_judged_as_it_was_given(self):
        # u = U - B'p = (.5, .5), whose projection is 0
        np.savez(self.folder / "turned.npz", B=np.array([[1., -1.], [1., 1.]]), U=[1., -1.], b=[0., 5.])
        np.savez(self.folder / "negative.npz", p=[1., -.5])
        judged = self.certified("turned.npz", "negative.npz")
        self.assertFalse(judged["certified"])
        error = math.sqrt(.5) / judged["certificate"]["scale"]
        self.assertAlmostEqual(judged["error_at_most"], error, delta=1e-6)
        self.assertAlmostEqual(judged["error_at_least"], error, delta=1e-6)
        self.assertGreater(judged["certificate"]["dual_infeasibility"], 0)

    def test_right_velocities_do_not_certify_wrong_impulses(self):
        pair = {"B": np.array([[0., 0., -1.]]), "U": [1., 0., -1.]}
        np.savez(self.folder / "pair.npz", u=[1., 0., 0.], p=[50.], **pair)
        judged = self.certified("pair.npz")
        self.assertFalse(judged["certified"])
        self.assertLess(judged["error_at_most"], 1e-6)
        self.assertAlmostEqual(judged["error_of_multipliers"], 49 / math.sqrt(2), delta=1e-5)
        self.assertIn("the impulses p that were given are not those that make it", self.moreau("certify", "pair.npz").stderr)
        np.savez(self.folder / "pair.npz", u=[1., 0., 0.], p=[1.], **pair)
        self.assertTrue(self.certified("pair.npz")["certified"])
        np.savez(self.folder / "pair.npz", u=[1., 0., 0.], **pair)
        judged = self.certified("pair.npz")
        self.assertTrue(judged["certified"])
        self.assertNotIn("error_of_multipliers", judged)

    def test_without_a_scale_nothing_is_relative(self):
        np.savez(self.folder / "rest.npz", B=-np.eye(2), U=[0., 0.], b=[1e-9, 1e-9], p=[1e-7, 0.])
        judged = self.certified("rest.npz")
        self.assertFalse(judged["certified"])
        self.assertIn("they are absolute", judged["remark"])
        said = self.moreau("certify", "rest.npz").stderr
        self.assertIn("only the exact answer is certified", said)
        self.assertNotIn("relative to the scale", said)

    def test_a_file_that_kills_libhdf5_is_a_sentence(self):
        B, U, masses = self.numpy_problem(12, 9, 1)
        self.save("a.npz", B, U, masses)
        self.run_well("convert", "a.npz", "good.hdf5")
        good = (self.folder / "good.hdf5").read_bytes()
        integers, killed, at = b"\x10\x08\0\0\x04\0\0\0", 0, -1
        while (at := good.find(integers, at + 1)) >= 0:
            (self.folder / "bad.hdf5").write_bytes(good[:at + 10] + b"\0" + good[at + 11:])  # integers of no bits
            result = self.moreau("convert", "bad.hdf5", "b.npz")
            self.assertIn(result.returncode, (0, 1), result.stderr)
            if "killed" in result.stderr:
                killed += 1
                self.complains("bad.hdf5: It is damaged", "convert", "bad.hdf5", "b.npz")
        self.assertGreater(killed, 0)
        (self.folder / "short.hdf5").write_bytes(good[:len(good) // 2])
        self.complains("short.hdf5: ", "convert", "short.hdf5", "b.npz")

    def test_formats_hold_the_same_problem(self):
        B, U, masses = self.numpy_problem(12, 9, 1)
        self.save("a.npz", B, U, masses, b=np.abs(U[:9]))
        for before, after in (("a.npz", "b"), ("b", "c.hdf5"), ("c.hdf5", "d.npz")):
            self.assertIn("12 unknowns, 9 rows", self.run_well("convert", before, after))
        with np.load(self.folder / "d.npz") as d:
            read = scipy.sparse.csr_matrix((d["B_data"], d["B_indices"], d["B_indptr"]), shape=d["B_shape"])
            self.assertEqual(abs(read - B).max(), 0.)
            np.testing.assert_allclose(d["U"], U, rtol=1e-14)
            np.testing.assert_array_equal(d["b"], np.abs(U[:9]))
        solved = [self.certified(name)["own_solution"]["certificate"]["scale"] for name in ("a.npz", "b", "c.hdf5", "d.npz")]
        np.testing.assert_allclose(solved, solved[0], rtol=1e-12)

    def test_spheres_are_problems_too(self):
        self.written("row.csv", ROW)
        self.assertIn("4 unknowns, 3 rows", self.run_well("convert", "row.csv", "row.npz"))
        with np.load(self.folder / "row.npz") as row:
            np.testing.assert_array_equal(row["M_data"], [1, 2, 1, 3])
        # all stick: the common velocity of the centre of mass
        np.savez(self.folder / "answer.npz", u=np.full(4, (1 - .5 - 3) / 7))
        self.assertTrue(self.certified("row.csv", "answer.npz")["certified"])
        self.assertTrue(self.certified("row.csv")["certified"])

    def test_runs_are_read_back(self):
        self.written("disc.prm", "set Problem = micro impact\nset Dimension = 2\nset Output directory = out\nsubsection Spheres\n"
                     " set Arrangement = triangular lattice\n set Spheres per unit length = 8\nend\n"
                     "subsection Velocity\n set Function expression = -x; y\nend\n")
        self.run_well("disc.prm")
        self.run_well("convert", "out/spheres_0000.vtp", "picture.csv")
        picture = np.genfromtxt(self.folder / "picture.csv", delimiter=",", names=True)
        spheres = np.genfromtxt(self.folder / "out" / "spheres.csv", delimiter=",", names=True)
        self.assertGreater(len(picture), 50)
        for name in ("x", "y", "radius", "mass", "ux", "uy"):
            np.testing.assert_array_equal(picture[name], spheres[name])
        self.complains("holds no spheres", "convert", "out/contacts_0000.vtp", "contacts.csv")

    def test_a_run_is_a_trajectory(self):
        self.written("fall.prm", "set Problem = particle motion\nset Dimension = 2\nset Output directory = out\nsubsection Spheres\n"
                     " set File = two.csv\nend\nsubsection Time\n set End time = 0.5\n set Time step = 0.1\n set Output every = 0.2\nend\n")
        self.written("two.csv", "x,y,radius,ux,uy\n0,0,0.5,1,0\n3,0,0.25,-1,0.5\n")
        self.run_well("fall.prm")
        self.assertIn("4 moments", self.run_well("convert", "out/solution.pvd", "fall.lammpstrj"))
        dump = (self.folder / "fall.lammpstrj").read_text()
        times = [float(part.split("\n", 1)[0]) for part in dump.split("ITEM: TIME\n")[1:]]
        np.testing.assert_allclose(times, [0, .2, .4, .5], rtol=1e-12)
        positions = [np.array([line.split()[2:4] for line in part.splitlines()[1:3]], float)
                     for part in dump.split("ITEM: ATOMS")[1:]]
        for t, x in zip(times, positions):
            np.testing.assert_allclose(x, [[t, 0], [3 - t, .5 * t]], atol=1e-12)
        self.run_well("convert", "fall.lammpstrj", "last.csv")  # the last moment
        self.run_well("convert", "out/solution.pvd", "last2.csv")
        self.assertEqual((self.folder / "last.csv").read_text(), (self.folder / "last2.csv").read_text())
        (self.folder / "out" / "spheres_0002.vtp").unlink()
        self.complains("cannot be read", "convert", "out/solution.pvd", "again.dump")
        self.assertEqual(sorted(path.name for path in self.folder.glob("again*")), [])

    @unittest.skipUnless(shutil.which("lmp"), "LAMMPS is not installed")
    def test_lammps_reads_and_writes(self):
        self.written("s.csv", "x,y,z,radius,mass,ux,uy,uz\n0,0,0,0.5,3,1,0,0\n1,0,0.01,0.5,1,0,2,0\n2.5,0.1,0.2,0.4,2,-1,0,0.3\n")
        self.run_well("convert", "s.csv", "s.data")
        self.written("in.lmp", "units si\natom_style sphere\nboundary s s s\nread_data s.data\npair_style zero 2.0\npair_coeff * *\n"
                     "write_data w.data\ndump d all custom 1 w.dump id type x y z vx vy vz radius mass\n"
                     "dump_modify d units yes format float %.17g\nrun 0\n")
        ran = subprocess.run(["lmp", "-in", "in.lmp", "-log", "none"], cwd=self.folder, text=True, capture_output=True,
                             check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.run_well("convert", "w.dump", "dump.csv")
        self.moreau("convert", "w.data", "data.csv", "--units", "si")
        given = np.genfromtxt(self.folder / "s.csv", delimiter=",", names=True)
        for name in ("dump.csv", "data.csv"):
            read = np.genfromtxt(self.folder / name, delimiter=",", names=True)
            for column in given.dtype.names:
                np.testing.assert_allclose(read[column], given[column], rtol=1e-12, atol=1e-14)

    def test_bad_input_gets_a_sentence(self):
        self.written("row.csv", ROW)
        B, U, masses = self.numpy_problem(4, 3)
        self.save("p.npz", B, U, masses)
        self.run_well("convert", "row.csv", "row.dump")
        np.savez(self.folder / "short.npz", u=U[:2])
        np.savez(self.folder / "csc.npz", B_data=B.tocsc().data, B_indices=B.tocsc().indices, B_indptr=B.tocsc().indptr,
                 B_shape=B.shape, U=U)
        np.savez(self.folder / "both.npz", B=np.eye(4), B_data=B.data, B_indices=B.indices, B_indptr=B.indptr,
                 B_shape=B.shape, U=U)
        np.savez(self.folder / "flat.npz", B=[1., -1.], U=[1., -1.])
        np.savez(self.folder / "scalar.npz", B=np.eye(4), M=2., U=U)
        np.savez(self.folder / "small.npz", B=np.array([[1, 0, -1, 0]], dtype=np.int8), B_format="csr", U=U)
        self.run_well("certify", "small.npz")
        for about, arguments in (
                ("B has 1 dimension; it must have two", ("certify", "flat.npz")),
                ("M has 0 dimensions", ("certify", "scalar.npz")),
                ("takes a problem", ("certify",)), ("takes two names", ("convert", "a.csv")),
                ("cannot be read", ("certify", "missing.npz")), ("tells no format", ("certify", "row.xyz")),
                ("u has 2 entries; B has 4 columns", ("certify", "p.npz", "short.npz")),
                ("tocsr()", ("certify", "csc.npz")), ("An answer is u, p or both", ("certify", "p.npz", "row.csv")),
                ("holds spheres", ("convert", "p.npz", "a.csv")), ("--tolerance is 'small'", ("certify", "p.npz", "--tolerance", "small")),
                ("'--set' is not an option", ("certify", "p.npz", "--set")), ("--dimension", ("convert", "row.csv", "a.csv", "--dimension", "4")),
                ("written by runs", ("convert", "row.csv", "a.vtp")), ("B is there twice", ("certify", "both.npz")),
                ("--units", ("convert", "p.npz", "q.npz", "--units", "si")),
                ("in SI units", ("convert", "row.csv", "a.csv", "--units", "micro")),
                ("its units are 'si', but 'micro'", ("convert", "row.dump", "a.csv", "--units", "micro"))):
            self.complains(about, *arguments)
        result = self.moreau("convert", "row.csv", "no/folder/a.csv")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amoreau: no/folder/a.csv cannot be written[^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main(argv=["exchange"])
