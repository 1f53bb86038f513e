# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of the pictures of moreau: a map per kind of quantity, ranges that grow, and scalar bars."""

import json
import math
import os

from paraview import simple
from vtkmodules.vtkRenderingFreeType import vtkMathTextUtilities

from moreau_arguments import Failure
from moreau_sources import FEW_VALUES

# One map per kind of quantity, light enough for black arrows; the lowest colour is the one of zero.
MAPS = {"speed": [(1., 1., .85), (.78, .91, .71), (.50, .80, .73), (.25, .71, .77), (.14, .50, .72)],
        "pressure": [(1., .97, .94), (.99, .83, .72), (.99, .64, .48), (.94, .38, .27), (.75, .12, .13)],
        "chain": [(.99, .68, .38), (.93, .42, .22), (.80, .15, .12), (.55, .03, .10), (.28, .0, .08)],
        "density": [(1., 1., 1.), (.85, .89, .95), (.68, .77, .88), (.48, .61, .79), (.28, .44, .68)],
        "matter": [(1., 1., 1.), (.93, .93, .92)],
        "difference": [(1., 1., 1.), (.90, .85, .93), (.76, .65, .83), (.60, .44, .70), (.44, .22, .55)]}
NOTHING = 1e-14  # what is below is rounding of zero
GREY = [.55, .55, .55]
BLACK = [0., 0., 0.]
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"  # that of mathematical text


def in_font(shown, prefix=""):
    """One font for all text, where there is this one."""
    if os.path.exists(FONT):
        setattr(shown, prefix + "FontFamily", "File")
        setattr(shown, prefix + "FontFile", FONT)


def widened(low, high):
    """An interval that a scalar bar can show: one value alone, or noise about zero, is no interval."""
    if high - low > 1e-9 * max(abs(low), abs(high)) and high - low > 1e-14:
        return low, high
    if max(abs(low), abs(high)) < NOTHING:
        return 0., 1.
    return (0., high) if high > 0 else (low, 0.)


DECADES = 4  # of logarithmic colours
USUAL = {"force": .9, "speed": .7}  # the share of moments that colours of these are for,
FEW_MOMENTS = 20  # of so many at least
RARE = .99  # the share of values that colours are for, where the rest is much larger


def text(name, is_length=False):
    """How an array is written, by mathematical text where there is any: |u| (a bar begins a new column of text at a
    vertical line), U with a tilde."""
    utilities = vtkMathTextUtilities.GetInstance()
    if utilities is None or not utilities.IsAvailable():
        return f"length of {name}" if is_length else name
    letters = {"rho": r"\rho", "U_tilde": r"\tilde{\mathsf{U}}", "u_mean": r"\bar{\mathsf{u}}", "v_minus_u": r"\mathsf{v} - \bar{\mathsf{u}}",
               "sum of p": r"\Sigma_k\ \mathsf{p}_k"}
    body = letters.get(name, rf"\mathsf{{{name}}}".replace("_", r"\_").replace(" ", r"\ "))
    return rf"$\vert {body} \vert$" if is_length else f"${body}$"


def round_numbers(low, high, is_log=False, letter=.036):
    """Three or four multiples of 1, 2 or 5 times a power of ten, as far from the ends as their labels are long; or powers of
    ten. letter: the width of one as a share of the bar."""
    if is_log:
        return [10. ** k for k in range(math.ceil(math.log10(low) + .3), math.floor(math.log10(high) - .3) + 1)]
    power = 10. ** math.floor(math.log10(high - low))
    step = next(step for step in (.1 * power, .2 * power, .5 * power, power, 2 * power) if (high - low) / step <= 5.5)
    numbers = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    letters = {number: len(f"{number:.3g}") for number in (low, high, *numbers)}

    def is_apart(number, end):
        share = max(.12, .5 * letter * (letters[number] + letters[end]) + .02)
        return abs(number - end) > share * (high - low)

    return [number for number in numbers if is_apart(number, low) and is_apart(number, high)]


