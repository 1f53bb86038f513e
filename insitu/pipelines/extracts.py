# script-version: 2.0
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the data that a simulation sends, a file per channel and moment, and no pictures: it needs no display."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from paraview import catalyst, simple  # noqa: E402

import moreau_sources as sources  # noqa: E402

# "Appended", the usual, cannot be read back by ParaView 5.11 with the expat of Debian 12's security updates
# (2.5.0-1+deb12u2)
READABLE = "Binary"


def extract(channel):
    """A writer of the channel, of polygons or of a mesh: a file that lists the pieces of the processes, be it one."""
    kind = "VTP" if channel.is_polygonal else "VTU"
    extractor = simple.CreateExtractor(kind, channel.proxy, registrationName=channel.name)
    extractor.Writer.FileName = f"{channel.name}_{{timestep:06d}}.p{kind.lower()}"
    extractor.Writer.DataMode = READABLE


def copies(feed, directory):
    """After a run: the chosen moments once more, under other names."""
    for moment in feed.moments:
        feed.read(moment)
        for name, channel in feed.channels.items():
            if name in moment.files:
                simple.SaveData(os.path.join(directory, os.path.basename(moment.files[name])), channel.proxy,
                                DataMode=READABLE)


def start():
    feed = sources.Feed("extracts", __doc__)
    channels = [feed.channel(name) for name in feed.names()]
    if not feed.in_situ:
        os.makedirs(feed.arguments.picture, exist_ok=True)
        copies(feed, feed.arguments.picture)
        return None
    for channel in channels:
        extract(channel)
    settings = catalyst.Options()
    settings.ExtractsOutputDirectory = "."
    return settings


try:
    options = start()
except sources.Failure as failure:
    sources.say_and_stop(failure)
