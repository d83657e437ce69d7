#pragma once

#include <string>

#include "base/non_copyable.h"

namespace ganscale::comm {

/// Initializes and finalizes MPI. The first object in main(), so that communicators are freed
/// before MPI_Finalize. Does nothing without a launcher or in a build without MPI.
class MpiSession : NonCopyable {
 public:
  /// Throws: Error(kConfig) if MPI does not support MPI_THREAD_MULTIPLE.
  MpiSession();
  /// Finalizes MPI, which waits for the other ranks. After an error, call abort() instead.
  ~MpiSession();

  /// Ends all ranks silently; the launcher returns `exit_code`. The caller has said why.
  [[noreturn]] static void abort(int exit_code);
};

/// Returns the version of the MPI library, such as "Open MPI v4.1.4"; "none" in a build without it.
std::string mpi_version();

}  // namespace ganscale::comm
