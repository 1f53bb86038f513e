// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/homogenization/cells.h"

BOOST_AUTO_TEST_SUITE(delaunay_mesh)

using namespace moreau;
using namespace moreau::homogenization;
using namespace moreau::homogenization::test;

namespace
{
/// Signed volumes of the simplices.
VectorXd volumes(const DelaunayMesh &mesh, const micro::Spheres &spheres)
{
  const Index n = mesh.dim + 1;
  VectorXd    all(mesh.n_simplices());
  for (Index s = 0; s < all.size(); ++s)
    {
      MatrixXd edges(mesh.dim, mesh.dim);
      for (Index k = 1; k < n; ++k)
        edges.col(k - 1) = spheres.r.col(mesh.corners[n * s + k]) - spheres.r.col(mesh.corners[n * s]);
      all(s) = edges.determinant() / std::tgamma(n);
    }
  return all;
}

/// Area of the convex hull, by walking around it.
double hull_area(const MatrixXd &r)
{
  Index start;
  r.row(0).minCoeff(&start);
  double area = 0.;
  Index  here = start;
  do
    {
      Index next = here == 0 ? 1 : 0;
      for (Index k = 0; k < r.cols(); ++k)
        {
          const Eigen::Vector2d to_next = r.col(next) - r.col(here), to_k = r.col(k) - r.col(here);
          const double          turn = to_next(0) * to_k(1) - to_next(1) * to_k(0);
          if (turn < -1e-13 || (std::abs(turn) <= 1e-13 && to_k.norm() > to_next.norm()))
            next = k;
        }
      area += .5 * (r(0, here) * r(1, next) - r(1, here) * r(0, next));
      here = next;
  } while (here != start);
  return area;
}
} // namespace

BOOST_AUTO_TEST_CASE(segments_join_neighbours_on_a_line)
{
  MatrixXd r(1, 4);
  r << .7, .1, .9, .4;
  const DelaunayMesh mesh = homogenization::delaunay_mesh(spheres_at(r, VectorXd::Constant(4, .05)), unit_box(1));
  BOOST_TEST((mesh.corners == std::vector<int>{1, 3, 3, 0, 0, 2}));
}

BOOST_AUTO_TEST_CASE(the_mesh_fills_the_convex_hull)
{
  for (const micro::Spheres &spheres : {random_spheres(20, 2), lattices::square(filled(unit_box(2)), placement(.05)),
                                        lattices::square(filled(unit_box(2)), placement(.05, .4, .1)),
                                        lattices::triangular(filled(unit_box(2)), placement(.05, 1.))})
    {
      const DelaunayMesh mesh = homogenization::delaunay_mesh(spheres, unit_box(2));
      const VectorXd     area = volumes(mesh, spheres);
      BOOST_TEST(area.minCoeff() > 0.);
      BOOST_TEST(std::abs(area.sum() - hull_area(spheres.r)) < 1e-8); // slivers below 1e-9 of a triangle are left out
    }
  // in space, with the corners of the box
  for (const Index n : {4, 5})
    {
      micro::Spheres spheres = n == 4 ? random_spheres(n, 3) : lattices::cubic(filled(unit_box(3)), placement(.2));
      const Index    before  = spheres.size();
      spheres.r.conservativeResize(Eigen::NoChange, before + 8);
      spheres.R.conservativeResize(before + 8);
      for (Index k = 0; k < 8; ++k)
        {
          spheres.r.col(before + k) << static_cast<double>(k & 1), static_cast<double>(k >> 1 & 1),
              static_cast<double>(k >> 2);
          spheres.R(before + k) = .01;
        }
      const DelaunayMesh mesh   = homogenization::delaunay_mesh(spheres, unit_box(3));
      const VectorXd     volume = volumes(mesh, spheres);
      BOOST_TEST(volume.minCoeff() > 0.);
      BOOST_TEST(std::abs(volume.sum() - 1.) < 1e-8);
    }
}

// No centre lies inside the circle through the corners of a triangle.
BOOST_AUTO_TEST_CASE(circles_are_empty)
{
  const micro::Spheres spheres = random_spheres(8, 2);
  const DelaunayMesh   mesh    = homogenization::delaunay_mesh(spheres, unit_box(2));
  for (Index s = 0; s < mesh.n_simplices(); ++s)
    {
      const VectorXd  a = spheres.r.col(mesh.corners[3 * s]);
      Eigen::Matrix2d edges;
      edges << spheres.r.col(mesh.corners[3 * s + 1]) - a, spheres.r.col(mesh.corners[3 * s + 2]) - a;
      const Eigen::Vector2d centre  = edges.transpose().inverse() * Eigen::Vector2d(.5 * edges.colwise().squaredNorm());
      const double          nearest = (spheres.r.colwise() - (a + centre)).colwise().norm().minCoeff();
      BOOST_TEST(nearest > centre.norm() * (1. - 1e-9));
    }
}

BOOST_AUTO_TEST_CASE(simplices_outside_the_zone_are_left_out)
{
  const auto           inside  = [](const VectorXd &x) { return x(0) < .5 || x(1) < .5; };
  const auto           domain  = zone(unit_box(2), inside);
  const micro::Spheres spheres = lattices::square(filled(domain, inside), placement(1. / 8.));
  const DelaunayMesh   mesh    = homogenization::delaunay_mesh(spheres, domain);
  // the squares between centres, half of the one across the corner, and a
  // triangle next to it, as large, with its centroid in the zone
  BOOST_TEST(std::abs(volumes(mesh, spheres).sum() - (33. + .5 + .5) / 64.) < 1e-14);
}

BOOST_AUTO_TEST_CASE(centres_on_a_line_have_no_mesh)
{
  BOOST_TEST(homogenization::delaunay_mesh(lattices::row(5, .1, Eigen::Vector2d(.1, .5)), unit_box(2)).n_simplices() == 0);
  BOOST_TEST(homogenization::delaunay_mesh(lattices::row(5, .1, Eigen::Vector3d(.1, .5, .5)), unit_box(3)).n_simplices() ==
             0);
  BOOST_TEST(homogenization::delaunay_mesh(lattices::row(1, .1, Eigen::Vector2d(.1, .5)), unit_box(2)).n_simplices() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
