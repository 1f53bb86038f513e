// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/discretize.h"

#include <cmath>
#include <stdexcept>

namespace moreau::macro
{
Eigen::MatrixXd lattice_directions(const ConeType type, const double angle)
{
  Eigen::MatrixXd e;
  const double    s = std::sqrt(.75), r = std::sqrt(.5);
  switch (type)
    {
      case ConeType::square:
        e = Eigen::MatrixXd::Identity(2, 2);
        break;
      case ConeType::triangular:
        e.resize(2, 3);
        e << 1., -.5, -.5, 0., s, -s;
        break;
      case ConeType::cubic:
        e = Eigen::MatrixXd::Identity(3, 3);
        break;
      case ConeType::face_centred_cubic:
        e.resize(3, 6);
        e << r, r, r, r, 0., 0., //
            r, -r, 0., 0., r, r, //
            0., 0., r, -r, r, -r;
        break;
      case ConeType::isotropic:
      case ConeType::directions:
      case ConeType::dilatant:
      case ConeType::circular:
        throw std::invalid_argument("lattice_directions: this cone has no lattice.");
    }
  Eigen::MatrixXd rotation = Eigen::MatrixXd::Identity(e.rows(), e.rows());
  const double    quarters = angle / 90.;
  const double    t        = angle * M_PI / 180.;
  // quarter turns exactly, so that lines along the axes stay along the axes
  const bool   whole = quarters == std::floor(quarters);
  const long   turn  = whole ? static_cast<long>(std::fmod(std::fmod(quarters, 4.) + 4., 4.)) : 0;
  const double c     = whole ? (turn == 0 ? 1. : turn == 2 ? -1. : 0.) : std::cos(t);
  const double sine  = whole ? (turn == 1 ? 1. : turn == 3 ? -1. : 0.) : std::sin(t);
  rotation.topLeftCorner(2, 2) << c, -sine, sine, c;
  return rotation * e;
}
} // namespace moreau::macro
