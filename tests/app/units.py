#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same problem in other units has the same answer in these. units.py MOREAU."""
import math
import sys
import unittest

from runs import Runs

STUDY = """set Problem = homogenization
subsection Velocity
  set Function expression = L*(-(x/L)^2 - y/L/2); L*(sin(4*x/L)/2 - y/L)
  set Function constants = L = {L}
end
subsection Zone
  set Upper corner = {L}, {L}
end
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = {sizes}
end
subsection Cone
  set Type = square
end
subsection Homogenization
  set Pictures = none
end
"""
WRONG = """set Problem = homogenization
subsection Velocity
  set Function expression = {c}*x*(1 - x); 0
end
subsection Spheres
  set Arrangement = triangular lattice
  set Spheres per unit length = 4, 8
end
subsection Cone
  set Type = triangular
end
subsection Exact velocity
  set Function expression = {c}*x*(1 - x); 0
end
subsection Homogenization
  set P1 interpolant = false
  set Pictures = none
end
"""
DISC = """set Problem = particle motion
subsection System
  set Type = moving disc
  set Constants = frequency = {f}, ux = {u}, uy = {u}, gravity = {g}
end
subsection Time
  set Scheme = inertia operator
  set End time = {T}
  set Time step = {h}
end
"""

BEAD = """set Problem = time convergence
set Restitution = 0
subsection System
  set Type                  = expressions
  set Coordinates           = y
  set Mass expression       = 1
  set Constraint expression = y - {L}
  set Initial position      = {y}
  set Initial velocity      = {L}
end
subsection Time
  set End time  = 1
  set Time step = 0.1, 0.05
  set Scheme    = linearised constraints
end
subsection Time convergence
  set Exact position expression = {exact} + {L}*t
  set Exact velocity expression = {L}
end
"""
PERIODIC = """set Problem = macro impact
set Tolerance = 1e-7
subsection Cone
  set Type = dilatant
  set Dilatancy = 0.5
end
subsection Mesh
  set Cells per unit length = 12
end
subsection Velocity
  set Function expression = 0.439*sin(4*pi*({x}+y)+2.37) - 0.687*sin(4*pi*({x}+y)+3.52); \
    0.636*sin(2*pi*y+1.06) + 0.091*sin(2*pi*{x}+5.47)
end
subsection Zone
  set Periodic = x, y
end
"""


class Units(Runs):
    def run_text(self, name, text):
        (self.folder / f"{name}.prm").write_text(text)
        self.run_well(f"{name}.prm", "--output", name)
        return self.summary(name)

    def test_meshes_that_the_user_leaves_open_are_as_fine_in_a_box_of_a_millimetre_or_a_kilometre(self):
        one, *others = [self.run_text(f"box{k}", STUDY.format(L=L, sizes=f"{4 / L:.17g}, {8 / L:.17g}"))
                        for k, L in enumerate((1, 1e-3, 1e3))]
        for L, other in zip((1e-3, 1e3), others):
            for a, b in zip(one["levels"], other["levels"]):
                for x, y in zip([*a["error_interval"], *a["distances"]], [*b["error_interval"], *b["distances"]]):
                    self.assertTrue(math.isclose(x * L ** 2, y, rel_tol=1e-5), (L, x, y))

    def test_a_wrong_closed_form_is_wrong_at_every_speed(self):
        for c in 1, 1e-10:
            verdict = self.run_text(f"wrong{c}", WRONG.format(c=c))["verdict"]
            self.assertRegex(verdict, "^not certified: Exact velocity is not")

    def test_constants_of_constraints_do_not_depend_on_the_unit_of_time(self):
        one, fast = (self.run_text(f"disc{k}", DISC.format(f=f, u=.4 * f, g=.3 * f * f, T=2 / f, h=1e-2 / f))["constants"]
                     for k, f in enumerate((1., 1e6)))
        self.assertGreater(one["c_0"], 2.)
        self.assertAlmostEqual(fast["c_0"] / 1e6, one["c_0"], delta=1e-6)
        self.assertEqual(fast["steps"], one["steps"])

    def test_what_is_a_thousandth_away_is_away_in_any_unit_of_length(self):
        for L in 1., 1e-10, 1e10:
            self.run_text(f"at{L}", BEAD.format(L=L, y=L * (1 - 1e-14), exact=L))
            for place, y, exact in (("System/Initial position", .999 * L, L),
                                    ("Time convergence/Exact position expression", L, 1.001 * L)):
                (self.folder / "away.prm").write_text(BEAD.format(L=L, y=y, exact=exact))
                self.refused(place, "away.prm", "--output", "away")

    def test_the_defect_does_not_depend_on_the_frame(self):
        study = STUDY.format(L=1, sizes="8, 16").replace("Pictures = none", "Pictures = none\n  set Compare with = isotropic")

        def moving(c):
            text = study.replace("- y/L/2);", f"- y/L/2) + {c};").replace("/2 - y/L)", f"/2 - y/L) - {c}")
            return self.run_text(f"frame{c}", text)

        rest, flight = moving(0), moving(1000)
        for a, b in zip(rest["levels"], flight["levels"]):
            self.assertGreater(b["norm_v"], 100.)
            self.assertGreater(max(map(abs, a["defects"])), 1e-3)
            for x, y in zip(a["defects"], b["defects"]):
                self.assertAlmostEqual(x, y, delta=1e-6)

    def test_without_rebound_the_law_is_one_projection_at_any_place(self):
        for k in range(4):  # of this U nothing is left but rounding, which a second projection would see
            found = self.run_text(f"shifted{k}", PERIODIC.format(x=f"(x - {k}/12)"))
            self.assertEqual((found["impacts"], found["total_bound"]["available"]), (1, True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
