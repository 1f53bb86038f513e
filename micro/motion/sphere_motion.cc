// SPDX-License-Identifier: GPL-3.0-or-later
#include "micro/motion/sphere_motion.h"

#include "micro/motion/carried_rows.h"
#include "micro/motion/energy_books.h"
#include "micro/motion/force_books.h"
#include "micro/motion/impossible_step.h"
#include "micro/motion/initial_overlap.h"
#include "micro/motion/kept_spheres.h"
#include "micro/motion/last_step.h"
#include "micro/motion/sphere_schemes.h"

#include "convex/input_error.h"
#include "convex/vectors.h"
#include "geometry/quadrature.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>
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
    placed = obstacles_at(0.);
    require_no_overlap(now, placed, box);
    last.momentum       = momentum_of(velocity);
    last.kinetic_energy = kinetic_energy(velocity);
    require_finite_energy(last, "the velocity");
    last.n_rigid = 0;
    if (is_gluey())
      last.n_glued = 0;
    reaction  = Vector::Zero(dim * n);
    positions = flat(now.r);
    of_obstacles.resize(data.obstacles.size());
    numbers.resize(n);
    std::iota(numbers.begin(), numbers.end(), Index(0));
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
  const StepPaths                  &paths() const override { return ways; }
  const PlacedObstacles            &obstacles() const override { return placed.as_placed(); }
  const std::vector<Index>         &ids() const override { return numbers; }

  const std::vector<ObstacleImpulse> &obstacle_impulses() const override { return of_obstacles; }

  RemovedSpheres remove(const std::vector<Index> &which) override;

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
    if (is_gluey() && (parameters.scheme != Scheme::linearised_constraints || parameters.law.restitution > 0.))
      throw InputError("the contact law", "'gluey' is made for 'linearised constraints' and restitution 0; choose these, or "
                                          "'dry'.");
    if (velocity.size() != dim * n || (data.period.size() > 0 && (data.period.size() != dim || data.lower.size() != dim)))
      throw std::invalid_argument("make_motion: velocities or periods do not fit the spheres.");
    if (!velocity.allFinite())
      throw InputError("the velocity", "An initial velocity is not finite; correct it.");
  }

  bool is_gluey() const { return parameters.contact_law == ContactLaw::gluey; }

  PeriodicObstacles obstacles_at(const double t) const { return {data.obstacles.at(t), box}; }

  Vector radii_at(double t) const;
  Vector mean_force(double h) const;

  double kinetic_energy(const Vector &u) const
  {
    double energy = 0.;
    for (Index i = 0; i < n; ++i)
      energy += .5 * now.m(i) * u.segment(dim * i, dim).squaredNorm();
    return energy;
  }

  Eigen::Map<const Eigen::MatrixXd> columns_of(const Vector &u) const { return {u.data(), dim, n}; }

  Vector momentum_of(const Vector &u) const { return columns_of(u) * now.m; }

  void   pass(double h, double t_next);
  void   add_to_obstacle(const StepRow &row, const Eigen::Vector3d &impulse);
  void   keep(const KeptSpheres &kept);
  Vector multipliers_to_keep(const SphereStep &step, double h) const;
  void   keep_books(const SphereStep &step, const Vector &U, double work, double constraint_work, double h, double t_next);
  Vector gap_rates(const std::vector<StepRow> &rows, const PeriodicObstacles &bodies, const Vector &R, double h) const;

  SphereSystem               data;
  MotionParameters           parameters;
  Index                      dim, n;
  Spheres                    now;
  Vector                     velocity, positions;
  PeriodicBox                box;
  PeriodicObstacles          placed; ///< at the end of the last step
  RowMultipliers             known;
  NeighbourList              neighbours;
  std::vector<MotionContact> pressed;
  Vector                     reaction;
  StepRecord                 last;
  StepPaths                  ways;
  std::vector<Index>         numbers; ///< ids

  std::vector<ObstacleImpulse> of_obstacles;
};

