// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/formats.h"
#include "exchange/matrix_market.h"
#include "exchange/numpy_archive.h"
#include "tests/exchange/examples.h"

BOOST_AUTO_TEST_SUITE(projection_files)

using namespace moreau;
using namespace moreau::exchange;

namespace
{
void check_same(const ProblemFile &read, const ProblemFile &given)
{
  BOOST_TEST(same(read.problem.B, given.problem.B));
  BOOST_TEST(same(read.problem.M, given.problem.M));
  BOOST_TEST((read.problem.U == given.problem.U));
  BOOST_TEST((read.problem.b == given.problem.b));
  BOOST_TEST((read.answer.u == given.answer.u));
  BOOST_TEST((read.answer.p == given.answer.p));
}

const std::string header = "%%MatrixMarket matrix coordinate real general\n";
} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_bit_for_bit)
{
  const Folder folder;
  for (const bool diagonal : {true, false})
    for (const bool with_answer : {true, false})
      {
        ProblemFile given = random_problem(7, 9, 5, diagonal);
        if (with_answer)
          given.answer = {given.problem.U, given.problem.b};
        for (const std::string name : {"a.npz", "folder"})
          {
            std::filesystem::remove_all(folder.file(name));
            write_problem(given, folder.file(name));
            check_same(read_problem(folder.file(name)), given);
          }
      }
}

BOOST_AUTO_TEST_CASE(mass_and_right_hand_side_may_be_left_out)
{
  const Folder folder;
  ProblemFile  given = random_problem(3, 4, 6, true);
  given.problem.M    = Matrix();
  given.problem.b    = Vector();
  write_problem(given, folder.file("a.npz"));
  write_problem(given, folder.file("folder"));
  for (const std::string name : {"a.npz", "folder"})
    {
      const ProblemFile read = read_problem(folder.file(name));
      BOOST_TEST(read.problem.M.size() == 0);
      BOOST_TEST(read.problem.b.size() == 0);
      BOOST_TEST(read.answer.is_empty());
    }
}

BOOST_AUTO_TEST_CASE(matrix_market_knows_arrays_symmetric_matrices_and_comments)
{
  const Folder folder;
  folder.with("B.mtx", "%%MatrixMarket matrix array real general\n% two rows\n2 2\n1\n-1\n\n0.5\n0\n");
  folder.with("M.mtx", "%%MatrixMarket MATRIX Coordinate Real Symmetric\n2 2 3\n1 1 2\n2 1 .5\n2 2 3\n");
  folder.with("U.mtx", "%%MatrixMarket matrix array integer general\r\n2 1\r\n3\r\n+4\r\n");
  const ProblemFile read = read_matrix_market_problem(folder.file("."));
  BOOST_TEST((Eigen::MatrixXd(read.problem.B) == (Eigen::MatrixXd(2, 2) << 1., .5, -1., 0.).finished()));
  BOOST_TEST((Eigen::MatrixXd(read.problem.M) == (Eigen::MatrixXd(2, 2) << 2., .5, .5, 3.).finished()));
  BOOST_TEST((read.problem.U == (Vector(2) << 3., 4.).finished()));
}

// All of it is the new problem, or all of it the old one.
BOOST_AUTO_TEST_CASE(a_folder_holds_one_problem)
{
  const Folder folder;
  ProblemFile  rich = random_problem(3, 4, 6, true), bare = random_problem(3, 4, 7, true);
  rich.answer             = {rich.problem.U, rich.problem.b};
  bare.problem.M          = Matrix();
  bare.problem.b          = Vector();
  const std::string place = folder.file("problem");
  write_problem(rich, place);
  write_problem(bare, place);
  check_same(read_problem(place), bare);
  write_problem(rich, place);
  std::filesystem::remove(place + "/p.mtx");
  std::filesystem::create_directory(place + "/p.mtx");
  BOOST_CHECK_THROW(write_problem(bare, place), std::runtime_error); // which has no p
  ProblemFile other = random_problem(3, 4, 8, true);
  other.answer      = {other.problem.U, other.problem.b};
  BOOST_CHECK_THROW(write_problem(other, place), std::runtime_error);
  std::filesystem::remove(place + "/p.mtx");
  rich.answer.p = Vector();
  check_same(read_problem(place), rich);
  for (const auto &entry : std::filesystem::directory_iterator(place))
    BOOST_TEST(entry.path().extension() == ".mtx");
}

