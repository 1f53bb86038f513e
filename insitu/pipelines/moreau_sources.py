# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a pipeline's data come from: a running simulation, the files of a finished run, or a ParaView window."""

import copy
import math
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
from paraview import servermanager, simple
from paraview.catalyst import detail
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkParallelCore import vtkCommunicator

from moreau_arguments import Failure, arguments_of, chosen, none_given

READERS = {".vtp": simple.XMLPolyDataReader,
           ".vtu": simple.XMLUnstructuredGridReader,
           ".pvtp": simple.XMLPartitionedPolydataReader,
           ".pvtu": simple.XMLPartitionedUnstructuredGridReader}

# Units of arrays whose information keys cannot be reached (a server far away), by channel; those of every channel last.
UNITS = {"contacts": {"p": "kg m/s", "impulse": "kg m/s", "force": "N", "D": "m"},
         "spheres": {"impulse": "kg m/s"},
         "": {"u": "m/s", "U": "m/s", "u_projected": "m/s", "v": "m/s", "U_tilde": "m/s", "v_minus_u": "m/s",
              "radius": "m", "mass": "kg", "p_step": "m²/s²", "divergence": "1/s", "directional_derivatives": "1/s"}}

FEW_VALUES = 1000  # of so few none is cut off


class Moment:
    """A time of a run, and the file of each channel."""

    def __init__(self, time, step=None):
        self.time = time
        self.files = {}
        self._step = step

    @property
    def step(self):
        """The number in the names of the files."""
        if self._step is not None:
            return self._step
        return int(re.search(r"_(\d+)\.p?vt[pu]$", next(iter(self.files.values()))).group(1))


def read_collection(path):
    """The moments that a solution.pvd lists, in the order of time."""
    try:
        data_sets = ElementTree.parse(path).iter("DataSet")
        moments = {}
        for entry in data_sets:
            time = float(entry.get("timestep"))
            file = os.path.join(os.path.dirname(path), entry.get("file"))
            moments.setdefault(time, Moment(time)).files[entry.get("name")] = file
    except (OSError, ElementTree.ParseError, TypeError, ValueError) as error:
        raise Failure(f"{path} cannot be read ({error}); an output directory of moreau has one.") from error
    if not moments:
        raise Failure(f"{path} lists no files.")
    return [moments[time] for time in sorted(moments)]


run_in_window = None  # directory of the run that moreau_window shows


def is_window():
    """Whether a ParaView window runs this script, not pvbatch."""
    return run_in_window is not None or not getattr(sys, "argv", None) or not sys.argv[0].endswith(".py")


def is_alone():
    """Whether one process has all that a script sees."""
    module = servermanager.vtkProcessModule.GetProcessModule()
    return module.GetNumberOfLocalPartitions() == 1 or not module.GetSymmetricMPIMode()


def agreed(values, operation=vtkCommunicator.MAX_OP):
    """The largest (smallest, sum) of every number over all processes of a script. Each knows its own piece only."""
    module = servermanager.vtkProcessModule.GetProcessModule()
    if is_alone():
        return list(values)
    mine, result = vtkDoubleArray(), vtkDoubleArray()
    for value in values:
        mine.InsertNextValue(value)
    result.SetNumberOfValues(len(values))
    module.GetGlobalController().AllReduce(mine, result, operation)
    return [result.GetValue(k) for k in range(len(values))]


def intervals(pairs):
    """[low, high, low, high, ...] that hold those of all processes."""
    lows, highs = agreed(pairs[0::2], vtkCommunicator.MIN_OP), agreed(pairs[1::2])
    return [number for pair in zip(lows, highs) for number in pair]


def range_of(information):
    """Smallest and largest value of an array, of vectors of the length; of nothing 0."""
    mine = (math.inf, -math.inf)
    if information is not None:
        mine = information.GetRange(-1 if information.GetNumberOfComponents() > 1 else 0)
    low, high = intervals(mine)
    return (low, high) if low <= high else (0., 0.)


