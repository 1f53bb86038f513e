// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_PATTERNS_H
#define MOREAU_APP_INPUT_PATTERNS_H

#include <Eigen/Core>

#include <memory>
#include <string>

namespace dealii
{
class ParameterHandler;
namespace Patterns
{
class PatternBase;
}
} // namespace dealii

/// What deal.II does not know of parameters: open intervals and vectors.
namespace moreau::app
{
/// Numbers in an interval such as "[0, 1)" or "(0, inf)". Manual and messages name it and the remark.
std::unique_ptr<dealii::Patterns::PatternBase> interval(const std::string &bounds, const std::string &remark = "");

/// Declares a list of numbers and ties it to x, the default. `least` and `most`: of its length.
void add_vector(dealii::ParameterHandler &prm, const std::string &name, Eigen::VectorXd &x, const std::string &documentation,
                unsigned int least = 0, unsigned int most = 3);
} // namespace moreau::app

#endif
