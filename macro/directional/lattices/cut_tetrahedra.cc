// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/lattices/cut_tetrahedra.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace moreau::macro
{
namespace
{
using Corner = Eigen::Vector4d; // barycentric

constexpr double inside_by = 1e-6; // towards the centre

/// A tetrahedron divided into n³ of the same volume: those that the orders of three coordinates cut out of cubes (Kuhn),
/// with x >= y >= z everywhere.
struct Division
{
  std::vector<Corner>             vertices;
  std::vector<std::array<int, 4>> parts;
  std::vector<std::array<int, 6>> edges_of_part; ///< between vertices (0,1), (0,2), (0,3), (1,2), (1,3), (2,3)
  std::vector<std::array<int, 2>> edges;

  explicit Division(const int n)
  {
    std::map<std::array<int, 3>, int> number;
    for (int x = 0; x <= n; ++x)
      for (int y = 0; y <= x; ++y)
        for (int z = 0; z <= y; ++z)
          {
            number[{x, y, z}] = static_cast<int>(vertices.size());
            vertices.push_back(Corner(n - x, x - y, y - z, z) / static_cast<double>(n));
          }
    for (const auto &entry : number)
      {
        std::array<int, 3> axes = {0, 1, 2};
        do
          {
            std::array<int, 3> at   = entry.first;
            std::array<int, 4> part = {entry.second, -1, -1, -1};
            bool               all  = true;
            for (int step = 0; step < 3; ++step)
              {
                ++at[axes[step]];
                const auto found = number.find(at);
                all              = all && found != number.end();
                part[step + 1]   = found == number.end() ? -1 : found->second;
              }
            if (all)
              parts.push_back(part);
        } while (std::next_permutation(axes.begin(), axes.end()));
      }
    std::map<std::pair<int, int>, int> known;
    for (const std::array<int, 4> &part : parts)
      {
        edges_of_part.emplace_back();
        for (int i = 0, edge = 0; i < 4; ++i)
          for (int j = i + 1; j < 4; ++j, ++edge)
            {
              const std::pair<int, int> ends = std::minmax(part[i], part[j]);
              const auto [place, is_new]     = known.try_emplace(ends, static_cast<int>(edges.size()));
              if (is_new)
                edges.push_back({ends.first, ends.second});
              edges_of_part.back()[edge] = place->second;
            }
      }
  }
};

const Division &fine_division()
{
  static const Division division(4);
  return division;
}

const Division &coarse_division()
{
  static const Division division(2);
  return division;
}

double volume_of(const Corner &a, const Corner &b, const Corner &c, const Corner &d)
{
  Eigen::Matrix4d columns;
  columns << a, b, c, d;
  return std::abs(columns.determinant());
}

using Piece = std::array<Corner, 4>; ///< a tetrahedron in another one

/// Passes on, corner by corner, what is left of a tetrahedron where those of its vertices are in that `in` says.
///   v(i)       vertex i
///   end(i, j)  where the edge from i, which is in, to j, which is not, is cut
template <class In, class V, class End, class Add>
void clip(const In &in, const V &v, const End &end, const Add &add)
{
  const auto add_prism = [&](const std::array<Corner, 3> &a, const std::array<Corner, 3> &b) {
    add({a[0], a[1], a[2], b[2]});
    add({a[0], a[1], b[1], b[2]});
    add({a[0], b[0], b[1], b[2]});
  };
  std::array<int, 4> order = {0, 1, 2, 3}; // those in first
  std::stable_partition(order.begin(), order.end(), in);
  const auto [a, b, c, d] = order;
  switch (std::count_if(order.begin(), order.end(), in))
    {
      case 1:
        add({v(a), end(a, b), end(a, c), end(a, d)});
        break;
      case 2:
        add_prism({v(a), end(a, c), end(a, d)}, {v(b), end(b, c), end(b, d)});
        break;
      case 3:
        add_prism({v(a), v(b), v(c)}, {end(a, d), end(b, d), end(c, d)});
        break;
      case 4:
        add({v(0), v(1), v(2), v(3)});
        break;
      default:
        break;
    }
}

/// What the half-space where a linear function is >= 0 leaves of tetrahedra; f: its values at the corners of the whole one.
std::vector<Piece> clipped_by_plane(const std::vector<Piece> &pieces, const Corner &f)
{
  std::vector<Piece> left;
  for (const Piece &piece : pieces)
    {
      const auto value = [&](const int i) { return f.dot(piece[i]); };
      clip([&](const int i) { return value(i) >= 0.; }, [&](const int i) { return piece[i]; },
           [&](const int i, const int j) {
             return Corner((value(i) * piece[j] - value(j) * piece[i]) / (value(i) - value(j)));
           },
           [&](const Piece &part) {
             if (volume_of(part[0], part[1], part[2], part[3]) > 0.)
               left.push_back(part);
           });
    }
  return left;
}

/// How far the corners of a tetrahedron are within a side of the box (m), 0 up to rounding; side = 2 axis + (0 lower, 1
/// upper).
Corner within_side(const Domain &domain, const Tetrahedron &corners, const int side)
{
  const double slack = 1e-9 * (domain.upper - domain.lower).maxCoeff();
  const int    axis  = side / 2;
  Corner       f     = side % 2 == 0 ? Corner(corners.row(axis).array() - domain.lower(axis))
                                     : Corner(domain.upper(axis) - corners.row(axis).array());
  return (f.array().abs() <= slack).select(0., f);
}

/// What is saturated of one tetrahedron as seen by a division of it, or of each piece that the sides of the box leave of it:
/// of these nothing is overlooked.
class ClippedTetrahedron
{
public:
  ClippedTetrahedron(const Domain &domain, const Tetrahedron &corners, const Division &division)
      : domain(domain), corners(corners), division(division)
  {
    std::vector<Piece> pieces(1, {Corner::Unit(0), Corner::Unit(1), Corner::Unit(2), Corner::Unit(3)});
    for (int side = 0; side < 6; ++side)
      if (const Corner f = within_side(domain, corners, side); f.minCoeff() < 0.)
        {
          pieces      = clipped_by_plane(pieces, f);
          part.is_cut = true;
        }
    for (const Piece &piece : pieces)
      if (part.is_cut && domain.uniform)
        add(piece);
      else
        divide(piece);
  }

  SimplexPart<3> part;
  double         volume = 0.; ///< relative

private:
  void divide(const Piece &piece)
  {
    centre = .25 * (piece[0] + piece[1] + piece[2] + piece[3]);
    vertices.clear();
    for (const Corner &at : division.vertices)
      vertices.push_back(at(0) * piece[0] + at(1) * piece[1] + at(2) * piece[2] + at(3) * piece[3]);
    in          = saturated(vertices);
    part.is_cut = part.is_cut || std::count(in.begin(), in.end(), 0) > 0;
    find_ends();
    for (std::size_t k = 0; k < division.parts.size(); ++k)
      {
        constexpr int             edge_between[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
        const std::array<int, 4> &vertex             = division.parts[k];
        const std::array<int, 6> &edge               = division.edges_of_part[k];
        clip([&](const int i) { return in[vertex[i]] != 0; }, [&](const int i) { return vertices[vertex[i]]; },
             [&](const int i, const int j) { return ends[edge[edge_between[i][j]]]; },
             [&](const Piece &left) { add(left); });
      }
  }

  std::vector<char> saturated(const std::vector<Corner> &at) const
  {
    Eigen::MatrixXd x(3, at.size());
    for (std::size_t k = 0; k < at.size(); ++k)
      x.col(static_cast<Index>(k)) = corners * (at[k] + inside_by * (centre - at[k]));
    return saturated_at(domain, x);
  }

  /// Where the boundary crosses edges of the parts, all at once.
  void find_ends()
  {
    constexpr int       halvings = 30;
    std::vector<int>    crossed;
    std::vector<Corner> inner, outer, middle;
    for (std::size_t e = 0; e < division.edges.size(); ++e)
      if (const auto [a, b] = division.edges[e]; in[a] != in[b])
        {
          crossed.push_back(static_cast<int>(e));
          inner.push_back(vertices[in[a] ? a : b]);
          outer.push_back(vertices[in[a] ? b : a]);
        }
    middle.resize(crossed.size());
    ends.resize(division.edges.size());
    for (int step = 0; step <= halvings; ++step)
      {
        for (std::size_t k = 0; k < crossed.size(); ++k)
          middle[k] = .5 * (inner[k] + outer[k]);
        if (step == halvings || crossed.empty())
          break;
        const std::vector<char> there = saturated(middle);
        for (std::size_t k = 0; k < crossed.size(); ++k)
          (there[k] ? inner : outer)[k] = middle[k];
      }
    for (std::size_t k = 0; k < crossed.size(); ++k)
      ends[crossed[k]] = middle[k];
  }

  void add(const Piece &piece)
  {
    constexpr double near = .585410196624968515, far = .138196601125010515; // degree 2
    const double     size = volume_of(piece[0], piece[1], piece[2], piece[3]);
    const Corner     sum  = piece[0] + piece[1] + piece[2] + piece[3];
    volume += size;
    if (size > 0.)
      for (const Corner &corner : piece)
        {
          part.points.push_back((near - far) * corner + far * sum);
          part.weights.push_back(.25 * size);
        }
  }

  const Domain       &domain;
  const Tetrahedron  &corners;
  const Division     &division;
  Corner              centre;   ///< of a piece
  std::vector<Corner> vertices; ///< of its division
  std::vector<char>   in;
  std::vector<Corner> ends; ///< by edge
};
} // namespace

bool is_cut_by_box(const Domain &domain, const Tetrahedron &corners)
{
  bool some_beyond = false;
  for (int side = 0; side < 6; ++side)
    {
      const Corner f = within_side(domain, corners, side);
      if (!(f.maxCoeff() > 0.))
        return false;
      some_beyond = some_beyond || f.minCoeff() < 0.;
    }
  return some_beyond;
}

const Eigen::Matrix4Xd &samples_of_tetrahedron()
{
  static const Eigen::Matrix4Xd samples = [] {
    const std::vector<Corner> &vertices = fine_division().vertices;
    Eigen::Matrix4Xd           points(4, vertices.size());
    for (std::size_t k = 0; k < vertices.size(); ++k)
      points.col(static_cast<Index>(k)) = vertices[k] + inside_by * (Corner::Constant(.25) - vertices[k]);
    return points;
  }();
  return samples;
}

std::vector<CutTetrahedron> cut_tetrahedra(const Setting &setting, const std::vector<Tetrahedron> &corners)
{
  const auto                  n = static_cast<Index>(corners.size());
  std::vector<CutTetrahedron> result(n);
  tbb::parallel_for(Index(0), n, [&](const Index k) {
    ClippedTetrahedron fine(setting.domain, corners[k], fine_division());
    if (fine.part.is_cut)
      {
        const double coarse = ClippedTetrahedron(setting.domain, corners[k], coarse_division()).volume;
        fine.part.error     = std::abs(fine.volume - coarse) / 3.; // of order 2
      }
    result[k] = measured<3>(setting, corners[k], fine.part);
  });
  return result;
}
} // namespace moreau::macro
