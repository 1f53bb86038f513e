// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/shared_table.h"

#include "parallel/collectives.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <streambuf>

namespace moreau::app
{
namespace
{
using geometry::Index;
using Rows = std::function<void(std::ostream &, Index, Index)>;

/// The rows of all processes to the stream of the first one, a part at a time. write: opens that stream and gives it to what
/// it is called with.
void write_in_parts(const std::optional<OutputDirectory> &output, const geometry::Processes &processes, const Index n,
                    const Rows &rows, const std::function<void(const std::function<void(std::ostream &)> &)> &write)
{
  constexpr Index at_a_time = 20000;
  const auto      send      = [&](std::ostream *const out) {
    parallel::write_in_order(
                  processes, (n + at_a_time - 1) / at_a_time,
                  [&](std::ostream &piece, const Index k) { rows(piece, k * at_a_time, std::min(n, (k + 1) * at_a_time)); }, out);
  };
  geometry::together(processes, [&] {
    if (!output)
      return send(nullptr);
    bool is_sent = false;
    try
      {
        write([&](std::ostream &out) {
          is_sent = true;
          send(&out);
        });
      }
    catch (...)
      {
        if (!is_sent) // nobody is to wait
          send(nullptr);
        throw;
      }
  });
}

/// Takes numbers as bytes, to rows of a table.
class RowsBuffer : public std::streambuf
{
public:
  RowsBuffer(exchange::Hdf5TableWriter &table, const std::size_t n_columns) : table(table), n_columns(n_columns) {}

  std::string error; ///< of the first rows that could not be written

protected:
  std::streamsize xsputn(const char *const bytes, const std::streamsize n) override
  {
    pending.insert(pending.end(), bytes, bytes + n);
    const std::size_t   n_rows = pending.size() / (sizeof(double) * n_columns);
    std::vector<double> rows(n_rows * n_columns);
    if (rows.empty())
      return n;
    std::memcpy(rows.data(), pending.data(), sizeof(double) * rows.size());
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(sizeof(double) * rows.size()));
    try
      {
        table.append(rows);
      }
    catch (const std::runtime_error &failure)
      {
        error = failure.what();
        return 0;
      }
    return n;
  }

private:
  exchange::Hdf5TableWriter &table;
  std::size_t                n_columns;
  std::vector<char>          pending; ///< less than a row
};
} // namespace

void write_shared(const std::optional<OutputDirectory> &output, const geometry::Processes &processes,
                  const std::string &file, const std::function<void(std::ostream &)> &header, const Index n,
                  const Rows &rows)
{
  write_in_parts(output, processes, n, rows, [&](const auto &send) {
    output->write(file, [&](std::ostream &out) {
      header(out);
      send(out);
    });
  });
}

void write_shared(const std::optional<OutputDirectory> &output, const geometry::Processes &processes,
                  const std::string &file, const std::vector<exchange::Hdf5TableWriter::Column> &columns, const Index n,
                  const std::function<void(std::vector<double> &, Index, Index)> &rows)
{
  const Index n_all         = processes.sum(n);
  const auto  rows_as_bytes = [&](std::ostream &out, const Index first, const Index last) {
    std::vector<double> numbers;
    numbers.reserve(columns.size() * static_cast<std::size_t>(last - first));
    rows(numbers, first, last);
    out.write(reinterpret_cast<const char *>(numbers.data()), static_cast<std::streamsize>(sizeof(double) * numbers.size()));
  };
  write_in_parts(output, processes, n, rows_as_bytes, [&](const auto &send) {
    output->make(file, [&](const std::filesystem::path &place) {
      exchange::Hdf5TableWriter table(place, columns, n_all);
      RowsBuffer                buffer(table, columns.size());
      std::ostream              out(&buffer);
      send(out);
      if (!out)
        throw std::runtime_error(buffer.error);
      table.finish();
    });
  });
}
} // namespace moreau::app
