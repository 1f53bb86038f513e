#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/picture draws runs: picture.py MOREAU, by a Python that has ParaView's vtkmodules and PIL."""
import os
import pathlib
import subprocess

from cases import FALLING
from in_situ_runs import InSitu, main, needs_catalyst, np, picture

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/picture"
PRM = """set Problem = macro impact
subsection Velocity
  set Function constants = c = 1
  set Function expression = c*(0.5 - x); 0
end
subsection Mesh
  set Cells per unit length = 16
end
"""
PUSHED = """set Problem = micro impact
set Dimension = 2
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 24
end
subsection Zone
  set Walls = left
  set Wall velocities = left: 1, 0
end
"""
SQUEEZED = """set Problem = micro impact
set Dimension = 2
subsection Spheres
  set File = squeezed.csv
end
subsection Zone
  set Upper corner = 2.6, 1.6
  set Walls = left, right, bottom, top
end
"""
# three that hold each other between the walls, and a small one in a corner that only touches the first
SQUEEZED_DISCS = "x,y,radius,ux,uy\n0.5,0.5,0.5,1,0\n1.3,1.1,0.5,-1,1\n2.1,0.5,0.5,-1,-1\n0.4,1.0916079783,0.1,1,-1\n"
FLOW = """set Problem = congested flow
subsection Zone
  set Function expression = if(y < 0.5, 0.5, 0)
end
subsection Velocity
  set Function expression = 0; -1
end
subsection Mesh
  set Cells per unit length = 8
end
subsection Time
  set End time = 0.1
end
"""
GRAINS = """set Problem = macro impact
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1); 0
end
subsection Cone
  set Type = directions
  set Function expression = if(x < 0.5, 1, 0.6); if(x < 0.5, 0, 0.8); if(x < 0.5, 0, -0.8); if(x < 0.5, 1, 0.6)
end
subsection Mesh
  set Cells per unit length = 8
end
"""
DISC = """set Problem = macro impact
subsection Zone
  set Function expression = if((x - 0.5)^2 + (y - 0.5)^2 < 0.16, 1, 0)
end
subsection Mesh
  set Cells per unit length = 12
end
"""
GRAIN = (26, 77, 153)
RIGID = (214, 94, 0)  # contacts that no velocity opens
HIGHEST = (191, 31, 33)  # colour of the largest pressure


