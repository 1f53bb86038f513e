# SPDX-License-Identifier: GPL-3.0-or-later
"""Spheres coloured by their speed |u|, and force chains: lines between centres, as thick as p is large."""

import math

from paraview import simple

import moreau_views as views
from moreau_colours import text
from moreau_sources import range_of

FEW = 30  # so many have their contacts without impulse dashed
FEW_ARROWS = 150  # so many get an arrow each
CLOSEST = 24  # pixels from arrow to arrow
USUAL_SPEED, SEEN = .9, .2  # a share of spheres; of the longest arrow, what is an arrow still
SMALLEST_OUTLINED_DISC = 3  # pixels of the radius
THINNEST_CHAIN, FAINTEST_CHAIN = .35, .12  # pixels of the radius: a chain is drawn at least as thick, or not at all
LARGEST_NUMBER_OF_BALLS = 20000  # more are drawn as shaded points
MOST_JOINTS = 5000  # contacts whose chains have round ends
PALE = [.93, .93, .92]
GLUED = [.13, .36, .75]  # contacts that hold what pulls at them
RIGID, FREE = [.84, .37, 0.], [.6, .6, .6]  # contacts that no admissible velocity opens, and the others
LOOSE = {"share": .95, "few": 20}  # fluctuations of rattlers, which may be anything, give no colours
TITLES = {"U": "U, before", "u": "u, after"}
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
        # a network of contacts has fluctuations w at an edge of its cone
        self.array = self.feed.arguments.array or ("w" if self.spheres.has("w") and not self.spheres.has("u") else "u")
        if not self.spheres.has(self.array):
            raise views.Failure(f"The spheres have no array '{self.array}'.")
        self.slabs, self.fastest, self.usual = [], {}, {}
        self.measure()
        self.force = None
        if self.contacts:  # without lines at first there are no arrays yet; a motion has forces, an impact multipliers
            usual = "p" if self.spheres.has("U") else "force"
            self.force = next((name for name in ("force", "p") if self.contacts.has(name)), usual)
            if self.force == "p" and self._is_repeated():
                self.force = "impulse"
        self.discs, self.tubes, self.dashes, self.glued = [], None, None, None
        self.is_cut = not self.is_flat and self.spheres.has("U") and self.spheres.n_points > FEW
        is_impact = self.spheres.has("U") and self.array == "u"
        self.is_flight = is_impact and self._is_flight()
        if is_impact and self.wants("before") and not self.is_flight:
            self._show_spheres("U", self.panel(TITLES["U"]))
        # in space chains have a panel of their own
        title = {"w": "fluctuation w, stress" if self.is_flat else "fluctuation w"}.get(
            self.array, "" if self.is_flat or not self.force else f"velocity {self.array}")
        after = self.panel(title if self.is_flight or not is_impact else TITLES["u"])
        self._show_spheres(self.array, after)
        if self.force and (self.wants("chains") or self.wants("impulses")):
            is_apart = not self.is_flat or (self.feed.arguments.panels is not None and self.wants("impulses"))
            name = "forces" if self.force == "force" else "stress" if self.array == "w" else "impulses"
            panel = self.panel(name) if is_apart else after
            if is_apart and self.is_flat:
                self._show_outlines(panel)
            self._show_chains(panel)
        if self.contacts and self.contacts.has("rigid") and self.wants("rigid"):
            self._show_rigid_contacts()
        self.show_circles()
        self.show_triad()
        self.show_walls()
        self.include_walls()

    def _is_flight(self):
        """Whether the only moment of this picture is one between impacts, when nothing changes."""
        if self.feed.in_situ or self.feed.in_window or len(self.feed.moments) > 1:
            return False
        change = self.calculated(self.spheres, "change", "u - U", "Point Data")
        change.UpdatePipeline()
        return range_of(change.PointData.GetArray("change"))[1] <= 1e-12 * self.spheres.range("u")[1]

    def _is_repeated(self):
        """Whether contacts exchange another impulse than the multiplier of one projection: the law has e > 0, or was
        repeated."""
        if not (self.contacts.n_cells > 0 and self.contacts.has("impulse", "p")):
            return False
        change = self.calculated(self.contacts, "beside", "impulse - p")
        change.UpdatePipeline()
        low, high = range_of(change.CellData.GetArray("beside"))
        return max(-low, high) > 1e-9 * self.contacts.range("impulse")[1]

    def is_timed(self):
        return not self.feed.has("voronoi") and self.array != "w" and super().is_timed()

    def measure(self):
        largest = self.spheres.range("radius")[1]
        self.bounds.include(self.spheres.bounds, largest)
        self.include_walls()
        if self.array == "w":  # of a box that repeats itself contacts reach out
            self.bounds.include(self.contacts.bounds if self.contacts else None)
        names = ["U", "u"] if self.array == "u" and self.spheres.has("U") and self.wants("before") else [self.array]
        seen = self.spheres.filtered(self.boxed(self.spheres.proxy)) if self.feed.arguments.box else self.spheres
        for name in names:
            self.grow_mostly("speed", seen, name, **(LOOSE if name == "w" else {}))
            self.fastest[name] = max(self.fastest.get(name, 0.), seen.range(name)[1])
            self.usual[name] = max(self.usual.get(name, 0.), seen.quantile(name, USUAL_SPEED))
        self.grow("radius", self.spheres.range("radius"))
        self.measure_outline(self.spheres, largest)
        if self.contacts and self.contacts.n_cells > 0:
            for name in ("force", "p", "impulse"):
                if self.contacts.has(name):
                    self.grow_mostly(name, self.contacts, name)

    def _show_spheres(self, array, panel):
        shown = self.spheres.proxy
        if self.is_cut:  # inside is where something happens
            shown = self.cut_in_space(shown)
        if self.is_flat or self.spheres.n_points > LARGEST_NUMBER_OF_BALLS:
            display = self._show_points(shown, panel)
        else:
            resolution = 20 if self.spheres.n_points < 2000 else 10
            display = self.show(self._balls(f"balls_{panel}", shown, "radius", resolution), panel)
        self.colour(display, self.spheres, array, "speed", title=self.speed_title())
        if self.spheres.n_components(array) == 3 and (self.spheres.has("U") or self.spheres.n_points <= FEW):
            self.show_arrows(self._slab(shown, panel) if self.is_cut else shown, array, panel, at_points=True,
                             halo=self.is_flat and self.array == "u")
            self.with_arrows.append((array, panel))

    def _show_points(self, proxy, panel):
        """Spheres as shaded points: discs in a plane, which draw() gives their rims."""
        display = self.show(proxy, panel, representation="Point Gaussian")
        display.ScaleByArray = 1
        display.SetScaleArray = ["POINTS", "radius"]
        display.UseScaleFunction = 0
        display.GaussianRadius = 1.
        if self.is_flat:
            display.CustomTriangleScale = 2
            self.discs.append(display)
        else:
            display.ShaderPreset = "Sphere"
        return display

    @staticmethod
    def _balls(name, proxy, radius, resolution):
        """A sphere at each point, with an array as radius."""
        balls = simple.Glyph(registrationName=name, Input=proxy, GlyphType="Sphere")
        balls.OrientationArray = ["POINTS", "No orientation array"]
        balls.ScaleArray = ["POINTS", radius]
        balls.ScaleFactor = 2.  # the glyph's own radius is 1/2
        balls.GlyphMode = "All Points"
        balls.GlyphType.ThetaResolution = balls.GlyphType.PhiResolution = resolution
        return balls

    def _show_outlines(self, panel):
        """Discs without colours, behind what is between them."""
        self.paint(self._show_points(self.spheres.proxy, panel), PALE)

    def speed_title(self):
        """One bar for before and after."""
        if self.array == "u" and self.spheres.has("U") and self.wants("before") and not self.is_flight:
            return f"{text('U', True)}, {text('u', True)}"
        return None

    def _show_joints(self, lines, panel):
        """Round ends of chains, which else would gape where they meet."""
        display = self.show(self._balls("joints", lines, "thickness", 12), panel)
        self.colour(display, self.contacts, self.force, self.force, "chain", place="POINTS")

    def _slab(self, half, panel, name="slab"):
        """What is next to where the others were cut off."""
        slab = simple.Clip(registrationName=f"{name}_{panel}", Input=half, ClipType="Plane", Invert=1)
        slab.ClipType.Normal = self.cut_normal
        self.slabs.append(slab.ClipType)
        return slab

    def _seen_contacts(self, panel):
        contacts = self.contacts.proxy
        if self.is_cut:  # one layer, else all would be in front of each other
            contacts = self._slab(self.cut_in_space(contacts), panel, "layer")
        return contacts

    def _show_rigid_contacts(self):
        """What no admissible velocity opens, over the other contacts and spheres without colours."""
        rigid = {"Scalars": ["CELLS", "rigid"], "ThresholdMethod": "Above Upper Threshold", "UpperThreshold": .5}
        everywhere = simple.Threshold(registrationName="all_rigid", Input=self.contacts.proxy, **rigid)
        n_rigid = self.contacts.filtered(everywhere).n_cells
        panel, counted = self.panel(), f"{n_rigid} of {self.contacts.n_cells}"
        self.name_panel(panel, [f"{counted} contacts are rigid", f"{counted} contacts rigid", "rigid contacts"])
        if self.is_flat:
            self._show_outlines(panel)
        contacts = self._seen_contacts(panel)
        self.show_line(contacts, panel, FREE, 1.)
        self.show_line(simple.Threshold(registrationName="rigid", Input=contacts, **rigid), panel, RIGID, 2.5)

    def _show_chains(self, panel):
        pressed = simple.Threshold(registrationName="pressed", Input=self._seen_contacts(panel))
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
        if self.is_flat and self.contacts.n_cells <= MOST_JOINTS:
            self._show_joints(lines, panel)
        if self.contacts.has("gamma"):
            self.glued = simple.Threshold(registrationName="glued", Input=self.contacts.proxy)
            self.glued.Scalars = ["CELLS", "gamma"]
            self.glued.ThresholdMethod = "Below Lower Threshold"
            self.show_line(self.glued, panel, GLUED, 2.5)
        display = self.show(tubes, panel)
        self.grow(self.force, (0., 0.))
        self.colour(display, self.contacts, self.force, self.force, "chain", place="POINTS")
        if self.is_flat and self.spheres.n_points <= FEW:
            self.dashes, line = self.show_shape(self.contacts.proxy, "dashes", panel)
            line.LineWidth = self.pixels(1.2)

    def draw(self):
        radius = sum(self.ranges["radius"]) / 2
        pixel = 1 / self.pixels_per_metre()
        if self.discs:
            # a picture keeps every shader that it has seen: a few fit all sizes
            rounded = 2. ** (round(4 * math.log2(max(radius / pixel, 3.))) / 4)
            for display in self.discs:
                display.CustomShader = DISC.replace("INNER", f"{(1 - 1. / rounded) ** 2:.4f}")
                display.ShaderPreset = "Custom" if radius > SMALLEST_OUTLINED_DISC * pixel else "Plain circle"
        if self.arrows:
            self._draw_arrows(radius)
        for plane in self.slabs:
            plane.Origin = [middle + 2.1 * radius * normal for normal, middle in zip(self.cut_normal, self.bounds.middle)]
        if self.dashes:
            self.set_shape(self.dashes, "dashes", name=self.force, pixel=pixel, inward=self.axes()[2], lift=radius)
        if self.glued:
            held = self.contacts.range("gamma")[0]
            self.glued.LowerThreshold = 1e-6 * held if held < 0. else -1.
        if self.tubes:
            largest = self.ends(self.force)[1]
            widest = (.5 if self.spheres.n_points > FEW else .12) * radius
            self.pressed.UpperThreshold = largest * min(.02, max(1e-3, FAINTEST_CHAIN * pixel / widest))
            share = f"min(1, {self.force} / {largest!r})"
            self.thickness.Function = f"max({THINNEST_CHAIN * pixel!r}, {widest!r} * {share})"

    def _draw_arrows(self, radius):
        """One for each of a few spheres, else of each square of a grid the one in its middle."""
        few = self.spheres.n_points <= FEW_ARROWS and not self.is_cut
        spacing = max(self.arrow_spacing(), 2 * radius)
        if self.is_flat and len(self.panels) > 2:  # small panels have fewer
            spacing = max(spacing, CLOSEST / self.pixels_per_metre())
        if few:
            spacing = max(2.8 * radius, .5 * self.arrow_spacing())
        if few and self.is_flat and self.spheres.n_points > FEW:  # far apart they leave room
            apart = math.sqrt(self.bounds.sides[0] * self.bounds.sides[1] / self.spheres.n_points)
            spacing = max(spacing, min(apart, 5 * radius))
        largest = self.largest["speed"]
        # without a title nothing could say that arrows are enlarged; a few fast ones are not worth it
        is_worth = {array: self.usual[array] > SEEN * self.fastest[array] for array, _ in self.with_arrows}
        lengths = [self.fastest[array] if self.panels[panel][0] and is_worth[array] else largest
                   for array, panel in self.with_arrows]
        in_front = (1.1 if self.is_flat else 1.3) * self.ranges["radius"][1]
        factors = self.draw_arrows(lengths, reach=.5 if few else views.REACH, spacing=spacing, side=0. if few else spacing,
                                   lift=in_front, largest=largest)
        for (array, panel), factor in zip(self.with_arrows, factors):
            if self.panels[panel][0]:
                title = self.said_of_rest(TITLES[array], array, self.fastest[array], largest,
                                          views.REST if is_worth[array] else SEEN)
                self.name_panel(panel, self.with_speed(title, self.fastest[array], factor))
