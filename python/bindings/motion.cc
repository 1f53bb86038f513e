// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/arrays.h"
#include "python/bindings/certificates.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/spheres.h"

#include "convex/input_error.h"
#include "micro/motion/sphere_motion.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <cmath>

namespace moreau::python
{
namespace
{
/// name, subject of messages about its motion, shape, up to three points (or normals), radius, translation(t) -> (d,),
/// angle(t) -> (1,), centre, axis; what is not there is None, or empty.
using BodyTuple = std::tuple<std::string, std::string, std::string, std::vector<Doubles>, double, py::object, py::object,
                             Doubles, Doubles>;

/// The last reference may be given up by a thread without the interpreter.
std::shared_ptr<py::object> kept_beyond(const py::object &callable)
{
  return {new py::object(callable), [](py::object *object) {
            const py::gil_scoped_acquire held;
            delete object;
          }};
}

/// f(t) -> (n,), whose results are checked by who wrote it. Empty for None.
std::function<Vector(double)> function_of_time(const py::object &callable)
{
  if (callable.is_none())
    return {};
  return [kept = kept_beyond(callable)](const double t) {
    const py::gil_scoped_acquire held;
    const Doubles                values = (*kept)(t);
    return Vector(view(values));
  };
}

/// f(t, x, u) -> n x d, with arrays that the callable may keep.
micro::BodyForce force_of(const py::object &callable)
{
  if (callable.is_none())
    return {};
  return [kept = kept_beyond(callable)](const double t, const Eigen::MatrixXd &r, const Eigen::MatrixXd &u,
                                        Eigen::MatrixXd &f) {
    const py::gil_scoped_acquire held;
    const Doubles                values  = (*kept)(t, to_rows(Eigen::MatrixXd(r)), to_rows(Eigen::MatrixXd(u)));
    const bool                   uniform = values.ndim() == 1 && values.size() == r.rows();
    if (!uniform && !(values.ndim() == 2 && values.shape(0) == r.cols() && values.shape(1) == r.rows()))
      throw InputError("the force", "It is to return an array of shape (" + std::to_string(r.cols()) + ", " +
                                        std::to_string(r.rows()) + ") or (" + std::to_string(r.rows()) + ",), in m/s².");
    if (uniform)
      f = view(values).replicate(1, r.cols());
    else
      f = columns(values);
  };
}

micro::Obstacle::Shape shape_of(const std::string &name)
{
  for (const micro::ShapeDescription &description : micro::shape_descriptions())
    if (description.name == name)
      return description.shape;
  throw std::invalid_argument("There is no shape '" + name + "'.");
}

/// Every body is a group of its own, so that each may have its motion.
micro::Obstacles obstacles_of(const std::vector<BodyTuple> &bodies)
{
  std::vector<micro::Obstacle>    shapes;
  std::vector<micro::RigidMotion> motions;
  for (const auto &[name, subject, shape, points, radius, translation, angle, centre, axis] : bodies)
    {
      micro::Obstacle body;
      body.name    = name;
      body.subject = subject;
      for (std::size_t k = 0; k < points.size(); ++k)
        (k == 0 ? body.a : k == 1 ? body.b : body.c) = view(points[k]);
      body.shape  = shape_of(shape);
      body.radius = radius;
      body.group  = static_cast<int>(motions.size());
      shapes.push_back(body);
      micro::RigidMotion motion;
      motion.translation = function_of_time(translation);
      if (const auto turned = function_of_time(angle))
        motion.angle = [turned](const double t) { return turned(t)(0); };
      motion.centre = view(centre);
      motion.axis   = view(axis);
      motions.push_back(motion);
    }
  try
    {
      return {std::move(shapes), std::move(motions)};
    }
  catch (const InputError &error)
    {
      throw InputError(error.sentence); // groups have no names here
    }
}

/// R(t) = R growth(t); empty for None.
std::function<Vector(double)> radii_of_time(const py::object &growth, const Vector &R)
{
  if (growth.is_none())
    return {};
  return
      [factors = function_of_time(growth), R](const double t) { return t == 0. ? R : Vector(R.cwiseProduct(factors(t))); };
}

py::list shapes()
{
  py::list result;
  for (const micro::ShapeDescription &shape : micro::shape_descriptions())
    result.append(py::make_tuple(shape.name, shape.form, shape.n_points, shape.has_radius));
  return result;
}

/// A micro::SphereMotion that is advanced by steps of a given length. While it advances nobody may look at it or move it:
/// neither another thread nor its own force.
class SteppedMotion
{
public:
  SteppedMotion(const Doubles &x, const Doubles &radii, const Doubles &U, const Doubles &masses, const py::object &force,
                const py::object &growth, const std::vector<BodyTuple> &bodies, const Doubles &lower, const Doubles &period,
                const double step, const double restitution, const double resting_speed, const bool catching_up,
                const bool gluey, const double tolerance, const double position_tolerance, const std::string &solver)
      : h(step)
  {
    micro::SphereSystem system;
    system.spheres   = {columns(x), view(radii), view(masses)};
    system.U         = view(U);
    system.force     = force_of(force);
    system.radii     = radii_of_time(growth, system.spheres.R);
    system.obstacles = obstacles_of(bodies);
    system.lower     = view(lower);
    system.period    = view(period);
    micro::MotionParameters parameters;
    parameters.scheme              = catching_up ? micro::Scheme::catching_up : micro::Scheme::linearised_constraints;
    parameters.contact_law         = gluey ? micro::ContactLaw::gluey : micro::ContactLaw::dry;
    parameters.law.restitution     = restitution;
    parameters.resting_speed       = resting_speed;
    parameters.criterion.tolerance = tolerance;
    parameters.criterion.watch     = watch_for_signals();
    parameters.criterion.on_natural_residual = true;
    parameters.position_tolerance            = position_tolerance;
    parameters.solver                        = solver;
    const py::gil_scoped_release others_run;
    motion = micro::make_motion(std::move(system), parameters);
  }

