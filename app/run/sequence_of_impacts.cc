// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/sequence_of_impacts.h"

#include "app/output/micro_output.h"
#include "app/output/pictures.h"
#include "app/input/text/words.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "convex/velocity_space.h"
#include "micro/blocking_chain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

namespace moreau::app
{
namespace
{
using micro::ImpactScene;
using micro::ImpactSequence;
using micro::Index;
using micro::SequenceImpact;
using micro::Vector;

micro::SequenceParameters sequence_parameters(const Parameters &parameters)
{
  micro::SequenceParameters result = parameters.impact_sequence;
  result.law                       = parameters.law;
  result.contact_tolerance         = parameters.spheres.contact_tolerance;
  return result;
}

/// Whether the k-th impact, counted from 1, has a picture.
bool has_picture(const std::size_t k, const std::size_t every)
{
  if (every > 0)
    return k % every == 0;
  std::size_t step = 1;
  while (k > 100 * step)
    step *= 10;
  return k % step == 0;
}

/// Snapshots of the beginning, of impacts and of the end, all with the same arrays.
class Snapshots
{
public:
  explicit Snapshots(const MicroSetting &run)
      : setting(run), with_u_projected(run.parameters.law.restitution > 0.), pictures(run.parameters, run.log)
  {}

  void write_flight(const double time, const micro::Spheres &spheres, const Vector &u)
  {
    write(time, sphere_mesh(spheres, u, u, with_u_projected ? &u : nullptr), empty_contact_mesh(spheres));
  }

  void write_impact(const double time, const ImpactScene &scene)
  {
    const Vector *u_projected = with_u_projected ? &scene.u_projected : nullptr;
    write(time, sphere_mesh(scene.spheres, scene.U, scene.u_plus, u_projected),
          contact_mesh(scene.spheres, contact_rows(scene)));
  }

  void finish()
  {
    guard_writing([&] { pictures.finish(); });
  }

  bool   empty() const { return step == 0; }
  double last_time() const { return last; } ///< of a picture, s

private:
  void write(const double time, geometry::Mesh spheres, geometry::Mesh contacts)
  {
    pictures.write({time, step,
                    impact_meshes(setting.configuration.walls, box_around(setting.parameters, setting.configuration.spheres),
                                  std::move(spheres), std::move(contacts)),
                    step});
    ++step;
    last = time;
  }

