// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/dealt_items.h"

namespace moreau::convex
{
DealtItems::DealtItems(const Sharing &processes, const std::vector<std::vector<Index>> &dealt) : processes(processes)
{
  std::vector<std::vector<double>> counts;
  for (const std::vector<Index> &items : dealt)
    {
      own.insert(own.end(), items.begin(), items.end());
      to_process.push_back(static_cast<int>(items.size()));
      counts.push_back({static_cast<double>(items.size())});
    }
  for (const double n : processes.exchanged(counts))
    from_process.push_back(static_cast<int>(n));
}

std::vector<double> DealtItems::told(const std::function<void(Index, std::vector<double> &)> &say) const
{
  std::vector<std::vector<double>> to(to_process.size());
  auto                             item = own.begin();
  for (std::size_t process = 0; process < to.size(); ++process)
    for (int k = 0; k < to_process[process]; ++k)
      say(*item++, to[process]);
  return processes.exchanged(to);
}

void DealtItems::answer(const std::vector<double> &found, const int n_each,
                        const std::function<void(Index, const double *)> &take) const
{
  std::vector<std::vector<double>> answers;
  auto                             at = found.begin();
  for (const int n : from_process)
    {
      answers.emplace_back(at, at + n_each * n);
      at += n_each * n;
    }
  const std::vector<double> answered = processes.exchanged(answers);
  for (std::size_t k = 0; k < own.size(); ++k)
    take(own[k], answered.data() + n_each * k);
}
} // namespace moreau::convex
