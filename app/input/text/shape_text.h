// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_INPUT_TEXT_SHAPE_TEXT_H
#define MOREAU_APP_INPUT_TEXT_SHAPE_TEXT_H

#include <Eigen/Core>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Lists of things with places in words: "hopper: capsule (0, 0) (1, 0) 0.1; half-space (0, 0) (0, 1)".
namespace moreau::app
{
/// What follows the word for a shape: so many points (or normals), then a radius or not.
struct ShapeSyntax
{
  std::string word, form; ///< "capsule", "POINT POINT RADIUS"; without a word points stand alone
  int         n_points   = 0;
  bool        has_radius = false;
};

/// One item of a list.
struct ShapeText
{
  std::string                  name;   ///< in front of a colon; empty: none
  int                          number; ///< in the list, from 1
  std::string                  shape;  ///< ShapeSyntax::word
  std::vector<Eigen::VectorXd> points; ///< of length dim
  double                       radius = 0.;

  /// The value that belongs to its shape.
  template <class Value>
  Value among(const std::vector<std::pair<ShapeSyntax, Value>> &values) const
  {
    return std::find_if(values.begin(), values.end(), [&](const auto &known) { return known.first.word == shape; })->second;
  }
};

template <class Value>
std::vector<ShapeSyntax> syntaxes_of(const std::vector<std::pair<ShapeSyntax, Value>> &values)
{
  std::vector<ShapeSyntax> syntaxes;
  for (const auto &known : values)
    syntaxes.push_back(known.first);
  return syntaxes;
}

/// Whether items have names. A name is made of letters, digits and underscores and begins with a letter.
enum class Naming
{
  optional, ///< and several items may have the same
  required, ///< each its own
  none
};

/// The items between ';'. Throws InputError(place, ...) for what cannot be understood, with an example.
std::vector<ShapeText> read_shapes(const std::string &place, const std::string &list,
                                   const std::vector<ShapeSyntax> &syntaxes, Eigen::Index dim,
                                   Naming naming = Naming::optional);
} // namespace moreau::app

#endif
