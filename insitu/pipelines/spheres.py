# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres coloured by their speed |u|, and force chains: lines between centres, as thick as p is large."""

import math
import os
import sys

# a macro of a ParaView window does not know its file, but is in the folder of macros
HERE = globals().get("__file__") or os.path.expanduser("~/.config/ParaView/Macros/spheres.py")
sys.path.insert(0, os.path.dirname(os.path.realpath(HERE)))

from paraview import simple  # noqa: E402

import moreau_views as views  # noqa: E402
from moreau_colours import GREY  # noqa: E402

FEW = 30  # so many get arrows
SMALLEST_OUTLINED_DISC = 7  # pixels of the radius
LARGEST_NUMBER_OF_BALLS = 20000  # more are drawn as shaded points
DISC = """
//VTK::Color::Impl
float distance = dot(offsetVCVSOutput.xy, offsetVCVSOutput.xy);
if (distance > 1.0) { discard; }
if (distance > INNER) { ambientColor *= 0.45; diffuseColor *= 0.45; }
"""


class Spheres(views.Picture):
    """Draws spheres coloured by speed with their force chains and obstacles."""

    def build(self):
        self.spheres = self.feed.required("spheres", "which this picture is made of")
        self.contacts = self.feed.channel("contacts")
        self.obstacles = self.feed.channel("obstacles")
        self.array = self.feed.arguments.array or "u"
        if not self.spheres.has(self.array):
            raise views.Failure(f"The spheres have no array '{self.array}'.")
        self.measure()
        self.force = None
        if self.contacts:  # without lines at first there are no arrays yet; a motion has forces, an impact multipliers
            usual = "p" if self.spheres.has("U") else "force"
            self.force = next((name for name in ("force", "p") if self.contacts.has(name)), usual)
        self.panel()
        self.discs = self.tubes = None
        self._show_spheres()
        if self.spheres.n_points <= FEW and self.spheres.n_components(self.array) == 3:
            self._show_arrows()
        if self.force and self.wants("chains"):
            self._show_chains(self.panel() if not self.is_flat else 0)
        self._show_obstacles()

    def is_timed(self):
        return not self.feed.has("voronoi") and super().is_timed()

    def measure(self):
        largest = self.spheres.range("radius")[1]
        self.bounds.include(self.spheres.bounds, largest)
        if self.obstacles:
            self.bounds.include(self.obstacles.bounds)
        self.grow_from_zero("speed", self.spheres.range(self.array))
        self.grow("radius", self.spheres.range("radius"))
        if self.contacts and self.contacts.n_cells > 0:
            for name in ("force", "p"):
                if self.contacts.has(name):
                    self.grow_from_zero(name, self.contacts.range(name))

    def _show_spheres(self):
        if self.is_flat or self.spheres.n_points > LARGEST_NUMBER_OF_BALLS:
            display = self.show(self.spheres.proxy, representation="Point Gaussian")
            display.ScaleByArray = 1
            display.SetScaleArray = ["POINTS", "radius"]
            display.UseScaleFunction = 0
            display.GaussianRadius = 1.
            if self.is_flat:
                display.CustomTriangleScale = 2
                self.discs = display
            else:
                display.ShaderPreset = "Sphere"
        else:
            balls = simple.Glyph(registrationName="balls", Input=self.spheres.proxy, GlyphType="Sphere")
            balls.OrientationArray = ["POINTS", "No orientation array"]
            balls.ScaleArray = ["POINTS", "radius"]
            balls.ScaleFactor = 2.  # the glyph's own radius is 1/2
            balls.GlyphMode = "All Points"
            balls.GlyphType.ThetaResolution = balls.GlyphType.PhiResolution = 20 if self.spheres.n_points < 2000 else 10
            display = self.show(balls)
        self.colour(display, self.spheres, self.array, "speed")

    def _show_arrows(self):
        in_front = simple.Transform(registrationName="in_front", Input=self.spheres.proxy)
        self.lift = in_front.Transform
        self.show_arrows(in_front, self.array, at_points=True)

    def _show_chains(self, panel):
        pressed = simple.Threshold(registrationName="pressed", Input=self.contacts.proxy)
        pressed.Scalars = ["CELLS", self.force]
        pressed.ThresholdMethod = "Above Upper Threshold"
        apart = simple.Shrink(registrationName="apart", Input=pressed, ShrinkFactor=1.)  # lines no longer share points
        at_ends = simple.CellDatatoPointData(registrationName="at_ends", Input=apart)
        thickness = simple.Calculator(registrationName="thickness", Input=at_ends, ResultArrayName="thickness")
        lines = simple.ExtractSurface(registrationName="lines", Input=thickness)
        tubes = simple.Tube(registrationName="chains", Input=lines)
        tubes.Scalars = ["POINTS", "thickness"]
        tubes.VaryRadius = "By Absolute Scalar"
        tubes.NumberofSides = 6 if self.contacts.n_cells > 20000 else 12
        tubes.Capping = 0
        self.pressed, self.thickness, self.tubes = pressed, thickness, tubes
        display = self.show(tubes, panel)
        self.grow(self.force, (0., 0.))
        self.colour(display, self.contacts, self.force, self.force, "chain", place="POINTS")

    def _show_obstacles(self):
        if not self.obstacles:
            return
        for panel in range(len(self.panels)):
            display = self.show_line(self.obstacles.proxy, panel, GREY, 2.5)
            if not self.is_flat:
                display.Opacity = .15

    def draw(self):
        radius = sum(self.ranges["radius"]) / 2
        if self.discs:
            pixels = radius * self.pixels_per_metre()
            # a picture keeps every shader that it has seen: a few fit all sizes
            rounded = 2. ** (round(4 * math.log2(max(pixels, 3.))) / 4)
            self.discs.CustomShader = DISC.replace("INNER", f"{(1 - 1.5 / rounded) ** 2:.4f}")
            self.discs.ShaderPreset = "Custom" if pixels > SMALLEST_OUTLINED_DISC else "Plain circle"
        if self.arrows:
            largest = self.ranges["speed"][1]
            in_front = (1. if self.is_flat else 1.3) * self.ranges["radius"][1]
            self.lift.Translate = [-in_front * component for component in self.axes()[2]]
            self.arrows[0][1].ScaleFactor = 1.4 * radius / largest if largest > 0 else 0.
        if self.tubes:
            largest = self.ranges[self.force][1] or 1.
            widest = (.5 if self.spheres.n_points > FEW else .12) * radius
            self.pressed.UpperThreshold = 1e-3 * largest
            self.thickness.Function = f"{self.force} * {widest / largest!r}"


picture = Spheres("spheres")
picture.start()
options = picture.options
catalyst_execute = picture.execute
