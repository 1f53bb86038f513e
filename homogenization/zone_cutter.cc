// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/zone_cutter.h"

#include "homogenization/outlines.h"
#include "homogenization/simplex_geometry.h"
#include "macro/saturated_cells.h"

#include <Eigen/Geometry>

#include <cmath>

namespace moreau::homogenization
{
namespace
{
/// Splits a simplex between its corners of state 1 and of state -1, at points that crossing(i, j) gives for the edge between
/// the corners i and j, and calls visit(simplex, state) for the parts. Corners of state 0 belong to both sides.
class Splitter
{
public:
  template <class Crossing, class Visit>
  static void split(const Simplex &simplex, const std::array<int, 4> &state, const Crossing &crossing, const Visit &visit)
  {
    split(simplex, state, {0, 1, 2, 3}, crossing, visit);
  }

private:
  /// name: which corner of the first simplex a corner is; those of state 0 need none.
  template <class Crossing, class Visit>
  static void split(const Simplex &simplex, const std::array<int, 4> &state, const std::array<int, 4> &name,
                    const Crossing &crossing, const Visit &visit)
  {
    const int n = static_cast<int>(simplex.cols());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (state[i] > 0 && state[j] < 0)
          {
            const Point x = crossing(name[i], name[j]);
            for (const int replaced : {i, j})
              {
                Simplex            part       = simplex;
                std::array<int, 4> part_state = state;
                part.col(replaced)            = x;
                part_state[replaced]          = 0;
                split(part, part_state, name, crossing, visit);
              }
            return;
          }
    visit(simplex, *std::max_element(state.begin(), state.begin() + n) > 0 ? 1 : -1);
  }
};

/// Position of the longest edge.
std::pair<int, int> longest_edge(const Simplex &simplex)
{
  std::pair<int, int> longest{0, 1};
  double              squared = 0.;
  for (int i = 0; i < simplex.cols(); ++i)
    for (int j = i + 1; j < simplex.cols(); ++j)
      if (const double length = (simplex.col(j) - simplex.col(i)).squaredNorm(); length > squared)
        {
          squared = length;
          longest = {i, j};
        }
  return longest;
}

double length(const Simplex &simplex, const std::pair<int, int> &edge)
{
  return (simplex.col(edge.second) - simplex.col(edge.first)).norm();
}

/// Twice the area vector of a triangle or of a quadrilateral given by its
/// diagonals, in dimension 3; its turn by 90° in dimension 2.
Point normal_vector(const std::array<Point, 4> &points, const int n_points)
{
  if (n_points == 1)
    return Point::Ones(1);
  if (n_points == 2)
    {
      const Point along = points[1] - points[0];
      Point       normal(2);
      normal << along(1), -along(0);
      return normal;
    }
  const Eigen::Vector3d a = points[2] - points[0], b = (n_points == 3 ? points[1] - points[0] : points[3] - points[1]);
  return a.cross(b);
}
} // namespace

ZoneCutter::ZoneCutter(const macro::Domain &domain)
    : domain(domain)
    , dim(static_cast<int>(domain.lower.size()))
    , rounding(rounding_of_coordinates(domain))
    , x(dim, 1)
    , value(1, 1)
{}

bool ZoneCutter::inside(const Point &point)
{
  x.col(0) = point.cwiseMax(domain.lower).cwiseMin(domain.upper); // the density need not make sense elsewhere
  domain.density(x, value);
  return macro::is_saturated(value(0, 0)); // as macro::saturated_at, for one point without allocation
}

CutCell ZoneCutter::operator()(const Eigen::MatrixXd &simplices, const std::vector<Plane> &planes, const Effort &effort_)
{
  effort = effort_;
  size   = (simplices.rowwise().maxCoeff() - simplices.rowwise().minCoeff()).maxCoeff();
  // between samples half an edge apart, a boundary with a quarter of the box
  // as radius of curvature bulges by half the deviation
  lens_size      = 2. * std::sqrt(effort.max_deviation * (domain.upper - domain.lower).minCoeff());
  max_bisections = effort.is_first_look ? 0 : dim == 3 ? 15 : 20;
  bool is_done   = cut(simplices, planes) || (!planes.empty() && cut(simplices, {}));
  while (!is_done && max_bisections > 0)
    {
      max_bisections = std::max(max_bisections - dim, 0);
      is_done        = cut(simplices, {});
    }
  for (std::size_t k = 0; k < result.corners.size(); k += dim * (dim + 1))
    result.volume += std::abs(signed_volume(Eigen::Map<const Eigen::MatrixXd>(result.corners.data() + k, dim, dim + 1)));
  return std::move(result);
}

bool ZoneCutter::cut(const Eigen::MatrixXd &simplices, const std::vector<Plane> &planes)
{
  result       = CutCell();
  known_planes = planes;
  n_visited    = 0;
  for (Index k = 0; k < simplices.cols(); k += dim + 1)
    {
      const Simplex     simplex = simplices.middleCols(k, dim + 1);
      const std::size_t first   = result.corners.size();
      bool              whole   = true;
      for (const Simplex &part : split(simplex, planes))
        whole = refine(part, 0) && whole;
      if (whole)
        {
          result.corners.resize(first);
          add(simplex);
        }
      if (n_visited > effort.max_simplices)
        return false;
    }
  return true;
}

std::vector<Simplex> ZoneCutter::split(const Simplex &simplex, const std::vector<Plane> &planes) const
{
  const double         tolerance = std::max(1e-12 * size, rounding);
  std::vector<Simplex> parts{simplex}, split_parts;
  for (const Plane &plane : planes)
    {
      split_parts.clear();
      for (const Simplex &part : parts)
        {
          std::array<double, 4> distance{};
          std::array<int, 4>    state{};
          for (int c = 0; c <= dim; ++c)
            {
              distance[c] = plane.distance(part.col(c));
              state[c]    = distance[c] > tolerance ? 1 : distance[c] < -tolerance ? -1 : 0;
            }
          Splitter::split(
              part, state,
              [&](const int i, const int j) -> Point {
                return part.col(i) + distance[i] / (distance[i] - distance[j]) * (part.col(j) - part.col(i));
              },
              [&](const Simplex &piece, int) { split_parts.push_back(piece); });
        }
      parts.swap(split_parts);
      if (static_cast<Index>(parts.size()) > effort.max_simplices)
        break; // refine() finds out about the other planes, or gives up
    }
  return parts;
}

void ZoneCutter::add(const Simplex &simplex)
{
  result.corners.insert(result.corners.end(), simplex.data(), simplex.data() + simplex.size());
}

ZoneCutter::Samples ZoneCutter::sample(const Simplex &simplex)
{
  Samples      samples;
  const Point  centroid = simplex.rowwise().mean();
  const double diameter = length(simplex, longest_edge(simplex));
  // height over the largest face, about
  const double thickness = std::abs(signed_volume(simplex)) / std::pow(diameter, dim - 1);
  const double hair      = std::min(std::max(1e-12, 4. * rounding / thickness), .5);
  const auto   add       = [&](const Point &point) {
    samples.x[samples.n]  = point + hair * (centroid - point);
    samples.in[samples.n] = inside(samples.x[samples.n]);
    samples.n_in += samples.in[samples.n];
    ++samples.n;
  };
  for (int i = 0; i <= dim; ++i)
    add(simplex.col(i));
  add(centroid);
  for (int i = 0; i <= dim && dim > 1; ++i)
    for (int j = i + 1; j <= dim; ++j)
      add(.5 * (simplex.col(i) + simplex.col(j)));
  return samples;
}

bool ZoneCutter::refine(const Simplex &simplex, const int n_bisections)
{
  ++n_visited;
  const double volume = std::abs(signed_volume(simplex));
  if (volume <= 1e-15 * std::pow(size, dim))
    return true;
  const Samples             samples    = sample(simplex);
  const std::pair<int, int> edge       = longest_edge(simplex);
  const bool                may_bisect = n_bisections < max_bisections && n_visited <= effort.max_simplices;
  if (samples.n_in == 0 || samples.n_in == samples.n)
    {
      const bool in  = samples.n_in > 0;
      result.is_fine = result.is_fine && length(simplex, edge) <= lens_size;
      if (!(may_bisect && effort.look_for_lenses && length(simplex, edge) > lens_size && boundary_is_near(simplex, in)))
        {
          if (in)
            add(simplex);
          return in;
        }
    }
  else
    {
      result.boundary_seen   = true;
      const int n_corners_in = static_cast<int>(std::count(samples.in.begin(), samples.in.begin() + dim + 1, true));
      if (n_corners_in > 0 && n_corners_in <= dim)
        {
          const Facet facet = find_facet(simplex, samples);
          result.curved     = result.curved || !facet.is_plane;
          if (facet.deviation <= effort.max_deviation || !may_bisect)
            {
              result.is_fine = result.is_fine && facet.deviation <= effort.max_deviation;
              result.error += std::min(facet.deviation * facet.plane.measure, volume);
              add_inside(simplex, samples, facet);
              return false;
            }
        }
      else
        {
          result.curved = true;
          if (!may_bisect)
            {
              result.is_fine = false;
              result.error += volume;
              if (n_corners_in > 0)
                add(simplex);
              return false;
            }
        }
    }
  const std::size_t first = result.corners.size();
  bool              whole = true;
  for (const int replaced : {edge.first, edge.second})
    {
      Simplex half       = simplex;
      half.col(replaced) = .5 * (simplex.col(edge.first) + simplex.col(edge.second));
      whole              = refine(half, n_bisections + 1) && whole;
    }
  if (whole)
    {
      result.corners.resize(first);
      add(simplex);
    }
  return whole;
}

bool ZoneCutter::boundary_is_near(const Simplex &simplex, const bool in)
{
  constexpr double larger   = 1.2;
  const Point      centroid = simplex.rowwise().mean();
  for (int i = 0; i <= dim; ++i)
    for (int j = i; j <= dim; ++j)
      if (inside(centroid + larger * (.5 * (simplex.col(i) + simplex.col(j)) - centroid)) != in)
        return true;
  return false;
}

template <class Crossing>
ZoneCutter::Facet ZoneCutter::facet(const Simplex &simplex, const Samples &samples, const Crossing &crossing) const
{
  std::array<int, 4> in{}, out{};
  int                n_in = 0, n_out = 0;
  for (int i = 0; i <= dim; ++i)
    (samples.in[i] ? in[n_in++] : out[n_out++]) = i;
  Facet facet;
  for (int i = 0; i < n_in; ++i)
    for (int j = 0; j < n_out; ++j)
      {
        const bool backwards          = i % 2 == 1 && n_out > 1; // the four corners of a quadrilateral in order
        facet.crossing[in[i]][out[j]] = crossing(in[i], out[j]);
        facet.points[i * n_out + (backwards ? n_out - 1 - j : j)] = facet.crossing[in[i]][out[j]];
      }
  facet.n_points = n_in * n_out;
  facet.centre   = facet.points[0];
  for (int k = 1; k < facet.n_points; ++k)
    facet.centre += facet.points[k];
  facet.centre /= facet.n_points;

  Point outwards = Point::Zero(dim);
  for (int j = 0; j < n_out; ++j)
    outwards += simplex.col(out[j]) / n_out;
  for (int i = 0; i < n_in; ++i)
    outwards -= simplex.col(in[i]) / n_in;
  Point normal        = normal_vector(facet.points, facet.n_points);
  facet.plane.measure = normal.norm() / (dim == 3 ? 2. : 1.);
  // the boundary may do no more than touch a corner
  if (!(facet.plane.measure > std::pow(1e-10 * size, dim - 1)))
    normal = outwards;
  facet.plane.normal = (normal.dot(outwards) < 0. ? -1. : 1.) / normal.norm() * normal;
  facet.plane.offset = facet.plane.normal.dot(facet.centre);
  return facet;
}

Point ZoneCutter::crossing(Point in, Point out, const double tolerance)
{
  while ((out - in).cwiseAbs().maxCoeff() > tolerance)
    {
      const Point middle          = .5 * (in + out);
      (inside(middle) ? in : out) = middle;
    }
  return .5 * (in + out);
}

bool ZoneCutter::find_known_plane(const Simplex &simplex, const Samples &samples, Facet &found)
{
  const double narrow = 4. * rounding;
  for (const Plane &plane : known_planes)
    {
      std::array<double, 4> distance{};
      bool                  separates = true;
      for (int i = 0; i <= dim; ++i)
        {
          distance[i] = plane.distance(simplex.col(i));
          separates   = separates && (samples.in[i] ? distance[i] < 0. : distance[i] > 0.);
        }
      if (!separates)
        continue;
      found      = facet(simplex, samples, [&](const int i, const int j) -> Point {
        return simplex.col(i) + distance[i] / (distance[i] - distance[j]) * (simplex.col(j) - simplex.col(i));
      });
      bool holds = agree(found, samples, narrow) && lies_within(found, narrow);
      for (int k = 0; k < found.n_points && holds; ++k)
        holds = crosses(found, found.points[k], narrow);
      if (holds)
        return true;
    }
  return false;
}

bool ZoneCutter::crosses(const Facet &facet, const Point &point, const double distance)
{
  return inside(point - distance * facet.plane.normal) && !inside(point + distance * facet.plane.normal);
}

bool ZoneCutter::lies_within(const Facet &facet, const double distance)
{
  if (!crosses(facet, facet.centre, distance))
    return false;
  for (int k = 0; k < facet.n_points && dim > 1; ++k)
    if (std::abs(facet.plane.distance(facet.points[k])) > distance ||
        !crosses(facet, .5 * (facet.centre + facet.points[k]), distance))
      return false;
  return true;
}

bool ZoneCutter::agree(const Facet &facet, const Samples &samples, const double tolerance) const
{
  for (int k = 0; k < samples.n; ++k)
    if (const double distance = facet.plane.distance(samples.x[k]);
        std::abs(distance) > tolerance && (distance < 0.) != samples.in[k])
      return false;
  return true;
}

ZoneCutter::Facet ZoneCutter::find_facet(const Simplex &simplex, const Samples &samples)
{
  Facet found;
  if (find_known_plane(simplex, samples, found))
    {
      found.is_plane = true;
      return found;
    }
  const auto facet_within = [&](const double tolerance) {
    return facet(simplex, samples,
                 [&](const int i, const int j) { return crossing(simplex.col(i), simplex.col(j), tolerance); });
  };
  // first as exactly as a curved boundary deserves
  const double coarse = .01 * effort.max_deviation, fine = std::max(8. * rounding, 1e-11 * size);
  found = facet_within(coarse);
  if (agree(found, samples, effort.max_deviation))
    {
      if (lies_within(found, 4. * coarse))
        {
          found           = facet_within(.25 * rounding);
          found.is_plane  = agree(found, samples, fine) && lies_within(found, fine);
          found.deviation = found.is_plane ? 0. : 4. * coarse;
          if (found.is_plane)
            remember(found.plane);
          return found;
        }
      for (found.deviation = 8. * coarse; found.deviation < size; found.deviation *= 2.)
        if (lies_within(found, found.deviation))
          return found;
    }
  found.deviation = size;
  return found;
}

void ZoneCutter::add_inside(const Simplex &simplex, const Samples &samples, const Facet &facet)
{
  std::array<int, 4> state{};
  for (int i = 0; i <= dim; ++i)
    state[i] = samples.in[i] ? 1 : -1;
  Splitter::split(
      simplex, state, [&](const int i, const int j) { return facet.crossing[i][j]; },
      [&](const Simplex &part, const int side) {
        if (side > 0 && std::abs(signed_volume(part)) > 1e-16 * std::pow(size, dim))
          add(part);
      });
}

void ZoneCutter::remember(const Plane &plane)
{
  // a small piece knows its plane badly
  if (dim > 1 && plane.measure > std::pow(1e-3 * size, dim - 1))
    {
      result.planes.push_back(plane);
      known_planes.push_back(plane);
    }
}
} // namespace moreau::homogenization
