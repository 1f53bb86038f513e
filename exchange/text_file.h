// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_TEXT_FILE_H
#define MOREAU_EXCHANGE_TEXT_FILE_H

#include <filesystem>
#include <fstream>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace moreau::exchange
{
/// ".csv" of "Spheres.CSV".
std::string end_of(const std::string &file_name);

/// The lines of a text file, their words and numbers. Messages are InputErrors with file and line.
class TextFile
{
public:
  /// Throws where the file cannot be read.
  explicit TextFile(const std::filesystem::path &path);

  /// The next line; false at the end.
  bool next();

  const std::string &line() const { return text; }
  /// Without what is behind the mark, which comment() has then, and without blanks at both ends.
  void                     cut_at(char mark);
  const std::string       &comment() const { return behind_mark; }
  std::string              stripped() const;
  std::vector<std::string> words(const std::string &between = " \t") const;
  double                   number(const std::string &word, const std::string &what) const; ///< throws where it is not finite

  [[noreturn]] void  fail(const std::string &what) const;
  const std::string &file_name() const { return name; }

private:
  std::string   name;
  std::ifstream in;
  std::string   text, behind_mark;
  std::size_t   line_number = 0;
};

/// Of an element of XML; empty where it has none of this name.
std::string attribute_of(const std::string &element, const std::string &name);

/// Writes a file that appears complete or not at all; throws std::runtime_error where that is not possible.
void write_text_file(const std::filesystem::path &path, const std::string &text);
void write_text_file(const std::filesystem::path &path, const std::function<void(std::ostream &)> &write);

/// Where a file goes, and what writes it.
struct TextToWrite
{
  std::filesystem::path               path;
  std::function<void(std::ostream &)> write;
};

/// Files that belong together: the old ones stay where one of the new ones cannot be written.
void write_text_files(const std::vector<TextToWrite> &files);
} // namespace moreau::exchange

#endif
