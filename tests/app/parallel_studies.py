#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies under mpirun: tables and numbers of N processes are those of one, bit by bit.

parallel_studies.py MOREAU
"""
import json
import re
import sys
import unittest

from on_processes import OnProcesses

HEAD = "set Problem = homogenization\nset Dimension = {dim}\n"
WAVES = "subsection Velocity\n set Function expression = {}\nend\n"
# jumps and curved edges, where cells are refined again and again
DISC = HEAD.format(dim=2) + WAVES.format("if(x + y > 0.3, -x, 1); sin(4*x*y)") + """subsection Cone
  set Type = triangular
end
subsection Spheres
  set Arrangement             = triangular lattice
  set Spheres per unit length = 6, 12
end
subsection Zone
  set Lower corner        = -1, -1
  set Upper corner        = 1, 1
  set Function expression = if(x^2 + y^2 < 1, 1, 0)
end
subsection Homogenization
  set Compare with = isotropic
  set Windows      = 2, 5
end
subsection Mesh
  set Cells per unit length = 12
end
"""
CUBES = HEAD.format(dim=3) + WAVES.format("x*(1 - x) + sin(y*z); abs(y - 0.4); z^2") + """subsection Cone
  set Type = cubic
end
subsection Spheres
  set Arrangement             = cubic lattice
  set Spheres per unit length = 4, 11
end
subsection Mesh
  set Cells per unit length = 8
end
"""
# in parts: five blocks of 4096 spheres, so that two of seven processes have none; v is not in the cone
SQUARES = (DISC.replace("triangular", "square").replace("  set Function expression = if(x^2 + y^2 < 1, 1, 0)\n", "")
           .replace("6, 12", "10, 67\n  set Vacancies = 0.05").replace("set Windows", "set Pictures = all\n  set Windows"))
TRIANGLES = (SQUARES.replace("square", "triangular").replace("10, 67\n  set Vacancies = 0.05", "62")
             .replace("set Pictures = all", "set Pictures = none\n  set Falk estimate = false"))
BALLS = CUBES.replace("4, 11", "27").replace("abs(y - 0.4)", "cos(3*y)")
# zones cut out of the box and rotated lattices: cells and Delaunay simplices at the boundary are as wide as the box
RING = (SQUARES.replace("  set Upper corner        = 1, 1\n", "  set Upper corner        = 1, 1\n"
                        "  set Function expression = if(x^2 + y^2 < 1 && x^2 + y^2 > 0.1, 1, 0)\n")
        .replace("10, 67\n  set Vacancies = 0.05", "10, 80"))
ROTATED = (TRIANGLES.replace("set Type = triangular", "set Type = triangular\n  set Lattice angle = 17")
           .replace("triangular lattice\n", "triangular lattice\n  set Lattice angle = 17\n"))
BALL = BALLS.replace("= 27", "= 31\nend\nsubsection Homogenization\n  set Falk estimate = false\nend\nsubsection Zone\n"
                     "  set Function expression = if((x-0.5)^2 + (y-0.5)^2 + (z-0.5)^2 < 0.24, 1, 0)")
VACANCIES = DISC.replace("triangular lattice\n", "triangular lattice\n  set Vacancies = 0.1\n")
# many enough for parts, which a box that repeats itself has not; u is not the projection, only a field to compare with
PERIODIC = HEAD.format(dim=2) + '''subsection Velocity
  set Function expression = sin(2*pi*x) - cos(2*pi*y); sin(4*pi*y)
  set Mean gradient       = 0.2, 0.3, 0.1, 0.4
end
subsection Exact velocity
  set Function expression = 0.2*x + 0.3*y; 0.1*x + 0.4*y
end
subsection Cone
  set Type = square
end
subsection Spheres
  set Arrangement             = square lattice
  set Spheres per unit length = 10, 120
  set Vacancies               = 0.05
end
subsection Zone
  set Periodic = x, y
end
subsection Homogenization
  set Windows = 2, 5
end
'''
SAMPLES = HEAD.format(dim=2) + WAVES.format("sin(5*x); -y*x") + """subsection Spheres
  set Arrangement = random packing
end
subsection Random packing
  set Spread of radii = 0.2
end
subsection Homogenization
  set Packings           = 40, 60
  set Seeds              = 1, 2, 3
  set Contact tolerances = 0.1, 0.2
  set Dilatancies        = 0.3
  set Windows            = 2
  set Contact cone       = true
end
subsection Contact cone
  set Angles = 5
end
subsection Mesh
  set Cells per unit length = 8
end
"""
PACKING = """set Problem = contact cone
set Dimension = 2
subsection Spheres
  set Arrangement = random packing
  set Number of spheres = 60
  set Contact tolerance = 0.1
end
subsection Zone
  set Periodic = x, y
end
subsection Contact cone
  set Angles = 5
