// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/parameters.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

BOOST_AUTO_TEST_SUITE(parameters)

using namespace moreau;
using namespace moreau::app;

namespace
{
/// A parameter file that lives as long as the test.
struct TemporaryFile
{
  std::filesystem::path folder, path;

  explicit TemporaryFile(const std::string &text)
  {
    std::string name = (std::filesystem::temp_directory_path() / "moreau_parameters_XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
    path   = folder / "test.prm";
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder); }
};

std::string printed(const ParameterFile &file)
{
  std::ostringstream out;
  file.print(out);
  return out.str();
}
} // namespace

BOOST_AUTO_TEST_CASE(an_empty_file_has_the_defaults_of_the_interface)
{
  const TemporaryFile file("");
  const ParameterFile parameter_file(file.path, {});
  const Parameters   &p = parameter_file.values();
  BOOST_TEST(p.problem == "micro impact");
  BOOST_TEST(p.dimension == 2u);
  BOOST_TEST(p.criterion.tolerance == 1e-6);
  BOOST_TEST(p.law.restitution == 0.);
  BOOST_TEST(p.solver == "automatic");
  BOOST_TEST(p.velocity.expression == "-x; -y");
  BOOST_TEST(p.spheres.arrangement == "triangular lattice");
  BOOST_TEST(p.spheres.radius() == 1. / 64.);
  BOOST_TEST(p.spheres.contact_tolerance == 1e-6);
  BOOST_TEST(convex::values(p.zone.upper_corner) == (std::vector<double>{1., 1.}));
}

BOOST_AUTO_TEST_CASE(defaults_follow_the_dimension_and_what_is_set_does_not)
{
  const TemporaryFile file("set Dimension = 3\nsubsection Zone\n set Upper corner = 2, 3, 4\nend\n");
  const ParameterFile parameter_file(file.path, {});
  const Parameters   &p = parameter_file.values();
  BOOST_TEST(p.velocity.expression == "-x; -y; -z");
  BOOST_TEST(p.spheres.arrangement == "face-centred cubic lattice");
  BOOST_TEST(convex::values(p.zone.lower_corner) == (std::vector<double>{0., 0., 0.}));
  BOOST_TEST(convex::values(p.zone.upper_corner) == (std::vector<double>{2., 3., 4.}));
}

BOOST_AUTO_TEST_CASE(the_command_line_overrides_the_file)
{
  const TemporaryFile file("set Restitution = 0.25\n");
  BOOST_TEST(ParameterFile(file.path, {}).values().law.restitution == 0.25);
  BOOST_TEST(ParameterFile(file.path, {"Restitution=0.5"}).values().law.restitution == 0.5);
}

BOOST_AUTO_TEST_CASE(values_are_those_of_the_physics_and_the_print_out_has_the_words_of_the_file)
{
  const TemporaryFile file("set Problem = particle motion\n"
                           "subsection Spheres\n set Lattice angle = 30\n set Cut by = whole sphere\nend\n"
                           "subsection Zone\n set Periodic = y\nend\n"
                           "subsection Time\n set Scheme = catching-up\nend\n");
  const ParameterFile parameter_file(file.path, {});
  const Parameters   &p = parameter_file.values();
  BOOST_TEST(p.spheres.lattice.angle == 30. * M_PI / 180.);
  BOOST_TEST(p.spheres.whole);
  BOOST_TEST(p.motion.periodic == std::vector<std::size_t>{1});
  BOOST_TEST((p.motion.time.how.scheme == micro::Scheme::catching_up));
  BOOST_TEST(std::isinf(p.impact_sequence.end_time));
  for (const std::string line : {"set Lattice angle = 30\n", "set Periodic = y\n", "set Scheme = catching-up\n"})
    BOOST_TEST(printed(parameter_file).find(line) != std::string::npos, line);

  const TemporaryFile study("set Problem = homogenization\n"
                            "subsection Cone\n set Type = triangular\nend\n"
                            "subsection Homogenization\n set Compare with = square, isotropic\nend\n");
  const ParameterFile of_study(study.path, {});
  BOOST_TEST((of_study.values().cone.type == macro::ConeType::triangular));
  BOOST_TEST(
      (of_study.values().homogenization.compare_with == std::vector{macro::ConeType::square, macro::ConeType::isotropic}));
  for (const std::string line : {"set Type = triangular\n", "set Compare with = square, isotropic\n"})
    BOOST_TEST(printed(of_study).find(line) != std::string::npos, line);
}

