// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/checkpoint.h"

#include "app/output/summary.h"

#include "convex/input_error.h"
#include "insitu/descriptor.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>

namespace moreau::app
{
namespace fs = std::filesystem;
using nlohmann::json;

namespace
{
constexpr int     format = 3;
const std::string anew   = "; leave out --resume to begin anew.";
using Bytes              = std::vector<std::uint8_t>;

/// Numbers as the bytes that they have in memory.
template <typename Number>
json packed(const std::map<std::string, std::vector<Number>> &arrays)
{
  json result = json::object();
  for (const auto &[name, values] : arrays)
    {
      Bytes bytes(values.size() * sizeof(Number));
      std::copy_n(reinterpret_cast<const std::uint8_t *>(values.data()), bytes.size(), bytes.begin());
      result[name] = json::binary(std::move(bytes));
    }
  return result;
}

template <typename Number>
std::map<std::string, std::vector<Number>> unpacked(const json &arrays)
{
  std::map<std::string, std::vector<Number>> result;
  for (const auto &[name, array] : arrays.items())
    {
      const Bytes &bytes = array.get_binary();
      if (bytes.size() % sizeof(Number) != 0)
        throw std::length_error("half a number");
      std::vector<Number> values(bytes.size() / sizeof(Number));
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t *>(values.data()));
      result.emplace(name, std::move(values));
    }
  return result;
}

std::string checksum_text(const unsigned long crc)
{
  char text[9];
  std::snprintf(text, sizeof text, "%08lx", crc);
  return text;
}

std::string checksum(const std::uint8_t *bytes, const std::size_t size) { return checksum_text(crc32_z(0, bytes, size)); }

Bytes content(const fs::path &file)
{
  std::ifstream   in(file, std::ios::binary);
  std::error_code error;
  const auto      size = fs::file_size(file, error);
  Bytes           bytes(error ? 0 : size);
  in.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}
} // namespace

std::vector<std::pair<std::string, std::string>> lasting_parameters(const ParameterFile &file)
{
  static const std::set<std::string> may_change = {"Output directory",
                                                   "Threads",
                                                   "Time/End time",
                                                   "Time/Output every",
                                                   "Time/Checkpoint every",
                                                   "Time/Checkpoint every minutes",
                                                   "Spheres/File",
                                                   "Zone/File",
                                                   "Congested flow/Blocks file",
                                                   "In situ/Catalyst script",
                                                   "Plots/Title",
                                                   "In situ/Every",
                                                   "In situ/Time limit"}; // files by their content
  auto                               parameters = file.values_as_text();
  parameters.erase(std::remove_if(parameters.begin(), parameters.end(),
                                  [](const auto &parameter) { return may_change.count(parameter.first) != 0; }),
                   parameters.end());
  return parameters;
}

std::vector<std::string> checksums(const std::vector<fs::path> &files)
{
  std::vector<std::string> sums;
  Bytes                    bytes(1 << 20);
  for (const fs::path &file : files)
    {
      std::ifstream in(file, std::ios::binary);
      unsigned long sum = crc32_z(0, nullptr, 0);
      while (in.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size())) || in.gcount() > 0)
        sum = crc32_z(sum, bytes.data(), static_cast<std::size_t>(in.gcount()));
      sums.push_back(checksum_text(sum));
    }
  return sums;
}

void write_checkpoint(const fs::path &directory, const Checkpoint &checkpoint)
{
  const fs::path file      = directory / Checkpoint::file_name;
  fs::path       temporary = file;
  temporary += ".incomplete";

  const json  all     = {{"parameters", checkpoint.parameters},
                         {"inputs", checkpoint.inputs},
                         {"reals", packed(checkpoint.motion.reals)},
                         {"integers", packed(checkpoint.motion.integers)},
                         {"run", checkpoint.run}};
  const Bytes payload = json::to_cbor(all);

  std::ostringstream header;
  header << "moreau checkpoint " << format << ' ' << version() << ' ' << payload.size() << ' '
         << checksum(payload.data(), payload.size()) << '\n';
  try
    {
      const std::string first_line = header.str();
      {
        insitu::Descriptor out(insitu::open_new_file(temporary));
        out.write(first_line.data(), first_line.size());
        out.write(payload.data(), payload.size());
        out.bring_to_disk();
        out.close();
      }
      fs::rename(temporary, file);
      insitu::Descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)).bring_to_disk(); // the new name
    }
  catch (const std::system_error &error)
    {
      std::error_code ignored;
      fs::remove(temporary, ignored);
      throw std::runtime_error(file.string() + " cannot be written: " + error.code().message());
    }
}

