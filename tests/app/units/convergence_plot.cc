// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/plot.h"
#include "app/output/table_text.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(convergence_plot)

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

constexpr double none = std::numeric_limits<double>::quiet_NaN();

using Rows = std::vector<std::array<double, 3>>;

const Rows three_levels = {{0.1, 0.3, 0.6}, {0.05, 0.2, 0.5}, {0.025, 0.125, 0.25}};

/// Radius, error and bound, written as runs write theirs.
std::string table(const Rows &rows)
{
  std::vector<std::vector<Column>> columns;
  for (const auto &[radius, error, bound] : rows)
    columns.push_back({{"radius", radius}, {"error", error}, {"bound", bound}});
  std::ostringstream out;
  write_table(out, columns);
  return out.str();
}

Plot two_curves()
{
  Plot plot{"convergence",
            {{"title", "φ_n(U) it's 'smooth'"}, {"size", "radius"}, {"x_label", "radius (m)"}, {"y_label", "error"}},
            {}};
  plot.add_curve("isotropic", "error");
  plot.add_curve("bound", "bound", true);
  return plot;
}

/// What is said where a table is drawn.
std::string drawn(const std::filesystem::path &png, const std::string &table = table(three_levels),
                  const Plot &plot = two_curves())
{
  return draw(plot, png.parent_path(), png.stem().string(), [&](std::ostream &out) { out << table; });
}

/// Big endian, as PNG has them.
unsigned int integer_at(const std::string &bytes, const std::size_t position)
{
  unsigned int result = 0;
  for (std::size_t k = position; k < position + 4; ++k)
    result = result << 8 | static_cast<unsigned char>(bytes.at(k));
  return result;
}

/// The bytes of a picture that is as it should be.
std::string picture(const std::string &table, const Plot &plot = two_curves(), const std::string &name = "convergence.png")
{
  const TemporaryDirectory directory;
  BOOST_TEST(drawn(directory.path / name, table, plot) == "");
  const std::string png = contents(directory.path / name);
  BOOST_TEST_REQUIRE(png.size() > 1000u); // an empty canvas alone is larger
  BOOST_TEST(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  BOOST_TEST(integer_at(png, 16) == 1000u); // IHDR: width, height
  BOOST_TEST(integer_at(png, 20) == 750u);
  BOOST_TEST(directory.n_files() == 3); // script and table beside it
  return png;
}

std::string picture(const Rows &rows) { return picture(table(rows)); }
} // namespace

BOOST_AUTO_TEST_CASE(a_picture_has_its_size_and_its_script_and_table_beside_it) { picture(three_levels); }

BOOST_AUTO_TEST_CASE(one_point_is_drawn) { picture(Rows{{0.1, 0.3, none}}); }

BOOST_AUTO_TEST_CASE(sizes_that_increase_or_errors_of_round_off_are_drawn)
{
  picture(Rows{{16., 1e-16, 1e3}, {32., 3e-16, none}, {1024., 2e-16, 0.1}});
}

BOOST_AUTO_TEST_CASE(no_shell_reads_file_names)
{
  picture(table(three_levels), two_curves(), "it's; $(touch x) `touch y` \"z\".png");
}

BOOST_AUTO_TEST_CASE(errors_that_are_not_positive_are_left_out)
{
  constexpr double  infinity = std::numeric_limits<double>::infinity();
  const std::string expected = picture(Rows{{0.1, 1e-3, 1.}});
  BOOST_TEST((picture(Rows{{0.1, 1e-3, 1.},
                           {0.01, 0., 0.},
                           {0.02, -1., none},
                           {0.03, none, -1.},
                           {0.04, infinity, infinity},
                           {0., 1., 1.}}) == expected));
  BOOST_TEST((picture(Rows{{0.1, 1e-3, 0.}}) != expected)); // pictures tell what they show
}

BOOST_AUTO_TEST_CASE(what_is_left_out_breaks_no_line)
{
  BOOST_TEST((picture(Rows{{0.1, 0.4, 1.}, {0.05, none, none}, {0.025, 0.1, 0.2}}) ==
              picture(Rows{{0.1, 0.4, 1.}, {0.025, 0.1, 0.2}})));
}

BOOST_AUTO_TEST_CASE(a_curve_may_have_the_rows_of_one_limit)
{
  const std::string two_limits = "radius,error,bound,limit\n0.1,0.3,0.6,2\n0.07,0.1,0.2,1\n0.05,0.2,0.5,2\n";
  Plot              plot       = two_curves();
  BOOST_TEST((picture(two_limits, plot) == picture(Rows{{0.1, 0.3, 0.6}, {0.07, 0.1, 0.2}, {0.05, 0.2, 0.5}})));
  plot.lists["limits"] = {"2", "2"};
  BOOST_TEST((picture(two_limits, plot) == picture(Rows{{0.1, 0.3, 0.6}, {0.05, 0.2, 0.5}})));
}

BOOST_AUTO_TEST_CASE(motions_are_drawn)
{
  const std::string head = "h,time,x,y,u_x,u_y\n", steps = "0.5,0,0,1,,\n0.5,1,2,3,,\n",
                    others = "0.25,0,5,5,,\n0.25,1,9,9,,\n", exact = "0,0,0,1,,\n0,1,2,2,,\n";
  const Plot        plot{"motions",
                  {{"title", "it's"}, {"below", "0 0.1"}, {"above", ""}},
                  {{"coordinates", {"x (m)", "y (m)"}}, {"names", {"h = 0.5 s", "exact"}}, {"steps", {"0.5", "0"}}}};
  const std::string expected = picture(head + steps + exact, plot);
  BOOST_TEST((picture(head + steps + others + exact, plot) == expected)); // others are not asked for
  BOOST_TEST((picture(head + others + exact, plot) != expected));
}

