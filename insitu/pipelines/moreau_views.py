# SPDX-License-Identifier: GPL-3.0-or-later
"""What all pictures of moreau share: the three ways to run."""

import os

from paraview import catalyst, simple
from paraview.catalyst.detail import IsInsitu

from moreau_colours import USUAL, Colours, in_font
from moreau_images import SAMPLES, save
from moreau_layout import Layout
from moreau_parts import REACH, REST, Parts  # noqa: F401
from moreau_sources import Failure, Feed, Moment, say_and_stop


class Picture(Colours, Parts, Layout):
    """Base of the pictures: `build` says what is shown and `measure` which ranges and bounds it has."""

    def __init__(self, name, view_type="RenderView"):
        super().__init__()
        self.name = name
        self.view_type = view_type
        self.options = self.feed = self.view = self.moment = None
        self.saw_time = False  # in situ

    def build(self):
        """Creates filters and shows them."""
        raise NotImplementedError

    def measure(self):
        """Puts the data of this moment into `grow` and `bounds`."""
        raise NotImplementedError

    def draw(self):
        """Adapts filters to ranges and bounds, before the camera is set."""

    def wants(self, part):
        return self.feed.arguments.panels is None or part in self.feed.arguments.panels

    def time_text(self):
        """t = ... where the data move; single impacts, levels and meshes have no time."""
        if self.moment is None or self.feed.in_window or not self.is_timed():
            return ""
        return f"t = {self.moment.time:.4g} s"

    def is_timed(self):
        """In situ a level or a mesh is counted by a time that is its number."""
        if self.feed.in_situ:
            return self.saw_time
        return len(self.feed.listed) > 1 or self.moment.time != 0.

    def start(self):
        """At the import of a script: in a simulation that waits for its data, else all the work."""
        if IsInsitu():
            self.options = catalyst.Options()
            self.options.ExtractsOutputDirectory = "."
            self._create()
            return
        try:
            self._create()
            self._run()
        except Failure as failure:
            say_and_stop(failure)

    def _create(self):
        """The view and what is in it, from the data of the first moment."""
        self.feed = Feed(self.name, type(self).__doc__)
        if not (self.feed.in_situ or self.feed.in_window or os.environ.get("DISPLAY")):
            raise Failure("There is no display to draw on; start with xvfb-run -a in front.")
        simple._DisableFirstRenderCameraReset()
        self.view = self._new_view()
        self.view.UseColorPaletteForBackground = 0
        self.view.Background = [1., 1., 1.]
        self.view.OrientationAxesVisibility = 0
        if self.feed.in_window:  # which has its own size
            simple.Render(self.view)
            self.canvas = tuple(self.view.ViewSize)
        else:
            self.samples = SAMPLES
            width, height = self.canvas = tuple(self.samples * number for number in self.feed.arguments.size)
            self.view.ViewSize = [width, height or width]
        self.header_source = simple.Text(registrationName="header", Text="")
        self.header = simple.Show(self.header_source, self.view, "TextSourceRepresentation")
        in_font(self.header)
        self.show_scale()
        self.read_ranges()
        if self.feed.arguments.box:
            self.bounds.fix(self.feed.arguments.box)
        self.build()
        self.require_names()

    def _new_view(self):
        """Of a window the active one, where nothing is in it yet."""
        if self.feed.in_window:
            view = simple.GetActiveViewOrCreate(self.view_type)
            if view.SMProxy.GetXMLName() == self.view_type and not view.Representations:
                return view
        view = simple.CreateView(self.view_type)
        if self.feed.in_window:
            simple.AssignViewToLayout(view)
        return view

    def execute(self, info):
        """What Catalyst calls at each moment."""
        self.saw_time = self.saw_time or info.time != info.timestep
        self._see(Moment(info.time, info.timestep))
        self._render()
        self._save(f"{self.name}_{info.timestep:06d}.png")

    def _see(self, moment):
        self.moment = moment
        self.feed.read(moment)
        self.measure()

    def _render(self):
        self.refresh_colours()
        self.refresh_parts()
        self.draw()
        self.refresh_edges()
        self.lay_out()

    def _run(self):
        """After a run, or in a window."""
        arguments = self.feed.arguments
        moments = self.feed.moments
        if self.feed.in_window:
            moments = moments[:-1:max(1, len(moments) // 10)] + moments[-1:]  # some are enough for ranges
        for moment in moments:
            self._see(moment)
        for key, share in USUAL.items():
            self.cut_rare_moments(key, share)
        self.write_ranges()
        if self.feed.in_window:
            self._render()
            simple.Render(self.view)
            return
        stem, extension = os.path.splitext(arguments.picture)
        for moment in self.feed.moments:
            if len(self.feed.moments) > 1:
                self.moment = moment
                self.feed.read(moment)
            self._render()
            self._save(f"{stem}_{moment.step:04d}{extension or '.png'}" if arguments.all else stem + (extension or ".png"))

    def _save(self, file):
        save(self.view, file, self.size, self.samples)
