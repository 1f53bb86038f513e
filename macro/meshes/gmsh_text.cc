// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/gmsh_text.h"

#include "convex/input_error.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace moreau::macro
{
namespace
{
const std::string damaged = "; it seems to be damaged: write it again.";

/// Nodes of the faces of Gmsh's quadrilaterals and hexahedra.
const std::map<int, std::vector<std::vector<int>>> faces_of = {
    {3, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    {5, {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}}};

/// Reads a file and counts what is there.
class GmshReader
{
public:
  explicit GmshReader(const std::filesystem::path &file) : file(file)
  {
    std::error_code     error;
    const std::ifstream stream(file);
    if (!std::filesystem::is_regular_file(file, error) || !stream)
      refuse_mesh(file, "cannot be read; give the path of a Gmsh file.");
    std::ostringstream content;
    content << stream.rdbuf();
    text = content.str();
  }

  GmshText read()
  {
    double             version = 0.;
    int                binary = 0, bytes = 0;
    std::istringstream format = section("MeshFormat");
    format >> version >> binary >> bytes;
    in_blocks = version >= 4.1 && version < 5.;
    if (binary != 0 || !(in_blocks || version >= 2. && version < 3.))
      refuse_mesh(file, "is not a Gmsh file of ASCII format 2.2 or 4.1; save it as one.");
    require_end("MeshFormat", format);
    if (in_blocks)
      check_entities();
    check_nodes();
    count_elements();
    if (!result.cells.empty()) // beside hexahedra, quadrilaterals are some of their faces
      check_faces(result.cells.rbegin()->first, result.cells.rbegin()->second);
    return std::move(result);
  }

private:
  /// What stands between $NAME and $EndNAME.
  std::istringstream section(const std::string &name)
  {
    const std::size_t begin = text.find("$" + name), end = text.find("$End" + name);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
      refuse_mesh(file, "has no complete section $" + name + "; give a whole Gmsh file (ASCII, format 2.2 or 4.1).");
    const std::size_t start = begin + 1 + name.size();
    return std::istringstream(text.substr(start, end - start));
  }

  /// All of a section is read, and nothing was missing.
  void require_end(const std::string &name, std::istringstream &in) const
  {
    std::string more;
    if (!in || in >> more)
      refuse_mesh(file, "has a section $" + name + " that does not hold what its head announces" + damaged);
  }

  void require_count(const std::string &things, const long long announced, const long long counted) const
  {
    if (announced < 1 || counted != announced)
      refuse_mesh(file, "announces " + std::to_string(announced) + ' ' + things + " and holds " + std::to_string(counted) +
                            damaged);
  }

  /// A negative number is none.
  static void read_count(std::istream &in, long long &n)
  {
    if (in >> n && n < 0)
      in.setstate(std::ios::failbit);
  }

  /// Points have three coordinates and physical tags; what is larger has a box, physical tags and its boundary.
  void check_entities()
  {
    std::istringstream in         = section("Entities");
    long long          n_of_dim[] = {0, 0, 0, 0};
    for (long long &n : n_of_dim)
      read_count(in, n);
    for (int dim = 0; dim < 4; ++dim)
      for (long long k = 0; k < n_of_dim[dim] && in; ++k)
        {
          int    tag = 0;
          double x   = 0.;
          in >> tag;
          for (int coordinate = 0; coordinate < (dim == 0 ? 3 : 6); ++coordinate)
            in >> x;
          for (int list = 0; list < (dim == 0 ? 1 : 2); ++list)
            {
              long long n_tags = 0;
              read_count(in, n_tags);
              for (long long l = 0; l < n_tags && in; ++l)
                in >> tag;
            }
        }
    require_end("Entities", in);
  }

  /// Calls read(in, n) for the things of a section that stand together, n of them, behind what `head` reads of their block;
  /// flat files have one block without a head.
  template <class Head, class Read>
  void for_blocks(const std::string &name, const std::string &things, const long long &counted, const Head &head,
                  const Read &read)
  {
    std::istringstream in       = section(name);
    long long          n_blocks = 1, n = -1, ignored = 0;
    if (in_blocks)
      in >> n_blocks >> n >> ignored >> ignored;
    else
      in >> n;
    for (long long block = 0; block < n_blocks && in; ++block)
      {
        long long n_here = n;
        if (in_blocks)
          {
            head(in);
            read_count(in, n_here);
          }
        read(in, n_here);
      }
    require_count(things, n, counted);
    require_end(name, in);
  }

  void check_nodes()
  {
    long long counted = 0, parametric = 0;
    for_blocks(
        "Nodes", "nodes", counted,
        [&](std::istream &in) {
          int ignored = 0;
          in >> ignored >> ignored >> parametric;
        },
        [&](std::istream &in, const long long n) {
          for (long long k = 0; in_blocks && k < n && in; ++k)
            read_node(in);
          for (long long k = 0; k < n && in; ++k)
            {
              if (!in_blocks)
                read_node(in);
              std::array<double, 3> x       = {};
              double                ignored = 0.;
              for (int coordinate = 0; coordinate < (parametric != 0 ? 5 : 3); ++coordinate)
                in >> (coordinate < 3 ? x[coordinate] : ignored);
              if (in.fail() && !in.eof()) // nan and inf are no numbers for streams
                refuse_mesh(file, "has the node " + std::to_string(number_of(static_cast<int>(result.points.size()))) +
                                      ", whose coordinates are not all finite numbers" + damaged);
              if (in)
                result.points.push_back(x), ++counted;
            }
        });
  }

  void read_node(std::istream &in)
  {
    const int next = static_cast<int>(nodes.size());
    if (int node = 0; in >> node && !nodes.emplace(node, next).second)
      refuse_mesh(file, "has the node " + std::to_string(node) + " twice" + damaged);
  }

  /// What the file calls the k-th node.
  int number_of(const int k) const
  {
    return std::find_if(nodes.begin(), nodes.end(), [k](const auto &node) { return node.second == k; })->first;
  }

  void count_elements()
  {
    long long counted = 0, ignored = 0;
    int       type = 0;
    for_blocks(
        "Elements", "elements", counted,
        [&](std::istream &in) {
          int dim = 0;
          in >> dim >> ignored >> type;
          if (dim < 0 || dim > 3)
            refuse_mesh(file, "has elements of dimension " + std::to_string(dim) + damaged);
        },
        [&](std::istream &in, const long long n) {
          for (long long k = 0; k < n && in; ++k)
            {
              long long n_tags = 0;
              in >> ignored;
              if (!in_blocks)
                read_count(in >> type, n_tags);
              for (long long tag = 0; tag < n_tags && in; ++tag)
                in >> ignored;
              read_nodes_of_element(in, type);
              if (in)
                ++result.n_of_type[type], ++counted;
            }
        });
  }

  /// Of a type that is refused later, all that stands on the line.
  void read_nodes_of_element(std::istream &in, const int type)
  {
    static const std::map<int, int> n_nodes_of = {{15, 1}, {1, 2}, {3, 4}, {5, 8}};
    const auto                      known      = n_nodes_of.find(type);
    if (known == n_nodes_of.end())
      {
        std::string line;
        std::getline(in, line);
        return;
      }
    std::vector<int> element;
    std::set<int>    different;
    for (int k = 0, node = 0; k < known->second && in >> node; ++k)
      {
        const auto found = nodes.find(node);
        if (found == nodes.end() || !different.insert(node).second)
          refuse_mesh(file, "has an element with the node " + std::to_string(node) +
                                ", which is not there or stands there twice" + damaged);
        element.push_back(found->second);
      }
    if (faces_of.count(type))
      result.cells[type].push_back(element);
  }

  /// No cell stands there twice, and no more than two have a face in common.
  void check_faces(const int type, const std::vector<std::vector<int>> &cells) const
  {
    std::vector<std::vector<int>> faces, sorted = cells;
    for (std::vector<int> &cell : sorted)
      {
        for (const std::vector<int> &face : faces_of.at(type))
          {
            faces.emplace_back();
            for (const int k : face)
              faces.back().push_back(cell[k]);
            std::sort(faces.back().begin(), faces.back().end());
          }
        std::sort(cell.begin(), cell.end());
      }
    if (has_a_run(sorted, 2))
      refuse_mesh(file, "has a cell twice" + damaged);
    if (has_a_run(faces, 3))
      refuse_mesh(file, "has more than two cells at one face" + damaged);
  }

  /// Whether n of them are equal.
  static bool has_a_run(std::vector<std::vector<int>> &things, const std::ptrdiff_t n)
  {
    std::sort(things.begin(), things.end());
    for (auto last = things.begin() + std::min<std::ptrdiff_t>(n - 1, things.end() - things.begin()); last < things.end();
         ++last)
      if (*last == *(last - (n - 1)))
        return true;
    return false;
  }

  const std::filesystem::path &file;
  std::string                  text;
  bool                         in_blocks = false; ///< format 4.1
  std::map<int, int>           nodes;             ///< their numbers in the file, in the order of points
  GmshText                     result;
};
} // namespace

GmshText read_gmsh(const std::filesystem::path &file) { return GmshReader(file).read(); }

void refuse_mesh(const std::filesystem::path &file, const std::string &what)
{
  throw InputError("the file of the mesh", "'" + file.string() + "' " + what);
}
} // namespace moreau::macro
