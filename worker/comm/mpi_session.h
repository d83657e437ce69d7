#pragma once

namespace ganscale::comm {

/// MPI for as long as main() runs. The first object of main(), so that communicators die before
/// MPI_Finalize. Without a launcher, or built without MPI, it does nothing.
class MpiSession {
 public:
  /// Throws: Error(kConfig) where MPI gives no support for several threads.
  MpiSession();
  /// Ends MPI, which waits for the other ranks: after an error, call abort() instead.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Ends this process and all other ranks; the launcher returns `exit_code`.
  [[noreturn]] static void abort(int exit_code);
};

}  // namespace ganscale::comm
