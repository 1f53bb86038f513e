// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "exchange/formats.h"
#include "exchange/verdict.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace moreau::fuzz
{
namespace fs = std::filesystem;

namespace
{
using convex::Index;
using convex::Vector;
using exchange::ProblemFile;

/// Between the files of a folder, in the bytes of one.
const Bytes               next_file    = "\n=====\n";
const std::vector<Bytes> &folder_names = *new std::vector<Bytes>{"B.mtx", "U.mtx", "M.mtx", "b.mtx", "u.mtx", "p.mtx"};

Bytes content(const fs::path &file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What was read is written, read again and the same; a small one is judged, as `moreau certify` does.
void follow(const ProblemFile &found, const std::string &file)
{
  const std::string again = written("again.npz", "");
  exchange::write_problem(found, again);
  const ProblemFile second = exchange::read_problem(again);
  const Index       m = found.problem.n_constraints(), n = found.problem.n_unknowns();
  const auto        dense = [](const ProblemFile &contents) { return Eigen::MatrixXd(contents.problem.B); };
  if (second.problem.U != found.problem.U || second.problem.n_constraints() != m || second.problem.n_unknowns() != n ||
      (m * n < 10000 && dense(second) != dense(found)) || second.answer.u != found.answer.u ||
      second.answer.p != found.answer.p)
    throw std::logic_error("A projection that is written and read again is another one.");
  constexpr Index few = 30;
  if (n > few || m > few)
    return;
  convex::StoppingCriterion criterion;
  criterion.max_iterations        = 100;
  const exchange::Verdict verdict = exchange::verdict(found.problem, found.answer, criterion, file);
  if (verdict.at_least > verdict.at_most * (1. + 1e-6) + 1e-12)
    throw std::logic_error("An error is at least larger than at most.");
}

void read_problem(const std::string &file)
{
  attempt([&] { follow(exchange::read_problem(file), file); });
  attempt([&] { exchange::read_answer(file); });
}

void read_folder(const Bytes &bytes)
{
  const fs::path folder = fs::path(written("again.npz", "")).parent_path() / "matrices";
  fs::remove_all(folder);
  fs::create_directory(folder);
  std::size_t at = 0;
  for (const Bytes &name : folder_names)
    {
      const std::size_t end = bytes.find(next_file, at);
      if (const Bytes part = bytes.substr(at, end == Bytes::npos ? end : end - at); !part.empty())
        std::ofstream(folder / name) << part;
      if (end == Bytes::npos)
        break;
      at = end + next_file.size();
    }
  read_problem(folder.string());
}

/// With several conventions; what was read is written in the other formats, and its impact is a projection.
void read_spheres(const std::string &file)
{
  for (const Index dimension : {0, 3})
    for (const char *const units : {"", "micro"})
      attempt([&] {
        const exchange::SphereFile found = exchange::read_spheres(file, {dimension, units});
        if (found.contents.spheres.size() > 200)
          return;
        for (const char *const name : {"again.csv", "again.data", "again.dump"})
          attempt([&] { exchange::write_spheres(found, written(name, "")); });
        exchange::problem_of(found);
      });
}

ProblemFile row()
{
  ProblemFile     file;
  Eigen::MatrixXd B(2, 3);
  B << 1., -1., 0., 0., 1., -1.;
  file.problem.B = B.sparseView();
  file.problem.U = Eigen::Vector3d(1., 0., -1.);
  file.problem.M = Eigen::MatrixXd(Eigen::Vector3d(1., 2., 1.).asDiagonal()).sparseView();
  file.problem.b = Eigen::Vector2d(0., .5);
  file.answer.u  = Vector::Zero(3);
  file.answer.p  = Eigen::Vector2d(1., 1.);
  return file;
}

/// The row, as a file with this ending.
std::vector<Bytes> row_as(const std::string &ending)
{
  const std::string file = written("row" + ending, "");
  exchange::write_problem(row(), file);
  return {content(file)};
}

std::vector<Bytes> folders()
{
  const fs::path folder = fs::path(written("again.npz", "")).parent_path() / "row";
  exchange::write_problem(row(), folder.string());
  Bytes all, sparse;
  for (const Bytes &name : folder_names)
    all += (all.empty() ? "" : next_file) + content(folder / name);
  sparse = "%%MatrixMarket matrix coordinate integer symmetric\n% B\n2 2 2\n1 1 3\n2 1 -1\n" + next_file +
           "%%MatrixMarket matrix array real general\n2 1\n1e0\n-.5\n";
  return {all, sparse};
}

exchange::SphereFile three_discs()
{
  exchange::SphereFile file;
  auto                &spheres = file.contents.spheres;
  spheres.r.resize(2, 3);
  spheres.r << 0., 1., .5, 0., 0., .9;
  spheres.R                  = Vector::Constant(3, .5);
  spheres.m                  = Eigen::Vector3d(1., 2., 3.);
  file.contents.U            = (Vector(6) << 1., 0., 0., 0., 0., -1.).finished();
  file.contents.has_velocity = file.contents.has_mass = true;
  return file;
}

std::vector<Bytes> discs_as(const std::string &ending)
{
  const std::string file = written("discs" + ending, "");
  exchange::write_spheres(three_discs(), file);
  return {content(file)};
}

Bytes discs_as_picture()
{
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
         "header_type=\"UInt64\">\n<PolyData><Piece NumberOfPoints=\"2\" NumberOfVerts=\"0\">\n<PointData>\n"
         "<DataArray type=\"Float64\" Name=\"radius\" format=\"ascii\">0.5 0.5</DataArray>\n"
         "<DataArray type=\"Float64\" Name=\"u\" NumberOfComponents=\"3\" format=\"ascii\">1 0 0 0 0 0</DataArray>\n"
         "</PointData>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0"
         "</DataArray></Points>\n</Piece></PolyData></VTKFile>\n";
}

Bytes header(const std::string &type, const std::string &shape)
{
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
}
} // namespace

Target numpy_archives()
{
  return {"npz",
          [](const Bytes &bytes) { read_problem(written("problem.npz", bytes)); },
          [] { return row_as(".npz"); },
          {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "\x93NUMPY", "U.npy", "B_data.npy", "B_shape.npy", "M.npy",
           header("<f8", "3,"), header(">i4", "2, 3"), header("<f8", "99999999999, 99999999999"), "\xFF\xFF\xFF\xFF",
           "fortran_order': True", "'descr': '|O'"}};
}

Target fclib_files()
{
  return {"fclib",
          [](const Bytes &bytes) { read_problem(written("problem.hdf5", bytes)); },
          [] { return row_as(".hdf5"); },
          {"\x89HDF\r\n\x1A\n", "TREE", "HEAP", "SNOD", "fclib_global", "fclib_local", "vectors", "spacedim", "nzmax",
           "\xFF\xFF\xFF\xFF", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Bytes("\x00\x00\x00\x80", 4), "\x11\x20\x3F", "\x10\x08"},
          true};
}

Target matrix_market_folders()
{
  return {"mtx",
          read_folder,
          folders,
          {next_file, "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix array real symmetric\n",
           "pattern", "complex", "integer", "3 3 9\n", "99999999999", "1e308", "nan", "-1", "%"}};
}

Target lammps_files()
{
  return {"lammps",
          [](const Bytes &bytes) {
            read_spheres(written("spheres.data", bytes));
            read_spheres(written("spheres.dump", bytes));
          },
          [] {
            std::vector<Bytes> seeds = discs_as(".data");
            seeds.push_back(discs_as(".dump").front());
            return seeds;
          },
          {"ITEM: UNITS\nmicro\n", "ITEM: TIMESTEP\n", "ITEM: NUMBER OF ATOMS\n", "ITEM: ATOMS id x y z radius\n",
           "Atoms # sphere", "Velocities", "units = lj", "xlo xhi", "99999999999", "-1", "1e308", "nan", "diameter",
           "density", "vx vy vz"}};
}

Target pictures_of_spheres()
{
  return {"vtp",
          [](const Bytes &bytes) { read_spheres(written("spheres_0000.vtp", bytes)); },
          [] { return std::vector<Bytes>{discs_as_picture()}; },
          {"format=\"appended\" offset=\"0\"", "format=\"binary\"", "<AppendedData encoding=\"raw\">_",
           "encoding=\"base64\"", "NumberOfPoints=\"99999999999\"", "Float32", "compressor=\"vtkZLibDataCompressor\"",
           "</PointData>", "&lt;", "nan"}};
}
} // namespace moreau::fuzz
