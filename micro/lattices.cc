// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/lattices.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "convex/splitmix.h"
#include "micro/broken_rows.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace moreau::micro::lattices
{
namespace
{
using Point = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;              // length d, without a heap
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>; // d x (1 ... d)

/// Sites are anchor + spacing * (rotation of axes ∘ (basis * i)) for integer vectors i. Entries of the basis are multiples
/// of ½, so that sites on a common line along an axis have exactly the same coordinate before the rotation.
struct Lattice
{
  std::string name;                                       ///< how messages call it
  Small       basis;                                      ///< d x (1 ... d), the first column is the direction of numbering
  Point       axes;                                       ///< d
  bool (*is_empty)(const Eigen::Array3d &site) = nullptr; ///< sites that stay empty; none where there is no such function
};

constexpr double inclusive = 1e-9; ///< of the spacing: a site that far outside is on the boundary, and inside

void check(const Lattice &lattice, const Zone &zone, const Placement &placement)
{
  const Index dim = lattice.axes.size();
  if (zone.lower.size() != dim || zone.upper.size() != dim)
    throw InputError("the dimension", "A " + lattice.name + " lattice has dimension " + std::to_string(dim) +
                                          ", but the zone has " + std::to_string(zone.lower.size()) +
                                          "; choose another arrangement or dimension.");
  if (!zone.lower.allFinite() || !zone.upper.allFinite() || !(zone.lower.array() < zone.upper.array()).all())
    throw InputError("the zone", "The upper corner must be above the lower corner in every coordinate.");
  if (!(placement.spacing > 0.) || !std::isfinite(placement.spacing))
    throw InputError("the size of the spheres", "The distance of neighbouring spheres must be positive and finite.");
  if (!std::isfinite(placement.angle) || (dim == 1 && placement.angle != 0.))
    throw InputError("the angle of the lattice", "It must be finite, and 0 in dimension 1.");
  if (placement.anchor.size() != 0 && (placement.anchor.size() != dim || !placement.anchor.allFinite()))
    throw InputError("the anchor of the lattice", "It needs " + std::to_string(dim) + " finite coordinates, got " +
                                                      std::to_string(placement.anchor.size()) + ".");
  constexpr double far = 1e6; // spacings: sites beyond are rounded by 1e-10 of them
  if (placement.anchor.size() != 0)
    if (const double away = ((zone.lower - placement.anchor).cwiseMax(placement.anchor - zone.upper)).maxCoeff();
        away > far * placement.spacing)
      {
        std::ostringstream message;
        message << "It lies " << away
                << " m beside the zone, so far that sites in there are rounded; give a site in or near the "
                << "zone.";
        throw InputError("the anchor of the lattice", message.str());
      }
  if (!(placement.vacancies >= 0. && placement.vacancies < 1.))
    throw InputError("the vacancies",
                     "The fraction of empty sites must lie in [0, 1), not at " + digits(placement.vacancies) + ".");
  if (placement.break_rows && placement.n_parts > 1)
    throw std::invalid_argument("lattices: rows are broken in one part only.");
  const Vector extent = zone.upper - zone.lower;
  const double n_sites =
      (lattice.basis.cols() == 1 ? extent.norm() : extent.prod()) / std::pow(placement.spacing, lattice.basis.cols());
  if (n_sites > 1e9)
    {
      std::ostringstream message;
      message << "The zone holds about " << n_sites
              << " spheres, more than 1e9; make the zone smaller or the spheres larger.";
      throw InputError("the size of the spheres", message.str());
    }
}

/// Rotation by the angle in the x-y plane, exact for quarter turns.
Small rotation(const double angle, const Index dim)
{
  const auto   clean = [](const double x) { return std::abs(x) < 1e-15 ? 0. : x; };
  const double c = clean(std::cos(angle)), s = clean(std::sin(angle));
  Small        Q = Small::Identity(dim, dim);
  if (dim > 1 && angle != 0.)
    Q.topLeftCorner(2, 2) << c, -s, s, c;
  return Q;
}

/// A function of seed and site alone: neither the zone nor the order of the sites matters.
std::uint64_t hash_of(const unsigned int seed, const Eigen::Array3d &site)
{
  std::uint64_t h = convex::mixed(seed);
  for (Index k = 0; k < 3; ++k)
    h = convex::mixed(h ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(site(k))));
  return h;
}

/// Uniform in [0, 1), likewise.
double random_number(const unsigned int seed, const Eigen::Array3d &site)
{
  return convex::fraction_of(hash_of(seed, site));
}

/// Points of the unit sphere that stand for all of it: 2 in dimension 1, 32 in dimension 2, 26 + 24 in dimension 3.
Eigen::MatrixXd surface_points(const Index dim)
{
  std::vector<double> points;
  if (dim == 1)
    points = {-1., 1.};
  else if (dim == 2)
    for (int k = 0; k < 32; ++k)
      points.insert(points.end(), {std::cos(k * M_PI / 16.), std::sin(k * M_PI / 16.)});
  else
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        for (int k = -2; k <= 2; ++k)
          if (const int squared = i * i + j * j + k * k; (squared > 0 && squared <= 3) || squared == 6)
            {
              const double norm = std::sqrt(double(squared));
              points.insert(points.end(), {i / norm, j / norm, k / norm});
            }
  return Eigen::Map<Eigen::MatrixXd>(points.data(), dim, static_cast<Index>(points.size()) / dim);
}

/// The sites of a lattice that lie in a zone.
class SitesInZone
{
public:
  SitesInZone(const Lattice &lattice, const Zone &zone, const Placement &placement)
      : zone(zone)
      , placement(placement)
      , dim(lattice.axes.size())
      , rank(lattice.basis.cols())
      , R(placement.spacing / 2.)
      , R_in_zone(R - placement.gap / 2.)
      , basis(lattice.basis)
      , axes(placement.spacing * lattice.axes)
      , Q(rotation(placement.angle, dim))
      , edges(Q * axes.asDiagonal() * basis)
      , to_lattice(Eigen::MatrixXd(edges).completeOrthogonalDecomposition().pseudoInverse())
      , is_empty(lattice.is_empty)
      , anchor(placement.anchor)
      , surface(surface_points(dim))
  {
    const double rim = inclusive * placement.spacing - (zone.whole_spheres ? R_in_zone : 0.);
    lower            = zone.lower.array() - rim;
    upper            = zone.upper.array() + rim;
    if (anchor.size() == 0)
      anchor = zone.lower.array() + R;
  }

  Spheres spheres() const
  {
    Eigen::MatrixXd r(dim, n_in_box());
    Index           n = 0;
    if (placement.break_rows)
      {
        const std::vector<Eigen::Array3d> sites     = all_sites();
        const std::vector<char>           is_vacant = with_broken_rows(rows_of(sites), vacant_ones(sites));
        for (std::size_t k = 0; k < sites.size(); ++k)
          if (!is_vacant[k])
            r.col(n++) = point(sites[k]);
      }
    else
      for_each_site([&](const Eigen::Array3d &site, const Point &x) {
        if (!is_vacant(site))
          r.col(n++) = x;
      });
    r.conservativeResize(Eigen::NoChange, n);
    return {std::move(r), Vector::Constant(n, R), Vector::Constant(n, volume_of_ball(R, dim))};
  }

private:
  Point point(const Eigen::Array3d &site) const
  {
    const Point integers = site.head(rank).matrix();
    const Point x        = axes.cwiseProduct(basis * integers);
    return anchor + (placement.angle == 0. ? x : Point(Q * x));
  }

  /// Of those that are to be filled.
  bool is_vacant(const Eigen::Array3d &site) const
  {
    return placement.vacancies > 0. && random_number(placement.seed, site) < placement.vacancies;
  }

  /// f(site, its place) for those in the zone that are to be filled.
  template <class F>
  void for_each_site(const F &f) const
  {
    for_each_line([&](Eigen::Array3d site, const double last) {
      for (; site(0) <= last; ++site(0))
        if (const Point x = point(site); in_zone(x) && !(is_empty && is_empty(site)))
          f(site, x);
    });
  }

  std::vector<Eigen::Array3d> all_sites() const
  {
    std::vector<Eigen::Array3d> sites;
    for_each_site([&](const Eigen::Array3d &site, const Point &) {
      if ((repeated(site) == site).all())
        sites.push_back(site);
    });
    if (sites.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw InputError("the size of the spheres", "Rows can be broken among up to 2^31 spheres; make the spheres larger.");
    return sites;
  }

  std::vector<char> vacant_ones(const std::vector<Eigen::Array3d> &sites) const
  {
    std::vector<char> result(sites.size());
    std::transform(sites.begin(), sites.end(), result.begin(), [&](const Eigen::Array3d &site) { return is_vacant(site); });
    return result;
  }

  /// From a site to those that touch it, of two opposite ones one.
  std::vector<Eigen::Array3d> directions_of_contact() const
  {
    std::vector<Eigen::Array3d> directions;
    for (int n = 14; n < 27; ++n) // numbers of (0, 0, 0) and of what lies before it are up to 13
      {
        const Eigen::Array3d step(n % 3 - 1., n / 3 % 3 - 1., n / 9 - 1.);
        if ((step.tail(3 - rank) == 0.).all() &&
            std::abs((edges * step.head(rank).matrix()).norm() - placement.spacing) < inclusive * placement.spacing)
          directions.push_back(step);
      }
    return directions;
  }

  RowsOfSites rows_of(const std::vector<Eigen::Array3d> &sites) const
  {
    RowsOfSites                            rows;
    std::unordered_map<std::uint64_t, int> number;
    for (const Eigen::Array3d &site : sites)
      {
        number.emplace(hash_of(0, site), static_cast<int>(number.size()));
        rows.number.push_back(random_number(placement.seed, site));
      }
    const auto number_of = [&](const Eigen::Array3d &site) {
      const auto found = number.find(hash_of(0, site));
      return found == number.end() ? RowsOfSites::none : found->second;
    };
    for (const Eigen::Array3d &step : directions_of_contact())
      {
        rows.next.emplace_back();
        for (const Eigen::Array3d &site : sites)
          rows.next.back().push_back(number_of(repeated(site + step)));
      }
    return rows;
  }

  /// The site itself, or the one in the box that it repeats: of two sides that repeat each other the lower one counts.
  Eigen::Array3d repeated(const Eigen::Array3d &site) const
  {
    if (!zone.box.any())
      return site;
    const double near = 1e-6 * placement.spacing; // what is a rounding error below a side is not beyond it
    Point        x    = point(site).array() + near;
    zone.box.wrap(x.data());
    x.array() -= near;
    Eigen::Array3d result = Eigen::Array3d::Zero();
    result.head(rank)     = (to_lattice * (x - anchor)).array().round();
    return (point(result) - x).norm() < near ? result : site; // else the box is no multiple of the lattice
  }

  bool in_zone(const Point &x) const
  {
    if ((x.array() < lower.array()).any() || (x.array() > upper.array()).any())
      return false;
    if (!zone.contains)
      return true;
    if (!zone.contains(x))
      return false;
    for (Index k = 0; zone.whole_spheres && k < surface.cols(); ++k)
      if (!zone.contains(x + (1. - inclusive) * R_in_zone * surface.col(k)))
        return false;
    return true;
  }

  /// Calls run(first site, last index) for every line along the first lattice direction that meets the box.
  template <class Run>
  void for_each_line(const Run &run) const
  {
    // coordinates of the corners in the lattice bound its indices
    Eigen::Array3d least = Eigen::Array3d::Zero(), most = Eigen::Array3d::Zero();
    for (Index k = 1; k < rank; ++k)
      {
        const Point  row    = to_lattice.row(k).transpose();
        const double centre = row.dot((lower + upper) / 2. - anchor), radius = row.cwiseAbs().dot((upper - lower) / 2.);
        least(k) = std::floor(centre - radius), most(k) = std::ceil(centre + radius);
      }
    Eigen::Array3d site       = Eigen::Array3d::Zero();
    const double   n_lines    = (most - least + 1.).tail(2).prod();
    double         line       = 0.;
    const double   first_line = std::floor(n_lines * placement.part / placement.n_parts),
                 end_line     = std::floor(n_lines * (placement.part + 1) / placement.n_parts);
    for (site(2) = least(2); site(2) <= most(2); ++site(2))
      for (site(1) = least(1); site(1) <= most(1); ++site(1), ++line)
        {
          if (line < first_line || line >= end_line)
            continue;
          site(0)      = 0.;
          double first = -std::numeric_limits<double>::infinity(), last = -first;
          clip(point(site), first, last);
          if (first <= last)
            {
              Eigen::Array3d start = site;
              start(0)             = first;
              run(start, last);
            }
        }
  }

  /// The indices i for which origin + i * (first edge) can be in the box; in_zone() decides about the ends.
  void clip(const Point &origin, double &first, double &last) const
  {
    for (Index k = 0; k < dim; ++k)
      if (const double slope = edges(k, 0); std::abs(slope) > 1e-12 * placement.spacing)
        {
          const double to_lower = (lower(k) - origin(k)) / slope, to_upper = (upper(k) - origin(k)) / slope;
          first = std::max(first, std::floor(std::min(to_lower, to_upper)));
          last  = std::min(last, std::ceil(std::max(to_lower, to_upper)));
        }
      else if (origin(k) < lower(k) || origin(k) > upper(k))
        last = first;
  }

  /// Not less than the number of sites in the box.
  Index n_in_box() const
  {
    Index n = 0;
    for_each_line([&](const Eigen::Array3d &site, const double last) { n += static_cast<Index>(last - site(0)) + 1; });
    return n;
  }

  const Zone      &zone;
  const Placement &placement;
  Index            dim, rank;
  double           R, R_in_zone;
  Small            basis;
  Point            axes;
  Small            Q;
  Small            edges;      ///< d x rank: the lattice vectors
  Small            to_lattice; ///< rank x d: its inverse
  bool (*is_empty)(const Eigen::Array3d &site);
  Point           anchor;
  Eigen::MatrixXd surface;
  Point           lower, upper; ///< of the box, wider by what counts as inside
};

Spheres fill(const Lattice &lattice, const Zone &zone, const Placement &placement)
{
  check(lattice, zone, placement);
  Spheres spheres = SitesInZone(lattice, zone, placement).spheres();
  if (spheres.size() == 0 && placement.n_parts == 1)
    throw InputError("the zone", "No sphere of the " + lattice.name +
                                     " lattice has its place in the zone; make the zone larger, the spheres smaller, " +
                                     (placement.vacancies > 0. ? "leave fewer sites vacant, " : "") + "or move the anchor.");
  return spheres;
}

/// The triangular lattice; without the sites that are to be empty where a name and a function are given.
Lattice triangular_lattice(const std::string &name = "triangular", bool (*is_empty)(const Eigen::Array3d &site) = nullptr)
{
  Eigen::Matrix2d basis;
  basis << 1., .5, 0., 1.;
  return {name, basis, Eigen::Vector2d(1., std::sqrt(.75)), is_empty};
}

/// 0 ... divisor - 1, also of negative numbers.
int remainder_of(const double n, const int divisor) { return static_cast<int>(n - divisor * std::floor(n / divisor)); }

/// A row of touching discs: the x of its first centre in radii, and how many.
struct RowOfDiscs
{
  double first;
  int    n;
};

/// Discs of a triangular lattice, row by row upwards from y = 0.
Spheres stacked_rows(const std::vector<RowOfDiscs> &rows, const double radius)
{
  if (!(radius > 0.) || !std::isfinite(radius))
    throw InputError("the spheres", "The radius must be positive and finite.");
  Index n = 0;
  for (const RowOfDiscs &row : rows)
    n += row.n;
  Spheres spheres{Eigen::MatrixXd(2, n), Vector::Constant(n, radius), Vector::Constant(n, volume_of_ball(radius, 2))};
  Index   i = 0;
  double  y = 0.;
  for (const RowOfDiscs &row : rows)
    {
      for (int k = 0; k < row.n; ++k)
        spheres.r.col(i++) << radius * (row.first + 2. * k), radius * y;
      y += std::sqrt(3.);
    }
  return spheres;
}
} // namespace

Spheres line(const Zone &zone, const Placement &placement)
{
  const Index dim = zone.lower.size();
  return fill({"row", Small::Identity(dim, 1), Point::Ones(dim)}, zone, placement);
}

Spheres square(const Zone &zone, const Placement &placement)
{
  return fill({"square", Eigen::Matrix2d::Identity(), Vector::Ones(2)}, zone, placement);
}

Spheres triangular(const Zone &zone, const Placement &placement) { return fill(triangular_lattice(), zone, placement); }

Spheres honeycomb(const Zone &zone, const Placement &placement)
{
  const auto is_empty = [](const Eigen::Array3d &site) { return remainder_of(site(0) - site(1), 3) == 1; };
  return fill(triangular_lattice("honeycomb", is_empty), zone, placement);
}

Spheres kagome(const Zone &zone, const Placement &placement)
{
  const auto is_empty = [](const Eigen::Array3d &site) {
    return remainder_of(site(0), 2) == 1 && remainder_of(site(1), 2) == 1;
  };
  return fill(triangular_lattice("kagome", is_empty), zone, placement);
}

Spheres cubic(const Zone &zone, const Placement &placement)
{
  return fill({"cubic", Eigen::Matrix3d::Identity(), Vector::Ones(3)}, zone, placement);
}

Spheres face_centred_cubic(const Zone &zone, const Placement &placement)
{
  Eigen::Matrix3d basis;
  basis << 1., 1., 0., 1., 0., 1., 0., 1., 1.;
  return fill({"face-centred cubic", basis, Vector::Constant(3, std::sqrt(.5))}, zone, placement);
}

Spheres row(const Index n, const double radius, const Vector &first, const double gap)
{
  if (n < 1)
    throw InputError("the spheres", "A row needs at least one sphere.");
  if (!(radius > 0.) || !std::isfinite(radius) || !std::isfinite(gap))
    throw InputError("the spheres", "A row needs a positive radius and a finite gap.");
  Spheres spheres{first.replicate(1, n), Vector::Constant(n, radius),
                  Vector::Constant(n, volume_of_ball(radius, first.size()))};
  for (Index k = 0; k < n; ++k)
    spheres.r(0, k) += k * (2. * radius + gap);
  return spheres;
}

Spheres hyperstatic_cluster(const double radius) { return stacked_rows({{1., 3}, {0., 4}, {1., 4}, {2., 3}}, radius); }

Spheres seven_discs(const double radius) { return stacked_rows({{1., 2}, {0., 3}, {1., 2}}, radius); }
} // namespace moreau::micro::lattices
