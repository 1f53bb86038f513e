// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_MEASUREMENT_SETTING_H
#define MOREAU_APP_INPUT_MEASUREMENT_SETTING_H

#include "micro/measurements/measurements.h"

#include <string>

namespace dealii
{
class ParameterHandler;
}

namespace moreau::app
{
struct Parameters;

/// What is measured of motions, as text. Meanings stand in add_to().
struct MeasurementText
{
  std::string fluxes, forces, regions, probes, remove_in, remove_outside;

  micro::CoarseGraining coarse;

  bool removes() const { return !remove_in.empty() || !remove_outside.empty(); }

  void add_to(dealii::ParameterHandler &prm);
};

/// What is to be measured among these obstacles. Throws InputError for what cannot be understood.
micro::MeasurementPlan measurement_plan(const Parameters &parameters, const micro::Obstacles &obstacles);
} // namespace moreau::app

#endif
