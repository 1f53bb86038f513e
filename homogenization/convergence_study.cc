// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/convergence_study.h"

#include "convex/clock.h"
#include "convex/frame.h"
#include "convex/solvers/make_projector.h"
#include "homogenization/cell_location.h"
#include "homogenization/coarse_distances.h"
#include "macro/watched.h"
#include "parallel/collectives.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace moreau::homogenization
{
namespace
{
/// An interval shall hold what it is about although errors of quadrature are estimated.
constexpr double safety = 3.;

/// The directions along which macroscopic velocities must not decrease; empty where these are all directions together
/// (isotropic) or change from place to place.
Eigen::MatrixXd directions_of(const macro::Cone &cone, const Index dim)
{
  return cone.type == macro::ConeType::isotropic && dim == 1 ? Eigen::MatrixXd(Eigen::MatrixXd::Ones(1, 1))
                                                             : cone.directions;
}

/// Whether the directions are those of the axes, up to sign, each once; not where there are none, as of the isotropic cone.
bool are_axes(const Eigen::MatrixXd &directions)
{
  const Index dim = directions.rows();
  return dim > 0 && directions.cols() == dim && (directions.cwiseAbs().colwise().maxCoeff().array() > 1. - 1e-12).all() &&
         (directions.cwiseAbs().rowwise().maxCoeff().array() > 1. - 1e-12).all();
}

/// Whether all cells are bricks along the axes that meet in whole faces and touch through each of them. Then a pressure that
/// is linear along each line from contact to contact, and constant across, is admissible for the cone of the axes.
bool cells_are_bricks(const Packing &packing)
{
  const VoronoiCells &cells          = packing.cells;
  const Index         dim            = cells.dimension();
  Index               n_faces_inside = 0, n_others = 0;
  for (Index i = 0; i < cells.size() && n_others == 0; ++i)
    {
      const auto outline       = cells.outline(i);
      const auto [first, last] = cells.neighbours(i);
      if (cells.has_pieces(i) || outline.cols() != (Index(1) << dim) || last - first != 2 * dim)
        {
          ++n_others;
          break;
        }
      const double brick = (outline.rowwise().maxCoeff() - outline.rowwise().minCoeff()).prod();
      n_others += !(std::abs(brick - cells.volumes()(i)) <= 1e-10 * brick);
      n_faces_inside += std::count_if(first, last, [](const int behind) { return behind != VoronoiCells::box; });
    }
  return cells.count(n_others) == 0 && cells.count(n_faces_inside) == 2 * packing.n_contacts() && packing.walls.empty();
}

/// ∫v = Σ |D_i| v_i over ω of a cellwise velocity.
Vector momentum(const Packing &packing, const Vector &v)
{
  const Index dim = packing.cells.dimension();
  return packing.cells.sum(dim,
                           [&](const Index i, Vector &sum) { sum += packing.cells.volumes()(i) * v.segment(dim * i, dim); });
}

/// The mean of U over ω at every cell; volume: |ω|.
Vector uniform(const Packing &packing, const Vector &U_tilde, const double volume)
{
  return (momentum(packing, U_tilde) / volume).replicate(packing.cells.size(), 1);
}

/// Relative defect of momentum: |∫v - ∫U| / (|ω|^{1/2} |U|), where ∫U = Σ |D_i| Ũ_i.
double momentum_defect(const Packing &packing, const Vector &v, const Vector &U_tilde, const double norm_U,
                       const double volume)
{
  const double size = std::sqrt(volume) * norm_U;
  return size > 0. ? momentum(packing, v - U_tilde).norm() / size : 0.;
}

/// Everything that distances() is asked for at once, and where the answers are.
class Measurements
{
public:
  explicit Measurements(const Packing &packing) : packing(packing) {}

  int function(const geometry::Field &f)
  {
    fields.functions.push_back(f);
    return static_cast<int>(fields.functions.size()) - 1;
  }
  /// Cellwise fields come after all functions.
  int cellwise(const Vector &v)
  {
    fields.cellwise.push_back(&v);
    return static_cast<int>(fields.functions.size() + fields.cellwise.size()) - 1;
  }
  std::size_t ask(const int first, const int second)
  {
    pairs.push_back({first, second});
    return pairs.size() - 1;
  }
  std::vector<Distance> answers(const geometry::Progress &progress = {}) const
  {
    return distances(packing.cells, fields, pairs, progress);
  }

private:
  const Packing    &packing;
  Fields            fields;
  std::vector<Pair> pairs;
};

void tell_all(const geometry::Processes &processes, Vector &numbers)
{
  parallel::from_first(processes, numbers.data(), numbers.size() * sizeof(double));
}

/// The projection of a cellwise field on C_n. Of a packing that all have the first process computes it while the others
/// sleep.
convex::SaddlePoint projected(const Packing &packing, const Vector &field, const StudyOptions &options,
                              const geometry::Progress &progress)
{
  const geometry::Processes &processes = packing.cells.processes();
  convex::SaddlePoint        x;
  if (packing.parts)
    {
      const auto projector = convex::make_projector(options.solver, macro::watched(options.criterion, progress));
      return convex::project_in_frame(*projector, microscopic_problem(packing, field));
    }
  parallel::by_first(processes, [&] {
    const auto projector = convex::make_projector(options.solver, macro::watched(options.criterion, progress));
    x                    = convex::project_in_frame(*projector, microscopic_problem(packing, field));
  });
  if (processes.rank() > 0)
    {
      x.u.resize(field.size());
      x.p.resize(packing.graph.n_contacts());
    }
  tell_all(processes, x.u);
  tell_all(processes, x.p);
  parallel::from_first(processes, &x.certificate, sizeof x.certificate);
  parallel::from_first(processes, &x.n_iterations, sizeof x.n_iterations);
  parallel::from_first(processes, &x.status, sizeof x.status);
  return x;
}

/// The element of C_n nearest to a cellwise field, up to the solver's
/// tolerance; the field itself where it lies in C_n up to rounding.
Vector nearest_admissible(const Packing &packing, const Vector &field, const double violation, const StudyOptions &options,
                          const geometry::Progress &progress)
{
  return violation <= 1e-13 * packing.cells.max(convex::max_abs(field)) ? field
                                                                        : projected(packing, field, options, progress).u;
}

/// v as a function on ω, on all processes.
geometry::Field prolongation_of_all(const Packing &packing, const Vector &v)
{
  if (!packing.parts)
    return prolongation(packing.spheres, v);
  const geometry::Processes &processes = packing.cells.processes();
  const Index                dim = packing.cells.dimension(), n = packing.cells.size();
  const Vector               r = geometry::gathered(processes, packing.spheres.r.leftCols(n).reshaped());
  const Vector               R = geometry::gathered(processes, packing.spheres.R.head(n));
  return prolongation({r.reshaped(dim, R.size()), R, Vector::Ones(R.size())}, geometry::gathered(processes, v));
}

/// How far v is from the cone: 0 where it lies in it up to rounding, else its distance from an admissible field on a mesh as
/// fine as the spheres, which is not less.
void find_nonconformity(Level &level, const Packing &packing, const macro::Setting &setting, const Reference &reference,
                        const StudyOptions &options, const geometry::Progress &progress)
{
  constexpr double rounding = 1e-10; // relative to max|U - mean U|: what the projection leaves
  if (level.face_violation <= std::max(rounding, level.certificate.primal_infeasibility))
    return;
  level.falk.nonconformity_known = false;
  if (!options.nonconforming || packing.n_spheres() > options.largest_nonconforming)
    return;
  macro::Setting of_v             = setting;
  of_v.cone                       = reference.cone;
  of_v.U                          = prolongation_of_all(packing, level.u_tilde);
  of_v.mesh.cells_per_unit_length = .5 / level.radius;
  const Reference admissible      = macroscopic_projection(of_v, "automatic", options.criterion, progress);
  Measurements    measurements(packing);
  const int       g = measurements.function(admissible.u), v = measurements.cellwise(level.u_tilde);
  measurements.ask(g, v);
  level.falk.nonconformity       = measurements.answers()[0].value;
  level.falk.nonconformity_known = true;
}

/// Which directions of a cone contacts have, and whether they have others.
struct DirectionsMet
{
  const macro::Cone  &cone;
  std::vector<double> how_often; ///< 0 or 1, of each direction of the cone; then of all others

  explicit DirectionsMet(const macro::Cone &cone) : cone(cone), how_often(cone.directions.cols() + 1, 0.) {}

  template <class Direction>
  void meet(const Direction &e)
  {
    Index k = cone.directions.cols();
    if (k > 0)
      if (const Vector products = (cone.directions.transpose() * e).cwiseAbs(); products.maxCoeff() >= 1. - 1e-9)
        products.maxCoeff(&k);
    how_often[k] = 1.;
  }

  bool are_those_of_the_cone(const Index dim) const
  {
    if (dim == 1 || cone.direction_field)
      return true;
    return cone.type != macro::ConeType::isotropic && how_often.back() == 0. &&
           std::find(how_often.begin(), how_often.end() - 1, 0.) == how_often.end() - 1;
  }
};

/// Least squares slope of y over x.
double slope(const std::vector<double> &x, const std::vector<double> &y)
{
  const Eigen::Map<const Eigen::ArrayXd> X(x.data(), static_cast<Index>(x.size())),
      Y(y.data(), static_cast<Index>(y.size()));
  return ((X - X.mean()) * (Y - Y.mean())).sum() / (X - X.mean()).square().sum();
}
} // namespace

bool directions_match(const micro::ContactGraph &graph, const macro::Cone &cone)
{
  DirectionsMet met(cone);
  for (const micro::Contact &contact : graph.contacts)
    if (!graph.touches_wall(contact))
      met.meet(contact.e.head(graph.dim));
  return met.are_those_of_the_cone(graph.dim);
}

bool directions_match(const Packing &packing, const macro::Cone &cone)
{
  if (!packing.parts)
    return directions_match(packing.graph, cone);
  DirectionsMet                 met(cone);
  const convex::PairConstraint &rows = convex::shared_network(packing.parts->impact.problem)->rows();
  for (std::size_t row = 0; row < rows.pairs().size(); ++row)
    if (rows.pairs()[row].j != convex::PairConstraint::fixed_body)
      met.meet(rows.directions().col(static_cast<Index>(row)));
  packing.parts->cells->max(met.how_often);
  return met.are_those_of_the_cone(packing.graph.dim);
}

Level study(const Packing &packing, const macro::Setting &setting, const std::vector<Reference> &references,
            const StudyOptions &options, const geometry::Progress &progress)
{
  const VoronoiCells &cells = packing.cells;
  const Reference    &first = references.front();
  Level               level;
  level.n_spheres    = packing.n_spheres();
  level.n_contacts   = packing.n_contacts();
  level.radius       = cells.max(packing.spheres.size() > 0 ? packing.spheres.R.maxCoeff() : 0.);
  level.zone_volume  = cells.sum([&](const Index i) { return cells.volumes()(i); });
  level.volume_error = cells.volume_error();
  for (Index i = 0; i < cells.size(); ++i)
    level.n_cut += cells.is_cut(i);
  level.n_cut = cells.count(level.n_cut);

  {
    const convex::Stopwatch watch(level.seconds_transfer);
    level.U_tilde = restriction(cells, setting.U, &level.restriction_error, progress.part(0., .1));
  }
  macro::require_computable(setting.domain.lower, setting.domain.upper);
  macro::require_computable(cells.max(convex::max_abs(level.U_tilde)), level.zone_volume, setting.dim());
  {
    const auto          start = convex::Clock::now();
    convex::SaddlePoint x     = projected(packing, level.U_tilde, options, progress.part(.1, .6));
    level.effort              = convex::effort_of(x, convex::seconds_since(start));
    level.certificate         = x.certificate;
    level.method              = x.method;
    level.micro_bound         = x.certificate.relative_error_bound * x.certificate.scale;
    level.u_tilde             = std::move(x.u);
    level.p                   = std::move(x.p);
  }

  const convex::Stopwatch watch(level.seconds_comparison);
  const Vector            mean = uniform(packing, level.U_tilde, level.zone_volume);
  level.u_int                  = restriction(cells, first.u, nullptr, progress.part(.6, .65));
  Vector f;
  if (options.falk)
    {
      level.falk.violation        = violation(packing, level.u_int);
      level.falk.violation_inside = violation(packing, level.u_int, /*whole_only=*/true);
      f = nearest_admissible(packing, level.u_int, level.falk.violation, options, progress.part(.65, .75));
    }

  Measurements     measurements(packing);
  const int        U = measurements.function(setting.U);
  std::vector<int> u;
  for (const Reference &reference : references)
    u.push_back(measurements.function(reference.u));
  const int         U_tilde = measurements.cellwise(level.U_tilde), v = measurements.cellwise(level.u_tilde);
  const std::size_t norm_U = measurements.ask(U, Pair::zero), norm_U_tilde = measurements.ask(U_tilde, Pair::zero),
                    norm_v = measurements.ask(v, Pair::zero), restricted = measurements.ask(U, U_tilde),
                    spread = measurements.ask(U, measurements.cellwise(mean)), change = measurements.ask(u[0], U);
  std::vector<std::size_t> errors;
  std::vector<std::size_t> norms_u, changes;
  for (const int reference : u)
    {
      errors.push_back(measurements.ask(reference, v));
      norms_u.push_back(measurements.ask(reference, Pair::zero));
      changes.push_back(measurements.ask(reference, U));
    }
  std::size_t interpolation = 0, consistency = 0;
  if (options.falk)
    {
      interpolation = measurements.ask(u[0], measurements.cellwise(level.u_int));
      consistency   = measurements.ask(u[0], measurements.cellwise(f));
    }
  const std::vector<Distance> measured = measurements.answers(progress.part(.75, .9));

  level.norm_U               = measured[norm_U].value;
  level.norm_U_tilde         = measured[norm_U_tilde].value;
  level.norm_v               = measured[norm_v].value;
  level.scale                = is_rounding(measured[spread].value, level) ? 0. : measured[spread].value;
  level.dissipated_fraction  = 1. - std::pow(level.norm_v / level.norm_U_tilde, 2);
  level.momentum_before      = momentum(packing, level.U_tilde);
  level.momentum_after       = momentum(packing, level.u_tilde);
  level.momentum_defect      = momentum_defect(packing, level.u_tilde, level.U_tilde, level.norm_U, level.zone_volume);
  level.momentum_defect_of_u = momentum_defect(packing, level.u_int, level.U_tilde, level.norm_U, level.zone_volume);

  const double          speed      = cells.max(convex::max_abs(level.U_tilde - mean));
  const Eigen::MatrixXd directions = directions_of(first.cone, cells.dimension());
  if (first.cone.direction_field)
    level.face_violation = std::numeric_limits<double>::quiet_NaN(); // directions change from place to place
  else if (speed > 0.)
    level.face_violation = face_violation(packing, level.u_tilde, first.cone) / speed;
  if (speed > 0. && directions.size() > 0)
    level.shifted_violation = shifted_violation(packing, level.u_tilde, directions) / speed;
  if (are_axes(directions) && cells_are_bricks(packing))
    level.direct_bound =
        std::hypot(measured[restricted].value, level.micro_bound) + level.micro_bound + measured[restricted].error;

  std::vector<geometry::Field> functions;
  for (const Reference &reference : references)
    functions.push_back(reference.u);
  const Eigen::MatrixXd coarse = coarse_distances(cells, setting.domain, level.u_tilde, functions, options.windows);

  std::optional<DelaunayMesh> of_all;
  if (options.interpolant && !packing.parts)
    of_all = delaunay_mesh(packing.spheres, setting.domain);
  const std::optional<DelaunayMesh> &mesh         = packing.parts ? packing.parts->mesh : of_all;
  const bool                         interpolates = options.interpolant && mesh && cells.count(mesh->n_simplices()) > 0;
  const Vector                       nodal = interpolates ? packing.with_ghosts(level.u_tilde, cells.dimension()) : Vector();
  for (std::size_t k = 0; k < references.size(); ++k)
    {
      Comparison comparison;
      comparison.error    = measured[errors[k]];
      comparison.relative = level.scale > 0. ? comparison.error.value / level.scale : comparison.error.value;
      const double doubt =
          safety * comparison.error.error + references[k].error + level.micro_bound + level.restriction_error;
      comparison.lower         = std::max(0., comparison.error.value - doubt);
      comparison.upper         = comparison.error.value + doubt;
      comparison.coarse        = coarse.col(static_cast<Index>(k));
      const auto       square  = [&](const std::size_t pair) { return measured[pair].value * measured[pair].value; };
      const double     product = .5 * (square(norms_u[k]) + square(norm_U) - square(changes[k])); // <u, U>
      const double     unit    = level.scale * level.scale;
      constexpr double most    = 1e-6; // of rounding, which squares of a fast frame have
      if (level.scale > 0.)
        comparison.defect = 16. * convex::epsilon * (square(norms_u[k]) + square(norm_U)) > most * unit
                                ? std::numeric_limits<double>::quiet_NaN()
                                : (level.norm_v * level.norm_v - product) / unit;
      if (interpolates)
        comparison.interpolant = distance_to_interpolant(*mesh, packing.spheres, nodal, references[k].u, cells.processes());
      progress(.9);
      level.comparisons.push_back(comparison);
    }

  if (options.falk)
    {
      FalkEstimate &falk = level.falk;
      falk.interpolation = measured[interpolation].value;
      falk.consistency   = measured[consistency].value;
      find_nonconformity(level, packing, setting, first, options, progress.part(.9, 1.));
      // the estimate is about the exact u and φ_n(U): what is not exact in those at hand is added
      const double of_u = first.error, u_f = falk.consistency + safety * measured[consistency].error + of_u;
      const double u_U = measured[change].value + safety * measured[change].error + of_u;
      falk.bound       = std::sqrt(u_f * u_f + 2. * u_U * (u_f + falk.nonconformity)) + of_u + level.micro_bound +
                   level.restriction_error + safety * measured[errors[0]].error;
    }
  return level;
}

bool is_rounding(const double distance, const Level &level) { return distance <= 64. * convex::epsilon * level.norm_U; }

void set_orders(std::vector<Level> &levels)
{
  for (std::size_t n = 1; n < levels.size(); ++n)
    for (std::size_t k = 0; k < levels[n].comparisons.size(); ++k)
      {
        Comparison  &comparison = levels[n].comparisons[k];
        const auto  &before     = levels[n - 1].comparisons[k];
        const double refined    = std::log(levels[n - 1].radius / levels[n].radius);
        const auto   order      = [&](const double coarse, const double fine) {
          return is_rounding(fine, levels[n]) ? std::numeric_limits<double>::quiet_NaN() : std::log(coarse / fine) / refined;
        };
        comparison.order             = order(before.error.value, comparison.error.value);
        comparison.order_interpolant = order(before.interpolant.value, comparison.interpolant.value);
      }
}

double observed_order(const std::vector<double> &sizes, const std::vector<double> &errors)
{
  if (sizes.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> log_sizes, log_errors;
  for (std::size_t n = sizes.size() - std::min<std::size_t>(3, sizes.size()); n < sizes.size(); ++n)
    {
      log_sizes.push_back(std::log(sizes[n]));
      log_errors.push_back(std::log(errors[n]));
    }
  return slope(log_sizes, log_errors);
}

double observed_order(const std::vector<Level> &levels, const std::size_t reference)
{
  std::vector<double> radii, errors;
  for (const Level &level : levels)
    {
      radii.push_back(level.radius);
      errors.push_back(level.comparisons[reference].error.value);
      if (is_rounding(errors.back(), level))
        return std::numeric_limits<double>::quiet_NaN();
    }
  return observed_order(radii, errors);
}

double observed_cost(const std::vector<Level> &levels)
{
  constexpr double    shortest = .1; // s
  std::vector<double> sizes, seconds;
  for (const Level &level : levels)
    if (const double all = level.seconds_cells + level.seconds_transfer + level.effort.seconds + level.seconds_comparison;
        all >= shortest)
      {
        sizes.push_back(std::log(static_cast<double>(level.n_spheres)));
        seconds.push_back(std::log(all));
      }
  return sizes.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : slope(sizes, seconds);
}
} // namespace moreau::homogenization
