// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/certificate.h"
#include "convex/input_error.h"
#include "convex/solvers/circular_face.h"
#include "convex/solvers/facial_reduction.h"
#include "convex/solvers/make_projector.h"
#include "geometry/fill_picture.h"
#include "macro/discretize.h"
#include "macro/directional/grains.h"
#include "macro/directional/inner_approximation.h"
#include "macro/directional/jamming_stress.h"
#include "macro/directional/outer_approximation.h"
#include "macro/directional/over_periodic_sides.h"
#include "macro/directional/dual_polish.h"
#include "macro/directional/pressure_limits.h"
#include "macro/directional/simplex_certificate.h"
#include "macro/directional/simplex_velocity.h"
#include "macro/directional/torn_velocity.h"
#include "macro/watched.h"
#include "macro/saturated_cells.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <sstream>

/// Directional cones with any directions, on boxes cut into simplices: problem() is the inner approximation, whose u is
/// admissible, and the outer one is solved for the p of the total bound.
namespace moreau::macro
{
namespace
{
/// Density on the simplices of the box.
struct SampledDensity
{
  Vector            at_centroids;
  std::vector<char> saturated; ///< where the density is 1 at the centroid
  std::vector<char> cut;       ///< saturated in a part only, as centroid and vertices tell

  SampledDensity(const SimplexMesh &mesh, const Domain &domain)
      : at_centroids(Vector::Ones(mesh.n_simplices())), saturated(mesh.n_simplices(), 1), cut(mesh.n_simplices(), 0)
  {
    if (domain.uniform)
      return;
    const Index     n = mesh.n_simplices();
    Eigen::MatrixXd x(mesh.dim(), n), rho(1, n);
    for (Index t = 0; t < n; ++t)
      x.col(t) = mesh.centroid(t);
    const Eigen::MatrixXd centroids = x;
    domain.density(centroids, rho);
    for (Index t = 0; t < n; ++t)
      {
        if (!(rho(0, t) >= -tolerance && rho(0, t) <= 1. + tolerance))
          throw InputError("the density", "The density is " + std::to_string(rho(0, t)) +
                                              " in a cell; it must lie between 0 and 1 everywhere.");
        at_centroids(t) = rho(0, t);
        saturated[t]    = full(rho(0, t));
      }
    for (int i = 0; i <= mesh.dim(); ++i)
      {
        // just inside the simplex: the density may jump between simplices
        for (Index t = 0; t < n; ++t)
          x.col(t) =
              mesh.points.col(mesh.simplices(i, t)) + 1e-6 * (centroids.col(t) - mesh.points.col(mesh.simplices(i, t)));
        domain.density(x, rho);
        for (Index t = 0; t < n; ++t)
          cut[t] |= full(rho(0, t)) != (saturated[t] != 0);
      }
    if (!is_cut())
      for (Index t = 0; t < n; ++t)
        cut[t] = may_be_cut(domain, mesh.vertices(t), mesh.dim() + 1);
  }

  bool is_cut() const { return std::count(cut.begin(), cut.end(), 1) > 0; }

private:
  static constexpr double tolerance = 1e-12;
  static bool             full(const double rho) { return rho >= 1. - tolerance; }
};

/// With the part of U that repeats itself in the place of U.
Setting of_fluctuation(Setting setting)
{
  setting.U = setting.fluctuation();
  return setting;
}

/// Joins sentences.
void add_sentence(std::string &text, const std::string &sentence) { text += (text.empty() ? "" : " ") + sentence; }

class SimplexDiscretization : public Discretization
{
public:
  SimplexDiscretization(const Setting &setting, BisectedBox given, const Progress &progress = {})
      : setting(of_fluctuation(setting))
      , box(std::move(given))
      , grid(box.grid())
      , mesh(box.mesh())
      , density(mesh, setting.domain)
      , zone(directional_zone(with_periodic_sides(mesh, grid, setting.domain.periodic), density.saturated, setting.cone,
                              grid, setting.domain.walls, setting.mean_gradient))
      , data(zone, this->setting.U, progress.part(.3, .7))
      , torn(torn_where_U_jumps(zone, data))
      , inner(inner_approximation(torn, data.nodal_means(torn)))
  {}

