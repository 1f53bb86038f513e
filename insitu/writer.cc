// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/writer.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace moreau::insitu
{
namespace
{
constexpr std::size_t block_size = 1 << 18; ///< bytes compressed at a time; VTK reads any size

/// Base64 (RFC 4648) of raw bytes.
std::string base64(const unsigned char *bytes, const std::size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string       text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t k = 0; k < size; k += 3)
    {
      const std::size_t   n     = std::min<std::size_t>(3, size - k);
      const std::uint32_t three = bytes[k] << 16 | (n > 1 ? bytes[k + 1] << 8 : 0) | (n > 2 ? bytes[k + 2] : 0);
      for (std::size_t digit = 0; digit < 4; ++digit)
        text += digit <= n ? digits[three >> (18 - 6 * digit) & 63] : '=';
    }
  return text;
}

/// Numbers as VTK's vtkZLibDataCompressor lays them out: base64 of [number of blocks, size of a block, size of the last block where it
/// is shorter (else 0), compressed size of each block] as UInt64, followed by base64 of the compressed blocks.
template <typename Number>
std::string compressed(const std::vector<Number> &values)
{
  const auto       *bytes = reinterpret_cast<const unsigned char *>(values.data());
  const std::size_t size  = values.size() * sizeof(Number);

  std::vector<std::uint64_t> header = {(size + block_size - 1) / block_size, block_size, size % block_size};
  std::vector<unsigned char> blocks;
  for (std::size_t start = 0; start < size; start += block_size)
    {
      const std::size_t length = std::min(block_size, size - start);
      uLongf            packed = compressBound(length);
      const std::size_t old    = blocks.size();
      blocks.resize(old + packed);
      if (compress2(blocks.data() + old, &packed, bytes + start, length, Z_BEST_SPEED) != Z_OK)
        throw std::bad_alloc(); // the only way that compress2 can fail with a buffer of compressBound
      blocks.resize(old + packed);
      header.push_back(packed);
    }
  return base64(reinterpret_cast<const unsigned char *>(header.data()), header.size() * sizeof(std::uint64_t)) +
         base64(blocks.data(), blocks.size());
}

template <typename Number>
void write_data_array(std::ostream &out, const std::string &name, const std::string &unit, const int n_components,
                      const std::vector<Number> &values)
{
  out << "<DataArray type=\"" << (std::is_floating_point_v<Number> ? "Float64" : "Int64") << "\" Name=\"" << name
      << "\" NumberOfComponents=\"" << n_components << "\" format=\"binary\">\n";
  out << compressed(values) << '\n';
  if (!unit.empty()) // behind the numbers: in front of them, VTK does not find them
    out << "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">" << unit << "</InformationKey>\n";
  out << "</DataArray>\n";
}

void write_arrays(std::ostream &out, const std::string &element, const std::vector<Array> &arrays)
{
  out << "<" << element << ">\n";
  for (const Array &array : arrays)
    write_data_array(out, array.name, array.unit, array.n_components, array.values);
  out << "</" << element << ">\n";
}

void write_cells(std::ostream &out, const std::string &element, const std::vector<long long> &connectivity,
                 const int points_per_cell)
{
  std::vector<long long> offsets(connectivity.size() / points_per_cell);
  for (std::size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = points_per_cell * static_cast<long long>(k + 1);
  out << "<" << element << ">\n";
  write_data_array(out, "connectivity", "", 1, connectivity);
  write_data_array(out, "offsets", "", 1, offsets);
  out << "</" << element << ">\n";
}

void require_consistent(const Mesh &mesh)
{
  const auto fits = [](const std::vector<Array> &arrays, const std::size_t n) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [n](const Array &array) { return array.values.size() == n * array.n_components; });
  };
  if (!fits(mesh.point_data, mesh.n_points()) || !fits(mesh.cell_data, mesh.n_cells()))
    throw std::invalid_argument("Mesh '" + mesh.name + "': an array is not as long as its points or cells.");
}

void write_poly_data(std::ostream &out, const Mesh &mesh)
{
  const bool lines = mesh.cell_type == CellType::line;
  out << "<?xml version=\"1.0\"?>\n"
         "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
         "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<Piece NumberOfPoints=\""
      << mesh.n_points() << "\" NumberOfVerts=\"" << (lines ? 0 : mesh.n_cells()) << "\" NumberOfLines=\""
      << (lines ? mesh.n_cells() : 0) << "\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n";
  write_arrays(out, "PointData", mesh.point_data);
  write_arrays(out, "CellData", mesh.cell_data);
  out << "<Points>\n";
  write_data_array(out, "Points", "", 3, mesh.points);
  out << "</Points>\n";
  write_cells(out, lines ? "Lines" : "Verts", mesh.connectivity, lines ? 2 : 1);
  out << "</Piece>\n</PolyData>\n</VTKFile>\n";
}

std::string digits(const double x)
{
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

/// NAME_0000.vtp
std::string file_name(const std::string &mesh, const unsigned int step)
{
  const std::string number = std::to_string(step);
  return mesh + "_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number + ".vtp";
}
} // namespace

VtkWriter::VtkWriter(std::filesystem::path directory) : directory(std::move(directory)) {}

void VtkWriter::write(const Snapshot &snapshot)
{
  for (const Mesh &mesh : snapshot.meshes)
    {
      require_consistent(mesh);
      const std::string file = file_name(mesh.name, snapshot.step);
      write_atomically(directory / file, [&](std::ostream &out) { write_poly_data(out, mesh); });
      entries.push_back({snapshot.time, mesh.name, file});
    }
  if (n_listed == 0 || std::chrono::steady_clock::now() - last_listed > std::chrono::seconds(1))
    write_collection();
}

void VtkWriter::finish()
{
  if (n_listed < entries.size())
    write_collection();
}

void VtkWriter::write_collection()
{
  write_atomically(directory / "solution.pvd", [&](std::ostream &out) {
    out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
           "byte_order=\"LittleEndian\">\n<Collection>\n";
    std::vector<std::string> parts;
    for (const Entry &entry : entries)
      {
        const auto part = std::find(parts.begin(), parts.end(), entry.name);
        const auto k    = part - parts.begin();
        if (part == parts.end())
          parts.push_back(entry.name);
        out << "<DataSet timestep=\"" << digits(entry.time) << "\" part=\"" << k << "\" name=\"" << entry.name
            << "\" file=\"" << entry.file << "\"/>\n";
      }
    out << "</Collection>\n</VTKFile>\n";
  });
  n_listed    = entries.size();
  last_listed = std::chrono::steady_clock::now();
}

void write_atomically(const std::filesystem::path &file, const std::function<void(std::ostream &)> &write)
{
  std::filesystem::path temporary = file;
  temporary += ".incomplete";
  const auto remove_temporary = [&] {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  };

  std::ofstream out;
  try
    {
      errno = 0;
      out.open(temporary, std::ios::binary | std::ios::trunc);
      if (out)
        write(out);
      out.flush();
      if (!out)
        throw std::system_error(errno == 0 ? EIO : errno, std::generic_category());
      out.close();
      std::filesystem::rename(temporary, file);
    }
  catch (const std::system_error &error)
    {
      remove_temporary();
      throw std::runtime_error(file.string() + " cannot be written: " + error.code().message());
    }
  catch (...)
    {
      remove_temporary();
      throw;
    }
}
} // namespace moreau::insitu
