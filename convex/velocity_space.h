// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_CONVEX_VELOCITY_SPACE_H
#define MOREAU_CONVEX_VELOCITY_SPACE_H

#include <Eigen/Core>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace moreau::convex
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

inline constexpr double epsilon = std::numeric_limits<double>::epsilon(); ///< spacing of doubles at 1

/// Largest absolute value of the entries, 0 without any.
template <class Derived>
double max_abs(const Eigen::MatrixBase<Derived> &v)
{
  return v.size() == 0 ? 0. : v.template lpNorm<Eigen::Infinity>();
}

/// V: velocities with an inner product <u,v> = uᵀMv and its Riesz map M (mathematics: BM, section A).
/// Vectors hold the coefficients owned by this process; dot() hides the reduction.
class VelocitySpace
{
public:
  virtual ~VelocitySpace() = default;

  /// Number of coefficients of a velocity.
  virtual Index size() const = 0;

  /// <u,v> = uᵀMv (J when u, v are in m/s and M in kg).
  virtual double dot(const Vector &u, const Vector &v) const = 0;

  /// Mv = M v. Arguments must not alias.
  virtual void riesz(const Vector &v, Vector &Mv) const = 0;

  /// v = M⁻¹ f. Arguments must not alias.
  virtual void inverse_riesz(const Vector &f, Vector &v) const = 0;

  /// The uniform velocity nearest to U: what a change of frame can remove. Zero where no such notion exists, and in
  /// directions in which something at rest (a wall of a box) tells frames apart.
  virtual Vector mean(const Vector &U) const { return Vector::Zero(U.size()); }

  /// Sum or largest over all processes of what each of them found on its coefficients (or on its rows of a constraint).
  virtual double sum_over_processes(const double local) const { return local; }
  virtual double max_over_processes(const double local) const { return local; }

  double norm(const Vector &v) const { return std::sqrt(dot(v, v)); }
};

/// Lumped masses: node k owns the entries dim*k ... dim*k + dim-1 of a velocity and has the mass m_k > 0.
class DiagonalSpace : public VelocitySpace
{
public:
  /// node_masses: one positive mass per node (kg); dim: entries per node; at_rest: per direction, whether mean() is 0 in it
  /// (none where the list is empty).
  explicit DiagonalSpace(const Vector &node_masses, const Index dim = 1, std::vector<bool> at_rest = {})
      : dim(dim), node_masses(node_masses), m(dim * node_masses.size()), at_rest(std::move(at_rest))
  {
    for (Index k = 0; k < node_masses.size(); ++k)
      m.segment(dim * k, dim).setConstant(node_masses(k));
  }

  Index  size() const override { return m.size(); }
  double dot(const Vector &u, const Vector &v) const override { return (m.array() * u.array() * v.array()).sum(); }
  void   riesz(const Vector &v, Vector &Mv) const override { Mv = m.cwiseProduct(v); }
  void   inverse_riesz(const Vector &f, Vector &v) const override { v = f.cwiseQuotient(m); }

  /// The velocity of the centre of mass, at every node.
  Vector mean(const Vector &U) const override
  {
    const Eigen::Map<const Eigen::MatrixXd> nodal(U.data(), dim, node_masses.size());
    Vector                                  centre = nodal * node_masses / node_masses.sum();
    for (std::size_t axis = 0; axis < at_rest.size(); ++axis)
      if (at_rest[axis])
        centre(axis) = 0.;
    return centre.replicate(node_masses.size(), 1);
  }

  const Vector &masses() const { return m; }                    ///< one per entry (kg)
  const Vector &masses_of_nodes() const { return node_masses; } ///< one per node (kg)
  Index         dimension() const { return dim; }               ///< entries per node

private:
  Index             dim;
  Vector            node_masses, m;
  std::vector<bool> at_rest;
};
} // namespace moreau::convex

#endif
