# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of the pictures of moreau: a map per kind of quantity, ranges that grow, and scalar bars."""

import math

from paraview import simple
from vtkmodules.vtkRenderingFreeType import vtkMathTextUtilities

# One map per kind of quantity, light enough for black arrows; the lowest colour is the one of zero.
MAPS = {"speed": [(1., 1., .85), (.78, .91, .71), (.50, .80, .73), (.25, .71, .77), (.14, .50, .72)],
        "pressure": [(1., .97, .94), (.99, .83, .72), (.99, .64, .48), (.94, .38, .27), (.75, .12, .13)],
        "chain": [(.99, .68, .38), (.93, .42, .22), (.80, .15, .12), (.55, .03, .10), (.28, .0, .08)],
        "density": [(1., 1., 1.), (.85, .89, .95), (.68, .77, .88), (.48, .61, .79), (.28, .44, .68)],
        "matter": [(1., 1., 1.), (.93, .93, .92)],
        "difference": [(1., 1., 1.), (.90, .85, .93), (.76, .65, .83), (.60, .44, .70), (.44, .22, .55)]}
GREY = [.55, .55, .55]
BLACK = [0., 0., 0.]


def widened(low, high):
    """An interval that a scalar bar can show: one value alone, or noise about zero, is no interval."""
    if high - low > 1e-9 * max(abs(low), abs(high)) and high - low > 1e-14:
        return low, high
    if max(abs(low), abs(high)) < 1e-14:
        return 0., 1.
    return (0., high) if high > 0 else (low, 0.)


def length_of(name):
    """How |u| is written: a bar would begin a new column of text, so it takes mathematical text where there is any."""
    utilities = vtkMathTextUtilities.GetInstance()
    if utilities is None or not utilities.IsAvailable():
        return f"length of {name}"
    return rf"$\vert \mathsf{{{name}}} \vert$".replace("_", r"\_")


def round_numbers(low, high):
    """Three or four multiples of 1, 2 or 5 times a power of ten, not next to the ends."""
    power = 10. ** math.floor(math.log10(high - low))
    step = next(step for step in (.1 * power, .2 * power, .5 * power, power, 2 * power) if (high - low) / step <= 5.5)
    numbers = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [number for number in numbers if .12 * (high - low) < number - low < .88 * (high - low)]


class Colours:
    """Ranges of what a picture shows, their colours and scalar bars."""

    def __init__(self):
        super().__init__()
        self.ranges, self.maps, self.bars = {}, {}, []

    def grow(self, key, interval):
        """The range of a quantity holds all that was seen: the colours of a run stay comparable."""
        low, high = self.ranges.get(key, interval)
        self.ranges[key] = (min(low, interval[0]), max(high, interval[1]))

    def grow_from_zero(self, key, interval):
        """For lengths, pressures, densities."""
        self.grow(key, (0., max(interval[1], 0.)))

    def map(self, key, kind=None):
        """The colours of the range `key`."""
        if key not in self.maps:
            table = simple.GetColorTransferFunction(f"moreau_{self.name}_{key}")
            table.ColorSpace = "RGB"
            table.VectorMode = "Magnitude"
            table.AutomaticRescaleRangeMode = "Never"
            table.NanColor = [1., 1., 1.]
            self.maps[key] = (table, kind or key)
        return self.maps[key][0]

    def colour(self, display, channel, name, key, kind=None, title=None, place=None):
        """Colours what is shown by an array, with a scalar bar: letter and unit."""
        table = self.map(key, kind)
        display.ColorArrayName = [place or channel.place(name), name]
        display.LookupTable = table
        if table not in [shown for shown, _ in self.bars]:
            bar = simple.GetScalarBar(table, self.view)
            letter = title or (length_of(name) if channel.n_components(name) > 1 else name)
            unit = channel.unit(name)
            bar.Title, bar.ComponentTitle = f"{letter} [{unit}]" if unit else letter, ""
            bar.Visibility = 1
            self.bars.append((table, bar))

    def refresh_colours(self):
        """Gives the maps their ranges."""
        for key, (table, kind) in self.maps.items():
            low, high = widened(*self.ranges[key])
            colours = MAPS[kind]
            table.RGBPoints = [number for k, colour in enumerate(colours)
                               for number in (low + (high - low) * k / (len(colours) - 1), *colour)]

    def place_bars(self, font):
        width, height = self.size
        length = min(.42, .8 / max(1, len(self.bars)))
        for number, (_, bar) in enumerate(self.bars):
            bar.Orientation = "Horizontal"
            bar.WindowLocation = "Any Location"
            bar.ScalarBarThickness = round(.7 * font)
            bar.ScalarBarLength = length
            bar.Position = [(number + .5) / len(self.bars) - length / 2, 2.9 * font / height]
            bar.TitleFontSize = font
            bar.LabelFontSize = round(.85 * font)
            bar.TitleColor = bar.LabelColor = BLACK
            bar.TextPosition = "Ticks left/bottom, annotations right/top"
            bar.AutomaticLabelFormat = 0
            bar.LabelFormat = bar.RangeLabelFormat = "%.3g"
            bar.AddRangeLabels = 1
            bar.UseCustomLabels = 1
            low, high = widened(*self.ranges[self._key_of(number)])
            bar.CustomLabels = round_numbers(low, high)

    def _key_of(self, number):
        return next(key for key, (table, _) in self.maps.items() if table is self.bars[number][0])
