# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels side by side in one view: camera, titles and header.

A picture is one render view, since Catalyst writes views, not layouts. Panels are copies of the scene that are shifted
in the plane of the picture; lengths are laid out in pixels from the bounds of the data, so that the same script serves
rows, planes and space.
"""

import math

from paraview import simple

from moreau_colours import BLACK, in_font


def norm(vector):
    return math.sqrt(sum(component ** 2 for component in vector))


def dot(left, right):
    return sum(a * b for a, b in zip(left, right))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit_vector(vector):
    return [component / norm(vector) for component in vector]


class Bounds:
    """A box that grows with what is put into it."""

    def __init__(self):
        self.low, self.high = [math.inf] * 3, [-math.inf] * 3
        self.n_fixed = 0  # so many axes do not grow

    def fix(self, box):
        """What the user wants to see, whatever there is: [xmin, xmax, ymin, ...], at least of the first two axes."""
        self.n_fixed = len(box) // 2
        self.low[:self.n_fixed], self.high[:self.n_fixed] = box[0::2], box[1::2]

    def include(self, bounds, radius=0.):
        if bounds is None:
            return
        for axis in range(self.n_fixed, 3):
            in_plane = axis == 2 and bounds[4] == bounds[5] == 0.  # discs have no thickness
            thick = 0. if in_plane else radius
            self.low[axis] = min(self.low[axis], bounds[2 * axis] - thick)
            self.high[axis] = max(self.high[axis], bounds[2 * axis + 1] + thick)

    @property
    def sides(self):
        return [max(high - low, 0.) for low, high in zip(self.low, self.high)]

    @property
    def centre(self):
        return [(low + high) / 2 for low, high in zip(self.low, self.high)]

    @property
    def middle(self):
        """Where space is cut: off the centre, which often is on the faces of cells, so that rounding would decide."""
        return [centre + 1e-3 * side for centre, side in zip(self.centre, self.sides)]

    def corners(self):
        return [[(self.low, self.high)[(k >> axis) & 1][axis] for axis in range(3)] for k in range(8)]


SCALE_HEIGHT = 1.5  # of the row with the scale of lengths, in letters
LETTER = .55  # its mean width over its height
SHARE = .25  # of the width of a panel that it has at the most


def round_length(most):
    """The largest of 1, 2, 5, 10, ... times a power of ten up to `most`."""
    power = 10. ** math.floor(math.log10(most) + 1e-9)
    return next(factor * power for factor in (5, 2, 1) if factor * power <= most * (1 + 1e-9))


class Layout:
    """The places of all that a picture consists of."""

    def __init__(self):
        super().__init__()
        self.panels, self.shown, self.shorter = [], [], {}
        self.bounds = Bounds()
        self.outline = None  # intervals of the picture's axes (m), in space, where the corners of the bounds stay empty
        self.header = self.header_source = None
        self.scale_line = self.scale_text = None
        self.size = None  # pixels that are drawn
        self.canvas = None  # the same as asked for: the height may be 0
        self.samples = 1  # for each pixel of the picture, in each direction

    def pixels(self, number):
        """Pixels of the picture as pixels that are drawn."""
        return number * self.samples

    @property
    def font(self):
        """The height of letters in pixels that are drawn."""
        return max(self.pixels(14), round(self.canvas[0] / 45))

    def panel(self, title=""):
        """A new copy of the scene, to the right of or below the others; gives its number."""
        text = simple.Text(registrationName=f"title{len(self.panels)}", Text=title)
        shown = simple.Show(text, self.view, "TextSourceRepresentation")
        in_font(shown)
        shown.WindowLocation = "Any Location"
        shown.Color = BLACK
        self.panels.append([title, shown, text])
        return len(self.panels) - 1

    def name_panel(self, panel, titles):
        """titles: one, or several, of which the first that fits above the panel is taken."""
        titles = [titles] if isinstance(titles, str) else titles
        self.panels[panel][0] = self.panels[panel][2].Text = titles[0]
        self.shorter[panel] = titles

    @property
    def is_flat(self):
        return self.bounds.sides[2] == 0.

    @property
    def cut_axis(self):
        """In space, the one across which the middle is cut."""
        return {"y": 1, "z": 2}[self.feed.arguments.cut]

    @property
    def cut_normal(self):
        """Away from who looks."""
        return [0., 1., 0.] if self.cut_axis == 1 else [0., 0., -1.]

    @property
    def is_line(self):
        return self.bounds.sides[1] == 0. and self.is_flat

    def axes(self):
        """Right, up and inward directions of the picture."""
        if self.is_flat:
            return [1., 0., 0.], [0., 1., 0.], [0., 0., -1.]
        inward = unit_vector([-.55, 1., -.5] if self.cut_axis == 1 else [-.35, .7, -1.])
        right = unit_vector(cross(inward, [0., 0., 1.]))
        return right, cross(right, inward), inward

    def include_outline(self, intervals):
        """What is seen reaches so far to the right and upwards; grows like bounds."""
        self.outline = [(min(low, a), max(high, b)) for (low, high), (a, b) in zip(self.outline or intervals, intervals)]

    def _arrange(self, font):
        """(pixels per metre, columns, height of the picture): as large as it can be."""
        width, height = self.size or self.canvas
        sides = self._rectangle()
        titles = 1.5 * font if any(title for title, _, _ in self.panels) else 0.
        rows_of = {columns: math.ceil(len(self.panels) / columns) for columns in range(1, len(self.panels) + 1)}
        above, below = self._margins(font)
        best = None
        for columns, rows in rows_of.items():
            free = (width - 2 * font - (columns - 1) * font) / columns
            room = ((height or .95 * width) - above - below) / rows - titles - .6 * font
            scale = min(free / sides[0], room / sides[1])
            filled = (len(self.panels) / (columns * rows)) ** .8  # empty places look odd
            if best is None or scale * filled > 1.001 * best[0]:
                needed = above + below + rows * (max(sides[1] * scale, 2 * font) + titles + .6 * font)
                best = (scale * filled, scale, columns, height or math.ceil(needed))
        return best[1:]

    def pixels_per_metre(self):
        return self._arrange(self.font)[0] / self.samples

    def _margins(self, font):
        return (1.8 if self._header_text() else .5) * font, (4.6 if self.has_place_for_bars else .5) * font + SCALE_HEIGHT * font

    def _rectangle(self):
        """Width and height of a panel in metres."""
        extents = [high - low for low, high in self._intervals()]
        largest = max(extents) or 1.
        return [max(extent, .02 * largest) for extent in extents]

    def _intervals(self):
        """Of a panel, along the picture's axes (m)."""
        if self.outline:
            return self.outline
        along = [[dot(axis, corner) for corner in self.bounds.corners()] for axis in self.axes()[:2]]
        return [(min(numbers), max(numbers)) for numbers in along]

    def lay_out(self):
        """Camera, panels, bars and texts."""
        font = self.font
        scale, columns, height = self._arrange(font)
        if self.size is None:
            self.size = (self.canvas[0], self.samples * math.ceil(height / self.samples))
        self._place_panels(scale, columns, font)
        self.place_bars(font)
        self._place_header(font)
        if not self.feed.in_window:
            self.view.ViewSize = list(self.size)

    def _place_panels(self, scale, columns, font):
        width, height = self.size
        sides = [side * scale for side in self._rectangle()]
        titles = 1.5 * font if any(title for title, _, _ in self.panels) else 0.
        above, below = self._margins(font)
        rows = math.ceil(len(self.panels) / columns)
        step = [sides[0] + font, sides[1] + titles + .6 * font]
        left = (width - columns * step[0] + font) / 2
        top = height - above - max(0., height - above - below - rows * step[1]) / 2
        right, up, inward = self.axes()
        for number, (_, text, _) in enumerate(self.panels):
            column, row = number % columns, number // columns
            names = self.shorter.get(number, [""])
            room = step[0] if columns > 1 else width - left
            fitting = [name for name in names if LETTER * font * len(name) < room] or names[-1:]
            if number in self.shorter:
                self.panels[number][2].Text = fitting[0]
            text.Position = [(left + column * step[0]) / width, (top - row * step[1] - 1.25 * font) / height]
            text.FontSize = font
        for display, number in self.shown:
            column, row = number % columns, number // columns
            aside, below = column * step[0] / scale, row * step[1] / scale
            display.Position = [aside * right[axis] - below * up[axis] for axis in range(3)]
        first = (left + sides[0] / 2, top - titles - sides[1] / 2)
        centre = self.bounds.centre
        off = [(low + high) / 2 - dot(axis, centre) for (low, high), axis in zip(self._intervals(), (right, up))]
        focus = [centre[axis] + (off[0] + (width / 2 - first[0]) / scale) * right[axis]
                 + (off[1] + (height / 2 - first[1]) / scale) * up[axis] for axis in range(3)]
        far = 10 * max(width, height) / scale
        self.view.CameraParallelProjection = 1
        self.view.CameraFocalPoint = focus
        self.view.CameraPosition = [focus[axis] - far * inward[axis] for axis in range(3)]
        self.view.CameraViewUp = up
        self.view.CameraParallelScale = height / 2 / scale
        bottom = top - titles - sides[1]
        near = [focus[axis] - far / 2 * inward[axis] for axis in range(3)]
        self.place_triad((left + 2 * font, bottom + 2 * font), scale, font, near)
        lowest = bottom - (rows - 1) * step[1]
        self._place_scale((left, lowest - .9 * font), sides[0], scale, font, near)

    def show_scale(self):
        """A bar below the first panel that says how long it is."""
        self.scale_line = simple.Line(registrationName="scale")
        display = simple.Show(self.scale_line, self.view)
        display.ColorArrayName = ["POINTS", ""]
        display.AmbientColor = display.DiffuseColor = BLACK
        display.Ambient, display.Diffuse = 1., 0.
        display.LineWidth = self.pixels(2.5)
        self.scale_source = simple.Text(registrationName="scale_text", Text="")
        self.scale_text = simple.Show(self.scale_source, self.view, "TextSourceRepresentation")
        in_font(self.scale_text)
        self.scale_text.WindowLocation = "Any Location"
        self.scale_text.Color = BLACK

    def _place_scale(self, corner, widest, scale, font, near):
        """corner: its left end in pixels; near: as of the triad."""
        length = round_length(SHARE * widest / scale)
        right, up, _ = self.axes()
        y = corner[1]
        for point, x in (("Point1", corner[0]), ("Point2", corner[0] + length * scale)):
            aside, above = (x - self.size[0] / 2) / scale, (y - self.size[1] / 2) / scale
            setattr(self.scale_line, point, [near[k] + aside * right[k] + above * up[k] for k in range(3)])
        unit, power = next((pair for pair in (("m", 1.), ("mm", 1e3), ("µm", 1e6)) if length * pair[1] > .0999), ("m", 1.))
        self.scale_source.Text = f"{length * power:.4g} {unit}"
        self.scale_text.FontSize = round(.85 * font)
        self.scale_text.Position = [(corner[0] + length * scale + .5 * font) / self.size[0], (y - .45 * font) / self.size[1]]

    def _header_text(self):
        parts = [self.feed.arguments.title, self.time_text()]
        return "     ".join(part for part in parts if part)

    def _place_header(self, font):
        self.header_source.Text = self._header_text()
        self.header.WindowLocation = "Any Location"
        self.header.Position = [font / self.size[0], 1. - 1.5 * font / self.size[1]]
        self.header.FontSize = font
        self.header.Color = BLACK
