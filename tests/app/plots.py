#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's own plots: plots.py MOREAU."""
import pathlib
import subprocess
import sys
import unittest

from runs import Runs

LINE = """set Problem = macro impact
set Dimension = 1
subsection Velocity
  set Function expression = x*(1 - x)
end
subsection Mesh
  set Cells per unit length = 64
end
subsection Plots
  set Title = It's a line
end
"""
STOP = """set Problem = time convergence
subsection System
  set Type = oscillator with a stop
  set Constants = stop = 0.25
end
subsection Time
  set End time = 0.5
  set Time step = 0.1, 0.05
end
"""


class Plots(Runs):
    def test_an_impact_on_the_line(self):
        (self.folder / "line.prm").write_text(LINE)
        self.run_well("line.prm", "--output", "out")
        rows = [{key: float(value) for key, value in row.items()} for row in self.rows("out/profile.csv")]
        self.assertEqual(len(rows), 64)
        width = 1 / 64
        for row in rows:  # u = U up to 1/4, then 3/16
            self.assertAlmostEqual(row["right"] - row["left"], width, delta=1e-12)
            self.assertAlmostEqual(row["u"], row["x"] * (1 - row["x"]) if row["x"] < .25 else 3 / 16, delta=1e-3)
            self.assertAlmostEqual(row["U"], row["x"] * (1 - row["x"]), delta=1e-3)
            self.assertEqual(row["rho"], 1.)
            self.assertTrue(row["p"] == 0. if row["right"] < .24 else row["p"] >= 0., row)
        momentum = self.summary("out")["momentum_after"][0]
        self.assertAlmostEqual(sum(row["u"] for row in rows) * width, momentum, delta=1e-4)
        drawn = (self.folder / "out/profile.png").read_bytes()
        self.assertIn("title = 'It''s a line'", (self.folder / "out/profile.gp").read_text())
        subprocess.run(["gnuplot", "-d", "profile.gp"], cwd=self.folder / "out", check=True)
        self.assertEqual((self.folder / "out/profile.png").read_bytes(), drawn)

    def test_times_of_benchmarks_are_drawn_over_their_sizes(self):
        # 45 is no size; quotes, of two builds the least time of the turns
        header = "benchmark,table,row,column,build,turn,value\n"
        rows = [f'lattices,"Siconos\' table","halves, 45 degrees, {n}",seconds,{build},{turn},{(1 + turn)*1e-6*n**1.5}\n'
                for n in (1000, 4000, 16000) for build in ("old", "new") for turn in (0, 1)]
        rows += ["pairs,near,2D n=10 1:10,cpu,old,0,1\n", "pairs,near,2D n=100 1:10,cpu,old,0,10\n",
                 "pairs,near,2D n=10 1:10,cpu/ours,old,0,1\n", "pairs,near,2D n=100 1:10,cpu/ours,old,0,1\n"]
        table = self.folder / "times.csv"
        table.write_text(header + "".join(rows))
        script = [sys.executable, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/plot_benchmarks")]
        drawn = subprocess.run([*script, str(table), str(self.folder / "plots")], capture_output=True, text=True)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        names = [pathlib.Path(line).name for line in drawn.stdout.splitlines()]
        self.assertEqual(names, ["lattices_1_seconds.png", "pairs_1_cpu.png"])
        for name in names:
            self.assertTrue((self.folder / "plots" / name).read_bytes().startswith(b"\x89PNG"))
        for text, words in ((header + rows[0], "two sizes"), ("x,y\n1,2\n", "no column benchmark"), ("", "no column"),
                            (header + rows[0].replace("1000", "a hundred"), "two sizes"), (None, "cannot be read")):
            if text is None:
                table.unlink()
            else:
                table.write_text(text)
            refused = subprocess.run([*script, str(table), str(self.folder / "plots")], capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1)
            self.assertRegex(refused.stderr, rf"\Aplot_benchmarks: [^\n]*{words}[^\n]*\.\n\Z")

    def test_thin_matter_and_what_has_left_are_drawn(self):
        (self.folder / "flow.prm").write_text(LINE.replace("macro impact", "congested flow").replace("= 64", "= 32")
                                              .replace("x*(1 - x)", "1") + "subsection Time\n set End time = 0.25\nend\n")
        for density, end in ("0.03", 0.25), ("if(x < 0.5, 1, 0)", 0.25), ("if(x > 0.9, 1, 0)", 2):
            self.run_well("flow.prm", "--output", "out", "--set", f"Zone/Function expression={density}", "--set",
                          f"Time/End time={end}")
            self.assertEqual(self.summary("out")["warnings"], [])
            self.assertTrue((self.folder / "out/profile.png").read_bytes().startswith(b"\x89PNG"))

    def test_matter_with_a_gap_has_no_rows_there(self):
        (self.folder / "line.prm").write_text(LINE)
        self.run_well("line.prm", "--output", "out", "--set", "Zone/Function expression=if(abs(x - 0.5) < 0.25, 0, 1)")
        places = [float(row["x"]) for row in self.rows("out/profile.csv")]
        self.assertEqual(len(places), 32)
        self.assertTrue(all(abs(x - .5) > .25 for x in places))

    def test_walls_of_one_coordinate_are_drawn(self):
        (self.folder / "stop.prm").write_text(STOP)
        self.run_well("stop.prm", "--output", "out")
        script = (self.folder / "out/motions.gp").read_text()
        self.assertIn("below = '0.25'", script)
        self.assertIn("above = ''", script)
        self.assertIn("title = 'stop'", script)

    def test_titles_of_what_is_not_drawn_are_refused(self):
        (self.folder / "plane.prm").write_text(LINE.replace("Dimension = 1", "Dimension = 2").replace("x*(1 - x)", "-x; 0"))
        self.assertIn("drawn in Dimension = 1", self.refused("Plots/Title", "plane.prm"))
        (self.folder / "impact.prm").write_text("subsection Plots\n  set Title = a\nend\n")
        self.assertIn("Plots/Contacts", self.refused("Plots/Title", "impact.prm"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
