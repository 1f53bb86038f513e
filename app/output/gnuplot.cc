// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/gnuplot.h"

#include "app/output/child_process.h"
#include "insitu/writer.h"

#include <ostream>
#include <stdexcept>
#include <system_error>

namespace moreau::app
{
namespace
{
bool is_complete_png(const std::string &bytes)
{
  const std::string start("\x89PNG\r\n\x1a\n"), end("IEND\xae\x42\x60\x82");
  return bytes.size() > start.size() + end.size() && bytes.compare(0, start.size(), start) == 0 &&
         bytes.compare(bytes.size() - end.size(), end.size(), end) == 0;
}

/// The first line that says something; gnuplot marks the place of an error in lines before it.
std::string first_words(const std::string &text)
{
  const std::size_t start = text.find_first_not_of(" \t\r\n^");
  return start == std::string::npos ? "it says nothing" : text.substr(start, text.find('\n', start) - start);
}
} // namespace

std::string quoted(const std::string &text)
{
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "''" : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return result + "'";
}

std::string draw_by_gnuplot(const std::string &script, const std::filesystem::path &png)
{
  const std::string no_picture = png.filename().string() + " is not drawn: ";
  try
    {
      // No start-up files of the user, which could change the picture.
      const ChildResult gnuplot = run_program({"gnuplot", "-d", "-"}, script);
      if (!gnuplot.succeeded || !is_complete_png(gnuplot.output))
        return no_picture + "gnuplot failed: " + first_words(gnuplot.errors) + ".";
      insitu::write_atomically(png, [&](std::ostream &out) { out << gnuplot.output; });
    }
  catch (const std::system_error &error)
    {
      return no_picture + "gnuplot cannot be run (" + error.code().message() + ").";
    }
  catch (const std::runtime_error &error)
    {
      return error.what() + std::string(".");
    }
  return "";
}
} // namespace moreau::app
