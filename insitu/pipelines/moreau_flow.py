# SPDX-License-Identifier: GPL-3.0-or-later
"""Density rho and velocity u (arrows) of a congested flow, its pressure p, and the edge of the congested zone."""

from paraview import simple

import moreau_views as views
from moreau_colours import GREY
from moreau_sources import range_of

DENSE = .45  # off the tie of two equal halves; in space what is thinner would hide the rest
MOST = .9  # of the cells: arrows of this speed are as long as from one to the next


class Flow(views.Picture):
    """Draws density, velocity and pressure of a congested flow."""

    light = .9, .12

    def build(self):
        self.continuum = self.feed.required("continuum", "which this picture is made of")
        if not self.continuum.has("rho"):
            raise views.Failure("The continuum has no array 'rho': this is no congested flow; take continuum.py.")
        wanted = (self.feed.arguments.array, "p")
        self.pressure = next((name for name in wanted if name and self.continuum.has(name)), None)
        self.moving = None
        self.measure()
        self.shown_part = self.cut_in_space(self.matter(self.continuum, "rho", .01 if self.is_flat else DENSE))
        # the velocity of what is almost nothing would make all other arrows short
        self.moving = self.calculated(self.continuum, "moving", f"if(rho > {.1 if self.is_flat else DENSE}, 1, 0) * u")
        self.of_moving = self.continuum.filtered(simple.Threshold(
            registrationName="fast", Input=self.continuum.proxy, Scalars=["CELLS", "rho"], LowerThreshold=.1,
            UpperThreshold=2., ThresholdMethod="Between"))
        self.zone = self.calculated(self.continuum, "zone", "rho")
        self.title = "density, velocity u" if self.is_flat else f"ρ > {DENSE:g}: density, velocity u"
        if self.wants("density"):
            panel = self.panel(self.title)
            self._show_array(panel, "rho", "density")
            self.show_arrows(self.moving, "moving", panel)
        if self.pressure and self.wants("pressure"):
            panel = self.panel("pressure" if self.pressure == "p" else self.pressure)
            self._show_array(panel, self.pressure, "pressure")
        self._show_solid()
        self.show_circles()
        self.show_triad()
        self.show_walls()

    def is_timed(self):
        return True

    def measure(self):
        self.bounds.include(self.continuum.bounds)
        self.grow("density", (0., 1.))
        if self.moving:
            self.of_moving.proxy.UpdatePipeline(self.moment.time)
            self.grow_mostly("moving", self.of_moving, "u", MOST)
        for name in (self.pressure, "p_step"):
            if name and self.continuum.has(name):
                self.grow_mostly("pressure" if name == self.pressure else name, self.continuum, name)

    def _show_array(self, panel, name, key):
        self.colour(self.show(self.shown_part, panel), self.continuum, name, key)
        self.show_frame(self.continuum.proxy, panel)
        if self.is_flat:
            self.show_edge(self.zone, "zone", .5, panel)

    def _show_solid(self):
        """Cells that matter never enters."""
        if self.continuum.has("rho_max"):
            solid = simple.Threshold(registrationName="solid", Input=self.continuum.proxy)
            solid.Scalars = ["CELLS", "rho_max"]
            solid.ThresholdMethod = "Below Lower Threshold"
            solid.LowerThreshold = 0.  # at last: the array's own range would replace it
            for panel in range(len(self.panels)):
                display = self.show(self.cut_in_space(solid), panel)
                self.paint(display, GREY)

    def draw(self):
        # full or, where the maximal density is below 1, pressed and not only grazed by what fills its cell in a step
        pressed = f" | (rho > 0.5 & p_step > {1e-6 * self.ranges['p_step'][1]!r})" if "p_step" in self.ranges else ""
        self.zone.Function = f"if(rho > 0.99{pressed}, 1, 0)"
        self.moving.UpdatePipeline(self.moment.time)
        fastest = range_of(self.moving.CellData.GetArray("moving"))[1]
        self.grow_from_zero("moving", (0., 0.))
        self.draw_arrows([self.ranges["moving"][1] or fastest])  # the same scale in all pictures of a run
        if self.wants("density"):
            self.name_panel(0, [f"{self.title} (up to {fastest:.2g} m/s)", f"{self.title}"])
