// SPDX-License-Identifier: GPL-3.0-or-later
// Directional cones on meshes along the lattice, zones that are unions of cells and zones that cut them: making the mesh,
// solving, bounding the total error. The last column says what the bound costs in solutions.
#include "macro/discretize.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

using namespace moreau;
using namespace moreau::benchmarks;
using geometry::Vector;

namespace
{
struct Case
{
  std::string                         name;
  macro::ConeType                     cone;
  double                              angle;
  std::function<bool(const Vector &)> inside; ///< of the zone; empty: all of the box
  Vector                              upper;
  double                              coarser = 1.; ///< so many times than the others, in cells per unit length
};

/// Compressed here, stretched there; smooth.
void wavy(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Eigen::Index q = 0; q < x.cols(); ++q)
    {
      U(0, q) = std::sin(5. * x(0, q) + 1.) * std::cos(3. * x(1, q)) - x(0, q);
      U(1, q) = std::cos(4. * x(1, q) - x(0, q)) - x(1, q);
      if (x.rows() == 3)
        U(2, q) = std::cos(4. * x(0, q) * x(2, q)) - x(2, q);
    }
}

macro::Setting setting_of(const Case &which, const double n)
{
  macro::Setting setting;
  setting.domain.lower   = Vector::Zero(which.upper.size());
  setting.domain.upper   = which.upper;
  setting.domain.uniform = !which.inside;
  setting.domain.density = [inside = which.inside](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) {
    for (Eigen::Index q = 0; q < x.cols(); ++q)
      rho(0, q) = !inside || inside(x.col(q)) ? 1. : 0.;
  };
  setting.cone                       = macro::lattice_cone(which.cone, which.angle);
  setting.mesh.cells_per_unit_length = n;
  setting.mesh.alignment             = macro::Alignment::lattice;
  setting.U                          = wavy;
  setting.processes                  = geometry::Processes::alone();
  return setting;
}

void measure(Table &table, const Case &which, const double n, const convex::StoppingCriterion &criterion)
{
  const macro::Setting setting = setting_of(which, n);
  const double         begin   = processor_seconds();
  const auto           mesh    = discretize(setting);
  const double         made    = processor_seconds();
  auto                 x       = mesh->projector("automatic", criterion)->project(mesh->problem());
  const double         solved  = processor_seconds();
  const auto           bound   = mesh->total_bound(x);
  const double         bounded = processor_seconds();
  macro::judge(criterion, bound, x);
  std::ostringstream cells;
  cells << std::setprecision(3) << n;
  table.add({which.name + ", " + cells.str(), mesh->problem().U.size(), convex::name(x.status), x.n_iterations,
             .5 * mesh->problem().V->dot(x.u, x.u), bound.relative, made - begin, solved - made, bounded - solved,
             (bounded - solved) / (solved - made)});
}

void run(const Options &options)
{
  Table                   table(std::cout, "Directional cones along the lattice",
                                {"case", "unknowns", "status", "its", "energy", "total bound", "cpu s mesh", "cpu s solve", "cpu s bound",
                                 "bound/solve"},
                                36);
  const double            root_3 = std::sqrt(3.);
  const auto              disc   = [](const Vector &x) { return (x.array() - .5).matrix().norm() < .45; };
  const auto              shell  = [](const Vector &x) { return std::abs((x.array() - .5).matrix().norm() - .31) < .14; };
  const Vector            unit_square = Vector::Ones(2), unit_cube = Vector::Ones(3);
  constexpr double        in_space = 32.;
  const std::vector<Case> cases    = {
         {"square, whole", macro::ConeType::square, 0., {}, unit_square},
         {"square, disc", macro::ConeType::square, 17., disc, unit_square},
         {"triangular, whole", macro::ConeType::triangular, 0.,
          [=](const Vector &x) { return x(0) - x(1) / root_3 >= 0. && x(0) - x(1) / root_3 <= 1.; },
          Eigen::Vector2d(1.5, .5 * root_3)},
         {"triangular, disc", macro::ConeType::triangular, 17., disc, unit_square},
         {"fcc, ball", macro::ConeType::face_centred_cubic, 17., disc, unit_cube, in_space},
         {"fcc, shell", macro::ConeType::face_centred_cubic, 17., shell, unit_cube, in_space},
         {"fcc, turned cube", macro::ConeType::face_centred_cubic, 17., {}, unit_cube, in_space}};
  convex::StoppingCriterion criterion;
  criterion.tolerance = options.number("tolerance", 1e-6);
  for (const Case &which : cases)
    if (options.text("case", which.name) == which.name)
      for (double n = options.number("min-n", 64.); n < 1.001 * options.number("max-n", 512.); n *= 2.)
        measure(table, which, n / which.coarser, criterion);
  write_json(options.text("json", ""), {&table});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv,
                       {{"min-n", "cells per unit length of the coarsest mesh, in space a 32nd of it (64)"},
                        {"max-n", "those of the finest one (512)"},
                        {"tolerance", "relative error bound demanded of the projection (1e-6)"},
                        {"case", "name of the only case to run (all)"}},
                       run);
}
