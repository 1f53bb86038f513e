#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pipelines of insitu/pipelines draw what they should: in_situ_pictures.py MOREAU, by a Python that has ParaView's
vtkmodules."""
import copy
import csv

from in_situ_runs import InSitu, catalyst, data_of, main, needs_catalyst, np, picture, values

# the colours from low to high, as everybody sees them in the bars
SPEED = [(255, 255, 217), (199, 232, 181), (128, 204, 186), (64, 181, 196), (36, 128, 184)]
PRESSURE = [(255, 247, 240), (252, 212, 184), (252, 163, 122), (240, 97, 69), (191, 31, 33)]
CHAIN_HIGH = (71, 0, 20)
DENSITY = [(255, 255, 255), (217, 227, 242), (173, 196, 224), (122, 156, 201), (71, 112, 173)]
DIFFERENCE = [(255, 255, 255), (230, 217, 237), (194, 168, 212), (153, 112, 179), (112, 56, 140)]
MATTER = (237, 237, 235)
GREY = (140, 140, 140)
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
BARS = 142  # pixels at the bottom, with the scale of lengths

# two discs that meet, two that fly by themselves; all speeds differ
DISCS = """set Problem = micro impact
set Restitution = 0.5
subsection Spheres
  set Arrangement = file
  set File = discs.csv
end
"""
DISCS_CSV = "x,y,radius,ux,uy\n0,0,0.5,2,0\n1,0,0.5,-1,0\n2.5,1,0.5,0,0.75\n1,1.5,0.25,2,0\n"
# one disc falls onto the floor and stays there, another one flies on
MOTION = """set Problem = particle motion
subsection Spheres
  set Arrangement = file
  set File = two.csv
end
subsection Zone
  set Walls = bottom
  set Upper corner = 2, 1
end
subsection Force
  set Function expression = 0; -10
end
subsection Time
  set End time = 0.3
  set Time step = 0.01
  set Output every = 0.15
end
"""
MOTION_CSV = "x,y,radius,ux,uy\n0.3,0.25,0.2,0,0\n0.8,0.8,0.1,2,1\n"
# the left half is squeezed, the right half comes apart; the pressure ends in the middle
SQUEEZED = """set Problem = macro impact
subsection Velocity
  set Function expression = if(x < 0.25, 1, if(x < 0.5, -1, 6*x - 3)); 0
end
subsection Mesh
  set Cells per unit length = 16
end
"""
SYMMETRIC = """set Problem = macro impact
subsection Velocity
  set Function expression = 0.5 - x; 0.3*(0.5 - y)
end
subsection Mesh
  set Cells per unit length = 32
end
"""
ROWS = """set Problem = micro impact
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 24
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1); 0
end
"""
CELLS = """set Problem = homogenization
subsection Velocity
  set Function expression = sin(3*x + y) - x; cos(2*y) - x*y
end
subsection Cone
  set Type = square
end
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 6
end
"""
HEAP = """set Problem = congested flow
subsection Zone
  set Function expression = if(y < 0.5, 1, 0)
  set Walls = bottom
end
subsection Velocity
  set Function expression = 0; -1
end
subsection Force
  set Function expression = 0; -1
end
subsection Mesh
  set Cells per unit length = 16
end
subsection Time
  set End time = 0.1
  set Output every = 0.05