Checkpoint read_checkpoint(const fs::path &directory)
{
  const fs::path file   = directory / Checkpoint::file_name;
  const auto     refuse = [&](const std::string &reason) { throw InputError("Output directory", reason + anew); };
  if (!fs::exists(file))
    refuse("There is no " + std::string(Checkpoint::file_name) + " in " + directory.string());
  const Bytes all = content(file);

  const auto         end = std::find(all.begin(), all.begin() + std::min<std::size_t>(all.size(), 200), '\n');
  std::istringstream header(std::string(all.begin(), end));
  std::string        moreau, word, written_by, sum;
  int                its_format = 0;
  std::size_t        size       = 0;
  if (!(header >> moreau >> word >> its_format >> written_by) || moreau != "moreau" || word != "checkpoint")
    refuse(file.string() + " is damaged: its first line is not that of a checkpoint");
  if (its_format != format || written_by != version())
    refuse(file.string() + " was written by version " + written_by + " of moreau in format " + std::to_string(its_format) +
           ", and this is " + version() + " with format " + std::to_string(format));
  header >> size >> sum;
  const std::size_t begin = std::min<std::size_t>(end - all.begin() + 1, all.size());
  if (!header || all.size() - begin != size || checksum(all.data() + begin, size) != sum)
    refuse(file.string() + " is damaged: its checksum is not that of what it holds");

  Checkpoint checkpoint;
  trust(directory, [&] {
    const json tree = json::from_cbor(all.begin() + begin, all.end());
    tree.at("parameters").get_to(checkpoint.parameters);
    tree.at("inputs").get_to(checkpoint.inputs);
    checkpoint.motion.reals    = unpacked<double>(tree.at("reals"));
    checkpoint.motion.integers = unpacked<std::int64_t>(tree.at("integers"));
    checkpoint.run             = tree.at("run");
  });
  return checkpoint;
}

void trust(const fs::path &directory, const std::function<void()> &read)
{
  const auto refuse = [&] {
    throw InputError("Output directory", (directory / Checkpoint::file_name).string() +
                                             " is damaged: what it holds is not what a run writes" + anew);
  };
  try
    {
      read();
    }
  catch (const json::exception &)
    {
      refuse();
    }
  catch (const std::length_error &)
    {
      refuse();
    }
}

void require_same_run(const Checkpoint &checkpoint, const ParameterFile &file, const std::vector<fs::path> &inputs,
                      const std::string &parameter_of_inputs)
{
  const auto now = lasting_parameters(file);
  for (std::size_t k = 0; k < std::max(now.size(), checkpoint.parameters.size()); ++k)
    {
      if (k >= now.size() || k >= checkpoint.parameters.size() || now[k].first != checkpoint.parameters[k].first)
        throw InputError("Output directory", "The checkpoint has other parameters than this program" + anew);
      if (now[k].second != checkpoint.parameters[k].second)
        throw InputError(now[k].first, "The checkpoint is of a run with '" + checkpoint.parameters[k].second +
                                           "', now it is '" + now[k].second +
                                           "'; give the same parameters, or leave out --resume to begin anew.");
    }
  const std::vector<std::string> sums = checksums(inputs);
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (k >= checkpoint.inputs.size() || sums[k] != checkpoint.inputs[k])
      throw InputError(parameter_of_inputs,
                       inputs[k].string() + " is not what it was when the checkpoint was written" + anew);
}
} // namespace moreau::app
