// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/command_line.h"

#include "convex/input_error.h"

namespace moreau::app
{
const char *const usage =
    "moreau computes impact laws of rigid spheres: projections of velocities on cones, each with a certified error bound.\n"
    "\n"
    "  moreau FILE.prm [--set \"Section/Name=value\"]... [--output DIR] [--resume] [--quiet]\n"
    "  moreau --check FILE.prm        reads and validates, computes nothing\n"
    "  moreau --parameters            every parameter with its meaning, unit, choices and default; a valid .prm file\n"
    "  moreau --help, --version\n"
    "  mpirun -n N moreau FILE.prm    same file, same result\n"
    "\n"
    "  --set \"Section/Name=value\"     overrides a parameter of the file\n"
    "  --output DIR                   overrides the output directory\n"
    "  --resume                       goes on from the last checkpoint, where the problem has checkpoints\n"
    "  --quiet                        prints errors only; log.txt has the rest\n"
    "\n"
    "Exit status: 0 done and certified, 1 the input is at fault, 2 a solver stopped above its tolerance, 3 anything else,\n"
    "130 or 143 told to stop by SIGINT or SIGTERM after a checkpoint was written: --resume goes on.\n";

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
  for (; k < argc; ++k)
    {
      const std::string word = argv[k];
      if (word == "--help" || word == "-h")
        result.action = Action::help;
      else if (word == "--version")
        result.action = Action::version;
      else if (word == "--parameters")
        result.action = Action::parameters;
      else if (word == "--check")
        result.action = Action::check;
      else if (word == "--set")
        result.settings.push_back(value_of(word));
      else if (word == "--output")
        result.output = value_of(word);
      else if (word == "--resume")
        result.resume = true;
      else if (word == "--quiet")
        result.quiet = true;
      else if (!word.empty() && word[0] == '-')
        throw InputError("'" + word + "' is not an option; see moreau --help.");
      else if (result.parameter_file.empty())
        result.parameter_file = word;
      else
        throw InputError("'" + word + "' is a second parameter file; give one.");
    }
  const bool needs_file = result.action == Action::run || result.action == Action::check;
  if (needs_file && result.parameter_file.empty())
    throw InputError("No parameter file is given; write moreau FILE.prm, or moreau --help.");
  return result;
}
} // namespace moreau::app
