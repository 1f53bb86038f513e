// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/progress.h"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <regex>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(progress_lines)

using moreau::app::Progress;

namespace
{
/// A file in the stead of a pipe or a terminal.
class Outlet
{
public:
  Outlet() { BOOST_TEST_REQUIRE(file != nullptr); }
  ~Outlet() { std::fclose(file); }

  Progress::Lines lines(const bool on_terminal, const double every) const { return {file, on_terminal, every}; }

  std::string text() const
  {
    std::rewind(file);
    std::string text(10000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    return text;
  }

private:
  std::FILE *const file = std::tmpfile();
};

void wait(const double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::size_t count(const std::string &text, const std::string &pattern)
{
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}
} // namespace

BOOST_AUTO_TEST_CASE(in_a_pipe_there_is_one_line_after_each_interval)
{
  const Outlet outlet;
  {
    Progress progress("projecting on 3 contacts", true, outlet.lines(false, .4));
    wait(.3);
    progress.done(.1); // so that 2.7 s are left
    wait(.7);
  }
  const std::string text = outlet.text();
  BOOST_TEST(count(text, "  projecting on 3 contacts: [01] s, about [23] s left\n") == 2u, text); // after .4 and .8 s
  BOOST_TEST(count(text, "\n") == 2u, text);
  BOOST_TEST(text.find('\r') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(where_nobody_reads_along_the_interval_is_a_minute)
{
  const Progress::Lines lines = Progress::Lines::usual(stderr);
  BOOST_TEST((lines.file == stderr));
  BOOST_TEST(lines.every == (lines.on_terminal ? 1. : 60.));
  const Outlet outlet;
  {
    Progress progress("short", true, outlet.lines(false, 60.));
    progress.done(.5);
  }
  BOOST_TEST(outlet.text().empty());
}

BOOST_AUTO_TEST_CASE(on_a_terminal_a_line_replaces_the_one_before_and_is_erased)
{
  const Outlet outlet;
  {
    const Progress progress("diagnosing", true, outlet.lines(true, .3));
    wait(.5);
  }
  BOOST_TEST(outlet.text() == "\r\033[Kdiagnosing: 0 s\r\033[K");
}

BOOST_AUTO_TEST_CASE(of_lines_within_each_other_the_last_is_shown_and_a_quiet_one_never)
{
  const Outlet outlet;
  {
    const Progress outer("outer", true, outlet.lines(false, .2));
    const Progress quiet("quiet", false, outlet.lines(false, .2));
    {
      const Progress inner("inner", true, outlet.lines(false, .2));
      wait(.5);
    }
    wait(.3);
  }
  const std::string text = outlet.text();
  BOOST_TEST(text.find("inner") < text.find("outer"));
  BOOST_TEST(text.find("outer") != std::string::npos);
  BOOST_TEST(text.rfind("inner") < text.find("outer"));
  BOOST_TEST(text.find("quiet") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(where_the_fraction_falls_the_time_left_is_counted_anew)
{
  const Outlet outlet;
  {
    Progress progress("level", true, outlet.lines(false, .7));
    wait(.5);
    progress.done(.9);
    progress.done(.2); // something new begins
    wait(.1);
    progress.done(.3);
    wait(.2);
  }
  BOOST_TEST(count(outlet.text(), "level: 1 s, about 1 s left\n") == 1u, outlet.text()); // .1 s * .7/.1 less .1 s
}

BOOST_AUTO_TEST_CASE(where_the_time_left_is_over_nothing_is_said_of_it)
{
  const Outlet outlet;
  {
    Progress progress("script", true, outlet.lines(false, .6));
    wait(.2);
    progress.done(.5); // .2 s are left, so they say
    wait(.6);
  }
  BOOST_TEST(outlet.text() == "  script: 1 s\n");
}

BOOST_AUTO_TEST_SUITE_END()
