# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures as files: drawn larger than they are and reduced, so that thin things keep their place and their share."""

import os

import numpy as np
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOImage import vtkPNGReader, vtkPNGWriter

SAMPLES = 3  # pixels drawn for each pixel of a picture, in each direction


def is_first():
    """Whether this process is the one that has the picture."""
    return servermanager.vtkProcessModule.GetProcessModule().GetPartitionId() == 0


def reduced(drawn, file, samples):
    """Means of samples x samples pixels of a PNG file, as another."""
    reader = vtkPNGReader()
    reader.SetFileName(drawn)
    reader.Update()
    width, height, _ = (number // samples for number in reader.GetOutput().GetDimensions())
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())[:, :3].astype(np.float32)
    pixels = pixels.reshape(height, samples, width, samples, 3).mean(axis=(1, 3))
    image = vtkImageData()
    image.SetDimensions(width, height, 1)
    image.GetPointData().SetScalars(numpy_to_vtk(np.rint(pixels).astype(np.uint8).reshape(-1, 3)))
    writer = vtkPNGWriter()
    writer.SetInputData(image)
    writer.SetFileName(file)
    writer.Write()


def save(view, file, size, samples):
    """Writes what a view shows at `size` pixels, in each direction a `samples`-th of them in a PNG."""
    drawn = os.path.join(os.path.dirname(file), f".{os.path.basename(file)}.drawn.png")
    simple.SaveScreenshot(drawn, view, ImageResolution=list(size))
    if is_first():
        try:
            reduced(drawn, drawn, samples)
            os.replace(drawn, file)
        finally:
            if os.path.exists(drawn):
                os.remove(drawn)
