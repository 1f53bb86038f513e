# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input in the section Measurements, for errors.py."""


def cases(motion, system, flow):
    """By name, from what errors.py makes cases with."""
    def measured(place, words, *settings):
        return motion("Measurements" + place, words, *("Measurements/" + setting for setting in settings))

    return {
        "flux_without_a_name": measured("/Fluxes", ["no name", "outlet: plane"], "Fluxes=plane (0, 0) (0, 1)"),
        "flux_named_twice": measured("/Fluxes", ["Item 2", "another one"],
                                     "Fluxes=a: plane (0, 0) (0, 1); a: plane (0, 1) (0, 1)"),
        "flux_with_a_bad_name": measured("/Fluxes", ["'a b'", "letters"], "Fluxes=a b: plane (0, 0) (0, 1)"),
        "flux_without_a_normal": measured("/Fluxes", ["'a'", "normal 0"], "Fluxes=a: plane (0, 0) (0, 0)"),
        "flux_through_a_disc": measured("/Fluxes", ["'a'", "in space"], "Fluxes=a: disc (0, 0) (0, 1) 1"),
        "flux_through_a_point": measured("/Fluxes", ["'a'", "two different points"], "Fluxes=a: segment (0, 0) (0, 0)"),
        "force_on_nothing": motion("Measurements/Forces on", ["'lid'", "bottom"], "Zone/Walls=bottom",
                                   "Measurements/Forces on=lid"),
        "force_on_a_wall_twice": motion("Measurements/Forces on", ["'bottom'", "twice"], "Zone/Walls=bottom",
                                        "Measurements/Forces on=bottom, bottom"),
        "bodies_of_one_name_apart": motion("Measurements/Forces on", ["'a'", "together"], "Measurements/Forces on=all",
                                           "Obstacles/Shapes=a: ball (9, 9) 1", "Obstacles 2/Shapes=a: ball (0, 9) 1"),
        "region_without_volume": measured("/Regions", ["'a'", "no volume"], "Regions=a: box (0, 0) (1, 0)"),
        "region_in_one_number": measured("/Regions", ["a: box (0) (1)", "needs 2"], "Regions=a: box (0) (1)"),
        "removal_without_volume": measured("", ["no volume"], "Remove in=box (0, 1) (1, 0)"),
        "removal_outside_of_two": measured("/Remove outside of", ["2 boxes"],
                                           "Remove outside of=box (0, 0) (1, 1); box (2, 2) (3, 3)"),
        "probe_outside_of_the_zone": measured("/Probes", ["'a'", "outside of the zone"], "Probes=a: (2, 0.5)"),
        "probe_called_as_a_region": measured("/Probes", ["'a'", "of a region"], "Regions=a: zone", "Probes=a: (0.5, 0.5)"),
        "flux_called_as_the_total_of_another": measured("", ["flux_a_total_count", "another one"],
                                                        "Fluxes=a: plane (0, 0) (0, 1); a_total: plane (0, 1) (0, 1)"),
        "flux_through_nowhere": measured("/Fluxes", ["'a'", "finite"], "Fluxes=a: plane (0, nan) (0, 1)"),
        "probe_without_a_name": measured("/Probes", ["no name", "outlet: (0, 0)"], "Probes=(0.5, 0.5)"),
        "kernel_below_a_radius": motion("Coarse graining", ["0.1 m", "larger"], "Coarse graining/Cells=4, 4",
                                        "Coarse graining/Width=0.05"),
        "kernel_of_the_whole_zone": motion("Coarse graining", ["1 m", "smaller"], "Coarse graining/Cells=4, 4",
                                           "Coarse graining/Width=1"),
        "cells_along_one_axis": motion("Coarse graining", ["2", "each"], "Coarse graining/Cells=4",
                                       "Coarse graining/Width=0.2"),
        "coarse_cells_beyond_memory": motion("Coarse graining/Cells", ["1e+12 cells", "of memory"],
                                             "Coarse graining/Cells=1000000, 1000000"),
        "measurements_of_a_system": system("Measurements/Fluxes", ["is for spheres"], "ball on a floor",
                                           "Measurements/Fluxes=a: plane (0) (1)"),
        "region_of_a_flow_across_the_seam": flow("Measurements/Regions", ["'a'", "repeats itself in x"], "Zone/Periodic=x",
                                                 "Measurements/Regions=a: box (0.9) (1.2)"),
        "flux_of_a_flow_longer_than_the_period":
            flow("Measurements/Fluxes", ["'a'", "longer than the period along x"], "Zone/Periodic=x",
                 "Measurements/Fluxes=a: segment (0.2, 0.5) (1.3, 0.5)", plane=True),
        "flux_of_a_flow_that_leans": flow("Measurements/Fluxes", ["'a'", "leans"], "Zone/Periodic=x",
                                          "Measurements/Fluxes=a: plane (0.2, 0.5) (1, 1)", plane=True),
    }
