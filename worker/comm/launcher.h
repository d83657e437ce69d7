#pragma once

namespace ganscale::comm {

/// Says whether mpirun, or another launcher of MPI processes, started this process.
bool launched_by_mpi();

/// Returns the number of this process among those of the launcher; 0 without one.
int launched_rank();

/// Returns how many processes that launcher started; 1 without one.
int launched_world_size();

}  // namespace ganscale::comm