  const convex::ProjectionProblem &problem() const override { return inner; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    if (solver == "automatic" || solver == "interior point")
      return interior_point(criterion);
    if (zone.is_circular())
      throw InputError("the solver",
                       "'" + solver + "' does not solve circular cones; choose 'automatic' or 'interior point'.");
    if (solver == "projected gradient" || solver == "Lawson-Hanson")
      return convex::make_projector(solver, criterion);
    throw InputError(
        "the solver",
        "'" + solver +
            "' does not solve directional cones on meshes that are not aligned with the directions; choose one of: "
            "automatic, interior point, projected gradient, Lawson-Hanson.");
  }

  TotalBound total_bound(const convex::SaddlePoint &x, const Progress &progress) const override;

  /// Linear on the simplices of the zone, also where the density is below 1 in a part of one. The bound says nothing of what
  /// is saturated in the others, along the boundary; there v is that of the nearest point of a simplex of the zone.
  Field velocity(const convex::SaddlePoint &x) const override
  {
    bool       feasible;
    const auto v = std::make_shared<const SimplexVelocity>(box, torn.zone, convex::feasible_companion(inner, x.u, feasible));
    return geometry::with_mean_gradient(
        velocity_on_mesh(setting, [v](const double *const at, double *const value) { return (*v)(at, value); }),
        setting.mean_gradient);
  }

  Mesh   fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;
  Motion outside() const override;

  Vector momentum(const convex::Vector &u) const override
  {
    Vector result = Discretization::momentum(u);
    if (setting.mean_gradient.size() > 0)
      for (Index cell = 0; cell < zone.zone.mesh.n_simplices(); ++cell)
        result += zone.zone.volumes(cell) * setting.mean_gradient * zone.zone.mesh.centroid(cell);
    return result;
  }

  std::optional<double> approximation_of_cone(const convex::SaddlePoint &x) const override
  {
    if (!(zone.inner_factor > 1.))
      return {};
    DirectionalZone outer                    = torn;
    outer.inner_factor                       = 1.;
    const convex::ProjectionProblem on_outer = inner_approximation(outer, data.nodal_means(outer));
    convex::StoppingCriterion       criterion;
    criterion.tolerance                = 1e-4;
    const convex::SaddlePoint u        = interior_point(criterion)->project(on_outer);
    const double              rounding = 1e-13 * on_outer.V->norm(on_outer.U); // of a uniform U nothing else is left
    return u.certificate.scale > rounding ? on_outer.V->norm(x.u - u.u) / u.certificate.scale : 0.;
  }

  std::string description() const override
  {
    std::ostringstream text;
    for (int axis = 0; axis < grid.dim; ++axis)
      text << (axis > 0 ? " x " : "") << grid.n[axis];
    text << " cells cut into " << mesh.n_simplices() << " " << simplices()
         << (box.is_uniform() ? ", " : ", bisected where the bound asks for it, ") << zone.zone.mesh.n_simplices()
         << " of them saturated; linear velocities, ";
    if (zone.is_circular())
      text << "a circle on each";
    else
      text << zone.K << " inequalities on each";
    return text.str();
  }

  /// Where most of η² comes from, and where the boundary of the zone or of grains cuts: edges of half the length.
  std::unique_ptr<Discretization> refined(const convex::SaddlePoint &, const TotalBound &bound) const override
  {
    constexpr double  fraction    = .3; // of η²
    constexpr double  other_grain = .1; // of directions that do not vary smoothly on a simplex
    std::vector<char> marked      = density.cut;
    for (Index t = 0; t < zone.variation.size(); ++t)
      marked[zone.zone.simplex_of_cell[t]] |= zone.variation(t) > other_grain;
    const double least = marking_threshold(bound.indicator, fraction, Processes::alone());
    for (Index t = 0; t < mesh.n_simplices(); ++t)
      marked[t] |= bound.indicator(t) >= least;
    return std::make_unique<SimplexDiscretization>(setting, box.refined(marked));
  }

