// SPDX-License-Identifier: GPL-3.0-or-later
// The part of moreau that knows ParaView's Catalyst: a library of its own, which catalyst.cc loads.
#include "insitu/catalyst.h"
#include "insitu/plugin/process_guards.h"
#include "insitu/plugin/script_guards.h"
#include "insitu/plugin/script_output.h"
#include "insitu/plugin/vtk_data.h"

#include <mpi.h>
#include <vtkCPDataDescription.h>
#include <vtkCPInputDataDescription.h>
#include <vtkCPProcessor.h>
#include <vtkCPPythonPipeline.h>
#include <vtkCompositeDataSet.h>
#include <vtkInformation.h>
#include <vtkLogger.h>
#include <vtkMPI.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPythonInterpreter.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include <X11/Xlib.h> // last: it defines words like Status and Bool

namespace moreau::insitu
{
namespace
{
/// A process without MPI gets it until its end: ParaView would end it with itself, which others may not be ready for.
void start_mpi()
{
  int is_running;
  MPI_Initialized(&is_running);
  if (is_running)
    return;
  // OpenMPI is alone here; else it looks for ssh, and ends the program where there is none
  setenv("OMPI_MCA_plm", "isolated", /*overwrite=*/0);
  MPI_Init(nullptr, nullptr);
  std::atexit([] {
    int has_ended;
    MPI_Finalized(&has_ended);
    if (!has_ended)
      MPI_Finalize();
  });
}

/// A connection to the display. It stays open: an X server of the moment, such as xvfb-run starts, begins anew when its last
/// client has gone, and ParaView would come while it does.
class DisplayConnection
{
public:
  DisplayConnection() : display(XOpenDisplay(nullptr)) {}
  ~DisplayConnection()
  {
    if (exists())
      XCloseDisplay(display);
  }
  DisplayConnection(const DisplayConnection &) = delete;

  bool exists() const { return display != nullptr; }

private:
  Display *display;
};

/// The script's folder is where it finds its own modules.
void add_to_path(const std::filesystem::path &folder)
{
  std::string text;
  for (const char letter : folder.string())
    text += letter == '\\' || letter == '\'' ? std::string("\\") + letter : std::string(1, letter);
  vtkPythonInterpreter::RunSimpleString(
      ("import sys\nif '" + text + "' not in sys.path: sys.path.append('" + text + "')\n").c_str());
}

/// Rounding mode, traps and flags of floating point numbers as they were: those that a script or a library sets would change
/// the numbers of the run.
class KeptArithmetic
{
public:
  KeptArithmetic() { std::fegetenv(&environment); }
  ~KeptArithmetic() { std::fesetenv(&environment); }
  KeptArithmetic(const KeptArithmetic &) = delete;

private:
  std::fenv_t environment = {};
};

/// What one of ParaView's functions says, 0 for a failure; an exception is one, too, and a complaint.
bool succeeds(const std::function<int()> &run)
{
  const KeptArithmetic kept;
  try
    {
      return run() != 0;
    }
  catch (const std::exception &error)
    {
      vtkOutputWindow::GetInstance()->DisplayErrorText(error.what());
      return false;
    }
}

class ParaView : public CatalystWriter
{
public:
  explicit ParaView(const Options &options);
  ~ParaView() override;

  bool wants(double time, std::int64_t step) override;
  void write(std::shared_ptr<const Snapshot> snapshot, const geometry::Progress &progress) override;

  std::vector<Message> messages() override { return std::exchange(said, {}); }
  void                 finish() override;
  double               conversion_time() const override { return seconds; }

private:
  struct Script
  {
    std::filesystem::path                file;
    vtkSmartPointer<vtkCPPythonPipeline> pipeline; ///< null once it has failed
    bool                                 is_asked = false;
  };

  void        start(Script &script);
  void        require(Script &script, bool succeeded, const std::string &where);
  bool        on_all(bool succeeded) const;
  std::string complaint_of_first(bool succeeded, std::string complaints) const;
  void        add_channels(const std::shared_ptr<const Snapshot> &snapshot);

