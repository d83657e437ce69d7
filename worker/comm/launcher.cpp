#include "comm/launcher.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ganscale::comm {

bool launched_by_mpi() {
  // Open MPI; PMIx (Open MPI 5, Slurm); PMI (MPICH, Intel MPI).
  constexpr std::array kMarks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [](const char* mark) { return std::getenv(mark) != nullptr; });
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

int launched_world_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    const char* text = std::getenv(name);
    if (launched_by_mpi() && text != nullptr) return std::max(1, std::atoi(text));
  }
  return 1;
}

}  // namespace ganscale::comm
