// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/directional/velocity_on_mesh.h"

#include "macro/saturated_cells.h"

namespace moreau::macro
{
Field velocity_on_mesh(const Setting &setting, VelocityAtPoint v)
{
  return [&setting, v = std::move(v)](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    std::vector<Index> beside, away; // stay empty, and cost nothing, where all points lie on the mesh
    for (Index q = 0; q < x.cols(); ++q)
      {
        const Reach where = v(x.col(q).data(), values.col(q).data());
        if (where == Reach::beside)
          beside.push_back(q);
        else if (where == Reach::away)
          away.push_back(q);
      }
    if (!beside.empty())
      {
        const std::vector<char> saturated = saturated_at(setting.domain, x(Eigen::all, beside));
        for (std::size_t k = 0; k < beside.size(); ++k)
          if (!saturated[k])
            away.push_back(beside[k]);
      }
    if (away.empty())
      return;
    const Eigen::MatrixXd x_away = x(Eigen::all, away);
    Eigen::MatrixXd       U(values.rows(), x_away.cols());
    setting.U(x_away, U);
    values(Eigen::all, away) = U;
  };
}
} // namespace moreau::macro
