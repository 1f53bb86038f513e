# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers whose squares or volumes are none, for errors.py."""


def cases(Case, MACRO, SMALL, motion, system):
    """By name, from what errors.py makes cases with."""
    return {
        "size_of_the_zone": motion("Zone/Upper corner", ["'1e300' is beyond 1e+100"], "Zone/Upper corner=1, 1e300"),
        "size_of_the_masses": motion("Spheres/Density", ["'1e101' is beyond"], "Spheres/Density=1e101"),
        "size_of_the_tolerance": Case(SMALL, "Spheres/Contact tolerance", ["'1e300' is beyond 1e+100"],
                                      options=["--set", "Spheres/Contact tolerance=1e300"]),
        "size_of_a_part_of_a_radius": Case(SMALL, "Spheres/Contact tolerance", ["[0, 1), not at 1e+99."],
                                           options=["--set", "Spheres/Contact tolerance=1e99"]),
        "size_of_the_cells": Case(MACRO, "Mesh/Cells per unit length", ["'2e100' is beyond"],
                                  options=["--set", "Mesh/Cells per unit length=2e100"]),
        "size_of_the_way_of_an_obstacle": motion(
            "Obstacles/Translation expression", ["beyond 1e+100 m", "slower"], "Obstacles/Shapes=ball (0.5, 5) 0.1",
            "Obstacles/Translation expression=0; 1e300*t"),
        "size_of_the_way_of_a_wall": motion("Zone/Wall velocities", ["The wall bottom is farther than 1e+100 m", "lower"],
                                            "Zone/Walls=bottom", "Zone/Wall velocities=bottom: 0, -1e300"),
        "size_of_growing_spheres": motion("Growth/Function expression", ["stay positive, and below 1e+100 m"],
                                          "Growth/Function expression=1 + 1e300*t"),
        "size_of_coordinates": motion("Spheres", ["Sphere 1 ", "a coordinate beyond 1e+100 m"],
                                      csv="x,y,radius\n0.5,0.5,0.1\n0.5,1e200,0.1\n"),
        "size_of_a_speed": system("System/Initial velocity", ["'1e160' is beyond"], "expressions",
                                  "System/Mass expression=1", "System/Initial velocity=1e160"),
    }
