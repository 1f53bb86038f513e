// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/disorder.h"

#include "app/input/macro_setting.h"
#include "app/input/memory.h"
#include "app/input/packing_file.h"
#include "app/input/shared_setting.h"
#include "app/input/text/words.h"
#include "app/output/disorder_tables.h"
#include "app/output/homogenization_output.h"
#include "app/output/micro_output.h"
#include "app/output/pictures.h"
#include "app/output/plot.h"
#include "app/run/reference_mesh.h"
#include "app/run/references.h"
#include "app/run/sample_network.h"
#include "app/run/shared_samples.h"

#include "convex/clock.h"
#include "convex/input_error.h"
#include "exchange/hdf5_table.h"
#include "micro/packings.h"
#include "parallel/collectives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace moreau::app
{
namespace
{
constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

using homogenization::Packing;
using homogenization::Reference;

/// Where no s is nearer than others there is none, and the sample says so.
void withdraw_flat_fit(DisorderSample &sample)
{
  homogenization::FittedDilatancy &fit   = *sample.fit;
  const double                     scale = sample.level.scale;
  if (!fit.is_flat(scale))
    return;
  fit.s = fit.lower = fit.upper = not_there;
  sample.fit_warning =
      "A sample of " + counted(sample.level.n_spheres, "sphere") + " has no best s: its distances to the cones of all s " +
      (scale > 0. ? "differ by " + short_number(fit.spread / scale) + " of |U - mean U| only" : "are the same") +
      ", since this U is let pass, or stopped, by all of them; take another velocity.";
}

class DisorderRun : public Run
{
public:
  DisorderRun(ParameterFile &file, Log &log) : Run(file, log, processes_of(file.values()))
  {
    find_samples();
    choose_mesh();
  }

private:
  void                   look() override;
  void                   compute() override;
  void                   say_outcome() override;
  nlohmann::ordered_json summary() const override;

  /// Spheres of one sample, before a contact tolerance makes contacts of them.
  struct Origin
  {
    std::size_t                 size            = 0;
    double                      per_unit_length = 0.; ///< of lattices
    micro::Index                number          = 0;  ///< of random packings
    std::filesystem::path       file;                 ///< or empty
    std::optional<unsigned int> seed;
  };

  void          find_samples();
  void          choose_mesh();
  CachedPacking spheres(const Origin &origin);
  CachedPacking packed(const Origin &origin);
  int           owner(const Origin &origin) const;
  void          compare(const Origin &origin, const macro::Setting &setting);
  void          compare_all(const macro::Setting &setting);
  void          say(const DisorderSample &sample);
  void          write_pictures(const Packing &packing, const homogenization::Level &level, std::size_t number);
  void          plot();
  void          set_result();

  std::vector<Origin>                                 origins;
  std::vector<double>                                 tolerances;
  std::vector<Reference>                              compared;
  std::optional<homogenization::DilatantProjections>  dilatant;
  std::vector<std::pair<std::size_t, DisorderSample>> own;     ///< of this process, with their numbers
  DisorderSamples                                     samples; ///< all, on the first process
  std::optional<Pictures>                             pictures;
  std::string                                         drawn;
};

/// Coarse levels first.
void DisorderRun::find_samples()
{
  const auto               &h     = parameters.homogenization;
  std::vector<unsigned int> seeds = h.seeds;
  const bool is_random = parameters.spheres.arrangement == "random packing" || parameters.spheres.lattice.is_random();
  if (seeds.empty() && is_random)
    seeds = {parameters.spheres.lattice.seed};
  if (parameters.spheres.arrangement == "random packing")
    {
      std::vector<unsigned int> numbers = h.packings;
      std::sort(numbers.begin(), numbers.end());
      for (std::size_t size = 0; size < numbers.size(); ++size)
        for (const unsigned int seed : seeds)
          origins.push_back({size, 0., static_cast<micro::Index>(numbers[size]), {}, seed});
      require_memory(numbers.back(), parameters.dimension, "Homogenization/Packings");
      if (const double overlap = parameters.motion.packing.overlap; overlap > 0.)
        log.line("soft spheres, compressed by " + short_number(overlap) +
                 " of their radii beyond jamming: contacts are overlaps, "
                 "tolerance is what radii lost, of R_i + R_j");
    }
  else if (parameters.spheres.arrangement == "file")
    {
      std::vector<std::pair<micro::Index, std::string>> found;
      const RoundedFile                                 rounded =
          read_files_of_spheres(file, [&found](const std::string &path, const micro::SphereFile &read) {
            found.emplace_back(read.spheres.size(), path);
          });
      std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
      std::vector<std::string> names;
      for (std::size_t k = 0; k < found.size(); ++k)
        {
          // files with as many spheres are samples of one size
          const std::size_t size = k == 0 ? 0 : origins.back().size + (found[k].first != found[k - 1].first);
          origins.push_back({size, 0., found[k].first, found[k].second, {}});
          names.push_back(found[k].second);
        }
      file.set("Spheres/File", joined(names, ", "));
      if (h.contact_tolerances.size() == 0)
        if (const std::string remark = fit_contact_tolerance(file, rounded); !remark.empty())
          log.line(remark);
    }
  else
    {
      std::vector<double> sizes = parameters.spheres.per_unit_length;
      std::sort(sizes.begin(), sizes.end());
      require_memory_for_level(parameters, sizes.back(), processes, /*in_parts=*/false);
      for (std::size_t size = 0; size < sizes.size(); ++size)
        if (seeds.empty())
          origins.push_back({size, sizes[size], 0, {}, {}});
        else
          for (const unsigned int seed : seeds)
            origins.push_back({size, sizes[size], 0, {}, seed});
    }
  tolerances.assign(h.contact_tolerances.begin(), h.contact_tolerances.end());
  if (tolerances.empty())
    tolerances = {parameters.spheres.contact_tolerance};
}

/// A mesh that the user left open is as fine as dilatant cones, of which there may be many, can afford.
void DisorderRun::choose_mesh()
{
  if (file.given("Mesh/Cells per unit length"))
    return;
  file.set("Mesh/Cells per unit length",
           digits(rounded_up(std::min(affordable_cells(parameters), least_cells(parameters)))));
}

/// In a box that repeats itself along all axes.
CachedPacking DisorderRun::packed(const Origin &origin)
{
  micro::PackingParameters how = parameters.motion.packing;
  how.lower                    = parameters.zone.lower_corner;
  how.upper                    = parameters.zone.upper_corner;
  how.periodic                 = std::vector<bool>(parameters.dimension, true);
  how.n                        = origin.number;
  how.seed                     = *origin.seed;

  const std::string what = counted(origin.number, "sphere") + ", seed " + std::to_string(*origin.seed);
  Stage             stage(stages, "Random packings", "packing " + what);
  const auto    make = [&] { return micro::random_packing(how, [&stage](const double fraction) { stage.done(fraction); }); };
  CachedPacking made = packing_of_cache(parameters.motion.packing_cache, how, make);
  if (how.coverage == 0. && !made.packing.jammed)
    throw InputError("Homogenization/Packings",
                     "The packing of " + what + " is not jammed; give more spheres, or a coverage.");
  return made;
}

CachedPacking DisorderRun::spheres(const Origin &origin)
{
  if (!origin.file.empty())
    return {{exchange::read_spheres_of_run(origin.file.string(), parameters.dimension).spheres}, false, {}};
  if (origin.per_unit_length == 0.)
    return packed(origin);
  Parameters of_sample              = parameters;
  of_sample.spheres.per_unit_length = {origin.per_unit_length};
  if (origin.seed)
    of_sample.spheres.lattice.seed = *origin.seed;
  return {{arranged_spheres(of_sample)}, false, {}};
}

void DisorderRun::look()
{
  require_admissible_gradients(macro_setting(file, geometry::Processes::alone()), parameters);
  log.line(counted(static_cast<long long>(origins.size()), "sample") + ", " +
           counted(static_cast<long long>(tolerances.size()), "contact tolerance") + " each");
}

void DisorderRun::compare(const Origin &origin, const macro::Setting &setting)
{
  homogenization::StudyOptions options;
  options.solver      = parameters.solver;
  options.criterion   = parameters.criterion;
  options.interpolant = options.falk = false;
  options.windows                    = parameters.homogenization.windows;

  CachedPacking found        = spheres(origin);
  found.packing.spheres      = in_periodic_box(std::move(found.packing.spheres), parameters);
  const micro::Packing &made = found.packing;
  const micro::Spheres &all  = made.spheres;
  for (std::size_t k = 0; k < tolerances.size(); ++k)
    {
      DisorderSample sample;
      sample.size             = origin.size;
      sample.tolerance_number = k;
      sample.tolerance        = made.reach > 0. ? made.reach : tolerances[k];
      sample.seed             = origin.seed;
      std::optional<Packing> packing;
      double                 seconds_cells = 0.;
      {
        const Stage             stage(stages, "Spheres and cells", "cutting cells");
        const convex::Stopwatch watch(seconds_cells);
        micro::ContactGraph     graph = graph_of(made, walls(parameters), tolerances[k], periodic_box(parameters));
        if (made.reach == 0.)
          sample.contact_warning = warning_on_lost_contacts(all, walls(parameters), tolerances[k], graph);
        packing.emplace(all, walls(parameters), std::move(graph), setting.domain, geometry::Processes::alone(),
                        setting.mean_gradient);
      }
      {
        Stage stage(stages, "Samples", "projecting " + counted(all.size(), "sphere") + " and comparing");
        sample.level = homogenization::study(*packing, setting, compared, options, stage.progress());
      }
      sample.level.seconds_cells = seconds_cells;
      find_network(sample, made, parameters, stages);
      sample.spacing = std::pow(sample.level.zone_volume / static_cast<double>(all.size()), 1. / parameters.dimension);
      if (dilatant)
        {
          const Stage stage(stages, "Best dilatancies", "looking for the nearest " + name(family_of(parameters)) + " cone");
          sample.fit = homogenization::fitted_dilatancy(packing->cells, sample.level.u_tilde, *dilatant);
          withdraw_flat_fit(sample);
        }
      else if (parameters.homogenization.fit_dilatancy)
        sample.fit = homogenization::FittedDilatancy{not_there, not_there, not_there, not_there};
      if (k == 0) // once for all contact tolerances
        {
          sample.packing_was_there = found.was_there;
          sample.packing_warning   = found.warning;
        }
      if (processes.size() == 1)
        say(sample);
      const bool        is_last = &origin == &origins.back();
      const std::size_t number  = (&origin - origins.data()) * tolerances.size() + k;
      if (parameters.homogenization.pictures == "all" || (parameters.homogenization.pictures == "finest" && is_last))
        write_pictures(*packing, sample.level, number);
      for (convex::Vector *const large :
           {&sample.level.U_tilde, &sample.level.u_tilde, &sample.level.u_int, &sample.level.p})
        large->resize(0);
      own.emplace_back(number, std::move(sample));
    }
}

/// The process that computes a sample: the first one has the last, and all where every one has pictures, which it writes.
int DisorderRun::owner(const Origin &origin) const
{
  if (parameters.homogenization.pictures == "all")
    return 0;
  return static_cast<int>((&origins.back() - &origin) % processes.size());
}

/// Samples know nothing of each other, so that each is computed by one process as if it were alone.
void DisorderRun::compare_all(const macro::Setting &setting)
{
  const int n = processes.size();
  if (n > 1)
    log.line(parameters.homogenization.pictures == "all"
                 ? "Pictures of all samples are asked for: process 0 of " + std::to_string(n) +
                       " does the work, the others wait"
                 : std::to_string(n) + " processes share the samples; rows come when all are done");
  geometry::together(processes, [&] {
    for (const Origin &origin : origins)
      if (owner(origin) == processes.rank())
        compare(origin, setting);
  });
  samples = gathered_samples(processes, own);
  if (std::any_of(samples.begin(), samples.end(), [](const DisorderSample &s) { return s.level.n_contacts == 0; }))
    log.warn("Nothing touches in a sample, so that v = Ũ: give a larger contact tolerance.");
  if (n > 1)
    for (const DisorderSample &sample : samples)
      say(sample);
}

void DisorderRun::say(const DisorderSample &sample)
{
  if (sample.packing_was_there)
    log.line("the packing of " + counted(sample.level.n_spheres, "sphere") + ", seed " + std::to_string(*sample.seed) +
             " is that of an earlier run");
  if (!sample.packing_warning.empty())
    log.warn(sample.packing_warning);
  if (!sample.network_warning.empty())
    log.warn(sample.network_warning);
  if (!sample.contact_warning.empty())
    log.warn(sample.contact_warning);
  if (!sample.fit_warning.empty())
    log.warn(sample.fit_warning);
  log.line(samples_row(sample, compared));
}

void DisorderRun::write_pictures(const Packing &packing, const homogenization::Level &level, const std::size_t number)
{
  Stage stage(stages, "Output", "writing files");
  pictures->write(snapshot_of(packing, level, number), stage.progress());
}

void DisorderRun::plot()
{
  Stage      stage(stages, "Output", "drawing plots");
  const auto write = [this](std::ostream &out) { write_means(out, samples, compared, parameters.homogenization.windows); };
  Plot       plot  = disorder_plot(title_of(file), parameters.dimension, samples, compared);
  plot.formats     = parameters.plot_formats;
  plot.table       = "disorder.csv";
  const std::string missing = draw(plot, output->path(), "disorder", write, stage.progress());
  drawn                     = missing.empty() ? pictures_of(plot, "disorder") + ", disorder.gp, " : "";
  if (!missing.empty())
    log.warn(missing);
  output->write("disorder.csv", write);
  output->write("samples.csv",
                [this](std::ostream &out) { write_samples(out, samples, compared, parameters.homogenization.windows); });
}

/// Of the last sample, with the worst certificate of all.
void DisorderRun::set_result()
{
  const homogenization::Level &last         = samples.back().level;
  const auto                   is_certified = [](const Reference &reference) { return reference.certified; };
  result.converged                          = std::all_of(compared.begin(), compared.end(), is_certified);
  result.n_unknowns                         = parameters.dimension * last.n_spheres;
  result.n_constraints                      = last.n_contacts;
  result.energy_before                      = last.of_fluctuations ? not_there : .5 * last.norm_U_tilde * last.norm_U_tilde;
  result.energy_projected = result.energy_after = last.of_fluctuations ? not_there : .5 * last.norm_v * last.norm_v;
  result.certificate                            = last.certificate;
  for (const DisorderSample &sample : samples)
    {
      result.converged = result.converged && sample.level.effort.converged();
      result.effort += sample.level.effort;
      if (sample.level.certificate.relative_error_bound > result.certificate.relative_error_bound)
        result.certificate = sample.level.certificate;
    }
  result.verdict = result.converged ? "not certified: distances of samples, each with the error of its u"
                                    : "not certified: a projection did not converge";
}

nlohmann::ordered_json DisorderRun::summary() const
{
  nlohmann::ordered_json json = app::to_json(result);
  if (!is_first())
    return json;
  json["processes"]  = processes.size();
  json["solver"]     = parameters.solver;
  json["cone"]       = name(parameters.cone.type);
  json["windows"]    = parameters.homogenization.windows;
  json["references"] = nlohmann::ordered_json::array();
  for (const Reference &reference : compared)
    json["references"].push_back(to_json(reference));
  add_to_json(json, samples, compared);
  return json;
}

void DisorderRun::say_outcome()
{
  for (const std::string &line : means_table(samples, compared))
    log.line(line);
  log.row(result.certificate.guaranteed ? "micro error bound" : "micro error estimate",
          short_number(result.certificate.relative_error_bound) + scale_of_micro_bound(samples.back().level) +
              " on the worst sample" + (result.certificate.guaranteed ? ", guaranteed" : ""));
  for (const Reference &reference : compared)
    log.row("error of u",
            short_number(reference.error) + ", " + reference.name + (reference.guaranteed ? "" : ", an estimate"));
  say_tolerance(log, result);
  log.row("files", (output->path() / "").string() + ": samples.csv, disorder.csv, " + drawn + "solution.pvd");
  log.line(result.converged ? "converged" : "not converged");
}

void DisorderRun::compute()
{
  const macro::Setting               setting = macro_setting(file, geometry::Processes::alone());
  std::vector<std::filesystem::path> inputs;
  for (const Origin &origin : origins)
    inputs.push_back(origin.file);
  open(inputs);
  if (is_first())
    pictures.emplace(parameters, log);
  if (const std::string remark = macro::remark_on_closed_box(setting); !remark.empty())
    log.warn(remark);
  compared = compared_with(setting, parameters, stages, log);
  check_closed_form(compared, setting, parameters, stages, log);
  if (parameters.homogenization.fit_dilatancy && is_mean_gradient_alone(setting, parameters))
    log.warn("There is no best s: U = D x is its own projection on the cones of all s that let it pass.");
  else if (parameters.homogenization.fit_dilatancy)
    dilatant.emplace([this, setting](const double s) {
      Reference u = projected(with_dilatancy(setting, s, parameters), parameters, stages);
      u.u         = homogenization::fluctuation_of(u, setting);
      return u;
    });
  for (const std::string &line :
       samples_header(compared, parameters.homogenization.fit_dilatancy, parameters.homogenization.contact_cone))
    log.line(line);
  compare_all(setting);
  if (is_first())
    {
      guard_writing([&] {
        pictures->finish();
        pictures->list_each_mesh();
      });
      plot();
      set_result();
    }
  parallel::from_first(processes, &result.converged, sizeof result.converged);
}
} // namespace

std::unique_ptr<Run> disorder_study(ParameterFile &file, Log &log) { return std::make_unique<DisorderRun>(file, log); }
} // namespace moreau::app
