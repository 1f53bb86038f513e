// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/contact_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moreau::micro
{
using Eigen::Index;

namespace
{
constexpr double rounding = 1e-9; // what lies so near below an edge of bins lies on it
constexpr double pi       = 3.14159265358979323846;
constexpr Index  n_angles = 36; // of a whole turn

double bin_width(const double most, const Index n)
{
  const double n_bins = std::clamp(std::sqrt(static_cast<double>(n)), 8., 40.);
  double       width  = 0.125;
  while (std::floor(most / width + rounding) + 1. > n_bins)
    width *= 2.;
  return width;
}

std::vector<ContactStatistics::ForceBin> force_bins(const std::vector<PressedContact> &contacts,
                                                    const ContactStatistics           &statistics)
{
  const double most = statistics.largest / statistics.mean, width = bin_width(most, statistics.n);
  const auto   bin_of = [&](const double p) {
    return static_cast<std::size_t>(std::floor(p / (statistics.mean * width) + rounding));
  };
  std::vector<ContactStatistics::ForceBin> bins(bin_of(statistics.largest) + 1);
  for (std::size_t k = 0; k < bins.size(); ++k)
    bins[k] = {static_cast<double>(k) * width, static_cast<double>(k + 1) * width, 0, 0.};
  for (const PressedContact &contact : contacts)
    ++bins[bin_of(contact.p)].count;
  for (ContactStatistics::ForceBin &bin : bins)
    bin.density = static_cast<double>(bin.count) / (static_cast<double>(statistics.n) * width);
  return bins;
}

/// Degrees in [0, 360), in space in [0, 180].
double angle_of(const Eigen::Vector3d &e, const Index dim)
{
  const double angle = (dim == 3 ? std::acos(std::clamp(e(2), -1., 1.)) : std::atan2(e(1), e(0))) * 180. / pi;
  return angle < 0. ? angle + 360. : angle;
}

/// Of all directions that of a bin: its part of the circle, or of the sphere.
double share_of(const double angle, const Index dim)
{
  const double step = 360. / n_angles;
  if (dim == 2)
    return 1. / n_angles;
  const auto height = [](const double degrees) { return std::cos(std::clamp(degrees, 0., 180.) * pi / 180.); };
  return .5 * (height(angle - .5 * step) - height(angle + .5 * step));
}

std::vector<ContactStatistics::DirectionBin> direction_bins(const std::vector<PressedContact> &contacts,
                                                            const ContactStatistics &statistics, const Index dim)
{
  const double                                 step = 360. / n_angles;
  std::vector<ContactStatistics::DirectionBin> bins(dim == 2 ? n_angles : n_angles / 2 + 1);
  std::vector<double>                          p(bins.size(), 0.);
  for (const PressedContact &contact : contacts)
    for (const double sign : {1., -1.})
      {
        const auto turns    = static_cast<std::size_t>(std::floor(angle_of(sign * contact.e, dim) / step + .5 + rounding));
        const std::size_t k = dim == 2 ? turns % n_angles : turns;
        ++bins[k].count;
        p[k] += contact.p;
      }
  const double n_ends = 2. * static_cast<double>(statistics.n);
  for (std::size_t k = 0; k < bins.size(); ++k)
    {
      bins[k].angle         = static_cast<double>(k) * step;
      const double share    = share_of(bins[k].angle, dim);
      bins[k].count_density = static_cast<double>(bins[k].count) / (n_ends * share);
      bins[k].force_density = p[k] / (n_ends * statistics.mean * share);
    }
  return bins;
}
} // namespace

ContactStatistics contact_statistics(const std::vector<PressedContact> &contacts, const Index dim)
{
  ContactStatistics statistics;
  statistics.n = static_cast<Index>(contacts.size());
  if (contacts.empty())
    {
      statistics.fabric = statistics.force_fabric =
          Eigen::MatrixXd::Constant(dim, dim, std::numeric_limits<double>::quiet_NaN());
      return statistics;
    }
  double sum        = 0.;
  statistics.fabric = statistics.force_fabric = Eigen::MatrixXd::Zero(dim, dim);
  for (const PressedContact &contact : contacts)
    {
      const Eigen::MatrixXd dyad = contact.e.head(dim) * contact.e.head(dim).transpose();
      sum += contact.p;
      statistics.largest = std::max(statistics.largest, contact.p);
      statistics.fabric += dyad;
      statistics.force_fabric += contact.p * dyad;
    }
  statistics.mean = sum / static_cast<double>(statistics.n);
  statistics.fabric /= static_cast<double>(statistics.n);
  statistics.force_fabric /= sum;
  statistics.forces = force_bins(contacts, statistics);
  if (dim > 1)
    statistics.directions = direction_bins(contacts, statistics, dim);
  return statistics;
}
} // namespace moreau::micro
