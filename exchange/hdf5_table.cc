// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/hdf5_table.h"

#include "convex/input_error.h"
#include "convex/number_text.h"
#include "exchange/hdf5_handle.h"
#include "exchange/text_file.h"
#include "micro/csv_reader.h"
#include "micro/table_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace moreau::exchange
{
namespace
{
using Eigen::Index;

[[noreturn]] void fail(const std::string &file_name, const std::string &message)
{
  throw InputError("the file of spheres", "'" + file_name + "': " + message);
}

extern "C" herr_t add_name(hid_t, const char *const name, const H5L_info_t *, void *const names)
{
  static_cast<std::vector<std::string> *>(names)->emplace_back(name);
  return 0;
}

/// Consecutive rows of the arrays of spheres, number `rank` of n parts.
class SphereArrays : public micro::TableReader
{
public:
  SphereArrays(const std::string &file_name, const Index rank, const Index n)
      : file_name(regular(file_name)), file(H5Fopen(file_name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose)
  {
    if (file < 0)
      fail(H5Fis_hdf5(file_name.c_str()) > 0
               ? "cannot be opened: it is cut off or damaged, or another program writes it."
               : "is no file of HDF5, or is damaged at its beginning; a table of text needs another end of its name.");
    find_arrays();
    first  = n_rows / n * rank + std::min(rank, n_rows % n);
    n_here = n_rows / n + (rank < n_rows % n ? 1 : 0);
    for (std::size_t c = 0; c < names.size(); ++c)
      read(c);
  }

  const std::vector<std::string> &columns() const override { return names; }
  unsigned int                    most_digits(std::size_t) const override { return 0; }

  bool next_row(std::vector<double> &row) override
  {
    if (++at >= n_here)
      return false;
    row.resize(names.size());
    for (std::size_t c = 0; c < names.size(); ++c)
      {
        row[c] = values[c](at);
        if (!std::isfinite(row[c]))
          fail_at_column(c, digits(row[c]) + " is not a finite number.");
      }
    return true;
  }

  [[noreturn]] void fail_at_names(const std::string &message) const override { fail(message); }
  [[noreturn]] void fail_at_column(const std::size_t column, const std::string &message) const override
  {
    fail("array '" + arrays[column] + "', row " + std::to_string(first + at) + " (from 0): " + message);
  }

  /// Half a unit of the last digit of centres and radii that are not in double precision (m).
  double rounding() const
  {
    double half_unit = 0.;
    for (std::size_t c = 0; c < names.size(); ++c)
      if (n_bits[c] < 52 && n_here > 0 && (names[c].size() == 1 || names[c] == "radius"))
        half_unit = std::max(half_unit, std::ldexp(values[c].cwiseAbs().maxCoeff(), -static_cast<int>(n_bits[c]) - 1));
    return half_unit;
  }

  Index size() const { return n_rows; }

  /// What is no file of its own cannot be read twice, or not at all.
  static const std::string &regular(const std::string &file_name)
  {
    std::error_code   ignored;
    const auto        status = std::filesystem::status(file_name, ignored);
    const std::string what   = !std::filesystem::exists(status)        ? "is not there; check the path."
                               : std::filesystem::is_directory(status) ? "is a directory; name a file."
                               : !std::filesystem::is_regular_file(status)
                                   ? "is no regular file; HDF5 cannot be read from a pipe."
                                   : "";
    if (!what.empty())
      exchange::fail(file_name, what);
    return file_name;
  }

private:
  [[noreturn]] void fail(const std::string &message) const { exchange::fail(file_name, message); }

  /// The arrays of the root group that spheres have. Groups are passed over.
  void find_arrays()
  {
    std::vector<std::string> links;
    if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &links) < 0)
      fail("its arrays cannot be listed; get the file again.");
    const auto &known = micro::columns_of_spheres();
    for (const std::string &link : links)
      {
        H5L_info_t about;
        if (H5Lget_info(file, link.c_str(), &about, H5P_DEFAULT) < 0 || about.type == H5L_TYPE_EXTERNAL)
          fail("'" + link + "' leads into another file; copy the array from there.");
        const Handle object(H5Oopen(file, link.c_str(), H5P_DEFAULT), H5Oclose);
        if (object < 0)
          fail("the array '" + link + "' cannot be opened: it is damaged, or a link that leads nowhere.");
        H5O_info_t here, root; // links on its way may lead elsewhere, too
        if (H5Oget_info(object, &here) < 0 || H5Oget_info(file, &root) < 0 || here.fileno != root.fileno)
          fail("'" + link + "' leads into another file; copy the array from there.");
        if (H5Iget_type(object) != H5I_DATASET && !means_spheres(link))
          continue;
        if (H5Iget_type(object) != H5I_DATASET)
          fail("'" + link + "' is no array but a group; give it another name.");
        const auto        other = micro::other_columns_of_spheres().find(link);
        const std::string name  = other == micro::other_columns_of_spheres().end() ? link : other->second;
        if (!means_spheres(link))
          fail("the array '" + link + "' is unknown; spheres have arrays of the names " + micro::listed(known) +
               ", and what else a file holds is in groups.");
        if (std::find(names.begin(), names.end(), name) != names.end())
          fail("the array '" + name + "' is there twice, once under another name; keep one of them.");
        names.push_back(name);
        arrays.push_back(link);
        look(object);
      }
    values.resize(names.size());
    if (names.empty())
      fail("there is no array in its root group; spheres have arrays of the names " + micro::listed(known) +
           (H5Lexists(file, "fclib_global", H5P_DEFAULT) > 0 ? ". It holds a problem of FCLib, which knows no spheres."
                                                             : "."));
  }

  static bool means_spheres(const std::string &link)
  {
    const auto &known = micro::columns_of_spheres();
    return std::find(known.begin(), known.end(), link) != known.end() || micro::other_columns_of_spheres().count(link) > 0;
  }

  void look(const hid_t array)
  {
    const std::string &name = arrays.back();
    const Handle       space(H5Dget_space(array), H5Sclose), type(H5Dget_type(array), H5Tclose);
    const H5T_class_t  kind = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    if (space < 0 || kind != H5T_FLOAT && kind != H5T_INTEGER || H5Tget_size(type) > sizeof(long double))
      fail("the array '" + name + "' holds no numbers.");
    hsize_t length = 0;
    if (H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &length, nullptr) != 1)
      fail("the array '" + name + "' has not one dimension; give one array of numbers for each of x, y, z, radius, ...");
    require_own_numbers(array, length);
    if (names.size() > 1 && static_cast<Index>(length) != n_rows)
      fail("the array '" + name + "' has " + std::to_string(length) + " numbers, '" + arrays.front() + "' has " +
           std::to_string(n_rows) + "; all need as many as there are spheres.");
    n_rows = static_cast<Index>(length);
    n_bits.push_back(kind == H5T_FLOAT ? bits_of_mantissa(type) : 64);
  }

  /// Without the one that is not stored: 52 of double precision.
  static std::size_t bits_of_mantissa(const hid_t type)
  {
    std::size_t sign, exponent, exponent_bits, mantissa, bits = 0;
    H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &bits);
    return bits;
  }

  /// That the numbers are in this file, as many as are claimed, and can be unpacked.
  void require_own_numbers(const hid_t array, const hsize_t length) const
  {
    const std::string name = "the array '" + arrays.back() + "' ";
    const Handle      properties(H5Dget_create_plist(array), H5Pclose);
    if (H5Pget_layout(properties) == H5D_VIRTUAL || H5Pget_external_count(properties) > 0)
      fail(name + "is in other files; copy it into this one.");
    for (int k = 0; k < H5Pget_nfilters(properties); ++k)
      {
        unsigned int flags = 0, how = 0;
        std::size_t  n_values = 0;
        if (const auto filter = H5Pget_filter2(properties, k, &flags, &n_values, nullptr, 0, nullptr, &how);
            filter < 0 || H5Zfilter_avail(filter) <= 0)
          fail(name + "is packed in a way that libhdf5 does not know here; pack it with gzip, or not at all.");
      }
    const hsize_t stored = H5Dget_storage_size(array), most_shrunk = 1032; // by zlib
    if (length > 0 && stored == 0)
      fail(name + "was made but never written.");
    if (length > most_shrunk * stored)
      fail(name + "claims " + std::to_string(length) + " numbers, more than gzip packs into the " + std::to_string(stored) +
           " bytes that it has; write it without compression.");
  }

  void read(const std::size_t c)
  {
    values[c].resize(n_here);
    if (n_here == 0)
      return;
    const Handle  array(H5Dopen2(file, arrays[c].c_str(), H5P_DEFAULT), H5Dclose), in_file(H5Dget_space(array), H5Sclose);
    const hsize_t begin = first, n = n_here;
    const Handle  here(H5Screate_simple(1, &n, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &begin, nullptr, &n, nullptr) < 0 ||
        H5Dread(array, H5T_NATIVE_DOUBLE, here, in_file, H5P_DEFAULT, values[c].data()) < 0)
      fail("the array '" + arrays[c] + "' cannot be read; get the file again.");
  }

  const std::string          file_name;
  Handle                     file;
  std::vector<std::string>   names, arrays; ///< of columns; as the file has them
  std::vector<std::size_t>   n_bits;        ///< of mantissas
  std::vector<micro::Vector> values;        ///< of each column, rows first ... first + n_here - 1
  Index                      n_rows = 0, first = 0, n_here = 0, at = -1;
};

