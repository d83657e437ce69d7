// Replaces mpi_session.cpp and mpi_group.cpp in a build without MPI.
#include <cstdlib>

#include "base/error.h"
#include "comm/backends/mpi_group.h"
#include "comm/backends/mpi_session.h"

namespace ganscale::comm {
namespace {

[[noreturn]] void refuse() {
  throw ConfigError("this build has no MPI: configure it with -DGANSCALE_MPI=ON");
}

}  // namespace

MpiSession::MpiSession() = default;
MpiSession::~MpiSession() = default;
void MpiSession::abort(int exit_code) { std::_Exit(exit_code); }

std::unique_ptr<Group> open_mpi_world(std::shared_ptr<Watchdog> /*watchdog*/) { refuse(); }
RankInfo mpi_rank_info() { refuse(); }

std::string mpi_version() { return "none"; }

}  // namespace ganscale::comm
