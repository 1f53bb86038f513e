# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocities U before and u after a macroscopic impact as arrows, its pressure p, and the edge of where p > 0."""

from paraview import simple

import moreau_views as views
from moreau_colours import MAPS
from moreau_sources import range_of

SMALLEST_CELL, SMALLEST_UNEVEN_CELL = 12, 4  # pixels, mean; smaller ones have no lines
CROSS = .08  # of the longest side, the directions of a grain
BOX = .995  # of the area of its box: a zone that fills more of it is the box
REFINED = 3.5  # times larger is the largest cell than the smallest
ZONE_EDGE, GRAIN_EDGE = [.35, .35, .35], [.1, .3, .6]
MOST_GRAINS = 100  # whose boundaries are drawn
LEVEL = "zone_level"
MOST = .98  # of the velocities: so fast are arrows that are as long as from one to the next


class Continuum(views.Picture):
    """Draws the velocities before and after a macroscopic impact with its pressure."""

    light = .9, .12

    def build(self):
        self.continuum = self.feed.required("continuum", "which this picture is made of")
        self.array = self.feed.arguments.array or "p"
        self.active = "active"
        if self.array == "p" and self.continuum.has("p") and self.continuum.n_components("p") > 1:
            self._sum_directions()
        self.density = next((name for name in ("density", "rho") if self.continuum.has(name)), None)
        self.level_of = self.continuum.proxy if self.continuum.has(LEVEL) else None
        if self.level_of:
            self.continuum = self.continuum.filtered(self._in_zone())
            self.area = simple.IntegrateVariables(registrationName="area", Input=self.continuum.proxy)
        self.filled = self.continuum.proxy if self.level_of else self.matter(self.continuum, self.density)
        self.bounds.include(self.continuum.bounds)
        seen = self.boxed(self.filled) if self.feed.arguments.box else self.filled
        self.seen = self.continuum.filtered(seen)
        self.cell_sizes = simple.CellSize(registrationName="cell_sizes", Input=self.level_of or self.continuum.proxy,
                                          ComputeSum=0)
        self.parts, self.fastest, self.most, self.zone_edges, self.grains = [], {}, {}, [], []
        self.measure()
        self.shown_part = self.cut_in_space(self.filled)
        if self.continuum.has("U") and self.wants("before"):
            self._show_before(self.panel("U, before"))
        if self.wants("after"):
            self._show_after(self.panel("u, after"))
        self.show_circles()
        self.show_triad()
        self.show_walls()

    def _sum_directions(self):
        """A pressure per direction, which need not be unique: what all of them bear together, where any is active."""
        summed = simple.ProgrammableFilter(registrationName="sums", Input=self.continuum.proxy,
                                           OutputDataSetType="Same as Input")
        self.set_shape(summed, "sums", name="p", active="active")
        self.continuum = self.continuum.filtered(summed)
        self.array, self.active = "sum of p", "pressed"

    def _in_zone(self):
        """What there is up to the edge of the zone, also where that cuts cells."""
        part = simple.ProgrammableFilter(registrationName="in_zone", Input=self.continuum.proxy,
                                         OutputDataSetType="vtkUnstructuredGrid")
        self.set_shape(part, "in_zone", density=self.density, level=LEVEL)
        return part

    def is_timed(self):
        return not self.continuum.has("U") and super().is_timed()

    def measure(self):
        self.bounds.include(self.continuum.bounds)
        self.measure_outline(self.seen)
        seen = self.seen.proxy
        seen.UpdatePipeline(*([self.moment.time] if self.moment else []))
        for name in ("U", "u"):
            if self.continuum.has(name):  # velocities of nothing, which may be large, do not count, nor what is not drawn
                data = seen.CellData if self.continuum.place(name) == "CELLS" else seen.PointData
                fastest = range_of(data.GetArray(name))[1]
                self.most[name] = max(self.most.get(name, 0.), fastest)
                usual = self.seen.quantile(name, MOST)  # jets of a few cells would make all other arrows short
                fastest = usual if fastest > 1.5 * usual > 0. else fastest
                self.grow_from_zero(name, (0., fastest))
                self.fastest[name] = max(self.fastest.get(name, 0.), fastest)  # of this run; ranges may be those of several
        if self.continuum.has(self.array):
            self.grow_mostly("pressure", self.continuum, self.array)
        self.grow("matter", (0., 1.))

    def _show_before(self, panel):
        display = self._show_part(panel)
        self.show_frame(self.continuum.proxy, panel)
        if self.level_of:  # what lies in the zone is full, also where the middle of its cell does not
            display.AmbientColor = display.DiffuseColor = MAPS["matter"][1]
        elif self.density:
            display.ColorArrayName = [self.continuum.place(self.density), self.density]
            display.LookupTable = self.map("matter")
        self._show_arrows("U", panel)
        self._show_zone(panel)

    def _show_zone(self, panel):
        """Where the zone ends within the data, and where grains meet."""
        if self.level_of and self.is_flat:
            edge = simple.Contour(registrationName=f"zone_{panel}", Input=self.level_of, ContourBy=["POINTS", LEVEL],
                                  Isosurfaces=[0.])
            self.zone_edges.append(self.show_line(edge, panel, ZONE_EDGE, 1.2))
        elif self.density and self.is_flat:  # in space cells end there that can be seen
            low, high = self.continuum.range(self.density)
            if low < .99 <= high:
                self.show_edge(self.continuum.proxy, self.density, .995, panel, ZONE_EDGE, 1.2, smooth=False)
        if self.continuum.has("grain"):
            n = round(self.continuum.range("grain")[1]) + 1
            if 1 < n <= MOST_GRAINS:
                self.show_edge(self.continuum.proxy, "grain", [k + .5 for k in range(n - 1)], panel, GRAIN_EDGE, 2.)
                if self.is_flat:
                    shape, display = self.show_shape(self.continuum.proxy, f"grains_{panel}", panel)
                    self.paint(display, GRAIN_EDGE)
                    display.LineWidth = self.pixels(3.)
                    self.grains.append(shape)

    def _show_part(self, panel):
        self.parts.append(self.show(self.shown_part, panel))
        self.parts[-1].EdgeColor = [.7, .7, .7]
        return self.parts[-1]

    def _has_cell_lines(self):
        """Where cells are large in the picture; where some are refined, smaller ones are worth it."""
        if self.is_line:
            return False
        self.cell_sizes.UpdatePipeline(self.moment.time)
        low, high = range_of(self.cell_sizes.CellData.GetArray("Area" if self.is_flat else "Volume"))
        return self.pixels_per_cell(self.continuum) > (SMALLEST_UNEVEN_CELL if high > REFINED * low else SMALLEST_CELL)

    def _show_arrows(self, name, panel):
        self.show_arrows(self.filled, name, panel)
        self.with_arrows.append((name, panel))

    def _show_after(self, panel):
        self.show_frame(self.continuum.proxy, panel)
        self.show_directions(self.continuum, "p", panel)
        display = self._show_part(panel)
        if self.continuum.has(self.array):
            self.colour(display, self.continuum, self.array, "pressure")
        if self.continuum.has("u"):
            self._show_arrows("u", panel)
        self._show_zone(panel)
        if self.continuum.has(self.active):
            self.show_edge(self.continuum.proxy, self.active, .5, panel)

    def draw(self):
        representation = "Surface With Edges" if self._has_cell_lines() else "Surface"
        for display in self.parts:
            display.Representation = representation
        side = max(self.bounds.sides)
        for shape in self.grains:
            self.set_shape(shape, "grain_directions", name="grain", length=CROSS * side, lift=1e-2 * side,
                           inward=self.axes()[2])
        if self.zone_edges:
            self.area.UpdatePipeline(self.moment.time)
            filled = range_of(self.area.CellData.GetArray("Area"))[1] / (self.bounds.sides[0] * self.bounds.sides[1])
            for edge in self.zone_edges:  # a zone that is the box has its frame
                edge.Visibility = int(filled < BOX)
        # of all pictures that share ranges
        longest = max((self.ranges[name][1] for name, _ in self.with_arrows), default=0.)
        largest = max(self.ranges.get(name, (0., 0.))[1] for name in ("U", "u"))
        factors = self.draw_arrows([self.fastest[name] for name, _ in self.with_arrows], largest=longest)
        for (name, panel), factor in zip(self.with_arrows, factors):
            title = self.said_of_rest("U, before" if name == "U" else "u, after", name, self.most[name], largest)
            self.name_panel(panel, self.with_speed(title, self.most[name], factor))
