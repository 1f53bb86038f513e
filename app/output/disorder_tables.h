// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_DISORDER_TABLES_H
#define MOREAU_APP_OUTPUT_DISORDER_TABLES_H

#include "app/output/study_tables.h"
#include "homogenization/dilatancy_fit.h"

#include <limits>
#include <optional>

/// What `homogenization` says of samples: several packings of a size, several contact tolerances.
namespace moreau::app
{
/// s of a contact network over some directions, by linear programs; NaN where no stress is balanced.
struct NetworkDilatancy
{
  double s;              ///< the mean of what follows
  double lower, upper;   ///< means of the bounds: by stresses, by fluctuations
  double least, largest; ///< of single directions
};

/// One packing with one contact tolerance. Sizes and tolerances are numbered as they are given, from 0.
struct DisorderSample
{
  std::size_t                 size = 0, tolerance_number = 0;
  double                      tolerance = 0.;
  std::optional<unsigned int> seed;
  /// z of what is no rattler, and z_iso, across the sides of the box in which it was packed; NaN of what is not packed here.
  double                coordination = std::numeric_limits<double>::quiet_NaN(), isostatic = coordination;
  double                spacing = 0.; ///< (|ω|/n)^{1/d} (m)
  homogenization::Level level;
  std::optional<homogenization::FittedDilatancy> fit; ///< its s and interval NaN where distances are flat
  std::optional<NetworkDilatancy>                network;
  bool                                           packing_was_there = false; ///< made by an earlier run
  std::string                                    packing_warning; ///< where it could not be left for other runs; else empty
  std::string                                    network_warning; ///< why there is no z, or no network s; else empty
  std::string                                    contact_warning; ///< on contacts that the tolerance loses; else empty
  std::string                                    fit_warning;     ///< why there is no best s; else empty
};

using DisorderSamples = std::vector<DisorderSample>;

/// Of numbers: their mean, and the standard deviation of the numbers (not of the mean); NaN of fewer than two.
struct Statistics
{
  double mean, deviation;

  explicit Statistics(const std::vector<double> &numbers);
};

/// Lines above and of the table of samples, the second one per sample as it is computed.
std::vector<std::string> samples_header(const References &references, bool with_fit, bool with_network);
std::string              samples_row(const DisorderSample &sample, const References &references);

/// Means and deviations by tolerance and size, and how the distances fall with the spacing.
std::vector<std::string> means_table(const DisorderSamples &samples, const References &references);

/// samples.csv, a row per sample, and disorder.csv, a row per tolerance and size; there error_lower and error_upper are a
/// deviation of the samples below and above their mean, and no bounds.
void write_samples(std::ostream &out, const DisorderSamples &samples, const References &references,
                   const std::vector<int> &windows);
void write_means(std::ostream &out, const DisorderSamples &samples, const References &references,
                 const std::vector<int> &windows);

/// `samples` and `series` of summary.json, a series per tolerance with its levels.
void add_to_json(nlohmann::ordered_json &json, const DisorderSamples &samples, const References &references);

/// Of disorder.csv: mean distances with bars of one deviation.
Plot disorder_plot(const std::string &title, unsigned int dimension, const DisorderSamples &samples,
                   const References &references);
} // namespace moreau::app

#endif
