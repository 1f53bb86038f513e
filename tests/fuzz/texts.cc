// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/density.h"
#include "app/input/text/formula.h"
#include "app/input/obstacle_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace moreau::fuzz
{
namespace
{
using Eigen::Index;

/// The first n lines; empty ones where there are fewer. The last one has all that follows.
std::vector<std::string> lines_of(const Bytes &bytes, const std::size_t n)
{
  std::vector<std::string> lines(n);
  std::size_t              begin = 0;
  for (std::size_t k = 0; k < n && begin <= bytes.size(); ++k)
    {
      const std::size_t end = k + 1 == n ? bytes.size() : std::min(bytes.find('\n', begin), bytes.size());
      lines[k]              = bytes.substr(begin, end - begin);
      begin                 = end + 1;
    }
  return lines;
}

/// Expression, constants, names of variables; the expression is also what a density may be.
void read_formula(const Bytes &bytes)
{
  const std::vector<std::string> lines = lines_of(bytes, 3);
  const app::ExpressionText      text  = {lines[0], lines[1], lines[2].empty() ? "x,y,z,t" : lines[2]};
  attempt([&] {
    if (const std::optional<std::string> level = app::level_of_density(text.expression))
      app::Formula("Zone", {*level, text.constants, text.variable_names}, 1);
  });
  attempt([&] {
    Eigen::MatrixXd                   values;
    const geometry::Field             field = app::field_of("Velocity", text, 2, 2);
    const Eigen::Matrix<double, 2, 3> triangle{{.25, .5, .25}, {-1., 0., 1e3}};
    field.on_hull(triangle);
    field(Eigen::MatrixXd::Constant(2, 3, .25), values);
  });
  const app::Formula formula("Velocity", text, -1);
  const auto         n = static_cast<Index>(1 + std::count(text.variable_names.begin(), text.variable_names.end(), ','));
  for (const double x : {0., 1.5, -1e300})
    attempt([&] { formula(Eigen::VectorXd::Constant(n, x)); });
}

/// Shapes, translation, angle, constants of both.
void read_obstacles(const Bytes &bytes)
{
  const std::vector<std::string> lines = lines_of(bytes, 4);
  for (const Index dim : {1, 2, 3})
    attempt([&] {
      std::array<app::ObstacleParameters, app::MotionText::n_groups> groups;
      for (app::ObstacleParameters &group : groups)
        {
          group.translation = {"", "", "t", "Translation"};
          group.angle       = {"", "", "t", "Angle"};
        }
      groups[1].shapes           = lines[0];
      groups[1].translation      = {lines[1], lines[3], "t", "Translation"};
      groups[1].angle            = {lines[2], lines[3], "t", "Angle"};
      const micro::Obstacles all = app::obstacles(groups, {}, dim);
      for (const double t : {0., .7})
        {
          const micro::PlacedObstacles placed = all.at(t);
          app::obstacle_mesh(placed, Eigen::VectorXd::Constant(dim, -1.), Eigen::VectorXd::Constant(dim, 2.));
          const Eigen::VectorXd x = Eigen::VectorXd::Constant(dim, .3);
          for (int k = 0; k < all.size(); ++k)
            placed.approach(k, x.data(), .1);
        }
    });
}

std::vector<Bytes> seeds_of_formulas()
{
  std::vector<Bytes> seeds = shipped_values("Function expression");
  for (Bytes &seed : seeds)
    seed += "\nrho = 1, p = 2, w = 3, tau = 0.1, A = 1e-3, n = 4\nx,y,z,ux,uy,uz,t";
  seeds.emplace_back("if((x - 0.4)^2 + (y - 0.75)^2 < r, 1, 0)\nr = 0.04");
  seeds.emplace_back("sqrt (abs(x)) + min(a, 2*b); erfc(y) | floor(z) & ceil(t)\na = 1, b = -2e3\nx,y,z,t");
  seeds.emplace_back("rand(1)");
  return seeds;
}

std::vector<Bytes> seeds_of_obstacles()
{
  std::vector<Bytes> seeds = shipped_values("Shapes");
  for (Bytes &seed : seeds)
    seed += "\n0; A*(1 - cos(2*pi*f*t))\n-2*pi*turns*t\nA = 0.1, f = 3, turns = 2";
  seeds.emplace_back("half-space (0, -1, 0) (0, 2, 0); ball (1,2,3) 0.5; capsule (0, 0, 0)(1, 0, 0) 1e-1;"
                     "plate (0, 0, 0) (1, 0, 0) (0, 1, 0) 0; inside of ball (0, 0, 1) 4; "
                     "inside of cylinder (0, 0, 0) (0, 0, 1) 3;\n0; t; t^2\nt\n");
  seeds.emplace_back("half-space (0) (1); ball (3) .5; capsule (4) (5) .1\nsin(t)");
  return seeds;
}
} // namespace

Target formulas()
{
  return {"formula", read_formula, seeds_of_formulas, {"if(",   "sin(",  "cos(",  "exp(",    "sqrt(", "abs(",   "min(",
                                                       "max(",  "erf(",  "rand(", "pi",      "1e308", "1e-320", "&",
                                                       "|",     "<=",    "==",    "!=",      "?",     ":",      "&&",
                                                       "||",    ";",     ",",     "x,y,z,t", "=",     "sum(",   "avg(",
                                                       "rint(", "sign(", "_pi",   "(",       ")"}};
}

Target obstacle_texts()
{
  return {"obstacles",
          read_obstacles,
          seeds_of_obstacles,
          {"half-space", "ball", "capsule", "plate", "inside of ball", "inside of cylinder", "(0, 0)", "(1, 0, 0)", "1e308",
           "1e-320", "nan", "inf", ";", "-0"}};
}
} // namespace moreau::fuzz
