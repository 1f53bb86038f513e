# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that ParaView's own filters do not make: what the programmable filters of the pictures run."""

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkUnstructuredGrid
from vtkmodules.vtkFiltersCore import vtkThreshold
from vtkmodules.vtkFiltersGeneral import vtkTableBasedClipDataSet

# pixels: the head of a long arrow, its half width, half the width of the shaft of a long and of a short one
HEAD, HALF_HEAD, HALF_SHAFT, HALF_HAIR = 9., 3.2, .9, .4
LARGEST_SHARE = .45  # of a short arrow that is head
FEW_ODD_ONES = .02  # of all cells; more are a pattern, not a blemish


def in_and_out(self):
    """Input and output of a programmable filter; the output is empty, not a copy of the input's points and cells."""
    output = self.GetOutputDataObject(0)
    output.Initialize()
    return self.GetInputDataObject(0, 0), output


def points_of(data):
    """Places of the points of any data set, as rows."""
    if data.IsA("vtkPointSet"):
        points = data.GetPoints()
        return vtk_to_numpy(points.GetData()).astype(float) if points else np.zeros((0, 3))
    return np.array([data.GetPoint(k) for k in range(data.GetNumberOfPoints())]).reshape(-1, 3)


def array_of(data, name):
    """Values at points, or nothing."""
    array = data.GetPointData().GetArray(name)
    return None if array is None else vtk_to_numpy(array)


def set_cells(output, points, cells, lines=False):
    """Polygons (rows of numbers of points), or lines, that the output consists of."""
    holder = vtkPoints()
    holder.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=np.float32), deep=1))
    shapes = vtkCellArray()
    offsets = cells.shape[1] * np.arange(len(cells) + 1, dtype=np.int64)
    shapes.SetData(numpy_to_vtkIdTypeArray(offsets, deep=1),
                   numpy_to_vtkIdTypeArray(np.ascontiguousarray(cells, dtype=np.int64).ravel(), deep=1))
    output.SetPoints(holder)
    (output.SetLines if lines else output.SetPolys)(shapes)


def one_per_square(places, right, up, side):
    """Numbers of points: in each square of a grid across the picture the one next to the middle."""
    flat = np.stack([places @ right, places @ up], axis=1) / side
    square = np.floor(flat)
    off = ((flat - square - .5) ** 2).sum(axis=1)
    order = np.lexsort((np.arange(len(off)), np.round(off, 6), square[:, 1], square[:, 0]))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(square[order], axis=0) != 0).any(axis=1)
    return np.sort(order[first])


def arrows(self, name, factor, pixel, axes, lift, side, halo=0., shortest=.5):
    """Arrows in the middle of points, `factor` metres long for each unit of a vector, which face who looks along the last of
    three axes, `lift` metres in front. The heads of long ones are equal: a short arrow is an arrow, too. side: that of
    squares of which each has one arrow, or 0 for one at each point. halo: pixels by which they are wider and longer.
    shortest: pixels of those that are drawn."""
    data, output = in_and_out(self)
    places, vectors = points_of(data), array_of(data, name)
    if vectors is None or vectors.ndim != 2 or not len(places):
        return
    right, up, inward = (np.array(axis) for axis in axes)
    lengths = np.linalg.norm(vectors, axis=1) * factor
    kept = lengths > shortest * pixel
    valid = array_of(data, "vtkValidPointMask")
    if valid is not None:
        kept &= valid > 0
    kept = np.flatnonzero(kept)
    if side > 0:
        chosen = np.zeros(len(lengths), dtype=bool)
        chosen[one_per_square(places, right, up, side)] = True
        kept = kept[chosen[kept]]
    places, lengths = places[kept] - lift * inward, lengths[kept, None]
    along = vectors[kept] * (factor / lengths)
    aside = np.cross(along, inward)
    widths = np.linalg.norm(aside, axis=1, keepdims=True)
    aside = np.where(widths > 1e-9, aside / np.maximum(widths, 1e-9), right)
    head = np.minimum(HEAD * pixel, LARGEST_SHARE * lengths)
    shrunk = head / (HEAD * pixel)
    rim = halo * pixel
    wide = shrunk * HALF_HEAD * pixel + .3 * pixel + 1.2 * rim
    shaft = np.maximum(shrunk * HALF_SHAFT, HALF_HAIR) * pixel + rim
    tip, neck, tail = lengths / 2 + 1.6 * rim, lengths / 2 - head - .6 * rim, -lengths / 2 - rim
    corners = [(tip, 0.), (neck, wide), (neck, -wide), (neck, shaft), (neck, -shaft), (tail, -shaft), (tail, shaft)]
    points = np.stack([places + along * forward + aside * sideways for forward, sideways in corners], axis=1)
    first = 7 * np.arange(len(kept))[:, None]
    triangles = np.concatenate([first + shape for shape in ([0, 1, 2], [3, 4, 5], [3, 5, 6])])
    set_cells(output, points.reshape(-1, 3), triangles)


