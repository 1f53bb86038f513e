// SPDX-License-Identifier: GPL-3.0-or-later
// Projection on the cones of large contact networks that are no lattices: how long, how exact, in how much memory.
//
// Networks: L  the triangular lattice or face-centred cubic packing, given as a general network (diameter 1)
//           J  every centre moved by up to .15 in each direction, all contacts kept: more contacts than degrees of freedom
//           D  like J, with 75 % (plane) or 65 % (space) of the contacts kept at random: near isostatic
// Fields:   block45  two halves collide across a diagonal      fourier  twelve random low cosine modes
//           pwconst  7 x 7 (x 7) random constant blocks        white    independent normal components
//
// Times are wall times. `/pass` divides by one reading of all contacts (indices, directions, multipliers), `/factor` by one
// factorisation of M + BᵀB.
#include "convex/certificate.h"
#include "convex/factorisation/sparse_cholesky.h"
#include "convex/solvers/make_projector.h"
#include "tests/benchmarks/process.h"
#include "tests/benchmarks/table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

using namespace moreau;
using namespace moreau::convex;
using namespace moreau::benchmarks;

namespace
{
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Uniform in [0, 1), the same with every standard library.
class Random
{
public:
  explicit Random(const unsigned int seed) : bits(seed) {}
  double uniform() { return (bits() >> 11) * 0x1p-53; }
  double normal() { return std::sqrt(-2. * std::log(1. - uniform())) * std::cos(2. * M_PI * uniform()); }

private:
  std::mt19937_64 bits;
};

struct Network
{
  Eigen::MatrixXd                   r; ///< dim x n
  std::vector<PairConstraint::Pair> pairs;
};

/// A nearly square patch of about n sites.
Network triangular_lattice(const double n)
{
  const int nx = std::lround(std::sqrt(n * std::sqrt(.75))), ny = std::lround(n / nx);
  Network   network;
  network.r.resize(2, Index(nx) * ny);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      {
        const int k      = y * nx + x;
        network.r.col(k) = Eigen::Vector2d(x + .5 * (y % 2), std::sqrt(.75) * y);
        if (x + 1 < nx)
          network.pairs.push_back({k, k + 1});
        for (const int above : {x - 1 + y % 2, x + y % 2})
          if (y + 1 < ny && above >= 0 && above < nx)
            network.pairs.push_back({k, (y + 1) * nx + above});
      }
  return network;
}

/// A cube of about n sites: the points of even coordinate sum, half the face diagonal apart.
Network face_centred_cubic(const double n)
{
  const int                    side = 2 * std::lround(std::cbrt(n / 4.));
  std::vector<int>             number(Index(side) * side * side, -1);
  std::vector<Eigen::Vector3i> sites;
  const auto                   at = [&](const Eigen::Vector3i &x) { return (Index(x(2)) * side + x(1)) * side + x(0); };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        if ((x + y + z) % 2 == 0)
          {
            number[at({x, y, z})] = static_cast<int>(sites.size());
            sites.emplace_back(x, y, z);
          }
  Network network;
  network.r.resize(3, sites.size());
  for (std::size_t k = 0; k < sites.size(); ++k)
    {
      network.r.col(k) = sites[k].cast<double>() * std::sqrt(.5);
      for (const Eigen::Vector3i &step : {Eigen::Vector3i(1, 1, 0), Eigen::Vector3i(-1, 1, 0), Eigen::Vector3i(1, 0, 1),
                                          Eigen::Vector3i(-1, 0, 1), Eigen::Vector3i(0, 1, 1), Eigen::Vector3i(0, -1, 1)})
        {
          const Eigen::Vector3i other = sites[k] + step;
          if (other.minCoeff() >= 0 && other.maxCoeff() < side)
            network.pairs.push_back({static_cast<int>(k), number[at(other)]});
        }
    }
  return network;
}

/// The networks L, J and D of the head of this file.
Network network(const std::string &type_name, const Index dim, const double n, const unsigned int seed)
{
  if (type_name != "L" && type_name != "J" && type_name != "D")
    throw std::invalid_argument("--networks names '" + type_name + "', which is none of D, J, L.");
  const char type = type_name.front();
  Network    net  = dim == 2 ? triangular_lattice(n) : face_centred_cubic(n);
  Random     random(seed);
  if (type != 'L')
    net.r += .15 * Eigen::MatrixXd::NullaryExpr(dim, net.r.cols(), [&](Index, Index) { return 2. * random.uniform() - 1.; });
  if (type == 'D')
    {
      const double kept = dim == 2 ? .75 : .65;
      net.pairs.erase(
          std::remove_if(net.pairs.begin(), net.pairs.end(), [&](const auto &) { return random.uniform() >= kept; }),
          net.pairs.end());
    }
  return net;
}

Vector field(const std::string &name, const Eigen::MatrixXd &r, const unsigned int seed)
{
  const Index           dim = r.rows(), n = r.cols();
  const Eigen::VectorXd low = r.rowwise().minCoeff(), extent = r.rowwise().maxCoeff() - low;
  const Eigen::MatrixXd x = extent.cwiseInverse().asDiagonal() * (r.colwise() - low); // in the unit cube
  Random                random(seed);
  const auto            normals = [&](const Index size) {
    return Vector(Vector::NullaryExpr(size, [&](Index) { return random.normal(); }));
  };
  Eigen::MatrixXd U = Eigen::MatrixXd::Zero(dim, n);
  if (name == "block45")
    for (Index k = 0; k < n; ++k)
      U(0, k) = x(0, k) + x(1, k) < 1. ? 1. : -1.;
  else if (name == "fourier")
    for (int mode = 0; mode < 12; ++mode)
      {
        const Vector wave      = Vector::NullaryExpr(dim, [&](Index) { return M_PI * std::floor(4. * random.uniform()); });
        const Vector amplitude = normals(dim);
        const double phase     = 2. * M_PI * random.uniform();
        U += amplitude * ((wave.transpose() * x).array() + phase).cos().matrix();
      }
  else if (name == "pwconst")
    {
      const Eigen::MatrixXd value = Eigen::Map<const Eigen::MatrixXd>(normals(dim * 343).data(), dim, 343);
      for (Index k = 0; k < n; ++k)
        {
          int block = 0;
          for (Index a = 0; a < dim; ++a)
            block = 7 * block + std::min(6, static_cast<int>(7. * x(a, k)));
          U.col(k) = value.col(block);
        }
    }
  else if (name == "white")
    U = Eigen::Map<const Eigen::MatrixXd>(normals(dim * n).data(), dim, n);
  else
    throw std::invalid_argument("Unknown field '" + name + "'.");
  return Eigen::Map<const Vector>(U.data(), U.size());
}

/// Connected parts, numbered from 0.
std::vector<int> parts(const Network &net, int &n_parts)
{
  std::vector<int> root(net.r.cols());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int k) {
    while (root[k] != k)
      k = root[k] = root[root[k]];
    return k;
  };
  for (const auto &[i, j] : net.pairs)
    root[find(i)] = find(j);
  std::vector<int> number(root.size(), -1), part(root.size());
  n_parts = 0;
  for (std::size_t k = 0; k < root.size(); ++k)
    {
      int &of_root = number[find(static_cast<int>(k))];
      if (of_root < 0)
        of_root = n_parts++;
      part[k] = of_root;
    }
  return part;
}

