// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep.h"

#include "app/input/text/words.h"
#include "app/output/checkpoint.h"
#include "app/output/child_process.h"
#include "app/output/origin.h"
#include "app/run/problems.h"
#include "app/run/stop_signals.h"
#include "app/sweep/sweep_files.h"

#include "convex/clock.h"
#include "convex/input_error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <csignal>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <thread>

namespace moreau::app
{
namespace
{
namespace fs = std::filesystem;
using Json   = nlohmann::ordered_json;

std::string text_in(const fs::path &file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// --set of the sweep replaces that of the command line.
std::vector<std::string> without(const std::vector<std::string> &settings, const std::vector<std::string> &replaced)
{
  std::vector<std::string> result;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(result), [&](const std::string &setting) {
    return std::none_of(replaced.begin(), replaced.end(),
                        [&](const std::string &other) { return parse_setting(other).path == parse_setting(setting).path; });
  });
  return result;
}

std::vector<std::string> together(std::vector<std::string> settings, const std::vector<std::string> &others)
{
  settings.insert(settings.end(), others.begin(), others.end());
  return settings;
}

/// What the runs have in common. Where the file alone is refused, as it uses a parameter only with what is swept, with the
/// first values of that.
ParameterFile base_of(const CommandLine &options)
{
  const std::vector<std::string> settings = together(options.settings, options.heads);
  try
    {
      return ParameterFile(options.parameter_file, settings);
    }
  catch (const InputError &)
    {
      try
        {
          return ParameterFile(options.parameter_file, together(settings, first_values(options.sweeps)));
        }
      catch (const InputError &)
        {}
      throw;
    }
}

/// The sentence behind "moreau: FILE: ".
std::string complaint_in(const std::string &said, const std::string &parameter_file)
{
  const std::string head = "moreau: " + parameter_file + ": ", line = said.substr(0, said.find('\n'));
  return line.rfind(head, 0) == 0 ? line.substr(head.size()) : line;
}

class Sweep
{
public:
  Sweep(const CommandLine &options, Log &log)
      : options(options)
      , log(log)
      , base(base_of(options))
      , swept(parse_sweeps(options.sweeps, options.settings, base))
      , folder(!options.output.empty()                   ? options.output
               : !base.values().output_directory.empty() ? base.values().output_directory
                                                         : "output/" + fs::path(options.parameter_file).stem().string())
  {
    const std::vector<Combination> combinations = combinations_of(swept);
    const auto                     cores = static_cast<std::size_t>(std::max(1u, std::thread::hardware_concurrency()));
    n_jobs                               = std::min(options.jobs > 0 ? options.jobs : cores, combinations.size());
    threads_of_each                      = std::max<std::size_t>(1, cores / n_jobs);
    for (const Combination &combination : combinations)
      add_run(combination);
  }

  void say_plan() const
  {
    log.line("moreau " + version() + ": sweep of " + options.parameter_file + ", " +
             counted(static_cast<long long>(runs.size()), "run") + ", " + std::to_string(n_jobs) + " at a time");
    for (const Swept &parameter : swept)
      log.line("  " + parameter.name() + ": " +
               joined(parameter.values, parameter.values.front().find(',') == std::string::npos ? ", " : " | "));
  }

  /// What --check does, for each run. Throws InputError, which names the first that is wrong.
  void check() const;

  ExitStatus run();

private:
  struct Active
  {
    SweptRun                     &run;
    Stream                        input, output, errors;
    std::unique_ptr<ChildProcess> process;
    convex::Clock::time_point     start = convex::Clock::now();

    explicit Active(SweptRun &run) : run(run) {}
  };

  void                     read(const SweptRun &run, const std::function<void(ParameterFile &file)> &use) const;
  void                     add_run(const Combination &combination);
  std::vector<std::string> command_of(const SweptRun &run) const;
  bool                     is_done_already(const SweptRun &run) const;
  bool        can_go_on(const SweptRun &run) const { return fs::exists(folder / run.folder / Checkpoint::file_name); }
  void        run_all(const fs::path &directory);
  void        finish(Active &active);
  void        say(const SweptRun &run, double seconds);
  Json        summary() const;
  ExitStatus  worst() const;
  std::string complaint(long long n_converged) const;

  const CommandLine    &options;
  Log                  &log;
  ParameterFile         base;
  std::vector<Swept>    swept;
  fs::path              folder;
  std::vector<SweptRun> runs;
  std::size_t           n_jobs = 1, threads_of_each = 1, n_ended = 0, n_computed = 0;
  int                   signal = 0; ///< that it was told to stop by

