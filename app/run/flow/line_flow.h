// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_LINE_FLOW_H
#define MOREAU_APP_RUN_FLOW_LINE_FLOW_H

#include "app/input/line_setting.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace moreau::app
{
/// A congested flow in one dimension, whatever moves it.
class LineFlow
{
public:
  virtual ~LineFlow() = default;

  virtual void           advance(double t) = 0; ///< to time t >= time()
  virtual double         time() const      = 0; ///< s
  virtual macro::Parcels parcels() const   = 0; ///< the matter now, from left to right

  virtual unsigned int n_impacts() const { return 0; }         ///< since the start, of those that are counted
  virtual unsigned int n_collapsed() const { return 0; }       ///< impacts ended by a projection with e = 0
  virtual unsigned int n_unseen_rebounds() const { return 0; } ///< of blocks whose gap had not opened visibly
  virtual unsigned int n_closed_gaps() const { return 0; }     ///< of blocks at the start, by a rule, not by rounding
  virtual bool         converged() const { return true; }
  virtual bool         moves_blocks() const { return false; } ///< parcels are bodies that keep their width

  /// Of methods that runs follow, bit for bit. restore() throws std::logic_error where it is of another flow.
  virtual convex::NamedArrays state() const { return {}; }
  virtual void                restore(const convex::NamedArrays &) {}

  /// By a force that varies in time, since the start; nothing where it is constant.
  struct Given
  {
    double velocity; ///< to what is free (m/s)
    double work;
  };
  virtual std::optional<Given> given_by_force() const { return std::nullopt; }

  /// Given by the walls since the start (kg m/s); NaN where it is not known.
  virtual double wall_impulse() const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// "exact blocks", "sticky solution", "soft congestion" or "splitting". Throws InputError where it is not made for the data.
std::unique_ptr<LineFlow> make_line_flow(const std::string &method, const LineSetting &setting);

/// Spheres in a row instead, moved by scheme A. Throws InputError.
std::unique_ptr<LineFlow> make_spheres_on_line(const LineSetting &setting, double n_per_unit_length);

/// Time/Time step or, where it is not given, a thousandth of Time/End time (s).
double splitting_step_of(const Parameters &parameters);
} // namespace moreau::app

#endif
