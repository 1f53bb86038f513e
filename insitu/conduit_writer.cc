// SPDX-License-Identifier: GPL-3.0-or-later
// The part of moreau that knows libcatalyst (Catalyst 2), in place of catalyst_writer.cc where the program is built for it. Meshes are shown as
// Conduit's Mesh Blueprint describes them. Debian has no libcatalyst: this follows its documentation and that of ParaView's implementation, is
// tested with the double of tests/insitu/conduit, and has never run with the library itself.
#include "insitu/catalyst.h"
#include "insitu/process_guards.h"

#include <catalyst.h>
#include <mpi.h>

#include <chrono>
#include <exception>
#include <map>
#include <stdexcept>
#include <utility>

namespace moreau::insitu
{
namespace
{
static_assert(sizeof(conduit_int64) == sizeof(long long) && sizeof(conduit_float64) == sizeof(double),
              "Numbers of moreau and Conduit have 64 bits");

struct Destroy
{
  void operator()(conduit_node *const node) const { conduit_node_destroy(node); }
};
using Root = std::unique_ptr<conduit_node, Destroy>;

/// A node of a tree that others own; paths begin there, and what they lack is made.
class Node
{
public:
  explicit Node(const Root &root) : node(root.get()) {}
  Node below(const std::string &path) const { return Node(conduit_node_fetch(node, path.c_str())); }

  void set(const std::string &path, const std::string &text) const
  {
    conduit_node_set_path_char8_str(node, path.c_str(), text.c_str());
  }
  void set(const std::string &path, const std::int64_t number) const
  {
    conduit_node_set_path_int64(node, path.c_str(), number);
  }
  void set(const std::string &path, const double number) const { conduit_node_set_path_float64(node, path.c_str(), number); }

  /// Copied.
  void set(const std::string &path, const std::vector<long long> &values) const
  {
    conduit_node_set_path_int64_ptr(node, path.c_str(), mutable_data<conduit_int64>(values),
                                    static_cast<conduit_index_t>(values.size()));
  }

  /// The values themselves.
  void view(const std::string &path, const std::vector<long long> &values) const
  {
    conduit_node_set_path_external_int64_ptr(node, path.c_str(), mutable_data<conduit_int64>(values),
                                             static_cast<conduit_index_t>(values.size()));
  }
  void view(const std::string &path, const std::vector<double> &values, const int n_components) const
  {
    if (n_components == 1)
      return view_component(path, values, 1, 0);
    const bool is_vector = n_components == 3;
    for (int k = 0; k < n_components; ++k)
      view_component(path + "/" + (is_vector ? std::string(1, "xyz"[k]) : std::to_string(k)), values, n_components, k);
  }

private:
  explicit Node(conduit_node *const node) : node(node) {}

  /// Conduit only reads what it is shown, but does not say so in its types.
  template <typename Number, typename Value>
  static Number *mutable_data(const std::vector<Value> &values)
  {
    return reinterpret_cast<Number *>(const_cast<Value *>(values.data()));
  }

  void view_component(const std::string &path, const std::vector<double> &values, const int n_components,
                      const int component) const
  {
    constexpr conduit_index_t size = sizeof(double);
    conduit_node_set_path_external_float64_ptr_detailed(node, path.c_str(), mutable_data<conduit_float64>(values),
                                                        static_cast<conduit_index_t>(values.size()) / n_components,
                                                        /*offset=*/component * size, /*stride=*/n_components * size,
                                                        /*element_bytes=*/size, CONDUIT_ENDIANNESS_DEFAULT_ID);
  }

  conduit_node *node;
};

/// How many members each group of a list has and where they begin.
struct Groups
{
  std::vector<long long> sizes, offsets;