BOOST_AUTO_TEST_CASE(the_print_out_repeats_every_digit)
{
  const TemporaryFile file("set Restitution = 0.1234567890123456\nsubsection Zone\n set Walls = left, top\nend\n");
  const ParameterFile first(file.path, {});
  const TemporaryFile copy(printed(first));
  const ParameterFile second(copy.path, {});
  BOOST_TEST(second.values().law.restitution == 0.1234567890123456);
  BOOST_TEST(second.values().zone.walls == (std::vector<std::string>{"left", "top"}));
  BOOST_TEST(printed(second) == printed(first));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_read_after_another_knows_nothing_of_it)
{
  std::vector<std::filesystem::path> shipped;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(MOREAU_ROOT "/prm"))
    if (entry.path().extension() == ".prm")
      shipped.push_back(entry.path());
  std::sort(shipped.begin(), shipped.end());
  BOOST_TEST_REQUIRE(shipped.size() > 100u);
  const TemporaryFile empty(""), wrong("set Restitution = 0.5\nset Dimension = 3\nset Tolerance = -1\n");
  const std::string   defaults = printed(ParameterFile(empty.path, {}));
  ParameterFile       reread;
  for (const std::filesystem::path &path : shipped)
    {
      reread.read(path, {"Threads=2"});
      BOOST_TEST(printed(reread) == printed(ParameterFile(path, {"Threads=2"})), path.string());
      reread.set("Threads", "3");
      BOOST_CHECK_THROW(reread.read(wrong.path, {}), InputError);
      reread.read(empty.path, {});
      BOOST_TEST(printed(reread) == defaults, "after " << path.string());
    }
  // what is printed is text of the declarations, these are the members
  BOOST_TEST(reread.values().law.restitution == 0.);
  BOOST_TEST(reread.values().criterion.tolerance == 1e-6);
  BOOST_TEST(reread.values().zone.walls.empty());
  BOOST_TEST(reread.values().spheres.lattice.angle == 0.);
  BOOST_TEST(!reread.given("Tolerance"));
}

