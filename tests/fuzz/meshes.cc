// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "macro/meshes/mesh_file.h"

#include <stdexcept>

namespace moreau::fuzz
{
namespace
{
void read_as_mesh(const Bytes &bytes)
{
  const std::string file = written("mesh.msh", bytes);
  for (const int dim : {2, 3})
    attempt([&] {
      const auto [lower, upper] = macro::bounding_box(file, dim);
      if (!(lower.allFinite() && upper.allFinite() && (upper - lower).minCoeff() > 0.))
        throw std::logic_error("A mesh was read that has no extent.");
    });
}

/// Small ones, which a mutation changes in a place that matters, and those of prm/ of which some are not.
std::vector<Bytes> seeds()
{
  const std::string  head_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", head_4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  std::vector<Bytes> result = shipped(".msh");
  result.push_back(head_2 + "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1.1 0\n6 2 1 0\n$EndNodes\n"
                            "$Elements\n3\n1 3 2 0 1 1 2 5 4\n2 3 2 0 1 2 3 6 5\n3 1 2 0 1 1 2\n$EndElements\n");
  result.push_back(head_2 + "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n"
                            "$Elements\n1\n1 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n");
  result.push_back(head_2 + "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0 0 2\n"
                            "10 1 0 2\n11 1 1 2\n12 0 1 2\n$EndNodes\n$Elements\n2\n1 5 2 0 1 1 2 3 4 5 6 7 8\n"
                            "2 5 2 0 1 5 6 7 8 9 10 11 12\n$EndElements\n");
  result.push_back(head_4 + "$Entities\n1 0 1 0\n1 0 0 0 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n"
                            "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
                            "$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n");
  return result;
}
} // namespace

Target meshes()
{
  return {"mesh",
          read_as_mesh,
          seeds,
          {"$MeshFormat\n", "$EndMeshFormat\n", "$Nodes\n", "$EndNodes\n", "$Elements\n", "$EndElements\n", "$Entities\n",
           "$EndEntities\n", "4.1 0 8", "2.2 0 8", " 3 2 0 1 ", " 5 2 0 1 ", "-1", "2147483648", "9223372036854775807",
           "1e308", "1e-320"}};
}
} // namespace moreau::fuzz