  const MicroSetting &setting;
  const bool          with_u_projected;
  Pictures            pictures;
  unsigned int        step = 0;
  double              last = 0.;
};

/// Computes the sequence and writes the snapshots and contacts.csv on the way. seconds: of the computation alone.
ImpactSequence follow(const MicroSetting &run, double &seconds)
{
  const Configuration            &c          = run.configuration;
  const micro::SequenceParameters parameters = sequence_parameters(run.parameters);
  Stage                           stage(run.stages, "Flight and impacts",
                                        "following " + counted(c.spheres.size(), "sphere") + " from impact to impact");
  Snapshots                       snapshots(run);
  ImpactSequence                  result;

  run.output->write("contacts.csv", [&](std::ostream &contacts) {
    write_contacts_header(contacts, c.spheres.dimension());
    std::optional<convex::Stopwatch> solving;

    std::size_t n_impacts = 0;
    const auto  observe   = [&](const SequenceImpact &impact, const ImpactScene &scene) {
      solving.reset();
      if (impact.effort.status == convex::Status::infeasible)
        throw InputError("Zone/Wall velocities",
                            "The box cannot move as asked after " + short_number(impact.time) +
                                " s: " + micro::blocking_chain(scene.graph, scene.walls, scene.impact.projection.p) +
                                "; change Zone/Wall velocities or leave a gap.");
      if (snapshots.empty() && impact.time > 0.)
        snapshots.write_flight(0., c.spheres, c.U);
      ++n_impacts;
      if (has_picture(n_impacts, run.parameters.impact_pictures_every))
        snapshots.write_impact(impact.time, scene);
      write_contacts(contacts, n_impacts, contact_rows(scene), scene.walls);
      stage.done(std::max(impact.time / parameters.end_time, double(n_impacts) / parameters.max_impacts));
      solving.emplace(seconds);
    };
    solving.emplace(seconds);
    result = micro::impact_sequence(c.spheres, c.walls, c.U, *run.projector(), parameters, observe);
    solving.reset();
    if (snapshots.empty() || result.time > snapshots.last_time())
      snapshots.write_flight(result.time, result.spheres, result.U);
    snapshots.finish();
  });
  return result;
}

/// Where the sequence is not all that would happen until the end that was asked for.
void warn_of_rest(const ImpactSequence &result, Log &log)
{
  const std::string after =
      "After " + counted(result.impacts.size(), "impact") + ", at t = " + short_number(result.time) + " s, ";
  if (result.end == ImpactSequence::End::impact_limit)
    log.warn(after +
             "the sequence was ended by Impact sequence/Maximum number of impacts: more impacts follow, and velocities "
             "and energies are those before them.");
  if (result.end == ImpactSequence::End::far_away)
    log.warn(after + "the sequence was ended, since spheres would then fly so far that their coordinates are too coarse for "
                     "their radii: more impacts may follow.");
  if (result.end == ImpactSequence::End::too_slow)
    log.warn(after + "the sequence was ended, since everything moves by less than " + short_number(1e-140) +
             " m/s, of which squares are no numbers: impacts follow without end, and what they leave is rest.");
}

Index n_collapsed(const ImpactSequence &sequence)
{
  return std::count_if(sequence.impacts.begin(), sequence.impacts.end(), [](const auto &i) { return i.effort.collapsed; });
}

/// "Lawson-Hanson (12)" -> "Lawson-Hanson"
std::string without_counts(const std::string &method) { return method.substr(0, method.find(" (")); }

void judge(MicroOutcome &o, const ImpactSequence &result)
{
  bool guaranteed     = true;
  o.summary.converged = result.end != ImpactSequence::End::overlap;
  o.reason            = "spheres overlap after " + short_number(result.time) + " s";
  for (const SequenceImpact &impact : result.impacts)
    {
      if (!impact.effort.converged() && o.summary.converged)
        {
          o.summary.converged = false;
          o.reason            = convex::name(impact.effort.status) + " at " + short_number(impact.time) + " s";
        }
      guaranteed = guaranteed && impact.certificate.guaranteed;
      // written so that NaN is worse than any number
      if (!(impact.certificate.relative_error_bound < o.summary.certificate.relative_error_bound))
        o.summary.certificate = impact.certificate;
    }
  o.summary.certificate.guaranteed = guaranteed;
}

void count(MicroOutcome &o, const ImpactSequence &result)
{
  std::map<std::string, unsigned int> methods;
  unsigned int                        n_repeated = 0;
  for (const SequenceImpact &impact : result.impacts)
    {
      ++methods[without_counts(impact.method)];
      n_repeated += impact.effort.n_projections > 1;
      o.summary.n_constraints = std::max(o.summary.n_constraints, impact.n_contacts);
      o.summary.effort += impact.effort;
    }
  for (const auto &[method, n] : methods)
    o.method += (o.method.empty() ? "" : ", ") + method + " in " + counted(n, "impact");
  if (methods.empty())
    o.method = "none, U is admissible";
  o.details["method"]   = result.impacts.empty() ? o.method : result.impacts.back().method;
  o.details["methods"]  = methods;
  o.details["impacts"]  = result.impacts.size();
  o.details["repeated"] = n_repeated;
}
} // namespace

void warn_of_digits(const std::string &remark, Log &log)
{
  if (!remark.empty())
    log.warn("What is hit at once and what one after the other hangs on rounded numbers: " + remark +
             "; give more digits, or the tolerance that is meant.");
}

void warn_of_order(const ImpactSequence &sequence, const double restitution, Log &log)
{
  const auto          &impacts = sequence.impacts;
  const auto           hangs   = [](const SequenceImpact &impact) { return impact.hangs_on_tolerance; };
  const std::ptrdiff_t n_hang  = std::count_if(impacts.begin(), impacts.end(), hangs);
  if (n_hang > 0)
    log.warn("In " + counted(n_hang, "impact") + " of " + std::to_string(impacts.size()) +
             ", first at t = " + short_number(std::find_if(impacts.begin(), impacts.end(), hangs)->time) +
             " s, contacts were pressed together with others though their gaps were open: they count as closed by "
             "Spheres/Contact tolerance, and with a smaller one they are hit one after the other, which leaves other "
             "velocities.");
  if (const Index n = restitution > 0. ? n_collapsed(sequence) : 0; n > 0)
    log.warn("Spheres collapsed: endless sequences of impacts were ended, " + counted(n, "time") +
             ", by a projection with e = 0, and gaps are closed since then. What hits such spheres later rebounds as from "
             "spheres that touch; with gaps however small it may lose all of its speed instead (Restitution " +
             short_number(restitution) + ").");
}

MicroOutcome sequence_of_impacts(const MicroSetting &run)
{
  double               seconds = 0.;
  const ImpactSequence result  = follow(run, seconds);

  MicroOutcome o(run, totals_of(run.configuration, result.spheres, result.U));
  run.output->write("spheres.csv", [&](std::ostream &out) { micro::write_csv(out, result.spheres, result.U); });
  o.impacts                  = result.impacts;
  o.summary.energy_projected = result.impacts.empty() ? o.summary.energy_before : result.impacts.front().energy_projected;
  take_out_lost_energies(o.summary, convex::max_abs(run.configuration.U), run.log);
  judge(o, result);
  count(o, result);
  warn_of_order(result, run.parameters.law.restitution, run.log);
  warn_of_rest(result, run.log);
  o.summary.effort.seconds   = seconds; // flights included
  o.details["final_time"]    = number(result.time);
  o.details["ended_because"] = micro::name(result.end);
  o.details["collapsed"]     = n_collapsed(result) > 0;
  o.rows.emplace_back("impacts", std::to_string(result.impacts.size()) + " until " + short_number(result.time) +
                                     " s: " + micro::name(result.end));
  if (const Index n = n_collapsed(result); n > 0)
    o.rows.emplace_back("inelastic collapses", counted(n, "impact") + " ended by an inelastic projection");
  return o;
}
} // namespace moreau::app
