// SPDX-License-Identifier: GPL-3.0-or-later
// Spheres of different sizes that settle on a floor under gravity: what a step of scheme A costs, and where.
//
// Phases: gas      loose, at random velocities: few contacts, most of them new
//         impacts  dense, with small gaps and random velocities that close them: contacts everywhere, new ones in every step
//         rebound  the same with restitution 1/2
//         rest     dense, pressed together by their weight, damped; nothing moves any more
//         crystal  equal discs on a triangular lattice with a twentieth of the sites empty, which falls on a floor
// "rest" is reached by steps of up to 0.5 s in which U = h g: they go
// straight downhill, as far as the others let them.
// Places are those of a periodic jammed packing of about a thousand discs (a few hundred spheres), repeated to a square or
// cube that goes on sideways for ever: a jammed packing of all of them would take longer than what is measured. Beds at rest
// are a part that has settled, repeated sideways alone.
//
// `clock` is wall time and `cpu` the time of all threads, both per step; `search` and `projections` are shares of the clock.
// `B/row` is the peak of memory during these steps above that between two of them, per constraint;
// `speed` is the root of the mean square of u after the last of them.
#include "convex/certificate.h"
#include "convex/solvers/warm_projection.h"
#include "micro/lattices.h"
#include "micro/motion/linearised_step.h"
#include "micro/packings.h"
#include "micro/motion/sphere_motion.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>

using namespace moreau;
using namespace moreau::benchmarks;
using namespace moreau::micro;

extern "C" void openblas_set_num_threads(int);

namespace
{
constexpr double gravity = 9.81; // m/s²

struct Phase
{
  std::string name;
  double      gap;   ///< of all radii: what was cut off them
  double      speed; ///< of the random velocities at the beginning, in each direction, or of the fall of a crystal (m/s)
  double      restitution;
  bool        damped;          ///< by a force that takes away all velocity in each step: U = h g
  int         first, n_steps;  ///< steps before those that are measured, and these
  bool        crystal = false; ///< in the plane, free sideways; its first step, the impact, is not measured
};

const std::vector<Phase> phases = {{"gas", .05, 1., 0., false, 1, 10},
                                   {"impacts", 1e-3, 1., 0., false, 1, 10},
                                   {"rebound", 1e-3, 1., .5, false, 1, 10},
                                   {"rest", 1e-6, 0., 0., true, 20, 10},
                                   {"crystal", 0., 1., 0., false, 1, 4, true}};

/// Spheres that repeat themselves in all directions, or in none.
struct Bed
{
  Spheres spheres;
  Vector  period; ///< m; length 0: they do not
};

/// A jammed packing of n spheres of mean radius 1/2.
Bed jammed_part(const Index dim, const Index n)
{
  PackingParameters parameters;
  parameters.lower    = Vector::Zero(dim);
  parameters.upper    = Vector::Ones(dim);
  parameters.periodic = std::vector<bool>(dim, true);
  parameters.n        = n;
  parameters.spread   = .2;
  Bed          bed{random_packing(parameters).spheres, Vector::Ones(dim)};
  const double factor = .5 / bed.spheres.R.mean();
  bed.spheres.r *= factor;
  bed.spheres.R *= factor;
  bed.spheres.m *= std::pow(factor, dim);
  bed.period *= factor;
  return bed;
}

/// Several of them beside and above each other.
Bed repeated(const Bed &part, const Index sideways, const Index upwards)
{
  const Index                 dim = part.period.size(), n = part.spheres.size();
  Eigen::Matrix<Index, -1, 1> times = Eigen::Matrix<Index, -1, 1>::Constant(dim, sideways);
  times(dim - 1)                    = upwards;
  const Index n_parts               = times.prod();
  Bed         all;
  all.spheres.r.resize(dim, n_parts * n);
  for (Index k = 0; k < n_parts; ++k)
    {
      Vector shift(dim);
      for (Index d = 0, rest = k; d < dim; rest /= times(d), ++d)
        shift(d) = part.period(d) * static_cast<double>(rest % times(d));
      all.spheres.r.middleCols(k * n, n) = part.spheres.r.colwise() + shift;
    }
  all.spheres.R = part.spheres.R.replicate(n_parts, 1);
  all.spheres.m = part.spheres.m.replicate(n_parts, 1);
  all.period    = part.period.cwiseProduct(times.cast<double>());
  return all;
}

/// About n discs of diameter 1 on a square.
Bed crystal_with_vacancies(const double n)
{
  lattices::Placement placement;
  placement.vacancies = .05;
  lattices::Zone zone;
  zone.lower = Vector::Zero(2);
  zone.upper = Vector::Constant(2, std::round(std::sqrt(n * std::sqrt(.75) / (1. - placement.vacancies))));
  return {lattices::triangular(zone, placement), Vector()};
}

/// Touched by the lowest of the spheres.
Obstacle floor_below(const Spheres &spheres)
{
  const Index dim = spheres.dimension(), up = dim - 1;
  Obstacle    floor;
  floor.name = "the floor";
  floor.a    = (spheres.r.row(up) - spheres.R.transpose()).minCoeff() * Vector::Unit(dim, up);
  floor.b    = Vector::Unit(dim, up);
  return floor;
}

/// Means over some steps, and the worst status.
struct Mean
{
  double clock = 0., cpu = 0., search = 0., projection = 0., rows = 0., contacts = 0., projections = 0., iterations = 0.;
  double residual = 0., overlap = 0.;
  std::string    method; ///< of the last step
  convex::Status status = convex::Status::converged;
};

/// A bed that begins to move.
class Settling
{
public:
  Settling(const Bed &bed, const Phase &phase) : damped(phase.damped), drag(std::make_shared<double>(0.))
  {
    SphereSystem system;
    system.spheres = bed.spheres;
    system.spheres.R *= 1. - phase.gap;
    system.period = bed.period;
    system.lower  = Vector::Zero(bed.period.size());
    system.period.tail(std::min<Index>(1, bed.period.size())).setZero(); // not upwards
    const Index     dim = bed.spheres.dimension();
    std::mt19937_64 bits(1);
    system.U         = Vector::NullaryExpr(bed.spheres.r.size(), [&](const Index k) {
      if (phase.crystal)
        return k % dim == dim - 1 ? -phase.speed : 0.;
      return phase.speed * (2. * ((bits() >> 11) * 0x1p-53) - 1.);
    });
    system.obstacles = Obstacles({floor_below(system.spheres)}, {RigidMotion()});
    system.force     = [c = drag](double, const Eigen::MatrixXd &, const Eigen::MatrixXd &u, Eigen::MatrixXd &f) {
      f = -*c * u;
      f.row(f.rows() - 1).array() -= gravity;
    };
    MotionParameters parameters;
    parameters.law.restitution = phase.restitution;
    motion                     = make_motion(std::move(system), parameters);
  }

