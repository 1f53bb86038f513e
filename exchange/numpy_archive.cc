// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/numpy_archive.h"

#include "convex/input_error.h"

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <regex>

namespace moreau::exchange
{
namespace
{
/// An array as numpy holds it: numbers in C order.
struct Array
{
  std::vector<Index>  shape;
  std::vector<double> values;
};

using Arrays = std::map<std::string, Array>;

template <class T>
void append_as_double(const std::string &bytes, const std::size_t begin, std::vector<double> &values)
{
  for (std::size_t k = 0; k < values.size(); ++k)
    {
      T value;
      std::memcpy(&value, bytes.data() + begin + k * sizeof(T), sizeof(T));
      values[k] = static_cast<double>(value);
    }
}

using Append = void (*)(const std::string &bytes, std::size_t begin, std::vector<double> &values);

/// By numpy's names of types: a letter, and bytes.
const std::map<std::string, Append> readers = {
    {"f8", append_as_double<double>},        {"f4", append_as_double<float>},
    {"i8", append_as_double<std::int64_t>},  {"i4", append_as_double<std::int32_t>},
    {"i2", append_as_double<std::int16_t>},  {"i1", append_as_double<std::int8_t>},
    {"u8", append_as_double<std::uint64_t>}, {"u4", append_as_double<std::uint32_t>},
    {"u2", append_as_double<std::uint16_t>}, {"u1", append_as_double<std::uint8_t>}};

/// numpy's .npy, versions 1 to 3. `name`: file and array, for messages.
Array array_of(const std::string &bytes, const std::string &name)
{
  const auto fail = [&](const std::string &what) { throw InputError(name + ": " + what); };
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0)
    fail("This is no array of numpy; write the archive by numpy.savez.");
  const auto byte     = [&](const std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k])); };
  const bool is_first = byte(6) == 1;
  const std::size_t text   = is_first ? 10 : 12;
  const std::size_t length = byte(8) + (byte(9) << 8) + (is_first ? 0 : (byte(10) << 16) + (byte(11) << 24));
  if (length > bytes.size() - text)
    fail("The array is cut off; write the archive again.");
  constexpr std::size_t longest = 4096; // of plain numbers: some 100 letters
  const std::string     header  = bytes.substr(text, std::min(length, longest));
  std::smatch           type, order, shape;
  if (!std::regex_search(header, type, std::regex("'descr': *'([<>|=]?)([a-zA-Z])([0-9]{1,9})'")) ||
      !std::regex_search(header, order, std::regex("'fortran_order': *(True|False)")) ||
      !std::regex_search(header, shape, std::regex("'shape': *\\((([0-9]{1,10}, *)*[0-9]{0,10})\\)")))
    fail("Its entries are no plain numbers; give arrays of float64 or integers.");
  Array             array;
  const std::string sizes = shape[1];
  const std::regex  number("[0-9]+");
  double            n = 1.;
  for (auto size = std::sregex_iterator(sizes.begin(), sizes.end(), number); size != std::sregex_iterator(); ++size)
    {
      array.shape.push_back(std::stoll(size->str()));
      n *= static_cast<double>(array.shape.back());
    }
  const std::string kind  = type[2].str() + type[3].str();
  const std::size_t begin = text + length, width = std::stoul(type[3]);
  if (type[1] == ">" || order[1] == "True" && array.shape.size() > 1)
    fail("Its bytes are in another order; give numpy.ascontiguousarray of native numbers.");
  if (!(n * static_cast<double>(width) <= static_cast<double>(bytes.size() - begin)))
    fail("The array is cut off; write the archive again.");
  array.values.resize(static_cast<std::size_t>(n));
  const auto reader = readers.find(kind);
  if (reader == readers.end())
    fail("Its numbers are of the type " + kind + "; give float64 or integers.");
  reader->second(bytes, begin, array.values);
  return array;
}

/// What scipy writes beside the parts of a sparse matrix: the word csr, csc, ...
bool is_name_of_format(const std::string &name) { return name == "B_format" || name == "M_format"; }

Arrays read_arrays(const std::string &file)
{
  int                                      error = 0;
  std::unique_ptr<zip_t, int (*)(zip_t *)> archive(zip_open(file.c_str(), ZIP_RDONLY, &error), zip_close);
  if (!archive)
    throw InputError(file +
                     ": It cannot be read as an archive of numpy (.npz); check the path, and write it by numpy.savez.");
  Arrays arrays;
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive.get(), 0); ++k)
    {
      zip_stat_t entry;
      if (zip_stat_index(archive.get(), k, 0, &entry) != 0)
        throw InputError(file + ": The archive is damaged; write it again.");
      std::string       name = entry.name;
      const std::string end  = ".npy";
      if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0)
        continue;
      name.resize(name.size() - end.size());
      if (is_name_of_format(name))
        {
          arrays[name];
          continue;
        }
      constexpr zip_uint64_t                             most = zip_uint64_t(1) << 36;
      std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> stream(zip_fopen_index(archive.get(), k, 0), zip_fclose);
      if (!stream || entry.size > most)
        throw InputError(file + ": The array " + name + " cannot be read; write the archive again.");
      // room grows with what is there: what the entry says of its size need not be true
      std::string            bytes;
      constexpr zip_uint64_t at_once = zip_uint64_t(1) << 24;
      for (zip_uint64_t done = 0; done < entry.size;)
        {
          bytes.resize(std::min(entry.size, std::max(at_once, 2 * done)));
          const zip_int64_t n = zip_fread(stream.get(), bytes.data() + done, bytes.size() - done);
          if (n <= 0)
            throw InputError(file + ": The array " + name + " is cut off or damaged; write the archive again.");
          done += n;
        }
      arrays[name] = array_of(bytes, file + ": " + name);
    }
  return arrays;
}

