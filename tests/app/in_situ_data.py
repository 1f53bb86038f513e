#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Catalyst scripts get is what the files say, digit by digit: in_situ_data.py MOREAU, by a Python that has ParaView's
vtkmodules."""
import re
import xml.etree.ElementTree

from cases import BALL, BASIN, CELLS, HOPPER
from in_situ_runs import InSitu, catalyst, contents, data_of, main, needs_catalyst, units

HEAP = """set Problem = congested flow
subsection Zone
  set Function expression = if(y < 0.5 + 0.2*sin(6*x), 0.8, 0)
  set Walls = bottom
end
subsection Velocity
  set Function expression = 0.2*y; -1
end
subsection Mesh
  set Cells per unit length = 16
end
subsection Time
  set End time = 0.1
  set Output every = 0.05
end
"""

LATTICE = """set Problem = micro impact
set Restitution = 0.5
subsection Zone
  set Walls = left
end
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 130
end
subsection Velocity
  set Function expression = sin(7*x) - x; cos(5*y)
end
"""


@needs_catalyst
class Data(InSitu):
    def listed(self, output):
        """Names of the files of solution.pvd, by channel."""
        files = {}
        for entry in xml.etree.ElementTree.parse(self.folder / output / "solution.pvd").iter("DataSet"):
            files.setdefault(entry.get("name"), []).append(entry.get("file"))
        return files

    def check(self, text, *channels, processes=1):
        """What extracts.py has got is the pictures of the run, channel by channel and moment by moment."""
        self.write("case.prm", text)
        said = self.run_well("case.prm", "--output", "out", *catalyst("extracts.py"), processes=processes)
        for trouble in "failed", "complains":
            self.assertNotIn(trouble, said)
        files = self.listed("out")
        self.assertEqual(set(files), set(channels))
        for channel, names in files.items():
            kind = "pvtp" if names[0].endswith("vtp") else "pvtu"
            extracts = self.extracts("out", f"{channel}_*.{kind}")
            self.assertEqual([p.name for p in extracts], [f"{channel}_{step:06}.{kind}" for step in self.steps(len(names))])
            for name, extract in zip(names, extracts):
                sent, written = contents(data_of(extract)), contents(data_of(self.folder / "out" / name))
                if not written["cells"]:  # contacts of the beginning; then ParaView writes no arrays
                    self.assertFalse(sent["cells"])
                    continue
                self.assertEqual(set(sent), set(written))
                for key, value in written.items():
                    self.assertTrue(sent[key] == value, f"{key} of {extract.name}")
            self.assertGreater(len(written["cells"]), 0)
            # VTK reads units from pieces only
            pieces = sorted(extract.with_suffix("").iterdir())
            self.assertEqual(len(pieces), 1 if channel == "walls" else processes)  # which one process has
            piece = name if processes == 1 else re.sub(r"\.p(vt[up])", r"_p0000.\1", name)
            self.assertEqual(units(data_of(pieces[0])), units(data_of(self.folder / "out" / piece)))

    def steps(self, n_moments):
        """Of the run, at these equally spaced moments; those of a homogenization are its levels."""
        rows = self.rows("out/statistics.csv") if (self.folder / "out/statistics.csv").exists() else []
        if not rows or "time" not in rows[0]:
            return range(n_moments)
        end = float(rows[-1]["time"])
        times = [end * k / (n_moments - 1) for k in range(1, n_moments)]
        return [0] + [int(row["step"]) for time in times for row in rows if abs(float(row["time"]) - time) < 1e-12]

    def test_spheres_contacts_and_obstacles_of_a_motion(self):
        self.check(HOPPER, "spheres", "contacts", "obstacles")

    def test_polygons_of_a_homogenization(self):
        self.check(CELLS, "spheres", "continuum", "voronoi")

    def test_polyhedra_of_a_homogenization(self):
        self.check(BALL, "spheres", "voronoi")

    def test_an_impact_of_the_continuum_on_two_processes(self):
        self.check(BASIN, "continuum", processes=2)

    def test_an_impact_of_spheres_on_two_processes(self):
        self.check(LATTICE, "spheres", "contacts", "walls", processes=2)

    def test_a_flow_on_two_processes(self):
        self.check(HEAP, "continuum", "walls", processes=2)


if __name__ == "__main__":
    main()
