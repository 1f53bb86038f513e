// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_RECORD_H
#define MOREAU_APP_OUTPUT_RECORD_H

#include "app/output/summary.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace moreau::app
{
/// How the values of all steps become one of the run.
enum class Total : char
{
  first, ///< that of the initial state
  last,  ///< that of the last step
  sum,
  largest, ///< at least 0; NaN, or null, is larger than any number
  smallest ///< of truth values: whether all are true
};

/// All that is said of a step, in the order of statistics.csv, with what the clock says last: it is all that differs when a
/// run is repeated. The table, totals, summary.json and checkpoints follow from it. All records of a run have the same
/// columns.
struct Record
{
  /// One value of the whole run.
  struct OfRun
  {
    Total       total = Total::last;
    std::string key; ///< in summary.json; "certificate/guaranteed" is a key within another; empty: there is no value
  };

  /// A number, a word, or the components of a vector.
  struct Column
  {
    /// of_run: three at most.
    Column(std::string name, nlohmann::json value, const std::initializer_list<OfRun> of_run = {},
           std::vector<std::string> components = {})
        : name(std::move(name)), value(std::move(value)), components(std::move(components))
    {
      std::copy(of_run.begin(), of_run.end(), this->of_run.begin());
    }

    std::string              name;  ///< in statistics.csv; empty: it is not there
    nlohmann::json           value; ///< null: not known, an empty place in the table
    std::array<OfRun, 3>     of_run;
    std::vector<std::string> components; ///< of a vector: its columns are NAME_COMPONENT
  };

  struct Failure
  {
    std::string step; ///< "step 3 (t = 0.3 s): iteration limit"
    double      natural_residual;
  };

  std::vector<Column>    columns;
  std::optional<Failure> failure; ///< of a step that did not converge
};

/// "step 3 (t = 0.3 s)".
std::string step_at(std::int64_t step, double time);

/// The first line of statistics.csv, and the line of a step.
std::string header_of(const Record &record);
std::string row_of(const Record &record);

/// What all steps of a run together were like.
struct Totals
{
  /// Takes those values that are of this kind from a record that is no further step.
  void set(Total kind, const Record &record);

  /// seconds: that the step took.
  void add(const Record &record, double seconds);

  /// Whether they can be those of steps with such records: same keys in the same order, values of the same kind. What a
  /// checkpoint says is only then true to what is done with it.
  bool fit(const Record &record) const;

  bool converged() const { return n_not_converged == 0; }

  /// "2 of 100 steps did not converge, the first was step 3 ...; the worst natural residual of these is ...".
  std::string complaint() const;

  /// The value under a key of summary.json, null where it is not known; 0 before the first step.
  nlohmann::json at(std::string_view key) const;
  double         real(std::string_view key) const; ///< NaN where it is not known
  std::int64_t   count(std::string_view key) const { return at(key); }

  /// What summary.json says: the keys of every problem, then those of the columns.
  nlohmann::ordered_json summary_of(Summary summary) const;

  std::int64_t n_steps = 0, n_not_converged = 0;
  double       wall_time           = 0.; ///< s of the clock
  double       worst_not_converged = 0.; ///< natural residual of steps that did not converge
  std::string  first_not_converged;      ///< as Record::Failure::step

  std::vector<std::pair<std::string, nlohmann::json>> values; ///< by key, in the order of the columns
};

/// To and from json, for checkpoints.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Totals, n_steps, n_not_converged, wall_time, worst_not_converged, first_not_converged,
                                   values)
} // namespace moreau::app

#endif
