// SPDX-License-Identifier: GPL-3.0-or-later
// Against FCLib's own library, which writes and reads the files.
#include "exchange/fclib_file.h"
#include "exchange/formats.h"
#include "exchange/hdf5_handle.h"
#include "exchange/in_a_child.h"
#include "exchange/verdict.h"
#include "tests/exchange/examples.h"

#include <Eigen/LU>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

extern "C" {
#include <fclib.h>
}

BOOST_AUTO_TEST_SUITE(fclib_file)

namespace tt = boost::test_tools;
using namespace moreau;
using namespace moreau::exchange;

namespace
{
/// Arrays that a matrix of FCLib points to.
struct FclibMatrix
{
  explicit FclibMatrix(const Eigen::MatrixXd &dense, const int kind) // 0 triplets, -1 columns, -2 rows
  {
    for (int i = 0; i < dense.rows(); ++i)
      for (int j = 0; j < dense.cols(); ++j)
        if (dense(i, j) != 0. || kind == -2)
          entries.emplace_back(i, j, dense(i, j));
    Eigen::SparseMatrix<double> columns(dense.rows(), dense.cols());
    columns.setFromTriplets(entries.begin(), entries.end());
    Matrix rows(dense.rows(), dense.cols());
    rows.setFromTriplets(entries.begin(), entries.end());
    if (kind == 0)
      for (const auto &entry : entries)
        {
          p.push_back(entry.row());
          i.push_back(entry.col());
          x.push_back(entry.value());
        }
    else if (kind == -1)
      take(columns);
    else
      take(rows);
    matrix       = {};
    matrix.nzmax = static_cast<int>(x.size());
    matrix.m     = static_cast<int>(dense.rows());
    matrix.n     = static_cast<int>(dense.cols());
    matrix.nz    = kind == 0 ? matrix.nzmax : kind;
    matrix.p     = p.data();
    matrix.i     = i.data();
    matrix.x     = x.data();
  }

