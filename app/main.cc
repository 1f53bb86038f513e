// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input/command_line.h"
#include "app/input/macro_setting.h"
#include "app/input/places.h"
#include "app/input/text/words.h"
#include "app/output/output_directory.h"
#include "app/output/pictures.h"
#include "app/run/exchange_commands.h"
#include "app/run/problems.h"
#include "app/run/stop_signals.h"
#include "app/output/summary.h"
#include "app/same_on_all.h"
#include "app/sweep/lists.h"
#include "app/sweep/sweep.h"

#include "convex/input_error.h"
#include "exchange/hdf5_table.h"

#include <deal.II/base/config.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/base/patterns.h>

#include <Eigen/Core>
#include <boost/version.hpp>
#include <dlfcn.h>
#include <sys/mman.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

extern "C" void openblas_set_num_threads(int);
extern "C" void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);

namespace
{
bool main_has_begun = false;
}

/// Stands in for OpenBLAS' own function, which starts threads before main begins: they would only wait and take signals, and
/// where they cannot be started OpenBLAS raises SIGINT. Who asks for threads later, a script in situ, gets them.
extern "C" int blas_thread_init()
{
  using Function        = int (*)();
  const auto of_library = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "blas_thread_init")); // not there in the serial one
  return main_has_begun && of_library ? of_library() : 0;
}

namespace
{
using namespace moreau;
using namespace moreau::app;

void print_version()
{
  const std::string catalyst = insitu::catalyst_version();
  std::cout << "moreau " << version() << "\ndeal.II " << DEAL_II_PACKAGE_VERSION << "\nTrilinos "
            << DEAL_II_TRILINOS_VERSION_MAJOR << '.' << DEAL_II_TRILINOS_VERSION_MINOR << '.'
            << DEAL_II_TRILINOS_VERSION_SUBMINOR << "\nEigen " << EIGEN_WORLD_VERSION << '.' << EIGEN_MAJOR_VERSION << '.'
            << EIGEN_MINOR_VERSION << "\nBoost " << BOOST_VERSION / 100000 << '.' << BOOST_VERSION / 100 % 1000 << '.'
            << BOOST_VERSION % 100 << "\nCatalyst " << (catalyst.empty() ? "no" : catalyst) << '\n';
}

int print_parameters(const CommandLine &options)
{
  try
    {
      const auto entries = of_section(ParameterFile().entries(), options.section);
      if (options.manual == "json")
        print_schema(std::cout, entries);
      else if (options.manual == "markdown")
        print_tables(std::cout, entries);
      else
        print_manual(std::cout, entries);
      return 0;
    }
  catch (const InputError &error)
    {
      std::cerr << printable("moreau: " + error.sentence) << std::endl;
      return static_cast<int>(ExitStatus::bad_input);
    }
}

/// The status where what is printed is all that was asked for: a full disk takes none of it.
int status_of_printing(const int status)
{
  if (std::cout.flush())
    return status;
  std::cerr << "moreau: Standard output cannot be written; the disk may be full." << std::endl;
  return static_cast<int>(ExitStatus::bad_input);
}

/// The processes of an MPI run as this one sees them.
struct Company
{
  unsigned int rank = 0, n = 1;
  MPI_Comm     for_errors  = MPI_COMM_NULL;
  bool         is_set_up   = false; ///< what follows is known
  bool         shared_work = false; ///< all processes work on the problem, and wait for each other

