// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_motion.h"

#include "micro/blocking_chain.h"
#include "micro/motion/sphere_schemes.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "geometry/quadrature.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace moreau::micro
{
namespace
{
using convex::vector;
using convex::values;

class MovingSpheres : public SphereMotion
{
public:
  MovingSpheres(SphereSystem given, const MotionParameters &given_parameters)
      : data(std::move(given))
      , parameters(given_parameters)
      , dim(data.spheres.dimension())
      , n(data.spheres.size())
      , now(data.spheres)
      , velocity(data.U)
      , box{data.lower, data.period}
  {
    check_arguments();
    data.spheres.validate();
    for (Index i = 0; i < n; ++i)
      box.wrap(&now.r(0, i));
    require_no_overlap();
    last.momentum       = momentum_of(velocity);
    last.kinetic_energy = kinetic_energy(velocity);
    reaction            = Vector::Zero(dim * n);
    positions           = flat(now.r);
  }

  void advance(double t_next) override;

  double            time() const override { return last.time; }
  const Vector     &q() const override { return positions; }
  const Vector     &u() const override { return velocity; }
  const StepRecord &record() const override { return last; }
  Vector            impulse() const override { return reaction; }

  const std::vector<MotionContact> &contacts() const override { return pressed; }
  const Spheres                    &spheres() const override { return now; }
  const SphereSystem               &system() const override { return data; }

  MotionState state() const override;
  void        restore(const MotionState &state) override;

private:
  static Vector flat(const Eigen::MatrixXd &r) { return Eigen::Map<const Vector>(r.data(), r.size()); }

  void check_arguments() const
  {
    if (parameters.scheme == Scheme::inertia_operator)
      throw InputError("the scheme", "'inertia operator' is for systems with one constraint; spheres move by 'linearised "
                                     "constraints' or 'catching-up'.");
    if (parameters.scheme == Scheme::catching_up && parameters.law.restitution > 0.)
      throw InputError("the restitution",
                       "'catching-up' projects positions and knows no rebound; set it to 0 or choose 'linearised "
                       "constraints'.");
    if (velocity.size() != dim * n || (data.period.size() > 0 && (data.period.size() != dim || data.lower.size() != dim)))
      throw std::invalid_argument("make_motion: velocities or periods do not fit the spheres.");
    if (!velocity.allFinite())
      throw InputError("the velocity", "An initial velocity is not finite; correct it.");
  }

  std::string obstacle_name(const int k) const { return placed.obstacles()[k].name; }

  void   require_no_overlap();
  Vector radii_at(double t) const;
  Vector mean_force(double h) const;
  void   require_no_passage(const PlacedObstacles &before, const PlacedObstacles &after, double h) const;

  [[noreturn]] void refuse(const StepSolution &solution, double t_next) const;

  double kinetic_energy(const Vector &u) const
  {
    double energy = 0.;
    for (Index i = 0; i < n; ++i)
      energy += .5 * now.m(i) * u.segment(dim * i, dim).squaredNorm();
    return energy;
  }

  Vector momentum_of(const Vector &u) const { return Eigen::Map<const Eigen::MatrixXd>(u.data(), dim, n) * now.m; }

  void   keep_books(const SphereStep &step, const Vector &U, double constraint_work, double h, double t_next);
  Vector gap_rates(const std::vector<StepRow> &rows, const Vector &R, double h) const;

  SphereSystem               data;
  MotionParameters           parameters;
  Index                      dim, n;
  Spheres                    now;
  Vector                     velocity, positions;
  PeriodicBox                box;
  PlacedObstacles            placed; ///< at the end of the last step
  RowMultipliers             known;
  NeighbourList              neighbours;
  std::vector<MotionContact> pressed;
  Vector                     reaction;
  StepRecord                 last;
};

std::string time_text(const double t)
{
  std::ostringstream text;
  text << t << " s";
  return text.str();
}

void MovingSpheres::require_no_overlap()
{
  constexpr double allowed = usual_contact_tolerance;
  placed                   = data.obstacles.at(0.);
  const PairSearch            search(now.r, now.R, box);
  const std::vector<NearPair> overlapping = search.pairs([&](const NearPair &pair) {
    return pair.x.norm() < now.R(pair.i) + now.R(pair.j) - allowed * std::min(now.R(pair.i), now.R(pair.j));
  });
  std::ostringstream          message;
  message.precision(3);
  if (!overlapping.empty())
    {
      const NearPair &pair = overlapping.front();
      message << "Spheres " << pair.i << " and " << pair.j << " overlap at the beginning by "
              << now.R(pair.i) + now.R(pair.j) - pair.x.norm() << " m";
      if (overlapping.size() > 1)
        message << ", the first of " << overlapping.size() << " overlaps";
      message << "; correct their positions or radii (spheres are numbered from 0).";
      throw InputError("the spheres", message.str());
    }
  const std::vector<std::int32_t> images = box.images();
  for (Index i = 0; i < n; ++i)
    for (const std::int32_t image : images)
      {
        const Vector x = now.r.col(i) + box.displacement(image, dim);
        placed.visit_near(x.data(), now.R(i), 0., [&](const int k) {
          if (image != 0 && !placed.obstacles()[k].is_bounded())
            return;
          if (const Approach approach = placed.approach(k, x.data(), now.R(i)); !(approach.D >= -allowed * now.R(i)))
            {
              message << "Sphere " << i << " reaches into " << obstacle_name(k) << " by " << -approach.D
                      << " m at the beginning; move one of them (spheres are numbered from 0).";
              throw InputError("the spheres", message.str());
            }
        });
      }
}

Vector MovingSpheres::radii_at(const double t) const
{
  if (!data.radii)
    return data.spheres.R;
  Vector R = data.radii(t);
  for (Index i = 0; i < n; ++i)
    if (!(R(i) > 0.) || !std::isfinite(R(i)))
      {
        std::ostringstream message;
        message << "The radius of sphere " << i << " is " << R(i) << " m at time " << time_text(t)
                << "; it must stay positive.";
        throw InputError("the growth", message.str());
      }
  return R;
}

/// f_h^n = (1/h) ∫ f(s, r^n, u^n) ds (d n), by Gauss points.
Vector MovingSpheres::mean_force(const double h) const
{
  if (!data.force)
    return Vector::Zero(dim * n);
  const Eigen::Map<const Eigen::MatrixXd> u(velocity.data(), dim, n);
  const Eigen::MatrixXd                   velocities = u;
  Eigen::MatrixXd                         f(dim, n);
  const auto                              at = [&](const double t) -> Vector {
    data.force(t, now.r, velocities, f);
    return flat(f);
  };
  const Vector mean = geometry::mean_over(last.time, h, at, 3);
  if (!mean.allFinite())
    throw InputError("the force", "The force is not finite at time " + time_text(last.time) + "; correct it.");
  return mean;
}

/// A thin body that moves fast could come out on the other side of a sphere.
void MovingSpheres::require_no_passage(const PlacedObstacles &before, const PlacedObstacles &after, const double h) const
{
  for (int k = 0; k < after.size(); ++k)
    {
      if (!data.obstacles.moves(k) || !after.obstacles()[k].is_bounded())
        continue;
      for (Index i = 0; i < n; ++i)
        {
          const Vector x     = now.r.col(i);
          const double moved = h * data.obstacles.velocity(k, x, last.time, h).norm();
          const double thick = now.R(i) + after.obstacles()[k].radius;
          if (moved <= thick)
            continue;
          const Approach first = before.approach(k, x.data(), now.R(i));
          const Approach then  = after.approach(k, x.data(), now.R(i));
          if (std::min(first.D, then.D) <= moved && first.e.dot(then.e) < 0.)
            {
              std::ostringstream message;
              message << obstacle_name(k) << " moves by " << moved << " m in the step after " << time_text(last.time)
                      << " and would jump over sphere " << i << "; shorten the step to less than " << h * thick / moved
                      << " s.";
              throw InputError("the time step", message.str());
            }
        }
    }
}

void MovingSpheres::refuse(const StepSolution &solution, const double t_next) const
{
  std::vector<BodyPair>    pairs;
  std::vector<std::string> names;
  std::string              subject; // the motion of a body that squeezes
  for (std::size_t c = 0; c < solution.rows.size(); ++c)
    {
      pairs.push_back({solution.rows[c].i, solution.rows[c].j});
      if (const int k = pairs.back().j - static_cast<int>(n); k >= 0 && solution.x.p(c) > 0. && data.obstacles.moves(k))
        subject = placed.obstacles()[k].subject;
    }
  for (const Obstacle &obstacle : placed.obstacles())
    names.push_back(obstacle.name);
  const bool growth = subject.empty() && data.radii;
  throw InputError(growth            ? "the growth"
                   : subject.empty() ? "the obstacles"
                                     : subject,
                   "There is no room left in the step to time " + time_text(t_next) + ": " +
                       blocking_chain(pairs, names, static_cast<int>(n), solution.x.p) + "; change " +
                       (growth ? "the growth" : "the motion") + " or end before.");
}

/// ∂g/∂t: e·V of an obstacle at the contact, less what the radii grow by
/// (m/s); means over a step of length h that begins now.
Vector MovingSpheres::gap_rates(const std::vector<StepRow> &rows, const Vector &R, const double h) const
{
  Vector rates(rows.size());
  for (std::size_t c = 0; c < rows.size(); ++c)
    {
      const StepRow &row    = rows[c];
      const int      k      = row.j - static_cast<int>(n);
      double         growth = R(row.i) - now.R(row.i) + (k < 0 ? R(row.j) - now.R(row.j) : 0.);
      rates(c)              = -growth / h;
      if (k >= 0 && data.obstacles.moves(k))
        {
          const Vector contact =
              now.r.col(row.i) + box.displacement(row.image / StepRow::supports, dim) + (R(row.i) + row.D) * row.e.head(dim);
          rates(c) += row.e.head(dim).dot(data.obstacles.velocity(k, contact, last.time, h));
        }
    }
  return rates;
}

void MovingSpheres::advance(const double t_next)
{
  const double h = t_next - last.time;
  if (!(h > 0.) || !std::isfinite(h))
    throw std::invalid_argument("Motion::advance: the step is not positive.");
  const Vector          R      = radii_at(t_next);
  const PlacedObstacles before = placed;
  placed                       = data.obstacles.at(t_next);
  const Vector f               = mean_force(h);
  const Vector U               = velocity + h * f;
  require_no_passage(before, placed, h);
  if (!std::isfinite(kinetic_energy(U)))
    throw InputError("the force", "Velocities are too large for numbers in the step to time " + time_text(t_next) +
                                      "; correct the force or shorten the step.");

  const StepScene scene = {now.r, R, now.m, placed, box, h, &neighbours};
  SphereStep      step;
  if (parameters.scheme == Scheme::catching_up)
    step = position_step(scene, U, known, parameters);
  else
    {
      ReboundParameters rebound_parameters = {parameters.law, parameters.resting_speed};
      if (!(parameters.resting_speed >= 0.))
        for (Index i = 0; i < n; ++i)
          rebound_parameters.resting_speed =
              std::max(i == 0 ? 0. : rebound_parameters.resting_speed, 2. * h * f.segment(dim * i, dim).norm());
      const auto rates = [&](const std::vector<StepRow> &rows) { return gap_rates(rows, R, h); };
      step             = velocity_step(scene, U, known, rates, parameters, rebound_parameters);
    }
  if (step.effort.status == convex::Status::infeasible)
    refuse(step.solution, t_next);

  const double constraint_work = -step.impulse.dot(gap_rates(step.solution.rows, R, h));
  now.R                        = R;
  now.r += h * Eigen::Map<const Eigen::MatrixXd>(step.v.data(), dim, n);
  for (Index i = 0; i < n; ++i)
    box.wrap(&now.r(0, i));
  if (const double far = now.r.cwiseAbs().maxCoeff(); !(convex::epsilon * far < .1 * now.R.minCoeff()))
    {
      std::ostringstream message;
      message << "In the step to time " << time_text(t_next) << " a sphere gets " << far
              << " m far, where numbers are rounded by more than a tenth of the smallest radius; give lower speeds or "
                 "shorter steps.";
      throw InputError("the velocity", message.str());
    }
  keep_books(step, U, constraint_work, h, t_next);
}

void MovingSpheres::keep_books(const SphereStep &step, const Vector &U, const double constraint_work, const double h,
                               const double t_next)
{
  const StepSolution &solution = step.solution;
  const Vector        gained   = U - velocity; // by the force
  double              work = 0., largest_move = 0.;
  for (Index i = 0; i < n; ++i)
    {
      const auto v = step.v.segment(dim * i, dim);
      work += now.m(i) * gained.segment(dim * i, dim).dot(v);
      largest_move = std::max(largest_move, h * v.norm() / now.R(i));
    }
  const Vector momentum_pushed = momentum_of(U);
  velocity                     = step.u;
  positions                    = flat(now.r);

  StepRecord record;
  record.step            = last.step + 1;
  record.time            = t_next;
  record.h               = h;
  record.kinetic_energy  = kinetic_energy(velocity);
  record.work            = last.work + work;
  record.constraint_work = last.constraint_work + constraint_work;
  record.dissipated      = last.dissipated + last.kinetic_energy + work + constraint_work - record.kinetic_energy;
  const double gain      = last.dissipated - record.dissipated;
  record.energy_gain     = gain > 1e-9 * kinetic_energy(U) ? gain : 0.; // less is what rounding and projections leave
  record.momentum        = momentum_of(velocity);

  pressed.clear();
  Vector from_obstacles = Vector::Zero(dim);
  double size           = 0.; // of what is added up
  for (Index i = 0; i < n; ++i)
    {
      const double mass = now.m(i);
      size += mass * (U.segment(dim * i, dim).norm() + velocity.segment(dim * i, dim).norm());
      reaction.segment(dim * i, dim) = mass * (velocity - U).segment(dim * i, dim);
    }
  const double felt = parameters.criterion.tolerance * (step.impulse.size() > 0 ? step.impulse.maxCoeff() : 0.);
  for (std::size_t c = 0; c < solution.rows.size(); ++c)
    if (const StepRow &row = solution.rows[c]; step.impulse(c) > 0.)
      {
        if (step.impulse(c) > felt) // an interior point leaves a trace of p on every row
          pressed.push_back({row.i, row.j, row.e, row.D, step.impulse(c)});
        if (row.j >= n)
          from_obstacles -= step.impulse(c) * row.e.head(dim);
      }
  const double defect   = (record.momentum - momentum_pushed - from_obstacles).norm();
  record.momentum_error = size > 0. ? defect / (size + from_obstacles.norm()) : 0.;

  record.n_constraints = static_cast<Index>(solution.rows.size());
  record.n_contacts    = static_cast<Index>(pressed.size());
  record.max_overlap   = solution.max_overlap / now.R.minCoeff();
  record.largest_move  = largest_move;
  record.effort        = step.effort;
  record.method        = solution.x.method;
  record.search_time   = solution.search_time;
  // the bound is that of the velocity which moved the spheres last
  record.effort.relative_error_bound = solution.effort.relative_error_bound;
  record.effort.guaranteed           = solution.effort.guaranteed;

  last  = record;
  known = {solution.rows, solution.x.p};
}

MotionState MovingSpheres::state() const
{
  MotionState state;
  state.integers["step"]          = {last.step};
  state.reals["time"]             = {last.time};
  state.reals["energies"]         = {last.kinetic_energy, last.work, last.dissipated, last.constraint_work};
  state.reals["r"]                = values(positions);
  state.reals["u"]                = values(velocity);
  state.reals["R"]                = values(now.R);
  state.reals["p"]                = values(known.p);
  std::vector<std::int64_t> &rows = state.integers["rows"];
  for (const StepRow &row : known.rows)
    rows.insert(rows.end(), {row.i, row.j, row.image});
  return state;
}

void MovingSpheres::restore(const MotionState &state)
{
  const auto                &rows     = state.integers.at("rows");
  const Vector               r        = vector(state.reals.at("r"));
  const std::vector<double> &energies = state.reals.at("energies");
  if (r.size() != dim * n || state.reals.at("u").size() != static_cast<std::size_t>(dim * n) ||
      state.reals.at("R").size() != static_cast<std::size_t>(n) || rows.size() != 3 * state.reals.at("p").size() ||
      energies.size() != 4)
    throw std::invalid_argument("The state belongs to another number of spheres.");
  for (const auto &[name, values] : state.reals)
    if (!vector(values).allFinite())
      throw std::invalid_argument("The state is of no motion: '" + name + "' is not finite.");
  positions = r;
  now.r     = Eigen::Map<const Eigen::MatrixXd>(r.data(), dim, n);
  now.R     = vector(state.reals.at("R"));
  velocity  = vector(state.reals.at("u"));
  known     = {{}, vector(state.reals.at("p"))};
  for (std::size_t c = 0; c < rows.size(); c += 3)
    known.rows.push_back({static_cast<int>(rows[c]), static_cast<int>(rows[c + 1]), static_cast<std::int32_t>(rows[c + 2]),
                          Eigen::Vector3d::Zero(), 0.});
  last                 = StepRecord();
  last.step            = state.integers.at("step").at(0);
  last.time            = state.reals.at("time").at(0);
  last.kinetic_energy  = energies[0];
  last.work            = energies[1];
  last.dissipated      = energies[2];
  last.constraint_work = energies[3];
  last.momentum        = momentum_of(velocity);
  placed               = data.obstacles.at(last.time);
  pressed.clear();
  reaction.setZero();
}
} // namespace

std::unique_ptr<SphereMotion> make_motion(SphereSystem system, const MotionParameters &parameters)
{
  return std::make_unique<MovingSpheres>(std::move(system), parameters);
}
} // namespace moreau::micro
