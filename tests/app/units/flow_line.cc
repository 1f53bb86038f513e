// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/flow/flow_line.h"
#include "app/input/places.h"

#include "app/input/flow_setting.h"
#include "app/run/flow/congested_flow.h"
#include "app/run/flow/line_output.h"

#include "convex/input_error.h"

#include "folder.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

BOOST_AUTO_TEST_SUITE(flow_line)

namespace
{
using namespace moreau;
using app::LineFlow;
using app::LinePiece;
using app::LineSetting;
using app::ParameterFile;
using geometry::Index;

const std::vector<std::string> two_blocks = {
    "Zone/Function expression=if(x > 0.2 & x < 0.4, 1, 0) + if(x > 0.55 & x < 0.65, 1, 0)",
    "Velocity/Function expression=if(x < 0.5, 1, -0.5)", "Time/End time=0.2", "Mesh/Cells per unit length=100"};

const std::vector<std::string> snow_plough = {
    "Zone/Function expression=if(x > 0.5 & x < 0.7, 1, if(x > 0.05 & x < 0.5, 0.5, 0))",
    "Velocity/Function expression=if(x < 0.5, 1, 0)", "Time/End time=0.3", "Mesh/Cells per unit length=100"};

/// more: instead of settings of the same name.
ParameterFile flow(std::vector<std::string> settings, const std::vector<std::string> &more = {})
{
  const auto name = [](const std::string &setting) { return setting.substr(0, setting.find('=')); };
  for (const std::string &setting : more)
    settings.erase(std::remove_if(settings.begin(), settings.end(),
                                  [&](const std::string &other) { return name(other) == name(setting); }),
                   settings.end());
  const Folder folder;
  const auto   prm = folder.path / "flow.prm";
  std::ofstream(prm) << "set Problem = congested flow\nset Dimension = 1\n";
  settings.insert(settings.end(), more.begin(), more.end());
  return {prm, settings};
}

macro::Parcels at_end(const std::string &method, ParameterFile &file)
{
  const LineSetting               setting(file);
  const std::unique_ptr<LineFlow> line_flow = app::make_line_flow(method, setting);
  line_flow->advance(file.values().motion.time.end_time);
  return line_flow->parcels();
}

std::vector<LinePiece> pieces_of(double (*rho)(double), double (*u)(double), const Index n, const double left = 0.,
                                 const double right = 1.)
{
  return app::line_pieces(
             [=](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
               values.resize(2, x.cols());
               for (Index k = 0; k < x.cols(); ++k)
                 values.col(k) << rho(x(0, k)), u(x(0, k));
             },
             left, right, n)
      .pieces;
}

std::string message_of(const std::function<void()> &f)
{
  try
    {
      f();
    }
  catch (const InputError &error)
    {
      return app::place_of(error.subject) + ": " + error.sentence;
    }
  return "";
}
} // namespace

BOOST_AUTO_TEST_CASE(edges_are_found_to_the_last_bit_wherever_the_points_are)
{
  for (const Index n : {50, 77, 640})
    {
      const auto pieces = pieces_of([](double x) { return x > 0.2 && x < 0.4     ? 1.
                                                          : x >= 0.4 && x <= 0.7 ? .5
                                                                                 : 0.; },
                                    [](double x) { return x < 0.3 ? 2. : -1.; }, n);
      BOOST_TEST_REQUIRE(pieces.size() == 5);
      const double left[] = {0., .2, .3, .4, .7}, rho[] = {0., 1., 1., .5, 0.}, u[] = {0., 2., -1., -1., 0.};
      for (std::size_t k = 0; k < pieces.size(); ++k)
        {
          BOOST_TEST(pieces[k].left == left[k]);
          BOOST_TEST(pieces[k].rho == rho[k]);
          BOOST_TEST(pieces[k].u == u[k]);
          BOOST_TEST(pieces[k].uniform);
        }
      BOOST_TEST(pieces.back().right == 1.);
    }
}

// Near 0 numbers are closer to each other than the rounding of the box: no block is as thin as that.
BOOST_AUTO_TEST_CASE(edges_at_0_leave_no_sliver)
{
  for (const double right : {0., 2.})
    for (const Index n : {50, 77, 640})
      {
        const auto pieces = pieces_of([](double x) { return x > -1. && x <= 0. ? 1. : 0.; },
                                      [](double x) { return x < 0. ? 1. : -1.; }, n, -2., right);
        BOOST_TEST_REQUIRE(pieces.size() == (right > 0. ? 3u : 2u));
        BOOST_TEST(pieces[1].left == -1.);
        BOOST_TEST(pieces[1].right == 0.);
        BOOST_TEST(pieces.back().right == right);
      }
}