  std::string remarks() const override
  {
    std::string text;
    if (density.is_cut())
      add_sentence(text, staircase_remark());
    if (zone.locks)
      add_sentence(text,
                   "Between walls on all sides velocities that are linear on " + simplices() +
                       " do not follow all directions that are not at right angles: for some, as (1, 0) and (0.6, 0.8), "
                       "little but u = 0 is exactly admissible, however fine the mesh is, and what is computed may be far "
                       "from the continuum; for others, as (1, 0) and (0.8, 0.6), it is not.");
    return text;
  }

private:
  Setting                   setting; ///< of what repeats itself, as all velocities but those of pictures and momenta
  BisectedBox               box;
  const BoxGrid            &grid;
  const SimplexMesh        &mesh;
  SampledDensity            density;
  DirectionalZone           zone;
  SimplexData               data;
  DirectionalZone           torn; ///< where velocities live
  convex::ProjectionProblem inner;

  std::vector<Array> pressures(const convex::SaddlePoint &x, const Vector &u) const;
  std::vector<Array> stresses(const convex::SaddlePoint &x, const Vector &u) const;
  Eigen::MatrixXd    smoothed(const Eigen::MatrixXd &stresses) const;

  /// U or u with D x.
  void add_mean_flow(const Eigen::MatrixXd &x, Eigen::MatrixXd &velocities) const
  {
    if (setting.mean_gradient.size() > 0)
      velocities += setting.mean_gradient * x;
  }

  std::string simplices() const { return grid.dim == 1 ? "segments" : grid.dim == 2 ? "triangles" : "tetrahedra"; }

  std::string staircase_remark() const
  {
    return "The boundary of the zone cuts " + simplices() + ": the zone is taken to be those whose centroid is saturated.";
  }

  std::unique_ptr<convex::ConeProjector> interior_point(const convex::StoppingCriterion &criterion) const
  {
    if (zone.is_circular())
      return std::make_unique<convex::CircularOnFace>(criterion, jamming_stress(torn, inner));
    convex::InteriorPoint::Parameters parameters;
    parameters.n_correctors = grid.dim == 3 ? 3 : 1;
    return std::make_unique<convex::InteriorPointOnFaces>(criterion, parameters);
  }

