#pragma once

namespace ganscale::comm {

/// Returns whether mpirun or another MPI launcher started this process.
bool launched_by_mpi();

/// Returns the rank that the launcher gave this process; 0 without a launcher.
int launched_rank();

/// Returns how many processes the launcher started; 1 without a launcher.
int launched_world_size();

/// Returns the local rank and the number of ranks on this machine; 0 and 1 without a launcher, or
/// if it does not say.
int launched_local_rank();
int launched_local_size();

}  // namespace ganscale::comm
