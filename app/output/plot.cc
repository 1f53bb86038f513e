// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/plot.h"

#include "app/output/child_process.h"
#include "app/output/shared_files.h"

#include "app/input/parameters.h"
#include "app/input/text/words.h"
#include "convex/clock.h"
#include "insitu/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace moreau::app
{
namespace
{
/// Runs words[0] with the other words and waits for it. Returns whether it succeeded. Throws std::system_error where it
/// cannot be started, ETIMEDOUT where it takes longer than the limit (s): then it and what it has started are ended.
bool run(std::vector<std::string> words, const Stream &input, const Stream &output, const Stream &errors, const double limit)
{
  const auto   start = convex::Clock::now();
  ChildProcess child(std::move(words), input, output, errors);
  while (!child.has_ended())
    {
      if (convex::seconds_since(start) > limit)
        throw std::system_error(ETIMEDOUT, std::generic_category());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  return child.exit_status() == 0;
}

/// 'text' of gnuplot, in which nothing but quotation marks has a meaning.
std::string quoted(const std::string &text)
{
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "''" : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return result + "'";
}

/// The variables as commands of gnuplot, each with the separator behind it.
std::string assignments(const Plot &plot, const std::string &separator)
{
  std::string result;
  for (const auto &[name, text] : plot.texts)
    result += name + " = " + quoted(text) + separator;
  for (const auto &[name, list] : plot.lists)
    {
      std::vector<std::string> texts;
      std::transform(list.begin(), list.end(), std::back_inserter(texts), quoted);
      result += "array " + name + "[" + std::to_string(list.size()) + "] = [" + joined(texts, ", ") + "]" + separator;
    }
  return result;
}

bool begins_and_ends(const std::string &bytes, const std::string &start, const std::string &end)
{
  return bytes.size() > start.size() + end.size() && bytes.compare(0, start.size(), start) == 0 &&
         bytes.compare(bytes.size() - end.size(), end.size(), end) == 0;
}

bool is_complete(const std::string &bytes, const std::string &format)
{
  const std::string said = bytes.substr(0, bytes.find_last_not_of("\r\n") + 1);
  return format == "svg"   ? begins_and_ends(said, "<?xml", "</svg>")
         : format == "pdf" ? begins_and_ends(said, "%PDF-", "%%EOF")
                           : begins_and_ends(bytes, "\x89PNG\r\n\x1a\n", "IEND\xae\x42\x60\x82");
}

/// What a script of app/plots says below its first line, the licence.
std::string body_of(const std::string &file)
{
  std::ifstream     in(file);
  std::string       licence;
  std::stringstream rest;
  std::getline(in, licence);
  if (!(rest << in.rdbuf()))
    throw std::runtime_error(file + " cannot be read");
  return rest.str();
}

/// One file that draws the picture anew from the table beside it.
std::string script_of(const Plot &plot, const std::string &name, const std::string &table, const std::string &scripts)
{
  return "# SPDX-License-Identifier: GPL-3.0-or-later\n"
         "# Draws a picture anew from the table beside this file, in the folder of both: gnuplot FILE.gp for a PNG,\n"
         "# gnuplot -e \"format = 'pdf'\" FILE.gp (or svg) for others.\n"
         "if (!exists('format')) { format = 'png' }\n"
         "table = " +
         quoted(table) + "\n" + assignments(plot, "\n") + "\n" + body_of(scripts + "/style.gp") + "set output " +
         quoted(name) + ".'.'.format\n\n" + body_of(scripts + "/" + plot.script + ".gp") + "unset output\n";
}

/// The last line that says something: warnings and the place of an error come before it.
std::string last_words(const std::string &text)
{
  const std::string said = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return said.substr(said.rfind('\n') + 1);
}
} // namespace

void Plot::add_curve(const std::string &name, const std::string &column, const bool dashed, const int limit,
                     const bool with_interval)
{
  lists["names"].push_back(name);
  lists["columns"].push_back(column);
  lists["dashed"].push_back(std::to_string(dashed));
  lists["limits"].push_back(std::to_string(limit));
  lists["intervals"].push_back(std::to_string(with_interval));
}

std::string title_of(const ParameterFile &file)
{
  if (const std::string &given = file.values().plot_title; !given.empty())
    return given;
  std::string title = file.path().stem().string();
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::string pictures_of(const Plot &plot, const std::string &name)
{
  std::vector<std::string> files;
  for (const std::string &format : plot.formats)
    files.push_back(name + "." + format);
  return joined(files, ", ");
}

std::string draw(const Plot &plot, const std::filesystem::path &folder, const std::string &name,
                 const std::function<void(std::ostream &)> &write_table, const geometry::Progress &progress)
{
  const std::string  scripts = shared_folder("plots", MOREAU_PLOTS);
  std::ostringstream table;
  write_table(table);
  std::string     no_picture;
  geometry::Steps drawn(progress, static_cast<std::ptrdiff_t>(plot.formats.size()));
  const auto      write = [&](const std::string &file, const std::string &content) {
    insitu::write_atomically(folder / file, [&](std::ostream &out) { out << content; });
  };
  try
    {
      for (const std::string &format : plot.formats)
        {
          const std::string file = name + "." + format;
          no_picture             = file + " is not drawn: ";
          const Stream input(table.str()), output, errors;
          const auto   given = "table = '/dev/stdin'; format = " + quoted(format) + "; " + assignments(plot, "; ");
          // -d: no start-up files of the user, which could change the picture
          const bool succeeded =
              run({"gnuplot", "-d", "-e", given, scripts + "/style.gp", scripts + "/" + plot.script + ".gp"}, input, output,
                  errors, plot.time_limit);
          const std::string picture = output.content(), words = last_words(errors.content());
          if (succeeded && is_complete(picture, format))
            {
              write(file, picture);
              drawn.done();
            }
          else if (succeeded && !words.empty()) // the script says why there is none
            return no_picture + words + ".";
          else
            return no_picture + "gnuplot failed: " + (words.empty() ? "it says nothing" : words) + ".";
        }
      const std::string of_plot = plot.table.empty() ? name + "_plot.csv" : plot.table;
      write(name + ".gp", script_of(plot, name, of_plot, scripts));
      if (plot.table.empty())
        write(of_plot, table.str());
    }
  catch (const std::system_error &error)
    {
      if (error.code() == std::errc::timed_out)
        return no_picture + "gnuplot took longer than " + short_number(plot.time_limit) + " s and was ended.";
      return no_picture + "gnuplot cannot be run (" + error.code().message() + ").";
    }
  catch (const std::runtime_error &error)
    {
      return error.what() + std::string(".");
    }
  return "";
}
} // namespace moreau::app
