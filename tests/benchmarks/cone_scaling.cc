// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/benchmarks/cone_scaling.h"

#include "convex/clock.h"
#include "convex/shared_network.h"
#include "macro/discretize.h"
#include "macro/impact.h"
#include "tests/benchmarks/digit_sum.h"
#include "tests/benchmarks/process.h"

#include <cmath>
#include <iostream>

namespace moreau::benchmarks
{
namespace
{
using geometry::Index;
using geometry::Vector;

/// Compressed here, stretched there; smooth.
void wavy(const Eigen::MatrixXd &x, Eigen::MatrixXd &U)
{
  for (Index q = 0; q < x.cols(); ++q)
    for (Index a = 0; a < x.rows(); ++a)
      U(a, q) = std::sin(7. * x(a, q) + x((a + 1) % x.rows(), q)) - 2. * x(a, q);
}

/// Of a stage: seconds of the clock and of the processor.
class Watch
{
public:
  explicit Watch(const geometry::Processes &world) : world(world) { start(); }

  /// Says what the stage that ends here took on the slowest process.
  void say(const char *const name)
  {
    const double clock = world.max(convex::seconds_since(begin)), processor = world.max(processor_seconds() - spent);
    if (world.rank() == 0)
      std::cout << ", " << name << ' ' << clock << " s (" << processor << " s)";
    start();
  }

private:
  void start()
  {
    world.sum(0.);
    begin = convex::Clock::now();
    spent = processor_seconds();
  }

  const geometry::Processes &world;
  convex::Clock::time_point  begin;
  double                     spent = 0.;
};
} // namespace

void cone_scaling(const geometry::Processes &world, const int dim, const double cells)
{
  macro::Setting setting;
  setting.domain.lower               = Vector::Zero(dim);
  setting.domain.upper               = Vector::Ones(dim);
  setting.domain.density             = [](const Eigen::MatrixXd &, Eigen::MatrixXd &density) { density.setOnes(); };
  setting.cone                       = macro::lattice_cone(dim == 2 ? macro::ConeType::square : macro::ConeType::cubic, 0.);
  setting.mesh.cells_per_unit_length = cells;
  setting.U                          = wavy;
  setting.processes                  = world;
  if (world.rank() == 0)
    std::cout << "cone, dimension " << dim << ", processes " << world.size() << ", cells " << std::pow(cells, dim);

  Watch      watch(world);
  const auto mesh = macro::discretize(setting);
  watch.say("mesh");
  const convex::Law law; // e = 0
  convex::Impact    impact = macro::impact(*mesh, law, convex::StoppingCriterion(), "automatic");
  watch.say("projection");
  const macro::TotalBound bound = macro::bound_of_impact(*mesh, law, convex::StoppingCriterion(), impact);
  watch.say("bound");

  const convex::SharedNetwork *const network = convex::shared_network(mesh->problem());
  Vector                             p       = impact.projection.p; // of rows whose first node is this process'
  for (Index c = 0; network && c < p.size(); ++c)
    if (network->rows().pairs()[c].i < network->here().first_own)
      p(c) = 0.;
  const double digits = digit_sum(impact.projection.u, world) + digit_sum(p, world), memory = world.max(peak_memory());
  if (world.rank() == 0)
    std::cout << ", memory " << memory / 1e6 << " MB, eta " << bound.eta << ", digits " << std::fixed << digits << std::endl;
}
} // namespace moreau::benchmarks
