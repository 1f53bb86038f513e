# SPDX-License-Identifier: GPL-3.0-or-later
"""Velocities v of spheres on their Voronoi cells, the macroscopic u, and |v - u| (Bourdin & Maury, Fig. 8)."""

import moreau_views as views
from moreau_colours import text

LARGEST_NUMBER_OF_ARROWS = 600  # of cells whose own velocities are drawn, as in the paper
LARGEST_ON_LINE = 40
SPARSE = 12  # arrows across one of three panels
CELLS = [.15, .55, .25]
TITLES = {"U_tilde": text("U_tilde") + ", before", "v": "v, of spheres", "u": "ū, means of u on cells", "v_minus_u": "v - ū"}


class Voronoi(views.Picture):
    """Draws microscopic and macroscopic velocities on the Voronoi cells of a homogenization."""

    def build(self):
        self.cells = self.feed.required("voronoi", "which this picture is made of")
        self.own, self.sampled, self.meshes = [], [], []  # arrows of the cells, on a grid; outlined cells
        self.measure()
        wanted = self.feed.arguments.panels or ("v", "u", "v_minus_u")
        names = [name for name in wanted if self.cells.has(name)]
        if not names:
            raise views.Failure(f"The Voronoi cells have none of {', '.join(wanted)}.")
        shown = self.cut_in_space(self.cells.proxy, whole_cells=True)
        for name in names:
            self._show_velocity(shown, name, self.panel(TITLES.get(name, name)))

    def is_timed(self):
        return False  # the "times" of these files are levels

    def measure(self):
        self.bounds.include(self.cells.bounds)
        for name in ("U_tilde", "v", "u", "v_minus_u"):
            if self.cells.has(name):
                self.grow_mostly(self._key(name), self.cells, name)

    @staticmethod
    def _key(name):
        return {"v_minus_u": "difference", "U_tilde": "before"}.get(name, "speed")

    def _show_velocity(self, shown, name, panel):
        display = self.show(shown, panel)
        key = self._key(name)
        title = text("v", True) + ", " + text("u_mean", True) if key == "speed" else text(name, True)
        self.colour(display, self.cells, name, key, "speed" if key == "before" else key, title)
        self.show_frame(self.cells.proxy, panel)
        if not self.is_flat:
            return  # whole cells have a rough surface, which hides arrows
        display.EdgeColor = CELLS
        self.meshes.append(display)
        # levels of a run differ in the number of cells
        self.own.append(self.show_arrows(self.cells.proxy, name, panel, at_cells=True))
        self.sampled.append(self.show_arrows(self.cells.proxy, name, panel))
        self.with_arrows.append((name, panel))

    def draw(self):
        n_cells = self.cells.n_cells
        few = n_cells <= (LARGEST_ON_LINE if self.is_line else LARGEST_NUMBER_OF_ARROWS)
        across = n_cells if self.is_line else round(n_cells ** .5)
        for display in self.meshes:
            display.Representation = "Surface With Edges" if few and not self.is_line else "Surface"
        lengths = [self.ranges[self._key(name)][1] for name, _ in self.with_arrows]
        sampled = None if len(self.panels) < 3 else SPARSE
        factors = self.draw_arrows([length for length in lengths for _ in ("own", "sampled")], across if few else sampled)
        for own, sampled, (name, panel), factor in zip(self.own, self.sampled, self.with_arrows, factors[::2]):
            has_arrows = few or name != "v_minus_u"  # on a grid, a difference is noise
            own.Visibility, sampled.Visibility = int(few), int(has_arrows and not few)
            enlarged = f" (arrows × {factor})" if factor > 1 and has_arrows else ""
            self.name_panel(panel, TITLES.get(name, name) + enlarged)
