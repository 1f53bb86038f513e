// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/shared_table.h"

#include "parallel/collectives.h"

#include <algorithm>

namespace moreau::app
{
void write_shared(const std::optional<OutputDirectory> &output, const geometry::Processes &processes,
                  const std::string &file, const std::function<void(std::ostream &)> &header, const geometry::Index n,
                  const std::function<void(std::ostream &, geometry::Index, geometry::Index)> &rows)
{
  constexpr geometry::Index at_a_time = 20000;
  const auto                send      = [&](std::ostream *const out) {
    parallel::write_in_order(
                            processes, (n + at_a_time - 1) / at_a_time,
                            [&](std::ostream &piece, const geometry::Index k) { rows(piece, k * at_a_time, std::min(n, (k + 1) * at_a_time)); },
                            out);
  };
  geometry::together(processes, [&] {
    if (!output)
      return send(nullptr);
    bool is_sent = false;
    try
      {
        output->write(file, [&](std::ostream &out) {
          header(out);
          is_sent = true;
          send(&out);
        });
      }
    catch (...)
      {
        if (!is_sent) // nobody is to wait
          send(nullptr);
        throw;
      }
  });
}
} // namespace moreau::app