  bool is_first() const { return rank == 0; }
};

/// OpenBLAS keeps the buffer of its first call, and asks for it again and again, for ever, where there is no memory.
void require_buffer_of_openblas()
{
  constexpr std::size_t size = 256u << 20; // twice what it takes
  void *const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  munmap(memory, size);
  const int n    = 1;
  double    A    = 1.;
  int       info = 0;
  dpotrf_("L", &n, &A, &n, &info);
}

/// How many threads this process may have, of those that are wanted. Libraries end the program where one cannot be started.
unsigned int startable_threads(const unsigned int wanted)
{
  std::promise<void>       all_started;
  const auto               all = all_started.get_future().share();
  std::vector<std::thread> threads;
  try
    {
      while (threads.size() + 1 < wanted)
        threads.emplace_back([all] { all.wait(); });
    }
  catch (const std::system_error &)
    {}
  all_started.set_value();
  for (std::thread &thread : threads)
    thread.join();
  return 1 + static_cast<unsigned int>(threads.size());
}

/// What several processes must agree on before they begin.
std::vector<std::pair<std::string, std::string>> what_is_asked_for(const CommandLine &options, const ParameterFile &file)
{
  auto       values = file.values_as_text();
  const auto option = [&](const std::string &name, const bool is_given) {
    values.emplace_back(name, is_given ? "given" : "not given");
  };
  values.insert(values.begin(), {"Version", version()});
  option("--resume", options.resume);
  option("--check", options.action == CommandLine::Action::check);
  return values;
}

int run(const CommandLine &options, Company &company)
{
  if (company.n > 1 && options.parameter_file == ParameterFile::standard_input)
    throw InputError("Several processes cannot read standard input; give the name of a file.");
  if (company.n == 1)
    say_what_ends(options.parameter_file);
  else // else mpirun speaks, and ends the others by SIGTERM where one has spoken
    say_what_ends_all(options.parameter_file, company.is_first());
  if (!options.sweeps.empty())
    {
      if (company.n > 1)
        throw InputError("The runs of a sweep are processes of their own; start it without mpirun, on one machine.");
      Log log(options.quiet ? nullptr : &std::cout);
      return static_cast<int>(sweep(options, log));
    }
  ParameterFile file(options.parameter_file, options.settings);
  if (!options.output.empty())
    file.set("Output directory", options.output);
  else if (file.values().output_directory.empty())
    file.set("Output directory", "output/" + (options.parameter_file == ParameterFile::standard_input
                                                  ? "standard_input"
                                                  : std::filesystem::path(options.parameter_file).stem().string()));

  const geometry::Processes all = company.n > 1 ? geometry::Processes(MPI_COMM_WORLD) : geometry::Processes::alone();
  require_same_values(what_is_asked_for(options, file), all);
  require_usable(file.values().output_directory, options.resume);
  find_catalyst_scripts(file);

  company.shared_work = company.n > 1 && is_distributed(file.values());
  if (company.shared_work)
    require_same_files(file, options.resume, all);
  company.is_set_up = true;
  std::optional<tbb::global_control> thread_limit;
  const unsigned int                 share  = std::max(1u, std::thread::hardware_concurrency() / company.n);
  const unsigned int                 wanted = options.threads > 0         ? options.threads
                                              : file.values().threads > 0 ? file.values().threads
                                              : company.shared_work       ? share
                                                                          : tbb::this_task_arena::max_concurrency();
  const unsigned int                 n      = startable_threads(wanted);
  if (n < wanted || options.threads > 0 || file.values().threads > 0 || company.shared_work)
    {
      dealii::MultithreadInfo::set_thread_limit(n);
      thread_limit.emplace(tbb::global_control::max_allowed_parallelism, n);
    }

  if (!company.is_first() && !company.shared_work)
    {
      for (const int signal : {SIGTERM, SIGINT}) // process 0 decides when it can stop
        std::signal(signal, SIG_IGN);
      return 0;
    }
  Log log(options.quiet || !company.is_first() ? nullptr : &std::cout);
  if (company.n > 1 && !company.shared_work)
    log.line("This problem is not distributed: process 0 of " + std::to_string(company.n) +
             " does the work, the others wait.");
  if (n < wanted)
    log.line("Of " + std::to_string(wanted) + " threads " + std::to_string(n) +
             " can be started; the results are the same.");
  if (options.action == CommandLine::Action::check)
    {
      check_problem(file, log);
      return 0;
    }
  require_buffer_of_openblas();
  log.line("moreau " + version() + ": " + file.values().problem + " of " + options.parameter_file);
  const ExitStatus status = run_problem(file, log, options.resume);
  if (!company.is_first())
    return static_cast<int>(status);
  if (status == ExitStatus::not_converged)
    std::cerr << "moreau: " << options.parameter_file << ": Solver: It stopped above the tolerance; the results in "
              << file.values().output_directory << " are marked 'not converged'." << std::endl;
  else if (status == ExitStatus::interrupted || status == ExitStatus::terminated)
    std::cerr << "moreau: " << options.parameter_file
              << ": It was told to stop; the same command with --resume goes on from "
              << "the checkpoint in " << file.values().output_directory << "." << std::endl;
  return static_cast<int>(status);
}

/// Whether every process came to its own error within two seconds, so that none waits for another.
bool all_failed(const Company &company)
{
  MPI_Request request;
  MPI_Ibarrier(company.for_errors, &request);
  int arrived = 0;
  for (int tries = 0; !arrived && tries < 200; ++tries)
    {
      MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  return arrived;
}

constexpr const char *no_memory_for_parameters = "There is not enough memory to read parameters.";

/// Runs and turns every error into one sentence on stderr and the exit status. An error of one process among several that
/// share the work ends them all.
int guarded_run(const CommandLine &options, Company &company)
{
  const auto complain = [&](const std::string &place, const std::string &message, const ExitStatus status) {
    // a process that fails before it knows, as one that does not see the file, does not know what others do
    const bool may_wait    = company.n > 1 && (company.shared_work || !company.is_set_up);
    const bool others_wait = may_wait && !all_failed(company);
    if (others_wait || company.is_first())
      std::cerr << printable("moreau: " + options.parameter_file +
                             (others_wait && !company.is_first() ? of_process(static_cast<int>(company.rank)) : "") + ": " +
                             place + (place.empty() ? "" : ": ") + message)
                << std::endl;
    if (others_wait)
      MPI_Abort(MPI_COMM_WORLD, static_cast<int>(status));
    return static_cast<int>(status);
  };
  try
    {
      return run(with_lists_as_sweeps(options), company);
    }
  catch (const InputError &error)
    {
      return complain(place_of(error.subject), error.sentence, ExitStatus::bad_input);
    }
  catch (const std::bad_alloc &)
    {
      return complain("", "There is not enough memory for this problem; use fewer spheres or cells, or a machine with more.",
                      ExitStatus::other);
    }
  // the defaults of parameters match their patterns, unless deal.II has no memory to look
  catch (const dealii::Patterns::Tools::ExcNoMatch &)
    {
      return complain("", no_memory_for_parameters, ExitStatus::other);
    }
  catch (const dealii::ParameterHandler::ExcValueDoesNotMatchPattern &)
    {
      return complain("", no_memory_for_parameters, ExitStatus::other);
    }
  catch (const std::exception &error)
    {
      return complain("", error.what(), ExitStatus::other);
    }
}

/// The rank that OpenMPI, MPICH or Slurm gave this process when they started it; null where none of them did.
const char *launched_rank()
{
  for (const char *const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char *const rank = std::getenv(name))
      return rank;
  return nullptr;
}

/// The exit status of process 0, on every process. Waiting processes sleep: MPI's own waiting would keep a core busy.
int status_of_first(int status)
{
  MPI_Request request;
  MPI_Ibcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int arrived = 0; !arrived;)
    {
      MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
      if (!arrived)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  return status;
}
} // namespace

/// Signals that ask the program to end go to the main thread, which knows when
/// it can: a process takes them on any thread that does not block them.
class SignalsOfWorkers : public tbb::task_scheduler_observer
{
public:
  SignalsOfWorkers() { observe(true); }
  ~SignalsOfWorkers() override { observe(false); }

