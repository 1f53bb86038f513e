// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/isotropic/box_velocity.h"

namespace moreau::macro
{
namespace
{
enum class Place : char
{
  outside,
  cut, ///< the boundary of the zone may run through the cell
  inside
};

class BoxVelocity
{
public:
  BoxVelocity(std::shared_ptr<const ReconstructedVelocity> v, const BoxZone &touched, const BoxZone &whole,
              const Field &level, const Field &U)
      : v(std::move(v)), places(touched.saturated.size(), Place::outside), level(level), U(U)
  {
    for (std::size_t k = 0; k < places.size(); ++k)
      if (touched.saturated[k])
        places[k] = whole.saturated[k] ? Place::inside : Place::cut;
  }

  void operator()(const Eigen::MatrixXd &x, Eigen::MatrixXd &values) const
  {
    std::vector<Index> cells(x.cols()), outside, doubtful;
    values.resize(x.rows(), x.cols());
    v->at(x, values, cells);
    for (Index k = 0; k < x.cols(); ++k)
      if (const Place place = places[cells[k]]; place != Place::inside)
        (place == Place::cut ? doubtful : outside).push_back(k);
    if (!doubtful.empty())
      add_outside(x, doubtful, outside);
    if (outside.empty())
      return;
    const Eigen::MatrixXd points = x(Eigen::all, outside);
    Eigen::MatrixXd       U_there(x.rows(), points.cols());
    U(points, U_there);
    values(Eigen::all, outside) = U_there;
  }

private:
  void add_outside(const Eigen::MatrixXd &x, const std::vector<Index> &doubtful, std::vector<Index> &outside) const
  {
    const Eigen::MatrixXd points = x(Eigen::all, doubtful);
    Eigen::MatrixXd       levels(1, points.cols());
    level(points, levels);
    for (Index k = 0; k < points.cols(); ++k)
      if (!(levels(0, k) > 0.))
        outside.push_back(doubtful[k]);
  }

  std::shared_ptr<const ReconstructedVelocity> v;
  std::vector<Place>                           places; ///< of cells, laid out as CellArray
  Field                                        level, U;
};
} // namespace

Field velocity_on_box(std::shared_ptr<const ReconstructedVelocity> v, const BoxZone &touched, const BoxZone &whole,
                      const Field &level, const Field &U)
{
  // shared, because functions are copied
  return [velocity = std::make_shared<const BoxVelocity>(std::move(v), touched, whole, level, U)](
             const Eigen::MatrixXd &x, Eigen::MatrixXd &values) { (*velocity)(x, values); };
}

Field velocity_on_box(std::shared_ptr<const ReconstructedVelocity> v, const SaturatedCells &cells, const Field &density,
                      const Field &U)
{
  constexpr double rounding = 1e-12;
  if (cells.n_cut == 0)
    return velocity_on_box(std::move(v), cells.centred, cells.centred, {}, U);
  const Field saturation = [density](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    density(x, values);
    values.array() -= 1. - rounding;
  };
  return velocity_on_box(std::move(v), cells.touched, cells.inside, saturation, U);
}
} // namespace moreau::macro
