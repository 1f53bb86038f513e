// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/distributed_state.h"

#include <nlohmann/json.hpp>

namespace moreau::app
{
namespace
{
using convex::NamedArrays;
using Bytes = std::vector<std::uint8_t>;

std::string prefix(const int process) { return std::to_string(process) + "/"; }

template <typename Arrays>
void insert(Arrays &all, const Arrays &some, const int process)
{
  for (const auto &[name, values] : some)
    all.emplace(prefix(process) + name, values);
}

template <typename Arrays>
Arrays share(const Arrays &all, const int process)
{
  Arrays            mine;
  const std::string start = prefix(process);
  for (const auto &[name, values] : all)
    if (name.compare(0, start.size(), start) == 0)
      mine.emplace(name.substr(start.size()), values);
  return mine;
}

/// Names and lengths, without values.
template <typename Arrays>
nlohmann::json lengths(const Arrays &arrays)
{
  nlohmann::json result = nlohmann::json::object();
  for (const auto &[name, values] : arrays)
    result[name] = values.size();
  return result;
}

/// MPI counts with int: long arrays go in parts.
template <typename Visit>
void in_parts(const std::size_t n, Visit &&visit)
{
  constexpr std::size_t most = 1 << 30;
  for (std::size_t begin = 0; begin < n; begin += most)
    visit(begin, static_cast<int>(std::min(most, n - begin)));
}

template <typename Number>
void send(const std::vector<Number> &values, const MPI_Comm communicator)
{
  in_parts(values.size() * sizeof(Number), [&](const std::size_t begin, const int n) {
    MPI_Send(reinterpret_cast<const char *>(values.data()) + begin, n, MPI_BYTE, 0, 0, communicator);
  });
}

template <typename Number>
std::vector<Number> received(const std::size_t size, const int process, const MPI_Comm communicator)
{
  std::vector<Number> values(size);
  in_parts(size * sizeof(Number), [&](const std::size_t begin, const int n) {
    MPI_Recv(reinterpret_cast<char *>(values.data()) + begin, n, MPI_BYTE, process, 0, communicator, MPI_STATUS_IGNORE);
  });
  return values;
}

void send_all(const NamedArrays &mine, const MPI_Comm communicator)
{
  const Bytes names = nlohmann::json::to_cbor({{"reals", lengths(mine.reals)}, {"integers", lengths(mine.integers)}});
  const unsigned long long size = names.size();
  MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, 0, communicator);
  send(names, communicator);
  for (const auto &[name, values] : mine.reals)
    send(values, communicator);
  for (const auto &[name, values] : mine.integers)
    send(values, communicator);
}

NamedArrays all_received(const int process, const MPI_Comm communicator)
{
  unsigned long long size = 0;
  MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, process, 0, communicator, MPI_STATUS_IGNORE);
  const nlohmann::json names = nlohmann::json::from_cbor(received<std::uint8_t>(size, process, communicator));
  NamedArrays          arrays;
  for (const auto &[name, length] : names.at("reals").items()) // in the order of std::map, as they were sent
    arrays.reals.emplace(name, received<double>(length, process, communicator));
  for (const auto &[name, length] : names.at("integers").items())
    arrays.integers.emplace(name, received<std::int64_t>(length, process, communicator));
  return arrays;
}
} // namespace

NamedArrays gathered(const NamedArrays &mine, const geometry::Processes &processes)
{
  NamedArrays all;
  if (processes.rank() > 0)
    {
      send_all(mine, processes.communicator());
      return all;
    }
  for (int process = 0; process < processes.size(); ++process)
    {
      const NamedArrays some = process == 0 ? mine : all_received(process, processes.communicator());
      insert(all.reals, some.reals, process);
      insert(all.integers, some.integers, process);
    }
  return all;
}

NamedArrays share_of(const NamedArrays &all, const int process)
{
  return {share(all.reals, process), share(all.integers, process)};
}
} // namespace moreau::app