micro::SphereFile read_arrays(const std::string &file_name, const Index dim, const int rank, const int n)
{
  const QuietHdf5   quiet;
  SphereArrays      arrays(file_name, rank, n);
  micro::SphereFile result = micro::read_spheres(arrays, dim);
  result.rounding          = arrays.rounding();
  if (arrays.size() == 0)
    fail(file_name, "there are no spheres in it.");
  return result;
}

void require(const bool done)
{
  if (!done)
    throw std::runtime_error("the disk is full, or the directory cannot be written");
}
} // namespace

void begin_hdf5()
{
  H5dont_atexit();
  H5open();
}

bool is_hdf5(const std::string &file_name)
{
  const std::string end = end_of(file_name);
  return end == ".h5" || end == ".hdf5";
}

void require_harmless(const std::string &file_name)
{
  constexpr int many = 1 << 20; // parts: some rows of each array
  if (!is_hdf5(file_name))
    return;
  SphereArrays::regular(file_name);
  if (const std::string damage = damage_found_in_a_child([&] { read_arrays(file_name, 3, 0, many); }); !damage.empty())
    fail(file_name, "it is " + damage);
}

micro::SphereFile read_spheres_of_run(const std::string &file_name, const Index dim)
{
  if (!is_hdf5(file_name))
    return micro::read_csv(file_name, dim);
  require_harmless(file_name);
  return read_arrays(file_name, dim, 0, 1);
}

