// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/shared_columns.h"

#include "parallel/collectives.h"

namespace moreau::homogenization
{
void Share::complete(double *const columns, const Index n_rows) const
{
  if (processes.size() == 1 || is_in_parts)
    return;
  const parallel::List all = parallel::on_all(processes, parallel::List(columns + n_rows * first, columns + n_rows * last));
  std::copy(all.begin(), all.end(), columns);
}

Eigen::VectorXd Share::sum(const Eigen::MatrixXd &columns, const Index group) const
{
  Eigen::MatrixXd all = columns;
  complete(all);
  Eigen::MatrixXd of_group = Eigen::MatrixXd::Zero(all.rows(), (all.cols() + group - 1) / group);
  for (Index piece = 0; piece < all.cols(); ++piece)
    of_group.col(piece / group) += all.col(piece);
  return geometry::sum_of_columns(is_in_parts ? processes : geometry::Processes::alone(), of_group);
}
} // namespace moreau::homogenization
