// SPDX-License-Identifier: GPL-3.0-or-later
// A row of three equal discs is struck at its end: without restitution it leaves as one block.
#include <moreau/micro/impact.h>

#include <cmath>
#include <iostream>

int main()
{
  using namespace moreau;
  micro::Spheres spheres;
  spheres.r.resize(2, 3); // centres, one column a disc (m)
  spheres.r << 0., 1., 2., 0., 0., 0.;
  spheres.R = Eigen::Vector3d::Constant(.5); // radii (m)
  spheres.m = Eigen::Vector3d::Ones();       // masses (kg)

  Eigen::VectorXd U = Eigen::VectorXd::Zero(6); // velocities before, disc after disc (m/s)
  U(0)              = 1.;

  const micro::SphereImpact x = micro::impact(spheres, {}, U);
  std::cout << "u = " << x.law.u_plus.transpose() << " m/s\np = " << x.law.impulse.transpose()
            << " kg m/s\nrelative error <= " << x.law.worst.relative_error_bound << "\n";

  const bool as_expected = x.law.effort.converged() && x.law.worst.guaranteed &&
                           std::abs(x.law.u_plus(0) - 1. / 3.) < 1e-6 && std::abs(x.law.impulse(0) - 2. / 3.) < 1e-6;
  return as_expected ? 0 : 1;
}
