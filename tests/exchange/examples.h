// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_TESTS_EXCHANGE_EXAMPLES_H
#define MOREAU_TESTS_EXCHANGE_EXAMPLES_H

#include "exchange/projection_data.h"

#include <boost/test/unit_test.hpp>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <fstream>
#include <random>

namespace moreau::exchange
{
/// An empty folder, removed at the end.
class Folder
{
public:
  Folder()
  {
    std::string name = (std::filesystem::temp_directory_path() / "moreau_exchange_XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }

  std::string file(const std::string &name) const { return (path / name).string(); }
  std::string with(const std::string &name, const std::string &text) const
  {
    std::ofstream(path / name) << text;
    return file(name);
  }

private:
  std::filesystem::path path;
};

/// Random rows with an admissible velocity, masses between 1e-2 and 1e2, coupled by a few entries where M is not diagonal.
inline ProblemFile random_problem(const unsigned int seed, const Index n, const Index m, const bool diagonal)
{
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform(-1., 1.);
  const auto                             number = [&] { return uniform(random); };
  ProblemFile                            result;
  Eigen::MatrixXd                        B = Eigen::MatrixXd::NullaryExpr(m, n, number), M = Eigen::MatrixXd::Zero(n, n);
  const Vector                           inner = Vector::NullaryExpr(n, number);
  for (Index r = 0; r < m; ++r)
    if (B.row(r).dot(inner) > 0.)
      B.row(r) *= -1.;
  for (Index k = 0; k < n; ++k)
    M(k, k) = std::pow(10., 2. * number());
  if (!diagonal)
    for (Index k = 0; k + 1 < n; k += 2)
      M(k, k + 1) = M(k + 1, k) = .6 * std::sqrt(M(k, k) * M(k + 1, k + 1));
  result.problem.B = B.sparseView();
  result.problem.M = M.sparseView();
  result.problem.U = Vector::NullaryExpr(n, number);
  result.problem.b = .1 * Vector::NullaryExpr(m, [&] { return std::abs(number()); });
  return result;
}

inline bool same(const Matrix &A, const Matrix &other)
{
  return A.rows() == other.rows() && A.cols() == other.cols() && Eigen::MatrixXd(A) == Eigen::MatrixXd(other);
}

/// What an InputError says, empty where there is none.
inline std::string complaint(const std::function<void()> &f);
} // namespace moreau::exchange

#include "convex/input_error.h"

inline std::string moreau::exchange::complaint(const std::function<void()> &f)
{
  try
    {
      f();
    }
  catch (const InputError &error)
    {
      return error.what();
    }
  return "";
}

#endif