/// Unit masses, no walls; the expansion is r minus the centre of each connected part.
ProjectionProblem projection_problem(const Network &net, const Vector &U)
{
  const Index     dim = net.r.rows(), n = net.r.cols(), m = static_cast<Index>(net.pairs.size());
  Eigen::MatrixXd e(dim, m);
  for (Index c = 0; c < m; ++c)
    e.col(c) = (net.r.col(net.pairs[c].j) - net.r.col(net.pairs[c].i)).normalized();
  ProjectionProblem problem;
  problem.V            = std::make_shared<DiagonalSpace>(Vector::Ones(n), dim);
  problem.B            = std::make_shared<PairConstraint>(dim, n, net.pairs, e);
  problem.U            = U;
  Expansion &expansion = problem.expansion;

  const std::vector<int> part   = parts(net, expansion.n_parts);
  Eigen::MatrixXd        centre = Eigen::MatrixXd::Zero(dim, expansion.n_parts);
  Vector                 size   = Vector::Zero(expansion.n_parts);
  for (Index k = 0; k < n; ++k)
    {
      centre.col(part[k]) += net.r.col(k);
      size(part[k]) += 1.;
    }
  expansion.w.resize(dim * n);
  expansion.part_of_unknown.resize(dim * n);
  for (Index k = 0; k < n; ++k)
    {
      expansion.w.segment(dim * k, dim) = net.r.col(k) - centre.col(part[k]) / size(part[k]);
      std::fill_n(expansion.part_of_unknown.begin() + dim * k, dim, part[k]);
    }
  for (const auto &pair : net.pairs)
    expansion.part_of_row.push_back(part[pair.i]);
  return problem;
}

