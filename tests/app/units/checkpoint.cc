// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/checkpoint.h"

#include "app/output/step_table.h"
#include "app/run/stop_signals.h"
#include "app/output/summary.h"

#include "convex/input_error.h"

#include "folder.h"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

BOOST_AUTO_TEST_SUITE(checkpoint)

namespace
{
using namespace moreau;
using app::Checkpoint;
using app::ParameterFile;
using app::StepTable;
namespace fs = std::filesystem;

std::string content(const fs::path &file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const fs::path &file, const std::string &text) { std::ofstream(file, std::ios::binary) << text; }

Checkpoint example()
{
  Checkpoint checkpoint;
  checkpoint.parameters        = app::lasting_parameters(ParameterFile());
  checkpoint.inputs            = {"00000000"};
  checkpoint.motion.reals["q"] = {
      0.1, -0., 1. / 3., std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity(), std::nan("7")};
  checkpoint.motion.reals["empty"]     = {};
  checkpoint.motion.integers["chains"] = {0, -1, std::numeric_limits<std::int64_t>::max()};
  checkpoint.run                       = {{"log", "ü\n"}, {"bound", 0.1}, {"steps", 7}};
  return checkpoint;
}

bool says(const InputError &error, const std::string &part)
{
  const std::string text = error.sentence;
  BOOST_TEST_INFO(text);
  BOOST_TEST(text.find(". ") == std::string::npos);
  return text.find(part) != std::string::npos;
}
} // namespace

BOOST_AUTO_TEST_CASE(every_bit_comes_back)
{
  const Folder     folder;
  const Checkpoint before = example();
  app::write_checkpoint(folder.path, before);
  const Checkpoint after = app::read_checkpoint(folder.path);

  BOOST_TEST_REQUIRE(after.motion.reals.size() == 2u);
  const auto &q = after.motion.reals.at("q"), &q_before = before.motion.reals.at("q");
  BOOST_TEST_REQUIRE(q.size() == q_before.size());
  BOOST_TEST(std::memcmp(q.data(), q_before.data(), q.size() * sizeof(double)) == 0); // NaN and the sign of 0 included
  BOOST_TEST(after.motion.reals.at("empty").empty());
  BOOST_TEST((after.motion.integers == before.motion.integers));
  BOOST_TEST((after.run == before.run));
  BOOST_TEST((after.parameters == before.parameters));
  BOOST_TEST((after.inputs == before.inputs));
  BOOST_TEST(!fs::exists(folder.path / "checkpoint.moreau.incomplete"));
}

BOOST_AUTO_TEST_CASE(every_damaged_byte_is_noticed)
{
  const Folder folder;
  app::write_checkpoint(folder.path, example());
  const fs::path    file    = folder.path / Checkpoint::file_name;
  const std::string whole   = content(file);
  const auto        refused = [&](const std::string &text) {
    write(file, text);
    BOOST_CHECK_EXCEPTION(app::read_checkpoint(folder.path), InputError,
                                 [](const InputError &error) { return error.subject == "Output directory"; });
  };
  const std::size_t stride = whole.size() / 200 + 1; // the beginning, and every now and then
  for (std::size_t k = 0; k < whole.size(); k += k < 60 ? 1 : stride)
    {
      std::string damaged = whole;
      damaged[k] ^= 4;
      refused(damaged);
      refused(whole.substr(0, k));
    }
  refused(whole + "x");
  write(file, whole);
  app::read_checkpoint(folder.path);
}

BOOST_AUTO_TEST_CASE(one_of_another_version_or_none_is_refused)
{
  const Folder folder;
  BOOST_CHECK_EXCEPTION(app::read_checkpoint(folder.path), InputError,
                        [](const InputError &error) { return says(error, "no checkpoint.moreau"); });
  app::write_checkpoint(folder.path, example());
  const fs::path    file  = folder.path / Checkpoint::file_name;
  const std::string whole = content(file);
  const std::size_t at    = whole.find(app::version());
  BOOST_TEST_REQUIRE(at < 30u);
  write(file, whole.substr(0, at) + "0.0.0" + whole.substr(whole.find(' ', at)));
  BOOST_CHECK_EXCEPTION(app::read_checkpoint(folder.path), InputError,
                        [](const InputError &error) { return says(error, "version 0.0.0"); });
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_cannot_be_written_leaves_the_one_before)
{
  const Folder folder;
  app::write_checkpoint(folder.path, example());
  const std::string before = content(folder.path / Checkpoint::file_name);
  fs::create_directory(folder.path / "checkpoint.moreau.incomplete"); // in its way
  BOOST_CHECK_THROW(app::write_checkpoint(folder.path, example()), std::runtime_error);
  BOOST_TEST(content(folder.path / Checkpoint::file_name) == before);
}

