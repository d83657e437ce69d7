#include <cstdlib>

#include "base/error.h"
#include "base/host.h"
#include "cli/run.h"
#include "comm/backends/launcher.h"
#include "comm/backends/mpi_session.h"
#include "comm/backends/shared_cores.h"
#include "command_line/run_program.h"

// What the loader calls before the initializers of the libraries.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = ganscale::comm::wait_passively;

namespace {

/// Opens MPI, or says why that fails and ends all ranks.
ganscale::comm::MpiSession open_mpi_session() {
  try {
    return {};
  } catch (const ganscale::Error&) {
    const ganscale::ExitCode code = ganscale::command_line::log_error();
    ganscale::comm::MpiSession::abort(static_cast<int>(code));
  }
}

}  // namespace

int main(int argc, char** argv) {
  ganscale::keep_freed_host_memory();
  ganscale::raise_open_file_limit();
  if (std::getenv(ganscale::comm::kBindVariable) != nullptr) {
    ganscale::comm::bind_to_share(ganscale::comm::launched_local_rank(),
                                  ganscale::comm::launched_local_size());
  }
  const ganscale::comm::MpiSession session = open_mpi_session();
  const int exit_code = ganscale::cli::run(argc, argv);
  // After an error the other ranks may wait for this one forever. Stopped by a signal, all have met
  // and are done, but mpirun would explain at length that one of them ended with a code.
  if (exit_code != 0 && ganscale::comm::launched_by_mpi())
    ganscale::comm::MpiSession::abort(exit_code);
  return exit_code;
}
