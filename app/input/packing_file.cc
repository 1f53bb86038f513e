// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/packing_file.h"

#include "app/input/text/words.h"
#include "convex/input_error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

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

/// Of all centres and radii (FNV-1a).
std::string fingerprint(const micro::Spheres &spheres)
{
  std::uint64_t hash = 14695981039346656037u;
  const auto    add  = [&hash](const double x) {
    unsigned char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    for (const unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211u;
  };
  for (const double x : spheres.r.reshaped())
    add(x);
  for (const double R : spheres.R)
    add(R);
  return std::to_string(hash);
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
} // namespace moreau::app
