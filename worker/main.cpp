#include "base/error.h"
#include "base/host.h"
#include "cli/run.h"
#include "comm/backends/launcher.h"
#include "comm/backends/mpi_session.h"

int main(int argc, char** argv) {
  ganscale::keep_freed_host_memory();
  const ganscale::comm::MpiSession session;
  const int exit_code = ganscale::cli::run(argc, argv);
  // Stopped by a signal, all ranks come here together; after an error the others may wait for this
  // one forever.
  const bool orderly =
      exit_code == 0 || exit_code == static_cast<int>(ganscale::ExitCode::kStopped);
  if (!orderly && ganscale::comm::launched_by_mpi()) ganscale::comm::MpiSession::abort(exit_code);
  return exit_code;
}
