// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/shape_text.h"

#include "convex/input_error.h"

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace moreau::app
{
namespace
{
using dealii::Utilities::split_string_list;
using Eigen::Index;
using Vector = Eigen::VectorXd;

bool is_name(const std::string &text)
{
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), [](const unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// "capsule (0, 0) (1, 0) 0.1" with points of length dim: different unit
/// vectors behind the origin, so that it can be used as it is.
std::string example(const ShapeSyntax &syntax, const Index dim)
{
  std::string text = syntax.word;
  for (int k = 0; k < syntax.n_points; ++k)
    {
      text += text.empty() ? "(" : " (";
      for (Index axis = 0; axis < dim; ++axis)
        text += std::string(axis == 0 ? "" : ", ") + (axis == k - 1 ? "1" : "0");
      text += ")";
    }
  return text + (syntax.has_radius ? " 0.1" : "");
}

/// One item, read from left to right.
class ShapeReader
{
public:
  ShapeReader(const std::string &place, const int number, const std::string &text, const std::vector<ShapeSyntax> &syntaxes,
              const Index dim, const Naming naming)
      : place(place), number(number), text(text), syntaxes(syntaxes), dim(dim), naming(naming)
  {}

  ShapeText read() const
  {
    ShapeText result;
    result.number    = number;
    std::string rest = text;
    result.name      = take_name(rest);

    const ShapeSyntax &syntax = find_syntax(rest);
    const std::string  form   = "is not of the form " + prefix() + syntax.word + (syntax.word.empty() ? "" : " ") +
                             syntax.form + ", as " + whole_example(syntax);
    result.shape = syntax.word;
    rest.erase(0, syntax.word.size());
    for (int k = 0; k < syntax.n_points; ++k)
      result.points.push_back(take_point(rest, form, syntax));
    const std::vector<double> radius = numbers(rest, form);
    if (radius.size() != (syntax.has_radius ? 1 : 0))
      refuse(form);
    if (syntax.has_radius)
      result.radius = radius.front();
    return result;
  }

  [[noreturn]] void refuse(const std::string &what) const
  {
    throw InputError(place, "Item " + std::to_string(number) + ", '" + text + "', " + what + ".");
  }

private:
  std::string prefix() const { return naming == Naming::required ? "NAME: " : ""; }

  std::string whole_example(const ShapeSyntax &syntax) const
  {
    return (naming == Naming::required ? "outlet: " : "") + example(syntax, dim);
  }

  /// "hopper" of "hopper: capsule ...".
  std::string take_name(std::string &rest) const
  {
    const std::size_t colon = naming == Naming::none ? std::string::npos : rest.find(':');
    if (colon == std::string::npos)
      {
        if (naming == Naming::required)
          refuse("has no name; put one in front, as " + whole_example(syntaxes.front()));
        return "";
      }
    std::string name = rest.substr(0, colon);
    name.erase(name.find_last_not_of(" \t") + 1);
    if (!is_name(name))
      refuse("has the name '" + name + "'; give one of letters, digits and underscores that begins with a letter");
    rest.erase(0, colon + 1);
    rest.erase(0, std::min(rest.find_first_not_of(" \t"), rest.size()));
    return name;
  }

  const ShapeSyntax &find_syntax(const std::string &rest) const
  {
    for (const ShapeSyntax &syntax : syntaxes)
      if (syntax.word.empty() ||
          rest.compare(0, syntax.word.size(), syntax.word) == 0 &&
              (syntax.n_points == 0 ? rest.size() == syntax.word.size()
                                    : rest.find_first_of(" \t(", syntax.word.size()) == syntax.word.size()))
        return syntax;
    std::string known;
    for (const ShapeSyntax &syntax : syntaxes)
      known += (known.empty() ? "" : &syntax == &syntaxes.back() ? " or " : ", ") + syntax.word;
    refuse("is no shape with its points; begin with " + known);
  }

  /// "0, 1" -> 0 and 1.
  std::vector<double> numbers(const std::string &list, const std::string &form) const
  {
    try
      {
        return dealii::Utilities::string_to_double(split_string_list(list, ','));
      }
    catch (const dealii::ExceptionBase &)
      {
        refuse(form);
      }
  }

  /// Takes "(0, 1)" from the beginning of the rest.
  Vector take_point(std::string &rest, const std::string &form, const ShapeSyntax &syntax) const
  {
    const std::size_t open = rest.find_first_not_of(" \t"), close = rest.find(')');
    if (open == std::string::npos || rest[open] != '(' || close == std::string::npos)
      refuse(form);
    const std::vector<double> x = numbers(rest.substr(open + 1, close - open - 1), form);
    if (static_cast<Index>(x.size()) != dim)
      refuse("has a point or normal with " + std::to_string(x.size()) + (x.size() == 1 ? " number" : " numbers") +
             "; Dimension = " + std::to_string(dim) + " needs " + std::to_string(dim) + ", as " + whole_example(syntax));
    rest.erase(0, close + 1);
    return Eigen::Map<const Vector>(x.data(), dim);
  }

  const std::string              &place;
  const int                       number;
  const std::string              &text;
  const std::vector<ShapeSyntax> &syntaxes;
  const Index                     dim;
  const Naming                    naming;
};
} // namespace

std::vector<ShapeText> read_shapes(const std::string &place, const std::string &list,
                                   const std::vector<ShapeSyntax> &syntaxes, const Index dim, const Naming naming)
{
  std::vector<ShapeText> shapes;
  std::set<std::string>  names;
  int                    number = 0;
  for (const std::string &item : split_string_list(list, ';'))
    if (++number; !item.empty())
      {
        const ShapeReader reader(place, number, item, syntaxes, dim, naming);
        shapes.push_back(reader.read());
        if (naming == Naming::required && !names.insert(shapes.back().name).second)
          reader.refuse("has the name of another one; give each its own");
      }
  return shapes;
}
} // namespace moreau::app
