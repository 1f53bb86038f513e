// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/exchange_commands.h"

#include "app/input/text/words.h"
#include "app/output/progress.h"
#include "app/output/summary.h"
#include "app/run/run.h"
#include "exchange/formats.h"
#include "exchange/trajectory.h"
#include "exchange/verdict.h"
#include "macro/watched.h"

#include "convex/input_error.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using exchange::Kind;

/// As in summary.json: what is no bound does not stand in the place of one.
nlohmann::ordered_json certificate_of(const convex::Certificate &certificate, const bool converged)
{
  nlohmann::ordered_json json = to_json(certificate);
  separate_estimates(json, converged);
  return json;
}

exchange::SphereConventions conventions_of(const CommandLine &options) { return {options.dimension, options.units}; }

exchange::ProblemFile problem_in(const std::string &file, const CommandLine &options, std::string &remark)
{
  if (exchange::kind_of(file) == Kind::projection)
    {
      if (!options.units.empty() || options.dimension != 0)
        throw InputError(file + ": It holds a projection; --units and --dimension are for files of spheres.");
      exchange::ProblemFile contents = exchange::read_problem(file);
      remark                         = contents.problem.remark;
      return contents;
    }
  const exchange::SphereFile spheres = exchange::read_spheres(file, conventions_of(options));
  try
    {
      exchange::ProblemFile contents = exchange::problem_of(spheres);
      remark                         = exchange::sentences(spheres.remark, contents.problem.remark);
      return contents;
    }
  catch (const InputError &error)
    {
      throw InputError(file + ": " + error.what());
    }
}

/// Its progress goes where the JSON does not.
exchange::Verdict judged(const exchange::ProblemFile &contents, const CommandLine &options)
{
  const std::string &file = options.files.front();
  Progress           line("certifying " + printable(file), !options.quiet, Progress::Lines::usual(stderr));

  convex::StoppingCriterion criterion;
  criterion.tolerance = options.tolerance;
  const geometry::Progress progress([&line](const double fraction) { line.done(fraction); });
  return verdict(contents.problem, contents.answer, macro::watched(criterion, progress.part(0., .9)), file);
}

/// Why an answer is not certified.
std::string reason(const exchange::Verdict &v, const double tolerance)
{
  const bool        has_scale = v.certificate.scale > 0.;
  const std::string demanded =
      has_scale ? ", relative to the scale of the problem; demanded is " + short_number(tolerance) + "."
                : "; the projection is 0, nothing is relative to it, and only the exact answer is certified.";
  if (v.own.status == convex::Status::infeasible)
    return "No velocity satisfies these inequalities; there is nothing to project on.";
  if (!v.guaranteed)
    return "Nothing bounds the error, which is estimated as " + short_number(v.at_most) +
           ": no velocity was found that is admissible with room to spare.";
  if (!(v.at_most <= (has_scale ? tolerance : 0.)))
    return "The answer is between " + short_number(v.at_least) + " and " + short_number(v.at_most) +
           " away from the projection" + demanded;
  return "The velocity is at most " + short_number(v.at_most) +
         " away from the projection, but the impulses p that were given are not those that make it: what they miss is " +
         short_number(v.of_multipliers) + demanded;
}