  /// Nodal pressures from the multipliers of the outer approximation.
  Eigen::MatrixXd outer_nodal_pressures(const std::string &solver, const convex::StoppingCriterion &criterion) const
  {
    const Eigen::SparseMatrix<double> rays = pressure_rays(zone);
    return outer_pressures(
        zone, rays, convex::make_projector(solver, criterion)->project(outer_approximation(zone, rays, data.means)).p);
  }
};

TotalBound SimplexDiscretization::total_bound(const convex::SaddlePoint &x, const Progress &progress) const
{
  bool         feasible;
  const Vector v = convex::feasible_companion(inner, x.u, feasible);

  const SimplexEdges    edges       = simplex_edges(zone.grains.mesh);
  const auto            limits      = pressure_limits(zone, edges);
  const Eigen::MatrixXd inner_nodal = nodal_pressures(zone, *limits, cell_pressures(zone, inner.nearest_multiplier(x.p)));
  std::vector<SimplexPressure> candidates = {quadratic_pressure(zone, edges, *limits, inner_nodal)};
  // any p >= 0 serves, so a first-order method does, at a small part of what a factorisation costs in space; a tolerance of
  // 1e-4 costs no digit of the bound (measured)
  convex::StoppingCriterion criterion;
  criterion.tolerance      = 1e-4;
  criterion.max_iterations = 3000;
  criterion                = watched(criterion, progress.part(0., .6));
  if (zone.is_circular())
    candidates.push_back(linear_pressure(edges, inner_nodal));
  else
    {
      const Eigen::MatrixXd outer = outer_nodal_pressures("projected gradient", criterion);
      candidates.push_back(quadratic_pressure(zone, edges, *limits, outer));
      candidates.push_back(linear_pressure(edges, outer));
    }

  AdmissiblePair::Facts facts;
  facts.cells         = simplices();
  facts.zone_is_cells = !density.is_cut();
  facts.feasible      = feasible;
  if (zone.dilatancy.size() > 1)
    facts.quadrature = "The dilatancy varies and is looked at in the vertices and centroids of " + simplices() +
                       ", so the bound is an estimate.";
  if (constexpr double as_given = 1e-6; zone.variation.size() > 0 && zone.variation.maxCoeff() > as_given)
    facts.other_problem = "There is no total bound, only an estimate of the error: the directions vary on " + simplices() +
                          ", where those at the centroid stand for them.";
  SimplexPressure p     = best_combination(zone, edges, data, candidates);
  PolishSteps     steps = {60}; // cheaper than the solution
  if (zone.is_circular())       // nothing else looks for stresses
    steps = {4000, std::pow(macro::total_bound(SimplexPair(torn, edges, data, v, p, facts)).eta, 2)};
  p                = polished(zone, edges, data, *limits, std::move(p), steps, progress.part(.6, .9));
  TotalBound bound = macro::total_bound(SimplexPair(torn, edges, data, v, p, facts), progress.part(.9, 1.));
  // where p is linear on simplices but for kinks between them, that tolerance is all that is left of the bound
  const double of_tolerance = bound.eta / (criterion.tolerance * bound.scale);
  if (constexpr double nearly_exact = 10., exact_already = 1e-3;
      !zone.is_circular() && of_tolerance < nearly_exact && of_tolerance > exact_already)
    {
      criterion.tolerance         = 1e-12;
      const SimplexPressure exact = linear_pressure(edges, outer_nodal_pressures("automatic", criterion));
      if (TotalBound of_exact = macro::total_bound(SimplexPair(torn, edges, data, v, exact, facts));
          of_exact.eta < bound.eta)
        bound = std::move(of_exact);
    }

  if (setting.mean_gradient.size() > 0)
    bound.forget_energies(); // of what repeats itself
  // for the whole box
  const Vector of_zone                       = bound.indicator;
  bound.indicator                            = Vector::Zero(mesh.n_simplices());
  bound.indicator(zone.zone.simplex_of_cell) = of_zone;
  return bound;
}

Mesh SimplexDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const
{
  const Index  dim = grid.dim, n = mesh.n_simplices(), n_nodes = torn.zone.mesh.n_points();
  bool         feasible;
  const Vector u = (u_plus - x.u).isZero(0.) ? convex::feasible_companion(inner, x.u, feasible) : u_plus;

  // nodes of the zone first, then those of what lies outside: u jumps where the zone ends, and on torn facets
  Eigen::MatrixXi  vertices = mesh.simplices;
  std::vector<int> outside, number(mesh.n_points(), -1);
  for (Index t = 0; t < n; ++t)
    if (!density.saturated[t])
      for (Index i = 0; i <= dim; ++i)
        {
          const int point = vertices(i, t);
          if (number[point] < 0)
            {
              number[point] = static_cast<int>(n_nodes + static_cast<Index>(outside.size()));
              outside.push_back(point);
            }
          vertices(i, t) = number[point];
        }
  const Eigen::MatrixXd x_outside = mesh.points(Eigen::all, outside);
  Eigen::MatrixXd       U_outside(dim, x_outside.cols());
  setting.U(x_outside, U_outside);
  Eigen::MatrixXd points(dim, n_nodes + x_outside.cols()), nodal_u(dim, points.cols());
  points << torn.zone.mesh.points, x_outside;
  nodal_u << Eigen::Map<const Eigen::MatrixXd>(u.data(), dim, n_nodes), U_outside;
  OverPeriodicSides over_sides{torn.zone.mesh, points.cols(), {}, {}};

  Eigen::MatrixXd U(dim, n), centroids(dim, n);
  for (Index t = 0; t < n; ++t)
    centroids.col(t) = mesh.centroid(t);
  setting.U(centroids, U);
  Eigen::MatrixXd u_of_cell = U;
  for (Index cell = 0; cell < torn.zone.mesh.n_simplices(); ++cell)
    {
      const Index t    = torn.zone.simplex_of_cell[cell];
      vertices.col(t)  = over_sides.vertices(cell);
      U.col(t)         = data.means.col(cell);
      u_of_cell.col(t) = nodal_u(Eigen::all, torn.zone.mesh.simplices.col(cell)).rowwise().mean();
    }
  over_sides.append_to(points, nodal_u);
  add_mean_flow(points, nodal_u);
  add_mean_flow(centroids, U);
  add_mean_flow(centroids, u_of_cell);
  Mesh picture   = continuum(dim == 1 ? CellType::line : dim == 2 ? CellType::triangle : CellType::tetrahedron);
  picture.points = three_components(points);
  picture.connectivity.assign(vertices.data(), vertices.data() + vertices.size());
  picture.point_data = list_of(vectors_of("u", "m/s", nodal_u));
  picture.cell_data  = list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u_of_cell));
  for (Array &array : zone.is_dilatant() ? stresses(x, u) : pressures(x, u))
    picture.cell_data.push_back(std::move(array));
  picture.cell_data.push_back(array_of("density", "", density.at_centroids.transpose()));
  if (const Vector grains = grain_numbers(zone); grains.size() > 0)
    {
      constexpr double none   = -1.;
      Eigen::MatrixXd  number = Eigen::MatrixXd::Constant(1, n, none);
      for (Index cell = 0; cell < grains.size(); ++cell)
        number(torn.zone.simplex_of_cell[cell]) = grains(cell);
      picture.cell_data.push_back(array_of("grain", "", number));
      for (int k = 0; k < zone.K; ++k)
        {
          Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(dim, n);
          for (Index cell = 0; cell < grains.size(); ++cell)
            direction.col(torn.zone.simplex_of_cell[cell]) = zone.directions_of(cell).col(k);
          picture.cell_data.push_back(vectors_of("direction_" + std::to_string(k + 1), "", direction));
        }
    }
  if (bound.available)
    picture.cell_data.push_back(
        array_of("error_indicator", "m^" + std::to_string(2 + dim) + "/s^2", bound.indicator.transpose()));
  return picture;
}

