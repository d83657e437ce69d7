#include "comm/backends/launcher.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>

namespace ganscale::comm {
namespace {

/// Returns the number in the first of these environment variables that is set.
std::optional<int> first_number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return std::nullopt;
}

}  // namespace

bool launched_by_mpi() {
  // Open MPI; PMIx (Open MPI 5, Slurm); PMI (MPICH, Intel MPI).
  constexpr std::array kMarks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [](const char* mark) { return std::getenv(mark) != nullptr; });
}

int launched_rank() {
  return first_number({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}).value_or(0);
}

int launched_world_size() {
  if (!launched_by_mpi()) return 1;
  return std::max(1,
                  first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}).value_or(1));
}

int launched_local_rank() {
  if (!launched_by_mpi()) return 0;
  return first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}).value_or(0);
}

int launched_local_size() {
  if (!launched_by_mpi()) return 1;
  return std::max(1, first_number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}).value_or(1));
}

}  // namespace ganscale::comm
