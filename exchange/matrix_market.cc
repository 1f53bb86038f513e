// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/matrix_market.h"

#include "exchange/text_file.h"

#include "convex/input_error.h"
#include "convex/number_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <system_error>

namespace moreau::exchange
{
namespace
{
/// The lines of a file but comments, and its banner.
class MarketText : public TextFile
{
public:
  explicit MarketText(const std::filesystem::path &path) : TextFile(path)
  {
    next();
    std::string banner = line();
    std::transform(banner.begin(), banner.end(), banner.begin(), [](const unsigned char c) { return std::tolower(c); });
    std::istringstream parts(banner);
    std::string        mark, object, field;
    parts >> mark >> object >> format >> field >> symmetry;
    if (mark != "%%matrixmarket" || object != "matrix")
      fail("This is no Matrix Market file: it begins with '%%MatrixMarket matrix'.");
    if (format != "coordinate" && format != "array" || field != "real" && field != "integer" && field != "double" ||
        symmetry != "general" && symmetry != "symmetric")
      fail("'" + banner + "' is not read; give a coordinate or array matrix that is real or integer, general or symmetric.");
  }

  bool is_coordinate() const { return format == "coordinate"; }
  bool is_symmetric() const { return symmetry == "symmetric"; }

  /// The next line that holds n numbers; false at the end.
  bool numbers(const std::size_t n, std::vector<double> &row)
  {
    do
      if (!next())
        return false;
    while (line()[0] == '%' || stripped().empty());
    row.clear();
    for (const std::string &word : words())
      row.push_back(number(word, "a number"));
    if (row.size() != n)
      fail("There are " + std::to_string(row.size()) + " numbers; expected are " + std::to_string(n) + ".");
    return true;
  }

private:
  std::string format, symmetry;
};

int count(const double x, const MarketText &text)
{
  if (!(x >= 0. && x <= std::numeric_limits<int>::max() && x == std::floor(x)))
    text.fail("Sizes, rows and columns are whole numbers up to 2147483647.");
  return static_cast<int>(x);
}

std::string whole_number(const double x) { return std::to_string(static_cast<long long>(std::min(x, 9e18))); }

/// Before memory is taken for it: what is announced makes sense with so many entries.
///   is_B  each row has one
void require_sensible(const double m, const double n, const double n_entries, const bool is_B, const MarketText &text)
{
  const double many = 1000. * (1. + n_entries);
  if (m <= (is_B ? n_entries : many) && n <= many)
    return;
  text.fail("It announces " + whole_number(m) + " rows, " + whole_number(n) + " columns and " + whole_number(n_entries) +
            " entries; " +
            (is_B ? "a row without entries is no constraint, leave such rows and most unknowns in no row out."
                  : "give what has so few of them as an array."));
}

Matrix read_matrix(const std::filesystem::path &path, const bool is_B = false)
{
  MarketText          text(path);
  std::vector<double> row;
  const std::size_t   n_sizes = text.is_coordinate() ? 3 : 2;
  if (!text.numbers(n_sizes, row))
    text.fail("The line with its size is missing.");
  const int m = count(row[0], text), n = count(row[1], text);
  if (text.is_symmetric() && m != n)
    text.fail("It is called symmetric and has " + std::to_string(m) + " rows and " + std::to_string(n) + " columns.");
  const double full      = text.is_symmetric() ? .5 * m * (m + 1.) : 1. * m * n;
  const double n_entries = text.is_coordinate() ? row[2] : full;
  if (!(n_entries >= 0. && n_entries <= full))
    text.fail("It announces " + whole_number(n_entries) + " entries; a matrix of this size has " + whole_number(full) +
              " at most.");
  require_sensible(m, n, n_entries, is_B, text);
  std::vector<Eigen::Triplet<double>> entries;
  const auto                          add = [&](const int i, const int j, const double value) {
    entries.emplace_back(i, j, value);
    if (text.is_symmetric() && i != j)
      entries.emplace_back(j, i, value);
  };
  int  i = 0, j = 0; // of arrays, column by column
  bool has_upper = false, has_lower = false;
  for (double k = 0.; k < n_entries; ++k)
    {
      if (!text.numbers(text.is_coordinate() ? 3 : 1, row))
        text.fail("It ends after " + whole_number(k) + " of " + whole_number(n_entries) + " entries.");
      if (text.is_coordinate())
        {
          const int r = count(row[0], text), c = count(row[1], text);
          if (r < 1 || r > m || c < 1 || c > n)
            text.fail("The entry lies outside of the matrix; rows and columns count from 1.");
          has_upper = has_upper || r < c;
          has_lower = has_lower || r > c;
          if (text.is_symmetric() && has_upper && has_lower)
            text.fail(
                "A symmetric matrix is given by one triangle, its lower one, and here is an entry of the other; leave it "
                "out, or call the matrix general.");
          add(r - 1, c - 1, row[2]);
        }
      else
        {
          if (row[0] != 0.)
            add(i, j, row[0]);
          if (++i == m)
            i = text.is_symmetric() ? ++j : (++j, 0);
        }
    }
  if (text.numbers(text.is_coordinate() ? 3 : 1, row))
    text.fail("This is more than the file announces.");
  Matrix A(m, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

/// Length 0 where there is no such file.
Vector read_vector(const std::filesystem::path &path)
{
  if (!std::filesystem::exists(path))
    return {};
  const Matrix column = read_matrix(path);
  if (column.cols() != 1)
    throw InputError(path.string() + ": It has " + std::to_string(column.cols()) + " columns; a vector has one.");
  return Eigen::MatrixXd(column).col(0);
}

void put_matrix(const Matrix &A, std::ostream &out)
{
  out << "%%MatrixMarket matrix coordinate real general\n" << A.rows() << ' ' << A.cols() << ' ' << A.nonZeros() << '\n';
  for (Index r = 0; r < A.outerSize(); ++r)
    for (Matrix::InnerIterator entry(A, r); entry; ++entry)
      out << r + 1 << ' ' << entry.col() + 1 << ' ' << digits(entry.value()) << '\n';
}

void put_vector(const Vector &v, std::ostream &out)
{
  out << "%%MatrixMarket matrix array real general\n" << v.size() << " 1\n";
  for (const double x : v)
    out << digits(x) << '\n';
}

/// m.mtx or M0.mtx that nothing would read. Throws InputError.
void refuse_other_matrices(const std::filesystem::path &folder)
{
  const std::set<std::string> known = {"B", "U", "M", "b", "u", "p"};
  std::set<std::string>       others;
  std::error_code             unreadable; // which reading says
  for (const auto &entry : std::filesystem::directory_iterator(folder, unreadable))
    if (entry.path().extension() == ".mtx" && known.count(entry.path().stem().string()) == 0)
      others.insert(entry.path().string());
  if (!others.empty())
    throw InputError(
        *others.begin() +
        ": No matrix or vector of a projection has this name; they are B, U, M, b, u and p, and what is none of "
        "them does not belong in the folder.");
}
} // namespace

ProblemFile read_matrix_market_problem(const std::filesystem::path &folder)
{
  refuse_other_matrices(folder);
  ProblemFile result;
  result.problem.B = read_matrix(folder / "B.mtx", true);
  result.problem.U = read_vector(folder / "U.mtx");
  result.problem.b = read_vector(folder / "b.mtx");
  if (std::filesystem::exists(folder / "M.mtx"))
    result.problem.M = read_matrix(folder / "M.mtx");
  result.answer = {read_vector(folder / "u.mtx"), read_vector(folder / "p.mtx")};
  if (!std::filesystem::exists(folder / "U.mtx"))
    throw InputError((folder / "U.mtx").string() +
                     ": It is missing; a projection is B and U, with M and b where they are not 1 and 0.");
  require_sound(result.problem, folder.string());
  require_sound(result.answer, result.problem, folder.string());
  return result;
}

Answer read_matrix_market_answer(const std::filesystem::path &folder)
{
  refuse_other_matrices(folder);
  const Answer answer = {read_vector(folder / "u.mtx"), read_vector(folder / "p.mtx")};
  if (answer.is_empty())
    throw InputError(folder.string() +
                     ": It has neither u.mtx nor p.mtx; an answer is the velocity u, or the impulses p, or both.");
  return answer;
}

void write_matrix_market(const ProblemFile &contents, const std::filesystem::path &folder)
{
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw std::runtime_error(folder.string() + " is no folder and cannot be made one; give another.");
  std::vector<TextToWrite> files;
  std::vector<std::string> others; // of a problem that was there before
  const auto               add = [&](const std::string &name, const auto &values, const auto &write) {
    if (values.size() == 0)
      return others.push_back(name);
    files.push_back({folder / name, [&values, write](std::ostream &out) { write(values, out); }});
  };
  add("B.mtx", contents.problem.B, put_matrix);
  add("M.mtx", contents.problem.M, put_matrix);
  add("U.mtx", contents.problem.U, put_vector);
  add("b.mtx", contents.problem.b, put_vector);
  add("u.mtx", contents.answer.u, put_vector);
  add("p.mtx", contents.answer.p, put_vector);
  for (const std::string &name : others)
    if (std::filesystem::is_directory(folder / name))
      throw std::runtime_error((folder / name).string() + " is a folder; give another place for the problem.");
  write_text_files(files);
  for (const std::string &name : others)
    if (std::filesystem::remove(folder / name, error); error)
      throw std::runtime_error((folder / name).string() +
                               " is of another problem and cannot be removed; give a folder of its own.");
}
} // namespace moreau::exchange