end
"""


def colour_of(colours, fraction):
    """Between the colours of a map; where there is no value, white."""
    if np.isnan(fraction):
        return WHITE
    place = min(max(fraction, 0.), 1.) * (len(colours) - 1)
    k = min(int(place), len(colours) - 2)
    return tuple(round(a + (place - k) * (b - a)) for a, b in zip(colours[k], colours[k + 1]))


class Image:
    """A picture above its scalar bars, where the scene is."""

    def __init__(self, file):
        self.pixels = picture(file)
        self.height, self.width, _ = self.pixels.shape
        self.scene = self.pixels[:self.height - BARS]

    def halves(self):
        """The panels before and after: side by side, or one above the other where no column between is empty."""
        is_wide = int((self.scene[80:, self.width // 2 - 3:self.width // 2 + 3] == WHITE).all())  # below titles
        parts = copy.copy(self), copy.copy(self)
        middle = self.scene.shape[is_wide] // 2
        for image, part in zip(parts, (slice(None, middle), slice(middle, None))):
            image.scene = self.scene[:, part] if is_wide else self.scene[part]
        return parts

    def are(self, colour, tolerance=3):
        """Which pixels of the scene have a colour."""
        return (abs(self.scene - colour) <= tolerance).all(axis=2)

    def box(self, colour, tolerance=3):
        """(left, top, right, bottom) of the pixels of a colour."""
        rows, columns = self.are(colour, tolerance).nonzero()
        return None if len(rows) == 0 else np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])

    def panels(self):
        """(left, bottom, side) of the squares in a row."""
        drawn = (self.scene != WHITE).any(axis=2)
        columns, bottom = drawn[80:].any(axis=0).nonzero()[0], drawn.any(axis=1).nonzero()[0].max() + 1  # below titles
        begins = [columns[0], *columns[1:][np.diff(columns) > 10]]
        ends = [*columns[:-1][np.diff(columns) > 10] + 1, columns[-1] + 1]
        return [(left, bottom, right - left) for left, right in zip(begins, ends)]


@needs_catalyst
class Pictures(InSitu):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.open_display()

    def drawn(self, text, script, n):
        """The n pictures of a run, none of them blank."""
        self.write("case.prm", text)
        said = self.run_well("case.prm", "--output", "out", *catalyst(script))
        for trouble in "failed", "complains":
            self.assertNotIn(trouble, said)
        files = self.extracts("out")
        self.assertEqual(len(files), n)
        images = [Image(file) for file in files]
        for image in images:
            self.assertEqual((image.width, len(image.pixels)), (1000, len(images[0].pixels)))
            self.assertTrue(300 <= image.height <= 1000, image.height)
            for corner in (0, 0), (0, -1), (-1, 0), (-1, -1):
                self.assertEqual(tuple(image.pixels[corner]), WHITE)
            self.assertGreater(len(np.unique(image.pixels.reshape(-1, 3), axis=0)), 100)  # the bars alone have that many
        return images

    def assert_bar(self, image, colours):
        """A bar shows all the map."""
        bars = image.pixels[image.height - BARS:]
        for colour in colours:
            self.assertGreater((abs(bars - colour) <= 4).all(axis=2).sum(), 10, colour)

    def assert_discs(self, image, spheres, largest):
        """Discs (centre, radius, speed) are where they must be, in their sizes and in the colours of their speeds; gives
        the centres in the picture and pixels per metre."""
        boxes = [image.box(colour_of(SPEED, speed / largest)) for _, _, speed in spheres]
        for box, (_, _, speed) in zip(boxes, spheres):
            self.assertIsNotNone(box, f"disc of speed {speed}")
        drawn = np.array([(box[:2] + box[2:]) / 2 for box in boxes])
        centres = np.array([centre for centre, _, _ in spheres]) * (1, -1)
        scale = np.linalg.norm(drawn[1] - drawn[0]) / np.linalg.norm(centres[1] - centres[0])
        for (_, radius, speed), box, place, centre in zip(spheres, boxes, drawn, centres):
            for size in box[2:] - box[:2]:
                self.assertAlmostEqual(size / scale, 2 * radius, delta=0.15 * radius,
                                       msg=f"disc of speed {speed}")  # the rim is darker
            np.testing.assert_allclose(place - drawn[0], scale * (centre - centres[0]), atol=8.,
                                       err_msg=f"disc of speed {speed}")
        return drawn, scale

    def spheres_at(self, file):
        """Centres, radii and speeds."""
        data = data_of(file)
        radii, speeds = values(data.GetPointData(), "radius"), np.linalg.norm(values(data.GetPointData(), "u"), axis=1)
        return [(data.GetPoint(k)[:2], radii[k], speeds[k]) for k in range(data.GetNumberOfPoints())]

    def test_spheres_of_an_impact(self):
        self.write("discs.csv", DISCS_CSV)
        image, = self.drawn(DISCS, "spheres.py", 1)
        with open(self.folder / "out/spheres.csv", newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        spheres = [((row["x"], row["y"]), row["radius"], np.hypot(row["ux"], row["uy"])) for row in rows]
        before, after = image.halves()
        speeds_before = 2., 1., .75, 2.
        self.assert_discs(before, [(place, radius, speed) for (place, radius, _), speed in zip(spheres, speeds_before)][1:3],
                          2.)
        self.assertIsNone(before.box(CHAIN_HIGH))
        drawn, _ = self.assert_discs(after, spheres, 2.)
        self.assertIsNotNone(after.box(CHAIN_HIGH), "the force chain")
        left, top, right, bottom = after.box(CHAIN_HIGH)
        np.testing.assert_allclose([left, (top + bottom) / 2], drawn[0], atol=15.)
        np.testing.assert_allclose([right, (top + bottom) / 2], drawn[1], atol=15.)
        self.assert_bar(image, SPEED)
        self.assertGreater(image.are(BLACK).sum(), 200)  # arrows

    def test_rows_that_are_equal_look_equal(self):
        image, = self.drawn(ROWS, "spheres.py", 1)
        _, after = image.halves()
        # every row stops: its chain is a ramp up to the middle
        red = (after.scene[:, :, 0] > after.scene[:, :, 1] + 60.)
        _, top, _, bottom = after.box(CHAIN_HIGH, 30)
        n_rows = 24
        pitch = (bottom - top) / (n_rows - 1 + .3)
        amounts = [red[max(0, round(top + (k - .45) * pitch)):round(top + (k + .55) * pitch)].sum() for k in range(n_rows)]
        self.assertGreater(min(amounts), 100)
        self.assertLess(max(amounts), 1.15 * min(amounts), amounts)

    def test_what_is_symmetric_looks_symmetric(self):
        image, = self.drawn(SYMMETRIC, "continuum.py", 1)
        for left, bottom, side in image.panels():
            panel = image.scene[bottom - side:bottom, left:left + side]
            mirrored = panel[:, ::-1]
            self.assertLess(abs(panel - mirrored).mean(), 6.)
            dark = (panel < 100).all(axis=2)
            n_left, n_right = dark[:, :side // 2].sum(), dark[:, (side + 1) // 2:].sum()
            self.assertGreater(n_left, 300)  # arrows
            self.assertLess(abs(n_left - n_right), .06 * n_left)

    def test_walls_and_what_is_solid_are_drawn(self):
        self.write("discs.csv", "x,y,radius,ux,uy\n0.5,0.5,0.5,1,-1\n")
        image, = self.drawn(DISCS + "subsection Zone\n  set Walls = bottom\nend\n", "spheres.py", 1)
        for half in image.halves():
            self.assertGreater((abs(half.scene - GREY) <= 60).all(axis=2).mean(axis=1).max(), .7, "the floor")
        images = self.drawn(HEAP.replace("y < 0.5", "y < 0.5 && x > 0.25") +
                            "subsection Maximal density\n  set Function expression = if(x < 0.25, 0, 1)\nend\n",
                            "flow.py", 3)
        for left, bottom, side in images[-1].panels():
            block = images[-1].scene[bottom - side + 10:bottom - 10, left + 10:left + side // 4 - 10]
            self.assertGreater((abs(block - GREY) <= 4).all(axis=2).mean(), .99)

    def test_spheres_of_a_motion(self):
        self.write("two.csv", MOTION_CSV)
        images = self.drawn(MOTION, "spheres.py", 3)
        largest = 0.
        for k, image in enumerate(images):
            spheres = self.spheres_at(self.folder / f"out/spheres_{k:04}.vtp")
            largest = max(largest, *(speed for _, _, speed in spheres))
            drawn, scale = self.assert_discs(image, spheres, largest)
            floor = (abs(image.scene - GREY) <= 60).all(axis=2).mean(axis=1)
            self.assertGreater(floor.max(), 0.8, "the floor")
            self.assertAlmostEqual(floor.argmax() - drawn[0][1], scale * spheres[0][0][1], delta=4.)
        self.assertIsNone(images[0].box(CHAIN_HIGH))
        self.assertIsNotNone(images[2].box(CHAIN_HIGH), "the force on the floor")

    def assert_cells(self, image, panel, cells, lengths, colours, largest, tolerance=8):
        """The cells (boxes) of the unit square have the colours of their values in a panel; arrows cover less than half of
        each."""
        left, bottom, side = panel
        for k, value in enumerate(lengths):
            x0, x1, y0, y1, *_ = cells.GetCell(k).GetBounds()
            part = image.scene[round(bottom - y1 * side) + 3:round(bottom - y0 * side) - 2, round(left + x0 * side) + 3:
                               round(left + x1 * side) - 2]
            found = np.median(part.reshape(-1, 3), axis=0)
            np.testing.assert_allclose(found, colour_of(colours, value / largest), atol=tolerance,
                                       err_msg=f"cell {k}, {value}")

    def test_an_impact_of_the_continuum(self):
        image, = self.drawn(SQUEEZED, "continuum.py", 1)
        before, after = image.panels()
        cells = data_of(self.folder / "out/continuum_0000.vtu")
        p, active = values(cells.GetCellData(), "p"), values(cells.GetCellData(), "active")
        self.assert_cells(image, before, cells, np.ones_like(p), [MATTER, MATTER], 1.)
        self.assert_cells(image, after, cells, p, PRESSURE, p.max())
        self.assert_bar(image, PRESSURE)
        # the edge of the active zone is a line from the bottom to the top, but for cells in the corners
        edge = max(cells.GetCell(k).GetBounds()[1] for k in active.nonzero()[0])
        self.assertTrue(0.3 < edge < 0.6, edge)
        left, bottom, side = after
        black = (image.scene[bottom - side:bottom, left:left + side] <= 40).all(axis=2)
        near = black[:, round((edge - .02) * side):round((edge + .02) * side)]
        self.assertGreater(near.any(axis=1).mean(), .85)
        self.assertAlmostEqual(near.mean(axis=0).argmax() / side - .02, 0., delta=.01)
        # a scale of 0.2 m below the first panel
        left, bottom, side = before
        below = (image.pixels[bottom + 5:bottom + 45] <= 40).all(axis=2)[:, :left + side // 2]
        longest = max(len(run) for row in below for run in "".join("x" if black else " " for black in row).split(" "))
        self.assertAlmostEqual(longest / side, .2, delta=.005)
        # arrows are the longer the faster
        left, bottom, side = before
        arrows = image.are(BLACK, 60)[bottom - side:bottom, left:left + side]
        slow, fast = arrows[:, side // 2:3 * side // 4].sum(), arrows[:, 3 * side // 4:].sum()
        self.assertGreater(slow, 100)
        self.assertGreater(fast, 1.5 * slow)

    def test_cells_of_a_homogenization(self):
        image, = self.drawn(CELLS, "voronoi.py", 1)
        cells = data_of(self.folder / "out/voronoi_0000.vtp")
        v, u, difference = (np.linalg.norm(values(cells.GetCellData(), name), axis=1) for name in ("v", "u", "v_minus_u"))
        panels = image.panels()
        self.assertEqual(len(panels), 3)
        largest = max(v.max(), u.max())
        for panel, lengths in zip(panels, (v, u)):
            self.assert_cells(image, panel, cells, lengths, SPEED, largest)
        self.assert_cells(image, panels[2], cells, difference, DIFFERENCE, difference.max())
        self.assert_bar(image, SPEED)
        self.assert_bar(image, DIFFERENCE)

    def test_a_flow(self):
        images = self.drawn(HEAP, "flow.py", 3)
        largest = 0.
        for k, image in enumerate(images):
            cells = data_of(self.folder / f"out/continuum_{k:04}.vtu")
            rho, p = (values(cells.GetCellData(), name) for name in ("rho", "p"))
            largest = max(largest, p.max())
            density, pressure = image.panels()
            shown = rho > 0.01
            self.assert_cells(image, density, cells, np.where(shown, rho, 0.), DENSITY, 1.)
            colours = PRESSURE if largest > 0 else PRESSURE[:1] * 2
            self.assert_cells(image, pressure, cells, np.where(shown, p, np.nan), colours, largest or 1.)
            self.assert_bar(image, DENSITY)
            self.assert_bar(image, PRESSURE)
        self.assertGreater(largest, 0.)


if __name__ == "__main__":
    main()
