// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/convergence_study.h"

#include "convex/clock.h"
#include "convex/frame.h"
#include "convex/solvers/make_projector.h"
#include "homogenization/cell_location.h"
#include "homogenization/coarse_distances.h"
#include "macro/mean_gradient.h"
#include "macro/watched.h"
#include "micro/impact.h"
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

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

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
    if (x.status == convex::Status::infeasible)
      micro::refuse_squeeze(packing.graph, packing.walls, x.p);
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
geometry::Field prolongation_of_all(const Packing &packing, const macro::Domain &domain, const Vector &v)
{
  if (geometry::any(domain.periodic))
    {
      double reach = 0.; // of the farthest cell
      for (Index i = 0; i < packing.cells.size(); ++i)
        reach = std::max(reach, (packing.cells.outline(i).colwise() - packing.spheres.r.col(i)).colwise().norm().maxCoeff());
      const PeriodicImages images = with_images(packing.spheres, domain, reach);
      return with_mean_gradient(prolongation(images.spheres, images.values(v, domain.lower.size())), packing.mean_gradient);
    }
  if (!packing.parts)
    return prolongation(packing.spheres, v);
  const geometry::Processes &processes = packing.cells.processes();
  const Index                dim = packing.cells.dimension(), n = packing.cells.size();
  const Vector               r = geometry::gathered(processes, packing.spheres.r.leftCols(n).reshaped());
  const Vector               R = geometry::gathered(processes, packing.spheres.R.head(n));
  return prolongation({r.reshaped(dim, R.size()), R, Vector::Ones(R.size())}, geometry::gathered(processes, v));
}

/// Whether D lies in the cone, as far as the centres of spheres tell where its dilatancy varies.
bool lets_gradient_pass(const macro::Cone &cone, const Packing &packing, const Eigen::MatrixXd &D)
{
  if (D.size() == 0)
    return true;
  if (macro::has_dilatancy(cone.type))
    {
      Eigen::MatrixXd s(1, packing.spheres.size());
      cone.dilatancy(packing.spheres.r, s);
      if (s.maxCoeff() > s.minCoeff())
        return false;
    }
  return !cone.direction_field && macro::why_not_admissible(cone, D).empty();
}

/// How far v is from the cone: 0 where it lies in it up to rounding, else its distance from an admissible field on a mesh as
/// fine as the spheres, which is not less.
void find_nonconformity(Level &level, const Packing &packing, const macro::Setting &setting, const Reference &reference,
                        const StudyOptions &options, const geometry::Progress &progress)
{
  constexpr double rounding = 1e-10; // relative to max|U - mean U|: what the projection leaves
  if (level.face_violation <= std::max(rounding, level.certificate.primal_infeasibility) &&
      lets_gradient_pass(reference.cone, packing, setting.mean_gradient))
    return;
  level.falk.nonconformity_known = false;
  if (!options.nonconforming || packing.n_spheres() > options.largest_nonconforming)
    return;
  macro::Setting of_v             = setting;
  of_v.cone                       = reference.cone;
  of_v.U                          = prolongation_of_all(packing, setting.domain, level.u_tilde);
  of_v.mesh.cells_per_unit_length = .5 / level.radius;
  const Reference admissible      = macroscopic_projection(of_v, "automatic", options.criterion, progress);
  Measurements    measurements(packing);
  const int       g = measurements.function(fluctuation_of(admissible, setting)), v = measurements.cellwise(level.u_tilde);
  measurements.ask(g, v);
  level.falk.nonconformity       = measurements.answers()[0].value;
  level.falk.nonconformity_known = true;
}

/// D (r - centre of the box) of each sphere; 0 where there is no D.
Vector of_mean_gradient(const Packing &packing, const macro::Setting &setting)
{
  const Index n = packing.cells.size();
  if (setting.mean_gradient.size() == 0)
    return Vector::Zero(packing.cells.dimension() * n);
  const Vector centre = .5 * (setting.domain.lower + setting.domain.upper);
  return (setting.mean_gradient * (packing.spheres.r.leftCols(n).colwise() - centre)).reshaped();
}