@needs_catalyst
class Picture(InSitu):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.open_display()

    def draw(self, *arguments):
        return subprocess.run([SCRIPT, *arguments], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=self.environment, timeout=600)

    def drawn(self, *arguments):
        result = self.draw(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def refused(self, sentence, *arguments):
        result = self.draw(*arguments)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(sentence, result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_runs_of_a_sweep_have_common_colours(self):
        self.write("case.prm", PRM)
        self.run_well("case.prm", "--output", "out", "--sweep", "Velocity/Function constants=c=1,2")
        self.drawn("out", "both.png", "--panels", "after", "--width", "400")
        image = picture(self.folder / "both.png")
        self.assertEqual(image.shape[1], 800)
        # twice the velocity, twice the pressure: only one of the two has the colour of the largest, but for the bars
        scene = image[:round(.7 * len(image))]
        red = (abs(scene - HIGHEST) <= 12).all(axis=2)
        self.assertEqual(red[:, :400].sum(), 0)
        self.assertGreater(red[:, 400:].sum(), 100)
        self.drawn("out/run_001", "print.pdf", "--width", "300")
        self.assertEqual((self.folder / "print.pdf").read_bytes()[:5], b"%PDF-")

    def test_a_run_opens_in_paraview_as_its_pictures_look(self):
        self.write("case.prm", FLOW)
        self.run_well("case.prm", "--output", "first")
        (self.folder / "first").rename(self.folder / "out")  # nothing in it knows where it was made
        (self.folder / "shot.py").write_text(
            "import sys\nfile = sys.argv[1]\nexec(open(file).read(), {'__file__': file})\nfrom paraview import simple\n"
            "view = simple.GetActiveView()\nprint(view.ViewTime)\nsimple.SaveScreenshot('shot.png', view)\n")
        environment = {**self.environment, "MOREAU_WINDOW_CLOSES": "yes"}
        result = subprocess.run(["pvpython", "shot.py", self.folder / "out/open_in_paraview.py"], cwd=self.folder, text=True,
                                capture_output=True, check=False, env=environment, timeout=600)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.split()[-1], "0.1")  # the last moment
        image = picture(self.folder / "shot.png")
        blue = image[:, :, 2] > image[:, :, 0] + 40
        self.assertGreater(blue.mean(), 0.05)  # matter in the left panel
        # without a display there is a sentence
        del environment["DISPLAY"]
        result = subprocess.run(["pvpython", "out/open_in_paraview.py"], cwd=self.folder, text=True, capture_output=True,
                                check=False, env=environment, timeout=600)
        self.assertEqual(result.returncode, 1)
        self.assertIn("There is no display to open a window on", result.stderr)

    def test_options_of_pipelines(self):
        self.write("case.prm", PRM)
        self.run_well("case.prm", "--output", "out")
        for name, options in {"all": (), "range": ("--range", "p=0,0.01"), "log": ("--log", "p"),
                              "box": ("--box", "0.25,0.75,0,0.25")}.items():
            self.drawn("out", f"{name}.png", "--width", "400", "--panels", "after", *options)
        images = {name: picture(self.folder / f"{name}.png") for name in ("all", "range", "log", "box")}
        red = {name: (abs(image[:round(.7 * len(image))] - HIGHEST) <= 12).all(axis=2).mean() for name, image in images.items()}
        self.assertGreater(red["range"], 5 * red["all"])
        self.assertGreater((images["log"].astype(int) != images["all"]).any(axis=2).mean(), .2)
        self.assertLess(len(images["box"]), .85 * len(images["all"]))  # twice as wide as high
        self.refused("--range q: this picture has no colours for it; it has some for p", "out", "x.png", "--range", "q=0,1")
        self.refused("is no box", "out", "x.png", "--box", "1,0,0,1")
        self.refused("is no NAME=LOW,HIGH", "out", "x.png", "--range", "p")
        self.assertFalse((self.folder / "x.png").exists())

    def test_arrows_are_as_long_as_what_is_seen_is_fast(self):
        self.write("case.prm", PRM)
        self.run_well("case.prm", "--output", "out")
        black = {}
        for name, options in {"all": (), "box": ("--box", "0.4,0.6,0.4,0.6")}.items():
            self.drawn("out", f"{name}.png", "--width", "400", "--panels", "before", *options)
            image = picture(self.folder / f"{name}.png")
            black[name] = (image[round(.1 * len(image)):, :, :] <= 40).all(axis=2).mean()
        self.assertGreater(black["all"], .01)
        self.assertGreater(black["box"], .5 * black["all"])  # in the box velocities are a fifth of those around it

    def test_impulses_have_a_panel_of_their_own_where_it_is_asked_for(self):
        self.write("pushed.prm", PUSHED)
        self.run_well("pushed.prm", "--output", "out")
        share = {}
        for parts in "before,after,chains", "before,after,impulses":
            self.drawn("out", "parts.png", "--width", "600", "--panels", parts)
            image = picture(self.folder / "parts.png")
            scene = image[:round(.6 * len(image))].astype(int)
            red = (scene[:, :, 0] - scene[:, :, 2] > 60) & (scene[:, :, 1] < .8 * scene[:, :, 0])
            share[parts] = [part.mean() for part in np.array_split(red, 3, axis=1)]
        self.assertGreater(share["before,after,chains"][1] + share["before,after,chains"][2], .02)
        self.assertLess(max(share["before,after,impulses"][:2]), 1e-3)
        self.assertGreater(share["before,after,impulses"][2], .1)

    def test_rigid_contacts_have_a_panel(self):
        self.write("squeezed.prm", SQUEEZED)
        self.write("squeezed.csv", SQUEEZED_DISCS)
        self.run_well("squeezed.prm", "--output", "out")
        self.drawn("out", "rigid.png", "--width", "400", "--panels", "rigid")
        image = picture(self.folder / "rigid.png").astype(int)
        is_rigid = (abs(image - RIGID) <= 40).all(axis=2)
        rows, columns = is_rigid.nonzero()
        metre = np.ptp(columns) / 2.6  # from wall to wall
        self.assertGreater(metre, 40)
        self.assertAlmostEqual(np.ptp(rows) / metre, 1.6, delta=.1)

        def around(x, y):
            return (slice(round(rows.max() - y * metre) - 3, round(rows.max() - y * metre) + 4),
                    slice(round(columns.min() + x * metre) - 3, round(columns.min() + x * metre) + 4))
        self.assertTrue(is_rigid[around(.9, .8)].any())  # between the first and the second
        self.assertFalse(is_rigid[around(.45, .8)].any())  # between the first and the small one
        self.assertLess(image[around(.45, .8)].max(axis=2).min(), 190)  # there is a grey line
        self.run_well("squeezed.prm", "--output", "free", "--set", "Zone/Walls=left")
        self.drawn("free", "rigid.png", "--width", "400", "--panels", "rigid")
        self.assertFalse((abs(picture(self.folder / "rigid.png").astype(int) - RIGID) <= 12).all(axis=2).any())

    def test_grains_have_their_directions(self):
        self.write("grains.prm", GRAINS)
        self.run_well("grains.prm", "--output", "out")
        self.drawn("out", "grains.png", "--width", "400", "--panels", "before")
        blue = (abs(picture(self.folder / "grains.png").astype(int) - GRAIN) <= 40).all(axis=2)
        rows, columns = blue.nonzero()
        boundary = np.bincount(columns).argmax()
        self.assertGreater(blue[:, boundary].mean(), .4)
        spread = {}
        for side, part in {"left": blue[:, :boundary - 5], "right": blue[:, boundary + 5:]}.items():
            rows, columns = part.nonzero()
            self.assertGreater(len(rows), 50)
            spread[side] = np.ptp(columns) + np.ptp(rows), len(rows)
        # the left cross is along the axes: as wide as the right one, which is turned, is not
        self.assertGreater(spread["left"][0], 1.05 * spread["right"][0])

    def test_a_zone_ends_where_it_cuts_cells(self):
        self.write("disc.prm", DISC)
        self.run_well("disc.prm", "--output", "out")
        self.drawn("out", "disc.png", "--width", "400", "--panels", "after", "--range", "p=-1,0.02")
        image = picture(self.folder / "disc.png").astype(int)
        scene = image[:round(.75 * len(image))]
        red = scene[:, :, 0] - scene[:, :, 2] > 25
        rows, columns = red.nonzero()
        radius = (np.ptp(rows) + np.ptp(columns) + 2) / 4
        far = np.hypot(rows - (rows.min() + rows.max()) / 2, columns - (columns.min() + columns.max()) / 2)
        self.assertLess(far.max(), 1.02 * radius)  # a cell is .2 of it, and no corner sticks out
        self.assertGreater(len(rows), .88 * np.pi * radius ** 2)

    def test_moments_of_a_motion(self):
        from PIL import Image
        self.write("falling.prm", FALLING)
        self.run_well("falling.prm", "--output", "out", "--set", "Time/Output every=0.02")
        self.drawn("out", "strip.png", "--strip", "3", "--width", "300")
        strip = picture(self.folder / "strip.png")
        self.assertEqual(strip.shape[1], 900)
        heights = [(strip[:-60, k * 300:(k + 1) * 300] != 255).any(axis=2).nonzero()[0].mean() for k in range(3)]
        self.assertTrue(heights[0] < heights[1] < heights[2], heights)  # they fall
        for film in "film.webp", "film.png":
            self.drawn("out", film, "--movie", "--width", "200", "--frames", "5")
            with Image.open(self.folder / film) as frames:
                self.assertEqual(frames.n_frames, 5)
                first, last = np.array(frames.convert("RGB")), None
                frames.seek(4)
                last = np.array(frames.convert("RGB"))
            self.assertGreater((first.astype(int) != last).any(axis=2).mean(), .05)

    def test_a_flow_without_solid_cells_has_none(self):
        self.write("flow.prm", FLOW)
        self.run_well("flow.prm", "--output", "out")
        self.drawn("out", "flow.png", "--width", "400")
        image = picture(self.folder / "flow.png")
        self.assertLess((abs(image - (140, 140, 140)) <= 4).all(axis=2).mean(), .03)

    def test_what_cannot_be_drawn(self):
        self.refused("solution.pvd cannot be read", "nothing", "x.png")
        self.refused("name a file that ends in .png or .pdf", "nothing", "x.svg")
        self.refused("name a file that ends in .webp, .png, .mp4", "nothing", "x.gif", "--movie")
        self.refused("--strip needs at least 2 moments", "nothing", "x.png", "--strip", "1")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    main()
