// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_HOMOGENIZATION_ZONE_CUTTER_H
#define MOREAU_HOMOGENIZATION_ZONE_CUTTER_H

#include "macro/discretize.h"

#include <array>
#include <vector>

namespace moreau::homogenization
{
using Eigen::Index;

/// At most three coordinates, and the corners of a simplex, without allocation.
using Point   = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;
using Simplex = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 4>;

/// A plane part of the boundary of the zone, which is on the side normal·x < offset of it.
struct Plane
{
  Point  normal; ///< unit
  double offset  = 0.;
  double measure = 0.; ///< of the part that was seen: the larger, the better the plane is known

  double distance(const Eigen::Ref<const Eigen::VectorXd> &x) const { return normal.dot(x) - offset; }
};

/// Simplices cut by the boundary of the zone.
struct CutCell
{
  std::vector<double> corners;    ///< of simplices in the zone, one after the other
  double volume = 0., error = 0.; ///< of the part in the zone, and what curved parts of the boundary may add or take away
  bool   boundary_seen = false;
  bool   curved        = false; ///< or more than one plane
  bool   is_fine       = true;  ///< bisecting simplices would not have found more
  std::vector<Plane> planes;    ///< that were seen
};

/// Finds the part of simplices that lies in the zone, by asking which points are in it. For one thread.
///
/// The boundary is found on edges by bisection and replaced by the plane through these points. Whether it is plane is asked
/// in a few more points; where it is farther from the plane than a length, the simplex is bisected first. Where two planes
/// meet, simplices are split along both before (the planes are those seen from
/// other simplices), so that zones bounded by planes come out exactly.
class ZoneCutter
{
public:
  explicit ZoneCutter(const macro::Domain &domain);

  struct Effort
  {
    double max_deviation; ///< of a curved boundary from its planes (m)
    Index  max_simplices; ///< about: where the boundary is so jagged that it would take more, it is found less exactly
    /// Without bisections: whether there is a boundary and what its planes are.
    bool is_first_look = false;
    /// Also bisect simplices next to the boundary that it may enter between the points that are asked.
    bool look_for_lenses = false;
  };

  /// The part of `simplices`, dim x (dim+1) k, in the zone; split along `planes` first.
  CutCell operator()(const Eigen::MatrixXd &simplices, const std::vector<Plane> &planes, const Effort &effort);

private:
  static constexpr int max_samples = 11;

  /// A simplex with points of it, the corners first; those on its boundary are moved inwards by a hair, so that a boundary
  /// of the zone that coincides with a face is not seen.
  struct Samples
  {
    int                            n = 0;
    std::array<Point, max_samples> x;
    std::array<bool, max_samples>  in;
    int                            n_in = 0;
  };

  /// The plane that stands for the boundary in a simplex with corners inside and outside.
  struct Facet
  {
    std::array<std::array<Point, 4>, 4> crossing; ///< [corner inside][corner outside]
    std::array<Point, 4>                points;   ///< the crossings in order around the facet
    int                                 n_points = 0;
    Point                               centre;
    Plane                               plane;
    bool                                is_plane  = false;
    double                              deviation = 0.; ///< of the boundary from the plane (m)
  };

  /// The work of operator(); false where it took too many simplices.
  bool                 cut(const Eigen::MatrixXd &simplices, const std::vector<Plane> &planes);
  std::vector<Simplex> split(const Simplex &simplex, const std::vector<Plane> &planes) const;

  bool    inside(const Point &x);
  Samples sample(const Simplex &simplex);
  /// Where the boundary is between two points, by bisection.
  Point crossing(Point in, Point out, double tolerance);
  /// From crossing(i, j), where the boundary is on the edge from corner i, in the zone, to corner j.
  template <class Crossing>
  Facet facet(const Simplex &simplex, const Samples &samples, const Crossing &crossing) const;
  Facet find_facet(const Simplex &simplex, const Samples &samples);
  bool  find_known_plane(const Simplex &simplex, const Samples &samples, Facet &found);
  /// Whether the boundary is at most that far from a point of the facet, from the whole facet, and whether samples farther
  /// away are on the side where they should be.
  bool crosses(const Facet &facet, const Point &x, double distance);
  bool lies_within(const Facet &facet, double distance);
  bool agree(const Facet &facet, const Samples &samples, double tolerance) const;
  bool boundary_is_near(const Simplex &simplex, bool in);
  /// Adds what is inside; true where that is all of it.
  bool refine(const Simplex &simplex, int n_bisections);
  void add(const Simplex &simplex);
  void add_inside(const Simplex &simplex, const Samples &samples, const Facet &facet);
  void remember(const Plane &plane);

  const macro::Domain &domain;
  int                  dim;
  double               rounding;
  Eigen::MatrixXd      x, value; ///< of inside()
  Effort               effort{0., 0};
  int                  max_bisections = 0;  ///< of a simplex; dim of them halve its edges
  double               lens_size      = 0.; ///< edges of simplices that the boundary can enter by less than the deviation
  Index                n_visited      = 0;  ///< simplices so far
  double               size           = 0.; ///< of all simplices
  std::vector<Plane>   known_planes;
  CutCell              result;
};
} // namespace moreau::homogenization

#endif