micro::SphereFile read_part_of_spheres(const std::string &file_name, const Index dim, const int rank, const int n)
{
  return is_hdf5(file_name) ? read_arrays(file_name, dim, rank, n) : micro::read_part_of_csv(file_name, dim, rank, n);
}

struct Hdf5TableWriter::File
{
  QuietHdf5                            quiet;
  std::vector<std::unique_ptr<Handle>> arrays;
  hid_t                                file = -1; ///< stays open where it is given up: what it still has cannot be written
  hsize_t                              n_rows, n_written = 0;
};

Hdf5TableWriter::Hdf5TableWriter(const std::filesystem::path &name, const std::vector<Column> &columns, const Index n_rows)
    : file(std::make_unique<File>())
{
  file->file   = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  file->n_rows = n_rows;
  require(file->file >= 0);
  const Handle space(H5Screate_simple(1, &file->n_rows, nullptr), H5Sclose), scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false); // the same run, the same bytes
  for (const Column &column : columns)
    {
      const hid_t type = column.is_integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
      file->arrays.push_back(std::make_unique<Handle>(
          H5Dcreate2(file->file, column.name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose));
      require(*file->arrays.back() >= 0);
      if (column.unit.empty())
        continue;
      const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
      H5Tset_size(text, column.unit.size());
      const Handle unit(H5Acreate2(*file->arrays.back(), "unit", text, scalar, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
      require(H5Awrite(unit, text, column.unit.data()) >= 0);
    }
}

Hdf5TableWriter::~Hdf5TableWriter() = default;

void Hdf5TableWriter::append(const std::vector<double> &rows)
{
  const std::size_t n_columns = file->arrays.size();
  const hsize_t     n = rows.size() / n_columns, begin = file->n_written;
  if (n == 0)
    return;
  const Handle        here(H5Screate_simple(1, &n, nullptr), H5Sclose);
  std::vector<double> column(n);
  for (std::size_t c = 0; c < n_columns; ++c)
    {
      for (hsize_t k = 0; k < n; ++k)
        column[k] = rows[n_columns * k + c];
      const Handle in_file(H5Dget_space(*file->arrays[c]), H5Sclose);
      require(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &begin, nullptr, &n, nullptr) >= 0 &&
              H5Dwrite(*file->arrays[c], H5T_NATIVE_DOUBLE, here, in_file, H5P_DEFAULT, column.data()) >= 0);
    }
  file->n_written += n;
}

void Hdf5TableWriter::finish()
{
  if (file->n_written != file->n_rows)
    throw std::logic_error("Hdf5TableWriter: rows are missing.");
  require(H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0);
  file->arrays.clear();
  require(H5Fclose(std::exchange(file->file, -1)) >= 0);
}
} // namespace moreau::exchange
