# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input about flows on the line without cells, and comparisons with these, for errors.py."""


def cases(flow):
    """By name, from what errors.py makes cases with."""
    return {
        "flow_compared_with_exact_blocks_of_density_half": flow(
            "Zone/Function expression", ["'exact blocks'", "Compare with"], "Congested flow/Compare with=exact blocks",
            "Zone/Function expression=0.5"),
        "flow_compared_with_exact_blocks_twice": flow("Congested flow/Compare with", ["'exact blocks'", "twice"],
                                                      "Congested flow/Compare with=exact blocks, exact blocks"),
        "flow_compared_with_splitting_elastic": flow("Congested flow/Compare with", ["'splitting'", "Restitution"],
                                                     "Congested flow/Compare with=splitting", "Restitution=1"),
        "flow_compared_with_sticky_solution_under_a_force": flow(
            "Congested flow/Compare with", ["'sticky solution'", "force"], "Congested flow/Compare with=sticky solution",
            "Force/Function expression=-1"),
        "flow_exact_blocks_under_a_force_that_varies": flow(
            "Force/Function expression", ["'exact blocks'", "the same everywhere", "take finite volumes"],
            "Congested flow/Method=exact blocks", "Force/Function expression=-x"),
        "flow_compared_with_exact_blocks_under_a_force_that_varies": flow(
            "Force/Function expression", ["the same everywhere", "leave it out of Congested flow/Compare with"],
            "Congested flow/Compare with=exact blocks", "Force/Function expression=-x"),
        "flow_that_lasts_for_ever": flow("Time/End time", ["never reach the end at 1e+90 s", "an earlier end"],
                                         "Time/End time=1e90", "Velocity/Function expression=1"),
        "flow_by_steps_that_are_no_steps": flow("Congested flow/CFL number", ["never reach the end", "larger number"],
                                                "Congested flow/CFL number=1e-300", "Velocity/Function expression=1"),
        "flow_a_little_too_dense": flow("Zone/Function expression", ["The density is 1.0000001 at"],
                                        "Zone/Function expression=1.0000001"),
        "flow_by_splitting_under_a_force_in_time": flow(
            "Force/Function expression", ["'splitting'", "constant force", "take finite volumes"],
            "Congested flow/Method=splitting", "Force/Function expression=-t"),
    }