  void add(const long long size)
  {
    offsets.push_back(sizes.empty() ? 0 : offsets.back() + sizes.back());
    sizes.push_back(size);
  }
  void put_into(const Node &node) const
  {
    node.set("sizes", sizes);
    node.set("offsets", offsets);
  }
};

void add_polygons(const Node &topology, const Mesh &mesh)
{
  Groups    polygons;
  long long begin = 0;
  for (const long long end : mesh.offsets)
    polygons.add(end - std::exchange(begin, end));
  polygons.put_into(topology.below("elements"));
  topology.view("elements/connectivity", mesh.connectivity);
}

/// Cells of faces, and faces of points: copied, since newer versions of ParaView want the points of all faces side by side, without the numbers
/// that Mesh::faces has between them.
void add_polyhedra(const Node &topology, const Mesh &mesh)
{
  Groups                 polyhedra, faces;
  std::vector<long long> faces_of_polyhedra, points_of_faces;
  for (auto entry = mesh.faces.begin(); entry != mesh.faces.end();)
    {
      polyhedra.add(*entry++);
      for (long long k = 0; k < polyhedra.sizes.back(); ++k)
        {
          faces_of_polyhedra.push_back(static_cast<long long>(faces.sizes.size()));
          faces.add(*entry++);
          points_of_faces.insert(points_of_faces.end(), entry, entry + faces.sizes.back());
          entry += faces.sizes.back();
        }
    }
  polyhedra.put_into(topology.below("elements"));
  topology.set("elements/connectivity", faces_of_polyhedra);
  topology.set("subelements/shape", "polygonal");
  faces.put_into(topology.below("subelements"));
  topology.set("subelements/connectivity", points_of_faces);
}

std::string shape(const CellType type)
{
  switch (type)
    {
      case CellType::vertex:
        return "point";
      case CellType::line:
        return "line";
      case CellType::triangle:
        return "tri";
      case CellType::quadrilateral:
        return "quad";
      case CellType::tetrahedron:
        return "tet";
      case CellType::hexahedron:
        return "hex";
      case CellType::polygon:
        return "polygonal";
      case CellType::polyhedron:
        return "polyhedral";
    }
  throw std::invalid_argument("conduit_writer: unknown type of cells.");
}

void add_topology(const Node &topology, const Mesh &mesh)
{
  topology.set("type", "unstructured");
  topology.set("coordset", "coords");
  topology.set("elements/shape", shape(mesh.cell_type));
  if (mesh.cell_type == CellType::polyhedron)
    add_polyhedra(topology, mesh);
  else if (mesh.cell_type == CellType::polygon)
    add_polygons(topology, mesh);
  else
    topology.view("elements/connectivity", mesh.connectivity);
}

/// name: what an array is called.
template <typename Name>
void add_fields(const Node &data, const std::vector<Array> &arrays, const std::string &association, const Name &name)
{
  const ActiveArrays active = active_arrays(arrays);
  for (const Array &array : arrays)
    {
      const Node field = data.below("fields/" + name(array));
      field.set("association", association);
      field.set("topology", "mesh");
      field.set("volume_dependent", "false");
      if (!array.unit.empty())
        field.set("units", array.unit);
      field.view("values", array.values, array.n_components);
      if (&array == active.scalars || &array == active.vectors)
        data.set("state/metadata/vtk_fields/" + name(array) + "/attribute_type",
                 &array == active.scalars ? "Scalars" : "Vectors");
    }
}

void add_mesh(const Node &channel, const Mesh &mesh)
{
  channel.set("type", "mesh");
  const Node data = channel.below("data");
  data.set("coordsets/coords/type", "explicit");
  for (const std::string axis : {"x", "y", "z"})
    data.set("coordsets/coords/units/" + axis, "m");
  data.view("coordsets/coords/values", mesh.geometry().points, 3);
  add_topology(data.below("topologies/mesh"), mesh.geometry());
  // the Blueprint has one list of fields: where points have what the cells have too, the cells keep the name, which pipelines prefer
  const auto is_of_cells = [&mesh](const std::string &name) {
    for (const Array &array : mesh.cell_data)
      if (array.name == name)
        return true;
    return false;
  };
  add_fields(data, mesh.cell_data, "element", [](const Array &array) { return array.name; });
  add_fields(data, mesh.point_data, "vertex", [&is_of_cells](const Array &array) {
    return is_of_cells(array.name) ? array.name + "_at_points" : array.name;
  });
}

/// A snapshot, and the tree of nodes that look into it.
struct Shown
{
  std::shared_ptr<const Snapshot> snapshot;
  Root                            root;
};

std::shared_ptr<const Shown> shown(std::shared_ptr<const Snapshot> snapshot)
{
  Root       root(conduit_node_create());
  const Node node(root);
  node.set("catalyst/state/timestep", snapshot->time_step);
  node.set("catalyst/state/cycle", snapshot->time_step);
  node.set("catalyst/state/time", snapshot->time);
  for (const Mesh &mesh : snapshot->meshes)
    add_mesh(node.below("catalyst/channels/" + mesh.name), mesh);
  return std::make_shared<const Shown>(Shown{std::move(snapshot), std::move(root)});
}

std::string meaning(const catalyst_status status)
{
  switch (status)
    {
      case catalyst_status_error_no_implementation:
        return "nothing is loaded that implements it";
      case catalyst_status_error_already_loaded:
        return "it has been started before";
      case catalyst_status_error_not_found:
        return "libcatalyst-paraview.so was not found; name its folder in the environment variable "
               "CATALYST_IMPLEMENTATION_PATHS";
      case catalyst_status_error_not_catalyst:
        return "what was loaded for ParaView is no implementation of it";
      case catalyst_status_error_incomplete:
        return "what was loaded for ParaView lacks functions of it";
      case catalyst_status_error_unsupported_version:
        return "what was loaded for ParaView implements another version of it";
      default:
        return "status " + std::to_string(static_cast<int>(status)) + "; what ParaView wrote on the error output says more";
    }
}

class LibCatalyst : public CatalystWriter
{
public:
  explicit LibCatalyst(const Options &options);
  ~LibCatalyst() override { finish(); }