Vector vector_of(const Arrays &arrays, const std::string &name, const std::string &file)
{
  const auto found = arrays.find(name);
  if (found == arrays.end())
    return {};
  Index longest = 1, n = 1;
  for (const Index size : found->second.shape)
    {
      longest = std::max(longest, size);
      n *= size;
    }
  if (n > 0 && found->second.shape.size() > 2)
    throw InputError(file + ": " + name + " has more than two dimensions; give one number per entry.");
  return Eigen::Map<const Vector>(found->second.values.data(), static_cast<Index>(found->second.values.size()));
}

int whole(const double x, const double least, const double most, const std::string &what)
{
  if (!(x >= least && x <= most && x == std::floor(x)))
    throw InputError(what + " holds " + std::to_string(x) + "; it must be a whole number between " +
                     std::to_string(static_cast<long long>(least)) + " and " + std::to_string(static_cast<long long>(most)) +
                     ".");
  return static_cast<int>(x);
}

/// 0 x 0 where the archive has none of this name.
Matrix matrix_of(const Arrays &arrays, const std::string &name, const std::string &file)
{
  const auto dense = arrays.find(name);
  if (dense != arrays.end() && dense->second.shape.size() == 2)
    {
      if (dense->second.shape[1] == 0 && dense->second.shape[0] > 0)
        throw InputError(file + ": " + name + " has no columns; give one for each unknown.");
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      return Eigen::Map<const Rows>(dense->second.values.data(), dense->second.shape[0], dense->second.shape[1])
          .sparseView();
    }
  if (dense != arrays.end() && (name != "M" || dense->second.shape.size() != 1))
    throw InputError(file + ": " + name + " has " + std::to_string(dense->second.shape.size()) +
                     (dense->second.shape.size() == 1 ? " dimension" : " dimensions") +
                     "; it must have two, rows and columns" + (name == "M" ? ", or one, the masses of the unknowns." : "."));
  if (dense != arrays.end())
    {
      const Index n = dense->second.shape[0];
      Matrix      diagonal(n, n);
      diagonal.reserve(Eigen::VectorXi::Constant(n, 1));
      for (Index k = 0; k < n; ++k)
        diagonal.insert(k, k) = dense->second.values[k];
      return diagonal;
    }
  std::vector<const Array *> parts;
  for (const char *const part : {"_data", "_indices", "_indptr", "_shape"})
    {
      const auto found = arrays.find(name + part);
      if (found == arrays.end())
        {
          if (parts.empty() && dense == arrays.end())
            return {};
          throw InputError(file + ": " + name + part + " is missing; a sparse matrix is " + name + "_data, " + name +
                           "_indices, " + name + "_indptr and " + name + "_shape, as scipy's CSR matrices have them.");
        }
      parts.push_back(&found->second);
    }
  const auto   &data = parts[0]->values, &indices = parts[1]->values, &starts = parts[2]->values, &shape = parts[3]->values;
  constexpr int most     = std::numeric_limits<int>::max();
  const std::string what = file + ": " + name;
  if (shape.size() != 2)
    throw InputError(what + "_shape has " + std::to_string(shape.size()) + " entries; give rows and columns.");
  const int m = whole(shape[0], 0, most, what + "_shape"), n = whole(shape[1], 0, most, what + "_shape");
  if (starts.size() != static_cast<std::size_t>(m) + 1 || indices.size() != data.size())
    throw InputError(what + "_indptr has " + std::to_string(starts.size()) + " entries for " + std::to_string(m) +
                     " rows, or _indices and _data differ in length; write a CSR matrix (A.tocsr()).");
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(data.size());
  int begin = whole(starts[0], 0, 0, what + "_indptr");
  for (int row = 0; row < m; ++row)
    {
      const int end = whole(starts[row + 1], begin, static_cast<double>(data.size()), what + "_indptr");
      for (int k = begin; k < end; ++k)
        entries.emplace_back(row, whole(indices[k], 0, n - 1., what + "_indices"), data[k]);
      begin = end;
    }
  if (static_cast<std::size_t>(begin) != data.size())
    throw InputError(what + "_indptr ends at " + std::to_string(begin) + ", but there are " + std::to_string(data.size()) +
                     " entries; write a CSR matrix (A.tocsr()).");
  Matrix A(m, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

template <class T>
std::string npy(const std::string &type, const std::vector<Index> &shape, const T *const values, const std::size_t n)
{
  std::string sizes;
  for (const Index size : shape)
    sizes += std::to_string(size) + ",";
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(values), n * sizeof(T));
  return bytes;
}

std::string npy(const Vector &v) { return npy("<f8", {v.size()}, v.data(), static_cast<std::size_t>(v.size())); }

void add_matrix(const Matrix &given, const std::string &name, std::map<std::string, std::string> &entries)
{
  Matrix A = given;
  A.makeCompressed();
  const auto         n       = static_cast<std::size_t>(A.nonZeros());
  const std::int64_t size[]  = {A.rows(), A.cols()};
  entries[name + "_data"]    = npy("<f8", {A.nonZeros()}, A.valuePtr(), n);
  entries[name + "_indices"] = npy("<i4", {A.nonZeros()}, A.innerIndexPtr(), n);
  entries[name + "_indptr"]  = npy("<i4", {A.rows() + 1}, A.outerIndexPtr(), static_cast<std::size_t>(A.rows()) + 1);
  entries[name + "_shape"]   = npy("<i8", {2}, size, 2);
}

/// B_data and its like are parts of sparse matrices, of which scipy also names the `_format`.
bool is_of_projection(const std::string &name)
{
  for (const char *const known : {"B", "M", "U", "b", "u", "p"})
    if (name == known)
      return true;
  for (const char *const matrix : {"B", "M"})
    for (const char *const part : {"_data", "_indices", "_indptr", "_shape", "_format"})
      if (name == std::string(matrix) + part)
        return true;
  return false;
}
} // namespace

