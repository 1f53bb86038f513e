// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/fclib_file.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "exchange/hdf5_handle.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace moreau::exchange
{
namespace
{
class FclibReader
{
public:
  explicit FclibReader(const std::string &name)
      : name(name), file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose)
  {
    if (file < 0)
      fail("It cannot be read as a file of FCLib (HDF5); check the path.");
    std::error_code error;
    const auto      bytes = std::filesystem::file_size(name, error);
    most_numbers          = error ? 0 : 1032 * static_cast<hssize_t>(bytes);
  }

  bool has(const std::string &path) const
  {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1))
      {
        if (H5Lexists(file, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0)
          return false;
        if (slash == std::string::npos)
          return true;
      }
  }

  /// Length 0 where there is no such array.
  Vector numbers(const std::string &path) const
  {
    if (!has(path))
      return {};
    const Handle   set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose), space(H5Dget_space(set), H5Sclose);
    const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (n > most_numbers)
      fail(path + " claims " + std::to_string(n) + " numbers, more than a file of its size can hold; get the file again.");
    Vector v(std::max<hssize_t>(n, 0));
    if (n < 0 || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.data()) < 0)
      fail(path + " cannot be read as numbers.");
    return v;
  }

  /// The same where all of them are finite; throws where there are none.
  Vector finite(const std::string &path) const
  {
    Vector v = numbers(path);
    if (v.size() == 0)
      fail(path + " is missing; FCLib has a number there for every row.");
    for (Index k = 0; k < v.size(); ++k)
      if (!std::isfinite(v(k)))
        fail("Entry " + std::to_string(k) + " of " + path + " (from 0) is no finite number.");
    return v;
  }

  /// Reads every array that a problem can have, and forgets it: also those behind one that cannot be read.
  void read_all() const
  {
    const auto read = [this](const std::string &path) {
      try
        {
          numbers(path);
        }
      catch (const std::exception &)
        {}
    };
    for (const std::string group : {"/fclib_global", "/fclib_local"})
      {
        for (const char matrix : {'M', 'H', 'G', 'W', 'V', 'R'})
          for (const std::string part : {"/m", "/n", "/nz", "/p", "/i", "/x"})
            read(group + '/' + matrix + part);
        for (const std::string vector : {"/vectors/f", "/vectors/w", "/vectors/q", "/vectors/mu", "/spacedim"})
          read(group + vector);
      }
    read("/solution/v");
    read("/solution/u");
    read("/solution/r");
  }

  Index integer(const std::string &path) const
  {
    const Vector v = numbers(path);
    if (v.size() != 1 || v(0) != std::floor(v(0)) || !(std::abs(v(0)) < 2147483648.))
      fail(path + " is missing or no whole number.");
    return static_cast<Index>(v(0));
  }

  /// Triplets (nz >= 0), compressed columns (nz = -1) or rows (nz = -2). Memory is taken for the sizes that are wanted only.
  ///   of   what has such a length
  Matrix matrix(const std::string &path, const Index rows, const Index columns, const std::string &of) const
  {
    const Index m = integer(path + "/m"), n = integer(path + "/n"), nz = integer(path + "/nz");
    if (m != rows || n != columns)
      fail(path + " is " + std::to_string(m) + " x " + std::to_string(n) + "; by the length of " + of + " it must be " +
           std::to_string(rows) + " x " + std::to_string(columns) + ".");
    const Vector                        p = numbers(path + "/p"), i = numbers(path + "/i"), x = numbers(path + "/x");
    const Index                         outer = nz == -2 ? m : n, inner = nz == -2 ? n : m;
    std::vector<Eigen::Triplet<double>> entries;
    const auto                          index = [&](const double k, const Index end) {
      if (!(k >= 0. && k < static_cast<double>(end) && k == std::floor(k)))
        fail(path + " holds an index " + std::to_string(k) + " outside of the matrix.");
      return static_cast<int>(k);
    };
    if (nz < -2 || nz >= 0 && (p.size() < nz || i.size() < nz || x.size() < nz) || nz < 0 && p.size() != outer + 1)
      fail(path + " is no matrix of FCLib: its arrays do not have the lengths that m, n, nz say.");
    if (nz >= 0)
      for (Index k = 0; k < nz; ++k)
        entries.emplace_back(index(p(k), m), index(i(k), n), x(k));
    else if (p(0) != 0. || p(outer) != static_cast<double>(x.size()) || !std::is_sorted(p.begin(), p.end()))
      fail(path + "/p does not rise from 0 to the " + std::to_string(x.size()) + " entries of the matrix.");
    else
      for (Index o = 0; o < outer; ++o)
        for (Index k = index(p(o), x.size() + 1); k < index(p(o + 1), std::min(x.size(), i.size()) + 1); ++k)
          {
            const int at = index(i(k), inner);
            nz == -2 ? entries.emplace_back(static_cast<int>(o), at, x(k))
                     : entries.emplace_back(at, static_cast<int>(o), x(k));
          }
    for (const auto &entry : entries)
      if (!std::isfinite(entry.value()))
        fail(path + '(' + std::to_string(entry.row()) + ',' + std::to_string(entry.col()) +
             ") (from 0) is no finite number.");
    Matrix A(m, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }

  [[noreturn]] void fail(const std::string &what) const { throw InputError(name + ": " + what); }

private:
  std::string name;
  Handle      file;
  hssize_t    most_numbers; ///< of one byte each, deflated as well as can be
};

