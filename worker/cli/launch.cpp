#include <sys/uio.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/host.h"
#include "base/joined.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cli/launch/mpirun_command.h"
#include "cli/launch/supervise.h"
#include "cli/options/number_checks.h"
#include "cli/verbs.h"
#include "config/units.h"
#include "device/cpu_quota.h"
#include "device/gpu.h"

namespace ganscale::cli {
namespace {

constexpr std::array<std::string_view, 3> kOwnOptions{"-n", "--ranks", "--hostfile"};

constexpr auto kLaunchExample =
    "\n"
    "Examples:\n"
    "  ganscale launch train --data photos/ --run runs/photos\n"
    "  ganscale launch -n 2 train --config demo --set data.path=emoji --run runs/demo\n"
    "  ganscale launch --hostfile hosts train --config my.yaml --run runs/big\n"
    "\n"
    "Starts train, evaluate, bench or preflight with mpirun: one rank for each GPU of this "
    "machine,\n"
    "or, without GPUs, up to four ranks that share its cores. A hostfile has a line for each "
    "machine,\n"
    "such as `name slots=8`; mpirun reaches them by SSH, or within a Slurm allocation. Without a\n"
    "hostfile, each task of an allocation is a rank: allocate with --ntasks-per-node=8 for 8\n"
    "GPUs. If you need other options of mpirun, start mpirun yourself.\n"
    "\n"
    "On Ctrl-C, SIGTERM or SIGUSR1 the run writes a checkpoint and ends with exit code 143.\n"
    "A second signal ends it at once.";

bool reads_other_processes() {
  char from = 0;
  char to = 0;
  const iovec local{&to, 1};
  const iovec remote{&from, 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

Surroundings look_around() {
  return {.gpus = device::visible_gpu_count(),
          .cores = device::usable_cores(),
          .in_slurm = std::getenv("SLURM_JOB_ID") != nullptr,
          .slurm_tasks = environment_variable({"SLURM_TASKS_PER_NODE"}),
          .is_root = geteuid() == 0,
          .terminal_columns = terminal::is_open() ? terminal::columns() : 0,
          .reads_other_processes = reads_other_processes(),
          .passed_on = variables_to_pass_on(environ)};
}

/// How long mpirun may run after a rank lost another; docker/entrypoint.sh reads the same variable.
std::chrono::seconds mpirun_timeout() {
  constexpr const char* kVariable = "GANSCALE_MPIRUN_SECONDS";
  const char* text = std::getenv(kVariable);
  if (text == nullptr) return std::chrono::seconds(60);
  const auto seconds = config::parse_integer(text);
  if (!seconds || *seconds < 0)
    throw UsageError(std::string(kVariable) + ": expected a number of seconds: " + text);
  return std::chrono::seconds(*seconds);
}

void require_verb(const LaunchRequest& request) {
  const bool is_known =
      !request.command.empty() &&
      std::ranges::find(kLaunchedVerbs, request.command.front()) != kLaunchedVerbs.end();
  if (is_known) return;
  throw UsageError("launch takes one of " + joined(kLaunchedVerbs) + ", with its options: " +
                   (request.command.empty() ? "nothing" : request.command.front()));
}

/// Throws UsageError if an option of launch follows the verb, which does not know it.
void require_own_options_first(const LaunchRequest& request) {
  const std::string& verb = request.command.front();
  for (const std::string& word : request.command) {
    const std::string option = word.substr(0, word.find('='));
    const bool is_of_verb = verb == "bench" && option == "--ranks";
    if (is_of_verb || std::ranges::find(kOwnOptions, option) == kOwnOptions.end()) continue;
    throw UsageError(option + " goes before the verb, as in ganscale launch " + option +
                     (option == "--hostfile" ? " hosts " : " 2 ") + verb);
  }
}

/// ranks: 0: mpirun decides.
void log_launch(const LaunchRequest& request, const Surroundings& here, int ranks) {
  if (ranks > 0) {
    log::info("Launching", {{"ranks", ranks}, {"gpus", here.gpus}, {"cores", here.cores}});
    return;
  }
  log::info(request.hostfile.empty() ? "Launching a rank for each task of the Slurm allocation"
                                     : "Launching a rank for each slot of the hostfile",
            {{"gpus", here.gpus}, {"cores", here.cores}});
  if (const auto tasks = ranks_unlike_gpus(request, here)) {
    log::warning(
        "The Slurm allocation has another number of tasks for this machine than it has GPUs; for "
        "a rank on each GPU, allocate with this option",
        {{"tasks", *tasks},
         {"gpus", here.gpus},
         {"option", "--ntasks-per-node=" + std::to_string(here.gpus)}});
  }
}

ExitCode launch(const LaunchRequest& request) {
  require_verb(request);
  require_own_options_first(request);
  const Surroundings here = look_around();
  const int ranks = ranks_of(request, here);
  for (const auto& [name, value] : environment_of(here))
    setenv(name.c_str(), value.c_str(), /*overwrite=*/0);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  log_launch(request, here, ranks);
  return static_cast<ExitCode>(
      supervise(mpirun_command(request, here, ranks, program), "openmpi-bin", mpirun_timeout()));
}

}  // namespace

void add_launch(CLI::App& app, Action& action) {
  auto request = std::make_shared<LaunchRequest>();
  CLI::App* verb =
      app.add_subcommand("launch", "Start a command on all GPUs or cores of one or more machines");
  verb->footer(kLaunchExample);
  verb->add_option("-n,--ranks", request->ranks, "Number of ranks")
      ->type_name("RANKS")
      ->check(positive_integer);
  verb->add_option("--hostfile", request->hostfile, "File with the machines to use, as for mpirun")
      ->type_name("FILE")
      ->check(CLI::ExistingFile.description(""));  // its own is FILE, too
  verb->prefix_command();
  verb->callback([request, verb, &action] {
    request->command = verb->remaining();
    action = [request] { return launch(*request); };
  });
}

}  // namespace ganscale::cli