end
"""


def available_memory():
    """What a process can get here (bytes), without its control group."""
    with open("/proc/meminfo") as lines:
        return 1024. * next(float(line.split()[1]) for line in lines if line.startswith("MemAvailable"))


class ParallelStudies(OnProcesses):
    files = ("convergence.csv",)

    def same(self, text, words, numbers=(2, 3)):
        """On 0 (without mpirun) and so many processes."""
        for n in 0, *numbers:
            status, out, err = self.run_on(n, text)
            self.assertEqual(status, 0, err)
            self.assertEqual(words in out, n > 1, out)
            self.assertEqual(json.loads((self.folder / f"out{n}/summary.json").read_text())["processes"], max(n, 1))
        alone = self.digest(0)
        for n in numbers:
            self.assertEqual(self.digest(n), alone, f"{n} processes")

    def test_a_disc(self):
        self.same(DISC, "share the integrals", (2, 7))

    def test_space(self):
        self.same(CUBES, "share the integrals", (2,))

    def test_a_level_in_parts(self):
        self.same(SQUARES, "share the integrals", (1, 2, 3, 4, 7))
        self.check_pieces("voronoi", 7)
        self.check_pieces("spheres", 7)
        self.check_pieces("continuum", 7)

    def check_pieces(self, name, n):
        """Of a level that all have the first process writes everything, of one in parts each its own."""
        for step, least in ((0, 1), (1, 5)):
            pieces = [file for file in (self.folder / f"out{n}").glob(f"{name}_{step:04}_p*.vt*")]
            self.assertEqual(len(pieces), n)
            full = [file for file in pieces if not re.search(rb'NumberOfP(oints|ieces)="0"', file.read_bytes())]
            self.assertEqual(len(full), 1 if name == "continuum" else least, f"{name} {step}")

    def test_triangles_in_parts(self):
        self.same(TRIANGLES, "share the integrals", (5,))

    def test_balls_in_parts(self):
        self.same(BALLS, "share the integrals", (2,))

    def test_a_ring_in_parts(self):
        self.same(RING, "share the integrals", (3, 7))
        self.check_pieces("voronoi", 7)

    def test_a_rotated_lattice_in_parts(self):
        self.same(ROTATED, "share the integrals", (2, 4))

    def test_a_ball_in_parts(self):
        self.same(BALL, "share the integrals", (3,))

    def test_vacancies(self):
        self.same(VACANCIES, "share the integrals")

    def test_a_box_that_repeats_itself(self):
        self.same(PERIODIC, "share the integrals")
        self.assert_one_sentence(3, PERIODIC.replace("0.2, 0.3, 0.1, 0.4", "-2, 0, 0, 4")
                                 .replace("Type = square", "Type = isotropic"), "across its period")

    def test_samples_are_dealt_out(self):
        self.files = "samples.csv", "disorder.csv"
        self.same(SAMPLES.replace("= 40, 60", "= 3, 40, 60"), "share the samples", (2, 7))
        warnings = json.loads((self.folder / "out7/summary.json").read_text())["warnings"]
        self.assertEqual([w for w in warnings if w.startswith("A packing of 3 spheres is so small")], warnings[:1], warnings)
        # those that all have pictures are computed where these are written
        status, out, err = self.run_on(2, SAMPLES.replace("Seeds  ", "Pictures = all\n  set Seeds "))
        self.assertEqual(status, 0, err)
        self.assertIn("process 0 of 2 does the work", out)
        self.assertEqual(len(list((self.folder / "out2").glob("voronoi_*.vtp"))), 12)

    def test_directions_of_a_contact_cone_are_dealt_out(self):
        self.files = "cone.csv", "spheres.csv"
        self.same(PACKING, "share the linear programs", (2, 7))
        self.assert_one_sentence(3, PACKING.replace("set Periodic = x, y", "set Periodic = x"), "all directions")
        (self.folder / "far.csv").write_text("x,y,radius\n0.2,0.2,0.1\n0.7,0.7,0.1\n")
        far = PACKING.replace("Arrangement = random packing\n  set Number of spheres = 60", "File = far.csv")
        self.assert_one_sentence(3, far, "Nothing touches")

    def test_packings_of_a_cache_are_those_that_were_made(self):
        text = SAMPLES.replace("Spread of radii = 0.2", "Spread of radii = 0.2\n  set Cache directory = cache")
        self.files = "samples.csv", "disorder.csv"
        digests, cache = [], self.folder / "cache"
        for n, changes in ((0, lambda: None), (0, lambda: None), (3, self.damage)):
            changes()
            status, _, err = self.run_on(n, text)
            self.assertEqual(status, 0, err)
            self.assertEqual(len(list(cache.iterdir())), 6)
            made = {file: file.stat().st_mtime_ns for file in cache.glob("*/packing.csv")}
            digests.append((self.digest(n), made))
        self.assertEqual(digests[0], digests[1])
        self.assertEqual(digests[0][0], digests[2][0])
        self.assertEqual(sum(digests[0][1][file] != digests[2][1][file] for file in digests[2][1]), 3)

    def damage(self):
        first, second, third = sorted((self.folder / "cache").iterdir())[:3]
        (first / "packing.csv").unlink()
        (second / "packing.csv").write_text("x,y,radius\n1,1,1\n")
        (third / "packing.json").write_text("{")

    def test_a_mistake_is_one_sentence(self):
        self.assert_one_sentence(3, DISC.replace("sin(4*x*y)", "1/(x + y - abs(x + y))"), "Velocity")
        self.assert_one_sentence(3, DISC.replace("set Arrangement             = triangular lattice", "set File = none.csv")
                                 .replace("set Spheres per unit length = 6, 12", ""), "none.csv")
        self.assert_one_sentence(3, SAMPLES.replace("sin(5*x)", "sqrt(x - 0.5)"), "Velocity")

    def test_memory_is_that_of_all_processes_of_a_machine(self):
        # a kilobyte a sphere, pi spheres for each square of a lattice: half of what there is, on each of three
        n = round((available_memory() / 2. / 1000. / 3.14)**.5)
        disc = DISC.replace("triangular", "square").replace("6, 12", f"6, {n}\n  set Vacancies = 0.01\n  set Break rows = true")
        self.assert_one_sentence(3, disc, "3 processes of one machine")
        # in parts: one and a half times what there is, on all together
        n = round((available_memory() * 1.5 / 4. / 1000.)**.5)
        squares = SQUARES.replace("10, 67\n  set Vacancies = 0.05", f"10, {n}")
        self.assert_one_sentence(3, squares, "use fewer or larger ones.")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
