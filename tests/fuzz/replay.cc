// SPDX-License-Identifier: GPL-3.0-or-later
// What scripts/fuzz does, in small: test_fuzz TARGET N reads all seeds of the target, all that was once found
// (tests/fuzz/found/TARGET) and N changed ones, always the same. What reads each file in a process of its own reads changed
// ones a hundred to a process here, and only where that one dies or finds something each again as the program does.
#include "exchange/in_a_child.h"
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <unistd.h>

namespace
{
namespace fs = std::filesystem;
using namespace moreau::fuzz;

/// Up to four of: a bit changed, bytes removed or repeated, a word of the target or a part of another seed put in.
Bytes changed(Bytes bytes, const std::vector<Bytes> &seeds, const std::vector<std::string> &words, std::mt19937 &random)
{
  const auto below = [&](const std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t k = 0, n = 1 + below(4); k < n; ++k)
    {
      const std::size_t at = below(bytes.size() + 1), length = 1 + below(std::min<std::size_t>(32, bytes.size() - at + 1));
      switch (below(5))
        {
          case 0:
            if (at < bytes.size())
              bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
            break;
          case 1:
            bytes.erase(at, length);
            break;
          case 2:
            bytes.insert(at, bytes.substr(at, length));
            break;
          case 3:
            bytes.insert(at, words[below(words.size())]);
            break;
          default:
            const Bytes &other = seeds[below(seeds.size())];
            bytes.replace(at, length, other.substr(below(other.size()), 1 + below(64)));
        }
    }
  return bytes;
}

/// Whether it is read or refused; says what happened, else. The name is there before a crash.
bool passes(const Target &target, const std::string &name, const Bytes &bytes)
{
  std::cout << target.name << ": " << name << std::endl;
  try
    {
      read(target, bytes);
      return true;
    }
  catch (const std::exception &error)
    {
      std::cout << "FAILED: " << error.what() << "\n" << bytes << "\n";
      return false;
    }
}

/// The same of changed ones, `first` and those after it; how many were not.
int failures_of(const Target &target, const std::vector<Bytes> &batch, const int first)
{
  const auto each = [&] {
    int failures = 0;
    for (std::size_t k = 0; k < batch.size(); ++k)
      failures += !passes(target, "change " + std::to_string(first + static_cast<int>(k)), batch[k]);
    return failures;
  };
  const auto together = [&] {
    if (each() > 0)
      _exit(1);
  };
  constexpr unsigned int seconds = 600;
  if (!target.needs_child || !moreau::exchange::death_in_a_child(together, seconds).empty())
    return each();
  std::cout << target.name << ": " << first + batch.size() << " changed files" << std::endl;
  return 0;
}
} // namespace

int main(const int argc, char *argv[])
{
  if (argc != 3)
    {
      std::cerr << "usage: test_fuzz TARGET N\n";
      return 2;
    }
  const Target            &target   = moreau::fuzz::target(argv[1]);
  const std::vector<Bytes> seeds    = target.seeds();
  const fs::path           found    = fs::path(MOREAU_ROOT) / "tests/fuzz/found" / target.name;
  int                      failures = seeds.empty();
  for (std::size_t k = 0; k < seeds.size(); ++k)
    failures += !passes(target, "seed " + std::to_string(k), seeds[k]);
  if (fs::exists(found))
    for (const auto &entry : fs::directory_iterator(found))
      {
        std::ifstream in(entry.path(), std::ios::binary);
        failures += !passes(target, "found " + entry.path().filename().string(),
                            Bytes(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()));
      }
  std::mt19937  random(1);
  constexpr int batch_size = 100;
  for (int first = 0, n = std::stoi(argv[2]); first < n; first += batch_size)
    {
      std::vector<Bytes> batch;
      for (int k = first; k < std::min(n, first + batch_size); ++k)
        batch.push_back(changed(seeds[random() % seeds.size()], seeds, target.words, random));
      failures += failures_of(target, batch, first);
    }
  return failures > 0;
}
