// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/progress.h"

#include "app/input/text/words.h"
#include "convex/clock.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace moreau::app
{
/// The thread that keeps the line up to date.
class Progress::Line
{
public:
  explicit Line(const std::string &what) : what(what), start(convex::Clock::now()), thread([this] { keep_up_to_date(); }) {}

  ~Line()
  {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ended = true;
    }
    wake_up.notify_one();
    thread.join();
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
  }

private:
  void keep_up_to_date()
  {
    std::unique_lock<std::mutex> lock(mutex);
    const auto                   has_ended = [this] { return ended; };
    bool                         visible   = false;
    for (; !wake_up.wait_for(lock, std::chrono::seconds(on_terminal ? 1 : 60), has_ended); visible = true)
      print(text());
    if (visible && on_terminal)
      print("");
  }

  std::string text() const
  {
    const double done = fraction - from;
    return what + ": " + duration(convex::seconds_since(start)) +
           (done > 0. ? ", about " + duration(convex::seconds_since(begin) * (1. - fraction) / done) + " left" : "");
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
  const convex::Clock::time_point start;
  convex::Clock::time_point       begin = start; ///< of what goes on now
  double                          from = 0., fraction = 0.;
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
} // namespace moreau::app
