# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set beside another parameter without which it says nothing, for errors.py."""


def cases(Case, SMALL, MACRO, STUDY):
    """By name, from what errors.py makes cases with."""
    PACKING = "subsection Spheres\n set Arrangement = random packing\n set Number of spheres = 30\nend\n"
    MOTION = "set Problem = particle motion\n"
    FLOW = "set Problem = congested flow\n"
    FILE = "set Problem = micro impact\nsubsection Spheres\n set Arrangement = file\n set File = spheres.csv\nend\n"
    ROW = "subsection Spheres\n set Arrangement = row\n set Number of spheres = 3\nend\n"
    PENDULUM = MOTION + ("subsection System\n set Type = double pendulum with a wall\nend\n"
                         "subsection Time\n set Scheme = inertia operator\nend\n")
    CATCHING_UP = MOTION + "set Restitution = 0\nsubsection Time\n set Scheme = catching-up\nend\n"

    def unused(place, word, prm=SMALL, value="1"):
        """The parameter at `place`, which the file leaves without effect."""
        section, name = place.split("/")
        text = f"{prm}subsection {section}\n set {name} = {value}\nend\n"
        return Case(text, place, [word, "line", "leave it out"])

    cases_of = {
        "unused_angle_of_no_second_lattice": unused("Second lattice/Lattice angle", "says where it is, is empty"),
        "unused_anchor_of_no_second_lattice": unused("Second lattice/Lattice anchor", "second lattice", value="0, 0"),
        "unused_arrangement_of_no_second_lattice": unused("Second lattice/Arrangement", "is empty", value="cubic lattice"),
        "unused_constants_of_no_second_lattice": unused("Second lattice/Function constants", "is empty", value="a = 1"),
        "unused_seed_of_nothing_random": unused("Spheres/Seed", "Spheres/Vacancies is 0"),
        "unused_seed_of_a_study": unused("Spheres/Seed", "Spheres/Vacancies is 0", STUDY),
        "unused_radius_of_a_flow": unused("Spheres/Radius", "but Problem is 'congested flow'", FLOW, "0.1"),
        "unused_radius_beside_a_number": unused("Spheres/Spheres per unit length", "Number of spheres", PACKING),
        "unused_names_of_the_whole_zone": unused("Zone/Variable names", "Zone/Function expression is '1'", value="0.3"),
        "unused_constants_of_the_whole_zone": unused("Zone/Function constants", "'1'", MACRO, "a = 1"),
        "unused_constants_of_a_cone": unused("Cone/Function constants", "neither is given", MACRO, "a = 1"),
        "unused_cells_beside_a_file": unused("Mesh/Cells per unit length", "Mesh/File",
                                             "set Problem = macro impact\nsubsection Mesh\n set File = a.msh\nend\n"),
        "unused_names_of_a_cone": unused("Cone/Variable names", "neither is given", STUDY, "x, y"),
        "unused_names_of_no_exact_velocity": unused("Exact velocity/Variable names", "is empty", STUDY, "x, y"),
        "unused_constants_of_no_force": unused("Force/Function constants", "is empty", MOTION, "g = 9.81"),
        "unused_constants_of_no_growth": unused("Growth/Function constants", "is empty", MOTION, "g = 9.81"),
        "unused_way_of_no_bodies": unused("Obstacles 2/Translation expression", "Obstacles 2/Shapes", MOTION, "t; 0"),
        "unused_turn_of_no_bodies": unused("Obstacles/Angle expression", "Obstacles/Shapes", MOTION, "t"),
        "unused_centre_without_turn": unused("Obstacles/Rotation centre", "Angle expression is empty",
                                             MOTION + "subsection Obstacles\n set Shapes = ball (9, 9) 1\nend\n", "1, 1"),
        "unused_width_of_no_fields": unused("Coarse graining/Width", "which are empty", MOTION, "0.3"),
        "unused_every_of_no_script": unused("In situ/Every", "Catalyst script is empty", MOTION, "3"),
        "unused_limit_of_no_script": unused("In situ/Time limit", "Catalyst script is empty", MOTION, "3"),
        "unused_mesh_beside_an_exact_velocity": unused(
            "Mesh/Cells per unit length", "Exact velocity gives the only one",
            STUDY + "subsection Exact velocity\n set Function expression = 0; 0\nend\n", "64"),
        "unused_lower_corner_of_a_file": unused("Zone/Lower corner", "Zone/Walls and Zone/Periodic are empty", FILE, "-1, -1"),
        "unused_upper_corner_of_a_file": unused("Zone/Upper corner", "Spheres/File says where spheres are", FILE, "9, 9"),
        "unused_upper_corner_of_a_row": unused("Zone/Upper corner", "the number of spheres", ROW, "9, 9"),
        "unused_position_tolerance_of_a_system": unused("Time/Position tolerance", "is for spheres", PENDULUM, "1e-7"),
        "unused_resting_speed_of_scheme_c": unused("Time/Resting speed", "'inertia operator'", PENDULUM),
        "unused_resting_speed_of_scheme_b": unused("Time/Resting speed", "'catching-up'", CATCHING_UP),
        "unused_density_of_given_masses": Case(
            FILE.replace("micro impact", "particle motion"), "Spheres/Density", ["Spheres/File has those", "leave it out"],
            options=["--set", "Spheres/Density=3"], csv="x,y,radius,mass\n0,0,0.5,1\n1,0,0.5,2\n"),
        "unused_constants_of_no_turn": unused("Obstacles 2/Angle constants", "is empty", MOTION, "w = 1"),
        "unused_constants_of_no_inflow": unused("Inflow/Density constants", "is empty", FLOW, "a = 1"),
        "unused_constants_of_no_maximum": unused("Maximal density/Function constants", "'1'", FLOW, "a = 1")}
    for name, value, method in (("CFL number", "0.4", "exact blocks"), ("Density flux", "upwind", "splitting"),
                                ("Tolerance", "1e-7", "soft congestion"), ("Maximum iterations", "9", "splitting"),
                                ("Maximum repetitions", "9", "exact blocks")):
        section = "Congested flow/" if name in ("CFL number", "Density flux") else ""
        cases_of["unused_" + name.replace(" ", "_").lower() + "_of_" + method.replace(" ", "_")] = Case(
            FLOW + "set Dimension = 1\n", section + name, ["'finite volumes'", method],
            options=["--set", "Congested flow/Method=" + method, "--set", "Zone/Function expression=" +
                     ("0.5" if method == "soft congestion" else "1"), "--set", section + name + "=" + value])
    for name, words in (("aa", ["'a'", "does not name"]), ("2*b + sin(pi*t)*a_", ["'a'", "does not name"])):
        cases_of["unused_constant_beside_" + name[:2].replace("*", "_")] = Case(
            SMALL + "subsection Velocity\n set Function expression = " + name + "; b*0\n"
            " set Function constants = b = 2, a = 1, aa = 3, a_ = 4\nend\n", "Velocity/Function constants", words)
    from_file = "subsection Velocity\n set Function expression = from file\n set Function constants = a = 1\nend\n"
    cases_of["unused_constants_of_velocities_in_a_file"] = Case(
        "subsection Spheres\n set File = spheres.csv\nend\n" + from_file, "Velocity/Function constants",
        ["'from file'", "leave it out"], csv="x,y,radius,ux,uy\n0,0,0.5,0,0\n1,0,0.5,0,0\n")
    return cases_of