  template <class Sparse>
  void take(Sparse &A)
  {
    A.makeCompressed();
    p.assign(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1);
    i.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
    x.assign(A.valuePtr(), A.valuePtr() + A.nonZeros());
  }

  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int>                    p, i;
  std::vector<double>                 x;
  fclib_matrix                        matrix;
};

Vector spread(const Vector &normal, const Index dim, const double tangential)
{
  Vector v = Vector::Constant(dim * normal.size(), tangential);
  for (Index c = 0; c < normal.size(); ++c)
    v(dim * c) = normal(c);
  return v;
}

/// H of contacts in dimension 3 with the normal columns -Bᵀ, and others that mean nothing here.
Eigen::MatrixXd with_tangents(const Eigen::MatrixXd &B)
{
  Eigen::MatrixXd H = Eigen::MatrixXd::Constant(B.cols(), 3 * B.rows(), .37);
  for (Index c = 0; c < B.rows(); ++c)
    H.col(3 * c) = -B.row(c).transpose();
  return H;
}

/// A global problem of contacts in space; G and b, bilateral constraints, may be missing.
void write_global(FclibMatrix &M, FclibMatrix &H, Vector mu, Vector f, Vector w, const std::string &file,
                  FclibMatrix *const G = nullptr, Vector b = {})
{
  char         text[] = "text";
  fclib_info   info   = {text, text, text};
  fclib_global global = {};
  global.M            = &M.matrix;
  global.H            = &H.matrix;
  global.mu           = mu.data();
  global.f            = f.data();
  global.w            = w.data();
  global.spacedim     = 3;
  global.info         = &info;
  if (G)
    {
      global.G = &G->matrix;
      global.b = b.data();
    }
  BOOST_REQUIRE(fclib_write_global(&global, file.c_str()) == 1);
}

void write_global(const ProblemFile &given, const int kind, const std::string &file, const bool bilateral = false)
{
  const Index n = given.problem.B.cols(), m = given.problem.B.rows();
  FclibMatrix M(Eigen::MatrixXd(given.problem.M), kind), H(with_tangents(Eigen::MatrixXd(given.problem.B)), kind),
      G(Eigen::MatrixXd::Ones(n, 1), kind);
  write_global(M, H, Vector::Constant(m, .3), given.problem.M * given.problem.U, spread(given.problem.b, 3, .2), file,
               bilateral ? &G : nullptr, Vector::Ones(1));
}

/// Beside what the file holds.
void write_local(const Eigen::MatrixXd &W, const Vector &q, const Vector &mu, const int spacedim, const std::string &file)
{
  FclibMatrix of_W(W, -2);
  Vector      of_q = q, of_mu = mu;
  char        text[] = "text";
  fclib_info  info   = {text, text, text};
  fclib_local local  = {};
  local.W            = &of_W.matrix;
  local.mu           = of_mu.data();
  local.q            = of_q.data();
  local.spacedim     = spacedim;
  local.info         = &info;
  BOOST_REQUIRE(fclib_write_local(&local, file.c_str()) == 1);
}

/// One contact of a body of mass 1 with velocity U.
void write_floor(const Vector &U, const Eigen::MatrixXd &H, const double mu, const std::string &file)
{
  FclibMatrix M(Eigen::MatrixXd::Identity(3, 3), -1), of_H(H, -1);
  std::filesystem::remove(file);
  write_global(M, of_H, Vector::Constant(1, mu), U, Vector::Zero(3), file);
}

/// v of length 0: none.
void write_solution(Vector v, Vector u, Vector r, const std::string &file)
{
  fclib_solution solution = {};
  solution.v              = v.size() > 0 ? v.data() : nullptr;
  solution.u              = u.data();
  solution.r              = r.data();
  BOOST_REQUIRE(fclib_write_solution(&solution, file.c_str()) == 1);
}

/// Something done to a file.
using Change = std::function<void(const std::string &file)>;

/// One number of an array.
Change entry(const std::string &path, const std::size_t k, const double value)
{
  return [=](const std::string &file) {
    const Handle        in(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Handle        set(H5Dopen2(in, path.c_str(), H5P_DEFAULT), H5Dclose), space(H5Dget_space(set), H5Sclose);
    std::vector<double> values(H5Sget_simple_extent_npoints(space));
    BOOST_REQUIRE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    values.at(k) = value;
    BOOST_REQUIRE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  };
}

Change write_array(const std::string &path, const Vector &v)
{
  return [=](const std::string &file) {
    const hsize_t n = v.size();
    const Handle  in(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose),
        space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Handle set(H5Dcreate2(in, path.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    BOOST_REQUIRE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.data()) >= 0);
  };
}

Change without(const std::string &path)
{
  return [=](const std::string &file) {
    const Handle in(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    BOOST_REQUIRE(H5Ldelete(in, path.c_str(), H5P_DEFAULT) >= 0);
  };
}
} // namespace

BOOST_AUTO_TEST_CASE(global_problems_of_fclib_are_read)
{
  const Folder folder;
  for (const int kind : {0, -1, -2})
    {
      const ProblemFile given = random_problem(11, 8, 5, false);
      const std::string file  = folder.file("g" + std::to_string(kind) + ".hdf5");
      write_global(given, kind, file);
      const ProblemFile read = read_fclib(file);
      BOOST_TEST((Eigen::MatrixXd(read.problem.B) - Eigen::MatrixXd(given.problem.B)).norm() == 0.);
      BOOST_TEST((Eigen::MatrixXd(read.problem.M) - Eigen::MatrixXd(given.problem.M)).norm() == 0.);
      BOOST_TEST((read.problem.U - given.problem.U).norm() < 1e-12);
      BOOST_TEST((read.problem.b == given.problem.b));
      BOOST_TEST(read.problem.remark.find("Friction is set aside") == 0);
      BOOST_TEST(read.answer.is_empty());
    }
  const std::string file = folder.file("bilateral.hdf5");
  write_global(random_problem(11, 8, 5, false), -1, file, true);
  BOOST_TEST(complaint([&] { read_fclib(file); }).find("bilateral constraints") != std::string::npos);
}

// W = B M⁻¹Bᵀ, q = b - BU: the impulses are those of the global problem.
BOOST_AUTO_TEST_CASE(local_problems_have_the_impulses_of_the_global_one)
{
  const Folder folder;
  for (const Index m : {4, 12}) // more contacts than unknowns: W is singular
    {
      const ProblemFile     given = random_problem(5, 7, m, false);
      const Eigen::MatrixXd B(given.problem.B), M(given.problem.M);
      Eigen::MatrixXd       W      = Eigen::MatrixXd::Zero(2 * m, 2 * m);
      const Eigen::MatrixXd normal = B * M.inverse() * B.transpose();
      for (Index c = 0; c < m; ++c)
        for (Index k = 0; k < m; ++k)
          W(2 * c, 2 * k) = normal(c, k);
      W.diagonal().array() += .1 * Vector::NullaryExpr(2 * m, [](const Index k) { return k % 2; }).array();
      const std::string file = folder.file("l" + std::to_string(m) + ".hdf5");
      write_local(W, spread(given.problem.b - B * given.problem.U, 2, .4), Vector::Zero(m), 2, file);
      convex::StoppingCriterion criterion;
      criterion.tolerance    = 1e-8;
      const Verdict global   = exchange::verdict(given.problem, {}, criterion, "given");
      const Verdict of_local = exchange::verdict(read_fclib(file).problem, {}, criterion, file);
      BOOST_TEST(global.own.converged());
      BOOST_TEST(of_local.own.converged());
      // impulses of redundant contacts are not unique, what they do is
      const Vector impulse = B.transpose() * global.own.p, other = B.transpose() * of_local.own.p;
      BOOST_TEST((impulse - other).norm() < 1e-5 * impulse.norm());
    }
}

BOOST_AUTO_TEST_CASE(fclib_reads_what_is_written)
{
  const Folder      folder;
  const std::string file  = folder.file("written.hdf5");
  ProblemFile       given = random_problem(2, 6, 4, true);
  given.answer            = {given.problem.U, given.problem.b};
  write_fclib(given, file);
  fclib_global *const read = fclib_read_global(file.c_str());
  BOOST_REQUIRE(read != nullptr);
  BOOST_TEST(read->spacedim == 2);
  BOOST_TEST(read->M->m == 6);
  BOOST_TEST(read->H->n == 8);
  BOOST_TEST(read->H->nz == -1);
  for (int c = 0; c < 4; ++c)
    {
      BOOST_TEST(read->w[2 * c] == given.problem.b(c));
      BOOST_TEST(read->mu[c] == 0.);
      for (int k = read->H->p[2 * c]; k < read->H->p[2 * c + 1]; ++k)
        BOOST_TEST(read->H->x[k] == -given.problem.B.coeff(c, read->H->i[k]));
    }
  fclib_delete_global(read);
  free(read);
  fclib_solution *const solution = fclib_read_solution(file.c_str());
  BOOST_REQUIRE(solution != nullptr);
  BOOST_TEST(solution->r[2] == given.answer.p(1));
  BOOST_TEST(solution->v[3] == given.answer.u(3));
  fclib_delete_solutions(solution, 1);
  const ProblemFile again = read_fclib(file);
  BOOST_TEST(same(again.problem.B, given.problem.B));
  BOOST_TEST((again.answer.p == given.answer.p));
}

// Integers of no bits: libhdf5 1.10.8 is killed by some of these files.
BOOST_AUTO_TEST_CASE(files_that_kill_libhdf5_get_a_sentence)
{
  const Folder      folder;
  const std::string file = folder.file("good.hdf5");
  write_fclib(random_problem(2, 6, 4, true), file);
  std::ifstream     in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}}, of_integers("\x10\x08\0\0\x04\0\0\0", 8);
  int               n_killed = 0, n_types = 0;
  for (std::size_t at = bytes.find(of_integers); at != std::string::npos; at = bytes.find(of_integers, at + 1), ++n_types)
    {
      std::string bad        = bytes;
      bad[at + 10]           = 0; // the number of bits
      const std::string said = complaint([&] { read_fclib(folder.with("bad.hdf5", bad)); });
      n_killed += said.find("It is damaged: what read it with libhdf5 was killed by signal") != std::string::npos;
    }
  BOOST_TEST(n_types > 5);
  BOOST_TEST(n_killed > 0);
}

