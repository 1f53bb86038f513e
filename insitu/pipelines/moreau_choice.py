# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pipeline draws a run. Needs no ParaView."""

import json
import os
import xml.etree.ElementTree


class NothingToDraw(RuntimeError):
    """Why there is none, as one sentence."""


def channels_of(run):
    """The names of the meshes of a run."""
    file = os.path.join(run, "solution.pvd")
    try:
        return {entry.get("name") for entry in xml.etree.ElementTree.parse(file).iter("DataSet")}
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        raise NothingToDraw(f"{file} cannot be read ({error}); name the output directory of a run, or of a sweep.") from error


def is_flow(run):
    if os.path.exists(os.path.join(run, "profile.csv")):
        return True
    try:
        with open(os.path.join(run, "summary.json"), encoding="utf-8") as file:
            return json.load(file).get("problem") == "congested flow"
    except (OSError, ValueError):
        return False


def pipeline_of(run):
    """The name of the script that draws what this run is about."""
    channels = channels_of(run)
    if "voronoi" in channels:
        return "voronoi"
    if "spheres" in channels:
        return "spheres"
    if any(name.startswith("continuum") for name in channels):
        return "flow" if is_flow(run) else "continuum"
    raise NothingToDraw(f"{run} has nothing that a pipeline draws; there is {', '.join(sorted(channels)) or 'nothing'}.")
