// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/zone.h"

#include "convex/input_error.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

namespace moreau::macro
{
namespace
{
constexpr double parallel = 1e-12; // |A n| of a facet that e does not cross

std::string point(const Vector &x)
{
  std::ostringstream text;
  text << "(";
  for (Index a = 0; a < x.size(); ++a)
    text << (a > 0 ? ", " : "") << x(a);
  text << ")";
  return text.str();
}

std::string all_digits(const double s)
{
  std::ostringstream text;
  text << std::setprecision(17) << s;
  return text.str();
}

/// Makes e_1 ... e_K unit to the last bit; `where` names the point.
void check_directions(Eigen::Ref<Eigen::MatrixXd> e, const std::string &where)
{
  const std::string subject = "the directions of the cone";
  for (Index k = 0; k < e.cols(); ++k)
    {
      const double norm = e.col(k).norm();
      if (!(std::abs(norm - 1.) <= 1e-6))
        throw InputError(subject, "Direction " + std::to_string(k + 1) + where + " has length " + std::to_string(norm) +
                                      "; directions must be unit vectors.");
      e.col(k) /= norm;
    }
  if (!((e * e.transpose()).determinant() > 1e-8))
    throw InputError(subject, "The " + std::to_string(e.cols()) + " directions" + where +
                                  " do not span the space; give at least " + std::to_string(e.rows()) +
                                  " that are linearly independent.");
}

Eigen::MatrixXd directions_on(const SimplexMesh &mesh, const Cone &cone)
{
  const Index     dim = mesh.dim(), n = mesh.n_simplices();
  Eigen::MatrixXd directions;
  if (cone.type == ConeType::circular)
    return Vector::Zero(dim * static_cast<Index>(circular_tensors(mesh.dim()).size())); // none
  if (!cone.direction_field)
    {
      Eigen::MatrixXd e = cone.directions;
      if (e.rows() != dim || e.cols() == 0)
        throw InputError("the directions of the cone", "Give at least " + std::to_string(dim) + " directions with " +
                                                           std::to_string(dim) + " components each.");
      check_directions(e, "");
      return Eigen::Map<const Vector>(e.data(), e.size());
    }
  directions.resize(dim * cone.n_directions, n);
  Eigen::MatrixXd centroids(dim, n);
  for (Index t = 0; t < n; ++t)
    centroids.col(t) = mesh.centroid(t);
  cone.direction_field(centroids, directions);
  for (Index t = 0; t < n; ++t)
    check_directions(Eigen::Map<Eigen::MatrixXd>(directions.col(t).data(), dim, cone.n_directions),
                     " at " + point(centroids.col(t)));
  return directions;
}

/// The largest distance between unit vectors of the same lines, whatever their signs.
double distance(const Eigen::Ref<const Eigen::MatrixXd> &e, const Eigen::Ref<const Eigen::MatrixXd> &other)
{
  double largest = 0.;
  for (Index k = 0; k < e.cols(); ++k)
    largest = std::max(largest, std::min((e.col(k) - other.col(k)).norm(), (e.col(k) + other.col(k)).norm()));
  return largest;
}

/// DirectionalZone::variation, from points just inside the simplices.
Vector variation(const SimplexMesh &mesh, const Cone &cone, const Eigen::MatrixXd &directions)
{
  if (!cone.direction_field)
    return {};
  constexpr double inside = 1e-6;
  const Index      n = mesh.n_simplices(), dim = mesh.dim();
  Vector           largest = Vector::Zero(n);
  Eigen::MatrixXd  x(dim, n), e(directions.rows(), n);
  for (Index i = 0; i <= dim; ++i)
    {
      for (Index t = 0; t < n; ++t)
        x.col(t) = (1. - inside) * mesh.vertices(t).col(i) + inside * mesh.centroid(t);
      cone.direction_field(x, e);
      for (Index t = 0; t < n; ++t)
        largest(t) = std::max(largest(t),
                              distance(Eigen::Map<const Eigen::MatrixXd>(e.col(t).data(), dim, cone.n_directions),
                                       Eigen::Map<const Eigen::MatrixXd>(directions.col(t).data(), dim, cone.n_directions)));
    }
  return largest;
}

/// Sets the dilatancies of a zone with a mesh. Throws InputError("the dilatancy", ...) where one is not in [0, 1].
void set_dilatancies(DirectionalZone &zone, const Cone &cone)
{
  constexpr double   inside = 1e-6; // of a simplex: s may jump between simplices
  const SimplexMesh &mesh   = zone.zone.mesh;
  const Index        n      = mesh.n_simplices();
  Eigen::MatrixXd    x(mesh.dim(), n), s(1, n);
  Vector             largest = Vector::Zero(n), smallest = Vector::Ones(n);
  for (Index i = 0; i <= mesh.dim() + 1; ++i)
    {
      for (Index t = 0; t < n; ++t)
        x.col(t) =
            i > mesh.dim() ? mesh.centroid(t) : Vector((1. - inside) * mesh.vertices(t).col(i) + inside * mesh.centroid(t));
      cone.dilatancy(x, s);
      for (Index t = 0; t < n; ++t)
        if (!(s(0, t) >= 0. && s(0, t) <= 1.))
          throw InputError("the dilatancy", "The dilatancy is " + all_digits(s(0, t)) + " at " + point(x.col(t)) +
                                                "; it must lie in [0, 1], from 0 (div u >= 0) to 1 (all directions).");
      largest  = largest.cwiseMax(s.row(0).transpose());
      smallest = smallest.cwiseMin(s.row(0).transpose());
    }
  zone.inner_factor       = inner_factor(cone);
  zone.smallest_dilatancy = n > 0 ? smallest.minCoeff() : 1.;
  if (cone.type == ConeType::circular)
    zone.tensors = circular_tensors(mesh.dim());
  else if (n > 0 && largest.maxCoeff() == 0.) // all inequalities are the same
    {
      const Eigen::MatrixXd axes = Eigen::MatrixXd::Identity(mesh.dim(), mesh.dim());
      zone.directions            = Eigen::Map<const Vector>(axes.data(), axes.size());
    }
  const bool uniform   = n > 0 && largest.maxCoeff() == smallest.minCoeff();
  zone.dilatancy       = uniform ? Vector(largest.head(1)) : largest;
  zone.least_dilatancy = uniform ? Vector(largest.head(1)) : smallest;
}

/// Whether some of the directions on a simplex are not at right angles.
bool is_skew(const DirectionalZone &zone)
{
  for (Index t = 0; t < zone.directions.cols(); ++t)
    {
      const Eigen::MatrixXd products = zone.directions_of(t).transpose() * zone.directions_of(t);
      if ((products - Eigen::MatrixXd::Identity(zone.K, zone.K)).lpNorm<Eigen::Infinity>() > 1e-6)
        return true;
    }
  return false;
}

/// Whether all sides of the box have walls that hold a part of the zone.
bool is_closed(const DirectionalZone &zone)
{
  int n_walls = 0;
  for (int side = 0; side < 2 * zone.dim(); ++side)
    n_walls += std::count(zone.side_of_facet.begin(), zone.side_of_facet.end(), side) > 0;
  return n_walls == 2 * zone.dim();
}

/// The wall on which a facet of the boundary lies, or -1.
int wall_of(const SimplexZone &zone, const Facet &facet, const BoxGrid &grid, const Sides &walls)
{
  for (int side = 0; side < 2 * grid.dim; ++side)
    {
      const int    axis     = side / 2;
      const double position = grid.lower(axis) + (side % 2 == 0 ? 0. : static_cast<double>(grid.n[axis]) * grid.h(axis));
      bool         on_it    = walls[side];
      for (int i = 0; on_it && i <= grid.dim; ++i)
        on_it = i == facet.opposite ||
                std::abs(zone.mesh.points(axis, zone.mesh.simplices(i, facet.simplex)) - position) < 1e-6 * grid.h(axis);
      if (on_it)
        return side;
    }
  return -1;
}
} // namespace

SimplexMatrix DirectionalZone::gradient(const Vector &v, const Index simplex) const
{
  const auto    g      = zone.gradients_of(simplex);
  SimplexMatrix result = SimplexMatrix::Zero(dim(), dim());
  for (int i = 0; i <= dim(); ++i)
    result += v.segment(dim() * zone.mesh.simplices(i, simplex), dim()) * g.col(i).transpose();
  if (mean_gradient.size() > 0)
    result += mean_gradient;
  return result;
}

Vector DirectionalZone::derivatives(const Vector &v, const Index simplex) const
{
  const SimplexMatrix D = gradient(v, simplex);
  if (is_circular())
    return Vector::NullaryExpr(K, [&](const Index k) { return tensors[k].cwiseProduct(D).sum(); });
  const auto   e     = directions_of(simplex);
  const Vector along = (e.array() * (D * e).array()).colwise().sum();
  return smallest_dilatancy * along.array() + (1. - smallest_dilatancy) / dim() * D.trace();
}

double DirectionalZone::smallest_derivative(const Vector &v, const Index simplex) const
{
  if (!is_dilatant())
    return derivatives(v, simplex).minCoeff();
  const SimplexMatrix D = gradient(v, simplex);
  const double        s = dilatancy_of(simplex);
  if (is_circular())
    return circular_margin(D, s);
  Eigen::SelfAdjointEigenSolver<SimplexMatrix> principal(.5 * (D + D.transpose()), Eigen::EigenvaluesOnly);
  return (1. - s) / dim() * D.trace() + s * principal.eigenvalues()(0);
}

bool DirectionalZone::same_lattice(const Facet &facet) const
{
  if (directions.cols() == 1)
    return true;
  return distance(directions_of(facet.simplex), directions_of(facet.neighbour)) <= parallel;
}

Crossing DirectionalZone::crossing(const std::size_t f, const int k, const bool of_neighbour) const
{
  const Facet &facet = zone.facets[f];
  const Vector n     = zone.normal(facet);
  const Vector force = applied(of_neighbour ? facet.neighbour : facet.simplex, k, n); // of p_k = 1
  if (force.norm() < parallel)
    return Crossing::free;
  if (facet.neighbour >= 0)
    return same_lattice(facet) ? Crossing::free : Crossing::tied;
  if (side_of_facet[f] < 0)
    return Crossing::zero;
  return (force - force.dot(n) * n).norm() < parallel ? Crossing::free : Crossing::tied;
}

DirectionalZone directional_zone(const SimplexMesh &mesh, const std::vector<char> &saturated, const Cone &cone,
                                 const BoxGrid &grid, const Sides &walls, const Eigen::MatrixXd &mean_gradient)
{
  DirectionalZone zone;
  zone.mean_gradient = mean_gradient;
  zone.zone          = simplex_zone(mesh, saturated);
  zone.directions    = directions_on(zone.zone.mesh, cone);
  zone.length        = std::pow(grid.cell_volume(), 1. / grid.dim);
  if (has_dilatancy(cone.type))
    set_dilatancies(zone, cone);
  zone.K         = static_cast<int>(zone.directions.rows()) / grid.dim;
  zone.variation = variation(zone.zone.mesh, cone, zone.directions);
  zone.side_of_facet.reserve(zone.zone.facets.size());
  for (const Facet &facet : zone.zone.facets)
    zone.side_of_facet.push_back(
        static_cast<signed char>(facet.neighbour >= 0 ? -1 : wall_of(zone.zone, facet, grid, walls)));
  zone.locks = cone.type == ConeType::directions && is_closed(zone) && is_skew(zone);
  std::vector<char> same;
  for (const Facet &facet : zone.zone.facets)
    same.push_back(facet.neighbour >= 0 && zone.same_lattice(facet));
  zone.grains = torn_apart(zone.zone.mesh, zone.zone.facets, same);
  return zone;
}

std::vector<std::pair<int, int>> nodes_on_walls(const DirectionalZone &zone)
{
  std::vector<std::pair<int, int>> result;
  for (std::size_t f = 0; f < zone.zone.facets.size(); ++f)
    if (const int side = zone.side_of_facet[f]; side >= 0)
      for (int i = 0; i <= zone.dim(); ++i)
        if (i != zone.zone.facets[f].opposite)
          result.emplace_back(zone.zone.mesh.simplices(i, zone.zone.facets[f].simplex), side);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

namespace
{
/// Of each part a point c, in the middle, but behind a wall, near to it so that a repair does little work against its
/// impulse; and the walls that hold it.
struct Centres
{
  Eigen::MatrixXd    points; ///< dim x n_parts
  std::vector<Sides> walls;

  explicit Centres(const DirectionalZone &zone) : walls(zone.zone.n_parts, Sides{})
  {
    const int       dim    = zone.dim();
    const auto     &points = zone.zone.mesh.points;
    const auto     &part   = zone.zone.part_of_node;
    Eigen::MatrixXd lower  = Eigen::MatrixXd::Constant(dim, zone.zone.n_parts, std::numeric_limits<double>::infinity());
    Eigen::MatrixXd upper  = -lower;
    for (Index i = 0; i < points.cols(); ++i)
      {
        lower.col(part[i]) = lower.col(part[i]).cwiseMin(points.col(i));
        upper.col(part[i]) = upper.col(part[i]).cwiseMax(points.col(i));
      }
    this->points = .5 * (lower + upper);
    for (const auto &[node, side] : nodes_on_walls(zone))
      {
        const int axis = side / 2, of_node = part[node];
        walls[of_node][side] = true;
        this->points(axis, of_node) =
            side % 2 == 0 ? lower(axis, of_node) - zone.length : upper(axis, of_node) + zone.length;
      }
  }

  bool is_held(const int part, const int axis) const { return walls[part][2 * axis] && walls[part][2 * axis + 1]; }
};

/// Coefficients of x - c, 0 along axes that are held or repeat themselves.
Vector from_centres(const DirectionalZone &zone, const Centres &centres)
{
  const int   dim  = zone.dim();
  const auto &mesh = zone.zone.mesh;
  Vector      w    = Vector::Zero(mesh.points.size());
  for (Index i = 0; i < mesh.points.cols(); ++i)
    for (int axis = 0; axis < dim; ++axis)
      {
        const int  part    = zone.zone.part_of_node[i];
        const bool repeats = mesh.period.size() > 0 && mesh.period(axis) > 0.;
        if (!repeats && !centres.is_held(part, axis))
          w(dim * i + axis) = mesh.points(axis, i) - centres.points(axis, part);
      }
  return w;
}
} // namespace

Eigen::MatrixXd expansion_centres(const DirectionalZone &zone)
{
  Centres centres(zone);
  if (zone.zone.mesh.period.size() > 0)
    return {};
  for (int part = 0; part < zone.zone.n_parts; ++part)
    for (int axis = 0; axis < zone.dim(); ++axis)
      if (centres.is_held(part, axis))
        return {};
  return std::move(centres.points);
}

Vector nodal_expansion(const DirectionalZone &zone)
{
  const Centres centres(zone);
  const int     dim = zone.dim();
  if (zone.zone.mesh.period.size() > 0)
    return {};
  for (int part = 0; part < zone.zone.n_parts; ++part)
    {
      int n_open = 0;
      for (int axis = 0; axis < dim; ++axis)
        n_open += !centres.is_held(part, axis);
      const double r = n_open, s = zone.dilatancy.maxCoeff();
      if (n_open < dim && !(zone.is_circular() && r > 1.001 * s * std::sqrt((dim - 1.) * r * (dim - r))))
        return {};
    }
  return from_centres(zone, centres);
}

Vector open_expansion(const DirectionalZone &zone)
{
  const Vector w = from_centres(zone, Centres(zone));
  return w.isZero(0.) ? Vector() : w;
}
} // namespace moreau::macro