  void on_scheduler_entry(const bool is_worker) override
  {
    if (is_worker)
      block();
  }

  static void block()
  {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }
};

/// What libraries throw where nobody can catch it, in threads that they start and while the program ends.
[[noreturn]] void end_with_a_sentence()
{
  std::string reason = "it was ended by a library";
  try
    {
      if (const std::exception_ptr error = std::current_exception())
        std::rethrow_exception(error);
    }
  catch (const std::exception &error)
    {
      reason = error.what();
    }
  catch (...)
    {}
  std::cerr << "moreau: The program cannot go on: " << reason << "; there may be too little memory or too few threads."
            << std::endl;
  std::_Exit(static_cast<int>(ExitStatus::other));
}

int main(int argc, char *argv[])
{
  openblas_set_num_threads(1); // threads belong to the solvers, which keep results independent of their number
  main_has_begun = true;
  std::set_terminate(end_with_a_sentence);
  const SignalsOfWorkers workers;
  std::signal(SIGXFSZ, SIG_IGN); // a file size limit then is an error of write(), with a sentence, instead of a silent end

  CommandLine options;
  try
    {
      options = parse_command_line(argc, argv);
    }
  catch (const InputError &error)
    {
      std::cerr << printable("moreau: " + error.sentence) << std::endl;
      return static_cast<int>(ExitStatus::bad_input);
    }
  const bool is_run = options.action == CommandLine::Action::run || options.action == CommandLine::Action::check;
  if (const char *const rank = launched_rank(); !is_run && rank && std::string(rank) != "0")
    return 0; // process 0 says it once
  switch (options.action)
    {
      case CommandLine::Action::help:
        std::cout << usage;
        return status_of_printing(0);
      case CommandLine::Action::version:
        print_version();
        return status_of_printing(0);
      case CommandLine::Action::parameters:
        return status_of_printing(print_parameters(options));
      case CommandLine::Action::certify:
      case CommandLine::Action::convert:
        return status_of_printing(app::exchange(options));
      case CommandLine::Action::run:
      case CommandLine::Action::check:
        break;
    }

  Company company;
  // a lone process does without MPI: its start costs as much as the rest of a small run and needs a session directory
  if (!launched_rank())
    return guarded_run(options, company);
  moreau::exchange::begin_hdf5(); // else MPI would end it, and crash where a file cannot be written to its end
  const dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); // p4est lets errors return, which nobody here would see
  company.rank = dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD);
  company.n    = dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &company.for_errors);
  const int status = status_of_first(guarded_run(options, company));
  MPI_Comm_free(&company.for_errors);
  return status;
}
