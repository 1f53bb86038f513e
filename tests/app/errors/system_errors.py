# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about mechanical systems that are written in the parameter file, for errors.py."""


def cases(system):
    """By name, from what errors.py makes cases with."""
    return {
        "system_coordinates": system("System/Coordinates", ["two meanings"], "expressions", "System/Coordinates=a, a",
                                     "System/Mass expression=1; 1"),
        "system_coordinate_without_letter": system("System/Coordinates", ["'_b'", "not the name"], "expressions",
                                                   "System/Coordinates=a, _b", "System/Mass expression=1; 1"),
        "system_unnamed_coordinates": system("System/Mass expression", ["System/Coordinates"], "expressions",
                                             "System/Mass expression=1; 1; 1; 1"),
        "system_mass_matrix": system("System/Mass expression", ["upper triangle"], "expressions", "System/Coordinates=a, b",
                                     "System/Mass expression=1; 0; 0; 1"),
        "system_indefinite_mass": system("System/Mass expression", ["positive definite", "(0, 0)"], "expressions",
                                         "System/Coordinates=a, b", "System/Mass expression=1; 2; cos(a)"),
        "system_potential_of_a_built_in_one": system("System/Potential expression", ["System/Constants"], "ball on a floor",
                                                     "System/Potential expression=x"),
        "system_constraint_that_compares": system("System/Constraint expression", ["compares", "y - 1"], "expressions",
                                                  "System/Mass expression=1; 1", "System/Constraint expression=y >= 0"),
        "system_column_twice": system("System/Coordinates", ["'time' has two meanings"], "expressions",
                                      "System/Coordinates=time", "System/Mass expression=1"),
        "system_function_as_coordinate": system("System/Coordinates", ["'sin' is a function"], "expressions",
                                                "System/Coordinates=sin", "System/Mass expression=1"),
        "system_in_space": system("Dimension", ["is for spheres"], "expressions", "System/Mass expression=1", "Dimension=3"),
        "system_solver_of_meshes": system("Solver", ["needs a mesh"], "expressions", "System/Mass expression=1",
                                          "Solver=multigrid"),
        "system_too_fast": system("System/Initial velocity", ["kinetic energy", "units"], "expressions",
                                  "System/Mass expression=1e200", "System/Initial velocity=1e90"),
        "system_exploding": system("System", ["has lost its digits", "Time step lower"], "expressions", "System/Coordinates=a, b, c",
                                   "System/Mass expression=3; 2*cos(a - b); cos(a - c); 2; cos(b - c); 1",
                                   "System/Potential expression=1/(a - 0.4)", "System/Initial position=0.4, -0.3, 0.2",
                                   "System/Initial velocity=1, 0, 0", "Time/Scheme=inertia operator", "Time/Time step=1e-4",
                                   "Time/End time=4", writes=True),
        "system_potential_of_unknown_names": system("System/Potential expression", ["variables are a, t"], "expressions",
                                                    "System/Coordinates=a (rad)", "System/Mass expression=1",
                                                    "System/Potential expression=cos(b)"),
    }
