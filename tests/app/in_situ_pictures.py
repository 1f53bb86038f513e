#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pipelines of insitu/pipelines draw what they should: in_situ_pictures.py MOREAU, by a Python that has ParaView's vtkmodules."""
import csv

import numpy as np
from in_situ_runs import InSitu, catalyst, data_of, main, needs_catalyst, picture, vtk_to_numpy

# the colours from low to high, as everybody sees them in the bars
SPEED = [(255, 255, 217), (199, 232, 181), (128, 204, 186), (64, 181, 196), (36, 128, 184)]
PRESSURE = [(255, 247, 240), (252, 212, 184), (252, 163, 122), (240, 97, 69), (191, 31, 33)]
CHAIN_HIGH = (71, 0, 20)
DENSITY = [(255, 255, 255), (217, 227, 242), (173, 196, 224), (122, 156, 201), (71, 112, 173)]
DIFFERENCE = [(255, 255, 255), (230, 217, 237), (194, 168, 212), (153, 112, 179), (112, 56, 140)]
MATTER = (237, 237, 235)
GREY = (140, 140, 140)
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
BARS = 85  # pixels at the bottom

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
    """Between the colours of a map."""
    place = min(max(fraction, 0.), 1.) * (len(colours) - 1)
    k = min(int(place), len(colours) - 2)
    return tuple(round(a + (place - k) * (b - a)) for a, b in zip(colours[k], colours[k + 1]))