double least_seconds(const int repetitions, const std::function<void()> &work)
{
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k)
    {
      const double begin = seconds();
      work();
      least = std::min(least, seconds() - begin);
    }
  return least;
}

/// Time to read every contact once.
double one_pass(const PairConstraint &B)
{
  const Vector    p   = Vector::Ones(B.n_constraints());
  volatile double sum = 0.;
  return least_seconds(5, [&] {
    double total = 0.;
    for (Index c = 0; c < B.n_constraints(); ++c)
      total += p(c) * (B.directions().col(c).sum() + B.pairs()[c].i - B.pairs()[c].j);
    sum = total;
  });
}

/// Time to factorise M + BᵀB once its pattern is analysed.
double one_factorisation(const PairConstraint &B, const DiagonalSpace &V)
{
  const Index                                     dim = B.dimension(), n = B.n_nodes();
  std::vector<std::vector<std::pair<int, Index>>> below(n); // other node and contact, by the earlier node
  for (Index c = 0; c < B.n_constraints(); ++c)
    {
      const auto &[i, j] = B.pairs()[c];
      below[std::min(i, j)].emplace_back(std::max(i, j), c);
    }
  BlockPattern        pattern;
  std::vector<double> values;
  pattern.dim = static_cast<int>(dim);
  std::vector<Eigen::MatrixXd> diagonal(n, Eigen::MatrixXd::Identity(dim, dim));
  for (Index k = 0; k < n; ++k)
    diagonal[k] *= V.masses_of_nodes()(k);
  for (Index c = 0; c < B.n_constraints(); ++c)
    {
      const Eigen::MatrixXd ee = B.directions().col(c) * B.directions().col(c).transpose();
      diagonal[B.pairs()[c].i] += ee;
      diagonal[B.pairs()[c].j] += ee;
    }
  const auto append = [&](const Index row, const Eigen::MatrixXd &block) {
    pattern.row.push_back(static_cast<int>(row));
    values.insert(values.end(), block.data(), block.data() + block.size());
  };
  pattern.column_start.push_back(0);
  for (Index k = 0; k < n; ++k)
    {
      append(k, diagonal[k]);
      std::sort(below[k].begin(), below[k].end());
      for (const auto &[row, c] : below[k])
        append(row, -B.directions().col(c) * B.directions().col(c).transpose());
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
  const auto   cholesky = make_sparse_cholesky(pattern);
  const Vector H        = Eigen::Map<const Vector>(values.data(), values.size());
  return least_seconds(2, [&] { cholesky->factorize(H); });
}

std::vector<std::string> split(const std::string &list)
{
  std::vector<std::string> items;
  std::istringstream       stream(list);
  for (std::string item; std::getline(stream, item, ',');)
    items.push_back(item);
  return items;
}

/// A solution to compare with: many first-order passes, else an interior point down to its rounding floor (errors near 1e-9)
/// where a factorisation is cheap. Empty where neither gets there.
Vector reference(const ProjectionProblem &problem, const bool factorisable)
{
  StoppingCriterion criterion;
  criterion.tolerance           = 1e-12;
  criterion.on_natural_residual = true;
  criterion.max_iterations      = 10000;
  const SaddlePoint first_order = make_projector("projected gradient", criterion)->project(problem);
  if (first_order.converged() || !factorisable)
    return first_order.converged() ? first_order.u : Vector();
  criterion.on_natural_residual    = false;
  const SaddlePoint interior_point = make_projector("interior point", criterion)->project(problem);
  return interior_point.certificate.relative_error_bound < 1e-5 ? interior_point.u : Vector();
}

void run(const Options &options)
{
  const double min_n = options.number("min-n", 1e3), max_n = options.number("max-n", 1e4);
  const double largest_factorised = options.number("max-factorised", 2e5),
               largest_reference  = options.number("max-reference", 2e4);

  StoppingCriterion criterion;
  criterion.tolerance           = options.number("tolerance", 1e-6);
  criterion.on_natural_residual = options.text("criterion", "bound") == "residual";
  criterion.max_iterations      = static_cast<unsigned int>(options.number("max-iterations", 20000));

  Table table(std::cout, "Contact networks",
              {"case", "contacts", "method", "status", "its", "seconds", "residual", "bound", "floor", "error", "B/contact",
               "/pass", "/factor"});
  for (const std::string &dimension : split(options.text("dimension", "2,3")))
    for (double n = min_n; n < 1.001 * max_n; n *= 10.)
      for (const std::string &type : split(options.text("networks", "D,J,L")))
        {
          const Index   dim          = std::stoi(dimension);
          const Network net          = network(type, dim, n, 1);
          const bool    factorisable = n <= (dim == 2 ? largest_factorised : .1 * largest_factorised);
          double        pass = unknown, factorisation = unknown;
          for (const std::string &name_of_field : split(options.text("fields", "block45,fourier,pwconst,white")))
            {
              const ProjectionProblem problem = projection_problem(net, field(name_of_field, net.r, 2));
              const auto             &B       = dynamic_cast<const PairConstraint &>(*problem.B);
              if (std::isnan(pass))
                {
                  pass = one_pass(B);
                  if (factorisable)
                    factorisation = one_factorisation(B, dynamic_cast<const DiagonalSpace &>(*problem.V));
                }
              const Vector u = n <= largest_reference ? reference(problem, factorisable) : Vector();
              for (const std::string &method : split(options.text("methods", "automatic,projected gradient,interior point")))
                {
                  if (method == "interior point" && !factorisable)
                    continue;
                  const PeakMemory  memory;
                  const double      begin = seconds();
                  const SaddlePoint x     = make_projector(method, criterion)->project(problem);
                  const double      time  = seconds() - begin;
                  const double      error = u.size() > 0 ? problem.V->norm(x.u - u) / problem.V->norm(problem.U) : unknown;
                  table.add({dimension + "D " + type + " " + name_of_field + " n=" + std::to_string(net.r.cols()),
                             B.n_constraints(), method, name(x.status), x.n_iterations, time, x.certificate.natural_residual,
                             x.certificate.relative_error_bound, x.certificate.round_off_floor, error,
                             memory.above_start() / static_cast<double>(B.n_constraints()), time / pass,
                             time / factorisation});
                }
            }
        }
  write_json(options.text("json", ""), {&table});
}
} // namespace

int main(int argc, char **argv)
{
  return run_benchmark(argc, argv,
                       {{"dimension", "2, 3 (2,3)"},
                        {"networks", "D, J, L (D,J,L)"},
                        {"fields", "block45, fourier, pwconst, white (all); lists are separated by commas"},
                        {"methods", "solvers (automatic,projected gradient,interior point)"},
                        {"tolerance", "of the criterion (1e-6)"},
                        {"criterion", "bound or residual (bound)"},
                        {"min-n", "nodes of the smallest network (1e3)"},
                        {"max-n", "nodes of the largest network (1e4)"},
                        {"max-iterations", "cap of every solver (20000)"},
                        {"max-factorised", "nodes up to which interior points run, in the plane (2e5)"},
                        {"max-reference", "nodes up to which errors are measured (2e4)"}},
                       run);
}
