// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/origin.h"

#include <git_hash.h>

#include <nlohmann/json.hpp>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace moreau::app
{
namespace
{
/// The words, quoted where a shell needs it.
std::string command_line()
{
  std::ifstream     in("/proc/self/cmdline", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::string       result, word;
  for (const char c : bytes)
    {
      if (c != '\0')
        {
          word += c;
          continue;
        }
      const bool  is_plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                                      "0123456789_-./=,:+@%") == std::string::npos;
      std::string quoted;
      for (const char letter : word)
        quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
      result += (result.empty() ? "" : " ") + (is_plain ? word : "'" + quoted + "'");
      word.clear();
    }
  return result;
}

/// Bytes that are no UTF-8, as names of files may hold, are replaced: JSON has none.
nlohmann::ordered_json as_json(const std::string &bytes)
{
  using Json = nlohmann::ordered_json;
  return Json::parse(Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string now()
{
  const std::time_t    time = std::time(nullptr);
  std::tm              utc  = {};
  std::array<char, 32> text = {};
  gmtime_r(&time, &utc);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string host()
{
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}
} // namespace

nlohmann::ordered_json git_hash()
{
  const std::string hash = MOREAU_GIT_HASH;
  return hash.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(hash);
}

void add_origin(nlohmann::ordered_json &json)
{
  json["format_version"] = 1;
  json["command"]        = as_json(command_line());
  json["git_hash"]       = git_hash();
  json["date"]           = now();
  json["host"]           = as_json(host());
  json["threads"]        = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()),
                                          tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}
} // namespace moreau::app
