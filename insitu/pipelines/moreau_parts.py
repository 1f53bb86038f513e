# SPDX-License-Identifier: GPL-3.0-or-later
"""What pictures of moreau are made of: surfaces, cuts, lines, edges of zones and arrows."""

import math

from paraview import simple

from moreau_colours import BLACK, GREY, in_font
from moreau_sources import is_alone, range_of

FINE = 300  # points across, of the grid for edges of zones
LINE_WIDTH = 14.  # pixels, of what lives on a line
CIRCLE = [0., .62, .45]
RIM = [.6, .6, .6]
WHITE = [1., 1., 1.]
WIDE = 3.  # cells, of the means that make edges smooth
LARGEST_SMOOTHED = 5.  # pixels of cells that edges do not follow
REST = .02  # of the largest velocity: what is slower is said in words, without arrows
REACH = .8  # of the way from arrow to arrow that the longest takes, so that two in a line do not touch
ENLARGED_FROM, ENLARGED_IN_SPACE = 5, 2  # in space arrows are short
IN_SPACE = 10  # arrows across
HALO = 1.4  # pixels of white around arrows that lie on dark bars
SPECK = 5.  # pixels: what is shorter would only be a hole in these
COARSE = 20  # of that for arrows; processes share it, so that 1 would be too few


def round_factor(number):
    """The largest of 1, 2, 5, 10, 20, ... up to a number."""
    power = 10 ** math.floor(math.log10(max(number, 1.)) + 1e-9)
    return next(factor * power for factor in (5, 2, 1) if factor * power <= max(number, 1.) * (1 + 1e-9))


