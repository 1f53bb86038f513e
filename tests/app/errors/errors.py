#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input, end to end: runs the program on one case per class of error message.

errors.py MOREAU NAME runs the case called NAME; errors.py --list prints all names. Every case states the exit status, what
the one sentence on stderr starts with and what it must name, and checks that no half-written result is left.
"""
import pathlib
import sys

import cone_errors, disorder_errors, line_errors, measurement_errors, periodic_errors
import size_errors, system_errors, time_errors, unused_errors
from error_case import Case, require_one_of_each_name, run, together

PARTS = (cone_errors, disorder_errors, line_errors, measurement_errors, periodic_errors, size_errors, system_errors,
         time_errors, unused_errors)

SPHERES = "subsection Spheres\n set Arrangement = file\n set File = spheres.csv\nend\n"
SQUEEZED = "x,y,radius\n0.5,0.5,0.5\n1.5,0.5,0.5\n2.5,0.5,0.5\n"
BOX = "subsection Zone\n set Lower corner = 0, 0\n set Upper corner = 3, 1\n set Walls = left, right\n"
SMALL = "subsection Spheres\n set Spheres per unit length = 4\nend\n"
PACKING = ("subsection Spheres\n set Arrangement = random packing\n set Number of spheres = 30\nend\n"
           "subsection Random packing\n set Coverage = 0.3\nend\n")
MACRO = "set Problem = macro impact\nsubsection Mesh\n set Cells per unit length = 8\nend\n"
STUDY = ("set Problem = homogenization\nsubsection Cone\n set Type = triangular\nend\nsubsection Spheres\n"
         " set Spheres per unit length = 4, 6\nend\n")
ON_A_FILE = "set Problem = macro impact\nsubsection Mesh\n set File = spheres.csv\nend\n"
COARSE = "subsection Mesh\n set Cells per unit length = 16\nend\n"
MOTION = "set Problem = particle motion\n" + SPHERES
FALLING = "x,y,radius\n0.5,0.6,0.1\n"
WHITE_NOISE = "subsection Velocity\n set Function expression = sin(1e4*x*x + 3e4*y); cos(2e4*x - 1e4*y*y)\nend\n"


def squares(second):
    """A mesh of the unit square and of a cell between the two x and y = 0 and 1, which has nodes of its own."""
    nodes = [(x, y) for a, b in ((0, 1), second) for x, y in ((a, 0), (b, 0), (b, 1), (a, 1))]
    return ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n" +
            "".join(f"{k + 1} {x} {y} 0\n" for k, (x, y) in enumerate(nodes)) +
            "$EndNodes\n$Elements\n2\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 5 6 7 8\n$EndElements\n")


def output_is_a_file(folder):
    (folder / "out").write_text("not a directory\n")


def output_has_an_old_summary(folder):
    (folder / "out").mkdir()
    (folder / "out" / "summary.json").write_text('{"problem": "micro impact", "version": "0.9"}\n')


def output_has_a_log_of_others(folder):
    (folder / "out").mkdir()
    (folder / "out" / "log.txt").write_text("of somebody else\n")


def folder_beside(folder):
    (folder / "folder").mkdir()


def motion(place, words, *settings, csv=FALLING, options=(), **others):
    """A motion of one sphere (0.5 m above the floor of the unit square), with these "Section/Name=value"."""
    return Case(MOTION, place, words, csv=csv, options=[*(o for s in settings for o in ("--set", s)), *options], **others)


def system(place, words, kind, *settings, **others):
    """A motion of a mechanical system of this kind, with these "Section/Name=value"."""
    return Case(f"set Problem = particle motion\nsubsection System\n set Type = {kind}\nend\n", place, words,
                options=[o for s in settings for o in ("--set", s)], **others)


FLOW = ("set Problem = congested flow\nset Dimension = 1\nsubsection Zone\n"
        " set Function expression = if(x > 0.2 & x < 0.5, 1, 0)\nend\n"
        "subsection Velocity\n set Function expression = 1\nend\nsubsection Mesh\n set Cells per unit length = 20\nend\n"
        "subsection Time\n set End time = 0.2\nend\n")


def flow(place, words, *settings, plane=False, options=(), **others):
    """A block that flies along a line, or a plane full of matter, with these "Section/Name=value"."""
    prm = "set Problem = congested flow\nsubsection Mesh\n set Cells per unit length = 8\nend\n" if plane else FLOW
    return Case(prm, place, words, options=[*(o for s in settings for o in ("--set", s)), *options], **others)


PENDULUM = "set Problem = particle motion\nsubsection System\n set Type = double pendulum with a wall\nend\n"


def in_situ(words, scripts, prm="", options=(), **others):
    """These Catalyst scripts."""
    return Case(prm, "In situ/Catalyst script", words, options=["--set", "In situ/Catalyst script=" + scripts, *options],
                needs_catalyst=True, **others)


CASES = together({
    # spheres
    "overlap": Case(SPHERES, "Spheres", ["0", "1", "overlap"], csv="x,y,radius\n0,0,0.5\n0.9,0,0.5\n"),
    "zero_radius": Case(SPHERES, "Spheres/File", ["line 2", "radius"], csv="x,y,radius\n0,0,0\n"),
    "zero_mass": Case(SPHERES, "Spheres/File", ["line 3", "mass"], csv="x,y,radius,mass\n0,0,0.5,1\n1,0,0.5,0\n"),
    "nan_in_csv": Case(SPHERES, "Spheres/File", ["line 3", "'y'", "nan"], csv="x,y,radius\n0,0,0.5\n1,nan,0.5\n"),
    "missing_column": Case(SPHERES, "Spheres/File", ["radius"], csv="x,y\n0,0\n"),
    "missing_csv": Case(SPHERES, "Spheres/File", ["cannot be read"]),
    "csv_beside_another_arrangement": Case("subsection Spheres\n set Arrangement = row\n set File = spheres.csv\nend\n",
                                           "Spheres/Arrangement", ["'row'", "spheres.csv"], csv=FALLING),
    "no_csv_named": Case("subsection Spheres\n set Arrangement = file\nend\n", "Spheres/File", ["CSV"]),
    "empty_zone": Case("subsection Zone\n set Function expression = 0\nend\n", "Zone", ["no sphere"]),
    "zone_upside_down": Case("subsection Zone\n set Upper corner = 1, -1\nend\n", "Zone/Upper corner", ["empty"]),
    "density_out_of_range": Case("subsection Zone\n set Function expression = 2\nend\n", "Zone/Function expression",
                                 ["[0, 1]"]),
    "lattice_of_other_dimension": Case("subsection Spheres\n set Arrangement = cubic lattice\nend\n", "Spheres/Arrangement",
                                       ["Dimension = 3"]),
    "random_packing_too_full": Case("subsection Spheres\n set Arrangement = random packing\nend\nsubsection Random packing\n"
                                    " set Coverage = 1\nend\n", "Random packing/Coverage", ["[0, 1)"]),
    "random_packing_of_one_kind": Case("subsection Random packing\n set Spread of radii = 0.2\nend\n",
                                       "Random packing/Spread of radii", ["'random packing'"]),
    "vacancies_out_of_range": Case("subsection Spheres\n set Vacancies = 1\nend\n", "Spheres/Vacancies", ["[0, 1)"]),
    # parameters
    "unknown_parameter": Case("subsection Spheres\n set Arangement = row\nend\n", "Spheres/Arangement",
                              ["line 2", "did you mean 'Spheres/Arrangement'?"]),
    "unknown_section": Case("subsection Sphere\nend\n", "Sphere", ["did you mean 'Spheres'?"]),
    "broken_section_called_as_what_errors_are_about": Case("subsection the Time\n = end\n", "'the Time'", ["neither"]),
    "unknown_section_called_as_what_errors_are_about": Case("subsection the solver\nend\n", "'the solver'", ["lists all"]),
    "unknown_setting": Case("", "Restitutoin", ["--set", "'Restitution'"], options=["--set", "Restitutoin=1"]),
    "setting_without_value": Case("", "", ["'='"], options=["--set", "Restitution"]),
    "ill_typed_number": Case("set Restitution = half\n", "Restitution", ["'half'", "a number"]),
    "ill_typed_count": Case("set Maximum iterations = 0\n", "Maximum iterations", ["'0'", "whole number >= 1"]),
    "ill_typed_setting": Case("", "Dimension", ["'4'", "from 1 to 3"], options=["--set", "Dimension=4"]),
    "unknown_choice": Case("set Solver = magic\n", "Solver", ["'magic'", "automatic"]),
    "set_twice": Case("set Restitution = 0\nset Restitution = 1\n", "Restitution", ["twice", "line 1", "line 2"]),
    "garbage_line": Case("subsection Zone\n hello world\nend\n", "Zone", ["line 2", "'hello world'"]),
    "set_without_equals": Case("set Restitution 1\n", "", ["line 1", "'='"]),
    "end_without_subsection": Case("end\n", "", ["line 1", "'end'"]),
    "subsection_without_end": Case("subsection Zone\n", "Zone", ["not closed", "line 1"]),
    "restitution_out_of_range": Case("set Restitution = 1.5\n", "Restitution", ["1.5", "[0, 1]"]),
    "tolerance_not_positive": Case("set Tolerance = 0\n", "Tolerance", ["(0, 1)"]),
    "radius_not_positive": Case("subsection Spheres\n set Spheres per unit length = 0\nend\n",
                                "Spheres/Spheres per unit length", ["positive"]),
    "wrong_number_of_coordinates": Case("set Dimension = 3\nsubsection Zone\n set Lower corner = 0, 0\nend\n",
                                        "Zone/Lower corner", ["needs 3"]),
    "unknown_problem": Case("set Problem = congested flaw\n", "Problem", ["'congested flaw'", "congested flow"]),
    "in_situ_without_script": in_situ(["'no_such_view.py'", "insitu/pipelines"], "no_such_view.py"),
    "in_situ_script_of_another_kind": in_situ(["case.prm", "'# script-version: 2.0'", "Save Catalyst State"], "case.prm"),
    "in_situ_empty_name": in_situ(["empty"], "extracts.py, , extracts.py"),
    "in_situ_folder": in_situ(["folder"], "folder", prepare=folder_beside),
    "in_situ_of_a_mechanical_system": in_situ(["mechanical system"], "extracts.py", prm=PENDULUM),
    "in_situ_without_pictures": in_situ(["Pictures = none"], "extracts.py", prm=STUDY,
                                        options=["--set", "Homogenization/Pictures=none"]),
    "in_situ_every_negative": Case("", "In situ/Every", ["'-1'", "whole number >= 0"],
                                   options=["--set", "In situ/Every=-1"]),
    "resume": Case("", "Problem", ["--resume"], options=["--resume"]),
    # expressions
    "expression_with_unknown_name": Case("subsection Velocity\n set Function expression = x*q; y\nend\n",
                                         "Velocity/Function expression", ["Component 1", '"q"', "position"]),
    "expression_that_ends_early": Case("subsection Velocity\n set Function expression = x; sin(y\nend\n",
                                       "Velocity/Function expression", ["Component 2", "position"]),
    "expression_with_few_components": Case("subsection Velocity\n set Function expression = x\nend\n",
                                           "Velocity/Function expression", ["2 are needed"]),
    "expression_not_finite": Case("subsection Velocity\n set Function expression = sqrt(-1-x); 0\nend\n",
                                  "Velocity/Function expression", ["Component 1", "nan", " at ("]),
    "constants_ill_formed": Case("subsection Velocity\n set Function constants = a\nend\n", "Velocity/Function constants",
                                 ["'a'", "name = number"]),
    "constant_with_the_name_of_a_function": Case("subsection Velocity\n set Function constants = x+y = 2\nend\n",
                                                 "Velocity/Function constants", ["name"]),
    "variable_names_too_few": Case("subsection Velocity\n set Variable names = x\nend\n", "Velocity/Variable names",
                                   ["2 coordinates"]),
    "velocities_not_in_file": Case(SPHERES + "subsection Velocity\n set Function expression = from file\nend\n",
                                   "Velocity/Function expression", ["ux"], csv="x,y,radius\n0,0,0.5\n"),
    # walls
    "wall_of_other_dimension": Case("subsection Zone\n set Walls = back\nend\n", "Zone/Walls", ["'back'"]),
    "wall_velocity_without_wall": Case("subsection Zone\n set Wall velocities = left: 1, 0\nend\n", "Zone/Wall velocities",
                                       ["'left'"]),
    "wall_velocity_ill_formed": Case("subsection Zone\n set Walls = left\n set Wall velocities = left: 1\nend\n",
                                     "Zone/Wall velocities", ["2 numbers"]),
    "wall_with_two_velocities": Case("subsection Zone\n set Walls = left\n"
                                     " set Wall velocities = left: 1, 0; left: 2, 0\nend\n",
                                     "Zone/Wall velocities", ["'left'", "two"]),
    "squeezed_in_flight": Case(SPHERES + BOX + " set Wall velocities = left: 1, 0; right: -1, 0\nend\n"
                               "subsection Impact sequence\n set Maximum number of impacts = 9\nend\n",
                               "Zone/Wall velocities", ["after", "0-1-2"],
                               csv=SQUEEZED.replace("1.5,", "1.55,").replace("2.5,0.5,0.5", "2.55,0.5,0.4")),
    "end_time_without_sequence": Case(SMALL, "Impact sequence/End time", ["no sequence"],
                                      options=["--set", "Impact sequence/End time=1"]),
    "squeezed_box": Case(SPHERES + BOX + " set Wall velocities = left: 1, 0; right: -1, 0\nend\n", "Zone/Wall velocities",
                         ["cannot move as asked", "0-1-2", "left and the wall right"], csv=SQUEEZED),
    # files
    "too_many_spheres": Case("subsection Spheres\n set Spheres per unit length = 1e6\nend\n",
                             "Spheres/Spheres per unit length", ["memory"]),
    "too_many_spheres_in_a_row": Case("subsection Spheres\n set Arrangement = row\n set Number of spheres = 2000000000\n"
                                      "end\n", "Spheres/Number of spheres", ["memory"]),
    "seed_too_large": Case("", "Spheres/Seed", ["at most 2147483647"], options=["--set", "Spheres/Seed=4294967295"]),
    "not_a_text_file": Case("\0\1\2", "", ["text"]),
    "parameter_file_without_end": Case(None, "", ["text"], prepare=lambda folder: (folder / "case.prm").symlink_to("/dev/zero")),
    "parameter_file_too_long": Case("# long\n" * (3 << 20), "", ["more than", "parameter file"]),
    "parameter_file_is_a_directory": Case(None, "", ["directory"], prepare=lambda folder: (folder / "case.prm").mkdir()),
    "sequence_without_contact_tolerance": Case(
        "subsection Impact sequence\n set Maximum number of impacts = 1\n"
        "end\n" + SMALL.replace("4", "4\n set Contact tolerance = 0"),
        "Spheres/Contact tolerance", ["1e-12"]),
    "missing_parameter_file": Case(None, "", ["cannot be read"]),
    "output_directory_is_a_file": Case(SMALL, "Output directory", ["out"], prepare=output_is_a_file),
    "output_directory_of_others": Case(PACKING, "Output directory", ["log.txt", "no run of moreau"], writes=True,
                                       prepare=output_has_a_log_of_others, never=("pack",)),
    "output_directory_of_others_checked": Case(PACKING, "Output directory", ["log.txt"], options=["--check"], writes=True,
                                               prepare=output_has_a_log_of_others, never=("valid",)),
    "output_directory_in_proc_checked": Case(PACKING, "Output directory", ["/proc"], never=("pack", "valid"),
                                             options=["--check", "--output", "/proc/moreau"]),
    "output_directory_in_proc": Case(SMALL, "Output directory", ["/proc"], options=["--output", "/proc/moreau"]),
    "disk_full": Case(SMALL, "Output directory", ["cannot be written"], file_size=2000, writes=True,
                      prepare=output_has_an_old_summary),
    # macroscopic
    "density_above_one": Case(MACRO + "subsection Zone\n set Function expression = 1.2\nend\n", "Zone/Function expression",
                              ["1.2", "[0, 1]", " at ("]),
    "density_below_zero": Case(MACRO + "subsection Zone\n set Function expression = x - 0.5\nend\n",
                               "Zone/Function expression", ["-0.", "[0, 1]", " at ("]),
    "density_of_lattice_below_zero": Case(MACRO + "subsection Zone\n set Function expression = x - 0.5\nend\n"
                                          "subsection Cone\n set Type = triangular\nend\n", "Zone/Function expression",
                                          ["-0.", "[0, 1]", " at ("]),
    "density_twice": Case(MACRO + "subsection Zone\n set Function expression = 0.5\n set File = spheres.csv\nend\n",
                          "Zone/File",
                          ["twice"], csv="x,y,rho\n0,0,1\n"),
    "density_file_missing": Case(MACRO + "subsection Zone\n set File = nowhere.csv\nend\n", "Zone/File", ["cannot be read"]),
    "density_file_out_of_range": Case(MACRO + "subsection Zone\n set File = spheres.csv\nend\n", "Zone/File",
                                      ["1.5", "[0, 1]"], csv="x,y,rho\n0,0,1.5\n1,0,1\n0,1,1\n1,1,1\n"),
    "density_file_without_column": Case(MACRO + "subsection Zone\n set File = spheres.csv\nend\n", "Zone/File", ["rho"],
                                        csv="x,y\n0,0\n"),
    "velocity_not_finite": Case(MACRO + "subsection Velocity\n set Function expression = 1/(x-x); 0\nend\n",
                                "Velocity/Function expression", ["Component 1", " at ("]),
    "macro_wall_unknown": Case(MACRO + "subsection Zone\n set Walls = ceiling\nend\n", "Zone/Walls", ["ceiling"]),
    "macro_wall_of_other_dimension": Case(MACRO + "subsection Zone\n set Walls = front\nend\n", "Zone/Walls", ["'front'"]),
    "macro_walls_that_move": Case(MACRO + "subsection Zone\n set Walls = left\n set Wall velocities = left: 1, 0\nend\n",
                                  "Zone/Wall velocities", ["micro impact"]),
    "cells_not_positive": Case(MACRO.replace("8", "0"), "Mesh/Cells per unit length", ["positive"]),
    "too_many_cells": Case(MACRO.replace("8", "30000"), "Mesh/Cells per unit length", ["memory"]),
    "too_many_triangles": Case(MACRO.replace("8", "30000\n set Alignment = box") +
                               "subsection Cone\n set Type = triangular\nend\n",
                               "Mesh/Cells per unit length", ["at least 4"]),
    "mesh_file_missing": Case(ON_A_FILE.replace("spheres.csv", "nowhere.msh"), "Mesh/File", ["nowhere.msh"]),
    "mesh_file_is_no_mesh": Case(ON_A_FILE, "Mesh/File", ["spheres.csv", "Gmsh"],
                                 csv="x,y,radius\n"),
    "mesh_of_triangles": Case(ON_A_FILE, "Mesh/File", ["triangle"],
                              csv="$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
                              "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n"),
    "mesh_with_more_nodes_than_announced": Case(
        ON_A_FILE, "Mesh/File", ["announces 2 nodes", "holds 4"],
        csv="$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n$Nodes\n1 2 1 4\n"
        "2 1 0 4\n1 2 3 4\n0 0 0 1 0 0 1 1 0 0 1 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n"),
    "mesh_with_nan": Case(ON_A_FILE, "Mesh/File", ["node 3", "finite"], csv=squares((1, 2)).replace("3 1 1 0", "3 nan 1 0")),
    "mesh_with_a_seam": Case(ON_A_FILE, "Mesh/File", ["spheres.csv", "(1, 0)", "Coherence"], csv=squares((1, 2))),
    "mesh_that_overlaps": Case(ON_A_FILE, "Mesh/File", ["spheres.csv", "(1, 0.5)", "Coherence"], csv=squares((.5, 1.5))),
    "mesh_that_is_not_plane": Case(ON_A_FILE, "Mesh/File", ["0 to 0.3", "plane"],
                                   csv=squares((2, 3)).replace("3 1 1 0", "3 1 1 .3")),
    "mesh_not_at_its_wall": Case(ON_A_FILE + "subsection Zone\n set Lower corner = -1, -1\n set Upper corner = 3, 1\n"
                                 " set Walls = bottom, right\nend\n", "Zone/Walls", ["spheres.csv", "'bottom'"],
                                 csv=squares((2, 3))),
    "mesh_larger_than_its_box": Case(ON_A_FILE + "subsection Zone\n set Lower corner = 0, 0.5\nend\n", "Zone/Lower corner",
                                     ["spheres.csv", "(0, 0)"], csv=squares((2, 3))),
    "adaptive_lattice": Case(MACRO.replace("end",
                                           " set Adaptive cycles = 2\n set Alignment = lattice\nend")
                             + "subsection Cone\n set Type = square\nend\n", "Mesh/Adaptive cycles", ["'box'"]),
    "adaptive_line": Case("set Dimension = 1\n" + MACRO.replace("end", " set Adaptive cycles = 2\nend"),
                          "Mesh/Adaptive cycles",
                          ["Dimension"]),
    "solver_without_mesh": Case("set Solver = multigrid\n", "Solver", ["needs a mesh"]),
    "solver_not_for_the_isotropic_cone": Case("set Solver = lines\n" + MACRO, "Solver", ["multigrid"]),
    "sequence_of_macroscopic_impacts": Case(MACRO + "subsection Impact sequence\n set Maximum number of impacts = 3\nend\n",
                                            "Impact sequence/Maximum number of impacts", ["micro impact"]),
    "macro_disk_full": Case(MACRO, "Output directory", ["cannot be written"], file_size=2000, writes=True,
                            prepare=output_has_an_old_summary),
    "macro_solver_cap": Case("set Maximum iterations = 1\nset Tolerance = 1e-9\n" + MACRO.replace("8", "64"), "Solver",
                             ["above the tolerance", "'not converged'"], status=2, writes=True),
    # homogenization
    "study_without_room": Case(STUDY + "subsection Zone\n set Function expression = if(x + y < 0.01, 1, 0)\nend\n", "Zone",
                               ["no sphere"]),
    "study_radius_twice": Case(STUDY.replace("4, 6", "6, 4, 6"), "Spheres/Spheres per unit length", ["6", "twice"]),
    "study_radius_negative": Case(STUDY.replace("4, 6", "4, -6"), "Spheres/Spheres per unit length", ["-6", "positive"]),
    "study_radius_no_number": Case(STUDY.replace("4, 6", "4; 6"), "Spheres/Spheres per unit length", ["list"]),
    "study_velocity_undefined": Case(STUDY + "subsection Velocity\n set Function expression = 1/x; sqrt(0.5 - y)\nend\n",
                                     "Velocity/Function expression", ["Component 2", " at ("]),
    "study_exact_velocity_undefined": Case(STUDY + "subsection Exact velocity\n set Function expression = 0; log(-x)\nend\n",
                                           "Exact velocity/Function expression", ["Component 2", " at ("]),
    "study_exact_velocity_too_short": Case(STUDY + "subsection Exact velocity\n set Function expression = 0\nend\n",
                                           "Exact velocity/Function expression", ["1 component"]),
    "study_elastic": Case(STUDY + "set Restitution = 1\n", "Restitution", ["(1 + e)"]),
    "study_of_a_cradle": Case(STUDY.replace(" set Spheres per unit length = 4, 6", " set Arrangement = cradle"),
                              "Spheres/Arrangement", ["'cradle'"]),
    "study_of_a_row_in_a_plane": Case(STUDY.replace(" set Spheres", " set Arrangement = row\n set Spheres"),
                                      "Spheres/Arrangement",
                                      ["Dimension = 1"]),
    "study_of_no_file": Case(STUDY.replace(" set Spheres per unit length = 4, 6", " set Arrangement = file"), "Spheres/File",
                             ["CSV"]),
    "study_of_a_missing_file": Case(STUDY.replace(" set Spheres per unit length = 4, 6", " set File = a.csv, b.csv"),
                                    "Spheres/File", ["a.csv"]),
    "study_of_spheres_outside": Case(STUDY.replace(" set Spheres per unit length = 4, 6", " set File = spheres.csv"),
                                     "Zone", ["2"], csv="x,y,radius\n0.2,0.5,0.1\n0.4,0.5,0.1\n1.4,0.5,0.1\n"),
    "study_adaptive": Case(STUDY + "subsection Mesh\n set Adaptive cycles = 1\nend\n", "Mesh/Adaptive cycles",
                           ["'macro impact'", "line 9"]),
    "study_compared_in_other_dimension": Case(STUDY + "subsection Homogenization\n set Compare with = cubic\nend\n",
                                              "Homogenization/Compare with", ["Dimension = 3"]),
    "study_cone_in_a_line": Case("set Dimension = 1\n" + STUDY, "Cone/Type", ["Dimension = 2"]),
    "study_with_moving_walls": Case(STUDY + "subsection Zone\n set Walls = left\n set Wall velocities = left: 1, 0\nend\n",
                                    "Zone/Wall velocities", ["micro impact"]),
    "study_disk_full": Case(STUDY + COARSE, "Output directory", ["cannot be written"], file_size=2000, writes=True,
                            prepare=output_has_an_old_summary),
    "study_solver_cap": Case("set Maximum iterations = 1\nset Solver = projected gradient\nset Tolerance = 1e-9\n" + STUDY +
                             COARSE, "Solver", ["above the tolerance", "'not converged'"], status=2, writes=True),
    "list_of_radii_for_one_impact": Case("subsection Spheres\n set Spheres per unit length = 4, 8\nend\n",
                                         "Spheres/Spheres per unit length", ["homogenization"]),
    # motions
    "motion_overlap": motion("Spheres", ["0", "1", "overlap"], csv="x,y,radius\n0,0,0.5\n0.9,0,0.5\n"),
    "motion_overlap_across_the_box": motion("Spheres", ["0", "1", "overlap"], "Zone/Periodic=x",
                                            csv="x,y,radius\n0.05,0.5,0.1\n0.95,0.5,0.1\n"),
    "motion_inside_an_obstacle": motion("Spheres", ["sphere 0", "ball"], "Obstacles/Shapes=ball (0.5, 0.7) 0.1"),
    "motion_step_zero": motion("Time/Time step", ["0", "positive"], "Time/Time step=0"),
    "motion_step_negative": motion("Time/Time step", ["-0.1", "positive"], "Time/Time step=-0.1"),
    "motion_step_no_number": motion("Time/Time step", ["'nan'"], "Time/Time step=nan"),
    "motion_steps_in_a_list": motion("Time/Time step", ["'time convergence'"], "Time/Time step=0.1, 0.05"),
    "motion_steps_without_end": motion("Time/Time step", ["1e+15 steps"], "Time/Time step=1e-15"),
    "motion_end_time_zero": motion("Time/End time", ["0", "positive"], "Time/End time=0"),
    "motion_end_time_infinite": motion("Time/End time", ["'inf'"], "Time/End time=inf"),
    "motion_catching_up_elastic": motion("Restitution", ["0.5", "catching-up"], "Time/Scheme=catching-up",
                                         "Restitution=0.5"),
    "motion_restitution": motion("Restitution", ["2", "[0, 1]"], "Restitution=2"),
    "motion_inertia_of_spheres": motion("Time/Scheme", ["mechanical systems"], "Time/Scheme=inertia operator"),
    "motion_implicit_force": motion("Time/Force evaluation", ["inertia operator"], "Time/Force evaluation=implicit"),
    "motion_scheme_of_a_system": system("Time/Scheme", ["depends on its position"], "double pendulum with a wall"),
    "motion_tolerance": motion("Tolerance", ["'0'", "(0, 1)"], "Tolerance=0"),
    "motion_resting_speed": motion("Time/Resting speed", ["-5"], "Time/Resting speed=-5"),
    "motion_overflow": motion("Force/Function expression", ["too large", "time"], "Force/Function expression=0; 1e300"),
    "motion_too_fast": motion("Velocity", ["kinetic energy", "units"], "Velocity/Function expression=0; 1e160"),
    "motion_leaning_plane_in_a_periodic_box": motion("Zone/Periodic", ["x cannot", "half-space 1"], "Zone/Periodic=x",
                                                     "Zone/Walls=",
                                                     "Obstacles/Shapes=half-space (0, -2) (1, 1)"),
    "motion_wide_container_in_a_periodic_box": motion("Zone/Periodic", ["x cannot", "3 m wide", "1 m"], "Zone/Periodic=x",
                                                      "Obstacles/Shapes=inside of ball (0, 0) 1.5"),
    "motion_inside_a_far_image_of_a_body": motion("Spheres", ["sphere 0", "ball"], "Zone/Periodic=x",
                                                  "Obstacles/Shapes=ball (7.5, 0.7) 0.1"),
    "motion_position_tolerance": motion("Time/Position tolerance", ["-1", "1e-12"], "Time/Position tolerance=-1"),
    "density": motion("Spheres/Density", ["-2", "positive"], "Spheres/Density=-2"),
    "lattice_reaches_into_a_wall": Case("subsection Zone\n set Walls = left\nend\nsubsection Spheres\n"
                                        " set Lattice anchor = 0, 0\nend\n", "Spheres/Cut by", ["whole sphere", "left"]),
    "motion_solver_of_meshes": motion("Solver", ["needs a mesh"], "Solver=active set"),
    "motion_force_of_one_component": motion("Force/Function expression", ["1 component"], "Force/Function expression=-10"),
    "motion_force_cannot_be_read": motion("Force/Function expression", ["Component 2", "'gravity'"],
                                          "Force/Function expression=0; gravity"),
    "motion_force_is_nan": motion("Force/Function expression",
                                  ["Component 2", "not a number", "sphere 0", "x = 0.5", "t = 0.5"],
                                  "Force/Function expression=0; sqrt(0.5 - t)", "Time/Time step=0.01", writes=True),
    "motion_force_constants": motion("Force/Function constants", ["'g'"], "Force/Function expression=0; -g",
                                     "Force/Function constants=g"),
    "motion_radii_shrink_to_nothing": motion("Growth/Function expression", ["sphere 0", "t = 0.5", "positive"],
                                             "Growth/Function expression=1 - 2*t", "Time/Time step=0.01", writes=True),
    "motion_radii_jump": motion("Growth/Function expression", ["2 at time 0", "sphere 0"],
                                "Growth/Function expression=2 + t"),
    "motion_radii_have_no_room": motion("Growth/Function expression", ["bottom", "top", "sphere 0", "0.4"],
                                        "Growth/Function expression=1 + 10*t", "Zone/Walls=bottom, top",
                                        "Time/Time step=0.01", writes=True),
    "motion_walls_squeeze": motion("Zone/Wall velocities", ["bottom", "top", "sphere 0"], "Zone/Walls=bottom, top",
                                   "Zone/Wall velocities=top: 0, -1", "Time/Time step=0.01", writes=True),
    "motion_period_of_other_dimension": motion("Zone/Periodic", ["'z'", "Dimension"], "Zone/Periodic=z"),
    "motion_period_with_a_wall": motion("Zone/Periodic", ["'x'", "'left'"], "Zone/Periodic=x", "Zone/Walls=left"),
    "motion_walls_of_a_system": system("Zone/Walls", ["oscillator", "--set"], "oscillator with a stop", "Zone/Walls=left"),
    "motion_system_of_spheres": motion("System/Constants", ["Spheres"], "System/Constants=gap = 1"),
    "motion_constant_unknown": system("System/Constants", ["'lenght'"], "oscillator with a stop",
                                      "Time/Scheme=inertia operator", "System/Constants=lenght = 1"),
    "motion_constant_no_number": system("System/Constants", ["'stop = far'"], "oscillator with a stop",
                                        "Time/Scheme=inertia operator", "System/Constants=stop = far"),
    "motion_force_of_an_impact": Case("subsection Force\n set Function expression = 0; -1\nend\n",
                                      "Force/Function expression",
                                      ["'particle motion'", "'micro impact'"]),
    "motion_sequence": motion("Impact sequence/Maximum number of impacts", ["'micro impact'"],
                              "Impact sequence/Maximum number of impacts=3"),
    "motion_without_checkpoint": motion("Output directory", ["no checkpoint"], options=["--resume"]),
    "motion_disk_full": motion("Output directory", ["cannot be written"], file_size=1000, writes=True,
                               prepare=output_has_an_old_summary),
    "motion_disk_full_later": motion("Output directory", ["cannot be written"], "Time/Time step=0.0001", file_size=20000,
                                     writes=True, prepare=output_has_an_old_summary),
    "motion_solver_cap": motion("Solver", ["above the tolerance", "'not converged'"], "Zone/Walls=bottom, top, left, right",
                                "Spheres/File=", "Spheres/Arrangement=square lattice",
                                "Spheres/Spheres per unit length=10",
                                "Force/Function expression=sin(30*y); cos(20*x)", "Maximum iterations=1",
                                "Solver=projected gradient", "Time/End time=0.01", status=2, writes=True),
    # congested flow
    "flow_density_above_one": flow("Zone/Function expression", ["1.2", "[0, 1]", " at ("], "Zone/Function expression=1.2"),
    "flow_density_below_zero": flow("Zone/Function expression", ["-", "[0, 1]", " at ("],
                                    "Zone/Function expression=x - 0.5"),
    "flow_blocks_overlap": flow("Zone/Function expression", ["is 2 at (0.4", "overlap"],
                                "Zone/Function expression=if(x > 0.2 & x < 0.5, 1, 0) + if(x > 0.4 & x < 0.7, 1, 0)"),
    "flow_in_a_solid": flow("Zone/Function expression", ["at most 0 ", "Maximal density"],
                            "Maximal density/Function expression=if(x > 0.4, 0, 1)"),
    "flow_maximal_density": flow("Maximal density/Function expression", ["2", "[0, 1]"],
                                 "Maximal density/Function expression=2"),
    "flow_of_nothing": flow("Zone/Function expression", ["empty"], "Zone/Function expression=0"),
    "flow_zone_without_extent": flow("Zone/Upper corner", ["empty"], "Zone/Upper corner=0"),
    "flow_velocity_not_finite": flow("Velocity/Function expression", ["Component 1", " at ("],
                                     "Velocity/Function expression=1/(x-x)"),
    "flow_end_time_zero": flow("Time/End time", ["0", "positive"], "Time/End time=0"),
    "flow_end_time_before_start": flow("Time/End time", ["-1", "positive"], "Time/End time=-1"),
    "flow_end_time_no_number": flow("Time/End time", ["'nan'"], "Time/End time=nan"),
    "flow_step_negative": flow("Time/Time step", ["-0.1", "positive"], "Time/Time step=-0.1"),
    "flow_steps_in_a_list": flow("Time/Time step", ["'time convergence'"], "Time/Time step=0.1, 0.05"),
    "flow_step_breaks_the_cfl_condition": flow("Time/Time step", ["0.1 s", "longer than the 0.0", "CFL", "reduced"],
                                               "Time/Time step=0.1",
                                               "Time/Output every=0.1", "Congested flow/Steps=fixed", writes=True),
    "flow_with_too_many_pictures": flow("Time/Output every", ["1e-20", "pictures"], "Time/Output every=1e-20"),
    "flow_fixed_steps_without_length": flow("Congested flow/Steps", ["Time/Time step"], "Congested flow/Steps=fixed"),
    "flow_cfl_above_one": flow("Congested flow/CFL number", ["1.5", "(0, 1]"], "Congested flow/CFL number=1.5"),
    "flow_cfl_zero": flow("Congested flow/CFL number", ["0", "(0, 1]"], "Congested flow/CFL number=0"),
    "flow_restitution": flow("Restitution", ["-0.5", "[0, 1]"], "Restitution=-0.5"),
    "flow_cells_not_positive": flow("Mesh/Cells per unit length", ["positive"], "Mesh/Cells per unit length=0"),
    "flow_too_many_cells": flow("Mesh/Cells per unit length", ["memory"], "Mesh/Cells per unit length=100000", plane=True),
    "flow_wall_of_other_dimension": flow("Zone/Walls", ["'bottom'"], "Zone/Walls=bottom"),
    "flow_wall_and_period": flow("Zone/Periodic", ["'x'", "'left'"], "Zone/Periodic=x", "Zone/Walls=left"),
    "flow_period_of_other_dimension": flow("Zone/Periodic", ["'y'", "Dimension"], "Zone/Periodic=y"),
    "flow_inflow_at_a_wall": flow("Inflow/Sides", ["'left'", "wall"], "Zone/Walls=left", "Inflow/Sides=left",
                                  "Inflow/Density expression=1", "Inflow/Velocity expression=1"),
    "flow_inflow_and_period": flow("Inflow/Sides", ["'x'", "'left'"], "Zone/Periodic=x", "Inflow/Sides=left",
                                   "Inflow/Density expression=1", "Inflow/Velocity expression=1"),
    "flow_inflow_of_other_dimension": flow("Inflow/Sides", ["'top'"], "Inflow/Sides=top", "Inflow/Density expression=1",
                                           "Inflow/Velocity expression=1"),
    "flow_inflow_without_density": flow("Inflow/Density expression", ["'left'", "density"], "Inflow/Sides=left",
                                        "Inflow/Velocity expression=1"),
    "flow_inflow_without_velocity": flow("Inflow/Velocity expression", ["'left'", "velocity"], "Inflow/Sides=left",
                                         "Inflow/Density expression=1"),
    "flow_inflow_without_side": flow("Inflow/Density expression", ["Inflow/Sides"], "Inflow/Density expression=1"),
    "flow_inflow_too_dense": flow("Inflow/Density expression", ["[0, 1]", "1.5", " at ("], "Inflow/Sides=left",
                                  "Inflow/Density expression=1.5", "Inflow/Velocity expression=1"),
    "flow_inflow_of_one_component": flow("Inflow/Velocity expression", ["1 component"], "Inflow/Sides=left",
                                         "Inflow/Density expression=1", "Inflow/Velocity expression=1", plane=True),
    "flow_force_of_one_component": flow("Force/Function expression", ["1 component"], "Force/Function expression=-1",
                                        plane=True),
    "flow_force_is_nan": flow("Force/Function expression", ["Component 1", "not a number", "t = 0.0"],
                              "Force/Function expression=sqrt(0.05 - t)", writes=True),
    "flow_exact_blocks_in_a_plane": flow("Congested flow/Method", ["'exact blocks'", "Dimension is 2"],
                                         "Congested flow/Method=exact blocks", plane=True),
    "flow_compared_in_a_plane": flow("Congested flow/Compare with", ["'splitting'", "Dimension is 2"],
                                     "Congested flow/Compare with=splitting", plane=True),
    "flow_splitting_elastic": flow("Restitution", ["0.5", "'splitting'"], "Congested flow/Method=splitting",
                                   "Restitution=0.5"),
    "flow_exact_blocks_with_inflow": flow("Inflow/Sides", ["'exact blocks'"], "Congested flow/Method=exact blocks",
                                          "Inflow/Sides=left",
                                          "Inflow/Density expression=1", "Inflow/Velocity expression=1"),
    "flow_spheres_without_radius": flow("Congested flow/Spheres per unit length", ["spheres"],
                                        "Congested flow/Compare with=spheres"),
    "flow_radius_without_spheres": flow("Congested flow/Spheres per unit length", ["spheres"],
                                        "Congested flow/Spheres per unit length=50"),
    "flow_exact_blocks_of_density_half": flow("Zone/Function expression",
                                              ["0.5", "'exact blocks'", "take splitting or finite volumes"],
                                              "Congested flow/Method=exact blocks", "Zone/Function expression=0.5"),
    "flow_exact_blocks_elastic_of_density_half": flow("Zone/Function expression", ["0.5", "; take finite volumes"],
                                                      "Restitution=1",
                                                      "Congested flow/Method=exact blocks", "Zone/Function expression=0.5"),
    "flow_exact_blocks_that_deform": flow("Velocity/Function expression", ["varies", "'exact blocks'"],
                                          "Congested flow/Method=exact blocks",
                                          "Velocity/Function expression=-x"),
    "flow_exact_blocks_overlap": flow("Zone/Function expression", ["is 2 at (0.3", "[0, 1]"],
                                      "Congested flow/Method=exact blocks",
                                      "Zone/Function expression=if(x < 0.5, 1, 0) + if(x > 0.3, 1, 0)"),
    "flow_exact_blocks_of_nothing": flow("Zone/Function expression", ["empty"], "Congested flow/Method=exact blocks",
                                         "Zone/Function expression=0"),
    "flow_exact_blocks_overflow": flow("Velocity/Function expression", ["too large"], "Congested flow/Method=exact blocks",
                                       "Velocity/Function expression=1e300"),
    "flow_blocks_of_a_file_overflow": flow("Congested flow/Blocks file", ["too large"], "Congested flow/Method=exact blocks",
                                           "Congested flow/Blocks file=spheres.csv",
                                           "Zone/Function expression=1", "Velocity/Function expression=0",
                                           csv="left,right,u\n0.2,0.5,1e200\n"),
    "flow_compared_with_too_many_spheres": flow("Congested flow/Spheres per unit length", ["million"],
                                                "Congested flow/Compare with=spheres",
                                                "Congested flow/Spheres per unit length=1e9"),
    "flow_spheres_negative": flow("Congested flow/Spheres per unit length", ["-1", "positive"],
                                  "Congested flow/Compare with=spheres", "Congested flow/Spheres per unit length=-1"),
    "flow_on_a_mesh": flow("Mesh/File", ["'congested flow'"], "Mesh/File=disc.msh", plane=True),
    "flow_around_bodies": flow("Obstacles/Shapes", ["'particle motion'"], "Obstacles/Shapes=ball (0, 0) 0.1", plane=True),
    "flow_density_twice": flow("Zone/File", ["twice"], "Zone/File=spheres.csv", csv="x,rho\n0,1\n1,1\n"),
    "flow_without_checkpoint": flow("Output directory", ["no checkpoint"], options=["--resume"]),
    "flow_disk_full": flow("Output directory", ["cannot be written"], file_size=1000, writes=True,
                           prepare=output_has_an_old_summary),
    "inflow_of_an_impact": Case("subsection Inflow\n set Sides = left\nend\n", "Inflow/Sides",
                                ["'congested flow'", "'micro impact'"]),
    # a solver that stops early: results are there, marked, and the status says so
    "tolerance_of_one": Case("", "Tolerance", ["'1'", "(0, 1)"], options=["--set", "Tolerance=1"]),
    "solver_cap": Case("set Solver = projected gradient\nset Maximum iterations = 3\n" + WHITE_NOISE, "Solver",
                       ["above the tolerance", "'not converged'"], status=2, writes=True)},
    measurement_errors.cases(motion, system, flow), periodic_errors.cases(Case), disorder_errors.cases(Case),
    cone_errors.cases(Case, MACRO), system_errors.cases(system), unused_errors.cases(Case, SMALL, MACRO, STUDY),
    time_errors.cases(motion, system), line_errors.cases(flow), size_errors.cases(Case, MACRO, SMALL, motion, system))
for part in (sys.modules[__name__], *PARTS):
    require_one_of_each_name(part.__file__)

if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(";".join(CASES), end="")
    else:
        run(str(pathlib.Path(sys.argv[1]).resolve()), CASES[sys.argv[2]])