  /// In equal steps, none longer than h. Ctrl-C ends it; the motion stands where its last step ended.
  void advance(const double t)
  {
    micro::SphereMotion &moving = still();
    const Busy           busy(advancing);
    const double         begin = moving.time();
    const std::int64_t   n = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((t - begin) / h * (1. - 1e-12))));
    const OneBlasThread  one;
    for (std::int64_t k = 1; k <= n; ++k)
      {
        {
          const py::gil_scoped_release others_run;
          moving.advance(k == n ? t : begin + (t - begin) * static_cast<double>(k) / static_cast<double>(n));
        }
        n_failed += !moving.record().effort.converged();
        if (PyErr_CheckSignals() != 0)
          throw py::error_already_set();
      }
  }

  double              time() const { return still().time(); }
  py::array_t<double> x() const { return to_rows(Eigen::MatrixXd(still().spheres().r)); }
  py::array_t<double> radii() const { return to_array(still().spheres().R); }
  py::array_t<double> masses() const { return to_array(still().spheres().m); }
  py::array_t<double> u() const { return to_rows(still().u(), still().spheres().dimension()); }
  std::int64_t        not_converged() const { return n_failed; }

  py::dict contacts() const
  {
    const auto &found = still().contacts();
    Vector      p(found.size()), gamma(found.size());
    for (Index c = 0; c < p.size(); ++c)
      {
        p(c)     = found[c].impulse;
        gamma(c) = found[c].gamma;
      }
    py::dict result;
    add_contacts(result, found, still().spheres().dimension());
    result["p"]     = to_array(std::move(p));
    result["gamma"] = to_array(std::move(gamma));
    return result;
  }

  /// Mean over the last step on each wall (N).
  py::array_t<double> wall_forces() const
  {
    const auto     &impulses = still().obstacle_impulses();
    const Index     d        = still().spheres().dimension();
    const double    step     = still().record().h;
    Eigen::MatrixXd forces   = Eigen::MatrixXd::Zero(d, static_cast<Index>(impulses.size()));
    for (Index k = 0; k < forces.cols() && step > 0.; ++k)
      forces.col(k) = impulses[k].impulse.head(d) / step;
    return to_rows(std::move(forces));
  }

  py::dict record() const
  {
    const micro::StepRecord &r = still().record();
    py::dict                 result;
    result["step"]             = r.step;
    result["time"]             = r.time;
    result["h"]                = r.h;
    result["kinetic_energy"]   = r.kinetic_energy;
    result["work"]             = r.work;
    result["constraint_work"]  = r.constraint_work;
    result["dissipated"]       = r.dissipated;
    result["scheme_error"]     = r.scheme_error;
    result["momentum"]         = to_array(r.momentum);
    result["momentum_error"]   = r.momentum_error;
    result["constraints"]      = r.n_constraints;
    result["contacts"]         = r.n_contacts;
    result["rigid_at_least"]   = *r.n_rigid;
    result["max_overlap"]      = r.max_overlap;
    result["natural_residual"] = r.effort.natural_residual;
    add_effort(result, r.effort, r.method);
    return result;
  }

  py::dict state() const
  {
    const micro::MotionState now = still().state();
    py::dict                 result;
    for (const auto &[name, values] : now.reals)
      result[name.c_str()] = handed_over(values, {static_cast<py::ssize_t>(values.size())});
    for (const auto &[name, values] : now.integers)
      result[name.c_str()] = handed_over(values, {static_cast<py::ssize_t>(values.size())});
    return result;
  }

  void restore(const py::dict &state)
  {
    micro::MotionState then;
    for (const auto &[name, values] : state)
      {
        const std::string key = py::str(name);
        if (py::isinstance<py::array_t<std::int64_t>>(values))
          then.integers[key] = values.cast<std::vector<std::int64_t>>();
        else
          then.reals[key] = values.cast<std::vector<double>>();
      }
    still().restore(then);
  }

private:
  struct Busy
  {
    explicit Busy(bool &flag) : flag(flag) { flag = true; }
    ~Busy() { flag = false; }
    bool &flag; ///< read and written by who holds the interpreter
  };

  micro::SphereMotion &still() const
  {
    if (advancing)
      throw std::runtime_error(
          "The motion is being advanced, by another thread or by the call that asks its force; wait until "
          "advance() has returned.");
    return *motion;
  }

  std::unique_ptr<micro::SphereMotion> motion;
  bool                                 advancing = false;
  double                               h;
  std::int64_t                         n_failed = 0;
};
} // namespace

void define_motion(py::module_ &module)
{
  module.def("shapes", &shapes);
  py::class_<SteppedMotion>(module, "SteppedMotion")
      .def(py::init<const Doubles &, const Doubles &, const Doubles &, const Doubles &, const py::object &,
                    const py::object &, const std::vector<BodyTuple> &, const Doubles &, const Doubles &, double, double,
                    double, bool, bool, double, double, const std::string &>())
      .def("advance", &SteppedMotion::advance)
      .def("x", &SteppedMotion::x)
      .def("u", &SteppedMotion::u)
      .def("radii", &SteppedMotion::radii)
      .def("masses", &SteppedMotion::masses)
      .def("contacts", &SteppedMotion::contacts)
      .def("wall_forces", &SteppedMotion::wall_forces)
      .def("record", &SteppedMotion::record)
      .def("state", &SteppedMotion::state)
      .def("restore", &SteppedMotion::restore)
      .def("time", &SteppedMotion::time)
      .def("not_converged", &SteppedMotion::not_converged);
}
} // namespace moreau::python
