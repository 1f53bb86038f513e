// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/dealt_items.h"

namespace moreau::convex
{
namespace
{
using Lists = std::vector<std::vector<double>>;
} // namespace

DealtItems::DealtItems(const Sharing &processes, std::vector<std::vector<Index>> items)
    : processes(processes), dealt(std::move(items))
{
  Lists n_dealt;
  for (const std::vector<Index> &to_one : dealt)
    n_dealt.push_back({static_cast<double>(to_one.size())});
  n_arrived = processes.exchanged(n_dealt);
}

std::vector<double> DealtItems::told(const std::function<void(Index, std::vector<double> &)> &say) const
{
  Lists to(dealt.size());
  for (std::size_t process = 0; process < dealt.size(); ++process)
    for (const Index item : dealt[process])
      say(item, to[process]);
  return processes.exchanged(to);
}

void DealtItems::answer(const std::vector<double> &found, const std::size_t n_each,
                        const std::function<void(Index, const double *)> &take) const
{
  Lists answers;
  auto  at = found.begin();
  for (const double n : n_arrived)
    {
      const auto end = at + static_cast<std::ptrdiff_t>(n_each * static_cast<std::size_t>(n));
      answers.emplace_back(at, end);
      at = end;
    }
  const std::vector<double> answered = processes.exchanged(answers);
  const double             *numbers  = answered.data();
  for_each([&](const Index item) {
    take(item, numbers);
    numbers += n_each;
  });
}
} // namespace moreau::convex
