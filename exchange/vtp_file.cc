// SPDX-License-Identifier: GPL-3.0-or-later
#include "exchange/sphere_file.h"
#include "exchange/text_file.h"

#include "convex/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
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
    if (!in)
      fail("The file cannot be read; check the path and its permissions.");
    if (text.empty())
      fail("The file is empty; run again what made it.");
  }

  /// The files of its pieces where it is a list of such (.pvtp).
  std::vector<std::string> pieces() const
  {
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    const std::string           mark   = "<Piece ";
    std::vector<std::string>    result;
    if (text.find("type=\"PPolyData\"") == std::string::npos)
      fail("It is no list of pieces that moreau wrote (.pvtp).");
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      result.push_back((folder / attribute_of(text.substr(at, text.find('>', at) - at), "Source")).string());
    return result;
  }

  /// Throws where it is another file than moreau writes.
  void require_own() const
  {
    const auto has = [&](const std::string &what) { return text.find(what) != std::string::npos; };
    if (!has("type=\"PolyData\"") || !has("vtkZLibDataCompressor") || !has("header_type=\"UInt64\"") ||
        !has("byte_order=\"LittleEndian\"") || text.find("<Piece ") != text.rfind("<Piece "))
      fail("It is no picture that moreau wrote (.vtp); save it with ParaView as those are (File, Save Data: Data Mode "
           "Binary, Compressor Type ZLib), or write x, y, z and radius as a table (.csv).");
  }

  /// Numbers of an array of points, empty where there is none. `components` is set.
  std::vector<double> array(const std::string &wanted, Index &components) const
  {
    const std::string section = wanted == "Points" ? "Points" : "PointData";
    const std::size_t begin = std::min(text.find('<' + section), text.size()), end = text.find("</" + section + '>', begin);
    const std::string mark = "<DataArray ";
    for (std::size_t at = text.find(mark, begin); at != std::string::npos && at < end; at = text.find(mark, at + 1))
      {
        const std::size_t close = text.find('>', at);
        const std::string head  = text.substr(at, close - at);
        if (attribute_of(head, "Name") != wanted)
          continue;
        if (attribute_of(head, "type") != "Float64" || attribute_of(head, "format") != "binary")
          fail("The array " + wanted +
               " is no binary one of Float64; where ParaView saves it (File, Save Data) let the Data Mode "
               "be Binary, and numbers of double precision.");
        components                = attribute_of(head, "NumberOfComponents").empty()
                                        ? 1
                                        : std::max(1, std::atoi(attribute_of(head, "NumberOfComponents").c_str()));
        const std::string   bytes = uncompressed(text.substr(close + 1, text.find('<', close) - close - 1));
        std::vector<double> values(bytes.size() / sizeof(double));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
        const std::size_t piece = text.find("<Piece "), n = values.size() / components;
        const std::string said = attribute_of(text.substr(piece, text.find('>', piece) - piece), "NumberOfPoints");
        if (wanted == "Points" && said != std::to_string(n))
          fail("NumberOfPoints is '" + said + "', but the array Points has " + std::to_string(n) + "; get the file again.");
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
    at                             = 0;
    const std::string       header = decoded(letters, at, (3 + n_blocks) * sizeof(std::uint64_t));
    const std::uint64_t     size = number(header, 1), last = number(header, 2);
    constexpr std::uint64_t most_in_a_block = std::uint64_t(1) << 30;
    std::uint64_t           n_compressed    = 0;
    for (std::uint64_t k = 0; k < n_blocks; ++k)
      {
        if (number(header, 3 + k) > letters.size() - n_compressed)
          fail("An array announces more than the file holds.");
        n_compressed += number(header, 3 + k);
      }
    if (size > most_in_a_block || last > size)
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
/// The arrays of a picture of spheres; those that are not there are empty.
struct Picture
{
  std::vector<double> x, radius, mass, before, after, ids;

  void append(const Picture &other)
  {
    for (const auto array :
         {&Picture::x, &Picture::radius, &Picture::mass, &Picture::before, &Picture::after, &Picture::ids})
      (this->*array).insert((this->*array).end(), (other.*array).begin(), (other.*array).end());
  }
};

Picture picture_in(const VtpReader &in)
{
  in.require_own();
  const auto array = [&in](const std::string &name, const Index components) {
    Index               n_components = 0;
    std::vector<double> values       = in.array(name, n_components);
    if (!values.empty() && n_components != components)
      in.fail("Its array " + name + " has " + std::to_string(n_components) + " components; pictures of spheres have " +
              std::to_string(components) + " there.");
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        in.fail("Its array " + name + " holds a number at sphere " +
                std::to_string(k / static_cast<std::size_t>(components)) + " (from 0) that is not finite.");
    return values;
  };
  return {array("Points", 3), array("radius", 1), array("mass", 1), array("U", 3), array("u", 3), array("id", 1)};
}

/// spheres_0000.pvtp of spheres_0000_p0001.vtp; empty where the name is not that of a piece.
std::string whole_of(const std::string &file)
{
  std::smatch       parts;
  const std::string name = std::filesystem::path(file).filename().string();
  return std::regex_match(name, parts, std::regex("(.*)_p[0-9]{4,9}\\.vtp")) ? parts[1].str() + ".pvtp" : "";
}
} // namespace

SphereFile read_vtp(const std::string &file, const SphereConventions &conventions)
{
  require_si(file, conventions);
  const VtpReader in(file);
  Picture         picture;
  if (end_of(file) == ".pvtp")
    for (const std::string &piece : in.pieces())
      picture.append(picture_in(VtpReader(piece)));
  else
    picture = picture_in(in);
  const std::size_t n = picture.radius.size();
  if (n == 0 || picture.x.size() != 3 * n)
    in.fail("It holds no spheres: give the picture of spheres (spheres_0000.vtp), not the one of contacts.");
  for (const std::vector<double> *const array : {&picture.mass, &picture.ids})
    if (!array->empty() && array->size() != n)
      in.fail("Its arrays differ in length.");
  for (const std::vector<double> *const array : {&picture.before, &picture.after})
    if (!array->empty() && array->size() != 3 * n)
      in.fail("Its arrays differ in length.");
  const auto columns = [](const std::vector<double> &of) {
    return Eigen::Map<const Eigen::Matrix3Xd>(of.data(), 3, static_cast<Index>(of.size()) / 3);
  };
  const auto points = columns(picture.x), before = columns(picture.before),
             after = picture.after.empty() ? before : columns(picture.after);
  Index dim        = conventions.dimension;
  if (dim == 0)
    dim = points.row(2).isZero(0.) && before.row(2).isZero(0.) && after.row(2).isZero(0.) ? 2 : 3;
  require_dimension(points, before, dim, file);
  require_dimension(points, after, dim, file);
  if (!std::all_of(picture.ids.begin(), picture.ids.end(), [](const double id) { return 0. <= id && id < 1e15; }))
    in.fail("Its array id has other numbers than those of spheres.");
  SphereFile result;
  result.ids        = std::move(picture.ids);
  result.is_picture = true;
  if (const std::string whole = whole_of(file); !whole.empty())
    result.remark = "This is a piece, the spheres that one process read; all of them are in " + whole + '.';
  const auto size    = static_cast<Index>(n);
  const auto of_them = [dim, size](const auto &v) {
    return Vector(Eigen::MatrixXd(v.topRows(dim)).reshaped(v.cols() > 0 ? dim * size : 0, 1));
  };
  auto &c        = result.contents;
  c.spheres      = {points.topRows(dim), Eigen::Map<const Vector>(picture.radius.data(), size), Vector(size)};
  c.has_mass     = !picture.mass.empty();
  c.has_velocity = after.cols() > 0;
  c.U            = c.has_velocity ? of_them(after) : Vector(Vector::Zero(dim * size));
  result.before  = of_them(before);
  for (Index k = 0; k < size; ++k)
    c.spheres.m(k) = c.has_mass ? picture.mass[static_cast<std::size_t>(k)] : micro::volume_of_ball(c.spheres.R(k), dim);
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
