// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_DERIVATIVE_H
#define MOREAU_APP_INPUT_TEXT_DERIVATIVE_H

#include "app/input/text/formula.h"

namespace moreau::app
{
/// A formula that knows its partial derivatives.
class DifferentiableFormula : public Formula
{
public:
  /// As Formula.
  DifferentiableFormula(const std::string &section, const ExpressionText &text, Eigen::Index n_components);

  /// ∂f/∂x_k at `variables`, length n_components(). Where the text is understood, and its value is what muParser
  /// says, by the chain rule: exact up to rounding whatever the unit of x_k; at a kink the mean of both sides. Elsewhere by
  /// differences: of the fourth order, right to about 1e-12 where f is smooth within 2e-3 max(1, |x_k|) of there; near a
  /// kink of the second one with steps of 6e-6, right to about 1e-9.
  /// Throws InputError where f is not finite at the point, or beside it where differences are taken.
  Eigen::VectorXd derivative(const Eigen::VectorXd &variables, Eigen::Index k) const;

private:
  std::vector<ExpressionTree> trees; ///< empty where a component is not understood

  Eigen::VectorXd by_differences(const Eigen::VectorXd &variables, Eigen::Index k) const;
};
} // namespace moreau::app

#endif
