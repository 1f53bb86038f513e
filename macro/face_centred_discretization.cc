// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/lattice_discretizations.h"

#include "convex/input_error.h"
#include "macro/aligned_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace moreau::macro
{
namespace
{
constexpr double rounding = 1e-6; // of the spacing

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
            const auto &s     = sites[q];
            const auto  found = number.find(key({s[0] + steps[k][0], s[1] + steps[k][1], s[2] + steps[k][2]}));
            if (found != number.end())
              neighbours.push_back({static_cast<int>(q), found->second});
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
          if (distance(setting, sites[q], side) <= (.5 + rounding) * d)
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
        if (!plane || !sites.empty() && std::abs(gap - .5 * d) > rounding * d)
          throw InputError("Zone/Walls", "The wall '" + names[side] +
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
    return number.count(key(site)) > 0;
  }

private:
  static long long key(const std::array<int, 3> &s)
  {
    constexpr long long range = 1 << 20;
    return (s[0] + range / 2) + range * ((s[1] + range / 2) + range * (s[2] + range / 2));
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
      throw InputError("Mesh/Cells per unit length", "The lattice would have more than 1e9 sites; give a smaller number.");
    const int a = static_cast<int>(std::floor(low(0))) - 1, b = static_cast<int>(std::floor(low(1))) - 1;
    for (int z = static_cast<int>(std::floor(low(2))) - 1; z <= high(2) + 1.; ++z)
      {
        std::vector<std::array<int, 3>> layer;
        for (int y = b; y <= high(1) + 1.; ++y)
          for (int x = a; x <= high(0) + 1.; ++x)
            if ((x + y + z) % 2 == 0)
              layer.push_back({x, y, z});
        Eigen::MatrixXd r(3, layer.size());
        for (std::size_t k = 0; k < layer.size(); ++k)
          r.col(k) = position(layer[k]);
        const std::vector<char> saturated = saturated_at(setting.domain, r);
        for (std::size_t k = 0; k < layer.size(); ++k)
          if (saturated[k])
            {
              number.emplace(key(layer[k]), static_cast<int>(sites.size()));
              sites.push_back(layer[k]);
            }
      }
  }

  double                             d;
  Eigen::Matrix<double, 3, 6>        e;
  Eigen::Vector3d                    origin;
  Eigen::Matrix3d                    R;
  std::vector<std::array<int, 3>>    sites;
  std::unordered_map<long long, int> number;
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

  FieldMesh fields(const convex::SaddlePoint &x, const Vector &u_plus, const TotalBound &bound) const override;

  double energy_outside() const override
  {
    return macro::energy_outside(setting, [this](const Vector &x) { return sites.covers(x); });
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
FieldMesh FaceCentredDiscretization::fields(const convex::SaddlePoint &x, const Vector &u_plus,
                                            const TotalBound &bound) const
{
  const Index n = sites.size();
  FieldMesh   field;
  field.dim    = 3;
  field.shape  = CellShape::vertex;
  field.points = sites.positions();
  for (Index k = 0; k < n; ++k)
    field.cells.push_back(k);
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
  field.cell_data = {{"U", "m/s", U},
                     {"u", "m/s", u},
                     {"p", "m^2/s", p},
                     {"directional_derivatives", "1/s", slopes},
                     {"active", "1", (p.array() > 0.).cast<double>()},
                     {"density", "1", Eigen::MatrixXd::Ones(1, n)},
                     {"error_indicator", "m^5/s^2", bound.indicator.transpose()}};
  return field;
}
} // namespace

std::unique_ptr<Discretization> face_centred_discretization(const Setting &setting)
{
  return std::make_unique<FaceCentredDiscretization>(setting);
}
} // namespace moreau::macro
