// SPDX-License-Identifier: GPL-3.0-or-later
#include "insitu/writer.h"

#include "insitu/atomic_file.h"
#include "insitu/mesh_checks.h"

#include "convex/number_text.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <ostream>
#include <set>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace moreau::insitu
{
namespace
{
using geometry::Steps;

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

/// Numbers as VTK's vtkZLibDataCompressor lays them out: base64 of [number of blocks, size of a block, size of the last
/// block where it is shorter (else 0), compressed size of each block] as
/// UInt64, followed by base64 of the compressed blocks. done: counts these.
template <typename Number>
std::string compressed(const std::vector<Number> &values, Steps &done)
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
      done.done();
    }
  return base64(reinterpret_cast<const unsigned char *>(header.data()), header.size() * sizeof(std::uint64_t)) +
         base64(blocks.data(), blocks.size());
}

template <typename Number>
const char *type_name()
{
  return std::is_floating_point_v<Number> ? "Float64" : sizeof(Number) == 1 ? "UInt8" : "Int64";
}

/// Stands behind the numbers: in front of them, VTK does not find it.
void write_unit(std::ostream &out, const std::string &unit)
{
  if (!unit.empty())
    out << "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">" << unit << "</InformationKey>\n";
}

/// What a component is called, where it has a name.
void write_component_names(std::ostream &out, const std::vector<std::string> &names)
{
  for (std::size_t k = 0; k < names.size(); ++k)
    out << " ComponentName" << k << "=\"" << names[k] << '"';
}

template <typename Number>
void write_data_array(std::ostream &out, Steps &blocks, const std::string &name, const std::string &unit,
                      const int n_components, const std::vector<Number> &values,
                      const std::vector<std::string> &component_names = {})
{
  out << "<DataArray type=\"" << type_name<Number>() << "\" Name=\"" << name << "\" NumberOfComponents=\"" << n_components
      << '"';
  write_component_names(out, component_names);
  out << " format=\"binary\">\n";
  out << compressed(values, blocks) << '\n';
  write_unit(out, unit);
  out << "</DataArray>\n";
}

/// Where ParaView finds the time of a file; in front of the pieces.
void write_time(std::ostream &out, const double time)
{
  out << "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" << digits(time)
      << "</DataArray>\n</FieldData>\n";
}

/// The beginning of the element that holds these arrays: `<PointData Scalars="diameter" Vectors="u">`.
void begin_arrays(std::ostream &out, const std::string &element, const std::vector<Array> &arrays)
{
  const ActiveArrays active = active_arrays(arrays);
  out << "<" << element;
  if (active.scalars != nullptr)
    out << " Scalars=\"" << active.scalars->name << '"';
  if (active.vectors != nullptr)
    out << " Vectors=\"" << active.vectors->name << '"';
  out << ">\n";
}

void write_arrays(std::ostream &out, Steps &blocks, const std::string &element, const std::vector<Array> &arrays)
{
  begin_arrays(out, element, arrays);
  for (const Array &array : arrays)
    write_data_array(out, blocks, array.name, array.unit, array.n_components, array.values, array.component_names);
  out << "</" << element << ">\n";
}

/// Which of VTK's formats holds a mesh, and how its cells are called in it.
struct Format
{
  const char *data_set;  ///< the type of the file, and of the element inside
  const char *extension; ///< without the dot
  const char *cells;     ///< the element with the connectivity
};

Format format(const CellType type)
{
  if (!is_poly_data(type))
    return {"UnstructuredGrid", "vtu", "Cells"};
  return {"PolyData", "vtp", type == CellType::vertex ? "Verts" : type == CellType::line ? "Lines" : "Polys"};
}