Vector normal_part(const Vector &v, const Index dim)
{
  Vector normal(v.size() / dim);
  for (Index c = 0; c < normal.size(); ++c)
    normal(c) = v(dim * c);
  return normal;
}

/// Rows 0, dim, 2 dim, ...
Matrix normal_rows(const Matrix &A, const Index dim)
{
  std::vector<Eigen::Triplet<double>> entries;
  for (Index c = 0; c < A.rows() / dim; ++c)
    for (Matrix::InnerIterator entry(A, dim * c); entry; ++entry)
      entries.emplace_back(static_cast<int>(c), static_cast<int>(entry.col()), entry.value());
  Matrix rows(A.rows() / dim, A.cols());
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

/// What is set aside; throws where the coefficients of friction are not those of the contacts.
std::string friction_remark(const FclibReader &in, const std::string &group, const Index n_contacts)
{
  const std::string path = group + "/vectors/mu";
  if (!in.has(path))
    return "";
  const Vector mu = in.finite(path);
  if (mu.size() != n_contacts)
    in.fail(path + " has " + std::to_string(mu.size()) + " entries, but there are " + std::to_string(n_contacts) +
            " contacts by " + group + "/spacedim and the number of rows; correct the one or the other.");
  if (mu.minCoeff() < 0.)
    in.fail(path + " holds " + digits(mu.minCoeff()) + "; coefficients of friction are not negative.");
  return mu.isZero(0.)
             ? ""
             : "Friction is set aside: the problem holds coefficients up to " + digits(mu.maxCoeff()) + ", here all are 0.";
}

/// Of each contact `dim` entries, 2 or 3.
Index dimension_of_contacts(const FclibReader &in, const std::string &group, const Index n_rows)
{
  const Index dim = in.integer(group + "/spacedim");
  if (dim != 2 && dim != 3 || n_rows % dim != 0)
    in.fail("Its contacts have " + std::to_string(dim) + " entries each and there are " + std::to_string(n_rows) +
            " in all; FCLib has 2 or 3 per contact.");
  return dim;
}

/// v with zeros at the normal entries.
Vector tangential_part(Vector v, const Index dim)
{
  for (Index k = 0; k < v.size(); k += dim)
    v(k) = 0.;
  return v;
}

/// Its root; infinite where that is no number, 0 where rounding makes it negative.
double norm_of(const double square)
{
  return std::isfinite(square) ? std::sqrt(std::max(0., square)) : std::numeric_limits<double>::infinity();
}

/// An array of the solution, of length 0 where it is not there; throws where it has another length than n.
Vector of_solution(const FclibReader &in, const std::string &name, const Index n)
{
  const std::string path = "/solution/" + name;
  if (!in.has(path))
    return {};
  Vector v = in.finite(path);
  if (v.size() != n)
    in.fail(path + " has " + std::to_string(v.size()) + " entries; the problem has " + std::to_string(n) + " for it.");
  return v;
}

/// What to say of a solution: its tangential impulses r_T, and its velocities u of contacts where `made`, by the rest of it,
/// are others.
std::string solution_remark(const Vector &r_T, const Vector &u, const Vector &made, const std::string &formula)
{
  constexpr double rounding = 1e-6;
  std::string      remark;
  if (r_T.size() > 0 && !r_T.isZero(0.))
    remark = "The solution has tangential impulses up to " + digits(r_T.cwiseAbs().maxCoeff()) +
             "; without friction there are none, and they count as an error.";
  if (u.size() > 0 && made.size() == 0)
    remark = sentences(remark, "Its /solution/u is not judged: it is made of the velocities v, or the impulses r of a local "
                               "problem, which are missing.");
  if (u.size() > 0 && made.size() > 0)
    if (const double off = (u - made).cwiseAbs().maxCoeff();
        off > rounding * std::max(u.cwiseAbs().maxCoeff(), made.cwiseAbs().maxCoeff()))
      remark =
          sentences(remark, "Its /solution/u is not judged; it is up to " + digits(off) + " away from " + formula + '.');
  return remark;
}

ProblemFile read_global(const FclibReader &in)
{
  const std::string group = "/fclib_global";
  if (in.has(group + '/' + "G") && in.integer(group + '/' + "G/n") > 0)
    in.fail("It holds bilateral constraints (G); moreau projects on unilateral ones only.");
  const Vector f = in.finite(group + "/vectors/f"), w = in.finite(group + "/vectors/w");
  const Index  dim = dimension_of_contacts(in, group, w.size());
  const Matrix H   = in.matrix(group + '/' + "H", f.size(), w.size(), "f and that of w");
  ProblemFile  result;
  result.problem.M      = in.matrix(group + '/' + "M", f.size(), f.size(), "f");
  result.problem.B      = -normal_rows(Matrix(H.transpose()), dim);
  const Vector moving   = normal_part(w, dim);
  result.problem.b      = moving.isZero(0.) ? Vector() : moving;
  result.problem.remark = friction_remark(in, group, moving.size());
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors{Eigen::SparseMatrix<double>(result.problem.M)};
  if (factors.info() != Eigen::Success)
    in.fail("M is not positive definite; every velocity needs a positive mass.");
  result.problem.U = factors.solve(f);
  const Vector v = of_solution(in, "v", f.size()), u = of_solution(in, "u", w.size()), r = of_solution(in, "r", w.size()),
               r_T = tangential_part(r, dim), impulse = r.size() > 0 ? Vector(H * r_T) : Vector(Vector::Zero(f.size())),
               moved = v.size() > 0   ? v
                       : r.size() > 0 ? Vector(factors.solve(f + H * r))
                                      : Vector();
  result.answer      = {v, normal_part(r, dim), norm_of(impulse.dot(factors.solve(impulse))),
                        solution_remark(r_T, u, moved.size() > 0 ? Vector(H.transpose() * moved + w) : Vector(), "H'v + w")};
  return result;
}

ProblemFile read_local(const FclibReader &in)
{
  const std::string group = "/fclib_local";
  if (in.has(group + '/' + "V") && in.integer(group + '/' + "V/n") > 0)
    in.fail("It holds bilateral constraints (V, R); moreau projects on unilateral ones only.");
  constexpr Index most = 8000; // contacts: W is factorised as a dense matrix
  const Vector    q    = in.finite(group + "/vectors/q");
  const Index     dim  = dimension_of_contacts(in, group, q.size());
  const Matrix    W    = in.matrix(group + '/' + "W", q.size(), q.size(), "q");
  ProblemFile     result;
  const Matrix    normal = normal_rows(Matrix(normal_rows(W, dim).transpose()), dim);
  if (normal.rows() > most)
    in.fail("A local problem of " + std::to_string(normal.rows()) +
            " contacts is factorised as a dense matrix; give the global "
            "one, or one of " +
            std::to_string(most) + " contacts at most.");
  const Eigen::MatrixXd dense(normal);
  if (!dense.isApprox(dense.transpose(), 1e-9))
    in.fail("W is not symmetric; a Delassus operator is.");
  const Eigen::LDLT<Eigen::MatrixXd> factors(.5 * (dense + dense.transpose()));
  const Vector                       D = factors.vectorD();
  if (D.minCoeff() < -1e-10 * D.cwiseAbs().maxCoeff())
    in.fail("W has a negative eigenvalue; a Delassus operator has none.");
  Eigen::MatrixXd B = factors.matrixL();
  B                 = factors.transpositionsP().transpose() * Eigen::MatrixXd(B * D.cwiseMax(0.).cwiseSqrt().asDiagonal());
  result.problem.B  = B.sparseView();
  result.problem.U  = Vector::Zero(B.cols());
  result.problem.b  = normal_part(q, dim);
  result.problem.remark = friction_remark(in, group, normal.rows());
  const Vector u = of_solution(in, "u", q.size()), r = of_solution(in, "r", q.size()), r_T = tangential_part(r, dim);
  result.answer.remark = solution_remark(r_T, u, r.size() > 0 ? Vector(W * r + q) : Vector(), "W r + q");
  if (r.size() > 0)
    {
      result.answer.p      = normal_part(r, dim);
      result.answer.beside = norm_of(r_T.dot(W * r_T));
    }
  return result;
}

void write_numbers(const hid_t parent, const std::string &path, const Vector &v)
{
  const hsize_t n = v.size();
  const Handle  space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Handle  set(H5Dcreate2(parent, path.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.data()) < 0)
    throw std::runtime_error("the array " + path + " cannot be written");
}

void write_integers(const hid_t parent, const std::string &path, const int *const values, const hsize_t n)
{
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(parent, path.c_str(), H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (set < 0 || H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    throw std::runtime_error("the array " + path + " cannot be written");
}

void write_integer(const hid_t parent, const std::string &path, const Index value)
{
  const int number = static_cast<int>(value);
  write_integers(parent, path, &number, 1);
}

void write_text(const hid_t parent, const std::string &path, const std::string &text)
{
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, text.size() + 1);
  const Handle set(H5Dcreate2(parent, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    throw std::runtime_error("the text " + path + " cannot be written");
}

/// As compressed columns.
void write_matrix(const hid_t parent, const std::string &path, const Eigen::SparseMatrix<double> &A)
{
  const Handle group(H5Gcreate2(parent, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  const auto   n = static_cast<hsize_t>(A.nonZeros());
  write_integer(group, "nzmax", A.nonZeros());
  write_integer(group, "m", A.rows());
  write_integer(group, "n", A.cols());
  write_integer(group, "nz", -1);
  write_integers(group, "p", A.outerIndexPtr(), static_cast<hsize_t>(A.cols()) + 1);
  write_integers(group, "i", A.innerIndexPtr(), n);
  write_numbers(group, "x", Eigen::Map<const Vector>(A.valuePtr(), A.nonZeros()));
}

/// v at the entries 0, 2, 4, ..., zeros between.
Vector with_tangential_zeros(const Vector &v)
{
  Vector result = Vector::Zero(2 * v.size());
  for (Index c = 0; c < v.size(); ++c)
    result(2 * c) = v(c);
  return result;
}

void write_problem(const ProblemFile &contents, const std::string &file)
{
  const ProjectionData       &data = contents.problem;
  Eigen::SparseMatrix<double> M(data.B.cols(), data.B.cols()), H(data.B.cols(), 2 * data.B.rows());
  if (data.M.size() > 0)
    M = data.M;
  else
    M.setIdentity();
  std::vector<Eigen::Triplet<double>> entries;
  for (Index c = 0; c < data.B.rows(); ++c)
    for (Matrix::InnerIterator entry(data.B, c); entry; ++entry)
      entries.emplace_back(static_cast<int>(entry.col()), static_cast<int>(2 * c), -entry.value());
  H.setFromTriplets(entries.begin(), entries.end());
  M.makeCompressed();

  const Handle out(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (out < 0)
    throw std::runtime_error("the file cannot be made");
  const Handle group(H5Gcreate2(out, "fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  write_integer(group, "spacedim", 2);
  write_matrix(group, "M", M);
  write_matrix(group, "H", H);
  {
    const Handle vectors(H5Gcreate2(group, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    write_numbers(vectors, "mu", Vector::Zero(data.B.rows()));
    write_numbers(vectors, "f", M * data.U);
    write_numbers(vectors, "w", with_tangential_zeros(data.b.size() > 0 ? data.b : Vector(Vector::Zero(data.B.rows()))));
  }
  {
    const Handle info(H5Gcreate2(group, "info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    write_text(info, "title", "projection on a cone");
    write_text(info, "description", "written by moreau; contacts without friction");
    write_text(info, "math_info", "u = argmin (u - U)'M(u - U)/2 over -H'u <= w; mu = 0");
  }
  const Answer &answer = contents.answer;
  if (answer.u.size() == 0 && answer.p.size() == 0)
    return;
  const Handle solution(H5Gcreate2(out, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (answer.u.size() > 0)
    {
      const Vector moving = data.b.size() > 0 ? data.b : Vector(Vector::Zero(data.B.rows()));
      write_numbers(solution, "v", answer.u);
      write_numbers(solution, "u", with_tangential_zeros(moving - data.B * answer.u));
    }
  if (answer.p.size() > 0)
    write_numbers(solution, "r", with_tangential_zeros(answer.p));
}
} // namespace

ProblemFile read_fclib(const std::string &file)
{
  const QuietHdf5 quiet;
  if (const std::string damage = damage_found_in_a_child([&] { FclibReader(file).read_all(); }); !damage.empty())
    throw InputError(file + ": It is " + damage);
  const FclibReader in(file);
  if (!in.has("/fclib_global") && !in.has("/fclib_local"))
    in.fail("It holds neither /fclib_global nor /fclib_local; give a problem of FCLib 3 (spheres in HDF5 are read as "
            "files of spheres).");
  const bool  has_both = in.has("/fclib_global") && in.has("/fclib_local");
  ProblemFile result   = in.has("/fclib_global") ? read_global(in) : read_local(in);
  if (has_both)
    result.problem.remark =
        sentences(result.problem.remark, "It holds a global and a local problem; the global one is taken.");
  require_sound(result.problem, file);
  require_sound(result.answer, result.problem, file);
  return result;
}

void write_fclib(const ProblemFile &contents, const std::string &file)
{
  const QuietHdf5             quiet;
  const std::filesystem::path unfinished = file + ".part";
  try
    {
      write_problem(contents, unfinished.string());
      std::filesystem::rename(unfinished, file);
    }
  catch (const std::exception &error)
    {
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw std::runtime_error(file + " cannot be written: " + error.what() + ".");
    }
}
} // namespace moreau::exchange