def extended(self, name, low, high):
    """Segments, those that are alone with their number `name` as the whole lines across a box: what bounds a half-space is
    written as far as there is something beside it."""
    data, output = in_and_out(self)
    points, lines = points_of(data), vtk_to_numpy(data.GetLines().GetConnectivityArray()).reshape(-1, 2)
    if not len(lines):
        return
    array = data.GetCellData().GetArray(name)
    numbers = vtk_to_numpy(array) if array else np.zeros(len(lines))
    alone = np.isin(numbers, [number for number, n in zip(*np.unique(numbers, return_counts=True)) if n == 1])
    ends = points[lines]
    low, high = np.array(low), np.array(high)
    for k in np.flatnonzero(alone):
        a, along = ends[k, 0], ends[k, 1] - ends[k, 0]
        parts = [((low - a)[axis] / along[axis], (high - a)[axis] / along[axis]) for axis in (0, 1) if along[axis] != 0.]
        if parts:
            first, last = max(min(part) for part in parts), min(max(part) for part in parts)
            ends[k] = a + min(first, 0.) * along, a + max(last, 1.) * along
    set_cells(output, ends.reshape(-1, 3), np.arange(2 * len(lines)).reshape(-1, 2), lines=True)


def dashes(self, name, pixel, inward, lift):
    """Lines along which an array of the cells is zero, as dashes of some six pixels."""
    data, output = in_and_out(self)
    array = data.GetCellData().GetArray(name)
    if array is None or data.GetNumberOfCells() == 0:
        return
    values, ends = vtk_to_numpy(array), []
    for k in np.flatnonzero(np.abs(values) <= 1e-9 * np.abs(values).max()):
        if data.GetCell(k).GetNumberOfPoints() == 2:
            a, b = (np.array(data.GetCell(k).GetPoints().GetPoint(end)) for end in (0, 1))
            n = max(1, round(np.linalg.norm(b - a) / (6 * pixel)))
            for dash in range(n // 2 + 1):
                along = (2 * dash) / (n + 1 - n % 2), min(1., (2 * dash + 1) / (n + 1 - n % 2))
                ends += [a + (b - a) * along[0], a + (b - a) * along[1]]
    if ends:
        points = np.array(ends) - lift * np.array(inward)
        set_cells(output, points, np.arange(len(ends)).reshape(-1, 2), lines=True)


def in_zone(self, density, level):
    """The data where there is matter: up to where `level`, at points, passes zero, as long as all matter is in the zone; else
    whole cells with some density."""
    data, output = self.GetInputDataObject(0, 0), self.GetOutputDataObject(0)
    whole = vtkUnstructuredGrid()
    values = data.GetCellData().GetArray(density)
    values = np.ones(data.GetNumberOfCells()) if values is None else vtk_to_numpy(values)
    if data.GetPointData().GetArray(level) is None or ((values > .01) & (values < .99)).any():
        threshold = vtkThreshold()
        threshold.SetInputData(data)
        if data.GetCellData().GetArray(density):
            threshold.SetInputArrayToProcess(0, 0, 0, 1, density)
            threshold.SetLowerThreshold(.01)
            threshold.SetThresholdFunction(vtkThreshold.THRESHOLD_UPPER)
            threshold.Update()
            output.ShallowCopy(threshold.GetOutput())
        else:
            output.ShallowCopy(data)
        return
    whole.ShallowCopy(data)
    whole.GetPointData().SetActiveScalars(level)
    clip = vtkTableBasedClipDataSet()
    clip.SetInputData(whole)
    clip.SetValue(0.)
    clip.Update()
    output.ShallowCopy(clip.GetOutput())


def grain_directions(self, name, length, lift, inward):
    """For each number of grains, in the cell next to the middle of its cells, the lines along the arrays `direction_1`,
    `direction_2`, ... on cells."""
    data, output = in_and_out(self)
    cells = data.GetCellData()
    if cells.GetArray(name) is None or data.GetNumberOfCells() == 0:
        return
    numbers = np.round(vtk_to_numpy(cells.GetArray(name))).astype(int)
    boxes = np.array([data.GetCell(k).GetBounds() for k in range(len(numbers))])
    middles = np.stack([boxes[:, ::2], boxes[:, 1::2]]).mean(axis=0)
    arrays = []
    while cells.GetArray(f"direction_{len(arrays) + 1}"):
        arrays.append(vtk_to_numpy(cells.GetArray(f"direction_{len(arrays) + 1}")))
    ends = []
    for number in np.unique(numbers[numbers >= 0]):
        own = np.flatnonzero(numbers == number)
        middle = middles[own].mean(axis=0)
        cell = own[((middles[own] - middle) ** 2).sum(axis=1).argmin()]
        for array in arrays:
            ends += [middles[cell] - .5 * length * array[cell], middles[cell] + .5 * length * array[cell]]
    if ends:
        points = np.array(ends) - lift * np.array(inward)
        set_cells(output, points, np.arange(len(ends)).reshape(-1, 2), lines=True)


def smoothed(self, name, width):
    """An image with an array at its points, with means over some cells in both directions: edges of what is the same in a
    whole cell have corners that are not in the data. width: the points across them."""
    image, output = self.GetInputDataObject(0, 0), self.GetOutputDataObject(0)
    output.ShallowCopy(image)
    array, width = image.GetPointData().GetArray(name), 2 * round(width / 2) + 1  # odd: else all would move aside
    if array is None or width < 3:
        return
    shape = image.GetDimensions()[1::-1]
    values = vtk_to_numpy(array).astype(float).reshape(shape)
    mask = image.GetPointData().GetArray("vtkValidPointMask")
    inside = np.ones(shape) if mask is None else (vtk_to_numpy(mask).reshape(shape) > 0).astype(float)
    total, weight = values * inside, inside
    for _ in range(2):
        total, weight = (means_over(means_over(part, width, 0), width, 1) for part in (total, weight))
    add_array(output.GetPointData(), name, (total / np.maximum(weight, 1e-9)).ravel())


def means_over(values, width, axis):
    """Sums of `width` neighbours along an axis, the middle one those of each place; beyond the ends there is nothing."""
    before, after = width // 2, width - 1 - width // 2
    ends = [(before + 1, after) if k == axis else (0, 0) for k in (0, 1)]
    running = np.pad(values, ends).cumsum(axis=axis)
    n = values.shape[axis]
    return np.take(running, range(width, width + n), axis) - np.take(running, range(n), axis)


def sums(self, name, active):
    """A copy of the data with `sum of p`, that of the components of an array on cells (of the pressures of all directions), and
    with `pressed`, whether any component of another is not zero. On triangles and tetrahedra, where single cells share
    out what the directions bear together at random, the sum is the mean of those around each point, and few odd ones are
    as most cells around them."""
    data, output = self.GetInputDataObject(0, 0), self.GetOutputDataObject(0)
    output.ShallowCopy(data)
    cells, n_cells = data.GetCellData(), data.GetNumberOfCells()
    corners = data.GetCell(0).GetNumberOfPoints() if n_cells else 0
    is_simplicial = data.IsA("vtkUnstructuredGrid") and corners == data.GetCell(0).GetCellDimension() + 1
    if is_simplicial:
        points = vtk_to_numpy(data.GetCells().GetConnectivityArray())
        offsets = vtk_to_numpy(data.GetCells().GetOffsetsArray())
        sizes = np.diff(offsets)
        # points of one place are one, also where a field may jump from cell to cell
        places = np.unique(np.round(points_of(data), 9), axis=0, return_inverse=True)[1].ravel()[points]

        def around(values):
            """Of cells, their means at the corners of each."""
            return (np.bincount(places, np.repeat(values, sizes)) / np.maximum(1, np.bincount(places)))[places]

    if cells.GetArray(active):
        values = vtk_to_numpy(cells.GetArray(active)).reshape(n_cells, -1)
        pressed = (values != 0.).any(axis=1).astype(float)
        if is_simplicial:
            mostly = (np.add.reduceat(around(pressed), offsets[:-1]) > .5 * sizes).astype(float)
            if (mostly != pressed).mean() < FEW_ODD_ONES:
                pressed = mostly
        add_array(output.GetCellData(), "pressed", pressed)
    if not cells.GetArray(name):
        return
    unit = cells.GetArray(name).GetInformation().Get(vtkDataArray.UNITS_LABEL())
    totals = vtk_to_numpy(cells.GetArray(name)).reshape(n_cells, -1).sum(axis=1)
    if not is_simplicial:
        add_array(output.GetCellData(), f"sum of {name}", totals, unit)
        return
    means = np.zeros(data.GetNumberOfPoints())
    means[points] = around(totals)
    add_array(output.GetPointData(), f"sum of {name}", means, unit)


def add_array(attributes, name, values, unit=None):
    array = numpy_to_vtk(np.ascontiguousarray(values), deep=1)
    array.SetName(name)
    if unit:
        array.GetInformation().Set(vtkDataArray.UNITS_LABEL(), unit)
    attributes.AddArray(array)
