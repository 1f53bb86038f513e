// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/text/expression_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace moreau::app
{
namespace
{
struct Operator
{
  const char *sign;
  int         precedence;
  Operation   operation;
};

/// Longer ones first.
constexpr std::array<Operator, 15> operators = {{{"&&", 2, Operation::logical_and},
                                                 {"||", 1, Operation::logical_or},
                                                 {"<=", 4, Operation::less_or_equal},
                                                 {">=", 4, Operation::greater_or_equal},
                                                 {"==", 4, Operation::equal},
                                                 {"!=", 4, Operation::unequal},
                                                 {"<", 4, Operation::less},
                                                 {">", 4, Operation::greater},
                                                 {"&", 2, Operation::logical_and},
                                                 {"|", 1, Operation::logical_or},
                                                 {"+", 5, Operation::add},
                                                 {"-", 5, Operation::subtract},
                                                 {"*", 6, Operation::multiply},
                                                 {"/", 6, Operation::divide},
                                                 {"^", 7, Operation::power}}};
constexpr int                      of_power = 7, most_nested = 100;

struct Function
{
  const char *name;
  int         n_arguments; ///< 0: any number
  Operation   operation;
};

constexpr std::array<Function, 12> functions = {{{"if", 3, Operation::rounded_choice},
                                                 {"pow", 2, Operation::power},
                                                 {"floor", 1, Operation::floor},
                                                 {"ceil", 1, Operation::ceil},
                                                 {"int", 1, Operation::round},
                                                 {"rint", 1, Operation::round},
                                                 {"sign", 1, Operation::sign},
                                                 {"abs", 1, Operation::abs},
                                                 {"min", 0, Operation::min},
                                                 {"max", 0, Operation::max},
                                                 {"sum", 0, Operation::sum},
                                                 {"avg", 0, Operation::average}}};

struct NotUnderstood
{
};

/// Precedence climbing.
class Reader
{
public:
  Reader(const std::string &text, const std::vector<std::string> &variables, const std::map<std::string, double> &constants)
      : text(text), variables(variables), constants(constants)
  {}

  ExpressionTree read()
  {
    choice();
    if (next() != '\0')
      throw NotUnderstood();
    return std::move(tree);
  }

private:
  char next()
  {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
      ++at;
    return at < text.size() ? text[at] : '\0';
  }

  bool take(const char c)
  {
    const bool is_next = next() == c;
    at += is_next;
    return is_next;
  }

  void expect(const char c)
  {
    if (!take(c))
      throw NotUnderstood();
  }

  int add(ExpressionTree::Step step)
  {
    tree.steps.push_back(std::move(step));
    return static_cast<int>(tree.steps.size()) - 1;
  }

  int choice()
  {
    if (++nested > most_nested)
      throw NotUnderstood();
    int value = binary(1);
    if (take('?'))
      {
        const int first = choice();
        expect(':');
        value = add({Operation::choice, {value, first, choice()}});
      }
    --nested;
    return value;
  }

  const Operator *next_operator()
  {
    next();
    for (const Operator &candidate : operators)
      if (text.compare(at, std::string(candidate.sign).size(), candidate.sign) == 0)
        return &candidate;
    return nullptr;
  }

  int binary(const int least)
  {
    int left = unary();
    for (const Operator *found = next_operator(); found != nullptr && found->precedence >= least; found = next_operator())
      {
        at += std::string(found->sign).size();
        const int right = binary(found->precedence + (found->precedence == of_power ? 0 : 1)); // powers from the right
        left            = add({found->operation, {left, right}});
      }
    return left;
  }

  int unary()
  {
    if (next() != '+' && next() != '-')
      return primary();
    if (++nested > most_nested)
      throw NotUnderstood();
    const bool is_negative = text[at++] == '-';
    int        value       = binary(of_power);
    if (is_negative)
      value = add({Operation::negative, {value}});
    --nested;
    return value;
  }

  int primary()
  {
    const char c = next();
    if (take('('))
      {
        const int value = choice();
        expect(')');
        return value;
      }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.')
      return number();
    if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_')
      throw NotUnderstood();
    std::string name;
    for (; at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'); ++at)
      name += text[at];
    return take('(') ? call(name) : named(name);
  }

  int number()
  {
    const std::size_t begin  = at;
    const auto        digits = [&] {
      while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
        ++at;
    };
    digits();
    if (at < text.size() && text[at] == '.')
      ++at;
    digits();
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E'))
      {
        const std::size_t exponent = at++;
        if (at < text.size() && (text[at] == '+' || text[at] == '-'))
          ++at;
        const std::size_t first = at;
        digits();
        if (at == first)
          at = exponent;
      }
    return add({Operation::number, {}, std::atof(text.substr(begin, at - begin).c_str())});
  }

  int call(const std::string &name)
  {
    std::vector<int> arguments;
    do
      arguments.push_back(choice());
    while (take(','));
    expect(')');
    for (const Function &function : functions)
      if (name == function.name)
        {
          if (function.n_arguments > 0 && arguments.size() != static_cast<std::size_t>(function.n_arguments))
            throw NotUnderstood();
          return add({function.operation, arguments});
        }
    return add({Operation::other, arguments, 0., name});
  }

  int named(const std::string &name)
  {
    const auto variable = std::find(variables.begin(), variables.end(), name);
    if (variable != variables.end())
      return add({Operation::variable, {static_cast<int>(variable - variables.begin())}});
    const auto constant = constants.find(name);
    if (constant != constants.end())
      return add({Operation::number, {}, constant->second});
    if (name == "_pi")
      return add({Operation::number, {}, M_PI});
    if (name == "_e")
      return add({Operation::number, {}, M_E});
    throw NotUnderstood();
  }

  const std::string                   &text;
  const std::vector<std::string>      &variables;
  const std::map<std::string, double> &constants;
  std::size_t                          at     = 0;
  int                                  nested = 0;
  ExpressionTree                       tree;
};
} // namespace

std::optional<ExpressionTree> expression_tree(const std::string &expression, const std::vector<std::string> &variables,
                                              const std::map<std::string, double> &constants)
{
  try
    {
      return Reader(expression, variables, constants).read();
    }
  catch (const NotUnderstood &)
    {
      return {};
    }
}
} // namespace moreau::app