/// p, derivatives along directions, and which of them press: a component per direction.
std::vector<Array> SimplexDiscretization::pressures(const convex::SaddlePoint &x, const Vector &u) const
{
  const Index             K = zone.K, n = mesh.n_simplices();
  Eigen::MatrixXd         p = Eigen::MatrixXd::Zero(K, n), rates = p, active = p;
  const Eigen::MatrixXd   of_zone   = cell_pressures(zone, x.p);
  const std::vector<char> is_active = active_rows(inner, x);
  for (Index cell = 0; cell < of_zone.cols(); ++cell)
    {
      const Index t = zone.zone.simplex_of_cell[cell];
      p.col(t)      = of_zone.col(cell);
      rates.col(t)  = torn.derivatives(u, cell);
      for (Index k = 0; k < K; ++k)
        active(k, t) = is_active[K * cell + k];
    }
  return list_of(array_of("p", "m^2/s", p), array_of("directional_derivatives", "1/s", rates),
                 array_of("active", "", active));
}

/// Stresses on simplices (K x n_simplices) as the means of what nodes make of them: single simplices have alternating ones,
/// of which B* sees the mean only.
Eigen::MatrixXd SimplexDiscretization::smoothed(const Eigen::MatrixXd &stresses) const
{
  const SimplexEdges    edges = simplex_edges(zone.grains.mesh);
  const SimplexPressure p     = linear_pressure(edges, nodal_pressures(zone, *pressure_limits(zone, edges), stresses));
  Eigen::MatrixXd       means(stresses.rows(), stresses.cols());
  for (Index t = 0; t < means.cols(); ++t)
    means.col(t) = p.means(zone, edges, t);
  return means;
}

