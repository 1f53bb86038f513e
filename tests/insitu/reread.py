#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of real runs, read again with VTK, are the run digit by digit: reread.py MOREAU.

Needs a Python that has ParaView's vtkmodules, and no display.
"""
import math
import pathlib
import sys
import unittest
import xml.etree.ElementTree

import numpy as np
from paraview.modules.vtkPVVTKExtensionsIOCore import vtkPVDReader
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray, vtkIdList, vtkOutputWindow
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOXML import (vtkXMLPolyDataReader, vtkXMLPPolyDataReader, vtkXMLPUnstructuredGridReader,
                                vtkXMLUnstructuredGridReader)

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "app"))
from cases import BALL, BASIN, CELLS, HOPPER, two_blocks_on_a_line  # noqa: E402
from runs import Runs  # noqa: E402

READERS = {".vtp": vtkXMLPolyDataReader, ".vtu": vtkXMLUnstructuredGridReader, ".pvtu": vtkXMLPUnstructuredGridReader,
           ".pvtp": vtkXMLPPolyDataReader}
ROUND_OFF = 1e-13  # of sums over a few hundred numbers, relative

# doc/formats.md: unit (None: pure numbers) and components of the arrays
SPHERES = {"radius": ("m", 1), "diameter": ("m", 1), "mass": ("kg", 1), "u": ("m/s", 3)}
IMPACT_SPHERES = {**SPHERES, "U": ("m/s", 3)}
ELASTIC_SPHERES = {**IMPACT_SPHERES, "u_projected": ("m/s", 3)}
MOVING_SPHERES = {**SPHERES, "impulse": ("kg m/s", 3)}
CONTACTS = {"p": ("kg m/s", 1), "impulse": ("kg m/s", 1), "approach_velocity_before": ("m/s", 1),
            "approach_velocity_after": ("m/s", 1), "D": ("m", 1)}
FORCE_CHAINS = {"p": ("kg m/s", 1), "force": ("N", 1), "D": ("m", 1)}
OBSTACLES, WALLS = {"obstacle": (None, 1)}, {"wall": (None, 1)}
VORONOI = {"sphere": (None, 1), "cut": (None, 1), "U_tilde": ("m/s", 3), "u": ("m/s", 3), "v": ("m/s", 3),
           "v_minus_u": ("m/s", 3)}
CONTINUUM = {"U": ("m/s", 3), "u": ("m/s", 3), "density": (None, 1), "error_indicator": ("m^4/s^2", 1)}
ISOTROPIC = {**CONTINUUM, "p": ("m^2/s", 1), "divergence": ("1/s", 1), "active": (None, 1)}
SQUARE = {**CONTINUUM, "p": ("m^2/s", 2), "directional_derivatives": ("1/s", 2), "active": (None, 2),
          "saturated_part": (None, 1)}
FLOW = {"rho": (None, 1), "u": ("m/s", 3), "p": ("m^2/s^2", 1), "p_step": ("m^2/s^2", 1), "impulse": ("m^2/s", 1),
        "rho_max": (None, 1)}

# what ParaView takes unless told otherwise: scalars and vectors, of points and of cells
ACTIVE = {"spheres": (("diameter", "u"), (None, None)), "contacts": ((None, None), ("p", None)),
          "voronoi": ((None, None), (None, "v")), "obstacles": ((None, None), (None, None)),
          "walls": ((None, None), (None, None)),
          "continuum": ((None, None), ("p", "u"))}
ACTIVE_IN_FLOWS = {**ACTIVE, "continuum": ((None, None), ("rho", "u"))}

HEAP = """set Problem = micro impact
set Restitution = 0.5
subsection Spheres
  set Arrangement = file
  set File = heap.csv
end
subsection Zone
  set Walls = bottom, left
  set Lower corner = 0, 0
  set Upper corner = 2, 1
end
"""
HEAP_SPHERES = """x,y,radius,mass,ux,uy
0.125,0.125,0.125,1.1,-0.3,-1
0.5,0.25,0.25,3.3,-0.7,0.1
1.0,0.25,0.25,0.7,-1.3,-0.01
0.9,0.75,0.125,1,0.1,-0.3
"""
CRADLE = """set Problem = micro impact
set Restitution = 1
subsection Spheres
  set Arrangement = file
  set File = cradle.csv
end
subsection Impact sequence
  set Maximum number of impacts = 10
  set End time = 3
