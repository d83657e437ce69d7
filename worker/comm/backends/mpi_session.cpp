#include "comm/backends/mpi_session.h"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdlib>

#include "base/error.h"
#include "comm/backends/launcher.h"
#include "device/cpu_quota.h"

namespace ganscale::comm {
namespace {

bool is_open() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

/// Has MPI_Abort print nothing: the rank's own message has said why, and Open MPI 4 would add
/// another. The flag belongs to its parameter orte_execute_quiet; other MPIs do not have it.
void silence_abort() {
  if (auto* quiet = static_cast<bool*>(::dlsym(RTLD_DEFAULT, "orte_execute_quiet"))) *quiet = true;
}

/// Has waiting ranks yield their core if there are fewer than ranks. Open MPI does so by itself
/// only if there are fewer slots: it sees neither the CPU limit of a container nor that a hostfile
/// has more slots than cores.
void yield_on_few_cores() {
  if (launched_local_size() > device::container_cores())
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", /*overwrite=*/0);
}

}  // namespace

MpiSession::MpiSession() {
  if (!launched_by_mpi()) return;
  yield_on_few_cores();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    throw ConfigError(
        "this MPI does not support MPI_THREAD_MULTIPLE, which the ranks need; use another one: " +
        mpi_version());
  }
}

MpiSession::~MpiSession() {
  if (is_open()) MPI_Finalize();
}

void MpiSession::abort(int exit_code) {
  silence_abort();
  if (is_open()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string full(text.data());  // "Open MPI v4.1.4, package: ..."
  return full.substr(0, full.find_first_of(",\n"));
}

}  // namespace ganscale::comm
