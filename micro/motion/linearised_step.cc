// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/linearised_step.h"

#include "convex/certificate.h"
#include "convex/clock.h"
#include "convex/solvers/warm_projection.h"
#include "micro/motion/step_expansion.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace moreau::micro
{
namespace
{
/// Gaps below this part of the smaller radius have a row from the start: neighbours that forces press together without a
/// velocity that would tell.
constexpr double close = .04;

/// e·(u_i - u_j) <= D/h for one step of some spheres.
class Step
{
public:
  Step(const StepScene &scene, const Vector &U, const StepParameters &parameters)
      : scene(scene)
      , parameters(parameters)
      , dim(scene.q.rows())
      , n(scene.q.cols())
      , U(U)
      , tolerance(.25 * parameters.position_tolerance * scene.R.minCoeff())
  {
    const Eigen::Map<const Eigen::MatrixXd> velocities(U.data(), dim, n);
    frame = velocities * scene.m / scene.m.sum();
    speed = Vector::Zero(n);
    // where spheres fly past many others in a step, a list of all that are near would be long
    const double far =
        (scene.h * (velocities.colwise() - frame).colwise().norm().transpose().array() / scene.R.array()).mean();
    listed_neighbours = scene.neighbours && far < .5 && scene.box.contains(scene.q);
    reach_further(U);
  }

  StepSolution solution(const RowMultipliers &start)
  {
    add_rows(U, close);
    known = start;
    if (parameters.contact_law == ContactLaw::gluey)
      glue = &start;
    constexpr unsigned int max_rounds = 200; // five are many
    for (unsigned int round = 1; !projected(); ++round)
      if (round == max_rounds)
        {
          result.x.status = convex::Status::iteration_limit;
          break;
        }
    result.effort.end_with(result.x.status, result.x.certificate);
    return std::move(result);
  }

private:
  /// Makes the search see as far as spheres with these velocities get, in the frame of the mean velocity.
  void reach_further(const Vector &u)
  {
    const convex::Stopwatch watch(result.search_time);
    bool                    further = !is_prepared;
    for (Index i = 0; i < n; ++i)
      {
        const double found = (u.segment(dim * i, dim) - frame).norm();
        if (!is_prepared || scene.h * (found - speed(i)) > close * scene.R(i))
          {
            further  = true;
            speed(i) = (is_prepared ? 1.25 : 1.) * found;
          }
      }
    if (further)
      {
        const Vector reach = (1. + close) * scene.R + scene.h * speed;
        if (listed_neighbours)
          scene.neighbours->prepare(scene.q, reach, scene.R, scene.box);
        else
          search.emplace(scene.q, reach, scene.box);
        is_prepared = true;
      }
  }

  /// Adds what is nearer than margin times the smaller radius, or is brought as near by the velocity v. Returns whether a
  /// new row was violated by more than the tolerance; with margin 0 what is violated by less only counts as overlap.
  bool add_rows(const Vector &v, const double margin)
  {
    const convex::Stopwatch watch(result.search_time);
    const bool              first = margin > 0.;
    const double            limit = first ? 0. : -tolerance;
    std::vector<StepRow>    found = pair_rows(v, margin);
    obstacle_rows(v, margin, found);
    double lowest = std::numeric_limits<double>::infinity();
    if (!first)
      {
        found.erase(std::remove_if(found.begin(), found.end(), [&](const StepRow &row) { return listed(row); }),
                    found.end());
        for (const StepRow &row : found)
          lowest = std::min(lowest, reached_gap(row, v));
      }
    const bool more = first || lowest < limit;
    if (more)
      {
        result.rows.insert(result.rows.end(), found.begin(), found.end());
        std::sort(result.rows.begin(), result.rows.end());
      }
    else
      result.max_overlap = std::max(overlap(v), found.empty() ? 0. : -lowest);
    return more;
  }

  std::vector<StepRow> pair_rows(const Vector &v, const double margin) const
  {
    const auto row_of = [&](const NearPair &pair) {
      const double distance = pair.x.norm();
      return StepRow{pair.i, pair.j, pair.image, pair.x / distance, distance - (scene.R(pair.i) + scene.R(pair.j))};
    };
    const auto is_wanted = [&](const StepRow &row) {
      const double nearer = margin * std::min(scene.R(row.i), scene.R(row.j));
      return (margin > 0. && row.D <= nearer) || reached_gap(row, v) < nearer;
    };
    if (listed_neighbours)
      return rows_of_list(row_of, is_wanted);
    const std::vector<NearPair> pairs = search->pairs([&](const NearPair &pair) { return is_wanted(row_of(pair)); });
    std::vector<StepRow>        rows;
    rows.reserve(pairs.size());
    for (const NearPair &pair : pairs)
      rows.push_back(row_of(pair));
    return rows;
  }

  template <class RowOf, class IsWanted>
  std::vector<StepRow> rows_of_list(const RowOf &row_of, const IsWanted &is_wanted) const
  {
    const std::vector<NeighbourList::Candidate> &candidates   = scene.neighbours->candidates();
    const Index                                  n_candidates = static_cast<Index>(candidates.size());
    std::vector<std::vector<StepRow>>            of_block((n_candidates + block - 1) / block);
    for_each_block(n_candidates, [&](const Index b, const Index first, const Index last) {
      for (Index c = first; c < last; ++c)
        {
          NearPair pair{candidates[c].i, candidates[c].j, candidates[c].image, Eigen::Vector3d::Zero()};
          for (Index k = 0; k < dim; ++k)
            pair.x[k] = scene.q(k, pair.j) - scene.q(k, pair.i);
          if (pair.image != 0)
            pair.x.head(dim) += scene.box.displacement(pair.image, dim);
          if (const StepRow row = row_of(pair); is_wanted(row))
            of_block[b].push_back(row);
        }
    });
    std::vector<StepRow> rows;
    for (const std::vector<StepRow> &found : of_block)
      rows.insert(rows.end(), found.begin(), found.end());
    return rows;
  }

  void obstacle_rows(const Vector &v, const double margin, std::vector<StepRow> &rows) const
  {
    if (scene.obstacles.size() == 0)
      return;
    std::vector<std::vector<StepRow>> of_block((n + block - 1) / block);
    for_each_block(n, [&](const Index b, const Index first, const Index last) {
      for (Index i = first; i < last; ++i)
        add_obstacle_rows(static_cast<int>(i), v, margin, of_block[b]);
    });
    for (const std::vector<StepRow> &found : of_block)
      rows.insert(rows.end(), found.begin(), found.end());
  }

  void add_obstacle_rows(const int i, const Vector &v, const double margin, std::vector<StepRow> &rows) const
  {
    const double        nearer = margin * scene.R(i);
    const double        reach  = nearer + scene.h * v.segment(dim * i, dim).norm();
    const double *const x      = &scene.q(0, i);
    scene.obstacles.visit_near(x, scene.R(i), reach, [&](const int k, const PeriodicObstacles::Image image) {
      const Approach approach = scene.obstacles.approach(k, image, x, scene.R(i));
      const StepRow  row{i, static_cast<int>(n + k), image * StepRow::supports, approach.e, approach.D};
      if ((margin > 0. && row.D <= nearer) || reached_gap(row, v) < nearer)
        rows.push_back(row);
      if (margin == 0. && scene.obstacles.as_placed().obstacles()[k].is_container())
        add_support(row, v, rows);
    });
  }

  /// The supporting half-space of a container at the point that v reaches, where that is outside by more than the
  /// half-spaces known so far: else it is the projection that is not exact yet.
  void add_support(StepRow row, const Vector &v, std::vector<StepRow> &rows) const
  {
    const Vector   x = scene.q.col(row.i) + scene.h * v.segment(dim * row.i, dim);
    const Approach reached =
        scene.obstacles.approach(row.j - static_cast<int>(n), row.image_of_sphere(), x.data(), scene.R(row.i));
    if (!(reached.D < 0.))
      return;
    double known_violation = 0.;
    for (auto known = std::lower_bound(result.rows.begin(), result.rows.end(), row);
         known != result.rows.end() && known->i == row.i && known->j == row.j; ++known)
      {
        known_violation = std::max(known_violation, -reached_gap(*known, v));
        row.image       = known->image + 1;
      }
    if (row.image % StepRow::supports == 0)
      ++row.image;
    if (!(-reached.D > 2. * known_violation + .5 * tolerance))
      return;
    row.e = reached.e;
    row.D = reached.D + row.e.head(dim).dot(x - scene.q.col(row.i)); // the gap of q from that half-space
    rows.push_back(row);
  }

  bool listed(const StepRow &row) const { return std::binary_search(result.rows.begin(), result.rows.end(), row); }

  /// D + h ∇g·v.
  double reached_gap(const StepRow &row, const Vector &v) const
  {
    double approach = 0.;
    for (Index k = 0; k < dim; ++k)
      approach += row.e[k] * (v(dim * row.i + k) - (row.j < n ? v(dim * row.j + k) : 0.));
    return row.D - scene.h * approach;
  }

  double overlap(const Vector &v) const
  {
    if (result.rows.empty())
      return 0.;
    const Eigen::Map<const Eigen::MatrixXd> velocities(v.data(), dim, n);
    return std::max(0., -gaps(result.rows, scene, scene.q + scene.h * velocities).minCoeff());
  }

  /// Projects on the rows known so far. Returns whether that is the answer: no row is missing, or no velocity is admissible.
  bool projected()
  {
    const bool complete = projected_with_gaps_above(-std::numeric_limits<double>::infinity());
    // in a squeezed chain the overlaps that earlier steps were allowed to leave cannot be undone
    if (result.x.status == convex::Status::infeasible && lowest_gap() < 0. && lowest_gap() > -8. * tolerance)
      return projected_with_gaps_above(0.);
    return complete;
  }

  /// What the rounding of positions, radii and velocities leaves undecided in the speed of approach of a row (m/s): spheres
  /// that touch and fall together approach at such speeds.
  double rounding(const StepRow &row) const
  {
    double length = 0., speed = 0.;
    for (const Index k : {row.i, row.j})
      if (k < n)
        {
          length = std::max(length, scene.q.col(k).cwiseAbs().maxCoeff() + scene.R(k));
          speed  = std::max(speed, U.segment(dim * k, dim).cwiseAbs().maxCoeff());
        }
    return 16. * std::numeric_limits<double>::epsilon() * (length / scene.h + speed);
  }

  /// The largest of all rows.
  double rounding() const
  {
    double largest = 0.;
    for (const StepRow &row : result.rows)
      largest = std::max(largest, rounding(row));
    return largest;
  }

  double lowest_gap() const
  {
    double lowest = 0.;
    for (const StepRow &row : result.rows)
      lowest = std::min(lowest, row.D);
    return lowest;
  }

  /// The same with gaps below `least` taken as that. Which rows are missing is seen well enough at a loose tolerance.
  bool projected_with_gaps_above(const double least)
  {
    constexpr double                 loose = 1e-3;
    std::optional<convex::Stopwatch> watch(std::in_place, result.effort.seconds);
    const auto                       take = [&](convex::SaddlePoint &&x) {
      result.x = std::move(x);
      known    = {result.rows, result.x.p, result.stress};
      watch.reset();
    };
    if (known.stress.size() > 0)
      result.stress = known.guess(known.stress, result.rows);
    else
      result.stress.resize(0);
    Vector b(result.rows.size());
    for (Index c = 0; c < b.size(); ++c)
      b(c) = std::max(least, closed_gap(result.rows[c].D)) / scene.h;
    convex::ProjectionProblem problem = step_problem(result.rows, scene.m, dim, glue ? pulled() : U, b);
    ++result.effort.n_projections;
    if (is_admissible(problem))
      {
        take(unchanged(problem.U));
        return !misses_rows();
      }
    problem.expansion = step_expansion(result.rows, scene);
    convex::WarmProjection projection(problem, known.guess(known.p, result.rows), parameters.solver, criterion(problem),
                                      result.stress, scene.looks_for_stress());
    if (!projection.is_solved())
      {
        take(projection.rough(loose));
        if (result.x.status != convex::Status::infeasible && misses_rows())
          {
            result.effort.n_iterations += result.x.n_iterations;
            return false;
          }
        watch.emplace(result.effort.seconds);
      }
    convex::SaddlePoint x = projection.exact();
    result.stress         = projection.self_stress();
    take(std::move(x));
    result.effort.n_iterations += result.x.n_iterations;
    return result.x.status == convex::Status::infeasible || !misses_rows();
  }

  /// Gaps far below the tolerance are what the last projection left: taken as closed, so that what is at rest stays at rest.
  double closed_gap(const double D) const { return std::abs(D) <= .4 * tolerance ? 0. : D; }

  bool misses_rows()
  {
    reach_further(result.x.u);
    return add_rows(result.x.u, 0.);
  }

  /// U - B*γ.
  Vector pulled()
  {
    Vector shifted = U;
    result.held    = glue->guess(glue->p, result.rows);
    for (std::size_t c = 0; c < result.rows.size(); ++c)
      {
        const StepRow &row = result.rows[c];
        shifted.segment(dim * row.i, dim) += result.held(c) / scene.m(row.i) * row.e.head(dim);
        if (row.j < n)
          shifted.segment(dim * row.j, dim) -= result.held(c) / scene.m(row.j) * row.e.head(dim);
      }
    return shifted;
  }

  bool is_admissible(const convex::ProjectionProblem &problem) const
  {
    Vector BU(problem.b.size());
    problem.B->apply(problem.U, BU);
    for (Index c = 0; c < BU.size(); ++c)
      if (!(BU(c) - problem.b(c) <= rounding(result.rows[c])))
        return false;
    return true;
  }

  convex::SaddlePoint unchanged(const Vector &admissible) const
  {
    convex::SaddlePoint x;
    x.u                      = admissible;
    x.p                      = Vector::Zero(static_cast<Index>(result.rows.size()));
    x.status                 = convex::Status::converged;
    x.method                 = "none, U is admissible";
    x.certificate.guaranteed = true;
    return x;
  }

  convex::StoppingCriterion criterion(const convex::ProjectionProblem &problem) const
  {
    convex::StoppingCriterion criterion = parameters.criterion;
    criterion.on_natural_residual       = true;
    const double speed                  = convex::typical_speed(problem);
    const double wanted                 = std::clamp(tolerance / (scene.h * speed), 1e-14, criterion.tolerance);
    criterion.tolerance                 = std::max(wanted, rounding() / speed);
    return criterion;
  }

  const StepScene          &scene;
  const StepParameters     &parameters;
  Index                     dim, n;
  const Vector             &U;
  double                    tolerance; ///< of gaps (m)
  Vector                    frame;     ///< mean velocity
  Vector                    speed;     ///< of each sphere in that frame, as far as the search has been prepared for
  std::optional<PairSearch> search;    ///< where neighbours are not listed
  bool                      listed_neighbours = false, is_prepared = false;
  RowMultipliers            known;          ///< what the next projection starts from
  const RowMultipliers     *glue = nullptr; ///< -γ, where contact is gluey
  StepSolution              result;
};
} // namespace

StepSolution linearised_step(const StepScene &scene, const Vector &U, const RowMultipliers &start,
                             const StepParameters &parameters)
{
  return Step(scene, U, parameters).solution(start);
}

Vector RowMultipliers::guess(const Vector &values, const std::vector<StepRow> &wanted) const
{
  Vector      result = Vector::Zero(static_cast<Index>(wanted.size()));
  std::size_t next   = 0;
  const auto  before = [](const StepRow &a, const StepRow &b) { return a.i != b.i ? a.i < b.i : a.j < b.j; };
  for (std::size_t c = 0; c < wanted.size(); ++c)
    {
      while (next < rows.size() && rows[next] < wanted[c])
        {
          // further supporting half-spaces of an obstacle add to its first one
          if (c > 0 && !before(wanted[c - 1], rows[next]) && !before(rows[next], wanted[c - 1]))
            result(static_cast<Index>(c) - 1) += values(static_cast<Index>(next));
          ++next;
        }
      if (next < rows.size() && !(wanted[c] < rows[next]))
        result(static_cast<Index>(c)) += values(static_cast<Index>(next++));
    }
  return result;
}

convex::ProjectionProblem step_problem(const std::vector<StepRow> &rows, const Vector &m, const Index dim, const Vector &U,
                                       const Vector &b)
{
  const int                                 n = static_cast<int>(m.size());
  std::vector<convex::PairConstraint::Pair> pairs(rows.size());
  Eigen::MatrixXd                           e(dim, rows.size());
  for (std::size_t c = 0; c < rows.size(); ++c)
    {
      pairs[c] = {rows[c].i, rows[c].j < n ? rows[c].j : convex::PairConstraint::fixed_body};
      e.col(c) = rows[c].e.head(dim);
    }
  convex::ProjectionProblem problem;
  problem.V = std::make_shared<convex::DiagonalSpace>(m, dim);
  problem.B = std::make_shared<convex::PairConstraint>(dim, n, std::move(pairs), std::move(e));
  problem.U = U;
  problem.b = b;
  return problem;
}

Vector gaps(const std::vector<StepRow> &rows, const StepScene &scene, const Eigen::MatrixXd &r)
{
  const Index dim = r.rows(), n = r.cols();
  Vector      result(rows.size());
  for_each_block(static_cast<Index>(rows.size()), [&](Index, const Index first, const Index last) {
    for (Index c = first; c < last; ++c)
      {
        const auto &[i, j, image, e, D] = rows[c];
        if (j >= n)
          result(c) =
              scene.obstacles.approach(j - static_cast<int>(n), rows[c].image_of_sphere(), r.col(i).data(), scene.R(i)).D;
        else
          {
            // r_j - r_i of the image seen at q, plus what both have moved since
            const Eigen::VectorXd x =
                (D + scene.R(i) + scene.R(j)) * e.head(dim) + (r.col(j) - scene.q.col(j)) - (r.col(i) - scene.q.col(i));
            result(c) = x.norm() - (scene.R(i) + scene.R(j));
          }
      }
  });
  return result;
}
} // namespace moreau::micro
