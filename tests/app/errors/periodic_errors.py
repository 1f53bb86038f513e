# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about periodic boxes of impacts and contact cones, for errors.py."""

LATTICE = ("subsection Spheres\n set Arrangement = square lattice\n set Spheres per unit length = 5\nend\n"
           "subsection Zone\n set Periodic = x, y\nend\n")


def cases(Case):
    """By name, from what errors.py makes cases with."""
    def periodic(place, words, *settings):
        """A square lattice that fills a periodic unit square, with these "Section/Name=value"."""
        return Case(LATTICE, place, words, options=[o for s in settings for o in ("--set", s)])

    def study(place, words, *settings, **how):
        """A study of square lattices there."""
        return Case("set Problem = homogenization\n" + LATTICE, place, words,
                    options=[o for s in settings for o in ("--set", s)], **how)

    return {
        "gradient_without_period": Case("", "Velocity/Mean gradient", ["repeats itself", "Zone/Periodic"],
                                        options=["--set", "Velocity/Mean gradient=0, 1, 0, 0"]),
        "gradient_of_other_size": periodic("Velocity/Mean gradient", ["3 numbers", "has 4"], "Velocity/Mean gradient=0, 1, 0"),
        "gradient_that_is_blocked": periodic("Velocity/Mean gradient", ["squeezed", "across its period"],
                                             "Velocity/Mean gradient=-1, 0, 0, -1"),
        "gradient_that_moves_a_wall": periodic("Velocity/Mean gradient", ["walls across y", "must be 0"], "Zone/Periodic=x",
                                               "Zone/Walls=bottom", "Velocity/Mean gradient=0, 0, 1, 0"),
        "box_too_small_for_a_sphere": periodic("Zone/Periodic", ["touches its own image"], "Spheres/Spheres per unit length=1"),
        "box_too_small_for_its_spheres": periodic("Zone/Periodic", ["two images"], "Spheres/Spheres per unit length=2"),
        "lattice_that_does_not_fit_its_period": periodic("Spheres", ["overlap"], "Zone/Upper corner=0.95, 1"),
        "sequence_in_a_periodic_box": periodic("Zone/Periodic", ["sequence", "particle motion"],
                                               "Impact sequence/Maximum number of impacts=5"),
        "study_of_a_lattice_that_reaches_into_a_wall": study(
            "Spheres/Cut by", ["reaches into the wall 'left'", "whole sphere"], "Zone/Periodic=", "Zone/Walls=left",
            "Spheres/Spheres per unit length=4", "Spheres/Arrangement=triangular lattice", "Cone/Type=triangular"),
        "gradient_that_directions_do_not_let_pass": Case(
            "set Problem = macro impact\nsubsection Velocity\n set Mean gradient = 1, 0, 0, -0.535\nend\nsubsection Cone\n"
            " set Type = dilatant\n set Dilatancy = 0.3\nend\nsubsection Mesh\n set Cells per unit length = 8\nend\n"
            "subsection Zone\n set Periodic = x, y\nend\n", "Cone/Directions", ["16 directions", "more directions", "circular"]),
        "study_with_a_gradient_of_other_size": study("Velocity/Mean gradient", ["3 numbers", "has 4"],
                                                     "Velocity/Mean gradient=0, 1, 0"),
        "study_with_a_gradient_in_an_open_box": study("Velocity/Mean gradient", ["repeats itself", "Zone/Periodic"],
                                                      "Velocity/Mean gradient=0, 1, 0, 0", "Zone/Periodic="),
        "study_with_a_gradient_outside_its_cone": study("Velocity/Mean gradient", ["square cone", "e·De = -0.1", "(1, 0)"],
                                                        "Velocity/Mean gradient=-0.1, 0, 0, 1", "Cone/Type=square"),
        "study_with_a_gradient_outside_a_dilatant_cone": study(
            "Velocity/Mean gradient", ["dilatant cone", "least eigenvalue", "s = 0.3"], "Velocity/Mean gradient=0, 1, 0, 0",
            "Cone/Type=dilatant", "Cone/Dilatancy=0.3"),
        "study_with_a_gradient_outside_one_of_its_cones": study(
            "Velocity/Mean gradient", ["triangular cone", "e·De"], "Velocity/Mean gradient=0, 1, 0, 0",
            "Homogenization/Compare with=square, triangular"),
        "study_with_a_gradient_that_is_blocked": study("Velocity/Mean gradient", ["squeezed", "across its period"],
                                                       "Velocity/Mean gradient=-1, 0, 0, 2", writes=True),
        "checked_study_with_a_gradient_outside_its_cone": Case(
            "set Problem = homogenization\n" + LATTICE, "Velocity/Mean gradient", ["isotropic cone", "tr D"],
            options=["--check", "--set", "Velocity/Mean gradient=-0.1, 0, 0, -0.1", "--set", "Cone/Type=isotropic"]),
        "study_with_a_gradient_that_is_blocked_between_walls": study(
            "Velocity/Mean gradient", ["isotropic cone", "tr D = -1"], "Zone/Periodic=x", "Zone/Walls=bottom, top",
            "Velocity/Mean gradient=-1, 0, 0, 0", "Cone/Type=isotropic"),
        "checked_gradient_that_is_blocked_whatever_the_dilatancy": Case(
            "set Problem = macro impact\nsubsection Zone\n set Periodic = x\n set Walls = bottom, top\nend\n"
            "subsection Velocity\n set Mean gradient = -0.1, 0, 0, 0\nend\n"
            "subsection Cone\n set Type = circular\n set Dilatancy = 0.3*y\nend\n",
            "Velocity/Mean gradient", ["circular cone", "tr D = -0.1"], options=["--check"]),
        "study_of_a_zone_in_a_periodic_box": study("Zone/Function expression", ["repeats itself", "Zone/Periodic", "corners"],
                                                   "Zone/Function expression=if(x < 0.5, 1, 0)"),
        "study_between_walls_of_a_period": study("Zone/Periodic", ["'x'", "'left'"], "Zone/Walls=left"),
        "study_in_a_box_too_small_for_its_spheres": study("Zone/Periodic", ["two images"], "Spheres/Spheres per unit length=2",
                                                          "Velocity/Mean gradient=1, 0, 0, 1", writes=True),
        "best_dilatancy_beyond_the_gradient": study("Homogenization/Fit dilatancy", ["s = 1", "Dilatancies"],
                                                    "Velocity/Mean gradient=0.3, 1, 0, 0.3",
                                                    "Velocity/Function expression=sin(2*pi*x); 0",
                                                    "Homogenization/Fit dilatancy=true", "Exact velocity/Function expression=x; y"),
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
