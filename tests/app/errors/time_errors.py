# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input of time convergence, for errors.py."""


def cases(motion, system):
    """By name, from what errors.py makes cases with."""
    def levels(place, words, *settings, steps="0.1, 0.05", **others):
        """The same motion for several steps."""
        return motion(place, words, "Problem=time convergence", "Time/Time step=" + steps, *settings, **others)

    return {
        "levels_of_one_step": levels("Time/Time step", ["at least two"], steps="0.1"),
        "levels_twice": levels("Time/Time step", ["0.05 is in the list twice"], steps="0.1, 0.05, 0.05"),
        "levels_longer_than_the_motion": levels("Time/Time step", ["2 s", "End time"], steps="2, 1"),
        "levels_without_memory": levels("Time/Time step", ["memory", "those of the reference included", "smallest steps"],
                                        steps="0.1, 1e-11"),
        "levels_without_formula": levels("Time convergence/Reference", ["Exact position", "'finest'"],
                                         "Time convergence/Reference=exact"),
        "levels_without_exact_velocity": levels("Time convergence/Exact velocity expression", ["together"],
                                                "Time convergence/Exact position expression=0.5; 0.6"),
        "levels_that_begin_elsewhere": levels("Time convergence/Exact position expression", ["time 0", "0.1"],
                                              "Time convergence/Exact position expression=0.5; 0.5",
                                              "Time convergence/Exact velocity expression=0; 0"),
        "levels_of_a_formula_too_short": levels("Time convergence/Exact position expression", ["1 component"],
                                                "Time convergence/Exact position expression=0.5",
                                                "Time convergence/Exact velocity expression=0; 0"),
        "levels_of_a_formula_that_ends": levels("Time convergence/Exact position expression", ["Component 2", "t = 1"],
                                                "Time convergence/Exact position expression=0.5; 0.1 + sqrt(0.25 - t*t)",
                                                "Time convergence/Exact velocity expression=0; 0"),
        "levels_of_forced_events": levels("Time convergence/Reference", ["force", "'finest'"],
                                          "Time convergence/Reference=events",
                                          "Force/Function expression=0; -1"),
        "levels_of_periodic_events": levels("Time convergence/Reference", ["periodic"], "Time convergence/Reference=events",
                                            "Zone/Periodic=x"),
        "levels_of_events_at_a_ball": levels("Time convergence/Reference", ["half-spaces", "ball"],
                                             "Time convergence/Reference=events", "Obstacles/Shapes=ball (0.5, 0.1) 0.1"),
        "levels_of_events_of_a_system": system("Time convergence/Reference", ["spheres"], "oscillator with a stop",
                                               "Problem=time convergence", "Time/Time step=0.1, 0.05",
                                               "Time convergence/Reference=events"),
        "levels_of_too_many_events": levels("Time convergence/Reference", ["impacts", "'finest'"], "Restitution=1",
                                            "Zone/Walls=bottom, top",
                                            "Velocity/Function expression=0; 1", "Zone/Wall velocities=top: 0, -1",
                                            "Time/End time=0.9",
                                            "Time convergence/Reference=events", writes=True),
        "levels_of_events_out_of_reach": levels("Time convergence/Reference", ["too coarse", "'finest'"], "Zone/Walls=",
                                                "Velocity/Function expression=0; 1e17",
                                                "Time convergence/Reference=events", writes=True),
        "levels_of_radii_without_room": levels("Growth/Function expression", ["bottom", "top", "sphere 0", "h = 0.1 s"],
                                               "Growth/Function expression=1 + 10*t", "Zone/Walls=bottom, top", writes=True),
        "levels_resumed": levels("Problem", ["nothing to resume"], options=["--resume"]),
        "levels_of_gluey_events": levels("Time convergence/Reference", ["'gluey'", "dry", "'finest'"],
                                         "Time convergence/Reference=events", "Contact law=gluey"),
        "levels_of_a_velocity_that_is_no_derivative": levels(
            "Time convergence/Exact velocity expression", ["Component 2", "is -1", "by -2", "derivative"],
            "Zone/Walls=", "Time convergence/Exact position expression=0.5; 0.6 - 2*t",
            "Time convergence/Exact velocity expression=0; -1"),
        "levels_of_a_velocity_that_is_wrong_after_an_impact": levels(
            "Time convergence/Exact velocity expression", ["Component 2", "is 1 ", "derivative"],
            "Velocity/Function expression=0; -2",
            "Time convergence/Exact position expression=0.5; if(t < 0.25, 0.6 - 2*t, 0.1)",
            "Time convergence/Exact velocity expression=0; if(t < 0.25, -2, 1)"),
        "levels_of_a_velocity_that_is_wrong_for_a_moment": levels(
            "Time convergence/Exact velocity expression", ["Component 2", "is 2 ", "t = 0.12", "by -2", "derivative"],
            "Zone/Walls=", "Velocity/Function expression=0; -2",
            "Time convergence/Exact position expression=0.5; 0.6 - 2*t",
            "Time convergence/Exact velocity expression=0; if(t > 0.1205 && t < 0.121, 2, -2)"),
        "levels_of_a_formula_beside_finest": levels(
            "Time convergence/Exact position expression", ["'finest'", "leave it out"],
            "Time convergence/Reference=finest", "Time convergence/Exact position expression=0.5; 0.6",
            "Time convergence/Exact velocity expression=0; 0"),
    }
