// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/progress.h"

#include "app/input/text/words.h"
#include "convex/clock.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace moreau::app
{
namespace
{
std::atomic<int> n_lines = 0; ///< one within another
} // namespace

/// The thread that keeps the line up to date.
class Progress::Line
{
public:
  explicit Line(const std::string &what)
      : what(what), number(++n_lines), start(convex::Clock::now()), thread([this] { keep_up_to_date(); })
  {}

  ~Line()
  {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ended = true;
    }
    wake_up.notify_one();
    thread.join();
    --n_lines;
  }

  void done(const double now)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (now < fraction - .1)
      {
        begin = convex::Clock::now();
        from  = now;
      }
    fraction = now;
    expected = 0.;
  }

  void expect(const double seconds)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    begin    = convex::Clock::now();
    expected = seconds;
  }

private:
  void keep_up_to_date()
  {
    std::unique_lock<std::mutex> lock(mutex);
    const auto                   has_ended = [this] { return ended; };
    bool                         visible   = false;
    while (!wake_up.wait_for(lock, std::chrono::seconds(on_terminal ? 1 : 60), has_ended))
      if (number == n_lines)
        {
          print(text());
          visible = true;
        }
    if (visible && on_terminal)
      print("");
  }

  std::string text() const
  {
    const double done = fraction - from, since = convex::seconds_since(begin),
                 left   = expected > 0. ? expected - since
                          : done > 0.   ? since * (1. - fraction) / done
                                        : 0.;
    const bool is_known = expected > 0. ? left > 0. : done > 0.;
    return what + ": " + duration(convex::seconds_since(start)) + (is_known ? ", about " + duration(left) + " left" : "");
  }

  /// By stdio and not by std::cerr, which expressions redirect for a moment.
  void print(const std::string &text) const
  {
    if (on_terminal)
      std::fprintf(stderr, "\r\033[K%s", text.c_str());
    else
      std::printf("  %s\n", text.c_str());
    std::fflush(on_terminal ? stderr : stdout);
  }

  const bool on_terminal = isatty(STDERR_FILENO);

  const std::string               what;
  const int                       number; ///< of those that are there
  const convex::Clock::time_point start;
  convex::Clock::time_point       begin = start; ///< of what goes on now
  double                          from = 0., fraction = 0., expected = 0.;
  std::mutex                      mutex;
  std::condition_variable         wake_up;
  bool                            ended = false;
  std::thread                     thread; ///< last, so that it starts when all else is there
};

Progress::Progress(const std::string &what, const bool shown)
{
  if (shown)
    line = std::make_unique<Line>(what);
}

Progress::~Progress() = default;

void Progress::done(const double fraction)
{
  if (line)
    line->done(fraction);
}

void Progress::expect(const double seconds)
{
  if (line)
    line->expect(seconds);
}
} // namespace moreau::app
