// SPDX-License-Identifier: GPL-3.0-or-later
#include "python/bindings/spheres.h"

#include "python/bindings/arrays.h"
#include "python/bindings/certificates.h"
#include "python/bindings/interrupts.h"

#include "convex/clock.h"
#include "micro/impact.h"
#include "micro/packings.h"

#include <pybind11/stl.h>

namespace moreau::python
{
namespace
{
/// name, normal, offset, velocity.
using WallTuple = std::tuple<std::string, Doubles, double, Doubles>;

std::vector<micro::Wall> walls_of(const std::vector<WallTuple> &walls)
{
  std::vector<micro::Wall> result;
  for (const auto &[name, normal, offset, velocity] : walls)
    result.push_back({name, view(normal), offset, view(velocity)});
  return result;
}

micro::Spheres spheres_of(const Doubles &x, const Doubles &radii, const std::optional<Doubles> &masses)
{
  micro::Spheres spheres{columns(x), view(radii), vector_or_empty(masses)};
  const Index    d = spheres.dimension();
  if (!masses && (spheres.R.array() == spheres.R(0)).all())
    spheres.m = Vector::Constant(spheres.size(), micro::volume_of_ball(spheres.R(0), d));
  else if (!masses)
    spheres.m = spheres.R.unaryExpr([d](const double R) { return micro::volume_of_ball(R, d); });
  return spheres;
}

/// Contacts and masses of an impact. They become arrays where somebody asks: beside a small impact the time to make all of
/// them counts.
class Found
{
public:
  Found(micro::ContactGraph graph, Vector masses) : graph(std::move(graph)), m(std::move(masses)) {}

  py::array_t<int>    contacts() const { return pairs_of_contacts(graph.contacts); }
  py::array_t<double> directions() const { return directions_of_contacts(graph.contacts, graph.dim); }
  py::array_t<double> gaps() const { return gaps_of_contacts(graph.contacts); }
  py::array_t<double> masses() const { return to_array(m); }