// A point of the grid a rounding beside an edge makes no piece of its own.
BOOST_AUTO_TEST_CASE(slivers_beside_edges_belong_to_their_neighbours)
{
  const double edge   = .1 + .2; // the neighbour of .3
  const auto   pieces = app::line_pieces(
      [](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
        values.resize(2, x.cols());
        for (Index k = 0; k < x.cols(); ++k)
          values.col(k) << (x(0, k) < .3 ? .4 : 0.), 1. - x(0, k);
      },
      0., 1., 50, {edge});
  for (const LinePiece &piece : pieces.pieces)
    BOOST_TEST(piece.right - piece.left > 1e-12);
}

BOOST_AUTO_TEST_CASE(what_varies_smoothly_keeps_its_mass_and_momentum_beside_a_jump)
{
  const auto pieces = pieces_of([](double x) { return x < 1. / 3. ? .5 + .4 * std::cos(9. * x) : .2; },
                                [](double x) { return std::sin(6. * x); }, 640);
  double     mass = 0., momentum = 0., place = 0.;
  for (const LinePiece &piece : pieces)
    {
      BOOST_TEST(piece.left == place);
      place = piece.right;
      mass += piece.rho * (piece.right - piece.left);
      momentum += piece.rho * piece.u * (piece.right - piece.left);
    }
  // Simpson's rule on intervals of 1/640: an error of (1/640)^4 times the fourth derivative over 2880
  BOOST_TEST(std::abs(mass - (.5 / 3. + .4 / 9. * std::sin(3.) + .2 * 2. / 3.)) < 1e-11);
  const double product = .2 * (std::cos(5.) - 1.) / -15. + .2 * (std::cos(1.) - 1.) / 3.; // ∫ .4 sin 6x cos 9x
  BOOST_TEST(std::abs(momentum - (.5 / 6. * (1. - std::cos(2.)) + product + .2 / 6. * (std::cos(2.) - std::cos(6.)))) <
             1e-10);
}

// Reference case (a): masses .2 and .1 meet at t = .1 in x = .5.
BOOST_AUTO_TEST_CASE(two_blocks_leave_an_impact_as_the_law_says)
{
  for (const double e : {0., .5, 1.})
    {
      ParameterFile        file = flow(two_blocks, {"Restitution=" + std::to_string(e)});
      const macro::Parcels end  = at_end("exact blocks", file);
      const double         u[]  = {.5 - e * .5, .5 + e};
      BOOST_TEST_REQUIRE(end.u.size() == 2);
      for (const int k : {0, 1})
        BOOST_TEST(std::abs(end.u[k] - u[k]) < 1e-12);
      BOOST_TEST(std::abs(end.right[0] - (.5 + .1 * u[0])) < 1e-12);
      BOOST_TEST(std::abs(end.left[1] - (.5 + .1 * u[1])) < 1e-12);
    }
}

// Reference case: a stream of density .5 runs into a block at rest, congested [.4, .8] with velocity .5 at t = .3.
BOOST_AUTO_TEST_CASE(the_splitting_and_spheres_tend_to_the_snow_plough)
{
  ParameterFile        file    = flow(snow_plough);
  const macro::Parcels exact   = at_end("sticky solution", file);
  const auto           in_zone = app::fronts(exact);
  BOOST_TEST_REQUIRE(in_zone.size() == 1);
  BOOST_TEST(std::abs(in_zone[0].first - .4) < 1e-12);
  BOOST_TEST(std::abs(in_zone[0].second - .8) < 1e-12);

  std::vector<double> distances;
  for (const std::string steps : {"0.01", "0.0025"})
    {
      ParameterFile fine = flow(snow_plough, {"Time/Time step=" + steps,
                                              "Mesh/Cells per unit length=" + std::string(steps == "0.01" ? "100" : "400")});
      distances.push_back(macro::wasserstein_distance(at_end("splitting", fine), exact));
    }
  BOOST_TEST(distances[0] < .01 * .425);
  BOOST_TEST(distances[1] < .4 * distances[0]); // a quarter of the step and of the parcels: order 1 reads .25

  distances.clear();
  const LineSetting setting(file);
  for (const double n : {40., 80., 160.})
    {
      const auto spheres = app::make_spheres_on_line(setting, n);
      spheres->advance(.3);
      BOOST_TEST(spheres->converged());
      BOOST_TEST(std::abs(spheres->parcels().m.back() - exact.m.back()) < 1e-13);
      distances.push_back(macro::wasserstein_distance(spheres->parcels(), exact));
    }
  BOOST_TEST(distances[1] < .55 * distances[0]); // spheres keep gaps that are as wide as they are: order 1
  BOOST_TEST(distances[2] < .55 * distances[1]);
}

