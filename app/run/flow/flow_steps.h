// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_RUN_FLOW_FLOW_STEPS_H
#define MOREAU_APP_RUN_FLOW_FLOW_STEPS_H

#include "app/input/parameters.h"
#include "convex/named_arrays.h"

#include <limits>

namespace moreau::app
{
/// A step of a flow.
struct FlowStep
{
  double t;           ///< s, where it ends
  bool   has_picture; ///< a picture is due then
  bool   reduced;     ///< it is shorter than Time/Time step because of the CFL condition
};

/// Chooses steps. Steps = fixed: multiples of Time/Time step, pictures at the nearest behind. Else as long as Time/Time step
/// and the CFL condition allow, and without Time/Time step at most a thousandth of the end time where the force or what
/// flows in varies in time; those until the next picture or the end of equal length, so that they end there exactly and
/// no short one is left over. It depends on the time alone: a run that goes on chooses as the whole one would.
class FlowSteps
{
public:
  explicit FlowSteps(const Parameters &parameters);

  /// From time t < end, where the CFL condition allows a step of length `longest` and bodies meet after `until_contact`: a
  /// step ends there unless Steps = fixed. Throws InputError("Time/Time step", ...) for Steps = fixed where that is too
  /// short, and InputError("Congested flow/CFL number", ...) where steps have become so short that they lead nowhere.
  FlowStep next(double t, double longest, double until_contact = std::numeric_limits<double>::infinity()) const;

  /// Puts the interval of pictures and the longest step of what varies into a state, and takes them from there, the interval
  /// where Time/Output every does not say it, as the whole run had them, even where it became longer. take_from() throws
  /// std::out_of_range where there is none.
  void put_into(convex::NamedArrays &state) const;
  void take_from(convex::NamedArrays &state);

private:
  FlowStep fixed_step(double t, double longest) const;

  double end;                                                  ///< s
  double most;                                                 ///< Time/Time step; infinite where there is none
  double interval;                                             ///< s
  double of_varying = std::numeric_limits<double>::infinity(); ///< s, what varies in time allows
  double cfl;
  bool   fixed;
  bool   has_interval; ///< given by Time/Output every
};
} // namespace moreau::app

#endif