/// Of a dilatant cone: pressure and shear of the stress Σ p_k A_k, divergence and shear rate, where anything presses.
/// A shear is half the difference of the largest and the smallest principal value.
std::vector<Array> SimplexDiscretization::stresses(const convex::SaddlePoint &x, const Vector &u) const
{
  const Index           K = zone.K, n = mesh.n_simplices(), dim = grid.dim;
  Eigen::MatrixXd       p = Eigen::MatrixXd::Zero(1, n), shear_stress = p, divergence = p, shear_rate = p, active = p, s = p;
  const Eigen::MatrixXd of_zone     = zone.is_circular() ? smoothed(cell_pressures(zone, x.p)) : cell_pressures(zone, x.p);
  const std::vector<char> is_active = active_rows(inner, x);
  const double            least_that_counts =
      zone.is_circular() && of_zone.size() > 0 ? 1e-3 * of_zone.row(0).maxCoeff() : 0.; // of what is smooth
  const auto shear = [](const SimplexMatrix &tensor) {
    const Eigen::SelfAdjointEigenSolver<SimplexMatrix> principal(tensor, Eigen::EigenvaluesOnly);
    return .5 * (principal.eigenvalues().maxCoeff() - principal.eigenvalues().minCoeff());
  };
  for (Index cell = 0; cell < of_zone.cols(); ++cell)
    {
      const Index         t      = zone.zone.simplex_of_cell[cell];
      const SimplexMatrix D      = torn.gradient(u, cell);
      SimplexMatrix       stress = SimplexMatrix::Zero(dim, dim);
      for (int k = 0; k < K; ++k)
        {
          stress += of_zone(k, cell) *
                    zone.applied(cell, k, zone.inner_factor * zone.dilatancy_of(cell), Eigen::MatrixXd::Identity(dim, dim));
          active(t) = std::max(active(t), static_cast<double>(is_active[K * cell + k]));
        }
      if (zone.is_circular())
        active(t) = of_zone(0, cell) > least_that_counts;
      p(t)            = stress.trace() / static_cast<double>(dim);
      shear_stress(t) = shear(stress);
      divergence(t)   = D.trace();
      shear_rate(t)   = shear(.5 * (D + D.transpose()));
      s(t)            = zone.dilatancy_of(cell);
    }
  return list_of(array_of("p", "m^2/s", p), array_of("shear_stress", "m^2/s", shear_stress),
                 array_of("divergence", "1/s", divergence), array_of("shear_rate", "1/s", shear_rate),
                 array_of("active", "", active), array_of("dilatancy", "", s));
}

Motion SimplexDiscretization::outside() const
{
  const Rule      rule = simplex_rule(grid.dim);
  Eigen::MatrixXd U(grid.dim, rule.size()), rho(1, rule.size());
  Motion          motion(grid.dim);
  for (Index t = 0; t < mesh.n_simplices(); ++t)
    if (!density.saturated[t])
      {
        const double          volume = mesh.volume(t);
        const Eigen::MatrixXd x      = mesh.vertices(t) * rule.points;
        setting.U(x, U);
        add_mean_flow(x, U);
        setting.domain.density(x, rho);
        for (Index q = 0; q < rule.size(); ++q)
          motion.add(volume * rule.weights(q) * rho(0, q), U.col(q));
      }
  return motion;
}
} // namespace

std::unique_ptr<Discretization> simplex_discretization(const Setting &setting, const Progress &progress)
{
  if (!setting.mesh.file.empty())
    throw InputError("the file of the mesh", "A directional cone is solved on the box, cut into simplices; leave it empty.");
  const BisectedBox box(
      box_grid(setting.domain.lower, setting.domain.upper, setting.mesh.cells_per_unit_length, Processes::alone()));
  if (!has_dilatancy(setting.cone.type) || setting.dim() == 3)
    return std::make_unique<SimplexDiscretization>(setting, box, progress);
  // div u = 0, which small s come near to, leaves next to nothing of linear velocities where all diagonals are parallel:
  // cells are cut by both of them
  return std::make_unique<SimplexDiscretization>(setting, box.bisected(), progress);
}
} // namespace moreau::macro