class Colours:
    """Ranges of what a picture shows, their colours and scalar bars."""

    def __init__(self):
        super().__init__()
        self.moments = {}
        self.ranges, self.largest, self.maps, self.bars, self.titles, self.names = {}, {}, {}, [], [], {}

    def read_ranges(self):
        """What other pictures needed, and what the user wants."""
        file = self.feed.arguments.ranges
        if file and os.path.exists(file):
            try:
                with open(file, encoding="utf-8") as text_file:
                    known = json.load(text_file)
                for key, (low, high, largest) in known.items():
                    self.ranges[key], self.largest[key] = (low, high), largest
            except (OSError, ValueError, TypeError, AttributeError) as error:
                raise Failure(f"--ranges {file} cannot be read ({error}); leave it to scripts/picture.") from error

    def write_ranges(self):
        file = self.feed.arguments.ranges
        if file:
            with open(file, "w", encoding="utf-8") as text_file:
                json.dump({key: [*ends, self.largest.get(key, ends[1])] for key, ends in self.ranges.items()}, text_file)

    def require_names(self):
        """--range and --log name what has a bar."""
        for option, wanted in (("--range", [name for name, _ in self.feed.arguments.range]),
                               ("--log", self.feed.arguments.log)):
            for name in wanted:
                if name not in self.names:
                    raise Failure(f"{option} {name}: this picture has no colours for it; it has some for "
                                  f"{', '.join(self.names) or 'nothing'}.")

    def grow(self, key, interval):
        """The range of a quantity holds all that was seen: the colours of a run stay comparable."""
        low, high = self.ranges.get(key, interval)
        self.ranges[key] = (min(low, interval[0]), max(high, interval[1]))
        self.largest[key] = max(self.largest.get(key, interval[1]), interval[1])

    def grow_from_zero(self, key, interval):
        """For lengths, pressures, densities."""
        self.grow(key, (0., max(interval[1], 0.)))

    def grow_mostly(self, key, channel, name, share=RARE, few=FEW_VALUES):
        """For lengths and pressures with a few values far above all others: these are cut, and the bar says so."""
        largest = max(channel.range(name)[1], 0.)
        usual = channel.quantile(name, share, few)
        self.moments.setdefault(key, []).append(usual)
        self.grow(key, (0., usual if 0. < 1.5 * usual < largest else largest))
        self.largest[key] = max(self.largest[key], largest)

    def cut_rare_moments(self, key, share):
        """Once all moments are known: of forces, the shocks of a few of them would leave no colours for all others, and of
        speeds a fall in the beginning none for what comes then."""
        usual = sorted(self.moments.get(key, []))
        if len(usual) >= FEW_MOMENTS:
            usual = usual[round(share * (len(usual) - 1))]
            if 0. < 1.5 * usual < self.ranges[key][1]:
                self.ranges[key] = (0., usual)

    def is_log(self, key):
        return any(self.names.get(name) == key for name in self.feed.arguments.log)

    def ends(self, key):
        """Of the colours of a range."""
        for name, ends in self.feed.arguments.range:
            if self.names.get(name) == key:
                return ends
        low, high = self.ranges[key]
        beyond = self.largest.get(key, high)
        low, high = widened(low, beyond if beyond < 1.25 * high else high)
        return (max(low, 10. ** math.floor(math.log10(high) - DECADES + .5)), high) if self.is_log(key) else (low, high)

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
        self.names[name] = key
        display.ColorArrayName = [place or channel.place(name), name]
        display.LookupTable = table
        if table not in [shown for shown, _ in self.bars]:
            bar = simple.GetScalarBar(table, self.view)
            letter = title or text(name, channel.n_components(name) > 1)
            unit = channel.unit(name)
            bar.ComponentTitle = ""
            bar.Visibility = 1
            self.bars.append((table, bar))
            self.titles.append((f"{letter} [{unit}]" if unit else letter, key))

    def refresh_colours(self):
        """Gives the maps their ranges."""
        for key, (table, kind) in self.maps.items():
            low, high = self.ends(key)
            table.UseLogScale = 0  # which ParaView refuses to points at zero
            shares = [k / (len(MAPS[kind]) - 1) for k in range(len(MAPS[kind]))]
            places = [low * (high / low) ** share if self.is_log(key) else low + (high - low) * share for share in shares]
            table.RGBPoints = [number for place, colour in zip(places, MAPS[kind]) for number in (place, *colour)]
            table.UseLogScale = int(self.is_log(key))

    @property
    def has_place_for_bars(self):
        return bool(self.bars) and self.feed.arguments.bars != "none"

    def place_bars(self, font):
        width, height = self.size
        shown = [number for number, (_, key) in enumerate(self.titles)
                 if self.feed.in_situ or self.largest.get(key, 1.) > NOTHING]
        length = min(.42, .8 / max(1, len(shown)))
        for number, (_, bar) in enumerate(self.bars):
            bar.Visibility = int(number in shown and self.feed.arguments.bars == "shown")  # of nothing there are no colours, unless more may come
            bar.Orientation = "Horizontal"
            bar.WindowLocation = "Any Location"
            bar.ScalarBarThickness = round(.7 * font)
            bar.ScalarBarLength = length
            place = shown.index(number) if number in shown else 0
            bar.Position = [(place + .5) / max(1, len(shown)) - length / 2, 2.9 * font / height]
            in_font(bar, "Title")
            in_font(bar, "Label")
            bar.TitleFontSize = font
            bar.LabelFontSize = round(.85 * font)
            bar.TitleColor = bar.LabelColor = BLACK
            bar.TextPosition = "Ticks left/bottom, annotations right/top"
            bar.AutomaticLabelFormat = 0
            bar.LabelFormat = bar.RangeLabelFormat = "%.3g"
            bar.AddRangeLabels = 1
            bar.UseCustomLabels = 1
            title, key = self.titles[number]
            low, high = self.ends(key)
            bar.CustomLabels = round_numbers(low, high, self.is_log(key), max(.036, .55 * font / (length * width)))
            beyond = self.largest.get(key, high)
            largest = f"{beyond:.0f}" if 1e3 <= beyond < 1e5 else f"{beyond:.3g}"
            bar.Title = f"{title}, up to {largest}" if beyond > 1.001 * high else title