BOOST_AUTO_TEST_CASE(what_may_change_between_runs_and_what_not)
{
  const Checkpoint checkpoint = example();
  ParameterFile    file;
  for (const auto &[path, value] : std::vector<std::pair<std::string, std::string>>{{"Output directory", "elsewhere"},
                                                                                    {"Threads", "3"},
                                                                                    {"Time/End time", "7"},
                                                                                    {"Time/Output every", "0.5"},
                                                                                    {"Time/Checkpoint every", "5"},
                                                                                    {"Time/Checkpoint every minutes", "5"}})
    file.set(path, value);
  app::require_same_run(checkpoint, file, {});

  file.set("Restitution", "0.5");
  BOOST_CHECK_EXCEPTION(app::require_same_run(checkpoint, file, {}), InputError, [](const InputError &error) {
    return error.subject == "Restitution" && says(error, "'0.5'") && says(error, "'0'");
  });
}

BOOST_AUTO_TEST_CASE(a_file_that_was_read_must_be_the_same)
{
  const Folder   folder;
  const fs::path input = folder.path / "spheres.csv";
  write(input, "x,y,radius\n0,0,1\n");
  Checkpoint checkpoint = example();
  checkpoint.inputs     = app::checksums({input});
  app::require_same_run(checkpoint, ParameterFile(), {input});
  write(input, "x,y,radius\n0,0,2\n");
  BOOST_CHECK_EXCEPTION(app::require_same_run(checkpoint, ParameterFile(), {input}), InputError,
                        [](const InputError &error) { return says(error, "spheres.csv"); });
}

BOOST_AUTO_TEST_CASE(a_table_appears_when_it_is_finished)
{
  const Folder   folder;
  const fs::path file = folder.path / "table.csv";
  {
    StepTable table(file, "step");
    table.append("1");
    BOOST_TEST(table.flush() == 7u);
    BOOST_TEST(!fs::exists(file));
    BOOST_TEST(content(folder.path / "table.csv.incomplete") == "step\n1\n");
    table.append("2");
    table.finish();
  }
  BOOST_TEST(content(file) == "step\n1\n2\n");
  BOOST_TEST(!fs::exists(folder.path / "table.csv.incomplete"));
}

BOOST_AUTO_TEST_CASE(a_table_goes_on_behind_what_was_flushed)
{
  const Folder   folder;
  const fs::path file = folder.path / "table.csv";
  for (const bool was_finished : {true, false}) // stopped; killed
    {
      std::uintmax_t size = 0;
      {
        StepTable table(file, "step");
        table.append("1");
        size = table.flush();
        table.append("2");
      } // without finish(): gets its name nevertheless
      BOOST_TEST(content(file) == "step\n1\n2\n");
      if (!was_finished)
        fs::rename(file, folder.path / "table.csv.incomplete");
      StepTable table = StepTable::resumed(file, size);
      table.append("3");
      table.finish();
      BOOST_TEST(content(file) == "step\n1\n3\n");
      BOOST_CHECK_THROW(StepTable::resumed(file, 1000), InputError);
      fs::remove(folder.path / "table.csv.incomplete");
    }
}

BOOST_AUTO_TEST_CASE(a_table_without_space_ends_with_a_whole_line)
{
  BOOST_CHECK_THROW(StepTable("/nowhere/table.csv", "step"), std::runtime_error);
  const Folder folder;
  rlimit       limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit none    = {0, limit.rlim_max}; // a write fails as on a full disk
  const auto   handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  BOOST_CHECK_EXCEPTION(StepTable(folder.path / "table.csv", "step"), std::runtime_error,
                        [](const std::runtime_error &error) {
                          return std::string(error.what()).find("cannot be written") != std::string::npos;
                        });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
}

BOOST_AUTO_TEST_CASE(a_first_signal_is_noted)
{
  for (const auto &[signal, name] : {std::pair(SIGTERM, "SIGTERM"), std::pair(SIGUSR1, "SIGUSR1")})
    {
      const app::StopSignals signals;
      BOOST_TEST(signals.received() == 0);
      std::raise(signal);
      BOOST_TEST(signals.received() == signal);
      BOOST_TEST(app::name_of_signal(signals.received()) == name);
    }
  std::signal(SIGINT, SIG_IGN);
  const app::StopSignals signals;
  std::raise(SIGINT); // stays ignored
  BOOST_TEST(signals.received() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
