// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/progress.h"

#include "app/input/text/words.h"
#include "convex/clock.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
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
  Line(const std::string &what, const Lines &lines)
      : lines(lines), what(what), number(++n_lines), start(convex::Clock::now()), thread([this] { keep_up_to_date(); })
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
    told     = convex::Clock::now();
  }

private:
  void keep_up_to_date()
  {
    std::unique_lock<std::mutex> lock(mutex);
    const auto                   has_ended = [this] { return ended; };
    bool                         visible   = false;
    while (!wake_up.wait_for(lock, std::chrono::duration<double>(lines.every), has_ended))
      if (number == n_lines)
        {
          print(text());
          visible = true;
        }
    if (visible && lines.on_terminal)
      print("");
  }

  /// The time left as it was when the fraction was last told, less what has passed since; where more has passed, nobody
  /// knows.
  std::string text() const
  {
    const double silent = convex::seconds_since(told), taken = convex::seconds_since(begin) - silent, done = fraction - from;
    const double left = done > 0. ? taken * (1. - fraction) / done - silent : 0.;
    return what + ": " + duration(convex::seconds_since(start)) + (left > 0. ? ", about " + duration(left) + " left" : "");
  }

  /// By stdio and not by std::cerr, which expressions redirect for a moment.
  void print(const std::string &text) const
  {
    std::fprintf(lines.file, lines.on_terminal ? "\r\033[K%s" : "  %s\n", text.c_str());
    std::fflush(lines.file);
  }

  const Lines                     lines;
  const std::string               what;
  const int                       number; ///< of those that are there
  const convex::Clock::time_point start;
  convex::Clock::time_point       begin = start; ///< of what goes on now
  convex::Clock::time_point       told  = start; ///< of the fraction
  double                          from = 0., fraction = 0.;
  std::mutex                      mutex;
  std::condition_variable         wake_up;
  bool                            ended = false;
  std::thread                     thread; ///< last, so that it starts when all else is there
};

Progress::Lines Progress::Lines::usual(std::FILE *const without_terminal)
{
  const bool on_terminal = isatty(STDERR_FILENO);
  return {on_terminal ? stderr : without_terminal, on_terminal, on_terminal ? 1. : 60.};
}

Progress::Progress(const std::string &what, const bool shown, const Lines &lines)
{
  if (shown)
    line = std::make_unique<Line>(what, lines);
}

Progress::~Progress() = default;

void Progress::done(const double fraction)
{
  if (line)
    line->done(fraction);
}
} // namespace moreau::app
