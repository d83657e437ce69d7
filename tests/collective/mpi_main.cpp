// main() of the test programs that mpirun starts: every rank runs the same cases in the same order.
#include <gtest/gtest.h>

#include "comm/backends/mpi_session.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const ganscale::comm::MpiSession session;
  const int result = RUN_ALL_TESTS();
  if (result != 0) ganscale::comm::MpiSession::abort(result);
  return result;
}