  std::filesystem::path         folder;     ///< of extracts
  double                        time_limit; ///< s, of a call
  const DisplayConnection       display;
  MPI_Comm                      comm;
  vtkNew<vtkCPProcessor>        processor;
  vtkNew<vtkCPDataDescription>  description;
  vtkSmartPointer<ScriptOutput> output;
  std::vector<Script>           scripts;
  std::vector<Message>          said;
  std::set<std::string>         complained; ///< said once
  double                        seconds = 0.;
};

ParaView::ParaView(const Options &options) : folder(options.directory), time_limit(options.time_limit)
{
  const SignalsKept signals;
  vtkLogger::EnableUnsafeSignalHandler = false;
  start_mpi();
  comm = options.piece.n_pieces > 1 ? MPI_COMM_WORLD : MPI_COMM_SELF;
  vtkMPICommunicatorOpaqueComm opaque(&comm);
  if (!processor->Initialize(opaque))
    throw std::runtime_error("Catalyst cannot be started");
  vtkPythonInterpreter::Initialize();
  output = ScriptOutput::installed(); // after ParaView's own
  for (const std::string &guard : script_guards(time_limit, display.exists()))
    vtkPythonInterpreter::RunSimpleString(guard.c_str());
  for (const std::filesystem::path &file : options.scripts)
    {
      scripts.push_back({file, nullptr});
      start(scripts.back());
    }
}

void ParaView::start(Script &script)
{
  const InFolder   here(folder);
  const Watchdog   watchdog(script.file, time_limit);
  const CrashNamed crash(script.file);
  add_to_path(script.file.parent_path());
  script.pipeline = vtkCPPythonPipeline::CreateAndInitializePipeline(script.file.c_str(), /*default_version=*/2);
  require(script, script.pipeline != nullptr, "could not be started");
}

ParaView::~ParaView()
{
  succeeds([this] {
    finish();
    return 1;
  });
  processor->Finalize();
}

/// The same on every process: one alone in a script would wait for the others for ever.
bool ParaView::on_all(const bool succeeded) const
{
  int mine = succeeded, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

/// What the first process complains of that did not succeed, on all.
std::string ParaView::complaint_of_first(const bool succeeded, std::string complaints) const
{
  int rank, n;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n);
  int mine = succeeded ? n : rank, first;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  int length = static_cast<int>(complaints.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  complaints.resize(length);
  MPI_Bcast(complaints.data(), length, MPI_CHAR, first, comm);
  return complaints;
}

void ParaView::require(Script &script, const bool succeeded, const std::string &where)
{
  const bool  all_succeeded = on_all(succeeded);
  std::string complaints    = output->take_complaints();
  if (!all_succeeded)
    complaints = complaint_of_first(succeeded, std::move(complaints));
  const std::string why  = reason(complaints);
  const std::string name = script.file.filename().string();
  if (!all_succeeded)
    {
      script.pipeline = nullptr;
      said.push_back(
          {name + " " + where + ", and the run goes on without it: " + (why.empty() ? "ParaView does not say why" : why),
           complaints});
    }
  else if (!why.empty() && complained.insert(without_addresses(complaints)).second)
    said.push_back({"ParaView complains in " + name + ": " + why, complaints});
  for (const std::string &line : output->take_lines())
    said.push_back({line, ""});
}

void ParaView::finish()
{
  const InFolder here(folder);
  for (Script &script : scripts)
    if (script.pipeline != nullptr)
      {
        const Watchdog   watchdog(script.file, time_limit);
        const CrashNamed crash(script.file);
        require(script, succeeds([&] { return script.pipeline->Finalize(); }), "failed at its end");
      }
  scripts.clear();
}

bool ParaView::wants(const double time, const std::int64_t step)
{
  bool any = false;
  for (Script &script : scripts)
    {
      script.is_asked = false;
      if (script.pipeline == nullptr)
        continue;
      description->ResetAll();
      description->SetTimeData(time, step);
      const Watchdog   watchdog(script.file, time_limit);
      const CrashNamed crash(script.file);
      const bool       asks = script.pipeline->RequestDataDescription(description) != 0;
      require(script, !output->has_python_errors(), "failed");
      script.is_asked = script.pipeline != nullptr && !on_all(!asks); // all together, if one of them
      any             = any || script.is_asked;
    }
  return any;
}

void ParaView::add_channels(const std::shared_ptr<const Snapshot> &snapshot)
{
  const auto set = [this](const std::string &channel, vtkDataObject *const data) {
    description->AddInput(channel.c_str());
    description->GetInputDescriptionByName(channel.c_str())->SetGrid(data);
  };
  vtkNew<vtkMultiBlockDataSet> all; // what ParaView makes of solution.pvd
  for (const Mesh &mesh : snapshot->meshes)
    {
      const vtkSmartPointer<vtkDataSet> data = vtk_data({snapshot, &mesh});
      set(mesh.name, data);
      const unsigned int k = all->GetNumberOfBlocks();
      all->SetBlock(k, data);
      all->GetMetaData(k)->Set(vtkCompositeDataSet::NAME(), mesh.name.c_str());
    }
  if (snapshot->meshes.size() == 1)
    set("solution.pvd", all->GetBlock(0));
  else
    set("solution.pvd", all);
}

void ParaView::write(std::shared_ptr<const Snapshot> snapshot, const geometry::Progress &progress)
{
  const auto start = std::chrono::steady_clock::now();
  add_channels(snapshot);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  geometry::Steps shown(progress, std::count_if(scripts.begin(), scripts.end(), [](const Script &s) { return s.is_asked; }));
  for (Script &script : scripts)
    if (script.is_asked)
      {
        const InFolder   here(folder); // anew: a script may go elsewhere
        const Watchdog   watchdog(script.file, time_limit);
        const CrashNamed crash(script.file);
        description->SetTimeData(snapshot->time, snapshot->time_step);
        require(script, succeeds([&] { return script.pipeline->CoProcess(description); }), "failed");
        shown.done();
      }
}
} // namespace
} // namespace moreau::insitu

extern "C" moreau::insitu::CatalystWriter *moreau_catalyst_writer(const moreau::insitu::CatalystWriter::Options &options)
{
  return new moreau::insitu::ParaView(options);
}