end
"""
CRADLE_SPHERES = "x,y,radius,ux,uy\n0,0,0.5,1,0\n1.3,0,0.5,0,0\n2.4,0,0.5,0,0\n"
ROW = two_blocks_on_a_line(cells=40, end_time=0.2, output_every=0.06)
DISCS = """set Problem = congested flow
set Dimension = 2
subsection Zone
  set Function expression = if((x - 0.4)^2 + (y - 0.75)^2 < 0.04, 1, 0) + if((x - 0.5)^2 + (y - 0.25)^2 < 0.03, 0.7, 0)
  set Walls = bottom
end
subsection Velocity
  set Function expression = 0.2*y; -1
end
subsection Mesh
  set Cells per unit length = 24
end
subsection Time
  set End time = 0.2
  set Output every = 0.1
end
"""


def observe_errors(observed):
    """What VTK says while files are read comes into the list `observed`."""
    window = vtkOutputWindow()
    for event in "ErrorEvent", "WarningEvent":
        window.AddObserver(event, lambda *_: observed.append(event))
    window.SetDisplayModeToNever()
    vtkOutputWindow.SetInstance(window)


class Picture:
    """A file as VTK reads it."""

    def __init__(self, file):
        reader = READERS[file.suffix]()
        reader.SetFileName(str(file))
        reader.UpdateInformation()
        steps, information = vtkStreamingDemandDrivenPipeline.TIME_STEPS(), reader.GetOutputInformation(0)
        n_times = information.Length(steps) if information.Has(steps) else 0
        self.times = [information.Get(steps, k) for k in range(n_times)]
        reader.Update()
        self.data = reader.GetOutput()
        has_points = self.data.GetNumberOfPoints() > 0
        self.points = vtk_to_numpy(self.data.GetPoints().GetData()) if has_points else np.empty((0, 3))
        self.arrays = {kind: {data.GetArrayName(k): data.GetArray(k) for k in range(data.GetNumberOfArrays())}
                       for kind, data in zip(("points", "cells"), self.attributes())}

    def attributes(self):
        return self.data.GetPointData(), self.data.GetCellData()

    def __getitem__(self, name):
        """Values of an array, which is one of points or one of cells here."""
        (array,) = [arrays[name] for arrays in self.arrays.values() if name in arrays]
        return vtk_to_numpy(array)

    def layout(self, kind):
        return {name: (array.GetInformation().Get(vtkDataArray.UNITS_LABEL()), array.GetNumberOfComponents())
                for name, array in self.arrays[kind].items()}

    def active(self):
        return tuple(tuple(array.GetName() if array else None for array in (data.GetScalars(), data.GetVectors()))
                     for data in self.attributes())

    def cells(self):
        """Coordinates of the corners of each cell."""
        ids = vtkIdList()
        for k in range(self.data.GetNumberOfCells()):
            self.data.GetCellPoints(k, ids)
            yield self.points[[ids.GetId(corner) for corner in range(ids.GetNumberOfIds())]]

    def centres(self):
        return np.array([corners.mean(axis=0) for corners in self.cells()])

    def measures(self):
        """Areas of polygons, seen from above; volumes of polyhedra: both positive where corners are in order."""
        if self.data.IsA("vtkPolyData"):
            return np.array([area(corners)[2] for corners in self.cells()])
        return np.array([volume(self.data.GetCell(k)) for k in range(self.data.GetNumberOfCells())])


def area(corners):
    """Vector area of a polygon."""
    return sum((np.cross(a - corners[0], b - corners[0]) for a, b in zip(corners[1:], corners[2:])), np.zeros(3)) / 2


def volume(polyhedron):
    result = 0.
    for k in range(polyhedron.GetNumberOfFaces()):
        corners = vtk_to_numpy(polyhedron.GetFace(k).GetPoints().GetData())
        result += np.dot(corners[0], area(corners)) / 3
    return result


class Reread(Runs):
    def setUp(self):
        super().setUp()
        self.complaints = []
        observe_errors(self.complaints)

    def run_case(self, text, *options, files=(), processes=1):
        for name, content in (("case.prm", text), *files):
            (self.folder / name).write_text(content)
        self.run_well("case.prm", "--output", "out", *options, processes=processes)

    def column(self, name, *columns):
        return np.array([[float(row[column]) for column in columns] for row in self.rows("out/" + name)])

    def pictures(self, layouts, active=None):
        """Mesh -> [(time, picture)] as solution.pvd lists them. layouts: of the points and of the cells of each mesh."""
        out, found = self.folder / "out", {}
        listed = list(xml.etree.ElementTree.parse(out / "solution.pvd").iter("DataSet"))
        for entry in listed:
            time, name, picture = float(entry.get("timestep")), entry.get("name"), Picture(out / entry.get("file"))
            with self.subTest(file=entry.get("file")):
                self.assertEqual(entry.get("file").split("_")[:-1], name.split("_"))
                self.assertEqual(picture.times, [time])
                self.assertEqual((picture.layout("points"), picture.layout("cells")), layouts[name])
                self.assertEqual(picture.active(), (active or ACTIVE)[name.split("_")[0]])
                for arrays in picture.arrays.values():
                    for array in arrays:
                        self.assertTrue(np.isfinite(picture[array]).all(), array)
            found.setdefault(name, []).append((time, picture))
        self.assertEqual(found.keys(), layouts.keys())
        self.assertEqual(self.complaints, [])
        files = {p.name for p in out.iterdir() if p.suffix in READERS and "_p0" not in p.name}
        self.assertEqual(files, {entry.get("file") for entry in listed})
        self.paraview_finds({time: [entry.get("name") for entry in listed if float(entry.get("timestep")) == time]
                             for time in sorted({float(entry.get("timestep")) for entry in listed})}, found)
        return found

    def paraview_finds(self, meshes, pictures):
        """solution.pvd is a series of these meshes by time."""
        reader = vtkPVDReader()
        reader.SetFileName(str(self.folder / "out/solution.pvd"))
        reader.UpdateInformation()
        information, steps = reader.GetOutputInformation(0), vtkStreamingDemandDrivenPipeline.TIME_STEPS()
        self.assertEqual([information.Get(steps, k) for k in range(information.Length(steps))], list(meshes))
        for time, names in meshes.items():
            reader.UpdateTimeStep(time)
            data = reader.GetOutputDataObject(0)
            expected = [next(p for t, p in pictures[name] if t == time).data.GetNumberOfCells() for name in names]
            if len(names) == 1:
                self.assertEqual([data.GetNumberOfCells()], expected)
                continue
            blocks = range(data.GetNumberOfBlocks())
            self.assertEqual([data.GetMetaData(k).Get(data.NAME()) for k in blocks], names)
            self.assertEqual([data.GetBlock(k).GetBlock(0).GetNumberOfCells() for k in blocks], expected)

    def same(self, found, expected):
        """To the last digit."""
        np.testing.assert_array_equal(found, expected)

    def close(self, found, expected, scale, tolerance=ROUND_OFF):
        np.testing.assert_allclose(found, expected, rtol=0., atol=tolerance * scale)

    def same_spheres(self, picture, velocity="u"):
        """As in spheres.csv, which holds a plane's."""
        columns = self.column("spheres.csv", "x", "y", "radius", "mass", "ux", "uy")
        self.same(picture.points, np.pad(columns[:, :2], ((0, 0), (0, 1))))
        self.same(picture["radius"], columns[:, 2])
        self.same(picture["diameter"], 2 * columns[:, 2])
        self.same(picture["mass"], columns[:, 3])
        self.same(picture[velocity], np.pad(columns[:, 4:], ((0, 0), (0, 1))))
        self.same(picture.centres(), picture.points)

    def energy(self, spheres, velocity):
        return 0.5 * np.sum(spheres["mass"] * np.sum(spheres[velocity]**2, axis=1))

    def test_an_impact_with_walls(self):
        self.run_case(HEAP, files=[("heap.csv", HEAP_SPHERES)])
        pictures = self.pictures({"spheres": (ELASTIC_SPHERES, {}), "contacts": ({}, CONTACTS), "walls": ({}, WALLS)})
        ((_, spheres),), ((_, contacts),), ((_, walls),) = (pictures[name] for name in ("spheres", "contacts", "walls"))
        self.same(walls["wall"], [0, 1])  # bottom and left, along the zone
        self.close([np.ptp(corners, axis=0) for corners in walls.cells()], [(2, 0, 0), (0, 1, 0)], 1., 1e-8)
        self.same_spheres(spheres)
        given = np.loadtxt(self.folder / "heap.csv", delimiter=",", skiprows=1)
        self.same(spheres["U"], np.pad(given[:, 4:], ((0, 0), (0, 1))))
        rows = self.rows("out/contacts.csv")
        self.assertEqual({row["j"] for row in rows if not row["j"].isdigit()}, {"bottom", "left"})
        self.assertGreater(sum(row["j"].isdigit() for row in rows), 0)
        for name in CONTACTS:
            self.same(contacts[name], self.column("contacts.csv", name)[:, 0])
        self.assertEqual(contacts.data.GetNumberOfCells(), len(rows))
        given_off = {name: np.zeros_like(spheres["u"]) for name in ("p", "impulse")}
        for row, (start, end) in zip(rows, contacts.cells()):
            i, e = int(row["i"]), np.array([float(row["ex"]), float(row["ey"]), 0.])
            self.same(start, spheres.points[i])
            if row["j"].isdigit():
                self.same(end, spheres.points[int(row["j"])])
            else:
                self.close(end, start + (spheres["radius"][i] + float(row["D"])) * e, 1.)
            for name, momentum in given_off.items():
                momentum[i] += float(row[name]) * e
                if row["j"].isdigit():
                    momentum[int(row["j"])] -= float(row[name]) * e
        mass = spheres["mass"][:, None]
        for name, after in ("p", "u_projected"), ("impulse", "u"):  # M(U - u) = B* impulse
            self.close(mass * (spheres["U"] - spheres[after]), given_off[name], 1., 1e-12)
        for key, velocity in ("energy_before", "U"), ("energy_projected", "u_projected"), ("energy_after", "u"):
            self.close(self.energy(spheres, velocity), self.summary("out")[key], self.summary("out")["energy_before"])

    def test_a_sequence_of_impacts(self):
        self.run_case(CRADLE, files=[("cradle.csv", CRADLE_SPHERES)])
        pictures = self.pictures({"spheres": (ELASTIC_SPHERES, {}), "contacts": ({}, CONTACTS)})
        impacts = self.column("statistics.csv", "time")[:, 0]
        self.assertEqual(len(impacts), 2)
        self.assertEqual([time for time, _ in pictures["spheres"]], [0., *impacts, self.summary("out")["final_time"]])
        for name in CONTACTS:
            table = self.column("contacts.csv", "impact", name)
            for number, (_, picture) in enumerate(pictures["contacts"]):
                self.same(picture[name], table[table[:, 0] == number, 1])
        self.same_spheres(pictures["spheres"][-1][1])
        self.same_spheres(pictures["spheres"][-1][1], "U")

    def cells_and_spheres(self, pictures):
        """Cells of every level cover the zone, and hold what their spheres hold. The last cells."""
        levels = self.summary("out")["levels"]
        self.assertEqual([time for time, _ in pictures["voronoi"]], list(range(len(levels))))
        for level, (_, cells), (_, spheres) in zip(levels, pictures["voronoi"], pictures["spheres"]):
            self.assertEqual(len(spheres.points), level["spheres"])
            self.assertEqual(spheres["radius"].max(), level["radius"])
            self.same(spheres["diameter"], 2 * spheres["radius"])
            number, measures = cells["sphere"].astype(int), cells.measures()
            self.assertEqual(set(number), set(range(level["spheres"])))
            self.assertGreater(measures.min(), 0.)
            self.close(sum(measures), level["zone_volume"], level["zone_volume"])
            self.same(cells["v"], spheres["u"][number])
            self.same(cells["U_tilde"], spheres["U"][number])
            self.same(cells["v_minus_u"], cells["v"] - cells["u"])
            for name, norm in ("v", "norm_v"), ("U_tilde", "norm_U_tilde"):
                self.close(math.sqrt(np.sum(measures * np.sum(cells[name]**2, axis=1))), level[norm], level[norm])
        return pictures["voronoi"][-1][1]

    def test_homogenization_in_the_plane(self):
        self.run_case(CELLS)
        pictures = self.pictures({"voronoi": ({}, VORONOI), "spheres": (IMPACT_SPHERES, {}), "continuum": ({}, SQUARE)})
        polygons = self.cells_and_spheres(pictures)
        self.assertTrue(polygons.data.IsA("vtkPolyData"))
        self.assertTrue(all(len(corners) == 4 for corners in polygons.cells()))
        time, continuum = pictures["continuum"][-1]
        self.assertEqual(time, 1.)
        # means of u over the cells of spheres: every one is a square of cells of the continuum
        n = 8
        place = np.floor(n * continuum.centres()).astype(int)
        for k, corners in enumerate(polygons.cells()):
            inside = (place[:, :2] == np.floor(n * corners.mean(axis=0)).astype(int)[:2]).all(axis=1)
            # means over cells here, quadrature there
            self.close(continuum["u"][inside].mean(axis=0), polygons["u"][k], 1., 1e-3)

    def test_homogenization_in_space(self):
        self.run_case(BALL)
        polyhedra = self.cells_and_spheres(self.pictures({"voronoi": ({}, VORONOI), "spheres": (IMPACT_SPHERES, {})}))
        self.assertTrue(polyhedra.data.IsA("vtkUnstructuredGrid"))
        self.assertEqual({polyhedra.data.GetCellType(k) for k in range(polyhedra.data.GetNumberOfCells())}, {42})

    def test_a_flow_on_a_line(self):
        self.run_case(ROW)
        pictures = self.pictures({"continuum": ({}, FLOW)}, ACTIVE_IN_FLOWS)["continuum"]
        self.close([time for time, _ in pictures], [0., 0.06, 0.12, 0.18, 0.2], 1.)
        self.assertEqual(pictures[-1][0], self.summary("out")["final_time"])
        last = pictures[-1][1]
        for name in "rho", "p", "impulse":
            self.same(last[name], self.column("profile.csv", name)[:, 0])
        self.same(last["u"], np.pad(self.column("profile.csv", "u"), ((0, 0), (0, 2))))
        self.assertGreater(last["impulse"].max(), 0.)
        self.same(np.array(list(last.cells()))[:, :, 0], self.column("profile.csv", "left", "right"))

    def test_a_flow_on_two_processes(self):
        found = {}
        for processes in 1, 2:
            self.run_case(DISCS, processes=processes)
            pictures = self.pictures({"continuum": ({}, FLOW), "walls": ({}, WALLS)}, ACTIVE_IN_FLOWS)
            self.assertEqual({picture.data.GetNumberOfCells() for _, picture in pictures["walls"]}, {1})
            pictures = pictures["continuum"]
            self.assertEqual([time for time, _ in pictures], [0., 0.1, 0.2])
            found[processes] = [picture for _, picture in pictures]
            last, row = found[processes][-1], self.rows("out/statistics.csv")[-1]
            volume = 1 / 24**2
            self.close(volume * last["rho"].sum(), float(row["mass"]), 1.)
            self.close(volume * last["impulse"].sum(), float(row["impulse"]), 1.)
            self.assertGreater(last["impulse"].max(), 0.)
        self.assertEqual(len(list((self.folder / "out").glob("continuum_0002_p*.vtu"))), 2)
        first = [pictures[0] for pictures in found.values()]
        order = [np.lexsort(np.round(picture.centres(), 9).T) for picture in first]
        for values in ([picture.centres()[o] for picture, o in zip(first, order)],
                       *([picture[name][o] for picture, o in zip(first, order)] for name in FLOW)):
            self.same(*values)

    def test_an_impact_of_the_continuum_on_two_processes(self):
        self.run_case(BASIN, processes=2)
        ((_, picture),) = self.pictures({"continuum": ({}, ISOTROPIC)})["continuum"]
        self.assertEqual(len(list((self.folder / "out").glob("continuum_0000_p*.vtu"))), 2)
        summary = self.summary("out")
        self.assertEqual(picture.data.GetNumberOfCells(), 256)
        self.assertEqual(len({tuple(np.round(centre, 9)) for centre in picture.centres()}), 256)
        self.same(picture["active"], picture["p"] > 0)
        self.same(picture["density"], np.ones(256))
        self.close(picture["error_indicator"].sum(), summary["total_bound"]["eta"]**2, summary["energy_before"])

    def test_a_motion_among_obstacles(self):
        self.run_case(HOPPER)
        pictures = self.pictures({"spheres": (MOVING_SPHERES, {}), "contacts": ({}, FORCE_CHAINS),
                                  "obstacles": ({}, OBSTACLES)})
        self.assertEqual([time for time, _ in pictures["spheres"]], [0., 0.1, 0.2, 0.3])
        self.same_spheres(pictures["spheres"][-1][1])
        steps = {0.: 0., **{float(row["time"]): int(row["contacts"]) for row in self.rows("out/statistics.csv")}}
        for (time, spheres), (_, chains), (_, obstacles) in zip(*pictures.values()):
            self.same(sorted(set(obstacles["obstacle"])), range(self.summary("out")["obstacles"]))
            self.assertGreaterEqual(chains.data.GetNumberOfCells(), steps[time])
            self.close(chains["p"], chains["force"] * 0.002, 1.)
            # lines show the end of the step, at whose beginning contacts had their directions
            self.close(momenta(spheres, chains), spheres["impulse"], abs(spheres["impulse"]).max(), 0.1)
        self.assertGreater(pictures["contacts"][-1][1].data.GetNumberOfCells(), 0)


def momenta(spheres, chains):
    """What force chains give to the spheres at their ends."""
    number = {tuple(centre): k for k, centre in enumerate(spheres.points)}
    result = np.zeros_like(spheres.points)
    for p, (start, end) in zip(chains["p"], chains.cells()):
        e = (end - start) / np.linalg.norm(end - start)
        result[number[tuple(start)]] -= p * e
        if tuple(end) in number:
            result[number[tuple(end)]] += p * e
    return result


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
