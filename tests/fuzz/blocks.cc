// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/input/line_setting.h"
#include "app/run/flow/line_flow.h"
#include "app/run/flow/line_output.h"
#include "convex/input_error.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace moreau::fuzz
{
namespace
{
constexpr const char *flow_of_blocks = R"(set Problem = congested flow
set Dimension = 1
set Restitution = 0.5
subsection Congested flow
  set Method = exact blocks
end
subsection Mesh
  set Cells per unit length = 8
end
)";

/// Throws std::logic_error where the blocks are not in order or a number of them is none.
void require_order(const macro::Parcels &parcels)
{
  constexpr double rounding = 1e-9; // of the extent
  const double     extent   = std::max(std::abs(parcels.left.front()), std::abs(parcels.right.back()));
  for (std::size_t k = 0; k < parcels.u.size(); ++k)
    if (!std::isfinite(parcels.left[k]) || !std::isfinite(parcels.right[k]) || !std::isfinite(parcels.u[k]) ||
        !(parcels.left[k] < parcels.right[k]) || (k > 0 && !(parcels.right[k - 1] <= parcels.left[k] + rounding * extent)))
      throw std::logic_error("Blocks are not in order.");
}

/// What blocks.csv says of them is read again.
void require_readable(const app::LineRecord &record, app::ParameterFile &flow)
{
  std::string text = "t,block,left,right,u\n";
  for (const std::string &row : app::rows_of_blocks(record))
    text += row + '\n';
  flow.set("Congested flow/Blocks file", written("again.csv", text));
  try
    {
      if (app::LineSetting(flow).blocks().size() != record.parcels.u.size())
        throw std::logic_error("Blocks that are written and read again are others.");
    }
  catch (const InputError &error)
    {
      throw std::logic_error("Blocks that were written cannot be read: " + error.sentence);
    }
}

/// The blocks of a flow move, for about as long as the fastest one needs through all of them.
void move_blocks(const std::string &file, app::ParameterFile &of_flow, const bool has_force)
{
  of_flow.set("Congested flow/Blocks file", file);
  const app::LineSetting setting(of_flow);
  const auto             flow = app::make_line_flow("exact blocks", setting);
  app::LineMeter         meter(setting, *flow);
  const app::LineRecord  first = meter.record();
  const macro::Parcels  &begin = first.parcels;
  require_order(begin);
  constexpr std::size_t many = 300;
  if (begin.u.size() > many)
    return;
  const double extent = begin.right.back() - begin.left.front();
  flow->advance(std::min(.01, extent / first.largest_speed));
  const app::LineRecord last = meter.record();
  require_order(last.parcels);
  if (!has_force && !(last.kinetic_energy <= first.energy_before * (1. + 1e-9)))
    throw std::logic_error("Blocks have more energy than before.");
  require_readable(first, of_flow);
}

/// Alone, and between walls with a force.
void read_blocks(const Bytes &bytes)
{
  static app::ParameterFile alone(written("flow.prm", flow_of_blocks), {}),
      between_walls(written("flow.prm", flow_of_blocks), {"Zone/Walls=left, right", "Force/Function expression=-9.81"});
  const std::string file = written("blocks.csv", bytes);
  attempt([&] { move_blocks(file, alone, false); });
  attempt([&] { move_blocks(file, between_walls, true); });
}

std::vector<Bytes> seeds()
{
  std::vector<Bytes> result = {"left,right,u\n0,0.25,1\n0.25,0.5,1\n0.625,0.75,-2\n",
                               "t u right left block # comment\n0 9 9 8 0\n1 1 0.4 0.2 0\n1 -1 0.5 0.4 1\n",
                               "left,right,u\r\n.1,.2,1e3\r\n.2000001,.3,0\r\n.3000002,.4,0\r\n.4000003,.9,-1e3\r\n"};
  for (const Bytes &seed : shipped(".csv"))
    if (seed.find("left") != Bytes::npos)
      result.push_back(seed);
  return result;
}
} // namespace

Target files_of_blocks()
{
  return {"blocks",
          read_blocks,
          seeds,
          {"t,", "block,", "left,", "right,", "u", "1e308", "-1e308", "1e-320", "1e150", "1e-150", "1e-12", "nan", "inf",
           "#", "\r\n", "\t", "1e-300", "0.25", "0.2500000000000001"}};
}
} // namespace moreau::fuzz