class Image:
    """A picture above its scalar bars, where the scene is."""

    def __init__(self, file):
        self.pixels = picture(file)
        self.height, self.width, _ = self.pixels.shape
        self.scene = self.pixels[:self.height - BARS]

    def are(self, colour, tolerance=3):
        """Which pixels of the scene have a colour."""
        return (abs(self.scene - colour) <= tolerance).all(axis=2)

    def box(self, colour, tolerance=3):
        """(left, top, right, bottom) of the pixels of a colour."""
        rows, columns = self.are(colour, tolerance).nonzero()
        return None if len(rows) == 0 else np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])


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
        """Discs (centre, radius, speed) are where they must be, in their sizes and in the colours of their speeds; gives the centres in
        the picture and pixels per metre."""
        boxes = [image.box(colour_of(SPEED, speed / largest)) for _, _, speed in spheres]
        for box, (_, _, speed) in zip(boxes, spheres):
            self.assertIsNotNone(box, f"disc of speed {speed}")
        drawn = np.array([(box[:2] + box[2:]) / 2 for box in boxes])
        centres = np.array([centre for centre, _, _ in spheres]) * (1, -1)
        scale = np.linalg.norm(drawn[1] - drawn[0]) / np.linalg.norm(centres[1] - centres[0])
        for (_, radius, speed), box, place, centre in zip(spheres, boxes, drawn, centres):
            for size in box[2:] - box[:2]:
                self.assertAlmostEqual(size / scale, 2 * radius, delta=0.15 * radius, msg=f"disc of speed {speed}")  # the rim is darker
            np.testing.assert_allclose(place - drawn[0], scale * (centre - centres[0]), atol=8., err_msg=f"disc of speed {speed}")
        return drawn, scale

    def spheres_at(self, file):
        """Centres, radii and speeds."""
        data = data_of(file)
        values = data.GetPointData()
        return [(data.GetPoint(k)[:2], values.GetArray("radius").GetValue(k), np.linalg.norm(values.GetArray("u").GetTuple(k)))
                for k in range(data.GetNumberOfPoints())]

    def test_spheres_of_an_impact(self):
        self.write("discs.csv", DISCS_CSV)
        image, = self.drawn(DISCS, "spheres.py", 1)
        with open(self.folder / "out/spheres.csv", newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        spheres = [((row["x"], row["y"]), row["radius"], np.hypot(row["ux"], row["uy"])) for row in rows]
        drawn, _ = self.assert_discs(image, spheres, 2.)
        left, top, right, bottom = image.box(CHAIN_HIGH)
        np.testing.assert_allclose([left, (top + bottom) / 2], drawn[0], atol=15.)
        np.testing.assert_allclose([right, (top + bottom) / 2], drawn[1], atol=15.)
        self.assert_bar(image, SPEED)
        self.assertGreater(image.are(BLACK).sum(), 200)  # arrows

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

    def test_an_impact_of_the_continuum(self):
        image, = self.drawn(SQUEEZED, "continuum.py", 1)
        before = image.box(MATTER, 0)
        self.assertLess(before[2], image.width / 2)
        side = before[2] - before[0]
        after = image.scene[before[1]:before[3], image.width - before[0] - side:image.width - before[0]]
        # the pressure is highest where both parts meet, and nothing beyond them
        hat = (abs(after - PRESSURE[-1]) <= 30).all(axis=2)
        self.assertGreater(hat.sum(), side**2 / 100)
        self.assertAlmostEqual(hat.nonzero()[1].mean() / side, 0.22, delta=0.03)
        low = (abs(after - PRESSURE[0]) <= 1).all(axis=2)
        self.assertAlmostEqual(low[:, round(.55 * side):].mean(), 1., delta=0.2)  # but for arrows
        # the edge of the active zone is a line from the bottom to the top
        data = data_of(self.folder / "out/continuum_0000.vtu")
        active = data.GetCellData().GetArray("active")
        edge = max(data.GetCell(k).GetBounds()[1] for k in range(data.GetNumberOfCells()) if active.GetValue(k) > 0)
        self.assertTrue(0.3 < edge < 0.6, edge)
        black = (after <= 40).all(axis=2).mean(axis=0)
        self.assertGreater(black.max(), 0.95)
        self.assertAlmostEqual(black.argmax() / side, edge, delta=0.01)
        self.assert_bar(image, PRESSURE)
        # arrows are the longer the faster
        arrows = image.are(BLACK, 60)[before[1]:before[3], before[0]:before[2]]
        self.assertGreater(arrows[:, 3 * side // 4:].sum(), 1.5 * arrows[:, side // 2:3 * side // 4].sum())
        self.assertGreater(arrows[:, side // 2:3 * side // 4].sum(), 100)

    def test_cells_of_a_homogenization(self):
        image, = self.drawn(CELLS, "voronoi.py", 1)
        inside = (image.scene[60:] != WHITE).any(axis=(0, 2)).nonzero()[0]  # below the titles
        ends = [inside[0], *inside[1:][np.diff(inside) > 10], inside[-1] + 1]
        self.assertEqual(len(ends), 4, "three panels")
        green = (image.are((38, 140, 64), 40)).nonzero()[0]
        top, side = green.min(), ends[-1] - ends[-2]
        cells = data_of(self.folder / "out/voronoi_0000.vtp")
        arrays = [vtk_to_numpy(cells.GetCellData().GetArray(name)) for name in ("v", "u", "v_minus_u")]
        lengths = [np.linalg.norm(array, axis=1) for array in arrays]
        speed = max(length.max() for length in lengths[:2])
        for left, length, colours, largest in zip(ends, lengths, (SPEED, SPEED, DIFFERENCE), (speed, speed, lengths[2].max())):
            for k, value in enumerate(length):
                x, _, y, *_ = cells.GetCell(k).GetBounds()
                column, row = round(left + (x + .02) * side), round(top + (1 - y - .02) * side)  # arrows start in the middle
                found = np.median(image.scene[row - 2:row + 3, column - 2:column + 3].reshape(-1, 3), axis=0)
                np.testing.assert_allclose(found, colour_of(colours, value / largest), atol=8, err_msg=f"cell {k}")
        self.assert_bar(image, SPEED)
        self.assert_bar(image, DIFFERENCE)

    def test_a_flow(self):
        images = self.drawn(HEAP, "flow.py", 3)
        for image in images:
            box = image.box(DENSITY[-1])
            self.assertIsNotNone(box)
            side = image.width // 2 - 2 * box[0]
            self.assertAlmostEqual((box[2] - box[0]) / side, 1., delta=0.1)
            self.assertAlmostEqual((box[3] - box[1]) / side, 0.5, delta=0.1)
            self.assert_bar(image, DENSITY)


if __name__ == "__main__":
    main()