/// Where each cell ends in the connectivity.
std::vector<long long> ends_of_cells(const Mesh &mesh)
{
  const auto n_points_a_cell = static_cast<long long>(points_per_cell(mesh.cell_type));
  if (n_points_a_cell == 0)
    return mesh.offsets;
  std::vector<long long> offsets(mesh.n_cells());
  for (std::size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = n_points_a_cell * static_cast<long long>(k + 1);
  return offsets;
}

void write_cells(std::ostream &out, Steps &blocks, const Mesh &mesh)
{
  const Format as = format(mesh.cell_type);
  out << "<" << as.cells << ">\n";
  write_data_array(out, blocks, "connectivity", "", 1, mesh.connectivity);
  write_data_array(out, blocks, "offsets", "", 1, ends_of_cells(mesh));
  if (!is_poly_data(mesh.cell_type))
    write_data_array(out, blocks, "types", "", 1, std::vector<unsigned char>(mesh.n_cells(), vtk_cell_type(mesh.cell_type)));
  if (mesh.cell_type == CellType::polyhedron)
    {
      write_data_array(out, blocks, "faces", "", 1, mesh.faces);
      write_data_array(out, blocks, "faceoffsets", "", 1, mesh.face_offsets);
    }
  out << "</" << as.cells << ">\n";
}

/// The outermost elements of a file of this type, around what `body` writes.
void write_vtk_file(std::ostream &out, const std::string &type, const std::string &attributes,
                    const std::function<void()> &body)
{
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"" << type << "\" version=\"1.0\" byte_order=\"LittleEndian\""
      << attributes << ">\n<" << type << ">\n";
  body();
  out << "</" << type << ">\n</VTKFile>\n";
}

const char compressed_data[] = " header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\"";

/// The elements with cells that a file with this type of cells may have; how many each has must be said.
std::vector<std::string> kinds_of_cells(const CellType type)
{
  if (!is_poly_data(type))
    return {format(type).cells};
  return {"Verts", "Lines", "Strips", "Polys"};
}

void write_piece(std::ostream &out, Steps &blocks, const Mesh &mesh, const double time)
{
  const Format as = format(mesh.cell_type);
  write_vtk_file(out, as.data_set, compressed_data, [&] {
    write_time(out, time);
    out << "<Piece NumberOfPoints=\"" << mesh.n_points() << '"';
    for (const std::string &cells : kinds_of_cells(mesh.cell_type))
      out << " NumberOf" << cells << "=\"" << (cells == as.cells ? mesh.n_cells() : 0) << '"';
    out << ">\n";
    write_arrays(out, blocks, "PointData", mesh.point_data);
    write_arrays(out, blocks, "CellData", mesh.cell_data);
    out << "<Points>\n";
    write_data_array(out, blocks, "Points", "", 3, mesh.geometry().points);
    out << "</Points>\n";
    write_cells(out, blocks, mesh.geometry());
    out << "</Piece>\n";
  });
}

/// How many blocks are compressed where it is written.
std::ptrdiff_t blocks_of(const Mesh &mesh)
{
  std::size_t n     = 0;
  const auto  count = [&n](const std::size_t bytes) { n += (bytes + block_size - 1) / block_size; };
  for (const std::vector<Array> *const arrays : {&mesh.point_data, &mesh.cell_data})
    for (const Array &array : *arrays)
      count(sizeof(double) * array.values.size());
  const Mesh &at = mesh.geometry();
  count(sizeof(double) * at.points.size());
  for (const auto *const numbers : {&at.connectivity, &at.faces, &at.face_offsets})
    count(sizeof(long long) * numbers->size());
  count(sizeof(long long) * at.n_cells());
  if (!is_poly_data(mesh.cell_type))
    count(at.n_cells());
  return static_cast<std::ptrdiff_t>(n);
}

/// The file that lists the pieces of a mesh; `mesh` is any one of them.
void write_list_of_pieces(std::ostream &out, const Mesh &mesh, const double time, const std::vector<std::string> &files)
{
  const auto declare = [&out](const std::string &name, const std::string &unit, const int n_components,
                              const std::vector<std::string> &component_names = {}) {
    out << "<PDataArray type=\"" << type_name<double>() << "\" Name=\"" << name << "\" NumberOfComponents=\"" << n_components
        << '"';
    write_component_names(out, component_names);
    out << ">\n";
    write_unit(out, unit);
    out << "</PDataArray>\n";
  };
  const auto declare_all = [&](const std::string &element, const std::vector<Array> &arrays) {
    begin_arrays(out, element, arrays);
    for (const Array &array : arrays)
      declare(array.name, array.unit, array.n_components, array.component_names);
    out << "</" << element << ">\n";
  };
  write_vtk_file(out, std::string("P") + format(mesh.cell_type).data_set, "", [&] {
    write_time(out, time);
    declare_all("PPointData", mesh.point_data);
    declare_all("PCellData", mesh.cell_data);
    out << "<PPoints>\n";
    declare("Points", "", 3);
    out << "</PPoints>\n";
    for (const std::string &file : files)
      out << "<Piece Source=\"" << file << "\"/>\n";
  });
}

/// At least four digits.
std::string four_digits(const unsigned int number)
{
  const std::string text = std::to_string(number);
  return std::string(text.size() < 4 ? 4 - text.size() : 0, '0') + text;
}

/// "continuum_0001.pvtu", 2 -> "continuum_0001_p0002.vtu".
std::string name_of_piece(const std::string &list, const unsigned int rank)
{
  const std::size_t dot = list.rfind('.');
  return list.substr(0, dot) + "_p" + four_digits(rank) + "." + list.substr(dot + 2);
}
} // namespace

VtkWriter::VtkWriter(std::filesystem::path directory, const Piece &piece) : directory(std::move(directory)), piece(piece)
{
  if (piece.rank >= piece.n_pieces)
    throw std::invalid_argument("VtkWriter: the rank is below the number of pieces.");
}

