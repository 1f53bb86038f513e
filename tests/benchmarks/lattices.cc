// SPDX-License-Identifier: GPL-3.0-or-later
/// Projections on the triangular lattice by alternating directions. --help names the options.
#include "convex/chains/isotonic_regression.h"
#include "convex/solvers/chain_projector.h"
#include "micro/impact_problem.h"
#include "micro/lattices.h"
#include "tests/benchmarks/table.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <random>

using namespace moreau;
using benchmarks::seconds;
using convex::Index;
using convex::Vector;

namespace
{
using Field = std::function<Eigen::Vector2d(const Eigen::Vector2d &x)>;

/// Fields on the unit square, in the order in which they are reported.
std::vector<std::pair<std::string, Field>> fields()
{
  auto numbers = std::make_shared<std::mt19937>(7);
  auto normal  = [numbers] { return std::normal_distribution<double>()(*numbers); };

  Eigen::Array<double, 4, 16> amplitudes;
  for (Index k = 0; k < amplitudes.size(); ++k)
    amplitudes(k) = normal();
  Eigen::Array<double, 2, 49> blocks;
  for (Index k = 0; k < blocks.size(); ++k)
    blocks(k) = normal();

  const auto side    = [](const Eigen::Vector2d &x) { return x(0) < .5 ? 1. : -1.; };
  const auto fourier = [amplitudes](const Eigen::Vector2d &x) {
    Eigen::Vector2d u(0., 0.);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        {
          const auto   a = amplitudes.col(4 * i + j);
          const double c = std::cos(4. * (i * x(0) + j * x(1))), s = std::sin(4. * (i * x(0) - j * x(1)));
          u += Eigen::Vector2d(a(0) * c + a(1) * s, a(2) * c + a(3) * s) / (1. + i + j);
        }
    return u;
  };
  return {{"halves, head-on", [side](const auto &x) { return Eigen::Vector2d(side(x), 0.); }},
          {"halves, 45 degrees",
           [side](const auto &x) { return Eigen::Vector2d(Eigen::Vector2d::Constant(side(x) * std::sqrt(.5))); }},
          {"Fourier", fourier},
          {"7 x 7 blocks",
           [blocks](const auto &x) {
             const int i = std::min(6, static_cast<int>(7. * x(0))), j = std::min(6, static_cast<int>(7. * x(1)));
             return Eigen::Vector2d(blocks.col(7 * i + j));
           }},
          {"white noise", [normal](const auto &) { return Eigen::Vector2d(normal(), normal()); }}};
}

/// Best of three, in seconds.
template <class Work>
double time_of(Work &&work)
{
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 3; ++repetition)
    {
      const double start = seconds();
      work();
      best = std::min(best, seconds() - start);
    }
  return best;
}

/// Reads and writes every entry.
void memory_pass(std::vector<double> &array)
{
  for (double &entry : array)
    entry = -entry;
}

/// Part of the unit square that spheres fill.
struct Shape
{
  std::string name;
  bool        disc;
  double      vacancies;

  micro::Spheres spheres(const double n) const
  {
    micro::lattices::Zone zone;
    zone.lower = Vector::Zero(2);
    zone.upper = Vector::Ones(2);
    if (disc)
      zone.contains = [](const Vector &x) { return (x - Vector::Constant(2, .5)).norm() <= .5; };
    micro::lattices::Placement placement;
    placement.spacing   = std::sqrt((disc ? M_PI / 4. : 1.) * (1. - vacancies) / (std::sqrt(.75) * n));
    placement.vacancies = vacancies;
    return micro::lattices::triangular(zone, placement);
  }
};

/// Seconds of one regression of all three families of n sites.
double regression_sweep(const convex::ProjectionProblem &problem)
{
  const Index         N = static_cast<Index>(std::sqrt(problem.n_unknowns() / 2.));
  std::vector<double> s(3 * N * N);
  for (Index k = 0; k < static_cast<Index>(s.size()); ++k)
    s[k] = problem.U(k % problem.n_unknowns());
  std::vector<double> z(s.size());
  return time_of([&] {
    tbb::parallel_for(Index(0), 3 * N, [&](const Index l) {
      thread_local convex::LineRegression line;
      line.project(N, s.data() + l * N, nullptr, z.data() + l * N);
    });
  });
}

void triangular_lattice(const Shape &shape, const double n, const std::string &only, benchmarks::Table &table)
{
  const micro::Spheres spheres = shape.spheres(n);
  for (const auto &[name, field] : fields())
    {
      if (!only.empty() && only != name)
        continue;
      Vector U(2 * spheres.size());
      for (Index k = 0; k < spheres.size(); ++k)
        U.segment<2>(2 * k) = field(spheres.r.col(k));
      const auto problem = micro::impact_problem(spheres, U);

      convex::StoppingCriterion criterion;
      criterion.tolerance      = n > 3e5 ? 1e-3 : 1e-6;
      criterion.max_iterations = n > 3e5 ? 100 : 100000; // about 3 s
      const double start       = seconds();
      const auto   x           = convex::ChainProjector(criterion).project(problem);
      const double time        = seconds() - start;

      std::vector<double> copy(U.data(), U.data() + U.size());
      const double        pass = time_of([&] { memory_pass(copy); });
      const auto         &c    = x.certificate;
      table.add({name + ", " + shape.name, spheres.size(), x.n_iterations, time, c.natural_residual, c.relative_error_bound,
                 c.bound_relative_to_u, c.round_off_floor, time / regression_sweep(problem), time / pass,
                 convex::name(x.status) + ": " + x.method});
    }
}

void run(const benchmarks::Options &options)
{
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.number("threads", 1.)));

  benchmarks::Table triangular(
      std::cout, "Triangular lattice, certified (n > 3e5: what 100 iterations give)",
      {"field, zone", "n", "iterations", "seconds", "nat", "bound", "bound/u", "floor", "sweeps", "passes", "status"}, 42);
  for (double n = options.number("min-n", 1e3); n <= 1.01 * options.number("max-n", 1e6); n *= 10.)
    for (const Shape &shape : {Shape{"box", false, 0.}, Shape{"disc", true, 0.}, Shape{"box, 5 % vacancies", false, .05}})
      if (shape.name == options.text("zone", shape.name))
        triangular_lattice(shape, n, options.text("field", ""), triangular);

  benchmarks::write_json(options.text("json", ""), {&triangular});
}
} // namespace

int main(int argc, char **argv)
{
  return benchmarks::run_benchmark(argc, argv,
                                   {{"min-n", "smallest triangular lattice (1e3)"},
                                    {"max-n", "largest triangular lattice (1e6)"},
                                    {"threads", "number of threads (1)"},
                                    {"zone", "only this zone: box; disc; box, 5 % vacancies"},
                                    {"field", "only this field, e.g. white noise"}},
                                   run);
}
