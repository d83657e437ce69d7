#pragma once

namespace ganscale::comm {

/// Says whether mpirun, or another launcher of MPI processes, started this process.
bool launched_by_mpi();

}  // namespace ganscale::comm
