// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/formats.h"

#include "exchange/fclib_file.h"
#include "exchange/hdf5_table.h"
#include "exchange/matrix_market.h"
#include "exchange/numpy_archive.h"
#include "exchange/text_file.h"
#include "exchange/trajectory.h"

#include "convex/input_error.h"
#include "micro/impact_problem.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace moreau::exchange
{
namespace
{
bool is_one_of(const std::string &end, const std::vector<std::string> &ends)
{
  return std::find(ends.begin(), ends.end(), end) != ends.end();
}

bool is_numpy(const std::string &file) { return end_of(file) == ".npz"; }
bool is_folder(const std::string &file) { return end_of(file).empty() || std::filesystem::is_directory(file); }
bool is_table(const std::string &file) { return is_one_of(end_of(file), {".csv", ".txt", ".dat"}); }
bool is_data(const std::string &file) { return is_one_of(end_of(file), {".data", ".lmp"}); }
bool is_dump(const std::string &file) { return is_one_of(end_of(file), {".dump", ".lammpstrj"}); }
bool is_picture(const std::string &file) { return is_one_of(end_of(file), {".vtp", ".pvtp"}); }
bool is_collection(const std::string &file) { return end_of(file) == ".pvd"; }

/// Bodies of these masses, `dim` unknowns each.
Matrix mass_matrix(const Vector &masses, const Index dim)
{
  Matrix M(dim * masses.size(), dim * masses.size());
  M.reserve(Eigen::VectorXi::Constant(M.rows(), 1));
  for (Index k = 0; k < M.rows(); ++k)
    M.insert(k, k) = masses(k / dim);
  return M;
}
} // namespace

Kind kind_of(const std::string &file)
{
  if (is_folder(file) || is_numpy(file) || is_hdf5(file))
    return Kind::projection;
  if (is_table(file) || is_data(file) || is_dump(file) || is_collection(file) || is_picture(file))
    return Kind::spheres;
  throw InputError(file +
                   ": The end of the name tells no format; known are .npz, .hdf5, .h5 and folders of .mtx files "
                   "(projections), .csv, .txt, .dat, .data, .lmp, .dump, .lammpstrj, .vtp, .pvtp and .pvd (spheres).");
}

ProblemFile read_problem(const std::string &file)
{
  if (is_folder(file))
    return read_matrix_market_problem(file);
  return is_numpy(file) ? read_numpy_problem(file) : read_fclib(file);
}

Answer read_answer(const std::string &file)
{
  if (kind_of(file) != Kind::projection)
    throw InputError(
        file + ": An answer is u, p or both in an archive of numpy (.npz), a folder of .mtx files or a file of FCLib.");
  if (is_folder(file))
    return read_matrix_market_answer(file);
  if (is_numpy(file))
    return read_numpy_answer(file);
  const Answer answer = read_fclib(file).answer;
  if (answer.is_empty())
    throw InputError(file + ": The file holds no solution.");
  return answer;
}

SphereFile read_spheres(const std::string &file, const SphereConventions &conventions)
{
  SphereFile spheres = is_data(file)         ? read_lammps_data(file, conventions)
                       : is_dump(file)       ? read_lammps_dump(file, conventions)
                       : is_collection(file) ? read_vtp(moments_of(file).back().file, conventions)
                       : is_table(file)      ? read_sphere_csv(file, conventions)
                                             : read_vtp(file, conventions);
  try
    {
      spheres.contents.spheres.validate();
    }
  catch (const InputError &error)
    {
      throw InputError(file + ": " + error.what());
    }
  if (!spheres.contents.has_mass)
    spheres.remark =
        sentences(spheres.remark, std::string("It has no masses; ") +
                                      (spheres.contents.spheres.dimension() == 2 ? "discs have πR²" : "balls have 4/3 πR³") +
                                      ", as of density 1.");
  return spheres;
}

ProblemFile problem_of(const SphereFile &spheres)
{
  const double  tolerance = std::max(micro::usual_contact_tolerance, micro::rounding_of_gaps(spheres.contents));
  const Vector &U         = spheres.before.size() > 0 ? spheres.before : spheres.contents.U;
  const convex::ProjectionProblem impact = micro::impact_problem(spheres.contents.spheres, U, tolerance);
  ProblemFile                     result;
  result.problem.M = mass_matrix(spheres.contents.spheres.m, spheres.contents.spheres.dimension());
  result.problem.B = dynamic_cast<const convex::SparseConstraint &>(*impact.B).matrix();
  result.problem.U = impact.U;
  if (spheres.is_picture)
    result.problem.remark = "Contacts are those between the spheres of the picture: it holds neither walls nor periods.";
  if (result.problem.B.rows() == 0)
    throw InputError("These spheres do not touch: there is no contact, and nothing to project on.");
  return result;
}

bool is_motion(const std::string &from, const std::string &to) { return is_collection(from) && is_dump(to); }

void write_problem(const ProblemFile &contents, const std::string &file)
{
  if (kind_of(file) != Kind::projection)
    throw InputError(file +
                     ": This kind of file holds spheres; a projection goes to .npz, .hdf5 or a folder of .mtx files.");
  if (is_folder(file))
    write_matrix_market(contents, file);
  else if (is_numpy(file))
    write_numpy(contents, file);
  else
    write_fclib(contents, file);
}

void write_spheres(const SphereFile &spheres, const std::string &file)
{
  const micro::Spheres &s = spheres.contents.spheres;
  const Vector          U = spheres.contents.has_velocity ? spheres.contents.U : Vector();
  if (is_picture(file) || is_collection(file))
    throw InputError(file +
                     ": Pictures are written by runs; convert to .csv and run 'micro impact', or give .dump for OVITO.");
  if (is_data(file))
    write_text_file(file, lammps_data(s, U));
  else if (is_dump(file))
    write_text_file(file, [&](std::ostream &out) { write_lammps_dump(out, spheres, 0, 0.); });
  else
    {
      std::ostringstream out;
      micro::write_csv(out, s, U);
      write_text_file(file, out.str());
    }
}
} // namespace moreau::exchange
