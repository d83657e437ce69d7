#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ganscale::cli {

/// What `ganscale launch` was asked for.
struct LaunchRequest {
  int ranks = 0;              ///< 0: choose
  std::string hostfile = {};  ///< of mpirun; empty: this machine, or what Slurm has allotted
  std::vector<std::string> command = {};  ///< a verb and its arguments
};

/// What a launcher knows about its machine.
struct Surroundings {
  int gpus = 0;
  int cores = 1;                 ///< those that may be used; see device::usable_cores()
  bool in_slurm = false;         ///< within an allocation of Slurm
  std::string slurm_tasks = {};  ///< of each node, such as "8(x2),4"; empty: unknown
  bool is_root = false;          ///< mpirun then needs a flag
  int terminal_columns = 0;      ///< of standard error; 0: not a terminal
  /// False if the kernel forbids a process to read another one's memory, as in some containers.
  bool reads_other_processes = true;
  std::vector<std::string> passed_on = {};  ///< variables that ranks on other machines need, too
};

/// Returns how many ranks to start on this machine: as requested, otherwise one for each GPU, or up
/// to four that divide the cores among them; 0 if mpirun knows, from a hostfile or Slurm.
///
/// Throws: UsageError for more ranks than GPUs and cores, unless mpirun knows of other machines.
int ranks_of(const LaunchRequest& request, const Surroundings& here);

/// Returns how many ranks mpirun starts on this machine, the first of a Slurm allocation, if these
/// are not as many as its GPUs and nobody has asked for a number; otherwise nothing.
std::optional<int> ranks_unlike_gpus(const LaunchRequest& request, const Surroundings& here);

/// Returns the names in an environment (a list that ends with null) that ranks on other machines
/// need, too, each once: wire::environment, the settings of OpenMP and NCCL, and what S3 and MLflow
/// are reached with. None is one of environment_of().
std::vector<std::string> variables_to_pass_on(const char* const* environment);

/// Returns the environment of the ranks, added to this process's.
std::vector<std::pair<std::string, std::string>> environment_of(const Surroundings& here);

/// Returns the command line of mpirun that starts `ranks` (see ranks_of()) of this program.
///
/// program: the file to run.
std::vector<std::string> mpirun_command(const LaunchRequest& request, const Surroundings& here,
                                        int ranks, const std::string& program);

}  // namespace ganscale::cli
