// SPDX-License-Identifier: GPL-3.0-or-later
// A constraint of one's own: cars on a ring road, each at the bumper of the next one, wish to drive at speeds U; nobody may
// drive into the car in front, v_i <= v_{i+1}. On a ring all drive at the mean speed; with a gap behind one of them each
// block that jams drives at its mean: isotonic regression.
#include <moreau/convex/certificate.h>
#include <moreau/convex/solvers/make_projector.h>

#include <cmath>
#include <iostream>
#include <memory>

namespace
{
using moreau::convex::Index;
using moreau::convex::Vector;

/// (Bv)_i = v_i - v_{i+1}, i = 0 ... m-1, indices modulo n.
class DoNotDriveInto : public moreau::convex::ConstraintOperator
{
public:
  DoNotDriveInto(const Index n, const bool closed) : n(n), m(closed ? n : n - 1) {}

  Index n_constraints() const override { return m; }
  Index n_unknowns() const override { return n; }

  void apply(const Vector &v, Vector &Bv) const override
  {
    Bv.resize(m);
    for (Index i = 0; i < m; ++i)
      Bv(i) = v(i) - v((i + 1) % n);
  }

  void apply_transpose(const Vector &q, Vector &Btq) const override
  {
    Btq = Vector::Zero(n);
    for (Index i = 0; i < m; ++i)
      {
        Btq(i) += q(i);
        Btq((i + 1) % n) -= q(i);
      }
  }

private:
  Index n, m;
};

moreau::convex::SaddlePoint drive(const Index n, const bool closed, const Vector &U)
{
  moreau::convex::ProjectionProblem problem;
  problem.V = std::make_shared<moreau::convex::DiagonalSpace>(Vector::Ones(n));
  problem.B = std::make_shared<DoNotDriveInto>(n, closed);
  problem.U = U;
  if (!closed) // w with Bw < 0: then the bound is guaranteed
    problem.expansion = {Vector::LinSpaced(n, 0., static_cast<double>(n - 1)), std::vector<int>(n, 0),
                         std::vector<int>(n - 1, 0), 1};
  return moreau::convex::make_projector("automatic", {})->project(problem);
}
} // namespace

int main()
{
  const Index n = 40;
  Vector      U(n);
  for (Index i = 0; i < n; ++i)
    U(i) = 30. + 5. * std::sin(3. * static_cast<double>(i));

  const auto ring = drive(n, true, U), road = drive(n, false, U);
  std::cout << "ring: all at " << ring.u(0) << " m/s, mean wish " << U.mean() << "; " << ring.method
            << "\nroad: " << road.u.transpose().head(5)
            << " ...; relative error <= " << road.certificate.relative_error_bound << "\n";

  bool sorted = true;
  for (Index i = 0; i + 1 < n; ++i)
    sorted = sorted && road.u(i) <= road.u(i + 1) + 1e-4;
  const bool as_expected = ring.converged() && (ring.u.array() - U.mean()).abs().maxCoeff() < 1e-3 && road.converged() &&
                           road.certificate.guaranteed && sorted;
  return as_expected ? 0 : 1;
}
