// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/network/contact_cone.h"

#include "convex/input_error.h"
#include "convex/solvers/least_relaxation.h"
#include "micro/contact_constraint.h"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <utility>

namespace moreau::micro
{
namespace
{
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd &A)
{
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Deviator normalised(const std::string &name, const Eigen::Matrix3d &A) { return {name, 0., A / -eigenvalues(A)(0)}; }

/// |r_j - r_i| with the image of j.
Vector lengths(const Spheres &spheres, const ContactGraph &graph)
{
  Vector l(graph.n_contacts());
  for (Index c = 0; c < graph.n_contacts(); ++c)
    {
      const Contact &contact = graph.contacts[c];
      l(c)                   = spheres.R(contact.i) + spheres.R(contact.j) + contact.D;
    }
  return l;
}
} // namespace

std::vector<Deviator> plane_deviators(const int n)
{
  std::vector<Deviator> result;
  for (int k = 0; k < n; ++k)
    {
      const double    degrees = 180. * k / n, a = degrees * M_PI / 180.;
      Eigen::Matrix2d A;
      A << std::cos(2. * a), std::sin(2. * a), std::sin(2. * a), -std::cos(2. * a);
      result.push_back({std::to_string(degrees) + " degrees", degrees, A});
    }
  return result;
}

std::vector<Deviator> space_deviators()
{
  const Eigen::Matrix3d                                      I    = Eigen::Matrix3d::Identity();
  const std::vector<std::pair<std::string, Eigen::Vector3d>> axes = {
      {"x", {1., 0., 0.}},         {"y", {0., 1., 0.}},         {"z", {0., 0., 1.}},        {"(1,1,1)", {1., 1., 1.}},
      {"(-1,1,1)", {-1., 1., 1.}}, {"(1,-1,1)", {1., -1., 1.}}, {"(1,1,-1)", {1., 1., -1.}}};
  std::vector<Deviator> result;
  for (const double sign : {-1., 1.})
    for (const auto &[name, axis] : axes)
      {
        const Eigen::Vector3d n = axis.normalized();
        result.push_back(
            normalised((sign < 0. ? "compression along " : "extension along ") + name, sign * (n * n.transpose() - I / 3.)));
      }
  for (int k = 0; k < 3; ++k)
    {
      const Eigen::Vector3d x = I.col(k), y = I.col((k + 1) % 3);
      const std::string     plane = {"xyz"[k], "xyz"[(k + 1) % 3]};
      result.push_back(normalised("shear " + plane + ", longer along " + plane[0], x * x.transpose() - y * y.transpose()));
      result.push_back(normalised("shear " + plane + ", longer along the diagonal", x * y.transpose() + y * x.transpose()));
    }
  return result;
}

double circular_s(const Deviator &deviator, const double s)
{
  const auto d = static_cast<double>(deviator.A.rows());
  return s * d / (std::sqrt(d * (d - 1.)) * deviator.A.norm());
}

std::vector<ConeEdge> contact_cone(const Spheres &spheres, const ContactGraph &graph, const std::vector<Deviator> &deviators,
                                   const double tolerance, const std::function<void(double)> &progress)
{
  const Index dim = graph.dim;
  if (graph.box.period.size() != dim || !(graph.box.period.minCoeff() > 0.))
    throw InputError("the periods", "A mean velocity gradient is free only in a box that repeats itself in all directions; "
                                    "name all of them.");
  if (graph.n_contacts() == 0)
    throw InputError("the contact tolerance", "Nothing touches, so that no mean velocity gradient is blocked; raise it, or "
                                              "give a packing.");
  const ContactConstraint B(graph);
  const double            unit = 2. * spheres.R.mean(); // of lengths
  const Vector            l    = lengths(spheres, graph) / unit;
  convex::LeastRelaxation program(B, l);

  std::vector<ConeEdge> edges;
  for (const Deviator &deviator : deviators)
    {
      // rows -e·(w_j - w_i) <= l (e·Ae + t)
      Vector b(graph.n_contacts());
      for (Index c = 0; c < b.size(); ++c)
        {
          const Vector e = graph.contacts[c].e.head(dim);
          b(c)           = l(c) * e.dot(deviator.A * e);
        }
      // a stress gives -Σ p l e·Ae >= -λ_max
      const double       least = -eigenvalues(deviator.A)(dim - 1) - 1e-3;
      convex::Relaxation x     = program.solve(b, least, tolerance);
      ConeEdge           edge;
      edge.deviator     = deviator;
      edge.has_stress   = !x.unbounded;
      edge.lower        = x.unbounded ? -std::numeric_limits<double>::infinity() : x.lower;
      edge.upper        = x.unbounded ? -std::numeric_limits<double>::infinity() : x.upper;
      edge.stress       = x.unbounded ? Vector(Vector::Zero(b.size())) : Vector(x.p / unit);
      edge.fluctuation  = unit * x.w;
      edge.imbalance    = x.unbounded ? std::numeric_limits<double>::quiet_NaN() : x.imbalance;
      edge.converged    = x.converged;
      edge.n_iterations = x.n_iterations;
      Eigen::Map<Eigen::MatrixXd> w(edge.fluctuation.data(), dim, graph.n_spheres);
      w.colwise() -= Vector(w.rowwise().mean());
      if (edge.has_stress)
        edge.n_pressed = (edge.stress.array() > 1e-6 * edge.stress.maxCoeff()).count();
      edges.push_back(std::move(edge));
      if (progress)
        progress(static_cast<double>(edges.size()) / static_cast<double>(deviators.size()));
    }
  return edges;
}

Harmonics harmonics(const std::vector<ConeEdge> &edges)
{
  if (edges.empty())
    throw std::invalid_argument("harmonics: there must be an angle at least.");
  const int  n         = static_cast<int>(edges.size());
  const auto component = [&](const int order) { // 2/n Σ s exp(i order a)
    std::complex<double> sum = 0.;
    for (const ConeEdge &edge : edges)
      sum += edge.s() * std::polar(1., order * edge.deviator.angle * M_PI / 180.);
    return sum * 2. / static_cast<double>(n);
  };
  const auto amplitude = [&](const int order) { // aliases: order/2 and n - order/2 are one
    return order < n ? std::abs(component(order)) : std::numeric_limits<double>::quiet_NaN();
  };
  Harmonics result;
  result.mean       = .5 * component(0).real();
  result.tilt       = amplitude(2);
  result.tilt_angle = .5 * std::arg(component(2)) * 180. / M_PI;
  if (result.tilt_angle < 0.)
    result.tilt_angle += 180.;
  result.fourth = amplitude(4);
  result.sixth  = amplitude(6);
  double sum    = 0.;
  for (const ConeEdge &edge : edges)
    sum += std::pow(edge.s() - result.mean, 2);
  result.anisotropy = std::sqrt(sum / n);
  return result;
}
} // namespace moreau::micro
