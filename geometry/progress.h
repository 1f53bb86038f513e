// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_GEOMETRY_PROGRESS_H
#define MOREAU_GEOMETRY_PROGRESS_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

namespace moreau::geometry
{
/// Told how much of a piece of work is done. Empty: nobody asks.
class Progress
{
public:
  Progress() = default;

  /// tell(fraction), fraction in [0, 1]: called from several threads, now and then.
  template <class Tell, class = std::enable_if_t<std::is_invocable_v<Tell, double>>>
  Progress(Tell tell) : tell(std::move(tell))
  {}

  void operator()(const double fraction) const
  {
    if (tell)
      tell(begin + (end - begin) * fraction);
  }

  /// For a part of the work, which begins and ends at these fractions of the whole.
  Progress part(const double from, const double to) const
  {
    Progress result(*this);
    result.begin = begin + (end - begin) * from;
    result.end   = begin + (end - begin) * to;
    return result;
  }

private:
  std::function<void(double)> tell;
  double                      begin = 0., end = 1.;
};

/// Work in n equal steps, done in any order by several threads; told after every hundredth, never less than before.
class Steps
{
public:
  Steps(const Progress &progress, const std::ptrdiff_t n)
      : progress(progress), n(n), hundredth(std::max<std::ptrdiff_t>(1, n / 100))
  {}

  void done(const std::ptrdiff_t k = 1)
  {
    const std::ptrdiff_t before = n_done.fetch_add(k), now = before + k;
    if (before / hundredth == now / hundredth)
      return;
    const std::lock_guard<std::mutex> lock(mutex); // a thread that counted earlier may come here later
    told = std::max(told, now);
    progress(static_cast<double>(told) / static_cast<double>(n));
  }

private:
  Progress                    progress;
  const std::ptrdiff_t        n, hundredth;
  std::atomic<std::ptrdiff_t> n_done = 0;
  std::ptrdiff_t              told   = 0;
  std::mutex                  mutex; ///< of what is told
};
} // namespace moreau::geometry

#endif
