// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/same_on_all.h"

#include "app/input/text/words.h"
#include "app/output/checkpoint.h"

#include "convex/input_error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace moreau::app
{
namespace
{
namespace fs = std::filesystem;

using Values = std::vector<std::pair<std::string, std::string>>;
using Bytes  = std::vector<std::uint8_t>;

/// What process 0 has.
Bytes of_first(Bytes bytes, const geometry::Processes &processes)
{
  unsigned long long size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, processes.communicator());
  bytes.resize(size);
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, processes.communicator());
  return bytes;
}

/// Which file it is, as one process sees it.
struct Seen
{
  unsigned long long is_there = 0, machine = 0, device = 0, inode = 0, size = 0, checksum = 0;

  bool is_same_file(const Seen &other) const
  {
    return is_there == other.is_there && machine == other.machine && device == other.device && inode == other.inode;
  }
};

/// The lowest rank on this process' machine.
unsigned long long first_on_this_machine(const geometry::Processes &processes)
{
  MPI_Comm here;
  MPI_Comm_split_type(processes.communicator(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int lowest = processes.rank();
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, here);
  MPI_Comm_free(&here);
  return lowest;
}

std::vector<Seen> by_all(const Seen &mine, const geometry::Processes &processes)
{
  constexpr int     n_numbers = sizeof(Seen) / sizeof(unsigned long long);
  std::vector<Seen> all(processes.size());
  MPI_Allgather(&mine, n_numbers, MPI_UNSIGNED_LONG_LONG, all.data(), n_numbers, MPI_UNSIGNED_LONG_LONG,
                processes.communicator());
  return all;
}

Seen seen(const fs::path &file, const unsigned long long machine)
{
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || ::access(file.c_str(), R_OK) != 0)
    return {};
  return {1, machine, found.st_dev, found.st_ino, static_cast<unsigned long long>(found.st_size), 0};
}

/// Throws on the processes that see something else than the first that sees it.
void require_same(const std::string &parameter, const fs::path &path, const unsigned long long machine,
                  const geometry::Processes &processes)
{
  Seen              mine  = seen(path, machine);
  std::vector<Seen> all   = by_all(mine, processes);
  const auto        among = [&all](const auto &condition) {
    return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), condition) - all.begin());
  };
  const std::size_t first = among([](const Seen &other) { return other.is_there; });
  if (first == all.size() ||
      among([&](const Seen &other) { return other.is_there && !other.is_same_file(all[first]); }) == all.size())
    return;
  const bool differs_in_size =
      among([&](const Seen &other) { return other.is_there && other.size != all[first].size; }) < all.size();
  const auto me = static_cast<std::size_t>(processes.rank());
  if (!differs_in_size && mine.is_there && among([&](const Seen &other) { return other.is_same_file(mine); }) == me)
    mine.checksum = std::stoull(checksums({path}).front(), nullptr, 16);
  all                    = by_all(mine, processes);
  const auto checksum_of = [&](const Seen &one) {
    return all[among([&](const Seen &other) { return other.is_same_file(one); })].checksum;
  };
  geometry::together(processes, [&] {
    if (mine.is_there && (mine.size != all[first].size || checksum_of(mine) != checksum_of(all[first])))
      throw InputError(parameter, path.string() + of_process(processes.rank()) + " is not what process " +
                                      std::to_string(first) + " reads; let all processes see the same file.");
  });
}
} // namespace

std::string of_process(const int rank)
{
  char name[MPI_MAX_PROCESSOR_NAME];
  int  length = 0;
  MPI_Get_processor_name(name, &length);
  return " of process " + std::to_string(rank) + " on " + std::string(name, length);
}

void require_same_values(const Values &values, const geometry::Processes &processes)
{
  if (processes.size() == 1)
    return;
  const Values first = nlohmann::json::from_cbor(of_first(nlohmann::json::to_cbor(values), processes)).get<Values>();
  geometry::together(processes, [&] {
    constexpr std::size_t longest = 100;
    for (std::size_t k = 0; k < std::min(values.size(), first.size()); ++k)
      if (values[k] != first[k])
        {
          const std::string &mine = values[k].second, &other = first[k].second;
          const bool         is_short = std::max(mine.size(), other.size()) < longest;
          throw InputError(values[k].first,
                           "That" + of_process(processes.rank()) + " is " + (is_short ? "'" + mine + "'" : "another") +
                               (is_short ? ", that of process 0 '" + other + "'" : " than that of process 0") +
                               "; let all processes read the same parameter file, with the same options.");
        }
  });
}

void require_same_files(const ParameterFile &file, const bool resume, const geometry::Processes &processes)
{
  if (processes.size() == 1)
    return;
  const Parameters        &parameters = file.values();
  const unsigned long long machine    = first_on_this_machine(processes);
  const Values             files      = {{"Spheres/File", parameters.spheres.file},
                                         {"Zone/File", parameters.zone.file},
                                         {"Mesh/File", parameters.mesh.file},
                                         {"In situ/Catalyst script", parameters.in_situ.catalyst_script}};
  for (const auto &[parameter, names] : files)
    for (const std::string &name : comma_separated(names))
      require_same(parameter, file.find_file(name), machine, processes);
  if (resume)
    require_same("Output directory", fs::path(parameters.output_directory) / Checkpoint::file_name, machine, processes);
}
} // namespace moreau::app