int certify(const CommandLine &options)
{
  const std::string    &file = options.files.front();
  std::string           remark;
  exchange::ProblemFile contents = problem_in(file, options, remark);
  if (options.files.size() == 2)
    {
      contents.answer = exchange::read_answer(options.files[1]);
      require_sound(contents.answer, contents.problem, options.files[1]);
    }
  const exchange::Verdict v         = judged(contents, options);
  const bool              is_empty  = v.own.status == convex::Status::infeasible;
  const bool              certified = v.certifies(options.tolerance);
  remark                            = exchange::sentences(remark, contents.answer.remark);
  if (!is_empty && v.certificate.scale == 0.)
    remark = exchange::sentences(
        remark, "The projection is 0, and there is nothing that errors could be relative to: they are absolute.");

  nlohmann::ordered_json json;
  json["problem"]     = file;
  json["answer"]      = options.files.size() == 2 ? options.files[1] : v.is_own ? "none: solved here" : file;
  json["unknowns"]    = contents.problem.n_unknowns();
  json["constraints"] = contents.problem.n_constraints();
  json["given"]       = nlohmann::ordered_json::array();
  if (v.u_was_given)
    json["given"].push_back("u");
  if (v.p_was_given)
    json["given"].push_back("p");
  json["certified"]  = certified;
  json["tolerance"]  = number(options.tolerance);
  json["feasible"]   = !is_empty;
  json["guaranteed"] = v.guaranteed;
  if (!is_empty)
    {
      json["error_at_most"]  = number(v.at_most);
      json["error_at_least"] = number(v.at_least);
      if (v.p_was_given)
        json["error_of_multipliers"] = number(v.of_multipliers);
      json["certificate"] = certificate_of(v.certificate, true);
    }
  json["own_solution"] = {
      {"method", v.own.method},
      {"status", convex::name(v.own.status)},
      {"certificate",
       is_empty ? nlohmann::ordered_json() : certificate_of(v.own.certificate, v.own.status == convex::Status::converged)}};
  json["remark"] = remark;
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n'; // names may be any bytes
  if (options.quiet || certified)
    return certified ? 0 : static_cast<int>(ExitStatus::not_converged);
  std::cerr << printable("moreau: " + file + ": " + reason(v, options.tolerance)) << '\n';
  return static_cast<int>(ExitStatus::not_converged);
}

int convert(const CommandLine &options)
{
  const std::string &from = options.files[0], &to = options.files[1];
  std::string        remark;
  if (exchange::is_motion(from, to))
    {
      const std::size_t n = exchange::write_trajectory(from, conventions_of(options), to);
      if (!options.quiet)
        std::cout << printable(to + ": " + counted(n, "moment")) << '\n';
    }
  else if (exchange::kind_of(from) == Kind::spheres && exchange::kind_of(to) == Kind::spheres)
    {
      const exchange::SphereFile spheres = exchange::read_spheres(from, conventions_of(options));
      remark                             = spheres.remark;
      exchange::write_spheres(spheres, to);
      if (!options.quiet)
        std::cout << printable(to + ": " + counted(spheres.contents.spheres.size(), "sphere")) << '\n';
    }
  else
    {
      const exchange::ProblemFile contents = problem_in(from, options, remark);
      remark                               = exchange::sentences(remark, contents.answer.remark);
      exchange::write_problem(contents, to);
      if (!options.quiet)
        std::cout << printable(to + ": " + counted(contents.problem.n_unknowns(), "unknown") + ", " +
                               counted(contents.problem.n_constraints(), "row"))
                  << '\n';
    }
  if (!remark.empty() && !options.quiet)
    std::cerr << printable("moreau: " + from + ": " + remark) << '\n';
  return 0;
}
} // namespace

int exchange(const CommandLine &options)
{
  try
    {
      return options.action == CommandLine::Action::certify ? certify(options) : convert(options);
    }
  catch (const InputError &error)
    {
      std::cerr << printable(std::string("moreau: ") + error.what()) << std::endl;
      return static_cast<int>(ExitStatus::bad_input);
    }
  catch (const std::bad_alloc &)
    {
      std::cerr << "moreau: There is not enough memory for this problem." << std::endl;
    }
  catch (const std::runtime_error &error) // what cannot be written
    {
      std::cerr << printable(std::string("moreau: ") + error.what()) << std::endl;
      return static_cast<int>(ExitStatus::bad_input);
    }
  catch (const std::exception &error)
    {
      std::cerr << printable(std::string("moreau: ") + error.what()) << std::endl;
    }
  return static_cast<int>(ExitStatus::other);
}
} // namespace moreau::app
