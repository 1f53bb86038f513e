# SPDX-License-Identifier: GPL-3.0-or-later
"""Small parameter files that several tests run."""

CELLS = """set Problem = homogenization
set Dimension = 2
subsection Velocity
  set Function expression = sin(3*x + y) - x; cos(2*y) - x*y
end
subsection Cone
  set Type = square
end
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 4, 8
end
subsection Homogenization
  set Pictures = all
end
"""
BALL = """set Problem = homogenization
set Dimension = 3
subsection Velocity
  set Function expression = -2*x; y; z/2
end
subsection Exact velocity
  set Function expression = -7*x/6; 7*y/6; 7*z/6
end
subsection Zone
  set Lower corner = -1, -1, -1
  set Upper corner = 1, 1, 1
  set Function expression = if(x*x + y*y + z*z < 1, 1, 0)
end
subsection Cone
  set Type = face-centred cubic
end
subsection Spheres
  set Arrangement = face-centred cubic lattice
  set Spheres per unit length = 2
  set Lattice anchor = 0, 0, 0
end
"""
BASIN = """set Problem = macro impact
set Dimension = 2
subsection Velocity
  set Function expression = sin(7*x + y) - 2*x; cos(5*x - 9*y)
end
subsection Mesh
  set Cells per unit length = 16
end
"""
HOPPER = """set Problem = particle motion
set Dimension = 2
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 10
  set Vacancies = 0.2
end
subsection Zone
  set Walls = left, right
end
subsection Obstacles
  set Shapes = capsule (0.2, -0.3) (-0.1, 0) 0.02; capsule (0.8, -0.3) (1.1, 0) 0.02; half-space (0, -0.31) (0, 1)
end
subsection Velocity
  set Function expression = sin(20*y); -1
end
subsection Force
  set Function expression = 0; -9.81
end
subsection Time
  set End time = 0.3
  set Time step = 0.002
  set Output every = 0.1
end
"""
# spheres that fall, with three pictures
FALLING = """set Problem = particle motion
subsection Spheres
  set Arrangement = square lattice
  set Spheres per unit length = 4
end
subsection Force
  set Function expression = 0; -9.81
end
subsection Time
  set End time = 0.1
  set Time step = 0.01
  set Output every = 0.05
end
"""


def two_blocks_on_a_line(cells, end_time, output_every=0, restitution=0):
    """A flow: two blocks of density 1 fly at each other."""
    return f"""set Problem = congested flow
set Dimension = 1
set Restitution = {restitution}
subsection Zone
  set Function expression = if(x > 0.2 & x < 0.4, 1, 0) + if(x > 0.55 & x < 0.65, 1, 0)
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -0.5)
end
subsection Mesh
  set Cells per unit length = {cells}
end
subsection Time
  set End time = {end_time}
  set Output every = {output_every}
end
"""
