// SPDX-License-Identifier: GPL-3.0-or-later
// The continuum on a triangulation and a communicator of the user's: a ring of granular matter collapses. With three
// processes two of them share the work, and the third one has something else to do.
#include <moreau/macro/impact.h>
#include <moreau/macro/meshes/on_triangulation.h>

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>

#include <cmath>
#include <iostream>

int main(int argc, char **argv)
{
  using namespace moreau;
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const unsigned int                             rank = dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD);
  MPI_Comm                                       ours;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, 0, &ours);
  int status = 0;
  if (rank < 2)
    {
      dealii::parallel::distributed::Triangulation<2> mesh(ours,
                                                           dealii::Triangulation<2>::limit_level_difference_at_vertices);
      dealii::GridGenerator::hyper_shell(mesh, dealii::Point<2>(), .5, 1., 16);
      mesh.refine_global(2);

      macro::Setting setting;
      setting.processes = geometry::Processes(ours);
      setting.U         = [](const Eigen::MatrixXd &x, Eigen::MatrixXd &U) { U = -x; }; // m/s

      const auto                on_mesh = macro::on_triangulation<2>(mesh, setting);
      convex::StoppingCriterion criterion;
      const convex::Law         law;
      convex::Impact            impact = macro::impact(*on_mesh, law, criterion);
      const macro::TotalBound   bound  = macro::bound_of_impact(*on_mesh, law, criterion, impact);
      const geometry::Mesh      fields = on_mesh->fields(impact.projection, impact.u_plus, bound);

      // -x is pressed together everywhere; what is left has div u = 0: a flow -c/r to the centre, c = 3/8 / ln 2
      const convex::VelocitySpace &V      = *on_mesh->problem().V;
      const double                 before = V.norm(on_mesh->problem().U), after = V.norm(impact.u_plus);
      const double                 exact = .375 * std::sqrt(2. * dealii::numbers::PI / std::log(2.));
      if (rank == 0)
        std::cout << on_mesh->description() << "\n"
                  << impact.projection.method << ": |U| = " << before << ", |u| = " << after
                  << " m²/s, error <= " << bound.eta << (bound.guaranteed ? ", guaranteed" : "") << "\n";
      const bool as_expected = impact.effort.converged() && std::abs(after - exact) < .003 * exact &&
                               fields.n_cells() == mesh.n_locally_owned_active_cells();
      status = as_expected ? 0 : 1;
    }
  MPI_Comm_free(&ours);
  return status;
}
