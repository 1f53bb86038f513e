// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/line_setting.h"

#include "app/input/blocks_file.h"
#include "app/input/density.h"
#include "app/input/flow_setting.h"
#include "app/input/text/formula.h"
#include "app/input/macro_setting.h"
#include "app/input/motion_fields.h"
#include "app/input/obstacle_text.h"
#include "app/input/text/switches.h"
#include "app/input/text/words.h"

#include "convex/input_error.h"
#include "convex/vectors.h"

#include <algorithm>
#include <cmath>

namespace moreau::app
{
namespace
{
using geometry::Index;

constexpr Index  samples_per_cell = 32;
constexpr double density_slack    = 1e-12; ///< of densities that are 0 or 1 up to round-off

/// Rows rho, u.
geometry::Field density_and_velocity(ParameterFile &file, const std::string &place_of_density)
{
  const geometry::Field rho = density_of_zone(file), u = field_of("Velocity", file.values().velocity, 1, 1);
  return [=](const Eigen::MatrixXd &x, Eigen::MatrixXd &values) {
    Eigen::MatrixXd of_rho, of_u;
    rho(x, of_rho);
    u(x, of_u);
    for (Index k = 0; k < x.cols(); ++k)
      if (!(-density_slack <= of_rho(0, k) && of_rho(0, k) <= 1. + density_slack))
        throw InputError(place_of_density, "The density is " + short_number(of_rho(0, k)) + " at " + point(x.col(k)) +
                                               "; it must lie in [0, 1].");
    values.resize(2, x.cols());
    values << of_rho, of_u;
  };
}

/// Where density and velocity may jump.
Switches places_of_jumps(const Parameters &parameters, const double left, const double right, const Index n_samples)
{
  Switches       found      = switches_of("Velocity", parameters.velocity, left, right, n_samples);
  const Switches of_density = parameters.zone.file.empty()
                                  ? switches_of("Zone", parameters.zone.density, left, right, n_samples)
                                  : Switches{faces_of_density(parameters.zone.file, 1)[0]};
  found.at.insert(found.at.end(), of_density.at.begin(), of_density.at.end());
  found.complete = found.complete && of_density.complete;
  std::sort(found.at.begin(), found.at.end());
  return found;
}

/// Those that samples_per_cell points in each cell see, and one between all places where something may jump, if more points,
/// which lie elsewhere, see the same edges.
std::vector<LinePiece> pieces_of(const geometry::Field &f, const geometry::BoxGrid &cells, const std::string &place,
                                 const Parameters &parameters, bool &complete)
{
  constexpr double more = 3.236; // irrational enough that what repeats itself does not hide from both
  const double     left = cells.lower(0), right = left + static_cast<double>(cells.n[0]) * cells.h(0);
  const Index      n        = samples_per_cell * cells.n[0];
  const Switches   switches = places_of_jumps(parameters, left, right, n);
  const auto       closely  = between(switches.at, cells.h(0) / samples_per_cell);
  LinePieces       found    = line_pieces(f, left, right, n, closely);
  const LinePieces second   = line_pieces(f, left, right, static_cast<Index>(more * static_cast<double>(n)), closely);
  complete                  = switches.complete;
  if (!found.has_same_jumps(second))
    throw InputError(place, "At points " + short_number(cells.h(0) / samples_per_cell) + " m apart " +
                                counted(static_cast<long long>(found.jumps.size()), "edge") +
                                " of density or velocity are seen, but " + std::to_string(second.jumps.size()) +
                                " at points three times closer: bodies or gaps are too short for the cells; give more "
                                "Mesh/Cells per unit length, or blocks of any size in Congested flow/Blocks file.");
  return std::move(found.pieces);
}

/// Mean velocity and the place of the middle of the masses k/n ... (k+1)/n.
void place_spheres(const macro::Parcels &parcels, const Index n, std::vector<double> &x, std::vector<double> &u)
{
  const double mass = parcels.m.back() / static_cast<double>(n);
  std::size_t  i    = 0; // the parcel at hand
  for (Index k = 0; k < n; ++k)
    {
      const double m0 = static_cast<double>(k) * mass, m1 = m0 + mass, middle = m0 + .5 * mass;
      const double first    = parcels.u[i]; // added last, so that spheres of one velocity have it to the last bit
      double       momentum = 0.;
      for (;; ++i)
        {
          const double from = parcels.m[i], to = parcels.m[i + 1];
          momentum += (parcels.u[i] - first) * std::max(0., std::min(m1, to) - std::max(m0, from));
          if (from <= middle && (middle < to || i + 1 == parcels.u.size()))
            x.push_back(parcels.left[i] + (parcels.right[i] - parcels.left[i]) * ((middle - from) / (to - from)));
          if (to >= m1 || i + 1 == parcels.u.size())
            break;
        }
      u.push_back(first + momentum / mass);
    }
}
} // namespace

LineSetting::LineSetting(ParameterFile &file)
    : file(file)
    , place_of_density(!file.values().flow.blocks_file.empty() ? "Congested flow/Blocks file"
                       : !file.values().zone.file.empty()      ? "Zone/File"
                                                               : "Zone/Function expression")
{
  require_memory_for_box(parameters());
  const auto &zone = parameters().zone;
  cells            = geometry::box_grid(zone.lower_corner, zone.upper_corner, parameters().mesh.cells_per_unit_length,
                                        geometry::Processes::alone());
  const geometry::Sides walls = app::sides("Zone/Walls", zone.walls, 1);
  if (walls[0])
    sides.left = zone.lower_corner[0];
  if (walls[1])
    sides.right = zone.upper_corner[0];
  if (parameters().flow.blocks_file.empty())
    find_pieces();
  else
    read_blocks();
}

void LineSetting::find_pieces()
{
  const geometry::Field f        = density_and_velocity(file, place_of_density);
  bool                  complete = true;
  for (const LinePiece &piece : pieces_of(f, cells, place_of_density, parameters(), complete))
    if (piece.rho > 0.)
      {
        pieces.push_back(piece);
        if (piece.rho > 1. - density_slack)
          pieces.back().rho = 1.;
      }
  if (pieces.empty())
    throw InputError(place_of_density, "The density is 0 everywhere in the box: the zone is empty; give matter.");
  if (const double resolution = cells.h(0) / samples_per_cell; complete)
    source = std::string("edges where ") + (parameters().zone.file.empty() ? "" : "cells of the file end and ") +
             "comparisons in the expressions change, each looked at every " + short_number(resolution) + " m";
  else
    warning = "Not all comparisons in the expressions of density and velocity could be followed: bodies and gaps shorter "
              "than " +
              short_number(resolution) + " m may have been overlooked; give Congested flow/Blocks file.";
}

void LineSetting::read_blocks()
{
  file.set("Congested flow/Blocks file", file.absolute(parameters().flow.blocks_file));
  const BlocksOfFile read = blocks_of_file(parameters().flow.blocks_file, sides);
  for (const macro::Block &block : read.blocks)
    pieces.push_back({block.left, block.left + block.width, 1., block.u, true});
  source = "blocks from " + parameters().flow.blocks_file +
           (read.n_instants > 1 ? ", those of t = " + short_number(read.t) + " s, the last of " +
                                      std::to_string(read.n_instants) + " instants"
                                : "");
}

macro::Parcels LineSetting::parcels(const double max_mass) const
{
  macro::LineDensity data;
  for (const LinePiece &piece : pieces)
    {
      if (!data.x.empty() && data.x.back() != piece.left) // empty in between
        {
          data.x.push_back(piece.left);
          data.rho.push_back(0.);
          data.u.push_back(0.);
        }
      if (data.x.empty())
        data.x.push_back(piece.left);
      data.x.push_back(piece.right);
      data.rho.push_back(piece.rho);
      data.u.push_back(piece.u);
    }
  return macro::parcels(data, max_mass);
}

bool LineSetting::has_constant_force() const
{
  const ExpressionText &text = parameters().motion.force;
  return text.expression.empty() || Formula("Force", text, 1).is_constant();
}

bool LineSetting::has_uniform_force() const
{
  const ExpressionText &text = parameters().motion.force;
  if (text.expression.empty())
    return true;
  const Formula formula("Force", text, 1);
  return !formula.uses("x") && !formula.uses("ux");
}

bool LineSetting::has_blocks() const
{
  return std::all_of(pieces.begin(), pieces.end(), [](const LinePiece &piece) { return piece.rho == 1. && piece.uniform; });
}

double LineSetting::constant_force(const std::string &who) const
{
  const ExpressionText &text = parameters().motion.force;
  if (!has_constant_force())
    throw InputError("Force/Function expression",
                     who + " is made for a constant force, as -9.81; give a number, or " +
                         (parameters().flow.method == "finite volumes" ? way_out() : "take finite volumes") + ".");
  return text.expression.empty() ? 0. : Formula("Force", text, 1)(Eigen::VectorXd::Zero(7))(0);
}

std::function<double(double t)> LineSetting::uniform_force(const std::string &who) const
{
  const ExpressionText &text = parameters().motion.force;
  if (!has_uniform_force())
    throw InputError("Force/Function expression",
                     who + " are made for a force that is the same everywhere and for all velocities, as -9.81 or sin(t); " +
                         "give such a one, or " +
                         (parameters().flow.method == "finite volumes" ? way_out() : "take finite volumes") + ".");
  if (text.expression.empty())
    return [](double) { return 0.; };
  return [formula = std::make_shared<const Formula>("Force", text, 1)](const double t) {
    Eigen::VectorXd variables = Eigen::VectorXd::Zero(7);
    variables(6)              = t;
    return (*formula)(variables)(0);
  };
}

/// Of a method that is not made for the data.
std::string LineSetting::way_out() const
{
  if (parameters().flow.method == "finite volumes")
    return "leave it out of Congested flow/Compare with";
  return std::string("take ") +
         (parameters().law.restitution == 0. && parameters().flow.method != "splitting" ? "splitting or " : "") +
         "finite volumes";
}

/// Throws InputError where there are too many.
Index LineSetting::n_spheres(const double mass, const double n_per_unit_length) const
{
  constexpr double most = 1e6;
  if (!(mass * n_per_unit_length <= most))
    throw InputError("Congested flow/Spheres per unit length", short_number(n_per_unit_length) + " makes " +
                                                                   short_number(mass * n_per_unit_length) +
                                                                   " spheres; take no more than a million.");
  return std::max<Index>(1, std::llround(mass * n_per_unit_length));
}

std::vector<macro::Block> LineSetting::blocks() const
{
  std::vector<macro::Block> blocks;
  for (const LinePiece &piece : pieces)
    {
      if (piece.rho != 1.)
        throw InputError(place_of_density, "The density is " + short_number(piece.rho) + " at " +
                                               short_number(.5 * (piece.left + piece.right)) +
                                               ", but 'exact blocks' have the density 1 and nothing between them; " +
                                               way_out() + ".");
      if (!piece.uniform)
        throw InputError("Velocity/Function expression",
                         "The velocity varies within the block at " + short_number(.5 * (piece.left + piece.right)) +
                             ", but each of 'exact blocks' moves as a whole; give it one velocity, or " + way_out() + ".");
      blocks.push_back({piece.left, piece.right - piece.left, piece.u});
    }
  return blocks;
}

micro::SphereSystem LineSetting::spheres(const double n_per_unit_length) const
{
  std::vector<double> x, u, masses;
  for (std::size_t begin = 0, end; begin < pieces.size(); begin = end)
    {
      // what varies smoothly is one piece, although it stands here as many
      macro::LineDensity data = {{pieces[begin].left}, {}, {}};
      for (end = begin; end == begin || (end < pieces.size() && !pieces[end].uniform && !pieces[end - 1].uniform &&
                                         pieces[end].left == data.x.back());
           ++end)
        {
          data.x.push_back(pieces[end].right);
          data.rho.push_back(pieces[end].rho);
          data.u.push_back(pieces[end].u);
        }
      const macro::Parcels parcels = macro::parcels(data);
      const Index          n       = n_spheres(parcels.m.back(), n_per_unit_length);
      place_spheres(parcels, n, x, u);
      masses.insert(masses.end(), n, parcels.m.back() / static_cast<double>(n));
    }

  micro::SphereSystem system;
  system.spheres.r = convex::vector(x).transpose();
  system.spheres.m = convex::vector(masses);
  system.spheres.R = .5 * system.spheres.m;
  system.U         = convex::vector(u);
  system.force     = body_force(parameters().motion.force, 1);
  const auto &zone = parameters().zone;
  system.obstacles =
      obstacles(parameters().motion.obstacles, micro::box_walls(zone.lower_corner, zone.upper_corner, zone.walls), 1);
  return system;
}
} // namespace moreau::app