BOOST_AUTO_TEST_CASE(spheres_fill_blocks_exactly_and_rebound_as_they_do)
{
  ParameterFile     file = flow(two_blocks, {"Restitution=0.5"});
  const LineSetting setting(file);
  const auto        system = setting.spheres(33.); // 6.6 and 3.3 spheres: 7 and 3 of them
  BOOST_TEST_REQUIRE(system.spheres.size() == 10);
  BOOST_TEST(std::abs(system.spheres.r(0, 0) - system.spheres.R(0) - .2) < 1e-14);
  BOOST_TEST(std::abs(system.spheres.r(0, 6) + system.spheres.R(6) - .4) < 1e-14);
  BOOST_TEST(std::abs(system.spheres.r(0, 9) + system.spheres.R(9) - .65) < 1e-14);
  BOOST_TEST(system.U(6) == 1.);
  BOOST_TEST(system.U(7) == -.5);

  const macro::Parcels exact = at_end("exact blocks", file);
  std::vector<double>  distances;
  for (const double n : {40., 80.})
    {
      const auto spheres = app::make_spheres_on_line(setting, n);
      spheres->advance(.2);
      distances.push_back(macro::wasserstein_distance(spheres->parcels(), exact));
      BOOST_TEST(macro::velocity_distance(spheres->parcels(), exact) < 1e-6); // the tolerance of projections
    }
  BOOST_TEST(distances[1] < .55 * distances[0]); // the impact happens within a step, which is a part of the radius
}