BOOST_AUTO_TEST_CASE(bad_matrix_market_files_get_a_sentence)
{
  const auto about = [](const std::string &B, const std::string &U) {
    const Folder folder;
    folder.with("B.mtx", B);
    folder.with("U.mtx", U);
    return complaint([&] { read_problem(folder.file(".")); });
  };
  const std::string B = header + "1 2 1\n1 2 5\n", U = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";
  BOOST_TEST(about(B, U) == "");
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n2 2 ";
  for (const std::string one : {"3\n1 1 1\n1 2 .5\n2 2 1\n", "3\n1 1 1\n2 1 .5\n2 2 1\n"})
    BOOST_TEST(about(symmetric + one, U) == "");
  const auto says = [&](const std::string &text, const std::string &wanted) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(text.find(wanted) != std::string::npos); }
  };
  says(about("1 2 1\n", U), "B.mtx: Line 1: This is no Matrix Market file");
  says(about(header + "1 2 1\n1 3 5\n", U), "outside of the matrix");
  says(about(header + "1 2 2\n1 2 5\n", U), "ends after 1 of 2 entries");
  says(about(header + "1 2 1\n1 2 5\n1 1 1\n", U), "more than the file announces");
  says(about(header + "1 2 1\n1 2 nan\n", U), "'nan' is no finite number");
  says(about(header + "1 2 1\n1 2\n", U), "There are 2 numbers; expected are 3");
  says(about(header + "-1 2 1\n1 2\n", U), "whole numbers");
  says(about(header + "1 2 9e9\n1 2 3\n", U), "announces 9000000000 entries; a matrix of this size has 2 at most");
  says(about(symmetric + "3\n1 2 .5\n2 1 .5\n2 2 1\n", U), "one triangle");
  says(about(header + "666666663 2 1\n1 2 3\n", U), "a row without entries is no constraint");
  says(about(header + "1 666666663 1\n1 2 3\n", U), "most unknowns in no row");
  says(about(B, "%%MatrixMarket matrix coordinate real general\n666666663 1 1\n1 1 1\n"), "as an array");
  says(about("%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 5 0\n", U), "is not read");
  says(about(B, "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n"), "U has 3 entries; B has 2 columns");
  says(about(B, "%%MatrixMarket matrix array real general\n1 2\n1\n2\n"), "a vector has one");
  says(complaint([] { read_problem("no_such_folder"); }), "cannot be read");
  const Folder folder;
  folder.with("B.mtx", B);
  says(complaint([&] { read_problem(folder.file(".")); }), "U.mtx: It is missing");
  for (const char *const name : {"B.mtx", "m.mtx"}) // masses that nothing reads
    folder.with(name, B);
  folder.with("U.mtx", U);
  says(complaint([&] { read_problem(folder.file(".")); }), "m.mtx: No matrix or vector of a projection has this name");
  says(complaint([&] { read_answer(folder.file(".")); }), "m.mtx: No matrix or vector of a projection has this name");
  says(complaint([] { kind_of("a.xyz"); }), "tells no format");
}

BOOST_AUTO_TEST_CASE(bad_archives_get_a_sentence)
{
  const Folder folder;
  const auto   says = [](const std::string &text, const std::string &wanted) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(text.find(wanted) != std::string::npos); }
  };
  says(complaint([&] { read_problem(folder.with("a.npz", "no zip")); }), "cannot be read as an archive of numpy");
  says(complaint([&] { read_problem(folder.file("missing.npz")); }), "cannot be read as an archive of numpy");
  ProblemFile given  = random_problem(3, 4, 6, false);
  given.problem.U(1) = std::nan("");
  write_problem(given, folder.file("b.npz"));
  says(complaint([&] { read_problem(folder.file("b.npz")); }), "Entry 1 of U (from 0) is no finite number");
  given.problem.U.resize(0);
  write_problem(given, folder.file("c.npz"));
  says(complaint([&] { read_problem(folder.file("c.npz")); }), "The array U is missing");
  says(complaint([&] { read_answer(folder.file("c.npz")); }), "neither u nor p");
  for (const double factor : {1e160, 1e-170}) // squares are no numbers
    {
      given = random_problem(3, 4, 6, false);
      given.problem.B *= factor;
      write_problem(given, folder.file("e.npz"));
      says(complaint([&] { Posed(read_problem(folder.file("e.npz")).problem, "e.npz"); }), "divide the row and its b");
    }
  given = random_problem(3, 4, 6, false);
  given.problem.M.coeffRef(0, 1) += 1.;
  write_problem(given, folder.file("d.npz"));
  says(complaint([&] { read_problem(folder.file("d.npz")); }), "M is not symmetric");
  // every byte cut off or changed: a sentence, or the same shapes with other numbers
  write_problem(random_problem(1, 2, 2, true), folder.file("e.npz"));
  std::ifstream     in(folder.file("e.npz"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t k = 0; k < bytes.size(); k += 7)
    {
      std::string changed = bytes;
      changed[k]          = static_cast<char>(changed[k] ^ 0x55);
      complaint([&] { read_problem(folder.with("f.npz", changed)); });
      complaint([&] { read_problem(folder.with("f.npz", bytes.substr(0, k))); });
    }
}

BOOST_AUTO_TEST_SUITE_END()
