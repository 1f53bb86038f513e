// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/parameters.h"

#include "app/input/text/patterns.h"
#include "app/input/text/words.h"

#include "convex/solvers/make_projector.h"

#include <deal.II/base/parameter_handler.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace moreau::app
{
namespace
{
namespace Patterns = dealii::Patterns;

/// Solvers of convex/ for any problem, then those that need a mesh.
std::vector<std::string> solver_names()
{
  std::vector<std::string> names = convex::projector_names();
  names.insert(names.end(), {"multigrid", "active set"});
  return names;
}

const std::vector<std::string> arrangements = {"row",
                                               "square lattice",
                                               "triangular lattice",
                                               "cubic lattice",
                                               "face-centred cubic lattice",
                                               "honeycomb lattice",
                                               "kagome lattice",
                                               "cradle",
                                               "hyperstatic cluster",
                                               "seven discs",
                                               "random packing",
                                               "file"};

const std::vector<macro::ConeType> cones = {macro::ConeType::isotropic,          macro::ConeType::square,
                                            macro::ConeType::triangular,         macro::ConeType::cubic,
                                            macro::ConeType::face_centred_cubic, macro::ConeType::dilatant,
                                            macro::ConeType::circular,           macro::ConeType::directions};

/// Declares a number, at first 0, that is converted where it is read.
void add_number(dealii::ParameterHandler &prm, const std::string &name, const dealii::Patterns::PatternBase &pattern,
                const std::string &documentation, const std::function<void(double)> &set)
{
  prm.declare_entry(name, "0", pattern, documentation);
  prm.add_action(name, [set](const std::string &text) { set(std::strtod(text.c_str(), nullptr)); });
}

/// Angle and anchor; the file has degrees.
void add_lattice(dealii::ParameterHandler &prm, micro::lattices::Placement &lattice, const std::string &about_angle,
                 const std::string &about_anchor)
{
  add_number(prm, "Lattice angle", Patterns::Double(), about_angle,
             [&lattice](const double degrees) { lattice.angle = degrees * M_PI / 180.; });
  add_vector(prm, "Lattice anchor", lattice.anchor, about_anchor);
}
} // namespace

void Parameters::add_to(dealii::ParameterHandler &prm)
{
  prm.add_parameter(
      "Problem", problem,
      "What is computed. This version offers 'micro impact', one impact of a configuration of spheres, 'macro impact', the "
      "projection of a velocity field on the cone of a saturated zone by finite elements, 'homogenization', which compares "
      "the two for smaller and smaller spheres, 'particle motion', spheres or a mechanical system in time, 'time "
      "convergence', such a motion for smaller and smaller steps, 'congested flow', matter with a maximal density in "
      "time, and 'contact cone', the mean velocity gradients that the contacts of a periodic packing let pass.",
      Patterns::Selection(
          "micro impact|macro impact|homogenization|particle motion|congested flow|time convergence|contact cone"));
  prm.add_parameter("Dimension", dimension, "Of space; spheres are discs in 2 and segments in 1.", Patterns::Integer(1, 3));
  prm.add_parameter("Output directory", output_directory,
                    "Where results go; empty: output/ and the name of the parameter file.");
  prm.add_parameter(
      "Tolerance", criterion.tolerance,
      "Relative error bound demanded of a projection; three times the round-off floor, at most 1e-4, is demanded "
      "where that is larger.",
      *interval("(0, 1)"));
  prm.add_parameter(
      "Accuracy", criterion.accuracy,
      "Where > 0: projections on contacts that form lines in more directions than the dimension (triangular "
      "and face-centred cubic lattices) end as soon as their relative error is estimated to be below it. It is "
      "then an estimate, not a bound: for studies of many spheres, whose distances are much larger. Elsewhere "
      "Tolerance counts.",
      *interval("[0, 1)", "0 demands a bound, as 'Tolerance' says"));
  prm.add_parameter("Restitution", law.restitution, "e of Moreau's law.",
                    *interval("[0, 1]", "0 is inelastic, 1 conserves kinetic energy"));
  add_choice(
      prm, "Contact law", motion.time.how.contact_law, {micro::ContactLaw::dry, micro::ContactLaw::gluey},
      "Of spheres in motion. 'gluey': a contact that has been pressed holds until an equal impulse has pulled it, the "
      "limit of lubricated contact without viscosity (BL, remark 4.3), for restitution 0.");
  prm.add_parameter(
      "Maximum repetitions", law.max_repetitions,
      "For e > 0 the law is repeated until no contact is approached; after so many times one inelastic projection ends it. "
      "1, for one impact: the law as printed (BM, 4), applied once, also where u+ then leaves the cone, which is said.",
      Patterns::Integer(1));
  prm.add_parameter(
      "Solver", solver,
      "How the projection is computed; 'automatic' chooses by structure and size; for the isotropic cone of 'macro impact' "
      "there are 'multigrid' on a uniform box and 'active set' for Raviart-Thomas elements.",
      Patterns::Selection(joined(solver_names(), "|")));
  prm.add_parameter("Maximum iterations", criterion.max_iterations,
                    "After so many iterations (in the solver's own unit) the solver stops and the exit status is 2.",
                    Patterns::Integer(1));
  prm.add_parameter(
      "Factorisation", factorisation,
      "Who factorises the matrices of interior points of one impact that several processes share: process 0 (one process), "
      "all of them by MUMPS, in whose memory the factor lies (all processes: digits depend on how many there are, "
      "certificates hold), or all where processes are on several machines and a factor does not fit into the memory of the "
      "first (automatic).",
      Patterns::Selection("automatic|one process|all processes"));
  add_choice(
      prm, "Table format", tables_are_hdf5, "csv", "hdf5",
      "Of the spheres and contacts that one impact leaves: spheres.csv and contacts.csv, or spheres.h5 and contacts.h5 "
      "with an array for each column, smaller and read faster where there are millions.");
  prm.add_parameter("Threads", threads, "Threads used; 0: all cores. Results do not depend on it.", Patterns::Integer(0));

  prm.enter_subsection("Velocity");
  add_expression(
      prm, velocity,
      "[m/s] Velocity U before the impact, one component per dimension, ';' between them; 'from file': the velocities in "
      "Spheres/File, also used where neither this nor 'Mean gradient' is set and the file has velocities.");
  add_vector(
      prm, "Mean gradient", mean_gradient,
      "[1/s] D of a periodic box, d x d numbers row by row: the velocity before the impact is D x and the above, which "
      "then is 0 unless it is set; the images of a sphere beyond the sides move relative to it as D says, before and "
      "after. Of 'macro impact' and 'homogenization' that is U, and all velocities that are compared are D x and what "
      "repeats itself. Empty: the box keeps its shape.",
      0, 9);
  prm.leave_subsection();

  prm.enter_subsection("Spheres");
  prm.add_parameter(
      "Arrangement", spheres.arrangement,
      "How the spheres lie; 'cradle' is a row of five unless Number of spheres is set. 'file' where Spheres/File is set.",
      Patterns::Selection(joined(arrangements, "|")));
  prm.add_parameter(
      "Spheres per unit length", spheres.per_unit_length,
      "[1/m] The radius is 1/(2 * this); 'Radius', in m, may be set instead. A random packing that is to jam has as many "
      "spheres as should with this mean radius, and the radii at which it does, a few per cent off. 'homogenization' takes "
      "a list of lattices, one number per level; of random packings Homogenization/Packings.",
      Patterns::List(*interval("(0, inf)"), 1));
  prm.add_parameter(
      "Number of spheres", spheres.number,
      "In a row, cradle or random packing; 0: as many as fit in the zone (row), five (cradle), as radius and coverage "
      "demand (random packing). Where it is given for a random packing, the radii follow from it.",
      Patterns::Integer(0));
  prm.add_parameter("Gap", spheres.gap,
                    "[m] Between neighbours in a row or cradle, and on a lattice, whose spheres are smaller by half of it.",
                    Patterns::Double(0.));
  prm.add_parameter("Density", spheres.density,
                    "[kg/m^d] Mass of spheres per volume (area in the plane), where Spheres/File gives no masses.",
                    *interval("(0, inf)"));
  prm.add_parameter(
      "File", spheres.file,
      "CSV file, or one of HDF5 (.h5, .hdf5), for 'file': columns or arrays x,y[,z],radius and optionally mass,ux,uy[,uz]; "
      "looked for where the program is started, beside the parameter file and in the two folders above it. "
      "'homogenization' takes a list, one file per level.");
  add_lattice(prm, spheres.lattice, "[degrees] Rotation in the x-y plane about Lattice anchor.",
              "[m] A lattice site; empty: half a spacing inside the lower corner.");
  add_choice(prm, "Cut by", spheres.whole, "centre", "whole sphere",
             "Whether the centre or the whole sphere must lie in the zone.");
  prm.add_parameter("Vacancies", spheres.lattice.vacancies,
                    "Probability of each lattice site to be left empty, drawn with Seed.",
                    *interval("[0, 1)", "0.1 leaves a tenth of many sites empty, of few another part"));
  prm.add_parameter(
      "Break rows", spheres.lattice.break_rows,
      "Whether every straight row of three touching sites or more, from one end of the zone to the other or around a "
      "periodic box, is to have a vacancy in between; their number stays where it can: rows may need more.");
  prm.add_parameter("Seed", spheres.lattice.seed, "Of the random numbers; the same seed gives the same spheres everywhere.",
                    Patterns::Integer(0));
  prm.add_parameter(
      "Contact tolerance", spheres.contact_tolerance,
      "Of the smaller radius: spheres closer than this touch, spheres that overlap by more are an error. Where it is not "
      "set and Spheres/File has six digits, or single precision, it follows from their rounding, 0.01 at most. In a "
      "sequence of impacts with e > 0 it decides what is hit at once; a contact that has rebounded is none by it before "
      "it was open.",
      Patterns::Double(0.));
  prm.leave_subsection();

  prm.enter_subsection("Second lattice");
  add_expression(prm, second_lattice.where,
                 "1 where spheres of a second lattice with the same radius fill the zone instead of those of the first, 0 "
                 "elsewhere; empty: nowhere. Spheres of the second that would overlap one of the first, or across the sides "
                 "of a periodic box an earlier one of the second, are left out.");
  prm.add_parameter("Arrangement", second_lattice.arrangement, "Of the second lattice.",
                    Patterns::Selection("square lattice|triangular lattice|cubic lattice|face-centred cubic lattice"));
  add_lattice(prm, second_lattice.lattice, "[degrees] As in Spheres.", "[m] As in Spheres.");
  prm.leave_subsection();

  prm.enter_subsection("Zone");
  add_vector(prm, "Lower corner", zone.lower_corner, "[m] Of the box; one number per dimension.", 1);
  add_vector(prm, "Upper corner", zone.upper_corner, "[m] Of the box; one number per dimension.", 1);
  add_expression(prm, zone.density,
                 "Density in [0, 1] within the box; saturated, or filled by the lattice, where it is 1. Of 'congested "
                 "flow': at time 0.");
  prm.add_parameter(
      "File", zone.file,
      "CSV file of a density instead of the expression: columns x[,y[,z]],rho, the points being centres of the cells of a "
      "regular grid; outside of it the density is 0. For 'macro impact' and 'congested flow'.");
  prm.add_parameter("Level function", zone.level_function,
                    "For 'macro impact' and 'homogenization': a smooth expression that is positive exactly in the saturated "
                    "zone. With it a "
                    "boundary that cuts cells "
                    "costs no accuracy. Densities of the form if(A < B, 1, 0) need none: B - A is taken.");
  prm.add_parameter(
      "Walls", zone.walls,
      "Sides of the box that are walls; left, right, bottom, top, back, front may be called x-, x+, y-, y+, z-, z+.",
      Patterns::List(Patterns::Selection("left|right|bottom|top|back|front"), 0, 6));
  prm.add_parameter("Wall velocities", zone.wall_velocities,
                    "[m/s] Of walls that move, as left: 1, 0; right: -1, 0; walls that are not named are at rest.");
  prm.leave_subsection();

  prm.enter_subsection("Impact sequence");
  prm.add_parameter(
      "Maximum number of impacts", impact_sequence.max_impacts,
      "0: one impact of what touches now; above 0: free flight and impacts follow until nothing meets any more.",
      Patterns::Integer(0));
  add_number(prm, "End time", Patterns::Double(0.),
             "[s] When a sequence of impacts ends, with the impact at that time; 0: when nothing meets any more.",
             [this](const double t) { impact_sequence.end_time = t > 0. ? t : std::numeric_limits<double>::infinity(); });
  prm.add_parameter(
      "Output every", impact_pictures_every,
      "Impacts between pictures; contacts.csv and statistics.csv have all of them. 0: the first 100, every tenth "
      "up to 1000, every hundredth up to 10000, and so on.",
      Patterns::Integer(0));
  prm.leave_subsection();

  prm.enter_subsection("Cone");
  add_choice(
      prm, "Type", cone.type, cones,
      "Admissible macroscopic velocities: div u >= 0 (isotropic), or u.e not decreasing along each of the directions e "
      "of a lattice, or of 'directions' given below, or (1-s)/d div u + s d(u.e)/de >= 0 for all e (dilatant, what random "
      "packings of discs obey; s is 'Dilatancy'), or div u >= s sqrt(d(d-1)) |dev D|, D the symmetric gradient and dev D "
      "its part without a trace (circular, what packings of balls obey; in the plane the same as 'dilatant'). Of 'macro "
      "impact' also a list, 'square, isotropic': a run for each, as by --sweep, with what of this section is for its cone.");
  prm.add_parameter("Lattice angle", cone.lattice_angle, "[degrees] Rotation of the lattice in the x-y plane.",
                    Patterns::Double());
  add_expression(
      prm, cone_directions,
      "For 'directions': unit vectors, component by component and one after the other, ';' between them all; evaluated once "
      "in every cell, so that grains of different structure can lie side by side.");
  prm.add_parameter(
      "Dilatancy", dilatancy,
      "For 'dilatant' and 'circular': s in [0, 1], a number or an expression of position with the constants above; 0 "
      "is the isotropic cone, 1 that of all directions, or the largest circular one in it. Of 'dilatant' the "
      "sine of the angle of dilatancy.");
  prm.add_parameter(
      "Directions", dilatant_directions,
      "For 'dilatant': how many unit vectors e stand for all: in the plane an even number, in space 13, 19, 37 "
      "(unless it is set), 49 or 73. The inequalities of the mesh are those of an s enlarged by 1/cos(pi/K), in "
      "space by 1.62 to 1.12, so that those of all other e hold as well; the pressures are those of s.",
      Patterns::Integer(4, 1000));
  prm.leave_subsection();

  prm.enter_subsection("Mesh");
  prm.declare_entry("File", "", Patterns::Anything(),
                    "Gmsh mesh (.msh) of quadrilaterals or hexahedra instead of the box; looked for as Spheres/File is. "
                    "Isotropic cone only.");
  prm.add_action("File", [this](const std::string &name) { mesh.file = name; });
  prm.add_parameter("Cells per unit length", mesh.cells_per_unit_length,
                    "[1/m] Of the grid on the box, or of the coarsest one. Unless this is set, 'homogenization' takes twice "
                    "the spheres per unit length of its finest level, or more until the error bound of its reference is "
                    "small beside the distances, as far as that is affordable.",
                    *interval("(0, inf)"));
  prm.add_parameter(
      "Adaptive cycles", mesh.adaptive_cycles,
      "How often the mesh is refined where the error bound says so: cells of the isotropic cone are cut into 2^d, triangles "
      "and tetrahedra of directional cones bisected.",
      Patterns::Integer(0));
  add_choice(
      prm, "Elements", mesh.raviart_thomas, "automatic", "Raviart-Thomas",
      "Of the isotropic cone: 'automatic' takes velocities on faces and pressures in cells on a uniform box, and deal.II's "
      "Raviart-Thomas elements of degree 1 on adaptive meshes and on those of a file; 'Raviart-Thomas' takes these on a "
      "uniform box, too.");
  add_choice(
      prm, "Alignment", mesh.alignment, {macro::Alignment::automatic, macro::Alignment::lattice, macro::Alignment::box},
      "Of the mesh for directional cones: 'lattice' lays it along the lattice, where cells that the boundary of the zone "
      "cuts count with their saturated part; 'box' along the box. "
      "'automatic' takes what is more accurate: the lattice, also where its cells are cut by walls, unless these face each "
      "other, or belong to the face-centred cubic cone; never on adaptive meshes; and it takes the lattice where more than "
      "2e4 cells (2e3 in space) are asked for, which the box would take long for.");
  prm.leave_subsection();

  prm.enter_subsection("Homogenization");
  add_list_of_words(prm, "Compare with", names_of<macro::ConeType>({cones.begin(), cones.end() - 3}),
                    "Further cones whose projections φ_n(U) is compared with, besides Cone/Type; the nearest is reported.",
                    [this](const std::vector<std::size_t> &chosen) {
                      homogenization.compare_with.clear();
                      for (const std::size_t k : chosen)
                        homogenization.compare_with.push_back(cones[k]);
                    });
  add_vector(prm, "Dilatancies", homogenization.dilatancies,
             "Further dilatant cones, or circular ones where Cone/Type is 'circular', by their s in [0, 1], that φ_n(U) is "
             "compared with.",
             0, 100);
  prm.add_parameter(
      "Fit dilatancy", homogenization.fit_dilatancy,
      "Whether the s is looked for whose projection is nearest to φ_n(U), for every sample: of dilatant cones, or of "
      "circular ones where Cone/Type is 'circular'.");
  prm.add_parameter("Contact cone", homogenization.contact_cone,
                    "Whether linear programs find the s of every random packing in its box that repeats itself, without any "
                    "flow, as 'contact cone' does: to compare with the one that fits best. In space it is that of the least "
                    "eigenvalue, or of a circular cone where Cone/Type is 'circular'.");
  prm.add_parameter("Packings", homogenization.packings,
                    "Numbers of spheres of random packings, a list: each is jammed in a box that repeats itself in all "
                    "directions, which is then opened, but for those of Zone/Periodic: contacts across open sides are lost.",
                    Patterns::List(Patterns::Integer(2), 0));
  prm.add_parameter("Seeds", homogenization.seeds,
                    "Of random packings and of vacancies, a list instead of Spheres/Seed: a sample of every size for each, "
                    "of which means and standard deviations are taken.",
                    Patterns::List(Patterns::Integer(0), 0));
  add_vector(prm, "Contact tolerances", homogenization.contact_tolerances,
             "A list instead of Spheres/Contact tolerance: what is nearer than this many of the smaller radius touches.", 0,
             100);
  prm.add_parameter("Windows", homogenization.windows,
                    "Numbers k, a list: distances of means over k^d windows, into which the box is cut, are given beside "
                    "those of the fields. k is at most 256, in space 32.",
                    Patterns::List(Patterns::Integer(1, 256), 0));
  prm.add_parameter("Falk estimate", homogenization.falk_estimate,
                    "Whether Falk's estimate and its two ingredients are evaluated beside the error.");
  prm.add_parameter("P1 interpolant", homogenization.interpolant,
                    "Whether the interpolant that is linear between centres of spheres is compared, too.");
  prm.add_parameter("Pictures", homogenization.pictures, "Of which levels Voronoi cells are written.",
                    Patterns::Selection("finest|all|none"));
  prm.leave_subsection();

  prm.enter_subsection("Contact cone");
  prm.add_parameter("Angles", contact_cone_angles,
                    "In the plane: so many directions, 180 degrees divided evenly, in which the box gets longer and across "
                    "which it gets shorter. In space there are 20 directions.",
                    Patterns::Integer(3, 3600));
  prm.leave_subsection();

  prm.enter_subsection("Exact velocity");
  add_expression(prm, homogenization.exact,
                 "[m/s] For 'homogenization': the macroscopic projection u where a formula is known, one component per "
                 "dimension, with the D x of Velocity/Mean gradient; empty: it is computed on a mesh.");
  prm.leave_subsection();

  motion.add_to(prm);
  flow.add_to(prm);

  prm.enter_subsection("Plots");
  prm.add_parameter("Title", plot_title,
                    "Above convergence.png and the other plots of the program; empty: the name of the parameter file.");
  prm.add_parameter(
      "Format", plot_formats,
      "Of convergence.png and the other plots of the program, a list. A script beside each, convergence.gp, draws it again "
      "in any of these formats.",
      Patterns::List(Patterns::Selection("png|svg|pdf"), 1, 3));
  prm.add_parameter(
      "Contacts", plot_contacts,
      "The distribution of the impulses (motions: forces) of contacts between spheres, and a polar diagram of their "
      "directions by number and by impulse: contact_forces.png, contact_directions.png and tables, of motions at each "
      "picture, drawn at the end.");
  prm.leave_subsection();

  prm.enter_subsection("In situ");
  prm.add_parameter(
      "Catalyst script", in_situ.catalyst_script,
      "ParaView scripts ('# script-version: 2.0') that see the run while it goes, separated by commas: files, or names "
      "of those in insitu/pipelines, such as spheres.py. What they make is in the folder in_situ of the output.");
  prm.add_parameter(
      "Every", in_situ.every,
      "Of motions and flows: time steps between calls of the scripts; 0: with each picture (Time/Output every).",
      Patterns::Integer(0));
  prm.add_parameter(
      "Time limit", in_situ.time_limit,
      "[s] Of a call of a script: one that takes longer is left out, and the run goes on. Python is interrupted; "
      "while ParaView itself computes it cannot be, then the terminal says which script the run waits for.",
      *interval("(0, 1e6]"));
  prm.leave_subsection();
}
} // namespace moreau::app
