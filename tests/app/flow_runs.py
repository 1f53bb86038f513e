# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of congested flows share: their files, and how fields are compared."""
from cases import two_blocks_on_a_line
from parallel import cell_values
from runs import Runs

# a disc falls past another one onto a floor, wind pushes both
DISCS = """set Problem = congested flow
set Dimension = 2
set Restitution = 0.5
subsection Zone
  set Function expression = if((x - 0.4)^2 + (y - 0.75)^2 < 0.04, 1, 0) + if((x - 0.55)^2 + (y - 0.25)^2 < 0.03, 0.7, 0)
  set Walls = bottom, left
end
subsection Velocity
  set Function expression = 0.2*y; -1
end
subsection Force
  set Function expression = 0.5*sin(3*t) - 0.1*ux; -1
end
subsection Mesh
  set Cells per unit length = 32
end
subsection Time
  set End time = 0.5
  set Output every = 0.05
  set Time step = 0.001
end
"""
# dense from the beginning, so that impacts and rest come before rounding errors have grown: impacts, limiters and edges are
# decisions
HEAP = DISCS.replace("if((x - 0.4)^2 + (y - 0.75)^2 < 0.04, 1, 0) + if((x - 0.55)^2 + (y - 0.25)^2 < 0.03, 0.7, 0)",
                     "if(y < 0.5 + 0.2*sin(6*x), 0.8, 0)").replace("End time = 0.5", "End time = 0.1")
ROW = two_blocks_on_a_line(cells=100, end_time=0.2, restitution=0.5)
SPACE = """set Problem = congested flow
set Dimension = 3
subsection Zone
  set Function expression = if(x < 0.5, 1, 0.5)
  set Walls = front
  set Periodic = x
end
subsection Velocity
  set Function expression = cos(6*x); sin(5*y); 1
end
subsection Mesh
  set Cells per unit length = 12
end
subsection Time
  set End time = 0.1
end
"""


# edges of slabs cut cells of the density and of the velocity
SLABS = """set Problem = congested flow
set Dimension = 2
subsection Zone
  set Upper corner = 1, 0.25
  set Periodic = y
  set Function expression = if(x > 0.15 & x < 0.35, 1, 0) + if(x > 0.55 & x < 0.7, 1, 0)
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -0.5); if(x < 0.5, 0.3, -0.7)
end
subsection Mesh
  set Cells per unit length = 128
end
subsection Time
  set End time = 0.05
end
"""


class FlowRuns(Runs):
    CLOCK_COLUMNS = ("transport_time", "congestion_time")
    CLOCK_KEYS = (*Runs.CLOCK_KEYS, "transport_time_s", "congestion_time_s")

    def setUp(self):
        super().setUp()
        for name, text in ("discs", DISCS), ("heap", HEAP), ("row", ROW), ("space", SPACE):
            (self.folder / f"{name}.prm").write_text(text)

    def assert_close(self, one, other, tolerance, turned=lambda x, y, z: (x, y, z)):
        """Cell by cell; `turned` takes points of the first to those of the other. Momenta: velocities of next to nothing
        mean nothing."""
        for name in "rho", "p", "impulse", "rho*u":
            values, others = (self.field(o, name) for o in (one, other))
            scale = max(abs(x) for value in values.values() for x in value)
            self.assertGreater(scale, 0.)
            self.assertEqual(len(values), len(others))
            for centre, value in values.items():
                found = others[tuple(round(x, 9) for x in turned(*centre))]
                expected = turned_vector(turned, value) if len(value) == 3 else value
                for x, y in zip(found, expected):
                    self.assertAlmostEqual(x, y, delta=tolerance * scale, msg=f"{name} at {centre}")

    def field(self, output, name):
        if name != "rho*u":
            return cell_values(self.folder / output, name, 1)
        rho, u = cell_values(self.folder / output, "rho", 1), cell_values(self.folder / output)
        return {centre: [rho[centre][0] * x for x in u[centre]] for centre in u}


def turned_vector(turned, vector):
    origin = turned(0., 0., 0.)
    return [x - y for x, y in zip(turned(*vector), origin)]
