// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattice_discretizations.h"

#include "convex/certificate.h"
#include "convex/input_error.h"
#include "convex/solvers/make_projector.h"
#include "geometry/fill_picture.h"
#include "macro/directional/aligned_grid.h"
#include "macro/directional/velocity_on_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::macro
{
namespace
{
constexpr double part_of_spacing = 1e-6; // of the spacing

/// The sites r(x, y, z) = origin + d/√2 R (x, y, z), x + y + z even, that lie in the zone; R turns the lattice.
class Sites
{
public:
  explicit Sites(const Setting &setting)
      : d(1. / setting.mesh.cells_per_unit_length), e(setting.cone.directions), origin(setting.domain.lower.array() + .5 * d)
  {
    // (1,±1,0)/√2 and (1,0,±1)/√2 give the axes back
    R.col(0) = std::sqrt(.5) * (e.col(0) + e.col(1));
    R.col(1) = std::sqrt(.5) * (e.col(0) - e.col(1));
    R.col(2) = std::sqrt(.5) * (e.col(2) - e.col(3));
    collect(setting);
  }

  Index           size() const { return static_cast<Index>(sites.size()); }
  double          spacing() const { return d; }
  Eigen::Vector3d position(const std::array<int, 3> &site) const
  {
    return origin + std::sqrt(.5) * d * (R * Eigen::Vector3d(site[0], site[1], site[2]));
  }
  Eigen::MatrixXd positions() const
  {
    Eigen::MatrixXd x(3, size());
    for (Index k = 0; k < size(); ++k)
      x.col(k) = position(sites[k]);
    return x;
  }

  /// Pairs of neighbours whose middle is saturated, direction after direction; then nodes at walls.
  std::shared_ptr<const convex::PairConstraint> constraint(const Setting &setting) const
  {
    constexpr int steps[6][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
    std::vector<convex::PairConstraint::Pair> pairs;
    std::vector<Eigen::Vector3d>              directions;
    for (int k = 0; k < 6; ++k)
      {
        std::vector<convex::PairConstraint::Pair> neighbours;
        for (Index q = 0; q < size(); ++q)
          {
            const auto &s         = sites[q];
            const int   neighbour = node({s[0] + steps[k][0], s[1] + steps[k][1], s[2] + steps[k][2]});
            if (neighbour != none)
              neighbours.push_back({static_cast<int>(q), neighbour});
          }
        Eigen::MatrixXd middle(3, neighbours.size());
        for (std::size_t c = 0; c < neighbours.size(); ++c)
          middle.col(c) = .5 * (position(sites[neighbours[c].i]) + position(sites[neighbours[c].j]));
        const std::vector<char> saturated = saturated_at(setting.domain, middle);
        for (std::size_t c = 0; c < neighbours.size(); ++c)
          if (saturated[c])
            {
              pairs.push_back(neighbours[c]);
              directions.push_back(e.col(k));
            }
      }
    for (int side = 0; side < 6; ++side)
      if (setting.domain.walls[side])
        for (Index q = 0; q < size(); ++q)
          if (distance(setting, sites[q], side) <= (.5 + part_of_spacing) * d)
            {
              pairs.push_back({static_cast<int>(q), convex::PairConstraint::fixed_body});
              directions.push_back((side % 2 ? 1. : -1.) * Eigen::Vector3d::Unit(side / 2));
            }
    Eigen::MatrixXd columns(3, directions.size());
    for (std::size_t c = 0; c < directions.size(); ++c)
      columns.col(c) = directions[c];
    return std::make_shared<convex::PairConstraint>(3, size(), std::move(pairs), std::move(columns));
  }

  /// Throws where the layer of sites nearest to a wall is no plane at half a spacing from it.
  void check_walls(const Setting &setting) const
  {
    static const std::string names[] = {"left", "right", "bottom", "top", "back", "front"};
    for (int side = 0; side < 6; ++side)
      {
        if (!setting.domain.walls[side])
          continue;
        const bool plane = side / 2 == 2 || std::abs(std::remainder(setting.cone.lattice_angle, 45.)) <= 1e-9;
        double     gap   = std::numeric_limits<double>::infinity();
        for (const auto &site : sites)
          gap = std::min(gap, distance(setting, site, side));
        if (!plane || !sites.empty() && std::abs(gap - .5 * d) > part_of_spacing * d)
          throw InputError("the walls", "The wall '" + names[side] +
                                            "' is no plane half a spacing from a layer of the lattice; choose the box and "
                                            "'Mesh/Cells per unit length' so that it is, or set 'Mesh/Alignment = box'.");
      }
  }

  /// Whether a point belongs to the cell of a site: is nearest to it.
  bool covers(const Vector &x) const
  {
    const Eigen::Vector3d s = std::sqrt(2.) / d * (R.transpose() * (x - origin)), whole = s.array().round();
    std::array<int, 3>    site = {static_cast<int>(whole(0)), static_cast<int>(whole(1)), static_cast<int>(whole(2))};
    if ((site[0] + site[1] + site[2]) % 2 != 0)
      {
        // the nearest point of odd sum is no site: the coordinate that was rounded most goes the other way
        Index a = 0;
        (s - whole).cwiseAbs().maxCoeff(&a);
        site[a] += s(a) > whole(a) ? 1 : -1;
      }
    return node(site) != none;
  }

  /// Σ w u over the sites that x lies between, divided by the sum of the weights w of those that exist. Tetrahedra between
  /// four sites touch octahedra between six; w is linear on tetrahedra, and on the eighths of an octahedron around its
  /// centre, where all six weigh the same. That is, the cubes [i, i+1] x [j, j+1] x [k, k+1] consist of a tetrahedron, with
  /// every second corner, and of a corner piece at each of the others. Where
  /// none of these sites exists it is the u of the nearest site.
  Reach interpolate(const Vector &u, const double *const x, double *const v) const
  {
    const Eigen::Vector3d s = std::sqrt(2.) / d * (R.transpose() * (Eigen::Vector3d(x[0], x[1], x[2]) - origin));
    for (int a = 0; a < 3; ++a)
      if (!(s(a) > first[a] - 2. && s(a) < first[a] + count[a] + 2.))
        return Reach::away;
    const std::array<int, 3> corner = {static_cast<int>(std::floor(s(0))), static_cast<int>(std::floor(s(1))),
                                       static_cast<int>(std::floor(s(2)))};
    Mean                     mean;
    add_around(u, corner, s - Eigen::Vector3d(corner[0], corner[1], corner[2]), mean);
    Reach where = mean.weight >= 1. - part_of_spacing ? Reach::on_mesh : Reach::beside;
    if (!(mean.weight > 0.))
      where = add_nearest(u, corner, s, mean);
    if (where != Reach::away)
      for (int a = 0; a < 3; ++a)
        v[a] = mean.sum(a) / mean.weight;
    return where;
  }

private:
  static constexpr int none = -1;

  struct Mean
  {
    Eigen::Vector3d sum    = Eigen::Vector3d::Zero();
    double          weight = 0.;
  };

  /// Number of a site; none where it does not belong to the zone.
  int node(const std::array<int, 3> &s) const
  {
    for (int a = 0; a < 3; ++a)
      if (s[a] < first[a] || s[a] >= first[a] + count[a])
        return none;
    return number[place(s)];
  }

  /// Sites of a row have x of one parity only.
  std::size_t place(const std::array<int, 3> &s) const
  {
    const std::size_t row = (s[1] - first[1]) + static_cast<std::size_t>(count[1]) * (s[2] - first[2]);
    return (s[0] - first[0]) / 2 + (count[0] / 2 + 1) * row;
  }

  void add(const Vector &u, const std::array<int, 3> &site, const double weight, Mean &mean) const
  {
    const int q = weight > 0. ? node(site) : none;
    if (q == none)
      return;
    mean.sum += weight * u.segment<3>(3 * static_cast<Index>(q));
    mean.weight += weight;
  }

  /// What the sites around a point of the cube from this corner contribute, y in [0,1]³.
  void add_around(const Vector &u, const std::array<int, 3> &corner, const Eigen::Vector3d &y, Mean &mean) const
  {
    const bool odd = (corner[0] + corner[1] + corner[2]) % 2 != 0;
    // an eighth of an octahedron; z: distances from its centre along the axes
    for (int c = 0; c < 8; ++c)
      {
        const std::array<int, 3> up = {c & 1, c >> 1 & 1, c >> 2 & 1};
        if (((up[0] + up[1] + up[2]) % 2 != 0) == odd)
          continue;
        Eigen::Vector3d z;
        for (int a = 0; a < 3; ++a)
          z(a) = up[a] ? 1. - y(a) : y(a);
        if (z.sum() >= 1.)
          continue;
        const std::array<int, 3> centre = {corner[0] + up[0], corner[1] + up[1], corner[2] + up[2]};
        for (int a = 0; a < 3; ++a)
          for (const int side : {-1, 1})
            {
              std::array<int, 3> site = centre;
              site[a] += side;
              add(u, site, (1. - z.sum()) / 6. + (side == (up[a] ? -1 : 1) ? z(a) : 0.), mean);
            }
        return;
      }
    // the tetrahedron of the other corners
    for (int c = 0; c < 8; ++c)
      {
        const std::array<int, 3> up = {c & 1, c >> 1 & 1, c >> 2 & 1};
        if (((up[0] + up[1] + up[2]) % 2 != 0) != odd)
          continue;
        double away = 0.;
        for (int a = 0; a < 3; ++a)
          away += up[a] ? 1. - y(a) : y(a);
        add(u, {corner[0] + up[0], corner[1] + up[1], corner[2] + up[2]}, 1. - .5 * away, mean);
      }
  }

  /// The site nearest to s, around a corner of its cube.
  Reach add_nearest(const Vector &u, const std::array<int, 3> &corner, const Eigen::Vector3d &s, Mean &mean) const
  {
    double             least   = std::numeric_limits<double>::infinity();
    std::array<int, 3> nearest = corner, site;
    for (site[2] = corner[2] - 2; site[2] <= corner[2] + 3; ++site[2])
      for (site[1] = corner[1] - 2; site[1] <= corner[1] + 3; ++site[1])
        for (site[0] = corner[0] - 2; site[0] <= corner[0] + 3; ++site[0])
          {
            const double squared = (s - Eigen::Vector3d(site[0], site[1], site[2])).squaredNorm();
            if (squared < least && (site[0] + site[1] + site[2]) % 2 == 0 && node(site) != none)
              {
                least   = squared;
                nearest = site;
              }
          }
    const Reach where = reach(std::sqrt(.5 * least));
    if (where != Reach::away)
      add(u, nearest, 1., mean);
    return where;
  }

  double distance(const Setting &setting, const std::array<int, 3> &site, const int side) const
  {
    const double x = position(site)(side / 2);
    return side % 2 ? setting.domain.upper(side / 2) - x : x - setting.domain.lower(side / 2);
  }

  void collect(const Setting &setting)
  {
    const Eigen::Vector3d extent = setting.domain.upper - setting.domain.lower;
    Eigen::Vector3d       low = Eigen::Vector3d::Zero(), high = low;
    for (int corner = 0; corner < 8; ++corner)
      {
        const Eigen::Vector3d x(corner & 1 ? extent(0) : 0., corner & 2 ? extent(1) : 0., corner & 4 ? extent(2) : 0.);
        const Eigen::Vector3d s = std::sqrt(2.) / d * (R.transpose() * x);
        low                     = low.cwiseMin(s);
        high                    = high.cwiseMax(s);
      }
    const Eigen::Vector3d size = high - low;
    if (!(size.prod() < std::numeric_limits<int>::max() && size.maxCoeff() < 1e5))
      throw InputError("the cells per unit length", "The lattice would have more than 1e9 sites; give a smaller number.");
    for (int a = 0; a < 3; ++a)
      {
        first[a] = static_cast<int>(std::floor(low(a))) - 1;
        count[a] = static_cast<int>(std::floor(high(a))) + 2 - first[a];
      }
    number.assign(static_cast<std::size_t>(count[0] / 2 + 1) * count[1] * count[2], none);
    for (int z = first[2]; z < first[2] + count[2]; ++z)
      {
        std::vector<std::array<int, 3>> layer;
        for (int y = first[1]; y < first[1] + count[1]; ++y)
          for (int x = first[0]; x < first[0] + count[0]; ++x)
            if ((x + y + z) % 2 == 0)
              layer.push_back({x, y, z});
        Eigen::MatrixXd r(3, layer.size());
        for (std::size_t k = 0; k < layer.size(); ++k)
          r.col(k) = position(layer[k]);
        const std::vector<char> saturated = saturated_at(setting.domain, r);
        for (std::size_t k = 0; k < layer.size(); ++k)
          if (saturated[k])
            {
              number[place(layer[k])] = static_cast<int>(sites.size());
              sites.push_back(layer[k]);
            }
      }
  }

  double                          d;
  Eigen::Matrix<double, 3, 6>     e;
  Eigen::Vector3d                 origin;
  Eigen::Matrix3d                 R;
  std::vector<std::array<int, 3>> sites;
  std::array<int, 3>              first, count; // of all (x, y, z) that may be sites
  std::vector<int>                number;       // by place()
};

class FaceCentredDiscretization : public Discretization
{
public:
  explicit FaceCentredDiscretization(const Setting &setting) : setting(setting), sites(setting)
  {
    sites.check_walls(setting);
    const double          mass = std::pow(sites.spacing(), 3) / std::sqrt(2.); // the volume of a site's cell
    const Eigen::MatrixXd x    = sites.positions();
    Eigen::MatrixXd       U(3, sites.size());
    if (sites.size() > 0)
      setting.U(x, U);
    const auto B     = sites.constraint(setting);
    impact.V         = std::make_shared<convex::DiagonalSpace>(Vector::Constant(sites.size(), mass), 3,
                                                       axes_with_walls(setting.domain.walls, 3));
    impact.B         = B;
    impact.U         = Eigen::Map<const Vector>(U.data(), U.size());
    impact.expansion = expansion_between_walls(*B, x, setting.domain);
  }

  const convex::ProjectionProblem &problem() const override { return impact; }

  std::unique_ptr<convex::ConeProjector> projector(const std::string               &solver,
                                                   const convex::StoppingCriterion &criterion) const override
  {
    return convex::make_projector(solver, criterion);
  }

  TotalBound total_bound(const convex::SaddlePoint &) const override
  {
    TotalBound bound;
    bound.remark =
        "No total bound is known for the face-centred cubic cone; the relative error bound is that of the lattice problem.";
    bound.indicator = Vector::Zero(sites.size());
    return bound;
  }

  /// Interpolates the velocities of the sites linearly between them: continuous, exact for linear velocities, turning with
  /// the lattice. Nothing bounds its distance from u. It is admissible along pairs of neighbours, on tetrahedra, and in the
  /// mean over every octahedron, but not everywhere in octahedra. Where some of the sites around a point are missing, on a
  /// strip along the boundary, those that exist stand for them.
  Field velocity(const convex::SaddlePoint &x) const override
  {
    bool       feasible = false;
    const auto u        = std::make_shared<const Vector>(convex::feasible_companion(impact, x.u, feasible));
    return velocity_on_mesh(
        setting, [this, u](const double *const at, double *const value) { return sites.interpolate(*u, at, value); });
  }

  Mesh fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;

  Motion outside() const override
  {
    return macro::outside(setting, [this](const Vector &x) { return sites.covers(x); });
  }

  std::string description() const override
  {
    return std::to_string(sites.size()) + " sites of the face-centred cubic lattice, " +
           std::to_string(impact.n_constraints()) + " pairs of neighbours; velocities at sites";
  }

  std::string remarks() const override
  {
    if (sites.size() == 0)
      return "No site is saturated: u = U everywhere.";
    return "The zone is that of the cells of the lattice's sites inside it; pictures show these sites, and elsewhere u = U.";
  }

private:
  Setting                   setting;
  Sites                     sites;
  convex::ProjectionProblem impact;
};

/// The sites as points. A site's p_k and derivatives are means over its neighbours along e_k, those beyond the zone counted
/// as 0.
Mesh FaceCentredDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const
{
  const Index n       = sites.size();
  Mesh        picture = continuum(CellType::vertex);
  picture.points      = three_components(sites.positions());
  for (Index k = 0; k < n; ++k)
    picture.connectivity.push_back(k);
  const auto  &B      = static_cast<const convex::PairConstraint &>(*impact.B);
  const double across = sites.spacing() * sites.spacing() / std::sqrt(2.); // of a line: the volume of a cell by its length d
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(6, n), slopes = p;
  for (Index c = 0, k = 0; c < B.n_constraints(); ++c)
    {
      const auto &[i, j] = B.pairs()[c];
      if (j == convex::PairConstraint::fixed_body)
        break;
      while (B.directions().col(c) != setting.cone.directions.col(k))
        ++k;
      const double slope = B.directions().col(c).dot(u_plus.segment<3>(3 * j) - u_plus.segment<3>(3 * i)) / sites.spacing();
      for (const int node : {i, j})
        {
          p(k, node) += .5 * x.p(c) / across;
          slopes(k, node) += .5 * slope;
        }
    }
  const Eigen::Map<const Eigen::MatrixXd> u(u_plus.data(), 3, n), U(impact.U.data(), 3, n);
  picture.cell_data = list_of(vectors_of("U", "m/s", U), vectors_of("u", "m/s", u), array_of("p", "m^2/s", p),
                              array_of("directional_derivatives", "1/s", slopes),
                              array_of("active", "", (p.array() > 0.).cast<double>().matrix()),
                              array_of("density", "", Eigen::MatrixXd::Ones(1, n)),
                              array_of("error_indicator", "m^5/s^2", bound.indicator.transpose()));
  return picture;
}
} // namespace

std::unique_ptr<Discretization> face_centred_discretization(const Setting &setting)
{
  return std::make_unique<FaceCentredDiscretization>(setting);
}
} // namespace moreau::macro
