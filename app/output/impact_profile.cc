// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/impact_profile.h"

#include "app/output/table_text.h"
#include "geometry/picture.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <vector>

namespace moreau::app
{
namespace
{
/// A cell's number of an array on cells, its first component; `missing` where there is no such array.
double value(const geometry::Mesh &mesh, const std::string &name, const std::size_t cell, const double missing)
{
  const auto found = std::find_if(mesh.cell_data.begin(), mesh.cell_data.end(),
                                  [&](const geometry::Array &array) { return array.name == name; });
  return found == mesh.cell_data.end() ? missing : found->values[cell * static_cast<std::size_t>(found->n_components)];
}
} // namespace

void write_impact_profile(std::ostream &out, const geometry::Mesh &continuum)
{
  const geometry::Mesh &shape = continuum.geometry();
  const auto            end   = [&](const std::size_t cell, const std::size_t k) {
    return shape.points[3 * static_cast<std::size_t>(shape.connectivity[2 * cell + k])];
  };
  std::vector<std::size_t> cells(continuum.n_cells());
  std::iota(cells.begin(), cells.end(), 0u);
  std::sort(cells.begin(), cells.end(), [&](const std::size_t a, const std::size_t b) { return end(a, 0) < end(b, 0); });
  out << "x,left,right,rho,U,u,p\n";
  for (const std::size_t cell : cells)
    {
      const double rho = value(continuum, "density", cell, 1.), left = std::min(end(cell, 0), end(cell, 1)),
                   right = std::max(end(cell, 0), end(cell, 1));
      if (!(rho > 0.))
        continue;
      out << digits(.5 * (left + right)) << ',' << digits(left) << ',' << digits(right) << ',' << digits(rho);
      for (const char *const name : {"U", "u", "p"})
        out << ',' << digits(value(continuum, name, cell, 0.));
      out << '\n';
    }
}

Plot impact_plot(const std::string &title)
{
  Plot plot{"impact_profile", {{"title", title}}, {}};
  plot.table = "profile.csv";
  return plot;
}
} // namespace moreau::app
