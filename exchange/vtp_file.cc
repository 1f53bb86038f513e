// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/sphere_file.h"
#include "exchange/text_file.h"

#include "convex/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

/// What insitu/writer.h writes, read back: VTK's PolyData in XML, arrays in base64 of blocks that zlib compressed, with
/// lengths as UInt64.
namespace moreau::exchange
{
namespace
{
class VtpReader
{
public:
  explicit VtpReader(const std::string &name) : name(name)
  {
    std::ifstream     in(name, std::ios::binary);
    std::stringstream contents;
    contents << in.rdbuf();
    text = contents.str();
    if (!in || text.empty())
      fail("The file cannot be read; check the path and its permissions.");
    if (text.find("type=\"PolyData\"") == std::string::npos || text.find("vtkZLibDataCompressor") == std::string::npos ||
        text.find("header_type=\"UInt64\"") == std::string::npos)
      fail("It is no picture that moreau wrote (.vtp); convert it to CSV with ParaView (File, Save Data).");
  }

  /// Numbers of an array of points, empty where there is none. `components` is set.
  std::vector<double> array(const std::string &wanted, Index &components) const
  {
    const std::size_t begin = text.find("<PointData"), end = text.find("</Points>");
    const std::string mark = "<DataArray ";
    for (std::size_t at = text.find(mark, begin); at != std::string::npos && at < end; at = text.find(mark, at + 1))
      {
        const std::size_t close = text.find('>', at);
        const std::string head  = text.substr(at, close - at);
        if (attribute_of(head, "Name") != wanted)
          continue;
        if (attribute_of(head, "type") != "Float64" || attribute_of(head, "format") != "binary")
          fail("The array " + wanted + " is no binary one of Float64.");
        components                = attribute_of(head, "NumberOfComponents").empty()
                                        ? 1
                                        : std::max(1, std::atoi(attribute_of(head, "NumberOfComponents").c_str()));
        const std::string   bytes = uncompressed(text.substr(close + 1, text.find('<', close) - close - 1));
        std::vector<double> values(bytes.size() / sizeof(double));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
        return values;
      }
    components = 0;
    return {};
  }

  [[noreturn]] void fail(const std::string &what) const { throw InputError(name + ": " + what); }

private:
  std::string name, text;

  /// The next group of base64 from `at`: n bytes.
  std::string decoded(const std::string &letters, std::size_t &at, const std::size_t n) const
  {
    static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string              bytes;
    const std::size_t        end = at + (n + 2) / 3 * 4;
    if (end > letters.size())
      fail("An array is cut off.");
    for (; at < end; at += 4)
      {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k)
          {
            const std::size_t value = letters[at + k] == '=' ? 0 : alphabet.find(letters[at + k]);
            if (value == std::string::npos)
              fail("An array holds a letter that is none of base64.");
            word = word << 6 | static_cast<std::uint32_t>(value);
          }
        for (const int shift : {16, 8, 0})
          bytes += static_cast<char>(word >> shift & 255);
      }
    bytes.resize(n);
    return bytes;
  }

  std::string uncompressed(std::string letters) const
  {
    letters.erase(
        std::remove_if(letters.begin(), letters.end(), [](const char c) { return c == '\n' || c == ' ' || c == '\r'; }),
        letters.end());
    const auto number = [](const std::string &bytes, const std::size_t k) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + k * sizeof value, sizeof value);
      return value;
    };
    // blocks, size of a block, size of the last one where it is smaller, sizes of the compressed ones
    std::size_t         at       = 0;
    const std::uint64_t n_blocks = number(decoded(letters, at, sizeof(std::uint64_t)), 0);
    if (n_blocks > letters.size())
      fail("An array announces more than the file holds.");
    at                         = 0;
    const std::string   header = decoded(letters, at, (3 + n_blocks) * sizeof(std::uint64_t));
    const std::uint64_t size = number(header, 1), last = number(header, 2);
    std::uint64_t       n_compressed = 0;
    for (std::uint64_t k = 0; k < n_blocks; ++k)
      n_compressed += number(header, 3 + k);
    if (n_compressed > letters.size() || size > (std::uint64_t(1) << 30))
      fail("An array announces more than the file holds.");
    const std::string compressed = decoded(letters, at, n_compressed);
    std::string       bytes, block;
    std::size_t       from = 0;
    for (std::uint64_t k = 0; k < n_blocks; ++k)
      {
        const std::uint64_t n_in = number(header, 3 + k);
        block.resize(k + 1 == n_blocks && last > 0 ? last : size);
        uLongf    n_out  = block.size();
        const int status = from + n_in > compressed.size()
                               ? Z_DATA_ERROR
                               : uncompress(reinterpret_cast<Bytef *>(block.data()), &n_out,
                                            reinterpret_cast<const Bytef *>(compressed.data()) + from, n_in);
        if (status != Z_OK || n_out != block.size())
          fail("An array is damaged.");
        bytes += block;
        from += n_in;
      }
    return bytes;
  }
};
} // namespace

SphereFile read_vtp(const std::string &file, const SphereConventions &conventions)
{
  require_si(file, conventions);
  const VtpReader           in(file);
  Index                     of_x = 0, of_radius = 0, of_mass = 0, of_u = 0, of_id = 0;
  const std::vector<double> x = in.array("Points", of_x), radius = in.array("radius", of_radius),
                            mass = in.array("mass", of_mass);
  std::vector<double> u = in.array("u", of_u), ids = in.array("id", of_id);
  if (u.empty())
    u = in.array("U", of_u);
  const Index n = static_cast<Index>(radius.size());
  if (n == 0 || of_x != 3 || static_cast<Index>(x.size()) != 3 * n)
    in.fail("It holds no spheres: give the picture of spheres (spheres_0000.vtp), not the one of contacts.");
  if (!mass.empty() && static_cast<Index>(mass.size()) != n || !ids.empty() && static_cast<Index>(ids.size()) != n ||
      !u.empty() && (of_u != 3 || static_cast<Index>(u.size()) != 3 * n))
    in.fail("Its arrays differ in length.");
  const Eigen::Map<const Eigen::Matrix3Xd> points(x.data(), 3, n), velocities(u.data(), 3, u.empty() ? 0 : n);
  Index                                    dim = conventions.dimension;
  if (dim == 0)
    dim = points.row(2).isZero(0.) && velocities.row(2).isZero(0.) ? 2 : 3;
  require_dimension(points, velocities, dim, file);
  if (!std::all_of(ids.begin(), ids.end(), [](const double id) { return 0. <= id && id < 1e15; }))
    in.fail("Its array id has other numbers than those of spheres.");
  SphereFile result;
  result.ids     = std::move(ids);
  auto &c        = result.contents;
  c.spheres      = {points.topRows(dim), Eigen::Map<const Vector>(radius.data(), n), Vector(n)};
  c.has_mass     = !mass.empty();
  c.has_velocity = !u.empty();
  c.U            = Vector::Zero(dim * n);
  for (Index k = 0; k < n; ++k)
    {
      c.spheres.m(k) = c.has_mass ? mass[k] : micro::volume_of_ball(radius[k], dim);
      if (c.has_velocity)
        c.U.segment(dim * k, dim) = velocities.col(k).head(dim);
    }
  try
    {
      c.spheres.validate();
    }
  catch (const InputError &error)
    {
      in.fail(error.sentence);
    }
  return result;
}
} // namespace moreau::exchange
