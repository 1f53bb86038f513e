// SPDX-License-Identifier: GPL-3.0-or-later
// How wrong is somebody's answer? Projected Gauss-Seidel, as many codes have it, stopped after a few sweeps; a certificate
// bounds its error without knowing the exact answer.
#include <moreau/convex/certificate.h>
#include <moreau/micro/impact.h>

#include <algorithm>
#include <cmath>
#include <iostream>

int main()
{
  using namespace moreau;
  const int      n = 6; // n x n discs on a square lattice
  micro::Spheres spheres{Eigen::MatrixXd(2, n * n), Eigen::VectorXd::Constant(n * n, .5), Eigen::VectorXd::Ones(n * n)};
  for (int k = 0; k < n * n; ++k)
    spheres.r.col(k) << k % n, k / n;
  Eigen::VectorXd U(2 * n * n);
  for (int k = 0; k < U.size(); ++k)
    U(k) = std::sin(7. * k);

  const micro::SphereImpact        exact   = micro::impact(spheres, {}, U);
  const convex::ProjectionProblem &problem = exact.problem;
  const auto                      &B       = dynamic_cast<const convex::SparseConstraint &>(*problem.B).matrix();

  Eigen::VectorXd u = U, p = Eigen::VectorXd::Zero(B.rows());
  bool            holds = true;
  for (int sweep = 1; sweep <= 64; ++sweep)
    {
      for (int c = 0; c < B.rows(); ++c) // all masses are 1: W_cc = 2
        {
          const double p_new = std::max(0., p(c) + B.row(c).dot(u) / 2.);
          u -= B.row(c).transpose() * (p_new - p(c));
          p(c) = p_new;
        }
      if ((sweep & (sweep - 1)) != 0)
        continue;
      const convex::Certificate c     = convex::certify(problem, u, p);
      const double              error = (u - exact.law.u_plus).norm() / c.scale;
      std::cout << sweep << " sweeps: error " << error << " <= " << c.relative_error_bound << "\n";
      holds = holds && c.guaranteed && error <= c.relative_error_bound;
    }
  return holds ? 0 : 1;
}