BOOST_AUTO_TEST_CASE(deaths_in_a_child_are_told)
{
  BOOST_TEST(death_in_a_child([] {}, 10) == "");
  BOOST_TEST(death_in_a_child([] { throw std::runtime_error("seen by nobody"); }, 10) == "");
  BOOST_TEST(death_in_a_child([] { std::raise(SIGBUS); }, 10) == "was killed by signal 7 (Bus error)");
  BOOST_TEST(death_in_a_child([] { std::abort(); }, 10) == "was killed by signal 6 (Aborted)");
  BOOST_TEST(death_in_a_child([] { pause(); }, 1) == "took more than 1 s");
  BOOST_TEST(death_in_a_child([] { _exit(3); }, 10) == "gave up");
  const auto within = [] { _exit(death_in_a_child([] { std::abort(); }, 10).empty() ? 0 : 3); };
  BOOST_TEST(death_in_a_child(within, 10) == ""); // a child makes none
}

// A size that the arrays beside it do not have takes no memory: 2147483647 rows would take 8 GB and more.
BOOST_AUTO_TEST_CASE(arrays_that_do_not_fit_together_get_a_sentence)
{
  const Folder      folder;
  const std::string global = folder.file("global.hdf5"), local = folder.file("local.hdf5"),
                    changed = folder.file("changed.hdf5");
  write_global(random_problem(3, 6, 4, true), -1, global); // 4 contacts, 12 rows
  write_local(Eigen::MatrixXd::Identity(12, 12), Vector::Constant(12, -1.), Vector::Zero(4), 3, local);
  const auto says = [&](const std::string &file, const Change &change, const std::string &wanted) {
    std::filesystem::copy_file(file, changed, std::filesystem::copy_options::overwrite_existing);
    change(changed);
    const std::string complained = complaint([&] { read_fclib(changed); });
    BOOST_TEST_CONTEXT(complained) { BOOST_TEST(complained.find(wanted) != std::string::npos); }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const double huge = 2147483647.;
  says(global, entry("/fclib_global/M/m", 0, huge),
       "/fclib_global/M is 2147483647 x 6; by the length of f it must be 6 x 6");
  says(global, entry("/fclib_global/M/n", 0, huge), "/fclib_global/M is 6 x 2147483647");
  says(global, entry("/fclib_global/H/m", 0, huge),
       "/fclib_global/H is 2147483647 x 12; by the length of f and that of w it must be 6 x 12");
  says(global, entry("/fclib_global/H/m", 0, -6.), "/fclib_global/H is -6 x 12");
  says(global, entry("/fclib_global/H/p", 0, 1.), "/fclib_global/H/p does not rise from 0 to the ");
  says(global, entry("/fclib_global/M/p", 1, 6.), "/fclib_global/M/p does not rise from 0 to the 6 entries");
  says(global, entry("/fclib_global/M/p", 6, 5.), "/fclib_global/M/p does not rise from 0 to the 6 entries");
  says(local, entry("/fclib_local/W/m", 0, huge),
       "/fclib_local/W is 2147483647 x 12; by the length of q it must be 12 x 12");
  says(global, without("/fclib_global/vectors/w"), "/fclib_global/vectors/w is missing");
  says(local, without("/fclib_local/vectors/q"), "/fclib_local/vectors/q is missing");
  says(global, entry("/fclib_global/vectors/f", 2, nan), "Entry 2 of /fclib_global/vectors/f (from 0) is no finite number");
  says(local, entry("/fclib_local/W/x", 0, infinity), "/fclib_local/W(0,0) (from 0) is no finite number");
  for (const std::string file : {global, local})
    {
      const std::string group = file == global ? "/fclib_global" : "/fclib_local", mu = group + "/vectors/mu";
      says(file, entry(group + "/spacedim", 0, 2.), mu + " has 4 entries, but there are 6 contacts");
      says(file, entry(mu, 1, nan), "Entry 1 of " + mu + " (from 0) is no finite number");
      says(file, entry(mu, 1, -.5), mu + " holds -0.5; coefficients of friction are not negative");
    }
}

// The answer that convert writes is the one that it was given, of which there may be a half.
BOOST_AUTO_TEST_CASE(half_an_answer_is_kept)
{
  const Folder      folder;
  const std::string file = folder.file("half.hdf5");
  for (const bool of_u : {true, false})
    {
      ProblemFile given = random_problem(3, 6, 4, true);
      given.answer      = of_u ? Answer{given.problem.U, {}} : Answer{{}, Vector::Ones(given.problem.B.rows())};
      std::filesystem::remove(file);
      write_fclib(given, file);
      const Answer read = read_fclib(file).answer;
      BOOST_TEST((read.u == given.answer.u));
      BOOST_TEST((read.p == given.answer.p));
    }
}

// One body of mass 1 slides with friction on a floor: r_T = -.3 beside r_N = 1. Without friction it is .3 faster, whichever
// form of the problem is asked.
BOOST_AUTO_TEST_CASE(tangential_impulses_count_in_both_forms)
{
  const Folder      folder;
  const std::string global = folder.file("global.hdf5"), local = folder.file("local.hdf5");
  ProblemFile       floor;
  floor.problem.M          = Eigen::MatrixXd::Identity(3, 3).sparseView();
  floor.problem.U          = (Vector(3) << 1., 0., -1.).finished();
  const auto with_solution = [&](const double mu, const Vector &u, const Vector &r) {
    const Eigen::MatrixXd H = Eigen::PermutationMatrix<3>(Eigen::Vector3i(2, 0, 1)).toDenseMatrix().cast<double>();
    write_floor(floor.problem.U, H, mu, global);
    std::filesystem::remove(local);
    write_local(H.transpose() * H, H.transpose() * floor.problem.U, Vector::Constant(1, mu), 3, local);
    const Vector v = floor.problem.U + H * r;
    write_solution(v, u, r, global);
    write_solution({}, u, r, local);
  };
  const auto judged = [](const std::string &file) {
    const ProblemFile read = read_fclib(file);
    return exchange::verdict(read.problem, read.answer, {}, file);
  };
  for (const double mu : {0., .3})
    {
      with_solution(mu, (Vector(3) << 0., .7, 0.).finished(), (Vector(3) << 1., -.3, 0.).finished());
      for (const std::string &file : {global, local})
        {
          const Verdict v       = judged(file);
          const double  in_norm = v.certificate.scale * v.at_most;
          BOOST_TEST(in_norm == .3, tt::tolerance(1e-5));
          BOOST_TEST(v.certificate.scale * v.at_least == .3, tt::tolerance(1e-5));
          BOOST_TEST(v.certificate.scale * v.of_multipliers == .3, tt::tolerance(1e-5));
          BOOST_TEST(!v.certifies(1e-6));
          BOOST_TEST(read_fclib(file).answer.remark == "The solution has tangential impulses up to 0.3; without friction "
                                                       "there are none, and they count as an error.");
        }
    }
  with_solution(.3, (Vector(3) << 0., 1., 0.).finished(), Vector::Unit(3, 0));
  for (const std::string &file : {global, local})
    {
      BOOST_TEST(judged(file).certifies(1e-6));
      BOOST_TEST(read_fclib(file).answer.remark == "");
    }
  with_solution(.3, Vector::Constant(3, 7.), Vector::Unit(3, 0));
  BOOST_TEST(read_fclib(global).answer.remark == "Its /solution/u is not judged; it is up to 7 away from H'v + w.");
  BOOST_TEST(read_fclib(local).answer.remark == "Its /solution/u is not judged; it is up to 7 away from W r + q.");
  for (const std::string &file : {global, local})
    {
      entry("/solution/r", 1, 1e300)(file); // its square is no number
      BOOST_TEST(!judged(file).certifies(1e-6));
      entry("/solution/u", 1, std::numeric_limits<double>::quiet_NaN())(file);
      BOOST_TEST(complaint([&] { read_fclib(file); }).find("Entry 1 of /solution/u (from 0) is no finite") !=
                 std::string::npos);
      without("/solution/u")(file);
      without("/solution/r")(file);
      write_array("/solution/u", Vector::Ones(3))(file);
      if (file == global)
        without("/solution/v")(file);
      BOOST_TEST(read_fclib(file).answer.remark.find("Its /solution/u is not judged: it is made of") == 0);
      write_array("/solution/r", Vector::Ones(4))(file);
      BOOST_TEST(complaint([&] { read_fclib(file); }).find("/solution/r has 4 entries; the problem has 3") !=
                 std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(of_two_problems_a_sentence_says_which_is_taken)
{
  const Folder      folder;
  const std::string file = folder.file("both.hdf5");
  write_global(random_problem(3, 6, 4, true), -1, file);
  write_local(Eigen::MatrixXd::Identity(2, 2), Vector::Ones(2), Vector::Zero(1), 2, file);
  const ProblemFile read = read_fclib(file);
  BOOST_TEST(read.problem.B.rows() == 4);
  BOOST_TEST(read.problem.remark == "Friction is set aside: the problem holds coefficients up to 0.3, here all are 0. "
                                    "It holds a global and a local problem; the global one is taken.");
}

BOOST_AUTO_TEST_CASE(other_files_get_a_sentence)
{
  const Folder folder;
  BOOST_TEST(complaint([&] { read_fclib(folder.with("a.h5", "no hdf5")); }).find("cannot be read as a file of FCLib") !=
             std::string::npos);
  BOOST_TEST(complaint([&] { read_fclib(folder.file("missing.h5")); }).find("cannot be read as a file of FCLib") !=
             std::string::npos);
  BOOST_CHECK_THROW(write_fclib(random_problem(2, 6, 4, true), folder.file("no/such/folder.h5")), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
