// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/command_line.h"

#include "app/input/text/words.h"

#include "convex/input_error.h"

#include <cmath>
#include <limits>

namespace moreau::app
{
const char *const usage =
    "moreau computes impact laws of rigid spheres: projections of velocities on cones, each with a certified error bound.\n"
    "\n"
    "  moreau FILE.prm [--set \"Section/Name=value\"]... [--output DIR] [--resume] [--quiet]\n"
    "  moreau FILE.prm --sweep \"Section/Name=a,b,c\" [--sweep ...] [--jobs N]    a run for every combination, and one "
    "table\n"
    "  moreau --check FILE.prm        reads and validates, computes nothing\n"
    "  moreau --parameters [SECTION]  every parameter with its meaning, unit, choices and default; a valid .prm file\n"
    "  moreau --parameters=json       the same as a JSON Schema; =markdown: as tables\n"
    "  moreau certify PROBLEM [ANSWER]  how far an answer of any program can be from the exact projection\n"
    "  moreau convert IN OUT          spheres or projections from one format to another; the ends of the names tell which\n"
    "  moreau --help, --version\n"
    "  mpirun -n N moreau FILE.prm    same file, same result\n"
    "  moreau - < FILE.prm            reads the parameters from standard input\n"
    "\n"
    "  --set \"Section/Name=value\"     overrides a parameter of the file\n"
    "  --sweep \"Section/Name=angle=0,10,45\"    one constant of several; values with commas: a=0,0|0,1\n"
    "  --output DIR                   overrides the output directory\n"
    "  --resume                       goes on from the last checkpoint, where the problem has checkpoints\n"
    "  --threads N                    at most N threads; results do not depend on it\n"
    "  --quiet                        prints errors only; log.txt has the rest\n"
    "  --tolerance T                  of certify: the relative error bound demanded (1e-6)\n"
    "  --units si|cgs|micro|nano|lj, --dimension D    of spheres in files that do not say so\n"
    "\n"
    "Formats: projections .npz, .hdf5 (FCLib), a folder of .mtx files; spheres .csv, .data and .dump (LAMMPS), .vtp, .pvtp "
    "and\n"
    ".pvd of runs. See doc/exchange.md.\n"
    "\n"
    "Exit status: 0 done and converged, 1 the input is at fault, 2 a solver stopped above its tolerance, 3 anything else,\n"
    "130 or 143 told to stop by SIGINT or SIGTERM after a checkpoint was written: --resume goes on.\n";

namespace
{
double number_of(const std::string &option, const std::string &value, const double least, const double most)
{
  std::size_t end = 0;
  double      x   = std::numeric_limits<double>::quiet_NaN();
  try
    {
      x = std::stod(value, &end);
    }
  catch (const std::exception &)
    {}
  if (!(x >= least && x <= most) || end != value.size())
    throw InputError(option + " is '" + value + "'; give a number from " + short_number(least) + " to " +
                     short_number(most) + ".");
  return x;
}

/// A whole number of an option.
unsigned int count_of(const std::string &option, const std::string &value)
{
  const double x = number_of(option, value, 1., 1e6);
  if (x != std::floor(x))
    throw InputError(option + " is " + value + "; give a whole number.");
  return static_cast<unsigned int>(x);
}

/// A word behind certify or convert; false where it is an option like --help.
template <class ValueOf>
bool parse_exchange(const std::string &word, const ValueOf &value_of, CommandLine &result)
{
  if (word == "--help" || word == "-h" || word == "--quiet")
    return false;
  if (word == "--tolerance")
    result.tolerance = number_of(word, value_of(word), 1e-14, 1.);
  else if (word == "--units")
    result.units = value_of(word);
  else if (word == "--dimension")
    {
      const double dimension = number_of(word, value_of(word), 1., 3.);
      if (dimension != std::floor(dimension))
        throw InputError("--dimension is " + short_number(dimension) + "; give 1, 2 or 3.");
      result.dimension = static_cast<int>(dimension);
    }
  else if (word[0] == '-')
    throw InputError("'" + word + "' is not an option of certify or convert; see moreau --help.");
  else
    result.files.push_back(word);
  return true;
}
} // namespace

CommandLine parse_command_line(const int argc, const char *const argv[])
{
  using Action = CommandLine::Action;
  CommandLine result;
  result.action = Action::run;

  int        k        = 1;
  const auto value_of = [&](const std::string &option) -> std::string {
    if (k + 1 >= argc || std::string(argv[k + 1]).empty())
      throw InputError(option + " needs a value; see moreau --help.");
    return argv[++k];
  };
  if (argc > 1 && (std::string(argv[1]) == "certify" || std::string(argv[1]) == "convert"))
    result.action = std::string(argv[k++]) == "certify" ? Action::certify : Action::convert;
  const bool is_exchange = result.action != Action::run;
  for (; k < argc; ++k)
    {
      const std::string word = argv[k];
      if (is_exchange && parse_exchange(word, value_of, result))
        continue;
      if (word == "--help" || word == "-h")
        result.action = Action::help;
      else if (word == "--version")
        result.action = Action::version;
      else if (word == "--parameters" || word.rfind("--parameters=", 0) == 0)
        {
          result.action = Action::parameters;
          result.manual = word.size() > 13 ? word.substr(13) : "";
          if (word.size() >= 13 && result.manual != "json" && result.manual != "markdown")
            throw InputError("--parameters= is followed by json or markdown, or by nothing, for a .prm file.");
          if (k + 1 < argc && argv[k + 1][0] != '-' && argv[k + 1][0] != '\0')
            result.section = argv[++k];
        }
      else if (word == "--check")
        result.action = Action::check;
      else if (word == "--set")
        result.settings.push_back(value_of(word));
      else if (word == "--output")
        result.output = value_of(word);
      else if (word == "--sweep")
        result.sweeps.push_back(value_of(word));
      else if (word == "--jobs")
        result.jobs = count_of(word, value_of(word));
      else if (word == "--threads")
        result.threads = count_of(word, value_of(word));
      else if (word == "--resume")
        result.resume = true;
      else if (word == "--quiet")
        result.quiet = true;
      else if (word.size() > 1 && word[0] == '-')
        throw InputError("'" + word + "' is not an option; see moreau --help.");
      else if (result.parameter_file.empty())
        result.parameter_file = word;
      else
        throw InputError("'" + word + "' is a second parameter file; give one.");
    }
  if (result.action == Action::certify && (result.files.empty() || result.files.size() > 2))
    throw InputError(
        "certify takes a problem, and an answer where it is in a file of its own: moreau certify PROBLEM [ANSWER].");
  if (result.action == Action::convert && result.files.size() != 2)
    throw InputError("convert takes two names: moreau convert IN OUT.");
  if ((result.action == Action::parameters || result.action == Action::version) && !result.parameter_file.empty())
    throw InputError("'" + result.parameter_file + "' is one word too many" +
                     (result.section.empty() ? "."
                                             : "; a section of two words needs quotes: --parameters \"" + result.section +
                                                   " " + result.parameter_file + "\"."));
  if (result.jobs > 0 && result.sweeps.empty())
    throw InputError("--jobs says how many runs of a sweep go side by side, and there is no --sweep.");
  const bool needs_file = result.action == Action::run || result.action == Action::check;
  if (needs_file && result.parameter_file.empty())
    throw InputError("No parameter file is given; write moreau FILE.prm, or moreau --help.");
  return result;
}
} // namespace moreau::app