  Mean advance(const int n_steps, const double h)
  {
    Mean         mean;
    const double clock = seconds(), cpu = processor_seconds(), share = 1. / n_steps;
    *drag = damped ? 1. / h : 0.;
    for (int k = 0; k < n_steps; ++k)
      {
        motion->advance(motion->time() + h);
        const StepRecord &record = motion->record();
        mean.search += share * record.search_time;
        mean.projection += share * record.effort.seconds;
        mean.rows += share * static_cast<double>(record.n_constraints);
        mean.contacts += share * static_cast<double>(record.n_contacts);
        mean.projections += share * record.effort.n_projections;
        mean.iterations += share * record.effort.n_iterations;
        mean.residual = std::max(mean.residual, record.effort.natural_residual);
        mean.overlap  = std::max(mean.overlap, record.max_overlap);
        mean.method   = record.method;
        if (mean.status == convex::Status::converged)
          mean.status = record.effort.status;
      }
    mean.clock = share * (seconds() - clock);
    mean.cpu   = share * (processor_seconds() - cpu);
    return mean;
  }

  const SphereMotion &get() const { return *motion; }

private:
  bool                          damped;
  std::shared_ptr<double>       drag; ///< of the force (1/s)
  std::unique_ptr<SphereMotion> motion;
};

/// About n spheres, ready for the steps of a phase. Beds at rest are as high as one part, others as high as wide.
Settling prepared(const Index dim, const double n, const Phase &phase, const double h)
{
  if (phase.crystal)
    {
      Settling settling(crystal_with_vacancies(n), phase);
      settling.advance(phase.first, h);
      return settling;
    }
  const double largest_part = dim == 2 ? 1200. : 400., d = static_cast<double>(dim);
  const Index  parts = static_cast<Index>(std::ceil(std::pow(n / largest_part, 1. / d) - 1e-9));
  const Bed    part  = jammed_part(dim, std::lround(n / std::pow(parts, dim)));
  if (!phase.damped)
    {
      Settling settling(repeated(part, parts, parts), phase);
      settling.advance(phase.first, h);
      return settling;
    }
  Settling     first(part, phase);
  const double longest = std::min(.5, std::sqrt(.1 * part.period.minCoeff() / gravity)); // so that nobody passes the period
  first.advance(40, .4 * longest);
  first.advance(40, longest);
  const Index sideways = std::lround(std::pow(static_cast<double>(parts), d / (d - 1.)));
  Phase       still    = phase;
  still.gap            = 0.;
  Settling settling(repeated({first.get().spheres(), part.period}, sideways, 1), still);
  settling.advance(phase.first, h);
  return settling;
}

double part(const double some, const double all) { return std::round(1000. * some / all) / 10.; }

std::string title(const Index dim, const Index n, const Phase &phase)
{
  return std::to_string(dim) + "D " + phase.name + " n=" + std::to_string(n);
}

void measure_phases(Table &table, const Index dim, const double n, const Options &options)
{
  const double h = options.number("time-step", 2e-3);
  for (const Phase &phase : phases)
    {
      if (("," + options.text("phases", "gas,impacts,rebound,rest,crystal") + ",").find("," + phase.name + ",") ==
              std::string::npos ||
          (phase.crystal && dim != 2))
        continue;
      Settling         settling = prepared(dim, n, phase, h);
      const PeakMemory memory;
      const Mean   mean  = settling.advance(std::max(1, static_cast<int>(options.number("steps", 1.) * phase.n_steps)), h);
      const double speed = std::sqrt(2. * settling.get().record().kinetic_energy / settling.get().spheres().m.sum());
      table.add({title(dim, settling.get().spheres().size(), phase), mean.rows, mean.contacts, mean.projections,
                 mean.iterations, mean.clock, mean.cpu, 1. / mean.clock, part(mean.search, mean.clock),
                 part(mean.projection, mean.clock), memory.above_start() / mean.rows, mean.overlap, speed,
                 convex::name(mean.status), machine_load(), mean.method});
    }
}

/// Resident memory of a small case that is moved for a long time.
void measure_flatness(Table &table, const Options &options)
{
  const double h        = options.number("time-step", 2e-3);
  const int    n_steps  = static_cast<int>(options.number("long-run", 10000.));
  Settling     settling = prepared(2, 300., phases.front(), h);
  const auto  &motion   = settling.get();
  for (const int k : {n_steps / 10, n_steps / 5, n_steps / 2, n_steps})
    {
      const Mean mean = settling.advance(k - static_cast<int>(motion.record().step), h);
      table.add({title(2, motion.spheres().size(), phases.front()), motion.record().step, mean.clock, mean.cpu,
                 resident_memory() / 1e6, mean.rows, convex::name(mean.status)});
    }
}

/// One projection of a step as text that other programs read: a line "dim n rows typical speed", then for each sphere its
/// mass and U, for each row i, j (-1: a wall), e, b, the multiplier at hand from the step before, and ours from both starts.
void write_problem(const std::string &file_name, const convex::ProjectionProblem &problem, const Vector &p_start,
                   const Vector &p_cold, const Vector &p_warm)
{
  const auto   &B   = dynamic_cast<const convex::PairConstraint &>(*problem.B);
  const Vector &m   = dynamic_cast<const convex::DiagonalSpace &>(*problem.V).masses_of_nodes();
  const Index   dim = B.dimension();
  std::ofstream file(file_name);
  file.precision(17);
  file << dim << ' ' << B.n_nodes() << ' ' << B.n_constraints() << ' ' << convex::typical_speed(problem) << '\n';
  for (Index i = 0; i < B.n_nodes(); ++i)
    file << m(i) << ' ' << problem.U.segment(dim * i, dim).transpose() << '\n';
  for (Index c = 0; c < B.n_constraints(); ++c)
    file << B.pairs()[c].i << ' ' << B.pairs()[c].j << ' ' << B.directions().col(c).transpose() << ' ' << problem.b(c) << ' '
         << p_start(c) << ' ' << p_cold(c) << ' ' << p_warm(c) << '\n';
  if (!file)
    throw std::runtime_error("Cannot write '" + file_name + "'.");
}

/// The multipliers of the last step.
RowMultipliers multipliers(const SphereMotion &motion)
{
  const MotionState                state   = motion.state();
  const std::vector<std::int64_t> &numbers = state.integers.at("rows");
  const std::vector<double>       &p       = state.reals.at("p");
  RowMultipliers                   known;
  known.p = Eigen::Map<const Vector>(p.data(), p.size());
  for (std::size_t c = 0; c < numbers.size(); c += 3)
    known.rows.push_back(
        {static_cast<int>(numbers[c]), static_cast<int>(numbers[c + 1]), numbers[c + 2], Eigen::Vector3d::Zero(), 0.});
  return known;
}

/// Solves the next step's projection (with the rows that the step ends with) to a natural residual of 1e-6, from p = 0 and
/// from the multipliers of the step before, and writes it to a file.
void export_step(Table &table, const SphereMotion &motion, const Phase &phase, const double h, const std::string &file_name)
{
  const Spheres  &spheres = motion.spheres();
  const Index     dim = spheres.dimension(), n = spheres.size();
  Eigen::MatrixXd f;
  motion.system().force(motion.time(), spheres.r, Eigen::Map<const Eigen::MatrixXd>(motion.u().data(), dim, n), f);
  const Vector            U   = motion.u() + h * Eigen::Map<const Vector>(f.data(), f.size());
  const PeriodicBox       box = {motion.system().lower, motion.system().period};
  const PeriodicObstacles obstacles(motion.system().obstacles.at(motion.time() + h), box);
  const StepScene         scene    = {spheres.r, spheres.R, spheres.m, obstacles, box, h};
  const RowMultipliers    known    = multipliers(motion);
  const StepSolution      solution = linearised_step(scene, U, known, StepParameters());
  Vector                  b(solution.rows.size());
  for (Index c = 0; c < b.size(); ++c)
    b(c) = solution.rows[c].D / h;

  const convex::ProjectionProblem problem = step_problem(solution.rows, spheres.m, dim, U, b);
  const Vector                    p_start = known.guess(known.p, solution.rows);
  convex::StoppingCriterion       criterion;
  criterion.on_natural_residual = true;
  Vector p_of_start[2];
  for (const bool warm : {false, true})
    {
      const Vector        start = warm ? p_start : Vector::Zero(b.size());
      convex::SaddlePoint x;
      const int           repetitions = b.size() < 2000 ? 5 : 1;
      const double        begin = seconds(), cpu_begin = processor_seconds();
      for (int k = 0; k < repetitions; ++k)
        x = convex::WarmProjection(problem, start, "automatic", criterion).exact();
      table.add({title(dim, n, phase), b.size(), warm ? "warm" : "cold", (seconds() - begin) / repetitions,
                 (processor_seconds() - cpu_begin) / repetitions, x.certificate.natural_residual, x.n_iterations, file_name,
                 x.method});
      p_of_start[warm] = x.p;
    }
  write_problem(file_name, problem, p_start, p_of_start[0], p_of_start[1]);
}

void export_steps(Table &table, const Options &options)
{
  const double h = options.number("time-step", 2e-3);
  for (double n = 50.; n < 1.001 * options.number("export-n", 5000.); n *= 10.)
    for (const Phase &phase : {phases[1], phases[3]})
      {
        const Settling settling = prepared(2, n, phase, h);
        export_step(table, settling.get(), phase, h,
                    options.text("export", "") + phase.name + "_" + std::to_string(settling.get().spheres().size()) +
                        ".txt");
      }
}

void run(const Options &options)
{
  openblas_set_num_threads(1);
  if (options.has("export"))
    {
      Table table(std::cout, "Projections of one step, natural residual 1e-6",
                  {"case", "rows", "start", "clock", "cpu", "residual", "its", "file", "method"});
      export_steps(table, options);
      write_json(options.text("json", ""), {&table});
      return;
    }
  Table table(std::cout, "Settling spheres, seconds of a step",
              {"case", "rows", "contacts", "proj.", "its", "clock", "cpu", "steps/s", "search %", "proj. %", "B/row",
               "overlap", "speed", "status", "load", "method of the last"});
  for (const Index dim : {2, 3})
    for (double n = options.number("min-n", 1e4); n < 1.001 * options.number(dim == 2 ? "max-n" : "max-n-3d", 1e4); n *= 10.)
      measure_phases(table, dim, n, options);
  Table memory(std::cout, "Resident memory of a long motion",
               {"case", "step", "clock/step", "cpu/step", "MB", "rows", "status"});
  if (options.number("long-run", 10000.) >= 10.)
    measure_flatness(memory, options);
  write_json(options.text("json", ""), {&table, &memory});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(
      argc, argv,
      {{"min-n", "spheres of the smallest case (1e4)"},
       {"max-n", "spheres of the largest case in the plane (1e4); 1e5 for the goals"},
       {"max-n-3d", "in space (1e4); 0: none"},
       {"phases", "gas, impacts, rebound, rest, crystal (all); lists are separated by commas"},
       {"steps", "factor of the number of steps that are measured (1)"},
       {"time-step", "s (2e-3)"},
       {"long-run", "steps of the small case whose memory must stay flat (10000); 0: none"},
       {"export", "beginning of file names: writes projections of single steps there, and does nothing else"},
       {"export-n", "spheres of the largest of these (5000)"}},
      run);
}
