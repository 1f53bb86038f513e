// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_certificate.h"

#include "convex/with_dimension.h"

#include <algorithm>

namespace moreau::macro
{
namespace
{
constexpr int three_to(const int n) { return n == 0 ? 1 : 3 * three_to(n - 1); }

/// Coefficients of a polynomial of degree 2 in each of dim variables, Bernstein's or those of the monomials, axis 0 fastest.
template <int dim>
using Triples = std::array<double, three_to(dim)>;

/// f(a, b, c) changes the three coefficients in place, for all lines along all axes.
template <int dim, class F>
void for_triples(Triples<dim> &t, F &&f)
{
  for (int axis = 0, stride = 1; axis < dim; ++axis, stride *= 3)
    for (int slow = 0; slow < three_to(dim); slow += 3 * stride)
      for (int fast = slow; fast < slow + stride; ++fast)
        f(t[fast], t[fast + stride], t[fast + 2 * stride]);
}

/// b0 (1-x)² + 2 b1 x(1-x) + b2 x² in powers of x.
template <int dim>
void to_monomials(Triples<dim> &t)
{
  for_triples<dim>(t, [](double &a, double &b, double &c) {
    c = a - 2. * b + c;
    b = 2. * (b - a);
  });
}

/// On a line along axis 0: coefficients of the powers of x, of p and of its derivatives by the other variables.
template <int dim>
struct Line
{
  double p[3], dp[dim][3]; ///< dp[0] is not used

  /// c: monomials of p; the other variables are those of xi.
  Line(const double *const c, const double *const xi)
  {
    if constexpr (dim == 1)
      std::copy(c, c + 3, p);
    else
      {
        const Line<dim - 1> k0(c, xi), k1(c + three_to(dim - 1), xi), k2(c + 2 * three_to(dim - 1), xi);
        const double        z = xi[dim - 1];
        for (int i = 0; i < 3; ++i)
          {
            p[i]           = k0.p[i] + z * (k1.p[i] + z * k2.p[i]);
            dp[dim - 1][i] = k1.p[i] + 2. * z * k2.p[i];
            for (int axis = 1; axis < dim - 1; ++axis)
              dp[axis][i] = k0.dp[axis][i] + z * (k1.dp[axis][i] + z * k2.dp[axis][i]);
          }
      }
  }
};

/// Do two points differ in nothing but x?
template <int dim>
bool same_line(const double *const a, const double *const b)
{
  return std::equal(a + 1, a + dim, b + 1);
}

template <int dim>
class Spline : public BoxPressure
{
public:
  Spline(const BoxZone &zone, const CellArray &p, const FaceArrays &p_wall) : zone(zone), p(p)
  {
    for_own_cells(zone.grid, [&](const CellIndex &cell) {
      for (int side = 0; side < 2 * dim; ++side)
        if (zone(cell) && beyond_wall(cell, side))
          this->p(moved(cell, side / 2, side % 2 ? 1 : -1)) = p_wall(side / 2, moved(cell, side / 2, side % 2));
    });
    update_ghosts(this->p, zone.periodic);
    for (int k = 0; k < three_to(dim); ++k)
      {
        neighbour[k] = 0;
        for (int axis = 0, rest = k; axis < dim; ++axis, rest /= 3)
          neighbour[k] += (rest % 3 - 1) * p.stride(axis);
      }
  }

  void evaluate(const CellIndex &cell, const Eigen::MatrixXd &xi, Vector &value, Eigen::MatrixXd &gradient) const override
  {
    const Index n = xi.cols();
    value.resize(n);
    gradient.resize(dim, n);
    if (!zone(cell))
      {
        value.setZero();
        gradient.setZero();
        return;
      }
    Triples<dim> t = control_net(cell);
    to_monomials<dim>(t);
    double per_h[dim];
    for (int axis = 0; axis < dim; ++axis)
      per_h[axis] = 1. / zone.grid.h(axis);
    for (Index q = 0; q < n;)
      {
        // points of product rules come line by line
        const double *const first = xi.data() + dim * q;
        const Line<dim>     line(t.data(), first);
        for (; q < n && same_line<dim>(first, xi.data() + dim * q); ++q)
          {
            const double x = xi(0, q);
            // powers lose the sign of a sum of positive terms to rounding
            value(q)       = std::max(line.p[0] + x * (line.p[1] + x * line.p[2]), 0.);
            gradient(0, q) = per_h[0] * (line.p[1] + 2. * x * line.p[2]);
            for (int axis = 1; axis < dim; ++axis)
              gradient(axis, q) = per_h[axis] * (line.dp[axis][0] + x * (line.dp[axis][1] + x * line.dp[axis][2]));
          }
      }
  }

private:
  bool beyond_wall(const CellIndex &cell, const int side) const
  {
    const int axis = side / 2;
    return zone.walls[side] && cell[axis] == (side % 2 ? zone.grid.n[axis] - 1 : 0);
  }

  Triples<dim> control_net(const CellIndex &cell) const
  {
    Triples<dim> net;
    // most cells have only saturated neighbours, and means over 2^k cells are means along one axis after the other
    const Index centre = p.position(cell);
    bool        inside = true;
    for (int k = 0; k < three_to(dim); ++k)
      {
        inside = inside && zone.saturated[centre + neighbour[k]];
        net[k] = p.values(centre + neighbour[k]);
      }
    if (inside)
      for_triples<dim>(net, [](double &a, const double b, double &c) {
        a = .5 * (a + b);
        c = .5 * (b + c);
      });
    else
      for (int k = 0; k < three_to(dim); ++k)
        net[k] = coefficient(cell, k);
    return net;
  }

  /// Mean over the cells that meet at control point k of a cell, or 0 where one of them is not saturated. On a wall the
  /// place of a cell is taken by its wall face; where walls meet, by the linear continuation from cell and wall faces.
  double coefficient(const CellIndex &cell, const int k) const
  {
    std::array<int, dim>  to;
    std::array<bool, dim> on_wall;
    int                   n_walls = 0, n_cells = 1;
    for (int axis = 0, rest = k; axis < dim; ++axis, rest /= 3)
      {
        to[axis]      = rest % 3 - 1;
        on_wall[axis] = to[axis] != 0 && beyond_wall(cell, 2 * axis + (to[axis] > 0));
        n_walls += on_wall[axis];
        n_cells *= to[axis] != 0 && !on_wall[axis] ? 2 : 1;
      }
    double sum = 0.;
    for (int subset = 0; subset < n_cells; ++subset)
      {
        CellIndex at = cell;
        for (int axis = 0, rest = subset; axis < dim; ++axis)
          if (to[axis] != 0 && !on_wall[axis])
            {
              at[axis] += rest % 2 * to[axis];
              rest /= 2;
            }
        if (!zone(at))
          return 0.;
        double value = (1 - n_walls) * p(at);
        for (int axis = 0; axis < dim; ++axis)
          if (on_wall[axis])
            value += p(moved(at, axis, to[axis]));
        sum += std::max(value, 0.);
      }
    return sum / n_cells;
  }

  BoxZone                          zone;
  std::array<Index, three_to(dim)> neighbour; ///< positions relative to a cell's
  CellArray                        p;         ///< with the wall multipliers in the cells beyond the walls
};
} // namespace

std::unique_ptr<BoxPressure> spline_pressure(const BoxZone &zone, const CellArray &p, const FaceArrays &p_wall)
{
  return convex::with_dimension(zone.grid.dim, [&](const auto d) -> std::unique_ptr<BoxPressure> {
    return std::make_unique<Spline<d()>>(zone, p, p_wall);
  });
}
} // namespace moreau::macro
