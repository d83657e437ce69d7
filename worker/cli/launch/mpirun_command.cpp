#include "cli/launch/mpirun_command.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/terminal.h"
#include "comm/backends/shared_cores.h"
#include "wire/names.h"

namespace ganscale::cli {
namespace {

/// With more, few batches have an image for each.
constexpr unsigned kMostRanksOnCores = 4;

/// How the names of variables begin that mpirun passes to other machines.
constexpr std::array<std::string_view, 5> kPassedOn{"AWS_", "GOMP_", "MLFLOW_", "NCCL_",
                                                    "SSL_CERT_FILE"};

/// Rank 0 may be on another machine, and so it gets our own variables, too; a preflight that only
/// some ranks make would wait for the others.
bool is_passed_on(std::string_view name) {
  return std::ranges::find(wire::environment::kAll, name) != wire::environment::kAll.end() ||
         std::ranges::any_of(kPassedOn, [&](auto prefix) { return name.starts_with(prefix); });
}

bool has_other_machines(const LaunchRequest& request, const Surroundings& here) {
  return !request.hostfile.empty() || here.in_slurm;
}

}  // namespace

int ranks_of(const LaunchRequest& request, const Surroundings& here) {
  const bool mpirun_knows = has_other_machines(request, here);
  if (request.ranks == 0) {
    if (mpirun_knows) return 0;
    if (here.gpus > 0) return here.gpus;
    return static_cast<int>(
        std::min(std::bit_floor(static_cast<unsigned>(here.cores)), kMostRanksOnCores));
  }
  if (!mpirun_knows && request.ranks > std::max(here.gpus, here.cores)) {
    throw UsageError("-n: more ranks than this machine has GPUs (" + std::to_string(here.gpus) +
                     ") or cores (" + std::to_string(here.cores) +
                     "); start fewer, name other machines with --hostfile, or use mpirun: " +
                     std::to_string(request.ranks));
  }
  return request.ranks;
}

std::optional<int> ranks_unlike_gpus(const LaunchRequest& request, const Surroundings& here) {
  const bool slurm_decides = here.in_slurm && request.hostfile.empty() && request.ranks == 0;
  if (!slurm_decides || here.gpus == 0) return std::nullopt;
  int tasks = 0;
  const std::string& text = here.slurm_tasks;
  std::from_chars(text.data(), text.data() + text.size(), tasks);
  if (tasks == 0 || tasks == here.gpus) return std::nullopt;
  return tasks;
}

std::vector<std::string> variables_to_pass_on(const char* const* environment) {
  std::vector<std::string> names;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const auto name = variable.substr(0, variable.find('='));
    if (is_passed_on(name)) names.emplace_back(name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);  // an environment may have a name twice
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::vector<std::pair<std::string, std::string>> environment_of(const Surroundings& here) {
  std::vector<std::pair<std::string, std::string>> variables{{"OMP_WAIT_POLICY", "passive"},
                                                             {comm::kBindVariable, "1"}};
  if (here.terminal_columns > 0)
    variables.emplace_back(terminal::kColumnsVariable, std::to_string(here.terminal_columns));
  // Open MPI would explain at length that it must do without.
  if (!here.reads_other_processes)
    variables.emplace_back("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  return variables;
}

std::vector<std::string> mpirun_command(const LaunchRequest& request, const Surroundings& here,
                                        int ranks, const std::string& program) {
  // The ranks bind themselves: mpirun can't everywhere.
  std::vector<std::string> words{"mpirun", "--bind-to", "none"};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (here.is_root) add({"--allow-run-as-root"});
  if (ranks > 0) add({"-n", std::to_string(ranks)});
  if (!request.hostfile.empty()) {
    add({"--hostfile", request.hostfile});
  } else if (!here.in_slurm) {
    add({"--oversubscribe"});  // ranks_of() has counted; mpirun may take two threads for a core
  }
  for (const auto& [name, value] : environment_of(here)) add({"-x", name});
  if (has_other_machines(request, here)) {
    for (const auto& name : here.passed_on) add({"-x", name});
  }
  words.push_back(program);
  words.insert(words.end(), request.command.begin(), request.command.end());
  return words;
}

}  // namespace ganscale::cli