class Parts:
    """Shows things in the panels of a picture."""

    light = .65, .4  # ambient and diffuse, in space

    def __init__(self):
        super().__init__()
        self.sources, self.arrows, self.with_arrows = [], [], []
        self.cuts, self.fine_grids, self.edges, self.smoothed = [], [], [], []
        self.rigid, self.half_spaces, self.directions, self.triad = [], [], [], []

    def matter(self, channel, name, least=.01):
        """What a channel has where there is matter: all, or the cells with some density."""
        if not name or (not self.feed.in_situ and channel.range(name)[0] > least):
            return channel.proxy
        return simple.Threshold(registrationName="matter", Input=channel.proxy, Scalars=[channel.place(name), name],
                                ThresholdMethod="Above Upper Threshold", UpperThreshold=least)

    def measure_outline(self, channel, radius=0.):
        """A picture in space is as large as what is seen of a channel, without the corners of the box around it, unless there
        are walls or the user wants another one."""
        if self.is_flat or self.feed.arguments.box or self.feed.has("walls") or self.feed.has("obstacles"):
            return
        channel.proxy.UpdatePipeline(*([self.moment.time] if self.moment else []))
        intervals = [channel.extent_along(axis) for axis in self.axes()[:2]]
        if all(low <= high for low, high in intervals):
            self.include_outline([(low - radius, high + radius) for low, high in intervals])

    @staticmethod
    def calculated(channel, name, function, where="Cell Data"):
        """A channel with one more array on its cells, or points."""
        return simple.Calculator(registrationName=name, Input=channel.proxy, AttributeType=where, ResultArrayName=name,
                                 Function=function)

    def show(self, proxy, panel=0, representation="Surface", is_scene=True):
        """Shows what a filter makes, in a panel: of the scene what lies in the box that the user wants to see."""
        if proxy in self.sources:  # a view shows each source once
            proxy = simple.Transform(registrationName=f"copy{len(self.shown)}", Input=proxy)
        self.sources.append(proxy)
        if is_scene and self.feed.arguments.box:
            proxy = self.boxed(proxy)
        display = simple.Show(proxy, self.view)
        display.Representation = representation
        display.ColorArrayName = ["POINTS", ""]
        # colours are those of the bar; in space a little light shows the shape of balls, and less that of a body that is cut
        display.Ambient, display.Diffuse = (1., 0.) if self.is_flat else self.light
        if self.is_line:
            display.LineWidth = self.pixels(LINE_WIDTH)
        self.shown.append((display, panel))
        return display

    def boxed(self, proxy):
        """What lies in the box of the picture; of discs those with their centre there."""
        low, high = self.bounds.low, self.bounds.high
        part = simple.Clip(registrationName=f"boxed{len(self.shown)}", Input=proxy, ClipType="Box", Invert=1)
        largest = max(b - a for a, b in zip(low, high))
        margins = [1e-6 * largest, 1e-6 * largest, largest if self.is_flat else 1e-6 * largest]
        part.ClipType.Position = [a - margin for a, margin in zip(low, margins)]
        part.ClipType.Length = [b - a + 2 * margin for a, b, margin in zip(low, high, margins)]
        return part

    def show_line(self, proxy, panel=0, colour=None, width=1.5, is_scene=True):
        display = self.show(proxy, panel, is_scene=is_scene)
        self.paint(display, colour or BLACK)
        display.LineWidth = self.pixels(width)
        return display

    @staticmethod
    def paint(display, colour):
        """One colour, without light and shadow."""
        display.AmbientColor = display.DiffuseColor = colour
        display.Ambient, display.Diffuse = 1., 0.

    def cut_in_space(self, proxy, whole_cells=False):
        """In space the half behind the plane through the middle, in a plane all."""
        if self.is_flat:
            return proxy
        half = simple.Clip(registrationName="half", Input=proxy, ClipType="Plane", Invert=0,
                           Crinkleclip=int(whole_cells))
        half.ClipType.Normal = self.cut_normal
        self.cuts.append(half.ClipType)
        return half

    def show_edge(self, proxy, name, level, panel=0, colour=None, width=2.5, smooth=True):
        """A thick line where an array on cells passes a level, or one of several; in space on the cut, on a line not at all.
        smooth: without the corners of cells that are small in the picture.
        What would be drawn round every other cell is no edge: it is left out while it is too long."""
        if self.is_line:
            return
        levels = level if isinstance(level, list) else [level]
        points = self._at_points(proxy, panel)
        edge = simple.Contour(registrationName=f"edge_{panel}", Input=points, ContourBy=["POINTS", name], Isosurfaces=levels)
        length = simple.IntegrateVariables(registrationName=f"length_{panel}", Input=edge)
        if smooth and self.is_flat and is_alone() and len(levels) == 1:
            smoothed = simple.ProgrammableFilter(registrationName=f"smooth_{panel}", Input=self.fine_grids[-1],
                                                 OutputDataSetType="Same as Input")
            self.smoothed.append((smoothed, name, proxy))
            edge = simple.Contour(registrationName=f"smooth_edge_{panel}", Input=self._valid(smoothed, f"within_{panel}"),
                                  ContourBy=["POINTS", name], Isosurfaces=levels)
        self.edges.append((self.show_line(edge, panel, colour, width), length))

    @staticmethod
    def _valid(grid, name):
        """Of a regular grid what lies in the data."""
        return simple.Threshold(registrationName=name, Input=grid, UpperThreshold=.5,
                                Scalars=["POINTS", "vtkValidPointMask"], ThresholdMethod="Above Upper Threshold")

    def _at_points(self, proxy, panel):
        """An array on cells as one on points, without gaps where cells of different sizes meet, or processes."""
        if self.is_flat:
            grid = self._grid(proxy, f"fine_{panel}", FINE)
            self.fine_grids.append(grid)
            return self._valid(grid, f"inside_{panel}")
        cut = simple.Slice(registrationName=f"cut_{panel}", Input=proxy, SliceType="Plane")
        cut.SliceType.Normal = self.cut_normal
        self.cuts.append(cut.SliceType)
        return simple.CellDatatoPointData(registrationName=f"at_points_{panel}", Input=cut)

    def _grid(self, proxy, name, n_across):
        """The arrays at the points of a regular grid."""
        grid = simple.ResampleToImage(registrationName=name, Input=proxy, UseInputBounds=0)
        self._set_grid([grid], n_across)
        return grid

    def _set_grid(self, grids, n_across):
        """Square meshes with so many points along the longest side, in space on the plane of the cut; their spacing."""
        sides = self.bounds.sides
        spacing = max(sides) / n_across
        numbers = [max(1, round(side / spacing)) for side in sides]
        if not self.is_flat:
            numbers[self.cut_axis] = 1
        extents = []
        for centre, side, number in zip(self.bounds.centre if self.is_flat else self.bounds.middle, sides, numbers):
            reach = (number - 1) / number * side / 2
            extents += [centre - reach, centre + reach]
        for grid in grids:
            grid.SamplingDimensions = numbers
            grid.SamplingBounds = extents
        return spacing

    def show_walls(self):
        """Walls and obstacles in all panels, which must be there."""
        for name in ("walls", "obstacles"):
            channel = self.feed.channel(name)
            if channel is None:
                continue
            self.rigid.append(channel)
            proxy = channel.proxy
            if self.is_flat and name == "obstacles":
                proxy = simple.ProgrammableFilter(registrationName="lines", Input=proxy, OutputDataSetType="vtkPolyData")
                self.half_spaces.append(proxy)
            for panel in range(len(self.panels)):
                display = self.show_line(proxy, panel, GREY, 3.)
                if not self.is_flat:
                    display.Opacity = .15
                    edges = simple.FeatureEdges(registrationName=f"edges_{name}_{panel}", Input=proxy, BoundaryEdges=1,
                                                FeatureEdges=1, NonManifoldEdges=0)
                    self.show_line(edges, panel, GREY, 1.)

    def show_circles(self):
        """What the user wants to compare with, in all panels: lines, and circles as far as they lie within the data."""
        for x, y, x_end, y_end in self.feed.arguments.line if self.is_flat else []:
            line = simple.Line(registrationName="line", Point1=[x, y, 0.], Point2=[x_end, y_end, 0.])
            for panel in range(len(self.panels)):
                self.show_line(line, panel, CIRCLE, 2.)
        for x, y, radius in self.feed.arguments.circle if self.is_flat else []:
            points = []
            for k in range(721):
                place = [x + radius * math.cos(k * math.pi / 360), y + radius * math.sin(k * math.pi / 360)]
                if all(a <= b <= c for a, b, c in zip(self.bounds.low, place, self.bounds.high)):
                    points.append(place)
            pieces = [[]]  # between gaps
            for place in points:
                if pieces[-1] and math.dist(place, pieces[-1][-1]) > .05 * radius:
                    pieces.append([])
                pieces[-1].append(place)
            for piece in pieces:
                if len(piece) > 1:
                    line = simple.PolyLineSource(registrationName="circle", Points=[c for p in piece for c in (*p, 0.)])
                    for panel in range(len(self.panels)):
                        self.show_line(line, panel, CIRCLE, 2.)

    def include_walls(self):
        for channel in self.rigid:
            self.bounds.include(channel.bounds)

    def show_triad(self):
        """In space, the directions of the axes beside the first panel."""
        if self.is_flat:
            return
        for axis, letter in enumerate("xyz"):
            line = simple.Line(registrationName=f"triad_{letter}")
            display = simple.Show(line, self.view)
            self.paint(display, BLACK)
            display.LineWidth = self.pixels(1.5)
            text = simple.Show(simple.Text(registrationName=f"triad_name_{letter}", Text=letter), self.view,
                               "TextSourceRepresentation")
            in_font(text)
            text.WindowLocation = "Any Location"
            text.Color = BLACK
            self.triad.append((axis, line, text))

    def place_triad(self, corner, scale, font, near):
        """Its origin lies at pixels from the lower left corner; near: the middle of the picture, in front of all (m)."""
        right, up, _ = self.axes()
        length = 1.6 * font
        for axis, line, text in self.triad:
            ends = []
            for reach in (0., length, 1.5 * length):
                ends.append((corner[0] + reach * right[axis], corner[1] + reach * up[axis]))
            for point, (x, y) in zip(("Point1", "Point2"), ends):
                aside, above = (x - self.size[0] / 2) / scale, (y - self.size[1] / 2) / scale
                setattr(line, point, [near[k] + aside * right[k] + above * up[k] for k in range(3)])
            text.FontSize = round(.85 * font)
            text.Position = [(ends[2][0] - .3 * font) / self.size[0], (ends[2][1] - .4 * font) / self.size[1]]

    def show_directions(self, channel, name, panel):
        """Above a panel the directions of a cone, after which components of an array are called."""
        if not self.is_flat:
            return
        for k, direction in enumerate(channel.directions(name)):
            line = simple.Line(registrationName=f"direction_{panel}_{k}")
            self.show_line(line, panel, BLACK, 1.5, is_scene=False)
            self.directions.append((line, direction))

    def _place_directions(self):
        """In the corner above the panel."""
        letter = self.font / self.samples / self.pixels_per_metre()
        middle = [self.bounds.high[0] - .7 * letter, self.bounds.high[1] + .85 * letter]
        for line, direction in self.directions:
            for point, side in (("Point1", -.6), ("Point2", .6)):
                setattr(line, point, [place + side * letter * part for place, part in zip(middle, direction)] + [0.])

    def show_frame(self, proxy, panel=0):
        """The box of the data, on a line a rim; in space, where it would cross what is seen, nothing."""
        if not self.is_flat:
            return
        if not self.is_line:
            if self.feed.arguments.box:
                proxy = self.boxed(proxy)
            self.show_line(simple.Outline(registrationName=f"frame_{panel}", Input=proxy), panel, RIM, 1., is_scene=False)
            return
        for k, (colour, wider) in enumerate(((WHITE, 0.), (RIM, 2.)), start=1):
            behind = simple.Transform(registrationName=f"frame_{panel}_{k}", Input=proxy)
            behind.Transform.Translate = [0., 0., -k * 1e-3 * self.bounds.sides[0]]
            self.show_line(behind, panel, colour, LINE_WIDTH + wider)

    def show_shape(self, proxy, name, panel=0):
        """What one of `moreau_shapes` makes; `set_shape` says what of."""
        shape = simple.ProgrammableFilter(registrationName=name, Input=proxy, OutputDataSetType="vtkPolyData")
        display = self.show(shape, panel)
        self.paint(display, BLACK)
        return shape, display

    @staticmethod
    def set_shape(shape, function, **arguments):
        """Arguments of a function of `moreau_shapes`."""
        script = f"import moreau_shapes\nmoreau_shapes.{function}(self, **{arguments!r})"
        if shape.Script != script:
            shape.Script = script

    def show_arrows(self, proxy, name, panel=0, at_cells=False, at_points=False, halo=False):
        """Black arrows of an array, one per cell or point or on a grid across the data, on a rim of white for a `halo`;
        `draw_arrows` gives lengths."""
        grid = proxy
        if at_cells:
            grid = simple.CellCenters(registrationName=f"centres_{name}_{panel}", Input=proxy)
        elif not at_points:
            grid = self._grid(proxy, f"grid_{name}_{panel}", COARSE)
        shape, display = self.show_shape(grid, f"arrows_{name}_{panel}", panel)
        rim = None
        if halo:
            rim, white = self.show_shape(grid, f"halo_{name}_{panel}", panel)
            self.paint(white, WHITE)
        self.arrows.append((grid, shape, rim, name))
        return display

    @staticmethod
    def said_of_rest(title, name, fastest, largest, share=REST):
        """A title of a panel without arrows says why there are none: nothing is faster than a share of the largest."""
        if fastest <= 1e-9 * largest:
            return title.replace(name, f"{name} = 0", 1)
        return f"{title}: up to {fastest:.1g} m/s" if fastest <= share * largest else title

    @staticmethod
    def with_speed(title, fastest, factor=1):
        """Titles with what the longest arrows stand for, unless it is said already; the longest first."""
        speed = "" if "up to" in title or "= 0" in title else f"up to {fastest:.3g} m/s"
        said = [[speed, f"arrows × {factor}" if factor > 1 else ""], [speed, f"× {factor}" if factor > 1 else ""],
                ["", f"× {factor}" if factor > 1 else ""]]
        joined = [", ".join(part for part in parts if part) for parts in said]
        return [f"{title} ({about})" if about else title for about in joined]

    @property
    def arrows_across(self):
        return COARSE if self.is_flat else IN_SPACE

    def arrow_spacing(self):
        """Metres from arrow to arrow of a grid."""
        return max(self.bounds.sides) / self.arrows_across

    def draw_arrows(self, lengths, n_across=None, reach=REACH, spacing=None, side=0., lift=None, largest=None):
        """Arrows of lengths up to `lengths` (one for each `show_arrows`) are drawn `reach` spacings long; gives by what
        factors some are enlarged; what is nothing beside the largest is not. largest: of all pictures, if not that of
        lengths. side, lift: see `moreau_shapes.arrows`."""
        grids = [grid for grid, _, _, _ in self.arrows if grid.GetProperty("SamplingBounds") is not None]
        grid_spacing = self._set_grid(grids, n_across or self.arrows_across)
        spacing = spacing or grid_spacing
        if lift is None:  # in space as far as arrows into the cut are long, which moves nothing in the picture
            lift = 2e-3 * max(self.bounds.sides) if self.is_flat else 1.5 * spacing
        largest, factors = largest or max(lengths, default=0.), []
        for (_, shape, rim, name), length in zip(self.arrows, lengths):
            # the longest may be longer by a quarter than usual
            enlarged = round_factor(1.25 * largest / length) if length > REST * largest else 1
            if self.is_flat:  # in few steps, so that equal speeds are nearly always drawn alike
                enlarged = next(factor for factor in (20, 5, 1) if factor <= enlarged)
            least = ENLARGED_FROM if self.is_flat else ENLARGED_IN_SPACE
            factors.append(enlarged if enlarged >= least else 1)  # less would only make a comparison hard
            factor = factors[-1] * reach * spacing / largest if largest > 0 else 0.
            for of_arrows, halo in ((shape, 0.), (rim, HALO)):
                if of_arrows:
                    self.set_shape(of_arrows, "arrows", name=name, factor=factor, pixel=1 / self.pixels_per_metre(),
                                   axes=self.axes(), lift=lift * (.98 if halo else 1.), side=side, halo=halo,
                                   shortest=SPECK if rim else .5)
        return factors

    def refresh_parts(self):
        """Fits cuts, grids and lines without end to the bounds."""
        for shape in self.half_spaces:
            self.set_shape(shape, "extended", name="obstacle", low=list(self.bounds.low), high=list(self.bounds.high))
        for plane in self.cuts:
            plane.Origin = self.bounds.middle
        self._place_directions()
        spacing = self._set_grid(self.fine_grids, FINE)
        for smoothed, name, proxy in self.smoothed:
            n_cells = max(1, proxy.GetDataInformation().GetNumberOfCells())
            side = math.sqrt(self.bounds.sides[0] * self.bounds.sides[1] / n_cells)
            cells = WIDE if side * self.pixels_per_metre() < LARGEST_SMOOTHED else 0.
            self.set_shape(smoothed, "smoothed", name=name, width=float(f"{cells * side / spacing:.2g}"))

    def refresh_edges(self):
        """Shows the edges that are."""
        sides = self.bounds.sides
        longest = 6 * (sides[0] + sides[1 if self.is_flat else 2])
        for display, integral in self.edges:
            integral.UpdatePipeline(self.moment.time)
            length = range_of(integral.CellData.GetArray("Length"))[1]
            # in space pieces of an edge here and there are none
            display.Visibility = int(length < longest and (self.is_flat or length > .08 * longest))

    def pixels_per_cell(self, channel):
        """The mean side of a cell in the picture."""
        sides = [side for side in self.bounds.sides if side > 0.]
        return self.pixels_per_metre() * (math.prod(sides) / max(1, channel.n_cells)) ** (1 / max(1, len(sides)))
