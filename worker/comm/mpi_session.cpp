#include "comm/mpi_session.h"

#include <mpi.h>

#include <cstdlib>

#include "base/error.h"
#include "comm/launcher.h"

namespace ganscale::comm {
namespace {

bool is_open() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace

MpiSession::MpiSession() {
  if (!launched_by_mpi()) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    throw ConfigError("this MPI does not support MPI_THREAD_MULTIPLE");
  }
}

MpiSession::~MpiSession() {
  if (is_open()) MPI_Finalize();
}

void MpiSession::abort(int exit_code) {
  if (is_open()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace ganscale::comm