BOOST_AUTO_TEST_CASE(a_radius_is_another_way_to_say_spheres_per_unit_length)
{
  const TemporaryFile file("subsection Spheres\n set Radius = 0.0125\nend\n"), empty("");
  BOOST_TEST(ParameterFile(file.path, {}).values().spheres.per_unit_length == (std::vector<double>{40.}));
  BOOST_TEST(ParameterFile(file.path, {"Spheres/Radius=0.25"}).values().spheres.radius() == .25);
  BOOST_TEST(ParameterFile(file.path, {"Spheres/Spheres per unit length=8"}).values().spheres.radius() == 1. / 16.);
  BOOST_TEST(ParameterFile(empty.path, {"Problem=homogenization", "Spheres/Radius=0.0625, 0.03125"})
                 .values()
                 .spheres.per_unit_length == (std::vector<double>{8., 16.}));
  for (const char *wrong : {"0", "-1", "1e-320", "nan", "wide", "1 m", ""})
    BOOST_CHECK_EXCEPTION(ParameterFile(empty.path, {std::string("Spheres/Radius=") + wrong}), InputError,
                          [](const InputError &error) { return error.subject == "Spheres/Radius"; });
  const TemporaryFile both("subsection Spheres\n set Radius = 0.1\n set Spheres per unit length = 5\nend\n");
  BOOST_CHECK_EXCEPTION(ParameterFile(both.path, {}), InputError,
                        [](const InputError &error) { return error.sentence.find("twice") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(the_manual_is_a_parameter_file_with_the_defaults)
{
  std::ostringstream manual;
  print_manual(manual, ParameterFile().entries());
  const TemporaryFile file(manual.str());
  const TemporaryFile empty("");
  BOOST_TEST(printed(ParameterFile(file.path, {})) == printed(ParameterFile(empty.path, {})));
  const std::string commented = "# set Restitution = 0\n";
  const std::size_t at        = manual.str().find(commented);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  const TemporaryFile without(manual.str().replace(at, commented.size(), "set Restitution = 0.5\n"));
  BOOST_TEST(ParameterFile(without.path, {}).values().law.restitution == .5);
  BOOST_TEST(manual.str().find("in m/s") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_are_found_beside_the_parameter_file_and_above_it)
{
  const TemporaryFile file("");
  std::filesystem::create_directories(file.folder / "a");
  std::filesystem::rename(file.path, file.folder / "a" / "test.prm");
  std::ofstream(file.folder / "above.csv") << "x\n";
  const ParameterFile parameter_file(file.folder / "a" / "test.prm", {});
  BOOST_TEST(parameter_file.find_file("above.csv") == file.folder / "above.csv");
  BOOST_TEST(parameter_file.find_file("nowhere.csv") == std::filesystem::path("nowhere.csv"));
}

BOOST_AUTO_TEST_CASE(a_flow_begins_at_rest_and_its_steps_follow_the_cfl_condition_unless_told_otherwise)
{
  const TemporaryFile file("set Problem = congested flow\nset Dimension = 1\n");
  const ParameterFile parameter_file(file.path, {});
  const Parameters   &p = parameter_file.values();
  BOOST_TEST(p.is_flow());
  BOOST_TEST(p.velocity.expression == "0");
  BOOST_TEST(p.motion.time.steps == (std::vector<double>{0.}));
  BOOST_TEST(p.flow.method == "finite volumes");
  BOOST_TEST(p.flow.cfl == .5);
  p.validate();

  const TemporaryFile copy(printed(parameter_file)); // of which every parameter counts as given
  BOOST_TEST(ParameterFile(copy.path, {}).values().motion.time.steps == (std::vector<double>{0.}));
  BOOST_TEST(ParameterFile(file.path, {"Time/Time step=0.01"}).values().motion.time.steps == (std::vector<double>{.01}));
}

BOOST_AUTO_TEST_CASE(parameters_of_flows_are_refused_elsewhere_and_those_of_bodies_in_flows)
{
  const auto refuses = [](const std::string &text, const std::string &parameter) {
    const TemporaryFile file(text);
    BOOST_CHECK_EXCEPTION(ParameterFile(file.path, {}).values().validate(), InputError,
                          [&](const InputError &error) { return error.subject == parameter; });
  };
  refuses("subsection Maximal density\n set Function expression = 0.5\nend\n", "Maximal density/Function expression");
  refuses("set Problem = particle motion\nsubsection Inflow\n set Sides = left\nend\n", "Inflow/Sides");
  refuses("set Problem = congested flow\nsubsection Growth\n set Function expression = 1 + t\nend\n",
          "Growth/Function expression");
  refuses("set Problem = congested flow\nset Solver = multigrid\n", "Solver");
}

BOOST_AUTO_TEST_CASE(what_the_problem_does_not_use_is_refused_with_its_line)
{
  const auto answer = [](const std::string &text) -> std::string {
    const TemporaryFile file(text);
    try
      {
        const ParameterFile read(file.path, {});
        return "";
      }
    catch (const InputError &error)
      {
        return error.subject + ": " + error.sentence;
      }
  };
  BOOST_TEST(answer("subsection Time\n set End time = 2\nend\n") ==
             "Time/End time: The parameter (line 2) is for 'particle motion', 'time convergence' and 'congested flow', but "
             "Problem is 'micro impact'; leave it out.");
  BOOST_TEST(answer("subsection Time\n set End time = 1\nend\n") == // the default
             "Time/End time: The parameter (line 2) is for 'particle motion', 'time convergence' and 'congested flow', but "
             "Problem is 'micro impact'; leave it out.");
  BOOST_TEST(
      answer("subsection Spheres\n set Arrangement = seven discs\n set Gap = 0.1\nend\n") ==
      "Spheres/Gap: The parameter (line 3) is for Spheres/Arrangement = 'row', 'cradle', 'square lattice', 'triangular "
      "lattice', 'cubic lattice', 'face-centred cubic lattice', 'honeycomb lattice' or 'kagome lattice', but that is "
      "'seven discs'; leave it out.");
  // who factorises is asked where several processes may share an impact, also of a run on one process
  const std::string factor = "set Factorisation = all processes\n";
  const auto        of     = [&](const std::string &spheres, const std::string &rest = "") {
    return answer(factor + "subsection Spheres\n set Arrangement = " + spheres + "\nend\n" + rest);
  };
  BOOST_TEST(of("square lattice") == "");
  BOOST_TEST(of("random packing") == "");
  BOOST_TEST(of("cradle") == "Factorisation: The parameter (line 1) is for Spheres/Arrangement = 'file', 'random packing', "
                             "'square lattice', 'triangular lattice', 'cubic lattice', 'face-centred cubic lattice', "
                             "'honeycomb lattice' or 'kagome lattice', but that is 'cradle'; leave it out.");
  BOOST_TEST(of("square lattice", "subsection Impact sequence\n set Maximum number of impacts = 3\nend\n") ==
             "Factorisation: The parameter (line 1) is for one impact, but Impact sequence asks for several; leave it out.");
  BOOST_TEST(of("square lattice", "subsection Zone\n set Periodic = x\nend\n") == "");
  BOOST_TEST(of("random packing", "subsection Random packing\n set Overlap = 0.01\nend\n") ==
             "Factorisation: The parameter (line 1) is for impacts that several processes share, which those of overlapping "
             "spheres (Random packing/Overlap) are not; leave it out.");
  const std::string pendulum = "set Problem = particle motion\nsubsection System\n"
                               " set Type = double pendulum with a wall\nend\n";
  BOOST_TEST(answer(pendulum + "subsection Obstacles 2\n set Shapes = ball (0, 0) 1\nend\n") ==
             "Obstacles 2/Shapes: The parameter (line 6) is for spheres, but System/Type is 'double pendulum with a wall'; "
             "leave it out.");
  BOOST_TEST(answer("set Problem = particle motion\nsubsection System\n set Constants = a = 1\nend\n") ==
             "System/Constants: The parameter (line 3) is for mechanical systems, but System/Type is 'spheres'; leave it "
             "out.");
}

BOOST_AUTO_TEST_CASE(gluey_contact_is_for_linearised_constraints_without_rebounds)
{
  const TemporaryFile file("set Problem = particle motion\nset Contact law = gluey\n");
  BOOST_CHECK_NO_THROW(ParameterFile(file.path, {}).values().validate());
  for (const std::string other : {"Restitution=0.5", "Time/Scheme=catching-up"})
    BOOST_CHECK_EXCEPTION(ParameterFile(file.path, {other}).values().validate(), InputError,
                          [](const InputError &error) { return error.subject == "Contact law"; });
}

BOOST_AUTO_TEST_CASE(a_file_of_spheres_is_taken_unless_another_arrangement_is_asked_for)
{
  const TemporaryFile file("subsection Spheres\n set File = a.csv\nend\n");
  BOOST_TEST(ParameterFile(file.path, {}).values().spheres.arrangement == "file");
  BOOST_CHECK_EXCEPTION(ParameterFile(file.path, {"Spheres/Arrangement=row"}), InputError,
                        [](const InputError &error) { return error.subject == "Spheres/Arrangement"; });
}

BOOST_AUTO_TEST_CASE(the_command_line_heals_a_value_of_the_file)
{
  const TemporaryFile file("set Restitution = half\nset Solver = magic\n");
  BOOST_CHECK_THROW(ParameterFile(file.path, {"Restitution=0.5"}), InputError);
  BOOST_TEST(ParameterFile(file.path, {"Restitution=0.5", "Solver=lines"}).values().law.restitution == 0.5);
}

BOOST_AUTO_TEST_CASE(sides_have_names_of_axes_too)
{
  const TemporaryFile file("set Dimension = 3\nsubsection Zone\n set Walls = x-, x+, y-, y+, z-, z+\n"
                           " set Wall velocities = z-: 0, 0, -1; x+:1,0,0\nend\n");
  const ParameterFile parameter_file(file.path, {});
  BOOST_TEST(parameter_file.values().zone.walls ==
             (std::vector<std::string>{"left", "right", "bottom", "top", "back", "front"}));
  BOOST_TEST(parameter_file.values().zone.wall_velocities == "back: 0, 0, -1; right:1,0,0");
}

BOOST_AUTO_TEST_CASE(names_of_other_programs_are_answered_with_ours)
{
  const auto answer = [](const std::string &name) -> std::string {
    const TemporaryFile file("subsection Spheres\n set " + name + " = 1\nend\n");
    try
      {
        const ParameterFile read(file.path, {});
        return "";
      }
    catch (const InputError &error)
      {
        return error.sentence;
      }
  };
  for (const auto &[name, words] : {std::pair("Diameter", "'Spheres/Radius'"),
                                    {"r", "half of a diameter"},
                                    {"Gravity", "'Force/Function expression'"},
                                    {"vx", "'Velocity/Function expression'"},
                                    {"m", "'Spheres/Density'"},
                                    {"Friction", "out of scope: see README"}})
    BOOST_TEST(answer(name).find(words) != std::string::npos, name << ": " << answer(name));
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_nearest)
{
  const TemporaryFile file("subsection Spheres\n set Vacancy = 0\nend\n");
  BOOST_CHECK_EXCEPTION(ParameterFile(file.path, {}), InputError, [](const InputError &error) {
    return error.subject == "Spheres/Vacancy" && error.sentence.find("'Spheres/Vacancies'") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