ProblemFile read_numpy_problem(const std::string &file)
{
  const Arrays arrays = read_arrays(file);
  for (const auto &[name, array] : arrays)
    if (!is_of_projection(name))
      throw InputError(
          file + ": The array '" + name +
          "' is none of B, M, U, b, u and p, so that nothing would be done with it; rename it, or leave it out.");
  for (const std::string name : {"B", "M"})
    if (arrays.count(name) > 0 && arrays.count(name + "_data") > 0)
      throw InputError(file + ": " + name + " is there twice, as an array and as the sparse matrix " + name +
                       "_data; leave one of them out.");
  ProblemFile result;
  result.problem.B = matrix_of(arrays, "B", file);
  result.problem.M = matrix_of(arrays, "M", file);
  result.problem.U = vector_of(arrays, "U", file);
  result.problem.b = vector_of(arrays, "b", file);
  result.answer    = {vector_of(arrays, "u", file), vector_of(arrays, "p", file)};
  for (const auto &[name, is_there] :
       {std::pair("B", arrays.count("B") + arrays.count("B_data") > 0), std::pair("U", arrays.count("U") > 0)})
    if (!is_there)
      throw InputError(file + ": The array " + name +
                       " is missing; a projection is B (or B_data, B_indices, B_indptr, "
                       "B_shape) and U, with M and b where they are not 1 and 0.");
  require_sound(result.problem, file);
  require_sound(result.answer, result.problem, file);
  return result;
}

Answer read_numpy_answer(const std::string &file)
{
  const Arrays arrays = read_arrays(file);
  const Answer answer = {vector_of(arrays, "u", file), vector_of(arrays, "p", file)};
  if (answer.is_empty())
    throw InputError(file + ": It has neither u nor p; an answer is the velocity u, or the impulses p, or both.");
  return answer;
}

void write_numpy(const ProblemFile &contents, const std::string &file)
{
  std::map<std::string, std::string> entries;
  add_matrix(contents.problem.B, "B", entries);
  if (contents.problem.M.size() > 0)
    add_matrix(contents.problem.M, "M", entries);
  for (const auto &[name, v] : {std::pair("U", &contents.problem.U), std::pair("b", &contents.problem.b),
                                std::pair("u", &contents.answer.u), std::pair("p", &contents.answer.p)})
    if (v->size() > 0)
      entries[name] = npy(*v);

  int          error   = 0;
  zip_t *const archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (!archive)
    throw std::runtime_error(file + " cannot be written; check the folder and its permissions.");
  for (const auto &[name, bytes] : entries)
    {
      zip_source_t *const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
      if (!source || zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_OVERWRITE) < 0)
        {
          zip_source_free(source);
          zip_discard(archive);
          throw std::runtime_error(file + " cannot be written.");
        }
    }
  if (zip_close(archive) != 0) // makes a file that appears complete or not at all
    {
      const std::string reason = zip_strerror(archive);
      zip_discard(archive);
      throw std::runtime_error(file + " cannot be written: " + reason + ".");
    }
}
} // namespace moreau::exchange
