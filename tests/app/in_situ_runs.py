# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of pictures and data in situ share: a display, ParaView scripts, pictures and data as VTK reads them."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from runs import MOREAU, Runs

HEADER = "# script-version: 2.0\n"
VERSION = subprocess.run([MOREAU, "--version"], text=True, capture_output=True, check=True).stdout
HAS_CATALYST = "Catalyst ParaView" in VERSION

if HAS_CATALYST:  # then this Python has VTK, too
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkDataArray, vtkIdList
    from vtkmodules.vtkIOImage import vtkPNGReader
    from vtkmodules.vtkIOXML import (vtkXMLPolyDataReader, vtkXMLPPolyDataReader, vtkXMLPUnstructuredGridReader,
                                     vtkXMLUnstructuredGridReader)
else:
    np = None

needs_catalyst = unittest.skipUnless(HAS_CATALYST, "this build has no Catalyst")


def catalyst(*scripts):
    """Options that run these scripts in situ."""
    return "--set", "In situ/Catalyst script=" + ", ".join(scripts)


class InSitu(Runs):
    """Runs without a display, unless a class opens one that nobody sees."""
    CLOCK_COLUMNS = ("search_time", "projection_time")
    CLOCK_KEYS = (*Runs.CLOCK_KEYS, "search_time_s", "projection_time_s")

    @classmethod
    def setUpClass(cls):
        cls.environment = {**os.environ, "OMP_NUM_THREADS": "1", "LP_NUM_THREADS": "1"}  # LP: those of Mesa, which draws
        cls.environment.pop("DISPLAY", None)

    @classmethod
    def open_display(cls):
        """For all tests of the class: it starts faster than one per run."""
        # -noreset: else it starts anew when its last client leaves, while the next one comes
        screen = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
                                   "-noreset"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(screen.wait)
        cls.addClassCleanup(screen.stdout.close)
        cls.addClassCleanup(screen.terminate)
        cls.environment["DISPLAY"] = ":" + screen.stdout.readline().strip()

    def moreau(self, *arguments, processes=1):
        launcher = ["mpirun", "-n", str(processes)] if processes > 1 else []
        return subprocess.run([*launcher, MOREAU, *arguments], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=self.environment)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def script(self, name, text):
        self.write(name, HEADER + text)

    def extracts(self, output, pattern="*"):
        """What scripts have made, by name."""
        return sorted(p for p in (self.folder / output / "in_situ").glob(pattern) if p.is_file() and p.name[0] != ".")


def picture(file):
    """Rows from the top, of pixels of three bytes."""
    reader = vtkPNGReader()
    reader.SetFileName(str(file))
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1, :, :3].astype(int)


def data_of(file):
    """What VTK reads from a file; pieces of several processes as one."""
    readers = {".vtp": vtkXMLPolyDataReader, ".vtu": vtkXMLUnstructuredGridReader, ".pvtp": vtkXMLPPolyDataReader,
               ".pvtu": vtkXMLPUnstructuredGridReader}
    reader = readers[pathlib.Path(file).suffix]()
    reader.SetFileName(str(file))
    reader.Update()
    return reader.GetOutput()


def contents(data):
    """All that a data set holds, in a form that can be compared: bytes of points and arrays, indices of cells."""
    found = {"type": data.GetClassName(), "points": data.GetPoints() and vtk_to_numpy(data.GetPoints().GetData()).tobytes(),
             "cells": [cell(data, k) for k in range(data.GetNumberOfCells())]}
    for place, arrays in ("point", data.GetPointData()), ("cell", data.GetCellData()):
        for k in range(arrays.GetNumberOfArrays()):
            array = arrays.GetArray(k)
            if array.GetName() == "vtkGhostType":  # which processes write beside the arrays of the program
                continue
            found[place, array.GetName()] = array.GetNumberOfComponents(), vtk_to_numpy(array).tobytes()
    return found


def values(arrays, name):
    """Of point or cell data, a row per point or cell."""
    return vtk_to_numpy(arrays.GetArray(name))


def units(data):
    """Of all arrays, by name."""
    arrays = [part.GetArray(k) for part in (data.GetPointData(),
                                            data.GetCellData()) for k in range(part.GetNumberOfArrays())]
    return {array.GetName(): array.GetInformation().Get(vtkDataArray.UNITS_LABEL()) for array in arrays}


def cell(data, k):
    """Type and points of a cell, of polyhedra face by face."""
    indices = vtkIdList()
    if hasattr(data, "GetFaceStream") and data.GetCellType(k) == 42:
        data.GetFaceStream(k, indices)
    else:
        data.GetCellPoints(k, indices)
    return data.GetCellType(k), [indices.GetId(n) for n in range(indices.GetNumberOfIds())]


def main():
    if HAS_CATALYST and shutil.which("Xvfb") is None:
        sys.exit("Xvfb is missing; install what scripts/packages.txt lists.")
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
