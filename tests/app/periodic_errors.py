# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about periodic boxes of impacts and contact cones, for errors.py."""

LATTICE = ("subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 5\nend\n"
           "subsection Zone\n set Periodic = x, y\nend\n")


def cases(Case):
    """By name, from what errors.py makes cases with."""
    def periodic(place, words, *settings):
        """A square lattice that fills a periodic unit square, with these "Section/Name=value"."""
        return Case(LATTICE, place, words, options=[o for s in settings for o in ("--set", s)])

    return {
        "gradient_without_period": Case("", "Velocity/Mean gradient", ["repeats itself", "Zone/Periodic"],
                                        options=["--set", "Velocity/Mean gradient=0, 1, 0, 0"]),
        "gradient_of_other_size": periodic("Velocity/Mean gradient", ["3 numbers", "has 4"], "Velocity/Mean gradient=0, 1, 0"),
        "gradient_that_is_blocked": periodic("Velocity/Mean gradient", ["squeezed", "across its period"],
                                             "Velocity/Mean gradient=-1, 0, 0, -1"),
        "box_too_small_for_a_sphere": periodic("Zone/Periodic", ["touches its own image"], "Spheres/Spheres per unit length=1"),
        "box_too_small_for_its_spheres": periodic("Zone/Periodic", ["two images"], "Spheres/Spheres per unit length=2"),
        "lattice_that_does_not_fit_its_period": periodic("Spheres", ["overlap"], "Zone/Upper corner=0.95, 1"),
        "sequence_in_a_periodic_box": periodic("Zone/Periodic", ["sequence", "particle motion"],
                                               "Impact sequence/Maximum number of impacts=5"),
        "cone_in_an_open_box": periodic("Zone/Periodic", ["in all directions", "x, y"], "Problem=contact cone",
                                        "Zone/Periodic=x"),
        "cone_on_a_line": Case("set Dimension = 1\nset Problem = contact cone\n", "Dimension", ["no shear"]),
        "cone_without_contacts": periodic("Spheres/Contact tolerance", ["Nothing touches"], "Problem=contact cone",
                                          "Spheres/Arrangement=random packing", "Random packing/Coverage=0.2"),
        "cone_without_memory": periodic("Spheres/Spheres per unit length", ["memory"], "Problem=contact cone",
                                        "Spheres/Spheres per unit length=1000000"),
        "cone_with_a_velocity": periodic("Velocity/Function expression", ["'contact cone'"], "Problem=contact cone",
                                         "Velocity/Function expression=x; y"),
        "walls_of_a_cone": periodic("Zone/Walls", ["'contact cone'"], "Problem=contact cone", "Zone/Walls=left"),
    }
