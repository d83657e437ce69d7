#pragma once

#include <string>

namespace ganscale::comm {

/// Return the versions of the libraries that this build communicates with, such as "Open MPI v4.1.4"
/// and "2.27.3"; "none" in a build without them.
std::string mpi_version();
std::string nccl_version();

}  // namespace ganscale::comm
