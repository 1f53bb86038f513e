// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/shared_columns.h"

#include "parallel/collectives.h"

namespace moreau::homogenization
{
void Share::complete(double *const columns, const Index n_rows) const
{
  if (processes.size() == 1)
    return;
  const parallel::List all = parallel::on_all(processes, parallel::List(columns + n_rows * first, columns + n_rows * last));
  std::copy(all.begin(), all.end(), columns);
}
} // namespace moreau::homogenization