  py::array_t<double> displacements() const
  {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(graph.dim, graph.n_contacts());
    if (graph.box.any())
      for (Index c = 0; c < graph.n_contacts(); ++c)
        L.col(c) = graph.displacement(graph.contacts[c]);
    return to_rows(std::move(L));
  }

private:
  micro::ContactGraph graph;
  Vector              m;
};

std::vector<std::array<int, 2>> pairs_of(const Ints &contacts)
{
  std::vector<std::array<int, 2>> pairs(contacts.shape(0));
  const int *const                number = contacts.data();
  for (std::size_t c = 0; c < pairs.size(); ++c)
    pairs[c] = {number[2 * c], number[2 * c + 1]};
  return pairs;
}

py::dict impact(const Doubles &x, const Doubles &radii, const Doubles &U, const std::optional<Doubles> &masses,
                const std::vector<WallTuple> &walls, const std::optional<Ints> &contacts, const double restitution,
                const unsigned int max_repetitions, const double tolerance, const double accuracy,
                const double contact_tolerance, const std::string &solver, const std::optional<Doubles> &p_start,
                const Doubles &lower, const Doubles &period, const std::optional<Doubles> &D)
{
  micro::Spheres                 spheres     = spheres_of(x, radii, masses);
  const std::vector<micro::Wall> obstacles   = walls_of(walls);
  const Vector                   U_of_impact = view(U), start = vector_or_empty(p_start);
  micro::ImpactOptions           options;
  options.law                 = {restitution, max_repetitions};
  options.criterion.tolerance = tolerance;
  options.criterion.accuracy  = accuracy;
  options.criterion.watch     = watch_for_signals();
  options.contact_tolerance   = contact_tolerance;
  options.solver              = solver;
  options.box                 = {view(lower), view(period)};
  if (D)
    options.mean_gradient = columns(*D).transpose();
  std::vector<std::array<int, 2>> pairs;
  if (contacts)
    pairs = pairs_of(*contacts);

  micro::SphereImpact y;
  double              seconds = 0.;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    const convex::Stopwatch      watch(seconds);
    const Vector *const          guess = start.size() > 0 ? &start : nullptr;
    micro::ContactGraph          graph = contacts ? micro::graph_of_pairs(spheres, obstacles, pairs)
                                                  : micro::contact_graph(spheres, obstacles, contact_tolerance, options.box);
    y                                  = micro::impact(spheres, obstacles, std::move(graph), U_of_impact, options, guess);
  }
  py::dict    result;
  const Index d         = spheres.dimension();
  result["n_spheres"]   = spheres.size();
  result["found"]       = Found(std::move(y.graph), std::move(spheres.m));
  result["certificate"] = to_dict(y.law.worst, y.law.effort.converged());
  add_effort(result, y.law.effort, y.law.projection.method);
  result["u"]         = to_rows(std::move(y.law.u_plus), d);
  result["p"]         = to_array(std::move(y.law.impulse));
  result["projected"] = to_rows(std::move(y.law.projection.u), d);
  result["impacts"]   = y.law.effort.n_projections;
  result["collapsed"] = y.law.effort.collapsed;
  result["approach"]  = y.law.approach;
  result["seconds"]   = seconds;
  return result;
}

py::dict find_contacts(const Doubles &x, const Doubles &radii, const std::vector<WallTuple> &walls, const double tolerance)
{
  const micro::Spheres           spheres   = spheres_of(x, radii, {});
  const std::vector<micro::Wall> obstacles = walls_of(walls);
  micro::ContactGraph            graph;
  {
    const py::gil_scoped_release others_run;
    graph = micro::contact_graph(spheres, obstacles, tolerance);
  }
  py::dict result;
  add_contacts(result, graph.contacts, graph.dim);
  result["smallest_gap"] = graph.smallest_gap;
  return result;
}

py::dict random_packing(const Doubles &lower, const Doubles &upper, const Index n, const double radius,
                        const double coverage, const double spread, const std::vector<bool> &periodic,
                        const bool compression, const unsigned int seed, const double overlap)
{
  micro::PackingParameters parameters;
  parameters.lower       = view(lower);
  parameters.upper       = view(upper);
  parameters.periodic    = periodic;
  parameters.n           = n;
  parameters.radius      = radius;
  parameters.coverage    = coverage;
  parameters.spread      = spread;
  parameters.compression = compression;
  parameters.seed        = seed;
  parameters.overlap     = overlap;

  micro::Packing packing;
  {
    const py::gil_scoped_release others_run;
    const OneBlasThread          one;
    packing = micro::random_packing(parameters, check_signals_at);
  }
  py::dict result;
  result["x"]          = to_rows(std::move(packing.spheres.r));
  result["radii"]      = to_array(std::move(packing.spheres.R));
  result["coverage"]   = packing.coverage;
  result["jammed"]     = packing.jammed;
  result["reach"]      = packing.reach;
  result["n_contacts"] = packing.n_contacts;
  result["n_rattlers"] = packing.n_rattlers;
  return result;
}
} // namespace

void define_spheres(py::module_ &module)
{
  py::class_<Found>(module, "Found")
      .def("contacts", &Found::contacts)
      .def("directions", &Found::directions)
      .def("gaps", &Found::gaps)
      .def("displacements", &Found::displacements)
      .def("masses", &Found::masses);
  module.def("is_finite", [](const Doubles &array) { // a - a is 0 or no number; a sum is faster than allFinite()
    const auto a = view(array);
    return (a - a).sum() == 0.;
  });
  module.def("is_positive", [](const Doubles &array) { return (view(array).array() > 0.).all(); });
  module.def("impact", &impact);
  module.def("find_contacts", &find_contacts);
  module.def("random_packing", &random_packing);
  module.def("volume_of_ball", &micro::volume_of_ball);
}
} // namespace moreau::python
