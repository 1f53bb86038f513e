// SPDX-License-Identifier: GPL-3.0-or-later
/// Projections on the triangular and the face-centred cubic lattice by alternating directions. --help names the options.
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
#include <stdexcept>

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

/// Part of the unit square or cube that spheres fill.
struct Shape
{
  std::string name;
  bool        disc; ///< in space a ball
  double      vacancies;

  micro::Spheres spheres(const double n, const Index dim) const
  {
    micro::lattices::Zone zone;
    zone.lower = Vector::Zero(dim);
    zone.upper = Vector::Ones(dim);
    if (disc)
      zone.contains = [dim](const Vector &x) { return (x - Vector::Constant(dim, .5)).norm() <= .5; };
    const double               filled = (disc ? M_PI / (dim == 2 ? 4. : 6.) : 1.) * (1. - vacancies) / n;
    micro::lattices::Placement placement;
    placement.spacing   = dim == 2 ? std::sqrt(filled / std::sqrt(.75)) : std::cbrt(filled * std::sqrt(2.));
    placement.vacancies = vacancies;
    return dim == 2 ? micro::lattices::triangular(zone, placement) : micro::lattices::face_centred_cubic(zone, placement);
  }
};

/// In space the third component is the first one of the field at (x_2, x_0).
Vector velocity(const Field &field, const Vector &x)
{
  Vector u(x.size());
  u.head<2>() = field(x.head<2>());
  if (x.size() == 3)
    u(2) = field({x(2), x(0)})(0);
  return u;
}

/// Seconds of one regression of all families, three of n sites or six in space.
double regression_sweep(const convex::ProjectionProblem &problem, const Index dim)
{
  const double        n       = static_cast<double>(problem.n_unknowns()) / static_cast<double>(dim);
  const Index         N       = static_cast<Index>(std::pow(n, 1. / static_cast<double>(dim)));
  const Index         n_lines = dim == 2 ? 3 * N : 6 * N * N;
  std::vector<double> s(n_lines * N);
  for (Index k = 0; k < static_cast<Index>(s.size()); ++k)
    s[k] = problem.U(k % problem.n_unknowns());
  std::vector<double> z(s.size());
  return time_of([&] {
    tbb::parallel_for(Index(0), n_lines, [&](const Index l) {
      thread_local convex::LineRegression line;
      line.project(N, s.data() + l * N, nullptr, z.data() + l * N);
    });
  });
}

void lattice(const Shape &shape, const double n, const Index dim, const std::string &only, benchmarks::Table &table)
{
  const micro::Spheres spheres = shape.spheres(n, dim);
  for (const auto &[name, field] : fields())
    {
      if (!only.empty() && only != name)
        continue;
      Vector U(dim * spheres.size());
      for (Index k = 0; k < spheres.size(); ++k)
        U.segment(dim * k, dim) = velocity(field, spheres.r.col(k));
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
                 c.bound_relative_to_u, c.round_off_floor, time / regression_sweep(problem, dim), time / pass,
                 convex::name(x.status) + ": " + x.method});
    }
}

void run(const benchmarks::Options &options)
{
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.number("threads", 1.)));

  const Index dim = static_cast<Index>(options.number("dimension", 2.));
  if (dim != 2 && dim != 3)
    throw std::invalid_argument("--dimension must be 2 or 3.");
  benchmarks::Table table(
      std::cout,
      std::string(dim == 2 ? "Triangular" : "Face-centred cubic") +
          " lattice, certified (n > 3e5: what 100 iterations give)",
      {"field, zone", "n", "iterations", "seconds", "nat", "bound", "bound/u", "floor", "sweeps", "passes", "status"}, 42);
  for (double n = options.number("min-n", 1e3); n <= 1.01 * options.number("max-n", 1e6); n *= 10.)
    for (const Shape &shape : {Shape{"box", false, 0.}, Shape{"disc", true, 0.}, Shape{"box, 5 % vacancies", false, .05}})
      if (shape.name == options.text("zone", shape.name))
        lattice(shape, n, dim, options.text("field", ""), table);

  benchmarks::write_json(options.text("json", ""), {&table});
}
} // namespace

int main(int argc, char **argv)
{
  return benchmarks::run_benchmark(argc, argv,
                                   {{"dimension", "2: triangular, 3: face-centred cubic (2)"},
                                    {"min-n", "smallest lattice (1e3)"},
                                    {"max-n", "largest lattice (1e6)"},
                                    {"threads", "number of threads (1)"},
                                    {"zone", "only this zone: box; disc; box, 5 % vacancies"},
                                    {"field", "only this field, e.g. white noise"}},
                                   run);
}