class Channel:
    """One channel of a simulation, or the files of it: a source of ParaView with short names for what pipelines ask."""

    def __init__(self, name, files):
        reader = READERS[os.path.splitext(files[0])[1]] if files else simple.XMLPolyDataReader
        self.name = name
        self.series = files if len(files) > 1 else []  # in a window, all moments
        # in situ, ParaView replaces a reader that is registered under the name of a channel by the channel
        self.proxy = reader(registrationName=name, FileName=files)
        self.proxy.UpdatePipeline()

    def filtered(self, proxy):
        """The same through a filter."""
        other = copy.copy(self)
        other.proxy = proxy
        proxy.UpdatePipeline()
        return other

    def read(self, file, time):
        """Makes a file (none: what the simulation sends) and its time the data."""
        if file in self.series:
            self.proxy.UpdatePipeline(self.proxy.TimestepValues[self.series.index(file)])
        elif file is not None:
            self.proxy.FileName = [file]
            self.proxy.UpdatePipeline()
        else:
            self.proxy.UpdatePipeline(time)

    @property
    def n_points(self):
        return self._of_all_pieces(self.proxy.GetDataInformation().GetNumberOfPoints())

    @property
    def n_cells(self):
        return self._of_all_pieces(self.proxy.GetDataInformation().GetNumberOfCells())

    @staticmethod
    def _of_all_pieces(number):
        return int(agreed([number], vtkCommunicator.SUM_OP)[0])

    @property
    def is_polygonal(self):
        return self.proxy.GetDataInformation().GetDataSetTypeAsString() == "vtkPolyData"

    @property
    def bounds(self):
        """(xmin, xmax, ymin, ...), or nothing without points."""
        information = self.proxy.GetDataInformation()
        nothing = (math.inf, -math.inf) * 3
        bounds = intervals(information.GetBounds() if information.GetNumberOfPoints() > 0 else nothing)
        return bounds if bounds[0] <= bounds[1] else None

    def _array(self, name):
        """0, 1 or 2 for none, points, cells; information."""
        for kind, data in ((2, self.proxy.CellData), (1, self.proxy.PointData)):
            information = data.GetArray(name)
            if information is not None:
                return kind, information
        return 0, None

    def place(self, name):
        """'CELLS' or 'POINTS', cells first; nothing where the array is missing."""
        return (None, "POINTS", "CELLS")[int(agreed([self._array(name)[0]])[0])]

    def has(self, *names):
        return all([self.place(name) is not None for name in names])

    def n_components(self, name):
        information = self._array(name)[1]
        return int(agreed([information.GetNumberOfComponents() if information else 0])[0])

    def directions(self, name):
        """Those that components of an array are called after, "(1, 0)"; nothing where they have other names."""
        information = self._array(name)[1]
        names = [information.GetComponentName(k) for k in range(information.GetNumberOfComponents())] if information else []
        found = [re.fullmatch(r"\(([^,()]+), ([^,()]+)\)", part or "") for part in names]
        return [[float(number) for number in match.groups()] for match in found if match]

    def range(self, name):
        """Smallest and largest value, of vectors of the length."""
        return range_of(self._array(name)[1])

    def quantile(self, name, share, few=FEW_VALUES):
        """What a share of the values (of vectors: of the lengths) of all processes do not exceed, up to a thousandth of
        the largest; the largest where there are fewer than `few`, or far away."""
        low, high = self.range(name)
        data = self._output()
        array = data and (data.GetCellData().GetArray(name) or data.GetPointData().GetArray(name))
        values = np.zeros(0)
        if array:
            values = vtk_to_numpy(array)
            values = np.linalg.norm(values, axis=1) if values.ndim == 2 else values
        counts, edges = np.histogram(values, 1000, (0., max(high, 1e-300)))
        counts = np.array(agreed(counts.astype(float).tolist(), vtkCommunicator.SUM_OP))
        if counts.sum() < few or high <= 0.:
            return high
        return float(edges[1 + np.searchsorted(counts.cumsum(), share * counts.sum())])

    def extent_along(self, axis):
        """Of the points of all processes, least and largest coordinate along a direction; none: the first is larger."""
        data = self._output()
        points = data.GetPoints() if data and data.IsA("vtkPointSet") else None
        along = vtk_to_numpy(points.GetData()) @ np.array(axis) if points and points.GetNumberOfPoints() else np.zeros(0)
        return tuple(intervals((along.min(), along.max()) if along.size else (math.inf, -math.inf)))

    def unit(self, name):
        """As the file says, else as the papers use it; with raised digits."""
        text = self._unit_of_array(name)
        if text is None:
            text = UNITS.get(self.name, {}).get(name) or UNITS[""].get(name, "")
        if text == "1":
            return ""
        return re.sub(r"(?<=[A-Za-z])\^?([123])", lambda found: "¹²³"[int(found.group(1)) - 1], text)

    def _output(self):
        """The data of this process, where they can be reached."""
        source = self.proxy.SMProxy.GetClientSideObject()
        data = source.GetOutputDataObject(0) if source else None
        return data if data is not None and data.IsA("vtkDataSet") else None

    def _unit_of_array(self, name):
        data = self._output()
        if data is None:
            return None
        array = data.GetCellData().GetArray(name) or data.GetPointData().GetArray(name)
        return array.GetInformation().Get(array.UNITS_LABEL()) if array else None


