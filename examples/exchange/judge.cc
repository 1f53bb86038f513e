// SPDX-License-Identifier: GPL-3.0-or-later
// The files of other programs, and a verdict on the answers in them.
//
//   judge PROBLEM [ANSWER]   says how far the answer can be from the exact projection: .npz, .hdf5 (FCLib), a folder of
//                            .mtx, or spheres (.csv, .dump, .data), whose contacts are found
//   judge                    writes a problem and an answer that is wrong by .1 in all formats, and spheres, reads and
//                            judges them
#include <moreau/convex/input_error.h>
#include <moreau/exchange/formats.h>
#include <moreau/exchange/verdict.h>

#include <cmath>
#include <filesystem>
#include <iostream>

using namespace moreau;

exchange::Verdict judged(const exchange::ProblemFile &file, const std::string &name)
{
  convex::StoppingCriterion criterion;
  criterion.tolerance             = 1e-8;
  const exchange::Verdict verdict = exchange::verdict(file.problem, file.answer, criterion, name);
  std::cout << name << ": " << file.problem.n_unknowns() << " unknowns, " << file.problem.n_constraints()
            << " rows, error between " << verdict.at_least << " and " << verdict.at_most
            << (verdict.guaranteed ? "" : ", an estimate") << '\n';
  return verdict;
}

/// Three bodies in a row, masses 1, 2, 1, the outer ones fly at the one in the middle: all stop.
exchange::ProblemFile three_in_a_row()
{
  exchange::ProblemFile     file;
  exchange::ProjectionData &data = file.problem;
  data.M.resize(3, 3);
  data.M.insert(0, 0) = 1., data.M.insert(1, 1) = 2., data.M.insert(2, 2) = 1.;
  data.B.resize(2, 3);
  data.B.insert(0, 0) = 1., data.B.insert(0, 1) = -1.;
  data.B.insert(1, 1) = 1., data.B.insert(1, 2) = -1.;
  data.U.resize(3);
  data.U << 1., 0., -1.;
  file.answer.u.resize(3);
  file.answer.u << 0., 0., .1; // exact: 0, 0, 0
  return file;
}

int main(int n, char **words)
{
  try
    {
      if (n > 1)
        {
          const std::string     name = words[1];
          exchange::ProblemFile file = exchange::kind_of(name) == exchange::Kind::projection
                                           ? exchange::read_problem(name)
                                           : exchange::problem_of(exchange::read_spheres(name, {}));
          if (n > 2)
            file.answer = exchange::read_answer(words[2]);
          require_sound(file.answer, file.problem, name);
          const exchange::Verdict verdict = judged(file, name);
          return verdict.guaranteed && verdict.at_most <= 1e-6 ? 0 : 2;
        }

      const exchange::ProblemFile written = three_in_a_row();
      for (const std::string name : {"row.npz", "row_mtx"})
        {
          exchange::write_problem(written, name);
          const exchange::Verdict verdict = judged(exchange::read_problem(name), name);
          // |u - exact| = .1 in the norm of the masses, |U| = √2
          if (!verdict.guaranteed || std::abs(verdict.at_most - .1 / std::sqrt(2.)) > 1e-6)
            return 1;
        }
      exchange::ProblemFile solved = written; // FCLib keeps whole solutions only
      solved.answer.u << 0., 0., 0.;
      solved.answer.p = Eigen::Vector2d(1., 1.);
      exchange::write_problem(solved, "row.hdf5");
      if (judged(exchange::read_problem("row.hdf5"), "row.hdf5").at_most > 1e-8)
        return 1;

      exchange::SphereFile spheres;
      spheres.contents.spheres = {Eigen::MatrixXd::Zero(2, 4), Eigen::VectorXd::Constant(4, .5), Eigen::VectorXd::Ones(4)};
      spheres.contents.spheres.r.row(0) << 0., 1., 2., 3.;
      spheres.contents.U            = Eigen::VectorXd::Zero(8);
      spheres.contents.U(0)         = 1.;
      spheres.contents.has_velocity = spheres.contents.has_mass = true;
      for (const std::string name : {"row.dump", "row.data", "row.csv"})
        {
          exchange::write_spheres(spheres, name);
          const exchange::ProblemFile impact = exchange::problem_of(exchange::read_spheres(name, {}));
          if (impact.problem.n_constraints() != 3 || judged(impact, name).at_most > 1e-6)
            return 1;
        }

      exchange::read_problem("no_such_file.npz"); // what is wrong with a file is one sentence
    }
  catch (const InputError &error)
    {
      std::cout << error.what() << '\n';
      return n > 1 ? 1 : 0;
    }
  return 1;
}
