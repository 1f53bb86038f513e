// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/shared_samples.h"

#include "parallel/collectives.h"

#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>

namespace moreau::app
{
namespace
{
using homogenization::Vector;

/// Puts what it is called with at the end of a list of numbers: bytes in whole numbers, lengths before what has no fixed
/// one.
class Writer
{
public:
  std::vector<double> list;

  template <class... T>
  void operator()(const T &...parts)
  {
    (put(parts), ...);
  }

private:
  template <class T>
  void put(const T &x)
  {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&x, sizeof x);
  }
  template <class T>
  void put_several(const T *const first, const std::size_t n)
  {
    put(n);
    put_bytes(first, n * sizeof(T));
  }
  void put(const Vector &x) { put_several(x.data(), static_cast<std::size_t>(x.size())); }
  void put(const std::string &x) { put_several(x.data(), x.size()); }

  void put_bytes(const void *const from, const std::size_t n)
  {
    const std::size_t begin = list.size();
    list.resize(begin + (n + sizeof(double) - 1) / sizeof(double));
    if (n > 0)
      std::memcpy(list.data() + begin, from, n);
  }
};

/// Takes the same from the beginning of the list.
class Reader
{
public:
  explicit Reader(const std::vector<double> &list) : list(list) {}

  template <class... T>
  void operator()(T &...parts)
  {
    (get(parts), ...);
  }

private:
  template <class T>
  void get(T &x)
  {
    get_bytes(&x, sizeof x);
  }
  std::size_t size()
  {
    std::size_t n = 0;
    get(n);
    return n;
  }
  void get(Vector &x)
  {
    x.resize(static_cast<Vector::Index>(size()));
    get_bytes(x.data(), x.size() * sizeof(double));
  }
  void get(std::string &x)
  {
    x.resize(size());
    get_bytes(x.data(), x.size());
  }

  void get_bytes(void *const to, const std::size_t n)
  {
    const std::size_t n_numbers = (n + sizeof(double) - 1) / sizeof(double);
    if (n_numbers > list.size() - position)
      throw std::logic_error("A sample of another process is cut off.");
    if (n > 0)
      std::memcpy(to, list.data() + position, n);
    position += n_numbers;
  }

  const std::vector<double> &list;
  std::size_t                position = 0;
};

/// The one list of what a sample consists of, for both.
template <class Archive, class Sample>
void visit(Archive &archive, Sample &sample)
{
  auto &level = sample.level;
  archive(sample.size, sample.tolerance_number, sample.tolerance, sample.seed, sample.coordination, sample.isostatic,
          sample.spacing, sample.fit, sample.network, sample.packing_was_there, sample.packing_warning,
          sample.network_warning, sample.contact_warning, sample.fit_warning);
  archive(level.n_spheres, level.n_contacts, level.n_cut, level.radius, level.effort, level.certificate, level.method,
          level.zone_volume, level.volume_error, level.scale, level.of_fluctuations, level.dissipated_fraction, level.norm_U,
          level.norm_U_tilde, level.norm_v, level.momentum_before, level.momentum_after, level.momentum_defect,
          level.momentum_defect_of_u, level.restriction_error, level.micro_bound, level.direct_bound, level.face_violation,
          level.shifted_violation, level.falk, level.seconds_cells, level.seconds_transfer, level.seconds_comparison);
  std::size_t n_comparisons = level.comparisons.size();
  archive(n_comparisons);
  if constexpr (!std::is_const_v<Sample>)
    level.comparisons.resize(n_comparisons);
  for (auto &c : level.comparisons)
    archive(c.error, c.relative, c.lower, c.upper, c.interpolant, c.defect, c.coarse, c.order, c.order_interpolant);
}

std::vector<double> packed(const DisorderSample &sample)
{
  Writer writer;
  visit(writer, sample);
  return writer.list;
}

DisorderSample unpacked(const std::vector<double> &numbers)
{
  DisorderSample sample;
  Reader         reader(numbers);
  visit(reader, sample);
  return sample;
}
} // namespace

DisorderSamples gathered_samples(const geometry::Processes                                 &processes,
                                 const std::vector<std::pair<std::size_t, DisorderSample>> &own)
{
  std::vector<double> list;
  for (const auto &[number, sample] : own)
    {
      const std::vector<double> numbers = packed(sample);
      list.push_back(static_cast<double>(number));
      list.push_back(static_cast<double>(numbers.size()));
      list.insert(list.end(), numbers.begin(), numbers.end());
    }
  std::map<std::size_t, DisorderSample> sorted;
  const std::vector<double>             all = parallel::on_first(processes, list);
  for (std::size_t at = 0; at < all.size(); at += 2 + static_cast<std::size_t>(all[at + 1]))
    {
      const auto begin                          = all.begin() + static_cast<std::ptrdiff_t>(at) + 2;
      sorted[static_cast<std::size_t>(all[at])] = unpacked({begin, begin + static_cast<std::ptrdiff_t>(all[at + 1])});
    }
  DisorderSamples samples;
  for (auto &[number, sample] : sorted)
    samples.push_back(std::move(sample));
  return samples;
}
} // namespace moreau::app
