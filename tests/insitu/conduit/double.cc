// SPDX-License-Identifier: GPL-3.0-or-later
#include "double.h"

#include <memory>
#include <sstream>
#include <stdexcept>

/// A node of a tree; where it has a leaf it has no children.
struct conduit_node_impl
{
  std::map<std::string, std::unique_ptr<conduit_node_impl>> children;
  std::unique_ptr<catalyst_double::Leaf>                    leaf;
};

namespace catalyst_double
{
std::vector<Call>                                   calls;
std::function<catalyst_status(const std::string &)> answer;
int                                                 n_trees = 0;

void forget()
{
  calls.clear();
  answer = nullptr;
}

namespace
{
/// Of n numbers, the next one stride bytes after each.
template <typename Number>
std::string listed(const Number *const values, const conduit_index_t n, const conduit_index_t stride = sizeof(Number))
{
  std::ostringstream text;
  for (conduit_index_t k = 0; k < n; ++k)
    text << (k == 0 ? "" : " ") << *reinterpret_cast<const Number *>(reinterpret_cast<const char *>(values) + k * stride);
  return "[" + text.str() + "]";
}

template <typename Number>
std::string written(const Number value)
{
  std::ostringstream text;
  text << value;
  return text.str();
}

void set(conduit_node *const node, const char *const path, const std::string &value, const void *const data = nullptr)
{
  conduit_node *const place = conduit_node_fetch(node, path);
  place->children.clear();
  place->leaf = std::make_unique<Leaf>(Leaf{value, data});
}

void collect(const conduit_node &node, const std::string &path, std::map<std::string, Leaf> &leaves)
{
  if (node.leaf != nullptr)
    leaves[path] = *node.leaf;
  for (const auto &[name, child] : node.children)
    collect(*child, path.empty() ? name : path + "/" + name, leaves);
}

catalyst_status called(const std::string &function, const conduit_node *const parameters)
{
  Call call{function, {}, std::filesystem::current_path(), n_trees};
  collect(*parameters, "", call.leaves);
  calls.push_back(std::move(call));
  return answer ? answer(function) : catalyst_status_ok;
}
} // namespace
} // namespace catalyst_double

using namespace catalyst_double;

conduit_node *conduit_node_create()
{
  ++n_trees;
  return new conduit_node;
}

void conduit_node_destroy(conduit_node *const node)
{
  --n_trees;
  delete node;
}

conduit_node *conduit_node_fetch(conduit_node *node, const char *const path)
{
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '/');)
    {
      if (name.empty())
        throw std::invalid_argument(std::string("'") + path + "' has a part without a name.");
      node->leaf  = nullptr;
      auto &child = node->children[name];
      if (child == nullptr)
        child = std::make_unique<conduit_node>();
      node = child.get();
    }
  return node;
}

void conduit_node_set_path_char8_str(conduit_node *const node, const char *const path, const char *const value)
{
  set(node, path, std::string("\"") + value + "\"");
}

void conduit_node_set_path_int64(conduit_node *const node, const char *const path, const conduit_int64 value)
{
  set(node, path, "int64 " + written(value));
}

void conduit_node_set_path_float64(conduit_node *const node, const char *const path, const conduit_float64 value)
{
  set(node, path, "float64 " + written(value));
}

void conduit_node_set_path_int64_ptr(conduit_node *const node, const char *const path, conduit_int64 *const values,
                                     const conduit_index_t n)
{
  set(node, path, "int64 " + listed(values, n));
}

void conduit_node_set_path_external_int64_ptr(conduit_node *const node, const char *const path, conduit_int64 *const values,
                                              const conduit_index_t n)
{
  set(node, path, "int64 at " + listed(values, n), values);
}

void conduit_node_set_path_external_float64_ptr_detailed(conduit_node *const node, const char *const path,
                                                         conduit_float64 *const values, const conduit_index_t n,
                                                         const conduit_index_t offset, const conduit_index_t stride,
                                                         const conduit_index_t element_bytes,
                                                         const conduit_index_t endianness)
{
  if (offset % sizeof(double) != 0 || element_bytes != sizeof(double) || endianness != CONDUIT_ENDIANNESS_DEFAULT_ID)
    throw std::invalid_argument(std::string("'") + path + "' is no array of this machine's numbers.");
  set(node, path,
      "float64 at " + written(offset) + "+" + written(stride) + "k " +
          listed(n == 0 ? values : values + offset / sizeof(double), n, stride),
      values);
}

catalyst_status catalyst_initialize(const conduit_node *const parameters) { return called("initialize", parameters); }

catalyst_status catalyst_execute(const conduit_node *const parameters) { return called("execute", parameters); }

catalyst_status catalyst_finalize(const conduit_node *const parameters) { return called("finalize", parameters); }
