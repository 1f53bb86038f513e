// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/micro_impact.h"

#include "app/input/macro_setting.h"
#include "app/input/memory.h"
#include "app/input/shared_setting.h"
#include "app/input/text/words.h"
#include "app/output/micro_output.h"
#include "app/output/verdict.h"
#include "app/run/sequence_of_impacts.h"
#include "app/run/single_impact.h"
#include "parallel/parts_of_spheres.h"
#include "parallel/shared_impact.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

namespace moreau::app
{
namespace
{
/// flies: the spheres do, until they meet. n_contacts: of all processes.
void say_configuration(const Configuration &c, const micro::Index n_spheres, const micro::Index n_contacts, const bool flies,
                       Log &log)
{
  log.line(counted(n_spheres, "sphere") + " in dimension " + std::to_string(c.spheres.dimension()) + ", " +
           counted(n_contacts, "contact") + ", " + counted(c.walls.size(), "wall"));
  if (flies)
    warn_of_digits(c.remark, log);
  else if (!c.remark.empty())
    log.line(c.remark);
  if (!c.lost_contacts.empty())
    log.warn(c.lost_contacts);
  if (c.packing)
    {
      log.line(c.packing->text());
      if (!c.packing->warning.empty())
        log.warn(c.packing->warning);
    }
  if (n_contacts == 0 && !flies)
    log.warn("Nothing touches" +
             (std::isfinite(c.graph.smallest_gap) ? ", the smallest gap is " + short_number(c.graph.smallest_gap) + " m"
                                                  : std::string()) +
             ": the velocity is that before. To let spheres fly until they meet set Impact sequence/Maximum number of "
             "impacts, or Problem = particle motion; to count such gaps as contacts, Spheres/Contact tolerance.");
}

class MicroRun : public Run
{
public:
  MicroRun(ParameterFile &file, Log &log) : Run(file, log, processes_of(file.values())) {}

private:
  void look() override
  {
    parallel::by_first(processes, [&] {
      configuration = app::configuration(file);
      say_configuration(configuration, configuration.spheres.size(), configuration.graph.n_contacts(), flies(), log);
    });
  }

  bool flies() const { return parameters.impact_sequence.max_impacts > 0; }

  void compute() override
  {
    {
      Stage stage(stages, "Spheres and contacts", "placing spheres and finding contacts");
      configure([&stage](const double fraction) { stage.done(fraction); });
    }
    const micro::Index n_spheres  = processes.sum(configuration.spheres.size());
    const micro::Index n_contacts = processes.sum(configuration.graph.n_contacts());
    if (is_first())
      say_configuration(configuration, n_spheres, n_contacts, flies(), log);
    say_sharing();
    open(parameters.spheres.arrangement == "file" ? std::vector<std::filesystem::path>{parameters.spheres.file}
                                                  : std::vector<std::filesystem::path>{});
    parallel::by_first(processes, [&] {
      if (configuration.packing)
        write_packing(*output, *configuration.packing, configuration.spheres, configuration.U);
    });
    const MicroSetting setting = {file, parameters, configuration, output, stages, log};
    if (shared)
      outcome.emplace(single_impact(setting, *shared, std::move(r_j), processes));
    else
      parallel::by_first(processes,
                         [&] { outcome.emplace(flies() ? sequence_of_impacts(setting) : single_impact(setting)); });
    parallel::by_first(processes, [&] { finish(); });
    parallel::from_first(processes, &result.converged, sizeof result.converged);
  }

  /// Spheres and contacts: some on each process where the impact is shared, else all on the first.
  void configure(const std::function<void(double)> &progress)
  {
    configuration = configuration_without_contacts(file, processes, progress);
    if (parameters.spheres.arrangement != "random packing") // which takes far longer than its contacts
      progress(.4);
    parallel::SharingOptions options;
    options.contact_tolerance = parameters.spheres.contact_tolerance;
    options.largest_factor    = largest_factor();
    options.box               = periodic_box(parameters);
    options.mean_gradient     = configuration.D;
    if (is_shareable(parameters))
      shared = parallel::share_impact(configuration.spheres, configuration.walls, configuration.U, options, processes);
    if (shared)
      {
        parallel::GivenContacts given = shared->given_contacts();
        configuration.graph           = std::move(given.graph);
        r_j                           = std::move(given.r_j);
        return;
      }
    configuration.spheres = parallel::on_first(processes, configuration.spheres);
    configuration.U       = parallel::on_first(processes, configuration.U);
    parallel::by_first(processes, [&] { find_contacts(parameters, configuration); });
  }

  /// Bytes that process 0 factorises alone.
  double largest_factor() const
  {
    if (parameters.factorisation == "all processes")
      return 0.;
    constexpr double part_of_free   = .7; // fronts and the matrix need some, too
    const bool       is_one_machine = processes.n_on_this_machine() == processes.size();
    if (parameters.factorisation == "one process" || is_one_machine)
      return std::numeric_limits<double>::infinity();
    return std::min(part_of_free * available_memory(), std::numeric_limits<double>::max());
  }

  void say_sharing()
  {
    constexpr double enough_spheres = 4e4; // doc/numerics.md, On several processes
    const int        n              = processes.size();
    if (n == 1)
      return;
    if (!shared)
      {
        log.line("This impact is not shared, it or its periodic box is too small: process 0 of " + std::to_string(n) +
                 " does the work, the others wait.");
        return;
      }
    const double n_spheres = static_cast<double>(convex::shared_network(shared->problem)->here().n_nodes);
    log.line(std::to_string(n) + " processes, " + counted(shared->n_blocks(), "block") + " of " +
             std::to_string(parallel::SharingOptions().block_size) + " spheres, " +
             short_number(100. * static_cast<double>(shared->n_ghosts()) / n_spheres) +
             " % of the spheres are copies on other processes");
    if (n_spheres < enough_spheres * n)
      log.line("With fewer than " + short_number(enough_spheres) +
               " spheres a process, one process is faster where other programs use the cores.");
  }

  /// What the first process does with the outcome.
  void finish()
  {
    result = outcome->summary;
    result.verdict =
        verdict_on_impact(result, parameters.law.restitution, scale_in_words(!configuration.walls.empty()), outcome->reason);
    const long long n_factorised = shared ? convex::shared_network(shared->problem)->processes().n_factorised_by_all() : 0;
    if (n_factorised > 0)
      log.warn("Matrices were factorised by all " + std::to_string(processes.size()) +
               " processes (MUMPS): digits depend on how many there are, bounds hold for what was found.");
    const Stage stage(stages, "Output", "writing files");
    output->write("statistics.csv", [&](std::ostream &out) { write_statistics(out, outcome->impacts); });
  }

  void say_outcome() override
  {
    outcome->say(result, parameters.law.restitution, !configuration.walls.empty(), log);
    log.row("files", (output->path() / "").string() + ": open solution.pvd in ParaView");
    log.line(result.converged ? "converged" : "not converged: " + outcome->reason);
  }

  nlohmann::ordered_json summary() const override
  {
    nlohmann::ordered_json json = to_json(result);
    if (outcome)
      json.update(outcome->details);
    json["processes"] = processes.size();
    return json;
  }

  Configuration                         configuration;
  std::optional<parallel::SharedImpact> shared;
  Eigen::MatrixXd                       r_j;     ///< of a shared impact, see GivenContacts
  std::optional<MicroOutcome>           outcome; ///< of the first process, and of all where the impact is shared
};
} // namespace

std::unique_ptr<Run> micro_impact(ParameterFile &file, Log &log) { return std::make_unique<MicroRun>(file, log); }
} // namespace moreau::app
