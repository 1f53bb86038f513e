// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/convergence_plot.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

using namespace moreau::app;

namespace
{
/// A directory that lives as long as the test.
struct TemporaryDirectory
{
  std::filesystem::path path;

  TemporaryDirectory()
  {
    std::string name = (std::filesystem::temp_directory_path() / "moreau_plot_XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }

  std::ptrdiff_t n_files() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
};

/// The only place where programs are looked for, while it lives.
struct SearchPath
{
  std::string old = std::getenv("PATH");

  explicit SearchPath(const std::filesystem::path &path) { setenv("PATH", path.c_str(), 1); }
  ~SearchPath() { setenv("PATH", old.c_str(), 1); }
};

std::string contents(const std::filesystem::path &file)
{
  std::ifstream     in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A program of this name that runs lines of a shell.
void put_program(const std::filesystem::path &file, const std::string &lines)
{
  std::ofstream(file) << "#!/bin/sh\n" << lines << '\n';
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

ConvergencePlot two_curves()
{
  ConvergencePlot plot;
  plot.title   = "φ_n(U) it's 'smooth'";
  plot.x_label = "radius (m)";
  plot.y_label = "error";
  plot.series  = {{"isotropic", {0.1, 0.05, 0.025}, {0.3, 0.2, 0.125}, false},
                  {"bound", {0.1, 0.05, 0.025}, {0.6, 0.5, 0.25}, true}};
  return plot;
}

/// What gnuplot is told.
std::string script(const ConvergencePlot &plot)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  put_program(directory.path / "gnuplot",
              "while read -r line; do echo \"$line\"; done > '" + (directory.path / "script").string() + "'");
  draw(plot, directory.path / "no.png");
  return contents(directory.path / "script");
}

/// Big endian, as PNG has them.
unsigned int integer_at(const std::string &bytes, const std::size_t position)
{
  unsigned int result = 0;
  for (std::size_t k = position; k < position + 4; ++k)
    result = result << 8 | static_cast<unsigned char>(bytes.at(k));
  return result;
}

void check_picture(const ConvergencePlot &plot, const std::string &name = "convergence.png")
{
  const TemporaryDirectory directory;
  BOOST_TEST(draw(plot, directory.path / name) == "");
  const std::string png = contents(directory.path / name);
  BOOST_TEST_REQUIRE(png.size() > 1000u); // an empty canvas alone is larger
  BOOST_TEST(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  BOOST_TEST(integer_at(png, 16) == 1000u); // IHDR: width, height
  BOOST_TEST(integer_at(png, 20) == 750u);
  BOOST_TEST(directory.n_files() == 1);
}
} // namespace

BOOST_AUTO_TEST_SUITE(convergence_plot)

BOOST_AUTO_TEST_CASE(a_picture_has_its_size_and_leaves_no_other_file) { check_picture(two_curves()); }

BOOST_AUTO_TEST_CASE(one_point_is_drawn)
{
  ConvergencePlot plot = two_curves();
  plot.series          = {{"isotropic", {0.1}, {0.3}, false}};
  check_picture(plot);
}

BOOST_AUTO_TEST_CASE(sizes_that_increase_or_errors_of_round_off_are_drawn)
{
  ConvergencePlot plot = two_curves();
  plot.slopes          = {-1., -0.5};
  plot.series = {{"exact", {16., 32., 1024.}, {1e-16, 3e-16, 2e-16}, false}, {"bound", {16., 1024.}, {1e3, 0.1}, true}};
  check_picture(plot);
  plot.slopes.clear();
  check_picture(plot);
}

BOOST_AUTO_TEST_CASE(no_shell_reads_file_names) { check_picture(two_curves(), "it's; $(touch x) `touch y` \"z\".png"); }

BOOST_AUTO_TEST_CASE(errors_that_are_not_positive_are_left_out)
{
  ConvergencePlot plot = two_curves();
  plot.series[0]       = {"isotropic",
                          {0.1, 0.01, 0.02, 0.03, 0.04, 0.},
                          {1e-3, 0., -1., std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1.},
                          false};
  BOOST_TEST(script(plot).find("$curve0 << end\n0.1 0.001\nend\n") != std::string::npos);
  check_picture(plot);
}

BOOST_AUTO_TEST_CASE(texts_are_shown_as_they_are)
{
  const std::string text = script(two_curves());
  BOOST_TEST(text.find("set title 'φ_n(U) it''s ''smooth'''") != std::string::npos);
  BOOST_TEST(text.find("title 'bound'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_to_draw_is_said)
{
  const TemporaryDirectory directory;
  ConvergencePlot          plot;
  BOOST_TEST(draw(plot, directory.path / "convergence.png") == "convergence.png is not drawn: there is no positive error.");
  plot.series = {{"exact", {0.1, 0.05}, {0., 0.}, false}};
  BOOST_TEST(draw(plot, directory.path / "convergence.png") == "convergence.png is not drawn: there is no positive error.");
  BOOST_TEST(directory.n_files() == 0);
}

BOOST_AUTO_TEST_CASE(sizes_without_errors_are_refused)
{
  ConvergencePlot plot = two_curves();
  plot.series[1].y.pop_back();
  BOOST_CHECK_THROW(draw(plot, "never.png"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_missing_gnuplot_is_said)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  BOOST_TEST(draw(two_curves(), directory.path / "convergence.png") ==
             "convergence.png is not drawn: gnuplot cannot be run (No such file or directory).");
  BOOST_TEST(directory.n_files() == 0);
}

BOOST_AUTO_TEST_CASE(a_gnuplot_that_fails_or_reads_nothing_is_said)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  const auto               said = [&] { return draw(two_curves(), directory.path / "convergence.png"); };
  put_program(directory.path / "gnuplot", "echo >&2; echo '         ^' >&2; echo 'line 2: unknown terminal' >&2; exit 1");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: line 2: unknown terminal.");
  put_program(directory.path / "gnuplot", "echo half a picture");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: it says nothing.");
  put_program(directory.path / "gnuplot", "kill -9 $$");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: it says nothing.");
  BOOST_TEST(directory.n_files() == 1); // the program itself
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_is_said)
{
  BOOST_TEST(draw(two_curves(), "/nonexistent_directory/convergence.png") ==
             "/nonexistent_directory/convergence.png cannot be written: No such file or directory.");
}

BOOST_AUTO_TEST_SUITE_END()
