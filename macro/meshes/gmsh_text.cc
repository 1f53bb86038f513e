// SPDX-License-Identifier: GPL-3.0-or-later
#include "macro/meshes/gmsh_text.h"

#include "convex/input_error.h"

#include <fstream>
#include <set>
#include <sstream>

namespace moreau::macro
{
namespace
{
const std::string damaged = "; it seems to be damaged: write it again.";

/// Reads a file as deal.II does and counts what is there.
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
    return result;
  }

private:
  /// What stands between $NAME and $EndNAME.
  std::istringstream section(const std::string &name)
  {
    const std::size_t begin = text.find("$" + name), end = text.find("$End" + name);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
      refuse_mesh(file, "has no complete section $" + name + "; give a whole Gmsh file (ASCII, format 2.2 or 4.1).");
    const std::size_t start = begin + 1 + name.size();
    result.sections += "$" + name + text.substr(start, end - start) + "$End" + name + "\n";
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

  /// deal.II takes what is negative for very large.
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

  void check_nodes()
  {
    std::istringstream in       = section("Nodes");
    long long          n_blocks = 1, n = -1, n_here = 0, counted = 0, parametric = 0, ignored = 0;
    if (in_blocks)
      in >> n_blocks >> n >> ignored >> ignored;
    else
      in >> n;
    for (long long block = 0; block < n_blocks && in; ++block)
      {
        n_here = n;
        if (in_blocks)
          read_count(in >> ignored >> ignored >> parametric, n_here);
        for (long long k = 0; in_blocks && k < n_here && in; ++k)
          read_node(in);
        for (long long k = 0; k < n_here && in; ++k)
          {
            if (!in_blocks)
              read_node(in);
            double x = 0.; // nan and inf are no numbers for streams
            for (int coordinate = 0; coordinate < (parametric != 0 ? 5 : 3); ++coordinate)
              in >> x;
            counted += in ? 1 : 0;
          }
      }
    require_count("nodes", n, counted);
    require_end("Nodes", in);
  }

  void read_node(std::istream &in)
  {
    if (int node = 0; in >> node && !nodes.insert(node).second)
      refuse_mesh(file, "has the node " + std::to_string(node) + " twice" + damaged);
  }

  void count_elements()
  {
    std::istringstream in       = section("Elements");
    long long          n_blocks = 1, n = -1, n_here = 0, counted = 0, ignored = 0;
    int                type = 0, dim = 0;
    if (in_blocks)
      in >> n_blocks >> n >> ignored >> ignored;
    else
      in >> n;
    for (long long block = 0; block < n_blocks && in; ++block)
      {
        n_here = n;
        if (in_blocks)
          {
            in >> dim >> ignored >> type;
            read_count(in, n_here);
            if (dim < 0 || dim > 3)
              refuse_mesh(file, "has elements of dimension " + std::to_string(dim) + damaged);
          }
        for (long long k = 0; k < n_here && in; ++k)
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
      }
    require_count("elements", n, counted);
    require_end("Elements", in);
  }

  /// Of a type that is refused later, all that stands on the line.
  void read_nodes_of_element(std::istringstream &in, const int type) const
  {
    static const std::map<int, int> n_nodes_of = {{15, 1}, {1, 2}, {3, 4}, {5, 8}};
    const auto                      known      = n_nodes_of.find(type);
    std::string                     line;
    if (known == n_nodes_of.end())
      std::getline(in, line);
    std::set<int> of_element;
    if (known != n_nodes_of.end())
      for (int k = 0, node = 0; k < known->second && in >> node; ++k)
        if (nodes.count(node) == 0 || !of_element.insert(node).second)
          refuse_mesh(file, "has an element with the node " + std::to_string(node) +
                                ", which is not there or stands there twice" + damaged);
  }

  const std::filesystem::path &file;
  std::string                  text;
  bool                         in_blocks = false; ///< format 4.1
  std::set<int>                nodes;
  GmshText                     result;
};
} // namespace

GmshText read_gmsh(const std::filesystem::path &file) { return GmshReader(file).read(); }

void refuse_mesh(const std::filesystem::path &file, const std::string &what)
{
  throw InputError("the file of the mesh", "'" + file.string() + "' " + what);
}
} // namespace moreau::macro
