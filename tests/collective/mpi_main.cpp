// main() of the test programs that mpirun starts: every rank runs the same cases in the same order.
#include <gtest/gtest.h>

#include "comm/mpi_session.h"

#ifdef __SANITIZE_ADDRESS__
// Open MPI unloads its components before LeakSanitizer looks, which could then not tell whose the
// memory was that they keep (tests/support/leaks.supp): under AddressSanitizer they stay loaded.
extern "C" int dlclose(void*) { return 0; }
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const ganscale::comm::MpiSession session;
  const int result = RUN_ALL_TESTS();
  if (result != 0) ganscale::comm::MpiSession::abort(result);
  return result;
}
