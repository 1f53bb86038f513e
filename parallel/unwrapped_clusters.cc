// SPDX-License-Identifier: GPL-3.0-or-later
#include "parallel/unwrapped_clusters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace moreau::parallel
{
namespace
{
using Shift = std::array<std::int64_t, 3>; ///< in periods

constexpr Shift none = {0, 0, 0};

Shift plus(const Shift &a, const Shift &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Shift minus(const Shift &a, const Shift &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// s a - t b, without common divisors.
Shift combined(const std::int64_t s, const Shift &a, const std::int64_t t, const Shift &b)
{
  Shift        result{};
  std::int64_t divisor = 0;
  for (std::size_t k = 0; k < 3; ++k)
    {
      result[k] = s * a[k] - t * b[k];
      divisor   = std::gcd(divisor, result[k]);
    }
  for (std::int64_t &entry : result)
    entry /= std::max<std::int64_t>(1, divisor);
  return result;
}

/// The linear span of whole vectors, by that basis of it which does not depend on which vectors were added: in reduced
/// echelon form, without common divisors, pivots positive.
class Span
{
public:
  /// Whether it has become larger.
  bool add(Shift v)
  {
    for (const auto &[pivot, row] : rows)
      v = combined(row[pivot], v, v[pivot], row);
    v = combined(1, v, 0, none);
    if (v == none)
      return false;
    std::size_t pivot = 0;
    while (v[pivot] == 0)
      ++pivot;
    if (v[pivot] < 0)
      v = minus(none, v);
    for (auto &[other, row] : rows)
      row = combined(v[pivot], row, row[pivot], v);
    rows.emplace(pivot, v);
    return true;
  }

  /// The vector of x + span that has no entries at pivots.
  Eigen::Vector3d beside(const Shift &x) const
  {
    std::int64_t divisor = 1;
    for (const auto &[pivot, row] : rows)
      divisor *= row[pivot];
    Shift result{};
    for (std::size_t k = 0; k < 3; ++k)
      {
        result[k] = divisor * x[k];
        for (const auto &[pivot, row] : rows)
          result[k] -= x[pivot] * (divisor / row[pivot]) * row[k];
      }
    return Eigen::Vector3d(static_cast<double>(result[0]), static_cast<double>(result[1]), static_cast<double>(result[2])) /
           static_cast<double>(divisor);
  }

  const std::map<std::size_t, Shift> &basis() const { return rows; } ///< by pivots

private:
  std::map<std::size_t, Shift> rows;
};

/// Things 0 ... n-1 that are joined in pairs, each with a shift relative to the first of its component; and the spans of the
/// shifts by which components meet themselves.
class ShiftedComponents
{
public:
  explicit ShiftedComponents(const std::size_t n) : parent(n), to_parent(n, none)
  {
    std::iota(parent.begin(), parent.end(), 0);
  }

  /// The first of the component of k, and the shift of k relative to it.
  std::pair<int, Shift> first(const int k)
  {
    int   root  = k;
    Shift shift = none;
    for (; parent[root] != root; root = parent[root])
      shift = plus(shift, to_parent[root]);
    Shift rest = shift;
    for (int at = k; parent[at] != root && at != root;)
      {
        const int   next = parent[at];
        const Shift step = std::exchange(to_parent[at], rest);
        parent[at]       = root;
        rest             = minus(rest, step);
        at               = next;
      }
    return {root, shift};
  }

  /// b has the shift of a and s.
  void join(const int a, const int b, const Shift &s)
  {
    auto [i, of_a] = first(a);
    auto [j, of_b] = first(b);
    Shift of_j     = minus(plus(of_a, s), of_b); // relative to i
    if (i == j)
      {
        if (of_j != none)
          meet(i, of_j);
        return;
      }
    if (j < i)
      {
        std::swap(i, j);
        of_j = minus(none, of_j);
      }
    parent[j]    = i;
    to_parent[j] = of_j;
    if (const auto of_other = spans.find(j); of_other != spans.end())
      {
        const Span span = std::move(of_other->second);
        spans.erase(of_other);
        for (const auto &[pivot, row] : span.basis())
          meet(i, row);
      }
  }

  /// The component of this first thing meets its image that lies beside it by this shift.
  void meet(const int root, const Shift &shift) { spans[root].add(shift); }

  const std::map<int, Span> &endless() const { return spans; } ///< by first things; nothing where there is none

private:
  std::vector<int>    parent;
  std::vector<Shift>  to_parent;
  std::map<int, Span> spans;
};

/// Components within a process: their first nodes have these numbers, of all processes.
struct Joint
{
  Index a, b;
  Shift shift; ///< of b relative to a; where they are one, by which it meets itself

  bool operator<(const Joint &other) const { return std::tie(a, b, shift) < std::tie(other.a, other.b, other.shift); }
};

/// What joins components of different processes, and which of these meet themselves: of all processes.
std::vector<Joint> all_joints(const convex::SharedNetwork &network, ShiftedComponents &here)
{
  const convex::NetworkPart &part = network.here();
  Vector                     own(4 * part.n_own);
  const auto                 name = [&](const Index node) {
    const auto [root, shift] = here.first(static_cast<int>(node));
    return std::pair(part.number[root], shift);
  };
  for (Index k = 0; k < part.n_own; ++k)
    {
      const auto [number, shift] = name(part.first_own + k);
      own.segment(4 * k, 4) << static_cast<double>(number), static_cast<double>(shift[0]), static_cast<double>(shift[1]),
          static_cast<double>(shift[2]);
    }
  const Vector    named = network.with_ghosts(own, 4);
  std::set<Joint> joints;
  for (const Index k : network.ghosts())
    {
      const auto [number, shift] = name(k);
      const double *const at     = named.data() + 4 * k;
      const Shift         of_owner{std::int64_t(at[1]), std::int64_t(at[2]), std::int64_t(at[3])};
      joints.insert({static_cast<Index>(at[0]), number, minus(of_owner, shift)});
    }
  for (const auto &[root, span] : here.endless())
    for (const auto &[pivot, row] : span.basis())
      joints.insert({part.number[root], part.number[root], row});
  List numbers;
  for (const auto &[a, b, shift] : joints)
    if (a != b || shift != none)
      for (const std::int64_t number : {std::int64_t(a), std::int64_t(b), shift[0], shift[1], shift[2]})
        numbers.push_back(static_cast<double>(number));
  numbers = network.processes().on_all(numbers);
  std::vector<Joint> all;
  for (std::size_t at = 0; at < numbers.size(); at += 5)
    all.push_back({static_cast<Index>(numbers[at]),
                   static_cast<Index>(numbers[at + 1]),
                   {std::int64_t(numbers[at + 2]), std::int64_t(numbers[at + 3]), std::int64_t(numbers[at + 4])}});
  return all;
}

/// An orthonormal basis (d x rank) of this span of multiples of the periods.
Eigen::MatrixXd orthonormal(const Span &span, const Vector &period)
{
  Eigen::MatrixXd basis(period.size(), 0);
  for (const auto &[pivot, row] : span.basis())
    {
      Vector x(period.size());
      for (Index a = 0; a < x.size(); ++a)
        x(a) = static_cast<double>(row[a]) * period(a);
      for (int repetition = 0; repetition < 2; ++repetition)
        x -= basis * (basis.transpose() * x);
      basis.conservativeResize(x.size(), basis.cols() + 1);
      basis.rightCols(1) = x.normalized();
    }
  return basis;
}
} // namespace

UnwrappedClusters unwrapped_clusters(const convex::SharedNetwork &network, const Eigen::MatrixXd &r,
                                     const std::vector<micro::Contact> &contacts, const micro::PeriodicBox &box)
{
  UnwrappedClusters result{r, {}};
  if (!box.any())
    return result;
  const convex::NetworkPart &part = network.here();
  const Index                n    = network.rows().n_nodes();
  ShiftedComponents          here(n);
  for (const micro::Contact &contact : contacts)
    if (contact.j < n)
      {
        const std::array<int, 3> s = micro::PeriodicBox::shift(contact.image);
        here.join(contact.i, contact.j, {s[0], s[1], s[2]});
      }
  const std::vector<Joint> joints = all_joints(network, here);

  std::map<Index, int> place;
  for (const Joint &joint : joints)
    {
      place.emplace(joint.a, 0);
      place.emplace(joint.b, 0);
    }
  std::vector<Index> number_at;
  for (auto &[number, at] : place)
    {
      at = static_cast<int>(number_at.size());
      number_at.push_back(number);
    }
  ShiftedComponents across(place.size());
  for (const Joint &joint : joints)
    across.join(place.at(joint.a), place.at(joint.b), joint.shift);
  for (const auto &[root, span] : across.endless())
    result.endless.emplace(number_at[root], orthonormal(span, box.period));

  for (Index k = 0; k < part.n_own; ++k)
    {
      auto [root, shift]    = here.first(static_cast<int>(part.first_own + k));
      Eigen::Vector3d moved = Span().beside(shift);
      if (const auto found = place.find(part.number[root]); found != place.end())
        {
          const auto [first, of_root] = across.first(found->second);
          shift                       = plus(of_root, shift);
          const auto span             = across.endless().find(first);
          moved                       = (span == across.endless().end() ? Span() : span->second).beside(shift);
        }
      for (Index a = 0; a < r.rows(); ++a)
        result.r(a, k) += moved(a) * box.period(a);
    }
  return result;
}
} // namespace moreau::parallel
