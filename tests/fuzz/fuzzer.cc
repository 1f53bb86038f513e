// SPDX-License-Identifier: GPL-3.0-or-later
// A target for libFuzzer, which scripts/fuzz calls: moreau_fuzz --target=NAME [options of libFuzzer]. With --seeds=FOLDER it
// writes what a campaign begins with there, and FOLDER.words, and ends.
#include "tests/fuzz/targets.h"

#include <tbb/global_control.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>

namespace
{
using namespace moreau::fuzz;

const Target *chosen = nullptr;

void write_seeds(const std::string &folder)
{
  int number = 0;
  for (const Bytes &seed : chosen->seeds())
    std::ofstream(folder + "/seed_" + std::to_string(number++), std::ios::binary) << seed;
  std::ofstream words(folder + ".words");
  for (const std::string &word : chosen->words)
    {
      words << '"' << std::hex << std::setfill('0');
      for (const unsigned char c : word)
        words << "\\x" << std::setw(2) << static_cast<int>(c);
      words << "\"\n";
    }
}
} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const std::string                for_target = "--target=", for_seeds = "--seeds=";
  std::string                      folder;
  for (int k = 1; k < *argc; ++k)
    {
      const std::string argument = (*argv)[k];
      if (argument.rfind(for_target, 0) == 0)
        chosen = &target(argument.substr(for_target.size()));
      else if (argument.rfind(for_seeds, 0) == 0)
        folder = argument.substr(for_seeds.size());
      else if (argument == "--list")
        {
          for (const Target &one : targets())
            std::cout << one.name << '\n';
          std::cout.flush();
          std::_Exit(0);
        }
    }
  if (!chosen)
    {
      std::cerr << "moreau_fuzz: give --target=NAME; --list names them\n";
      std::_Exit(1);
    }
  if (!folder.empty())
    {
      write_seeds(folder);
      std::exit(0);
    }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, const std::size_t size)
{
  read(*chosen, Bytes(reinterpret_cast<const char *>(data), size));
  return 0;
}
