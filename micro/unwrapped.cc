// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/unwrapped.h"

namespace moreau::micro
{
namespace
{
/// Adds the direction of x to an orthonormal basis, where it is not within its span.
void widen(Eigen::MatrixXd &basis, const Vector &x, const double negligible)
{
  Vector rest = x;
  for (int repetition = 0; repetition < 2; ++repetition)
    rest -= basis * (basis.transpose() * rest);
  if (rest.norm() <= negligible)
    return;
  basis.conservativeResize(x.size(), basis.cols() + 1);
  basis.rightCols(1) = rest.normalized();
}
} // namespace

Unwrapped unwrapped(const Spheres &spheres, const ContactGraph &graph, const std::vector<int> &cluster, const int n_clusters)
{
  const Index dim = graph.dim, n = graph.n_spheres;
  Unwrapped   result{spheres.r, std::vector<Eigen::MatrixXd>(n_clusters, Eigen::MatrixXd(dim, 0))};
  if (!graph.box.any())
    return result;

  struct Step
  {
    int    to;
    Vector shift; ///< L of the image of `to` that is touched
  };
  std::vector<std::vector<Step>> steps(n);
  for (const Contact &c : graph.contacts)
    if (!graph.touches_wall(c))
      {
        const Vector L = graph.displacement(c);
        steps[c.i].push_back({c.j, L});
        steps[c.j].push_back({c.i, -L});
      }
  const double      negligible = 1e-9 * graph.box.period.maxCoeff();
  std::vector<char> reached(n, 0);
  Eigen::MatrixXd   shift = Eigen::MatrixXd::Zero(dim, n);
  std::vector<int>  to_visit;
  for (Index first = 0; first < n; ++first)
    {
      if (reached[first])
        continue;
      reached[first] = 1;
      to_visit.push_back(static_cast<int>(first));
      while (!to_visit.empty())
        {
          const int i = to_visit.back();
          to_visit.pop_back();
          for (const Step &step : steps[i])
            {
              const Vector of_j = shift.col(i) + step.shift;
              if (!reached[step.to])
                {
                  reached[step.to]   = 1;
                  shift.col(step.to) = of_j;
                  to_visit.push_back(step.to);
                }
              else
                widen(result.endless[cluster[i]], of_j - shift.col(step.to), negligible);
            }
        }
    }
  result.r += shift;
  return result;
}
} // namespace moreau::micro
