# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of a pipeline that is started by hand."""

import argparse
import os
import re


class Failure(RuntimeError):
    """What keeps a pipeline from drawing, as one sentence."""


def pair_of_pixels(text):
    size = re.fullmatch(r"(\d+)x(\d+)", text)
    if not size or int(size.group(1)) < 100:
        raise argparse.ArgumentTypeError(f"'{text}' is no WIDTHxHEIGHT of at least 100 pixels, such as 1000x600")
    return tuple(int(number) for number in size.groups())


def numbers(text):
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' are no numbers with commas between them") from None


def box(text):
    sides = numbers(text)
    if len(sides) not in (4, 6) or any(low >= high for low, high in zip(sides[::2], sides[1::2])):
        raise argparse.ArgumentTypeError(f"'{text}' is no box XMIN,XMAX,YMIN,YMAX[,ZMIN,ZMAX]")
    return sides


def circle(text):
    sizes = numbers(text)
    if len(sizes) != 3 or sizes[2] <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no circle X,Y,RADIUS")
    return sizes


def line(text):
    ends = numbers(text)
    if len(ends) != 4 or ends[:2] == ends[2:]:
        raise argparse.ArgumentTypeError(f"'{text}' is no line X0,Y0,X1,Y1")
    return ends


def interval(text):
    name, _, ends = text.partition("=")
    ends = numbers(ends or "0")
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise argparse.ArgumentTypeError(f"'{text}' is no NAME=LOW,HIGH, such as p=0,2.5")
    return name, tuple(ends)


def parser_of(pipeline, description):
    parser = argparse.ArgumentParser(
        prog=f"pvbatch {pipeline}.py", description=description,
        epilog="Without a screen: xvfb-run -a pvbatch ..., or scripts/picture, which also makes movies and puts several "
               "runs side by side. As a Catalyst script the same file needs no arguments.")
    parser.add_argument("output", metavar="OUTPUT_DIRECTORY", help="of a run: the folder of solution.pvd")
    parser.add_argument("picture", metavar="PICTURE.png", nargs="?", default=pipeline + ".png",
                        help="what to write (default: %(default)s); with --all PICTURE_0000.png, ...")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--time", type=float, metavar="T", help="the moment next to T seconds (default: the last)")
    which.add_argument("--step", type=int, metavar="K", help="the moment of the files ..._K")
    which.add_argument("--all", action="store_true", help="a picture of every moment, all with the same colours")
    parser.add_argument("--size", metavar="WxH", type=pair_of_pixels, default=(1000, 0),
                        help="pixels; Wx0: as high as it needs (default: 1000x0)")
    parser.add_argument("--box", metavar="X0,X1,Y0,Y1[,Z0,Z1]", type=box, help="what to show of space, in metres")
    parser.add_argument("--cut", choices=("y", "z"), default="y",
                        help="in space, the axis across which the middle is cut (default: %(default)s)")
    parser.add_argument("--array", metavar="NAME", help="what to colour by, instead of the usual")
    parser.add_argument("--range", metavar="NAME=LOW,HIGH", type=interval, nargs="+", default=[],
                        help="the ends of the colours of an array")
    parser.add_argument("--log", metavar="NAME", nargs="+", default=[], help="arrays with colours over four decades")
    parser.add_argument("--panels", metavar="NAME", nargs="+", type=lambda names: names.split(","),
                        help="which parts of the picture (default: all)")
    parser.add_argument("--circle", metavar="X,Y,RADIUS", type=circle, nargs="+", default=[],
                        help="in a plane, what to compare with, such as an exact front")
    parser.add_argument("--line", metavar="X0,Y0,X1,Y1", type=line, nargs="+", default=[], help="the same, straight")
    parser.add_argument("--title", help="a line above the picture")
    parser.add_argument("--bars", choices=("shown", "hidden", "none"), default="shown",
                        help="those of the colours; hidden: with their place left blank (default: %(default)s)")
    parser.add_argument("--ranges", metavar="FILE",
                        help="ranges of colours to begin with (JSON); those that were needed are written back, so that "
                             "pictures of several runs can agree")
    return parser


def arguments_of(pipeline, description):
    parser = parser_of(pipeline, description)
    arguments = parser.parse_args()
    if pipeline != "extracts" and os.path.splitext(arguments.picture)[1] not in ("", ".png"):
        parser.error(f"{arguments.picture}: pictures are PNG files; scripts/picture makes others of them.")
    arguments.panels = arguments.panels and [name for names in arguments.panels for name in names]
    return arguments


def none_given():
    """In a simulation, or in a window."""
    return parser_of("", "").parse_args([""])


def chosen(moments, arguments):
    """The moments that the arguments ask for."""
    if arguments.all:
        return moments
    if arguments.step is not None:
        found = [moment for moment in moments if moment.step == arguments.step]
        if not found:
            steps = f"{moments[0].step} to {moments[-1].step}"
            raise Failure(f"--step {arguments.step}: there is no such picture; there are {steps}.")
        return found
    if arguments.time is not None:
        return [min(moments, key=lambda moment: abs(moment.time - arguments.time))]
    return moments[-1:]
