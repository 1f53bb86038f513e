# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about cones of directions, for errors.py."""


def cases(Case, MACRO):
    """By name, from what errors.py makes cases with and the head of a macro impact."""
    CIRCULAR = MACRO + "subsection Cone\n set Type = circular\n"
    DIRECTIONS = MACRO + "subsection Cone\n set Type = directions\n"
    return {
        "directions_not_unit": Case(DIRECTIONS + " set Function expression = 1; 0; 0; 2\nend\n", "Cone/Function expression",
                                    ["unit", " at ("]),
        "directions_too_few": Case(DIRECTIONS + " set Function expression = 1; 0\nend\n", "Cone/Function expression", ["2"]),
        "directions_in_a_line": Case(DIRECTIONS + " set Function expression = 1; 0; -1; 0\nend\n", "Cone/Function expression",
                                     ["span"]),
        "directions_not_whole": Case(DIRECTIONS + " set Function expression = 1; 0; 0\nend\n", "Cone/Function expression",
                                     ["3 components"]),
        "directions_missing": Case(DIRECTIONS + "end\n", "Cone/Function expression", ["unit"]),
        "directions_of_no_lattice": Case(DIRECTIONS + " set Function expression = 1; 0; 0.6; 0.8\nend\n", "Mesh/Alignment",
                                         ["have no lattice", "box"], options=["--set", "Mesh/Alignment=lattice"]),
        "fcc_between_walls_that_do_not_fit": Case(
            "set Dimension = 3\n" + MACRO + "subsection Cone\n set Type = face-centred cubic\nend\n", "Zone/Walls",
            ["layers of the lattice", "the cells per unit length"],
            options=["--set", "Mesh/Alignment=lattice", "--set", "Zone/Walls=left, right"]),
        "fcc_turned_against_its_wall": Case(
            "set Dimension = 3\n" + MACRO + "subsection Cone\n set Type = face-centred cubic\n set Lattice angle = 10\nend\n",
            "Zone/Walls", ["no plane of the lattice", "align the mesh with the box"],
            options=["--set", "Mesh/Alignment=lattice", "--set", "Zone/Walls=left"]),
        "angle_of_no_lattice": Case(MACRO + "subsection Cone\n set Type = dilatant\n set Dilatancy = 0.3\nend\n",
                                    "Cone/Lattice angle", ["no lattice to turn"], options=["--set", "Cone/Lattice angle=3"]),
        "circular_without_dilatancy": Case(CIRCULAR + "end\n", "Cone/Dilatancy", ["'circular' needs", "0.3"]),
        "circular_dilatancy_above_one": Case(CIRCULAR + " set Dilatancy = 1.5\nend\n", "Cone/Dilatancy", ["1.5", "[0, 1]"]),
        "circular_dilatancy_hardly_above_one": Case(CIRCULAR + " set Dilatancy = 1 + 1e-9*x\nend\n", "Cone/Dilatancy",
                                                    ["is 1.0000000", "[0, 1]"]),
        "circular_directions": Case(CIRCULAR + " set Dilatancy = 0.3\n set Directions = 16\nend\n", "Cone/Directions",
                                    ["'dilatant'", "'circular'"]),
        "circular_angle": Case(CIRCULAR + " set Dilatancy = 0.3\n set Lattice angle = 3\nend\n", "Cone/Lattice angle",
                               ["'circular'", "no lattice to turn"]),
        "circular_along_a_lattice": Case(CIRCULAR + " set Dilatancy = 0.3\nend\n", "Mesh/Alignment", ["circular", "no lattice"],
                                         options=["--set", "Mesh/Alignment=lattice"]),
        "circular_by_another_solver": Case(CIRCULAR + " set Dilatancy = 0.3\nend\n", "Solver",
                                           ["circular cones", "automatic"], options=["--set", "Solver=projected gradient"]),
        "circular_too_large": Case("set Dimension = 3\n" + CIRCULAR + " set Dilatancy = 0.3\nend\n",
                                   "Mesh/Cells per unit length", ["memory"],
                                   options=["--set", "Mesh/Cells per unit length=2000"]),
        "dilatancy_of_no_cone": Case(MACRO + "subsection Cone\n set Type = square\n set Dilatancy = 0.3\nend\n",
                                     "Cone/Dilatancy", ["'dilatant' or 'circular'"]),
        "circular_on_a_line": Case("set Dimension = 1\n" + CIRCULAR + " set Dilatancy = 0.3\nend\n", "Cone/Type",
                                   ["one dimension"]),
        "cone_of_other_dimension": Case(MACRO + "subsection Cone\n set Type = cubic\nend\n", "Cone/Type", ["Dimension = 3"])}
