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

}  // namespace ganscale::comm
