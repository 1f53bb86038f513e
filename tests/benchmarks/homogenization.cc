// SPDX-License-Identifier: GPL-3.0-or-later
// Convergence studies from coarse to very fine lattices: what every part of a level costs, and how the whole grows.
#include "homogenization/convergence_study.h"
#include "micro/lattices.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <cmath>
#include <iostream>

using namespace moreau;
using namespace moreau::benchmarks;
using homogenization::Level;
using homogenization::Packing;
using homogenization::Reference;
using geometry::Vector;

namespace
{
/// f(x, y, value) at every point of the plane.
template <class F>
geometry::Field at_points(F f)
{
  return [f](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    values.resize(2, x.cols());
    for (Eigen::Index k = 0; k < x.cols(); ++k)
      f(x(0, k), x(1, k), values.col(k).data());
  };
}

/// T2 and its projection on both cones: u_x = x(1 - x) up to x = 1/4, then 3/16.
geometry::Field smooth_velocity()
{
  return at_points([](double x, double, double *U) {
    U[0] = x * (1. - x);
    U[1] = 0.;
  });
}
geometry::Field smooth_projection()
{
  return at_points([](double x, double, double *u) {
    u[0] = x < .25 ? x * (1. - x) : 3. / 16.;
    u[1] = 0.;
  });
}

/// All of it moves, compressed here and stretched there; its projection is not known.
geometry::Field wavy_velocity()
{
  return at_points([](double x, double y, double *U) {
    U[0] = std::sin(3. * x + 2. * y) - 1.5 * x * x;
    U[1] = std::cos(4. * x * y) - 2. * y * (1. - x);
  });
}

struct Study
{
  std::string     name;
  macro::ConeType cone;
  micro::Spheres (*lattice)(const micro::lattices::Zone &, const micro::lattices::Placement &);
  geometry::Field U, u;
};

macro::Setting setting_of(const Study &study)
{
  macro::Setting setting;
  setting.domain.lower      = Vector::Zero(2);
  setting.domain.upper      = Vector::Ones(2);
  setting.domain.density    = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &rho) { rho.setOnes(1, x.cols()); };
  setting.cone.type         = study.cone;
  setting.cone.directions   = macro::lattice_directions(study.cone, 0.);
  setting.cone.n_directions = static_cast<int>(setting.cone.directions.cols());
  setting.U                 = study.U;
  setting.processes         = geometry::Processes::alone();
  return setting;
}

/// Levels with N = min-n, 2 min-n, ... spheres per unit length.
void run_study(Table &table, Table &totals, const Study &study, const Options &options)
{
  const macro::Setting setting = setting_of(study);
  Reference            reference;
  reference.u    = study.u;
  reference.cone = setting.cone;

  homogenization::StudyOptions how;
  how.criterion.tolerance = options.number("tolerance", 1e-3);
  how.nonconforming       = false;
  how.interpolant         = options.number("interpolant", 0.) != 0.;
  std::vector<Level> levels;
  const double       begin = seconds();
  for (double n = options.number("min-n", 16.); n < 1.001 * options.number("max-n", 1024.); n *= 2.)
    {
      const double               start = seconds();
      micro::lattices::Placement placement;
      placement.spacing     = 1. / n;
      auto          spheres = study.lattice({setting.domain.lower, setting.domain.upper}, placement);
      auto          graph   = micro::contact_graph(spheres, {}, 1e-6);
      const Packing packing(std::move(spheres), {}, std::move(graph), setting.domain);
      const double  cells = seconds() - start;
      levels.push_back(homogenization::study(packing, setting, {reference}, how));
      Level &level        = levels.back();
      level.seconds_cells = cells;
      homogenization::set_orders(levels);
      table.add({study.name + ", " + std::to_string(static_cast<int>(n)) + " per unit", level.n_spheres,
                 level.comparisons[0].error.value, level.comparisons[0].order, level.certificate.relative_error_bound,
                 convex::name(level.effort.status), level.effort.n_iterations, level.seconds_cells, level.seconds_transfer,
                 level.effort.seconds, level.seconds_comparison, seconds() - start});
    }
  totals.add({study.name, seconds() - begin, homogenization::observed_order(levels), homogenization::observed_cost(levels),
              peak_memory() / 1e9});
}

void run(const Options &options)
{
  Table table(std::cout, "Studies over the unit square",
              {"study", "spheres", "|v-u|", "order", "bound", "status", "its", "s cells", "s transfer", "s solve",
               "s compare", "s all"},
              36);
  Table totals(std::cout, "All levels of a study", {"study", "seconds", "order", "cost ~ n^", "peak GB"}, 36);

  const std::vector<Study> studies = {
      {"square, smooth", macro::ConeType::square, micro::lattices::square, smooth_velocity(), smooth_projection()},
      {"triangular, smooth", macro::ConeType::triangular, micro::lattices::triangular, smooth_velocity(),
       smooth_projection()},
      {"triangular, wavy (|v-U|)", macro::ConeType::triangular, micro::lattices::triangular, wavy_velocity(),
       wavy_velocity()}};
  for (const Study &study : studies)
    if (options.text("study", study.name) == study.name)
      run_study(table, totals, study, options);
  write_json(options.text("json", ""), {&table, &totals});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv,
                       {{"min-n", "spheres per unit length of the coarsest level (16)"},
                        {"max-n", "those of the finest one (1024)"},
                        {"tolerance", "relative error bound demanded of every projection (1e-3)"},
                        {"interpolant", "1: also the piecewise linear interpolant (0)"},
                        {"study", "name of the only study to run (all)"}},
                       run);
}