Vector MovingSpheres::radii_at(const double t) const
{
  if (!data.radii)
    return now.R;
  const Vector all = data.radii(t);
  Vector       R(n);
  for (Index i = 0; i < n; ++i)
    if (R(i) = all(numbers[i]); !(R(i) > 0. && R(i) <= largest_input))
      {
        std::ostringstream message;
        message << "The radius of sphere " << numbers[i] << " is " << R(i) << " m at time " << time_text(t)
                << "; it must stay positive, and below " << largest_input << " m.";
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

/// ∂g/∂t: e·V of an obstacle at the contact, less what the radii grow by
/// (m/s); means over a step of length h that begins now, with bodies and R of its end.
Vector MovingSpheres::gap_rates(const std::vector<StepRow> &rows, const PeriodicObstacles &bodies, const Vector &R,
                                const double h) const
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
              now.r.col(row.i) + bodies.displacement(k, row.image_of_sphere()) + (R(row.i) + row.D) * row.e.head(dim);
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
  if (n == 0)
    return pass(h, t_next);
  const Vector      R     = radii_at(t_next);
  PeriodicObstacles after = obstacles_at(t_next);
  const Vector      f     = mean_force(h);
  const Vector      U     = velocity + h * f;
  require_no_passage(data.obstacles, placed, after, now, data.period, numbers, last.time, h);
  if (!std::isfinite(kinetic_energy(U)))
    throw InputError("the force", "Velocities are too large for numbers in the step to time " + time_text(t_next) +
                                      "; correct the force or shorten the step.");
  require_short_flight(after, data.period, U, numbers, last.time, h);

  const RowMultipliers start = carried_over(known, ways, now.r, box, placed, after);
  const StepScene      scene = {now.r, R, now.m, after, box, h, &neighbours, last.step + 1};
  SphereStep           step;
  if (parameters.scheme == Scheme::catching_up)
    step = position_step(scene, U, start, parameters);
  else
    {
      const ReboundParameters rebound_parameters = {parameters.law, parameters.resting_speed, h * f};
      const auto              rates = [&](const std::vector<StepRow> &rows) { return gap_rates(rows, after, R, h); };
      step                          = velocity_step(scene, U, start, rates, parameters, rebound_parameters);
    }
  if (step.effort.status == convex::Status::infeasible)
    refuse_step(step.solution, data, after, numbers, t_next);

  const double drag =
      data.force && data.force_has_velocity ? h * rate_of_drag(data.force, last.time, h, now.r, columns_of(velocity)) : 0.;
  const double work = data.force ? work_of_force(data.force, last.time, h, now.r, columns_of(step.v), now.m, box) : 0.;
  const double constraint_work = -step.impulse.dot(gap_rates(step.solution.rows, after, R, h));
  const Eigen::MatrixXd way    = h * columns_of(step.v);
  Eigen::MatrixXd       r      = now.r + way;
  for (Index i = 0; i < n; ++i)
    box.wrap(&r(0, i));
  if (const double far = r.cwiseAbs().maxCoeff(); !(convex::epsilon * far < .1 * R.minCoeff()))
    {
      std::ostringstream message;
      message << "In the step to time " << time_text(t_next) << " a sphere gets " << far
              << " m far, where numbers are rounded by more than a tenth of the smallest radius; give lower speeds or "
                 "shorter steps.";
      throw InputError("the velocity", message.str());
    }
  // what throws, forces and watches of solvers, is behind: until here nothing of the last step was touched
  placed     = std::move(after);
  ways.begin = std::move(now.r);
  ways.way   = way;
  now.r      = std::move(r);
  now.R      = R;
  keep_books(step, U, work, constraint_work, h, t_next);
  last.drag        = drag;
  last.unrebounded = step.unrebounded;
}

/// A step of no spheres: time goes on.
void MovingSpheres::pass(const double h, const double t_next)
{
  StepRecord record;
  record.step            = last.step + 1;
  record.time            = t_next;
  record.h               = h;
  record.work            = last.work;
  record.constraint_work = last.constraint_work;
  record.dissipated      = last.dissipated;
  record.scheme_error    = last.scheme_error;
  record.momentum        = Vector::Zero(dim);
  record.n_rigid         = 0;
  if (is_gluey())
    record.n_glued = 0;
  placed = obstacles_at(t_next);
  last   = record;
  std::fill(of_obstacles.begin(), of_obstacles.end(), ObstacleImpulse());
}

void MovingSpheres::keep_books(const SphereStep &step, const Vector &U, const double work, const double constraint_work,
                               const double h, const double t_next)
{
  const StepSolution &solution = step.solution;
  double              taken = 0., largest_move = 0.; // by reactions, by Thomson and Tait's formula
  for (Index i = 0; i < n; ++i)
    {
      const auto u = step.u.segment(dim * i, dim);
      taken += .5 * now.m(i) * (U.segment(dim * i, dim) - u).dot(velocity.segment(dim * i, dim) + u);
      largest_move = std::max(largest_move, h * step.v.segment(dim * i, dim).norm() / now.R(i));
    }
  const Vector momentum_pushed = momentum_of(U);
  const double change          = std::sqrt(2. * kinetic_energy(step.u - velocity));
  velocity                     = step.u;
  positions                    = flat(now.r);

  StepRecord record;
  record.step            = last.step + 1;
  record.time            = t_next;
  record.h               = h;
  record.kinetic_energy  = kinetic_energy(velocity);
  record.work            = last.work + work;
  record.constraint_work = last.constraint_work + constraint_work;
  record.pushed_energy   = kinetic_energy(U);
  book_energies(record, last, constraint_work + taken);
  record.momentum = momentum_of(velocity);

  pressed.clear();
  std::fill(of_obstacles.begin(), of_obstacles.end(), ObstacleImpulse());
  Vector from_obstacles = Vector::Zero(dim);
  double size           = 0.; // of what is added up
  for (Index i = 0; i < n; ++i)
    {
      const double mass = now.m(i);
      size += mass * (U.segment(dim * i, dim).norm() + velocity.segment(dim * i, dim).norm());
      reaction.segment(dim * i, dim) = mass * (velocity - U).segment(dim * i, dim);
    }
  known             = {solution.rows, multipliers_to_keep(step, h), solution.stress};
  const double felt = parameters.criterion.tolerance * convex::max_abs(step.impulse);
  const double held = parameters.criterion.tolerance * convex::max_abs(known.p);
  if (is_gluey())
    record.n_glued = (known.p.array() > held).count();
  const convex::RigidSet rigid = solution.x.rigid.value_or(convex::RigidSet());
  record.n_rigid               = rigid.n_rows;
  for (std::size_t c = 0; c < solution.rows.size(); ++c)
    {
      const StepRow &row   = solution.rows[c];
      const double   p     = is_gluey() ? step.impulse(c) : std::max(0., step.impulse(c));
      const double   gamma = is_gluey() && known.p(c) > held ? -known.p(c) : 0.;
      if (std::abs(p) > felt || gamma < 0.) // an interior point leaves a trace of p on every row
        pressed.push_back({row.i, row.j, row.e, row.D, p, gamma, rigid.n_rows > 0 && rigid.is_rigid(c) > 0.});
      if (p != 0. && row.j >= n)
        {
          from_obstacles -= p * row.e.head(dim);
          add_to_obstacle(row, p * row.e);
        }
    }
  const double defect   = (record.momentum - momentum_pushed - from_obstacles).norm();
  record.momentum_error = size > 0. ? defect / (size + from_obstacles.norm()) : 0.;

  record.n_constraints   = static_cast<Index>(solution.rows.size());
  record.n_contacts      = static_cast<Index>(pressed.size());
  record.max_overlap     = solution.max_overlap / now.R.minCoeff();
  record.largest_move    = largest_move;
  record.velocity_change = change;
  record.effort          = step.effort;
  record.method          = solution.x.method;
  record.search_time     = solution.search_time;
  // the bound is that of the velocity which moved the spheres last
  record.effort.relative_error_bound = solution.effort.relative_error_bound;
  record.effort.guaranteed           = solution.effort.guaranteed;

  last = record;
}

/// What the next step starts from. Gluey contacts have -γ there: none where the gap is open, as the constraint saw it.
Vector MovingSpheres::multipliers_to_keep(const SphereStep &step, const double h) const
{
  const StepSolution &solution = step.solution;
  Vector              p        = solution.x.p;
  if (!is_gluey())
    return p;
  const double closed = parameters.position_tolerance * now.R.minCoeff();
  for (std::size_t c = 0; c < solution.rows.size(); ++c)
    {
      const StepRow &row      = solution.rows[c];
      double         approach = row.e.head(dim).dot(step.v.segment(dim * row.i, dim));
      if (row.j < n)
        approach -= row.e.head(dim).dot(step.v.segment(dim * row.j, dim));
      if (row.D - h * approach > closed)
        p(c) = 0.;
    }
  return p;
}

/// The sphere, or its image that the obstacle saw, gives it the impulse.
void MovingSpheres::add_to_obstacle(const StepRow &row, const Eigen::Vector3d &impulse)
{
  ObstacleImpulse &of   = of_obstacles[row.j - n];
  Eigen::Vector3d  from = Eigen::Vector3d::Zero();
  from.head(dim)        = ways.begin.col(row.i) + placed.displacement(row.j - static_cast<int>(n), row.image_of_sphere());
  of.impulse += impulse;
  of.moment += from.cross(impulse);
}

RemovedSpheres MovingSpheres::remove(const std::vector<Index> &which)
{
  const KeptSpheres    kept(n, which);
  const RemovedSpheres removed = what_goes(now, velocity, which);
  keep(kept);
  velocity   = kept.interleaved(velocity, dim);
  reaction   = kept.interleaved(reaction, dim);
  now        = kept.spheres(now);
  positions  = flat(now.r);
  ways.begin = kept.columns(ways.begin);
  ways.way   = kept.columns(ways.way);
  known      = kept.rows(known);
  pressed    = kept.contacts(pressed);

  last.kinetic_energy = kinetic_energy(velocity);
  last.momentum       = momentum_of(velocity);
  return removed;
}

/// n and numbers of those that are left.
void MovingSpheres::keep(const KeptSpheres &kept)
{
  std::vector<Index> left;
  for (const Index k : kept.old_numbers())
    left.push_back(numbers[k]);
  numbers = std::move(left);
  n       = static_cast<Index>(numbers.size());
}

MotionState MovingSpheres::state() const
{
  MotionState state;
  state.integers["step"]          = {last.step};
  state.reals["time"]             = {last.time};
  state.reals["energies"]         = energies_of(last);
  state.reals["r"]                = values(positions);
  state.reals["u"]                = values(velocity);
  state.reals["R"]                = values(now.R);
  state.reals["p"]                = values(known.p);
  state.reals["stress"]           = values(known.stress);
  std::vector<std::int64_t> &rows = state.integers["rows"];
  for (const StepRow &row : known.rows)
    rows.insert(rows.end(), {row.i, row.j, row.image});
  if (n < data.spheres.size())
    state.integers["ids"] = {numbers.begin(), numbers.end()};
  LastStep{last.h, pressed, reaction, ways, of_obstacles}.add_to(state);
  return state;
}

void MovingSpheres::restore(const MotionState &state)
{
  const auto                &rows     = state.integers.at("rows");
  const Vector               r        = vector(state.reals.at("r"));
  const std::vector<double> &energies = state.reals.at("energies");
  std::vector<Index>         ids(data.spheres.size());
  std::iota(ids.begin(), ids.end(), Index(0));
  if (const auto left = state.integers.find("ids"); left != state.integers.end())
    ids.assign(left->second.begin(), left->second.end());
  const KeptSpheres kept  = KeptSpheres::by_ids(data.spheres.size(), ids);
  const std::size_t there = ids.size();
  if (values(r).size() != dim * there || state.reals.at("u").size() != dim * there || state.reals.at("R").size() != there ||
      rows.size() != 3 * state.reals.at("p").size() ||
      !state.reals.at("stress").empty() && rows.size() != 3 * state.reals.at("stress").size() ||
      energies.size() != n_energies)
    throw std::invalid_argument("The state belongs to another number of spheres.");
  if (state.integers.at("step").size() != 1 || state.integers.at("step")[0] < 0 || state.reals.at("time").size() != 1 ||
      std::any_of(state.reals.at("R").begin(), state.reals.at("R").end(), [](const double R) { return !(R > 0.); }))
    throw std::invalid_argument("The state has no step, no time or radii that are not positive.");
  for (const auto &[name, values] : state.reals)
    if (!vector(values).allFinite())
      throw std::invalid_argument("The state is of no motion: '" + name + "' is not finite.");
  LastStep before = LastStep::of(state, dim, static_cast<Index>(there), data.obstacles.size());

  numbers   = ids;
  n         = static_cast<Index>(there);
  positions = r;
  now.r     = Eigen::Map<const Eigen::MatrixXd>(r.data(), dim, n);
  now.m     = kept.entries(data.spheres.m);
  now.R     = vector(state.reals.at("R"));
  velocity  = vector(state.reals.at("u"));
  known     = {{}, vector(state.reals.at("p")), vector(state.reals.at("stress"))};
  for (std::size_t c = 0; c < rows.size(); c += 3)
    known.rows.push_back(
        {static_cast<int>(rows[c]), static_cast<int>(rows[c + 1]), rows[c + 2], Eigen::Vector3d::Zero(), 0.});
  last      = StepRecord();
  last.step = state.integers.at("step").at(0);
  last.time = state.reals.at("time").at(0);
  set_energies(last, energies);
  if (is_gluey())
    last.n_glued = (known.p.array() > parameters.criterion.tolerance * convex::max_abs(known.p)).count();
  last.momentum   = momentum_of(velocity);
  last.n_rigid    = 0;
  last.h          = before.h;
  last.n_contacts = static_cast<Index>(before.contacts.size());
  placed          = obstacles_at(last.time);
  pressed         = std::move(before.contacts);
  reaction        = std::move(before.impulse);
  ways            = std::move(before.ways);
  of_obstacles    = std::move(before.of_obstacles);
}
} // namespace

std::unique_ptr<SphereMotion> make_motion(SphereSystem system, const MotionParameters &parameters)
{
  return std::make_unique<MovingSpheres>(std::move(system), parameters);
}
} // namespace moreau::micro
