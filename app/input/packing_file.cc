// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/packing_file.h"

#include "app/input/text/words.h"
#include "convex/input_error.h"
#include "insitu/atomic_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace moreau::app
{
namespace
{
using Json = nlohmann::ordered_json;

std::vector<double> numbers_of(const micro::Vector &x) { return {x.begin(), x.end()}; }

Json made_with(const micro::PackingParameters &parameters)
{
  Json obstacles = Json::array();
  for (const micro::Obstacle &body : parameters.obstacles)
    obstacles.push_back(
        {static_cast<int>(body.shape), numbers_of(body.a), numbers_of(body.b), numbers_of(body.c), body.radius});
  return {{"version", MOREAU_VERSION},
          {"revision", micro::packing_revision},
          {"lower_corner", numbers_of(parameters.lower)},
          {"upper_corner", numbers_of(parameters.upper)},
          {"periodic", parameters.periodic},
          {"number", parameters.n},
          {"radius", parameters.radius},
          {"spread", parameters.spread},
          {"coverage", parameters.coverage},
          {"overlap", parameters.overlap},
          {"compression", parameters.compression},
          {"seed", parameters.seed},
          {"tolerance", parameters.tolerance},
          {"obstacles", obstacles}};
}

/// FNV-1a.
void add_to_hash(std::uint64_t &hash, const void *const bytes, const std::size_t n)
{
  for (std::size_t k = 0; k < n; ++k)
    hash = (hash ^ static_cast<const unsigned char *>(bytes)[k]) * 1099511628211u;
}
constexpr std::uint64_t hash_of_nothing = 14695981039346656037u;

/// Of all centres and radii.
std::string fingerprint(const micro::Spheres &spheres)
{
  std::uint64_t hash = hash_of_nothing;
  for (const double x : spheres.r.reshaped())
    add_to_hash(hash, &x, sizeof x);
  for (const double R : spheres.R)
    add_to_hash(hash, &R, sizeof R);
  return std::to_string(hash);
}

/// "1000_seed_2_90b1f0c2a4d5e677": where a packing is in a cache.
std::string name_in_cache(const micro::PackingParameters &parameters)
{
  const std::string text = made_with(parameters).dump();
  std::uint64_t     hash = hash_of_nothing;
  add_to_hash(hash, text.data(), text.size());
  std::ostringstream name;
  name << parameters.number() << "_seed_" << parameters.seed << '_' << std::hex << std::setw(16) << std::setfill('0')
       << hash;
  return name.str();
}
} // namespace

std::string packing_record(const micro::PackingParameters &parameters, const micro::Packing &packing)
{
  const Json json = {{"made_with", made_with(parameters)}, {"coverage", packing.coverage},
                     {"jammed", packing.jammed},           {"reach", packing.reach},
                     {"contacts", packing.n_contacts},     {"rattlers", packing.n_rattlers},
                     {"steps", packing.n_steps},           {"fingerprint", fingerprint(packing.spheres)}};
  return json.dump(2) + "\n";
}

bool is_packing_record(const std::string &text)
{
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("made_with") && json.contains("fingerprint");
}

std::optional<micro::Packing> packing_left_in(const std::filesystem::path    &directory,
                                              const micro::PackingParameters &parameters)
try
  {
    std::ifstream file(directory / "packing.json");
    const Json    json = Json::parse(std::string(std::istreambuf_iterator<char>(file), {}), nullptr, false);
    if (!json.is_object() || json.value("made_with", Json()) != made_with(parameters))
      return {};
    micro::Packing packing;
    packing.spheres = micro::read_csv((directory / "packing.csv").string(), parameters.lower.size()).spheres;
    if (json.at("fingerprint") != fingerprint(packing.spheres))
      return {};
    for (micro::Index i = 0; i < packing.spheres.size(); ++i)
      packing.spheres.m(i) = micro::volume_of_ball(packing.spheres.R(i), packing.spheres.dimension());
    json.at("coverage").get_to(packing.coverage);
    json.at("jammed").get_to(packing.jammed);
    json.at("reach").get_to(packing.reach);
    json.at("contacts").get_to(packing.n_contacts);
    json.at("rattlers").get_to(packing.n_rattlers);
    json.at("steps").get_to(packing.n_steps);
    return packing;
  }
catch (const nlohmann::json::exception &) // not written by a run
  {
    return {};
  }
catch (const InputError &)
  {
    return {};
  }
catch (const std::ios_base::failure &) // a folder of that name
  {
    return {};
  }

CachedPacking packing_of_cache(const std::filesystem::path &cache, const micro::PackingParameters &parameters,
                               const std::function<micro::Packing()> &make)
{
  if (cache.empty())
    return {make(), false, {}};
  const std::filesystem::path folder = cache / name_in_cache(parameters);
  if (auto left = packing_left_in(folder, parameters))
    return {std::move(*left), true, {}};
  const auto complaint_on_writing = [&](const std::string &file, const std::string &text) -> std::string {
    try
      {
        std::filesystem::create_directories(folder);
        insitu::write_atomically(folder / file, [&](std::ostream &out) { out << text; });
        return "";
      }
    catch (const std::filesystem::filesystem_error &error)
      {
        return folder.string() + " cannot be made: " + error.code().message();
      }
    catch (const std::runtime_error &error)
      {
        return error.what();
      }
  };
  if (const std::string complaint = complaint_on_writing("packing.json", "{}\n"); !complaint.empty())
    throw InputError("Random packing/Cache directory",
                     complaint + "; name a directory that can be written and has space."); // before work that takes long
  CachedPacking      made = {make(), false, {}};
  std::ostringstream spheres;
  micro::write_csv(spheres, made.packing.spheres, {});
  std::string complaint = complaint_on_writing("packing.csv", spheres.str());
  if (complaint.empty())
    complaint = complaint_on_writing("packing.json", packing_record(parameters, made.packing));
  if (!complaint.empty())
    made.warning = "The packing of " + std::to_string(made.packing.spheres.size()) + " spheres, seed " +
                   std::to_string(parameters.seed) + ", was not left for other runs: " + complaint + ".";
  return made;
}
} // namespace moreau::app
