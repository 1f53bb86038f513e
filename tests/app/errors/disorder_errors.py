# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about studies of samples and dilatant cones, for errors.py."""

PACKINGS = ("set Problem = homogenization\nsubsection Spheres\n set Arrangement = random packing\nend\n"
            "subsection Homogenization\n set Packings = 20, 40\nend\n")
LATTICES = ("set Problem = homogenization\nsubsection Spheres\n set Spheres per unit length = 4, 6\nend\n")


def cases(Case):
    """By name, from what errors.py makes cases with."""
    def packings(name, words, *settings):
        return Case(PACKINGS, name, words, options=[o for s in settings for o in ("--set", s)])

    def lattices(name, words, *settings):
        return Case(LATTICES, name, words, options=[o for s in settings for o in ("--set", s)])

    return {
        "level_without_memory": Case(LATTICES, "Spheres/Spheres per unit length", ["memory"], never=["spheres      radius"],
                                     options=["--set", "Spheres/Spheres per unit length=4, 1000000", "--set",
                                              "Zone/Function expression=if(x*x + y*y < 1, 1, 0)"]),
        "dilatancy_above_one": lattices("Homogenization/Dilatancies", ["1.5", "from 0"],
                                        "Homogenization/Dilatancies=0.3, 1.5"),
        "cone_twice": lattices("Homogenization/Compare with", ["'isotropic'", "twice"],
                               "Cone/Type=square", "Homogenization/Compare with=isotropic, triangular, isotropic"),
        "dilatancy_twice": lattices("Homogenization/Dilatancies", ["0.3", "twice"],
                                    "Homogenization/Dilatancies=0.3, 0.1, 0.3"),
        "seed_twice": packings("Homogenization/Seeds", ["7", "twice"], "Homogenization/Seeds=7, 8, 7"),
        "seeds_without_chance": lattices("Homogenization/Seeds", ["nothing random"], "Homogenization/Seeds=1, 2"),
        "more_windows_than_spheres": packings("Homogenization/Windows", ["33 windows", "32"], "Dimension=3",
                                              "Homogenization/Windows=2, 33"),
        "tolerance_twice": packings("Homogenization/Contact tolerances", ["0.2", "twice"],
                                    "Homogenization/Contact tolerances=0.2, 0.2"),
        "tolerance_beyond_the_sphere": packings("Homogenization/Contact tolerances", ["2.5", "below 1"],
                                                "Homogenization/Contact tolerances=0.2, 2.5"),
        "tolerance_beside_a_list": packings("Spheres/Contact tolerance", ["Homogenization/Contact tolerances"],
                                            "Homogenization/Contact tolerances=0.2", "Spheres/Contact tolerance=0.1"),
        "seed_beside_a_list": packings("Spheres/Seed", ["Homogenization/Seeds"], "Homogenization/Seeds=2, 3",
                                       "Spheres/Seed=4"),
        "falk_estimate_of_samples": packings("Homogenization/Falk estimate", ["one sample of each size"],
                                             "Homogenization/Falk estimate=false"),
        "packings_without_numbers": packings("Homogenization/Packings", ["numbers of spheres"], "Homogenization/Packings="),
        "packings_between_walls": packings("Zone/Walls", ["repeats itself"], "Zone/Walls=left"),
        "packings_that_do_not_reach_their_coverage": packings("Random packing/Coverage", ["0.95", "jammed"],
                                                              "Random packing/Coverage=0.95"),
        "tolerances_beside_overlaps": packings("Homogenization/Contact tolerances", ["overlaps", "Random packing/Overlap"],
                                               "Homogenization/Contact tolerances=0.2", "Random packing/Overlap=0.01"),
        "tolerance_beside_overlaps": packings("Spheres/Contact tolerance", ["overlaps", "Random packing/Overlap"],
                                              "Spheres/Contact tolerance=0.2", "Random packing/Overlap=0.01"),
        "overlap_with_a_coverage": packings("Random packing/Overlap", ["coverage"], "Random packing/Overlap=0.01",
                                            "Random packing/Coverage=0.5"),
        "overlap_of_a_motion": Case("set Problem = particle motion\nsubsection Spheres\n set Arrangement = random packing\n"
                                    " set Number of spheres = 20\nend\nsubsection Random packing\n set Overlap = 0.01\nend\n"
                                    "subsection Time\n set End time = 1\nend\n", "Random packing/Overlap",
                                    ["'particle motion'"]),
        "overlap_of_a_sequence": Case("subsection Spheres\n set Arrangement = random packing\n set Number of spheres = 20\nend\n"
                                      "subsection Random packing\n set Overlap = 0.01\nend\nsubsection Impact sequence\n"
                                      " set Maximum number of impacts = 5\nend\n", "Random packing/Overlap", ["gaps"]),
        "lengths_of_packings": packings("Spheres/Spheres per unit length", ["Homogenization/Packings has the numbers"],
                                        "Spheres/Spheres per unit length=12, 20"),
        "packings_of_lattices": lattices("Homogenization/Packings", ["'random packing'"], "Homogenization/Packings=20"),
        "lattice_radii_of_packings": packings("Spheres/Spheres per unit length", ["lattice"],
                                              "Spheres/Spheres per unit length=8"),
        "dilatancy_fitted_on_a_line": Case("set Dimension = 1\n" + LATTICES, "Homogenization/Fit dilatancy",
                                           ["one dimension"], options=["--set", "Homogenization/Fit dilatancy=true"]),
        "cache_in_a_file": packings("Random packing/Cache directory", ["cannot be made", "name a directory"],
                                    "Random packing/Cache directory=/dev/null/cache"),
        "contact_cone_of_lattices": lattices("Homogenization/Contact cone", ["'random packing'"],
                                             "Homogenization/Contact cone=true"),
        "two_angles": packings("Contact cone/Angles", ["3"], "Homogenization/Contact cone=true", "Contact cone/Angles=2"),
        "angles_of_no_contact_cone": packings("Contact cone/Angles", ["Homogenization/Contact cone"], "Contact cone/Angles=6"),
        "directions_of_no_dilatant_cone": lattices("Cone/Directions", ["'dilatant'", "'isotropic'"], "Cone/Directions=12"),
        "directions_of_a_lattice": Case("set Problem = macro impact\nsubsection Cone\n set Type = square\n"
                                        " set Directions = 16\nend\n", "Cone/Directions", ["'dilatant'", "'square'"]),
    }