def opened_directory():
    """The folder of what is open in a ParaView window, or shall be."""
    if run_in_window is not None:
        return run_in_window
    for proxy in simple.GetSources().values():
        for name in ("FileName", "FileNames"):
            if proxy.GetProperty(name) is not None:
                files = proxy.GetPropertyValue(name)
                file = files if isinstance(files, str) else files[0]
                if os.path.exists(os.path.join(os.path.dirname(file), "solution.pvd")):
                    return os.path.dirname(file)
    raise Failure("Open the solution.pvd of a run first; then click the macro.")


class Feed:
    """The channels of a run and its moments."""

    def __init__(self, pipeline, description):
        self.in_situ = detail.IsInsitu()
        self.in_window = not self.in_situ and is_window()
        self.arguments = none_given()
        self.channels = {}
        self.moments, self.listed = [], []
        if self.in_situ:
            return
        if self.in_window:
            directory = opened_directory()
        else:
            self.arguments = arguments_of(pipeline, description)
            directory = self.arguments.output
        self.listed = read_collection(os.path.join(directory, "solution.pvd"))
        self.moments = self.listed if self.in_window else chosen(self.listed, self.arguments)

    def names(self):
        """Names of the channels."""
        if not self.in_situ:
            return list(dict.fromkeys(name for moment in self.moments for name in moment.files))
        data = detail._get_active_data_description()
        names = [data.GetInputDescriptionName(k) for k in range(data.GetNumberOfInputDescriptions())]
        return [name for name in names if "." not in name]  # without those of saved states, which are files

    def has(self, name):
        return name in self.names()

    def channel(self, name):
        """A channel, or nothing where this run has none of that name."""
        if not self.has(name):
            return None
        if name not in self.channels:
            files = [moment.files[name] for moment in self.moments if name in moment.files]
            self.channels[name] = Channel(name, files if self.in_window else files[:1])
        return self.channels[name]

    def required(self, name, what):
        """A channel or, of several (continuum_square, ...), the first."""
        fitting = [there for there in self.names() if there == name or there.startswith(name + "_")]
        if not fitting:
            raise Failure(f"This run has no '{name}', {what}; there is {', '.join(self.names())}.")
        return self.channel(fitting[0])

    def read(self, moment):
        """Makes all channels those of a moment."""
        for name, channel in self.channels.items():
            if self.in_situ:
                channel.read(None, moment.time)
            elif name in moment.files:
                channel.read(moment.files[name], moment.time)


def say_and_stop(failure):
    """One sentence and the exit status of bad input; a window stays open."""
    if is_window():
        raise failure
    sys.stderr.write(f"{failure}\n")
    sys.exit(1)
