// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/kept_spheres.h"

#include <stdexcept>

namespace moreau::micro
{
KeptSpheres::KeptSpheres(const Index n, const std::vector<Index> &removed) : n_before(n), new_number(n, 0)
{
  Index last = -1;
  for (const Index k : removed)
    {
      if (k <= last || k >= n)
        throw std::invalid_argument("KeptSpheres: the numbers are not ascending numbers of spheres.");
      new_number[last = k] = -1;
    }
  for (Index i = 0; i < n; ++i)
    if (new_number[i] == 0)
      {
        new_number[i] = static_cast<Index>(kept.size());
        kept.push_back(i);
      }
}

KeptSpheres KeptSpheres::by_ids(const Index n, const std::vector<Index> &ids)
{
  std::vector<Index> removed;
  Index              next = 0;
  for (const Index id : ids)
    {
      if (id < next || id >= n)
        throw std::invalid_argument("KeptSpheres: the ids are not ascending ids of spheres.");
      for (; next < id; ++next)
        removed.push_back(next);
      ++next;
    }
  for (; next < n; ++next)
    removed.push_back(next);
  return {n, removed};
}

Eigen::MatrixXd KeptSpheres::columns(const Eigen::MatrixXd &x) const
{
  if (x.cols() == 0)
    return x;
  Eigen::MatrixXd result(x.rows(), kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    result.col(k) = x.col(kept[k]);
  return result;
}

Vector KeptSpheres::entries(const Vector &x) const { return interleaved(x, 1); }

Vector KeptSpheres::interleaved(const Vector &x, const Index dim) const
{
  Vector result(dim * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    result.segment(dim * k, dim) = x.segment(dim * kept[k], dim);
  return result;
}

template <class Pair>
bool KeptSpheres::renumber(Pair &pair) const
{
  const Index i = new_number[pair.i];
  const Index j = pair.j < n_before ? new_number[pair.j] : pair.j - n_before + static_cast<Index>(kept.size());
  pair.i        = static_cast<int>(i);
  pair.j        = static_cast<int>(j);
  return i >= 0 && j >= 0;
}

RowMultipliers KeptSpheres::rows(const RowMultipliers &known) const
{
  RowMultipliers      result; // no stress: what it was balanced by may be gone
  std::vector<double> p;
  for (std::size_t c = 0; c < known.rows.size(); ++c)
    if (StepRow row = known.rows[c]; renumber(row))
      {
        result.rows.push_back(row);
        p.push_back(known.p(c));
      }
  result.p = Eigen::Map<const Vector>(p.data(), p.size());
  return result;
}

std::vector<MotionContact> KeptSpheres::contacts(const std::vector<MotionContact> &contacts) const
{
  std::vector<MotionContact> result;
  for (MotionContact contact : contacts)
    if (renumber(contact))
      result.push_back(contact);
  return result;
}

RemovedSpheres what_goes(const Spheres &spheres, const Vector &u, const std::vector<Index> &which)
{
  const Index    dim = spheres.dimension();
  RemovedSpheres removed;
  removed.momentum = Vector::Zero(dim);
  for (const Index i : which)
    {
      const auto v = u.segment(dim * i, dim);
      ++removed.n;
      removed.mass += spheres.m(i);
      removed.energy += .5 * spheres.m(i) * v.squaredNorm();
      removed.momentum += spheres.m(i) * v;
    }
  return removed;
}
} // namespace moreau::micro