/// v between the centres of spheres: a mesh, its corners and the values there.
struct Interpolant
{
  DelaunayMesh   mesh;
  micro::Spheres spheres;
  Vector         nodal;
};

/// None where the box repeats itself along some axes only, where simplices have no end.
std::optional<Interpolant> interpolant_of(const Packing &packing, const macro::Domain &domain, const Vector &v)
{
  const Index dim        = packing.cells.dimension();
  const Index n_periodic = std::count(domain.periodic.begin(), domain.periodic.begin() + dim, true);
  if (n_periodic == dim)
    {
      PeriodicDelaunayMesh found = periodic_delaunay_mesh(packing.spheres, domain);
      const Vector         nodal = found.images.values(v, dim);
      return Interpolant{std::move(found.mesh), std::move(found.images.spheres), nodal};
    }
  if (n_periodic > 0 || (packing.parts && !packing.parts->mesh))
    return std::nullopt;
  DelaunayMesh mesh = packing.parts ? *packing.parts->mesh : delaunay_mesh(packing.spheres, domain);
  if (packing.cells.count(mesh.n_simplices()) == 0)
    return std::nullopt;
  return Interpolant{std::move(mesh), packing.spheres, packing.with_ghosts(v, dim)};
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
} // namespace

geometry::Field fluctuation_of(const Reference &reference, const macro::Setting &setting)
{
  const macro::Domain &domain = setting.domain;
  return geometry::fluctuation(reference.u, setting.mean_gradient, domain.lower, domain.upper, domain.periodic);
}

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
  const VoronoiCells          &cells      = packing.cells;
  const Reference             &first      = references.front();
  const geometry::Field        U_of_torus = setting.fluctuation();
  std::vector<geometry::Field> functions;
  for (const Reference &reference : references)
    functions.push_back(fluctuation_of(reference, setting));
  Level level;
  level.of_fluctuations = setting.mean_gradient.size() > 0;
  level.n_spheres       = packing.n_spheres();
  level.n_contacts      = packing.n_contacts();
  level.radius          = cells.max(packing.spheres.size() > 0 ? packing.spheres.R.maxCoeff() : 0.);
  level.zone_volume     = cells.sum([&](const Index i) { return cells.volumes()(i); });
  level.volume_error    = cells.volume_error();
  for (Index i = 0; i < cells.size(); ++i)
    level.n_cut += cells.is_cut(i);
  level.n_cut = cells.count(level.n_cut);

  {
    const convex::Stopwatch watch(level.seconds_transfer);
    level.U_tilde = restriction(cells, U_of_torus, &level.restriction_error, progress.part(0., .1));
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
  level.u_int                  = restriction(cells, functions.front(), nullptr, progress.part(.6, .65));
  Vector f;
  if (options.falk)
    {
      level.falk.violation        = violation(packing, level.u_int);
      level.falk.violation_inside = violation(packing, level.u_int, /*whole_only=*/true);
      f = nearest_admissible(packing, level.u_int, level.falk.violation, options, progress.part(.65, .75));
    }

  Measurements     measurements(packing);
  const int        U = measurements.function(U_of_torus);
  std::vector<int> u;
  for (const geometry::Field &function : functions)
    u.push_back(measurements.function(function));
  const int         U_tilde = measurements.cellwise(level.U_tilde), v = measurements.cellwise(level.u_tilde);
  const std::size_t norm_U = measurements.ask(U, Pair::zero), norm_U_tilde = measurements.ask(U_tilde, Pair::zero),
                    norm_v = measurements.ask(v, Pair::zero), restricted = measurements.ask(U, U_tilde),
                    spread = measurements.ask(U, measurements.cellwise(mean)), change = measurements.ask(u[0], U);
  // products of velocities: in the frame of mean U, but where walls fix one
  const bool               is_fixed = std::count(setting.domain.walls.begin(), setting.domain.walls.end(), true) > 0;
  const int                frame    = is_fixed ? Pair::zero : measurements.cellwise(mean);
  const std::size_t        of_U = is_fixed ? norm_U : spread, of_v = is_fixed ? norm_v : measurements.ask(v, frame);
  std::vector<std::size_t> errors, of_u, changes;
  for (const int reference : u)
    {
      errors.push_back(measurements.ask(reference, v));
      of_u.push_back(measurements.ask(reference, frame));
      changes.push_back(measurements.ask(reference, U));
    }
  std::size_t interpolation = 0, consistency = 0;
  if (options.falk)
    {
      interpolation = measurements.ask(u[0], measurements.cellwise(level.u_int));
      consistency   = measurements.ask(u[0], measurements.cellwise(f));
    }
  const std::vector<Distance> measured = measurements.answers(progress.part(.75, .9));

  level.norm_U       = measured[norm_U].value;
  level.norm_U_tilde = measured[norm_U_tilde].value;
  level.norm_v       = measured[norm_v].value;
  if (level.of_fluctuations)
    level.scale = spread_on_box(setting.U, setting.domain.lower, setting.domain.upper);
  else
    level.scale = is_rounding(measured[spread].value, level) ? 0. : measured[spread].value;
  level.dissipated_fraction  = level.of_fluctuations ? not_there : 1. - std::pow(level.norm_v / level.norm_U_tilde, 2);
  level.momentum_before      = momentum(packing, level.U_tilde);
  level.momentum_after       = momentum(packing, level.u_tilde);
  const double size          = std::max(level.norm_U, level.scale);
  level.momentum_defect      = momentum_defect(packing, level.u_tilde, level.U_tilde, size, level.zone_volume);
  level.momentum_defect_of_u = momentum_defect(packing, level.u_int, level.U_tilde, size, level.zone_volume);

  const double          speed      = cells.max(convex::max_abs(level.U_tilde - mean + of_mean_gradient(packing, setting)));
  const Eigen::MatrixXd directions = directions_of(first.cone, cells.dimension());
  if (first.cone.direction_field)
    level.face_violation = not_there; // directions change from place to place
  else if (speed > 0.)
    level.face_violation = face_violation(packing, level.u_tilde, first.cone) / speed;
  if (speed > 0. && directions.size() > 0)
    level.shifted_violation = shifted_violation(packing, level.u_tilde, directions) / speed;
  if (!level.of_fluctuations && are_axes(directions) && cells_are_bricks(packing))
    level.direct_bound =
        std::hypot(measured[restricted].value, level.micro_bound) + level.micro_bound + measured[restricted].error;

  const Eigen::MatrixXd coarse = coarse_distances(cells, setting.domain, level.u_tilde, functions, options.windows);

  const std::optional<Interpolant> interpolant =
      options.interpolant ? interpolant_of(packing, setting.domain, level.u_tilde) : std::nullopt;
  for (std::size_t k = 0; k < references.size(); ++k)
    {
      Comparison comparison;
      comparison.error    = measured[errors[k]];
      comparison.relative = level.scale > 0. ? comparison.error.value / level.scale : not_there;
      const double doubt =
          safety * comparison.error.error + references[k].error + level.micro_bound + level.restriction_error;
      comparison.lower         = std::max(0., comparison.error.value - doubt);
      comparison.upper         = comparison.error.value + doubt;
      comparison.coarse        = coarse.col(static_cast<Index>(k));
      const auto       square  = [&](const std::size_t pair) { return measured[pair].value * measured[pair].value; };
      const double     product = .5 * (square(of_u[k]) + square(of_U) - square(changes[k])); // <u, U>
      const double     unit    = level.scale * level.scale;
      constexpr double most    = 1e-6; // of rounding, which squares of a fast frame have
      if (level.of_fluctuations)
        comparison.defect = not_there;
      else if (level.scale > 0.)
        comparison.defect = 16. * convex::epsilon * (square(norm_U) + square(norm_v)) > most * unit
                                ? not_there
                                : (square(of_v) - product) / unit;
      if (interpolant)
        comparison.interpolant = distance_to_interpolant(interpolant->mesh, interpolant->spheres, interpolant->nodal,
                                                         functions[k], cells.processes());
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
} // namespace moreau::homogenization
