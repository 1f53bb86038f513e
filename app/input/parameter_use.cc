// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of what each problem uses.
#include "app/input/parameter_use.h"

#include "app/input/parameters.h"
#include "app/input/text/words.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace moreau::app
{
namespace
{
/// Problems by their letters; motions of mechanical systems have capitals.
const std::vector<std::pair<char, std::string>> letters = {
    {'i', "micro impact"},     {'m', "macro impact"},   {'h', "homogenization"}, {'p', "particle motion"},
    {'t', "time convergence"}, {'c', "congested flow"}, {'k', "contact cone"}};

char letter_of(const Parameters &parameters)
{
  const auto found =
      std::find_if(letters.begin(), letters.end(), [&](const auto &letter) { return letter.second == parameters.problem; });
  const char letter = found->first;
  return parameters.is_motion() && parameters.motion.system.type != "spheres" ? std::toupper(letter) : letter;
}

using Words = std::vector<std::string>;

/// 'line': a row of homogenization, which fills a zone as a lattice does.
const Words lattices = {"square lattice", "triangular lattice", "cubic lattice", "face-centred cubic lattice",
                        "line",           "honeycomb lattice",  "kagome lattice"};

const Words with_radius = {"row",
                           "cradle",
                           "square lattice",
                           "triangular lattice",
                           "cubic lattice",
                           "face-centred cubic lattice",
                           "line",
                           "honeycomb lattice",
                           "kagome lattice",
                           "hyperstatic cluster",
                           "seven discs",
                           "random packing"};

/// A section or a parameter, the problems that use it, and for which Spheres/Arrangement; empty: for all. Of several rows
/// those with the longest path count, and one of them is enough.
struct Use
{
  std::string path, problems;
  Words       arrangements = {};
};

const std::vector<Use> uses = {
    {"Dimension", "imhptck"},
    {"Tolerance", "imhptckPT"},
    {"Accuracy", "ih", {"triangular lattice", "face-centred cubic lattice", "kagome lattice", "file"}},
    {"Maximum repetitions", "imptcPT"},
    {"Restitution", "imhptcPT"},
    {"Maximum iterations", "imhptcPT"},
    {"Contact law", "pt"},
    {"Table format", "i"},
    {"Factorisation",
     "i",
     {"file", "random packing", lattices[0], lattices[1], lattices[2], lattices[3], lattices[5], lattices[6]}},
    {"Solver", "imhptPT"},
    {"Velocity", "imhptc"},
    {"Velocity/Mean gradient", "imh"},
    {"Spheres", "ihptk"},
    {"Spheres/Spheres per unit length", "iptk", with_radius},
    {"Spheres/Spheres per unit length", "h", lattices},
    {"Spheres/Number of spheres", "iptk", {"row", "cradle", "random packing"}},
    {"Spheres/Gap", "ipt", {"row", "cradle", lattices[0], lattices[1], lattices[2], lattices[3], lattices[5], lattices[6]}},
    {"Spheres/Density", "ipt"},
    {"Spheres/Lattice angle", "ihptk", lattices},
    {"Spheres/Lattice anchor", "ihptk", lattices},
    {"Spheres/Cut by", "ihptk", lattices},
    {"Spheres/Vacancies", "ihptk", lattices},
    {"Spheres/Break rows", "ihptk", lattices},
    {"Spheres/Seed",
     "ihptk",
     {lattices[0], lattices[1], lattices[2], lattices[3], lattices[4], lattices[5], lattices[6], "random packing"}},
    {"Second lattice", "ihptk", lattices},
    {"Random packing", "ihptk", {"random packing"}},
    {"Random packing/Overlap", "ihk", {"random packing"}},
    {"Zone", "imhptck"},
    {"Zone/Function expression", "mhc"},
    {"Zone/Function expression", "iptk", lattices},
    {"Zone/Walls", "imhptc"},
    {"Zone/File", "mc"},
    {"Zone/Level function", "mh"},
    {"Zone/Wall velocities", "ipt"},
    {"Zone/Periodic", "imhptck"},
    {"Impact sequence", "i"},
    {"Cone", "mh"},
    {"Mesh", "m"},
    {"Mesh/Cells per unit length", "mhc"},
    {"Mesh/Alignment", "mh"},
    {"Homogenization", "h"},
    {"Homogenization/Packings", "h", {"random packing"}},
    {"Homogenization/Contact cone", "h", {"random packing"}},
    {"Exact velocity", "h"},
    {"Time", "ptPT"},
    {"Time/End time", "ptcPT"},
    {"Time/Time step", "ptcPT"},
    {"Time/Position tolerance", "pt"},
    {"Time/Output every", "pc"},
    {"Time/Checkpoint every", "pcP"},
    {"Time/Checkpoint every minutes", "pcP"},
    {"System", "PT"},
    {"System/Type", "ptPT"},
    {"Force", "ptcPT"},
    {"Growth", "pt"},
    {"Obstacles", "pt"},
    {"Time convergence", "tT"},
    {"Measurements", "pc"},
    {"Measurements/Remove in", "p"},
    {"Measurements/Remove outside of", "p"},
    {"Plots", "hmtTipck"},
    {"Plots/Contacts", "ip"},
    {"Contact cone", "kh"},
    {"Coarse graining", "p"},
    {"Congested flow", "c"},
    {"Inflow", "c"},
    {"Maximal density", "c"},
    {"In situ", "imhptckPT"},
    {"In situ/Every", "pc"},
};

/// "Obstacles/Shapes" of "Obstacles 2/Shapes".
std::string without_number(const std::string &path)
{
  const std::size_t slash = path.find('/');
  std::size_t       end   = std::min(slash, path.size());
  while (end > 0 && std::isdigit(static_cast<unsigned char>(path[end - 1])))
    --end;
  return end > 0 && path[end - 1] == ' ' ? path.substr(0, end - 1) + path.substr(std::min(slash, path.size())) : path;
}

/// The rows that count.
std::vector<const Use *> uses_of(const std::string &path)
{
  std::vector<const Use *> found;
  for (const Use &use : uses)
    if ((use.path == path || path.rfind(use.path + "/", 0) == 0) &&
        (found.empty() || use.path.size() >= found.back()->path.size()))
      {
        if (!found.empty() && use.path.size() > found.back()->path.size())
          found.clear();
        found.push_back(&use);
      }
  return found;
}

/// "'a', 'b' and 'c'".
std::string quoted(const Words &words, const std::string &last_separator)
{
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "'" : k + 1 == words.size() ? " " + last_separator + " '" : ", '") + words[k] + "'";
  return text;
}

/// "row, square lattice or cradle", once each; a row of homogenization is one of its arrangements.
std::string choice_of(const Words &arrangements, const bool is_homogenization)
{
  Words words;
  for (const std::string &given : arrangements)
    {
      const std::string word = is_homogenization && given == "line" ? "row" : given;
      if (word != "line" && std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(word);
    }
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  return text;
}

/// What to say where no row names the problem.
std::string why_not_in(const std::string &problems, const char letter, const Parameters &parameters)
{
  const auto has = [&](const int other) { return problems.find(static_cast<char>(other)) != std::string::npos; };
  if (std::isupper(letter) && has(std::tolower(letter)))
    return "is for spheres, but System/Type is '" + parameters.motion.system.type + "'";
  if (std::islower(letter) && has(std::toupper(letter)))
    return "is for mechanical systems, but System/Type is '" + parameters.motion.system.type + "'";
  Words names;
  for (const auto &[other, name] : letters)
    if (has(other) || has(std::toupper(other)))
      names.push_back(name);
  return "is for " + quoted(names, "and") + ", but Problem is '" + parameters.problem + "'";
}
} // namespace

namespace
{
/// Whether a run leaves plots.
bool draws_plots(const Parameters &parameters)
{
  const std::string &problem = parameters.problem;
  if (problem == "macro impact" || parameters.is_flow())
    return parameters.dimension == 1 && (!parameters.is_flow() || parameters.flow.method == "finite volumes");
  if (problem == "contact cone")
    return parameters.dimension == 2;
  return parameters.plot_contacts || (problem != "micro impact" && problem != "particle motion");
}

/// The expression that the text at "Section/Name" belongs to, with the path of the expression; nullptr where there is none.
std::pair<std::string, const ExpressionText *> expression_at(const std::string &path, const Parameters &p)
{
  const MotionText                                           &motion = p.motion;
  std::vector<std::pair<std::string, const ExpressionText *>> all    = {
         {"Velocity/Function", &p.velocity},
         {"Second lattice/Function", &p.second_lattice.where},
         {"Zone/Function", &p.zone.density},
         {"Cone/Function", &p.cone_directions},
         {"Exact velocity/Function", &p.homogenization.exact},
         {"Maximal density/Function", &p.flow.maximal_density},
         {"Inflow/Density", &p.flow.inflow_density},
         {"Inflow/Velocity", &p.flow.inflow_velocity},
         {"System/Mass", &motion.system.masses},
         {"System/Constraint", &motion.system.constraints},
         {"System/Potential", &motion.system.potential},
         {"System/Generalised force", &motion.system.generalised_force},
         {"Force/Function", &motion.force},
         {"Growth/Function", &motion.growth},
         {"Time convergence/Exact position", &motion.convergence.exact_position},
         {"Time convergence/Exact velocity", &motion.convergence.exact_velocity}};
  for (int group = 0; group < MotionText::n_groups; ++group)
    {
      all.emplace_back(MotionText::section_of_group(group) + "/Translation", &motion.obstacles[group].translation);
      all.emplace_back(MotionText::section_of_group(group) + "/Angle", &motion.obstacles[group].angle);
    }
  for (const auto &[stem, text] : all)
    if (path == stem + " constants" || path == stem.substr(0, stem.find('/')) + "/Variable names")
      return {stem + " expression", text};
  return {"", nullptr};
}

/// The first constant, of "a = 1, b = 2", that none of the expressions names; empty where there is none.
std::string unused_constant(const std::string &constants, const std::vector<std::string> &expressions)
{
  const auto is_of_names = [](const char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const auto names       = [&](const std::string &expression, const std::string &name) {
    for (std::size_t at = expression.find(name); at != std::string::npos; at = expression.find(name, at + 1))
      if ((at == 0 || !is_of_names(expression[at - 1])) &&
          (at + name.size() == expression.size() || !is_of_names(expression[at + name.size()])))
        return true;
    return false;
  };
  for (const auto &[name, value] : constants_in(constants)) // what is none is told where constants are read
    if (!name.empty() && !value.empty() && std::all_of(name.begin(), name.end(), is_of_names) &&
        std::none_of(expressions.begin(), expressions.end(),
                     [&, &constant = name](const std::string &text) { return names(text, constant); }))
      return name;
  return "";
}

/// Constants and names of variables of expressions that are not there, and constants that these do not name; empty for all
/// else.
std::string why_no_expression(const std::string &path, const Parameters &parameters)
{
  const auto [of, text] = expression_at(path, parameters);
  if (text == nullptr)
    return "";
  std::vector<std::string> expressions = {text->expression};
  const bool               is_whole    = of == "Zone/Function expression" || of == "Maximal density/Function expression";
  if (of == "Cone/Function expression")
    expressions.push_back(parameters.dilatancy);
  else if (of == "Zone/Function expression")
    expressions.push_back(parameters.zone.level_function);
  if (of == "Cone/Function expression" && text->expression.empty() && parameters.dilatancy.empty())
    return "is for directions as functions and for Cone/Dilatancy, but neither is given";
  const bool has_another = expressions.size() > 1 && !expressions.back().empty();
  if (!has_another && (text->expression.empty() || (is_whole && text->expression == "1") ||
                       (text == &parameters.velocity && text->expression == "from file")))
    return "is for an expression, but " + of + " is " + (text->expression.empty() ? "empty" : "'" + text->expression + "'");
  const bool        is_list = path.find(" constants") != std::string::npos; // else names of variables
  const std::string name    = is_list ? unused_constant(text->constants, expressions) : "";
  return name.empty() ? "" : "has '" + name + "', which " + of + " does not name";
}

/// How bodies move that are not there, or that nothing turns; empty for all else.
std::string why_nothing_moves(const std::string &path, const MotionText &motion)
{
  for (int group = 0; group < MotionText::n_groups; ++group)
    if (const std::string section = MotionText::section_of_group(group); path.rfind(section + "/", 0) == 0)
      {
        const ObstacleParameters &bodies = motion.obstacles[group];
        if (path != section + "/Shapes" && bodies.shapes.empty())
          return "says how bodies move, but " + section + "/Shapes, which says what they are, is empty";
        if (path.rfind(section + "/Rotation", 0) == 0 && bodies.angle.expression.empty())
          return "is for bodies that turn, but " + section + "/Angle expression is empty";
      }
  return "";
}

/// Corners of the zone where an impact has no walls and no period and the spheres lie where they lie; empty for all else.
std::string why_no_corner(const std::string &path, const Parameters &parameters)
{
  const auto &spheres = parameters.spheres;
  const bool  is_row  = spheres.arrangement == "cradle" || (spheres.arrangement == "row" && spheres.number > 0);
  // a row begins at the lower corner, and one beyond the default of the upper one needs that, too
  const bool is_upper = path == "Zone/Upper corner" && is_row && (parameters.zone.lower_corner.array() < 1.).all();
  const bool is_any   = path.find("er corner") != std::string::npos && spheres.arrangement == "file";
  if (parameters.problem != "micro impact" || !(is_upper || is_any) || !parameters.zone.walls.empty() ||
      !parameters.motion.periodic.empty())
    return "";
  return "is for walls, for periods and for spheres that fill the zone, but Zone/Walls and Zone/Periodic are empty and " +
         std::string(is_row ? "the number of spheres says where the row ends" : "Spheres/File says where spheres are");
}

/// What the table cannot say: parameters that depend on others.
std::string why_unused_beside_others(const std::string &path, const Parameters &parameters)
{
  const auto &h           = parameters.homogenization;
  const bool  is_dilatant = parameters.cone.type == macro::ConeType::dilatant ||
                           (parameters.is_homogenization() && parameters.cone.type != macro::ConeType::circular &&
                            (h.dilatancies.size() > 0 || h.fit_dilatancy));
  if (path == "Spheres/Break rows" && parameters.spheres.arrangement == "honeycomb lattice" &&
      parameters.second_lattice.where.expression.empty())
    return "is for lattices with straight rows of touching sites, of which a honeycomb has none";
  if ((path == "Table format" || path == "Factorisation" || path == "Accuracy") &&
      parameters.impact_sequence.max_impacts > 0)
    return "is for one impact, but Impact sequence asks for several";
  if (path == "Factorisation" && parameters.motion.packing.overlap > 0.)
    return "is for impacts that several processes share, which those of overlapping spheres (Random packing/Overlap) are "
           "not";
  if (const std::string why = why_no_expression(path, parameters); !why.empty())
    return why;
  if (const std::string why = why_nothing_moves(path, parameters.motion); !why.empty())
    return why;
  if (const std::string why = why_no_corner(path, parameters); !why.empty())
    return why;
  if (path.rfind("Second lattice/", 0) == 0 && path != "Second lattice/Function expression" &&
      parameters.second_lattice.where.expression.empty())
    return "is for a second lattice, but Second lattice/Function expression, which says where it is, is empty";
  if (path == "Spheres/Seed" && parameters.spheres.arrangement != "random packing" &&
      !parameters.spheres.lattice.is_random() && h.seeds.empty())
    return "is for what is drawn at random, but Spheres/Vacancies is 0 here and the lattice has all its sites";
  if (path == "Spheres/Spheres per unit length" && parameters.spheres.arrangement == "random packing" &&
      parameters.spheres.number > 0)
    return "is for packings that fill the zone; here Spheres/Number of spheres is given, from which the radii follow";
  if (path == "Mesh/Cells per unit length" && parameters.problem == "macro impact" && !parameters.mesh.file.empty())
    return "is for the box, but the cells are those of Mesh/File";
  if (path == "Cone/Directions" && !is_dilatant)
    return "is for Cone/Type = 'dilatant', but that is '" + name(parameters.cone.type) + "'";
  if (path == "Mesh/Cells per unit length" && parameters.is_homogenization() && !h.exact.expression.empty() &&
      h.compare_with.empty() && h.dilatancies.size() == 0 && !h.fit_dilatancy)
    return "is for velocities that are computed, but Exact velocity gives the only one and Homogenization/Compare with is "
           "empty";
  if (const micro::Scheme scheme = parameters.motion.time.how.scheme;
      path == "Time/Resting speed" && scheme != micro::Scheme::linearised_constraints)
    return "is for Time/Scheme = 'linearised constraints', but that is '" + name(scheme) + "'";
  if (path == "Coarse graining/Width" && parameters.motion.measurements.coarse.cells.empty() &&
      parameters.motion.measurements.probes.empty())
    return "is for Coarse graining/Cells and Measurements/Probes, which are empty";
  if (const std::string &reference = parameters.motion.convergence.reference;
      path.rfind("Time convergence/Exact", 0) == 0 && (reference == "finest" || reference == "events"))
    return "is for exact motions, but Time convergence/Reference is '" + reference + "'";
  if (path.rfind("In situ/", 0) == 0 && path != "In situ/Catalyst script" && parameters.in_situ.catalyst_script.empty())
    return "is for scripts, but In situ/Catalyst script is empty";
  if (path == "Contact cone/Angles" && parameters.dimension == 3)
    return "is for the plane; in space the directions are fixed";
  if (path == "Contact cone/Angles" && parameters.is_homogenization() && !h.contact_cone)
    return "is for Homogenization/Contact cone = true";
  if (path == "Accuracy" && parameters.solver != "automatic" && parameters.solver != "lines")
    return "is for Solver = automatic and 'lines', but that is '" + parameters.solver + "'";
  static const Words of_finite_volumes = {"Tolerance", "Maximum iterations", "Maximum repetitions",
                                          "Congested flow/CFL number", "Congested flow/Density flux"};
  if (parameters.is_flow() && parameters.flow.method != "finite volumes" &&
      std::find(of_finite_volumes.begin(), of_finite_volumes.end(), path) != of_finite_volumes.end())
    return "is for Congested flow/Method = 'finite volumes', but that is '" + parameters.flow.method + "'";
  if (path == "Congested flow/Soft pressure" && !parameters.flow.is_soft())
    return "is for 'soft congestion', which is neither Congested flow/Method nor in Congested flow/Compare with";
  if (path == "Spheres/Contact tolerance" && parameters.spheres.arrangement == "random packing" &&
      parameters.motion.packing.overlap > 0.)
    return "is not asked for where contacts are the overlaps of Random packing/Overlap";
  if (path.rfind("Plots/", 0) == 0 && path != "Plots/Contacts" && !draws_plots(parameters))
    return parameters.is_flow() || parameters.problem == "macro impact"
               ? "is for plots, which are drawn in Dimension = 1 (of flows: by finite volumes)"
           : parameters.problem == "contact cone" ? "is for plots, which are drawn in the plane"
                                                  : "is for plots, which 'Plots/Contacts' asks for here";
  if (!parameters.is_disorder())
    return "";
  if (path == "Homogenization/Falk estimate" || path == "Homogenization/P1 interpolant")
    return "is for studies of one sample of each size, but this one has samples";
  if (path == "Spheres/Contact tolerance" && h.contact_tolerances.size() > 0)
    return "is one of the list Homogenization/Contact tolerances here";
  if (path == "Spheres/Seed" && !h.seeds.empty())
    return "is one of the list Homogenization/Seeds here";
  return "";
}
} // namespace

std::string why_unused(const std::string &path, const Parameters &parameters)
{
  const char               letter      = letter_of(parameters);
  const std::string       &given       = parameters.spheres.arrangement;
  const std::string        arrangement = given == "row" && parameters.is_homogenization() ? "line" : given;
  std::vector<const Use *> rows        = uses_of(without_number(path));
  std::string              problems;
  Words                    arrangements;
  for (const Use *use : rows)
    {
      problems += use->problems;
      if (use->problems.find(letter) == std::string::npos)
        continue;
      if (use->arrangements.empty() ||
          std::find(use->arrangements.begin(), use->arrangements.end(), arrangement) != use->arrangements.end())
        return why_unused_beside_others(path, parameters);
      arrangements = use->arrangements;
    }
  if (rows.empty())
    return "";
  if (arrangements.empty())
    return why_not_in(problems, letter, parameters);
  if (path == "Spheres/Spheres per unit length" && given == "random packing")
    return "is for lattices in studies; Homogenization/Packings has the numbers of spheres of random packings";
  arrangements.erase(std::remove(arrangements.begin(), arrangements.end(), "line"), arrangements.end());
  return "is for Spheres/Arrangement = " + quoted(arrangements, "or") + ", but that is '" + given + "'";
}

std::vector<ProblemUse> problems_using(const std::string &path)
{
  const std::vector<const Use *> rows = uses_of(without_number(path));
  std::vector<ProblemUse>        result;
  for (const auto &[letter, name] : letters)
    {
      const char capital      = static_cast<char>(std::toupper(letter));
      bool       with_spheres = rows.empty(), with_systems = rows.empty(), with_all = rows.empty();
      Words      arrangements;
      for (const Use *use : rows)
        {
          with_systems |= use->problems.find(capital) != std::string::npos;
          if (use->problems.find(letter) == std::string::npos)
            continue;
          with_spheres = true;
          with_all |= use->arrangements.empty();
          arrangements.insert(arrangements.end(), use->arrangements.begin(), use->arrangements.end());
        }
      const bool has_systems = letter == 'p' || letter == 't';
      if (!with_spheres && !with_systems)
        continue;
      std::string condition;
      if (has_systems && !with_systems)
        condition = "System/Type = spheres";
      else if (has_systems && !with_spheres)
        condition = "System/Type other than spheres";
      if (with_spheres && !with_all)
        condition += (condition.empty() ? "" : ", ") + ("Spheres/Arrangement = " + choice_of(arrangements, letter == 'h'));
      result.push_back({name, condition});
    }
  return result;
}
} // namespace moreau::app