  bool wants(double /*time*/, std::int64_t /*step*/) override { return works; }
  void write(std::shared_ptr<const Snapshot> snapshot) override;

  std::vector<Message> messages() override { return std::exchange(said, {}); }
  void                 finish() override;
  double               conversion_time() const override { return seconds; }

private:
  template <typename Call>
  std::string complaint(const Call &call, const Root &parameters) const;

  std::filesystem::path folder;                ///< of extracts
  MPI_Comm              comm  = MPI_COMM_NULL; ///< null: this program does not run MPI
  bool                  works = false, is_running = false;
  /// Per channel the last one: ParaView goes on using its arrays until it gets others.
  std::map<std::string, std::shared_ptr<const Shown>> last;
  std::vector<Message>                                said;
  double                                              seconds = 0.;
};

/// Why a call of Catalyst failed, on any process: one alone in a script would wait for the others for ever. Empty where it succeeded.
template <typename Call>
std::string LibCatalyst::complaint(const Call &call, const Root &parameters) const
{
  const SignalsKept signals;
  const InFolder    here(folder);
  std::string       result;
  try
    {
      const catalyst_status status = call(parameters.get());
      if (status != catalyst_status_ok)
        result = meaning(status);
    }
  catch (const std::exception &error) // Conduit throws them through its C functions
    {
      result = error.what();
    }
  int mine = result.empty(), all = mine;
  if (comm != MPI_COMM_NULL)
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
  return all == mine ? result : "it failed on another process";
}

LibCatalyst::LibCatalyst(const Options &options) : folder(options.directory)
{
  const Root root(conduit_node_create());
  const Node node(root);
  node.set("catalyst_load/implementation", "paraview");
  for (std::size_t k = 0; k < options.scripts.size(); ++k)
    node.set("catalyst/scripts/script" + std::to_string(k) + "/filename", options.scripts[k].string());
  int runs_mpi;
  MPI_Initialized(&runs_mpi);
  if (runs_mpi)
    {
      comm = options.piece.n_pieces > 1 ? MPI_COMM_WORLD : MPI_COMM_SELF;
      node.set("catalyst/mpi_comm", static_cast<std::int64_t>(MPI_Comm_c2f(comm)));
    }
  const std::string problem = complaint(catalyst_initialize, root);
  if (!problem.empty())
    throw std::runtime_error("Catalyst cannot be started: " + problem);
  works = is_running = true;
}

void LibCatalyst::write(std::shared_ptr<const Snapshot> snapshot)
{
  const auto  start         = std::chrono::steady_clock::now();
  const auto  now           = shown(std::move(snapshot));
  const auto &moment        = *now->snapshot;
  seconds                   = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string problem = complaint(catalyst_execute, now->root);
  for (const Mesh &mesh : moment.meshes)
    last[mesh.name] = now;
  works = problem.empty();
  if (!works)
    said.push_back({"Catalyst failed at step " + std::to_string(moment.time_step) +
                        ", and the run goes on without it: " + problem + ".",
                    ""});
}

void LibCatalyst::finish()
{
  if (!std::exchange(is_running, false))
    return;
  works                     = false;
  const std::string problem = complaint(catalyst_finalize, Root(conduit_node_create()));
  if (!problem.empty())
    said.push_back({"Catalyst failed at its end: " + problem + ".", ""});
  last.clear();
}
} // namespace
} // namespace moreau::insitu

extern "C" moreau::insitu::CatalystWriter *moreau_catalyst_writer(const moreau::insitu::CatalystWriter::Options &options)
{
  return new moreau::insitu::LibCatalyst(options);
}