VtkWriter::Entry VtkWriter::entry_of(const Mesh &mesh, const Snapshot &snapshot) const
{
  const std::string stem = mesh.name + "_" + four_digits(snapshot.step);
  return {snapshot.time, mesh.name, stem + (piece.n_pieces > 1 ? ".p" : ".") + format(mesh.cell_type).extension};
}

/// What this process writes of it.
std::filesystem::path VtkWriter::piece_of(const Entry &entry) const
{
  return directory / (piece.n_pieces > 1 ? name_of_piece(entry.file, piece.rank) : entry.file);
}

std::vector<std::string> VtkWriter::files_of(const std::string &listed, const unsigned int n_pieces)
{
  std::vector<std::string> files = {listed};
  for (unsigned int rank = 0; n_pieces > 1 && rank < n_pieces; ++rank)
    files.push_back(name_of_piece(listed, rank));
  return files;
}

void VtkWriter::write(const Snapshot &snapshot, const geometry::Progress &progress)
{
  write_pieces(snapshot, progress);
  list(snapshot);
}

void VtkWriter::write_pieces(const Snapshot &snapshot, const geometry::Progress &progress)
{
  std::ptrdiff_t n_blocks = 0;
  for (const Mesh &mesh : snapshot.meshes)
    n_blocks += blocks_of(mesh);
  Steps blocks(progress, n_blocks);
  for (const Mesh &mesh : snapshot.meshes)
    {
      require_consistent(mesh);
      write_atomically(piece_of(entry_of(mesh, snapshot)),
                       [&](std::ostream &out) { write_piece(out, blocks, mesh, snapshot.time); });
    }
}

void VtkWriter::list(const Snapshot &snapshot)
{
  if (piece.rank != 0)
    return;
  for (const Mesh &mesh : snapshot.meshes)
    {
      entries.push_back(entry_of(mesh, snapshot));
      std::vector<std::string> files = files_of(entries.back().file, piece.n_pieces);
      files.erase(files.begin()); // the list itself
      if (!files.empty())
        write_atomically(directory / entries.back().file,
                         [&](std::ostream &out) { write_list_of_pieces(out, mesh, snapshot.time, files); });
    }
  if (n_listed == 0 || std::chrono::steady_clock::now() - last_listed > std::chrono::seconds(1))
    write_solution();
}

std::filesystem::path VtkWriter::missing_piece(const Snapshot &snapshot) const
{
  std::error_code ignored;
  for (const Mesh &mesh : snapshot.meshes)
    for (unsigned int rank = 0; piece.n_pieces > 1 && rank < piece.n_pieces; ++rank)
      if (auto file = directory / name_of_piece(entry_of(mesh, snapshot).file, rank);
          !std::filesystem::exists(file, ignored))
        return file;
  return {};
}

void VtkWriter::take_back(const Snapshot &snapshot)
{
  std::error_code ignored;
  for (const Mesh &mesh : snapshot.meshes)
    {
      const Entry entry = entry_of(mesh, snapshot);
      std::filesystem::remove(piece_of(entry), ignored);
      if (piece.rank == 0)
        std::filesystem::remove(directory / entry.file, ignored);
      entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const Entry &e) { return e.file == entry.file; }),
                    entries.end());
    }
}

void VtkWriter::finish()
{
  if (n_listed < entries.size())
    write_solution();
}

void VtkWriter::list_each_mesh()
{
  std::set<std::string> names;
  for (const Entry &entry : entries)
    names.insert(entry.name);
  for (const std::string &name : names)
    write_collection(name + ".pvd", name);
}

void VtkWriter::go_on_after(std::vector<Entry> earlier)
{
  entries.insert(entries.begin(), earlier.begin(), earlier.end());
  n_listed = 0;
}

void VtkWriter::write_solution()
{
  write_collection("solution.pvd");
  n_listed    = entries.size();
  last_listed = std::chrono::steady_clock::now();
}

void VtkWriter::write_collection(const std::string &file, const std::string &only) const
{
  write_atomically(directory / file, [&](std::ostream &out) {
    write_vtk_file(out, "Collection", "", [&] {
      std::vector<std::string> parts;
      for (const Entry &entry : entries)
        {
          if (!only.empty() && entry.name != only)
            continue;
          const auto part = std::find(parts.begin(), parts.end(), entry.name);
          const auto k    = part - parts.begin();
          if (part == parts.end())
            parts.push_back(entry.name);
          out << "<DataSet timestep=\"" << digits(entry.time) << "\" part=\"" << k << "\" name=\"" << entry.name
              << "\" file=\"" << entry.file << "\"/>\n";
        }
    });
  });
}
} // namespace moreau::insitu
