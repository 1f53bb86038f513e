// SPDX-License-Identifier: GPL-3.0-or-later
#include "convex/solvers/lawson_hanson.h"

#include "convex/certificate.h"
#include "convex/start.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace moreau::convex
{
namespace
{
/// A row whose part outside the span of the active rows is below this fraction of it counts as dependent.
constexpr double dependence = 1e-12;

/// -<b,p> below this fraction of <|b|,p> is rounding, not a proof that K is empty.
constexpr double farkas_margin = 1e-11;

/// How often a row may enter without lowering the objective before it counts as met: no cycles, whatever the rounding.
constexpr int max_entries = 4;

/// G = QR for the columns g_c = B*e_c of the active rows, with Q orthonormal in V. Columns come and go.
class ActiveColumns
{
public:
  ActiveColumns(const ProjectionProblem &problem, const Index capacity)
      : V(*problem.V), Q(problem.n_unknowns(), capacity), R(capacity, capacity), M_x(problem.n_unknowns())
  {}

  /// Number of active rows, k.
  Index size() const { return static_cast<Index>(rows.size()); }

  /// The row of the i-th active column.
  Index row(const Index i) const { return rows[i]; }

  bool full() const { return size() == Q.cols(); }

  /// Qᵀ M x, length k.
  Vector coefficients(const Vector &x) const
  {
    V.riesz(x, M_x);
    return basis().transpose() * M_x;
  }

  /// Splits g = Q d + z with z orthogonal to Q; orthogonalised twice, so that z is right to rounding of |g|.
  void split(const Vector &g, Vector &d, Vector &z) const
  {
    d                       = coefficients(g);
    z                       = g - basis() * d;
    const Vector correction = coefficients(z);
    z.noalias() -= basis() * correction;
    d += correction;
  }

  /// y with R y = d: the combination of active columns that Q d is.
  Vector solve(const Vector &d) const { return R.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().solve(d); }

  /// h with Rᵀ h = y.
  Vector solve_transposed(const Vector &y) const
  {
    return R.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().transpose().solve(y);
  }

  /// Appends the column g = Q d + z of a row.
  void append(const Index c, const Vector &d, const Vector &z)
  {
    const Index  k      = size();
    const double length = V.norm(z);
    Q.col(k)            = z / length;
    R.col(k).head(k)    = d;
    R(k, k)             = length;
    rows.push_back(c);
  }

  /// Removes the i-th column; plane rotations make R triangular again.
  void remove(const Index i)
  {
    const Index k = size();
    for (Index j = i + 1; j < k; ++j)
      R.col(j - 1).head(j + 1) = R.col(j).head(j + 1).eval();
    for (Index j = i; j + 1 < k; ++j)
      {
        Eigen::JacobiRotation<double> rotation;
        rotation.makeGivens(R(j, j), R(j + 1, j), &R(j, j));
        R(j + 1, j) = 0.;
        if (j + 2 < k)
          R.block(j, j + 1, 2, k - j - 2).applyOnTheLeft(0, 1, rotation.adjoint());
        Q.middleCols(j, 2).applyOnTheRight(0, 1, rotation);
      }
    rows.erase(rows.begin() + i);
  }

  /// The velocity nearest to U with Bu = b on the active rows, and its multipliers: u = U - G p, Gᵀ M u = b_active.
  void nearest_on_face(const Vector &U, const Vector &b, Vector &u, Vector &p_active) const
  {
    Vector b_active(size());
    for (Index i = 0; i < size(); ++i)
      b_active(i) = b(rows[i]);
    const Vector h = solve_transposed(b_active);
    u              = U;
    for (int pass = 0; pass < 2; ++pass) // the second pass removes the rounding of the first
      u -= basis() * (coefficients(u) - h);
    p_active = solve(coefficients(U - u));
  }

private:
  using Block = Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, Eigen::Dynamic, true>;

  Block basis() const { return Q.leftCols(size()); }

  const VelocitySpace &V;
  Eigen::MatrixXd      Q, R;
  std::vector<Index>   rows;
  mutable Vector       M_x;
};

/// One run of the method, in the frame of the mean of U.
class ActiveSetMethod
{
public:
  explicit ActiveSetMethod(const ProjectionProblem &problem);

  void start_from(const Vector &p_start);

  /// Status::stagnated where no violated row is left: the certificate decides whether that is convergence.
  Status run(const StoppingCriterion &criterion);

  Vector       velocity() const { return mean + u; }
  Vector       multipliers() const;
  unsigned int n_steps = 0;

private:
  enum class Entry
  {
    done,
    redundant,
    infeasible
  };

  Vector column(Index c) const;
  Index  most_violated_row();
  Entry  enter(Index c, double &decrease);
  void   settle();
  bool   proves_emptiness(Index c, const Vector &y) const;

  const ProjectionProblem &problem;
  const Vector             mean, U, b;
  const Vector             length; // |B*e_c|, m
  ActiveColumns            active;
  Vector                   u, p_active, Bu;
  std::vector<int>         n_entries; // of every row since the dual objective last fell
  Vector                   farkas;    // empty unless infeasible
};

Vector lengths_of_columns(const ProjectionProblem &problem)
{
  const Index m = problem.n_constraints(), n = problem.n_unknowns();
  Vector      length(m), e_c                 = Vector::Zero(m), Bt_e(n), g(n);
  for (Index c = 0; c < m; ++c)
    {
      e_c(c) = 1.;
      problem.B->apply_transpose(e_c, Bt_e);
      problem.V->inverse_riesz(Bt_e, g);
      length(c) = std::sqrt(Bt_e.dot(g));
      e_c(c)    = 0.;
    }
  return length;
}

/// b - B mean: the offsets seen from the moving frame.
Vector offsets_in_frame(const ProjectionProblem &problem, const Vector &mean)
{
  Vector B_mean(problem.n_constraints());
  problem.B->apply(mean, B_mean);
  return problem.right_hand_side() - B_mean;
}

ActiveSetMethod::ActiveSetMethod(const ProjectionProblem &problem)
    : problem(problem)
    , mean(problem.V->mean(problem.U))
    , U(problem.U - mean)
    , b(offsets_in_frame(problem, mean))
    , length(lengths_of_columns(problem))
    , active(problem, std::min(problem.n_constraints(), problem.n_unknowns()))
    , u(U)
    , Bu(problem.n_constraints())
    , n_entries(problem.n_constraints(), 0)
{}

Vector ActiveSetMethod::column(const Index c) const
{
  Vector e_c = Vector::Zero(b.size()), Bt_e(U.size()), g(U.size());
  e_c(c)     = 1.;
  problem.B->apply_transpose(e_c, Bt_e);
  problem.V->inverse_riesz(Bt_e, g);
  return g;
}

/// The independent rows of the support of p_start, largest multipliers first, less those that do not stay positive.
void ActiveSetMethod::start_from(const Vector &p_start)
{
  std::vector<Index> support;
  for (Index c = 0; c < p_start.size(); ++c)
    if (p_start(c) > 0.)
      support.push_back(c);
  std::stable_sort(support.begin(), support.end(), [&](const Index c, const Index d) { return p_start(c) > p_start(d); });
  Vector d, z;
  for (const Index c : support)
    if (!active.full())
      {
        active.split(column(c), d, z);
        // a nearly dependent guess would only bring large multipliers of both signs
        if (problem.V->norm(z) > 1e-6 * length(c))
          active.append(c, d, z);
      }
  settle();
}

/// u and p of the face anew from the factors, without the rounding of the steps; multipliers that are not positive leave.
void ActiveSetMethod::settle()
{
  active.nearest_on_face(U, b, u, p_active);
  Index worst = 0;
  while (active.size() > 0 && p_active.minCoeff(&worst) <= 0.)
    {
      active.remove(worst);
      active.nearest_on_face(U, b, u, p_active);
    }
}

/// The row with the largest (Bu - b)_c / |B*e_c| above rounding, or -1. Rows that came back often without lowering the
/// objective are left alone: they differ from b by rounding only.
Index ActiveSetMethod::most_violated_row()
{
  problem.B->apply(u, Bu);
  const double speed = std::max(problem.V->norm(U), problem.V->norm(u));
  Index        worst = -1;
  double       most  = 0.;
  for (Index c = 0; c < b.size(); ++c)
    {
      const double excess   = Bu(c) - b(c);
      const double rounding = 32. * epsilon * (length(c) * speed + std::abs(b(c)));
      if (excess > rounding && excess > most * length(c) && n_entries[c] < max_entries)
        {
          worst = c;
          most  = length(c) > 0. ? excess / length(c) : std::numeric_limits<double>::max();
        }
    }
  return worst;
}

/// Whether p = e_c - Σ y_i e_{row i} >= 0, for which B*p = 0, has <b,p> < 0 beyond rounding.
bool ActiveSetMethod::proves_emptiness(const Index c, const Vector &y) const
{
  double b_p = b(c), size = std::abs(b(c));
  for (Index i = 0; i < active.size(); ++i)
    {
      b_p -= b(active.row(i)) * y(i);
      size += std::abs(b(active.row(i)) * y(i));
    }
  return b_p < -farkas_margin * size;
}

/// Raises the multiplier of row c until (Bu)_c = b_c, keeping Bu = b on the active rows that keep a positive multiplier.
/// decrease: of the dual objective.
ActiveSetMethod::Entry ActiveSetMethod::enter(const Index c, double &decrease)
{
  const Vector g      = column(c);
  double       excess = Bu(c) - b(c), p_c = 0.;
  decrease = 0.;
  Vector d, z;
  while (true)
    {
      active.split(g, d, z);
      const Vector y           = active.solve(d);
      const double z_squared   = problem.V->dot(z, z);
      const bool   independent = z_squared > std::pow(dependence * length(c), 2) && !active.full();

      // p_active - t y stays >= 0 up to t = blocked, where multiplier `first` vanishes
      double blocked = std::numeric_limits<double>::infinity();
      Index  first   = -1;
      for (Index i = 0; i < active.size(); ++i)
        if (y(i) > epsilon * y.lpNorm<Eigen::Infinity>() && p_active(i) < blocked * y(i))
          {
            blocked = p_active(i) / y(i);
            first   = i;
          }
      if (!independent && first < 0)
        {
          if (!proves_emptiness(c, y))
            return Entry::redundant;
          farkas    = Vector::Zero(b.size());
          farkas(c) = 1.;
          for (Index i = 0; i < active.size(); ++i)
            farkas(active.row(i)) = std::max(0., -y(i));
          farkas /= farkas.maxCoeff();
          return Entry::infeasible;
        }

      const double full = independent ? excess / z_squared : std::numeric_limits<double>::infinity();
      const double t    = std::min(full, blocked);
      p_active -= t * y;
      p_c += t;
      decrease += t * excess;
      if (independent)
        {
          u -= t * z;
          excess -= t * z_squared;
          decrease -= .5 * t * t * z_squared;
        }
      if (full <= blocked)
        {
          active.append(c, d, z);
          p_active.conservativeResize(active.size());
          p_active(active.size() - 1) = p_c;
          return Entry::done;
        }
      ++n_steps;
      active.remove(first);
      p_active.segment(first, active.size() - first) = p_active.tail(active.size() - first).eval();
      p_active.conservativeResize(active.size());
    }
}

Status ActiveSetMethod::run(const StoppingCriterion &criterion)
{
  constexpr int max_settlements = 5;
  for (int settlement = 0; settlement < max_settlements; ++settlement)
    {
      for (Index c = most_violated_row(); c >= 0; c = most_violated_row())
        {
          if (n_steps >= criterion.max_iterations)
            return Status::iteration_limit;
          criterion.watch(Bu(c) - b(c), epsilon * length(c) * problem.V->norm(U));
          ++n_steps;
          ++n_entries[c];
          double      decrease = 0.;
          const Entry entry    = enter(c, decrease);
          if (entry == Entry::infeasible)
            return Status::infeasible;
          if (entry == Entry::redundant)
            n_entries[c] = max_entries;
          else if (decrease > 4. * epsilon * std::max(problem.V->dot(U, U), problem.V->dot(u, u)))
            std::fill(n_entries.begin(), n_entries.end(), 0);
        }
      settle(); // removes the rounding of the steps, after which a row may be violated again
      if (most_violated_row() < 0)
        break;
    }
  return Status::stagnated;
}

Vector ActiveSetMethod::multipliers() const
{
  if (farkas.size() > 0)
    return farkas;
  Vector p = Vector::Zero(b.size());
  for (Index i = 0; i < active.size(); ++i)
    p(active.row(i)) = std::max(0., p_active(i));
  return p;
}
} // namespace

SaddlePoint LawsonHanson::project(const ProjectionProblem &problem, const Vector *p_start) const
{
  constexpr double max_entries_of_factors = 2.5e8;
  const double     n = problem.n_unknowns(), k = std::min(problem.n_constraints(), problem.n_unknowns());
  if ((n + k) * k > max_entries_of_factors)
    throw std::invalid_argument("Lawson-Hanson is dense: " + std::to_string(problem.n_unknowns()) + " unknowns with " +
                                std::to_string(problem.n_constraints()) + " constraints are too many.");

  ActiveSetMethod method(problem);
  if (is_start(p_start, problem.n_constraints()))
    method.start_from(*p_start);
  SaddlePoint x;
  x.status       = method.run(criterion);
  x.u            = method.velocity();
  x.p            = method.multipliers();
  x.n_iterations = method.n_steps;
  x.method       = "Lawson-Hanson (" + std::to_string(x.n_iterations) + ")";
  judge(problem, criterion, x);
  return x;
}
} // namespace moreau::convex