  convex::Clock::time_point start = convex::Clock::now();
};

/// Does something with the parameters of a run, whose combination errors name.
void Sweep::read(const SweptRun &run, const std::function<void(ParameterFile &file)> &use) const
{
  try
    {
      ParameterFile file(options.parameter_file, run.settings);
      use(file);
    }
  catch (const InputError &error)
    {
      throw InputError(error.subject, "With " + in_words(swept, run.combination) + ": " + error.sentence);
    }
}

void Sweep::add_run(const Combination &combination)
{
  SweptRun run;
  char     name[32];
  std::snprintf(name, sizeof name, "run_%03zu", runs.size() + 1);
  run.folder                          = name;
  run.combination                     = combination;
  const std::vector<std::string> mine = settings_of(swept, combination, base);
  run.settings                        = without(options.settings, mine);
  run.settings.insert(run.settings.end(), mine.begin(), mine.end());
  read(run, [&run](ParameterFile &file) { run.problem = file.values().problem; });
  runs.push_back(std::move(run));
}

std::vector<std::string> Sweep::command_of(const SweptRun &run) const
{
  const fs::path           directory = folder / run.folder;
  std::vector<std::string> words     = {fs::read_symlink("/proc/self/exe").string(), options.parameter_file, "--quiet",
                                        "--output", directory.string()};
  for (const std::string &setting : run.settings)
    words.insert(words.end(), {"--set", setting});
  if (options.threads > 0)
    words.insert(words.end(), {"--threads", std::to_string(options.threads)});
  else if (n_jobs > 1 && base.values().threads == 0)
    words.insert(words.end(), {"--threads", std::to_string(threads_of_each)});
  if (options.resume && can_go_on(run))
    words.push_back("--resume");
  return words;
}

void Sweep::check() const
{
  Log quiet(nullptr);
  require_usable(folder, options.resume);
  for (const SweptRun &run : runs)
    read(run, [&quiet](ParameterFile &file) { check_problem(file, quiet); });
}

/// Whether it has come to its end in this folder, with the same parameters, files that have not been written since, and
/// certified.
bool Sweep::is_done_already(const SweptRun &run) const
{
  const fs::path directory = folder / run.folder;
  const Json     earlier   = Json::parse(text_in(directory / "summary.json"), nullptr, false);
  if (!earlier.is_object() || earlier.value("status", "") != "converged" || earlier.value("version", "") != version() ||
      earlier.value("git_hash", Json()) != git_hash())
    return false;
  std::error_code none;
  const auto      when = fs::last_write_time(directory / "summary.json", none);
  try
    {
      const ParameterFile wanted(options.parameter_file, run.settings), had(directory / "parameters.prm", {});
      const auto          values = wanted.values_as_text(), values_then = had.values_as_text();
      for (std::size_t k = 0; k < values.size(); ++k)
        {
          const auto &[path, value] = values[k];
          const std::string then = values_then[k].second, whole = wanted.absolute(value); // names of files are made whole
          if (path == "Output directory")
            continue;
          if (then != value && then != whole && !(then == "from file" && !wanted.given(path)))
            return false;
          if (fs::is_regular_file(whole, none) && fs::last_write_time(whole, none) > when)
            return false;
        }
    }
  catch (const InputError &)
    {
      return false;
    }
  return true;
}

void Sweep::say(const SweptRun &run, const double seconds)
{
  ++n_ended;
  const std::string number = std::to_string(runs.size()), ended = std::to_string(n_ended);
  std::string line = "  [" + std::string(number.size() - ended.size(), ' ') + ended + "/" + number + "] " + run.folder +
                     "  " + in_words(swept, run.combination) + ": " + run.outcome();
  line += seconds < 0. ? " before"
                       : ", " + (seconds < 10. ? short_number(std::round(10. * seconds) / 10.) + " s" : duration(seconds));
  const std::size_t rest  = runs.size() - n_ended;
  const double      until = convex::seconds_since(start);
  const double      left  = until / std::max(1., static_cast<double>(n_computed)) * static_cast<double>(rest);
  if (until > 2. && left > 2.)
    line += "; about " + duration(left) + " left";
  log.line(line);
  if (!run.complaint.empty() && run.outcome() == "failed")
    log.warn(run.folder + " (" + in_words(swept, run.combination) + ") failed: " + run.complaint);
}

void Sweep::finish(Active &active)
{
  SweptRun &run = active.run;
  run.status    = active.process->exit_status();
  run.complaint = complaint_in(active.errors.content(), options.parameter_file);
  if (run.outcome() == "failed" && run.complaint.empty())
    run.complaint = "Its process ended with status " + std::to_string(run.status) + " and without a word.";
  const Json summary = Json::parse(text_in(folder / run.folder / "summary.json"), nullptr, false);
  if (summary.is_object() && (run.outcome() == "converged" || run.outcome() == "not converged"))
    run.summary = summary;
  ++n_computed;
  say(run, convex::seconds_since(active.start));
}

void Sweep::run_all(const fs::path &directory)
{
  const StopSignals                    signals;
  std::vector<std::unique_ptr<Active>> active;
  std::size_t                          next = 0;
  while (next < runs.size() || !active.empty())
    {
      for (; signal == 0 && next < runs.size() && active.size() < n_jobs; ++next)
        {
          SweptRun &run = runs[next];
          if (options.resume && is_done_already(run))
            {
              run.status  = 0;
              run.summary = Json::parse(text_in(directory / run.folder / "summary.json"));
              say(run, -1.);
              continue;
            }
          active.push_back(std::make_unique<Active>(run));
          Active &started = *active.back();
          started.process = std::make_unique<ChildProcess>(command_of(run), started.input, started.output, started.errors);
        }
      if (signal == 0 && (signal = signals.received()) != 0)
        {
          for (const auto &child : active)
            child->process->send(signal);
          next = runs.size();
        }
      for (auto &child : active)
        if (child->process->has_ended())
          {
            finish(*child);
            child.reset();
          }
      active.erase(std::remove(active.begin(), active.end(), nullptr), active.end());
      if (!active.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

ExitStatus Sweep::worst() const
{
  if (signal != 0)
    return signal == SIGINT ? ExitStatus::interrupted : ExitStatus::terminated;
  ExitStatus result = ExitStatus::done;
  for (const SweptRun &run : runs)
    if (run.outcome() == "not converged" && result == ExitStatus::done)
      result = ExitStatus::not_converged;
    else if (run.outcome() == "failed")
      result = run.status == static_cast<int>(ExitStatus::bad_input) && result != ExitStatus::other ? ExitStatus::bad_input
                                                                                                    : ExitStatus::other;
  return result;
}

std::string Sweep::complaint(const long long n_converged) const
{
  if (signal != 0)
    return "It was told to stop; the same command with --resume goes on.";
  for (const SweptRun &run : runs)
    if (run.outcome() == "failed")
      return "Of " + counted(static_cast<long long>(runs.size()), "run") + " " + std::to_string(n_converged) +
             " converged; the first that failed is " + run.folder + ", " + in_words(swept, run.combination) + ": " +
             run.complaint;
  return "Solver: Of " + counted(static_cast<long long>(runs.size()), "run") + " only " + std::to_string(n_converged) +
         " came below the tolerance; the others are marked 'not converged' in " + (folder / "sweep.csv").string() + ".";
}

Json Sweep::summary() const
{
  Json json;
  json["problem"] = "sweep";
  json["version"] = version();
  json["status"]  = worst() == ExitStatus::done ? "converged" : "not converged";
  add_origin(json);
  json["wall_time_s"] = convex::seconds_since(start);
  json["swept"]       = Json::array();
  for (const Swept &parameter : swept)
    json["swept"].push_back({{"parameter", parameter.path},
                             {"constant", parameter.constant.empty() ? Json() : Json(parameter.constant)},
                             {"values", parameter.values}});
  json["runs"] = Json::array();
  for (const SweptRun &run : runs)
    json["runs"].push_back({{"folder", run.folder},
                            {"settings", run.settings},
                            {"problem", run.problem},
                            {"status", run.outcome()},
                            {"exit_status", run.status < 0 ? Json() : Json(run.status)},
                            {"message", run.complaint}});
  return json;
}

ExitStatus Sweep::run()
{
  OutputDirectory output(folder, {base.path()});
  output.say_what_is_replaced(log);
  std::set<std::string> kept;
  if (options.resume)
    for (const SweptRun &run : runs)
      if (is_done_already(run) || can_go_on(run))
        kept.insert(run.folder);
  remove_earlier_runs(output, kept);
  Stages stages(false);
  run_all(output.path());
  output.write("sweep.csv", [&](std::ostream &out) { write_sweep_table(out, swept, runs); });
  if (const std::string why = draw_sweep(output.path(), swept, runs); !why.empty())
    log.warn(why);
  const auto n = std::count_if(runs.begin(), runs.end(), [](const SweptRun &run) { return run.outcome() == "converged"; });
  log.line(std::to_string(n) + " of " + counted(static_cast<long long>(runs.size()), "run") + " converged; " +
           (folder / "sweep.csv").string() + " has a row of each");
  report(output, log, stages, summary());
  if (worst() != ExitStatus::done)
    std::cerr << printable("moreau: " + options.parameter_file + ": " + complaint(n)) << std::endl;
  return worst();
}
} // namespace

ExitStatus sweep(const CommandLine &options, Log &log)
{
  if (options.parameter_file == ParameterFile::standard_input)
    throw InputError("Every run of a sweep reads the parameters, and standard input can be read once; give the name of a "
                     "file.");
  Sweep sweep(options, log);
  sweep.say_plan();
  if (options.action == CommandLine::Action::check)
    {
      sweep.check();
      log.line("the parameters of all runs are valid");
      return ExitStatus::done;
    }
  return sweep.run();
}
} // namespace moreau::app