// In another folder than the one it was made in, from the table alone: the same bytes, and another picture of another table.
BOOST_AUTO_TEST_CASE(a_script_draws_the_same_picture_where_the_folder_has_moved)
{
  const TemporaryDirectory directory;
  const auto               made = directory.path / "made here", moved = directory.path / "it's moved";
  std::filesystem::create_directory(made);
  BOOST_TEST(drawn(made / "convergence.png") == "");
  const std::string expected = contents(made / "convergence.png");
  std::filesystem::rename(made, moved);
  const auto redraw = [&](const std::string &options) {
    std::filesystem::remove(moved / "convergence.png");
    const std::string in = "cd \"" + moved.string() + "\" && gnuplot -d " + options + " convergence.gp";
    BOOST_TEST(std::system(in.c_str()) == 0);
    return contents(moved / "convergence.png");
  };
  BOOST_TEST((redraw("") == expected));
  redraw("-e \"format = 'svg'\"");
  BOOST_TEST(contents(moved / "convergence.svg").find("φ_n(U) it's 'smooth'") != std::string::npos);
  std::ofstream(moved / "convergence_plot.csv") << table(Rows{{0.1, 0.3, 0.6}, {0.05, 0.1, 0.5}});
  BOOST_TEST((redraw("") != expected));
}

BOOST_AUTO_TEST_CASE(all_formats_are_drawn_and_the_table_of_a_run_is_not_written_twice)
{
  const TemporaryDirectory directory;
  Plot                     plot = two_curves();
  plot.formats                  = {"svg", "pdf"};
  plot.table                    = "convergence.csv";
  BOOST_TEST(drawn(directory.path / "convergence.png", table(three_levels), plot) == "");
  BOOST_TEST(contents(directory.path / "convergence.svg").substr(0, 5) == "<?xml");
  BOOST_TEST(contents(directory.path / "convergence.pdf").substr(0, 5) == "%PDF-");
  BOOST_TEST(contents(directory.path / "convergence.gp").find("table = 'convergence.csv'\n") != std::string::npos);
  BOOST_TEST(directory.n_files() == 3);
  BOOST_TEST(pictures_of(plot, "convergence") == "convergence.svg, convergence.pdf");
}

BOOST_AUTO_TEST_CASE(texts_are_shown_as_they_are)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  put_program(directory.path / "gnuplot", "echo \"$@\" > '" + (directory.path / "arguments").string() + "'");
  drawn(directory.path / "no.png");
  const std::string text = contents(directory.path / "arguments");
  BOOST_TEST(text.find("title = 'φ_n(U) it''s ''smooth'''; ") != std::string::npos);
  BOOST_TEST(text.find("array names[2] = ['isotropic', 'bound']; ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_to_draw_is_said)
{
  const TemporaryDirectory directory;
  const auto               png = directory.path / "convergence.png";
  BOOST_TEST(drawn(png, "radius,error,bound\n") == "convergence.png is not drawn: there is no positive error.");
  BOOST_TEST(drawn(png, table({{0.1, 0., none}, {0.05, 0., none}})) ==
             "convergence.png is not drawn: there is no positive error.");
  BOOST_TEST(directory.n_files() == 0);
}

BOOST_AUTO_TEST_CASE(sizes_without_errors_are_refused)
{
  const TemporaryDirectory directory;
  BOOST_TEST(drawn(directory.path / "convergence.png", "radius,error\n0.1,0.3\n") ==
             "convergence.png is not drawn: the table has no column bound.");
  BOOST_TEST(directory.n_files() == 0);
}

BOOST_AUTO_TEST_CASE(a_missing_gnuplot_is_said)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  BOOST_TEST(drawn(directory.path / "convergence.png") ==
             "convergence.png is not drawn: gnuplot cannot be run (No such file or directory).");
  BOOST_TEST(directory.n_files() == 0);
}

BOOST_AUTO_TEST_CASE(a_gnuplot_that_fails_or_reads_nothing_is_said)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  const auto               said = [&] { return drawn(directory.path / "convergence.png"); };
  put_program(directory.path / "gnuplot", "echo >&2; echo '         ^' >&2; echo 'line 2: unknown terminal' >&2; exit 1");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: line 2: unknown terminal.");
  put_program(directory.path / "gnuplot", "echo half a picture");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: it says nothing.");
  put_program(directory.path / "gnuplot", "kill -9 $$");
  BOOST_TEST(said() == "convergence.png is not drawn: gnuplot failed: it says nothing.");
  BOOST_TEST(directory.n_files() == 1); // the program itself
}

BOOST_AUTO_TEST_CASE(a_gnuplot_that_hangs_is_ended)
{
  const TemporaryDirectory directory;
  const SearchPath         search(directory.path);
  put_program(directory.path / "gnuplot", "/bin/sleep 1000; :"); // a program that waits for another one
  Plot plot       = two_curves();
  plot.time_limit = 0.1;
  BOOST_TEST(drawn(directory.path / "convergence.png", table(three_levels), plot) ==
             "convergence.png is not drawn: gnuplot took longer than 0.1 s and was ended.");
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_is_said)
{
  BOOST_TEST(drawn("/nonexistent_directory/convergence.png") ==
             "/nonexistent_directory/convergence.png cannot be written: No such file or directory.");
}

BOOST_AUTO_TEST_SUITE_END()
