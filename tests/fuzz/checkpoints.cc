// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/targets.h"

#include "app/output/checkpoint.h"
#include "app/output/log.h"
#include "app/run/problems.h"
#include "convex/input_error.h"

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

namespace moreau::fuzz
{
namespace fs = std::filesystem;

namespace
{
/// Runs of two steps, which --resume makes three steps long: of everything that has checkpoints.
const std::map<std::string, std::string> runs = {{"discs", R"(set Problem = particle motion
set Restitution = 0.5
set Threads = 1
subsection Spheres
  set File = discs.csv
end
subsection Zone
  set Walls = bottom
end
subsection Force
  set Function expression = -0.1*ux; -10
end
subsection Time
  set Time step = 0.01
  set Output every = 0.02
  set End time = 0.02
end
)"},
                                                 {"oscillator", R"(set Problem = particle motion
set Restitution = 0.5
subsection System
  set Type = oscillator with a stop
end
subsection Time
  set Scheme = inertia operator
  set Time step = 0.01
  set End time = 0.02
end
)"},
                                                 {"flow", R"(set Problem = congested flow
set Dimension = 1
set Restitution = 0.5
subsection Zone
  set Function expression = if(x < 0.5, 1, 0.5)
  set Walls = left
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1)
end
subsection Mesh
  set Cells per unit length = 8
end
subsection Time
  set Time step = 0.01
  set Output every = 0.02
  set End time = 0.02
end
)"},
                                                 {"blocks", R"(set Problem = congested flow
set Dimension = 1
set Restitution = 0.5
subsection Congested flow
  set Method = exact blocks
end
subsection Zone
  set Function expression = if(x < 0.25 | x > 0.26 & x < 0.5 | x > 0.505, 1, 0)
  set Walls = left, right
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1)
end
subsection Mesh
  set Cells per unit length = 8
end
subsection Time
  set Time step = 0.01
  set Output every = 0.02
  set End time = 0.02
end
)"},
                                                 {"splitting", R"(set Problem = congested flow
set Dimension = 1
set Restitution = 0
subsection Congested flow
  set Method = splitting
end
subsection Zone
  set Function expression = if(x < 0.5, 1, 0.5)
end
subsection Velocity
  set Function expression = if(x < 0.5, 1, -1)
end
subsection Mesh
  set Cells per unit length = 4
end
subsection Time
  set Time step = 0.01
  set Output every = 0.02
  set End time = 0.02
end
)"}};

Bytes content(const fs::path &file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A run that has ended after two steps, and what makes it longer.
struct Ended
{
  explicit Ended(const std::string &name)
  {
    written("discs.csv", "x,y,radius,ux,uy\n0.2,0.101,0.1,1,-1\n0.45,0.1,0.1,-2,0\n0.7,0.35,0.1,0,-1\n");
    const fs::path prm = written(name + ".prm", runs.at(name));
    folder             = prm.parent_path() / ("ended_" + name);
    resumed            = prm.parent_path() / ("resumed_" + name);
    app::Log           log(nullptr);
    app::ParameterFile first(prm, {"Output directory=" + folder.string()});
    app::run_problem(first, log, false);
    longer = std::make_unique<app::ParameterFile>(
        prm, std::vector<std::string>{"Output directory=" + resumed.string(), "Time/End time=0.03"});
    checkpoint = content(folder / app::Checkpoint::file_name);
  }

  fs::path                            folder, resumed;
  std::unique_ptr<app::ParameterFile> longer;
  Bytes                               checkpoint;
};

const std::map<std::string, Ended> &ended()
{
  static const auto all = [] {
    std::map<std::string, Ended> result;
    for (const auto &[name, text] : runs)
      result.emplace(name, name);
    return result;
  }();
  return all;
}

std::size_t length_of_header(const Bytes &checkpoint) { return checkpoint.find('\n') + 1; }

/// The bytes behind a header that fits them, as of a file that somebody has made up.
Bytes with_header(const Bytes &payload)
{
  const Bytes       &example = ended().begin()->second.checkpoint;
  std::istringstream words(example.substr(0, length_of_header(example)));
  std::ostringstream header;
  for (int k = 0; k < 4; ++k)
    {
      std::string word;
      words >> word;
      header << word << ' ';
    }
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08lx", crc32_z(0, reinterpret_cast<const Bytef *>(payload.data()), payload.size()));
  header << payload.size() << ' ' << sum << '\n';
  return header.str() + payload;
}

/// Goes on from it as --resume does, where it is a checkpoint of one of the runs. What does not begin as one is what stands
/// behind the header.
void read_checkpoint(const Bytes &bytes)
{
  const Bytes    file   = bytes.rfind("moreau", 0) == 0 ? bytes : with_header(bytes);
  const fs::path folder = fs::path(written("checkpoint.moreau", file)).parent_path();
  const auto     found  = app::read_checkpoint(folder);
  for (const auto &[name, run] : ended())
    if (found.parameters == app::lasting_parameters(*run.longer))
      {
        fs::remove_all(run.resumed);
        fs::copy(run.folder, run.resumed);
        std::ofstream(run.resumed / app::Checkpoint::file_name, std::ios::binary) << file;
        app::Log log(nullptr);
        app::run_problem(*run.longer, log, true);
      }
}

std::vector<Bytes> seeds()
{
  std::vector<Bytes> result;
  for (const auto &[name, run] : ended())
    {
      result.push_back(run.checkpoint.substr(length_of_header(run.checkpoint)));
      result.push_back(run.checkpoint);
    }
  return result;
}
} // namespace

Target checkpoints()
{
  return {"checkpoint",
          read_checkpoint,
          seeds,
          {"moreau checkpoint 3 ", "reals", "integers", "run", "files", "tables", "statistics.csv", "pictures", "totals",
           "0/step", "0/r", "0/bodies", "0/events", "0/numbers", "\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00",
           "\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\x1b\x7f\xff\xff\xff\xff\xff\xff\xff",
           "\x3b\x7f\xff\xff\xff\xff\xff\xff\xff"}};
}
} // namespace moreau::fuzz
