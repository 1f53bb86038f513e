// SPDX-License-Identifier: GPL-3.0-or-later
// Finite volumes beside other descriptions of the same matter.
#include "app/run/flow/flow_line.h"
#include "app/run/flow/line_output.h"
#include "app/output/summary.h"
#include "app/output/table_text.h"
#include "app/input/text/words.h"

#include "convex/clock.h"
#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace moreau::app
{
namespace
{
using geometry::Index;
using macro::Parcels;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A description and how far it is from finite volumes at the end; NaN where that makes no sense.
struct ComparisonRow
{
  std::string method;
  double      parameter = unknown; ///< cells or spheres per unit length; s, the time step of the splitting; ε
  std::size_t n         = 0;       ///< cells, blocks, parcels, spheres

  double density_distance  = unknown; ///< ∫|ρ - ρ_fv| dx / mass
  double wasserstein       = unknown; ///< Wasserstein-1 distance of ρ, a way (m): relative to the length of the box
  double velocity_distance = unknown; ///< root mean square over the mass (m/s)
  double kinetic_energy    = unknown;
  double to_exact          = unknown; ///< as wasserstein, from the exact solution where one is known
  double order             = unknown; ///< of that distance in the parameter; spheres only
  double seconds           = 0.;
  bool   converged         = true;
};

/// What is computed for `method`: one of them, or one per number of spheres.
struct Candidate
{
  std::string               method;
  double                    parameter;
  std::unique_ptr<LineFlow> flow;
};

std::vector<Candidate> candidates(const LineSetting &setting)
{
  const Parameters      &parameters = setting.parameters();
  std::vector<Candidate> result;
  for (const std::string &method : parameters.flow.compare_with)
    if (method == "spheres")
      for (const double n : parameters.flow.spheres_per_unit_length)
        result.push_back({method, n, make_spheres_on_line(setting, n)});
    else
      result.push_back({method,
                        method == "splitting"         ? splitting_step_of(parameters)
                        : method == "soft congestion" ? parameters.flow.soft_pressure
                                                      : unknown,
                        make_line_flow(method, setting)});
  return result;
}

/// Null where no exact solution is known.
std::unique_ptr<LineFlow> exact_flow(const LineSetting &setting, std::string &name)
{
  name = "";
  if (setting.has_blocks() && setting.has_uniform_force())
    name = "exact blocks";
  else if (setting.has_constant_force() && setting.parameters().law.restitution == 0. && setting.constant_force("") == 0.)
    name = "sticky solution";
  return name.empty() ? nullptr : make_line_flow(name, setting);
}

double kinetic_energy(const Parcels &parcels)
{
  double sum = 0.;
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    sum += .5 * (parcels.m[k + 1] - parcels.m[k]) * parcels.u[k] * parcels.u[k];
  return sum;
}

/// Distances are relative to these.
class Ruler
{
public:
  explicit Ruler(const geometry::BoxGrid &grid) : ends(ends_of_cells(grid)), length(ends.back() - ends.front()) {}

  double wasserstein(const Parcels &a, const Parcels &b) const
  {
    return same_mass(a, b) ? macro::wasserstein_distance(a, b) / (a.m.back() * length) : unknown;
  }

  double velocity(const Parcels &a, const Parcels &b) const
  {
    return same_mass(a, b) ? macro::velocity_distance(a, b) : unknown;
  }

  double density(const Parcels &a, const Parcels &b) const
  {
    const std::vector<double> rho_a = macro::cell_densities(a, ends), rho_b = macro::cell_densities(b, ends);
    double                    sum = 0.;
    for (std::size_t i = 0; i < rho_a.size(); ++i)
      sum += std::abs(rho_a[i] - rho_b[i]) * (ends[i + 1] - ends[i]);
    return sum / b.m.back();
  }

  /// Less where finite volumes lost what left the box.
  static bool same_mass(const Parcels &a, const Parcels &b)
  {
    constexpr double rounding = 1e-9;
    return std::abs(a.m.back() - b.m.back()) <= rounding * a.m.back();
  }

private:
  std::vector<double> ends;
  double              length;
};

/// Between two rows, of their distance from the exact solution, since the one from finite volumes tends to the error of
/// these. NaN where it is not known, or rounding.
double order_between(const ComparisonRow &coarse, const ComparisonRow &fine)
{
  constexpr double rounding = 1e-10;
  const double     a = coarse.to_exact, b = fine.to_exact;
  return a > rounding && b > rounding ? std::log(a / b) / std::log(fine.parameter / coarse.parameter) : unknown;
}

/// Over the last three of the spheres.
double order_of_spheres(const std::vector<ComparisonRow> &rows)
{
  std::vector<const ComparisonRow *> spheres;
  for (const ComparisonRow &row : rows)
    if (row.method == "spheres")
      spheres.push_back(&row);
  return spheres.size() < 2 ? unknown
                            : order_between(*spheres[std::max<std::size_t>(3, spheres.size()) - 3], *spheres.back());
}

/// What makes blocks another thing than finite volumes of the same data.
void warn_of_blocks(const LineFlow &blocks, const double restitution, Log &log)
{
  if (const std::string warning = warning_of_closed_gaps(blocks); !warning.empty())
    log.warn(warning);
  if (const std::string warning = warning_of_endless_sequences(blocks, restitution); !warning.empty())
    log.warn(warning);
}

/// Where blocks are apart that finite volumes of one velocity see touching.
void warn_of_unseen_gaps(const LineSetting &setting, Log &log)
{
  const Parcels blocks = setting.parcels();
  const double  h = setting.grid().h(0), rounding = 1e-9 * h;
  const double  closed =
      macro::ExactBlocks::Parameters().touching * std::max(std::abs(blocks.left.front()), std::abs(blocks.right.back()));
  unsigned int n     = 0;
  double       first = 0.;
  for (std::size_t k = 1; k < blocks.u.size(); ++k)
    if (const double gap = blocks.left[k] - blocks.right[k - 1]; gap > closed && gap < h - rounding)
      if (n++ == 0)
        first = blocks.right[k - 1];
  if (n > 0)
    log.warn(
        counted(n, "gap") + " between blocks at the start " + (n == 1 ? "is" : "are") +
        " narrower than a cell, the first at x = " + short_number(first) +
        ": finite volumes see bodies there that touch, exact blocks such that do not, so that they follow other "
        "sequences of impacts, and distances between them are no errors of either. Take more Mesh/Cells per unit length.");
}

ExactProfile exact_profile(const std::string &name, const LineRecord &record)
{
  ExactProfile exact = {name, record.rho, record.momenta};
  for (std::size_t i = 0; i < exact.u.size(); ++i)
    exact.u[i] = exact.rho[i] > 0. ? exact.u[i] / exact.rho[i] : 0.;
  return exact;
}

void say(const std::vector<ComparisonRow> &rows, const std::string &exact, const double order, Log &log)
{
  log.line("  " + cell("", 15) + cell("parameter", 11) + cell("n", 8) + cell("density", 11) + cell("Wasserstein", 12) +
           cell("velocity", 11) + cell("energy", 13) + cell("to exact", 11) + cell("order", 7));
  for (const ComparisonRow &row : rows)
    log.line("  " + row.method + std::string(16 - row.method.size(), ' ') + cell(row.parameter, 11, "%.5g") +
             cell(std::to_string(row.n), 8) + cell(row.density_distance, 11, "%.2e") + cell(row.wasserstein, 12, "%.2e") +
             cell(row.velocity_distance, 11, "%.2e") + cell(row.kinetic_energy, 13, "%.6g") +
             cell(row.to_exact, 11, "%.2e") + cell(row.order, 7, "%.2f") + (row.converged ? "" : "   not converged"));
  log.line("  distances from finite volumes: of densities by mass, of Wasserstein by length of the box, of velocities "
           "r.m.s. (m/s)");
  log.line(exact.empty() ? std::string("  no exact solution is known for these data")
                         : "  to exact: Wasserstein, from the " +
                               (exact == "exact blocks" ? std::string("exact motion of the blocks") : exact));
  if (std::isfinite(order))
    log.line("  observed order of the spheres in their radius: " + cell(order, 0, "%.2f").substr(1));
}

void write(std::ostream &out, const std::vector<ComparisonRow> &rows)
{
  out << "method,parameter,n,density_distance,wasserstein,velocity_distance,kinetic_energy,wasserstein_to_exact,order,"
         "seconds\n";
  for (const ComparisonRow &row : rows)
    {
      out << row.method << ',' << (std::isfinite(row.parameter) ? digits(row.parameter) : "") << ',' << row.n;
      for (const double x : {row.density_distance, row.wasserstein, row.velocity_distance, row.kinetic_energy, row.to_exact,
                             row.order, row.seconds})
        out << ',' << (std::isfinite(x) ? digits(x) : "");
      out << '\n';
    }
}

nlohmann::ordered_json rows_to_json(const std::vector<ComparisonRow> &rows, const std::string &exact, const double order)
{
  nlohmann::ordered_json json = {{"exact_solution", exact.empty() ? "unknown" : exact},
                                 {"observed_order_of_spheres", number(order)},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const ComparisonRow &row : rows)
    json["rows"].push_back({{"method", row.method},
                            {"parameter", number(row.parameter)},
                            {"n", row.n},
                            {"density_distance", number(row.density_distance)},
                            {"wasserstein", number(row.wasserstein)},
                            {"velocity_distance", number(row.velocity_distance)},
                            {"kinetic_energy", number(row.kinetic_energy)},
                            {"wasserstein_to_exact", number(row.to_exact)},
                            {"order", number(row.order)},
                            {"converged", row.converged},
                            {"wall_time_s", number(row.seconds)}});
  return json;
}
} // namespace

Parcels parcels_of(const macro::CongestedFlow &flow)
{
  const geometry::BoxGrid &grid = flow.rho().box_grid();
  const Eigen::MatrixXd    u    = flow.cell_velocities();
  macro::LineDensity       data;
  data.x = ends_of_cells(grid);
  for (Index i = 0; i < grid.n[0]; ++i)
    {
      data.rho.push_back(std::clamp(flow.rho()({i, 0, 0}), 0., 1.)); // beyond by rounding only
      data.u.push_back(u(0, i));
    }
  return macro::parcels(data);
}

void check_comparison(ParameterFile &file)
{
  if (!file.values().flow.compare_with.empty())
    candidates(LineSetting(file));
}

LineComparison compare_on_line(ParameterFile &file, const macro::CongestedFlow &flow, const OutputDirectory &output,
                               Log &log)
{
  const LineSetting setting(file);
  const Ruler       ruler(setting.grid());
  if (!setting.warning_of_edges().empty())
    log.warn(setting.warning_of_edges());
  const double  t              = flow.time();
  const Parcels finite_volumes = parcels_of(flow);

  std::string                     exact_name;
  const std::unique_ptr<LineFlow> exact = exact_flow(setting, exact_name);
  if (exact)
    exact->advance(t);
  if (exact_name == "exact blocks")
    {
      warn_of_blocks(*exact, file.values().law.restitution, log);
      if (flow.setting().bodies == macro::BodyVelocities::mixed)
        warn_of_unseen_gaps(setting, log);
    }
  const auto to_exact = [&](const Parcels &now) { return exact ? ruler.wasserstein(now, exact->parcels()) : unknown; };

  std::vector<ComparisonRow> rows(1);
  rows[0].method           = "finite volumes";
  rows[0].parameter        = file.values().mesh.cells_per_unit_length;
  rows[0].n                = finite_volumes.u.size();
  rows[0].density_distance = rows[0].wasserstein = rows[0].velocity_distance = 0.;
  rows[0].kinetic_energy                                                     = flow.record().kinetic_energy;
  rows[0].to_exact                                                           = to_exact(finite_volumes);
  rows[0].seconds                                                            = unknown; // of the run: its wall_time_s
  for (Candidate &candidate : candidates(setting))
    {
      const auto start = convex::Clock::now();
      candidate.flow->advance(t);
      const Parcels now     = candidate.flow->parcels();
      ComparisonRow row     = {candidate.method, candidate.parameter, now.u.size()};
      row.seconds           = convex::seconds_since(start);
      row.density_distance  = ruler.density(now, finite_volumes);
      row.wasserstein       = ruler.wasserstein(now, finite_volumes);
      row.velocity_distance = ruler.velocity(now, finite_volumes);
      row.kinetic_energy    = kinetic_energy(now);
      row.to_exact          = to_exact(now);
      row.converged         = candidate.flow->converged();
      if (row.method == "spheres" && rows.back().method == "spheres")
        row.order = order_between(rows.back(), row);
      if (!Ruler::same_mass(now, finite_volumes) && rows.size() == 1)
        log.line(
            "  Matter left the box of the finite volumes: distances of Wasserstein and of velocities from them are left "
            "out; choose a larger box or walls.");
      rows.push_back(row);
    }
  const double order = order_of_spheres(rows);
  say(rows, exact_name, order, log);
  output.write("comparison.csv", [&](std::ostream &out) { write(out, rows); });
  LineComparison comparison = {rows_to_json(rows, exact_name, order), {}};
  if (exact)
    comparison.exact = exact_profile(exact_name, LineMeter(setting, *exact).record());
  return comparison;
}
} // namespace moreau::app