BOOST_AUTO_TEST_CASE(records_balance_what_stands_in_the_cells_and_what_the_force_did)
{
  ParameterFile     file = flow(two_blocks, {"Force/Function expression=-1", "Time/End time=0.05"}); // before the impact
  const LineSetting setting(file);
  const auto        blocks = app::make_line_flow("exact blocks", setting);
  blocks->advance(.05);
  file.set("Congested flow/Method", "exact blocks");
  const app::LineRecord record   = app::LineMeter(setting, *blocks).record();
  double                momentum = 0.;
  for (const double mean : record.momenta)
    momentum += mean * setting.grid().h(0);
  BOOST_TEST(std::abs(record.momentum - (.2 * .95 - .1 * .55)) < 1e-13);
  BOOST_TEST(std::abs(momentum - record.momentum) < 1e-13);
  BOOST_TEST(record.momentum_error < 1e-13);
  BOOST_TEST(std::abs(record.kinetic_energy - record.work - .1125) < 1e-13);
  BOOST_TEST(std::abs(record.congested_volume - .3) < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_run_conserves_mass_and_momentum_between_walls_and_writes_all_its_files)
{
  for (const std::string method : {"exact blocks", "splitting"})
    {
      const Folder  folder;
      const auto    to   = folder.path / "out";
      ParameterFile file = flow(two_blocks, {"Congested flow/Method=" + method, "Zone/Walls=left, right", "Time/End time=1",
                                             "Force/Function expression=-1", "Output directory=" + to.string()});
      app::Log      log(nullptr);
      BOOST_TEST((app::congested_flow(file, log, false) == app::ExitStatus::done));
      std::ifstream summary(to / "summary.json");
      const auto    json = nlohmann::json::parse(summary);
      BOOST_TEST(json.at("mass_error").get<double>() < 1e-12);
      if (method == "exact blocks")
        BOOST_TEST(json.at("momentum_error").get<double>() < 1e-12);
      else
        BOOST_TEST(json.at("momentum_error").is_null()); // nobody knows what the walls gave
      BOOST_TEST(json.at("max_density").get<double>() < 1. + 1e-12);
      BOOST_TEST(json.at("pictures") == 101);
      const double lost =
          json.at("energy_before").get<double>() + json.at("work").get<double>() - json.at("energy_after").get<double>();
      BOOST_TEST(lost > 0.);
      for (const char *const name : {"statistics.csv", "blocks.csv", "profile.csv", "solution.pvd", "continuum_0100.vtp",
                                     "parameters.prm", "log.txt"})
        BOOST_TEST(std::filesystem::exists(to / name), name);
    }
}

BOOST_AUTO_TEST_CASE(a_comparison_finds_finite_volumes_near_the_exact_solution)
{
  const Folder  folder;
  ParameterFile file = flow(two_blocks, {"Congested flow/Compare with=exact blocks, sticky solution, splitting, spheres",
                                         "Congested flow/Spheres per unit length=20, 40"});
  macro::CongestedFlow finite_volumes(app::flow_setting(file, geometry::Processes::alone()));
  while (finite_volumes.time() < .2)
    finite_volumes.advance(std::min(.2, finite_volumes.time() + .9 * std::min(.01, finite_volumes.longest_step())));
  const app::OutputDirectory output(folder.path / "out", {});
  app::Log                   log(nullptr);
  const auto                 json = app::compare_on_line(file, finite_volumes, output, log).json;
  BOOST_TEST_REQUIRE(json.at("rows").size() == 6);
  BOOST_TEST(json.at("exact_solution") == "exact blocks");
  for (const auto &row : json.at("rows"))
    {
      const std::string method = row.at("method");
      BOOST_TEST(row.at("wasserstein").get<double>() < .01, method);      // a cell
      BOOST_TEST(row.at("density_distance").get<double>() < .07, method); // a cell per edge
      BOOST_TEST(std::abs(row.at("kinetic_energy").get<double>() - .0375) < 1e-3, method);
      if (method != "finite volumes") // e = 0 and full blocks: nothing but rounding is between them
        BOOST_TEST(row.at("wasserstein_to_exact").get<double>() < 1e-6, method);
    }
  BOOST_TEST(std::filesystem::exists(output.path() / "comparison.csv"));
}

BOOST_AUTO_TEST_CASE(what_a_method_is_not_made_for_is_refused_in_one_sentence)
{
  const auto refused = [](const std::string &method, const std::vector<std::string> &data,
                          const std::vector<std::string> &more) {
    const std::string message = message_of([&] {
      ParameterFile file = flow(data, more);
      app::make_line_flow(method, LineSetting(file));
    });
    BOOST_TEST(message.find(". ") == std::string::npos, message);
    return message;
  };
  const std::string by_blocks = "Congested flow/Method=exact blocks";
  BOOST_TEST(refused("exact blocks", snow_plough, {by_blocks}).find("take splitting or finite volumes") !=
             std::string::npos);
  BOOST_TEST(refused("exact blocks", snow_plough, {by_blocks, "Restitution=1"}).find("; take finite volumes") !=
             std::string::npos);
  BOOST_TEST(refused("exact blocks", snow_plough, {}).find("leave it out") != std::string::npos);
  BOOST_TEST(refused("exact blocks", two_blocks, {"Velocity/Function expression=x"}).find("varies within") !=
             std::string::npos);
  BOOST_TEST(refused("exact blocks", two_blocks, {"Force/Function expression=x"}).find("Force/") == 0);
  BOOST_TEST(refused("splitting", two_blocks, {"Restitution=0.5"}).find("Restitution") != std::string::npos);
  BOOST_TEST(refused("sticky solution", two_blocks, {"Force/Function expression=1"}).find("without force") !=
             std::string::npos);
  BOOST_TEST(refused("splitting", two_blocks, {"Zone/Function expression=1.5*x"}).find("must lie in [0, 1]") !=
             std::string::npos);
  BOOST_TEST(refused("splitting", two_blocks, {"Zone/Function expression=0"}).find("zone is empty") != std::string::npos);
  BOOST_TEST(refused("exact blocks", two_blocks, {}) == "");
}

// 80 bodies of 10 µm with gaps of 5 µm, in cells of 500 µm: many gaps are between the points that are looked at.
BOOST_AUTO_TEST_CASE(gaps_that_are_too_short_for_the_cells_are_noticed)
{
  const std::vector<std::string> fine = {
      "Zone/Function expression=if(x > 0.1 & x < 0.1012 & sin(2*pi*x/1.5e-5) > -0.5, 1, 0)",
      "Mesh/Cells per unit length=2000", "Congested flow/Method=exact blocks"};
  const std::string message = message_of([&] {
    ParameterFile file = flow(fine);
    LineSetting{file};
  });
  BOOST_TEST(message.find("Zone/Function expression: ") == 0, message);
  BOOST_TEST(message.find("Blocks file") != std::string::npos, message);
  ParameterFile     finer = flow(fine, {"Mesh/Cells per unit length=20000"});
  const LineSetting setting(finer);
  BOOST_TEST(setting.blocks().size() == 80);
  BOOST_TEST(setting.warning_of_edges() == "");
}

namespace
{
std::vector<macro::Block> blocks_of(const std::string &density, const std::string &velocity = "0", const char *cells = "10")
{
  ParameterFile     file = flow({"Zone/Function expression=" + density, "Velocity/Function expression=" + velocity,
                                 std::string("Mesh/Cells per unit length=") + cells, "Congested flow/Method=exact blocks"});
  const LineSetting setting(file);
  BOOST_TEST(setting.warning_of_edges() == "");
  return setting.blocks();
}
} // namespace

// Cells of 0.1: points are 0.003 apart.
BOOST_AUTO_TEST_CASE(each_comparison_is_followed_so_that_no_gap_is_too_short)
{
  for (const double gap : {1e-3, 1e-5, 1e-8, 1e-11})
    {
      std::ostringstream density;
      density.precision(17);
      density << "if(x > 0.2 & x <= 0.30111 | x > " << .30111 + gap << " & x < 0.4, 1, 0)";
      const auto blocks = blocks_of(density.str());
      BOOST_TEST_REQUIRE(blocks.size() == 2u, density.str());
      BOOST_TEST(std::abs(blocks[0].left + blocks[0].width - .30111) <= 1e-16);
      BOOST_TEST(std::abs(blocks[1].left - (.30111 + gap)) <= 1e-16);
    }
  // short bodies: two zeros of one comparison, with a kink and a smooth minimum between them
  for (const std::string density : {"if(abs(x - 0.41234) < w, 1, 0)", "if(((x - 0.41234)/w)^2 < 1, 1, 0)"})
    for (const std::string w : {"1e-4", "1e-7", "1e-10"})
      {
        std::string text = density;
        text.replace(text.find('w'), 1, w);
        const auto blocks = blocks_of(text);
        BOOST_TEST_REQUIRE(blocks.size() == 1u, text);
        BOOST_TEST(std::abs(blocks[0].width - 2. * std::stod(w)) <= 1e-15, text << ": " << blocks[0].width);
      }
  // functions that jump: 80 bodies in two cells
  BOOST_TEST(blocks_of("if(x > 0.1 & x < 0.1012 & x/1.5e-5 - floor(x/1.5e-5) < 2/3, 1, 0)", "0", "2000").size() == 80);
  BOOST_TEST(blocks_of("if(floor(x/1e-4)/2 - floor(floor(x/1e-4)/2) > 0.25, 1, 0)").size() == 5000);
  BOOST_TEST(blocks_of("(x > 0.2)*(x < 0.30111) + (x > 0.30112)").size() == 2);
  // neighbours of different speeds in one body
  BOOST_TEST(blocks_of("1", "if(x < 0.30111, 1, if(x < 0.30112, 2, 3))").size() == 3);
}

BOOST_AUTO_TEST_CASE(switches_that_are_too_many_are_no_secret)
{
  ParameterFile     file = flow({"Zone/Function expression=if(x < 0.5, 1, 0*floor(1e9*x))", "Velocity/Function expression=0",
                                 "Mesh/Cells per unit length=10", "Congested flow/Method=exact blocks"});
  const LineSetting setting(file);
  BOOST_TEST(setting.warning_of_edges().find("shorter than 0.003125 m") != std::string::npos, setting.warning_of_edges());
  BOOST_TEST(setting.blocks().size() == 1);
}

// finite volumes need no edges, but what they are compared with does
BOOST_AUTO_TEST_CASE(a_comparison_says_where_edges_may_have_been_overlooked)
{
  const auto warnings_of = [](const std::string &density) {
    ParameterFile              file = flow({"Zone/Function expression=" + density, "Velocity/Function expression=0",
                                            "Mesh/Cells per unit length=10", "Congested flow/Compare with=exact blocks"});
    const Folder               folder;
    const app::OutputDirectory output(folder.path / "out", {});
    macro::CongestedFlow       finite_volumes(app::flow_setting(file, geometry::Processes::alone()));
    app::Log                   log(nullptr);
    app::compare_on_line(file, finite_volumes, output, log);
    return log.warnings();
  };
  BOOST_TEST(warnings_of("if(x < 0.5, 1, 0)").empty());
  const std::vector<std::string> warnings = warnings_of("if(x < 0.5, 1, 0*floor(1e9*x))");
  BOOST_TEST_REQUIRE(warnings.size() == 1u);
  BOOST_TEST(warnings[0].find("bodies and gaps shorter than 0.003125 m may have been overlooked") != std::string::npos,
             warnings[0]);
}

namespace
{
/// The blocks of a file with these lines, or the message about them.
/// Runs the program; returns the lines of blocks.csv.
std::vector<std::string> lines_of_run(const std::filesystem::path &to, std::vector<std::string> settings)
{
  settings.push_back("Output directory=" + to.string());
  ParameterFile file = flow(settings);
  file.values().validate();
  app::Log log(nullptr);
  BOOST_TEST((app::congested_flow(file, log, false) == app::ExitStatus::done));
  std::vector<std::string> lines;
  std::ifstream            csv(to / "blocks.csv");
  for (std::string line; std::getline(csv, line);)
    lines.push_back(line);
  return lines;
}
} // namespace

BOOST_AUTO_TEST_CASE(blocks_of_a_file_are_those_that_a_run_wrote)
{
  const Folder                   folder("moreau_blocks"); // that of flow() is removed
  const std::vector<std::string> law   = {"Congested flow/Method=exact blocks", "Restitution=0.5", "Time/End time=0.15",
                                          "Time/Output every=0.05"};
  std::vector<std::string>       first = law;
  for (const std::string &setting : {two_blocks[0], two_blocks[1], two_blocks[3]})
    first.push_back(setting);
  const std::vector<std::string> before = lines_of_run(folder.path / "first", first);
  std::vector<std::string>       second = law;
  second.push_back("Congested flow/Blocks file=" + (folder.path / "first" / "blocks.csv").string());
  const std::vector<std::string> after = lines_of_run(folder.path / "second", second);
  BOOST_TEST_REQUIRE(before.size() == 9);
  BOOST_TEST_REQUIRE(after.size() == 9);
  BOOST_TEST(after[0] == before[0]);
  for (const int k : {0, 1}) // the last instant of the first run is the first one of the second
    {
      const auto numbers = [](const std::string &line) {
        std::istringstream  words(line);
        std::vector<double> result;
        for (std::string word; std::getline(words, word, ',');)
          result.push_back(std::stod(word));
        return result;
      };
      const std::vector<double> end = numbers(before[7 + k]), start = numbers(after[1 + k]);
      BOOST_TEST(end[0] == .15);
      BOOST_TEST(start[0] == 0.);
      for (const std::size_t c : {1, 2, 3, 4})
        BOOST_TEST(std::abs(start[c] - end[c]) <= 2e-16); // widths are differences of rounded ends
    }
}

BOOST_AUTO_TEST_CASE(blocks_of_a_file_and_of_expressions_do_not_go_together)
{
  const auto refused = [](const std::vector<std::string> &more) {
    return message_of([&] {
      const ParameterFile file = flow({"Congested flow/Blocks file=nowhere.csv"}, more);
      file.values().validate();
    });
  };
  const std::string method = "Congested flow/Method=exact blocks";
  BOOST_TEST(refused({}).find("Congested flow/Blocks file: The file is for Congested flow/Method = exact blocks") == 0);
  BOOST_TEST(refused({method, two_blocks[0]}).find("Congested flow/Blocks file: The blocks are given twice") == 0);
  BOOST_TEST(refused({method, "Zone/File=rho.csv"}).find("Congested flow/Blocks file: The blocks are given twice") == 0);
  BOOST_TEST(refused({method, two_blocks[1]}).find("Congested flow/Blocks file: Velocities are given twice") == 0);
  BOOST_TEST(refused({method}) == "");
  const std::string missing = message_of([&] {
    ParameterFile file = flow({"Congested flow/Blocks file=nowhere.csv"}, {method});
    LineSetting{file};
  });
  BOOST_TEST(missing.find("cannot be read") != std::string::npos, missing);
}

BOOST_AUTO_TEST_SUITE_END()
