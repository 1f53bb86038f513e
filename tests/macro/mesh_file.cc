// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/mesh_file.h"

#include "convex/input_error.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

BOOST_AUTO_TEST_SUITE(mesh_file)

namespace
{
using namespace moreau;

using Lines = std::vector<std::string>;

const Lines in_blocks = {"$MeshFormat",
                         "4.1 0 8",
                         "$EndMeshFormat",
                         "$Entities",
                         "0 0 1 0",
                         "1 0 0 0 1 1 0 0 0",
                         "$EndEntities",
                         "$Nodes",
                         "1 4 1 4",
                         "2 1 0 4",
                         "1",
                         "2",
                         "3",
                         "4",
                         "0 0 0",
                         "1 0 0",
                         "1 1 0",
                         "0 1 0",
                         "$EndNodes",
                         "$Elements",
                         "1 1 1 1",
                         "2 1 3 1",
                         "1 1 2 3 4",
                         "$EndElements"};
const Lines flat      = {"$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes",    "4", "1 0 0 0",           "2 1 0 0",
                         "3 1 1 0",     "4 0 1 0", "$EndNodes",      "$Elements", "1", "1 3 2 0 1 1 2 3 4", "$EndElements"};

/// The largest corner of the mesh of these lines.
macro::Vector upper_corner(const Lines &lines)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("moreau_test_" + std::to_string(getpid()) + ".msh");
  {
    std::ofstream out(file);
    for (const std::string &line : lines)
      out << line << '\n';
  }
  struct Remove
  {
    const std::filesystem::path &file;
    ~Remove() { std::filesystem::remove(file); }
  } const remove{file};
  return macro::bounding_box(file, 2).second;
}

std::vector<std::string> words_of(const std::string &line)
{
  std::istringstream       in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}
} // namespace

BOOST_AUTO_TEST_CASE(both_formats_are_read)
{
  for (const Lines &lines : {in_blocks, flat})
    BOOST_TEST(upper_corner(lines) == macro::Vector::Constant(2, 1.));
}

/// What deal.II's reader believes, and writes where it leads.
BOOST_AUTO_TEST_CASE(a_head_of_nodes_that_lies_is_refused)
{
  for (const char *const head : {"1 2 1 4", "1 3 1 4", "1 5 1 4", "2 4 1 4", "0 4 1 4", "1 -1 1 4", "2147483648 4 1 4",
                                 "1 1000000 1 4", "nan 4 1 4", "1 1e9 1 4"})
    {
      Lines lines = in_blocks;
      lines[8]    = head;
      BOOST_CHECK_THROW(upper_corner(lines), InputError);
    }
  for (const char *const head : {"2 1 0 2", "2 1 0 5", "2 1 0 -1", "2 1 0 2147483648", "2 1 1 4", "2 1 0"})
    {
      Lines lines = in_blocks;
      lines[9]    = head;
      BOOST_CHECK_THROW(upper_corner(lines), InputError);
    }
  for (const char *const head : {"3", "5", "-1", "0", "2147483648", "nan"})
    {
      Lines lines = flat;
      lines[4]    = head;
      BOOST_CHECK_THROW(upper_corner(lines), InputError);
    }
}

BOOST_AUTO_TEST_CASE(coordinates_are_finite)
{
  for (const char *const x : {"nan 0 0", "inf 0 0", "1e999 0 0"})
    {
      Lines lines = in_blocks;
      lines[14]   = x;
      BOOST_CHECK_THROW(upper_corner(lines), InputError);
    }
}

/// Every number of a file: what is read is a mesh, all else is a sentence.
BOOST_AUTO_TEST_CASE(no_number_of_a_file_ends_the_program)
{
  for (const Lines &lines : {in_blocks, flat})
    for (std::size_t line = 0; line < lines.size(); ++line)
      for (std::size_t k = 0; k < words_of(lines[line]).size(); ++k)
        for (const char *const other : {"", "0", "2", "3", "5", "-1", "1000000", "2147483648", "1e9", "nan", "$"})
          {
            std::vector<std::string> words = words_of(lines[line]);
            words[k]                       = other;
            Lines changed                  = lines;
            changed[line].clear();
            for (const std::string &word : words)
              changed[line] += word + ' ';
            try
              {
                BOOST_TEST(upper_corner(changed).size() == 2);
              }
            catch (const InputError &error)
              {
                BOOST_TEST(!error.sentence.empty());
              }
          }
}

BOOST_AUTO_TEST_SUITE_END()
