# SPDX-License-Identifier: GPL-3.0-or-later
"""What open_in_paraview.py of a run calls: the view of its pipeline in a window of ParaView, or of pvpython in one of its own."""

import os
import sys

from paraview import simple

import moreau_sources
from moreau_choice import NothingToDraw, pipeline_of

SCRIPT = "open_in_paraview.py"


def directory_of(script):
    """Where the script lies: a window does not tell its own scripts, but was started with --script=FILE."""
    candidates = [script]
    try:
        with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as file:
            candidates += [word.removeprefix("--script=") for word in file.read().split("\0")]
    except OSError:  # no Linux
        pass
    found = [file for file in candidates if file and os.path.basename(file) == SCRIPT and os.path.exists(file)]
    return os.path.dirname(os.path.abspath(found[0])) if found else moreau_sources.opened_directory()


def show(script):
    """Draws the run in whose folder the script is; a window of pvpython stays until it is closed."""
    started_by_hand = not moreau_sources.is_window()
    if started_by_hand and not os.environ.get("DISPLAY"):
        moreau_sources.say_and_stop(moreau_sources.Failure("There is no display to open a window on; scripts/picture draws "
                                                           "the run without one."))
    moreau_sources.run_in_window = directory_of(script)
    try:
        name = pipeline_of(moreau_sources.run_in_window)
    except NothingToDraw as reason:
        raise moreau_sources.Failure(str(reason)) from reason
    module = __import__(f"moreau_{name}")
    picture = getattr(module, name.capitalize())(name)
    picture.start()
    simple.SetActiveSource(next(iter(picture.feed.channels.values())).proxy)  # no handles of cuts in the view
    simple.GetTimeKeeper().Time = picture.feed.moments[-1].time
    simple.Render(picture.view)
    if started_by_hand and not os.environ.get("MOREAU_WINDOW_CLOSES"):
        simple.Interact()
    return picture
